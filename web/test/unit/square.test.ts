import { describe, expect, it } from "vitest";
import { squareWindow } from "../../src/data/square";

describe("the window of an orbit", () => {
  it("has the same scale both ways and shows path and circle", () => {
    const x = [-1e-3, 2e-3, Number.NaN, 0];
    const y = [0, 1e-4, 5, -3e-4];
    for (const [w, h] of [[400, 200], [200, 400]] as const) {
      const win = squareWindow(x, y, 5e-4, w, h);
      expect((win.x[1] - win.x[0]) / w).toBeCloseTo((win.y[1] - win.y[0]) / h, 12);
      expect(win.x[0]).toBeLessThan(-1e-3);
      expect(win.x[1]).toBeGreaterThan(2e-3);
      expect(win.y[0]).toBeLessThan(-5e-4);
      expect(win.y[1]).toBeGreaterThan(5e-4);
      expect(win.y[1]).toBeLessThan(5e-3);
    }
  });

  it("is not empty where nothing moves", () => {
    for (const circle of [0, 1e-3]) {
      const win = squareWindow([0, 0], [0, 0], circle, 300, 200);
      expect(win.x[1]).toBeGreaterThan(win.x[0]);
      expect(win.y[1]).toBeGreaterThan(win.y[0]);
    }
    const none = squareWindow([], [], 0, 300, 200);
    expect(Number.isFinite(none.x[0])).toBe(true);
  });
});
