/** The picture of the mechanism at the time of the cursor: puts the parts of a scene together. */
import { AmbientLight, Color, DirectionalLight, HemisphereLight, Matrix4, Quaternion, Scene, SRGBColorSpace, Vector3, WebGLRenderer } from "three";
import type { Report } from "../data/report";
import type { SceneSpec } from "../data/types";
import type { Cursor } from "../time";
import { Arrows } from "./arrows";
import { Cameras, type View } from "./camera";
import { Clearances, enlargedFromStart, looseJoints, playWords } from "./clearance";
import { bodyColor, hex } from "./colors";
import { Contacts } from "./contacts";
import { vec, type Layer } from "./drawing";
import { Extent } from "./extent";
import { Grid } from "./grid";
import { Overlay } from "./overlay";
import { labels, pick, project, type Stage } from "./pick";
import { deformedFromStart, Flexure } from "./flexure";
import { Plates } from "./plates";
import { Pools } from "./pools";
import { sketch } from "./sketch";
import { Traces } from "./traces";

export type Switch = "joints" | "forces" | "masses" | "frames" | "names" | "arrows" | "traces" | "grid" | "contacts" | "clearances" | "flexure";

const LAYERS: Partial<Record<Switch, Layer>> = { joints: "joint", forces: "force", masses: "com", frames: "frame", clearances: "clearance" };
/** Time between frames above which pixels are saved, s. */
const SLOW = 0.045;
const P = new Vector3();
const Q = new Quaternion();
const ONE = new Vector3(1, 1, 1);

export class Viewer {
  readonly host: HTMLElement;
  readonly overlay = new Overlay();
  readonly traces = new Traces();
  readonly arrows: Arrows;
  readonly contacts: Contacts;
  cameras!: Cameras;
  /** Milliseconds of the last frames: placing everything, and handing it to the graphics driver. */
  readonly cost: number[] = [];
  readonly drawCost: number[] = [];
  onSelect: ((body: number | null) => void) | null = null;
  /** Why there is no picture, if so. */
  fault: string | null = null;

  private readonly report: Report;
  private readonly cursor: Cursor;
  private renderer: WebGLRenderer | null = null;
  private readonly scene = new Scene();
  private pools: Pools | null = null;
  private plates: Plates | null = null;
  private clearances: Clearances | null = null;
  private readonly grid = new Grid();
  private readonly extent: Extent;
  /** Enlarges deformation; made anew with the data. */
  flexure: Flexure;
  /** Moves bodies from where the data have them; the time is that of the cursor. */
  warp: ((t: number, bodies: Matrix4[], valid: Uint8Array) => void) | null = null;
  private readonly matrices: Matrix4[];
  private readonly poses: Float64Array;
  private readonly valid: Uint8Array;
  private readonly up: Vector3;
  private readonly planar: boolean;
  private dark = false;
  selected: number | null = null;
  following: number | null = null;
  private readonly followed = new Vector3();
  private dirty = true;
  private placed = false;
  /** Bodies where the data have them, beside where they are moved to. */
  private ghost: Pools | null = null;
  private cameraMoved = true;
  /** Mean time between frames while playing, s. */
  private slow = 0;
  readonly switches: Record<Switch, boolean> = {
    joints: true, forces: true, masses: false, frames: false, names: false, arrows: false, traces: false, grid: true, contacts: true, clearances: false, flexure: false,
  };
  private currentView: View;

  constructor(host: HTMLElement, report: Report, cursor: Cursor) {
    this.host = host;
    this.report = report;
    this.cursor = cursor;
    const s = report.scene;
    this.planar = s.planar ?? false;
    this.switches.clearances = enlargedFromStart(s.joints ?? []);
    this.switches.flexure = deformedFromStart(s.flexible);
    this.flexure = new Flexure(s.flexible ?? [], s.bodies.length, report.motion);
    this.up = s.up && s.up.length >= 2 && vec(s.up).lengthSq() > 0 ? vec(s.up).normalize() : this.planar ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
    this.currentView = this.planar ? "front" : "iso";
    const n = s.bodies.length;
    this.matrices = Array.from({ length: n }, () => new Matrix4());
    this.poses = new Float64Array(7 * n);
    this.valid = new Uint8Array(n);
    this.extent = new Extent(report, this.planar, () => (this.switches.flexure ? this.flexure : null));
    this.extent.measure();
    const { size } = this.extent;
    this.arrows = new Arrows(report, 0.22 * size, 0.006 * size, this.planar);
    this.contacts = new Contacts(report);
    try {
      this.renderer = new WebGLRenderer({ antialias: true });
    } catch {
      this.fault = "This browser cannot draw in 3D (WebGL is missing or switched off): no picture of the mechanism. Plots and tables work.";
      return;
    }
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Animated picture of ${report.meta.title ?? "the mechanism"} with ${n} bodies. Drag moves, wheel zooms, keys 1 to 4 choose a view.`);
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    host.append(canvas, this.overlay.root);
    this.cameras = new Cameras(this.planar, this.up, canvas, () => (this.dirty = this.cameraMoved = true));
    this.lights();
    this.scene.add(this.grid.root, this.traces.root, this.arrows.root, this.contacts.root);
    new ResizeObserver(() => this.resize()).observe(host);
    cursor.listen(() => this.touch());
    this.picking(canvas);
  }

  /** Triangles of the last picture. */
  get triangles(): number {
    return this.renderer?.info.render.triangles ?? 0;
  }
  get sceneSpec(): SceneSpec {
    return this.report.scene;
  }
  get hasClearances(): boolean {
    return looseJoints(this.report.scene.joints ?? [], 1).length > 0;
  }

  /** The same from another place. */
  private moved(): void {
    this.cameraMoved = true;
    this.touch();
  }

  /** Asks for a new picture at the next frame. */
  touch(): void {
    this.dirty = true;
    this.placed = false;
  }

  /** Puts everything where it is at the time of the cursor, without drawing it. */
  settle(): void {
    if (this.placed || !this.pools) return;
    this.placed = true;
    this.update(this.cursor.t);
  }

  private lights(): void {
    const key = new DirectionalLight(0xffffff, 1.9);
    const back = new DirectionalLight(0xffffff, 0.5);
    key.position.copy(this.up).multiplyScalar(1.4).add(new Vector3(0.7, 0.4, 0.9));
    back.position.copy(key.position).negate();
    this.scene.add(new AmbientLight(0xffffff, 0.9), new HemisphereLight(0xffffff, 0x8a94a0, 0.9), key, back);
  }

  /** Makes all drawn things anew from the scene: at the start, and when live data are complete. */
  async build(): Promise<void> {
    if (!this.renderer) return;
    const { scene } = this.report;
    const { extent } = this;
    const { scale } = this.flexure;
    this.flexure = new Flexure(scene.flexible ?? [], scene.bodies.length, this.report.motion);
    this.flexure.scale = scale;
    extent.measure();
    const d = await sketch(this.report, this.planar, this.up, extent);
    extent.hold(d);
    for (const part of [this.pools, this.plates, this.clearances, this.ghost]) {
      if (!part) continue;
      this.scene.remove(part.root);
      part.dispose();
    }
    this.pools = new Pools(d);
    this.plates = new Plates(d);
    this.clearances = new Clearances(looseJoints(scene.joints ?? [], d.u), d.u, this.planar);
    this.scene.add(this.pools.root, this.plates.root, this.clearances.root);
    if (this.warp) {
      this.ghost = new Pools(d);
      this.scene.add(this.ghost.root);
    }
    this.grid.build(extent.box, extent.size, this.planar, this.up);
    this.contacts.resize(d.u, 0.22 * extent.size);
    this.arrows.refresh();
    for (const name of Object.keys(this.switches) as Switch[]) this.set(name, this.switches[name]);
    this.ghost?.fade();
    this.paint();
    this.resize();
    if (!this.cameras.touched) this.look(this.currentView);
    this.touch();
  }

  private paint(): void {
    this.pools?.paint(this.dark, this.selected);
    this.ghost?.paint(this.dark, null);
    this.plates?.paint(this.dark, this.selected);
    this.clearances?.paint(this.dark);
    this.contacts.paint(this.dark);
    this.grid.paint(this.dark);
    this.scene.background = new Color(this.dark ? 0x12181f : 0xf4f6f8);
    this.touch();
  }

  theme(dark: boolean): void {
    this.dark = dark;
    this.paint();
  }

  select(body: number | null): void {
    if (body === this.selected) return;
    this.selected = body;
    this.paint();
    this.onSelect?.(body);
  }

  set(name: Switch, on: boolean): void {
    this.switches[name] = on;
    const layer = LAYERS[name];
    if (layer) {
      this.pools?.show(layer, on);
      this.ghost?.show(layer, false);
      this.plates?.show(layer, on);
    }
    if (name === "flexure" && on) this.flexure.choose();
    if (name === "clearances" && this.clearances) this.clearances.root.visible = on;
    else if (name === "grid") this.grid.root.visible = on;
    else if (name === "contacts") this.contacts.root.visible = on;
    else if (name === "traces") {
      this.traces.root.visible = on;
      if (on && this.traces.count === 0) this.traceSome();
    } else if (name === "arrows") {
      this.arrows.root.visible = on;
      if (on) void this.arrows.load().then(() => this.touch());
    }
    this.say();
    this.touch();
  }

  /** What is not drawn to scale. */
  private say(): void {
    const play = this.switches.clearances && this.clearances ? playWords(this.clearances.list) : "";
    const bent = this.switches.flexure ? this.flexure.words() : "";
    this.overlay.say([play, bent].filter(Boolean).join("; "));
  }

  /** Draws the deformation so many times larger than its factor says. */
  enlarge(scale: number): void {
    this.flexure.scale = scale;
    this.say();
    this.touch();
  }

  /** Paths of the mass centres, unless there are too many. */
  private traceSome(): void {
    const n = this.report.scene.bodies.length;
    for (let i = 1; i < n; i += Math.max(1, Math.ceil(n / 24))) this.trace(i, true);
  }

  trace(body: number, on: boolean, marker?: string): void {
    const b = this.report.scene.bodies[body];
    if (!b) return;
    const key = marker ? `${b.name}.${marker}` : b.name;
    if (!on) this.traces.remove(key);
    else {
      const p = marker ? vec(b.markers?.find((m) => m.name === marker)?.p) : vec(b.com);
      this.traces.add(key, this.report.motion, body, p, hex(b.color) ?? bodyColor(body, this.report.scene.bodies.length), this.planar ? -0.05 * this.extent.size : 0);
    }
    this.touch();
  }

  look(view: View): void {
    if (!this.renderer) return;
    this.currentView = view;
    this.cameras.cloud = this.extent.cloud;
    this.cameras.look(view, this.extent.box);
    this.moved();
  }

  fit(): void {
    if (!this.renderer) return;
    this.extent.measure();
    this.cameras.touched = false;
    this.cameras.cloud = this.extent.cloud;
    this.cameras.fit(this.extent.box);
    this.moved();
  }

  follow(body: number | null): void {
    this.following = body;
    if (body !== null) this.followed.setFromMatrixPosition(this.matrices[body] as Matrix4);
  }

  private resize(): void {
    if (!this.renderer) return;
    const { clientWidth: w, clientHeight: h } = this.host;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    this.cameras.resize(w, h);
    this.cameras.cloud = this.extent.cloud;
    if (!this.cameras.touched) this.cameras.fit(this.extent.box);
    this.moved();
  }

  /**
   * Fewer pixels while a slow machine plays: a coarse picture that moves tells more than a sharp one that
   * jumps. `interval` is the time since the last frame of the screen, s; at rest all pixels are drawn.
   */
  pace(interval: number, playing: boolean): void {
    const full = Math.min(2, window.devicePixelRatio || 1);
    if (!this.renderer) return;
    // A pause of half a second is a page that was out of sight, not a slow machine.
    this.slow = !playing ? 0 : interval < 0.5 ? 0.8 * this.slow + 0.2 * interval : this.slow;
    const now = this.renderer.getPixelRatio();
    const wish = !playing ? full : this.slow > SLOW && now > 0.5 * full ? Math.max(0.5 * full, 0.75 * now) : now;
    if (wish === now) return;
    this.slow = 0;
    this.renderer.setPixelRatio(wish);
    this.touch();
  }

  /** Draws if anything changed. Called once per frame of the screen. */
  frame(): void {
    if (!this.dirty || !this.renderer || !this.pools) return;
    this.dirty = false;
    const begin = performance.now();
    this.settle();
    const placed = performance.now();
    this.renderer.render(this.scene, this.cameras.camera);
    const drawn = performance.now();
    if (this.cameraMoved) {
      this.cameraMoved = false;
      this.overlay.axes(this.cameras.camera);
      this.overlay.scale(this.cameras.metresPerPixel());
    }
    const names = this.switches.names || this.selected !== null;
    this.overlay.names(names ? labels(this.stage(), this.switches.joints, this.switches.names ? undefined : (this.selected ?? undefined)) : []);
    this.cost.push(performance.now() - drawn + placed - begin);
    this.drawCost.push(drawn - placed);
    for (const list of [this.cost, this.drawCost]) if (list.length > 240) list.shift();
  }

  private update(t: number): void {
    const { motion } = this.report;
    motion.sample(t, this.poses, this.valid);
    for (let b = 0; b < this.matrices.length; b++) {
      const m = this.matrices[b] as Matrix4;
      if (this.valid[b]) {
        const k = 7 * b;
        P.set(this.poses[k] as number, this.poses[k + 1] as number, this.poses[k + 2] as number);
        Q.set(this.poses[k + 4] as number, this.poses[k + 5] as number, this.poses[k + 6] as number, this.poses[k + 3] as number).normalize();
        m.compose(P, Q, ONE);
      } else if (b === 0 && motion.frames === 0) {
        // Without a motion the ground at least stands where it is.
        m.identity();
        this.valid[b] = 1;
      }
    }
    if (this.switches.flexure) this.flexure.apply(this.matrices, this.valid);
    this.ghost?.place(this.matrices, this.valid);
    this.warp?.(t, this.matrices, this.valid);
    if (this.following !== null && this.valid[this.following]) {
      P.setFromMatrixPosition(this.matrices[this.following] as Matrix4);
      this.cameras.shift(P.clone().sub(this.followed));
      this.followed.copy(P);
      this.dirty = false;
      this.placed = true;
    }
    this.pools?.place(this.matrices, this.valid);
    this.plates?.place(this.matrices, this.valid);
    this.clearances?.place(this.matrices, this.valid);
    // One scale for all forces: arrows of contacts and of joints can be compared.
    const top = Math.max(this.arrows.root.visible ? this.arrows.typical.force : 0, this.contacts.typical);
    this.arrows.place(t, this.matrices, this.valid, top);
    this.contacts.place(t, top, this.arrows.factor, { speed: this.cursor.speed, span: this.cursor.end - this.cursor.start }, this.cameras.camera);
    this.traces.place(t, motion);
  }

  private stage(): Stage {
    return { report: this.report, extent: this.extent, bodies: this.matrices, valid: this.valid, camera: this.cameras.camera, host: this.host };
  }

  /** Pose of a body as it is drawn now: x y z w x y z, or null while it is hidden. */
  bodyPose(name: string): number[] | null {
    const i = this.report.scene.bodies.findIndex((b) => b.name === name);
    if (i < 0) return null;
    this.settle();
    if (!this.valid[i]) return null;
    const m = this.pools?.readBack(i) ?? this.plates?.readBack(i) ?? this.matrices[i];
    if (!m) return null;
    const p = new Vector3();
    const q = new Quaternion();
    m.decompose(p, q, new Vector3());
    return [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
  }

  /** Pose of a body at the cursor, from the data. */
  poseOf(body: number): number[] | null {
    this.report.motion.sample(this.cursor.t, this.poses, this.valid);
    return this.valid[body] ? Array.from(this.poses.subarray(7 * body, 7 * body + 7)) : null;
  }

  /** Pixel of the body's mass centre in the picture. */
  bodyPixel(name: string): [number, number] | null {
    const i = this.report.scene.bodies.findIndex((b) => b.name === name);
    this.settle();
    if (i < 0 || !this.valid[i]) return null;
    this.cameras.camera.updateMatrixWorld();
    return project(this.stage(), vec(this.report.scene.bodies[i]?.com).applyMatrix4(this.matrices[i] as Matrix4));
  }

  async picture(): Promise<Blob | null> {
    this.dirty = true;
    this.frame();
    const canvas = this.renderer?.domElement;
    return canvas ? new Promise((done) => canvas.toBlob(done, "image/png")) : null;
  }

  /** A click without a drag chooses the nearest body. */
  private picking(canvas: HTMLElement): void {
    let down: [number, number] = [0, 0];
    canvas.addEventListener("pointerdown", (e) => (down = [e.clientX, e.clientY]));
    canvas.addEventListener("wheel", () => (this.cameras.touched = true), { passive: true });
    canvas.addEventListener("pointerup", (e) => {
      if (Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
      const rect = canvas.getBoundingClientRect();
      this.select(pick(this.stage(), e.clientX - rect.left, e.clientY - rect.top));
    });
  }
}
