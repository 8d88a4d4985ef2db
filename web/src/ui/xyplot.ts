/** A plot over something other than time: along a beam, over the speed of a rotor. All curves share the values of x. */
import uPlot from "uplot";
import { linearTicks, logTicks } from "../data/ticks";
import { num } from "../format";
import { PALETTE_DARK, PALETTE_LIGHT } from "./chart";
import { download, h } from "./dom";
import { css, isDark } from "./theme";

export interface XYCurve {
  label: string;
  /** Not a number where the curve has no value. */
  y: ArrayLike<number>;
  /** Place in the palette; its place in the list when left out. */
  color?: number;
  dash?: number[];
  dots?: boolean;
  width?: number;
  /** Curves of the same name have one entry in the legend, which switches them all. */
  group?: string;
}

/** A vertical line with a name. */
export interface Mark {
  x: number;
  label: string;
  color?: number;
}

export interface XYOptions {
  title: string;
  unit: string;
  xLabel: string;
  x: ArrayLike<number>;
  curves: XYCurve[];
  /** Shaded between two lists over x. */
  band?: [ArrayLike<number>, ArrayLike<number>];
  marks?: Mark[];
  log?: boolean;
  height?: number;
  /** Keeps the axis while the curves change. */
  range?: [number, number];
  note?: string;
}

/** Whether a curve is a single point, which no line shows. */
const alone = (y: ArrayLike<number>): boolean => Array.from(y).filter(Number.isFinite).length === 1;

const live = new Set<XYPlot>();
export const livePlots = (): ReadonlySet<XYPlot> => live;

export class XYPlot {
  readonly element: HTMLElement;
  readonly options: XYOptions;
  private plot: uPlot | null = null;
  private readonly hidden = new Set<string>();
  private readonly box = h("div", { class: "chart-box" });
  private readonly buttons = new Map<string, { button: HTMLButtonElement; value: HTMLElement; first: number }>();
  private readonly resizing: ResizeObserver;

  constructor(options: XYOptions) {
    this.options = options;
    this.box.style.height = `${this.height}px`;
    const legend = h("div", { class: "legend", role: "group", "aria-label": `Curves of ${options.title}` });
    options.curves.forEach((c, i) => {
      const group = c.group ?? c.label;
      if (this.buttons.has(group)) return;
      const value = h("span", { class: "value" });
      const swatch = h("span", { class: "swatch" });
      const button = h("button", { type: "button", "aria-pressed": "true", title: `Show or hide ${group}`, onclick: () => this.toggle(group) }, swatch, h("span", { class: "label" }, group), value);
      this.buttons.set(group, { button, value, first: i });
      legend.append(button);
    });
    const log = h("button", { type: "button", class: "small", "aria-pressed": String(!!options.log), title: "Logarithmic axis (magnitudes)" }, "log");
    log.addEventListener("click", () => {
      options.log = !options.log;
      log.setAttribute("aria-pressed", String(options.log));
      this.draw();
    });
    const tools = h(
      "div",
      { class: "chart-tools" },
      log,
      h("button", { type: "button", class: "small", title: "Show all", onclick: () => this.all() }, "all"),
      h("button", { type: "button", class: "small", title: "Save this plot as PNG", onclick: () => this.savePng() }, "PNG"),
      h("button", { type: "button", class: "small", title: "Save the curves as CSV", onclick: () => download(`${this.name}.csv`, this.csv()) }, "CSV"),
    );
    this.element = h(
      "figure",
      { class: "chart", "aria-label": `Plot of ${options.title}` },
      h("figcaption", {}, h("span", { class: "chart-title" }, options.title), options.unit ? h("span", { class: "chart-unit" }, `[${options.unit}]`) : null, tools),
      this.box,
      h("div", { class: "x-label" }, options.xLabel),
      options.curves.length > 1 ? legend : null,
      options.note ? h("p", { class: "chart-note" }, options.note) : null,
    );
    this.paint();
    this.resizing = new ResizeObserver(() => {
      const w = this.box.clientWidth;
      if (w < 60) return;
      if (!this.plot) this.draw();
      else if (Math.abs(w - this.plot.width) > 1) this.plot.setSize({ width: w, height: this.height });
    });
    this.resizing.observe(this.box);
  }

  private get height(): number {
    return this.options.height ?? 170;
  }
  private get name(): string {
    return this.options.title.replace(/[^A-Za-z0-9_.-]+/g, "_");
  }
  private color(i: number): string {
    const p = isDark() ? PALETTE_DARK : PALETTE_LIGHT;
    return p[i % p.length] as string;
  }
  private colorOf(i: number): string {
    return this.color(this.options.curves[i]?.color ?? i);
  }
  private shown(i: number): boolean {
    const c = this.options.curves[i] as XYCurve;
    return !this.hidden.has(c.group ?? c.label);
  }
  private paint(): void {
    for (const { button, first } of this.buttons.values()) (button.querySelector(".swatch") as HTMLElement).style.background = this.colorOf(first);
  }

  private table(): uPlot.AlignedData {
    const n = this.options.x.length;
    const row = (y: ArrayLike<number>) =>
      Array.from({ length: n }, (_, i) => {
        const v = this.options.log ? Math.abs(y[i] ?? NaN) : (y[i] ?? NaN);
        return Number.isFinite(v) && !(this.options.log && v <= 0) ? v : null;
      });
    return [Array.from(this.options.x), ...this.options.curves.map((c) => row(c.y))] as uPlot.AlignedData;
  }

  private draw(): void {
    const width = this.box.clientWidth;
    if (width < 60) return;
    this.plot?.destroy();
    this.box.replaceChildren();
    live.add(this);
    const data = this.table();
    if (data[0].length === 0) {
      this.box.append(h("p", { class: "empty" }, "No data."));
      return;
    }
    const { log } = this.options;
    const axis: uPlot.Axis = {
      stroke: css("--muted"),
      grid: { stroke: css("--line"), width: 1 },
      ticks: { stroke: css("--line"), width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
      values: (_u, splits) => splits.map((v) => (v === null ? "" : num(v, 6))),
    };
    const opts: uPlot.Options = {
      width: Math.max(120, width),
      height: this.height,
      padding: [this.options.marks?.length ? 18 : 8, 22, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: true, y: false, dist: 5 }, points: { size: 6 }, y: false },
      scales: { x: { time: false }, y: { distr: log ? 3 : 1, range: (_u, lo, hi) => this.range(lo, hi) } },
      axes: [
        { ...axis, size: 26, splits: (u, _i, lo, hi) => linearTicks(lo, hi, u.over.clientWidth / 70 || 6) },
        {
          ...axis,
          size: (_u, values) => 18 + 6.2 * Math.max(3, ...(values ?? []).map((v) => (v ?? "").length)),
          splits: (_u, _i, lo, hi) => (this.options.log ? logTicks(lo, hi, 5) : linearTicks(lo, hi, 4)),
        },
      ],
      series: [
        {},
        ...this.options.curves.map((c, i) => ({
          label: c.label,
          stroke: this.colorOf(i),
          width: c.dots || alone(c.y) ? 0 : (c.width ?? 1.5),
          ...(c.dash ? { dash: c.dash } : {}),
          pxAlign: 0,
          show: this.shown(i),
          spanGaps: false,
          ...(c.dots || alone(c.y) ? { paths: () => null, points: { show: true, size: 5, fill: this.colorOf(i), width: 0 } } : { points: { show: data[0].length < 3 } }),
        })),
      ],
      hooks: {
        drawClear: [(u) => this.drawBand(u)],
        draw: [(u) => this.drawMarks(u)],
        setCursor: [(u) => this.values(u.cursor.idx ?? null)],
      },
    };
    this.plot = new uPlot(opts, data, this.box);
  }

  /** A constant curve gets a readable axis too. */
  private range(lo: number | null, hi: number | null): [number, number] {
    const given = this.options.log ? undefined : this.options.range;
    const [a, b] = given ?? [lo, hi];
    if (a === null || b === null || a === undefined || b === undefined || !Number.isFinite(a) || !Number.isFinite(b)) return this.options.log ? [1e-3, 1] : [-1, 1];
    if (this.options.log) return [10 ** Math.floor(Math.log10(a)), Math.max(10 ** Math.ceil(Math.log10(b)), 10 ** (Math.floor(Math.log10(a)) + 1))];
    if (b - a <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))) {
      const d = 0.1 * Math.max(Math.abs(a), Math.abs(b)) || 1;
      return [a - d, b + d];
    }
    const pad = 0.06 * (b - a);
    return [a >= 0 && a < 0.4 * b ? 0 : a - pad, b <= 0 && b > 0.4 * a ? 0 : b + pad];
  }

  private drawBand(u: uPlot): void {
    const { band, x } = this.options;
    if (!band || this.options.log) return;
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = this.color(0);
    ctx.globalAlpha = 0.13;
    ctx.beginPath();
    const point = (i: number, list: ArrayLike<number>) => ctx.lineTo(u.valToPos(x[i] as number, "x", true), u.valToPos(list[i] as number, "y", true));
    for (let i = 0; i < x.length; i++) point(i, band[1]);
    for (let i = x.length - 1; i >= 0; i--) point(i, band[0]);
    ctx.fill();
    ctx.globalAlpha = 0.8;
    ctx.strokeStyle = css("--muted");
    ctx.setLineDash([2, 3]);
    const zero = u.valToPos(0, "y", true);
    if (zero > bbox.top && zero < bbox.top + bbox.height) {
      ctx.beginPath();
      ctx.moveTo(bbox.left, zero);
      ctx.lineTo(bbox.left + bbox.width, zero);
      ctx.stroke();
    }
    ctx.restore();
  }

  private drawMarks(u: uPlot): void {
    const { ctx, bbox } = u;
    const { min, max } = u.scales.x as { min: number; max: number };
    ctx.save();
    ctx.font = `${11 * (window.devicePixelRatio || 1)}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    let free = -Infinity;
    for (const m of [...(this.options.marks ?? [])].sort((a, b) => a.x - b.x)) {
      if (!(m.x >= min && m.x <= max)) continue;
      const x = u.valToPos(m.x, "x", true);
      ctx.strokeStyle = ctx.fillStyle = m.color === undefined ? css("--mark") : this.color(m.color);
      ctx.setLineDash([4, 4]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const wide = ctx.measureText(m.label).width;
      // names that would overlap are left out: the table has them all
      if (x - wide / 2 < free) continue;
      free = x + wide / 2 + 4;
      ctx.fillText(m.label, x, bbox.top - 4);
    }
    ctx.restore();
  }

  private values(i: number | null): void {
    for (const [group, { value }] of this.buttons) {
      const list = this.options.curves.filter((c) => (c.group ?? c.label) === group);
      const y = i === null || list.length !== 1 ? undefined : list[0]?.y[i];
      value.textContent = y === undefined || !Number.isFinite(y) ? "" : num(y, 5);
    }
  }

  private toggle(group: string): void {
    if (this.hidden.has(group)) this.hidden.delete(group);
    else this.hidden.add(group);
    this.buttons.get(group)?.button.setAttribute("aria-pressed", String(!this.hidden.has(group)));
    this.options.curves.forEach((_c, i) => this.plot?.setSeries(i + 1, { show: this.shown(i) }));
  }

  private all(): void {
    const { x } = this.options;
    if (x.length > 0) this.plot?.setScale("x", { min: Math.min(...Array.from(x)), max: Math.max(...Array.from(x)) });
  }

  /** New values of the curves, in their order. */
  update(values: ArrayLike<number>[]): void {
    values.forEach((y, i) => {
      const c = this.options.curves[i];
      if (c) c.y = y;
    });
    this.plot?.setData(this.table(), false);
    this.plot?.redraw(false, true);
  }

  /** New colours. */
  refresh(): void {
    this.paint();
    this.draw();
  }

  destroy(): void {
    this.resizing.disconnect();
    this.plot?.destroy();
    this.plot = null;
    live.delete(this);
  }

  csv(): string {
    const quote = (s: string) => (/[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
    const curves = this.options.curves.filter((_c, i) => this.shown(i));
    const lines = [[quote(this.options.xLabel), ...curves.map((c) => quote(c.label))].join(",")];
    for (let i = 0; i < this.options.x.length; i++) lines.push([this.options.x[i], ...curves.map((c) => (Number.isFinite(c.y[i] ?? NaN) ? c.y[i] : ""))].join(","));
    return lines.join("\n") + "\n";
  }

  private savePng(): void {
    const source = this.plot?.ctx.canvas;
    if (!source) return;
    const scale = window.devicePixelRatio || 1;
    const top = 24 * scale;
    const canvas = h("canvas", { width: source.width, height: source.height + top });
    const ctx = canvas.getContext("2d");
    if (!ctx) return;
    ctx.fillStyle = css("--panel");
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.font = `600 ${12 * scale}px system-ui, sans-serif`;
    ctx.fillStyle = css("--ink");
    ctx.fillText(`${this.options.title}${this.options.unit ? ` [${this.options.unit}]` : ""} over ${this.options.xLabel}`, 10 * scale, 16 * scale);
    ctx.drawImage(source, 0, top);
    canvas.toBlob((blob) => blob && download(`${this.name}.png`, blob), "image/png");
  }
}
