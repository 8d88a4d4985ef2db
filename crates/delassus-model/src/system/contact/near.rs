//! Which points are near: all pairs of a small model, or those that a sweep along one axis finds.

use super::shapes::ShapeLayout;
use super::{Contacts, shape_pair};
use crate::system::kin::BodyKin;
use delassus_dae::PointId;
use delassus_geom::{Aabb, Contact, Pose};

/// Buffers of a search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    contacts: Vec<Contact>,
    poses: Vec<Pose>,
    /// Box and number of each bounded shape, by the lower end along x.
    boxes: Vec<(Aabb, usize)>,
    /// Shapes without bounds.
    endless: Vec<usize>,
}

impl Contacts {
    /// Ids of points of shapes with a gap below the margin, appended in ascending order.
    pub(super) fn near_shapes(
        &self,
        bodies: &[BodyKin],
        margin: f64,
        scratch: &mut Scratch,
        out: &mut Vec<PointId>,
    ) {
        let Scratch { contacts, poses, boxes, endless } = scratch;
        poses.clear();
        poses.extend(self.shapes.iter().map(|s| s.place(&bodies[s.body])));
        if !self.pairs.are_many() {
            for p in &self.pairs.listed {
                self.near_pair(p.a, p.b, poses, margin, contacts, out);
            }
            return;
        }
        let start = out.len();
        if margin == f64::INFINITY {
            for a in 0..self.shapes.len() {
                for b in a + 1..self.shapes.len() {
                    self.try_pair(a, b, poses, margin, contacts, out);
                }
            }
            return;
        }
        boxes.clear();
        endless.clear();
        for (k, s) in self.shapes.iter().enumerate().filter(|(k, _)| self.pairs.meets(*k)) {
            let b = bounds(s, &poses[k]).grown(margin / 2.0);
            if b.lo.x.is_finite() && b.hi.x.is_finite() {
                boxes.push((b, k));
            } else {
                endless.push(k);
            }
        }
        boxes.sort_by(|a, b| a.0.lo.x.total_cmp(&b.0.lo.x).then(a.1.cmp(&b.1)));
        for (i, (b, x)) in boxes.iter().enumerate() {
            for (c, y) in &boxes[i + 1..] {
                if c.lo.x > b.hi.x {
                    break;
                }
                if b.meets(c) {
                    self.try_pair(*x.min(y), *x.max(y), poses, margin, contacts, out);
                }
            }
        }
        for (i, x) in endless.iter().enumerate() {
            let rest = endless[i + 1..].iter().chain(boxes.iter().map(|(_, k)| k));
            for y in rest {
                self.try_pair(*x.min(y), *x.max(y), poses, margin, contacts, out);
            }
        }
        out[start..].sort_unstable();
    }

    fn try_pair(
        &self,
        a: usize,
        b: usize,
        poses: &[Pose],
        margin: f64,
        contacts: &mut Vec<Contact>,
        out: &mut Vec<PointId>,
    ) {
        if self.shapes[a].body != self.shapes[b].body && self.pairs.rule(a, b).is_some() {
            self.near_pair(a, b, poses, margin, contacts, out);
        }
    }

    /// Points of one pair.
    fn near_pair(
        &self,
        a: usize,
        b: usize,
        poses: &[Pose],
        margin: f64,
        contacts: &mut Vec<Contact>,
        out: &mut Vec<PointId>,
    ) {
        let pair = shape_pair(a, b);
        let (x, y) = (&self.shapes[a], &self.shapes[b]);
        let (pa, pb) = (&poses[a], &poses[b]);
        if let (Some(fa), Some(fb)) = (&x.only, &y.only) {
            if margin == f64::INFINITY || delassus_geom::feature_gap(fa, pa, fb, pb).0 < margin {
                out.push(PointId { pair, slot: 0 });
            }
            return;
        }
        let Some(geometry) = self.prepared.get(x, y) else { return };
        if margin == f64::INFINITY {
            out.extend((0..geometry.slots() as u32).map(|slot| PointId { pair, slot }));
            return;
        }
        contacts.clear();
        geometry.near(pa, pb, margin, contacts);
        out.extend(contacts.iter().map(|c| PointId { pair, slot: c.slot }));
    }
}

/// Box around a shape.
fn bounds(s: &ShapeLayout, pose: &Pose) -> Aabb {
    s.shape.aabb(pose)
}
