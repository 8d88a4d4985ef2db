//! Tyres as written.

use super::{RateSpec, Scalar};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Law of the forces along the road.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TyreType {
    /// In proportion to the slip, without limit.
    #[default]
    Linear,
    /// Saturates as a hyperbolic tangent.
    Tanh,
    /// By five numbers per direction: initial slope, peak and sliding, each with its place.
    Tmeasy,
    /// D sin(C atan(B s − E (B s − atan(B s)))).
    MagicFormula,
}

/// A tyre: what wheels have in common. A force of type `tyre` puts one on a wheel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TyreSpec {
    /// Law of the forces along the road.
    #[serde(rename = "type")]
    pub kind: TyreType,
    /// Unloaded radius, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Scalar>,
    /// Nominal load, N: that to which slip stiffness, curves and damping refer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Scalar>,
    /// Vertical stiffness, N/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Scalar>,
    /// Vertical force that grows with the square of the depth, N/m².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progression: Option<Scalar>,
    /// Vertical force as an expression of `depth`, instead of `stiffness`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<Scalar>,
    /// Vertical damping at the nominal load, N s/m; it grows with the elastic force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Scalar>,
    /// Force along the wheel by slip; default: as `lateral`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longitudinal: Option<SlipSpec>,
    /// Force across the wheel by slip angle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateral: Option<SlipSpec>,
    /// Tanh: largest force over the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Scalar>,
    /// Relaxation length, m, or along and across; default: the radius. Zero for forces without delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relaxation: Option<RateSpec>,
    /// Time of damping of the deflection along the road at low speed, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slip_damping: Option<Scalar>,
    /// Speed below which slip is regularised, m/s; default: 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_speed: Option<Scalar>,
    /// Pneumatic trail at small slip, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trail: Option<Scalar>,
    /// Slip angle that has the same force as one radian of camber.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camber: Option<Scalar>,
    /// Rolling resistance over the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_resistance: Option<Scalar>,
}

/// Force by slip in one direction, at the nominal load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SlipSpec {
    /// Linear, tanh: N per unit of slip, or per radian of slip angle.
    Stiffness(Scalar),
    /// Tmeasy, magic formula.
    Curve(Box<SlipCurveSpec>),
}

/// Parameters of a curve of force by slip.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlipCurveSpec {
    /// Tmeasy: slope at zero slip, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slope: Option<Scalar>,
    /// Tmeasy: slip of the largest force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_slip: Option<Scalar>,
    /// Tmeasy: largest force, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<Scalar>,
    /// Tmeasy: slip from which everything slides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide_slip: Option<Scalar>,
    /// Tmeasy: force of sliding, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide: Option<Scalar>,
    /// Tmeasy: the same five at twice the nominal load; default: twice the forces at the same slips.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub double: Vec<Scalar>,
    /// Magic formula: stiffness factor.
    #[serde(rename = "B", default, skip_serializing_if = "Option::is_none")]
    pub b: Option<Scalar>,
    /// Magic formula: shape factor.
    #[serde(rename = "C", default, skip_serializing_if = "Option::is_none")]
    pub c: Option<Scalar>,
    /// Magic formula: largest force over the load.
    #[serde(rename = "D", default, skip_serializing_if = "Option::is_none")]
    pub d: Option<Scalar>,
    /// Magic formula: curvature factor, at most 1.
    #[serde(rename = "E", default, skip_serializing_if = "Option::is_none")]
    pub e: Option<Scalar>,
    /// Magic formula: change of D when the load doubles.
    #[serde(rename = "D_load", default, skip_serializing_if = "Option::is_none")]
    pub d_load: Option<Scalar>,
    /// Magic formula: load of the largest slip stiffness over the nominal one; default: none, in proportion to the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffest_load: Option<Scalar>,
}
