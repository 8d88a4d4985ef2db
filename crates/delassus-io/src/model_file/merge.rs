//! Joins the trees of several files into one.

use super::node::{At, Entry, Node, Value};
use super::report::Report;
use std::collections::HashMap;

/// Keys that belong to one file and are not passed on to the file that includes it.
const OWN: [&str; 4] = ["schema", "title", "description", "include"];

/// Collects entries in the order of merging; a name may come from one file only.
#[derive(Debug, Default)]
pub(super) struct Merger {
    root: Vec<Entry>,
    places: HashMap<String, At>,
}

impl Merger {
    /// Adds the entries of a file.
    pub fn add(&mut self, node: Node, is_model: bool, report: &mut Report) {
        let Value::Table(entries) = node.value else {
            return;
        };
        for entry in entries {
            if is_model || !OWN.contains(&entry.key.as_str()) {
                merge(&mut self.root, entry, "", &mut self.places, report);
            }
        }
    }

    /// The tree of the whole model. Includes are gone: their entries are in it.
    pub fn finish(mut self) -> Node {
        self.root.retain(|e| e.key != "include");
        Node { at: At::new(0, 0, 0), value: Value::Table(self.root) }
    }
}

/// Tables whose entries may be spread over files.
fn is_section(path: &str) -> bool {
    !path.contains('.') || path == "ground.markers"
}

fn merge(
    target: &mut Vec<Entry>,
    entry: Entry,
    parent: &str,
    places: &mut HashMap<String, At>,
    report: &mut Report,
) {
    let path =
        if parent.is_empty() { entry.key.clone() } else { format!("{parent}.{}", entry.key) };
    let section = is_section(&path) && matches!(entry.node.value, Value::Table(_));
    if section {
        // There are few sections, so a linear search is enough.
        let slot = match target.iter().position(|e| e.key == entry.key) {
            Some(i) => i,
            None => {
                target.push(Entry {
                    key: entry.key.clone(),
                    key_at: entry.key_at,
                    node: Node { at: entry.node.at, value: Value::Table(Vec::new()) },
                });
                target.len() - 1
            }
        };
        if let Value::Table(children) = entry.node.value
            && let Some(Entry { node: Node { value: Value::Table(into), .. }, .. }) =
                target.get_mut(slot)
        {
            for child in children {
                merge(into, child, &path, places, report);
            }
        }
        return;
    }
    // Two definitions in one file have already been reported by its reader.
    if let Some(first) = places.get(&path).filter(|a| a.file != entry.key_at.file) {
        let first = report.location(*first);
        let message = format!("`{path}` is already defined in {}", first.file());
        report.error_with("E_DUPLICATE", entry.key_at, &path, message, |p| {
            p.related(first).help("rename or remove one of the two")
        });
        return;
    }
    places.insert(path, entry.key_at);
    target.push(entry);
}
