/** What the clock did in a run in real time, read from its summary. */

/** Durations up to `to`, in µs, and how many there were. */
export interface Bar {
  to: number;
  count: number;
}

export interface RealTime {
  /** Period, µs. */
  period: number;
  throttled: boolean;
  steps: Bar[];
  delays: Bar[];
  /** Late steps per part of the run: end of the part in s of the clock. */
  late: { to: number; missed: number }[];
}

const numbers = (x: unknown, ...keys: string[]): number[] | null => {
  const o = x as Record<string, unknown> | null;
  const values = keys.map((k) => o?.[k]);
  return values.every((v) => typeof v === "number" && Number.isFinite(v)) ? (values as number[]) : null;
};

function bars(x: unknown): Bar[] {
  const list = Array.isArray(x) ? x.map((b) => numbers(b, "to_ns", "count")) : [];
  return list.flatMap((b) => (b && b[0]! > 0 && b[1]! >= 0 ? [{ to: b[0]! / 1000, count: b[1]! }] : []));
}

/** Null for a run that was not on the clock, or a summary that cannot be understood. */
export function readRealTime(summary: Record<string, unknown>): RealTime | null {
  const rate = summary.rate_hz;
  const steps = bars(summary.histogram);
  if (typeof rate !== "number" || !(rate > 0) || steps.length === 0) return null;
  const spans = Array.isArray(summary.spans) ? summary.spans.map((s) => numbers(s, "to_s", "missed")) : [];
  return {
    period: 1e6 / rate,
    throttled: summary.throttled !== false,
    steps,
    delays: bars(summary.jitter_histogram),
    late: spans.flatMap((s) => (s ? [{ to: s[0]!, missed: s[1]! }] : [])),
  };
}

/** Durations in s, as bars that grow by a quarter of a power of two like those of a summary: of a run that still goes on. */
export function sampledBars(seconds: ArrayLike<number>): Bar[] {
  const counts = new Map<number, number>();
  for (const x of Array.from(seconds)) {
    if (!(x > 0 && Number.isFinite(x))) continue;
    const k = Math.ceil(4 * Math.log2(x * 1e6));
    counts.set(k, (counts.get(k) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const keys = [...counts.keys()];
  const [first, last] = [Math.min(...keys), Math.max(...keys)];
  return Array.from({ length: last - first + 1 }, (_, i) => ({ to: 2 ** ((first + i) / 4), count: counts.get(first + i) ?? 0 }));
}
