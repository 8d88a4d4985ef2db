//! Points that hit in turn, ever sooner: a hinge between two stops that moves into its corner.
//!
//! Each impact at one point throws the body against the other. Where gaps close faster than speeds fall, the time of
//! the whole sequence is used up while the points are still fast, and neither steps nor further events can follow it.
//! But then nothing else happens in that time either: positions and forces are practically constant, and the sequence
//! consists of impacts only, point by point until none approaches, at one instant.

use super::event_driven::{EventDriven, Halt};
use super::jump::Jump;
use delassus_dae::{PointId, State, Unilateral};
use delassus_math::largest;
use delassus_nonsmooth::release::evaluate;

/// Relative change of the speeds by forces in the rest of the sequence below which forces play no part in it.
const NONE: f64 = 1e-6;
/// The same, below which they will soon play none. A ball that bounces under its weight has about 1.
const LITTLE: f64 = 1e-2;

impl<P: Unilateral + 'static> EventDriven<P> {
    /// If the accumulation of a point is one of several points in turn: ends it here, with all of them touching from
    /// now on, or lets it continue. Returns the points whose bounces are over; `None` if it is something else. The
    /// sample is realised at the state after the last impact.
    pub(super) fn ends_in_turn(
        &mut self,
        s: &mut State,
        touching: &mut Vec<(PointId, [u32; 2])>,
        rest: f64,
        point: PointId,
    ) -> Result<Option<Vec<PointId>>, Halt> {
        let Some(since) = self.history.get(&point).and_then(|b| b.times.iter().rev().nth(1)) else {
            return Ok(None);
        };
        let between = |t: Option<&f64>| t.is_some_and(|t| t > since && *t <= s.t);
        let mut all: Vec<(PointId, [u32; 2])> = { self.history.iter() }
            .filter(|(_, b)| between(b.times.last()))
            .map(|(id, b)| (*id, b.features))
            .collect();
        if all.len() < 2 {
            return Ok(None);
        }
        let turns = evaluate(&*self.base, &self.ws, all.iter().copied());
        let a = &self.driver.derived().a;
        let [speed, change] = [0, 1].map(|what| {
            largest(turns.iter().map(|(id, p)| {
                let x = if what == 0 { p.rate[0] } else { p.row_dot(0, a) + p.bias[0] };
                x.abs() / self.base.gap_per_metre(*id)
            }))
        });
        if !(change * rest <= LITTLE * speed) {
            return Ok(None);
        }
        if change * rest > NONE * speed {
            return Ok(Some(Vec::new()));
        }
        touching.append(&mut all);
        touching.sort_by_key(|x| x.0);
        touching.dedup_by_key(|x| x.0);
        let mut points = evaluate(&*self.base, &self.ws, touching.iter().copied());
        self.keep_groups_that_meet(&mut points, &s.v);
        let ids: Vec<PointId> = points.iter().map(|p| p.0).collect();
        let (Jump::Over(_) | Jump::Accumulates { .. }) = self.jump(s, points, true)?;
        self.history.retain(|id, _| !ids.contains(id));
        Ok(Some(ids))
    }
}
