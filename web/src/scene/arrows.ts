/** Forces and reactions as arrows, from the loads of the run or from channels of sensors. */
import { Matrix4, Object3D, Vector3 } from "three";
import { indexAt } from "../data/motion";
import type { Report } from "../data/report";
import type { ArrowSpec } from "../data/types";
import { ArrowSet, PIECES } from "./arrow_set";
import { vec } from "./drawing";

/** Numbers of a channel or of a load. */
interface Series {
  data: ArrayLike<number>;
  length: number;
}

interface Arrow {
  body: number;
  p: Vector3;
  time: Series;
  values: (Series | null)[];
  torque: boolean;
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

const V = new Vector3();
const P = new Vector3();

export class Arrows {
  readonly root = new Object3D();
  private arrows: Arrow[] = [];
  private readonly report: Report;
  private forces: ArrowSet | null = null;
  private torques: ArrowSet | null = null;
  private loading: Promise<void> | null = null;
  /** The user's factor on the length. */
  factor = 1;
  /** Force and torque of full length; 0 while they are not known. */
  typical = { force: 0, torque: 0 };
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

  /** Arrows that may have something to show. */
  get available(): number {
    const running = this.report.meta.status === "running";
    return arrowSpecs(this.report).filter((a) => a.columns?.some((c) => c) || (a.load !== undefined && (running || this.report.loads.vectors.has(a.load)))).length;
  }

  /** Arrow heads in the picture. */
  get shown(): { forces: number; torques: number } {
    return { forces: this.forces?.count ?? 0, torques: this.torques?.count ?? 0 };
  }

  /** Unpacks the channels; called when arrows are switched on first. */
  load(): Promise<void> {
    return (this.loading ??= this.unpack());
  }

  private async unpack(): Promise<void> {
    const byName = new Map(this.report.columns.map((c) => [c.name, c]));
    const sizes = { force: [] as number[], torque: [] as number[] };
    const { loads, columnTime } = this.report;
    const measured = async (name: string | null): Promise<Series | null> => {
      const v = name ? await byName.get(name)?.load() : undefined;
      return v ? { data: v, length: v.length } : null;
    };
    for (const spec of arrowSpecs(this.report)) {
      const known = spec.load === undefined ? undefined : loads.vectors.get(spec.load);
      const values: (Series | null)[] = known ?? (await Promise.all((spec.columns ?? []).slice(0, 3).map(measured)));
      if (values.every((v) => !v)) continue;
      const torque = spec.kind === "torque";
      const n = Math.max(...values.map((v) => v?.length ?? 0));
      for (let i = 0; i < n; i += Math.max(1, Math.floor(n / 200))) {
        const m = Math.hypot(...values.map((v) => v?.data[i] ?? 0));
        if (Number.isFinite(m)) sizes[torque ? "torque" : "force"].push(m);
      }
      this.arrows.push({ body: spec.body, p: vec(spec.p), time: known ? loads.t : columnTime, values, torque });
    }
    for (const kind of ["force", "torque"] as const) {
      // 95 % of all values stay below the full length: a single impact does not shrink the rest.
      const sorted = sizes[kind].sort((a, b) => a - b);
      this.typical[kind] = sorted[Math.floor(0.95 * (sorted.length - 1))] || sorted[sorted.length - 1] || 1;
    }
    const torques = this.arrows.filter((a) => a.torque).length;
    const forces = this.arrows.length - torques;
    if (forces > 0) this.forces = new ArrowSet(forces, forces, 0xd64545);
    // In space an arc may be seen edge-on: its axis is drawn too.
    if (torques > 0) this.torques = new ArrowSet(torques * (PIECES + 1), 2 * torques, 0x8e44ad);
    for (const set of [this.forces, this.torques]) if (set) this.root.add(set.root);
  }

  /** Values of a live run grow: the columns have new arrays. */
  refresh(): void {
    if (!this.loading) return;
    this.loading = null;
    for (const set of [this.forces, this.torques]) {
      if (!set) continue;
      this.root.remove(set.root);
      set.dispose();
    }
    this.forces = this.torques = null;
    this.arrows = [];
  }

  place(t: number, bodies: Matrix4[], valid: Uint8Array, top: number): void {
    if (!this.root.visible) return;
    let times: Series | null = null;
    let i = 0;
    let s = 0;
    let over = false;
    this.forces?.begin();
    this.torques?.begin();
    for (const a of this.arrows) {
      if (a.time !== times) {
        times = a.time;
        i = Math.max(0, indexAt(times.data, times.length, t));
        const t0 = times.data[i] ?? 0;
        const t1 = times.data[Math.min(i + 1, times.length - 1)] ?? t0;
        s = t1 > t0 ? Math.min(1, Math.max(0, (t - t0) / (t1 - t0))) : 0;
        // Data that were cut off say nothing about what came after.
        over = i > 0 && i === times.length - 1 && t - t0 > 1.5 * (t0 - (times.data[i - 1] as number));
      }
      if (over) continue;
      V.set(at(a.values[0], i, s), at(a.values[1], i, s), at(a.values[2], i, s));
      const size = V.length();
      if (!valid[a.body] || !Number.isFinite(size)) continue;
      const part = (size / (a.torque ? this.typical.torque : top || this.typical.force)) * (a.torque ? 1 : this.factor);
      if (part < 1e-3) continue;
      P.copy(a.p).applyMatrix4(bodies[a.body] as Matrix4);
      if (a.torque) {
        const radius = 0.3 * this.length * Math.sqrt(this.factor);
        this.torques?.arc(P, V, part, radius, 0.8 * this.thickness);
        if (!this.planar) this.torques?.straight(P, V.setLength(Math.min(2.5, part) * this.length * this.factor), 0.6 * this.thickness);
      } else this.forces?.straight(P, V.setLength(Math.min(2.5 * this.factor, part) * this.length), this.thickness);
    }
    this.forces?.end();
    this.torques?.end();
  }
}

/** A series between samples i and i + 1. */
function at(series: Series | null | undefined, i: number, s: number): number {
  if (!series) return 0;
  const x = series.data[i] ?? NaN;
  const y = series.data[Math.min(i + 1, series.length - 1)] ?? x;
  return s > 0 && Number.isFinite(y) ? x + s * (y - x) : x;
}
