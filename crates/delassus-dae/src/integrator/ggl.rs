//! The stabilised index-2 form, and what `bdf` and `radau5` share.
//!
//! The form of Gear, Gupta and Leimkuhler keeps both the position and the velocity constraints:
//!
//! ```text
//! q̇ = v + M★⁻¹G★ᵀ μ ,   M v̇ = f + Gᵀλ ,   ż = φ ,   g = 0 ,   G v + g_t = 0
//! ```
//!
//! Along the exact solution μ = 0, so the matrix in front of μ may be anything that keeps
//! G M★⁻¹G★ᵀ regular: it is taken at one predicted point ★ per attempt. The discretised
//! positions are then ξ = (what v gives) + w, with w in the range of M★⁻¹G★ᵀ, and w is found by
//! the mass-metric correction of [`Accel::correct`] with one factor of G★M★⁻¹G★ᵀ. It depends
//! on the committed state and on h alone, never on an old iteration matrix, so a dropped
//! attempt leaves no trace beyond the tolerance of the iteration. (`radau5` holds the velocity
//! rows alone within a step: one point ★ cannot serve stages on both sides of a singular
//! position.)
//!
//! With c = hβ (ξ ≈ const + c v, v = const + c v̇) the velocities and multipliers are one system,
//!
//! ```text
//! [ S  −Gᵀ ] [ c δv  ]     [ −c² r          ]
//! [ G   0  ] [ c² δλ ]  =  [ −c (G v + g_t) ] ,   S = M + c C + c² K ,   r = M v̇ − f − Gᵀλ
//! ```
//!
//! free of negative powers of h. Each iteration solves it, moves the positions, and corrects w
//! by −g: two solves. The couplings that are left out of the matrix (∂(G v)/∂q, the derivative
//! of T(ξ)⁻¹v) are strictly one-directional or of the size hΩ: positions determine the normal
//! part of v, which w keeps from acting back on positions.
//!
//! At the end of a step the state is brought to round-off of both constraints and v̇, λ come
//! from one index-1 solve there: they have the order of q and v, where the multipliers of the
//! stages of a Runge-Kutta method would have less.
//!
//! Reference: Gear, Gupta & Leimkuhler, J. Comput. Appl. Math. 12&13 (1985); Führer &
//! Leimkuhler, Numer. Math. 59 (1991).

use crate::accel::Accel;
use crate::failure::{StepFailure, check_finite};
use crate::problem::{AtVel, Problem};
use crate::projection::Projector;
use crate::state::{Derived, State};

/// Iterations before an attempt is given up.
pub(super) const MAX_ITERATIONS: usize = 14;
/// Round-off in increments of positions, relative to the scales: below this slow contraction
/// says nothing about the matrix. That of velocities is larger by 1/(hω).
const NOISE: f64 = 4e-15;
/// Near a singular position round-off is amplified: increments of this size that do not get
/// smaller any more are as good as it gets.
const STALLED: f64 = 1e-9;
/// Contraction beyond which an old matrix is renewed.
const SLOW: f64 = 0.2;
/// Further iterations that an old matrix is given before it is renewed.
const PATIENCE: f64 = 6.0;
/// Change of c up to which a matrix is kept.
const KEEP: f64 = 0.2;

/// True when a matrix made for `old` serves for `new`.
pub(super) fn serves(old: Option<f64>, new: f64) -> bool {
    old.is_some_and(|old| (new - old).abs() <= KEEP * old)
}

/// What to do after an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Converged,
    GoOn,
    Failed,
}

/// Watches the increments of a Newton iteration with a matrix that is kept while it is good.
#[derive(Debug, Clone, Copy)]
pub(super) struct Monitor {
    iterations: usize,
    last: f64,
    /// Increments below this may be round-off.
    noise: f64,
    /// The matrix was made in this attempt.
    pub fresh: bool,
    /// The matrix should be made anew before its next use.
    pub renew: bool,
}

impl Monitor {
    /// For a step of length h (or c) in a motion of rate ω; `renew`: not with the old matrix.
    pub fn new(h: f64, omega: f64, renew: bool) -> Monitor {
        let noise = NOISE * (1.0 / (h * omega)).max(1.0);
        Monitor { iterations: 0, last: f64::INFINITY, noise, fresh: false, renew }
    }

    pub fn renewed(&mut self) {
        self.fresh = true;
        self.renew = false;
    }

    /// Judges an increment of this size, relative to the scales; `tol` is what may be left.
    pub fn judge(&mut self, norm: f64, tol: f64) -> Verdict {
        let k = self.iterations;
        let theta = norm / self.last;
        self.iterations += 1;
        self.last = norm;
        let stalled = if self.fresh { STALLED } else { self.noise };
        if norm <= tol
            || (k > 0 && theta < 0.5 && norm * theta / (1.0 - theta) <= tol)
            || (k > 1 && norm <= self.noise && theta > 0.3)
            || (k > 4 && norm <= stalled && theta > 0.7)
        {
            // slow this time: renew before the next step, not in the middle of one
            self.renew = k > 1 && theta > SLOW && norm > self.noise;
            return Verdict::Converged;
        }
        // iterations to go at this rate
        let to_go = (norm / tol.max(self.noise)).ln() / -theta.min(1.0).ln();
        let left = (MAX_ITERATIONS - self.iterations) as f64;
        self.renew = norm > self.noise
            && if self.fresh {
                (k > 3 && theta > 0.5) || (k > 1 && to_go > left)
            } else {
                k > 0 && (theta > SLOW || to_go > PATIENCE)
            };
        let diverges = !norm.is_finite() || (k > 1 && theta > 2.0 && self.fresh && norm > STALLED);
        if diverges || self.iterations == MAX_ITERATIONS {
            self.renew = true;
            return Verdict::Failed;
        }
        Verdict::GoOn
    }

    /// The failure to report; `worst` is the coordinate of the largest increment.
    pub fn failure(&self, worst: usize) -> StepFailure {
        StepFailure::NewtonDiverged { iterations: self.iterations, increment: self.last, worst }
    }
}

/// Rate of the motion at a state, 1/s, bounded from below for steps of length h. Increments of
/// positions are measured in scales, those of velocities in scales times this rate.
pub(super) fn rate_of_motion(v: &[f64], a: &[f64], scale: &[f64], h: f64) -> f64 {
    let mut omega = 1e-4 / h;
    for (i, s) in scale.iter().enumerate() {
        omega = omega.max(v[i].abs() / s).max((a[i].abs() / s).sqrt());
    }
    omega
}

/// Largest component of c x relative to the scales, and where it is.
pub(super) fn larger(norm: &mut f64, worst: &mut usize, c: f64, x: &[f64], scale: &[f64]) {
    for (i, (x, s)) in x.iter().zip(scale).enumerate() {
        let w = c * x.abs() / s;
        if !(w <= *norm) {
            *norm = w;
            *worst = i;
        }
    }
}

/// Size of an increment of an auxiliary state, relative to the state or to its scale where that is
/// more: one that starts at zero has no size of its own, and an iteration that is to find its first
/// digits to full accuracy never ends.
pub(super) fn relative_z(dz: f64, z: f64, z0: f64, scale: f64) -> f64 {
    let size = z.abs().max(z0.abs()).max(scale);
    if dz == 0.0 { 0.0 } else { dz.abs() / size.max(f64::MIN_POSITIVE.sqrt()) }
}

/// Brings the end of a step onto both constraints and solves for v̇, λ and ż there.
pub(super) fn finish<P: Problem>(
    p: &P,
    ws: &mut P::Ws,
    acc: &mut Accel,
    proj: &mut Projector,
    to: &mut State,
    end: &mut Derived,
) -> Result<(), StepFailure> {
    check_finite("coordinates", &to.q)?;
    check_finite("velocities", &to.v)?;
    proj.position(p, ws, acc, to.t, &mut to.q, &to.z)?;
    proj.velocity(p, ws, acc, &mut to.v, &to.z)?;
    let e = AtVel::realized(p, ws);
    acc.solve_at(&e, &mut end.a, &mut end.lambda, &mut end.zdot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitor_tells_convergence_from_divergence() {
        let run = |theta: f64| {
            let mut m = Monitor::new(1.0, 1.0, false);
            m.renewed();
            let mut norm = 1.0;
            loop {
                match m.judge(norm, 1e-12) {
                    Verdict::GoOn => norm *= theta,
                    v => return (v, m.iterations),
                }
            }
        };
        assert_eq!(run(1e-3), (Verdict::Converged, 5));
        assert_eq!(run(3.0).0, Verdict::Failed);
        assert_eq!(run(0.9).0, Verdict::Failed);
    }
}
