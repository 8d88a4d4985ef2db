//! The description of a finding.

/// A relation that does not hold.
#[derive(Debug, Clone)]
pub struct Violation {
    /// Which relation, with the method or scheme if that matters.
    pub relation: String,
    /// How it is violated in one word: `differs`, or the code of the failure.
    pub kind: String,
    /// By how much, where and when.
    pub text: String,
    /// Multiple of what is allowed.
    pub amount: f64,
    /// The other model file.
    pub twin: Option<String>,
}

impl Violation {
    /// A violation without another model file.
    pub fn new(relation: &str, kind: String, text: String, amount: f64) -> Violation {
        Violation { relation: relation.to_owned(), kind, text, amount, twin: None }
    }

    /// Adds the file that must agree with the model.
    pub fn with_twin(self, twin: String) -> Violation {
        Violation { twin: Some(twin), ..self }
    }
}
