//! Joints, couplings and prescribed motions.

use super::bodies::optional;
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

/// A joint, or what is known of one whose data are faulty or not compiled yet.
#[derive(Debug)]
pub(super) struct JointSlot {
    pub(super) name: String,
    pub(super) kind: JointType,
    /// Frames and axes, of joints that have them.
    pub(super) pair: Option<AxisPair>,
    pub(super) joint: Option<Joint>,
}

pub(super) fn label(kind: JointType) -> &'static str {
    match kind {
        JointType::Revolute => "a revolute joint",
        JointType::Prismatic => "a prismatic joint",
        JointType::Cylindrical => "a cylindrical joint",
        JointType::Spherical => "a spherical joint",
        JointType::Universal => "a universal joint",
        JointType::Planar => "a planar joint",
        JointType::Fixed => "a fixed joint",
        JointType::Screw => "a screw joint",
        JointType::Distance => "a distance joint",
        JointType::PointOnLine => "a point-on-line joint",
        JointType::PointOnPlane => "a point-on-plane joint",
        JointType::ParallelAxes => "a parallel-axes joint",
        JointType::Gear => "a gear",
        JointType::Rack => "a rack",
        JointType::Coupling => "a coupling",
        JointType::Motion => "a motion",
        JointType::Rolling => "a rolling joint",
    }
}

fn fields(kind: JointType) -> &'static [&'static str] {
    use JointType as J;
    match kind {
        J::Revolute | J::Prismatic | J::Cylindrical | J::Planar => {
            &["between", "axis", "axis2", "initial_rate"]
        }
        J::Universal | J::ParallelAxes => &["between", "axis", "axis2"],
        J::Spherical | J::Fixed => &["between"],
        J::Screw => &["between", "axis", "axis2", "pitch", "initial_rate"],
        J::Distance => &["between", "length"],
        J::PointOnLine | J::PointOnPlane => &["between", "axis"],
        J::Gear => &["joints", "ratio"],
        J::Rack => &["joints", "pitch"],
        J::Coupling => &["terms", "offset"],
        J::Motion => &["joint", "between", "axis", "axis2", "coordinate", "value"],
        J::Rolling => &["between", "axis", "axis2", "radius", "shape"],
    }
}

fn given(spec: &JointSpec) -> [(&'static str, bool); 15] {
    [
        ("between", !spec.between.is_empty()),
        ("axis", spec.axis.is_some()),
        ("axis2", spec.axis2.is_some()),
        ("length", spec.length.is_some()),
        ("pitch", spec.pitch.is_some()),
        ("ratio", spec.ratio.is_some()),
        ("joints", !spec.joints.is_empty()),
        ("terms", !spec.terms.is_empty()),
        ("offset", spec.offset.is_some()),
        ("joint", spec.joint.is_some()),
        ("coordinate", spec.coordinate.is_some()),
        ("value", spec.value.is_some()),
        ("radius", spec.radius.is_some()),
        ("shape", spec.shape.is_some()),
        ("initial_rate", spec.initial_rate.is_some()),
    ]
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
    env.unused(path, label(spec.kind), &given(spec), fields(spec.kind));
    if refers_to_joints(spec.kind) {
        return slot;
    }
    slot.pair = pair(env, world, spec, path);
    let kind = geometric(env, spec, slot.pair.clone(), path);
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
    let path = path.field("initial_rate");
    optional(spec.initial_rate.as_ref(), |rate| {
        env.constant(rate, &path, coordinates::rate_dim(*kind))
    })
}

/// Frames and axes of a joint between two bodies.
fn pair(env: &Env<'_>, world: &World<'_>, spec: &JointSpec, path: &Path<'_>) -> Option<AxisPair> {
    use JointType as J;
    let frames = world.pair(env, &spec.between, &path.field("between"), label(spec.kind));
    let used = fields(spec.kind);
    let given = |list: &Option<Vec<Scalar>>, field: &'static str| -> Option<Option<Vec3>> {
        let list = list.as_ref().filter(|_| used.contains(&field));
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
        let help = "give the direction of the pin on the second body, perpendicular to `axis`";
        env.missing(&path.field("axis2"), "a universal joint", help);
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
            let pitch = pitch(env, spec, path);
            JointKind::Screw(pair?, pitch?)
        }
        J::Distance => {
            let length = optional(spec.length.as_ref(), |value| {
                positive(env, value, &path.field("length"), "the length")
            });
            JointKind::Distance(pair?, length?)
        }
        J::Rolling => {
            let radius = match &spec.radius {
                Some(value) => positive(env, value, &path.field("radius"), "the radius"),
                None => {
                    let path = path.field("radius");
                    env.missing(&path, label(spec.kind), "give the radius in m");
                    None
                }
            };
            JointKind::Rolling {
                pair: pair?,
                radius: radius?,
                disc: spec.shape != Some(RollingShape::Sphere),
            }
        }
        J::Gear | J::Rack | J::Coupling | J::Motion => return None,
    })
}

fn positive(env: &Env<'_>, value: &Scalar, path: &Path<'_>, what: &str) -> Option<f64> {
    let x = env.constant(value, path, Dim::LENGTH)?;
    if x > 0.0 {
        return Some(x);
    }
    env.range(path, format!("{what} is {x} m, but must be more than 0"), "give a positive length");
    None
}

fn pitch(env: &Env<'_>, spec: &JointSpec, path: &Path<'_>) -> Option<f64> {
    let path = path.field("pitch");
    let Some(value) = &spec.pitch else {
        env.missing(&path, label(spec.kind), "give the advance per revolution in m");
        return None;
    };
    not_zero(env, value, &path, Dim::LENGTH, "the pitch")
}

fn not_zero(env: &Env<'_>, value: &Scalar, path: &Path<'_>, dim: Dim, what: &str) -> Option<f64> {
    let x = env.constant(value, path, dim)?;
    if x != 0.0 {
        return Some(x);
    }
    env.report(
        Diagnostic::error(
            "E_DEGENERATE_DIRECTION",
            path.to_string(),
            format!("{what} is 0, so that the two motions are not coupled"),
        )
        .help("give a value other than 0"),
    );
    None
}

fn gear(
    env: &Env<'_>,
    joints: &Joints<'_>,
    spec: &JointSpec,
    path: &Path<'_>,
) -> Option<JointKind> {
    use CoordinateKind::Angle;
    let coordinates = coupled(env, joints, spec, path, [Angle, Angle]);
    let field = path.field("ratio");
    let ratio = match &spec.ratio {
        Some(value) => not_zero(env, value, &field, Dim::NONE, "the ratio"),
        None => {
            let help = "give the rate of the first joint divided by that of the second, \
                        negative for an external pair";
            env.missing(&field, "a gear", help);
            None
        }
    };
    let [first, second] = coordinates?;
    Some(JointKind::Coupling(vec![(first, 1.0), (second, -ratio?)], None))
}

fn rack(
    env: &Env<'_>,
    joints: &Joints<'_>,
    spec: &JointSpec,
    path: &Path<'_>,
) -> Option<JointKind> {
    use CoordinateKind::{Angle, Position};
    let coordinates = coupled(env, joints, spec, path, [Angle, Position]);
    let pitch = pitch(env, spec, path);
    let [turning, sliding] = coordinates?;
    Some(JointKind::Coupling(vec![(turning, pitch? / TAU), (sliding, -1.0)], None))
}

/// The coordinates of the two `joints` of a gear or rack.
fn coupled(
    env: &Env<'_>,
    joints: &Joints<'_>,
    spec: &JointSpec,
    path: &Path<'_>,
    kinds: [CoordinateKind; 2],
) -> Option<[Coordinate; 2]> {
    let path = path.field("joints");
    let [a, b] = match spec.joints.as_slice() {
        [] => {
            let help = "name the two joints, such as [\"pin1\", \"pin2\"]";
            env.missing(&path, label(spec.kind), help);
            return None;
        }
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
    let offset = optional(spec.offset.as_ref(), |value| {
        env.constant(value, &path.field("offset"), Dim::Any)
    });
    let path = path.field("terms");
    if spec.terms.is_empty() {
        let help = "give terms such as { joint = \"pin\", coefficient = 1 }";
        env.missing(&path, "a coupling", help);
        return None;
    }
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
    let path = path.field("value");
    let value = match &spec.value {
        Some(value) => env.expression(value, &path, dim, Vars::default()),
        None => {
            let help = "give the coordinate as an expression of `t`, such as \"2*pi*t\"";
            env.missing(&path, "a motion", help);
            None
        }
    };
    Some(JointKind::Motion(coordinate?, value?))
}
