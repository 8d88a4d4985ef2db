//! Two shapes and the points where they can touch.
//!
//! A pair is made once. It has *slots*: possible contact points that keep their identity while the bodies move, such as
//! each corner of a box on a plane. A slot gives its two features and their gap at any poses, also far apart and
//! slightly overlapping.
//!
//! `kernel` is what each kind of pair implements; one file per family.

mod ball_poly;
mod bound;
mod capsule;
mod cylinder;
mod edges;
mod kept;
mod kernel;
mod planar;
mod poly_poly;
mod round;

use crate::shape::{Form, Shape};
use crate::{Aabb, Contact, Feature, Pose, ShapeKind, UnsupportedPair};
use ball_poly::BallPoly;
use bound::Bound;
use capsule::{RodPoly, Rods};
use cylinder::{BallCylinder, PlaneCylinder};
use delassus_math::Vec3;
use kernel::Kernel;
pub use kernel::Search;
use planar::PlanarPair;
use poly_poly::PolyPoly;
use round::{BallRod, Balls, PlaneBalls, Rod};
use std::fmt;
use std::sync::Arc;

/// Relative length within which two descriptions of a contact are equally good: far above round-off,
/// far below what anyone would call a distance.
const TIE: f64 = 1e-9;

/// Relative distance of two contact points of the same normal that count as one.
const TWINS: f64 = 1e-6;

/// Two shapes, prepared for evaluating gaps. Cheap to clone.
#[derive(Clone)]
pub struct Pair {
    kernel: Arc<dyn Kernel>,
    /// The kernel takes b first.
    swapped: bool,
    bounds: [Bound; 2],
    size: f64,
}

impl Pair {
    /// Chooses how to treat these two shapes.
    pub fn new(a: &Shape, b: &Shape) -> Result<Pair, UnsupportedPair> {
        let size = length_scale(a, b);
        let bounds = [Bound::of(a), Bound::of(b)];
        let found = kernel(a, b, size * TIE).map(|k| (k, false));
        let found = found.or_else(|| kernel(b, a, size * TIE).map(|k| (k, true)));
        let fail = |reason| UnsupportedPair { a: a.kind(), b: b.kind(), reason };
        let (kernel, swapped) = found.ok_or_else(|| fail(reason(a, b)))?;
        match kernel.slots() {
            0 => Err(fail("neither has a corner or a round part that could touch the other")),
            n if n >= u32::MAX as usize => Err(fail("too many edges: simplify the meshes")),
            _ => Ok(Pair { kernel: kernel.into(), swapped, bounds, size }),
        }
    }

    /// Number of possible simultaneous contact points.
    pub fn slots(&self) -> usize {
        self.kernel.slots()
    }

    /// The contact of a slot at these poses, far apart, touching or slightly overlapping. `previous`: the feature ids
    /// that were active; they are kept while both descriptions are equally good, so that a normal does not flip at an
    /// edge. `None`: the slot is out of view: its features do not face each other, or the contact has passed to the
    /// features of a neighbouring slot.
    pub fn slot(
        &self,
        slot: u32,
        pose_a: &Pose,
        pose_b: &Pose,
        previous: Option<[u32; 2]>,
    ) -> Option<Contact> {
        if self.swapped {
            let previous = previous.map(|[a, b]| [b, a]);
            self.kernel.slot(slot, pose_b, pose_a, previous).map(turned)
        } else {
            self.kernel.slot(slot, pose_a, pose_b, previous)
        }
    }

    /// All contacts with a gap below `margin`, in the order of their slots, appended to `out`. A point that appears in
    /// two slots (corner on corner) is listed once.
    pub fn near(&self, pose_a: &Pose, pose_b: &Pose, margin: f64, out: &mut Vec<Contact>) {
        self.near_with(pose_a, pose_b, margin, &mut Search::default(), out);
    }

    /// The same with memory of earlier searches: without a heap call once it has grown.
    pub fn near_with(
        &self,
        pose_a: &Pose,
        pose_b: &Pose,
        margin: f64,
        search: &mut Search,
        out: &mut Vec<Contact>,
    ) {
        if self.gap_bound(pose_a, pose_b) >= margin {
            return;
        }
        let start = out.len();
        if self.swapped {
            self.kernel.near(pose_b, pose_a, margin, search, out);
            out[start..].iter_mut().for_each(|c| *c = turned(*c));
        } else {
            self.kernel.near(pose_a, pose_b, margin, search, out);
        }
        if self.kernel.has_twins() {
            drop_twins(out, start, self.size * TWINS);
        }
    }

    /// Lower bound of all gaps, cheap; −∞ if none is known.
    pub fn gap_bound(&self, pose_a: &Pose, pose_b: &Pose) -> f64 {
        self.bounds[0].gap(pose_a, &self.bounds[1], pose_b)
    }

    /// Lower bound of the gap of one slot, cheap; −∞ if none is known.
    pub fn slot_bound(&self, slot: u32, pose_a: &Pose, pose_b: &Pose) -> f64 {
        if self.swapped {
            self.kernel.bound(slot, pose_b, pose_a)
        } else {
            self.kernel.bound(slot, pose_a, pose_b)
        }
    }

    /// How far the features of a contact are from handing over to their neighbours (m): positive while they are the
    /// right ones, zero at the change. Infinite if they never change. Just after the change (within 1e-9 of the size of
    /// the shapes) old and new features are equally good, and a slot evaluated with `previous` keeps the old ones:
    /// evaluate it without there.
    pub fn feature_margin(&self, contact: &Contact, pose_a: &Pose, pose_b: &Pose) -> f64 {
        if self.swapped {
            self.kernel.feature_margin(&turned(*contact), pose_b, pose_a)
        } else {
            self.kernel.feature_margin(contact, pose_a, pose_b)
        }
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("slots", &self.slots()).finish_non_exhaustive()
    }
}

impl Shape {
    /// Box around the shape at this pose; infinite for half spaces and holes.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        Bound::of(self).aabb(pose)
    }
}

/// Lower bound of the gap of two shapes, cheap; −∞ if none is known.
pub(crate) fn gap_bound(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> f64 {
    Bound::of(a).gap(pa, &Bound::of(b), pb)
}

/// The kernel for this order of shapes, if there is one.
fn kernel(a: &Shape, b: &Shape, tol: f64) -> Option<Box<dyn Kernel>> {
    if let (Form::Curve(c), Form::Curve(d)) = (&a.form, &b.form) {
        return Some(Box::new(PlanarPair::new(c, d, tol)));
    }
    // In space a point is a sphere without radius.
    let ball = |s: &Shape| match (&s.form, s.kind) {
        (Form::Sphere { radius }, _) => Some(*radius),
        (_, ShapeKind::Point) => Some(0.0),
        _ => None,
    };
    let feature = |radius| Feature::Ball { center: Vec3::zeros(), radius };
    if let Some(r) = ball(a) {
        return match (&b.form, ball(b)) {
            (_, Some(s)) => Some(Box::new(Balls(feature(r), feature(s)))),
            (Form::Capsule { ends, radius }, _) => {
                Some(Box::new(BallRod { ball: feature(r), rod: Rod::new(*ends, *radius) }))
            }
            (Form::Poly(poly), _) => {
                Some(Box::new(BallPoly { radius: r, poly: Arc::clone(poly), tol }))
            }
            (&Form::Cylinder { half_height, radius }, _) => {
                Some(Box::new(BallCylinder { radius_ball: r, half_height, radius, tol }))
            }
            _ => None,
        };
    }
    match (&a.form, &b.form) {
        (Form::HalfSpace { point, normal }, _) => {
            let plane = Feature::Plane { point: *point, normal: *normal };
            let balls = match (&b.form, ball(b)) {
                (_, Some(s)) => vec![(0, feature(s))],
                (Form::Capsule { ends, radius }, _) => {
                    let rod = Rod::new(*ends, *radius);
                    vec![(1, rod.feature(1)), (2, rod.feature(2))]
                }
                (Form::Poly(p), _) => {
                    let id = |&k: &u32| (p.vertex_id(k), p.feature(p.vertex_id(k)));
                    p.fingers.iter().map(id).collect()
                }
                (&Form::Cylinder { half_height, radius }, _) => {
                    return Some(Box::new(PlaneCylinder { plane, half_height, radius }));
                }
                _ => return None,
            };
            Some(Box::new(PlaneBalls { plane, balls }))
        }
        (Form::Capsule { ends, radius }, Form::Capsule { ends: other, radius: r }) => {
            Some(Box::new(Rods(Rod::new(*ends, *radius), Rod::new(*other, *r), tol)))
        }
        (Form::Capsule { ends, radius }, Form::Poly(poly)) => {
            Some(Box::new(RodPoly::new(Rod::new(*ends, *radius), poly, tol)))
        }
        (Form::Poly(p), Form::Poly(q)) => Some(Box::new(PolyPoly::new(p, q, tol))),
        _ => None,
    }
}

fn reason(a: &Shape, b: &Shape) -> &'static str {
    let curved = |s: &Shape| s.kind() == ShapeKind::Cylinder;
    match (a.is_planar(), b.is_planar()) {
        (false, false) if curved(a) || curved(b) => {
            "cylinders meet half-spaces, spheres and points only; use a capsule or a convex hull"
        }
        (true, false) | (false, true) => "one is planar, the other spatial",
        _ => "there is no rule for these two",
    }
}

/// Length that tolerances refer to: the smaller shape that has a size.
fn length_scale(a: &Shape, b: &Shape) -> f64 {
    let sizes = [a.size(), b.size()];
    let known = sizes.iter().copied().filter(|s| *s > 0.0 && s.is_finite());
    let size = known.fold(f64::INFINITY, f64::min);
    if size.is_finite() { size } else { 1e-3 }
}

/// The contact seen from the other shape.
fn turned(c: Contact) -> Contact {
    let [fa, fb] = c.features;
    let [ia, ib] = c.feature_ids;
    let [pa, pb] = c.points;
    Contact { features: [fb, fa], feature_ids: [ib, ia], points: [pb, pa], normal: -c.normal, ..c }
}

fn drop_twins(out: &mut Vec<Contact>, start: usize, tol: f64) {
    let mut k = start;
    while k < out.len() {
        let c = &out[k];
        let twin = out[start..k].iter().any(|o| {
            (o.points[0] - c.points[0]).norm() <= tol
                && (o.points[1] - c.points[1]).norm() <= tol
                && o.normal.dot(&c.normal) > 0.999
        });
        if twin {
            out.remove(k);
        } else {
            k += 1;
        }
    }
}
