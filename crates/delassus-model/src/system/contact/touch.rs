//! The gap between two features with exact rates: normal, point of contact and tangents as they
//! move with the two bodies.
//!
//! ```text
//! u_e = e·(v_b(c) − v_a(c)),  e = n, t₁, t₂        v_i(c): velocity of the material of body i at c
//! u̇_e = e·(a_b + α_b × r_b − a_a − α_a × r_a) + bias_e
//! bias_e = ė·(v_b(c) − v_a(c)) + e·(ω_b × ṙ_b − ω_a × ṙ_a),    r_i = c − x_i
//! ```
//!
//! c is half-way between the two surfaces, so that both rows of a point act at one place, and ċ is
//! the velocity at which it wanders over both. With e = n this is the second derivative of the gap,
//! curvature included: ṅ and ċ hold it. Formulas of the gaps: `delassus_geom::Feature`.

use super::moving::Moving;
use crate::system::kin::BodyKin;
use delassus_geom::{Feature, Pose};
use delassus_math::{Mat3, Vec3, perpendicular};

/// Sine below which two lines count as parallel, as in the geometry.
const PARALLEL: f64 = 1e-8;
/// A reference direction on body a is given up when its cosine with the normal exceeds this.
pub(super) const STEEP: f64 = 0.95;

/// A shape with its body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'a> {
    pub body: &'a BodyKin,
    pub pose: Pose,
}

impl Side<'_> {
    /// A point fixed on the body.
    fn point(&self, x: &Vec3) -> Moving {
        let x = self.pose.point(x);
        Moving { x, d: self.body.v + self.body.w.cross(&(x - self.body.x)) }
    }

    /// A direction fixed on the body.
    fn vector(&self, e: &Vec3) -> Moving {
        let x = self.pose.vector(e);
        Moving { x, d: self.body.w.cross(&x) }
    }
}

/// Two features face to face.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub gap: f64,
    /// Unit normal from a to b.
    pub n: Moving,
    /// Point of contact, half-way between the surfaces.
    pub c: Moving,
    /// A direction on one of the bodies that is never along the normal; `None` between two balls,
    /// where there is no such direction.
    pub along: Option<Moving>,
}

/// Gap, normal and point of contact of two features.
pub(super) fn touch(fa: &Feature, a: &Side<'_>, fb: &Feature, b: &Side<'_>) -> Touch {
    use Feature::{Ball, Line, Plane};
    match (fa, fb) {
        (Ball { center: ca, radius: ra }, Ball { center: cb, radius: rb }) => {
            let x = a.pose.vector(&Vec3::x());
            round(a.point(ca), *ra, b.point(cb), *rb, x, None)
        }
        (Plane { point, normal }, Ball { center, radius }) => {
            flat(a, point, normal, b.point(center), *radius, 1.0)
        }
        (Ball { center, radius }, Plane { point, normal }) => {
            flat(b, point, normal, a.point(center), *radius, -1.0)
        }
        (Ball { center, radius: ra }, Line { point, direction, radius: rb }) => {
            let (c, u) = (a.point(center), b.vector(direction));
            let foot = on_line(c, b.point(point), u);
            round(c, *ra, foot, *rb, perpendicular(&u.x), Some(u))
        }
        (Line { point, direction, radius: ra }, Ball { center, radius: rb }) => {
            let (c, u) = (b.point(center), a.vector(direction));
            let foot = on_line(c, a.point(point), u);
            round(foot, *ra, c, *rb, perpendicular(&u.x), Some(u))
        }
        (
            Line { point: xa, direction: da, radius: ra },
            Line { point: xb, direction: db, radius: rb },
        ) => {
            let (xa, da) = (a.point(xa), a.vector(da));
            lines(xa, da, *ra, b.point(xb), b.vector(db), *rb)
        }
        (Plane { point: xa, .. } | Line { point: xa, .. }, Plane { point: xb, .. })
        | (Plane { point: xa, .. }, Line { point: xb, .. }) => Touch {
            // no gap of their own; see `delassus_geom::feature_gap`
            gap: f64::INFINITY,
            n: Moving::fixed(Vec3::zeros()),
            c: (a.point(xa) + b.point(xb)) * 0.5,
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
    otherwise: Vec3,
    along: Option<Moving>,
) -> Touch {
    let sign = if ra < 0.0 || rb < 0.0 { -1.0 } else { 1.0 };
    let d = (cb - ca) * sign;
    let n = d.unit(otherwise);
    Touch { gap: sign * d.x.norm() - ra - rb, n, c: middle(ca, ra, cb, rb, n), along }
}

/// A ball over a plane on side `on`; `sign` is −1 where the plane is on body b.
fn flat(on: &Side<'_>, point: &Vec3, normal: &Vec3, c: Moving, radius: f64, sign: f64) -> Touch {
    let (p, n) = (on.point(point), on.vector(normal));
    let height = n.dot(&(c - p));
    let (foot, top) = (c - n * height, c - n * radius);
    Touch {
        gap: height.x - radius,
        n: n * sign,
        c: (foot + top) * 0.5,
        along: Some(on.vector(&perpendicular(normal))),
    }
}

fn lines(xa: Moving, da: Moving, ra: f64, xb: Moving, db: Moving, rb: f64) -> Touch {
    let cross = da.cross(&db);
    if cross.x.norm() < PARALLEL {
        let foot = on_line(xa, xb, db);
        return round(xa, ra, foot, rb, perpendicular(&da.x), Some(da));
    }
    let n = cross.unit(Vec3::zeros());
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

    /// Two tangents in space. `axis` of body a takes the place of `along` between two balls.
    pub fn tangents(&self, a: &BodyKin, axis: usize) -> [Moving; 2] {
        let along = self.along.unwrap_or_else(|| {
            let x: Vec3 = a.r_wb.column(axis).into();
            Moving { x, d: a.w.cross(&x) }
        });
        let t = along.without(&self.n).unit(perpendicular(&self.n.x));
        [t, self.n.cross(&t)]
    }

    /// Axis of body a for the tangents between two balls: `before` as long as it will do, then
    /// the one most across the normal.
    pub fn axis(&self, r_wb: &Mat3, before: Option<usize>, keep: bool) -> usize {
        if self.along.is_some() {
            return 0;
        }
        let cosine = |k: usize| r_wb.column(k).dot(&self.n.x).abs();
        match before {
            Some(k) if keep || cosine(k) < STEEP => k,
            _ => (0..3).min_by(|i, j| cosine(*i).total_cmp(&cosine(*j))).unwrap_or(0),
        }
    }

    /// How far the axis is from being given up: a cosine.
    pub fn axis_margin(&self, r_wb: &Mat3, axis: usize) -> f64 {
        match self.along {
            Some(_) => f64::INFINITY,
            None => STEEP - r_wb.column(axis).dot(&self.n.x).abs(),
        }
    }
}

/// Rate and bias of the row with direction e.
pub(super) fn rate_and_bias(e: &Moving, c: &Moving, a: &BodyKin, b: &BodyKin) -> (f64, f64) {
    let (ra, rb) = (c.x - a.x, c.x - b.x);
    let slip = b.v + b.w.cross(&rb) - a.v - a.w.cross(&ra);
    let drift = b.w.cross(&(c.d - b.v)) - a.w.cross(&(c.d - a.v));
    (e.x.dot(&slip), e.d.dot(&slip) + e.x.dot(&drift))
}
