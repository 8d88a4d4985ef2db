/** Which channels share a group and which a plot. */
import type { Column } from "./report";

const MOST_CURVES = 8;

export interface PlotGroup {
  key: string;
  title: string;
  kind: string;
  charts: { title: string; unit: string; columns: Column[] }[];
}

const KINDS: Record<string, string> = { body: "Body", joint: "Joint", force: "Force", contact: "Contact", sensor: "Sensors", sensors: "Sensors", energy: "Energy", diagnostics: "Diagnostics", drift: "Drift" };

/** Ending of the channels that hold the error band of another one. */
const BAND = ".band";

/** Bands apart from what they belong to; a channel that only looks like one stays. */
export function splitBands<T extends { name: string }>(columns: T[]): { plain: T[]; bandOf: Map<string, T> } {
  const names = new Set(columns.map((c) => c.name));
  const bandOf = new Map<string, T>();
  const plain = columns.filter((c) => {
    const of = c.name.endsWith(BAND) ? c.name.slice(0, -BAND.length) : "";
    if (!of || !names.has(of)) return true;
    bandOf.set(of, c);
    return false;
  });
  return { plain, bandOf };
}

/** Groups in the order of the channels; curves of one unit together, at most eight in a plot. */
export function groupColumns(columns: Column[]): PlotGroup[] {
  const groups = new Map<string, Column[]>();
  for (const c of columns) {
    const list = groups.get(c.group);
    if (list) list.push(c);
    else groups.set(c.group, [c]);
  }
  return [...groups].map(([key, list]) => {
    const slash = key.indexOf("/");
    const kind = slash > 0 ? key.slice(0, slash) : key;
    const name = slash > 0 ? key.slice(slash + 1) : "";
    const title = name || (KINDS[key] ?? key);
    const units = new Map<string, Column[]>();
    for (const c of list) {
      const u = units.get(c.unit);
      if (u) u.push(c);
      else units.set(c.unit, [c]);
    }
    const charts: PlotGroup["charts"] = [];
    for (const [unit, cs] of units) {
      for (let i = 0; i < cs.length; i += MOST_CURVES) {
        const part = cs.slice(i, i + MOST_CURVES);
        charts.push({ title: chartTitle(title, part), unit, columns: part });
      }
    }
    return { key, title, kind: slash > 0 ? (KINDS[kind] ?? kind) : "", charts };
  });
}

/** What the names have in common, or the single name. */
export function chartTitle(group: string, columns: { name: string }[]): string {
  if (columns.length === 1) return (columns[0] as { name: string }).name;
  const names = columns.map((c) => c.name.split("."));
  const common: string[] = [];
  for (let i = 0; names.every((n) => i < n.length - 1 && n[i] === names[0]?.[i]); i++) common.push(names[0]?.[i] as string);
  return common.length > 0 ? common.join(".") : group;
}
