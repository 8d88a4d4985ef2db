//! Where a node of a modal body is, in the axes of the floating frame, and how that follows the amplitudes.
//!
//! With E = exp(θ̂), θ = Σ θ_i q_i the rotation of the node, and r a point fixed to it:
//!
//! ```text
//! ρ = at + Σ φ_i q_i + ½ ΣΣ ψ_ij q_i q_j + E r          from the mass centre of the undeformed body
//! Ė = (T θ̇)^ E                                          T = T(−θ), the operator of components before the rotation
//! ```

use super::{FrameLayout, Kind, Pose};
use crate::{BodyKind, Flexible};
use delassus_flex::Node;
use delassus_math::{Mat3, Quat, Vec3, so3};
use std::ops::{AddAssign, Mul};

/// Σ_j list_ij x_j of pairs ij at `i * n + j`; nothing where the list is empty.
pub(super) fn row<T>(zero: T, list: &[T], i: usize, x: &[f64]) -> T
where
    T: Copy + AddAssign + Mul<f64, Output = T>,
{
    let n = x.len();
    let own = list.get(i * n..(i + 1) * n).unwrap_or_default();
    own.iter().zip(x).fold(zero, |mut sum, (y, x)| {
        sum += *y * *x;
        sum
    })
}

/// A frame on a node, or fixed in the floating frame.
pub(super) struct Placed<'f> {
    node: Option<&'f Node>,
    q: &'f [f64],
    /// ρ, m.
    pub at: Vec3,
    /// E.
    pub turned: Mat3,
    theta: Vec3,
    /// T.
    t: Mat3,
    /// E r, m.
    arm: Vec3,
}

/// Motion of a frame relative to the floating frame, in its axes.
pub(super) struct Moving {
    /// ρ̇ and its rate at q̈ = 0.
    pub rate: Vec3,
    pub bias: Vec3,
    /// T θ̇ and its rate at q̈ = 0.
    pub spin: Vec3,
    pub spin_bias: Vec3,
    /// θ̇.
    theta_rate: Vec3,
}

impl<'f> Placed<'f> {
    /// `q`: the amplitudes.
    pub fn new(frame: &'f FrameLayout, q: &'f [f64]) -> Placed<'f> {
        Placed::of(frame.node(), &frame.r_b, q)
    }

    fn of(node: Option<&'f Node>, r: &Vec3, q: &'f [f64]) -> Placed<'f> {
        let Some(n) = node else {
            let (theta, one) = (Vec3::zeros(), Mat3::identity());
            return Placed { node, q, at: *r, turned: one, theta, t: one, arm: *r };
        };
        let theta = n.turn(q);
        let turned = so3::exp(&theta);
        let arm = turned * r;
        let mut at = n.at + arm;
        for (i, x) in q.iter().enumerate() {
            at += (n.displacement[i] + row(Vec3::zeros(), &n.shortening, i, q) * 0.5) * *x;
        }
        Placed { node, q, at, turned, theta, t: so3::tangent(&-theta), arm }
    }

    /// T θ_i.
    pub fn turn_by(&self, i: usize) -> Vec3 {
        self.node.map_or(Vec3::zeros(), |n| self.t * n.rotation[i])
    }

    /// ∂ρ/∂q_i.
    pub fn by(&self, i: usize) -> Vec3 {
        let Some(n) = self.node else { return Vec3::zeros() };
        let own = n.displacement[i] + row(Vec3::zeros(), &n.shortening, i, self.q);
        own + (self.t * n.rotation[i]).cross(&self.arm)
    }

    /// ∂T/∂q_k.
    fn slope(&self, n: &Node, k: usize) -> Mat3 {
        so3::tangent_slope(&-self.theta, &-n.rotation[k])
    }

    /// ∂²ρ/∂q_i∂q_k and ∂(T θ_i)/∂q_k, for all i.
    pub fn second(&self, k: usize, mut put: impl FnMut(usize, Vec3, Vec3)) {
        let Some(n) = self.node else { return };
        let (slope, along) = (self.slope(n, k), (self.t * n.rotation[k]).cross(&self.arm));
        for (i, theta) in n.rotation.iter().enumerate() {
            let own = n.shortening.get(i * self.q.len() + k).copied().unwrap_or_default();
            let (turn, by) = (slope * theta, self.t * theta);
            put(i, own + turn.cross(&self.arm) + by.cross(&along), turn);
        }
    }

    /// Its motion for rates of the amplitudes.
    pub fn moving(&self, u: &[f64]) -> Moving {
        let zero = Vec3::zeros();
        let Some(n) = self.node else {
            return Moving {
                rate: zero,
                bias: zero,
                spin: zero,
                spin_bias: zero,
                theta_rate: zero,
            };
        };
        let theta_rate = n.turn(u);
        let spin = self.t * theta_rate;
        let spin_bias = so3::tangent_slope(&-self.theta, &-theta_rate) * theta_rate;
        let swing = spin.cross(&self.arm);
        let (mut rate, mut bias) = (swing, spin_bias.cross(&self.arm) + spin.cross(&swing));
        for (i, x) in u.iter().enumerate() {
            rate += (n.displacement[i] + row(zero, &n.shortening, i, self.q)) * *x;
            bias += row(zero, &n.shortening, i, u) * *x;
        }
        Moving { rate, bias, spin, spin_bias, theta_rate }
    }

    /// ∂ρ̇/∂q_k and ∂(T θ̇)/∂q_k at fixed rates.
    pub fn drift(&self, m: &Moving, u: &[f64], k: usize) -> [Vec3; 2] {
        let Some(n) = self.node else { return [Vec3::zeros(); 2] };
        let turn = self.slope(n, k) * m.theta_rate;
        let along = (self.t * n.rotation[k]).cross(&self.arm);
        let own = row(Vec3::zeros(), &n.shortening, k, u);
        [own + turn.cross(&self.arm) + m.spin.cross(&along), turn]
    }
}

/// Pose of a node for the coordinates of its body.
pub fn node_pose(kind: BodyKind, flexible: &Flexible, q: &[f64], node: usize) -> Pose {
    let first = q.len() - flexible.modal.modes();
    let placed = Placed::of(flexible.modal.nodes.get(node), &Vec3::zeros(), &q[first..]);
    let mut at = super::BodyKin::default();
    let angle = of_kind!(kind, K => {
        K::place(q, &mut at);
        K::turn(q).1
    });
    let p = at.x + at.r_wb * placed.at;
    Pose { p, r: Quat::from_matrix(&(at.r_wb * placed.turned)), angle: angle + placed.theta.z }
}
