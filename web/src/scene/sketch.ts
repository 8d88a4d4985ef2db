/** From the scene of the report to everything that is to be drawn. */
import { Quaternion, Vector3 } from "three";
import type { Report } from "../data/report";
import type { Body } from "../data/types";
import { bodyColor, hex } from "./colors";
import { Drawing, vec, type Paint } from "./drawing";
import { drawForce, drawJoint, drawRope, drawWheels, wheels } from "./joints";
import { drawShape } from "./shapes";
import { drawStick } from "./stick";

const FRAME = [0xd64545, 0x3a9d5d, 0x3b7dd8];

export async function sketch(report: Report, planar: boolean, up: Vector3, unit: number, size: number): Promise<Drawing> {
  const { scene, motion } = report;
  const n = scene.bodies.length;
  const d = new Drawing(planar, unit, n);
  const paintOf = (i: number): Paint => (i === 0 ? "ground" : (hex(scene.bodies[i]?.color) ?? bodyColor(i, n)));
  const gears = (scene.joints ?? []).flatMap((j) => wheels(scene, motion, j, planar)).filter((w) => w.radius > 0.5 * d.u && w.radius < 3 * size);
  const geared = new Set(gears.map((w) => w.body));
  drawWheels(d, gears, paintOf);
  for (let i = 0; i < n; i++) {
    const body = scene.bodies[i] as Body;
    const shapes = body.shapes ?? [];
    for (const s of shapes) {
      const fault = await drawShape(d, i, s, hex(s.color) ?? paintOf(i), size, up).catch(() => "one of its shapes cannot be read");
      if (!fault) continue;
      const words = `Body ${body.name}: ${fault}.`;
      if (report.problems.includes(words)) continue;
      report.problems.push(words);
      report.onProblem?.(words);
    }
    if (i > 0 && shapes.length === 0) drawStick(d, scene, i, body, paintOf(i), size, geared.has(i));
    if (i > 0 && body.kind !== "point" && (body.mass ?? 0) > 0) drawMass(d, i, vec(body.com));
    if (i > 0) drawFrame(d, i);
  }
  const upright = planar && Math.abs(up.z) > 0.7 ? new Vector3(0, 1, 0) : up;
  for (const j of scene.joints ?? []) drawJoint(d, motion, j, paintOf, upright, size);
  for (const f of scene.forces ?? []) drawForce(d, f);
  for (const c of scene.contacts ?? []) drawRope(d, c);
  return d;
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
