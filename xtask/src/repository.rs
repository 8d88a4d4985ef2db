//! The checks themselves, on a folder.

use crate::{codes, markdown};
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The page that explains the codes.
const CODES_PAGE: &str = "docs/src/reference/errors.md";

/// A statement in a document that is not true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Document, relative to the root.
    pub file: PathBuf,
    /// Line from 1; 0 for the document as a whole.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// All faults of the documents under `root`, in the order of the files:
///
/// - relative links and their anchors lead somewhere;
/// - paths in backticks in `ARCHITECTURE.md` exist;
/// - models named anywhere exist, and every model of `models/` is named in the book;
/// - every page of the book is in its `SUMMARY.md`, once;
/// - every error code of the sources is in the reference page, and no other.
pub fn check_repository(root: &Path) -> io::Result<Vec<Fault>> {
    let mut documents = Vec::new();
    collect(root, Path::new(""), "md", &mut documents)?;
    let mut faults = Vec::new();
    for file in &documents {
        let text = fs::read_to_string(root.join(file))?;
        links(root, file, &text, &mut faults)?;
        for found in markdown::models(&text) {
            if !root.join(&found.text).is_file() {
                let message = format!("there is no model `{}`", found.text);
                faults.push(fault(file, found.line, message));
            }
        }
        if file == Path::new("ARCHITECTURE.md") {
            for found in markdown::code_paths(&text) {
                if !root.join(&found.text).exists() {
                    let message = format!("`{}` does not exist", found.text);
                    faults.push(fault(file, found.line, message));
                }
            }
        }
    }
    book(root, &documents, &mut faults)?;
    error_codes(root, &mut faults)?;
    Ok(faults)
}

fn fault(file: &Path, line: usize, message: String) -> Fault {
    Fault { file: file.to_owned(), line, message }
}

/// Files with this extension below `folder`, in a fixed order; build output and hidden folders
/// are left out.
fn collect(root: &Path, folder: &Path, extension: &str, out: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(root.join(folder))?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let path = folder.join(&name);
        let name = name.to_string_lossy();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            let skipped = name.starts_with('.')
                || name == "node_modules"
                || (folder.as_os_str().is_empty() && (name.starts_with("target") || name == "out"))
                || path == Path::new("docs/book");
            if !skipped {
                collect(root, &path, extension, out)?;
            }
        } else if kind.is_file() && path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
    Ok(())
}

fn links(root: &Path, file: &Path, text: &str, faults: &mut Vec<Fault>) -> io::Result<()> {
    for found in markdown::links(text) {
        let target = found.text.as_str();
        let external = target.contains("://") || target.starts_with("mailto:");
        if external {
            continue;
        }
        let (path, anchor) = match target.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor)),
            None => (target, None),
        };
        let resolved = if path.is_empty() {
            Some(file.to_owned())
        } else {
            resolve(file.parent().unwrap_or(Path::new("")), path)
        };
        let Some(resolved) = resolved.filter(|p| root.join(p).exists()) else {
            let message = format!("the link `{target}` leads nowhere");
            faults.push(fault(file, found.line, message));
            continue;
        };
        if let Some(anchor) = anchor
            && resolved.extension().is_some_and(|e| e == "md")
        {
            let page = fs::read_to_string(root.join(&resolved))?;
            if !markdown::anchors(&page).iter().any(|a| a == anchor) {
                let message = format!("`{}` has no heading `#{anchor}`", resolved.display());
                faults.push(fault(file, found.line, message));
            }
        }
    }
    Ok(())
}

/// `path` relative to `folder`, without dots; `None` if it leaves the repository.
fn resolve(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut out = folder.to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(out)
}

/// Reports pages that no reader would find, and models that no page mentions.
fn book(root: &Path, documents: &[PathBuf], faults: &mut Vec<Fault>) -> io::Result<()> {
    let source = Path::new("docs/src");
    let summary = source.join("SUMMARY.md");
    if !root.join(&summary).is_file() {
        return Ok(());
    }
    // whether listed pages exist is checked with the links
    let mut listed = BTreeSet::new();
    for found in markdown::links(&fs::read_to_string(root.join(&summary))?) {
        if let Some(page) = resolve(source, &found.text)
            && !listed.insert(page)
        {
            let message = format!("the page `{}` is listed twice", found.text);
            faults.push(fault(&summary, found.line, message));
        }
    }
    let mut named = BTreeSet::new();
    for page in documents.iter().filter(|d| d.starts_with(source)) {
        if *page != summary && !listed.contains(page) {
            let message = "the page is not in docs/src/SUMMARY.md".to_owned();
            faults.push(fault(page, 0, message));
        }
        let text = fs::read_to_string(root.join(page))?;
        named.extend(markdown::models(&text).into_iter().map(|found| found.text));
    }
    let mut models = Vec::new();
    if root.join("models").is_dir() {
        collect(root, Path::new("models"), "toml", &mut models)?;
    }
    for model in models {
        let shown = model.display().to_string();
        // benchmarks are listed by their problem, not by their file
        let own = model.parent() == Some(Path::new("models"));
        if own && !named.contains(&shown) {
            let message = format!("no page of the book names the model `{shown}`");
            faults.push(fault(&summary, 0, message));
        }
    }
    Ok(())
}

/// Compares the codes that users may meet with those that are explained.
fn error_codes(root: &Path, faults: &mut Vec<Fault>) -> io::Result<()> {
    let page = Path::new(CODES_PAGE);
    if !root.join(page).is_file() {
        return Ok(());
    }
    let explained = codes::in_tables(&fs::read_to_string(root.join(page))?);
    let mut sources = Vec::new();
    if root.join("crates").is_dir() {
        collect(root, Path::new("crates"), "rs", &mut sources)?;
    }
    let mut used = BTreeSet::new();
    for source in sources {
        // crates/<name>/src/…
        if source.components().nth(2) == Some(Component::Normal("src".as_ref())) {
            used.extend(codes::in_source(&fs::read_to_string(root.join(source))?));
        }
    }
    for code in used.difference(&explained) {
        faults.push(fault(page, 0, format!("the code `{code}` is not explained")));
    }
    for code in explained.difference(&used) {
        let message = format!("no source uses the code `{code}`");
        faults.push(fault(page, 0, message));
    }
    Ok(())
}
