/** Points where bodies touch, with their normal forces, and flashes where events happened. */
import { InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, Object3D, Quaternion, RingGeometry, SphereGeometry, Vector3, type Camera } from "three";
import { indexAt } from "../data/motion";
import type { Report } from "../data/report";
import { paintColor } from "./colors";
import { ArrowSet } from "./arrow_set";

/** Flashes at a time. */
const FLASHES = 6;
const P = new Vector3();
const V = new Vector3();
const SIZE = new Vector3();
const NO_TURN = new Quaternion();
const WORK = new Matrix4();

export class Contacts {
  readonly root = new Object3D();
  private readonly report: Report;
  private dots: InstancedMesh | null = null;
  private arrows: ArrowSet | null = null;
  private room = 0;
  private readonly flashes: Mesh[] = [];
  private readonly dotMaterial = new MeshBasicMaterial({ depthTest: false, transparent: true });
  private dark = false;
  /** Half width of a link, and length of an arrow of typical force. */
  private u = 0.02;
  private length = 0.2;
  private topForce = 0;
  private counted = 0;

  constructor(report: Report) {
    this.report = report;
    for (let i = 0; i < FLASHES; i++) {
      const ring = new Mesh(new RingGeometry(0.72, 1, 40), new MeshBasicMaterial({ depthTest: false, transparent: true }));
      ring.renderOrder = 6;
      ring.visible = false;
      this.flashes.push(ring);
      this.root.add(ring);
    }
  }

  /** Whether there is anything to show. */
  get any(): boolean {
    const placed = (this.report.scene.contacts ?? []).some((c) => c.type !== "one-way" && c.type !== "dry-friction");
    return this.report.contacts.count > 0 || placed || this.report.events.some((e) => e.point);
  }

  /** Points in the picture. */
  get shown(): number {
    return this.root.visible ? (this.dots?.count ?? 0) : 0;
  }

  resize(u: number, length: number): void {
    this.u = u;
    this.length = length;
  }

  /** Force of an arrow of full length; grows while a run goes on. */
  get typical(): number {
    const { contacts } = this.report;
    if (contacts.count > 1.2 * this.counted) {
      this.counted = contacts.count;
      this.topForce = contacts.typical();
    }
    return this.topForce;
  }

  paint(dark: boolean): void {
    this.dark = dark;
    this.dotMaterial.color.set(paintColor("contact", dark));
    for (const f of this.flashes) (f.material as MeshBasicMaterial).color.set(paintColor("contact", dark));
  }

  private make(room: number): void {
    if (this.dots) {
      this.root.remove(this.dots);
      this.dots.geometry.dispose();
      this.dots.dispose();
    }
    if (this.arrows) {
      this.root.remove(this.arrows.root);
      this.arrows.dispose();
    }
    this.room = room;
    this.dots = new InstancedMesh(new SphereGeometry(1, 14, 10), this.dotMaterial, room);
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 7;
    this.arrows = new ArrowSet(room, room, paintColor("contact", this.dark));
    this.root.add(this.dots, this.arrows.root);
  }

  place(t: number, top: number, factor: number, now: { speed: number; span: number }, camera: Camera): void {
    if (!this.root.visible) return;
    this.placePoints(t, top, factor);
    this.placeFlashes(t, now, camera);
  }

  private placePoints(t: number, top: number, factor: number): void {
    const { motion, contacts } = this.report;
    if (contacts.count === 0) return;
    if (contacts.widest > this.room) this.make(Math.max(8, 2 * this.room, contacts.widest));
    const { dots, arrows } = this;
    if (!dots || !arrows) return;
    // The nearer frame: between frames bodies are interpolated, points are not.
    const times = motion.t;
    let f = indexAt(times, motion.frames, t);
    if (f + 1 < motion.frames && (times[f + 1] as number) - t < t - (times[f] as number)) f++;
    const [from, to] = contacts.range(f);
    const thin = this.report.scene.planar ? 1 : 0.7;
    const radius = 0.55 * thin * this.u;
    arrows.begin();
    let n = 0;
    for (let i = from; i < to; i++) {
      P.fromArray(contacts.at.data, 3 * i);
      if (!Number.isFinite(P.x + P.y + P.z)) continue;
      dots.setMatrixAt(n++, WORK.compose(P, NO_TURN, SIZE.setScalar(radius)));
      const force = contacts.force.data[i] as number;
      V.fromArray(contacts.normal.data, 3 * i);
      const part = top > 0 && Number.isFinite(force) ? (force / top) * factor : 0;
      if (Math.abs(part) < 1e-3) continue;
      arrows.straight(P, V.multiplyScalar(Math.sign(part) * Math.min(2.5 * factor, Math.abs(part)) * this.length), 0.32 * thin * this.u);
    }
    dots.count = n;
    dots.instanceMatrix.needsUpdate = true;
    arrows.end();
  }

  /** An impact is seen for a quarter of a second of the clock after it, longer where that is nothing of the run. */
  private placeFlashes(t: number, { speed, span }: { speed: number; span: number }, camera: Camera): void {
    const { events } = this.report;
    const fade = Math.max(0.25 * speed, span / 200);
    let lo = 0;
    let hi = events.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if ((events[mid] as { t: number }).t <= t + 1e-12) lo = mid + 1;
      else hi = mid;
    }
    let used = 0;
    for (let i = lo - 1; i >= 0 && used < FLASHES; i--) {
      const e = events[i] as (typeof events)[number];
      if (t - e.t >= fade) break;
      if (!e.point || (e.kind !== "impact" && e.kind !== "restitution-reduced")) continue;
      const ring = this.flashes[used++] as Mesh;
      const age = Math.max(0, (t - e.t) / fade);
      ring.visible = true;
      ring.position.set(Number(e.point[0]), Number(e.point[1]), Number(e.point[2] ?? 0));
      ring.quaternion.copy(camera.quaternion);
      ring.scale.setScalar((1.2 + 2.8 * age) * this.u);
      (ring.material as MeshBasicMaterial).opacity = 1 - age;
    }
    for (; used < FLASHES; used++) (this.flashes[used] as Mesh).visible = false;
  }
}
