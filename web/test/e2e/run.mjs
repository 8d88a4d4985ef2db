// Opens reports in a real browser: made from known motions, damaged ones, and those of REPORTS_DIR
// (folders or files with report.html; beside them results.csv, if there, is compared with the page).
// With DELASSUS, the program, runs are watched live too.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import { launch, openReport as open } from "../../scripts/browser.mjs";
import { analysisPage } from "./analysis.mjs";
import { enlarges, sectionsMatch } from "./flexible.mjs";
import { near } from "./near.mjs";
import * as models from "../fixtures/models.mjs";
import { page as fill, template } from "../fixtures/pack.mjs";

// Small pictures: they are drawn in software here.
const openReport = (browser, path) => open(browser, path, { width: 1100, height: 680 });

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../fixtures/out");
const shots = join(here, "../../test-results");
mkdirSync(shots, { recursive: true });

// What drivers say about speed, and the reading of pixels by these tests, are no errors of the page.
const real = (errors) => errors.filter((e) => !/GPU stall|GL Driver Message|Automatic fallback to software WebGL|willReadFrequently/.test(e));

/** Numbers of colours and of pixels unlike the background in a PNG of the canvas. */
async function picture(page) {
  return page.evaluate(async () => {
    const d = window.delassus;
    const [a] = d.range();
    d.setTime(d.time() || a);
    const canvas = document.querySelector("#view canvas");
    const bitmap = await d.bitmap();
    const c = new OffscreenCanvas(bitmap.width, bitmap.height);
    const ctx = c.getContext("2d");
    ctx.drawImage(bitmap, 0, 0);
    const p = ctx.getImageData(0, 0, c.width, c.height).data;
    const colors = new Map();
    for (let i = 0; i < p.length; i += 4) {
      const k = (p[i] << 16) | (p[i + 1] << 8) | p[i + 2];
      colors.set(k, (colors.get(k) ?? 0) + 1);
    }
    const most = Math.max(...colors.values());
    return { colors: colors.size, drawn: p.length / 4 - most, width: canvas.clientWidth, height: canvas.clientHeight };
  });
}


/** Checks that hold for every good report. */
async function common(page, name) {
  const n = await page.evaluate(() => window.delassus.frames());
  assert.ok(n > 1, `${name}: has frames`);
  const { colors, drawn, width, height } = await picture(page);
  assert.ok(colors > 8, `${name}: the picture has ${colors} colours`);
  assert.ok(drawn > 400, `${name}: ${drawn} pixels are drawn`);
  // Bodies lie inside the picture at the start, in the middle and at the end.
  const pixels = await page.evaluate(() => {
    const d = window.delassus;
    const [a, b] = d.range();
    return [0, 0.5, 1].flatMap((s) => {
      d.setTime(a + s * (b - a));
      return d.bodies().slice(1).map((x) => d.bodyPixel(x));
    });
  });
  const seen = pixels.filter((p) => p !== null);
  assert.ok(seen.length > 0, `${name}: bodies are drawn`);
  for (const [x, y] of seen) assert.ok(x >= -1 && y >= -1 && x <= width + 1 && y <= height + 1, `${name}: a body is at ${x}, ${y}, outside ${width} × ${height}`);
}

/** What is drawn at some frames equals the payload. */
async function posesMatch(page, payload, name) {
  const got = await page.evaluate(() => {
    const d = window.delassus;
    const t = d.frameTimes();
    const pick = [0, 0.13, 0.37, 0.71, 1].map((s) => Math.round(s * (t.length - 1)));
    return pick.map((f) => {
      d.setTime(t[f]);
      return { f, poses: d.bodies().slice(1, 40).map((b) => d.bodyPose(b)) };
    });
  });
  const { inflateSync } = await import("node:zlib");
  const array = payload.motion.poses;
  const raw = Buffer.from(array.data, "base64");
  const bytes = array.encoding === "deflate" ? inflateSync(raw) : raw;
  const value = array.dtype === "f64" ? (i) => bytes.readDoubleLE(8 * i) : (i) => bytes.readFloatLE(4 * i);
  const [, nb, width] = array.shape;
  const size = payload.scene.size || 1;
  let compared = 0;
  for (const { f, poses } of got) {
    poses.forEach((p, i) => {
      const k = (f * nb + i + 1) * width;
      const v = Array.from({ length: width }, (_, j) => value(k + j));
      if (!v.every(Number.isFinite)) return assert.equal(p, null);
      assert.ok(p, `${name}: body ${i + 1} is drawn`);
      const far = Math.max(size, Math.abs(v[0]), Math.abs(v[1]));
      near(p[0], v[0], 1e-5 * far, `${name} x`);
      near(p[1], v[1], 1e-5 * far, `${name} y`);
      const q = width === 3 ? [Math.cos(v[2] / 2), 0, 0, Math.sin(v[2] / 2)] : v.slice(3);
      if (width === 7) near(p[2], v[2], 1e-5 * Math.max(far, Math.abs(v[2])), `${name} z`);
      const dot = Math.abs(q.reduce((s, x, j) => s + x * p[3 + j], 0)) / Math.hypot(...q);
      near(dot, 1, 1e-5, `${name} orientation`);
      compared++;
    });
  }
  assert.ok(compared > 0, `${name}: poses were compared`);
}

/** Channels of the page equal results.csv beside the report. */
async function csvMatches(page, path, name) {
  const file = join(dirname(path), "results.csv");
  if (!existsSync(file)) return false;
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = head.split(",");
  const rows = lines.map((l) => l.split(",").map(Number));
  const times = await page.evaluate(() => window.delassus.columnTimes());
  const shown = await page.evaluate(() => window.delassus.channels().map((c) => c.name));
  let compared = 0;
  for (const [c, channel] of names.entries()) {
    if (c === 0 || !shown.includes(channel) || compared > 400) continue;
    const values = await page.evaluate((n) => window.delassus.channel(n), channel);
    const scale = Math.max(1e-30, ...rows.map((r) => Math.abs(r[c])));
    for (let i = 0; i < times.length; i += Math.max(1, Math.floor(times.length / 17))) {
      const row = rows.find((r) => Math.abs(r[0] - times[i]) <= 1e-9 * Math.max(1, Math.abs(times[i])));
      if (!row) continue; // a sample that the page has and the file has not would be an event
      near(values[i], row[c], 1e-6 * scale, `${name} ${channel} at ${times[i]}`);
      compared++;
    }
  }
  assert.ok(names.length === 1 || compared > 0, `${name}: channels were compared with results.csv`);
  return compared > 0;
}

/** Frames of one body against a planar position sensor would need the model; joints must close instead. */
async function jointsClose(page, payload, name) {
  const worst = await page.evaluate((joints) => {
    const d = window.delassus;
    const [a, b] = d.range();
    const bodies = d.bodies();
    const turn = ([w, x, y, z], [px, py, pz]) => {
      const [tx, ty, tz] = [2 * (y * pz - z * py), 2 * (z * px - x * pz), 2 * (x * py - y * px)];
      return [px + w * tx + y * tz - z * ty, py + w * ty + z * tx - x * tz, pz + w * tz + x * ty - y * tx];
    };
    let worst = 0;
    for (const s of [0, 0.5, 1]) {
      d.setTime(d.frameTimes()[Math.round(s * (d.frames() - 1))] ?? a + s * (b - a));
      const poses = new Map();
      const pose = (i) => {
        if (!poses.has(i)) poses.set(i, i === 0 ? [0, 0, 0, 1, 0, 0, 0] : d.bodyPose(bodies[i]));
        return poses.get(i);
      };
      for (const j of joints) {
        const ends = [j.a, j.b].map((e) => {
          const p = pose(e.body);
          if (!p) return null;
          const r = turn(p.slice(3), e.p);
          return [p[0] + r[0], p[1] + r[1], p[2] + r[2]];
        });
        if (ends[0] && ends[1]) worst = Math.max(worst, Math.hypot(...ends[0].map((x, i) => x - ends[1][i])));
      }
    }
    return worst;
  }, (payload.scene?.joints ?? []).filter((j) => ["revolute", "spherical", "universal", "fixed"].includes(j.type) && !j.clearance && j.a && j.b).slice(0, 60));
  assert.ok(worst < 1e-4 * (payload.scene?.size || 1), `${name}: joints are drawn ${worst} m apart`);
}

/** Forces of the drawn contact points add up to the channel of their contact; all points are drawn. */
async function contactsMatch(page, payload, name) {
  const seen = await page.evaluate(async () => {
    const d = window.delassus;
    const frames = d.frameTimes();
    const times = d.columnTimes();
    const out = [];
    for (const s of [0.05, 0.2, 0.4, 0.6, 0.8, 1]) {
      const t = frames[Math.round(s * (frames.length - 1))];
      d.setTime(t);
      const points = d.contactPoints();
      const row = times.findIndex((x) => Math.abs(x - t) < 1e-9);
      const sums = {};
      for (const p of points) sums[p.contact] = (sums[p.contact] ?? 0) + p.force;
      const channels = {};
      for (const c of Object.keys(sums)) channels[c] = row < 0 ? null : (await d.channel(`${c}.normal`))[row];
      out.push({ t, points, drawn: d.drawn().contacts, sums, channels });
    }
    return out;
  });
  let compared = 0;
  for (const { t, points, drawn, sums, channels } of seen) {
    assert.equal(drawn, points.length, `${name}: points drawn at ${t}`);
    for (const p of points) near(Math.hypot(...p.normal) || 1, 1, 1e-5, `${name}: length of a normal`);
    if (payload.motion.contacts.left_out) continue;
    for (const [c, sum] of Object.entries(sums)) {
      if (channels[c] === null || channels[c] === undefined) continue;
      near(sum, channels[c], 1e-4 * Math.max(1, Math.abs(channels[c])), `${name}: force of ${c} at ${t}`);
      compared++;
    }
  }
  assert.ok(compared > 0 || seen.every((s) => s.points.length === 0), `${name}: contact forces were compared`);
}

/** Orbits of journals are drawn to scale beside their circle, as the channels have them; the magnified journal is there on request. */
async function orbitsMatch(page, payload, name) {
  const wanted = (payload.scene?.orbits ?? []).filter((o) => o.clearance > 0);
  await page.evaluate(() => window.delassus.show("plots"));
  await page.evaluate(() => document.querySelectorAll("#panel-plots details").forEach((d) => (d.open = true)));
  await page.waitForFunction((n) => window.delassus.orbits().filter((o) => o.pixel).length === n, wanted.length);
  const seen = await page.evaluate(async (specs) => {
    const d = window.delassus;
    const times = d.columnTimes();
    const out = [];
    for (const s of [0.3, 0.7, 1]) {
      const row = Math.round(s * (times.length - 1));
      d.setTime(times[row]);
      const drawn = d.orbits();
      for (const spec of specs) {
        const [x, y] = [(await d.channel(spec.x))[row], (await d.channel(spec.y))[row]];
        out.push({ spec, x, y, drawn: drawn.find((o) => o.name === spec.name) });
      }
    }
    return out;
  }, wanted);
  for (const { spec, x, y, drawn } of seen) {
    near(drawn.now[0], x, 1e-12, `${name}: ${spec.name}.x`);
    near(drawn.now[1], y, 1e-12, `${name}: ${spec.name}.y`);
    const metre = (drawn.edge[0] - drawn.middle[0]) / spec.clearance;
    assert.ok(metre * spec.clearance > 40, `${name}: the circle of ${spec.name} is seen`);
    near(drawn.pixel[0] - drawn.middle[0], metre * x, 0.01, `${name}: pixel of ${spec.name}`);
    near(drawn.pixel[1] - drawn.middle[1], -metre * y, 0.01, `${name}: pixel of ${spec.name}`);
  }
  const loose = (payload.scene?.joints ?? []).some((j) => j.clearance);
  if (!loose) return;
  const note = () => page.evaluate(() => document.querySelector("#view-note").textContent);
  const asked = payload.scene.joints.find((j) => j.exaggerate);
  if (asked) assert.equal(await note(), `play of \`${asked.name}\` drawn ${asked.exaggerate} times enlarged`, `${name}: enlarged from the start`);
  else assert.equal(await note(), "", `${name}: nothing is enlarged unless asked`);
  await page.evaluate(() => window.delassus.set("clearances", false));
  const before = await picture(page);
  assert.equal(await note(), "", `${name}: nothing is said of play that is not drawn`);
  await page.keyboard.press("k");
  const after = await picture(page);
  assert.notEqual(before.drawn, after.drawn, `${name}: enlarged play is drawn`);
  assert.match(await note(), /^play of `.*` drawn [0-9.]+ times enlarged/, `${name}: says so`);
  await page.keyboard.press("k");
  assert.equal((await picture(page)).drawn, before.drawn, `${name}: and goes`);
}

async function sliderMoves(page, name) {
  const [a, b] = await page.evaluate(() => window.delassus.range());
  const box = await page.locator(".scrub").boundingBox();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  near(await page.evaluate(() => window.delassus.time()), 0.5 * (a + b), 0.02 * (b - a), `${name}: slider`);
}

async function plotsToggle(page, name) {
  await page.evaluate(() => window.delassus.show("plots"));
  const legend = page.locator("#panel-plots .legend button");
  if ((await legend.count()) === 0) return;
  await page.waitForFunction(() => document.querySelector("#panel-plots .chart canvas"));
  const b = legend.first();
  const figure = page.locator("#panel-plots .chart").first();
  const ink = () => figure.evaluate((f) => {
    const c = f.querySelector("canvas");
    const p = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    let n = 0;
    for (let i = 0; i < p.length; i += 4) if (p[i + 3] > 0 && Math.abs(p[i] - p[i + 2]) > 40) n++;
    return n;
  });
  const curves = await figure.locator(".legend button").count();
  const before = await ink();
  await b.click();
  assert.equal(await b.getAttribute("aria-pressed"), "false", `${name}: curve is off`);
  await page.waitForTimeout(50);
  if (curves === 1) assert.ok((await ink()) < before, `${name}: the curve is gone from the plot`);
  await b.click();
  assert.equal(await b.getAttribute("aria-pressed"), "true");
}

async function keyboard(page, name) {
  await page.evaluate(() => {
    document.activeElement?.blur();
    window.delassus.setTime(window.delassus.range()[0]);
  });
  const time = () => page.evaluate(() => window.delassus.time());
  const frames = await page.evaluate(() => window.delassus.frameTimes());
  await page.keyboard.press("ArrowRight");
  near(await time(), frames[1], 1e-12, `${name}: one frame on`);
  await page.keyboard.press("Shift+ArrowRight");
  near(await time(), frames[Math.min(11, frames.length - 1)], 1e-12, `${name}: ten frames on`);
  await page.keyboard.press("End");
  near(await time(), frames.at(-1), 1e-12, `${name}: end`);
  await page.keyboard.press("ArrowLeft");
  near(await time(), frames.at(-2), 1e-12, `${name}: one back`);
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.delassus.playing()), true, `${name}: space plays`);
  await page.waitForFunction((t) => window.delassus.time() > t, frames[0]);
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.delassus.playing()), false, `${name}: space stops`);
  await page.keyboard.press("?");
  assert.equal(await page.locator("dialog.help").evaluate((d) => d.open), true, `${name}: help opens`);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("dialog.help").evaluate((d) => d.open), false, `${name}: help closes`);
}

/** Tab reaches the main controls, each has a name. */
async function reachable(page) {
  await page.evaluate(() => document.activeElement?.blur());
  const seen = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => {
      const e = document.activeElement;
      return e?.getAttribute("aria-label") ?? e?.textContent?.trim() ?? "";
    }));
  }
  for (const need of ["Play (space)", "Time", "Speed", "Front", "Grid", "Light or dark (D)"]) assert.ok(seen.has(need), `tab reaches ${need}`);
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas[tabindex]")].filter((e) => !(e.getAttribute("aria-label") || e.textContent?.trim() || e.closest("label")?.textContent)).map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, [], "every control has a name");
}

const tests = [];
const test = (name, f) => tests.push({ name, f });
const sample = (name) => join(out, `${name}.html`);

test("slider-crank: everything an engineer touches", async (browser) => {
  const payload = models.sliderCrank();
  const { page, errors, requests } = await openReport(browser, sample("slider_crank"));
  await common(page, "slider_crank");
  await posesMatch(page, payload, "slider_crank");
  await jointsClose(page, payload, "slider_crank");
  await orbitsMatch(page, payload, "slider_crank");
  await sliderMoves(page, "slider_crank");
  await plotsToggle(page, "slider_crank");
  await keyboard(page, "slider_crank");
  await reachable(page);
  // Plots follow the cursor: the orange line moves.
  const line = () => page.locator("#panel-plots .now").first().evaluate((e) => e.style.transform);
  await page.evaluate(() => window.delassus.setTime(0.2));
  const before = await line();
  await page.evaluate(() => window.delassus.setTime(1.4));
  assert.notEqual(await line(), before);
  // A click into a plot moves the time; dragging zooms all plots; a button shows all again.
  const over = page.locator("#panel-plots .u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
  near(await page.evaluate(() => window.delassus.time()), 0.5, 0.02, "click into a plot");
  const range = () => page.evaluate(() => window.delassus.zoom());
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height, { steps: 4 });
  await page.mouse.up();
  const zoomed = await range();
  near(zoomed[0], 0.5, 0.03, "zoom from");
  near(zoomed[1], 1, 0.03, "zoom to");
  await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  assert.equal(await range(), null, "double click shows all");
  // Log axis and CSV of what is shown.
  await page.locator("#panel-plots .chart-tools button").first().click();
  assert.equal(await page.locator("#panel-plots .chart-tools button").first().getAttribute("aria-pressed"), "true");
  const [csv] = await Promise.all([page.waitForEvent("download"), page.locator("#panel-plots .chart-tools button", { hasText: "CSV" }).first().click()]);
  const text = readFileSync(await csv.path(), "utf8").split("\n");
  assert.equal(text[0], "t,crank_angle");
  near(Number(text[201].split(",")[1]), 6, 1e-5, "CSV value");
  const [png] = await Promise.all([page.waitForEvent("download"), page.locator("#panel-plots .chart-tools button", { hasText: "PNG" }).first().click()]);
  assert.ok(statSync(await png.path()).size > 2000);
  // Tabs: trust, model, file.
  await page.locator("#tab-trust").click();
  assert.match(await page.locator("#panel-trust").innerText(), /Energy balance[\s\S]*2\.3e−7 J[\s\S]*Drift, positions[\s\S]*812[\s\S]*N_AXIS/);
  await page.locator("#tab-model").click();
  await page.locator(".leaf", { hasText: "rod" }).first().click();
  assert.match(await page.locator(".details").innerText(), /0\.3 kg/);
  await page.locator("#tab-file").click();
  assert.match(await page.locator(".source").innerText(), /schema = 1/);
  assert.match(await page.locator("#header").innerText(), /slider_crank[\s\S]*Finished[\s\S]*mdop5[\s\S]*1e−6[\s\S]*delassus 0\.1\.0/);
  // Theme changes the picture.
  const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.keyboard.press("d");
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), light);
  // Arrows, traces, names and the rest can all be switched.
  for (const s of ["arrows", "traces", "names", "masses", "frames"]) await page.evaluate((x) => window.delassus.set(x, true), s);
  await page.waitForTimeout(200);
  assert.ok((await picture(page)).colors > 8);
  assert.ok(requests.every((r) => r.startsWith("file:") || r.startsWith("blob:") || r.startsWith("data:")), `no network: ${requests.join(" ")}`);
  assert.deepEqual(real(errors), []);
  await page.screenshot({ path: join(shots, "slider_crank.png") });
});

test("bouncing ball: impacts on the time line and in the table", async (browser) => {
  const payload = models.bouncingBall();
  const { page, errors } = await openReport(browser, sample("bouncing_ball"));
  await common(page, "bouncing_ball");
  await posesMatch(page, payload, "bouncing_ball");
  assert.equal(await page.locator(".mark.event").count(), payload.events.length);
  const box = await page.locator(".marks").boundingBox();
  const mark = await page.locator(".mark.event").nth(1).boundingBox();
  near((mark.x + mark.width / 2 - box.x) / box.width, payload.events[1].t / 3, 0.01, "place of the mark");
  await page.locator(".mark.event").nth(1).click();
  near(await page.evaluate(() => window.delassus.time()), payload.events[1].t, 1e-12, "mark moves the time");
  await page.locator("#tab-events").click();
  assert.equal(await page.locator("#panel-events tbody tr").count(), payload.events.length);
  await page.locator("#panel-events tbody tr").nth(3).click();
  near(await page.evaluate(() => window.delassus.time()), payload.events[3].t, 1e-12, "row moves the time");
  assert.match(await page.locator("#panel-events tbody tr.current").innerText(), /impact/);
  await page.keyboard.press("p");
  near(await page.evaluate(() => window.delassus.time()), payload.events[2].t, 1e-12, "key p");
  assert.deepEqual(real(errors), []);
});

/** Pixels near a colour in the picture. */
async function ink(page, [r, g, b], tolerance = 60) {
  return page.evaluate(async ({ r, g, b, tolerance }) => {
    const bitmap = await window.delassus.bitmap();
    const c = new OffscreenCanvas(bitmap.width, bitmap.height);
    const ctx = c.getContext("2d");
    ctx.drawImage(bitmap, 0, 0);
    const p = ctx.getImageData(0, 0, c.width, c.height).data;
    let n = 0;
    for (let i = 0; i < p.length; i += 4) if (Math.abs(p[i] - r) + Math.abs(p[i + 1] - g) + Math.abs(p[i + 2] - b) < tolerance) n++;
    return n;
  }, { r, g, b, tolerance });
}

test("contact points, arrows of forces and arcs of torques are drawn as in the data", async (browser) => {
  const payload = models.slidingBox();
  const { page, errors } = await openReport(browser, sample("sliding_box"));
  await common(page, "sliding_box");
  await posesMatch(page, payload, "sliding_box");
  const at = (t) => page.evaluate((x) => (window.delassus.setTime(x), { drawn: window.delassus.drawn(), points: window.delassus.contactPoints() }), t);
  const two = await at(1);
  assert.equal(two.drawn.contacts, 2);
  assert.equal(two.points[0].contact, "floor");
  near(two.points[1].at[0], 0.6 * Math.sin(1.5) + 0.5, 1e-6, "place of a point");
  near(two.points[0].force + two.points[1].force, 98.1, 1e-4, "forces of the points");
  near(two.points[1].force / 98.1, 0.5 + 0.4 * Math.sin(3), 1e-6, "part of a point");
  assert.equal((await at(3.5)).drawn.contacts, 0, "in the air there are none");
  // Red dots and arrows are in the picture, and go with the switch and its key.
  await at(1);
  const red = await ink(page, [0xd6, 0x30, 0x31], 90);
  assert.ok(red > 60, `${red} red pixels`);
  await page.keyboard.press("c");
  assert.equal((await at(1)).drawn.contacts, 0);
  assert.ok((await ink(page, [0xd6, 0x30, 0x31], 90)) < red / 4);
  assert.equal(await page.locator("button", { hasText: "Contacts" }).getAttribute("aria-pressed"), "false");
  await page.keyboard.press("c");
  // A torque about z is seen from the front.
  const before = await ink(page, [0x8e, 0x44, 0xad], 110);
  await page.keyboard.press("a");
  await page.waitForFunction(() => window.delassus.drawn().torques === 1 && window.delassus.drawn().forces === 1);
  await at(0.8);
  const arc = await ink(page, [0x8e, 0x44, 0xad], 110);
  assert.ok(arc > before + 80, `an arc of ${arc - before} pixels`);
  // Packed events: marks, table, filter, flash at the place of the impact.
  assert.equal(await page.locator(".mark.event").count(), 4);
  assert.equal(await page.locator(".mark.impact").count(), 1);
  await page.locator("#tab-events").click();
  assert.equal(await page.locator("#panel-events tbody tr").count(), 4);
  await page.locator("#panel-events select").selectOption("impact");
  assert.equal(await page.locator("#panel-events tbody tr").count(), 1);
  assert.match(await page.locator("#panel-events tbody tr").innerText(), /impact[\s\S]*floor[\s\S]*2\.5/);
  await page.locator("#tab-trust").click();
  assert.match(await page.locator("#panel-trust").innerText(), /2 strongest of a frame/);
  await page.locator("#tab-model").click();
  assert.match(await page.locator("#panel-model").innerText(), /floor[\s\S]*shapes[\s\S]*leash[\s\S]*rope/);
  assert.deepEqual(real(errors), []);
  await page.evaluate(() => window.delassus.setTime(1.2));
  await page.screenshot({ path: join(shots, "sliding_box.png") });
});

test("shapes: meshes are drawn, play is magnified on request, coarse surfaces are told", async (browser) => {
  const { page, errors } = await openReport(browser, sample("shapes"));
  const triangles = () => page.evaluate(async () => (await window.delassus.bitmap(), window.delassus.triangles()));
  const plain = await triangles();
  const play = page.locator("button", { hasText: "Play" }).first();
  assert.equal(await play.getAttribute("aria-pressed"), "false");
  await page.keyboard.press("k");
  assert.ok((await triangles()) > plain, "the ring and its journal are drawn");
  assert.equal(await play.getAttribute("aria-pressed"), "true");
  assert.ok(await page.evaluate(() => window.delassus.bodyPose("mesh")));
  await page.locator("#tab-trust").click();
  assert.match(await page.locator("#panel-trust").innerText(), /body mesh is drawn with 4 of its 400 triangles/);
  assert.deepEqual(real(errors), []);
});

test("play that the model exaggerates is drawn from the start", async (browser) => {
  const payload = models.shapes();
  payload.scene.joints[0].exaggerate = 120;
  const path = join(out, "exaggerated.html");
  writeFileSync(path, fill(payload));
  const { page, errors } = await openReport(browser, path);
  const play = page.locator("button", { hasText: "Play" }).first();
  assert.equal(await play.getAttribute("aria-pressed"), "true");
  await orbitsMatch(page, payload, "exaggerated");
  assert.equal(await play.getAttribute("aria-pressed"), "false");
  assert.deepEqual(real(errors), []);
});

test("camera: presets, keys, wheel and drag move it, fit brings all back", async (browser) => {
  const { page, errors } = await openReport(browser, sample("heavy_top"));
  const pixel = () => page.evaluate(() => window.delassus.bodyPixel("top"));
  await page.evaluate(() => window.delassus.setTime(0.7));
  const seen = [];
  for (const key of ["1", "2", "3", "4"]) {
    await page.keyboard.press(key);
    seen.push((await pixel()).map((x) => x.toFixed(1)).join());
  }
  assert.equal(new Set(seen).size, 4, `four views: ${seen.join(" ")}`);
  for (const [name, k] of [["Front", 0], ["Top", 1], ["Side", 2], ["Iso", 3]]) {
    await page.locator("#viewbar button", { hasText: name }).click();
    assert.equal((await pixel()).map((x) => x.toFixed(1)).join(), seen[k], name);
  }
  const box = await page.locator("#view canvas").boundingBox();
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  const differs = async (what, f) => {
    const before = await pixel();
    await f();
    await page.waitForTimeout(80);
    const after = await pixel();
    assert.ok(Math.hypot(after[0] - before[0], after[1] - before[1]) > 3, `${what}: ${before} to ${after}`);
  };
  const drag = async (button) => {
    await page.mouse.move(...middle);
    await page.mouse.down({ button });
    await page.mouse.move(middle[0] + 60, middle[1] + 35, { steps: 4 });
    await page.mouse.up({ button });
  };
  await differs("left button turns", () => drag("left"));
  await differs("right button moves", () => drag("right"));
  await page.mouse.move(box.x + 30, box.y + 30);
  await differs("wheel zooms", () => page.mouse.wheel(0, -600));
  await page.keyboard.press("4");
  assert.equal((await pixel()).map((x) => x.toFixed(1)).join(), seen[3], "a preset brings all back");
  await page.keyboard.press("f");
  const [x, y] = await pixel();
  assert.ok(x > 0 && y > 0 && x < box.width && y < box.height);
  // Speed, loop and scrubbing by keys.
  const speed = () => page.locator(".transport select").inputValue();
  const before = await speed();
  await page.keyboard.press("+");
  assert.ok(Number(await speed()) > Number(before));
  await page.keyboard.press("-");
  assert.equal(await speed(), before);
  const loop = page.locator("button[aria-label='Repeat (L)']");
  await page.keyboard.press("l");
  assert.equal(await loop.getAttribute("aria-pressed"), "false");
  assert.deepEqual(real(errors), []);
});

for (const [name, make] of [["heavy_top", models.top], ["shapes", models.shapes], ["chain_200", () => models.chain(200)], ["chain_500", () => models.chain(500)]]) {
  test(`${name}: drawn as in the data`, async (browser) => {
    const payload = make();
    const { page, errors } = await openReport(browser, sample(name));
    await common(page, name);
    await posesMatch(page, payload, name);
    await jointsClose(page, payload, name);
    await orbitsMatch(page, payload, name);
    if (name.startsWith("chain")) {
      const visible = await page.evaluate(() => window.delassus.visiblePlots().length);
      assert.ok(visible > 0 && visible < 15, `of hundreds of channels ${visible} plots are made`);
    }
    assert.deepEqual(real(errors), []);
  });
}

test("a failed run says where and why and shows the rest", async (browser) => {
  const { page, errors } = await openReport(browser, sample("failed_run"));
  await common(page, "failed_run");
  assert.match(await page.locator("#run-error").innerText(), /t = 2 s[\s\S]*E_SINGULAR[\s\S]*dead point[\s\S]*small speed/);
  assert.equal(await page.locator("#status").innerText(), "Failed");
  assert.equal(await page.locator(".mark.failure").count(), 1);
  assert.deepEqual(real(errors), []);
});

for (const [name, words, frames] of [
  ["bad_missing", /data are missing/, 0],
  ["bad_empty", /version/, 0],
  ["bad_json", /cannot be read/, 0],
  ["bad_version", /version 7[\s\S]*version 1/, 401],
  ["bad_truncated", /motion[\s\S]*cut off[\s\S]*crank_angle/, 100],
  ["bad_base64", /stroke/, 401],
  ["bad_nan", /ball[\s\S]*no finite pose[\s\S]*t = 1\.005/, 601],
  ["bad_no_frames", /no motion/, 0],
]) {
  test(`${name}: told in words, the rest is drawn`, async (browser) => {
    const { page, errors } = await openReport(browser, sample(name));
    await page.waitForTimeout(150);
    assert.match(await page.locator("#banner").innerText(), words);
    const n = await page.evaluate(() => window.delassus.frames());
    assert.ok(frames === 100 ? n > 50 && n < 401 : n === frames, `${n} frames`);
    if (name === "bad_nan") {
      assert.equal(await page.evaluate(() => (window.delassus.setTime(2), window.delassus.bodyPose("ball"))), null);
      assert.ok(await page.evaluate(() => (window.delassus.setTime(0.5), window.delassus.bodyPose("ball"))));
    } else if (n > 1) await common(page, name);
    assert.deepEqual(real(errors), []);
  });
}

test("live: the page grows with the run and ends with it", async (browser) => {
  const whole = models.bouncingBall();
  let send;
  const server = createServer((q, a) => {
    if (q.url === "/live?token=abc") {
      a.writeHead(200, { "content-type": "text/event-stream" });
      send = (event, data) => a.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      send("start", { ...whole, motion: undefined, columns: whole.columns.map((c) => ({ ...c, values: undefined })), column_t: undefined, events: [], meta: { ...whole.meta, status: "running" }, summary: {} });
    } else {
      a.writeHead(200, { "content-type": "text/html" });
      a.end(fill({ url: "/live?token=abc" }, "delassus-live", template()));
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (e) => errors.push(String(e)));
    page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.evaluate(() => window.delassus.ready);
    assert.equal(await page.locator("#status").innerText(), "Running");
    for (let k = 0; k < 5; k++) {
      const t = Array.from({ length: 20 }, (_, i) => 0.02 * (20 * k + i));
      send("frames", { t, poses: t.map((x) => [0, 0, 0, 0, 1 - 0.1 * x, x]), columns: { height: t.map((x) => 1 - 0.1 * x) }, contacts: t.map((_, i) => [i, 0, [0, 0.1 * k, 0], [0, 1, 0], 5]) });
      await page.waitForFunction((n) => window.delassus.frames() === n, 20 * (k + 1));
    }
    await page.waitForFunction(() => Math.abs(window.delassus.time() - 1.98) < 1e-9);
    near((await page.evaluate(() => window.delassus.bodyPose("ball")))[1], 1 - 0.198, 1e-6, "live pose");
    assert.deepEqual(await page.evaluate(() => window.delassus.contactPoints().map((p) => [p.contact, p.force])), [["floor", 5]]);
    send("events", [{ t: 0.5, kind: "impact", contact: "floor" }]);
    await page.waitForFunction(() => document.querySelectorAll(".mark.event").length === 1);
    send("done", { meta: { status: "finished" }, summary: { steps: 77, energy_error: 1e-9 }, steps: { t: [0.1, 0.2], h: [0.1, 0.1] } });
    await page.waitForFunction(() => document.querySelector("#status")?.textContent === "Finished");
    assert.equal(await page.locator(".mark.event").count(), 1);
    assert.equal((await page.evaluate(() => window.delassus.channel("height"))).length, 100);
    assert.deepEqual(real(errors), []);
    await page.close();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

/** `delassus view --live` of a model with the program itself: its address and its process. */
async function liveRun(model, more) {
  const dir = mkdtempSync(join(tmpdir(), "delassus-live-"));
  const out = join(dir, "o");
  const child = spawn(process.env.DELASSUS, ["view", "--live", model, "--no-open", "--out", out, ...more], { stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise((done, no) => {
    let text = "";
    child.stdout.on("data", (d) => {
      text += d;
      const m = /http:\/\/\S+/.exec(text);
      if (m) done(m[0]);
    });
    child.on("exit", (code) => no(new Error(`the program ended with ${code} before it said where the page is`)));
  });
  const ended = new Promise((done) => child.on("exit", (code, signal) => done(code ?? signal)));
  return { child, url, out, ended, close: () => (child.kill("SIGKILL"), rmSync(dir, { recursive: true, force: true })) };
}

if (process.env.DELASSUS) {
  const root = join(here, "../../..");

  test("live: the page of the program moves while the run goes on", async (browser) => {
    // Long enough to be watched: some 10⁵ steps.
    const run = await liveRun(join(root, "models/slider_crank.toml"), ["--end", "4000", "--sample", "0.05"]);
    try {
      const page = await browser.newPage();
      const errors = [];
      page.on("pageerror", (e) => errors.push(String(e)));
      page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && errors.push(m.text()));
      await page.goto(run.url);
      await page.evaluate(() => window.delassus.ready);
      assert.equal(await page.locator("#status").innerText(), "Running");
      const look = () => page.evaluate(() => ({ frames: window.delassus.frames(), t: window.delassus.time(), pose: window.delassus.bodyPose("crank"), shown: document.querySelector(".time").textContent }));
      const seen = [];
      for (let k = 0; k < 4; k++) {
        const n = seen.at(-1)?.frames ?? 1;
        await page.waitForFunction((m) => window.delassus.frames() > m + 5, n, { timeout: 30_000 });
        await page.waitForTimeout(350);
        seen.push(await look());
        assert.equal(run.child.exitCode, null, `look ${k}: the run still goes on`);
        assert.equal(existsSync(join(run.out, "summary.json")), false, "and has written nothing yet");
      }
      for (let k = 1; k < seen.length; k++) {
        assert.ok(seen[k].t > seen[k - 1].t, `the time moves: ${seen.map((s) => s.t).join(", ")}`);
        assert.notEqual(seen[k].shown, seen[k - 1].shown, "and is shown");
        assert.ok(seen[k].frames > seen[k - 1].frames);
      }
      assert.notDeepEqual(seen[3].pose, seen[0].pose, "the crank turns");
      // A page that hangs does not hold the run up: afterwards it has gone on.
      await page.evaluate(() => {
        const end = performance.now() + 1500;
        while (performance.now() < end);
      });
      await page.waitForFunction((t) => window.delassus.time() > t, seen[3].t, { timeout: 30_000 });
      // It is ended from outside and says so.
      run.child.kill("SIGINT");
      await page.waitForFunction(() => document.querySelector("#status")?.textContent !== "Running", null, { timeout: 30_000 });
      assert.equal(await page.locator("#status").innerText(), "Interrupted");
      assert.equal(await run.ended, 130);
      assert.ok(existsSync(join(run.out, "report.html")));
      assert.deepEqual(real(errors), []);
      await page.close();
    } finally {
      run.close();
    }
  });

  test("live: contacts and events of a run come along, and its end", async (browser) => {
    const run = await liveRun(join(root, "models/bouncing_ball.toml"), []);
    try {
      const page = await browser.newPage();
      await page.goto(run.url);
      await page.evaluate(() => window.delassus.ready);
      await page.waitForFunction(() => document.querySelector("#status")?.textContent === "Finished", null, { timeout: 60_000 });
      assert.equal(await run.ended, 0);
      assert.ok((await page.evaluate(() => window.delassus.events().length)) > 20);
      await page.evaluate(() => window.delassus.setTime(window.delassus.range()[1]));
      const points = await page.evaluate(() => window.delassus.contactPoints());
      assert.equal(points.length, 1, "at the end the ball lies on the floor");
      assert.ok(points[0].force > 0 && points[0].normal[1] > 0.999);
      await page.evaluate(() => window.delassus.show("trust"));
      assert.match(await page.locator("#panel-trust").innerText(), /Step size/);
      await page.close();
    } finally {
      run.close();
    }
  });
}

/** Reports of the program itself. */
function reports(folder) {
  const found = [];
  for (const e of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, e.name);
    if (e.isDirectory()) found.push(...reports(path));
    else if (e.name.endsWith(".html")) found.push(path);
  }
  return found.sort();
}

const folder = process.env.REPORTS_DIR;
if (folder) {
  for (const path of reports(folder)) {
    const label = basename(path) === "report.html" ? basename(dirname(path)) : basename(path, ".html");
    test(`report of ${label}`, async (browser) => {
      const data = /<script type="application\/json" id="delassus-data">([^<]*)<\/script>/.exec(readFileSync(path, "utf8"))?.[1];
      assert.ok(data, "the report has data");
      const payload = JSON.parse(data);
      const { page, errors, requests } = await openReport(browser, path);
      if (payload.kind) {
        await analysisPage(page, payload, label);
        assert.ok(requests.every((r) => r.startsWith("file:") || r.startsWith("blob:") || r.startsWith("data:")));
        assert.deepEqual(real(errors), []);
        await page.screenshot({ path: join(shots, `${label}.png`) });
        return;
      }
      assert.match(await page.locator("#header").innerText(), new RegExp(String(payload.meta.method ?? "").replace(/[^\w]/g, ".")));
      if (payload.meta.status === "failed") {
        assert.equal(await page.locator("#status").innerText(), "Failed");
        if (payload.meta.error?.code) assert.ok((await page.locator("#run-error").innerText()).includes(payload.meta.error.code));
      }
      for (const words of payload.problems ?? []) assert.ok((await page.locator("#banner").innerText()).includes(words));
      if (payload.motion && (await page.evaluate(() => window.delassus.frames())) > 1) {
        await common(page, label);
        await posesMatch(page, payload, label);
        await jointsClose(page, payload, label);
        await orbitsMatch(page, payload, label);
        await sliderMoves(page, label);
        await keyboard(page, label);
        if (payload.motion.contacts) await contactsMatch(page, payload, label);
        if (payload.scene.flexible?.length) await enlarges(page, payload, label);
        if (payload.motion.sections) await sectionsMatch(page, payload, path, label);
        if (payload.motion.loads) {
          // Some force or torque is drawn at some time, from the data of the run alone.
          await page.evaluate(() => window.delassus.set("arrows", true));
          await page.waitForFunction(() => [0.2, 0.5, 0.8].some((s) => {
            const [a, b] = window.delassus.range();
            window.delassus.setTime(a + s * (b - a));
            const { forces, torques } = window.delassus.drawn();
            return forces + torques > 0;
          }));
        }
      }
      await plotsToggle(page, label);
      await csvMatches(page, path, label);
      const inRange = (payload.events ?? []).length;
      if (inRange > 0 && inRange <= 600) assert.equal(await page.locator(".mark.event").count(), inRange);
      for (const tab of ["trust", "events", "model", "file", "plots"]) {
        await page.evaluate((t) => window.delassus.show(t), tab);
        await page.waitForTimeout(30);
      }
      assert.ok(requests.every((r) => r.startsWith("file:") || r.startsWith("blob:") || r.startsWith("data:")));
      assert.deepEqual(real(errors), []);
      await page.evaluate(() => window.delassus.setTime(window.delassus.range()[0] + 0.35 * (window.delassus.range()[1] - window.delassus.range()[0])));
      await page.waitForTimeout(100);
      await page.screenshot({ path: join(shots, `${label}.png`) });
    });
  }
}

const only = process.argv[2];
await import("../fixtures/make.mjs");
const browser = await launch();
let failures = 0;
const chosen = tests.filter((t) => !only || t.name.includes(only));
for (const { name, f } of chosen) {
  const begin = Date.now();
  let timer;
  try {
    const limit = new Promise((_, no) => (timer = setTimeout(() => no(new Error("no end after 180 s")), 180_000)));
    await Promise.race([f(browser), limit]);
    console.log(`ok    ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures++;
    console.log(`FAIL  ${name}\n      ${error?.message ?? error}`);
    if (process.env.E2E_STACK) console.log(error?.stack);
  }
  clearTimeout(timer);
  for (const c of browser.contexts()) await c.close().catch(() => undefined);
}
await browser.close();
console.log(`${chosen.length - failures} of ${chosen.length} passed`);
process.exit(failures > 0 || chosen.length === 0 ? 1 : 0);
