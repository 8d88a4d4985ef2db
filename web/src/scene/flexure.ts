/**
 * The deformation of beams and modal bodies, enlarged: that of stiff bodies is too small to see. All displacements from the
 * undeformed shape are enlarged by one factor, for every point of the body. The undeformed shape moves along: it is put
 * where joints hold the body, and what they leave free is the best fit.
 */
import { Matrix4, Quaternion, Vector3 } from "three";
import { fit, round125 } from "../data/fit";
import type { Motion } from "../data/motion";
import type { Flexible } from "../data/types";
import { num } from "../format";

/** Drawn deformation in parts of the size of a body, where the model gives no factor. */
const SEEN = 0.12;
/** Beyond, the digits of the data would be seen instead of the deformation. */
const MOST = 1e6;
/** Deformation in parts of the size below which there is none. */
const NONE = 1e-9;
/** Frames that are looked at for the largest deformation. */
const FRAMES = 60;
/** Bodies of one factor that are named at most. */
const NAMED = 4;

interface Group {
  spec: Flexible;
  rest: Float64Array;
  restMatrices: Matrix4[];
  held: Set<number>;
  clamped: Set<number>;
  /** Largest extent of the undeformed shape, m. */
  size: number;
  /** How many times larger it is drawn, without the slider. */
  base: number;
}

const asked = (f: Flexible): boolean => !!f.exaggerate && f.exaggerate >= 1;

/** Whether the model asks for enlarged deformation, so that it is drawn from the start. */
export const deformedFromStart = (list: Flexible[] | undefined): boolean => (list ?? []).some(asked);

export class Flexure {
  /** Drawn enlarged. */
  on: boolean;
  /** On top of the factors of the bodies. */
  scale = 1;
  private readonly groups: Group[];
  private readonly motion: Motion;
  private readonly bodies: number;

  constructor(list: Flexible[], bodies: number, motion: Motion) {
    this.on = deformedFromStart(list);
    this.motion = motion;
    this.bodies = bodies;
    const whole = (f: Flexible) => Array.isArray(f.nodes) && Array.isArray(f.rest) && f.nodes.length === f.rest.length && f.nodes.every((b) => b > 0 && b < bodies);
    // outer ones last: they move what hangs on them, inner ones included
    const weight = (f: Flexible) => (f.hanging ?? []).reduce((n, x) => n + x.bodies.length, 0);
    const shown = list.filter(whole).filter((f) => !this.on || asked(f)).sort((a, b) => weight(a) - weight(b));
    this.groups = shown.map((spec) => {
      const rest = Float64Array.from(spec.rest.flat());
      const at = (i: number) => new Vector3(rest[7 * i], rest[7 * i + 1], rest[7 * i + 2]);
      let size = 0;
      for (let i = 0; i < spec.nodes.length; i++) size = Math.max(size, at(i).distanceTo(at(0)));
      return { spec, rest, restMatrices: spec.nodes.map((_, i) => matrixOf(rest, 7 * i)), held: new Set(spec.held ?? []), clamped: new Set(spec.clamped ?? []), size, base: spec.exaggerate ?? 1 };
    });
    if (!this.on) this.choose();
  }

  get any(): boolean {
    return this.groups.length > 0;
  }

  /** One factor for all bodies, by which the largest deformation of the motion is well seen. */
  choose(): void {
    if (deformedFromStart(this.groups.map((g) => g.spec))) return;
    let best = MOST;
    const { frames } = this.motion;
    const stride = Math.max(1, Math.floor(frames / FRAMES));
    for (const g of this.groups) {
      let most = 0;
      for (let f = 0; f < frames; f += stride) most = Math.max(most, this.largest(g, f));
      if (g.size > 0 && most > NONE * g.size) best = Math.min(best, round125((SEEN * g.size) / most));
    }
    for (const g of this.groups) g.base = best === MOST ? 1 : best;
  }

  /** Largest displacement of a node in a frame, m. */
  private largest(g: Group, frame: number): number {
    const poses = new Float64Array(7 * g.spec.nodes.length);
    for (const [i, body] of g.spec.nodes.entries()) if (!this.motion.frame(frame, body, poses, 7 * i)) return 0;
    const at = fit(g.rest, poses, g.held, g.clamped);
    if (!at) return 0;
    const rigid = matrixOf(at, 0);
    let most = 0;
    for (let i = 0; i < g.spec.nodes.length; i++) {
      const p = new Vector3().setFromMatrixPosition(g.restMatrices[i] as Matrix4).applyMatrix4(rigid);
      most = Math.max(most, p.distanceTo(new Vector3(poses[7 * i], poses[7 * i + 1], poses[7 * i + 2])));
    }
    return most;
  }

  private factor(g: Group): number {
    return Math.min(MOST, Math.max(1, g.base * this.scale));
  }

  /** Where points of the bodies are drawn in a frame of the motion: what the picture must hold. */
  origins(frame: number): Vector3[] {
    const matrices = Array.from({ length: this.bodies }, () => new Matrix4());
    const valid = new Uint8Array(this.bodies);
    const pose = new Float64Array(7);
    for (let b = 0; b < this.bodies; b++) {
      if (!this.motion.frame(frame, b, pose)) continue;
      valid[b] = 1;
      (matrices[b] as Matrix4).copy(matrixOf(pose, 0));
    }
    this.apply(matrices, valid);
    return this.groups.flatMap((g) => g.spec.nodes.filter((b) => valid[b]).map((b) => new Vector3().setFromMatrixPosition(matrices[b] as Matrix4)));
  }

  /** Replaces the matrices of deformed bodies, and of what hangs on them, by those that are drawn. */
  apply(matrices: Matrix4[], valid: Uint8Array): void {
    for (const g of this.groups) {
      const factor = this.factor(g);
      const { nodes, hanging } = g.spec;
      if (factor === 1 || !nodes.every((b) => valid[b])) continue;
      const poses = new Float64Array(7 * nodes.length);
      nodes.forEach((b, i) => poseOf(matrices[b] as Matrix4, poses, 7 * i));
      const at = fit(g.rest, poses, g.held, g.clamped);
      if (!at) continue;
      const rigid = matrixOf(at, 0);
      const own = new Matrix4();
      const moves = (hanging ?? []).map((x) => {
        const node = matrices[nodes[x.node] ?? -1];
        return node ? follow(own.multiplyMatrices(rigid, g.restMatrices[x.node] as Matrix4), node, factor) : new Matrix4();
      });
      nodes.forEach((b, i) => {
        own.multiplyMatrices(rigid, g.restMatrices[i] as Matrix4);
        const drawn = (matrices[b] as Matrix4).elements;
        // all points of the node, which is what a matrix moves
        for (let k = 0; k < 16; k++) drawn[k] = (own.elements[k] as number) + factor * ((drawn[k] as number) - (own.elements[k] as number));
      });
      (hanging ?? []).forEach((x, k) => {
        for (const b of x.bodies) matrices[b]?.premultiply(moves[k] as Matrix4);
      });
    }
  }

  /** What the page says of it. */
  words(): string {
    const groups = new Map<string, string[]>();
    for (const g of this.groups) {
      const times = num(this.factor(g), 3);
      groups.set(times, [...(groups.get(times) ?? []), `\`${g.spec.name}\``]);
    }
    const some = (names: string[]) => names.slice(0, NAMED).join(", ") + (names.length > NAMED ? ` and ${names.length - NAMED} more bodies` : "");
    return [...groups].map(([times, names]) => `deformation of ${some(names)} drawn ${times === "1" ? "as it is" : `${times} times enlarged`}`).join("; ");
  }

  /** The factor of a body by name; for tests. */
  factorOf(name: string): number | null {
    const g = this.groups.find((x) => x.spec.name === name);
    return g ? this.factor(g) : null;
  }
}

function matrixOf(pose: ArrayLike<number>, at: number): Matrix4 {
  const [x, y, z, qw, qx, qy, qz] = [0, 1, 2, 3, 4, 5, 6].map((k) => pose[at + k] as number) as [number, number, number, number, number, number, number];
  return new Matrix4().compose(new Vector3(x, y, z), new Quaternion(qx, qy, qz, qw).normalize(), new Vector3(1, 1, 1));
}

function poseOf(m: Matrix4, out: Float64Array, at: number): void {
  const q = new Quaternion().setFromRotationMatrix(m);
  out.set([m.elements[12] as number, m.elements[13] as number, m.elements[14] as number, q.w, q.x, q.y, q.z], at);
}

/** The rigid motion of what is fastened to a node from where it is to where it is drawn. Its turn never exceeds a right angle. */
function follow(undeformed: Matrix4, now: Matrix4, factor: number): Matrix4 {
  const turn = new Quaternion().setFromRotationMatrix(now).multiply(new Quaternion().setFromRotationMatrix(undeformed).invert());
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  const half = Math.atan2(Math.hypot(turn.x, turn.y, turn.z), turn.w);
  const axis = half > 1e-12 ? new Vector3(turn.x, turn.y, turn.z).normalize() : new Vector3(0, 0, 1);
  const angle = Math.atan2(factor * Math.sin(2 * half), Math.cos(2 * half));
  const from = new Vector3().setFromMatrixPosition(undeformed);
  const at = new Vector3().setFromMatrixPosition(now);
  const drawn = from.clone().addScaledVector(at.clone().sub(from), factor);
  const extra = new Quaternion().setFromAxisAngle(axis, angle - 2 * half);
  // first about the node, then along
  return new Matrix4().makeTranslation(drawn.x, drawn.y, drawn.z).multiply(new Matrix4().makeRotationFromQuaternion(extra)).multiply(new Matrix4().makeTranslation(-at.x, -at.y, -at.z));
}
