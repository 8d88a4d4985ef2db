//! The matrix of all augmented Lagrangian methods, S + GᵀDG, in bordered form.
//!
//! ```text
//! [ S   −Gᵀ  ] [x]   [r]
//! [ G   D⁻¹  ] [y] = [b]       ⇔   (S + GᵀDG) x = r + GᵀD b ,  y = D (b − G x)
//! ```
//!
//! x and y are the same in exact arithmetic, but S is not lost in a product that is penalty times larger, and the
//! matrix stays as sparse as S and G.

use crate::failure::StepFailure;
use delassus_linalg::{Backend, Csr, KktError, TangentKkt};

/// Sparse LU of the bordered matrix; owns its buffers.
pub(super) struct PenaltyKkt {
    nv: usize,
    lu: TangentKkt,
    /// Slots of S, of G in the rows, of Gᵀ in the columns and of D⁻¹.
    s: Vec<usize>,
    rows: Vec<usize>,
    cols: Vec<usize>,
    diagonal: Vec<usize>,
    values: Vec<f64>,
    rhs: Vec<f64>,
    solution: Vec<f64>,
}

impl PenaltyKkt {
    /// Allocates everything for the patterns of S (with its diagonal) and G.
    pub fn new(s: &Csr, jac: &Csr) -> Result<PenaltyKkt, KktError> {
        let (nv, m) = (s.nrows, jac.nrows);
        let of = |c: &Csr| -> Vec<(usize, usize)> {
            (0..c.nrows).flat_map(|i| c.row(i).iter().map(move |j| (i, *j))).collect()
        };
        let s_at = of(s);
        let rows_at: Vec<_> = of(jac).into_iter().map(|(i, j)| (nv + i, j)).collect();
        let cols_at: Vec<_> = rows_at.iter().map(|(i, j)| (*j, *i)).collect();
        let diagonal_at: Vec<_> = (nv..nv + m).map(|i| (i, i)).collect();
        let all = s_at.iter().chain(&rows_at).chain(&cols_at).chain(&diagonal_at).copied();
        let pattern = Csr::from_pairs(nv + m, nv + m, all)?;
        let slots = |at: &[(usize, usize)]| -> Result<Vec<usize>, KktError> {
            at.iter()
                .map(|(i, j)| pattern.slot(*i, *j).ok_or(KktError::Pattern("entry lost")))
                .collect()
        };
        Ok(PenaltyKkt {
            nv,
            s: slots(&s_at)?,
            rows: slots(&rows_at)?,
            cols: slots(&cols_at)?,
            diagonal: slots(&diagonal_at)?,
            values: vec![0.0; pattern.nnz()],
            rhs: vec![0.0; nv + m],
            solution: vec![0.0; nv + m],
            lu: TangentKkt::new(
                pattern,
                Csr::from_pairs(0, nv + m, std::iter::empty())?,
                Backend::Auto,
            )?,
        })
    }

    /// Factors for values of S, of G in the constraint rows and in the multiplier columns, and
    /// of D. Returns the smallest pivot of the equilibrated matrix: of the order of 1/penalty
    /// where G loses rank.
    pub fn factor(
        &mut self,
        s: &[f64],
        rows: &[f64],
        cols: &[f64],
        weight: &[f64],
    ) -> Result<f64, StepFailure> {
        self.values.fill(0.0);
        for (slot, x) in self.s.iter().zip(s) {
            self.values[*slot] = *x;
        }
        for (slot, x) in self.rows.iter().zip(rows) {
            self.values[*slot] = *x;
        }
        for (slot, x) in self.cols.iter().zip(cols) {
            self.values[*slot] = -x;
        }
        for (slot, w) in self.diagonal.iter().zip(weight) {
            self.values[*slot] = 1.0 / w;
        }
        let info = self.lu.factor(&self.values, &[], &[]).map_err(|e| name(e, self.nv))?;
        Ok(info.min_relative_pivot)
    }

    /// Solves with the present factor; x and y are overwritten.
    pub fn solve(
        &mut self,
        r: &[f64],
        b: &[f64],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), StepFailure> {
        self.rhs[..self.nv].copy_from_slice(r);
        self.rhs[self.nv..].copy_from_slice(b);
        self.lu.solve(&self.rhs, &[], &mut self.solution, &mut []).map_err(|e| name(e, self.nv))?;
        x.copy_from_slice(&self.solution[..self.nv]);
        y.copy_from_slice(&self.solution[self.nv..]);
        Ok(())
    }
}

/// To the solver all unknowns are coordinates; here the last ones are multipliers of rows.
fn name(e: KktError, nv: usize) -> StepFailure {
    StepFailure::Kkt(match e {
        KktError::Singular { row, pivot } if row >= nv => {
            KktError::Singular { row: row - nv, pivot }
        }
        KktError::Singular { row, pivot } => KktError::Undetermined { dof: row, residual: pivot },
        KktError::NonFiniteDof { dof } if dof >= nv => KktError::NonFinite { row: dof - nv },
        e => e,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bordered_form_solves_the_penalty_form() {
        // S = diag(2, 0), G = [1 1; 2 2] (dependent rows), D = (10, 100)
        let s = Csr::from_pairs(2, 2, [(0, 0), (1, 1)]).unwrap();
        let g = Csr::dense(2, 2);
        let mut k = PenaltyKkt::new(&s, &g).unwrap();
        let jac = [1.0, 1.0, 2.0, 2.0];
        k.factor(&[2.0, 0.0], &jac, &jac, &[10.0, 100.0]).unwrap();
        let (r, b) = ([1.0, 3.0], [0.5, -0.25]);
        let (mut x, mut y) = ([0.0; 2], [0.0; 2]);
        k.solve(&r, &b, &mut x, &mut y).unwrap();
        // GᵀDG = 410 · ones, GᵀD b = (5 − 50) · ones
        let sum = 410.0 * (x[0] + x[1]);
        assert!((2.0 * x[0] + sum - (r[0] - 45.0)).abs() < 1e-11);
        assert!((sum - (r[1] - 45.0)).abs() < 1e-11);
        assert!((y[0] - 10.0 * (b[0] - x[0] - x[1])).abs() < 1e-11);
        assert!((y[1] - 100.0 * (b[1] - 2.0 * x[0] - 2.0 * x[1])).abs() < 1e-11);
    }

    #[test]
    fn what_is_not_held_is_named() {
        let s = Csr::from_pairs(2, 2, [(0, 0), (1, 1)]).unwrap();
        let g = Csr::from_pairs(1, 2, [(0, 0)]).unwrap();
        let mut k = PenaltyKkt::new(&s, &g).unwrap();
        let e = k.factor(&[1.0, 0.0], &[1.0], &[1.0], &[10.0]).unwrap_err();
        assert!(matches!(e, StepFailure::Kkt(KktError::Undetermined { dof: 1, .. })), "{e}");
    }
}
