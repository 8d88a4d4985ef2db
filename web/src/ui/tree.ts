/** The model: bodies, joints, forces, contacts. A click chooses a body in the picture. */
import type { Report } from "../data/report";
import type { Body, Place } from "../data/types";
import { num } from "../format";
import type { Viewer } from "../scene/viewer";
import type { Cursor } from "../time";
import { h } from "./dom";

export class Tree {
  readonly element = h("div", { class: "tree" });
  private readonly report: Report;
  private readonly viewer: Viewer;
  private readonly buttons = new Map<number, HTMLElement>();
  private readonly details = h("div", { class: "details", "aria-live": "polite" });
  private readonly pose = h("dd", { class: "mono" });

  constructor(report: Report, viewer: Viewer, cursor: Cursor) {
    this.report = report;
    this.viewer = viewer;
    this.build();
    cursor.listen(() => this.showPose());
  }

  private name(body: number | undefined): string {
    return body === undefined ? "?" : (this.report.scene.bodies[body]?.name ?? "?");
  }

  private between(a?: Place | null, b?: Place | null): string {
    if (a && b) return `${this.name(a.body)} – ${this.name(b.body)}`;
    return a ? `on ${this.name(a.body)}` : "";
  }

  build(): void {
    const { scene } = this.report;
    const row = (body: number | null, title: string, note: string, key?: number) => {
      const b = h("button", { type: "button", class: "leaf", "aria-pressed": "false", onclick: () => body !== null && this.viewer.select(this.viewer.selected === body ? null : body) }, h("span", { class: "leaf-name" }, title), h("span", { class: "leaf-note" }, note));
      if (key !== undefined) this.buttons.set(key, b);
      return h("li", {}, b);
    };
    this.buttons.clear();
    const group = (title: string, rows: HTMLElement[], open: boolean) =>
      rows.length > 0 ? h("details", open ? { open: true } : {}, h("summary", {}, h("span", { class: "group-title" }, title), h("span", { class: "count" }, String(rows.length))), h("ul", {}, ...rows)) : null;
    const bodies = scene.bodies.map((b, i) => row(i === 0 ? null : i, b.name, i === 0 ? "ground" : `${b.kind ?? ""}${typeof b.mass === "number" ? ` · ${num(b.mass)} kg` : ""}`, i));
    const joints = (scene.joints ?? []).map((j) => row(j.b?.body || j.a?.body || null, j.name, `${j.type}${j.a ? ` · ${this.between(j.a, j.b)}` : ""}`));
    const forces = (scene.forces ?? []).map((f) => row(f.b?.body || f.a?.body || null, f.name, `${f.type} · ${this.between(f.a, f.b)}`));
    const contacts = (scene.contacts ?? []).map((c) => {
      const both = c.a !== undefined && c.b !== undefined ? `${this.name(c.a)} – ${this.name(c.b)}` : c.a !== undefined ? this.name(c.a) : "";
      return row(c.b || c.a || null, c.name, [c.type ?? "", both].filter(Boolean).join(" · "));
    });
    const groups = [group("Bodies", bodies, true), group("Joints", joints, joints.length < 60), group("Forces", forces, forces.length < 60), group("Contacts", contacts, contacts.length < 60)].filter((g) => g !== null);
    this.element.replaceChildren(this.details, ...(groups.length > 0 ? groups : [h("p", { class: "empty" }, "The data hold no model to list.")]));
    this.choose(this.viewer.selected);
  }

  choose(body: number | null): void {
    for (const [i, b] of this.buttons) b.setAttribute("aria-pressed", String(i === body));
    if (body === null) {
      this.details.replaceChildren(h("p", { class: "hint" }, "Choose a body here or in the picture to see where it is, to trace it or to follow it."));
      return;
    }
    this.buttons.get(body)?.scrollIntoView({ block: "nearest" });
    const b = this.report.scene.bodies[body] as Body;
    const check = (label: string, on: boolean, f: (on: boolean) => void) => h("label", { class: "check" }, h("input", { type: "checkbox", ...(on ? { checked: true } : {}), onchange: (e: Event) => f((e.target as HTMLInputElement).checked) }), label);
    const trace = (marker?: string) =>
      check(marker ? `trace ${marker}` : "trace the mass centre", this.viewer.traces.has(marker ? `${b.name}.${marker}` : b.name), (on) => {
        this.viewer.trace(body, on, marker);
        if (on && !this.viewer.switches.traces) this.onTraces?.();
      });
    const facts: [string, string][] = [["kind", b.kind ?? "–"]];
    if (typeof b.mass === "number") facts.push(["mass", `${num(b.mass)} kg`]);
    if (b.com) facts.push(["mass centre", `(${b.com.map((x) => num(x)).join(", ")}) m`]);
    const joints = (this.report.scene.joints ?? []).filter((j) => j.a?.body === body || j.b?.body === body);
    if (joints.length > 0) facts.push(["joints", joints.map((j) => j.name).slice(0, 12).join(", ")]);
    this.details.replaceChildren(
      h("h2", {}, b.name),
      h("dl", {}, ...facts.map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v))), h("div", {}, h("dt", {}, "pose now"), this.pose)),
      h("div", { class: "checks" }, trace(), ...(b.markers ?? []).slice(0, 8).map((m) => trace(m.name)), check("camera follows", this.viewer.following === body, (on) => this.viewer.follow(on ? body : null))),
    );
    this.showPose();
  }

  /** Set by the page: switches traces on in the toolbar too. */
  onTraces: (() => void) | null = null;

  private showPose(): void {
    const i = this.viewer.selected;
    if (i === null || !this.element.isConnected || this.element.offsetParent === null) return;
    const p = this.viewer.poseOf(i);
    this.pose.textContent = p ? (this.report.scene.planar ? `x ${num(p[0])} m, y ${num(p[1])} m, angle ${num((2 * Math.atan2(p[6] as number, p[3] as number) * 180) / Math.PI)}°` : `(${p.slice(0, 3).map((x) => num(x)).join(", ")}) m, quaternion (${p.slice(3).map((x) => num(x)).join(", ")})`) : "no finite pose";
  }
}
