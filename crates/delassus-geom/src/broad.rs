//! Which of many bodies are near each other: sweep and prune.
//!
//! Boxes are sorted along the axis on which their centres are spread most, and only those that overlap
//! there are compared. The order of last time is kept: sorting a list that is almost sorted is cheap.
//! The same boxes give the same pairs in the same order, whatever was asked before.

use crate::Aabb;
use delassus_math::Vec3;

/// Finds candidate pairs; memory grows linearly with the number of boxes.
#[derive(Clone, Debug, Default)]
pub struct Broad {
    order: Vec<usize>,
    axis: usize,
    sorted: Vec<Aabb>,
}

impl Broad {
    /// Without any memory of earlier boxes.
    pub fn new() -> Broad {
        Broad::default()
    }

    /// All pairs (i, j), i < j, of boxes that come nearer than `margin` along every axis, in ascending
    /// order. `out` is cleared first. Boxes with a NaN meet nothing.
    pub fn pairs(&mut self, boxes: &[Aabb], margin: f64, out: &mut Vec<(usize, usize)>) {
        out.clear();
        let axis = widest(boxes);
        if self.order.len() != boxes.len() || self.axis != axis {
            self.order.clear();
            self.order.extend(0..boxes.len());
            self.axis = axis;
        }
        // A stable sort that knows runs: linear when little has changed.
        self.order.sort_by(|&i, &j| boxes[i].lo[axis].total_cmp(&boxes[j].lo[axis]));
        // In sorted order and next to each other in memory: the sweep runs through all of it.
        self.sorted.clear();
        self.sorted.extend(self.order.iter().map(|&i| boxes[i]));
        for (k, a) in self.sorted.iter().enumerate() {
            let a = a.grown(margin);
            for (j, b) in self.sorted[k + 1..].iter().enumerate() {
                if !(b.lo[axis] <= a.hi[axis]) {
                    break;
                }
                if a.meets(b) {
                    let (i, j) = (self.order[k], self.order[k + 1 + j]);
                    out.push((i.min(j), i.max(j)));
                }
            }
        }
        out.sort_unstable();
    }
}

/// Axis with the largest variance of the centres of finite boxes.
fn widest(boxes: &[Aabb]) -> usize {
    let centers =
        || boxes.iter().map(|b| (b.lo + b.hi) / 2.0).filter(|c| c.iter().all(|v| v.is_finite()));
    let n = centers().count().max(1) as f64;
    let mean = centers().sum::<Vec3>() / n;
    let spread = centers().map(|c| (c - mean).component_mul(&(c - mean))).sum::<Vec3>();
    spread.imax()
}
