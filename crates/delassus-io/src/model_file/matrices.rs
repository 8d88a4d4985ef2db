//! Folders of matrices referenced by modal bodies.

use super::attached::{Attached, Reference};
use super::node::{At, Node};
use super::report::Report;
use delassus_model::spec::{MATRIX_FILES, ModelSpec};
use std::collections::HashMap;
use std::sync::Arc;

/// Fills the texts of all matrices; every fault is reported at its `folder`.
pub(super) fn load(
    files: &mut Attached<'_>,
    spec: &mut ModelSpec,
    root: &Node,
    report: &mut Report,
) {
    let mut seen = HashMap::new();
    for (name, body) in &mut spec.body.0 {
        let Some(modes) = &mut body.modes else { continue };
        let Some(folder) = &modes.folder else { continue };
        let at = place(root, name).unwrap_or(At::new(0, 0, 0));
        let path = &format!("body.{name}.modes.folder");
        // the same words in two files of a model may mean two folders
        let key = (at.file, folder.clone());
        let read = || {
            let mut text = |file: &str| {
                let file = &format!("{folder}/{file}");
                let r = Reference { file, at, path, code: "E_MODES", kind: "matrices" };
                let real = files.find(r, report)?;
                let bytes = files.read(&real, r, report)?;
                let text = String::from_utf8(bytes);
                if text.is_err() {
                    let message = format!("\"{file}\" is not a text in UTF-8");
                    r.fault(report, r.code, message, "save it as Matrix Market or CSV text");
                }
                text.ok()
            };
            let [mass, stiffness, nodes] = MATRIX_FILES.map(&mut text);
            Some(Arc::new([mass?, stiffness?, nodes?]))
        };
        modes.files = seen.entry(key).or_insert_with(read).clone();
    }
}

/// Where `body.NAME.modes.folder` was written.
fn place(root: &Node, name: &str) -> Option<At> {
    let body = &root.get("body")?.node.get(name)?.node;
    Some(body.get("modes")?.node.get("folder")?.node.at)
}
