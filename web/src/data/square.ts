/** The part of a plane that a picture of a path shows: as high and wide as its box, the same length of a metre both ways. */
export interface Window2 {
  x: [number, number];
  y: [number, number];
}

/** Shows a path and a circle about the origin, with a margin, in a box of this width and height. */
export function squareWindow(x: ArrayLike<number>, y: ArrayLike<number>, circle: number, width: number, height: number): Window2 {
  let [x0, x1, y0, y1] = [-circle, circle, -circle, circle];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const a = x[i] as number;
    const b = y[i] as number;
    if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
    x0 = Math.min(x0, a);
    x1 = Math.max(x1, a);
    y0 = Math.min(y0, b);
    y1 = Math.max(y1, b);
  }
  // a path that is a point gets a readable plane too
  const scale = Math.max((x1 - x0) / width, (y1 - y0) / height, 1e-300) * 1.12 || 1;
  const span = (lo: number, hi: number, size: number): [number, number] => [0.5 * (lo + hi) - 0.5 * scale * size, 0.5 * (lo + hi) + 0.5 * scale * size];
  return { x: span(x0, x1, width), y: span(y0, y1, height) };
}
