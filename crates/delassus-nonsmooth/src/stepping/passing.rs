//! New points that the bodies pass instead of hitting.
//!
//! Where two floors of one level meet, a body that slides over the seam may be deeper than the level by round-off, or
//! by the allowed penetration: its corner then faces the side of the second floor, a step of no height. And the gap of
//! two corners that pass each other, one a little above the other, is far from linear within a step. Neither is a hit.
//!
//! So a new point that the linear gap closes is examined where the bodies would be at the end of the step: moved on
//! with the forces of the last step, then with one of its two bodies lifted by
//! [`super::StepperSettings::large_penetration`] off its support. If the shapes do not meet there in this direction,
//! although the linear gap is still closed, the point is left out. A body that rests on nothing is not lifted, and its
//! points are not examined.

use super::points::{Points, StepTimes};
use super::{Stepper, StepperError};
use delassus_dae::{ContactPoint, PointLaw, Unilateral};
use delassus_linalg::MassShape;

/// Fraction of the smaller shape that a point may approach within a step and still be examined: deeper inside nothing
/// is detected.
const SHALLOW: f64 = 0.1;
/// Cosine between normals of the same direction.
const ALIKE: f64 = 0.5;
/// Bodies are lifted in at most this many groups, each with one evaluation.
const ROUNDS: usize = 4;
/// Number of sweeps over the points on which a body rests, and the remainder of the lift that they may leave.
const SWEEPS: usize = 20;
const LIFTED: f64 = 1e-2;

/// The role of a body in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Free,
    /// It is lifted.
    Lifted,
    /// It stays, because another one is lifted off it.
    Stays,
}

/// A new point that the linear gap closes.
#[derive(Debug, Clone, Copy)]
struct Suspect {
    /// Index among the points.
    i: usize,
    /// Its bodies that move, and whether they were lifted.
    bodies: [Option<usize>; 2],
    tried: [bool; 2],
    /// One of them is lifted in this round.
    now: bool,
    passes: bool,
}

/// Buffers.
pub(super) struct Passing {
    /// Body of each velocity coordinate.
    body_of: Vec<usize>,
    suspects: Vec<Suspect>,
    roles: Vec<Role>,
    /// A closed point bears the body.
    rests: Vec<bool>,
    /// Change of the velocity by the impulses of the last step.
    dv: Vec<f64>,
    x: Vec<f64>,
    q: Vec<f64>,
    scratch: ContactPoint,
}

impl Passing {
    pub fn new(blocks: &MassShape, nv: usize, nq: usize) -> Passing {
        let mut body_of = vec![0; nv];
        for (k, body) in blocks.first_of_body().into_iter().enumerate() {
            body_of[blocks.dof(k)..blocks.dof(k) + blocks.sizes()[k]].fill(body);
        }
        Passing {
            body_of,
            suspects: Vec::new(),
            roles: vec![Role::Free; blocks.count()],
            rests: vec![false; blocks.count()],
            dv: vec![0.0; nv],
            x: vec![0.0; nv],
            q: vec![0.0; nq],
            scratch: ContactPoint::default(),
        }
    }

    /// Finds the points to examine, on bodies that rest on others.
    fn suspect<P: Unilateral>(&mut self, p: &P, points: &Points, frame: StepTimes) {
        self.suspects.clear();
        self.rests.fill(false);
        for c in &points.pool[..points.n] {
            if matches!(c.law, PointLaw::Contact { .. }) && c.impulse[0] > 0.0 {
                c.at.cols.iter().for_each(|j| self.rests[self.body_of[*j]] = true);
            }
        }
        for (i, (c, e)) in points.pool.iter().zip(&points.entries).take(points.n).enumerate() {
            let closes = e.reach + frame.travel * e.end[0] <= 0.0;
            let is_new = matches!(c.law, PointLaw::Contact { .. }) && c.impulse[0] == 0.0;
            if !(is_new && closes && c.before[0] < 0.0 && p.can_pass(c.id)) {
                continue;
            }
            let mut bodies = [None, None];
            if let (Some(first), Some(last)) = (c.at.cols.first(), c.at.cols.last()) {
                let [a, b] = [self.body_of[*first], self.body_of[*last]];
                bodies[0] = Some(a).filter(|a| self.rests[*a]);
                bodies[1] = Some(b).filter(|b| *b != a && self.rests[*b]);
            }
            if bodies != [None, None] && -c.before[0] * frame.h <= SHALLOW * p.finest(c.id) {
                let [a, b] = bodies;
                let tried = [a.is_none(), b.is_none()];
                self.suspects.push(Suspect { i, bodies, tried, now: false, passes: false });
            }
        }
    }

    /// Chooses bodies to lift, none of them off another one that is lifted; false if none is left.
    fn choose(&mut self) -> bool {
        self.roles.fill(Role::Free);
        let mut any = false;
        for s in &mut self.suspects {
            s.now = false;
            for k in 0..2 {
                let (Some(body), false, false, false) = (s.bodies[k], s.tried[k], s.passes, s.now)
                else {
                    continue;
                };
                let other = s.bodies[1 - k];
                let stays = self.roles[body] == Role::Stays;
                if stays || other.is_some_and(|o| self.roles[o] == Role::Lifted) {
                    continue;
                }
                self.roles[body] = Role::Lifted;
                if let Some(o) = other {
                    self.roles[o] = Role::Stays;
                }
                s.tried[k] = true;
                s.now = true;
                any = true;
            }
        }
        any
    }

    /// Lifts the chosen bodies in `x` until all points on which they rest are open by `height`.
    fn lift(&mut self, points: &Points, scale: &[f64], height: f64) {
        for _ in 0..SWEEPS {
            let mut low = 0.0f64;
            for (i, c) in points.pool[..points.n].iter().enumerate() {
                let rests = matches!(c.law, PointLaw::Contact { .. }) && c.at.gap <= height;
                let lifted = |j: &usize| self.roles[self.body_of[*j]] == Role::Lifted;
                if !rests
                    || !c.at.cols.iter().any(lifted)
                    || self.suspects.binary_search_by_key(&i, |s| s.i).is_ok()
                {
                    continue;
                }
                let missing = height - (c.at.gap + c.at.row_dot(0, &self.x));
                if missing <= LIFTED * height {
                    continue;
                }
                low = low.max(missing);
                let size = |j: usize| if lifted(&j) { scale[j] * scale[j] } else { 0.0 };
                let row = c.at.cols.iter().zip(&c.at.rows[0]);
                let sum: f64 = row.clone().map(|(j, h)| h * h * size(*j)).sum();
                if sum > 0.0 {
                    for (j, h) in row {
                        self.x[*j] += missing / sum * size(*j) * h;
                    }
                }
            }
            if low == 0.0 {
                break;
            }
        }
    }

    /// Whether the shapes of a point meet in its direction at the realised place.
    fn meets<P: Unilateral>(&mut self, p: &P, ws: &P::Ws, points: &Points, i: usize) -> bool {
        let c = &points.pool[i];
        let first = points.ids.partition_point(|id| id.pair < c.id.pair);
        let own = points.ids[first..].iter().take_while(|id| id.pair == c.id.pair);
        own.into_iter().any(|id| {
            let at = &mut self.scratch;
            p.position(ws, *id, false, None, at)
                && at.gap < 0.0
                && at.normal.iter().zip(&c.at.normal).map(|(a, b)| a * b).sum::<f64>() > ALIKE
        })
    }
}

impl<P: Unilateral> Stepper<P> {
    /// Leaves out new points that are passed. The place of the step is realised, before and after.
    pub(super) fn leave_out_passed(&mut self, p: &P, frame: StepTimes) -> Result<(), StepperError> {
        self.passing.suspect(p, &self.points, frame);
        if self.passing.suspects.is_empty() {
            return Ok(());
        }
        let height = self.settings.large_penetration * self.length;
        self.f.fill(0.0);
        for (c, e) in self.points.pool.iter().zip(&self.points.entries).take(self.points.n) {
            if e.carries {
                for k in 0..e.rows {
                    c.at.add_row(k, c.impulse[k], &mut self.f);
                }
            }
        }
        self.op.respond(&self.f, &mut self.passing.dv, &mut self.lambda_points)?;
        // shapes that do not even meet without a lift need none; the lift may exceed the gap that closes
        for round in 0..=ROUNDS {
            let lifts = round > 0;
            if lifts && !self.passing.choose() {
                break;
            }
            let m = &mut self.passing;
            for (i, x) in m.x.iter_mut().enumerate() {
                *x = frame.travel * (self.v[i] + self.dv[i] + m.dv[i]);
            }
            if lifts {
                m.lift(&self.points, &self.q_scale, height);
            }
            p.manifold().retract(&self.q, &m.x, &mut m.q);
            p.realize_position(self.t + frame.travel, &m.q, &self.z, &mut self.ws);
            for k in 0..m.suspects.len() {
                let s = m.suspects[k];
                let at = &self.points.pool[s.i].at;
                let closes = at.gap + at.row_dot(0, &m.x) < 0.0;
                let looked = s.now || !lifts;
                m.suspects[k].passes =
                    s.passes || (looked && closes && !m.meets(p, &self.ws, &self.points, s.i));
            }
        }
        p.realize_position(self.t, &self.q, &self.z, &mut self.ws);
        p.realize_velocity(&self.v, &self.z, &mut self.ws);
        let mut passed = self.passing.suspects.iter().filter(|s| s.passes).map(|s| s.i).peekable();
        self.points.retain(|i, _, _| passed.next_if_eq(&i).is_none());
        Ok(())
    }
}
