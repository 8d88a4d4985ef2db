//! Primal–dual interior point method with Nesterov–Todd scaling and Mehrotra's corrector.
//!
//! With the shift `s = μ|u_T|` of de Saxcé the laws are complementarities between dual cones,
//!
//! ```text
//! v = W r + b + s(v_T) ∈ K* ,   r ∈ K ,   r ∘ v = 0
//! ```
//!
//! Every step solves, twice with the same factor,
//!
//! ```text
//! (W + C⁻¹Θ) dr = C⁻¹ g − (W r + b + s − v) ,   C = ∂(u + s)/∂u
//! ```
//!
//! where `Θ` (one small block per law) is the square of the scaling that maps `r` and `v` to the same point; it goes to
//! zero where a contact is closed and to infinity where it is open. The derivative `C` of the shift makes the matrix
//! nonsymmetric. Without it the steps are those of a convex problem with a lagged shift; on heaps that converges only
//! by 0.9 per step.
//!
//! No rank of `W` is needed, and redundant contacts do not slow it down: some dozens of steps whatever the problem. It
//! cannot use a warm start. It is the solver for large heaps, where sweeps crawl, and the last resort elsewhere.
//!
//! Cones are made self-dual by `r' = (μ r_N, r_T)`, `v' = (v_N/μ, v_T)`. An equality has `v = 0` and a small
//! constant `Θ`, which repeated steps make harmless.
//!
//! Nesterov & Todd, SIAM J. Optim. 8 (1998); Mehrotra, SIAM J. Optim. 2 (1992); for friction: Acary, Armand, Nguyen &
//! Shpakovych, Optim. Eng. (2023).

use crate::interior_pair::Pair;
use crate::law::tangent_norm;
use crate::outcome::{Best, Outcome};
use crate::problem::Law;

/// Θ of equality rows, whose diagonal of `W` is one.
const PROXIMAL: f64 = 1e-9;
/// Θ of rows whose reaction is fixed.
pub(crate) const FIXED: f64 = 1e18;
/// A step with the derivative of the shift that is shorter than this goes the wrong way.
const SHORT: f64 = 0.1;
/// Number of steps with a lagged shift that follow; as many more each time.
const LAG: usize = 3;
/// Largest number of these.
const MAX_LAG: usize = 20;
/// Regularisation of Θ, and the largest value to which it is raised.
const SOFT: f64 = 1e-9;
/// Largest value of `SOFT`.
const MAX_SOFT: f64 = 1e-4;
/// Complementarity waits while `W r + b + s − v` is larger than this multiple of it.
const INFEASIBLE: f64 = 3.0;
/// Smallest complementarity of a pair relative to the mean.
const CENTRAL: f64 = 1e-2;
/// Fraction of the distance to the boundary.
const STEP: f64 = 0.99;

/// A block of Θ.
pub(crate) type Small = [[f64; 3]; 3];

/// What the method needs to know about `W`.
pub(crate) trait Delassus {
    /// `out = W r`.
    fn product(&mut self, r: &[f64], out: &mut [f64]);
    /// Factors `W + Θ`, given `Θ` and its inverse; false if that fails.
    fn factor(&mut self, theta: &[Small], inverse: &[Small]) -> bool;
    /// Solves with the last factor, in place, with refinement; false if the result is not a solution.
    fn solve(&mut self, theta: &[Small], inverse: &[Small], x: &mut [f64]) -> bool;
    /// Natural residual of a point.
    fn residual(&mut self, r: &[f64]) -> f64;
    /// Sweeps of Gauss–Seidel.
    fn sweeps(&mut self, count: usize, r: &mut [f64]);
}

/// Sweeps after the last step: they put nearly open contacts exactly on zero.
const POLISH: usize = 20;

/// Limits of a run.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Residual that is good enough.
    pub tolerance: f64,
    pub steps: usize,
    /// Number of steps without a better residual before giving up.
    pub patience: usize,
}

/// Laws, where their rows start, and `b`.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub laws: &'a [Law],
    pub start: &'a [usize],
    pub b: &'a [f64],
}

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interior {
    pairs: Vec<Pair>,
    point: Vec<f64>,
    theta: Vec<Small>,
    inverse: Vec<Small>,
    /// Number of steps for which the shift still lags.
    lag: usize,
    /// Its last initial value.
    patience: usize,
    /// Proximal regularisation, raised where linear solves fail.
    soft: f64,
    pub r: Vec<f64>,
    /// W r.
    wr: Vec<f64>,
    v: Vec<f64>,
    rd: Vec<f64>,
    g: Vec<f64>,
    dr: Vec<f64>,
    free: Vec<bool>,
}

impl Interior {
    /// Steps until the residual is met; if that fails, the best point is polished by sweeps.
    pub fn run(
        &mut self,
        p: Layout<'_>,
        d: &mut impl Delassus,
        best: &mut Best,
        limits: Limits,
    ) -> Outcome {
        self.start(p, d);
        let (mut last_gain, mut least, mut count) = (0, f64::INFINITY, 0);
        while count < limits.steps {
            count += 1;
            let moved = self.step(p, d);
            let residual = d.residual(&self.r);
            best.offer(&self.r, residual);
            if residual < 0.9 * least {
                (least, last_gain) = (residual, count);
            }
            if residual <= limits.tolerance {
                return Outcome::stopped(count);
            }
            if !moved || count > last_gain + limits.patience {
                break;
            }
        }
        self.point.clear();
        self.point.extend_from_slice(&best.r);
        d.sweeps(POLISH, &mut self.point);
        let residual = d.residual(&self.point);
        best.offer(&self.point, residual);
        Outcome::stopped(count)
    }

    /// A point inside the cones.
    fn start(&mut self, p: Layout<'_>, d: &mut impl Delassus) {
        let n = p.b.len();
        self.pairs.clear();
        for v in [&mut self.r, &mut self.wr, &mut self.v, &mut self.rd, &mut self.g, &mut self.dr] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.theta.clear();
        self.theta.resize(p.laws.len(), [[0.0; 3]; 3]);
        self.inverse.clear();
        self.inverse.resize(p.laws.len(), [[0.0; 3]; 3]);
        self.free.clear();
        (self.lag, self.patience, self.soft) = (0, 0, SOFT);
        for (k, &law) in p.laws.iter().enumerate() {
            let row = p.start[k];
            let half = |sign: f64, x: f64| Pair {
                row,
                block: k,
                rows: 1,
                sign,
                x: [x, 0.0, 0.0],
                y: [1.0, 0.0, 0.0],
                ..Pair::default()
            };
            let mut free = false;
            match law {
                Law::Equality => free = true,
                Law::Unilateral | Law::Coulomb { mu: 0.0, .. } => {
                    self.r[row] = 1.0;
                    self.pairs.push(half(1.0, 1.0));
                }
                Law::Interval { lo, hi } => {
                    let width = hi - lo;
                    self.r[row] = if width.is_finite() {
                        0.5 * (lo + hi)
                    } else if lo.is_finite() {
                        lo + 1.0
                    } else if hi.is_finite() {
                        hi - 1.0
                    } else {
                        free = true;
                        0.0
                    };
                    if lo.is_finite() && width > 0.0 {
                        self.pairs.push(half(1.0, self.r[row] - lo));
                    }
                    if hi.is_finite() && width > 0.0 {
                        self.pairs.push(half(-1.0, hi - self.r[row]));
                    }
                }
                Law::Coulomb { mu, tangential } => {
                    self.r[row] = 1.0;
                    self.pairs.push(Pair {
                        cone: true,
                        rows: 1 + tangential,
                        mu,
                        x: [mu, 0.0, 0.0],
                        y: [1.0 / mu.min(1.0), 0.0, 0.0],
                        ..half(1.0, 0.0)
                    });
                }
            }
            self.free.push(free);
        }
        d.product(&self.r, &mut self.wr);
    }

    /// v of the pairs, in the units of the rows.
    fn collect(&mut self, p: Layout<'_>) {
        self.v.fill(0.0);
        for pair in &self.pairs {
            if pair.cone {
                self.v[pair.row] = pair.mu * pair.y[0];
                self.v[pair.row + 1..pair.row + pair.rows].copy_from_slice(&pair.y[1..pair.rows]);
            } else {
                self.v[pair.row] += pair.sign * pair.y[0];
            }
        }
        for (k, &law) in p.laws.iter().enumerate() {
            let rows = p.start[k]..p.start[k + 1];
            for i in rows.clone() {
                self.rd[i] = self.wr[i] + p.b[i] - self.v[i];
            }
            // A fixed reaction may have any rate.
            match law {
                Law::Interval { lo, hi } if lo == hi => self.rd[rows.start] = 0.0,
                Law::Coulomb { mu: 0.0, .. } => self.rd[rows.start + 1..rows.end].fill(0.0),
                _ => {}
            }
            if let Law::Coulomb { mu, .. } = law {
                let slip = tangent_norm(&self.v[rows.clone()]);
                self.rd[rows.start] += mu * slip;
            }
        }
    }

    /// Θ, its inverse and g of all blocks.
    fn blocks(&mut self, p: Layout<'_>) {
        self.g.fill(0.0);
        self.theta.fill([[0.0; 3]; 3]);
        self.inverse.fill([[0.0; 3]; 3]);
        for pair in &self.pairs {
            pair.add(
                self.soft,
                &mut self.theta[pair.block],
                &mut self.inverse[pair.block],
                &mut self.g,
            );
        }
        for (k, &law) in p.laws.iter().enumerate() {
            let (theta, inverse) = (&mut self.theta[k], &mut self.inverse[k]);
            let (first, m) = (p.start[k], p.start[k + 1] - p.start[k]);
            match law {
                Law::Coulomb { mu, .. } if mu > 0.0 && self.lag > 0 => {}
                Law::Coulomb { mu, .. } if mu > 0.0 => {
                    // C⁻¹ Θ, Θ⁻¹ C and C⁻¹ g with C = ∂(u + s)/∂u.
                    let slip = tangent_norm(&self.v[first..first + m]);
                    for i in 1..m {
                        let c = if slip > 0.0 { mu * self.v[first + i] / slip } else { 0.0 };
                        self.g[first] -= c * self.g[first + i];
                        for j in 0..m {
                            theta[0][j] -= c * theta[i][j];
                            inverse[j][i] += c * inverse[j][0];
                        }
                    }
                }
                _ => {
                    let fixed = matches!(law, Law::Interval { lo, hi } if lo == hi);
                    if self.free[k] {
                        theta[0][0] = PROXIMAL;
                    } else if fixed {
                        theta[0][0] = FIXED;
                    }
                    inverse[0][0] = 1.0 / theta[0][0];
                    // Tangential rows without friction are fixed too.
                    (1..m).for_each(|i| theta[i][i] = FIXED);
                    (1..m).for_each(|i| inverse[i][i] = 1.0 / FIXED);
                }
            }
        }
    }

    /// Direction for the present right-hand sides.
    fn direction(&mut self, d: &mut impl Delassus) -> bool {
        for i in 0..self.g.len() {
            self.dr[i] = self.g[i] - self.rd[i];
        }
        let fine = d.solve(&self.theta, &self.inverse, &mut self.dr);
        for pair in &mut self.pairs {
            pair.primal_step(&self.dr);
        }
        fine
    }

    fn room(&self) -> f64 {
        self.pairs.iter().fold(f64::INFINITY, |m, p| m.min(p.room()))
    }

    /// Raises the regularisation; false (and reset) at the largest value.
    fn soften(&mut self) -> bool {
        let more = self.soft < MAX_SOFT;
        self.soft = if more { 10.0 * self.soft } else { SOFT };
        more
    }

    /// Lets the shift lag for some steps, more each time; false if it already does.
    fn give_way(&mut self) -> bool {
        if self.lag > 0 {
            return false;
        }
        self.patience = (self.patience + LAG).min(MAX_LAG);
        self.lag = self.patience;
        true
    }

    /// One step; false if nothing more can be done.
    fn step(&mut self, p: Layout<'_>, d: &mut impl Delassus) -> bool {
        self.collect(p);
        let mut degree = 0.0;
        let mut gap = 0.0;
        for pair in &mut self.pairs {
            if !pair.scale() {
                return false;
            }
            pair.right_side(0.0, false);
            degree += 1.0;
            gap += pair.inner(0.0);
        }
        loop {
            self.blocks(p);
            if d.factor(&self.theta, &self.inverse) && self.direction(d) {
                break;
            }
            if !self.soften() {
                return self.give_way();
            }
        }
        if degree > 0.0 {
            let affine = self.room().min(1.0);
            let after: f64 = self.pairs.iter().map(|p| p.inner(affine)).sum();
            let mut sigma = (after / gap).clamp(0.0, 1.0).powi(3);
            let infeasible = self.rd.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            if infeasible > INFEASIBLE * gap / degree {
                sigma = 1.0;
            }
            for pair in &mut self.pairs {
                pair.right_side(sigma * gap / degree, true);
            }
            self.blocks(p);
            if !self.direction(d) {
                return self.soften() || self.give_way();
            }
        }
        let mut length = (STEP * self.room()).min(1.0);
        for _ in 0..20 {
            let new: f64 = self.pairs.iter().map(|p| p.inner(length)).sum::<f64>() / degree;
            if self.pairs.iter().all(|p| p.least(length) >= CENTRAL * new) {
                break;
            }
            length *= 0.8;
        }
        if !(length > 1e-9) || !self.dr.iter().all(|x| x.is_finite()) {
            return self.give_way();
        }
        if self.lag > 0 {
            self.lag -= 1;
        } else if length < SHORT {
            self.give_way();
        }
        for i in 0..self.r.len() {
            self.r[i] += length * self.dr[i];
        }
        for pair in &mut self.pairs {
            for i in 0..3 {
                pair.x[i] += length * pair.dx[i];
                pair.y[i] += length * pair.dy[i];
            }
        }
        d.product(&self.r, &mut self.wr);
        true
    }
}
