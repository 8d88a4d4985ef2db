//! Force elements.

use super::{Coordinate, Frame, Tyre};
use delassus_expr::Expr;
use delassus_math::{Mat6, Vec6};

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
    /// Pull as an expression of [`super::var::COORDINATE`], [`super::var::RATE`], time and sensors.
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
    /// Wrench −K x − C ẋ on b, x = (position, rotation vector) of b in a. K need not be symmetric.
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
        /// Desired value, expression of time and sensors.
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
    /// An element of a beam.
    Beam(Box<BeamElement>),
    /// A tyre on a road.
    Tyre(Box<Tyre>),
}

/// An element of a beam between two frames, each of which has x along its axis and y and z along those of the section.
#[derive(Debug, Clone)]
pub struct BeamElement {
    /// First end.
    pub a: Frame,
    /// Second end.
    pub b: Frame,
    /// Length along the unloaded axis, m.
    pub length: f64,
    /// Screw that leads from the first frame to the second when unloaded.
    pub rest: Vec6,
    /// EA, GA along y and z (infinite without shear), GJ, EI about y and z, N and N m².
    pub stiffness: Vec6,
    /// Time of stiffness-proportional damping, s.
    pub damping: f64,
    /// Length of the beam that it is part of, m.
    pub whole: f64,
}

impl BeamElement {
    /// Stiffness against the screw: that of the section per length, with shear as soft as the bending within the
    /// element makes it. So a straight element has the exact stiffness of a beam loaded at its ends.
    pub fn effective_stiffness(&self) -> Vec6 {
        effective_stiffness(&self.stiffness, self.length)
    }
}

/// That of a section over a length, m.
pub(crate) fn effective_stiffness(section: &Vec6, l: f64) -> Vec6 {
    let mut k = *section;
    for (shear, bending) in [(1, 5), (2, 4)] {
        k[shear] = 1.0 / (1.0 / k[shear] + l * l / (12.0 * k[bending]));
    }
    k / l
}
