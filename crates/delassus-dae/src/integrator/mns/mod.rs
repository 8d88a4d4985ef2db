//! mNS: equations of motion in the null space of the constraints, by coordinate partitioning,
//! driven by an explicit formula.
//!
//! ```text
//! [G; B]⁻¹ = [S R] ,   a = R ü − S γ ,   RᵀM R ü = Rᵀ(f + M S γ) ,   λ = Sᵀ(M a − f)
//! ```
//!
//! B picks the independent velocities u = B v. Only they and their part of ξ are integrated; the rest follows from the
//! constraints at every stage: ξ_D from g(q₀ ∘ exp(ξ), t) = 0 by Newton's method, v_D from G v + g_t = 0. So there is
//! no drift and nothing to project. The independent coordinates are chosen again at the start of every step, which
//! keeps G_D well conditioned and makes a step depend only on its start.
//!
//! Where G loses rank no choice is good: `StepFailure::RankLost` reports it, also when a step would jump over such a
//! position (the determinant of G_D changes its sign), because nothing distinguishes the branches there. The algebra is
//! dense, of cubic cost: for mechanisms of moderate size. The option `driver` chooses DOPRI5 (adaptive) or the
//! classical method of order 4 (fixed step).
//!
//! References: Wehage & Haug, J. Mech. Des. 104 (1982); García de Jalón & Bayo, Kinematic and
//! Dynamic Simulation of Multibody Systems (1994); Ruggiu & González (2021).

mod partition;

use self::partition::Partition;
use super::explicit::{DRIVER, Evaluator, Explicit, Rates, StagePoint, driven};
use super::{Abilities, MethodInfo, Settings};
use crate::failure::{StepFailure, Work, check_finite};
use crate::problem::{Dims, Problem, mass_mul_add};
use crate::state::State;
use delassus_linalg::{Csr, KktError, MassShape};
use delassus_math::remember;

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "mns",
    summary: "independent coordinates (null space) driven by an explicit Runge-Kutta formula; non-stiff, no singular positions",
    order: [5, 5, 5],
    dense_order: 5,
    error_order: 5,
    swing: 1.1,
    full_matrices: true,
    default_rtol: 1e-8,
    can: Abilities { singular: false, rolling: false, events: false, ..Abilities::ALL },
    options: &[DRIVER],
    citation: "Wehage & Haug 1982; García de Jalón & Bayo 1994; Ruggiu & González 2021",
    ..MethodInfo::BASE
};

/// Newton iterations for the dependent positions of one stage.
const MAX_ITERATIONS: usize = 8;
/// Scaled residual that counts as zero.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// Evaluates accelerations in the null space of G.
pub(super) struct NullSpace {
    dims: Dims,
    part: Partition,
    blocks: MassShape,
    jac_pattern: Csr,
    row_scale: Vec<f64>,
    rows: Vec<usize>,
    mass: Vec<f64>,
    jac: Vec<f64>,
    jac_xi: Vec<f64>,
    res: Vec<f64>,
    f: Vec<f64>,
    x: Vec<f64>,
    /// R by columns, M times each, and RᵀMR.
    r: Vec<f64>,
    mr: Vec<f64>,
    h: Vec<f64>,
    u: Vec<f64>,
    /// When a projection stalls, the remaining g must be below this.
    limit: f64,
    weakest_pivot: f64,
    work: Work,
}
remember!(NullSpace { part, weakest_pivot, work } apart from {
    dims, blocks, jac_pattern, row_scale, rows, mass, jac, jac_xi, res, f, x, r, mr, h, u, limit,
});

/// Allocates the method for a problem.
pub(super) fn mns<P: Problem>(p: &P, s: &Settings) -> Result<Explicit<NullSpace>, KktError> {
    let d = p.dims();
    let st = p.structure();
    let scales = p.scales();
    let rows = st.independent_rows.clone().unwrap_or_else(|| (0..d.n_vel).collect());
    if rows.len() > d.nv {
        return Err(KktError::Pattern("more independent rows than velocities"));
    }
    let free = d.nv - rows.len();
    let eval = NullSpace {
        dims: d,
        mass: vec![0.0; st.mass.value_len()],
        jac: vec![0.0; st.jac.nnz()],
        jac_xi: vec![0.0; st.jac.nnz()],
        res: vec![0.0; d.n_vel],
        f: vec![0.0; d.nv],
        x: vec![0.0; d.nv],
        r: vec![0.0; d.nv * free],
        mr: vec![0.0; d.nv],
        h: vec![0.0; free * free],
        u: vec![0.0; free],
        limit: s.constraint_tol,
        weakest_pivot: 1.0,
        work: Work::default(),
        part: Partition::new(st.jac.clone(), rows.clone(), scales.q, scales.row.clone()),
        rows,
        row_scale: scales.row,
        blocks: st.mass.clone(),
        jac_pattern: st.jac.clone(),
    };
    Ok(driven(p, s, INFO, eval))
}

impl NullSpace {
    fn choose_at<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
    ) -> Result<(), StepFailure> {
        p.realize_position(s.t, &s.q, &s.z, ws);
        p.jacobian(ws, &mut self.jac);
        let done = self.part.choose(&self.jac);
        self.work.factorizations += 1;
        self.weakest_pivot = self.weakest_pivot.min(self.part.weakest);
        done
    }

    fn factor<P: Problem>(&mut self, p: &P, ws: &P::Ws) -> Result<(), StepFailure> {
        p.jacobian(ws, &mut self.jac);
        check_finite("constraint matrix", &self.jac)?;
        let done = self.part.factor(&self.jac);
        self.work.factorizations += 1;
        self.weakest_pivot = self.weakest_pivot.min(self.part.weakest);
        done
    }

    /// ξ_D from g = 0; `ws` is realised at the result.
    fn positions<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        q0: &[f64],
        x: &mut StagePoint,
    ) -> Result<(), StepFailure> {
        let m = p.manifold();
        let mut drift = f64::INFINITY;
        for _ in 0..=MAX_ITERATIONS {
            m.retract(q0, &x.xi, &mut x.q);
            p.realize_position(x.t, &x.q, &x.z, ws);
            p.residual_pos(ws, &mut self.res[..self.dims.n_pos]);
            let (mut now, mut row) = (0.0, 0);
            for &i in &self.rows {
                let g = self.res[i].abs() / self.row_scale[i];
                if !(g <= now) {
                    (now, row) = (g, i);
                }
            }
            if now <= ROUND_OFF {
                return Ok(());
            }
            if !(now < 0.5 * drift) {
                if now <= self.limit {
                    return Ok(());
                }
                return Err(StepFailure::Projection { row, residual: self.res[row] });
            }
            drift = now;
            p.jacobian(ws, &mut self.jac);
            self.jac_xi.copy_from_slice(&self.jac);
            m.right_multiply(&self.jac_pattern, &mut self.jac_xi, &x.xi);
            self.part.factor(&self.jac_xi)?;
            self.work.factorizations += 1;
            self.part.solve(&self.res, &mut self.x);
            for (xi, d) in x.xi.iter_mut().zip(&self.x) {
                *xi -= d;
            }
            self.work.projections += 1;
        }
        Ok(())
    }

    /// a, λ and ż at the velocity-level point realised in `ws`, with G_D factored there.
    fn accel<P: Problem>(&mut self, p: &P, ws: &P::Ws, out: Rates<'_>) -> Result<(), StepFailure> {
        let Rates { a: acc, lambda, zdot } = out;
        let nv = self.dims.nv;
        let free = self.u.len();
        self.work.evaluations += 1;
        p.mass(ws, &mut self.mass);
        p.force(ws, &mut self.f);
        p.bias(ws, &mut self.res);
        p.z_dot(ws, zdot);
        check_finite("forces", &self.f)?;
        check_finite("constraint bias", &self.res)?;
        check_finite("controller rates", zdot)?;
        // a = −S γ, and the remaining force: f + M S γ
        self.part.solve(&self.res, acc);
        for a in acc.iter_mut() {
            *a = -*a;
        }
        for f in &mut self.f {
            *f = -*f;
        }
        mass_mul_add(&self.blocks, &self.mass, acc, &mut self.f);
        // RᵀM R, lower triangle, and the right-hand side
        for k in 0..free {
            let j = self.part.independent()[k];
            self.part.column(j, &mut self.r[k * nv..(k + 1) * nv]);
        }
        for k in 0..free {
            let column = &self.r[k * nv..(k + 1) * nv];
            self.mr.fill(0.0);
            mass_mul_add(&self.blocks, &self.mass, column, &mut self.mr);
            for i in k..free {
                self.h[i * free + k] = dot(&self.r[i * nv..(i + 1) * nv], &self.mr);
            }
            self.u[k] = -dot(column, &self.f);
        }
        cholesky_solve(&mut self.h, &mut self.u).map_err(|(k, pivot)| {
            StepFailure::Kkt(KktError::MassNotPositive {
                block: 0,
                dof: self.part.independent()[k],
                pivot,
            })
        })?;
        // a and, from M a − f on the dependent coordinates, λ
        for (k, u) in self.u.iter().enumerate() {
            for (a, r) in acc.iter_mut().zip(&self.r[k * nv..(k + 1) * nv]) {
                *a += u * r;
            }
        }
        p.force(ws, &mut self.f);
        for f in &mut self.f {
            *f = -*f;
        }
        mass_mul_add(&self.blocks, &self.mass, acc, &mut self.f);
        self.part.solve_transposed(&self.f, lambda);
        check_finite("accelerations", acc)
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Solves H x = b by Cholesky's method in place (lower triangle); fails at a pivot that is not
/// positive.
fn cholesky_solve(h: &mut [f64], b: &mut [f64]) -> Result<(), (usize, f64)> {
    let n = b.len();
    for j in 0..n {
        let mut d = h[j * n + j];
        for k in 0..j {
            d -= h[j * n + k] * h[j * n + k];
        }
        if !(d > f64::EPSILON * h[j * n + j]) {
            return Err((j, d));
        }
        let root = d.sqrt();
        h[j * n + j] = root;
        for i in j + 1..n {
            let mut s = h[i * n + j];
            for k in 0..j {
                s -= h[i * n + k] * h[j * n + k];
            }
            h[i * n + j] = s / root;
        }
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= h[i * n + k] * b[k];
        }
        b[i] /= h[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= h[k * n + i] * b[k];
        }
        b[i] /= h[i * n + i];
    }
    Ok(())
}

impl<P: Problem> Evaluator<P> for NullSpace {
    fn restart(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        out: Rates<'_>,
    ) -> Result<(), StepFailure> {
        self.choose_at(p, ws, s)?;
        p.realize_velocity(&s.v, &s.z, ws);
        self.accel(p, ws, out)
    }

    fn begin(&mut self, p: &P, ws: &mut P::Ws, from: &State) -> Result<(), StepFailure> {
        self.weakest_pivot = 1.0;
        self.choose_at(p, ws, from)
    }

    fn stage(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        q0: &[f64],
        x: &mut StagePoint,
        _last: bool,
        out: Rates<'_>,
    ) -> Result<(), StepFailure> {
        check_finite("stage", &x.xi)?;
        self.positions(p, ws, q0, x)?;
        self.factor(p, ws)?;
        p.realize_velocity(&x.v, &x.z, ws);
        p.residual_vel(ws, &mut self.res);
        self.part.solve(&self.res, &mut self.x);
        for (v, d) in x.v.iter_mut().zip(&self.x) {
            *v -= d;
        }
        p.realize_velocity(&x.v, &x.z, ws);
        self.accel(p, ws, out)
    }

    fn weakest_pivot(&self) -> f64 {
        self.weakest_pivot
    }

    fn work(&self) -> Work {
        self.work
    }
}
