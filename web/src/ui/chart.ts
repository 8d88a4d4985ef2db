/** One plot over time: made when it comes into view, dropped when it is far away. */
import uPlot from "uplot";
import { indexAt } from "../data/motion";
import { linearTicks, logTicks } from "../data/ticks";
import type { RunEvent } from "../data/types";
import { num } from "../format";
import type { Cursor } from "../time";
import { download, h } from "./dom";
import { css, isDark } from "./theme";

export const PALETTE_LIGHT = ["#2f6fb7", "#d9772b", "#2f8f66", "#b8434a", "#7a5fbd", "#1f8a99", "#a67b1f", "#a8508c"];
export const PALETTE_DARK = ["#6ea8e8", "#f0a060", "#63c79a", "#e87f7f", "#ad97ea", "#5cc3d1", "#d9b45c", "#dd8fc4"];

export interface Curve {
  label: string;
  unit: string;
  /** Longer words for the tooltip. */
  hint?: string;
  load: () => Promise<Float64Array>;
  /** Points instead of a line. */
  dots?: boolean;
  /** Half-width of the error band around the curve. */
  band?: () => Promise<Float64Array>;
}

/** The part of the time axis that all plots show. */
export class Zoom {
  range: [number, number] | null = null;
  private readonly charts = new Set<Chart>();
  add(c: Chart): void {
    this.charts.add(c);
  }
  remove(c: Chart): void {
    this.charts.delete(c);
  }
  set(range: [number, number] | null): void {
    this.range = range;
    for (const c of this.charts) c.applyZoom();
  }
}

const live = new Set<Chart>();
export const liveCharts = (): ReadonlySet<Chart> => live;

export interface ChartOptions {
  title: string;
  unit: string;
  curves: Curve[];
  time: () => Float64Array;
  cursor: Cursor;
  zoom: Zoom;
  events: RunEvent[];
  log?: boolean;
  height?: number;
  note?: string;
}

export class Chart {
  readonly element: HTMLElement;
  readonly options: ChartOptions;
  log: boolean;
  readonly hidden = new Set<number>();
  private plot: uPlot | null = null;
  private data: Float64Array[] | null = null;
  private bands: (Float64Array | null)[] = [];
  private loading = false;
  private near = false;
  private readonly box: HTMLElement;
  private readonly values: HTMLElement[] = [];
  private readonly buttons: HTMLButtonElement[] = [];
  private now: HTMLElement | null = null;
  private stop: (() => void) | null = null;
  private resizing: ResizeObserver | null = null;

  constructor(options: ChartOptions, seen: IntersectionObserver) {
    this.options = options;
    this.log = options.log ?? false;
    const height = options.height ?? 170;
    this.box = h("div", { class: "chart-box" });
    this.box.style.height = `${height}px`;
    const legend = h("div", { class: "legend", role: "group", "aria-label": `Curves of ${options.title}` });
    options.curves.forEach((c, i) => {
      const value = h("span", { class: "value" });
      const swatch = h("span", { class: "swatch" });
      swatch.style.background = this.color(i);
      const button = h("button", { type: "button", "aria-pressed": "true", title: c.hint && c.hint !== c.label ? `${c.hint}. Click shows or hides it.` : `Show or hide ${c.label}`, onclick: () => this.toggle(i) }, swatch, h("span", { class: "label" }, c.label), value);
      this.values.push(value);
      this.buttons.push(button);
      legend.append(button);
    });
    const log = h("button", { type: "button", class: "small", "aria-pressed": String(this.log), title: "Logarithmic axis (magnitudes)", onclick: () => this.setLog(!this.log) }, "log");
    const tools = h(
      "div",
      { class: "chart-tools" },
      log,
      h("button", { type: "button", class: "small", title: "Show all times", onclick: () => this.options.zoom.set(null) }, "all"),
      h("button", { type: "button", class: "small", title: "Save this plot as PNG", onclick: () => void this.savePng() }, "PNG"),
      h("button", { type: "button", class: "small", title: "Save the visible curves as CSV", onclick: () => void this.saveCsv() }, "CSV"),
    );
    this.element = h(
      "figure",
      { class: "chart", "aria-label": `Plot of ${options.title}` },
      h("figcaption", {}, h("span", { class: "chart-title" }, options.title), options.unit ? h("span", { class: "chart-unit" }, `[${options.unit}]`) : null, tools),
      this.box,
      legend,
      options.note ? h("p", { class: "chart-note" }, options.note) : null,
    );
    observed.set(this.element, this);
    seen.observe(this.element);
  }

  private color(i: number): string {
    const p = isDark() ? PALETTE_DARK : PALETTE_LIGHT;
    return p[i % p.length] as string;
  }

  get visible(): boolean {
    return this.plot !== null;
  }

  /** Told by the observer. */
  seen(near: boolean): void {
    this.near = near;
    if (near) void this.create();
    else this.destroy();
  }

  private async create(): Promise<void> {
    if (this.plot || this.loading) return;
    this.loading = true;
    this.data = await Promise.all(this.options.curves.map((c) => c.load()));
    this.bands = await Promise.all(this.options.curves.map((c) => c.band?.() ?? null));
    this.loading = false;
    if (this.near) this.draw();
  }

  /** Times and values as uPlot wants them; holes are null. */
  private table(): uPlot.AlignedData {
    const time = this.options.time();
    const n = Math.min(time.length, Math.max(0, ...(this.data ?? []).map((d) => d.length)));
    const rows = (this.data ?? []).map((d) => {
      const out = new Array<number | null>(n);
      for (let i = 0; i < n; i++) {
        const v = this.log ? Math.abs(d[i] ?? NaN) : (d[i] ?? NaN);
        out[i] = Number.isFinite(v) && !(this.log && v <= 0) ? v : null;
      }
      return out;
    });
    return [Array.from(time.subarray(0, n)), ...rows] as uPlot.AlignedData;
  }

  private draw(): void {
    this.plot?.destroy();
    this.box.replaceChildren();
    const data = this.table();
    if (data[0].length === 0) {
      this.box.append(h("p", { class: "empty" }, "No data."));
      return;
    }
    const ink = css("--muted");
    const line = css("--line");
    const axis: uPlot.Axis = {
      stroke: ink,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
      values: (_u, splits) => splits.map((v) => (v === null ? "" : num(v, 6))),
    };
    const range = this.options.zoom.range;
    const opts: uPlot.Options = {
      width: Math.max(120, this.box.clientWidth),
      height: this.options.height ?? 170,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: {
        drag: { x: true, y: false, dist: 5, setScale: false },
        bind: { dblclick: () => () => (this.options.zoom.set(null), null) },
        points: { size: 6 },
        y: false,
        focus: { prox: -1 },
      },
      scales: {
        x: { time: false },
        y: {
          distr: this.log ? 3 : 1,
          // A curve that is constant, or empty, still gets a readable axis.
          range: (_u, lo, hi) => {
            if (lo === null || hi === null || lo === undefined || hi === undefined) return this.log ? [1e-3, 1] : [0, 1];
            if (this.log) return [10 ** Math.floor(Math.log10(lo)), Math.max(10 ** Math.ceil(Math.log10(hi)), 10 ** (Math.floor(Math.log10(lo)) + 1))];
            if (hi - lo <= 1e-12 * Math.max(Math.abs(hi), Math.abs(lo))) {
              const d = Math.abs(hi) * 0.1 || 1;
              return [lo - d, hi + d];
            }
            // Zero is shown when it is near.
            const pad = 0.06 * (hi - lo);
            return [lo > 0 && lo < 0.4 * hi ? 0 : lo - pad, hi < 0 && hi > 0.4 * lo ? 0 : hi + pad];
          },
        },
      },
      axes: [
        { ...axis, size: 26, splits: (u, _i, lo, hi) => linearTicks(lo, hi, u.over.clientWidth / 70 || 6) },
        {
          ...axis,
          size: (_u, values) => 18 + 6.2 * Math.max(3, ...(values ?? []).map((v) => (v ?? "").length)),
          splits: (_u, _i, lo, hi) => (this.log ? logTicks(lo, hi, 5) : linearTicks(lo, hi, 4)),
        },
      ],
      series: [
        {},
        ...this.options.curves.map((c, i) => ({
          label: c.label,
          stroke: this.color(i),
          width: c.dots ? 0 : 1.5,
          // Points between pixels stay there: rounded ones make smooth curves wobble.
          pxAlign: 0,
          show: !this.hidden.has(i),
          spanGaps: false,
          ...(c.dots ? { paths: () => null, points: { show: true, size: 5, fill: this.color(i), width: 0 } } : { points: { show: data[0].length < 3 } }),
        })),
      ],
      hooks: {
        drawClear: [(u) => this.drawEvents(u), (u) => this.drawBands(u)],
        // Only the user's drag changes the shared range: plots must not answer each other.
        setSelect: [
          (u) => {
            const { left, width } = u.select;
            if (width < 5) return;
            this.options.zoom.set([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        setScale: [(_u, key) => key === "x" && this.placeNow()],
        setCursor: [(u) => this.showValues(u.cursor.idx ?? null)],
      },
    };
    this.plot = new uPlot(opts, data, this.box);
    this.now = h("div", { class: "now" });
    this.plot.over.append(this.now);
    const over = this.plot.over;
    let down = 0;
    over.addEventListener("pointerdown", (e) => (down = e.clientX));
    over.addEventListener("pointerup", (e) => {
      if (Math.abs(e.clientX - down) > 4 || !this.plot) return;
      this.options.cursor.set(this.plot.posToVal(e.clientX - over.getBoundingClientRect().left, "x"));
    });
    if (range) this.plot.setScale("x", { min: range[0], max: range[1] });
    this.options.zoom.add(this);
    this.stop ??= this.options.cursor.listen(() => this.placeNow());
    if (!this.resizing) {
      this.resizing = new ResizeObserver(() => {
        const w = this.box.clientWidth;
        if (this.plot && w > 50 && Math.abs(w - this.plot.width) > 1) this.plot.setSize({ width: w, height: this.options.height ?? 170 });
        this.placeNow();
      });
      this.resizing.observe(this.box);
    }
    live.add(this);
    this.placeNow();
  }

  private drawEvents(u: uPlot): void {
    const { ctx, bbox } = u;
    const { min, max } = u.scales.x as { min: number; max: number };
    const shown = this.options.events.filter((e) => e.t >= min && e.t <= max);
    if (shown.length === 0 || shown.length > 300) return;
    ctx.save();
    ctx.strokeStyle = css("--mark-soft");
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (const e of shown) {
      const x = Math.round(u.valToPos(e.t, "x", true)) + 0.5;
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** Shaded between curve − band and curve + band; nothing where no band is known. */
  private drawBands(u: uPlot): void {
    const { ctx, bbox } = u;
    const time = u.data[0];
    this.bands.forEach((band, k) => {
      const values = u.data[k + 1];
      if (!band || !values || this.hidden.has(k) || this.log) return;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      ctx.fillStyle = this.color(k);
      ctx.globalAlpha = 0.22;
      const edge = (i: number, side: number) => u.valToPos((values[i] as number) + side * (band[i] as number), "y", true);
      const known = (i: number) => values[i] !== null && values[i] !== undefined && Number.isFinite(band[i] ?? NaN);
      for (let from = 0; from < time.length; from++) {
        if (!known(from)) continue;
        let to = from;
        while (to + 1 < time.length && known(to + 1)) to++;
        ctx.beginPath();
        for (let i = from; i <= to; i++) ctx.lineTo(u.valToPos(time[i] as number, "x", true), edge(i, 1));
        for (let i = to; i >= from; i--) ctx.lineTo(u.valToPos(time[i] as number, "x", true), edge(i, -1));
        ctx.fill();
        from = to;
      }
      ctx.restore();
    });
  }

  private placeNow(): void {
    const u = this.plot;
    if (!u || !this.now) return;
    const x = u.valToPos(this.options.cursor.t, "x");
    const inside = x >= -0.5 && x <= u.over.clientWidth + 0.5;
    this.now.style.display = inside ? "" : "none";
    this.now.style.transform = `translateX(${x.toFixed(1)}px)`;
    if (u.cursor.idx === null || u.cursor.idx === undefined) this.showValues(null);
  }

  /** Values beside the names: under the pointer, else at the time cursor. */
  private showValues(index: number | null): void {
    const time = this.options.time();
    const i = index ?? indexAt(time, time.length, this.options.cursor.t);
    this.values.forEach((span, k) => {
      const v = this.data?.[k]?.[i];
      const b = this.bands[k]?.[i];
      span.textContent = v === undefined ? "" : b !== undefined && Number.isFinite(b) ? `${num(v, 5)} ± ${num(b, 2)}` : num(v, 5);
    });
  }

  applyZoom(): void {
    const u = this.plot;
    if (!u) return;
    const r = this.options.zoom.range;
    const t = u.data[0];
    u.setScale("x", r ? { min: r[0], max: r[1] } : { min: t[0] ?? 0, max: t[t.length - 1] ?? 1 });
  }

  toggle(i: number): void {
    if (this.hidden.has(i)) this.hidden.delete(i);
    else this.hidden.add(i);
    this.buttons[i]?.setAttribute("aria-pressed", String(!this.hidden.has(i)));
    this.plot?.setSeries(i + 1, { show: !this.hidden.has(i) });
  }

  setLog(on: boolean): void {
    this.log = on;
    this.element.querySelector(".chart-tools button")?.setAttribute("aria-pressed", String(on));
    if (this.plot) this.draw();
  }

  /** New colours or new data. */
  refresh(data = false): void {
    this.buttons.forEach((b, i) => ((b.querySelector(".swatch") as HTMLElement).style.background = this.color(i)));
    if (!this.plot && !(data && this.near)) return;
    if (data) {
      void Promise.all(this.options.curves.map((c) => c.load())).then((d) => {
        this.data = d;
        if (!this.near) return;
        if (!this.plot) this.draw();
        else this.plot.setData(this.table(), this.options.zoom.range === null);
        this.placeNow();
      });
    } else this.draw();
  }

  destroy(): void {
    this.plot?.destroy();
    this.plot = null;
    this.now = null;
    this.stop?.();
    this.stop = null;
    this.resizing?.disconnect();
    this.resizing = null;
    this.options.zoom.remove(this);
    live.delete(this);
    this.box.replaceChildren();
  }

  private fileName(ext: string): string {
    return `${this.options.title.replace(/[^A-Za-z0-9_.-]+/g, "_")}.${ext}`;
  }

  private async saveCsv(): Promise<void> {
    download(this.fileName("csv"), await this.csv());
  }

  /** Visible curves inside the zoom, full digits. */
  async csv(): Promise<string> {
    const data = await Promise.all(this.options.curves.map((c) => c.load()));
    const shown = this.options.curves.map((_, i) => i).filter((i) => !this.hidden.has(i));
    const quote = (s: string) => (/[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
    const lines = [["t", ...shown.map((i) => quote((this.options.curves[i] as Curve).label))].join(",")];
    const time = this.options.time();
    const r = this.options.zoom.range;
    for (let k = 0; k < time.length; k++) {
      const t = time[k] as number;
      if (r && (t < r[0] || t > r[1])) continue;
      lines.push([t, ...shown.map((i) => data[i]?.[k] ?? "")].join(","));
    }
    return lines.join("\n") + "\n";
  }

  private async savePng(): Promise<void> {
    const source = this.plot?.ctx.canvas;
    if (!source) return;
    const scale = window.devicePixelRatio || 1;
    const top = 24 * scale;
    const bottom = 22 * scale;
    const canvas = h("canvas", { width: source.width, height: source.height + top + bottom });
    const ctx = canvas.getContext("2d");
    if (!ctx) return;
    ctx.fillStyle = css("--panel");
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.font = `600 ${12 * scale}px system-ui, sans-serif`;
    ctx.fillStyle = css("--ink");
    ctx.fillText(`${this.options.title}${this.options.unit ? ` [${this.options.unit}]` : ""}`, 10 * scale, 16 * scale);
    ctx.drawImage(source, 0, top);
    let x = 10 * scale;
    ctx.font = `${11 * scale}px system-ui, sans-serif`;
    this.options.curves.forEach((c, i) => {
      if (this.hidden.has(i)) return;
      ctx.fillStyle = this.color(i);
      ctx.fillRect(x, canvas.height - 13 * scale, 12 * scale, 3 * scale);
      ctx.fillStyle = css("--ink");
      ctx.fillText(c.label, x + 16 * scale, canvas.height - 8 * scale);
      x += 30 * scale + ctx.measureText(c.label).width;
    });
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) download(this.fileName("png"), blob);
  }
}

const observed = new WeakMap<Element, Chart>();

/** Makes plots a screen before they are seen. */
export function chartObserver(root: HTMLElement): IntersectionObserver {
  return new IntersectionObserver(
    (entries) => {
      for (const e of entries) observed.get(e.target)?.seen(e.isIntersecting);
    },
    { root, rootMargin: "250px 0px" },
  );
}
