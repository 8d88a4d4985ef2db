//! Integrals over the modes against those of the deformed body.

use crate::common::*;
use delassus_flex::*;
use delassus_math::{Mat3, Vec3, so3};

/// The mean moment of inertia of a straight beam is that of the rod.
#[test]
fn rigid_rod() {
    let (length, s) = (2.5, thick());
    let m = reduce(&straight(length, 7, s), &clamped(4)).unwrap();
    let mass = s.mass * length;
    let [iy, iz] = s.inertia;
    let bent = mass * length * length / 3.0;
    let inertia = Vec3::new((iy + iz) * length, bent + iy * length, bent + iz * length);
    assert!((m.mass / mass - 1.0).abs() < 1e-13);
    assert!((m.com - Vec3::x() * (0.5 * length)).norm() < 1e-13);
    assert!((m.inertia - Mat3::from_diagonal(&inertia)).norm() < 1e-12 * bent);
    m.check().unwrap();
}

/// What the modes move of the rigid body comes to its whole mass but for what is at the held node, about a third of an
/// element, and never to more.
#[test]
fn the_modes_share_the_whole_mass() {
    let elements = 6;
    let beam = straight(1.0, elements, thick());
    let all = clamped(6 * elements);
    let m = reduce(&beam, &all).unwrap();
    let shared = |m: &Modal| -> Vec3 {
        let part = |i: usize| m.s1[i].component_mul(&m.s1[i]) / m.mass_matrix[(i, i)];
        (0..m.modes()).map(part).sum()
    };
    let (few, many) = (shared(&reduce(&beam, &clamped(5)).unwrap()), shared(&m));
    let element = m.mass / elements as f64;
    for a in 0..3 {
        assert!(few[a] < many[a] && many[a] < m.mass && m.mass - many[a] < 0.5 * element);
    }
    m.check().unwrap();
}

/// A body that is turned as a whole has turned integrals.
#[test]
fn a_turned_beam_has_turned_integrals() {
    let turn = so3::exp(&Vec3::new(0.7, -1.1, 0.4));
    let beam = crooked(3, thick());
    let mut turned = beam.clone();
    for node in &mut turned.nodes {
        node.at = turn * node.at;
    }
    for element in &mut turned.elements {
        element.y = turn * element.y;
    }
    let [m, t] = [&beam, &turned].map(|b| reduce(b, &clamped(6)).unwrap());
    for (w, x) in frequencies(&m).iter().zip(&frequencies(&t)) {
        assert!((w / x - 1.0).abs() < 1e-9);
    }
    let matrices = |x: &Mat3, y: &Mat3| (turn * x * turn.transpose() - y).norm();
    // the sign of a mode follows its largest component, which depends on the axes
    let sign =
        |k: usize| (turn * m.nodes[1].displacement[k]).dot(&t.nodes[1].displacement[k]).signum();
    for i in 0..6 {
        assert!((sign(i) * (turn * m.s1[i]) - t.s1[i]).norm() < 1e-7);
        assert!(matrices(&(m.j1[i] * sign(i)), &t.j1[i]) < 1e-7);
        for j in 0..6 {
            let (ij, both) = (6 * i + j, sign(i) * sign(j));
            assert!((both * (turn * m.s2[ij]) - t.s2[ij]).norm() < 1e-6);
            assert!((both * (turn * m.h2[ij]) - t.h2[ij]).norm() < 1e-6);
            assert!(matrices(&(m.j2[ij] * both), &t.j2[ij]) < 1e-6);
        }
    }
}

/// Free modes carry no momentum, and nothing of the second order moves the mass centre.
#[test]
fn free_modes_leave_the_mass_centre() {
    let choice = Choice { boundary: Boundary::Free, ..clamped(8) };
    let m = reduce(&crooked(3, thick()), &choice).unwrap();
    for i in 0..8 {
        assert!(m.s1[i].norm() < 1e-11 && m.h1[i].norm() < 1e-11, "{} {}", m.s1[i], m.h1[i]);
    }
    assert!(m.s2.iter().all(|s| s.norm() < 1e-11));
    m.check().unwrap();
}

/// A straight cantilever bent by an end force has the displacements of its statics with interface shapes alone, and
/// with all vibrations too it is the whole finite element model.
#[test]
fn interface_shapes_hold_the_statics() {
    let (length, s) = (2.0, thick());
    let beam = straight(length, 5, s);
    let interface = |modes| Choice {
        boundary: Boundary::Interface { nodes: vec!["root".into(), "tip".into()] },
        ..clamped(modes)
    };
    let m = reduce(&beam, &interface(0)).unwrap();
    assert_eq!(m.modes(), 6);
    let tip = &m.nodes[1];
    let under = |f: Vec3| -> Vec3 {
        (0..6)
            .map(|i| tip.displacement[i] * (tip.displacement[i].dot(&f) / m.stiffness[(i, i)]))
            .sum()
    };
    let [ea, gy, gz, _, iy, iz] = [0, 1, 2, 3, 4, 5].map(|k| s.stiffness[k]);
    let cube = length.powi(3) / 3.0;
    for (axis, exact) in [
        (Vec3::x(), length / ea),
        (Vec3::y(), cube / iz + length / gy),
        (Vec3::z(), cube / iy + length / gz),
    ] {
        assert!((under(axis) - axis * exact).norm() < 1e-10 * exact);
    }
    // 5 elements: 6 of the tip and 24 inside
    let (whole, same) =
        (reduce(&beam, &clamped(30)).unwrap(), reduce(&beam, &interface(24)).unwrap());
    for (a, b) in frequencies(&whole).iter().zip(&frequencies(&same)) {
        assert!((a / b - 1.0).abs() < 1e-7, "{a} {b}");
    }
    m.check().unwrap();
}

/// D = α M + β K, and parts of the critical damping.
#[test]
fn damping() {
    let beam = straight(1.0, 4, thick());
    let with = |damping| reduce(&beam, &Choice { damping, ..clamped(3) });
    let m = with(Damping::Rayleigh { mass: 0.3, stiffness: 0.002 }).unwrap();
    let d = 0.3 * &m.mass_matrix + 0.002 * &m.stiffness;
    assert!((&m.damping - d).amax() == 0.0);
    let m = with(Damping::Ratios(vec![0.01, 0.02, 0.03])).unwrap();
    let ratio = m.damping[(2, 2)] / (2.0 * (m.mass_matrix[(2, 2)] * m.stiffness[(2, 2)]).sqrt());
    assert!((ratio - 0.03).abs() < 1e-15);
    assert!(with(Damping::Ratios(vec![0.01, 0.02])).is_err());
    assert!(with(Damping::Rayleigh { mass: -0.3, stiffness: 0.0 }).is_err());
}
