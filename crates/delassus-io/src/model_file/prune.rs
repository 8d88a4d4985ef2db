//! Removes unknown keys from a tree, so that the rest can be read.

use super::node::{At, Entry, Node, Value};
use std::collections::HashSet;

/// Removes the entries whose keys are at these places.
pub(super) fn prune(node: &mut Node, ignored: &HashSet<At>) {
    match &mut node.value {
        Value::Table(entries) => {
            entries.retain(|e| !ignored.contains(&e.key_at));
            entries.iter_mut().for_each(|e| prune(&mut e.node, ignored));
        }
        Value::List(items) => items.iter_mut().for_each(|n| prune(n, ignored)),
        _ => {}
    }
}

/// Sections of named entries.
const NAMED: [&str; 11] = [
    "parameters",
    "input",
    "table",
    "body",
    "joint",
    "force",
    "section",
    "material",
    "shape",
    "contact",
    "sensor",
];

/// Removes what has a fault at one of these places: settings, and named entries as a whole, because they would mean
/// something else without a part.
pub(super) fn prune_faulty(root: &mut Node, faults: &HashSet<At>) {
    let Value::Table(sections) = &mut root.value else { return };
    for section in sections {
        let named = NAMED.contains(&section.key.as_str());
        match &mut section.node.value {
            Value::Table(entries) if named => entries.retain(|e| !is_faulty(e, faults)),
            _ => prune_settings(&mut section.node, faults),
        }
    }
}

fn prune_settings(node: &mut Node, faults: &HashSet<At>) {
    if let Value::Table(entries) = &mut node.value {
        entries.retain(|e| match e.node.value {
            Value::Table(_) => !faults.contains(&e.key_at),
            _ => !is_faulty(e, faults),
        });
        entries.iter_mut().for_each(|e| prune_settings(&mut e.node, faults));
    }
}

fn is_faulty(e: &Entry, faults: &HashSet<At>) -> bool {
    faults.contains(&e.key_at) || has_fault(&e.node, faults)
}

fn has_fault(node: &Node, faults: &HashSet<At>) -> bool {
    faults.contains(&node.at)
        || match &node.value {
            Value::Table(entries) => entries.iter().any(|e| is_faulty(e, faults)),
            Value::List(items) => items.iter().any(|n| has_fault(n, faults)),
            _ => false,
        }
}
