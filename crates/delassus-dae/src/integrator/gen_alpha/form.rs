//! Which constraints a step solves for.

/// Form of the constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// g = 0; G v + g_t is left to O(h²).
    Index3,
    /// G v + g_t = 0; g drifts with O(h²).
    Index2,
    /// Both, with a position correction M p = Gᵀη beside the step (Gear, Gupta & Leimkuhler).
    Stabilized,
}

/// Names of the forms in options.
pub(super) const FORMS: &[&str] = &["index3", "index2", "ggl"];

impl Form {
    /// The form of a name in [`FORMS`].
    pub fn named(name: &str) -> Form {
        match name {
            "index2" => Form::Index2,
            "ggl" => Form::Stabilized,
            _ => Form::Index3,
        }
    }

    /// Newton's rows are velocity constraints (rolling rows are so in every form).
    pub fn at_velocity(self) -> bool {
        self != Form::Index3
    }
}
