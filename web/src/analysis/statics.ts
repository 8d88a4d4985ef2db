/** What holds an equilibrium: reactions, forces and contacts, as a table. */
import type { Report } from "../data/report";
import type { Payload, RestLoad } from "../data/types";
import { h } from "../ui/dom";
import { notes } from "./modes";

const TITLES: [string, string][] = [["reaction", "Reactions of joints"], ["force", "Forces"], ["contact", "Contacts"]];
/** Rows of a table at most. */
const MOST = 500;

export function restPanel(report: Report, rest: NonNullable<Payload["statics"]>): HTMLElement {
  const loads = Array.isArray(rest.loads) ? rest.loads : [];
  const of = (kind: string) => loads.filter((l: RestLoad) => l.kind === kind);
  return h(
    "div",
    {},
    h("p", { class: "verdict" }, rest.words ?? "equilibrium"),
    ...TITLES.flatMap(([kind, title]) => {
      const list = of(kind);
      if (list.length === 0) return [];
      const rows = list.slice(0, MOST).map((l) => h("tr", {}, h("td", {}, l.name), h("td", { class: "number" }, l.text ?? "")));
      return [h("h2", {}, title), h("table", {}, h("tbody", {}, ...rows)), list.length > MOST ? h("p", { class: "hint" }, `The first ${MOST} of ${list.length} are listed.`) : h("span", {})];
    }),
    h("p", { class: "hint" }, "Reactions act on the second body of a joint, about its place; they are the arrows of the picture (A)."),
    h("h2", {}, "Notes"),
    notes(report),
  );
}
