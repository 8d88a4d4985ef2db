//! The compiled form of an expression and its evaluation.

use crate::curve::Curve;
use crate::jet::Jet;
use crate::math::{self, Fn1};
use crate::num::Num;
use std::sync::Arc;

/// An instruction of the stack machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Const(f64),
    Var(usize),
    Neg,
    Not,
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    PowInt(i32),
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    Call(Fn1),
    Min,
    Max,
    Atan2,
    Hypot,
    Mod,
    If,
    Step,
    Clamp,
    /// A table of the expression, by its index.
    Table(usize),
}

impl Op {
    /// How many values it takes from the stack; it always leaves one.
    pub(crate) fn takes(self) -> usize {
        match self {
            Op::Const(_) | Op::Var(_) => 0,
            Op::Neg | Op::Not | Op::PowInt(_) | Op::Call(_) | Op::Table(_) => 1,
            Op::If | Op::Clamp => 3,
            Op::Step => 5,
            _ => 2,
        }
    }
}

/// How many values the program holds at once.
pub(crate) fn depth(code: &[Op]) -> usize {
    let mut now = 0_usize;
    let mut most = 0;
    for op in code {
        now = now.saturating_sub(op.takes()) + 1;
        most = most.max(now);
    }
    most
}

/// Degree of a program as a polynomial of its variables, whose own degrees are given.
pub(crate) fn degree(code: &[Op], of: impl Fn(usize) -> Option<u32>) -> Option<u32> {
    let mut stack: Vec<Option<u32>> = Vec::new();
    for op in code {
        let args = stack.split_off(stack.len().saturating_sub(op.takes()));
        let arg = |k: usize| args.get(k).copied().flatten();
        let degree = match *op {
            Op::Const(_) => Some(0),
            Op::Var(index) => of(index),
            _ if args.iter().all(|a| *a == Some(0)) => Some(0),
            Op::Neg => arg(0),
            Op::Add | Op::Sub => arg(0).zip(arg(1)).map(|(a, b)| a.max(b)),
            Op::Mul => arg(0).zip(arg(1)).and_then(|(a, b)| a.checked_add(b)),
            Op::Div => arg(0).filter(|_| arg(1) == Some(0)),
            Op::PowInt(n) => u32::try_from(n).ok().zip(arg(0)).and_then(|(n, a)| a.checked_mul(n)),
            Op::If if arg(0) == Some(0) => arg(1).zip(arg(2)).map(|(a, b)| a.max(b)),
            _ => None,
        };
        stack.push(degree);
    }
    stack.pop().flatten()
}

/// Enough stack for nearly every expression; clearing a larger one would cost more than the
/// evaluation itself.
const SMALL: usize = 8;

/// Evaluates a program of the given [`depth`], at most [`crate::MAX_DEPTH`]. A variable beyond the end of `vars` is
/// NaN; `rate` gives the rate of a variable.
#[inline]
pub(crate) fn run<T: Num>(
    code: &[Op],
    tables: &[Arc<Curve>],
    depth: usize,
    vars: &[f64],
    rate: impl Fn(usize) -> f64,
) -> T {
    if depth <= SMALL {
        run_sized::<T, SMALL>(code, tables, vars, rate)
    } else {
        run_sized::<T, { crate::MAX_DEPTH }>(code, tables, vars, rate)
    }
}

/// The top of the stack lives in `top`. Indices are masked instead of checked: the depth was
/// checked at parse time, and masking can neither panic nor leave the array.
fn run_sized<T: Num, const N: usize>(
    code: &[Op],
    tables: &[Arc<Curve>],
    vars: &[f64],
    rate: impl Fn(usize) -> f64,
) -> T {
    const { assert!(N.is_power_of_two()) }
    let mut stack = [T::lit(0.0); N];
    let mut sp = 0_usize;
    let mut top = T::lit(0.0);

    macro_rules! push {
        ($value:expr) => {{
            stack[sp & (N - 1)] = top;
            sp = sp.wrapping_add(1);
            top = $value;
        }};
    }
    macro_rules! pop {
        () => {{
            sp = sp.wrapping_sub(1);
            stack[sp & (N - 1)]
        }};
    }
    macro_rules! truth {
        ($test:expr) => {
            T::lit(if $test { 1.0 } else { 0.0 })
        };
    }
    macro_rules! compare {
        ($op:tt) => {
            truth!(pop!().value() $op top.value())
        };
    }

    for op in code {
        match *op {
            Op::Const(value) => push!(T::lit(value)),
            Op::Var(index) => {
                let value = vars.get(index).copied().unwrap_or(f64::NAN);
                push!(T::var(value, rate(index)));
            }
            Op::Neg => top = top.neg(),
            Op::Not => top = truth!(top.value() == 0.0),
            Op::Add => top = pop!().add(top),
            Op::Sub => top = pop!().sub(top),
            Op::Mul => top = pop!().mul(top),
            Op::Div => top = pop!().div(top),
            Op::Pow => top = math::pow(pop!(), top),
            Op::PowInt(n) => top = math::pow_int(top, n),
            Op::Lt => top = compare!(<),
            Op::Le => top = compare!(<=),
            Op::Gt => top = compare!(>),
            Op::Ge => top = compare!(>=),
            Op::Eq => top = compare!(==),
            Op::Ne => top = compare!(!=),
            Op::And => top = truth!(pop!().value() != 0.0 && top.value() != 0.0),
            Op::Or => top = truth!(pop!().value() != 0.0 || top.value() != 0.0),
            Op::Call(function) => top = math::apply1(function, top),
            Op::Table(k) => {
                top = tables.get(k).map_or(T::lit(f64::NAN), |curve| curve.apply(top));
            }
            Op::Min => top = math::min(pop!(), top),
            Op::Max => top = math::max(pop!(), top),
            Op::Atan2 => top = math::atan2(pop!(), top),
            Op::Hypot => top = math::hypot(pop!(), top),
            Op::Mod => top = math::modulo(pop!(), top),
            Op::If => {
                let a = pop!();
                let condition = pop!();
                top = math::select(condition.value(), a, top);
            }
            Op::Clamp => {
                let lo = pop!();
                let x = pop!();
                top = math::clamp(x, lo, top);
            }
            Op::Step => {
                let t1 = pop!();
                let y0 = pop!();
                let t0 = pop!();
                let t = pop!();
                top = math::step(t, t0, y0, t1, top);
            }
        }
    }
    top
}

/// Evaluates a program on an interval; a variable beyond the end of `vars` may be anything.
pub(crate) fn run_over<const N: usize>(
    code: &[Op],
    tables: &[Arc<Curve>],
    depth: usize,
    vars: &[Jet<N>],
) -> Jet<N> {
    if depth <= SMALL {
        run_over_sized::<N, SMALL>(code, tables, vars)
    } else {
        run_over_sized::<N, { crate::MAX_DEPTH }>(code, tables, vars)
    }
}

/// Like [`run_sized`], with both branches of an `if` available.
fn run_over_sized<const N: usize, const D: usize>(
    code: &[Op],
    tables: &[Arc<Curve>],
    vars: &[Jet<N>],
) -> Jet<N> {
    const { assert!(D.is_power_of_two()) }
    let zero = Jet::constant(0.0);
    let mut stack = [zero; D];
    let mut sp = 0_usize;
    let mut top = zero;

    macro_rules! push {
        ($value:expr) => {{
            stack[sp & (D - 1)] = top;
            sp = sp.wrapping_add(1);
            top = $value;
        }};
    }
    macro_rules! pop {
        () => {{
            sp = sp.wrapping_sub(1);
            stack[sp & (D - 1)]
        }};
    }

    for op in code {
        match *op {
            Op::Const(value) => push!(Jet::constant(value)),
            Op::Var(index) => push!(vars.get(index).copied().unwrap_or(Jet::constant(f64::NAN))),
            Op::Neg => top = top.neg(),
            Op::Not => top = top.not(),
            Op::Add => top = pop!().add(top),
            Op::Sub => top = pop!().sub(top),
            Op::Mul => top = pop!().mul(top),
            Op::Div => top = pop!().div(top),
            Op::Pow => top = pop!().pow(top),
            Op::PowInt(n) => top = top.power_int(n),
            Op::Lt => top = pop!().less(top),
            Op::Le => top = pop!().at_most(top),
            Op::Gt => top = top.less(pop!()),
            Op::Ge => top = top.at_most(pop!()),
            Op::Eq => top = pop!().equal(top),
            Op::Ne => top = pop!().equal(top).not(),
            Op::And => top = pop!().and(top),
            Op::Or => top = pop!().or(top),
            Op::Call(function) => top = top.call(function),
            Op::Table(k) => {
                top = tables.get(k).map_or(Jet::constant(f64::NAN), |curve| curve.over(top));
            }
            Op::Min => top = pop!().min(top),
            Op::Max => top = pop!().max(top),
            Op::Atan2 => top = pop!().atan2(top),
            Op::Hypot => top = pop!().hypot(top),
            Op::Mod => top = pop!().modulo(top),
            Op::If => {
                let a = pop!();
                let condition = pop!();
                top = condition.select(a, top);
            }
            Op::Clamp => {
                let lo = pop!();
                let x = pop!();
                top = x.clamp(lo, top);
            }
            Op::Step => {
                let t1 = pop!();
                let y0 = pop!();
                let t0 = pop!();
                let t = pop!();
                top = t.step(t0, y0, t1, top);
            }
        }
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Dual;

    fn value(code: &[Op]) -> f64 {
        run(code, &[], depth(code), &[7.0], |_| 0.0)
    }

    #[test]
    fn order_of_arguments() {
        use Op::*;
        assert_eq!(value(&[Const(5.0), Const(3.0), Sub]), 2.0);
        assert_eq!(value(&[Const(1.0), Const(2.0), Const(3.0), If]), 2.0);
        assert_eq!(value(&[Const(9.0), Const(2.0), Const(3.0), Clamp]), 3.0);
        let step = [0.5, 0.0, 10.0, 1.0, 20.0].map(Const);
        let code: Vec<Op> = step.into_iter().chain([Step]).collect();
        assert_eq!((value(&code), depth(&code)), (15.0, 5));
        assert_eq!(value(&[Const(1.0), Const(2.0), Lt]), 1.0);
    }

    #[test]
    fn variables() {
        assert_eq!(value(&[Op::Var(0)]), 7.0);
        assert!(value(&[Op::Var(1)]).is_nan());
        let code = [Op::Var(0), Op::Var(0), Op::Mul];
        let d: Dual = run(&code, &[], 2, &[7.0], |_| 1.0);
        assert_eq!((d.v, d.d), (49.0, 14.0));
    }

    #[test]
    fn deep_stack() {
        for n in [SMALL, SMALL + 1, crate::MAX_DEPTH] {
            let mut code = vec![Op::Var(0); n];
            code.extend(vec![Op::Add; n - 1]);
            assert_eq!(depth(&code), n);
            assert_eq!(value(&code), 7.0 * n as f64);
        }
    }

    #[test]
    fn malformed_code_does_not_panic() {
        value(&[]);
        value(&[Op::Step, Op::Add, Op::If]);
    }
}
