//! Options of the linear-implicit Euler method, and their meaning for a step.

use super::super::{MethodInfo, OptionInfo, OptionKind, Options};

pub(super) const JACOBIAN: OptionInfo = OptionInfo {
    name: "jacobian",
    summary: "implicit terms: exact (with constraint and inertia forces), j2 (all forces), j1 (by velocity only), j3 (none)",
    kind: OptionKind::Choice { default: "exact", choices: &["exact", "j1", "j2", "j3"] },
};

pub(super) const FORM: OptionInfo = OptionInfo {
    name: "form",
    summary: "constraints of a step: index2 (velocity) or index1 (acceleration; not with stabilization = ggl)",
    kind: OptionKind::Choice { default: "index2", choices: &["index1", "index2"] },
};

pub(super) const STABILIZATION: OptionInfo = OptionInfo {
    name: "stabilization",
    summary: "against drift: projection (Newton steps for q, then one for v), ggl, baumgarte or none",
    kind: OptionKind::Choice {
        default: "projection",
        choices: &["none", "baumgarte", "projection", "ggl"],
    },
};

pub(super) const MATRIX: OptionInfo = OptionInfo {
    name: "projection_matrix",
    summary: "with stabilization = projection; frozen: the matrix of the step; fresh: mass and constraints at the end, two more factorisations",
    kind: OptionKind::Choice { default: "frozen", choices: &["frozen", "fresh"] },
};

pub(super) const PROJECTIONS: OptionInfo = OptionInfo {
    name: "projections",
    summary: "with stabilization = projection: Newton steps for q; each takes the drift down by the part of a turn that bodies make in a step",
    kind: OptionKind::Whole { default: 1, min: 1, max: 10 },
};

pub(super) const ALPHA: OptionInfo = OptionInfo {
    name: "baumgarte_alpha",
    summary: "with stabilization = baumgarte; index 1: weight of dg/dt times h; index 2: weight of g times h; 1 forgets within a step",
    kind: OptionKind::Number { default: 1.0, min: 0.0, max: 2.0 },
};

pub(super) const BETA: OptionInfo = OptionInfo {
    name: "baumgarte_beta",
    summary: "with stabilization = baumgarte and index 1 only: weight of g times h squared; 1 forgets within two steps",
    kind: OptionKind::Number { default: 1.0, min: 0.0, max: 4.0 },
};

/// Which derivatives are included in the matrix of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Jacobian {
    /// By positions (K).
    pub stiffness: bool,
    /// By velocities (C).
    pub damping: bool,
    /// K and C with the terms of the acceleration and the multipliers of the step before.
    pub reactions: bool,
}

/// How drift is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stabilization {
    /// By the terms of [`Rows`] only, if at all.
    Rows,
    /// Newton steps for q, then one for v, with the matrix of the step.
    Frozen,
    /// The same with matrices at the new point.
    Fresh,
    /// Positions by a multiplier of their own, from what is known at the start of the step.
    Ggl,
}

/// G dv = −(h γ + c_v (G v₀ + g_t) + (c_g / h) g): the constraint rows of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rows {
    pub c_v: f64,
    pub c_g: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choices {
    pub jacobian: Jacobian,
    pub stabilization: Stabilization,
    /// Newton steps for q.
    pub projections: usize,
    pub rows: Rows,
}

impl Choices {
    /// Positions and velocities are projected after they were found.
    pub fn projects(&self) -> bool {
        matches!(self.stabilization, Stabilization::Frozen | Stabilization::Fresh)
    }

    pub fn new(o: &Options, m: &MethodInfo) -> Choices {
        let (stiffness, damping, reactions) = match o.word(m, JACOBIAN.name) {
            "j1" => (false, true, false),
            "j2" => (true, true, false),
            "j3" => (false, false, false),
            _ => (true, true, true),
        };
        let stabilization = match (o.word(m, STABILIZATION.name), o.word(m, MATRIX.name)) {
            ("projection", "fresh") => Stabilization::Fresh,
            ("projection", _) => Stabilization::Frozen,
            ("ggl", _) => Stabilization::Ggl,
            _ => Stabilization::Rows,
        };
        let baumgarte = o.word(m, STABILIZATION.name) == "baumgarte";
        let (alpha, beta) = (o.number(m, ALPHA.name), o.number(m, BETA.name));
        // The equations of Gear, Gupta and Leimkuhler are of index 2 by nature.
        let index1 = o.word(m, FORM.name) == "index1" && stabilization != Stabilization::Ggl;
        let rows = match (index1, baumgarte) {
            (true, false) => Rows { c_v: 0.0, c_g: 0.0 },
            (true, true) => Rows { c_v: alpha, c_g: beta },
            (false, false) => Rows { c_v: 1.0, c_g: 0.0 },
            (false, true) => Rows { c_v: 1.0, c_g: alpha },
        };
        let jacobian = Jacobian { stiffness, damping, reactions };
        let projections = o.number(m, PROJECTIONS.name) as usize;
        Choices { jacobian, stabilization, projections, rows }
    }
}
