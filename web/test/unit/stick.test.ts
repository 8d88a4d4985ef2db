import { describe, expect, test } from "vitest";
import { Vector3 } from "three";
import { Motion } from "../../src/data/motion";
import type { SceneSpec } from "../../src/data/types";
import { Drawing } from "../../src/scene/drawing";
import { drawJoint, jointAxis, travel, wheels } from "../../src/scene/joints";
import { attachments, collinear, drawStick, hull, inertiaSolid } from "../../src/scene/stick";

const at = (body: number, p: number[]) => ({ body, p, r: [1, 0, 0, 0] });
const V = (x: number, y: number, z = 0) => new Vector3(x, y, z);

test("attachment points of a body, each once, without couplings", () => {
  const scene: SceneSpec = {
    joints: [
      { name: "a", type: "revolute", a: at(0, [0, 0, 0]), b: at(1, [0, 0, 0]) },
      { name: "b", type: "revolute", a: at(1, [1, 0, 0]), b: at(2, [0, 0, 0]) },
      { name: "c", type: "spherical", a: at(1, [1, 0, 1e-12]), b: at(3, [0, 0, 0]) },
      { name: "d", type: "coupling", a: at(1, [9, 9, 9]), b: at(2, [0, 0, 0]) },
    ],
    forces: [{ name: "s", type: "spring", a: at(0, [0, 0, 0]), b: at(1, [0.5, 1, 0]) }, { name: "m", type: "torque", a: at(1, [5, 5, 5]) }],
  };
  expect(attachments(scene, 1, 1e-6).map((p) => p.toArray())).toEqual([[0, 0, 0], [1, 0, 0], [0.5, 1, 0]]);
});

test("points on a line give its ends", () => {
  expect(collinear([V(1, 0), V(0, 0), V(3, 0)], 1e-9)?.map((p) => p.x).sort()).toEqual([0, 3]);
  expect(collinear([V(1, 1), V(0, 0), V(3, 0)], 1e-9)).toBeNull();
});

test("hull leaves out inner points", () => {
  const h = hull([V(0, 0), V(1, 0), V(1, 1), V(0, 1), V(0.5, 0.5), V(0.5, 0)]);
  expect(h).toHaveLength(4);
});

describe("solid of inertia", () => {
  test("a cylinder comes back with its radius and length, about its own axis", () => {
    const m = 3, r = 0.4, l = 1.2;
    const axial = 0.5 * m * r * r;
    const across = m * (r * r / 4 + l * l / 12);
    const s = inertiaSolid(m, [axial, across, across]);
    expect(s?.solid).toBe("rotor");
    expect(s?.half.x).toBeCloseTo(r, 12);
    expect(s?.half.z).toBeCloseTo(l / 2, 12);
    const axis = V(0, 0, 1).applyQuaternion(s!.turn);
    expect(Math.abs(axis.x)).toBeCloseTo(1, 12);
  });
  test("a turned box comes back with its sides", () => {
    const m = 2, [a, b, c] = [0.2, 0.5, 0.9];
    const I = [b * b + c * c, a * a + c * c, a * a + b * b].map((x) => (m * x) / 12) as [number, number, number];
    // turned about z by 30 degrees
    const C = Math.cos(Math.PI / 6), S = Math.sin(Math.PI / 6);
    const xx = C * C * I[0] + S * S * I[1], yy = S * S * I[0] + C * C * I[1], xy = C * S * (I[0] - I[1]);
    const s = inertiaSolid(m, [xx, yy, I[2], xy, 0, 0]);
    expect(s?.solid).toBe("block");
    expect([s!.half.x, s!.half.y, s!.half.z].map((x) => 2 * x).sort()).toEqual([a, b, c].map((x) => expect.closeTo(x, 9)));
  });
  test("nonsense gives nothing", () => {
    expect(inertiaSolid(1, [NaN, 1, 1])).toBeNull();
    expect(inertiaSolid(0, [1, 1, 1])).toBeNull();
    expect(inertiaSolid(1, undefined)).toBeNull();
  });
});

test("a rod between two pins is drawn between them", () => {
  const scene: SceneSpec = { joints: [{ name: "a", type: "revolute", a: at(0, [0, 0, 0]), b: at(1, [0, 0, 0]) }, { name: "b", type: "revolute", a: at(1, [2, 0, 0]), b: at(2, [0, 0, 0]) }] };
  const d = new Drawing(true, 0.05, 3);
  drawStick(d, scene, 1, { name: "rod", mass: 1, com: [1, 0, 0] }, 0xff0000, 2);
  const box = d.parts.find((p) => p.solid === "box");
  const e = box!.local.elements;
  expect([e[12], e[13]]).toEqual([1, 0]);
  expect(e[0]).toBeCloseTo(2, 12); // as long as the distance of the pins
  expect(d.parts.filter((p) => p.solid === "cylinder").map((p) => p.local.elements[12])).toEqual([0, 2]);
});

test("axis: given, or z of the frame", () => {
  const s = Math.SQRT1_2;
  expect(jointAxis({ name: "p", type: "prismatic", a: { body: 0, p: [0, 0, 0], r: [s, 0, s, 0] } }, "a", true).x).toBeCloseTo(1, 12);
  expect(jointAxis({ name: "p", type: "prismatic", axis_a: [0, 2, 0] }, "a", true).toArray()).toEqual([0, 1, 0]);
  expect(jointAxis({ name: "p", type: "prismatic" }, "a", true).toArray()).toEqual([1, 0, 0]);
});

test("rails are as long as the stroke", () => {
  const m = new Motion(2, 3, [0, 1, 2], [0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 2, 0, 0]);
  expect(travel(m, at(0, [0, 0, 0]), at(1, [0, 0, 0]), V(1, 0))).toEqual([1, 3]);
});

test("every kind of joint can be drawn, in the plane and in space", () => {
  const kinds = ["revolute", "prismatic", "cylindrical", "spherical", "universal", "planar", "fixed", "screw", "distance", "point-on-line", "point-on-plane", "parallel-axes", "gear", "rack", "coupling", "motion", "rolling", "unheard-of"];
  for (const planar of [true, false]) {
    for (const type of kinds) {
      const d = new Drawing(planar, 0.05, 2);
      const m = new Motion(2, 7, [0], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]);
      const j = { name: "j", type, a: at(0, [0, 0, 0]), b: at(1, [0, 0, 0]) };
      drawJoint(d, m, j, () => 0xffffff, V(0, 1), 1);
      for (const p of d.parts) expect(p.local.elements.every(Number.isFinite)).toBe(true);
    }
  }
});

test("pitch circles from the ratio, or from the motion", () => {
  const m = new Motion(3, 3, [0, 1], [0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 6, 3, 0, -3]);
  const j = { name: "g", type: "coupling", a: at(1, [0, 0, 0]), b: at(2, [0, 0, 0]) };
  expect(wheels({ joints: [j] }, m, j, true).map((w) => w.radius)).toEqual([1, 2]);
  const rack = new Motion(3, 3, [0, 1], [0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 6, 3, 1.5, 0]);
  expect(wheels({ joints: [j] }, rack, j, true)).toMatchObject([{ body: 1, radius: 0.25 }]);
});

describe("a body on one joint", () => {
  const joints = [{ name: "a", type: "spherical", a: at(0, [0, 0, 0]), b: at(1, [0, 0, 0]) }];
  const draw = (body: object) => {
    const d = new Drawing(false, 0.02, 2);
    drawStick(d, { joints }, 1, { name: "b", mass: 2, com: [0, 0, 0.5], ...body }, 0xff0000, 1);
    return d;
  };
  test("ends at a named point beyond its mass centre", () => {
    const d = draw({ markers: [{ name: "tip", p: [0, 0, 1] }, { name: "centre", p: [0, 0, 0.5] }] });
    const rod = d.parts.find((p) => p.solid === "cylinder");
    expect(rod?.local.elements[14]).toBeCloseTo(0.5, 12);
    expect(Math.hypot(...[8, 9, 10].map((i) => rod!.local.elements[i] as number))).toBeCloseTo(1, 12);
  });
  test("else it is a top: an arm and the solid of its inertia, or a bob", () => {
    const d = draw({ markers: [{ name: "centre", p: [0, 0, 0.5] }], inertia: [0.02, 0.02, 0.03] });
    expect(d.parts.some((p) => p.solid === "rotor")).toBe(true);
    expect(draw({}).parts.some((p) => p.solid === "globe")).toBe(true);
  });
});

test("a free body with contact points alone is a rod between them", () => {
  const d = new Drawing(true, 0.05, 3);
  const shapes = [{ type: "point", p: [-1, 0, 0] }, { type: "point", p: [1, 0, 0] }];
  drawStick(d, {} as SceneSpec, 1, { name: "ladder", mass: 1, com: [0, 0, 0], shapes }, 0xff0000, 2);
  const rod = d.parts.find((p) => p.solid === "box");
  expect(rod?.local.elements[0]).toBeCloseTo(2, 12);
});
