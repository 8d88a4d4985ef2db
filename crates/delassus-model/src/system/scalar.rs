//! Scalar functions of two frames: the one kind of brick all joints and most forces are made of.
//!
//! A scalar s has a value, a gradient H in frame space (so ṡ = H · twist), a bias
//! (s̈ = H · acceleration + bias) and a second derivative. A constraint row is s − offset(t);
//! a spring is a force −P(s, ṡ) along H; a gear is a weighted sum. None of them ever meets a
//! quaternion, and none knows what kind of body a frame is on.

use super::kin::{BodyKin, FrameKin};
use delassus_math::{Mat3, Vec3, so3};

/// Directions are unit vectors in the components of the body that carries the frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ScalarKind {
    /// e_k · d, d from the origin of a to the origin of b, ground axis k.
    World(usize),
    /// a · d, a fixed on the first body.
    Along(Vec3),
    /// a · b, a fixed on the first body, b on the second.
    Dot(Vec3, Vec3),
    /// |d|.
    Length,
    /// Angle about a common axis. (Boxed: it is rare and large, and the rows of a big model should
    /// lie close together in memory.)
    Angle(Box<Angle>),
    /// a · d − R √(1 − (a·b)²): height of a disc's lowest point above a plane.
    Disc(Vec3, Vec3, f64),
}

/// How an angle is measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Angle {
    /// Axis on the first body.
    pub axis: Vec3,
    /// Reference directions, perpendicular to the axis: x, y on the first body, x on the second.
    pub x_a: Vec3,
    pub y_a: Vec3,
    pub x_b: Vec3,
    /// Planar pair: sign of the axis and angle at zero body angles; the turn count comes free.
    pub planar: Option<(f64, f64)>,
    /// Spatial pair: index of the auxiliary state that counts turns.
    pub turns: Option<usize>,
}

/// A scalar between frames a and b.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairScalar {
    pub kind: ScalarKind,
    pub a: usize,
    pub b: usize,
}

/// Gradient in frame space.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gradient {
    pub a_lin: Vec3,
    pub a_ang: Vec3,
    pub b_lin: Vec3,
    pub b_ang: Vec3,
}

impl Gradient {
    /// H · (twist of a, twist of b).
    #[inline]
    pub fn dot(&self, va: &Vec3, wa: &Vec3, vb: &Vec3, wb: &Vec3) -> f64 {
        self.a_lin.dot(va) + self.a_ang.dot(wa) + self.b_lin.dot(vb) + self.b_ang.dot(wb)
    }
}

/// Second derivative in frame space: 4×4 blocks over (a.lin, a.ang, b.lin, b.ang).
/// `t[i][j]` maps a variation of slot j to a variation of the wrench of slot i.
pub(crate) type Hessian = [[Mat3; 4]; 4];

/// The two frames with their bodies.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub fa: &'a FrameKin,
    pub ba: &'a BodyKin,
    pub fb: &'a FrameKin,
    pub bb: &'a BodyKin,
    /// Angles of planar bodies, for angles that count turns.
    pub theta: (f64, f64),
}

impl Pair<'_> {
    #[inline]
    fn d(&self) -> Vec3 {
        self.fb.p - self.fa.p
    }
}

impl ScalarKind {
    /// Value; `z` holds the turn counters.
    #[inline]
    pub fn value(&self, p: &Pair<'_>, z: &[f64]) -> f64 {
        match self {
            ScalarKind::World(k) => p.fb.p[*k] - p.fa.p[*k],
            ScalarKind::Along(a) => (p.ba.r_wb * a).dot(&p.d()),
            ScalarKind::Dot(a, b) => (p.ba.r_wb * a).dot(&(p.bb.r_wb * b)),
            ScalarKind::Length => p.d().norm(),
            ScalarKind::Angle(g) => g.value(p, z),
            ScalarKind::Disc(a, b, radius) => {
                let n = p.ba.r_wb * a;
                let nu = n.dot(&(p.bb.r_wb * b));
                n.dot(&p.d()) - radius * (1.0 - nu * nu).max(0.0).sqrt()
            }
        }
    }

    /// Gradient.
    #[inline]
    pub fn gradient(&self, p: &Pair<'_>) -> Gradient {
        let mut h = Gradient::default();
        match self {
            ScalarKind::World(_) => return self.constant_gradient(),
            ScalarKind::Along(a) => along(&(p.ba.r_wb * a), &p.d(), &mut h),
            ScalarKind::Dot(a, b) => {
                let c = (p.ba.r_wb * a).cross(&(p.bb.r_wb * b));
                h.a_ang = c;
                h.b_ang = -c;
            }
            ScalarKind::Length => {
                let u = direction(&p.d());
                h.a_lin = -u;
                h.b_lin = u;
            }
            ScalarKind::Angle(g) => {
                let a = p.ba.r_wb * g.axis;
                h.a_ang = -a;
                h.b_ang = a;
            }
            ScalarKind::Disc(a, b, radius) => {
                let n = p.ba.r_wb * a;
                let b = p.bb.r_wb * b;
                along(&n, &p.d(), &mut h);
                let (slope, _) = disc_slopes(n.dot(&b));
                let c = n.cross(&b) * (radius * slope);
                h.a_ang += c;
                h.b_ang -= c;
            }
        }
        h
    }

    /// s̈ − H · (frame accelerations), without the bias of the frames themselves.
    #[inline]
    pub fn bias(&self, p: &Pair<'_>) -> f64 {
        match self {
            ScalarKind::World(_) => 0.0,
            ScalarKind::Along(a) => along_bias(&(p.ba.r_wb * a), p),
            ScalarKind::Dot(a, b) => dot_bias(&(p.ba.r_wb * a), &(p.bb.r_wb * b), p),
            ScalarKind::Length => {
                let d = p.d();
                let u = direction(&d);
                let v = p.fb.v - p.fa.v;
                (v.norm_squared() - u.dot(&v).powi(2)) / d.norm().max(f64::MIN_POSITIVE)
            }
            ScalarKind::Angle(g) => {
                let a = p.ba.r_wb * g.axis;
                p.ba.w.cross(&a).dot(&(p.bb.w - p.ba.w))
            }
            ScalarKind::Disc(a, b, radius) => {
                let n = p.ba.r_wb * a;
                let b = p.bb.r_wb * b;
                let (f1, f2) = disc_slopes(n.dot(&b));
                let nu_dot = n.cross(&b).dot(&(p.ba.w - p.bb.w));
                along_bias(&n, p) + radius * (f1 * dot_bias(&n, &b, p) + f2 * nu_dot * nu_dot)
            }
        }
    }

    /// t += c · ∂H/∂(frame variations).
    pub fn add_hessian(&self, p: &Pair<'_>, c: f64, t: &mut Hessian) {
        match self {
            ScalarKind::World(_) => {}
            ScalarKind::Along(a) => along_hessian(&(p.ba.r_wb * a), &p.d(), c, t),
            ScalarKind::Dot(a, b) => dot_hessian(&(p.ba.r_wb * a), &(p.bb.r_wb * b), c, t),
            ScalarKind::Length => {
                let d = p.d();
                let u = direction(&d);
                let x =
                    (Mat3::identity() - u * u.transpose()) * (c / d.norm().max(f64::MIN_POSITIVE));
                t[0][0] += x;
                t[0][2] -= x;
                t[2][0] -= x;
                t[2][2] += x;
            }
            ScalarKind::Angle(g) => {
                // δa = δφ_a × a
                let x = -so3::hat(&(p.ba.r_wb * g.axis)) * c;
                t[1][1] -= x;
                t[3][1] += x;
            }
            ScalarKind::Disc(a, b, radius) => {
                let n = p.ba.r_wb * a;
                let b = p.bb.r_wb * b;
                let (f1, f2) = disc_slopes(n.dot(&b));
                along_hessian(&n, &p.d(), c, t);
                dot_hessian(&n, &b, c * radius * f1, t);
                let k = n.cross(&b);
                let x = k * k.transpose() * (c * radius * f2);
                t[1][1] += x;
                t[1][3] -= x;
                t[3][1] -= x;
                t[3][3] += x;
            }
        }
    }

    /// Gradient of a scalar whose gradient never changes, zero for the others.
    pub fn constant_gradient(&self) -> Gradient {
        let mut h = Gradient::default();
        if let ScalarKind::World(k) = self {
            h.a_lin[*k] = -1.0;
            h.b_lin[*k] = 1.0;
        }
        h
    }

    /// Measured in metres (otherwise dimensionless or radians).
    pub fn is_length(&self) -> bool {
        !matches!(self, ScalarKind::Dot(..) | ScalarKind::Angle(_))
    }
}

impl Angle {
    fn value(&self, p: &Pair<'_>, z: &[f64]) -> f64 {
        if let Some((sign, zero)) = self.planar {
            return sign * (p.theta.1 - p.theta.0) + zero;
        }
        let x = p.bb.r_wb * self.x_b;
        let s = (p.ba.r_wb * self.y_a).dot(&x);
        let c = (p.ba.r_wb * self.x_a).dot(&x);
        let wrapped = s.atan2(c);
        match self.turns {
            Some(i) => wrapped + turns(z[i] - wrapped),
            None => wrapped,
        }
    }
}

/// The whole number of turns nearest to x, as an angle.
pub(crate) fn turns(x: f64) -> f64 {
    std::f64::consts::TAU * (x / std::f64::consts::TAU).round()
}

fn direction(d: &Vec3) -> Vec3 {
    // Coincident points have no direction; the limit keeps everything finite so that the
    // finite check of the caller can name the element.
    d / d.norm().max(f64::MIN_POSITIVE)
}

/// First and second derivative of −√(1 − ν²).
fn disc_slopes(nu: f64) -> (f64, f64) {
    let c2 = (1.0 - nu * nu).max(1e-300);
    let c = c2.sqrt();
    (nu / c, 1.0 / (c2 * c))
}

#[inline]
fn along(a: &Vec3, d: &Vec3, h: &mut Gradient) {
    h.a_lin = -a;
    h.a_ang = a.cross(d);
    h.b_lin = *a;
}

#[inline]
fn along_bias(a: &Vec3, p: &Pair<'_>) -> f64 {
    let a_dot = p.ba.w.cross(a);
    2.0 * a_dot.dot(&(p.fb.v - p.fa.v)) + p.ba.w.cross(&a_dot).dot(&p.d())
}

#[inline]
fn dot_bias(a: &Vec3, b: &Vec3, p: &Pair<'_>) -> f64 {
    let a_dot = p.ba.w.cross(a);
    let b_dot = p.bb.w.cross(b);
    2.0 * a_dot.dot(&b_dot) + p.ba.w.cross(&a_dot).dot(b) + p.bb.w.cross(&b_dot).dot(a)
}

fn along_hessian(a: &Vec3, d: &Vec3, c: f64, t: &mut Hessian) {
    // δa = δφ_a × a = −â δφ_a;  δ(a × d) = −d̂ δa + â δd
    let ha = so3::hat(a) * c;
    let hd = so3::hat(d);
    t[0][1] += ha;
    t[2][1] -= ha;
    t[1][1] += hd * ha;
    t[1][2] += ha;
    t[1][0] -= ha;
}

fn dot_hessian(a: &Vec3, b: &Vec3, c: f64, t: &mut Hessian) {
    // k = a × b: δk = −b̂ δa + â δb = b̂ â δφ_a − â b̂ δφ_b
    let (ha, hb) = (so3::hat(a), so3::hat(b));
    let ka = hb * ha * c;
    let kb = ha * hb * c;
    t[1][1] += ka;
    t[1][3] -= kb;
    t[3][1] -= ka;
    t[3][3] += kb;
}
