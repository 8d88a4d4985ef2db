//! What is measured.

use super::{BodyId, Coordinate, Frame, JointId};
use delassus_expr::Expr;

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

/// What is measured in a section of a beam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SectionMeasure {
    /// Number of the beam in [`super::Model::beams`].
    pub beam: usize,
    /// Distance along its axis, m.
    pub at: f64,
    /// Strain; otherwise force and moment.
    pub strain: bool,
    /// Along x, y, z, then about them.
    pub component: usize,
}

/// What is measured at a tyre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TyreMeasure {
    /// Force along the wheel, across it and normal to the road, on the wheel, N.
    Force(usize),
    /// Aligning torque about the normal of the road, N m.
    Aligning,
    /// Longitudinal slip.
    Slip,
    /// Slip angle, rad.
    SlipAngle,
    /// How deep the unloaded wheel would be in the road, m.
    Depth,
    /// Lean of the wheel to the left of the normal of the road, rad.
    Camber,
    /// Contact point, component, m.
    Point(usize),
    /// Height of the road below the wheel, m.
    Height,
    /// Deflection along and across the wheel, m.
    Deflection(usize),
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
    /// Resultant or strain in a section of a beam.
    Section(SectionMeasure),
    /// At a tyre, by its number in [`super::Model::forces`].
    Tyre(usize, TyreMeasure),
    /// Amplitude of a mode of a body, or its rate.
    Amplitude {
        /// The body.
        body: BodyId,
        /// Number of the mode from 0.
        mode: usize,
        /// Its rate.
        rate: bool,
    },
    /// Input of this number in [`super::Model::inputs`].
    Input(usize),
    /// Expression of time, inputs and sensors.
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
    /// It is the value of an input: given from outside, not a result.
    pub given: bool,
}
