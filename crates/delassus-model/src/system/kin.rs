//! Where bodies and frames are and how they move: the only place that knows coordinates.
//!
//! Elements (joints, forces, sensors) work with frames; the chain rule from frames to
//! generalised coordinates is [`pull`], [`jacobian`] and [`drift`], one `match` on the body
//! kind each. A new body kind is added here and works with every element.

use crate::BodyKind;
use delassus_math::{Mat3, Quat, Vec3, so3};

/// A body in the layout of q and v. Coordinates are those of the mass centre.
#[derive(Debug, Clone)]
pub(crate) struct BodyLayout {
    pub kind: BodyKind,
    pub iq: usize,
    pub iv: usize,
    pub mass: f64,
    /// About the mass centre, body axes.
    pub inertia: Mat3,
    /// Mass centre in the user's body frame.
    pub com: Vec3,
}

impl BodyKind {
    /// Velocities of a body of this kind.
    pub fn nv(self) -> usize {
        match self {
            BodyKind::Planar | BodyKind::Point => 3,
            BodyKind::Rigid => 6,
            BodyKind::PlanarPoint => 2,
        }
    }

    /// Coordinates of a body of this kind.
    pub fn nq(self) -> usize {
        match self {
            BodyKind::Rigid => 7,
            k => k.nv(),
        }
    }

    /// Confined to the x-y plane.
    pub fn is_planar(self) -> bool {
        matches!(self, BodyKind::Planar | BodyKind::PlanarPoint)
    }
}

/// Position and motion of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyKin {
    /// Mass centre, m.
    pub x: Vec3,
    /// Body components to ground components.
    pub r_wb: Mat3,
    /// Velocity of the mass centre, m/s.
    pub v: Vec3,
    /// Angular velocity, ground components, rad/s.
    pub w: Vec3,
}

impl Default for BodyKin {
    fn default() -> Self {
        BodyKin { x: Vec3::zeros(), r_wb: Mat3::identity(), v: Vec3::zeros(), w: Vec3::zeros() }
    }
}

impl BodyKin {
    pub fn set_position(&mut self, b: &BodyLayout, q: &[f64]) {
        let q = &q[b.iq..b.iq + b.kind.nq()];
        match b.kind {
            BodyKind::Planar => {
                self.x = Vec3::new(q[0], q[1], 0.0);
                let (s, c) = q[2].sin_cos();
                self.r_wb = Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0);
            }
            BodyKind::Rigid => {
                self.x = Vec3::new(q[0], q[1], q[2]);
                self.r_wb = Quat::from_slice(&q[3..]).matrix();
            }
            BodyKind::Point => self.x = Vec3::new(q[0], q[1], q[2]),
            BodyKind::PlanarPoint => self.x = Vec3::new(q[0], q[1], 0.0),
        }
    }

    pub fn set_velocity(&mut self, b: &BodyLayout, v: &[f64]) {
        let v = &v[b.iv..b.iv + b.kind.nv()];
        match b.kind {
            BodyKind::Planar => {
                self.v = Vec3::new(v[0], v[1], 0.0);
                self.w = Vec3::new(0.0, 0.0, v[2]);
            }
            BodyKind::Rigid => {
                self.v = Vec3::new(v[0], v[1], v[2]);
                self.w = self.r_wb * Vec3::new(v[3], v[4], v[5]);
            }
            BodyKind::Point => self.v = Vec3::new(v[0], v[1], v[2]),
            BodyKind::PlanarPoint => self.v = Vec3::new(v[0], v[1], 0.0),
        }
    }
}

/// A frame on a body (`None`: ground). Only its origin moves here; directions are kept by
/// elements in body components.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FrameLayout {
    pub body: Option<usize>,
    /// The body turns about z only.
    pub planar: bool,
    /// Origin from the mass centre, body components (ground: position).
    pub r_b: Vec3,
}

/// Position and motion of a frame's origin.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FrameKin {
    /// Origin from the mass centre, ground components.
    pub r: Vec3,
    /// Origin.
    pub p: Vec3,
    /// Velocity of the origin.
    pub v: Vec3,
    /// Acceleration of the origin at zero generalised acceleration.
    pub bias: Vec3,
}

impl FrameKin {
    /// Origin of a frame on a body.
    #[inline]
    pub fn set_position(&mut self, frame: &FrameLayout, body: &BodyKin) {
        let r = &frame.r_b;
        self.r = if frame.planar {
            let m = &body.r_wb;
            Vec3::new(m.m11 * r.x + m.m12 * r.y, m.m21 * r.x + m.m22 * r.y, r.z)
        } else {
            body.r_wb * r
        };
        self.p = body.x + self.r;
    }

    /// Motion of the origin; after `set_position`.
    #[inline]
    pub fn set_velocity(&mut self, frame: &FrameLayout, body: &BodyKin) {
        let r = &self.r;
        if frame.planar {
            let w = body.w.z;
            self.v = Vec3::new(body.v.x - w * r.y, body.v.y + w * r.x, body.v.z);
            self.bias = Vec3::new(-w * w * r.x, -w * w * r.y, 0.0);
        } else {
            let spin = body.w.cross(r);
            self.v = body.v + spin;
            self.bias = body.w.cross(&spin);
        }
    }
}

/// out += Jᵀ (lin, ang): a wrench (or a constraint row) at a frame, in generalised coordinates.
#[inline]
pub(crate) fn pull(kind: BodyKind, r_wb: &Mat3, r: &Vec3, lin: &Vec3, ang: &Vec3, out: &mut [f64]) {
    match kind {
        BodyKind::Planar => {
            out[0] += lin.x;
            out[1] += lin.y;
            out[2] += ang.z + r.x * lin.y - r.y * lin.x;
        }
        BodyKind::Rigid => {
            let m = r_wb.tr_mul(&(ang + r.cross(lin)));
            out[0] += lin.x;
            out[1] += lin.y;
            out[2] += lin.z;
            out[3] += m.x;
            out[4] += m.y;
            out[5] += m.z;
        }
        BodyKind::Point => {
            out[0] += lin.x;
            out[1] += lin.y;
            out[2] += lin.z;
        }
        BodyKind::PlanarPoint => {
            out[0] += lin.x;
            out[1] += lin.y;
        }
    }
}

/// Columns of a frame's Jacobian: twist (lin, ang) per unit of each velocity.
pub(crate) type Columns = [[Vec3; 2]; 6];

/// J of a frame: ∂(δp, δφ)/∂ξ, one column per velocity.
pub(crate) fn jacobian(kind: BodyKind, r_wb: &Mat3, r: &Vec3) -> Columns {
    let mut j = [[Vec3::zeros(); 2]; 6];
    match kind {
        BodyKind::Planar => {
            j[0][0] = Vec3::x();
            j[1][0] = Vec3::y();
            j[2] = [Vec3::new(-r.y, r.x, 0.0), Vec3::z()];
        }
        BodyKind::Rigid => {
            for k in 0..3 {
                j[k][0][k] = 1.0;
                let e: Vec3 = r_wb.column(k).into();
                j[3 + k] = [e.cross(r), e];
            }
        }
        BodyKind::Point => {
            for k in 0..3 {
                j[k][0][k] = 1.0;
            }
        }
        BodyKind::PlanarPoint => {
            j[0][0] = Vec3::x();
            j[1][0] = Vec3::y();
        }
    }
    j
}

/// ∂(twist of a frame)/∂ξ at fixed v, one column per velocity.
pub(crate) fn drift(kind: BodyKind, b: &BodyKin, r: &Vec3) -> Columns {
    let mut n = [[Vec3::zeros(); 2]; 6];
    match kind {
        BodyKind::Planar => n[2][0] = -Vec3::new(r.x, r.y, 0.0) * b.w.z,
        BodyKind::Rigid => {
            for k in 0..3 {
                let e: Vec3 = b.r_wb.column(k).into();
                let dw = e.cross(&b.w);
                n[3 + k] = [dw.cross(r) + b.w.cross(&e.cross(r)), dw];
            }
        }
        BodyKind::Point | BodyKind::PlanarPoint => {}
    }
    n
}

/// ∂(Jᵀ w)/∂ξ at fixed wrench (lin, ang): adds c times it to the body's own block.
/// Only rotations contribute; `add(i, j, x)` receives entries of the body's block.
pub(crate) fn geometric(
    kind: BodyKind,
    r_wb: &Mat3,
    r: &Vec3,
    lin: &Vec3,
    ang: &Vec3,
    c: f64,
    mut add: impl FnMut(usize, usize, f64),
) {
    match kind {
        BodyKind::Planar => add(2, 2, -c * (r.x * lin.x + r.y * lin.y)),
        BodyKind::Rigid => {
            // δ(Rᵀ m) = Rᵀ (m × δφ + (δφ × r) × F)
            let m = ang + r.cross(lin);
            let x = so3::hat(&m) + r * lin.transpose() - Mat3::identity() * r.dot(lin);
            let x = r_wb.tr_mul(&(x * r_wb));
            for i in 0..3 {
                for j in 0..3 {
                    add(3 + i, 3 + j, c * x[(i, j)]);
                }
            }
        }
        BodyKind::Point | BodyKind::PlanarPoint => {}
    }
}
