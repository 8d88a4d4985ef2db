/** Colours of bodies and symbols in both themes. */
import type { Paint } from "./drawing";

const BODIES = [0x4c86c6, 0xe0873a, 0x4fa37c, 0xc65b5b, 0x8b74c4, 0x3fa0ad, 0xb98f3e, 0xb9679f, 0x7d8b99, 0x85a347];
/** Many bodies: two quiet blues in turn, so that links can be told apart without a carnival. */
const MANY = [0x4c86c6, 0x7fa9d6];

export function bodyColor(index: number, bodies: number): number {
  const list = bodies > 18 ? MANY : BODIES;
  return list[(index - 1 + list.length) % list.length] as number;
}

export const SELECTED = 0xffc233;

const NAMED: Record<string, [light: number, dark: number]> = {
  pin: [0xffffff, 0xf2f5f8],
  metal: [0xa9b4c0, 0xb7c1cc],
  ink: [0x2a3542, 0x05080b],
  ground: [0x9aa5b1, 0x66727f],
  rail: [0x8894a1, 0x74818f],
  spring: [0x51606f, 0xaab6c2],
  contact: [0xd63031, 0xff6b5e],
};

export function paintColor(paint: Paint, dark: boolean): number {
  if (typeof paint === "number") return paint;
  return (NAMED[paint] as [number, number])[dark ? 1 : 0];
}

/** "#rrggbb" or null. */
export function hex(color: string | null | undefined): number | null {
  const m = /^#([0-9a-f]{6})$/i.exec(color ?? "");
  return m ? parseInt(m[1] as string, 16) : null;
}
