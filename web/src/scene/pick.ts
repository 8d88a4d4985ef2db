/** Which body is under the pointer, and where names go. */
import { Matrix4, Vector3, type Camera } from "three";
import type { Report } from "../data/report";
import { vec } from "./drawing";
import type { Extent } from "./extent";

export interface Label {
  text: string;
  x: number;
  y: number;
  kind: string;
}

/** What is needed to find things in the picture. */
export interface Stage {
  report: Report;
  extent: Extent;
  bodies: Matrix4[];
  valid: Uint8Array;
  camera: Camera;
  host: HTMLElement;
}

const P = new Vector3();

/** Where a point is in the picture, in pixels of the host. */
export function project({ camera, host }: Stage, p: Vector3): [number, number] {
  const v = P.copy(p).project(camera);
  return [0.5 * (v.x + 1) * host.clientWidth, 0.5 * (1 - v.y) * host.clientHeight];
}

/** Nearest stick or centre within 14 pixels. */
export function pick(stage: Stage, x: number, y: number): number | null {
  const { report, extent, bodies, valid } = stage;
  let best: number | null = null;
  let least = 14;
  report.scene.bodies.forEach((b, i) => {
    if (i === 0 || !valid[i]) return;
    const m = bodies[i] as Matrix4;
    const points = [vec(b.com), ...extent.held(i)].map((p) => project(stage, p.clone().applyMatrix4(m)));
    for (const p of points) for (const q of points) {
      const d = distance(p, q, x, y);
      if (d >= least) continue;
      least = d;
      best = i;
    }
  });
  return best;
}

/** From (x, y) to the segment p q. */
function distance(p: [number, number], q: [number, number], x: number, y: number): number {
  const dx = q[0] - p[0];
  const dy = q[1] - p[1];
  const l2 = dx * dx + dy * dy;
  const s = l2 > 0 ? Math.min(1, Math.max(0, ((x - p[0]) * dx + (y - p[1]) * dy) / l2)) : 0;
  return Math.hypot(x - p[0] - s * dx, y - p[1] - s * dy);
}

/** Names of all bodies and, if wanted, joints; or of one body. */
export function labels(stage: Stage, joints: boolean, only?: number): Label[] {
  const { report, extent, bodies, valid } = stage;
  const list: Label[] = [];
  report.scene.bodies.forEach((b, i) => {
    if (i === 0 || !valid[i] || (only !== undefined && i !== only)) return;
    const points = extent.held(i);
    const middle = points.length > 1 ? points.reduce((s, p) => s.add(p), new Vector3()).multiplyScalar(1 / points.length) : vec(b.com);
    const [x, y] = project(stage, middle.applyMatrix4(bodies[i] as Matrix4));
    list.push({ text: b.name, x, y, kind: "body" });
  });
  if (only !== undefined || !joints) return list;
  for (const j of report.scene.joints ?? []) {
    if (!j.b || !valid[j.b.body]) continue;
    const [x, y] = project(stage, vec(j.b.p).applyMatrix4(bodies[j.b.body] as Matrix4));
    list.push({ text: j.name, x, y: y + 12, kind: "joint" });
  }
  return list;
}
