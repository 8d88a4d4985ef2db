/** Arrows as instances: straight ones for forces, arcs with a head for torques. */
import { Color, DynamicDrawUsage, InstancedMesh, Matrix4, MeshLambertMaterial, Object3D, Quaternion, Vector3 } from "three";
import { makeSolid } from "./solids";

const Z = new Vector3(0, 0, 1);
const DIR = new Vector3();
const POS = new Vector3();
const NEXT = new Vector3();
const E1 = new Vector3();
const E2 = new Vector3();
const SIZE = new Vector3();
const TURN = new Quaternion();
const WORK = new Matrix4();
const NONE = new Matrix4().makeScale(0, 0, 0);

/** Pieces of an arc. */
export const PIECES = 20;
/** Sweep of an arc of full size, rad. */
const SWEEP = 1.5 * Math.PI;

/** Room for a number of arrows; each frame fills it anew. Nothing is allocated while it is filled. */
export class ArrowSet {
  readonly root = new Object3D();
  private readonly shaft: InstancedMesh;
  private readonly head: InstancedMesh;
  private shafts = 0;
  private heads = 0;

  /** Arrows are drawn over everything else, so that they are seen inside bodies too. */
  constructor(shafts: number, heads: number, color: number) {
    const material = new MeshLambertMaterial({ color, emissive: new Color(color).multiplyScalar(0.25), depthTest: false, transparent: true });
    this.shaft = new InstancedMesh(makeSolid("cylinder", 1), material, Math.max(1, shafts));
    this.head = new InstancedMesh(makeSolid("cone", 1), material, Math.max(1, heads));
    for (const mesh of [this.shaft, this.head]) {
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      this.root.add(mesh);
    }
    this.begin();
    this.end();
  }

  begin(): void {
    this.shafts = 0;
    this.heads = 0;
  }

  /** Shows what was added since `begin`. */
  end(): void {
    this.shaft.count = this.shafts;
    this.head.count = this.heads;
    this.shaft.instanceMatrix.needsUpdate = true;
    this.head.instanceMatrix.needsUpdate = true;
  }

  /** Arrows that are shown. */
  get count(): number {
    return this.heads;
  }

  /** From `from` along `v`, at most `width` thick. */
  straight(from: Vector3, v: Vector3, width: number): void {
    const length = v.length();
    if (!(length > 0)) return;
    DIR.copy(v).multiplyScalar(1 / length);
    TURN.setFromUnitVectors(Z, DIR);
    const w = Math.min(width, 0.2 * length);
    const tip = Math.min(0.45 * length, 4.5 * w);
    this.put(this.shaft, POS.copy(from).addScaledVector(DIR, 0.5 * (length - tip)), SIZE.set(w, w, length - tip));
    this.put(this.head, POS.copy(from).addScaledVector(DIR, length - tip), SIZE.set(2.4 * w, 2.4 * w, tip));
  }

  /** Around `v` at `at`, counter-clockwise seen against it. The sweep shows the size: `part` 1 is three quarters of a turn. */
  arc(at: Vector3, v: Vector3, part: number, radius: number, width: number): void {
    const length = v.length();
    if (!(length > 0) || !(part > 0)) return;
    DIR.copy(v).multiplyScalar(1 / length);
    E1.set(Math.abs(DIR.x) < 0.6 ? 1 : 0, Math.abs(DIR.x) < 0.6 ? 0 : 1, 0);
    E1.addScaledVector(DIR, -E1.dot(DIR)).normalize();
    E2.crossVectors(DIR, E1);
    const tip = Math.min(4.5 * width, 0.7 * radius);
    const head = tip / radius;
    const sweep = Math.min(1.15, Math.max(0.08, part)) * SWEEP;
    const start = -0.25 * Math.PI;
    const point = (angle: number, out: Vector3) => out.copy(at).addScaledVector(E1, radius * Math.cos(angle)).addScaledVector(E2, radius * Math.sin(angle));
    for (let i = 0; i < PIECES; i++) {
      point(start + (sweep * i) / PIECES, POS);
      point(start + (sweep * (i + 1)) / PIECES, NEXT);
      DIR.copy(NEXT).sub(POS);
      const l = DIR.length();
      TURN.setFromUnitVectors(Z, DIR.multiplyScalar(1 / l));
      this.put(this.shaft, POS.add(NEXT).multiplyScalar(0.5), SIZE.set(width, width, 1.06 * l));
    }
    // The head is a chord of the circle that starts where the shaft ends.
    point(start + sweep, POS);
    point(start + sweep + head, NEXT);
    DIR.copy(NEXT).sub(POS).normalize();
    TURN.setFromUnitVectors(Z, DIR);
    this.put(this.head, POS, SIZE.set(2.4 * width, 2.4 * width, tip));
  }

  private put(mesh: InstancedMesh, p: Vector3, scale: Vector3): void {
    const k = mesh === this.shaft ? this.shafts++ : this.heads++;
    if (k >= mesh.instanceMatrix.count) {
      if (mesh === this.shaft) this.shafts--;
      else this.heads--;
      return;
    }
    mesh.setMatrixAt(k, scale.z > 0 ? WORK.compose(p, TURN, scale) : NONE);
  }

  dispose(): void {
    this.shaft.geometry.dispose();
    this.head.geometry.dispose();
    (this.shaft.material as MeshLambertMaterial).dispose();
    this.shaft.dispose();
    this.head.dispose();
  }
}
