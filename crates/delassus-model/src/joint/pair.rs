//! The two frames of a joint.

use crate::{AxisPair, JointKind};

impl JointKind {
    /// The frames and axes between which its reactions act. Couplings have none of their own, and with play contacts
    /// act instead.
    pub fn pair(&self) -> Option<&AxisPair> {
        match self {
            JointKind::Revolute(p)
            | JointKind::Prismatic(p)
            | JointKind::Cylindrical(p)
            | JointKind::Spherical(p)
            | JointKind::Universal(p)
            | JointKind::Planar(p)
            | JointKind::Fixed(p)
            | JointKind::Screw(p, _)
            | JointKind::Distance(p, _)
            | JointKind::PointOnLine(p)
            | JointKind::PointOnPlane(p)
            | JointKind::ParallelAxes(p)
            | JointKind::Rolling { pair: p, .. } => Some(p),
            JointKind::Motion(c, _) => Some(&c.pair),
            JointKind::Coupling(..) | JointKind::Loose(_) => None,
        }
    }
}
