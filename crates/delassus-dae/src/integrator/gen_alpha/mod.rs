//! Generalized-α and its relatives, Lie-group version, fixed or varying step.
//!
//! ```text
//! (1−α_m) a₁ + α_m a₀ = (1−α_f) v̇₁ + α_f v̇₀
//! ξ  = h v₀ + h² [(½−β) a₀ + β a₁] (+ p) ,   q₁ = q₀ ∘ exp(ξ)
//! v₁ = v₀ + h [(1−γ) a₀ + γ a₁]
//! M v̇₁ − f − Gᵀλ₁ = 0     with     index 3:          g(q₁, t₁) = 0
//!                                  index 2:          G v₁ + g_t = 0
//!                                  stabilised (GGL): both, M p = Gᵀη
//! ```
//!
//! Velocity-only (rolling) rows are imposed at velocity level in every form; auxiliary states follow the trapezoidal
//! rule. The local error of a position is h³ (C_q v̈ + v̂v̇/12), with v̈ from the difference of v̇ over the step;
//! members of order 1 (Newmark with γ ≠ ½) add C_v h² v̈ in the velocity. That of an auxiliary state is h³ z⃛/12.
//!
//! Use it for stiff systems and where a smooth, dissipative answer is wanted. Index 3 is the cheapest with equal steps;
//! v and λ carry an O(h²) offset and each change of h restarts it. The stabilised form holds both constraints and
//! changes h freely, at the cost of one more factorisation per step; index 2 is the cheapest with varying steps and
//! drifts. Without dissipation (ρ∞ = 1, α = 0, Newmark with γ = ½) errors of λ alternate undamped; on index 3 they
//! grow.
//!
//! Where to read: [`coefficients`], [`form`] and [`family`] define the members, [`start`] what a step begins with,
//! [`guess`] what very stiff forces require, [`newton`] and [`matrix`] how it is solved, [`sliver`] what is reported
//! after a step that was cut short.
//!
//! References: Newmark, J. Eng. Mech. Div. 85 (1959); Hilber, Hughes & Taylor, Earthquake Eng.
//! Struct. Dyn. 5 (1977); Gear, Gupta & Leimkuhler, J. Comput. Appl. Math. 12 (1985); Chung &
//! Hulbert, J. Appl. Mech. 60 (1993); Arnold & Brüls, Multibody Syst. Dyn. 18 (2007); Jay &
//! Negrut, Comput. Methods Appl. Sci. 12 (2008); Brüls, Cardona & Arnold, Mech. Mach. Theory 48
//! (2012); Arnold, Brüls & Cardona, Numer. Math. 129 (2015); Haddouni, Acary, Garreau, Beley &
//! Brogliato, Multibody Syst. Dyn. 41 (2017).

mod coefficients;
mod family;
mod form;
mod guess;
mod matrix;
mod newton;
mod sliver;
mod start;

pub(super) use family::Member;

use super::newton::Step;
use super::rounding::Rounding;
use super::{Integrator, MethodInfo, Settings};
use crate::accel::Accel;
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work};
use crate::pivots::BestPivot;
use crate::problem::{Dims, Problem};
use crate::state::{Derived, State};
use coefficients::Coefficients;
use delassus_linalg::{KktError, MassShape};
use delassus_math::remember;
use form::Form;
use matrix::Matrix;
use newton::Target;

/// A member of the family with its memory.
pub struct GenAlpha {
    info: MethodInfo,
    co: Coefficients,
    form: Form,
    dims: Dims,
    acc: Accel,
    matrix: Matrix,
    mass_blocks: MassShape,
    scale: Vec<f64>,
    rounding: Rounding,
    // values on the patterns, at the iterate; G at the committed state
    mass: Vec<f64>,
    jac: Vec<f64>,
    jac_start: Vec<f64>,
    // history: algorithmic acceleration at the present state, v̇ and λ one step before, the number of steps of this
    // size in a row, the step that led here
    a_alg: Vec<f64>,
    before: Derived,
    in_a_row: u32,
    h_prev: Option<f64>,
    /// Rounding error of v in the step that led here, and in the attempt.
    carry: Vec<f64>,
    carry_next: Vec<f64>,
    // the attempt: what it starts from, and how far v̇ and λ are extrapolated for a first guess
    base: Derived,
    jerk: Vec<f64>,
    a0: Vec<f64>,
    v0: Vec<f64>,
    extrapolate: f64,
    /// v₀ is the unmodified velocity of the last step.
    keeps_v: bool,
    /// The prediction of the last step was worse than none.
    astray: bool,
    /// There is a position correction p.
    corrects: bool,
    target: Target,
    // the iterate; its v is in the state, its v̇ and λ in `end`
    a1: Vec<f64>,
    xi: Vec<f64>,
    xi_pred: Vec<f64>,
    r: Vec<f64>,
    res: Vec<f64>,
    gap: Vec<f64>,
    dx: Vec<f64>,
    dl: Vec<f64>,
    // scratch
    tmp: Vec<f64>,
    tmp2: Vec<f64>,
    rows: Vec<f64>,
    q_tmp: Vec<f64>,
    /// Rates at which auxiliary states relax, 1/s.
    relaxation: Vec<f64>,
    // result
    err: Vec<f64>,
    err_v: Vec<f64>,
    err_z: Vec<f64>,
    /// z⃛ of the attempt and of the step before.
    bend: Vec<f64>,
    bend_before: Vec<f64>,
    h: f64,
    start: Derived,
    end: Derived,
    /// What is reported at the end of the attempt, and at the present state, if it differs from the method's own
    /// values.
    told: Derived,
    tells: bool,
    told_start: Derived,
    tells_start: bool,
    work: Work,
    best_pivot: BestPivot,
    /// The pivot was low at the present state, or in an attempt from there.
    low_pivot: bool,
}
remember!(GenAlpha {
    acc, matrix, jac_start, a_alg, before, in_a_row, h_prev, carry, astray, start, told_start,
    tells_start, work, best_pivot, low_pivot, bend_before,
} apart from {
    info, co, form, dims, mass_blocks, scale, rounding, mass, jac, carry_next, base, jerk, a0, v0,
    extrapolate, keeps_v, corrects, target, a1, xi, xi_pred, r, res, gap, dx, dl, tmp, tmp2, rows, q_tmp, relaxation,
    err, err_v, err_z, bend, h, end, told, tells,
});

impl GenAlpha {
    /// A member of the family, allocated for a problem.
    pub(super) fn new<P: Problem>(
        p: &P,
        s: &Settings,
        member: Member,
    ) -> Result<GenAlpha, KktError> {
        let (co, form) = member.scheme(&s.options);
        let d = p.dims();
        let st = p.structure();
        let nv = || vec![0.0; d.nv];
        let n_vel = || vec![0.0; d.n_vel];
        let n_jac = || vec![0.0; st.jac.nnz()];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        Ok(GenAlpha {
            info: member.info(),
            co,
            form,
            dims: d,
            acc: Accel::beside_rows(p)?,
            matrix: Matrix::new(p, form, co)?,
            mass: vec![0.0; st.mass.value_len()],
            jac: n_jac(),
            jac_start: n_jac(),
            mass_blocks: st.mass.clone(),
            scale: p.scales().q,
            rounding: Rounding::new(p),
            a_alg: nv(),
            before: derived.clone(),
            in_a_row: 0,
            h_prev: None,
            carry: nv(),
            carry_next: nv(),
            base: derived.clone(),
            jerk: nv(),
            a0: nv(),
            v0: nv(),
            extrapolate: 0.0,
            keeps_v: false,
            astray: false,
            corrects: false,
            target: Target::default(),
            a1: nv(),
            xi: nv(),
            xi_pred: nv(),
            r: nv(),
            res: n_vel(),
            gap: n_vel(),
            dx: nv(),
            dl: n_vel(),
            tmp: nv(),
            tmp2: nv(),
            rows: n_vel(),
            q_tmp: vec![0.0; d.nq],
            relaxation: vec![0.0; d.nz],
            err: nv(),
            err_v: if co.c_v == 0.0 { Vec::new() } else { nv() },
            err_z: vec![0.0; d.nz],
            bend: vec![0.0; d.nz],
            bend_before: vec![0.0; d.nz],
            h: 0.0,
            start: derived.clone(),
            end: derived.clone(),
            told: derived.clone(),
            tells: false,
            told_start: derived,
            tells_start: false,
            best_pivot: BestPivot::new(),
            low_pivot: false,
            work: Work::default(),
        })
    }

    /// First guess: v̇ and λ continue as in the last step, or stay.
    fn predict(&mut self, from: &State, h: f64, to: &mut State) {
        let Coefficients { alpha_m, alpha_f, beta, gamma, .. } = self.co;
        self.end.copy_from(&self.base);
        let (e, c) = (&mut self.end, self.extrapolate);
        if c > 0.0 {
            for i in 0..self.dims.nv {
                e.a[i] += c * (self.base.a[i] - self.before.a[i]);
            }
            for i in 0..self.dims.n_vel {
                e.lambda[i] += c * (self.base.lambda[i] - self.before.lambda[i]);
            }
        }
        to.t = from.t + h;
        for i in 0..self.dims.nv {
            self.a1[i] = ((1.0 - alpha_f) * e.a[i] + alpha_f * self.base.a[i]
                - alpha_m * self.a0[i])
                / (1.0 - alpha_m);
            self.xi[i] = h * self.v0[i] + h * h * ((0.5 - beta) * self.a0[i] + beta * self.a1[i]);
            to.v[i] = self.v0[i] + h * ((1.0 - gamma) * self.a0[i] + gamma * self.a1[i]);
        }
        for i in 0..self.dims.nz {
            to.z[i] = from.z[i] + h * self.base.zdot[i];
        }
    }

    /// v₁ by a compensated sum: a method of order 2 takes many small steps, and the rounding errors of v₀ + h[…] would
    /// add up to more than the error of the method.
    fn sum_velocities(&mut self, h: f64, v: &mut [f64]) {
        let gamma = self.co.gamma;
        let goes_on = self.keeps_v;
        for (i, v) in v.iter_mut().enumerate() {
            let carry = if goes_on { self.carry[i] } else { 0.0 };
            let change = h * ((1.0 - gamma) * self.a0[i] + gamma * self.a1[i]) + carry;
            *v = self.v0[i] + change;
            self.carry_next[i] = change - (*v - self.v0[i]);
        }
    }

    /// Local error of the attempt.
    fn estimate<P: Problem>(&mut self, p: &P, h: f64) {
        p.manifold().bracket(&self.v0, &self.base.a, &mut self.err);
        // The first step of a system at rest may be as long as the run, with the same v̇ at both ends and much
        // happening in between; v̈ at the start reveals it.
        let first = self.h_prev.is_none();
        for (i, e) in self.err.iter_mut().enumerate() {
            let mut change = self.end.a[i] - self.base.a[i];
            if first && (h * self.jerk[i]).abs() > change.abs() {
                change = h * self.jerk[i];
            }
            *e = -h * h * (self.co.c_q * change + h * *e / 12.0);
            if let Some(e) = self.err_v.get_mut(i) {
                *e = -h * self.co.c_v * change;
            }
        }
        self.estimate_auxiliary(h);
    }

    /// Local error of auxiliary states: that of the trapezoidal rule, h³ z⃛/12, with z⃛ from the last two steps. What
    /// relaxes much faster than the step is as far from where it relaxes to as its rate says. A rate that jumps bends
    /// one way within the step across and back in the next: what two steps in a row do not confirm is a jump, whose
    /// error shrinks no faster than the step.
    fn estimate_auxiliary(&mut self, h: f64) {
        for (i, e) in self.err_z.iter_mut().enumerate() {
            let slope = (self.end.zdot[i] - self.base.zdot[i]) / h;
            let mut bend = match self.h_prev {
                Some(last) => {
                    let before = (self.base.zdot[i] - self.before.zdot[i]) / last;
                    2.0 * (slope - before) / (h + last)
                }
                // before the first step nothing is known
                None => slope / h,
            };
            self.bend[i] = bend;
            if self.h_prev.is_some() {
                let last = self.bend_before[i];
                let confirmed = if bend * last > 0.0 { last.abs() } else { 0.0 };
                // a bend that is no number stays one
                if bend.abs() > confirmed {
                    bend = confirmed.copysign(bend);
                }
            }
            *e = h * h * h * bend / (12.0 * (1.0 + 0.5 * h * self.relaxation[i]));
        }
    }
}

impl<P: Problem> Integrator<P> for GenAlpha {
    fn info(&self) -> MethodInfo {
        self.info
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        let d = &mut self.end;
        self.acc.weakest_pivot = 1.0;
        self.acc.eval(p, ws, s.t, &s.q, &s.v, &s.z, &mut d.a, &mut d.lambda, &mut d.zdot)?;
        self.best_pivot.restart(self.acc.weakest_pivot);
        self.low_pivot = false;
        p.jacobian(ws, &mut self.jac_start);
        self.start.copy_from(&self.end);
        self.tells_start = false;
        self.h_prev = None;
        self.in_a_row = 0;
        self.carry.fill(0.0);
        self.astray = false;
        self.matrix.restart();
        Ok(())
    }

    fn attempt(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        self.h = h;
        self.low_pivot |= self.best_pivot.is_low(self.acc.weakest_pivot);
        self.acc.weakest_pivot = 1.0;
        self.matrix.begin();
        let mut step = Step { p, ws, from, h, to };
        self.begin(&mut step)?;
        self.guess(&mut step)?;
        self.newton(&mut step)?;
        p.manifold().retract(&from.q, &self.xi, &mut step.to.q);
        self.sum_velocities(h, &mut step.to.v);
        self.estimate(p, h);
        self.correct_rounded(&mut step)
    }

    fn commit(&mut self) {
        self.best_pivot.accepted(self.acc.weakest_pivot);
        self.low_pivot = self.best_pivot.is_low(self.acc.weakest_pivot);
        self.astray = self.is_astray();
        self.a_alg.copy_from_slice(&self.a1);
        self.jac_start.copy_from_slice(&self.jac);
        self.matrix.commit();
        std::mem::swap(&mut self.carry, &mut self.carry_next);
        let same = self.h_prev.is_some_and(|hp| start::same(self.h, hp));
        self.in_a_row = if same { self.in_a_row + 1 } else { 1 };
        self.before.copy_from(&self.start);
        self.h_prev = Some(self.h);
        std::mem::swap(&mut self.bend, &mut self.bend_before);
        std::mem::swap(&mut self.start, &mut self.end);
        self.tells_start = self.tells;
        if self.tells {
            std::mem::swap(&mut self.told_start, &mut self.told);
        }
    }

    fn error(&self) -> ErrorView<'_> {
        ErrorView { xi: &self.err, v: &self.err_v, z: &self.err_z, second: None }
    }

    fn error_order(&self) -> u32 {
        self.info.error_order - u32::from(self.co.c_v != 0.0)
    }

    fn start(&self) -> &Derived {
        if self.tells_start { &self.told_start } else { &self.start }
    }

    fn end(&self) -> &Derived {
        if self.tells { &self.told } else { &self.end }
    }

    fn weakest_pivot(&self) -> f64 {
        self.acc.weakest_pivot
    }

    fn work(&self) -> Work {
        self.work + self.acc.work
    }
}
