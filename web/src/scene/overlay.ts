/** What lies over the picture: names, the little axes and the scale bar. */
import { Quaternion, Vector3, type Camera } from "three";
import { num } from "../format";
import { h } from "../ui/dom";

const NS = "http://www.w3.org/2000/svg";
const AXES: [string, Vector3, string][] = [
  ["x", new Vector3(1, 0, 0), "#d64545"],
  ["y", new Vector3(0, 1, 0), "#3a9d5d"],
  ["z", new Vector3(0, 0, 1), "#3b7dd8"],
];

export class Overlay {
  readonly root: HTMLElement;
  private readonly triad: SVGSVGElement;
  private readonly bar: HTMLElement;
  private readonly barText: HTMLElement;
  private readonly labels: HTMLElement;
  private readonly note = h("p", { class: "view-note", id: "view-note", role: "status", hidden: true });
  private readonly spans: HTMLElement[] = [];

  constructor() {
    this.triad = document.createElementNS(NS, "svg");
    this.triad.setAttribute("class", "triad");
    this.triad.setAttribute("viewBox", "-40 -40 80 80");
    this.bar = h("div", { class: "scalebar-line" });
    this.barText = h("div", { class: "scalebar-text" });
    this.labels = h("div", { class: "labels" });
    this.root = h("div", { class: "overlay" }, this.note, h("div", { "aria-hidden": "true" }, this.labels, h("div", { class: "scalebar" }, this.barText, this.bar)));
    this.triad.setAttribute("aria-hidden", "true");
    this.root.append(this.triad);
  }

  /** What the picture shows that is not to scale. */
  say(words: string): void {
    this.note.textContent = words;
    this.note.hidden = words === "";
  }

  axes(camera: Camera): void {
    const q = camera.quaternion.clone().invert();
    const ends = AXES.map(([name, v, color]) => ({ name, color, p: v.clone().applyQuaternion(q as Quaternion) })).sort((a, b) => a.p.z - b.p.z);
    this.triad.replaceChildren(
      ...ends.flatMap(({ name, color, p }) => {
        const short = Math.hypot(p.x, p.y) < 0.15;
        const line = document.createElementNS(NS, "line");
        line.setAttribute("x2", String(26 * p.x));
        line.setAttribute("y2", String(-26 * p.y));
        line.setAttribute("stroke", color);
        line.setAttribute("stroke-width", "2.5");
        line.setAttribute("stroke-linecap", "round");
        const text = document.createElementNS(NS, "text");
        text.setAttribute("x", String(34 * p.x));
        text.setAttribute("y", String(-34 * p.y + 4));
        text.setAttribute("fill", color);
        text.textContent = short ? "" : name;
        return [line, text];
      }),
    );
  }

  scale(metresPerPixel: number): void {
    const wish = 110 * metresPerPixel;
    if (!(wish > 0) || !Number.isFinite(wish)) return;
    const power = 10 ** Math.floor(Math.log10(wish));
    const length = [5, 2, 1].map((k) => k * power).find((l) => l <= wish) ?? power;
    this.bar.style.width = `${length / metresPerPixel}px`;
    this.barText.textContent = length >= 1000 ? `${num(length / 1000)} km` : length >= 1 ? `${num(length)} m` : length >= 1e-3 ? `${num(length * 1e3)} mm` : `${num(length * 1e6)} µm`;
  }

  /** Names at points of the picture, at most 60; one that finds no room beside the others is left out. */
  names(list: { text: string; x: number; y: number; kind: string }[]): void {
    const shown: { text: string; x: number; y: number; kind: string }[] = [];
    const taken: [number, number, number][] = [];
    for (const item of list.slice(0, 60)) {
      const width = 7 * item.text.length + 6;
      const y = [0, 15, -15, 30, -30].map((dy) => item.y + dy).find((v) => taken.every(([tx, ty, tw]) => Math.abs(ty - v) > 14 || item.x > tx + tw || tx > item.x + width));
      if (y === undefined) continue;
      taken.push([item.x, y, width]);
      shown.push({ ...item, y });
    }
    while (this.spans.length < shown.length) {
      const span = h("span");
      this.spans.push(span);
      this.labels.append(span);
    }
    this.spans.forEach((span, i) => {
      const item = shown[i];
      span.style.display = item ? "" : "none";
      if (!item) return;
      if (span.textContent !== item.text) span.textContent = item.text;
      span.className = item.kind;
      span.style.transform = `translate(${item.x.toFixed(1)}px, ${item.y.toFixed(1)}px)`;
    });
  }
}
