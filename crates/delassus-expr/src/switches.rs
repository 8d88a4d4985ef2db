//! Where an expression switches: functions whose zeros are its kinks and jumps.
//!
//! Every comparison, `abs`, `min`, table and so on becomes a function of the same variables that changes its sign where the
//! operation changes what it does. Conditions that are not reached at present have theirs too: a host that watches them may be
//! told of a switch that has no effect.

use crate::curve::{Curve, Join, Outside};
use crate::expr::Expr;
use crate::math::Fn1;
use crate::program::Op;
use std::f64::consts::PI;
use std::sync::Arc;

impl Expr {
    /// Functions of the same variables, always the same number of them, that change their sign where this expression may have
    /// a kink or a jump.
    pub fn switches(&self) -> Vec<Expr> {
        let code = self.code();
        let mut out = Vec::new();
        // where the code of each value on the stack begins
        let mut begins: Vec<usize> = Vec::new();
        for (i, op) in code.iter().enumerate() {
            let first = begins.len().saturating_sub(op.takes());
            let args = begins.split_off(first);
            let arg = |k: usize| {
                let end = args.get(k + 1).copied().unwrap_or(i);
                args.get(k).map_or(&[][..], |begin| &code[*begin..end])
            };
            let less = |a: &[Op], b: &[Op]| [a, b, &[Op::Sub]].concat();
            // zero at all whole numbers
            let whole = |a: &[Op], shift: f64| {
                let wave = [Op::Const(shift), Op::Add, Op::Const(PI), Op::Mul, Op::Call(Fn1::Sin)];
                [a, &wave].concat()
            };
            let mut add = |code: Vec<Op>| out.push(self.part(code, None));
            match *op {
                Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::Min | Op::Max => {
                    add(less(arg(0), arg(1)));
                }
                Op::Call(Fn1::Abs | Fn1::Sign) => add(arg(0).to_vec()),
                Op::Call(Fn1::Floor | Fn1::Ceil) => add(whole(arg(0), 0.0)),
                Op::Call(Fn1::Round) => add(whole(arg(0), 0.5)),
                Op::Mod => add(whole(&[arg(0), arg(1), &[Op::Div]].concat(), 0.0)),
                Op::Clamp => {
                    add(less(arg(0), arg(1)));
                    add(less(arg(0), arg(2)));
                }
                Op::Step => {
                    add(less(arg(0), arg(1)));
                    add(less(arg(0), arg(3)));
                }
                Op::Table(k) => {
                    let tent = self.table(k).and_then(Curve::tent);
                    if let Some(tent) = tent {
                        out.push(self.part(arg(0).to_vec(), Some(Arc::new(tent))));
                    }
                }
                _ => {}
            }
            begins.push(args.first().copied().unwrap_or(i));
        }
        out
    }
}

impl Curve {
    /// A function that changes its sign at every point, and at no other place.
    fn tent(&self) -> Option<Curve> {
        let (points, periodic) = self.arguments();
        let mut points = points.to_vec();
        if periodic && points.len() % 2 == 0 {
            // the signs of an odd number of pieces repeat after two periods
            let (first, last) = (points[0], points[points.len() - 1]);
            let again: Vec<f64> = points[1..].iter().map(|x| x + last - first).collect();
            points.extend(again);
        }
        let (mut x, mut y) = (Vec::new(), Vec::new());
        let mut sign = 1.0;
        for pair in points.windows(2) {
            let half = 0.5 * (pair[1] - pair[0]);
            x.extend([pair[0], pair[0] + half]);
            y.extend([0.0, sign * half]);
            sign = -sign;
        }
        x.push(*points.last()?);
        y.push(0.0);
        let outside = if periodic { Outside::Periodic } else { Outside::Extend };
        Curve::new(x, &y, Join::Straight, outside).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Binding, Scope};

    struct One;
    impl Scope for One {
        fn lookup(&self, name: &str) -> Option<Binding> {
            (name == "x").then_some(Binding::Var(0))
        }
        fn names(&self) -> Vec<String> {
            Vec::new()
        }
    }

    /// The places between −2 and 3 where some switch changes its sign.
    fn places(text: &str) -> Vec<f64> {
        let e = Expr::parse(text, &One).unwrap_or_else(|e| panic!("{e}"));
        let mut out = Vec::new();
        for s in e.switches() {
            let f = |k: i32| s.eval(&[f64::from(k) * 0.01 + 0.005]);
            for k in -195..300 {
                if f(k - 1) * f(k) < 0.0 {
                    out.push(f64::from(k) * 0.01);
                }
            }
        }
        out.sort_by(f64::total_cmp);
        out
    }

    #[test]
    fn signs_change_where_expressions_switch() {
        for (text, expected) in [
            ("if(x > 0.5, 1, 2)", vec![0.5]),
            ("if(x > 0.5 && 2*x < 3, x^2, abs(x + 1))", vec![-1.0, 0.5, 1.5]),
            ("clamp(x, -1, 2)", vec![-1.0, 2.0]),
            ("max(x, 1) + min(0, x)", vec![0.0, 1.0]),
            ("step(x, 0, 0, 1, 5)", vec![0.0, 1.0]),
            ("floor(x)", vec![-1.0, 0.0, 1.0, 2.0]),
            ("round(x)", vec![-1.5, -0.5, 0.5, 1.5, 2.5]),
            ("mod(x, 2)", vec![0.0, 2.0]),
            ("sin(x)*exp(x)", vec![]),
        ] {
            let found = places(text);
            let same = found.len() == expected.len()
                && found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 0.011);
            assert!(same, "{text}: {found:?}");
        }
    }

    #[test]
    fn tables_change_their_sign_at_every_point() {
        for (n, outside) in [(3, Outside::Periodic), (4, Outside::Periodic), (4, Outside::Clamp)] {
            let x: Vec<f64> = (0..n).map(f64::from).collect();
            let mut y = vec![0.0; x.len()];
            y[1] = 1.0;
            let curve = Curve::new(x, &y, Join::Straight, outside);
            let tent = curve.ok().and_then(|c| c.tent());
            let tent = tent.unwrap_or_else(|| panic!("{n}"));
            let f = |x: f64| tent.at(x)[0];
            let periods = if outside == Outside::Periodic { 4 } else { 1 };
            for k in 0..periods * (n - 1) {
                let p = f64::from(k);
                assert!(f(p - 0.25) * f(p + 0.25) < 0.0, "{n} {outside:?} {k}");
                assert!(f(p + 0.25) * f(p + 0.75) > 0.0, "{n} {outside:?} {k}");
            }
        }
    }
}
