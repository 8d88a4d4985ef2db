//! Samples of sensors, energies and constraint residuals at exactly the requested times.

mod reversal;
mod step;

use crate::contact::Event;
use crate::contact_track::ContactTrack;
use crate::driver::StepView;
use crate::energy_audit::EnergyAudit;
use crate::error::{SetupError, SimError};
use crate::load_track::LoadTrack;
use crate::motion_track::MotionTrack;
use crate::options::RunLimits;
use crate::results::{Channel, DIAGNOSTICS, ResultSize, Results};
use crate::sample_times::decimal;
use crate::sink::{Outlet, Patience, Sink};
use crate::step_log::StepLog;
use crate::summary::{SteppedOver, TargetJumped};
use crate::touch::{PointForce, Toucher};
use delassus_dae::{
    Accel, Derived, Energies, Hermite, Power, Problem, State, StepFailure, TimeLaws,
};
use delassus_math::remember;
use delassus_model::{Measured, Outputs, System, TimeRanges, Workspace};
use reversal::Reversals;
use step::Exchange;

/// Forces of contacts at a state, for a recorder that knows only joints.
pub trait Dynamics {
    /// Accelerations, multipliers of the joints and rates of auxiliary states at a state.
    fn evaluate(&mut self, s: &State, d: &mut Derived) -> Result<(), StepFailure>;
    /// Whether the accelerations at the end of a step of length h are those of its last part, not only of its last
    /// instant.
    fn ends_smoothly(&mut self, end: &State, h: f64) -> bool;
    /// Power that contacts lose at the state that was evaluated last, W.
    fn lost(&self) -> f64;
    /// Energy that contacts store there, J.
    fn stored(&self) -> f64;
    /// Values of the contact channels at the state that was evaluated last, and the points over which they are summed,
    /// if those are requested.
    fn channels(&mut self, out: &mut [f64], points: Option<&mut Vec<PointForce>>);
}

/// Records an assembled model.
pub struct Recorder {
    /// What was recorded so far and has not been passed on.
    pub results: Results,
    outlet: Outlet,
    /// Approximate number of samples from the start to the end.
    expected: usize,
    /// Number of samples that may wait before they are passed on.
    room: usize,
    /// Positions of all bodies at the samples; empty unless [`Recorder::track_motion`] was called.
    pub motion: MotionTrack,
    /// Where bodies touch at the rows of `motion`, and where events happened.
    pub touches: ContactTrack,
    /// Reactions and applied forces at the rows of `motion`.
    pub loads: LoadTrack,
    /// Forces and moments in beams at the rows of `motion`.
    pub sections: LoadTrack,
    /// Size, drift and energy balance of the steps.
    pub steps: StepLog,
    /// Finds them, if motion is tracked.
    toucher: Option<Toucher>,
    ws: Workspace,
    acc: Accel,
    /// Interpolant between the ends of the present step, once it is fitted; open if accelerations at the end are those
    /// of its last instant only.
    dense: Hermite,
    fitted: bool,
    open_end: bool,
    sample: State,
    derived: Derived,
    measured: Measured,
    g: Vec<f64>,
    t0: f64,
    dt: f64,
    t_end: f64,
    next: u64,
    /// Samples are taken on request only; and the time of the one that is still to come, s.
    on_request: bool,
    requested: Option<f64>,
    /// What the last step exchanged, if samples may be requested inside it later.
    exchanged: Exchange,
    /// |G a + γ| at the end of the last step, which is what samples report: between steps
    /// accelerations are not solved for unless some sensor needs them.
    acceleration_drift: f64,
    exchanges: bool,
    /// Values of contact channels, which come between sensors and diagnostics.
    contact_values: Vec<f64>,
    /// Some sensor needs accelerations or multipliers between steps.
    dynamics: bool,
    /// Reactions are shared by rows that depend on each other.
    redundant: bool,
    track_turns: bool,
    /// Power at the end of the last step, and its time.
    power: Power,
    power_t: f64,
    dissipated: f64,
    work: f64,
    energy_at_start: f64,
    /// Energy that contacts store at the state that was evaluated last, J.
    stored: f64,
    /// Judges the balance of energies at accepted steps.
    pub(crate) audit: EnergyAudit,
    /// Largest |g|, |G v + g_t|, |G a + γ| at accepted steps.
    pub drift: [f64; 3],
    /// Largest |g| and |G v + g_t| at samples and at points inside steps. Besides the residual at steps this includes
    /// the error of the interpolation, and what was stepped over.
    pub sample_drift: [f64; 2],
    /// The first function of time, or law that reads the state, that fixed steps did not see, and the end of the step.
    pub stepped_over: Option<SteppedOver>,
    /// The first target that jumped where its rate acts.
    pub target_jumped: Option<TargetJumped>,
    /// Whether some target could.
    targets_could_jump: bool,
    /// They were examined up to here, s.
    targets_until: f64,
    /// Their values at the ends of such steps.
    ranges: Option<TimeRanges>,
    /// Fixed steps in which the motion turns round.
    reversals: Option<Reversals>,
}
remember!(Recorder {
    results, motion, touches, loads, sections, steps, sample, derived, measured, next,
    requested, exchanged, open_end, acceleration_drift, power, power_t, dissipated, work, energy_at_start, stored, audit, drift,
    sample_drift, stepped_over, target_jumped, targets_until, contact_values, outlet,
} where present { toucher, ranges, reversals } apart from {
    expected, room, ws, acc, dense, fitted, on_request, g, t0, dt, t_end, exchanges, dynamics, redundant, track_turns,
    targets_could_jump,
});

impl Recorder {
    /// A recorder that samples every `dt` from the state's time to `t_end`, both included.
    pub fn new(
        sys: &System,
        start: &State,
        derived: &Derived,
        dt: f64,
        t_end: f64,
    ) -> Result<Recorder, SetupError> {
        let limits = RunLimits::default();
        Recorder::with_contacts(sys, start, derived, [dt, t_end], limits, Vec::new(), false)
    }

    /// The same with channels of contacts, which [`Dynamics`] delivers, every `dt` until `t_end`. If samples are to be
    /// passed on, there is memory only for those that wait.
    pub(crate) fn with_contacts(
        sys: &System,
        start: &State,
        derived: &Derived,
        [dt, t_end]: [f64; 2],
        limits: RunLimits,
        contacts: Vec<Channel>,
        hands_on: bool,
    ) -> Result<Recorder, SetupError> {
        let d = sys.dims();
        let n_contact = contacts.len();
        let mut channels: Vec<Channel> = sys.model().sensors.iter().map(Channel::from).collect();
        channels.extend(contacts);
        channels.extend(DIAGNOSTICS.iter().map(|(name, unit)| Channel {
            name: (*name).to_owned(),
            unit: (*unit).to_owned(),
            frame: String::new(),
            sensor: false,
        }));
        // all memory now: recording must not allocate during the run
        let span = if t_end.is_finite() { t_end - start.t } else { 0.0 };
        let wanted = ResultSize::new(span, dt, channels.len());
        wanted.check(&limits)?;
        let limit = limits.result_bytes;
        let expected = wanted.samples as usize;
        let room = if hands_on { Outlet::rows(channels.len()).min(expected) } else { expected };
        let column = || -> Result<Vec<f64>, SetupError> {
            let mut v = Vec::new();
            v.try_reserve_exact(room).map_err(|_| wanted.too_large(limit))?;
            Ok(v)
        };
        let data = channels.iter().map(|_| column()).collect::<Result<Vec<_>, _>>()?;
        let t = column()?;
        let mut ws = sys.workspace();
        sys.realize_position(start.t, &start.q, &start.z, &mut ws);
        sys.realize_velocity(&start.v, &start.z, &mut ws);
        let energy = sys.energies(&ws).unwrap_or_default();
        let power = sys.power(&ws, &derived.lambda);
        let mut r = Recorder {
            results: Results { channels, t, data },
            outlet: Outlet::default(),
            expected,
            room,
            motion: MotionTrack::default(),
            touches: ContactTrack::default(),
            loads: LoadTrack::default(),
            sections: LoadTrack::default(),
            toucher: None,
            steps: StepLog::default(),
            acc: Accel::min_norm(sys)?,
            dense: Hermite::new(d.nq, d.nv, d.nz),
            fitted: false,
            open_end: false,
            sample: start.clone(),
            derived: derived.clone(),
            measured: Measured::default(),
            g: vec![0.0; d.n_vel],
            t0: start.t,
            dt,
            t_end,
            next: 0,
            on_request: false,
            requested: None,
            exchanged: Exchange::default(),
            acceleration_drift: 0.0,
            exchanges: power.is_some(),
            contact_values: vec![0.0; n_contact],
            dynamics: sys.measures_dynamics(),
            redundant: sys.structure().independent_rows.is_some(),
            track_turns: sys.tracks_turns(),
            power: power.unwrap_or_default(),
            power_t: start.t,
            dissipated: 0.0,
            work: 0.0,
            energy_at_start: energy.kinetic + energy.potential,
            stored: 0.0,
            audit: EnergyAudit::new(sys, start.t, energy),
            drift: [0.0; 3],
            sample_drift: [0.0; 2],
            stepped_over: None,
            target_jumped: None,
            targets_could_jump: sys.targets_could_jump(),
            targets_until: start.t,
            ranges: None,
            reversals: None,
            ws,
        };
        r.drift = r.drift_here(sys);
        r.acceleration_drift = r.drift[2];
        r.push(sys);
        Ok(r)
    }

    /// From now on takes samples on request only.
    pub(crate) fn wait_for_requests(&mut self) {
        self.on_request = true;
    }

    /// Requests a sample at a time in the next step or later, in place of those that are there.
    pub(crate) fn request(&mut self, t: f64) {
        self.results.clear();
        self.requested = Some(t);
    }

    /// Whether the requested sample is still to come.
    pub(crate) fn is_waiting(&self) -> bool {
        self.requested.is_some()
    }

    /// From now on keeps the poses of the bodies at the samples, beginning with the present one. Without memory for it
    /// the run continues without.
    pub fn track_motion(&mut self, sys: &System) {
        if let Some(mut motion) = MotionTrack::new(sys, self.expected) {
            motion.push(&self.sample);
            self.motion = motion;
            self.toucher = (!self.contact_values.is_empty()).then(|| Toucher::new(sys));
            self.loads = LoadTrack::of_loads(sys, self.expected);
            // reactions between steps are solved for
            self.dynamics |= self.loads.is_on();
            self.sections = LoadTrack::of_sections(sys, self.expected);
            self.track_loads(sys, 0);
        }
    }

    /// From now on passes samples on, including those that it has.
    pub(crate) fn hand_to(&mut self, sink: Box<dyn Sink>) {
        self.outlet.open(sink);
    }

    /// Passes on the waiting samples.
    pub(crate) fn hand_on(&mut self) {
        self.outlet.hand_on(&mut self.results);
    }

    /// The same if they are requested. An error ends the run.
    pub(crate) fn offer(&mut self) -> Result<(), SimError> {
        if self.outlet.due() {
            self.hand_on();
        }
        self.outlet.refused().map_or(Ok(()), |e| Err(e.clone()))
    }

    /// Why samples are no longer passed on: the receiver refused them, or they are not finite.
    pub(crate) fn closed(&self) -> Option<&SimError> {
        self.outlet.closed.as_ref()
    }

    /// From now on stops inside a step when this runs out.
    pub(crate) fn heed(&mut self, patience: Patience) {
        self.outlet.patience = Some(patience);
    }

    /// Time of the last sample, if it stopped inside a step, s.
    pub(crate) fn left_off(&self) -> Option<f64> {
        self.outlet
            .left_off
            .then(|| decimal(self.t0 + self.next.saturating_sub(1) as f64 * self.dt))
    }

    /// Number of samples so far, including those passed on.
    pub fn samples(&self) -> u64 {
        self.outlet.handed + self.results.t.len() as u64
    }

    /// From now on looks for what fixed steps may miss: effects of functions of time inside them, and motion that turns
    /// round in each.
    pub fn watch_steps(&mut self, sys: &System) {
        self.reversals = Some(Reversals::new(sys));
        let watched = sys.time_laws() != TimeLaws::None || sys.state_laws();
        self.ranges = watched.then(|| sys.time_ranges());
    }

    /// Fixed steps in which the motion turned round, and the beginning of the first, s.
    pub(crate) fn reversed(&self) -> (u64, Option<f64>) {
        self.reversals.as_ref().map_or((0, None), |r| (r.steps, r.since))
    }

    /// Records the loads and section forces of the realised `sample`.
    fn track_loads(&mut self, sys: &System, row: usize) {
        let Recorder { loads, sections, ws, derived, .. } = self;
        loads.push(row, |out| sys.loads(ws, &derived.lambda, out));
        sections.push(row, |out| sys.sections(ws, out));
    }

    /// Adds the loads and the closed points of the realised `sample` to the last row of the motion.
    fn touch(&mut self, sys: &System) {
        let Some(row) = self.motion.t().len().checked_sub(1) else { return };
        self.track_loads(sys, row);
        if let Some(toucher) = &mut self.toucher {
            toucher.touch(sys, &self.ws, row, &mut self.touches);
        }
    }

    /// Finds where the new events of a log happened; `states` are those before and after the
    /// last step.
    pub(crate) fn place_events(&mut self, sys: &System, log: &[Event], states: [&State; 2]) {
        if let Some(toucher) = &mut self.toucher {
            toucher.place_events(sys, log, states, &mut self.touches);
        }
    }

    /// Time of the next sample, or `None` after the last one.
    fn next_time(&self) -> Option<f64> {
        if self.on_request {
            return self.requested;
        }
        let t = decimal(self.t0 + self.next as f64 * self.dt);
        if t > self.t_end * (1.0 + 1e-14) + 1e-9 * self.dt {
            return None;
        }
        Some(if self.t_end - t < 1e-9 * self.dt { self.t_end } else { t })
    }

    /// Records an accepted step.
    pub fn record(&mut self, sys: &System, step: &StepView<'_>) -> Result<(), StepFailure> {
        self.record_with(sys, step, None)
    }

    /// Writes the first sample again with the forces of contacts at the start.
    pub(crate) fn restart_with(
        &mut self,
        sys: &System,
        contacts: &mut dyn Dynamics,
    ) -> Result<(), StepFailure> {
        self.contact_here(sys, contacts)?;
        // bodies may start inside a compliant contact
        self.energy_at_start += self.stored;
        self.measure(sys);
        let values = self.measured.values.iter().chain(&self.contact_values);
        for (column, x) in self.results.data.iter_mut().zip(values) {
            if let Some(last) = column.last_mut() {
                *last = *x;
            }
        }
        self.touches.clear_from(0);
        self.touch(sys);
        Ok(())
    }

    /// The forces have changed since the end of the last step.
    pub(crate) fn forget_power(&mut self) {
        self.power_t = f64::NAN;
    }

    /// Energy lost and work done instantaneously, in an impact, J.
    pub(crate) fn jump(&mut self, lost: f64, work: f64) {
        self.dissipated += lost;
        self.work += work;
    }

    fn realize(&mut self, sys: &System) {
        let s = &self.sample;
        sys.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        sys.realize_velocity(&s.v, &s.z, &mut self.ws);
    }

    /// Accelerations, multipliers and contact channels at `sample`.
    fn contact_here(&mut self, sys: &System, c: &mut dyn Dynamics) -> Result<(), StepFailure> {
        c.evaluate(&self.sample, &mut self.derived)?;
        self.stored = c.stored();
        c.channels(&mut self.contact_values, self.toucher.as_mut().map(|t| &mut t.acting));
        self.realize(sys);
        Ok(())
    }

    /// Power at `sample`.
    fn power_here(
        &mut self,
        sys: &System,
        contacts: &mut Option<&mut dyn Dynamics>,
    ) -> Result<Power, StepFailure> {
        let mut lost = 0.0;
        match contacts {
            Some(c) => {
                c.evaluate(&self.sample, &mut self.derived)?;
                lost = c.lost();
                self.stored = c.stored();
                self.realize(sys);
            }
            None if sys.power_needs_multipliers() => self.evaluate(sys)?,
            None => self.realize(sys),
        }
        let mut power = sys.power(&self.ws, &self.derived.lambda).unwrap_or_default();
        power.dissipated += lost;
        Ok(power)
    }

    /// Energies at the realised `sample`, including those that contacts store.
    fn energies(&self, sys: &System) -> Energies {
        let e = sys.energies(&self.ws).unwrap_or_default();
        Energies { potential: e.potential + self.stored, ..e }
    }

    /// Accelerations and multipliers at `sample`.
    fn evaluate(&mut self, sys: &System) -> Result<(), StepFailure> {
        let (s, d) = (&self.sample, &mut self.derived);
        let (a, l, z) = (&mut d.a, &mut d.lambda, &mut d.zdot);
        self.acc.eval(sys, &mut self.ws, s.t, &s.q, &s.v, &s.z, a, l, z)
    }

    fn measure(&mut self, sys: &System) {
        let out = Outputs {
            a: &self.derived.a,
            lambda: &self.derived.lambda,
            dissipated: self.dissipated,
            work: self.work,
            stored: self.stored,
            energy_at_start: self.energy_at_start,
        };
        sys.measure(&mut self.ws, &out, &mut self.measured);
    }

    /// Records the realised `sample`.
    fn push(&mut self, sys: &System) {
        self.measure(sys);
        let e = self.energies(sys);
        let balance = e.kinetic + e.potential + self.dissipated - self.work - self.energy_at_start;
        let [position, velocity] = self.violation_here(sys);
        let diagnostics = [
            e.kinetic,
            e.potential,
            self.dissipated,
            self.work,
            balance,
            position,
            velocity,
            self.acceleration_drift,
        ];
        self.results.t.push(self.sample.t);
        if self.motion.push(&self.sample) {
            self.touch(sys);
        }
        let values = self.measured.values.iter().chain(&self.contact_values).chain(&diagnostics);
        for (column, x) in self.results.data.iter_mut().zip(values) {
            column.push(*x);
        }
        self.next += 1;
        self.requested = None;
        if self.outlet.is_open() && self.results.t.len() >= self.room {
            self.hand_on();
        }
    }

    /// Largest violation of positions and velocities at the realised state between steps.
    fn violation_here(&mut self, sys: &System) -> [f64; 2] {
        let n_pos = sys.dims().n_pos;
        sys.residual_pos(&self.ws, &mut self.g[..n_pos]);
        let pos = largest(&self.g[..n_pos]);
        sys.residual_vel(&self.ws, &mut self.g);
        let here = [pos, largest(&self.g)];
        for k in 0..2 {
            self.sample_drift[k] = self.sample_drift[k].max(here[k]);
        }
        here
    }

    /// Largest constraint violation at the realised state, at three levels.
    fn drift_here(&mut self, sys: &System) -> [f64; 3] {
        let [pos, vel] = self.violation_here(sys);
        sys.bias(&self.ws, &mut self.g);
        sys.add_jacobian_product(&self.ws, &self.derived.a, &mut self.g);
        [pos, vel, largest(&self.g)]
    }
}

fn largest(x: &[f64]) -> f64 {
    delassus_math::max_abs(x)
}
