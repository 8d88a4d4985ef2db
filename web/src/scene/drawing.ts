/**
 * What is to be drawn, before any GPU object exists: parts that ride on a body and links that
 * stretch between two bodies. Each part is a unit solid and a matrix from it to the body.
 */
import { Matrix4, Quaternion, Vector3 } from "three";

export type Solid = "cylinder" | "sphere" | "globe" | "box" | "rotor" | "block" | "helix" | "cone" | "support" | "gear";
/** What a part belongs to: switches show and hide whole layers. */
export type Layer = "body" | "joint" | "force" | "com" | "frame" | "clearance";
/** A number is a colour; names follow the theme. */
export type Paint = number | "pin" | "metal" | "ink" | "ground" | "rail" | "spring" | "contact";

export interface Part {
  body: number;
  solid: Solid;
  local: Matrix4;
  paint: Paint;
  layer: Layer;
  /** Slightly larger solid drawn from behind as a dark edge. */
  edge: Matrix4 | null;
}

export interface End {
  body: number;
  p: Vector3;
}

export interface Link {
  solid: Solid;
  a: End;
  b: End;
  radius: number;
  paint: Paint;
  layer: Layer;
}

/** Triangles of their own, for meshes and plates. */
export interface Plate {
  body: number;
  positions: Float32Array;
  indices: Uint32Array | null;
  paint: Paint;
  opacity: number;
  layer: Layer;
}

const Z = new Vector3(0, 0, 1);

export const vec = (p: ArrayLike<number> | undefined): Vector3 => {
  const f = (i: number) => {
    const x = Number(p?.[i] ?? 0);
    return Number.isFinite(x) ? x : 0;
  };
  return new Vector3(f(0), f(1), f(2));
};

/** From w x y z. */
export const quat = (r: ArrayLike<number> | undefined): Quaternion => {
  if (!r || r.length < 4) return new Quaternion();
  const q = new Quaternion(Number(r[1]), Number(r[2]), Number(r[3]), Number(r[0]));
  return Number.isFinite(q.length()) && q.length() > 1e-9 ? q.normalize() : new Quaternion();
};

/** Turns +z onto the direction. */
export const along = (direction: Vector3): Quaternion => {
  const d = direction.clone().normalize();
  return d.lengthSq() > 0.5 ? new Quaternion().setFromUnitVectors(Z, d) : new Quaternion();
};

export class Drawing {
  readonly parts: Part[] = [];
  readonly links: Link[] = [];
  readonly plates: Plate[] = [];
  readonly planar: boolean;
  /** Half width of a link: the unit of all symbols. */
  readonly u: number;
  /** Width of the dark edge. */
  private readonly rim: number;
  /** Distance in z between the layers of planar bodies. */
  readonly lift: number;

  constructor(planar: boolean, u: number, bodies: number) {
    this.planar = planar;
    this.u = u;
    this.rim = 0.16 * u;
    this.lift = planar ? (4 * u) / Math.max(8, bodies) : 0;
  }

  /** Height of a body's layer; pins lie above both bodies. */
  z(body: number): number {
    return body * this.lift;
  }

  add(body: number, solid: Solid, p: Vector3, r: Quaternion, scale: Vector3, paint: Paint, layer: Layer = "body", edged = true): void {
    const local = new Matrix4().compose(p, r, scale);
    const e = 2 * this.rim;
    const grown = new Vector3();
    if (solid === "box" || solid === "block") grown.set(scale.x + e, scale.y + e, scale.z + e);
    else if (solid === "sphere" || solid === "globe") grown.set(scale.x + this.rim, scale.y + this.rim, scale.z + this.rim);
    else grown.set(scale.x + this.rim, scale.y + this.rim, scale.z + e);
    if (this.planar) grown.z = scale.z;
    this.parts.push({ body, solid, local, paint, layer, edge: edged ? new Matrix4().compose(p, r, grown) : null });
  }

  /** A disc about z (planar) or about the axis. */
  disc(body: number, p: Vector3, radius: number, thickness: number, axis: Vector3, paint: Paint, layer: Layer = "body", edged = true): void {
    this.add(body, "cylinder", p, along(axis), new Vector3(radius, radius, thickness), paint, layer, edged);
  }

  ball(body: number, p: Vector3, radius: number, paint: Paint, layer: Layer = "body", edged = true): void {
    if (this.planar) this.disc(body, this.at(body, p), radius, 0.4 * this.lift, Z, paint, layer, edged);
    else this.add(body, "sphere", p, new Quaternion(), new Vector3(radius, radius, radius), paint, layer, edged);
  }

  /** The point lifted to the layer of its body. */
  at(body: number, p: Vector3, extra = 0): Vector3 {
    return this.planar ? new Vector3(p.x, p.y, this.z(body) + extra * this.lift) : p;
  }

  /** A rod with round ends. */
  rod(body: number, p: Vector3, q: Vector3, radius: number, paint: Paint, layer: Layer = "body", edged = true): void {
    const d = q.clone().sub(p);
    const length = d.length();
    if (length > 1e-12) {
      const middle = p.clone().add(q).multiplyScalar(0.5);
      if (this.planar) {
        const angle = Math.atan2(d.y, d.x);
        this.add(body, "box", this.at(body, middle), new Quaternion().setFromAxisAngle(Z, angle), new Vector3(length, 2 * radius, 0.4 * this.lift), paint, layer, edged);
      } else {
        this.add(body, "cylinder", middle, along(d), new Vector3(radius, radius, length), paint, layer, edged);
      }
    }
    this.ball(body, p, radius, paint, layer, edged);
    if (length > 1e-12) this.ball(body, q, radius, paint, layer, edged);
  }

  /** A line without an edge, as thin as it may be seen. */
  line(body: number, p: Vector3, q: Vector3, paint: Paint, layer: Layer, radius = 0.14 * this.u): void {
    const d = q.clone().sub(p);
    if (d.length() < 1e-12) return;
    this.add(body, "cylinder", this.at(body, p.clone().add(q).multiplyScalar(0.5)), along(d), new Vector3(radius, radius, d.length()), paint, layer, false);
  }

  plate(body: number, positions: Float32Array, indices: Uint32Array | null, paint: Paint, opacity = 1, layer: Layer = "body"): void {
    this.plates.push({ body, positions, indices, paint, opacity, layer });
  }
}
