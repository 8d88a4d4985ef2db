//! Takes unknown keys out of a tree, so that what is left can be read.

use super::node::{At, Node, Value};
use std::collections::HashSet;

/// Removes the entries whose keys stand at these places.
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
