//! The stepping loop: attempt, control, commit. Knows no mechanics and keeps no results.

use crate::error::{SimError, SimErrorKind};
use crate::stiffness::StiffnessMonitor;
use delassus_dae::integrator::METHODS;
use delassus_dae::{
    Derived, ErrorScale, Integrator, Problem, State, StepControl, StepFailure, Tolerances,
};

/// How to step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriverOptions {
    /// Accuracy of adaptive steps.
    pub tol: Tolerances,
    /// Fixed step, s; adaptive when `None`.
    pub step: Option<f64>,
    /// Largest adaptive step, s.
    pub max_step: f64,
    /// Largest number of accepted steps.
    pub max_steps: u64,
    /// End time, s.
    pub t_end: f64,
}

/// What an accepted step looks like.
#[derive(Debug, Clone, Copy)]
pub struct StepView<'a> {
    /// State before.
    pub from: &'a State,
    /// Accelerations and multipliers before.
    pub d0: &'a Derived,
    /// State after.
    pub to: &'a State,
    /// Accelerations and multipliers after.
    pub d1: &'a Derived,
}

/// Result of [`Driver::advance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stepped {
    /// One step was made.
    Step,
    /// The end was reached before; nothing was done.
    Finished,
}

/// An attempt that passed the error test and waits for [`Driver::commit`].
#[derive(Debug, Clone, Copy)]
struct Pending {
    /// The time to land on, where it is known better than as a sum.
    exact_time: Option<f64>,
    /// It ends a fixed step.
    ends_fixed: bool,
}

/// Counts of rejected attempts by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rejections {
    /// The error test failed.
    pub error: u64,
    /// Newton or a projection did not converge, or a matrix was singular.
    pub convergence: u64,
    /// Something was not finite.
    pub non_finite: u64,
}

impl Rejections {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.error + self.convergence + self.non_finite
    }
}

/// Steps a problem from a consistent state to an end time.
pub struct Driver<P: Problem> {
    method: Box<dyn Integrator<P>>,
    /// Scratch of the problem.
    pub ws: P::Ws,
    state: State,
    prev: State,
    d_prev: Derived,
    opts: DriverOptions,
    scale: ErrorScale,
    control: StepControl,
    t0: f64,
    h: f64,
    /// The last accepted step that met no singular position.
    cruise: f64,
    n_fixed: u64,
    per_unit_step: bool,
    holds_step: bool,
    stiffness: StiffnessMonitor,
    pending: Option<Pending>,
    /// Longest adaptive step at present, s.
    limit: f64,
    /// Work of methods that were replaced.
    spent: delassus_dae::Work,
    last_failure: Option<StepFailure>,
    worst: Vec<usize>,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejections: Rejections,
    /// Jumps over singular positions.
    pub hops: u64,
}

/// A step this much shorter than the span cannot lead to the end.
const MIN_STEP: f64 = 1e-14;
/// Steps shorter than this part of the characteristic time are judged per step: round-off in
/// the error estimate divided by a vanishing step would otherwise drive the step to zero.
const PER_UNIT_FLOOR: f64 = 1e-5;
/// Largest rotation in one adaptive step, rad.
const MAX_TURN: f64 = 1.5;
/// Rejections in a row before a singular position is suspected, and the relative pivot of
/// G M⁻¹ Gᵀ that confirms it (the square of the distance to the point, in radians or so).
const HOP_AFTER: u32 = 3;
const NEAR_SINGULAR: f64 = 1e-5;
/// Lengths of the jumps that are tried, in steps, and the error per step they may make, in
/// tolerances.
const HOPS: [f64; 6] = [25.0, 12.0, 6.0, 3.0, 50.0, 1.5];
const HOP_ERROR: f64 = 100.0;
/// A step below this part of the last one away from a singular position has shrunk on the way to
/// it, over several accepted steps; the jumps that are tried then, in those of that time.
const SHRUNK: f64 = 0.1;
const LONG_HOPS: [f64; 4] = [1.0, 0.5, 2.0, 0.25];
/// Characteristic times per run beyond which the motion counts as without bound.
const UNBOUNDED: f64 = 1e12;
/// Fixed steps in a row beyond the border of stability that end a run.
const UNSTABLE_STEPS: u32 = 5;
/// Shortest and longest step, in spans, that is chosen for a method of fixed step.
const FIXED_STEPS: [f64; 2] = [1e-6, 1e-2];
/// Halvings of a fixed step before a failure is final.
const MAX_HALVINGS: u32 = 12;

impl<P: Problem> Driver<P> {
    /// Starts a method at a consistent state.
    pub fn new(
        p: &P,
        mut method: Box<dyn Integrator<P>>,
        start: State,
        opts: DriverOptions,
    ) -> Result<Driver<P>, StepFailure> {
        let mut ws = p.workspace();
        method.restart(p, &mut ws, &start)?;
        let mut scale = ErrorScale::new(opts.tol, &p.scales(), p.dims().nz);
        let span = opts.t_end - start.t;
        if span > 0.0 {
            scale.set_least_rate(1.0 / span);
        }
        scale.observe(&start, method.start());
        let info = method.info();
        let order = info.error_order - u32::from(info.per_unit_step);
        let h = match opts.step {
            Some(h) => h,
            None => scale.first_step(order, span).min(opts.max_step),
        };
        let mut opts = opts;
        if !info.adaptive && opts.step.is_none() {
            // A method of fixed step takes the first step its order and the tolerance suggest,
            // within bounds that keep a run finite and resolved.
            opts.step = Some(h.clamp(FIXED_STEPS[0] * span, FIXED_STEPS[1] * span));
        }
        Ok(Driver {
            control: StepControl::new(order),
            scale,
            ws,
            prev: start.clone(),
            d_prev: method.start().clone(),
            t0: start.t,
            state: start,
            method,
            opts,
            h,
            cruise: h,
            n_fixed: 0,
            per_unit_step: info.per_unit_step,
            holds_step: info.holds_step,
            stiffness: StiffnessMonitor::default(),
            pending: None,
            limit: f64::INFINITY,
            spent: delassus_dae::Work::default(),
            last_failure: None,
            worst: Vec::with_capacity(3),
            steps: 0,
            rejections: Rejections::default(),
            hops: 0,
        })
    }

    /// Present state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Accelerations and multipliers at the present state.
    pub fn derived(&self) -> &Derived {
        self.method.start()
    }

    /// The last accepted step.
    pub fn view(&self) -> StepView<'_> {
        StepView { from: &self.prev, d0: &self.d_prev, to: &self.state, d1: self.method.start() }
    }

    /// The fixed step, given or chosen; `None` while steps adapt.
    pub fn fixed_step(&self) -> Option<f64> {
        self.opts.step
    }

    /// Time from which stability instead of accuracy limited the step.
    pub fn stiff_since(&self) -> Option<f64> {
        self.stiffness.since()
    }

    /// Work of the method so far.
    pub fn work(&self) -> delassus_dae::Work {
        let mut all = self.spent;
        all += self.method.work();
        all
    }

    /// Makes one accepted step.
    pub fn advance(&mut self, p: &P) -> Result<Stepped, SimError> {
        let made = self.propose(p)?;
        self.commit();
        Ok(made)
    }

    /// Makes one step that passes the error test and leaves it to be looked at.
    pub fn propose(&mut self, p: &P) -> Result<Stepped, SimError> {
        if self.state.t >= self.opts.t_end {
            return Ok(Stepped::Finished);
        }
        if self.steps >= self.opts.max_steps {
            return Err(self.stop(p, SimErrorKind::WorkLimit, self.h));
        }
        match self.opts.step {
            None => self.propose_adaptive(p)?,
            Some(h) => self.propose_fixed(p, h)?,
        }
        Ok(Stepped::Step)
    }

    /// The step that waits for [`Driver::commit`].
    pub fn proposal(&self) -> StepView<'_> {
        StepView {
            from: &self.state,
            d0: self.method.start(),
            to: &self.prev,
            d1: self.method.end(),
        }
    }

    /// Makes the waiting step again with this length, at most that of the one before.
    pub fn shorten(&mut self, p: &P, h: f64) -> Result<(), StepFailure> {
        self.method.attempt(p, &mut self.ws, &self.state, h, &mut self.prev)?;
        self.pending = Some(Pending { exact_time: None, ends_fixed: false });
        Ok(())
    }

    /// Accepts the waiting step.
    pub fn commit(&mut self) {
        if let Some(p) = self.pending.take() {
            self.accept(p.exact_time);
            self.n_fixed += u64::from(p.ends_fixed);
            self.steps += 1;
        }
    }

    /// Goes on from another state after an event, by another method where one is given, for a
    /// problem that may have other rows than before. Counts, scales and the step stay.
    pub fn restart(
        &mut self,
        p: &P,
        method: Option<Box<dyn Integrator<P>>>,
        state: &State,
    ) -> Result<(), StepFailure> {
        if let Some(method) = method {
            self.spent += self.method.work();
            self.method = method;
            self.ws = p.workspace();
        }
        self.pending = None;
        self.stiffness = StiffnessMonitor::default();
        if let Some(h) = self.opts.step {
            // time may have passed elsewhere: fixed steps go on at the next of their times
            self.n_fixed = ((state.t - self.t0) / h * (1.0 + 1e-14) + 1e-9).floor() as u64;
        }
        self.state.copy_from(state);
        self.prev.copy_from(state);
        self.method.restart(p, &mut self.ws, &self.state)?;
        self.d_prev = self.method.start().clone();
        self.scale.observe(&self.state, self.method.start());
        Ok(())
    }

    /// Forgets the waiting step.
    pub fn drop_proposal(&mut self) {
        self.pending = None;
    }

    /// Length of the step that will be tried next, s.
    pub fn next_step(&self) -> f64 {
        self.opts.step.unwrap_or(self.h)
    }

    /// Adaptive steps are not longer than this from now on, s.
    pub fn set_limit(&mut self, longest: f64) {
        self.limit = longest;
    }

    /// Relative tolerance of the run.
    pub fn rtol(&self) -> f64 {
        self.opts.tol.rtol
    }

    /// Span of the run, s.
    pub fn span(&self) -> f64 {
        self.opts.t_end - self.t0
    }

    /// One over the span of the run, 1/s.
    pub fn least_rate(&self) -> f64 {
        1.0 / (self.opts.t_end - self.t0)
    }

    /// Characteristic rate of the motion so far, 1/s.
    pub fn rate(&self) -> f64 {
        self.scale.rate()
    }

    fn propose_adaptive(&mut self, p: &P) -> Result<(), SimError> {
        let span = self.opts.t_end - self.t0;
        let first = self.h;
        let mut failures = 0;
        loop {
            let shrunk = failures == 1 && first < SHRUNK * self.cruise;
            if (failures == HOP_AFTER || shrunk)
                && self.method.weakest_pivot() < NEAR_SINGULAR
                && self.hop(p, first, shrunk)
            {
                return Ok(());
            }
            failures += 1;
            // rotation vectors of a step are unique below π; stay well inside
            let spin = p.manifold().spin(&self.state.v);
            if self.h * spin > MAX_TURN {
                self.h = MAX_TURN / spin;
            }
            self.h = self.h.min(self.limit);
            let left = self.opts.t_end - self.state.t;
            // stretch the last step a little rather than leave a sliver
            let (h, last) = if self.h * 1.01 >= left { (left, true) } else { (self.h, false) };
            if h < MIN_STEP * span.max(self.state.t.abs()) && !last {
                return Err(self.stop(p, SimErrorKind::StepTooSmall, h));
            }
            match self.method.attempt(p, &mut self.ws, &self.state, h, &mut self.prev) {
                Ok(()) => {
                    let view = self.method.error();
                    let mut err = self.scale.norm(&view);
                    if self.per_unit_step {
                        err /= (h * self.scale.rate().max(1.0 / span)).max(PER_UNIT_FLOOR);
                    }
                    let per_unit = u32::from(self.per_unit_step);
                    self.control.set_order(self.method.error_order() - per_unit);
                    if err <= 1.0 {
                        let factor = self.control.accepted(err);
                        let factor = self.method.choose_order(&self.scale).unwrap_or(factor);
                        // small changes are not worth a new matrix or a new history
                        let factor = if self.holds_step && (0.8..1.25).contains(&factor) {
                            1.0
                        } else {
                            factor
                        };
                        if self.method.weakest_pivot() >= NEAR_SINGULAR {
                            self.cruise = h;
                        }
                        if !last || factor < 1.0 {
                            self.h = (h * factor).min(self.opts.max_step);
                        }
                        self.wait(last.then_some(self.opts.t_end), false);
                        return Ok(());
                    }
                    self.scale.worst(&view, &mut self.worst);
                    self.rejections.error += 1;
                    self.last_failure = None;
                    self.h = h * if err.is_finite() { self.control.rejected(err) } else { 0.1 };
                }
                Err(e) => {
                    self.count(&e);
                    self.last_failure = Some(e);
                    self.h = h * self.control.failed();
                    if self.h < MIN_STEP * span {
                        return Err(self.stop(p, SimErrorKind::StepTooSmall, self.h));
                    }
                }
            }
        }
    }

    /// Jumps over a singular position of the constraints.
    ///
    /// The motion is smooth through such a point, but accelerations computed close to it are
    /// dominated by what little the state is off the constraints, so the error test fails
    /// however small the step is made. A step long enough to leave that neighbourhood is more
    /// accurate than a short one that ends in it. Its error may exceed the tolerance by
    /// [`HOP_ERROR`]; hops are counted in the summary.
    fn hop(&mut self, p: &P, first: f64, shrunk: bool) -> bool {
        let left = self.opts.t_end - self.state.t;
        let (base, factors) =
            if shrunk { (self.cruise, &LONG_HOPS[..]) } else { (first, &HOPS[..]) };
        // Implicit methods solve for the end of the jump, and the best is taken: errors of neighbours
        // differ by powers of ten. Others the first that will do, the long ones first: their stages, and
        // their next steps, must not lie close to the position.
        let mut best = (HOP_ERROR, None);
        for factor in factors {
            let h = (factor * base).min(left);
            let err = self.hop_error(p, h);
            if err <= best.0 {
                best = (err, Some(h));
                if !self.holds_step {
                    break;
                }
            }
        }
        let Some(h) = best.1 else { return false };
        // an iteration may end elsewhere the second time
        if self.hop_error(p, h) > HOP_ERROR {
            return false;
        }
        self.h = base;
        self.hops += 1;
        self.wait((h == left).then_some(self.opts.t_end), false);
        true
    }

    /// Tries a step of this length; its error in tolerances.
    fn hop_error(&mut self, p: &P, h: f64) -> f64 {
        match self.method.attempt(p, &mut self.ws, &self.state, h, &mut self.prev) {
            Ok(()) => self.scale.norm(&self.method.error()),
            Err(_) => f64::INFINITY,
        }
    }

    fn propose_fixed(&mut self, p: &P, h: f64) -> Result<(), SimError> {
        // times are t0 + n h, never a running sum; a failed step is halved inside its interval
        let target = (self.t0 + (self.n_fixed + 1) as f64 * h).min(self.opts.t_end);
        let target = if self.opts.t_end - target < 1e-9 * h { self.opts.t_end } else { target };
        let mut part = target - self.state.t;
        let mut halvings = 0;
        if (part - h).abs() < 1e-9 * h {
            part = h;
        }
        if let Some(ratio) = self.stiffness.beyond(UNSTABLE_STEPS) {
            return Err(self.unstable(h, ratio));
        }
        loop {
            match self.method.attempt(p, &mut self.ws, &self.state, part, &mut self.prev) {
                Ok(()) => {
                    let done = self.state.t + part >= target - 1e-9 * h;
                    self.wait(done.then_some(target), done);
                    return Ok(());
                }
                Err(e) => {
                    let hopeless = matches!(e, StepFailure::Runaway { .. });
                    self.count(&e);
                    self.last_failure = Some(e);
                    halvings += 1;
                    if hopeless || halvings > MAX_HALVINGS {
                        return Err(self.stop(p, SimErrorKind::StepTooSmall, part));
                    }
                    part *= 0.5;
                }
            }
        }
    }

    fn wait(&mut self, exact_time: Option<f64>, ends_fixed: bool) {
        self.pending = Some(Pending { exact_time, ends_fixed });
        if let Some(t) = exact_time {
            self.prev.t = t;
        }
    }

    /// `prev` holds the new state: swap, commit, take note.
    fn accept(&mut self, exact_time: Option<f64>) {
        self.d_prev.copy_from(self.method.start());
        self.stiffness.observe(self.prev.t, self.method.stiffness());
        std::mem::swap(&mut self.prev, &mut self.state);
        if let Some(t) = exact_time {
            self.state.t = t;
        }
        self.method.commit();
        self.scale.observe(&self.state, self.method.start());
    }

    fn count(&mut self, e: &StepFailure) {
        match e {
            StepFailure::NonFinite { .. } => self.rejections.non_finite += 1,
            _ => self.rejections.convergence += 1,
        }
    }

    /// A fixed step that an explicit method cannot take.
    fn unstable(&self, h: f64, ratio: f64) -> SimError {
        SimError {
            kind: SimErrorKind::StepUnstable,
            t: self.state.t,
            h,
            detail: format!(
                "errors grow from step to step: the step is {h:.3e} s, and {} is stable up to about {:.1e} s here",
                self.method.info().name,
                h / ratio
            ),
            blame: Vec::new(),
            help: format!(
                "take a step below that, leave the step out to let it adapt, or use a method for stiff systems ({})",
                stiff_methods()
            ),
        }
    }

    /// The error that ends the run, with names.
    fn stop(&self, p: &P, kind: SimErrorKind, h: f64) -> SimError {
        let r = self.rejections;
        let mut e = match (&kind, &self.last_failure) {
            (SimErrorKind::WorkLimit, _) => SimError {
                kind,
                t: self.state.t,
                h,
                detail: format!(
                    "{} steps were made and the end is at {} s",
                    self.steps, self.opts.t_end
                ),
                blame: Vec::new(),
                help: match self.stiff_since() {
                    Some(t) => format!(
                        "the system is stiff for an explicit method (seen first at {t:.3e} s): use {}",
                        stiff_methods()
                    ),
                    None if self.method.info().order[0] <= 2 => {
                        "raise max_steps, loosen the tolerance, or use a method of higher order \
                         (mdop5; radau5 for stiff systems)"
                            .to_owned()
                    }
                    None => format!(
                        "raise max_steps, loosen the tolerance, or use a method for stiff systems ({})",
                        stiff_methods()
                    ),
                },
            },
            (_, Some(failure)) => SimError::from_failure(p, failure, self.state.t, h),
            (_, None) => self.collapse(p, h),
        };
        e.detail.push_str(&format!(
            "; rejected attempts: {} by the error test, {} by convergence, {} not finite",
            r.error, r.convergence, r.non_finite
        ));
        e
    }

    /// The step went to zero by the error test alone: a discontinuity, or motion without bound.
    fn collapse(&self, p: &P, h: f64) -> SimError {
        let t = self.state.t;
        let scale = p.scales().q;
        let mut fastest: Vec<usize> = (0..scale.len()).collect();
        let rate = |i: &usize| self.state.v[*i].abs() / scale[*i];
        fastest.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
        let span = self.opts.t_end - self.t0;
        if fastest.first().is_some_and(|i| rate(i) * span > UNBOUNDED) {
            let blame: Vec<String> = fastest.iter().take(1).map(|i| p.dof_name(*i)).collect();
            return SimError {
                kind: SimErrorKind::Diverged,
                t,
                h,
                detail: format!(
                    "the motion grows without bound, first for {} (last value {:.3e}, rate {:.3e})",
                    blame[0],
                    self.state.q.get(fastest[0]).copied().unwrap_or(f64::NAN),
                    self.state.v[fastest[0]]
                ),
                blame,
                help: "look at the forces on the named body just before this time".to_owned(),
            };
        }
        let blame: Vec<String> = self.worst.iter().map(|i| p.dof_name(*i)).collect();
        SimError {
            kind: SimErrorKind::StepTooSmall,
            t,
            h,
            detail: format!(
                "the error test fails however small the step is; worst: {}",
                if blame.is_empty() { "unknown".to_owned() } else { blame.join(", ") }
            ),
            blame,
            help:
                "look for a discontinuous force or expression at this time, or loosen the tolerance"
                    .to_owned(),
        }
    }
}

/// Names of the adaptive methods for stiff systems.
fn stiff_methods() -> String {
    let names: Vec<&str> =
        METHODS.iter().filter(|m| m.stiff && m.adaptive).map(|m| m.name).collect();
    names.join(", ")
}
