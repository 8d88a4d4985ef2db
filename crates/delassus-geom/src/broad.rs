//! Which of many bodies are near each other: sweep and prune.
//!
//! Boxes are sorted along the axis on which their centres are spread most, and only those that overlap there are
//! compared. The last order is kept: sorting a list that is almost sorted is cheap. Boxes are enlarged a little beyond
//! the margin, and the list remains valid until one leaves its enlarged box. Boxes of one owner never meet and are passed
//! over together: a wheel of thousands of teeth costs no more than as many bodies. The same boxes give the same pairs in
//! the same order, whatever was requested before.

use crate::Aabb;
use delassus_math::Vec3;

/// How far boxes may move before the list of near pairs is rebuilt, in margins and in their mean extent.
const SKIN: (f64, f64) = (2.0, 0.02);

/// Fraction of the margin that each box gets: half of it, and a little more against rounding.
const HALF: f64 = 0.501;

/// Finds candidate pairs; memory grows linearly with the number of boxes and of pairs.
#[derive(Clone, Debug, Default)]
pub struct Broad {
    order: Vec<usize>,
    axis: usize,
    sorted: Vec<Aabb>,
    /// In sorted order: the owner of each box, and the place of the next box of another owner.
    owners: Vec<(usize, usize)>,
    /// Boxes of the list of near pairs: as long as each stays inside its own, no other pair can meet.
    kept: Vec<Aabb>,
    near: Vec<(usize, usize)>,
}

impl Broad {
    /// Without any memory of earlier boxes.
    pub fn new() -> Broad {
        Broad::default()
    }

    /// All pairs (i, j), i < j, that are `wanted` and whose owners (bodies) differ (the same ones at every call) of boxes
    /// that come nearer than `margin` along every axis, in ascending order. `out` is cleared first. Boxes with a NaN meet
    /// nothing. False if more than `most` have to be examined, or there is no memory for them; then `out` has at most one.
    #[must_use]
    pub fn pairs(
        &mut self,
        boxes: &[Aabb],
        margin: f64,
        owner: impl Fn(usize) -> usize,
        wanted: impl Fn(usize, usize) -> bool,
        most: usize,
        out: &mut Vec<(usize, usize)>,
    ) -> bool {
        out.clear();
        if !self.holds(boxes, margin) && !self.list(boxes, margin, owner, wanted, most) {
            self.kept.clear();
            out.extend(self.near.get(self.near.len() / 2));
            self.near = Vec::new();
            return false;
        }
        if out.try_reserve(self.near.len()).is_err() {
            return false;
        }
        let meet = |&&(i, j): &&(usize, usize)| boxes[i].grown(margin).meets(&boxes[j]);
        out.extend(self.near.iter().filter(meet));
        true
    }

    /// Whether every box, with its half of the margin, is inside the one with which the list was made.
    fn holds(&self, boxes: &[Aabb], margin: f64) -> bool {
        let half = HALF * margin;
        let inside = |(a, b): (&Aabb, &Aabb)| {
            (0..3).all(|k| a.lo[k] - half >= b.lo[k] && a.hi[k] + half <= b.hi[k])
        };
        self.kept.len() == boxes.len() && boxes.iter().zip(&self.kept).all(inside)
    }

    /// Lists the pairs of boxes that meet when both are enlarged by half of the margin and the skin. False if they are
    /// too many.
    fn list(
        &mut self,
        boxes: &[Aabb],
        margin: f64,
        owner: impl Fn(usize) -> usize,
        wanted: impl Fn(usize, usize) -> bool,
        most: usize,
    ) -> bool {
        let skin = SKIN.0 * margin + SKIN.1 * extent(boxes);
        self.kept.clear();
        self.kept.extend(boxes.iter().map(|b| b.grown(HALF * margin + skin)));
        let axis = widest(boxes);
        if self.order.len() != boxes.len() || self.axis != axis {
            self.order.clear();
            self.order.extend(0..boxes.len());
            self.axis = axis;
        }
        // A stable sort that knows runs: linear when little has changed.
        let kept = &self.kept;
        self.order.sort_by(|&i, &j| kept[i].lo[axis].total_cmp(&kept[j].lo[axis]));
        // In sorted order and contiguous in memory: the sweep runs through all of it.
        self.sorted.clear();
        self.sorted.extend(self.order.iter().map(|&i| kept[i]));
        self.owners.clear();
        self.owners.extend(self.order.iter().map(|&i| (owner(i), boxes.len())));
        for k in (1..self.owners.len()).rev() {
            let (last, (own, next)) = (&self.owners[k - 1], self.owners[k]);
            self.owners[k - 1].1 = if last.0 == own { next } else { k };
        }
        self.near.clear();
        for (k, (a, own)) in self.sorted.iter().zip(&self.owners).enumerate() {
            let mut at = own.1;
            while let Some(b) = self.sorted.get(at)
                && b.lo[axis] <= a.hi[axis]
            {
                if self.owners[at].0 == own.0 {
                    at = self.owners[at].1;
                    continue;
                }
                let (i, j) = (self.order[k], self.order[at]);
                let (i, j) = (i.min(j), i.max(j));
                if a.meets(b) && wanted(i, j) {
                    if self.near.len() >= most || self.near.try_reserve(1).is_err() {
                        return false;
                    }
                    self.near.push((i, j));
                }
                at += 1;
            }
        }
        self.near.sort_unstable();
        true
    }
}

/// Mean extent of finite boxes.
fn extent(boxes: &[Aabb]) -> f64 {
    let (mut n, mut sum) = (0.0, 0.0);
    for size in boxes.iter().map(|b| (b.hi - b.lo).max()).filter(|s| s.is_finite()) {
        n += 1.0;
        sum += size;
    }
    if n > 0.0 { sum / n } else { 0.0 }
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
