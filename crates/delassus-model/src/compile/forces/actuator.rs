//! Actuators with PID control.

use super::{Entry, per};
use crate::compile::coordinates;
use crate::spec::Scalar;
use crate::{Control, CoordinateKind, Diagnostic, ForceKind};
use delassus_expr::Dim;

impl Entry<'_> {
    pub(super) fn actuator(&self) -> Option<ForceKind> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let coordinate = self.coordinate(CoordinateKind::Position);
        let control = match spec.control.as_deref() {
            None | Some("position") => Some(Control::Position),
            Some("rate") => Some(Control::Rate),
            Some(other) => {
                let known = ["position", "rate"].into_iter();
                env.unknown(&path.field("control"), "kind of control", other, known);
                None
            }
        };
        let (target_dim, force_dim) = match (&coordinate, control) {
            (Some(c), Some(Control::Position)) => {
                (coordinates::dim(c.kind), coordinates::force_dim(c.kind))
            }
            (Some(c), Some(Control::Rate)) => {
                (coordinates::rate_dim(c.kind), coordinates::force_dim(c.kind))
            }
            _ => (Dim::Any, Dim::Any),
        };
        let target = match &spec.target {
            Some(value) => self.law(value, &path.field("target"), target_dim, &[]),
            None => {
                env.needed(path, spec.kind.entry(), "target");
                None
            }
        };
        if spec.kp.is_none() && spec.ki.is_none() && spec.kd.is_none() {
            let help = "give at least one of the gains `kp`, `ki`, `kd`";
            env.missing(&path.field("kp"), "an actuator", help);
            return None;
        }
        let gain = |value: &Option<Scalar>, field: &str, dim: Dim| match value {
            None => Some(0.0),
            Some(value) => {
                let path = path.field(field);
                let x = env.constant(value, &path, dim)?;
                self.check_sign(x, &path, "gain")
            }
        };
        let proportional = per(force_dim, target_dim);
        let kp = gain(&spec.kp, "kp", proportional);
        let ki = gain(&spec.ki, "ki", per(proportional, Dim::TIME));
        let derivative = proportional.checked_mul(Dim::TIME).unwrap_or(Dim::Any);
        let kd = gain(&spec.kd, "kd", derivative);
        if control == Some(Control::Rate) && spec.kd.is_some() {
            // it would need the acceleration, which the force itself determines
            env.report(
                Diagnostic::error(
                    "E_FIELD_UNUSED",
                    path.field("kd").to_string(),
                    "`kd` has no meaning for `control = \"rate\"`",
                )
                .help("use `kp` and `ki`, or control the position"),
            );
            return None;
        }
        let target = target?;
        if kd.is_some_and(|kd| kd != 0.0)
            && let Some(k) = self.read(&target, &self.parts.sensors.follows_velocities)
        {
            env.report(
                Diagnostic::error(
                    "E_ALGEBRAIC_LOOP",
                    path.field("kd").to_string(),
                    format!(
                        "`kd` needs the rate of the target, which is an acceleration, because the \
                         target depends on the sensor `{}`",
                        self.parts.sensors.list[k].name
                    ),
                )
                .help("leave `kd` out, or use sensors of positions in the target"),
            );
            return None;
        }
        Some(ForceKind::Actuator {
            coordinate: coordinate?,
            target,
            control: control?,
            kp: kp?,
            ki: ki?,
            kd: kd?,
        })
    }
}
