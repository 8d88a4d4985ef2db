/** The payload of a report as the Rust side writes it. Every part may be missing. */

import type { ModesSpec } from "./modes";
import type { RotorSpec } from "./rotor";

export interface PackedArray {
  dtype?: string;
  shape?: number[];
  encoding?: string;
  data?: string;
}

export type Vec3 = [number, number, number];
/** Scalar first: w x y z. */
export type Quat = [number, number, number, number];

export interface RunError {
  code?: string;
  t?: number | null;
  message?: string;
  help?: string | null;
}

export interface Meta {
  title?: string;
  model_file?: string;
  model_text?: string;
  method?: string;
  scheme?: string | null;
  rtol?: number | null;
  atol?: number | null;
  step?: number | null;
  t_end?: number;
  program?: string;
  commit?: string | null;
  model_hash?: string;
  status?: string;
  error?: RunError | null;
  down_sampled?: { from: number; to: number } | null;
}

export interface Shape {
  type: string;
  p?: number[];
  r?: number[];
  radius?: number;
  length?: number;
  size?: number[] | number;
  vertices?: PackedArray;
  triangles?: PackedArray;
  /** Triangles in the model, where fewer are drawn. */
  of?: number;
  a?: number[];
  b?: number[];
  points?: number[][];
  closed?: boolean;
  normal?: number[];
  color?: string | null;
}

export interface Marker {
  name: string;
  p: number[];
  r?: number[];
}

export interface Body {
  name: string;
  kind?: string;
  mass?: number;
  inertia?: number[];
  com?: number[];
  /** Number of the first node of the beam that it is a node of. */
  of_beam?: number;
  color?: string | null;
  shapes?: Shape[];
  markers?: Marker[];
}

export interface Place {
  body: number;
  p: number[];
  r?: number[];
}

export interface Joint {
  name: string;
  type: string;
  a?: Place;
  b?: Place;
  axis_a?: number[];
  axis_b?: number[];
  radius?: number;
  shape?: string;
  joints?: number[];
  ratio?: number;
  clearance?: number;
  /** Width, height and length of a block with play, along x, y and z of both places. */
  block?: number[];
  /** How many times larger the play is drawn from the start, where the model says so. */
  exaggerate?: number;
}

export interface Force {
  name: string;
  type: string;
  a?: Place | null;
  b?: Place | null;
}

/** A contact of shapes, a stop, a rope, a clutch, friction. */
export interface Interaction {
  name: string;
  type?: string;
  a?: number;
  b?: number;
  /** Ends of a rope. */
  ends?: Place[];
}

export interface ArrowSpec {
  name: string;
  kind?: string;
  group?: string;
  body: number;
  p: number[];
  /** Channels of the components, where sensors measure it. */
  columns?: (string | null)[];
  /** Number in the list of loads. */
  load?: number;
}

/** The path of a journal in its bearing: one channel over another. */
export interface OrbitSpec {
  name: string;
  x: string;
  y: string;
  /** How far it may go before it touches, m. */
  clearance?: number;
}

/** A body that deforms. */
export interface Flexible {
  name: string;
  /** Bodies of the scene that it consists of. */
  nodes: number[];
  /** Their poses in the undeformed shape: x y z, w x y z. */
  rest: number[][];
  /** It is drawn as a line through its nodes; the first is its floating frame, which is no part of the line. */
  line?: boolean;
  /** Numbers among these of those that are held, and of those whose orientation is held too. */
  held?: number[];
  clamped?: number[];
  /** Bodies that hang on it alone, by the number of the node among these. */
  hanging?: { node: number; bodies: number[] }[];
  /** How many times larger its deformation is drawn from the start, where the model says so. */
  exaggerate?: number;
}

/** A beam of which forces and moments are recorded. */
export interface SectionSpec {
  name: string;
  /** Number of its first element among those recorded. */
  first: number;
  /** Distance of the ends of its elements along the unloaded axis, m. */
  stations: number[];
}

export interface SceneSpec {
  planar?: boolean;
  up?: number[];
  gravity?: number[];
  size?: number;
  center?: number[];
  bodies?: Body[];
  joints?: Joint[];
  forces?: Force[];
  contacts?: Interaction[];
  arrows?: ArrowSpec[];
  orbits?: OrbitSpec[];
  flexible?: Flexible[];
  sections?: SectionSpec[];
}

export interface ColumnSpec {
  name: string;
  group?: string;
  unit?: string;
  label?: string;
  values?: PackedArray;
}

export interface RunEvent {
  t: number;
  kind?: string;
  contact?: string;
  point?: number[];
  normal?: number[];
  [key: string]: unknown;
}

/** Many events, by columns. */
export interface PackedEvents {
  kinds?: string[];
  contacts?: string[];
  t?: PackedArray;
  kind?: PackedArray;
  contact?: PackedArray;
  numbers?: Record<string, PackedArray>;
  /** Place and normal: x y z, x y z; NaN where they are not known. */
  place?: PackedArray;
}

export interface Note {
  code?: string;
  message?: string;
  t?: number | null;
}

/** Contact points of the frames, in the order of frames. */
export interface PackedContacts {
  frame?: PackedArray;
  contact?: PackedArray;
  at?: PackedArray;
  normal?: PackedArray;
  force?: PackedArray;
  /** Where there were too many: how many a frame may have, and how many are left out in all. */
  per_frame?: number;
  left_out?: number;
}

/** A force or torque of an equilibrium. */
export interface RestLoad {
  name: string;
  kind?: string;
  text?: string;
}

export interface Payload {
  format?: string;
  version?: number;
  /** What the page shows, where it is not a run. */
  kind?: string;
  modes?: ModesSpec;
  rotor?: RotorSpec;
  statics?: { words?: string; loads?: RestLoad[] };
  meta?: Meta;
  summary?: Record<string, unknown>;
  notes?: Note[];
  problems?: string[];
  scene?: SceneSpec;
  motion?: {
    t?: PackedArray;
    poses?: PackedArray;
    contacts?: PackedContacts;
    /** Reactions and applied forces: vectors of the loads of `index` at the times t. */
    loads?: { t?: PackedArray; index?: number[]; values?: PackedArray };
    /** Forces and moments at both ends of the elements of beams, at the times t. */
    sections?: { t?: PackedArray; values?: PackedArray };
  };
  columns?: ColumnSpec[];
  column_t?: PackedArray;
  steps?: Record<string, PackedArray>;
  events?: RunEvent[] | PackedEvents;
}
