//! Joints with clearance: E3, E4 and E6 of the benchmark problems against independent programs, and play as a single
//! option of a joint: ideal, rigid, compliant.

use crate::support;

use delassus::math::largest;
use delassus::sim::contact::{Event, EventKind};
use delassus::sim::{RunOptions, RunOutcome};
use support::{assembled, errors, load, parsed, reference, run};

/// Methods, with the tolerance that gives what the problems ask for: impacts are a thousandth of the model deep.
const METHODS: [(&str, f64); 5] =
    [("mdop5", 1e-9), ("hem5", 1e-9), ("gen-alpha-ggl", 1e-9), ("bdf", 1e-11), ("radau5", 1e-9)];

fn with(method: &str, rtol: f64) -> impl Fn(&mut RunOptions) + '_ {
    move |o| {
        o.method = method.to_owned();
        o.rtol = Some(rtol);
    }
}

fn of_kind(out: &RunOutcome, kind: EventKind) -> Vec<&Event> {
    out.events.iter().filter(|e| e.kind == kind).collect()
}

#[test]
fn e3_follows_the_crank() {
    let m = load("benchmarks/E3_quick_return_ideal.toml", &[]);
    for method in ["mdop5", "hem5", "gen-alpha-ggl", "bdf", "radau5"] {
        let (worst, _) = errors("E3_quick_return_ideal", &run(&m, with(method, 1e-8)), None);
        assert!(worst < 1e-6, "{method}: {worst}");
    }
}

#[test]
fn e6_meets_the_first_eight_contacts() {
    let m = load("benchmarks/E6_clearance_slider_crank.toml", &[]);
    let want = reference("E6_clearance_slider_crank_contacts");
    let times = want.column("t_start").unwrap();
    let x_end = *reference("E6_clearance_slider_crank").column("x_slider").unwrap().last().unwrap();
    for (method, rtol) in METHODS {
        let out = run(&m, with(method, rtol));
        let touches = of_kind(&out, EventKind::Touch);
        for (k, wanted) in times.iter().take(8).enumerate() {
            let off = (touches[k].t - wanted).abs();
            assert!(off < 1e-7, "{method}: contact {} is off by {off} s", k + 1);
            assert!(touches[k].depth.abs() < 1e-12, "{method}: begins {} inside", touches[k].depth);
        }
        let depth = of_kind(&out, EventKind::Part)[0].depth;
        let off = depth / want.column("max_penetration").unwrap()[0] - 1.0;
        assert!(off.abs() < 1e-3, "{method}: depth {depth}");
        let x = *out.results.get("x_slider").unwrap().last().unwrap();
        assert!((x - x_end).abs() < 1e-5, "{method}: x {x} instead of {x_end}");
    }
}

/// Kinetic and potential energy less the work of the crank never grow; impacts only take some.
fn gained(out: &RunOutcome) -> f64 {
    let (energy, work) = (out.results.get("energy").unwrap(), out.results.get("work").unwrap());
    let own: Vec<f64> = energy.iter().zip(work).map(|(e, w)| e - w).collect();
    largest(own.iter().map(|e| (e - own[0]).max(0.0)))
}

#[test]
fn e4_meets_the_first_five_contacts() {
    let m = load("benchmarks/E4_quick_return_clearance.toml", &[]);
    let want = reference("E4_quick_return_clearance_contacts");
    let column = |name: &str| want.column(name).unwrap().to_vec();
    let (times, joints) = (column("t_start"), column("joint"));
    for (method, rtol) in METHODS {
        let out = run(&m, with(method, rtol));
        let (touches, parts) = (of_kind(&out, EventKind::Touch), of_kind(&out, EventKind::Part));
        for k in 0..5 {
            let off = (touches[k].t - times[k]).abs();
            assert!(off < 1e-6, "{method}: contact {} is off by {off} s", k + 1);
            assert_eq!(touches[k].contact, format!("joint{}", joints[k]), "{method}");
        }
        assert!(touches.iter().all(|e| e.depth < 1e-12), "{method} begins inside");
        let off = parts[0].depth / column("max_penetration")[0] - 1.0;
        assert!(off.abs() < 1e-2, "{method}: first depth off by {off}");
        let deepest = largest(parts.iter().map(|e| e.depth));
        assert!((4.1e-6..16.4e-6).contains(&deepest), "{method}: {deepest}");
        assert!(gained(&out) < 1e-6, "{method}: gains {} J", gained(&out));
        // what is smooth is as good as the contacts allow
        let (worst, _) = errors("E4_quick_return_clearance", &out, Some(&["x6"]));
        assert!(worst < 1e-6, "{method}: x6 {worst}");
    }
}

/// The ram stays near its ideal motion however the journals rattle.
#[test]
fn e4_stays_near_the_ideal_mechanism() {
    let m = load("benchmarks/E4_quick_return_clearance.toml", &[]);
    let ideal = reference("E3_quick_return_ideal");
    let wanted = ideal.column("x6").unwrap();
    for method in ["mdop5", "radau5"] {
        let out = run(&m, |o| {
            with(method, 1e-7)(o);
            (o.t_end, o.sample) = (0.5, 0.01);
        });
        let x6 = out.results.get("x6").unwrap();
        let off = largest(x6.iter().zip(wanted).map(|(a, b)| (a - b).abs()));
        assert!(off < 3e-3, "{method}: {off}");
        assert!(gained(&out) < 1e-5, "{method}: gains {} J", gained(&out));
        let tally = out.summary.contact.as_ref().unwrap().compliant.clone();
        assert!(tally.contacts > 100 && tally.deepest.value < 1e-4, "{method}: {tally:?}");
    }
}

/// Without location of their starts contacts begin inside, and the run says how deep; with `shrink` no deeper than asked.
#[test]
fn e4_tells_how_deep_contacts_began() {
    let text =
        std::fs::read_to_string(support::model_path("benchmarks/E4_quick_return_clearance.toml"));
    let text = text.unwrap();
    let started = |rule: &str| {
        let spec =
            parsed(&text.replace("restitution = \"ce\"", &format!("restitution = \"ce\"\n{rule}")));
        run(&assembled(&spec, &[]), |o| o.t_end = 0.03)
    };
    let out = started("start = \"shrink\"\nmax_start_depth = \"0.1 um\"");
    let deepest =
        |out: &RunOutcome| largest(of_kind(out, EventKind::Touch).iter().map(|e| e.depth));
    assert!(deepest(&out) > 0.0 && deepest(&out) <= 1e-7, "{}", deepest(&out));
    let told = out.summary.contact.as_ref().unwrap().compliant.deepest_start.clone();
    assert_eq!(told.value, deepest(&out));
    let out = started("start = \"interpolate\"");
    let told = out.summary.contact.as_ref().unwrap().compliant.deepest_start.clone();
    assert_eq!(told.value, deepest(&out).max(0.0));
    // without control the run ends, with energy from nowhere, and says both
    let out = started("start = \"shrink\"\nmax_start_depth = \"1 mm\"");
    let told = out.summary.contact.as_ref().unwrap().compliant.deepest_start.clone();
    assert!(told.value > 1e-4 && told.value == deepest(&out), "{told:?}");
    assert!(out.summary.energy_error > 1.0, "{}", out.summary.energy_error);
}

/// How far the ram may be from its ideal place at a crank angle, m, with journals up to `c` from the middle of their bearings:
/// kinematics of the mechanism, to first order in the eccentricities, each along its gradient.
fn reach_of_the_ram(crank: f64, c: f64) -> f64 {
    let (r, h, l, b, guide) = (0.1, 0.25, 0.5, 0.12, 0.48);
    let x6 = |e: &[f64; 8]| {
        let pin = [r * crank.cos() + e[2] - e[0], h + r * crank.sin() + e[3] - e[1]];
        let lever = pin[1].atan2(pin[0]);
        let tip = [e[0] + l * lever.cos() + e[4], e[1] + l * lever.sin() + e[5]];
        let rise = (guide - e[7] - tip[1]) / b;
        tip[0] + b * (1.0 - rise * rise).sqrt() + e[6]
    };
    let slope = |k: usize| {
        let at = |d: f64| x6(&std::array::from_fn(|i| if i == k { d } else { 0.0 }));
        (at(1e-7) - at(-1e-7)) / 2e-7
    };
    (0..4).map(|j| c * slope(2 * j).hypot(slope(2 * j + 1))).sum()
}

/// Two full turns: the ram is off by no more than its mechanism allows, which is 3.86 mm of four clearances of 0.5 mm, and gets
/// close to that. (The 3 mm that the problem asks for hold in three quarters of a turn, and cannot in the rest.)
#[test]
fn e4_two_turns_within_what_its_play_allows() {
    let m = load("benchmarks/E4_quick_return_clearance.toml", &[]);
    let ideal = reference("E3_quick_return_ideal");
    let wanted = ideal.column("x6").unwrap();
    let most = (0..360).map(|k| reach_of_the_ram((k as f64).to_radians(), 0.5e-3));
    let most = largest(most);
    assert!((most - 3.86e-3).abs() < 0.02e-3, "{most}");
    for (method, rtol) in [("mdop5", 1e-7), ("gen-alpha-ggl", 1e-6), ("radau5", 1e-6)] {
        let out = run(&m, |o| {
            with(method, rtol)(o);
            (o.t_end, o.sample) = (4.2, 0.01);
        });
        let (t, x6) = (&out.results.t, out.results.get("x6").unwrap());
        let tally = out.summary.contact.as_ref().unwrap().compliant.clone();
        assert!(tally.deepest.value < 1e-5, "{method}: {tally:?}");
        assert_eq!((t.len(), wanted.len()), (421, 421), "{method}");
        for k in 0..t.len() {
            let off = (x6[k] - wanted[k]).abs();
            // second order in the eccentricities
            let may = 1.01 * reach_of_the_ram(3.0 * t[k], 0.5e-3 + tally.deepest.value);
            assert!(off <= may, "{method}: {off} at {} s, where it may be {may}", t[k]);
            assert!(off <= 3e-3 || may > 3e-3, "{method}: {off} at {} s", t[k]);
        }
        let worst = largest(x6.iter().zip(wanted).map(|(a, b)| (a - b).abs()));
        assert!((3.5e-3..most).contains(&worst), "{method}: {worst}");
        assert!(gained(&out) < 1e-6, "{method}: gains {} J", gained(&out));
        let started = largest(of_kind(&out, EventKind::Touch).iter().map(|e| e.depth));
        assert!(started < 1e-6, "{method}: begins {started} inside");
        assert!(tally.contacts > 900 && tally.deepest_start.value < 1e-12, "{method}: {tally:?}");
    }
}

/// A step of free flight that is tried in a contact bursts: its forces grow from stage to stage beyond all bounds, and so do positions.
/// There pivots are weak, and what is excused as round-off near singular positions excused such steps of half-explicit methods.
#[test]
fn steps_that_burst_are_not_taken() {
    let m = load("benchmarks/E4_quick_return_clearance.toml", &[]);
    for (method, rtol) in [("hem5", 1e-7), ("hem5", 1e-6), ("phem56", 1e-6)] {
        let out = run(&m, |o| {
            with(method, rtol)(o);
            o.t_end = 0.12;
        });
        assert!(gained(&out) < 1e-3, "{method}: gains {} J", gained(&out));
    }
}
