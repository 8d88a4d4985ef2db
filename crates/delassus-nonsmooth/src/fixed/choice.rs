//! Which points act: the deepest of those that are near, ties by their index.

use super::Memory;
use delassus_dae::{BEHIND, ContactPoint, PointId, PointLaw, Unilateral};

/// Gap, as a fraction of the model's length, below which a point is looked at however slowly it moves.
pub(super) const CLOSE: f64 = 1e-4;

/// For so many that may act one point more is evaluated: of two shapes beside each other more points are near than touch.
const MORE: usize = 2;

/// What was found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    pub points: usize,
    /// Points that touch beyond the capacity.
    pub left_out: usize,
    /// Deepest gap, m, at most 0.
    pub depth: f64,
}

/// Finds the points of a step.
#[derive(Debug)]
pub(super) struct Choice {
    capacity: usize,
    /// Points that are evaluated in each step.
    looks: usize,
    /// Near points, and with bounds of their gaps.
    ids: Vec<PointId>,
    bounds: Vec<(f64, PointId)>,
    /// Their indices among all.
    near: Vec<usize>,
    /// Kinematics of the chosen ones, with a place to evaluate the next; and their indices among all.
    pool: Vec<ContactPoint>,
    index: Vec<usize>,
    depth: Vec<f64>,
    /// The chosen places of the pool by depth.
    order: Vec<usize>,
    spare: usize,
}

impl Choice {
    pub fn new(capacity: usize, all: &[PointId], width: usize) -> Choice {
        let point = || ContactPoint {
            cols: Vec::with_capacity(width),
            rows: [0; 3].map(|_| Vec::with_capacity(width)),
            ..ContactPoint::default()
        };
        Choice {
            capacity,
            looks: (capacity + capacity.div_ceil(MORE)).min(all.len()),
            ids: Vec::with_capacity(all.len()),
            bounds: Vec::with_capacity(all.len()),
            near: Vec::with_capacity(all.len()),
            pool: (0..=capacity).map(|_| point()).collect(),
            index: vec![0; capacity + 1],
            depth: vec![0.0; capacity + 1],
            order: Vec::with_capacity(capacity + 1),
            spare: 0,
        }
    }

    /// Kinematics of the chosen point k.
    pub fn at(&self, k: usize) -> &ContactPoint {
        &self.pool[self.order[k]]
    }

    /// Its index among all.
    pub fn index(&self, k: usize) -> usize {
        self.index[self.order[k]]
    }

    /// Indices of the points that were examined.
    pub fn examined(&self) -> impl Iterator<Item = usize> + '_ {
        self.near.iter().copied()
    }

    /// Evaluates the points that may be nearest, always equally many, and keeps the deepest.
    pub fn collect<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        (all, memory): (&[PointId], &mut [Memory]),
        margin: f64,
        (h, stepped): (f64, bool),
    ) -> Found {
        // all of them have room, so that this cannot fail
        let _ = p.near_at_most(ws, margin, all.len(), &mut self.ids);
        self.near.clear();
        self.order.clear();
        self.spare = 0;
        let mut found = Found::default();
        self.leave_out(p, ws, all, memory, &mut found);
        let looked = self.ids.len();
        let behind = BEHIND * p.length();
        for id in &self.ids {
            let Ok(index) = all.binary_search(id) else { continue };
            self.near.push(index);
            let m = &mut memory[index];
            let law = p.law(*id);
            let before = m.near.then_some(m.features);
            let at = &mut self.pool[self.spare];
            if !look(p, ws, *id, before, at) {
                m.pressed = false;
                continue;
            }
            m.features = at.features;
            let per_metre = p.gap_per_metre(*id);
            let gap = if law.has_gap() { at.gap / per_metre } else { f64::NEG_INFINITY };
            if law.has_gap() {
                let earlier = gap - h * at.rate[0].min(0.0) / per_metre;
                let inside = gap < 0.0 && earlier < -behind;
                m.behind &= gap < -behind;
                m.behind |= inside && !m.near && (stepped || p.one_sided(*id));
                if gap >= 0.0 {
                    m.pressed = false;
                }
                found.depth = found.depth.min(gap);
            }
            if m.behind || gap > margin {
                continue;
            }
            self.index[self.spare] = index;
            self.depth[self.spare] = gap;
            // equal gaps keep the order of the indices
            let place = self.order.partition_point(|k| self.depth[*k] <= gap);
            let full = self.order.len() == self.capacity;
            if full {
                found.left_out += usize::from(touches(gap, law));
            }
            if full && place == self.capacity {
                continue;
            }
            self.order.insert(place, self.spare);
            self.spare = match full {
                true => self.order.pop().unwrap_or(0),
                false => self.order.len(),
            };
        }
        found.points = self.order.len();
        // the same work where fewer are near
        for k in looked..self.looks {
            let (id, at) = (all[k % all.len()], &mut self.pool[self.spare]);
            look(p, ws, id, None, at);
            // and what the search spends on one that is near
            p.position(ws, id, false, None, at);
        }
        found
    }

    /// Leaves out what is beyond the number of points that are evaluated: those with the largest bounds of their gaps.
    fn leave_out<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        all: &[PointId],
        memory: &mut [Memory],
        found: &mut Found,
    ) {
        if self.ids.len() <= self.looks {
            return;
        }
        self.bounds.clear();
        self.bounds.extend(self.ids.iter().map(|id| (p.clearance(ws, *id), *id)));
        self.bounds.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (bound, id) in &self.bounds[self.looks..] {
            found.left_out += usize::from(*bound <= 0.0);
            if let Ok(index) = all.binary_search(id) {
                memory[index].pressed = false;
                // it was there: what is inside in the next step has not come from behind
                self.near.push(index);
            }
        }
        self.ids.clear();
        self.ids.extend(self.bounds[..self.looks].iter().map(|b| b.1));
        self.ids.sort_unstable();
    }
}

/// Evaluates a point; with as much work where it does not exist at present.
fn look<P: Unilateral>(
    p: &P,
    ws: &P::Ws,
    id: PointId,
    before: Option<[u32; 2]>,
    at: &mut ContactPoint,
) -> bool {
    let exists = p.evaluate(ws, id, before, at);
    if !exists && p.position(ws, id, true, Some(before.unwrap_or_default()), at) {
        p.rates(ws, id, at);
    }
    exists
}

/// Whether a point that is left out would have acted.
fn touches(gap: f64, law: PointLaw) -> bool {
    !law.has_gap() || gap <= 0.0
}
