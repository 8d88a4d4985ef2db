/** The numbers that tell whether to believe the run. */
import type { Report } from "../data/report";
import { type Card, readVerdict, type Tone } from "../data/verdict";
import { count, num, plural } from "../format";
import type { Cursor } from "../time";
import { Chart, chartObserver, type Curve, type Zoom } from "./chart";
import { h } from "./dom";
import { realTimePictures } from "./realtime";

const WORDS: Record<Tone, string> = { good: "good", fair: "look at it", bad: "doubtful", none: "" };

export class Trust {
  readonly element: HTMLElement;
  /** What the clock did. */
  private readonly pictures = h("div", {});
  /** Charts of a run that goes on wait for its first numbers. */
  private waiting = false;
  private readonly charts: Chart[] = [];
  private readonly report: Report;
  private readonly cursor: Cursor;
  private readonly zoom: Zoom;
  private readonly observer: IntersectionObserver;
  /** Told the worst tone, for the mark on the tab. */
  onTone: ((tone: Tone) => void) | null = null;

  constructor(report: Report, cursor: Cursor, zoom: Zoom, scroller: HTMLElement) {
    this.report = report;
    this.cursor = cursor;
    this.zoom = zoom;
    this.observer = chartObserver(scroller);
    this.element = h("div", { class: "trust" });
  }

  private number(key: string): number | null {
    const v = this.report.summary[key];
    return typeof v === "number" ? v : null;
  }

  build(): void {
    for (const c of this.charts) {
      this.observer.unobserve(c.element);
      c.destroy();
    }
    this.charts.length = 0;
    const { summary, notes, events, meta } = this.report;
    const verdict = readVerdict(summary);
    const cards: Card[] = [...verdict.cards];
    const known = verdict.cards.length > 0;
    const numbers = [["energy_error", "Energy balance", "J"], ["max_position_drift", "Drift, positions", "m"], ["max_velocity_drift", "Drift, velocities", "m/s"]] as const;
    for (const [key, title, unit] of [...(known ? [] : numbers), ["max_acceleration_drift", "Drift, accelerations", "m/s²"] as const]) {
      const v = this.number(key);
      if (v !== null) cards.push({ title, value: `${num(v, 3)} ${unit}`, tone: "none", note: "largest at the steps" });
    }
    const steps = this.number("steps");
    const rejected = this.number("rejected") ?? 0;
    if (steps !== null) {
      const share = rejected / Math.max(1, steps + rejected);
      cards.push({ title: "Steps", value: count(steps), tone: "none", note: `${count(rejected)} rejected${rejected > 0 ? ` (${num(100 * share, 2)} %)` : ""}` });
    }
    cards.push({ title: "Events", value: count(events.length || (this.number("events") ?? 0)), tone: "none", note: events.length > 0 ? "see the table of events" : "none recorded" });
    const redundant = this.number("redundant");
    if (this.number("mobility") !== null) {
      cards.push({ title: "Degrees of freedom", value: count(summary.mobility), tone: "none", note: redundant ? plural(redundant, "redundant equation") : "no redundant equations" });
    }
    if (this.number("wall_s") !== null) {
      const cpu = this.number("cpu_s");
      cards.push({ title: "Time to compute", value: `${num(summary.wall_s, 3)} s`, tone: "none", note: [cpu !== null ? `${num(cpu, 3)} s of processor` : "", this.number("evaluations") !== null ? `${count(summary.evaluations)} evaluations` : ""].filter(Boolean).join(", ") });
    }
    const failed = meta.status === "failed" || !!meta.error;
    const worst: Tone = failed ? "bad" : verdict.tone;
    const running = meta.status === "running";
    this.waiting = running && !this.report.columns.some((c) => c.ready);
    const words = failed ? "The run failed: what is shown ends before the end." : running ? "The run goes on: its verdict comes with its end." : verdict.text;
    this.onTone?.(worst);
    const children: (HTMLElement | null)[] = [
      h("p", { class: `verdict ${worst}` }, words),
      h("div", { class: "cards" }, ...cards.map((c) => h("div", { class: `card ${c.tone}` }, h("div", { class: "card-title" }, c.title, c.tone !== "none" ? h("span", { class: "tone" }, WORDS[c.tone]) : null), h("div", { class: "card-value" }, c.value), h("div", { class: "card-note" }, c.note)))),
    ];
    this.clock();
    children.push(this.pictures);
    const warnings = this.warnings();
    if (warnings.length > 0 || notes.length > 0) {
      children.push(
        h("h2", {}, "Warnings and notes"),
        h(
          "ul",
          { class: "notes" },
          ...warnings.map((w) => h("li", { class: "warning" }, w)),
          ...notes.map((n) => h("li", {}, n.code ? h("code", {}, n.code) : null, n.code ? " " : null, n.message ?? "", typeof n.t === "number" ? h("button", { type: "button", class: "link", onclick: () => this.cursor.set(n.t as number) }, ` t = ${num(n.t, 6)} s`) : null)),
        ),
      );
    }
    for (const chart of this.plots()) {
      this.charts.push(chart);
      children.push(chart.element);
    }
    children.push(h("details", { class: "raw" }, h("summary", {}, "Summary of the run as written"), h("pre", {}, JSON.stringify(summary, null, 2))));
    this.element.replaceChildren(...children.filter((c): c is HTMLElement => c !== null));
  }

  private warnings(): string[] {
    const { summary, meta } = this.report;
    const list: string[] = [];
    const unique = summary.non_unique_reactions;
    if (Array.isArray(unique) && unique.length > 0) list.push(`The reactions of ${unique.slice(0, 8).map(String).join(", ")}${unique.length > 8 ? " …" : ""} are not unique: the mechanism is redundant.`);
    const stiff = summary.stiff_since;
    if (typeof stiff === "number") list.push(`From t = ${num(stiff)} s on, stability and not accuracy limited the steps: an implicit method may be faster.`);
    const ignored = summary.ignored_keys;
    if (Array.isArray(ignored) && ignored.length > 0) list.push(`Ignored keys of the model file: ${ignored.map(String).join(", ")}.`);
    list.push(...this.report.thinned);
    const d = meta.down_sampled;
    if (d && d.from > d.to) list.push(`For this page ${count(d.from)} frames were thinned to ${count(d.to)}. The result files hold all.`);
    return list;
  }

  private plots(): Chart[] {
    const { report } = this;
    const out: Chart[] = [];
    const make = (title: string, unit: string, curves: Curve[], time: () => Float64Array, log: boolean, note?: string) => {
      if (curves.length === 0) return;
      out.push(new Chart({ title, unit, curves, time, cursor: this.cursor, zoom: this.zoom, events: report.events, log, note, height: 150 }, this.observer));
    };
    const channel = (name: string, label: string): Curve[] => {
      const c = report.columns.find((x) => x.name === name) ?? report.columns.find((x) => x.name === `diagnostic.${name}`);
      // while a run goes on, there is no more than what has come
      if (!c || (report.meta.status === "running" && !c.ready)) return [];
      return [{ label, unit: c.unit, load: () => c.load() }];
    };
    const step = (name: string, label: string, dots = false): Curve[] => {
      const s = report.steps[name];
      return s && s.length > 0 && Array.from(s.view().subarray(0, 5000)).some((x) => Number.isFinite(x)) ? [{ label, unit: "", dots, load: () => Promise.resolve((report.steps[name] as { view(): Float64Array }).view()) }] : [];
    };
    const columnTime = () => report.columnTime.view();
    const stepTime = () => report.steps.t?.view() ?? new Float64Array(0);
    const hasSteps = (report.steps.t?.length ?? 0) > 0;
    make("Energy", "J", [...channel("energy.kinetic", "kinetic"), ...channel("energy.potential", "potential"), ...channel("energy.dissipated", "dissipated"), ...channel("energy.work", "work")], columnTime, false);
    const balance = hasSteps ? step("energy_error", "balance at steps") : [];
    if (balance.length > 0) make("Energy balance", "J", balance, stepTime, false, "Kinetic + potential + dissipated − work − value at the start: zero for an exact run.");
    else make("Energy balance", "J", channel("energy.balance", "balance"), columnTime, false, "Kinetic + potential + dissipated − work − value at the start: zero for an exact run.");
    const drift = hasSteps ? [...step("drift_pos", "positions"), ...step("drift_vel", "velocities"), ...step("drift_acc", "accelerations")] : [];
    if (drift.length > 0) make("Drift of the joints", "SI", drift, stepTime, true);
    else make("Drift of the joints", "SI", [...channel("drift.position", "positions"), ...channel("drift.velocity", "velocities"), ...channel("drift.acceleration", "accelerations")], columnTime, true, "Between steps values are interpolated and may be larger than at the steps.");
    if (hasSteps) {
      make("Step size", "s", step("h", "step"), stepTime, true);
      const rejected = step("rejected", "rejected attempts");
      if (rejected.length > 0) make("Rejected attempts per step", "", rejected, stepTime, false);
    }
    return out;
  }

  private clock(): void {
    const column = (name: string) => this.report.columns.find((c) => c.name === name)?.ready ?? [];
    this.pictures.replaceChildren(...realTimePictures(this.report.summary, { steps: column("rt.step_time"), delays: column("rt.delay") }));
  }

  refresh(data = false): void {
    if (data && this.waiting && this.report.columns.some((c) => c.ready)) this.build();
    if (data) this.clock();
    for (const c of this.charts) c.refresh(data);
  }
}
