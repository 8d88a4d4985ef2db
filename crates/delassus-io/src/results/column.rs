//! Columns and the rules they must satisfy before a byte is written.

use super::WriteError;
use std::collections::HashSet;

/// One column of a result file. The first one is `t`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column<'a> {
    /// Name, unique in the file.
    pub name: &'a str,
    /// SI unit, e.g. `m/s`; empty for a plain number.
    pub unit: &'a str,
    /// Frame to which the components refer; empty if there is none.
    pub frame: &'a str,
    /// One value per row.
    pub values: &'a [f64],
    /// NaN marks an unknown value, which is an empty field in CSV.
    pub may_lack: bool,
}

/// Rejects columns of different length, columns of the same name, and numbers that are not finite, except where values
/// may be missing; returns the number of rows.
pub(super) fn check(columns: &[Column<'_>]) -> Result<usize, WriteError> {
    let rows = columns.first().map_or(0, |c| c.values.len());
    distinct(columns)?;
    for c in columns {
        if c.values.len() != rows {
            return Err(WriteError::Length {
                column: c.name.to_owned(),
                expected: rows,
                found: c.values.len(),
            });
        }
        let bad = |x: &f64| !(x.is_finite() || (c.may_lack && x.is_nan()));
        if let Some(row) = c.values.iter().position(bad) {
            return Err(WriteError::NonFinite { column: c.name.to_owned(), row });
        }
    }
    Ok(rows)
}

/// Rejects columns of the same name.
pub(super) fn distinct(columns: &[Column<'_>]) -> Result<(), WriteError> {
    let mut names = HashSet::new();
    match columns.iter().find(|c| !names.insert(c.name)) {
        Some(c) => Err(WriteError::DuplicateColumn { column: c.name.to_owned() }),
        None => Ok(()),
    }
}
