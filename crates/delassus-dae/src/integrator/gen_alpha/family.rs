//! Members of the family by name, with their options.

use super::coefficients::Coefficients;
use super::form::{FORMS, Form};
use crate::integrator::{MethodInfo, OptionInfo, OptionKind, Options};

/// Spectral radius at infinity.
const RHO_INF: OptionInfo = OptionInfo {
    name: "rho_inf",
    summary: "spectral radius at infinity: 1 no numerical damping, 0 the strongest",
    kind: OptionKind::Number { default: 0.9, min: 0.0, max: 1.0 },
};

/// Parameter of HHT.
const ALPHA: OptionInfo = OptionInfo {
    name: "alpha",
    summary: "numerical damping: 0 none, -1/3 the strongest",
    kind: OptionKind::Number { default: -0.2, min: -1.0 / 3.0, max: 0.0 },
};

/// Parameters of Newmark. Stable for every step when 2β ≥ γ ≥ ½.
const BETA: OptionInfo = OptionInfo {
    name: "beta",
    summary: "weight of the new acceleration in positions; at least gamma/2 for stability",
    kind: OptionKind::Number { default: 0.25, min: 0.25, max: 1.0 },
};
const GAMMA: OptionInfo = OptionInfo {
    name: "gamma",
    summary: "weight of the new acceleration in velocities; above 0.5 damps, at order 1",
    kind: OptionKind::Number { default: 0.5, min: 0.5, max: 1.0 },
};

const fn form(default: &'static str) -> OptionInfo {
    OptionInfo {
        name: "form",
        summary: "constraints solved for: positions, velocities, or both",
        kind: OptionKind::Choice { default, choices: FORMS },
    }
}

/// What the members have in common.
const BASE: MethodInfo = MethodInfo {
    order: [2, 2, 2],
    dense_order: 2,
    stiff: true,
    error_order: 3,
    per_unit_step: true,
    holds_step: true,
    default_rtol: 1e-6,
    citation: "Chung & Hulbert 1993; Arnold & Brüls 2007; Brüls, Cardona & Arnold 2012",
    ..MethodInfo::BASE
};

/// Index 3.
const INDEX3: MethodInfo = MethodInfo {
    name: "gen-alpha",
    aliases: &["gen-alpha-index3"],
    summary: "generalized-alpha on index 3, Lie group; stiff systems, adaptive or fixed step",
    index: 3,
    options: &[RHO_INF],
    ..BASE
};

/// Index 2.
const INDEX2: MethodInfo = MethodInfo {
    name: "gen-alpha-index2",
    summary: "generalized-alpha on index 2: velocity constraints exact, positions drift",
    index: 2,
    options: &[RHO_INF],
    ..BASE
};

/// Stabilised index 2.
const STABILIZED: MethodInfo = MethodInfo {
    name: "gen-alpha-ggl",
    summary: "generalized-alpha on stabilised index 2: position and velocity constraints exact",
    index: 2,
    options: &[RHO_INF],
    citation: "Gear, Gupta & Leimkuhler 1985; Arnold & Brüls 2007; Haddouni et al. 2017",
    ..BASE
};

/// HHT-α. Damps at infinity for α < 0, so the index-3 form is stable.
const HHT: MethodInfo = MethodInfo {
    name: "hht",
    aliases: &["hht-alpha"],
    summary: "HHT-alpha, for comparison with other codes; gen-alpha damps low frequencies less",
    index: 3,
    options: &[ALPHA, form("index3")],
    citation: "Hilber, Hughes & Taylor 1977; Negrut, Rampalli, Ottarsson & Sajdak 2007",
    ..BASE
};

/// Newmark. The trapezoidal rule damps nothing: on index 3 its multipliers have a double root −1 and grow, so the
/// default is a form that is stable.
const NEWMARK: MethodInfo = MethodInfo {
    name: "newmark",
    summary: "Newmark, by default the trapezoidal rule without numerical damping",
    index: 2,
    options: &[BETA, GAMMA, form("ggl")],
    citation: "Newmark 1959; Gear, Gupta & Leimkuhler 1985",
    ..BASE
};

/// A member of the family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::integrator) enum Member {
    Index3,
    Index2,
    Stabilized,
    Hht,
    Newmark,
}

impl Member {
    /// Its description.
    pub const fn info(self) -> MethodInfo {
        match self {
            Member::Index3 => INDEX3,
            Member::Index2 => INDEX2,
            Member::Stabilized => STABILIZED,
            Member::Hht => HHT,
            Member::Newmark => NEWMARK,
        }
    }

    /// Coefficients and form with its options.
    pub(super) fn scheme(self, o: &Options) -> (Coefficients, Form) {
        let m = &self.info();
        let spectral = || Coefficients::spectral(o.number(m, RHO_INF.name));
        match self {
            Member::Index3 => (spectral(), Form::Index3),
            Member::Index2 => (spectral(), Form::Index2),
            Member::Stabilized => (spectral(), Form::Stabilized),
            Member::Hht => {
                (Coefficients::hht(o.number(m, ALPHA.name)), Form::named(o.word(m, "form")))
            }
            Member::Newmark => {
                let (beta, gamma) = (o.number(m, BETA.name), o.number(m, GAMMA.name));
                (Coefficients::newmark(beta, gamma), Form::named(o.word(m, "form")))
            }
        }
    }
}
