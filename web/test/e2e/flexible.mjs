// What the page shows of bodies that deform: enlarged shapes and diagrams along beams.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import assert from "node:assert/strict";
import { near } from "./near.mjs";

/** Enlarging deformation moves the nodes in the picture, says so, and changes no data. */
export async function enlarges(page, payload, name) {
  const look = () => page.evaluate((f) => {
    const d = window.delassus;
    const t = d.frameTimes();
    d.setTime(t[Math.floor(0.4 * t.length)]);
    return { poses: f.nodes.map((b) => d.bodyPose(d.bodies()[b])), factor: d.enlarged(f.name) };
  }, payload.scene.flexible[0]);
  const note = () => page.locator("#view-note").innerText();
  const before = await look();
  assert.equal(before.factor, null);
  await page.keyboard.press("e");
  const large = await look();
  assert.ok(large.factor >= 1, `${name}: a factor of ${large.factor}`);
  await page.locator("#bend-size").fill("2");
  const larger = await look();
  near(larger.factor, 100 * large.factor, 1e-9 * larger.factor, `${name}: factor by the slider`);
  assert.match(await note(), /drawn .* times enlarged/);
  const moved = (a) => Math.max(...a.poses.map((p, k) => Math.hypot(...[0, 1, 2].map((i) => p[i] - before.poses[k][i]))));
  assert.ok(moved(larger) > 10 * Math.max(1e-9, moved(large)) || large.factor === 1, `${name}: ${moved(large)} and ${moved(larger)}`);
  // a node that is held stays where it is, to a part of how far others are moved
  const held = payload.scene.flexible[0].held[0];
  if (held !== undefined) {
    const off = Math.hypot(...[0, 1, 2].map((i) => larger.poses[held][i] - before.poses[held][i]));
    assert.ok(off <= 0.1 * moved(larger), `${name}: the held node moves by ${off} of ${moved(larger)}`);
  }
  await page.keyboard.press("e");
  assert.deepEqual((await look()).poses, before.poses, `${name}: and back`);
  assert.equal(await page.locator("#view-note").isHidden(), true);
}

/** Diagrams along beams are what sensors of type section measure, and move with the cursor. */
export async function sectionsMatch(page, payload, path, name) {
  await page.evaluate(() => window.delassus.show("sections"));
  const beam = payload.scene.sections[0];
  const [head, ...lines] = readFileSync(join(dirname(path), "results.csv"), "utf8").trim().split("\n");
  const names = head.split(",");
  const sensor = /(?:^|,)([^,.]+)\.tz(?:,|$)/.exec(head)?.[1];
  const seen = [];
  for (const part of [0.3, 0.7]) {
    const row = lines[Math.round(part * (lines.length - 1))].split(",").map(Number);
    await page.evaluate((t) => window.delassus.setTime(t), row[0]);
    const got = await page.evaluate((b) => window.delassus.along(b, "tz"), beam.name);
    assert.equal(got.s.length, 2 * (beam.stations.length - 1));
    assert.ok(got.values.every(Number.isFinite), `${name}: finite moments`);
    seen.push(JSON.stringify(got.values));
    // the sensor of the model is at the root
    if (sensor) near(got.values[0], row[names.indexOf(`${sensor}.tz`)], 2e-6 * Math.max(...got.values.map(Math.abs), 1e-9), `${name}: ${sensor}.tz at ${row[0]}`);
  }
  assert.notEqual(seen[0], seen[1], `${name}: moments change with the cursor`);
  assert.ok((await page.locator("#panel-sections .chart").count()) >= 3);
  assert.match(await page.locator("#panel-sections .maxima").innerText(), /bending moment tz/);
  assert.match(await page.locator("#panel-sections .maxima").innerText(), /\d N/);
  await page.evaluate(() => window.delassus.show("plots"));
}
