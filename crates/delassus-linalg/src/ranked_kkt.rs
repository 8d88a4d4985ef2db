//! `M a − Gᵀ λ = f`, `G a = b` for rows that are almost dependent, with the rank known.
//!
//! The Schur complement `G M⁻¹ Gᵀ` squares lengths: rows that lock a motion by a tilt of 1e-7 appear there as 1e-14,
//! among the rounding. This solver works on the rows themselves. With `A` the scaled rows, a pivoted orthogonal
//! factorisation gives `k` directions that the rows hold and a basis `Z` of those they leave free:
//!
//! ```text
//! A Π = Q [R; 0] ,  a = Y y + Z z ,  min |A Y y − b| ,  Zᵀ M Z z = Zᵀ (f − M Y y)
//! ```
//!
//! `k` is at most the rank that was decided at the start: rows that were judged dependent there take part by least
//! squares and never hold a direction of their own, however far rounding, or a length that is wrong by less than the
//! tolerance, takes them from being exactly dependent.
//!
//! Close to a singular position the rows hardly hold one more of their directions. There the motion continues as if
//! that direction were free; the closer the position, the less it is held: the small distance of the state from the
//! constraints must not decide an acceleration.
//!
//! Dense: for the few systems that need it, and for the few positions in which others do.

use crate::error::{KktError, check_len, check_room};
use crate::mass_shape::MassShape;
use crate::options::FactorInfo;
use crate::pattern::Csr;
use crate::rank_tol;
use crate::reflectors::Reflectors;
use crate::vecops::first_non_finite;

/// Pivot relative to the largest below which a direction is lost in this position: rounding.
const LOST: f64 = 1e-12;
/// Pivot relative to the largest below which a direction is only partly held, and the square of the one where this
/// takes effect.
const FADING: f64 = 1e-5;
const FADES: f64 = 1e-12;
/// Pivot of Zᵀ M Z relative to its diagonal below which a free direction has no inertia.
const NO_INERTIA: f64 = 1e-13;

/// What is known about the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedRows {
    /// Largest number of directions they hold.
    pub rank: usize,
    /// Typical size of each row's right-hand side.
    pub row_scale: Vec<f64>,
    /// Typical size of each coordinate.
    pub col_scale: Vec<f64>,
    /// Rows that yield to the others where they contradict each other.
    pub yielding: Vec<usize>,
    /// Shortest combination of rows, at the start, that counts as independent. Positions are
    /// judged against it.
    pub grip: f64,
}

/// Weight of a yielding row: its square is the effect of a contradiction on the others.
const YIELD: f64 = 1e-3;

/// Solver of the acceleration-level KKT system on the rows themselves; the same calls as
/// [`crate::MassKkt`].
#[derive(Debug, Clone)]
pub struct RankedKkt {
    shape: MassShape,
    jac: Csr,
    rank: usize,
    grip: f64,
    row_weight: Vec<f64>,
    yields: Vec<f64>,
    col_scale: Vec<f64>,
    mass: Vec<f64>,
    /// Rows as columns, pivoted.
    rows: Reflectors,
    order: Vec<usize>,
    /// Held directions: coefficients of each row, m × k.
    held: Reflectors,
    /// Directions that are certainly held; those after them fade, with these shares.
    strong: usize,
    share: Vec<f64>,
    /// Free directions, then those that fade, n × (n − strong), and M times them; the factor of
    /// Zᵀ M Z.
    z: Vec<f64>,
    mz: Vec<f64>,
    s: Vec<f64>,
    /// Left null vectors, orthonormal, by rows as given.
    null: Vec<f64>,
    xm: Vec<f64>,
    xn: Vec<f64>,
    rn: Vec<f64>,
    zn: Vec<f64>,
    mass_ready: bool,
    ready: bool,
}

impl RankedKkt {
    /// All allocation.
    pub fn new(shape: MassShape, jac: Csr, rows: RankedRows) -> Result<RankedKkt, KktError> {
        jac.validate()?;
        let (m, n) = (jac.nrows, jac.ncols);
        check_len("columns of the constraint matrix", n, shape.dim())?;
        check_len("row_scale", rows.row_scale.len(), m)?;
        check_len("col_scale", rows.col_scale.len(), n)?;
        let (rows_, columns) = (m as f64, n as f64);
        let entries = 3.0 * columns.powi(2) + rows_.powi(2) + 2.0 * rows_ * columns;
        check_room(m + n, entries, size_of::<f64>() as f64)?;
        let mut yields = vec![1.0; m];
        for &i in rows.yielding.iter().filter(|i| **i < m) {
            yields[i] = YIELD;
        }
        let k = rows.rank.min(m).min(n);
        Ok(RankedKkt {
            rank: k,
            grip: rows.grip,
            row_weight: yields.iter().zip(&rows.row_scale).map(|(y, s)| y / s).collect(),
            yields,
            col_scale: rows.col_scale,
            mass: vec![0.0; shape.value_len()],
            rows: Reflectors::new(n, m),
            order: (0..m).collect(),
            held: Reflectors::new(m, k),
            strong: 0,
            share: vec![1.0; k],
            z: vec![0.0; n * n],
            mz: vec![0.0; n * n],
            s: vec![0.0; n * n],
            null: vec![0.0; m * m],
            xm: vec![0.0; m],
            xn: vec![0.0; n],
            rn: vec![0.0; n],
            zn: vec![0.0; n],
            shape,
            jac,
            mass_ready: false,
            ready: false,
        })
    }

    /// Takes new mass blocks. Invalidates the factorisation.
    pub fn set_mass(&mut self, values: &[f64]) -> Result<(), KktError> {
        check_len("mass values", values.len(), self.mass.len())?;
        self.mass.copy_from_slice(values);
        self.mass_ready = true;
        self.ready = false;
        Ok(())
    }

    /// Factorises for new values of `G`.
    pub fn factor(&mut self, jac_values: &[f64]) -> Result<FactorInfo, KktError> {
        check_len("constraint values", jac_values.len(), self.jac.nnz())?;
        self.ready = false;
        if !self.mass_ready {
            return Err(KktError::NotReady("set_mass"));
        }
        let info = self.factor_rows(jac_values)?;
        self.factor_held();
        self.factor_free();
        self.ready = true;
        Ok(info)
    }

    /// The rows as columns, eliminated in the order of their remainders.
    fn factor_rows(&mut self, jac_values: &[f64]) -> Result<FactorInfo, KktError> {
        let m = self.jac.nrows;
        self.rows.count = 0;
        self.strong = 0;
        for i in 0..m {
            let weight = self.row_weight[i];
            let column = self.rows.column(i);
            column.fill(0.0);
            for at in self.jac.row_ptr[i]..self.jac.row_ptr[i + 1] {
                let j = self.jac.col[at];
                column[j] = jac_values[at] * weight * self.col_scale[j];
            }
            if first_non_finite(column).is_some() {
                return Err(KktError::NonFinite { row: i });
            }
            self.order[i] = i;
        }
        let mut info = FactorInfo {
            min_relative_pivot: 1.0,
            weakest_row: 0,
            regularized: false,
            free_directions: 0,
        };
        let mut largest = 0.0;
        for j in 0..self.rank {
            let mut best = (0.0, j);
            for i in j..m {
                let rest = self.rows.rest(i, j);
                if rest > best.0 {
                    best = (rest, i);
                }
            }
            let (pivot, at) = best;
            if j == 0 {
                largest = pivot;
            }
            if !(pivot > LOST * largest) {
                info.min_relative_pivot = 0.0;
                info.weakest_row = self.order[at];
                break;
            }
            self.rows.swap(j, at);
            self.order.swap(j, at);
            let row = self.order[j];
            let relative = (pivot / (self.yields[row] * largest) / self.grip).powi(2);
            if relative < info.min_relative_pivot {
                (info.min_relative_pivot, info.weakest_row) = (relative, row);
            }
            self.rows.eliminate(m);
            // as a shift of the squares would leave after six refinements
            self.share[j] = 1.0 - (FADES / (relative + FADES)).powi(7);
            if relative > FADING * FADING && self.strong == j {
                self.strong = j + 1;
            }
        }
        info.regularized = self.rows.count < m;
        info.free_directions = m - self.rows.count;
        Ok(info)
    }

    /// Coefficients of all rows in the held directions, and the left null vectors.
    fn factor_held(&mut self) {
        let (m, k) = (self.jac.nrows, self.rows.count);
        let (rows, held) = (&self.rows, &mut self.held);
        held.count = 0;
        for l in 0..k {
            let column = held.column(l);
            for (i, x) in column.iter_mut().enumerate() {
                *x = match i.cmp(&l) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => rows.diagonal[l],
                    std::cmp::Ordering::Greater => rows.upper(l, i),
                };
            }
        }
        for _ in 0..k {
            held.eliminate(k);
        }
        for c in 0..m - k {
            self.xm.fill(0.0);
            self.xm[k + c] = 1.0;
            held.apply(&mut self.xm);
            let (before, rest) = self.null.split_at_mut(c * m);
            let vector = &mut rest[..m];
            for (x, &i) in self.xm.iter().zip(&self.order) {
                vector[i] = x * self.row_weight[i];
            }
            for _ in 0..2 {
                remove_all(before, vector);
            }
            let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            for x in vector.iter_mut() {
                *x = if norm > 0.0 { *x / norm } else { 0.0 };
            }
        }
    }

    /// The directions that are not certainly held, and the Cholesky factor of their mass.
    fn factor_free(&mut self) {
        let (n, k) = (self.jac.ncols, self.rows.count);
        let free = n - self.strong;
        for c in 0..free {
            let z = &mut self.z[c * n..(c + 1) * n];
            z.fill(0.0);
            if c < n - k {
                z[k + c] = 1.0;
            } else {
                // one that fades, with the motion that keeps the others held
                let j = self.strong + c - (n - k);
                z[j] = 1.0;
                for (i, x) in z[..self.strong].iter_mut().enumerate() {
                    *x = -self.held.upper(i, j);
                }
                self.held.solve(0..self.strong, z);
            }
            self.rows.apply(z);
            for (x, (z, d)) in self.xn.iter_mut().zip(z.iter().zip(&self.col_scale)) {
                *x = z * d;
            }
            let out = &mut self.mz[c * n..(c + 1) * n];
            out.fill(0.0);
            self.shape.mul_add(&self.mass, &self.xn, out);
            for (x, d) in out.iter_mut().zip(&self.col_scale) {
                *x *= d;
            }
        }
        for i in 0..free {
            for j in 0..=i {
                let (a, b) = (&self.z[i * n..(i + 1) * n], &self.mz[j * n..(j + 1) * n]);
                self.s[i * n + j] = a.iter().zip(b).map(|(a, b)| a * b).sum();
            }
        }
        for i in 0..free {
            let own = self.s[i * n + i];
            for j in 0..=i {
                let (li, lj) = (&self.s[i * n..i * n + j], &self.s[j * n..j * n + j]);
                let sum = self.s[i * n + j] - li.iter().zip(lj).map(|(a, b)| a * b).sum::<f64>();
                self.s[i * n + j] = if i == j {
                    if sum > NO_INERTIA * own { sum.sqrt() } else { f64::INFINITY }
                } else {
                    sum / self.s[j * n + j]
                };
            }
        }
    }

    /// Solves with the current factorisation; `a` and `lambda` are overwritten. Where the rows
    /// contradict each other, `G a = b` holds in the sense of least squares.
    pub fn solve(
        &mut self,
        f: &[f64],
        b: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), KktError> {
        let (m, n, k) = (self.jac.nrows, self.jac.ncols, self.rows.count);
        self.jac.check_sides((f, b), (a, lambda))?;
        if !self.ready {
            return Err(KktError::NotReady("factor"));
        }
        for (x, &i) in self.xm.iter_mut().zip(&self.order) {
            *x = b[i] * self.row_weight[i];
        }
        let strong = self.strong;
        self.held.transposed(&mut self.xm);
        self.held.solve(strong..k, &mut self.xm);
        self.held.solve(0..strong, &mut self.xm);
        self.xn.fill(0.0);
        self.xn[..strong].copy_from_slice(&self.xm[..strong]);
        self.rows.apply(&mut self.xn);
        for (a, (x, d)) in a.iter_mut().zip(self.xn.iter().zip(&self.col_scale)) {
            *a = x * d;
        }
        self.unbalanced(f, a);
        let free = n - strong;
        for c in 0..free {
            let z = &self.z[c * n..(c + 1) * n];
            self.zn[c] = z.iter().zip(&self.rn).map(|(z, r)| z * r).sum();
        }
        for i in 0..free {
            let row = &self.s[i * n..i * n + i];
            let known: f64 = row.iter().zip(&self.zn).map(|(l, z)| l * z).sum();
            self.zn[i] = (self.zn[i] - known) / self.s[i * n + i];
        }
        for i in (0..free).rev() {
            self.zn[i] /= self.s[i * n + i];
            if i >= n - k {
                let j = strong + i - (n - k);
                self.zn[i] += self.share[j] * (self.xm[j] - self.zn[i]);
            }
            let x = self.zn[i];
            for j in 0..i {
                self.zn[j] -= self.s[i * n + j] * x;
            }
        }
        for c in 0..free {
            for (a, (z, d)) in
                a.iter_mut().zip(self.z[c * n..(c + 1) * n].iter().zip(&self.col_scale))
            {
                *a += z * d * self.zn[c];
            }
        }
        self.unbalanced(f, a);
        self.rows.transposed(&mut self.rn);
        self.xm.fill(0.0);
        for (x, r) in self.xm[..k].iter_mut().zip(&self.rn) {
            *x = -r;
        }
        self.held.solve_transposed(&mut self.xm[..k]);
        self.held.apply(&mut self.xm);
        for (x, &i) in self.xm.iter().zip(&self.order) {
            lambda[i] = x * self.row_weight[i];
        }
        remove_all(&self.null[..(m - k) * m], lambda);
        match (first_non_finite(a), first_non_finite(lambda)) {
            (Some(dof), _) => Err(KktError::NonFiniteDof { dof }),
            (_, Some(row)) => Err(KktError::NonFinite { row }),
            _ => Ok(()),
        }
    }

    /// `rn = D (f − M a)`.
    fn unbalanced(&mut self, f: &[f64], a: &[f64]) {
        self.rn.fill(0.0);
        self.shape.mul_add(&self.mass, a, &mut self.rn);
        for (r, (f, d)) in self.rn.iter_mut().zip(f.iter().zip(&self.col_scale)) {
            *r = d * (f - *r);
        }
    }
}

/// Removes the part along orthonormal vectors from another.
fn remove_all(vectors: &[f64], x: &mut [f64]) {
    for v in vectors.chunks_exact(x.len().max(1)) {
        let s: f64 = v.iter().zip(&*x).map(|(v, x)| v * x).sum();
        for (x, v) in x.iter_mut().zip(v) {
            *x -= s * v;
        }
    }
}

/// The reference for judging a position, for rows whose shortest kept combination was `smallest` at the start.
pub fn grip(smallest: f64) -> f64 {
    if smallest < rank_tol::DELICATE { smallest } else { 1.0 }
}
