//! Physical dimensions as powers of length, mass and time.

use std::fmt;

/// The dimension of a quantity. Angles are dimensionless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// Not known: compatible with everything. Bare numbers and variables have this dimension.
    Any,
    /// A product of powers of metre, kilogram and second.
    Known {
        /// Power of the metre.
        length: i8,
        /// Power of the kilogram.
        mass: i8,
        /// Power of the second.
        time: i8,
    },
}

impl Dim {
    /// Dimensionless numbers and angles.
    pub const NONE: Dim = Dim::known(0, 0, 0);
    /// m
    pub const LENGTH: Dim = Dim::known(1, 0, 0);
    /// m^2
    pub const AREA: Dim = Dim::known(2, 0, 0);
    /// m^3
    pub const VOLUME: Dim = Dim::known(3, 0, 0);
    /// kg
    pub const MASS: Dim = Dim::known(0, 1, 0);
    /// kg/m^3
    pub const DENSITY: Dim = Dim::known(-3, 1, 0);
    /// s
    pub const TIME: Dim = Dim::known(0, 0, 1);
    /// m/s
    pub const VELOCITY: Dim = Dim::known(1, 0, -1);
    /// m/s^2
    pub const ACCELERATION: Dim = Dim::known(1, 0, -2);
    /// 1/s: angular velocity and frequency
    pub const RATE: Dim = Dim::known(0, 0, -1);
    /// 1/s^2
    pub const ANGULAR_ACCELERATION: Dim = Dim::known(0, 0, -2);
    /// N
    pub const FORCE: Dim = Dim::known(1, 1, -2);
    /// N*m
    pub const TORQUE: Dim = Dim::known(2, 1, -2);
    /// kg*m^2
    pub const INERTIA: Dim = Dim::known(2, 1, 0);
    /// N/m
    pub const STIFFNESS: Dim = Dim::known(0, 1, -2);
    /// N*s/m
    pub const DAMPING: Dim = Dim::known(0, 1, -1);
    /// N*m per radian
    pub const TORSIONAL_STIFFNESS: Dim = Dim::TORQUE;
    /// N*m*s per radian
    pub const TORSIONAL_DAMPING: Dim = Dim::known(2, 1, -1);
    /// J
    pub const ENERGY: Dim = Dim::TORQUE;
    /// W
    pub const POWER: Dim = Dim::known(2, 1, -3);
    /// Pa
    pub const PRESSURE: Dim = Dim::known(-1, 1, -2);
    /// N*s
    pub const MOMENTUM: Dim = Dim::known(1, 1, -1);

    /// The dimension with these powers of metre, kilogram and second.
    pub const fn known(length: i8, mass: i8, time: i8) -> Dim {
        Dim::Known { length, mass, time }
    }

    /// Whether a quantity of dimension `found` is allowed where `self` is expected.
    pub fn accepts(self, found: Dim) -> bool {
        self.unify(found).is_some()
    }

    /// The common dimension of two quantities that are added or compared; `None` if they differ.
    pub fn unify(self, other: Dim) -> Option<Dim> {
        match (self, other) {
            (Dim::Any, d) | (d, Dim::Any) => Some(d),
            (a, b) => (a == b).then_some(a),
        }
    }

    /// The dimension of a product; `None` if a power leaves the range of `i8`.
    pub fn checked_mul(self, other: Dim) -> Option<Dim> {
        self.combine(other, i8::checked_add)
    }

    /// The dimension of a quotient; `None` if a power leaves the range of `i8`.
    pub fn checked_div(self, other: Dim) -> Option<Dim> {
        self.combine(other, i8::checked_sub)
    }

    /// The dimension of a power; `None` unless every power stays an integer in the range of `i8`.
    pub fn checked_pow(self, exponent: f64) -> Option<Dim> {
        let Dim::Known { length, mass, time } = self else {
            return Some(Dim::Any);
        };
        let scale = |power: i8| {
            let exact = f64::from(power) * exponent;
            let nearest = exact.round();
            // 1/3 is not exact in binary, so a cube root needs a tolerance
            let integral = (exact - nearest).abs() < 1e-9;
            let fits = nearest.abs() <= f64::from(i8::MAX);
            (integral && fits).then_some(nearest as i8)
        };
        Some(Dim::known(scale(length)?, scale(mass)?, scale(time)?))
    }

    fn combine(self, other: Dim, op: fn(i8, i8) -> Option<i8>) -> Option<Dim> {
        let (Dim::Known { length, mass, time }, Dim::Known { length: l, mass: m, time: t }) =
            (self, other)
        else {
            return Some(Dim::Any);
        };
        Some(Dim::known(op(length, l)?, op(mass, m)?, op(time, t)?))
    }

    fn derived_name(self) -> Option<&'static str> {
        Some(match self {
            Dim::FORCE => "N",
            Dim::TORQUE => "N*m",
            Dim::STIFFNESS => "N/m",
            Dim::DAMPING => "N*s/m",
            Dim::TORSIONAL_DAMPING => "N*m*s",
            Dim::PRESSURE => "Pa",
            Dim::POWER => "W",
            Dim::MOMENTUM => "N*s",
            _ => return None,
        })
    }
}

/// SI text in a form that can be written back as a unit, such as `kg*m^2/s^2 (N*m)`.
impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dim::Known { length, mass, time } = *self else {
            return f.write_str("any dimension");
        };
        if *self == Dim::NONE {
            return f.write_str("a plain number or angle");
        }
        let powers = [("kg", mass), ("m", length), ("s", time)];
        let mut empty = true;
        for (unit, power) in powers.into_iter().filter(|(_, p)| *p > 0) {
            write!(f, "{}{unit}", if empty { "" } else { "*" })?;
            write_power(f, power)?;
            empty = false;
        }
        if empty {
            f.write_str("1")?;
        }
        for (unit, power) in powers.into_iter().filter(|(_, p)| *p < 0) {
            write!(f, "/{unit}")?;
            write_power(f, power)?;
        }
        match self.derived_name() {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

fn write_power(f: &mut fmt::Formatter<'_>, power: i8) -> fmt::Result {
    match power.unsigned_abs() {
        1 => Ok(()),
        p => write!(f, "^{p}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text() {
        let cases = [
            (Dim::LENGTH, "m"),
            (Dim::TORQUE, "kg*m^2/s^2 (N*m)"),
            (Dim::PRESSURE, "kg/m/s^2 (Pa)"),
            (Dim::STIFFNESS, "kg/s^2 (N/m)"),
            (Dim::RATE, "1/s"),
            (Dim::INERTIA, "kg*m^2"),
            (Dim::NONE, "a plain number or angle"),
            (Dim::Any, "any dimension"),
            (Dim::known(-128, 0, 0), "1/m^128"),
        ];
        for (dim, text) in cases {
            assert_eq!(dim.to_string(), text);
        }
    }

    #[test]
    fn algebra() {
        assert!(Dim::Any.accepts(Dim::FORCE) && Dim::FORCE.accepts(Dim::Any));
        assert!(Dim::FORCE.accepts(Dim::FORCE) && !Dim::FORCE.accepts(Dim::NONE));
        assert_eq!(Dim::FORCE.checked_mul(Dim::LENGTH), Some(Dim::TORQUE));
        assert_eq!(Dim::FORCE.checked_div(Dim::LENGTH), Some(Dim::STIFFNESS));
        assert_eq!(Dim::Any.checked_mul(Dim::LENGTH), Some(Dim::Any));
        assert_eq!(Dim::AREA.checked_pow(0.5), Some(Dim::LENGTH));
        assert_eq!(Dim::VOLUME.checked_pow(1.0 / 3.0), Some(Dim::LENGTH));
        assert_eq!(Dim::LENGTH.checked_pow(0.5), None);
        assert_eq!(Dim::LENGTH.checked_pow(1e9), None);
        assert_eq!(Dim::LENGTH.checked_pow(f64::NAN), None);
        assert_eq!(Dim::known(127, 0, 0).checked_mul(Dim::LENGTH), None);
    }
}
