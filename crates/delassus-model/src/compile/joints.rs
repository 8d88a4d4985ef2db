//! Joints, couplings and prescribed motions.

use super::bodies::optional;
use super::clearance;
use super::context::{Env, Path};
use super::coordinates::{self, Joints, Wanted, kinds};
use super::frames::World;
use super::geometry::direction;
use super::repeat::Instance;
use super::scalars::Vars;
use crate::spec::{JointSpec, JointType, RollingShape, Scalar};
use crate::{AxisPair, Coordinate, CoordinateKind, Diagnostic, Joint, JointKind};
use delassus_expr::Dim;
use delassus_math::Vec3;
use std::f64::consts::TAU;

/// A joint, or what is known about one whose data are faulty or not compiled yet.
#[derive(Debug)]
pub(super) struct JointSlot {
    pub(super) name: String,
    pub(super) kind: JointType,
    /// Frames and axes, for joints that have them.
    pub(super) pair: Option<AxisPair>,
    pub(super) joint: Option<Joint>,
}

/// Whether a joint is defined by the coordinates of other joints, which must be known first.
pub(super) fn refers_to_joints(kind: JointType) -> bool {
    matches!(kind, JointType::Gear | JointType::Rack | JointType::Coupling | JointType::Motion)
}

/// First pass: fields, frames and axes. Joints that refer to others stay incomplete.
pub(super) fn compile(
    env: &Env<'_>,
    world: &World<'_>,
    instance: &Instance,
    spec: &JointSpec,
    path: &Path<'_>,
) -> JointSlot {
    let mut slot =
        JointSlot { name: instance.name.clone(), kind: spec.kind, pair: None, joint: None };
    if env.is_hopeless() {
        return slot;
    }
    env.check_fields(path, spec.kind.entry(), spec);
    if refers_to_joints(spec.kind) {
        return slot;
    }
    slot.pair = pair(env, world, spec, path);
    let has_play = spec.clearance.is_some() && spec.kind.entry().field("clearance").is_some();
    let kind = if has_play {
        clearance::kind(env, world, spec, slot.pair.clone(), path)
    } else {
        clearance::refuse_without(env, spec, path);
        geometric(env, spec, slot.pair.clone(), path)
    };
    let rate = initial_rate(env, spec, path);
    if let (Some(kind), Some(initial_rate)) = (kind, rate) {
        slot.joint = Some(Joint { name: slot.name.clone(), kind, initial_rate });
    }
    slot
}

/// Second pass: joints that refer to others.
pub(super) fn compile_referring(
    env: &Env<'_>,
    world: &World<'_>,
    joints: &Joints<'_>,
    instance: &Instance,
    spec: &JointSpec,
    path: &Path<'_>,
) -> Option<Joint> {
    if env.is_hopeless() {
        return None;
    }
    let kind = match spec.kind {
        JointType::Gear => gear(env, joints, spec, path),
        JointType::Rack => rack(env, joints, spec, path),
        JointType::Coupling => coupling(env, joints, spec, path),
        _ => motion(env, world, joints, spec, path),
    };
    Some(Joint { name: instance.name.clone(), kind: kind?, initial_rate: None })
}

fn initial_rate(env: &Env<'_>, spec: &JointSpec, path: &Path<'_>) -> Option<Option<f64>> {
    let Some(kind) = kinds(spec.kind).first() else {
        // reported as a field without meaning
        return Some(None);
    };
    let (entry, rate) = (spec.kind.entry(), spec.initial_rate.as_ref());
    env.number_in(path, entry, "initial_rate", rate, coordinates::rate_dim(*kind))
}

/// Frames and axes of a joint between two bodies.
fn pair(env: &Env<'_>, world: &World<'_>, spec: &JointSpec, path: &Path<'_>) -> Option<AxisPair> {
    use JointType as J;
    let entry = spec.kind.entry();
    let frames = world.pair(env, &spec.between, &path.field("between"), entry.label);
    let given = |list: &Option<Vec<Scalar>>, field: &'static str| -> Option<Option<Vec3>> {
        let list = list.as_ref().filter(|_| entry.field(field).is_some());
        optional(list, |list| direction(env, list, &path.field(field)))
    };
    let axis = given(&spec.axis, "axis");
    let is_sphere = spec.kind == J::Rolling && spec.shape == Some(RollingShape::Sphere);
    let axis2 = if is_sphere {
        let given = [("axis2", spec.axis2.is_some())];
        let uses = ["between", "axis", "radius", "shape"];
        env.unused(path, "a rolling sphere", &given, &uses);
        Some(None)
    } else {
        given(&spec.axis2, "axis2")
    };
    let (a, b) = frames?;
    let axis_a = axis?.unwrap_or_else(|| match spec.kind {
        J::Prismatic | J::PointOnLine => Vec3::x(),
        // the normal of the plane
        J::PointOnPlane | J::Rolling if world.is_planar_pair(&a, &b) => Vec3::y(),
        _ => Vec3::z(),
    });
    let axis2 = axis2?;
    if spec.kind == J::Universal && axis2.is_none() {
        env.needed(path, entry, "axis2");
        return None;
    }
    let axis_b = axis2.unwrap_or(match spec.kind {
        J::Rolling => Vec3::z(),
        _ => axis_a,
    });
    Some(AxisPair { a, b, axis_a, axis_b })
}

/// A joint between two bodies. Numbers are checked even where the frames are faulty.
fn geometric(
    env: &Env<'_>,
    spec: &JointSpec,
    pair: Option<AxisPair>,
    path: &Path<'_>,
) -> Option<JointKind> {
    use JointType as J;
    let entry = spec.kind.entry();
    Some(match spec.kind {
        J::Revolute => JointKind::Revolute(pair?),
        J::Prismatic => JointKind::Prismatic(pair?),
        J::Cylindrical => JointKind::Cylindrical(pair?),
        J::Spherical => JointKind::Spherical(pair?),
        J::Universal => JointKind::Universal(pair?),
        J::Planar => JointKind::Planar(pair?),
        J::Fixed => JointKind::Fixed(pair?),
        J::PointOnLine => JointKind::PointOnLine(pair?),
        J::PointOnPlane => JointKind::PointOnPlane(pair?),
        J::ParallelAxes => JointKind::ParallelAxes(pair?),
        J::Screw => {
            let pitch = env.number(path, entry, "pitch", spec.pitch.as_ref());
            JointKind::Screw(pair?, pitch??)
        }
        J::Distance => {
            let length = env.number(path, entry, "length", spec.length.as_ref());
            JointKind::Distance(pair?, length?)
        }
        J::Rolling => {
            let radius = env.number(path, entry, "radius", spec.radius.as_ref());
            JointKind::Rolling {
                pair: pair?,
                radius: radius??,
                disc: spec.shape != Some(RollingShape::Sphere),
            }
        }
        J::Gear | J::Rack | J::Coupling | J::Motion => return None,
    })
}

fn gear(
    env: &Env<'_>,
    joints: &Joints<'_>,
    spec: &JointSpec,
    path: &Path<'_>,
) -> Option<JointKind> {
    use CoordinateKind::Angle;
    let coordinates = coupled(env, joints, spec, path, [Angle, Angle]);
    let ratio = env.number(path, spec.kind.entry(), "ratio", spec.ratio.as_ref());
    let [first, second] = coordinates?;
    Some(JointKind::Coupling(vec![(first, 1.0), (second, -ratio??)], None))
}

fn rack(
    env: &Env<'_>,
    joints: &Joints<'_>,
    spec: &JointSpec,
    path: &Path<'_>,
) -> Option<JointKind> {
    use CoordinateKind::{Angle, Position};
    let coordinates = coupled(env, joints, spec, path, [Angle, Position]);
    let pitch = env.number(path, spec.kind.entry(), "pitch", spec.pitch.as_ref());
    let [turning, sliding] = coordinates?;
    Some(JointKind::Coupling(vec![(turning, pitch?? / TAU), (sliding, -1.0)], None))
}

/// The coordinates of the two `joints` of a gear or rack.
fn coupled(
    env: &Env<'_>,
    joints: &Joints<'_>,
    spec: &JointSpec,
    path: &Path<'_>,
    kinds: [CoordinateKind; 2],
) -> Option<[Coordinate; 2]> {
    if spec.joints.is_empty() {
        env.needed(path, spec.kind.entry(), "joints");
        return None;
    }
    let path = path.field("joints");
    let [a, b] = match spec.joints.as_slice() {
        [a, b] => [a, b],
        more => {
            env.shape(&path, more.len(), "2 joints");
            return None;
        }
    };
    let first = joints.coordinate(env, a, &path.index(0), Some(kinds[0]));
    let second = joints.coordinate(env, b, &path.index(1), Some(kinds[1]));
    // a cylindrical joint may be coupled with itself, turning with sliding, but not an angle
    // with the same angle
    if a == b && kinds[0] == kinds[1] {
        env.report(
            Diagnostic::error(
                "E_DUPLICATE",
                path.index(1).to_string(),
                format!("the joint `{b}` is coupled with itself"),
            )
            .help("name two different joints")
            .related(path.index(0).to_string()),
        );
        return None;
    }
    Some([first?, second?])
}

fn coupling(
    env: &Env<'_>,
    joints: &Joints<'_>,
    spec: &JointSpec,
    path: &Path<'_>,
) -> Option<JointKind> {
    let offset = env.number(path, spec.kind.entry(), "offset", spec.offset.as_ref());
    if spec.terms.is_empty() {
        env.needed(path, spec.kind.entry(), "terms");
        return None;
    }
    let path = path.field("terms");
    let terms: Vec<Option<(Coordinate, f64)>> = spec
        .terms
        .iter()
        .enumerate()
        .map(|(k, term)| {
            let path = path.index(k);
            let kind = coordinates::kind(env, term.coordinate.as_ref(), &path.field("coordinate"));
            let coefficient = env.constant(&term.coefficient, &path.field("coefficient"), Dim::Any);
            let coordinate = joints.coordinate(env, &term.joint, &path.field("joint"), kind?);
            Some((coordinate?, coefficient?))
        })
        .collect();
    let terms: Vec<(Coordinate, f64)> = terms.into_iter().collect::<Option<_>>()?;
    if terms.iter().all(|(_, c)| *c == 0.0) {
        env.report(
            Diagnostic::error(
                "E_DEGENERATE_DIRECTION",
                path.to_string(),
                "every coefficient is 0, so that nothing is coupled",
            )
            .help("give at least one coefficient other than 0"),
        );
        return None;
    }
    Some(JointKind::Coupling(terms, offset?))
}

fn motion(
    env: &Env<'_>,
    world: &World<'_>,
    joints: &Joints<'_>,
    spec: &JointSpec,
    path: &Path<'_>,
) -> Option<JointKind> {
    let wanted = Wanted {
        joint: spec.joint.as_ref(),
        coordinate: spec.coordinate.as_ref(),
        between: &spec.between,
        axis: spec.axis.as_ref(),
        axis2: spec.axis2.as_ref(),
        default: CoordinateKind::Position,
        axis_needs_kind: true,
    };
    let coordinate = wanted.resolve(env, world, joints, path, "a motion");
    let dim = coordinate.as_ref().map_or(Dim::Any, |c| coordinates::dim(c.kind));
    let value = match &spec.value {
        Some(value) => env.expression(value, &path.field("value"), dim, Vars::default()),
        None => {
            env.needed(path, spec.kind.entry(), "value");
            None
        }
    };
    Some(JointKind::Motion(coordinate?, value?))
}
