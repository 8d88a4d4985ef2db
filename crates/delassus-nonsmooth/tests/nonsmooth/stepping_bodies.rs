//! Time-stepping of bodies: curved gaps, stacks, joints, rolling, many spheres.

use crate::jointed;
use crate::linear;
use crate::planar;
use crate::spheres;

use delassus_dae::*;
use delassus_nonsmooth::stepping::{Scheme, StepReport, Stepper, StepperSettings};
use jointed::Jointed;
use linear::contact;
use planar::{Corner, Planar};
use spheres::Spheres;

const G: f64 = 9.81;
const MJ: Scheme = Scheme::MoreauJean { theta: 0.5 };
const GA: Scheme = Scheme::NonsmoothGenAlpha { rho: 0.8 };

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

/// Boxes of 0.2 m one on the other: the two lower corners of each on the top of the one below, and its
/// lower side against the two upper corners of that one (four points per interface).
fn stack(n: usize, mu: f64) -> (Planar, State) {
    let mut p = Planar::new(vec![(1.0, (0.04 + 0.04) / 12.0); n]);
    for i in 0..n {
        for x in [-0.1, 0.1] {
            let (b, foot) = if i == 0 { (None, [0.0, 0.0]) } else { (Some(i - 1), [0.0, 0.1]) };
            let law = contact(0.0, mu, 1);
            p.corners.push(Corner { a: i, corner: [x, -0.1], b, foot, normal: [0.0, 1.0], law });
            if i > 0 {
                p.corners.push(Corner {
                    a: i - 1,
                    corner: [x, 0.1],
                    b: Some(i),
                    foot: [0.0, -0.1],
                    normal: [0.0, -1.0],
                    law,
                });
            }
        }
    }
    let q = (0..n).flat_map(|i| [0.0, 0.1 + 0.2 * i as f64, 0.0]).collect();
    (p, State { t: 0.0, q, v: vec![0.0; 3 * n], z: vec![] })
}

/// G13: five boxes rest for 5 s; each interface carries what lies on it.
#[test]
fn stack_of_boxes_rests() {
    for scheme in [MJ, GA, Scheme::SchatzmanPaoli] {
        let (p, mut s) = stack(5, 0.5);
        let start = s.clone();
        run(&p, scheme, &mut s, 5e-3, 1000, |_, r, m| {
            assert!(r.energy.abs() < 1e-9, "{scheme:?} {r:?}");
            let mut load = [0.0; 5];
            for c in m.impulses() {
                let corner = &p.corners[c.id.pair as usize];
                load[corner.a.max(corner.b.unwrap_or(0))] += c.impulse[0] / 5e-3;
            }
            for (i, l) in load.iter().enumerate() {
                let want = (5 - i) as f64 * G;
                assert!((l / want - 1.0).abs() < 1e-6, "{scheme:?} {load:?}");
            }
        });
        let moved = delassus_math::max_difference(&s.q, &start.q);
        println!("{scheme:?}: moved {moved:.1e}");
        assert!(moved < 1e-6, "{scheme:?} {moved}");
    }
}

/// G13: the top box slides above μ m g = 4.905 N and not below.
#[test]
fn top_box_slides_at_the_limit() {
    for (force, slides) in [(4.9, false), (4.91, true)] {
        let (mut p, mut s) = stack(3, 0.5);
        p.forces[2][0] = force;
        run(&p, MJ, &mut s, 1e-3, 1000, |_, _, _| ());
        assert_eq!(s.q[6] > 1e-4, slides, "{force}: {:?}", s.q);
        assert!(s.q[0].abs() < 1e-9);
        if slides {
            assert!((s.q[6] - 0.5 * (force - 0.5 * G)).abs() < 1e-4, "{}", s.q[6]);
        }
    }
}

/// A box falls on its edge and comes to rest; no energy is made, no corner penetrates.
#[test]
fn box_falls_on_its_edge() {
    for scheme in [MJ, GA] {
        for e in [0.0, 0.4, 0.8] {
            let (mut p, mut s) = stack(1, 0.3);
            for c in &mut p.corners {
                c.law = contact(e, 0.3, 1);
            }
            for x in [-0.1, 0.1] {
                p.corners.push(Corner {
                    a: 0,
                    corner: [x, 0.1],
                    b: None,
                    foot: [0.0, 0.0],
                    normal: [0.0, 1.0],
                    law: contact(e, 0.3, 1),
                });
            }
            s.q = vec![0.0, 0.4, 0.5];
            s.v = vec![1.0, 0.0, 2.0];
            let energy = |s: &State| {
                0.5 * (s.v[0].powi(2) + s.v[1].powi(2) + s.v[2].powi(2) * 0.08 / 12.0) + G * s.q[1]
            };
            let mut last = energy(&s);
            let (mut gain, mut deepest) = (0.0f64, 0.0f64);
            run(&p, scheme, &mut s, 1e-3, 4000, |s, r, _| {
                let now = energy(s);
                gain = gain.max(now - last);
                last = now;
                deepest = deepest.max(r.penetration);
                // ½ Σ |P| |Δu| of a resting box: ½ m (g h)², a few times that where corners are hit
                assert!(r.energy <= 4.0 * (G * 1e-3f64).powi(2), "{scheme:?} e = {e}: {r:?}");
            });
            println!(
                "{scheme:?} e = {e}: largest gain {gain:.1e} J, depth {deepest:.1e} m, {:?}",
                s.v
            );
            assert!(deepest < 1e-6, "{scheme:?} e = {e} {deepest}");
            assert!(s.v.iter().all(|v| v.abs() < 1e-6), "{scheme:?} e = {e} {s:?}");
            // steps out of the ground raise it by what a step approaches
            assert!(gain < 2e-3, "{scheme:?} e = {e} {gain}");
        }
    }
}

/// G5: inconsistent and indeterminate states of the sliding rod stay finite.
#[test]
fn painleve_rod_stays_finite() {
    for scheme in [MJ, GA, Scheme::SchatzmanPaoli] {
        for mu in [1.4, 2.0, 3.0] {
            for angle in [0.7f64, 1.0, 1.2] {
                for spin in [-1.0, 0.0, 1.0] {
                    // half-length 0.5, mass 1; the lower end slides against the lean
                    let mut p = Planar::new(vec![(1.0, 1.0 / 12.0)]);
                    for corner in [[-0.5, 0.0], [0.5, 0.0]] {
                        p.corners.push(Corner {
                            a: 0,
                            corner,
                            b: None,
                            foot: [0.0, 0.0],
                            normal: [0.0, 1.0],
                            law: contact(0.0, mu, 1),
                        });
                    }
                    let lean = std::f64::consts::PI - angle;
                    let (sin, cos) = lean.sin_cos();
                    // velocity of the lower end: along the ground only
                    let v = [3.0 - 0.5 * sin * spin, 0.5 * cos * spin, spin];
                    let mut s =
                        State { t: 0.0, q: vec![0.0, 0.5 * sin, lean], v: v.to_vec(), z: vec![] };
                    let energy = |s: &State| {
                        0.5 * (s.v[0].powi(2) + s.v[1].powi(2) + s.v[2].powi(2) / 12.0) + G * s.q[1]
                    };
                    let first = energy(&s);
                    run(&p, scheme, &mut s, 2e-3, 500, |s, r, _| {
                        assert!(s.v.iter().all(|x| x.is_finite()));
                        if scheme != Scheme::SchatzmanPaoli {
                            assert!(r.energy <= 4.0 * (G * 2e-3f64).powi(2), "{r:?}");
                            assert!(energy(s) < first + 1e-2, "{scheme:?} {mu} {angle} {spin}");
                        }
                    });
                }
            }
        }
    }
}

/// G12 in Cartesian coordinates with links (one of them twice: redundant) and an auxiliary state.
#[test]
fn two_links_and_a_wall() {
    let x = |a: f64, b: f64| vec![a.sin(), -a.cos(), a.sin() + b.sin(), -a.cos() - b.cos()];
    for redundant in [false, true] {
        for scheme in [MJ, GA, Scheme::SchatzmanPaoli] {
            let mut p = Jointed {
                mass: vec![1.0; 4],
                f: vec![0.0, -G, 0.0, -G],
                links: vec![(None, 0, 1.0), (Some(0), 1, 1.0)],
                rolling: vec![],
                gaps: vec![
                    (contact(0.8, 0.0, 0), vec![1.0, 0.0, 0.0, 0.0], 0.4),
                    (contact(0.8, 0.0, 0), vec![0.0, 0.0, 1.0, 0.0], 0.4),
                ],
                independent: None,
                manifold: Manifold::vector(4),
                structure: Default::default(),
            };
            if redundant {
                p.links.push((Some(0), 1, 1.0));
                p.independent = Some(vec![0, 1]);
            }
            let h = 1e-4;
            let mut s = State { t: 0.0, q: x(0.6, 0.9), v: vec![0.0; 4], z: vec![0.0] };
            let (mut hits, mut drift) = (Vec::new(), 0.0f64);
            let mut integral = 0.0;
            let mut before = s.q[0];
            run(&p, scheme, &mut s, h, 26_000, |s, r, m| {
                for c in m.impulses() {
                    if c.impulse[0] > 0.05
                        && hits.last().is_none_or(|(t, _): &(f64, u64)| s.t - t > 0.01)
                    {
                        hits.push((s.t, c.id.pair));
                    }
                }
                integral += 0.5 * h * (before + s.q[0]);
                before = s.q[0];
                drift = drift.max((s.q[0].hypot(s.q[1]) - 1.0).abs());
                drift = drift.max(((s.q[2] - s.q[0]).hypot(s.q[3] - s.q[1]) - 1.0).abs());
                if scheme != Scheme::SchatzmanPaoli {
                    assert!(r.penetration < 1e-6);
                }
            });
            println!("{scheme:?} redundant {redundant}: {hits:.5?}, drift {drift:.1e}");
            assert!(drift < 1e-14, "{scheme:?} {drift}");
            assert!((s.z[0] - integral).abs() < 1e-4, "{} {integral}", s.z[0]);
            let want = [(0.79156, 1), (2.35580, 0), (2.52996, 1)];
            for (h, w) in hits.iter().zip(want) {
                assert!((h.0 - w.0).abs() < 2e-3 && h.1 == w.1, "{scheme:?} {hits:?}");
            }
            assert!(hits.len() >= 3, "{hits:?}");
        }
    }
}

/// A disc that rolls (a row for velocities only) down against a stop: e of the rolling disc.
#[test]
fn rolling_disc_hits_a_stop() {
    for scheme in [MJ, GA, Scheme::SchatzmanPaoli] {
        // x and r φ; inertia ½ m r², m = 1; pulled with 3 N to the stop at x = 1
        let p = Jointed {
            mass: vec![1.0, 0.5],
            f: vec![3.0, 0.0],
            links: vec![],
            rolling: vec![vec![1.0, -1.0]],
            gaps: vec![(contact(0.5, 0.0, 0), vec![-1.0, 0.0], 1.0)],
            independent: None,
            manifold: Manifold::vector(2),
            structure: Default::default(),
        };
        let mut s = State { t: 0.0, q: vec![0.0; 2], v: vec![0.0; 2], z: vec![0.0] };
        let mut fastest_back = 0.0f64;
        run(&p, scheme, &mut s, 1e-4, 32_000, |s, _, _| {
            assert!((s.v[0] - s.v[1]).abs() < 1e-13);
            fastest_back = fastest_back.min(s.v[0]);
        });
        // a = 3/1.5 = 2, hits with v = 2, leaves with 1, rests at the stop from 3 s on
        assert!((fastest_back + 1.0).abs() < 1e-3, "{scheme:?} {fastest_back}");
        assert!((s.q[0] - 1.0).abs() < 1e-6 && s.v[0].abs() < 1e-6, "{scheme:?} {s:?}");
    }
}

/// A sphere slides, then rolls with 5/7 of its speed (2/7 are lost).
#[test]
fn sphere_slides_then_rolls() {
    for scheme in [MJ, GA, Scheme::SchatzmanPaoli] {
        let p = Spheres::new(1, 0.1, f64::INFINITY, 0.2, 0.0);
        let mut s = State {
            t: 0.0,
            q: vec![0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0],
            v: vec![0.0; 6],
            z: vec![],
        };
        (s.v[0], s.v[1]) = (0.8, 0.6);
        run(&p, scheme, &mut s, 1e-3, 1000, |s, _, _| assert!((s.q[2] - 0.1).abs() < 1e-9));
        // sliding ends after 2 v/(7 μ g) = 0.1456 s
        let speed = s.v[0].hypot(s.v[1]);
        println!("{scheme:?}: {speed} against {}", 5.0 / 7.0);
        assert!((speed - 5.0 / 7.0).abs() < 1e-6, "{scheme:?} {speed}");
        assert!((s.v[0] / s.v[1] - 4.0 / 3.0).abs() < 1e-6, "{scheme:?} {:?}", s.v);
    }
}

/// Spheres fall into a box: nothing penetrates, energy falls.
#[test]
fn spheres_in_a_box() {
    for (e, mu) in [(0.0, 0.5), (0.5, 0.3), (0.9, 0.0)] {
        let p = Spheres::new(40, 0.05, 0.16, mu, e);
        let mut s = p.start();
        let first = p.energy(&s);
        let (mut deepest, mut most, mut worst) = (0.0f64, 0, 0.0f64);
        run(&p, MJ, &mut s, 1e-3, 300, |_, r, _| {
            deepest = deepest.max(r.penetration);
            most = most.max(r.active);
            worst = worst.max(r.residual);
            // ½ Σ |P| |Δu| of 40 spheres at rest
            assert!(r.energy <= 20.0 * (G * 1e-3f64).powi(2), "{r:?}");
        });
        let last = p.energy(&s);
        println!(
            "e = {e}: depth {deepest:.1e}, contacts {most}, residual {worst:.1e}, energy {first:.2} to {last:.2}"
        );
        assert!(deepest < 1e-6 && last < first && most > 40);
    }
}

/// The wall is hit by a point without mass that two links hold.
#[test]
fn massless_point_hits_a_wall() {
    for scheme in [MJ, GA, Scheme::SchatzmanPaoli] {
        let p = Jointed {
            mass: vec![1.0, 1.0, 0.0, 0.0],
            f: vec![0.0, -G, 0.0, 0.0],
            links: vec![(None, 0, 1.0), (None, 1, 1.0), (Some(0), 1, 2f64.sqrt())],
            rolling: vec![],
            // at x = 0.9, reached when the arm of the mass is at −25.8°
            gaps: vec![(contact(0.6, 0.0, 0), vec![0.0, 0.0, -1.0, 0.0], 0.9)],
            independent: None,
            manifold: Manifold::vector(4),
            structure: Default::default(),
        };
        let (sin, cos) = 1.2f64.sin_cos();
        let q = vec![-sin, -cos, cos, -sin];
        let mut s = State { t: 0.0, q, v: vec![0.0; 4], z: vec![0.0] };
        let (mut first, mut drift) = (None, 0.0f64);
        run(&p, scheme, &mut s, 1e-4, 10_000, |s, _, m| {
            let before = -m.impulses().first().map_or(0.0, |c| c.before[0]);
            if first.is_none() && m.impulses().iter().any(|c| c.impulse[0] > 0.1) {
                first = Some((s.t, before, m.impulses()[0].after[0]));
            }
            drift = drift.max((s.q[2].hypot(s.q[3]) - 1.0).abs());
            assert!(s.v.iter().all(|v| v.is_finite()));
        });
        println!("{scheme:?}: {first:?}, drift {drift:.1e}");
        // ½ ω² = g (cos φ − cos 1.2), sin φ = √(1 − 0.81)
        let omega = (2.0 * G * (0.9 - cos)).sqrt();
        let (_, before, after) = first.unwrap();
        assert!((before - omega * 0.19f64.sqrt()).abs() < 5e-3, "{scheme:?} {before}");
        if scheme != Scheme::SchatzmanPaoli {
            assert!((after - 0.6 * before).abs() < 1e-9, "{scheme:?} {after} {before}");
        }
        assert!(drift < 1e-13);
    }
}
