//! From a path or a text to a model.

use super::attached::Attached;
use super::check::{check, place};
use super::decode::NodeReader;
use super::include::{Refusal, resolve};
use super::limits::raise;
use super::locate::SourceMap;
use super::merge::Merger;
use super::node::{At, Node, Value};
use super::prune::{prune, prune_faulty};
use super::read::{ReadError, read_bounded, to_text};
use super::report::Report;
use super::roots::Roots;
use super::{
    FileFault, Limits, LoadOptions, curves, json_text, matrices, meshes, shape, toml_text,
};
use delassus_model::spec::{
    BodySpec, ContactSpec, ForceSpec, InputSpec, JointSpec, MarkerSpec, MaterialSpec, ModelSpec,
    SCHEMA_VERSION, Scalar, SectionSpec, SensorSpec, ShapeSpec, TableSpec,
};
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

/// A model as written, and where each of its values was written.
#[derive(Debug)]
pub struct LoadedModel {
    /// The model with all includes merged; `include` is empty.
    pub spec: ModelSpec,
    /// Finds the places of model paths such as `body.crank.mass`.
    pub sources: SourceMap,
    /// What a lenient reader ignored: the first 50 unknown keys in file order.
    pub notes: Vec<FileFault>,
    /// How many unknown keys a lenient reader ignored.
    pub ignored_keys: usize,
}

/// Why there is no model.
#[derive(Debug)]
pub enum LoadError {
    /// The file is missing, a folder, not readable, or not a regular file; or a folder to be allowed is not a folder.
    Io {
        /// The path as given.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The text is at fault: at least one error, at most 50, in file order; then the notes of a lenient reader, which
    /// often explain where a missing key went.
    Invalid(Vec<FileFault>),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Io { path, source } => {
                let path = super::escape(&path.display().to_string());
                write!(f, "E_FILE: cannot read {path}: {source}")
            }
            LoadError::Invalid(problems) => {
                for (i, p) in problems.iter().enumerate() {
                    if i > 0 {
                        writeln!(f)?;
                    }
                    write!(f, "{p}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LoadError::Io { source, .. } => Some(source),
            LoadError::Invalid(_) => None,
        }
    }
}

/// Reads a model file (TOML, or JSON when its name ends in `.json`) and what it includes.
///
/// Nothing outside the folder of the model is opened. A file that is reached by several includes is merged once.
/// Included files may omit `schema`; their `title` and `description` are not used.
pub fn load(path: &Path, limits: &Limits) -> Result<LoadedModel, LoadError> {
    load_with(path, &LoadOptions::from(limits))
}

/// Like [`load`], with what the options additionally allow: unknown keys, and includes from other folders.
pub fn load_with(path: &Path, options: &LoadOptions) -> Result<LoadedModel, LoadError> {
    load_in_part(path, options).map_err(|(e, _)| e)
}

/// What is left of a model without the entries that cannot be read, so that the rest can still be checked.
pub type Rest = Option<Box<LoadedModel>>;

/// Like [`load_with`], but an error comes with whatever could be read in spite of it.
pub fn load_in_part(path: &Path, options: &LoadOptions) -> Result<LoadedModel, (LoadError, Rest)> {
    let limits = &options.limits;
    let io = |source| (LoadError::Io { path: path.to_owned(), source }, None);
    let real = fs::canonicalize(path).map_err(io)?;
    let mut loader = Loader::new(limits);
    loader.report.lenient = options.lenient;
    let folder = real.parent().map(Path::to_owned).unwrap_or_default();
    loader.roots = Roots::new(folder, &options.allowed_dirs)
        .map_err(|(path, source)| (LoadError::Io { path, source }, None))?;
    loader.shown_root = path.parent().map(Path::to_owned).unwrap_or_default();
    let bytes = match read_bounded(&real, limits.max_file_bytes) {
        Ok(bytes) => bytes,
        Err(ReadError::Io(e)) => return Err(io(e)),
        Err(ReadError::TooLarge(size)) => {
            let file = loader.report.add_file(&path.display().to_string(), String::new());
            too_large(size, At::new(file, 0, 0), limits, &mut loader.report);
            return Err((LoadError::Invalid(loader.report.into_problems()), None));
        }
    };
    loader.seen.insert(real.clone());
    loader.stack.push(real);
    loader.visit(&path.display().to_string(), bytes, true);
    loader.finish()
}

/// Reads a model from a single text. `name` is shown in messages; when it ends in `.json` the text is read as JSON. A
/// text has no folder, so `include` is rejected.
pub fn parse_str(text: &str, name: &str, limits: &Limits) -> Result<LoadedModel, LoadError> {
    let mut loader = Loader::new(limits);
    let size = text.len() as u64;
    if size > limits.max_file_bytes {
        let file = loader.report.add_file(name, String::new());
        too_large(size, At::new(file, 0, 0), limits, &mut loader.report);
    } else {
        loader.visit(name, text.as_bytes().to_vec(), false);
    }
    loader.finish().map_err(|(e, _)| e)
}

fn too_large(size: u64, at: At, limits: &Limits, report: &mut Report) {
    let max = limits.max_file_bytes;
    let message = format!("the file has {size} bytes, more than the limit of {max}");
    report.error_with("E_LIMIT", at, "", message, |p| {
        p.help(format!("spread the model over includes, use `repeat`, or {}", raise("file-bytes")))
    });
}

struct Loader<'a> {
    limits: &'a Limits,
    report: Report,
    merger: Merger,
    roots: Roots,
    /// Folder of the model as the user named it.
    shown_root: PathBuf,
    seen: HashSet<PathBuf>,
    /// Real paths of the files being read, the model first.
    stack: Vec<PathBuf>,
    /// Real paths of all files that were read.
    paths: Vec<PathBuf>,
    /// Folder of each file, by its number; `None` for a text.
    folders: Vec<Option<PathBuf>>,
    total: u64,
    references: usize,
}

impl<'a> Loader<'a> {
    fn new(limits: &'a Limits) -> Self {
        Loader {
            limits,
            report: Report::default(),
            merger: Merger::default(),
            roots: Roots::default(),
            shown_root: PathBuf::new(),
            seen: HashSet::new(),
            stack: Vec::new(),
            paths: Vec::new(),
            folders: Vec::new(),
            total: 0,
            references: 0,
        }
    }

    /// Reads one file, then what it includes, and merges its entries after theirs.
    fn visit(&mut self, name: &str, bytes: Vec<u8>, has_folder: bool) {
        self.total += bytes.len() as u64;
        let text = match to_text(bytes) {
            Ok(text) => text,
            Err((good, offset)) => {
                let end = good.len();
                let file = self.report.add_file(name, good);
                let message = format!("byte {offset} of the file is not valid UTF-8");
                let at = At::new(file, end, end);
                self.report
                    .error_with("E_UTF8", at, "", message, |p| p.help("save the file as UTF-8"));
                return;
            }
        };
        let file = self.report.add_file(name, text);
        let folder = self.stack.last().and_then(|p| p.parent()).map(Path::to_owned);
        self.folders.resize(file + 1, None);
        self.folders[file] = folder.filter(|_| has_folder);
        self.paths.extend(self.stack.last().cloned());
        let node = if is_json(name) {
            json_text::parse(file, self.limits, &mut self.report)
        } else {
            toml_text::parse(file, self.limits, &mut self.report)
        };
        let Some(mut node) = node else { return };
        let is_model = file == 0;
        if !version_fits(&node, is_model, &mut self.report) {
            return;
        }
        let start = At::new(file, 0, 0);
        check(shape::model(), &node, start, &mut String::new(), &mut self.report);
        if !self.report.ignored.is_empty() {
            prune(&mut node, &self.report.ignored);
        }
        if let Some(list) = node.get("include") {
            if has_folder {
                for (i, item) in list.node.list().iter().enumerate() {
                    if let Value::Text(reference) = &item.value {
                        self.include(reference, item.at, &format!("include[{i}]"));
                    }
                }
            } else if !list.node.list().is_empty() {
                let message = "a model given as text has no folder to include files from";
                self.report.error_with("E_INCLUDE", list.node.at, "include", message, |p| {
                    p.help("save the model as a file and load that")
                });
            }
        }
        self.merger.add(node, is_model, &mut self.report);
    }

    fn include(&mut self, reference: &str, at: At, path: &str) {
        self.references += 1;
        if self.references > self.limits.max_includes {
            if self.references == self.limits.max_includes + 1 {
                let message = format!("more than {} includes", self.limits.max_includes);
                self.too_much("includes", message, at, path);
            }
            return;
        }
        let from = self.stack.last().and_then(|p| p.parent());
        let from = from.map(Path::to_owned).unwrap_or_default();
        let real = match resolve(reference, &from, &self.roots) {
            Ok(real) => real,
            Err(Refusal::Escape(why)) => return self.escapes(reference, why, at, path),
            Err(Refusal::Io(e)) => return self.unreadable(reference, &e, at, path),
        };
        if self.stack.contains(&real) {
            return self.cycle(&real, at, path);
        }
        if self.stack.len() > self.limits.max_include_depth {
            let max = self.limits.max_include_depth;
            let message = format!("includes are nested deeper than {max}");
            return self.too_much("include-depth", message, at, path);
        }
        if !self.seen.insert(real.clone()) {
            return;
        }
        let bytes = match read_bounded(&real, self.limits.max_file_bytes) {
            Ok(bytes) => bytes,
            Err(ReadError::Io(e)) => return self.unreadable(reference, &e, at, path),
            Err(ReadError::TooLarge(size)) => {
                return too_large(size, at, self.limits, &mut self.report);
            }
        };
        let max = self.limits.max_total_bytes;
        if self.total + bytes.len() as u64 > max {
            let message = format!("the files of the model have more than {max} bytes together");
            return self.too_much("total-bytes", message, at, path);
        }
        let name = self.shown(&real);
        self.stack.push(real);
        self.visit(&name, bytes, true);
        self.stack.pop();
    }

    fn shown(&self, real: &Path) -> String {
        let inside = real.strip_prefix(&self.roots.model).unwrap_or(real);
        self.shown_root.join(inside).display().to_string()
    }

    fn too_much(&mut self, limit: &str, message: String, at: At, path: &str) {
        self.report.error_with("E_LIMIT", at, path, message, |p| p.help(raise(limit)));
    }

    fn escapes(&mut self, reference: &str, why: &str, at: At, path: &str) {
        let message = format!("\"{reference}\" is refused: {why} ({})", self.roots.shown());
        self.report.error_with("E_PATH_ESCAPE", at, path, message, |p| {
            p.help(
                "copy the file into the folder of the model, or allow its folder with \
                 --allow-dir DIR; never from the network",
            )
        });
    }

    fn unreadable(&mut self, reference: &str, e: &io::Error, at: At, path: &str) {
        let message = format!("\"{reference}\" cannot be read: {e}");
        self.report.error_with("E_INCLUDE", at, path, message, |p| {
            p.help("includes are relative to the file they stand in")
        });
    }

    fn cycle(&mut self, real: &Path, at: At, path: &str) {
        let start = self.stack.iter().position(|p| p == real).unwrap_or(0);
        let mut chain: Vec<String> = self.stack[start..].iter().map(|p| self.shown(p)).collect();
        chain.push(self.shown(real));
        let message = format!("files include each other: {}", chain.join(" → "));
        self.report.error_with("E_CYCLE", at, path, message, |p| {
            p.help("remove one include of the chain")
        });
    }

    fn finish(mut self) -> Result<LoadedModel, (LoadError, Rest)> {
        let mut root = self.merger.finish();
        too_many_entries(&root, self.limits, &mut self.report);
        let mut spec = None;
        if self.report.problems.is_empty() {
            spec = decode(&root, &mut self.report);
        }
        let (mut digests, mut paths) = (Vec::new(), self.paths);
        if let Some(spec) = &mut spec {
            let (limits, roots) = (self.limits, &self.roots);
            let (folders, total) = (&self.folders[..], self.total);
            let mut files = Attached { limits, roots, folders, total, digests, paths };
            meshes::load(&mut files, spec, &root, &mut self.report);
            curves::load(&mut files, spec, &root, &mut self.report);
            matrices::load(&mut files, spec, &root, &mut self.report);
            (digests, paths) = (files.digests, files.paths);
        }
        spec = spec.filter(|_| self.report.problems.is_empty());
        match spec {
            Some(spec) => Ok(LoadedModel {
                spec,
                notes: self.report.take_notes(),
                ignored_keys: self.report.ignored.len(),
                sources: SourceMap::new(self.report.files, root).with_files(digests, paths),
            }),
            None => {
                let rest = readable(&mut root, &self.report).map(|spec| {
                    let (files, notes) = (self.report.files.clone(), Vec::new());
                    let sources = SourceMap::new(files, root);
                    Box::new(LoadedModel { spec, notes, ignored_keys: 0, sources })
                });
                Err((LoadError::Invalid(self.report.into_problems()), rest))
            }
        }
    }
}

/// Faults of single values and keys; the rest of the model can be read without them.
const SINGLE: [&str; 5] =
    ["E_UNKNOWN_KEY", "E_UNKNOWN_VALUE", "E_TYPE", "E_MISSING_FIELD", "E_NAME"];

/// The model without the faulty parts. Meshes are not read, so shapes that have one are meaningless here.
fn readable(root: &mut Node, report: &Report) -> Option<ModelSpec> {
    if report.is_full() || !report.problems.iter().all(|(_, p)| SINGLE.contains(&p.code)) {
        return None;
    }
    let (unknown, others): (Vec<_>, Vec<_>) =
        report.problems.iter().partition(|(_, p)| p.code == "E_UNKNOWN_KEY");
    let places = |list: Vec<&(At, FileFault)>| list.iter().map(|(at, _)| *at).collect();
    prune(root, &places(unknown));
    prune_faulty(root, &places(others));
    if root
        .get("shape")
        .is_some_and(|s| s.node.table().iter().any(|e| e.node.get("file").is_some()))
    {
        return None;
    }
    read::<ModelSpec>(root).ok()
}

fn is_json(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

/// Reports a wrong `schema`. False if it is another version, whose keys cannot be checked.
fn version_fits(node: &Node, is_model: bool, report: &mut Report) -> bool {
    let help =
        format!("write `schema = {SCHEMA_VERSION}` in the first line, or try `delassus new`");
    let Some(entry) = node.get("schema") else {
        if is_model {
            let empty = node.table().is_empty();
            let what = if empty { "the file is empty: " } else { "" };
            let message = format!("{what}the key `schema` is missing");
            let at = At::new(0, 0, 0);
            report.error_with("E_SCHEMA_VERSION", at, "schema", message, |p| p.help(help));
        }
        return true;
    };
    if matches!(entry.node.value, Value::Int(i) if i == i64::from(SCHEMA_VERSION)) {
        return true;
    }
    let found = report.location(entry.node.at);
    let found = super::escape::shorten(found.text());
    let message = format!("found schema {found}; this version reads schema {SCHEMA_VERSION}");
    report.error_with("E_SCHEMA_VERSION", place(entry), "schema", message, |p| p.help(help));
    false
}

fn too_many_entries(root: &Node, limits: &Limits, report: &mut Report) {
    let mut count = 0usize;
    let ground = root.get("ground").map(|e| e.node.table()).unwrap_or(&[]);
    for section in root.table().iter().chain(ground) {
        count += section.node.table().len();
        if count > limits.max_entries {
            let max = limits.max_entries;
            let message = format!("the model has more than {max} named entries");
            report.error_with("E_LIMIT", section.key_at, &section.key, message, |p| {
                p.help(format!("use `repeat` for series of entries, or {}", raise("entries")))
            });
            return;
        }
    }
}

fn decode(root: &Node, report: &mut Report) -> Option<ModelSpec> {
    let fault = match read::<ModelSpec>(root) {
        Ok(spec) => return Some(spec),
        Err(fault) => fault,
    };
    // The schema let something through that the types reject: find the entry.
    type Reader = fn(&Node) -> Result<(), String>;
    let sections: [(&str, Reader); 11] = [
        ("parameters", |n| read::<Scalar>(n).map(drop)),
        ("input", |n| read::<InputSpec>(n).map(drop)),
        ("table", |n| read::<TableSpec>(n).map(drop)),
        ("body", |n| read::<BodySpec>(n).map(drop)),
        ("joint", |n| read::<JointSpec>(n).map(drop)),
        ("force", |n| read::<ForceSpec>(n).map(drop)),
        ("section", |n| read::<SectionSpec>(n).map(drop)),
        ("material", |n| read::<MaterialSpec>(n).map(drop)),
        ("shape", |n| read::<ShapeSpec>(n).map(drop)),
        ("contact", |n| read::<ContactSpec>(n).map(drop)),
        ("sensor", |n| read::<SensorSpec>(n).map(drop)),
    ];
    let mut entries: Vec<(String, At, String)> = Vec::new();
    let mut try_all = |section: &str, node: &Node, reader: Reader| {
        for e in node.table() {
            if let Err(fault) = reader(&e.node) {
                entries.push((format!("{section}.{}", e.key), place(e), fault));
            }
        }
    };
    for (section, reader) in sections {
        if let Some(e) = root.get(section) {
            try_all(section, &e.node, reader);
        }
    }
    if let Some(e) = root.get("ground").and_then(|g| g.node.get("markers")) {
        try_all("ground.markers", &e.node, |n| read::<MarkerSpec>(n).map(drop));
    }
    if entries.is_empty() {
        entries.push((String::new(), root.at, fault));
    }
    for (path, at, fault) in entries {
        report.error("E_TYPE", at, &path, fault);
    }
    None
}

fn read<T: DeserializeOwned>(node: &Node) -> Result<T, String> {
    T::deserialize(NodeReader(node)).map_err(|e| e.to_string())
}
