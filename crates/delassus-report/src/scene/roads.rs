//! Wheels of tyres and the roads below them, as shapes to draw.

use super::{Geometry, SceneBody, SceneShape};
use crate::encode::Array;
use delassus_math::{Quat, Vec3, frame_from_z};
use delassus_model::{ForceKind, Height, Model, Road, Tyre, Wheel};
use std::sync::Arc;

/// Width of a wheel over its radius; the model knows none.
const WIDTH: f64 = 0.6;
/// Most lines of a road that are drawn along each way.
const MOST_LINES: [usize; 2] = [240, 40];

/// Adds wheels to their bodies and roads to the ground.
pub(super) fn draw(m: &Model, size: f64, bodies: &mut [SceneBody]) {
    let mut roads: Vec<Arc<Road>> = Vec::new();
    for f in &m.forces {
        let ForceKind::Tyre(tyre) = &f.kind else { continue };
        let carrier = m.carrier_of(&tyre.at).map_or(0, |k| k + 1);
        bodies[carrier].shapes.push(wheel(tyre));
        let known = roads.iter().any(|r| Arc::ptr_eq(r, &tyre.road));
        // a planar model has no height, and each tyre without a road has the same plane
        let level = |r: &Road| matches!(r.height, Height::Level(z) if z == 0.0);
        let plane = level(&tyre.road) && roads.iter().any(|r| level(r));
        if tyre.wheel != Wheel::Planar && !known && !plane {
            roads.push(tyre.road.clone());
        }
    }
    let Some(ground) = bodies.first_mut() else { return };
    ground.shapes.extend(roads.iter().map(|road| surface(m, road, size)));
}

fn wheel(tyre: &Tyre) -> SceneShape {
    let (radius, at) = (tyre.data.radius, &tyre.at);
    let geometry = match tyre.wheel {
        Wheel::Planar => {
            // seen from above
            let ahead = (at.r * tyre.axle).cross(&Vec3::z()) * radius;
            let end = [ahead.x, ahead.y];
            Geometry::Segment { a: end.map(|x| -x), b: end }
        }
        _ => Geometry::Cylinder { radius, length: WIDTH * radius },
    };
    let turn = match tyre.wheel {
        Wheel::Planar => delassus_math::Mat3::identity(),
        _ => at.r * frame_from_z(&tyre.axle),
    };
    SceneShape { geometry, p: at.p.into(), r: Quat::from_matrix(&turn).0 }
}

/// The part of a road that the model may come to if it keeps its speed, as triangles.
fn surface(m: &Model, road: &Road, size: f64) -> SceneShape {
    let [xs, ys] = lines(m, road, size);
    let corners = xs.iter().flat_map(|x| ys.iter().map(|y| [*x, *y, road.at(*x, *y)[0]]));
    let numbers: Vec<f64> = corners.flatten().collect();
    let n = ys.len() as u32;
    let mut indices = Vec::new();
    for i in 0..xs.len() as u32 - 1 {
        for j in 0..n - 1 {
            let k = i * n + j;
            indices.extend([k, k + n, k + 1, k + 1, k + n, k + n + 1]);
        }
    }
    let geometry = Geometry::Mesh {
        vertices: Array::f32(&[xs.len() * ys.len(), 3], numbers.into_iter()),
        triangles: Array::u32(&[indices.len() / 3, 3], indices.into_iter()),
        of: None,
    };
    SceneShape { geometry, p: [0.0; 3], r: Quat::IDENTITY.0 }
}

fn lines(m: &Model, road: &Road, size: f64) -> [Vec<f64>; 2] {
    let mut low = Vec3::repeat(f64::INFINITY);
    let mut high = -low;
    let time = m.analysis.end - m.analysis.start;
    for b in &m.bodies {
        let last = b.position + b.velocity.unwrap_or_default() * time;
        low = low.inf(&b.position).inf(&last);
        high = high.sup(&b.position).sup(&last);
    }
    let span = |k: usize| (low[k] - 2.0 * size, high[k] + 2.0 * size);
    let even = |(a, b): (f64, f64), n: usize| -> Vec<f64> {
        (0..=n).map(|k| a + (b - a) * k as f64 / n as f64).collect()
    };
    match &road.height {
        Height::Level(_) => [0, 1].map(|k| even(span(k), 1)),
        Height::Expression(_) => [0, 1].map(|k| even(span(k), MOST_LINES[k])),
        Height::Grid(grid) => {
            let given = grid.lines();
            [0, 1].map(|k| {
                let ends = (given[k][0], given[k][given[k].len() - 1]);
                even(ends, (2 * given[k].len()).min(MOST_LINES[k]))
            })
        }
    }
}
