//! Unit quaternions, scalar first.

use crate::{Mat3, Vec3};

/// A unit quaternion `[w, x, y, z]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quat(pub [f64; 4]);

impl Default for Quat {
    fn default() -> Self {
        Quat::IDENTITY
    }
}

impl Quat {
    /// No rotation.
    pub const IDENTITY: Quat = Quat([1.0, 0.0, 0.0, 0.0]);

    /// Reads four coordinates, scalar first.
    pub fn from_slice(q: &[f64]) -> Quat {
        Quat([q[0], q[1], q[2], q[3]])
    }

    /// exp of a rotation vector.
    pub fn exp(w: &Vec3) -> Quat {
        let half = 0.5 * w.norm();
        // sin(x)/x by series near zero, where the quotient loses digits
        let s =
            if half < 1e-4 { 0.5 * (1.0 - half * half / 6.0) } else { half.sin() / (2.0 * half) };
        Quat([half.cos(), s * w.x, s * w.y, s * w.z])
    }

    /// Rotation vector of the shortest rotation, |w| ≤ π.
    pub fn log(&self) -> Vec3 {
        let [w, x, y, z] = self.0;
        let v = Vec3::new(x, y, z);
        let n = v.norm();
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        if n < 1e-8 {
            return v * (2.0 * sign / w.abs().max(0.5));
        }
        v * (sign * 2.0 * n.atan2(w.abs()) / n)
    }

    /// Hamilton product: first `other`, then `self`, seen from the fixed frame.
    pub fn mul(&self, o: &Quat) -> Quat {
        let [a, b, c, d] = self.0;
        let [e, f, g, h] = o.0;
        Quat([
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ])
    }

    /// Inverse rotation.
    pub fn conj(&self) -> Quat {
        let [w, x, y, z] = self.0;
        Quat([w, -x, -y, -z])
    }

    /// Scaled to unit length.
    pub fn normalized(&self) -> Quat {
        let n = self.norm();
        Quat(self.0.map(|c| c / n))
    }

    /// Length.
    pub fn norm(&self) -> f64 {
        self.0.iter().map(|c| c * c).sum::<f64>().sqrt()
    }

    /// Rotation matrix.
    pub fn matrix(&self) -> Mat3 {
        let [w, x, y, z] = self.0;
        Mat3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        )
    }

    /// From a rotation matrix (Shepperd's choice of the largest component).
    pub fn from_matrix(r: &Mat3) -> Quat {
        let t = r.trace();
        let d = [t, r[(0, 0)], r[(1, 1)], r[(2, 2)]];
        let mut k = 0;
        for i in 1..4 {
            if d[i] > d[k] {
                k = i;
            }
        }
        let q = match k {
            0 => [1.0 + t, r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]],
            1 => [
                r[(2, 1)] - r[(1, 2)],
                1.0 + 2.0 * d[1] - t,
                r[(0, 1)] + r[(1, 0)],
                r[(0, 2)] + r[(2, 0)],
            ],
            2 => [
                r[(0, 2)] - r[(2, 0)],
                r[(0, 1)] + r[(1, 0)],
                1.0 + 2.0 * d[2] - t,
                r[(1, 2)] + r[(2, 1)],
            ],
            _ => [
                r[(1, 0)] - r[(0, 1)],
                r[(0, 2)] + r[(2, 0)],
                r[(1, 2)] + r[(2, 1)],
                1.0 + 2.0 * d[3] - t,
            ],
        };
        let q = Quat(q).normalized();
        if q.0[0] < 0.0 { Quat(q.0.map(|c| -c)) } else { q }
    }

    /// Rotation by `angle` about the unit vector `axis`.
    pub fn from_axis_angle(axis: &Vec3, angle: f64) -> Quat {
        Quat::exp(&(axis * angle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Vec3> {
        vec![
            Vec3::zeros(),
            Vec3::new(1e-9, -2e-9, 1e-10),
            Vec3::new(1e-3, 2e-3, -1e-3),
            Vec3::new(0.3, -0.7, 0.2),
            Vec3::new(2.0, 1.0, -1.5),
            Vec3::new(0.0, 3.1, 0.0),
        ]
    }

    #[test]
    fn log_inverts_exp() {
        for w in samples() {
            assert!((Quat::exp(&w).log() - w).norm() < 1e-14, "{w}");
        }
    }

    #[test]
    fn matrix_round_trip() {
        for w in samples() {
            let q = Quat::exp(&w);
            let p = Quat::from_matrix(&q.matrix());
            let d: f64 = (0..4).map(|i| (p.0[i] - q.0[i]).abs()).sum();
            assert!(d < 1e-14, "{w}");
            assert!((q.matrix() - crate::so3::exp(&w)).norm() < 1e-14);
        }
    }
}
