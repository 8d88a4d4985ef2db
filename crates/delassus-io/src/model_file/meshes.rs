//! Mesh files referenced by shapes: found and read like includes, with the same bounds.

use super::include::{Refusal, resolve};
use super::limits::raise;
use super::node::{At, Node};
use super::read::{ReadError, read_bounded};
use super::report::Report;
use super::roots::Roots;
use super::{Limits, escape};
use delassus_geom::{TriMesh, parse_obj, parse_stl};
use delassus_model::spec::{ModelSpec, ShapeType};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where mesh files may be and how much may be read.
pub(super) struct Meshes<'a> {
    pub limits: &'a Limits,
    pub roots: &'a Roots,
    /// Folder of each file of the model; `None` for a text.
    pub folders: &'a [Option<PathBuf>],
    /// Bytes read so far.
    pub total: u64,
}

impl Meshes<'_> {
    /// Fills the triangles of all meshes; every fault is reported at its `file`.
    pub fn load(&mut self, spec: &mut ModelSpec, root: &Node, report: &mut Report) {
        let mut seen: HashMap<PathBuf, Option<Arc<TriMesh>>> = HashMap::new();
        for (name, shape) in &mut spec.shape.0 {
            let (ShapeType::Mesh, Some(file)) = (shape.kind, &shape.file) else { continue };
            let at = place(root, name).unwrap_or(At::new(0, 0, 0));
            let path = format!("shape.{name}.file");
            shape.mesh = self.one(file, at, &path, &mut seen, report);
        }
    }

    fn one(
        &mut self,
        file: &str,
        at: At,
        path: &str,
        seen: &mut HashMap<PathBuf, Option<Arc<TriMesh>>>,
        report: &mut Report,
    ) -> Option<Arc<TriMesh>> {
        let mut fault = |code: &'static str, message: String, help: &str| {
            report.error_with(code, at, path, message, |p| p.help(help));
        };
        let Some(Some(folder)) = self.folders.get(at.file as usize) else {
            let message = "a model given as text has no folder to read meshes from".to_owned();
            fault("E_MESH", message, "save the model as a file and load that");
            return None;
        };
        let real = match resolve(file, folder, self.roots) {
            Ok(real) => real,
            Err(Refusal::Escape(why)) => {
                let message = format!("\"{file}\" is refused: {why} ({})", self.roots.shown());
                let help = "copy the file into the folder of the model, or allow its folder with \
                            --allow-dir DIR";
                fault("E_PATH_ESCAPE", message, help);
                return None;
            }
            Err(Refusal::Io(e)) => {
                let message = format!("\"{file}\" cannot be read: {e}");
                fault("E_MESH", message, "meshes are relative to the file they stand in");
                return None;
            }
        };
        if let Some(known) = seen.get(&real) {
            return known.clone();
        }
        let loaded = self.read(&real, file, fault);
        seen.insert(real, loaded.clone());
        loaded
    }

    fn read(
        &mut self,
        real: &Path,
        file: &str,
        mut fault: impl FnMut(&'static str, String, &str),
    ) -> Option<Arc<TriMesh>> {
        let bytes = match read_bounded(real, self.limits.max_file_bytes) {
            Ok(bytes) => bytes,
            Err(ReadError::Io(e)) => {
                let message = format!("\"{file}\" cannot be read: {e}");
                fault("E_MESH", message, "meshes are relative to the file they stand in");
                return None;
            }
            Err(ReadError::TooLarge(size)) => {
                let max = self.limits.max_file_bytes;
                let message = format!("the file has {size} bytes, more than the limit of {max}");
                fault("E_LIMIT", message, &raise("file-bytes"));
                return None;
            }
        };
        self.total += bytes.len() as u64;
        let max = self.limits.max_total_bytes;
        if self.total > max {
            let message = format!("the files of the model have more than {max} bytes together");
            fault("E_LIMIT", message, &raise("total-bytes"));
            return None;
        }
        let end = file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let mesh = match end.as_str() {
            "stl" => parse_stl(&bytes),
            "obj" => parse_obj(&bytes),
            _ => {
                let message = format!("\"{file}\" is of an unknown format");
                fault("E_MESH", message, "use an STL or OBJ file (.stl, .obj)");
                return None;
            }
        };
        match mesh {
            Ok(mesh) => Some(Arc::new(mesh)),
            Err(e) => {
                let help = "repair the mesh in the program that made it, and export it again";
                fault("E_MESH", format!("\"{}\": {e}", escape(file)), help);
                None
            }
        }
    }
}

/// Where `shape.NAME.file` was written.
fn place(root: &Node, name: &str) -> Option<At> {
    Some(root.get("shape")?.node.get(name)?.node.get("file")?.node.at)
}
