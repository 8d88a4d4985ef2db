//! A checked model: numbers instead of expressions, ids instead of names.
//!
//! [`crate::compile()`] makes it from a [`crate::spec::ModelSpec`]; [`crate::System`] is
//! assembled from it. It has no equations to ask for, and the system has no `add_body`, so
//! "not finalised yet" is not a state.

use crate::spec::{ImpactType, SchemeType};
use delassus_dae::{Options, Restitution};
use delassus_expr::Expr;
use delassus_geom::TriMesh;
use delassus_math::{Mat3, Mat6, Quat, Vec3};
use std::sync::Arc;

/// Index of a body in [`Model::bodies`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub usize);

/// Index of a joint in [`Model::joints`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointId(pub usize);

/// Index of a shape in [`Model::shapes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub usize);

/// Index of a sensor in [`Model::sensors`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SensorId(pub usize);

/// A checked model.
#[derive(Debug, Clone)]
pub struct Model {
    /// Title, or the empty string.
    pub title: String,
    /// Parameters after evaluation, in file order.
    pub parameters: Vec<(String, f64)>,
    /// Acceleration of gravity, m/s², ground components.
    pub gravity: Vec3,
    /// Bodies; ground is not among them.
    pub bodies: Vec<Body>,
    /// Joints in file order.
    pub joints: Vec<Joint>,
    /// Forces in file order.
    pub forces: Vec<Force>,
    /// Shapes in file order.
    pub shapes: Vec<ContactShape>,
    /// One-sided interactions in file order.
    pub contacts: Vec<Contact>,
    /// Sensors, one per scalar column.
    pub sensors: Vec<Sensor>,
    /// Time span and sampling.
    pub analysis: Analysis,
    /// Method and tolerances.
    pub method: Method,
    /// What was repaired or may surprise (normalised axes, …), with the place in the model.
    pub notes: Vec<crate::Diagnostic>,
}

/// Kind of body: which coordinates it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// x, y, θ.
    Planar,
    /// ℝ³ × SO(3).
    Rigid,
    /// x, y, z.
    Point,
    /// x, y.
    PlanarPoint,
}

/// A body. `position`, `rotation` and `velocity` are those of the body frame as the user gave
/// it; the equations use the mass centre.
#[derive(Debug, Clone)]
pub struct Body {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: BodyKind,
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about the mass centre, body axes, kg m². Planar: only zz is set.
    pub inertia: Mat3,
    /// Mass centre in the body frame, m.
    pub com: Vec3,
    /// Starting position of the body frame, m.
    pub position: Vec3,
    /// Starting orientation (rigid bodies).
    pub rotation: Quat,
    /// Starting angle (planar bodies), rad, not wrapped.
    pub angle: f64,
    /// Keep the starting position during assembly.
    pub hold: bool,
    /// Starting velocity of the body frame's origin, m/s, where given.
    pub velocity: Option<Vec3>,
    /// Starting angular velocity, body axes, rad/s, where given (planar: z).
    pub rate: Option<Vec3>,
}

/// A frame fixed on a body or on the ground (`body` = `None`).
#[derive(Debug, Clone)]
pub struct Frame {
    /// Body it is fixed on.
    pub body: Option<BodyId>,
    /// Origin in the body frame, m.
    pub p: Vec3,
    /// Orientation in the body frame: maps frame components to body components.
    pub r: Mat3,
    /// As the user wrote it: `"crank.tip"`.
    pub name: String,
}

/// Two frames, each with a unit axis in its own components.
#[derive(Debug, Clone)]
pub struct AxisPair {
    /// First frame.
    pub a: Frame,
    /// Second frame.
    pub b: Frame,
    /// Axis in frame a.
    pub axis_a: Vec3,
    /// Axis in frame b.
    pub axis_b: Vec3,
}

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
    /// Rate of the joint's own coordinate at the start, where given.
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
    /// Coordinate as a function of time (variable [`var::T`]).
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
}

/// Meaning of the variable indices of expressions.
pub mod var {
    /// Time, s.
    pub const T: usize = 0;
    /// `length` of a spring, `angle` of a torsion element.
    pub const COORDINATE: usize = 1;
    /// `rate` of the same.
    pub const RATE: usize = 2;
    /// Sensor k is variable `SENSOR + k`.
    pub const SENSOR: usize = 3;
}

/// A force element.
#[derive(Debug, Clone)]
pub struct Force {
    /// Name.
    pub name: String,
    /// Kind with its data.
    pub kind: ForceKind,
}

/// Law of a spring or torsion element.
#[derive(Debug, Clone)]
pub enum SpringLaw {
    /// k (x − free) + c ẋ; `None` = the value at the start (translational only).
    Linear {
        /// Stiffness.
        k: f64,
        /// Damping.
        c: f64,
        /// Free length or angle.
        free: Option<f64>,
    },
    /// Pull as an expression of [`var::COORDINATE`], [`var::RATE`], time and sensors.
    Expression(Expr),
}

/// What an actuator controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// The coordinate.
    Position,
    /// Its rate.
    Rate,
}

/// Kinds of force with their data.
#[derive(Debug, Clone)]
pub enum ForceKind {
    /// Force at the origin of `at`, components in `frame`.
    Force {
        /// Where.
        at: Frame,
        /// Axes of the components.
        frame: Frame,
        /// Components, N.
        components: [Expr; 3],
    },
    /// Torque on the body of `at`, components in `frame`.
    Torque {
        /// Where.
        at: Frame,
        /// Axes of the components.
        frame: Frame,
        /// Components, N m.
        components: [Expr; 3],
    },
    /// Spring-damper along the line of two points; positive = pull.
    Spring {
        /// First point.
        a: Frame,
        /// Second point.
        b: Frame,
        /// Law.
        law: SpringLaw,
    },
    /// Spring-damper along a coordinate; positive pulls the coordinate back.
    Torsion {
        /// Coordinate.
        coordinate: Coordinate,
        /// Law.
        law: SpringLaw,
    },
    /// Wrench −K x − C ẋ on b, x = (position, rotation vector) of b in a.
    Bushing {
        /// First frame.
        a: Frame,
        /// Second frame.
        b: Frame,
        /// Stiffness.
        k: Box<Mat6>,
        /// Damping.
        c: Box<Mat6>,
    },
    /// kp e + ki ∫e + kd ė along a coordinate.
    Actuator {
        /// Coordinate it acts along.
        coordinate: Coordinate,
        /// Wanted value, expression of time and sensors.
        target: Expr,
        /// What is controlled.
        control: Control,
        /// Gains.
        kp: f64,
        /// Integral gain.
        ki: f64,
        /// Derivative gain.
        kd: f64,
    },
}

/// A shape that others may touch.
#[derive(Debug, Clone)]
pub struct ContactShape {
    /// Name.
    pub name: String,
    /// Where it is fixed: its own frame, in which its form is given.
    pub frame: Frame,
    /// Form and size.
    pub form: Form,
}

/// Forms of shapes, m, in the frame of the shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// The origin alone.
    Point,
    /// Disc about the origin.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// Thin wall; its free side is on the left.
    Segment {
        /// First end.
        from: Vec3,
        /// Second end.
        to: Vec3,
    },
    /// Behind a line through the origin.
    HalfPlane {
        /// Outward unit normal.
        normal: Vec3,
    },
    /// Part of a circle about the origin.
    Arc {
        /// Radius.
        radius: f64,
        /// First angle, rad.
        from: f64,
        /// Last angle, rad, above `from` by at most a turn.
        to: f64,
        /// Material outside.
        hollow: bool,
    },
    /// Closed outline: counter-clockwise around material, clockwise around a hole in it.
    Profile {
        /// Corners.
        corners: Vec<Corner>,
    },
    /// Ball about the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Behind a plane through the origin.
    HalfSpace {
        /// Outward unit normal.
        normal: Vec3,
    },
    /// Within a radius of a line.
    Capsule {
        /// First end.
        from: Vec3,
        /// Second end.
        to: Vec3,
        /// Radius.
        radius: f64,
    },
    /// Box about the origin.
    Box {
        /// Lengths of its edges.
        size: Vec3,
    },
    /// Cylinder with flat ends.
    Cylinder {
        /// Middle of one end.
        from: Vec3,
        /// Middle of the other.
        to: Vec3,
        /// Radius.
        radius: f64,
    },
    /// Convex hull.
    Hull {
        /// Points.
        points: Vec<Vec3>,
    },
    /// Closed surface.
    Mesh {
        /// Triangles, scaled to metres.
        mesh: Arc<TriMesh>,
    },
}

/// A corner of a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// Position.
    pub at: Vec3,
    /// Radius that rounds it off, 0 for none.
    pub fillet: f64,
    /// Radius of the edge to the next corner: positive turns left on the way (bulges out of the
    /// material), 0 is straight.
    pub arc: f64,
}

/// A one-sided interaction.
#[derive(Debug, Clone)]
pub struct Contact {
    /// Name.
    pub name: String,
    /// Kind with its data.
    pub kind: ContactKind,
    /// May start with a negative gap.
    pub allow_overlap: bool,
}

impl Contact {
    /// How it bounces; `None` for what cannot.
    pub fn restitution(&self) -> Option<Restitution> {
        match &self.kind {
            ContactKind::Shapes { surface, .. } | ContactKind::Coordinates { surface, .. } => {
                Some(surface.restitution)
            }
            ContactKind::Limit { restitution, .. } | ContactKind::Rope { restitution, .. } => {
                Some(*restitution)
            }
            ContactKind::OneWay { .. } | ContactKind::DryFriction { .. } => None,
        }
    }
}

/// Bounce and friction of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Bounce.
    pub restitution: Restitution,
    /// Sliding friction.
    pub friction: f64,
    /// Friction that must be overcome to start sliding, ≥ `friction`.
    pub static_friction: f64,
}

/// Kinds of one-sided interaction with their data.
#[derive(Debug, Clone)]
pub enum ContactKind {
    /// Shapes that do not enter each other: each of `a` with each of `b`, or every pair among
    /// `a` where there is no `b`; pairs on one body are left out.
    Shapes {
        /// One side, ascending.
        a: Vec<ShapeId>,
        /// Other side, ascending.
        b: Option<Vec<ShapeId>>,
        /// Bounce and friction.
        surface: Surface,
    },
    /// Stops of a coordinate; at least one is given.
    Limit {
        /// Coordinate.
        coordinate: Coordinate,
        /// Smallest value.
        lower: Option<f64>,
        /// Largest value.
        upper: Option<f64>,
        /// Bounce.
        restitution: Restitution,
    },
    /// Distance of two points that must not exceed a length.
    Rope {
        /// First point.
        a: Frame,
        /// Second point.
        b: Frame,
        /// Length, m; `None`: the distance at the start.
        length: Option<f64>,
        /// Bounce.
        restitution: Restitution,
    },
    /// Rate of a coordinate that must not become negative (times `sign`).
    OneWay {
        /// Coordinate.
        coordinate: Coordinate,
        /// 1 or −1.
        sign: f64,
    },
    /// Friction along a coordinate.
    DryFriction {
        /// Coordinate.
        coordinate: Coordinate,
        /// Force while it slides.
        bound: f64,
        /// Force that must be overcome to start.
        bound_static: f64,
    },
    /// Gap that is a sum of coordinates.
    Coordinates {
        /// Terms of the gap.
        gap: Vec<(Coordinate, f64)>,
        /// Its constant part.
        offset: f64,
        /// Terms of the slip velocity; none without friction.
        slip: Vec<(Coordinate, f64)>,
        /// Bounce and friction.
        surface: Surface,
    },
}

/// Component of a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// x.
    X,
    /// y.
    Y,
    /// z.
    Z,
    /// Length of the vector.
    Norm,
}

/// Component of a reaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReactionComponent {
    /// Force.
    Force(Component),
    /// Torque about the origin of the joint's second frame.
    Torque(Component),
}

/// Kinds of energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnergyKind {
    /// Kinetic.
    Kinetic,
    /// Gravity and springs.
    Potential,
    /// Kinetic + potential.
    Total,
    /// Energy lost in dampers since the start.
    Dissipated,
    /// Work of applied forces and prescribed motions since the start.
    Work,
    /// Kinetic + potential + dissipated − work, minus its value at the start.
    Balance,
}

/// A measured scalar.
#[derive(Debug, Clone)]
pub enum Measure {
    /// Position of `of` relative to `frame`, in its axes.
    Position(Frame, Frame, Component),
    /// Velocity of `of` relative to the origin of `frame`, in its axes (as seen from ground).
    Velocity(Frame, Frame, Component),
    /// Acceleration of `of`, in the axes of `frame`.
    Acceleration(Frame, Frame, Component),
    /// Angle of the frame's x axis in the ground's x-y plane.
    Angle(Frame),
    /// Angular velocity of the body of `of`, in the axes of `frame`.
    Rate(Frame, Frame, Component),
    /// Quaternion component 0..4 of the frame, w ≥ 0.
    Orientation(Frame, usize),
    /// Joint coordinate.
    Coordinate(Coordinate),
    /// Its rate.
    CoordinateRate(Coordinate),
    /// Distance of two origins.
    Distance(Frame, Frame),
    /// Reaction of a joint on its second body, in the axes of `frame` (`None`: ground).
    Reaction(JointId, Option<Frame>, ReactionComponent),
    /// Energy.
    Energy(EnergyKind),
    /// Expression of time and sensors.
    Expression(Expr),
}

/// A column of the results.
#[derive(Debug, Clone)]
pub struct Sensor {
    /// Column name.
    pub name: String,
    /// Unit, SI.
    pub unit: String,
    /// Frame of the components, for the column's header.
    pub frame: String,
    /// What is measured.
    pub measure: Measure,
}

/// Time span and sampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Analysis {
    /// Start, s.
    pub start: f64,
    /// End, s.
    pub end: f64,
    /// Sample interval, s.
    pub sample: f64,
    /// Largest assembly correction as a fraction of the model's size.
    pub max_assembly_correction: f64,
    /// Impacts that happen at once.
    pub impacts: ImpactType,
}

/// The method of models that name none.
pub const DEFAULT_METHOD: &str = "mdop5";

/// Method and tolerances; `None` = the method's own default.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// Name of the method that runs: of a time-stepping method with that scheme.
    pub name: String,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Fixed step, s.
    pub step: Option<f64>,
    /// Largest step, s.
    pub max_step: Option<f64>,
    /// Largest number of steps.
    pub max_steps: Option<u64>,
    /// How a motion with contact is integrated.
    pub scheme: SchemeType,
    /// Options of methods, those of other methods than this one included.
    pub options: Options,
}
