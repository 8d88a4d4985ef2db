/** Forces and reactions as arrows, from channels of the results. */
import { Color, InstancedMesh, Matrix4, MeshLambertMaterial, Object3D, Quaternion, Vector3 } from "three";
import { indexAt } from "../data/motion";
import type { Report } from "../data/report";
import type { ArrowSpec } from "../data/types";
import { along, vec } from "./drawing";
import { makeSolid } from "./solids";

interface Arrow {
  body: number;
  p: Vector3;
  values: (Float64Array | null)[];
  kind: string;
  scale: number;
}

/** Arrows the payload names, or those that can be guessed from the names of the channels. */
export function arrowSpecs(report: Report): ArrowSpec[] {
  if (report.scene.arrows && report.scene.arrows.length > 0) return report.scene.arrows;
  const found: ArrowSpec[] = [];
  const names = report.columns.map((c) => c.name);
  for (const j of report.scene.joints ?? []) {
    if (!j.b) continue;
    // Reaction sensors stand in the group of their joint; those of other frames than the ground's do not count.
    const own = report.columns.filter((c) => c.group === `joint/${j.name}` && !/ in (?!ground)/.test(c.label)).map((c) => c.name);
    const columns = ["x", "y", "z"].map(
      (c) => names.find((n) => n === `${j.name}.f${c}` || n === `${j.name}.force.${c}` || n === `${j.name}.reaction.f${c}`) ?? own.find((n) => n.endsWith(`.f${c}`)) ?? null,
    );
    if (columns.some((c) => c)) found.push({ name: j.name, kind: "force", group: "reaction", body: j.b.body, p: j.b.p, columns });
  }
  return found;
}

export class Arrows {
  readonly root = new Object3D();
  private arrows: Arrow[] = [];
  private readonly report: Report;
  private shaft: InstancedMesh | null = null;
  private head: InstancedMesh | null = null;
  /** The user's factor on the length. */
  factor = 1;
  private readonly length: number;
  private readonly thickness: number;
  private readonly planar: boolean;

  constructor(report: Report, length: number, thickness: number, planar: boolean) {
    this.report = report;
    this.planar = planar;
    this.length = length;
    this.thickness = thickness;
    this.root.visible = false;
  }

  get available(): number {
    return arrowSpecs(this.report).length;
  }

  /** Unpacks the channels; called when arrows are switched on first. */
  async load(): Promise<void> {
    if (this.shaft) return;
    const byName = new Map(this.report.columns.map((c) => [c.name, c]));
    const specs = arrowSpecs(this.report);
    const sizes: Record<string, number[]> = { force: [], torque: [] };
    for (const spec of specs) {
      const values = await Promise.all(spec.columns.slice(0, 3).map((n) => (n ? (byName.get(n)?.load() ?? Promise.resolve(null)) : Promise.resolve(null))));
      if (values.every((v) => !v)) continue;
      const kind = spec.kind === "torque" ? "torque" : "force";
      const n = Math.max(...values.map((v) => v?.length ?? 0));
      for (let i = 0; i < n; i += Math.max(1, Math.floor(n / 200))) {
        const m = Math.hypot(...values.map((v) => v?.[i] ?? 0));
        if (Number.isFinite(m)) sizes[kind]?.push(m);
      }
      this.arrows.push({ body: spec.body, p: vec(spec.p), values, kind, scale: 1 });
    }
    for (const kind of ["force", "torque"]) {
      // 95 % of all values stay below the full length: a single impact does not shrink the rest.
      const sorted = (sizes[kind] as number[]).sort((a, b) => a - b);
      const top = sorted[Math.floor(0.95 * (sorted.length - 1))] || sorted[sorted.length - 1] || 1;
      for (const a of this.arrows) if (a.kind === kind) a.scale = this.length / top;
    }
    const n = this.arrows.length;
    if (n === 0) return;
    const color = { force: new Color(0xd64545), torque: new Color(0x8e44ad) };
    const material = new MeshLambertMaterial({ emissive: 0x330a0a, depthTest: !this.planar, transparent: this.planar });
    this.shaft = new InstancedMesh(makeSolid("cylinder", 1), material, n);
    this.head = new InstancedMesh(makeSolid("cone", 1), material, 2 * n);
    this.arrows.forEach((a, i) => {
      const c = a.kind === "torque" ? color.torque : color.force;
      this.shaft?.setColorAt(i, c);
      this.head?.setColorAt(2 * i, c);
      this.head?.setColorAt(2 * i + 1, c);
    });
    for (const mesh of [this.shaft, this.head]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      this.root.add(mesh);
    }
  }

  place(t: number, bodies: Matrix4[], valid: Uint8Array): void {
    const { shaft, head } = this;
    if (!shaft || !head || !this.root.visible) return;
    const times = this.report.columnTime;
    const i = indexAt(times.data, times.length, t);
    const t0 = times.data[i] ?? 0;
    const t1 = times.data[Math.min(i + 1, times.length - 1)] ?? t0;
    const s = t1 > t0 ? Math.min(1, Math.max(0, (t - t0) / (t1 - t0))) : 0;
    const v = new Vector3();
    const p = new Vector3();
    const m = new Matrix4();
    const q = new Quaternion();
    const none = new Matrix4().makeScale(0, 0, 0);
    this.arrows.forEach((a, k) => {
      const at = (c: number) => {
        const column = a.values[c];
        if (!column) return 0;
        const x = column[i] ?? NaN;
        const y = column[Math.min(i + 1, column.length - 1)] ?? x;
        return s > 0 && Number.isFinite(y) ? x + s * (y - x) : x;
      };
      v.set(at(0), at(1), at(2)).multiplyScalar(a.scale * this.factor);
      let length = v.length();
      if (!valid[a.body] || !Number.isFinite(length) || length < 1e-3 * this.length) {
        shaft.setMatrixAt(k, none);
        head.setMatrixAt(2 * k, none);
        head.setMatrixAt(2 * k + 1, none);
        return;
      }
      const most = 2.5 * this.length * this.factor;
      if (length > most) {
        v.multiplyScalar(most / length);
        length = most;
      }
      p.copy(a.p).applyMatrix4(bodies[a.body] as Matrix4);
      q.copy(along(v));
      const w = Math.min(this.thickness, 0.2 * length);
      const tip = Math.min(0.45 * length, 4.5 * w);
      const dir = v.clone().normalize();
      shaft.setMatrixAt(k, m.compose(p.clone().addScaledVector(dir, 0.5 * (length - tip)), q, new Vector3(w, w, length - tip)));
      head.setMatrixAt(2 * k, m.compose(p.clone().addScaledVector(dir, length - tip), q, new Vector3(2.4 * w, 2.4 * w, tip)));
      // A torque has two heads.
      head.setMatrixAt(2 * k + 1, a.kind === "torque" ? m.compose(p.clone().addScaledVector(dir, length - 1.7 * tip), q, new Vector3(2.4 * w, 2.4 * w, tip)) : none);
    });
    shaft.instanceMatrix.needsUpdate = true;
    head.instanceMatrix.needsUpdate = true;
  }
}
