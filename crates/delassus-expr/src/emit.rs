//! Turns operations into instructions, folds constants and infers dimensions.

use crate::Dim;
use crate::curve::Curve;
use crate::error::{ExprError, ExprErrorKind};
use crate::functions::{Function, Rule};
use crate::lexer::Span;
use crate::math::MAX_POWI;
use crate::program::{self, Op};
use crate::scope::TableFunction;
use std::sync::Arc;

/// A part of the expression; its instructions are those from `start` to the next part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) start: usize,
    pub(crate) span: Span,
    pub(crate) dim: Dim,
    /// The value, if it is constant.
    pub(crate) value: Option<f64>,
    /// The first constant in it that is not finite. This is not immediately an error, because the part may turn out to
    /// be guarded: `if(n > 0, 1/n, 0)` is fine with `n = 0`.
    pub(crate) bad: Option<(f64, Span)>,
}

#[derive(Debug, Default)]
pub(crate) struct Emitter {
    pub(crate) code: Vec<Op>,
    pub(crate) tables: Vec<Arc<Curve>>,
}

type Emitted = Result<Node, ExprError>;

impl Emitter {
    pub(crate) fn constant(&mut self, value: f64, dim: Dim, span: Span) -> Node {
        let start = self.code.len();
        self.code.push(Op::Const(value));
        Node {
            start,
            span,
            dim,
            value: Some(value),
            bad: (!value.is_finite()).then_some((value, span)),
        }
    }

    pub(crate) fn variable(&mut self, index: usize, span: Span) -> Node {
        let start = self.code.len();
        self.code.push(Op::Var(index));
        Node { start, span, dim: Dim::Any, value: None, bad: None }
    }

    /// Emits `op` on `args`, which are the parts emitted last, or its value if all are constant.
    fn apply(&mut self, op: Op, args: &[Node], dim: Dim, span: Span) -> Node {
        let start = args.first().map_or(self.code.len(), |a| a.start);
        let mut bad = args.iter().find_map(|a| a.bad);
        let mut value = None;
        self.code.push(op);
        if args.iter().all(|a| a.value.is_some()) {
            let code = &self.code[start..];
            let folded: f64 = program::run(code, &self.tables, program::depth(code), &[], |_| 0.0);
            self.code.truncate(start);
            self.code.push(Op::Const(folded));
            value = Some(folded);
            if !folded.is_finite() {
                bad = bad.or(Some((folded, span)));
            }
        }
        Node { start, span, dim, value, bad }
    }

    pub(crate) fn negate(&mut self, a: Node, span: Span) -> Node {
        self.apply(Op::Neg, &[a], a.dim, span)
    }

    pub(crate) fn not(&mut self, a: Node, span: Span) -> Emitted {
        let dim = plain(a, || "the operand of `!`".into())?;
        Ok(self.apply(Op::Not, &[a], dim, span))
    }

    /// Any binary operator except the power; `symbol` is for messages.
    pub(crate) fn binary(&mut self, op: Op, symbol: &str, a: Node, b: Node) -> Emitted {
        let span = a.span.to(b.span);
        let too_large = || ExprError::new(ExprErrorKind::DimensionTooLarge, span);
        let right = || format!("the right side of `{symbol}`");
        let dim = match op {
            Op::Mul => a.dim.checked_mul(b.dim).ok_or_else(too_large)?,
            Op::Div => a.dim.checked_div(b.dim).ok_or_else(too_large)?,
            Op::Add | Op::Sub => common(a.dim, b, right)?,
            Op::And | Op::Or => {
                let left = plain(a, || format!("the left side of `{symbol}`"))?;
                both_known(left, plain(b, right)?)
            }
            _ => {
                common(a.dim, b, right)?;
                both_known(a.dim, b.dim)
            }
        };
        // if the left side alone decides, the result must not depend on the right side being finite
        let decided = match (op, a.value) {
            (Op::And, Some(0.0)) => Some(0.0),
            (Op::Or, Some(v)) if v != 0.0 => Some(1.0),
            _ => None,
        };
        if let Some(value) = decided {
            self.code.truncate(a.start);
            let node = self.constant(value, dim, span);
            return Ok(Node { bad: a.bad, ..node });
        }
        Ok(self.apply(op, &[a, b], dim, span))
    }

    pub(crate) fn power(&mut self, a: Node, b: Node, span: Span) -> Emitted {
        plain(b, || "the exponent".into())?;
        let dim = match (a.dim, b.value) {
            (Dim::Any | Dim::NONE, _) => a.dim,
            (_, Some(exponent)) => raise(a, exponent)?,
            (_, None) => plain(a, || "the base of a variable power".into())?,
        };
        match b.value {
            Some(n) if n.fract() == 0.0 && n.abs() <= f64::from(MAX_POWI) => {
                self.code.truncate(b.start);
                let node = self.apply(Op::PowInt(n as i32), &[a], dim, span);
                let bad = a.bad.or(b.bad).or(node.bad);
                Ok(Node { bad, ..node })
            }
            _ => Ok(self.apply(Op::Pow, &[a, b], dim, span)),
        }
    }

    pub(crate) fn call(&mut self, function: &Function, args: &[Node], span: Span) -> Emitted {
        let place = |i: usize| match function.args {
            1 => format!("the argument of `{}`", function.name),
            _ => format!("argument {} of `{}`", i + 1, function.name),
        };
        let dim = match (function.rule, args) {
            (Rule::Pow, [a, b]) => return self.power(*a, *b, span),
            (Rule::If, [condition, a, b]) => {
                plain(*condition, || place(0))?;
                let dim = common(a.dim, *b, || place(2))?;
                return Ok(self.select([*condition, *a, *b], dim, span));
            }
            (Rule::Step, [t, t0, y0, t1, y1]) => {
                let time = common(t.dim, *t0, || place(1))?;
                common(time, *t1, || place(3))?;
                common(y0.dim, *y1, || place(4))?
            }
            (Rule::Root(exponent), [a]) => raise(*a, exponent)?,
            (rule, _) => {
                let mut dim = Dim::Any;
                let mut known = true;
                for (i, arg) in args.iter().enumerate() {
                    known &= arg.dim != Dim::Any;
                    dim = match rule {
                        Rule::Plain => common(Dim::NONE, *arg, || place(i))?,
                        _ => common(dim, *arg, || place(i))?,
                    };
                }
                match rule {
                    Rule::Plain | Rule::Ratio if known => Dim::NONE,
                    Rule::Plain | Rule::Ratio => Dim::Any,
                    _ => dim,
                }
            }
        };
        Ok(self.apply(function.op, args, dim, span))
    }

    /// A table of the scope at one argument.
    pub(crate) fn table(
        &mut self,
        name: &str,
        table: TableFunction,
        a: Node,
        span: Span,
    ) -> Emitted {
        common(table.argument, a, || format!("the argument of `{name}`"))?;
        let known = self.tables.iter().position(|t| Arc::ptr_eq(t, &table.curve));
        let index = known.unwrap_or(self.tables.len());
        if known.is_none() {
            self.tables.push(table.curve);
        }
        Ok(self.apply(Op::Table(index), &[a], table.value, span))
    }

    /// `if`: with a constant condition only the branch taken is kept.
    fn select(&mut self, [condition, a, b]: [Node; 3], dim: Dim, span: Span) -> Node {
        let Some(test) = condition.value else {
            return self.apply(Op::If, &[condition, a, b], dim, span);
        };
        let kept = if test != 0.0 {
            self.code.truncate(b.start);
            self.code.drain(condition.start..a.start);
            a
        } else {
            self.code.drain(condition.start..b.start);
            b
        };
        Node {
            start: condition.start,
            span,
            dim,
            value: kept.value,
            bad: condition.bad.or(kept.bad),
        }
    }
}

fn both_known(a: Dim, b: Dim) -> Dim {
    match (a, b) {
        (Dim::Any, _) | (_, Dim::Any) => Dim::Any,
        _ => Dim::NONE,
    }
}

fn common(expected: Dim, found: Node, context: impl FnOnce() -> String) -> Result<Dim, ExprError> {
    expected.unify(found.dim).ok_or_else(|| {
        let kind =
            ExprErrorKind::DimensionMismatch { expected, found: found.dim, context: context() };
        ExprError::new(kind, found.span)
    })
}

/// Checks for a plain number; an unknown dimension stays unknown.
fn plain(found: Node, context: impl FnOnce() -> String) -> Result<Dim, ExprError> {
    common(Dim::NONE, found, context)?;
    Ok(found.dim)
}

fn raise(base: Node, exponent: f64) -> Result<Dim, ExprError> {
    base.dim.checked_pow(exponent).ok_or_else(|| {
        let kind = if exponent.fract() == 0.0 {
            ExprErrorKind::DimensionTooLarge
        } else {
            ExprErrorKind::FractionalDimension { found: base.dim, exponent }
        };
        ExprError::new(kind, base.span)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;

    const S: Span = Span { start: 0, end: 1 };

    #[test]
    fn folds_constants_only() {
        let mut e = Emitter::default();
        let a = e.constant(2.0, Dim::LENGTH, S);
        let b = e.constant(3.0, Dim::FORCE, S);
        let c = e.binary(Op::Mul, "*", a, b).unwrap();
        assert_eq!((c.value, c.dim), (Some(6.0), Dim::TORQUE));
        let x = e.variable(0, S);
        let d = e.binary(Op::Mul, "*", c, x).unwrap();
        assert_eq!((d.value, d.dim), (None, Dim::Any));
        assert_eq!(e.code, [Op::Const(6.0), Op::Var(0), Op::Mul]);
    }

    #[test]
    fn integer_powers_are_special() {
        let mut e = Emitter::default();
        let x = e.variable(0, S);
        let n = e.constant(2.0, Dim::Any, S);
        e.power(x, n, S).unwrap();
        assert_eq!(e.code, [Op::Var(0), Op::PowInt(2)]);
    }

    #[test]
    fn constant_conditions_drop_a_branch() {
        let run = |test: f64| {
            let mut e = Emitter::default();
            let c = e.constant(test, Dim::Any, S);
            let a = e.variable(1, S);
            let b = e.variable(2, S);
            let function = functions::lookup("if").unwrap();
            e.call(function, &[c, a, b], S).unwrap();
            e.code
        };
        assert_eq!(run(1.0), [Op::Var(1)]);
        assert_eq!(run(0.0), [Op::Var(2)]);
    }
}
