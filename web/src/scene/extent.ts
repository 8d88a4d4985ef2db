/** How large the model is, over the whole motion: what the picture must hold. */
import { Box3, Quaternion, Vector3 } from "three";
import type { Report } from "../data/report";
import type { Body } from "../data/types";
import { enlargedFromStart, looseJoints } from "./clearance";
import { quat, vec, type Drawing } from "./drawing";
import type { Flexure } from "./flexure";
import { attachments } from "./stick";

const AXES = [1, -1].flatMap((s) => [new Vector3(s, 0, 0), new Vector3(0, s, 0), new Vector3(0, 0, s)]);

interface Point {
  p: Vector3;
  /** Radius around it. */
  r: number;
}

export class Extent {
  /** Points of the motion that the picture must hold. */
  cloud: Vector3[] = [];
  box = new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  /** Size of the mechanism, m. */
  size = 1;
  private readonly report: Report;
  private readonly planar: boolean;
  private readonly holds = new Map<number, Vector3[]>();
  /** Outer points of the drawn bodies, in their own axes. */
  private drawn: Vector3[][] = [];

  /** Gives what enlarges deformation, where that is drawn. */
  private readonly flexure: () => Flexure | null;

  constructor(report: Report, planar: boolean, flexure: () => Flexure | null) {
    this.report = report;
    this.flexure = flexure;
    this.planar = planar;
  }

  /** Points where a body is held; looked up once. Not to be changed. */
  held(body: number): readonly Vector3[] {
    let list = this.holds.get(body);
    if (!list) this.holds.set(body, (list = attachments(this.report.scene, body, 0)));
    return list;
  }

  /** Box around the whole motion and the size of the model. */
  measure(): void {
    const { scene, motion } = this.report;
    const pose = new Float64Array(7);
    const reach = scene.bodies.map((b, i) => this.reach(b, i));
    const cloud: Vector3[] = [];
    const boxOf = (frames: number[]): Box3 => {
      const box = new Box3();
      cloud.length = 0;
      for (const f of frames) {
        scene.bodies.forEach((_b, i) => {
          if (!motion.frame(f, i, pose)) return;
          const q = new Quaternion(pose[4], pose[5], pose[6], pose[3]);
          const x = new Vector3(pose[0], pose[1], pose[2]);
          for (const { p, r } of reach[i] ?? []) {
            const c = p.clone().applyQuaternion(q).add(x);
            box.expandByPoint(c.clone().addScalar(r)).expandByPoint(c.clone().addScalar(-r));
            if (r > 0) for (const e of AXES) cloud.push(c.clone().addScaledVector(e, r));
            else cloud.push(c);
          }
        });
      }
      return box;
    };
    const n = motion.frames;
    const stride = Math.max(1, Math.floor(n / (scene.bodies.length > 60 ? 60 : 120)));
    const frames: number[] = [];
    for (let f = 0; f < n; f += stride) frames.push(f);
    if (n > 0) frames.push(n - 1);
    const first = boxOf(frames.slice(0, 1));
    const whole = boxOf(frames);
    const given = scene.size && scene.size > 0 ? scene.size : 0;
    const diagonal = first.isEmpty() ? 0 : first.getSize(new Vector3()).length();
    // A single body that flies far is small against its path; symbols then follow the path.
    const path = whole.isEmpty() ? 0 : whole.getSize(new Vector3()).length();
    this.size = Math.max(diagonal, 0.3 * path) || given || 1;
    if (whole.isEmpty() || whole.getSize(new Vector3()).length() < 1e-9) {
      const c = scene.center && scene.center.length >= 2 ? vec(scene.center) : first.isEmpty() ? new Vector3() : first.getCenter(new Vector3());
      whole.setFromCenterAndSize(c, new Vector3(this.size, this.size, this.size));
    }
    // Play that is drawn enlarged from the start is seen as a whole. It does not count in the size: symbols stay as they are.
    for (const { joint: j, factor } of enlargedFromStart(scene.joints ?? []) ? looseJoints(scene.joints ?? [], 1) : []) {
      for (const f of frames) {
        const place = j.block ? j.b : j.a;
        if (!motion.frame(f, place.body, pose)) continue;
        const c = vec(place.p).applyQuaternion(new Quaternion(pose[4], pose[5], pose[6], pose[3])).add(new Vector3(pose[0], pose[1], pose[2]));
        for (const e of AXES) {
          const p = c.clone().addScaledVector(e, factor * j.clearance);
          whole.expandByPoint(p);
          cloud.push(p);
        }
      }
    }
    // The same for deformation.
    const bent = this.flexure();
    for (const f of bent ? frames : []) {
      for (const p of bent?.origins(f) ?? []) {
        whole.expandByPoint(p);
        cloud.push(p);
      }
    }
    this.cloud = cloud;
    // Room for symbols around the outermost points.
    this.box = whole.expandByScalar(0.04 * this.size);
    if (this.planar) {
      this.box.min.z = -1e-3 * this.size;
      this.box.max.z = 1e-3 * this.size;
    }
  }

  /** Points of a body that the picture must hold. */
  private reach(b: Body, index: number): Point[] {
    const list: Point[] = [];
    for (const p of this.held(index)) list.push({ p, r: 0 });
    for (const m of b.markers ?? []) list.push({ p: vec(m.p), r: 0 });
    if (index > 0 || (b.kind && b.kind !== "ground")) list.push({ p: vec(b.com), r: 0 });
    for (const s of b.shapes ?? []) {
      const p = vec(s.p);
      const q = quat(s.r);
      if (s.type === "plane" || s.type === "line") continue;
      if (s.radius || s.type === "point") list.push({ p, r: s.radius ?? 0 });
      if (Array.isArray(s.size)) list.push({ p, r: 0.5 * Math.hypot(...s.size.map(Number)) });
      if (s.length) for (const z of [-0.5, 0.5]) list.push({ p: new Vector3(0, 0, z * s.length).applyQuaternion(q).add(p), r: s.radius ?? 0 });
      for (const x of [s.a, s.b, ...(s.points ?? [])]) if (x) list.push({ p: vec(x).applyQuaternion(q).add(p), r: 0 });
    }
    for (const p of this.drawn[index] ?? []) list.push({ p, r: 0 });
    for (const j of this.report.scene.joints ?? []) {
      if (j.type === "rolling" && j.b?.body === index) list.push({ p: vec(j.b.p), r: j.radius ?? 0 });
    }
    return list;
  }

  /** Takes in what is drawn of each body, so that the picture holds it. */
  hold(d: Drawing): void {
    const n = this.report.scene.bodies.length;
    const points: Vector3[][] = Array.from({ length: n }, () => []);
    for (const part of d.parts) {
      // Links end where joints are, which count already; half planes and floors are endless.
      if (part.layer !== "body" || part.paint === "ground" || n > 60) continue;
      const cube = part.solid === "box" || part.solid === "block";
      const ball = part.solid === "sphere" || part.solid === "globe";
      const local = cube
        ? Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5))
        : ball
          ? AXES.map((e) => e.clone())
          : [-0.5, 0.5].flatMap((z) => [0, 1, 2, 3, 4, 5].map((k) => new Vector3(Math.cos((k * Math.PI) / 3), Math.sin((k * Math.PI) / 3), z)));
      points[part.body]?.push(...local.map((p) => p.applyMatrix4(part.local)));
    }
    for (const plate of d.plates) {
      if (plate.layer !== "body" || plate.body === 0) continue;
      const stride = 3 * Math.max(1, Math.floor(plate.positions.length / 300));
      for (let i = 0; i + 2 < plate.positions.length; i += stride) points[plate.body]?.push(new Vector3().fromArray(plate.positions, i));
    }
    this.drawn = points;
    this.measure();
  }

  /** Half width of links: thin against the model, and against the links themselves. */
  unit(): number {
    const lengths: number[] = [];
    this.report.scene.bodies.forEach((_b, i) => {
      if (i === 0) return;
      const points = this.held(i);
      let far = 0;
      for (const p of points) for (const q of points) far = Math.max(far, p.distanceTo(q));
      if (far > 0) lengths.push(far);
    });
    lengths.sort((a, b) => a - b);
    const typical = lengths[Math.floor(lengths.length / 2)] ?? this.size;
    // Long chains: never thinner than can be seen, even if links become stubby.
    return Math.max(Math.min(0.018 * this.size, 0.12 * typical), 0.0028 * this.size);
  }
}
