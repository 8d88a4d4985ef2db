import { describe, expect, it } from "vitest";
import { Matrix4, Quaternion, Vector3 } from "three";
import { Motion } from "../../src/data/motion";
import type { Joint } from "../../src/data/types";
import { drawPlay, enlargedFromStart, looseJoints, placeOf, playWords, type Loose } from "../../src/scene/clearance";
import { Drawing } from "../../src/scene/drawing";

const U = 0.01;
const C = 1e-3;
const place = (body: number, q = new Quaternion(), p = [0, 0, 0]) => ({ body, p, r: [q.w, q.x, q.y, q.z] });
const pin = (name: string, more: Partial<Joint> = {}): Joint => ({ name, type: "revolute", a: place(0), b: place(1), clearance: C, ...more });
const turn = (x: number, y: number, z: number, angle: number) => new Quaternion().setFromAxisAngle(new Vector3(x, y, z).normalize(), angle);
const pose = (p: Vector3, q: Quaternion) => new Matrix4().compose(p, q, new Vector3(1, 1, 1));

describe("which play is drawn", () => {
  it("all of it, as large as the ring, where the model names none", () => {
    const joints = [pin("a"), pin("b", { clearance: 2 * C }), pin("ideal", { clearance: undefined })];
    expect(enlargedFromStart(joints)).toBe(false);
    const list = looseJoints(joints, U);
    expect(list.map((l) => l.joint.name)).toEqual(["a", "b"]);
    expect(list[0]?.factor).toBeCloseTo(23, 10);
    expect(list[1]?.factor).toBeCloseTo(11.5, 10);
  });

  it("that of the joints it names, by their factors, from the start, and the page says so", () => {
    const joints = [pin("a"), pin("b", { exaggerate: 50 })];
    expect(enlargedFromStart(joints)).toBe(true);
    const list = looseJoints(joints, U);
    expect(list.map((l) => [l.joint.name, l.factor])).toEqual([["b", 50]]);
    expect(playWords(list)).toBe("play of `b` drawn 50 times enlarged");
    // no joint without play is enlarged, whatever the data say
    expect(enlargedFromStart([pin("a", { clearance: undefined, exaggerate: 5 })])).toBe(false);
    const many = looseJoints(Array.from({ length: 9 }, (_, k) => pin(`p${k}`)), U);
    expect(playWords(many)).toMatch(/^play of `p0`, .*, `p5` and 3 more joints drawn 23 times enlarged$/);
    const two = looseJoints([pin("a", { exaggerate: 50 }), pin("b", { exaggerate: 20 }), pin("c", { exaggerate: 50 })], U);
    expect(playWords(two)).toBe("play of `a`, `c` drawn 50 times enlarged; play of `b` drawn 20 times enlarged");
  });
});

it("a journal that touches its bearing touches its ring", () => {
  for (const exaggerate of [undefined, 1, 80]) {
    const [loose] = looseJoints([pin("a", { exaggerate })], U) as [Loose];
    const d = new Drawing(true, U, 2);
    drawPlay(d, new Motion(2, 3), [loose]);
    const ring = d.plates[0]?.positions as Float32Array;
    const inner = Math.hypot(ring[0] as number, ring[1] as number);
    const off = new Vector3(0.6 * C, -0.8 * C, 0);
    const m = placeOf(loose, [new Matrix4(), pose(off, new Quaternion())], U, true);
    const middle = new Vector3().setFromMatrixPosition(m);
    expect(middle.x / middle.y).toBeCloseTo(-0.75, 9);
    expect(middle.length() + m.getMaxScaleOnAxis()).toBeCloseTo(inner, 7);
    expect(middle.length()).toBeCloseTo(loose.factor * C, 12);
  }
});

describe("a block", () => {
  const [W, H, L] = [0.05, 0.03, 0.1];
  const corners = Array.from({ length: 8 }, (_, i) => [i & 1, i & 2, i & 4].map((bit) => (bit ? 0.5 : -0.5)));

  it.each([
    ["in the plane", [W, 0, L], new Quaternion()],
    ["in space", [W, H, L], new Quaternion()],
    ["whose second frame is turned by half a turn", [W, H, L], turn(0, 0, 1, Math.PI)],
    ["whose axes oppose each other", [W, H, L], turn(1, 0, 0, Math.PI)],
  ])("%s has each corner as far from its wall as in truth, enlarged", (_, block, own) => {
    const planar = block[1] === 0;
    // the guide stands anywhere; its axes are width, height, along
    const guide = planar ? turn(1, 1, 1, (2 * Math.PI) / 3) : turn(1, -2, 0.5, 1.1);
    const joint = pin("guide", { type: "prismatic", a: place(0, guide, [0.1, 0.2, 0]), b: place(1, own), block, exaggerate: 40 });
    const [loose] = looseJoints([joint], U) as [Loose];
    // along the axis it slides freely; across it has moved, is askew and has rolled a little
    const askew = planar ? turn(0, 1, 0, 4e-3) : turn(0.3, 1, 0.8, 5e-3);
    const moved = new Vector3(2e-4, planar ? 0 : -1e-4, 0.37);
    const origin = new Vector3(0.1, 0.2, 0);
    const body = pose(moved.clone().applyQuaternion(guide).add(origin), guide.clone().multiply(askew).multiply(own.clone().invert()));
    const m = placeOf(loose, [new Matrix4(), body], U, planar);
    const back = pose(origin, guide).invert();
    const half = [0.9 * U, planar ? 0.1 * U : 0.9 * U, 1.8 * U];
    for (const c of corners) {
      const truth = new Vector3(...c.map((x, k) => x * (block[k] as number))).applyQuaternion(askew).add(moved);
      const drawn = new Vector3(...c).applyMatrix4(m).applyMatrix4(back);
      for (const k of planar ? [0] : [0, 1]) {
        const side = 2 * (c[k] as number);
        const gone = truth.getComponent(k) - 0.5 * side * (block[k] as number);
        expect(drawn.getComponent(k) - side * (half[k] as number)).toBeCloseTo(40 * gone, 9);
      }
      expect(drawn.z).toBeCloseTo(0.37 + 2 * (c[2] as number) * (half[2] as number), 9);
    }
  });

  it("has walls, two in the plane and four edges in space", () => {
    for (const [planar, n] of [[true, 2], [false, 4]] as const) {
      const joint = pin("guide", { type: "prismatic", block: [W, planar ? 0 : H, L] });
      const d = new Drawing(planar, U, 2);
      drawPlay(d, new Motion(2, planar ? 3 : 7), looseJoints([joint], U));
      expect(d.parts.filter((p) => p.layer === "clearance")).toHaveLength(n);
    }
  });
});
