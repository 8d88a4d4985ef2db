import { describe, expect, it } from "vitest";
import { readRealTime, sampledBars } from "../../src/data/realtime";

describe("a run in real time", () => {
  it("is read from its summary", () => {
    const r = readRealTime({
      rate_hz: 500,
      histogram: [{ to_ns: 1000, count: 3 }, { to_ns: "x", count: 1 }, { to_ns: 2000, count: 0 }],
      jitter_histogram: null,
      spans: [{ to_s: 0.5, missed: 2 }, null],
    });
    expect(r).toEqual({ period: 2000, throttled: true, steps: [{ to: 1, count: 3 }, { to: 2, count: 0 }], delays: [], late: [{ to: 0.5, missed: 2 }] });
  });

  it("is nothing for other runs and for what cannot be understood", () => {
    for (const summary of [{}, { rate_hz: 0, histogram: [] }, { rate_hz: 1000 }, { rate_hz: "1", histogram: [{ to_ns: 1, count: 1 }] }]) {
      expect(readRealTime(summary)).toBeNull();
    }
  });

  it("shows the steps seen so far while it goes on", () => {
    // the row of the start has no step
    const bars = sampledBars([0, 1e-6, 1e-6, 1.9e-6, 4e-6, NaN]);
    expect(bars.map((b) => b.count)).toEqual([2, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect(bars[0]!.to).toBeCloseTo(1, 12);
    expect(bars[8]!.to).toBeCloseTo(4, 12);
    expect(sampledBars([0, NaN])).toEqual([]);
  });
});
