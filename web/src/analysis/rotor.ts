/** The page of `delassus rotor`: whirl frequencies, critical speeds and the answer to unbalance over the speed. */
import { decode } from "../data/decode";
import { campbellCurves, readCampbell, readUnbalance, type Campbell, type RotorSpec, type Unbalance } from "../data/rotor";
import type { Report } from "../data/report";
import { num, plural } from "../format";
import { bindViewKeys } from "../keys";
import { byId, h } from "../ui/dom";
import { drawFile } from "../ui/file";
import { drawBanner, drawHeader } from "../ui/header";
import { makeHelp } from "../ui/help";
import { Tabs } from "../ui/tabs";
import { onTheme } from "../ui/theme";
import { livePlots, XYPlot, type Mark } from "../ui/xyplot";
import { notes } from "./modes";

const RPM = 60 / (2 * Math.PI);
const SPEED = "speed of the rotor [rpm]";
/** Colours of the kinds of whirl, by place in the palette. */
const COLORS: Record<string, number> = { forward: 0, backward: 1, planar: 2, axial: 4 };

export async function rotorPage(report: Report, spec: RotorSpec): Promise<void> {
  const say = (problem: string) => report.problems.push(problem);
  const campbell = spec.campbell ? await readCampbell(spec, say) : null;
  const unbalance = spec.unbalance ? await readUnbalance(spec.unbalance, decode, say) : null;
  document.body.classList.add("plots-only");
  const help = makeHelp([["D", "dark or light"], ["?", "this list"]]);
  drawHeader(byId("header"), report, help.toggle);
  drawBanner(byId("banner"), report);
  const critical = (Array.isArray(spec.critical) ? spec.critical : []).filter((c) => Number.isFinite(c?.speed));
  const marks: Mark[] = critical.map((c) => ({ x: c.speed * RPM, label: num(c.speed * RPM, 4), ...(COLORS[c.kind ?? ""] === undefined ? {} : { color: COLORS[c.kind ?? ""] as number }) }));
  const plots: XYPlot[] = [];
  const own = (p: XYPlot) => (plots.push(p), p.element);
  const content = [
    ...(campbell ? [{ id: "campbell", title: "Campbell", content: h("div", {}, ...campbellPlots(campbell, marks).map(own)) }] : []),
    ...(spec.critical ? [{ id: "critical", title: "Critical speeds", content: table(critical) }] : []),
    ...(unbalance ? [{ id: "unbalance", title: "Unbalance", content: h("div", {}, ...unbalancePlots(unbalance, marks).map(own), peaks(unbalance)) }] : []),
  ];
  const tabs = new Tabs(byId("tabs"), byId("panels"), [
    ...content,
    { id: "notes", title: "Notes", content: notes(report) },
    { id: "file", title: "File", content: drawFile(report) },
  ]);
  if (spec.critical) tabs.badge("critical", String(critical.length));
  bindViewKeys({ help });
  onTheme(() => plots.forEach((p) => p.refresh()));
  Object.assign(window.delassus ?? {}, {
    version: 1,
    problems: () => report.problems,
    show: (tab: string) => tabs.show(tab),
    plots: () => [...livePlots()].map((p) => p.options.title),
    curves: (title: string) => plots.find((p) => p.options.title === title)?.options.curves.map((c) => ({ label: c.label, y: Array.from(c.y) })) ?? [],
    speeds: (title: string) => Array.from(plots.find((p) => p.options.title === title)?.options.x ?? []),
    critical: () => critical,
  });
}

function campbellPlots(c: Campbell, marks: Mark[]): XYPlot[] {
  const rpm = Array.from(c.speed, (s) => s * RPM);
  const lines = campbellCurves(c);
  const curve = (y: number[], kind: string) => ({ label: kind, group: kind, y, color: COLORS[kind] ?? 3, ...(rpm.length < 2 ? { dots: true } : {}) });
  const fastest = rpm[rpm.length - 1] ?? 0;
  const sync = { label: "frequency = speed", y: rpm.map((x) => x / 60), color: 3, dash: [6, 4], width: 1 };
  const damped = lines.some((l) => l.damping.some((x) => Math.abs(x) > 1e-9));
  const seen = lines.filter((l) => l.kind !== "axial");
  return [
    new XYPlot({ title: "Whirl frequencies", unit: "Hz", xLabel: SPEED, x: rpm, curves: [...lines.map((l) => curve(l.frequency, l.kind)), ...(fastest > 0 ? [sync] : [])], marks, height: 420, note: `Frequencies seen from the ground.${marks.length > 0 ? " Vertical lines are critical speeds." : ""} Dragging zooms.` }),
    ...(damped ? [new XYPlot({ title: "Damping of the whirl", unit: "% of critical", xLabel: SPEED, x: rpm, curves: seen.map((l) => curve(l.damping.map((x) => 100 * x), l.kind)), height: 260, note: "Below zero a whirl grows: the rotor is unstable." })] : []),
  ];
}

function unbalancePlots(u: Unbalance, marks: Mark[]): XYPlot[] {
  const rpm = Array.from(u.speed, (s) => s * RPM);
  const list = u.bodies.map((name, k) => ({ name, k }));
  const of = (k: number, number: number) => rpm.map((_x, i) => u.value(i, k, number));
  const axes = ["x", "y", "z"].map((axis, j) => ({ axis, j })).filter(({ j }) => list.some(({ k }) => rpm.some((_x, i) => u.value(i, k, 2 + j) > 1e-6 * u.value(i, k, 0))));
  const phases = list.flatMap(({ name, k }) => axes.map(({ axis, j }) => ({ label: `${name} ${axis}`, y: unwrapped(of(k, 5 + j).map((x, i) => (u.value(i, k, 2 + j) > 0 ? (x * 180) / Math.PI : NaN))) })));
  return [
    new XYPlot({ title: "Orbits", unit: "m", xLabel: SPEED, x: rpm, curves: list.map(({ name, k }) => ({ label: name, y: of(k, 0) })), marks, log: true, height: 320, note: "Semi-major axis of the orbit of each body." }),
    new XYPlot({ title: "Amplitudes", unit: "m", xLabel: SPEED, x: rpm, curves: list.flatMap(({ name, k }) => axes.map(({ axis, j }) => ({ label: `${name} ${axis}`, y: of(k, 2 + j) }))), marks, log: true, height: 220 }),
    new XYPlot({ title: "Phase ahead of the unbalance", unit: "deg", xLabel: SPEED, x: rpm, curves: phases, height: 220, note: "Whole turns are left out between neighbouring speeds." }),
    new XYPlot({ title: "Sense of the orbit", unit: "1", xLabel: SPEED, x: rpm, curves: list.map(({ name, k }) => ({ label: name, y: rpm.map((_x, i) => u.value(i, k, 1) / u.value(i, k, 0)) })), range: [-1, 1], height: 150, note: "Minor over major axis: 1 is a circle with the spin, −1 one against it, 0 a line." }),
  ];
}

/** Angles that go on from one speed to the next without whole turns, deg. */
function unwrapped(list: number[]): number[] {
  let before = NaN;
  return list.map((x) => {
    const turns = Number.isFinite(before) && Number.isFinite(x) ? Math.round((before - x) / 360) : 0;
    const out = x + 360 * turns;
    if (Number.isFinite(out)) before = out;
    return out;
  });
}

function table(list: { speed: number; kind?: string | null }[]): HTMLElement {
  if (list.length === 0) return h("p", { class: "empty" }, "No critical speed in the range of speeds that was asked for.");
  const heads = ["", "rpm", "rad/s", "Hz", "whirl"];
  const rows = list.map((c, i) => h("tr", {}, ...[String(i + 1), num(c.speed * RPM, 7), num(c.speed, 7), num(c.speed / (2 * Math.PI), 7)].map((x) => h("td", { class: "number" }, x)), h("td", {}, c.kind ?? "")));
  return h("div", {}, h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((x) => h("th", { scope: "col" }, x)))), h("tbody", {}, ...rows)), h("p", { class: "hint" }, `${plural(list.length, "speed")} at which an undamped frequency is the speed.`));
}

/** The largest orbit of each body. */
function peaks(u: Unbalance): HTMLElement {
  const rows = u.bodies.map((name, k) => {
    let best = -1;
    for (let i = 0; i < u.speed.length; i++) if (u.value(i, k, 0) > (best < 0 ? 0 : u.value(best, k, 0))) best = i;
    const at = best < 0 ? ["–", ""] : [`${num(u.value(best, k, 0), 5)} m`, `${num((u.speed[best] as number) * RPM, 6)} rpm`];
    return h("tr", {}, h("td", {}, name), ...at.map((x) => h("td", { class: "number" }, x)));
  });
  return h("div", {}, h("h2", {}, "Largest orbits among these speeds"), h("table", {}, h("tbody", {}, ...rows)));
}
