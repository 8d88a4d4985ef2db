//! Householder QR with column pivoting: least squares with a matrix of any rank.
//!
//! `A P = Q R`; columns whose remaining length falls below a threshold are left out (their unknowns are
//! zero). For a singular consistent system this is a basic solution, without the squared condition of
//! normal equations. Golub & Van Loan, Matrix Computations (2013), 5.4.

/// A factorisation and its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct PivotedQr {
    n: usize,
    rank: usize,
    /// Column by column: R above the diagonal, Householder vectors below and on it.
    a: Vec<f64>,
    /// Diagonal of R.
    diag: Vec<f64>,
    /// 2/|v|² of the reflectors.
    beta: Vec<f64>,
    perm: Vec<usize>,
    norms: Vec<f64>,
}

impl PivotedQr {
    /// Factors the `n × n` matrix with entries `entry(i, j)`.
    pub fn factor(&mut self, n: usize, threshold: f64, entry: impl Fn(usize, usize) -> f64) {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        for j in 0..n {
            for i in 0..n {
                self.a[j * n + i] = entry(i, j);
            }
        }
        self.perm.clear();
        self.perm.extend(0..n);
        self.diag.clear();
        self.diag.resize(n, 0.0);
        self.beta.clear();
        self.beta.resize(n, 0.0);
        self.norms.clear();
        self.norms
            .extend(self.a.chunks_exact(n.max(1)).map(|c| c.iter().map(|x| x * x).sum::<f64>()));
        let top = self.norms.iter().fold(0.0f64, |m, &x| m.max(x)).sqrt();
        self.rank = n;
        for k in 0..n {
            let (mut c, mut largest) = (k, -1.0);
            for j in k..n {
                if self.norms[j] > largest {
                    (c, largest) = (j, self.norms[j]);
                }
            }
            self.swap(k, c);
            let length = self.a[k * n + k..(k + 1) * n].iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(length > threshold * top) {
                self.rank = k;
                return;
            }
            self.reflect(k, length);
        }
    }

    fn swap(&mut self, k: usize, c: usize) {
        if k != c {
            let n = self.n;
            let (left, right) = self.a.split_at_mut(c * n);
            left[k * n..(k + 1) * n].swap_with_slice(&mut right[..n]);
            self.perm.swap(k, c);
            self.norms.swap(k, c);
        }
    }

    fn reflect(&mut self, k: usize, length: f64) {
        let n = self.n;
        let alpha = if self.a[k * n + k] > 0.0 { -length } else { length };
        self.a[k * n + k] -= alpha;
        self.diag[k] = alpha;
        let (head, tail) = self.a.split_at_mut((k + 1) * n);
        let v = &head[k * n + k..];
        let beta = 2.0 / v.iter().map(|x| x * x).sum::<f64>();
        self.beta[k] = beta;
        for (j, column) in tail.chunks_exact_mut(n).enumerate() {
            let x = &mut column[k..];
            let f = beta * v.iter().zip(&*x).map(|(a, b)| a * b).sum::<f64>();
            x.iter_mut().zip(v).for_each(|(x, v)| *x -= f * v);
            // Recomputed, not downdated: the rank decision needs true lengths.
            self.norms[k + 1 + j] = x[1..].iter().map(|x| x * x).sum();
        }
    }

    /// Least squares solution of `A x = rhs`; `rhs` is overwritten.
    pub fn solve(&self, rhs: &mut [f64], x: &mut [f64]) {
        let n = self.n;
        for k in 0..self.rank {
            let v = &self.a[k * n + k..(k + 1) * n];
            let y = &mut rhs[k..];
            let f = self.beta[k] * v.iter().zip(&*y).map(|(a, b)| a * b).sum::<f64>();
            y.iter_mut().zip(v).for_each(|(y, v)| *y -= f * v);
        }
        x.fill(0.0);
        for k in (0..self.rank).rev() {
            let value = rhs[k] / self.diag[k];
            x[self.perm[k]] = value;
            for i in 0..k {
                rhs[i] -= self.a[k * n + i] * value;
            }
        }
    }
}
