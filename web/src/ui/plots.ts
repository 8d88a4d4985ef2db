/** All channels, grouped by body, joint and force; one plot per unit in a group. */
import { groupColumns, splitBands } from "../data/groups";
import type { Report } from "../data/report";
import { plural } from "../format";
import type { Cursor } from "../time";
import { Chart, chartObserver, type Zoom } from "./chart";
import { h } from "./dom";
import { Orbit } from "./orbit";

export class Plots {
  readonly element: HTMLElement;
  readonly charts: Chart[] = [];
  readonly orbits: Orbit[] = [];
  private readonly list: HTMLElement;
  private readonly report: Report;
  private readonly cursor: Cursor;
  private readonly zoom: Zoom;
  private observer: IntersectionObserver;
  private readonly empty: HTMLElement;

  constructor(report: Report, cursor: Cursor, zoom: Zoom, scroller: HTMLElement) {
    this.report = report;
    this.cursor = cursor;
    this.zoom = zoom;
    this.observer = chartObserver(scroller);
    const search = h("input", {
      type: "search",
      placeholder: "Find a channel",
      "aria-label": "Find a channel",
      oninput: (e: Event) => this.filter((e.target as HTMLInputElement).value),
    });
    this.list = h("div", { class: "groups" });
    this.empty = h("p", { class: "empty" }, "No channel has this in its name.");
    this.empty.hidden = true;
    const all = (open: boolean) => () => {
      for (const d of this.list.querySelectorAll("details")) d.open = open;
    };
    this.element = h(
      "div",
      { class: "plots" },
      h(
        "div",
        { class: "bar" },
        search,
        h("button", { type: "button", class: "small", onclick: all(true) }, "open all"),
        h("button", { type: "button", class: "small", onclick: all(false) }, "close all"),
        h("button", { type: "button", class: "small", title: "Show all times in all plots", onclick: () => zoom.set(null) }, "reset zoom"),
      ),
      this.list,
      this.empty,
      h("p", { class: "hint" }, "Drag over a plot to zoom into its times, double click to show all. A click moves the time. Names switch curves on and off."),
    );
    this.rebuild();
  }

  rebuild(): void {
    for (const c of this.charts) {
      this.observer.unobserve(c.element);
      c.destroy();
    }
    this.charts.length = 0;
    for (const o of this.orbits) o.destroy();
    this.orbits.length = 0;
    const { plain, bandOf } = splitBands(this.report.columns);
    const groups = groupColumns(plain);
    if (groups.length === 0) {
      this.list.replaceChildren(h("p", { class: "empty" }, "This run has no channels. Sensors in the model file make them."));
      return;
    }
    let open = 0;
    const few = groups.reduce((n, g) => n + g.charts.length, 0) <= 3;
    this.list.replaceChildren(
      ...groups.map((g) => {
        const body = h("div", { class: "group-body" });
        const details = h(
          "details",
          { "data-group": g.key },
          h("summary", {}, g.kind ? h("span", { class: "kind" }, g.kind) : null, h("span", { class: "group-title" }, g.title), h("span", { class: "count" }, plural(g.charts.reduce((n, c) => n + c.columns.length, 0), "channel"))),
          body,
        );
        details.dataset.text = [g.title, g.kind, ...g.charts.flatMap((c) => c.columns.map((x) => `${x.name} ${x.label}`))].join(" ").toLowerCase();
        // Plots are made when a group is opened first.
        let made = false;
        const make = () => {
          if (made || !details.open) return;
          made = true;
          for (const c of g.charts) {
            const chart = new Chart(
              {
                title: c.title,
                unit: c.unit,
                curves: c.columns.map((x) => {
                  const band = bandOf.get(x.name);
                  return { label: x.name, unit: x.unit, hint: x.label, load: () => x.load(), ...(band ? { band: () => band.load() } : {}) };
                }),
                time: () => this.report.columnTime.view(),
                cursor: this.cursor,
                zoom: this.zoom,
                events: this.report.events,
                height: few ? 230 : 170,
              },
              this.observer,
            );
            this.charts.push(chart);
            body.append(chart.element);
          }
          for (const o of this.report.scene.orbits ?? []) {
            const x = this.report.columns.find((c) => c.name === o.x && c.group === g.key);
            const y = this.report.columns.find((c) => c.name === o.y);
            if (!x || !y) continue;
            const orbit = new Orbit({ title: o.name, unit: x.unit, x: () => x.load(), y: () => y.load(), clearance: o.clearance ?? 0, time: () => this.report.columnTime.view(), cursor: this.cursor });
            this.orbits.push(orbit);
            body.append(orbit.element);
          }
        };
        details.addEventListener("toggle", make);
        if (open < 6) details.open = true;
        open += g.charts.length;
        make();
        return details;
      }),
    );
  }

  private filter(text: string): void {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let any = false;
    for (const d of this.list.querySelectorAll<HTMLDetailsElement>("details")) {
      const hit = words.every((w) => (d.dataset.text ?? "").includes(w));
      d.hidden = !hit;
      if (hit) any = true;
      if (hit && words.length > 0 && this.list.querySelectorAll("details:not([hidden])").length < 12) d.open = true;
    }
    this.empty.hidden = any;
  }

  refresh(data = false): void {
    for (const c of [...this.charts, ...this.orbits]) c.refresh(data);
  }
}
