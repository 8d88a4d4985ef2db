/**
 * The play of joints with clearance, magnified on request: a journal that touches its ring when the
 * play is used up. The play itself is far too small to see.
 */
import { Matrix4, Mesh, MeshLambertMaterial, Object3D, SphereGeometry, Vector3 } from "three";
import type { Joint } from "../data/types";
import { paintColor } from "./colors";
import { vec } from "./drawing";
import { RING } from "./joints";

interface Journal {
  mesh: Mesh;
  bodies: [number, number];
  a: Vector3;
  b: Vector3;
  clearance: number;
}

export const hasClearance = (j: Joint): boolean => !!j.a && !!j.b && !!j.clearance && j.clearance > 0;

const P = new Vector3();

export class Clearances {
  readonly root = new Object3D();
  private readonly list: Journal[] = [];
  private readonly u: number;

  constructor(joints: Joint[], u: number, planar: boolean) {
    this.u = u;
    for (const j of joints) {
      if (!hasClearance(j) || !j.a || !j.b) continue;
      const mesh = new Mesh(new SphereGeometry(1, 20, 14), new MeshLambertMaterial({ depthTest: !planar, transparent: planar }));
      mesh.renderOrder = 4;
      mesh.scale.setScalar(0.9 * u);
      this.list.push({ mesh, bodies: [j.a.body, j.b.body], a: vec(j.a.p), b: vec(j.b.p), clearance: j.clearance as number });
      this.root.add(mesh);
    }
  }

  paint(dark: boolean): void {
    for (const { mesh } of this.list) (mesh.material as MeshLambertMaterial).color.set(paintColor("contact", dark));
  }

  place(bodies: Matrix4[], valid: Uint8Array): void {
    if (!this.root.visible) return;
    const reach = (RING - 0.9) * this.u;
    for (const { mesh, bodies: [i, k], a, b, clearance } of this.list) {
      mesh.visible = valid[i] === 1 && valid[k] === 1;
      mesh.position.copy(a).applyMatrix4(bodies[i] as Matrix4);
      P.copy(b).applyMatrix4(bodies[k] as Matrix4).sub(mesh.position).clampLength(0, 1.3 * clearance);
      mesh.position.addScaledVector(P, reach / clearance);
    }
  }

  dispose(): void {
    for (const { mesh } of this.list) {
      mesh.geometry.dispose();
      (mesh.material as MeshLambertMaterial).dispose();
    }
  }
}
