/**
 * Places of axis marks. uPlot's own loops never end for steps below 1e-16 (it looks decimals up in
 * a table), and drifts are smaller than that; so these are computed here.
 */

/** About `wish` round values between lo and hi. */
export function linearTicks(lo: number, hi: number, wish: number): number[] {
  const span = hi - lo;
  if (!(span > 0) || !Number.isFinite(span)) return [lo];
  const rough = span / Math.max(1, wish);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((k) => k * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const first = Math.ceil(lo / step - 1e-9);
  const last = Math.floor(hi / step + 1e-9);
  // The limits of doubles: steps below the spacing of numbers give one mark.
  if (!Number.isFinite(first) || !Number.isFinite(last) || last - first > 100) return [lo];
  const out: number[] = [];
  // Counted from 0: beyond 2^53 adding 1 to `first` would change nothing.
  for (let k = 0; k <= last - first; k++) out.push(Number(((first + k) * step).toPrecision(15)));
  return out;
}

/** Powers of ten between lo and hi, at most `wish` or so. */
export function logTicks(lo: number, hi: number, wish: number): number[] {
  const a = Math.ceil(Math.log10(lo) - 1e-9);
  const b = Math.floor(Math.log10(hi) + 1e-9);
  if (!Number.isFinite(a) || !Number.isFinite(b)) return [];
  const step = Math.max(1, Math.ceil((b - a) / Math.max(1, wish)));
  const out: number[] = [];
  for (let e = a; e <= b; e += step) out.push(Number(`1e${e}`));
  return out;
}
