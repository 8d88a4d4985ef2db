//! How the power changes that forces and motions exchange.

use super::super::beam::Element;
use super::super::force::ForceLaw;
use super::super::scalar::PairScalar;
use super::super::{RowOffset, System, Workspace};
use super::{Along, Given};
use crate::model::var;
use delassus_expr::Expr;
use delassus_math::Vec3;

impl System {
    /// Whether the change of all power is known here: tyres and beams lose energy by laws of their own, targets of controllers
    /// that move have rates, and redundant joints share what a motion feeds in.
    pub(super) fn knows_power(&self) -> bool {
        self.tyres.is_empty()
            && !self.beam_elements.iter().any(Element::is_damped)
            && !self.needs_rates
            && (self.n_motions == 0 || self.structure.independent_rows.is_none())
    }

    /// How the power dissipated and the power fed in change, with the changes of all sensors and of the multipliers.
    pub fn power_along(
        &self,
        ws: &Workspace,
        along: &Along<'_>,
        lambda: &[f64],
        sensors: &[f64],
        given: &Given<'_>,
    ) -> [f64; 2] {
        let [mut dissipated, mut work] = [0.0; 2];
        // how an expression changes with what it reads
        let read = |e: &Expr, vars: &[f64]| -> f64 {
            let of = |x: &usize| {
                let change = match x.checked_sub(var::SENSOR) {
                    Some(k) => sensors.get(k).copied().unwrap_or(0.0),
                    None => 0.0,
                };
                if change == 0.0 { 0.0 } else { change * e.eval_d1(vars, *x).1 }
            };
            e.variables().iter().map(of).sum()
        };
        let mut vars = ws.vars.clone();
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            let s = &force.scalar;
            let rate = self.rate_along(ws, s, along);
            if let ForceLaw::Linear { c, .. } = force.law {
                dissipated += 2.0 * c * x.rate * rate;
                continue;
            }
            let mut pull = x.k * self.gradient_along(ws, (s.a, s.b), &x.h, along) + x.c * rate;
            match &force.law {
                ForceLaw::Linear { .. } => {}
                ForceLaw::Expression(e) => {
                    (vars[var::COORDINATE], vars[var::RATE]) = (x.s, x.rate);
                    pull += read(e, &vars);
                }
                ForceLaw::Actuator { target, kp, ki, z, .. } => {
                    pull -= kp * read(target, &ws.vars);
                    pull -= z.map_or(0.0, |z| ki * given.states[z]);
                }
            }
            work -= pull * x.rate + x.pull * rate;
        }
        for a in &self.applied {
            let local = Vec3::from_fn(|k, _| read(&a.components[k], &ws.vars));
            let w = self.applied_vector(ws, a);
            let turned = self.moved(ws, a.axes.frame, along).turned;
            let change = self.in_ground(ws, a, &local) + turned.cross(&w);
            let at = self.moved(ws, a.at, along);
            let speed = if a.torque { &at.w } else { &at.v };
            work += change.dot(&speed.values()) + w.dot(&speed.changes());
        }
        for (i, row) in self.rows.iter().enumerate() {
            if let RowOffset::Motion(_, k) = &row.offset {
                work += ws.motion[*k].1 * lambda[i];
            }
        }
        [dissipated, work]
    }

    /// How the rate of a scalar changes.
    pub(super) fn rate_along(&self, ws: &Workspace, s: &PairScalar, along: &Along<'_>) -> f64 {
        let [a, b] = [s.a, s.b].map(|f| self.moved(ws, f, along));
        s.kind.rates_along(&a, &b)[0].d[0]
    }
}
