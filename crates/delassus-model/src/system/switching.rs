//! Where forces switch with the state: functions whose zeros are their kinks and jumps, for hosts that look for events.

use super::probe::Probe;
use super::time::Source;
use super::{System, Workspace};
use crate::Wheel;
use crate::model::var;
use delassus_expr::Expr;

/// Functions of the state, in a fixed order, that change their signs where a force has a kink or a jump.
#[derive(Debug, Clone, Default)]
pub struct Switches {
    /// With the scalar force whose coordinate and rate they read, if they do.
    laws: Vec<(Expr, Option<usize>)>,
    /// Tyres that may leave their road.
    tyres: Vec<usize>,
}

impl Switches {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.laws.len() + self.tyres.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl System {
    /// Where forces switch; switches of time alone are not among them.
    pub fn switches(&self) -> Switches {
        let mut out = Switches::default();
        let mut add = |e: &Expr, force: Option<usize>| {
            let found = e.switches().into_iter();
            let of_state = |s: &Expr| s.variables().iter().any(|v| *v != var::T);
            out.laws.extend(found.filter(of_state).map(|s| (s, force)));
        };
        for k in &self.force_inputs {
            if let Probe::Expression(e) = &self.probes[*k] {
                add(e, None);
            }
        }
        self.visit_forces(|e, source, _| match source {
            Source::Scalar(i) => add(e, Some(i)),
            _ => add(e, None),
        });
        let leaves = |t: &super::tyre::Tyre| t.tyre.wheel != Wheel::Planar;
        let tyres = self.tyres.iter().enumerate().filter(|(_, t)| leaves(t));
        out.tyres = tyres.map(|(k, _)| k).collect();
        out
    }

    /// Their values at the realised state.
    pub fn switch_values(&self, ws: &mut Workspace, of: &Switches, out: &mut [f64]) {
        let mut places = out.iter_mut();
        for ((e, force), place) in of.laws.iter().zip(&mut places) {
            if let Some(i) = force {
                let x = &ws.forces[*i];
                (ws.vars[var::COORDINATE], ws.vars[var::RATE]) = (x.s, x.rate);
            }
            *place = e.eval(&ws.vars);
        }
        for (k, place) in of.tyres.iter().zip(places) {
            *place = ws.touches[*k].depth();
        }
    }
}
