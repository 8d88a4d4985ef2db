//! Directions of the multiplier that do no work, and their removal.
//!
//! Regularised refinement divides rounding errors by the regularisation: with
//! ε = 1e-12 the free part of λ would carry noise of relative size 1e-4, and
//! its limit would depend on the row scaling. Both vanish by projecting λ on
//! the orthogonal complement of the null vectors, which the factor yields for
//! one back-substitution each: `n = L⁻ᵀ eⱼ` for every collapsed pivot `j`.

/// Orthonormal basis of the free directions.
#[derive(Debug, Clone)]
pub(crate) struct NullBasis {
    rows: usize,
    capacity: usize,
    count: usize,
    vectors: Vec<f64>,
    scratch: Vec<f64>,
}

/// Euclidean length below which a null vector repeats earlier ones.
const REPEATED: f64 = 1e-6;

impl NullBasis {
    pub(crate) fn new(rows: usize, capacity: usize) -> NullBasis {
        NullBasis {
            rows,
            capacity,
            count: 0,
            vectors: vec![0.0; rows * capacity],
            scratch: vec![0.0; rows],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Unit vector `j` to be turned into a candidate by back-substitution.
    pub(crate) fn seed(&mut self, j: usize) -> &mut [f64] {
        self.scratch.fill(0.0);
        self.scratch[j] = 1.0;
        &mut self.scratch
    }

    /// The candidate, for callers that find it in another way.
    pub(crate) fn candidate(&mut self) -> &mut [f64] {
        &mut self.scratch
    }

    /// The candidate times `scale`, the right-hand side that sharpens it.
    pub(crate) fn weighted(&mut self, scale: &[f64], order: Option<&[u32]>) -> &mut [f64] {
        match order {
            Some(order) => {
                for (v, &i) in self.scratch.iter_mut().zip(order) {
                    *v *= scale[i as usize];
                }
            }
            None => {
                for (v, s) in self.scratch.iter_mut().zip(scale) {
                    *v *= s;
                }
            }
        }
        &mut self.scratch
    }

    /// Weighted square of the candidate, `Σ nᵢ² sᵢ`; `order` maps positions to rows.
    pub(crate) fn weighted_square(&self, scale: &[f64], order: Option<&[u32]>) -> f64 {
        match order {
            Some(order) => {
                self.scratch.iter().zip(order).map(|(v, &i)| v * v * scale[i as usize]).sum()
            }
            None => self.scratch.iter().zip(scale).map(|(v, s)| v * v * s).sum(),
        }
    }

    /// Accept the candidate: orthonormalise it against the earlier ones.
    pub(crate) fn accept(&mut self, order: Option<&[u32]>) {
        if self.count == self.capacity {
            return;
        }
        let at = self.count * self.rows;
        let (kept, rest) = self.vectors.split_at_mut(at);
        let new = &mut rest[..self.rows];
        match order {
            Some(order) => {
                for (v, &i) in self.scratch.iter().zip(order) {
                    new[i as usize] = *v;
                }
            }
            None => new.copy_from_slice(&self.scratch),
        }
        let before = norm(new);
        // Twice is enough for orthogonality to rounding.
        for _ in 0..2 {
            for v in kept.chunks_exact(self.rows) {
                remove(v, new);
            }
        }
        let after = norm(new);
        if after > REPEATED * before {
            for v in new.iter_mut() {
                *v /= after;
            }
            self.count += 1;
        }
    }

    /// Remove the free part of `lambda`.
    pub(crate) fn project(&self, lambda: &mut [f64]) {
        for v in self.vectors.chunks_exact(self.rows.max(1)).take(self.count) {
            remove(v, lambda);
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// `x −= v (v·x)`.
fn remove(v: &[f64], x: &mut [f64]) {
    let dot: f64 = v.iter().zip(x.iter()).map(|(a, b)| a * b).sum();
    for (x, v) in x.iter_mut().zip(v) {
        *x -= dot * v;
    }
}
