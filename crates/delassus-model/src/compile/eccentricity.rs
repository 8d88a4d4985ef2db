//! Sensors of eccentricity: where the journal of a revolute joint is in its bearing.

use super::sensors::{Column, Entry, column};
use crate::spec::JointType;
use crate::{Component, Diagnostic, Measure, Sensor, var};
use delassus_expr::{Binding, Expr};
use delassus_math::frame_from_z;

/// Columns in their order.
pub(super) const COLUMNS: [&str; 4] = ["x", "y", "size", "angle"];

impl Entry<'_> {
    /// Position, distance and direction; the direction is a formula of the position, which [`point`] makes. An ideal
    /// joint has them too, so that a model keeps its sensors when its clearance is removed.
    pub(super) fn eccentricity(&self) -> Option<(Vec<Column>, String)> {
        let joint = self.joint_text()?;
        let path = self.path.field("joint");
        let slot = &self.parts.joints.slots[self.parts.joints.find(self.env, joint, &path)?];
        if slot.kind != JointType::Revolute {
            let text = format!(
                "`{}` is {}, but only a revolute joint has a journal",
                slot.name,
                slot.kind.entry().label
            );
            let fault = Diagnostic::error("E_CLEARANCE", path.to_string(), text);
            self.env.report(fault.help("name a revolute joint, or use a position sensor"));
            return None;
        }
        // a joint without a pair is itself faulty and was already reported
        let pair = slot.pair.as_ref()?;
        let journal = &pair.b;
        let mut bearing = pair.a.clone();
        if !self.parts.world.is_planar_pair(&bearing, journal) {
            // x and y are across the axis
            bearing.r *= frame_from_z(&pair.axis_a);
        }
        let place = |c| Measure::Position(journal.clone(), bearing.clone(), c);
        let measures = [
            ("m", place(Component::X)),
            ("m", place(Component::Y)),
            ("m", place(Component::Norm)),
            ("rad", Measure::Expression(Expr::constant(0.0))),
        ];
        let columns = COLUMNS.into_iter().zip(measures);
        let columns = columns.map(|(suffix, (unit, measure))| column(suffix, unit, measure));
        Some((columns.collect(), bearing.name))
    }
}

/// The direction of the eccentricity from its position; `first` is the index of the first of these columns.
pub(super) fn point(columns: &mut [Sensor], first: usize) {
    let place =
        [("x", Binding::Var(var::SENSOR + first)), ("y", Binding::Var(var::SENSOR + first + 1))];
    if let (Some(angle), Ok(formula)) = (columns.last_mut(), Expr::parse("atan2(y, x)", &place)) {
        angle.measure = Measure::Expression(formula);
    }
}
