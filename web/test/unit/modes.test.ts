import { describe, expect, it } from "vitest";
import { displacement, factors, readModes, seconds, span, vibrates } from "../../src/data/modes";
import { campbellCurves, readCampbell, readUnbalance } from "../../src/data/rotor";
import { decode } from "../../src/data/decode";
// @ts-expect-error: plain JavaScript
import { pack } from "../fixtures/pack.mjs";

const mode = (real: number, imag: number) => ({ real, imag, damping_ratio: -real / Math.hypot(real, imag) });

describe("a vibration", () => {
  it("is the real part of shape times exp(iωt)", () => {
    const m = mode(0, 5);
    // a circle in x and y: i behind by a quarter
    const shape = [1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0];
    const at = (t: number) => displacement(shape, factors(m, false, t)).slice(0, 2);
    for (const [t, x, y] of [[0, 1, 0], [0.25, 0, 1], [0.5, -1, 0], [0.75, 0, -1]] as const) {
      expect(at(t)[0]).toBeCloseTo(x, 12);
      expect(at(t)[1]).toBeCloseTo(y, 12);
    }
    expect([span(m, true), seconds(m), vibrates(m)]).toEqual([1, (2 * Math.PI) / 5, true]);
  });

  it("decays as its exponent says, or ends with the whole shape where it grows", () => {
    const m = mode(-0.5, 5);
    const cycle = (2 * Math.PI * 0.5) / 5;
    expect(factors(m, true, 1)[0]).toBeCloseTo(Math.exp(-cycle), 12);
    expect(factors(m, false, 1)[0]).toBeCloseTo(1, 12);
    expect(span(m, true)).toBe(Math.ceil(-Math.log(0.03) / cycle));
    const grows = mode(0.5, 5);
    expect(factors(grows, true, span(grows, true))[0]).toBeCloseTo(1, 12);
    expect(factors(grows, true, 0)[0]).toBeLessThan(0.04);
    // hardly damped: not for ever
    expect(span(mode(-1e-9, 5), true)).toBe(30);
  });

  it("that is none goes to and fro, or as its exponent", () => {
    const m = mode(-4, 0);
    expect([vibrates(m), span(m, true), seconds(m)]).toEqual([false, 4, 0.25]);
    expect(factors(m, true, 1)[0]).toBeCloseTo(Math.exp(-1), 12);
    expect(factors(m, false, 0.5)).toEqual([-1, 0]);
    expect(factors(mode(4, 0), true, 4)[0]).toBeCloseTo(1, 12);
    expect([seconds(mode(0, 0)), span(mode(0, 0), true)]).toEqual([0, 1]);
  });
});

it("shapes are those of the bodies, or the page says that they are not", async () => {
  const said: string[] = [];
  const values = Array.from({ length: 2 * 3 * 12 }, (_, k) => k);
  const spec = { about: "next to the equilibrium", list: [mode(0, 1), mode(0, 2)], shapes: pack(values, [2, 3, 12], "f32") };
  const m = await readModes(spec, 4, (p) => said.push(p));
  expect(said).toEqual([]);
  expect(Array.from(m.of(1, 2) as ArrayLike<number>)[0]).toBe((3 + 1) * 12);
  expect([m.of(0, 0), m.of(0, 4), m.of(2, 1)]).toEqual([null, null, null]);
  const other = await readModes(spec, 9, (p) => said.push(p));
  expect([other.list.length, other.of(0, 1), said.length]).toEqual([2, null, 1]);
});

it("lines of a Campbell diagram are those of a kind, and none turns at rest", async () => {
  // backward and forward part; a line in space stays
  const ladder = [0, 10, 20].map((s) => [[5 - 0.1 * s, 0, 0.01], [5 + 0.1 * s, 0, 0.02], [8, 0, 0]]);
  const kinds = [[2, 2, 3], [1, 0, 3], [1, 0, 3]];
  const said: string[] = [];
  const words = ["forward", "backward", "planar", "axial"];
  const spec = { kinds: words, campbell: { speed: pack([0, 10, 20]), modes: pack(ladder.flat(2), [3, 3, 3], "f32"), kinds: pack(kinds.flat(), [3, 3], "u32") } };
  const c = await readCampbell(spec, (p) => said.push(p));
  expect(said).toEqual([]);
  const curves = campbellCurves(c as NonNullable<typeof c>);
  expect(curves.map((x) => x.kind)).toEqual(["forward", "backward", "planar", "planar", "axial"]);
  const hz = (x: number) => x / (2 * Math.PI);
  expect(curves[0]?.frequency[0]).toBeNaN();
  expect(curves[0]?.frequency[2]).toBeCloseTo(hz(7), 6);
  expect(curves[1]?.frequency[2]).toBeCloseTo(hz(3), 6);
  expect(curves[1]?.damping[1]).toBeCloseTo(0.01, 6);
  expect(curves[2]?.frequency[1]).toBeNaN();
});

it("orbits of bodies by speed", async () => {
  const values = [0, 1, 2, 3].flatMap((k) => Array.from({ length: 8 }, (_, i) => 10 * k + i));
  const u = await readUnbalance({ bodies: ["a", "b"], speed: pack([1, 2]), orbits: pack(values, [2, 2, 8], "f32") }, decode, () => undefined);
  expect([u?.value(1, 0, 0), u?.value(0, 1, 7), u?.speed.length]).toEqual([20, 17, 2]);
  expect(await readUnbalance({ bodies: ["a"], speed: pack([1]), orbits: pack(values, [2, 2, 8], "f32") }, decode, () => undefined)).toBeNull();
});
