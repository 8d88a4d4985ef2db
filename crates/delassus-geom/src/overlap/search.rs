//! The deepest common point of two bodies, by halving boxes.
//!
//! The depth of a point in a body changes by no more than the point is moved. A box whose middle is not deep enough to
//! compensate for its size contains no deep point and is left out. The best box comes first, so the search ends as soon
//! as no other can be better.

use crate::{Aabb, Pose, Shape};
use delassus_math::Vec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Radius of a common ball, relative to the smaller body, below which the search stops: the slots detect anything less
/// deep.
const COARSE: f64 = 0.025;

/// Allowed ratio of the largest radius to the one found.
const CLOSE: f64 = 1.05;

/// Boxes after which the search gives up: fractions of a second.
const MOST: usize = 200_000;

struct Cell {
    /// Upper bound of the depth of its points, m.
    bound: f64,
    center: Vec3,
    half: Vec3,
    number: usize,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Cell) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Cell) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}

/// Lower bound of the depth from common points: `depths` of a point (world) in the two bodies.
pub(super) fn common(
    a: &Shape,
    pa: &Pose,
    b: &Shape,
    pb: &Pose,
    tol: f64,
    depths: &dyn Fn(&Vec3) -> [f64; 2],
) -> f64 {
    let (x, y) = (a.aabb(pa), b.aabb(pb));
    let zone = Aabb { lo: x.lo.sup(&y.lo), hi: x.hi.inf(&y.hi) };
    let flat = a.is_planar() && b.is_planar();
    let (mut center, mut half) = ((zone.lo + zone.hi) / 2.0, (zone.hi - zone.lo) / 2.0);
    if flat {
        (center.z, half.z) = (0.0, 0.0);
    }
    if !half.iter().all(|h| h.is_finite() && *h >= 0.0) {
        return 0.0;
    }
    let enough = (COARSE * a.size().min(b.size())).max(tol);
    let mut best = Best { sum: 0.0, radius: 0.0 };
    let mut heap = BinaryHeap::new();
    let mut number = 0;
    let mut push = |center: Vec3, half: Vec3, best: &mut Best, heap: &mut BinaryHeap<Cell>| {
        number += 1;
        let [p, q] = depths(&center);
        let radius = p.min(q);
        if radius > 0.0 {
            best.sum = best.sum.max(p + q);
            best.radius = best.radius.max(radius);
        }
        let bound = radius + half.norm();
        if bound > enough.max(CLOSE * best.radius) {
            heap.push(Cell { bound, center, half, number });
        }
    };
    push(center, half, &mut best, &mut heap);
    for _ in 0..MOST {
        let Some(cell) = heap.pop() else { break };
        if cell.bound <= enough.max(CLOSE * best.radius) {
            break;
        }
        let quarter = cell.half / 2.0;
        for k in 0..if flat { 4 } else { 8 } {
            let side = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let shift = quarter.component_mul(&Vec3::new(side(0), side(1), side(2)));
            push(cell.center + shift, quarter, &mut best, &mut heap);
        }
    }
    best.sum
}

struct Best {
    /// Largest sum of the depths in both bodies.
    sum: f64,
    /// Largest radius of a ball in both.
    radius: f64,
}

/// The largest value along a straight line of a function that changes by no more than the point is moved, to `accuracy`
/// if it is above −`accuracy`.
pub(super) fn along(ends: &[Vec3; 2], accuracy: f64, value: &dyn Fn(&Vec3) -> f64) -> f64 {
    let mut best = value(&ends[0]).max(value(&ends[1]));
    let len = (ends[1] - ends[0]).norm();
    let mut open = vec![(0.0, 1.0)];
    while let Some((lo, hi)) = open.pop() {
        let mid = f64::midpoint(lo, hi);
        let v = value(&(ends[0] + (ends[1] - ends[0]) * mid));
        best = best.max(v);
        if v + len * (hi - lo) / 2.0 > best + accuracy {
            open.push((lo, mid));
            open.push((mid, hi));
        }
    }
    best
}
