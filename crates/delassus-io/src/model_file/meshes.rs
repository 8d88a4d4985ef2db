//! Mesh files referenced by shapes.

use super::attached::{Attached, Reference};
use super::escape;
use super::node::{At, Node};
use super::report::Report;
use delassus_geom::{TriMesh, parse_obj, parse_stl};
use delassus_model::spec::{ModelSpec, ShapeType};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Fills the triangles of all meshes; every fault is reported at its `file`.
pub(super) fn load(
    files: &mut Attached<'_>,
    spec: &mut ModelSpec,
    root: &Node,
    report: &mut Report,
) {
    let mut seen: HashMap<PathBuf, Option<Arc<TriMesh>>> = HashMap::new();
    for (name, shape) in &mut spec.shape.0 {
        let (ShapeType::Mesh, Some(file)) = (shape.kind, &shape.file) else { continue };
        let at = place(root, name).unwrap_or(At::new(0, 0, 0));
        let path = &format!("shape.{name}.file");
        let r = Reference { file, at, path, code: "E_MESH", kind: "meshes" };
        let Some(real) = files.find(r, report) else { continue };
        if let Some(known) = seen.get(&real) {
            shape.mesh = known.clone();
            continue;
        }
        shape.mesh = files.read(&real, r, report).and_then(|bytes| parse(&bytes, r, report));
        seen.insert(real, shape.mesh.clone());
    }
}

fn parse(bytes: &[u8], r: Reference<'_>, report: &mut Report) -> Option<Arc<TriMesh>> {
    let file = r.file;
    let end = file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let mesh = match end.as_str() {
        "stl" => parse_stl(bytes),
        "obj" => parse_obj(bytes),
        _ => {
            let message = format!("\"{file}\" is of an unknown format");
            r.fault(report, "E_MESH", message, "use an STL or OBJ file (.stl, .obj)");
            return None;
        }
    };
    match mesh {
        Ok(mesh) => Some(Arc::new(mesh)),
        Err(e) => {
            let help = "repair the mesh in the program that made it, and export it again";
            r.fault(report, "E_MESH", format!("\"{}\": {e}", escape(file)), help);
            None
        }
    }
}

/// Where `shape.NAME.file` was written.
fn place(root: &Node, name: &str) -> Option<At> {
    Some(root.get("shape")?.node.get(name)?.node.get("file")?.node.at)
}
