//! Numbered names such as `link{i-1}`.

use crate::error::{ExprError, ExprErrorKind};
use crate::{Dim, MAX_LENGTH, Scope, parse_constant};

/// Beyond this, not every integer can be represented.
const MAX_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Replaces every `{expr}` in `template` by the integer value of the constant expression.
/// `{{` and `}}` stand for literal braces. Spans of errors refer to `template`.
///
/// ```
/// use delassus_expr::{Binding, Dim, interpolate};
/// let scope = [("i", Binding::Const(3.0, Dim::Any))];
/// assert_eq!(interpolate("link{i-1}.tip", &scope)?, "link2.tip");
/// # Ok::<(), delassus_expr::ExprError>(())
/// ```
pub fn interpolate(template: &str, scope: &dyn Scope) -> Result<String, ExprError> {
    let length = template.len();
    if length > MAX_LENGTH {
        let kind = ExprErrorKind::TooLong { length };
        return Err(ExprError::new(kind, 0..length));
    }
    let mut out = String::with_capacity(length);
    let mut at = 0;
    while let Some(found) = template[at..].find(['{', '}']) {
        let brace = at + found;
        out.push_str(&template[at..brace]);
        let rest = &template[brace..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            out.push_str(&rest[..1]);
            at = brace + 2;
            continue;
        }
        if rest.starts_with('}') {
            let kind =
                ExprErrorKind::UnexpectedToken { found: "}".into(), expected: "a name or `{`" };
            return Err(ExprError::new(kind, brace..brace + 1));
        }
        let Some(len) = rest.find('}') else {
            let expected = "the closing `}`";
            let kind = ExprErrorKind::UnexpectedEnd { expected };
            return Err(ExprError::new(kind, length..length));
        };
        let value = integer(&rest[1..len], scope).map_err(|error| {
            let span = error.span.start + brace + 1..error.span.end + brace + 1;
            ExprError { span, ..error }
        })?;
        out.push_str(&value.to_string());
        at = brace + len + 1;
    }
    out.push_str(&template[at..]);
    Ok(out)
}

fn integer(src: &str, scope: &dyn Scope) -> Result<i64, ExprError> {
    let (value, found) = parse_constant(src, scope)?;
    if !Dim::NONE.accepts(found) {
        let kind = ExprErrorKind::DimensionMismatch {
            expected: Dim::NONE,
            found,
            context: "the number in a name".into(),
        };
        return Err(ExprError::new(kind, 0..src.len()));
    }
    if value.fract() != 0.0 || value.abs() > MAX_INTEGER {
        let kind = ExprErrorKind::NotAnInteger { value };
        return Err(ExprError::new(kind, 0..src.len()));
    }
    Ok(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Binding;

    fn fill(template: &str) -> Result<String, ExprError> {
        let scope = [
            ("i", Binding::Const(3.0, Dim::Any)),
            ("L", Binding::Const(2.0, Dim::LENGTH)),
            ("t", Binding::Var(0)),
        ];
        interpolate(template, &scope)
    }

    #[test]
    fn replaces() {
        for (template, name) in [
            ("", ""),
            ("base", "base"),
            ("link{i}", "link3"),
            ("link{i-1}_{ 2*i }", "link2_6"),
            ("{{x}}", "{x}"),
            ("{{{i}}}", "{3}"),
            ("\u{e9}{-i}\u{e9}", "\u{e9}-3\u{e9}"),
            ("{-0.0}", "0"),
        ] {
            assert_eq!(fill(template).as_deref(), Ok(name), "{template}");
        }
    }

    #[test]
    fn refuses() {
        use ExprErrorKind as K;
        let fail = |template: &str| {
            let error = fill(template).unwrap_err();
            (error.kind, error.span)
        };
        let value = 1.5;
        assert_eq!(fail("a{i/2}"), (K::NotAnInteger { value }, 2..5));
        assert_eq!(fail("a{2^60}").1, 2..6);
        assert!(matches!(fail("a{L}"), (K::DimensionMismatch { .. }, s) if s == (2..3)));
        assert!(matches!(fail("a{t}"), (K::NotConstant { .. }, s) if s == (2..3)));
        assert!(matches!(fail("ab{i+q}"), (K::UnknownName { .. }, s) if s == (5..6)));
        assert!(matches!(fail("a{i"), (K::UnexpectedEnd { .. }, s) if s == (3..3)));
        assert!(matches!(fail("a{}"), (K::UnexpectedEnd { .. }, s) if s == (2..2)));
        assert!(matches!(fail("a}b"), (K::UnexpectedToken { .. }, s) if s == (1..2)));
        let length = 10_001;
        assert_eq!(fail(&"a".repeat(length)), (K::TooLong { length }, 0..length));
    }
}
