//! The documents show what the command prints: every `delassus` command of a `console` block in the README and the book
//! is run here, in the order of its page, and the output shown must match.
//!
//! A `toml` block with a file name after the language is written to that file first. `...` stands for omitted lines.
//! `cargo xtask examples` writes the current output into the documents.
#![cfg(unix)] // commands are given to a shell
#![allow(clippy::unwrap_used, clippy::expect_used)] // tests

mod documents {
    pub mod fit;
    pub mod page;
}

use documents::page::Page;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).unwrap()
}

fn documents() -> Vec<PathBuf> {
    let book = root().join("docs/src");
    let mut out = vec![root().join("README.md")];
    for folder in [book.clone(), book.join("howto"), book.join("reference")] {
        let files = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        out.extend(files.filter(|p| p.extension().is_some_and(|e| e == "md")));
    }
    out.sort();
    out
}

#[test]
fn output_in_the_documents_is_what_the_command_prints() {
    let write = std::env::var_os("DELASSUS_WRITE_DOCUMENTS").is_some();
    let mut faults = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let page = Page::run(&text, root());
        faults.extend(page.faults.iter().map(|f| format!("{name}:{f}")));
        if write && page.text != text {
            fs::write(&path, &page.text).unwrap();
        }
    }
    let all = faults.join("\n");
    assert!(write || faults.is_empty(), "{all}\n`cargo xtask examples` writes the present output");
}
