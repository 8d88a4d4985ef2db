/** Reads the data in the page and puts the parts together. */
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { modesPage } from "./analysis/modes";
import { rotorPage } from "./analysis/rotor";
import { restPanel } from "./analysis/statics";
import { indexAt } from "./data/motion";
import { parsePayload, readReport, type Report } from "./data/report";
import type { Payload } from "./data/types";
import { follow } from "./live";
import { Viewer } from "./scene/viewer";
import { Cursor, goodSpeed } from "./time";
import { liveCharts, Zoom } from "./ui/chart";
import { byId, h } from "./ui/dom";
import { Events } from "./ui/events";
import { drawFile } from "./ui/file";
import { drawBanner, drawHeader } from "./ui/header";
import { makeHelp } from "./ui/help";
import { liveOrbits } from "./ui/orbit";
import { Player } from "./ui/player";
import { Plots } from "./ui/plots";
import { SectionPanel } from "./ui/sections";
import { Tabs } from "./ui/tabs";
import { isDark, onTheme, setTheme, startTheme } from "./ui/theme";
import { Tree } from "./ui/tree";
import { Trust } from "./ui/trust";
import { ViewBar } from "./ui/viewbar";
import { bindKeys } from "./keys";
import { bindDivider } from "./ui/divider";

/** For tests and for scripts that drive the page. */
export interface Handle {
  ready: Promise<void>;
  version: number;
  setTime: (t: number) => void;
  time: () => number;
  range: () => [number, number];
  frames: () => number;
  frameTimes: () => number[];
  bodies: () => string[];
  bodyPose: (name: string) => number[] | null;
  bodyPixel: (name: string) => [number, number] | null;
  channels: () => { name: string; group: string; unit: string }[];
  channel: (name: string) => Promise<number[]>;
  columnTimes: () => number[];
  visiblePlots: () => string[];
  /** Orbits of journals that are drawn: name, clearance, place now, its pixel, and that of the circle's right end. */
  orbits: () => { name: string; clearance: number; now: number[] | null; pixel: number[] | null; middle: number[] | null; edge: number[] | null }[];
  zoom: () => [number, number] | null;
  problems: () => string[];
  events: () => number[];
  playing: () => boolean;
  play: (on?: boolean) => void;
  show: (tab: string) => void;
  view: (name: string) => void;
  set: (name: string, on: boolean) => void;
  theme: (dark: boolean) => void;
  /** The picture as it is drawn now. */
  bitmap: () => Promise<ImageBitmap | null>;
  triangles: () => number;
  /** What is drawn of contacts and arrows now. */
  drawn: () => { contacts: number; forces: number; torques: number };
  /** Contact points of the frame at the cursor, from the data. */
  contactPoints: () => { contact: string; at: number[]; normal: number[]; force: number }[];
  /** How many times larger the deformation of a body is drawn; null while it is not. */
  enlarged: (name: string) => number | null;
  /** Sections of beams: names, and a quantity along one of them at the cursor. */
  beams: () => string[];
  along: (beam: string, quantity: string) => { s: number[]; values: number[] } | null;
  /** Pages of analyses. */
  modes: () => { real: number; imag: number }[];
  mode: () => number;
  chooseMode: (i: number) => void;
  amplitude: () => number;
  decay: (on: boolean) => void;
  plots: () => string[];
  curves: (title: string) => { label: string; y: number[] }[];
  speeds: (title: string) => number[];
  critical: () => { speed: number; kind?: string | null }[];
  /** Medians of the last frames, ms. */
  frameCost: () => { place: number; draw: number; frames: number };
}

declare global {
  interface Window {
    delassus?: Partial<Handle>;
  }
}

function text(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

/** Builds the page around a report; returns what live data have to touch. */
async function page(report: Report, rest?: NonNullable<Payload["statics"]>): Promise<{ grown: () => void; ended: () => void; cursor: Cursor }> {
  const cursor = new Cursor();
  const zoom = new Zoom();
  const range = () => {
    const { motion, columnTime, meta } = report;
    const c = columnTime.view();
    const start = motion.frames > 0 ? motion.start : (c[0] ?? 0);
    // A run that has just begun has no end yet: the cursor is at its end and goes along with it.
    const end = motion.frames > 0 ? motion.end : (c[c.length - 1] ?? (meta.status === "running" ? start : (meta.t_end ?? 0)));
    cursor.setRange(start, end);
  };
  range();
  cursor.set(cursor.start);
  cursor.speed = goodSpeed(cursor.end - cursor.start, report.motion.rotationRate());

  const help = makeHelp();
  drawHeader(byId("header"), report, help.toggle);
  if (report.motion.frames === 0 && report.meta.status !== "running" && report.problems.length === 0) {
    report.problems.push("There is no motion in these data: the mechanism is not drawn.");
  }
  drawBanner(byId("banner"), report);
  report.onProblem = () => drawBanner(byId("banner"), report);

  const host = byId("view");
  const viewer = new Viewer(host, report, cursor);
  if (viewer.fault) host.append(h("p", { class: "empty" }, viewer.fault));
  const bar = new ViewBar(byId("viewbar"), viewer, report.meta.title ?? "mechanism");
  const player = new Player(byId("player"), report, cursor);
  const panels = byId("panels");
  const plots = new Plots(report, cursor, zoom, panels);
  const trust = new Trust(report, cursor, zoom, panels);
  const events = new Events(report, cursor);
  const tree = new Tree(report, viewer, cursor);
  const sections = report.sections ? new SectionPanel(report, report.sections, cursor) : null;
  const tabs = new Tabs(byId("tabs"), panels, [
    ...(rest ? [{ id: "rest", title: "Equilibrium", content: restPanel(report, rest) }] : [{ id: "plots", title: "Plots", content: plots.element }]),
    ...(sections ? [{ id: "sections", title: "Beams", content: sections.element }] : []),
    ...(rest ? [] : [
      { id: "trust", title: "Trust", content: trust.element },
      { id: "events", title: "Events", content: events.element },
    ]),
    { id: "model", title: "Model", content: tree.element },
    { id: "file", title: "File", content: drawFile(report) },
  ]);
  tabs.onShow = (id) => id === "sections" && sections?.shown();
  trust.onTone = (tone) => tabs.badge("trust", tone === "none" ? "" : "●", tone);
  const badge = () => tabs.badge("events", report.events.length > 0 ? String(report.events.length) : "");
  badge();
  viewer.onSelect = (body) => tree.choose(body);
  tree.onTraces = () => {
    viewer.switches.traces = true;
    bar.toggle("traces", true);
  };
  if (rest) byId("player").hidden = true;
  bindKeys({ cursor, player, viewer, bar, help });
  bindDivider(byId("divider"), byId("main"));
  onTheme((dark) => {
    viewer.theme(dark);
    plots.refresh();
    trust.refresh();
    sections?.refresh();
  });
  trust.build();
  await viewer.build();
  viewer.theme(isDark());
  viewer.frame();

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
    setTime: (t: number) => {
      cursor.play(false);
      cursor.set(t);
    },
    time: () => cursor.t,
    range: () => [cursor.start, cursor.end],
    frames: () => report.motion.frames,
    frameTimes: () => Array.from(report.motion.t),
    bodies: () => report.scene.bodies.map((b) => b.name),
    bodyPose: (name: string) => viewer.bodyPose(name),
    bodyPixel: (name: string) => viewer.bodyPixel(name),
    channels: () => report.columns.map((c) => ({ name: c.name, group: c.group, unit: c.unit })),
    channel: async (name: string) => Array.from((await report.columns.find((c) => c.name === name)?.load()) ?? []),
    columnTimes: () => Array.from(report.columnTime.view()),
    visiblePlots: () => [...liveCharts()].map((c) => c.options.title),
    orbits: () =>
      [...liveOrbits()].map((o) => {
        const now = o.now();
        const { title: name, clearance } = o.options;
        return { name, clearance, now, pixel: now ? o.pixel(...now) : null, middle: o.pixel(0, 0), edge: o.pixel(clearance, 0) };
      }),
    zoom: () => zoom.range,
    problems: () => report.problems,
    events: () => report.events.map((e) => e.t),
    playing: () => cursor.playing,
    play: (on?: boolean) => cursor.play(on),
    show: (tab: string) => tabs.show(tab),
    view: (name: string) => viewer.look(name as never),
    set: (name: string, on: boolean) => bar.toggle(name as never, on),
    theme: (dark: boolean) => setTheme(dark),
    bitmap: async () => {
      const blob = await viewer.picture();
      return blob ? createImageBitmap(blob) : null;
    },
    triangles: () => viewer.triangles,
    drawn: () => {
      viewer.settle();
      return { contacts: viewer.contacts.shown, ...viewer.arrows.shown };
    },
    contactPoints: () => {
      const { contacts, motion, scene } = report;
      const [from, to] = contacts.range(indexAt(motion.t, motion.frames, cursor.t));
      return Array.from({ length: to - from }, (_, k) => {
        const i = from + k;
        const three = (v: Float64Array) => Array.from(v.subarray(3 * i, 3 * i + 3));
        return { contact: scene.contacts?.[contacts.contact.data[i] as number]?.name ?? "?", at: three(contacts.at.data), normal: three(contacts.normal.data), force: contacts.force.data[i] as number };
      });
    },
    enlarged: (name: string) => (viewer.switches.flexure ? viewer.flexure.factorOf(name) : null),
    beams: () => (report.sections?.beams ?? []).map((b) => b.name),
    along: (beam: string, quantity: string) => {
      const s = report.sections;
      const b = s?.beams.find((x) => x.name === beam);
      const k = s?.quantities.findIndex((q) => q.key === quantity) ?? -1;
      return s && b && k >= 0 ? { s: s.stations(b), values: Array.from(s.at(cursor.t, b, k)) } : null;
    },
    frameCost: () => {
      const middle = (list: number[]) => [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0;
      return { place: middle(viewer.cost), draw: middle(viewer.drawCost), frames: viewer.cost.length };
    },
  } satisfies Partial<Handle>);

  let columns = report.columns.length;
  let happened = report.events.length;
  let framed = 0;
  return {
    cursor,
    grown: () => {
      // The cursor stays at the end of a running simulation unless it was moved away or plays.
      const atEnd = !cursor.playing && cursor.t >= cursor.end;
      range();
      if (atEnd) cursor.set(cursor.end);
      player.update();
      if (report.columns.length !== columns) {
        columns = report.columns.length;
        plots.rebuild();
      }
      plots.refresh(true);
      trust.refresh(true);
      if (report.events.length !== happened) {
        happened = report.events.length;
        events.build();
      }
      badge();
      // The picture grows with the motion, but not at every message.
      if (report.motion.frames > 1.5 * framed && !viewer.cameras?.touched) {
        framed = report.motion.frames;
        viewer.fit();
      }
      viewer.touch();
    },
    ended: () => {
      range();
      if (!cursor.playing) cursor.speed = goodSpeed(cursor.end - cursor.start, report.motion.rotationRate());
      player.update();
      drawHeader(byId("header"), report, help.toggle);
      drawBanner(byId("banner"), report);
      events.build();
      badge();
      plots.rebuild();
      trust.build();
      void viewer.build();
    },
  };
}

async function main(): Promise<void> {
  startTheme();
  const live = text("delassus-live");
  if (live !== null) {
    const words = (message: string) => byId("banner").replaceChildren(h("div", { class: "alert fair" }, h("span", {}, message)));
    let url = "";
    try {
      url = String((JSON.parse(live) as { url?: unknown }).url ?? "");
    } catch {
      // told below
    }
    if (!url) {
      words("This page should show a running simulation but does not say where it is.");
      return;
    }
    byId("header").append(h("div", { class: "titles" }, h("h1", {}, "Waiting for the run …")));
    await new Promise<void>((started) => {
      let hooks: Awaited<ReturnType<typeof page>> | null = null;
      follow(
        url,
        {
          start: async (report) => {
            hooks = await page(report);
            started();
          },
          grown: () => hooks?.grown(),
          ended: () => hooks?.ended(),
        },
        words,
      );
    });
    return;
  }
  const { payload, problems } = parsePayload(text("delassus-data"));
  const report = await readReport(payload, problems);
  if (payload.kind) {
    // an analysis has no end, and is always whole
    report.meta.status = payload.kind;
    delete report.meta.t_end;
  }
  if (payload.kind === "modes" && payload.modes) await modesPage(report, payload.modes);
  else if (payload.kind === "rotor" && payload.rotor) await rotorPage(report, payload.rotor);
  else await page(report, payload.kind === "statics" ? (payload.statics ?? {}) : undefined);
}

window.delassus = {};
window.delassus.ready = main().catch((error: unknown) => {
  const why = error instanceof Error ? error.message : String(error);
  byId("banner").append(h("div", { class: "alert bad" }, h("strong", {}, "This page could not be built."), h("span", {}, why)));
});
