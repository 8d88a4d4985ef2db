/** Mode shapes: displacements of body frames as complex numbers, and where bodies are in a vibration. Pure numbers. */
import { decode } from "./decode";
import type { PackedArray } from "./types";

export interface ModeSpec {
  /** Growth, 1/s. */
  real: number;
  /** Circular frequency, rad/s. */
  imag: number;
  damping_ratio: number;
  kind?: string;
  moves?: string;
}

export interface ModesSpec {
  about?: string;
  list?: ModeSpec[];
  shapes?: PackedArray;
}

/** Numbers of a body in a shape: displacement and rotation, real parts, then imaginary ones. */
export const WIDTH = 12;

/** Cycles for which a vibration that decays is followed: until little is left of it, but not for ever. */
const CYCLES: [number, number] = [3, 30];
/** What is little. */
const LITTLE = 0.03;
/** Time constants for which something that does not vibrate is followed. */
const CONSTANTS = 4;

export class Modes {
  readonly about: string;
  readonly list: ModeSpec[];
  private readonly shapes: ArrayLike<number>;
  /** Bodies without the ground. */
  private readonly bodies: number;

  constructor(about: string, list: ModeSpec[], shapes: ArrayLike<number>, bodies: number) {
    this.about = about;
    this.list = list;
    this.shapes = shapes;
    this.bodies = bodies;
  }

  /** Shape of a body (0 is the ground, which has none): 12 numbers, or null. */
  of(mode: number, body: number): ArrayLike<number> | null {
    if (body < 1 || body > this.bodies || mode < 0 || mode >= this.list.length) return null;
    const at = (mode * this.bodies + body - 1) * WIDTH;
    return Array.from({ length: WIDTH }, (_, k) => this.shapes[at + k] as number);
  }
}

/** Whether a mode vibrates. */
export const vibrates = (m: ModeSpec): boolean => m.imag > 0 && m.imag > 1e-9 * Math.abs(m.real);

/**
 * Time of the animation in cycles, or in time constants of a mode that does not vibrate: how far it goes. Without decay
 * one cycle is repeated.
 */
export function span(m: ModeSpec, decay: boolean): number {
  if (!decay || m.real === 0) return 1;
  if (!vibrates(m)) return CONSTANTS;
  const cycles = (-Math.log(LITTLE) * m.imag) / (2 * Math.PI * Math.abs(m.real));
  return Math.min(CYCLES[1], Math.max(CYCLES[0], Math.ceil(cycles)));
}

/** Factors of real and imaginary part of a shape at a time of the animation, at most 1. */
export function factors(m: ModeSpec, decay: boolean, at: number): [number, number] {
  const whole = span(m, decay);
  // what grows ends with the whole shape
  const size = (rate: number) => (rate > 0 ? Math.exp(rate * (at - whole)) : Math.exp(rate * at));
  if (!vibrates(m)) return [decay && m.real !== 0 ? size(Math.sign(m.real)) : Math.cos(2 * Math.PI * at), 0];
  const phase = 2 * Math.PI * at;
  const a = decay ? size((2 * Math.PI * m.real) / m.imag) : 1;
  return [a * Math.cos(phase), -a * Math.sin(phase)];
}

/** Seconds of the model per unit of the animation's time; 0 where there is no time. */
export function seconds(m: ModeSpec): number {
  if (vibrates(m)) return (2 * Math.PI) / m.imag;
  return m.real === 0 ? 0 : 1 / Math.abs(m.real);
}

/** Displacement and rotation of a body: the real part of shape times exp(iωt). */
export function displacement(shape: ArrayLike<number>, [re, im]: [number, number]): number[] {
  return [0, 1, 2, 3, 4, 5].map((k) => re * (shape[k] as number) + im * (shape[k + 6] as number));
}

export async function readModes(spec: ModesSpec, bodies: number, say: (problem: string) => void): Promise<Modes> {
  const list = (Array.isArray(spec.list) ? spec.list : []).filter((m) => m && Number.isFinite(m.real) && Number.isFinite(m.imag));
  const shapes = await decode(spec.shapes);
  if (shapes.fault) say(`The mode shapes: the array ${shapes.fault}.`);
  const fits = shapes.shape[0] === spec.list?.length && list.length === spec.list?.length && shapes.shape[1] === bodies - 1 && shapes.shape[2] === WIDTH;
  if (!fits && list.length > 0) say("The mode shapes are not those of the bodies of this model; frequencies are shown without them.");
  return new Modes(String(spec.about ?? ""), list, fits ? shapes.values : [], fits ? bodies - 1 : 0);
}
