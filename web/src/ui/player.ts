/** Play, scrub, step, speed, loop; marks of events on the time line. */
import { num, seconds } from "../format";
import type { Report } from "../data/report";
import type { RunEvent } from "../data/types";
import { indexAt } from "../data/motion";
import { SPEEDS, type Cursor } from "../time";
import { h, icon } from "./dom";

export const PLAY = "M4.5 2.5v11l9-5.5z";
export const PAUSE = "M4 2.5h3v11H4zM9.5 2.5h3v11h-3z";
const MOST_MARKS = 600;

/** Events that are marked: all, or the most telling one of each of many places. Impacts come first. */
export function marked(events: RunEvent[], start: number, end: number): { event: RunEvent; more: number }[] {
  const within = events.filter((e) => e.t >= start && e.t <= end);
  if (!(end > start)) return [];
  if (within.length <= MOST_MARKS) return within.map((event) => ({ event, more: 0 }));
  const rank = (e: RunEvent) => (e.kind === "restitution-reduced" ? 3 : e.kind === "impact" ? 2 : e.kind === "close" || e.kind === "release" ? 1 : 0);
  const places = new Map<number, { event: RunEvent; more: number }>();
  for (const event of within) {
    const at = Math.floor(((event.t - start) / (end - start)) * MOST_MARKS);
    const known = places.get(at);
    if (!known) places.set(at, { event, more: 0 });
    else places.set(at, { event: rank(event) > rank(known.event) ? event : known.event, more: known.more + 1 });
  }
  return [...places.values()];
}

export class Player {
  private readonly cursor: Cursor;
  private readonly report: Report;
  private readonly slider: HTMLInputElement;
  private readonly playButton: HTMLButtonElement;
  private readonly time: HTMLElement;
  private readonly speed: HTMLSelectElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly marks: HTMLElement;
  private readonly ends: HTMLElement;

  constructor(host: HTMLElement, report: Report, cursor: Cursor) {
    this.cursor = cursor;
    this.report = report;
    const button = (label: string, path: string, f: () => void, fill = true) => h("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick: f }, icon(path, fill));
    this.slider = h("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time", class: "scrub", oninput: () => this.scrub() });
    this.playButton = button("Play (space)", PLAY, () => cursor.play());
    this.playButton.classList.add("primary");
    this.loopButton = button("Repeat (L)", "M3 7a4 4 0 0 1 4-4h5l-2-2M13 9a4 4 0 0 1-4 4H4l2 2", () => this.setLoop(!cursor.loop), false);
    this.loopButton.setAttribute("aria-pressed", "true");
    this.time = h("output", { class: "time" });
    this.speed = h("select", { "aria-label": "Speed", title: "Speed (+ and −)", onchange: () => this.setSpeed(Number(this.speed.value)) }, ...SPEEDS.map((s) => h("option", { value: s }, `× ${num(s)}`)));
    this.marks = h("div", { class: "marks" });
    this.ends = h("span", { class: "end" });
    host.append(
      h(
        "div",
        { class: "transport" },
        button("To the start (Home)", "M3 2.5h2v11H3zM13 2.5v11L6 8z", () => cursor.set(cursor.start)),
        button("One frame back (←)", "M11.5 2.5v11L4 8z", () => this.step(-1)),
        this.playButton,
        button("One frame on (→)", "M4.5 2.5v11L12 8z", () => this.step(1)),
        button("To the end (End)", "M11 2.5h2v11h-2zM3 2.5v11L10 8z", () => cursor.set(cursor.end)),
        this.time,
        this.ends,
        h("span", { class: "spring" }),
        this.loopButton,
        this.speed,
      ),
      h("div", { class: "timeline" }, this.marks, this.slider),
    );
    cursor.listen(() => this.show());
    cursor.onState = () => this.state();
    this.update();
  }

  /** New range or new events. */
  update(): void {
    const { cursor } = this;
    const none = this.report.motion.frames < 2;
    this.slider.disabled = none;
    this.playButton.disabled = none;
    this.slider.min = String(cursor.start);
    this.slider.max = String(cursor.end > cursor.start ? cursor.end : cursor.start + 1);
    this.setSpeed(cursor.speed);
    this.drawMarks();
    this.show();
    this.state();
  }

  private drawMarks(): void {
    const { start, end } = this.cursor;
    const length = end - start;
    const error = this.report.meta.error;
    const mark = (t: number, kind: string, title: string) => {
      const m = h("button", { type: "button", class: `mark ${kind}`, tabindex: -1, title, "aria-label": title, onclick: () => this.cursor.set(t) });
      m.style.left = `${length > 0 ? (100 * (t - start)) / length : 0}%`;
      return m;
    };
    const list = marked(this.report.events, start, end).map(({ event: e, more }) =>
      mark(e.t, `event ${e.kind === "impact" || e.kind === "restitution-reduced" ? "impact" : "quiet"}`, `${e.kind ?? "event"} ${e.contact ?? ""} at t = ${num(e.t, 6)} s${more > 0 ? ` and ${more} more here` : ""}`),
    );
    if (error && typeof error.t === "number" && length > 0) list.push(mark(Math.min(end, error.t), "failure", `${error.code ?? "error"} at t = ${num(error.t, 6)} s`));
    this.marks.replaceChildren(...list);
  }

  private state(): void {
    const on = this.cursor.playing;
    const label = on ? "Pause (space)" : "Play (space)";
    this.playButton.replaceChildren(icon(on ? PAUSE : PLAY, true));
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
  }

  private show(): void {
    const { cursor } = this;
    this.slider.value = String(cursor.t);
    const length = cursor.end - cursor.start;
    const text = `${seconds(cursor.t, length)} s`;
    this.time.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    this.slider.style.setProperty("--done", `${length > 0 ? (100 * (cursor.t - cursor.start)) / length : 0}%`);
    this.ends.textContent = `of ${num(cursor.end, 6)} s`;
  }

  private scrub(): void {
    this.cursor.set(Number(this.slider.value));
  }

  /** By frames of the motion. */
  step(n: number): void {
    const { motion } = this.report;
    if (motion.frames === 0) return;
    this.cursor.play(false);
    const t = motion.t;
    let i = indexAt(t, t.length, this.cursor.t + 1e-12 * Math.max(1, Math.abs(this.cursor.t)));
    // Between two frames, back means to the frame before.
    if (n < 0 && (t[i] as number) < this.cursor.t - 1e-12) i++;
    i = Math.min(t.length - 1, Math.max(0, i + n));
    this.cursor.set(t[i] as number);
  }

  event(direction: 1 | -1): void {
    const { events } = this.report;
    const t = this.cursor.t;
    const e = direction > 0 ? events.find((x) => x.t > t + 1e-12) : events.findLast((x) => x.t < t - 1e-12);
    if (e) this.cursor.set(e.t);
  }

  setLoop(on: boolean): void {
    this.cursor.loop = on;
    this.loopButton.setAttribute("aria-pressed", String(on));
  }

  setSpeed(s: number): void {
    const near = SPEEDS.reduce((best, x) => (Math.abs(Math.log(x / s)) < Math.abs(Math.log(best / s)) ? x : best), 1);
    this.cursor.speed = near;
    this.speed.value = String(near);
  }

  faster(direction: 1 | -1): void {
    const i = SPEEDS.indexOf(this.cursor.speed);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, i + direction))] as number);
  }
}
