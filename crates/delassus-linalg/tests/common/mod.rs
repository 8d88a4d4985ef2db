//! Systems to test and measure with, and dense reference solutions.
#![allow(dead_code, clippy::unwrap_used)]

use delassus_linalg::{Csr, MassShape};
use faer::Mat;
use faer::linalg::solvers::Solve;

/// Small deterministic generator: tests must not depend on a seed source.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Uniform in (-1, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n as u64) as usize
    }

    pub fn vec(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.unit()).collect()
    }
}

/// A mass matrix and constraint matrix with values.
#[derive(Clone)]
pub struct System {
    pub blocks: MassShape,
    pub mass: Vec<f64>,
    pub jac: Csr,
    pub g: Vec<f64>,
}

impl System {
    pub fn nv(&self) -> usize {
        self.blocks.dim()
    }

    pub fn m(&self) -> usize {
        self.jac.nrows
    }

    pub fn dense_mass(&self) -> Mat<f64> {
        let mut out = Mat::zeros(self.nv(), self.nv());
        for (k, &n) in self.blocks.sizes().iter().enumerate() {
            let (dof, at) = (self.blocks.dof(k), self.blocks.value(k));
            for j in 0..n {
                for i in 0..n {
                    out[(dof + i, dof + j)] = self.mass[at + j * n + i];
                }
            }
        }
        out
    }

    pub fn dense_jac(&self) -> Mat<f64> {
        dense(&self.jac, &self.g)
    }

    /// Append a row given by its dense coefficients (zeros are dropped).
    pub fn with_rows(&self, rows: &[Vec<f64>]) -> System {
        let mut pairs = Vec::new();
        let mut g = Vec::new();
        for i in 0..self.m() {
            for (k, &j) in self.jac.row(i).iter().enumerate() {
                pairs.push((i, j));
                g.push(self.g[self.jac.row_ptr[i] + k]);
            }
        }
        for (k, row) in rows.iter().enumerate() {
            for (j, &v) in row.iter().enumerate() {
                if v != 0.0 {
                    pairs.push((self.m() + k, j));
                    g.push(v);
                }
            }
        }
        let jac = Csr::from_pairs(self.m() + rows.len(), self.nv(), pairs).unwrap();
        System { jac, g, ..self.clone() }
    }

    pub fn dense_row(&self, i: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.nv()];
        for (k, &j) in self.jac.row(i).iter().enumerate() {
            out[j] = self.g[self.jac.row_ptr[i] + k];
        }
        out
    }

    /// Largest |G a − b|.
    pub fn constraint_error(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut r: Vec<f64> = b.iter().map(|v| -v).collect();
        self.jac.mul_add(&self.g, 1.0, a, &mut r);
        max_abs(&r)
    }
}

pub fn dense(p: &Csr, v: &[f64]) -> Mat<f64> {
    let mut out = Mat::zeros(p.nrows, p.ncols);
    for i in 0..p.nrows {
        for (k, &j) in p.row(i).iter().enumerate() {
            out[(i, j)] = v[p.row_ptr[i] + k];
        }
    }
    out
}

#[allow(unused_imports)] // each test file uses a part
pub use delassus_math::{max_abs, max_difference as max_diff};

/// Dense solution of [[S, −Gcᵀ],[Gr, 0]] with full pivoting.
pub fn reference(
    s: &Mat<f64>,
    g_rows: &Mat<f64>,
    g_cols: &Mat<f64>,
    r: &[f64],
    b: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let (n, m) = (s.nrows(), g_rows.nrows());
    let k = Mat::from_fn(n + m, n + m, |i, j| {
        if i < n && j < n {
            s[(i, j)]
        } else if i < n {
            -g_cols[(j - n, i)]
        } else if j < n {
            g_rows[(i - n, j)]
        } else {
            0.0
        }
    });
    let rhs = Mat::from_fn(n + m, 1, |i, _| if i < n { r[i] } else { b[i - n] });
    let lu = k.full_piv_lu();
    let mut x = lu.solve(&rhs);
    let correction = lu.solve(&(&rhs - &k * &x));
    x += correction;
    ((0..n).map(|i| x[(i, 0)]).collect(), (0..m).map(|i| x[(n + i, 0)]).collect())
}

/// Symmetric positive definite random block.
fn spd(n: usize, rng: &mut Rng) -> Vec<f64> {
    let a: Vec<f64> = rng.vec(n * n);
    let mut out = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let mut sum: f64 = (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum();
            if i == j {
                sum += 0.5;
            }
            out[j * n + i] = sum;
        }
    }
    out
}

/// Random blocks of width 1..=6 and rows touching one or two of them.
pub fn random_system(bodies: usize, rows: usize, seed: u64) -> System {
    let mut rng = Rng::new(seed);
    for _ in 0..8 {
        rng.next_u64();
    }
    let sizes: Vec<usize> = (0..bodies).map(|_| 1 + rng.below(6)).collect();
    let blocks = MassShape::new(sizes.clone());
    let mass = sizes.iter().flat_map(|&n| spd(n, &mut rng)).collect();
    let nv = blocks.dim();
    let mut pairs = Vec::new();
    for i in 0..rows {
        for _ in 0..2 {
            let k = rng.below(bodies);
            for c in 0..sizes[k] {
                pairs.push((i, blocks.dof(k) + c));
            }
        }
    }
    let jac = Csr::from_pairs(rows, nv, pairs).unwrap();
    let g = rng.vec(jac.nnz());
    System { blocks, mass, jac, g }
}

/// Planar chain of `n` bodies joined by revolutes, the first one to ground;
/// `closed` also joins the last one to ground (four-bar for n = 3).
pub fn chain(n: usize, closed: bool) -> System {
    let blocks = MassShape::new(vec![3; n]);
    let mut mass = Vec::new();
    for k in 0..n {
        let m = 1.0 + 0.1 * (k % 7) as f64;
        mass.extend([m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m / 12.0]);
    }
    let joints = n + usize::from(closed);
    let mut entries = Vec::new();
    for joint in 0..joints {
        for (body, end, sign) in
            [(joint.checked_sub(1), 0.5, -1.0), ((joint < n).then_some(joint), -0.5, 1.0)]
        {
            let Some(k) = body else { continue };
            let angle = 0.3 + 0.7 * k as f64;
            entries.push(((2 * joint, 3 * k), sign));
            entries.push(((2 * joint, 3 * k + 2), -sign * end * angle.sin()));
            entries.push(((2 * joint + 1, 3 * k + 1), sign));
            entries.push(((2 * joint + 1, 3 * k + 2), sign * end * angle.cos()));
        }
    }
    let jac = Csr::from_pairs(2 * joints, 3 * n, entries.iter().map(|e| e.0)).unwrap();
    let mut g = vec![0.0; jac.nnz()];
    for ((i, j), v) in entries {
        g[jac.slot(i, j).unwrap()] = v;
    }
    System { blocks, mass, jac, g }
}
