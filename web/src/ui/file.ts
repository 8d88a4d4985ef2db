/** The model file as it was run. */
import type { Report } from "../data/report";
import { download, h } from "./dom";

/** Colours for a line of TOML or JSON: comments, tables, strings, keys. */
function paintLine(line: string): (Node | string)[] {
  const out: (Node | string)[] = [];
  const rule = /(#.*$)|(^\s*\[\[?[^\]]*\]\]?)|("(?:[^"\\]|\\.)*"|'[^']*')|(^\s*[A-Za-z0-9_.-]+(?=\s*=))/g;
  const kinds = ["comment", "table", "string", "key"];
  let at = 0;
  for (const m of line.matchAll(rule)) {
    out.push(line.slice(at, m.index));
    const kind = kinds[m.slice(1).findIndex((g) => g !== undefined)];
    out.push(h("span", { class: `tok-${kind}` }, m[0]));
    at = m.index + m[0].length;
  }
  out.push(line.slice(at));
  return out;
}

export function drawFile(report: Report): HTMLElement {
  const { model_text: text, model_file: file } = report.meta;
  if (!text) return h("div", { class: "file-panel" }, h("p", { class: "empty" }, "The model file is not part of these data."));
  const lines = text.replace(/\n$/, "").split("\n");
  const code = h("code");
  // Very long files stay plain: colours would cost seconds.
  if (lines.length > 5000) code.textContent = text;
  else for (const line of lines) code.append(h("span", { class: "line" }, ...paintLine(line), "\n"));
  const copy = h("button", { type: "button", class: "small" }, "copy");
  copy.addEventListener("click", () => {
    void navigator.clipboard?.writeText(text).then(
      () => (copy.textContent = "copied"),
      () => (copy.textContent = "not allowed"),
    );
  });
  return h(
    "div",
    { class: "file-panel" },
    h("div", { class: "bar" }, h("span", { class: "mono", title: file }, file?.split(/[\\/]/).pop() ?? "model"), h("span", { class: "spring" }), copy, h("button", { type: "button", class: "small", onclick: () => download(file?.split(/[\\/]/).pop() ?? "model.toml", text, "text/plain") }, "save")),
    h("pre", { class: "source", tabindex: 0, "aria-label": "Model file" }, code),
    report.meta.model_hash ? h("p", { class: "hint mono wrap" }, report.meta.model_hash) : null,
  );
}
