//! Whether the energy balance is as good as the tolerance leads one to expect.
//!
//! The exact motion keeps the balance kinetic + potential + dissipated − work, whatever it does, so errors of the
//! balance are never amplified by the motion: they are the sum of the contributions of the single steps. A step that
//! passes the error test may be off by
//!
//! ```text
//! |δξᵢ| ≤ τ sᵢ ,   |δvᵢ| ≤ τ sᵢ ω        sᵢ: size of the coordinate, ω: fastest rate of its group so far, τ: rtol
//! ```
//!
//! which changes the energy by at most p·δv + f·δξ. [`EnergyAudit`] adds this up over the steps: what the tolerance
//! explains. Fixed steps promise nothing; for them, and where the tolerance would explain everything, the bound is a
//! fraction of the energy that moves. The result is determined at the end of a run: the balance is off since the first
//! step whose error is above the limit of the whole run.

use crate::step_log::StepRow;
use delassus_dae::problem::mass_mul_add;
use delassus_dae::{Derived, Energies, Problem, State, Tolerances};
use delassus_math::remember;
use delassus_model::{System, Workspace};
use serde::Serialize;

/// Fraction of the energy that moves above which an error is never explained.
const MOST: f64 = 1e-2;
/// Fraction of it below which an error does not matter: positions that are given to four digits are moved by as much,
/// and exchanged energy is integrated by a rule without error control.
const LEAST: f64 = 1e-4;
/// Number of steps after which only every [`STRIDE`]th is examined, on behalf of all: sizes and speeds change little
/// from one to the next, and monitoring should not slow down the steps.
const EACH: u64 = 64;
const STRIDE: u64 = 8;
/// Round-off of a sum of energies, relative to its largest part.
const ROUND_OFF: f64 = 1e-13;
/// Fraction of the energy that moves that no step may bring in from nowhere.
const NOWHERE: f64 = 0.5;
/// Distance in one step, in sizes of the model, below which energy from nowhere moves nothing.
const TREMBLES: f64 = 1e-3;

/// The energy balance of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct EnergyBalance {
    /// Largest error at accepted steps, J.
    pub error: f64,
    /// Energy that moved: largest kinetic energy, range of the potential energy, and everything that was dissipated and
    /// fed in, J.
    pub moved: f64,
    /// Error that the tolerance explains, J; `None` for fixed steps.
    pub explained: Option<f64>,
    /// Error that round-off explains, J.
    pub round_off: f64,
    /// Error above which the balance is off, J.
    pub limit: f64,
    /// Since when it is off, s; `None` if it is not.
    pub off_since: Option<f64>,
}

/// Follows the energies of a run from step to step.
pub(crate) struct EnergyAudit {
    size: Vec<f64>,
    inverse: Vec<f64>,
    mass: Vec<f64>,
    product: Vec<f64>,
    /// `None` for fixed steps.
    tol: Option<Tolerances>,
    steps: u64,
    /// Fastest rate of a coordinate so far, 1/s, and for each group the one that the error test uses: it includes the
    /// rate that a system at rest is about to reach.
    pub fastest: f64,
    rate: Vec<f64>,
    /// Group of each velocity.
    group: Vec<usize>,
    explained: f64,
    kinetic: f64,
    potential: [f64; 2],
    exchanged: f64,
    last: [f64; 2],
    largest: f64,
    error: f64,
    /// Smallest kinetic and potential energy so far, and the same without what was fed in.
    least: [f64; 2],
    /// Number of steps in a row with energy from nowhere.
    gained: u32,
    /// Kinetic energy of a body that moves no faster than errors of velocities may be, J: it is at rest.
    unmoved: f64,
    /// Rate that gravity would cause in each group, 1/s.
    falls: Vec<f64>,
    /// End of the last step, s.
    t: f64,
}
remember!(EnergyAudit {
    steps, fastest, rate, explained, kinetic, potential, exchanged, last, largest, error,
    least, gained, t, unmoved,
} apart from { falls, group, size, inverse, mass, product, tol });

impl EnergyAudit {
    /// From the time and the energies at the start.
    pub fn new(sys: &System, t: f64, start: Energies) -> EnergyAudit {
        let (nv, size) = (sys.dims().nv, sys.scales().q);
        let (mut group, lengths) = (sys.groups(), sys.group_lengths());
        group.truncate(nv);
        let g = sys.model().gravity.norm();
        EnergyAudit {
            inverse: size.iter().map(|s| 1.0 / s).collect(),
            size,
            mass: vec![0.0; sys.structure().mass.value_len()],
            product: vec![0.0; nv],
            tol: None,
            steps: 0,
            fastest: 0.0,
            rate: vec![0.0; lengths.len()],
            group,
            explained: 0.0,
            kinetic: start.kinetic,
            potential: [start.potential; 2],
            exchanged: 0.0,
            last: [0.0; 2],
            largest: 0.0,
            error: 0.0,
            least: [start.kinetic + start.potential; 2],
            gained: 0,
            unmoved: 0.0,
            falls: lengths.iter().map(|length| (0.1 * g / length).sqrt()).collect(),
            t,
        }
    }

    /// The steps are controlled by an error test with these tolerances.
    pub fn expect(&mut self, tol: Tolerances) {
        self.tol = Some(tol);
    }

    /// Records the end of an accepted step, realised in `ws`: energies, what was dissipated and fed in so far, and the
    /// balance.
    pub fn observe(
        &mut self,
        sys: &System,
        ws: &Workspace,
        (s, d): (&State, &Derived),
        e: Energies,
        exchanged: [f64; 2],
        balance: f64,
    ) {
        self.kinetic = self.kinetic.max(e.kinetic);
        self.potential = [self.potential[0].min(e.potential), self.potential[1].max(e.potential)];
        for (now, last) in exchanged.iter().zip(&mut self.last) {
            self.exchanged += (now - *last).abs();
            *last = *now;
        }
        for x in [e.kinetic, e.potential, exchanged[0], exchanged[1]] {
            self.largest = self.largest.max(x.abs());
        }
        let mut v = 0.0_f64;
        for (i, inverse) in self.inverse.iter().enumerate() {
            let (moves, pulled) = (s.v[i].abs() * inverse, 0.1 * d.a[i].abs() * inverse);
            v = v.max(moves);
            let rate = &mut self.rate[self.group[i]];
            *rate = rate.max(moves);
            if pulled > *rate * *rate {
                *rate = pulled.sqrt();
            }
        }
        self.fastest = self.fastest.max(v);
        self.steps += 1;
        let every = if self.steps <= EACH { 1 } else { STRIDE };
        if let Some(tol) = self.tol
            && self.steps.is_multiple_of(every)
        {
            self.explained += every as f64 * self.explained_by(sys, ws, s, d, tol);
        }
        // Dissipation is left out: it can only take energy away, and within a long step it is not accurately known.
        // Little energy fed in is not suspicious either if the mechanism has no more than before.
        let own = e.kinetic + e.potential;
        let mut gain = f64::INFINITY;
        for (least, now) in self.least.iter_mut().zip([own, own - exchanged[1]]) {
            gain = gain.min(now - *least);
            *least = least.min(now);
        }
        // a vibration has all its energy in either form, and counts once
        let range = self.potential[1] - self.potential[0];
        let seen = self.kinetic.max(range) + self.exchanged;
        // a stiff spring that trembles does not change the motion
        let way = (s.t - self.t) * v;
        self.t = s.t;
        let nowhere = gain > NOWHERE * seen + ROUND_OFF * self.largest && !(way <= TREMBLES);
        self.gained = if nowhere { self.gained + 1 } else { 0 };
        // a balance that is NaN is off, and stays so
        if !(balance.abs() <= self.error) && !self.error.is_nan() {
            self.error = balance.abs();
        }
    }

    /// Energy that the error of one step may bring in, J.
    fn explained_by(
        &mut self,
        sys: &System,
        ws: &Workspace,
        s: &State,
        d: &Derived,
        tol: Tolerances,
    ) -> f64 {
        sys.mass(ws, &mut self.mass);
        let mut sum = 0.0;
        for (x, is_velocity) in [(&s.v, true), (&d.a, false)] {
            self.product.fill(0.0);
            mass_mul_add(&sys.structure().mass, &self.mass, x, &mut self.product);
            for (i, (p, size)) in self.product.iter().zip(&self.size).enumerate() {
                let rate = if is_velocity { self.rate[self.group[i]] } else { 1.0 };
                let error = tol.rtol * size * rate + tol.atol;
                sum += (p * error).powi(2);
            }
        }
        let shape = &sys.structure().mass;
        for k in 0..shape.count() {
            let (n, dof, at) = (shape.sizes()[k], shape.dof(k), shape.value(k));
            let Some(&group) = self.group.get(dof) else { continue };
            let rate = self.rate[group].max(self.falls[group]);
            let error = |i: usize| tol.rtol * self.size[dof + i] * rate + tol.atol;
            let own = (0..n).map(|i| 0.5 * self.mass[at + i * n + i] * error(i).powi(2));
            self.unmoved = self.unmoved.max(own.sum());
        }
        // the error test takes the root of the mean square
        (2.0 * self.size.len() as f64 * sum).sqrt()
    }

    /// Whether kinetic and potential energy have, for this many fixed steps, exceeded their minimum by half of all the
    /// energy that ever moved, without anything that would have fed it in. Adaptive steps have an error test.
    pub fn gains_from_nowhere(&self, steps: u32) -> bool {
        self.tol.is_none() && self.gained >= steps
    }

    /// Energy that moved so far, J.
    pub fn moved(&self) -> f64 {
        self.kinetic + (self.potential[1] - self.potential[0]) + self.exchanged
    }

    /// Error above which the balance is off, J.
    fn limit(&self) -> f64 {
        let moved = self.moved();
        if !moved.is_finite() {
            // no error is small compared with that
            return 0.0;
        }
        let expected = match self.tol {
            Some(_) => self.explained.clamp(LEAST * moved, MOST * moved).max(self.unmoved),
            None => MOST * moved,
        };
        expected + ROUND_OFF * self.largest
    }

    /// The balance so far, in steps of which the log is given.
    pub fn balance(&self, steps: &[StepRow]) -> EnergyBalance {
        let limit = self.limit();
        let off = steps.iter().find(|s| !(s.energy_error.abs() <= limit));
        EnergyBalance {
            error: self.error,
            moved: self.moved(),
            explained: self.tol.map(|_| self.explained),
            round_off: ROUND_OFF * self.largest,
            limit,
            off_since: off.map(|s| s.t),
        }
    }
}
