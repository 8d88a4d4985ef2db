/** Light and dark: the system's wish until the user says otherwise. */
const listeners = new Set<(dark: boolean) => void>();
const system = window.matchMedia("(prefers-color-scheme: dark)");
let chosen: boolean | null = null;

export const isDark = (): boolean => chosen ?? system.matches;

/** Colour of the theme by its CSS name. */
export const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const f of listeners) f(isDark());
}

export function setTheme(dark: boolean | null): void {
  chosen = dark;
  try {
    if (dark === null) localStorage.removeItem("delassus-theme");
    else localStorage.setItem("delassus-theme", dark ? "dark" : "light");
  } catch {
    // Pages from disk may have no storage; the choice then lasts as long as the page.
  }
  apply();
}

export function onTheme(f: (dark: boolean) => void): void {
  listeners.add(f);
}

export function startTheme(): void {
  const wish = /[?#&]theme=(dark|light)/.exec(location.search + location.hash)?.[1];
  let stored: string | null | undefined = wish;
  try {
    stored ??= localStorage.getItem("delassus-theme");
  } catch {
    // as above
  }
  if (stored === "dark" || stored === "light") chosen = stored === "dark";
  system.addEventListener("change", apply);
  apply();
}
