/** Triangles of their own on the bodies: meshes, hulls, plates between joints. */
import { BufferAttribute, BufferGeometry, DoubleSide, Matrix4, Mesh, MeshLambertMaterial, Object3D } from "three";
import { paintColor, SELECTED } from "./colors";
import type { Drawing, Layer, Paint } from "./drawing";

export class Plates {
  readonly root = new Object3D();
  /** Only bodies that have any. */
  private readonly groups = new Map<number, Object3D>();

  constructor(d: Drawing) {
    for (const plate of d.plates) {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(plate.positions, 3));
      if (plate.indices) geometry.setIndex(new BufferAttribute(plate.indices, 1));
      geometry.computeVertexNormals();
      const material = new MeshLambertMaterial({ side: DoubleSide, transparent: plate.opacity < 1, opacity: plate.opacity, depthWrite: plate.opacity >= 1, flatShading: !d.planar && plate.opacity >= 1 });
      const mesh = new Mesh(geometry, material);
      mesh.userData = { paint: plate.paint, layer: plate.layer, body: plate.body };
      let group = this.groups.get(plate.body);
      if (!group) {
        group = new Object3D();
        group.matrixAutoUpdate = false;
        this.groups.set(plate.body, group);
        this.root.add(group);
      }
      group.add(mesh);
    }
  }

  place(bodies: Matrix4[], valid: Uint8Array): void {
    for (const [body, group] of this.groups) {
      group.matrix.copy(bodies[body] as Matrix4);
      group.matrixWorldNeedsUpdate = true;
      group.visible = valid[body] === 1;
    }
  }

  paint(dark: boolean, selected: number | null): void {
    this.each((mesh) => {
      const chosen = mesh.userData.body === selected && mesh.userData.layer === "body";
      (mesh.material as MeshLambertMaterial).color.set(chosen ? SELECTED : paintColor(mesh.userData.paint as Paint, dark));
    });
  }

  show(layer: Layer, on: boolean): void {
    this.each((mesh) => {
      if (mesh.userData.layer === layer) mesh.visible = on;
    });
  }

  /** Matrix of a body as it is drawn; null if it has no triangles. */
  readBack(body: number): Matrix4 | null {
    return this.groups.get(body)?.matrix ?? null;
  }

  dispose(): void {
    this.each((mesh) => {
      mesh.geometry.dispose();
      (mesh.material as MeshLambertMaterial).dispose();
    });
  }

  private each(f: (mesh: Mesh) => void): void {
    for (const group of this.groups.values()) for (const child of group.children) f(child as Mesh);
  }
}
