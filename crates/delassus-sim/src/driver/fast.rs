//! The fastest vibration of a problem beside the steps of an explicit method.
//!
//! A vibration without damping holds the steps of an explicit method at the border of its stability, h ω about 1, and its error
//! estimate hovers there with it: nothing of a single step shows whether the vibration is too fast for the method or is what is to
//! be computed. But one that is seen takes shorter steps to be followed, and steps at the border are rejected now and then. ω is
//! found by power iteration on differences of accelerations, so that any method can be asked.

use super::Driver;
use crate::stiffness::{Fastest, Look};
use delassus_dae::{Accel, Problem, State, StepFailure};

/// Iterations: they find the rate within a tenth or two, which suffices.
const ITERATIONS: usize = 12;
/// Part of the size of coordinates by which they are moved.
const MOVE: f64 = 1e-6;

impl<P: Problem> Driver<P> {
    /// Looks, when it is time to, whether the fastest vibration limits the steps.
    pub(super) fn watch_fast(&mut self, p: &P) {
        let info = self.method.info();
        if info.swing == 0.0 || !self.stiffness.wants_look() {
            return;
        }
        let look = Look {
            t: self.state.t,
            h: self.state.t - self.prev.t,
            swing: info.swing,
            rejected: self.rejections.error,
        };
        self.stiffness.looked(look, fastest(p, &self.state).ok().flatten());
    }

    /// The fastest vibration, if it limits the steps at present, and the longest step that it leaves stable, s.
    pub fn limited_by(&self) -> Option<(Fastest, f64)> {
        let fastest = self.stiffness.limited_by()?;
        Some((fastest, self.method.info().swing / fastest.rate))
    }
}

/// The largest rate of small motions next to a state, 1/s, and the velocity that takes part most; `None` where nothing answers.
fn fastest<P: Problem>(p: &P, s: &State) -> Result<Option<Fastest>, StepFailure> {
    let d = p.dims();
    let (m, scale) = (p.manifold(), p.scales().q);
    let mut ws = p.workspace();
    let mut accel = Accel::new(p)?;
    let (mut lambda, mut zdot) = (vec![0.0; d.n_vel], vec![0.0; d.nz]);
    let mut at = |q: &[f64], v: &[f64], a: &mut Vec<f64>| {
        accel.eval(p, &mut ws, s.t, q, v, &s.z, a, &mut lambda, &mut zdot)
    };
    let (mut here, mut there) = (vec![0.0; d.nv], vec![0.0; d.nv]);
    at(&s.q, &s.v, &mut here)?;
    let size = |x: &[f64]| {
        let square = |(x, s): (&f64, &f64)| (x / s).powi(2);
        x.iter().zip(&scale).map(square).sum::<f64>().sqrt()
    };
    let mut best: Option<Fastest> = None;
    let mut moved = s.clone();
    for by_speed in [false, true] {
        // no vector of a problem is across this one but by accident
        let start = |i: usize| scale[i] * (1.0 + 0.754_877 * (i + 1) as f64).sin();
        let mut x: Vec<f64> = (0..d.nv).map(start).collect();
        let mut growth = 0.0;
        for _ in 0..ITERATIONS {
            let unit = MOVE / size(&x);
            if !unit.is_finite() {
                break;
            }
            x.iter_mut().for_each(|x| *x *= unit);
            let pace = best.map_or(1.0, |b| b.rate);
            if by_speed {
                moved.q.copy_from_slice(&s.q);
                let speeds = moved.v.iter_mut().zip(&s.v).zip(&x);
                speeds.for_each(|((to, v), x)| *to = v + pace * x);
            } else {
                m.retract(&s.q, &x, &mut moved.q);
            }
            at(&moved.q, &moved.v, &mut there)?;
            let unit = if by_speed { 1.0 / pace } else { 1.0 };
            for ((x, a), b) in x.iter_mut().zip(&there).zip(&here) {
                *x = (a - b) * unit;
            }
            growth = size(&x) / MOVE;
        }
        let rate = if by_speed { growth } else { growth.sqrt() };
        if rate.is_finite() && rate > best.map_or(0.0, |b| b.rate) {
            let part = |i: &usize| (x[*i] / scale[*i]).abs();
            let most = (0..d.nv).max_by(|i, j| part(i).total_cmp(&part(j)));
            best = most.map(|dof| Fastest { rate, dof });
        }
    }
    Ok(best)
}
