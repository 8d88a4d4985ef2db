//! Joints, couplings and prescribed motions, and the coordinates they measure.

use super::AxisPair;
use delassus_expr::Expr;
use delassus_math::{Mat3, Vec3, perpendicular};

/// Cosine of the angle to z above which the width of a section is not taken in the x-y plane, where it is ill defined.
const FAR_FROM_Z: f64 = 0.9;

/// What a joint coordinate measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoordinateKind {
    /// Angle about the axis, rad, unwrapped, zero when the two frames' reference directions agree.
    Angle,
    /// Distance along the axis of the first frame, m.
    Position,
}

/// A scalar coordinate between two frames.
#[derive(Debug, Clone)]
pub struct Coordinate {
    /// Angle or position.
    pub kind: CoordinateKind,
    /// Frames and axis.
    pub pair: AxisPair,
}

/// A joint, coupling or prescribed motion.
#[derive(Debug, Clone)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// Kind with its data.
    pub kind: JointKind,
    /// Rate of the joint's own coordinate at the start, if given.
    pub initial_rate: Option<f64>,
}

/// Kinds of joint with their data.
#[derive(Debug, Clone)]
pub enum JointKind {
    /// Points coincide, axes common.
    Revolute(AxisPair),
    /// Sliding along the axis, no rotation.
    Prismatic(AxisPair),
    /// Sliding along and turning about the axis.
    Cylindrical(AxisPair),
    /// Points coincide.
    Spherical(AxisPair),
    /// Points coincide, axes perpendicular.
    Universal(AxisPair),
    /// Plane on plane, normal along the axes.
    Planar(AxisPair),
    /// No relative motion.
    Fixed(AxisPair),
    /// Cylindrical with `pitch` metres per revolution.
    Screw(AxisPair, f64),
    /// Distance of the origins, m; `None` = as at the start.
    Distance(AxisPair, Option<f64>),
    /// Origin of b on the line through a along axis_a.
    PointOnLine(AxisPair),
    /// Origin of b in the plane through a normal to axis_a.
    PointOnPlane(AxisPair),
    /// Axes parallel.
    ParallelAxes(AxisPair),
    /// Σ coefficient · coordinate = offset (`None` = value at the start). Gear and rack too.
    Coupling(Vec<(Coordinate, f64)>, Option<f64>),
    /// Coordinate as a function of time (variable [`super::var::T`]).
    Motion(Coordinate, Expr),
    /// Disc (`Some` = spin axis in frame b is `axis_b`) or sphere rolling on the plane through a
    /// normal to axis_a.
    Rolling {
        /// Frames; axis_a is the plane's normal, axis_b the disc's spin axis.
        pair: AxisPair,
        /// Radius, m.
        radius: f64,
        /// Disc or sphere.
        disc: bool,
    },
    /// Play instead of rows: contacts of the same name hold it.
    Loose(Play),
}

/// A joint with clearance.
#[derive(Debug, Clone)]
pub struct Play {
    /// Frames and axes, as for the ideal joint. The first has the hole or guide, the second the part inside it.
    pub pair: AxisPair,
    /// Clearance on each side when the joint is in the middle, m.
    pub clearance: f64,
    /// The form of the play.
    pub form: PlayForm,
    /// How many times larger the play is drawn; `None`: the viewer decides. The motion does not depend on it.
    pub exaggerate: Option<f64>,
}

impl Play {
    /// Axes of the guide of a block and of the block, in their bodies: width, height, along. `turned` transforms
    /// components from the first body to the second as both start: a block in a channel starts with the rotation of its
    /// body about the axis, which is what the ideal joint keeps.
    pub fn axes(&self, turned: &Mat3) -> [Mat3; 2] {
        let AxisPair { a, b, axis_a, axis_b } = &self.pair;
        let (along, along_b) = (a.r * axis_a, b.r * axis_b);
        let of =
            |width: Vec3, along: Vec3| Mat3::from_columns(&[width, along.cross(&width), along]);
        if let PlayForm::Channel { .. } = self.form {
            let width = width_of_section(axis_a);
            let guide = [width, axis_a.cross(&width), *axis_a].map(|d| a.r * d);
            let width_b = turned * guide[0];
            let width_b = width_b - along_b * along_b.dot(&width_b);
            // axes that start perpendicular to each other overlap in any case, which is reported
            let width_b = width_b.try_normalize(1e-6).unwrap_or_else(|| perpendicular(&along_b));
            return [Mat3::from_columns(&guide), of(width_b, along_b)];
        }
        // in the plane the left of the axis is up, whatever z a marker has
        [of(Vec3::z().cross(&along), along), of(Vec3::z().cross(&along_b), along_b)]
    }
}

/// Direction of the width of a section across an axis: in the x-y plane where the axis is far enough from z.
fn width_of_section(axis: &Vec3) -> Vec3 {
    let across = if axis.z.abs() < FAR_FROM_Z { Vec3::z().cross(axis) } else { Vec3::y() };
    (across - axis * axis.dot(&across)).normalize()
}

/// Forms of joints with clearance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlayForm {
    /// A round journal in a round bearing, in the plane.
    Journal {
        /// Radius of the bearing, m.
        bearing: f64,
    },
    /// A journal of finite length in a round hole, in space: it touches with either end, and may be tilted.
    Shaft {
        /// Radius of the bearing, m.
        bearing: f64,
        /// Distance of the two ends of the journal, m.
        length: f64,
    },
    /// A ball in a socket.
    Ball {
        /// Radius of the socket, m.
        socket: f64,
    },
    /// A block between two straight walls, in the plane.
    Block {
        /// Along the walls, m.
        length: f64,
        /// Across, m.
        width: f64,
    },
    /// A block of rectangular section in a straight channel of four walls, in space: it touches with its corners, and
    /// may be tilted.
    Channel {
        /// Along the channel, m.
        length: f64,
        /// Across, m.
        width: f64,
        /// Across both, m.
        height: f64,
    },
}
