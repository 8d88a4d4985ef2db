//! Pose of a shape's frame: position and rotation.

use delassus_math::{Mat3, Quat, Vec3};

/// Pose of a shape's frame in the world: x_W = p + r x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the frame, world components (m).
    pub p: Vec3,
    /// Rotation; maps components in the frame to components in the world.
    pub r: Mat3,
}

impl Pose {
    /// Pose from position and rotation matrix.
    pub fn new(p: Vec3, r: Mat3) -> Pose {
        Pose { p, r }
    }

    /// The frame that coincides with the world.
    pub fn identity() -> Pose {
        Pose { p: Vec3::zeros(), r: Mat3::identity() }
    }

    /// Position only.
    pub fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose { p: Vec3::new(x, y, z), r: Mat3::identity() }
    }

    /// Pose in the xy plane: position and angle about +z (rad).
    pub fn planar(x: f64, y: f64, angle: f64) -> Pose {
        let (s, c) = angle.sin_cos();
        Pose { p: Vec3::new(x, y, 0.0), r: Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0) }
    }

    /// Pose from position and unit quaternion.
    pub fn from_quat(p: Vec3, q: &Quat) -> Pose {
        Pose { p, r: q.matrix() }
    }

    /// World position of a point of the frame.
    pub fn point(&self, x: &Vec3) -> Vec3 {
        self.p + self.r * x
    }

    /// World components of a vector of the frame.
    pub fn vector(&self, v: &Vec3) -> Vec3 {
        self.r * v
    }

    /// Frame components of a world point.
    pub fn inv_point(&self, x: &Vec3) -> Vec3 {
        self.r.tr_mul(&(x - self.p))
    }

    /// Frame components of a world vector.
    pub fn inv_vector(&self, v: &Vec3) -> Vec3 {
        self.r.tr_mul(v)
    }

    /// Pose of `other` seen from `self`: self⁻¹ ∘ other.
    pub fn relative(&self, other: &Pose) -> Pose {
        Pose { p: self.inv_point(&other.p), r: self.r.tr_mul(&other.r) }
    }
}
