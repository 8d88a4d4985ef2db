//! Contours and edges of one body, cut where they meet the surface of another: how deep they are in it.

use crate::Pose;
use crate::planar::curve::Curve;
use crate::planar::element::{Element, unit};
use crate::planar::intersect::intersections;
use crate::spatial::bvh::Aabb;
use crate::spatial::poly::Poly;
use delassus_math::Vec3;
use std::f64::consts::TAU;

/// Where a piece between two cuts is evaluated, as fractions of its length.
const SAMPLES: [f64; 3] = [0.25, 0.5, 0.75];

/// Depth of the deepest evaluated point of the contour of `a` in the body of `b`; 0 if none is inside, or `b` has no
/// inside.
pub(super) fn contour(a: &Curve, pa: &Pose, b: &Curve, pb: &Pose) -> f64 {
    if !super::has_inside(b) {
        return 0.0;
    }
    let rel = pb.relative(pa);
    let mut depth: f64 = 0.0;
    let mut look = |x: &Vec3| depth = depth.max(-b.signed_distance(x));
    for j in &a.joints {
        look(&rel.point(&j.x));
    }
    let boxes: Vec<_> = b.elements.iter().map(Element::bounds).collect();
    let mut cuts = Vec::new();
    for e in &a.elements {
        let e = placed(e, &rel);
        let (lo, hi) = e.bounds();
        cuts.clear();
        cuts.extend([0.0, e.length()]);
        for (f, (l, h)) in b.elements.iter().zip(&boxes) {
            let apart = (0..2).any(|k| lo[k] > h[k] || l[k] > hi[k]);
            if !apart {
                cuts.extend(intersections(&e, f, 0.0).iter().map(|x| place_of(&e, x)));
            }
        }
        cuts.sort_by(f64::total_cmp);
        for w in cuts.windows(2) {
            for s in SAMPLES {
                look(&point_at(&e, w[0] + s * (w[1] - w[0])));
            }
        }
    }
    depth
}

/// The element in another frame.
fn placed(e: &Element, rel: &Pose) -> Element {
    match *e {
        Element::Edge { p, t, n, len } => {
            Element::Edge { p: rel.point(&p), t: rel.vector(&t), n: rel.vector(&n), len }
        }
        Element::Arc { c, r, start, sweep } => {
            let turn = rel.r[(1, 0)].atan2(rel.r[(0, 0)]);
            Element::Arc { c: rel.point(&c), r, start: start + turn, sweep }
        }
    }
}

/// Length along the element from its start to a point of it.
fn place_of(e: &Element, x: &Vec3) -> f64 {
    match *e {
        Element::Edge { p, t, .. } => t.dot(&(x - p)),
        Element::Arc { c, r, start, sweep } => {
            let d = x - c;
            (r * ((d.y.atan2(d.x) - start) * sweep.signum()).rem_euclid(TAU)).min(e.length())
        }
    }
}

fn point_at(e: &Element, s: f64) -> Vec3 {
    match *e {
        Element::Edge { p, t, .. } => p + t * s,
        Element::Arc { c, r, start, sweep } => c + unit(start + sweep.signum() * s / r) * r,
    }
}

/// Depth of the deepest evaluated point of the edges of `a` in `b`; 0 if none is inside.
pub(super) fn edges(a: &Poly, pa: &Pose, b: &Poly, pb: &Pose) -> f64 {
    let rel = pb.relative(pa);
    let mut depth: f64 = 0.0;
    let inside = |x: &Vec3| b.bounds.meets(&Aabb { lo: *x, hi: *x });
    let mut look = |x: &Vec3| {
        if inside(x) {
            depth = depth.max(-b.signed_distance(x));
        }
    };
    for v in a.vertices.iter().filter(|v| v.corner) {
        look(&rel.point(&v.x));
    }
    let mut cuts = Vec::new();
    for e in &a.edges {
        let (x, d) = (rel.point(&e.x), rel.vector(&e.d));
        let zone = Aabb::around([x, x + d * e.len]);
        if !zone.meets(&b.bounds) {
            continue;
        }
        cuts.clear();
        cuts.extend([0.0, e.len]);
        b.tree.meeting(&zone, |k| cuts.extend(pierced(b, k, &x, &d, e.len)));
        cuts.sort_by(f64::total_cmp);
        for w in cuts.windows(2) {
            for s in SAMPLES {
                look(&(x + d * (w[0] + s * (w[1] - w[0]))));
            }
        }
    }
    depth
}

/// Where a straight edge meets the plane of a triangle within the box of the triangle.
fn pierced(b: &Poly, k: u32, x: &Vec3, d: &Vec3, len: f64) -> Option<f64> {
    let t = &b.triangles[k as usize];
    let face = &b.faces[t.face as usize];
    let s = face.n.dot(&(face.x - x)) / face.n.dot(d);
    let at = x + d * s;
    let bounds = Aabb::around(t.v.map(|v| b.vertices[v as usize].x)).grown(1e-9 * b.radius);
    (s > 0.0 && s < len && bounds.meets(&Aabb { lo: at, hi: at })).then_some(s)
}
