//! The part of Markdown that the checks need: links, headings, code.

/// Something found on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Line from 1.
    pub line: usize,
    /// Link target, path or slug.
    pub text: String,
}

/// Targets of inline links and images, and of reference definitions. Code is left out.
pub(crate) fn links(text: &str) -> Vec<Found> {
    let mut out = Vec::new();
    for (line, content) in prose(text) {
        let bare = without_code_spans(content);
        if let Some(target) = definition(&bare) {
            out.push(Found { line, text: target });
        }
        let mut rest = bare.as_str();
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let target = inline_target(rest);
            if !target.is_empty() {
                out.push(Found { line, text: target.to_owned() });
            }
        }
    }
    out
}

/// The target at the start of `rest`: up to the bracket that closes it, without a title.
fn inline_target(rest: &str) -> &str {
    let mut depth = 0;
    let mut end = rest.len();
    for (i, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => {
                end = i;
                break;
            }
            ')' => depth -= 1,
            _ => {}
        }
    }
    let target = rest[..end].split_whitespace().next().unwrap_or("");
    target.trim_start_matches('<').trim_end_matches('>')
}

/// `[name]: target`.
fn definition(line: &str) -> Option<String> {
    let (name, target) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
    if name.contains(']') {
        return None;
    }
    target.split_whitespace().next().map(str::to_owned)
}

/// Code spans that look like paths of this repository: they contain a `/` or name a document or a manifest, and contain
/// nothing that a path cannot.
pub(crate) fn code_paths(text: &str) -> Vec<Found> {
    let mut out = Vec::new();
    for (line, content) in prose(text) {
        for span in content.split('`').skip(1).step_by(2) {
            if is_path(span) {
                out.push(Found { line, text: span.to_owned() });
            }
        }
    }
    out
}

fn is_path(span: &str) -> bool {
    let plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let file = span.ends_with(".md") || span.ends_with(".toml") || span.ends_with(".rs");
    plain && !span.starts_with('/') && (span.contains('/') || file)
}

/// Words of the form `models/….toml`, anywhere, also in code.
pub(crate) fn models(text: &str) -> Vec<Found> {
    let mut out = Vec::new();
    for (i, content) in text.lines().enumerate() {
        let words = content.split(|c: char| !(c.is_ascii_alphanumeric() || "._-/".contains(c)));
        for word in words {
            let word = word.strip_prefix("./").unwrap_or(word).trim_end_matches('.');
            if word.starts_with("models/") && word.ends_with(".toml") {
                out.push(Found { line: i + 1, text: word.to_owned() });
            }
        }
    }
    out
}

/// Anchors of the headings, as mdBook and GitHub generate them.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        ((1..=6).contains(&level) && title.starts_with(' ')).then(|| slug(title.trim()))
    });
    let mut out: Vec<String> = Vec::new();
    for slug in headings {
        let same = out.iter().filter(|s| **s == slug).count();
        out.push(slug.clone());
        if same > 0 {
            out.push(format!("{slug}-{same}"));
        }
    }
    out
}

fn slug(title: &str) -> String {
    title
        .chars()
        .filter_map(|c| match c {
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
            c if c.is_whitespace() => Some('-'),
            _ => None,
        })
        .collect()
}

/// Lines outside fenced code, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|m| start.starts_with(m));
        match (fence, mark) {
            (None, Some(mark)) => {
                fence = Some(mark);
                None
            }
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                None
            }
            (Some(_), _) => None,
            (None, None) => Some((i + 1, line)),
        }
    })
}

fn without_code_spans(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(found: Vec<Found>) -> Vec<String> {
        found.into_iter().map(|f| f.text).collect()
    }

    #[test]
    fn links_are_found_and_code_is_not() {
        let text = "\
See [one](a.md) and ![two](pic.png \"title\"), `[no](code.md)`.
[three](b.md#part) [four](<c.md>) [five](d_(e).md)
[six]: f.md

```text
[no](fence.md)
```
~~~
[no](tilde.md)
```
[no](still.md)
~~~
[last](g.md)
";
        let found = links(text);
        assert_eq!(found.last().map(|f| f.line), Some(13));
        let want = ["a.md", "pic.png", "b.md#part", "c.md", "d_(e).md", "f.md", "g.md"];
        assert_eq!(texts(found), want);
    }

    #[test]
    fn paths_are_told_from_other_code() {
        let text = "`crates/x/src/lib.rs` `xtask/` `README.md` `Cargo.toml` `cargo xtask ci` \
                    `a::b` `out/<model>/` `g(q, t)` `results.csv` `/etc/passwd` `+G`\n\
                    ```\n`in/fence`\n```\n";
        let want = ["crates/x/src/lib.rs", "xtask/", "README.md", "Cargo.toml"];
        assert_eq!(texts(code_paths(text)), want);
    }

    #[test]
    fn models_are_found_in_code_too() {
        let text = "run `models/a.toml`\n```\ndelassus run ./models/sub/b-2.toml --csv x\n```\n";
        assert_eq!(texts(models(text)), ["models/a.toml", "models/sub/b-2.toml"]);
        assert!(models("other/models/a.toml models/ models/a.txt").is_empty());
    }

    #[test]
    fn headings_become_anchors() {
        let text = "# Model file\n## `[body.NAME]`\n### Two words, λ\n```\n# no\n```\n#no\n## Same\n## Same\n";
        let want = ["model-file", "bodyname", "two-words-λ", "same", "same", "same-1"];
        assert_eq!(anchors(text), want);
    }
}
