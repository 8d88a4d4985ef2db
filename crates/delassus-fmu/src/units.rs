//! Units of the model in the form of the standard: powers of base units.

use delassus::expr::{Dim, parse_constant};

/// Powers of base units, and how many of their product make the unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Base {
    /// 1 for SI units.
    pub factor: f64,
    /// kg
    pub mass: i8,
    /// m
    pub length: i8,
    /// s
    pub time: i8,
    /// rad, which is a plain number to the model but named in its units.
    pub angle: i8,
}

/// What is behind the text of a unit such as `N*m`, `rad/s` or `deg`; `None` for a text that is no unit.
pub fn base(unit: &str) -> Option<Base> {
    let (factor, dim) = parse_constant(&format!("1 {unit}"), &()).ok()?;
    let Dim::Known { length, mass, time } = dim else { return None };
    Some(Base { factor, mass, length, time, angle: angle(unit) })
}

/// Power of the radian as written.
fn angle(unit: &str) -> i8 {
    let mut power = 0;
    for (k, part) in unit.split('/').enumerate() {
        let n = part.split('*').filter(|f| ["rad", "deg"].contains(&f.trim())).count() as i8;
        power += if k == 0 { n } else { -n };
    }
    power
}

/// The unit of a quantity of this dimension, without spaces: `kg*m2/s2` is written `kg*m^2/s^2`.
pub fn text(dim: Dim) -> String {
    let Dim::Known { length, mass, time } = dim else { return "1".to_owned() };
    let powers = [("kg", mass), ("m", length), ("s", time)];
    let factor = |(name, power): &(&str, i8)| match power.unsigned_abs() {
        1 => (*name).to_owned(),
        p => format!("{name}^{p}"),
    };
    let over: Vec<String> = powers.iter().filter(|(_, p)| *p > 0).map(factor).collect();
    let under: Vec<String> = powers.iter().filter(|(_, p)| *p < 0).map(factor).collect();
    let mut text = if over.is_empty() { "1".to_owned() } else { over.join("*") };
    for factor in under {
        text.push('/');
        text.push_str(&factor);
    }
    text
}

/// A number with its dimension as an expression of the model file that has exactly this value.
pub fn expression(value: f64, dim: Dim) -> String {
    let mut text = format!("({value:e})");
    if let Dim::Known { length, mass, time } = dim {
        for (unit, power) in [("kg", mass), ("m", length), ("s", time)] {
            if power != 0 {
                // factors of exactly one
                text.push_str(&format!("*(1 {unit})^({power})"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_the_model_have_base_units() {
        let get = |unit| base(unit).map(|b| [b.mass, b.length, b.time, b.angle]);
        assert_eq!(get("m"), Some([0, 1, 0, 0]));
        assert_eq!(get("N*m"), Some([1, 2, -2, 0]));
        assert_eq!(get("rad/s"), Some([0, 0, -1, 1]));
        assert_eq!(get("rad"), Some([0, 0, 0, 1]));
        assert_eq!(get("furlong"), None);
        assert_eq!(base("mm").map(|b| b.factor), Some(1e-3));
        assert_eq!(get("deg"), Some([0, 0, 0, 1]));
        assert_eq!(base("deg").map(|b| b.factor), Some(std::f64::consts::PI / 180.0));
    }

    #[test]
    fn values_survive_as_expressions() {
        for dim in [Dim::Any, Dim::NONE, Dim::LENGTH, Dim::INERTIA, Dim::DAMPING, Dim::POWER] {
            for x in [0.1, -1.0 / 3.0, 6.02e23, 5e-324, -0.0, 0.0] {
                let (value, found) = parse_constant(&expression(x, dim), &()).unwrap();
                assert_eq!(value.to_bits(), x.to_bits(), "{}", expression(x, dim));
                assert!(dim.accepts(found), "{dim} {found}");
            }
        }
        assert_eq!(text(Dim::TORQUE), "kg*m^2/s^2");
        assert_eq!(text(Dim::RATE), "1/s");
        assert_eq!(text(Dim::Any), "1");
    }
}
