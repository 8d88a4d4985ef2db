//! What the tests of gaps share.
#![allow(dead_code, clippy::unwrap_used)]

use delassus_geom::{Contact, Feature, Pair, Pose, Shape, TriMesh};
use delassus_math::{Vec3, so3};

/// The contact with the smallest gap among all slots.
pub fn smallest(pair: &Pair, pa: &Pose, pb: &Pose) -> Option<Contact> {
    (0..pair.slots() as u32)
        .filter_map(|s| pair.slot(s, pa, pb, None))
        .min_by(|x, y| x.gap.total_cmp(&y.gap))
}

/// Outline in the world with `n` points per straight piece.
pub fn polyline(shape: &Shape, pose: &Pose, n: usize) -> Vec<Vec3> {
    let o = shape.outline();
    if o.len() == 1 {
        return vec![pose.p];
    }
    let mut out = Vec::new();
    for w in o.windows(2) {
        // Arcs are sampled finely already.
        let long = (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1]) > 0.3;
        let n = if long { n } else { 1 };
        for k in 0..n {
            let s = k as f64 / n as f64;
            let x = w[0][0] + s * (w[1][0] - w[0][0]);
            let y = w[0][1] + s * (w[1][1] - w[0][1]);
            out.push(pose.point(&Vec3::new(x, y, 0.0)));
        }
    }
    let last = o[o.len() - 1];
    out.push(pose.point(&Vec3::new(last[0], last[1], 0.0)));
    out
}

/// The pose moved by a twist (velocity of the origin, spatial angular velocity) for a time h.
pub fn moved(p: &Pose, v: &Vec3, w: &Vec3, h: f64) -> Pose {
    Pose::new(p.p + v * h, so3::exp(&(w * h)) * p.r)
}

/// d gap/dt = n·(ẋ_b − ẋ_a) at the contact points, for every slot, by central differences.
pub fn check_gradient(pair: &Pair, pa: &Pose, pb: &Pose, planar: bool) {
    let z = if planar { 0.0 } else { 1.0 };
    let (va, vb) = (Vec3::new(0.3, -0.7, 0.4 * z), Vec3::new(-0.5, 0.2, -0.6 * z));
    let (wa, wb) = (Vec3::new(0.3 * z, 0.2 * z, 0.8), Vec3::new(-0.4 * z, 0.7 * z, -0.3));
    let h = 1e-6;
    for s in 0..pair.slots() as u32 {
        let Some(c) = pair.slot(s, pa, pb, None) else { continue };
        let at = |h: f64| {
            let (qa, qb) = (moved(pa, &va, &wa, h), moved(pb, &vb, &wb, h));
            pair.slot(s, &qa, &qb, Some(c.feature_ids))
        };
        let (Some(p), Some(m)) = (at(h), at(-h)) else { continue };
        if p.feature_ids != c.feature_ids || m.feature_ids != c.feature_ids {
            continue;
        }
        let xa = va + wa.cross(&(c.points[0] - pa.p));
        let xb = vb + wb.cross(&(c.points[1] - pb.p));
        let rate = c.normal.dot(&(xb - xa));
        let slope = (p.gap - m.gap) / (2.0 * h);
        // The normal of two lines that are almost parallel turns fast: differences are less good.
        let sharp = match c.features {
            [Feature::Line { direction: d, .. }, Feature::Line { direction: e, .. }] => {
                pa.vector(&d).cross(&pb.vector(&e)).norm_squared()
            }
            _ => 1.0,
        };
        // So does that of centres close to each other: the third derivative of the gap goes with one
        // over the square of their distance.
        let round = |f: &Feature| match f {
            Feature::Ball { radius, .. } | Feature::Line { radius, .. } => *radius,
            Feature::Plane { .. } => 0.0,
        };
        let centres = c.gap + round(&c.features[0]) + round(&c.features[1]);
        let close = (h * (xb - xa).norm() / centres).powi(2) * (xb - xa).norm();
        let tol = 1e-7 * (1.0 + rate.abs()) / sharp + close;
        assert!((rate - slope).abs() < tol, "slot {s}: {rate} {slope} {c:?}");
        assert!((c.normal.norm() - 1.0).abs() < 1e-12);
        let along = c.normal.dot(&(c.points[1] - c.points[0]));
        assert!((along - c.gap).abs() < 1e-9, "slot {s}: points {along}, gap {}", c.gap);
        assert!(!pair.feature_margin(&c, pa, pb).is_nan());
    }
}

/// Prism over an L, 1 high, with two walls that meet in a concave edge.
pub fn ell_mesh() -> TriMesh {
    let p = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    let mut points: Vec<Vec3> = p.iter().map(|q| Vec3::new(q[0], q[1], 0.0)).collect();
    points.extend(p.iter().map(|q| Vec3::new(q[0], q[1], 1.0)));
    let mut triangles = Vec::new();
    for k in 0..6u32 {
        let j = (k + 1) % 6;
        triangles.extend([[k, j, j + 6], [k, j + 6, k + 6]]);
    }
    for t in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.push([t[0] + 6, t[1] + 6, t[2] + 6]);
        triangles.push([t[2], t[1], t[0]]);
    }
    TriMesh::new(points, triangles).unwrap()
}

/// The box |x|, |y| ≤ 1, |z| ≤ 0.5 with n × n squares on each side.
pub fn grid_box(n: usize) -> TriMesh {
    let mut points: Vec<Vec3> = Vec::new();
    let mut triangles = Vec::new();
    let half = Vec3::new(1.0, 1.0, 0.5);
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let (u, v) = if side > 0.0 {
                ((axis + 1) % 3, (axis + 2) % 3)
            } else {
                ((axis + 2) % 3, (axis + 1) % 3)
            };
            let mut at = |i: usize, j: usize| {
                let mut x = Vec3::zeros();
                x[axis] = side;
                x[u] = -1.0 + 2.0 * i as f64 / n as f64;
                x[v] = -1.0 + 2.0 * j as f64 / n as f64;
                let x = x.component_mul(&half);
                match points.iter().position(|p| (p - x).norm() < 1e-9) {
                    Some(k) => k as u32,
                    None => {
                        points.push(x);
                        points.len() as u32 - 1
                    }
                }
            };
            for i in 0..n {
                for j in 0..n {
                    let q = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                    triangles.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
                }
            }
        }
    }
    TriMesh::new(points, triangles).unwrap()
}

/// Distance of a point to the triangles of a mesh, by projection and clamping.
pub fn surface_distance(mesh: &TriMesh, x: &Vec3) -> f64 {
    let mut best = f64::INFINITY;
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|k| mesh.points()[k as usize]);
        let n = (b - a).cross(&(c - a)).normalize();
        let inside =
            [(a, b), (b, c), (c, a)].iter().all(|(p, q)| n.cross(&(q - p)).dot(&(x - p)) >= 0.0);
        if inside {
            best = best.min(n.dot(&(x - a)).abs());
        }
        for (p, q) in [(a, b), (b, c), (c, a)] {
            let d = q - p;
            let s = (d.dot(&(x - p)) / d.norm_squared()).clamp(0.0, 1.0);
            best = best.min((x - p - d * s).norm());
        }
    }
    best
}
