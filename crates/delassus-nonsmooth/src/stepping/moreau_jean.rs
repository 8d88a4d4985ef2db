//! Moreau–Jean with θ from ½ to 1.
//!
//! ```text
//! q_c = q₀ ∘ exp((1−θ) h v₀)          everything is evaluated here: M, G, H, f, gaps
//! S (v₁ − v₀) = h f(q_c, v₀) − (2θ−1) h² K v₀ + Gᵀ Λ + Hᵀ P      S = M + θ h C + θ² h² K
//! q₁ = q_c ∘ exp(θ h v₁)
//! ```
//!
//! For linear forces this is the θ-rule; for θ = ½ it is the midpoint rule with order 2 in smooth motion, and free of
//! damping. Where forces are soft S = M and f is taken at q_c and at the velocity half-way instead (explicit midpoint),
//! predicted with the contact forces of the last step, so that a damper of a held body sees no velocity. Rates at the
//! end of the step, at which joints and points are held, are G v₁ + g_t + θ h γ: the bias carries the rows from q_c to
//! q₁. Auxiliary states are integrated by the explicit midpoint rule.

use super::points::{Rule, StepTimes};
use super::{StepReport, Stepper, StepperError};
use delassus_dae::{State, StepFailure, Unilateral};

impl<P: Unilateral> Stepper<P> {
    pub(super) fn moreau_jean(
        &mut self,
        p: &P,
        s: &mut State,
        h: f64,
        theta: f64,
    ) -> Result<StepReport, StepperError> {
        let (back, ahead) = ((1.0 - theta) * h, theta * h);
        let t = s.t + back;
        self.place(p, s, back, t);
        self.free(p, h, theta, ahead)?;
        let frame = StepTimes {
            h,
            back,
            theta,
            acts: h,
            lag: 0.0,
            since_start: back,
            until_end: ahead,
            curve: 0.5 * ahead * ahead,
            travel: ahead,
        };
        let mut report = self.resolve(p, frame, Rule::Moreau)?;
        for i in 0..self.dims.nv {
            s.v[i] = self.v[i] + self.dv[i] + self.dv_points[i];
            self.xi[i] = ahead * s.v[i];
        }
        self.advance_z(p, s, h, t);
        p.manifold().retract(&self.q, &self.xi, &mut s.q);
        s.t += h;
        self.finish(p, s, h, true, &mut report)?;
        Ok(report)
    }

    /// Moves to the place where the step is posed, `back` after its start, and realises it with the velocity of the
    /// start.
    pub(super) fn place(&mut self, p: &P, s: &State, back: f64, t: f64) {
        self.t = t;
        self.v.copy_from_slice(&s.v);
        for (x, v) in self.xi.iter_mut().zip(&s.v) {
            *x = back * v;
        }
        for (i, z) in self.z.iter_mut().enumerate() {
            *z = s.z[i] + back * self.derived.zdot[i];
        }
        p.manifold().retract(&s.q, &self.xi, &mut self.q);
        p.realize_position(t, &self.q, &self.z, &mut self.ws);
        p.realize_velocity(&self.v, &self.z, &mut self.ws);
    }

    /// Change `dv` of the velocity over a step without points, and impulses `lambda` of joints;
    /// forces act for h. `until_end` carries the rows of joints to the end of the step.
    pub(super) fn free(
        &mut self,
        p: &P,
        h: f64,
        theta: f64,
        until_end: f64,
    ) -> Result<(), StepFailure> {
        self.op.prepare(p, &self.ws, (theta * h) * (theta * h), theta * h)?;
        p.force(&self.ws, &mut self.f);
        p.residual_vel(&self.ws, &mut self.rows);
        p.bias(&self.ws, &mut self.gamma);
        for (r, g) in self.rows.iter_mut().zip(&mut self.gamma) {
            *r = -(*r + until_end * *g);
            *g = -*g;
        }
        if self.op.implicit {
            for f in &mut self.f {
                *f *= h;
            }
            if theta > 0.5 {
                let weight = (2.0 * theta - 1.0) * h * h;
                self.op.add_stiffness(p, &self.ws, -weight, &self.v, &mut self.f);
            }
        } else {
            for (f, c) in self.f.iter_mut().zip(&self.carried) {
                *f += c;
            }
            self.op.solve(&self.f, &self.gamma, &mut self.a, &mut self.lambda)?;
            for (x, (v, a)) in self.xi.iter_mut().zip(self.v.iter().zip(&self.a)) {
                *x = v + theta * h * a;
            }
            p.realize_velocity(&self.xi, &self.z, &mut self.ws);
            p.force(&self.ws, &mut self.f);
            p.realize_velocity(&self.v, &self.z, &mut self.ws);
            for f in &mut self.f {
                *f *= h;
            }
        }
        self.op.solve(&self.f, &self.rows, &mut self.dv, &mut self.lambda)
    }
}
