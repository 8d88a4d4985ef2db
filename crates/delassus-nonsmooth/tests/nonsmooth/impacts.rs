//! Impacts against results that are known in closed form.

use crate::linear;

use delassus_dae::*;
use delassus_nonsmooth::impact::{Impact, resolve};
use delassus_nonsmooth::{Response, release};
use linear::{Linear, contact, id};

fn impact(p: &Linear, v: &[f64]) -> (Impact, Vec<f64>) {
    let mut ws = p.workspace();
    p.realize_position(0.0, &vec![0.0; v.len()], &[], &mut ws);
    p.realize_velocity(v, &[], &mut ws);
    let points = release::evaluate(p, &ws, (0..p.points.len()).map(|k| (id(k), [0, 0])));
    let mut r = Response::new(p).unwrap();
    r.set(p, &ws, points).unwrap();
    let mut u = Vec::new();
    r.rates(&mut u);
    let i = resolve(&r, &u, p.sequential, &mut delassus_cone::Workspace::new()).unwrap();
    let mut after = v.to_vec();
    r.apply(&i.impulse, &mut after);
    (i, after)
}

fn cradle(e: f64, sequential: bool) -> Linear {
    let mut p = Linear::masses(&[1.0; 5]);
    for k in 0..4 {
        let mut row = [0.0; 5];
        (row[k], row[k + 1]) = (-1.0, 1.0);
        p = p.point(contact(e, 0.0, 0), &[&row], 0.0);
    }
    p.sequential = sequential;
    p
}

fn close(a: &[f64], b: &[f64]) {
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() < 1e-12, "{a:?} {b:?}");
    }
}

/// G4: the table of Moreau's law.
#[test]
fn five_balls_at_once() {
    let one = [1.0, 0.0, 0.0, 0.0, 0.0];
    close(&impact(&cradle(1.0, false), &one).1, &[-0.6, 0.4, 0.4, 0.4, 0.4]);
    close(&impact(&cradle(0.5, false), &one).1, &[-0.2, 0.3, 0.3, 0.3, 0.3]);
    close(&impact(&cradle(0.0, false), &one).1, &[0.2; 5]);
    let two = [1.0, 1.0, 0.0, 0.0, 0.0];
    close(&impact(&cradle(1.0, false), &two).1, &[-0.2, -0.2, 0.8, 0.8, 0.8]);
    close(&impact(&cradle(0.5, false), &two).1, &[0.1, 0.1, 0.6, 0.6, 0.6]);
}

#[test]
fn five_balls_one_by_one() {
    let (i, v) = impact(&cradle(1.0, true), &[1.0, 0.0, 0.0, 0.0, 0.0]);
    close(&v, &[0.0, 0.0, 0.0, 0.0, 1.0]);
    assert!(i.energy.abs() < 1e-14);
    let (_, v) = impact(&cradle(1.0, true), &[1.0, 1.0, 0.0, 0.0, 0.0]);
    close(&v, &[0.0, 0.0, 0.0, 1.0, 1.0]);
}

/// A rod that slides while it hits: Newton's coefficient alone would add energy.
#[test]
fn no_impact_gains_energy() {
    let mut softened = 0;
    for i in 0..30 {
        for j in -10..=10 {
            // mass matrix that couples normal and tangent strongly
            let c = -0.95 + 1.9 * f64::from(i) / 29.0;
            let mut p = Linear::masses(&[1.0, 1.0]).point(
                contact(0.9, 0.7, 1),
                &[&[1.0, 0.0], &[0.0, 1.0]],
                0.0,
            );
            p.mass = vec![vec![1.0, c], vec![c, 1.0]];
            let (r, _) = impact(&p, &[-1.0, 0.3 * f64::from(j)]);
            let moved: f64 = r.impulse.iter().zip(&r.before).map(|(p, u)| (p * u).abs()).sum();
            assert!(r.energy <= 1e-12 * moved, "{c} {j}: {}", r.energy);
            softened += usize::from(!r.reduced.is_empty());
        }
    }
    assert!(softened > 0, "the audit never had to act: the test shows nothing");
}

/// The three laws agree where the point is alone and has no friction.
#[test]
fn laws_agree_without_friction() {
    for law in [RestitutionLaw::Newton, RestitutionLaw::Poisson, RestitutionLaw::Energetic] {
        let law = PointLaw::Contact {
            mu: 0.0,
            mu_static: 0.0,
            restitution: Restitution { e: 0.6, law },
            tangential: 0,
        };
        let p = Linear::masses(&[2.0]).point(law, &[&[1.0]], 0.0);
        let (i, v) = impact(&p, &[-3.0]);
        close(&v, &[1.8]);
        assert!((i.energy - (1.8f64.powi(2) - 9.0)).abs() < 1e-12);
    }
}

/// Friction in space has no preferred direction: a point that slides through the whole impact gets
/// μ P_N against its velocity, whatever the law and wherever it comes from.
#[test]
fn the_cone_is_round() {
    for kind in [RestitutionLaw::Newton, RestitutionLaw::Poisson, RestitutionLaw::Energetic] {
        for k in 0..12 {
            let angle = 0.1 + f64::from(k) * 0.5;
            let restitution = Restitution { e: 0.6, law: kind };
            let law = PointLaw::Contact { mu: 0.2, mu_static: 0.2, restitution, tangential: 2 };
            let rows: [&[f64]; 3] = [&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
            let p = Linear::masses(&[1.0; 3]).point(law, &rows, 0.0);
            let v = [-1.0, 5.0 * angle.cos(), 5.0 * angle.sin()];
            let (i, _) = impact(&p, &v);
            let want = [1.6, -0.32 * angle.cos(), -0.32 * angle.sin()];
            for (p, w) in i.impulse.iter().zip(want) {
                assert!((p - w).abs() < 1e-9, "{kind:?} {angle}: {:?} {want:?}", i.impulse);
            }
        }
    }
}

/// Poisson's law where sliding stops during the impact: sticks in restitution, in the plane and in
/// space alike.
#[test]
fn poisson_sticks_in_any_direction() {
    let restitution = Restitution { e: 0.5, law: RestitutionLaw::Poisson };
    let law = |tangential| PointLaw::Contact { mu: 0.4, mu_static: 0.4, restitution, tangential };
    let flat = Linear::masses(&[1.0; 2]).point(law(1), &[&[1.0, 0.0], &[0.0, 1.0]], 0.0);
    let (plane, _) = impact(&flat, &[-1.0, 0.5]);
    close(&plane.impulse, &[1.5, -0.5]);
    let rows: [&[f64]; 3] = [&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
    let p = Linear::masses(&[1.0; 3]).point(law(2), &rows, 0.0);
    let (space, after) = impact(&p, &[-1.0, 0.3, 0.4]);
    for (p, w) in space.impulse.iter().zip([1.5, -0.3, -0.4]) {
        assert!((p - w).abs() < 1e-9, "{:?}", space.impulse);
    }
    assert!(after[1].abs() < 1e-9 && after[2].abs() < 1e-9);
}
