//! Two convex bodies of the plane: exact depth.
//!
//! With the support functions h of the two, the bodies overlap along the unit vector u by h_a(u) + h_b(−u). The depth
//! is the smallest of these. Between the directions in which one of the bodies changes its supporting element (the
//! normals of edges and of the ends of arcs) it is c·u + r, c between two centres, which is smallest at u = −c/|c|.

use crate::Pose;
use crate::planar::curve::Curve;
use crate::planar::element::{Element, unit};
use delassus_math::Vec3;
use std::f64::consts::{PI, TAU};

/// The smallest overlap along a direction; negative when the bodies are apart.
pub(super) fn depth(a: &Curve, pa: &Pose, b: &Curve, pb: &Pose) -> f64 {
    let mut breaks = Vec::new();
    normals(a, pa, 0.0, &mut breaks);
    normals(b, pb, PI, &mut breaks);
    breaks.sort_by(f64::total_cmp);
    let along = |u: &Vec3| {
        let ((h, c, r), (k, d, s)) = (support(a, pa, u), support(b, pb, &-u));
        (h + k, c - d, r + s)
    };
    let mut least = f64::INFINITY;
    let n = breaks.len();
    for k in 0..n.max(1) {
        let from = breaks.get(k).copied().unwrap_or(0.0);
        let to = if k + 1 < n { breaks[k + 1] } else { breaks.first().map_or(0.0, |b| b + TAU) };
        let (_, c, _) = along(&unit(f64::midpoint(from, to)));
        least = least.min(along(&unit(from)).0);
        if let Some(u) = (-c).try_normalize(0.0) {
            least = least.min(along(&u).0);
        }
    }
    least
}

/// How far a curve of any form reaches below a half-plane; negative when it is above.
pub(super) fn below(plane: &Curve, pp: &Pose, c: &Curve, pose: &Pose) -> f64 {
    let Some(Element::Edge { p, n, .. }) = plane.elements.first() else { return f64::NEG_INFINITY };
    let n = pp.vector(n);
    n.dot(&pp.point(p)) + support(c, pose, &-n).0
}

/// Angles in the world, 0 to 2π, at which the support changes; rotated by `turn`.
fn normals(c: &Curve, pose: &Pose, turn: f64, out: &mut Vec<f64>) {
    let mut push = |n: &Vec3| {
        let n = pose.vector(n);
        out.push((n.y.atan2(n.x) + turn).rem_euclid(TAU));
    };
    for e in &c.elements {
        match e {
            Element::Edge { n, .. } => push(n),
            Element::Arc { start, sweep, .. } if !e.is_full_circle() => {
                push(&unit(*start));
                push(&unit(start + sweep));
            }
            Element::Arc { .. } => {}
        }
    }
}

/// Support in the direction u (world), and the ball it comes from.
fn support(c: &Curve, pose: &Pose, u: &Vec3) -> (f64, Vec3, f64) {
    let own = pose.inv_vector(u);
    let mut best = (f64::NEG_INFINITY, Vec3::zeros(), 0.0);
    let mut ball = |x: Vec3, r: f64| {
        let h = own.dot(&x) + r;
        if h > best.0 {
            best = (h, x, r);
        }
    };
    for e in &c.elements {
        // Hollow arcs reach no further than their ends.
        if let Element::Arc { c, r, .. } = *e
            && e.is_convex_arc()
            && e.angular_margin(&own) >= 0.0
        {
            ball(c, r);
        }
    }
    for j in &c.joints {
        ball(j.x, 0.0);
    }
    let x = pose.point(&best.1);
    (u.dot(&x) + best.2, x, best.2)
}
