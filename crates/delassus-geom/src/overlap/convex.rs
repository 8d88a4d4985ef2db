//! Two convex bodies in space: exact depth from the directions in which they can be separated.
//!
//! The body of all differences of points has faces that come from a face of one body, or from two edges whose arcs of
//! normals cross (S. Gottschalk, separating axes). The depth is the distance to the nearest of these faces.

use crate::Pose;
use crate::spatial::poly::{Edge, Poly};
use delassus_math::Vec3;

/// Sine below which two edges have no common normal.
const PARALLEL: f64 = 1e-9;

/// By how much two arcs of normals may miss each other: those that only just meet are included, since one too many does
/// no harm.
const NEAR: f64 = 1e-9;

/// Steps of the search along an axis: 0.618^80 is below round-off.
const STEPS: usize = 80;

/// The smallest overlap along a direction. Stops at the first one that is not above `tol`.
pub(super) fn polys(a: &Poly, pa: &Pose, b: &Poly, pb: &Pose, tol: f64) -> f64 {
    let rel = pb.relative(pa);
    let back = pa.relative(pb);
    let mut least = faces(a, &back, b, tol).min(f64::INFINITY);
    if least > tol {
        least = least.min(faces(b, &rel, a, tol));
    }
    if least <= tol {
        return least;
    }
    let moved: Vec<Vec3> = a.vertices.iter().map(|v| rel.point(&v.x)).collect();
    let arcs_b: Vec<[Vec3; 2]> = b.edges.iter().map(|e| arc(b, e).map(|n| -n)).collect();
    for e in &a.edges {
        let (d, own) = (rel.vector(&e.d), arc(a, e).map(|n| rel.vector(&n)));
        for (f, other) in b.edges.iter().zip(&arcs_b) {
            if !arcs_cross(&own, &d, other, &f.d) {
                continue;
            }
            let c = d.cross(&f.d);
            let sine = c.norm();
            if sine < PARALLEL {
                continue;
            }
            // Out of a: along its normals.
            let c = if c.dot(&(own[0] + own[1])) < 0.0 { -c } else { c };
            let u = c / sine;
            let top = moved.iter().map(|x| u.dot(x)).fold(f64::NEG_INFINITY, f64::max);
            let bottom = b.vertices.iter().map(|v| u.dot(&v.x)).fold(f64::INFINITY, f64::min);
            least = least.min(top - bottom);
            if least <= tol {
                return least;
            }
        }
    }
    least
}

/// Normals of the two faces of an edge.
fn arc(p: &Poly, e: &Edge) -> [Vec3; 2] {
    e.faces.map(|f| p.faces[f as usize].n)
}

/// Whether two arcs of the unit sphere, each less than half a circle, cross; `d`, `f`: normals of their
/// planes.
fn arcs_cross(own: &[Vec3; 2], d: &Vec3, other: &[Vec3; 2], f: &Vec3) -> bool {
    let parted = |p: f64, q: f64| p > NEAR && q > NEAR || p < -NEAR && q < -NEAR;
    !parted(f.dot(&own[0]), f.dot(&own[1])) && !parted(d.dot(&other[0]), d.dot(&other[1])) && {
        // Both circles meet at c and at −c: the same one must be on both arcs.
        let c = d.cross(f);
        c.dot(&(own[0] + own[1])) * c.dot(&(other[0] + other[1])) > -NEAR
    }
}

/// The smallest overlap along the normals of the faces of `a`; `rel` maps the frame of b to that of a.
fn faces(a: &Poly, rel: &Pose, b: &Poly, tol: f64) -> f64 {
    let other: Vec<Vec3> = b.vertices.iter().map(|v| rel.point(&v.x)).collect();
    let mut least = f64::INFINITY;
    for f in &a.faces {
        let bottom = other.iter().map(|x| f.n.dot(&(x - f.x))).fold(f64::INFINITY, f64::min);
        least = least.min(-bottom);
        if least <= tol {
            break;
        }
    }
    least
}

/// Depth of a straight line between two points in a body: minus the distance when it is outside.
pub(super) fn segment(p: &Poly, ends: &[Vec3; 2]) -> f64 {
    // The signed distance to a convex body is convex along a line: golden section.
    let at = |s: f64| p.signed_distance(&(ends[0] + (ends[1] - ends[0]) * s));
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut lo, mut hi) = (0.0, 1.0);
    let (mut x, mut y) = (hi - ratio * (hi - lo), lo + ratio * (hi - lo));
    let (mut fx, mut fy) = (at(x), at(y));
    let mut least = at(0.0).min(at(1.0)).min(fx).min(fy);
    for _ in 0..STEPS {
        if fx <= fy {
            (hi, y, fy) = (y, x, fx);
            x = hi - ratio * (hi - lo);
            fx = at(x);
        } else {
            (lo, x, fx) = (x, y, fy);
            y = lo + ratio * (hi - lo);
            fy = at(y);
        }
        least = least.min(fx).min(fy);
    }
    if least >= 0.0 {
        return -least;
    }
    // It sticks in: separable along a face, or across an edge and the line.
    let along = |u: &Vec3| {
        let top = p.vertices.iter().map(|v| u.dot(&v.x)).fold(f64::NEG_INFINITY, f64::max);
        top - ends.iter().map(|x| u.dot(x)).fold(f64::INFINITY, f64::min)
    };
    let mut depth = p.faces.iter().map(|f| along(&f.n)).fold(f64::INFINITY, f64::min);
    let axis = (ends[1] - ends[0]).normalize();
    for e in &p.edges {
        let c = e.d.cross(&axis);
        let sine = c.norm();
        if sine > PARALLEL {
            depth = depth.min(along(&(c / sine))).min(along(&(c / -sine)));
        }
    }
    depth
}
