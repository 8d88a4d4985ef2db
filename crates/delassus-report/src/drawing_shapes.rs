//! Shapes as lines of a still drawing.

use crate::coarse::coarse;
use crate::scene::{Geometry, SceneShape};
use delassus_math::{Mat3, Quat, Vec3, frame_from_z};
use std::f64::consts::TAU;

/// Segments of a circle.
const ROUND: usize = 48;
/// The largest number of triangles of a surface whose edges are drawn: more would blur into a blot.
const EDGES: usize = 250;

/// Lines of a shape in the axes of its body; closed ones repeat their first point. `far` is half the drawn length of
/// half planes, which are unbounded.
pub(crate) fn outlines(s: &SceneShape, far: f64) -> Vec<Vec<Vec3>> {
    let (p, r) = (Vec3::from(s.p), Quat(s.r).normalized().matrix());
    let local = match &s.geometry {
        Geometry::Circle { radius } => {
            // the spoke shows the rotation
            vec![circle(*radius, 0.0, &Mat3::identity()), vec![Vec3::zeros(), Vec3::x() * *radius]]
        }
        Geometry::Sphere { radius } => {
            let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
            axes.iter().map(|a| circle(*radius, 0.0, &frame_from_z(a))).collect()
        }
        Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => {
            let mut lines: Vec<Vec<Vec3>> = [-0.5, 0.5]
                .iter()
                .map(|z| circle(*radius, z * length, &Mat3::identity()))
                .collect();
            for (x, y) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
                let at = |z: f64| Vec3::new(radius * x, radius * y, z * length);
                lines.push(vec![at(-0.5), at(0.5)]);
            }
            lines
        }
        Geometry::Box { size } => edges_of_box(&Vec3::from(*size)),
        Geometry::Segment { a, b } => vec![vec![flat(a), flat(b)]],
        Geometry::Polyline { points, closed } => {
            let mut line: Vec<Vec3> = points.iter().map(flat).collect();
            if *closed {
                line.extend(line.first().copied());
            }
            vec![line]
        }
        Geometry::Line { normal } => {
            let along = Vec3::new(-normal[1], normal[0], 0.0) * far;
            vec![vec![-along, along]]
        }
        Geometry::Mesh { vertices, triangles, .. } => {
            edges_of_mesh(&vertices.numbers(), &triangles.numbers())
        }
        Geometry::Plane { .. } | Geometry::Point {} => Vec::new(),
    };
    local.into_iter().map(|line| line.iter().map(|x| p + r * x).collect()).collect()
}

fn flat(p: &[f64; 2]) -> Vec3 {
    Vec3::new(p[0], p[1], 0.0)
}

fn circle(radius: f64, z: f64, r: &Mat3) -> Vec<Vec3> {
    let at = |k: usize| {
        let (s, c) = (TAU * k as f64 / ROUND as f64).sin_cos();
        r * Vec3::new(radius * c, radius * s, z)
    };
    (0..=ROUND).map(at).collect()
}

fn edges_of_box(size: &Vec3) -> Vec<Vec<Vec3>> {
    let corner = |k: usize| {
        let half = |bit: usize| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
        Vec3::new(half(0) * size.x, half(1) * size.y, half(2) * size.z)
    };
    let pairs = (0..8usize).flat_map(|k| [1, 2, 4].map(|bit| (k, k | bit)));
    pairs.filter(|(a, b)| a < b).map(|(a, b)| vec![corner(a), corner(b)]).collect()
}

fn edges_of_mesh(vertices: &Option<Vec<f64>>, triangles: &Option<Vec<f64>>) -> Vec<Vec<Vec3>> {
    let (Some(x), Some(t)) = (vertices, triangles) else { return Vec::new() };
    let corners: Vec<Vec3> = x.chunks_exact(3).map(|x| Vec3::new(x[0], x[1], x[2])).collect();
    let faces = t.chunks_exact(3).map(|f| [f[0] as u32, f[1] as u32, f[2] as u32]).collect();
    let (corners, faces) = coarse((corners, faces), EDGES);
    let corner = |k: u32| corners.get(k as usize).copied();
    let closed = |[a, b, c]: &[u32; 3]| [*a, *b, *c, *a].into_iter().map(corner).collect();
    faces.iter().filter_map(closed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(geometry: Geometry) -> SceneShape {
        SceneShape { geometry, p: [1.0, 0.0, 0.0], r: [1.0, 0.0, 0.0, 0.0] }
    }

    #[test]
    fn lines_lie_on_the_shape() {
        let ball = outlines(&shape(Geometry::Sphere { radius: 2.0 }), 1.0);
        assert_eq!(ball.len(), 3);
        let on = |x: &Vec3| ((x - Vec3::x()).norm() - 2.0).abs() < 1e-12;
        assert!(ball.iter().flatten().all(on));
        let cube = outlines(&shape(Geometry::Box { size: [2.0, 4.0, 6.0] }), 1.0);
        assert_eq!(cube.len(), 12);
        let length: f64 = cube.iter().map(|l| (l[1] - l[0]).norm()).sum();
        assert!((length - 4.0 * 12.0).abs() < 1e-12);
        let points = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let closed = outlines(&shape(Geometry::Polyline { points, closed: true }), 1.0);
        assert_eq!((closed[0].len(), closed[0][0]), (4, closed[0][3]));
        let wall = outlines(&shape(Geometry::Line { normal: [0.0, 1.0] }), 5.0);
        assert!((wall[0][1] - wall[0][0]).norm() == 10.0);
    }
}
