//! A ball and a poly: one slot per patch.

use super::kernel::{Kernel, Search};
use crate::spatial::closest::{Hit, Query};
use crate::spatial::poly::Poly;
use crate::{Contact, Feature, Pose};
use delassus_math::Vec3;
use std::sync::Arc;

pub(crate) struct BallPoly {
    pub radius: f64,
    pub poly: Arc<Poly>,
    pub tol: f64,
}

impl BallPoly {
    fn contact(&self, hit: &Hit, pa: &Pose, pb: &Pose) -> Contact {
        let ball = Feature::Ball { center: Vec3::zeros(), radius: self.radius };
        Contact::of(hit.patch, [ball, self.poly.feature(hit.id)], [0, hit.id], pa, pb)
    }
}

impl Kernel for BallPoly {
    fn slots(&self) -> usize {
        self.poly.n_patches
    }

    /// An edge between two patches belongs to both.
    fn has_twins(&self) -> bool {
        self.poly.n_patches > 1
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, previous: Option<[u32; 2]>) -> Option<Contact> {
        let x = pb.inv_point(&pa.p);
        let q = Query { tol: self.tol, admit: &|_| true, previous: previous.map(|p| p[1]) };
        self.poly.hit(slot, &x, &q).map(|h| self.contact(&h, pa, pb))
    }

    fn near(&self, pa: &Pose, pb: &Pose, margin: f64, search: &mut Search, out: &mut Vec<Contact>) {
        let x = pb.inv_point(&pa.p);
        let q = Query { tol: self.tol, admit: &|_| true, previous: None };
        self.poly.hits_within(&x, self.radius + margin, &q, &mut search.hits);
        out.extend(search.hits.iter().map(|h| self.contact(h, pa, pb)).filter(|c| c.gap < margin));
    }

    fn feature_margin(&self, c: &Contact, pa: &Pose, pb: &Pose) -> f64 {
        self.poly.region_margin(c.feature_ids[1], &pb.inv_point(&pa.p))
    }
}
