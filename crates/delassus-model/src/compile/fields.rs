//! Fields of entries, rejected and read according to the tables of [`crate::fields`].

use super::context::{Env, Path};
use crate::Diagnostic;
use crate::fields::{EntryType, Sign, Value, given};
use crate::spec::Scalar;
use delassus_expr::Dim;
use delassus_math::Plain;
use serde::Serialize;

impl Env<'_> {
    /// Reports every field that is given but has no meaning for its type.
    pub(super) fn check_fields(&self, path: &Path<'_>, entry: &EntryType, spec: &impl Serialize) {
        for name in given(spec).into_iter().filter(|name| entry.field(name).is_none()) {
            self.unused(path, entry.label, &[(name, true)], &entry.names());
        }
    }

    /// Reports a field that must be given and is not.
    pub(super) fn needed(&self, path: &Path<'_>, entry: &EntryType, name: &str) {
        let help = entry.field(name).map_or("", |f| f.help);
        self.missing(&path.field(name), entry.label, help);
    }

    /// A number according to the table: `Some(None)` if it is omitted and may be, `None` if it is faulty or required. A
    /// field without meaning for the type counts as omitted.
    pub(super) fn number(
        &self,
        path: &Path<'_>,
        entry: &EntryType,
        name: &str,
        value: Option<&Scalar>,
    ) -> Option<Option<f64>> {
        let dim = match entry.field(name).map(|f| f.value) {
            Some(Value::Number(dim)) => dim,
            _ => Dim::Any,
        };
        self.number_in(path, entry, name, value, dim)
    }

    /// The same for a field whose dimension depends on what the entry refers to.
    pub(super) fn number_in(
        &self,
        path: &Path<'_>,
        entry: &EntryType,
        name: &str,
        value: Option<&Scalar>,
        dim: Dim,
    ) -> Option<Option<f64>> {
        let Some(field) = entry.field(name) else { return Some(None) };
        let Some(value) = value else {
            if field.default.is_none() {
                self.needed(path, entry, name);
                return None;
            }
            return Some(None);
        };
        let path = path.field(name);
        let x = self.constant(value, &path, dim)?;
        let (good, code, rule) = match field.sign {
            Sign::Any => (true, "", ""),
            Sign::Positive => (x > 0.0, "E_RANGE", "be more than 0"),
            Sign::NotNegative => (x >= 0.0, "E_RANGE", "not be negative"),
            Sign::NotZero => (x != 0.0, "E_DEGENERATE_DIRECTION", "not be 0"),
        };
        if good {
            return Some(Some(x));
        }
        let message = format!("`{name}` is {}{}, but must {rule}", Plain(x), unit(dim));
        let help = match field.sign {
            Sign::NotZero => "give a value other than 0",
            _ => field.help,
        };
        self.report(Diagnostic::error(code, path.to_string(), message).help(help));
        None
    }
}

/// The unit after a number.
fn unit(dim: Dim) -> String {
    if dim == Dim::NONE || dim == Dim::Any { String::new() } else { format!(" {dim}") }
}
