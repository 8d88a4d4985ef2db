//! Files of numbers referenced by tables.

use super::attached::{Attached, Reference};
use super::escape;
use super::node::{At, Node};
use super::report::Report;
use crate::results::{CsvTable, read_csv_from};
use delassus_model::spec::{ModelSpec, Points, TableSpec};
use std::sync::Arc;

/// Fills the points of all tables that come from files; every fault is reported at its `file` or `columns`.
pub(super) fn load(
    files: &mut Attached<'_>,
    spec: &mut ModelSpec,
    root: &Node,
    report: &mut Report,
) {
    for (name, table) in &mut spec.table.0 {
        let Some(file) = &table.file else { continue };
        let at = place(root, name, "file").unwrap_or(At::new(0, 0, 0));
        let path = &format!("table.{name}.file");
        let r = Reference { file, at, path, code: "E_TABLE", kind: "tables" };
        let Some(real) = files.find(r, report) else { continue };
        let Some(bytes) = files.read(&real, r, report) else { continue };
        let read = match read_csv_from(&bytes[..]) {
            Ok(read) => read,
            Err(e) => {
                let help = "give lines of numbers with commas between, below a line of names";
                r.fault(report, "E_TABLE", format!("\"{}\": {e}", escape(file)), help);
                continue;
            }
        };
        let columns = &format!("table.{name}.columns");
        let at = place(root, name, "columns").unwrap_or(at);
        table.points = points(table, read, Reference { at, path: columns, ..r }, report);
    }
}

/// The two columns of a table.
fn points(
    table: &TableSpec,
    mut read: CsvTable,
    r: Reference<'_>,
    report: &mut Report,
) -> Option<Arc<Points>> {
    let known = read.names.len();
    let place = match &table.columns[..] {
        [] if known == 2 => Some([0, 1]),
        [] => {
            let message = format!("\"{}\" has {known} columns", escape(r.file));
            let help = "name two of them, as in `columns = [\"s\", \"height\"]`";
            r.fault(report, "E_TABLE", message, help);
            None
        }
        [x, y] => {
            let find = |name: &String, report: &mut Report| {
                let found = read.names.iter().position(|n| n == name);
                if found.is_none() {
                    let message = format!("\"{}\" has no column `{name}`", escape(r.file));
                    let some: Vec<String> =
                        read.names.iter().take(8).map(|n| format!("`{}`", escape(n))).collect();
                    r.fault(report, "E_TABLE", message, &format!("it has {}", some.join(", ")));
                }
                found
            };
            let (x, y) = (find(x, report), find(y, report));
            Some([x?, y?])
        }
        list => {
            let message = format!("{} names of columns", list.len());
            r.fault(report, "E_TABLE", message, "name two: that of the argument and of the value");
            None
        }
    };
    let [x, y] = place?;
    let y = if x == y { read.columns[x].clone() } else { std::mem::take(&mut read.columns[y]) };
    Some(Arc::new(Points { x: std::mem::take(&mut read.columns[x]), y }))
}

/// Where a key of `table.NAME` was written.
fn place(root: &Node, name: &str, key: &str) -> Option<At> {
    Some(root.get("table")?.node.get(name)?.node.get(key)?.node.at)
}
