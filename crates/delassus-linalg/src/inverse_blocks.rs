//! Inverse of the (floored) block-diagonal mass matrix.
//!
//! Blocks are 1 to 6 wide and reused for thousands of products, so explicit
//! inverses cost less per step than repeated substitutions; a mass matrix is
//! well enough conditioned for it.

use crate::error::KktError;
use crate::mass_shape::MassShape;

/// Inverses of the blocks of `M + diag(floor)`.
#[derive(Debug, Clone)]
pub(crate) struct InverseBlocks {
    pub(crate) shape: MassShape,
    /// Dense inverse blocks, in the layout of the mass values.
    pub(crate) inverse: Vec<f64>,
    /// Blocks that are diagonal (centre-of-mass coordinates): a third of the
    /// work in the products.
    pub(crate) diagonal: Vec<bool>,
    /// Square roots of the diagonal of the inverse: turns forces into
    /// mass-independent units for residual norms.
    pub(crate) weight: Vec<f64>,
    factor: Vec<f64>,
    column: Vec<f64>,
}

impl InverseBlocks {
    pub(crate) fn new(shape: MassShape) -> InverseBlocks {
        let widest = shape.sizes().iter().copied().max().unwrap_or(0);
        InverseBlocks {
            inverse: vec![0.0; shape.value_len()],
            diagonal: vec![false; shape.count()],
            weight: vec![0.0; shape.dim()],
            factor: vec![0.0; widest * widest],
            column: vec![0.0; widest],
            shape,
        }
    }

    /// Invert `values + diag(floor)`; `floor` may be empty.
    pub(crate) fn set(&mut self, values: &[f64], floor: &[f64]) -> Result<(), KktError> {
        for k in 0..self.shape.count() {
            let n = self.shape.sizes()[k];
            let at = self.shape.value(k);
            let dof = self.shape.dof(k);
            let block = &values[at..at + n * n];
            let floor = if floor.is_empty() { floor } else { &floor[dof..dof + n] };
            let factor = &mut self.factor[..n * n];
            cholesky(block, floor, n, factor).map_err(|(i, pivot)| {
                if pivot.is_finite() {
                    KktError::MassNotPositive { block: k, dof: dof + i, pivot }
                } else {
                    KktError::NonFiniteDof { dof: dof + i }
                }
            })?;
            self.diagonal[k] = is_diagonal(block, n);
            let inverse = &mut self.inverse[at..at + n * n];
            if self.diagonal[k] {
                // Straight reciprocals: no square roots to round.
                for j in 0..n {
                    let floor = floor.get(j).copied().unwrap_or(0.0);
                    inverse[j * n..(j + 1) * n].fill(0.0);
                    inverse[j * n + j] = 1.0 / (block[j * n + j] + floor);
                    self.weight[dof + j] = inverse[j * n + j].sqrt();
                }
                continue;
            }
            for j in 0..n {
                let x = &mut self.column[..n];
                x.fill(0.0);
                x[j] = 1.0;
                substitute(factor, n, x);
                inverse[j * n..(j + 1) * n].copy_from_slice(x);
            }
            // Rounding leaves the two triangles an ulp apart; W must be
            // exactly symmetric for its lower triangle to stand for both.
            for j in 0..n {
                for i in 0..j {
                    inverse[j * n + i] = inverse[i * n + j];
                }
                self.weight[dof + j] = inverse[j * n + j].sqrt();
            }
        }
        Ok(())
    }

    /// Diagonal of the inverse.
    pub(crate) fn diagonal_entries(&self) -> impl Iterator<Item = f64> {
        self.shape.sizes().iter().enumerate().flat_map(move |(k, &n)| {
            let at = self.shape.value(k);
            (0..n).map(move |i| self.inverse[at + i * n + i])
        })
    }

    /// `out = M̃⁻¹ f`.
    pub(crate) fn apply(&self, f: &[f64], out: &mut [f64]) {
        for (k, &n) in self.shape.sizes().iter().enumerate() {
            let at = self.shape.value(k);
            let dof = self.shape.dof(k);
            let inverse = &self.inverse[at..at + n * n];
            let (f, out) = (&f[dof..dof + n], &mut out[dof..dof + n]);
            if self.diagonal[k] {
                for (i, o) in out.iter_mut().enumerate() {
                    *o = inverse[i * n + i] * f[i];
                }
            } else {
                match n {
                    3 => product::<3>(inverse, f, out),
                    6 => product::<6>(inverse, f, out),
                    _ => {
                        for (o, row) in out.iter_mut().zip(inverse.chunks_exact(n)) {
                            *o = row.iter().zip(f).map(|(a, b)| a * b).sum();
                        }
                    }
                }
            }
        }
    }
}

fn product<const N: usize>(inverse: &[f64], f: &[f64], out: &mut [f64]) {
    let mut x = [0.0; N];
    x.copy_from_slice(f);
    for (o, row) in out.iter_mut().zip(inverse.as_chunks::<N>().0) {
        let mut sum = 0.0;
        for c in 0..N {
            sum += row[c] * x[c];
        }
        *o = sum;
    }
}

fn is_diagonal(block: &[f64], n: usize) -> bool {
    (0..n).all(|j| (0..n).all(|i| i == j || block[j * n + i] == 0.0))
}

/// Lower Cholesky factor, or the index and value of the failing pivot.
fn cholesky(block: &[f64], floor: &[f64], n: usize, l: &mut [f64]) -> Result<(), (usize, f64)> {
    for j in 0..n {
        for i in j..n {
            let mut v = block[j * n + i];
            if i == j
                && let Some(add) = floor.get(j)
            {
                v += add;
            }
            for k in 0..j {
                v -= l[k * n + i] * l[k * n + j];
            }
            l[j * n + i] = v;
        }
        let pivot = l[j * n + j];
        let scale = block[j * n + j].abs();
        // A pivot below rounding of its own diagonal carries no digit.
        if !pivot.is_finite() || pivot <= 4.0 * f64::EPSILON * scale {
            return Err((j, pivot));
        }
        let root = pivot.sqrt();
        l[j * n + j] = root;
        for i in j + 1..n {
            l[j * n + i] /= root;
            if !l[j * n + i].is_finite() {
                return Err((i, f64::NAN));
            }
        }
    }
    Ok(())
}

fn substitute(l: &[f64], n: usize, x: &mut [f64]) {
    for j in 0..n {
        x[j] /= l[j * n + j];
        for i in j + 1..n {
            x[i] -= l[j * n + i] * x[j];
        }
    }
    for j in (0..n).rev() {
        for i in j + 1..n {
            x[j] -= l[j * n + i] * x[i];
        }
        x[j] /= l[j * n + j];
    }
}
