/** Lines at round distances: in the plane of planar models, on the floor of others. */
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Object3D, Vector3, type Box3 } from "three";

export class Grid {
  readonly root = new Object3D();

  build(box: Box3, size: number, planar: boolean, up: Vector3): void {
    for (const l of this.root.children as LineSegments[]) {
      l.geometry.dispose();
      (l.material as LineBasicMaterial).dispose();
    }
    this.root.clear();
    const span = Math.max(...box.getSize(new Vector3()).toArray());
    const power = 10 ** Math.floor(Math.log10(span / 4));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => span / s <= 12) ?? power;
    const c = box.getCenter(new Vector3());
    const half = Math.ceil(((planar ? 2.4 : 0.9) * span) / step);
    // Two directions that span the grid and the place where it lies.
    const normal = planar ? new Vector3(0, 0, 1) : up;
    const e1 = Math.abs(normal.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    e1.addScaledVector(normal, -e1.dot(normal)).normalize();
    const e2 = normal.clone().cross(e1);
    const lowest = Math.min(...[box.min, box.max].map((p) => p.dot(normal)));
    const depth = planar ? -0.3 * size : lowest;
    const round = (x: number) => Math.round(x / step) * step;
    const origin = e1.clone().multiplyScalar(round(c.dot(e1))).addScaledVector(e2, round(c.dot(e2))).addScaledVector(normal, depth);
    const fine: number[] = [];
    const strong: number[] = [];
    const line = (list: number[], p: Vector3, q: Vector3) => list.push(p.x, p.y, p.z, q.x, q.y, q.z);
    for (let i = -half; i <= half; i++) {
      for (const [u, v] of [[e1, e2], [e2, e1]] as const) {
        const p = origin.clone().addScaledVector(u, i * step);
        const main = Math.abs(p.dot(u)) < 1e-6 * step;
        line(main ? strong : fine, p.clone().addScaledVector(v, -half * step), p.clone().addScaledVector(v, half * step));
      }
    }
    for (const [list, kind] of [[fine, "fine"], [strong, "strong"]] as const) {
      const g = new BufferGeometry();
      g.setAttribute("position", new BufferAttribute(Float32Array.from(list), 3));
      const lines = new LineSegments(g, new LineBasicMaterial());
      lines.userData.kind = kind;
      lines.renderOrder = -1;
      this.root.add(lines);
    }
  }

  paint(dark: boolean): void {
    for (const l of this.root.children as LineSegments[]) {
      const strong = l.userData.kind === "strong";
      (l.material as LineBasicMaterial).color.set(dark ? (strong ? 0x35414e : 0x1d252e) : strong ? 0xc3ccd5 : 0xe4e8ed);
    }
  }
}
