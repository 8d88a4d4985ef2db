/** A run that still goes on: the page asks for data and never holds the run up. */
import { readReport, parsePayload, type Report, Column } from "./data/report";
import type { LiveContact } from "./data/contacts";
import { Growing } from "./data/motion";
import type { Meta, Note, RunEvent, RunError } from "./data/types";

export interface LiveHooks {
  /** The model is known. */
  start: (report: Report) => Promise<void>;
  /** New numbers; called at most every 200 ms. */
  grown: () => void;
  /** The run ended, or the connection broke for good. */
  ended: () => void;
}

interface FramesMessage {
  t?: number[];
  poses?: number[][];
  columns?: Record<string, (number | null)[]>;
  column_t?: number[];
  steps?: Record<string, (number | null)[]>;
  contacts?: LiveContact[];
  loads?: (number | null)[][];
}

const numbers = (list: (number | null)[] | undefined): number[] => (list ?? []).map((x) => (typeof x === "number" ? x : NaN));

/** Adds a message to the report. */
export function appendFrames(report: Report, m: FramesMessage): void {
  const t = numbers(m.t);
  const first = report.motion.frames;
  if (m.poses) {
    report.motion.append(t, m.poses.map((p) => (Array.isArray(p[0]) ? (p as unknown as number[][]).flat() : p)).map((p) => numbers(p)));
  }
  for (const [frame, contact, at, normal, force] of m.contacts ?? []) report.contacts.append(first + frame, contact, numbers(at), numbers(normal), Number(force));
  m.loads?.forEach((row, i) => report.loads.append(t[i] ?? NaN, numbers(row)));
  if (m.columns) {
    const before = report.columnTime.length;
    report.columnTime.push(m.column_t ? numbers(m.column_t) : t);
    for (const [name, values] of Object.entries(m.columns)) {
      let column = report.columns.find((c) => c.name === name);
      if (!column) {
        column = new Column({ name }, () => undefined);
        report.columns.push(column);
      }
      column.append(numbers(values), before);
    }
  }
  for (const [name, values] of Object.entries(m.steps ?? {})) (report.steps[name] ??= new Growing()).push(numbers(values));
}

export function follow(url: string, hooks: LiveHooks, fail: (words: string) => void): void {
  const source = new EventSource(url);
  let report: Report | null = null;
  let starting: Promise<void> | null = null;
  let timer = 0;
  let over = false;
  const grown = () => {
    if (timer) return;
    timer = window.setTimeout(() => {
      timer = 0;
      hooks.grown();
    }, 200);
  };
  const parse = <T>(e: Event): T | null => {
    try {
      return JSON.parse((e as MessageEvent<string>).data) as T;
    } catch {
      return null;
    }
  };
  /** After the start has been worked off, in order. */
  const then = <T>(f: (report: Report, message: T) => void) => (e: Event) => {
    const message = parse<T>(e);
    if (message === null) return;
    void starting?.then(() => {
      if (report) f(report, message);
    });
  };
  source.addEventListener("start", (e) => {
    if (starting) return; // a second start comes after a broken connection; the page keeps what it has
    const { payload, problems } = parsePayload((e as MessageEvent<string>).data);
    starting = readReport(payload, problems).then(async (r) => {
      r.meta.status = "running";
      report = r;
      await hooks.start(r);
    });
  });
  source.addEventListener("frames", then<FramesMessage>((r, m) => {
    appendFrames(r, m);
    grown();
  }));
  source.addEventListener("events", then<RunEvent[] | { events: RunEvent[] }>((r, m) => {
    r.events.push(...(Array.isArray(m) ? m : (m.events ?? [])).filter((x) => Number.isFinite(x.t)));
    // events that are sure only some steps later are dated back
    r.events.sort((a, b) => a.t - b.t);
    grown();
  }));
  const end = (status: string) =>
    then<{ meta?: Meta; summary?: Record<string, unknown>; notes?: Note[]; error?: RunError; steps?: FramesMessage["steps"] | null }>((r, m) => {
      over = true;
      source.close();
      // What the end does not know is kept from the start.
      const known = Object.fromEntries(Object.entries(m.meta ?? {}).filter(([, v]) => v !== null && v !== undefined)) as Meta;
      r.meta = { ...r.meta, status, ...known, ...(m.error ? { error: m.error } : {}) };
      // A bare summary is taken as such.
      r.summary = m.summary ?? (m.meta || m.error ? r.summary : (m as Record<string, unknown>));
      if (status === "finished" && r.summary.status === "interrupted") r.meta.status = "interrupted";
      if (m.notes) r.notes = m.notes;
      if (m.steps) r.steps = Object.fromEntries(Object.entries(m.steps).map(([name, values]) => [name, new Growing(numbers(values))]));
      clearTimeout(timer);
      timer = 0;
      hooks.ended();
    });
  source.addEventListener("done", end("finished"));
  source.addEventListener("failed", end("failed"));
  source.onerror = () => {
    if (over) return;
    if (source.readyState === EventSource.CLOSED) fail("The connection to the running program is lost. Shown is what came before.");
  };
}
