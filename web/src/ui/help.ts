/** The keys, on "?". */
import { h } from "./dom";

const KEYS: [string, string][] = [
  ["space", "play, pause"],
  ["← →", "one frame back, on (with shift: ten)"],
  ["Home, End", "to the start, to the end"],
  ["N, P", "next, previous event"],
  ["+ −", "faster, slower"],
  ["L", "repeat"],
  ["1 2 3 4", "view from the front, top, side, corner"],
  ["F", "fit the whole motion into the picture"],
  ["J, S", "joints, springs and forces"],
  ["A, R", "arrows of forces and torques, traces"],
  ["C, K, E", "contact points, play of joints enlarged, deformation enlarged"],
  ["B, M, X, G", "names, mass centres, body axes, grid"],
  ["D", "dark or light"],
  ["Esc", "choose nothing, close"],
  ["?", "this list"],
];

export function makeHelp(keys: [string, string][] = KEYS): { toggle: () => void; close: () => void; element: HTMLDialogElement } {
  const close = h("button", { type: "button", class: "small" }, "close");
  const element = h(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    h("div", { class: "bar" }, h("h2", {}, "Keys"), h("span", { class: "spring" }), close),
    h("dl", {}, ...keys.map(([k, v]) => h("div", {}, h("dt", {}, ...k.split(" ").map((x) => h("kbd", {}, x.replace(",", "")))), h("dd", {}, v)))),
    h("p", { class: "hint" }, "Picture: left button turns (moves in planar models), right button moves, wheel zooms, a click chooses a body."),
  );
  document.body.append(element);
  const shut = () => element.open && element.close();
  close.addEventListener("click", shut);
  element.addEventListener("click", (e) => e.target === element && shut());
  return { element, close: shut, toggle: () => (element.open ? element.close() : element.showModal()) };
}
