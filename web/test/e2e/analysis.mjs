// Pages of `delassus modes`, `rotor` and `statics`.
import assert from "node:assert/strict";
import { near } from "./near.mjs";

/** Pages of modes, rotors and equilibria. */
export async function analysisPage(page, payload, name) {
  const d = (f, ...more) => page.evaluate(f, ...more);
  if (payload.kind === "modes") {
    assert.equal(await page.locator("#status").innerText(), "Modes");
    const list = payload.modes.list;
    assert.equal(await page.locator("#panel-modes tbody tr").count(), list.length);
    const body = payload.scene.bodies[payload.scene.flexible[0].nodes.at(-1)].name;
    const at = async (mode, t) => d(({ mode, t, body }) => {
      const w = window.delassus;
      w.chooseMode(mode);
      w.setTime(t);
      return w.bodyPose(body).slice(0, 3);
    }, { mode, t, body });
    const away = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
    const rest = await at(0, 0.25);
    const out = await at(0, 0);
    const back = await at(0, 0.5);
    assert.ok(away(out, rest) > 0.01 * payload.scene.size, `${name}: the tip moves by ${away(out, rest)}`);
    near(away(out, rest), away(back, rest), 1e-3 * away(out, rest), `${name}: as far to the other side`);
    // with decay the end of the animation is near rest
    await d(() => window.delassus.decay(true));
    const end = (await d(() => window.delassus.range()))[1];
    assert.ok(end >= 3, `${name}: ${end} cycles`);
    assert.ok(away(await at(0, Math.floor(end)), rest) < 0.7 * away(out, rest), `${name}: it decays`);
    await d(() => window.delassus.decay(false));
    await page.keyboard.press("n");
    assert.equal(await d(() => window.delassus.mode()), 1);
    await page.locator("#panel-modes tbody tr").nth(2).click();
    assert.equal(await d(() => window.delassus.mode()), 2);
    await page.keyboard.press(" ");
    assert.equal(await d(() => window.delassus.playing()), true);
    const before = await d(() => window.delassus.time());
    await page.waitForFunction((t) => window.delassus.time() !== t, before);
    assert.ok((await d(() => window.delassus.bodyPixel("load"))) !== null);
  } else if (payload.kind === "rotor") {
    assert.equal(await page.locator("#status").innerText(), "Rotor");
    assert.deepEqual(await d(() => window.delassus.critical()), payload.rotor.critical);
    await page.waitForFunction(() => window.delassus.plots().includes("Whirl frequencies"));
    const speeds = await d(() => window.delassus.speeds("Whirl frequencies"));
    const curves = await d(() => window.delassus.curves("Whirl frequencies"));
    assert.ok(curves.some((c) => c.label === "forward") && curves.some((c) => c.label === "backward"));
    const sync = curves.find((c) => c.label === "frequency = speed");
    sync.y.forEach((y, i) => near(y, speeds[i] / 60, 1e-9 * speeds.at(-1), `${name}: frequency of the speed`));
    await d(() => window.delassus.show("critical"));
    assert.equal(await page.locator("#panel-critical tbody tr").count(), payload.rotor.critical.length);
    await d(() => window.delassus.show("unbalance"));
    await page.waitForFunction(() => window.delassus.plots().includes("Orbits"));
    const orbit = (await d(() => window.delassus.curves("Orbits")))[0];
    assert.ok(orbit.label === "disc2" && orbit.y.at(-1) > 0);
    await d(() => window.delassus.show("campbell"));
    assert.ok(await page.locator("#stage").isHidden());
  } else {
    assert.equal(await page.locator("#status").innerText(), "Equilibrium");
    assert.match(await page.locator("#panel-rest").innerText(), /stable[\s\S]*Reactions of joints/);
    await d(() => window.delassus.set("arrows", true));
    await page.waitForFunction(() => {
      const { forces, torques } = window.delassus.drawn();
      return forces + torques > 0;
    });
    await d(() => window.delassus.show("sections"));
    assert.match(await page.locator("#panel-sections .maxima").innerText(), /largest/);
    assert.ok(await page.locator("#player").isHidden());
  }
}
