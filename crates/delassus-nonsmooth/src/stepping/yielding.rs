//! Compliant contact in a step: forces that are treated implicitly, in all methods alike.
//!
//! Without them a step changes the velocity by Δv₀, with S Δv₀ = …. They add y, together with the impulses P of rigid points:
//!
//! ```text
//! S y = h F̄(Δv₀ + y) + Gᵀ Λ + Hᵀ P
//! (S + T) y⁺ = h F̄ + T y + Gᵀ Λ + Hᵀ P,     T = θ h C + θ² h² K of the forces F̄ at y
//! ```
//!
//! F̄ is the mean force along the path of the step (`mean_press.rs`), at q_c ∘ exp((2θ−1) h v₀ + θ² h Δv) and v₀ + θ
//! Δv, which is where each method evaluates its forces. So Newton's method encloses the contact problem, and neither
//! knows the other.
//!
//! The approach speed is that of the moment at which the gap closes, along the motion without the contact; points that
//! touch only because others push them are found where the iteration ends, and take part from then on.

use super::mean_press::{mean_friction, mean_press};
use super::points::{PairDepth, Rule, StepTimes};
use super::settle::PressedStep;
use super::{StepReport, Stepper, StepperError};
use crate::pressed::{PointTangent, Pressed, follow, lost_by_change};
use crate::pressed_friction::{Slopes, add_friction};
use delassus_dae::{
    ContactPoint, Dims, Onset, PointId, Press, SlipForce, State, StepFailure, Unilateral,
};
use delassus_math::remember;

/// Number of iterations. Where a long step meets a stiff contact each removes two fifths of the depth.
const MAX_ITERATIONS: usize = 80;
/// Change of the velocity, relative to the fastest, that ends the iteration.
const CONVERGED: f64 = 1e-11;
/// The same if it no longer decreases: the contact problem has a tolerance of its own.
const STALLED: f64 = 1e-8;
/// Number of iterations after the first cycle that use secants instead of tangents of friction, which converge surely
/// but slowly; as many again after each further one.
const CAREFUL: u32 = 4;
/// Number of iterations in which it is decided which rigid points are hit: a point that is hit because compliant
/// contacts push, and whose bounce removes them, would alternate.
const DECIDES: usize = 4;
/// Relative change above which an iteration that turns back goes in cycles and is damped.
const CIRCLES: f64 = 0.7;

/// A pressed point at the end of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Kept {
    pub point: Pressed,
    /// Gap, m, and its rate, m/s.
    pub gap: f64,
    pub rate: f64,
    /// Where it acts, m.
    pub place: [f64; 3],
    /// First tangent and normal, for bristles.
    pub frame: [[f64; 3]; 2],
}
remember!(Kept { point, gap, rate, place, frame });

/// A point that may act in the present step.
pub(super) struct Trial {
    pub point: Pressed,
    pub at: ContactPoint,
    /// Gap and rate where the step began, and whether the point was pressed there.
    pub start: [f64; 2],
    pub known: bool,
    /// It takes over from another point of its pair, which came apart.
    pub takes_over: bool,
    /// When it touches, after the start of the step, and how fast.
    pub touches: (f64, f64),
    pub press: Press,
    pub slip_force: SlipForce,
    /// Bristles at the start of the step, and at its end.
    pub z: [[f64; 2]; 2],
    /// Energy lost where its features changed, J.
    pub left: f64,
}

/// Compliant contacts of a run.
pub(super) struct Yielding {
    pub kept: Vec<Kept>,
    /// The points of `kept`.
    pub pressed: Vec<Pressed>,
    /// Their pairs, and those that came apart in the last step.
    pub pairs: Vec<PairDepth>,
    /// What they did in the last step.
    pub steps: Vec<PressedStep>,
    // the step at hand
    pub trials: Vec<Trial>,
    pub n: usize,
    pub times: Option<StepTimes>,
    free: Vec<f64>,
    y: Vec<f64>,
    y_next: Vec<f64>,
    /// Last change of y, m/s.
    step: Vec<f64>,
    load: Vec<f64>,
    v: Vec<f64>,
    q: Vec<f64>,
    lambda: Vec<f64>,
    pub at: ContactPoint,
    slopes: Slopes,
}
remember!(Yielding { kept, pressed, pairs } apart from {
    steps, trials, n, times, free, y, y_next, step, load, v, q, lambda, at, slopes,
});

impl Yielding {
    pub fn new(d: Dims) -> Yielding {
        let nv = || vec![0.0; d.nv];
        Yielding {
            kept: Vec::new(),
            pressed: Vec::new(),
            pairs: Vec::new(),
            steps: Vec::new(),
            trials: Vec::new(),
            n: 0,
            times: None,
            free: nv(),
            y: nv(),
            y_next: nv(),
            step: nv(),
            load: nv(),
            v: nv(),
            q: vec![0.0; d.nq],
            lambda: vec![0.0; d.n_vel],
            at: ContactPoint::default(),
            slopes: Slopes::default(),
        }
    }

    /// Nothing is pressed.
    pub fn forget(&mut self) {
        self.kept.clear();
        self.pressed.clear();
        self.pairs.clear();
        self.steps.clear();
        self.n = 0;
    }

    /// The pressed points, and how deep they are.
    pub fn known(&self) -> (&[Pressed], &[PairDepth]) {
        (&self.pressed, &self.pairs)
    }

    pub fn has(&self, id: PointId) -> bool {
        self.trials[..self.n].iter().any(|t| t.point.id == id)
    }

    /// Adds a point to those that may act; the place of the step is realised in `at`.
    fn push(&mut self, point: Pressed, at: &ContactPoint, start: [f64; 2], known: bool) {
        if self.n == self.trials.len() {
            self.trials.push(Trial {
                point,
                at: ContactPoint::default(),
                start,
                known,
                takes_over: false,
                touches: (0.0, 0.0),
                press: Press::default(),
                slip_force: SlipForce::default(),
                z: [[0.0; 2]; 2],
                left: 0.0,
            });
        }
        let trial = &mut self.trials[self.n];
        trial.point = Pressed { features: at.features, ..point };
        trial.at.clone_from(at);
        (trial.start, trial.known, trial.touches) = (start, known, (0.0, start[1]));
        trial.z = [[0.0; 2]; 2];
        (trial.takes_over, trial.left) = (false, 0.0);
        self.n += 1;
    }
}

/// Tangent and normal in ground components.
pub(super) fn frame(at: &ContactPoint) -> [[f64; 3]; 2] {
    [at.tangent, at.normal]
}

/// Transforms components z from one frame to another.
fn turned(z: [f64; 2], from: &[[f64; 3]; 2], to: &[[f64; 3]; 2]) -> [f64; 2] {
    let second = |[t, n]: &[[f64; 3]; 2]| {
        let across = |i: usize, j: usize| n[i] * t[j] - n[j] * t[i];
        [across(1, 2), across(2, 0), across(0, 1)]
    };
    let (a, b) = (second(from), second(to));
    let bend: [f64; 3] = std::array::from_fn(|k| z[0] * from[0][k] + z[1] * a[k]);
    let dot = |t: &[f64; 3]| bend.iter().zip(t).map(|(x, y)| x * y).sum::<f64>();
    [dot(&to[0]), dot(&b)]
}

/// Bristles of a point turned by its tangents within a time.
fn turn(z: [f64; 2], turning: f64, time: f64) -> [f64; 2] {
    let angle = turning * time;
    [z[0] + angle * z[1], z[1] - angle * z[0]]
}

/// Slope of friction from rest to a sliding velocity, the same in all directions.
fn secant(at: &SlipForce, rest: &SlipForce, slip: [f64; 2]) -> [[f64; 2]; 2] {
    let speed = slip[0].hypot(slip[1]);
    if speed == 0.0 {
        return at.by_slip;
    }
    let rise = (at.force[0] - rest.force[0]).hypot(at.force[1] - rest.force[1]);
    [[-rise / speed, 0.0], [0.0, -rise / speed]]
}

/// When a gap closes that is g at first and has the rate u + a τ, within h, and how fast then.
fn closes(g: f64, u: f64, a: f64, h: f64) -> Option<(f64, f64)> {
    if g <= 0.0 {
        return Some((0.0, u));
    }
    // of g + u τ + ½ a τ² the first root, without cancellation
    let square = u * u - 2.0 * a * g;
    if square < 0.0 {
        return None;
    }
    let sum = -u + square.sqrt();
    let first = if u < 0.0 {
        2.0 * g / sum
    } else if a < 0.0 {
        (-u - square.sqrt()) / a
    } else {
        return None;
    };
    (first <= h).then_some((first, u + a * first))
}

impl<P: Unilateral> Stepper<P> {
    /// Points of compliant contact that are pressed, with their latched values.
    pub fn pressed(&self) -> &[Pressed] {
        &self.yielding.pressed
    }

    /// What points of compliant contact did in the last step; in order of its parts, if it was halved.
    pub fn presses(&self) -> &[PressedStep] {
        &self.yielding.steps
    }

    /// Continues with contacts that began before, from the state of the last start.
    pub fn press(&mut self, p: &P, s: &State, pressed: &[Pressed]) {
        self.yielding.forget();
        p.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        p.realize_velocity(&s.v, &s.z, &mut self.ws);
        let mut at = ContactPoint::default();
        for point in pressed {
            if follow(p, &self.ws, point.id, point.features, &mut at) {
                let point = Pressed { features: at.features, ..*point };
                let (gap, rate, place) = (at.gap, at.rate[0], at.at);
                let kept = Kept { point, gap, rate, place, frame: frame(&at) };
                self.yielding.kept.push(kept);
            }
        }
        self.yielding.kept.sort_by_key(|k| k.point.id);
        let Yielding { kept, pressed, pairs, .. } = &mut self.yielding;
        for k in kept {
            pressed.push(k.point);
            PairDepth::add(pairs, k.point.id, (-k.gap).max(0.0), k.point.onset.speed);
        }
    }

    /// Accelerations by compliant contacts at the realised place, whose points are collected, into `a`: with the
    /// deflection of the bristles after the time h, because their effect before they slip is not a lasting
    /// acceleration.
    pub(super) fn accelerate_pressed(&mut self, p: &P, h: f64) -> Result<(), StepperError> {
        self.yielding.load.fill(0.0);
        for k in 0..self.points.n_soft {
            let (id, at) = self.points.soft[k].clone();
            if at.gap >= 0.0 {
                continue;
            }
            let point = match self.yielding.pressed.binary_search_by_key(&id, |a| a.id) {
                Ok(k) => self.yielding.pressed[k],
                Err(_) => {
                    let onset = self.latch(p, id, &at, -at.rate[0])?;
                    Pressed { id, features: at.features, onset, slack: false }
                }
            };
            let (force, load) = (point.press(p, &at).force, &mut self.yielding.load);
            at.add_row(0, force, load);
            if let Some(friction) = p.pressed_friction(id).filter(|_| force > 0.0) {
                let (law, slip, bent) =
                    (friction.law, friction.slip(&at), friction.deflection(&self.z));
                let bent = mean_friction(law, force, slip, bent, h).1;
                add_friction(&at, &law.slip_force(force, slip, bent), load);
            }
        }
        self.op.acc.factor_realized(p, &self.ws)?;
        self.op.acc.respond(&self.yielding.load, &mut self.a, &mut self.yielding.lambda)?;
        Ok(())
    }

    /// Chooses what may act within the step: pressed points, and points that close by the motion without it. True if
    /// there is something. The place is realised, its points are collected.
    pub(super) fn choose_yielding(
        &mut self,
        p: &P,
        times: StepTimes,
    ) -> Result<bool, StepperError> {
        self.yielding.n = 0;
        self.yielding.times = None;
        if self.points.n_soft == 0 {
            return Ok(false);
        }
        let any_new = self.points.soft[..self.points.n_soft]
            .iter()
            .any(|(id, _)| self.yielding.pressed.binary_search_by_key(id, |a| a.id).is_err());
        // a point that bears a load continues to do so
        self.xi.copy_from_slice(&self.dv);
        if any_new && self.carried.iter().any(|f| *f != 0.0) {
            self.f.iter_mut().zip(&self.carried).for_each(|(f, c)| *f = times.acts * c);
            self.op.respond(&self.f, &mut self.dv_points, &mut self.lambda_points)?;
            self.xi.iter_mut().zip(&self.dv_points).for_each(|(x, d)| *x += d);
        }
        self.admit(p, times)?;
        Ok(self.yielding.n > 0)
    }

    /// Adds the points that are pressed, or close where the velocity changes by `xi` over the step.
    fn admit(&mut self, p: &P, times: StepTimes) -> Result<bool, StepperError> {
        let before = self.yielding.n;
        for k in 0..self.points.n_soft {
            let (id, at) = &self.points.soft[k];
            if self.yielding.has(*id) {
                continue;
            }
            let known = self.yielding.kept.binary_search_by_key(id, |k| k.point.id);
            if let Ok(i) = known {
                let Kept { point, gap, rate, frame: old, .. } = self.yielding.kept[i];
                let scratch = &mut self.yielding.at;
                let left = lost_by_change(p, &self.ws, &point, at, scratch);
                self.yielding.push(point, at, [gap, rate], true);
                let trial = &mut self.yielding.trials[self.yielding.n - 1];
                trial.left = left;
                if let Some(friction) = p.pressed_friction(*id) {
                    // bristles have no rate of their own: they are those of the start of the step
                    let bent = friction.deflection(&self.z);
                    let same = point.features == at.features || friction.directions < 2;
                    trial.z[0] = if same { bent } else { turned(bent, &old, &frame(at)) };
                }
                continue;
            }
            let (rate, bias) = (at.rate[0], at.bias[0]);
            let slope = (at.row_dot(0, &self.xi) + (times.since_start + times.until_end) * bias)
                / (times.since_start + times.until_end);
            // rates at the start of the step; those of the place are of the velocity the step is posed with
            let first = rate - times.since_start * bias + (times.since_start - times.back) * slope;
            let gap = at.gap - times.back * (rate - 0.5 * times.back * bias);
            let Some(touches) = closes(gap, first, slope, times.h) else { continue };
            let point = Pressed { id: *id, features: at.features, ..Pressed::default() };
            let at = at.clone();
            // one that begins inside takes over from another of its pair, with its approach speed
            let taken = PairDepth::of(&self.yielding.pairs, *id).filter(|_| gap < 0.0);
            let takes_over = taken.is_some();
            let speed = taken.map_or(-touches.1, |other| other.speed);
            let onset = self.latch(p, point.id, &at, speed)?;
            self.yielding.push(Pressed { onset, ..point }, &at, [gap, first], false);
            let bent = if takes_over { self.bend_of_pair(p, point.id, &at) } else { [0.0; 2] };
            let trial = &mut self.yielding.trials[self.yielding.n - 1];
            (trial.touches, trial.takes_over, trial.z[0]) = (touches, takes_over, bent);
        }
        self.yielding.trials[..self.yielding.n].sort_unstable_by_key(|t| t.point.id);
        Ok(self.yielding.n > before)
    }

    /// Bristles of the deepest point of a pair at the start of the step, along the tangents of one that takes over from
    /// it.
    fn bend_of_pair(&self, p: &P, id: PointId, at: &ContactPoint) -> [f64; 2] {
        let own = self.yielding.kept.iter().filter(|k| k.point.id.pair == id.pair);
        let deepest = own.min_by(|a, b| a.gap.total_cmp(&b.gap));
        let bent = deepest.and_then(|k| {
            let friction = p.pressed_friction(k.point.id)?;
            Some(turned(friction.deflection(&self.z), &k.frame, &frame(at)))
        });
        bent.unwrap_or_default()
    }

    /// The latched values of a contact that begins with this speed.
    fn latch(
        &mut self,
        p: &P,
        id: PointId,
        at: &ContactPoint,
        speed: f64,
    ) -> Result<Onset, StepperError> {
        let least = p.compliance(id).map_or(0.0, |c| c.least_speed);
        self.op.acc.factor_realized(p, &self.ws)?;
        self.f.fill(0.0);
        at.add_row(0, 1.0, &mut self.f);
        let (x, l) = (&mut self.yielding.y_next, &mut self.yielding.lambda);
        self.op.acc.respond(&self.f, x, l)?;
        let w = at.row_dot(0, x);
        Ok(Onset {
            speed: speed.max(least),
            stiffness: p.stiffness(id, at.features),
            mass: if w > 0.0 { 1.0 / w } else { 0.0 },
        })
    }

    /// Finds the forces of compliant contacts and the impulses of rigid ones. Afterwards `dv` is the change of the
    /// velocity by everything but rigid points, and `lambda_points` has the share of joints in both.
    pub(super) fn resolve_yielding(
        &mut self,
        p: &P,
        times: StepTimes,
        rule: Rule,
    ) -> Result<StepReport, StepperError> {
        let nv = self.dims.nv;
        self.yielding.times = Some(times);
        self.yielding.free.copy_from_slice(&self.dv);
        self.yielding.y.fill(0.0);
        self.yielding.step.fill(0.0);
        let size = self.speed(&self.v).max(self.speed(&self.dv)).max(1e-6 * self.length / times.h);
        let (mut last, mut share) = (f64::INFINITY, 1.0f64);
        let (mut careful, mut patience) = (0u32, CAREFUL);
        for iteration in 0.. {
            self.bind()?;
            self.evaluate_yielding(p, times, careful > 0);
            p.realize_position(self.t, &self.q, &self.z, &mut self.ws);
            p.realize_velocity(&self.v, &self.z, &mut self.ws);
            self.op.prepare_pressed(p, &self.ws)?;
            self.rows.fill(0.0);
            let own = &mut self.yielding;
            self.op.solve(&own.load, &self.rows, &mut own.y_next, &mut own.lambda)?;
            for i in 0..nv {
                self.dv[i] = own.free[i] + own.y_next[i];
            }
            if iteration > 0 {
                self.collect_points(p, times)?;
            }
            if iteration == DECIDES {
                self.points.keep_hits();
            }
            let report = self.resolve_rigid(p, times, rule)?;
            let own = &mut self.yielding;
            let (mut change, mut back) = (0.0f64, 0.0);
            for i in 0..nv {
                own.y_next[i] += self.dv_points[i];
                let scale = self.length / self.q_scale[i];
                let step = scale * (own.y_next[i] - own.y[i]);
                change = change.max(step.abs());
                back += step * own.step[i];
                own.step[i] = step;
            }
            let done = change <= CONVERGED * size
                || (change <= STALLED * size && change > 0.5 * last && share == 1.0);
            if done {
                for i in 0..nv {
                    self.xi[i] = own.free[i] + own.y_next[i];
                }
                // points that the forces of others brought into contact
                if !self.admit(p, times)? {
                    let own = &self.yielding;
                    for (l, more) in self.lambda_points.iter_mut().zip(&own.lambda) {
                        *l += more;
                    }
                    return Ok(report);
                }
                last = f64::INFINITY;
                continue;
            }
            if iteration >= MAX_ITERATIONS || !change.is_finite() {
                let failed = StepFailure::NewtonDiverged {
                    iterations: iteration,
                    increment: change / size,
                    worst: 0,
                };
                return Err(failed.into());
            }
            let own = &mut self.yielding;
            let circles = back < 0.0 && change > CIRCLES * last;
            share = if circles { 0.5 * share } else { (2.0 * share).min(1.0) };
            // saturating friction throws Newton from one side of rest to the other
            careful = careful.saturating_sub(1);
            if circles && careful == 0 {
                (careful, patience) = (patience, 2 * patience);
            }
            for (y, next) in own.y.iter_mut().zip(&own.y_next) {
                *y += share * (next - *y);
            }
            last = change;
        }
        Ok(StepReport::default())
    }

    /// Connects bodies that are pressed against each other.
    fn bind(&mut self) -> Result<(), StepperError> {
        let (cols, ends) = &mut self.points.bonds;
        cols.clear();
        ends.clear();
        for t in &self.yielding.trials[..self.yielding.n] {
            cols.extend_from_slice(&t.at.cols);
            ends.push(cols.len());
        }
        Ok(self.op.widen(&self.points.bonds)?)
    }

    /// Forces of compliant points where the velocity changes by what was found so far, their tangents, and the
    /// right-hand side h F̄ + T y. If `careful`, the tangents of friction are secants from rest.
    fn evaluate_yielding(&mut self, p: &P, times: StepTimes, careful: bool) {
        let Stepper { yielding: own, op, ws, v, q, z, xi, .. } = self;
        let (h, theta) = (times.acts, times.theta);
        for i in 0..v.len() {
            let dv = own.free[i] + own.y[i];
            xi[i] = (2.0 * theta - 1.0) * h * v[i] + theta * theta * h * dv;
            own.v[i] = v[i] + theta * dv;
        }
        p.manifold().retract(q, xi, &mut own.q);
        p.realize_position(times.at(self.t), &own.q, z, ws);
        p.realize_velocity(&own.v, z, ws);
        own.load.fill(0.0);
        let window = [-theta * h, (1.0 - theta) * h];
        for t in &mut own.trials[..own.n] {
            let Trial { point, at, press, slip_force, z, .. } = t;
            p.position(ws, point.id, true, Some(point.features), at);
            p.rates(ws, point.id, at);
            let Some(c) = p.compliance(point.id) else { continue };
            *press = mean_press(&*c.law, &point.onset, -at.gap, -at.rate[0], window);
            at.add_row(0, h * press.force, &mut own.load);
            *slip_force = SlipForce::default();
            z[1] = [0.0; 2];
            let Some(friction) = p.pressed_friction(point.id) else { continue };
            if press.force > 0.0 {
                let bent = turn(z[0], at.turning, 0.5 * h);
                let slip = friction.slip(at);
                let (mean, end) = mean_friction(friction.law, press.force, slip, bent, h);
                *slip_force = mean;
                if careful {
                    let rest = mean_friction(friction.law, press.force, [0.0; 2], bent, h).0;
                    slip_force.by_slip = secant(&mean, &rest, slip);
                }
                z[1] = turn(end, at.turning, 0.5 * h);
                for (i, force) in mean.force.iter().enumerate().take(friction.directions) {
                    at.add_row(1 + i, h * force, &mut own.load);
                }
            }
        }
        let Yielding { trials, n, load, v, y, slopes, .. } = own;
        let by = [theta * theta * h * h, theta * h];
        op.press(y, load, |pattern, values| {
            for t in trials[..*n].iter().filter(|t| t.press != Press::default()) {
                let Trial { point, at, press, slip_force, .. } = t;
                let tangent = PointTangent { id: point.id, at, press, slip_force, v };
                tangent.add(p, ws, by, pattern, slopes, values);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_closes_where_its_parabola_does() {
        let at = |g: f64, u: f64, a: f64, t: f64| g + u * t + 0.5 * a * t * t;
        for (g, u, a) in [(0.1, -1.0, -9.81), (0.1, -1.0, 0.0), (0.1, -1.0, 4.0), (0.1, 0.5, -9.81)]
        {
            let (t, rate) = closes(g, u, a, 1.0).unwrap();
            assert!(at(g, u, a, t).abs() < 1e-14 && (rate - (u + a * t)).abs() < 1e-14);
            assert!(rate < 0.0 && closes(g, u, a, 0.9 * t).is_none());
        }
        assert!(closes(0.1, -1.0, 6.0, 1.0).is_none() && closes(0.1, 1.0, 0.0, 1.0).is_none());
        assert_eq!(closes(-0.1, 2.0, 0.0, 1.0), Some((0.0, 2.0)));
    }

    #[test]
    fn bristles_keep_their_bend_in_another_frame() {
        let one = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let other = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(turned([0.2, 0.5], &one, &other), [0.5, -0.2]);
    }
}
