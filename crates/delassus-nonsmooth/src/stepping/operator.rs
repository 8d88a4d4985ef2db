//! The linear system of a step: S x − Gᵀλ = f, G x = b.
//!
//! S = M where forces are soft (explicit), S = M + c_C C + c_K K where they are stiff. Stiffness is judged by the size
//! of c_C C + c_K K in the mass metric, bounded by row sums: above [`STIFF`] the explicit step would lose accuracy and
//! soon its stability.

use super::delassus::{Delassus, System};
use delassus_dae::{Accel, Dims, KktError, Problem, StepFailure};
use delassus_linalg::{Backend, Csr, MassShape, TangentKkt};
use delassus_math::remember;

/// How forces are treated within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Forces {
    /// Implicit where they are stiff for the present step, else explicit.
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
/// Number of steps between two assessments.
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
    stiffness: Vec<f64>,
    zero_a: Vec<f64>,
    zero_rows: Vec<f64>,
    b_used: Vec<f64>,
    l_used: Vec<f64>,
    forces: Forces,
    /// The present matrix has K and C.
    pub implicit: bool,
    age: u32,
    judged_for: f64,
    /// All coordinates have a mass of their own.
    has_mass: bool,
    /// Matrix with the tangents of compliant contacts, and whether it is the present one.
    wide: Option<Wide>,
    pressed: bool,
}
remember!(Operator { acc, implicit, age, judged_for } apart from {
    kkt, rows, full, tangent, shape, mass_slots, floor, mass, jac, jac_used, s, stiffness,
    zero_a, zero_rows, b_used, l_used, forces, has_mass, wide, pressed,
});

/// S with blocks that its own pattern need not have.
struct Wide {
    /// Coordinates of the blocks, one after the other, and where each ends.
    blocks: (Vec<usize>, Vec<usize>),
    pattern: Csr,
    /// Slots of the values of the own pattern.
    slots: Vec<usize>,
    mass_slots: Vec<usize>,
    s: Vec<f64>,
    kkt: TangentKkt,
}

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
            stiffness: Vec::new(),
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
            wide: None,
            pressed: false,
        })
    }

    /// Forgets the assessment.
    pub fn restart(&mut self) {
        self.age = 0;
        self.implicit = self.forces == Forces::Implicit;
    }

    /// Forms and factors the matrix at the state realised in `ws`.
    pub fn prepare<P: Problem>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        ck: f64,
        cc: f64,
    ) -> Result<(), StepFailure> {
        p.mass(ws, &mut self.mass);
        self.pressed = false;
        let mut fresh = false;
        if self.forces == Forces::Auto && (self.age == 0 || self.judged_for != cc) {
            self.fill(p, ws, ck, cc);
            fresh = true;
            let size = self.size();
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
        // forces alone: accelerations and multipliers of impacts do not belong in a tangent
        p.tangent(ws, &self.zero_a, &self.zero_rows, ck, cc, &mut self.s);
    }

    /// y += c K x, with the state realised in `ws`.
    pub fn add_stiffness<P: Problem>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        c: f64,
        x: &[f64],
        y: &mut [f64],
    ) {
        // the prepared matrix may be needed again
        let mut k = std::mem::take(&mut self.stiffness);
        std::mem::swap(&mut self.s, &mut k);
        self.s.resize(k.len(), 0.0);
        self.fill(p, ws, c, 0.0);
        self.tangent.mul_add(&self.s, 1.0, x, y);
        std::mem::swap(&mut self.s, &mut k);
        self.stiffness = k;
    }

    /// f += Gᵀλ at the position realised in `ws`.
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

    /// f −= M x at the position realised in `ws`.
    pub fn sub_inertia<P: Problem>(&mut self, p: &P, ws: &P::Ws, x: &[f64], f: &mut [f64]) {
        p.mass(ws, &mut self.mass);
        self.shape.mul_sub(&self.mass, x, f);
    }

    /// Bound of c_C C + c_K K in the mass metric.
    fn size(&self) -> f64 {
        let mut diagonal = vec![0.0; self.floor.len()];
        let inertia = self.shape.diagonal(&self.mass);
        for (d, (m, floor)) in diagonal.iter_mut().zip(inertia.zip(&self.floor)) {
            // coordinates without mass follow the others, they do not oscillate
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

    /// Pattern of the rows of joints that are solved with.
    fn rows_used(&self) -> Result<Csr, KktError> {
        let Some(rows) = &self.rows else { return Ok(self.full.clone()) };
        let own = rows.iter().enumerate();
        let entries = own.flat_map(|(i, r)| self.full.row(*r).iter().map(move |c| (i, *c)));
        Csr::from_pairs(rows.len(), self.full.ncols, entries)
    }

    fn factor(&mut self) -> Result<(), KktError> {
        if !self.pressed && self.kkt.is_none() {
            let rows = self.rows_used()?;
            self.kkt = Some(TangentKkt::new(self.tangent.clone(), rows, Backend::Auto)?);
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
        match (&mut self.wide, &mut self.kkt) {
            (Some(wide), _) if self.pressed => wide.kkt.factor(&wide.s, jac, jac)?,
            (_, Some(kkt)) => kkt.factor(&self.s, jac, jac)?,
            _ => return Ok(()),
        };
        Ok(())
    }

    /// Makes room for these blocks of coordinates beside the pattern of K and C. The result depends only on them, not
    /// on those of earlier steps.
    pub fn widen(&mut self, blocks: &(Vec<usize>, Vec<usize>)) -> Result<(), KktError> {
        if self.wide.as_ref().is_some_and(|w| w.blocks == *blocks) {
            return Ok(());
        }
        let own = &self.tangent;
        let nv = own.nrows;
        let mut pairs: Vec<(usize, usize)> =
            (0..nv).flat_map(|i| own.row(i).iter().map(move |j| (i, *j))).collect();
        let starts = std::iter::once(&0).chain(&blocks.1);
        for cols in starts.zip(&blocks.1).map(|(from, to)| &blocks.0[*from..*to]) {
            pairs.extend(cols.iter().flat_map(|i| cols.iter().map(move |j| (*i, *j))));
        }
        let pattern = Csr::from_pairs(nv, nv, pairs)?;
        let places = (0..nv).flat_map(|i| own.row(i).iter().map(move |j| (i, *j)));
        self.wide = Some(Wide {
            blocks: blocks.clone(),
            slots: places.filter_map(|(i, j)| pattern.slot(i, j)).collect(),
            mass_slots: self.shape.slots(&pattern)?,
            s: vec![0.0; pattern.nnz()],
            kkt: TangentKkt::new(pattern.clone(), self.rows_used()?, Backend::Auto)?,
            pattern,
        });
        Ok(())
    }

    /// Tangents of compliant contacts, by `fill` on the pattern with their blocks; f += T x.
    pub fn press(&mut self, x: &[f64], f: &mut [f64], fill: impl FnOnce(&Csr, &mut [f64])) {
        let Some(wide) = &mut self.wide else { return };
        wide.s.fill(0.0);
        fill(&wide.pattern, &mut wide.s);
        wide.pattern.mul_add(&wide.s, 1.0, x, f);
    }

    /// Adds the prepared matrix to these tangents and factors the sum. The place of the step is realised in `ws`.
    pub fn prepare_pressed<P: Problem>(&mut self, p: &P, ws: &P::Ws) -> Result<(), StepFailure> {
        p.jacobian(ws, &mut self.jac);
        let Some(wide) = &mut self.wide else { return Ok(()) };
        // the prepared matrix includes the mass
        let (slots, values) = match self.implicit {
            true => (&wide.slots, &self.s),
            false => (&wide.mass_slots, &self.mass),
        };
        for (slot, x) in slots.iter().zip(values) {
            wide.s[*slot] += x;
        }
        self.pressed = true;
        Ok(self.factor()?)
    }

    /// Whether the present matrix has more than M and joints.
    pub fn has_tangents(&self) -> bool {
        self.implicit || self.pressed
    }

    /// S x − Gᵀλ = f, G x = b.
    pub fn solve(
        &mut self,
        f: &[f64],
        b: &[f64],
        x: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), StepFailure> {
        let kkt = match &mut self.wide {
            Some(wide) if self.pressed => Some(&mut wide.kkt),
            _ => self.kkt.as_mut().filter(|_| self.implicit),
        };
        let Some(kkt) = kkt else {
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

    /// Poses the problems of the groups in `points` for the present matrix.
    pub fn pose(&mut self, d: &Dims, points: &mut Delassus) -> Result<(), StepFailure> {
        let system = if self.has_tangents() { None } else { self.system() };
        // what is taken over from the system is copied before anything is solved
        points.load((d.nv, d.n_vel), system);
        points.form(&mut |f, x, l| self.respond(f, x, l))
    }

    /// M with the rows of joints, if M has an inverse that is as sparse as itself.
    pub fn system(&self) -> Option<System<'_>> {
        let sparse = self.has_mass && self.shape.is_block_diagonal();
        let factored = self.acc.factored().filter(|_| sparse)?;
        Some(System { shape: &self.shape, factored })
    }

    /// The response to a force or impulse alone.
    pub fn respond(
        &mut self,
        f: &[f64],
        x: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), StepFailure> {
        if !self.has_tangents() {
            return self.acc.respond(f, x, lambda);
        }
        let zero = std::mem::take(&mut self.zero_rows);
        let done = self.solve(f, &zero, x, lambda);
        self.zero_rows = zero;
        done
    }
}
