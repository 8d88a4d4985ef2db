//! The contract of all friction laws: derivatives against differences, no force that drives, isotropy, and the
//! characteristic values of each.

use super::*;

const FALLING: Falling = Falling { sliding: 0.3, at_rest: 0.5, speed: 0.05, exponent: 2.0 };

fn laws() -> Vec<Box<dyn FrictionLaw>> {
    let steep = Falling { exponent: 1.0, ..FALLING };
    vec![
        Box::new(Threlfall { friction: 0.3, creep_speed: 0.01 }),
        Box::new(Ambrosio { friction: 0.3, dead_speed: 0.0, creep_speed: 0.01 }),
        Box::new(Ambrosio { friction: 0.3, dead_speed: 0.002, creep_speed: 0.01 }),
        Box::new(BengisuAkay { sliding: 0.3, at_rest: 0.5, creep_speed: 0.01, fall_rate: 20.0 }),
        Box::new(Stribeck { falling: FALLING, creep_speed: 0.01, viscous: 0.2 }),
        Box::new(Stribeck { falling: steep, creep_speed: 0.01, viscous: 0.0 }),
        Box::new(LuGre { falling: FALLING, stiffness: 1e3, damping: 2.0, viscous: 0.4 }),
        Box::new(LuGre { falling: steep, stiffness: 1e3, damping: 2.0, viscous: 0.0 }),
    ]
}

/// Sliding velocities below, around and above the speeds of the laws, none at a corner of a curve.
const SLIPS: [[f64; 2]; 6] =
    [[1e-3, 0.0], [-3e-3, 2e-3], [0.004, 0.007], [-0.02, 0.01], [0.0, -0.3], [2.0, 1.0]];
const BRISTLE: [f64; 2] = [2e-4, -1e-4];

#[test]
fn derivatives_are_those_of_the_force() {
    let normal = 7.0;
    for law in laws() {
        for u in SLIPS {
            let at = law.slip_force(normal, u, BRISTLE);
            let near = |found: f64, a: f64, b: f64, h: f64, what: &str| {
                let slope = (a - b) / (2.0 * h);
                let off = (found - slope).abs();
                assert!(
                    off <= 2e-5 * slope.abs().max(1.0),
                    "{law:?} {u:?} {what}: {found} {slope}"
                );
            };
            for j in 0..2 {
                let h = 1e-7;
                let moved =
                    |x: [f64; 2], h: f64| [0, 1].map(|k| x[k] + if k == j { h } else { 0.0 });
                let (p, m) = (
                    law.slip_force(normal, moved(u, h), BRISTLE),
                    law.slip_force(normal, moved(u, -h), BRISTLE),
                );
                let (bp, bm) = (
                    law.slip_force(normal, u, moved(BRISTLE, h)),
                    law.slip_force(normal, u, moved(BRISTLE, -h)),
                );
                for i in 0..2 {
                    let one = if i == j { 1.0 } else { 0.0 };
                    near(at.by_slip[i][j], p.force[i], m.force[i], h, "force by slip");
                    let [a, b] = [p, m].map(|x| x.bristle_rate[i]);
                    near(at.rate_by_slip[i][j], a, b, h, "rate by slip");
                    near(one * at.by_bristle, bp.force[i], bm.force[i], h, "force by bristle");
                    let [a, b] = [bp, bm].map(|x| x.bristle_rate[i]);
                    near(-one * at.relaxation, a, b, h, "rate by bristle");
                }
            }
            for i in 0..2 {
                assert!((at.force[i] - normal * at.by_normal[i]).abs() < 1e-12, "{law:?}");
            }
        }
    }
}

/// At rest too, where directions have no meaning.
#[test]
fn rest_is_finite_and_holds_nothing_without_bristles() {
    for law in laws() {
        let at = law.slip_force(3.0, [0.0; 2], [0.0; 2]);
        assert_eq!(at.force.map(f64::abs), [0.0; 2], "{law:?}");
        assert!(at.by_slip.iter().flatten().all(|x| x.is_finite() && *x <= 0.0), "{law:?}");
        assert_eq!((at.by_slip[0][1], at.by_slip[0][0]), (0.0, at.by_slip[1][1]), "{law:?}");
    }
}

/// Friction is against sliding; turning the plane turns the force.
#[test]
fn forces_resist_and_have_no_direction_of_their_own() {
    let (c, s) = (0.6, 0.8);
    let turn = |x: [f64; 2]| [c * x[0] - s * x[1], s * x[0] + c * x[1]];
    for law in laws() {
        for u in SLIPS {
            let f = law.slip_force(5.0, u, [0.0; 2]).force;
            assert!(f[0] * u[0] + f[1] * u[1] <= 0.0, "{law:?} {u:?}");
            let (a, b) =
                (law.slip_force(5.0, u, BRISTLE), law.slip_force(5.0, turn(u), turn(BRISTLE)));
            for (x, y) in turn(a.force).into_iter().zip(b.force) {
                assert!((x - y).abs() < 1e-12, "{law:?} {u:?}");
            }
        }
    }
}

/// Fast sliding has the coefficient of sliding; Threlfall 95 % of it.
#[test]
fn what_each_is_known_by() {
    let fast = |law: &dyn FrictionLaw| -law.slip_force(1.0, [5.0, 0.0], [0.0; 2]).force[0];
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    near(fast(&Threlfall { friction: 0.3, creep_speed: 0.01 }), 0.3 * (1.0 - (-3f64).exp()));
    near(fast(&Ambrosio { friction: 0.3, dead_speed: 0.0, creep_speed: 0.01 }), 0.3);
    let peak = BengisuAkay { sliding: 0.3, at_rest: 0.5, creep_speed: 0.01, fall_rate: 20.0 };
    near(peak.at(0.01).mu, 0.5);
    near(fast(&peak), 0.3);
    near(fast(&Stribeck { falling: FALLING, creep_speed: 0.01, viscous: 0.0 }), 0.3);
    // at constant speed the bristles stay as they are
    let lugre = LuGre { falling: FALLING, stiffness: 1e3, damping: 2.0, viscous: 0.4 };
    for s in [1e-3, 0.05, 0.7] {
        let z = FALLING.at(s).0 / lugre.stiffness;
        let at = lugre.slip_force(2.0, [s, 0.0], [z, 0.0]);
        near(at.bristle_rate[0], 0.0);
        near(-at.force[0], 2.0 * (FALLING.at(s).0 + 0.4 * s));
    }
    assert_eq!(lugre.bristle(), Some(0.5 / 1e3));
    // the curve of E7
    let curve = Falling { sliding: 0.3, at_rest: 0.4, speed: 0.05, exponent: 1.0 };
    near(curve.at(0.0).0, 0.4);
    near(curve.at(0.0).1, -2.0);
}
