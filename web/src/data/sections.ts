/** Forces and moments along beams over time, as sensors of type `section` measure them. */
import { decode } from "./decode";
import { indexAt } from "./motion";
import type { Payload, SectionSpec } from "./types";

/** What is known of a section: name, unit, and its place among the numbers of an end. */
export interface Quantity {
  key: string;
  label: string;
  unit: string;
}

const PLANE: Quantity[] = [
  { key: "fx", label: "normal force fx", unit: "N" },
  { key: "fy", label: "shear force fy", unit: "N" },
  { key: "tz", label: "bending moment tz", unit: "N m" },
];
const SPACE: Quantity[] = [
  { key: "fx", label: "normal force fx", unit: "N" },
  { key: "fy", label: "shear force fy", unit: "N" },
  { key: "fz", label: "shear force fz", unit: "N" },
  { key: "tx", label: "torque tx", unit: "N m" },
  { key: "ty", label: "bending moment ty", unit: "N m" },
  { key: "tz", label: "bending moment tz", unit: "N m" },
];

/** The value of largest size, where and when. */
export interface Extreme {
  value: number;
  s: number;
  t: number;
}

export class Sections {
  readonly t: Float64Array;
  readonly beams: SectionSpec[];
  readonly quantities: Quantity[];
  private readonly values: ArrayLike<number>;
  private readonly elements: number;

  constructor(t: Float64Array, values: ArrayLike<number>, width: 6 | 12, beams: SectionSpec[]) {
    this.beams = beams;
    this.quantities = width === 6 ? PLANE : SPACE;
    this.elements = beams.reduce((n, b) => Math.max(n, b.first + b.stations.length - 1), 0);
    const row = this.elements * width;
    const n = row > 0 ? Math.min(t.length, Math.floor(values.length / row)) : 0;
    this.t = t.subarray(0, n);
    this.values = values;
  }

  /** Distances along a beam of the values of [`at`]: both ends of every element. */
  stations(beam: SectionSpec): number[] {
    return beam.stations.flatMap((s, k) => (k === 0 || k === beam.stations.length - 1 ? [s] : [s, s]));
  }

  private value(row: number, beam: SectionSpec, quantity: number, end: number): number {
    const n = this.quantities.length;
    // first and second end of an element follow each other
    return this.values[row * this.elements * 2 * n + (2 * beam.first + end) * n + quantity] as number;
  }

  /** A quantity along a beam at a time, by straight lines between the rows. */
  at(t: number, beam: SectionSpec, quantity: number): Float64Array {
    const count = 2 * (beam.stations.length - 1);
    const out = new Float64Array(count).fill(NaN);
    const i = indexAt(this.t, this.t.length, t);
    if (i < 0) return out;
    const next = Math.min(i + 1, this.t.length - 1);
    const [t0, t1] = [this.t[i] as number, this.t[next] as number];
    const s = t1 > t0 ? Math.min(1, Math.max(0, (t - t0) / (t1 - t0))) : 0;
    for (let k = 0; k < count; k++) {
      const [a, b] = [this.value(i, beam, quantity, k), this.value(next, beam, quantity, k)];
      out[k] = a + s * (b - a);
    }
    return out;
  }

  /** Least and largest value at each place over all rows. */
  envelope(beam: SectionSpec, quantity: number): [Float64Array, Float64Array] {
    const count = 2 * (beam.stations.length - 1);
    const low = new Float64Array(count).fill(Infinity);
    const high = new Float64Array(count).fill(-Infinity);
    for (let row = 0; row < this.t.length; row++) {
      for (let k = 0; k < count; k++) {
        const v = this.value(row, beam, quantity, k);
        if (v < (low[k] as number)) low[k] = v;
        if (v > (high[k] as number)) high[k] = v;
      }
    }
    return [low, high];
  }

  /** Of a list of values along a beam at a time. */
  static largest(stations: ArrayLike<number>, values: ArrayLike<number>, t: number): Extreme | null {
    let best: Extreme | null = null;
    for (let k = 0; k < values.length; k++) {
      const value = values[k] as number;
      if (Number.isFinite(value) && (!best || Math.abs(value) > Math.abs(best.value))) best = { value, s: stations[k] as number, t };
    }
    return best;
  }

  /** Over all rows. */
  extreme(beam: SectionSpec, quantity: number): Extreme | null {
    const stations = this.stations(beam);
    let best: Extreme | null = null;
    for (let row = 0; row < this.t.length; row++) {
      for (let k = 0; k < stations.length; k++) {
        const value = this.value(row, beam, quantity, k);
        if (Number.isFinite(value) && (!best || Math.abs(value) > Math.abs(best.value))) best = { value, s: stations[k] as number, t: this.t[row] as number };
      }
    }
    return best;
  }
}

export async function readSections(packed: NonNullable<NonNullable<Payload["motion"]>["sections"]>, beams: SectionSpec[], say: (problem: string) => void): Promise<Sections | null> {
  const [t, values] = await Promise.all([decode(packed.t), decode(packed.values)]);
  const fault = t.fault ?? values.fault;
  if (fault) say(`The forces in beams: an array ${fault}. Shown is what could be read.`);
  const width = values.shape[2];
  const good = beams.filter((b) => Array.isArray(b?.stations) && b.stations.length > 1 && Number.isInteger(b.first) && b.first >= 0);
  const elements = good.reduce((n, b) => n + b.stations.length - 1, 0);
  if ((width !== 6 && width !== 12) || elements === 0 || values.shape[1] !== elements) {
    if (values.values.length > 0) say("The forces in beams have an unknown shape and are not shown.");
    return null;
  }
  const out = new Sections(Float64Array.from(t.values), values.values, width, good);
  return out.t.length > 0 ? out : null;
}
