/** One draw call per kind of solid: instanced meshes filled from the poses of the bodies. */
import { BackSide, Color, DoubleSide, DynamicDrawUsage, InstancedMesh, Matrix4, MeshBasicMaterial, MeshLambertMaterial, Object3D, Quaternion, Vector3 } from "three";
import { paintColor, SELECTED } from "./colors";
import type { Drawing, Layer, Link, Part, Solid } from "./drawing";
import { detailFor, makeSolid } from "./solids";

const HIDDEN = new Matrix4().makeScale(0, 0, 0);

interface Pool {
  mesh: InstancedMesh;
  parts: Part[];
  links: Link[];
  edge: boolean;
}

/** How much is seen of what is faint. */
const FAINT = 0.22;

export class Pools {
  readonly root = new Object3D();
  private readonly pools: Pool[] = [];
  private readonly edgeMaterial = new MeshBasicMaterial({ side: BackSide });
  private readonly fill: MeshLambertMaterial;
  private readonly flat: MeshBasicMaterial;
  /** Where a body is drawn first: to read its pose back from what is drawn. */
  private readonly firstPart = new Map<number, { pool: Pool; slot: number }>();

  constructor(drawing: Drawing) {
    // Planar pictures are flat colours; in space light gives the form.
    this.fill = new MeshLambertMaterial({ vertexColors: true });
    this.flat = new MeshBasicMaterial({ vertexColors: true, side: DoubleSide });
    const counted = drawing.parts.filter((p) => p.layer !== "frame" && p.layer !== "com" && p.layer !== "clearance").length;
    const detail = detailFor(counted);
    const groups = new Map<string, { solid: Solid; layer: Layer; edge: boolean; parts: Part[]; links: Link[] }>();
    const group = (solid: Solid, layer: Layer, edge: boolean) => {
      const key = `${solid}/${layer}/${String(edge)}`;
      let g = groups.get(key);
      if (!g) groups.set(key, (g = { solid, layer, edge, parts: [], links: [] }));
      return g;
    };
    for (const part of drawing.parts) {
      group(part.solid, part.layer, false).parts.push(part);
      // Edges of hundreds of small bodies cost much and show little.
      if (part.edge && detail > 0) group(part.solid, part.layer, true).parts.push(part);
    }
    for (const link of drawing.links) group(link.solid, link.layer, false).links.push(link);
    for (const g of groups.values()) {
      const flat = drawing.planar || g.solid === "support";
      const mesh = new InstancedMesh(makeSolid(g.solid, detail), g.edge ? this.edgeMaterial : flat ? this.flat : this.fill, g.parts.length + g.links.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.userData.layer = g.layer;
      const pool: Pool = { mesh, parts: g.parts, links: g.links, edge: g.edge };
      if (!g.edge) {
        g.parts.forEach((part, slot) => {
          if (part.layer === "body" && !this.firstPart.has(part.body)) this.firstPart.set(part.body, { pool, slot });
        });
      }
      this.pools.push(pool);
      this.root.add(mesh);
    }
  }

  /** Faint and without edges: what bodies look like where they rest. */
  fade(): void {
    for (const m of [this.fill, this.flat]) {
      m.transparent = true;
      m.opacity = FAINT;
      m.depthWrite = false;
    }
    for (const pool of this.pools) if (pool.edge) pool.mesh.visible = false;
  }

  paint(dark: boolean, selected: number | null): void {
    this.edgeMaterial.color.set(dark ? 0x05080b : 0x1d2733);
    const c = new Color();
    for (const pool of this.pools) {
      if (pool.edge) continue;
      pool.parts.forEach((part, i) => {
        c.set(part.body === selected && part.layer === "body" ? SELECTED : paintColor(part.paint, dark));
        pool.mesh.setColorAt(i, c);
      });
      pool.links.forEach((link, i) => pool.mesh.setColorAt(pool.parts.length + i, c.set(paintColor(link.paint, dark))));
      if (pool.mesh.instanceColor) pool.mesh.instanceColor.needsUpdate = true;
    }
  }

  show(layer: Layer, on: boolean): void {
    for (const pool of this.pools) if (pool.mesh.userData.layer === layer) pool.mesh.visible = on;
  }

  /** Places all instances. `bodies[b]` is the matrix of a body, `valid[b]` 0 hides it. */
  place(bodies: Matrix4[], valid: Uint8Array): void {
    for (const pool of this.pools) {
      if (!pool.mesh.visible) continue;
      const array = pool.mesh.instanceMatrix.array as Float32Array;
      let at = 0;
      for (const part of pool.parts) {
        if (valid[part.body]) product((bodies[part.body] as Matrix4).elements, (pool.edge ? (part.edge as Matrix4) : part.local).elements, array, at);
        else array.fill(0, at, at + 16);
        at += 16;
      }
      for (const link of pool.links) {
        linkMatrix(link, bodies, valid).toArray(array, at);
        at += 16;
      }
      pool.mesh.instanceMatrix.needsUpdate = true;
    }
  }

  /** Matrix of a body as its first drawn instance has it; null if it has none. */
  readBack(body: number): Matrix4 | null {
    const first = this.firstPart.get(body);
    if (!first) return null;
    const m = new Matrix4();
    first.pool.mesh.getMatrixAt(first.slot, m);
    const part = first.pool.parts[first.slot] as Part;
    return m.multiply(part.local.clone().invert());
  }

  dispose(): void {
    for (const pool of this.pools) {
      pool.mesh.geometry.dispose();
      pool.mesh.dispose();
    }
    this.fill.dispose();
    this.flat.dispose();
    this.edgeMaterial.dispose();
  }
}

/** out := a b for matrices whose last row is 0 0 0 1, column by column: the one thing done for every part in every frame. */
function product(a: number[], b: number[], out: Float32Array, at: number): void {
  for (let c = 0; c < 16; c += 4) {
    const x = b[c] as number;
    const y = b[c + 1] as number;
    const z = b[c + 2] as number;
    const w = c === 12 ? 1 : 0;
    out[at + c] = (a[0] as number) * x + (a[4] as number) * y + (a[8] as number) * z + w * (a[12] as number);
    out[at + c + 1] = (a[1] as number) * x + (a[5] as number) * y + (a[9] as number) * z + w * (a[13] as number);
    out[at + c + 2] = (a[2] as number) * x + (a[6] as number) * y + (a[10] as number) * z + w * (a[14] as number);
    out[at + c + 3] = w;
  }
}

const Z = new Vector3(0, 0, 1);
const WORK = new Matrix4();
const P = new Vector3();
const Q = new Vector3();
const S = new Vector3();
const R = new Quaternion();

function linkMatrix(link: Link, bodies: Matrix4[], valid: Uint8Array): Matrix4 {
  if (!valid[link.a.body] || !valid[link.b.body]) return HIDDEN;
  P.copy(link.a.p).applyMatrix4(bodies[link.a.body] as Matrix4);
  Q.copy(link.b.p).applyMatrix4(bodies[link.b.body] as Matrix4);
  const length = P.distanceTo(Q);
  if (!(length > 1e-12)) return HIDDEN;
  R.setFromUnitVectors(Z, S.copy(Q).sub(P).multiplyScalar(1 / length));
  // The helix starts at the origin; the cylinder is centred.
  if (link.solid !== "helix") P.add(Q).multiplyScalar(0.5);
  return WORK.compose(P, R, S.set(link.radius, link.radius, length));
}
