//! Numbers and expressions as written, converted to values and programs in SI.

use super::context::{Env, Path};
use crate::spec::Scalar;
use crate::{Diagnostic, var};
use delassus_expr::{
    Binding, Curve, Dim, Expr, ExprError, ExprErrorKind, Join, Outside, Scope, TableFunction,
    interpolate, parse_constant,
};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Longest text of a value that is repeated in a message.
const MAX_QUOTED: usize = 60;
/// Number of sensor names among which a misspelt one is looked up.
const MAX_SUGGESTED_SENSORS: usize = 2000;

/// Column name to its index; `None` for a sensor that is itself faulty.
pub(super) type SensorNames = BTreeMap<String, Option<usize>>;

/// The variables an expression may use besides time.
#[derive(Clone, Copy, Default)]
pub(super) struct Vars<'a> {
    /// Names with a meaning only here, such as `length` of a spring.
    pub(super) locals: &'a [(&'a str, usize)],
    pub(super) sensors: Option<&'a SensorNames>,
}

/// The names an expression sees.
struct Names<'a> {
    env: Env<'a>,
    vars: Vars<'a>,
    /// A name was used whose own definition is faulty: consequences are not reported.
    tainted: Cell<bool>,
    /// A local name was used that a parameter also has.
    clash: RefCell<Option<String>>,
}

impl<'a> Names<'a> {
    fn new(env: Env<'a>, vars: Vars<'a>) -> Self {
        Names { env, vars, tainted: Cell::new(false), clash: RefCell::new(None) }
    }

    fn taint(&self) -> Binding {
        self.tainted.set(true);
        Binding::Const(1.0, Dim::Any)
    }
}

impl Scope for Names<'_> {
    fn lookup(&self, name: &str) -> Option<Binding> {
        if let Some((_, variable)) = self.vars.locals.iter().find(|(n, _)| *n == name) {
            if self.env.params.meaning(name).is_some() {
                *self.clash.borrow_mut() = Some(name.to_owned());
            }
            return Some(Binding::Var(*variable));
        }
        if let Some((_, value)) = self.env.indices.iter().find(|(n, _)| &**n == name) {
            return Some(Binding::Const(*value as f64, Dim::Any));
        }
        match self.env.params.get(name) {
            Some(Some((value, dim))) => return Some(Binding::Const(value, dim)),
            Some(None) => return Some(self.taint()),
            None => {}
        }
        if name == "t" {
            return Some(Binding::Var(var::T));
        }
        match self.vars.sensors?.get(name)? {
            Some(id) => Some(Binding::Var(var::SENSOR + id)),
            None => Some(self.taint()),
        }
    }

    fn is_defined(&self, name: &str) -> bool {
        self.is_variable(name)
            || self.env.indices.iter().any(|(n, _)| &**n == name)
            || self.env.params.get(name).is_some()
    }

    fn is_variable(&self, name: &str) -> bool {
        name == "t"
            || self.vars.locals.iter().any(|(n, _)| *n == name)
            || self.vars.sensors.is_some_and(|s| s.contains_key(name))
    }

    fn table(&self, name: &str) -> Option<TableFunction> {
        let found = self.env.params.tables.get(name)?.clone();
        if found.is_none() {
            self.tainted.set(true);
        }
        found.or_else(anything)
    }

    fn tables(&self) -> Vec<String> {
        self.env.params.tables.keys().cloned().collect()
    }

    fn names(&self) -> Vec<String> {
        let sensors = self.vars.sensors.into_iter().flat_map(BTreeMap::keys);
        let mut list: Vec<String> = self.env.params.names().map(str::to_owned).collect();
        list.extend(self.env.indices.iter().map(|(n, _)| n.to_string()));
        list.extend(self.vars.locals.iter().map(|(n, _)| (*n).to_owned()));
        list.extend(sensors.take(MAX_SUGGESTED_SENSORS).cloned());
        list
    }
}

/// Stands for a table that is itself faulty.
fn anything() -> Option<TableFunction> {
    let curve = Curve::new(vec![0.0, 1.0], &[1.0, 1.0], Join::Straight, Outside::Clamp).ok()?;
    Some(TableFunction { curve: curve.into(), argument: Dim::Any, value: Dim::Any })
}

impl Env<'_> {
    /// A constant in SI.
    pub(super) fn constant(&self, value: &Scalar, path: &Path<'_>, expected: Dim) -> Option<f64> {
        match value {
            Scalar::Number(x) => self.finite(*x, path),
            Scalar::Text(text) if text.contains('{') => {
                // names such as `L{i}`; a place in the filled text is not a place of the file
                let text = self.text(text, path)?;
                let names = Names::new(*self, Vars::default());
                let parsed = parse_constant(&text, &names);
                if names.tainted.get() {
                    return None;
                }
                let fault = match parsed {
                    Ok((x, dim)) => match dim_fault(&text, 0, path, expected, dim) {
                        None => return self.finite(x, path),
                        Some(fault) => fault,
                    },
                    Err(error) => self.expression_fault(&text, 0, path, &error),
                };
                self.report(Diagnostic { within: None, ..fault });
                None
            }
            Scalar::Text(text) => self.constant_text(text, 0, path, expected),
        }
    }

    /// A constant from a part of a text that begins at `offset`.
    pub(super) fn constant_text(
        &self,
        text: &str,
        offset: usize,
        path: &Path<'_>,
        expected: Dim,
    ) -> Option<f64> {
        let (value, dim) = self.constant_with_dim(text, offset, path)?;
        if let Some(fault) = dim_fault(text, offset, path, expected, dim) {
            self.report(fault);
            return None;
        }
        Some(value)
    }

    /// The same with whatever dimension it has.
    pub(super) fn constant_with_dim(
        &self,
        text: &str,
        offset: usize,
        path: &Path<'_>,
    ) -> Option<(f64, Dim)> {
        let names = Names::new(*self, Vars::default());
        let parsed = parse_constant(text, &names);
        if names.tainted.get() {
            return None;
        }
        match parsed {
            Ok((value, dim)) => Some((self.finite(value, path)?, dim)),
            Err(error) => {
                self.report(self.expression_fault(text, offset, path, &error));
                None
            }
        }
    }

    /// Size in SI and dimension of a unit.
    pub(super) fn constant_unit(&self, unit: &str, path: &Path<'_>) -> Option<(f64, Dim)> {
        let text = format!("1 [{unit}]");
        let names = Names::new(*self, Vars::default());
        match parse_constant(&text, &names) {
            Ok(found) => Some(found),
            Err(error) => {
                let mut fault = self.expression_fault(unit, 0, path, &error);
                // the text that was read is not that of the file
                fault.within = None;
                self.report(fault);
                None
            }
        }
    }

    /// A program that may depend on time and on `vars`. Names in it may contain the index of a repetition: `p{i}.x`.
    pub(super) fn expression(
        &self,
        value: &Scalar,
        path: &Path<'_>,
        expected: Dim,
        vars: Vars<'_>,
    ) -> Option<Expr> {
        let text = match value {
            Scalar::Number(x) => return self.finite(*x, path).map(Expr::constant),
            Scalar::Text(text) => self.text(text, path)?,
        };
        // a place in a filled text is not a place of the file
        let filled = matches!(text, Cow::Owned(_));
        let place = |mut fault: Diagnostic| {
            fault.within = fault.within.filter(|_| !filled);
            fault
        };
        let text = &*text;
        let names = Names::new(*self, vars);
        let parsed = Expr::parse(text, &names);
        if names.tainted.get() {
            return None;
        }
        if let Some(name) = names.clash.into_inner() {
            let (what, section) = self.params.meaning(&name).unwrap_or_default();
            self.report(
                Diagnostic::error(
                    "E_DUPLICATE",
                    path.to_string(),
                    format!("`{name}` means a measured quantity here, but is {what} too"),
                )
                .help(format!("rename what is {what}"))
                .related(format!("{section}.{name}")),
            );
            return None;
        }
        let expr = match parsed {
            Ok(expr) => expr,
            Err(error) => {
                let mut fault = self.expression_fault(text, 0, path, &error);
                if let Some(help) = component_help(&error, vars) {
                    fault.help = Some(help);
                }
                self.report(place(fault));
                return None;
            }
        };
        if let Some(fault) = dim_fault(text, 0, path, expected, expr.dim()) {
            self.report(place(fault));
            return None;
        }
        self.check_start(text, path, &expr)?;
        Some(expr)
    }

    /// An expression of time alone can be tried before the run begins.
    fn check_start(&self, text: &str, path: &Path<'_>, expr: &Expr) -> Option<()> {
        if expr.variables().iter().any(|v| *v != var::T) {
            return Some(());
        }
        let value = expr.eval(&[self.start]);
        if value.is_finite() {
            return Some(());
        }
        self.report(
            Diagnostic::error(
                "E_NONFINITE",
                path.to_string(),
                format!("`{}` is {value} at t = {}", quoted(text), self.start),
            )
            .help("check for a division by zero, or for a root or logarithm of a negative number"),
        );
        None
    }

    /// The fault of a text that is not an expression, or not one that is allowed at its place.
    fn expression_fault(
        &self,
        text: &str,
        offset: usize,
        path: &Path<'_>,
        error: &ExprError,
    ) -> Diagnostic {
        let mut fault = expression_fault(text, offset, path, error);
        if let ExprErrorKind::UnknownName { name, .. } = &error.kind
            && self.params.is_input(name)
        {
            fault.code = "E_INPUT";
            fault.message = format!(
                "`{name}` is an input, which may jump between two steps: only forces, targets of \
                 actuators and expression sensors can follow"
            );
            fault.help = Some(
                "drive a joint by an actuator with this input as its target; take a parameter for \
                 what does not change"
                    .to_owned(),
            );
            fault.related = Some(format!("input.{name}"));
        }
        fault
    }

    fn finite(&self, x: f64, path: &Path<'_>) -> Option<f64> {
        if x.is_finite() {
            return Some(x);
        }
        self.report(
            Diagnostic::error(
                "E_NONFINITE",
                path.to_string(),
                format!("the value is {x}, but must be a finite number"),
            )
            .help("give a finite number"),
        );
        None
    }

    /// A name or reference with its `{i}` replaced.
    pub(super) fn text<'t>(&self, template: &'t str, path: &Path<'_>) -> Option<Cow<'t, str>> {
        if !template.contains(['{', '}']) {
            return Some(Cow::Borrowed(template));
        }
        let names = Names::new(*self, Vars::default());
        let result = interpolate(template, &names);
        if names.tainted.get() {
            return None;
        }
        match result {
            Ok(text) => Some(Cow::Owned(text)),
            Err(error) => {
                self.report(self.expression_fault(template, 0, path, &error));
                None
            }
        }
    }
}

/// The fault of a text whose dimension does not match.
fn dim_fault(
    text: &str,
    offset: usize,
    path: &Path<'_>,
    expected: Dim,
    found: Dim,
) -> Option<Diagnostic> {
    let message = format!("`{}` is in {found}, but {expected} is expected", quoted(text));
    (!expected.accepts(found)).then(|| {
        Diagnostic::error("E_DIMENSION", path.to_string(), message)
            .within(offset..offset + text.len())
            .help(format!("give it in {expected}, or as a bare number in SI units"))
    })
}

fn expression_fault(text: &str, offset: usize, path: &Path<'_>, error: &ExprError) -> Diagnostic {
    use ExprErrorKind as K;
    let code = match &error.kind {
        K::UnknownName { .. } | K::UnknownFunction { .. } | K::UnknownUnit { .. } => {
            "E_UNKNOWN_NAME"
        }
        K::NonFinite { .. } => "E_NONFINITE",
        K::DimensionMismatch { .. } | K::FractionalDimension { .. } | K::DimensionTooLarge => {
            "E_DIMENSION"
        }
        K::AmbiguousUnit { .. } => "E_AMBIGUOUS_UNIT",
        K::TooLong { .. } | K::TooDeep => "E_LIMIT",
        _ => "E_EXPRESSION",
    };
    let message = format!("{error} in `{}`", quoted(text));
    let mut fault = Diagnostic::error(code, path.to_string(), message)
        .within(error.span.start + offset..error.span.end + offset);
    fault.help = error.help();
    fault
}

/// A sensor of several components has no value under its bare name.
fn component_help(error: &ExprError, vars: Vars<'_>) -> Option<String> {
    let ExprErrorKind::UnknownName { name, .. } = &error.kind else {
        return None;
    };
    let prefix = format!("{name}.");
    let components: Vec<String> = vars
        .sensors?
        .range(prefix.clone()..)
        .take_while(|(other, _)| other.starts_with(&prefix))
        .map(|(other, _)| format!("`{other}`"))
        .collect();
    (!components.is_empty()).then(|| format!("use a component: {}", components.join(", ")))
}

/// A text short enough for a message.
pub(super) fn quoted(text: &str) -> Cow<'_, str> {
    if text.chars().nth(MAX_QUOTED).is_none() {
        return Cow::Borrowed(text);
    }
    let mut short: String = text.chars().take(MAX_QUOTED).collect();
    short.push('…');
    Cow::Owned(short)
}

/// The values of a list, in order; all faults in it are reported.
pub(super) fn constants(
    env: &Env<'_>,
    list: &[Scalar],
    path: &Path<'_>,
    dim: Dim,
) -> Option<Vec<f64>> {
    let values: Vec<Option<f64>> =
        list.iter().enumerate().map(|(k, s)| env.constant(s, &path.index(k), dim)).collect();
    values.into_iter().collect()
}
