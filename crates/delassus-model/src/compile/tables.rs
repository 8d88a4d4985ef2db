//! Tables: functions that are given by points.

use super::context::{Env, Path};
use super::params::name_fault;
use super::scalars::constants;
use crate::Diagnostic;
use crate::spec::{JoinType, ModelSpec, OutsideType, TableSpec};
use delassus_expr::{Curve, CurveError, Dim, Expr, Join, Outside, TableFunction};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All tables by name; `None` for a faulty one.
pub(super) type Tables = BTreeMap<String, Option<TableFunction>>;

pub(super) fn compile(env: Env<'_>, spec: &ModelSpec) -> Tables {
    let root = Path::root("table");
    let mut tables = Tables::new();
    for (entry, (name, table)) in spec.table.iter().enumerate() {
        let (env, path) = (env.at(entry, &[]), root.field(name));
        if !has_name(&env, name, &path, tables.contains_key(name)) {
            continue;
        }
        tables.insert(name.to_owned(), Entry { env: &env, spec: table, path: &path }.function());
    }
    tables
}

/// Names must be distinguishable from everything else in expressions.
fn has_name(env: &Env<'_>, name: &str, path: &Path<'_>, known: bool) -> bool {
    if let Some(reason) = name_fault(name) {
        env.report(
            Diagnostic::error("E_NAME", path.to_string(), reason)
                .help("use letters, digits and `_`, beginning with a letter, as in `road`"),
        );
        return false;
    }
    let other = match env.params.meaning(name) {
        Some((what, section)) => (what, format!("{section}.{name}")),
        None if Expr::is_function(name) => ("a function of the language", path.to_string()),
        None if known => ("another table", path.to_string()),
        None => return true,
    };
    let message = format!("`{name}` is {} too, so that expressions could mean either", other.0);
    env.report(
        Diagnostic::error("E_DUPLICATE", path.to_string(), message)
            .help("rename one of the two")
            .related(other.1),
    );
    false
}

struct Entry<'e> {
    env: &'e Env<'e>,
    spec: &'e TableSpec,
    path: &'e Path<'e>,
}

impl Entry<'_> {
    fn function(&self) -> Option<TableFunction> {
        let [(by_x, argument), (by_y, value)] = self.units()?;
        let (x, y) = self.points([(by_x, argument), (by_y, value)])?;
        let join = match self.spec.join.unwrap_or_default() {
            JoinType::Linear => Join::Straight,
            JoinType::Monotone => Join::Monotone,
            JoinType::Spline => Join::Spline,
            JoinType::Hold => Join::Hold,
        };
        let outside = match self.spec.outside.unwrap_or_default() {
            OutsideType::Clamp => Outside::Clamp,
            OutsideType::Extend => Outside::Extend,
            OutsideType::Periodic => Outside::Periodic,
        };
        match Curve::new(x, &y, join, outside) {
            Ok(curve) => Some(TableFunction { curve: Arc::new(curve), argument, value }),
            Err(e) => {
                self.refuse(&e);
                None
            }
        }
    }

    /// Sizes of one in SI, and dimensions.
    fn units(&self) -> Option<[(f64, Dim); 2]> {
        let path = self.path.field("units");
        match &self.spec.units[..] {
            [] => Some([(1.0, Dim::Any); 2]),
            [x, y] => {
                let unit = |text: &String, k| match text.as_str() {
                    "1" => Some((1.0, Dim::NONE)),
                    text => self.env.constant_unit(text, &path.index(k)),
                };
                let (x, y) = (unit(x, 0), unit(y, 1));
                Some([x?, y?])
            }
            list => {
                let message = format!("{} units", list.len());
                let help = "give two: that of the argument and that of the value";
                self.env.range(&path, message, help);
                None
            }
        }
    }

    /// Arguments and values in SI.
    fn points(&self, units: [(f64, Dim); 2]) -> Option<(Vec<f64>, Vec<f64>)> {
        let s = self.spec;
        let listed = !s.x.is_empty() || !s.y.is_empty();
        match (&s.file, &s.points) {
            (Some(_), _) | (None, Some(_)) if listed => {
                let message = "it has points in a file and in lists".to_owned();
                self.env.range(self.path, message, "give `file`, or `x` and `y`");
                None
            }
            (_, Some(points)) => {
                let scaled = |list: &[f64], k: usize| list.iter().map(|v| v * units[k].0).collect();
                Some((scaled(&points.x, 0), scaled(&points.y, 1)))
            }
            (Some(name), None) => {
                self.env.report(
                    Diagnostic::error(
                        "E_TABLE",
                        self.path.field("file").to_string(),
                        format!("the numbers of \"{name}\" are not loaded"),
                    )
                    .help("load the model from a file, or fill `points` in the program"),
                );
                None
            }
            (None, None) => {
                if !s.columns.is_empty() {
                    let message = "columns are those of a file, which is not given".to_owned();
                    self.env.range(&self.path.field("columns"), message, "give `file`");
                }
                let list = |list: &[_], field: &str, k: usize| {
                    if list.is_empty() {
                        let help = "give the points as lists `x` and `y`, or a `file`";
                        self.env.missing(&self.path.field(field), "a table", help);
                        return None;
                    }
                    self.list(list, field, units[k])
                };
                let (x, y) = (list(&s.x, "x", 0), list(&s.y, "y", 1));
                Some((x?, y?))
            }
        }
    }

    /// Numbers of a list: bare ones in the unit of the table, texts as they say themselves.
    fn list(
        &self,
        list: &[crate::spec::Scalar],
        field: &str,
        (size, dim): (f64, Dim),
    ) -> Option<Vec<f64>> {
        let path = self.path.field(field);
        let values = constants(self.env, list, &path, dim)?;
        let bare = |k: usize| list.get(k).is_some_and(crate::spec::Scalar::is_plain);
        let value = |(k, v): (usize, f64)| if bare(k) { v * size } else { v };
        Some(values.into_iter().enumerate().map(value).collect())
    }

    fn refuse(&self, e: &CurveError) {
        let (at, help) = match e {
            CurveError::Unequal { .. } => ("y", "give as many values as arguments"),
            CurveError::TooFew { .. } => ("x", "give at least two points"),
            CurveError::Order { .. } => (
                "x",
                "sort the points; a jump is written as a steep ramp, or with `if` in the expression",
            ),
            CurveError::NotFinite { .. } => ("y", "check the number, or draw the points apart"),
            CurveError::Open { .. } => ("y", "end with the first value, or leave out `periodic`"),
        };
        let at = if self.spec.file.is_some() { "file" } else { at };
        let path = self.path.field(at).to_string();
        self.env.report(Diagnostic::error("E_TABLE", path, e.to_string()).help(help));
    }
}
