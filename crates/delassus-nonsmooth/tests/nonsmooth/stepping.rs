//! Time-stepping against exact solutions: one or few points with linear gaps.

use crate::linear;

use delassus_dae::*;
use delassus_linalg::MassShape;
use delassus_nonsmooth::stepping::{Scheme, StepReport, Stepper, StepperError, StepperSettings};
use linear::{Linear, contact};

const G: f64 = 9.81;
const MJ: Scheme = Scheme::MoreauJean { theta: 0.5 };
const ALL: [Scheme; 3] = [MJ, Scheme::SchatzmanPaoli, Scheme::NonsmoothGenAlpha { rho: 0.8 }];

fn state(q: &[f64], v: &[f64]) -> State {
    State { t: 0.0, q: q.to_vec(), v: v.to_vec(), z: vec![] }
}

/// Runs `steps` steps and shows every state.
fn run<P: Unilateral>(
    p: &P,
    scheme: Scheme,
    s: &mut State,
    h: f64,
    steps: usize,
    mut look: impl FnMut(&State, &StepReport, &Stepper<P>),
) {
    let mut m = Stepper::new(p, scheme, StepperSettings::default()).unwrap();
    m.restart(p, s).unwrap();
    for k in 0..steps {
        let r = m.step(p, s, h).unwrap_or_else(|e| panic!("{scheme:?} step {k}: {e}"));
        look(s, &r, &m);
    }
}

fn ball(e: f64) -> Linear {
    let mut p = Linear::masses(&[1.0]).point(contact(e, 0.0, 0), &[&[1.0]], 0.0);
    p.f = vec![-G];
    p
}

/// Height of G1 at a time.
fn bouncing(t: f64, height: f64, e: f64) -> f64 {
    let first = (2.0 * height / G).sqrt();
    if t <= first {
        return height - 0.5 * G * t * t;
    }
    let (mut at, mut speed) = (first, e * G * first);
    while speed > 1e-12 {
        let flight = 2.0 * speed / G;
        if t <= at + flight {
            let s = t - at;
            return speed * s - 0.5 * G * s * s;
        }
        at += flight;
        speed *= e;
    }
    0.0
}

/// G1: the largest error falls with h, the ball rests after the Zeno time of 4.0637 s.
#[test]
fn bouncing_ball_converges_and_rests() {
    for scheme in ALL {
        let p = ball(0.8);
        let mut errors = Vec::new();
        for n in [1, 2, 4, 8] {
            let h = 2e-3 / f64::from(n);
            let mut s = state(&[1.0], &[0.0]);
            let mut worst = 0.0f64;
            run(&p, scheme, &mut s, h, (4.5 / h).round() as usize, |s, r, _| {
                worst = worst.max((s.q[0] - bouncing(s.t, 1.0, 0.8)).abs());
                if scheme != Scheme::SchatzmanPaoli {
                    assert!(s.q[0] > -1e-9, "{scheme:?} {}", s.q[0]);
                    assert!(r.energy <= 1e-12, "{scheme:?} {}", r.energy);
                }
            });
            assert!(s.q[0].abs() < G * h * h && s.v[0].abs() < 1e-6, "{scheme:?} {s:?}");
            errors.push(worst / h);
        }
        println!("{scheme:?}: error/h {errors:.2?}");
        // the error is irregular in h (phase of impacts), but bounded by c h
        assert!(errors.iter().all(|c| *c < 40.0), "{scheme:?} {errors:?}");
    }
}

/// Without restitution the ball lands and stays, exactly.
#[test]
fn inelastic_ball_lands_exactly() {
    for scheme in ALL {
        let mut s = state(&[0.1], &[0.0]);
        run(&ball(0.0), scheme, &mut s, 1e-3, 1000, |s, _, _| assert!(s.q[0] > -1e-12));
        assert!(s.q[0].abs() < 1e-12 && s.v[0].abs() < 1e-12, "{scheme:?} {s:?}");
    }
}

/// e = 1 keeps the energy of every bounce.
#[test]
fn elastic_ball_keeps_its_energy() {
    let mut s = state(&[1.0], &[0.0]);
    run(&ball(1.0), MJ, &mut s, 1e-3, 20_000, |s, _, _| {
        let energy = 0.5 * s.v[0] * s.v[0] + G * s.q[0];
        assert!((energy - G).abs() < 1e-9, "{energy}");
    });
}

/// G4: the table of Moreau's law.
#[test]
fn cradle() {
    for scheme in [MJ, Scheme::NonsmoothGenAlpha { rho: 0.8 }] {
        for (e, v, want) in [
            (1.0, [1.0, 0.0, 0.0, 0.0, 0.0], [-0.6, 0.4, 0.4, 0.4, 0.4]),
            (0.5, [1.0, 0.0, 0.0, 0.0, 0.0], [-0.2, 0.3, 0.3, 0.3, 0.3]),
            (0.0, [1.0, 0.0, 0.0, 0.0, 0.0], [0.2; 5]),
            (1.0, [1.0, 1.0, 0.0, 0.0, 0.0], [-0.2, -0.2, 0.8, 0.8, 0.8]),
            (0.5, [1.0, 1.0, 0.0, 0.0, 0.0], [0.1, 0.1, 0.6, 0.6, 0.6]),
        ] {
            let mut p = Linear::masses(&[1.0; 5]);
            for k in 0..4 {
                let mut row = [0.0; 5];
                (row[k], row[k + 1]) = (-1.0, 1.0);
                p = p.point(contact(e, 0.0, 0), &[&row], 0.0);
            }
            let mut s = state(&[0.0; 5], &v);
            run(&p, scheme, &mut s, 1e-3, 3, |_, r, _| assert!(r.energy <= 1e-12));
            for k in 0..5 {
                assert!((s.v[k] - want[k]).abs() < 1e-9, "{scheme:?} e = {e}: {:?}", s.v);
            }
        }
    }
}

/// Point on an incline: coordinates along and normal to it.
fn incline(mu: f64, angle: f64) -> Linear {
    let mut p =
        Linear::masses(&[1.0, 1.0]).point(contact(0.0, mu, 1), &[&[0.0, 1.0], &[1.0, 0.0]], 0.0);
    p.f = vec![-G * angle.sin(), -G * angle.cos()];
    p
}

/// G10: stick is exact, slip has the error of the step.
#[test]
fn box_on_an_incline() {
    let angle = 20f64.to_radians();
    for scheme in ALL {
        let mut s = state(&[0.0, 0.0], &[0.0, 0.0]);
        run(&incline(0.5, angle), scheme, &mut s, 1e-3, 2000, |_, _, _| ());
        assert!(s.q[0].abs() < 1e-9 && s.q[1].abs() < 1e-9, "{scheme:?} creeps {:?}", s.q);
        for (mu, v0, name) in
            [(0.3, 0.0, "slides down"), (0.5, 2.0, "up, stops"), (0.3, 2.0, "up and down")]
        {
            let (up, down) = (
                G * (angle.sin() + mu * angle.cos()),
                G * (angle.sin() - mu * angle.cos()).max(0.0),
            );
            let t_up = v0 / up;
            let want = 0.5 * v0 * t_up - 0.5 * down * (2.0 - t_up) * (2.0 - t_up);
            let mut errors = Vec::new();
            for h in [1e-3, 2.5e-4] {
                let mut s = state(&[0.0, 0.0], &[v0, 0.0]);
                run(
                    &incline(mu, angle),
                    scheme,
                    &mut s,
                    h,
                    (2.0 / h).round() as usize,
                    |_, _, _| (),
                );
                errors.push((s.q[0] - want).abs());
            }
            println!("{scheme:?} {name}: {errors:?}");
            assert!(errors[0] < 6e-3 && errors[1] < 1.6e-3, "{scheme:?} {name} {errors:?}");
        }
    }
}

/// G10b: on a slope of 30° with μ = tan 30°, |v| + v_down stays 1.
#[test]
fn friction_in_two_directions() {
    let a = 30f64.to_radians();
    let mut p = Linear::masses(&[1.0; 3]).point(
        contact(0.0, a.tan(), 2),
        &[&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]],
        0.0,
    );
    p.f = vec![0.0, -G * a.sin(), -G * a.cos()];
    for scheme in ALL {
        let mut worst = Vec::new();
        for h in [1e-3, 5e-4] {
            let mut s = state(&[0.0; 3], &[1.0, 0.0, 0.0]);
            let mut w = 0.0f64;
            run(&p, scheme, &mut s, h, (1.0 / h) as usize, |s, _, _| {
                w = w.max((s.v[0].hypot(s.v[1]) - s.v[1] - 1.0).abs());
            });
            // the direction of sliding turns down, the speed tends to ½
            assert!((s.v[1] + 0.5).abs() < 0.02 && s.v[0] > 0.0, "{scheme:?} {:?}", s.v);
            worst.push(w);
        }
        println!("{scheme:?}: invariant off by {worst:?}");
        assert!(worst[0] < 5e-3 && worst[1] < 0.6 * worst[0], "{scheme:?} {worst:?}");
    }
}

/// G9: the belt moves with 0.1 m/s; static 0.4, sliding 0.3.
#[test]
fn stick_slip_on_a_belt() {
    let law = PointLaw::Contact {
        mu: 0.3,
        mu_static: 0.4,
        restitution: Restitution { e: 0.0, law: RestitutionLaw::Newton },
        tangential: 1,
    };
    let mut p = Linear::masses(&[1.0, 1.0])
        .point(law, &[&[0.0, 1.0], &[1.0, 0.0]], 0.0)
        .moving(|_| [[0.0; 3], [0.0, -0.1, 0.0]]);
    p.f = vec![0.0, -G];
    p.k[0][0] = 100.0;
    for scheme in ALL {
        let mut periods = Vec::new();
        for h in [1e-3, 2.5e-4] {
            let mut s = state(&[0.0, 0.0], &[0.1, 0.0]);
            let (mut stuck, mut starts) = (true, Vec::new());
            run(&p, scheme, &mut s, h, (5.0 / h) as usize, |s, _, m| {
                let now = m.impulses()[0].after[1].abs() < 1e-9;
                if stuck && !now {
                    starts.push(s.t);
                }
                stuck = now;
            });
            assert!(starts.len() >= 6, "{scheme:?} {starts:?}");
            let n = starts.len() - 1;
            periods.push((starts[n] - starts[0]) / n as f64);
        }
        println!("{scheme:?}: period {periods:?}");
        assert!((periods[0] - 0.6693570623425575).abs() < 3e-3, "{scheme:?} {periods:?}");
        assert!((periods[1] - 0.6693570623425575).abs() < 1e-3, "{scheme:?} {periods:?}");
    }
}

/// G2: a ball on a moving plate; the first impacts.
#[test]
fn ball_on_a_moving_plate() {
    let mut p = Linear::masses(&[1.0]).point(contact(0.7, 0.0, 0), &[&[1.0]], 0.0).moving(|t| {
        let w = 10.0 * std::f64::consts::PI;
        [[-0.01 * (w * t).sin(), -0.01 * w * (w * t).cos(), 0.01 * w * w * (w * t).sin()], [0.0; 3]]
    });
    p.f = vec![-G];
    for scheme in ALL {
        let h = 1e-4;
        let mut s = state(&[0.3], &[0.0]);
        let mut times: Vec<f64> = Vec::new();
        run(&p, scheme, &mut s, h, (1.2 / h) as usize, |s, r, m| {
            let hit = m.impulses().iter().any(|c| c.impulse[0] > 0.2);
            if hit && times.last().is_none_or(|t| s.t - t > 0.01) {
                times.push(s.t);
            }
            if scheme != Scheme::SchatzmanPaoli {
                assert!(r.penetration < 1e-6, "{scheme:?} {}", r.penetration);
            }
        });
        println!("{scheme:?} {times:.4?}");
        for (t, want) in
            times.iter().zip([0.2432468975582941, 0.6103709763818906, 0.9783292419635566])
        {
            assert!((t - want).abs() < 5e-4, "{scheme:?} {times:?}");
        }
        assert!(times.len() >= 3, "{scheme:?} {times:?}");
    }
}

/// G7: period and drop of the woodpecker's limit cycle.
fn woodpecker() -> Linear {
    let (r0, rm, hm, lm, lg, hs, ls) = (0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201);
    let (mm, ms, jm, js, c) = (0.0003, 0.0045, 5e-9, 7e-7, 0.0056);
    let mut p = Linear::masses(&[1.0; 3]);
    p.mass = vec![
        vec![ms + mm, ms * lm, ms * lg],
        vec![ms * lm, jm + ms * lm * lm, ms * lm * lg],
        vec![ms * lg, ms * lm * lg, js + ms * lg * lg],
    ];
    p.f = vec![-(ms + mm) * G, -ms * G * lm, -ms * G * lg];
    p.k[1][1] = c;
    p.k[1][2] = -c;
    p.k[2][1] = -c;
    p.k[2][2] = c;
    p.point(contact(0.5, 0.3, 1), &[&[0.0, 0.0, -hs], &[1.0, lm, lg - ls]], lm + lg - ls - r0)
        .point(contact(0.0, 0.3, 1), &[&[0.0, hm, 0.0], &[1.0, rm, 0.0]], rm - r0)
        .point(contact(0.0, 0.3, 1), &[&[0.0, -hm, 0.0], &[1.0, rm, 0.0]], rm - r0)
}

#[test]
fn woodpecker_limit_cycle() {
    for scheme in [MJ, Scheme::NonsmoothGenAlpha { rho: 0.9 }] {
        let h = 1e-5;
        let mut s = state(&[0.0, -0.1036, -0.2788], &[-0.3411, 0.0, -7.4583]);
        let (mut last, mut returns) = ((0.0, 0.0, -0.2788), Vec::new());
        run(&woodpecker(), scheme, &mut s, h, 45_000, |s, r, _| {
            let level = -0.2788;
            if last.2 > level && s.q[2] <= level {
                let x = (last.2 - level) / (last.2 - s.q[2]);
                returns.push((last.0 + x * h, last.1 + x * (s.q[0] - last.1)));
            }
            last = (s.t, s.q[0], s.q[2]);
            assert!(r.penetration < 1e-6 && r.energy <= 1e-9);
        });
        println!("{scheme:?} {returns:.5?}");
        assert!(returns.len() >= 3, "{scheme:?} {returns:?}");
        let mut before = (0.0, 0.0);
        for r in &returns[..3] {
            let (period, drop) = (r.0 - before.0, before.1 - r.1);
            assert!((period / 0.146 - 1.0).abs() < 0.01, "{scheme:?} {returns:?}");
            assert!((drop / 0.01945 - 1.0).abs() < 0.01, "{scheme:?} {returns:?}");
            before = *r;
        }
    }
}

/// Smooth phases: order 2 of all schemes, on a pendulum-like oscillator that never touches.
#[test]
fn order_two_on_smooth_motion() {
    for scheme in ALL {
        let mut p = Linear::masses(&[1.0, 2.0]).point(contact(0.5, 0.0, 0), &[&[1.0, 0.0]], 10.0);
        p.k = vec![vec![30.0, -10.0], vec![-10.0, 20.0]];
        let end = |n: usize| {
            let mut s = state(&[1.0, -0.5], &[0.0, 1.0]);
            run(&p, scheme, &mut s, 1.0 / n as f64, n, |_, _, _| ());
            [s.q[0], s.q[1], s.v[0], s.v[1]]
        };
        let exact = end(40_000);
        let error = |n| -> f64 {
            let x = end(n);
            delassus_math::max_difference(&x, &exact)
        };
        let order = (error(200) / error(400)).log2();
        println!("{scheme:?}: order {order:.2}, error {:.1e}", error(400));
        assert!(order > 1.9, "{scheme:?} {order}");
    }
}

/// A spring 10⁴ times stiffer than the step resolves stays quiet, and a stop still works.
#[test]
fn stiff_spring_does_not_blow_up() {
    for scheme in ALL {
        let mut p = Linear::masses(&[1.0, 1e-3]).point(contact(0.3, 0.0, 0), &[&[1.0, 0.0]], 0.0);
        let k = 1e9;
        p.k = vec![vec![k, -k], vec![-k, k]];
        p.f = vec![-G, -G * 1e-3];
        let mut s = state(&[0.1, 0.1], &[0.0, 0.0]);
        let mut implicit = false;
        run(&p, scheme, &mut s, 1e-3, 2000, |_, r, _| implicit |= r.implicit);
        assert!(implicit);
        assert!(s.q[0].abs() < 1e-4 && s.v[0].abs() < 0.05, "{scheme:?} {s:?}");
    }
}

/// One-way clutch and dry friction: two discs, the second driven, then held.
#[test]
fn clutch_and_dry_friction() {
    let mut p = Linear::masses(&[1.0, 1.0]).point(PointLaw::OneWay, &[&[1.0, -1.0]], 0.0).point(
        PointLaw::DryFriction { bound: 0.5, bound_static: 0.5 },
        &[&[1.0, 0.0]],
        0.0,
    );
    // torque 2 on disc 2 drives disc 1 through the clutch against friction 0.5
    p.f = vec![0.0, 2.0];
    for scheme in ALL {
        let mut s = state(&[0.0, 0.0], &[0.0, 0.0]);
        run(&p, scheme, &mut s, 1e-3, 1000, |_, _, _| ());
        assert!((s.v[0] - 0.75).abs() < 2e-3 && (s.v[1] - 0.75).abs() < 2e-3, "{scheme:?} {s:?}");
        // below the bound nothing moves
        let mut still = Linear::masses(&[1.0]).point(
            PointLaw::DryFriction { bound: 0.5, bound_static: 0.6 },
            &[&[1.0]],
            0.0,
        );
        still.f = vec![0.55];
        let mut s = state(&[0.0], &[0.0]);
        run(&still, scheme, &mut s, 1e-3, 1000, |_, _, _| ());
        assert!(s.q[0].abs() < 1e-12, "{scheme:?} {s:?}");
        still.f = vec![0.65];
        let mut s = state(&[0.0], &[0.0]);
        run(&still, scheme, &mut s, 1e-3, 1000, |_, _, _| ());
        assert!((s.v[0] - 0.15).abs() < 2e-3, "{scheme:?} {s:?}");
    }
}

#[test]
fn a_bad_step_is_refused() {
    let p = ball(0.5);
    let mut s = state(&[1.0], &[0.0]);
    let mut m = Stepper::new(&p, MJ, StepperSettings::default()).unwrap();
    m.restart(&p, &s).unwrap();
    let before = s.clone();
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(m.step(&p, &mut s, h).is_err());
        assert_eq!(s, before);
    }
}

/// A contact problem that no solver can solve: the step is halved, then the failure is reported with its residual; the
/// state is unchanged.
#[test]
fn an_unsolved_step_is_told() {
    let p = ball(0.5);
    let mut s = state(&[1e-4], &[-1.0]);
    let never = StepperSettings { tolerance: -1.0, ..StepperSettings::default() };
    let settings = StepperSettings { large_tolerance: -1.0, ..never };
    let mut m = Stepper::new(&p, MJ, settings).unwrap();
    m.restart(&p, &s).unwrap();
    let before = s.clone();
    match m.step(&p, &mut s, 1e-3) {
        Err(StepperError::Contact { points, residual, h, .. }) => {
            assert!(points.len() == 1 && residual.is_finite() && h < 1e-3, "{residual} {h}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(s, before);
    // what is within the tolerance of large problems is taken where no shorter step does better, and told
    let mut m = Stepper::new(&p, MJ, never).unwrap();
    m.restart(&p, &s).unwrap();
    let report = m.step(&p, &mut s, 1e-3).unwrap();
    assert!(report.loosened && report.halvings == never.max_halvings, "{report:?}");
}

/// Same input, same bits; a restart forgets everything.
#[test]
fn a_restart_forgets_everything() {
    for scheme in ALL {
        let p = woodpecker();
        let start = state(&[0.0, -0.1036, -0.2788], &[-0.3411, 0.0, -7.4583]);
        let mut m = Stepper::new(&p, scheme, StepperSettings::default()).unwrap();
        let mut go = || {
            let mut s = start.clone();
            m.restart(&p, &s).unwrap();
            for _ in 0..2000 {
                m.step(&p, &mut s, 2e-5).unwrap();
            }
            s
        };
        assert_eq!(go(), go(), "{scheme:?}");
    }
}

/// The same with a block per coordinate, coupled where the mass is not zero, instead of a full one.
fn coupled(mut p: Linear) -> Linear {
    let n = p.f.len();
    let pairs = (0..n * n).map(|k| (k / n, k % n)).filter(|(i, j)| p.mass[*i][*j] != 0.0);
    p.structure.mass = MassShape::coupled(vec![1; n], pairs).unwrap();
    p
}

/// A rope of elements with consistent mass that falls on stops under some of its nodes: the
/// same whether its mass is given as one block or as coupled ones, by every scheme, with soft forces and
/// with stiff ones.
#[test]
fn coupled_masses_hit_and_rest_like_one_block() {
    let rope = |stiffness: f64| {
        let n = 6;
        let mut p = Linear::masses(&[0.0; 6]);
        for k in 0..n - 1 {
            for (i, j, m) in [(k, k, 2.0), (k + 1, k + 1, 2.0), (k, k + 1, 1.0), (k + 1, k, 1.0)] {
                p.mass[i][j] += 0.1 * m;
                p.k[i][j] += stiffness * if i == j { 1.0 } else { -1.0 };
            }
            p.f[k] -= 0.3 * G;
            p.f[k + 1] -= 0.3 * G;
        }
        for k in [0, 2, 3, 5] {
            let mut row = vec![0.0; n];
            row[k] = 1.0;
            p = p.point(contact(0.3, 0.0, 0), &[&row], 0.02 * k as f64);
        }
        p
    };
    for scheme in ALL {
        for stiffness in [2.0, 5e4] {
            let mut ends = Vec::new();
            for p in [rope(stiffness), coupled(rope(stiffness))] {
                let mut s = state(&[0.2; 6], &[0.0; 6]);
                let mut impulses = 0.0;
                run(&p, scheme, &mut s, 1e-3, 800, |_, _, m| {
                    impulses += m.impulses().iter().map(|i| i.impulse[0]).sum::<f64>();
                });
                ends.push((s, impulses));
            }
            let off = delassus_math::max_difference(&ends[0].0.q, &ends[1].0.q);
            println!("{scheme:?} {stiffness}: {off:.1e}, impulses {}", ends[0].1);
            assert!(off < 1e-9, "{scheme:?} {stiffness}: {ends:?}");
            assert!((ends[0].1 - ends[1].1).abs() < 1e-7 * ends[0].1, "{scheme:?} {stiffness}");
            assert!(ends[0].1 > 1.0, "it touched nothing");
        }
    }
}
