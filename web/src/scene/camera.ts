/** Camera, its presets and its fitting to the whole motion. */
import { Box3, OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export type View = "front" | "top" | "side" | "iso";

export class Cameras {
  readonly camera: OrthographicCamera | PerspectiveCamera;
  readonly controls: OrbitControls;
  private readonly up: Vector3;
  private readonly planar: boolean;
  /** The user has moved the camera: live data no longer move it. */
  touched = false;
  private aspect = 1;
  private width = 1;
  private height = 1;
  private span = 1;
  /** Points that must be in the picture; without them the box decides. */
  cloud: Vector3[] = [];

  constructor(planar: boolean, up: Vector3, element: HTMLElement, changed: () => void) {
    this.planar = planar;
    this.up = up.clone().normalize();
    this.camera = planar ? new OrthographicCamera() : new PerspectiveCamera(32, 1);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = planar;
    this.controls.screenSpacePanning = true;
    this.setRotating(!planar);
    this.controls.addEventListener("change", changed);
    this.controls.addEventListener("start", () => (this.touched = true));
  }

  /** In the plane the left button moves the picture; after leaving it, it turns the camera. */
  private setRotating(on: boolean): void {
    this.controls.enableRotate = on;
    // 0 rotates, 2 pans (MOUSE of three.js); one finger: 0 rotates, 1 pans
    this.controls.mouseButtons.LEFT = (on ? 0 : 2) as never;
    this.controls.touches.ONE = (on ? 0 : 1) as never;
  }

  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.aspect = this.width / this.height;
    this.project();
  }

  private project(): void {
    const c = this.camera;
    if (c instanceof OrthographicCamera) {
      c.left = -0.5 * this.span * this.aspect;
      c.right = 0.5 * this.span * this.aspect;
      c.top = 0.5 * this.span;
      c.bottom = -0.5 * this.span;
    } else c.aspect = this.aspect;
    c.updateProjectionMatrix();
  }

  /** Directions from which each preset looks: front sees the model with `up` upwards. */
  private direction(view: View): { from: Vector3; up: Vector3 } {
    const up = this.up;
    const planar = this.planar;
    // In the plane "front" is against +z. In space it is along the horizontal axis that completes up.
    const front = planar ? new Vector3(0, 0, 1) : Math.abs(up.z) > 0.7 ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1);
    const upward = planar && Math.abs(up.z) > 0.7 ? new Vector3(0, 1, 0) : up;
    const right = upward.clone().cross(front).normalize();
    switch (view) {
      case "front":
        return { from: front, up: upward };
      case "top":
        return { from: upward.clone().addScaledVector(front, 1e-4), up: upward };
      case "side":
        return { from: right, up: upward };
      case "iso":
        return { from: front.clone().multiplyScalar(1).addScaledVector(right, 0.75).addScaledVector(upward, 0.6), up: upward };
    }
  }

  look(view: View, box: Box3): void {
    const { from, up } = this.direction(view);
    this.camera.up.copy(up);
    this.setRotating(!(this.planar && view === "front"));
    this.frame(box, from.normalize());
  }

  /** Keeps the direction and shows the whole box. */
  fit(box: Box3): void {
    this.frame(box, this.camera.position.clone().sub(this.controls.target).normalize());
  }

  private frame(box: Box3, from: Vector3): void {
    const radius = Math.max(0.5 * box.getSize(new Vector3()).length(), 1e-9);
    const right = new Vector3().crossVectors(this.camera.up, from).normalize();
    const upward = new Vector3().crossVectors(from, right).normalize();
    const points = this.cloud.length > 0 ? this.cloud : corners(box);
    // Middle of what is seen from there, not of the box: a swinging chain fills the picture.
    const middle = (axis: Vector3): number => {
      let lo = Infinity;
      let hi = -Infinity;
      for (const p of points) {
        const x = p.dot(axis);
        lo = Math.min(lo, x);
        hi = Math.max(hi, x);
      }
      return 0.5 * (lo + hi);
    };
    const centre = right.clone().multiplyScalar(middle(right)).addScaledVector(upward, middle(upward)).addScaledVector(from, middle(from));
    const c = this.camera;
    const room = 0.04 * radius;
    const offset = new Vector3();
    if (c instanceof OrthographicCamera) {
      let w = 0;
      let h = 0;
      for (const p of points) {
        offset.copy(p).sub(centre);
        w = Math.max(w, Math.abs(offset.dot(right)) + room);
        h = Math.max(h, Math.abs(offset.dot(upward)) + room);
      }
      this.span = Math.max(2.3 * h, (2.2 * w) / this.aspect, 1e-9);
      c.zoom = 1;
      c.position.copy(centre).addScaledVector(from, 6 * radius);
      c.near = 0.01 * radius;
      c.far = 60 * radius;
      this.project();
    } else {
      const half = Math.tan((0.5 * c.fov * Math.PI) / 180);
      let distance = 0.1 * radius;
      for (const p of points) {
        offset.copy(p).sub(centre);
        const depth = offset.dot(from);
        distance = Math.max(distance, depth + (1.12 * (Math.abs(offset.dot(upward)) + room)) / half, depth + (1.1 * (Math.abs(offset.dot(right)) + room)) / (half * this.aspect));
      }
      c.position.copy(centre).addScaledVector(from, distance);
      c.near = 0.005 * radius;
      c.far = 200 * radius;
      c.updateProjectionMatrix();
    }
    this.controls.target.copy(centre);
    this.controls.update();
  }

  /** Moves camera and target together: to follow a body. */
  shift(by: Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
  }

  /** Metres per pixel at the target. */
  metresPerPixel(): number {
    const c = this.camera;
    if (c instanceof OrthographicCamera) return this.span / c.zoom / this.height;
    return (2 * Math.tan((0.5 * c.fov * Math.PI) / 180) * c.position.distanceTo(this.controls.target)) / this.height;
  }
}

function corners(box: Box3): Vector3[] {
  return Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z));
}
