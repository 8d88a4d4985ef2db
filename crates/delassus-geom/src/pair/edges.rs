//! Two straight edges, or an edge and the axis of a rod, crossing each other.

use crate::feature::crossing;
use delassus_math::Vec3;

/// Sine below which two edges count as parallel: then their ends are better contact points.
const PARALLEL: f64 = 1e-6;

/// Sine by which the common normal may leave the arc of normals of an edge while the edges are apart. At rest on a face
/// the normal is at the end of the arc; shortly before, it is outside. The contact must already be visible then, or a
/// body that falls flat would be detected too late.
const OPEN: f64 = 0.3;

/// The same where they overlap: anything further off is another edge seen through the body. An edge whose normal is
/// outside the arc is in front of a side of the other body; it must be long enough to continue through that side, or it
/// does not overlap at all.
const CLOSED: f64 = 0.02;

/// A straight piece in a common frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    pub x: Vec3,
    pub d: Vec3,
    pub len: f64,
    pub radius: f64,
}

/// Where two bars are nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cross {
    pub gap: f64,
    /// Whether d_a has to be reversed for d_a × d_b to point along n.
    pub turn: bool,
}

/// The crossing of two bars; `va`, `vb` give by how much a normal (out of a, out of b) violates the edge. Both signs of
/// the normal are tried; the one that fits both bodies counts.
pub(crate) fn cross(
    a: &Bar,
    b: &Bar,
    tol: f64,
    deepest: f64,
    va: &dyn Fn(&Vec3) -> f64,
    vb: &dyn Fn(&Vec3) -> f64,
) -> Option<Cross> {
    let c = a.d.cross(&b.d);
    let sine = c.norm();
    if sine < PARALLEL {
        return None;
    }
    let (s, t) = crossing(&a.x, &a.d, &b.x, &b.d);
    let (left_a, left_b) = (s.min(a.len - s), t.min(b.len - t));
    if left_a.min(left_b) <= tol {
        return None;
    }
    for (n, turn) in [(c / sine, false), (c / -sine, true)] {
        let apart = n.dot(&(b.x - a.x));
        let gap = apart - a.radius - b.radius;
        let (off_a, off_b) = (va(&n), vb(&-n));
        let limit = if gap >= 0.0 { OPEN } else { CLOSED };
        let enters =
            apart >= 0.0 || (left_b * sine >= -apart * off_a && left_a * sine >= -apart * off_b);
        if off_a.max(off_b) <= limit && apart >= -deepest && enters {
            return Some(Cross { gap, turn });
        }
    }
    None
}

/// How far a crossing with the normal n is from its end, m: that of one of the bars, or of the arc of normals of an
/// edge, or where the bars become parallel. It continues smoothly beyond the end, where [`cross`] no longer finds
/// anything, and does not depend on the sign of the gap.
pub(crate) fn margin(
    a: &Bar,
    b: &Bar,
    n: &Vec3,
    va: &dyn Fn(&Vec3) -> f64,
    vb: &dyn Fn(&Vec3) -> f64,
) -> f64 {
    let length = a.len.min(b.len);
    let sine = a.d.cross(&b.d).norm();
    if sine < PARALLEL {
        return (sine - PARALLEL) * length;
    }
    let (s, t) = crossing(&a.x, &a.d, &b.x, &b.d);
    let ends = s.min(a.len - s).min(t).min(b.len - t);
    let facing = OPEN - va(n).max(vb(&-n));
    ends.min(facing * length)
}
