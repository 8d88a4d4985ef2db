// A headless Chromium without network chatter. CHROMIUM names another one than Debian's.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export function chromiumPath() {
  const found = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => p && existsSync(p));
  if (!found) throw new Error("no Chromium found: install it (Debian: apt-get install chromium) or name it in CHROMIUM");
  return found;
}

export function launch() {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: [
      "--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
      "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb",
    ],
  });
}

export const fileUrl = (path) => pathToFileURL(resolve(path)).href;

/** Opens a report and waits until it is drawn. */
export async function openReport(browser, path, { width = 1440, height = 860, theme = "light", scale = 1 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme === "dark" ? "dark" : "light", deviceScaleFactor: scale, offline: true });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(String(e)));
  const requests = [];
  page.on("request", (r) => requests.push(r.url()));
  await page.goto(fileUrl(path));
  await page.waitForFunction(() => window.delassus?.ready !== undefined);
  await page.evaluate(() => window.delassus.ready);
  return { page, context, errors, requests };
}

/** Leaves the picture alone, over the whole window. */
export async function pictureAlone(page) {
  await page.addStyleTag({ content: "#header,#banner,#viewbar,#player,#divider,#side{display:none!important} main{grid-template-columns:100%!important} #stage{height:100vh!important}" });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** "--name value" and the rest, from the command line. */
export function options(argv, known) {
  const rest = [];
  const found = { ...known };
  for (let i = 0; i < argv.length; i++) {
    const m = /^--([a-z-]+)(?:=(.*))?$/.exec(argv[i]);
    if (!m) rest.push(argv[i]);
    else if (!(m[1] in known)) throw new Error(`unknown option --${m[1]}`);
    else found[m[1]] = m[2] ?? argv[++i];
  }
  return { ...found, rest };
}
