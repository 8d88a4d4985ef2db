//! PHEM56: partitioned half-explicit Runge–Kutta pair of order 5 with 6 stages (Murua; Arnold &
//! Murua).
//!
//! Stages are those of Dormand & Prince (a, c); a second triangular matrix ā with nodes c̄
//! places the constraint points, the last of which is the end of the step:
//!
//! ```text
//! Q_i = q₀ ∘ exp(h Σ_{j<i} a_ij ξ̇_j) ,     V_i = v₀ + h Σ_{j<i} a_ij V'_j
//! Q̄_i = q₀ ∘ exp(h Σ_{j≤i} ā_ij ξ̇_j) ,     G(Q̄_i) (v₀ + h Σ_{j≤i} ā_ij V'_j) + g_t = 0
//! ```
//!
//! The first stage is explicit: V'_1 is the acceleration at the start, known from the index-1
//! solve at the end of the step before, which also gives multipliers of order 5. Five stage
//! systems per step, against eight of [`super::hem5`], but twice as many positions per stage.
//!
//! Where the constraints at the end are too weak for an index-1 solve ([`INDEX_1`]), a seventh
//! stage gives that acceleration: forces at the end, constraint imposed at c̄₇ = 19/30, back
//! inside the step and away from the singular position.
//!
//! Error estimate: the embedded solution of order 4 with the end accelerations as seventh stage. Stages leave the
//! tangent space by more than their order, so the difference is projected onto G(q₁) x = 0 once, with the present
//! factor.

use super::finish::Finish;
use super::stage::{StagePoint, StageSolver};
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work};
use crate::integrator::combine::combine;
use crate::integrator::explicit::dopri5;
use crate::integrator::{Integrator, MethodInfo, Settings};
use crate::problem::Problem;
use crate::state::{Derived, State};
use delassus_linalg::KktError;
use delassus_math::remember;

pub(in crate::integrator) const INFO: MethodInfo = MethodInfo {
    name: "phem56",
    summary: "half-explicit Runge-Kutta 5(4) on index 2, 6 stages; non-stiff, adaptive or fixed step",
    order: [5, 5, 5],
    dense_order: 5,
    index: 2,
    error_order: 5,
    swing: 1.1,
    default_rtol: 1e-8,
    options: super::OPTIONS,
    citation: "Murua 1997; Arnold & Murua 1998; Munthe-Kaas 1998",
    ..MethodInfo::BASE
};

/// Nodes and stages: those of Dormand & Prince.
const C: &[f64] = dopri5::TABLEAU.c;
const A: &[&[f64]] = dopri5::TABLEAU.a;
/// Nodes of the constraint points; the first stage has none.
const C_BAR: [f64; 6] = [0.0, 0.3, 0.375, 5.0 / 7.0, 1.0, 1.0];
/// Constraint points; the last row is the solution of order 5.
const A_BAR: [&[f64]; 6] = [
    &[0.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[21.0 / 256.0, 45.0 / 256.0, 15.0 / 128.0],
    &[19235.0 / 98784.0, -225.0 / 392.0, 6235.0 / 6174.0, 2755.0 / 32928.0],
    &[-293.0 / 1152.0, 85.0 / 48.0, -2275.0 / 1908.0, 35.0 / 32.0, -2835.0 / 6784.0],
    dopri5::TABLEAU.b,
];
/// Constraint point of the seventh stage, which lies at the end of the step.
const C_BAR_7: f64 = 19.0 / 30.0;
const A_BAR_7: [f64; 7] = [
    10752038939.0 / 66307507200.0,
    -19259.0 / 50160.0,
    19581770468.0 / 24023520675.0,
    9941999.0 / 650073600.0,
    180060831.0 / 4820710400.0,
    -11331659.0 / 439538400.0,
    1.0 / 76.0,
];
/// Relative pivot of W at the end below which the acceleration of the seventh stage is used: the round-off in g enters
/// index-1 accelerations divided by this pivot.
const INDEX_1: f64 = 1e-7;
/// Weights of order 5 minus weights of order 4.
const E: &[f64] = dopri5::TABLEAU.error;
/// Stages with a constraint point, counted from 0: 1..S.
const S: usize = 6;

/// The method with its memory.
pub struct Phem56 {
    solver: StageSolver,
    finish: Finish,
    k_xi: [Vec<f64>; S + 1],
    k_v: [Vec<f64>; S + 1],
    k_z: [Vec<f64>; S + 1],
    /// The stage and its constraint point.
    stage: StagePoint,
    bar: StagePoint,
    xi: Vec<f64>,
    err: [Vec<f64>; 3],
    normal: Vec<f64>,
    change: Vec<f64>,
    start: Derived,
    end: Derived,
}
remember!(Phem56 { solver, start } apart from { finish, k_xi, k_v, k_z, stage, bar, xi, err, normal, change, end });

impl Phem56 {
    /// Allocates everything for a problem.
    pub fn new<P: Problem>(p: &P, s: &Settings) -> Result<Phem56, KktError> {
        let d = p.dims();
        let nv = || vec![0.0; d.nv];
        let nz = || vec![0.0; d.nz];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        Ok(Phem56 {
            solver: StageSolver::new(p)?,
            finish: Finish::new(p, s, &INFO),
            k_xi: std::array::from_fn(|_| nv()),
            k_v: std::array::from_fn(|_| nv()),
            k_z: std::array::from_fn(|_| nz()),
            stage: StagePoint::new(p),
            bar: StagePoint::new(p),
            xi: nv(),
            err: [nv(), nv(), nz()],
            normal: vec![0.0; d.n_vel],
            change: nv(),
            start: derived.clone(),
            end: derived,
        })
    }
}

impl<P: Problem> Integrator<P> for Phem56 {
    fn info(&self) -> MethodInfo {
        INFO
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        self.solver.restart(p, ws, s, &mut self.start)?;
        // a constant mass matrix is not evaluated again
        self.stage.set(s, &self.solver.acc);
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
        let m = p.manifold();
        self.solver.begin();
        self.k_xi[0].copy_from_slice(&from.v);
        self.k_v[0].copy_from_slice(&self.start.a);
        self.k_z[0].copy_from_slice(&self.start.zdot);
        for i in 1..S {
            let (at, bar) = (&mut self.stage, &mut self.bar);
            // forces at the stage
            at.t = from.t + C[i] * h;
            combine(None, h, A[i], &self.k_xi, &mut self.xi);
            combine(Some(&from.v), h, A[i], &self.k_v, &mut at.v);
            combine(Some(&from.z), h, A[i], &self.k_z, &mut at.z);
            m.retract(&from.q, &self.xi, &mut at.q);
            p.realize_position(at.t, &at.q, &at.z, ws);
            p.jacobian(ws, &mut at.jac);
            self.solver.evaluate(p, ws, at, &mut self.k_z[i])?;
            m.tangent_inv(&self.xi, &at.v, &mut self.k_xi[i]);
            // the constraint at its point
            let row = A_BAR[i];
            bar.t = from.t + C_BAR[i] * h;
            combine(None, h, row, &self.k_xi, &mut self.xi);
            combine(Some(&from.v), h, &row[..i], &self.k_v, &mut bar.v);
            combine(Some(&from.z), h, row, &self.k_z, &mut bar.z);
            m.retract(&from.q, &self.xi, &mut bar.q);
            self.solver.solve(p, ws, at, h * row[i], bar, &mut self.k_v[i])?;
        }
        to.t = from.t + h;
        to.q.copy_from_slice(&self.bar.q);
        to.v.copy_from_slice(&self.bar.v);
        to.z.copy_from_slice(&self.bar.z);
        self.finish.run(p, ws, &mut self.solver, to, &mut self.end)?;
        // the end is the seventh stage of the embedded solution
        m.tangent_inv(&self.xi, &to.v, &mut self.k_xi[S]);
        self.k_z[S].copy_from_slice(&self.end.zdot);
        if self.solver.end_pivot < INDEX_1 {
            let (at, bar) = (&mut self.stage, &mut self.bar);
            at.set(to, &self.solver.acc);
            bar.t = from.t + C_BAR_7 * h;
            combine(None, h, &A_BAR_7, &self.k_xi, &mut self.xi);
            combine(Some(&from.v), h, &A_BAR_7[..S], &self.k_v, &mut bar.v);
            combine(Some(&from.z), h, &A_BAR_7, &self.k_z, &mut bar.z);
            m.retract(&from.q, &self.xi, &mut bar.q);
            self.solver.solve(p, ws, at, h * A_BAR_7[S], bar, &mut self.end.a)?;
            // the factor is needed once more
            self.solver.acc.factor_at(p, ws, to.t, &to.q, &to.z)?;
        }
        self.k_v[S].copy_from_slice(&self.end.a);
        let [xi, v, z] = &mut self.err;
        combine(None, h, E, &self.k_xi, xi);
        combine(None, h, E, &self.k_v, v);
        combine(None, h, E, &self.k_z, z);
        let acc = &mut self.solver.acc;
        acc.jac_mul(v, &mut self.normal);
        acc.correct(&self.normal, &mut self.change)?;
        for (v, d) in v.iter_mut().zip(&self.change) {
            *v -= d;
        }
        Ok(())
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
        self.solver.commit();
    }

    fn error(&self) -> ErrorView<'_> {
        let [xi, v, z] = &self.err;
        ErrorView { xi, v, z, second: None }
    }

    fn start(&self) -> &Derived {
        &self.start
    }

    fn end(&self) -> &Derived {
        &self.end
    }

    fn weakest_pivot(&self) -> f64 {
        self.solver.acc.weakest_pivot
    }

    fn work(&self) -> Work {
        self.solver.acc.work
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(x: f64, y: f64, what: &str) {
        assert!((x - y).abs() < 1e-14, "{what}: {x} {y}");
    }

    fn dot(w: &[f64], f: impl Fn(usize) -> f64) -> f64 {
        w.iter().enumerate().map(|(j, w)| w * f(j)).sum()
    }

    #[test]
    fn both_sets_of_rows_sum_to_their_nodes() {
        for i in 0..S {
            close(A[i].iter().sum(), C[i], "a");
            close(A_BAR[i].iter().sum(), C_BAR[i], "ā");
            assert!(i == 0 || A_BAR[i][i].abs() > 1e-2, "row {i} does not see its stage");
        }
    }

    #[test]
    fn constraint_points_have_stage_order_2() {
        for i in 2..S {
            close(dot(A_BAR[i], |j| C[j]), C_BAR[i].powi(2) / 2.0, "ā c");
        }
    }

    #[test]
    fn seventh_stage_has_stage_order_3() {
        let c = |j: usize| C.get(j).copied().unwrap_or(1.0);
        for k in 0..3 {
            let want = C_BAR_7.powi(k + 1) / f64::from(k + 1);
            close(dot(&A_BAR_7, |j| c(j).powi(k)), want, "ā₇");
        }
    }

    #[test]
    fn solution_is_of_order_5_and_the_other_of_order_4() {
        let b = A_BAR[5];
        for k in 0..5 {
            close(dot(b, |j| C[j].powi(k)), 1.0 / f64::from(k + 1), "quadrature");
        }
        let c = |j: usize| C.get(j).copied().unwrap_or(1.0);
        for k in 0..4 {
            close(dot(E, |j| c(j).powi(k)), 0.0, "estimate");
        }
        assert!(dot(E, |j| c(j).powi(4)).abs() > 1e-4);
    }
}
