//! Lemke's method for the mixed LCP, with lexicographic ratio test.
//!
//! ```text
//! w = M z + q + e z₀ ,   0 ≤ w ⟂ z ≥ 0 ,   z₀ falls from its first value to zero
//! ```
//!
//! First the equality rows are made basic by pivots inside their own block (largest pivot first). Rows without a pivot
//! are redundant: their `z` stays zero, and they contradict the others if a constant remains. Then complementary pivots
//! follow until `z₀` leaves (a solution) or nothing blocks (a ray). Ties, which are ordinary with redundant contacts,
//! are broken by the rows of the inverse basis, which excludes cycles. At the end the values are refined against the
//! original data with the inverse that the dictionary already contains.
//!
//! For `M` copositive-plus, as without friction, a ray proves that there is no solution. Cost: N² per pivot, usually
//! about N pivots. Lemke, Management Sci. 11 (1965); Cottle, Pang & Stone, The Linear Complementarity Problem (1992),
//! ch. 4.

use crate::lcp::Lcp;
use crate::outcome::Verdict;

/// Smallest pivot, in a problem of unit diagonal.
const PIVOT: f64 = 1e-11;
/// Values closer than this tie; the data are of size one.
const TIE: f64 = 1e-12;
/// Allowed remainder of a redundant equality row: the rounding of its elimination.
const CONSISTENT: f64 = 1e-9;
/// Rounds of refinement at the end.
const REFINE: usize = 2;

/// The dictionary `basic = q + A · nonbasic`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lemke {
    n: usize,
    /// n rows, n + 1 columns.
    a: Vec<f64>,
    q: Vec<f64>,
    /// Variables: w_k = k, z_k = n + k, z₀ = 2n.
    row_var: Vec<usize>,
    col_var: Vec<usize>,
    /// Row or column of a variable: `Place::Row` as i, `Place::Column` as n + j.
    place: Vec<usize>,
    /// Rows that never block: free reactions, redundant equalities.
    passive: Vec<bool>,
    /// Solution.
    pub z: Vec<f64>,
    defect: Vec<f64>,
}

/// Result of the pivots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// `z` holds a solution of the dictionary.
    Found,
    /// No solution, or none that this method can find.
    Ray,
    /// Out of pivots, or a mixed block that is singular without being redundant.
    Gave,
}

impl End {
    /// What it proves.
    pub fn verdict(self) -> Verdict {
        if self == End::Ray { Verdict::NoSolution } else { Verdict::Open }
    }
}

impl Lemke {
    /// Solves; returns the end and the number of pivots.
    pub fn run(&mut self, p: &Lcp, max_pivots: usize) -> (End, usize) {
        self.load(p);
        let (mut end, mut pivots) = self.eliminate(p);
        if end == End::Found {
            end = self.pivot_all(max_pivots, &mut pivots);
        }
        self.read(p, end == End::Found);
        (end, pivots)
    }

    fn load(&mut self, p: &Lcp) {
        let n = p.n;
        self.n = n;
        self.a.clear();
        self.a.resize(n * (n + 1), 0.0);
        for i in 0..n {
            let row = &mut self.a[i * (n + 1)..(i + 1) * (n + 1)];
            row[..n].copy_from_slice(&p.m[i * n..(i + 1) * n]);
            row[n] = if p.free[i] { 0.0 } else { 1.0 };
        }
        self.q.clear();
        self.q.extend_from_slice(&p.q);
        self.row_var.clear();
        self.row_var.extend(0..n);
        self.col_var.clear();
        self.col_var.extend(n..=2 * n);
        self.place.clear();
        self.place.extend(0..=2 * n);
        self.passive.clear();
        self.passive.extend_from_slice(&p.free);
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.a[i * (self.n + 1) + j]
    }

    /// Exchanges the basic variable of row `r` with the nonbasic one of column `c`.
    fn pivot(&mut self, r: usize, c: usize) {
        let (n, w) = (self.n, self.n + 1);
        let inv = 1.0 / self.at(r, c);
        self.q[r] *= -inv;
        for j in 0..w {
            self.a[r * w + j] *= -inv;
        }
        self.a[r * w + c] = inv;
        for i in 0..n {
            let f = self.a[i * w + c];
            if i == r || f == 0.0 {
                continue;
            }
            self.q[i] += f * self.q[r];
            let (low, high) = self.a.split_at_mut(i.max(r) * w);
            let (target, source) = if i < r {
                (&mut low[i * w..(i + 1) * w], &high[..w])
            } else {
                (&mut high[..w], &low[r * w..(r + 1) * w])
            };
            for (t, s) in target.iter_mut().zip(source) {
                *t += f * s;
            }
            target[c] = f * inv;
        }
        let (leave, enter) = (self.row_var[r], self.col_var[c]);
        self.row_var[r] = enter;
        self.col_var[c] = leave;
        self.place[enter] = r;
        self.place[leave] = n + c;
    }

    /// Makes the free variables basic.
    fn eliminate(&mut self, p: &Lcp) -> (End, usize) {
        let n = self.n;
        let mut pivots = 0;
        loop {
            let mut found = (PIVOT, 0, 0);
            for i in (0..n).filter(|&i| p.free[i] && self.row_var[i] < n) {
                for j in (0..n).filter(|&j| p.free[j] && self.col_var[j] >= n) {
                    let size = self.at(i, j).abs();
                    if size > found.0 {
                        found = (size, i, j);
                    }
                }
            }
            if found.0 == PIVOT {
                break;
            }
            self.pivot(found.1, found.2);
            pivots += 1;
        }
        let mut end = End::Found;
        for i in 0..n {
            if p.free[i] && self.row_var[i] < n {
                let alive =
                    (0..n).filter(|&j| !p.free[j]).any(|j| self.at(i, j).abs() > CONSISTENT);
                if alive {
                    return (End::Gave, pivots);
                }
                if self.q[i].abs() > CONSISTENT {
                    end = End::Ray;
                }
            }
        }
        (end, pivots)
    }

    /// Entry k of the row of the inverse basis that belongs to row i.
    fn inverse(&self, i: usize, k: usize) -> f64 {
        let place = self.place[k];
        if place < self.n {
            if place == i { 1.0 } else { 0.0 }
        } else {
            -self.at(i, place - self.n)
        }
    }

    fn pivot_all(&mut self, max_pivots: usize, pivots: &mut usize) -> End {
        let (n, z0) = (self.n, 2 * self.n);
        // First: z₀ enters, the most negative row leaves, the last of equals.
        let mut first = None;
        let mut least = -TIE;
        for i in (0..n).filter(|&i| !self.passive[i]) {
            if self.q[i] < least || (first.is_some() && self.q[i] <= least) {
                least = self.q[i];
                first = Some(i);
            }
        }
        let Some(mut row) = first else { return End::Found };
        let mut column = n;
        for _ in 0..max_pivots {
            let left = self.row_var[row];
            self.pivot(row, column);
            *pivots += 1;
            if left == z0 {
                return End::Found;
            }
            let enter = if left < n { left + n } else { left - n };
            column = self.place[enter] - n;
            match self.ratio(column) {
                Some(next) => row = next,
                // The ray is no proof if z₀ is zero within rounding.
                None => {
                    let at = self.place[z0];
                    let small = at < n && self.q[at].abs() <= 10.0 * TIE;
                    return if small { End::Found } else { End::Ray };
                }
            }
        }
        End::Gave
    }

    /// The row that blocks first when column `c` grows, lexicographically.
    fn ratio(&self, c: usize) -> Option<usize> {
        let (n, z0) = (self.n, 2 * self.n);
        let top = (0..n).fold(0.0f64, |m, i| m.max(self.at(i, c).abs()));
        let floor = PIVOT * top.max(1e-3);
        let mut best: Option<usize> = None;
        for i in (0..n).filter(|&i| !self.passive[i]) {
            let slope = -self.at(i, c);
            if slope <= floor {
                continue;
            }
            let Some(old) = best else {
                best = Some(i);
                continue;
            };
            let old_slope = -self.at(old, c);
            let step = |i: usize, slope: f64| self.q[i].max(0.0) / slope;
            let (new_step, old_step) = (step(i, slope), step(old, old_slope));
            let tie = TIE * (1.0 + old_step.abs());
            if new_step < old_step - tie {
                best = Some(i);
                continue;
            }
            if new_step > old_step + tie || self.row_var[old] == z0 {
                continue;
            }
            if self.row_var[i] == z0 {
                best = Some(i);
                continue;
            }
            for k in 0..n {
                let (x, y) = (self.inverse(i, k) / slope, self.inverse(old, k) / old_slope);
                if (x - y).abs() > TIE * (1.0 + y.abs()) {
                    if x < y {
                        best = Some(i);
                    }
                    break;
                }
            }
        }
        best
    }

    /// Values of z, refined if the basis is complementary.
    fn read(&mut self, p: &Lcp, refine: bool) {
        let n = self.n;
        for round in 0..=REFINE {
            self.z.clear();
            self.z.resize(n, 0.0);
            self.defect.clear();
            self.defect.resize(n, 0.0);
            for i in 0..n {
                let var = self.row_var[i];
                if (n..2 * n).contains(&var) {
                    let k = var - n;
                    self.z[k] = if p.free[k] { self.q[i] } else { self.q[i].max(0.0) };
                }
            }
            if !refine || round == REFINE {
                return;
            }
            // Defect of w = M z + q with the present basic values, then basic += B⁻¹ defect.
            for k in 0..n {
                let place = self.place[k];
                let w = if place < n { self.q[place] } else { 0.0 };
                let row = &p.m[k * n..(k + 1) * n];
                let mz: f64 = (0..n)
                    .map(|j| {
                        let at = self.place[n + j];
                        if at < n { row[j] * self.q[at] } else { 0.0 }
                    })
                    .sum();
                // A redundant equality keeps its value.
                self.defect[k] = if p.free[k] && place < n { 0.0 } else { mz + p.q[k] - w };
            }
            for i in 0..n {
                let step: f64 = (0..n).map(|k| self.inverse(i, k) * self.defect[k]).sum();
                self.q[i] += step;
            }
        }
    }
}
