//! Capsules against each other and against polys.

use super::edges::{Bar, cross, margin};
use super::kernel::{Kernel, Search};
use super::poly_poly::{DEPTH, bar, ridge_positions, ridges_near, turned};
use super::round::Rod;
use crate::spatial::bvh::Aabb;
use crate::spatial::closest::Query;
use crate::spatial::poly::{Edge, Poly};
use crate::{Contact, Pose, feature_gap};
use delassus_math::Vec3;
use std::sync::Arc;

/// Sine by which the direction to the axis may leave the cone of a corner and still be considered.
const OPEN: f64 = 0.3;

/// Two capsules. Slot 0: the sides crossing. Slots 1, 2: the ends of a against b. Slots 3, 4: the ends
/// of b against the side of a. Parallel capsules touch with two ends.
pub(crate) struct Rods(pub Rod, pub Rod, pub f64);

fn rod_bar(rod: &Rod, pose: &Pose) -> Bar {
    Bar { x: pose.point(&rod.ends[0]), d: pose.vector(&rod.d), len: rod.len, radius: rod.radius }
}

impl Rods {
    /// The side of a, oriented such that the normal points from a to b at these poses.
    fn sides(&self, pa: &Pose, pb: &Pose, tol: f64) -> Option<bool> {
        let (a, b) = (rod_bar(&self.0, pa), rod_bar(&self.1, pb));
        // Of the two signs the one with the axes apart.
        let ok = |n: &Vec3| if n.dot(&(b.x - a.x)) >= 0.0 { 0.0 } else { 1.0 };
        cross(&a, &b, tol, f64::INFINITY, &ok, &|_| 0.0).map(|c| c.turn)
    }
}

impl Kernel for Rods {
    fn slots(&self) -> usize {
        5
    }

    fn has_twins(&self) -> bool {
        true
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, previous: Option<[u32; 2]>) -> Option<Contact> {
        let Rods(a, b, tol) = self;
        match slot {
            0 => {
                let tol = if previous.is_some() { -tol } else { *tol };
                let turn = self.sides(pa, pb, tol)?;
                Some(Contact::of(0, [turned(a.feature(0), turn), b.feature(0)], [0, 0], pa, pb))
            }
            1 | 2 => {
                let x = pb.inv_point(&pa.point(&a.ends[slot as usize - 1]));
                let id = b.facing(&x);
                Some(Contact::of(slot, [a.feature(slot), b.feature(id)], [slot, id], pa, pb))
            }
            3 | 4 => {
                let own = slot - 2;
                let x = pa.inv_point(&pb.point(&b.ends[own as usize - 1]));
                let seen = a.facing(&x) == 0;
                seen.then(|| Contact::of(slot, [a.feature(0), b.feature(own)], [0, own], pa, pb))
            }
            _ => None,
        }
    }

    fn feature_margin(&self, c: &Contact, pa: &Pose, pb: &Pose) -> f64 {
        let Rods(a, b, _) = self;
        let [ia, ib] = c.feature_ids;
        match c.slot {
            // round all about: no normal leaves them
            0 => margin(&rod_bar(a, pa), &rod_bar(b, pb), &c.normal, &|_| 0.0, &|_| 0.0),
            1 | 2 => b.margin(ib, &pb.inv_point(&pa.point(&a.ends[ia as usize - 1]))),
            _ => a.margin(ia, &pa.inv_point(&pb.point(&b.ends[ib as usize - 1]))),
        }
    }
}

/// A capsule and a poly. Slots: ends against patches, then the side against convex edges, then the side
/// against convex corners.
pub(crate) struct RodPoly {
    rod: Rod,
    poly: Arc<Poly>,
    tol: f64,
    depth: f64,
    ridge_of: Vec<Option<u32>>,
}

impl RodPoly {
    pub fn new(rod: Rod, poly: &Arc<Poly>, tol: f64) -> RodPoly {
        let ridge_of = ridge_positions(poly);
        let depth = DEPTH * poly.radius.min(rod.len);
        RodPoly { rod, poly: poly.clone(), tol, depth, ridge_of }
    }

    fn n_ends(&self) -> usize {
        2 * self.poly.n_patches
    }

    /// Convex edge j of the poly.
    fn ridge(&self, j: usize) -> &Edge {
        &self.poly.edges[self.poly.ridges[j] as usize]
    }

    /// Whether the axis must be reversed where it crosses edge j.
    fn crossing(&self, j: usize, rel: &Pose, tol: f64) -> Option<bool> {
        let e = self.ridge(j);
        let axis = rod_bar(&self.rod, rel);
        let edge = bar(e, &Pose::identity());
        let c = cross(&axis, &edge, tol, self.depth, &|_| 0.0, &|n| e.violation(n))?;
        Some(c.turn)
    }

    fn edge(&self, j: usize, tol: f64, pa: &Pose, pb: &Pose) -> Option<Contact> {
        let turn = self.crossing(j, &pb.relative(pa), tol)?;
        let id = self.poly.edge_id(*self.poly.ridges.get(j)?);
        let features = [turned(self.rod.feature(0), turn), self.poly.feature(id)];
        Some(Contact::of((self.n_ends() + j) as u32, features, [0, id], pa, pb))
    }

    fn corner(&self, k: usize, pa: &Pose, pb: &Pose) -> Option<Contact> {
        let v = *self.poly.fingers.get(k)?;
        let id = self.poly.vertex_id(v);
        let v = &self.poly.vertices[v as usize];
        let x = pa.inv_point(&pb.point(&v.x));
        if self.rod.margin(0, &x) <= 0.0 {
            return None;
        }
        let features = [self.rod.feature(0), self.poly.feature(id)];
        let (_, n, _) = feature_gap(&features[0], pa, &features[1], pb);
        if v.violation(&pb.inv_vector(&-n)) > OPEN {
            return None;
        }
        let slot = self.n_ends() + self.poly.ridges.len() + k;
        Some(Contact::of(slot as u32, features, [0, id], pa, pb))
    }
}

impl Kernel for RodPoly {
    fn slots(&self) -> usize {
        self.n_ends() + self.poly.ridges.len() + self.poly.fingers.len()
    }

    fn has_twins(&self) -> bool {
        true
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, previous: Option<[u32; 2]>) -> Option<Contact> {
        let (k, n) = (slot as usize, self.n_ends());
        if k >= n + self.poly.ridges.len() {
            return self.corner(k - n - self.poly.ridges.len(), pa, pb);
        }
        if k >= n {
            let tol = if previous.is_some() { -self.tol } else { self.tol };
            return self.edge(k - n, tol, pa, pb);
        }
        let end = k / self.poly.n_patches;
        let x = pb.inv_point(&pa.point(&self.rod.ends[end]));
        let q = Query { tol: self.tol, admit: &|_| true, previous: previous.map(|p| p[1]) };
        let hit = self.poly.hit((k % self.poly.n_patches) as u32, &x, &q)?;
        let ids = [end as u32 + 1, hit.id];
        let features = [self.rod.feature(ids[0]), self.poly.feature(hit.id)];
        Some(Contact::of(slot, features, ids, pa, pb))
    }

    fn near(&self, pa: &Pose, pb: &Pose, margin: f64, search: &mut Search, out: &mut Vec<Contact>) {
        let Search { hits, edges } = search;
        let rel = pb.relative(pa);
        let reach = self.rod.radius + margin.max(0.0);
        let q = Query { tol: self.tol, admit: &|_| true, previous: None };
        for end in 0..2 {
            let x = rel.point(&self.rod.ends[end]);
            self.poly.hits_within(&x, reach + self.depth, &q, hits);
            for h in hits.iter() {
                let ids = [end as u32 + 1, h.id];
                let features = [self.rod.feature(ids[0]), self.poly.feature(h.id)];
                let slot = (end * self.poly.n_patches) as u32 + h.patch;
                let c = Contact::of(slot, features, ids, pa, pb);
                out.extend(Some(c).filter(|c| c.gap < margin));
            }
        }
        let zone = Aabb::around(self.rod.ends.map(|x| rel.point(&x))).grown(reach + self.depth);
        ridges_near(&self.poly, &self.ridge_of, &zone, edges);
        for &j in edges.iter() {
            let c = self.edge(j as usize, self.tol, pa, pb);
            out.extend(c.filter(|c| c.gap < margin));
        }
        for (k, &v) in self.poly.fingers.iter().enumerate() {
            let x = self.poly.vertices[v as usize].x;
            if zone.meets(&Aabb { lo: x, hi: x }) {
                out.extend(self.corner(k, pa, pb).filter(|c| c.gap < margin));
            }
        }
    }

    fn feature_margin(&self, c: &Contact, pa: &Pose, pb: &Pose) -> f64 {
        let (k, n) = (c.slot as usize, self.n_ends());
        if k >= n + self.poly.ridges.len() {
            let v = self.poly.fingers.get(k - n - self.poly.ridges.len());
            let x = v.map_or_else(Vec3::zeros, |&v| self.poly.vertices[v as usize].x);
            return self.rod.margin(0, &pa.inv_point(&pb.point(&x)));
        }
        if k >= n {
            let e = self.ridge(k - n);
            let (axis, edge) = (rod_bar(&self.rod, &pb.relative(pa)), bar(e, &Pose::identity()));
            let normal = pb.inv_vector(&c.normal);
            return margin(&axis, &edge, &normal, &|_| 0.0, &|n| e.violation(n));
        }
        let x = pb.inv_point(&pa.point(&self.rod.ends[k / self.poly.n_patches]));
        self.poly.region_margin(c.feature_ids[1], &x)
    }
}
