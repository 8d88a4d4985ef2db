//! The stepping loop: attempt, control, commit. Knows no mechanics and keeps no results.
//!
//! Steps are chosen by their error ([`adaptive`], with [`singular_jump`] over singular positions) or have a given length
//! ([`fixed`], with [`stable_step`] to advise); [`turn`] keeps their rotations unique; time-dependent elements are
//! watched ([`time_marks`]), and so are laws that read the state ([`way`]), and branches at singular positions
//! ([`branch`]), and the fastest vibration beside steps of explicit methods ([`fast`]); [`stop`] explains why a run cannot
//! continue.

mod adaptive;
mod branch;
mod fast;
mod fixed;
mod singular_jump;
mod stable_step;
mod stop;
mod time_marks;
mod turn;
mod way;

use crate::error::{SimError, SimErrorKind};
use crate::stiffness::StiffnessMonitor;
use branch::BranchWatch;
use delassus_dae::{
    Derived, ErrorScale, Foresight, Integrator, Problem, State, StepControl, StepFailure,
    Tolerances,
};
use delassus_math::remember;
use time_marks::{RowJump, TimeWatch};
pub use time_marks::{TimeMark, next_time_mark};
pub(crate) use turn::MAX_TURN;
use way::WayWatch;

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
}

/// An accepted step.
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

/// An attempt that passed the error test and waits for [`Driver::commit`].
#[derive(Debug, Clone, Copy)]
struct Pending {
    /// The time to land on, if it is known more precisely than as a sum.
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
remember!(Rejections { error, convergence, non_finite });

impl Rejections {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.error + self.convergence + self.non_finite
    }
}

/// Steps a problem from a consistent state, for as long as requested. It does not know an end: states at times that a
/// step has passed are found between two states.
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
    /// Length of the adaptive step that passed the error test last.
    tried: f64,
    n_fixed: u64,
    per_unit_step: bool,
    holds_step: bool,
    stiffness: StiffnessMonitor,
    time: TimeWatch,
    way: WayWatch,
    branch: BranchWatch,
    /// The largest of the weakest pivots of the steps since the method started.
    usual_pivot: f64,
    row_jump: RowJump,
    /// Number of fixed steps in a row that follow nothing.
    coarse: u32,
    /// The last state before fixed steps showed signs of instability.
    trouble: State,
    pending: Option<Pending>,
    /// Longest adaptive step at present, s.
    limit: f64,
    /// The next adaptive step is not longer than this, s, which does not apply to later ones.
    aim: f64,
    /// Steps end at this time at the latest, s.
    stop: f64,
    /// The held states were changed since the last step.
    changed: bool,
    /// Work of methods that were replaced.
    spent: delassus_dae::Work,
    last_failure: Option<StepFailure>,
    worst: Vec<usize>,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejections: Rejections,
    /// Sum of the local errors of the accepted steps, in tolerances, of methods that estimate the error of the solution
    /// they keep.
    local_errors: f64,
    /// Jumps over singular positions.
    pub hops: u64,
    /// When the first of them was, s.
    pub first_hop: Option<f64>,
    /// Work of prescribed motions whose rate jumped, J.
    pub fed: f64,
}
remember!(Driver<P: Problem> {
    method, state, prev, d_prev, scale, control, t0, h, cruise, tried, n_fixed, per_unit_step,
    holds_step, stiffness, time, way, branch, usual_pivot, coarse, trouble, limit, changed, spent, steps,
    rejections, local_errors, hops, first_hop, fed,
} apart from { ws, opts, row_jump, pending, aim, stop, last_failure, worst });

/// Shortest and longest step, in characteristic times, that is chosen for a fixed-step method.
const FIXED_STEPS: [f64; 2] = [1e-4, 1e-2];

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
        let mut scale = ErrorScale::of(p, opts.tol);
        scale.observe(&start, method.start());
        foresee(p, &start, &mut scale);
        let info = method.info();
        let order = info.error_order - u32::from(info.per_unit_step);
        let h = match opts.step {
            Some(h) => h,
            None => scale.first_step(order).min(opts.max_step),
        };
        let mut opts = opts;
        if !info.adaptive && opts.step.is_none() {
            // A fixed-step method takes the first step that its order and the tolerance suggest, within bounds that
            // keep a run finite and resolved.
            let [least, most] = FIXED_STEPS.map(|part| part / scale.pace());
            opts.step = Some(h.clamp(least, most));
        }
        let trouble = start.clone();
        Ok(Driver {
            control: StepControl::new(order),
            scale,
            ws,
            prev: start.clone(),
            d_prev: method.start().clone(),
            t0: start.t,
            time: TimeWatch::new(start.t),
            way: WayWatch::new(p, &start),
            branch: BranchWatch::new(p),
            usual_pivot: 0.0,
            row_jump: RowJump::new(p),
            state: start,
            method,
            opts,
            h,
            cruise: h,
            tried: h,
            n_fixed: 0,
            per_unit_step: info.per_unit_step,
            holds_step: info.holds_step,
            stiffness: StiffnessMonitor::default(),
            coarse: 0,
            trouble,
            pending: None,
            limit: f64::INFINITY,
            aim: f64::INFINITY,
            stop: f64::INFINITY,
            changed: false,
            spent: delassus_dae::Work::default(),
            last_failure: None,
            worst: Vec::with_capacity(3),
            steps: 0,
            rejections: Rejections::default(),
            local_errors: 0.0,
            hops: 0,
            first_hop: None,
            fed: 0.0,
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

    /// The fixed step, given or chosen; `None` if steps adapt.
    pub fn fixed_step(&self) -> Option<f64> {
        self.opts.step
    }

    /// Time from which stability instead of accuracy limited the step.
    pub fn stiff_since(&self) -> Option<f64> {
        self.stiffness.since()
    }

    /// Sum of the local errors of the accepted steps, in tolerances; `None` if the method estimates that of another
    /// solution, or none.
    pub fn local_errors(&self) -> Option<f64> {
        (self.per_unit_step && self.opts.step.is_none()).then_some(self.local_errors)
    }

    /// Smallest relative pivot of G M⁻¹ Gᵀ in the last step.
    pub fn weakest_pivot(&self) -> f64 {
        self.method.weakest_pivot()
    }

    /// Changes of branch at almost singular positions that steps could not resolve: how many, when the first occurred,
    /// s, and by how much the constraints miss the position there, relative to their scales.
    pub fn branches(&self) -> (u64, Option<(f64, f64)>) {
        (self.branch.count, self.branch.first)
    }

    /// Work of the method so far.
    pub fn work(&self) -> delassus_dae::Work {
        let mut all = self.spent;
        all += self.method.work();
        all
    }

    /// Makes one accepted step.
    pub fn advance(&mut self, p: &P) -> Result<(), SimError> {
        self.propose(p)?;
        self.commit();
        Ok(())
    }

    /// Makes one step that passes the error test and leaves it open to examination.
    pub fn propose(&mut self, p: &P) -> Result<(), SimError> {
        if self.steps >= self.opts.max_steps {
            return Err(self.stop(p, SimErrorKind::WorkLimit, self.h));
        }
        self.meet_marks(p)?;
        match self.opts.step {
            None => {
                self.watch_fast(p);
                self.propose_adaptive(p)
            }
            Some(h) => self.propose_fixed(p, h),
        }
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

    /// Repeats the waiting step with this length, which is at most its previous length.
    pub fn shorten(&mut self, p: &P, h: f64) -> Result<(), StepFailure> {
        self.way.drop_end();
        self.method.attempt(p, &mut self.ws, &self.state, h, &mut self.prev)?;
        self.check_turn(p, h)?;
        // a step that is not made in full does not earn a longer one
        self.h = self.h.min(self.tried);
        self.pending = Some(Pending { exact_time: None, ends_fixed: false });
        Ok(())
    }

    /// Accepts the waiting step.
    pub fn commit(&mut self) {
        if let Some(p) = self.pending.take() {
            self.accept(p.exact_time);
            self.way.arrive(self.state.t, self.scale.pace());
            self.branch.arrive(self.prev.t);
            self.n_fixed += u64::from(p.ends_fixed);
            self.steps += 1;
        }
    }

    /// Continues from another state after an event, with another method if one is given, for a problem that may have
    /// other rows than before. Counts, scales and the step are kept.
    pub fn restart(
        &mut self,
        p: &P,
        method: Option<Box<dyn Integrator<P>>>,
        state: &State,
    ) -> Result<(), StepFailure> {
        self.branch.restart(method.is_some());
        if let Some(method) = method {
            self.spent += self.method.work();
            let info = method.info();
            (self.per_unit_step, self.holds_step) = (info.per_unit_step, info.holds_step);
            self.method = method;
            self.ws = p.workspace();
            self.row_jump = RowJump::new(p);
        }
        self.usual_pivot = 0.0;
        self.pending = None;
        self.time.forget(state.t);
        self.way.forget();
        self.stiffness = StiffnessMonitor::new(self.rejections.error);
        self.coarse = 0;
        if let Some(h) = self.opts.step {
            // time may have passed elsewhere: fixed steps continue at the next of their times
            self.n_fixed = ((state.t - self.t0) / h * (1.0 + 1e-14) + 1e-9).floor() as u64;
        }
        self.state.copy_from(state);
        self.prev.copy_from(state);
        self.method.restart(p, &mut self.ws, &self.state)?;
        self.d_prev = self.method.start().clone();
        self.scale.observe(&self.state, self.method.start());
        Ok(())
    }

    /// Drops the waiting step.
    pub fn drop_proposal(&mut self) {
        self.way.drop_end();
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

    /// The next adaptive step is not longer than this, s: something is predicted to happen then. Later ones have the
    /// length that their errors allow.
    pub fn set_aim(&mut self, longest: f64) {
        self.aim = longest;
    }

    /// Errors of velocities below this fraction of the characteristic speed count as none in the next step.
    pub fn leave_open(&mut self, part: f64) {
        self.scale.leave_open(part);
    }

    /// Steps end at this time at the latest, s.
    pub fn set_stop(&mut self, t: f64) {
        self.stop = t;
    }

    /// Changes the held states, from the present time on; the next step begins with them.
    pub fn set_held(&mut self, p: &P, values: &[f64]) {
        self.state.z[p.held()..].copy_from_slice(values);
        self.changed = true;
    }

    /// Relative tolerance of the run.
    pub fn rtol(&self) -> f64 {
        self.opts.tol.rtol
    }

    /// Characteristic rate of the motion so far, or of what acts on a model at rest, 1/s; never zero.
    pub fn rate(&self) -> f64 {
        self.scale.wide_pace()
    }

    /// The same for these velocities alone, at a state with velocities v.
    pub fn rate_of(&self, cols: &[usize], v: &[f64]) -> f64 {
        self.scale.pace_of(cols, v)
    }

    /// Distance along a row that is indistinguishable from round-off of the positions.
    pub fn round_off_along(&self, cols: &[usize], row: &[f64]) -> f64 {
        self.scale.round_off_along(cols, row)
    }

    fn mark_pending(&mut self, exact_time: Option<f64>, ends_fixed: bool) {
        self.pending = Some(Pending { exact_time, ends_fixed });
        if let Some(t) = exact_time {
            self.prev.t = t;
        }
    }

    /// `prev` holds the new state: swap, commit, record.
    fn accept(&mut self, exact_time: Option<f64>) {
        self.d_prev.copy_from(self.method.start());
        self.usual_pivot = self.usual_pivot.max(self.method.weakest_pivot());
        self.stiffness.observe(self.prev.t, self.method.stiffness());
        std::mem::swap(&mut self.prev, &mut self.state);
        if let Some(t) = exact_time {
            self.state.t = t;
        }
        self.method.commit();
        // the time, and counted turns, may be corrected after the last evaluation
        let as_evaluated = exact_time.is_none() && self.state.z.is_empty();
        self.time.arrive(as_evaluated && self.method.leaves_realized());
        self.scale.observe(&self.state, self.method.start());
    }

    fn count(&mut self, e: &StepFailure) {
        match e {
            StepFailure::NonFinite { .. } => self.rejections.non_finite += 1,
            _ => self.rejections.convergence += 1,
        }
    }
}

/// Scales of the coming motion, for a model that may be at rest.
fn foresee<P: Problem>(p: &P, start: &State, scale: &mut ErrorScale) {
    let mut ws = p.workspace();
    let mut foresight = Foresight::new(p, &mut ws, start);
    scale.feel(&foresight.free());
    let seen: Vec<f64> = scale.rates().collect();
    scale.foresee(&foresight.rates(&mut ws, &seen));
}
