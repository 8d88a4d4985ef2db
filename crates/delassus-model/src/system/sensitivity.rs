//! How sensors change with positions and velocities: what forces that read them add to K and C.
//!
//! A sensor that is no expression (a *leaf*) looks at two bodies at most. Its derivatives are
//! given in frame space, by pose and by twist, and one chain rule leads to ξ and v. Expressions
//! pass on derivatives by [`System::weight`].

use super::force::Law;
use super::kin::{Columns, drift, jacobian};
use super::probe::Probe;
use super::scalar::{Gradient, Pair, ScalarKind};
use super::{System, Workspace};
use crate::model::var;
use crate::{Component, Control};
use delassus_expr::Expr;
use delassus_math::{Mat3, Quat, Vec3};

/// A row over the velocities of two bodies (`None`: ground).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spread {
    pub body: [Option<usize>; 2],
    pub x: [[f64; 6]; 2],
}

/// ∂s/∂ξ and ∂s/∂v.
pub(super) struct Slopes {
    pub xi: Spread,
    pub v: Spread,
}

/// How a scalar force depends on a leaf and on its rate.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reading {
    pub value: f64,
    pub rate: f64,
}

/// A body (`None`: ground) and a point on it, from its mass centre in ground components.
type End = (Option<usize>, Vec3);

/// Derivatives in frame space.
struct FrameSlopes {
    ends: [End; 2],
    pose: Gradient,
    twist: Gradient,
}

impl System {
    /// The bodies that a leaf depends on.
    pub(super) fn leaf_bodies(&self, k: usize) -> [Option<usize>; 2] {
        match &self.probes[k] {
            Probe::Velocity { of, rel, .. } => [self.frames[*rel].body, self.frames[*of].body],
            Probe::Scalar(s) | Probe::ScalarRate(s) => {
                [self.frames[s.a].body, self.frames[s.b].body]
            }
            Probe::Rate { body, axes, .. } => [axes.body, *body],
            Probe::Orientation { axes, .. } => [None, axes.body],
            // no force reads the others
            Probe::Acceleration { .. }
            | Probe::Reaction { .. }
            | Probe::Energy(_)
            | Probe::Expression(_) => [None; 2],
        }
    }

    /// Derivatives of a leaf.
    pub(super) fn leaf_slopes(&self, ws: &Workspace, k: usize) -> Slopes {
        let f = match &self.probes[k] {
            Probe::Velocity { of, rel, axes, component } => {
                let d = ws.frames[*of].v - ws.frames[*rel].v;
                let u = direction(&self.axes(ws, axes), &d, *component);
                let (pose, twist) = (Gradient { a_ang: u.cross(&d), ..Default::default() }, u);
                let twist = Gradient { a_lin: -twist, b_lin: twist, ..Default::default() };
                FrameSlopes { ends: [self.end(ws, *rel), self.end(ws, *of)], pose, twist }
            }
            Probe::Rate { body, axes, component } => {
                let w = ws.bodies[body.unwrap_or(self.bodies.len())].w;
                let u = direction(&self.axes(ws, axes), &w, *component);
                FrameSlopes {
                    ends: [(axes.body, Vec3::zeros()), (*body, Vec3::zeros())],
                    pose: Gradient { a_ang: u.cross(&w), ..Default::default() },
                    twist: Gradient { b_ang: u, ..Default::default() },
                }
            }
            Probe::Orientation { axes, component } => FrameSlopes {
                ends: [(None, Vec3::zeros()), (axes.body, Vec3::zeros())],
                pose: turning(&Quat::from_matrix(&self.axes(ws, axes)), *component),
                twist: Gradient::default(),
            },
            Probe::Scalar(s) => FrameSlopes {
                ends: [self.end(ws, s.a), self.end(ws, s.b)],
                pose: s.kind.gradient(&self.pair(ws, s)),
                twist: Gradient::default(),
            },
            Probe::ScalarRate(s) => {
                let pair = self.pair(ws, s);
                FrameSlopes {
                    ends: [self.end(ws, s.a), self.end(ws, s.b)],
                    pose: rate_by_pose(&s.kind, &pair),
                    twist: s.kind.gradient(&pair),
                }
            }
            _ => FrameSlopes::none(),
        };
        self.slopes(ws, &f)
    }

    /// Derivatives of the rate of a leaf of position level.
    pub(super) fn leaf_rate_slopes(&self, ws: &Workspace, k: usize) -> Slopes {
        let f = match &self.probes[k] {
            Probe::Scalar(s) => {
                let pair = self.pair(ws, s);
                FrameSlopes {
                    ends: [self.end(ws, s.a), self.end(ws, s.b)],
                    pose: rate_by_pose(&s.kind, &pair),
                    twist: s.kind.gradient(&pair),
                }
            }
            Probe::Orientation { axes, component } => {
                let q = Quat::from_matrix(&self.axes(ws, axes));
                let w = ws.bodies[axes.body.unwrap_or(self.bodies.len())].w;
                // q̇ = ½ ω q is linear in q
                let mut by_pose = Vec3::zeros();
                for j in 0..3 {
                    let turned = half_product(&Vec3::ith(j, 1.0), &q);
                    by_pose[j] = half_product(&w, &turned).0[*component];
                }
                FrameSlopes {
                    ends: [(None, Vec3::zeros()), (axes.body, Vec3::zeros())],
                    pose: Gradient { b_ang: by_pose, ..Default::default() },
                    twist: turning(&q, *component),
                }
            }
            _ => FrameSlopes::none(),
        };
        self.slopes(ws, &f)
    }

    /// Rate of a sensor of position level; zero for the others, whose rates are accelerations.
    pub(super) fn probe_rate(&self, ws: &Workspace, k: usize) -> f64 {
        match &self.probes[k] {
            Probe::Scalar(s) => {
                let p = self.pair(ws, s);
                s.kind.gradient(&p).dot(&p.fa.v, &p.ba.w, &p.fb.v, &p.bb.w)
            }
            Probe::Orientation { axes, component } => {
                let q = Quat::from_matrix(&self.axes(ws, axes));
                let w = ws.bodies[axes.body.unwrap_or(self.bodies.len())].w;
                half_product(&w, &q).0[*component]
            }
            Probe::Expression(e) => e.eval_along(&ws.vars, &ws.rates).1,
            _ => 0.0,
        }
    }

    /// How a scalar force depends on a leaf. The variables of its law are set.
    pub(super) fn reading(&self, ws: &Workspace, law: &Law, leaf: usize) -> Reading {
        match law {
            Law::Linear { .. } => Reading::default(),
            Law::Expression(e) => Reading { value: self.weight(e, &ws.vars, leaf), rate: 0.0 },
            Law::Actuator { target, control, kp, kd, .. } => {
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

    fn end(&self, ws: &Workspace, frame: usize) -> End {
        (self.frames[frame].body, ws.frames[frame].r)
    }

    fn slopes(&self, ws: &Workspace, f: &FrameSlopes) -> Slopes {
        let zero = [[Vec3::zeros(); 2]; 6];
        let j = f.ends.map(|(body, r)| {
            body.map_or(zero, |i| jacobian(self.bodies[i].kind, &ws.bodies[i].r_wb, &r))
        });
        let n = f
            .ends
            .map(|(body, r)| body.map_or(zero, |i| drift(self.bodies[i].kind, &ws.bodies[i], &r)));
        let body = f.ends.map(|(body, _)| body);
        let mut xi = along(&f.pose, &j);
        let moved = along(&f.twist, &n);
        for s in 0..2 {
            for k in 0..6 {
                xi[s][k] += moved[s][k];
            }
        }
        Slopes { xi: Spread { body, x: xi }, v: Spread { body, x: along(&f.twist, &j) } }
    }
}

impl FrameSlopes {
    fn none() -> FrameSlopes {
        FrameSlopes {
            ends: [(None, Vec3::zeros()); 2],
            pose: Gradient::default(),
            twist: Gradient::default(),
        }
    }
}

/// Sensors that an expression reads, with the numbers of their variables.
pub(super) fn read(e: &Expr) -> impl Iterator<Item = (usize, usize)> + '_ {
    e.variables().iter().filter_map(|x| x.checked_sub(var::SENSOR).map(|k| (*x, k)))
}

/// H J: the gradient over the pair's velocities.
pub(super) fn along(h: &Gradient, j: &[Columns; 2]) -> [[f64; 6]; 2] {
    let mut out = [[0.0; 6]; 2];
    for k in 0..6 {
        out[0][k] = h.a_lin.dot(&j[0][k][0]) + h.a_ang.dot(&j[0][k][1]);
        out[1][k] = h.b_lin.dot(&j[1][k][0]) + h.b_ang.dot(&j[1][k][1]);
    }
    out
}

/// ∂ṡ/∂pose at fixed twists: twistᵀ ∂H.
pub(super) fn rate_by_pose(kind: &ScalarKind, pair: &Pair<'_>) -> Gradient {
    let mut t = [[Mat3::zeros(); 4]; 4];
    kind.add_hessian(pair, 1.0, &mut t);
    let twist = [pair.fa.v, pair.ba.w, pair.fb.v, pair.bb.w];
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
fn turning(q: &Quat, component: usize) -> Gradient {
    let mut b_ang = Vec3::zeros();
    for j in 0..3 {
        b_ang[j] = half_product(&Vec3::ith(j, 1.0), q).0[component];
    }
    Gradient { b_ang, ..Default::default() }
}
