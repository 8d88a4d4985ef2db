//! Integrals over the modes against those of the deformed body.

use crate::common::*;
use delassus_flex::*;
use delassus_math::{Mat3, Vec3};

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
