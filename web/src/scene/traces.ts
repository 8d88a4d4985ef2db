/** Paths of points over the run: all of it faint, the part up to now strong. */
import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Object3D, Quaternion, Vector3 } from "three";
import { indexAt, type Motion } from "../data/motion";

interface Trace {
  faint: Line;
  strong: Line;
  frames: number;
}

export class Traces {
  readonly root = new Object3D();
  private readonly list = new Map<string, Trace>();

  has(key: string): boolean {
    return this.list.has(key);
  }
  get count(): number {
    return this.list.size;
  }

  add(key: string, motion: Motion, body: number, p: Vector3, color: number, z: number): void {
    this.remove(key);
    const n = motion.frames;
    const positions = new Float32Array(3 * n);
    const pose = new Float64Array(7);
    const v = new Vector3();
    const q = new Quaternion();
    let last = [NaN, NaN, NaN];
    for (let f = 0; f < n; f++) {
      if (motion.frame(f, body, pose)) {
        q.set(pose[4] as number, pose[5] as number, pose[6] as number, pose[3] as number);
        v.copy(p).applyQuaternion(q);
        last = [v.x + (pose[0] as number), v.y + (pose[1] as number), v.z + (pose[2] as number) + z];
      }
      positions.set(last, 3 * f);
    }
    const line = (opacity: number) => {
      const g = new BufferGeometry();
      g.setAttribute("position", new BufferAttribute(positions, 3));
      const l = new Line(g, new LineBasicMaterial({ color, transparent: true, opacity }));
      l.frustumCulled = false;
      this.root.add(l);
      return l;
    };
    this.list.set(key, { faint: line(0.3), strong: line(1), frames: n });
  }

  remove(key: string): void {
    const trace = this.list.get(key);
    if (!trace) return;
    for (const l of [trace.faint, trace.strong]) {
      this.root.remove(l);
      l.geometry.dispose();
      (l.material as LineBasicMaterial).dispose();
    }
    this.list.delete(key);
  }

  clear(): void {
    for (const key of [...this.list.keys()]) this.remove(key);
  }

  place(t: number, motion: Motion): void {
    const i = indexAt(motion.t, motion.frames, t);
    for (const trace of this.list.values()) trace.strong.geometry.setDrawRange(0, Math.min(trace.frames, i + 1));
  }
}
