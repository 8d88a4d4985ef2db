/** The tabs of the right side, with the arrow keys of the ARIA pattern. */
import { h } from "./dom";

export interface Tab {
  id: string;
  title: string;
  content: HTMLElement;
}

export class Tabs {
  private readonly buttons: HTMLButtonElement[] = [];
  private readonly panels: HTMLElement[] = [];
  private readonly badges: HTMLElement[] = [];
  readonly ids: string[];
  onShow: ((id: string) => void) | null = null;

  constructor(bar: HTMLElement, host: HTMLElement, tabs: Tab[]) {
    this.ids = tabs.map((t) => t.id);
    tabs.forEach((tab, i) => {
      const badge = h("span", { class: "badge" });
      const button = h("button", { type: "button", role: "tab", id: `tab-${tab.id}`, "aria-controls": `panel-${tab.id}`, onclick: () => this.show(tab.id) }, tab.title, badge);
      button.addEventListener("keydown", (e) => {
        const next = e.key === "ArrowRight" ? i + 1 : e.key === "ArrowLeft" ? i - 1 : -1;
        if (e.key !== "ArrowRight" && e.key !== "ArrowLeft") return;
        const k = (next + tabs.length) % tabs.length;
        this.show(this.ids[k] as string);
        this.buttons[k]?.focus();
        e.stopPropagation();
        e.preventDefault();
      });
      const panel = h("div", { role: "tabpanel", id: `panel-${tab.id}`, "aria-labelledby": `tab-${tab.id}`, tabindex: -1 }, tab.content);
      this.badges.push(badge);
      this.buttons.push(button);
      this.panels.push(panel);
      bar.append(button);
      host.append(panel);
    });
    this.show(this.ids[0] as string);
  }

  show(id: string): void {
    this.ids.forEach((x, i) => {
      const on = x === id;
      this.buttons[i]?.setAttribute("aria-selected", String(on));
      if (this.buttons[i]) this.buttons[i].tabIndex = on ? 0 : -1;
      if (this.panels[i]) this.panels[i].hidden = !on;
    });
    this.onShow?.(id);
  }

  badge(id: string, text: string, tone = ""): void {
    const b = this.badges[this.ids.indexOf(id)];
    if (!b) return;
    b.textContent = text;
    b.className = `badge ${tone}`;
  }
}
