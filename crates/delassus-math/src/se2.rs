//! Rigid motions in the plane: the closed forms to which those of [`crate::se3`] reduce.
//!
//! A screw ξ = (x, y, θ) leads to a turn by θ about a fixed point. With h = θ/2, c = h cot h and k = (1 − c)/θ² the operator of
//! se3 is
//!
//! ```text
//!           [ c  −h   y/2 + kθx ]
//! T(ξ)⁻¹ =  [ h   c  −x/2 + kθy ]
//!           [ 0   0       1     ]
//! ```

use crate::se3::{COTANGENT, SERIES_BELOW};
use crate::{Mat3, Vec3};

/// A screw, with what its operators need.
#[derive(Debug, Clone, Copy)]
pub struct Screw {
    /// x, y, θ.
    pub xi: Vec3,
    c: f64,
    k: f64,
    /// dc/dθ.
    c_slope: f64,
    /// d(kθ)/dθ.
    k_slope: f64,
}

impl Screw {
    /// The shortest one that leads to the place (x, y) and the rotation with this cosine and sine; its angle is at most π.
    pub fn leading(x: f64, y: f64, cos: f64, sin: f64) -> Screw {
        let mut s = Screw::turning(sin.atan2(cos));
        let h = 0.5 * s.xi.z;
        (s.xi.x, s.xi.y) = (s.c * x + h * y, s.c * y - h * x);
        s
    }

    /// About the origin.
    fn turning(theta: f64) -> Screw {
        let t2 = theta * theta;
        // k, and its derivative by θ over θ
        let (mut k, mut by) = (0.0, 0.0);
        if theta.abs() < SERIES_BELOW {
            for (i, c) in COTANGENT.iter().enumerate().rev() {
                k = k * t2 + c;
                if i > 0 {
                    by = by * t2 + 2.0 * i as f64 * c;
                }
            }
        } else {
            let (s, co) = (0.5 * theta).sin_cos();
            let c = 0.5 * theta * co / s;
            let slope = 0.5 * co / s - 0.25 * theta / (s * s);
            k = (1.0 - c) / t2;
            by = -(slope / theta + 2.0 * k) / t2;
        }
        Screw {
            xi: Vec3::new(0.0, 0.0, theta),
            c: 1.0 - k * t2,
            k,
            c_slope: -theta * (2.0 * k + by * t2),
            k_slope: k + by * t2,
        }
    }

    /// −ξ.
    pub fn opposite(&self) -> Screw {
        Screw { xi: -self.xi, c_slope: -self.c_slope, ..*self }
    }

    /// T(ξ)⁻¹.
    #[inline]
    pub fn inverse(&self) -> Mat3 {
        let (x, y, theta) = (self.xi.x, self.xi.y, self.xi.z);
        let (h, turned) = (0.5 * theta, self.k * theta);
        Mat3::new(self.c, -h, 0.5 * y + turned * x, h, self.c, turned * y - 0.5 * x, 0.0, 0.0, 1.0)
    }

    /// ∂(T(ξ)⁻¹ v)/∂ξ at fixed v.
    #[inline]
    pub fn slope(&self, v: &Vec3) -> Mat3 {
        let turned = self.k * self.xi.z;
        Mat3::new(
            turned * v.z,
            0.5 * v.z,
            self.c_slope * v.x - 0.5 * v.y + self.k_slope * self.xi.x * v.z,
            -0.5 * v.z,
            turned * v.z,
            0.5 * v.x + self.c_slope * v.y + self.k_slope * self.xi.y * v.z,
            0.0,
            0.0,
            0.0,
        )
    }

    /// ∂(T(ξ)⁻ᵀ w)/∂ξ at fixed w.
    #[inline]
    pub fn transpose_slope(&self, w: &Vec3) -> Mat3 {
        let turned = self.k * self.xi.z;
        Mat3::new(
            0.0,
            0.0,
            self.c_slope * w.x + 0.5 * w.y,
            0.0,
            0.0,
            self.c_slope * w.y - 0.5 * w.x,
            turned * w.x - 0.5 * w.y,
            0.5 * w.x + turned * w.y,
            self.k_slope * (self.xi.x * w.x + self.xi.y * w.y),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::se3::{self, Motion};
    use crate::{Mat6, Vec6, so3};

    const PLANE: [usize; 3] = [0, 1, 5];

    fn in_space(v: &Vec3) -> Vec6 {
        Vec6::new(v.x, v.y, 0.0, 0.0, 0.0, v.z)
    }

    fn in_plane(m: &Mat6) -> Mat3 {
        Mat3::from_fn(|i, j| m[(PLANE[i], PLANE[j])])
    }

    #[test]
    fn the_forms_of_space_in_the_plane() {
        let v = Vec3::new(0.4, -1.0, 0.7);
        for theta in [0.0_f64, 1e-9, 1e-3, 0.1, 0.499, 0.501, -0.3, 1.0, -2.0, 2.5, 3.0] {
            let (x, y) = (0.9_f64, -0.3_f64);
            let s = Screw::leading(x, y, theta.cos(), theta.sin());
            let g = Motion { p: Vec3::new(x, y, 0.0), r: so3::exp(&Vec3::new(0.0, 0.0, theta)) };
            let xi = se3::log(&g);
            assert!((in_space(&s.xi) - xi).norm() < 1e-14, "{theta}");
            for (s, xi) in [(s, xi), (s.opposite(), -xi)] {
                let near = |found: Mat3, space: Mat6| {
                    assert!((found - in_plane(&space)).norm() < 3e-13, "{theta} {found} {space}");
                };
                near(s.inverse(), se3::tangent_inv(&xi));
                near(s.slope(&v), se3::tangent_inv_slope(&xi, &in_space(&v)));
                near(s.transpose_slope(&v), se3::tangent_inv_transpose_slope(&xi, &in_space(&v)));
            }
        }
    }
}
