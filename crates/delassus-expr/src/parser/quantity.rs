//! Numbers with units.

use super::{Parsed, Parser};
use crate::error::{ExprError, ExprErrorKind};
use crate::lexer::{Span, Tok, Token};
use crate::suggest::suggest;
use crate::units::{self, Unit};
use crate::{Dim, functions};

impl Parser<'_> {
    /// The number just read with the unit after it, if there is one.
    pub(super) fn quantity(&mut self, value: f64, span: Span) -> Parsed {
        let Token { tok, span: first } = self.peek();
        match tok {
            Tok::Ident => {}
            Tok::OpenUnit => return self.bracket(value, span),
            _ => return Ok(self.emit.constant(value, Dim::Any, span)),
        }
        let number = span;
        let name = self.text(first);
        let Some(unit) = units::lookup(name) else {
            let kind = ExprErrorKind::UnknownUnit {
                name: name.to_owned(),
                suggestion: suggest(name, units::names()).map(str::to_owned),
                is_name: functions::lookup(name).is_some() || self.scope.lookup(name).is_some(),
            };
            return Err(ExprError::new(kind, first));
        };
        self.next();
        let mut end = first;
        let mut total = self.unit_power(unit, &mut end)?;
        let mut clash = None;
        while let Some((divide, unit)) = self.unit_factor(end) {
            let sign = self.next().span;
            let mut last = self.next().span;
            if clash.is_none() && self.scope.is_defined(self.text(last)) {
                clash = Some((sign, last));
            }
            let factor = self.unit_power(unit, &mut last)?;
            let factor = if divide { factor.checked_pow(-1) } else { Some(factor) };
            end = last;
            total = factor
                .and_then(|f| total.checked_mul(f))
                .ok_or_else(|| ExprError::new(ExprErrorKind::DimensionTooLarge, first.to(end)))?;
        }
        let clash = clash.filter(|(_, name)| {
            self.scope.is_variable(self.text(*name))
                || !units::is_customary(self.text(first.to(end)))
        });
        if let Some((sign, name)) = clash {
            return Err(self.ambiguous(number, first.to(end), sign, name));
        }
        let span = span.to(end);
        Ok(self.emit.constant(total.to_si(value), total.dim, span))
    }

    /// A tonne silently taken for the time, or a newton for a number of teeth, could be wrong by any factor: neither
    /// reading is preferred.
    fn ambiguous(&self, number: Span, unit: Span, sign: Span, name: Span) -> ExprError {
        let [x, whole, sign_text] = [number, unit, sign].map(|s| self.text(s));
        let before = self.text(Span::new(unit.start, sign.start));
        let rest = self.text(Span::new(name.start, unit.end));
        let kind = ExprErrorKind::AmbiguousUnit {
            name: self.text(name).to_owned(),
            unit: format!("{x} [{whole}]"),
            other: format!("{x} {before} {sign_text} {rest}"),
        };
        ExprError::new(kind, name)
    }

    /// A unit in brackets, `[kg/m^3]`: all names in it are units.
    fn bracket(&mut self, value: f64, span: Span) -> Parsed {
        let open = self.next().span;
        let mut total = Unit::ONE;
        let mut divide = false;
        for k in 0.. {
            let Token { tok, span: mut last } = self.peek();
            let unit = match tok {
                Tok::Number(1.0) if k == 0 => Unit::ONE,
                Tok::Ident => {
                    let name = self.text(last);
                    units::lookup(name).ok_or_else(|| {
                        let kind = ExprErrorKind::UnknownUnit {
                            name: name.to_owned(),
                            suggestion: suggest(name, units::names()).map(str::to_owned),
                            is_name: false,
                        };
                        ExprError::new(kind, last)
                    })?
                }
                _ => return Err(self.unexpected("a unit")),
            };
            self.next();
            let factor = self.unit_power(unit, &mut last)?;
            let factor = if divide { factor.checked_pow(-1) } else { Some(factor) };
            total = factor
                .and_then(|f| total.checked_mul(f))
                .ok_or_else(|| ExprError::new(ExprErrorKind::DimensionTooLarge, open.to(last)))?;
            divide = match self.peek().tok {
                Tok::Star => false,
                Tok::Slash => true,
                Tok::CloseUnit => break,
                _ => return Err(self.unexpected("`*`, `/` or `]`")),
            };
            self.next();
        }
        let span = span.to(self.next().span);
        Ok(self.emit.constant(total.to_si(value), total.dim, span))
    }

    /// Whether `*u` or `/u` with a unit `u` continues directly at `end`; true means a division.
    fn unit_factor(&self, end: Span) -> Option<(bool, Unit)> {
        let (sign, name) = (self.peek(), self.ahead(1));
        let divide = match sign.tok {
            Tok::Star => false,
            Tok::Slash => true,
            _ => return None,
        };
        let adjacent = sign.span.start == end.end && name.span.start == sign.span.end;
        // `min` is a minute, but `min(` is the function
        let is_call = self.ahead(2).tok == Tok::Open;
        if !adjacent || name.tok != Tok::Ident || is_call {
            return None;
        }
        Some((divide, units::lookup(self.text(name.span))?))
    }

    /// `unit` with the integer power written directly after it; moves `end` behind that.
    fn unit_power(&mut self, unit: Unit, end: &mut Span) -> Result<Unit, ExprError> {
        let caret = self.peek();
        let minus = usize::from(self.ahead(1).tok == Tok::Minus);
        let number = self.ahead(1 + minus);
        let digits = self.text(number.span);
        let adjacent = caret.span.start == end.end
            && self.ahead(1).span.start == caret.span.end
            && number.span.start == caret.span.end + minus;
        let integer =
            matches!(number.tok, Tok::Number(_)) && digits.bytes().all(|b| b.is_ascii_digit());
        if caret.tok != Tok::Caret || !adjacent || !integer {
            return Ok(unit);
        }
        self.at += 2 + minus;
        let start = *end;
        *end = number.span;
        digits
            .parse::<i8>()
            .ok()
            .map(|n| if minus == 1 { -n } else { n })
            .and_then(|n| unit.checked_pow(n))
            .ok_or_else(|| ExprError::new(ExprErrorKind::DimensionTooLarge, start.to(*end)))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Binding, Dim, ExprErrorKind, parse_constant};

    fn si(src: &str) -> (f64, Dim) {
        let scope = [("m", Binding::Const(4.0, Dim::MASS)), ("x", Binding::Const(2.0, Dim::Any))];
        parse_constant(src, &scope).unwrap()
    }

    #[test]
    fn where_a_unit_ends() {
        assert_eq!(si("12 mm"), (0.012, Dim::LENGTH));
        assert_eq!(si("12mm"), (0.012, Dim::LENGTH));
        assert_eq!(si("3 N/m"), (3.0, Dim::STIFFNESS));
        assert_eq!(si("3 N / m"), (0.75, Dim::known(1, 0, -2)));
        assert_eq!(si("3 N /m"), (0.75, Dim::known(1, 0, -2)));
        assert_eq!(si("3 N/ m"), (0.75, Dim::known(1, 0, -2)));
        assert_eq!(si("3 N*x"), (6.0, Dim::Any));
        assert_eq!(si("3*m"), (12.0, Dim::Any));
        assert_eq!(si("3 m"), (3.0, Dim::LENGTH));
        assert_eq!(si("6 s/min(2, 3)"), (3.0, Dim::Any));
        assert_eq!(si("120 rev/min"), (4.0 * std::f64::consts::PI, Dim::RATE));
    }

    #[test]
    fn powers() {
        assert_eq!(si("9.81 m/s^2"), (9.81, Dim::ACCELERATION));
        assert_eq!(si("0.5 kg*m^2"), (0.5, Dim::INERTIA));
        assert_eq!(si("4 s^-1"), (4.0, Dim::RATE));
        assert_eq!(si("2 mm^2"), (2e-6, Dim::AREA));
        assert_eq!(si("2 m ^2"), (4.0, Dim::AREA));
        assert_eq!(si("1 N/mm^2"), (1e6, Dim::PRESSURE));
        assert_eq!(si("1 kg/mm/s"), (1e3, Dim::known(-1, 1, -1)));
        assert_eq!(si("7 g/cm^3"), (7000.0, Dim::DENSITY));
    }

    #[test]
    fn in_brackets_all_names_are_units() {
        assert_eq!(si("3 [N/m]"), (3.0, Dim::STIFFNESS));
        assert_eq!(si("3[N / m] * x"), (6.0, Dim::Any));
        assert_eq!(si("7850 [kg/m^3]"), (7850.0, Dim::DENSITY));
        assert_eq!(si("2 [1/s^2]"), (2.0, Dim::known(0, 0, -2)));
        assert_eq!(si("2 [mm]^2"), (4e-6, Dim::AREA));
        let fault =
            |src: &str| parse_constant(src, &[("m", Binding::Const(4.0, Dim::MASS))]).unwrap_err();
        assert_eq!(fault("3 [x]").span, 3..4);
        assert!(matches!(fault("3 [x]").kind, ExprErrorKind::UnknownUnit { .. }));
        for (src, at) in
            [("3 []", 3), ("3 [N", 4), ("3 [N m]", 5), ("3 [2 N]", 3), ("[N]", 0), ("m [N]", 2)]
        {
            assert_eq!(fault(src).span.start, at, "{src}: {}", fault(src));
        }
    }

    /// A joined unit that is also a name has two readings; both are reported, and both can be written.
    #[test]
    fn a_joined_unit_that_is_also_a_name_is_refused() {
        let scope = [
            ("m", Binding::Const(4.0, Dim::MASS)),
            ("N", Binding::Const(8.0, Dim::Any)),
            ("t", Binding::Var(0)),
        ];
        let readings = |src: &str| {
            let fault = parse_constant(src, &scope).unwrap_err();
            match fault.kind {
                ExprErrorKind::AmbiguousUnit { name, unit, other } => {
                    (name, unit, other, fault.span)
                }
                kind => panic!("{src}: {kind:?}"),
            }
        };
        let own = |a: &str, b: &str, c: &str, r| (a.to_owned(), b.to_owned(), c.to_owned(), r);
        assert_eq!(readings("360 deg/N"), own("N", "360 [deg/N]", "360 deg / N", 8..9));
        assert_eq!(
            readings("2 + 9.81 m/s^2*m^2 * 2"),
            own("m", "9.81 [m/s^2*m^2]", "9.81 m/s^2 * m^2", 15..16)
        );
        assert_eq!(readings("3 J*m/s"), own("m", "3 [J*m/s]", "3 J * m/s", 4..5));
        assert_eq!(readings("10 rad/s*t"), own("t", "10 [rad/s*t]", "10 rad/s * t", 9..10));
        assert_eq!(si("360 [deg/N]").0, 2.0 * std::f64::consts::PI);
        let both = |src: &str| parse_constant(src, &scope).unwrap();
        assert_eq!(both("360 deg / N").0, std::f64::consts::FRAC_PI_4);
        assert_eq!(both("7850 [kg/m^3]"), (7850.0, Dim::DENSITY));
        // customary units are units
        assert_eq!(both("100 N/m * 2").0, 200.0);
        assert_eq!(both("7850 kg/m^3"), (7850.0, Dim::DENSITY));
        assert_eq!(both("2 N*m"), (2.0, Dim::TORQUE));
        // directly after a number a name is a unit: there is no implied multiplication
        assert_eq!(both("3 m"), (3.0, Dim::LENGTH));
        assert_eq!(both("3 N"), (3.0, Dim::FORCE));
    }
}
