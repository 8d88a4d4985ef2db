//! Where the features of a pressed pair hand over: the point that takes over begins as deep as the one before it.
//!
//! A pressed corner that slides over an edge leaves the face it was pressed into, and the edge comes to face the side of the
//! corner at once, inside it. It is the same contact, and not one from behind: it has the approach speed that was latched and
//! the bristles of the one before it, and what that stored is stored again. With faces that lean there may be a short way
//! between both, or both act for such a way, by as much as the lean and the depth make of it.

use super::compliant::{Tangents, bristles, frame};
use delassus_dae::{ContactPoint, PointId, Unilateral};
use delassus_math::remember;
use delassus_nonsmooth::{Pressed, TAKES_OVER};

/// A pressed point whose features ended before others took over from it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Left {
    pub pair: u64,
    pub by: Presser,
    /// Time until which others may take over, s.
    pub until: f64,
}
remember!(Left { pair, by, until });

/// What presses a pair.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Presser {
    /// How deep, m.
    pub depth: f64,
    /// Approach speed that was latched, m/s.
    pub speed: f64,
    /// How far its bristles are bent, m, in ground components.
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

/// All that presses at present.
#[derive(Clone, Copy)]
pub(super) struct Pressers<'a> {
    pub pressed: &'a [Pressed],
    pub left: &'a [Left],
}

impl Pressers<'_> {
    /// The deepest of a pair at the realised state, which is that of time t and has the auxiliary states z.
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
        self.left.iter().filter(|l| l.pair == pair && t <= l.until).for_each(|l| add(l.by));
        deepest
    }
}

/// How far the bristles of a point are bent, m, in ground components.
pub(super) fn bend<P: Unilateral>(p: &P, id: PointId, at: &ContactPoint, z: &[f64]) -> [f64; 3] {
    let bent = bristles(p, id).and_then(|b| z.get(b)).unwrap_or_default();
    let mut sum = [0.0; 3];
    for (z, t) in bent.iter().zip(frame(at)) {
        sum.iter_mut().zip(t).for_each(|(s, t)| *s += z * t);
    }
    sum
}
