//! A benchmark as text.

use super::asked::Asked;
use super::record::Run;
use super::references::All;
use super::sheet::{Ranking, Sheet, TAUS};
use crate::grid::Grid;
use crate::summary_text::{Table, brief, seconds};
use delassus::io::model_file::escape;
use std::collections::BTreeMap;
use std::ops::Add;
use std::path::Path;

/// Lines of a list at most; the rest is in the files.
const MOST: usize = 40;

/// All that is shown.
pub struct View<'a> {
    /// What was requested.
    pub asked: &'a Asked,
    /// The runs by mechanism, method and tolerance.
    pub sheet: &'a Sheet<'a>,
    /// Performance profiles.
    pub rankings: &'a [Ranking],
    /// All runs in order.
    pub runs: &'a [&'a Run],
    /// Runs that did not reach the end.
    pub failed: &'a [&'a Run],
    /// Runs that are far from their reference.
    pub off: &'a [&'a Run],
    /// References.
    pub found: &'a All,
    /// Where implicit methods take the longest steps.
    pub stiffest: Option<&'a str>,
    /// Not all runs were made.
    pub interrupted: bool,
    /// How many runs there should be.
    pub planned: usize,
    /// Where the files are.
    pub folder: &'a Path,
}

/// The text on the terminal.
pub fn text(v: &View<'_>) -> String {
    let a = v.asked;
    let mut head = Table::new(&format!("Benchmark of {}", a.set));
    if v.interrupted {
        let text = format!(
            "INTERRUPTED after {} of {} runs; the same command goes on",
            v.runs.len(),
            v.planned
        );
        head.row("status", &text);
    }
    let counts = format!(
        "{}: {} mechanisms, {} methods, rtol {}",
        v.runs.len(),
        v.sheet.mechanisms.len(),
        a.methods.len(),
        list(&a.rtols)
    );
    head.row("runs", &counts);
    let ends = format!(
        "{} reached the end, {} did not; {} of those that did are off by more than {} tolerances",
        v.runs.len() - v.failed.len(),
        v.failed.len(),
        v.off.len(),
        a.off
    );
    head.row("", &ends);
    let (own, none) = (v.found.own.len(), v.found.none.len());
    let exact = v.found.exact.len();
    let stored = v.sheet.mechanisms.len() - exact - own - none;
    let exact = if exact > 0 { format!("{exact} exact, ") } else { String::new() };
    let counts = format!("{exact}{stored} stored, {own} made for this table, {none} missing");
    head.row("references", &counts);
    head.row("results", &v.folder.display().to_string());
    let mut out = head.finish();
    for ranking in v.rankings.iter().filter(|r| r.mechanisms > 0) {
        out.push('\n');
        out.push_str(&profile(v, ranking));
    }
    out.push_str(&unsolved(v));
    if let Some(name) = v.stiffest {
        out.push_str(&format!(
            "\n{}: where implicit methods take the longest steps beside explicit ones\n",
            escape(name)
        ));
        out.push_str(&one_mechanism(v, name));
    }
    out
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(", ")
}

fn heading(r: &Ranking) -> String {
    format!("{}, {} mechanisms: part solved within τ times the best\n", question(r), r.mechanisms)
}

/// What a ranking compares.
pub fn question(r: &Ranking) -> String {
    match r.by {
        "tolerance" => format!("CPU time at rtol {:e}", r.level),
        "error" => format!("CPU time to reach an error of {:e}", r.level),
        _ => format!("Work to reach an error of {:e}", r.level),
    }
}

/// A ranking as a table; those of tolerances with the steps that were taken.
fn profile(v: &View<'_>, r: &Ranking) -> String {
    let mut text = heading(r);
    text.push_str(&profile_grid(v, r).text());
    match r.by {
        "tolerance" => {
            text.push_str("steps and mean step: medians over the mechanisms; CPU: sum\n");
        }
        "work" => text.push_str("work: evaluations of the equations and factorisations\n"),
        _ => {}
    }
    text
}

/// The cells of a ranking.
pub fn profile_grid(v: &View<'_>, r: &Ranking) -> Grid {
    let mut headings = vec!["method".to_owned(), "solved".to_owned()];
    headings.extend(TAUS.iter().map(|t| format!("ρ({t})")));
    let by_rtol = r.by == "tolerance";
    if by_rtol {
        headings.extend(["steps", "mean step", "CPU"].map(str::to_owned));
    }
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut grid = Grid::new(&headings);
    for (method, p) in v.sheet.methods.iter().zip(&r.profiles) {
        let mut cells = vec![method.clone(), percent(p.at(f64::INFINITY))];
        cells.extend(TAUS.iter().map(|t| format!("{:.2}", p.at(*t))));
        if by_rtol {
            let costs =
                v.sheet.mechanisms.iter().filter_map(|m| {
                    v.sheet.run(m, method, r.level).filter(|r| r.done)?.cost.as_ref()
                });
            let costs: Vec<_> = costs.collect();
            let middle = |f: &dyn Fn(&super::record::Work) -> f64| {
                median(costs.iter().map(|c| f(c)).collect())
            };
            cells.push(middle(&|c| c.steps as f64).map_or("-".to_owned(), |x| format!("{x:.0}")));
            cells.push(middle(&|c| c.mean_step).map_or("-".to_owned(), |x| format!("{x:.1e}")));
            // a sum of nothing is -0
            cells.push(seconds(costs.iter().map(|c| c.cpu_s).fold(0.0, Add::add)));
        }
        grid.row(cells);
    }
    grid
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

fn median(mut list: Vec<f64>) -> Option<f64> {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied()
}

/// Runs without an answer or with a wrong one, those of one mechanism and one code in one line.
fn unsolved(v: &View<'_>) -> String {
    let mut lines: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for (runs, off) in [(v.failed, false), (v.off, true)] {
        for run in runs {
            let code = if off { "off" } else { run.code.as_deref().unwrap_or("?") };
            let error = run.error.as_ref().filter(|_| off);
            let error = error.map(|e| format!(" ({:.0e})", e.relative)).unwrap_or_default();
            let told = format!("{} {:e}{error}", run.method, run.rtol);
            lines.entry((&run.mechanism, code)).or_default().push(told);
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    let mut text = "\nRuns that did not reach the end, or are off (error in brackets)\n".to_owned();
    for ((mechanism, code), runs) in lines.iter().take(MOST) {
        text.push_str(&format!("  {}: {code}: {}\n", escape(mechanism), runs.join(", ")));
    }
    if lines.len() > MOST {
        text.push_str(&format!("  and {} lines more, in bench.csv\n", lines.len() - MOST));
    }
    text
}

/// All methods and tolerances on one mechanism.
fn one_mechanism(v: &View<'_>, name: &str) -> String {
    mechanism_grid(v, name).text()
}

/// The cells of a mechanism.
pub fn mechanism_grid(v: &View<'_>, name: &str) -> Grid {
    let mut grid =
        Grid::new(&["method", "rtol", "average h", "CPU", "accepted", "rejected", "error"]);
    for method in &v.sheet.methods {
        for rtol in &v.sheet.rtols {
            let Some(run) = v.sheet.run(name, method, *rtol) else { continue };
            let mut cells = vec![method.clone(), format!("{rtol:e}")];
            match run.cost.as_ref().filter(|_| run.done) {
                Some(c) => {
                    cells.extend([
                        format!("{:.2e}", c.mean_step),
                        seconds(c.cpu_s),
                        c.steps.to_string(),
                        c.rejected.to_string(),
                    ]);
                    let error = run.error.as_ref().map(|e| format!("{:.1e}", e.relative));
                    cells.push(error.unwrap_or_else(|| "?".to_owned()));
                }
                None => {
                    cells.extend(["-", "-", "-", "-"].map(str::to_owned));
                    let at = run.cost.as_ref().map(|c| format!(" at {} s", brief(c.t_end)));
                    let code = run.code.as_deref().unwrap_or("?");
                    cells.push(format!("{code}{}", at.unwrap_or_default()));
                }
            }
            grid.row(cells);
        }
    }
    grid
}
