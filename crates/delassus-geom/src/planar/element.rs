//! Pieces of a planar curve: edges, arcs and the joints between them.
//!
//! A curve is walked with its body on the left; the outward normal is on the right. An arc that turns
//! left is then convex, one that turns right concave, for outer contours, holes and open curves alike.

use crate::Feature;
use crate::cone::violation;
use delassus_math::Vec3;
use std::f64::consts::{PI, TAU};

/// Turning angle below which a joint counts as smooth (rad): the normal may flip by this much without looking like a
/// corner. Corners made by people are larger.
pub(crate) const SMOOTH: f64 = 1e-7;

/// A smooth piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Element {
    /// Straight from `p` along `t` (unit); infinite both ways for a half plane.
    Edge { p: Vec3, t: Vec3, n: Vec3, len: f64 },
    /// Around `c` from angle `start` through `sweep` (positive: counter-clockwise, convex).
    Arc { c: Vec3, r: f64, start: f64, sweep: f64 },
}

pub(crate) fn unit(angle: f64) -> Vec3 {
    Vec3::new(angle.cos(), angle.sin(), 0.0)
}

/// A quarter turn to the right: from the tangent to the outward normal.
pub(crate) fn right(t: &Vec3) -> Vec3 {
    Vec3::new(t.y, -t.x, 0.0)
}

/// The angle brought to (−π, π].
pub(crate) fn wrap(angle: f64) -> f64 {
    let a = angle.rem_euclid(TAU);
    if a > PI { a - TAU } else { a }
}

impl Element {
    pub fn edge(p: Vec3, q: Vec3) -> Element {
        let d = q - p;
        let len = d.norm();
        let t = d / len;
        Element::Edge { p, t, n: right(&t), len }
    }

    pub fn start(&self) -> Vec3 {
        match *self {
            Element::Edge { p, .. } => p,
            Element::Arc { c, r, start, .. } => c + unit(start) * r,
        }
    }

    pub fn end(&self) -> Vec3 {
        match *self {
            Element::Edge { p, t, len, .. } => p + t * len,
            Element::Arc { c, r, start, sweep } => c + unit(start + sweep) * r,
        }
    }

    /// Tangent at the start and at the end, along the walk.
    pub fn tangents(&self) -> [Vec3; 2] {
        match *self {
            Element::Edge { t, .. } => [t, t],
            Element::Arc { start, sweep, .. } => {
                let s = sweep.signum();
                [-right(&unit(start)) * s, -right(&unit(start + sweep)) * s]
            }
        }
    }

    /// Turning to the left along the piece (rad).
    pub fn turning(&self) -> f64 {
        match *self {
            Element::Edge { .. } => 0.0,
            Element::Arc { sweep, .. } => sweep,
        }
    }

    pub fn length(&self) -> f64 {
        match *self {
            Element::Edge { len, .. } => len,
            Element::Arc { r, sweep, .. } => r * sweep.abs(),
        }
    }

    pub fn is_full_circle(&self) -> bool {
        matches!(self, Element::Arc { sweep, .. } if sweep.abs() >= TAU - 1e-12)
    }

    /// Whether the piece can be touched by a larger ball without being in a slot of its own.
    pub fn is_concave(&self) -> bool {
        matches!(self, Element::Arc { sweep, .. } if *sweep < 0.0)
    }

    pub fn is_convex_arc(&self) -> bool {
        matches!(self, Element::Arc { sweep, .. } if *sweep > 0.0)
    }

    /// Two halves.
    pub fn halves(&self) -> [Element; 2] {
        match *self {
            Element::Edge { p, t, n, len } => [
                Element::Edge { p, t, n, len: len / 2.0 },
                Element::Edge { p: p + t * (len / 2.0), t, n, len: len / 2.0 },
            ],
            Element::Arc { c, r, start, sweep } => [
                Element::Arc { c, r, start, sweep: sweep / 2.0 },
                Element::Arc { c, r, start: start + sweep / 2.0, sweep: sweep / 2.0 },
            ],
        }
    }

    pub fn reversed(&self) -> Element {
        match *self {
            Element::Edge { p, t, len, .. } => {
                Element::Edge { p: p + t * len, t: -t, n: right(&-t), len }
            }
            Element::Arc { c, r, start, sweep } => {
                Element::Arc { c, r, start: start + sweep, sweep: -sweep }
            }
        }
    }

    pub fn feature(&self) -> Feature {
        match *self {
            Element::Edge { p, n, .. } => Feature::Plane { point: p, normal: n },
            Element::Arc { c, r, sweep, .. } => {
                Feature::Ball { center: c, radius: r * sweep.signum() }
            }
        }
    }

    /// Signed distance of `x` to the infinitely continued piece, positive outside the body.
    pub fn distance(&self, x: &Vec3) -> f64 {
        match *self {
            Element::Edge { p, n, .. } => n.dot(&(x - p)),
            Element::Arc { c, r, sweep, .. } => sweep.signum() * ((x - c).norm() - r),
        }
    }

    /// Outward normal at the foot of `x`.
    pub fn normal_at(&self, x: &Vec3) -> Vec3 {
        match *self {
            Element::Edge { n, .. } => n,
            Element::Arc { c, start, sweep, .. } => {
                let d = x - c;
                let l = d.norm();
                let u = if l > 0.0 { d / l } else { unit(start + sweep / 2.0) };
                u * sweep.signum()
            }
        }
    }

    /// How far the foot of `x` is from the nearer end, along the piece (m); negative beyond an end, infinite if there
    /// is none.
    pub fn margin(&self, x: &Vec3) -> f64 {
        match *self {
            Element::Edge { p, t, len, .. } => {
                let s = t.dot(&(x - p));
                if len.is_infinite() { f64::INFINITY } else { s.min(len - s) }
            }
            Element::Arc { c, r, .. } => {
                let d = x - c;
                if self.is_full_circle() || d.norm_squared() == 0.0 {
                    return f64::INFINITY;
                }
                r * self.angular_margin(&d)
            }
        }
    }

    /// The same as an angle from the direction `d` to the nearer end of an arc.
    pub fn angular_margin(&self, d: &Vec3) -> f64 {
        match *self {
            Element::Edge { .. } => f64::INFINITY,
            Element::Arc { start, sweep, .. } => {
                if self.is_full_circle() {
                    return f64::INFINITY;
                }
                let middle = start + sweep / 2.0;
                sweep.abs() / 2.0 - wrap(d.y.atan2(d.x) - middle).abs()
            }
        }
    }

    /// Points along the piece, without the last; arcs at most `step` apart in angle.
    pub fn sample(&self, step: f64, out: &mut Vec<[f64; 2]>) {
        match *self {
            Element::Edge { p, .. } => out.push([p.x, p.y]),
            Element::Arc { c, r, start, sweep } => {
                let n = (sweep.abs() / step).ceil().max(1.0) as usize;
                for k in 0..n {
                    let x = c + unit(start + sweep * k as f64 / n as f64) * r;
                    out.push([x.x, x.y]);
                }
            }
        }
    }

    /// Smallest box around the piece: (lower, upper) corner.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let (a, b) = (self.start(), self.end());
        let (mut lo, mut hi) = (a.inf(&b), a.sup(&b));
        if let Element::Arc { c, r, .. } = *self {
            for k in 0..4 {
                let d = unit(f64::from(k) * PI / 2.0);
                if self.angular_margin(&d) > 0.0 {
                    lo = lo.inf(&(c + d * r));
                    hi = hi.sup(&(c + d * r));
                }
            }
        }
        (lo, hi)
    }
}

/// How the curve turns at a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Corner {
    Smooth,
    Convex,
    Concave,
}

/// The point between two pieces, or an end of an open curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Joint {
    pub x: Vec3,
    /// Directions along the curve away from the point.
    pub arms: [Option<Vec3>; 2],
    /// Outwards, in the middle of the cone of normals.
    pub out: Vec3,
    pub corner: Corner,
    /// A cut where the curve continues smoothly; see `chains`.
    pub cut: bool,
}

impl Joint {
    /// Turning to the left (rad), zero at ends.
    pub fn turning(&self) -> f64 {
        match self.arms {
            [Some(back), Some(forward)] => {
                let t = -back;
                (t.x * forward.y - t.y * forward.x).atan2(t.dot(&forward))
            }
            _ => 0.0,
        }
    }

    /// Sine by which the direction `n` (from the body outwards) leaves the cone of normals of the
    /// joint; not positive inside. A lone point has no cone and accepts every direction.
    pub fn violation(&self, n: &Vec3) -> f64 {
        violation(self.arms.iter().flatten(), &self.out, n)
    }
}
