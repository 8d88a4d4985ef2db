//! Numbers as people write them.

use std::fmt;

/// A number in the shortest form that reads back to the same bits: with an exponent where it would otherwise have more
/// zeros than a reader counts. `0.05`, `12`, `1e300`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plain(pub f64);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let x = self.0;
        let short = x == 0.0 || !x.is_finite() || (1e-5..1e16).contains(&x.abs());
        if short { write!(f, "{x}") } else { write!(f, "{x:e}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_long_rows_of_zeros() {
        let text = |x| Plain(x).to_string();
        for (x, expected) in [
            (0.05, "0.05"),
            (12.0, "12"),
            (-0.0, "-0"),
            (1e300, "1e300"),
            (-5e-324, "-5e-324"),
            (0.00001, "0.00001"),
            (9.9e-6, "9.9e-6"),
            (1e15, "1000000000000000"),
            (1e16, "1e16"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(text(x), expected);
            assert_eq!(text(x).parse::<f64>().unwrap().to_bits(), x.to_bits());
        }
    }
}
