//! Boxes and convex hulls as polys.

use super::poly::Poly;
use crate::ShapeError;
use crate::shape::finite;
use delassus_math::Vec3;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;

/// Sine below which faces of a hull are one face: points given as decimals are coplanar to about this.
const FLAT: f64 = 1e-9;

/// Box with these half sides, around the origin.
pub(crate) fn cuboid(half: &Vec3) -> Poly {
    let points: Vec<Vec3> = (0..8)
        .map(|k| {
            let side = |bit: u32, h: f64| if k >> bit & 1 == 1 { h } else { -h };
            Vec3::new(side(0, half.x), side(1, half.y), side(2, half.z))
        })
        .collect();
    // Two triangles per side, counter-clockwise from outside.
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> =
        quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Poly::new(&points, &triangles, FLAT)
}

/// Convex hull of points; those inside or on its faces are dropped.
pub(crate) fn convex(points: &[Vec3]) -> Result<Poly, ShapeError> {
    let n = points.len();
    if n < 4 {
        return Err(ShapeError::TooFewPoints { found: n, needed: 4 });
    }
    if let Some(index) = points.iter().position(|x| x.iter().any(|v| !v.is_finite())) {
        return Err(ShapeError::NotFinite { what: "point of a hull", index });
    }
    points.iter().try_for_each(|x| finite("coordinate of a hull", x))?;
    if !has_volume(points) {
        return Err(ShapeError::FlatHull { points: n });
    }
    let cloud: Vec<Vector> = points.iter().map(|x| Vector::new(x.x, x.y, x.z)).collect();
    let (hull, triangles) = try_convex_hull(&cloud)
        .map_err(|e| ShapeError::HullFailed { points: n, reason: e.to_string() })?;
    let hull: Vec<Vec3> = hull.iter().map(|x| Vec3::new(x.x, x.y, x.z)).collect();
    crate::mesh::check(&hull, &triangles)?;
    let poly = Poly::new(&hull, &triangles, FLAT);
    // A point that sticks out would mean a hull that is not one.
    let size = 2.0 * poly.radius;
    let outside =
        points.iter().any(|x| poly.faces.iter().any(|f| f.n.dot(&(x - f.x)) > 1e-7 * size));
    if outside {
        let reason = "a point is outside the result".to_owned();
        return Err(ShapeError::HullFailed { points: n, reason });
    }
    Ok(poly)
}

fn has_volume(points: &[Vec3]) -> bool {
    let o = points[0];
    let far = |f: &dyn Fn(&Vec3) -> f64| {
        points
            .iter()
            .map(f)
            .enumerate()
            .fold((0, 0.0), |b, (k, v)| if v > b.1 { (k, v) } else { b })
    };
    let (i, size) = far(&|x| (x - o).norm());
    if !(size > 0.0) {
        return false;
    }
    let d = (points[i] - o) / size;
    let (j, width) = far(&|x| (x - o).cross(&d).norm());
    if !(width > 1e-9 * size) {
        return false;
    }
    let n = d.cross(&(points[j] - o)).normalize();
    far(&|x| n.dot(&(x - o)).abs()).1 > 1e-9 * size
}
