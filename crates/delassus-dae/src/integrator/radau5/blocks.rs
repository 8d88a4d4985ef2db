//! Patterns and values of the matrix of three stages, block by block.

use super::tableau::{A, N};
use delassus_linalg::{Csr, KktError};

/// Pattern with N × N copies of `p`.
pub(super) fn all_blocks(p: &Csr) -> Result<Csr, KktError> {
    let (n, m) = (p.nrows, p.ncols);
    let at = move |i, j, r, c| (i * n + r, j * m + c);
    Csr::from_pairs(
        N * n,
        N * m,
        (0..n).flat_map(|r| {
            p.row(r)
                .iter()
                .flat_map(move |c| (0..N).flat_map(move |i| (0..N).map(move |j| at(i, j, r, *c))))
        }),
    )
}

/// Slot of entry `at` of row r, block (i, j), in the pattern of [`all_blocks`].
fn slot(p: &Csr, i: usize, j: usize, r: usize, at: usize) -> usize {
    let (lo, hi) = (p.row_ptr[r], p.row_ptr[r + 1]);
    i * N * p.nnz() + N * lo + j * (hi - lo) + (at - lo)
}

/// Row block i of the matrix: h² a_ij K + δ_ij h C.
pub(super) fn fill_rows(p: &Csr, i: usize, h: f64, k: &[f64], hc: &[f64], s: &mut [f64]) {
    for r in 0..p.nrows {
        for at in p.row_ptr[r]..p.row_ptr[r + 1] {
            for j in 0..N {
                let damping = if i == j { hc[at] } else { 0.0 };
                s[slot(p, i, j, r, at)] = h * h * A[i][j] * k[at] + damping;
            }
        }
    }
}

/// Adds values to block (i, j).
pub(super) fn add_block(p: &Csr, (i, j): (usize, usize), values: &[f64], s: &mut [f64]) {
    for r in 0..p.nrows {
        for at in p.row_ptr[r]..p.row_ptr[r + 1] {
            s[slot(p, i, j, r, at)] += values[at];
        }
    }
}

/// Adds A⁻¹_ij M to row block i.
pub(super) fn add_mass(
    p: &Csr,
    i: usize,
    a_inv: &[[f64; N]; N],
    slots: &[usize],
    mass: &[f64],
    s: &mut [f64],
) {
    for (at, x) in slots.iter().zip(mass) {
        let r = p.row_ptr.partition_point(|q| q <= at) - 1;
        for j in 0..N {
            s[slot(p, i, j, r, *at)] += a_inv[i][j] * x;
        }
    }
}

/// Constraint rows δ_ij G_i + a_ij h Ġ_i and multiplier columns δ_ij G_i, from G of the stages.
///
/// ∂(G v + g_t)/∂q is Ġ, here the derivative of the polynomial through the G of the stages. On rotations it lacks a
/// term of the size of the rotation in a step; velocity-only rows have no such symmetry and do without.
pub(super) fn fill_constraints(
    p: &Csr,
    n_pos: usize,
    slope: &[[f64; N]; N],
    jac: &[f64],
    rows: &mut [f64],
    cols: &mut [f64],
) {
    let n = p.nnz();
    for r in 0..p.nrows {
        for at in p.row_ptr[r]..p.row_ptr[r + 1] {
            for i in 0..N {
                let rate: f64 = if r < n_pos {
                    (0..N).map(|k| slope[i][k] * jac[k * n + at]).sum()
                } else {
                    0.0
                };
                for j in 0..N {
                    let own = if i == j { jac[i * n + at] } else { 0.0 };
                    let to = slot(p, i, j, r, at);
                    rows[to] = own + A[i][j] * rate;
                    cols[to] = own;
                }
            }
        }
    }
}
