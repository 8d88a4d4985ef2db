/**
 * The drawing of a body nobody gave a shape, or points alone: rods and plates between the points where joints and
 * forces hold it or contacts may touch it, and a solid of the same inertia when it hangs on one point or flies free.
 */
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Body, SceneSpec } from "../data/types";
import { vec, type Drawing, type Paint } from "./drawing";

/** These do not hold a body at the points they name. */
const UNATTACHED = new Set(["rolling", "coupling", "gear", "rack", "motion", "parallel-axes"]);

/** Points of a body where something holds it or may touch it, each once. */
function ends(scene: SceneSpec, index: number, body: Body, tolerance: number): Vector3[] {
  const points = attachments(scene, index, tolerance);
  for (const s of body.shapes ?? []) {
    const p = vec(s.p);
    if (s.type === "point" && !points.some((q) => q.distanceTo(p) <= tolerance)) points.push(p);
  }
  return points;
}

/** Points of a body where something holds it, each once. */
export function attachments(scene: SceneSpec, body: number, tolerance: number): Vector3[] {
  const points: Vector3[] = [];
  const take = (end: { body: number; p: number[] } | null | undefined) => {
    if (!end || end.body !== body) return;
    const p = vec(end.p);
    if (!points.some((q) => q.distanceTo(p) <= tolerance)) points.push(p);
  };
  for (const j of scene.joints ?? []) {
    if (UNATTACHED.has(j.type)) continue;
    take(j.a);
    take(j.b);
  }
  for (const f of scene.forces ?? []) {
    if (f.type === "gravity" || f.type === "torque") continue;
    take(f.a);
    take(f.b);
  }
  for (const c of scene.contacts ?? []) if (c.type === "rope") for (const end of c.ends ?? []) take(end);
  return points;
}

/** The two points farthest apart if all others lie within `tolerance` of the line between them. */
export function collinear(points: Vector3[], tolerance: number): [Vector3, Vector3] | null {
  let best: [Vector3, Vector3] | null = null;
  let far = -1;
  for (const p of points) {
    for (const q of points) {
      const d = p.distanceTo(q);
      if (d > far) {
        far = d;
        best = [p, q];
      }
    }
  }
  if (!best || far <= 0) return null;
  const [p, q] = best;
  const d = q.clone().sub(p).normalize();
  return points.every((x) => x.clone().sub(p).cross(d).length() <= tolerance) ? best : null;
}

/** Convex hull in the xy plane, counter-clockwise. */
export function hull(points: Vector3[]): Vector3[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (list: Vector3[]) => {
    const out: Vector3[] = [];
    for (const p of list) {
      while (out.length >= 2) {
        const a = out[out.length - 2] as Vector3;
        const b = out[out.length - 1] as Vector3;
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
        out.pop();
      }
      out.push(p);
    }
    out.pop();
    return out;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

export interface InertiaSolid {
  solid: "rotor" | "block";
  /** Half axes of a cylinder about z: r, r, half length; or half sides of a block. */
  half: Vector3;
  turn: Quaternion;
}

/** The cylinder (two equal moments) or block with the mass and inertia of the body, or null. */
export function inertiaSolid(mass: number, inertia: number[] | undefined): InertiaSolid | null {
  if (!inertia || inertia.length < 3 || !(mass > 0) || !inertia.every(Number.isFinite)) return null;
  const { moments, axes } = principal(inertia);
  const [a, b, c] = moments as [number, number, number];
  const top = Math.max(a, b, c);
  if (!(top > 0) || Math.min(a, b, c) < -1e-9 * top) return null;
  const close = (x: number, y: number) => Math.abs(x - y) <= 0.02 * top;
  // Which axis is the odd one out?
  const odd = close(a, b) ? 2 : close(b, c) ? 0 : close(a, c) ? 1 : -1;
  if (odd >= 0) {
    const axial = moments[odd] as number;
    const across = moments[(odd + 1) % 3] as number;
    const r2 = (2 * axial) / mass;
    const l2 = Math.max(0, (12 * across) / mass - 3 * r2);
    const turn = new Quaternion().setFromRotationMatrix(
      new Matrix4().makeBasis(axes[(odd + 1) % 3] as Vector3, axes[(odd + 2) % 3] as Vector3, axes[odd] as Vector3),
    );
    return { solid: "rotor", half: new Vector3(Math.sqrt(r2), Math.sqrt(r2), 0.5 * Math.sqrt(l2)), turn };
  }
  const side = (x: number) => 0.5 * Math.sqrt(Math.max(0, (6 * x) / mass));
  return {
    solid: "block",
    half: new Vector3(side(b + c - a), side(a + c - b), side(a + b - c)),
    turn: new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(axes[0] as Vector3, axes[1] as Vector3, axes[2] as Vector3)),
  };
}

/** Eigenvalues and right-handed eigenvectors of a symmetric 3×3 matrix by Jacobi rotations. */
function principal(i: number[]): { moments: number[]; axes: Vector3[] } {
  const [xx, yy, zz, xy = 0, xz = 0, yz = 0] = i as [number, number, number, number?, number?, number?];
  const m = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] as number[][];
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] as number[][];
  const M = (r: number, c: number) => (m[r] as number[])[c] as number;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]] as const) {
      const apq = M(p, q);
      off += Math.abs(apq);
      if (Math.abs(apq) < 1e-300) continue;
      const theta = (M(q, q) - M(p, p)) / (2 * apq);
      const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
      const c = 1 / Math.sqrt(t * t + 1);
      const s = t * c;
      for (let k = 0; k < 3; k++) {
        const kp = M(k, p);
        const kq = M(k, q);
        (m[k] as number[])[p] = c * kp - s * kq;
        (m[k] as number[])[q] = s * kp + c * kq;
      }
      for (let k = 0; k < 3; k++) {
        const pk = M(p, k);
        const qk = M(q, k);
        (m[p] as number[])[k] = c * pk - s * qk;
        (m[q] as number[])[k] = s * pk + c * qk;
      }
      for (const row of v) {
        const rp = row[p] as number;
        const rq = row[q] as number;
        row[p] = c * rp - s * rq;
        row[q] = s * rp + c * rq;
      }
    }
    if (off < 1e-14 * (Math.abs(xx) + Math.abs(yy) + Math.abs(zz))) break;
  }
  const axes = [0, 1, 2].map((c) => new Vector3(v[0]?.[c], v[1]?.[c], v[2]?.[c]));
  if ((axes[0] as Vector3).clone().cross(axes[1] as Vector3).dot(axes[2] as Vector3) < 0) (axes[2] as Vector3).negate();
  return { moments: [M(0, 0), M(1, 1), M(2, 2)], axes };
}

/** Draws the solid of inertia if it is of a sensible size; says whether it did. */
function drawSolid(d: Drawing, index: number, body: Body, paint: Paint, largest: number): boolean {
  const com = vec(body.com);
  if (d.planar) {
    const polar = body.inertia?.[2];
    const r = polar && body.mass ? Math.sqrt((2 * polar) / body.mass) : 0;
    const radius = Math.min(r, largest);
    if (!(radius > d.u)) return false;
    d.disc(index, d.at(index, com), radius, 0.4 * d.lift, new Vector3(0, 0, 1), paint);
    d.line(index, d.at(index, com, 0.3), d.at(index, com.clone().add(new Vector3(0.9 * radius, 0, 0)), 0.3), "ink", "body");
    return true;
  }
  const s = inertiaSolid(body.mass ?? 0, body.inertia);
  if (!s) return false;
  // A solid larger than the model allows keeps its form and is made smaller.
  const shrink = Math.min(1, largest / Math.max(s.half.x, s.half.y, s.half.z));
  s.half.multiplyScalar(shrink);
  const top = Math.max(s.half.x, s.half.y, s.half.z);
  if (!(top > 0.6 * d.u)) return false;
  const least = Math.max(0.05 * top, 0.35 * d.u);
  const half = s.half.clone().max(new Vector3(least, least, least));
  if (s.solid === "rotor") half.z *= 2; // the unit cylinder has length 1
  else half.multiplyScalar(2);
  d.add(index, s.solid, com, s.turn, half, paint);
  return true;
}

export function drawStick(d: Drawing, scene: SceneSpec, index: number, body: Body, paint: Paint, size: number, geared = false): void {
  const u = d.u;
  const com = vec(body.com);
  const points = ends(scene, index, body, 0.3 * u);
  // A last link ends at the named point beyond its mass centre; without one it is a pendulum.
  const held = points[0];
  if (held && points.length === 1) {
    const tip = (body.markers ?? []).map((m) => vec(m.p)).sort((p, q) => q.distanceTo(held) - p.distanceTo(held))[0];
    if (tip && tip.distanceTo(held) > 1.2 * com.distanceTo(held) && tip.distanceTo(held) > 2 * u && com.distanceTo(held) > 0.5 * u) points.push(tip);
  }
  const slides = (scene.joints ?? []).some((j) => ["prismatic", "cylindrical", "screw", "point-on-line"].includes(j.type) && j.b?.body === index);
  const rolls = (scene.joints ?? []).some((j) => j.type === "rolling" && j.b?.body === index);
  const first = points[0];

  if (!first || (points.length === 1 && first.distanceTo(com) < 0.5 * u)) {
    if (slides || rolls || geared) return; // the joint draws the block or the wheel
    if (body.kind !== "point" && drawSolid(d, index, body, paint, 0.3 * size)) return;
    if (d.planar || body.kind === "point") d.ball(index, com, (body.kind === "point" ? 1.6 : 2.2) * u, paint);
    else d.add(index, "globe", com, new Quaternion(), new Vector3(3 * u, 3 * u, 3 * u), paint);
    return;
  }
  const line = collinear(points, 0.5 * u);
  if (points.length === 1) {
    const arm = first.distanceTo(com);
    d.rod(index, first, com, 0.8 * u, paint);
    if (slides || rolls || drawSolid(d, index, body, paint, 0.55 * arm)) return;
    // In space two-tone, so that a spin about the arm is seen.
    if (d.planar) d.ball(index, com, 2.2 * u, paint);
    else d.add(index, "globe", com, new Quaternion(), new Vector3(3 * u, 3 * u, 3 * u), paint);
    return;
  }
  if (line) {
    d.rod(index, line[0], line[1], u, paint);
    offsetMass(d, index, com, line, paint);
    return;
  }
  if (d.planar) {
    const ring = hull(points);
    const positions = new Float32Array(3 * ring.length);
    ring.forEach((p, k) => positions.set([p.x, p.y, d.z(index) - 0.1 * d.lift], 3 * k));
    const triangles: number[] = [];
    for (let k = 1; k + 1 < ring.length; k++) triangles.push(0, k, k + 1);
    d.plate(index, positions, Uint32Array.from(triangles), paint, 0.45);
    ring.forEach((p, k) => d.rod(index, p, ring[(k + 1) % ring.length] as Vector3, 0.6 * u, paint));
    for (const p of points) d.ball(index, p, 0.9 * u, paint);
    return;
  }
  if (points.length === 3) {
    const [a, b, c] = points as [Vector3, Vector3, Vector3];
    d.plate(index, Float32Array.from([...a, ...b, ...c]), Uint32Array.from([0, 1, 2]), paint, 0.45);
    for (const [p, q] of [[a, b], [b, c], [c, a]] as const) d.rod(index, p, q, 0.6 * u, paint);
    return;
  }
  // Many points in space: spokes from the mass centre, so that the body stays one thing.
  for (const p of points) d.rod(index, com, p, 0.6 * u, paint);
  d.ball(index, com, 1.2 * u, paint);
}

/** A mass centre beside its rod is shown on a thin arm. */
function offsetMass(d: Drawing, index: number, com: Vector3, line: [Vector3, Vector3], paint: Paint): void {
  const [p, q] = line;
  const dir = q.clone().sub(p);
  const s = Math.min(1, Math.max(0, com.clone().sub(p).dot(dir) / dir.lengthSq()));
  const foot = p.clone().addScaledVector(dir, s);
  if (foot.distanceTo(com) < 2 * d.u) return;
  d.rod(index, foot, com, 0.45 * d.u, paint);
  d.ball(index, com, 1.5 * d.u, paint);
}
