//! `S x − Gᵀ y = r`, `G x = b` with nonsymmetric `S`, by the same operations whatever the values are.
//!
//! The matrix is eliminated in an order that is fixed at construction ([`crate::block_order`], [`crate::sparse_ldu`]),
//! without pivoting and without a second attempt. A pivot that is lost is replaced by a small one of its sign: where rows
//! depend on each other for a moment, their combination is then held with a small compliance, and multipliers stay
//! bounded. What counts as lost is measured on the first matrix, and kept. Where the first matrix has weak pivots, every
//! solution is refined against the true matrix, always equally often.
//!
//! Coordinates without inertia have pivots of any size and sign: such models are solved as a full matrix with pivoting,
//! a little compliance in all rows and one refinement, which are the same operations, too.

use crate::block_order;
use crate::dense_lu::DenseLu;
use crate::error::{KktError, check_len};
use crate::mass_shape::MassShape;
use crate::pattern::Csr;
use crate::saddle::Saddle;
use crate::sparse_ldu::SparseLdu;

/// Pivots below this part of their size are replaced. Half of the digits: what is then lost by elimination is no more
/// than what the replacement changes.
const FLOOR: f64 = 1e-8;
/// Weakest pivot of the first matrix from which on solutions are not refined.
const GOOD: f64 = 1e-6;
/// Refinements otherwise.
const REFINEMENTS: u32 = 2;

/// Compliance of all rows in a full matrix, relative to the equilibrated entries.
const SHIFT: f64 = 1e-9;
/// Pivots below so many of it count as lost.
const LOST: f64 = 4.0;
/// Unknowns up to which a full matrix is used for coordinates without inertia: 400² doubles are 1.3 MB.
const FULL: usize = 400;

#[derive(Debug, Clone)]
enum Factors {
    Ordered(SparseLdu),
    /// With whether it could be factored.
    Full(DenseLu, bool),
}

/// Solver of fixed cost of the linearised step.
#[derive(Debug, Clone)]
pub struct FixedKkt {
    s: Csr,
    jac: Csr,
    factors: Factors,
    sizes: Vec<f64>,
    measured: bool,
    refinements: u32,
    /// The true matrix, for refinements.
    s_values: Vec<f64>,
    jac_values: Vec<f64>,
    r: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl FixedKkt {
    /// Symbolic analysis and allocation. `s` must contain its diagonal; `massless` says whether some coordinates have no
    /// inertia, which only smaller systems may have.
    pub fn new(s: Csr, jac: Csr, shape: &MassShape, massless: bool) -> Result<FixedKkt, KktError> {
        s.validate()?;
        jac.validate()?;
        check_len("columns of S", s.ncols, s.nrows)?;
        check_len("columns of the constraint matrix", jac.ncols, s.nrows)?;
        check_len("coordinates of the mass", shape.dim(), s.nrows)?;
        if (0..s.nrows).any(|i| s.slot(i, i).is_none()) {
            return Err(KktError::Pattern("S lacks a diagonal entry"));
        }
        let saddle = Saddle::new(&s, &jac);
        let factors = match massless {
            true if saddle.n <= FULL => Factors::Full(DenseLu::new(&saddle), false),
            true => {
                return Err(KktError::Pattern(
                    "bodies without mass among more than 400 unknowns have no order of elimination of fixed cost",
                ));
            }
            false => Factors::Ordered(ordered(&saddle, shape, &jac)?),
        };
        Ok(FixedKkt {
            sizes: vec![0.0; saddle.n],
            measured: false,
            refinements: u32::from(massless),
            factors,
            s_values: vec![0.0; s.nnz()],
            jac_values: vec![0.0; jac.nnz()],
            r: vec![0.0; s.nrows],
            b: vec![0.0; jac.nrows],
            x: vec![0.0; s.nrows],
            y: vec![0.0; jac.nrows],
            s,
            jac,
        })
    }

    /// Number of entries of the factors, with the diagonal.
    pub fn entries(&self) -> usize {
        match &self.factors {
            Factors::Ordered(ldu) => ldu.entries(),
            Factors::Full(..) => self.sizes.len() * self.sizes.len(),
        }
    }

    /// Multiplications of one factorisation by unknown: coordinates, then rows.
    pub fn multiplications(&self) -> Vec<u64> {
        match &self.factors {
            Factors::Ordered(ldu) => ldu.multiplications(),
            Factors::Full(..) => {
                let n = self.sizes.len() as u64;
                // a third of the cube, divided evenly
                vec![n * n / 3; self.sizes.len()]
            }
        }
    }

    /// Refinements of each solution.
    pub fn refinements(&self) -> u32 {
        self.refinements
    }

    /// Factorises for new values; returns the weakest pivot as a part of its size.
    pub fn factor(&mut self, s_values: &[f64], jac_values: &[f64]) -> f64 {
        if !self.measured {
            self.measure(s_values, jac_values);
            self.measured = true;
            if let Factors::Ordered(ldu) = &mut self.factors {
                ldu.set_sizes(&self.sizes);
                let (weakest, _) = ldu.factor_always(s_values, jac_values, jac_values, FLOOR);
                self.refinements = if weakest >= GOOD { 0 } else { REFINEMENTS };
            }
        }
        if self.refinements > 0 {
            self.s_values.copy_from_slice(s_values);
            self.jac_values.copy_from_slice(jac_values);
        }
        match &mut self.factors {
            Factors::Ordered(ldu) => ldu.factor_always(s_values, jac_values, jac_values, FLOOR).0,
            Factors::Full(lu, good) => {
                lu.load(s_values, jac_values, jac_values);
                lu.shift_diagonal(self.s.nrows, SHIFT);
                let found = lu.factor(false);
                *good = found.is_ok();
                // a row that depends on others has nothing but the compliance; other pivots say nothing here
                let (pivot, _) = found.ok().flatten().unwrap_or((0.0, 0));
                if pivot > LOST * SHIFT { 1.0 } else { 0.0 }
            }
        }
    }

    fn back(&mut self, r: &[f64], b: &[f64], x: &mut [f64], y: &mut [f64]) {
        match &mut self.factors {
            Factors::Ordered(ldu) => ldu.solve(r, b, x, y),
            Factors::Full(lu, true) => lu.solve(r, b, x, y),
            // told as a result that is no number
            Factors::Full(_, false) => x.fill(f64::NAN),
        }
    }

    /// Solves with the current factorisation; `x` and `y` are overwritten.
    pub fn solve(&mut self, r: &[f64], b: &[f64], x: &mut [f64], y: &mut [f64]) {
        self.back(r, b, x, y);
        for _ in 0..self.refinements {
            let (mut left, mut below) = (std::mem::take(&mut self.r), std::mem::take(&mut self.b));
            let (mut dx, mut dy) = (std::mem::take(&mut self.x), std::mem::take(&mut self.y));
            left.copy_from_slice(r);
            below.copy_from_slice(b);
            self.s.mul_add(&self.s_values, -1.0, x, &mut left);
            self.jac.mul_t_add(&self.jac_values, 1.0, y, &mut left);
            self.jac.mul_add(&self.jac_values, -1.0, x, &mut below);
            self.back(&left, &below, &mut dx, &mut dy);
            x.iter_mut().zip(&dx).for_each(|(x, d)| *x += d);
            y.iter_mut().zip(&dy).for_each(|(y, d)| *y += d);
            (self.r, self.b, self.x, self.y) = (left, below, dx, dy);
        }
    }

    /// Sizes that pivots are measured by: of a coordinate its entry, and what its neighbours in S would make of it; of a
    /// row |G| |diag S|⁻¹ |G|ᵀ, with the coordinates that come before it.
    fn measure(&mut self, s: &[f64], jac: &[f64]) {
        let Factors::Ordered(ldu) = &self.factors else { return };
        let place = ldu.places();
        let nv = self.s.nrows;
        let diagonal = |i: usize| self.s.slot(i, i).map_or(0.0, |at| s[at].abs());
        let own: Vec<f64> = (0..nv).map(diagonal).collect();
        let (sizes, rows) = self.sizes.split_at_mut(nv);
        sizes.copy_from_slice(&own);
        for i in 0..nv {
            for at in self.s.row_ptr[i]..self.s.row_ptr[i + 1] {
                let j = self.s.col[at];
                let mirror = self.s.slot(j, i).map_or(0.0, |at| s[at]);
                let product = (s[at] * mirror).abs();
                if i != j && product > 0.0 && own[i] > 0.0 {
                    sizes[j] = sizes[j].max(product / own[i]);
                }
            }
        }
        for (i, size) in rows.iter_mut().enumerate() {
            let entries = self.jac.row_ptr[i]..self.jac.row_ptr[i + 1];
            let before = |at: &usize| place[self.jac.col[*at]] < place[nv + i];
            let of = |at: usize| jac[at] * jac[at] / own[self.jac.col[at]];
            *size = entries.filter(before).map(of).filter(|x| x.is_finite()).sum();
        }
    }
}

/// Factors in the cheaper of two orders.
fn ordered(saddle: &Saddle, shape: &MassShape, jac: &Csr) -> Result<SparseLdu, KktError> {
    let (mut best, _) = SparseLdu::analyse(saddle, &SparseLdu::minimum_degree(saddle)?)?;
    if let Some(order) = block_order::by_blocks(saddle, shape, jac) {
        let (blocks, _) = SparseLdu::analyse(saddle, &order)?;
        if blocks.cost() <= best.cost() {
            best = blocks;
        }
    }
    SparseLdu::with_tree(saddle, best)
}
