//! The compiled expression.

use crate::curve::Curve;
use crate::error::ExprError;
use crate::functions;
use crate::jet::Jet;
use crate::num::{Dual, Dual2};
use crate::parser::compile;
use crate::program::{self, Op};
use crate::{Dim, Scope};
use std::sync::Arc;

/// A compiled expression: parsed, checked and folded once, evaluated many times.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    code: Vec<Op>,
    tables: Vec<Arc<Curve>>,
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
            tables: compiled.tables,
            depth: compiled.depth,
            dim: compiled.dim,
            variables,
            source: src.to_owned(),
        })
    }

    /// Whether the language has a function of that name.
    pub fn is_function(name: &str) -> bool {
        functions::lookup(name).is_some()
    }

    /// The expression that is always `v`, of any dimension.
    pub fn constant(v: f64) -> Expr {
        Expr {
            code: vec![Op::Const(v)],
            tables: Vec::new(),
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

    pub(crate) fn code(&self) -> &[Op] {
        &self.code
    }

    pub(crate) fn table(&self, k: usize) -> Option<&Curve> {
        self.tables.get(k).map(|t| &**t)
    }

    /// A part of its code as an expression of its own, with a table applied to the result.
    pub(crate) fn part(&self, mut code: Vec<Op>, last: Option<Arc<Curve>>) -> Expr {
        let mut tables = self.tables.clone();
        if let Some(last) = last {
            code.push(Op::Table(tables.len()));
            tables.push(last);
        }
        let mut variables = self.variables.clone();
        variables.retain(|v| code.contains(&Op::Var(*v)));
        let depth = program::depth(&code);
        Expr { code, tables, depth, dim: Dim::Any, variables, source: self.source.clone() }
    }

    /// Number of operations of one evaluation, a table counting as one.
    pub fn operations(&self) -> usize {
        self.code.len()
    }

    /// The inferred dimension, [`Dim::Any`] if it is not known.
    pub fn dim(&self) -> Dim {
        self.dim
    }

    /// The indices of the variables on which the value depends, ascending and without repetition.
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// Its degree as a polynomial, given those of the variables: zero for what counts as constant. `None` if it is not
    /// a polynomial.
    pub fn degree(&self, of: impl Fn(usize) -> Option<u32>) -> Option<u32> {
        program::degree(&self.code, of)
    }

    /// The text it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The value. Never allocates or panics; a variable missing from `vars` is NaN.
    pub fn eval(&self, vars: &[f64]) -> f64 {
        program::run(&self.code, &self.tables, self.depth, vars, |_| 0.0)
    }

    /// The value and its derivative with respect to variable `wrt`.
    pub fn eval_d1(&self, vars: &[f64], wrt: usize) -> (f64, f64) {
        let Dual { v, d } = program::run(&self.code, &self.tables, self.depth, vars, only(wrt));
        (v, d)
    }

    /// The value and its first and second derivative with respect to variable `wrt`.
    pub fn eval_d2(&self, vars: &[f64], wrt: usize) -> (f64, f64, f64) {
        let Dual2 { v, d, dd } =
            program::run(&self.code, &self.tables, self.depth, vars, only(wrt));
        (v, d, dd)
    }

    /// The value and its derivative when the variables move at the given rates; missing ones do not move.
    pub fn eval_along(&self, vars: &[f64], rates: &[f64]) -> (f64, f64) {
        let Dual { v, d } = program::run(&self.code, &self.tables, self.depth, vars, among(rates));
        (v, d)
    }

    /// The derivative with respect to variable `wrt` of the derivative along `rates`.
    pub fn eval_mixed(&self, vars: &[f64], rates: &[f64], wrt: usize) -> f64 {
        // by second derivatives along u + s e and u − s e, with s of the size of u so that neither swamps the other
        let u = among(rates);
        let largest = self.variables.iter().fold(0.0, |m: f64, k| m.max(u(*k).abs()));
        let s = if largest > 0.0 { largest } else { return 0.0 };
        let second = |s: f64| {
            let rate = |k: usize| u(k) + if k == wrt { s } else { 0.0 };
            let Dual2 { dd, .. } = program::run(&self.code, &self.tables, self.depth, vars, rate);
            dd
        };
        (second(s) - second(-s)) / (4.0 * s)
    }

    /// Value and Taylor coefficients on a whole interval, given those of the variables. Never allocates.
    pub fn over<const N: usize>(&self, vars: &[Jet<N>]) -> Jet<N> {
        program::run_over(&self.code, &self.tables, self.depth, vars)
    }
}

/// Variable `wrt` moves at the rate 1, the others do not move.
fn only(wrt: usize) -> impl Fn(usize) -> f64 {
    move |k| f64::from(u8::from(k == wrt))
}

fn among(rates: &[f64]) -> impl Fn(usize) -> f64 + '_ {
    move |k| rates.get(k).copied().unwrap_or(0.0)
}

/// The value and dimension of an expression without variables.
pub fn parse_constant(src: &str, scope: &dyn Scope) -> Result<(f64, Dim), ExprError> {
    let compiled = compile(src, scope, false)?;
    let value = program::run(&compiled.code, &compiled.tables, compiled.depth, &[], |_| 0.0);
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
    fn degrees() {
        // t counts as constant
        let degree = |src: &str| parse(src).degree(|k| Some(u32::from(k == 0)));
        assert_eq!(degree("3*sin(t) + if(t > 1, 2, t)"), Some(0));
        assert_eq!(degree("-u*(u - t)/t + u^3"), Some(3));
        assert_eq!(degree("if(t > 1, u, 0)"), Some(1));
        for none in ["1/u", "abs(u)", "u^t", "if(u > 1, 1, 0)", "exp(-u)", "u^-1"] {
            assert_eq!(degree(none), None, "{none}");
        }
    }

    #[test]
    fn along_a_direction() {
        // e = u² sin(t), u at 2, t at 0.3
        let expr = parse("u^2*sin(t)");
        let (vars, rates) = ([2.0, 0.0, 0.3], [0.5, 9.0, -3.0]);
        let (s, c) = (0.3_f64.sin(), 0.3_f64.cos());
        let (v, d) = expr.eval_along(&vars, &rates);
        assert!((v - 4.0 * s).abs() < 1e-15 && (d - (2.0 * s - 12.0 * c)).abs() < 1e-14);
        let by_u = expr.eval_mixed(&vars, &rates, 0);
        assert!((by_u - (2.0 * s * 0.5 - 3.0 * 4.0 * c)).abs() < 1e-13);
        let by_t = expr.eval_mixed(&vars, &rates, 2);
        assert!((by_t - (4.0 * c * 0.5 + 3.0 * 4.0 * s)).abs() < 1e-13);
        assert_eq!(expr.eval_mixed(&vars, &rates, 1), 0.0);
        assert_eq!(expr.eval_mixed(&vars, &[], 0), 0.0);
        assert_eq!(expr.eval_along(&vars, &[]).1, 0.0);
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
