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
//! What is left is the same kind of system, smaller and with a regular mass matrix. Which rows
//! are `P` is decided by pivoting, again when those of the last time no longer hold well; the
//! remaining rows of a group share one pattern, so the choice never changes the sparsity and
//! nothing is allocated.
//!
//! Blocks with only part of their inertia missing (a thin rod's spin) keep the fictitious
//! inertia of [`KktOptions::mass_floor`].

use crate::block_diag::BlockDiag;
use crate::error::{KktError, check_len};
use crate::mass_kkt::MassKkt;
use crate::options::{FactorInfo, KktOptions, SolveInfo};
use crate::pattern::Csr;

/// A pivot this much smaller than the largest entry of its group does not hold the coordinate.
const PIVOT: f64 = 1e-9;

/// The rows of the last factorisation are kept while their pivots are above this.
const KEEP: f64 = 1e-2;

/// Connected massless blocks with the rows that touch them.
#[derive(Debug, Clone)]
struct Group {
    dofs: Vec<usize>,
    rows: Vec<usize>,
    /// Other coordinates that the rows touch, as (full, reduced) indices.
    others: Vec<(usize, usize)>,
    /// Dense values of the rows over `dofs`, then over `others`; row-major.
    g: Vec<f64>,
    /// CSR slot and place in `g` of every entry of the rows.
    scatter: Vec<(usize, usize)>,
    /// First reduced row of the group.
    first: usize,
    /// Order of `rows`: the first `dofs.len()` are `P`.
    order: Vec<usize>,
    /// G_PN⁻¹ (row-major) and X (rows of Q).
    inverse: Vec<f64>,
    x: Vec<f64>,
    work: Vec<f64>,
}

impl Group {
    fn n(&self) -> usize {
        self.dofs.len()
    }

    fn width(&self) -> usize {
        self.dofs.len() + self.others.len()
    }

    /// Forms G_PN⁻¹ and X; keeps the rows P of the last time while they hold the coordinates.
    fn eliminate(&mut self, jac: &[f64]) -> Result<(), KktError> {
        let (n, r, w) = (self.n(), self.rows.len(), self.width());
        for &(slot, at) in &self.scatter {
            self.g[at] = jac[slot];
        }
        let mut largest: f64 = 0.0;
        for row in self.g.chunks_exact(w) {
            for v in &row[..n] {
                largest = largest.max(v.abs());
            }
        }
        if self.invert() < KEEP * largest {
            self.choose(largest)?;
            if self.invert() <= PIVOT * largest {
                return Err(KktError::Undetermined { dof: self.dofs[0], residual: largest });
            }
        }
        for q in n..r {
            let row = &self.g[self.order[q] * w..self.order[q] * w + n];
            for c in 0..n {
                let mut s = 0.0;
                for (k, g) in row.iter().enumerate() {
                    s += g * self.inverse[k * n + c];
                }
                self.x[(q - n) * n + c] = s;
            }
        }
        Ok(())
    }

    /// Chooses P by elimination with row pivoting.
    fn choose(&mut self, largest: f64) -> Result<(), KktError> {
        let (n, r, w) = (self.n(), self.rows.len(), self.width());
        for (i, o) in self.order.iter_mut().enumerate() {
            *o = i;
        }
        let lu = &mut self.work;
        for i in 0..r {
            lu[i * n..(i + 1) * n].copy_from_slice(&self.g[i * w..i * w + n]);
        }
        for c in 0..n {
            let mut best = c;
            for i in c..r {
                if lu[i * n + c].abs() > lu[best * n + c].abs() {
                    best = i;
                }
            }
            let pivot = lu[best * n + c];
            if !pivot.is_finite() || pivot.abs() <= PIVOT * largest {
                return Err(if pivot.is_finite() {
                    KktError::Undetermined { dof: self.dofs[c], residual: pivot.abs() }
                } else {
                    KktError::NonFinite { row: self.rows[self.order[c]] }
                });
            }
            if best != c {
                self.order.swap(best, c);
                for k in 0..n {
                    lu.swap(best * n + k, c * n + k);
                }
            }
            for i in c + 1..r {
                let f = lu[i * n + c] / lu[c * n + c];
                if f != 0.0 {
                    for k in c..n {
                        lu[i * n + k] -= f * lu[c * n + k];
                    }
                }
            }
        }
        Ok(())
    }

    /// G_PN⁻¹ by Gauss–Jordan; returns its smallest pivot (NaN counts as zero).
    fn invert(&mut self) -> f64 {
        let (n, w) = (self.n(), self.width());
        let a = &mut self.work[..n * n];
        let inv = &mut self.inverse[..n * n];
        inv.fill(0.0);
        for i in 0..n {
            let from = self.order[i] * w;
            a[i * n..(i + 1) * n].copy_from_slice(&self.g[from..from + n]);
            inv[i * n + i] = 1.0;
        }
        let mut smallest = f64::INFINITY;
        for c in 0..n {
            let mut best = c;
            for i in c + 1..n {
                if a[i * n + c].abs() > a[best * n + c].abs() {
                    best = i;
                }
            }
            if best != c {
                for k in 0..n {
                    a.swap(best * n + k, c * n + k);
                    inv.swap(best * n + k, c * n + k);
                }
            }
            let pivot = a[c * n + c];
            if pivot == 0.0 || !pivot.is_finite() {
                return 0.0;
            }
            smallest = smallest.min(pivot.abs());
            let d = 1.0 / pivot;
            for k in 0..n {
                a[c * n + k] *= d;
                inv[c * n + k] *= d;
            }
            for i in 0..n {
                let f = a[i * n + c];
                if i != c && f != 0.0 {
                    for k in 0..n {
                        a[i * n + k] -= f * a[c * n + k];
                        inv[i * n + k] -= f * inv[c * n + k];
                    }
                }
            }
        }
        smallest
    }

    /// Reduced rows into the reduced matrix.
    fn write(&self, reduced: &Csr, values: &mut [f64]) {
        let (n, w) = (self.n(), self.width());
        for q in n..self.rows.len() {
            let at = reduced.row_ptr[self.first + q - n];
            for c in 0..self.others.len() {
                let mut v = self.g[self.order[q] * w + n + c];
                for p in 0..n {
                    v -= self.x[(q - n) * n + p] * self.g[self.order[p] * w + n + c];
                }
                values[at + c] = v;
            }
        }
    }
}

/// [`MassKkt`] with massless blocks eliminated first; the same calls and the same answers.
#[derive(Debug, Clone)]
pub struct CondensedKkt {
    inner: MassKkt,
    /// Empty: everything is passed on as it is.
    groups: Vec<Group>,
    full: Csr,
    reduced: Csr,
    /// Reduced coordinate → full coordinate; reduced plain row → full row.
    dofs: Vec<usize>,
    plain_rows: Vec<usize>,
    /// (full slot, reduced slot) of plain rows, and of mass values.
    plain_slots: Vec<(usize, usize)>,
    mass_slots: Vec<(usize, usize)>,
    mass: Vec<f64>,
    values: Vec<f64>,
    f: Vec<f64>,
    b: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
    y: Vec<f64>,
}

impl CondensedKkt {
    /// Symbolic analysis and all allocation. A block is massless when every one of its
    /// coordinates has a positive `mass_floor`.
    pub fn new(blocks: BlockDiag, jac: Csr, opts: KktOptions) -> Result<CondensedKkt, KktError> {
        jac.validate()?;
        check_len("columns of the constraint matrix", jac.ncols, blocks.dim())?;
        let massless: Vec<bool> = (0..blocks.count())
            .map(|k| {
                let n = blocks.sizes()[k];
                n > 0
                    && !opts.mass_floor.is_empty()
                    && opts.mass_floor[blocks.dof(k)..blocks.dof(k) + n].iter().all(|f| *f > 0.0)
            })
            .collect();
        let mut out = CondensedKkt {
            inner: MassKkt::new(BlockDiag::new(vec![]), Csr::dense(0, 0), KktOptions::default())?,
            groups: Vec::new(),
            reduced: jac.clone(),
            full: jac.clone(),
            dofs: Vec::new(),
            plain_rows: Vec::new(),
            plain_slots: Vec::new(),
            mass_slots: Vec::new(),
            mass: Vec::new(),
            values: Vec::new(),
            f: Vec::new(),
            b: Vec::new(),
            a: Vec::new(),
            lambda: Vec::new(),
            y: Vec::new(),
        };
        if !massless.contains(&true) {
            out.inner = MassKkt::new(blocks, jac, opts)?;
            return Ok(out);
        }
        out.build(&blocks, &massless)?;
        let kept: Vec<usize> = (0..blocks.count()).filter(|k| !massless[*k]).collect();
        let sizes = kept.iter().map(|k| blocks.sizes()[*k]).collect();
        let floor = out.dofs.iter().map(|d| opts.mass_floor[*d]).collect();
        let reduced_blocks = BlockDiag::new(sizes);
        for (i, k) in kept.iter().enumerate() {
            for s in 0..blocks.sizes()[*k].pow(2) {
                out.mass_slots.push((blocks.value(*k) + s, reduced_blocks.value(i) + s));
            }
        }
        out.mass = vec![0.0; reduced_blocks.value_len()];
        out.inner = MassKkt::new(
            reduced_blocks,
            out.reduced.clone(),
            KktOptions { backend: opts.backend, mass_floor: floor, redundant: opts.redundant },
        )?;
        Ok(out)
    }

    fn build(&mut self, blocks: &BlockDiag, massless: &[bool]) -> Result<(), KktError> {
        let jac = &self.full;
        let (nv, m) = (jac.ncols, jac.nrows);
        let mut block_of = vec![0; nv];
        let mut reduced_of = vec![usize::MAX; nv];
        for k in 0..blocks.count() {
            for i in 0..blocks.sizes()[k] {
                block_of[blocks.dof(k) + i] = k;
            }
        }
        for d in 0..nv {
            if !massless[block_of[d]] {
                reduced_of[d] = self.dofs.len();
                self.dofs.push(d);
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
        for (i, owner) in row_block.iter().enumerate() {
            match owner {
                None => self.plain_rows.push(i),
                Some(k) => groups[group_of[find(&mut leader, *k)]].1.push(i),
            }
        }
        let mut pairs = Vec::new();
        for (i, r) in self.plain_rows.iter().enumerate() {
            pairs.extend(jac.row(*r).iter().map(|d| (i, reduced_of[*d])));
        }
        let mut next = self.plain_rows.len();
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
            let others: Vec<(usize, usize)> =
                others.into_iter().map(|d| (d, reduced_of[d])).collect();
            let w = n + others.len();
            let mut scatter = Vec::new();
            for (i, r) in rows.iter().enumerate() {
                for slot in jac.row_ptr[*r]..jac.row_ptr[*r + 1] {
                    let d = jac.col[slot];
                    let c = match dofs.iter().position(|x| *x == d) {
                        Some(c) => c,
                        None => n + others.partition_point(|o| o.0 < d),
                    };
                    scatter.push((slot, i * w + c));
                }
            }
            let q = rows.len() - n;
            for i in 0..q {
                pairs.extend(others.iter().map(|o| (next + i, o.1)));
            }
            self.groups.push(Group {
                g: vec![0.0; rows.len() * w],
                order: (0..rows.len()).collect(),
                inverse: vec![0.0; n * n],
                x: vec![0.0; q * n],
                work: vec![0.0; rows.len() * n],
                first: next,
                dofs,
                rows,
                others,
                scatter,
            });
            next += q;
        }
        self.reduced = Csr::from_pairs(next, self.dofs.len(), pairs)?;
        for (i, r) in self.plain_rows.iter().enumerate() {
            let (from, to) = (self.full.row_ptr[*r], self.reduced.row_ptr[i]);
            self.plain_slots.extend((0..self.full.row(*r).len()).map(|k| (from + k, to + k)));
        }
        let widest = self.groups.iter().map(Group::n).max().unwrap_or(0);
        self.values = vec![0.0; self.reduced.nnz()];
        self.f = vec![0.0; self.dofs.len()];
        self.a = vec![0.0; self.dofs.len()];
        self.b = vec![0.0; next];
        self.lambda = vec![0.0; next];
        self.y = vec![0.0; widest];
        Ok(())
    }

    /// See [`MassKkt::set_mass`].
    pub fn set_mass(&mut self, values: &[f64]) -> Result<(), KktError> {
        if self.groups.is_empty() {
            return self.inner.set_mass(values);
        }
        for &(from, to) in &self.mass_slots {
            self.mass[to] = values[from];
        }
        self.inner.set_mass(&self.mass)
    }

    /// See [`MassKkt::factor`]. Row numbers in the answer are those of the reduced system.
    pub fn factor(&mut self, jac_values: &[f64]) -> Result<FactorInfo, KktError> {
        if self.groups.is_empty() {
            return self.inner.factor(jac_values);
        }
        check_len("constraint values", jac_values.len(), self.full.nnz())?;
        for &(from, to) in &self.plain_slots {
            self.values[to] = jac_values[from];
        }
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
        check_len("f", f.len(), self.full.ncols)?;
        check_len("b", b.len(), self.full.nrows)?;
        check_len("a", a.len(), self.full.ncols)?;
        check_len("lambda", lambda.len(), self.full.nrows)?;
        for (x, d) in self.f.iter_mut().zip(&self.dofs) {
            *x = f[*d];
        }
        for (x, r) in self.b.iter_mut().zip(&self.plain_rows) {
            *x = b[*r];
        }
        for g in &self.groups {
            let (n, w) = (g.n(), g.width());
            for q in n..g.rows.len() {
                let mut s = b[g.rows[g.order[q]]];
                for p in 0..n {
                    s -= g.x[(q - n) * n + p] * b[g.rows[g.order[p]]];
                }
                self.b[g.first + q - n] = s;
            }
            for p in 0..n {
                let mut y = 0.0;
                for k in 0..n {
                    y += g.inverse[k * n + p] * f[g.dofs[k]];
                }
                if y != 0.0 {
                    for (c, o) in g.others.iter().enumerate() {
                        self.f[o.1] -= g.g[g.order[p] * w + n + c] * y;
                    }
                }
            }
        }
        let info = self.inner.solve(&self.f, &self.b, &mut self.a, &mut self.lambda)?;
        for (x, d) in self.a.iter().zip(&self.dofs) {
            a[*d] = *x;
        }
        for (x, r) in self.lambda.iter().zip(&self.plain_rows) {
            lambda[*r] = *x;
        }
        for g in &self.groups {
            let (n, w) = (g.n(), g.width());
            for q in n..g.rows.len() {
                lambda[g.rows[g.order[q]]] = self.lambda[g.first + q - n];
            }
            for p in 0..n {
                let row = g.order[p];
                let mut l = 0.0;
                for k in 0..n {
                    l -= g.inverse[k * n + p] * f[g.dofs[k]];
                }
                for q in n..g.rows.len() {
                    l -= g.x[(q - n) * n + p] * self.lambda[g.first + q - n];
                }
                lambda[g.rows[row]] = l;
                let mut rhs = b[g.rows[row]];
                for (c, o) in g.others.iter().enumerate() {
                    rhs -= g.g[row * w + n + c] * self.a[o.1];
                }
                self.y[p] = rhs;
            }
            for k in 0..n {
                let mut x = 0.0;
                for p in 0..n {
                    x += g.inverse[k * n + p] * self.y[p];
                }
                a[g.dofs[k]] = x;
            }
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
        let mut kkt = CondensedKkt::new(BlockDiag::new(vec![2, 2, 2]), jac, opts).unwrap();
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
        let mut kkt = CondensedKkt::new(BlockDiag::new(vec![2, 2]), jac, opts).unwrap();
        kkt.set_mass(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let e = kkt.factor(&[1.0, 1.0, 1.0, 2.0]).unwrap_err();
        assert!(matches!(e, KktError::Undetermined { dof: 3, .. }), "{e}");
    }
}
