//! Cylinders on half spaces and against balls.
//!
//! A rim is not a feature of its own. Where it touches, the feature is the point of the rim nearest at these poses:
//! gap, normal and gradient are exact, but the feature moves along the rim, so second derivatives taken with the point
//! fixed lack the curvature of the rim. Evaluate the slot again after each move.

use super::kernel::Kernel;
use crate::{Contact, Feature, Pose};
use delassus_math::Vec3;
use std::f64::consts::FRAC_PI_2;

/// Features: 0 the side; 1, 2 upper and lower face; 3, 4 upper and lower rim, nearest point.
const SIDE: u32 = 0;

/// Fixed points on each rim that carry an upright cylinder.
const FEET: u32 = 4;

/// Sine of the tilt below which no point of the rim is the lowest one.
const UPRIGHT: f64 = 1e-9;

/// Cosine of the tilt above which the fixed points of the rims are evaluated (about 25°).
const STANDING: f64 = 0.9;

/// A half space and a cylinder. Slots 0, 1: lowest point of the upper and of the lower rim. Then four
/// fixed points on each rim, for standing: they span a square within the true circle.
pub(crate) struct PlaneCylinder {
    pub plane: Feature,
    pub half_height: f64,
    pub radius: f64,
}

impl PlaneCylinder {
    fn end(&self, k: u32) -> Vec3 {
        Vec3::new(0.0, 0.0, if k == 0 { self.half_height } else { -self.half_height })
    }
}

impl Kernel for PlaneCylinder {
    fn slots(&self) -> usize {
        2 + 2 * FEET as usize
    }

    fn has_twins(&self) -> bool {
        true
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, _: Option<[u32; 2]>) -> Option<Contact> {
        let Feature::Plane { normal, .. } = self.plane else { return None };
        let n = pb.inv_vector(&pa.vector(&normal));
        let tilt = n.x.hypot(n.y);
        let (x, id) = if slot < 2 {
            if tilt < UPRIGHT {
                return None;
            }
            let down = Vec3::new(-n.x, -n.y, 0.0) / tilt;
            (self.end(slot) + down * self.radius, 3 + slot)
        } else {
            if n.z.abs() < STANDING || slot as usize >= self.slots() {
                return None;
            }
            let (k, rim) = ((slot - 2) % FEET, (slot - 2) / FEET);
            let (s, c) = (f64::from(k) * FRAC_PI_2).sin_cos();
            (self.end(rim) + Vec3::new(c, s, 0.0) * self.radius, 3 + slot)
        };
        Some(Contact::of(slot, [self.plane, Feature::vertex(x)], [0, id], pa, pb))
    }

    fn feature_margin(&self, _: &Contact, _: &Pose, _: &Pose) -> f64 {
        f64::INFINITY
    }
}

/// A ball and a cylinder: one slot.
pub(crate) struct BallCylinder {
    pub radius_ball: f64,
    pub half_height: f64,
    pub radius: f64,
    pub tol: f64,
}

impl BallCylinder {
    /// Height above the nearer face, distance beyond the side, and which face.
    fn outside(&self, x: &Vec3) -> (f64, f64, u32) {
        let lower = x.z < 0.0;
        (x.z.abs() - self.half_height, x.x.hypot(x.y) - self.radius, u32::from(lower))
    }

    fn feature(&self, id: u32, x: &Vec3) -> Feature {
        let up = if id == 1 || id == 3 { 1.0 } else { -1.0 };
        let axis = Vec3::z() * up;
        match id {
            SIDE => {
                Feature::Line { point: Vec3::zeros(), direction: Vec3::z(), radius: self.radius }
            }
            1 | 2 => Feature::Plane { point: axis * self.half_height, normal: axis },
            _ => {
                let rho = x.x.hypot(x.y).max(f64::MIN_POSITIVE);
                let rim = Vec3::new(x.x, x.y, 0.0) * (self.radius / rho);
                Feature::vertex(rim + axis * self.half_height)
            }
        }
    }
}

impl Kernel for BallCylinder {
    fn slots(&self) -> usize {
        1
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, previous: Option<[u32; 2]>) -> Option<Contact> {
        if slot != 0 {
            return None;
        }
        let x = pb.inv_point(&pa.p);
        let (h, s, face) = self.outside(&x);
        // Inside, the nearer of face and side; the one that was active where they are equal.
        let keep = match previous {
            Some([_, SIDE]) => -self.tol,
            Some([_, 1 | 2]) => self.tol,
            _ => 0.0,
        };
        let id = match (h > 0.0, s > 0.0) {
            (true, true) => 3 + face,
            (true, false) => 1 + face,
            (false, true) => SIDE,
            (false, false) if h + keep > s => 1 + face,
            (false, false) => SIDE,
        };
        let ball = Feature::Ball { center: Vec3::zeros(), radius: self.radius_ball };
        Some(Contact::of(0, [ball, self.feature(id, &x)], [0, id], pa, pb))
    }

    fn feature_margin(&self, c: &Contact, pa: &Pose, pb: &Pose) -> f64 {
        let (h, s, _) = self.outside(&pb.inv_point(&pa.p));
        let inside = h < 0.0 && s < 0.0;
        match c.feature_ids[1] {
            SIDE if inside => s - h,
            SIDE => -h,
            1 | 2 if inside => h - s,
            1 | 2 => -s,
            _ => h.min(s),
        }
    }
}

/// Centre of a rim whose nearest point is the feature.
pub(crate) fn rim(id: u32, half_height: f64) -> Option<Vec3> {
    match id {
        3 => Some(Vec3::z() * half_height),
        4 => Some(Vec3::z() * -half_height),
        _ => None,
    }
}

/// A feature by its id; for the rims, which have no fixed point, the one on the x axis.
pub(crate) fn feature(id: u32, half_height: f64, radius: f64) -> Option<Feature> {
    let axis = |up: bool| Vec3::z() * if up { 1.0 } else { -1.0 };
    Some(match id {
        SIDE => Feature::Line { point: Vec3::zeros(), direction: Vec3::z(), radius },
        1 | 2 => Feature::Plane { point: axis(id == 1) * half_height, normal: axis(id == 1) },
        3 | 4 => Feature::vertex(Vec3::x() * radius + axis(id == 3) * half_height),
        _ => {
            // the fixed points: id = 3 + slot
            let (k, lower) = ((id - 5) % FEET, (id - 5) / FEET);
            if lower > 1 {
                return None;
            }
            let (s, c) = (f64::from(k) * FRAC_PI_2).sin_cos();
            let end = axis(lower == 0) * half_height;
            Feature::vertex(end + Vec3::new(c, s, 0.0) * radius)
        }
    })
}
