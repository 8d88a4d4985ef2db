//! The linear system of a step: S x − Gᵀλ = f, G x = b.
//!
//! S = M where forces are soft (explicit), S = M + c_C C + c_K K where they are stiff. What is stiff
//! is judged by the size of c_C C + c_K K in the mass metric, bounded by row sums: above
//! [`STIFF`] the explicit step would lose accuracy and soon its stability.

use super::delassus::{Delassus, System};
use delassus_dae::{Accel, Dims, KktError, Problem, StepFailure};
use delassus_linalg::{Backend, Csr, MassShape, TangentKkt};
use delassus_math::remember;

/// How forces are taken within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Forces {
    /// Implicit where they are stiff for the step at hand, else explicit.
    #[default]
    Auto,
    /// Always with the tangents K and C.
    Implicit,
    /// Never: cheapest, for systems known to be soft.
    Explicit,
}

/// Size of the force terms relative to the mass above which a step is implicit.
const STIFF: f64 = 0.02;
/// Below this an implicit run becomes explicit again.
const SOFT: f64 = 0.005;
/// Steps between two judgements.
const JUDGE_EVERY: u32 = 8;

/// Matrix of a step with its joints.
pub(super) struct Operator {
    /// M with joints; also for projections.
    pub acc: Accel,
    kkt: Option<TangentKkt>,
    rows: Option<Vec<usize>>,
    full: Csr,
    tangent: Csr,
    pub shape: MassShape,
    mass_slots: Vec<usize>,
    floor: Vec<f64>,
    mass: Vec<f64>,
    jac: Vec<f64>,
    jac_used: Vec<f64>,
    s: Vec<f64>,
    zero_a: Vec<f64>,
    zero_rows: Vec<f64>,
    b_used: Vec<f64>,
    l_used: Vec<f64>,
    forces: Forces,
    /// The matrix at hand has K and C.
    pub implicit: bool,
    age: u32,
    judged_for: f64,
    /// All coordinates have a mass of their own.
    has_mass: bool,
}
remember!(Operator { acc, implicit, age, judged_for } apart from {
    kkt, rows, full, tangent, shape, mass_slots, floor, mass, jac, jac_used, s, zero_a,
    zero_rows, b_used, l_used, forces, has_mass,
});

impl Operator {
    pub fn new<P: Problem>(p: &P, forces: Forces) -> Result<Operator, KktError> {
        let d = p.dims();
        let s = p.structure();
        let used = s.independent_rows.as_ref().map_or(d.n_vel, Vec::len);
        Ok(Operator {
            acc: Accel::new(p)?,
            kkt: None,
            has_mass: s.mass_floor.iter().all(|m| *m == 0.0),
            rows: s.independent_rows.clone(),
            mass: vec![0.0; s.mass.value_len()],
            jac: vec![0.0; s.jac.nnz()],
            jac_used: Vec::new(),
            s: vec![0.0; s.tangent.nnz()],
            full: s.jac.clone(),
            tangent: s.tangent.clone(),
            mass_slots: s.mass.slots(&s.tangent)?,
            shape: s.mass.clone(),
            floor: s.mass_floor.clone(),
            zero_a: vec![0.0; d.nv],
            zero_rows: vec![0.0; d.n_vel],
            b_used: vec![0.0; used],
            l_used: vec![0.0; used],
            forces,
            implicit: forces == Forces::Implicit,
            age: 0,
            judged_for: 0.0,
        })
    }

    /// Forgets what was judged.
    pub fn restart(&mut self) {
        self.age = 0;
        self.implicit = self.forces == Forces::Implicit;
    }

    /// Matrix at the state that is realised in `ws`, factored.
    pub fn prepare<P: Problem>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        ck: f64,
        cc: f64,
    ) -> Result<(), StepFailure> {
        p.mass(ws, &mut self.mass);
        let mut fresh = false;
        if self.forces == Forces::Auto && (self.age == 0 || self.judged_for != cc) {
            self.fill(p, ws, ck, cc);
            fresh = true;
            let size = self.stiffness();
            self.implicit = size > if self.implicit { SOFT } else { STIFF };
            self.judged_for = cc;
            self.age = 0;
        }
        self.age = (self.age + 1) % JUDGE_EVERY;
        if !self.implicit {
            return self.acc.factor_realized(p, ws);
        }
        if !fresh {
            self.fill(p, ws, ck, cc);
        }
        for (slot, m) in self.mass_slots.iter().zip(&self.mass) {
            self.s[*slot] += m;
        }
        p.jacobian(ws, &mut self.jac);
        self.factor().map_err(StepFailure::from)
    }

    fn fill<P: Problem>(&mut self, p: &P, ws: &P::Ws, ck: f64, cc: f64) {
        self.s.fill(0.0);
        // forces alone: accelerations and multipliers of impacts have no place in a tangent
        p.tangent(ws, &self.zero_a, &self.zero_rows, ck, cc, &mut self.s);
    }

    /// y += c K x, with the state that is realised in `ws`. Spoils what is not factored yet.
    pub fn add_stiffness<P: Problem>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        c: f64,
        x: &[f64],
        y: &mut [f64],
    ) {
        self.fill(p, ws, c, 0.0);
        self.tangent.mul_add(&self.s, 1.0, x, y);
    }

    /// f += Gᵀλ at the position that is realised in `ws`.
    pub fn add_joint_forces<P: Problem>(
        &self,
        p: &P,
        ws: &P::Ws,
        lambda: &[f64],
        jac: &mut Vec<f64>,
        f: &mut [f64],
    ) {
        jac.resize(self.full.nnz(), 0.0);
        p.jacobian(ws, jac);
        self.full.mul_t_add(jac, 1.0, lambda, f);
    }

    /// f −= M x at the position that is realised in `ws`.
    pub fn sub_inertia<P: Problem>(&mut self, p: &P, ws: &P::Ws, x: &[f64], f: &mut [f64]) {
        p.mass(ws, &mut self.mass);
        self.shape.mul_sub(&self.mass, x, f);
    }

    /// Bound of c_C C + c_K K in the mass metric.
    fn stiffness(&self) -> f64 {
        let mut diagonal = vec![0.0; self.floor.len()];
        let inertia = self.shape.diagonal(&self.mass);
        for (d, (m, floor)) in diagonal.iter_mut().zip(inertia.zip(&self.floor)) {
            // coordinates without mass follow the others, they do not swing
            if *floor == 0.0 {
                *d = m;
            }
        }
        let mut worst = 0.0f64;
        for i in 0..self.tangent.nrows {
            if diagonal[i] <= 0.0 {
                continue;
            }
            let range = self.tangent.row_ptr[i]..self.tangent.row_ptr[i + 1];
            let mut sum = 0.0;
            for (j, s) in self.tangent.col[range.clone()].iter().zip(&self.s[range]) {
                if diagonal[*j] > 0.0 {
                    sum += s.abs() / (diagonal[i] * diagonal[*j]).sqrt();
                }
            }
            worst = worst.max(sum);
        }
        worst
    }

    fn factor(&mut self) -> Result<(), KktError> {
        if self.kkt.is_none() {
            let pattern = match &self.rows {
                None => self.full.clone(),
                Some(rows) => Csr::from_pairs(
                    rows.len(),
                    self.full.ncols,
                    rows.iter()
                        .enumerate()
                        .flat_map(|(i, r)| self.full.row(*r).iter().map(move |c| (i, *c))),
                )?,
            };
            self.kkt = Some(TangentKkt::new(self.tangent.clone(), pattern, Backend::Auto)?);
        }
        let jac = match &self.rows {
            None => &self.jac,
            Some(rows) => {
                self.jac_used.clear();
                for r in rows {
                    let range = self.full.row_ptr[*r]..self.full.row_ptr[*r + 1];
                    self.jac_used.extend_from_slice(&self.jac[range]);
                }
                &self.jac_used
            }
        };
        if let Some(kkt) = &mut self.kkt {
            kkt.factor(&self.s, jac, jac)?;
        }
        Ok(())
    }

    /// S x − Gᵀλ = f, G x = b.
    pub fn solve(
        &mut self,
        f: &[f64],
        b: &[f64],
        x: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), StepFailure> {
        let Some(kkt) = self.kkt.as_mut().filter(|_| self.implicit) else {
            return self.acc.solve(f, b, x, lambda);
        };
        let Some(rows) = &self.rows else {
            return Ok(kkt.solve(f, b, x, lambda)?);
        };
        for (to, r) in self.b_used.iter_mut().zip(rows) {
            *to = b[*r];
        }
        kkt.solve(f, &self.b_used, x, &mut self.l_used)?;
        lambda.fill(0.0);
        for (l, r) in self.l_used.iter().zip(rows) {
            lambda[*r] = *l;
        }
        Ok(())
    }

    /// Poses the problems of the groups in `points` for the matrix at hand.
    pub fn pose(&mut self, d: &Dims, points: &mut Delassus) -> Result<(), StepFailure> {
        let system = if self.implicit { None } else { self.system() };
        // what is taken over from the system is copied before anything is solved
        points.load((d.nv, d.n_vel), system);
        points.form(&mut |f, x, l| self.respond(f, x, l))
    }

    /// M with the rows of joints, where M has an inverse that is as sparse as itself.
    pub fn system(&self) -> Option<System<'_>> {
        let sparse = self.has_mass && self.shape.is_block_diagonal();
        let factored = self.acc.factored().filter(|_| sparse)?;
        Some(System { shape: &self.shape, factored })
    }

    /// The answer to a force or impulse alone.
    pub fn respond(
        &mut self,
        f: &[f64],
        x: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), StepFailure> {
        if !self.implicit {
            return self.acc.respond(f, x, lambda);
        }
        let zero = std::mem::take(&mut self.zero_rows);
        let done = self.solve(f, &zero, x, lambda);
        self.zero_rows = zero;
        done
    }
}
