//! The compiled expression.

use crate::error::ExprError;
use crate::num::{Dual, Dual2};
use crate::parser::compile;
use crate::program::{self, Op};
use crate::{Dim, Scope};

/// A compiled expression: parsed, checked and folded once, evaluated many times.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    code: Vec<Op>,
    depth: usize,
    dim: Dim,
    variables: Vec<usize>,
    source: String,
}

impl Expr {
    /// Compiles `src` with the names in `scope`.
    pub fn parse(src: &str, scope: &dyn Scope) -> Result<Expr, ExprError> {
        let compiled = compile(src, scope, true)?;
        let mut variables: Vec<usize> = compiled
            .code
            .iter()
            .filter_map(|op| match op {
                Op::Var(index) => Some(*index),
                _ => None,
            })
            .collect();
        variables.sort_unstable();
        variables.dedup();
        Ok(Expr {
            code: compiled.code,
            depth: compiled.depth,
            dim: compiled.dim,
            variables,
            source: src.to_owned(),
        })
    }

    /// The expression that is always `v`, of any dimension.
    pub fn constant(v: f64) -> Expr {
        Expr {
            code: vec![Op::Const(v)],
            depth: 1,
            dim: Dim::Any,
            variables: Vec::new(),
            source: v.to_string(),
        }
    }

    /// The value, if it is the same whatever the variables are.
    pub fn as_constant(&self) -> Option<f64> {
        match self.code[..] {
            [Op::Const(value)] => Some(value),
            _ => None,
        }
    }

    /// The inferred dimension, [`Dim::Any`] where it is not known.
    pub fn dim(&self) -> Dim {
        self.dim
    }

    /// The indices of the variables the value depends on, ascending and without repetition.
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// The text it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The value. Never allocates or panics; a variable missing from `vars` is not a number.
    pub fn eval(&self, vars: &[f64]) -> f64 {
        program::run(&self.code, self.depth, vars, 0)
    }

    /// The value and its derivative with respect to variable `wrt`.
    pub fn eval_d1(&self, vars: &[f64], wrt: usize) -> (f64, f64) {
        let Dual { v, d } = program::run(&self.code, self.depth, vars, wrt);
        (v, d)
    }

    /// The value and its first and second derivative with respect to variable `wrt`.
    pub fn eval_d2(&self, vars: &[f64], wrt: usize) -> (f64, f64, f64) {
        let Dual2 { v, d, dd } = program::run(&self.code, self.depth, vars, wrt);
        (v, d, dd)
    }
}

/// The value and dimension of an expression without variables.
pub fn parse_constant(src: &str, scope: &dyn Scope) -> Result<(f64, Dim), ExprError> {
    let compiled = compile(src, scope, false)?;
    let value = program::run(&compiled.code, compiled.depth, &[], 0);
    Ok((value, compiled.dim))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Binding, ExprErrorKind};

    fn parse(src: &str) -> Expr {
        let scope = [("t", Binding::Var(2)), ("u", Binding::Var(0))];
        Expr::parse(src, &scope).unwrap()
    }

    #[test]
    fn properties() {
        fn shareable<T: Send + Sync + Clone>(_: &T) {}
        let expr = parse("t*u + t");
        shareable(&expr);
        assert_eq!(expr.variables(), [0, 2]);
        assert_eq!(expr.source(), "t*u + t");
        assert_eq!(expr.as_constant(), None);
        assert_eq!(expr.eval(&[2.0, 0.0, 5.0]), 15.0);
        assert_eq!(expr.eval_d1(&[2.0, 0.0, 5.0], 2), (15.0, 3.0));
        assert_eq!(expr.eval_d1(&[2.0, 0.0, 5.0], 1), (15.0, 0.0));
        assert_eq!(expr.eval_d2(&[2.0, 0.0, 5.0], 0), (15.0, 5.0, 0.0));
        assert!(expr.eval(&[]).is_nan());
        assert_ne!(expr, parse("t"));
        assert_eq!(expr, expr.clone());
    }

    #[test]
    fn constants() {
        assert_eq!(parse("2*(3 + 4)^2").as_constant(), Some(98.0));
        assert_eq!(parse("if(1, 5, t)").as_constant(), Some(5.0));
        assert!(parse("if(1, 5, t)").variables().is_empty());
        let five = Expr::constant(5.0);
        assert_eq!((five.as_constant(), five.dim()), (Some(5.0), Dim::Any));
        assert_eq!((five.eval(&[]), five.source()), (5.0, "5"));
        assert_eq!(five.eval_d2(&[1.0], 0), (5.0, 0.0, 0.0));
    }

    #[test]
    fn constants_refuse_variables() {
        let scope = [("t", Binding::Var(0))];
        let error = parse_constant("1 + t", &scope).unwrap_err();
        assert_eq!(error.kind, ExprErrorKind::NotConstant { name: "t".into() });
        assert_eq!(error.span, 4..5);
    }
}
