//! The tables of a benchmark in Markdown, for books and reports.

use super::sheet::Ranking;
use super::text::{View, mechanism_grid, profile_grid, question};
use std::collections::BTreeMap;

/// All tables: profiles, runs without an answer or far off, the stiffest mechanism.
pub fn tables(v: &View<'_>) -> String {
    let mut out = format!(
        "{} mechanisms, {} methods, {} runs; {} did not reach the end, {} are off by more than {} tolerances.\n",
        v.sheet.mechanisms.len(),
        v.sheet.methods.len(),
        v.runs.len(),
        v.failed.len(),
        v.off.len(),
        v.asked.off,
    );
    if v.interrupted {
        out.push_str(&format!("\nNot finished: {} of {} runs.\n", v.runs.len(), v.planned));
    }
    for r in v.rankings.iter().filter(|r| r.mechanisms > 0) {
        out.push_str(&format!("\n{}:\n\n", caption(r)));
        out.push_str(&profile_grid(v, r).markdown());
    }
    out.push_str(&unsolved(v));
    if let Some(name) = v.stiffest {
        out.push_str(&format!(
            "\n`{name}`, on which implicit methods take the longest steps beside explicit ones:\n\n"
        ));
        out.push_str(&mechanism_grid(v, name).markdown());
    }
    out
}

fn caption(r: &Ranking) -> String {
    format!("**{}**, {} mechanisms, part solved within τ times the best", question(r), r.mechanisms)
}

/// How many runs of each method ended by each code, or are far off.
fn unsolved(v: &View<'_>) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (runs, off) in [(v.failed, false), (v.off, true)] {
        for run in runs {
            let code = if off { "off" } else { run.code.as_deref().unwrap_or("?") };
            *counts.entry((&run.method, code)).or_default() += 1;
        }
    }
    if counts.is_empty() {
        return "\nEvery run reached its end and its reference.\n".to_owned();
    }
    let mut out =
        "\n**Runs without an answer, or far off**:\n\n| method | runs |\n|---|---|\n".to_owned();
    for method in &v.sheet.methods {
        let of_method = counts.iter().filter(|((m, _), _)| m == method);
        let list: Vec<String> = of_method.map(|((_, code), n)| format!("{n} `{code}`")).collect();
        if !list.is_empty() {
            out.push_str(&format!("| {method} | {} |\n", list.join(", ")));
        }
    }
    out
}
