/** Pictures of what the clock did: how long steps took, how late they began, which were late and when. */
import { type Bar, readRealTime, sampledBars } from "../data/realtime";
import { count, num } from "../format";
import { h } from "./dom";

const NS = "http://www.w3.org/2000/svg";
const WIDE = 600;
const HIGH = 120;
const FOOT = 16;

function node(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(attributes)) element.setAttribute(k, String(v));
  element.textContent = text;
  return element;
}

interface Column {
  height: number;
  title: string;
}

/** Columns side by side, with marks below: place from 0 to 1 and text. */
function picture(columns: Column[], marks: [number, string][], line: number | null): SVGElement {
  const svg = node("svg", { viewBox: `0 0 ${WIDE} ${HIGH + FOOT}`, role: "img", style: "width:100%;max-width:640px;display:block" });
  const wide = WIDE / Math.max(1, columns.length);
  const most = Math.max(1e-300, ...columns.map((c) => c.height));
  columns.forEach((c, k) => {
    if (!(c.height > 0)) return;
    const high = Math.max(2, (c.height / most) * (HIGH - 4));
    const rect = node("rect", { x: k * wide, y: HIGH - high, width: Math.max(0.5, wide - 0.5), height: high, fill: "currentColor", opacity: 0.55 });
    rect.append(node("title", {}, c.title));
    svg.append(rect);
  });
  svg.append(node("line", { x1: 0, x2: WIDE, y1: HIGH, y2: HIGH, stroke: "currentColor", opacity: 0.4 }));
  if (line !== null && line >= 0 && line <= 1) {
    svg.append(node("line", { x1: line * WIDE, x2: line * WIDE, y1: 0, y2: HIGH, stroke: "var(--bad)", "stroke-dasharray": "4 3" }));
  }
  for (const [at, text] of marks) {
    const anchor = at < 0.05 ? "start" : at > 0.95 ? "end" : "middle";
    svg.append(node("text", { x: at * WIDE, y: HIGH + FOOT - 4, "text-anchor": anchor, "font-size": 11, fill: "currentColor", opacity: 0.7 }, text));
  }
  return svg;
}

/** Rare durations are of interest: heights are logarithms of counts. */
function histogram(bars: Bar[], period: number | null): SVGElement {
  const first = bars[0]!.to;
  const last = bars[bars.length - 1]!.to;
  const place = (us: number) => (last > first ? (Math.log(us / first) / Math.log(last / first)) * ((bars.length - 1) / bars.length) + 1 / bars.length : 1);
  const columns = bars.map((b) => ({ height: b.count > 0 ? 1 + Math.log10(b.count) : 0, title: `up to ${num(b.to, 3)} µs: ${count(b.count)}` }));
  const marks: [number, string][] = [[place(first), `${num(first, 3)} µs`]];
  if (last > first) marks.push([1, `${num(last, 3)} µs`]);
  return picture(columns, marks, period === null ? null : place(period));
}

const part = (title: string, note: string, svg: SVGElement) => h("figure", { class: "realtime", style: "margin:12px 0" }, h("h2", {}, title), svg, h("figcaption", { class: "card-note" }, note));

/** Nothing for a run that was not on the clock. While a run goes on, its summary is not there: the steps seen so far are shown, and delays of their beginnings. */
export function realTimePictures(summary: Record<string, unknown>, seen?: { steps: ArrayLike<number>; delays: ArrayLike<number> }): HTMLElement[] {
  const r = readRealTime(summary);
  if (!r) {
    const [steps, delays] = [sampledBars(seen?.steps ?? []), sampledBars(seen?.delays ?? [])];
    if (steps.length === 0) return [];
    const n = steps.reduce((sum, b) => sum + b.count, 0);
    const note = `Of ${count(n)} steps that this page has seen. Heights are logarithms of counts.`;
    const out = [part("Time of the steps so far", note, histogram(steps, null))];
    if (delays.length > 0) out.push(part("Delay of their beginnings so far", "After the time at which each was due.", histogram(delays, null)));
    return out;
  }
  const last = r.steps[r.steps.length - 1]!.to;
  const shown = r.throttled && r.period >= r.steps[0]!.to && r.period <= last;
  const period = !r.throttled ? "" : shown ? " The dashed line is the period." : ` The period has ${num(r.period)} µs.`;
  const out = [part("Time of the steps", `Heights are logarithms of counts.${period}`, histogram(r.steps, shown ? r.period : null))];
  if (!r.throttled) return out;
  if (r.delays.length > 0) out.push(part("Delay of their beginnings", "After the time at which each was due. Heights are logarithms of counts.", histogram(r.delays, null)));
  const late = r.late.reduce((n, s) => n + s.missed, 0);
  if (late > 0) {
    const end = r.late[r.late.length - 1]!.to;
    const columns = r.late.map((s) => ({ height: s.missed, title: `up to ${num(s.to, 4)} s: ${count(s.missed)}` }));
    out.push(part("Late steps over the time of the clock", `${count(late)} in all.`, picture(columns, [[0, "0 s"], [1, `${num(end, 4)} s`]], null)));
  }
  return out;
}
