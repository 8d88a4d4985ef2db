//! Steps must not change branches unnoticed.
//!
//! A step that goes straight across a singular position which the constraints miss by more than round-off has left the
//! motion ([`Crossing`]). It is repeated so that it ends before the position, until steps are short enough to go round
//! the bend. Where the bend is too narrow for the numbers to resolve, or where steps are fixed, the step is kept and
//! reported.

use super::Driver;
use super::singular_jump::{HOP_ERROR, ROUNDINGS};
use delassus_dae::{Across, Crossing, Problem};
use delassus_math::remember;

/// How much closer a singular position may be than the square root of its pivot indicates, in the motion of a step:
/// both are known only in order of magnitude.
const MARGIN: f64 = 10.0;
/// The same for the smallest pivot of all stages of a step, one of which is not far from the position.
const MARGIN_STAGES: f64 = 2.0;
/// Fraction of the velocities that round-off may reach in a bend which is followed: good enough for a verdict on
/// energies.
const GOOD: f64 = 1e-4;
/// Fraction of the distance to the position that a repeated step covers.
const UP_TO: f64 = 0.9;

/// A pivot, and the motion since it was determined, in sizes of the model or radians.
#[derive(Debug, Clone, Copy)]
struct Known {
    pivot: f64,
    moved: f64,
}
remember!(Known { pivot, moved });

impl Default for Known {
    fn default() -> Known {
        Known { pivot: 1.0, moved: 0.0 }
    }
}

/// Watches steps for singular positions between their ends.
#[derive(Default)]
pub(super) struct BranchWatch {
    /// For the present rows; after these have changed it is created when needed.
    crossing: Option<Crossing>,
    /// The last known pivot, at the start of a step and at its end.
    known: Known,
    end: Known,
    /// The largest of them in the run: an event close to a singular position does not make its pivots usual.
    usual: f64,
    /// What the waiting step leaves unresolved.
    waiting: Option<f64>,
    /// Changes of branch that steps could not resolve.
    pub count: u64,
    /// When the first occurred, s, and by how much the constraints miss the position there, relative to their scales.
    pub first: Option<(f64, f64)>,
}
remember!(BranchWatch { known, usual, count, first } apart from { crossing, end, waiting });

impl BranchWatch {
    /// For a problem. Everything needed later is created now: steps allocate nothing.
    pub fn new<P: Problem>(p: &P) -> BranchWatch {
        let crossing = if p.dims().n_pos > 0 { Crossing::new(p).ok() } else { None };
        BranchWatch { crossing, ..BranchWatch::default() }
    }

    /// Continues from another state, of a problem that may have other rows.
    pub fn restart(&mut self, other: bool) {
        if other {
            self.crossing = None;
        }
        (self.known, self.waiting) = (Known::default(), None);
    }

    /// The waiting step was accepted, from t on.
    pub fn arrive(&mut self, t: f64) {
        self.known = self.end;
        if self.known.pivot < 1.0 {
            self.usual = self.usual.max(self.known.pivot);
        }
        if let Some(level) = self.waiting.take() {
            self.count += 1;
            self.first.get_or_insert((t, level));
        }
    }
}

impl<P: Problem> Driver<P> {
    /// Examines the attempt of length h, which has passed its test. If it changes branches and a shorter one can
    /// resolve this, returns the length of that.
    pub(super) fn watch_branch(&mut self, p: &P, h: f64) -> Option<f64> {
        self.branch.waiting = None;
        let across = self.goes_across(p, h, false)?;
        if across.level == 0.0 {
            return None;
        }
        if self.can_follow(across.level) {
            return Some(UP_TO * across.part.clamp(0.1, 1.0) * h);
        }
        self.branch.waiting = Some(across.level);
        None
    }

    /// The same for an attempt to jump over a singular position: it may if branches really cross there, or if they
    /// cannot be followed.
    pub(super) fn may_jump(&mut self, p: &P, h: f64) -> bool {
        self.branch.waiting = None;
        let level = self.goes_across(p, h, true).map_or(0.0, |a| a.level);
        if level > 0.0 {
            self.branch.waiting = Some(level);
        }
        level == 0.0 || !self.can_follow(level)
    }

    /// Whether an attempt that has failed its test goes across a singular position that is missed by less than steps
    /// can follow: shorter ones would follow round-off.
    pub(super) fn cannot_follow(&mut self, p: &P, h: f64) -> bool {
        self.method.info().can.singular
            && self
                .goes_across(p, h, false)
                .is_some_and(|a| a.level > 0.0 && !self.can_follow(a.level))
    }

    /// Whether steps can follow a bend of constraints that miss a singular position by this much. The pivot there is
    /// about as large, and velocities are off by round-off over the pivot.
    fn can_follow(&self, level: f64) -> bool {
        let allowed = (HOP_ERROR * self.opts.tol.rtol).max(GOOD);
        self.opts.step.is_none() && ROUNDINGS * f64::EPSILON <= allowed * level
    }

    fn goes_across(&mut self, p: &P, h: f64, jump: bool) -> Option<Across> {
        if p.dims().n_pos == 0 {
            return None;
        }
        let moved = h * self.scale.fastest(&self.prev.v).0.max(self.scale.fastest(&self.state.v).0);
        let own = self.method.pivot_is_of_rows();
        let pivot = if own { self.method.weakest_pivot() } else { 1.0 };
        let b = &mut self.branch;
        // before one is known, it counts as 1
        let usual = if b.usual > 0.0 { b.usual } else { 1.0 };
        let staged = own && !self.method.info().stiff;
        let margin = if staged { MARGIN_STAGES } else { MARGIN };
        let near = |k: Known| k.pivot.sqrt() <= margin * k.moved * usual.sqrt();
        let start = Known { moved: b.known.moved + moved, ..b.known };
        // a method that factors nothing returns 1
        b.end = if pivot < 1.0 { Known { pivot, moved } } else { start };
        let look = jump || !staged && near(start) || near(b.end);
        if pivot < 1.0 {
            b.end.moved = 0.0;
        }
        if !look {
            return None;
        }
        if b.crossing.is_none() {
            b.crossing = Crossing::new(p).ok();
        }
        let crossing = b.crossing.as_mut()?;
        let ends = ((&self.state, self.method.start()), (&self.prev, self.method.end()));
        let across = crossing.look(p, &mut self.ws, ends.0, ends.1, jump);
        b.end = Known { pivot: crossing.pivot(), moved: 0.0 };
        // as the method left it
        p.realize_position(self.prev.t, &self.prev.q, &self.prev.z, &mut self.ws);
        p.realize_velocity(&self.prev.v, &self.prev.z, &mut self.ws);
        across
    }
}
