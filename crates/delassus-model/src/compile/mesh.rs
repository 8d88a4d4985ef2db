//! Meshes: the triangles come with the model, already closed and facing outwards.

use super::context::{Env, Path};
use crate::spec::ShapeSpec;
use crate::{Diagnostic, Form};
use delassus_math::Plain;
use std::sync::Arc;

pub(super) fn compile(env: &Env<'_>, spec: &ShapeSpec, path: &Path<'_>) -> Option<Form> {
    let scale = env.number(path, spec.kind.entry(), "scale", spec.scale.as_ref());
    let file = path.field("file");
    let Some(mesh) = &spec.mesh else {
        match &spec.file {
            None => env.needed(path, spec.kind.entry(), "file"),
            Some(name) => env.report(
                Diagnostic::error(
                    "E_MESH",
                    file.to_string(),
                    format!("the triangles of \"{name}\" are not loaded"),
                )
                .help("load the model from a file, or fill `mesh` in the program"),
            ),
        }
        return None;
    };
    let scale = scale?.unwrap_or(1.0);
    if scale == 1.0 {
        return Some(Form::Mesh { mesh: mesh.clone() });
    }
    match mesh.scaled(scale) {
        Ok(mesh) => Some(Form::Mesh { mesh: Arc::new(mesh) }),
        Err(e) => {
            let message = format!("scaled by {}: {e}", Plain(scale));
            let fault = Diagnostic::error("E_MESH", file.to_string(), message);
            env.report(fault.help("check the scale: metres per unit of the file"));
            None
        }
    }
}
