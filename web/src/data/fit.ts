/** The undeformed shape of a body that deforms, put where the body is. Pure numbers, no drawing. */

/**
 * Weight of what is not held against what is: it decides only what the held nodes leave free, such as the
 * turn about a hinge.
 */
const LOOSE = 1e-4;
/** Weight of orientations against that of positions, for nodes that are not clamped: it decides only the twist of a straight line. */
const TWIST = 1e-2;

/** Rotation matrix by rows of a quaternion w x y z. */
export function rotation(q: ArrayLike<number>, at = 0): number[] {
  const [w, x, y, z] = [q[at], q[at + 1], q[at + 2], q[at + 3]] as [number, number, number, number];
  return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
}

/**
 * The rigid motion of the undeformed shape that fits its nodes best: x y z w x y z, or null without finite numbers.
 * `rest` and `poses` have seven numbers for each node. Nodes that are held count before all others, the orientation of
 * those that are clamped too.
 */
export function fit(rest: ArrayLike<number>, poses: ArrayLike<number>, held: ReadonlySet<number>, clamped: ReadonlySet<number>): number[] | null {
  const n = Math.floor(rest.length / 7);
  const weight = (i: number) => (held.size === 0 || held.has(i) ? 1 : LOOSE);
  let sum = 0;
  const from = [0, 0, 0];
  const to = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const w = weight(i);
    sum += w;
    for (let k = 0; k < 3; k++) {
      from[k] = (from[k] as number) + w * (rest[7 * i + k] as number);
      to[k] = (to[k] as number) + w * (poses[7 * i + k] as number);
    }
  }
  if (!(sum > 0)) return null;
  for (let k = 0; k < 3; k++) {
    from[k] = (from[k] as number) / sum;
    to[k] = (to[k] as number) / sum;
  }
  // size of the shape, so that turns count like positions
  let size = 0;
  for (let i = 0; i < n; i++) for (let k = 0; k < 3; k++) size += ((rest[7 * i + k] as number) - (from[k] as number)) ** 2 / n;
  if (!(size > 0)) size = 1;
  // Σ w X xᵀ of positions, Σ c Q Rᵀ of orientations
  const s = new Array<number>(9).fill(0);
  for (let i = 0; i < n; i++) {
    const w = weight(i);
    const c = (clamped.has(i) ? 1 : TWIST * LOOSE) * size;
    const q = rotation(rest, 7 * i + 3);
    const r = rotation(poses, 7 * i + 3);
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        let x = w * ((rest[7 * i + a] as number) - (from[a] as number)) * ((poses[7 * i + b] as number) - (to[b] as number));
        for (let k = 0; k < 3; k++) x += c * (q[3 * a + k] as number) * (r[3 * b + k] as number);
        s[3 * a + b] = (s[3 * a + b] as number) + x;
      }
    }
  }
  if (!s.every(Number.isFinite)) return null;
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = s as [number, number, number, number, number, number, number, number, number];
  const q = largest([
    [xx + yy + zz, yz - zy, zx - xz, xy - yx],
    [yz - zy, xx - yy - zz, xy + yx, zx + xz],
    [zx - xz, xy + yx, yy - xx - zz, yz + zy],
    [xy - yx, zx + xz, yz + zy, zz - xx - yy],
  ]);
  const r = rotation(q);
  const p = [0, 1, 2].map((a) => (to[a] as number) - [0, 1, 2].reduce((x, b) => x + (r[3 * a + b] as number) * (from[b] as number), 0));
  return [...p, ...q];
}

/** Unit eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi's rotations. */
function largest(m: number[][]): number[] {
  const n = m.length;
  const v = m.map((_, i) => m.map((_, k) => (i === k ? 1 : 0)));
  const at = (a: number[][], i: number, k: number) => (a[i] as number[])[k] as number;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    let all = 0;
    for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) {
      all += at(m, i, k) ** 2;
      if (i !== k) off += at(m, i, k) ** 2;
    }
    if (off <= 1e-32 * all) break;
    for (let i = 0; i < n; i++) {
      for (let k = i + 1; k < n; k++) {
        if (at(m, i, k) === 0) continue;
        const theta = (at(m, k, k) - at(m, i, i)) / (2 * at(m, i, k));
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = c * t;
        for (let j = 0; j < n; j++) {
          const [x, y] = [at(m, i, j), at(m, k, j)];
          (m[i] as number[])[j] = c * x - s * y;
          (m[k] as number[])[j] = s * x + c * y;
        }
        for (const a of [m, v]) {
          for (const row of a) {
            const [x, y] = [row[i] as number, row[k] as number];
            row[i] = c * x - s * y;
            row[k] = s * x + c * y;
          }
        }
      }
    }
  }
  let best = 0;
  for (let i = 1; i < n; i++) if (at(m, i, i) > at(m, best, best)) best = i;
  return v.map((row) => row[best] as number);
}

/** The largest of 1, 2, 5, 10, 20, … that is not above x; 1 for smaller ones. */
export function round125(x: number): number {
  if (!(x > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  return [5, 2, 1].map((k) => k * power).find((k) => k <= x * (1 + 1e-12)) ?? power;
}
