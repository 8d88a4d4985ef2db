//! The sparse systems of the two Krylov spaces: [[S, −Gᵀ], [G, 0]] with a shifted S.

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

/// (K + κ M)⁻¹ on what the rows of both levels allow.
pub(super) struct Undamped {
    kkt: TangentKkt,
    zero: Vec<f64>,
    lambda: Vec<f64>,
}

impl Undamped {
    /// Factors with a shift κ.
    pub fn new(l: &Linearised, kappa: f64) -> Result<Undamped, LinearError> {
        let n = l.nv();
        let mut entries: Vec<_> = l.stiffness.entries().collect();
        entries.extend(l.mass.entries().map(|(i, j, x)| (i, j, kappa * x)));
        let s = with_diagonal(entries, n)?;
        let g = stacked(&l.rows, &l.rolling)?;
        let m = g.pattern.nrows;
        let mut kkt = TangentKkt::new(s.pattern, g.pattern, Backend::Sparse)?;
        kkt.factor(&s.values, &g.values, &g.values)?;
        Ok(Undamped { kkt, zero: vec![0.0; m], lambda: vec![0.0; m] })
    }

    /// x with (K + κ M) x − Gᵀλ = f, G x = 0.
    pub fn solve(&mut self, f: &[f64], x: &mut [f64]) -> Result<(), LinearError> {
        Ok(self.kkt.solve(f, &self.zero, x, &mut self.lambda)?)
    }
}

/// (A − σE)⁻¹ E of the first-order equations in (δ, w, ζ).
pub(super) struct Shifted<'a> {
    l: &'a Linearised,
    kkt: TangentKkt,
    shift: f64,
    /// C + M B + σ M.
    speed: Sparse,
    /// F_z (σ − Z_z)⁻¹ and (σ − Z_z)⁻¹.
    force_by_z: Sparse,
    inverse: Mat<f64>,
    rates: [Sparse; 3],
    n_pos: usize,
    lambda: Vec<f64>,
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
        let m = rows.pattern.nrows;
        let mut kkt = TangentKkt::new(s.pattern, rows.pattern, Backend::Sparse)?;
        kkt.factor(&s.values, &rows.values, &cols)?;
        let n_pos = l.rows.pattern.nrows;
        Ok(Shifted {
            l,
            kkt,
            shift,
            speed,
            force_by_z: force,
            inverse,
            rates,
            n_pos,
            lambda: vec![0.0; m],
        })
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
        let mut b = vec![0.0; self.lambda.len()];
        let slip = self.l.rolling.mul(d0);
        for (b, s) in b[self.n_pos..].iter_mut().zip(&slip) {
            *b = -s / self.shift;
        }
        let (delta, rest) = out.split_at_mut(n);
        self.kkt.solve(&f, &b, delta, &mut self.lambda)?;
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
