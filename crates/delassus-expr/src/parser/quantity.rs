//! Numbers with units.

use super::{Parsed, Parser};
use crate::error::{ExprError, ExprErrorKind};
use crate::lexer::{Span, Tok, Token};
use crate::scope::Binding;
use crate::suggest::suggest;
use crate::units::{self, Unit};
use crate::{Dim, functions};

impl Parser<'_> {
    /// The number just read with the unit after it, if there is one.
    pub(super) fn quantity(&mut self, value: f64, span: Span) -> Parsed {
        let Token { tok, span: first } = self.peek();
        if tok != Tok::Ident {
            return Ok(self.emit.constant(value, Dim::Any, span));
        }
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
        while let Some((divide, unit)) = self.unit_factor(end) {
            self.next();
            let mut last = self.next().span;
            self.refuse_variable(last)?;
            let factor = self.unit_power(unit, &mut last)?;
            let factor = if divide { factor.checked_pow(-1) } else { Some(factor) };
            end = last;
            total = factor
                .and_then(|f| total.checked_mul(f))
                .ok_or_else(|| ExprError::new(ExprErrorKind::DimensionTooLarge, first.to(end)))?;
        }
        let span = span.to(end);
        Ok(self.emit.constant(total.to_si(value), total.dim, span))
    }

    /// A tonne silently taken for the time would be wrong by a factor of a thousand or more.
    fn refuse_variable(&self, span: Span) -> Result<(), ExprError> {
        let name = self.text(span);
        if let Some(Binding::Var(_)) = self.scope.lookup(name) {
            let name = name.to_owned();
            return Err(ExprError::new(ExprErrorKind::AmbiguousUnit { name }, span));
        }
        Ok(())
    }

    /// Whether `*u` or `/u` with a unit `u` goes on directly at `end`; true is for a division.
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
    use crate::{Binding, Dim, parse_constant};

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
        assert_eq!(si("1 kg/m/s"), (1.0, Dim::known(-1, 1, -1)));
        assert_eq!(si("7 g/cm^3"), (7000.0, Dim::DENSITY));
    }
}
