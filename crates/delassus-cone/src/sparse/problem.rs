//! The factored problem `W = H M⁻¹ Hᵀ` and its checks.

use crate::problem::{Law, Status, check_laws};

/// A sparse matrix by rows.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Where each row starts in the other two, and their length at the end: one more than rows.
    pub start: &'a [usize],
    /// Columns of the entries; each at most once per row.
    pub columns: &'a [usize],
    /// Values of the entries.
    pub values: &'a [f64],
}

/// `M⁻¹`, symmetric positive semidefinite.
#[derive(Clone, Copy)]
pub enum InverseMass<'a> {
    /// A number per column.
    Diagonal(&'a [f64]),
    /// Blocks along the diagonal, one per body; their inverses one after the other, row by row.
    Blocks {
        /// Sizes of the blocks, in the order of the columns.
        sizes: &'a [usize],
        /// Σ sizes² numbers.
        values: &'a [f64],
    },
    /// Any other: `apply(x, y)` writes `y = M⁻¹ x`. It is called once per row of `H`, when the problem is
    /// loaded; the memory grows with the nonzeros of the results.
    Apply {
        /// Number of columns.
        dim: usize,
        /// The product.
        apply: &'a dyn Fn(&[f64], &mut [f64]),
    },
}

impl InverseMass<'_> {
    /// Number of columns of `H`.
    pub fn dim(&self) -> usize {
        match self {
            InverseMass::Diagonal(d) => d.len(),
            InverseMass::Blocks { sizes, .. } => sizes.iter().sum(),
            InverseMass::Apply { dim, .. } => *dim,
        }
    }
}

/// Find `r` with `u = H M⁻¹ Hᵀ r + b` and every block's law satisfied; `W` is never formed.
#[derive(Clone, Copy)]
pub struct SparseProblem<'a> {
    /// `H`: each block of rows has few columns.
    pub h: Rows<'a>,
    /// `M⁻¹`.
    pub minv: InverseMass<'a>,
    /// `b`: the rates without reactions.
    pub b: &'a [f64],
    /// The blocks, in the order of the rows.
    pub laws: &'a [Law],
}

/// Fault of a problem with a start of length `len`, if any.
pub(crate) fn check(p: &SparseProblem<'_>, len: usize) -> Option<Status> {
    let n = p.b.len();
    let (start, entries) = (p.h.start, p.h.columns.len());
    let shape = start.len() == n + 1
        && len == n
        && p.h.values.len() == entries
        && start[0] == 0
        && start[n] == entries
        && start.windows(2).all(|w| w[0] <= w[1]);
    if !shape {
        return Some(Status::BadInput);
    }
    let dim = p.minv.dim();
    if p.h.columns.iter().any(|&c| c >= dim) {
        return Some(Status::BadInput);
    }
    let mass: &[f64] = match p.minv {
        InverseMass::Diagonal(d) => d,
        InverseMass::Blocks { sizes, values } => {
            if sizes.iter().map(|s| s * s).sum::<usize>() != values.len() {
                return Some(Status::BadInput);
            }
            values
        }
        InverseMass::Apply { .. } => &[],
    };
    if let Some(fault) = check_laws(p.laws, n) {
        return Some(fault);
    }
    let finite = [p.h.values, mass, p.b].iter().all(|v| all_finite(v));
    (!finite).then_some(Status::NotFinite)
}

/// Whether all are finite; without a branch per entry.
fn all_finite(v: &[f64]) -> bool {
    // zero times a non-finite number is NaN, and stays so
    let (mut sum, chunks) = ([0.0; 8], v.chunks_exact(8));
    let rest = chunks.remainder().iter().all(|x| x.is_finite());
    for c in chunks {
        for l in 0..8 {
            sum[l] += 0.0 * c[l];
        }
    }
    rest && sum.iter().all(|s| *s == 0.0)
}
