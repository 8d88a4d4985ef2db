import { describe, expect, test } from "vitest";
import { ContactPoints, readContacts } from "../../src/data/contacts";
import { readEvents } from "../../src/data/events";
import { Loads, readLoads } from "../../src/data/loads";
import { marked } from "../../src/ui/player";
// @ts-expect-error plain JavaScript shared with the browser tests
import { pack } from "../fixtures/pack.mjs";

describe("contact points", () => {
  test("those of a frame, and the typical force", () => {
    const c = new ContactPoints();
    for (const [frame, force] of [[0, 1], [2, 5], [2, 7], [5, 3]] as const) c.append(frame, 0, [force, 0, 0], [0, 1, 0], force);
    expect(c.range(0)).toEqual([0, 1]);
    expect(c.range(1)).toEqual([1, 1]);
    expect(c.range(2)).toEqual([1, 3]);
    expect(c.range(9)).toEqual([4, 4]);
    expect(c.widest).toBe(2);
    // strongest per frame: 1, 7, 3
    expect(c.typical()).toBe(3);
    expect(new ContactPoints().typical()).toBe(0);
  });
  test("damage and disorder are told", async () => {
    const words: string[] = [];
    const list = (frame: number[]) => ({ frame: pack(frame, [frame.length], "u32"), contact: pack(frame.map(() => 0), [frame.length], "u32"), at: pack(frame.flatMap(() => [1, 2, 3]), [frame.length, 3], "f32"), normal: pack(frame.flatMap(() => [0, 1, 0]), [frame.length, 3], "f32"), force: pack(frame.map(() => 2), [frame.length], "f32") });
    expect((await readContacts(list([0, 1, 1]), (w) => words.push(w))).count).toBe(3);
    expect(words).toEqual([]);
    expect((await readContacts(list([0, 3, 1]), (w) => words.push(w))).count).toBe(2);
    expect(words[0]).toMatch(/order/);
    expect((await readContacts({ ...list([0, 1]), force: undefined }, (w) => words.push(w))).count).toBe(0);
    expect(words[1]).toMatch(/missing/);
  });
});

describe("loads", () => {
  test("come by number, those that are zero are missing", async () => {
    const l = await readLoads({ t: pack([0, 1]), index: [1, 4], values: pack([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [2, 2, 3], "f32") }, () => undefined);
    expect([...l.vectors.keys()]).toEqual([1, 4]);
    expect(l.vectors.get(4)?.map((g) => Array.from(g.view()))).toEqual([[4, 10], [5, 11], [6, 12]]);
  });
  test("grow while a run goes on", () => {
    const l = new Loads();
    l.append(0, [1, 0, 0, 0, 0, 2]);
    l.append(0.1, [3, 0, 0, 0, 0, 4]);
    expect(Array.from(l.t.view())).toEqual([0, 0.1]);
    expect(Array.from(l.vectors.get(1)?.[2].view() ?? [])).toEqual([2, 4]);
  });
});

describe("events", () => {
  test("packed ones are as listed ones", async () => {
    const list = await readEvents(
      { kinds: ["impact"], contacts: ["floor"], t: pack([1, 0.5]), kind: pack([0, 0], [2], "u32"), contact: pack([0, 0], [2], "u32"), numbers: { impulse: pack([2, NaN], [2], "f32") }, place: pack([1, 2, 3, 0, 1, 0, NaN, NaN, NaN, NaN, NaN, NaN], [2, 6], "f32") },
      () => undefined,
    );
    expect(list).toEqual([{ t: 0.5, kind: "impact", contact: "floor" }, { t: 1, kind: "impact", contact: "floor", impulse: 2, point: [1, 2, 3], normal: [0, 1, 0] }]);
    expect(await readEvents(undefined, () => undefined)).toEqual([]);
    expect(await readEvents([{ t: 2 }, { t: NaN }, { t: 1 }], () => undefined)).toEqual([{ t: 1 }, { t: 2 }]);
  });
  test("of very many the impacts are marked", () => {
    const events = Array.from({ length: 5000 }, (_, i) => ({ t: i / 1000, kind: i % 7 === 3 ? "impact" : "slip" }));
    const marks = marked(events, 0, 5);
    expect(marks.length).toBeLessThanOrEqual(601);
    expect(marks.every((m) => m.event.kind === "impact")).toBe(true);
    expect(marks.reduce((n, m) => n + 1 + m.more, 0)).toBe(5000);
    expect(marked(events.slice(0, 5), 0, 5).length).toBe(5);
    expect(marked(events, 1, 1)).toEqual([]);
  });
});
