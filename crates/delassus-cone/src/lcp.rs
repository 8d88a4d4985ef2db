//! The scaled problem as a mixed linear complementarity problem
//!
//! ```text
//! w = M z + q ,   0 ≤ w ⟂ z ≥ 0   (equality rows: w = 0, z free)
//! ```
//!
//! Every law but friction in two directions fits:
//!
//! | law | z | w |
//! |---|---|---|
//! | unilateral | r | u |
//! | interval | r − lo, u⁻ | u⁺ = u + u⁻, hi − r |
//! | friction, one direction | r_N, r_T⁺ = μ r_N + r_T, u_T⁻ | u_N, u_T⁺ = u_T + u_T⁻, r_T⁻ = μ r_N − r_T |
//!
//! The last line is the form with three unknowns per contact (Pfeiffer & Glocker, Multibody Dynamics with
//! Unilateral Contacts, 1996): exact, no facets to choose.

use crate::problem::Law;
use crate::scaling::Scaled;

/// Origin of a row of the LCP.
#[derive(Clone, Copy, Debug)]
enum Row {
    /// ±u_i (plus what is in `extra`).
    Rate { i: usize, sign: f64 },
    /// Only `extra` and `constant`.
    Bound { constant: f64 },
}

/// The mixed LCP of a scaled problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lcp {
    pub n: usize,
    /// M, row by row.
    pub m: Vec<f64>,
    pub q: Vec<f64>,
    /// Rows with w = 0 and z free.
    pub free: Vec<bool>,
    rows: Vec<Row>,
    /// Entries of M that do not come from W: (row, column, value).
    extra: Vec<(usize, usize, f64)>,
    /// r_i = shift_i + Σ factor z_var, up to two terms.
    shift: Vec<f64>,
    terms: Vec<[(usize, f64); 2]>,
}

impl Lcp {
    /// Number of LCP variables of a law, or `None` if it does not fit.
    fn width(law: Law) -> Option<usize> {
        match law {
            Law::Equality | Law::Unilateral => Some(1),
            Law::Interval { lo, hi } => Some(if lo.is_finite() && hi.is_finite() { 2 } else { 1 }),
            Law::Coulomb { mu: 0.0, .. } => Some(1),
            Law::Coulomb { tangential: 1, .. } => Some(3),
            Law::Coulomb { .. } => None,
        }
    }

    /// Size of the LCP of these laws, or `None` if one does not fit.
    pub fn size(laws: &[Law]) -> Option<usize> {
        laws.iter().map(|&l| Lcp::width(l)).sum()
    }

    /// Builds the LCP; false if a law does not fit.
    pub fn load(&mut self, s: &Scaled) -> bool {
        let Some(n) = Lcp::size(&s.laws) else { return false };
        self.n = n;
        self.rows.clear();
        self.free.clear();
        self.extra.clear();
        self.shift.clear();
        self.shift.resize(s.n, 0.0);
        self.terms.clear();
        self.terms.resize(s.n, [(0, 0.0); 2]);
        for (k, &law) in s.laws.iter().enumerate() {
            self.block(law, s.start[k]);
        }
        self.matrix(s);
        true
    }

    fn push(&mut self, row: Row, free: bool) -> usize {
        self.rows.push(row);
        self.free.push(free);
        self.rows.len() - 1
    }

    fn block(&mut self, law: Law, i: usize) {
        let rate = |i, sign| Row::Rate { i, sign };
        match law {
            Law::Equality => {
                let z = self.push(rate(i, 1.0), true);
                self.terms[i][0] = (z, 1.0);
            }
            Law::Unilateral | Law::Coulomb { mu: 0.0, .. } => {
                let z = self.push(rate(i, 1.0), false);
                self.terms[i][0] = (z, 1.0);
            }
            Law::Interval { lo, hi } => {
                if lo.is_finite() {
                    let z = self.push(rate(i, 1.0), false);
                    self.shift[i] = lo;
                    self.terms[i][0] = (z, 1.0);
                    if hi.is_finite() {
                        let v = self.push(Row::Bound { constant: hi - lo }, false);
                        self.extra.push((z, v, 1.0));
                        self.extra.push((v, z, -1.0));
                    }
                } else if hi.is_finite() {
                    let z = self.push(rate(i, -1.0), false);
                    self.shift[i] = hi;
                    self.terms[i][0] = (z, -1.0);
                } else {
                    let z = self.push(rate(i, 1.0), true);
                    self.terms[i][0] = (z, 1.0);
                }
            }
            Law::Coulomb { mu, .. } => {
                let n = self.push(rate(i, 1.0), false);
                let t = self.push(rate(i + 1, 1.0), false);
                let v = self.push(Row::Bound { constant: 0.0 }, false);
                self.terms[i][0] = (n, 1.0);
                self.terms[i + 1] = [(t, 1.0), (n, -mu)];
                self.extra.push((t, v, 1.0));
                self.extra.push((v, n, 2.0 * mu));
                self.extra.push((v, t, -1.0));
            }
        }
    }

    fn matrix(&mut self, s: &Scaled) {
        let n = self.n;
        self.m.clear();
        self.m.resize(n * n, 0.0);
        self.q.clear();
        self.q.resize(n, 0.0);
        for (a, row) in self.rows.iter().enumerate() {
            match *row {
                Row::Bound { constant } => self.q[a] = constant,
                Row::Rate { i, sign } => {
                    let mut q = s.b[i];
                    let target = &mut self.m[a * n..(a + 1) * n];
                    for j in 0..s.n {
                        let w = s.w[i * s.n + j];
                        q += w * self.shift[j];
                        for &(var, factor) in &self.terms[j] {
                            if factor != 0.0 {
                                target[var] += sign * w * factor;
                            }
                        }
                    }
                    self.q[a] = sign * q;
                }
            }
        }
        for &(a, b, v) in &self.extra {
            self.m[a * n + b] += v;
        }
    }

    /// The scaled reactions of z.
    pub fn reactions(&self, z: &[f64], r: &mut Vec<f64>) {
        r.clear();
        r.extend(self.shift.iter().zip(&self.terms).map(|(shift, terms)| {
            shift
                + terms.iter().map(|&(var, f)| if f == 0.0 { 0.0 } else { f * z[var] }).sum::<f64>()
        }));
    }
}
