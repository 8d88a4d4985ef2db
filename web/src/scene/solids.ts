/** Unit solids, each made once and drawn many times. */
import { BoxGeometry, BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, Shape, ExtrudeGeometry, SphereGeometry, Vector3 } from "three";
import type { Solid } from "./drawing";

/** Light and dark fields, so that a turning round body is seen to turn. */
function twoTone(g: BufferGeometry, dark: (p: Vector3) => boolean): BufferGeometry {
  const flat = g.index ? g.toNonIndexed() : g;
  const position = flat.getAttribute("position");
  const colors = new Float32Array(3 * position.count);
  const p = new Vector3();
  const q = new Vector3();
  for (let i = 0; i < position.count; i += 3) {
    p.set(0, 0, 0);
    for (let k = 0; k < 3; k++) p.add(q.fromBufferAttribute(position, i + k));
    colors.fill(dark(p) ? 0.62 : 1, 3 * i, 3 * i + 9);
  }
  flat.setAttribute("color", new BufferAttribute(colors, 3));
  return flat;
}

function plainColor(g: BufferGeometry): BufferGeometry {
  const n = g.getAttribute("position").count;
  g.setAttribute("color", new BufferAttribute(new Float32Array(3 * n).fill(1), 3));
  return g;
}

/** Coil of unit radius from z = 0 to 1 with straight ends. */
function helix(): BufferGeometry {
  const turns = 7;
  const perTurn = 20;
  const ring = 6;
  const wire = 0.16;
  const n = turns * perTurn;
  const positions: number[] = [];
  const normals: number[] = [];
  const index: number[] = [];
  const points: Vector3[] = [new Vector3(0, 0, 0), new Vector3(0, 0, 0.1)];
  for (let i = 0; i <= n; i++) {
    const s = i / n;
    const a = 2 * Math.PI * turns * s;
    points.push(new Vector3(Math.cos(a), Math.sin(a), 0.14 + 0.72 * s));
  }
  points.push(new Vector3(0, 0, 0.9), new Vector3(0, 0, 1));
  // The tube is round in the xy plane and thin in z: it is stretched in z later.
  points.forEach((p, i) => {
    const before = points[Math.max(0, i - 1)] as Vector3;
    const after = points[Math.min(points.length - 1, i + 1)] as Vector3;
    const tangent = after.clone().sub(before).normalize();
    const side = Math.abs(tangent.z) > 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1);
    const n1 = side.sub(tangent.clone().multiplyScalar(side.dot(tangent))).normalize();
    const n2 = tangent.clone().cross(n1);
    for (let k = 0; k < ring; k++) {
      const a = (2 * Math.PI * k) / ring;
      const normal = n1.clone().multiplyScalar(Math.cos(a)).addScaledVector(n2, Math.sin(a));
      positions.push(p.x + wire * normal.x, p.y + wire * normal.y, p.z + 0.05 * wire * normal.z);
      normals.push(normal.x, normal.y, normal.z);
    }
  });
  for (let i = 0; i + 1 < points.length; i++) {
    for (let k = 0; k < ring; k++) {
      const a = i * ring + k;
      const b = i * ring + ((k + 1) % ring);
      index.push(a, b, a + ring, b, b + ring, a + ring);
    }
  }
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
  g.setAttribute("normal", new BufferAttribute(Float32Array.from(normals), 3));
  g.setIndex(index);
  return g;
}

/** Triangle, base line and hatching below the origin, in the xy plane. */
function support(): BufferGeometry {
  const triangles: number[] = [0, 0, 0, -0.62, -1, 0, 0.62, -1, 0];
  const quad = (ax: number, ay: number, bx: number, by: number, w: number) => {
    const l = Math.hypot(bx - ax, by - ay);
    const nx = (-(by - ay) / l) * w;
    const ny = ((bx - ax) / l) * w;
    triangles.push(ax - nx, ay - ny, 0, bx - nx, by - ny, 0, bx + nx, by + ny, 0, ax - nx, ay - ny, 0, bx + nx, by + ny, 0, ax + nx, ay + ny, 0);
  };
  quad(-1.05, -1.04, 1.05, -1.04, 0.05);
  for (let i = 0; i < 6; i++) {
    const x = -0.8 + 0.35 * i;
    quad(x, -1.06, x - 0.28, -1.36, 0.035);
  }
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(Float32Array.from(triangles), 3));
  g.computeVertexNormals();
  return g;
}

/** A wheel with 24 teeth around the unit circle, axis z, thickness 1, with a dark sector. */
function gear(): BufferGeometry {
  const teeth = 24;
  const shape = new Shape();
  for (let i = 0; i < teeth; i++) {
    const step = (2 * Math.PI) / teeth;
    const a = i * step;
    const corner = (angle: number, r: number, first = false) => {
      const x = r * Math.cos(angle);
      const y = r * Math.sin(angle);
      if (first) shape.moveTo(x, y);
      else shape.lineTo(x, y);
    };
    corner(a - 0.27 * step, 0.94, i === 0);
    corner(a - 0.16 * step, 1.05);
    corner(a + 0.16 * step, 1.05);
    corner(a + 0.27 * step, 0.94);
  }
  const g = new ExtrudeGeometry(shape, { depth: 1, bevelEnabled: false, curveSegments: 1 });
  g.translate(0, 0, -0.5);
  return twoTone(g, (p) => Math.abs(Math.atan2(p.y, p.x)) < 0.16 && Math.hypot(p.x, p.y) < 3.1);
}

/** How finely round things are cut: few are drawn round, hundreds coarse. */
export type Detail = 0 | 1 | 2;
export const detailFor = (parts: number): Detail => (parts < 150 ? 2 : parts < 700 ? 1 : 0);

export function makeSolid(kind: Solid, detail: Detail): BufferGeometry {
  const around = [8, 18, 48][detail] as number;
  const z = (g: BufferGeometry) => g.rotateX(Math.PI / 2);
  switch (kind) {
    case "cylinder":
      return plainColor(z(new CylinderGeometry(1, 1, 1, around)));
    case "sphere":
      return plainColor(new SphereGeometry(1, [8, 16, 32][detail], [5, 10, 20][detail]));
    case "globe":
      return twoTone(new SphereGeometry(1, [12, 24, 32][detail], [8, 16, 24][detail]), (p) => (p.x > 0) !== (p.y > 0) !== (p.z > 0));
    case "box":
      return plainColor(new BoxGeometry(1, 1, 1));
    case "block":
      return twoTone(new BoxGeometry(1, 1, 1, 2, 2, 2), (p) => (p.x > 0) !== (p.y > 0) !== (p.z > 0));
    case "rotor":
      return twoTone(z(new CylinderGeometry(1, 1, 1, [16, 32, 48][detail], 1)), (p) => (p.x > 0) !== (p.y > 0));
    case "helix":
      return plainColor(helix());
    case "cone": {
      const g = z(new ConeGeometry(1, 1, around));
      g.translate(0, 0, 0.5);
      return plainColor(g);
    }
    case "support":
      return plainColor(support());
    case "gear":
      return gear();
  }
}
