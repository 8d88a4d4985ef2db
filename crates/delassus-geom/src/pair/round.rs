//! Pairs of spheres, capsules and half spaces: plain formulas.

use super::kernel::Kernel;
use crate::{Contact, Feature, Pose};
use delassus_math::Vec3;

/// A half space with balls on the other side: spheres, ends of capsules, corners of polys.
pub(crate) struct PlaneBalls {
    pub plane: Feature,
    /// Feature ids and features of the other shape.
    pub balls: Vec<(u32, Feature)>,
}

impl Kernel for PlaneBalls {
    fn slots(&self) -> usize {
        self.balls.len()
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, _: Option<[u32; 2]>) -> Option<Contact> {
        let (id, ball) = *self.balls.get(slot as usize)?;
        Some(Contact::of(slot, [self.plane, ball], [0, id], pa, pb))
    }

    fn feature_margin(&self, _: &Contact, _: &Pose, _: &Pose) -> f64 {
        f64::INFINITY
    }
}

/// Two balls.
pub(crate) struct Balls(pub Feature, pub Feature);

impl Kernel for Balls {
    fn slots(&self) -> usize {
        1
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, _: Option<[u32; 2]>) -> Option<Contact> {
        (slot == 0).then(|| Contact::of(0, [self.0, self.1], [0, 0], pa, pb))
    }

    fn feature_margin(&self, _: &Contact, _: &Pose, _: &Pose) -> f64 {
        f64::INFINITY
    }
}

/// A straight axis with round ends. Features: 0 the side, 1 and 2 the ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rod {
    pub ends: [Vec3; 2],
    pub d: Vec3,
    pub len: f64,
    pub radius: f64,
}

impl Rod {
    pub fn new(ends: [Vec3; 2], radius: f64) -> Rod {
        let axis = ends[1] - ends[0];
        let len = axis.norm();
        Rod { ends, d: axis / len, len, radius }
    }

    pub fn feature(&self, id: u32) -> Feature {
        match id {
            0 => Feature::Line { point: self.ends[0], direction: self.d, radius: self.radius },
            k => Feature::Ball { center: self.ends[(k > 1) as usize], radius: self.radius },
        }
    }

    /// Coordinate of a point along the axis, from the first end.
    pub fn along(&self, x: &Vec3) -> f64 {
        self.d.dot(&(x - self.ends[0]))
    }

    /// The part of the rod that faces a point.
    pub fn facing(&self, x: &Vec3) -> u32 {
        let s = self.along(x);
        if s <= 0.0 {
            1
        } else if s >= self.len {
            2
        } else {
            0
        }
    }

    /// How far a point is from facing another part.
    pub fn margin(&self, id: u32, x: &Vec3) -> f64 {
        let s = self.along(x);
        match id {
            0 => s.min(self.len - s),
            1 => -s,
            _ => s - self.len,
        }
    }
}

/// A ball and a capsule.
pub(crate) struct BallRod {
    pub ball: Feature,
    pub rod: Rod,
}

impl BallRod {
    fn local(&self, pa: &Pose, pb: &Pose) -> Vec3 {
        let center = match self.ball {
            Feature::Ball { center, .. } => center,
            _ => Vec3::zeros(),
        };
        pb.inv_point(&pa.point(&center))
    }
}

impl Kernel for BallRod {
    fn slots(&self) -> usize {
        1
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, _: Option<[u32; 2]>) -> Option<Contact> {
        // Normal and gap are the same on both sides of a change: no memory is needed.
        let id = self.rod.facing(&self.local(pa, pb));
        (slot == 0).then(|| Contact::of(0, [self.ball, self.rod.feature(id)], [0, id], pa, pb))
    }

    fn feature_margin(&self, c: &Contact, pa: &Pose, pb: &Pose) -> f64 {
        self.rod.margin(c.feature_ids[1], &self.local(pa, pb))
    }
}
