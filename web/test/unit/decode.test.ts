import { describe, expect, test } from "vitest";
import { decode } from "../../src/data/decode";
// @ts-expect-error plain JavaScript shared with the browser tests
import { pack } from "../fixtures/pack.mjs";

describe("packed arrays", () => {
  const values = [0, 1.5, -2.25, 1e300, NaN, Infinity];
  test.each(["deflate", "raw"])("f64 comes back bit by bit (%s)", async (encoding) => {
    const d = await decode(pack(values, [2, 3], "f64", encoding));
    expect(Array.from(d.values)).toEqual(values);
    expect(d.shape).toEqual([2, 3]);
    expect(d.fault).toBeNull();
  });
  test("f32 and u32", async () => {
    expect(Array.from((await decode(pack([0.5, 3], [2], "f32"))).values)).toEqual([0.5, 3]);
    expect(Array.from((await decode(pack([7, 4000000000], [2], "u32"))).values)).toEqual([7, 4000000000]);
  });
  test("a cut array gives what is before the cut and says so", async () => {
    const long = Array.from({ length: 20000 }, (_, i) => Math.sin(i) * i);
    const whole = pack(long);
    const d = await decode({ ...whole, data: whole.data.slice(0, whole.data.length >> 1) });
    expect(d.fault).toMatch(/cut off/);
    expect(d.values.length).toBeGreaterThan(1000);
    expect(d.values.length).toBeLessThan(20000);
    expect(Array.from(d.values)).toEqual(long.slice(0, d.values.length));
    const raw = pack([1, 2, 3], [3], "f64", "raw");
    const r = await decode({ ...raw, data: raw.data.slice(0, 23) });
    expect(Array.from(r.values)).toEqual([1, 2]);
    expect(r.fault).toMatch(/2 of 3/);
  });
  test("damage in the middle is told", async () => {
    const whole = pack(Array.from({ length: 5000 }, (_, i) => Math.cos(i)));
    const d = await decode({ ...whole, data: whole.data.slice(0, 3000) + "AAAAAAAA" + whole.data.slice(3008) });
    expect(d.fault).not.toBeNull();
    expect((await decode({ ...whole, data: "%%" + whole.data })).fault).not.toBeNull();
  });
  test("nothing, no data, other types: words instead of exceptions", async () => {
    expect((await decode(undefined)).fault).toMatch(/missing/);
    expect((await decode({ dtype: "f64", shape: [1] })).fault).toMatch(/no data/);
    expect((await decode({ dtype: "c128", shape: [1], data: "" })).fault).toMatch(/c128/);
    expect((await decode({ dtype: "f64", shape: [1], encoding: "lzma", data: "" })).fault).toMatch(/lzma/);
    expect((await decode({ dtype: "f64", shape: [4], encoding: "deflate", data: "" })).fault).toMatch(/cut off/);
  });
});
