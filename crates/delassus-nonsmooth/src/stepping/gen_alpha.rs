//! Nonsmooth generalized-α: smooth motion of order 2, with separate impulses of points.
//!
//! The smooth part knows forces and joints (the latter at velocity level, positions are projected):
//!
//! ```text
//! M v̇₁ = f(q̃, ṽ) + Gᵀλ ,     (1−α_m) a₁ + α_m a₀ = (1−α_f) v̇₁ + α_f v̇₀
//! ṽ = v₀ + h (1−γ) a₀ + h γ a₁ ,    q̃ = q₀ ∘ exp(h v₀ + h² (½−β) a₀ + h² β a₁)
//! ```
//!
//! then points add M (v₁ − ṽ) = Hᵀ P + joints, by the rule of Moreau–Jean at θ = ½, and q₁ = q̃ ∘ exp(½ h (v₁ − ṽ)) is
//! pushed onto the gaps that are violated. An impulse never enters v̇ or a, which belong to q̃ and ṽ. Soft forces are
//! evaluated again after an impact. Stiff ones are not: springs would ring, and one step with the forces from before
//! the impact costs O(h), as its time does. So impacts are of order 1, free motion is of order 2 with damping of high
//! frequencies by ρ.

use super::points::{Rule, StepTimes};
use super::{StepReport, Stepper, StepperError};
use delassus_dae::{Derived, Dims, State, StepFailure, Unilateral};
use delassus_math::remember;

/// Newton steps of the smooth part.
const MAX_ITERATIONS: usize = 12;

/// v̇ and a at the start of a step, and the trial of its end.
pub(super) struct GenAlpha {
    vdot: Vec<f64>,
    a: Vec<f64>,
    vdot1: Vec<f64>,
    a1: Vec<f64>,
    lambda1: Vec<f64>,
    v1: Vec<f64>,
    q1: Vec<f64>,
    jac: Vec<f64>,
}
remember!(GenAlpha { vdot, a, lambda1 } apart from { vdot1, a1, v1, q1, jac });

impl GenAlpha {
    pub fn new(d: Dims) -> GenAlpha {
        let nv = || vec![0.0; d.nv];
        GenAlpha {
            vdot: nv(),
            a: nv(),
            vdot1: nv(),
            a1: nv(),
            lambda1: vec![0.0; d.n_vel],
            v1: nv(),
            q1: vec![0.0; d.nq],
            jac: Vec::new(),
        }
    }

    pub fn restart(&mut self, d: &Derived) {
        self.vdot.copy_from_slice(&d.a);
        self.a.copy_from_slice(&d.a);
        self.lambda1.copy_from_slice(&d.lambda);
    }

    /// Changes the accelerations at the end of the last step by these.
    pub fn jump(&mut self, by: &[f64]) {
        for (i, by) in by.iter().enumerate() {
            self.vdot[i] += by;
            self.a[i] += by;
        }
    }
}

/// α_m, α_f, β, γ of Chung & Hulbert.
struct Coefficients {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
}

impl Coefficients {
    fn new(rho: f64) -> Coefficients {
        let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
        let alpha_f = rho / (rho + 1.0);
        let gamma = 0.5 + alpha_f - alpha_m;
        Coefficients { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma }
    }
}

impl<P: Unilateral> Stepper<P> {
    pub(super) fn nonsmooth_gen_alpha(
        &mut self,
        p: &P,
        s: &mut State,
        h: f64,
        rho: f64,
    ) -> Result<StepReport, StepperError> {
        let c = Coefficients::new(rho);
        self.smooth(p, s, h, &c)?;
        // points, posed half-way
        let half = 0.5 * h;
        let t = s.t + half;
        self.place(p, s, half, t);
        self.op.prepare(p, &self.ws, half * half, half)?;
        for (d, (v1, v)) in self.dv.iter_mut().zip(self.gen_alpha.v1.iter().zip(&s.v)) {
            *d = v1 - v;
        }
        let frame = StepTimes {
            h,
            back: half,
            theta: 0.5,
            acts: h,
            lag: 0.0,
            since_start: half,
            until_end: half,
            curve: 0.5 * half * half,
            travel: half,
        };
        let mut report = self.resolve(p, frame, Rule::Moreau)?;
        let g = &self.gen_alpha;
        for i in 0..self.dims.nv {
            // the effect of compliant contacts on the velocity is in `dv`
            let smooth = g.v1[i] - self.v[i];
            let by_points = (self.dv[i] - smooth) + self.dv_points[i];
            s.v[i] = g.v1[i] + by_points;
            self.xi[i] = half * by_points;
        }
        for (l, m) in self.lambda.iter_mut().zip(&g.lambda1) {
            *l = h * m;
        }
        self.advance_z(p, s, h, t);
        p.manifold().retract(&self.gen_alpha.q1, &self.xi, &mut s.q);
        s.t += h;
        self.finish(p, s, h, true, &mut report)?;
        if !self.op.implicit && self.points.any_hit() {
            self.start_anew(p, s)?;
        }
        let g = &mut self.gen_alpha;
        std::mem::swap(&mut g.vdot, &mut g.vdot1);
        std::mem::swap(&mut g.a, &mut g.a1);
        Ok(report)
    }

    /// Changes v̇₁ and a₁ by the effect of an impact on soft forces: the forces behind the wall, where the smooth
    /// motion ended, add up over many impacts (½ k (h u)² of energy each at a spring).
    fn start_anew(&mut self, p: &P, s: &State) -> Result<(), StepFailure> {
        self.accelerations(p, s)?;
        let Stepper { a, gen_alpha: g, .. } = self;
        for (i, a) in a.iter().enumerate() {
            g.a1[i] += a - g.vdot1[i];
            g.vdot1[i] = *a;
        }
        Ok(())
    }

    /// ṽ, q̃, v̇₁ and a₁ into `gen_alpha`.
    fn smooth(&mut self, p: &P, s: &State, h: f64, c: &Coefficients) -> Result<(), StepFailure> {
        let nv = self.dims.nv;
        let t = s.t + h;
        for (i, z) in self.z.iter_mut().enumerate() {
            *z = s.z[i] + h * self.derived.zdot[i];
        }
        let ratio = (1.0 - c.alpha_f) / (1.0 - c.alpha_m);
        let (cv, cq) = (h * c.gamma * ratio, h * h * c.beta * ratio);
        let size = self.speed(&s.v).max(self.length / h * 1e-6);
        self.gen_alpha.vdot1.copy_from_slice(&self.gen_alpha.vdot);
        let mut last = f64::INFINITY;
        for iteration in 0.. {
            let g = &mut self.gen_alpha;
            for i in 0..nv {
                g.a1[i] = ((1.0 - c.alpha_f) * g.vdot1[i] + c.alpha_f * g.vdot[i]
                    - c.alpha_m * g.a[i])
                    / (1.0 - c.alpha_m);
                g.v1[i] = s.v[i] + h * ((1.0 - c.gamma) * g.a[i] + c.gamma * g.a1[i]);
                self.xi[i] = h * (s.v[i] + h * ((0.5 - c.beta) * g.a[i] + c.beta * g.a1[i]));
            }
            p.manifold().retract(&s.q, &self.xi, &mut g.q1);
            p.realize_position(t, &g.q1, &self.z, &mut self.ws);
            p.realize_velocity(&g.v1, &self.z, &mut self.ws);
            if iteration == 0 {
                self.op.prepare(p, &self.ws, cq, cv)?;
            }
            let g = &mut self.gen_alpha;
            // −r = f + Gᵀλ − M v̇
            p.force(&self.ws, &mut self.f);
            self.op.add_joint_forces(p, &self.ws, &g.lambda1, &mut g.jac, &mut self.f);
            self.op.sub_inertia(p, &self.ws, &g.vdot1, &mut self.f);
            p.residual_vel(&self.ws, &mut self.rows);
            for r in &mut self.rows {
                *r /= -cv;
            }
            self.op.solve(&self.f, &self.rows, &mut self.a, &mut self.lambda)?;
            for i in 0..nv {
                g.vdot1[i] += self.a[i];
            }
            for (l, d) in g.lambda1.iter_mut().zip(&self.lambda) {
                *l += d;
            }
            let change = h * self.speed(&self.a);
            if change <= 1e-12 * size || (change <= 1e-9 * size && change > 0.5 * last) {
                break;
            }
            if iteration >= MAX_ITERATIONS || !change.is_finite() {
                return Err(StepFailure::NewtonDiverged {
                    iterations: iteration,
                    increment: change / size,
                    worst: 0,
                });
            }
            last = change;
        }
        let g = &mut self.gen_alpha;
        for i in 0..nv {
            g.a1[i] = ((1.0 - c.alpha_f) * g.vdot1[i] + c.alpha_f * g.vdot[i] - c.alpha_m * g.a[i])
                / (1.0 - c.alpha_m);
            g.v1[i] = s.v[i] + h * ((1.0 - c.gamma) * g.a[i] + c.gamma * g.a1[i]);
            self.xi[i] = h * (s.v[i] + h * ((0.5 - c.beta) * g.a[i] + c.beta * g.a1[i]));
        }
        p.manifold().retract(&s.q, &self.xi, &mut g.q1);
        Ok(())
    }
}
