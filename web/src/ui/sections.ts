/** Forces and moments along a beam at the time of the cursor, with the largest ones. */
import { Sections, type Extreme, type Quantity } from "../data/sections";
import type { Report } from "../data/report";
import type { SectionSpec } from "../data/types";
import { num, plural } from "../format";
import type { Cursor } from "../time";
import { h } from "./dom";
import { XYPlot } from "./xyplot";

/** Beams in the table of all at most. */
const LISTED = 200;
/** Values below this part of the largest of their unit are rounding. */
const ROUNDING = 1e-9;

/** Quantities that are drawn together. */
const CHARTS: [string, string[]][] = [
  ["Normal force", ["fx"]],
  ["Shear force", ["fy", "fz"]],
  ["Torque", ["tx"]],
  ["Bending moment", ["ty", "tz"]],
];

export class SectionPanel {
  readonly element = h("div", { class: "sections" });
  private readonly data: Sections;
  private readonly cursor: Cursor;
  /** There is one time only: nothing to compare with. */
  private readonly single: boolean;
  private beam: SectionSpec;
  private plots: { plot: XYPlot; quantities: number[] }[] = [];
  private cells: HTMLElement[] = [];
  private readonly now = h("span", { class: "hint" });
  private readonly body = h("div", {});
  private readonly stop: () => void;

  constructor(report: Report, data: Sections, cursor: Cursor) {
    this.data = data;
    this.cursor = cursor;
    this.beam = data.beams[0] as SectionSpec;
    this.single = data.t.length < 2;
    const choose = h("select", { "aria-label": "Beam", id: "section-beam", onchange: (e: Event) => this.choose(Number((e.target as HTMLSelectElement).value)) }, ...data.beams.map((b, i) => h("option", { value: i }, b.name)));
    const thin = report.motion.frames > data.t.length ? ` They are known at ${plural(data.t.length, "sample")} of the run, with straight lines between them.` : "";
    this.element.append(
      h("div", { class: "bar" }, choose, this.now),
      this.body,
      this.all(choose),
      h("p", { class: "hint" }, `On the part of the beam before the section, in the axes of the section, as sensors of type section measure it. Weight and inertia act at the nodes, so that forces go in steps.${this.single ? "" : ` Shaded is what the run has been through.${thin}`}`),
    );
    this.build();
    this.stop = cursor.listen(() => this.update());
  }

  private choose(i: number): void {
    this.beam = this.data.beams[i] ?? this.beam;
    this.build();
  }

  /** Plots and table of a beam. */
  private build(): void {
    for (const { plot } of this.plots) plot.destroy();
    const { data, beam } = this;
    const x = data.stations(beam);
    const scale = new Map<string, number>();
    const envelopes = data.quantities.map((_q, k) => data.envelope(beam, k));
    const size = (k: number) => Math.max(0, ...(envelopes[k] as [Float64Array, Float64Array]).flatMap((list) => Array.from(list, Math.abs)).filter(Number.isFinite));
    data.quantities.forEach((q, k) => scale.set(q.unit, Math.max(scale.get(q.unit) ?? 0, size(k))));
    this.plots = CHARTS.flatMap(([title, keys]) => {
      const quantities = data.quantities.map((q, k) => [q, k] as [Quantity, number]).filter(([q]) => keys.includes(q.key));
      if (quantities.length === 0) return [];
      const of = quantities.map(([, k]) => k);
      const unit = (quantities[0] as [Quantity, number])[0].unit;
      const least = ROUNDING * (scale.get(unit) ?? 0);
      const both = of.map((k) => envelopes[k] as [Float64Array, Float64Array]);
      const low = Math.min(...both.flatMap(([a]) => Array.from(a)), 0);
      const high = Math.max(...both.flatMap(([, b]) => Array.from(b)), 0);
      const nothing = !(Math.max(-low, high) > least);
      const plot = new XYPlot({
        title,
        unit,
        xLabel: "distance along the beam [m]",
        x,
        curves: quantities.map(([q]) => ({ label: q.key, y: [] })),
        ...(of.length === 1 && !this.single ? { band: both[0] as [Float64Array, Float64Array] } : {}),
        range: nothing ? [-1, 1] : [low, high],
        height: 150,
      });
      return [{ plot, quantities: of }];
    });
    const cells: HTMLElement[] = [];
    const cell = () => {
      const td = h("td", { class: "number" });
      cells.push(td);
      return td;
    };
    const rows = data.quantities.map((q, k) => {
      const most = data.extreme(beam, k);
      const go = () => most && this.cursor.set(most.t);
      return h("tr", { title: this.single ? "" : "Go to the time of the largest value of the run", tabindex: 0, onclick: go, onkeydown: (e: KeyboardEvent) => e.key === "Enter" && go() }, h("td", {}, q.label), cell(), cell(), ...(this.single ? [] : [h("td", { class: "number" }, most ? `${num(most.value, 5)} ${q.unit}` : "–"), h("td", { class: "number" }, most ? `${num(most.s, 4)} m, ${num(most.t, 5)} s` : "")]));
    });
    this.cells = cells;
    this.body.replaceChildren(
      ...this.plots.map((p) => p.plot.element),
      h("h2", {}, `Largest values in ${beam.name}`),
      h("table", { class: "maxima" }, h("thead", {}, h("tr", {}, ...(this.single ? ["", "largest", "at"] : ["", "now", "at", "in the run", "at"]).map((x) => h("th", { scope: "col" }, x)))), h("tbody", {}, ...rows)),
    );
    this.update();
  }

  private update(): void {
    const { data, beam, cursor } = this;
    if (!this.element.isConnected || this.element.closest("[hidden]")) {
      this.late = true;
      return;
    }
    this.late = false;
    const x = data.stations(beam);
    const values = data.quantities.map((_q, k) => data.at(cursor.t, beam, k));
    for (const { plot, quantities } of this.plots) plot.update(quantities.map((k) => values[k] as Float64Array));
    data.quantities.forEach((q, k) => {
      const most = Sections.largest(x, values[k] as Float64Array, cursor.t);
      (this.cells[2 * k] as HTMLElement).textContent = most ? `${num(most.value, 5)} ${q.unit}` : "–";
      (this.cells[2 * k + 1] as HTMLElement).textContent = most ? `${num(most.s, 4)} m` : "";
    });
    this.now.textContent = this.single ? "" : `at t = ${num(cursor.t, 5)} s`;
  }

  /** Something changed while the panel was out of sight. */
  private late = false;
  shown(): void {
    if (this.late) this.update();
  }

  /** The largest values of all beams of a frame, each of which can be chosen. */
  private all(choose: HTMLSelectElement): HTMLElement | "" {
    const { data } = this;
    if (data.beams.length < 2) return "";
    const body = h("tbody", {});
    const details = h("details", {}, h("summary", {}, h("span", { class: "group-title" }, this.single ? "All beams, largest values" : "All beams, largest values of the run"), h("span", { class: "count" }, plural(data.beams.length, "beam"))), h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "beam"), ...data.quantities.map((q) => h("th", { scope: "col" }, `${q.key} [${q.unit}]`)))), body));
    details.addEventListener("toggle", () => {
      if (!details.open || body.childElementCount > 0) return;
      body.append(
        ...data.beams.slice(0, LISTED).map((b, i) => {
          const go = () => {
            choose.value = String(i);
            this.choose(i);
          };
          const of = data.quantities.map((_q, k) => data.extreme(b, k));
          return h("tr", { tabindex: 0, onclick: go, onkeydown: (e: KeyboardEvent) => e.key === "Enter" && go() }, h("td", {}, b.name), ...of.map((e: Extreme | null) => h("td", { class: "number" }, e ? num(e.value, 4) : "–")));
        }),
      );
      if (data.beams.length > LISTED) details.append(h("p", { class: "hint" }, `The first ${LISTED} are listed.`));
    });
    return details;
  }

  refresh(): void {
    for (const { plot } of this.plots) plot.refresh();
    this.update();
  }

  destroy(): void {
    this.stop();
    for (const { plot } of this.plots) plot.destroy();
  }
}
