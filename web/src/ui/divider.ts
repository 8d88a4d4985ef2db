/** The line between picture and results can be moved by pointer and by keys. */
export function bindDivider(divider: HTMLElement, main: HTMLElement): void {
  let share = 0.56;
  const set = (x: number) => {
    share = Math.min(0.8, Math.max(0.25, x));
    main.style.setProperty("--share", `${(100 * share).toFixed(2)}%`);
    divider.setAttribute("aria-valuenow", String(Math.round(100 * share)));
  };
  set(share);
  divider.addEventListener("pointerdown", (e) => {
    divider.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent) => set((m.clientX - main.getBoundingClientRect().left) / main.clientWidth);
    divider.addEventListener("pointermove", move);
    divider.addEventListener("pointerup", () => divider.removeEventListener("pointermove", move), { once: true });
  });
  divider.addEventListener("keydown", (e) => {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
    set(share + (e.key === "ArrowLeft" ? -0.03 : 0.03));
    e.preventDefault();
  });
}
