//! Accelerations and projections by the augmented Lagrangian with S = M.
//!
//! ```text
//! accelerations   M a = f + Gᵀλ ,  G a = −γ − 2ξω (G v + g_t) − ω² g
//! projections     x of least xᵀM x with G x = b
//! ```
//!
//! Rows that follow from others (`Structure::independent_rows`) have a weight of 1 instead of the penalty: slightly off
//! the constraints they contradict the others and would stiffen the motion. Where the others become dependent, all rows
//! get the full weight.
//!
//! Each solution takes a few passes with one factor: x and λ grow by what the remainder of the constraint equation
//! requires, which shrinks by about the penalty in every pass. Where a direction of G fades, its remainder does not
//! shrink and the passes end: noise is not amplified there.

use super::Stabilisation;
use super::penalty::PenaltyKkt;
use crate::failure::{StepFailure, Work, check_finite};
use crate::integrator::explicit::Rates;
use crate::problem::{AtVel, Dims, Problem, mass_slots};
use crate::state::State;
use delassus_linalg::{Csr, KktError, MassShape};
use delassus_math::remember;

/// Passes of one solution. Two reach round-off at the usual penalty.
const PASSES: usize = 4;
/// Allowed remainder of a constraint equation, relative.
const REST: f64 = 1e-15;
/// Newton iterations of one projection of positions.
const PROJECTIONS: usize = 6;
/// A pivot below this, in units of 1/penalty, shows that the independent rows become dependent.
const WEAK: f64 = 100.0;
/// Scaled residual that counts as zero.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// Index-1 evaluator and projector; owns its buffers.
pub(super) struct AlEval {
    kkt: PenaltyKkt,
    dims: Dims,
    blocks: MassShape,
    jac_pattern: Csr,
    slots: Vec<usize>,
    penalty: f64,
    scale: Vec<f64>,
    row_scale: Vec<f64>,
    /// D, from the masses at the last restart: for all rows, and with dependent ones turned down.
    pub weight: Vec<f64>,
    reduced: Vec<f64>,
    /// Scales of the rows with full weight, infinite for the others.
    judged: Vec<f64>,
    has_dependent: bool,
    use_all: bool,
    mass: Vec<f64>,
    s: Vec<f64>,
    jac: Vec<f64>,
    f: Vec<f64>,
    zero: Vec<f64>,
    b: Vec<f64>,
    rest: Vec<f64>,
    dx: Vec<f64>,
    dy: Vec<f64>,
    y: Vec<f64>,
    q: Vec<f64>,
    /// A projection that stalls is accepted if |g_i| is below this times the row's scale.
    limit: f64,
    /// Smallest pivot since it was last set to 1.
    pub weakest_pivot: f64,
    /// Work done so far.
    pub work: Work,
}
remember!(AlEval { weight, reduced, use_all, weakest_pivot, work } apart from {
    kkt, dims, blocks, jac_pattern, slots, penalty, scale, row_scale, judged, has_dependent, mass,
    s, jac, f, zero, b, rest, dx, dy, y, q, limit,
});

impl AlEval {
    /// Allocates everything for a problem.
    pub fn new<P: Problem>(p: &P, penalty: f64, limit: f64) -> Result<AlEval, KktError> {
        let d = p.dims();
        let st = p.structure();
        let pattern = st.mass.pattern()?;
        let scales = p.scales();
        let mut judged = scales.row.clone();
        if let Some(rows) = &st.independent_rows {
            judged.fill(f64::INFINITY);
            for r in rows {
                judged[*r] = scales.row[*r];
            }
        }
        let nv = || vec![0.0; d.nv];
        let rows = || vec![0.0; d.n_vel];
        Ok(AlEval {
            kkt: PenaltyKkt::new(&pattern, &st.jac)?,
            dims: d,
            slots: mass_slots(&st.mass, &pattern)?,
            mass: vec![0.0; st.mass.value_len()],
            s: vec![0.0; pattern.nnz()],
            jac: vec![0.0; st.jac.nnz()],
            blocks: st.mass.clone(),
            jac_pattern: st.jac.clone(),
            penalty,
            scale: scales.q,
            row_scale: scales.row,
            weight: vec![1.0; d.n_vel],
            reduced: vec![1.0; d.n_vel],
            judged,
            has_dependent: st.independent_rows.is_some(),
            use_all: false,
            f: nv(),
            zero: nv(),
            b: rows(),
            rest: rows(),
            dx: nv(),
            dy: rows(),
            y: rows(),
            q: vec![0.0; d.nq],
            limit,
            weakest_pivot: 1.0,
            work: Work::default(),
        })
    }

    /// Sets the weights of the rows by the masses at the position realised in `ws`.
    fn weigh<P: Problem>(&mut self, p: &P, ws: &P::Ws) {
        p.mass(ws, &mut self.mass);
        let mut energy: f64 = 0.0;
        for k in 0..self.blocks.count() {
            let (n, i0, v0) = (self.blocks.sizes()[k], self.blocks.dof(k), self.blocks.value(k));
            for i in 0..n {
                let s = self.scale[i0 + i];
                energy = energy.max(self.mass[v0 + i * n + i] * s * s);
            }
        }
        // without any mass, any scale is as good as another
        let energy = if energy > 0.0 { energy } else { 1.0 };
        for (i, r) in self.row_scale.iter().enumerate() {
            self.weight[i] = self.penalty * energy / (r * r);
            let full = self.judged[i].is_finite();
            self.reduced[i] = if full { self.weight[i] } else { energy / (r * r) };
        }
    }

    /// Factors M + GᵀDG at the position realised in `ws`.
    pub fn factor<P: Problem>(&mut self, p: &P, ws: &P::Ws) -> Result<(), StepFailure> {
        p.mass(ws, &mut self.mass);
        p.jacobian(ws, &mut self.jac);
        for (slot, x) in self.slots.iter().zip(&self.mass) {
            self.s[*slot] = *x;
        }
        let pivot = self.kkt.factor(&self.s, &self.jac, &self.jac, &self.reduced)?;
        self.weakest_pivot = self.weakest_pivot.min(pivot);
        self.work.factorizations += 1;
        self.use_all = self.has_dependent && pivot < WEAK / self.penalty;
        if self.use_all {
            self.kkt.factor(&self.s, &self.jac, &self.jac, &self.weight)?;
            self.work.factorizations += 1;
        }
        Ok(())
    }

    /// Finds x with G x = b by passes; on entry x and y hold the first one.
    fn passes(&mut self, x: &mut [f64], y: &mut [f64]) -> Result<(), StepFailure> {
        let scale = if self.use_all { &self.row_scale } else { &self.judged };
        let size = largest(&self.b, scale);
        let mut last = f64::INFINITY;
        for _ in 1..PASSES {
            self.rest.copy_from_slice(&self.b);
            self.jac_pattern.mul_add(&self.jac, -1.0, x, &mut self.rest);
            let left = largest(&self.rest, scale);
            // nothing left, or nothing gained: round-off, a contradiction, or a faded direction
            if left <= REST * size || !(left < 0.5 * last) {
                break;
            }
            self.kkt.solve(&self.zero, &self.rest, &mut self.dx, &mut self.dy)?;
            add(x, &self.dx);
            add(y, &self.dy);
            last = left;
        }
        Ok(())
    }

    /// Weights, and a, λ and ż, at a state from which a run starts.
    pub fn restart<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        stab: Stabilisation,
        out: Rates<'_>,
    ) -> Result<(), StepFailure> {
        p.realize_position(s.t, &s.q, &s.z, ws);
        self.weigh(p, ws);
        self.factor(p, ws)?;
        p.realize_velocity(&s.v, &s.z, ws);
        self.accel(p, ws, stab, out)
    }

    /// a, λ and ż at the velocity-level point realised in `ws` with the present factor (same q).
    pub fn accel<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        stab: Stabilisation,
        out: Rates<'_>,
    ) -> Result<(), StepFailure> {
        let Rates { a, lambda, zdot } = out;
        self.work.evaluations += 1;
        let e = AtVel::realized(p, ws);
        e.force(&mut self.f);
        e.bias(&mut self.b);
        e.z_dot(zdot);
        if stab != Stabilisation::NONE {
            e.residual_vel(&mut self.rest);
            for (b, r) in self.b.iter_mut().zip(&self.rest) {
                *b += 2.0 * stab.xi * stab.omega * r;
            }
            let n = self.dims.n_pos;
            e.residual_pos(&mut self.rest[..n]);
            for (b, r) in self.b[..n].iter_mut().zip(&self.rest) {
                *b += stab.omega * stab.omega * r;
            }
        }
        for b in &mut self.b {
            *b = -*b;
        }
        check_finite("forces", &self.f)?;
        check_finite("constraint bias", &self.b)?;
        check_finite("controller rates", zdot)?;
        self.kkt.solve(&self.f, &self.b, a, lambda)?;
        self.passes(a, lambda)?;
        check_finite("accelerations", a)
    }

    /// The smallest x in the mass metric with G x = b, where b is in the buffer of that name.
    fn correct(&mut self, x: &mut [f64]) -> Result<(), StepFailure> {
        let mut y = std::mem::take(&mut self.y);
        let done =
            self.kkt.solve(&self.zero, &self.b, x, &mut y).and_then(|()| self.passes(x, &mut y));
        self.y = y;
        done?;
        check_finite("projection", x)
    }

    /// Moves q onto g(q, t) = 0, to round-off where that is possible. On return `ws` is realised
    /// at q and the factor belongs to it.
    pub fn position<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        t: f64,
        q: &mut [f64],
        z: &[f64],
    ) -> Result<(), StepFailure> {
        let n = self.dims.n_pos;
        p.realize_position(t, q, z, ws);
        self.factor(p, ws)?;
        p.residual_pos(ws, &mut self.b[..n]);
        let mut drift = largest(&self.b[..n], &self.row_scale);
        if drift <= ROUND_OFF {
            return Ok(());
        }
        self.work.projections += 1;
        let mut x = std::mem::take(&mut self.f);
        let mut done = Ok(());
        for _ in 0..PROJECTIONS {
            for b in &mut self.b[..n] {
                *b = -*b;
            }
            // velocity-only rows take part as G x = 0: a rolling wheel is not slid into place
            self.b[n..].fill(0.0);
            done = self.correct(&mut x);
            if done.is_err() {
                break;
            }
            p.manifold().retract(q, &x, &mut self.q);
            q.copy_from_slice(&self.q);
            p.realize_position(t, q, z, ws);
            p.residual_pos(ws, &mut self.b[..n]);
            let now = largest(&self.b[..n], &self.row_scale);
            if now <= ROUND_OFF {
                break;
            }
            if !(now < 0.5 * drift) {
                // round-off or a singular position: the remainder is accepted if it is small
                if !(now <= self.limit) {
                    let row = (0..n)
                        .max_by(|i, j| self.b[*i].abs().total_cmp(&self.b[*j].abs()))
                        .unwrap_or(0);
                    done = Err(StepFailure::Projection { row, residual: self.b[row] });
                }
                break;
            }
            drift = now;
        }
        self.f = x;
        done?;
        self.factor(p, ws)
    }

    /// Row with the largest residual that the last correction removed, and that residual.
    pub fn worst_row(&self) -> (usize, f64) {
        let size = |i: &usize| self.b[*i].abs() / self.row_scale[*i];
        let row = (0..self.b.len()).max_by(|i, j| size(i).total_cmp(&size(j))).unwrap_or(0);
        (row, self.b.get(row).map_or(0.0, |b| -b))
    }

    /// Moves v onto G v + g_t = 0 at the position realised in `ws`, with its factor; leaves `ws`
    /// realised at velocity level.
    pub fn velocity<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        v: &mut [f64],
        z: &[f64],
    ) -> Result<(), StepFailure> {
        p.realize_velocity(v, z, ws);
        if self.dims.n_vel == 0 {
            return Ok(());
        }
        p.residual_vel(ws, &mut self.b);
        for b in &mut self.b {
            *b = -*b;
        }
        let mut x = std::mem::take(&mut self.f);
        let done = self.correct(&mut x);
        if done.is_ok() {
            add(v, &x);
            p.realize_velocity(v, z, ws);
        }
        self.f = x;
        done
    }
}

/// Largest |x_i| / s_i; not finite if some x is not.
fn largest(x: &[f64], s: &[f64]) -> f64 {
    let mut worst: f64 = 0.0;
    for (x, s) in x.iter().zip(s) {
        let w = x.abs() / s;
        if !w.is_finite() {
            return w;
        }
        worst = w.max(worst);
    }
    worst
}

fn add(x: &mut [f64], d: &[f64]) {
    for (x, d) in x.iter_mut().zip(d) {
        *x += d;
    }
}
