//! Rotations, poses and small fixed-size vectors for multibody kernels.
//!
//! Owns: SO(3), SE(3) and SE(2) with their exponential, logarithm and tangent operators, quaternions (scalar first), the nalgebra aliases
//! used by the other crates, and how the memory of a running simulation is stored ([`memory`]). The kernels allocate
//! nothing; there is no IO.
//!
//! Conventions: `r_wb` maps components in B to components in W; rotations are updated on the
//! right, R(t+h) = R(t) exp(ξ̂), so tangent vectors are body components.

mod largest;
pub mod memory;
mod plain;
pub mod quat;
pub mod se2;
pub mod se3;
pub mod so3;

pub use largest::{largest, max_abs, max_difference};
pub use plain::Plain;
pub use quat::Quat;

/// Three components.
pub type Vec3 = nalgebra::Vector3<f64>;
/// 3×3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// Six components, translation first.
pub type Vec6 = nalgebra::Vector6<f64>;
/// 6×6 matrix, translation first.
pub type Mat6 = nalgebra::Matrix6<f64>;

/// Any unit vector perpendicular to `a` (unit), by a fixed rule: the cross product with the
/// coordinate axis that `a` is least along.
pub fn perpendicular(a: &Vec3) -> Vec3 {
    let k = a.iamin();
    let mut e = Vec3::zeros();
    e[k] = 1.0;
    a.cross(&e).normalize()
}

/// Right-handed orthonormal frame whose third axis is `z` (unit).
pub fn frame_from_z(z: &Vec3) -> Mat3 {
    // x is the world x axis made perpendicular to z if possible, so that angles about z start from the direction a
    // reader expects.
    let ex = Vec3::x();
    let x = if z.x.abs() < 0.9 {
        (ex - z * z.x).normalize()
    } else {
        let ey = Vec3::y();
        (ey - z * z.y).normalize()
    };
    Mat3::from_columns(&[x, z.cross(&x), *z])
}
