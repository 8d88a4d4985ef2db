//! Pairs of planar curves.
//!
//! A slot is a *run* of one curve (corner, arc, circle, point: the part that touches) against a *chain* of the other
//! (the part that is touched). Where both curves have straight or hollow parts, both ways are needed; a contact of two
//! round parts is then left to the runs of a, so that it is not listed twice.

use super::kernel::{BEYOND, Kernel, Search};
use crate::planar::closest::{Hit, Query};
use crate::planar::curve::{Chain, Curve, Run};
use crate::planar::element::Element;
use crate::{Contact, Feature, Pose, feature_gap};
use delassus_math::Vec3;
use std::sync::Arc;

/// Sine by which a normal may leave the cone of a corner while the corner still counts as facing the other curve.
/// Beyond it the corner is further away than an edge length and not a candidate. This keeps a corner that lies exactly
/// over another one from touching the side next to it.
pub(crate) const SIGHT: f64 = 0.71;

/// Angle by which arcs overlap their ends, to avoid gaps between neighbours by round-off (rad).
const OVERLAP: f64 = 1e-12;

/// How deep something that went through an open curve is detected, as a fraction of the curve's length. Anything deeper
/// passes behind.
const THROUGH: f64 = 0.02;

pub(crate) struct PlanarPair {
    a: Arc<Curve>,
    b: Arc<Curve>,
    tol: f64,
    /// Slots of the runs of a; those of b follow.
    n_forward: usize,
    n_reverse: usize,
}

/// One curve with its runs facing the chains of another.
struct View<'a> {
    finger: &'a Curve,
    run: &'a Run,
    pose_f: &'a Pose,
    wall: &'a Curve,
    chain: &'a Chain,
    pose_w: &'a Pose,
    /// Whether contacts of two balls are left to the other direction.
    flats_only: bool,
    tol: f64,
}

impl PlanarPair {
    pub fn new(a: &Arc<Curve>, b: &Arc<Curve>, tol: f64) -> PlanarPair {
        let forward = a.runs.len() * b.chains.len();
        let reverse = b.runs.len() * a.chains.len();
        // A disc or a point is one ball for all directions: the better finger.
        let disc = |c: &Curve| c.elements.iter().all(Element::is_full_circle);
        let (n_forward, n_reverse) = match (a.has_flats(), b.has_flats()) {
            (false, false) if disc(b) && !disc(a) => (0, reverse),
            (false, _) => (forward, 0),
            (true, false) => (0, reverse),
            (true, true) => (forward, reverse),
        };
        PlanarPair { a: a.clone(), b: b.clone(), tol, n_forward, n_reverse }
    }

    fn view<'a>(&'a self, slot: usize, pose_a: &'a Pose, pose_b: &'a Pose) -> Option<View<'a>> {
        let forward = slot < self.n_forward;
        let (k, finger, wall, pose_f, pose_w) = if forward {
            (slot, &self.a, &self.b, pose_a, pose_b)
        } else {
            (slot - self.n_forward, &self.b, &self.a, pose_b, pose_a)
        };
        let n = wall.chains.len();
        Some(View {
            finger,
            run: finger.runs.get(k / n)?,
            pose_f,
            wall,
            chain: &wall.chains[k % n],
            pose_w,
            flats_only: !forward && self.n_forward > 0,
            tol: self.tol,
        })
    }
}

impl Kernel for PlanarPair {
    fn slots(&self) -> usize {
        self.n_forward + self.n_reverse
    }

    fn has_twins(&self) -> bool {
        self.n_forward > 0 && self.n_reverse > 0
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, previous: Option<[u32; 2]>) -> Option<Contact> {
        let forward = (slot as usize) < self.n_forward;
        let view = self.view(slot as usize, pa, pb)?;
        let order = |ids: [u32; 2]| if forward { ids } else { [ids[1], ids[0]] };
        let [f, w] = view.best(previous.map(order))?;
        let features = [view.finger.feature(f), view.wall.feature(w)];
        let features = if forward { features } else { [features[1], features[0]] };
        Some(Contact::of(slot, features, order([f, w]), pa, pb))
    }

    fn near(&self, pa: &Pose, pb: &Pose, margin: f64, _: &mut Search, out: &mut Vec<Contact>) {
        for slot in 0..self.slots() {
            let far = self.view(slot, pa, pb).is_none_or(|v| v.is_far(margin));
            if far {
                continue;
            }
            if let Some(c) = self.slot(slot as u32, pa, pb, None).filter(|c| c.gap < margin) {
                out.push(c);
            }
        }
    }

    fn bound(&self, slot: u32, pa: &Pose, pb: &Pose) -> f64 {
        self.view(slot as usize, pa, pb).map_or(f64::NEG_INFINITY, |v| v.bound())
    }

    fn feature_margin(&self, contact: &Contact, pa: &Pose, pb: &Pose) -> f64 {
        let forward = (contact.slot as usize) < self.n_forward;
        let Some(view) = self.view(contact.slot as usize, pa, pb) else { return f64::INFINITY };
        let [ia, ib] = contact.feature_ids;
        let (f, w) = if forward { (ia, ib) } else { (ib, ia) };
        let [fa, fb] = &contact.features;
        let (_, n, _) = feature_gap(fa, pa, fb, pb);
        let outward = view.pose_f.inv_vector(&if forward { n } else { -n });
        view.margin(f, w, &outward)
    }
}

impl View<'_> {
    fn is_far(&self, margin: f64) -> bool {
        let reach = self.run.radius + self.chain.radius + margin;
        let d = self.pose_f.point(&self.run.center) - self.pose_w.point(&self.chain.center);
        reach.is_finite() && d.norm_squared() > reach * reach
    }

    /// By bounding balls of the run and the chain.
    fn bound(&self) -> f64 {
        let radii = self.run.radius + self.chain.radius;
        if radii.is_infinite() {
            return f64::NEG_INFINITY;
        }
        let d = self.pose_f.point(&self.run.center) - self.pose_w.point(&self.chain.center);
        d.norm() - radii - BEYOND * self.tol
    }

    /// Ids of the two features that are nearest: (of the finger, of the wall).
    fn best(&self, previous: Option<[u32; 2]>) -> Option<[u32; 2]> {
        let rel = self.pose_w.relative(self.pose_f);
        let mut best: Option<(f64, [u32; 2])> = None;
        for &f in &self.run.features {
            let active = previous.filter(|p| p[0] == f);
            let Some((gap, hit)) = self.facing(f, &rel, active.map(|p| p[1])) else { continue };
            let w = hit.id;
            // Gaps of a corner and the arc beside it differ only to second order, so they do not decide when to change:
            // the margin does.
            let stays =
                active.is_some() && self.own_margin(f, &rel.inv_vector(&-hit.normal)) >= -self.tol;
            let keep = if stays { self.tol } else { 0.0 };
            if best.is_none_or(|(g, _)| gap - keep < g) {
                best = Some((gap - keep, [f, w]));
            }
        }
        let (_, ids) = best?;
        let skip = self.flats_only && self.wall.is_ball(ids[1]) && previous.is_none();
        (!skip).then_some(ids)
    }

    /// Gap of one ball of the run, and what it faces.
    fn facing(&self, f: u32, rel: &Pose, previous: Option<u32>) -> Option<(f64, Hit)> {
        let outward = |hit: &Hit| rel.inv_vector(&-hit.normal);
        let (x, radius, hit);
        if let Some((_, joint)) = self.finger.joint_of(f) {
            (x, radius) = (rel.point(&joint.x), 0.0);
            // A half-plane has only one normal: nothing to confuse.
            let plain = self.chain.radius.is_infinite();
            let admit = |h: &Hit| plain || joint.violation(&outward(h)) <= SIGHT;
            hit = self.wall.hit(self.chain, &x, &Query { tol: self.tol, admit: &admit, previous });
        } else {
            let e = &self.finger.elements[f as usize];
            let Element::Arc { c, r, .. } = e else { return None };
            (x, radius) = (rel.point(c), *r);
            // The centre of an arc that is not a circle may lie anywhere, also behind the wall, and a point nearer to
            // the centre than the arc need not be inside the body.
            let admit = |h: &Hit| {
                if e.is_full_circle() {
                    return true;
                }
                let u = outward(h);
                let depth = r - h.distance;
                h.distance >= 0.0
                    && e.angular_margin(&u) >= -OVERLAP
                    && (depth <= 0.0 || self.finger.holds(&(c + u * h.distance), depth, self.tol))
            };
            hit = self.wall.hit(self.chain, &x, &Query { tol: self.tol, admit: &admit, previous });
        }
        let open = |c: &Curve| !c.closed && !c.elements.is_empty() && c.radius.is_finite();
        let deepest = [self.finger, self.wall].into_iter().filter(|c| open(c));
        let deepest = deepest.map(|c| THROUGH * c.length()).fold(f64::INFINITY, f64::min);
        hit.map(|h| (h.distance - radius, h)).filter(|(gap, _)| *gap >= -deepest)
    }

    fn margin(&self, f: u32, w: u32, outward: &Vec3) -> f64 {
        let rel = self.pose_w.relative(self.pose_f);
        let center = match self.finger.feature(f) {
            Feature::Ball { center, .. } => center,
            _ => return f64::INFINITY,
        };
        let wall = self.wall.chain_margin(self.chain, w, &rel.point(&center));
        wall.min(self.own_margin(f, outward))
    }

    /// How far the outward direction is from leaving a ball of the run for its neighbour.
    fn own_margin(&self, f: u32, outward: &Vec3) -> f64 {
        match self.finger.joint_of(f) {
            None => {
                let e = &self.finger.elements[f as usize];
                let Element::Arc { r, .. } = e else { return f64::INFINITY };
                r * e.angular_margin(outward)
            }
            Some((k, joint)) => {
                // A corner gives way to the arcs beside it, if they belong to the same run.
                let n = self.finger.elements.len();
                let mut m = f64::INFINITY;
                for (arm, e) in joint.arms.iter().zip([(k + n.max(1) - 1) % n.max(1), k]) {
                    let in_run = self.run.features.contains(&(e as u32)) && e < n;
                    if let (Some(arm), true) = (arm, in_run) {
                        let Element::Arc { r, .. } = self.finger.elements[e] else { continue };
                        m = m.min(-r * arm.dot(outward));
                    }
                }
                m
            }
        }
    }
}
