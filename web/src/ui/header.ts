/** What ran, and with which numbers. */
import { readCertificate } from "../data/certificate";
import type { Report } from "../data/report";
import { count, num } from "../format";
import { h, icon } from "./dom";
import { isDark, setTheme } from "./theme";

const STATUS: Record<string, [string, string]> = {
  finished: ["Finished", "good"],
  done: ["Finished", "good"],
  failed: ["Failed", "bad"],
  interrupted: ["Interrupted", "fair"],
  running: ["Running", "live"],
  modes: ["Modes", "live"],
  rotor: ["Rotor", "live"],
  statics: ["Equilibrium", "live"],
};

export function drawHeader(host: HTMLElement, report: Report, help: () => void): void {
  const { meta, summary } = report;
  const [word, tone] = STATUS[meta.status ?? ""] ?? [meta.status ?? "No status", "fair"];
  const facts: [string, string, string?][] = [];
  const fact = (name: string, value: unknown, title?: string) => {
    if (value !== null && value !== undefined && value !== "") facts.push([name, String(value), title]);
  };
  // A run that was watched live has some of this in its summary only.
  const from = (key: string, own: unknown) => own ?? summary[key];
  const method = from("method", meta.method);
  const rtol = from("rtol", meta.rtol);
  const step = from("step", meta.step);
  const program = meta.program ?? (typeof summary.version === "string" ? `delassus ${summary.version}` : null);
  const scheme = from("scheme", meta.scheme);
  fact("method", scheme ? `${String(method)} · ${String(scheme)}` : method);
  if (typeof rtol === "number") fact("rtol", num(rtol));
  const atol = meta.atol ?? summary.atol;
  if (typeof atol === "number") fact("atol", num(atol));
  if (typeof step === "number") fact("step", `${num(step)} s`);
  if (typeof meta.t_end === "number") fact("end", `${num(meta.t_end)} s`);
  fact("bodies", report.scene.bodies.length > 1 ? count(report.scene.bodies.length - 1) : null);
  fact("program", program ? `${program}${meta.commit ? ` (${meta.commit.slice(0, 8)})` : ""}` : null, meta.commit ?? undefined);
  if (meta.model_hash) fact("model hash", meta.model_hash.replace(/^sha256:/, "").slice(0, 12), meta.model_hash);
  document.title = `${meta.title ?? "Delassus report"} – Delassus`;
  host.replaceChildren(
    h("div", { class: "titles" }, h("h1", {}, meta.title ?? "Delassus report"), h("span", { class: `status ${tone}`, id: "status" }, word), seal(report), meta.model_file ? h("span", { class: "file", title: meta.model_file }, meta.model_file.split(/[\\/]/).pop() ?? "") : null),
    h("dl", { class: "facts" }, ...facts.map(([k, v, title]) => h("div", { title }, h("dt", {}, k), h("dd", {}, v)))),
    h(
      "div",
      { class: "header-tools" },
      h("button", { type: "button", class: "tool", "aria-label": "Light or dark (D)", title: "Light or dark (D)", onclick: () => setTheme(!isDark()) }, icon("M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z")),
      h("button", { type: "button", class: "tool", "aria-label": "Keys (?)", title: "Keys (?)", onclick: help }, icon("M6 6a2 2 0 1 1 2.6 1.9C8 8.1 8 8.6 8 9.2M8 11.6v.2")),
    ),
  );
}

/** The seal of `delassus certify`, where it was asked. */
function seal(report: Report): HTMLElement | null {
  const c = readCertificate(report.summary);
  if (!c) return null;
  const word = c.certified ? `Certified to ${num(c.accuracy, 2)}` : `Not certified beyond ${num(c.until, 6)} s`;
  return h("span", { class: `status ${c.certified ? "good" : "fair"}`, id: "seal", title: c.reason ?? "Independent families of methods agree." }, word);
}

/** Everything that is wrong, in words, at the top. */
export function drawBanner(host: HTMLElement, report: Report): void {
  const { meta, problems } = report;
  const items: HTMLElement[] = [];
  if (meta.status === "failed" || meta.error) {
    const e = meta.error ?? {};
    const when = typeof e.t === "number" ? ` at t = ${num(e.t, 6)} s` : "";
    items.push(
      h(
        "div",
        { class: "alert bad", id: "run-error" },
        h("strong", {}, `The run failed${when}`),
        e.code ? h("code", {}, e.code) : null,
        h("span", {}, e.message ?? "No reason was recorded."),
        e.help ? h("span", { class: "help-text" }, e.help) : null,
        report.motion.frames > 0 ? h("span", { class: "muted" }, "Shown is what was computed before.") : null,
      ),
    );
  } else if (meta.status === "interrupted") {
    items.push(h("div", { class: "alert fair" }, h("strong", {}, "The run was interrupted."), h("span", {}, "Shown is what was computed before.")));
  }
  if (problems.length > 0) {
    const shown = [...new Set(problems)];
    items.push(
      h(
        "div",
        { class: "alert fair", id: "data-problems" },
        h("strong", {}, shown.length === 1 ? "Something is wrong with these data:" : `${shown.length} things are wrong with these data:`),
        ...(shown.length === 1 ? [h("span", {}, shown[0] as string)] : [h("ul", {}, ...shown.slice(0, 12).map((p) => h("li", {}, p)), shown.length > 12 ? h("li", {}, `and ${shown.length - 12} more`) : null)]),
      ),
    );
  }
  host.replaceChildren(...items);
}
