//! Scalar functions of two frames: the building block of all joints and most forces.
//!
//! A scalar s has a value, a gradient H in frame space (so ṡ = H · twist), a bias (s̈ = H · acceleration + bias) and a
//! second derivative. A constraint row is s − offset(t); a spring is a force −P(s, ṡ) along H; a gear is a weighted
//! sum. None of them ever deals with a quaternion, and none knows what carries a frame.

use super::body::FrameKin;
use delassus_math::{Mat3, Vec3, so3};

/// Directions are unit vectors in the components of the frame they are fixed to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ScalarKind {
    /// e_k · d, d from the origin of a to the origin of b, ground axis k.
    World(usize),
    /// a · d, a fixed to the first frame.
    Along(Vec3),
    /// a · b, a fixed to the first frame, b to the second.
    Dot(Vec3, Vec3),
    /// |d|.
    Length,
    /// Angle about an axis of the first frame. (Boxed: it is rare and large, and the rows of a big model should be
    /// close together in memory.)
    Angle(Box<Angle>),
    /// a · d − R √(1 − (a·b)²): height of a disc's lowest point above a plane.
    Disc(Vec3, Vec3, f64),
}

/// How an angle is measured: from x to the direction x_b of the second frame, as seen along the axis, φ = atan2(y·x_b,
/// x·x_b).
///
/// With n = a·x_b, which vanishes while the axes of the two frames are parallel, φ turns with the
/// relative angular velocity along h = (a − n x_b)/(1 − n²).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Angle {
    /// Axis on the first frame.
    pub axis: Vec3,
    /// Reference directions, perpendicular to the axis: x, y on the first frame, x on the second.
    pub x_a: Vec3,
    pub y_a: Vec3,
    pub x_b: Vec3,
    /// Planar pair: sign of the axis and angle at zero body angles; turns are counted for free.
    pub planar: Option<(f64, f64)>,
    /// Spatial pair: index of the auxiliary state that counts turns.
    pub turns: Option<usize>,
    /// Value at the given configuration; determines the initial turn of the angle.
    pub start: f64,
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

/// Second derivative in frame space: 4×4 blocks over (a.lin, a.ang, b.lin, b.ang).
/// `t[i][j]` maps a variation of slot j to a variation of the wrench of slot i.
pub(crate) type Hessian = [[Mat3; 4]; 4];

/// The two frames.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub fa: &'a FrameKin,
    pub fb: &'a FrameKin,
}

impl Pair<'_> {
    #[inline]
    fn d(&self) -> Vec3 {
        self.fb.p - self.fa.p
    }

    /// H · (twists).
    #[inline]
    pub fn rate(&self, h: &Gradient) -> f64 {
        let (a, b) = (self.fa, self.fb);
        h.a_lin.dot(&a.v) + h.a_ang.dot(&a.w) + h.b_lin.dot(&b.v) + h.b_ang.dot(&b.w)
    }

    /// x + H · (accelerations of the frames at zero generalised acceleration).
    #[inline]
    pub fn add_bias(&self, x: f64, h: &Gradient) -> f64 {
        let (a, b) = (self.fa, self.fb);
        let turning = h.a_ang.dot(&a.bias_w) + h.b_ang.dot(&b.bias_w);
        x + h.a_lin.dot(&a.bias) + h.b_lin.dot(&b.bias) + turning
    }
}

impl ScalarKind {
    /// Value; `z` holds the turn counters.
    #[inline]
    pub fn value(&self, p: &Pair<'_>, z: &[f64]) -> f64 {
        match self {
            ScalarKind::World(k) => p.fb.p[*k] - p.fa.p[*k],
            ScalarKind::Along(a) => (p.fa.axes * a).dot(&p.d()),
            ScalarKind::Dot(a, b) => (p.fa.axes * a).dot(&(p.fb.axes * b)),
            ScalarKind::Length => p.d().norm(),
            ScalarKind::Angle(g) => g.value(p, z),
            ScalarKind::Disc(a, b, radius) => {
                let n = p.fa.axes * a;
                let nu = n.dot(&(p.fb.axes * b));
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
            ScalarKind::Along(a) => along(&(p.fa.axes * a), &p.d(), &mut h),
            ScalarKind::Dot(a, b) => {
                let c = (p.fa.axes * a).cross(&(p.fb.axes * b));
                h.a_ang = c;
                h.b_ang = -c;
            }
            ScalarKind::Length => {
                let u = direction(&p.d());
                h.a_lin = -u;
                h.b_lin = u;
            }
            ScalarKind::Angle(g) => {
                h.b_ang = g.turning(p);
                h.a_ang = -h.b_ang;
            }
            ScalarKind::Disc(a, b, radius) => {
                let n = p.fa.axes * a;
                let b = p.fb.axes * b;
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
            ScalarKind::Along(a) => along_bias(&(p.fa.axes * a), p),
            ScalarKind::Dot(a, b) => dot_bias(&(p.fa.axes * a), &(p.fb.axes * b), p),
            ScalarKind::Length => {
                let d = p.d();
                let u = direction(&d);
                let v = p.fb.v - p.fa.v;
                (v.norm_squared() - u.dot(&v).powi(2)) / d.norm().max(f64::MIN_POSITIVE)
            }
            ScalarKind::Angle(g) => g.bias(p),
            ScalarKind::Disc(a, b, radius) => {
                let n = p.fa.axes * a;
                let b = p.fb.axes * b;
                let (f1, f2) = disc_slopes(n.dot(&b));
                let nu_dot = n.cross(&b).dot(&(p.fa.w - p.fb.w));
                along_bias(&n, p) + radius * (f1 * dot_bias(&n, &b, p) + f2 * nu_dot * nu_dot)
            }
        }
    }

    /// t += c · ∂H/∂(frame variations).
    pub fn add_hessian(&self, p: &Pair<'_>, c: f64, t: &mut Hessian) {
        match self {
            ScalarKind::World(_) => {}
            ScalarKind::Along(a) => along_hessian(&(p.fa.axes * a), &p.d(), c, t),
            ScalarKind::Dot(a, b) => dot_hessian(&(p.fa.axes * a), &(p.fb.axes * b), c, t),
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
                let (by_a, by_b) = g.turning_slopes(p);
                t[1][1] -= by_a * c;
                t[1][3] -= by_b * c;
                t[3][1] += by_a * c;
                t[3][3] += by_b * c;
            }
            ScalarKind::Disc(a, b, radius) => {
                let n = p.fa.axes * a;
                let b = p.fb.axes * b;
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

    /// Gradient of a scalar with constant gradient, zero for the others.
    pub fn constant_gradient(&self) -> Gradient {
        let mut h = Gradient::default();
        if let ScalarKind::World(k) = self {
            h.a_lin[*k] = -1.0;
            h.b_lin[*k] = 1.0;
        }
        h
    }

    /// Whether it is measured in metres (otherwise dimensionless or radians).
    pub fn is_length(&self) -> bool {
        !matches!(self, ScalarKind::Dot(..) | ScalarKind::Angle(_))
    }
}

impl Angle {
    /// Whether it is measured in the same way except for the turns.
    pub fn same_directions(&self, other: &Angle) -> bool {
        self.axis == other.axis && self.x_a == other.x_a && self.x_b == other.x_b
    }

    fn value(&self, p: &Pair<'_>, z: &[f64]) -> f64 {
        if let Some((sign, zero)) = self.planar {
            return sign * (p.fb.turn - p.fa.turn) + zero;
        }
        let x = p.fb.axes * self.x_b;
        let s = (p.fa.axes * self.y_a).dot(&x);
        let c = (p.fa.axes * self.x_a).dot(&x);
        let wrapped = s.atan2(c);
        continued(wrapped, self.turns.map_or(self.start, |i| z[i]))
    }

    /// The axis and the second direction in ground components, n, and 1/(1 − n²): seen along the axis, a direction
    /// parallel to it has no angle; the limit keeps everything finite.
    fn parts(&self, p: &Pair<'_>) -> (Vec3, Vec3, f64, f64) {
        let (a, x) = (p.fa.axes * self.axis, p.fb.axes * self.x_b);
        // exactly zero between planar bodies, without rounding
        let n = if self.planar.is_some() { 0.0 } else { a.dot(&x) };
        (a, x, n, 1.0 / (1.0 - n * n).max(1e-100))
    }

    /// h.
    fn turning(&self, p: &Pair<'_>) -> Vec3 {
        let (a, x, n, inv) = self.parts(p);
        (a - x * n) * inv
    }

    /// ḣ·(ω_b − ω_a).
    fn bias(&self, p: &Pair<'_>) -> f64 {
        let (a, x, n, inv) = self.parts(p);
        let (wa, wb) = (&p.fa.w, &p.fb.w);
        let relative = wb - wa;
        let n_dot = relative.dot(&x.cross(&a));
        let h_dot =
            wa.cross(&a) - x * n_dot - wb.cross(&x) * n + (a - x * n) * (2.0 * n * n_dot * inv);
        h_dot.dot(&relative) * inv
    }

    /// Derivatives of h by rotations of the first and of the second frame.
    fn turning_slopes(&self, p: &Pair<'_>) -> (Mat3, Mat3) {
        let (a, x, n, inv) = self.parts(p);
        // δa = −â δφ_a, δx = −x̂ δφ_b, δn = (x × a)·(δφ_b − δφ_a)
        let by_n = ((a - x * n) * (2.0 * n * inv) - x) * inv;
        let through_n = by_n * x.cross(&a).transpose();
        (-so3::hat(&a) * inv - through_n, so3::hat(&x) * (n * inv) + through_n)
    }
}

/// The whole number of turns nearest to x, as an angle.
pub(crate) fn turns(x: f64) -> f64 {
    std::f64::consts::TAU * (x / std::f64::consts::TAU).round()
}

/// The angle x on the turn nearest to another one.
pub(crate) fn continued(x: f64, near: f64) -> f64 {
    x + turns(near - x)
}

/// Half a turn is +π, not −π, whatever the sign after rounding; within this distance of it, rad.
const HALF_TURN: f64 = 1e-9;

/// The angle x in (−π, π].
pub(crate) fn principal(x: f64) -> f64 {
    let y = continued(x, 0.0);
    if y < HALF_TURN - std::f64::consts::PI { y + std::f64::consts::TAU } else { y }
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
    let a_dot = p.fa.w.cross(a);
    2.0 * a_dot.dot(&(p.fb.v - p.fa.v)) + p.fa.w.cross(&a_dot).dot(&p.d())
}

#[inline]
fn dot_bias(a: &Vec3, b: &Vec3, p: &Pair<'_>) -> f64 {
    let a_dot = p.fa.w.cross(a);
    let b_dot = p.fb.w.cross(b);
    2.0 * a_dot.dot(&b_dot) + p.fa.w.cross(&a_dot).dot(b) + p.fb.w.cross(&b_dot).dot(a)
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
