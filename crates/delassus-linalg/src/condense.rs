//! Exact elimination of massless coordinates before the Schur complement.
//!
//! A block without any inertia (a massless slider, a road point) has no `M⁻¹`. But its
//! coordinates `N` are held by constraint rows, so they can be eliminated with as many of
//! those rows, `P`, as there are coordinates:
//!
//! ```text
//! a_N = G_PN⁻¹ (b_P − G_PV a_V)            λ_P = −G_PN⁻ᵀ (f_N + G_QNᵀ λ_Q)
//! G̃_Q = G_QV − X G_PV ,  X = G_QN G_PN⁻¹   b̃_Q = b_Q − X b_P   f̃_V = f_V − G_PVᵀ G_PN⁻ᵀ f_N
//! ```
//!
//! What remains is the same kind of system, smaller and with a regular mass matrix. Which rows are `P` is decided by
//! pivoting, again when the last choice is no longer good enough; the remaining rows of a group share one pattern, so
//! the choice never changes the sparsity and nothing is allocated.
//!
//! Blocks with only part of their inertia missing (a thin rod's spin) keep the fictitious
//! inertia of [`KktOptions::mass_floor`].

use crate::coupled_kkt::CoupledKkt;
use crate::error::{KktError, check_len};
use crate::mass_kkt::MassKkt;
use crate::mass_shape::MassShape;
use crate::massless_group::Group;
use crate::options::{FactorInfo, KktOptions, SolveInfo};
use crate::panels;
use crate::pattern::Csr;

/// Positions of the same values in two arrays, as runs of consecutive ones.
#[derive(Debug, Clone, Default)]
struct Runs(Vec<(usize, usize, usize)>);

impl Runs {
    fn push(&mut self, full: usize, reduced: usize) {
        match self.0.last_mut() {
            Some((f, r, n)) if *f + *n == full && *r + *n == reduced => *n += 1,
            _ => self.0.push((full, reduced, 1)),
        }
    }

    fn gather(&self, full: &[f64], reduced: &mut [f64]) {
        for &(f, r, n) in &self.0 {
            reduced[r..r + n].copy_from_slice(&full[f..f + n]);
        }
    }

    fn spread(&self, reduced: &[f64], full: &mut [f64]) {
        for &(f, r, n) in &self.0 {
            full[f..f + n].copy_from_slice(&reduced[r..r + n]);
        }
    }
}

/// Solver of a system whose mass is regular, chosen once by its shape.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "one per solver; boxing would add a pointer to every step"
)]
enum Inner {
    Blocks(MassKkt),
    Coupled(CoupledKkt),
}

impl Inner {
    fn new(shape: MassShape, jac: Csr, opts: KktOptions) -> Result<Inner, KktError> {
        let whole = !shape.is_block_diagonal() || panels::couples_too_many(&shape, &jac);
        Ok(match whole {
            false => Inner::Blocks(MassKkt::new(shape, jac, opts)?),
            true => Inner::Coupled(CoupledKkt::new(shape, jac, opts)?),
        })
    }

    fn set_mass(&mut self, values: &[f64]) -> Result<(), KktError> {
        match self {
            Inner::Blocks(kkt) => kkt.set_mass(values),
            Inner::Coupled(kkt) => kkt.set_mass(values),
        }
    }

    fn factor(&mut self, jac_values: &[f64]) -> Result<FactorInfo, KktError> {
        match self {
            Inner::Blocks(kkt) => kkt.factor(jac_values),
            Inner::Coupled(kkt) => kkt.factor(jac_values),
        }
    }

    fn solve(
        &mut self,
        f: &[f64],
        b: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<SolveInfo, KktError> {
        match self {
            Inner::Blocks(kkt) => kkt.solve(f, b, a, lambda),
            Inner::Coupled(kkt) => kkt.solve(f, b, a, lambda),
        }
    }
}

/// [`MassKkt`] with massless blocks eliminated first, and also for coupled masses and crowded bodies; the same calls
/// and the same answers.
#[derive(Debug, Clone)]
pub struct CondensedKkt {
    inner: Inner,
    /// Empty: everything is passed on unchanged.
    groups: Vec<Group>,
    full: Csr,
    reduced: Csr,
    /// Full and reduced positions of coordinates, of rows without massless coordinates, of the values of these rows,
    /// and of mass values.
    dofs: Runs,
    plain_rows: Runs,
    plain_slots: Runs,
    mass_slots: Runs,
    mass: Vec<f64>,
    values: Vec<f64>,
    f: Vec<f64>,
    b: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
}

impl CondensedKkt {
    /// Symbolic analysis and all allocation. A block is massless when every one of its
    /// coordinates has a positive `mass_floor` and it is coupled with no other.
    pub fn new(blocks: MassShape, jac: Csr, opts: KktOptions) -> Result<CondensedKkt, KktError> {
        jac.validate()?;
        check_len("columns of the constraint matrix", jac.ncols, blocks.dim())?;
        let mut alone = vec![true; blocks.count()];
        blocks.couplings().iter().for_each(|c| alone[c.row] = false);
        let massless: Vec<bool> = (0..blocks.count())
            .map(|k| {
                let n = blocks.sizes()[k];
                n > 0
                    && alone[k]
                    && !opts.mass_floor.is_empty()
                    && opts.mass_floor[blocks.dof(k)..blocks.dof(k) + n].iter().all(|f| *f > 0.0)
            })
            .collect();
        let mut out = CondensedKkt {
            inner: Inner::new(MassShape::new(vec![]), Csr::dense(0, 0), KktOptions::default())?,
            groups: Vec::new(),
            reduced: jac.clone(),
            full: jac.clone(),
            dofs: Runs::default(),
            plain_rows: Runs::default(),
            plain_slots: Runs::default(),
            mass_slots: Runs::default(),
            mass: Vec::new(),
            values: Vec::new(),
            f: Vec::new(),
            b: Vec::new(),
            a: Vec::new(),
            lambda: Vec::new(),
        };
        if !massless.contains(&true) {
            out.inner = Inner::new(blocks, jac, opts)?;
            return Ok(out);
        }
        out.build(&blocks, &massless)?;
        let kept: Vec<usize> = (0..blocks.count()).filter(|k| !massless[*k]).collect();
        let sizes = kept.iter().map(|k| blocks.sizes()[*k]).collect();
        let mut floor = vec![0.0; out.f.len()];
        out.dofs.gather(&opts.mass_floor, &mut floor);
        let mut place = vec![usize::MAX; blocks.count()];
        kept.iter().enumerate().for_each(|(i, k)| place[*k] = i);
        let pairs = blocks.couplings().iter().map(|c| (place[c.row], place[c.col]));
        let reduced_blocks = MassShape::coupled(sizes, pairs)?;
        for (i, k) in kept.iter().enumerate() {
            // only kept blocks are coupled, so all values of a block of rows are kept
            for s in 0..blocks.value(*k + 1) - blocks.value(*k) {
                out.mass_slots.push(blocks.value(*k) + s, reduced_blocks.value(i) + s);
            }
        }
        out.mass = vec![0.0; reduced_blocks.value_len()];
        out.inner = Inner::new(
            reduced_blocks,
            out.reduced.clone(),
            KktOptions { backend: opts.backend, mass_floor: floor, redundant: opts.redundant },
        )?;
        Ok(out)
    }

    fn build(&mut self, blocks: &MassShape, massless: &[bool]) -> Result<(), KktError> {
        let jac = &self.full;
        let (nv, m) = (jac.ncols, jac.nrows);
        let mut block_of = vec![0; nv];
        let mut reduced_of = vec![usize::MAX; nv];
        for k in 0..blocks.count() {
            for i in 0..blocks.sizes()[k] {
                block_of[blocks.dof(k) + i] = k;
            }
        }
        let mut n_reduced = 0;
        for d in 0..nv {
            if !massless[block_of[d]] {
                reduced_of[d] = n_reduced;
                self.dofs.push(d, n_reduced);
                n_reduced += 1;
            }
        }
        // massless blocks that share a row belong together
        let mut leader: Vec<usize> = (0..blocks.count()).collect();
        fn find(l: &mut [usize], mut k: usize) -> usize {
            while l[k] != k {
                l[k] = l[l[k]];
                k = l[k];
            }
            k
        }
        let mut row_block = vec![None; m];
        for (i, owner) in row_block.iter_mut().enumerate() {
            for d in jac.row(i) {
                let k = block_of[*d];
                if massless[k] {
                    match *owner {
                        None => *owner = Some(k),
                        Some(o) => {
                            let (a, b) = (find(&mut leader, o), find(&mut leader, k));
                            leader[a.max(b)] = a.min(b);
                        }
                    }
                }
            }
        }
        let mut group_of = vec![usize::MAX; blocks.count()];
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (k, &is_massless) in massless.iter().enumerate() {
            if is_massless {
                let l = find(&mut leader, k);
                if group_of[l] == usize::MAX {
                    group_of[l] = groups.len();
                    groups.push((Vec::new(), Vec::new()));
                }
                let dofs = blocks.dof(k)..blocks.dof(k) + blocks.sizes()[k];
                groups[group_of[l]].0.extend(dofs);
            }
        }
        let mut plain_rows = Vec::new();
        for (i, owner) in row_block.iter().enumerate() {
            match owner {
                None => plain_rows.push(i),
                Some(k) => groups[group_of[find(&mut leader, *k)]].1.push(i),
            }
        }
        let mut pairs = Vec::new();
        for (i, r) in plain_rows.iter().enumerate() {
            self.plain_rows.push(*r, i);
            pairs.extend(jac.row(*r).iter().map(|d| (i, reduced_of[*d])));
        }
        let mut next = plain_rows.len();
        for (dofs, rows) in groups {
            let n = dofs.len();
            if rows.len() < n {
                return Err(KktError::Undetermined { dof: dofs[0], residual: 0.0 });
            }
            let mut others: Vec<usize> = rows
                .iter()
                .flat_map(|r| jac.row(*r))
                .copied()
                .filter(|d| !massless[block_of[*d]])
                .collect();
            others.sort_unstable();
            others.dedup();
            let w = n + others.len();
            let mut scatter = Vec::new();
            for (i, r) in rows.iter().enumerate() {
                for slot in jac.row_ptr[*r]..jac.row_ptr[*r + 1] {
                    let d = jac.col[slot];
                    let c = match dofs.iter().position(|x| *x == d) {
                        Some(c) => c,
                        None => n + others.partition_point(|o| *o < d),
                    };
                    scatter.push((slot, i * w + c));
                }
            }
            let q = rows.len() - n;
            for i in 0..q {
                pairs.extend(others.iter().map(|o| (next + i, reduced_of[*o])));
            }
            let others = others.into_iter().map(|d| reduced_of[d]).collect();
            self.groups.push(Group::new(dofs, rows, others, scatter, next)?);
            next += q;
        }
        self.reduced = Csr::from_pairs(next, n_reduced, pairs)?;
        for (i, r) in plain_rows.iter().enumerate() {
            let (from, to) = (self.full.row_ptr[*r], self.reduced.row_ptr[i]);
            for k in 0..self.full.row(*r).len() {
                self.plain_slots.push(from + k, to + k);
            }
        }
        self.values = vec![0.0; self.reduced.nnz()];
        self.f = vec![0.0; n_reduced];
        self.a = vec![0.0; n_reduced];
        self.b = vec![0.0; next];
        self.lambda = vec![0.0; next];
        Ok(())
    }

    /// See [`MassKkt::set_mass`].
    pub fn set_mass(&mut self, values: &[f64]) -> Result<(), KktError> {
        if self.groups.is_empty() {
            return self.inner.set_mass(values);
        }
        self.mass_slots.gather(values, &mut self.mass);
        self.inner.set_mass(&self.mass)
    }

    /// See [`MassKkt::factor`]. Row numbers in the answer are those of the reduced system.
    pub fn factor(&mut self, jac_values: &[f64]) -> Result<FactorInfo, KktError> {
        if self.groups.is_empty() {
            return self.inner.factor(jac_values);
        }
        check_len("constraint values", jac_values.len(), self.full.nnz())?;
        self.plain_slots.gather(jac_values, &mut self.values);
        for g in &mut self.groups {
            g.eliminate(jac_values)?;
            g.write(&self.reduced, &mut self.values);
        }
        self.inner.factor(&self.values)
    }

    /// See [`MassKkt::solve`].
    pub fn solve(
        &mut self,
        f: &[f64],
        b: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<SolveInfo, KktError> {
        if self.groups.is_empty() {
            return self.inner.solve(f, b, a, lambda);
        }
        self.full.check_sides((f, b), (a, lambda))?;
        self.dofs.gather(f, &mut self.f);
        self.plain_rows.gather(b, &mut self.b);
        for g in &mut self.groups {
            g.reduce(f, b, &mut self.f, &mut self.b);
        }
        let info = self.inner.solve(&self.f, &self.b, &mut self.a, &mut self.lambda)?;
        self.dofs.spread(&self.a, a);
        self.plain_rows.spread(&self.lambda, lambda);
        for g in &mut self.groups {
            g.recover(b, &self.a, &self.lambda, a, lambda);
        }
        Ok(info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two masses joined through a massless point that slides on a line: against a dense solve
    /// of the whole KKT matrix.
    #[test]
    fn agrees_with_the_full_system() {
        // dofs: body 0 (2), massless (2), body 2 (2); rows couple them
        let dense = [
            [1.0, 0.2, -1.0, 0.1, 0.0, 0.0],
            [0.1, 1.0, 0.3, -1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.5, -0.7, 0.4],
            [0.5, 0.0, 0.0, 0.0, 0.0, 1.0],
        ];
        let jac = Csr::from_pairs(
            4,
            6,
            (0..4).flat_map(|i| (0..6).map(move |j| (i, j))).filter(|(i, j)| dense[*i][*j] != 0.0),
        )
        .unwrap();
        let values: Vec<f64> =
            (0..4).flat_map(|i| jac.row(i).iter().map(move |j| dense[i][*j])).collect();
        let m = [2.0, 2.0, 0.0, 0.0, 3.0, 3.0];
        let mass: Vec<f64> = (0..3).flat_map(|k| [m[2 * k], 0.0, 0.0, m[2 * k + 1]]).collect();
        let opts = KktOptions {
            mass_floor: vec![0.0, 0.0, 1e-6, 1e-6, 0.0, 0.0],
            ..KktOptions::default()
        };
        let mut kkt = CondensedKkt::new(MassShape::new(vec![2, 2, 2]), jac, opts).unwrap();
        kkt.set_mass(&mass).unwrap();
        kkt.factor(&values).unwrap();
        let f = [0.3, -1.0, 0.7, 0.2, 0.9, -0.4];
        let b = [0.1, 0.2, -0.3, 0.4];
        let (mut a, mut l) = ([0.0; 6], [0.0; 4]);
        kkt.solve(&f, &b, &mut a, &mut l).unwrap();
        for j in 0..6 {
            let force: f64 = (0..4).map(|i| dense[i][j] * l[i]).sum();
            assert!((m[j] * a[j] - force - f[j]).abs() < 1e-12, "{j}");
        }
        for i in 0..4 {
            let row: f64 = (0..6).map(|j| dense[i][j] * a[j]).sum();
            assert!((row - b[i]).abs() < 1e-12, "{i}");
        }
    }

    #[test]
    fn a_free_massless_coordinate_is_named() {
        let jac = Csr::from_pairs(2, 4, [(0, 0), (0, 2), (1, 0), (1, 2)]).unwrap();
        let opts = KktOptions { mass_floor: vec![0.0, 0.0, 1.0, 1.0], ..KktOptions::default() };
        let mut kkt = CondensedKkt::new(MassShape::new(vec![2, 2]), jac, opts).unwrap();
        kkt.set_mass(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let e = kkt.factor(&[1.0, 1.0, 1.0, 2.0]).unwrap_err();
        assert!(matches!(e, KktError::Undetermined { dof: 3, .. }), "{e}");
    }
}
