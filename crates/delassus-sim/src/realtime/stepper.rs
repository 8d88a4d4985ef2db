//! [`Stepper`]: a model at fixed steps of fixed cost.

use super::options::{RealTimeError, RealTimeOptions};
use super::ports::{self, InputPort, OutputPort};
use super::stability::Stability;
use super::status::StepStatus;
use delassus_dae::integrator::{FixedWork, Integrator, LinEuler, Settings, SmoothId};
use delassus_dae::{PointId, Problem, State, StepFailure, Unilateral, has_room};
use delassus_math::max_abs;
use delassus_math::memory::{Memory, MemoryError, Remember, restore, save};
use delassus_model::{Assembled, Measured, Outputs, System, Workspace};
use delassus_nonsmooth::fixed::{FixedContacts, FixedReport, FixedSettings};
use std::sync::Arc;

/// Relative pivot of the matrix below which constraints count as dependent.
const RANK_LOST: f64 = 1e-7;

/// A margin that every point is below, and that is still searched for, m.
const FARTHEST: f64 = 1e100;

/// How often each flag was set, in the order of [`StepStatus::ALL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Steps made.
    pub steps: u64,
    /// Steps with each flag.
    pub flagged: [u64; StepStatus::ALL.len()],
}

impl Counters {
    fn count(&mut self, status: StepStatus) {
        self.steps += u64::from(!status.stopped());
        for (n, (flag, _)) in self.flagged.iter_mut().zip(StepStatus::ALL) {
            *n += u64::from(status.contains(flag));
        }
    }
}

/// A model at fixed steps of fixed cost.
pub struct Stepper {
    sys: Arc<System>,
    options: RealTimeOptions,
    inputs: Vec<InputPort>,
    outputs: Vec<OutputPort>,
    method: LinEuler,
    contacts: FixedContacts<System>,
    ws: Workspace,
    /// State at the start of the last step, and at its end.
    from: State,
    to: State,
    t0: f64,
    n: u64,
    /// Steps in a row with a bad input.
    bad: u32,
    /// Why no further step is made.
    ended: StepStatus,
    failure: Option<StepFailure>,
    status: StepStatus,
    counters: Counters,
    /// Sensors at the end of the last step.
    measured: Measured,
    energy_at_start: f64,
    g: Vec<f64>,
    drift: f64,
    most_drift: f64,
}

impl Stepper {
    /// Chooses, requests and touches everything that steps need, from the start of an assembled model. A step that is
    /// known to be unstable for the model is refused.
    pub fn prepare(model: &Assembled, options: &RealTimeOptions) -> Result<Stepper, RealTimeError> {
        check(&model.system, options)?;
        let stability = Stability::of(model, options, false);
        if stability.refuses(options.step) {
            return Err(RealTimeError::Unstable(stability.refusal(options.step)));
        }
        Stepper::prepare_unjudged(model, options)
    }

    /// The same whatever its stability.
    pub(super) fn prepare_unjudged(
        model: &Assembled,
        options: &RealTimeOptions,
    ) -> Result<Stepper, RealTimeError> {
        let sys = model.system.clone();
        check(&sys, options)?;
        let settings = Settings { options: options.options.clone(), ..Settings::default() };
        settings.options.check(&SmoothId::LinEuler.info())?;
        let mut method = LinEuler::of_fixed_cost(&*sys, &settings)?;
        let mut ws = sys.workspace();
        let start = &model.state;
        let restarted = Integrator::<System>::restart(&mut method, &sys, &mut ws, start);
        restarted.map_err(|e| RealTimeError::Start(e.to_string()))?;
        let mut stepper = Stepper {
            inputs: ports::inputs(&sys),
            outputs: ports::outputs(&sys),
            options: options.clone(),
            method,
            contacts: FixedContacts::new(
                &*sys,
                start,
                FixedSettings { capacity: options.contacts, sweeps: options.sweeps },
            ),
            from: start.clone(),
            to: start.clone(),
            t0: start.t,
            n: 0,
            bad: 0,
            ended: StepStatus::GOOD,
            failure: None,
            status: StepStatus::GOOD,
            counters: Counters::default(),
            measured: Measured::default(),
            energy_at_start: 0.0,
            g: vec![0.0; sys.dims().n_vel],
            drift: 0.0,
            most_drift: 0.0,
            sys,
            ws,
        };
        stepper.realize();
        let e = stepper.sys.energies(&stepper.ws).unwrap_or_default();
        stepper.energy_at_start = e.kinetic + e.potential;
        stepper.look();
        stepper.touch()?;
        Ok(stepper)
    }

    /// Runs a few steps and takes them back, so that every buffer has its size and every page was touched.
    fn touch(&mut self) -> Result<(), RealTimeError> {
        // buffers of the search for near points grow to all that there are
        self.sys.near(&self.ws, FARTHEST, &mut Vec::new());
        let saved = self.save();
        let held: Vec<f64> = self.inputs.iter().map(|i| i.default).collect();
        for _ in 0..3 {
            self.step(&held);
        }
        // the memory that was just written fits
        self.restore(&saved).map_err(|e| RealTimeError::Start(e.to_string()))
    }

    /// Makes one step with these values of the inputs, in SI units, in the order of [`Stepper::inputs`]. Never fails and
    /// never panics: what went wrong is in the status. After a status that [stopped](StepStatus::stopped), the last
    /// good state is kept, and every further call returns the same.
    pub fn step(&mut self, inputs: &[f64]) -> StepStatus {
        if self.ended.stopped() {
            self.status = self.ended;
            self.counters.count(self.status);
            return self.status;
        }
        let mut status = StepStatus::GOOD;
        self.take_inputs(inputs, &mut status);
        if !status.stopped() {
            self.advance(&mut status);
        }
        if status.stopped() {
            self.ended = status;
        }
        self.status = status;
        self.counters.count(status);
        status
    }

    /// Writes the inputs into the state, the last good value where one is bad.
    fn take_inputs(&mut self, inputs: &[f64], status: &mut StepStatus) {
        let place = self.sys.inputs();
        let mut bad = false;
        for (k, (port, z)) in self.inputs.iter().zip(&mut self.to.z[place]).enumerate() {
            let x = inputs.get(k).copied().unwrap_or(f64::NAN);
            let limited = x.clamp(port.bounds[0], port.bounds[1]);
            if x.is_finite() {
                *z = limited;
                if limited != x {
                    *status |= StepStatus::INPUT_LIMITED;
                }
            } else {
                bad = true;
                *status |= StepStatus::INPUT_HELD;
            }
        }
        self.bad = if bad { self.bad + 1 } else { 0 };
        if self.bad > self.options.hold {
            *status |= StepStatus::INPUT_LOST;
        }
    }

    fn advance(&mut self, status: &mut StepStatus) {
        let Stepper { sys, method, contacts, ws, from, to, options, .. } = self;
        std::mem::swap(from, to);
        // times are not running sums
        to.t = self.t0 + (self.n + 1) as f64 * options.step;
        let made = method.step(&**sys, ws, from, options.step, to, contacts);
        if let Err(e) = made {
            std::mem::swap(from, to);
            self.failure = Some(e);
            *status |= StepStatus::STOPPED;
            return;
        }
        sys.restore_known_states(to);
        Integrator::<System>::commit(method);
        if Integrator::<System>::weakest_pivot(method) < RANK_LOST {
            *status |= StepStatus::RANK;
        }
        let report = contacts.report();
        if report.left_out > 0 {
            *status |= StepStatus::DEGRADED;
        }
        if !(report.residual <= options.residual) {
            *status |= StepStatus::CONTACT_RESIDUAL;
        }
        self.n += 1;
        self.look();
    }

    fn realize(&mut self) {
        let Stepper { sys, ws, to, .. } = self;
        sys.realize_position(to.t, &to.q, &to.z, ws);
        sys.realize_velocity(&to.v, &to.z, ws);
    }

    /// Sensors and drift at the realised state.
    fn look(&mut self) {
        let Stepper { sys, ws, method, measured, g, .. } = self;
        let derived = Integrator::<System>::start(method);
        let out = Outputs {
            a: &derived.a,
            lambda: &derived.lambda,
            dissipated: 0.0,
            work: 0.0,
            stored: 0.0,
            energy_at_start: self.energy_at_start,
        };
        sys.measure(ws, &out, measured);
        let n_pos = sys.dims().n_pos;
        sys.residual_pos(ws, &mut g[..n_pos]);
        self.drift = max_abs(&g[..n_pos]);
        self.most_drift = delassus_math::largest([self.most_drift, self.drift]);
    }

    /// The inputs.
    pub fn inputs(&self) -> &[InputPort] {
        &self.inputs
    }

    /// The outputs: all sensors of the model.
    pub fn outputs(&self) -> &[OutputPort] {
        &self.outputs
    }

    /// Values of the outputs at the end of the last step, as many as there is room for. Accelerations and reactions are
    /// those of the step.
    pub fn read(&self, out: &mut [f64]) {
        for (o, x) in out.iter_mut().zip(&self.measured.values) {
            *o = *x;
        }
    }

    /// All of them.
    pub fn values(&self) -> &[f64] {
        &self.measured.values
    }

    /// Time at the end of the last step, s.
    pub fn time(&self) -> f64 {
        self.to.t
    }

    /// Length of a step, s.
    pub fn step_length(&self) -> f64 {
        self.options.step
    }

    /// State at the end of the last step.
    pub fn state(&self) -> &State {
        &self.to
    }

    /// The model.
    pub fn system(&self) -> &System {
        &self.sys
    }

    /// Status of the last step.
    pub fn status(&self) -> StepStatus {
        self.status
    }

    /// What happened so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Why the run stopped, in words.
    pub fn failure(&self) -> Option<String> {
        self.failure.as_ref().map(|e| e.to_string())
    }

    /// Largest |g| at the end of the last step, m or rad.
    pub fn position_drift(&self) -> f64 {
        self.drift
    }

    /// The largest since the start.
    pub fn most_position_drift(&self) -> f64 {
        self.most_drift
    }

    /// What the contacts of the last step left undone.
    pub fn contact_report(&self) -> FixedReport {
        self.contacts.report()
    }

    /// Places for points of contact, and rows of each.
    pub(super) fn contact_size(&self) -> (usize, usize) {
        self.contacts.size()
    }

    /// Points of contact that there are, whether they touch or not.
    pub fn contact_points(&self) -> usize {
        self.contacts.listed()
    }

    /// The linear algebra of a step.
    pub(super) fn fixed_work(&self) -> Option<FixedWork> {
        self.method.fixed_work()
    }

    /// Everything that the following steps depend on. Allocates.
    pub fn save(&mut self) -> Vec<u8> {
        save(self)
    }

    /// Goes back to what [`Stepper::save`] returned for the same model with the same options. What follows has the same
    /// bits.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), MemoryError> {
        restore(self, saved)
    }
}

impl Remember for Stepper {
    fn remember(&mut self, m: &mut Memory<'_>) {
        m.same_text(&format!("{:?} {:?}", self.sys.dims(), self.options));
        if m.failed() {
            return;
        }
        self.method.remember(m);
        self.contacts.remember(m);
        self.from.remember(m);
        self.to.remember(m);
        self.t0.remember(m);
        self.n.remember(m);
        self.bad.remember(m);
        self.measured.remember(m);
        self.energy_at_start.remember(m);
        self.drift.remember(m);
        self.most_drift.remember(m);
        self.counters.steps.remember(m);
        for n in &mut self.counters.flagged {
            n.remember(m);
        }
        if m.reads() {
            (self.ended, self.status, self.failure) = Default::default();
            self.realize();
        }
    }
}

/// Refuses settings that make no sense, and elements that have no fixed cost.
fn check(sys: &System, o: &RealTimeOptions) -> Result<(), RealTimeError> {
    if !(o.step > 0.0 && o.step.is_finite()) {
        let message = format!("the step ({} s) must be positive", o.step);
        return Err(RealTimeError::Setting { what: "step", message });
    }
    if settings_word(o, "projection_matrix") == "fresh" {
        let message =
            "projection_matrix = \"fresh\" factors other matrices with pivoting: take \"frozen\"";
        return Err(RealTimeError::Setting { what: "method", message: message.to_owned() });
    }
    if !sys.has_contacts() {
        return Ok(());
    }
    let refuse = |element: String, reason| Err(RealTimeError::Element { element, reason });
    if o.contacts == 0 || o.sweeps == 0 {
        let message = "a model with contacts needs at least one point and one sweep".to_owned();
        return Err(RealTimeError::Setting { what: "contacts", message });
    }
    if !sys.has_few_pairs() {
        let reason = "more than 4096 pairs of shapes, which are searched, not visited one by one; name fewer in `between`";
        return refuse(format!("contact \"{}\"", sys.model().contacts[0].name), reason);
    }
    let mut ids = Vec::new();
    sys.near(&sys.workspace(), f64::INFINITY, &mut ids);
    let points = o.contacts.min(ids.len());
    let (rows, d) = (3.0 * points as f64, sys.dims());
    let bytes = 8.0 * rows * (rows + d.nv as f64 + d.n_vel as f64);
    if !has_room(bytes) {
        return Err(RealTimeError::NoRoom { points, bytes });
    }
    let bristles =
        |id: &&PointId| sys.pressed_friction(**id).is_some_and(|f| f.law.bristle().is_some());
    match ids.iter().find(bristles) {
        Some(id) => refuse(
            format!("contact \"{}\"", sys.point_name(*id)),
            "its friction has bristles; take a friction law without memory",
        ),
        None => Ok(()),
    }
}

/// A word among the options of the method.
fn settings_word<'a>(o: &'a RealTimeOptions, name: &str) -> &'a str {
    o.options.word(&SmoothId::LinEuler.info(), name)
}
