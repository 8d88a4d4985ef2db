//! The linear system of a half-explicit stage, also where it has no unique solution.
//!
//! ```text
//! [ M(Q)   −G(Q)ᵀ ] [ V' ]   [  f                          ]
//! [ G(Q⁺)   0     ] [ L  ] = [ −(G(Q⁺) Ṽ + g_t(Q⁺)) / w    ]
//! ```
//!
//! The force directions M⁻¹G(Q)ᵀ and the constraint rows G(Q⁺) belong to different positions,
//! so the solution is an *oblique* projection, regular iff G(Q⁺) M⁻¹ G(Q)ᵀ is.
//!
//! **Redundant rows.** Both blocks use the same rows, the independent ones found at assembly and fixed for the run.
//! Choosing them newly at each point may drop different rows at Q and at Q⁺, and the system would no longer be square.
//! The rows left out hold as well as positions do, which is why redundant systems are brought to round-off at each step
//! (see [`super::finish`]).
//!
//! **Singular positions.** Let δ and δ⁺ be the distances of Q and Q⁺ from a position where a
//! combination of rows vanishes: its force direction is δ w, its row δ⁺ wᵀ. The motion is
//! smooth, so the right-hand side vanishes with δ⁺ too, and V' is as smooth as elsewhere while
//! only L grows: the system stays useful with δ and δ⁺ of opposite sign and down to
//! |δ δ⁺| of [`WEAK`]. Below that, the projection is split in two, each of them orthogonal and defined
//! at any rank (see [`Accel`]: all rows, dependent directions filtered):
//!
//! 1. the acceleration a at Q, from G a = −γ;
//! 2. the smallest change of v (in the mass metric) that satisfies the constraint at Q⁺.
//!
//! At δ = 0 the first step leaves wᵀa open and the second fixes it; at δ⁺ = 0 it is the other way round. The result
//! differs from the oblique one by O(h²) in V', which the error estimate notices; so this is for the exceptional stage,
//! not for regular ones.

use crate::accel::Accel;
use crate::failure::{StepFailure, check_finite};
use crate::problem::{Problem, mass_mul_add, mass_slots};
use crate::rows::RowSubset;
use crate::state::{Derived, State};
use delassus_linalg::{Backend, KktError, MassShape, TangentKkt};
use delassus_math::remember;

/// Pivot of the stage matrix below which the system is not solved directly.
pub(super) const WEAK: f64 = 1e-10;

/// Pivot of the stage matrix below which W at the constraint point is factored too, so that [`Accel::weakest_pivot`]
/// shows how close a singular position is. The pivots of the stage matrix themselves do not: they depend on the ratios
/// of the inertias.
const WATCH: f64 = 1e-4;

/// Sweeps that remove the fictitious inertia of thin rods from the solution.
const SWEEPS: usize = 2;

/// A stage: its state, and the terms of the stage system there.
#[derive(Debug, Clone, Default)]
pub(super) struct StagePoint {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub z: Vec<f64>,
    pub mass: Vec<f64>,
    pub jac: Vec<f64>,
    pub force: Vec<f64>,
}
remember!(StagePoint { t, q, v, z, mass, jac, force });

impl StagePoint {
    pub fn new<P: Problem>(p: &P) -> StagePoint {
        let (d, s) = (p.dims(), p.structure());
        StagePoint {
            t: 0.0,
            q: vec![0.0; d.nq],
            v: vec![0.0; d.nv],
            z: vec![0.0; d.nz],
            mass: vec![0.0; s.mass.value_len()],
            jac: vec![0.0; s.jac.nnz()],
            force: vec![0.0; d.nv],
        }
    }

    /// Takes over a state and the terms that `acc` evaluated there.
    pub fn set(&mut self, s: &State, acc: &Accel) {
        self.t = s.t;
        self.q.copy_from_slice(&s.q);
        self.v.copy_from_slice(&s.v);
        self.z.copy_from_slice(&s.z);
        let (mass, jac, force) = acc.terms();
        self.mass.copy_from_slice(mass);
        self.jac.copy_from_slice(jac);
        self.force.copy_from_slice(force);
    }
}

/// Solves stage systems; owns the matrices.
pub(super) struct StageSolver {
    pub acc: Accel,
    lu: TangentKkt,
    rows: RowSubset,
    blocks: MassShape,
    /// M on its own pattern; places of the block values in it.
    m: Vec<f64>,
    slots: Vec<usize>,
    constant_mass: bool,
    mass_set: bool,
    /// Fictitious inertia: (slot, value).
    floor: Vec<(usize, f64)>,
    rate: Vec<f64>,
    lambda: Vec<f64>,
    change: Vec<f64>,
    residual: Vec<f64>,
    zdot: Vec<f64>,
    more: Vec<f64>,
    zero: Vec<f64>,
    /// Weakest pivot at the start and at the end of the attempt.
    start_pivot: f64,
    pub end_pivot: f64,
}
remember!(StageSolver { acc, start_pivot, end_pivot } apart from {
    lu, rows, blocks, m, slots, constant_mass, mass_set, floor, rate, lambda, change, residual,
    zdot, more, zero,
});

impl StageSolver {
    pub fn new<P: Problem>(p: &P) -> Result<StageSolver, KktError> {
        let (d, s) = (p.dims(), p.structure());
        let pattern = s.mass.pattern()?;
        // A block without any inertia is held by constraints and needs none; a thin rod's spin
        // may be free.
        let mut floor = Vec::new();
        for k in 0..s.mass.count() {
            let (n, i0) = (s.mass.sizes()[k], s.mass.dof(k));
            let part = &s.mass_floor[i0..i0 + n];
            if part.contains(&0.0) {
                floor.extend(
                    (0..n)
                        .filter(|i| part[*i] > 0.0)
                        .filter_map(|i| pattern.slot(i0 + i, i0 + i).map(|slot| (slot, part[i]))),
                );
            }
        }
        let rows = RowSubset::new(s.jac.clone(), s.independent_rows.clone())?;
        Ok(StageSolver {
            acc: Accel::new(p)?,
            lu: TangentKkt::new(pattern.clone(), rows.pattern().clone(), Backend::Auto)?,
            rows,
            m: vec![0.0; pattern.nnz()],
            slots: mass_slots(&s.mass, &pattern)?,
            blocks: s.mass.clone(),
            constant_mass: s.constant_mass,
            mass_set: false,
            floor,
            rate: vec![0.0; d.n_vel],
            lambda: vec![0.0; d.n_vel],
            change: vec![0.0; d.nv],
            residual: vec![0.0; d.nv],
            zdot: vec![0.0; d.nz],
            more: vec![0.0; d.n_vel],
            zero: vec![0.0; d.n_vel],
            start_pivot: 1.0,
            end_pivot: 1.0,
        })
    }

    /// Accelerations and multipliers at a state a run starts from.
    pub fn restart<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        d: &mut Derived,
    ) -> Result<(), StepFailure> {
        self.mass_set = false;
        self.acc.weakest_pivot = 1.0;
        self.acc.eval(p, ws, s.t, &s.q, &s.v, &s.z, &mut d.a, &mut d.lambda, &mut d.zdot)?;
        self.start_pivot = self.acc.weakest_pivot;
        Ok(())
    }

    /// Begins an attempt: the pivots of its start count too.
    pub fn begin(&mut self) {
        self.acc.weakest_pivot = self.start_pivot;
    }

    /// The end of the attempt becomes the start of the next one.
    pub fn commit(&mut self) {
        self.start_pivot = self.end_pivot;
    }

    /// Evaluates a stage: t, q, v and z are given; `ws` is realised at (t, q) and gets v.
    pub fn evaluate<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        at: &mut StagePoint,
        zdot: &mut [f64],
    ) -> Result<(), StepFailure> {
        p.realize_velocity(&at.v, &at.z, ws);
        if !self.constant_mass {
            p.mass(ws, &mut at.mass);
        }
        p.force(ws, &mut at.force);
        p.z_dot(ws, zdot);
        self.acc.work.evaluations += 1;
        check_finite("forces", &at.force)?;
        check_finite("controller rates", zdot)
    }

    /// V' of the stage `here` with the constraint imposed at `to`, where t, q and z are given and v holds Ṽ; on return
    /// it is Ṽ + w V'. Leaves G there and `ws` realised at its position.
    pub fn solve<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        here: &StagePoint,
        w: f64,
        to: &mut StagePoint,
        k: &mut [f64],
    ) -> Result<(), StepFailure> {
        p.realize_position(to.t, &to.q, &to.z, ws);
        p.jacobian(ws, &mut to.jac);
        self.velocity_rate(p, ws, to, -1.0 / w)?;
        if !self.mass_set || !self.constant_mass {
            for (slot, x) in self.slots.iter().zip(&here.mass) {
                self.m[*slot] = *x;
            }
            for &(slot, x) in &self.floor {
                self.m[slot] += x;
            }
            self.mass_set = true;
        }
        let (rows, cols) = self.rows.two(&to.jac, &here.jac);
        self.acc.work.factorizations += 1;
        let pivot = match self.lu.factor(&self.m, rows, cols) {
            Ok(i) if !i.regularized => i.min_relative_pivot,
            Ok(_) | Err(KktError::Singular { .. }) => 0.0,
            Err(e) => return Err(e.into()),
        };
        if pivot < WATCH {
            self.acc.factor_realized(p, ws)?;
        }
        if pivot < WEAK {
            return self.solve_split(p, ws, here, w, to, k);
        }
        let (lu, f) = (&mut self.lu, &here.force);
        self.rows.with_vectors(&self.rate, &mut self.lambda, |b, l| lu.solve(f, b, k, l))?;
        if !self.floor.is_empty() {
            self.remove_floor(here, k)?;
        }
        for (v, k) in to.v.iter_mut().zip(&*k) {
            *v += w * k;
        }
        check_finite("stage velocities", &to.v)
    }

    /// rate = c (G v + g_t) at `at`, whose position is realised.
    fn velocity_rate<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        at: &StagePoint,
        c: f64,
    ) -> Result<(), StepFailure> {
        p.realize_velocity(&at.v, &at.z, ws);
        p.residual_vel(ws, &mut self.rate);
        for r in &mut self.rate {
            *r *= c;
        }
        check_finite("constraint rates", &self.rate)
    }

    /// The two orthogonal projections of the module head.
    fn solve_split<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        here: &StagePoint,
        w: f64,
        to: &mut StagePoint,
        k: &mut [f64],
    ) -> Result<(), StepFailure> {
        let (l, zdot) = (&mut self.lambda, &mut self.zdot);
        self.acc.eval(p, ws, here.t, &here.q, &here.v, &here.z, k, l, zdot)?;
        for (v, k) in to.v.iter_mut().zip(&*k) {
            *v += w * k;
        }
        self.acc.factor_at(p, ws, to.t, &to.q, &to.z)?;
        self.velocity_rate(p, ws, to, -1.0)?;
        self.acc.correct(&self.rate, &mut self.change)?;
        for ((v, k), d) in to.v.iter_mut().zip(k).zip(&self.change) {
            *v += d;
            *k += d / w;
        }
        Ok(())
    }

    /// Corrects V' for the true inertia: the factored matrix has the fictitious one on top.
    fn remove_floor(&mut self, here: &StagePoint, k: &mut [f64]) -> Result<(), StepFailure> {
        for _ in 0..SWEEPS {
            // r = f + Gᵀ L − M V'
            self.residual.fill(0.0);
            mass_mul_add(&self.blocks, &here.mass, k, &mut self.residual);
            for (r, f) in self.residual.iter_mut().zip(&here.force) {
                *r = f - *r;
            }
            self.rows.full().mul_t_add(&here.jac, 1.0, &self.lambda, &mut self.residual);
            let (lu, r, x) = (&mut self.lu, &self.residual, &mut self.change);
            self.rows.with_vectors(&self.zero, &mut self.more, |b, l| lu.solve(r, b, x, l))?;
            for (k, d) in k.iter_mut().zip(&self.change) {
                *k += d;
            }
            for (l, d) in self.lambda.iter_mut().zip(&self.more) {
                *l += d;
            }
        }
        Ok(())
    }
}
