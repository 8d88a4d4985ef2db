//! Forces: gravity and gyroscopic terms, scalar forces (springs, torsion, actuators), applied
//! forces by expression, bushings.

use super::beam::{Element, Strained};
use super::body::FrameKin;
use super::probe::AxesOf;
use super::scalar::{Gradient, PairScalar};
use super::{System, Workspace};
use crate::model::var;
use crate::{Control, SpringLaw};
use delassus_expr::Expr;
use delassus_math::{Mat3, Mat6, Quat, Vec3, so3};
use std::ops::Range;

/// Law of a scalar force.
#[derive(Debug, Clone)]
pub(crate) enum ForceLaw {
    /// k (s − free) + c ṡ.
    Linear { k: f64, c: f64, free: f64 },
    /// Expression of s, ṡ, time and sensors.
    Expression(Expr),
    /// −(kp e + ki z + kd ė), e = target − s (or target − ṡ).
    Actuator { target: Expr, control: Control, kp: f64, ki: f64, kd: f64, z: Option<usize> },
}

impl ForceLaw {
    /// The auxiliary state that a controller integrates.
    pub fn integral(&self) -> Option<usize> {
        match self {
            ForceLaw::Actuator { z, .. } => *z,
            _ => None,
        }
    }

    pub fn linear(law: &SpringLaw, start: f64) -> ForceLaw {
        match law {
            SpringLaw::Linear { k, c, free } => {
                ForceLaw::Linear { k: *k, c: *c, free: free.unwrap_or(start) }
            }
            SpringLaw::Expression(e) => ForceLaw::Expression(e.clone()),
        }
    }
}

/// Force −P along the gradient of a scalar: springs, torsion springs, actuators.
#[derive(Debug, Clone)]
pub(crate) struct ScalarForce {
    pub name: String,
    pub scalar: PairScalar,
    pub law: ForceLaw,
    /// Sensors on which the law depends, and their indices in [`Workspace::readings`].
    pub reads: Vec<usize>,
    pub readings: Range<usize>,
}

/// A scalar force at the realised state.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Acting {
    pub h: Gradient,
    pub s: f64,
    pub rate: f64,
    /// The pull P.
    pub pull: f64,
    /// ∂P/∂s and ∂P/∂ṡ.
    pub k: f64,
    pub c: f64,
}

/// Force or torque at a frame by expressions.
#[derive(Debug, Clone)]
pub(crate) struct Applied {
    pub name: String,
    pub at: usize,
    /// Axes that the components refer to.
    pub axes: AxesOf,
    pub components: [Expr; 3],
    pub torque: bool,
    /// Sensors that the components depend on.
    pub reads: Vec<usize>,
}

impl Applied {
    /// The wrench at its frame, as the first of two.
    pub fn wrench(&self, w: &Vec3) -> Gradient {
        let h = Gradient::default();
        if self.torque { Gradient { a_ang: *w, ..h } } else { Gradient { a_lin: *w, ..h } }
    }
}

/// Bushing between frames a and b.
#[derive(Debug, Clone)]
pub(crate) struct Bushing {
    pub name: String,
    pub a: usize,
    pub b: usize,
    /// Axes of the bushing at its two frames.
    pub r_a: Mat3,
    pub r_b: Mat3,
    pub k: Mat6,
    pub c: Mat6,
}

/// A bushing at the realised state: force on b at its origin and torque, ground components.
pub(crate) struct BushingState {
    pub force: Vec3,
    pub torque: Vec3,
    /// Moment on a about its origin.
    pub moment_a: Vec3,
    /// Of the symmetric part of K, which has a potential.
    pub energy: f64,
    pub loss: f64,
    /// Power of the skew part, which has none.
    pub circulation: f64,
}

impl System {
    pub(super) fn evaluate_forces(&self, ws: &mut Workspace) {
        ws.f.fill(0.0);
        for (i, b) in self.bodies.iter().enumerate() {
            let body = ws.kin.here(&self.bodies, i);
            body.force(&self.model.gravity, &mut ws.f[b.span()]);
        }
        // other forces may read what tyres do
        self.evaluate_tyres(ws);
        ws.vars[var::T] = ws.t;
        for &k in &self.force_inputs {
            ws.vars[var::SENSOR + k] = self.probe_value(ws, k);
        }
        if self.needs_rates {
            for &k in &self.force_inputs {
                ws.rates[var::SENSOR + k] = self.probe_rate(ws, k);
            }
        }
        for i in 0..self.scalar_forces.len() {
            self.scalar_force(ws, i);
        }
        for a in &self.applied {
            let w = self.applied_vector(ws, a);
            let h = a.wrench(&w);
            self.add_wrench(ws, a.at, &h.a_lin, &h.a_ang);
        }
        for b in &self.bushings {
            let w = b.wrenches(&[ws.kin.frames[b.a], ws.kin.frames[b.b]]);
            self.add_wrench(ws, b.b, &w[2], &w[3]);
            self.add_wrench(ws, b.a, &w[0], &w[1]);
        }
        for e in &self.beam_elements {
            let s = self.strained(ws, e);
            let w = e.wrenches(&s);
            self.add_wrench(ws, e.a, &w[0], &w[1]);
            self.add_wrench(ws, e.b, &w[2], &w[3]);
        }
        self.add_tyre_forces(ws);
        for (k, c) in self.counters.iter().enumerate() {
            let p = self.pair(ws, c);
            ws.z_dot[k] = p.rate(&c.kind.gradient(&p));
        }
    }

    fn scalar_force(&self, ws: &mut Workspace, i: usize) {
        let force = &self.scalar_forces[i];
        let p = self.pair(ws, &force.scalar);
        let h = force.scalar.kind.gradient(&p);
        let s = force.scalar.kind.value(&p, &ws.z);
        let rate = p.rate(&h);
        let (pull, k, c) = match &force.law {
            ForceLaw::Linear { k, c, free } => (k * (s - free) + c * rate, *k, *c),
            ForceLaw::Expression(e) => {
                ws.vars[var::COORDINATE] = s;
                ws.vars[var::RATE] = rate;
                let (value, k) = e.eval_d1(&ws.vars, var::COORDINATE);
                let (_, c) = e.eval_d1(&ws.vars, var::RATE);
                (value, k, c)
            }
            ForceLaw::Actuator { target, control, kp, ki, kd, z } => {
                let (want, want_rate) = if self.needs_rates {
                    target.eval_along(&ws.vars, &ws.rates)
                } else {
                    target.eval_d1(&ws.vars, var::T)
                };
                // The derivative term of a rate controller would need accelerations, so `compile` rejects `kd` there.
                let (e, e_dot, k, c) = match control {
                    Control::Position => (want - s, want_rate - rate, *kp, *kd),
                    Control::Rate => (want - rate, 0.0, 0.0, *kp),
                };
                let integral = z.map_or(0.0, |z| ki * ws.z[z]);
                if let Some(z) = *z {
                    ws.z_dot[z] = e;
                }
                (-(kp * e + integral + kd * e_dot), k, c)
            }
        };
        ws.forces[i] = Acting { h, s, rate, pull, k, c };
        for (leaf, at) in force.reads.iter().zip(force.readings.clone()) {
            ws.readings[at] = self.reading(ws, &force.law, *leaf);
        }
        let (a, b) = (force.scalar.a, force.scalar.b);
        self.add_wrench(ws, a, &(h.a_lin * -pull), &(h.a_ang * -pull));
        self.add_wrench(ws, b, &(h.b_lin * -pull), &(h.b_ang * -pull));
    }

    /// Force or torque of an applied element, ground components.
    pub(super) fn applied_vector(&self, ws: &Workspace, a: &Applied) -> Vec3 {
        let c = &a.components;
        let local = Vec3::new(c[0].eval(&ws.vars), c[1].eval(&ws.vars), c[2].eval(&ws.vars));
        self.in_ground(ws, a, &local)
    }

    /// Components of an applied element in ground axes.
    pub(super) fn in_ground(&self, ws: &Workspace, a: &Applied, local: &Vec3) -> Vec3 {
        ws.kin.frames[a.axes.frame].axes * (a.axes.r * local)
    }

    /// Element of a beam at the realised state.
    pub(super) fn strained(&self, ws: &Workspace, e: &Element) -> Strained {
        e.evaluate(&ws.kin.frames[e.a], &ws.kin.frames[e.b])
    }

    /// Number of the element that is turned most from one end to the other, and that turn, rad.
    pub(super) fn most_turned(&self, ws: &Workspace) -> Option<(usize, f64)> {
        let turn = |e: &Element| e.turn(&ws.kin.frames[e.a], &ws.kin.frames[e.b]);
        let all = self.beam_elements.iter().map(turn).enumerate();
        all.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    pub(super) fn bushing(&self, ws: &Workspace, b: &Bushing) -> BushingState {
        b.evaluate(&ws.kin.frames[b.a], &ws.kin.frames[b.b])
    }
}

impl Bushing {
    /// Takes or gives energy: by damping, or by stiffness that is not symmetric.
    pub fn exchanges_power(&self) -> bool {
        self.c.iter().any(|c| *c != 0.0) || self.k != self.k.transpose()
    }

    /// Force and moment on the first frame, then on the second.
    pub fn wrenches(&self, [a, b]: &[FrameKin; 2]) -> [Vec3; 4] {
        let s = self.evaluate(a, b);
        [-s.force, s.moment_a, s.force, s.torque]
    }

    /// State of the bushing for given frames.
    pub fn evaluate(&self, fa: &FrameKin, fb: &FrameKin) -> BushingState {
        let r_wa = fa.axes * self.r_a;
        let r_wb = fb.axes * self.r_b;
        // position and rotation vector of b seen from a
        let d = fb.p - fa.p;
        let x = r_wa.tr_mul(&d);
        let theta = Quat::from_matrix(&r_wa.tr_mul(&r_wb)).log();
        let x_dot = r_wa.tr_mul(&(fb.v - fa.v - fa.w.cross(&d)));
        let omega = r_wb.tr_mul(&(fb.w - fa.w));
        let theta_dot = so3::tangent_inv_mul(&theta, &omega);
        let pos = nalgebra::Vector6::new(x.x, x.y, x.z, theta.x, theta.y, theta.z);
        let vel = nalgebra::Vector6::new(
            x_dot.x,
            x_dot.y,
            x_dot.z,
            theta_dot.x,
            theta_dot.y,
            theta_dot.z,
        );
        let damp = self.c * vel;
        let w = -(self.k * pos + damp);
        let force = r_wa * Vec3::new(w[0], w[1], w[2]);
        // virtual work of the rotation vector: δθ = T⁻¹ δφ, so the torque is T⁻ᵀ times it
        let torque = r_wb * so3::tangent_inv_mul(&-theta, &Vec3::new(w[3], w[4], w[5]));
        // on a: the opposite wrench, its moment about a's own origin
        let moment_a = -(torque + d.cross(&force));
        BushingState {
            force,
            torque,
            moment_a,
            energy: 0.5 * pos.dot(&(self.k * pos)),
            loss: vel.dot(&damp),
            circulation: -0.5 * vel.dot(&((self.k - self.k.transpose()) * pos)),
        }
    }
}
