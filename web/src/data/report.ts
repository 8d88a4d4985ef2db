/** From the text in the page to checked data. Faults become sentences, never exceptions. */
import { ContactPoints, readContacts } from "./contacts";
import { decode } from "./decode";
import { readEvents } from "./events";
import { Loads, readLoads } from "./loads";
import { Growing, Motion } from "./motion";
import { readSections, type Sections } from "./sections";
import type { Body, ColumnSpec, Meta, Note, Payload, Place, RunEvent, SceneSpec, Shape } from "./types";

export const VERSION = 1;

/** A channel. Its numbers are unpacked when somebody looks at it. */
export class Column {
  readonly name: string;
  readonly group: string;
  readonly unit: string;
  readonly label: string;
  private packed: ColumnSpec["values"];
  private loading: Promise<Float64Array> | null = null;
  private numbers: Growing | null = null;
  private readonly report: (problem: string) => void;

  constructor(spec: ColumnSpec, report: (problem: string) => void) {
    this.name = String(spec.name ?? "?");
    this.group = spec.group || "other";
    this.unit = spec.unit && spec.unit !== "1" ? spec.unit : "";
    this.label = spec.label || this.name;
    this.packed = spec.values;
    this.report = report;
  }

  /** Numbers already unpacked, or null. */
  get ready(): Float64Array | null {
    return this.numbers ? this.numbers.view() : null;
  }

  load(): Promise<Float64Array> {
    if (this.numbers) return Promise.resolve(this.numbers.view());
    this.loading ??= decode(this.packed).then((d) => {
      this.packed = undefined;
      if (d.fault) this.report(`Channel ${this.name} ${d.fault}.`);
      this.numbers = new Growing(d.values);
      return this.numbers.view();
    });
    return this.loading;
  }

  append(values: ArrayLike<number>, skip: number): void {
    this.numbers ??= new Growing();
    // A column that starts late is filled up with holes.
    while (this.numbers.length < skip) this.numbers.push([NaN]);
    this.numbers.push(values);
  }
}

export interface Steps {
  t: Float64Array;
  [name: string]: Float64Array;
}

export interface Report {
  meta: Meta;
  summary: Record<string, unknown>;
  notes: Note[];
  problems: string[];
  scene: SceneSpec & { bodies: Body[] };
  motion: Motion;
  contacts: ContactPoints;
  loads: Loads;
  /** Forces and moments in beams, where the run recorded them. */
  sections: Sections | null;
  /** What the page had to leave out, in words; told in Trust. */
  thinned: string[];
  columns: Column[];
  columnTime: Growing;
  steps: Record<string, Growing>;
  events: RunEvent[];
  /** Called when a problem is found late, while a channel is unpacked. */
  onProblem: ((problem: string) => void) | null;
}

const list = <T>(x: unknown): T[] => (Array.isArray(x) ? (x as T[]) : []);
const finite = (x: unknown): x is number => typeof x === "number" && Number.isFinite(x);

/** A sentence for a page without data, or with data that cannot be read. */
export function parsePayload(text: string | null): { payload: Payload; problems: string[] } {
  if (text === null || text.trim() === "") {
    return { payload: {}, problems: ["This page holds no run: the data are missing. Make it again with “delassus report RESULT”."] };
  }
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      payload: {},
      problems: [`The data in this page cannot be read, the file is probably cut off or was changed (${why}). Make it again with “delassus report RESULT”.`],
    };
  }
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    return { payload: {}, problems: ["The data in this page are not those of a Delassus report."] };
  }
  const p = payload as Payload;
  const problems: string[] = [];
  if (p.format !== undefined && p.format !== "delassus-report") {
    problems.push(`The data say they are “${String(p.format)}”, not a Delassus report. What can be understood is shown.`);
  }
  if (p.version !== VERSION) {
    problems.push(
      p.version === undefined
        ? "The data do not say their version. They are read as version 1."
        : `The data have version ${String(p.version)}, this page understands version ${VERSION}. What can be understood is shown.`,
    );
  }
  return { payload: p, problems };
}

/** Drops what would make drawing fail, with a sentence. */
function checkScene(scene: SceneSpec | undefined, problems: string[]): SceneSpec & { bodies: Body[] } {
  const s = { ...(scene ?? {}) };
  const bodies = list<Body>(s.bodies).map((b, i) => ({ ...b, name: String(b?.name ?? `body ${i}`) }));
  const place = (p: { body?: unknown; p?: unknown } | null | undefined) =>
    p != null && finite(p.body) && p.body >= 0 && p.body < bodies.length && list(p.p).length >= 2 && list(p.p).every(finite);
  s.joints = list<NonNullable<SceneSpec["joints"]>[number]>(s.joints).map((j) => {
    if ((j.a && !place(j.a)) || (j.b && !place(j.b))) {
      problems.push(`Joint ${j.name}: its places cannot be read; it is not drawn.`);
      return { ...j, a: undefined, b: undefined };
    }
    return j;
  });
  s.forces = list<NonNullable<SceneSpec["forces"]>[number]>(s.forces).map((f) => {
    if ((f.a && !place(f.a)) || (f.b && !place(f.b))) {
      problems.push(`Force ${f.name}: its places cannot be read; it is not drawn.`);
      return { ...f, a: undefined, b: undefined };
    }
    return f;
  });
  s.contacts = list<NonNullable<SceneSpec["contacts"]>[number]>(s.contacts).map((c) => ({ ...c, ends: list<Place>(c.ends).every(place) ? c.ends : undefined }));
  s.arrows = list<NonNullable<SceneSpec["arrows"]>[number]>(s.arrows).filter((a) => place(a));
  return { ...s, bodies };
}

export async function readReport(payload: Payload, problems: string[]): Promise<Report> {
  const scene = checkScene(payload.scene, problems);
  const report: Report = {
    meta: payload.meta ?? {},
    summary: payload.summary ?? {},
    notes: list(payload.notes),
    problems: [...problems, ...list<string>(payload.problems).map(String)],
    scene,
    motion: new Motion(0, 7),
    contacts: new ContactPoints(),
    loads: new Loads(),
    sections: null,
    thinned: [],
    columns: [],
    columnTime: new Growing(),
    steps: {},
    events: [],
    onProblem: null,
  };
  const say = (problem: string) => {
    report.problems.push(problem);
    report.onProblem?.(problem);
  };
  report.events = await readEvents(payload.events, say);
  const nb = report.scene.bodies.length;

  if (payload.motion) {
    const [t, poses] = await Promise.all([decode(payload.motion.t), decode(payload.motion.poses)]);
    if (t.fault) say(`The times of the motion: the array ${t.fault}.`);
    if (poses.fault) say(`The motion: the array ${poses.fault}. Shown is what could be read.`);
    let width = poses.shape[2];
    const sent = poses.shape[1];
    if (width !== 3 && width !== 7) {
      if (poses.values.length > 0) say("The motion has an unknown shape and is not shown.");
      width = 7;
    } else if (sent !== nb) {
      say(`The motion is of ${String(sent)} bodies, the model has ${nb}; it is not shown.`);
    } else {
      report.motion = new Motion(nb, width, t.values, poses.values);
      const holes = report.motion.holes();
      for (const hole of holes.slice(0, 5)) {
        say(`Body ${report.scene.bodies[hole.body]?.name}: no finite pose in ${hole.frames} of ${report.motion.frames} frames, first at t = ${hole.t} s. It is hidden there.`);
      }
      if (holes.length > 5) say(`${holes.length - 5} more bodies have frames without finite poses.`);
    }
    if (report.motion.bodies === 0) report.motion = new Motion(nb, width === 3 ? 3 : 7);
    if (payload.motion.loads && typeof payload.motion.loads === "object") report.loads = await readLoads(payload.motion.loads, say);
    if (payload.motion.sections && typeof payload.motion.sections === "object") report.sections = await readSections(payload.motion.sections, scene.sections ?? [], say);
    const contacts = payload.motion.contacts;
    if (contacts && typeof contacts === "object") {
      report.contacts = await readContacts(contacts, say);
      if (contacts.left_out) report.thinned.push(`Of the contact points only the ${String(contacts.per_frame)} strongest of a frame are drawn; contacts.bin holds all.`);
    }
  } else {
    report.motion = new Motion(nb, report.scene.planar ? 3 : 7);
  }

  for (const b of scene.bodies) {
    for (const s of list<Shape>(b.shapes)) {
      if (s.of) report.thinned.push(`A surface of body ${b.name} is drawn with ${s.triangles?.shape?.[0] ?? "fewer"} of its ${s.of} triangles.`);
    }
  }
  report.columns = list<ColumnSpec>(payload.columns).filter((c) => c && typeof c === "object").map((c) => new Column(c, say));
  if (payload.column_t) {
    const d = await decode(payload.column_t);
    if (d.fault) say(`The times of the channels: the array ${d.fault}.`);
    report.columnTime = new Growing(d.values);
  } else if (report.columns.length > 0) {
    report.columnTime = new Growing(report.motion.t);
  }
  for (const [name, array] of Object.entries(payload.steps ?? {})) {
    if (!array || typeof array !== "object") continue;
    const d = await decode(array);
    if (d.fault) say(`The record of steps, ${name}: the array ${d.fault}.`);
    report.steps[name] = new Growing(d.values);
  }
  return report;
}
