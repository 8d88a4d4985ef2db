//! The rotation group: exponential and its right-trivialised derivative.
//!
//! With R(ξ) = exp(ξ̂): d R = R (T(ξ) dξ)^, so T maps rates of the rotation vector to body
//! angular velocity. Reference: Brüls, Cardona & Arnold, Mech. Mach. Theory 48 (2012).

use crate::{Mat3, Vec3};

/// Below this angle the closed forms lose more digits than their series.
const SERIES_BELOW: f64 = 1e-3;

/// The same for derivatives of the factors, which lose two more.
const SLOPE_SERIES_BELOW: f64 = 0.3;

/// Cross-product matrix: `hat(a) b = a × b`.
pub fn hat(a: &Vec3) -> Mat3 {
    Mat3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// Rotation matrix of the rotation vector `w`.
pub fn exp(w: &Vec3) -> Mat3 {
    let t2 = w.norm_squared();
    let (a, b) = sin_cos_factors(t2);
    let h = hat(w);
    Mat3::identity() + h * a + h * h * b
}

/// T(w): body angular velocity = T(w) ẇ.
pub fn tangent(w: &Vec3) -> Mat3 {
    let t2 = w.norm_squared();
    let (_, b) = sin_cos_factors(t2);
    let t = t2.sqrt();
    let c = if t < SERIES_BELOW { 1.0 / 6.0 - t2 / 120.0 } else { (1.0 - t.sin() / t) / t2 };
    let h = hat(w);
    Mat3::identity() - h * b + h * h * c
}

/// T(w)⁻¹: ẇ = T(w)⁻¹ Ω.
pub fn tangent_inv(w: &Vec3) -> Mat3 {
    let t2 = w.norm_squared();
    let t = t2.sqrt();
    let c = if t < 1e-2 {
        1.0 / 12.0 + t2 / 720.0 + t2 * t2 / 30240.0
    } else {
        (1.0 - 0.5 * t / (0.5 * t).tan()) / t2
    };
    let h = hat(w);
    Mat3::identity() + h * 0.5 + h * h * c
}

/// T(w)⁻¹ Ω without forming the matrix.
pub fn tangent_inv_mul(w: &Vec3, omega: &Vec3) -> Vec3 {
    let t2 = w.norm_squared();
    let t = t2.sqrt();
    let c = if t < 1e-2 {
        1.0 / 12.0 + t2 / 720.0 + t2 * t2 / 30240.0
    } else {
        (1.0 - 0.5 * t / (0.5 * t).tan()) / t2
    };
    let wo = w.cross(omega);
    omega + wo * 0.5 + w.cross(&wo) * c
}

/// T(w) ẇ without forming the matrix.
pub fn tangent_mul(w: &Vec3, wdot: &Vec3) -> Vec3 {
    let t2 = w.norm_squared();
    let (_, b) = sin_cos_factors(t2);
    let t = t2.sqrt();
    let c = if t < SERIES_BELOW { 1.0 / 6.0 - t2 / 120.0 } else { (1.0 - t.sin() / t) / t2 };
    let x = w.cross(wdot);
    wdot - x * b + w.cross(&x) * c
}

/// ∂(T(w) y)/∂w along `v`, as a matrix that maps y.
pub fn tangent_slope(w: &Vec3, v: &Vec3) -> Mat3 {
    let t2 = w.norm_squared();
    let t = t2.sqrt();
    let (_, b) = sin_cos_factors(t2);
    // T = 1 − b ŵ + c ŵ², with the derivatives of b and c by t over t
    let (c, b_slope, c_slope) = if t < SLOPE_SERIES_BELOW {
        let series = |k: [f64; 5]| k.iter().rev().fold(0.0, |sum, k| sum * t2 + k);
        (
            series([1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362_880.0, 1.0 / 39_916_800.0]),
            series([-1.0 / 12.0, 1.0 / 180.0, -1.0 / 6720.0, 1.0 / 453_600.0, -1.0 / 47_900_160.0]),
            series([
                -1.0 / 60.0,
                1.0 / 1260.0,
                -1.0 / 60480.0,
                1.0 / 4_989_600.0,
                -1.0 / 622_702_080.0,
            ]),
        )
    } else {
        let (s, co) = t.sin_cos();
        ((1.0 - s / t) / t2, (s - 2.0 * b * t) / (t2 * t), (3.0 * s / t - 2.0 - co) / (t2 * t2))
    };
    let (h, d) = (hat(w), hat(v));
    let along = w.dot(v);
    d * -b + (h * d + d * h) * c + h * (-b_slope * along) + h * h * (c_slope * along)
}

/// (sin t / t, (1 − cos t)/t²) as functions of t².
fn sin_cos_factors(t2: f64) -> (f64, f64) {
    let t = t2.sqrt();
    if t < SERIES_BELOW {
        (1.0 - t2 / 6.0 + t2 * t2 / 120.0, 0.5 - t2 / 24.0 + t2 * t2 / 720.0)
    } else {
        let s = (0.5 * t).sin();
        (t.sin() / t, 2.0 * s * s / t2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangent_is_the_derivative_of_exp() {
        for w in [Vec3::new(1e-5, 2e-5, 0.0), Vec3::new(0.4, -0.2, 0.9), Vec3::new(1.5, 2.0, -0.7)]
        {
            for k in 0..3 {
                let mut e = Vec3::zeros();
                e[k] = 1.0;
                let d = 1e-6;
                let dr = (exp(&(w + e * d)) - exp(&(w - e * d))) / (2.0 * d);
                let body = exp(&w).transpose() * dr;
                let want = hat(&(tangent(&w) * e));
                assert!((body - want).norm() < 1e-9);
            }
        }
    }

    #[test]
    fn tangent_inverse() {
        for w in [
            Vec3::zeros(),
            Vec3::new(5e-4, 1e-4, 0.0),
            Vec3::new(9e-3, 1e-3, 1e-3),
            Vec3::new(1.0, -2.0, 0.5),
        ] {
            let i = tangent(&w) * tangent_inv(&w);
            assert!((i - Mat3::identity()).norm() < 1e-13, "{w}");
            let o = Vec3::new(0.3, 0.1, -2.0);
            assert!((tangent_inv_mul(&w, &o) - tangent_inv(&w) * o).norm() < 1e-13);
            assert!((tangent_mul(&w, &o) - tangent(&w) * o).norm() < 1e-13);
        }
    }
}
