//! TOML text to tree.

use super::Limits;
use super::escape::shorten;
use super::limits::raise;
use super::node::{At, Entry, Node, Value, with_index, with_key};
use super::report::{MAX_PROBLEMS, Report};
use super::toml_duplicate::Definitions;
use super::toml_guard::{self, Excess};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue, Error};

/// Above this size only the first syntax error is looked for: the parser keeps every one, and a large file of garbage
/// has as many as it has tokens.
const RECOVER_TOKENS: usize = 200_000;

/// Reads the text of a file that was added to the report. `None` if it cannot be read as a whole; the report says why.
pub(super) fn parse(file: usize, limits: &Limits, report: &mut Report) -> Option<Node> {
    let source = std::sync::Arc::clone(report.files.get(file)?);
    let text = source.text();
    let tokens = match toml_guard::scan(text, limits) {
        Ok(n) => n,
        Err(excess) => {
            too_much(file, &excess, limits, report);
            return None;
        }
    };
    let (table, errors) = if tokens <= RECOVER_TOKENS {
        DeTable::parse_recoverable(text)
    } else {
        match DeTable::parse(text) {
            Ok(table) => (table, Vec::new()),
            Err(e) => (Spanned::new(0..0, DeTable::new()), vec![e]),
        }
    };
    let readable = tokens <= RECOVER_TOKENS || errors.is_empty();
    let mut broken = false;
    for error in errors.iter().filter(|e| !is_duplicate(e)).take(1) {
        // One syntax error causes others after it; only the first is informative.
        grammar(file, error, report);
        broken = true;
    }
    if errors.iter().any(is_duplicate) {
        // Beyond this the walk for the first of the two would take longer than it is worth.
        let searched = if tokens <= 2_000_000 { text } else { "" };
        let definitions = Definitions::new(searched);
        for error in errors.iter().filter(|e| is_duplicate(e)).take(MAX_PROBLEMS) {
            duplicate(file, error, &definitions, report);
        }
    }
    if broken || !readable {
        return None;
    }
    let mut builder = Builder { file, path: String::new(), report };
    let value = builder.table(table.get_ref());
    Some(Node { at: At::new(file, 0, 0), value })
}

fn too_much(file: usize, excess: &Excess, limits: &Limits, report: &mut Report) {
    match *excess {
        Excess::Depth { offset } => {
            let at = At::new(file, offset, offset + 1);
            let message = format!("nested deeper than {} levels", limits.max_depth);
            report.error_with("E_LIMIT", at, "", message, |p| {
                p.help(format!(
                    "a model needs a handful of levels: look for an unclosed bracket, or {}",
                    raise("depth")
                ))
            });
        }
        Excess::Tokens { offset } => {
            let at = At::new(file, offset, offset);
            let message = format!("more than {} words and signs in one file", limits.max_tokens);
            report.error_with("E_LIMIT", at, "", message, |p| {
                p.help(format!(
                    "use `repeat` for series of entries, spread the model over includes, or {}",
                    raise("tokens")
                ))
            });
        }
    }
}

fn is_duplicate(error: &Error) -> bool {
    error.message().starts_with("duplicate key")
}

fn duplicate(file: usize, error: &Error, definitions: &Definitions, report: &mut Report) {
    let span = error.span().unwrap_or(0..0);
    let at = At::new(file, span.start, span.end);
    let Some(source) = report.files.get(file).map(std::sync::Arc::clone) else {
        return;
    };
    let key = source.text().get(span.clone()).unwrap_or("");
    let (path, first) = definitions.first(span.start);
    let message = format!("`{}` is defined twice", shorten(key));
    let first = first.map(|s| report.location(At::new(file, s.start, s.end)));
    report.error_with("E_DUPLICATE", at, &path, message, |p| {
        let p = p.help("rename or remove one of the two");
        match first {
            Some(first) => p.related(first),
            None => p,
        }
    });
}

fn grammar(file: usize, error: &Error, report: &mut Report) {
    let Some(source) = report.files.get(file).map(std::sync::Arc::clone) else {
        return;
    };
    let end = source.text().len();
    let span = error.span().unwrap_or(end..end);
    let at = At::new(file, span.start, span.end);
    let (line_start, line) = source.line_at(span.start);
    if error.message().contains("recursion") {
        let message = "more than 80 levels in one key or list, which TOML files cannot have";
        return report.error_with("E_LIMIT", at, "", message, |p| {
            p.help(format!("look for an unclosed bracket, or write JSON and {}", raise("depth")))
        });
    }
    let help = hint(line, span.start.saturating_sub(line_start), '=');
    report.error_with("E_SYNTAX", at, "", error.message(), |p| p.help(help));
}

/// The likely cause of a syntax error in this line, judged by its value.
pub(super) fn hint(line: &str, column: usize, assign: char) -> &'static str {
    let general = "correct the line; `delassus new` writes a model to start from";
    let Some((key, value)) = line.split_once(assign) else {
        return general;
    };
    if column <= key.len() {
        return general;
    }
    let value = value.trim_start();
    let digits = |s: &str| s.len() - s.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = value.trim_start_matches(['+', '-']);
    let whole = digits(number);
    let after = &number[whole..];
    if whole > 0 && after.starts_with(',') && digits(after[1..].trim_start()) > 0 {
        return "write the decimal sign as a point: 1.5, not 1,5";
    }
    if value.starts_with(['"', '\'', '[', '{']) {
        return general;
    }
    "put text, expressions and units in quotes: \"L/2\", \"12 mm\""
}

struct Builder<'r> {
    file: usize,
    path: String,
    report: &'r mut Report,
}

impl Builder<'_> {
    fn at(&self, span: Range<usize>) -> At {
        At::new(self.file, span.start, span.end)
    }

    fn node(&mut self, value: &Spanned<DeValue<'_>>) -> Node {
        let at = self.at(value.span());
        let value = match value.get_ref() {
            DeValue::String(s) => Value::Text(self.text(s, at)),
            DeValue::Integer(i) => self.integer(i, at),
            DeValue::Float(x) => self.float(x.as_str(), at),
            DeValue::Boolean(b) => Value::Bool(*b),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(items) => {
                let mut list = Vec::with_capacity(items.len());
                let mut path = std::mem::take(&mut self.path);
                for (i, item) in items.iter().enumerate() {
                    list.push(with_index(&mut path, i, |path| {
                        std::mem::swap(&mut self.path, path);
                        let node = self.node(item);
                        std::mem::swap(&mut self.path, path);
                        node
                    }));
                }
                self.path = path;
                Value::List(list)
            }
            DeValue::Table(table) => self.table(table),
        };
        Node { at, value }
    }

    fn table(&mut self, table: &DeTable<'_>) -> Value {
        // The parser sorts by name; the model needs the order of the file.
        let mut pairs: Vec<_> = table.iter().collect();
        pairs.sort_by_key(|(k, _)| k.span().start);
        let mut entries = Vec::with_capacity(pairs.len());
        let mut path = std::mem::take(&mut self.path);
        for (key, value) in pairs {
            let node = with_key(&mut path, key.get_ref(), |path| {
                std::mem::swap(&mut self.path, path);
                let node = self.node(value);
                std::mem::swap(&mut self.path, path);
                node
            });
            entries.push(Entry {
                key: key.get_ref().to_string(),
                key_at: self.at(key.span()),
                node,
            });
        }
        self.path = path;
        Value::Table(entries)
    }

    /// Line ends inside a text must not depend on the editor that saved the file; those written as escapes are
    /// intended.
    fn text(&self, value: &str, at: At) -> String {
        let literal = || self.report.files.get(self.file)?.text().get(at.span());
        if value.contains("\r\n") && literal().is_some_and(|l| l.contains("\r\n")) {
            return value.replace("\r\n", "\n");
        }
        value.to_owned()
    }

    fn integer(&mut self, literal: &DeInteger<'_>, at: At) -> Value {
        match i64::from_str_radix(literal.as_str(), literal.radix()) {
            Ok(i) => Value::Int(i),
            // Whole numbers beyond 64 bits are still numbers, with the precision of any other.
            Err(_) if literal.radix() == 10 => self.float(literal.as_str(), at),
            Err(_) => match u128::from_str_radix(literal.as_str(), literal.radix()) {
                Ok(n) => Value::Float(n as f64),
                Err(_) => self.float("inf", at),
            },
        }
    }

    fn float(&mut self, literal: &str, at: At) -> Value {
        match literal.parse::<f64>() {
            Ok(x) if x.is_finite() => Value::Float(x),
            _ => {
                not_finite(at, &self.path, self.report);
                Value::Float(0.0)
            }
        }
    }
}

/// Reports a number that is not finite, quoted as written.
pub(super) fn not_finite(at: At, path: &str, report: &mut Report) {
    let literal = shorten(report.location(at).text());
    let message = format!("found {literal}; every number of a model must be finite");
    report.error_with("E_NONFINITE", at, path, message, |p| {
        p.help("write a number between -1.7e308 and 1.7e308")
    });
}
