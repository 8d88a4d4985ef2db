import { expect, it } from "vitest";
import { readSections, Sections } from "../../src/data/sections";
// @ts-expect-error: plain JavaScript
import { pack } from "../fixtures/pack.mjs";

/** Two beams, the first of two elements, in the plane, at two times. */
const beams = [
  { name: "arm", first: 0, stations: [0, 1, 3] },
  { name: "rod", first: 2, stations: [0, 2] },
];
/** fx, fy, tz at both ends of three elements: numbers tell their place. */
const row = (t: number) => [0, 1, 2].flatMap((element) => [0, 1].flatMap((end) => [100 * t + 10 * element + end, -(element + end), t * (element + 0.5 * end)]));

it("values stand at both ends of the elements of a beam", async () => {
  const said: string[] = [];
  const s = (await readSections({ t: pack([0, 1]), values: pack([...row(0), ...row(1)], [2, 3, 6], "f32") }, beams, (p) => said.push(p))) as Sections;
  expect(said).toEqual([]);
  const [arm, rod] = s.beams as [(typeof beams)[0], (typeof beams)[0]];
  expect(s.quantities.map((q) => q.key)).toEqual(["fx", "fy", "tz"]);
  expect(s.stations(arm)).toEqual([0, 1, 1, 3]);
  expect(Array.from(s.at(0, arm, 0))).toEqual([0, 1, 10, 11]);
  expect(Array.from(s.at(1, rod, 0))).toEqual([120, 121]);
  expect(Array.from(s.at(0.25, arm, 0))).toEqual([25, 26, 35, 36]);
  // the ends of the run hold beyond it
  expect(Array.from(s.at(9, rod, 1))).toEqual([-2, -3]);
  const [low, high] = s.envelope(arm, 0);
  expect([Array.from(low), Array.from(high)]).toEqual([[0, 1, 10, 11], [100, 101, 110, 111]]);
  expect(s.extreme(arm, 2)).toEqual({ value: 1.5, s: 3, t: 1 });
  expect(Sections.largest([0, 1], [2, -3], 4)).toEqual({ value: -3, s: 1, t: 4 });
  expect(Sections.largest([0], [NaN], 4)).toBeNull();
});

it("data of other beams are not shown, and the page says so", async () => {
  const said: string[] = [];
  const say = (p: string) => said.push(p);
  expect(await readSections({ t: pack([0]), values: pack(row(0), [1, 3, 6], "f32") }, [beams[0] as (typeof beams)[0]], say)).toBeNull();
  expect(said.join()).toContain("unknown shape");
  expect(await readSections({}, [], () => undefined)).toBeNull();
  // twelve numbers per element are those of beams in space
  const space = (await readSections({ t: pack([0]), values: pack(Array.from({ length: 12 }, (_, k) => k), [1, 1, 12], "f32") }, [{ name: "a", first: 0, stations: [0, 1] }], say)) as Sections;
  expect(space.quantities.map((q) => q.key)).toEqual(["fx", "fy", "fz", "tx", "ty", "tz"]);
  expect(Array.from(space.at(0, space.beams[0] as (typeof beams)[0], 4))).toEqual([4, 10]);
});
