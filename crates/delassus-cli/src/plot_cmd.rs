//! `delassus plot`.

use crate::args::PlotArgs;
use crate::console;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::Writer;
use crate::number::number;
use crate::output::{check_ending, check_file};
use crate::report_cmd::{read_peaks, results_folder};
use delassus::expr::{Dim, suggest};
use delassus::io::model_file::escape;
use delassus::io::plot::{Axis, Plot, Series, panels, png};
use delassus_report::{Report, ReportColumn};
use std::ops::Range;

/// The largest number of names suggested.
const SUGGESTED: usize = 8;

/// Draws columns over time, one panel per unit.
pub fn plot(a: &PlotArgs) -> Result<Exit, Failure> {
    let folder = results_folder(&a.result);
    let output = a.output.clone().unwrap_or_else(|| folder.join("plot.svg"));
    let kind = check_ending("--output", &output, &["svg", "png"])?;
    let report = read_peaks(&folder)?;
    if a.channels.is_empty() {
        return names(&report);
    }
    let columns = chosen(&report, &a.channels)?;
    let over = match &a.over {
        Some(name) => Some(one(&report, name)?),
        None => None,
    };
    let plots = plots(&report, &columns, over, a.log, rows(&report, a)?);
    check_file("--output", &output)?;
    let bytes = match kind.as_str() {
        "png" => png(&plots),
        _ => panels(&plots).into_bytes(),
    };
    Writer::one(&output, &bytes)?;
    console::print(&format!("wrote {}\n", escape(&output.display().to_string())))
}

fn names(report: &Report) -> Result<Exit, Failure> {
    let mut text = String::new();
    for c in &report.columns {
        let (name, unit) = (escape(&c.info.name), escape(&c.info.unit));
        text.push_str(&format!("{name:<32} {unit:<8} {}\n", escape(&c.info.label)));
    }
    console::print(&text)
}

/// The columns that match the patterns, each once, in the order of the patterns.
fn chosen<'r>(report: &'r Report, patterns: &[String]) -> Result<Vec<&'r ReportColumn>, Failure> {
    let mut out: Vec<&ReportColumn> = Vec::new();
    let mut faults = Vec::new();
    for pattern in patterns {
        let mut found = false;
        for c in report.columns.iter().filter(|c| matches(pattern, &c.info.name)) {
            found = true;
            if !out.iter().any(|o| o.info.name == c.info.name) {
                out.push(c);
            }
        }
        if !found {
            faults.push(unknown(report, pattern));
        }
    }
    if faults.is_empty() { Ok(out) } else { Err(Failure::input(faults)) }
}

/// The column with this name.
fn one<'r>(report: &'r Report, name: &str) -> Result<&'r ReportColumn, Failure> {
    let found = report.columns.iter().find(|c| c.info.name == name);
    found.ok_or_else(|| Failure::input(vec![unknown(report, name)]))
}

fn unknown(report: &Report, pattern: &str) -> Fault {
    let names = || report.columns.iter().map(|c| c.info.name.as_str());
    let near = suggest(pattern, names());
    let word = pattern.trim_matches(['*', '?']).to_lowercase();
    let similar = names().filter(|n| !word.is_empty() && n.to_lowercase().contains(&word));
    let mut list: Vec<&str> = near.into_iter().collect();
    list.extend(similar.filter(|n| Some(*n) != near));
    let meant = !list.is_empty();
    if !meant {
        list.extend(names());
    }
    let more = list.len().saturating_sub(SUGGESTED);
    let mut help = list.iter().take(SUGGESTED).copied().collect::<Vec<_>>().join(", ");
    if more > 0 {
        help.push_str(&format!(" and {more} more"));
    }
    let help = match (meant, help.is_empty()) {
        (_, true) => "the folder has no columns".to_owned(),
        (true, _) => format!("did you mean: {help}? `delassus plot RESULT` lists all"),
        (false, _) => format!("columns: {help}; `delassus plot RESULT` lists all"),
    };
    let message = format!("there is no column `{pattern}` in the results");
    Fault::new("E_UNKNOWN_NAME", "CHANNEL", message).help(help)
}

/// `*` any text, `?` any character.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (p, n): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut i, mut k) = (0, 0);
    // where to continue when a star has to match one more character
    let mut star: Option<(usize, usize)> = None;
    while k < n.len() {
        match p.get(i) {
            Some('*') => {
                star = Some((i, k));
                i += 1;
            }
            Some(c) if *c == '?' || *c == n[k] => {
                i += 1;
                k += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (i, k) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    p[i..].iter().all(|c| *c == '*')
}

/// Samples in the requested range of time.
fn rows(report: &Report, a: &PlotArgs) -> Result<Range<usize>, Failure> {
    let time = |option: &str, text: &Option<String>, otherwise: f64| match text {
        Some(text) => number(option, text, Dim::TIME).map_err(|f| Failure::input(vec![*f])),
        None => Ok(otherwise),
    };
    let from = time("--from", &a.from, f64::NEG_INFINITY)?;
    let to = time("--to", &a.to, f64::INFINITY)?;
    let t = &report.column_t;
    let rows = t.partition_point(|t| *t < from)..t.partition_point(|t| *t <= to);
    if rows.is_empty() && (a.from.is_some() || a.to.is_some()) {
        let whole = format!(
            "the results are from {} s to {} s",
            t.first().copied().unwrap_or_default(),
            t.last().copied().unwrap_or_default()
        );
        let option = if a.from.is_some() { "--from" } else { "--to" };
        let fault = Fault::new("E_RANGE", option, "no sample is between these times");
        return Err(Failure::input(vec![fault.help(whole)]));
    }
    Ok(rows)
}

/// One panel per unit, over time or over another column. If both have the same unit, the axes are scaled equally so
/// that paths keep their shape.
fn plots(
    report: &Report,
    columns: &[&ReportColumn],
    over: Option<&ReportColumn>,
    log: bool,
    rows: Range<usize>,
) -> Vec<Plot> {
    let (below, across) = match over {
        Some(c) => (format!("{}, {}", c.info.name, c.info.unit), &c.values),
        None => ("time, s".to_owned(), &report.column_t),
    };
    let mut units: Vec<&str> = Vec::new();
    for c in columns {
        if !units.contains(&c.info.unit.as_str()) {
            units.push(&c.info.unit);
        }
    }
    let title = report.description.as_ref().map_or("", |d| d.model.title.as_str());
    let axis = |unit: &str| if log { Axis::log(unit) } else { Axis::linear(unit) };
    let mut out = Vec::new();
    for (k, unit) in units.iter().enumerate() {
        let mut own = columns.iter().filter(|c| c.info.unit == *unit);
        let label = match (own.next(), own.next()) {
            (Some(only), None) => format!("{}, {unit}", only.info.name),
            _ => (*unit).to_owned(),
        };
        let mut p = Plot::new(if k == 0 { title } else { "" }, Axis::linear(&below), axis(&label));
        p.equal = over.is_some_and(|c| c.info.unit == *unit);
        for (style, c) in columns.iter().enumerate().filter(|(_, c)| c.info.unit == *unit) {
            let all = across.iter().copied().zip(c.values.iter().copied());
            let points = all.skip(rows.start).take(rows.len()).collect();
            let line = Series::new(&c.info.name, points);
            p.series.push(Series { style, markers: false, ..line });
        }
        out.push(p);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("bob.x", "bob.x", true),
            ("bob.x", "bob.xy", false),
            ("*", "", true),
            ("*.x", "bob.x", true),
            ("b*b*x", "bob.bob.x", true),
            ("b?b.?", "bob.y", true),
            ("b?b", "bb", false),
            ("*.y", "bob.x", false),
            ("energy*", "energy.kinetic", true),
            ("**", "a", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
