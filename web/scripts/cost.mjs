// What a frame costs: node scripts/cost.mjs report.html. Script time is what the page can answer for;
// the rate below it is with drawing in software.
import { launch, openReport } from "./browser.mjs";

const browser = await launch();
try {
  for (const report of process.argv.slice(2)) {
    const begin = Date.now();
    const { page, context } = await openReport(browser, report);
    const opened = Date.now() - begin;
    const r = await page.evaluate(async () => {
      const d = window.delassus;
      const [a, b] = d.range();
      const n = 20;
      const start = performance.now();
      for (let i = 0; i < n; i++) {
        d.setTime(a + ((b - a) * i) / n);
        // One frame of the screen each, so that the drawing queue stays short.
        await new Promise((done) => requestAnimationFrame(done));
      }
      return { script: d.frameCost(), rate: (1000 * n) / (performance.now() - start), bodies: d.bodies().length - 1, triangles: d.triangles() };
    });
    console.log(`${r.bodies} bodies: opened in ${opened} ms; a frame takes ${r.script.place.toFixed(2)} ms to place and ${r.script.draw.toFixed(2)} ms to hand over; ${r.triangles} triangles; ${r.rate.toFixed(0)} frames/s drawn in software`);
    await context.close();
  }
} finally {
  await browser.close();
}
