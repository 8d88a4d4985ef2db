//! Finds the first of two definitions of the same key.
//!
//! The parser says where the second one is, but not where the first was. This is called only for files that have such a
//! fault, so a second walk over the text is acceptable.

use std::collections::HashMap;
use std::ops::Range;
use toml::de::DeTable;
use toml_parser::Source;
use toml_parser::lexer::TokenKind as K;

/// A header or the left side of an assignment, with its place.
struct Statement {
    span: Range<usize>,
    is_header: bool,
    is_array: bool,
}

/// Where each key of a file was defined first.
pub(super) struct Definitions {
    /// Keys of each statement, with those of the header above it.
    statements: Vec<(usize, Vec<Key>)>,
    /// First place that defines a path itself.
    exact: HashMap<String, Range<usize>>,
    /// First place that mentions a path on the way to a deeper one.
    passing: HashMap<String, Range<usize>>,
}

impl Definitions {
    /// Walks over the text once.
    pub fn new(text: &str) -> Self {
        let mut found =
            Definitions { statements: Vec::new(), exact: HashMap::new(), passing: HashMap::new() };
        let mut header: Vec<Key> = Vec::new();
        for s in statements(text) {
            let own = keys_of(text, &s);
            let keys = if s.is_header {
                // Entries of an array of tables legitimately repeat their keys.
                header = if s.is_array { Vec::new() } else { own };
                header.clone()
            } else {
                header.iter().cloned().chain(own).collect()
            };
            found.add(s.span.start, keys);
        }
        found
    }

    fn add(&mut self, start: usize, keys: Vec<Key>) {
        let mut path = String::new();
        for (i, key) in keys.iter().enumerate() {
            push(&mut path, &key.name);
            let map = if i + 1 == keys.len() { &mut self.exact } else { &mut self.passing };
            if !map.contains_key(&path) {
                map.insert(path.clone(), key.span.clone());
            }
        }
        self.statements.push((start, keys));
    }

    /// Model path of the second definition at `offset` and, if it can be found, the place of the first.
    pub fn first(&self, offset: usize) -> (String, Option<Range<usize>>) {
        let i = self.statements.partition_point(|(start, _)| *start <= offset);
        let Some((_, keys)) = i.checked_sub(1).and_then(|i| self.statements.get(i)) else {
            return (String::new(), None);
        };
        let mut path = String::new();
        for key in keys {
            push(&mut path, &key.name);
            if key.span.contains(&offset) {
                let earlier = |map: &HashMap<String, Range<usize>>| {
                    map.get(&path).filter(|s| s.start < offset).cloned()
                };
                let first = earlier(&self.exact).or_else(|| earlier(&self.passing));
                return (path.replace(SEPARATOR, "."), first);
            }
        }
        // Inside an inline table: only the path to it is known.
        (path.replace(SEPARATOR, "."), None)
    }
}

/// Names may contain dots; they cannot contain this.
const SEPARATOR: char = '\0';

fn push(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push(SEPARATOR);
    }
    path.push_str(name);
}

#[derive(Clone)]
struct Key {
    name: String,
    span: Range<usize>,
}

/// All statements of a file.
fn statements(text: &str) -> Vec<Statement> {
    let mut out: Vec<Statement> = Vec::new();
    let mut depth = 0usize;
    let mut at_line_start = true;
    let mut in_value = false;
    for token in Source::new(text).lex() {
        let (start, end) = (token.span().start(), token.span().end());
        match token.kind() {
            K::Newline if depth == 0 => {
                at_line_start = true;
                in_value = false;
                continue;
            }
            K::Newline | K::Whitespace | K::Comment | K::Eof => continue,
            K::LeftSquareBracket | K::LeftCurlyBracket if in_value => depth += 1,
            K::RightSquareBracket | K::RightCurlyBracket if in_value => {
                depth = depth.saturating_sub(1);
            }
            K::Equals => in_value = true,
            kind if at_line_start => {
                out.push(Statement {
                    span: start..end,
                    is_header: kind == K::LeftSquareBracket,
                    is_array: text[start..].starts_with("[["),
                });
            }
            _ => {}
        }
        if !in_value && let Some(s) = out.last_mut() {
            s.span.end = end;
        }
        at_line_start = false;
    }
    out
}

/// Parts of a key, obtained by letting the parser read it alone.
fn keys_of(text: &str, s: &Statement) -> Vec<Key> {
    let Some(part) = text.get(s.span.clone()) else {
        return Vec::new();
    };
    let alone = if s.is_header { part.to_owned() } else { format!("{part} = 0") };
    let Ok(table) = DeTable::parse(&alone) else {
        return Vec::new();
    };
    let mut keys = Vec::new();
    let mut table = table.get_ref();
    while let Some((key, value)) = table.iter().next() {
        let span = key.span();
        keys.push(Key {
            name: key.get_ref().to_string(),
            span: s.span.start + span.start..s.span.start + span.end,
        });
        match value.get_ref().as_table() {
            Some(inner) => table = inner,
            None => break,
        }
    }
    keys
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    fn places(text: &str, offset: usize) -> (String, Option<&str>, usize) {
        let (path, first) = Definitions::new(text).first(offset);
        let start = first.as_ref().map_or(usize::MAX, |r| r.start);
        (path, first.map(|r| &text[r]), start)
    }

    #[test]
    fn keys_headers_and_dotted_keys() {
        let t = "[a.b]\nx = [\n1,\n2]\ny = 2\n x = 3\n";
        assert_eq!(places(t, t.rfind('x').unwrap()), ("a.b.x".into(), Some("x"), 6));
        let t = "[a.b]\nx = 1\n[c]\n[a.\"b\"]\n";
        let second = t.rfind('"').unwrap() - 2;
        assert_eq!(places(t, second), ("a.b".into(), Some("b"), 3));
        // The header itself is the first definition, not the one of a child above it.
        let t = "[a.b.c]\n[a.b]\n[a.b]\n";
        assert_eq!(places(t, t.rfind('b').unwrap()), ("a.b".into(), Some("b"), 11));
        let t = "a.b.c = 1\n[a.b]\n";
        assert_eq!(places(t, t.rfind('b').unwrap()), ("a.b".into(), Some("b"), 2));
    }
}
