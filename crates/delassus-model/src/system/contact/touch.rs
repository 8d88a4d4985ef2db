//! The gap between two features with exact rates: normal, contact point and tangents as they move with the two frames
//! that carry them.
//!
//! ```text
//! u_e = e·(v_b(c) − v_a(c)),  e = n, t₁, t₂        v_i(c): velocity of what is fixed to frame i at c
//! u̇_e = e·(a_b + α_b × r_b − a_a − α_a × r_a) + bias_e
//! bias_e = ė·(v_b(c) − v_a(c)) + e·(ω_b × ṙ_b − ω_a × ṙ_a),    r_i = c − p_i
//! ```
//!
//! The accelerations of the frames at zero generalised acceleration are added to bias_e.
//!
//! c is half-way between the two surfaces, so that both rows of a point act at one place, and ċ is the velocity at
//! which it moves over both. With e = n this is the second derivative of the gap, including the curvature, which is in
//! ṅ and ċ. Formulas of the gaps: `delassus_geom::Feature`.

use super::moving::Moving;
use crate::system::body::FrameKin;
use delassus_geom::{Feature, Pose};
use delassus_math::{Mat3, Vec3, perpendicular};

/// Sine below which two lines count as parallel, as in the geometry.
const PARALLEL: f64 = 1e-8;
/// A reference direction on frame a is given up when its cosine with the normal exceeds this.
pub(super) const STEEP: f64 = 0.95;

/// A shape with the frame that carries it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'a> {
    pub on: &'a FrameKin,
    pub pose: Pose,
}

impl Side<'_> {
    /// A point fixed to the shape.
    fn point(&self, x: &Vec3) -> Moving {
        let x = self.pose.point(x);
        Moving { x, d: self.on.v + self.on.w.cross(&(x - self.on.p)) }
    }

    /// A direction fixed to the shape.
    fn vector(&self, e: &Vec3) -> Moving {
        let x = self.pose.vector(e);
        Moving { x, d: self.on.w.cross(&x) }
    }
}

/// Two features face to face.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub gap: f64,
    /// Unit normal from a to b.
    pub n: Moving,
    /// Contact point, half-way between the surfaces.
    pub c: Moving,
    /// A direction on one of the bodies that is never along the normal; `None` between two balls, where there is no
    /// such direction.
    pub along: Option<Moving>,
}

/// The part of a shape that touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Piece {
    /// Fixed on the shape.
    Fixed(Feature),
    /// The point of a circle about z that is nearest to the other shape.
    Rim {
        /// Middle of the circle.
        center: Vec3,
        /// Its radius.
        radius: f64,
    },
}

/// A feature with its motion.
enum Placed {
    Ball(Moving, f64),
    Line(Moving, Moving, f64),
    /// Point, normal, and a direction in the plane.
    Plane(Moving, Moving, Moving),
}

fn placed(feature: &Feature, on: &Side<'_>) -> Placed {
    match feature {
        Feature::Ball { center, radius } => Placed::Ball(on.point(center), *radius),
        Feature::Line { point, direction, radius } => {
            Placed::Line(on.point(point), on.vector(direction), *radius)
        }
        Feature::Plane { point, normal } => {
            let along = on.vector(&perpendicular(normal));
            Placed::Plane(on.point(point), on.vector(normal), along)
        }
    }
}

/// The point of a rim nearest to the other feature: it moves along the rim as the bodies move.
fn on_rim(center: &Vec3, radius: f64, on: &Side<'_>, other: &Placed) -> Placed {
    let (o, axis) = (on.point(center), on.vector(&Vec3::z()));
    let towards = match other {
        Placed::Ball(c, _) => *c - o,
        Placed::Plane(_, n, _) => -*n,
        Placed::Line(p, u, _) => on_line(o, *p, *u) - o,
    };
    let out = towards.without(&axis).unit(|| on.pose.vector(&Vec3::x()));
    Placed::Ball(o + out * radius, 0.0)
}

/// Gap, normal and contact point of two pieces.
pub(super) fn touch(fa: &Piece, a: &Side<'_>, fb: &Piece, b: &Side<'_>) -> Touch {
    let (pa, pb) = match (fa, fb) {
        (Piece::Fixed(fa), Piece::Fixed(fb)) => (placed(fa, a), placed(fb, b)),
        (Piece::Rim { center, radius }, Piece::Fixed(fb)) => {
            let pb = placed(fb, b);
            (on_rim(center, *radius, a, &pb), pb)
        }
        (Piece::Fixed(fa), Piece::Rim { center, radius }) => {
            let pa = placed(fa, a);
            let pb = on_rim(center, *radius, b, &pa);
            (pa, pb)
        }
        // two rims have no gap; no pair of shapes needs it
        (Piece::Rim { center: x, .. }, Piece::Rim { center: y, .. }) => {
            (Placed::Ball(a.point(x), 0.0), Placed::Ball(b.point(y), 0.0))
        }
    };
    match (pa, pb) {
        (Placed::Ball(ca, ra), Placed::Ball(cb, rb)) => {
            round(ca, ra, cb, rb, || a.pose.vector(&Vec3::x()), None)
        }
        (Placed::Plane(p, n, along), Placed::Ball(c, r)) => flat(p, n, along, c, r, 1.0),
        (Placed::Ball(c, r), Placed::Plane(p, n, along)) => flat(p, n, along, c, r, -1.0),
        (Placed::Ball(c, ra), Placed::Line(p, u, rb)) => {
            round(c, ra, on_line(c, p, u), rb, || perpendicular(&u.x), Some(u))
        }
        (Placed::Line(p, u, ra), Placed::Ball(c, rb)) => {
            round(on_line(c, p, u), ra, c, rb, || perpendicular(&u.x), Some(u))
        }
        (Placed::Line(xa, da, ra), Placed::Line(xb, db, rb)) => lines(xa, da, ra, xb, db, rb),
        (Placed::Plane(x, ..) | Placed::Line(x, ..), Placed::Plane(y, ..))
        | (Placed::Plane(x, ..), Placed::Line(y, ..)) => Touch {
            // no gap of their own; see `delassus_geom::feature_gap`
            gap: f64::INFINITY,
            n: Moving::fixed(Vec3::zeros()),
            c: (x + y) * 0.5,
            along: None,
        },
    }
}

/// Two round features about the points ca and cb; a negative radius is a hole.
fn round(
    ca: Moving,
    ra: f64,
    cb: Moving,
    rb: f64,
    otherwise: impl FnOnce() -> Vec3,
    along: Option<Moving>,
) -> Touch {
    let sign = if ra < 0.0 || rb < 0.0 { -1.0 } else { 1.0 };
    let d = (cb - ca) * sign;
    let n = d.unit(otherwise);
    Touch { gap: sign * d.x.norm() - ra - rb, n, c: middle(ca, ra, cb, rb, n), along }
}

/// A ball over a plane; `sign` is −1 where the plane is on body b.
fn flat(p: Moving, n: Moving, along: Moving, c: Moving, radius: f64, sign: f64) -> Touch {
    let height = n.dot(&(c - p));
    let (foot, top) = (c - n * height, c - n * radius);
    Touch { gap: height.x - radius, n: n * sign, c: (foot + top) * 0.5, along: Some(along) }
}

fn lines(xa: Moving, da: Moving, ra: f64, xb: Moving, db: Moving, rb: f64) -> Touch {
    let cross = da.cross(&db);
    if cross.x.norm() < PARALLEL {
        let foot = on_line(xa, xb, db);
        return round(xa, ra, foot, rb, || perpendicular(&da.x), Some(da));
    }
    let n = cross.unit(Vec3::zeros);
    let w = xb - xa;
    let s2 = cross.dot(&cross);
    // feet of the common perpendicular
    let s = w.cross(&db).dot(&cross).over(s2);
    let t = w.cross(&da).dot(&cross).over(s2);
    let (pa, pb) = (xa + da * s, xb + db * t);
    Touch { gap: n.x.dot(&w.x) - ra - rb, n, c: middle(pa, ra, pb, rb, n), along: Some(da) }
}

fn middle(ca: Moving, ra: f64, cb: Moving, rb: f64, n: Moving) -> Moving {
    (ca + cb + n * (ra - rb)) * 0.5
}

fn on_line(x: Moving, point: Moving, direction: Moving) -> Moving {
    point + direction * direction.dot(&(x - point))
}

impl Touch {
    /// In the plane: the normal turned by +90°.
    pub fn planar_tangent(&self) -> Moving {
        Moving::fixed(Vec3::z()).cross(&self.n)
    }

    /// Two tangents in space. `axis` of frame a takes the place of `along` between two balls.
    pub fn tangents(&self, a: &FrameKin, axis: usize) -> [Moving; 2] {
        let along = self.along.unwrap_or_else(|| {
            let x: Vec3 = a.axes.column(axis).into();
            Moving { x, d: a.w.cross(&x) }
        });
        let t = along.without(&self.n).unit(|| perpendicular(&self.n.x));
        [t, self.n.cross(&t)]
    }

    /// Axis of frame a for the tangents between two balls: `before` as long as it will do, then the one most nearly
    /// perpendicular to the normal.
    pub fn axis(&self, axes: &Mat3, before: Option<usize>, keep: bool) -> usize {
        if self.along.is_some() {
            return 0;
        }
        let cosine = |k: usize| axes.column(k).dot(&self.n.x).abs();
        match before {
            Some(k) if keep || cosine(k) < STEEP => k,
            _ => (0..3).min_by(|i, j| cosine(*i).total_cmp(&cosine(*j))).unwrap_or(0),
        }
    }

    /// How far the axis is from being given up: a cosine.
    pub fn axis_margin(&self, axes: &Mat3, axis: usize) -> f64 {
        match self.along {
            Some(_) => f64::INFINITY,
            None => STEEP - axes.column(axis).dot(&self.n.x).abs(),
        }
    }
}

/// Motion of a point fixed to frame b at the contact point relative to the one fixed to frame a.
pub(super) struct Leaving {
    /// Relative velocity.
    slip: Vec3,
    /// Its rate at zero generalised acceleration.
    drift: Vec3,
}

impl Leaving {
    pub fn new(c: &Moving, a: &FrameKin, b: &FrameKin) -> Leaving {
        let (ra, rb) = (c.x - a.p, c.x - b.p);
        let own = b.bias + b.bias_w.cross(&rb) - a.bias - a.bias_w.cross(&ra);
        Leaving {
            slip: b.v + b.w.cross(&rb) - a.v - a.w.cross(&ra),
            drift: b.w.cross(&(c.d - b.v)) - a.w.cross(&(c.d - a.v)) + own,
        }
    }

    /// Rate and bias of the row with direction e.
    pub fn along(&self, e: &Moving) -> (f64, f64) {
        (e.x.dot(&self.slip), e.d.dot(&self.slip) + e.x.dot(&self.drift))
    }
}
