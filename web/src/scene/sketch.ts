/** From the scene of the report to everything that is to be drawn. */
import { Quaternion, Vector3 } from "three";
import type { Report } from "../data/report";
import type { Body, Shape } from "../data/types";
import { drawPlay, looseJoints } from "./clearance";
import { bodyColor, hex } from "./colors";
import { Drawing, vec, type Paint } from "./drawing";
import type { Extent } from "./extent";
import { drawForce, drawJoint, drawRope, drawWheels, wheels } from "./joints";
import { drawShape, outerPoints } from "./shapes";
import { drawStick } from "./stick";

/** From so many shapes on a body is drawn as a wheel, with so many spokes. */
const RIM = 6;
const SPOKES = 5;
const FRAME = [0xd64545, 0x3a9d5d, 0x3b7dd8];

export async function sketch(report: Report, planar: boolean, up: Vector3, extent: Extent): Promise<Drawing> {
  const { scene, motion } = report;
  const n = scene.bodies.length;
  const { size, box } = extent;
  const d = new Drawing(planar, extent.unit(), n);
  const room = { size, up, center: box.getCenter(new Vector3()), radius: 0.5 * box.getSize(new Vector3()).length() };
  const paintOf = (i: number): Paint => (i === 0 ? "ground" : (hex(scene.bodies[i]?.color) ?? bodyColor(i, n)));
  const gears = (scene.joints ?? []).flatMap((j) => wheels(scene, motion, j, planar)).filter((w) => w.radius > 0.5 * d.u && w.radius < 3 * size);
  const geared = new Set(gears.map((w) => w.body));
  drawWheels(d, gears, paintOf);
  const lines = (scene.flexible ?? []).filter((f) => f.line && f.nodes.length > 2 && f.nodes.every((b) => b > 0 && b < n));
  const onLines = new Set(lines.flatMap((f) => f.nodes));
  for (const f of lines) drawLine(d, f.nodes, paintOf(f.nodes[0] as number));
  for (let i = 0; i < n; i++) {
    const body = scene.bodies[i] as Body;
    if (onLines.has(i)) {
      drawFrame(d, i);
      continue;
    }
    const shapes = body.shapes ?? [];
    for (const s of shapes) {
      const fault = await drawShape(d, i, s, hex(s.color) ?? paintOf(i), room).catch(() => "one of its shapes cannot be read");
      if (!fault) continue;
      const words = `Body ${body.name}: ${fault}.`;
      if (report.problems.includes(words)) continue;
      report.problems.push(words);
      report.onProblem?.(words);
    }
    // Points alone are no body, and where nothing holds it no arm joins them.
    const bare = shapes.length === 0 || (shapes.every((s) => s.type === "point") && extent.held(i).length === 0);
    if (i > 0 && bare) drawStick(d, scene, i, body, paintOf(i), size, geared.has(i));
    else if (i > 0) drawArms(d, extent.held(i), shapes, i, paintOf(i));
    if (i > 0 && body.kind !== "point" && (body.mass ?? 0) > 0) drawMass(d, i, vec(body.com));
    if (i > 0) drawFrame(d, i);
  }
  const upright = planar && Math.abs(up.z) > 0.7 ? new Vector3(0, 1, 0) : up;
  for (const j of scene.joints ?? []) drawJoint(d, motion, j, paintOf, upright, size);
  drawPlay(d, motion, looseJoints(scene.joints ?? [], d.u));
  for (const f of scene.forces ?? []) drawForce(d, f);
  for (const c of scene.contacts ?? []) drawRope(d, c);
  return d;
}

/** A body that deforms, as straight pieces between its nodes: they meet however much its deformation is enlarged. */
function drawLine(d: Drawing, nodes: number[], paint: Paint): void {
  const radius = 0.6 * d.u;
  const end = (body: number) => ({ body, p: d.at(body, new Vector3()) });
  for (let k = 2; k < nodes.length; k++) {
    d.links.push({ solid: "cylinder", a: end(nodes[k - 1] as number), b: end(nodes[k] as number), radius, paint, layer: "body" });
  }
  for (const b of nodes.slice(1)) d.ball(b, new Vector3(), radius, paint, "body", false);
}

/**
 * Shapes that lie apart from where their body is held are joined to it: a few by arms, as pallets to their
 * pivot, many by a rim and some spokes, as teeth to their arbor.
 */
function drawArms(d: Drawing, held: readonly Vector3[], shapes: Shape[], body: number, paint: Paint): void {
  if (held.length === 0 || shapes.length > 400) return;
  const apart: { centre: Vector3; from: Vector3 }[] = [];
  for (const s of shapes) {
    const points = outerPoints(s);
    if (points.length === 0) continue;
    const centre = points.reduce((sum, p) => sum.add(p), new Vector3()).multiplyScalar(1 / points.length);
    const radius = Math.max(s.radius ?? 0, ...points.map((p) => p.distanceTo(centre)));
    const from = held.reduce((a, b) => (b.distanceTo(centre) < a.distanceTo(centre) ? b : a));
    if (from.distanceTo(centre) > 1.05 * radius) apart.push({ centre, from });
  }
  const arm = (p: Vector3, q: Vector3) => d.rod(body, p, q, 0.22 * d.u, paint, "body", false);
  const hub = apart[0]?.from;
  if (!d.planar || !hub || apart.length < RIM || apart.some((a) => a.from !== hub)) {
    for (const { centre, from } of apart) arm(from, centre);
    return;
  }
  const around = apart.map((a) => a.centre).sort((p, q) => Math.atan2(p.y - hub.y, p.x - hub.x) - Math.atan2(q.y - hub.y, q.x - hub.x));
  around.forEach((p, k) => arm(p, around[(k + 1) % around.length] as Vector3));
  for (let k = 0; k < SPOKES; k++) arm(hub, around[Math.floor((k * around.length) / SPOKES)] as Vector3);
  d.ball(body, hub, 1.3 * d.u, paint, "body", false);
}

function drawMass(d: Drawing, body: number, com: Vector3): void {
  const r = 0.75 * d.u;
  if (d.planar) {
    d.disc(body, d.at(body, com, 0.6), r, 0.2 * d.lift, new Vector3(0, 0, 1), "ink", "com", false);
    d.disc(body, d.at(body, com, 0.9), 0.45 * r, 0.2 * d.lift, new Vector3(0, 0, 1), "pin", "com", false);
  } else d.add(body, "globe", com, new Quaternion(), new Vector3(1.6 * r, 1.6 * r, 1.6 * r), "pin", "com");
}

function drawFrame(d: Drawing, body: number): void {
  const length = 6 * d.u;
  for (let k = 0; k < (d.planar ? 2 : 3); k++) {
    const tip = new Vector3(k === 0 ? length : 0, k === 1 ? length : 0, k === 2 ? length : 0);
    d.line(body, d.at(body, new Vector3(), 0.8), d.at(body, tip, 0.8), FRAME[k] as number, "frame", 0.18 * d.u);
  }
}
