//! The force of a compliant contact over a step: its mean along the path of the point.
//!
//! ```text
//! F̄ = 1/h ∫ F(δ + τ δ̇, δ̇) dτ,  τ from −θh to (1−θ)h,  F = 0 where δ ≤ 0 and where the law would pull
//! ```
//!
//! δ and δ̇ are those where a step evaluates its forces, δ̇ the mean rate of the step, so that the path leads from its
//! start to its end. A point that touches within the step has the force for the part of the step during which it is
//! inside, and the part of F that has a potential U does the work U(δ₁) − U(δ₀) exactly (Simo & Tarnow 1992; Gonzalez
//! 2000): however long the step, a contact gives back no more than went in. F̄ is a function of the state with
//! derivatives of its own, so it enters the equations of a step like any other force.

use delassus_dae::{FrictionLaw, NormalLaw, Onset, Press, SlipForce};

/// Gauss's points and weights on 0 to 1.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Relative change of the depth below which a difference of energies is lost in rounding, and Gauss's points are exact.
const SMALL: f64 = 1e-3;

/// Mean force from `window[0]` to `window[1]`, s, about a place with this depth and rate.
pub(super) fn mean_press(
    law: &dyn NormalLaw,
    onset: &Onset,
    depth: f64,
    rate: f64,
    window: [f64; 2],
) -> Press {
    let h = window[1] - window[0];
    let [start, end] = window.map(|t| depth + t * rate);
    if !(start.max(end) > 0.0) {
        return Press::default();
    }
    let [mut from, mut to] = window;
    let mut mean = Press::default();
    if start < 0.0 || end < 0.0 {
        // the limits of the integral move with the place where the point passes the surface
        let passes = -depth / rate;
        let limit = if start < 0.0 { &mut from } else { &mut to };
        let outward = if start < 0.0 { -1.0 } else { 1.0 };
        *limit = passes;
        let acts = law.push(onset, 0.0, rate) >= 0.0;
        let surface = if acts { outward * law.press(onset, 0.0, rate).force / h } else { 0.0 };
        mean.by_depth -= surface / rate;
        mean.by_rate += surface * depth / (rate * rate);
    }
    // sums of the force and its derivatives at fixed times
    let along = |a: f64, b: f64| {
        let mut sum = Press::default();
        for (node, weight) in GAUSS {
            let (t, w) = (a + node * (b - a), weight * (b - a) / h);
            let at = law.press(onset, depth + t * rate, rate);
            sum.force += w * at.force;
            sum.elastic += w * at.elastic;
            sum.by_depth += w * at.by_depth;
            sum.by_rate += w * (at.by_rate + t * at.by_depth);
        }
        sum
    };
    let inside = along(from, to);
    // a linear damper may push only in a part of the path
    let [a, b] = [from, to].map(|t| law.push(onset, depth + t * rate, rate));
    let turns = from + (to - from) * a / (a - b);
    let pushing = match (a < 0.0, b < 0.0) {
        (false, false) => inside,
        (true, false) => along(turns, to),
        (false, true) => along(from, turns),
        (true, true) => Press::default(),
    };
    mean.force = pushing.force;
    mean.elastic = inside.elastic;
    mean.by_depth += pushing.by_depth;
    mean.by_rate += pushing.by_rate;
    if (end - start).abs() > SMALL * start.max(end) {
        // losses grow with the elastic force, or are linear, for which the sum is exact
        let energy = |depth: f64| law.energy(onset, depth.max(0.0));
        let elastic = (energy(end) - energy(start)) / (end - start);
        let right = if mean.elastic > 0.0 { elastic / mean.elastic } else { 1.0 };
        mean = Press {
            force: right * mean.force,
            by_depth: right * mean.by_depth,
            by_rate: right * mean.by_rate,
            elastic,
        };
    }
    mean
}

/// Friction over a step of length h from the deflection z of the bristles, and their deflection at its end.
///
/// At a constant sliding velocity bristles follow ż = r − a (z − z₀) exactly, so they may forget arbitrarily fast:
/// their mean is z₀ + h ψ(ah) r, their end z₀ + h φ(ah) r.
pub(super) fn mean_friction(
    law: &dyn FrictionLaw,
    normal: f64,
    slip: [f64; 2],
    z: [f64; 2],
    h: f64,
) -> (SlipForce, [f64; 2]) {
    if law.bristle().is_none() {
        return (law.slip_force(normal, slip, z), z);
    }
    let start = law.slip_force(normal, slip, z);
    let (phi, psi) = relaxed(start.relaxation * h);
    let moved = |by: f64| [0, 1].map(|i| z[i] + h * by * start.bristle_rate[i]);
    let mut mean = law.slip_force(normal, slip, moved(psi));
    for (by_slip, rate) in mean.by_slip.iter_mut().zip(mean.rate_by_slip) {
        for (by_slip, rate) in by_slip.iter_mut().zip(rate) {
            *by_slip += mean.by_bristle * h * psi * rate;
        }
    }
    (mean, moved(phi))
}

/// φ = (1 − exp(−x))/x and ψ = (1 − φ)/x.
fn relaxed(x: f64) -> (f64, f64) {
    if x < SMALL {
        return (1.0 - x / 2.0 + x * x / 6.0, 0.5 - x / 6.0 + x * x / 24.0);
    }
    let phi = -(-x).exp_m1() / x;
    (phi, (1.0 - phi) / x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_dae::normal_law::{Damping, EndRule, Hertz, HuntCrossley, KelvinVoigt};

    const ONSET: Onset = Onset { speed: 1.5, stiffness: 2e4, mass: 0.7 };

    fn laws() -> [Box<dyn NormalLaw>; 4] {
        let damper = |end| KelvinVoigt { damping: Damping::Given(30.0), end };
        [
            Box::new(Hertz { exponent: 1.5 }),
            Box::new(HuntCrossley { exponent: 1.5, restitution: 0.6 }),
            Box::new(damper(EndRule::Force)),
            Box::new(damper(EndRule::Gap)),
        ]
    }

    /// Ways that stay inside, go in, come out, go through, and stay outside.
    const WAYS: [(f64, f64); 7] = [
        (0.02, 0.5),
        (0.02, -0.5),
        (0.001, 1.3),
        (-0.001, 1.3),
        (0.001, -1.3),
        (-0.002, -1.1),
        (-0.02, 1.0),
    ];
    const WINDOW: [f64; 2] = [-0.006, 0.004];

    /// Against a fine sum of the force along the way.
    #[test]
    fn it_is_the_mean_along_the_way() {
        for law in laws() {
            for (depth, rate) in WAYS {
                let n = 200_000;
                let h = WINDOW[1] - WINDOW[0];
                let (mut force, mut elastic) = (0.0, 0.0);
                for k in 0..n {
                    let d = depth + (WINDOW[0] + h * (k as f64 + 0.5) / n as f64) * rate;
                    if d > 0.0 {
                        let at = law.press(&ONSET, d, rate);
                        elastic += at.elastic / n as f64;
                        if law.push(&ONSET, d, rate) >= 0.0 {
                            force += at.force / n as f64;
                        }
                    }
                }
                let mean = mean_press(&*law, &ONSET, depth, rate, WINDOW);
                let scale = 1e-5 * ONSET.stiffness * 0.01f64.powf(law.exponent()) + 2e-3 * force;
                assert!((mean.force - force).abs() <= scale, "{law:?} {depth} {rate}");
                assert!((mean.elastic - elastic).abs() <= scale, "{law:?} {depth} {rate}");
            }
        }
    }

    /// The elastic part does the work that the energy asks for, to round-off.
    #[test]
    fn what_has_a_potential_gives_it_back() {
        for law in laws() {
            for (depth, rate) in WAYS {
                let mean = mean_press(&*law, &ONSET, depth, rate, WINDOW);
                let work = mean.elastic * rate * (WINDOW[1] - WINDOW[0]);
                let [start, end] = WINDOW.map(|t| law.energy(&ONSET, (depth + t * rate).max(0.0)));
                assert!((work - (end - start)).abs() <= 1e-12 * start.max(end), "{law:?}");
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_mean() {
        for law in laws() {
            for (depth, rate) in WAYS {
                let at = |d: f64, r: f64| mean_press(&*law, &ONSET, d, r, WINDOW);
                let own = at(depth, rate);
                let (e, f) = (1e-7, 1e-5);
                let by_depth = (at(depth + e, rate).force - at(depth - e, rate).force) / (2.0 * e);
                let by_rate = (at(depth, rate + f).force - at(depth, rate - f).force) / (2.0 * f);
                // four points are exact to some thousandths where the way begins at the surface
                let (k, c) = (5e-3 * (own.by_depth.abs() + 1.0), 5e-3 * (own.by_rate.abs() + 0.1));
                assert!((own.by_depth - by_depth).abs() <= k, "{law:?} {depth} {rate}: {by_depth}");
                assert!((own.by_rate - by_rate).abs() <= c, "{law:?} {depth} {rate}: {by_rate}");
            }
        }
    }

    #[test]
    fn bristles_relax_without_a_seam() {
        let (a, b) = (relaxed(SMALL * (1.0 - 1e-9)), relaxed(SMALL));
        assert!((a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9);
        let (phi, psi) = relaxed(1e8);
        assert!((phi - 1e-8).abs() < 1e-20 && (psi - 1e-8).abs() < 2e-16);
    }
}
