//! Tyres: wheels on roads.

use super::{Frame, Road};
use delassus_expr::Expr;
use delassus_math::Vec3;
use std::sync::Arc;

/// A tyre between a wheel and a road.
#[derive(Debug, Clone)]
pub struct Tyre {
    /// Centre of the wheel.
    pub at: Frame,
    /// Axle in the axes of that frame, a unit vector to the left of the wheel.
    pub axle: Vec3,
    /// What it is like.
    pub data: Arc<TyreData>,
    /// What it rolls on.
    pub road: Arc<Road>,
    /// How the wheel moves.
    pub wheel: Wheel,
}

/// How a wheel moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wheel {
    /// Its body turns about the axle.
    Spins,
    /// Its body does not turn with it: it rolls without slip along its plane.
    Free,
    /// The same on a body in the plane, which is seen from above: it carries the nominal load.
    Planar,
}

/// Properties of a tyre.
#[derive(Debug, Clone)]
pub struct TyreData {
    /// Unloaded radius, m.
    pub radius: f64,
    /// Nominal load, N.
    pub load: f64,
    /// Elastic vertical force.
    pub vertical: Vertical,
    /// Vertical damping at the nominal load, N s/m.
    pub damping: f64,
    /// Laws along and across the wheel.
    pub slip: [SlipLaw; 2],
    /// Relaxation lengths along and across the wheel, m; zero: no state.
    pub relaxation: [f64; 2],
    /// Damping of the deflection at low speed, s.
    pub slip_damping: f64,
    /// Speed below which slip is regularised, m/s.
    pub low_speed: f64,
    /// Pneumatic trail at small slip, m.
    pub trail: f64,
    /// Slip angle per camber angle.
    pub camber: f64,
    /// Rolling resistance over the load.
    pub rolling_resistance: f64,
}

/// Elastic vertical force of a tyre.
#[derive(Debug, Clone)]
pub enum Vertical {
    /// Coefficients of the depth and of its square, N/m and N/m².
    Polynomial([f64; 2]),
    /// Expression of [`super::var::COORDINATE`], the depth, m.
    Expression(Expr),
}

/// Force by slip in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SlipLaw {
    /// In proportion, N per unit at the nominal load.
    Linear {
        /// Slope.
        slope: f64,
    },
    /// D tanh(slope·s/D), D = friction × load.
    Tanh {
        /// Slope at the nominal load, N.
        slope: f64,
        /// Largest force over the load.
        friction: f64,
    },
    /// Initial slope, slip of the peak, peak, slip of sliding and sliding force, at the nominal load and at twice it.
    Tmeasy {
        /// At the nominal load.
        one: [f64; 5],
        /// At twice the nominal load.
        two: [f64; 5],
    },
    /// Pacejka's formula.
    MagicFormula {
        /// Stiffness factor at the nominal load.
        b: f64,
        /// Shape factor.
        c: f64,
        /// Largest force over the load, at the nominal load.
        d: f64,
        /// Curvature factor.
        e: f64,
        /// Its change when the load doubles.
        d_load: f64,
        /// Load of the largest slip stiffness over the nominal load.
        stiffest_load: Option<f64>,
        /// B s of the largest force.
        peak: f64,
    },
}
