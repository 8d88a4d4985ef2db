//! Units of measurement.

use crate::Dim;
use std::f64::consts::PI;

/// A unit as an exact ratio and a power of pi, so that `12 mm` is the same number as `0.012` and
/// `90 deg` the same as `pi/2`, which a rounded factor would not guarantee.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    num: f64,
    den: f64,
    pi: i8,
    pub(crate) dim: Dim,
}

impl Unit {
    const fn new(num: f64, den: f64, pi: i8, dim: Dim) -> Unit {
        Unit { num, den, pi, dim }
    }

    /// The plain number, as in `1/s`.
    pub(crate) const ONE: Unit = Unit::new(1.0, 1.0, 0, Dim::NONE);

    /// `value` of this unit, in SI.
    pub(crate) fn to_si(self, value: f64) -> f64 {
        let scaled = value * self.num / self.den;
        match self.pi {
            0 => scaled,
            n if n > 0 => scaled * PI.powi(i32::from(n)),
            n => scaled / PI.powi(-i32::from(n)),
        }
    }

    pub(crate) fn checked_mul(self, other: Unit) -> Option<Unit> {
        Some(Unit {
            num: self.num * other.num,
            den: self.den * other.den,
            pi: self.pi.checked_add(other.pi)?,
            dim: self.dim.checked_mul(other.dim)?,
        })
    }

    pub(crate) fn checked_pow(self, exponent: i8) -> Option<Unit> {
        let n = i32::from(exponent.unsigned_abs());
        let (num, den) = (self.num.powi(n), self.den.powi(n));
        let (num, den) = if exponent < 0 { (den, num) } else { (num, den) };
        Some(Unit {
            num,
            den,
            pi: self.pi.checked_mul(exponent)?,
            dim: self.dim.checked_pow(f64::from(exponent))?,
        })
    }
}

const fn unit(name: &'static str, num: f64, den: f64, dim: Dim) -> (&'static str, Unit) {
    (name, Unit::new(num, den, 0, dim))
}

const fn angular(name: &'static str, num: f64, den: f64, dim: Dim) -> (&'static str, Unit) {
    (name, Unit::new(num, den, 1, dim))
}

static UNITS: [(&str, Unit); 41] = [
    unit("m", 1.0, 1.0, Dim::LENGTH),
    unit("mm", 1.0, 1e3, Dim::LENGTH),
    unit("cm", 1.0, 1e2, Dim::LENGTH),
    unit("km", 1e3, 1.0, Dim::LENGTH),
    unit("um", 1.0, 1e6, Dim::LENGTH),
    unit("nm", 1.0, 1e9, Dim::LENGTH),
    unit("in", 254.0, 1e4, Dim::LENGTH),
    unit("ft", 3048.0, 1e4, Dim::LENGTH),
    unit("kg", 1.0, 1.0, Dim::MASS),
    unit("g", 1.0, 1e3, Dim::MASS),
    unit("mg", 1.0, 1e6, Dim::MASS),
    unit("t", 1e3, 1.0, Dim::MASS),
    unit("lb", 45_359_237.0, 1e8, Dim::MASS),
    unit("s", 1.0, 1.0, Dim::TIME),
    unit("ms", 1.0, 1e3, Dim::TIME),
    unit("us", 1.0, 1e6, Dim::TIME),
    unit("min", 60.0, 1.0, Dim::TIME),
    unit("h", 3600.0, 1.0, Dim::TIME),
    unit("rad", 1.0, 1.0, Dim::NONE),
    unit("mrad", 1.0, 1e3, Dim::NONE),
    angular("deg", 1.0, 180.0, Dim::NONE),
    angular("rev", 2.0, 1.0, Dim::NONE),
    unit("N", 1.0, 1.0, Dim::FORCE),
    unit("kN", 1e3, 1.0, Dim::FORCE),
    unit("mN", 1.0, 1e3, Dim::FORCE),
    unit("MN", 1e6, 1.0, Dim::FORCE),
    unit("Nm", 1.0, 1.0, Dim::TORQUE),
    unit("Pa", 1.0, 1.0, Dim::PRESSURE),
    unit("kPa", 1e3, 1.0, Dim::PRESSURE),
    unit("MPa", 1e6, 1.0, Dim::PRESSURE),
    unit("GPa", 1e9, 1.0, Dim::PRESSURE),
    unit("bar", 1e5, 1.0, Dim::PRESSURE),
    unit("J", 1.0, 1.0, Dim::ENERGY),
    unit("kJ", 1e3, 1.0, Dim::ENERGY),
    unit("mJ", 1.0, 1e3, Dim::ENERGY),
    unit("W", 1.0, 1.0, Dim::POWER),
    unit("kW", 1e3, 1.0, Dim::POWER),
    unit("Hz", 1.0, 1.0, Dim::RATE),
    unit("kHz", 1e3, 1.0, Dim::RATE),
    unit("MHz", 1e6, 1.0, Dim::RATE),
    angular("rpm", 1.0, 30.0, Dim::RATE),
];

/// Joined units that everybody reads as one, even if a parameter is called `m` or `s`.
const CUSTOMARY: &[&str] = &[
    "m/s",
    "mm/s",
    "cm/s",
    "km/h",
    "m/min",
    "mm/min",
    "m/s^2",
    "mm/s^2",
    "m/s^3",
    "rad/s",
    "deg/s",
    "rev/s",
    "rev/min",
    "rad/s^2",
    "deg/s^2",
    "kg*m^2",
    "kg*cm^2",
    "kg*mm^2",
    "g*cm^2",
    "g*mm^2",
    "kg/m^3",
    "g/cm^3",
    "kg/m",
    "kg/m^2",
    "kg/s",
    "kg*m/s",
    "kg*m^2/s",
    "N*m",
    "N*mm",
    "mN*m",
    "mN*mm",
    "kN*m",
    "N*m/rad",
    "N*m/deg",
    "N*mm/rad",
    "N*m*s",
    "N*m*s/rad",
    "N*mm*s/rad",
    "N*s",
    "N/m",
    "N/mm",
    "kN/m",
    "kN/mm",
    "N*s/m",
    "N*s/mm",
    "kN*s/m",
    "N/m^2",
    "N/mm^2",
    "N/kg",
    "J/kg",
    "N*m/s",
];

/// Whether joined units, as written, are read as a unit by everybody.
pub(crate) fn is_customary(text: &str) -> bool {
    CUSTOMARY.contains(&text)
}

/// The unit called `name`.
pub(crate) fn lookup(name: &str) -> Option<Unit> {
    UNITS.iter().find(|(n, _)| *n == name).map(|(_, u)| *u)
}

/// The names of all units.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    UNITS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

    fn si(value: f64, name: &str) -> f64 {
        lookup(name).unwrap().to_si(value)
    }

    #[test]
    fn conversions_are_exact() {
        assert_eq!(si(12.0, "mm"), 0.012);
        assert_eq!(si(1.1, "mm"), 0.0011);
        assert_eq!(si(1.0, "in"), 0.0254);
        assert_eq!(si(1.0, "ft"), 0.3048);
        assert_eq!(si(1.0, "lb"), 0.45359237);
        assert_eq!(si(45.0, "deg"), FRAC_PI_4);
        assert_eq!(si(90.0, "deg"), FRAC_PI_2);
        assert_eq!(si(180.0, "deg"), PI);
        assert_eq!(si(1.0, "rev"), TAU);
        assert_eq!(si(60.0, "rpm"), TAU);
        assert_eq!(si(2.0, "h"), 7200.0);
        assert_eq!(si(3.0, "bar"), 3e5);
        assert_eq!(si(7.0, "Hz"), 7.0);
        assert_eq!((si(2.0, "kHz"), si(3.0, "MHz")), (2e3, 3e6));
    }

    #[test]
    fn products_and_powers() {
        let per_deg = lookup("deg").unwrap().checked_pow(-1).unwrap();
        assert_eq!(per_deg.to_si(PI), 180.0);
        let area = lookup("mm").unwrap().checked_pow(2).unwrap();
        assert_eq!((area.to_si(3.0), area.dim), (3e-6, Dim::AREA));
        let nm = lookup("N").unwrap().checked_mul(lookup("m").unwrap());
        assert_eq!(nm, lookup("Nm"));
        assert_eq!(lookup("N").unwrap().checked_pow(100), None);
        let most = lookup("rpm").unwrap().checked_pow(127).unwrap();
        assert_eq!(most.checked_mul(lookup("rpm").unwrap()), None);
    }

    #[test]
    fn names_are_unique() {
        let mut all: Vec<_> = names().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), UNITS.len());
        assert_eq!(lookup("furlong"), None);
    }
}
