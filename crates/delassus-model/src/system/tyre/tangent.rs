//! Derivatives of tyres: their part of K and C, and how their states and forces depend on each other.

use super::super::body::{FrameJac, Twist};
use super::super::force::ForceLaw;
use super::super::probe::Probe;
use super::super::real::{Dual, V};
use super::super::scalar::{Gradient, Hessian};
use super::super::sensitivity::Spread;
use super::super::tangent::add_wrench;
use super::super::{System, Workspace};
use super::{Acting, Motion, Tyre};
use crate::TyreMeasure;
use crate::system::body::FrameKin;
use delassus_dae::StateSlopes;
use delassus_math::{Mat3, Vec3};

/// Directions: place, rotation, velocity and angular velocity of the wheel, then its two deflections.
const N: usize = 14;
const PLACE: usize = 0;
const TURN: usize = 3;
const SPEED: usize = 6;
const SPIN: usize = 9;
const STATE: usize = 12;

/// Derivatives of a tyre in frame space.
pub(in crate::system) struct Slopes {
    acting: Acting<Dual<N>>,
    u: [Dual<N>; 2],
}

/// Derivatives of what a sensor measures at a tyre: by place and rotation of the wheel, by its motion, and by the
/// deflections.
pub(in crate::system) struct ReadingSlopes {
    pub pose: Gradient,
    pub twist: Gradient,
    pub state: [f64; 2],
}

impl Tyre {
    pub(in crate::system) fn slopes(&self, f: &FrameKin, z: &[f64]) -> Slopes {
        let at: Motion<Dual<N>> = self.motion(f, self.deflections(z));
        let seeded = |x: &V<Dual<N>>, first: usize| {
            let one = |k: usize| Dual::along(x.0[k].x, first + k);
            V([one(0), one(1), one(2)])
        };
        // the axle turns with its frame: e → e + φ × e
        let axle = at.axle.values();
        let mut turned = at.axle;
        for k in 0..3 {
            let change = Vec3::ith(k, 1.0).cross(&axle);
            for (component, d) in turned.0.iter_mut().zip(change.iter()) {
                component.d[TURN + k] = *d;
            }
        }
        let state = |k: usize| match self.z[k] {
            Some(_) => Dual::along(at.u[k].x, STATE + k),
            None => at.u[k],
        };
        let motion = Motion {
            p: seeded(&at.p, PLACE),
            axle: turned,
            v: seeded(&at.v, SPEED),
            w: seeded(&at.w, SPIN),
            u: [state(0), state(1)],
        };
        Slopes { acting: self.acting(&motion), u: motion.u }
    }
}

/// Derivatives of a vector in three directions from `first` on, as columns.
fn by(v: &V<Dual<N>>, first: usize) -> Mat3 {
    Mat3::from_fn(|i, k| v.0[i].d[first + k])
}

/// Derivatives of a number in three directions.
fn row(x: &Dual<N>, first: usize) -> Vec3 {
    Vec3::new(x.d[first], x.d[first + 1], x.d[first + 2])
}

impl Slopes {
    /// Of what a sensor measures, as those of the first of two frames.
    fn reading(&self, what: TyreMeasure) -> ReadingSlopes {
        let x = self.acting.measured(what, self.u);
        let by = |first: usize| Gradient {
            a_lin: row(&x, first),
            a_ang: row(&x, first + 3),
            ..Gradient::default()
        };
        ReadingSlopes { pose: by(PLACE), twist: by(SPEED), state: [x.d[STATE], x.d[STATE + 1]] }
    }

    /// ∂(force, torque) by (place, rotation) from `first` on, as those of the first of two frames.
    fn hessian(&self, first: usize) -> Hessian {
        let mut t = [[Mat3::zeros(); 4]; 4];
        for (i, v) in [&self.acting.force, &self.acting.torque].into_iter().enumerate() {
            for k in 0..2 {
                t[i][k] = by(v, first + 3 * k);
            }
        }
        t
    }

    /// ∂(force, torque)/∂u of a deflection.
    fn by_state(&self, k: usize) -> Gradient {
        let of = |v: &V<Dual<N>>| Vec3::from_fn(|i, _| v.0[i].d[STATE + k]);
        Gradient {
            a_lin: of(&self.acting.force),
            a_ang: of(&self.acting.torque),
            ..Gradient::default()
        }
    }

    /// ∂u̇ by (place, rotation) or (velocity, angular velocity) from `first` on.
    fn rate_by(&self, k: usize, first: usize) -> Gradient {
        let x = &self.acting.u_dot[k];
        Gradient { a_lin: row(x, first), a_ang: row(x, first + 3), ..Gradient::default() }
    }
}

impl System {
    /// Derivatives of what a sensor measures at a tyre.
    pub(in crate::system) fn tyre_reading_slopes(
        &self,
        ws: &Workspace,
        tyre: usize,
        what: TyreMeasure,
    ) -> ReadingSlopes {
        let tyre = &self.tyres[tyre];
        tyre.slopes(&ws.kin.frames[tyre.at], &ws.z).reading(what)
    }

    /// The wheel of a tyre.
    pub(in crate::system) fn wheel_frame(&self, tyre: usize) -> usize {
        self.tyres[tyre].at
    }

    /// The states that a sensor reads through a tyre, with the derivatives by them.
    pub(in crate::system) fn leaf_states(
        &self,
        ws: &Workspace,
        leaf: usize,
    ) -> impl Iterator<Item = (usize, f64)> + use<> {
        let found = match &self.probes[leaf] {
            Probe::Tyre(k, what) if self.tyres[*k].has_states() => {
                let state = self.tyre_reading_slopes(ws, *k, *what).state;
                [0, 1].map(|i| self.tyres[*k].z[i].map(|z| (z, state[i])))
            }
            _ => [None; 2],
        };
        found.into_iter().flatten()
    }

    /// Adds the tangents of all tyres, with their wrenches for the change of J.
    pub(in crate::system) fn add_tyres(
        &self,
        ws: &Workspace,
        (ck, cc): (f64, f64),
        values: &mut [f64],
        pulled: &mut [f64],
        wrenches: &mut [Twist],
    ) {
        for tyre in &self.tyres {
            let slopes = tyre.slopes(&ws.kin.frames[tyre.at], &ws.z);
            let (force, torque) = (slopes.acting.force.values(), slopes.acting.torque.values());
            add_wrench(wrenches, tyre.at, &force, &torque, -ck);
            let (by_pose, by_twist) = (slopes.hessian(PLACE), slopes.hessian(SPEED));
            let ends = [self.jac(&ws.kin, tyre.at), None];
            self.add_wrench_slopes(values, &ends, (&by_pose, Some(&by_twist)), (ck, cc), pulled);
        }
    }

    /// Visits each state of a tyre: its number, ∂f/∂u, ∂u̇/∂ξ and ∂u̇/∂v over the velocities of the wheel.
    fn visit_tyre_states(
        &self,
        ws: &Workspace,
        [h, xi, v]: [&mut Spread; 3],
        mut visit: impl FnMut(usize, [&Spread; 3]),
    ) {
        for tyre in self.tyres.iter().filter(|t| t.has_states()) {
            let slopes = tyre.slopes(&ws.kin.frames[tyre.at], &ws.z);
            let ends: [Option<FrameJac<'_>>; 2] = [self.jac(&ws.kin, tyre.at), None];
            for (k, z) in tyre.z.iter().enumerate() {
                let Some(z) = *z else { continue };
                h.set(&ends, &slopes.by_state(k));
                let by_twist = slopes.rate_by(k, SPEED);
                xi.set(&ends, &slopes.rate_by(k, PLACE));
                xi.add_drift(&ends, &by_twist);
                v.set(&ends, &by_twist);
                visit(z, [h, xi, v]);
            }
        }
    }

    /// values −= ∂f/∂u (ck ∂u̇/∂ξ + cc ∂u̇/∂v).
    pub(in crate::system) fn add_tyre_feedback(
        &self,
        ws: &Workspace,
        by: &[[f64; 2]],
        spreads: [&mut Spread; 3],
        reader: &mut Spread,
        values: &mut [f64],
    ) {
        self.visit_tyre_states(ws, spreads, |z, [h, xi, v]| {
            let [ck, cc] = by[z];
            self.add_outer(values, h, xi, -ck);
            self.add_outer(values, h, v, -cc);
            self.visit_readers(ws, reader, |state, row, slope| {
                if state == z {
                    self.add_outer(values, row, xi, -ck * slope);
                    self.add_outer(values, row, v, -cc * slope);
                }
            });
        });
    }

    /// Visits each force that reads a state of a tyre: the state, and ∂f/∂u as a row over the velocities and a factor.
    fn visit_readers(
        &self,
        ws: &Workspace,
        row: &mut Spread,
        mut visit: impl FnMut(usize, &Spread, f64),
    ) {
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            for (leaf, at) in force.reads.iter().zip(force.readings.clone()) {
                for (z, slope) in self.leaf_states(ws, *leaf) {
                    let ends = [force.scalar.a, force.scalar.b].map(|f| self.jac(&ws.kin, f));
                    row.set(&ends, &x.h);
                    // the force is −P along the gradient
                    visit(z, row, -ws.readings[at].value * slope);
                }
            }
        }
        for a in &self.applied {
            for leaf in &a.reads {
                for (z, slope) in self.leaf_states(ws, *leaf) {
                    row.set(&[self.jac(&ws.kin, a.at), None], &self.reading_wrench(ws, a, *leaf));
                    visit(z, row, slope);
                }
            }
        }
    }

    /// The same derivatives apart from each other, and those of the rates by the deflections.
    pub(in crate::system) fn add_tyre_slopes(
        &self,
        ws: &Workspace,
        spreads: [&mut Spread; 3],
        reader: &mut Spread,
        out: &mut StateSlopes,
    ) {
        self.visit_tyre_states(ws, spreads, |z, [h, xi, v]| {
            out.force_by_z.extend(h.entries().map(|(i, x)| (i, z, x)));
            out.rate_by_q.extend(xi.entries().map(|(i, x)| (z, i, x)));
            out.rate_by_v.extend(v.entries().map(|(i, x)| (z, i, x)));
        });
        self.visit_readers(ws, reader, |z, row, slope| {
            out.force_by_z.extend(row.entries().map(|(i, x)| (i, z, slope * x)));
        });
        for force in &self.scalar_forces {
            let ForceLaw::Actuator { target, z: Some(z), .. } = &force.law else { continue };
            for leaf in &force.reads {
                let w = self.weight(target, &ws.vars, *leaf);
                out.rate_by_z.extend(self.leaf_states(ws, *leaf).map(|(u, s)| (*z, u, w * s)));
            }
        }
        for (tyre, touch) in self.tyres.iter().zip(&ws.touches) {
            let own = tyre.z.iter().zip(touch.forget);
            out.rate_by_z.extend(own.filter_map(|(z, rate)| Some(((*z)?, (*z)?, -rate))));
        }
    }
}
