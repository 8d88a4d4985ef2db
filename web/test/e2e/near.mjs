// What several tests ask of numbers.
import assert from "node:assert/strict";

export const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b} (within ${tolerance})`);
