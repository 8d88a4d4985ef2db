//! Why families of methods cease to agree, in words.
//!
//! The evidence is examined in the order of its certainty: what a run itself reports (an error, an accumulation), then
//! events that only some have, then how the difference grew.

use super::events::first_mismatch;
use super::time_stepping::at_once;
use crate::contact::{Event, EventKind};
use crate::error::SimErrorKind;
use crate::simulation::RunOutcome;
use crate::verdict::{Tone, Verdict};
use serde::Serialize;

/// Kind of reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Differences grow exponentially: no tolerance helps for long.
    Chaos,
    /// The constraints lose rank and the motion can continue in several ways.
    Branch,
    /// Impacts accumulate; from then on the scheme decides.
    Accumulation,
    /// Reactions that redundant joints can share in any way.
    NotUnique,
    /// Forces or impulses of contacts have no solution or several.
    Painleve,
    /// A touch so light that an error decides whether it happens.
    Grazing,
    /// Some families have an event that others do not.
    EventMissing,
    /// Time-stepping gives a different motion from the schemes that locate events.
    Scheme,
    /// The differences shrink with the tolerance, but the budget of runs was used up first.
    Budget,
    /// A run ended early.
    Failed,
    /// Nothing confirms the only family that succeeded.
    Alone,
    /// All families agree, but the verdict of the kept run is doubtful.
    Doubtful,
    /// None of these.
    Unexplained,
}

/// The reason and the time from which it applies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// Kind.
    pub cause: Cause,
    /// Time from which the families do not agree, s.
    pub t: f64,
    /// In words, with names.
    pub text: String,
}

/// The evidence when runs disagree.
pub(super) struct Evidence<'a> {
    /// First time at which the requested accuracy is not confirmed, s.
    pub t: f64,
    /// Length of the run, s.
    pub span: f64,
    /// Runs of the last round; the first one is kept.
    pub runs: &'a [&'a RunOutcome],
    /// Time and largest relative difference of the sensors at every sample.
    pub growth: &'a [(f64, f64)],
    /// Largest relative difference before the tolerances were tightened.
    pub before: Option<f64>,
    /// Time-stepping is what does not confirm more: its step, and when it was seen to differ, s.
    pub by_stepping: Option<(f64, f64)>,
    /// Columns that are off, if they are reactions of joints that are not unique.
    pub not_unique: &'a [String],
}

/// An event this close before a disagreement, as a fraction of the span, is its reason.
const JUST_BEFORE: f64 = 0.05;
/// Approach speed of a grazing impact, relative to the fastest impact of the run.
const LIGHT: f64 = 1e-2;
/// Differences of event times, as a fraction of the span, within which they are the same event.
pub(super) const SAME_EVENT: f64 = 1e-3;
/// Decades over which a difference must have grown to be called exponential, and how well a straight
/// line must describe its logarithm.
const DECADES: f64 = 3.0;
const STRAIGHT: f64 = 0.8;
/// Fraction of the slope in the first half of the time that the second half must keep.
const STEADY: f64 = 0.4;
/// Relative differences that are as large as the motion itself.
const SATURATED: f64 = 0.1;
/// Differences below this are round-off and say nothing about growth.
const ROUND_OFF: f64 = 1e-13;
/// If the runs converge, tightening tolerances a hundredfold shrinks the difference to this fraction or less.
const CONVERGES: f64 = 0.2;

/// All families agree to the end, and the kept run has this verdict.
pub(super) fn doubtful(verdict: &Verdict, t: f64) -> Reason {
    let bad = verdict.items.iter().filter(|i| i.tone == Tone::Bad);
    let what = bad.map(|i| format!("{}: {}", i.title, i.text)).collect::<Vec<_>>().join("; ");
    let text = format!("the families agree, but the run that is kept is doubtful: {what}");
    Reason { cause: Cause::Doubtful, t, text }
}

/// The most likely reason.
pub(super) fn reason(e: &Evidence<'_>) -> Reason {
    let t = e.t;
    let told = |cause, text: String| Reason { cause, t, text };
    if !e.not_unique.is_empty() {
        return told(
            Cause::NotUnique,
            format!(
                "reactions of redundant joints are not unique: {}; only their sum is",
                e.not_unique.join(", ")
            ),
        );
    }
    if let Some((step, seen)) = e.by_stepping {
        let kept = e.runs.first().map_or(&[][..], |r| &r.events);
        let text = match at_once(kept, seen, step) {
            Some([first, second]) => format!(
                "time-stepping cannot confirm more: the impacts{} and{} at t = {:.6} s are {:.1e} s apart, and its step of \
                 {step:.1e} s takes them for one",
                at(first),
                at(second),
                first.t,
                second.t - first.t
            ),
            None => format!(
                "time-stepping goes another way from t = {t:.6} s on, by more than its own error: it resolves what \
                 happens within a step at once"
            ),
        };
        return told(Cause::Scheme, text);
    }
    let mut failures = e.runs.iter().filter_map(|r| Some((r, r.error.as_ref()?)));
    if let Some((run, error)) = failures.find(|(_, error)| error.t <= t + JUST_BEFORE * e.span) {
        let (cause, what) = match error.kind {
            SimErrorKind::NoContactForces => {
                (Cause::Painleve, "contact forces have no solution or several (Painlevé)")
            }
            SimErrorKind::Accumulation => (Cause::Accumulation, "impacts accumulate"),
            _ => (Cause::Failed, "a run ended early"),
        };
        return told(
            cause,
            format!(
                "{what}: {} stops at t = {:.6} s with {} ({})",
                run.summary.method,
                error.t,
                error.kind.code(),
                error.detail
            ),
        );
    }
    let recent = |x: &&Event| x.t <= t && x.t >= t - JUST_BEFORE * e.span;
    let handed = e.runs.iter().flat_map(|r| &r.events).filter(recent);
    if let Some(event) = handed.into_iter().find(|x| x.kind == EventKind::HandOver) {
        return told(
            Cause::Accumulation,
            format!(
                "impacts accumulate{} at t = {:.6} s; the rest of them is passed by time-stepping",
                at(event),
                event.t
            ),
        );
    }
    if let Some(found) = missing_event(e) {
        return found;
    }
    let hops: u64 = e.runs.iter().map(|r| r.summary.singular_hops).sum();
    if let Some(rate) = exponential(e.growth) {
        return told(
            Cause::Chaos,
            format!(
                "the motion is chaotic: differences grow by a factor of ten every {:.2e} s, so a \
                 tolerance ten times as tight gains only that much time",
                std::f64::consts::LN_10 / rate
            ),
        );
    }
    if hops > 0 {
        return told(
            Cause::Branch,
            format!(
                "the mechanism passes a singular position ({hops} in all runs), where the motion can go on \
                 in several ways"
            ),
        );
    }
    let now = e.growth.iter().fold(0.0_f64, |m, g| m.max(g.1));
    match e.before {
        Some(before) if now < CONVERGES * before => told(
            Cause::Budget,
            format!(
                "the families converge (differences went from {before:.1e} to {now:.1e} with the last \
                 tightening) but the budget of runs ended; give a tighter --rtol"
            ),
        ),
        _ => told(
            Cause::Unexplained,
            format!("the families differ by {now:.1e} for a reason that the program cannot tell"),
        ),
    }
}

fn at(event: &Event) -> String {
    if event.contact.is_empty() { String::new() } else { format!(" at \"{}\"", event.contact) }
}

/// An event that the kept run and another one do not share.
fn missing_event(e: &Evidence<'_>) -> Option<Reason> {
    let (kept, others) = e.runs.split_first()?;
    let fastest = e
        .runs
        .iter()
        .flat_map(|r| &r.events)
        .filter(|x| x.kind == EventKind::Impact)
        .fold(0.0_f64, |m, x| m.max(x.speed_before.abs()));
    let window = SAME_EVENT * e.span;
    let lists = others.iter().filter_map(|o| first_mismatch(&kept.events, &o.events, window));
    let event = lists.min_by(|x, y| x.t.total_cmp(&y.t))?;
    if event.t > e.t + window {
        return None;
    }
    let name = format!("{}{}", event.kind.name(), at(event));
    let light = event.kind == EventKind::Impact && event.speed_before.abs() <= LIGHT * fastest;
    let (cause, text) = if light {
        let text = format!(
            "a grazing touch: the {name} at t = {:.6} s, {:.1e} m/s, happens in some families only",
            event.t, event.speed_before
        );
        (Cause::Grazing, text)
    } else {
        let text = format!("the {name} at t = {:.6} s happens in some families only", event.t);
        (Cause::EventMissing, text)
    };
    Some(Reason { cause, t: e.t, text })
}

/// Rate of exponential growth, 1/s, if the differences grow that way: a straight line in logarithms, as steep in the
/// second half of the time as in the first. Errors that add up grow fast at first and slowly later.
fn exponential(growth: &[(f64, f64)]) -> Option<f64> {
    // the envelope: differences oscillate with the motion; once as large as the motion they no longer grow
    let mut top = 0.0_f64;
    let envelope = growth.iter().map(|g| {
        top = top.max(g.1);
        (g.0, top)
    });
    let points: Vec<(f64, f64)> = envelope
        .skip_while(|g| !(g.1 > ROUND_OFF))
        .take_while(|g| g.1 < SATURATED)
        .map(|g| (g.0, g.1.ln()))
        .collect();
    let (first, last) = (points.first()?, points.last()?);
    if points.len() < 20 || last.1 - first.1 < DECADES * std::f64::consts::LN_10 {
        return None;
    }
    let middle = 0.5 * (first.0 + last.0);
    let (early, late) = points.split_at(points.partition_point(|p| p.0 < middle));
    let ((rate, straight), (before, _), (after, _)) = (line(&points), line(early), line(late));
    (straight > STRAIGHT && after > STEADY * before && after > 0.0).then_some(rate)
}

/// Slope of the line through points, and the fraction of their variance that it explains.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len().max(1) as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (mt, my) = (mean(&|p| p.0), mean(&|p| p.1));
    let tt = mean(&|p| (p.0 - mt).powi(2));
    let ty = mean(&|p| (p.0 - mt) * (p.1 - my));
    let yy = mean(&|p| (p.1 - my).powi(2));
    (ty / tt, ty * ty / (tt * yy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_growth_is_told_from_a_power() {
        let grow = |f: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            (0..200).map(|k| k as f64 * 0.05).map(|t| (t, f(t))).collect()
        };
        let rate = exponential(&grow(&|t| 1e-12 * (2.0 * t).exp()));
        assert!(rate.is_some_and(|r| (r - 2.0).abs() < 0.05), "{rate:?}");
        assert_eq!(exponential(&grow(&|t| 1e-9 * (1.0 + t * t))), None);
        assert_eq!(exponential(&grow(&|t| 1e-8 * t.powi(4))), None);
        assert_eq!(exponential(&grow(&|t| if t > 5.0 { 1.0 } else { 1e-12 })), None);
    }
}
