// Frames of the picture as PNG files: node scripts/frames.mjs report.html OUTDIR [--fps 30]
// OUTDIR/frame_00000.png … ; a film: ffmpeg -framerate 30 -i OUTDIR/frame_%05d.png film.mp4
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, openReport, options, pictureAlone } from "./browser.mjs";

const known = { fps: 30, from: null, to: null, speed: 1, width: 1280, height: 720, theme: "light", view: null, on: "", off: "" };
let o;
try {
  o = options(process.argv.slice(2), known);
} catch (error) {
  console.error(error.message);
  process.exit(2);
}
const [report, folder] = o.rest;
const fps = Number(o.fps);
const speed = Number(o.speed);
if (!report || !folder || !(fps > 0) || !(speed > 0)) {
  console.error("usage: node frames.mjs report.html OUTDIR [--fps 30] [--speed 1] [--from t] [--to t] [--width 1280] [--height 720] [--theme dark|light] [--view front|top|side|iso] [--on traces,arrows] [--off grid]");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const browser = await launch();
try {
  const { page } = await openReport(browser, report, { width: Number(o.width), height: Number(o.height), theme: o.theme });
  await pictureAlone(page);
  const [start, end] = await page.evaluate(({ on, off, view }) => {
    const d = window.delassus;
    for (const s of on.split(",").filter(Boolean)) d.set(s, true);
    for (const s of off.split(",").filter(Boolean)) d.set(s, false);
    if (view) d.view(view);
    return d.range();
  }, { on: o.on, off: o.off, view: o.view });
  if (!(await page.evaluate(() => window.delassus.frames() > 0))) throw new Error("the report holds no motion");
  const from = o.from === null ? start : Number(o.from);
  const to = o.to === null ? end : Number(o.to);
  const n = Math.floor(((to - from) / speed) * fps + 1e-9) + 1;
  for (let i = 0; i < n; i++) {
    const t = Math.min(to, from + (i * speed) / fps);
    await page.evaluate((x) => {
      window.delassus.setTime(x);
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }, t);
    writeFileSync(join(folder, `frame_${String(i).padStart(5, "0")}.png`), await page.screenshot({ type: "png" }));
  }
  console.log(`${n} frames in ${folder}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
