/** Reactions and applied forces over time, by number of the load. */
import { decode } from "./decode";
import { Growing } from "./motion";
import type { Payload } from "./types";

export class Loads {
  readonly t = new Growing();
  /** x, y, z of each load; loads that are always zero are missing. */
  readonly vectors = new Map<number, [Growing, Growing, Growing]>();

  /** Adds a row with the vectors of all loads. */
  append(t: number, row: ArrayLike<number>): void {
    for (let k = 0; 3 * k + 2 < row.length; k++) {
      let v = this.vectors.get(k);
      if (!v) this.vectors.set(k, (v = [new Growing(), new Growing(), new Growing()]));
      for (let c = 0; c < 3; c++) (v[c] as Growing).push([row[3 * k + c] as number]);
    }
    this.t.push([t]);
  }
}

export async function readLoads(packed: NonNullable<NonNullable<Payload["motion"]>["loads"]>, say: (problem: string) => void): Promise<Loads> {
  const out = new Loads();
  const [t, values] = await Promise.all([decode(packed.t), decode(packed.values)]);
  const fault = t.fault ?? values.fault;
  if (fault) say(`The forces: an array ${fault}. Shown is what could be read.`);
  const index = Array.isArray(packed.index) ? packed.index : [];
  const n = index.length > 0 ? Math.min(t.values.length, Math.floor(values.values.length / (3 * index.length))) : 0;
  out.t.push(t.values.subarray(0, n));
  index.forEach((load, k) => {
    const column = (c: number) => {
      const list = new Float64Array(n);
      for (let i = 0; i < n; i++) list[i] = values.values[3 * (i * index.length + k) + c] as number;
      return new Growing(list);
    };
    out.vectors.set(load, [column(0), column(1), column(2)]);
  });
  return out;
}
