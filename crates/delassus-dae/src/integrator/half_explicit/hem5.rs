//! HEM5: half-explicit Runge–Kutta method of order 5 with 8 stages (Brasey & Hairer).
//!
//! The constraint point of stage i is stage i + 1, the end of the step is that of stage 8:
//!
//! ```text
//! Q_{i+1} = q₀ ∘ exp(h Σ_{j≤i} a_{i+1,j} ξ̇_j) ,  V_{i+1} = v₀ + h Σ_{j≤i} a_{i+1,j} V'_j
//! V'_i from the stage system with G(Q_{i+1}) V_{i+1} + g_t = 0 ,  row 9 is b
//! ```
//!
//! So every position serves twice, as constraint point and as stage. The multipliers of the stages are of low order;
//! the reported ones come from an index-1 solve at the end, which the next step does not depend on: it takes over only
//! M, G and f. Errors of accelerations near singular positions are therefore not carried on.
//!
//! Error estimate: e₁ = y₁ − Y₈ (embedded order 3) and e₂ = y₁ − (y₀ + h (5/2 Y'₇ − 3/2 Y'₈))
//! (order 2), combined to e₁²/(e₁ + e₂/100) or nearly so ([`crate::SecondError`]). It is conservative: the error of a
//! run is far below the tolerance.

use super::finish::Finish;
use super::stage::{StagePoint, StageSolver};
use crate::control::{ErrorView, SecondError};
use crate::failure::{StepFailure, Work};
use crate::integrator::combine::combine;
use crate::integrator::{Integrator, MethodInfo, Settings};
use crate::problem::Problem;
use crate::state::{Derived, State};
use delassus_linalg::KktError;
use delassus_math::remember;

pub(in crate::integrator) const INFO: MethodInfo = MethodInfo {
    name: "hem5",
    summary: "half-explicit Runge-Kutta of order 5 on index 2, 8 stages; non-stiff, adaptive or fixed step",
    order: [5, 5, 5],
    dense_order: 5,
    index: 2,
    error_order: 5,
    swing: 0.8,
    default_rtol: 1e-6,
    options: super::OPTIONS,
    citation: "Brasey & Hairer 1993; Brasey 1994; Munthe-Kaas 1998",
    ..MethodInfo::BASE
};

/// Nodes.
#[expect(clippy::excessive_precision, reason = "17 digits, as they were computed")]
const C: [f64; 9] = [0.0, 0.1, 0.15, 0.36147873465736245, 0.085355843354864120, 0.5, 0.8, 1.0, 1.0];
/// Stages; the last row is b. The published decimals are wrong in their last digits; these
/// solve the order conditions to all digits.
#[rustfmt::skip]
#[expect(clippy::excessive_precision, reason = "17 digits, as they were computed")]
const A: [&[f64]; 9] = [
    &[],
    &[0.1],
    &[0.0375, 0.1125],
    &[0.32221692362160022, -1.1888833229875918, 1.2281451340233540],
    &[-0.035011238981299200, 0.37254206010861555, -0.27210535355820310, 0.019930375785750872],
    &[-0.55765470550418344, 1.3673072896458634, -1.7322363604606883, 0.45877720074675459,
        0.96380657557225374],
    &[0.086545171935642190, -0.088100828479452488, 0.19812755473290663, -0.46454226793310787,
        0.16151700911099981, 0.90645336063301173],
    &[0.0, 0.0, 0.0, 3.6244772487538716, -0.46177241891829884, -3.1980246281643247,
        1.0353197983287519],
    &[0.0, 0.0, 0.0, 0.24677606676367903, 0.21065940874897246, 0.17692181491250181,
        0.30644464441479341, 0.059198065160053285],
];
/// b minus the weights of the solution of order 2, which are 5/2 and −3/2 at the end.
const E2: [f64; 8] = {
    let b = A[8];
    [b[0], b[1], b[2], b[3], b[4], b[5], b[6] - 2.5, b[7] + 1.5]
};
/// Weight of the second estimate.
const SECOND: f64 = 0.01;
/// Stages.
const S: usize = 8;

/// The method with its memory.
pub struct Hem5 {
    solver: StageSolver,
    finish: Finish,
    k_xi: [Vec<f64>; S],
    k_v: [Vec<f64>; S],
    k_z: [Vec<f64>; S],
    /// Ends of the step, and two points that take turns as stage and constraint point.
    first: StagePoint,
    last: StagePoint,
    turn: [StagePoint; 2],
    xi: Vec<f64>,
    err: [[Vec<f64>; 3]; 2],
    start: Derived,
    end: Derived,
}
remember!(Hem5 { solver, first, start } apart from { finish, k_xi, k_v, k_z, last, turn, xi, err, end });

impl Hem5 {
    /// Allocates everything for a problem.
    pub fn new<P: Problem>(p: &P, s: &Settings) -> Result<Hem5, KktError> {
        let d = p.dims();
        let nv = || vec![0.0; d.nv];
        let nz = || vec![0.0; d.nz];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        Ok(Hem5 {
            solver: StageSolver::new(p)?,
            finish: Finish::new(p, s, &INFO),
            k_xi: std::array::from_fn(|_| nv()),
            k_v: std::array::from_fn(|_| nv()),
            k_z: std::array::from_fn(|_| nz()),
            first: StagePoint::new(p),
            last: StagePoint::new(p),
            turn: std::array::from_fn(|_| StagePoint::new(p)),
            xi: nv(),
            err: std::array::from_fn(|_| [nv(), nv(), nz()]),
            start: derived.clone(),
            end: derived,
        })
    }
}

impl<P: Problem> Integrator<P> for Hem5 {
    fn info(&self) -> MethodInfo {
        INFO
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        self.solver.restart(p, ws, s, &mut self.start)?;
        // a constant mass matrix is not evaluated again
        for at in [&mut self.first].into_iter().chain(&mut self.turn) {
            at.set(s, &self.solver.acc);
        }
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
        self.k_z[0].copy_from_slice(&self.start.zdot);
        for i in 0..S {
            let [even, odd] = &mut self.turn;
            let (here, next) = if i % 2 == 0 { (&*odd, even) } else { (&*even, odd) };
            let here = if i == 0 { &self.first } else { here };
            let row = A[i + 1];
            next.t = from.t + C[i + 1] * h;
            combine(None, h, row, &self.k_xi, &mut self.xi);
            combine(Some(&from.v), h, &row[..i], &self.k_v, &mut next.v);
            combine(Some(&from.z), h, row, &self.k_z, &mut next.z);
            m.retract(&from.q, &self.xi, &mut next.q);
            self.solver.solve(p, ws, here, h * row[i], next, &mut self.k_v[i])?;
            if i + 1 < S {
                self.solver.evaluate(p, ws, next, &mut self.k_z[i + 1])?;
                m.tangent_inv(&self.xi, &next.v, &mut self.k_xi[i + 1]);
            } else {
                to.q.copy_from_slice(&next.q);
                to.v.copy_from_slice(&next.v);
                to.z.copy_from_slice(&next.z);
            }
            if i + 2 == S {
                // minus the last stage, for the first estimate
                let [e, ev, ez] = &mut self.err[0];
                for (e, x) in [(e, &self.xi), (ev, &next.v), (ez, &next.z)] {
                    for (e, x) in e.iter_mut().zip(x) {
                        *e = -x;
                    }
                }
            }
        }
        to.t = from.t + h;
        self.finish.run(p, ws, &mut self.solver, to, &mut self.end)?;
        self.last.set(to, &self.solver.acc);
        let [[e, ev, ez], [d, dv, dz]] = &mut self.err;
        for (e, x) in [(e, &self.xi), (ev, &to.v), (ez, &to.z)] {
            for (e, x) in e.iter_mut().zip(x) {
                *e += x;
            }
        }
        combine(None, h, &E2, &self.k_xi, d);
        combine(None, h, &E2, &self.k_v, dv);
        combine(None, h, &E2, &self.k_z, dz);
        Ok(())
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
        std::mem::swap(&mut self.first, &mut self.last);
        self.solver.commit();
    }

    fn error(&self) -> ErrorView<'_> {
        let [[xi, v, z], [xi2, v2, z2]] = &self.err;
        let second = Some(SecondError { xi: xi2, v: v2, z: z2, weight: SECOND });
        ErrorView { xi, v, z, second }
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

    /// Full 8 × 8 matrix, and the rows 2…8 with b below.
    fn square() -> ([[f64; S]; S], [[f64; S]; S]) {
        let (mut a, mut low) = ([[0.0; S]; S], [[0.0; S]; S]);
        for i in 0..S {
            a[i][..A[i].len()].copy_from_slice(A[i]);
            low[i][..A[i + 1].len()].copy_from_slice(A[i + 1]);
        }
        (a, low)
    }

    fn close(x: f64, y: f64, what: &str) {
        assert!((x - y).abs() < 1e-14, "{what}: {x} {y}");
    }

    fn dot(w: &[f64], f: impl Fn(usize) -> f64) -> f64 {
        w.iter().enumerate().map(|(j, w)| w * f(j)).sum()
    }

    #[test]
    fn rows_have_their_stage_order() {
        for (i, row) in A.iter().enumerate() {
            close(row.iter().sum(), C[i], "row sum");
            assert!(row.last().is_none_or(|x| x.abs() > 1e-3), "row {i} ends with zero");
            if i >= 2 {
                close(dot(row, |j| C[j]), C[i].powi(2) / 2.0, "C(2)");
            }
            if i >= 3 {
                close(dot(row, |j| C[j].powi(2)), C[i].powi(3) / 3.0, "C(3)");
            }
        }
    }

    #[test]
    fn weights_integrate_to_degree_5_and_avoid_the_first_stages() {
        let (a, b) = (square().0, A[8]);
        for k in 0..6 {
            close(dot(b, |j| C[j].powi(k)), 1.0 / f64::from(k + 1), "quadrature");
        }
        for j in 0..3 {
            close(dot(b, |i| a[i][j]), 0.0, "b A");
            close(dot(b, |i| C[i] * a[i][j]), 0.0, "b c A");
        }
        close(dot(b, |i| dot(&a[i], |j| C[j].powi(3))), 0.05, "b A c³");
    }

    /// The conditions that are special to constraints: W is the inverse of the shifted matrix.
    #[test]
    fn inverse_of_the_shifted_matrix_has_its_moments() {
        let (low, b) = (square().1, A[8]);
        // low is lower triangular: x = W y by substitution
        let solve = |y: &dyn Fn(usize) -> f64| {
            let mut x = [0.0; S];
            for i in 0..S {
                x[i] = (y(i) - dot(&low[i][..i], |j| x[j])) / low[i][i];
            }
            x
        };
        for k in 2..6 {
            let x = solve(&|i| C[i + 1].powi(k));
            let got = dot(b, |i| C[i] * x[i]);
            let want = f64::from(k) / f64::from(k + 1);
            assert!((got - want).abs() < 1e-13, "k = {k}: {got} {want}");
        }
        let first = solve(&|i| if i == 0 { 1.0 } else { 0.0 });
        // the entries of W reach 1e2
        assert!(first[3..].iter().all(|x| x.abs() < 1e-11), "{first:?}");
    }

    #[test]
    fn second_estimate_is_of_order_2() {
        close(E2.iter().sum(), 0.0, "sum");
        close(dot(&E2, |j| C[j]), 0.0, "first moment");
        assert!(dot(&E2, |j| C[j].powi(2)).abs() > 0.1);
    }
}
