//! Where the features of a pressed pair hand over: the point that takes over begins as deep as the one before it.
//!
//! When a pressed corner slides over an edge, it leaves the face into which it was pressed. At the same moment the edge
//! faces the side of the corner and is already inside it. This is the same contact, not a new one from behind: it takes
//! over the latched approach speed and the bristles of its predecessor, and the energy stored there is stored here
//! again. With inclined faces there may be a short distance between the two, or both act over such a distance,
//! depending on the inclination and the depth.

use super::compliant::{Tangents, bristles, frame};
use delassus_dae::{ContactPoint, PointId, Unilateral};
use delassus_math::remember;
use delassus_nonsmooth::{Pressed, TAKES_OVER};

/// How near another point that acts already must be, in depths, to be the one that takes over.
const BESIDE: f64 = 2.0;

/// A pressed point whose features ended before others took over from it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Left {
    pub id: PointId,
    pub by: Presser,
    /// When its features ended, and until when others may take over, s.
    pub t: f64,
    pub until: f64,
    /// What it stored, J; where something took over from it, the part that was lost.
    pub stored: f64,
}
remember!(Left { id, by, t, until, stored });

/// Points of one pair act at one place: the second is as deep as the first, but for the lean of faces.
pub(super) fn acts_beside(left: ([f64; 3], f64), other: ([f64; 3], f64)) -> bool {
    let way: f64 = left.0.iter().zip(other.0).map(|(x, y)| (x - y) * (x - y)).sum();
    way.sqrt() <= BESIDE * left.1 && TAKES_OVER * other.1 >= left.1
}

/// A point that presses a pair.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Presser {
    /// How deep, m.
    pub depth: f64,
    /// Approach speed that was latched, m/s.
    pub speed: f64,
    /// Deflection of its bristles, m, in ground components.
    pub bend: [f64; 3],
}
remember!(Presser { depth, speed, bend });

impl Presser {
    /// A point that comes to face the other shape with such a gap takes over from this one.
    pub fn hands_over(&self, gap: f64) -> bool {
        -gap <= TAKES_OVER * self.depth
    }

    /// Bristles along tangents.
    pub fn bend_along(&self, tangents: &Tangents) -> [f64; 2] {
        tangents.map(|t| self.bend.iter().zip(t).map(|(x, y)| x * y).sum())
    }
}

/// Everything that presses at present.
#[derive(Clone, Copy)]
pub(super) struct Pressers<'a> {
    pub pressed: &'a [Pressed],
    pub left: &'a [Left],
}

impl Pressers<'_> {
    /// The deepest point of a pair at the realised state, which is that of time t and has the auxiliary states z.
    pub fn of<P: Unilateral>(
        &self,
        p: &P,
        ws: &P::Ws,
        pair: u64,
        (t, z): (f64, &[f64]),
        at: &mut ContactPoint,
    ) -> Option<Presser> {
        let mut deepest: Option<Presser> = None;
        let mut add = |by: Presser| {
            if by.depth > deepest.map_or(0.0, |d| d.depth) {
                deepest = Some(by);
            }
        };
        for point in self.pressed.iter().filter(|point| point.id.pair == pair) {
            if p.position(ws, point.id, true, Some(point.features), at) {
                let bend = bend(p, point.id, at, z);
                add(Presser { depth: -at.gap, speed: point.onset.speed, bend });
            }
        }
        self.left.iter().filter(|l| l.id.pair == pair && t <= l.until).for_each(|l| add(l.by));
        deepest
    }
}

/// Deflection of the bristles of a point, m, in ground components.
pub(super) fn bend<P: Unilateral>(p: &P, id: PointId, at: &ContactPoint, z: &[f64]) -> [f64; 3] {
    let bent = bristles(p, id).and_then(|b| z.get(b)).unwrap_or_default();
    let mut sum = [0.0; 3];
    for (z, t) in bent.iter().zip(frame(at)) {
        sum.iter_mut().zip(t).for_each(|(s, t)| *s += z * t);
    }
    sum
}
