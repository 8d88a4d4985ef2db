import { describe, expect, test } from "vitest";
import { Growing, indexAt, Motion } from "../../src/data/motion";

const sample = (m: Motion, t: number) => {
  const out = new Float64Array(7 * m.bodies);
  const valid = new Uint8Array(m.bodies);
  m.sample(t, out, valid);
  return { out: Array.from(out), valid: Array.from(valid) };
};

test("index of the frame at or before a time", () => {
  const t = [0, 1, 1, 2];
  expect(indexAt(t, 4, -5)).toBe(0);
  expect(indexAt(t, 4, 0.5)).toBe(0);
  expect(indexAt(t, 4, 1)).toBe(2); // after a jump at t = 1
  expect(indexAt(t, 4, 9)).toBe(3);
  expect(indexAt([], 0, 1)).toBe(-1);
});

describe("planar poses", () => {
  const m = new Motion(1, 3, [0, 1, 2], [0, 0, 0, 2, 4, Math.PI, 2, 4, Math.PI]);
  test("at a frame exactly", () => {
    const { out } = sample(m, 1);
    expect(out.slice(0, 3)).toEqual([2, 4, 0]);
    expect(out[3]).toBeCloseTo(0, 15);
    expect(out[6]).toBe(1);
  });
  test("between frames the angle goes on linearly", () => {
    const { out } = sample(m, 0.5);
    expect(out[0]).toBe(1);
    expect(2 * Math.atan2(out[6] as number, out[3] as number)).toBeCloseTo(Math.PI / 2, 14);
  });
  test("outside it stays at the ends", () => {
    expect(sample(m, -1).out.slice(0, 2)).toEqual([0, 0]);
    expect(sample(m, 9).out.slice(0, 2)).toEqual([2, 4]);
  });
});

describe("poses in space", () => {
  const s = Math.SQRT1_2;
  test("shortest arc, whatever the sign of the quaternion", () => {
    for (const sign of [1, -1]) {
      const m = new Motion(1, 7, [0, 1], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, sign * s, 0, 0, sign * s]);
      const { out } = sample(m, 0.5);
      expect(Math.abs(out[3] as number)).toBeCloseTo(Math.cos(Math.PI / 8), 14);
      expect(Math.hypot(...out.slice(3))).toBeCloseTo(1, 14);
    }
  });
  test("a body without finite numbers is not valid there; others are", () => {
    const m = new Motion(2, 7, [0, 1], [...[0, 0, 0, 1, 0, 0, 0], ...[1, 1, 1, 1, 0, 0, 0], ...[0, 0, 0, 1, 0, 0, 0], ...[NaN, 1, 1, 1, 0, 0, 0]]);
    expect(sample(m, 0).valid).toEqual([1, 1]);
    expect(sample(m, 1).valid).toEqual([1, 0]);
    expect(m.holes()).toEqual([{ body: 1, t: 1, frames: 1 }]);
  });
  test("half a frame at the end is left out", () => {
    const m = new Motion(1, 7, [0, 1, 2], new Array(17).fill(1));
    expect(m.frames).toBe(2);
  });
});

test("live frames are appended; rows of a wrong length are not", () => {
  const m = new Motion(1, 3);
  m.append([0, 1], [[1, 2, 3], [4, 5, 6]]);
  m.append([2], [[7, 8]]);
  expect(m.frames).toBe(2);
  expect(m.end).toBe(1);
  const g = new Growing([1]);
  for (let i = 0; i < 1000; i++) g.push([i, i]);
  expect(g.length).toBe(2001);
  expect(g.view()[2000]).toBe(999);
});
