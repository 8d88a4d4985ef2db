import { expect, test } from "vitest";
import { readVerdict } from "../../src/data/verdict";

test("the verdict of the program is shown as it is", () => {
  const v = readVerdict({
    max_velocity_drift: 1,
    verdict: {
      tone: "bad",
      text: "Doubtful: look at the marked numbers before using the results.",
      items: [
        { key: "energy", title: "Energy balance", value: 29.7, unit: "J", tone: "bad", text: "off since t = 7.6 s", t: 7.6, code: "N_ENERGY" },
        { key: "hand_overs", title: "Hand-overs", value: 1200, unit: "", tone: "none", text: "first at t = 0.1 s" },
        { key: "velocity_drift", title: "Drift, velocities", value: null, unit: "m/s", tone: "bad", text: "not finite" },
      ],
    },
  });
  expect(v.tone).toBe("bad");
  expect(v.text).toMatch(/^Doubtful/);
  expect(v.cards.map((c) => [c.title, c.value, c.tone])).toEqual([
    ["Energy balance", "29.7 J", "bad"],
    ["Hand-overs", "1\u202f200", "none"],
    ["Drift, velocities", "not a number", "bad"],
  ]);
  expect(v.cards[0]?.note).toBe("off since t = 7.6 s");
});

test("a run without a verdict is not judged by the page", () => {
  for (const summary of [{}, { verdict: null }, { verdict: "good" }, { verdict: { tone: "excellent", items: [] } }]) {
    const v = readVerdict({ max_position_drift: 1e-15, ...summary });
    expect(v.tone).toBe("none");
    expect(v.cards).toEqual([]);
  }
});
