//! The problem in pure numbers.
//!
//! Rows may have different units (forces, torques), and the whole problem any size. With
//!
//! ```text
//! r = B D^(−1/2) r̂ ,   u = B D^(1/2) û ,   Ŵ = D^(−1/2) W D^(−1/2) ,   b̂ = D^(−1/2) b / B
//! d_k = largest W_ii of the block k ,   B = max( |b_i|/√d_i , √d_i |nearest admissible r_i to zero| )
//! ```
//!
//! `û = Ŵ r̂ + b̂` is free of units: a change of the unit of a row (or of all rows of a friction block)
//! and a factor on `W` or `b` cancel. `r_i u_i` is a power in all rows, which is why one `B` serves all. The
//! diagonal of `Ŵ` is one, the largest `b̂` is one.
//!
//! Where `W_ii = 0` in a row that is not empty (nonsymmetric problems), `d_i` is the largest
//! `W_ij²/d_j`. A block whose rows *and* columns are empty is *bare*: no reaction moves it. It is judged
//! by itself, with 0 (holds) or 1 (broken), and does not enter the scaled problem; rates below 10⁻¹²
//! of the largest `b` count as zero in it.

use crate::law::{bare_reaction, defect};
use crate::problem::{DenseProblem, Law};

/// Rates of bare rows below this fraction of the largest `b` are round-off.
pub(crate) const BARE_FLOOR: f64 = 1e-12;
/// `B` below which nothing drives: the rounding error of a body at rest falls by 16 digits from step to step, down to
/// numbers that have no digits left. `B²` is an energy.
pub(crate) const NOTHING: f64 = 1e-150;
/// The largest rounding of `W r` that is deducted, relative to `B`.
pub(crate) const NOISE_CAP: f64 = 1e-6;
/// Rounding errors of a row in units of ε Σ|W_ij r_j|: a product, a sum, the projection.
pub(crate) const NOISE_FACTOR: f64 = 4.0 * f64::EPSILON;

/// A scaled dense problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaled {
    pub n: usize,
    /// Ŵ, row by row.
    pub w: Vec<f64>,
    pub b: Vec<f64>,
    /// Laws with scaled bounds.
    pub laws: Vec<Law>,
    /// First row of every block, and the end.
    pub start: Vec<usize>,
    /// √d of every row.
    pub root: Vec<f64>,
    /// B; zero if nothing drives the problem.
    pub size: f64,
    /// Blocks that nothing can move.
    pub bare: Vec<bool>,
    /// Reactions of bare blocks, in the caller's units (zero elsewhere).
    pub bare_r: Vec<f64>,
    /// A bare block breaks its law.
    pub impossible: bool,
    /// Rates of bare rows below this are zero, in the caller's units.
    pub bare_floor: f64,
}

/// First rows of the blocks, and the end.
pub(crate) fn offsets(laws: &[Law], start: &mut Vec<usize>) {
    start.clear();
    start.push(0);
    let mut row = 0;
    for law in laws {
        row += law.rows();
        start.push(row);
    }
}

/// Admissible reaction nearest to zero, as a length.
pub(crate) fn forced(law: Law) -> f64 {
    match law {
        Law::Interval { lo, hi } => 0.0f64.max(lo).min(hi).abs(),
        _ => 0.0,
    }
}

/// The law with its bounds multiplied by `factor`.
pub(crate) fn scaled_law(law: Law, factor: f64) -> Law {
    match law {
        Law::Interval { lo, hi } => Law::Interval { lo: lo * factor, hi: hi * factor },
        other => other,
    }
}

impl Scaled {
    /// Scales a checked problem.
    pub fn load(&mut self, p: &DenseProblem<'_>) {
        let n = p.b.len();
        self.n = n;
        offsets(p.laws, &mut self.start);
        self.diagonal(p);
        let largest = p.b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        self.bare_floor = BARE_FLOOR * largest;
        self.bare.clear();
        self.bare_r.clear();
        self.bare_r.resize(n, 0.0);
        self.impossible = false;
        self.size = 0.0;
        for (k, &law) in p.laws.iter().enumerate() {
            let rows = self.start[k]..self.start[k + 1];
            let d = self.root[rows.clone()].iter().fold(0.0f64, |m, &x| m.max(x));
            let root = d.sqrt();
            self.bare.push(d == 0.0);
            if d == 0.0 {
                let holds = bare_reaction(
                    law,
                    &p.b[rows.clone()],
                    self.bare_floor,
                    &mut self.bare_r[rows.clone()],
                );
                self.impossible |= !holds;
                self.root[rows].fill(1.0);
                continue;
            }
            for i in rows {
                self.root[i] = root;
                self.size = self.size.max(p.b[i].abs() / root);
            }
            self.size = self.size.max(root * forced(law));
        }
        if self.size < NOTHING {
            self.size = 0.0;
        }
        self.fill(p);
    }

    /// d of every row, into `root`; zero for bare rows.
    fn diagonal(&mut self, p: &DenseProblem<'_>) {
        let n = self.n;
        self.root.clear();
        self.root.extend((0..n).map(|i| p.w[i * n + i].abs()));
        if self.root.iter().all(|&d| d > 0.0) {
            return;
        }
        let coupling = |i: usize, j: usize| p.w[i * n + j].abs().max(p.w[j * n + i].abs());
        // Twice: through rows with a diagonal, then through those just found.
        for _ in 0..2 {
            for i in 0..n {
                if self.root[i] > 0.0 {
                    continue;
                }
                let d = (0..n).filter(|&j| self.root[j] > 0.0).fold(0.0f64, |m, j| {
                    let c = coupling(i, j);
                    m.max(c * (c / self.root[j]))
                });
                self.root[i] = d;
            }
        }
        for i in 0..n {
            if self.root[i] == 0.0 {
                self.root[i] = (0..n).fold(0.0f64, |m, j| m.max(coupling(i, j)));
            }
        }
    }

    fn fill(&mut self, p: &DenseProblem<'_>) {
        let n = self.n;
        let size = if self.size > 0.0 { self.size } else { 1.0 };
        self.w.clear();
        self.w.resize(n * n, 0.0);
        self.b.clear();
        self.b.extend((0..n).map(|i| p.b[i] / self.root[i] / size));
        self.laws.clear();
        for (k, &law) in p.laws.iter().enumerate() {
            self.laws.push(scaled_law(law, self.root[self.start[k]] / size));
        }
        for i in 0..n {
            for j in 0..n {
                self.w[i * n + j] = p.w[i * n + j] / self.root[i] / self.root[j];
            }
        }
        for k in 0..self.laws.len() {
            if self.bare[k] {
                for i in self.start[k]..self.start[k + 1] {
                    self.w[i * n + i] = 1.0;
                    self.b[i] = 0.0;
                }
            }
        }
    }

    /// Whether everything is finite after scaling.
    pub fn is_finite(&self) -> bool {
        self.size.is_finite() && self.w.iter().chain(&self.b).all(|x| x.is_finite())
    }

    /// r̂ of r.
    pub fn scale_impulses(&self, r: &[f64], out: &mut Vec<f64>) {
        let size = if self.size > 0.0 { self.size } else { 1.0 };
        out.clear();
        out.extend(r.iter().zip(&self.root).map(|(r, root)| r * root / size));
    }

    /// r of r̂; bare blocks get the reaction of their law.
    pub fn push(&self, hat: &[f64], r: &mut [f64]) {
        for i in 0..self.n {
            r[i] = hat[i] / self.root[i] * self.size;
        }
        for k in 0..self.laws.len() {
            if self.bare[k] {
                let rows = self.start[k]..self.start[k + 1];
                r[rows.clone()].copy_from_slice(&self.bare_r[rows]);
            }
        }
    }

    /// `u[rows] = Ŵ r + b̂` of one block.
    pub fn rate(&self, rows: std::ops::Range<usize>, r: &[f64], u: &mut [f64]) {
        for (slot, i) in rows.enumerate() {
            let row = &self.w[i * self.n..(i + 1) * self.n];
            u[slot] = self.b[i] + row.iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
        }
    }

    /// The natural residual of a scaled point; fills `u`. Infinite for what is not finite.
    pub fn residual(&self, r: &[f64], u: &mut Vec<f64>) -> f64 {
        u.clear();
        u.resize(self.n, 0.0);
        let mut noise = 0.0f64;
        for i in 0..self.n {
            let row = &self.w[i * self.n..(i + 1) * self.n];
            let (mut sum, mut sizes) = (self.b[i], 0.0);
            for (w, r) in row.iter().zip(r) {
                sum += w * r;
                sizes += (w * r).abs();
            }
            u[i] = sum;
            noise = noise.max(sizes);
        }
        let mut worst = 0.0f64;
        for (k, &law) in self.laws.iter().enumerate() {
            if self.bare[k] {
                continue;
            }
            let rows = self.start[k]..self.start[k + 1];
            let e = defect(law, &r[rows.clone()], &u[rows]);
            if !(e <= worst) {
                worst = e;
            }
        }
        if !worst.is_finite() {
            return f64::INFINITY;
        }
        (worst - (NOISE_FACTOR * noise).min(NOISE_CAP)).max(0.0)
    }
}
