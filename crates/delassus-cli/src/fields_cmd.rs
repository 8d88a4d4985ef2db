//! `delassus fields`.

use crate::args::FieldsArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::{console, report};
use delassus::expr::suggest;
use delassus::model::fields::{EntryType, Field, Sign, Value, entry_types};
use serde::Serialize;

/// A type of entry as JSON.
#[derive(Debug, Serialize)]
struct Entry {
    section: &'static str,
    #[serde(rename = "type")]
    word: &'static str,
    fields: Vec<FieldEntry>,
}

#[derive(Debug, Serialize)]
struct FieldEntry {
    name: &'static str,
    /// How it is written: `number`, `formula`, `vector`, `direction`, `text`, `word` or `flag`.
    form: &'static str,
    /// Unit of numbers, or what a text means.
    #[serde(skip_serializing_if = "String::is_empty")]
    of: String,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    words: &'static [&'static str],
    sign: &'static str,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'static str>,
}

/// Lists the fields of the types of entries: of all sections, of one, or of one type.
pub fn fields(a: &FieldsArgs) -> Result<Exit, Failure> {
    let wanted = |t: &&'static EntryType| {
        a.section.as_ref().is_none_or(|s| s == t.section)
            && a.kind.as_ref().is_none_or(|k| k == t.word)
    };
    let list: Vec<&'static EntryType> = entry_types().filter(wanted).collect();
    if list.is_empty() {
        return Err(Failure::input(vec![unknown(a)]));
    }
    if a.json {
        let list: Vec<Entry> = list.iter().map(|t| Entry::new(t)).collect();
        return console::print(&report::to_json(&list));
    }
    console::print(&list.iter().map(|t| text(t)).collect::<Vec<_>>().join("\n"))
}

impl Entry {
    fn new(t: &EntryType) -> Entry {
        let fields = t.fields.iter().map(FieldEntry::new).collect();
        Entry { section: t.section, word: t.word, fields }
    }
}

impl FieldEntry {
    fn new(f: &Field) -> FieldEntry {
        let (form, of) = form(&f.value);
        let words = if let Value::Word(words) = f.value { words } else { &[] };
        let sign = match f.sign {
            Sign::Any => "any",
            Sign::Positive => "positive",
            Sign::NotNegative => "not negative",
            Sign::NotZero => "not zero",
        };
        let (required, default) = (f.default.is_none(), f.default);
        FieldEntry { name: f.name, form, of, words, sign, required, default }
    }
}

fn form(value: &Value) -> (&'static str, String) {
    match value {
        Value::Number(dim) => ("number", dim.to_string()),
        Value::NumberIn(unit) => ("number", (*unit).to_owned()),
        Value::Formula(unit) => ("formula", (*unit).to_owned()),
        Value::Vector(unit) => ("vector", (*unit).to_owned()),
        Value::Direction => ("direction", String::new()),
        Value::Text(what) => ("text", (*what).to_owned()),
        Value::Word(_) => ("word", String::new()),
        Value::Flag => ("flag", String::new()),
    }
}

/// One type: a line for each field.
fn text(t: &EntryType) -> String {
    let mut out = format!("[{}.NAME] type = \"{}\"\n", t.section, t.word);
    for field in t.fields {
        let f = FieldEntry::new(field);
        let mut what = match field.value {
            Value::Text(what) => what.to_owned(),
            Value::Word(words) => words.join(" | "),
            _ if f.of.is_empty() => f.form.to_owned(),
            _ => format!("{} ({})", f.form, f.of),
        };
        if field.sign != Sign::Any {
            what = format!("{what}, {}", f.sign);
        }
        let need = match f.default {
            None => "needed".to_owned(),
            Some(default) => format!("or: {default}"),
        };
        out.push_str(&format!("  {:<16} {what}; {need}\n", f.name));
    }
    out
}

fn unknown(a: &FieldsArgs) -> Fault {
    let sections = || entry_types().map(|t| t.section);
    let section = a.section.as_deref().unwrap_or_default();
    if !sections().any(|s| s == section) {
        let mut all: Vec<&str> = sections().collect();
        all.dedup();
        let help = format!("use one of: {}", all.join(", "));
        return Fault::new("E_UNKNOWN_NAME", "", format!("no section `{section}` has types"))
            .help(help);
    }
    let kind = a.kind.as_deref().unwrap_or_default();
    let known = || entry_types().filter(|t| t.section == section).map(|t| t.word);
    let help = match suggest(kind, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use one of: {}", known().collect::<Vec<_>>().join(", ")),
    };
    Fault::new("E_UNKNOWN_NAME", "", format!("there is no {section} of type `{kind}`")).help(help)
}
