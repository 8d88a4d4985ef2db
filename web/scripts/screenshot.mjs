// A picture of a report: node scripts/screenshot.mjs report.html out.png [--time t] [--theme dark]
import { launch, openReport, options } from "./browser.mjs";

const o = options(process.argv.slice(2), { time: null, theme: "light", tab: null, width: 1440, height: 860, scale: 1, on: "", off: "", view: null, mode: null });
const [report, out] = o.rest;
if (!report || !out) {
  console.error("usage: node screenshot.mjs report.html out.png [--time t] [--theme dark|light] [--tab plots|sections|trust|events|model|file] [--width 1440] [--height 860] [--scale 1] [--view front|top|side|iso] [--on names,traces] [--off grid] [--mode 1]");
  process.exit(2);
}
const browser = await launch();
try {
  const { page, errors } = await openReport(browser, report, { width: Number(o.width), height: Number(o.height), theme: o.theme, scale: Number(o.scale) });
  await page.evaluate(({ time, tab, on, off, view, mode }) => {
    const d = window.delassus;
    for (const s of on.split(",").filter(Boolean)) d.set(s, true);
    for (const s of off.split(",").filter(Boolean)) d.set(s, false);
    if (view) d.view(view);
    if (tab) d.show(tab);
    if (mode !== null) d.chooseMode(Number(mode) - 1);
    if (time !== null) d.setTime(Number(time));
  }, { time: o.time, tab: o.tab, on: o.on, off: o.off, view: o.view, mode: o.mode });
  await page.waitForTimeout(600);
  await page.screenshot({ path: out });
  const real = errors.filter((e) => !/GL Driver Message|GPU stall/.test(e));
  if (real.length > 0) console.error(real.join("\n"));
} finally {
  await browser.close();
}
