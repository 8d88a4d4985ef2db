//! Sliding whose direction turns while the normal impulse grows.
//!
//! With dP_N = s dτ the equations have no singularity where sliding stops, which is at τ → ∞:
//!
//! ```text
//! s' = s g(d),  d' = h(d) d⊥,  u_N' = s (W_NN − μ W_NT d),  P_N' = s,  P_T' = −μ s d,  work' = s u_N
//! ```
//!
//! with g and h of `slip.rs`. All right-hand sides are polynomials of the unknowns.

use super::energetic::Course;
use super::slip::Slip;

/// Error of a step, relative.
const TOLERANCE: f64 = 1e-12;
/// First step, as a fraction of a radian and of the impulse of the impact.
const FIRST: f64 = 0.1;
/// Bisections of a step that ends at the end of a phase; they exhaust the digits.
const BISECTIONS: usize = 52;

/// s, d (2), u_N, P (3), work.
type State = [f64; 8];

fn rates(slip: &Slip, y: &State) -> State {
    let [s, d0, d1, u, ..] = *y;
    let [faster, turning] = slip.rates([d0, d1]);
    let [normal, ..] = slip.w;
    let per = normal[0] - slip.mu * (normal[1] * d0 + normal[2] * d1);
    let (mu, mut out) = (slip.mu, [0.0; 8]);
    out[0] = s * faster;
    (out[1], out[2]) = (-turning * d1, turning * d0);
    out[3] = s * per;
    (out[4], out[5], out[6]) = (s, -mu * s * d0, -mu * s * d1);
    out[7] = s * u;
    out
}

/// A step of the classical Runge–Kutta method.
fn kutta(slip: &Slip, y: &State, h: f64) -> State {
    let plus = |c: f64, k: &State| -> State { std::array::from_fn(|i| y[i] + c * k[i]) };
    let a = rates(slip, y);
    let b = rates(slip, &plus(0.5 * h, &a));
    let c = rates(slip, &plus(0.5 * h, &b));
    let d = rates(slip, &plus(h, &c));
    std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]))
}

/// Two steps of half the length, improved by one of the whole length, and the difference of both.
fn doubled(slip: &Slip, y: &State, h: f64) -> (State, State) {
    let once = kutta(slip, y, h);
    let twice = kutta(slip, &kutta(slip, y, 0.5 * h), 0.5 * h);
    let error: State = std::array::from_fn(|i| (twice[i] - once[i]) / 15.0);
    (std::array::from_fn(|i| twice[i] + error[i]), error)
}

/// One step, at most to the end of the phase. `stride` is the length to try, kept from step to step.
pub(super) fn advance(slip: &Slip, c: &mut Course, stride: &mut Option<f64>) {
    let speed = c.u[1].hypot(c.u[2]);
    let [p0, p1, p2] = c.p;
    let y: State = [speed, c.u[1] / speed, c.u[2] / speed, c.u[0], p0, p1, p2, c.work];
    let w = slip.w;
    // an impulse that stops the approach, or more if it took more
    let impulse = (c.approach / w[0][0].max(f64::MIN_POSITIVE)).max(p0);
    let most = w[1][0].hypot(w[2][0]) + slip.mu * (w[1][1] + w[2][2]);
    let mut h = stride.unwrap_or_else(|| (FIRST / most).min(FIRST * impulse / speed));
    let size = [speed, 1.0, 1.0, c.approach, impulse, impulse, impulse, impulse * c.approach];
    let mut next = loop {
        let (next, error) = doubled(slip, &y, h);
        let worst = error
            .iter()
            .zip(size)
            .fold(0.0f64, |m, (e, s)| if e.abs() / s <= m { m } else { e.abs() / s });
        let better = (0.9 * (TOLERANCE / worst).powf(0.2)).clamp(0.2, 5.0);
        // NaN is neither, and stays NaN
        if !(worst > TOLERANCE) {
            *stride = Some(h * better);
            break next;
        }
        h *= better.min(0.9);
    };
    let missing = |y: &State| read(c, y).missing();
    let ends = missing(&next) <= 0.0;
    if ends {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..BISECTIONS {
            let part = 0.5 * (low + high);
            let there = doubled(slip, &y, part * h).0;
            if missing(&there) > 0.0 {
                low = part;
            } else {
                (high, next) = (part, there);
            }
        }
    }
    *c = read(c, &next);
    if ends {
        c.turn_over();
    }
}

fn read(c: &Course, y: &State) -> Course {
    let [s, d0, d1, u, p0, p1, p2, work] = *y;
    let n = d0.hypot(d1);
    let mut there = *c;
    there.u = [u, s * d0 / n, s * d1 / n];
    there.p = [p0, p1, p2];
    there.work = work;
    there
}
