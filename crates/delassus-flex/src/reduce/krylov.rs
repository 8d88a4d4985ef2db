//! The lowest vibrations K x = ω² M x of large sparse matrices.
//!
//! A block Krylov space of K⁻¹ M, orthonormal in the metric of K, in which M may be singular. A space that starts from
//! one block finds as many vectors of a repeated frequency as the block has columns; so when all that was asked for has
//! converged, the search goes on from another block, for as many steps as the first took, until a whole search finds
//! nothing lower.

use super::pencil::{Vibrations, loose};
use crate::FlexError;
use crate::symmetric::Symmetric;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::Llt;
use faer::{Mat, Side};

/// Columns of a block: frequencies of bodies are seldom repeated more often.
const BLOCK: usize = 4;
/// Residual, relative to 1/ω², below which a mode has converged. Its frequency is right to the square of it.
const CONVERGED: f64 = 1e-9;
/// Part of a vector that is left beside the others, below which it is one of them.
const NOTHING_NEW: f64 = 1e-10;
/// Change of 1/ω², relative to itself, that tells another mode from the same one.
const ANOTHER: f64 = 1e-7;
/// Square of a frequency, relative to the lowest one, above which a mode is one without mass.
const MASSLESS: f64 = 1e12;
/// Modes of the space are looked at when it has grown by one in so many: this costs the cube of its size.
const LOOK: usize = 8;
/// Residual, relative to 1/ω², of a result that is none.
const WRONG: f64 = 1e-6;
/// Memory for the vectors of the search, bytes.
const MOST_MEMORY: f64 = 2e9;
/// Multiplications for making them orthogonal, some minutes.
const MOST_WORK: f64 = 4e11;

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Want {
    Lowest(usize),
    /// All up to this angular frequency, rad/s, and one above.
    Below(f64),
}

/// K as its factor.
pub(super) fn factor(k: &Symmetric) -> Result<Llt<usize, f64>, FlexError> {
    k.sparse()?.sp_cholesky(Side::Lower).map_err(|_| loose())
}

/// The lowest modes, with xᵀ K x = 1, or all there are. `mass` is M times columns.
pub(super) fn lowest(
    k: &Symmetric,
    mass: impl Fn(&Mat<f64>) -> Mat<f64>,
    want: Want,
) -> Result<Vibrations, FlexError> {
    let n = k.size();
    let mut s = Search {
        k,
        factor: factor(k)?,
        mass,
        basis: Vec::new(),
        k_basis: Vec::new(),
        g: Vec::new(),
    };
    let room = MOST_MEMORY / (16.0 * n as f64);
    let most = (room.min((MOST_WORK / (8.0 * n as f64)).sqrt()) as usize).min(n);
    if let Want::Lowest(count) = want
        && count > most
    {
        return Err(too_many(n, most));
    }
    let mut seed = 1;
    let (mut before, mut first_steps): (Option<Vec<f64>>, usize) = (None, 0);
    loop {
        let start = s.filtered(&random(n, seed));
        seed += 1;
        let (mut block, _) = s.orthonormal(start);
        let (mut steps, mut next_look) = (0, 0);
        let found = loop {
            if block == 0 {
                break s.ritz(want)?;
            }
            if s.basis.len() > most {
                return Err(too_many(n, most));
            }
            let last = s.basis.len() - block;
            let next = s.expand(last);
            let (added, norms) = s.orthonormal(next);
            steps += 1;
            if added > 0 && s.basis.len() < next_look {
                block = added;
                continue;
            }
            next_look = s.basis.len() + s.basis.len() / LOOK;
            let ritz = s.ritz_of(last + block, want)?;
            let done = ritz.enough && {
                let residual = |j: usize| -> f64 {
                    let tail = (0..block).map(|c| (ritz.vectors[(last + c, j)] * norms[c]).abs());
                    tail.sum()
                };
                (0..ritz.wanted).all(|j| residual(j) <= CONVERGED * ritz.values[j])
            };
            if (done && steps >= first_steps) || added == 0 {
                s.basis.truncate(last + block);
                s.k_basis.truncate(last + block);
                break ritz;
            }
            block = added;
        };
        let values: Vec<f64> = found.values[..found.wanted].to_vec();
        let same = before.as_ref().is_some_and(|before| {
            before.len() == values.len()
                && before.iter().zip(&values).all(|(a, b)| (a - b).abs() <= ANOTHER * a)
        });
        if same || s.basis.len() >= n || block == 0 {
            return s.modes(&found);
        }
        before = Some(values);
        first_steps = first_steps.max(steps);
    }
}

fn too_many(unknowns: usize, most: usize) -> FlexError {
    FlexError::Option(format!(
        "so many modes of {unknowns} unknowns need more than {most} vectors, which is too much memory or work: ask for fewer"
    ))
}

struct Search<'k, M: Fn(&Mat<f64>) -> Mat<f64>> {
    k: &'k Symmetric,
    factor: Llt<usize, f64>,
    mass: M,
    /// Vectors v with vᵢᵀ K vⱼ = δᵢⱼ, and K v.
    basis: Vec<Vec<f64>>,
    k_basis: Vec<Vec<f64>>,
    /// vᵢᵀ M vⱼ for i ≤ j, by j.
    g: Vec<Vec<f64>>,
}

struct Ritz {
    /// 1/ω², descending.
    values: Vec<f64>,
    vectors: Mat<f64>,
    /// How many of them are wanted.
    wanted: usize,
    /// Whether so many are there as are wanted.
    enough: bool,
}

impl<M: Fn(&Mat<f64>) -> Mat<f64>> Search<'_, M> {
    fn filtered(&self, x: &Mat<f64>) -> Mat<f64> {
        self.factor.solve((self.mass)(x))
    }

    /// K⁻¹ M of the vectors from `last` on, whose products with all of the basis are noted.
    fn expand(&mut self, last: usize) -> Mat<f64> {
        let n = self.k.size();
        let block = Mat::from_fn(n, self.basis.len() - last, |i, j| self.basis[last + j][i]);
        let product = (self.mass)(&block);
        for j in last..self.basis.len() {
            let column = product.col(j - last);
            let one = |v: &Vec<f64>| v.iter().zip(column.iter()).map(|(a, b)| a * b).sum::<f64>();
            self.g.push(self.basis[..=j].iter().map(one).collect());
        }
        self.factor.solve(product)
    }

    /// Adds what is new in columns to the basis; how many, and how long each is beside the old basis.
    fn orthonormal(&mut self, x: Mat<f64>) -> (usize, Vec<f64>) {
        let old = self.basis.len();
        let mut lengths = Vec::new();
        for c in 0..x.ncols() {
            let mut w: Vec<f64> = x.col(c).iter().copied().collect();
            let length = |w: &[f64]| dot(w, &self.times(w)).max(0.0).sqrt();
            let whole = length(&w);
            for _ in 0..2 {
                clear(&mut w, &self.basis[..old], &self.k_basis[..old]);
            }
            lengths.push(length(&w));
            for _ in 0..2 {
                clear(&mut w, &self.basis, &self.k_basis);
            }
            let mut kw = self.times(&w);
            let left = dot(&w, &kw).max(0.0).sqrt();
            if !(left > NOTHING_NEW * whole) {
                continue;
            }
            w.iter_mut().chain(&mut kw).for_each(|x| *x /= left);
            self.basis.push(w);
            self.k_basis.push(kw);
        }
        (self.basis.len() - old, lengths)
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        for (j, factor) in x.iter().enumerate() {
            for (i, a) in self.k.column(j) {
                out[i] += a * factor;
            }
        }
        out
    }

    fn ritz(&self, want: Want) -> Result<Ritz, FlexError> {
        self.ritz_of(self.basis.len(), want)
    }

    /// Modes within the first `size` vectors.
    fn ritz_of(&self, size: usize, want: Want) -> Result<Ritz, FlexError> {
        let g = Mat::from_fn(size, size, |i, j| self.g[i.max(j)][i.min(j)]);
        let eigen = g
            .self_adjoint_eigen(Side::Lower)
            .map_err(|_| FlexError::Eigenvalues { unknowns: size })?;
        let all: Vec<f64> = (0..size).rev().map(|i| eigen.S()[i]).collect();
        let there = all.iter().filter(|x| **x * MASSLESS > all[0]).count();
        let (wanted, enough) = match want {
            Want::Lowest(count) => (count.min(there), count <= there),
            Want::Below(limit) => {
                let below = all[..there].iter().filter(|x| **x * limit * limit >= 1.0).count();
                ((below + 1).min(there), below < there)
            }
        };
        let vectors = Mat::from_fn(size, there, |i, j| eigen.U()[(i, size - 1 - j)]);
        Ok(Ritz { values: all[..there].to_vec(), vectors, wanted, enough })
    }

    fn modes(&self, r: &Ritz) -> Result<Vibrations, FlexError> {
        let n = self.k.size();
        let mut shapes = Mat::zeros(n, r.wanted);
        for j in 0..r.wanted {
            let mut x = shapes.col_mut(j);
            for (k, v) in self.basis.iter().enumerate().take(r.vectors.nrows()) {
                let factor = r.vectors[(k, j)];
                for (i, v) in v.iter().enumerate() {
                    x[i] += factor * v;
                }
            }
        }
        let image = self.filtered(&shapes);
        for j in 0..r.wanted {
            let left: Vec<f64> =
                (0..n).map(|i| image[(i, j)] - r.values[j] * shapes[(i, j)]).collect();
            let residual = dot(&left, &self.times(&left)).max(0.0).sqrt() / r.values[j];
            if !(residual <= WRONG) {
                return Err(FlexError::Rounding { unknowns: n, residual });
            }
        }
        let frequencies = r.values[..r.wanted].iter().map(|x| 1.0 / x.sqrt()).collect();
        Ok(Vibrations { frequencies, shapes })
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Takes out what a vector has of a basis.
fn clear(w: &mut [f64], basis: &[Vec<f64>], k_basis: &[Vec<f64>]) {
    for (v, kv) in basis.iter().zip(k_basis) {
        let part = dot(w, kv);
        for (w, v) in w.iter_mut().zip(v) {
            *w -= part * v;
        }
    }
}

/// Numbers from −1 to 1 that are the same in every run.
fn random(n: usize, seed: u64) -> Mat<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let list: Vec<f64> = (0..n * BLOCK.min(n)).map(|_| next()).collect();
    Mat::from_fn(n, BLOCK.min(n), |i, j| list[j * n + i])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies of a chain of masses and springs that do not know of each other: every frequency is there once for each,
    /// which is more often than a block has columns.
    #[test]
    fn frequencies_that_repeat() {
        let (copies, length) = (11, 40);
        let n = copies * length;
        let stiff = (0..n).flat_map(|i| {
            let last = i % length == length - 1;
            let next = (!last).then_some([(i, i + 1, -1.0), (i + 1, i, -1.0)]);
            let own = if last { 1.0 } else { 2.0 };
            next.into_iter().flatten().chain([(i, i, own)])
        });
        let k = Symmetric::new(n, stiff.collect());
        let exact = |mode: usize| {
            let angle =
                (2 * mode + 1) as f64 * std::f64::consts::PI / (2 * (2 * length + 1)) as f64;
            2.0 * angle.sin()
        };
        let found = lowest(&k, |x| x.clone(), Want::Lowest(2 * copies)).unwrap();
        for (i, w) in found.frequencies.iter().enumerate() {
            let exact = exact(i / copies);
            assert!((w / exact - 1.0).abs() < 1e-9, "{i}: {w} {exact}");
        }
        let limit = 0.5 * (exact(0) + exact(1));
        let below = lowest(&k, |x| x.clone(), Want::Below(limit)).unwrap();
        assert_eq!(below.frequencies.iter().filter(|w| **w < limit).count(), copies);
    }
}
