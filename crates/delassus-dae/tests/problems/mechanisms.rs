//! Mechanisms from the literature as linkages.

use super::linkage::{Arm, Linkage, arm, body, joint};

const X: [f64; 2] = [1.0, 0.0];
const Y: [f64; 2] = [0.0, 1.0];

/// Four-bar (after Haddouni et al. 2017) in three angles: bars of 0.35, 1.2 and 0.9 m, ground
/// pivots 1 m apart, 2 kg per metre, gravity −y, φ₁ = 1 rad, φ₁' = 4 rad/s, upper assembly.
pub fn four_bar() -> Linkage<3> {
    let [l1, l2, l3, d] = [0.35, 1.2, 0.9, 1.0];
    let bar = |l: f64, angle, centre| body(2.0 * l, 2.0 * l * l * l / 12.0, &[angle], centre);
    let close = joint([-d, 0.0], &[arm(&[0], l1, 0.0), arm(&[1], l2, 0.0), arm(&[2], -l3, 0.0)]);
    Linkage {
        bodies: vec![
            bar(l1, 0, joint([0.0; 2], &[arm(&[0], l1 / 2.0, 0.0)])),
            bar(l2, 1, joint([0.0; 2], &[arm(&[0], l1, 0.0), arm(&[1], l2 / 2.0, 0.0)])),
            bar(l3, 2, joint([d, 0.0], &[arm(&[2], l3 / 2.0, 0.0)])),
        ],
        rows: vec![(close.clone(), X), (close, Y)],
        gravity: 9.81,
        drive: [0.0; 3],
        spring: None,
        q: [1.0, 0.49660893614229, 1.2960762861178],
        v: [4.0, -0.47476275396534, 1.0466022550247],
    }
}

/// Slider-crank (after Haddouni et al. 2017) in two angles: uniform rods of 1 m, 1 kg and 2 m,
/// 2 kg, slider of 1 kg on the x axis, gravity −y, α₁ = 0, α₁' = 5 rad/s.
pub fn slider_crank() -> Linkage<2> {
    let pin = joint([0.0; 2], &[arm(&[0], 1.0, 0.0), arm(&[1], 2.0, 0.0)]);
    Linkage {
        bodies: vec![
            body(1.0, 1.0 / 12.0, &[0], joint([0.0; 2], &[arm(&[0], 0.5, 0.0)])),
            body(
                2.0,
                8.0 / 12.0,
                &[1],
                joint([0.0; 2], &[arm(&[0], 1.0, 0.0), arm(&[1], 1.0, 0.0)]),
            ),
            body(1.0, 0.0, &[], pin.clone()),
        ],
        rows: vec![(pin, Y)],
        gravity: 9.81,
        drive: [0.0; 2],
        spring: None,
        q: [0.0, 0.0],
        v: [5.0, -2.5],
    }
}

/// Andrews' squeezing mechanism (Schiehlen 1990; Hairer & Wanner) in (β, θ, γ, φ, δ, Ω, ε):
/// seven bodies, three loops, a spring and a constant torque of 0.033 Nm on β, from rest.
pub fn andrews() -> Linkage<7> {
    let (pa, pb, pc) = ([-0.06934, -0.00227], [-0.03635, 0.03273], [0.014, 0.072]);
    let (d, da, e, ea) = (0.028, 0.0115, 0.02, 0.01421);
    let (rr, ra, ss, sa, sb, sc, sd) = (0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02);
    let (ta, tb, u, ua, ub, zf, zt, fa) =
        (0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421);
    // β, β+θ, γ, φ+δ, δ, Ω+ε, ε
    let [k1, k2, k3, k4, k5, k6, k7]: [&[usize]; 7] =
        [&[0], &[0, 1], &[2], &[3, 4], &[4], &[5, 6], &[6]];
    let closed = |to: [f64; 2], rest: &[Arm<7>]| {
        let arms = [&[arm(k1, rr, 0.0), arm(k2, -d, 0.0)], rest].concat();
        joint([-to[0], -to[1]], &arms)
    };
    let loops = [
        closed(pb, &[arm(k3, 0.0, ss)]),
        closed(pa, &[arm(k4, 0.0, e), arm(k5, -zt, 0.0)]),
        closed(pa, &[arm(k6, -zf, 0.0), arm(k7, 0.0, u)]),
    ];
    Linkage {
        bodies: vec![
            body(0.04325, 2.194e-6, k1, joint([0.0; 2], &[arm(k1, ra, 0.0)])),
            body(0.00365, 4.410e-7, k2, joint([0.0; 2], &[arm(k1, rr, 0.0), arm(k2, -da, 0.0)])),
            body(0.02373, 5.255e-6, k3, joint(pb, &[arm(k3, sb, -sa)])),
            body(0.00706, 5.667e-7, k4, joint(pa, &[arm(k5, zt, 0.0), arm(k4, 0.0, ea - e)])),
            body(0.0705, 1.169e-5, k5, joint(pa, &[arm(k5, ta, tb)])),
            body(0.00706, 5.667e-7, k6, joint(pa, &[arm(k7, 0.0, -u), arm(k6, zf - fa, 0.0)])),
            body(0.05498, 1.912e-5, k7, joint(pa, &[arm(k7, -ub, -ua)])),
        ],
        rows: loops.iter().flat_map(|p| [(p.clone(), X), (p.clone(), Y)]).collect(),
        gravity: 0.0,
        drive: [0.033, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        spring: Some((joint(pb, &[arm(k3, sd, -sc)]), pc, 4530.0, 0.07785)),
        q: [
            -0.0617138900142764,
            0.0,
            0.4552798191630704,
            0.2226683901658859,
            0.4873649795438425,
            -0.2226683901658859,
            1.230547444549821,
        ],
        v: [0.0; 7],
    }
}

/// Published angles of Andrews' mechanism at t = 0.03 s.
pub const ANDREWS_END: [f64; 7] = [
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
];

/// Parallelogram of bars of 1 m and a coupler of 2 m that starts flat, where its constraints lose
/// rank exactly, on the branch on which it stays a parallelogram: a pendulum with
/// θ̈ = −κ cos θ ([`FLAT_KAPPA`]), θ = 0, θ̇ = 3 rad/s at the start. Bars weigh 1 and 3 kg, the
/// coupler 2 kg, so that the loop is loaded at the start.
pub fn flat_parallelogram() -> Linkage<3> {
    let close =
        joint([-2.0, 0.0], &[arm(&[0], 1.0, 0.0), arm(&[1], 2.0, 0.0), arm(&[2], -1.0, 0.0)]);
    Linkage {
        bodies: vec![
            body(1.0, 1.0 / 12.0, &[0], joint([0.0; 2], &[arm(&[0], 0.5, 0.0)])),
            body(
                2.0,
                8.0 / 12.0,
                &[1],
                joint([0.0; 2], &[arm(&[0], 1.0, 0.0), arm(&[1], 1.0, 0.0)]),
            ),
            body(3.0, 3.0 / 12.0, &[2], joint([2.0, 0.0], &[arm(&[2], 0.5, 0.0)])),
        ],
        rows: vec![(close.clone(), X), (close, Y)],
        gravity: 9.81,
        drive: [0.0; 3],
        spring: None,
        q: [0.0; 3],
        v: [3.0, 0.0, 3.0],
    }
}

/// κ of [`flat_parallelogram`], 1/s²: (½ (1 + 3) + 2) g over (1 + 3)/3 + 2.
pub const FLAT_KAPPA: f64 = 4.0 * 9.81 / (4.0 / 3.0 + 2.0);
