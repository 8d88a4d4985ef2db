//! Rigid motions: exponential, logarithm and their derivatives.
//!
//! A motion g = (p, R) has tangent vectors ξ = (linear, angular) in the axes of the moved frame, and g(ξ) = exp(ξ̂)
//! is the screw motion that goes on with ξ for one unit of time. With d g = g (T(ξ) dξ)^ the operator T maps rates
//! of ξ to twists in the axes of the moved frame; T(−ξ) gives them in those of the frame before the motion.
//! T and its inverse are power series of the adjoint ad(ξ), which satisfies ad (ad² + θ²)² = 0, so five terms are
//! exact. Reference: Brüls, Cardona & Arnold, Mech. Mach. Theory 48 (2012).

use crate::{Mat3, Mat6, Quat, Vec3, Vec6, so3};

/// Below this angle the closed forms of the factors lose more digits than their series.
pub(crate) const SERIES_BELOW: f64 = 0.5;

/// cₖ = |B₂ₖ|/(2k)! of (θ/2) cot(θ/2) = 1 − Σ cₖ θ²ᵏ, from k = 1.
pub(crate) const COTANGENT: [f64; 9] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30240.0,
    1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    3617.0 / 10_670_622_842_880_000.0,
    43867.0 / 5_109_094_217_170_944_000.0,
];

/// Position and rotation of a frame in another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Origin.
    pub p: Vec3,
    /// Maps components in the moved frame to those in the other.
    pub r: Mat3,
}

impl Motion {
    /// None.
    pub const IDENTITY: Motion = Motion {
        p: Vec3::new(0.0, 0.0, 0.0),
        r: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    };

    /// First `self`, then `next`, which is seen from the frame that `self` leads to.
    pub fn then(&self, next: &Motion) -> Motion {
        Motion { p: self.p + self.r * next.p, r: self.r * next.r }
    }

    /// The frame `to`, seen from the frame `self`; both are seen from a third one.
    pub fn to(&self, to: &Motion) -> Motion {
        Motion { p: self.r.tr_mul(&(to.p - self.p)), r: self.r.tr_mul(&to.r) }
    }
}

/// The linear part of a tangent vector.
#[inline]
pub fn linear(xi: &Vec6) -> Vec3 {
    Vec3::new(xi[0], xi[1], xi[2])
}

/// The angular part of a tangent vector.
#[inline]
pub fn angular(xi: &Vec6) -> Vec3 {
    Vec3::new(xi[3], xi[4], xi[5])
}

/// Tangent vector, or wrench, of its two parts.
#[inline]
pub fn joined(lin: &Vec3, ang: &Vec3) -> Vec6 {
    Vec6::new(lin.x, lin.y, lin.z, ang.x, ang.y, ang.z)
}

/// The screw motion ξ.
pub fn exp(xi: &Vec6) -> Motion {
    let w = angular(xi);
    Motion { p: so3::tangent_mul(&-w, &linear(xi)), r: so3::exp(&w) }
}

/// The shortest screw motion that leads there; its angle is at most π.
pub fn log(g: &Motion) -> Vec6 {
    let w = Quat::from_matrix(&g.r).log();
    joined(&so3::tangent_inv_mul(&-w, &g.p), &w)
}

/// ad(ξ) y: the rate at which y turns into the axes of a frame that moves with −ξ.
#[inline]
pub fn ad(xi: &Vec6, y: &Vec6) -> Vec6 {
    let (v, w) = (linear(xi), angular(xi));
    let (yv, yw) = (linear(y), angular(y));
    joined(&(w.cross(&yv) + v.cross(&yw)), &w.cross(&yw))
}

/// ad(ξ)ᵀ y, for wrenches.
#[inline]
pub fn ad_transpose(xi: &Vec6, y: &Vec6) -> Vec6 {
    let (v, w) = (linear(xi), angular(xi));
    let (yv, yw) = (linear(y), angular(y));
    joined(&yv.cross(&w), &(yv.cross(&v) + yw.cross(&w)))
}

/// The matrix of ad(ξ).
pub fn ad_matrix(xi: &Vec6) -> Mat6 {
    let (v, w) = (so3::hat(&linear(xi)), so3::hat(&angular(xi)));
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 0).copy_from(&w);
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&v);
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&w);
    m
}

/// The matrix of δ ↦ ad(δ)ᵀ y.
pub fn ad_transpose_by(y: &Vec6) -> Mat6 {
    let (v, w) = (so3::hat(&linear(y)), so3::hat(&angular(y)));
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&v);
    m.fixed_view_mut::<3, 3>(3, 0).copy_from(&v);
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&w);
    m
}

/// Factors a, b of T⁻¹ = 1 + ad/2 + a ad² + b ad⁴, and their derivatives by θ over θ.
#[derive(Debug, Clone, Copy)]
struct InverseFactors {
    a: f64,
    b: f64,
    a_slope: f64,
    b_slope: f64,
}

impl InverseFactors {
    /// The even part (x/2) coth(x/2) of x/(1 − e⁻ˣ) is matched where the polynomial of ad vanishes: at 0 and,
    /// with its slope, at iθ. So with c = (θ/2) cot(θ/2)
    ///
    /// ```text
    /// 1 − aθ² + bθ⁴ = c,     2aθ − 4bθ³ = −c′
    /// ```
    fn new(theta: f64) -> InverseFactors {
        let t2 = theta * theta;
        if theta < SERIES_BELOW {
            // c = 1 − Σ cₖ θ²ᵏ, so that a = Σ (2 − k) cₖ θ²ᵏ⁻² and b = Σ (1 − k) cₖ θ²ᵏ⁻⁴
            let (mut a, mut b, mut a_slope, mut b_slope) = (0.0, 0.0, 0.0, 0.0);
            for (i, c) in COTANGENT.iter().enumerate().rev() {
                let k = (i + 1) as f64;
                let power = |n: i32| if n < 0 { 0.0 } else { t2.powi(n) };
                let i = i as i32;
                a += (2.0 - k) * c * power(i);
                b += (1.0 - k) * c * power(i - 1);
                a_slope += (2.0 - k) * c * (2.0 * k - 2.0) * power(i - 1);
                b_slope += (1.0 - k) * c * (2.0 * k - 4.0) * power(i - 2);
            }
            return InverseFactors { a, b, a_slope, b_slope };
        }
        let (s, co) = (0.5 * theta).sin_cos();
        let c = 0.5 * theta * co / s;
        // c′ and c″
        let d = 0.5 * co / s - 0.25 * theta / (s * s);
        let e = -0.5 / (s * s) + 0.25 * theta * co / (s * s * s);
        // from the two equations
        let a = (2.0 * (1.0 - c) + 0.5 * theta * d) / t2;
        let b = (1.0 - c + 0.5 * theta * d) / (t2 * t2);
        let a_slope = (-2.0 * a * theta - 1.5 * d + 0.5 * theta * e) / (t2 * theta);
        let b_slope = (-4.0 * b * t2 * theta - 0.5 * d + 0.5 * theta * e) / (t2 * t2 * theta);
        InverseFactors { a, b, a_slope, b_slope }
    }
}

/// T(ξ): twist in the axes of the moved frame = T(ξ) ξ̇.
pub fn tangent(xi: &Vec6) -> Mat6 {
    let (v, w) = (linear(xi), angular(xi));
    let rotation = so3::tangent(&w);
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 0).copy_from(&rotation);
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&rotation);
    // ∂T(w)/∂w along v
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&so3::tangent_slope(&w, &v));
    m
}

/// T(ξ)⁻¹: ξ̇ = T(ξ)⁻¹ twist.
pub fn tangent_inv(xi: &Vec6) -> Mat6 {
    let f = InverseFactors::new(angular(xi).norm());
    let ad = ad_matrix(xi);
    let square = ad * ad;
    Mat6::identity() + ad * 0.5 + square * f.a + square * square * f.b
}

/// T(ξ)⁻¹ y without forming the matrix.
pub fn tangent_inv_mul(xi: &Vec6, y: &Vec6) -> Vec6 {
    let f = InverseFactors::new(angular(xi).norm());
    let y1 = ad(xi, y);
    let y2 = ad(xi, &y1);
    let y4 = ad(xi, &ad(xi, &y2));
    y + y1 * 0.5 + y2 * f.a + y4 * f.b
}

/// T(ξ)⁻ᵀ y without forming the matrix: what a force along ξ is as a wrench in the axes of the moved frame.
pub fn tangent_inv_transpose_mul(xi: &Vec6, y: &Vec6) -> Vec6 {
    let f = InverseFactors::new(angular(xi).norm());
    let y1 = ad_transpose(xi, y);
    let y2 = ad_transpose(xi, &y1);
    let y4 = ad_transpose(xi, &ad_transpose(xi, &y2));
    y + y1 * 0.5 + y2 * f.a + y4 * f.b
}

/// ∂(T(ξ)⁻¹ y)/∂ξ at fixed y.
pub fn tangent_inv_slope(xi: &Vec6, y: &Vec6) -> Mat6 {
    let f = InverseFactors::new(angular(xi).norm());
    let one = ad_matrix(xi);
    let by = |y: &Vec6| -ad_matrix(y);
    slope(xi, &f, &one, y, by)
}

/// ∂(T(ξ)⁻ᵀ y)/∂ξ at fixed y.
pub fn tangent_inv_transpose_slope(xi: &Vec6, y: &Vec6) -> Mat6 {
    let f = InverseFactors::new(angular(xi).norm());
    let one = ad_matrix(xi).transpose();
    slope(xi, &f, &one, y, ad_transpose_by)
}

/// Derivative of y + A y/2 + a A² y + b A⁴ y, where A is linear in ξ and `by(y)` is the matrix of δ ↦ A(δ) y.
fn slope(xi: &Vec6, f: &InverseFactors, one: &Mat6, y: &Vec6, by: impl Fn(&Vec6) -> Mat6) -> Mat6 {
    let y1 = one * y;
    let y2 = one * y1;
    let y3 = one * y2;
    let y4 = one * y3;
    let first = by(y);
    let second = by(&y1) + one * first;
    let third = by(&y2) + one * second;
    let fourth = by(&y3) + one * third;
    // θ depends on the angular part alone
    let along = joined(&Vec3::zeros(), &angular(xi)).transpose();
    first * 0.5 + second * f.a + fourth * f.b + (y2 * f.a_slope + y4 * f.b_slope) * along
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Vec6> {
        let directions = [
            Vec6::new(0.3, -0.2, 0.9, 1.0, -0.4, 0.7),
            Vec6::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
            Vec6::new(-2.0, 1.0, 0.5, 0.1, 0.0, -0.9),
        ];
        let half_turn = std::f64::consts::PI * (1.0 - 1e-6);
        let angles = [0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.499, 0.501, 1.0, 2.0, 3.0, half_turn];
        let mut out = vec![Vec6::zeros()];
        for d in directions {
            let w = angular(&d).normalize();
            out.extend(angles.map(|t| joined(&linear(&d), &(w * t))));
        }
        out
    }

    fn distance(a: &Motion, b: &Motion) -> f64 {
        (a.p - b.p).norm() + (a.r - b.r).norm()
    }

    /// Central differences of a matrix or vector along each entry of ξ.
    fn differences<const N: usize>(
        xi: &Vec6,
        of: impl Fn(&Vec6) -> nalgebra::SVector<f64, N>,
    ) -> nalgebra::SMatrix<f64, N, 6> {
        let mut out = nalgebra::SMatrix::<f64, N, 6>::zeros();
        for k in 0..6 {
            let mut e = Vec6::zeros();
            e[k] = 1e-5;
            out.set_column(k, &((of(&(xi + e)) - of(&(xi - e))) / 2e-5));
        }
        out
    }

    #[test]
    fn log_inverts_exp() {
        for xi in samples() {
            let back = log(&exp(&xi));
            // near half a turn the matrix itself holds the axis with half of the digits less
            assert!((back - xi).norm() < 2e-13, "{xi} {back}");
        }
    }

    #[test]
    fn half_turns_have_a_logarithm() {
        for axis in [Vec3::x(), Vec3::y(), Vec3::new(0.6, 0.0, -0.8)] {
            let xi = joined(&Vec3::new(0.2, 0.1, -0.5), &(axis * std::f64::consts::PI));
            let g = exp(&xi);
            assert!(distance(&exp(&log(&g)), &g) < 1e-14);
            assert!((angular(&log(&g)).norm() - std::f64::consts::PI).abs() < 1e-14);
        }
    }

    #[test]
    fn exp_is_a_group_along_one_screw() {
        for xi in samples() {
            let half = exp(&(xi * 0.5));
            assert!(distance(&half.then(&half), &exp(&xi)) < 1e-14);
            assert!(distance(&exp(&xi).to(&Motion::IDENTITY), &exp(&-xi)) < 1e-14);
        }
    }

    #[test]
    fn tangent_is_the_derivative_of_exp() {
        for xi in samples() {
            let g = exp(&xi);
            let found = differences(&xi, |x| log(&g.to(&exp(x))));
            assert!((found - tangent(&xi)).norm() < 1e-9, "{xi}");
        }
    }

    #[test]
    fn tangent_inverse_and_its_products() {
        let y = Vec6::new(0.4, -1.0, 0.3, 0.8, 0.2, -0.6);
        for xi in samples() {
            let inverse = tangent_inv(&xi);
            let product = tangent(&xi) * inverse;
            assert!((product - Mat6::identity()).norm() < 1e-12, "{xi} {product}");
            assert!((tangent_inv_mul(&xi, &y) - inverse * y).norm() < 1e-13);
            let transposed = inverse.transpose() * y;
            assert!((tangent_inv_transpose_mul(&xi, &y) - transposed).norm() < 1e-13);
        }
    }

    /// The motion seen from its other end: T(−ξ) = Ad(g) T(ξ).
    #[test]
    fn tangent_of_the_opposite_screw() {
        for xi in samples() {
            let g = exp(&xi);
            let y = Vec6::new(0.4, -1.0, 0.3, 0.8, 0.2, -0.6);
            let twist = tangent(&xi) * y;
            let (v, w) = (g.r * linear(&twist), g.r * angular(&twist));
            let moved = joined(&(v + g.p.cross(&w)), &w);
            assert!((tangent(&-xi) * y - moved).norm() < 1e-12, "{xi}");
        }
    }

    #[test]
    fn slopes_are_derivatives_of_the_inverse() {
        let y = Vec6::new(0.4, -1.0, 0.3, 0.8, 0.2, -0.6);
        for xi in samples() {
            let found = tangent_inv_slope(&xi, &y);
            let wanted = differences(&xi, |x| tangent_inv_mul(x, &y));
            assert!((found - wanted).norm() < 2e-9, "{xi} {found} {wanted}");
            let found = tangent_inv_transpose_slope(&xi, &y);
            let wanted = differences(&xi, |x| tangent_inv_transpose_mul(x, &y));
            assert!((found - wanted).norm() < 2e-9, "{xi} {found} {wanted}");
        }
    }

    /// The series and the closed forms meet.
    #[test]
    fn factors_are_continuous() {
        let (low, high) = (SERIES_BELOW * (1.0 - 1e-15), SERIES_BELOW);
        let (x, y) = (InverseFactors::new(low), InverseFactors::new(high));
        assert!((x.a - y.a).abs() < 1e-14, "{x:?} {y:?}");
        assert!((x.b - y.b).abs() < 1e-13, "{x:?} {y:?}");
        assert!((x.a_slope - y.a_slope).abs() < 1e-13, "{x:?} {y:?}");
        assert!((x.b_slope - y.b_slope).abs() < 1e-12, "{x:?} {y:?}");
        let at_zero = InverseFactors::new(0.0);
        assert_eq!([at_zero.a, at_zero.b], [1.0 / 12.0, -1.0 / 720.0]);
    }
}
