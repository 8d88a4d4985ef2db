/** Bodies drawn from the shapes the model gives them. */
import { Quaternion, ShapeUtils, Vector2, Vector3 } from "three";
import { decode } from "../data/decode";
import type { Shape } from "../data/types";
import { quat, vec, type Drawing, type Paint } from "./drawing";

const Z = new Vector3(0, 0, 1);
const positive = (x: unknown, fallback: number): number => (typeof x === "number" && x > 0 && Number.isFinite(x) ? x : fallback);

/** Where the model is over its whole motion. */
export interface Room {
  /** Size of the mechanism. */
  size: number;
  up: Vector3;
  center: Vector3;
  /** Around the centre, so that all is inside. */
  radius: number;
}

/** Points that a bounded shape lies around, in the axes of its body; none for endless ones and meshes. */
export function outerPoints(s: Shape): Vector3[] {
  const p = vec(s.p);
  const r = quat(s.r);
  const half = 0.5 * (typeof s.length === "number" ? s.length : 0);
  const local: Vector3[] =
    s.type === "polyline" || s.type === "segment"
      ? [s.a, s.b, ...(s.points ?? [])].filter((x) => x !== undefined).map(vec)
      : s.type === "box" && Array.isArray(s.size)
        ? [1, -1].map((k) => vec(s.size as number[]).multiplyScalar(0.5 * k))
        : ["circle", "sphere", "point", "capsule", "cylinder"].includes(s.type)
          ? [new Vector3(0, 0, half), new Vector3(0, 0, -half)]
          : [];
  return local.map((x) => x.applyQuaternion(r).add(p));
}

/** Draws one shape. Meshes arrive later: they are unpacked first. Returns a sentence if it cannot. */
export async function drawShape(d: Drawing, body: number, s: Shape, paint: Paint, room: Room): Promise<string | null> {
  const p = vec(s.p);
  const r = quat(s.r);
  const { u } = d;
  const { size, up } = room;
  const at = (q: Vector3) => q.applyQuaternion(r).add(p);
  switch (s.type) {
    case "sphere": {
      const radius = positive(s.radius, u);
      d.add(body, "globe", p, r, new Vector3(radius, radius, radius), paint);
      return null;
    }
    case "capsule": {
      const half = 0.5 * positive(s.length, 2 * u);
      const radius = positive(s.radius, u);
      d.add(body, "cylinder", p, r, new Vector3(radius, radius, 2 * half), paint);
      for (const z of [-half, half]) d.ball(body, at(new Vector3(0, 0, z)), radius, paint);
      return null;
    }
    case "box": {
      const list = Array.isArray(s.size) ? s.size : [s.size, s.size, s.size];
      d.add(body, "box", p, r, new Vector3(positive(list[0], u), positive(list[1], u), positive(list[2], d.planar ? 0.4 * d.lift : u)), paint);
      return null;
    }
    case "cylinder": {
      const radius = positive(s.radius, u);
      d.add(body, "rotor", p, r, new Vector3(radius, radius, positive(s.length, u)), paint);
      return null;
    }
    case "plane": {
      // Planes of the ground have no end: drawn is what lies below the motion.
      const middle = body === 0 ? room.center.clone().sub(p).applyQuaternion(r.clone().invert()).setZ(0) : new Vector3();
      const half = body === 0 ? 1.15 * room.radius : 0.5 * positive(s.size, 2 * size);
      const corners = [[-half, -half], [half, -half], [half, half], [-half, half]].map(([x, y]) => at(new Vector3(x, y, 0).add(middle)));
      // Floors are seen, walls are seen through.
      const upright = Math.abs(new Vector3(0, 0, 1).applyQuaternion(r).dot(up)) < 0.7;
      d.plate(body, Float32Array.from(corners.flatMap((c) => [...c])), Uint32Array.from([0, 1, 2, 0, 2, 3]), paint, upright ? 0.12 : 0.35);
      return null;
    }
    case "mesh": {
      const [vertices, triangles] = await Promise.all([decode(s.vertices), decode(s.triangles)]);
      const n = vertices.values.length / 3;
      if (vertices.fault || triangles.fault || triangles.values.some((i) => i >= n)) return "its mesh cannot be read";
      const positions = new Float32Array(3 * n);
      for (let i = 0; i < n; i++) {
        const q = at(new Vector3(vertices.values[3 * i], vertices.values[3 * i + 1], vertices.values[3 * i + 2]));
        positions.set([q.x, q.y, q.z], 3 * i);
      }
      d.plate(body, positions, Uint32Array.from(triangles.values), paint);
      return null;
    }
    case "circle": {
      const radius = positive(s.radius, u);
      d.disc(body, d.at(body, p), radius, 0.4 * d.lift, Z, paint);
      const tip = new Vector3(0.92 * radius, 0, 0).applyQuaternion(r).add(p);
      d.line(body, d.at(body, p, 0.3), d.at(body, tip, 0.3), "ink", "body", Math.min(0.14 * u, 0.06 * radius));
      return null;
    }
    case "point":
      d.ball(body, p, 0.7 * u, paint);
      return null;
    case "segment":
      d.rod(body, at(vec(s.a)), at(vec(s.b)), 0.4 * u, paint);
      return null;
    case "polyline": {
      const points = (s.points ?? []).map((q) => at(vec(q)));
      if (points.length < 2) return "its line has fewer than two points";
      const ends = s.closed ? points.length : points.length - 1;
      for (let i = 0; i < ends; i++) {
        d.rod(body, points[i] as Vector3, points[(i + 1) % points.length] as Vector3, 0.25 * u, paint, "body", false);
      }
      if (s.closed && points.length > 2) {
        const flat = points.map((q) => new Vector2(q.x, q.y));
        const faces = ShapeUtils.triangulateShape(flat, []);
        const positions = new Float32Array(3 * points.length);
        points.forEach((q, k) => positions.set([q.x, q.y, d.z(body) - 0.1 * d.lift], 3 * k));
        d.plate(body, positions, Uint32Array.from(faces.flat()), paint, 0.6);
      }
      return null;
    }
    case "line": {
      // A half plane: its edge and a strip of the solid side.
      const normal = vec(s.normal ?? [0, 1]).normalize().applyQuaternion(r);
      const turn = new Quaternion().setFromAxisAngle(Z, Math.atan2(normal.y, normal.x) - Math.PI / 2);
      const long = 40 * size;
      const depth = 0.06 * size;
      const middle = p.clone().addScaledVector(normal, -0.5 * depth);
      d.add(body, "box", d.at(body, middle, -2), turn, new Vector3(long, depth, 0.2 * d.lift), "ground", "body", false);
      return null;
    }
    default:
      return `the shape “${String(s.type)}” is not known to this page`;
  }
}
