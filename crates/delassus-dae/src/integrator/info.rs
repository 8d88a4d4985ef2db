//! The description of a method.

use super::options::OptionInfo;

/// Name, order and abilities of a method with default options. Other options may change order or index; where a run
/// depends on it, the created method says so (`mal` with `driver = "rk4"` cannot adapt its step). Entries start from
/// [`MethodInfo::BASE`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MethodInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// Other names of the same method.
    pub aliases: &'static [&'static str],
    /// One line for lists.
    pub summary: &'static str,
    /// Order in q, v and λ.
    pub order: [u32; 3],
    /// Order of the values between steps.
    pub dense_order: u32,
    /// Varies its order: the one above is the highest, not one that it keeps.
    pub varies_order: bool,
    /// Differentiation index of the constraints it works on.
    pub index: u8,
    /// Implicit, for stiff systems.
    pub stiff: bool,
    /// h ω at which a vibration without damping grows by 1e-4 with each step of an explicit method that adapts: no vibration lets
    /// steps be much longer. 0: it does not apply.
    pub swing: f64,
    /// Can vary its step to a tolerance.
    pub adaptive: bool,
    /// The local error estimate behaves like h to this power.
    pub error_order: u32,
    /// Step control keeps the error per characteristic time (instead of per step) below the tolerance. Right for
    /// methods whose estimate is that of the solution itself; a pair that continues with the better of two solutions
    /// has the same effect built in.
    pub per_unit_step: bool,
    /// A change of the step costs a matrix or a history, so small changes are avoided.
    pub holds_step: bool,
    /// Works with full matrices, whose memory grows with the square of the number of coordinates.
    pub full_matrices: bool,
    /// Tolerance used when none is given.
    pub default_rtol: f64,
    /// What it can run.
    pub can: Abilities,
    /// Its options.
    pub options: &'static [OptionInfo],
    /// Literature.
    pub citation: &'static str,
}

/// Kinds of models that not every method can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Redundant constraints.
    pub redundant: bool,
    /// Constraints that barely hold a direction, by less than 1e-4, like hinges whose axes are tilted against each
    /// other by so little.
    pub delicate: bool,
    /// Positions where the constraints lose rank for a moment.
    pub singular: bool,
    /// Rolling and other constraints without a position level.
    pub rolling: bool,
    /// Auxiliary states (controllers).
    pub auxiliary: bool,
    /// Coordinates without inertia.
    pub massless: bool,
    /// Contacts: steps that are repeated up to an event.
    pub events: bool,
}

impl Abilities {
    /// Everything.
    pub const ALL: Abilities = Abilities {
        redundant: true,
        delicate: true,
        singular: true,
        rolling: true,
        auxiliary: true,
        massless: true,
        events: true,
    };

    /// All but constraints that are almost dependent: penalties and filtered factors release these.
    pub const NOT_DELICATE: Abilities = Abilities { delicate: false, ..Abilities::ALL };

    /// What a model needs (given as abilities) that is missing here, in words.
    pub fn missing(&self, needs: &Abilities) -> Vec<&'static str> {
        [
            (needs.redundant && !self.redundant, "redundant constraints"),
            (needs.delicate && !self.delicate, "constraints that are almost dependent"),
            (needs.singular && !self.singular, "singular positions"),
            (needs.rolling && !self.rolling, "rolling constraints"),
            (needs.auxiliary && !self.auxiliary, "controllers with states of their own"),
            (needs.massless && !self.massless, "massless bodies"),
            (needs.events && !self.events, "contacts"),
        ]
        .into_iter()
        .filter_map(|(missing, what)| missing.then_some(what))
        .collect()
    }
}

impl MethodInfo {
    /// Common base of the entries: an adaptive method that can run everything.
    pub const BASE: MethodInfo = MethodInfo {
        name: "",
        aliases: &[],
        summary: "",
        order: [1, 1, 1],
        dense_order: 1,
        varies_order: false,
        index: 1,
        stiff: false,
        swing: 0.0,
        adaptive: true,
        error_order: 2,
        per_unit_step: false,
        holds_step: false,
        full_matrices: false,
        default_rtol: 1e-6,
        can: Abilities::ALL,
        options: &[],
        citation: "",
    };

    /// Whether this is its name or one of its aliases.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// The option of this name, if the method has it.
    pub fn option(&self, name: &str) -> Option<&'static OptionInfo> {
        self.options.iter().find(|o| o.name == name)
    }
}
