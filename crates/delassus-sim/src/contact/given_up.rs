//! What time-stepping gave up for the sake of an answer.

use delassus_nonsmooth::StepReport;

/// Something that happened in some steps, and first at a time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Steps {
    /// How many steps.
    pub count: u64,
    /// Start of the first of them, s.
    pub first: Option<f64>,
}

impl Steps {
    fn add(&mut self, t: f64, happened: bool) {
        if happened {
            self.count += 1;
            self.first.get_or_insert(t);
        }
    }
}

/// A largest value, and when it was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worst {
    /// The value.
    pub value: f64,
    /// Start of the step, s.
    pub t: f64,
}

impl Worst {
    fn add(&mut self, t: f64, value: f64) {
        // a value that is no number is the worst
        if !(value <= self.value) {
            *self = Worst { value, t };
        }
    }
}

/// Counts over all steps so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GivenUp {
    /// Steps in which the restitution of some impact was reduced; the log has an entry for each point.
    pub restitution_reduced: Steps,
    /// Steps that were halved, because their contact problem had no solution that could be found.
    pub halved: Steps,
    /// Steps with implicit forces.
    pub implicit: Steps,
    /// Steps in which some contact problem was solved to the tolerance of large ones only.
    pub loosened: Steps,
    /// Deepest penetration at the end of a step, m; angles at the length of the model.
    pub penetration: Worst,
    /// Largest residual of a contact problem, a pure number.
    pub residual: Worst,
}

impl GivenUp {
    /// Takes in a step that began at `t`.
    pub(super) fn add(&mut self, t: f64, r: &StepReport) {
        self.restitution_reduced.add(t, r.softened > 0);
        self.halved.add(t, r.halvings > 0);
        self.implicit.add(t, r.implicit);
        self.loosened.add(t, r.loose);
        self.penetration.add(t, r.penetration);
        self.residual.add(t, r.residual);
    }
}
