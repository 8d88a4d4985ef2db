//! Compares the tree of a file with the shape of a model.

use super::escape::shorten;
use super::node::{At, Entry, Node, Value, with_index, with_key};
use super::report::Report;
use super::shape::{Fields, Shape, quote_list};
use delassus_expr::suggest;
use delassus_model::fields::{EntryType, entry_types};

/// The largest number of characters in a name: it appears in column headings and in messages.
const MAX_NAME: usize = 256;

/// Reports every key and value that does not fit.
pub(super) fn check(shape: &Shape, node: &Node, at: At, path: &mut String, report: &mut Report) {
    if report.is_full() {
        return;
    }
    match (shape, &node.value) {
        (Shape::Any, _) | (Shape::Bool, Value::Bool(_)) | (Shape::Text, Value::Text(_)) => {}
        (Shape::Number, Value::Int(_) | Value::Float(_)) => {}
        (Shape::Count(max), Value::Int(i)) => count(*max, *i, at, path, report),
        (Shape::Choice(words), Value::Text(word)) => choice(words, word, at, path, report),
        (Shape::List(item), Value::List(items)) => {
            for (i, n) in items.iter().enumerate() {
                with_index(path, i, |path| check(item, n, n.at, path, report));
            }
        }
        (Shape::Map(item), Value::Table(entries)) => {
            for e in entries {
                with_key(path, &e.key, |path| {
                    if e.key.is_empty() {
                        report.error("E_NAME", e.key_at, path, "a name must not be empty");
                    }
                    let length = e.key.chars().count();
                    if length > MAX_NAME {
                        let message = format!(
                            "the name has {length} characters, more than the {MAX_NAME} that names may have"
                        );
                        report.error_with("E_NAME", e.key_at, path, message, |p| {
                            p.help("give it a shorter name; a title may say the rest")
                        });
                    }
                    check(item, &e.node, place(e), path, report);
                });
            }
        }
        (Shape::Struct(fields), Value::Table(entries)) => {
            table(fields, entries, at, path, report);
        }
        (Shape::OneOf(list), _) => one_of(shape, list, node, at, path, report),
        _ => wrong_type(shape, node, at, path, report),
    }
}

/// A table is best located by its name, anything else by its value.
pub(super) fn place(entry: &Entry) -> At {
    match entry.node.value {
        Value::Table(_) => entry.key_at,
        _ => entry.node.at,
    }
}

fn table(fields: &Fields, entries: &[Entry], at: At, path: &mut String, report: &mut Report) {
    let kind = entries.iter().find(|e| e.key == "type").and_then(|e| match &e.node.value {
        Value::Text(word) => Some(word.as_str()),
        _ => None,
    });
    for e in entries {
        with_key(path, &e.key, |path| match fields.get(&e.key) {
            Some(shape) => check(shape, &e.node, place(e), path, report),
            None => unknown_key(fields, kind, e, path, report),
        });
    }
    for key in fields.required.iter().filter(|key| !fields.is_optional(key, kind)) {
        if !entries.iter().any(|e| e.key == *key) {
            with_key(path, key, |path| {
                let message = format!("the key `{key}` is missing");
                let shape = fields.get(key).map(Shape::describe).unwrap_or_default();
                report.error_with("E_MISSING_FIELD", at, path, message, |p| {
                    p.help(format!("add `{key} = …`: {shape}"))
                });
            });
        }
    }
}

/// Tells which keys there are: of an entry whose type is known those of that type alone.
fn unknown_key(fields: &Fields, kind: Option<&str>, e: &Entry, path: &str, report: &mut Report) {
    let help = || {
        let known: Vec<&str> = fields.known.iter().map(|(k, _)| k.as_str()).collect();
        let of_type = kind.and_then(|kind| typed(path, kind));
        let fitting = match of_type {
            Some(of) => known
                .iter()
                .copied()
                .filter(|k| ["type", "repeat"].contains(k) || of.field(k).is_some())
                .collect(),
            None => known.clone(),
        };
        let near = suggest(&e.key, fitting.iter().copied())
            .or_else(|| suggest(&e.key, known.iter().copied()))
            // The one plural that is further than two letters away.
            .or_else(|| known.iter().copied().find(|k| e.key == "bodies" && *k == "body"));
        match (near, of_type) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Some(of)) => format!("keys of {}: {}", of.label, quote_list(&fitting)),
            (None, None) => format!("known keys: {}", quote_list(&fitting)),
        }
    };
    let message = format!("unknown key `{}`", shorten(&e.key));
    if report.lenient {
        report.ignore(e.key_at, path, &format!("{message}, ignored"), help);
    } else {
        report.error_with("E_UNKNOWN_KEY", e.key_at, path, message, |p| p.help(help()));
    }
}

/// The type of the entry in which a key is, by the section at the beginning of its path.
fn typed(path: &str, kind: &str) -> Option<&'static EntryType> {
    let section = path.split('.').next()?;
    entry_types().find(|t| t.section == section && t.word == kind)
}

fn count(max: u64, found: i64, at: At, path: &str, report: &mut Report) {
    if u64::try_from(found).map_or(true, |n| n > max) {
        let message = format!("found {found}, must be a whole number from 0 to {max}");
        report.error("E_TYPE", at, path, message);
    }
}

fn choice(words: &[String], word: &str, at: At, path: &str, report: &mut Report) {
    if words.iter().any(|w| w == word) {
        return;
    }
    let message = format!("found `{}`, must be one of {}", shorten(word), quote_list(words));
    let near = suggest(word, words.iter().map(String::as_str));
    report.error_with("E_UNKNOWN_VALUE", at, path, message, |p| match near {
        Some(near) => p.help(format!("did you mean `{near}`?")),
        None => p.help("pick one of the words above"),
    });
}

fn one_of(
    shape: &Shape,
    list: &[Shape],
    node: &Node,
    at: At,
    path: &mut String,
    report: &mut Report,
) {
    let mut fitting = list.iter().filter(|s| same_kind(s, node));
    if let (Some(only), None) = (fitting.next(), fitting.next()) {
        // By far the most frequent case: a number or an expression.
        return check(only, node, at, path, report);
    }
    // The alternative with the fewest faults is the one that was intended.
    let mut best: Option<Report> = None;
    for alternative in list.iter().filter(|s| same_kind(s, node)) {
        let mut trial = report.trial();
        check(alternative, node, at, path, &mut trial);
        if trial.badness() == (0, 0) {
            return;
        }
        if best.as_ref().is_none_or(|b| trial.badness() < b.badness()) {
            best = Some(trial);
        }
    }
    match best {
        Some(best) => report.adopt(best),
        None => wrong_type(shape, node, at, path, report),
    }
}

/// Whether the outermost kind of a value agrees with a shape, whatever is inside.
fn same_kind(shape: &Shape, node: &Node) -> bool {
    matches!(
        (shape, &node.value),
        (Shape::Any | Shape::OneOf(_), _)
            | (Shape::Bool, Value::Bool(_))
            | (Shape::Number, Value::Int(_) | Value::Float(_))
            | (Shape::Count(_), Value::Int(_))
            | (Shape::Text | Shape::Choice(_), Value::Text(_))
            | (Shape::List(_), Value::List(_))
            | (Shape::Map(_) | Shape::Struct(_), Value::Table(_))
    )
}

fn wrong_type(shape: &Shape, node: &Node, at: At, path: &str, report: &mut Report) {
    let found = match &node.value {
        Value::Bool(b) => format!("{b}, {}", node.kind()),
        Value::Int(i) => format!("{i}, {}", node.kind()),
        Value::Float(x) => format!("{x}, {}", node.kind()),
        Value::Text(s) => format!("\"{}\", {}", shorten(s), node.kind()),
        _ => node.kind().to_owned(),
    };
    let expected = shape.describe();
    let message = format!("found {found}; expected {expected}");
    report.error_with("E_TYPE", at, path, message, |p| match &node.value {
        Value::Null => p.help("leave the key out"),
        Value::Float(x) if x.fract() == 0.0 && matches!(shape, Shape::Count(_)) => {
            p.help(format!("write {x:.0} without a point"))
        }
        _ => p.help(format!("write {expected}")),
    });
}
