//! A reference made here: tight runs of two different methods that must agree.
//!
//! Explicit and implicit methods alternate as candidates, those of high order first, so that the two that are compared
//! share as little as possible. Their difference is the uncertainty of the reference. If they do not agree, the one of
//! higher order is used, unless the other changes far less when its tolerance is loosened; a warning says so.

use super::Watch;
use super::measure::{Row, measure};
use super::plan::Plan;
use super::reference::{Errors, Reference, Source, TightRun};
use crate::options::{RunOptions, able_methods};
use crate::pool;
use crate::results::Results;
use delassus_dae::MethodInfo;
use delassus_model::Assembled;

/// Largest number of methods tried.
const MOST: usize = 4;
/// Two runs agree when their relative difference is below this.
const AGREE: f64 = 1e-4;
/// A tolerance is loosened by this for a second look, or when a method cannot reach it.
const LOOSER: f64 = 100.0;
/// Of two runs that do not agree, the second is used if it changes less by this factor.
const CLEARLY: f64 = 10.0;
/// The reference should be this much tighter than the tightest run it judges, and at least as tight as the second
/// figure.
const TIGHTER: f64 = 100.0;
const TIGHT: f64 = 1e-9;
/// Longest step of a tight run, in sample intervals; but no more steps than this are forced.
const STEP_PER_SAMPLE: f64 = 0.5;
const MOST_CAPPED: f64 = 20_000.0;

struct Candidate {
    method: MethodInfo,
    run: TightRun,
    results: Results,
}

/// The reference; `None` if no method succeeded.
pub(super) fn make(
    model: &Assembled,
    plan: &Plan,
    watch: &dyn Watch,
    warnings: &mut Vec<String>,
) -> Option<Reference> {
    let methods = candidates(&able_methods(&model.system));
    let (first, rest) = methods.split_at(methods.len().min(2));
    let pair = pool::run(plan.jobs, first.len(), &|| watch.stop(), |k| {
        tight(model, plan, watch, &first[k])
    });
    let mut found: Vec<Candidate> = Vec::new();
    for made in pair.into_iter().flatten() {
        match made {
            Ok(candidate) => found.push(candidate),
            Err(why) => warnings.push(why),
        }
    }
    for method in rest.iter().take(MOST - 2) {
        if found.len() >= 2 || watch.stop() {
            break;
        }
        match tight(model, plan, watch, method) {
            Ok(candidate) => found.push(candidate),
            Err(why) => warnings.push(why),
        }
    }
    if watch.stop() {
        return None;
    }
    match found.len() {
        0 => {
            warnings.push("no method came through at a tight tolerance: no errors".to_owned());
            None
        }
        1 => Some(alone(model, plan, watch, &found[0], warnings)),
        _ => Some(agree(model, plan, watch, found, warnings)),
    }
}

/// Order of the recorded values: samples lie between steps.
fn order(m: &MethodInfo) -> u32 {
    m.order[0].min(m.order[1]).min(m.dense_order)
}

/// Adaptive methods, explicit and implicit alternating, those of high order first.
fn candidates(able: &[MethodInfo]) -> Vec<MethodInfo> {
    let pick = |stiff: bool| {
        let mut list: Vec<MethodInfo> =
            able.iter().filter(|m| m.adaptive && m.stiff == stiff).copied().collect();
        // of equal order, a method of one order before one that varies it
        list.sort_by_key(|m| (std::cmp::Reverse(order(m)), m.varies_order));
        list
    };
    let (explicit, implicit) = (pick(false), pick(true));
    let mut out = Vec::new();
    for k in 0..explicit.len().max(implicit.len()) {
        out.extend(explicit.get(k));
        out.extend(implicit.get(k));
    }
    out
}

/// Tolerance for a method of this order: what it can reach with a sensible number of steps.
fn tolerance(plan: &Plan, m: &MethodInfo) -> f64 {
    let least = match order(m) {
        0..=2 => 1e-9,
        3 => 1e-10,
        4 => 1e-11,
        _ => 1e-12,
    };
    let tightest = plan.tolerances.iter().copied().fold(f64::INFINITY, f64::min);
    (tightest / TIGHTER).min(TIGHT).max(least)
}

fn at(
    model: &Assembled,
    plan: &Plan,
    watch: &dyn Watch,
    m: &MethodInfo,
    rtol: f64,
) -> (Row, Option<Results>) {
    // a tight run needs more steps than those it judges
    let max_steps = Some(plan.max_steps.unwrap_or(0).max(Plan::MAX_STEPS));
    // a method of high order may take such long steps that the values between them are poor
    let span = plan.t_end - model.state.t;
    let longest = (STEP_PER_SAMPLE * plan.sample).max(span / MOST_CAPPED);
    let opts = plan.options(model, m.name, Some(rtol), None);
    let max_step = Some(opts.max_step.map_or(longest, |h| h.min(longest)));
    measure(model, &RunOptions { max_steps, max_step, ..opts }, plan, watch)
}

/// A tight run, or why there is none.
fn tight(
    model: &Assembled,
    plan: &Plan,
    watch: &dyn Watch,
    m: &MethodInfo,
) -> Result<Candidate, String> {
    let mut rtol = tolerance(plan, m);
    let mut why = String::new();
    for _ in 0..2 {
        let (row, results) = at(model, plan, watch, m, rtol);
        if let Some(results) = results {
            let cpu_s = row.cost.map_or(0.0, |c| c.cpu_s);
            let run = TightRun { method: m.name.to_owned(), rtol, cpu_s };
            return Ok(Candidate { method: *m, run, results });
        }
        why = row.code.unwrap_or_default();
        rtol *= LOOSER;
    }
    Err(format!("{} gave no reference: {why}", m.name))
}

fn reference(c: &Candidate, runs: Vec<TightRun>, agreed: bool, u: Option<Errors>) -> Reference {
    let mut r = Reference::from_results(Source::Runs { runs, agreed }, &c.results);
    r.info.uncertainty = u;
    r
}

/// How much a run changes when its tolerance is loosened.
fn own_change(model: &Assembled, plan: &Plan, watch: &dyn Watch, c: &Candidate) -> Option<Errors> {
    let (_, looser) = at(model, plan, watch, &c.method, c.run.rtol * LOOSER);
    reference(c, Vec::new(), false, None).error(&looser?)
}

fn alone(
    model: &Assembled,
    plan: &Plan,
    watch: &dyn Watch,
    c: &Candidate,
    warnings: &mut Vec<String>,
) -> Reference {
    let change = own_change(model, plan, watch, c);
    warnings.push(format!(
        "the reference is {} alone: no other method confirms it, and its uncertainty is only its \
         own change with the tolerance",
        c.run.method
    ));
    reference(c, vec![c.run.clone()], false, change)
}

fn agree(
    model: &Assembled,
    plan: &Plan,
    watch: &dyn Watch,
    mut found: Vec<Candidate>,
    warnings: &mut Vec<String>,
) -> Reference {
    let difference = reference(&found[0], Vec::new(), false, None).error(&found[1].results);
    let agreed = difference.as_ref().is_some_and(|d| d.relative <= AGREE);
    if !agreed {
        let change: Vec<f64> = found
            .iter()
            .map(|c| own_change(model, plan, watch, c).map_or(f64::INFINITY, |e| e.relative))
            .collect();
        // only a clear difference overrules the higher order
        let second = CLEARLY * change[1] < change[0];
        if second {
            found.swap(0, 1);
        }
        warnings.push(format!(
            "the tight runs of {} and {} differ by {:.1e}: the motion may be chaotic or take \
             different ways at a singular position; {} is used, which changes by {:.1e} when its \
             tolerance is loosened",
            found[0].run.method,
            found[1].run.method,
            difference.map_or(f64::NAN, |d| d.relative),
            found[0].run.method,
            change[usize::from(second)],
        ));
    }
    let runs = found.iter().map(|c| c.run.clone()).collect();
    reference(&found[0], runs, agreed, difference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_and_implicit_take_turns() {
        let m = |name, stiff, q: u32, adaptive| MethodInfo {
            name,
            stiff,
            order: [q, q, q],
            adaptive,
            ..MethodInfo::BASE
        };
        let list = [
            m("five", false, 5, true),
            m("fixed", false, 9, false),
            m("two", true, 2, true),
            m("eight", false, 8, true),
            MethodInfo { varies_order: true, ..m("bdf", true, 5, true) },
            m("radau", true, 5, true),
        ]
        .map(|m| MethodInfo { dense_order: 9, ..m });
        let names: Vec<&str> = candidates(&list).iter().map(|m| m.name).collect();
        assert_eq!(names, ["eight", "radau", "five", "bdf", "two"]);
        // what counts is the order of the samples
        let poor = list.map(|m| MethodInfo { dense_order: 5, ..m });
        assert_eq!(candidates(&poor)[0].name, "five");
    }
}
