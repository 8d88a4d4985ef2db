//! Stable codes of faults and notes, in sources and on their reference page.

use std::collections::BTreeSet;

/// Codes in the strings of a Rust source, up to its tests: `"E_RANGE"`, `"N_REDUNDANT: …"`.
pub(crate) fn in_source(source: &str) -> BTreeSet<String> {
    let code = match source.find("#[cfg(test)]\nmod tests {") {
        Some(end) => &source[..end],
        None => source,
    };
    code.split('"').skip(1).filter_map(leading).collect()
}

/// Codes in the first column of the tables of a page: `| \`E_RANGE\` | …`.
pub(crate) fn in_tables(page: &str) -> BTreeSet<String> {
    let cells = page.lines().filter_map(|line| {
        let cell = line.trim_start().strip_prefix('|')?.split('|').next()?;
        cell.trim().strip_prefix('`')?.strip_suffix('`')
    });
    cells.filter_map(leading).collect()
}

/// The code at the beginning of a text.
fn leading(text: &str) -> Option<String> {
    let end = text
        .find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
        .unwrap_or(text.len());
    let code = &text[..end];
    let named = code.strip_prefix("E_").or_else(|| code.strip_prefix("N_"));
    named.filter(|n| !n.is_empty()).map(|_| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_a_source() {
        let source = "f(\"E_RANGE\"); g(\"E_FILE: cannot\"); h(\"N_Y2\", \"E_\", \"plain\");\n\
                      #[cfg(test)]\nmod tests {\n    x(\"E_TESTED\");\n}\n";
        let found: Vec<String> = in_source(source).into_iter().collect();
        assert_eq!(found, ["E_FILE", "E_RANGE", "N_Y2"]);
    }

    #[test]
    fn codes_of_a_page() {
        let page = "| code | meaning |\n|---|---|\n| `E_A` | x `E_B` |\n|`N_C`|y|\n`E_D` | z\n";
        let found: Vec<String> = in_tables(page).into_iter().collect();
        assert_eq!(found, ["E_A", "N_C"]);
    }
}
