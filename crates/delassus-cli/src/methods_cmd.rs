//! `delassus methods`.

use crate::args::MethodsArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::grid::Grid;
use crate::{console, report};
use delassus::dae::integrator::{
    METHODS, MethodInfo, OptionInfo, OptionKind, STEPPING, catalogue, described, stepping,
};
use delassus::expr::suggest;
use serde::Serialize;

/// A method as JSON.
#[derive(Debug, Serialize)]
struct Entry {
    name: &'static str,
    aliases: &'static [&'static str],
    summary: &'static str,
    /// Its purpose: `smooth` or `time-stepping`.
    group: &'static str,
    order_positions: u32,
    order_velocities: u32,
    order_reactions: u32,
    dense_order: u32,
    index: u8,
    stiff: bool,
    adaptive: bool,
    default_rtol: f64,
    redundant: bool,
    singular: bool,
    rolling: bool,
    controllers: bool,
    massless: bool,
    options: Vec<OptionEntry>,
    citation: &'static str,
}

#[derive(Debug, Serialize)]
struct OptionEntry {
    name: &'static str,
    summary: &'static str,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Kind {
    Number { default: f64, min: f64, max: f64, unit: &'static str, whole: bool },
    Choice { default: &'static str, choices: &'static [&'static str] },
}

impl Entry {
    fn new(m: &MethodInfo) -> Entry {
        Entry {
            name: m.name,
            aliases: m.aliases,
            summary: m.summary,
            group: if stepping(m.name).is_some() { "time-stepping" } else { "smooth" },
            order_positions: m.order[0],
            order_velocities: m.order[1],
            order_reactions: m.order[2],
            dense_order: m.dense_order,
            index: m.index,
            stiff: m.stiff,
            adaptive: m.adaptive,
            default_rtol: m.default_rtol,
            redundant: m.can.redundant,
            singular: m.can.singular,
            rolling: m.can.rolling,
            controllers: m.can.auxiliary,
            massless: m.can.massless,
            options: m.options.iter().map(OptionEntry::new).collect(),
            citation: m.citation,
        }
    }
}

impl OptionEntry {
    fn new(o: &OptionInfo) -> OptionEntry {
        let kind = match o.kind {
            OptionKind::Choice { default, choices } => Kind::Choice { default, choices },
            kind => {
                let [default, min, max] = kind.range().unwrap_or_default();
                let unit = if matches!(kind, OptionKind::Rate { .. }) { "1/s" } else { "1" };
                let whole = matches!(kind, OptionKind::Whole { .. });
                Kind::Number { default, min, max, unit, whole }
            }
        };
        OptionEntry { name: o.name, summary: o.summary, kind }
    }
}

/// Lists the methods, or describes one.
pub fn methods(a: &MethodsArgs) -> Result<Exit, Failure> {
    let Some(name) = &a.name else {
        if a.json {
            let list: Vec<Entry> = catalogue().map(Entry::new).collect();
            return console::print(&report::to_json(&list));
        }
        return console::print(&table());
    };
    let Some(method) = described(name) else {
        return Err(Failure::input(vec![unknown(name, "")]));
    };
    if a.json {
        return console::print(&report::to_json(&Entry::new(&method)));
    }
    console::print(&details(&method))
}

/// The fault for a method that does not exist.
pub fn unknown(name: &str, argument: &str) -> Fault {
    let known = || catalogue().map(|m| m.name);
    let help = match suggest(name, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use one of: {}", known().collect::<Vec<_>>().join(", ")),
    };
    let message = format!("there is no method `{name}`");
    Fault::new("E_UNKNOWN_METHOD", argument, message).help(help)
}

fn yes(b: bool) -> String {
    if b { "yes" } else { "-" }.to_owned()
}

fn order(m: &MethodInfo) -> String {
    let [q, v, l] = m.order;
    format!("{q}/{v}/{l}")
}

fn table() -> String {
    let mut grid = Grid::new(&[
        "method",
        "order q/v/λ",
        "between steps",
        "index",
        "stiff",
        "adaptive",
        "redundant",
        "singular",
        "rolling",
    ]);
    for m in METHODS {
        grid.row(vec![
            m.name.to_owned(),
            order(m),
            m.dense_order.to_string(),
            m.index.to_string(),
            yes(m.stiff),
            yes(m.adaptive),
            yes(m.can.redundant),
            yes(m.can.singular),
            yes(m.can.rolling),
        ]);
    }
    let mut text = grid.text();
    text.push('\n');
    let width = catalogue().map(|m| m.name.len()).max().unwrap_or(0);
    let lines = |list: &[MethodInfo]| -> String {
        list.iter().map(|m| format!("{:<width$}  {}\n", m.name, m.summary)).collect()
    };
    text.push_str(&lines(METHODS));
    text.push_str(
        "\nFor contact in fixed steps (--scheme time-stepping), order 1 where there are impacts:\n",
    );
    text.push_str(&lines(STEPPING));
    text.push_str(
        "\nq positions, v velocities, λ reactions; redundant, singular, rolling: constraints it \
         can run.\n`delassus methods NAME` has options and literature, `delassus compare MODEL` \
         measures.\n",
    );
    text
}

fn details(m: &MethodInfo) -> String {
    let mut text = format!("{}: {}\n", m.name, m.summary);
    let by_steps = stepping(m.name).is_some();
    let mut row = |name: &str, value: &str| text.push_str(&format!("  {name:<14} {value}\n"));
    if !m.aliases.is_empty() {
        row("also called", &m.aliases.join(", "));
    }
    if by_steps {
        row("scheme", "time-stepping, which it implies");
    }
    let [q, v, l] = m.order;
    let orders = format!(
        "{q} in positions, {v} in velocities, {l} in reactions, {} between steps",
        m.dense_order
    );
    if by_steps {
        row("order", "1 where there are impacts, up to 2 in smooth motion");
    } else {
        row("order", &orders);
    }
    row("index", &m.index.to_string());
    row("stiff systems", if m.stiff { "yes" } else { "no" });
    row("steps", if m.adaptive { "adaptive or fixed" } else { "fixed" });
    if m.adaptive || !by_steps {
        row("default rtol", &format!("{:e}", m.default_rtol));
    }
    let kinds = [
        ("redundant constraints", m.can.redundant),
        ("almost dependent constraints", m.can.delicate),
        ("singular positions", m.can.singular),
        ("rolling", m.can.rolling),
        ("controllers", m.can.auxiliary),
        ("massless bodies", m.can.massless),
    ];
    let pick = |wanted: bool| -> String {
        let names: Vec<&str> =
            kinds.iter().filter(|(_, can)| *can == wanted).map(|(n, _)| *n).collect();
        if names.is_empty() { "none of the special kinds".to_owned() } else { names.join(", ") }
    };
    row("can run", &pick(true));
    if kinds.iter().any(|(_, can)| !can) {
        row("cannot run", &pick(false));
    }
    if m.options.is_empty() {
        row("options", "none");
    }
    for (k, o) in m.options.iter().enumerate() {
        let rule = match o.kind {
            OptionKind::Choice { default, choices } => {
                format!("{}; default {default}", choices.join(" | "))
            }
            kind => {
                let [default, min, max] = kind.range().unwrap_or_default().map(plain);
                let whole =
                    if matches!(kind, OptionKind::Whole { .. }) { "whole number " } else { "" };
                format!("{whole}{min} to {max}, default {default}")
            }
        };
        let text = format!("{} ({rule}): {}", o.name, o.summary);
        row(if k == 0 { "options" } else { "" }, &text);
    }
    row("literature", m.citation);
    text
}

/// A number, with an exponent if it is large or small.
fn plain(x: f64) -> String {
    let short = x == 0.0 || (1e-4..1e6).contains(&x.abs());
    if short || !x.is_finite() { x.to_string() } else { format!("{x:e}") }
}
