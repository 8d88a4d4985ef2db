//! Which points are near: all pairs of a small model are tried, those of a large one come from the
//! broad phase.

use super::{ContactLimits, Contacts, shape_pair};
use crate::system::body::FrameKin;
use delassus_dae::{Crowd, Crowded, PointId};
use delassus_geom::{Aabb, Broad, Contact, Feature, Pose, Search, overlap_depth, placed_gap};
use delassus_math::Vec3;

/// Buffers of a search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    found: Found,
    places: Vec<Place>,
    /// Boxes and indices of the shapes that can meet others.
    boxes: Vec<Aabb>,
    numbers: Vec<usize>,
    candidates: Vec<(usize, usize)>,
    broad: Broad,
}

/// Points of one pair, and memory of the search for them.
#[derive(Debug, Clone, Default)]
struct Found {
    contacts: Vec<Contact>,
    search: Search,
}

/// The pose of a shape.
#[derive(Debug, Clone)]
struct Place {
    pose: Pose,
    /// Its one feature, if it has no other, in ground components.
    only: Option<Feature>,
}

impl Contacts {
    /// Ids of points of shapes with a gap below the margin, appended in ascending order as long as the limits allow.
    pub(super) fn near_shapes(
        &self,
        frames: &[FrameKin],
        margin: f64,
        scratch: &mut Scratch,
        limits: ContactLimits,
        out: &mut Vec<PointId>,
    ) -> Result<(), Crowded> {
        let most = limits.points;
        let check = |out: &[PointId]| match out.len() > most {
            true => Err(Crowded::points(most, out)),
            false => Ok(()),
        };
        let Scratch { found, places, boxes, numbers, candidates, broad } = scratch;
        places.clear();
        places.extend(self.shapes.iter().map(|s| {
            let on = &frames[s.frame];
            Place { pose: s.place(on), only: s.placed_only(on) }
        }));
        if !self.pairs.are_many() {
            for p in &self.pairs.listed {
                self.near_pair(p.a, p.b, places, margin, found, out);
                check(out)?;
            }
            return Ok(());
        }
        if margin == f64::INFINITY {
            for a in 0..self.shapes.len() {
                for b in a + 1..self.shapes.len() {
                    if self.can_meet(a, b) {
                        self.near_pair(a, b, places, margin, found, out);
                        check(out)?;
                    }
                }
            }
            return Ok(());
        }
        boxes.clear();
        numbers.clear();
        for (k, s) in self.shapes.iter().enumerate().filter(|(k, _)| self.pairs.meets(*k)) {
            boxes.push(s.shape.aabb(&places[k].pose));
            numbers.push(k);
        }
        // ascending, so that the ids are too
        let wanted = |i: usize, j: usize| self.can_meet(numbers[i], numbers[j]);
        let owner = |i: usize| self.shapes[numbers[i]].body;
        if !broad.pairs(boxes, margin, owner, wanted, limits.pairs, candidates) {
            let example = candidates.first().map(|(i, j)| (numbers[*i], numbers[*j]));
            return Err(too_many_pairs(limits, example));
        }
        for (i, j) in candidates.iter() {
            self.near_pair(numbers[*i], numbers[*j], places, margin, found, out);
            check(out)?;
        }
        Ok(())
    }

    /// Pairs of shapes, a < b ascending, that overlap by more than `tol` (m), with their depths, for these rules. For
    /// the start: not optimised for speed, but near pairs come first.
    pub(super) fn overlaps(
        &self,
        frames: &[FrameKin],
        tol: f64,
        rule: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<(usize, usize, f64)>, Crowded> {
        let asked = |a: usize, b: usize| self.pairs.rule(a, b).is_some_and(rule);
        let poses: Vec<Pose> = self.shapes.iter().map(|s| s.place(&frames[s.frame])).collect();
        let mut pairs = Vec::new();
        if self.pairs.are_many() {
            // shapes that no such rule names are not even looked for: thousands may lie in one place
            let numbers: Vec<usize> =
                (0..self.shapes.len()).filter(|k| self.pairs.meets_by(*k, rule)).collect();
            let boxes: Vec<Aabb> =
                numbers.iter().map(|&k| self.shapes[k].shape.aabb(&poses[k])).collect();
            let wanted = |i: usize, j: usize| asked(numbers[i], numbers[j]);
            let owner = |i: usize| self.shapes[numbers[i]].body;
            if !Broad::new().pairs(&boxes, 0.0, owner, wanted, self.limits.pairs, &mut pairs) {
                return Err(too_many_pairs(self.limits, None));
            }
            pairs.iter_mut().for_each(|p| *p = (numbers[p.0], numbers[p.1]));
        } else {
            pairs.extend(self.pairs.listed.iter().map(|p| (p.a, p.b)).filter(|p| asked(p.0, p.1)));
        }
        let depth = |a: usize, b: usize| {
            let (x, y) = (&self.shapes[a], &self.shapes[b]);
            if let (Some(fa), Some(fb)) = (&x.only, &y.only) {
                let gap = delassus_geom::feature_gap(fa, &poses[a], fb, &poses[b]).0;
                return Some(-gap).filter(|d| *d > tol);
            }
            overlap_depth(&x.shape, &poses[a], &y.shape, &poses[b], tol)
        };
        Ok(pairs.into_iter().filter_map(|(a, b)| depth(a, b).map(|d| (a, b, d))).collect())
    }

    /// Whether some interaction is between two shapes.
    fn can_meet(&self, a: usize, b: usize) -> bool {
        self.shapes[a].body != self.shapes[b].body && self.pairs.rule(a, b).is_some()
    }

    /// Points of one pair.
    fn near_pair(
        &self,
        a: usize,
        b: usize,
        places: &[Place],
        margin: f64,
        found: &mut Found,
        out: &mut Vec<PointId>,
    ) {
        let pair = shape_pair(a, b);
        let (x, y) = (&self.shapes[a], &self.shapes[b]);
        let (pa, pb) = (&places[a].pose, &places[b].pose);
        if let (Some(fa), Some(fb)) = (&places[a].only, &places[b].only) {
            if margin == f64::INFINITY || placed_gap(fa, fb, Vec3::x).0 < margin {
                out.push(PointId { pair, slot: 0 });
            }
            return;
        }
        let Some(geometry) = self.prepared.get(x, y) else { return };
        if margin == f64::INFINITY {
            out.extend((0..geometry.slots() as u32).map(|slot| PointId { pair, slot }));
            return;
        }
        let Found { contacts, search } = found;
        contacts.clear();
        geometry.near_with(pa, pb, margin, search, contacts);
        out.extend(contacts.iter().map(|c| PointId { pair, slot: c.slot }));
    }
}

fn too_many_pairs(limits: ContactLimits, example: Option<(usize, usize)>) -> Crowded {
    let example = example.map(|(a, b)| PointId { pair: shape_pair(a, b), slot: 0 });
    Crowded { what: Crowd::Pairs, most: limits.pairs, example }
}
