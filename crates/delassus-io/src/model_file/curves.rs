//! Files of numbers referenced by tables and roads.

use super::attached::{Attached, Reference};
use super::escape;
use super::node::{At, Node};
use super::report::Report;
use crate::results::{CsvTable, read_csv_from};
use delassus_model::spec::{ModelSpec, Points, RoadPoints};
use std::sync::Arc;

/// Fills the points of all tables and roads that come from files; every fault is reported at its `file` or `columns`.
pub(super) fn load(
    files: &mut Attached<'_>,
    spec: &mut ModelSpec,
    root: &Node,
    report: &mut Report,
) {
    for (name, table) in &mut spec.table.0 {
        let Some(file) = &table.file else { continue };
        let from = Columns { section: "table", name, file, given: &table.columns };
        let wanted = ["argument", "value"];
        let read = from.read(wanted, (files, root), report);
        table.points = read.map(|[x, y]| Arc::new(Points { x, y }));
    }
    for (name, road) in &mut spec.road.0 {
        let Some(file) = &road.file else { continue };
        let from = Columns { section: "road", name, file, given: &road.columns };
        let read = from.read(["x", "y", "height"], (files, root), report);
        road.points = read.map(|[x, y, z]| Arc::new(RoadPoints { x, y, z }));
    }
}

/// Columns of a file that an entry refers to.
struct Columns<'a> {
    section: &'a str,
    name: &'a str,
    file: &'a str,
    /// Their names, if given.
    given: &'a [String],
}

impl Columns<'_> {
    /// The numbers of the columns, which mean what `wanted` says.
    fn read<const N: usize>(
        &self,
        wanted: [&str; N],
        (files, root): (&mut Attached<'_>, &Node),
        report: &mut Report,
    ) -> Option<[Vec<f64>; N]> {
        let Columns { section, name, file, .. } = *self;
        let at = self.place(root, "file").unwrap_or(At::new(0, 0, 0));
        let path = &format!("{section}.{name}.file");
        let r = Reference { file, at, path, code: "E_TABLE", kind: "tables" };
        let real = files.find(r, report)?;
        let bytes = files.read(&real, r, report)?;
        let read = match read_csv_from(&bytes[..]) {
            Ok(read) => read,
            Err(e) => {
                let help = "give lines of numbers with commas between, below a line of names";
                r.fault(report, "E_TABLE", format!("\"{}\": {e}", escape(file)), help);
                return None;
            }
        };
        let columns = &format!("{section}.{name}.columns");
        let at = self.place(root, "columns").unwrap_or(at);
        let places = self.find(wanted, &read, Reference { at, path: columns, ..r }, report)?;
        Some(places.map(|k| read.columns[k].clone()))
    }

    fn find<const N: usize>(
        &self,
        wanted: [&str; N],
        read: &CsvTable,
        r: Reference<'_>,
        report: &mut Report,
    ) -> Option<[usize; N]> {
        let list = wanted.join(", ");
        if self.given.is_empty() {
            if read.names.len() == N {
                return Some(std::array::from_fn(|k| k));
            }
            let message = format!("\"{}\" has {} columns", escape(r.file), read.names.len());
            let some: Vec<String> =
                read.names.iter().take(N).map(|n| format!("\"{}\"", escape(n))).collect();
            let help =
                format!("name {N} of them for {list}, as in `columns = [{}]`", some.join(", "));
            r.fault(report, "E_TABLE", message, &help);
            return None;
        }
        let Ok(names) = <&[String; N]>::try_from(self.given) else {
            let message = format!("{} names of columns", self.given.len());
            r.fault(report, "E_TABLE", message, &format!("name {N}: {list}"));
            return None;
        };
        let found = names.each_ref().map(|name| {
            let found = read.names.iter().position(|n| n == name);
            if found.is_none() {
                let message = format!("\"{}\" has no column `{name}`", escape(r.file));
                let some: Vec<String> =
                    read.names.iter().take(8).map(|n| format!("`{}`", escape(n))).collect();
                r.fault(report, "E_TABLE", message, &format!("it has {}", some.join(", ")));
            }
            found
        });
        let mut out = [0; N];
        for (to, k) in out.iter_mut().zip(found) {
            *to = k?;
        }
        Some(out)
    }

    /// Where a key of the entry was written.
    fn place(&self, root: &Node, key: &str) -> Option<At> {
        Some(root.get(self.section)?.node.get(self.name)?.node.get(key)?.node.at)
    }
}
