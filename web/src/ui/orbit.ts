/** The path of a journal in its bearing, with the circle at which it touches, and where it is now. */
import { indexAt } from "../data/motion";
import { squareWindow, type Window2 } from "../data/square";
import { linearTicks } from "../data/ticks";
import { num } from "../format";
import type { Cursor } from "../time";
import { download, h } from "./dom";
import { css } from "./theme";

export interface OrbitOptions {
  title: string;
  unit: string;
  x: () => Promise<Float64Array>;
  y: () => Promise<Float64Array>;
  /** Radius of the circle at which the journal touches; 0 for none. */
  clearance: number;
  time: () => Float64Array;
  cursor: Cursor;
}

const HEIGHT = 260;
const MARGIN = { left: 62, right: 12, top: 8, bottom: 26 };

const live = new Set<Orbit>();
export const liveOrbits = (): ReadonlySet<Orbit> => live;

export class Orbit {
  readonly element: HTMLElement;
  readonly options: OrbitOptions;
  private readonly canvas = h("canvas", {});
  private readonly dot = h("div", { class: "orbit-now" });
  private readonly value = h("span", { class: "value" });
  private x: Float64Array = new Float64Array(0);
  private y: Float64Array = new Float64Array(0);
  private shown: Window2 | null = null;
  private readonly stop: () => void;
  private readonly resizing: ResizeObserver;

  constructor(options: OrbitOptions) {
    this.options = options;
    const box = h("div", { class: "chart-box" }, this.canvas, this.dot);
    box.style.height = `${HEIGHT}px`;
    const tools = h("div", { class: "chart-tools" }, h("button", { type: "button", class: "small", title: "Save this plot as PNG", onclick: () => this.save() }, "PNG"));
    const note = options.clearance > 0 ? `The circle is the clearance, ${num(options.clearance, 4)} ${options.unit}: outside of it the contact is compressed.` : "The joint has no clearance.";
    this.element = h(
      "figure",
      { class: "chart orbit", "aria-label": `Orbit of ${options.title}` },
      h("figcaption", {}, h("span", { class: "chart-title" }, `${options.title}: orbit`), h("span", { class: "chart-unit" }, `[${options.unit}]`), this.value, tools),
      box,
      h("p", { class: "chart-note" }, note),
    );
    this.stop = options.cursor.listen(() => this.placeNow());
    this.resizing = new ResizeObserver(() => this.draw());
    this.resizing.observe(box);
    live.add(this);
    this.refresh(true);
  }

  /** New colours, or new data. */
  refresh(data = false): void {
    if (!data) {
      this.draw();
      return;
    }
    void Promise.all([this.options.x(), this.options.y()]).then(([x, y]) => {
      this.x = x;
      this.y = y;
      this.draw();
    });
  }

  /** Where a point of the plane is in the box, in pixels. */
  pixel(x: number, y: number): [number, number] | null {
    const w = this.shown;
    const width = this.canvas.clientWidth - MARGIN.left - MARGIN.right;
    const height = HEIGHT - MARGIN.top - MARGIN.bottom;
    if (!w || width <= 0) return null;
    return [MARGIN.left + (width * (x - w.x[0])) / (w.x[1] - w.x[0]), MARGIN.top + (height * (w.y[1] - y)) / (w.y[1] - w.y[0])];
  }

  /** Place of the journal at the cursor. */
  now(): [number, number] | null {
    const time = this.options.time();
    const i = indexAt(time, time.length, this.options.cursor.t);
    const [x, y] = [this.x[i], this.y[i]];
    return x === undefined || y === undefined || !Number.isFinite(x) || !Number.isFinite(y) ? null : [x, y];
  }

  private draw(): void {
    const width = (this.canvas.parentElement as HTMLElement).clientWidth;
    if (width < 120) return;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(HEIGHT * scale);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${HEIGHT}px`;
    const ctx = this.canvas.getContext("2d");
    if (!ctx) return;
    ctx.scale(scale, scale);
    const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
    this.shown = squareWindow(this.x, this.y, this.options.clearance, inner.width, inner.height);
    this.grid(ctx, width);
    ctx.save();
    ctx.beginPath();
    ctx.rect(MARGIN.left, MARGIN.top, inner.width, inner.height);
    ctx.clip();
    const { clearance } = this.options;
    if (clearance > 0) {
      const centre = this.pixel(0, 0) as [number, number];
      const edge = this.pixel(clearance, 0) as [number, number];
      ctx.strokeStyle = css("--muted");
      ctx.setLineDash([5, 4]);
      ctx.beginPath();
      ctx.arc(centre[0], centre[1], edge[0] - centre[0], 0, 2 * Math.PI);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    ctx.strokeStyle = css("--accent");
    ctx.lineWidth = 1.2;
    ctx.lineJoin = "round";
    ctx.beginPath();
    let on = false;
    for (let i = 0; i < Math.min(this.x.length, this.y.length); i++) {
      const p = this.pixel(this.x[i] as number, this.y[i] as number);
      if (!p || !Number.isFinite(p[0]) || !Number.isFinite(p[1])) {
        on = false;
        continue;
      }
      if (on) ctx.lineTo(p[0], p[1]);
      else ctx.moveTo(p[0], p[1]);
      on = true;
    }
    ctx.stroke();
    ctx.restore();
    this.placeNow();
  }

  private grid(ctx: CanvasRenderingContext2D, width: number): void {
    const w = this.shown as Window2;
    ctx.clearRect(0, 0, width, HEIGHT);
    ctx.lineWidth = 1;
    ctx.strokeStyle = css("--line");
    ctx.fillStyle = css("--muted");
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "center";
    const [bottom, right] = [HEIGHT - MARGIN.bottom, width - MARGIN.right];
    const line = (x0: number, y0: number, x1: number, y1: number) => {
      ctx.beginPath();
      ctx.moveTo(x0, y0);
      ctx.lineTo(x1, y1);
      ctx.stroke();
    };
    for (const v of linearTicks(w.x[0], w.x[1], (right - MARGIN.left) / 90)) {
      const x = (this.pixel(v, 0) as [number, number])[0];
      line(x, MARGIN.top, x, bottom);
      ctx.fillText(num(v, 6), x, bottom + 15);
    }
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const v of linearTicks(w.y[0], w.y[1], 5)) {
      const y = (this.pixel(0, v) as [number, number])[1];
      line(MARGIN.left, y, right, y);
      ctx.fillText(num(v, 6), MARGIN.left - 6, y);
    }
    ctx.textBaseline = "alphabetic";
  }

  private placeNow(): void {
    const now = this.now();
    const p = now ? this.pixel(...now) : null;
    this.dot.style.display = p ? "" : "none";
    if (!now || !p) return;
    this.dot.style.transform = `translate(${p[0].toFixed(1)}px, ${p[1].toFixed(1)}px)`;
    this.value.textContent = `x ${num(now[0], 4)}, y ${num(now[1], 4)}`;
  }

  private save(): void {
    this.canvas.toBlob((blob) => blob && download(`${this.options.title.replace(/[^A-Za-z0-9_.-]+/g, "_")}_orbit.png`, blob), "image/png");
  }

  destroy(): void {
    this.stop();
    this.resizing.disconnect();
    live.delete(this);
  }
}
