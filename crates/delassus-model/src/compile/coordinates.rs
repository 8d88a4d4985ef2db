//! Joint coordinates that couplings, motions, forces and sensors refer to.

use super::context::{Env, Path};
use super::frames::World;
use super::geometry::direction;
use super::joints::JointSlot;
use super::repeat::Expanded;
use crate::spec::{JointType, Scalar};
use crate::{AxisPair, Coordinate, CoordinateKind, Diagnostic};
use delassus_expr::Dim;
use delassus_math::Vec3;

const WITH_COORDINATE: &str = "revolute, cylindrical, screw and planar joints have an `angle`; \
     prismatic, cylindrical and screw joints have a `position`";

/// All joints by name.
pub(super) struct Joints<'j> {
    pub(super) slots: &'j [JointSlot],
    pub(super) names: &'j Expanded,
}

impl Joints<'_> {
    /// Index of the joint to which a text of the model file refers.
    pub(super) fn find(&self, env: &Env<'_>, text: &str, path: &Path<'_>) -> Option<usize> {
        let name = env.text(text, path)?;
        if let Some(k) = self.names.ids.get(&*name) {
            return Some(*k);
        }
        if !self.names.incomplete {
            let known = self.names.ids.keys().map(String::as_str);
            env.unknown(path, "joint", &name, known);
        }
        None
    }

    /// A coordinate of a joint: the requested kind, or the joint's own.
    pub(super) fn coordinate(
        &self,
        env: &Env<'_>,
        joint: &str,
        path: &Path<'_>,
        wanted: Option<CoordinateKind>,
    ) -> Option<Coordinate> {
        let slot = &self.slots[self.find(env, joint, path)?];
        let has = kinds(slot.kind);
        let kind = match wanted {
            None => has.first().copied(),
            Some(kind) => has.contains(&kind).then_some(kind),
        };
        let Some(kind) = kind else {
            let what = match wanted {
                _ if has.is_empty() => "no coordinate",
                Some(CoordinateKind::Position) => "no position",
                _ => "no angle",
            };
            env.report(
                Diagnostic::error(
                    "E_NO_COORDINATE",
                    path.to_string(),
                    format!("`{}` is {}, which has {what}", slot.name, slot.kind.entry().label),
                )
                .help(WITH_COORDINATE),
            );
            return None;
        };
        // a joint without a pair is itself faulty and was already reported
        let pair = slot.pair.clone()?;
        Some(Coordinate { kind, pair })
    }
}

/// Coordinates of a kind of joint, its own first.
pub(super) fn kinds(joint: JointType) -> &'static [CoordinateKind] {
    use CoordinateKind::{Angle, Position};
    match joint {
        JointType::Revolute | JointType::Planar => &[Angle],
        JointType::Prismatic => &[Position],
        JointType::Cylindrical | JointType::Screw => &[Angle, Position],
        _ => &[],
    }
}

pub(super) fn dim(kind: CoordinateKind) -> Dim {
    match kind {
        CoordinateKind::Angle => Dim::NONE,
        CoordinateKind::Position => Dim::LENGTH,
    }
}

pub(super) fn rate_dim(kind: CoordinateKind) -> Dim {
    match kind {
        CoordinateKind::Angle => Dim::RATE,
        CoordinateKind::Position => Dim::VELOCITY,
    }
}

/// Dimension of the force that does work along the coordinate.
pub(super) fn force_dim(kind: CoordinateKind) -> Dim {
    match kind {
        CoordinateKind::Angle => Dim::TORQUE,
        CoordinateKind::Position => Dim::FORCE,
    }
}

/// `"angle"` or `"position"`; `Some(None)` if nothing is given.
pub(super) fn kind(
    env: &Env<'_>,
    text: Option<&String>,
    path: &Path<'_>,
) -> Option<Option<CoordinateKind>> {
    match text.map(String::as_str) {
        None => Some(None),
        Some("angle") => Some(Some(CoordinateKind::Angle)),
        Some("position") => Some(Some(CoordinateKind::Position)),
        Some(other) => {
            env.unknown(path, "coordinate", other, ["angle", "position"].into_iter());
            None
        }
    }
}

/// What an entry says about the coordinate along which it acts.
pub(super) struct Wanted<'s> {
    pub(super) joint: Option<&'s String>,
    pub(super) coordinate: Option<&'s String>,
    pub(super) between: &'s [String],
    pub(super) axis: Option<&'s Vec<Scalar>>,
    pub(super) axis2: Option<&'s Vec<Scalar>>,
    /// Coordinate of two frames if neither `coordinate` nor `axis` is given.
    pub(super) default: CoordinateKind,
    /// Whether `axis` alone leaves open which coordinate is meant.
    pub(super) axis_needs_kind: bool,
}

impl Wanted<'_> {
    /// The coordinate of a joint, or of two frames and an axis.
    pub(super) fn resolve(
        &self,
        env: &Env<'_>,
        world: &World<'_>,
        joints: &Joints<'_>,
        path: &Path<'_>,
        owner: &str,
    ) -> Option<Coordinate> {
        let kind = kind(env, self.coordinate, &path.field("coordinate"));
        if let Some(joint) = self.joint {
            let given = [
                ("between", !self.between.is_empty()),
                ("axis", self.axis.is_some()),
                ("axis2", self.axis2.is_some()),
            ];
            let with_joint = format!("{owner} with a `joint`");
            env.unused(path, &with_joint, &given, &["joint", "coordinate"]);
            return joints.coordinate(env, joint, &path.field("joint"), kind?);
        }
        if self.between.is_empty() {
            let help = "name a joint, or give `between`, `axis` and `coordinate`";
            env.missing(&path.field("joint"), owner, help);
            return None;
        }
        let frames = world.pair(env, self.between, &path.field("between"), owner);
        let axis = self.axis.map(|list| direction(env, list, &path.field("axis")));
        let axis2 = self.axis2.map(|list| direction(env, list, &path.field("axis2")));
        let kind = match kind? {
            Some(kind) => kind,
            None if self.axis.is_some() && self.axis_needs_kind => {
                let help = "say which one: coordinate = \"angle\" or coordinate = \"position\"";
                let with_axis = format!("{owner} with `between` and `axis`");
                env.missing(&path.field("coordinate"), &with_axis, help);
                return None;
            }
            None => self.default,
        };
        let axis_a = match axis {
            Some(axis) => axis?,
            None if kind == CoordinateKind::Angle => Vec3::z(),
            None => Vec3::x(),
        };
        let axis_b = axis2.unwrap_or(Some(axis_a))?;
        let (a, b) = frames?;
        Some(Coordinate { kind, pair: AxisPair { a, b, axis_a, axis_b } })
    }
}
