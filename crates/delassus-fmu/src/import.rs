//! Reading an FMU of our own back: the model in it, for whoever wants to check or run it.
//!
//! The program inside an FMU is never started, and any file may be given: the archive is checked as a whole first, and
//! only the model is unpacked, into a folder that vanishes again.

use crate::archive::{Archive, Limits};
use crate::error::FmuError;
use crate::package::{MANIFEST, MODEL, Manifest};
use std::fs;
use std::path::{Path, PathBuf};

/// An FMU whose model was unpacked; the folder is removed when this is dropped.
#[derive(Debug)]
pub struct Opened {
    /// What was exported.
    pub manifest: Manifest,
    folder: PathBuf,
}

impl Opened {
    /// The folder `resources`.
    pub fn resources(&self) -> &Path {
        &self.folder
    }

    /// The model file in it.
    pub fn model(&self) -> PathBuf {
        self.folder.join(MODEL).join(&self.manifest.model)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // a folder that remains does no harm
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Checks an FMU and unpacks its model into a new folder. `folder` must not exist.
pub fn open(bytes: &[u8], folder: &Path) -> Result<Opened, FmuError> {
    let archive = Archive::open(bytes, Limits::default())?;
    let has = |path: &str| archive.files().any(|f| f == path);
    let described = "modelDescription.xml";
    if !has(described) {
        let message = format!("the archive has no {described}: it is no FMU");
        return Err(FmuError::new("E_FMU", message, "give an FMU that Delassus exported"));
    }
    let manifest_path = format!("resources/{MANIFEST}");
    if !has(&manifest_path) {
        let message = format!("the FMU has no {manifest_path}: another program exported it");
        return Err(FmuError::new("E_FMU", message, "give an FMU that Delassus exported"));
    }
    version(&archive.read(described)?)?;
    let text = String::from_utf8(archive.read(&manifest_path)?)
        .map_err(|_| FmuError::new("E_FMU", format!("{MANIFEST} is no text"), "export it again"))?;
    let manifest = Manifest::parse(&text)?;
    let prefix = format!("resources/{MODEL}/");
    if !has(&format!("{prefix}{}", manifest.model)) {
        let message =
            format!("the FMU has no {prefix}{}, the model that {MANIFEST} names", manifest.model);
        return Err(FmuError::new("E_FMU", message, "export the model again"));
    }
    let model = archive.files().filter(|f| f.starts_with(&prefix));
    // everything is unpacked in memory before the first file is written
    let mut files = vec![(MANIFEST.to_owned(), text.into_bytes())];
    for path in model {
        let short = path.strip_prefix("resources/").unwrap_or(path).to_owned();
        files.push((short, archive.read(path)?));
    }
    let write = |path: &Path, bytes: &[u8]| {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)
    };
    let failed = |path: &Path, e: &std::io::Error| {
        let message = format!("cannot write {}: {e}", path.display());
        FmuError::new("E_FILE", message, "free some space for temporary files")
    };
    private(folder).map_err(|e| failed(folder, &e))?;
    let opened = Opened { manifest, folder: folder.to_owned() };
    for (short, bytes) in &files {
        let path = folder.join(short);
        write(&path, bytes).map_err(|e| failed(&path, &e))?;
    }
    Ok(opened)
}

/// A new folder that only its owner can read.
fn private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Refuses versions of the standard that are not ours, by what the description says in its first element.
fn version(xml: &[u8]) -> Result<(), FmuError> {
    let text = String::from_utf8_lossy(xml);
    let head = text.split_once("<fmiModelDescription").map_or("", |(_, rest)| rest);
    let head = head.split_once('>').map_or(head, |(head, _)| head);
    let stated = head.split_once("fmiVersion=\"").and_then(|(_, rest)| rest.split_once('"'));
    let found = stated.map_or("", |(version, _)| version);
    if found == "2.0" || found == "3.0" {
        return Ok(());
    }
    let shown: String = found.chars().take(20).collect();
    let message = match shown.as_str() {
        "" => "modelDescription.xml states no version of FMI".to_owned(),
        other => format!("the FMU is of FMI version {other:?}; known are 2.0 and 3.0"),
    };
    Err(FmuError::new("E_FMU_VERSION", message, "export the model again"))
}
