//! Numbers on the command line: expressions with units, as in model files.

use crate::fault::Fault;
use delassus::expr::{Dim, ExprError, ExprErrorKind, parse_constant};

/// Value of an option in SI units.
pub fn number(option: &str, text: &str, dim: Dim) -> Result<f64, Fault> {
    let fault = |code: &str, message: String| {
        Fault::new(code, option, format!("in \"{text}\": {message}"))
    };
    let word = text.trim().trim_start_matches(['+', '-']);
    if ["nan", "inf", "infinity"].iter().any(|w| word.eq_ignore_ascii_case(w)) {
        return Err(fault("E_NONFINITE", "the value must be finite".to_owned())
            .help("give a finite number"));
    }
    let (value, found) = parse_constant(text, &()).map_err(|e| {
        let help = e.help().unwrap_or_else(|| "write a number such as 1e-3 or \"10 ms\"".to_owned());
        fault(code(&e), e.to_string()).help(help)
    })?;
    if !value.is_finite() {
        return Err(fault("E_NONFINITE", format!("the value is {value}, but it must be finite"))
            .help("give a finite number"));
    }
    if !dim.accepts(found) {
        return Err(fault("E_DIMENSION", format!("the value is in {found}, but {dim} was expected"))
            .help(format!("give it in {dim}")));
    }
    Ok(value)
}

/// Value of an option that counts something.
pub fn count(option: &str, text: &str) -> Result<u64, Fault> {
    let value = number(option, text, Dim::NONE)?;
    // Above 2^53 not every whole number exists.
    if value.fract() != 0.0 || !(1.0..=9.007_199_254_740_992e15).contains(&value) {
        let message = format!("the value is {value}, but a whole number of at least 1 is needed");
        return Err(Fault::new("E_RANGE", option, message).help("give a count such as 100000"));
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
