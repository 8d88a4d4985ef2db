/** Keyboard shortcuts of the whole page. */
import type { Switch, Viewer } from "./scene/viewer";
import type { View } from "./scene/camera";
import type { Cursor } from "./time";
import type { Player } from "./ui/player";
import type { ViewBar } from "./ui/viewbar";
import { isDark, setTheme } from "./ui/theme";

interface Parts {
  cursor: Cursor;
  player: Player;
  viewer: Viewer;
  bar: ViewBar;
  help: { toggle: () => void; close: () => void; element: HTMLDialogElement };
}

const VIEWS: Record<string, View> = { "1": "front", "2": "top", "3": "side", "4": "iso" };
const SWITCHES: Record<string, Switch> = { j: "joints", s: "forces", a: "arrows", r: "traces", b: "names", m: "masses", x: "frames", g: "grid", c: "contacts", k: "clearances", e: "flexure" };

/** Keys of a page without a time line: those of the picture, and its own. */
export function bindViewKeys({ viewer, bar, help, keys }: { viewer?: Viewer; bar?: ViewBar; help: Parts["help"]; keys?: (key: string) => boolean }): void {
  document.addEventListener("keydown", (e) => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || target.matches("input[type=search], input[type=text], textarea, select")) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (key === " " && target.matches("button, summary")) return;
    if (key.startsWith("Arrow") && target.matches("input[type=range], [role=separator], [role=tab]")) return;
    const act = (): boolean => {
      if (keys?.(key)) return true;
      if (key === "d") setTheme(!isDark());
      else if (key === "?") help.toggle();
      else if (key === "Escape") {
        if (help.element.open) help.close();
        else viewer?.select(null);
      } else if (key === "f" && viewer) viewer.fit();
      else if (bar && key in VIEWS) bar.look(VIEWS[key] as View);
      else if (bar && key in SWITCHES) bar.toggle(SWITCHES[key] as Switch);
      else return false;
      return true;
    };
    if (act()) e.preventDefault();
  });
}

export function bindKeys({ cursor, player, viewer, bar, help }: Parts): void {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    const target = e.target as HTMLElement;
    const typing = target.matches("input[type=search], input[type=text], textarea, select");
    if (typing) return;
    // On a button or a fold, space and enter belong to it.
    const own = target.matches("button, summary, input[type=checkbox], [role=separator]");
    const slider = target.matches("input[type=range]:not(.scrub)");
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const act = (): boolean => {
      switch (key) {
        case " ":
          if (own) return false;
          cursor.play();
          return true;
        case "ArrowLeft":
        case "ArrowRight":
          if (slider || target.matches("[role=separator], [role=tab]")) return false;
          player.step((key === "ArrowLeft" ? -1 : 1) * (e.shiftKey ? 10 : 1));
          return true;
        case "Home":
          cursor.set(cursor.start);
          return true;
        case "End":
          cursor.set(cursor.end);
          return true;
        case "n":
          player.event(1);
          return true;
        case "p":
          player.event(-1);
          return true;
        case "+":
        case "=":
          player.faster(1);
          return true;
        case "-":
          player.faster(-1);
          return true;
        case "l":
          player.setLoop(!cursor.loop);
          return true;
        case "f":
          viewer.fit();
          return true;
        case "d":
          setTheme(!isDark());
          return true;
        case "?":
          help.toggle();
          return true;
        case "Escape":
          if (help.element.open) help.close();
          else viewer.select(null);
          return true;
        default:
          if (key in VIEWS) bar.look(VIEWS[key] as View);
          else if (key in SWITCHES) bar.toggle(SWITCHES[key] as Switch);
          else return false;
          return true;
      }
    };
    if (act()) e.preventDefault();
  });
}
