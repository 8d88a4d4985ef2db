//! ALi3p and ALi3pvs: the index-3 augmented Lagrangian with the trapezoidal rule and projections
//! of velocities and accelerations, at fixed and at variable step.
//!
//! ```text
//! ξ = h/2 (v₀ + v₁) ,  q₁ = q₀ ∘ exp(ξ) ,  v₁ = 2/h ξ − v₀ ,  a₁ = 2/h (v₁ − v₀) − a₀
//! M a₁ − f − Gᵀ(λ − D̄ g) = 0 ,   λ ← λ − D̄ g ,   D̄ = 4/h² D
//! ```
//!
//! The unknown of Newton's method is ξ; multiplied by h²/4 its matrix is S + GᵀDG with S = M + h/2 C + h²/4 K T(ξ),
//! free of powers of h. The penalty D̄ grows as the step shrinks, so the multipliers converge equally fast at every
//! step size: this allows the step to vary without changing the penalty. Velocity-only (rolling) rows enter at velocity
//! level.
//!
//! The trapezoidal rule does not damp the errors that a step leaves in G v and G a, and without projections it blows
//! up. So v₁ is projected onto the velocity constraints in the mass metric, and a₁ is the acceleration that satisfies G
//! a + γ = 0 with M a = f + Gᵀλ there. The reported λ belongs to that a and is of order 2; λ of the iteration is only
//! of order 1 and serves merely as an initial value.
//!
//! The rule starts from the last state alone, so a change of the step needs no change of
//! formulas. Error estimate: e = h²/12 (a₁ − a₀) − h³/12 v₀×a₀, the last term on rotations
//! only.
//!
//! Use them for stiff systems with redundant constraints or singular positions. References:
//! Bayo & Ledesma, Nonlinear Dyn. 9 (1996); Cuadrado, Cardenal, Morer & Bayo, Multibody Syst.
//! Dyn. 4 (2000); Dopico, González, Cuadrado & Kövecses, J. Comput. Nonlinear Dyn. 9 (2014).

use super::eval::AlEval;
use super::penalty::PenaltyKkt;
use super::{PENALTY, Stabilisation, iteration_tolerance, of_positions, trapezoidal_error};
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work, check_finite};
use crate::integrator::explicit::Rates;
use crate::integrator::first_guess::{MUCH_NEARER, NEAR_BY, first_increment, size};
use crate::integrator::newton::{Equations, Increment, Limits, NOISE, Newton, SLOW, STALLED, Step};
use crate::integrator::rounding::Rounding;
use crate::integrator::{Abilities, Integrator, MethodInfo, Settings};
use crate::problem::{Dims, Problem, at, mass_mul_add, mass_slots};
use crate::state::{Derived, State};
use delassus_linalg::{Csr, KktError, MassShape};
use delassus_math::remember;

pub(in crate::integrator) const FIXED: MethodInfo = MethodInfo {
    name: "ali3p",
    summary: "augmented Lagrangian on index 3, trapezoidal rule, v and a projected; stiff, singular positions, fixed step",
    order: [2, 2, 2],
    dense_order: 2,
    index: 3,
    stiff: true,
    adaptive: false,
    error_order: 3,
    per_unit_step: true,
    default_rtol: 1e-6,
    options: &[PENALTY],
    citation: "Bayo & Ledesma 1996; Cuadrado et al. 2000; Dopico et al. 2014",
    can: Abilities::NOT_DELICATE,
    ..MethodInfo::BASE
};

pub(in crate::integrator) const VARIABLE: MethodInfo = MethodInfo {
    name: "ali3pvs",
    summary: "augmented Lagrangian on index 3, trapezoidal rule, v and a projected; stiff, singular positions, adaptive",
    adaptive: true,
    citation: "Cuadrado et al. 2000; Dopico et al. 2014, 2017",
    ..FIXED
};

/// Close to a singular position (judged by the smallest pivot, about the square of the distance) a projection that
/// changes the velocity by more than this fraction has met the other branch.
const NEAR_SINGULAR: f64 = 1e-4;
const TURNED: f64 = 0.3;

/// The method with its memory.
pub struct Ali3p {
    info: MethodInfo,
    dims: Dims,
    eval: AlEval,
    kkt: PenaltyKkt,
    mass_blocks: MassShape,
    mass_slots: Vec<usize>,
    jac_pattern: Csr,
    tangent_pattern: Csr,
    scale: Vec<f64>,
    rounding: Rounding,
    // values on the patterns
    mass: Vec<f64>,
    jac: Vec<f64>,
    jac_rows: Vec<f64>,
    s: Vec<f64>,
    /// The prediction of the last step was worse than none, or there was none.
    astray: bool,
    // the attempt
    xi: Vec<f64>,
    xi_pred: Vec<f64>,
    r: Vec<f64>,
    res: Vec<f64>,
    dx: Vec<f64>,
    dy: Vec<f64>,
    err: Vec<f64>,
    start: Derived,
    end: Derived,
    work: Work,
}
remember!(Ali3p { eval, astray, start, work } apart from {
    info, dims, kkt, mass_blocks, mass_slots, jac_pattern, tangent_pattern, scale, rounding, mass, jac,
    jac_rows, s, xi, xi_pred, r, res, dx, dy, err, end,
});

impl Ali3p {
    /// The method with a fixed step.
    pub fn fixed<P: Problem>(p: &P, s: &Settings) -> Result<Ali3p, KktError> {
        Ali3p::new(p, s, FIXED)
    }

    /// The method with a variable step.
    pub fn variable<P: Problem>(p: &P, s: &Settings) -> Result<Ali3p, KktError> {
        Ali3p::new(p, s, VARIABLE)
    }

    fn new<P: Problem>(p: &P, s: &Settings, info: MethodInfo) -> Result<Ali3p, KktError> {
        let d = p.dims();
        let st = p.structure();
        let nv = || vec![0.0; d.nv];
        let rows = || vec![0.0; d.n_vel];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        let penalty = s.options.number(&info, PENALTY.name);
        Ok(Ali3p {
            info,
            dims: d,
            eval: AlEval::new(p, penalty, s.constraint_tol)?,
            kkt: PenaltyKkt::new(&st.tangent, &st.jac)?,
            mass_slots: mass_slots(&st.mass, &st.tangent)?,
            mass: vec![0.0; st.mass.value_len()],
            jac: vec![0.0; st.jac.nnz()],
            jac_rows: vec![0.0; st.jac.nnz()],
            s: vec![0.0; st.tangent.nnz()],
            mass_blocks: st.mass.clone(),
            jac_pattern: st.jac.clone(),
            tangent_pattern: st.tangent.clone(),
            scale: p.scales().q,
            rounding: Rounding::new(p),
            astray: true,
            xi: nv(),
            xi_pred: nv(),
            r: nv(),
            res: rows(),
            dx: nv(),
            dy: rows(),
            err: nv(),
            start: derived.clone(),
            end: derived,
            work: Work::default(),
        })
    }

    /// Factors S + GᵀDG at the point realised in `ws`.
    fn factor<P: Problem>(&mut self, p: &P, ws: &P::Ws, h: f64) -> Result<(), StepFailure> {
        let m = p.manifold();
        let (ck, cc) = (0.25 * h * h, 0.5 * h);
        self.s.fill(0.0);
        if m.is_vector() {
            p.tangent(ws, &self.end.a, &self.end.lambda, ck, cc, &mut self.s);
        } else {
            // K acts on increments at q₁, i.e. on T(ξ) dξ; C acts on dv
            p.tangent(ws, &self.end.a, &self.end.lambda, ck, 0.0, &mut self.s);
            m.right_multiply(&self.tangent_pattern, &mut self.s, &self.xi);
            p.tangent(ws, &self.end.a, &self.end.lambda, 0.0, cc, &mut self.s);
        }
        for (slot, x) in self.mass_slots.iter().zip(&self.mass) {
            self.s[*slot] += x;
        }
        self.jac_rows.copy_from_slice(&self.jac);
        m.right_multiply(&self.jac_pattern, &mut self.jac_rows, &self.xi);
        self.kkt.factor(&self.s, &self.jac_rows, &self.jac, &self.eval.weight)?;
        self.work.factorizations += 1;
        Ok(())
    }
}

impl<P: Problem> Equations<P> for Ali3p {
    /// Residuals −h²/4 (M a − f − Gᵀλ) and −g (velocity-only rows: −h/2 (G v + g_t)) at the
    /// present iterate.
    fn evaluate(&mut self, s: &mut Step<'_, P>, renew: bool) -> Result<(), StepFailure> {
        let n_pos = self.dims.n_pos;
        let &mut Step { p, from, h, .. } = s;
        let to = &mut *s.to;
        p.manifold().retract(&from.q, &self.xi, &mut to.q);
        let e = at(p, s.ws, to.t, &to.q, &to.z).velocity(&to.v, &to.z);
        e.mass(&mut self.mass);
        e.jacobian(&mut self.jac);
        e.force(&mut self.r);
        e.residual_vel(&mut self.res);
        e.residual_pos(&mut self.res[..n_pos]);
        e.z_dot(&mut self.end.zdot);
        for r in &mut self.r {
            *r = -*r;
        }
        mass_mul_add(&self.mass_blocks, &self.mass, &self.end.a, &mut self.r);
        self.jac_pattern.mul_t_add(&self.jac, -1.0, &self.end.lambda, &mut self.r);
        for r in &mut self.r {
            *r *= -0.25 * h * h;
        }
        for (i, g) in self.res.iter_mut().enumerate() {
            *g *= if i < n_pos { -1.0 } else { -0.5 * h };
        }
        self.work.evaluations += 1;
        check_finite("residual", &self.r)?;
        check_finite("constraint residual", &self.res)?;
        if renew { self.factor(p, s.ws, h) } else { Ok(()) }
    }

    fn solve(&mut self) -> Result<(), StepFailure> {
        self.kkt.solve(&self.r, &self.res, &mut self.dx, &mut self.dy)
    }

    /// The update of the multipliers goes with that of the positions.
    fn update(&mut self, s: &mut Step<'_, P>) -> Result<Increment, StepFailure> {
        let &mut Step { from, h, .. } = s;
        let (bv, ba) = (2.0 / h, 4.0 / (h * h));
        self.work.newton += 1;
        for (i, d) in self.dx.iter().enumerate() {
            self.xi[i] += d;
            s.to.v[i] += bv * d;
            self.end.a[i] += ba * d;
        }
        for (l, d) in self.end.lambda.iter_mut().zip(&self.dy) {
            *l += ba * d;
        }
        for i in 0..self.dims.nz {
            s.to.z[i] = from.z[i] + 0.5 * h * (self.start.zdot[i] + self.end.zdot[i]);
        }
        let tol = iteration_tolerance(h, &from.v, &self.start.a, &self.scale);
        let mut increment = Increment::new(tol);
        increment.add_rounded(1.0, &self.dx, &self.scale, 1.0, &self.rounding);
        Ok(increment)
    }
}

impl Ali3p {
    /// Largest component relative to the scales.
    fn size(&self, x: impl Fn(usize) -> f64) -> f64 {
        size(&self.scale, x)
    }

    /// Predicts. Where the prediction of the last step was worse than none and reaches far, stays at ξ = 0 if, by the
    /// first increment from there, a solution is much nearer. With very stiff forces an extrapolation with constant
    /// acceleration may lie anywhere, and Newton's method would continue from there to a solution on the far side of a
    /// spring.
    fn guess<P: Problem>(&mut self, s: &mut Step<'_, P>) {
        let &mut Step { from, h, .. } = s;
        self.predict(from, h, s.to);
        self.xi_pred.copy_from_slice(&self.xi);
        if !self.astray || self.size(|i| self.xi[i]) <= NEAR_BY {
            return;
        }
        let predicted = self.size(|i| self.xi[i]);
        self.stay(from, h, s.to);
        if first_increment(self, s, |m| m.size(|i| m.dx[i])) < MUCH_NEARER * predicted {
            self.stay(from, h, s.to);
        } else {
            self.predict(from, h, s.to);
        }
    }

    /// First guess: a and λ unchanged.
    fn predict(&mut self, from: &State, h: f64, to: &mut State) {
        self.end.copy_from(&self.start);
        to.t = from.t + h;
        for i in 0..self.dims.nv {
            self.xi[i] = h * from.v[i] + 0.5 * h * h * self.start.a[i];
            to.v[i] = from.v[i] + h * self.start.a[i];
        }
        for i in 0..self.dims.nz {
            to.z[i] = from.z[i] + h * self.start.zdot[i];
        }
    }

    /// First guess ξ = 0.
    fn stay(&mut self, from: &State, h: f64, to: &mut State) {
        self.end.copy_from(&self.start);
        for i in 0..self.dims.nv {
            self.xi[i] = 0.0;
            to.v[i] = -from.v[i];
            self.end.a[i] = -4.0 / h * from.v[i] - self.start.a[i];
        }
        to.z.copy_from_slice(&from.z);
    }

    /// Rejects an end near a singular position whose tangents belong to another branch of the motion: there the
    /// projection would turn the velocity (before it: in `dx`) by a large part of its size, where otherwise it changes
    /// it by O(h²).
    fn check_branch(&self, from: &State, h: f64, to: &State) -> Result<(), StepFailure> {
        let (mut turn, mut size): (f64, f64) = (0.0, 0.0);
        for (i, s) in self.scale.iter().enumerate() {
            turn = turn.max((to.v[i] - self.dx[i]).abs() / s);
            let v = from.v[i].abs().max(self.dx[i].abs()).max(h * self.start.a[i].abs());
            size = size.max(v / s);
        }
        if turn <= TURNED * size || h * turn <= STALLED {
            return Ok(());
        }
        let (row, residual) = self.eval.worst_row();
        Err(StepFailure::Projection { row, residual })
    }
}

impl<P: Problem> Integrator<P> for Ali3p {
    fn info(&self) -> MethodInfo {
        self.info
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        self.astray = true;
        self.eval.restart(p, ws, s, Stabilisation::NONE, Rates::of(&mut self.start))
    }

    fn attempt(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        self.eval.weakest_pivot = 1.0;
        let mut step = Step { p, ws, from, h, to };
        self.guess(&mut step);
        self.rounding.look(&from.q);
        let far = self.rounding.most();
        let limits = Limits { noise: NOISE, stalled: STALLED, far, slow: SLOW };
        Newton::new(limits, true).solve(self, &mut step)?;
        p.manifold().retract(&from.q, &self.xi, &mut to.q);
        // projections of velocity and acceleration
        p.realize_position(to.t, &to.q, &to.z, ws);
        self.eval.factor(p, ws)?;
        self.dx.copy_from_slice(&to.v);
        self.eval.velocity(p, ws, &mut to.v, &to.z)?;
        if self.eval.weakest_pivot < NEAR_SINGULAR {
            self.check_branch(from, h, to)?;
        }
        self.eval.accel(p, ws, Stabilisation::NONE, Rates::of(&mut self.end))?;
        p.manifold().bracket(&from.v, &self.start.a, &mut self.err);
        trapezoidal_error(h, &self.start.a, &self.end.a, &mut self.err);
        Ok(())
    }

    fn commit(&mut self) {
        let miss = self.size(|i| self.xi[i] - self.xi_pred[i]);
        self.astray = self.size(|i| self.xi[i]) < miss;
        std::mem::swap(&mut self.start, &mut self.end);
    }

    fn error(&self) -> ErrorView<'_> {
        of_positions(&self.err)
    }

    fn start(&self) -> &Derived {
        &self.start
    }

    fn end(&self) -> &Derived {
        &self.end
    }

    fn weakest_pivot(&self) -> f64 {
        self.eval.weakest_pivot
    }

    fn pivot_is_of_rows(&self) -> bool {
        false
    }

    fn work(&self) -> Work {
        self.work + self.eval.work
    }
}
