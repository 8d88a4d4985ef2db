//! A model whose rates a solver of the host integrates.
//!
//! States are all coordinates q (with four numbers per rotation), all velocities v, the auxiliary states z and, where
//! sensors ask for them, the energies that were dissipated and fed in. They are more than the mechanism has degrees of
//! freedom, and the solver of the host knows nothing of the constraints. So rates are those at the nearest consistent
//! state P(x), and in addition pull x towards it:
//!
//! ```text
//! ẋ = f(P(x)) − (x − P(x)) ω,   ω = |v|, each velocity in sizes of its coordinate
//! ```
//!
//! A consistent state stays one, and errors of the solver off the constraints, which would otherwise add up, decay as the
//! mechanism moves. They are as small as its tolerance, and ω is no faster than the motion itself. Outputs are those at
//! P(x).
//!
//! Where a function of time switches, an event is announced. Times within the rounding of the switch count as after it
//! once the event was treated. Where a force switches with the state there is an event indicator, and nothing to treat: the
//! force follows the state at once.

use super::slopes::{Slopes, four, half_product, three};
use crate::variables::{Layout, Role};
use delassus::dae::projection::Projector;
use delassus::dae::{Accel, Derived, Problem, Settings, State, StepFailure};
use delassus::math::memory::{Memory, Remember, restore, save};
use delassus::model::{Assembled, Measured, Outputs, Switches, System, Workspace};
use delassus::sim::next_time_mark;
use std::sync::Arc;

/// How far events are looked for ahead, in spans of the model's own run; an event there only looks further.
const AHEAD: f64 = 1.0;

/// A model to be solved.
pub struct Exchange {
    pub(super) sys: Arc<System>,
    parameters: Vec<f64>,
    pub(super) layout: Layout,
    pub(super) ws: Workspace,
    pub(super) acc: Accel,
    /// The same with multipliers of least norm, for outputs.
    pub(super) outputs: Accel,
    projector: Projector,
    pub(super) scale: Vec<f64>,
    switches: Switches,
    energy_at_start: f64,
    pub(super) kept: Kept,
    /// The consistent state, its accelerations and what is measured there; right unless `stale`.
    pub(super) here: State,
    pub(super) derived: Derived,
    measured: Measured,
    /// Multipliers of the outputs.
    pub(super) lambda_out: Vec<f64>,
    /// Matrices there, if someone has asked for derivatives.
    pub(super) slopes: Option<Slopes>,
    stale: bool,
    measured_here: bool,
}

/// What it carries from call to call.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    t: f64,
    pub(super) x: Vec<f64>,
    pub(super) inputs: Vec<f64>,
    /// Times from here on count as after the last event, s.
    floor: f64,
    /// The next event in time, and the first time after it.
    next: Option<(f64, f64)>,
    /// What was measured at the last completed step, which tells whole turns.
    turns: Measured,
}

impl Remember for Kept {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let Kept { t, x, inputs, floor, next, turns } = self;
        t.remember(m);
        x.remember(m);
        inputs.remember(m);
        floor.remember(m);
        let (mut known, mut times) = (next.is_some(), next.unwrap_or_default());
        known.remember(m);
        times.remember(m);
        *next = known.then_some(times);
        turns.remember(m);
    }
}

impl Exchange {
    /// At the start.
    pub fn new(model: Assembled) -> Result<Exchange, String> {
        let sys = model.system.clone();
        let layout = Layout::of(&model);
        let text = |e: &dyn std::fmt::Display| e.to_string();
        let mut ws = sys.workspace();
        let s = &model.state;
        sys.realize_position(s.t, &s.q, &s.z, &mut ws);
        sys.realize_velocity(&s.v, &s.z, &mut ws);
        let energy = sys.energies(&ws).unwrap_or_default();
        let mut x = vec![0.0; layout.len()];
        write_state(s, layout, [0.0; 2], &mut x);
        let kept = Kept {
            t: s.t,
            x,
            inputs: s.z[sys.inputs()].to_vec(),
            floor: s.t,
            next: None,
            turns: Measured::default(),
        };
        let mut made = Exchange {
            parameters: sys.model().parameters.iter().map(|(_, x)| *x).collect(),
            layout,
            acc: Accel::new(&*sys).map_err(|e| text(&e))?,
            outputs: Accel::min_norm(&*sys).map_err(|e| text(&e))?,
            projector: Projector::new(&*sys, Settings::default().constraint_tol),
            scale: sys.scales().q,
            switches: sys.switches(),
            energy_at_start: energy.kinetic + energy.potential,
            kept,
            here: model.state.clone(),
            derived: model.derived.clone(),
            measured: Measured::default(),
            lambda_out: Vec::new(),
            slopes: None,
            stale: true,
            measured_here: false,
            ws,
            sys,
        };
        made.measure().map_err(|e| text(&e))?;
        made.kept.turns = made.measured.clone();
        Ok(made)
    }

    /// Sets the time.
    pub fn set_time(&mut self, t: f64) {
        self.kept.t = t;
        self.stale = true;
    }

    /// Sets a state.
    pub fn set_state(&mut self, k: usize, x: f64) {
        if let Some(state) = self.kept.x.get_mut(k) {
            *state = x;
            self.stale = true;
        }
    }

    /// Sets an input.
    pub fn set_input(&mut self, k: usize, x: f64) {
        if let Some(input) = self.kept.inputs.get_mut(k) {
            *input = x;
            self.stale = true;
        }
    }

    /// Copies the states.
    pub fn states(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.kept.x);
    }

    /// Copies typical sizes of the states: those of the coordinates, and of the velocities per second.
    pub fn nominals(&self, out: &mut [f64]) {
        out.fill(1.0);
        let places = self.sys.manifold().places();
        for (iv, (place, size)) in places.iter().zip(&self.scale).enumerate() {
            if *size > 0.0 && size.is_finite() {
                out[self.layout.nq + iv] = *size;
                if let Some(iq) = place {
                    out[*iq] = *size;
                }
            }
        }
    }

    /// Finds the consistent state, and evaluates there.
    fn evaluate(&mut self) -> Result<(), StepFailure> {
        if !self.stale {
            return Ok(());
        }
        (self.measured_here, self.slopes) = (false, None);
        let Exchange { sys, ws, acc, projector, here, derived, kept, layout, .. } = self;
        let Layout { nq, nv, nz, .. } = *layout;
        here.t = kept.t.max(kept.floor);
        let zero = vec![0.0; nv];
        // a step of length zero brings quaternions to unit length
        sys.manifold().retract(&kept.x[..nq], &zero, &mut here.q);
        here.v.copy_from_slice(&kept.x[nq..nq + nv]);
        here.z[..nz].copy_from_slice(&kept.x[nq + nv..nq + nv + nz]);
        let inputs = sys.inputs();
        here.z[inputs].copy_from_slice(&kept.inputs);
        projector.position(&**sys, ws, acc, here.t, &mut here.q, &here.z)?;
        sys.restore_known_states(here);
        projector.velocity(&**sys, ws, acc, &mut here.v, &here.z)?;
        let Derived { a, lambda, zdot, .. } = derived;
        acc.eval(&**sys, ws, here.t, &here.q, &here.v, &here.z, a, lambda, zdot)?;
        self.stale = false;
        Ok(())
    }

    /// Copies the rates of the states.
    pub fn rates(&mut self, out: &mut [f64]) -> Result<(), String> {
        self.evaluate().map_err(|e| e.to_string())?;
        let Layout { nq, nv, nz, exchanged } = self.layout;
        let (s, d) = (&self.here, &self.derived);
        let manifold = self.sys.manifold();
        for (iv, place) in manifold.places().iter().enumerate() {
            if let Some(iq) = place {
                out[*iq] = s.v[iv];
            }
        }
        for (iq, iv) in manifold.rotations() {
            // half the product of the quaternion and the angular velocity in the body
            out[iq..iq + 4].copy_from_slice(&half_product(four(&s.q, iq), three(&s.v, iv)));
        }
        out[nq..nq + nv].copy_from_slice(&d.a);
        out[nq + nv..nq + nv + nz].copy_from_slice(&d.zdot[..nz]);
        if exchanged > 0 {
            let power = self.sys.power(&self.ws, &d.lambda).unwrap_or_default();
            out[nq + nv + nz] = power.dissipated;
            out[nq + nv + nz + 1] = power.work;
        }
        let pace = self.pace();
        let consistent = s.q.iter().chain(&s.v).chain(&s.z[..nz]);
        for ((rate, x), p) in out.iter_mut().zip(&self.kept.x).zip(consistent) {
            *rate -= (x - p) * pace;
        }
        match out.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err("a rate is not finite at these states".to_owned()),
        }
    }

    /// ω of the pull, 1/s.
    pub(super) fn pace(&self) -> f64 {
        let squares = self.here.v.iter().zip(&self.scale).map(|(v, size)| match *size > 0.0 {
            true => (v / size) * (v / size),
            false => 0.0,
        });
        squares.sum::<f64>().sqrt()
    }

    /// Measures at the consistent state.
    pub(super) fn measure(&mut self) -> Result<(), StepFailure> {
        self.evaluate()?;
        if self.measured_here {
            return Ok(());
        }
        let Exchange { sys, ws, outputs, here, derived, kept, measured, layout, .. } = self;
        let lambda = &mut self.lambda_out;
        lambda.clone_from(&derived.lambda);
        if sys.measures_dynamics() {
            let (mut a, mut zdot) = (derived.a.clone(), derived.zdot.clone());
            let s = &*here;
            outputs.eval(&**sys, ws, s.t, &s.q, &s.v, &s.z, &mut a, lambda, &mut zdot)?;
        }
        let from = layout.nq + layout.nv + layout.nz;
        let exchanged = match layout.exchanged {
            0 => [0.0; 2],
            _ => [kept.x[from], kept.x[from + 1]],
        };
        let out = Outputs {
            a: &derived.a,
            lambda,
            dissipated: exchanged[0],
            work: exchanged[1],
            stored: 0.0,
            energy_at_start: self.energy_at_start,
        };
        measured.clone_from(&kept.turns);
        sys.measure(ws, &out, measured);
        self.measured_here = true;
        Ok(())
    }

    /// Copies the functions whose zeros are events.
    pub fn indicators(&mut self, out: &mut [f64]) -> Result<(), String> {
        self.evaluate().map_err(|e| e.to_string())?;
        self.sys.switch_values(&mut self.ws, &self.switches, out);
        match out.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err("an event indicator is not finite at these states".to_owned()),
        }
    }

    /// Value of a variable that the model computes.
    pub fn value(&mut self, role: Role) -> Result<f64, String> {
        match role {
            Role::Output(k) => {
                self.measure().map_err(|e| e.to_string())?;
                let x = self.measured.values.get(k).copied().unwrap_or(f64::NAN);
                x.is_finite().then_some(x).ok_or_else(|| "an output is not finite".to_owned())
            }
            Role::Derived(k) => Ok(self.parameters.get(k).copied().unwrap_or(f64::NAN)),
            Role::State(k) => Ok(self.kept.x.get(k).copied().unwrap_or(f64::NAN)),
            Role::Rate(k) => {
                let mut rates = vec![0.0; self.layout.len()];
                self.rates(&mut rates)?;
                Ok(rates.get(k).copied().unwrap_or(f64::NAN))
            }
            Role::Indicator(k) => {
                let mut all = vec![0.0; self.switches.len()];
                self.indicators(&mut all)?;
                Ok(all.get(k).copied().unwrap_or(f64::NAN))
            }
            _ => Ok(f64::NAN),
        }
    }

    /// The solver has completed a step.
    pub fn completed(&mut self) -> Result<(), String> {
        if self.sys.tracks_turns() {
            self.measure().map_err(|e| e.to_string())?;
            self.kept.turns = self.measured.clone();
        }
        Ok(())
    }

    /// Treats an event: makes the states consistent, and looks for the next switch of a function of time. Says whether
    /// states have changed, and when the next event is.
    pub fn update(&mut self) -> Result<(bool, Option<f64>), String> {
        if let Some((_, after)) = self.kept.next.filter(|(before, _)| self.kept.t >= *before) {
            (self.kept.floor, self.kept.next, self.stale) = (after, None, true);
        }
        self.evaluate().map_err(|e| e.to_string())?;
        let exchanged = {
            let from = self.layout.len() - self.layout.exchanged;
            [0, 1].map(|k| self.kept.x.get(from + k).copied().unwrap_or(0.0))
        };
        let before = self.kept.x.clone();
        write_state(&self.here, self.layout, exchanged, &mut self.kept.x);
        let changed = before != self.kept.x;
        self.stale |= changed;
        let t = self.kept.t.max(self.kept.floor);
        let analysis = &self.sys.model().analysis;
        let until = t + AHEAD * (analysis.end - analysis.start);
        self.evaluate().map_err(|e| e.to_string())?;
        let found = next_time_mark(&*self.sys, &mut self.ws, t, until);
        self.stale = true;
        self.kept.next = match found {
            Some(mark) => Some((mark.before, mark.after)),
            None if self.sys.time_laws() == delassus::dae::TimeLaws::None => None,
            None => Some((until, until)),
        };
        Ok((changed, self.kept.next.map(|(before, _)| before)))
    }

    /// What has no exact derivative; `None` if everything has.
    pub fn without_slopes(&self) -> Option<String> {
        self.sys.without_directions()
    }

    /// Its memory.
    pub fn save(&mut self) -> Vec<u8> {
        save(&mut self.kept.clone())
    }

    /// Continues from its memory.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut kept = Kept::default();
        restore(&mut kept, bytes).map_err(|e| e.to_string())?;
        if kept.x.len() != self.kept.x.len() || kept.inputs.len() != self.kept.inputs.len() {
            return Err("it has other states".to_owned());
        }
        (self.kept, self.stale) = (kept, true);
        Ok(())
    }
}

/// Copies a state of the model, and the energies exchanged so far, to the states of the host.
fn write_state(s: &State, layout: Layout, exchanged: [f64; 2], x: &mut [f64]) {
    let values = s.q.iter().chain(&s.v).chain(&s.z[..layout.nz]);
    let values = values.chain(exchanged.iter().take(layout.exchanged));
    for (x, value) in x.iter_mut().zip(values) {
        *x = *value;
    }
}
