//! Repeated entries: `repeat = "i = 1..N"`.

use super::context::{Env, Index, Path};
use super::params::name_fault;
use super::scalars::quoted;
use crate::Diagnostic;
use delassus_expr::Dim;
use delassus_math::Plain;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Default limit on the number of elements (bodies, markers, joints, forces, sensors) of a whole model.
pub const MAX_ELEMENTS: u64 = 200_000;

const FORM: &str = "write it like `i = 1..N`, or `i = 1..N, j = 1..M`";

/// One copy of an entry.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    /// Index of the entry in its table.
    pub(super) entry: usize,
    pub(super) name: String,
    pub(super) indices: Vec<Index>,
}

/// The entries of a table after repetition.
#[derive(Debug, Default)]
pub(super) struct Expanded {
    pub(super) instances: Vec<Instance>,
    /// Name to index in `instances`.
    pub(super) ids: BTreeMap<String, usize>,
    /// Some entries could not be expanded, so a missing name may be one of theirs.
    pub(super) incomplete: bool,
}

/// What remains of the elements that a model may have.
pub(super) struct Budget {
    used: u64,
    limit: u64,
    /// The limit was exceeded: the model cannot be examined any further.
    pub(super) exceeded: bool,
}

impl Budget {
    pub(super) fn new(limit: u64) -> Self {
        Budget { used: 0, limit, exceeded: false }
    }

    /// Reserves `count` elements, or reports that they are too many.
    pub(super) fn book(&mut self, count: u128, env: &Env<'_>, path: &Path<'_>) -> bool {
        let total = u128::from(self.used).saturating_add(count);
        if total <= u128::from(self.limit) {
            self.used = total as u64;
            return true;
        }
        self.exceeded = true;
        env.report(
            Diagnostic::error(
                "E_LIMIT",
                path.to_string(),
                format!(
                    "this entry makes {count} elements, {total} with those before it; \
                     the limit is {}",
                    self.limit
                ),
            )
            .help("check the bounds of the repetition, or raise the limit with --limit elements=N"),
        );
        false
    }
}

/// An entry of a table as far as repetition is concerned.
pub(super) struct Entry<'s> {
    pub(super) name: &'s str,
    pub(super) repeat: Option<&'s str>,
    /// Number of elements that each copy makes.
    pub(super) weight: usize,
}

/// Copies of all entries of a table, with checked and distinct names.
pub(super) fn expand<'s>(
    env: Env<'_>,
    root: &Path<'_>,
    entries: impl Iterator<Item = Entry<'s>>,
    budget: &mut Budget,
) -> Expanded {
    let mut out = Expanded::default();
    // template of the entry that first used a name, for reporting a duplicate
    let mut templates: Vec<&'s str> = Vec::new();
    for (k, entry) in entries.enumerate() {
        templates.push(entry.name);
        let path = root.field(entry.name);
        let env = env.at(k, &[]);
        let Some(ranges) = ranges(&env, &entry, &path, budget) else {
            out.incomplete = true;
            if budget.exceeded && entry.repeat.is_none() {
                // every further entry would exceed the limit too
                return out;
            }
            continue;
        };
        for indices in Copies::new(&ranges) {
            let env = env.at(k, &indices);
            if env.is_hopeless() {
                out.incomplete = true;
                break;
            }
            let name = env.text(entry.name, &path);
            let name = name.filter(|name| check_name(&env, name, &path));
            let Some(name) = name else {
                out.incomplete = true;
                continue;
            };
            let name = name.into_owned();
            if let Some(first) = out.ids.get(&name) {
                let first = templates[out.instances[*first].entry];
                duplicate(&env, &name, &path, &root.field(first), &entry);
                continue;
            }
            out.ids.insert(name.clone(), out.instances.len());
            out.instances.push(Instance { entry: k, name, indices });
        }
    }
    out
}

fn duplicate(env: &Env<'_>, name: &str, path: &Path<'_>, first: &Path<'_>, entry: &Entry<'_>) {
    let help = match env.indices.first() {
        Some((index, _)) if !entry.name.contains('{') => {
            format!("put the index into the name, as in `{name}{{{index}}}`")
        }
        _ => "rename one of the two".to_owned(),
    };
    env.report(
        Diagnostic::error(
            "E_DUPLICATE",
            path.to_string(),
            format!("the name `{name}` is used twice"),
        )
        .help(help)
        .related(first.to_string()),
    );
}

/// Whether a name can be referred to.
pub(super) fn check_name(env: &Env<'_>, name: &str, path: &Path<'_>) -> bool {
    let reason = if name.is_empty() {
        "the name is empty".to_owned()
    } else if name.contains('.') {
        format!("the name `{name}` has a `.`, which separates a body from its marker")
    } else if name.chars().any(|c| c.is_whitespace() || !is_visible(c)) {
        format!("the name `{}` has white space or invisible characters", name.escape_default())
    } else {
        return true;
    };
    env.report(
        Diagnostic::error("E_NAME", path.to_string(), reason)
            .help("use letters, digits, `_` and `-`, as in `crank_2`"),
    );
    false
}

/// Whether a reader sees a character, and reads it where it stands. Control characters change what a terminal does,
/// marks of direction the order of what follows, and names that differ by characters without width look the same.
fn is_visible(c: char) -> bool {
    let is_hidden = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    !c.is_control() && !is_hidden
}

/// An index with its bounds, both included.
struct Range {
    name: Rc<str>,
    from: i64,
    to: i64,
}

impl Range {
    fn count(&self) -> u128 {
        // both bounds are at most 2^53, so nothing can overflow
        u128::try_from(i128::from(self.to) - i128::from(self.from) + 1).unwrap_or(0)
    }
}

/// The ranges of an entry (none without `repeat`), once its copies fit into the budget.
fn ranges(
    env: &Env<'_>,
    entry: &Entry<'_>,
    path: &Path<'_>,
    budget: &mut Budget,
) -> Option<Vec<Range>> {
    let Some(text) = entry.repeat else {
        let fits = budget.book(entry.weight as u128, env, path);
        return fits.then(Vec::new);
    };
    let path = path.field("repeat");
    let mut ranges: Vec<Range> = Vec::new();
    for (offset, part) in parts(text) {
        let range = range(env, text, offset, part, &path)?;
        if ranges.iter().any(|r| r.name == range.name) {
            env.report(
                Diagnostic::error(
                    "E_DUPLICATE",
                    path.to_string(),
                    format!("the index `{}` is used twice in `{}`", range.name, quoted(text)),
                )
                .help("rename one of the two")
                .related(path.to_string()),
            );
            return None;
        }
        ranges.push(range);
    }
    let copies = ranges.iter().fold(1u128, |n, r| n.saturating_mul(r.count()));
    let elements = copies.saturating_mul(entry.weight as u128);
    budget.book(elements, env, &path).then_some(ranges)
}

/// The text between commas that are not inside parentheses, with its offset.
fn parts(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let (mut depth, mut from) = (0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push((from, &text[from..at]));
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push((from, &text[from..]));
    out
}

/// `i = 1..N`, found at `offset` of the whole text.
fn range(env: &Env<'_>, text: &str, offset: usize, part: &str, path: &Path<'_>) -> Option<Range> {
    let split = part.split_once('=').and_then(|(name, bounds)| {
        let (from, to) = bounds.split_once("..")?;
        Some((name, from, to))
    });
    let Some((name, from, to)) = split else {
        env.report(
            Diagnostic::error(
                "E_EXPRESSION",
                path.to_string(),
                format!("`{}` is not a range", quoted(part.trim())),
            )
            .within(offset..offset + part.len())
            .help(FORM),
        );
        return None;
    };
    let from_at = offset + name.len() + 1;
    let to_at = from_at + from.len() + 2;
    let name = name.trim();
    if let Some(reason) = name_fault(name) {
        env.report(
            Diagnostic::error("E_NAME", path.to_string(), reason)
                .within(offset..from_at - 1)
                .help(FORM),
        );
        return None;
    }
    if let Some((what, section)) = env.params.meaning(name) {
        env.report(
            Diagnostic::error(
                "E_DUPLICATE",
                path.to_string(),
                format!("the index `{name}` of `{}` is {what} too", quoted(text)),
            )
            .help("rename one of the two")
            .related(format!("{section}.{name}")),
        );
        return None;
    }
    let from = bound(env, from, from_at, path);
    let to = bound(env, to, to_at, path);
    Some(Range { name: name.into(), from: from?, to: to? })
}

fn bound(env: &Env<'_>, text: &str, offset: usize, path: &Path<'_>) -> Option<i64> {
    let value = env.constant_text(text, offset, path, Dim::NONE)?;
    if value.fract() == 0.0 && value.abs() <= 2f64.powi(53) {
        return Some(value as i64);
    }
    env.report(
        Diagnostic::error(
            "E_RANGE",
            path.to_string(),
            format!(
                "the bound `{}` is {}, but must be a whole number of at most 2^53",
                quoted(text.trim()),
                Plain(value)
            ),
        )
        .within(offset..offset + text.len())
        .help("use a whole number, for instance with `round(...)`"),
    );
    None
}

/// All values of the indices, the last one running fastest.
struct Copies<'r> {
    ranges: &'r [Range],
    next: Option<Vec<i64>>,
}

impl<'r> Copies<'r> {
    fn new(ranges: &'r [Range]) -> Self {
        let is_empty = ranges.iter().any(|r| r.count() == 0);
        Copies { ranges, next: (!is_empty).then(|| ranges.iter().map(|r| r.from).collect()) }
    }
}

impl Iterator for Copies<'_> {
    type Item = Vec<Index>;

    fn next(&mut self) -> Option<Vec<Index>> {
        let values = self.next.take()?;
        let names = self.ranges.iter().map(|r| r.name.clone());
        let item = names.zip(values.iter().copied()).collect();
        let mut following = values;
        for (value, range) in following.iter_mut().zip(self.ranges).rev() {
            if *value < range.to {
                *value += 1;
                self.next = Some(following);
                break;
            }
            *value = range.from;
        }
        Some(item)
    }
}
