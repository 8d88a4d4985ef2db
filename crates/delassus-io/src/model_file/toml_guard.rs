//! Bounds the size and nesting of TOML text before a tree is built.
//!
//! The parser limits nested brackets, but not dotted keys: `a.a.a…` a million times makes a
//! tree so deep that dropping it overflows the stack. Tokens are counted here as well, since
//! the parser holds them all in memory.

use super::Limits;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// Which bound was exceeded, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Excess {
    Depth { offset: usize },
    Tokens { offset: usize },
}

/// Walks over the tokens once, without storing them.
pub(super) fn scan(text: &str, limits: &Limits) -> Result<usize, Excess> {
    let mut state = Nesting::default();
    let mut tokens = 0usize;
    for token in Source::new(text).lex() {
        let offset = token.span().start();
        tokens += 1;
        if tokens > limits.max_tokens {
            return Err(Excess::Tokens { offset });
        }
        state.step(token.kind());
        if state.depth() > limits.max_depth {
            return Err(Excess::Depth { offset });
        }
    }
    Ok(tokens)
}

/// Upper bound on the depth of the tree at the current token.
#[derive(Default)]
struct Nesting {
    /// Open brackets, each with the keys that led to it.
    open: Vec<(TokenKind, usize)>,
    /// Levels of all open brackets together.
    levels: usize,
    /// Parts of the key being read.
    key: usize,
    /// Parts of the current table header.
    header: usize,
    in_header: bool,
    /// A header opens with one or two brackets; more of them are nesting.
    header_brackets: usize,
    line_is_empty: bool,
    seen_any: bool,
}

impl Nesting {
    fn depth(&self) -> usize {
        self.levels + self.key + self.header
    }

    fn step(&mut self, kind: TokenKind) {
        use TokenKind as K;
        let line_start = self.line_is_empty || !self.seen_any;
        self.seen_any = true;
        match kind {
            K::Newline | K::Eof => {
                if self.in_header {
                    self.header = self.key + 1;
                    self.in_header = false;
                }
                self.key = 0;
                self.line_is_empty = true;
                return;
            }
            K::Whitespace => {
                self.line_is_empty = line_start;
                return;
            }
            K::Dot => self.key += 1,
            K::Comma => self.key = 0,
            K::LeftSquareBracket if line_start && self.open.is_empty() => {
                self.in_header = true;
                self.header_brackets = 1;
                self.header = 0;
            }
            K::LeftSquareBracket if self.in_header && self.header_brackets < 2 => {
                self.header_brackets += 1;
            }
            K::LeftSquareBracket | K::LeftCurlyBracket => {
                self.open.push((kind, self.key + 1));
                self.levels += self.key + 1;
                self.key = 0;
            }
            K::RightSquareBracket => self.close(K::LeftSquareBracket),
            K::RightCurlyBracket => self.close(K::LeftCurlyBracket),
            _ => {}
        }
        self.line_is_empty = false;
    }

    /// A bracket that does not match stays open here: overestimating the depth is the safe side.
    fn close(&mut self, opening: TokenKind) {
        if let Some(&(kind, levels)) = self.open.last()
            && kind == opening
        {
            self.open.pop();
            self.levels -= levels;
            self.key = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth_ok(text: &str) -> bool {
        scan(text, &Limits::default()).is_ok()
    }

    #[test]
    fn deep_text_is_refused_and_long_text_is_not() {
        assert!(!depth_ok(&"[".repeat(100_000)));
        assert!(!depth_ok(&format!("x = {}", "{a=".repeat(1000))));
        assert!(!depth_ok(&format!("{}a = 1", "a.".repeat(200))));
        assert!(!depth_ok(&format!("[{}a]", "a.".repeat(200))));
        // Header, key and brackets add up.
        let key = "a.".repeat(60);
        assert!(!depth_ok(&format!("[{key}a]\n{key}a = [[[[[[[[[[[[[[1]]]]]]]]]]]]]]")));
        assert!(depth_ok(&format!("x = [{}]", "1.5, ".repeat(10_000))));
        assert!(depth_ok(&"[body.a]\nx.y = [[1.0, 2.0], [3.0, 4.0]]\n".repeat(1000)));
    }

    #[test]
    fn tokens_are_counted() {
        let limits = Limits { max_tokens: 10, ..Limits::default() };
        assert!(matches!(scan("a=1\nb=2\nc=3\nd=4", &limits), Err(Excess::Tokens { .. })));
    }
}
