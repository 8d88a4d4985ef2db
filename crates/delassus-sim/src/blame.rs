//! Finds the element of a model that caused an error, and what helps.

use crate::contact::Event;
use crate::error::{SimError, SimErrorKind};
use delassus_dae::{Problem, State};
use delassus_model::{Jump, System};
use std::collections::BTreeMap;

/// If there are fewer steps per event than this, the run is busy with events.
const EVENTFUL: u64 = 20;
/// Number of the last events examined for the contact that has most.
const LAST: usize = 1000;

/// How far ahead a jump is looked for when a step became too short, in those steps.
const AHEAD: f64 = 1e5;

/// Angle between a rolling disc and its plane below which it lies flat, rad: quantities that are undefined in the flat
/// position are lost in rounding below about a thousandth of this.
const FLAT: f64 = 1e-4;

/// Turn of an element of a beam from which on it is to blame for a step that could not be made, rad.
const ROLLED: f64 = 0.8 * System::MOST_BEND;

/// Adds the elements that caused an error. `states`: those before and after the last step; `start`: the first one with
/// its accelerations.
pub(crate) fn explain(
    sys: &System,
    states: [&State; 2],
    start: (&State, &[f64]),
    e: &mut SimError,
) {
    let lost = [SimErrorKind::StepTooSmall, SimErrorKind::Diverged, SimErrorKind::Singular];
    if lost.contains(&e.kind) && (lies_flat(sys, states[1], e) || is_rolled_up(sys, states[1], e)) {
        return;
    }
    match e.kind {
        SimErrorKind::Diverged => strongest_force(sys, states[1], e),
        SimErrorKind::StepTooSmall => {
            let a = accelerations(states, start);
            let jumps = sys.jumps(states[1], &a, AHEAD * e.h);
            if !jumps.is_empty() {
                blame_jumps(&jumps, e);
            } else {
                beyond_reach(sys, states[1], e);
            }
        }
        _ => {}
    }
}

/// Reports a rolling disc that fell flat; returns whether one did.
fn lies_flat(sys: &System, s: &State, e: &mut SimError) -> bool {
    let mut ws = sys.workspace();
    sys.realize_position(s.t, &s.q, &s.z, &mut ws);
    let Some((joint, angle)) = sys.flattest_disc(&ws).filter(|d| d.1 < FLAT) else { return false };
    e.kind = SimErrorKind::DiscFlat;
    e.detail = format!(
        "the disc of joint \"{joint}\" has fallen flat on its plane ({angle:.1e} rad off), where no point of its rim is the point of contact; {}",
        e.detail
    );
    e.blame = vec![format!("joint \"{joint}\"")];
    e.help = "end the run before, keep the disc upright, or give it a shape and a contact with the plane \
              instead of a rolling joint"
        .to_owned();
    true
}

/// Tells of an element of a beam that is bent too far, and whether one is.
fn is_rolled_up(sys: &System, s: &State, e: &mut SimError) -> bool {
    let mut ws = sys.workspace();
    sys.realize_position(s.t, &s.q, &s.z, &mut ws);
    let Some((element, turn)) = sys.sharpest_bend(&ws).filter(|b| b.1 > ROLLED) else {
        return false;
    };
    e.kind = SimErrorKind::BeamTurned;
    e.detail = format!(
        "element \"{element}\" of a beam is turned by {turn:.2} rad from one end to the other, and no more than \
         {:.1} rad can be told from a turn the other way; {}",
        System::MOST_BEND,
        e.detail
    );
    e.blame = vec![format!("beam element \"{element}\"")];
    e.help = "give the beam more elements, or damping where it buckles; check its stiffness and its loads".to_owned();
    true
}

/// Reports motions that drive a mechanism past its reach.
fn beyond_reach(sys: &System, s: &State, e: &mut SimError) {
    let motions = sys.motions_beyond_reach(s);
    if motions.is_empty() {
        return;
    }
    let names: Vec<String> = motions.iter().map(|name| format!("motion \"{name}\"")).collect();
    e.detail = format!(
        "{} leads past the reach of the mechanism: from here on no position fulfils it together with the other \
         joints; {}",
        names.join(", "),
        e.detail
    );
    e.blame = names;
    e.help = "the mechanism is stretched, or at a dead point: end the run or the motion before, or change the \
              lengths of the bodies"
        .to_owned();
}

/// Names what a run was busy with: the contact that has most of the last events, or what moves fastest.
pub(crate) fn busy(sys: &System, s: &State, events: &[Event], steps: u64, e: &mut SimError) {
    if EVENTFUL * events.len() as u64 > steps {
        let last = &events[events.len().saturating_sub(LAST)..];
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for event in last.iter().filter(|event| !event.contact.is_empty()) {
            *counts.entry(&event.contact).or_default() += 1;
        }
        if let Some((name, n)) = counts.into_iter().max_by_key(|(_, n)| *n) {
            e.detail.push_str(&format!(
                "; of the last {} events {n} are at contact \"{name}\"",
                last.len()
            ));
            e.blame.push(format!("contact \"{name}\""));
            return;
        }
    }
    let scale = &sys.scales().q;
    let rate = |i: usize| s.v[i].abs() / scale[i];
    let fastest = (0..scale.len()).max_by(|i, j| rate(*i).total_cmp(&rate(*j)));
    if let Some(i) = fastest.filter(|i| rate(*i) > 0.0) {
        let name = sys.dof_name(i);
        e.detail.push_str(&format!("; the fastest motion is that of {name} ({:.1e})", s.v[i]));
        e.blame.push(name);
    }
}

/// Names the strongest force at a state.
pub(crate) fn strongest_force(sys: &System, s: &State, e: &mut SimError) {
    let mut ws = sys.workspace();
    sys.realize_position(s.t, &s.q, &s.z, &mut ws);
    sys.realize_velocity(&s.v, &s.z, &mut ws);
    if let Some((name, size)) = sys.strongest_force(&ws) {
        e.detail.push_str(&format!("; strongest force just before: \"{name}\" ({size:.3e})"));
        e.blame.push(format!("force \"{name}\""));
    }
}

/// Accelerations over the last step, or at the start.
fn accelerations([from, to]: [&State; 2], (start, a): (&State, &[f64])) -> Vec<f64> {
    let h = to.t - from.t;
    if to.t == start.t || h == 0.0 {
        return a.to_vec();
    }
    to.v.iter().zip(&from.v).map(|(to, from)| (to - from) / h).collect()
}

fn blame_jumps(jumps: &[Jump], e: &mut SimError) {
    let told: Vec<String> = jumps
        .iter()
        .map(|j| {
            let (what, from, to) = (&j.element, j.from, j.to);
            format!("the {} of {what} jumps here from {from:.6e} to {to:.6e}", j.quantity)
        })
        .collect();
    e.detail = format!("{}; {}", told.join("; "), e.detail);
    e.blame = jumps.iter().map(|j| j.element.clone()).collect();
    let motion =
        jumps.iter().any(|j| j.element.starts_with("motion") && j.quantity != "acceleration");
    e.help = if motion {
        "a motion that jumps in value or rate needs an infinite force: round it off, for instance with \
         step(t, t0, y0, t1, y1)"
    } else {
        "make the jump a short ramp, for instance with step(t, t0, y0, t1, y1) or tanh; where it stands for \
         a stop, for dry friction or for a contact, use those, which are found as events"
    }
    .to_owned();
}
