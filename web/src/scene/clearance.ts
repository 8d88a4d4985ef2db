/**
 * The play of joints with clearance, enlarged: it is far too small to see. A journal that touches its ring, or a
 * block that touches its walls, where the play is used up. All displacements in the play are enlarged by one factor.
 */
import { BoxGeometry, Matrix4, Mesh, MeshLambertMaterial, Object3D, SphereGeometry, Vector3 } from "three";
import type { Motion } from "../data/motion";
import type { Joint, Place } from "../data/types";
import { num } from "../format";
import { paintColor } from "./colors";
import { along, quat, vec, type Drawing } from "./drawing";
import { jointAxis, travel } from "./joints";

/** In half widths of a link: radius of a drawn journal and half the width of a drawn block, half the length of that block. */
const HALF = 0.9;
const HALF_LENGTH = 1.8;
/** Radius of the ring of a journal whose factor is not given, in the same unit. */
const RING = 3.2;
/** How far beyond its clearance something is drawn, as a multiple of it: what burst its joint stays in sight. */
const BURST = 1.3;
/** Joints of one factor that are named at most. */
const NAMED = 6;

/** A joint whose play is drawn. */
export interface Loose {
  joint: Joint & { a: Place; b: Place; clearance: number };
  /** How many times larger the play is drawn. */
  factor: number;
}

const hasClearance = (j: Joint): j is Loose["joint"] => !!j.a && !!j.b && !!j.clearance && j.clearance > 0;
const asked = (j: Joint): boolean => hasClearance(j) && !!j.exaggerate && j.exaggerate >= 1;

/** Whether the model asks for enlarged play, so that it is drawn from the start. */
export const enlargedFromStart = (joints: Joint[]): boolean => joints.some(asked);

/** Joints whose play is drawn: those that the model names by `exaggerate`, or all where it names none. */
export function looseJoints(joints: Joint[], u: number): Loose[] {
  const named = enlargedFromStart(joints);
  const shown = joints.filter(hasClearance).filter((j) => !named || asked(j));
  return shown.map((joint) => ({ joint, factor: named ? (joint.exaggerate as number) : ((RING - HALF) * u) / joint.clearance }));
}

/** What the page says of enlarged play. */
export function playWords(list: Loose[]): string {
  const groups = new Map<string, string[]>();
  for (const { joint, factor } of list) {
    const times = num(factor, 3);
    groups.set(times, [...(groups.get(times) ?? []), `\`${joint.name}\``]);
  }
  const some = (names: string[]) => names.slice(0, NAMED).join(", ") + (names.length > NAMED ? ` and ${names.length - NAMED} more joints` : "");
  return [...groups].map(([times, names]) => `play of ${some(names)} drawn ${times} times enlarged`).join("; ");
}

/** Rings and walls, on the body that has the hole or guide. */
export function drawPlay(d: Drawing, motion: Motion, list: Loose[]): void {
  for (const { joint: j, factor } of list) {
    const body = j.a.body;
    const p = vec(j.a.p);
    const axis = jointAxis(j, "a", d.planar);
    const room = factor * j.clearance + HALF * d.u;
    if (!j.block) {
      ring(d, body, d.at(body, p, Math.max(body, j.b.body) - body + 1.5), axis, room);
      continue;
    }
    const [lo, hi] = travel(motion, j.a, j.b, axis);
    const margin = 2 * HALF_LENGTH * d.u;
    const [from, to] = [p.clone().addScaledVector(axis, lo - margin), p.clone().addScaledVector(axis, hi + margin)];
    const [width, height] = [0, 1].map((k) => axisOf(j.a, k));
    for (const x of [-room, room]) {
      for (const y of d.planar ? [0] : [-room, room]) {
        const at = (e: Vector3) => e.clone().addScaledVector(width as Vector3, x).addScaledVector(height as Vector3, y);
        d.line(body, at(from), at(to), "rail", "clearance", 0.15 * d.u);
      }
    }
  }
}

function ring(d: Drawing, body: number, p: Vector3, axis: Vector3, radius: number): void {
  const n = 48;
  const turn = along(axis);
  const corners = Array.from({ length: n }, (_, k) => (2 * Math.PI * k) / n).flatMap((angle) =>
    [radius, radius + 0.3 * d.u].map((r) => new Vector3(r * Math.cos(angle), r * Math.sin(angle), 0).applyQuaternion(turn).add(p)),
  );
  const triangles = Array.from({ length: n }, (_, k) => [2 * k, 2 * k + 1, 2 * ((k + 1) % n), 2 * k + 1, 2 * ((k + 1) % n) + 1, 2 * ((k + 1) % n)]);
  d.plate(body, Float32Array.from(corners.flatMap((c) => [...c])), Uint32Array.from(triangles.flat()), "rail", 1, "clearance");
}

const axisOf = (place: Place, k: number): Vector3 => new Vector3().setComponent(k, 1).applyQuaternion(quat(place.r));

/** Where the journal or block of a joint is drawn: from a sphere of radius 1, or a cube of edge 1, to the ground. */
export function placeOf({ joint: j, factor }: Loose, bodies: Matrix4[], u: number, planar: boolean): Matrix4 {
  const [A, B] = [bodies[j.a.body] as Matrix4, bodies[j.b.body] as Matrix4];
  const middle = vec(j.a.p).applyMatrix4(A);
  const off = vec(j.b.p).applyMatrix4(B).sub(middle);
  if (!j.block) {
    middle.addScaledVector(off.clampLength(0, BURST * j.clearance), factor);
    return new Matrix4().makeScale(HALF * u, HALF * u, HALF * u).setPosition(middle);
  }
  // Corners go as those of the block do, across the axis, so that each touches its wall when it does in truth.
  const guide = [0, 1, 2].map((k) => axisOf(j.a, k).transformDirection(A));
  const axis = guide[2] as Vector3;
  const across = (v: Vector3) => v.addScaledVector(axis, -axis.dot(v));
  middle.addScaledVector(axis, axis.dot(off));
  middle.addScaledVector(across(off).clampLength(0, BURST * j.clearance), factor);
  const drawn = [HALF, planar ? 0.1 : HALF, HALF_LENGTH].map((x) => 2 * x * u);
  const edges = guide.map((e, k) => {
    const own = axisOf(j.b, k).transformDirection(B);
    // A block looks the same after half a turn.
    if (own.dot(e) < 0) own.negate();
    return across(own.sub(e)).multiplyScalar(factor * (j.block?.[k] ?? 0)).addScaledVector(e, drawn[k] as number);
  });
  return new Matrix4().makeBasis(edges[0] as Vector3, edges[1] as Vector3, edges[2] as Vector3).setPosition(middle);
}

/** The journals and blocks themselves. */
export class Clearances {
  readonly root = new Object3D();
  readonly list: Loose[];
  private readonly meshes: Mesh[];
  private readonly u: number;
  private readonly planar: boolean;

  constructor(list: Loose[], u: number, planar: boolean) {
    this.list = list;
    this.u = u;
    this.planar = planar;
    this.meshes = list.map(({ joint }) => {
      const geometry = joint.block ? new BoxGeometry(1, 1, 1) : new SphereGeometry(1, 20, 14);
      // Seen through what is in front of it: a ball sits inside of the bodies that it joins.
      const mesh = new Mesh(geometry, new MeshLambertMaterial({ depthTest: false, transparent: true }));
      mesh.renderOrder = 4;
      mesh.matrixAutoUpdate = false;
      this.root.add(mesh);
      return mesh;
    });
  }

  paint(dark: boolean): void {
    for (const mesh of this.meshes) (mesh.material as MeshLambertMaterial).color.set(paintColor("contact", dark));
  }

  place(bodies: Matrix4[], valid: Uint8Array): void {
    if (!this.root.visible) return;
    this.list.forEach((loose, k) => {
      const mesh = this.meshes[k] as Mesh;
      mesh.visible = valid[loose.joint.a.body] === 1 && valid[loose.joint.b.body] === 1;
      mesh.matrix.copy(placeOf(loose, bodies, this.u, this.planar));
      mesh.matrixWorldNeedsUpdate = true;
    });
  }

  dispose(): void {
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      (mesh.material as MeshLambertMaterial).dispose();
    }
  }
}
