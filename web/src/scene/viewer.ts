/** The picture of the mechanism at the time of the cursor. */
import {
  AmbientLight,
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  Object3D,
  Quaternion,
  Scene,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
  WebGLRenderer,
} from "three";
import { indexAt } from "../data/motion";
import type { Report } from "../data/report";
import type { Body, Place, SceneSpec } from "../data/types";
import type { Cursor } from "../time";
import { Arrows } from "./arrows";
import { Cameras, type View } from "./camera";
import { bodyColor, hex, paintColor, SELECTED } from "./colors";
import { Drawing, quat, vec, type Layer, type Paint } from "./drawing";
import { drawForce, drawJoint, drawWheels, RING, wheels } from "./joints";
import { Overlay } from "./overlay";
import { Pools } from "./pools";
import { drawShape } from "./shapes";
import { attachments, drawStick } from "./stick";
import { Traces } from "./traces";

export type Switch = "joints" | "forces" | "masses" | "frames" | "names" | "arrows" | "traces" | "grid" | "contacts";

const AXES = [1, -1].flatMap((s) => [new Vector3(s, 0, 0), new Vector3(0, s, 0), new Vector3(0, 0, s)]);

export class Viewer {
  readonly host: HTMLElement;
  readonly overlay = new Overlay();
  readonly traces = new Traces();
  arrows: Arrows;
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
  private drawing: Drawing | null = null;
  private pools: Pools | null = null;
  private readonly groups: Object3D[] = [];
  private readonly matrices: Matrix4[];
  private readonly poses: Float64Array;
  private readonly valid: Uint8Array;
  private readonly grid = new Object3D();
  private readonly contacts: Mesh[] = [];
  private readonly journals: { mesh: Mesh; a: Place; b: Place; clearance: number }[] = [];
  private readonly holds = new Map<number, Vector3[]>();
  /** Points of the motion that the picture must hold. */
  private cloud: Vector3[] = [];
  /** Outer points of the drawn bodies, in their own axes. */
  private drawn: Vector3[][] = [];
  private box = new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  private size = 1;
  private readonly up: Vector3;
  private readonly planar: boolean;
  private dark = false;
  selected: number | null = null;
  following: number | null = null;
  private readonly followed = new Vector3();
  private dirty = true;
  private placed = false;
  readonly switches: Record<Switch, boolean> = {
    joints: true, forces: true, masses: false, frames: false, names: false, arrows: false, traces: false, grid: true, contacts: true,
  };
  private currentView: View;

  constructor(host: HTMLElement, report: Report, cursor: Cursor) {
    this.host = host;
    this.report = report;
    this.cursor = cursor;
    const s = report.scene;
    this.planar = s.planar ?? false;
    this.up = s.up && s.up.length >= 2 && vec(s.up).lengthSq() > 0 ? vec(s.up).normalize() : this.planar ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
    this.currentView = this.planar ? "front" : "iso";
    const n = s.bodies.length;
    this.matrices = Array.from({ length: n }, () => new Matrix4());
    this.poses = new Float64Array(7 * n);
    this.valid = new Uint8Array(n);
    this.measure();
    this.arrows = new Arrows(report, 0.22 * this.size, 0.006 * this.size, this.planar);
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
    this.cameras = new Cameras(this.planar, this.up, canvas, () => (this.dirty = true));
    this.cameras.cloud = this.cloud;
    this.lights();
    this.scene.add(this.grid, this.traces.root, this.arrows.root);
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
  /** Whether there are places of contact to show. */
  get hasContacts(): boolean {
    return this.report.contactPoints.length > 0 || this.report.events.some((e) => e.point);
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

  /** Box around the whole motion and the size of the model. */
  private measure(): void {
    const { scene, motion } = this.report;
    const pose = new Float64Array(7);
    const reach = scene.bodies.map((b, i) => this.reach(b, i));
    const cloud: Vector3[] = [];
    const boxOf = (frames: number[]): Box3 => {
      const box = new Box3();
      cloud.length = 0;
      for (const f of frames) {
        scene.bodies.forEach((_b, i) => {
          if (!motion.frame(f, i, pose)) return;
          const q = new Quaternion(pose[4], pose[5], pose[6], pose[3]);
          const x = new Vector3(pose[0], pose[1], pose[2]);
          for (const { p, r } of reach[i] ?? []) {
            const c = p.clone().applyQuaternion(q).add(x);
            box.expandByPoint(c.clone().addScalar(r)).expandByPoint(c.clone().addScalar(-r));
            if (r > 0) for (const e of AXES) cloud.push(c.clone().addScaledVector(e, r));
            else cloud.push(c);
          }
        });
      }
      return box;
    };
    const n = motion.frames;
    const stride = Math.max(1, Math.floor(n / (scene.bodies.length > 60 ? 60 : 120)));
    const frames: number[] = [];
    for (let f = 0; f < n; f += stride) frames.push(f);
    if (n > 0) frames.push(n - 1);
    const first = boxOf(frames.slice(0, 1));
    const whole = boxOf(frames);
    const given = scene.size && scene.size > 0 ? scene.size : 0;
    const diagonal = first.isEmpty() ? 0 : first.getSize(new Vector3()).length();
    // A single body that flies far is small against its path; symbols then follow the path.
    const path = whole.isEmpty() ? 0 : whole.getSize(new Vector3()).length();
    this.size = Math.max(diagonal, 0.3 * path) || given || 1;
    if (whole.isEmpty() || whole.getSize(new Vector3()).length() < 1e-9) {
      const c = scene.center && scene.center.length >= 2 ? vec(scene.center) : first.isEmpty() ? new Vector3() : first.getCenter(new Vector3());
      whole.setFromCenterAndSize(c, new Vector3(this.size, this.size, this.size));
    }
    this.cloud = cloud;
    if (this.cameras) this.cameras.cloud = cloud;
    // Room for symbols around the outermost points.
    this.box = whole.expandByScalar(0.04 * this.size);
    if (this.planar) {
      this.box.min.z = -1e-3 * this.size;
      this.box.max.z = 1e-3 * this.size;
    }
  }

  /** Points of a body, with a radius around each, that the picture must hold. */
  private reach(b: Body, index: number): { p: Vector3; r: number }[] {
    const list: { p: Vector3; r: number }[] = [];
    for (const p of this.held(index)) list.push({ p, r: 0 });
    for (const m of b.markers ?? []) list.push({ p: vec(m.p), r: 0 });
    if (index > 0 || (b.kind && b.kind !== "ground")) list.push({ p: vec(b.com), r: 0 });
    for (const s of b.shapes ?? []) {
      const p = vec(s.p);
      const q = quat(s.r);
      if (s.type === "plane" || s.type === "line") continue;
      if (s.radius) list.push({ p, r: s.radius });
      if (Array.isArray(s.size)) list.push({ p, r: 0.5 * Math.hypot(...s.size.map(Number)) });
      if (s.length) for (const z of [-0.5, 0.5]) list.push({ p: new Vector3(0, 0, z * s.length).applyQuaternion(q).add(p), r: s.radius ?? 0 });
      for (const x of [s.a, s.b, ...(s.points ?? [])]) if (x) list.push({ p: vec(x).applyQuaternion(q).add(p), r: 0 });
    }
    for (const p of this.drawn[index] ?? []) list.push({ p, r: 0 });
    for (const j of this.report.scene.joints ?? []) {
      if (j.type === "rolling" && j.b?.body === index) list.push({ p: vec(j.b.p), r: j.radius ?? 0 });
    }
    return list;
  }

  /** Points where a body is held; looked up once. Callers get copies. */
  private held(body: number): Vector3[] {
    let list = this.holds.get(body);
    if (!list) this.holds.set(body, (list = attachments(this.report.scene, body, 0)));
    return list.map((p) => p.clone());
  }

  /** Outer points of what is drawn of each body, in its own axes, so that the picture holds it. */
  private drawnPoints(d: Drawing): void {
    const n = this.report.scene.bodies.length;
    const points: Vector3[][] = Array.from({ length: n }, () => []);
    for (const part of d.parts) {
      // Links end where joints are, which count already; half planes and floors are endless.
      if (part.layer !== "body" || part.paint === "ground" || n > 60) continue;
      const cube = part.solid === "box" || part.solid === "block";
      const ball = part.solid === "sphere" || part.solid === "globe";
      const local = cube
        ? Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5))
        : ball
          ? AXES.map((e) => e.clone())
          : [-0.5, 0.5].flatMap((z) => [0, 1, 2, 3, 4, 5].map((k) => new Vector3(Math.cos((k * Math.PI) / 3), Math.sin((k * Math.PI) / 3), z)));
      points[part.body]?.push(...local.map((p) => p.applyMatrix4(part.local)));
    }
    for (const plate of d.plates) {
      if (plate.layer !== "body" || plate.body === 0) continue;
      const stride = 3 * Math.max(1, Math.floor(plate.positions.length / 300));
      for (let i = 0; i + 2 < plate.positions.length; i += stride) points[plate.body]?.push(new Vector3().fromArray(plate.positions, i));
    }
    this.drawn = points;
  }

  /** Half width of links: thin against the model, and against the links themselves. */
  private unit(): number {
    const { scene } = this.report;
    const lengths: number[] = [];
    scene.bodies.forEach((_b, i) => {
      if (i === 0) return;
      const points = this.held(i);
      let far = 0;
      for (const p of points) for (const q of points) far = Math.max(far, p.distanceTo(q));
      if (far > 0) lengths.push(far);
    });
    lengths.sort((a, b) => a - b);
    const typical = lengths[Math.floor(lengths.length / 2)] ?? this.size;
    // Long chains: never thinner than can be seen, even if links become stubby.
    return Math.max(Math.min(0.018 * this.size, 0.12 * typical), 0.0028 * this.size);
  }

  /** Makes all drawn things anew from the scene: at the start, and when live data are complete. */
  async build(): Promise<void> {
    if (!this.renderer) return;
    const { scene, motion } = this.report;
    const n = scene.bodies.length;
    this.measure();
    const d = new Drawing(this.planar, this.unit(), n);
    const paintOf = (i: number): Paint => (i === 0 ? "ground" : (hex(scene.bodies[i]?.color) ?? bodyColor(i, n)));
    const gears = (scene.joints ?? []).flatMap((j) => wheels(scene, motion, j, this.planar)).filter((w) => w.radius > 0.5 * d.u && w.radius < 3 * this.size);
    const geared = new Set(gears.map((w) => w.body));
    drawWheels(d, gears, paintOf);
    for (let i = 0; i < n; i++) {
      const body = scene.bodies[i] as Body;
      const shapes = body.shapes ?? [];
      for (const s of shapes) {
        const fault = await drawShape(d, i, s, hex(s.color) ?? paintOf(i), this.size).catch(() => "one of its shapes cannot be read");
        if (fault) {
          const words = `Body ${body.name}: ${fault}.`;
          this.report.problems.push(words);
          this.report.onProblem?.(words);
        }
      }
      if (i > 0 && shapes.length === 0) drawStick(d, scene, i, body, paintOf(i), this.size, geared.has(i));
      if (i > 0 && body.kind !== "point" && (body.mass ?? 0) > 0) this.drawMass(d, i, vec(body.com));
      if (i > 0) this.drawFrame(d, i);
    }
    for (const j of scene.joints ?? []) drawJoint(d, motion, j, paintOf, this.planar && Math.abs(this.up.z) > 0.7 ? new Vector3(0, 1, 0) : this.up, this.size);
    for (const f of scene.forces ?? []) drawForce(d, f);

    this.drawnPoints(d);
    this.measure();
    this.pools?.dispose();
    if (this.pools) this.scene.remove(this.pools.root);
    for (const g of this.groups) this.scene.remove(g);
    this.groups.length = 0;
    this.drawing = d;
    this.pools = new Pools(d);
    this.scene.add(this.pools.root);
    for (let i = 0; i < n; i++) {
      const g = new Object3D();
      g.name = (scene.bodies[i] as Body).name;
      g.matrixAutoUpdate = false;
      this.groups.push(g);
      this.scene.add(g);
    }
    for (const plate of d.plates) {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(plate.positions, 3));
      if (plate.indices) geometry.setIndex(new BufferAttribute(plate.indices, 1));
      geometry.computeVertexNormals();
      const material = new MeshLambertMaterial({ side: DoubleSide, transparent: plate.opacity < 1, opacity: plate.opacity, depthWrite: plate.opacity >= 1, flatShading: !this.planar && plate.opacity >= 1 });
      const mesh = new Mesh(geometry, material);
      mesh.userData = { paint: plate.paint, layer: plate.layer, body: plate.body };
      this.groups[plate.body]?.add(mesh);
    }
    this.makeGrid();
    this.makeContacts();
    this.makeJournals();
    for (const name of Object.keys(this.switches) as Switch[]) this.set(name, this.switches[name]);
    this.paint();
    this.resize();
    if (!this.cameras.touched) this.look(this.currentView);
    this.touch();
  }

  private drawMass(d: Drawing, body: number, com: Vector3): void {
    const r = 0.75 * d.u;
    if (d.planar) {
      d.disc(body, d.at(body, com, 0.6), r, 0.2 * d.lift, new Vector3(0, 0, 1), "ink", "com", false);
      d.disc(body, d.at(body, com, 0.9), 0.45 * r, 0.2 * d.lift, new Vector3(0, 0, 1), "pin", "com", false);
    } else d.add(body, "globe", com, new Quaternion(), new Vector3(1.6 * r, 1.6 * r, 1.6 * r), "pin", "com");
  }

  private drawFrame(d: Drawing, body: number): void {
    const length = 6 * d.u;
    const colors = [0xd64545, 0x3a9d5d, 0x3b7dd8];
    for (let k = 0; k < (d.planar ? 2 : 3); k++) {
      const tip = new Vector3(k === 0 ? length : 0, k === 1 ? length : 0, k === 2 ? length : 0);
      d.line(body, d.at(body, new Vector3(), 0.8), d.at(body, tip, 0.8), colors[k] as number, "frame", 0.18 * d.u);
    }
  }

  private makeGrid(): void {
    this.grid.clear();
    const span = Math.max(...this.box.getSize(new Vector3()).toArray());
    const power = 10 ** Math.floor(Math.log10(span / 4));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => span / s <= 12) ?? power;
    const c = this.box.getCenter(new Vector3());
    const half = Math.ceil((this.planar ? 2.4 : 0.9) * span / step);
    // Two directions that span the grid and the place where it lies.
    const normal = this.planar ? new Vector3(0, 0, 1) : this.up;
    const e1 = Math.abs(normal.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    e1.addScaledVector(normal, -e1.dot(normal)).normalize();
    const e2 = normal.clone().cross(e1);
    const lowest = Math.min(...[this.box.min, this.box.max].map((p) => p.dot(normal)));
    const depth = this.planar ? -0.3 * this.size : lowest;
    const round = (x: number) => Math.round(x / step) * step;
    const origin = e1.clone().multiplyScalar(round(c.dot(e1))).addScaledVector(e2, round(c.dot(e2))).addScaledVector(normal, depth);
    const fine: number[] = [];
    const strong: number[] = [];
    const line = (list: number[], p: Vector3, q: Vector3) => list.push(p.x, p.y, p.z, q.x, q.y, q.z);
    for (let i = -half; i <= half; i++) {
      for (const [u, v] of [[e1, e2], [e2, e1]] as const) {
        const p = origin.clone().addScaledVector(u, i * step);
        const main = Math.abs(p.dot(u)) < 1e-6 * step;
        line(main ? strong : fine, p.clone().addScaledVector(v, -half * step), p.clone().addScaledVector(v, half * step));
      }
    }
    for (const [list, kind] of [[fine, "fine"], [strong, "strong"]] as const) {
      const g = new BufferGeometry();
      g.setAttribute("position", new BufferAttribute(Float32Array.from(list), 3));
      const lines = new LineSegments(g, new LineBasicMaterial());
      lines.userData.kind = kind;
      lines.renderOrder = -1;
      this.grid.add(lines);
    }
  }

  /** Marks of contact: one per contact channel and one for the last event. */
  private makeContacts(): void {
    for (const m of this.contacts) this.scene.remove(m);
    this.contacts.length = 0;
    const n = this.report.contactPoints.length + (this.report.events.some((e) => e.point) ? 1 : 0);
    for (let i = 0; i < n; i++) {
      const ring = new Mesh(new SphereGeometry(1, 16, 12), new MeshLambertMaterial({ color: paintColor("contact", this.dark), emissive: 0x660000, transparent: true }));
      ring.visible = false;
      this.contacts.push(ring);
      this.scene.add(ring);
    }
  }

  /** Journals of joints with clearance, magnified so that they touch the ring when the play is used up. */
  private makeJournals(): void {
    for (const m of this.journals) this.scene.remove(m.mesh);
    this.journals.length = 0;
    for (const j of this.report.scene.joints ?? []) {
      if (!j.a || !j.b || !(j.clearance && j.clearance > 0)) continue;
      const mesh = new Mesh(new SphereGeometry(1, 20, 14), new MeshLambertMaterial({ color: paintColor("contact", this.dark), depthTest: !this.planar, transparent: this.planar }));
      mesh.renderOrder = 4;
      mesh.scale.setScalar(0.9 * (this.drawing?.u ?? 0.02));
      this.journals.push({ mesh, a: j.a, b: j.b, clearance: j.clearance });
      this.scene.add(mesh);
    }
  }

  private placeJournals(): void {
    const reach = (RING - 0.9) * (this.drawing?.u ?? 0.02);
    for (const { mesh, a, b, clearance } of this.journals) {
      mesh.visible = this.switches.joints && this.valid[a.body] === 1 && this.valid[b.body] === 1;
      const ring = vec(a.p).applyMatrix4(this.matrices[a.body] as Matrix4);
      const play = vec(b.p).applyMatrix4(this.matrices[b.body] as Matrix4).sub(ring);
      mesh.position.copy(ring).addScaledVector(play.clampLength(0, 1.3 * clearance), reach / clearance);
    }
  }

  private placeContacts(t: number): void {
    const u = this.drawing?.u ?? 0.02;
    const { motion, contactPoints, events } = this.report;
    const f = motion.frames > 0 ? indexAt(motion.t, motion.frames, t) : -1;
    contactPoints.forEach((c, i) => {
      const m = this.contacts[i];
      if (!m) return;
      const p = f >= 0 ? c.points.subarray(3 * f, 3 * f + 3) : null;
      m.visible = this.switches.contacts && !!p && p.length === 3 && p.every(Number.isFinite);
      if (m.visible && p) m.position.set(p[0] as number, p[1] as number, p[2] as number);
      m.scale.setScalar(0.9 * u);
    });
    const flash = this.contacts[contactPoints.length];
    if (!flash) return;
    // An impact is seen for a twentieth of a second of the clock after it, longer when the run is slow.
    const fade = Math.max(0.25 * this.cursor.speed, (this.cursor.end - this.cursor.start) / 200);
    const last = events.findLast((e) => e.t <= t && t - e.t < fade && e.point);
    flash.visible = this.switches.contacts && !!last;
    if (last?.point) {
      const age = (t - last.t) / fade;
      flash.position.copy(vec(last.point));
      flash.scale.setScalar((1 + 2 * age) * u);
      (flash.material as MeshLambertMaterial).opacity = 1 - age;
    }
  }

  private paint(): void {
    this.pools?.paint(this.dark, this.selected);
    for (const g of this.groups) {
      for (const child of g.children) {
        const mesh = child as Mesh;
        const chosen = mesh.userData.body === this.selected && mesh.userData.layer === "body";
        (mesh.material as MeshLambertMaterial).color.set(chosen ? SELECTED : paintColor(mesh.userData.paint as Paint, this.dark));
      }
    }
    this.scene.background = new Color(this.dark ? 0x12181f : 0xf4f6f8);
    for (const l of this.grid.children as LineSegments[]) {
      const strong = l.userData.kind === "strong";
      (l.material as LineBasicMaterial).color.set(this.dark ? (strong ? 0x35414e : 0x1d252e) : strong ? 0xc3ccd5 : 0xe4e8ed);
    }
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
    const layers: Partial<Record<Switch, Layer>> = { joints: "joint", forces: "force", masses: "com", frames: "frame" };
    const layer = layers[name];
    if (layer) {
      this.pools?.show(layer, on);
      for (const g of this.groups) for (const c of g.children) if (c.userData.layer === layer) c.visible = on;
    } else if (name === "grid") this.grid.visible = on;
    else if (name === "traces") {
      this.traces.root.visible = on;
      if (on && this.traces.count === 0) this.traceSome();
    } else if (name === "arrows") {
      this.arrows.root.visible = on;
      if (on) void this.arrows.load().then(() => this.touch());
    }
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
      this.traces.add(key, this.report.motion, body, p, hex(b.color) ?? bodyColor(body, this.report.scene.bodies.length), this.planar ? -0.05 * this.size : 0);
    }
    this.touch();
  }

  look(view: View): void {
    if (!this.renderer) return;
    this.currentView = view;
    this.cameras.look(view, this.box);
    this.touch();
  }

  fit(): void {
    if (!this.renderer) return;
    this.measure();
    this.cameras.touched = false;
    this.cameras.fit(this.box);
    this.touch();
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
    if (!this.cameras.touched) this.cameras.fit(this.box);
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
    this.overlay.axes(this.cameras.camera);
    this.overlay.scale(this.cameras.metresPerPixel());
    this.overlay.names(this.switches.names ? this.nameList() : this.selected !== null ? this.nameList(this.selected) : []);
    this.cost.push(performance.now() - drawn + placed - begin);
    this.drawCost.push(drawn - placed);
    for (const list of [this.cost, this.drawCost]) if (list.length > 240) list.shift();
  }

  private update(t: number): void {
    const { motion } = this.report;
    motion.sample(t, this.poses, this.valid);
    const p = new Vector3();
    const q = new Quaternion();
    const one = new Vector3(1, 1, 1);
    for (let b = 0; b < this.matrices.length; b++) {
      const m = this.matrices[b] as Matrix4;
      if (this.valid[b]) {
        const k = 7 * b;
        p.set(this.poses[k] as number, this.poses[k + 1] as number, this.poses[k + 2] as number);
        q.set(this.poses[k + 4] as number, this.poses[k + 5] as number, this.poses[k + 6] as number, this.poses[k + 3] as number).normalize();
        m.compose(p, q, one);
      } else if (b === 0 && motion.frames === 0) {
        // Without a motion the ground at least stands where it is.
        m.identity();
        this.valid[b] = 1;
      }
      const g = this.groups[b];
      if (g) {
        g.matrix.copy(m);
        g.matrixWorldNeedsUpdate = true;
        g.visible = this.valid[b] === 1;
      }
    }
    if (this.following !== null && this.valid[this.following]) {
      const now = new Vector3().setFromMatrixPosition(this.matrices[this.following] as Matrix4);
      this.cameras.shift(now.clone().sub(this.followed));
      this.followed.copy(now);
      this.dirty = false;
      this.placed = true;
    }
    this.pools?.place(this.matrices, this.valid);
    this.arrows.place(t, this.matrices, this.valid);
    this.traces.place(t, motion);
    this.placeContacts(t);
    this.placeJournals();
  }

  /** Where a point is in the picture, in pixels of the host. */
  project(p: Vector3): [number, number] {
    const v = p.clone().project(this.cameras.camera);
    return [0.5 * (v.x + 1) * this.host.clientWidth, 0.5 * (1 - v.y) * this.host.clientHeight];
  }

  private nameList(only?: number): { text: string; x: number; y: number; kind: string }[] {
    const list: { text: string; x: number; y: number; kind: string }[] = [];
    const { scene } = this.report;
    scene.bodies.forEach((b, i) => {
      if (i === 0 || !this.valid[i] || (only !== undefined && i !== only)) return;
      const points = this.held(i);
      const middle = points.length > 1 ? points.reduce((s, p) => s.add(p), new Vector3()).multiplyScalar(1 / points.length) : vec(b.com);
      const [x, y] = this.project(middle.applyMatrix4(this.matrices[i] as Matrix4));
      list.push({ text: b.name, x, y, kind: "body" });
    });
    if (only === undefined && this.switches.joints) {
      for (const j of scene.joints ?? []) {
        if (!j.b || !this.valid[j.b.body]) continue;
        const [x, y] = this.project(vec(j.b.p).applyMatrix4(this.matrices[j.b.body] as Matrix4));
        list.push({ text: j.name, x, y: y + 12, kind: "joint" });
      }
    }
    return list;
  }

  /** Pose of a body as it is drawn now: x y z w x y z, or null while it is hidden. */
  bodyPose(name: string): number[] | null {
    const i = this.report.scene.bodies.findIndex((b) => b.name === name);
    if (i < 0) return null;
    this.settle();
    if (!this.valid[i]) return null;
    const m = this.pools?.readBack(i) ?? this.groups[i]?.matrix;
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
    return this.project(vec(this.report.scene.bodies[i]?.com).applyMatrix4(this.matrices[i] as Matrix4));
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
      this.select(this.pick(e.clientX - rect.left, e.clientY - rect.top));
    });
  }

  /** Nearest stick or centre within 14 pixels. */
  private pick(x: number, y: number): number | null {
    const { scene } = this.report;
    let best: number | null = null;
    let least = 14;
    scene.bodies.forEach((b, i) => {
      if (i === 0 || !this.valid[i]) return;
      const m = this.matrices[i] as Matrix4;
      const points = [vec(b.com), ...this.held(i)].map((p) => this.project(p.applyMatrix4(m)));
      for (const p of points) for (const q of points) least = closer(p, q, i);
    });
    function closer(p: [number, number], q: [number, number], i: number): number {
      const dx = q[0] - p[0];
      const dy = q[1] - p[1];
      const l2 = dx * dx + dy * dy;
      const s = l2 > 0 ? Math.min(1, Math.max(0, ((x - p[0]) * dx + (y - p[1]) * dy) / l2)) : 0;
      const d = Math.hypot(x - p[0] - s * dx, y - p[1] - s * dy);
      if (d >= least) return least;
      best = i;
      return d;
    }
    return best;
  }
}
