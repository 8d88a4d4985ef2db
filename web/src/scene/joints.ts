/** Symbols of joints and forces. */
import { Quaternion, Vector3 } from "three";
import type { Motion } from "../data/motion";
import type { Interaction, Joint, Place, SceneSpec } from "../data/types";
import { along, quat, vec, type Drawing, type Paint } from "./drawing";

const Z = new Vector3(0, 0, 1);
const X = new Vector3(1, 0, 0);
/** Joints whose axis is a direction of sliding, drawn in the plane along x when nothing is said. */
const SLIDING = new Set(["prismatic", "point-on-line"]);

export function jointAxis(j: Joint, side: "a" | "b", planar: boolean): Vector3 {
  const given = side === "a" ? j.axis_a : j.axis_b;
  if (given && given.length >= 2) {
    const v = vec(given);
    if (v.lengthSq() > 1e-12) return v.normalize();
  }
  const place = side === "a" ? j.a : j.b;
  const base = planar && !place?.r && SLIDING.has(j.type) ? X : Z;
  return base.clone().applyQuaternion(quat(place?.r));
}

/** How far the second place moves along the axis of the first: least and greatest over the run. */
export function travel(motion: Motion, a: Place, b: Place, axis: Vector3): [number, number] {
  const pose = new Float64Array(7);
  const point = (f: number, e: Place): Vector3 | null => {
    if (!motion.frame(f, e.body, pose)) return null;
    const q = new Quaternion(pose[4], pose[5], pose[6], pose[3]);
    return vec(e.p).applyQuaternion(q).add(new Vector3(pose[0], pose[1], pose[2]));
  };
  let lo = Infinity;
  let hi = -Infinity;
  const stride = Math.max(1, Math.floor(motion.frames / 400));
  for (let f = 0; f < motion.frames; f += stride) {
    const pb = point(f, b);
    const pa = point(f, a);
    if (!pa || !pb) continue;
    // `pose` now is that of body a.
    const q = new Quaternion(pose[4], pose[5], pose[6], pose[3]);
    const s = pb.sub(pa).dot(axis.clone().applyQuaternion(q));
    lo = Math.min(lo, s);
    hi = Math.max(hi, s);
  }
  return lo <= hi ? [lo, hi] : [0, 0];
}

export function drawJoint(d: Drawing, motion: Motion, j: Joint, paintOf: (body: number) => Paint, up: Vector3, size: number): void {
  const { u, planar } = d;
  const { a, b } = j;
  if (!a || !b) return;
  const pa = vec(a.p);
  const pb = vec(b.p);
  const axisA = jointAxis(j, "a", planar);
  const axisB = jointAxis(j, "b", planar);
  // Pins lie over both bodies. They ride on b, so they show whether the joint holds.
  const above = Math.max(a.body, b.body) - b.body + 0.5;
  const pin = (radius: number) => d.disc(b.body, d.at(b.body, pb, above), radius, 0.3 * d.lift, Z, "pin", "joint");
  const ground = a.body === 0 ? { body: 0, p: pa } : b.body === 0 ? { body: 0, p: pb } : null;

  switch (j.type) {
    case "revolute":
    case "spherical":
      if (planar) {
        if (ground) support(d, ground.p, up);
        pin(0.6 * u);
      } else if (j.type === "spherical") {
        d.ball(b.body, pb, 1.4 * u, "metal", "joint");
        if (ground) foot(d, ground.p, up);
      } else {
        d.disc(b.body, pb, 0.8 * u, 3.4 * u, axisB, "metal", "joint");
        d.disc(a.body, pa, 1.25 * u, 1.5 * u, axisA, ground?.p === pa ? "ground" : paintOf(a.body), "joint");
      }
      break;
    case "prismatic":
    case "cylindrical":
    case "screw":
    case "point-on-line": {
      const [lo, hi] = travel(motion, a, b, axisA);
      const margin = 4 * u;
      const from = pa.clone().addScaledVector(axisA, Math.min(lo - margin, hi - margin));
      const to = pa.clone().addScaledVector(axisA, Math.max(hi + margin, lo + margin));
      if (planar) {
        const side = new Vector3(-axisA.y, axisA.x, 0).multiplyScalar(j.type === "prismatic" ? 1.75 * u : 0);
        for (const s of side.lengthSq() > 0 ? [1, -1] : [0]) {
          d.line(a.body, from.clone().addScaledVector(side, s), to.clone().addScaledVector(side, s), a.body === 0 ? "rail" : paintOf(a.body), "joint", 0.2 * u);
        }
      } else d.rod(a.body, from, to, 0.5 * u, a.body === 0 ? "rail" : paintOf(a.body), "joint", false);
      if (j.type === "point-on-line") {
        if (planar) pin(0.6 * u);
        else d.ball(b.body, pb, 1.1 * u, "metal", "joint");
      } else if (planar) {
        const turn = new Quaternion().setFromAxisAngle(Z, Math.atan2(axisB.y, axisB.x));
        d.add(b.body, "box", d.at(b.body, pb), turn, new Vector3(5.6 * u, 3.1 * u, 0.4 * d.lift), paintOf(b.body));
      } else if (j.type === "prismatic") {
        d.add(b.body, "box", pb, along(axisB), new Vector3(2.6 * u, 2.6 * u, 4.4 * u), paintOf(b.body));
      } else d.disc(b.body, pb, 1.4 * u, 4.4 * u, axisB, paintOf(b.body));
      break;
    }
    case "universal":
      d.disc(a.body, pa, 0.5 * u, 4 * u, axisA, "metal", "joint");
      d.disc(b.body, pb, 0.5 * u, 4 * u, axisB, "metal", "joint");
      d.ball(b.body, pb, 0.9 * u, "metal", "joint");
      if (ground && !planar) foot(d, ground.p, up);
      break;
    case "fixed": {
      const s = 1.7 * u;
      d.add(b.body, "box", d.at(b.body, pb, above), quat(b.r), new Vector3(s, s, planar ? 0.3 * d.lift : s), "ink", "joint", false);
      if (ground && planar) support(d, ground.p, up);
      break;
    }
    case "distance":
      d.links.push({ solid: "cylinder", a: { body: a.body, p: d.at(a.body, pa) }, b: { body: b.body, p: d.at(b.body, pb) }, radius: 0.4 * u, paint: "metal", layer: "joint" });
      for (const [e, p] of [[a, pa], [b, pb]] as const) {
        if (planar) {
          if (e.body === 0) support(d, p, up);
          d.disc(e.body, d.at(e.body, p, 0.5), 0.6 * u, 0.3 * d.lift, Z, "pin", "joint");
        } else d.ball(e.body, p, 0.9 * u, "metal", "joint");
      }
      break;
    case "planar":
    case "point-on-plane":
      if (planar) pin(0.6 * u);
      else {
        patch(d, a.body, pa, axisA, 0.16 * size);
        d.ball(b.body, pb, u, "metal", "joint");
      }
      break;
    case "rolling": {
      const r = j.radius && j.radius > 0 ? j.radius : 4 * u;
      if (planar) {
        d.disc(b.body, d.at(b.body, pb), r, 0.4 * d.lift, Z, paintOf(b.body));
        d.line(b.body, d.at(b.body, pb, 0.3), d.at(b.body, pb.clone().add(new Vector3(0.92 * r, 0, 0)), 0.3), "ink", "body");
        const along = new Vector3(-axisA.y, axisA.x, 0);
        d.line(0, pa.clone().addScaledVector(along, -20 * size), pa.clone().addScaledVector(along, 20 * size), "rail", "joint");
      } else if (j.shape === "sphere") d.add(b.body, "globe", pb, quat(b.r), new Vector3(r, r, r), paintOf(b.body));
      else d.add(b.body, "rotor", pb, along(axisB), new Vector3(r, r, Math.max(0.06 * r, 0.4 * u)), paintOf(b.body));
      break;
    }
    case "parallel-axes":
      for (const [e, p, axis] of [[a, pa, axisA], [b, pb, axisB]] as const) {
        d.line(e.body, p.clone().addScaledVector(axis, -2.5 * u), p.clone().addScaledVector(axis, 2.5 * u), "rail", "joint");
      }
      break;
    default:
      // motion, coupling and what is still to come: nothing to see of their own
      break;
  }
}

/** Triangle with a hatched base under a pin on the ground. */
function support(d: Drawing, p: Vector3, up: Vector3): void {
  const turn = new Quaternion().setFromAxisAngle(Z, Math.atan2(up.y, up.x) - Math.PI / 2);
  const s = 2.1 * d.u;
  d.add(0, "support", new Vector3(p.x, p.y, -1.5 * d.lift), turn, new Vector3(s, s, 1), "ground", "joint", false);
}

/** A foot under a ball on the ground. */
function foot(d: Drawing, p: Vector3, up: Vector3): void {
  d.add(0, "cone", p.clone().addScaledVector(up, -2.6 * d.u), along(up), new Vector3(1.7 * d.u, 1.7 * d.u, 2.6 * d.u), "ground", "joint");
}

function patch(d: Drawing, body: number, p: Vector3, axis: Vector3, half: number): void {
  const turn = along(axis);
  const corners = [[-half, -half], [half, -half], [half, half], [-half, half]].map(([x, y]) => new Vector3(x, y, 0).applyQuaternion(turn).add(p));
  d.plate(body, Float32Array.from(corners.flatMap((c) => [...c])), Uint32Array.from([0, 1, 2, 0, 2, 3]), "rail", 0.25, "joint");
}

export interface Wheel {
  body: number;
  p: Vector3;
  axis: Vector3;
  radius: number;
}

/**
 * Pitch circles of a gear, from the distance of the axles and the ratio. The ratio is the joint's,
 * or what the motion shows: of two turning bodies, or of a pinion and a sliding rack.
 */
export function wheels(scene: SceneSpec, motion: Motion, j: Joint, planar: boolean): Wheel[] {
  if (!["gear", "rack", "coupling"].includes(j.type) || motion.frames < 2) return [];
  const [first, second] = (j.joints ?? []).map((i) => scene.joints?.[i]);
  const a = first?.b ?? j.a;
  const b = second?.b ?? j.b;
  if (!a || !b || a.body === b.body || a.body === 0 || b.body === 0) return [];
  const pose = new Float64Array(7);
  const centre = (e: Place, f: number): Vector3 | null =>
    motion.frame(f, e.body, pose) ? vec(e.p).applyQuaternion(new Quaternion(pose[4], pose[5], pose[6], pose[3])).add(new Vector3(pose[0], pose[1], pose[2])) : null;
  const last = motion.frames - 1;
  const [p, q, p1, q1] = [centre(a, 0), centre(b, 0), centre(a, last), centre(b, last)];
  if (!p || !q || !p1 || !q1) return [];
  const axis = (e: Place) => (planar ? new Vector3(0, 0, 1) : new Vector3(0, 0, 1).applyQuaternion(quat(e.r)));
  const turned = (e: Place) => motion.angle(last, e.body) - motion.angle(0, e.body);
  const [da, db] = [turned(a), turned(b)];
  const wheel = (e: Place, radius: number): Wheel => ({ body: e.body, p: vec(e.p), axis: axis(e), radius });
  let ratio = j.ratio;
  if (!ratio && Number.isFinite(da) && Number.isFinite(db)) {
    if (Math.abs(da) > 0.5 && Math.abs(db) > 1e-3) ratio = da / db;
    else if (Math.abs(da) > 0.5 && q1.distanceTo(q) > 0) return [wheel(a, q1.distanceTo(q) / Math.abs(da))];
    else if (Math.abs(db) > 0.5 && p1.distanceTo(p) > 0) return [wheel(b, p1.distanceTo(p) / Math.abs(db))];
  }
  if (!ratio || !Number.isFinite(ratio)) return [];
  const distance = p.distanceTo(q);
  const k = Math.abs(ratio);
  if (!(distance > 0) || (ratio > 0 && Math.abs(k - 1) < 1e-3)) return [];
  const r = ratio < 0 ? distance / (1 + k) : distance / Math.abs(k - 1);
  return [wheel(a, r), wheel(b, k * r)];
}

export function drawWheels(d: Drawing, list: Wheel[], paintOf: (body: number) => Paint): void {
  // Two gears on one body: the smaller in front.
  list.forEach((w) => {
    const larger = list.some((o) => o !== w && o.body === w.body && o.radius > w.radius);
    const at = d.at(w.body, w.p, larger ? 0.2 : -0.3);
    d.add(w.body, "gear", at, d.planar ? new Quaternion() : along(w.axis), new Vector3(w.radius, w.radius, d.planar ? 0.2 * d.lift : 0.8 * d.u), paintOf(w.body), "body");
  });
}

export function drawForce(d: Drawing, f: NonNullable<SceneSpec["forces"]>[number]): void {
  if (!f.a || !f.b) return;
  const a = { body: f.a.body, p: vec(f.a.p) };
  const b = { body: f.b.body, p: vec(f.b.p) };
  if (d.planar) {
    a.p.z = b.p.z = -1.5 * d.lift;
  }
  if (f.type === "spring" || f.type === "spring-damper") {
    d.links.push({ solid: "helix", a, b, radius: 1.3 * d.u, paint: "spring", layer: "force" });
  } else if (f.type === "bushing") {
    d.ball(b.body, b.p, 1.8 * d.u, "spring", "force");
  } else if (f.type === "damper" || f.type === "actuator" || f.type === "beam") {
    d.links.push({ solid: "cylinder", a, b, radius: 0.35 * d.u, paint: "spring", layer: "force" });
  }
}

/** A rope is a line between its ends; slack is not shown. */
export function drawRope(d: Drawing, c: Interaction): void {
  const [a, b] = c.ends ?? [];
  if (c.type !== "rope" || !a || !b) return;
  d.links.push({ solid: "cylinder", a: { body: a.body, p: d.at(a.body, vec(a.p)) }, b: { body: b.body, p: d.at(b.body, vec(b.p)) }, radius: 0.22 * d.u, paint: "spring", layer: "force" });
}
