import { describe, expect, test } from "vitest";
import { parsePayload, readReport } from "../../src/data/report";
import { appendFrames } from "../../src/live";
// @ts-expect-error plain JavaScript
import * as models from "../fixtures/models.mjs";

const read = async (text: string | null) => {
  const { payload, problems } = parsePayload(text);
  return readReport(payload, problems);
};

describe("good data", () => {
  test("all parts are there and nothing is wrong", async () => {
    const r = await read(JSON.stringify(models.sliderCrank()));
    expect(r.problems).toEqual([]);
    expect(r.motion.frames).toBe(401);
    expect(r.scene.bodies.map((b) => b.name)).toEqual(["ground", "crank", "rod", "piston"]);
    expect((await r.columns[0]?.load())?.length).toBe(401);
    expect(r.columnTime.length).toBe(401);
    expect(r.steps.h?.length).toBe(300);
  });
  test("a column is unpacked when it is asked for, not before", async () => {
    const r = await read(JSON.stringify(models.sliderCrank()));
    expect(r.columns[0]?.ready).toBeNull();
    await r.columns[0]?.load();
    expect(r.columns[0]?.ready?.length).toBe(401);
  });
});

describe("bad data are told in words", () => {
  test("missing, empty, cut off, not an object", async () => {
    expect((await read(null)).problems[0]).toMatch(/no run/);
    expect((await read("  ")).problems[0]).toMatch(/no run/);
    expect((await read('{"format":"delassus-report","ver')).problems[0]).toMatch(/cannot be read/);
    expect((await read("[1]")).problems[0]).toMatch(/not those/);
  });
  test("other version and other format", async () => {
    expect((await read(JSON.stringify({ ...models.sliderCrank(), version: 2 }))).problems[0]).toMatch(/version 2/);
    expect((await read(JSON.stringify({ format: "x", version: 1 }))).problems[0]).toMatch(/“x”/);
  });
  test("bodies and poses that do not fit", async () => {
    const p = models.sliderCrank();
    p.scene.bodies.pop();
    const r = await read(JSON.stringify(p));
    expect(r.problems.join()).toMatch(/4 bodies, the model has 3/);
    expect(r.motion.frames).toBe(0);
  });
  test("joints on bodies that are not there are left out", async () => {
    const p = models.sliderCrank();
    p.scene.joints[1].b.body = 77;
    const r = await read(JSON.stringify(p));
    expect(r.problems.join()).toMatch(/crank_pin/);
    expect(r.scene.joints?.[1]?.a).toBeUndefined();
  });
  test("garbage of the right names", async () => {
    const r = await read(JSON.stringify({ format: "delassus-report", version: 1, scene: { bodies: 7, joints: {} }, motion: 3, columns: "x", events: [{ t: "late" }, null], steps: [], notes: null }));
    expect(r.columns).toEqual([]);
    expect(r.events).toEqual([]);
  });
});

test("live messages grow motion, columns and steps; a late column starts with holes", async () => {
  const p = models.sliderCrank();
  p.motion = { t: undefined, poses: undefined };
  delete p.column_t;
  p.columns = p.columns.slice(0, 1).map((c: object) => ({ ...c, values: undefined }));
  const r = await read(JSON.stringify({ ...p, motion: undefined, steps: undefined }));
  appendFrames(r, { t: [0, 1], poses: [new Array(12).fill(0), new Array(12).fill(1)], columns: { crank_angle: [1, null] }, steps: { t: [0.5], h: [0.5] } });
  appendFrames(r, { t: [2], poses: [new Array(12).fill(2)], columns: { crank_angle: [3], late: [4] } });
  expect(r.motion.frames).toBe(3);
  expect(Array.from(await r.columns[0]!.load())).toEqual([1, NaN, 3]);
  expect(Array.from(await r.columns[1]!.load())).toEqual([NaN, NaN, 4]);
  expect(r.steps.h?.length).toBe(1);
});
