//! Cones of normals of corners and edges.

use delassus_math::Vec3;

/// Sine by which the direction of `n` leaves the cone of normals of a corner, times |n|; not positive inside. `arms`:
/// unit directions along the surface away from the corner; `out`: a unit direction well inside the cone. Directions
/// more than a right angle off count as a right angle: at a corner that is almost flat the inward normal is also nearly
/// perpendicular to all arms.
pub(crate) fn violation<'a>(arms: impl Iterator<Item = &'a Vec3>, out: &Vec3, n: &Vec3) -> f64 {
    let (mut worst, mut rim) = (f64::NEG_INFINITY, f64::INFINITY);
    for e in arms {
        worst = worst.max(e.dot(n));
        rim = rim.min(e.dot(out));
    }
    let length = n.norm();
    if rim.is_finite() && n.dot(out) < rim * length { length } else { worst }
}
