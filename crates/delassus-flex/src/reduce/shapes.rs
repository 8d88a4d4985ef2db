//! Component modes of full matrices.

use super::choice::Keep;
use super::pencil::{Vibrations, vibrations};
use crate::FlexError;
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use nalgebra::{Matrix6, Vector6};

/// Eigenvalue of the rigid mass matrix, scaled to ones, below which a motion has no mass: the spin of a beam whose
/// section has no moments of inertia.
const MASSLESS: f64 = 1e-13;

/// Matrices with what they belong to.
pub(super) struct Matrices {
    pub k: Mat<f64>,
    pub m: Mat<f64>,
    /// Degrees of freedom that may move.
    pub free: Vec<usize>,
    /// Rigid motions as columns, 6 in number; zero where they are not free.
    pub rigid: Mat<f64>,
}

/// What is held.
pub(super) enum Held {
    /// These degrees of freedom.
    Clamped(Vec<usize>),
    /// Nothing; these would hold the body without deforming it.
    Free(Vec<usize>),
    /// The first ones always, the second ones while the body vibrates.
    Interface(Vec<usize>, Vec<usize>, String),
}

/// Modes, in all degrees of freedom, with xᵀ K x = 1.
pub(super) fn shapes(a: &Matrices, held: &Held, keep: &Keep) -> Result<Vibrations, FlexError> {
    let without = |held: &[usize]| -> Vec<usize> {
        a.free.iter().copied().filter(|i| !held.contains(i)).collect()
    };
    match held {
        Held::Clamped(held) => {
            let free = without(held);
            let all = vibrations(&block(&a.k, &free, &free), &block(&a.m, &free, &free))?;
            let kept = chosen(&all, &keep.of(&all.frequencies, free.len(), false)?);
            Ok(spread(kept, &free, a.k.nrows()))
        }
        Held::Free(held) => {
            let free = without(held);
            let m_rigid = &a.m * &a.rigid;
            let inverse = rigid_inverse(&(a.rigid.transpose() * &m_rigid));
            // without the mean motion: M − M R (Rᵀ M R)⁻¹ Rᵀ M
            let own = Mat::from_fn(free.len(), 6, |i, j| m_rigid[(free[i], j)]);
            let m = block(&a.m, &free, &free) - &own * &inverse * own.transpose();
            let all = vibrations(&block(&a.k, &free, &free), &m)?;
            let kept = chosen(&all, &keep.of(&all.frequencies, free.len(), false)?);
            let mut kept = spread(kept, &free, a.k.nrows());
            // twice, so that nothing of rounding is left
            for _ in 0..2 {
                let mean = &inverse * (m_rigid.transpose() * &kept.shapes);
                kept.shapes -= &a.rigid * mean;
            }
            Ok(kept)
        }
        Held::Interface(first, others, name) => {
            let edge: Vec<usize> = others.iter().copied().filter(|i| a.free.contains(i)).collect();
            let both: Vec<usize> = first.iter().chain(others).copied().collect();
            let inner = without(&both);
            let k_inner = block(&a.k, &inner, &inner);
            let all = vibrations(&k_inner, &block(&a.m, &inner, &inner))?;
            let fixed = chosen(&all, &keep.of(&all.frequencies, inner.len(), true)?);
            // what the inside does when the edge moves by one unit
            let follow = if inner.is_empty() {
                Mat::zeros(0, edge.len())
            } else {
                let factor = k_inner.llt(Side::Lower).map_err(|_| {
                    FlexError::Loose("its stiffness matrix is singular inside".to_owned())
                })?;
                factor.solve(block(&a.k, &inner, &edge)) * faer::Scale(-1.0)
            };
            let mut basis = Mat::zeros(a.k.nrows(), edge.len() + fixed.frequencies.len());
            for (j, &e) in edge.iter().enumerate() {
                basis[(e, j)] = 1.0;
            }
            for (i, &row) in inner.iter().enumerate() {
                for j in 0..edge.len() {
                    basis[(row, j)] = follow[(i, j)];
                }
                for j in 0..fixed.frequencies.len() {
                    basis[(row, edge.len() + j)] = fixed.shapes[(i, j)];
                }
            }
            let k = basis.transpose() * &a.k * &basis;
            let m = basis.transpose() * &a.m * &basis;
            let own = vibrations(&k, &m)?;
            if own.frequencies.len() < basis.ncols() {
                return Err(FlexError::MasslessShape(name.clone()));
            }
            Ok(Vibrations { frequencies: own.frequencies, shapes: basis * own.shapes })
        }
    }
}

fn block(a: &Mat<f64>, rows: &[usize], columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| a[(rows[i], columns[j])])
}

fn chosen(all: &Vibrations, which: &[usize]) -> Vibrations {
    Vibrations {
        frequencies: which.iter().map(|k| all.frequencies[*k]).collect(),
        shapes: Mat::from_fn(all.shapes.nrows(), which.len(), |i, j| all.shapes[(i, which[j])]),
    }
}

/// With zeros where nothing moves.
fn spread(v: Vibrations, free: &[usize], n: usize) -> Vibrations {
    let mut shapes = Mat::zeros(n, v.shapes.ncols());
    for (i, &row) in free.iter().enumerate() {
        for j in 0..v.shapes.ncols() {
            shapes[(row, j)] = v.shapes[(i, j)];
        }
    }
    Vibrations { frequencies: v.frequencies, shapes }
}

/// (Rᵀ M R)⁻¹, zero for motions without mass.
fn rigid_inverse(m: &Mat<f64>) -> Mat<f64> {
    let diagonal = |i: usize| if m[(i, i)] > 0.0 { 1.0 / m[(i, i)].sqrt() } else { 0.0 };
    let unit = Vector6::from_fn(|i, _| diagonal(i));
    let scaled = Matrix6::from_fn(|i, j| m[(i, j)] * unit[i] * unit[j]);
    let eigen = scaled.symmetric_eigen();
    let inverse = eigen.eigenvalues.map(|x| if x > MASSLESS { 1.0 / x } else { 0.0 });
    let full =
        eigen.eigenvectors * Matrix6::from_diagonal(&inverse) * eigen.eigenvectors.transpose();
    Mat::from_fn(6, 6, |i, j| full[(i, j)] * unit[i] * unit[j])
}
