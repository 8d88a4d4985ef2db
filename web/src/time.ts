/** The one time cursor that viewer, plots, tables and player share. */

export class Cursor {
  private now = 0;
  private readonly listeners = new Set<(t: number) => void>();
  start = 0;
  end = 0;
  playing = false;
  /** Seconds of the model per second of the clock. */
  speed = 1;
  loop = true;
  /** Set by the player: called when playing starts or stops. */
  onState: (() => void) | null = null;

  get t(): number {
    return this.now;
  }
  setRange(start: number, end: number): void {
    this.start = start;
    this.end = Math.max(start, end);
    if (this.now < this.start || this.now > this.end) this.set(this.now);
  }
  set(t: number): void {
    if (!Number.isFinite(t)) return;
    const clamped = Math.min(this.end, Math.max(this.start, t));
    if (clamped === this.now) return;
    this.now = clamped;
    for (const f of this.listeners) f(clamped);
  }
  listen(f: (t: number) => void): () => void {
    this.listeners.add(f);
    return () => this.listeners.delete(f);
  }
  play(on = !this.playing): void {
    if (on && this.end <= this.start) return;
    if (on && !this.loop && this.now >= this.end) this.set(this.start);
    this.playing = on;
    this.onState?.();
  }
  /** Moves on by `dt` seconds of the clock. */
  advance(dt: number): void {
    if (!this.playing) return;
    let t = this.now + dt * this.speed;
    const length = this.end - this.start;
    if (t > this.end) {
      if (this.loop && length > 0) t = this.start + ((t - this.start) % length);
      else {
        this.set(this.end);
        this.play(false);
        return;
      }
    }
    this.set(t);
  }
}

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

/**
 * A speed that shows the whole run in 4 to 20 s, real time when that is so already; slower when
 * something turns faster than the eye follows (about a turn per second), but not over a minute.
 */
export function goodSpeed(length: number, rate = 0): number {
  if (!(length > 0)) return 1;
  const nearest = (wish: number) => SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wish)) < Math.abs(Math.log(best / wish)) ? s : best), 1);
  const plain = length >= 1.5 && length <= 30 ? 1 : nearest(length / 8);
  if (!(rate * plain > 10)) return plain;
  return Math.min(plain, nearest(Math.max(6 / rate, length / 60)));
}
