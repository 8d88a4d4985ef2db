//! The sparse systems of shifted inverses: [[S, −Gᵀ], [G, 0]] with a shifted S.

use super::linearise::{LinearError, Linearised};
use super::matrices::Sparse;
use delassus_linalg::{Backend, Csr, KktError, TangentKkt};
use faer::Mat;
use faer::linalg::solvers::Solve;

/// Rows of both levels, one below the other, on the pattern of `shape`.
fn stacked(above: &Sparse, below: &Sparse) -> Result<Sparse, KktError> {
    let m = above.pattern.nrows;
    let mut entries: Vec<(usize, usize, f64)> = above.entries().collect();
    entries.extend(below.entries().map(|(i, j, x)| (m + i, j, x)));
    Sparse::from_entries(m + below.pattern.nrows, above.pattern.ncols, &entries)
}

/// Values of a matrix on a pattern that holds it.
fn on_pattern(m: &Sparse, pattern: &Csr) -> Vec<f64> {
    let mut out = vec![0.0; pattern.nnz()];
    for (i, j, x) in m.entries() {
        if let Some(slot) = pattern.slot(i, j) {
            out[slot] += x;
        }
    }
    out
}

fn with_diagonal(mut entries: Vec<(usize, usize, f64)>, n: usize) -> Result<Sparse, KktError> {
    entries.extend((0..n).map(|i| (i, i, 0.0)));
    Sparse::from_entries(n, n, &entries)
}

/// Corrections of each solution by its own residual: the units of springs, masses and joints differ by many powers of ten.
const CORRECTIONS: usize = 2;

/// A factored system S x − G_cᵀ λ = f, G x = b.
struct Solver {
    kkt: TangentKkt,
    s: Sparse,
    g: Sparse,
    /// Values of G_c.
    cols: Vec<f64>,
    lambda: [Vec<f64>; 2],
}

impl Solver {
    fn new(s: Sparse, g: Sparse, cols: Vec<f64>) -> Result<Solver, KktError> {
        let mut kkt = TangentKkt::new(s.pattern.clone(), g.pattern.clone(), Backend::Sparse)?;
        kkt.factor(&s.values, &g.values, &cols)?;
        let lambda = [vec![0.0; g.pattern.nrows], vec![0.0; g.pattern.nrows]];
        Ok(Solver { kkt, s, g, cols, lambda })
    }

    fn solve(&mut self, f: &[f64], b: &[f64], x: &mut [f64]) -> Result<(), KktError> {
        let [lambda, change] = &mut self.lambda;
        self.kkt.solve(f, b, x, lambda)?;
        let mut dx = vec![0.0; x.len()];
        for _ in 0..CORRECTIONS {
            let (mut f, mut b) = (f.to_vec(), b.to_vec());
            self.s.mul_add(-1.0, x, &mut f);
            self.g.mul_add(-1.0, x, &mut b);
            let p = &self.g.pattern;
            for (i, lambda) in lambda.iter().enumerate() {
                for slot in p.row_ptr[i]..p.row_ptr[i + 1] {
                    f[p.col[slot]] += self.cols[slot] * lambda;
                }
            }
            self.kkt.solve(&f, &b, &mut dx, change)?;
            x.iter_mut().zip(&dx).for_each(|(x, d)| *x += d);
            lambda.iter_mut().zip(change.iter()).for_each(|(x, d)| *x += d);
        }
        Ok(())
    }
}

/// (K + κ M)⁻¹ on what the rows of both levels allow.
pub(super) struct Undamped {
    solver: Solver,
    zero: Vec<f64>,
}

impl Undamped {
    /// Factors with a stiffness and a shift κ.
    pub fn new(l: &Linearised, stiffness: &Sparse, kappa: f64) -> Result<Undamped, LinearError> {
        let n = l.nv();
        let mut entries: Vec<_> = stiffness.entries().collect();
        entries.extend(l.mass.entries().map(|(i, j, x)| (i, j, kappa * x)));
        let s = with_diagonal(entries, n)?;
        let g = stacked(&l.rows, &l.rolling)?;
        let zero = vec![0.0; g.pattern.nrows];
        let cols = g.values.clone();
        Ok(Undamped { solver: Solver::new(s, g, cols)?, zero })
    }

    /// x with (K + κ M) x − Gᵀλ = f, G x = 0.
    pub fn solve(&mut self, f: &[f64], x: &mut [f64]) -> Result<(), LinearError> {
        Ok(self.solver.solve(f, &self.zero, x)?)
    }
}

/// (A − σE)⁻¹ E of the first-order equations in (δ, w, ζ).
pub(super) struct Shifted<'a> {
    l: &'a Linearised,
    solver: Solver,
    shift: f64,
    /// C + M B + σ M.
    speed: Sparse,
    /// F_z (σ − Z_z)⁻¹ and (σ − Z_z)⁻¹.
    force_by_z: Sparse,
    inverse: Mat<f64>,
    rates: [Sparse; 3],
    n_pos: usize,
    n_rows: usize,
}

impl<'a> Shifted<'a> {
    /// Factors with a shift σ > 0.
    pub fn new(l: &'a Linearised, shift: f64) -> Result<Shifted<'a>, LinearError> {
        let (n, nz) = (l.nv(), l.live.len());
        let mut speed: Vec<_> = l.damping.entries().collect();
        speed.extend(l.mass.times(&l.axes.b)?.entries());
        speed.extend(l.mass.entries().map(|(i, j, x)| (i, j, shift * x)));
        let speed = Sparse::from_entries(n, n, &speed)?;
        let mut s: Vec<_> = l.stiffness.entries().collect();
        s.extend(speed.times(&l.axes.n)?.entries());
        s.extend(speed.entries().map(|(i, j, x)| (i, j, shift * x)));
        let rates = l.rates()?;
        let force = l.force_by_z()?;
        let inverse = if nz > 0 {
            let m = rates[2].times_full(&Mat::identity(nz, nz));
            let m =
                Mat::from_fn(nz, nz, |i, j| if i == j { shift - m[(i, j)] } else { -m[(i, j)] });
            m.partial_piv_lu().solve(Mat::<f64>::identity(nz, nz))
        } else {
            Mat::zeros(0, 0)
        };
        if nz > 0 {
            let mut by: Vec<_> = rates[0].entries().collect();
            by.extend(rates[1].entries().map(|(i, j, x)| (i, j, shift * x)));
            by.extend(rates[1].times(&l.axes.n)?.entries());
            let by = Sparse::from_entries(nz, n, &by)?;
            let mut middle = Vec::new();
            for i in 0..nz {
                for j in 0..nz {
                    if inverse[(i, j)] != 0.0 {
                        middle.push((i, j, inverse[(i, j)]));
                    }
                }
            }
            let middle = Sparse::from_entries(nz, nz, &middle)?;
            let eliminated = force.times(&middle)?.times(&by)?;
            s.extend(eliminated.entries().map(|(i, j, x)| (i, j, -x)));
        }
        let s = with_diagonal(s, n)?;
        // rows of rolling: (G_r (σ + N) + D)/σ, columns: G_r
        let mut rolling: Vec<_> = l.rolling.entries().collect();
        let turned = l.rolling.times(&l.axes.n)?;
        rolling.extend(turned.entries().map(|(i, j, x)| (i, j, x / shift)));
        rolling.extend(l.drift.entries().map(|(i, j, x)| (i, j, x / shift)));
        let rolling = Sparse::from_entries(l.rolling.pattern.nrows, n, &rolling)?;
        let rows = stacked(&l.rows, &rolling)?;
        let cols = on_pattern(&stacked(&l.rows, &l.rolling)?, &rows.pattern);
        let (n_pos, n_rows) = (l.rows.pattern.nrows, rows.pattern.nrows);
        let solver = Solver::new(s, rows, cols)?;
        Ok(Shifted { l, solver, shift, speed, force_by_z: force, inverse, rates, n_pos, n_rows })
    }

    /// out = (A − σE)⁻¹ E x.
    pub fn apply(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), LinearError> {
        let (n, nz) = (self.l.nv(), self.l.live.len());
        let (d0, rest) = x.split_at(n);
        let (w0, z0) = rest.split_at(n);
        let mut f: Vec<f64> = self.l.mass.mul(w0);
        self.speed.mul_add(1.0, d0, &mut f);
        let through = |z: &[f64]| -> Vec<f64> {
            (0..nz).map(|i| (0..nz).map(|j| self.inverse[(i, j)] * z[j]).sum()).collect()
        };
        if nz > 0 {
            let mut z = self.rates[1].mul(d0);
            z.iter_mut().zip(z0).for_each(|(z, z0)| *z -= z0);
            self.force_by_z.mul_add(-1.0, &through(&z), &mut f);
        }
        f.iter_mut().for_each(|f| *f = -*f);
        let mut b = vec![0.0; self.n_rows];
        let slip = self.l.rolling.mul(d0);
        for (b, s) in b[self.n_pos..].iter_mut().zip(&slip) {
            *b = -s / self.shift;
        }
        let (delta, rest) = out.split_at_mut(n);
        self.solver.solve(&f, &b, delta)?;
        let (w, zeta) = rest.split_at_mut(n);
        w.copy_from_slice(&self.l.axes.n.mul(delta));
        for ((w, d), d0) in w.iter_mut().zip(delta.iter()).zip(d0) {
            *w += self.shift * d + d0;
        }
        if nz > 0 {
            let mut z = self.rates[0].mul(delta);
            self.rates[1].mul_add(1.0, w, &mut z);
            z.iter_mut().zip(z0).for_each(|(z, z0)| *z -= z0);
            zeta.copy_from_slice(&through(&z));
        }
        Ok(())
    }
}
