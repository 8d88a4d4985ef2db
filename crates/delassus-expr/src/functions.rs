//! The table of functions: names, argument counts, instructions and dimension rules.

use crate::math::Fn1;
use crate::program::Op;

/// How the dimension of the result follows from those of the arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// Takes and returns plain numbers.
    Plain,
    /// Takes any dimension and returns it.
    Keep,
    /// Takes arguments of one dimension and returns it.
    Common,
    /// Takes arguments of one dimension and returns a plain number.
    Ratio,
    /// Raises the dimension to a power.
    Root(f64),
    Pow,
    If,
    Step,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) args: usize,
    pub(crate) op: Op,
    pub(crate) rule: Rule,
    pub(crate) usage: &'static str,
}

const fn unary(name: &'static str, f: Fn1, rule: Rule, usage: &'static str) -> Function {
    let op = Op::Call(f);
    Function { name, args: 1, op, rule, usage }
}

const fn binary(name: &'static str, op: Op, rule: Rule, usage: &'static str) -> Function {
    Function { name, args: 2, op, rule, usage }
}

static FUNCTIONS: [Function; 28] = [
    unary("sin", Fn1::Sin, Rule::Plain, "write `sin(angle)`"),
    unary("cos", Fn1::Cos, Rule::Plain, "write `cos(angle)`"),
    unary("tan", Fn1::Tan, Rule::Plain, "write `tan(angle)`"),
    unary("asin", Fn1::Asin, Rule::Plain, "write `asin(x)`"),
    unary("acos", Fn1::Acos, Rule::Plain, "write `acos(x)`"),
    unary(
        "atan",
        Fn1::Atan,
        Rule::Plain,
        "write `atan(x)`, or `atan2(y, x)` for all four quadrants",
    ),
    unary("sinh", Fn1::Sinh, Rule::Plain, "write `sinh(x)`"),
    unary("cosh", Fn1::Cosh, Rule::Plain, "write `cosh(x)`"),
    unary("tanh", Fn1::Tanh, Rule::Plain, "write `tanh(x)`"),
    unary("exp", Fn1::Exp, Rule::Plain, "write `exp(x)`"),
    unary("ln", Fn1::Ln, Rule::Plain, "write `ln(x)`"),
    unary("log10", Fn1::Log10, Rule::Plain, "write `log10(x)`"),
    unary("sqrt", Fn1::Sqrt, Rule::Root(0.5), "write `sqrt(x)`"),
    unary("cbrt", Fn1::Cbrt, Rule::Root(1.0 / 3.0), "write `cbrt(x)`"),
    unary("abs", Fn1::Abs, Rule::Keep, "write `abs(x)`"),
    unary("sign", Fn1::Sign, Rule::Ratio, "write `sign(x)`"),
    unary("floor", Fn1::Floor, Rule::Plain, "write `floor(x)`"),
    unary("ceil", Fn1::Ceil, Rule::Plain, "write `ceil(x)`"),
    unary("round", Fn1::Round, Rule::Plain, "write `round(x)`"),
    binary("min", Op::Min, Rule::Common, "write `min(a, b)`, nested for more than two"),
    binary("max", Op::Max, Rule::Common, "write `max(a, b)`, nested for more than two"),
    binary("atan2", Op::Atan2, Rule::Ratio, "write `atan2(y, x)`"),
    binary("hypot", Op::Hypot, Rule::Common, "write `hypot(a, b)`"),
    binary("pow", Op::Pow, Rule::Pow, "write `pow(base, exponent)`"),
    binary("mod", Op::Mod, Rule::Common, "write `mod(a, b)`"),
    Function {
        name: "if",
        args: 3,
        op: Op::If,
        rule: Rule::If,
        usage: "write `if(condition, a, b)`",
    },
    Function {
        name: "step",
        args: 5,
        op: Op::Step,
        rule: Rule::Step,
        usage: "write `step(t, t0, y0, t1, y1)`",
    },
    Function {
        name: "clamp",
        args: 3,
        op: Op::Clamp,
        rule: Rule::Common,
        usage: "write `clamp(x, lo, hi)`",
    },
];

/// The largest number of arguments of any function.
#[cfg(test)]
pub(crate) const MAX_ARGS: usize = 5;

pub(crate) fn lookup(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|f| f.name == name)
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|f| f.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_consistent() {
        let mut all: Vec<_> = names().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), FUNCTIONS.len());
        for f in &FUNCTIONS {
            assert!(f.args <= MAX_ARGS && f.usage.contains(&format!("{}(", f.name)));
            // one result in place of `args` values
            let mut code = vec![Op::Const(0.5); f.args];
            code.push(f.op);
            code.push(Op::Neg);
            assert_eq!(crate::program::depth(&code), f.args);
            code.push(Op::Const(1.0));
            assert_eq!(crate::program::depth(&code), f.args.max(2));
        }
        assert!(lookup("Sin").is_none());
    }
}
