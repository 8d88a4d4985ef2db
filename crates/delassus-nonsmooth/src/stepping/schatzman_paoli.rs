//! Schatzman–Paoli: positions at three times.
//!
//! ```text
//! M (q₂ − 2 q₁ + q₀)/h² = f(q₁, (q₂ − q₀)/2h) + …        g( (q₂ + e q₀)/(1 + e) ) ≥ 0 ⊥ P ≥ 0
//! ```
//!
//! written with v⁻ = (q₁ − q₀)/h and v⁺ = (q₂ − q₁)/h: g₁ + h (u⁺ − e u⁻)/(1 + e) ≥ 0 with gaps
//! linear about q₁. Stiff forces are taken at (q₀ + 2 q₁ + q₂)/4 (S = M + ½ h C + ¼ h² K). The mean position is free of
//! penetration; the positions themselves may penetrate by e times the approach of one step, for e = 0 they do not.
//! Order 2 in smooth motion. The velocity of the state is v⁺, advanced by half a step of smooth motion where no point
//! acts.

use super::points::{Rule, StepTimes};
use super::{StepReport, Stepper, StepperError};
use delassus_dae::{Dims, State, Unilateral};
use delassus_math::remember;

/// v⁻ and the step it belongs to.
pub(super) struct Half {
    v: Vec<f64>,
    h: f64,
    /// v⁺ of the present step.
    next: Vec<f64>,
    /// Velocity at the start of the present step.
    start: Vec<f64>,
    /// State at which it was left.
    end: State,
    set: bool,
}
remember!(Half { v, h, end, set } apart from { next, start });

impl Half {
    pub fn new(d: Dims) -> Half {
        let end = State { t: 0.0, q: vec![0.0; d.nq], v: vec![0.0; d.nv], z: vec![0.0; d.nz] };
        Half {
            v: vec![0.0; d.nv],
            next: vec![0.0; d.nv],
            start: vec![0.0; d.nv],
            h: 0.0,
            end,
            set: false,
        }
    }

    pub fn forget(&mut self) {
        self.set = false;
    }

    /// Forces changed at the state at which it was left, and with them the accelerations. They act from the middle of
    /// the last step on, so what is added in its second half is taken back.
    pub fn jump(&mut self, a: &[f64], z: &[f64]) {
        for (v, a) in self.v.iter_mut().zip(a) {
            *v -= 0.5 * self.h * a;
        }
        self.end.z.copy_from_slice(z);
    }

    /// Whether the state is the one that was left; its time may have been rounded meanwhile.
    fn is_end(&self, s: &State) -> bool {
        let e = &self.end;
        (e.t - s.t).abs() <= 1e-6 * self.h && e.q == s.q && e.v == s.v && e.z == s.z
    }
}

impl<P: Unilateral> Stepper<P> {
    pub(super) fn schatzman_paoli(
        &mut self,
        p: &P,
        s: &mut State,
        h: f64,
    ) -> Result<StepReport, StepperError> {
        self.place(p, s, 0.0, s.t);
        self.half.start.copy_from_slice(&s.v);
        if self.half.set && self.half.is_end(s) {
            self.v.copy_from_slice(&self.half.v);
        } else {
            // no point acts on a free start: half a step back along the smooth motion
            let margin = 2.0 * h * self.speed(&s.v) + 1e-4 * self.length;
            self.points.collect(p, &self.ws, margin, (0.0, h), self.yielding.known())?;
            self.half.h = h;
            if self.points.pool[..self.points.n].iter().all(|c| c.at.gap > 0.0) {
                self.accelerate_pressed(p, h)?;
                for (i, v) in self.v.iter_mut().enumerate() {
                    *v -= 0.5 * h * (self.derived.a[i] + self.a[i]);
                }
            }
        }
        p.realize_velocity(&self.v, &self.z, &mut self.ws);
        // forces act from the middle of the last step to the middle of this one
        let mean = 0.5 * (h + self.half.h);
        self.free(p, mean, 0.5, 0.5 * h)?;
        let frame = StepTimes {
            h,
            back: 0.0,
            theta: 0.5,
            acts: mean,
            lag: 0.5 * h,
            since_start: 0.5 * self.half.h,
            until_end: 0.5 * h,
            curve: 0.0,
            travel: h,
        };
        let mut report = self.resolve(p, frame, Rule::SchatzmanPaoli)?;
        let acts = report.active > 0;
        for i in 0..self.dims.nv {
            s.v[i] = self.v[i] + self.dv[i] + self.dv_points[i];
            self.xi[i] = h * s.v[i];
            self.half.next[i] = s.v[i];
        }
        p.manifold().retract(&self.q, &self.xi, &mut s.q);
        self.advance_z(p, s, h, s.t);
        s.t += h;
        if !acts {
            for (v, d) in s.v.iter_mut().zip(&self.dv) {
                *v += 0.5 * h / mean * d;
            }
        }
        self.v.copy_from_slice(&self.half.start);
        self.finish(p, s, h, false, &mut report)?;
        self.half.h = h;
        std::mem::swap(&mut self.half.v, &mut self.half.next);
        self.half.end.copy_from(s);
        self.half.set = true;
        Ok(report)
    }
}
