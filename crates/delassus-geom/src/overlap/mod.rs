//! Whether two bodies overlap, and how deep: for the check of a start, not for the step loop.
//!
//! The slots of a [`Pair`] follow corners only a little into another body, and detect nothing of a body that is wholly
//! inside. Here the bodies are compared as sets of points. The depth is the length of the shortest move that would
//! separate them: exact for two convex bodies, else a lower bound. The bound comes from witnesses: where a ball of
//! radius r about a point lies in one body and one of radius s about the same point in the other, any move that
//! separates them is at least r + s long.
//!
//! `flat`: convex bodies of the plane. `convex`: convex bodies in space. `pieces`: contours and edges cut
//! where they meet the other surface. `search`: the deepest common point of two bodies.

mod convex;
mod flat;
mod pieces;
mod search;

use crate::pair::{Pair, gap_bound};
use crate::planar::closest::Query as PlanarQuery;
use crate::planar::curve::Curve;
use crate::planar::element::{Corner, Element};
use crate::shape::{Form, Shape, ShapeKind};
use crate::spatial::closest::Query;
use crate::spatial::poly::Poly;
use crate::{Contact, Pose};
use delassus_math::{Vec3, largest};

/// Depth (m) by which two bodies overlap at these poses, if it is more than `tol`: the length of the shortest move that
/// separates them, or less if one of them is not convex. Bodies that touch do not overlap. Segments and arcs are walls
/// without an inside: they overlap with the bodies into which they stick. Also `None` for pairs that cannot touch, see
/// [`Pair::new`].
///
/// ```
/// use delassus_geom::{Pose, Shape, overlap_depth};
/// use delassus_math::{Vec3, largest};
/// let cube = Shape::cuboid(Vec3::new(0.5, 0.5, 0.5))?;
/// let depth = |z| overlap_depth(&cube, &Pose::at(0.0, 0.0, 0.0), &cube, &Pose::at(0.1, 0.0, z), 1e-9);
/// assert_eq!(depth(1.0), None);
/// assert!((depth(0.7).unwrap_or(0.0) - 0.3).abs() < 1e-15);
/// # Ok::<(), delassus_geom::ShapeError>(())
/// ```
pub fn overlap_depth(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, tol: f64) -> Option<f64> {
    if gap_bound(a, pa, b, pb) >= -tol {
        return None;
    }
    let known = |depth: f64| Some(depth).filter(|d| *d > tol);
    match exact(a, pa, b, pb, tol) {
        Some(depth) => known(depth),
        None => known(estimate(a, pa, b, pb, tol))
            // A slot cannot distinguish a body that sticks in a wall from one behind it.
            .or_else(|| if wall_and_body(a, b) { None } else { by_slots(a, pa, b, pb, tol) }),
    }
}

/// The depth of pairs that have a formula; not positive when they are apart.
fn exact(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, tol: f64) -> Option<f64> {
    if let (Form::Curve(c), Form::Curve(d)) = (&a.form, &b.form) {
        return match (a.kind, b.kind) {
            (ShapeKind::HalfPlane, _) => Some(flat::below(c, pa, d, pb)),
            (_, ShapeKind::HalfPlane) => Some(flat::below(d, pb, c, pa)),
            _ => (is_convex(c) && is_convex(d)).then(|| flat::depth(c, pa, d, pb)),
        };
    }
    match (&a.form, &b.form) {
        (Form::Poly(p), Form::Poly(q)) if p.is_convex() && q.is_convex() => {
            Some(convex::polys(p, pa, q, pb, tol))
        }
        (Form::Poly(p), Form::Capsule { ends, radius }) if p.is_convex() => {
            let axis = ends.map(|x| pa.inv_point(&pb.point(&x)));
            Some(radius + convex::segment(p, &axis))
        }
        (Form::Poly(p), _) => {
            let x = pa.inv_point(&pb.p);
            Some(ball(b)? - p.signed_distance(&x))
        }
        (_, Form::Poly(_)) => exact(b, pb, a, pa, tol),
        _ => None,
    }
}

/// Radius of a shape that is a ball in space.
fn ball(s: &Shape) -> Option<f64> {
    match (&s.form, s.kind) {
        (Form::Sphere { radius }, _) => Some(*radius),
        (_, ShapeKind::Point) => Some(0.0),
        _ => None,
    }
}

/// A lower bound of the depth if one of the bodies is not convex; 0 if nothing was found.
fn estimate(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, tol: f64) -> f64 {
    match (&a.form, &b.form) {
        (Form::Curve(c), Form::Curve(d)) => {
            let depth = pieces::contour(c, pa, d, pb).max(pieces::contour(d, pb, c, pa));
            if !has_inside(c) || !has_inside(d) {
                return depth;
            }
            depth.max(search::common(a, pa, b, pb, tol, &|x| {
                [-c.signed_distance(&pa.inv_point(x)), -d.signed_distance(&pb.inv_point(x))]
            }))
        }
        (Form::Poly(p), Form::Poly(q)) => {
            let depth = pieces::edges(p, pa, q, pb).max(pieces::edges(q, pb, p, pa));
            depth.max(search::common(a, pa, b, pb, tol, &|x| {
                [-p.signed_distance(&pa.inv_point(x)), -q.signed_distance(&pb.inv_point(x))]
            }))
        }
        (Form::Poly(p), Form::Capsule { ends, radius }) => {
            let axis = ends.map(|x| pa.inv_point(&pb.point(&x)));
            radius + search::along(&axis, tol.max(1e-3 * radius), &|x| -p.signed_distance(x))
        }
        (Form::Capsule { .. }, Form::Poly(_)) => estimate(b, pb, a, pa, tol),
        _ => 0.0,
    }
}

/// The overlap according to the slots: exact where bodies overlap a little.
fn by_slots(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, tol: f64) -> Option<f64> {
    let pair = Pair::new(a, b).ok()?;
    let mut contacts: Vec<Contact> = Vec::new();
    pair.near(pa, pb, -tol, &mut contacts);
    let deepest = largest(contacts.iter().map(|c| -c.gap));
    (deepest > tol).then_some(deepest)
}

/// A closed contour without hollows and holes, or a point.
fn is_convex(c: &Curve) -> bool {
    let point = c.elements.is_empty();
    let hollow = c.elements.iter().any(Element::is_concave)
        || c.joints.iter().any(|j| j.corner == Corner::Concave);
    point || c.closed && !hollow
}

/// Whether one is a wall without an inside and the other a body of the plane.
fn wall_and_body(a: &Shape, b: &Shape) -> bool {
    let bounds = |s: &Shape| matches!(&s.form, Form::Curve(c) if has_inside(c));
    a.is_one_sided() && bounds(b) || b.is_one_sided() && bounds(a)
}

/// Whether a curve bounds a body: not a point, not a wall.
fn has_inside(c: &Curve) -> bool {
    !c.elements.is_empty() && c.closed
}

impl Curve {
    /// Distance, negative inside.
    fn signed_distance(&self, x: &Vec3) -> f64 {
        // Wide enough for a foot between two pieces that meet smoothly.
        let q = PlanarQuery { tol: 1e-12 * self.radius, admit: &|_| true, previous: None };
        self.nearest(x, &q).map_or(f64::INFINITY, |h| h.distance)
    }
}

impl Poly {
    fn is_convex(&self) -> bool {
        self.n_patches == 1 && self.edges.iter().all(|e| e.convex)
    }

    /// Distance, negative inside.
    fn signed_distance(&self, x: &Vec3) -> f64 {
        let q = Query { tol: 1e-12 * self.radius, admit: &|_| true, previous: None };
        self.nearest(x, &q).map_or(f64::INFINITY, |h| h.distance)
    }
}
