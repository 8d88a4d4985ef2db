//! From model paths to places in files.

use super::check::place;
use super::escape::escape;
use super::node::{At, Entry, Node, Value};
use super::{FileFault, Location, SourceFile, report};
use delassus_model::Diagnostic;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Knows where each value of a model was written.
#[derive(Debug)]
pub struct SourceMap {
    files: Vec<Arc<SourceFile>>,
    attached: Vec<[u8; 32]>,
    paths: Vec<PathBuf>,
    root: Node,
}

impl SourceMap {
    pub(super) fn new(files: Vec<Arc<SourceFile>>, root: Node) -> Self {
        SourceMap { files, attached: Vec::new(), paths: Vec::new(), root }
    }

    /// The same with the digests of attached files, and the real paths of all files.
    pub(super) fn with_files(self, attached: Vec<[u8; 32]>, paths: Vec<PathBuf>) -> Self {
        SourceMap { attached, paths, ..self }
    }

    /// All files of the model, the model itself first.
    pub fn files(&self) -> &[Arc<SourceFile>] {
        &self.files
    }

    /// SHA-256 of each file that is no text of the model but belongs to it: meshes, tables.
    pub fn attached(&self) -> &[[u8; 32]] {
        &self.attached
    }

    /// Real paths of all files that the model consists of: the model itself first, then what it includes, then meshes,
    /// tables and matrices. Empty for a text.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The place of a model path such as `body.crank.position[0]`; if the whole path does not exist, that of its
    /// longest part that does. Names made by `repeat` (`link3`) are found at their pattern (`link{i}`). `None` if no
    /// part of the path exists.
    pub fn locate(&self, model_path: &str) -> Option<Location> {
        let (at, _) = self.find(model_path)?;
        Some(report::location(&self.files, at))
    }

    /// The place of a byte range inside the text at a model path, for faults in an expression; the whole value if the
    /// text is written with escapes.
    pub fn locate_within(&self, model_path: &str, within: &Range<usize>) -> Option<Location> {
        let (at, node) = self.find(model_path)?;
        let narrow = node.and_then(|n| self.inside(n, within));
        Some(report::location(&self.files, narrow.unwrap_or(at)))
    }

    /// Place of the longest existing part, and the value if the whole path exists.
    fn find(&self, path: &str) -> Option<(At, Option<&Node>)> {
        let mut node = &self.root;
        let mut at = None;
        let mut rest = path;
        while !rest.is_empty() {
            let step = match rest.strip_prefix('[') {
                Some(index) => step_index(node, index),
                None => step_key(node, rest.strip_prefix('.').unwrap_or(rest)),
            };
            let Some((next, next_at, next_rest)) = step else {
                return at.map(|at| (at, None));
            };
            (node, at, rest) = (next, Some(next_at), next_rest);
        }
        at.map(|at| (at, Some(node)))
    }

    fn inside(&self, node: &Node, within: &Range<usize>) -> Option<At> {
        let Value::Text(value) = &node.value else {
            return None;
        };
        let literal = self.files.get(node.at.file as usize)?.text().get(node.at.span())?;
        // One quote, three, or three and a line end; if what follows is the value itself,
        // there are no escapes in between.
        let skip = [1, 3, 4, 5]
            .into_iter()
            .find(|&n| literal.get(n..n + value.len()) == Some(value.as_str()))?;
        let start = node.at.start as usize + skip;
        let clamp = |x: usize| start + x.min(value.len());
        Some(At::new(node.at.file as usize, clamp(within.start), clamp(within.end)))
    }
}

type Step<'n, 'p> = (&'n Node, At, &'p str);

fn step_index<'n, 'p>(node: &'n Node, rest: &'p str) -> Option<Step<'n, 'p>> {
    let (index, rest) = rest.split_once(']')?;
    let item = node.list().get(index.parse::<usize>().ok()?)?;
    Some((item, item.at, rest))
}

/// Names may contain dots, so the longest key that fits is taken.
fn step_key<'n, 'p>(node: &'n Node, rest: &'p str) -> Option<Step<'n, 'p>> {
    let ends = |tail: &str| tail.is_empty() || tail.starts_with(['.', '[']);
    let exact = node
        .table()
        .iter()
        .filter_map(|e| Some((e, rest.strip_prefix(e.key.as_str())?)))
        .filter(|(_, tail)| ends(tail))
        .max_by_key(|(e, _)| e.key.len());
    let found: Option<(&Entry, &str)> = exact.or_else(|| {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, tail) = rest.split_at(end);
        let mut entries = node.table().iter();
        let entry = entries.find(|e| e.key.contains('{') && fits(&e.key, name))?;
        Some((entry, tail))
    });
    let (entry, tail) = found?;
    Some((&entry.node, place(entry), tail))
}

/// Whether a name was made from a pattern such as `link{i}`: the fixed parts occur in order.
fn fits(pattern: &str, name: &str) -> bool {
    let mut fixed = Vec::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        fixed.push(before);
        rest = after.split_once('}').map_or("", |(_, tail)| tail);
    }
    let Some(mut middle) =
        fixed.first().and_then(|first| name.strip_prefix(first)).and_then(|n| n.strip_suffix(rest))
    else {
        return false;
    };
    for part in fixed.iter().skip(1) {
        match middle.split_once(part) {
            Some((_, tail)) => middle = tail,
            None => return false,
        }
    }
    true
}

/// Gives each diagnostic of the model compiler its place in the files.
pub fn locate_all(diagnostics: Vec<Diagnostic>, sources: &SourceMap) -> Vec<FileFault> {
    let start = || report::location(&sources.files, At::new(0, 0, 0));
    let problem = |d: Diagnostic| {
        let place = match &d.within {
            Some(within) => sources.locate_within(&d.path, within),
            None => sources.locate(&d.path),
        };
        FileFault {
            code: d.code,
            severity: d.severity,
            location: place.unwrap_or_else(start),
            path: escape(&d.path),
            message: escape(&d.message),
            help: d.help.as_deref().map(escape),
            related: d.related.and_then(|path| sources.locate(&path)),
        }
    };
    diagnostics.into_iter().map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        assert!(fits("link{i}", "link12"));
        assert!(fits("a{i}_b{i+1}", "a3_b4"));
        assert!(!fits("link{i}", "lin12"));
        assert!(!fits("a{i}z", "a3"));
    }
}
