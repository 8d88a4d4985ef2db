//! Text of unknown origin, made safe for a terminal.

use std::fmt::Write;

/// True for characters that move the cursor, end a line or change the direction of text:
/// printed raw they could make a message show something else than it says.
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

/// Replaces the same characters by harmless ones of equal length in bytes, so that spans into
/// the text stay valid. Line ends and tabs stay.
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

#[cfg(test)]
mod tests {
    use super::*;

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
