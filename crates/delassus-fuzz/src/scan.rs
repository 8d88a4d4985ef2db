//! Positions of numbers, words and texts in a model file. Not a parser: mutated text need no longer be TOML.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `0.5`, `1e-3`; inside texts too, where they belong to quantities and expressions.
    Number,
    /// A key, a name or a function.
    Word,
    /// The text between two quotation marks.
    Text,
}

#[derive(Debug, Clone)]
pub struct Token {
    pub kind: Kind,
    pub range: Range<usize>,
    /// Whether it is inside quotation marks.
    pub quoted: bool,
}

/// All tokens outside comments, in the order of their beginnings.
pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut opened: Option<usize> = None;
    let mut i = 0;
    while i < bytes.len() {
        let c = bytes[i];
        match (c, opened) {
            (b'#', None) => {
                i = end_of(bytes, i, |b| b != b'\n');
                continue;
            }
            (b'"', None) => opened = Some(i + 1),
            (b'"', Some(from)) => {
                found.push(Token { kind: Kind::Text, range: from..i, quoted: true });
                opened = None;
            }
            // an unterminated text ends with its line
            (b'\n', Some(_)) => opened = None,
            _ if c.is_ascii_digit() => {
                let end = number(bytes, i);
                found.push(Token { kind: Kind::Number, range: i..end, quoted: opened.is_some() });
                i = end;
                continue;
            }
            _ if c.is_ascii_alphabetic() || c == b'_' => {
                let end = end_of(bytes, i, |b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
                found.push(Token { kind: Kind::Word, range: i..end, quoted: opened.is_some() });
                i = end;
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    found.sort_by_key(|t| t.range.start);
    found
}

fn end_of(bytes: &[u8], from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|&b| !belongs(b)).map_or(bytes.len(), |n| from + n)
}

/// The end of a number: digits, a point, an exponent with its sign.
fn number(bytes: &[u8], from: usize) -> usize {
    let mut end = end_of(bytes, from, |b| b.is_ascii_digit() || b == b'.' || b == b'_');
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let digits = end_of(bytes, end + 1 + sign, |b| b.is_ascii_digit());
        if digits > end + 1 + sign {
            end = digits;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_line() {
        let text = "mass = \"2.5e-3 kg\" # 7\nat = [1, b2]";
        let of = |kind| {
            let found = tokens(text);
            let found = found.into_iter().filter(|t| t.kind == kind);
            found.map(|t| text[t.range].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of(Kind::Number), ["2.5e-3", "1"]);
        assert_eq!(of(Kind::Word), ["mass", "kg", "at", "b2"]);
        assert_eq!(of(Kind::Text), ["2.5e-3 kg"]);
    }

    #[test]
    fn text_that_does_not_end() {
        assert_eq!(tokens("a = \"b\nc = 1").len(), 4);
        assert_eq!(tokens("1e").len(), 2);
        assert!(tokens("").is_empty());
    }
}
