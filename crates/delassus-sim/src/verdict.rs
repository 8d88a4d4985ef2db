//! Whether to trust a run: one assessment, which the command and the page of a report both show.
//!
//! Each [`Item`] compares one number with a scale of the model: energies with the energy that moved, lengths with the
//! length L of the model, speeds with L ω with the fastest rate ω of the motion. What was given up on the way (a
//! reduced coefficient, a loosened tolerance) is an item with a code, which is also a note of the command.

mod contact;

use crate::contact::{Occurrences, Worst};
use crate::summary::{Status, Summary};
use serde::Serialize;

/// How good a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// Not rated: for information.
    None,
    /// As good as can be expected.
    Good,
    /// To be looked at.
    Fair,
    /// Doubtful: not to be used before the reason is known.
    Bad,
}

/// One assessed item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// Its key: `energy`, `position_drift`, ….
    pub key: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The number.
    pub value: f64,
    /// Its unit; empty for counts and pure numbers.
    pub unit: &'static str,
    /// How good it is.
    pub tone: Tone,
    /// What it is compared with, or what happened: names and times.
    pub text: String,
    /// When it happened or began, s.
    pub t: Option<f64>,
    /// Stable code, if it is a note.
    pub code: Option<&'static str>,
    /// What to do about it, if it is a note.
    pub help: Option<&'static str>,
}

/// The assessment of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The worst of all items.
    pub tone: Tone,
    /// In one sentence.
    pub text: &'static str,
    /// The assessed items, in the order in which they are shown.
    pub items: Vec<Item>,
}

impl Default for Verdict {
    fn default() -> Verdict {
        Verdict { tone: Tone::None, text: NOTHING, items: Vec::new() }
    }
}

impl Verdict {
    /// Items that are notes.
    pub fn notes(&self) -> impl Iterator<Item = (&Item, &'static str)> {
        self.items.iter().filter_map(|i| Some((i, i.code?)))
    }
}

/// Below the first of these fractions of its scale a number is good, from the second on it is doubtful.
const DRIFT: [f64; 2] = [1e-6, 1e-3];
/// The same for the residual of contact problems.
const RESIDUAL: [f64; 2] = [1e-6, 1e-1];
/// Error of the energy balance, in multiples of what the tolerance explains, above which it is bad however small.
const UNHEARD: f64 = 100.0;
/// Fraction of the energy that moved up to which an error is good; above which one that the tolerance does not explain
/// is doubtful; and above which any is, also with a loose tolerance or a long step.
const ENERGY: [f64; 3] = [1e-4, 1e-2, 1e-1];
/// The same as [`DRIFT`] for sticking contacts: residuals of large contact problems move them.
const STICK: [f64; 2] = [1e-6, 1e-2];
/// The same for the energy stored in compliant contacts that ended inside, relative to the energy that moved.
const ABANDONED: [f64; 2] = [1e-6, 1e-3];
/// The same for forces with which closed contacts pull, relative to the largest load.
const PULL: [f64; 2] = [1e-3, 1e-2];
/// Sum of local errors, relative to the size of the model, above which it should be looked at.
const LOCAL: f64 = 1e-2;
/// The verdict if there is nothing to assess.
const NOTHING: &str = "The run left no numbers to judge by.";
/// Fraction of the run in time-stepping, or of its steps, above which it should be looked at.
const MUCH: f64 = 0.1;

/// Assesses a run by its summary.
pub fn judge(s: &Summary) -> Verdict {
    let mut items = vec![energy(s)];
    let speed = speed(s);
    items.push(drift(
        "position_drift",
        "Drift, positions",
        (s.max_position_drift, "m"),
        (s.length, "the length of the model"),
        DRIFT,
    ));
    // methods on the index-3 form leave as much as the tolerance allows
    let good = s.rtol.map_or(DRIFT[0], |r| (10.0 * r).clamp(DRIFT[0], 0.1 * DRIFT[1]));
    items.push(drift(
        "velocity_drift",
        "Drift, velocities",
        (s.max_velocity_drift, "m/s"),
        (speed, "the speed of the model"),
        [good, DRIFT[1]],
    ));
    items.extend(s.local_errors.map(|sum| local_errors(s.steps, sum)));
    samples(s, &mut items);
    contact::contact(s, &mut items);
    if s.singular_hops > 0 {
        items.push(Item {
            key: "singular_hops",
            title: "Singular positions",
            value: s.singular_hops as f64,
            unit: "",
            tone: Tone::None,
            text: format!(
                "{} passed by a jump, first at t = {} s; the step there may err by 100 tolerances",
                times(s.singular_hops, "singular position was", "singular positions were"),
                time(s.first_singular_hop)
            ),
            t: s.first_singular_hop,
            code: Some("N_SINGULAR_HOP"),
            help: Some("compare with a smaller --rtol: branches part at such positions"),
        });
    }
    if s.branch_changes > 0 {
        items.push(Item {
            key: "branch_changes",
            title: "Changes of branch",
            value: s.branch_changes as f64,
            unit: "",
            tone: Tone::Bad,
            text: format!(
                "{}, first at t = {} s: lengths are {} m off those with which branches of the motion cross there, so that \
                 they turn away from each other instead, within less than the steps followed",
                times(s.branch_changes, "step changed branches", "steps changed branches"),
                time(s.first_branch_change),
                s.branch_miss.map_or_else(|| "?".to_owned(), short)
            ),
            t: s.first_branch_change,
            code: Some("N_BRANCH"),
            help: Some(
                "make the lengths exact if branches are to cross, or let steps adapt with a smaller --rtol and an explicit \
                 --method to follow the bend",
            ),
        });
    }
    let worst = items.iter().map(|i| i.tone).max().unwrap_or(Tone::None);
    let (tone, text) = match (s.status, worst) {
        (Status::Failed, _) => (Tone::Bad, "The run failed: what is shown ends before the end."),
        (_, Tone::Bad) => {
            (Tone::Bad, "Doubtful: look at the marked numbers before using the results.")
        }
        (_, Tone::Fair) => (Tone::Fair, "Mostly good: look at the marked numbers."),
        (_, Tone::Good) => (Tone::Good, "Energy, joints and contacts hold well."),
        (_, Tone::None) => (Tone::None, NOTHING),
    };
    Verdict { tone, text, items }
}

fn energy(s: &Summary) -> Item {
    let e = &s.energy;
    let part = e.error / e.moved;
    let off = e.off_since.is_some();
    let allowed = e.explained.is_some_and(|x| e.error <= x);
    let doubtful = if e.explained.is_some() && !allowed { ENERGY[1] } else { ENERGY[2] };
    // singular positions are passed with errors of so many tolerances; more is not a matter of accuracy
    let unheard = e.explained.is_some_and(|x| !(e.error <= UNHEARD * x));
    let tone = match () {
        () if off && (unheard || !(part < doubtful)) => Tone::Bad,
        () if off => Tone::Fair,
        () if e.error <= e.round_off || part <= ENERGY[0] => Tone::Good,
        () => Tone::Fair,
    };
    let of = match e.error <= e.round_off {
        true => "no more than round-off".to_owned(),
        false => format!("largest error; {} of the {} J that move", short(part), short(e.moved)),
    };
    let (mut text, mut help) = (of, None);
    if !(e.error.is_finite() && e.moved.is_finite()) {
        text = "energies grow beyond what numbers can hold".to_owned();
        help = Some("look at masses, velocities and forces: one of them is beyond all sizes");
    } else if off {
        text = format!(
            "the energy balance is off by {} J, {} of the {} J that move, since t = {} s; {}",
            short(e.error),
            short(part),
            short(e.moved),
            time(e.off_since),
            match (e.explained, s.step) {
                (Some(x), _) if allowed => {
                    format!("the tolerance of the run allows up to {} J", short(x))
                }
                (Some(x), _) => format!("the tolerance explains {} J", short(x)),
                (None, Some(h)) =>
                    format!("the step of {} s is too long for this motion", short(h)),
                (None, None) => "nothing explains it".to_owned(),
            }
        );
        help = Some(match e.explained {
            Some(_) => {
                "run again with a smaller --rtol and with another --method; where they differ, the \
                 results are wrong"
            }
            None => "halve --step until the error goes, or let the method choose it with --rtol",
        });
    }
    Item {
        key: "energy",
        title: "Energy balance",
        value: e.error,
        unit: "J",
        tone,
        text,
        t: e.off_since,
        code: off.then_some("N_ENERGY"),
        help,
    }
}

fn drift(
    key: &'static str,
    title: &'static str,
    (value, unit): (f64, &'static str),
    (scale, of): (f64, &str),
    limits: [f64; 2],
) -> Item {
    let tone = tone(value, scale, limits);
    let text = match tone {
        Tone::Bad | Tone::Fair => format!(
            "joints or prescribed motions are violated by {} {unit}{}",
            short(value),
            if scale > 0.0 { format!(", {} of {of}", short(value / scale)) } else { String::new() }
        ),
        _ => format!("largest residual of joints; {of} is {} {unit}", short(scale)),
    };
    let bad = tone == Tone::Bad;
    Item {
        key,
        title,
        value,
        unit,
        tone,
        text,
        t: None,
        code: bad.then_some("N_DRIFT"),
        help: bad.then_some(
            "plot drift.position and drift.velocity to see where; a smaller --rtol or another \
             --method tells whether the results depend on it",
        ),
    }
}

fn local_errors(steps: u64, sum: f64) -> Item {
    let tone = if sum <= LOCAL { Tone::Good } else { Tone::Fair };
    let text = format!(
        "the errors of {} add up to at most {} of the size of the model, or radians, and a sensitive motion multiplies them",
        times(steps, "step", "steps"),
        short(sum)
    );
    Item {
        key: "local_errors",
        title: "Local errors",
        value: sum,
        unit: "",
        tone,
        text,
        t: None,
        code: None,
        help: None,
    }
}

/// What happens between the steps.
fn samples(s: &Summary, items: &mut Vec<Item>) {
    // the interpolation has an error of some tolerances, whatever the method leaves at its steps
    let allowed = s.rtol.map_or(DRIFT[1], |r| (1e3 * r).clamp(DRIFT[0], DRIFT[1]));
    let value = s.max_sample_position_drift;
    if value > allowed * s.length && value > 10.0 * s.max_position_drift {
        items.push(drift(
            "sample_drift",
            "Drift between steps",
            (value, "m"),
            (s.length, "the length of the model"),
            [allowed, 10.0 * DRIFT[1]],
        ));
    }
    if let Some(jump) = &s.target_jumped {
        items.push(Item {
            key: "target_jumped",
            title: "Targets that jump",
            value: jump.by,
            unit: "",
            tone: Tone::Fair,
            text: format!(
                "the target of actuator \"{}\" jumps by {:.3e} at t = {} s: it gives no impulse through kd, as a \
                 steep ramp would",
                jump.force,
                jump.by,
                time(Some(jump.t))
            ),
            t: Some(jump.t),
            code: Some("N_TARGET_JUMP"),
            help: Some(
                "write a ramp, step(t, t0, y0, t1, y1), if the jump is meant to push; without kd there is no doubt",
            ),
        });
    }
    if s.reversed_steps > 0 {
        let much = s.reversed_steps as f64 > MUCH * s.steps as f64;
        items.push(Item {
            key: "reversed_steps",
            title: "Motion within a step",
            value: s.reversed_steps as f64,
            unit: "",
            tone: if much { Tone::Bad } else { Tone::Fair },
            text: format!(
                "the motion turns round from step to step in {} of {} steps, first from t = {} s on: it vibrates faster \
                 than steps of {} s can follow",
                s.reversed_steps,
                s.steps,
                time(s.reversed_since),
                s.step.map_or_else(|| "?".to_owned(), short)
            ),
            t: s.reversed_since,
            code: Some("N_STEP_TOO_LONG"),
            help: Some(
                "take a --step many times shorter, let steps adapt with --rtol, or damp what need not be followed",
            ),
        });
    }
    if let Some(hidden) = &s.stepped_over {
        items.push(Item {
            key: "stepped_over",
            title: "What acts between steps",
            value: 1.0,
            unit: "",
            tone: Tone::Bad,
            text: format!(
                "{} goes up or down and back between two steps, first before t = {} s: the run did not see it",
                hidden.name,
                time(Some(hidden.t))
            ),
            t: Some(hidden.t),
            code: Some("N_STEPPED_OVER"),
            help: Some(
                "take a --step several times shorter than what happens there, or let steps adapt",
            ),
        });
    }
}

/// Speed with which speeds are compared, m/s: that of the motion; for a model at rest, one that would carry it by its
/// own length until the end.
fn speed(s: &Summary) -> f64 {
    let slowest = 1.0 / (s.t_end - s.t_start);
    s.length * if slowest.is_finite() { s.rate.max(slowest) } else { s.rate }
}

/// How good a number is relative to a scale.
fn tone(value: f64, scale: f64, [good, bad]: [f64; 2]) -> Tone {
    match value / scale {
        _ if value == 0.0 => Tone::Good,
        x if x < good => Tone::Good,
        x if x < bad => Tone::Fair,
        // NaN, or a number without a scale, too
        _ => Tone::Bad,
    }
}

fn times(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn time(t: Option<f64>) -> String {
    t.map_or_else(|| "?".to_owned(), short)
}

/// A number to three digits.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) {
        let digits = 2 - x.abs().max(1e-300).log10().floor() as i32;
        let text = format!("{x:.*}", digits.clamp(0, 6) as usize);
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    format!("{x:.2e}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactTally;
    use crate::energy_audit::EnergyBalance;
    use delassus_model::ContactTolerances;

    /// A run without a flaw: 10 J move at 2 m/s in a model of 1 m.
    fn calm() -> Summary {
        Summary {
            status: Status::Done,
            model: String::new(),
            method: "mdop5".to_owned(),
            scheme: Some("hybrid"),
            version: "0",
            rtol: Some(1e-8),
            atol: Some(0.0),
            step: None,
            step_chosen: false,
            t_start: 0.0,
            t_end: 1.0,
            steps: 100,
            rejected: 0,
            rejected_by_error: 0,
            rejected_by_convergence: 0,
            singular_hops: 0,
            branch_changes: 0,
            first_branch_change: None,
            branch_miss: None,
            first_singular_hop: None,
            stiff_since: None,
            local_errors: None,
            evaluations: 600,
            factorizations: 600,
            newton_iterations: 0,
            projections: 100,
            wall_s: 0.0,
            cpu_s: 0.0,
            max_position_drift: 1e-15,
            max_velocity_drift: 1e-15,
            max_sample_position_drift: 1e-9,
            max_sample_velocity_drift: 1e-8,
            stepped_over: None,
            target_jumped: None,
            reversed_steps: 0,
            reversed_since: None,
            max_acceleration_drift: 1e-12,
            energy_error: 1e-8,
            energy: EnergyBalance {
                error: 1e-8,
                moved: 10.0,
                explained: Some(1e-5),
                round_off: 1e-12,
                limit: 1e-3,
                off_since: None,
            },
            events: 0,
            contact: Some(ContactTally::default()),
            contact_tolerances: Some(ContactTolerances::default()),
            length: 1.0,
            rate: 2.0,
            samples: 101,
            mobility: 1,
            assembly_moved: None,
            start_energy_taken: 0.0,
            redundant: 0,
            rank_gap: [1.0, 0.0],
            non_unique_reactions: Vec::new(),
            error: None,
            verdict: Verdict::default(),
        }
    }

    fn codes(s: &Summary) -> (Tone, Vec<&'static str>) {
        let v = judge(s);
        (v.tone, v.notes().map(|(_, code)| code).collect())
    }

    #[test]
    fn a_run_without_a_flaw_is_good() {
        assert_eq!(codes(&calm()), (Tone::Good, vec![]));
        // at rest, where nothing moves but round-off
        let mut rest = calm();
        (rest.rate, rest.max_velocity_drift) = (0.0, 1e-18);
        rest.energy = EnergyBalance { error: 1e-15, moved: 1e-16, ..rest.energy };
        assert_eq!(codes(&rest), (Tone::Good, vec![]));
    }

    #[test]
    fn a_velocity_drift_of_a_metre_per_second_is_doubtful() {
        let drifts = Summary { max_velocity_drift: 1.0, ..calm() };
        assert_eq!(codes(&drifts), (Tone::Bad, vec!["N_DRIFT"]));
        let between = Summary { max_sample_position_drift: 0.1, ..calm() };
        assert_eq!(codes(&between), (Tone::Bad, vec!["N_DRIFT"]));
        let hidden = crate::summary::SteppedOver { name: "force \"f\"".to_owned(), t: 0.5 };
        let hidden = Summary { stepped_over: Some(hidden), ..calm() };
        assert_eq!(codes(&hidden), (Tone::Bad, vec!["N_STEPPED_OVER"]));
        let nan = Summary { max_position_drift: f64::NAN, ..calm() };
        assert_eq!(codes(&nan), (Tone::Bad, vec!["N_DRIFT"]));
    }

    #[test]
    fn local_errors_that_add_up_are_to_be_looked_at() {
        let of = |sum: f64| codes(&Summary { local_errors: Some(sum), ..calm() });
        assert_eq!(of(1e-3), (Tone::Good, vec![]));
        assert_eq!(of(0.1), (Tone::Fair, vec![]));
        assert_eq!(of(f64::NAN), (Tone::Fair, vec![]));
        let v = judge(&Summary { local_errors: Some(0.1), ..calm() });
        let item = v.items.iter().find(|i| i.key == "local_errors");
        assert!(item.is_some_and(|i| i.text.contains("100 steps") && i.text.contains("0.1")));
    }

    #[test]
    fn energy_that_nothing_explains_is_told_with_its_time() {
        let mut lost = calm();
        lost.energy =
            EnergyBalance { error: 3.0, limit: 0.1, off_since: Some(0.25), ..lost.energy };
        assert_eq!(codes(&lost), (Tone::Bad, vec!["N_ENERGY"]));
        let v = judge(&lost);
        let item = v.items.iter().find(|i| i.key == "energy");
        assert!(item.is_some_and(|i| i.t == Some(0.25) && i.text.contains("t = 0.25 s")));
        // a loose tolerance allows it: reported, but not doubtful
        lost.energy = EnergyBalance { error: 0.5, explained: Some(2.0), ..lost.energy };
        assert_eq!(codes(&lost), (Tone::Fair, vec!["N_ENERGY"]));
        // a step that is too long
        lost.energy = EnergyBalance { error: 5.0, explained: None, ..lost.energy };
        lost.step = Some(1e-3);
        assert_eq!(codes(&lost), (Tone::Bad, vec!["N_ENERGY"]));
        assert!(judge(&lost).items[0].text.contains("step of 0.001 s"));
    }

    #[test]
    fn what_was_given_up_at_contacts_is_told_by_name() {
        let mut s = calm();
        let mut c = ContactTally::default();
        c.reduce(0.5, 0.125, ["tip".to_owned()]);
        c.stick_speed.observe(1.0, 0.5, || "jaw".to_owned());
        c.penetration.observe(1e-5, 0.5, String::new);
        c.steps_halved.add(0.75, ["floor".to_owned()]);
        s.contact = Some(c);
        let (tone, codes) = codes(&s);
        assert_eq!(tone, Tone::Bad, "sticking contacts that move");
        let want = ["N_PENETRATION", "N_STICK_MOVES", "N_RESTITUTION_REDUCED", "N_STEP_HALVED"];
        assert_eq!(codes, want);
        let v = judge(&s);
        for (key, name) in
            [("restitution_reduced", "tip"), ("stick_speed", "jaw"), ("steps_halved", "floor")]
        {
            let item = v.items.iter().find(|i| i.key == key);
            assert!(item.is_some_and(|i| i.text.contains(name) && i.t.is_some()), "{key}");
        }
    }

    #[test]
    fn numbers_are_short() {
        for (x, want) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (1.0, "1"),
            (123.456, "123"),
            (1e-7, "1.00e-7"),
            (0.00123, "0.00123"),
        ] {
            assert_eq!(short(x), want);
        }
    }
}
