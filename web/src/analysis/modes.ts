/** The page of `delassus modes`: the list of modes, and the chosen one as it moves. */
import { Matrix4, Vector3 } from "three";
import { displacement, factors, readModes, seconds, span, vibrates, type ModeSpec, type Modes, type ModesSpec } from "../data/modes";
import type { Report } from "../data/report";
import { num } from "../format";
import { bindViewKeys } from "../keys";
import { outerPoints } from "../scene/shapes";
import { vec } from "../scene/drawing";
import { Viewer } from "../scene/viewer";
import { Cursor } from "../time";
import { byId, h, icon } from "../ui/dom";
import { bindDivider } from "../ui/divider";
import { drawFile } from "../ui/file";
import { drawBanner, drawHeader } from "../ui/header";
import { makeHelp } from "../ui/help";
import { PAUSE, PLAY } from "../ui/player";
import { Tabs } from "../ui/tabs";
import { isDark, onTheme } from "../ui/theme";
import { ViewBar } from "../ui/viewbar";

/** Largest displacement that is drawn, in parts of the size of the model, and largest turn, rad. */
const DRAWN = 0.12;
const TURNED = 0.35;
/** Cycles per second of the clock. */
const SPEEDS = [0.1, 0.2, 0.5, 1, 2];
const KEYS: [string, string][] = [
  ["space", "play, pause"],
  ["← →", "a twentieth of a cycle back, on"],
  ["N, P", "next, previous mode"],
  ["+ −", "larger, smaller"],
  ["Y", "with decay or growth"],
  ["1 2 3 4", "view from the front, top, side, corner"],
  ["F", "fit the model into the picture"],
  ["J, S", "joints, springs and forces"],
  ["B, M, X, G", "names, mass centres, body axes, grid"],
  ["D", "dark or light"],
  ["?", "this list"],
];

class Animation {
  mode = 0;
  /** On top of the automatic size. */
  scale = 1;
  decay = false;
  readonly modes: Modes;
  private readonly reach: number[];
  private readonly size: number;

  constructor(report: Report, modes: Modes) {
    this.modes = modes;
    const { scene } = report;
    this.size = scene.size && scene.size > 0 ? scene.size : 1;
    // how far the farthest drawn point of each body is from its origin
    this.reach = scene.bodies.map((b, i) => {
      let far = vec(b.com).length();
      for (const s of b.shapes ?? []) {
        for (const p of outerPoints(s)) far = Math.max(far, p.length());
        if (s.length) far = Math.max(far, vec(s.p).length() + 0.5 * s.length);
        if (Array.isArray(s.size)) far = Math.max(far, vec(s.p).length() + 0.5 * Math.hypot(...s.size.map(Number)));
      }
      for (const j of scene.joints ?? []) for (const e of [j.a, j.b]) if (e?.body === i) far = Math.max(far, vec(e.p).length());
      return Math.min(far, 2 * this.size);
    });
  }

  get spec(): ModeSpec | undefined {
    return this.modes.list[this.mode];
  }

  /** What the shape is multiplied by. */
  get amplitude(): number {
    let [moved, turned] = [0, 0];
    for (let b = 1; b < this.reach.length; b++) {
      const s = this.modes.of(this.mode, b);
      if (!s) continue;
      const size = (at: number) => Math.hypot(...[0, 1, 2].flatMap((k) => [s[at + k] as number, s[at + 6 + k] as number]));
      moved = Math.max(moved, size(0) + size(3) * (this.reach[b] as number));
      turned = Math.max(turned, size(3));
    }
    const automatic = Math.min(moved > 0 ? (DRAWN * this.size) / moved : Infinity, turned > 0 ? TURNED / turned : Infinity);
    return Number.isFinite(automatic) ? this.scale * automatic : 0;
  }

  /** Moves the bodies from where they rest. All points move along straight lines, as in a small vibration. */
  apply(t: number, bodies: Matrix4[], valid: Uint8Array): void {
    const { spec } = this;
    if (!spec) return;
    const at = factors(spec, this.decay, t);
    const size = this.amplitude;
    const turn = new Vector3();
    const column = new Vector3();
    for (let b = 1; b < bodies.length; b++) {
      const shape = valid[b] ? this.modes.of(this.mode, b) : null;
      if (!shape) continue;
      const d = displacement(shape, at).map((x) => x * size);
      turn.set(d[3] as number, d[4] as number, d[5] as number);
      const e = (bodies[b] as Matrix4).elements;
      for (let k = 0; k < 3; k++) {
        column.set(e[4 * k] as number, e[4 * k + 1] as number, e[4 * k + 2] as number);
        column.add(turn.clone().cross(column)).toArray(e, 4 * k);
      }
      for (let k = 0; k < 3; k++) e[12 + k] = (e[12 + k] as number) + (d[k] as number);
    }
  }
}

export async function modesPage(report: Report, spec: ModesSpec): Promise<void> {
  const say = (problem: string) => report.problems.push(problem);
  const modes = await readModes(spec, report.scene.bodies.length, say);
  const help = makeHelp(KEYS);
  drawHeader(byId("header"), report, help.toggle);
  drawBanner(byId("banner"), report);
  report.onProblem = () => drawBanner(byId("banner"), report);

  const cursor = new Cursor();
  const animation = new Animation(report, modes);
  const host = byId("view");
  const viewer = new Viewer(host, report, cursor);
  if (viewer.fault) host.append(h("p", { class: "empty" }, viewer.fault));
  viewer.switches.flexure = false;
  viewer.warp = (t, bodies, valid) => animation.apply(t, bodies, valid);
  const bar = new ViewBar(byId("viewbar"), viewer, report.meta.title ?? "modes", ["traces", "flexure", "clearances", "arrows", "contacts"]);

  const list = new List(modes, (i) => choose(i));
  const bench = new Bench(byId("player"), cursor, animation, () => viewer.touch());
  const choose = (i: number) => {
    if (modes.list.length === 0) return;
    animation.mode = Math.min(modes.list.length - 1, Math.max(0, i));
    list.mark(animation.mode);
    bench.update();
    viewer.touch();
  };
  const panels = byId("panels");
  const tabs = new Tabs(byId("tabs"), panels, [
    { id: "modes", title: "Modes", content: list.element },
    { id: "notes", title: "Notes", content: notes(report) },
    { id: "file", title: "File", content: drawFile(report) },
  ]);
  tabs.badge("notes", report.notes.length > 0 ? String(report.notes.length) : "", "fair");
  bindViewKeys({ viewer, bar, help, keys: (key) => bench.key(key) || (key === "n" || key === "p" ? (choose(animation.mode + (key === "n" ? 1 : -1)), true) : false) });
  bindDivider(byId("divider"), byId("main"));
  onTheme((dark) => viewer.theme(dark));
  await viewer.build();
  viewer.theme(isDark());
  choose(modes.list.findIndex(vibrates) >= 0 ? modes.list.findIndex(vibrates) : 0);
  viewer.frame();
  if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches && modes.list.length > 0) cursor.play(true);
  let last = performance.now();
  const loop = (now: number) => {
    const interval = (now - last) / 1000;
    last = now;
    viewer.pace(interval, cursor.playing);
    cursor.advance(Math.min(0.1, interval));
    viewer.frame();
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);

  Object.assign(window.delassus ?? {}, {
    version: 1,
    modes: () => modes.list,
    mode: () => animation.mode,
    chooseMode: choose,
    amplitude: () => animation.amplitude,
    decay: (on: boolean) => bench.setDecay(on),
    setTime: (t: number) => {
      cursor.play(false);
      cursor.set(t);
    },
    time: () => cursor.t,
    range: () => [cursor.start, cursor.end],
    playing: () => cursor.playing,
    play: (on?: boolean) => cursor.play(on),
    bodies: () => report.scene.bodies.map((b) => b.name),
    bodyPose: (name: string) => viewer.bodyPose(name),
    bodyPixel: (name: string) => viewer.bodyPixel(name),
    problems: () => report.problems,
    show: (tab: string) => tabs.show(tab),
    view: (name: string) => viewer.look(name as never),
    bitmap: async () => {
      const blob = await viewer.picture();
      return blob ? createImageBitmap(blob) : null;
    },
  });
}

/** Notes of the analysis, with their codes. */
export function notes(report: Report): HTMLElement {
  if (report.notes.length === 0) return h("p", { class: "empty" }, "There is nothing to add.");
  return h("ul", { class: "notes" }, ...report.notes.map((n) => h("li", {}, n.code ? h("code", {}, n.code) : null, ` ${n.message ?? ""}`)));
}

/** The modes as a table. */
class List {
  readonly element: HTMLElement;
  private readonly rows: HTMLTableRowElement[];

  constructor(modes: Modes, choose: (i: number) => void) {
    const heads = ["mode", "Hz", "damping", "growth [1/s]", "kind", "moves most"];
    this.rows = modes.list.map((m, i) => {
      const key = (e: KeyboardEvent) => {
        const to = e.key === "ArrowDown" ? i + 1 : e.key === "ArrowUp" ? i - 1 : e.key === "Enter" ? i : -1;
        if (to < 0 || to >= modes.list.length) return;
        choose(to);
        this.rows[to]?.focus();
        e.preventDefault();
        e.stopPropagation();
      };
      const damping = Math.abs(m.damping_ratio) < 1e-12 ? "0" : `${num(100 * m.damping_ratio, 4)}\u00a0%`;
      const cells = [String(i + 1), vibrates(m) ? num(m.imag / (2 * Math.PI), 6) : "0", damping, num(m.real, 5)];
      return h("tr", { tabindex: 0, "aria-label": `Mode ${i + 1}, ${m.kind ?? ""}`, title: `${num(m.imag, 8)} rad/s`, onclick: () => choose(i), onkeydown: key }, ...cells.map((c) => h("td", { class: "number" }, c)), h("td", { class: m.real > 0 ? "grows" : "" }, m.kind ?? ""), h("td", {}, m.moves ?? ""));
    });
    this.element = h(
      "div",
      { class: "modes" },
      h("p", { class: "verdict" }, `${modes.list.length} mode${modes.list.length === 1 ? "" : "s"} ${modes.about}`),
      modes.list.length === 0 ? h("p", { class: "empty" }, "There are no modes.") : h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((x) => h("th", { scope: "col" }, x)))), h("tbody", {}, ...this.rows)),
      h("p", { class: "hint" }, "A row, or N and P, chooses a mode. What is drawn are small displacements, enlarged: all points move along straight lines, so that bodies that turn far look stretched. Parts of a travelling shape do not pass through rest at the same time."),
    );
  }

  mark(i: number): void {
    this.rows.forEach((r, k) => r.classList.toggle("current", k === i));
    this.rows[i]?.scrollIntoView({ block: "nearest" });
  }
}

/** Play, phase, speed, size and decay. */
class Bench {
  private readonly cursor: Cursor;
  private readonly animation: Animation;
  private readonly touch: () => void;
  private readonly slider: HTMLInputElement;
  private readonly playButton: HTMLButtonElement;
  private readonly decayButton: HTMLButtonElement;
  private readonly size: HTMLInputElement;
  private readonly words = h("output", { class: "time", id: "mode-words" });

  constructor(host: HTMLElement, cursor: Cursor, animation: Animation, touch: () => void) {
    this.cursor = cursor;
    this.animation = animation;
    this.touch = touch;
    cursor.speed = 0.5;
    this.slider = h("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Phase", class: "scrub" });
    this.slider.addEventListener("input", () => cursor.set(Number(this.slider.value)));
    this.playButton = h("button", { type: "button", class: "tool primary", onclick: () => cursor.play() });
    this.decayButton = h("button", { type: "button", class: "small", id: "decay", "aria-pressed": "false", title: "With decay or growth (Y)", onclick: () => this.setDecay(!animation.decay) }, "decay");
    this.size = h("input", { type: "range", min: -1.3, max: 1, step: 0.05, value: 0, class: "arrow-size", "aria-label": "Size of the motion", title: "Size of the motion (+ and −)" });
    this.size.addEventListener("input", () => this.setSize(Number(this.size.value)));
    const speed = h("select", { "aria-label": "Cycles per second", title: "Cycles per second", onchange: () => (cursor.speed = Number(speed.value)) }, ...SPEEDS.map((s) => h("option", { value: s, ...(s === cursor.speed ? { selected: true } : {}) }, `${num(s)} cycles/s`)));
    host.append(h("div", { class: "transport" }, this.playButton, this.words, h("span", { class: "spring" }), h("label", { class: "check" }, "size", this.size), this.decayButton, speed), h("div", { class: "timeline" }, this.slider));
    cursor.listen(() => this.show());
    cursor.onState = () => this.state();
    this.state();
  }

  /** Another mode. */
  update(): void {
    const { spec } = this.animation;
    if (!spec) return;
    this.decayButton.disabled = spec.real === 0;
    const end = span(spec, this.animation.decay);
    this.cursor.setRange(0, end);
    if (this.cursor.t >= end) this.cursor.set(0);
    this.slider.max = String(end);
    this.show();
  }

  setDecay(on: boolean): void {
    this.animation.decay = on;
    this.decayButton.setAttribute("aria-pressed", String(on));
    this.update();
    this.touch();
  }

  private setSize(power: number): void {
    this.size.value = String(power);
    this.animation.scale = 10 ** power;
    this.touch();
  }

  key(key: string): boolean {
    const { cursor } = this;
    if (key === " ") cursor.play();
    else if (key === "ArrowLeft" || key === "ArrowRight") {
      cursor.play(false);
      const t = cursor.t + (key === "ArrowLeft" ? -0.05 : 0.05);
      const whole = cursor.end - cursor.start;
      cursor.set(whole > 0 ? (((t - cursor.start) % whole) + whole) % whole + cursor.start : t);
    } else if (key === "+" || key === "=" || key === "-") this.setSize(Math.min(1, Math.max(-1.3, Number(this.size.value) + (key === "-" ? -0.1 : 0.1))));
    else if (key === "y") this.setDecay(!this.animation.decay);
    else return false;
    return true;
  }

  private show(): void {
    const { animation, cursor } = this;
    this.slider.value = String(cursor.t);
    this.slider.style.setProperty("--done", `${cursor.end > cursor.start ? (100 * (cursor.t - cursor.start)) / (cursor.end - cursor.start) : 0}%`);
    const { spec } = animation;
    if (!spec) return;
    const unit = seconds(spec);
    const mode = `mode ${animation.mode + 1}`;
    this.words.textContent = vibrates(spec) ? `${mode}, cycle ${cursor.t.toFixed(2)} of ${num(unit, 4)} s` : unit > 0 && animation.decay ? `${mode}, t = ${num(cursor.t * unit, 3)} s` : `${mode}, no vibration`;
  }

  private state(): void {
    const label = this.cursor.playing ? "Pause (space)" : "Play (space)";
    this.playButton.replaceChildren(icon(this.cursor.playing ? PAUSE : PLAY, true));
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
  }
}
