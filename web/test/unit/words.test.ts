import { expect, test } from "vitest";
import { count, num, seconds } from "../../src/format";
import { Cursor, goodSpeed } from "../../src/time";
import { chartTitle, groupColumns } from "../../src/data/groups";
import { Column } from "../../src/data/report";

test("numbers", () => {
  expect(num(0)).toBe("0");
  expect(num(1234.5678)).toBe("1235");
  expect(num(-0.5)).toBe("−0.5");
  expect(num(1.5e-9)).toBe("1.5e−9");
  expect(num(NaN)).toBe("not a number");
  expect(num(null)).toBe("–");
  expect(count(1234567)).toBe("1\u202f234\u202f567");
  expect(seconds(0.03, 0.05)).toBe("0.03000");
});

test("speed shows short and long runs in sensible time", () => {
  expect(goodSpeed(10)).toBe(1);
  expect(goodSpeed(0.05)).toBe(0.005);
  expect(goodSpeed(0)).toBe(1);
  expect(goodSpeed(400)).toBe(50);
  expect(goodSpeed(5, 35)).toBe(0.2); // a crank at 35 rad/s
  expect(goodSpeed(5, 6)).toBe(1);
  expect(goodSpeed(10, 1000)).toBe(0.2); // not over a minute
});

test("cursor stays inside, repeats or stops", () => {
  const c = new Cursor();
  c.setRange(0, 2);
  const seen: number[] = [];
  c.listen((t) => seen.push(t));
  c.set(5);
  expect(c.t).toBe(2);
  c.set(NaN);
  expect(c.t).toBe(2);
  c.set(1.5);
  c.play(true);
  c.advance(1);
  expect(c.t).toBeCloseTo(0.5);
  c.loop = false;
  c.advance(9);
  expect(c.t).toBe(2);
  expect(c.playing).toBe(false);
  expect(seen.length).toBe(4);
});

test("channels are grouped by body and unit", () => {
  const make = (name: string, group: string, unit: string) => new Column({ name, group, unit }, () => undefined);
  const groups = groupColumns([make("a.x", "body/a", "m"), make("a.y", "body/a", "m"), make("a.vx", "body/a", "m/s"), make("e", "energy", "J"), ...Array.from({ length: 9 }, (_, i) => make(`s${i}`, "joint/j", "N"))]);
  expect(groups.map((g) => [g.kind, g.title, g.charts.map((c) => c.columns.length)])).toEqual([["Body", "a", [2, 1]], ["", "Energy", [1]], ["Joint", "j", [8, 1]]]);
  expect(chartTitle("g", [{ name: "a.b.x" }, { name: "a.b.y" }])).toBe("a.b");
});
