import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

/** What the Rust side replaces by the data of a run. Must occur once. */
const MARKER = "<!--DELASSUS-DATA-->";

/**
 * Puts the one script and the one style sheet into the page and names the script's hash in the
 * content security policy, so that the browser runs this script and no other.
 */
function singleFile(): Plugin {
  return {
    name: "delassus-single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no index.html in the bundle");
      let script = "";
      let style = "";
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === "chunk") script += item.code;
        else if (name.endsWith(".css")) style += String(item.source);
        else if (name !== "index.html") throw new Error(`unexpected file ${name}`);
        if (name !== "index.html") delete bundle[name];
      }
      // These sequences would end the element or start a comment inside it.
      script = script.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
      const hash = createHash("sha256").update(script).digest("base64");
      const html = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>\s*/g, "")
        .replace(/<link rel="stylesheet"[^>]*>\s*/g, "")
        .replace("SCRIPT-HASH", () => `'sha256-${hash}'`)
        .replace("</head>", () => `<style>${style.trim()}</style>\n</head>`)
        .replace("</body>", () => `<script type="module">${script}</script>\n</body>`);
      if (html.split(MARKER).length !== 2) throw new Error(`the page must have ${MARKER} once`);
      delete bundle["index.html"];
      this.emitFile({ type: "asset", fileName: "template.html", source: html });
    },
  };
}

export default defineConfig({
  plugins: [singleFile()],
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
  test: { include: ["test/unit/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
