//! Point masses in space and in the x-y plane.

use super::{
    BodyKin, FrameJac, FrameKin, FrameLayout, Here, Kind, Pose, PoseForm, Twist, Varying, words,
};
use crate::Body;
use delassus_dae::Block;
use delassus_math::{Mat3, Quat, Vec3};
use std::ops::Range;

/// x, y, z.
pub(crate) struct Point;

/// x, y.
pub(crate) struct PlanarPoint;

/// Both are the same except for the number of coordinates.
macro_rules! point {
    ($kind:ident, $n:literal, $name:literal, $label:literal, $planar:literal, [$($k:literal)+], $words:expr) => {
        impl Kind for $kind {
            const NAME: &'static str = $name;
            const LABEL: &'static str = $label;
            const FIELDS: &'static [&'static str] = &[];
            const PLANAR: bool = $planar;
            const ROTATION: Range<usize> = $n..$n;
            const TURNING: Option<Range<usize>> = Some($n..$n);
            const POSE: PoseForm = PoseForm::$kind;

            fn names(_: &Body) -> (Vec<String>, Vec<String>) {
                (words($words), words($words))
            }

            fn blocks(_: &Body) -> Vec<Block> {
                vec![Block::Vector($n)]
            }

            fn put(pose: &Pose, q: &mut [f64]) {
                $(q[$k] = pose.p[$k];)+
            }

            fn turn(_: &[f64]) -> (Quat, f64) {
                (Quat::IDENTITY, 0.0)
            }

            #[inline]
            fn place(q: &[f64], at: &mut BodyKin) {
                $(at.x[$k] = q[$k];)+
            }

            #[inline]
            fn travel(v: &[f64], at: &mut BodyKin) {
                $(at.v[$k] = v[$k];)+
            }

            #[inline]
            fn place_frame(frame: &FrameLayout, at: &BodyKin, _: &[f64], f: &mut FrameKin) {
                f.p = at.x + frame.r_b;
            }

            #[inline]
            fn move_frame(_: &FrameLayout, at: &BodyKin, _: &[f64], _: &[f64], f: &mut FrameKin) {
                f.v = at.v;
            }

            #[inline]
            fn transpose_mul(_: &FrameJac<'_>, lin: &Vec3, _: &Vec3, out: &mut [f64]) {
                $(out[$k] += lin[$k];)+
            }

            #[inline]
            fn transpose_mul_axis(_: &FrameJac<'_>, axis: usize, c: f64, out: &mut [f64]) {
                if axis < $n {
                    out[axis] += c;
                }
            }

            fn varying(_: usize) -> Varying {
                Varying::None
            }

            fn column(_: &FrameJac<'_>, k: usize) -> Twist {
                [Vec3::ith(k, 1.0), Vec3::zeros()]
            }

            fn drift(_: &FrameJac<'_>, _: usize) -> Twist {
                [Vec3::zeros(); 2]
            }

            fn geometric(
                _: &FrameJac<'_>,
                _: &Vec3,
                _: &Vec3,
                _: impl FnMut(usize, usize, f64),
            ) {
            }

            fn mass(h: &Here<'_>, block: &mut [f64]) {
                $(block[$k * $n + $k] = h.body.mass;)+
            }

            #[inline]
            fn force(h: &Here<'_>, gravity: &Vec3, f: &mut [f64]) {
                $(f[$k] = gravity[$k] * h.body.mass;)+
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
                0.5 * h.body.mass * h.at.v.norm_squared()
            }

            fn lacks_inertia(_: &Mat3) -> bool {
                false
            }

            fn idle_rotations(_: &Mat3) -> Vec<(String, Vec<(usize, f64)>)> {
                Vec::new()
            }

            fn least_inertia(_: &Mat3) -> Option<f64> {
                None
            }
        }
    };
}

point!(Point, 3, "point", "a point", false, [0 1 2], &["x", "y", "z"]);
point!(PlanarPoint, 2, "planar-point", "a planar point", true, [0 1], &["x", "y"]);

#[cfg(test)]
super::contract::body_contract!("point", "planar-point");
