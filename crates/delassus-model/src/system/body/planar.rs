//! A rigid body in the x-y plane: x, y of the mass centre, and an angle that counts turns.

use super::{
    BodyKin, FrameJac, FrameKin, FrameLayout, Here, Kind, Pose, PoseForm, Twist, Varying, words,
};
use crate::Body;
use delassus_dae::Block;
use delassus_math::{Mat3, Quat, Vec3};
use std::ops::Range;

pub(crate) struct Planar;

impl Kind for Planar {
    const NAME: &'static str = "planar";
    const LABEL: &'static str = "a planar body";
    const FIELDS: &'static [&'static str] = &["inertia", "com", "angle", "rate"];
    const PLANAR: bool = true;
    const ROTATION: Range<usize> = 2..3;
    const TURNING: Option<Range<usize>> = Some(2..3);
    const POSE: PoseForm = PoseForm::Planar;
    const ANGLE: Option<usize> = Some(2);

    fn names(_: &Body) -> (Vec<String>, Vec<String>) {
        let names = words(&["x", "y", "angle"]);
        (names.clone(), names)
    }

    fn blocks(_: &Body) -> Vec<Block> {
        vec![Block::Vector(3)]
    }

    fn put(pose: &Pose, q: &mut [f64]) {
        q[..3].copy_from_slice(&[pose.p.x, pose.p.y, pose.angle]);
    }

    fn turn(q: &[f64]) -> (Quat, f64) {
        let angle = q.get(2).copied().unwrap_or(0.0);
        let (s, c) = (0.5 * angle).sin_cos();
        (Quat([c, 0.0, 0.0, s]), angle)
    }

    #[inline]
    fn place(q: &[f64], at: &mut BodyKin) {
        let &[x, y, angle, ..] = q else { return };
        at.x = Vec3::new(x, y, 0.0);
        let (s, c) = angle.sin_cos();
        at.r_wb = Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0);
    }

    #[inline]
    fn travel(v: &[f64], at: &mut BodyKin) {
        let &[x, y, rate, ..] = v else { return };
        at.v = Vec3::new(x, y, 0.0);
        at.w = Vec3::new(0.0, 0.0, rate);
    }

    #[inline]
    fn place_frame(frame: &FrameLayout, at: &BodyKin, q: &[f64], f: &mut FrameKin) {
        let (m, r) = (&at.r_wb, &frame.r_b);
        f.arm = Vec3::new(m.m11 * r.x + m.m12 * r.y, m.m21 * r.x + m.m22 * r.y, r.z);
        f.p = at.x + f.arm;
        // the other entries never change
        f.axes.m11 = m.m11;
        f.axes.m12 = m.m12;
        f.axes.m21 = m.m21;
        f.axes.m22 = m.m22;
        f.turn = frame.own_q(q)[2];
    }

    #[inline]
    fn move_frame(_: &FrameLayout, at: &BodyKin, _: &[f64], _: &[f64], f: &mut FrameKin) {
        let (r, w) = (&f.arm, at.w.z);
        f.v = Vec3::new(at.v.x - w * r.y, at.v.y + w * r.x, at.v.z);
        f.w.z = w;
        f.bias = Vec3::new(-w * w * r.x, -w * w * r.y, 0.0);
    }

    #[inline]
    fn transpose_mul(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3, out: &mut [f64]) {
        let [x, y, turn, ..] = out else { return };
        let r = &j.f.arm;
        *x += lin.x;
        *y += lin.y;
        *turn += ang.z + r.x * lin.y - r.y * lin.x;
    }

    #[inline]
    fn transpose_mul_axis(j: &FrameJac<'_>, axis: usize, c: f64, out: &mut [f64]) {
        // the z row it shares with a spatial body has no effect on it
        if axis < 2 {
            out[axis] += c;
            out[2] += c * j.f.about_z(axis);
        }
    }

    fn varying(axis: usize) -> Varying {
        if axis < 2 { Varying::Angle(2) } else { Varying::Many }
    }

    fn column(j: &FrameJac<'_>, k: usize) -> Twist {
        let r = &j.f.arm;
        match k {
            0 => [Vec3::x(), Vec3::zeros()],
            1 => [Vec3::y(), Vec3::zeros()],
            _ => [Vec3::new(-r.y, r.x, 0.0), Vec3::z()],
        }
    }

    fn drift(j: &FrameJac<'_>, k: usize) -> Twist {
        let (r, zero) = (&j.f.arm, Vec3::zeros());
        if k == 2 { [-Vec3::new(r.x, r.y, 0.0) * j.h.at.w.z, zero] } else { [zero; 2] }
    }

    fn geometric(j: &FrameJac<'_>, lin: &Vec3, _: &Vec3, mut add: impl FnMut(usize, usize, f64)) {
        let r = &j.f.arm;
        add(2, 2, -(r.x * lin.x + r.y * lin.y));
    }

    fn mass(h: &Here<'_>, block: &mut [f64]) {
        block[0] = h.body.mass;
        block[4] = h.body.mass;
        block[8] = h.body.inertia[(2, 2)];
    }

    #[inline]
    fn force(h: &Here<'_>, gravity: &Vec3, f: &mut [f64]) {
        let [x, y, ..] = f else { return };
        *x = gravity.x * h.body.mass;
        *y = gravity.y * h.body.mass;
    }

    fn tangent(
        _: &Here<'_>,
        _: &Vec3,
        _: &[f64],
        _: f64,
        _: f64,
        _: impl FnMut(usize, usize, f64),
    ) {
    }

    fn kinetic(h: &Here<'_>) -> f64 {
        let (v, w) = (&h.at.v, h.at.w.z);
        0.5 * h.body.mass * v.norm_squared() + 0.5 * h.body.inertia[(2, 2)] * w * w
    }

    fn lacks_inertia(inertia: &Mat3) -> bool {
        !(inertia[(2, 2)] > 0.0)
    }

    fn idle_rotations(inertia: &Mat3) -> Vec<(String, Vec<(usize, f64)>)> {
        let none = inertia[(2, 2)] == 0.0;
        none.then(|| ("rotation".to_owned(), vec![(2, 1.0)])).into_iter().collect()
    }

    fn least_inertia(inertia: &Mat3) -> Option<f64> {
        Some(inertia[(2, 2)])
    }
}

#[cfg(test)]
super::contract::body_contract!("planar");
