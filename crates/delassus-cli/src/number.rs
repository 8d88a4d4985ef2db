//! Numbers on the command line: expressions with units, as in model files.

use crate::fault::Fault;
use delassus::expr::{Dim, ExprError, ExprErrorKind, parse_constant};
use delassus::math::Plain;

/// Value of an option in SI units.
pub fn number(option: &str, text: &str, dim: Dim) -> Result<f64, Box<Fault>> {
    let fault = |code: &str, message: &str, help: &str| {
        let message = format!("in \"{text}\": {message}");
        Err(Box::new(Fault::new(code, option, message).help(help)))
    };
    let word = text.trim().trim_start_matches(['+', '-']);
    let words = ["nan", "inf", "infinity"];
    if words.iter().any(|w| word.eq_ignore_ascii_case(w)) {
        let message = "the value must be finite";
        return fault("E_NONFINITE", message, "give a finite number");
    }
    let (value, found) = match parse_constant(text, &()) {
        Ok(found) => found,
        Err(e) => {
            let help = e.help();
            let help = help.as_deref().unwrap_or("write a number such as 1e-3 or \"10 ms\"");
            return fault(code(&e), &e.to_string(), help);
        }
    };
    if !value.is_finite() {
        let message = format!("the value is {value}, but it must be finite");
        return fault("E_NONFINITE", &message, "give a finite number");
    }
    if !dim.accepts(found) {
        let message = format!("the value is in {found}, but {dim} was expected");
        return fault("E_DIMENSION", &message, &format!("give it in {dim}"));
    }
    Ok(value)
}

/// 2^53: above it not every whole number can be represented.
const MOST_COUNTED: f64 = 9_007_199_254_740_992.0;

/// Value of an option that counts something.
pub fn count(option: &str, text: &str) -> Result<u64, Box<Fault>> {
    let value = number(option, text, Dim::NONE)?;
    if value.fract() != 0.0 || !(1.0..=MOST_COUNTED).contains(&value) {
        let bound = if value > MOST_COUNTED { "at most 2^53" } else { "at least 1" };
        let message =
            format!("the value is {}, but a whole number of {bound} is needed", Plain(value));
        let fault = Fault::new("E_RANGE", option, message).help("give a count such as 100000");
        return Err(Box::new(fault));
    }
    Ok(value as u64)
}

fn code(e: &ExprError) -> &'static str {
    match e.kind {
        ExprErrorKind::UnknownName { .. } => "E_UNKNOWN_NAME",
        ExprErrorKind::NonFinite { .. } => "E_NONFINITE",
        ExprErrorKind::DimensionMismatch { .. } => "E_DIMENSION",
        _ => "E_EXPRESSION",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_with_units() {
        assert_eq!(number("--step", "10 ms", Dim::TIME).unwrap(), 0.01);
        assert_eq!(number("--end", "2*pi", Dim::TIME).unwrap(), std::f64::consts::TAU);
        assert_eq!(number("--rtol", "1e-3", Dim::NONE).unwrap(), 1e-3);
        assert_eq!(count("--max-steps", "1e6").unwrap(), 1_000_000);
        let code = |text, dim| number("--step", text, dim).unwrap_err().code;
        assert_eq!(code("10 kg", Dim::TIME), "E_DIMENSION");
        assert_eq!(code("nan", Dim::TIME), "E_NONFINITE");
        assert_eq!(code("1/0", Dim::TIME), "E_NONFINITE");
        assert_eq!(code("1e999", Dim::TIME), "E_NONFINITE");
        assert_eq!(code("L", Dim::TIME), "E_UNKNOWN_NAME");
        assert_eq!(code("1 +", Dim::TIME), "E_EXPRESSION");
        assert!(count("--max-steps", "0").is_err());
        assert!(count("--max-steps", "2.5").is_err());
    }
}
