import { describe, expect, it } from "vitest";
import { Matrix4, Quaternion, Vector3 } from "three";
import { fit, round125, rotation } from "../../src/data/fit";
import { Motion } from "../../src/data/motion";
import type { Flexible } from "../../src/data/types";
import { deformedFromStart, Flexure } from "../../src/scene/flexure";

const N = 5;
/** A straight beam of one metre along x, and how it is bent: y = u x², turned and shifted as a whole. */
const rest = Array.from({ length: N }, (_, i) => [i / (N - 1), 0, 0, 1, 0, 0, 0]);
const whole = new Matrix4().compose(new Vector3(3, -2, 0.5), new Quaternion().setFromAxisAngle(new Vector3(1, 2, 3).normalize(), 2.1), new Vector3(1, 1, 1));

function bent(u: number, at = whole): number[] {
  return rest.flatMap(([x = 0]) => {
    const own = new Matrix4().compose(new Vector3(x, u * x * x, 0), new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), Math.atan(2 * u * x)), new Vector3(1, 1, 1));
    const p = new Vector3();
    const q = new Quaternion();
    new Matrix4().multiplyMatrices(at, own).decompose(p, q, new Vector3());
    return [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
  });
}

/** A motion of one frame, with the ground, the beam, and a body beside it. */
function motionOf(poses: number[], load: number[] = [9, 9, 9, 1, 0, 0, 0]): Motion {
  return new Motion(N + 2, 7, [0], [0, 0, 0, 1, 0, 0, 0, ...poses, ...load]);
}

function place(motion: Motion): { matrices: Matrix4[]; valid: Uint8Array } {
  const pose = new Float64Array(7);
  const matrices = Array.from({ length: motion.bodies }, (_, b) => {
    motion.frame(0, b, pose);
    return new Matrix4().compose(new Vector3(pose[0], pose[1], pose[2]), new Quaternion(pose[4], pose[5], pose[6], pose[3]), new Vector3(1, 1, 1));
  });
  return { matrices, valid: new Uint8Array(motion.bodies).fill(1) };
}

const beam = (more: Partial<Flexible> = {}): Flexible => ({ name: "arm", nodes: [1, 2, 3, 4, 5], rest, held: [0], clamped: [0], ...more });
/** Origin of a body as the undeformed beam sees it. */
const local = (m: Matrix4) => new Vector3().setFromMatrixPosition(m).applyMatrix4(whole.clone().invert());
const near = (a: Vector3, b: [number, number, number], digits = 6) => b.forEach((x, k) => expect(a.getComponent(k)).toBeCloseTo(x, digits));

describe("the undeformed shape", () => {
  it("lies in its clamp", () => {
    const at = fit(rest.flat(), bent(1e-3), new Set([0]), new Set([0])) as number[];
    near(new Vector3(...(at.slice(0, 3) as [number, number, number])), [3, -2, 0.5]);
    // the clamp keeps its direction to a part of what is free to turn
    const x = rotation(at, 3);
    const right = new Vector3(1, 0, 0).transformDirection(whole);
    expect(new Vector3(x[0], x[3], x[6]).angleTo(right)).toBeLessThan(1e-6);
  });

  it("goes through both supports, and fits a free beam in the middle", () => {
    const through = fit(rest.flat(), bent(1e-2), new Set([0, N - 1]), new Set()) as number[];
    const frame = new Matrix4().compose(new Vector3(through[0], through[1], through[2]), new Quaternion(through[4], through[5], through[6], through[3]), new Vector3(1, 1, 1));
    const end = new Vector3(1, 0, 0).applyMatrix4(frame).applyMatrix4(whole.clone().invert());
    // the chord, whose length differs by the bend
    expect(end.y).toBeCloseTo(1e-2, 4);
    expect(Math.abs(end.z)).toBeLessThan(1e-6);
    const free = fit(rest.flat(), bent(1e-2), new Set(), new Set()) as number[];
    const middle = new Matrix4().compose(new Vector3(free[0], free[1], free[2]), new Quaternion(free[4], free[5], free[6], free[3]), new Vector3(1, 1, 1));
    const off = rest.map(([x = 0]) => new Vector3(x, 1e-2 * x * x, 0).y - new Vector3(x, 0, 0).applyMatrix4(middle).applyMatrix4(whole.clone().invert()).y);
    expect(off.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 8);
  });

  it("is the same after a rigid motion, and says so of numbers that are none", () => {
    const a = fit(rest.flat(), bent(1e-2, new Matrix4()), new Set([0]), new Set()) as number[];
    const b = fit(rest.flat(), bent(1e-2), new Set([0]), new Set()) as number[];
    const of = (x: number[]) => new Matrix4().compose(new Vector3(x[0], x[1], x[2]), new Quaternion(x[4], x[5], x[6], x[3]), new Vector3(1, 1, 1));
    const moved = new Matrix4().multiplyMatrices(whole, of(a));
    of(b).elements.forEach((x, k) => expect(x).toBeCloseTo(moved.elements[k] as number, 9));
    const hole = bent(1e-2);
    hole[8] = NaN;
    expect(fit(rest.flat(), hole, new Set([0]), new Set())).toBeNull();
    expect(fit([], [], new Set(), new Set())).toBeNull();
  });
});

describe("enlarged deformation", () => {
  it("is that of every point, times the factor, and leaves the clamp where it is", () => {
    const motion = motionOf(bent(1e-3));
    const f = new Flexure([beam({ exaggerate: 50 })], N + 2, motion);
    expect([f.on, f.factorOf("arm"), f.words()]).toEqual([true, 50, "deformation of `arm` drawn 50 times enlarged"]);
    const { matrices, valid } = place(motion);
    f.apply(matrices, valid);
    near(local(matrices[1] as Matrix4), [0, 0, 0], 4);
    near(local(matrices[3] as Matrix4), [0.5, 50e-3 * 0.25, 0], 4);
    near(local(matrices[5] as Matrix4), [1, 50e-3, 0], 4);
    // a point beside the tip goes with its section
    const beside = new Vector3(0, 0.1, 0).applyMatrix4(matrices[5] as Matrix4).applyMatrix4(whole.clone().invert());
    near(beside, [1 - 50 * 0.1 * 2e-3, 50e-3 + 0.1, 0], 3);
    // the ground and what is not named stay
    near(new Vector3().setFromMatrixPosition(matrices[6] as Matrix4), [9, 9, 9]);
    f.scale = 2;
    expect(f.words()).toContain("100 times");
  });

  it("takes along what hangs on it, as a rigid body", () => {
    const poses = bent(1e-3);
    const load = poses.slice(28);
    const motion = motionOf(poses, load);
    const f = new Flexure([beam({ exaggerate: 50, hanging: [{ node: 4, bodies: [6] }] })], N + 2, motion);
    const { matrices, valid } = place(motion);
    f.apply(matrices, valid);
    near(local(matrices[6] as Matrix4), [1, 50e-3, 0], 4);
    const e = (matrices[6] as Matrix4).elements;
    const column = (k: number) => new Vector3(e[4 * k], e[4 * k + 1], e[4 * k + 2]);
    for (let k = 0; k < 3; k++) expect(column(k).length()).toBeCloseTo(1, 9);
    const slope = column(0).transformDirection(whole.clone().invert());
    expect(Math.atan2(slope.y, slope.x)).toBeCloseTo(Math.atan(50 * Math.tan(2e-3)), 3);
  });

  it("finds a factor by which it is seen where the model names none", () => {
    expect([0.3, 1, 1.9, 7, 120, 3e4].map(round125)).toEqual([1, 1, 1, 5, 100, 2e4]);
    const motion = motionOf(bent(1e-3));
    const f = new Flexure([beam()], N + 2, motion);
    // 0.12 of the length over a millimetre
    expect([f.on, f.factorOf("arm")]).toEqual([false, 100]);
    expect(deformedFromStart([beam(), beam({ exaggerate: 0.5 })])).toBe(false);
    // what does not deform is drawn as it is
    expect(new Flexure([beam()], N + 2, motionOf(bent(0))).words()).toBe("deformation of `arm` drawn as it is");
    // data of other bodies are left alone
    expect(new Flexure([beam({ nodes: [1, 2, 3, 4, 99] })], N + 2, motion).any).toBe(false);
  });

  it("only enlarges bodies that the model names, if it names any", () => {
    const f = new Flexure([beam({ exaggerate: 20 }), beam({ name: "other" })], N + 2, motionOf(bent(1e-3)));
    expect([f.factorOf("arm"), f.factorOf("other")]).toEqual([20, null]);
  });
});
