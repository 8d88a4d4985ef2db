/** Views and switches over the picture. */
import type { View } from "../scene/camera";
import type { Switch, Viewer } from "../scene/viewer";
import { download, h } from "./dom";

const VIEWS: [View, string, string][] = [["front", "Front", "1"], ["top", "Top", "2"], ["side", "Side", "3"], ["iso", "Iso", "4"]];
const SWITCHES: [Switch, string, string][] = [
  ["joints", "Joints", "J"], ["forces", "Springs", "S"], ["arrows", "Arrows", "A"], ["contacts", "Contacts", "C"], ["clearances", "Play", "K"], ["flexure", "Bend", "E"], ["traces", "Traces", "R"], ["names", "Names", "B"], ["masses", "Masses", "M"], ["frames", "Axes", "X"], ["grid", "Grid", "G"],
];

const TITLES: Partial<Record<Switch, string>> = { masses: "Mass centres", arrows: "Arrows of forces and torques", contacts: "Contact points and their normal forces", clearances: "Play of joints, enlarged", flexure: "Deformation of beams and modal bodies, enlarged", frames: "Axes of bodies", forces: "Springs, dampers, ropes" };

export class ViewBar {
  private readonly viewer: Viewer;
  private readonly buttons = new Map<Switch, HTMLButtonElement>();
  private readonly arrowSize: HTMLInputElement;
  private readonly bendSize: HTMLInputElement;

  constructor(host: HTMLElement, viewer: Viewer, title: string, without: Switch[] = []) {
    this.viewer = viewer;
    const views = h("div", { class: "buttons", role: "group", "aria-label": "Camera" }, ...VIEWS.map(([v, name, key]) => h("button", { type: "button", class: "small", title: `${name} (${key})`, onclick: () => this.look(v) }, name)), h("button", { type: "button", class: "small", title: "Fit (F)", onclick: () => viewer.fit() }, "Fit"));
    const scene = viewer.sceneSpec;
    const ropes = (scene.contacts ?? []).some((c) => c.type === "rope");
    const springs = (scene.forces ?? []).some((f) => f.a && f.b && ["spring", "spring-damper", "damper", "bushing", "actuator", "beam"].includes(f.type));
    const there: Partial<Record<Switch, boolean>> = { forces: springs || ropes, arrows: viewer.arrows.available > 0, contacts: viewer.contacts.any, clearances: viewer.hasClearances, flexure: viewer.flexure.any, joints: (scene.joints ?? []).length > 0 };
    const useful = SWITCHES.filter(([s]) => (there[s] ?? true) && !without.includes(s));
    const switches = h("div", { class: "buttons", role: "group", "aria-label": "What is drawn" });
    for (const [s, name, key] of useful) {
      const b = h("button", { type: "button", class: "small", "aria-pressed": String(viewer.switches[s]), title: `${TITLES[s] ?? name} (${key})`, onclick: () => this.toggle(s) }, name);
      this.buttons.set(s, b);
      switches.append(b);
    }
    this.arrowSize = h("input", { type: "range", min: -1, max: 1, step: 0.05, value: 0, class: "arrow-size", "aria-label": "Length of arrows", title: "Length of arrows" });
    this.arrowSize.hidden = !viewer.contacts.any || without.includes("contacts");
    this.arrowSize.addEventListener("input", () => {
      viewer.arrows.factor = 10 ** Number(this.arrowSize.value);
      viewer.touch();
    });
    this.bendSize = h("input", { type: "range", min: -1, max: 2, step: 0.05, value: 0, class: "arrow-size", id: "bend-size", "aria-label": "How many times larger deformation is drawn", title: "Deformation: smaller or larger" });
    this.bendSize.hidden = !this.buttons.has("flexure") || !viewer.switches.flexure;
    this.bendSize.addEventListener("input", () => viewer.enlarge(10 ** Number(this.bendSize.value)));
    const save = async () => {
      const blob = await viewer.picture();
      if (blob) download(`${title.replace(/[^A-Za-z0-9_.-]+/g, "_")}.png`, blob);
    };
    host.append(views, switches, h("button", { type: "button", class: "small", title: "Save the picture as PNG", onclick: () => void save() }, "PNG"), this.arrowSize, this.bendSize);
  }

  look(v: View): void {
    this.viewer.cameras.touched = false;
    this.viewer.look(v);
  }

  toggle(s: Switch, on = !this.viewer.switches[s]): void {
    if (!this.buttons.has(s)) return;
    this.viewer.set(s, on);
    this.buttons.get(s)?.setAttribute("aria-pressed", String(on));
    this.bendSize.hidden = !this.buttons.has("flexure") || !this.viewer.switches.flexure;
    this.arrowSize.hidden = !this.viewer.switches.arrows && !(this.buttons.has("contacts") && this.viewer.switches.contacts);
  }
}
