//! Benchmark H5: small vibrations of a cantilever on a hub that turns, with the shortening of the modes.

use crate::common::*;
use delassus_flex::*;
use delassus_math::Vec3;
use nalgebra::DMatrix;

const REFERENCE: &str =
    include_str!("../../../delassus/tests/reference/H5_rotating_cantilever.csv");

/// EI = ρA = L = 1, bending in the x-y plane.
fn cantilever() -> Modal {
    let mut section = slender();
    section.stiffness[0] = 1e9;
    let choice = Choice { motion: Motion::Planar, ..clamped(20) };
    reduce(&straight(1.0, 24, section), &choice).unwrap()
}

/// Squares of the angular frequencies beside a steady turn: the second order of T and V in q at constant V and Ω. What
/// is linear in q̇ is zero here: nothing moves along the axis in the first order.
fn vibrations(m: &Modal, hub: f64, omega: Vec3) -> Vec<f64> {
    let n = m.modes();
    let v = omega.cross(&(Vec3::x() * hub));
    let k = DMatrix::from_fn(n, n, |i, j| {
        let ij = i * n + j;
        m.stiffness[(i, j)] - v.dot(&omega.cross(&m.s2[ij])) - 0.5 * omega.dot(&(m.j2[ij] * omega))
    });
    let unit = |i: usize| 1.0 / m.mass_matrix[(i, i)].sqrt();
    let scaled = DMatrix::from_fn(n, n, |i, j| k[(i, j)] * unit(i) * unit(j));
    let mut squares: Vec<f64> = scaled.symmetric_eigenvalues().iter().copied().collect();
    squares.sort_by(f64::total_cmp);
    squares
}

/// The whole table: hub radius none and L, speeds to 12, out of the plane of rotation and in it.
#[test]
fn frequencies_of_the_rotating_cantilever() {
    let m = cantilever();
    let (mut worst, mut count): (f64, usize) = (0.0, 0);
    for line in REFERENCE.lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        let (hub, speed, mode) = (row[0], row[1], row[2] as usize - 1);
        for (axis, exact) in [(Vec3::y(), row[3]), (Vec3::z(), row[4])] {
            let found = vibrations(&m, hub, axis * speed)[mode].sqrt();
            worst = worst.max((found / exact - 1.0).abs());
            count += 1;
        }
    }
    println!("largest relative error {worst:e}");
    assert_eq!(count, 208);
    assert!(worst < 5e-5, "{worst:e}");
}

/// Without it, centrifugal forces soften what they stiffen.
#[test]
fn without_shortening_the_beam_softens() {
    let m = cantilever();
    let choice = Choice { motion: Motion::Planar, shortening: false, ..clamped(20) };
    let soft = reduce(&straight(1.0, 24, slender()), &choice).unwrap();
    let at = |m: &Modal, speed: f64| vibrations(m, 0.0, Vec3::z() * speed)[0];
    assert!(at(&m, 3.0) > at(&m, 0.0));
    assert!(at(&soft, 3.0) < at(&soft, 0.0) - 8.9);
    assert!(soft.s2.iter().all(|s| *s == Vec3::zeros()));
    assert!(soft.nodes.iter().all(|n| n.shortening.is_empty()));
}
