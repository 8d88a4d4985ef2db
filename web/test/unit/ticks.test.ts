import { expect, test } from "vitest";
import { linearTicks, logTicks } from "../../src/data/ticks";

test("round values inside the range, for sizes from 1e-300 to 1e300", () => {
  expect(linearTicks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(linearTicks(-0.3, 0.3, 3)).toEqual([-0.2, 0, 0.2]);
  for (const s of [1e-300, 1e-20, 1e-17, 1, 1e17, 1e300]) {
    const t = linearTicks(-s, 1.7 * s, 5);
    expect(t.length).toBeGreaterThan(2);
    expect(t.length).toBeLessThan(9);
    expect(t.every((x) => x >= -s && x <= 1.7 * s)).toBe(true);
  }
  // A range narrower than doubles can step through.
  expect(linearTicks(1, 1 + 2.3e-16, 5).length).toBeLessThan(101);
  expect(linearTicks(1, 1, 5)).toEqual([1]);
});

test("powers of ten, not too many", () => {
  expect(logTicks(1e-3, 10, 6)).toEqual([1e-3, 1e-2, 1e-1, 1, 10]);
  expect(logTicks(1e-17, 1e-9, 4)).toEqual([1e-17, 1e-15, 1e-13, 1e-11, 1e-9]);
  expect(logTicks(1e-310, 1e300, 5).length).toBeLessThan(8);
  expect(logTicks(0, 1, 5)).toEqual([]);
});
