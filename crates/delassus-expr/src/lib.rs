//! Expressions with parameters, units and exact derivatives.
//!
//! A model file may give any number as an expression: `"2*crank.length + 5 mm"`, `"30 deg"`,
//! `"0.1*sin(2*pi*t)"`. [`Expr::parse`] compiles such a text once, folding everything that is
//! constant and checking dimensions, and the resulting program is evaluated without allocation,
//! together with its exact first and second derivative where those are wanted.
//!
//! ```
//! use delassus_expr::{Binding, Dim, Expr};
//!
//! let scope = [("r", Binding::Const(0.05, Dim::LENGTH)), ("t", Binding::Var(0))];
//! let law = Expr::parse("r*cos(2*t) + 10 mm", &scope)?;
//! assert_eq!(law.variables(), [0]);
//!
//! let (x, v, a) = law.eval_d2(&[0.0], 0);
//! assert!((x - 0.06).abs() < 1e-15);
//! assert!(v.abs() < 1e-15);
//! assert!((a + 0.2).abs() < 1e-15);
//!
//! let error = Expr::parse("r + 3 kg", &scope).unwrap_err();
//! assert_eq!(error.span, 4..8);
//! assert_eq!(error.to_string(), "the right side of `+` is in kg, but m was expected");
//! # Ok::<(), delassus_expr::ExprError>(())
//! ```
//!
//! # Grammar
//!
//! From loosest to tightest: `||`, `&&`, comparisons (`<` `<=` `>` `>=` `==` `!=`, which do not
//! chain), `+ -`, `* /`, prefix `- + !`, and `^` (right associative, so `-2^2` is `-4`). Truth is
//! `1.0` and falsehood `0.0`; any non-zero number counts as true. Names may be dotted, as in
//! `crank.angle`. `pi`, `tau` and `e` exist unless the scope defines those names.
//!
//! # Functions
//!
//! `sin cos tan asin acos atan sinh cosh tanh exp ln log10 sqrt cbrt abs sign floor ceil round`,
//! `min(a, b)`, `max(a, b)`, `atan2(y, x)`, `hypot(a, b)`, `pow(a, b)`, `mod(a, b)` (the result
//! has the sign of `b`), `if(condition, a, b)`, `clamp(x, lo, hi)` and
//! `step(t, t0, y0, t1, y1)`, a cubic ramp from `y0` at `t0` to `y1` at `t1`. At a kink the
//! derivative is the one of the branch that gave the value. A scope may add functions of its own that are given by
//! points: [`Curve`].
//!
//! # Units
//!
//! A unit belongs to the number directly before it, with or without white space between them. It continues over `/`,
//! `*` and `^` only as long as there is no space: `3 N/m` is a stiffness, `3 N / m` divides a force by the parameter
//! `m`. Directly after a number a name is always a unit, even if a parameter has the same name. A unit joined to
//! another one that is also the name of a parameter or variable is rejected as ambiguous, as in `10 rad/s*t` (tonne or
//! time?) or `360 deg/N`, unless they form a customary unit, such as `N/m` beside a parameter `m`. In brackets all
//! names are units: `10 [rad/s]`.
//!
//! # Dimensions
//!
//! A bare number is in SI and is compatible with everything ([`Dim::Any`]); so is a variable. `Any` is contagious in
//! products and yields in sums: `2 * 3 mm` is `Any`, `2 + 3 mm` is a length. A function of an argument with an unknown
//! dimension has an unknown dimension too, so that a model written entirely without units is never rejected.

mod curve;
mod dim;
mod emit;
mod error;
mod expr;
mod functions;
mod interpolate;
mod jet;
mod lexer;
mod math;
mod num;
mod parser;
mod program;
mod range;
mod scope;
mod suggest;
mod switches;
mod units;

pub use curve::{Curve, CurveError, Join, Outside};
pub use dim::Dim;
pub use error::{ExprError, ExprErrorKind};
pub use expr::{Expr, parse_constant};
pub use interpolate::interpolate;
pub use jet::Jet;
pub use range::Range;
pub use scope::{Binding, Scope, TableFunction};
pub use suggest::suggest;

/// Longest accepted expression or template, in bytes.
pub const MAX_LENGTH: usize = 10_000;

/// Deepest accepted nesting of parentheses, calls, signs and powers; also the number of
/// intermediate values an expression may need at once.
pub const MAX_DEPTH: usize = 64;
