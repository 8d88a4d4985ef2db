//! One tree for every file format: values with their places.

/// A place: file number and byte range. Files are far smaller than 4 GiB, so 32 bits are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct At {
    pub file: u32,
    pub start: u32,
    pub end: u32,
}

impl At {
    pub fn new(file: usize, start: usize, end: usize) -> Self {
        let narrow = |x: usize| u32::try_from(x).unwrap_or(u32::MAX);
        At { file: narrow(file), start: narrow(start), end: narrow(end) }
    }

    pub fn span(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and its place.
#[derive(Debug)]
pub(super) struct Node {
    pub at: At,
    pub value: Value,
}

/// A value as written.
#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    /// TOML has dates; models do not, but the fault must be named.
    Date,
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// One key of a table with its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub key: String,
    pub key_at: At,
    pub node: Node,
}

impl Node {
    pub fn table(&self) -> &[Entry] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    pub fn list(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.table().iter().find(|e| e.key == key)
    }

    /// Kind of value in the user's words.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Bool(_) => "a truth value",
            Value::Int(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Text(_) => "text",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// Adds a key to a model path for the duration of one call.
pub(super) fn with_key<R>(path: &mut String, key: &str, f: impl FnOnce(&mut String) -> R) -> R {
    let len = path.len();
    if len > 0 {
        path.push('.');
    }
    path.push_str(key);
    let result = f(path);
    path.truncate(len);
    result
}

/// Adds an index to a model path for the duration of one call.
pub(super) fn with_index<R>(path: &mut String, i: usize, f: impl FnOnce(&mut String) -> R) -> R {
    let len = path.len();
    path.push('[');
    path.push_str(&i.to_string());
    path.push(']');
    let result = f(path);
    path.truncate(len);
    result
}
