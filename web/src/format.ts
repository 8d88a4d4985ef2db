/** Numbers as people read them. */

export function num(x: unknown, digits = 4): string {
  if (typeof x !== "number") return x === null || x === undefined ? "–" : String(x);
  if (Number.isNaN(x)) return "not a number";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = x.toExponential(Math.max(0, digits - 1)).split("e");
    const m = String(Number(mantissa));
    return `${m}e${String(Number(exponent))}`.replaceAll("-", "−");
  }
  return String(Number(x.toPrecision(digits))).replaceAll("-", "−");
}

export function withUnit(x: unknown, unit: string, digits = 4): string {
  return unit ? `${num(x, digits)} ${unit}` : num(x, digits);
}

export function seconds(t: number, length: number): string {
  const step = length > 0 ? length / 2000 : 1e-3;
  const digits = Math.min(9, Math.max(2, Math.ceil(-Math.log10(step))));
  return t.toFixed(digits).replace("-", "−");
}

export function count(n: unknown): string {
  return typeof n === "number" && Number.isFinite(n) ? n.toLocaleString("en-US").replaceAll(",", "\u202f") : num(n);
}

export function plural(n: number, one: string, many = one + "s"): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}
