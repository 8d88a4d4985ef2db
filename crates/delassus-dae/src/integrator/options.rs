//! Options that only some methods have: described by the method, given by name.

use super::MethodInfo;
use thiserror::Error;

/// An option of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptionInfo {
    /// Name in `--method-option NAME=VALUE` and in the `[method]` table.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// Its allowed values.
    pub kind: OptionKind,
}

/// Allowed values of an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OptionKind {
    /// A number without unit in a closed interval.
    Number {
        /// Default.
        default: f64,
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A number per second in a closed interval.
    Rate {
        /// Default.
        default: f64,
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A whole number in a closed interval.
    Whole {
        /// Default.
        default: u32,
        /// Smallest value.
        min: u32,
        /// Largest value.
        max: u32,
    },
    /// One of several words.
    Choice {
        /// Default.
        default: &'static str,
        /// All of them.
        choices: &'static [&'static str],
    },
}

impl OptionKind {
    /// Default, smallest and largest value of a number.
    pub fn range(&self) -> Option<[f64; 3]> {
        match *self {
            OptionKind::Number { default, min, max } | OptionKind::Rate { default, min, max } => {
                Some([default, min, max])
            }
            OptionKind::Whole { default, min, max } => Some([default, min, max].map(f64::from)),
            OptionKind::Choice { .. } => None,
        }
    }

    /// Whether an option of this kind may have the value.
    pub fn allows(&self, value: &OptionValue) -> bool {
        match (self, value) {
            (OptionKind::Choice { choices, .. }, OptionValue::Word(w)) => {
                choices.contains(&w.as_str())
            }
            (kind, OptionValue::Number(x)) => {
                let fits = |[_, min, max]: [f64; 3]| (min..=max).contains(x);
                let whole = !matches!(kind, OptionKind::Whole { .. }) || x.fract() == 0.0;
                whole && kind.range().is_some_and(fits)
            }
            _ => false,
        }
    }

    /// What a value must be, in words.
    pub fn rule(&self) -> String {
        match self {
            OptionKind::Number { min, max, .. } => format!("a number from {min} to {max}"),
            OptionKind::Rate { min, max, .. } => format!("a number from {min} to {max} per second"),
            OptionKind::Whole { min, max, .. } => format!("a whole number from {min} to {max}"),
            OptionKind::Choice { choices, .. } => format!("one of: {}", choices.join(", ")),
        }
    }
}

/// A value as given.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValue {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

impl std::fmt::Display for OptionValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OptionValue::Number(x) => write!(f, "{x}"),
            OptionValue::Word(w) => write!(f, "{w}"),
        }
    }
}

/// An option that a method does not have, or a value it cannot take.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum OptionError {
    /// No such option.
    #[error("{method} has no option `{name}`{}", list(.known))]
    Unknown {
        /// Method.
        method: &'static str,
        /// As given.
        name: String,
        /// Options it has.
        known: Vec<&'static str>,
    },
    /// Not a value of this option.
    #[error("{name} is {value}, but must be {rule}")]
    Value {
        /// Option.
        name: &'static str,
        /// As given.
        value: String,
        /// Its allowed values.
        rule: String,
    },
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "; it has none".to_owned()
    } else {
        format!("; it has: {}", names.join(", "))
    }
}

/// Options as given; the last one wins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    given: Vec<(String, OptionValue)>,
}

impl Options {
    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: OptionValue) {
        let name = name.into();
        self.given.retain(|(n, _)| *n != name);
        self.given.push((name, value));
    }

    /// The same with a number added; for tests and examples.
    pub fn with(mut self, name: &str, value: f64) -> Options {
        self.set(name, OptionValue::Number(value));
        self
    }

    /// The same with a word added.
    pub fn with_word(mut self, name: &str, value: &str) -> Options {
        self.set(name, OptionValue::Word(value.to_owned()));
        self
    }

    /// The options as given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OptionValue)> {
        self.given.iter().map(|(n, v)| (n.as_str(), v))
    }

    /// Keeps only the options for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.given.retain(|(n, _)| keep(n));
    }

    fn get(&self, name: &str) -> Option<&OptionValue> {
        self.given.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// Value of a number, or its default. The method must have the option.
    pub fn number(&self, m: &MethodInfo, name: &str) -> f64 {
        match (self.get(name), m.option(name).map(|o| o.kind)) {
            (Some(OptionValue::Number(x)), _) => *x,
            (_, kind) => match kind.and_then(|k| k.range()) {
                Some([default, ..]) => default,
                None => {
                    debug_assert!(false, "{} has no number {name}", m.name);
                    f64::NAN
                }
            },
        }
    }

    /// Value of a choice, or its default. The method must have the option.
    pub fn word(&self, m: &MethodInfo, name: &str) -> &'static str {
        match m.option(name).map(|o| o.kind) {
            Some(OptionKind::Choice { default, choices }) => match self.get(name) {
                Some(OptionValue::Word(w)) => {
                    choices.iter().copied().find(|c| c == w).unwrap_or(default)
                }
                _ => default,
            },
            _ => {
                debug_assert!(false, "{} has no choice {name}", m.name);
                ""
            }
        }
    }

    /// Rejects options that the method does not have and values it cannot take.
    pub fn check(&self, m: &MethodInfo) -> Result<(), OptionError> {
        for (name, value) in &self.given {
            let Some(o) = m.option(name) else {
                return Err(OptionError::Unknown {
                    method: m.name,
                    name: name.clone(),
                    known: m.options.iter().map(|o| o.name).collect(),
                });
            };
            if !o.kind.allows(value) {
                let (value, rule) = (value.to_string(), o.kind.rule());
                return Err(OptionError::Value { name: o.name, value, rule });
            }
        }
        Ok(())
    }
}
