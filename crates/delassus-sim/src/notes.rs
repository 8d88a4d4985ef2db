//! What the user should know about a finished run.

use crate::options::{RunOptions, able_methods};
use crate::summary::Summary;
use delassus_model::System;

/// Something the user should know.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Stable code such as `N_STIFF`.
    pub code: &'static str,
    /// Place in the model it is about; may be empty.
    pub path: &'static str,
    /// What was found.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// When it happened, s.
    pub t: Option<f64>,
}

/// All notes on a run.
pub(crate) fn notes(sys: &System, options: &RunOptions, summary: &Summary) -> Vec<Note> {
    let judged = summary.verdict.notes().map(|(item, code)| Note {
        code,
        path: "",
        message: item.text.clone(),
        help: item.help.map(str::to_owned),
        t: item.t,
    });
    [stiff(sys, summary), stepping(sys, options, summary)]
        .into_iter()
        .flatten()
        .chain(judged)
        .collect()
}

/// What to expect of time-stepping, and what it ignores.
fn stepping(sys: &System, options: &RunOptions, summary: &Summary) -> Option<Note> {
    let h = summary.step.filter(|_| summary.scheme == Some("time-stepping"))?;
    if !sys.has_contacts() {
        return None;
    }
    let given = options.rtol.is_some() || options.atol.is_some();
    let unused = if given { "; tolerances are not used" } else { "" };
    Some(Note {
        code: "N_TIME_STEPPING",
        path: "method.scheme",
        message: format!(
            "time-stepping ({}) is of first order: with steps of {} s the time of an impact is known \
             to about one step, and errors of positions grow with the step{unused}",
            summary.method,
            brief(h)
        ),
        help: Some(
            "halve --step and compare, or use --scheme hybrid, which locates every impact"
                .to_owned(),
        ),
        t: None,
    })
}

/// Advice where stability, not accuracy, limited the steps.
fn stiff(sys: &System, summary: &Summary) -> Option<Note> {
    let t = summary.stiff_since?;
    Some(stiff_note(&summary.method, t, &for_stiff(sys)))
}

/// Names of the methods that adapt their steps to stiff models, and can run this one.
pub(crate) fn for_stiff(sys: &System) -> Vec<&'static str> {
    able_methods(sys).iter().filter(|m| m.stiff && m.adaptive).map(|m| m.name).collect()
}

fn stiff_note(method: &str, t: f64, better: &[&str]) -> Note {
    Note {
        code: "N_STIFF",
        path: "method.name",
        message: format!(
            "the model is stiff for {method}: from t = {} s on, stability and not accuracy limited \
             its steps",
            brief(t)
        ),
        help: Some(match better {
            [] => "use a fixed-step method for stiff systems; see `delassus methods`".to_owned(),
            _ => format!(
                "try --method with one of: {}; `delassus compare` measures them",
                better.join(", ")
            ),
        }),
        t: None,
    }
}

/// A number to nine digits, without the noise after them.
pub fn brief(x: f64) -> String {
    let rounded = format!("{x:.8e}").parse::<f64>().unwrap_or(x);
    let plain = rounded == 0.0 || (1e-4..1e9).contains(&rounded.abs());
    if plain { rounded.to_string() } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stiff_model_gets_names_of_methods() {
        let note = stiff_note("mdop5", 0.25, &["gen-alpha", "radau5"]);
        assert_eq!(note.code, "N_STIFF");
        assert!(note.message.contains("mdop5") && note.message.contains("0.25 s"));
        assert!(note.help.is_some_and(|h| h.contains("gen-alpha, radau5")));
    }
}
