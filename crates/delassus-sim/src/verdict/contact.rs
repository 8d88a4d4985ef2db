//! Assessment of contacts.

use super::*;
use crate::contact::CompliantTally;

/// Penetration, sticking contacts that move, forces, and everything that was given up.
pub(super) fn contact(s: &Summary, items: &mut Vec<Item>) {
    let Some(c) = &s.contact else { return };
    let speed = speed(s);
    // in time-stepping the motion of one step is the accuracy of the method
    let overlap = tone(c.penetration.value, s.length, DRIFT);
    let by_steps = s.scheme == Some("time-stepping");
    let within_step = by_steps && s.step.is_some_and(|h| c.penetration.value <= speed * h);
    worst(
        items,
        ("penetration", "Penetration", "m", "N_PENETRATION"),
        (&c.penetration, overlap.min(if within_step { Tone::Fair } else { Tone::Bad })),
        "closed contacts overlap by at most",
        "take a smaller --step, or a smaller `penetration` in [contact_tolerances]",
    );
    worst(
        items,
        ("stick_speed", "Sticking contacts that move", "m/s", "N_STICK_MOVES"),
        (&c.stick_speed, tone(c.stick_speed.value, speed, STICK)),
        "contacts that are said to stick move by at most",
        if by_steps {
            "friction there is not to be relied on: take a smaller --step, or compare with --scheme hybrid"
        } else {
            "friction there is not to be relied on: compare with --scheme time-stepping"
        },
    );
    // points that touch without load may pull by round-off of the motion
    let pulls = tone(c.pull.value, c.load.max(s.energy.moved / s.length), PULL);
    if pulls > Tone::Good {
        worst(
            items,
            ("pull", "Contacts that pull", "N", "N_PULL"),
            (&c.pull, pulls),
            "closed contacts hold bodies back instead of letting them go, with a force of up to",
            "the motion from there on is not to be relied on: compare with --scheme time-stepping and with a smaller max_step",
        );
    }
    worst(
        items,
        ("contact_residual", "Contact forces", "", "N_CONTACT_RESIDUAL"),
        (&c.residual, tone(c.residual.value, 1.0, RESIDUAL)),
        "contact forces fulfil their laws up to a residual of",
        "take a smaller --step, or a smaller `large_residual` in [contact_tolerances]",
    );
    abandoned(s, &c.compliant, items);
    let mut count = |key, title, code, o: &Occurrences, tone, text: String, help| {
        if o.count == 0 {
            return;
        }
        let whom = if o.contacts.is_empty() {
            String::new()
        } else {
            format!(" ({}{})", o.contacts.join(", "), if o.contacts.len() > 7 { ", …" } else { "" })
        };
        items.push(Item {
            key,
            title,
            value: o.count as f64,
            unit: "",
            tone,
            text: format!("{text}, first at t = {} s{whom}", time(o.first)),
            t: o.first,
            code: Some(code),
            help: Some(help),
        });
    };
    let n = c.restitution_reduced.count;
    count(
        "restitution_reduced",
        "Reduced restitution",
        "N_RESTITUTION_REDUCED",
        &c.restitution_reduced,
        Tone::Fair,
        format!(
            "{} would have gained energy by the law given: restitution was reduced, to {} of its \
             value at the least",
            times(n, "impact", "impacts"),
            short(c.least_restitution_factor)
        ),
        "the law and friction contradict each other there (Kane): try another restitution_law",
    );
    count(
        "held_by_joints",
        "Contacts that joints hold",
        "N_HELD_BY_JOINTS",
        &c.held_by_joints,
        Tone::Fair,
        "joints or motions hold contacts that have friction: how they share the load is not determined, and the \
         contacts were given none, so that they do not rub"
            .to_owned(),
        "leave out the joint or the contact, or let something yield (a bushing in place of the joint)",
    );
    let n = c.compliant.began_deep.count;
    count(
        "began_deep",
        "Contacts that begin inside",
        "N_START_DEPTH",
        &c.compliant.began_deep,
        Tone::Fair,
        format!(
            "{} deeper than max_start_depth, by up to {} m, because no step may be shorter: the energy stored \
             there comes from nowhere",
            times(n, "compliant contact began", "compliant contacts began"),
            short(c.compliant.deepest_start.value)
        ),
        "use start = \"locate\", or a smaller min_start_step",
    );
    let n = c.compliant.few_steps.count;
    count(
        "few_steps",
        "Contacts in few steps",
        "N_FEW_STEPS",
        &c.compliant.few_steps,
        Tone::Fair,
        format!(
            "{} passed through in fewer than {} fixed steps: force, depth and rebound there are not resolved",
            times(n, "compliant contact was", "compliant contacts were"),
            crate::contact::FEW_STEPS
        ),
        "take a smaller --step, or let the method choose it with --rtol",
    );
    let n = c.tolerance_loosened.count;
    count(
        "tolerance_loosened",
        "Loosened tolerance",
        "N_TOLERANCE_LOOSENED",
        &c.tolerance_loosened,
        Tone::None,
        format!(
            "contact forces of {} were found to a residual of {} only",
            times(n, "step", "steps"),
            short(s.contact_tolerances.unwrap_or_default().large_residual)
        ),
        "`large_residual` in [contact_tolerances] sets it",
    );
    let share = |n: u64| if n as f64 > MUCH * s.steps as f64 { Tone::Fair } else { Tone::None };
    let n = c.steps_halved.count;
    count(
        "steps_halved",
        "Halved steps",
        "N_STEP_HALVED",
        &c.steps_halved,
        share(n),
        format!("{} of time-stepping had to be made in parts", times(n, "step", "steps")),
        "contact forces were not found at the full step: take a smaller --step",
    );
    let n = c.implicit_steps.count;
    count(
        "implicit_steps",
        "Implicit steps",
        "N_IMPLICIT_STEPS",
        &c.implicit_steps,
        Tone::None,
        format!("{} took stiff forces implicitly, which damps them", times(n, "step", "steps")),
        "a smaller --step resolves them",
    );
    let n = c.hand_overs.count;
    let long = c.stepped_time > MUCH * (s.t_end - s.t_start);
    count(
        "hand_overs",
        "Hand-overs",
        "N_HAND_OVER",
        &c.hand_overs,
        if long { Tone::Fair } else { Tone::None },
        format!(
            "time-stepping took over {} where events were too dense, for {} s in all: there, times \
             of impacts are as good as its steps",
            times(n, "time", "times"),
            short(c.stepped_time)
        ),
        "events.csv has the stretches between hand-over and hand-back",
    );
}

/// Compliant contacts that ended inside, by the energy that they stored.
fn abandoned(s: &Summary, c: &CompliantTally, items: &mut Vec<Item>) {
    if c.abandoned.count == 0 {
        return;
    }
    let tone = tone(c.abandoned_energy, s.energy.moved, ABANDONED);
    let told = tone >= Tone::Fair;
    items.push(Item {
        key: "abandoned",
        title: "Contacts that ended inside",
        value: c.abandoned_depth.value,
        unit: "m",
        tone,
        text: format!(
            "{} while the bodies were up to {} m inside each other, because the surface ends there and no other part of \
             it took over: {} J that were stored are gone, first at t = {} s ({})",
            times(c.abandoned.count, "compliant contact ended", "compliant contacts ended"),
            short(c.abandoned_depth.value),
            short(c.abandoned_energy),
            time(c.abandoned.first),
            c.abandoned.contacts.join(", ")
        ),
        t: c.abandoned.first,
        code: told.then_some("N_CONTACT_LOST"),
        help: told.then_some(
            "bodies pass through each other from there on: make the contact stiffer, the shapes longer or rounder, or \
             give a line its side as a profile",
        ),
    });
}

/// An item for the worst value of something, which is a note if it is not good.
fn worst(
    items: &mut Vec<Item>,
    (key, title, unit, code): (&'static str, &'static str, &'static str, &'static str),
    (w, tone): (&Worst, Tone),
    text: &str,
    help: &'static str,
) {
    let Some(t) = w.t else { return };
    let at = if w.contact.is_empty() { String::new() } else { format!(" ({})", w.contact) };
    let told = tone >= Tone::Fair;
    let gap = if unit.is_empty() { "" } else { " " };
    items.push(Item {
        key,
        title,
        value: w.value,
        unit,
        tone,
        text: format!("{text} {}{gap}{unit}, at t = {} s{at}", short(w.value), short(t)),
        t: Some(t),
        code: told.then_some(code),
        help: told.then_some(help),
    });
}
