//! Random problems and a judge that is independent of the library.
#![allow(dead_code)]

use delassus_cone::{DenseProblem, Law, Report, Settings, Solver, Workspace, solve};

/// A small generator with a fixed sequence.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1)
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// In [−1, 1).
    pub fn unit(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub fn vec(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.unit()).collect()
    }
}

#[derive(Clone, Debug)]
pub struct Owned {
    pub w: Vec<f64>,
    pub b: Vec<f64>,
    pub laws: Vec<Law>,
}

impl Owned {
    pub fn view(&self) -> DenseProblem<'_> {
        DenseProblem { w: &self.w, b: &self.b, laws: &self.laws }
    }
    pub fn n(&self) -> usize {
        self.b.len()
    }
    pub fn rate(&self, r: &[f64]) -> Vec<f64> {
        let n = self.n();
        (0..n).map(|i| self.b[i] + (0..n).map(|j| self.w[i * n + j] * r[j]).sum::<f64>()).collect()
    }
    /// From zero with a fresh workspace.
    pub fn solve(
        &self,
        solver: Solver,
        tolerance: f64,
        max_iterations: usize,
    ) -> (Vec<f64>, Report) {
        let mut r = vec![0.0; self.n()];
        let s = Settings { tolerance, max_iterations, solver };
        let report = solve(&self.view(), &mut r, &s, &mut Workspace::new());
        (r, report)
    }
    pub fn auto(&self) -> (Vec<f64>, Report) {
        self.solve(Solver::Auto, 1e-10, 2000)
    }
}

/// Worst violation of the laws, written out case by case from the definitions (absolute).
pub fn violation(laws: &[Law], r: &[f64], u: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    let mut i = 0;
    for law in laws {
        let mut note = |x: f64| worst = if x.is_nan() { f64::INFINITY } else { worst.max(x) };
        match *law {
            Law::Equality => note(u[i].abs()),
            Law::Unilateral => {
                note(-u[i]);
                note(-r[i]);
                note(u[i].abs().min(r[i].abs()));
            }
            Law::Interval { lo, hi } => {
                note(lo - r[i]);
                note(r[i] - hi);
                // u > 0 only at lo, u < 0 only at hi.
                note(u[i].max(0.0).min(r[i] - lo));
                note((-u[i]).max(0.0).min(hi - r[i]));
            }
            Law::Coulomb { mu, tangential } => {
                note(-u[i]);
                note(-r[i]);
                note(u[i].abs().min(r[i].abs()));
                let rt: f64 =
                    r[i + 1..i + 1 + tangential].iter().map(|x| x * x).sum::<f64>().sqrt();
                let ut: f64 =
                    u[i + 1..i + 1 + tangential].iter().map(|x| x * x).sum::<f64>().sqrt();
                note(rt - mu * r[i]);
                // Where it slips: r_T |u_T| + μ r_N u_T = 0.
                for k in i + 1..i + 1 + tangential {
                    note((r[k] * ut + mu * r[i] * u[k]).abs() / (1.0 + ut));
                }
            }
        }
        i += law.rows();
    }
    worst
}

/// W = J Jᵀ with `inner` columns (singular if fewer than rows).
pub fn gram(rng: &mut Rng, n: usize, inner: usize) -> Vec<f64> {
    let j: Vec<f64> = rng.vec(n * inner);
    let mut w = vec![0.0; n * n];
    for a in 0..n {
        for b in 0..n {
            w[a * n + b] = (0..inner).map(|k| j[a * inner + k] * j[b * inner + k]).sum();
        }
    }
    w
}

/// Solvable by construction: b = W x + c, where c ≥ 0 makes r = −x + … feasible for the unilateral rows.
pub fn random(rng: &mut Rng, kinds: &[Law], blocks: usize, deficit: usize) -> Owned {
    let laws: Vec<Law> = (0..blocks).map(|_| kinds[rng.below(kinds.len())]).collect();
    let n: usize = laws.iter().map(Law::rows).sum();
    let inner = n.saturating_sub(deficit).max(1);
    let w = gram(rng, n, inner);
    // b in the range of W (as for contacts of moving bodies), so that equalities are consistent
    // and reactions can always stop a motion.
    let x = rng.vec(n);
    let b = (0..n).map(|i| (0..n).map(|j| w[i * n + j] * x[j]).sum()).collect();
    Owned { w, b, laws }
}

pub const PLANAR: [Law; 4] = [
    Law::Equality,
    Law::Unilateral,
    Law::Interval { lo: -0.4, hi: 0.3 },
    Law::Coulomb { mu: 0.4, tangential: 1 },
];
pub const SPATIAL: [Law; 4] = [
    Law::Unilateral,
    Law::Equality,
    Law::Coulomb { mu: 0.6, tangential: 2 },
    Law::Coulomb { mu: 0.2, tangential: 2 },
];

pub fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}
