//! Semi-smooth Newton on the function of Alart and Curnier.
//!
//! ```text
//! F_N = r_N − max(0, r_N − u_N)
//! F_T = r_T − P_disk(ϱ)(r_T − u_T) ,   ϱ = μ max(0, r_N − u_N)
//! ```
//!
//! (scaled quantities, so no parameter is left). `F` is piecewise smooth; its generalised Jacobian has the rows of `W`
//! where a row is active (closed, sticking, inside its bounds), the unit row where it is not, and a mixture for slip.
//! Steps are least squares solutions by a pivoted QR: with redundant contacts the Jacobian is naturally singular. A
//! line search on `|F|` safeguards them; if it finds nothing, some sweeps of Gauss–Seidel move the point elsewhere.
//!
//! Convergence is quadratic at the end; from a good start it takes two to five factorisations of n³. Alart & Curnier,
//! Comput. Methods Appl. Mech. Eng. 92 (1991).

use crate::gauss_seidel::sweep;
use crate::law::tangent_norm;
use crate::outcome::{Best, Outcome};
use crate::problem::Law;
use crate::qr::PivotedQr;
use crate::scaling::Scaled;

/// Rank decision of the steps.
const RANK: f64 = 1e-11;
/// Halvings of the line search.
const HALVINGS: usize = 12;
/// Number of sweeps after a line search that found nothing.
const RESCUE_SWEEPS: usize = 15;
/// Rescues before giving up.
const RESCUES: usize = 6;
/// Number of sweeps before the first step, so that it is known which contacts are open.
const FIRST_SWEEPS: usize = 5;

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    qr: PivotedQr,
    /// Jacobian, row by row.
    jac: Vec<f64>,
    f: Vec<f64>,
    rhs: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    r: Vec<f64>,
    u: Vec<f64>,
}

/// `F` of one block.
pub(crate) fn alart_curnier(law: Law, r: &[f64], u: &[f64], f: &mut [f64]) {
    match law {
        Law::Equality => f[0] = u[0],
        Law::Unilateral => f[0] = r[0] - (r[0] - u[0]).max(0.0),
        Law::Interval { lo, hi } => f[0] = r[0] - (r[0] - u[0]).max(lo).min(hi),
        Law::Coulomb { mu, .. } => {
            let push = (r[0] - u[0]).max(0.0);
            f[0] = r[0] - push;
            let mut x = [0.0; 3];
            for i in 1..r.len() {
                x[i] = r[i] - u[i];
            }
            let length = tangent_norm(&x[..r.len()]);
            let keep = if length <= mu * push { 1.0 } else { mu * push / length };
            for i in 1..r.len() {
                f[i] = r[i] - keep * x[i];
            }
        }
    }
}

/// Generalised Jacobian of one block as `∂F/∂r = A` and `∂F/∂u = C`, both row by row.
pub(crate) fn block_derivative(
    law: Law,
    r: &[f64],
    u: &[f64],
    a: &mut [[f64; 3]; 3],
    c: &mut [[f64; 3]; 3],
) {
    *a = [[0.0; 3]; 3];
    *c = [[0.0; 3]; 3];
    let active = match law {
        Law::Equality => true,
        Law::Unilateral | Law::Coulomb { .. } => r[0] - u[0] > 0.0,
        Law::Interval { lo, hi } => r[0] - u[0] >= lo && r[0] - u[0] <= hi && lo < hi,
    };
    if active {
        c[0][0] = 1.0;
    } else {
        a[0][0] = 1.0;
    }
    let Law::Coulomb { mu, .. } = law else { return };
    let m = r.len();
    let mut x = [0.0; 3];
    for i in 1..m {
        x[i] = r[i] - u[i];
    }
    let length = tangent_norm(&x[..m]);
    let radius = if active { mu * (r[0] - u[0]) } else { 0.0 };
    if active && length <= radius {
        for i in 1..m {
            c[i][i] = 1.0;
        }
        return;
    }
    let ratio = if length > 0.0 { radius / length } else { 0.0 };
    for i in 1..m {
        a[i][i] = 1.0;
        let direction = if length > 0.0 { x[i] / length } else { 0.0 };
        for j in 1..m {
            let other = if length > 0.0 { x[j] / length } else { 0.0 };
            let turn = ratio * (if i == j { 1.0 } else { 0.0 } - direction * other);
            a[i][j] -= turn;
            c[i][j] += turn;
        }
        if active {
            a[i][0] -= mu * direction;
            c[i][0] += mu * direction;
        }
    }
}

impl Newton {
    /// Steps until the residual is met.
    pub fn run(
        &mut self,
        s: &Scaled,
        best: &mut Best,
        tolerance: f64,
        max_steps: usize,
    ) -> Outcome {
        self.r.clear();
        self.r.extend_from_slice(&best.r);
        // A start that is already near keeps its active set.
        if best.residual > 1e-2 {
            for _ in 0..FIRST_SWEEPS {
                sweep(s, &mut self.r);
            }
        }
        let mut rescues = 0;
        let mut residual = s.residual(&self.r, &mut self.u);
        for count in 1..=max_steps {
            best.offer(&self.r, residual);
            if residual <= tolerance || !residual.is_finite() {
                return Outcome::stopped(count - 1);
            }
            self.linearise(s);
            let moved = self.search(s);
            residual = s.residual(&self.r, &mut self.u);
            if !moved {
                rescues += 1;
                if rescues > RESCUES {
                    return Outcome::stopped(count);
                }
                for _ in 0..RESCUE_SWEEPS * rescues {
                    sweep(s, &mut self.r);
                }
                residual = s.residual(&self.r, &mut self.u);
            }
        }
        best.offer(&self.r, residual);
        Outcome::stopped(max_steps)
    }

    /// Jacobian and step at `r`, `u`.
    fn linearise(&mut self, s: &Scaled) {
        let n = s.n;
        self.jac.clear();
        self.jac.resize(n * n, 0.0);
        self.f.clear();
        self.f.resize(n, 0.0);
        let (mut a, mut c) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
        for (k, &law) in s.laws.iter().enumerate() {
            let rows = s.start[k]..s.start[k + 1];
            let (first, m) = (rows.start, rows.len());
            let (r, u) = (&self.r[rows.clone()], &self.u[rows.clone()]);
            alart_curnier(law, r, u, &mut self.f[rows]);
            block_derivative(law, r, u, &mut a, &mut c);
            for i in 0..m {
                let target = &mut self.jac[(first + i) * n..(first + i + 1) * n];
                for j in 0..m {
                    if c[i][j] != 0.0 {
                        let w = &s.w[(first + j) * n..(first + j + 1) * n];
                        target.iter_mut().zip(w).for_each(|(t, w)| *t += c[i][j] * w);
                    }
                    target[first + j] += a[i][j];
                }
            }
        }
        let jac = &self.jac;
        self.qr.factor(n, RANK, |i, j| jac[i * n + j]);
        self.rhs.clear();
        self.rhs.extend(self.f.iter().map(|f| -f));
        self.step.clear();
        self.step.resize(n, 0.0);
        self.qr.solve(&mut self.rhs, &mut self.step);
    }

    /// Moves `r` along the step to a smaller |F|; false if there is none.
    fn search(&mut self, s: &Scaled) -> bool {
        let merit: f64 = self.f.iter().map(|f| f * f).sum();
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            self.trial.clear();
            self.trial.extend(self.r.iter().zip(&self.step).map(|(r, d)| r + length * d));
            s.residual(&self.trial, &mut self.u);
            for (k, &law) in s.laws.iter().enumerate() {
                let rows = s.start[k]..s.start[k + 1];
                alart_curnier(
                    law,
                    &self.trial[rows.clone()],
                    &self.u[rows.clone()],
                    &mut self.f[rows],
                );
            }
            let new: f64 = self.f.iter().map(|f| f * f).sum();
            if new <= (1.0 - 1e-4 * length) * merit {
                std::mem::swap(&mut self.r, &mut self.trial);
                return true;
            }
            length *= 0.5;
        }
        false
    }
}
