/** Contact points by frame of the motion. Open contacts have none, so that the list is short. */
import { decode } from "./decode";
import { Growing } from "./motion";
import type { PackedContacts } from "./types";

/** Frame and contact (in the message), place, normal, force: as live messages have it. */
export type LiveContact = [number, number, number[], number[], number];

export class ContactPoints {
  private readonly frames = new Growing();
  readonly contact = new Growing();
  readonly at = new Growing();
  readonly normal = new Growing();
  readonly force = new Growing();
  /** Points of a frame at most. */
  widest = 0;

  get count(): number {
    return this.frames.length;
  }

  /** Places of the points of a frame in the lists: from, to. */
  range(frame: number): [number, number] {
    return [this.below(frame), this.below(frame + 1)];
  }

  /** Points of frames before this one. */
  private below(frame: number): number {
    let lo = 0;
    let hi = this.frames.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if ((this.frames.data[mid] as number) < frame) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  }

  /** Later frames only. */
  append(frame: number, contact: number, at: ArrayLike<number>, normal: ArrayLike<number>, force: number): void {
    this.frames.push([frame]);
    this.contact.push([contact]);
    this.at.push([at[0] ?? NaN, at[1] ?? NaN, at[2] ?? NaN]);
    this.normal.push([normal[0] ?? 0, normal[1] ?? 0, normal[2] ?? 0]);
    this.force.push([force]);
    const [from, to] = this.range(frame);
    this.widest = Math.max(this.widest, to - from);
  }

  /** Force that the strongest point of a frame stays below in 95 % of the frames; 0 without points. */
  typical(): number {
    const tops: number[] = [];
    let last = -1;
    for (let i = 0; i < this.count; i++) {
      const f = Math.abs(this.force.data[i] as number);
      if (!(f > 0) || !Number.isFinite(f)) continue;
      const frame = this.frames.data[i] as number;
      if (frame !== last) tops.push(f);
      else tops[tops.length - 1] = Math.max(f, tops[tops.length - 1] as number);
      last = frame;
    }
    tops.sort((a, b) => a - b);
    return tops[Math.floor(0.95 * (tops.length - 1))] ?? 0;
  }
}

/** Unpacks them; a sentence where they cannot be read. */
export async function readContacts(packed: PackedContacts, say: (problem: string) => void): Promise<ContactPoints> {
  const out = new ContactPoints();
  const lists = await Promise.all([packed.frame, packed.contact, packed.at, packed.normal, packed.force].map(decode));
  const fault = lists.find((l) => l.fault)?.fault;
  if (fault) say(`The contact points: an array ${fault}. Shown is what could be read.`);
  const values = (k: number): ArrayLike<number> => lists[k]?.values ?? [];
  const [frame, contact, at, normal, force] = [values(0), values(1), values(2), values(3), values(4)];
  const n = Math.min(frame.length, contact.length, Math.floor(at.length / 3), Math.floor(normal.length / 3), force.length);
  let last = 0;
  for (let i = 0; i < n; i++) {
    const f = frame[i] as number;
    if (f < last) {
      say("The contact points are not in the order of time; the rest of them is not shown.");
      break;
    }
    last = f;
    const three = (v: ArrayLike<number>) => [v[3 * i] as number, v[3 * i + 1] as number, v[3 * i + 2] as number];
    out.append(f, contact[i] as number, three(at), three(normal), force[i] as number);
  }
  return out;
}
