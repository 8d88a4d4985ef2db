//! The motion depends neither on the end of a run nor on how it is sampled: a short run is bitwise equal to the
//! beginning of a long one.

use crate::support;

use delassus::model::Assembled;
use delassus::model::spec::SchemeType;
use delassus::sim::{RunOptions, RunOutcome, able_methods};
use support::{load, try_run};

/// A run to an end with a sample interval; it may stop with an error of its own.
fn to(m: &Assembled, change: &dyn Fn(&mut RunOptions), t_end: f64, sample: f64) -> RunOutcome {
    try_run(m, |o| {
        change(o);
        o.t_end = t_end;
        o.sample = sample;
    })
}

/// Compares all columns at the times that both runs have.
fn same(a: &RunOutcome, b: &RunOutcome, what: &str) {
    let mut common = 0;
    for (i, t) in a.results.t.iter().enumerate() {
        let Some(k) = b.results.t.iter().position(|x| x == t) else { continue };
        common += 1;
        for (c, channel) in a.results.channels.iter().enumerate() {
            let (x, y) = (a.results.data[c][i], b.results.data[c][k]);
            assert!(
                x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
                "{what}: {} at {t} s is {x:e} or {y:e}",
                channel.name
            );
        }
    }
    assert!(common > 5, "{what}: {common} times in common");
    let end = a.summary.t_end.min(b.summary.t_end);
    let events = |r: &RunOutcome| -> Vec<u64> {
        r.events.iter().map(|e| e.t).filter(|t| *t <= end).map(f64::to_bits).collect()
    };
    assert_eq!(events(a), events(b), "{what}: events");
}

/// A short run, a long one, and one that is sampled otherwise.
fn check(m: &Assembled, change: &dyn Fn(&mut RunOptions), [short, long]: [f64; 2], what: &str) {
    let sample = short / 20.0;
    let a = to(m, change, long, sample);
    // the event-driven scheme alone does not pass accumulations
    let ends = |r: &RunOutcome| r.error.as_ref().is_none_or(|e| e.kind.code() == "E_ZENO");
    assert!(ends(&a), "{what}: {:?}", a.error);
    same(&to(m, change, short, sample), &a, &format!("{what}, end"));
    same(&to(m, change, long, sample / 4.0), &a, &format!("{what}, sample"));
}

#[test]
fn smooth_motion_with_every_method() {
    for (file, ends) in [
        ("pendulum.toml", [0.4, 0.9]),
        ("motor_pid.toml", [0.3, 0.6]),
        ("gyroscope.toml", [0.1, 0.2]),
    ] {
        let m = load(file, &[]);
        for method in able_methods(&m.system) {
            check(
                &m,
                &|o| o.method = method.name.to_owned(),
                ends,
                &format!("{file} {}", method.name),
            );
        }
    }
}

#[test]
fn fixed_steps() {
    let m = load("four_bar.toml", &[]);
    for method in able_methods(&m.system) {
        let change = |o: &mut RunOptions| {
            o.method = method.name.to_owned();
            o.step = Some(0.0007);
        };
        check(&m, &change, [0.1, 0.25], &format!("four_bar {}", method.name));
    }
}

/// The end, and all samples, are multiples of the step apart from rounding, in either direction.
#[test]
fn fixed_steps_that_meet_the_end() {
    for (file, step, ends) in [
        ("motor_pid.toml", 0.01, [0.29, 0.6]),
        ("motor_pid.toml", 0.007, [0.35, 0.77]),
        ("pendulum.toml", 0.001, [0.3, 0.7]),
    ] {
        let m = load(file, &[]);
        for method in able_methods(&m.system) {
            let change = |o: &mut RunOptions| {
                o.method = method.name.to_owned();
                o.step = Some(step);
            };
            for (short, sample) in [(ends[0], step), (ends[0] + step, 3.0 * step)] {
                let long = to(&m, &change, ends[1], sample);
                let what = format!("{file} {} {step} to {short}", method.name);
                same(&to(&m, &change, short, sample), &long, &what);
            }
        }
    }
    let m = load("box_on_incline.toml", &[]);
    for scheme in [SchemeType::Hybrid, SchemeType::EventDriven, SchemeType::TimeStepping] {
        let change = |o: &mut RunOptions| (o.scheme, o.step) = (scheme, Some(0.001));
        for short in [0.3, 0.301, 0.307] {
            let (a, b) = (to(&m, &change, short, 0.001), to(&m, &change, 0.7, 0.001));
            same(&a, &b, &format!("incline {} to {short}", scheme.name()));
        }
    }
}

/// Contacts that yield, left and sampled anywhere.
#[test]
fn compliant_contact_by_time_stepping() {
    for (file, step, ends) in [
        ("E5_compliant_laws", 5e-5, [2.1e-3, 5e-3]),
        ("E6_clearance_slider_crank", 5e-6, [7e-4, 2e-3]),
        ("E7_lugre", 2e-3, [0.3, 0.7]),
    ] {
        let m = load(&format!("benchmarks/{file}.toml"), &[]);
        for name in ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"] {
            let change = |o: &mut RunOptions| {
                o.method = name.to_owned();
                o.scheme = SchemeType::TimeStepping;
                o.step = Some(step);
            };
            check(&m, &change, ends, &format!("{file} {name}"));
        }
    }
}

/// A force that switches at the end of one run and in the middle of another.
#[test]
fn a_switch_at_the_end() {
    let text = r#"schema = 1
title = "a switch"
gravity = [0, 0]
[body.arm]
type = "planar"
mass = 1
inertia = 1
[joint.axle]
type = "revolute"
between = ["ground", "arm"]
[force.motor]
type = "torque"
at = "arm"
torque = "if(t < 0.3, 1, 5 - t)"
[sensor]
angle = { type = "joint", joint = "axle" }
torque = { type = "expression", value = "if(t < 0.3, 1, 5 - t)", unit = "" }
[analysis]
end = 1
sample = 0.1
"#;
    let m = support::assembled(&support::parsed(text), &[]);
    for method in able_methods(&m.system) {
        for step in [None, Some(0.01)] {
            let change = |o: &mut RunOptions| (o.method, o.step) = (method.name.to_owned(), step);
            let (a, b) = (to(&m, &change, 0.3, 0.02), to(&m, &change, 0.7, 0.02));
            same(&a, &b, &format!("switch {} {step:?}", method.name));
            assert_eq!(a.results.t.last(), Some(&0.3));
        }
    }
}

#[test]
fn contact_in_every_scheme() {
    for (file, ends) in [
        ("bouncing_ball.toml", [0.9, 2.0]),
        ("box_on_incline.toml", [0.3, 0.7]),
        ("geneva.toml", [0.2, 0.5]),
        ("newtons_cradle.toml", [0.3, 0.7]),
    ] {
        let m = load(file, &[]);
        for scheme in [SchemeType::Hybrid, SchemeType::EventDriven, SchemeType::TimeStepping] {
            check(&m, &|o| o.scheme = scheme, ends, &format!("{file} {}", scheme.name()));
        }
    }
    let m = load("box_on_incline.toml", &[]);
    for method in able_methods(&m.system) {
        check(
            &m,
            &|o| o.method = method.name.to_owned(),
            [0.3, 0.7],
            &format!("incline {}", method.name),
        );
    }
}

/// What is not defined beyond the end need not be.
#[test]
fn a_law_that_ends_with_the_run() {
    let text = r#"schema = 1
title = "a law that ends"
gravity = [0, 0]
[body.arm]
type = "planar"
mass = 1
inertia = 1
[joint.axle]
type = "revolute"
between = ["ground", "arm"]
[force.motor]
type = "torque"
at = "arm"
torque = "sqrt(1 - t)"
[sensor]
angle = { type = "joint", joint = "axle" }
[analysis]
end = 1
sample = 0.1
"#;
    let m = support::assembled(&support::parsed(text), &[]);
    for method in ["mdop5", "radau5", "gen-alpha"] {
        let out = support::run(&m, |o| o.method = method.to_owned());
        assert_eq!(out.results.t.last(), Some(&1.0));
        let angle = out.results.get("angle").unwrap().last().unwrap();
        // ∫∫ √(1 − t) = 2/3 − 4/15
        assert!((angle - 0.4).abs() < 1e-5, "{method}: {angle}");
    }
}
