//! Text of unknown origin, made safe for a terminal.

use std::fmt::Write;

/// True for characters that move the cursor, end a line or change the direction of text: printed raw, they could make a
/// message show something other than what it says.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{061C}'
                | '\u{200B}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{2069}'
                | '\u{FEFF}'
        )
}

/// Replaces control and direction-override characters by `\u{…}`.
pub fn escape(text: &str) -> String {
    if !text.chars().any(is_unsafe) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe(c) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// Replaces the same characters by harmless ones of equal length in bytes, so that spans into the text stay valid. Line
/// ends and tabs are kept.
pub(super) fn mask(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => c,
            c if is_unsafe(c) => match c.len_utf8() {
                1 => '?',
                2 => '¿',
                _ => '\u{FFFD}',
            },
            c => c,
        })
        .collect()
}

/// At most 60 characters of a text, for quoting in a message.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The largest number of characters in one word of a message, and how many are kept at the start and the end of a
/// longer one.
const WORD: usize = 300;
const ENDS: [usize; 2] = [80, 20];
/// The largest number of characters in a message.
const MESSAGE: usize = 10_000;

/// Shortens words and messages that are too long to read.
pub fn shorten_words(text: &str) -> String {
    if text.len() <= WORD {
        return text.to_owned();
    }
    let mut out = String::new();
    for (k, word) in text.split(' ').enumerate() {
        if k > 0 {
            out.push(' ');
        }
        let length = word.chars().count();
        if length <= WORD {
            out.push_str(word);
            continue;
        }
        out.extend(word.chars().take(ENDS[0]));
        out.push('…');
        out.extend(word.chars().skip(length - ENDS[1]));
    }
    match out.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", &out[..end]),
        None => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut() {
        let long = "ä".repeat(100_000);
        let short = shorten_words(&format!("there is no body `{long}` here"));
        assert!(short.len() < 300 && short.starts_with("there is") && short.ends_with("` here"));
        let words = "word ".repeat(1000);
        assert_eq!(shorten_words(&words), words);
        assert!(shorten_words(&"word ".repeat(100_000)).len() < 11_000);
    }

    #[test]
    fn control_and_direction_characters_are_escaped() {
        assert_eq!(escape("plain ü"), "plain ü");
        assert_eq!(escape("a\u{202e}b\x1b[0m\n"), "a\\u{202e}b\\u{1b}[0m\\n");
        let s = "a\u{202e}\u{61c}\x07\u{85}z";
        let masked = mask(s);
        assert_eq!(masked.len(), s.len());
        assert!(!masked.chars().any(is_unsafe));
    }
}
