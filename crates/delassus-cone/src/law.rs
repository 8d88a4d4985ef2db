//! One block at a time: projection on the set of admissible reactions and the natural map
//!
//! ```text
//! e(r, u) = r − P_K( r − u − μ|u_T| e_N )
//! ```
//!
//! `K` is the whole line (equality), the half line, the interval, or the second-order cone
//! `|r_T| ≤ μ r_N`. The term `μ|u_T|`, present for friction only, is the change of variables of de
//! Saxcé: with it Coulomb's law is a complementarity between dual cones. `e = 0` exactly where the law
//! holds. The formula adds `r` and `u`, so both must have been scaled (see `scaling.rs`).
//!
//! De Saxcé & Feng, Math. Comput. Modelling 28 (1998).

use crate::problem::Law;

/// Euclidean length of the tangential part of a block (entries 1 and on). Scaled quantities neither overflow nor vanish
/// when squared, and `hypot` costs ten times as much.
pub(crate) fn tangent_norm(x: &[f64]) -> f64 {
    match *x {
        [_, t] => t.abs(),
        [_, s, t] => (s * s + t * t).sqrt(),
        _ => 0.0,
    }
}

/// Replaces `x` by its nearest admissible reaction.
pub(crate) fn project(law: Law, x: &mut [f64]) {
    match law {
        Law::Equality => {}
        Law::Unilateral => x[0] = x[0].max(0.0),
        Law::Interval { lo, hi } => x[0] = x[0].max(lo).min(hi),
        Law::Coulomb { mu, .. } => {
            let t = tangent_norm(x);
            if t <= mu * x[0] {
                return;
            }
            if mu * t <= -x[0] {
                x.fill(0.0);
                return;
            }
            let normal = (x[0] + mu * t) / (1.0 + mu * mu);
            let shrink = if t > 0.0 { mu * normal / t } else { 0.0 };
            x[0] = normal;
            x[1..].iter_mut().for_each(|v| *v *= shrink);
        }
    }
}

/// Largest entry of the natural map of one block.
pub(crate) fn defect(law: Law, r: &[f64], u: &[f64]) -> f64 {
    if law == Law::Equality {
        return u[0].abs();
    }
    let k = r.len();
    let mut x = [0.0; 3];
    for i in 0..k {
        x[i] = r[i] - u[i];
    }
    if let Law::Coulomb { mu, .. } = law {
        x[0] -= mu * tangent_norm(u);
    }
    project(law, &mut x[..k]);
    let mut worst = 0.0f64;
    for i in 0..k {
        let e = (r[i] - x[i]).abs();
        if !(e <= worst) {
            worst = e;
        }
    }
    worst
}

/// Whether a row that nothing moves (`u = b` whatever `r`) can satisfy its law, and the reaction it then has. Rates
/// below `floor` count as zero.
pub(crate) fn bare_reaction(law: Law, b: &[f64], floor: f64, r: &mut [f64]) -> bool {
    r.fill(0.0);
    match law {
        Law::Equality => b[0].abs() <= floor,
        Law::Unilateral | Law::Coulomb { .. } => b[0] >= -floor,
        Law::Interval { lo, hi } => {
            let wanted = if b[0] > floor {
                lo
            } else if b[0] < -floor {
                hi
            } else {
                0.0f64.max(lo).min(hi)
            };
            r[0] = if wanted.is_finite() { wanted } else { 0.0 };
            wanted.is_finite()
        }
    }
}

/// Whether a bare row breaks its law with the reaction `r`.
pub(crate) fn bare_defect(law: Law, b: &[f64], floor: f64, r: &[f64]) -> bool {
    // u = b exactly; enlarged so far that only its sign counts.
    let largest = r.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    let mut u = [0.0; 3];
    for (u, &b) in u.iter_mut().zip(b) {
        *u = if b.abs() <= floor { 0.0 } else { b / floor * (1e3 * largest) };
    }
    defect(law, r, &u[..r.len()]) > 0.0
}
