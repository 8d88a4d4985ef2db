//! A rigid body in space: mass centre and unit quaternion; velocity of the mass centre in ground
//! components, angular velocity in body components.

use super::{BodyKin, FrameJac, FrameKin, FrameLayout, Here, Kind, Pose, PoseForm, Twist, words};
use crate::Body;
use delassus_dae::Block;
use delassus_math::{Mat3, Quat, Vec3, so3};
use std::ops::Range;

/// Principal inertia, relative to the largest one, below which a rotation has none: a thin rod about its axis.
const NONE: f64 = 1e-12;
/// The same for the effect of a torque: below this the inertia of another body counts.
const SLIGHT: f64 = 1e-9;

pub(crate) struct Rigid;

impl Kind for Rigid {
    const NAME: &'static str = "rigid";
    const LABEL: &'static str = "a rigid body";
    const FIELDS: &'static [&'static str] = &["inertia", "com", "orientation", "rate"];
    const PLANAR: bool = false;
    const ROTATION: Range<usize> = 3..6;
    const TURNING: Option<Range<usize>> = Some(3..6);
    const POSE: PoseForm = PoseForm::Spatial;

    fn names(_: &Body) -> (Vec<String>, Vec<String>) {
        (
            words(&["x", "y", "z", "qw", "qx", "qy", "qz"]),
            words(&["x", "y", "z", "rotation_x", "rotation_y", "rotation_z"]),
        )
    }

    fn blocks(_: &Body) -> Vec<Block> {
        vec![Block::Vector(3), Block::So3]
    }

    fn put(pose: &Pose, q: &mut [f64]) {
        q[..7].copy_from_slice(&pose.numbers());
    }

    fn turn(q: &[f64]) -> (Quat, f64) {
        (q.get(3..7).map_or(Quat::IDENTITY, Quat::from_slice), 0.0)
    }

    #[inline]
    fn place(q: &[f64], at: &mut BodyKin) {
        at.x = Vec3::new(q[0], q[1], q[2]);
        at.r_wb = Quat::from_slice(&q[3..]).matrix();
    }

    #[inline]
    fn travel(v: &[f64], at: &mut BodyKin) {
        at.v = Vec3::new(v[0], v[1], v[2]);
        at.w = at.r_wb * Vec3::new(v[3], v[4], v[5]);
    }

    #[inline]
    fn place_frame(frame: &FrameLayout, at: &BodyKin, _: &[f64], f: &mut FrameKin) {
        f.arm = at.r_wb * frame.r_b;
        f.p = at.x + f.arm;
        f.axes = at.r_wb;
    }

    #[inline]
    fn move_frame(_: &FrameLayout, at: &BodyKin, _: &[f64], _: &[f64], f: &mut FrameKin) {
        let spin = at.w.cross(&f.arm);
        f.v = at.v + spin;
        f.w = at.w;
        f.bias = at.w.cross(&spin);
    }

    #[inline]
    fn transpose_mul(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3, out: &mut [f64]) {
        let [x, y, z, a, b, c, ..] = out else { return };
        let m = j.h.at.r_wb.tr_mul(&(ang + j.f.arm.cross(lin)));
        *x += lin.x;
        *y += lin.y;
        *z += lin.z;
        *a += m.x;
        *b += m.y;
        *c += m.z;
    }

    #[inline]
    fn transpose_mul_axis(j: &FrameJac<'_>, axis: usize, c: f64, out: &mut [f64]) {
        let [x, y, z, a, b, g, ..] = out else { return };
        *[x, y, z][axis] += c;
        // Rᵀ (R r × e) = r × Rᵀ e, where Rᵀ e is a row of R
        let m = j.frame.r_b.cross(&j.h.at.r_wb.row(axis).transpose());
        *a += c * m.x;
        *b += c * m.y;
        *g += c * m.z;
    }

    #[inline]
    fn transpose_mul_turn(j: &FrameJac<'_>, ang: &Vec3, out: &mut [f64]) {
        let [_, _, _, a, b, c, ..] = out else { return };
        let m = j.h.at.r_wb.tr_mul(ang);
        *a += m.x;
        *b += m.y;
        *c += m.z;
    }

    #[inline]
    fn column(j: &FrameJac<'_>, k: usize) -> Twist {
        if k < 3 {
            return [Vec3::ith(k, 1.0), Vec3::zeros()];
        }
        let e: Vec3 = j.h.at.r_wb.column(k - 3).into();
        [e.cross(&j.f.arm), e]
    }

    #[inline]
    fn drift(j: &FrameJac<'_>, k: usize) -> Twist {
        if k < 3 {
            return [Vec3::zeros(); 2];
        }
        let (r, w) = (&j.f.arm, &j.h.at.w);
        let e: Vec3 = j.h.at.r_wb.column(k - 3).into();
        let dw = e.cross(w);
        [dw.cross(r) + w.cross(&e.cross(r)), dw]
    }

    fn geometric(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3, mut add: impl FnMut(usize, usize, f64)) {
        // δ(Rᵀ m) = Rᵀ (m × δφ + (δφ × r) × F)
        let (r, r_wb) = (&j.f.arm, &j.h.at.r_wb);
        let m = ang + r.cross(lin);
        let x = so3::hat(&m) + r * lin.transpose() - Mat3::identity() * r.dot(lin);
        let x = r_wb.tr_mul(&(x * r_wb));
        for i in 0..3 {
            for k in 0..3 {
                add(3 + i, 3 + k, x[(i, k)]);
            }
        }
    }

    fn mass(h: &Here<'_>, block: &mut [f64]) {
        let n = h.body.nv;
        for i in 0..3 {
            block[i * n + i] = h.body.mass;
            for k in 0..3 {
                block[(3 + k) * n + 3 + i] = h.body.inertia[(i, k)];
            }
        }
    }

    #[inline]
    fn force(h: &Here<'_>, gravity: &Vec3, f: &mut [f64]) {
        let [x, y, z, a, b, c, ..] = f else { return };
        let w = gravity * h.body.mass;
        (*x, *y, *z) = (w.x, w.y, w.z);
        // −Ω × J Ω, body components
        let o = h.at.r_wb.tr_mul(&h.at.w);
        let m = (h.body.inertia * o).cross(&o);
        (*a, *b, *c) = (m.x, m.y, m.z);
    }

    fn tangent(
        h: &Here<'_>,
        _: &Vec3,
        _: &[f64],
        _: f64,
        cc: f64,
        mut add: impl FnMut(usize, usize, f64),
    ) {
        if cc == 0.0 {
            return;
        }
        let o = h.at.r_wb.tr_mul(&h.at.w);
        let inertia = &h.body.inertia;
        let x = (so3::hat(&o) * inertia - so3::hat(&(inertia * o))) * cc;
        for i in 0..3 {
            for k in 0..3 {
                add(3 + i, 3 + k, x[(i, k)]);
            }
        }
    }

    fn kinetic(h: &Here<'_>) -> f64 {
        let o = h.at.r_wb.tr_mul(&h.at.w);
        0.5 * h.body.mass * h.at.v.norm_squared() + 0.5 * o.dot(&(h.body.inertia * o))
    }

    fn lacks_inertia(inertia: &Mat3) -> bool {
        let eig = inertia.symmetric_eigenvalues();
        eig.min() <= NONE * eig.max().max(f64::MIN_POSITIVE)
    }

    fn idle_rotations(inertia: &Mat3) -> Vec<(String, Vec<(usize, f64)>)> {
        let e = inertia.symmetric_eigen();
        let largest = e.eigenvalues.max();
        let idle = (0..3).filter(|i| e.eigenvalues[*i] <= NONE * largest || largest <= 0.0);
        idle.map(|i| {
            let a: Vec3 = e.eigenvectors.column(i).into();
            let label = format!("rotation about ({:.3}, {:.3}, {:.3})", a.x, a.y, a.z);
            (label, (0..3).map(|c| (3 + c, a[c])).collect())
        })
        .collect()
    }

    fn least_inertia(inertia: &Mat3) -> Option<f64> {
        let principal = inertia.symmetric_eigenvalues();
        let real = principal.iter().copied().filter(|x| *x > SLIGHT * principal.max());
        Some(real.fold(f64::INFINITY, f64::min))
    }
}

#[cfg(test)]
super::contract::body_contract!("rigid");
