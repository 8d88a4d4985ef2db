/** Poses over time and their interpolation. Pure numbers, no drawing. */

/** Largest i with t[i] <= x, at least 0; -1 for an empty array. */
export function indexAt(t: ArrayLike<number>, n: number, x: number): number {
  if (n === 0) return -1;
  let lo = 0;
  let hi = n - 1;
  if (x >= (t[hi] as number)) return hi;
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1;
    if ((t[mid] as number) <= x) lo = mid;
    else hi = mid;
  }
  return lo;
}

/** Grows by doubling, so that live data are appended in constant time. */
export class Growing {
  data: Float64Array;
  length: number;
  constructor(start: ArrayLike<number> = []) {
    this.data = Float64Array.from(start);
    this.length = start.length;
  }
  push(values: ArrayLike<number>): void {
    const need = this.length + values.length;
    if (need > this.data.length) {
      const bigger = new Float64Array(Math.max(need, 2 * this.data.length, 64));
      bigger.set(this.data.subarray(0, this.length));
      this.data = bigger;
    }
    for (let i = 0; i < values.length; i++) this.data[this.length + i] = Number(values[i] ?? NaN);
    this.length = need;
  }
  view(): Float64Array {
    return this.data.subarray(0, this.length);
  }
}

export class Motion {
  readonly bodies: number;
  /** Numbers per body: 7 (x y z, w x y z) or 3 (x y angle). */
  readonly width: 3 | 7;
  private readonly times: Growing;
  private readonly poses: Growing;

  constructor(bodies: number, width: 3 | 7, t: ArrayLike<number> = [], poses: ArrayLike<number> = []) {
    this.bodies = bodies;
    this.width = width;
    const n = bodies > 0 ? Math.min(t.length, Math.floor(poses.length / (bodies * width))) : 0;
    this.times = new Growing(Array.prototype.slice.call(t, 0, n) as number[]);
    this.poses = new Growing();
    this.poses.push(n * bodies * width === poses.length ? poses : Array.prototype.slice.call(poses, 0, n * bodies * width) as number[]);
  }

  get frames(): number {
    return this.times.length;
  }
  get t(): Float64Array {
    return this.times.view();
  }
  get start(): number {
    return this.frames > 0 ? (this.times.data[0] as number) : 0;
  }
  get end(): number {
    return this.frames > 0 ? (this.times.data[this.frames - 1] as number) : 0;
  }

  append(t: ArrayLike<number>, poses: ArrayLike<ArrayLike<number>>): void {
    const row = this.bodies * this.width;
    const n = Math.min(t.length, poses.length);
    for (let i = 0; i < n; i++) {
      const p = poses[i] as ArrayLike<number>;
      if (p.length !== row) continue;
      this.times.push([t[i] as number]);
      this.poses.push(p);
    }
  }

  /** Pose of one body in a frame: out = x y z w x y z. False when it is not finite. */
  frame(f: number, body: number, out: Float64Array, at = 0): boolean {
    const data = this.poses.data;
    const k = (f * this.bodies + body) * this.width;
    if (this.width === 3) {
      const half = 0.5 * (data[k + 2] as number);
      out[at] = data[k] as number;
      out[at + 1] = data[k + 1] as number;
      out[at + 2] = 0;
      out[at + 3] = Math.cos(half);
      out[at + 4] = 0;
      out[at + 5] = 0;
      out[at + 6] = Math.sin(half);
    } else {
      for (let i = 0; i < 7; i++) out[at + i] = data[k + i] as number;
    }
    for (let i = 0; i < 7; i++) if (!Number.isFinite(out[at + i])) return false;
    return true;
  }

  /**
   * All poses at time t, between frames by straight lines and shortest arcs.
   * `valid[b]` is 0 where a body has no finite pose.
   */
  sample(t: number, out: Float64Array, valid: Uint8Array): void {
    const n = this.frames;
    if (n === 0) {
      valid.fill(0);
      return;
    }
    const i = indexAt(this.times.data, n, t);
    const t0 = this.times.data[i] as number;
    const t1 = i + 1 < n ? (this.times.data[i + 1] as number) : t0;
    const s = t1 > t0 ? Math.min(1, Math.max(0, (t - t0) / (t1 - t0))) : 0;
    for (let b = 0; b < this.bodies; b++) {
      valid[b] = this.between(i, s, b, out, 7 * b) ? 1 : 0;
    }
  }

  private between(i: number, s: number, b: number, out: Float64Array, at: number): boolean {
    if (s === 0) return this.frame(i, b, out, at);
    if (this.width === 3) {
      const data = this.poses.data;
      const k = (i * this.bodies + b) * 3;
      const l = k + 3 * this.bodies;
      const mix = (j: number) => (data[k + j] as number) + s * ((data[l + j] as number) - (data[k + j] as number));
      const half = 0.5 * mix(2);
      out[at] = mix(0);
      out[at + 1] = mix(1);
      out[at + 2] = 0;
      out[at + 3] = Math.cos(half);
      out[at + 4] = 0;
      out[at + 5] = 0;
      out[at + 6] = Math.sin(half);
      for (let j = 0; j < 7; j++) if (!Number.isFinite(out[at + j])) return this.frame(i, b, out, at);
      return true;
    }
    const whole = this.frame(i + 1, b, SCRATCH, 0);
    if (!this.frame(i, b, out, at)) return false;
    if (!whole) return true;
    for (let j = 0; j < 3; j++) out[at + j] = (out[at + j] as number) + s * ((SCRATCH[j] as number) - (out[at + j] as number));
    slerp(out, at + 3, SCRATCH, 3, s);
    return true;
  }

  /** Unwrapped angle of a planar body in a frame, or NaN. */
  angle(f: number, body: number): number {
    return this.width === 3 ? (this.poses.data[(f * this.bodies + body) * 3 + 2] as number) : NaN;
  }

  /** Largest mean rate of rotation of a body over the run, rad/s. */
  rotationRate(): number {
    const n = this.frames;
    if (n < 2 || !(this.end > this.start)) return 0;
    const a = new Float64Array(7);
    const b = new Float64Array(7);
    let most = 0;
    const stride = Math.max(1, Math.floor(this.bodies / 50));
    for (let body = 0; body < this.bodies; body += stride) {
      let sum = 0;
      for (let f = 1; f < n; f++) {
        if (this.width === 3) {
          const d = Math.abs(this.angle(f, body) - this.angle(f - 1, body));
          if (Number.isFinite(d)) sum += d;
        } else if (this.frame(f - 1, body, a) && this.frame(f, body, b)) {
          const dot = Math.abs((a[3] as number) * (b[3] as number) + (a[4] as number) * (b[4] as number) + (a[5] as number) * (b[5] as number) + (a[6] as number) * (b[6] as number));
          sum += 2 * Math.acos(Math.min(1, dot));
        }
      }
      most = Math.max(most, sum / (this.end - this.start));
    }
    return most;
  }

  /** Bodies that have frames without finite numbers, with the time of the first. */
  holes(): { body: number; t: number; frames: number }[] {
    const found: { body: number; t: number; frames: number }[] = [];
    for (let b = 0; b < this.bodies; b++) {
      let first = -1;
      let count = 0;
      for (let f = 0; f < this.frames; f++) {
        if (!this.frame(f, b, SCRATCH, 0)) {
          if (first < 0) first = f;
          count++;
        }
      }
      if (count > 0) found.push({ body: b, t: this.times.data[first] as number, frames: count });
    }
    return found;
  }
}

const SCRATCH = new Float64Array(7);

/** a := shortest arc from a to b at s; a and b as w x y z. */
function slerp(a: Float64Array, ia: number, b: Float64Array, ib: number, s: number): void {
  let dot = 0;
  for (let j = 0; j < 4; j++) dot += (a[ia + j] as number) * (b[ib + j] as number);
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  let wa = 1 - s;
  let wb = s;
  if (dot < 0.9995) {
    const angle = Math.acos(dot);
    const sine = Math.sin(angle);
    wa = Math.sin((1 - s) * angle) / sine;
    wb = Math.sin(s * angle) / sine;
  }
  let norm = 0;
  for (let j = 0; j < 4; j++) {
    const v = wa * (a[ia + j] as number) + sign * wb * (b[ib + j] as number);
    a[ia + j] = v;
    norm += v * v;
  }
  norm = Math.sqrt(norm);
  if (norm > 0) for (let j = 0; j < 4; j++) a[ia + j] = (a[ia + j] as number) / norm;
}
