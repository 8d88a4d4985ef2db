//! The stabilised index-2 form, and what `bdf` and `radau5` share.
//!
//! The form of Gear, Gupta and Leimkuhler keeps both the position and the velocity constraints:
//!
//! ```text
//! q̇ = v + M★⁻¹G★ᵀ μ ,   M v̇ = f + Gᵀλ ,   ż = φ ,   g = 0 ,   G v + g_t = 0
//! ```
//!
//! Along the exact solution μ = 0, so the matrix in front of μ may be anything that keeps G M★⁻¹G★ᵀ regular: it is
//! taken at one predicted point ★ per attempt. The discretised positions are then ξ = (what v gives) + w, with w in the
//! range of M★⁻¹G★ᵀ, and w is found by the mass-metric correction of [`Accel::correct`] with one factor of G★M★⁻¹G★ᵀ.
//! It depends only on the committed state and on h, never on an old iteration matrix, so a dropped attempt leaves no
//! trace beyond the tolerance of the iteration. (`radau5` holds only the velocity rows within a step: one point ★
//! cannot serve stages on both sides of a singular position.)
//!
//! With c = hβ (ξ ≈ const + c v, v = const + c v̇) the velocities and multipliers are one system,
//!
//! ```text
//! [ S  −Gᵀ ] [ c δv  ]     [ −c² r          ]
//! [ G   0  ] [ c² δλ ]  =  [ −c (G v + g_t) ] ,   S = M + c C + c² K ,   r = M v̇ − f − Gᵀλ
//! ```
//!
//! free of negative powers of h. Each iteration solves it, moves the positions, and corrects w by −g: two solves. The
//! couplings left out of the matrix (∂(G v)/∂q, the derivative of T(ξ)⁻¹v) are strictly one-directional or of the size
//! hΩ: positions determine the normal part of v, which w keeps from acting back on positions.
//!
//! At the end of a step the state is brought to round-off of both constraints and v̇, λ come
//! from one index-1 solve there: they have the order of q and v, where the multipliers of the
//! stages of a Runge-Kutta method would have less.
//!
//! Reference: Gear, Gupta & Leimkuhler, J. Comput. Appl. Math. 12&13 (1985); Führer &
//! Leimkuhler, Numer. Math. 59 (1991).

use super::newton::{Limits, NOISE, STALLED, rate_of_motion};
use crate::accel::Accel;
use crate::failure::{StepFailure, check_finite};
use crate::problem::{AtVel, Problem};
use crate::projection::Projector;
use crate::state::{Derived, State};

/// Contraction beyond which an old matrix is renewed: that of three stages is expensive.
const SLOW: f64 = 0.2;
/// Change of c up to which a matrix is kept.
const KEEP: f64 = 0.2;

/// True when a matrix made for `old` serves for `new`.
pub(super) fn serves(old: Option<f64>, new: f64) -> bool {
    old.is_some_and(|old| (new - old).abs() <= KEEP * old)
}

/// Smallest rate of a motion in a step, in units of one over its length.
const AT_REST: f64 = 1e-4;

/// Rate of the motion at a state, 1/s, bounded from below for steps of length h.
pub(super) fn rate_in_step(v: &[f64], a: &[f64], scale: &[f64], h: f64) -> f64 {
    rate_of_motion(v, a, scale).max(AT_REST / h)
}

/// Rates of the groups in a step. Increments of velocities are measured in scales times the rate of their group, and
/// the allowed remainder by the slowest one: beside a fast rotor the remainder of an iteration would satisfy anything
/// slow.
#[derive(Debug, Clone)]
pub(super) struct GroupRates {
    group: Vec<usize>,
    of_group: Vec<f64>,
    /// Scales of increments h δv.
    pub speed: Vec<f64>,
    /// Rates of the fastest group and of the slowest that moves, 1/s.
    pub fastest: f64,
    pub slowest: f64,
}

impl GroupRates {
    pub fn new<P: Problem>(p: &P) -> GroupRates {
        let (mut group, nv) = (p.groups(), p.dims().nv);
        let count = group.iter().max().map_or(1, |last| last + 1);
        group.truncate(nv);
        GroupRates {
            group,
            of_group: vec![0.0; count],
            speed: vec![0.0; nv],
            fastest: 0.0,
            slowest: 0.0,
        }
    }

    /// At a state with these velocities and accelerations, for steps of length h. Groups that do not move in the step
    /// count as the fastest: their increments are round-off.
    pub fn look(&mut self, v: &[f64], a: &[f64], scale: &[f64], h: f64) {
        let least = AT_REST / h;
        let GroupRates { group, of_group, speed, fastest, slowest } = self;
        of_group.fill(0.0);
        for (i, g) in group.iter().enumerate() {
            let rate = &mut of_group[*g];
            *rate = rate.max(v[i].abs() / scale[i]).max((a[i].abs() / scale[i]).sqrt());
        }
        *fastest = of_group.iter().fold(least, |most, rate| rate.max(most));
        *slowest = *fastest;
        for rate in of_group.iter_mut() {
            *rate = if *rate > least { *rate } else { *fastest };
            *slowest = slowest.min(*rate);
        }
        for (i, g) in group.iter().enumerate() {
            speed[i] = h * of_group[*g] * scale[i];
        }
    }
}

/// For increments of positions and, in scales times ω, of velocities, whose round-off is larger by
/// 1/(hω).
pub(super) fn limits(h: f64, omega: f64) -> Limits {
    Limits { noise: NOISE * (1.0 / (h * omega)).max(1.0), stalled: STALLED, far: 0.0, slow: SLOW }
}

/// Size of an increment of an auxiliary state, relative to the state or to its scale if that is larger: a state that
/// starts at zero has no size of its own, and an iteration that must find its first digits to full accuracy never ends.
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
