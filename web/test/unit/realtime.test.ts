import { describe, expect, it } from "vitest";
import { readRealTime } from "../../src/data/realtime";

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
});
