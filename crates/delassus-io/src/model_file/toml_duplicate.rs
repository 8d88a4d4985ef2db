//! Finds the first of two definitions of the same key.
//!
//! The parser says where the second one is, but not where the first was. Only called for
//! files that have such a fault, so that a second walk over the text does no harm.

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

/// Model path of the key at `offset` and, where it can be told, the place of its first
/// definition.
pub(super) fn first_definition(text: &str, offset: usize) -> (String, Option<Range<usize>>) {
    let mut header: Vec<Key> = Vec::new();
    let statements = statements(text, offset);
    let Some((last, earlier)) = statements.split_last() else {
        return (String::new(), None);
    };
    let mut keys: Vec<Vec<Key>> = Vec::new();
    for s in earlier.iter().chain([last]) {
        let own = keys_of(text, s);
        if s.is_header {
            // Entries of an array of tables repeat their keys lawfully.
            header = if s.is_array { Vec::new() } else { own };
            keys.push(header.clone());
        } else {
            keys.push(header.iter().cloned().chain(own).collect());
        }
    }
    let Some(wanted) = keys.pop() else {
        return (String::new(), None);
    };
    // The fault may be in the middle of a dotted key: cut there.
    let upto = wanted.iter().take_while(|k| k.span.start <= offset);
    let wanted: Vec<Key> = upto.cloned().collect();
    let inside_value = !wanted.iter().any(|k| k.span.contains(&offset));
    let names: Vec<&str> = wanted.iter().map(|k| k.name.as_str()).collect();
    let path = names.join(".");
    if inside_value || wanted.is_empty() {
        return (path, None);
    }
    let first = keys.iter().find_map(|k| {
        let same = k.len() >= wanted.len() && k.iter().zip(&wanted).all(|(a, b)| a.name == b.name);
        let last = k.get(wanted.len() - 1)?;
        same.then(|| last.span.clone())
    });
    (path, first)
}

#[derive(Clone)]
struct Key {
    name: String,
    span: Range<usize>,
}

/// All statements that start at or before `offset`.
fn statements(text: &str, offset: usize) -> Vec<Statement> {
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
                if start > offset {
                    break;
                }
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

/// Parts of a key, by letting the parser read it alone.
fn keys_of(text: &str, s: &Statement) -> Vec<Key> {
    let Some(part) = text.get(s.span.clone()) else {
        return Vec::new();
    };
    let alone = if s.is_header {
        part.to_owned()
    } else {
        format!("{part} = 0")
    };
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
mod tests {
    use super::*;

    fn places(text: &str, offset: usize) -> (String, Option<&str>, usize) {
        let (path, first) = first_definition(text, offset);
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
        let t = "a.b.c = 1\n[a.b]\n";
        assert_eq!(places(t, t.rfind('b').unwrap()), ("a.b".into(), Some("b"), 2));
    }
}
