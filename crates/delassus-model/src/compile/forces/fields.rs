//! Which fields belong to which kind of force.

use crate::spec::{ForceSpec, ForceType};

pub(super) fn label(kind: ForceType) -> &'static str {
    match kind {
        ForceType::Force => "a force",
        ForceType::Torque => "a torque",
        ForceType::Spring => "a spring",
        ForceType::Torsion => "a torsion element",
        ForceType::Bushing => "a bushing",
        ForceType::Actuator => "an actuator",
    }
}

pub(super) fn fields(kind: ForceType) -> &'static [&'static str] {
    match kind {
        ForceType::Force => &["at", "frame", "force"],
        ForceType::Torque => &["at", "frame", "torque"],
        ForceType::Spring => {
            &["between", "stiffness", "damping", "length", "force", "allow_negative"]
        }
        ForceType::Torsion => &[
            "joint",
            "coordinate",
            "between",
            "axis",
            "stiffness",
            "damping",
            "angle",
            "torque",
            "allow_negative",
        ],
        ForceType::Bushing => &["between", "stiffness", "damping", "allow_negative"],
        ForceType::Actuator => &[
            "joint",
            "coordinate",
            "between",
            "axis",
            "target",
            "control",
            "kp",
            "ki",
            "kd",
            "allow_negative",
        ],
    }
}

pub(super) fn given(spec: &ForceSpec) -> [(&'static str, bool); 18] {
    [
        ("at", spec.at.is_some()),
        ("frame", spec.frame.is_some()),
        ("between", !spec.between.is_empty()),
        ("joint", spec.joint.is_some()),
        ("coordinate", spec.coordinate.is_some()),
        ("axis", spec.axis.is_some()),
        ("force", spec.force.is_some()),
        ("torque", spec.torque.is_some()),
        ("stiffness", spec.stiffness.is_some()),
        ("damping", spec.damping.is_some()),
        ("length", spec.length.is_some()),
        ("angle", spec.angle.is_some()),
        ("target", spec.target.is_some()),
        ("control", spec.control.is_some()),
        ("kp", spec.kp.is_some()),
        ("ki", spec.ki.is_some()),
        ("kd", spec.kd.is_some()),
        ("allow_negative", spec.allow_negative),
    ]
}
