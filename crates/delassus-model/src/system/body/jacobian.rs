//! Jacobians of frames: the one chain rule from frames to generalised coordinates.

use super::{FrameKin, FrameLayout, Here, Kind, Twist};
use delassus_math::Vec3;
use std::ops::Range;

/// J of a frame: its twist per unit of each velocity of its carrier, ∂(δp, δφ)/∂ξ.
#[derive(Clone, Copy)]
pub(crate) struct FrameJac<'w> {
    pub(super) h: Here<'w>,
    pub(super) frame: &'w FrameLayout,
    pub(super) f: &'w FrameKin,
}

/// Entries of a row of J that change with the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Varying {
    None,
    /// One, that of an angle about z.
    Angle(usize),
    /// Any.
    Many,
}

impl FrameJac<'_> {
    /// Number of the set of velocities that it follows, see [`FrameLayout::part`].
    #[inline]
    pub fn part(&self) -> usize {
        self.frame.part
    }

    /// Number of columns.
    #[inline]
    pub fn len(&self) -> usize {
        self.frame.span().len()
    }

    /// Velocities to which the columns belong.
    #[inline]
    pub fn span(&self) -> Range<usize> {
        self.frame.span()
    }

    /// out += Jᵀ (lin, ang): a wrench (or a constraint row) at the frame, in generalised coordinates.
    #[inline]
    pub fn transpose_mul(&self, lin: &Vec3, ang: &Vec3, out: &mut [f64]) {
        of_kind!(self.h.body.kind, K => K::transpose_mul(self, lin, ang, out));
    }

    /// The same for a wrench without a force.
    #[inline]
    pub fn transpose_mul_turn(&self, ang: &Vec3, out: &mut [f64]) {
        of_kind!(self.h.body.kind, K => K::transpose_mul_turn(self, ang, out));
    }

    /// out += c times the row of J that gives the velocity of the origin along a ground axis.
    #[inline]
    pub fn transpose_mul_axis(&self, axis: usize, c: f64, out: &mut [f64]) {
        of_kind!(self.h.body.kind, K => K::transpose_mul_axis(self, axis, c, out));
    }

    /// Columns that may turn the frame: the others move it only.
    #[inline]
    pub fn turning(&self) -> Range<usize> {
        let all = self.len();
        of_kind!(self.h.body.kind, K => K::TURNING.unwrap_or(0..all))
    }

    /// Column k: twist per unit of velocity k.
    #[inline]
    pub fn column(&self, k: usize) -> Twist {
        of_kind!(self.h.body.kind, K => K::column(self, k))
    }

    /// ∂(twist)/∂ξ_k at fixed velocities.
    #[inline]
    pub fn drift(&self, k: usize) -> Twist {
        of_kind!(self.h.body.kind, K => K::drift(self, k))
    }

    /// ∂(Jᵀ (lin, ang))/∂ξ at fixed (lin, ang), entry by entry.
    pub fn geometric(&self, lin: &Vec3, ang: &Vec3, add: impl FnMut(usize, usize, f64)) {
        of_kind!(self.h.body.kind, K => K::geometric(self, lin, ang, add));
    }

    /// Acceleration of the origin for generalised accelerations of all bodies.
    pub fn acceleration(&self, a: &[f64]) -> Vec3 {
        let mut out = self.f.bias;
        for (k, i) in self.span().enumerate() {
            out += self.column(k)[0] * a.get(i).copied().unwrap_or(0.0);
        }
        out
    }
}
