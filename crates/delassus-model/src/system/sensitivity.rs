//! How sensors change with positions and velocities: the contribution to K and C of forces that read them.
//!
//! A sensor that is not an expression (a *leaf*) depends on two frames at most. Its derivatives are given in frame
//! space, by pose and by twist, and one chain rule leads to ξ and v; an amplitude of a mode is itself a coordinate. Expressions pass on derivatives by
//! [`System::weight`].

use super::body::FrameJac;
use super::force::ForceLaw;
use super::probe::{ModeOf, Probe};
use super::scalar::{Gradient, Pair, ScalarKind};
use super::{System, Workspace};
use crate::model::var;
use crate::{Component, Control};
use delassus_expr::Expr;
use delassus_math::{Mat3, Quat, Vec3};
use std::ops::Range;

/// A row over the velocities that two frames follow (`None`: ground).
#[derive(Debug, Clone, Default)]
pub(super) struct Spread {
    part: [Option<usize>; 2],
    /// The first velocity of each, among all.
    first: [usize; 2],
    x: [Vec<f64>; 2],
}

impl Spread {
    /// Room for frames that follow so many velocities.
    pub fn with_capacity(n: usize) -> Spread {
        let x = [Vec::with_capacity(n), Vec::with_capacity(n)];
        Spread { part: [None; 2], first: [0; 2], x }
    }

    /// Indices of the sets of velocities, and the entries.
    pub fn parts(&self) -> impl Iterator<Item = (usize, &[f64])> {
        self.part.iter().zip(&self.x).filter_map(|(p, x)| Some(((*p)?, x.as_slice())))
    }

    /// Velocities, among all, with their entries.
    pub fn entries(&self) -> impl Iterator<Item = (usize, f64)> {
        let of = self.first.iter().zip(&self.x);
        of.flat_map(|(first, x)| x.iter().enumerate().map(move |(k, x)| (first + k, *x)))
    }

    /// `entry` at one velocity among all, of all those of a body.
    fn set_one(&mut self, body: usize, span: Range<usize>, velocity: usize, entry: f64) {
        (self.part, self.first) = ([Some(body), None], [span.start, 0]);
        self.x.iter_mut().for_each(Vec::clear);
        self.x[0].resize(span.len(), 0.0);
        self.x[0][velocity - span.start] = entry;
    }

    /// The gradient over the velocities: H J.
    pub fn set(&mut self, ends: &[Option<FrameJac<'_>>; 2], h: &Gradient) {
        let parts = [(&h.a_lin, &h.a_ang), (&h.b_lin, &h.b_ang)];
        for (s, (lin, ang)) in parts.into_iter().enumerate() {
            self.part[s] = ends[s].as_ref().map(FrameJac::part);
            self.first[s] = ends[s].as_ref().map_or(0, |j| j.span().start);
            self.x[s].clear();
            if let Some(j) = &ends[s] {
                self.x[s].resize(j.len(), 0.0);
                j.transpose_mul(lin, ang, &mut self.x[s]);
            }
        }
    }

    /// c times itself and d times another over the same velocities.
    pub fn mix(&mut self, c: f64, other: &Spread, d: f64) {
        for (x, y) in self.x.iter_mut().zip(&other.x) {
            x.iter_mut().zip(y).for_each(|(x, y)| *x = c * *x + d * y);
        }
    }

    /// Adds the effect of the gradient on twists that change with the configuration.
    pub fn add_drift(&mut self, ends: &[Option<FrameJac<'_>>; 2], h: &Gradient) {
        let parts = [(&h.a_lin, &h.a_ang), (&h.b_lin, &h.b_ang)];
        for (s, (lin, ang)) in parts.into_iter().enumerate() {
            let Some(j) = &ends[s] else { continue };
            for (k, x) in self.x[s].iter_mut().enumerate() {
                let [l, a] = j.drift(k);
                *x += lin.dot(&l) + ang.dot(&a);
            }
        }
    }
}

/// How a scalar force depends on a leaf and on its rate.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reading {
    pub value: f64,
    pub rate: f64,
}

/// Derivatives in frame space, by the two frames (`None`: by none).
#[derive(Default)]
struct FrameSlopes {
    ends: [Option<usize>; 2],
    pose: Gradient,
    twist: Gradient,
}

impl System {
    /// The bodies that a leaf depends on, and which of their velocities: the part of each.
    pub(super) fn leaf_parts(&self, k: usize) -> impl Iterator<Item = (usize, usize)> {
        let of_frame = |f: usize| self.frames[f].body().map(|b| (b, self.frames[f].part));
        let of_mode = match &self.probes[k] {
            Probe::Amplitude(mode) | Probe::AmplitudeRate(mode) => Some((mode.body, mode.body)),
            _ => None,
        };
        let of_frames = self.leaf_frames(k).into_iter().flatten().filter_map(of_frame);
        of_mode.into_iter().chain(of_frames)
    }

    /// The frames that a leaf depends on.
    fn leaf_frames(&self, k: usize) -> [Option<usize>; 2] {
        match &self.probes[k] {
            Probe::Velocity { of, rel, .. } => [*rel, *of].map(Some),
            Probe::Scalar(s) | Probe::ScalarRate(s) => [s.a, s.b].map(Some),
            Probe::Rate { of, axes, .. } => [axes.frame, *of].map(Some),
            Probe::Orientation { axes, .. } => [None, Some(axes.frame)],
            Probe::Tyre(k, _) => [Some(self.wheel_frame(*k)), None],
            // coordinates, and what no force reads
            Probe::Amplitude(_)
            | Probe::AmplitudeRate(_)
            | Probe::Acceleration { .. }
            | Probe::Reaction { .. }
            | Probe::Energy(_)
            | Probe::Section { .. }
            | Probe::Input(_)
            | Probe::Expression(_) => [None; 2],
        }
    }

    /// ∂s/∂ξ and ∂s/∂v of a leaf.
    pub(super) fn leaf_slopes(&self, ws: &Workspace, k: usize, xi: &mut Spread, v: &mut Spread) {
        let frames = &ws.kin.frames;
        let f = match &self.probes[k] {
            Probe::Amplitude(mode) => return self.mode_slopes(mode, xi, v),
            Probe::AmplitudeRate(mode) => return self.mode_slopes(mode, v, xi),
            Probe::Velocity { of, rel, axes, component } => {
                let d = frames[*of].v - frames[*rel].v;
                let u = direction(&self.axes(ws, axes), &d, *component);
                let (pose, twist) = (Gradient { a_ang: u.cross(&d), ..Default::default() }, u);
                let twist = Gradient { a_lin: -twist, b_lin: twist, ..Default::default() };
                FrameSlopes { ends: [Some(*rel), Some(*of)], pose, twist }
            }
            Probe::Rate { of, axes, component } => {
                let w = frames[*of].w;
                let u = direction(&self.axes(ws, axes), &w, *component);
                FrameSlopes {
                    ends: [Some(axes.frame), Some(*of)],
                    pose: Gradient { a_ang: u.cross(&w), ..Default::default() },
                    twist: Gradient { b_ang: u, ..Default::default() },
                }
            }
            Probe::Orientation { axes, component } => FrameSlopes {
                ends: [None, Some(axes.frame)],
                pose: turning(&Quat::from_matrix(&self.axes(ws, axes)), *component),
                twist: Gradient::default(),
            },
            Probe::Scalar(s) => FrameSlopes {
                ends: [Some(s.a), Some(s.b)],
                pose: s.kind.gradient(&self.pair(ws, s)),
                twist: Gradient::default(),
            },
            Probe::ScalarRate(s) => {
                let pair = self.pair(ws, s);
                FrameSlopes {
                    ends: [Some(s.a), Some(s.b)],
                    pose: rate_by_pose(&s.kind, &pair),
                    twist: s.kind.gradient(&pair),
                }
            }
            Probe::Tyre(k, what) => {
                let s = self.tyre_reading_slopes(ws, *k, *what);
                FrameSlopes {
                    ends: [Some(self.wheel_frame(*k)), None],
                    pose: s.pose,
                    twist: s.twist,
                }
            }
            _ => FrameSlopes::default(),
        };
        self.slopes(ws, &f, xi, v);
    }

    /// The same for the rate of a leaf of position level.
    pub(super) fn leaf_rate_slopes(
        &self,
        ws: &Workspace,
        k: usize,
        xi: &mut Spread,
        v: &mut Spread,
    ) {
        let f = match &self.probes[k] {
            Probe::Amplitude(mode) => return self.mode_slopes(mode, v, xi),
            Probe::Scalar(s) => {
                let pair = self.pair(ws, s);
                FrameSlopes {
                    ends: [Some(s.a), Some(s.b)],
                    pose: rate_by_pose(&s.kind, &pair),
                    twist: s.kind.gradient(&pair),
                }
            }
            Probe::Orientation { axes, component } => {
                let q = Quat::from_matrix(&self.axes(ws, axes));
                let w = ws.kin.frames[axes.frame].w;
                // q̇ = ½ ω q is linear in q
                let mut by_pose = Vec3::zeros();
                for j in 0..3 {
                    let turned = half_product(&Vec3::ith(j, 1.0), &q);
                    by_pose[j] = half_product(&w, &turned).0[*component];
                }
                FrameSlopes {
                    ends: [None, Some(axes.frame)],
                    pose: Gradient { b_ang: by_pose, ..Default::default() },
                    twist: turning(&q, *component),
                }
            }
            _ => FrameSlopes::default(),
        };
        self.slopes(ws, &f, xi, v);
    }

    /// Rate of a sensor of position level; zero for the others, whose rates are accelerations.
    pub(super) fn probe_rate(&self, ws: &Workspace, k: usize) -> f64 {
        match &self.probes[k] {
            Probe::Scalar(s) => {
                let p = self.pair(ws, s);
                p.rate(&s.kind.gradient(&p))
            }
            Probe::Orientation { axes, component } => {
                let q = Quat::from_matrix(&self.axes(ws, axes));
                let w = ws.kin.frames[axes.frame].w;
                half_product(&w, &q).0[*component]
            }
            Probe::Amplitude(mode) => ws.kin.v[mode.v],
            Probe::Expression(e) => e.eval_along(&ws.vars, &ws.rates).1,
            _ => 0.0,
        }
    }

    /// How a scalar force depends on a leaf. The variables of its law are set.
    pub(super) fn reading(&self, ws: &Workspace, law: &ForceLaw, leaf: usize) -> Reading {
        match law {
            ForceLaw::Linear { .. } => Reading::default(),
            ForceLaw::Expression(e) => Reading { value: self.weight(e, &ws.vars, leaf), rate: 0.0 },
            ForceLaw::Actuator { target, control, kp, kd, .. } => {
                let w = self.weight(target, &ws.vars, leaf);
                if *control == Control::Rate || *kd == 0.0 {
                    return Reading { value: -kp * w, rate: 0.0 };
                }
                let of_rate = self.rate_weight(target, ws, leaf);
                Reading { value: -kp * w - kd * of_rate, rate: -kd * w }
            }
        }
    }

    /// ∂e/∂leaf through all expressions between.
    pub(super) fn weight(&self, e: &Expr, vars: &[f64], leaf: usize) -> f64 {
        let mut sum = 0.0;
        for (x, k) in read(e) {
            if k == leaf {
                sum += e.eval_d1(vars, x).1;
            } else if let Probe::Expression(inner) = &self.probes[k] {
                let w = self.weight(inner, vars, leaf);
                if w != 0.0 {
                    sum += w * e.eval_d1(vars, x).1;
                }
            }
        }
        sum
    }

    /// ∂ė/∂leaf through all expressions between.
    fn rate_weight(&self, e: &Expr, ws: &Workspace, leaf: usize) -> f64 {
        let mut sum = 0.0;
        for (x, k) in read(e) {
            if k == leaf {
                sum += e.eval_mixed(&ws.vars, &ws.rates, x);
            } else if let Probe::Expression(inner) = &self.probes[k] {
                sum += self.weight(inner, &ws.vars, leaf) * e.eval_mixed(&ws.vars, &ws.rates, x);
                sum += self.rate_weight(inner, ws, leaf) * e.eval_d1(&ws.vars, x).1;
            }
        }
        sum
    }

    /// One for the amplitude, nothing for its rate, or the other way round.
    fn mode_slopes(&self, mode: &ModeOf, one: &mut Spread, none: &mut Spread) {
        let span = self.bodies[mode.body].span();
        one.set_one(mode.body, span.clone(), mode.v, 1.0);
        none.set_one(mode.body, span, mode.v, 0.0);
    }

    fn slopes(&self, ws: &Workspace, f: &FrameSlopes, xi: &mut Spread, v: &mut Spread) {
        let ends = f.ends.map(|frame| self.jac(&ws.kin, frame?));
        xi.set(&ends, &f.pose);
        xi.add_drift(&ends, &f.twist);
        v.set(&ends, &f.twist);
    }
}

/// Sensors that an expression reads, with the numbers of their variables.
pub(super) fn read(e: &Expr) -> impl Iterator<Item = (usize, usize)> + '_ {
    e.variables().iter().filter_map(|x| x.checked_sub(var::SENSOR).map(|k| (*x, k)))
}

/// ∂ṡ/∂pose at fixed twists: twistᵀ ∂H.
pub(super) fn rate_by_pose(kind: &ScalarKind, pair: &Pair<'_>) -> Gradient {
    let mut t = [[Mat3::zeros(); 4]; 4];
    kind.add_hessian(pair, 1.0, &mut t);
    let twist = [pair.fa.v, pair.fa.w, pair.fb.v, pair.fb.w];
    let mut g = [Vec3::zeros(); 4];
    for (j, gj) in g.iter_mut().enumerate() {
        for i in 0..4 {
            *gj += t[i][j].tr_mul(&twist[i]);
        }
    }
    Gradient { a_lin: g[0], a_ang: g[1], b_lin: g[2], b_ang: g[3] }
}

/// Ground components of ∂(component of Rᵀx)/∂x.
fn direction(r: &Mat3, x: &Vec3, component: Component) -> Vec3 {
    match component {
        Component::X => r.column(0).into(),
        Component::Y => r.column(1).into(),
        Component::Z => r.column(2).into(),
        // a vector of length zero has no direction
        Component::Norm => x / x.norm().max(f64::MIN_POSITIVE),
    }
}

/// ½ (0, x) q.
fn half_product(x: &Vec3, q: &Quat) -> Quat {
    let v = Vec3::new(q.0[1], q.0[2], q.0[3]);
    let u = (x * q.0[0] + x.cross(&v)) * 0.5;
    Quat([-0.5 * x.dot(&v), u.x, u.y, u.z])
}

/// Change of a component of q as its body, the second, turns.
pub(super) fn turning(q: &Quat, component: usize) -> Gradient {
    let mut b_ang = Vec3::zeros();
    for j in 0..3 {
        b_ang[j] = half_product(&Vec3::ith(j, 1.0), q).0[component];
    }
    Gradient { b_ang, ..Default::default() }
}
