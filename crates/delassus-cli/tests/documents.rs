//! The documents show what the command prints: every `delassus` command of a `console` block in the README and the book
//! is run here, in the order of its page, and the output shown must match.
//!
//! A `toml` block with a file name after the language is written to that file first. `...` stands for omitted lines.
//! `cargo xtask examples` writes the current output into the documents, and the pages of the gallery.
#![cfg(unix)] // commands are given to a shell
#![allow(clippy::unwrap_used, clippy::expect_used)] // tests

mod documents {
    pub mod fit;
    pub mod gallery;
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

#[test]
fn the_gallery_shows_the_library() {
    let write = std::env::var_os("DELASSUS_WRITE_DOCUMENTS").is_some();
    let (pages, mut faults) = documents::gallery::pages(root());
    for (name, text) in pages {
        let path = root().join(&name);
        let old = fs::read_to_string(&path).unwrap_or_default();
        if write && old != text {
            fs::write(&path, &text).unwrap();
        } else if old != text {
            let line = old.lines().zip(text.lines()).take_while(|(a, b)| a == b).count() + 1;
            faults.push(format!("{name}:{line}: `cargo xtask examples` writes this page anew"));
        }
    }
    assert!(write || faults.is_empty(), "{}", faults.join("\n"));
}
