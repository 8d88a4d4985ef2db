//! JSON text to tree.
//!
//! We have our own parser because every value needs its place in the text; the grammar is the strict one of RFC 8259.

use super::Limits;
use super::escape::shorten;
use super::limits::raise;
use super::node::{At, Entry, Node, Value, with_index, with_key};
use super::report::Report;
use super::toml_text::{hint, not_finite};
use std::collections::HashMap;

/// Reads the text of a file that was added to the report. `None` if it cannot be read as a whole; the report says why.
pub(super) fn parse(file: usize, limits: &Limits, report: &mut Report) -> Option<Node> {
    let source = std::sync::Arc::clone(report.files.get(file)?);
    let text = source.text();
    if text.trim().is_empty() {
        return Some(Node { at: At::new(file, 0, 0), value: Value::Table(Vec::new()) });
    }
    let mut parser = Parser { text, pos: 0, file, limits, values: 0, path: String::new(), report };
    let result = parser.document();
    match result {
        Ok(node) => Some(node),
        Err(fault) => {
            let at = At::new(file, fault.at, fault.at + 1);
            let (start, line) = source.line_at(fault.at);
            let help = match fault.limit {
                Some(name) => {
                    format!("use `repeat`, spread the model over includes, or {}", raise(name))
                }
                None => hint(line, fault.at.saturating_sub(start), ':').to_owned(),
            };
            report.error_with(fault.code, at, "", fault.message, |p| p.help(help));
            None
        }
    }
}

struct Fault {
    code: &'static str,
    at: usize,
    message: String,
    /// Name of the limit that was exceeded.
    limit: Option<&'static str>,
}

struct Parser<'t, 'r> {
    text: &'t str,
    pos: usize,
    file: usize,
    limits: &'r Limits,
    values: usize,
    path: String,
    report: &'r mut Report,
}

impl Parser<'_, '_> {
    fn document(&mut self) -> Result<Node, Fault> {
        let node = self.value(0)?;
        self.space();
        if self.pos < self.text.len() {
            return self.fail("expected the end of the file");
        }
        Ok(node)
    }

    fn fail<T>(&self, message: &str) -> Result<T, Fault> {
        Err(Fault { code: "E_SYNTAX", at: self.pos, message: message.to_owned(), limit: None })
    }

    fn limit<T>(&self, name: &'static str, message: String) -> Result<T, Fault> {
        Err(Fault { code: "E_LIMIT", at: self.pos, message, limit: Some(name) })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.pos += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.peek() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    fn at(&self, start: usize) -> At {
        At::new(self.file, start, self.pos)
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        self.values += 1;
        if self.values > self.limits.max_tokens {
            return self.limit("tokens", format!("more than {} values", self.limits.max_tokens));
        }
        if depth > self.limits.max_depth {
            return self
                .limit("depth", format!("nested deeper than {} levels", self.limits.max_depth));
        }
        self.space();
        let start = self.pos;
        let value = match self.peek() {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        let at = self.at(start);
        Ok(Node { at, value })
    }

    fn list(&mut self, depth: usize) -> Result<Value, Fault> {
        self.pos += 1;
        let mut items = Vec::new();
        if self.eat(b']') {
            return Ok(Value::List(items));
        }
        let mut path = std::mem::take(&mut self.path);
        loop {
            let node = with_index(&mut path, items.len(), |path| {
                std::mem::swap(&mut self.path, path);
                let node = self.value(depth + 1);
                std::mem::swap(&mut self.path, path);
                node
            })?;
            items.push(node);
            if self.eat(b']') {
                break;
            }
            if !self.eat(b',') {
                return self.fail("expected `,` or `]`");
            }
        }
        self.path = path;
        Ok(Value::List(items))
    }

    fn table(&mut self, depth: usize) -> Result<Value, Fault> {
        self.pos += 1;
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen: HashMap<String, At> = HashMap::new();
        if self.eat(b'}') {
            return Ok(Value::Table(entries));
        }
        let mut path = std::mem::take(&mut self.path);
        loop {
            self.space();
            let start = self.pos;
            if self.peek() != Some(b'"') {
                return self.fail("expected a key in double quotes");
            }
            let key = self.string()?;
            let key_at = self.at(start);
            if !self.eat(b':') {
                return self.fail("expected `:`");
            }
            let node = with_key(&mut path, &key, |path| {
                if let Some(first) = seen.get(&key) {
                    self.duplicate(&key, key_at, *first, path);
                }
                std::mem::swap(&mut self.path, path);
                let node = self.value(depth + 1);
                std::mem::swap(&mut self.path, path);
                node
            })?;
            seen.insert(key.clone(), key_at);
            entries.push(Entry { key, key_at, node });
            if self.eat(b'}') {
                break;
            }
            if !self.eat(b',') {
                return self.fail("expected `,` or `}`");
            }
        }
        self.path = path;
        Ok(Value::Table(entries))
    }

    fn duplicate(&mut self, key: &str, at: At, first: At, path: &str) {
        let message = format!("`{}` is defined twice", shorten(key));
        let first = self.report.location(first);
        self.report.error_with("E_DUPLICATE", at, path, message, |p| {
            p.related(first).help("rename or remove one of the two")
        });
    }

    /// A quoted string; its end is found here, its escapes are decoded by serde_json.
    fn string(&mut self) -> Result<String, Fault> {
        let start = self.pos;
        self.pos += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.pos += 2,
                Some(0..=0x1F) | None => return self.fail("text is not closed by a quote"),
                Some(_) => self.pos += 1,
            }
        }
        self.pos += 1;
        let literal = self.text.get(start..self.pos).unwrap_or("");
        match serde_json::from_str(literal) {
            Ok(text) => Ok(text),
            Err(_) => {
                self.pos = start;
                self.fail("text has an invalid escape")
            }
        }
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.pos;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
            self.pos += 1;
        }
        let literal = &self.text[start..self.pos];
        if !is_number(literal) {
            self.pos = start;
            return self.fail("not a number");
        }
        if let Ok(i) = literal.parse::<i64>() {
            return Ok(Value::Int(i));
        }
        match literal.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(Value::Float(x)),
            _ => {
                not_finite(self.at(start), &self.path, self.report);
                Ok(Value::Float(0.0))
            }
        }
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let start = self.pos;
        while matches!(self.peek(), Some(b'a'..=b'z' | b'A'..=b'Z')) {
            self.pos += 1;
        }
        match &self.text[start..self.pos] {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            // Not JSON, but some writers emit them; the fault should have its own name.
            "NaN" | "nan" | "Infinity" | "inf" => {
                not_finite(self.at(start), &self.path, self.report);
                Ok(Value::Float(0.0))
            }
            _ => {
                self.pos = start;
                self.fail("expected a value")
            }
        }
    }
}

/// The number grammar of JSON: no leading zeros, digits on both sides of the point.
fn is_number(s: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let s = s.strip_prefix('-').unwrap_or(s);
    let (mantissa, exponent) = match s.split_once(['e', 'E']) {
        Some((m, e)) => (m, Some(e)),
        None => (s, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((w, f)) => (w, Some(f)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}
