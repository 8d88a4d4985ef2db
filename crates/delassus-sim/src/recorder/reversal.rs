//! Fixed steps that are too long for the motion: it turns round in every one of them.
//!
//! A method that is stable for any step keeps the energy of a vibration that it does not resolve, and the constraints
//! too: nothing that is measured at the ends of steps is wrong, but the motion there is that of the method. What shows it
//! is the motion itself: a vibration with less than half a period in a step appears as one whose velocity changes its
//! sign from each step to the next.

use delassus_dae::Problem;
use delassus_dae::problem::mass_mul_add;
use delassus_math::remember;
use delassus_model::{System, Workspace};

/// Steps in a row after which a reversal is no coincidence: motion that is resolved turns round once in many steps.
const IN_A_ROW: u32 = 8;
/// Part of the largest kinetic energy below which what turns round does not matter.
const NEGLIGIBLE: f64 = 1e-3;

/// Counts steps in which the motion turns round.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reversals {
    mass: Vec<f64>,
    momentum: Vec<f64>,
    /// Largest kinetic energy so far, J.
    most: f64,
    in_a_row: u32,
    /// Beginning of the present row, s.
    from: f64,
    /// Steps in rows that are long enough.
    pub steps: u64,
    /// Beginning of the first of them, s.
    pub since: Option<f64>,
}
remember!(Reversals { most, in_a_row, from, steps, since } apart from { mass, momentum });

impl Reversals {
    pub fn new(sys: &System) -> Reversals {
        let shape = &sys.structure().mass;
        Reversals {
            mass: vec![0.0; shape.value_len()],
            momentum: vec![0.0; shape.dim()],
            ..Reversals::default()
        }
    }

    /// Examines a step from velocities v₀ at t₀ to v₁, which are realised in `ws`.
    pub fn observe(&mut self, sys: &System, ws: &Workspace, t0: f64, v0: &[f64], v1: &[f64]) {
        sys.mass(ws, &mut self.mass);
        self.momentum.fill(0.0);
        mass_mul_add(&sys.structure().mass, &self.mass, v1, &mut self.momentum);
        let with =
            |v: &[f64]| -> f64 { v.iter().zip(&self.momentum).map(|(v, p)| 0.5 * v * p).sum() };
        let (kinetic, both) = (with(v1), with(v0));
        self.most = self.most.max(kinetic);
        if !(both < -NEGLIGIBLE * self.most) {
            self.in_a_row = 0;
            return;
        }
        if self.in_a_row == 0 {
            self.from = t0;
        }
        self.in_a_row += 1;
        if self.in_a_row == IN_A_ROW {
            self.steps += u64::from(IN_A_ROW);
            self.since = self.since.or(Some(self.from));
        } else if self.in_a_row > IN_A_ROW {
            self.steps += 1;
        }
    }
}
