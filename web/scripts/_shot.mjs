// usage: node shot.mjs page.html out.png theme 'js' [w h]
import { readFileSync, writeFileSync } from "node:fs";
import { launch, openReport } from "./browser.mjs";
const [page0, out, theme, js, w, hh] = process.argv.slice(2);
let path = page0;
if (process.env.REPACK) {
  const t = readFileSync("/work/wt-report/web/dist/template.html", "utf8");
  const p = readFileSync(page0, "utf8");
  const m = p.match(/<script type="application\/json" id="delassus-data">[^<]*<\/script>/);
  path = "/tmp/rp/_repacked.html";
  const [a, b] = t.split("<!--DELASSUS-DATA-->");
  writeFileSync(path, a + m[0] + b);
}
const browser = await launch();
const r = await openReport(browser, path, { theme, width: Number(w ?? 1440), height: Number(hh ?? 860) });
const page = r.page ?? r;
if (js) console.log(JSON.stringify(await page.evaluate(js)));
await page.waitForTimeout(700);
await page.screenshot({ path: out });
console.log("errors", JSON.stringify(r.errors ?? []), await page.evaluate("JSON.stringify(window.delassus.problems?.() ?? [])"));
await browser.close();
