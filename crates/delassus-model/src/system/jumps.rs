//! Forces and prescribed motions that jump: no step, however short, passes them within a tolerance.

use super::force::ForceLaw;
use super::{RowOffset, System, Workspace};
use delassus_dae::{Problem, State};

/// An element whose law jumps.
#[derive(Debug, Clone, PartialEq)]
pub struct Jump {
    /// The element, as named in messages.
    pub element: String,
    /// The quantity that jumps.
    pub quantity: &'static str,
    /// Value before.
    pub from: f64,
    /// Value after.
    pub to: f64,
}

/// Fraction of a jump that remains when the time between two evaluations is divided by [`NEARER`]: all of it, but no
/// more than that share of a merely steep change.
const LEFT: f64 = 0.5;
const NEARER: f64 = 16.0;
/// A jump below this fraction of the values on both sides is ignored.
const SEEN: f64 = 1e-6;

impl System {
    /// Elements that jump within a moment, s, after a state with these accelerations, in the order of the model; for a
    /// motion the lowest of its derivatives that does.
    pub fn jumps(&self, s: &State, a: &[f64], moment: f64) -> Vec<Jump> {
        let mut ws = self.workspace();
        let mut look = |later: f64| {
            let moved: Vec<f64> =
                s.v.iter().zip(a).map(|(v, a)| later * v + 0.5 * later * later * a).collect();
            let mut q = s.q.clone();
            self.manifold.retract(&s.q, &moved, &mut q);
            let v: Vec<f64> = s.v.iter().zip(a).map(|(v, a)| v + later * a).collect();
            self.realize_position(s.t + later, &q, &s.z, &mut ws);
            self.realize_velocity(&v, &s.z, &mut ws);
            self.laws(&ws)
        };
        let (before, near, far) = (look(0.0), look(moment / NEARER), look(moment));
        let mut found: Vec<Jump> = Vec::new();
        for ((b, n), f) in before.into_iter().zip(near).zip(far) {
            let (change, at_once) = ((f.to - b.to).abs(), (n.to - b.to).abs());
            let seen = change > SEEN * b.to.abs().max(f.to.abs());
            let told = found.last().is_some_and(|j| j.element == b.element);
            if seen && at_once > LEFT * change && !told {
                found.push(Jump { from: b.to, to: f.to, ..b });
            }
        }
        found
    }

    /// Values of all laws at the realised state; the lowest derivatives first.
    fn laws(&self, ws: &Workspace) -> Vec<Jump> {
        let mut all = Vec::new();
        let mut add = |element: &str, quantity, to| {
            all.push(Jump { element: element.to_owned(), quantity, from: to, to });
        };
        for (i, row) in self.rows.iter().enumerate() {
            if let RowOffset::Motion(_, k) = &row.offset {
                let joint = self.origins.get(i).map(|o| &self.model.joints[o.joint.0].name);
                let element = format!("motion \"{}\"", joint.map_or("", String::as_str));
                let (value, rate, acceleration) = ws.motion[*k];
                add(&element, "value", value);
                add(&element, "rate", rate);
                add(&element, "acceleration", acceleration);
            }
        }
        for (f, acting) in self.scalar_forces.iter().zip(&ws.forces) {
            let kind =
                if matches!(f.law, ForceLaw::Actuator { .. }) { "actuator" } else { "force" };
            add(&format!("{kind} \"{}\"", f.name), "force", acting.pull);
        }
        for f in &self.applied {
            let (element, w) = (format!("force \"{}\"", f.name), self.applied_vector(ws, f));
            let quantity = if f.torque { "torque" } else { "force" };
            for k in 0..3 {
                add(&element, quantity, w[k]);
            }
        }
        all
    }
}
