//! Newton's matrix, kept from step to step while it contracts well.
//!
//! ```text
//! [ c_m M + γh C + βh² K T   −Gᵀ ]       c_m = (1 − α_m)/(1 − α_f)
//! [ J                         0  ]
//! ```
//!
//! Unknowns are δ = βh² Δa₁ and βh² Δλ, so nothing in it is divided by h. The rows J are the
//! derivative of the constraints by δ: G T(ξ) for g, and for (βh/γ)(G v + g_t) to first order
//!
//! ```text
//! G₁ + (β/γ) h (Ġ − G v̂) ≈ [G₁ + (β/γ)(G₁ − G₀)] T(2ξβ/γ)
//! ```
//!
//! by the symmetry of second derivatives of g, ∂(G v + g_t) w = Ġ w − G v̂ w, so no second derivative is needed.
//! Rolling rows, which are not derivatives of a g, do without Ġ.
//!
//! There are two slots: a matrix made during an attempt goes into the spare one and is kept only when the attempt is
//! committed, so a dropped attempt leaves no trace.

use super::coefficients::Coefficients;
use super::form::Form;
use crate::failure::StepFailure;
use crate::integrator::eliminated::weigh;
use crate::problem::{Dims, Problem, mass_slots};
use crate::rows::RowSubset;
use delassus_linalg::{Backend, Csr, KktError, TangentKkt};
use delassus_math::remember;

/// Steps for which a matrix counts as young.
const YOUNG: u32 = 20;

/// The point at which the matrix is evaluated.
pub(super) struct Linearised<'a> {
    pub h: f64,
    pub xi: &'a [f64],
    pub a: &'a [f64],
    pub lambda: &'a [f64],
    pub mass: &'a [f64],
    pub jac: &'a [f64],
    /// G at the start of the step.
    pub jac_start: &'a [f64],
    /// Rates at which auxiliary states relax, 1/s.
    pub relaxation: &'a [f64],
}

/// The matrix with its two slots.
pub(super) struct Matrix {
    form: Form,
    co: Coefficients,
    slots: [TangentKkt; 2],
    kept: usize,
    active: usize,
    have: bool,
    /// Steps made with the kept matrix.
    age: u32,
    renew_kept: bool,
    /// The matrix must be renewed before it is used again.
    pub renew: bool,
    mass_slots: Vec<usize>,
    subset: RowSubset,
    pattern: Csr,
    n_pos_values: usize,
    s: Vec<f64>,
    rows: Vec<f64>,
    twist: Vec<f64>,
    by: Vec<[f64; 2]>,
}
remember!(Matrix { slots, kept, have, age, renew_kept } apart from {
    form, co, active, renew, mass_slots, subset, pattern, n_pos_values, s, rows, twist, by,
});

impl Matrix {
    pub fn new<P: Problem>(p: &P, form: Form, co: Coefficients) -> Result<Matrix, KktError> {
        let Dims { nv, nz, n_pos, .. } = p.dims();
        let st = p.structure();
        let (n_jac, n_pos_values) = (st.jac.nnz(), st.jac.row_ptr[n_pos]);
        let subset = RowSubset::new(st.jac.clone(), st.independent_rows.clone())?;
        // not a clone: that would lose the memory reserved for fill-in
        let kkt = || TangentKkt::new(st.tangent.clone(), subset.pattern().clone(), Backend::Auto);
        Ok(Matrix {
            form,
            co,
            slots: [kkt()?, kkt()?],
            kept: 0,
            active: 0,
            have: false,
            age: 0,
            renew_kept: true,
            renew: true,
            mass_slots: mass_slots(&st.mass, &st.tangent)?,
            subset,
            n_pos_values,
            s: vec![0.0; st.tangent.nnz()],
            pattern: st.tangent.clone(),
            rows: vec![0.0; n_jac],
            twist: vec![0.0; nv],
            by: vec![[0.0; 2]; nz],
        })
    }

    /// Pattern of G.
    pub fn jac_pattern(&self) -> &Csr {
        self.subset.full()
    }

    /// Forgets everything.
    pub fn restart(&mut self) {
        self.have = false;
    }

    /// Begins an attempt with what the last committed one left.
    pub fn begin(&mut self) {
        self.active = self.kept;
        self.renew = self.renew_kept || !self.have;
    }

    /// The matrix was made in this attempt or shortly before.
    pub fn is_young(&self) -> bool {
        self.active != self.kept || self.age < YOUNG
    }

    /// The attempt was accepted.
    pub fn commit(&mut self) {
        self.age = if self.active == self.kept { self.age.saturating_add(1) } else { 1 };
        self.kept = self.active;
        self.renew_kept = self.renew;
        self.have = true;
    }

    /// Renews the matrix at the point realised in `ws`.
    pub fn factor<P: Problem>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        at: &Linearised<'_>,
    ) -> Result<(), StepFailure> {
        let Coefficients { beta, gamma, .. } = self.co;
        let m = p.manifold();
        let ck = beta * at.h * at.h;
        let cc = gamma * at.h;
        // z by the trapezoidal rule
        let c = 0.5 * at.h;
        self.s.fill(0.0);
        if m.is_vector() {
            p.tangent(ws, at.a, at.lambda, ck, cc, &mut self.s);
            weigh([c * ck, c * cc], c, at.relaxation, &mut self.by);
            p.feedback(ws, &self.by, &mut self.s);
        } else {
            // K acts on increments at q₁, i.e. on T(ξ) dξ; C acts on dv
            p.tangent(ws, at.a, at.lambda, ck, 0.0, &mut self.s);
            weigh([c * ck, 0.0], c, at.relaxation, &mut self.by);
            p.feedback(ws, &self.by, &mut self.s);
            m.right_multiply(&self.pattern, &mut self.s, at.xi);
            p.tangent(ws, at.a, at.lambda, 0.0, cc, &mut self.s);
            weigh([0.0, c * cc], c, at.relaxation, &mut self.by);
            p.feedback(ws, &self.by, &mut self.s);
        }
        let cm = self.co.c_m();
        for (slot, x) in self.mass_slots.iter().zip(at.mass) {
            self.s[*slot] += cm * x;
        }
        self.rows.copy_from_slice(at.jac);
        if self.form.at_velocity() {
            let ratio = beta / gamma;
            for k in 0..self.n_pos_values {
                self.rows[k] += ratio * (at.jac[k] - at.jac_start[k]);
            }
            for (t, x) in self.twist.iter_mut().zip(at.xi) {
                *t = 2.0 * ratio * x;
            }
            m.right_multiply(self.subset.full(), &mut self.rows, &self.twist);
        } else {
            m.right_multiply(self.subset.full(), &mut self.rows, at.xi);
        }
        self.active = 1 - self.kept;
        let (rows, cols) = self.subset.two(&self.rows, at.jac);
        self.slots[self.active].factor(&self.s, rows, cols)?;
        self.renew = false;
        Ok(())
    }

    /// Solves for δ and the multipliers of all rows.
    pub fn solve(
        &mut self,
        r: &[f64],
        b: &[f64],
        dx: &mut [f64],
        dl: &mut [f64],
    ) -> Result<(), StepFailure> {
        let kkt = &mut self.slots[self.active];
        Ok(self.subset.with_vectors(b, dl, |b, y| kkt.solve(r, b, dx, y))?)
    }
}
