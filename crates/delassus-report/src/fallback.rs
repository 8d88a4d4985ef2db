//! The page without the viewer: still pictures and tables, no script.

use crate::drawing;
use crate::drawing_play;
use crate::html::escape;
use crate::report::{Report, ReportColumn, Steps};
use crate::thin;
use delassus_io::plot::{Axis, Plot, Series, panels};
use serde_json::Value;
use std::fmt::Write as _;

/// The largest number of points of a curve.
const POINTS: usize = 1000;
/// The largest number of plots; a page with five hundred would help nobody.
const PLOTS: usize = 80;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;\
padding:0 1em;color:#222;background:#fff}table{border-collapse:collapse}td,th{padding:.15em 1em \
.15em 0;text-align:left;vertical-align:top}pre{background:#f4f4f4;padding:1em;overflow:auto}\
.bad{background:#fdecea;border-left:4px solid #c62828;padding:.5em 1em}.note{background:#fff8e1;\
border-left:4px solid #f9a825;padding:.5em 1em}svg{max-width:100%;height:auto}";

/// The whole page.
pub(crate) fn page(r: &Report) -> String {
    let mut out = head(r, "<code>delassus report</code> on the folder of this file");
    for problem in &r.problems {
        let _ = writeln!(out, "<p class=\"bad\">{}</p>", escape(problem));
    }
    errors(&mut out, r);
    if let Some(svg) = drawing::svg(r) {
        let _ = writeln!(
            out,
            "<h2>Mechanism</h2>\n<p>At the start, and faintly at the end.{}</p>\n{svg}",
            play(r)
        );
    }
    trust(&mut out, r);
    events(&mut out, r);
    plots(&mut out, r);
    if let Some(d) = &r.description {
        let _ = writeln!(
            out,
            "<h2>Model</h2>\n<p>{}</p>\n<pre>{}</pre>",
            escape(&d.model.file),
            escape(&d.model.text)
        );
    }
    out.push_str("</body></html>\n");
    out
}

/// A paragraph.
pub(crate) fn words(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// A table with a head.
pub(crate) fn table<const N: usize>(
    head: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let mut out = String::from("<table>\n<tr>");
    for name in head {
        let _ = write!(out, "<th>{}", escape(name));
    }
    for row in rows {
        out.push_str("\n<tr>");
        for cell in row {
            let _ = write!(out, "<td>{}", escape(&cell));
        }
    }
    out.push_str("\n</table>\n");
    out
}

/// The page of an analysis, called by its command, with the content that shows it.
pub(crate) fn analysis(r: &Report, command: &str, content: &str) -> String {
    let mut out = head(r, &format!("<code>delassus {command} … --report</code>"));
    errors(&mut out, r);
    out.push_str(content);
    out.push_str("</body></html>\n");
    out
}

/// The beginning of a page, which says that the viewer is missing and what would make a page with it.
fn head(r: &Report, again: &str) -> String {
    let title = escape(&r.title());
    // writing to a String cannot fail
    let mut out = String::new();
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n\
         <p class=\"note\">This program was built without the viewer, so that there are still \
         pictures only. Install Node.js 20 or later, then <code>cargo clean -p \
         delassus-report</code>, build again, and {again} makes the page with the moving \
         mechanism.</p>\n"
    );
    out
}

/// A note on what is not drawn to scale.
fn play(r: &Report) -> String {
    let scene = r.description.iter().flat_map(|d| drawing_play::enlarged(&d.scene));
    let words = scene.map(|(name, factor)| {
        format!(" Play of <code>{}</code> drawn {factor} times enlarged.", escape(name))
    });
    words.collect()
}

fn errors(out: &mut String, r: &Report) {
    for (list, class) in [("errors", "bad"), ("notes", "note")] {
        for e in r.summary.get(list).and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| escape(e.get(key).and_then(Value::as_str).unwrap_or_default());
            let _ = writeln!(
                out,
                "<p class=\"{class}\"><b>{}</b> {}<br>{}</p>",
                text("code"),
                text("message"),
                text("help")
            );
        }
    }
}

fn trust(out: &mut String, r: &Report) {
    let keys = [
        ("method", "method"),
        ("relative tolerance", "rtol"),
        ("absolute tolerance", "atol"),
        ("step, s", "step"),
        ("start, s", "t_start"),
        ("end, s", "t_end"),
        ("steps", "steps"),
        ("rejected", "rejected"),
        ("energy error, J", "energy_error"),
        ("largest drift, position", "max_position_drift"),
        ("largest drift, velocity", "max_velocity_drift"),
        ("largest drift, acceleration", "max_acceleration_drift"),
        ("mobility", "mobility"),
        ("redundant constraints", "redundant"),
        ("events", "events"),
        ("program", "version"),
        ("model, SHA-256", "model_sha256"),
    ];
    let _ = writeln!(out, "<h2>Run</h2>");
    verdict(out, r);
    let _ = writeln!(out, "<table>\n<tr><th>status<td>{}", r.status());
    for (name, key) in keys {
        let value = match r.summary.get(key) {
            None | Some(Value::Null) => continue,
            Some(Value::String(s)) => escape(s),
            Some(Value::Number(n)) if n.is_f64() => match n.as_f64().unwrap_or(f64::NAN) {
                x if x == 0.0 || (1e-3..1e6).contains(&x.abs()) => x.to_string(),
                x => format!("{x:.3e}"),
            },
            Some(other) => escape(&other.to_string()),
        };
        let _ = writeln!(out, "<tr><th>{name}<td>{value}");
    }
    out.push_str("</table>\n");
}

/// The program's verdict on the results.
fn verdict(out: &mut String, r: &Report) {
    let Some(v) = r.summary.get("verdict") else { return };
    let text =
        |v: &Value, key: &str| escape(v.get(key).and_then(Value::as_str).unwrap_or_default());
    let class = |v: &Value| match v.get("tone").and_then(Value::as_str) {
        Some("bad") => " class=\"bad\"",
        Some("fair") => " class=\"note\"",
        _ => "",
    };
    let _ = writeln!(out, "<p{}>{}</p>\n<ul>", class(v), text(v, "text"));
    for item in v.get("items").and_then(Value::as_array).into_iter().flatten() {
        let _ = writeln!(out, "<li{}>{}: {}", class(item), text(item, "title"), text(item, "text"));
    }
    out.push_str("</ul>\n");
}

fn events(out: &mut String, r: &Report) {
    if r.events.is_empty() {
        return;
    }
    out.push_str(
        "<h2>Events</h2>\n<table>\n<tr><th>t, s<th>kind<th>contact<th>before, m/s<th>after, \
         m/s<th>impulse, N s<th>lost, J<th>depth, m\n",
    );
    for e in r.events.iter().take(1000) {
        let _ = write!(out, "<tr><td>{:.6}<td>{}<td>{}", e.t, escape(&e.kind), escape(&e.contact));
        for x in [e.speed_before, e.speed_after, e.impulse, e.energy_lost, e.depth] {
            let shown = if x.is_finite() { format!("{x:.4e}") } else { String::new() };
            let _ = write!(out, "<td>{shown}");
        }
        out.push('\n');
    }
    out.push_str("</table>\n");
}

/// Columns of a group, by their units.
type ByUnit<'a> = Vec<(&'a str, Vec<&'a ReportColumn>)>;

fn plots(out: &mut String, r: &Report) {
    // one picture per group, one panel per unit, in the order of the columns
    let mut groups: Vec<(&str, ByUnit<'_>)> = Vec::new();
    for c in &r.columns {
        let (group, unit) = (c.info.group.as_str(), c.info.unit.as_str());
        let g = match groups.iter().position(|(name, _)| *name == group) {
            Some(g) => g,
            None => {
                groups.push((group, Vec::new()));
                groups.len() - 1
            }
        };
        let units = &mut groups[g].1;
        match units.iter_mut().find(|(name, _)| *name == unit) {
            Some((_, list)) => list.push(c),
            None => units.push((unit, vec![c])),
        }
    }
    if groups.is_empty() && r.steps.t.is_empty() {
        return;
    }
    out.push_str("<h2>Plots</h2>\n");
    let rows = thin::evenly(r.column_t.len(), POINTS);
    for (group, units) in groups.iter().take(PLOTS) {
        let plots: Vec<Plot> = units
            .iter()
            .map(|(unit, columns)| {
                let title = group.replace('/', " ");
                let mut p = Plot::new(&title, Axis::linear("time, s"), Axis::linear(unit));
                for c in columns {
                    let point = |k: &usize| Some((*r.column_t.get(*k)?, *c.values.get(*k)?));
                    let points = rows.iter().filter_map(point).collect();
                    p.series.push(Series { markers: false, ..Series::new(&c.info.name, points) });
                }
                p
            })
            .collect();
        let _ = writeln!(out, "<div>{}</div>", panels(&plots));
    }
    if groups.len() > PLOTS {
        let _ = writeln!(out, "<p>{} more groups are left out here.</p>", groups.len() - PLOTS);
    }
    if !r.steps.t.is_empty() {
        let _ = writeln!(out, "<div>{}</div>", panels(&step_plots(&r.steps)));
    }
}

fn step_plots(s: &Steps) -> Vec<Plot> {
    let rows = thin::evenly(s.t.len(), POINTS);
    let plot = |title: &str, unit: &str, lists: &[(&str, &Vec<f64>)]| {
        let mut p = Plot::new(title, Axis::linear("time, s"), Axis::log(unit));
        for (name, list) in lists {
            let point = |k: &usize| Some((*s.t.get(*k)?, list.get(*k)?.abs()));
            let points = rows.iter().filter_map(point).collect();
            p.series.push(Series { markers: false, ..Series::new(name, points) });
        }
        p
    };
    vec![
        plot("steps", "step, s", &[("step", &s.h)]),
        plot("energy", "|balance|, J", &[("energy balance", &s.energy_error)]),
        plot(
            "drift",
            "residual",
            &[
                ("position", &s.drift_pos),
                ("velocity", &s.drift_vel),
                ("acceleration", &s.drift_acc),
            ],
        ),
    ]
}
