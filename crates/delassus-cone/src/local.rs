//! One block alone, solved exactly: `u = A r + q` with the law of the block.
//!
//! Friction has three cases, tried in this order: *open* (`q_N ≥ 0`, `r = 0`), *stick* (`A r = −q` inside
//! the cone), *slip*. Slip means `u_N = 0`, `u_T = −s r_T` with `s > 0` and `|r_T| = μ r_N`. With the
//! normal row eliminated (`S` the Schur complement, `c` the reduced `q_T`)
//!
//! ```text
//! r_T(s) = −(S + s I)⁻¹ c ,   r_N(s) = −(q_N + A_NT r_T)/A_NN ,   φ(s) = |r_T| − μ r_N = 0
//! ```
//!
//! `φ(0) > 0` where stick fails and `φ(∞) < 0` as `q_N < 0`, so a root is always bracketed, whatever the
//! rank of `S`. Newton on `1/|r_T| − 1/(μ r_N)`, which is nearly linear in `s`, converges in a few steps;
//! bisection guards it. There is no quartic and no angle to choose.
//!
//! Using `s` as the unknown is the idea of the secular equation of trust regions: Conn, Gould & Toint, Trust-Region
//! Methods (2000), ch. 7.

use crate::law::tangent_norm;
use crate::problem::Law;

/// Limit of the root search; bisection alone needs about 60 from a bracket found by doubling.
const MAX_STEPS: usize = 200;
/// Below this fraction of the block's diagonal an entry is a rounding error of a singular block.
const SINGULAR: f64 = 1e-13;

/// Solves the block; keeps `r` where nothing can be done (empty block). `a` is row by row.
pub(crate) fn solve(law: Law, a: &[[f64; 3]; 3], q: &[f64], r: &mut [f64]) {
    let w = a[0][0];
    match law {
        Law::Equality => {
            if w != 0.0 {
                r[0] = -q[0] / w;
            }
        }
        Law::Unilateral => unilateral(w, q[0], &mut r[0]),
        Law::Interval { lo, hi } => {
            let wanted = if w > 0.0 {
                -q[0] / w
            } else if q[0] > 0.0 {
                lo
            } else if q[0] < 0.0 {
                hi
            } else {
                r[0]
            };
            let clamped = wanted.max(lo).min(hi);
            if clamped.is_finite() {
                r[0] = clamped;
            }
        }
        Law::Coulomb { mu, tangential } => {
            if mu == 0.0 {
                r[1..].fill(0.0);
                unilateral(w, q[0], &mut r[0]);
            } else if tangential == 1 {
                friction2(mu, a, q, r);
            } else {
                friction3(mu, a, q, r);
            }
        }
    }
}

/// Scaled quantities neither overflow nor vanish when squared; `hypot` costs ten times as much.
fn length(t: [f64; 2]) -> f64 {
    (t[0] * t[0] + t[1] * t[1]).sqrt()
}

fn unilateral(w: f64, q: f64, r: &mut f64) {
    if q >= 0.0 {
        *r = 0.0;
    } else if w > 0.0 {
        *r = -q / w;
    }
}

/// One tangential direction: finitely many cases.
fn friction2(mu: f64, a: &[[f64; 3]; 3], q: &[f64], r: &mut [f64]) {
    if q[0] >= 0.0 {
        r.fill(0.0);
        return;
    }
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if det > SINGULAR * a[0][0] * a[1][1] {
        let n = (a[0][1] * q[1] - a[1][1] * q[0]) / det;
        let t = (a[1][0] * q[0] - a[0][0] * q[1]) / det;
        if t.abs() <= mu * n {
            r.copy_from_slice(&[n, t]);
            return;
        }
    }
    // Slip along +1 or −1; keep the candidate whose slip points the right way (or comes nearest).
    let (mut best, mut wrong) = (None, f64::INFINITY);
    for s in [1.0, -1.0] {
        let w = a[0][0] - s * mu * a[0][1];
        if w <= SINGULAR * a[0][0] {
            continue;
        }
        let n = -q[0] / w;
        let slip = s * (q[1] + (a[1][0] - s * mu * a[1][1]) * n);
        if -slip < wrong {
            wrong = -slip;
            best = Some([n, -s * mu * n]);
        }
    }
    if let Some(found) = best {
        r.copy_from_slice(&found);
    }
}

/// Two tangential directions: the secular equation.
fn friction3(mu: f64, a: &[[f64; 3]; 3], q: &[f64], r: &mut [f64]) {
    if q[0] >= 0.0 {
        r.fill(0.0);
        return;
    }
    let w = a[0][0];
    if w <= 0.0 {
        return;
    }
    // Schur complement of the normal row, and the right-hand side.
    let mut s2 = [[0.0; 2]; 2];
    let mut c = [0.0; 2];
    for i in 0..2 {
        for j in 0..2 {
            s2[i][j] = a[i + 1][j + 1] - a[i + 1][0] * a[0][j + 1] / w;
        }
        c[i] = q[i + 1] - a[i + 1][0] * q[0] / w;
    }
    let tangent = |s: f64, c: [f64; 2]| -> Option<[f64; 2]> {
        let (m00, m11) = (s2[0][0] + s, s2[1][1] + s);
        let det = m00 * m11 - s2[0][1] * s2[1][0];
        let scale = (a[1][1] + s) * (a[2][2] + s);
        (det > SINGULAR * scale)
            .then(|| [(-m11 * c[0] + s2[0][1] * c[1]) / det, (s2[1][0] * c[0] - m00 * c[1]) / det])
    };
    let normal = |t: [f64; 2]| -(q[0] + a[0][1] * t[0] + a[0][2] * t[1]) / w;
    if let Some(t) = tangent(0.0, c) {
        let n = normal(t);
        if length(t) <= mu * n {
            r.copy_from_slice(&[n, t[0], t[1]]);
            return;
        }
    }
    if c == [0.0, 0.0] {
        r.copy_from_slice(&[-q[0] / w, 0.0, 0.0]);
        return;
    }
    // Bracket: φ > 0 at lo, φ ≤ 0 at hi.
    let unit = (a[1][1] + a[2][2]).max(w) * 0.5;
    let phi = |t: [f64; 2]| length(t) - mu * normal(t);
    let (mut lo, mut hi) = (0.0f64, unit);
    let mut steps = 0;
    while steps < MAX_STEPS && tangent(hi, c).is_none_or(|t| phi(t) > 0.0) {
        lo = hi;
        hi *= 4.0;
        steps += 1;
    }
    let mut s = if lo > 0.0 { 0.5 * (lo + hi) } else { 0.25 * hi };
    let mut found = None;
    while steps < MAX_STEPS {
        steps += 1;
        let Some(t) = tangent(s, c) else {
            lo = s;
            s = 0.5 * (lo + hi);
            continue;
        };
        let (n, len) = (normal(t), length(t));
        found = Some((n, t, len));
        let f = len - mu * n;
        if f > 0.0 {
            lo = s;
        } else {
            hi = s;
        }
        if f.abs() <= f64::EPSILON * len || hi - lo <= 2.0 * f64::EPSILON * hi {
            break;
        }
        // d r_T / ds = −(S + sI)⁻¹ r_T, and the secular form of the equation.
        let mut next = f64::NAN;
        if let (Some(dt), true) = (tangent(s, t), n > 0.0) {
            let dlen = (t[0] * dt[0] + t[1] * dt[1]) / len;
            let dn = -(a[0][1] * dt[0] + a[0][2] * dt[1]) / w;
            let value = 1.0 / len - 1.0 / (mu * n);
            let slope = -dlen / (len * len) + dn / (mu * n * n);
            next = s - value / slope;
        }
        if next == s {
            break;
        }
        // When the lower end is zero a geometric mean keeps the bisection from crawling.
        let middle = if lo > 0.0 { (lo * hi).sqrt() } else { 1e-2 * hi };
        s = if next > lo && next < hi { next } else { middle };
    }
    if let Some((n, t, len)) = found {
        // Exactly on the cone.
        let n = n.max(0.0);
        let shrink = if len > 0.0 { mu * n / len } else { 0.0 };
        r.copy_from_slice(&[n, t[0] * shrink, t[1] * shrink]);
        debug_assert!(tangent_norm(r).is_finite());
    }
}
