// Small pictures of many reports: node scripts/gallery.mjs report.html=out.webp …
// Each shows the mechanism with its traces in the middle of its run, without the rest of the page.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { launch, openReport, pictureAlone } from "./browser.mjs";

const WIDTH = 560;
const HEIGHT = 374;

const pairs = process.argv.slice(2).map((p) => p.split("="));
if (pairs.length === 0 || pairs.some((p) => p.length !== 2)) {
  console.error("usage: node scripts/gallery.mjs report.html=out.webp …");
  process.exit(2);
}
const browser = await launch();
try {
  for (const [report, out] of pairs) {
    const { page, context } = await openReport(browser, report, { width: WIDTH, height: HEIGHT });
    await pictureAlone(page);
    await page.evaluate(() => {
      const d = window.delassus;
      d.set("traces", true);
      const [start, end] = d.range();
      d.setTime((start + end) / 2);
    });
    await page.waitForTimeout(300);
    const cdp = await context.newCDPSession(page);
    const { data } = await cdp.send("Page.captureScreenshot", { format: "webp", quality: 80 });
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, Buffer.from(data, "base64"));
    await context.close();
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
