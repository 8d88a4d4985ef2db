/** Events as a list, however they came. */
import { decode, type Numbers } from "./decode";
import type { PackedEvents, RunEvent } from "./types";

const none: RunEvent[] = [];

export async function readEvents(given: RunEvent[] | PackedEvents | undefined, say: (problem: string) => void): Promise<RunEvent[]> {
  const list = Array.isArray(given) ? given : given && typeof given === "object" ? await unpack(given, say) : none;
  return list.filter((e) => e && typeof e.t === "number" && Number.isFinite(e.t)).sort((a, b) => a.t - b.t);
}

async function unpack(p: PackedEvents, say: (problem: string) => void): Promise<RunEvent[]> {
  let told = false;
  const read = async (array: PackedEvents["t"]): Promise<Numbers> => {
    const d = await decode(array);
    if (d.fault && !told) {
      told = true;
      say(`The events: an array ${d.fault}. Shown is what could be read.`);
    }
    return d.values;
  };
  const [t, kind, contact, place] = await Promise.all([read(p.t), read(p.kind), read(p.contact), read(p.place)]);
  const names = Object.keys(p.numbers ?? {});
  const numbers = await Promise.all(names.map((n) => read(p.numbers?.[n])));
  return Array.from(t, (time, i) => {
    const e: RunEvent = { t: time, kind: p.kinds?.[kind[i] ?? -1] ?? "event", contact: p.contacts?.[contact[i] ?? -1] ?? "" };
    names.forEach((n, k) => {
      const x = numbers[k]?.[i];
      if (x !== undefined && Number.isFinite(x)) e[n] = x;
    });
    const six = Array.from(place.subarray(6 * i, 6 * i + 6));
    if (six.length === 6 && six.every(Number.isFinite)) {
      e.point = six.slice(0, 3);
      e.normal = six.slice(3);
    }
    return e;
  });
}
