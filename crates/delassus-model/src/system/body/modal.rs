//! A body that deforms by few modes, in its floating frame: the coordinates of a rigid body, then the amplitudes q.
//!
//! [`delassus_flex::Modal`] has the kinetic energy and the sums S, J, H over the modes. The origin of the floating frame
//! is the mass centre of the undeformed body. With B = Rᵀ(ẍ − g), S_i = ∂S/∂q_i and J_i = ∂J/∂q_i, and all in the axes
//! of the floating frame, Lagrange's equations of this energy are, without anything left out,
//!
//! ```text
//! r_x = R (m B + Ω̇ × S + Σ S_i q̈_i + 2 Ω × Ṡ + Ω × (Ω × S) + Σ s_ij q̇_i q̇_j)
//! r_φ = S × B + J Ω̇ + H q̈ + J̇ Ω + Ḣ q̇ + Ω × (J Ω + H q̇)
//! r_i = S_i·B + H_i·Ω̇ + (M q̈)_i + Ω·Σ_j (h_ji − h_ij) q̇_j − ½ Ω·J_i Ω + (K q + D q̇)_i
//! ```
//!
//! Where a body shortens, most of its mass is at points instead (`mass_points.rs`), and these sums are of the rest.

use super::mass_points::{Flow, MassPoints};
use super::node::{Placed, row};
use super::planar::Planar;
use super::rigid::Rigid;
use super::{BodyKin, FrameJac, FrameKin, FrameLayout, Here, Kind, Pose, PoseForm, Twist};
use crate::Body;
use delassus_dae::Block;
use delassus_flex::{MassPoint, Modal};
use delassus_math::{Mat3, Quat, Vec3};
use std::marker::PhantomData;
use std::ops::Range;

/// A kind of body whose coordinates are those of the floating frame.
pub(crate) trait Base: Kind {
    /// Words of the kind that deforms.
    const MODAL: &'static str;
    const MODAL_LABEL: &'static str;
    const MODAL_FIELDS: &'static [&'static str];
}

impl Base for Rigid {
    const MODAL: &'static str = "modal";
    const MODAL_LABEL: &'static str = "a modal body";
    const MODAL_FIELDS: &'static [&'static str] =
        &["inertia", "com", "orientation", "rate", "modes", "nodes", "exaggerate"];
}

impl Base for Planar {
    const MODAL: &'static str = "planar-modal";
    const MODAL_LABEL: &'static str = "a planar modal body";
    const MODAL_FIELDS: &'static [&'static str] =
        &["inertia", "com", "angle", "rate", "modes", "nodes", "exaggerate"];
}

/// The kind that deforms in a floating frame with the coordinates of `B`.
pub(crate) struct Floating<B>(PhantomData<B>);

/// What one of the velocities moves.
enum Way {
    /// The origin, along a ground axis.
    Along(usize),
    /// All of it, about an axis of the floating frame.
    About(usize),
    /// One mode.
    Mode(usize),
}

#[inline]
fn way<B: Base>(k: usize) -> Way {
    let turning = B::ROTATION;
    match k {
        k if k < turning.start => Way::Along(k),
        k if k >= turning.end => Way::Mode(k - turning.end),
        _ if B::PLANAR => Way::About(2),
        k => Way::About(k - turning.start),
    }
}

fn unit(k: usize) -> Vec3 {
    Vec3::ith(k, 1.0)
}

/// First amplitude among the coordinates.
const fn first_q<B: Base>() -> usize {
    // three numbers of rotation in space take four coordinates
    if B::PLANAR { 3 } else { 7 }
}

/// Amplitudes and their rates.
fn own<'h, B: Base>(h: &'h Here<'_>) -> [&'h [f64]; 2] {
    let n = h.body.amplitudes().len();
    let (q, v) = (first_q::<B>(), B::ROTATION.end);
    [&h.q()[q..q + n], &h.v()[v..v + n]]
}

fn modes(frame: &FrameLayout) -> usize {
    frame.node().map_or(0, |n| n.displacement.len())
}

/// Σ_j list_ji x_j.
fn column_sum(list: &[Vec3], i: usize, x: &[f64]) -> Vec3 {
    let n = x.len();
    x.iter().enumerate().map(|(j, x)| list[j * n + i] * *x).sum()
}

/// The sums over the modes at the realised state.
struct Sums<'h> {
    /// The body, for its elasticity.
    body: &'h Modal,
    /// Of what is not at points.
    m: &'h Modal,
    points: &'h [MassPoint],
    q: &'h [f64],
    u: &'h [f64],
    r: Mat3,
    o: Vec3,
}

impl<'h> Sums<'h> {
    fn new<B: Base>(h: &'h Here<'_>) -> Option<Sums<'h>> {
        let body = &h.body.flexible.as_ref()?.modal;
        let (m, points) = match &body.followed {
            Some(f) => (&f.rest, f.points.as_slice()),
            None => (body, [].as_slice()),
        };
        let [q, u] = own::<B>(h);
        let r = h.at.r_wb;
        Some(Sums { body, m, points, q, u, r, o: r.tr_mul(&h.at.w) })
    }

    /// The mass at points.
    fn masses(&self) -> MassPoints<'h> {
        MassPoints { points: self.points, q: self.q, u: self.u, o: self.o }
    }

    /// S.
    fn s(&self) -> Vec3 {
        let of = |i: usize| (self.m.s1[i] + self.along(&self.m.s2, i, self.q) * 0.5) * self.q[i];
        (0..self.q.len()).map(of).sum()
    }

    /// S_i.
    fn s_by(&self, i: usize) -> Vec3 {
        self.m.s1[i] + self.along(&self.m.s2, i, self.q)
    }

    /// Ṡ.
    fn s_rate(&self) -> Vec3 {
        (0..self.q.len()).map(|i| self.s_by(i) * self.u[i]).sum()
    }

    /// ∂Ṡ/∂q_i.
    fn s_rate_by(&self, i: usize) -> Vec3 {
        self.along(&self.m.s2, i, self.u)
    }

    /// J.
    fn j(&self) -> Mat3 {
        let of = |i: usize| (self.m.j1[i] + self.turns(i, self.q) * 0.5) * self.q[i];
        (0..self.q.len()).fold(self.m.inertia, |sum, i| sum + of(i))
    }

    /// J_i.
    fn j_by(&self, i: usize) -> Mat3 {
        self.m.j1[i] + self.turns(i, self.q)
    }

    /// J̇.
    fn j_rate(&self) -> Mat3 {
        (0..self.q.len()).fold(Mat3::zeros(), |sum, i| sum + self.j_by(i) * self.u[i])
    }

    /// Σ_j J_ij x_j.
    fn turns(&self, i: usize, x: &[f64]) -> Mat3 {
        row(Mat3::zeros(), &self.m.j2, i, x)
    }

    /// H_i.
    fn h_by(&self, i: usize) -> Vec3 {
        self.m.h1[i] + column_sum(&self.m.h2, i, self.q)
    }

    /// H x.
    fn h(&self, x: &[f64]) -> Vec3 {
        x.iter().enumerate().map(|(i, x)| self.h_by(i) * *x).sum()
    }

    /// Σ_j list_ij x_j.
    fn along(&self, list: &[Vec3], i: usize, x: &[f64]) -> Vec3 {
        row(Vec3::zeros(), list, i, x)
    }

    /// Σ_j (h_ji − h_ij) q̇_j.
    fn gyroscopic(&self, i: usize) -> Vec3 {
        column_sum(&self.m.h2, i, self.u) - self.along(&self.m.h2, i, self.u)
    }

    /// r_x without m B, r_φ without S × B, and r_i without S_i·B, M q̈ and K q + D q̇, where the accelerations are zero;
    /// in the axes of the floating frame.
    fn quadratic(&self, mut mode: impl FnMut(usize, f64)) -> [Vec3; 2] {
        let (o, u) = (&self.o, self.u);
        let (mut bias, mut h_rate) = (Vec3::zeros(), Vec3::zeros());
        for i in 0..u.len() {
            bias += self.s_rate_by(i) * u[i];
            h_rate += self.along(&self.m.h2, i, u) * u[i];
            mode(i, o.dot(&self.gyroscopic(i)) - 0.5 * o.dot(&(self.j_by(i) * o)));
        }
        let lin = o.cross(&(self.s_rate() * 2.0 + o.cross(&self.s()))) + bias;
        let ang = self.j_rate() * o + h_rate + o.cross(&(self.j() * o + self.h(u)));
        [lin, ang]
    }
}

/// Entries of one column, from parts in ground components, in those of the floating frame, and of each mode.
fn spread<B: Base>(
    nv: usize,
    [lin, ang]: [Vec3; 2],
    mode: impl Fn(usize) -> f64,
    mut put: impl FnMut(usize, f64),
) {
    for i in 0..nv {
        let x = match way::<B>(i) {
            Way::Along(c) => lin[c],
            Way::About(c) => ang[c],
            Way::Mode(i) => mode(i),
        };
        put(i, x);
    }
}

impl<B: Base> Kind for Floating<B> {
    const NAME: &'static str = B::MODAL;
    const LABEL: &'static str = B::MODAL_LABEL;
    const FIELDS: &'static [&'static str] = B::MODAL_FIELDS;
    const PLANAR: bool = B::PLANAR;
    const ROTATION: Range<usize> = B::ROTATION;
    const POSE: PoseForm = B::POSE;
    const CONSTANT_MASS: bool = false;
    const ONE_PIECE: bool = false;
    const ANGLE: Option<usize> = B::ANGLE;

    fn names(b: &Body) -> (Vec<String>, Vec<String>) {
        let (mut q, mut v) = B::names(b);
        let n = b.flexible.as_ref().map_or(0, |f| f.modal.modes());
        for list in [&mut q, &mut v] {
            list.extend((1..=n).map(|k| format!("mode_{k}")));
        }
        (q, v)
    }

    fn blocks(b: &Body) -> Vec<Block> {
        let mut blocks = B::blocks(b);
        let n = b.flexible.as_ref().map_or(0, |f| f.modal.modes());
        if n > 0 {
            blocks.push(Block::Vector(n));
        }
        blocks
    }

    fn put(pose: &Pose, q: &mut [f64]) {
        B::put(pose, q);
    }

    fn turn(q: &[f64]) -> (Quat, f64) {
        B::turn(q)
    }

    fn place(q: &[f64], at: &mut BodyKin) {
        B::place(q, at);
    }

    fn travel(v: &[f64], at: &mut BodyKin) {
        B::travel(v, at);
    }

    fn follows(frame: &FrameLayout, nv: usize) -> Range<usize> {
        // the floating frame itself does not deform
        0..if frame.node().is_some() { nv } else { B::ROTATION.end }
    }

    fn place_frame(frame: &FrameLayout, at: &BodyKin, q: &[f64], f: &mut FrameKin) {
        let (own, n) = (frame.own_q(q), modes(frame));
        let q = &own[first_q::<B>()..first_q::<B>() + n];
        let placed = Placed::new(frame, q);
        f.arm = at.r_wb * placed.at;
        f.p = at.x + f.arm;
        f.axes = at.r_wb * placed.turned;
        f.turn = B::turn(own).1;
        if B::PLANAR
            && let Some(node) = frame.node()
        {
            f.turn += node.turn(q).z;
        }
    }

    fn move_frame(frame: &FrameLayout, at: &BodyKin, q: &[f64], v: &[f64], f: &mut FrameKin) {
        let n = modes(frame);
        let q = &frame.own_q(q)[first_q::<B>()..first_q::<B>() + n];
        let u = &frame.own_v(v)[B::ROTATION.end..B::ROTATION.end + n];
        let m = Placed::new(frame, q).moving(u);
        let (r, w) = (&at.r_wb, &at.w);
        let (out, spin) = (r * m.rate, r * m.spin);
        let swing = w.cross(&f.arm);
        f.v = at.v + swing + out;
        f.w = w + spin;
        f.bias = w.cross(&(swing + out * 2.0)) + r * m.bias;
        f.bias_w = w.cross(&spin) + r * m.spin_bias;
    }

    fn transpose_mul(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3, out: &mut [f64]) {
        let r = &j.h.at.r_wb;
        let [q, _] = own::<B>(&j.h);
        let (l, m) = (r.tr_mul(lin), r.tr_mul(ang));
        let placed = Placed::new(j.frame, &q[..modes(j.frame)]);
        let about = m + placed.at.cross(&l);
        let mode = |i: usize| placed.by(i).dot(&l) + placed.turn_by(i).dot(&m);
        spread::<B>(out.len(), [*lin, about], mode, |i, x| out[i] += x);
    }

    fn column(j: &FrameJac<'_>, k: usize) -> Twist {
        let r = &j.h.at.r_wb;
        match way::<B>(k) {
            Way::Along(c) => [unit(c), Vec3::zeros()],
            Way::About(c) => {
                let e: Vec3 = r.column(c).into();
                [e.cross(&j.f.arm), e]
            }
            Way::Mode(i) => {
                let [q, _] = own::<B>(&j.h);
                let placed = Placed::new(j.frame, &q[..modes(j.frame)]);
                [r * placed.by(i), r * placed.turn_by(i)]
            }
        }
    }

    fn drift(j: &FrameJac<'_>, k: usize) -> Twist {
        let (r, w) = (&j.h.at.r_wb, &j.h.at.w);
        let n = modes(j.frame);
        let [q, u] = own::<B>(&j.h).map(|x| &x[..n]);
        let placed = Placed::new(j.frame, q);
        let m = placed.moving(u);
        match way::<B>(k) {
            Way::Along(_) => [Vec3::zeros(); 2],
            Way::About(c) => {
                let e = unit(c);
                let o = r.tr_mul(w);
                let v = o.cross(&placed.at) + m.rate;
                [r * e.cross(&v), r * e.cross(&(o + m.spin))]
            }
            Way::Mode(i) => {
                let [rate, spin] = placed.drift(&m, u, i);
                [w.cross(&(r * placed.by(i))) + r * rate, r * spin]
            }
        }
    }

    fn geometric(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3, mut add: impl FnMut(usize, usize, f64)) {
        let r = &j.h.at.r_wb;
        let [q, _] = own::<B>(&j.h);
        let placed = Placed::new(j.frame, &q[..modes(j.frame)]);
        let (l, m, nv) = (r.tr_mul(lin), r.tr_mul(ang), j.len());
        for k in B::ROTATION.start..nv {
            let zero = Vec3::zeros();
            match way::<B>(k) {
                Way::Along(_) => {}
                Way::About(c) => {
                    let (dl, dm) = (l.cross(&unit(c)), m.cross(&unit(c)));
                    let mode = |i: usize| placed.by(i).dot(&dl) + placed.turn_by(i).dot(&dm);
                    let about = dm + placed.at.cross(&dl);
                    spread::<B>(nv, [zero, about], mode, |i, x| add(i, k, x));
                }
                Way::Mode(i) => {
                    let about = placed.by(i).cross(&l);
                    spread::<B>(nv, [zero, about], |_| 0.0, |i, x| add(i, k, x));
                    placed.second(i, |i, by, turn| {
                        add(B::ROTATION.end + i, k, by.dot(&l) + turn.dot(&m));
                    });
                }
            }
        }
    }

    fn mass(h: &Here<'_>, block: &mut [f64]) {
        let Some(x) = Sums::new::<B>(h) else { return };
        let (n, s, j) = (h.body.nv, x.s(), x.j());
        for k in 0..n {
            // rates of the momenta per unit of acceleration k
            let of_mode = |i: usize| match way::<B>(k) {
                Way::Along(c) => x.s_by(i).dot(&x.r.row(c).transpose()),
                Way::About(c) => x.h_by(i)[c],
                Way::Mode(k) => x.m.mass_matrix[(i, k)],
            };
            let parts = match way::<B>(k) {
                Way::Along(c) => [unit(c) * x.m.mass, s.cross(&x.r.row(c).transpose())],
                Way::About(c) => [x.r * unit(c).cross(&s), j.column(c).into()],
                Way::Mode(k) => [x.r * x.s_by(k), x.h_by(k)],
            };
            spread::<B>(n, parts, of_mode, |i, y| block[k * n + i] = y);
        }
        for p in x.masses().placed() {
            let (m, y) = (p.mass, p.y);
            for k in 0..n {
                let moved = match way::<B>(k) {
                    Way::Along(c) => x.r.row(c).transpose(),
                    Way::About(c) => unit(c).cross(&y),
                    Way::Mode(k) => p.by(k),
                } * m;
                let parts = [x.r * moved, y.cross(&moved)];
                spread::<B>(n, parts, |i| p.by(i).dot(&moved), |i, x| block[k * n + i] += x);
            }
        }
    }

    fn force(h: &Here<'_>, gravity: &Vec3, f: &mut [f64]) {
        let Some(x) = Sums::new::<B>(h) else { return };
        let (g, modes) = (x.r.tr_mul(gravity), B::ROTATION.end);
        let [lin, ang] = x.quadratic(|i, y| {
            let (stiffness, damping) = (&x.body.stiffness, &x.body.damping);
            let elastic = |k: usize| stiffness[(i, k)] * x.q[k] + damping[(i, k)] * x.u[k];
            let held: f64 = (0..x.q.len()).map(elastic).sum();
            f[modes + i] = x.s_by(i).dot(&g) - y - held;
        });
        let parts = [gravity * x.m.mass - x.r * lin, x.s().cross(&g) - ang];
        spread::<B>(modes, parts, |_| 0.0, |i, y| f[i] = y);
        for p in x.masses().placed() {
            let inertia = (p.acceleration(&Flow::fallen(-g))) * -p.mass;
            let parts = [x.r * inertia, p.y.cross(&inertia)];
            spread::<B>(h.body.nv, parts, |i| p.by(i).dot(&inertia), |i, y| f[i] += y);
        }
    }

    fn tangent(
        h: &Here<'_>,
        gravity: &Vec3,
        a: &[f64],
        ck: f64,
        cc: f64,
        mut add: impl FnMut(usize, usize, f64),
    ) {
        let Some(x) = Sums::new::<B>(h) else { return };
        let (nv, turning, n) = (h.body.nv, B::ROTATION, x.q.len());
        let (o, u, m) = (&x.o, x.u, x.m);
        let (mut fallen, mut alpha) = (-gravity, Vec3::zeros());
        for (k, a) in a[..turning.end].iter().enumerate() {
            match way::<B>(k) {
                Way::Along(c) => fallen[c] += a,
                Way::About(c) => alpha[c] = *a,
                Way::Mode(_) => {}
            }
        }
        let (b, qdd) = (x.r.tr_mul(&fallen), &a[turning.end..nv]);
        let (s, s_rate) = (x.s(), x.s_rate());
        let spin = x.j() * o + x.h(u);
        let moved: Vec3 = (0..n).map(|i| x.s_by(i) * qdd[i]).sum();
        let bias: Vec3 = (0..n).map(|i| x.s_rate_by(i) * u[i]).sum();
        // r_x without m B
        let y = alpha.cross(&s) + moved + o.cross(&(s_rate * 2.0 + o.cross(&s))) + bias;
        for c in turning.clone() {
            let Way::About(axis) = way::<B>(c) else { continue };
            let e = unit(axis);
            let turned = b.cross(&e);
            let lin = e.cross(&y) * ck
                + (e.cross(&(s_rate * 2.0 + o.cross(&s))) + o.cross(&e.cross(&s))) * cc;
            let ang = s.cross(&turned) * ck
                + (x.j_rate() * e + e.cross(&spin) + o.cross(&(x.j() * e))) * cc;
            let mode = |i: usize| {
                x.s_by(i).dot(&turned) * ck + e.dot(&(x.gyroscopic(i) - x.j_by(i) * o)) * cc
            };
            spread::<B>(nv, [x.r * lin, ang], mode, |i, y| add(i, c, y));
        }
        for k in 0..n {
            let (s_k, j_k, s_rate_k) = (x.s_by(k), x.j_by(k), x.s_rate_by(k));
            let h_k = x.along(&m.h2, k, u);
            let lin = (alpha.cross(&s_k)
                + x.along(&m.s2, k, qdd)
                + o.cross(&(s_rate_k * 2.0 + o.cross(&s_k))))
                * ck
                + (o.cross(&s_k) + s_rate_k) * (2.0 * cc);
            let ang = (s_k.cross(&b)
                + j_k * alpha
                + x.along(&m.h2, k, qdd)
                + x.turns(k, u) * o
                + o.cross(&(j_k * o + h_k)))
                * ck
                + (j_k * o + h_k + column_sum(&m.h2, k, u) + o.cross(&x.h_by(k))) * cc;
            let mode = |i: usize| {
                let (ik, ki) = (i * n + k, k * n + i);
                let by_q = m.s2[ik].dot(&b) + m.h2[ki].dot(&alpha) - 0.5 * o.dot(&(m.j2[ik] * o))
                    + x.body.stiffness[(i, k)];
                let by_u = o.dot(&(m.h2[ki] - m.h2[ik])) + x.body.damping[(i, k)];
                by_q * ck + by_u * cc
            };
            spread::<B>(nv, [x.r * lin, ang], mode, |i, y| add(i, turning.end + k, y));
        }
        let flow = Flow { b, alpha, qdd };
        for p in x.masses().placed() {
            let (acc, y) = (p.acceleration(&flow), p.y);
            for k in turning.start..nv {
                let (lin, ang, by) = match way::<B>(k) {
                    Way::Along(_) => continue,
                    Way::About(c) => {
                        let (e, turned) = (unit(c), b.cross(&unit(c)));
                        let change = turned * ck + p.by_spin(&e) * cc;
                        (change + e.cross(&acc) * ck, y.cross(&change), change)
                    }
                    Way::Mode(k) => {
                        let change = p.by_amplitude(k, &flow) * ck + p.by_rate(k) * cc;
                        (change, p.by(k).cross(&acc) * ck + y.cross(&change), change)
                    }
                };
                let bent = |i: usize| match way::<B>(k) {
                    Way::Mode(k) => p.second(i, k).dot(&acc) * ck,
                    _ => 0.0,
                };
                let mode = |i: usize| p.mass * (p.by(i).dot(&by) + bent(i));
                spread::<B>(nv, [x.r * lin * p.mass, ang * p.mass], mode, |i, y| add(i, k, y));
            }
        }
    }

    fn kinetic(h: &Here<'_>) -> f64 {
        let Some(x) = Sums::new::<B>(h) else { return 0.0 };
        let (o, v) = (&x.o, x.r.tr_mul(&h.at.v));
        let momentum = o.cross(&x.s()) + x.s_rate();
        let of = |i: usize, k: usize| 0.5 * x.u[i] * x.m.mass_matrix[(i, k)] * x.u[k];
        let n = x.u.len();
        let own: f64 =
            (0..n).flat_map(|i| (0..n).map(move |k| (i, k))).map(|(i, k)| of(i, k)).sum();
        let turning = 0.5 * o.dot(&(x.j() * o)) + o.dot(&x.h(x.u));
        let masses = x.masses();
        let points: f64 = masses
            .placed()
            .map(|p| 0.5 * p.mass * (v + o.cross(&p.y) + p.rate).norm_squared())
            .sum();
        0.5 * x.m.mass * v.norm_squared() + v.dot(&momentum) + turning + own + points
    }

    fn potential(h: &Here<'_>, gravity: &Vec3) -> f64 {
        let Some(x) = Sums::new::<B>(h) else { return 0.0 };
        let n = x.q.len();
        let of = |i: usize, k: usize| 0.5 * x.q[i] * x.body.stiffness[(i, k)] * x.q[k];
        let own: f64 =
            (0..n).flat_map(|i| (0..n).map(move |k| (i, k))).map(|(i, k)| of(i, k)).sum();
        let masses = x.masses();
        let moment: Vec3 = masses.placed().map(|p| p.y * p.mass).sum();
        own - gravity.dot(&(h.at.x * x.body.mass + x.r * (x.s() + moment)))
    }

    fn loss(h: &Here<'_>) -> f64 {
        let Some(x) = Sums::new::<B>(h) else { return 0.0 };
        let n = x.u.len();
        let of = |i: usize, k: usize| x.u[i] * x.body.damping[(i, k)] * x.u[k];
        (0..n).flat_map(|i| (0..n).map(move |k| (i, k))).map(|(i, k)| of(i, k)).sum()
    }

    fn lacks_inertia(inertia: &Mat3) -> bool {
        B::lacks_inertia(inertia)
    }

    fn idle_rotations(inertia: &Mat3) -> Vec<(String, Vec<(usize, f64)>)> {
        B::idle_rotations(inertia)
    }

    fn least_inertia(inertia: &Mat3) -> Option<f64> {
        B::least_inertia(inertia)
    }
}

#[cfg(test)]
super::contract::body_contract!(
    "modal",
    "planar-modal",
    "modal of a beam",
    "planar-modal of a beam"
);
