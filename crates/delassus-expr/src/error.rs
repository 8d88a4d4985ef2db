//! What can be wrong with an expression, where, and what to do about it.

use crate::{Dim, MAX_DEPTH, MAX_LENGTH, functions, units};
use std::fmt;
use std::ops::Range;

/// Why an expression was rejected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ExprErrorKind {
    /// A name that is neither in the scope nor a built-in constant.
    UnknownName {
        /// The name as written.
        name: String,
        /// The nearest known name.
        suggestion: Option<String>,
    },
    /// A variable where only parameters are allowed.
    NotConstant {
        /// The name of the variable.
        name: String,
    },
    /// A call of a function that does not exist.
    UnknownFunction {
        /// The name as written.
        name: String,
        /// The nearest function name.
        suggestion: Option<String>,
        /// Whether the scope has a parameter or variable of that name.
        is_name: bool,
    },
    /// A call with too few or too many arguments.
    WrongArgumentCount {
        /// The function.
        name: String,
        /// How many arguments it takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// Something that is not allowed at this place.
    UnexpectedToken {
        /// The text found.
        found: String,
        /// What is allowed there.
        expected: &'static str,
    },
    /// The text ends too early.
    UnexpectedEnd {
        /// What is missing.
        expected: &'static str,
    },
    /// Something that begins like a number but is not one.
    BadNumber {
        /// The text as written.
        text: String,
    },
    /// A constant that is infinite or NaN.
    NonFinite {
        /// The value it has.
        value: f64,
    },
    /// A name directly after a number that is not a unit.
    UnknownUnit {
        /// The name as written.
        name: String,
        /// The nearest unit.
        suggestion: Option<String>,
        /// Whether it is the name of a parameter, variable or function.
        is_name: bool,
    },
    /// A unit joined to another by `*` or `/` without spaces that is also the name of a parameter or a
    /// variable: in `10 rad/s*t` the tonne or the time, in `360 deg/N` the newton or a number.
    AmbiguousUnit {
        /// The name as written.
        name: String,
        /// How to write the unit.
        unit: String,
        /// How to write the other.
        other: String,
    },
    /// The part at the span has the dimension `found` where `expected` is needed.
    DimensionMismatch {
        /// The dimension needed.
        expected: Dim,
        /// The dimension of the part at the span.
        found: Dim,
        /// Which part it is.
        context: String,
    },
    /// A root or power whose dimension would not be a whole power of the base units.
    FractionalDimension {
        /// The dimension of the part at the span.
        found: Dim,
        /// The exponent.
        exponent: f64,
    },
    /// A power of a base unit beyond the range of `i8`.
    DimensionTooLarge,
    /// More than [`MAX_LENGTH`] bytes.
    TooLong {
        /// The length in bytes.
        length: usize,
    },
    /// Nested more than [`MAX_DEPTH`] deep.
    TooDeep,
    /// A comma for the decimal point.
    DecimalComma,
    /// A placeholder in a name whose value is not an integer.
    NotAnInteger {
        /// The value it has.
        value: f64,
    },
}

/// An error in an expression and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ExprError {
    /// What is wrong.
    pub kind: ExprErrorKind,
    /// Where it is wrong: a byte range in the source, always on character boundaries.
    pub span: Range<usize>,
}

impl ExprError {
    pub(crate) fn new(kind: ExprErrorKind, span: impl Into<Range<usize>>) -> ExprError {
        ExprError { kind, span: span.into() }
    }

    /// What to do next, if anything can be suggested.
    pub fn help(&self) -> Option<String> {
        use ExprErrorKind as K;
        Some(match &self.kind {
            K::UnknownName { name, suggestion } => match suggestion {
                _ if functions::lookup(name).is_some() => {
                    format!("`{name}` is a function: give it arguments, as in `{name}(...)`")
                }
                _ if units::lookup(name).is_some() => {
                    format!("a unit stands directly after a number, as in `1 {name}`")
                }
                Some(other) => format!("did you mean `{other}`?"),
                None => "check the spelling, or define a parameter of this name".into(),
            },
            K::NotConstant { .. } => "use only numbers and parameters here".into(),
            K::UnknownFunction { is_name: true, .. } => {
                "to multiply, write `*` before the parenthesis".into()
            }
            K::UnknownFunction { name, suggestion, .. } => match elsewhere(name) {
                Some(own) => format!("here it is {own}"),
                None => did_you_mean(suggestion)?,
            },
            K::WrongArgumentCount { name, .. } => functions::lookup(name)?.usage.into(),
            K::UnexpectedToken { found, .. } => token_help(found)?.into(),
            K::UnexpectedEnd { expected } => format!("add {expected}"),
            K::BadNumber { .. } => {
                "write numbers like `1500`, `1.5` or `1.5e-3`, without separators".into()
            }
            K::NonFinite { .. } => {
                "check for a division by zero, a root or logarithm of a negative number, \
                 or an overflow"
                    .into()
            }
            K::UnknownUnit { is_name: true, .. } => {
                "to multiply, write `*` between the number and the name".into()
            }
            K::UnknownUnit { suggestion, .. } => did_you_mean(suggestion).unwrap_or_else(|| {
                "use a unit such as `mm`, `kg`, `s`, `deg`, `N` or `rpm`".into()
            }),
            K::AmbiguousUnit { name, unit, other } => {
                format!("write `{unit}` for the unit, `{other}` for the other `{name}`")
            }
            K::DimensionMismatch { expected, .. } if *expected == Dim::NONE => {
                "divide by a quantity of the same dimension to get a plain number".into()
            }
            K::DimensionMismatch { expected, .. } => {
                format!("give it in {expected}, or check the units of the parameters in it")
            }
            K::FractionalDimension { .. } => {
                "use an exponent that leaves whole powers of m, kg and s".into()
            }
            K::TooLong { .. } | K::TooDeep => {
                "split the expression: give its parts names as parameters".into()
            }
            K::DecimalComma => "write a decimal point, as in `1.5`".into(),
            K::NotAnInteger { .. } => {
                "make the value whole, for instance with `floor` or `round`".into()
            }
            K::DimensionTooLarge => return None,
        })
    }
}

fn did_you_mean(suggestion: &Option<String>) -> Option<String> {
    suggestion.as_ref().map(|s| format!("did you mean `{s}`?"))
}

fn token_help(found: &str) -> Option<&'static str> {
    Some(match found {
        "=" => "to compare, write `==`",
        "&" => "for a logical and, write `&&`",
        "|" => "for a logical or, write `||`; for a magnitude, `abs(...)`",
        "*" => "for a power, write `^`",
        "%" => "for a remainder, write `mod(a, b)`; for a percentage, divide by 100",
        "<" | "<=" | ">" | ">=" | "==" | "!=" => "comparisons do not chain: write `a < b && b < c`",
        ";" => "separate arguments with `,`",
        "[" | "]" | "{" => "group with `(` and `)`",
        "}" => "for a literal brace, write `}}`",
        "\u{2212}" | "\u{2013}" => "write the ASCII minus `-`",
        "\u{d7}" | "\u{b7}" | "\u{22c5}" => "write `*`",
        "\u{f7}" => "write `/`",
        "\u{b5}" | "\u{3bc}" => "for micro, write `u`, as in `um`",
        "\u{b0}" => "for degrees, write `deg`",
        "\u{3c0}" => "write `pi`",
        "\u{b2}" => "write `^2`",
        "\u{b3}" => "write `^3`",
        "\u{221a}" => "write `sqrt(...)`",
        _ => return None,
    })
}

/// What a function of other programs is called here.
fn elsewhere(name: &str) -> Option<&'static str> {
    Some(match name {
        "log" => "`ln(x)`, or `log10(x)` to base 10",
        "pow" | "power" => "`x^y`",
        "arcsin" => "`asin(x)`",
        "arccos" => "`acos(x)`",
        "arctan" => "`atan(x)`",
        _ => return None,
    })
}

/// Keeps a message readable when a name is absurdly long.
fn short(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ExprErrorKind as K;
        match &self.kind {
            K::UnknownName { name, .. } => write!(f, "unknown name `{}`", short(name)),
            K::NotConstant { name } => {
                write!(f, "`{}` varies, but a constant is needed here", short(name))
            }
            K::UnknownFunction { name, .. } => write!(f, "unknown function `{}`", short(name)),
            K::WrongArgumentCount { name, expected, found } => {
                let plural = if *expected == 1 { "" } else { "s" };
                write!(f, "`{name}` takes {expected} argument{plural}, found {found}")
            }
            K::UnexpectedToken { found, expected } => {
                write!(f, "found `{}` where {expected} was expected", short(found))
            }
            K::UnexpectedEnd { expected } => {
                write!(f, "the text ends where {expected} was expected")
            }
            K::BadNumber { text } => write!(f, "`{}` is not a number", short(text)),
            K::NonFinite { value } => write!(f, "the value is {value}, but it must be finite"),
            K::UnknownUnit { name, .. } => {
                write!(f, "found `{}` after a number, which is not a unit", short(name))
            }
            K::AmbiguousUnit { name, .. } => {
                write!(f, "`{name}` is both a unit and a parameter or variable")
            }
            K::DimensionMismatch { expected, found, context } => {
                write!(f, "{context} is in {found}, but {expected} was expected")
            }
            K::FractionalDimension { found, exponent } => {
                write!(f, "a quantity in {found} has no power {exponent}")
            }
            K::DimensionTooLarge => write!(f, "the power of a unit is out of range"),
            K::TooLong { length } => {
                write!(f, "{length} bytes are too long, the limit is {MAX_LENGTH}")
            }
            K::TooDeep => write!(f, "nested too deeply, the limit is {MAX_DEPTH} levels"),
            K::DecimalComma => write!(f, "found a comma in a number"),
            K::NotAnInteger { value } => {
                write!(f, "the value is {value}, but an integer is needed in a name")
            }
        }
    }
}

impl std::error::Error for ExprError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_shortened() {
        let name = "\u{e9}".repeat(500);
        let error = ExprError::new(ExprErrorKind::UnknownName { name, suggestion: None }, 0..1);
        assert!(error.to_string().len() < 150);
        assert!(error.help().is_some());
    }

    #[test]
    fn text_and_help() {
        let error = ExprError::new(
            ExprErrorKind::UnexpectedToken { found: "=".into(), expected: "an operator" },
            2..3,
        );
        assert_eq!(error.to_string(), "found `=` where an operator was expected");
        assert_eq!(error.help().as_deref(), Some("to compare, write `==`"));
    }
}
