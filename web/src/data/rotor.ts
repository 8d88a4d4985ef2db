/** What `delassus rotor` found, from the data of its page. Pure numbers. */
import { decode, type Decoded } from "./decode";
import type { PackedArray } from "./types";

export interface RotorSpec {
  axis?: number[];
  kinds?: string[];
  campbell?: { speed?: PackedArray; modes?: PackedArray; kinds?: PackedArray } | null;
  critical?: { speed: number; kind?: string | null }[] | null;
  unbalance?: { bodies?: string[]; speed?: PackedArray; orbits?: PackedArray } | null;
}

export interface Campbell {
  /** rad/s. */
  speed: ArrayLike<number>;
  /** Vibrations at each speed, by frequency. */
  modes: { imag: number; real: number; damping: number; kind: string }[][];
}

/** The n-th vibration of a kind over the speed; not a number where there is none. */
export interface CampbellCurve {
  kind: string;
  /** Hz. */
  frequency: number[];
  damping: number[];
}

/** Frequencies up to so many times the highest speed are drawn, and at least so many of the lowest. */
const ABOVE = 2;
const LOWEST = 4;

export interface Unbalance {
  bodies: string[];
  speed: ArrayLike<number>;
  /** Semi-axes, amplitudes along x, y, z, phases, of a body at a speed. */
  value: (row: number, body: number, number: number) => number;
}

export async function readCampbell(spec: RotorSpec, say: (problem: string) => void): Promise<Campbell | null> {
  const [speed, modes, kinds] = await Promise.all([spec.campbell?.speed, spec.campbell?.modes, spec.campbell?.kinds].map((a) => decode(a)));
  const fault = speed?.fault ?? modes?.fault ?? kinds?.fault;
  if (fault) say(`The whirl frequencies: an array ${fault}.`);
  if (!speed || !modes || !kinds || modes.shape[2] !== 3) return null;
  const wide = modes.shape[1] ?? 0;
  const rows = Math.min(speed.values.length, wide > 0 ? Math.floor(modes.values.length / (3 * wide)) : 0);
  const words = spec.kinds ?? [];
  const at = (row: number) =>
    Array.from({ length: wide }, (_, k) => {
      const i = row * wide + k;
      return { imag: modes.values[3 * i] as number, real: modes.values[3 * i + 1] as number, damping: modes.values[3 * i + 2] as number, kind: words[kinds.values[i] as number] ?? "?" };
    }).filter((m) => Number.isFinite(m.imag));
  return { speed: Array.from(speed.values.slice(0, rows)), modes: Array.from({ length: rows }, (_, row) => at(row)) };
}

/**
 * Lines of a Campbell diagram: the n-th frequency of a kind is one line. At rest nothing goes with the spin or against it,
 * so that those lines begin at the first speed.
 */
export function campbellCurves(c: Campbell): CampbellCurve[] {
  const speeds = Array.from(c.speed);
  const fastest = Math.max(0, ...speeds);
  let highest = ABOVE * fastest;
  for (const list of c.modes) highest = Math.max(highest, list[LOWEST - 1]?.imag ?? 0);
  const kinds = ["forward", "backward", "planar", "axial"];
  const out: CampbellCurve[] = [];
  for (const kind of kinds) {
    const turns = kind === "forward" || kind === "backward";
    const of = c.modes.map((list, i) => (turns && !((speeds[i] as number) > 0) ? [] : list.filter((m) => m.kind === kind)));
    const most = Math.max(0, ...of.map((l) => l.length));
    for (let n = 0; n < most; n++) {
      const low = (l: (typeof of)[number]) => ((l[n]?.imag ?? Infinity) <= highest ? l[n] : undefined);
      const frequency = of.map((l) => (low(l)?.imag ?? NaN) / (2 * Math.PI));
      if (!frequency.some(Number.isFinite)) continue;
      out.push({ kind, frequency, damping: of.map((l) => low(l)?.damping ?? NaN) });
    }
  }
  return out;
}

export async function readUnbalance(spec: NonNullable<RotorSpec["unbalance"]>, unpack: (a: PackedArray | undefined) => Promise<Decoded>, say: (problem: string) => void): Promise<Unbalance | null> {
  const [speed, orbits] = await Promise.all([unpack(spec.speed), unpack(spec.orbits)]);
  const fault = speed.fault ?? orbits.fault;
  if (fault) say(`The orbits: an array ${fault}.`);
  const bodies = Array.isArray(spec.bodies) ? spec.bodies.map(String) : [];
  if (orbits.shape[1] !== bodies.length || orbits.shape[2] !== 8) return null;
  const rows = bodies.length > 0 ? Math.min(speed.values.length, Math.floor(orbits.values.length / (8 * bodies.length))) : 0;
  return { bodies, speed: Array.from(speed.values.slice(0, rows)), value: (row, body, number) => orbits.values[(row * bodies.length + body) * 8 + number] as number };
}
