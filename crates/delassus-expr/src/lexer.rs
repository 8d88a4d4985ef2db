//! Splits an expression into tokens.

use crate::error::{ExprError, ExprErrorKind};
use std::ops::Range;

/// A byte range; `Range` itself is not `Copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    pub(crate) fn to(self, other: Span) -> Span {
        Span::new(self.start, other.end)
    }
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Range<usize> {
        span.start..span.end
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tok {
    Number(f64),
    Ident,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    /// `[`, before a unit.
    OpenUnit,
    /// `]`
    CloseUnit,
    Comma,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    Not,
    End,
    /// The lexer stopped here, see [`Tokens::error`].
    Bad,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) span: Span,
}

/// Tokens up to the end or to the first error. The error is kept for when the parser gets there,
/// so that of several errors the leftmost is reported.
#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) list: Vec<Token>,
    pub(crate) error: Option<ExprError>,
}

pub(crate) fn tokenize(src: &str) -> Tokens {
    let mut list = Vec::new();
    let mut at = 0;
    let error = loop {
        at += src[at..].len() - src[at..].trim_start().len();
        if at == src.len() {
            break None;
        }
        match token(src, at) {
            Ok((tok, end)) => {
                let span = Span::new(at, end);
                list.push(Token { tok, span });
                at = end;
            }
            Err(error) => break Some(error),
        }
    };
    let tok = if error.is_some() { Tok::Bad } else { Tok::End };
    let span = Span::new(at, if error.is_some() { at } else { src.len() });
    list.push(Token { tok, span });
    Tokens { list, error }
}

/// The token at `at`, which is not white space, and the offset of its end.
fn token(src: &str, at: usize) -> Result<(Tok, usize), ExprError> {
    let rest = &src.as_bytes()[at..];
    let first = rest.first().copied().unwrap_or(0);
    let second = rest.get(1).copied().unwrap_or(0);
    let two = |tok| Ok((tok, at + 2));
    let one = |tok| Ok((tok, at + 1));
    match (first, second) {
        (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => number(src, at),
        (b'A'..=b'Z' | b'a'..=b'z' | b'_', _) => Ok((Tok::Ident, at + name_len(rest))),
        (b'<', b'=') => two(Tok::Le),
        (b'>', b'=') => two(Tok::Ge),
        (b'=', b'=') => two(Tok::Eq),
        (b'!', b'=') => two(Tok::Ne),
        (b'&', b'&') => two(Tok::And),
        (b'|', b'|') => two(Tok::Or),
        (b'<', _) => one(Tok::Lt),
        (b'>', _) => one(Tok::Gt),
        (b'!', _) => one(Tok::Not),
        (b'+', _) => one(Tok::Plus),
        (b'-', _) => one(Tok::Minus),
        (b'*', _) => one(Tok::Star),
        (b'/', _) => one(Tok::Slash),
        (b'^', _) => one(Tok::Caret),
        (b'(', _) => one(Tok::Open),
        (b')', _) => one(Tok::Close),
        (b'[', _) => one(Tok::OpenUnit),
        (b']', _) => one(Tok::CloseUnit),
        (b',', _) => one(Tok::Comma),
        _ => {
            let found: String = src[at..].chars().take(1).collect();
            let end = at + found.len();
            let kind = ExprErrorKind::UnexpectedToken {
                found,
                expected: "a number, a name or an operator",
            };
            Err(ExprError::new(kind, at..end))
        }
    }
}

fn run_len(bytes: &[u8], accept: impl Fn(&u8) -> bool) -> usize {
    bytes.iter().take_while(|b| accept(b)).count()
}

fn is_word(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || *b == b'_'
}

/// The length of a name with its dotted continuations, which may be numbers: `stretch.1`.
fn name_len(bytes: &[u8]) -> usize {
    let mut len = run_len(bytes, is_word);
    while let [b'.', next, ..] = bytes[len..]
        && is_word(&next)
    {
        len += 1 + run_len(&bytes[len + 1..], is_word);
    }
    len
}

fn number(src: &str, at: usize) -> Result<(Tok, usize), ExprError> {
    let bytes = src.as_bytes();
    let digits = |from: usize| run_len(&bytes[from..], u8::is_ascii_digit);
    let byte = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let mut end = at + digits(at);
    if byte(end) == b'.' {
        end += 1;
        end += digits(end);
    }
    let mut dangling = matches!(byte(end), b'.' | b'_');
    if matches!(byte(end), b'e' | b'E') {
        let sign = usize::from(matches!(byte(end + 1), b'+' | b'-'));
        let count = digits((end + 1 + sign).min(bytes.len()));
        if count > 0 {
            end += 1 + sign + count;
            dangling = matches!(byte(end), b'.' | b'_');
        } else {
            // `1e` and `1e-` are unfinished exponents, `1em` is a (wrong) unit
            dangling = !is_word(&byte(end + 1));
        }
    }
    if dangling {
        end += run_len(&bytes[end..], |b| is_word(b) || *b == b'.');
        let text = src[at..end].to_owned();
        return Err(ExprError::new(ExprErrorKind::BadNumber { text }, at..end));
    }
    let text = &src[at..end];
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Tok::Number(value), end)),
        Ok(value) => Err(ExprError::new(ExprErrorKind::NonFinite { value }, at..end)),
        Err(_) => {
            let text = text.to_owned();
            Err(ExprError::new(ExprErrorKind::BadNumber { text }, at..end))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(src: &str) -> Vec<Tok> {
        tokenize(src).list.iter().map(|t| t.tok).collect()
    }

    fn error(src: &str) -> (ExprErrorKind, Range<usize>) {
        let error = tokenize(src).error.unwrap();
        (error.kind, error.span)
    }

    #[test]
    fn numbers() {
        for (src, value) in
            [("1", 1.0), ("1.5", 1.5), (".5", 0.5), ("1.", 1.0), ("1e-3", 1e-3), ("2.5E+2", 250.0)]
        {
            assert_eq!(kinds(src), [Tok::Number(value), Tok::End], "{src}");
        }
        assert_eq!(kinds("12mm"), [Tok::Number(12.0), Tok::Ident, Tok::End]);
        assert_eq!(kinds("1em"), [Tok::Number(1.0), Tok::Ident, Tok::End]);
    }

    #[test]
    fn bad_numbers() {
        for (src, end) in [("1.2.3", 5), ("1_000", 5), ("1e", 2), ("1e-", 2), ("1..2", 4)] {
            let text = src[..end].to_owned();
            assert_eq!(error(src), (ExprErrorKind::BadNumber { text }, 0..end));
        }
        let value = f64::INFINITY;
        assert_eq!(error(" 1e999"), (ExprErrorKind::NonFinite { value }, 1..6));
    }

    #[test]
    fn names() {
        let tokens = tokenize("crank.angle_2 a. b");
        assert_eq!(tokens.list[0].span, Span::new(0, 13));
        assert_eq!(tokens.list[1].span, Span::new(14, 15));
        assert_eq!(tokens.error.map(|e| e.span), Some(15..16));
        assert_eq!(
            kinds("a.5 a.b.5*2"),
            [Tok::Ident, Tok::Ident, Tok::Star, Tok::Number(2.0), Tok::End]
        );
    }

    #[test]
    fn operators() {
        use Tok::*;
        assert_eq!(
            kinds("<= < >= > == != ! && || + - * / ^ ( ) [ ] ,"),
            [
                Le, Lt, Ge, Gt, Eq, Ne, Not, And, Or, Plus, Minus, Star, Slash, Caret, Open, Close,
                OpenUnit, CloseUnit, Comma, End
            ]
        );
        assert_eq!(error("3 \u{b5}m").1, 2..4);
        assert_eq!(kinds("1 \u{b5}"), [Number(1.0), Bad]);
    }
}
