//! The models from which cases start, and the words they contain.

use crate::scan::{Kind, tokens};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct Model {
    pub name: String,
    pub text: String,
}

#[derive(Debug, Clone, Default)]
pub struct Seeds {
    pub models: Vec<Model>,
    /// Keys, names and functions outside and inside texts.
    pub words: Vec<String>,
    /// Values in quotation marks.
    pub texts: Vec<String>,
    /// Tables with their entries, headers included.
    pub blocks: Vec<String>,
}

impl Seeds {
    /// All models of a folder and the folders in it, in the order of their paths.
    pub fn read(folder: &Path) -> io::Result<Seeds> {
        let mut paths = Vec::new();
        collect(folder, &mut paths)?;
        paths.sort();
        let mut seeds = Seeds::default();
        let (mut words, mut texts) = (BTreeSet::new(), BTreeSet::new());
        for path in paths {
            let text = fs::read_to_string(&path)?;
            for token in tokens(&text) {
                let written = text[token.range].to_owned();
                match token.kind {
                    Kind::Word => words.insert(written),
                    Kind::Text => texts.insert(written),
                    Kind::Number => false,
                };
            }
            seeds.blocks.extend(blocks(&text).into_iter().map(|b| text[b].to_owned()));
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            seeds.models.push(Model { name, text });
        }
        if seeds.models.is_empty() {
            let message = format!("no models in {}", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        seeds.words = words.into_iter().collect();
        seeds.texts = texts.into_iter().collect();
        Ok(seeds)
    }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|e| e == "toml") {
            paths.push(path);
        }
    }
    Ok(())
}

/// The tables of a file: from one line that begins with a bracket to the next.
pub fn blocks(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut starts = vec![0];
    starts.extend(text.match_indices("\n[").map(|(i, _)| i + 1));
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(from, to)| from..to).filter(|r| !r.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_the_file() {
        let text = "schema = 1\n[body.a]\nmass = 1\n[body.b]\n";
        let parts: Vec<&str> = blocks(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(parts, ["schema = 1\n", "[body.a]\nmass = 1\n", "[body.b]\n"]);
        assert!(blocks("").is_empty());
    }
}
