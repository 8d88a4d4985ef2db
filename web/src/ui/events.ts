/** Table of events; a row moves the time. */
import type { Report } from "../data/report";
import type { RunEvent } from "../data/types";
import { num } from "../format";
import type { Cursor } from "../time";
import { download, h } from "./dom";

const HEADS: Record<string, string> = { t: "t [s]", kind: "kind", contact: "contact", speed_before: "speed before [m/s]", speed_after: "speed after [m/s]", impulse: "impulse [N s]", energy_lost: "energy lost [J]", depth: "depth [m]" };
const FIRST = ["t", "kind", "contact", "name", "joint", "speed_before", "speed_after", "impulse", "energy_lost", "depth"];
const MOST_ROWS = 2000;

export class Events {
  readonly element = h("div", { class: "events" });
  private readonly report: Report;
  private readonly cursor: Cursor;
  private rows: HTMLTableRowElement[] = [];
  /** Events of the rows. */
  private listed: RunEvent[] = [];
  private current = -1;
  /** Kind that is listed; all when empty. */
  private kind = "";

  constructor(report: Report, cursor: Cursor) {
    this.report = report;
    this.cursor = cursor;
    cursor.listen(() => this.mark());
    this.build();
  }

  build(): void {
    const { events } = this.report;
    if (events.length === 0) {
      this.rows = [];
      this.listed = [];
      this.element.replaceChildren(h("p", { class: "empty" }, "No events: nothing hit, stuck or switched in this run."));
      return;
    }
    const keys: string[] = [];
    for (const e of events) for (const k of Object.keys(e)) if (!keys.includes(k) && (typeof e[k] === "number" || typeof e[k] === "string")) keys.push(k);
    keys.sort((a, b) => (FIRST.indexOf(a) + 1 || 99) - (FIRST.indexOf(b) + 1 || 99));
    const counts = new Map<string, number>();
    for (const e of events) counts.set(e.kind ?? "event", (counts.get(e.kind ?? "event") ?? 0) + 1);
    if (!counts.has(this.kind)) this.kind = "";
    const wanted = this.kind ? events.filter((e) => (e.kind ?? "event") === this.kind) : events;
    this.listed = wanted.slice(0, MOST_ROWS);
    this.rows = this.listed.map((e) => {
      const go = () => this.cursor.set(e.t);
      return h(
        "tr",
        {
          tabindex: 0,
          "aria-label": `${e.kind ?? "event"} at ${num(e.t, 6)} s`,
          onclick: go,
          onkeydown: (k: KeyboardEvent) => {
            if (k.key === "Enter") go();
            const next = k.key === "ArrowDown" ? "nextElementSibling" : k.key === "ArrowUp" ? "previousElementSibling" : null;
            if (next) {
              ((k.currentTarget as HTMLElement)[next] as HTMLElement | null)?.focus();
              k.preventDefault();
            }
          },
        },
        ...keys.map((k) => h("td", { class: typeof e[k] === "number" ? "number" : "" }, e[k] === undefined || e[k] === null ? "" : k === "t" ? num(e.t, 8) : num(e[k]))),
      );
    });
    const kinds = h("select", { "aria-label": "Kind of event", onchange: (e: Event) => this.choose((e.target as HTMLSelectElement).value) }, h("option", { value: "" }, `all ${events.length} events`), ...[...counts].map(([k, n]) => h("option", { value: k, ...(k === this.kind ? { selected: true } : {}) }, `${k} (${n})`)));
    const csv = () =>
      download("events.csv", [keys.join(","), ...events.map((e) => keys.map((k) => String(e[k] ?? "")).join(","))].join("\n") + "\n");
    this.element.replaceChildren(
      h("div", { class: "bar" }, kinds, h("span", { class: "hint" }, "A row moves the time; so do N and P."), h("span", { class: "spring" }), h("button", { type: "button", class: "small", onclick: csv }, "CSV")),
      h("table", {}, h("thead", {}, h("tr", {}, ...keys.map((k) => h("th", { scope: "col" }, HEADS[k] ?? k.replaceAll("_", " "))))), h("tbody", {}, ...this.rows)),
      wanted.length > MOST_ROWS ? h("p", { class: "hint" }, `The first ${MOST_ROWS} of ${wanted.length} are listed; events.csv holds all.`) : "",
    );
    this.current = -1;
    this.mark();
  }

  private choose(kind: string): void {
    this.kind = kind;
    this.build();
    this.element.querySelector("select")?.focus();
  }

  /** Marks the last event before now. */
  private mark(): void {
    let lo = 0;
    let hi = this.listed.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if ((this.listed[mid] as RunEvent).t <= this.cursor.t + 1e-12) lo = mid + 1;
      else hi = mid;
    }
    const i = lo - 1;
    if (i === this.current) return;
    this.rows[this.current]?.classList.remove("current");
    this.rows[i]?.classList.add("current");
    this.current = i;
  }
}
