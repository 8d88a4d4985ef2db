//! Shapes: the surface of a body, in a frame of its own.

use crate::ShapeError;
use crate::error::LARGEST;
use crate::mesh::TriMesh;
use crate::planar::Profile;
use crate::planar::closest::Query;
use crate::planar::curve::Curve;
use crate::planar::element::{Element, right};
use crate::spatial::{hull, poly::Poly};
use delassus_math::Vec3;
use std::f64::consts::{PI, TAU};
use std::fmt;
use std::sync::Arc;

/// Sine below which triangles of a mesh are coplanar: files have single precision.
const MESH_FLAT: f64 = 1e-6;

/// A surface in its own frame (m). Planar shapes lie in the xy plane. Cheap to clone.
///
/// Made by the checked constructors; [`Shape::kind`] gives its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub(crate) kind: ShapeKind,
    pub(crate) form: Form,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    Curve(Arc<Curve>),
    Sphere { radius: f64 },
    HalfSpace { point: Vec3, normal: Vec3 },
    Capsule { ends: [Vec3; 2], radius: f64 },
    Cylinder { half_height: f64, radius: f64 },
    Poly(Arc<Poly>),
}

/// Names of the kinds of shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShapeKind {
    /// A point; in the plane and in space.
    Point,
    /// A disc.
    Circle,
    /// The inside of a circular hole.
    Ring,
    /// A straight wall with one free side.
    Segment,
    /// Everything below a line.
    HalfPlane,
    /// A bump or a bowl.
    Arc,
    /// A closed contour, or a hole with one.
    Profile,
    /// A sphere.
    Sphere,
    /// Everything below a plane.
    HalfSpace,
    /// A rod with round ends.
    Capsule,
    /// A box.
    Box,
    /// A circular cylinder.
    Cylinder,
    /// The convex hull of points.
    ConvexHull,
    /// A closed surface of triangles.
    Mesh,
}

impl fmt::Display for ShapeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ShapeKind::Point => "point",
            ShapeKind::Circle => "circle",
            ShapeKind::Ring => "ring",
            ShapeKind::Segment => "segment",
            ShapeKind::HalfPlane => "half-plane",
            ShapeKind::Arc => "arc",
            ShapeKind::Profile => "profile",
            ShapeKind::Sphere => "sphere",
            ShapeKind::HalfSpace => "half-space",
            ShapeKind::Capsule => "capsule",
            ShapeKind::Box => "box",
            ShapeKind::Cylinder => "cylinder",
            ShapeKind::ConvexHull => "convex hull",
            ShapeKind::Mesh => "mesh",
        })
    }
}

impl Shape {
    fn curve(kind: ShapeKind, elements: Vec<Element>, closed: bool) -> Shape {
        Shape { kind, form: Form::Curve(Arc::new(Curve::new(elements, closed))) }
    }

    fn poly(kind: ShapeKind, poly: Poly) -> Shape {
        Shape { kind, form: Form::Poly(Arc::new(poly)) }
    }

    /// The origin of the frame.
    pub fn point() -> Shape {
        Shape { kind: ShapeKind::Point, form: Form::Curve(Arc::new(Curve::point())) }
    }

    /// A disc around the origin.
    pub fn circle(radius: f64) -> Result<Shape, ShapeError> {
        let r = positive("radius of a circle", radius)?;
        let full = Element::Arc { c: Vec3::zeros(), r, start: 0.0, sweep: TAU };
        Ok(Shape::curve(ShapeKind::Circle, vec![full], true))
    }

    /// A circular hole around the origin: the body is outside.
    pub fn ring(radius: f64) -> Result<Shape, ShapeError> {
        let r = positive("radius of a ring", radius)?;
        let full = Element::Arc { c: Vec3::zeros(), r, start: 0.0, sweep: -TAU };
        Ok(Shape::curve(ShapeKind::Ring, vec![full], true))
    }

    /// A thin wall from `start` to `end`. It is one-sided: walking from `start` to `end`, the free side is on the left
    /// (a floor goes from left to right). Something up to 2 % of its length behind it is detected with a negative gap,
    /// as gone through; anything deeper is not detected. For walls with two sides use a thin [`Profile`].
    pub fn segment(start: [f64; 2], end: [f64; 2]) -> Result<Shape, ShapeError> {
        let (p, q) = (planar("start of a segment", start)?, planar("end of a segment", end)?);
        if p == q {
            return Err(ShapeError::NoDirection { what: "segment" });
        }
        // Curves have the body on their left.
        Ok(Shape::curve(ShapeKind::Segment, vec![Element::edge(q, p)], false))
    }

    /// Everything on the side of the line through `point` away from `normal`.
    pub fn half_plane(point: [f64; 2], normal: [f64; 2]) -> Result<Shape, ShapeError> {
        let p = planar("point of a half-plane", point)?;
        let n = direction("normal of a half-plane", planar("normal of a half-plane", normal)?)?;
        let t = -right(&n);
        let line = Element::Edge { p, t, n, len: f64::INFINITY };
        Ok(Shape::curve(ShapeKind::HalfPlane, vec![line], false))
    }

    /// A piece of a circle, from angle `start` counter-clockwise through `sweep` (rad). `hollow`: the
    /// body is outside the circle (a bowl), else inside (a bump). One-sided like a segment.
    pub fn arc(
        center: [f64; 2],
        radius: f64,
        start: f64,
        sweep: f64,
        hollow: bool,
    ) -> Result<Shape, ShapeError> {
        let c = planar("centre of an arc", center)?;
        let r = positive("radius of an arc", radius)?;
        positive("sweep of an arc", sweep)?;
        if !start.is_finite() {
            return Err(ShapeError::NotFinite { what: "start of an arc", index: 0 });
        }
        if sweep > TAU {
            return Err(ShapeError::NotPositive {
                what: "2π minus sweep of an arc",
                value: TAU - sweep,
            });
        }
        let bump = Element::Arc { c, r, start, sweep };
        let e = if hollow { bump.reversed() } else { bump };
        Ok(Shape::curve(ShapeKind::Arc, vec![e], e.is_full_circle()))
    }

    /// A closed contour.
    pub fn profile(profile: &Profile) -> Shape {
        Shape::curve(ShapeKind::Profile, profile.elements.clone(), true)
    }

    /// A sphere around the origin.
    pub fn sphere(radius: f64) -> Result<Shape, ShapeError> {
        let radius = positive("radius of a sphere", radius)?;
        Ok(Shape { kind: ShapeKind::Sphere, form: Form::Sphere { radius } })
    }

    /// Everything on the side of the plane through `point` away from `normal`.
    pub fn half_space(point: Vec3, normal: Vec3) -> Result<Shape, ShapeError> {
        finite("point of a half-space", &point)?;
        finite("normal of a half-space", &normal)?;
        let normal = direction("normal of a half-space", normal)?;
        Ok(Shape { kind: ShapeKind::HalfSpace, form: Form::HalfSpace { point, normal } })
    }

    /// All points within `radius` of the straight line between two points.
    pub fn capsule(from: Vec3, to: Vec3, radius: f64) -> Result<Shape, ShapeError> {
        finite("end of a capsule", &from)?;
        finite("end of a capsule", &to)?;
        direction("axis of a capsule", to - from)?;
        let radius = positive("radius of a capsule", radius)?;
        Ok(Shape { kind: ShapeKind::Capsule, form: Form::Capsule { ends: [from, to], radius } })
    }

    /// A cylinder around the z axis, from −`half_height` to `half_height`.
    pub fn cylinder(half_height: f64, radius: f64) -> Result<Shape, ShapeError> {
        let half_height = positive("half height of a cylinder", half_height)?;
        let radius = positive("radius of a cylinder", radius)?;
        Ok(Shape { kind: ShapeKind::Cylinder, form: Form::Cylinder { half_height, radius } })
    }

    /// A box around the origin with these half sides.
    pub fn cuboid(half: Vec3) -> Result<Shape, ShapeError> {
        for h in half.iter() {
            positive("half side of a box", *h)?;
        }
        Ok(Shape::poly(ShapeKind::Box, hull::cuboid(&half)))
    }

    /// The convex hull of points.
    pub fn convex_hull(points: &[Vec3]) -> Result<Shape, ShapeError> {
        Ok(Shape::poly(ShapeKind::ConvexHull, hull::convex(points)?))
    }

    /// A closed surface of triangles, convex or not.
    pub fn mesh(mesh: &TriMesh) -> Shape {
        Shape::poly(ShapeKind::Mesh, Poly::new(mesh.points(), mesh.triangles(), MESH_FLAT))
    }

    /// Which kind of shape this is.
    pub fn kind(&self) -> ShapeKind {
        self.kind
    }

    /// Whether the shape is a wall without an inside: a segment, or an arc that is not a circle. Nothing is hit from
    /// behind it.
    pub fn is_one_sided(&self) -> bool {
        let open = matches!(&self.form, Form::Curve(c) if !c.closed);
        open && matches!(self.kind, ShapeKind::Segment | ShapeKind::Arc)
    }

    /// Whether the body is outside a closed contour: the wall of a hole.
    pub fn is_hole(&self) -> bool {
        matches!(&self.form, Form::Curve(c) if c.turns_right())
    }

    /// Whether the shape lies in the xy plane. A point counts as planar but goes with everything.
    pub fn is_planar(&self) -> bool {
        matches!(self.form, Form::Curve(_))
    }

    /// Exact distance of a point of the xy plane of the frame to a planar shape, negative inside the
    /// body (one-sided curves: behind them). `None` for spatial shapes.
    pub fn signed_distance(&self, x: [f64; 2]) -> Option<f64> {
        let Form::Curve(curve) = &self.form else { return None };
        let q = Query { tol: 0.0, admit: &|_| true, previous: None };
        curve.nearest(&Vec3::new(x[0], x[1], 0.0), &q).map(|h| h.distance)
    }

    /// Outward normal and curvature (positive where convex, 1/m; infinite at corners) at the point of a
    /// planar shape nearest to `x`.
    pub fn surface_at(&self, x: [f64; 2]) -> Option<([f64; 2], f64)> {
        let Form::Curve(curve) = &self.form else { return None };
        let q = Query { tol: 0.0, admit: &|_| true, previous: None };
        let hit = curve.nearest(&Vec3::new(x[0], x[1], 0.0), &q)?;
        let curvature = match curve.elements.get(hit.id as usize) {
            Some(Element::Edge { .. }) => 0.0,
            Some(Element::Arc { r, sweep, .. }) => sweep.signum() / r,
            None => f64::INFINITY,
        };
        Some(([hit.normal.x, hit.normal.y], curvature))
    }

    /// Points to draw a planar shape with, arcs every 5°; closed contours repeat their first point.
    /// Half-planes are drawn 1 m to both sides. Empty for spatial shapes.
    pub fn outline(&self) -> Vec<[f64; 2]> {
        let mut out = Vec::new();
        let Form::Curve(curve) = &self.form else { return out };
        for e in &curve.elements {
            if let Element::Edge { p, t, len, .. } = e
                && len.is_infinite()
            {
                return vec![[p.x - t.x, p.y - t.y], [p.x + t.x, p.y + t.y]];
            }
            e.sample(PI / 36.0, &mut out);
        }
        match (curve.elements.last(), curve.closed) {
            (None, _) => out.push([0.0, 0.0]),
            (Some(_), true) => out.extend(out.first().copied()),
            (Some(e), false) => out.push([e.end().x, e.end().y]),
        }
        out
    }

    /// Corners and triangles, counter-clockwise from outside, of a box, hull or mesh.
    pub fn surface(&self) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
        let Form::Poly(p) = &self.form else { return None };
        let corners = p.vertices.iter().map(|v| v.x).collect();
        Some((corners, p.triangles.iter().map(|t| t.v).collect()))
    }

    /// Size of its smallest part, m: a body that moves further than a tenth of it unobserved may have passed through.
    /// Infinite for points and half spaces.
    pub fn finest(&self) -> f64 {
        match &self.form {
            Form::Curve(c) => c
                .elements
                .iter()
                .map(|e| match e {
                    Element::Edge { len, .. } => *len,
                    Element::Arc { r, .. } => (2.0 * r).min(e.length()),
                })
                .fold(f64::INFINITY, f64::min),
            Form::Sphere { radius } | Form::Capsule { radius, .. } => 2.0 * radius,
            Form::HalfSpace { .. } => f64::INFINITY,
            Form::Cylinder { half_height, radius } => 2.0 * half_height.min(*radius),
            Form::Poly(p) => p.radius,
        }
    }

    /// Length of the shape, for tolerances; zero for points, infinite for half spaces.
    pub(crate) fn size(&self) -> f64 {
        match &self.form {
            Form::Curve(c) => c.radius,
            Form::Sphere { radius } => *radius,
            Form::HalfSpace { .. } => f64::INFINITY,
            Form::Capsule { ends, radius } => (ends[1] - ends[0]).norm() / 2.0 + radius,
            Form::Cylinder { half_height, radius } => half_height.hypot(*radius),
            Form::Poly(p) => p.radius,
        }
    }
}

fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    match value > 0.0 && value.is_finite() {
        true if value > LARGEST => Err(ShapeError::TooLarge { what, value }),
        true => Ok(value),
        false => Err(ShapeError::NotPositive { what, value }),
    }
}

pub(crate) fn finite(what: &'static str, x: &Vec3) -> Result<(), ShapeError> {
    if let Some(index) = x.iter().position(|v| !v.is_finite()) {
        return Err(ShapeError::NotFinite { what, index });
    }
    match x.iter().find(|v| v.abs() > LARGEST) {
        Some(value) => Err(ShapeError::TooLarge { what, value: *value }),
        None => Ok(()),
    }
}

fn planar(what: &'static str, x: [f64; 2]) -> Result<Vec3, ShapeError> {
    let x = Vec3::new(x[0], x[1], 0.0);
    finite(what, &x).map(|()| x)
}

fn direction(what: &'static str, d: Vec3) -> Result<Vec3, ShapeError> {
    let len = d.norm();
    if len > 0.0 && len.is_finite() { Ok(d / len) } else { Err(ShapeError::NoDirection { what }) }
}
