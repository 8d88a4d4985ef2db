//! Names and options of time-stepping methods.
//!
//! They resolve contact over fixed steps and are created elsewhere (`delassus-nonsmooth`); model files and lists need
//! the same description of them as of every method. Orders are those with impacts.

use super::info::MethodInfo;
use super::options::{OptionInfo, OptionKind};

/// Velocities, with θ.
const MOREAU_JEAN: MethodInfo = MethodInfo {
    name: "moreau-jean",
    summary: "velocities and impulses over a step (theta rule); robust, the default of time-stepping",
    options: &[OptionInfo {
        name: "theta",
        summary: "weight of the end of a step: 0.5 midpoint rule, 1 damps fast vibrations most",
        kind: OptionKind::Number { default: 0.5, min: 0.5, max: 1.0 },
    }],
    citation: "Moreau (1988); Jean, Comput. Methods Appl. Mech. Eng. 177 (1999)",
    ..BASE
};

/// Positions at three times.
const SCHATZMAN_PAOLI: MethodInfo = MethodInfo {
    name: "schatzman-paoli",
    summary: "positions at three times; enters by part of one step at an impact; for comparison",
    citation: "Paoli & Schatzman, SIAM J. Numer. Anal. 40 (2002)",
    ..BASE
};

/// Generalized-α with separate impulses.
const NONSMOOTH_GEN_ALPHA: MethodInfo = MethodInfo {
    name: "nonsmooth-gen-alpha",
    summary: "generalized-alpha for smooth motion, impulses apart; for stiff or vibrating parts",
    options: &[OptionInfo {
        name: "rho_inf",
        summary: "spectral radius at infinity: 1 no numerical damping, 0 the strongest",
        kind: OptionKind::Number { default: 0.8, min: 0.0, max: 1.0 },
    }],
    citation: "Brüls, Acary & Cardona, Comput. Methods Appl. Mech. Eng. 281 (2014)",
    ..BASE
};

const BASE: MethodInfo = MethodInfo { index: 2, stiff: true, adaptive: false, ..MethodInfo::BASE };

/// A method of time-stepping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SteppingId {
    /// Velocities, with θ.
    MoreauJean,
    /// Positions at three times.
    SchatzmanPaoli,
    /// Generalized-α with separate impulses.
    NonsmoothGenAlpha,
}

impl SteppingId {
    /// All of them, in the order of lists.
    pub const ALL: [SteppingId; 3] =
        [SteppingId::MoreauJean, SteppingId::SchatzmanPaoli, SteppingId::NonsmoothGenAlpha];

    /// Its description.
    pub const fn info(self) -> MethodInfo {
        match self {
            SteppingId::MoreauJean => MOREAU_JEAN,
            SteppingId::SchatzmanPaoli => SCHATZMAN_PAOLI,
            SteppingId::NonsmoothGenAlpha => NONSMOOTH_GEN_ALPHA,
        }
    }

    /// The method with this name.
    pub fn named(name: &str) -> Option<SteppingId> {
        SteppingId::ALL.into_iter().find(|m| m.info().is_called(name))
    }
}
