//! Angles of joints count their turns: with every method, with fixed and adaptive steps, between bodies of any kind,
//! and they start on the turn that the convention prescribes.

use crate::support;

use delassus::model::Assembled;
use delassus::model::spec::SchemeType;
use delassus::sim::able_methods;
use std::f64::consts::{PI, TAU};
use support::{assembled, parsed, run, try_run};

fn model(bodies: &str, joints: &str, more: &str, end: f64, sample: f64) -> Assembled {
    let text = format!(
        "schema = 1\ntitle = \"turns\"\n{bodies}\n[joint]\n{joints}\n{more}\n[sensor]\n\
         a = {{ type = \"joint\", joint = \"axle\" }}\n[analysis]\nend = {end}\nsample = {sample}\n"
    );
    assembled(&parsed(&text), &[])
}

fn wheel(name: &str, spatial: bool, more: &str) -> String {
    let (kind, inertia) = if spatial { ("rigid", "[1, 1, 1]") } else { ("planar", "1") };
    format!("[body.{name}]\ntype = \"{kind}\"\nmass = 1\ninertia = {inertia}\n{more}\n")
}

const AXLE: &str = "axle = { type = \"revolute\", between = [\"ground\", \"w\"] }";

/// Runs all methods that can, adaptive ones with both kinds of steps, and compares the angle with a
/// function of time.
fn follows(m: &Assembled, what: &str, step: f64, tolerance: f64, angle: impl Fn(f64) -> f64) {
    for method in able_methods(&m.system) {
        for step in [None, Some(step)] {
            if step.is_none() && !method.adaptive {
                continue;
            }
            let out = try_run(m, |o| {
                o.method = method.name.to_owned();
                o.step = step;
                o.max_steps = Some(100_000);
            });
            let case = format!("{what} {} {step:?}", method.name);
            assert!(out.error.is_none(), "{case}: {:?}", out.error);
            for (t, a) in out.results.t.iter().zip(out.results.get("a").unwrap()) {
                let want = angle(*t);
                assert!((a - want).abs() < tolerance, "{case}: {a} instead of {want} at {t} s");
            }
        }
    }
}

/// A driven hinge in space starts from rest: nothing says at the start of a step how far it turns.
#[test]
fn a_driven_joint_that_speeds_up() {
    for (spatial, value, angle) in [
        (true, "3*t^3", (|t: f64| 3.0 * t.powi(3)) as fn(f64) -> f64),
        (true, "-5*t^2", |t| -5.0 * t * t),
        (false, "3*t^3", |t| 3.0 * t.powi(3)),
    ] {
        let drive = format!(
            "{AXLE}\ndrive = {{ type = \"motion\", joint = \"axle\", value = \"{value}\" }}"
        );
        let m = model(&wheel("w", spatial, ""), &drive, "", 2.4, 0.3);
        follows(&m, value, 0.05, 0.05, angle);
    }
}

/// Samples much coarser than a turn, and steps that would turn by many of them.
#[test]
fn fast_rotors_seen_rarely() {
    let m = model(&wheel("w", true, "rate = [0, 0, -1e3]"), AXLE, "", 0.5, 0.1);
    follows(&m, "fast", 0.02, 1e-6, |t| -1e3 * t);
}

/// Two bodies that turn against each other: each by less than half a turn, the joint by more.
#[test]
fn the_relative_turn_counts() {
    for first in [true, false] {
        let rate = if first { "rate = [0, 0, 50]" } else { "rate = 50" };
        let bodies = wheel("w", first, rate) + &wheel("u", true, "rate = [0, 0, -50]");
        let joints = "hub = { type = \"revolute\", between = [\"ground\", \"w\"] }\n\
                      axle = { type = \"revolute\", between = [\"w\", \"u\"] }";
        let m = model(&bodies, joints, "", 1.0, 0.2);
        follows(&m, if first { "rigid" } else { "planar" }, 0.03, 1e-6, |t| -100.0 * t);
    }
}

/// What forces and constraints read is counted in the same way.
#[test]
fn springs_and_gears_see_the_turns() {
    let spring = "[force.spring]\ntype = \"torsion\"\njoint = \"axle\"\nstiffness = 1";
    let m = model(&wheel("w", true, "rate = [0, 0, 20]"), AXLE, spring, 1.5, 0.1);
    // the first-order method apart
    for method in able_methods(&m.system).iter().filter(|m| m.order[0] > 1) {
        let out = run(&m, |o| o.method = method.name.to_owned());
        for (t, a) in out.results.t.iter().zip(out.results.get("a").unwrap()) {
            assert!((a - 20.0 * t.sin()).abs() < 2e-2, "{} at {t}: {a}", method.name);
        }
    }
    let bodies = wheel("u", true, "") + &wheel("w", true, "position = [1, 0, 0]");
    let joints = "hub = { type = \"revolute\", between = [\"ground\", \"u\"] }\n\
                  axle = { type = \"revolute\", between = [\"ground.side\", \"w\"] }\n\
                  gear = { type = \"gear\", joints = [\"hub\", \"axle\"], ratio = -2 }\n\
                  drive = { type = \"motion\", joint = \"hub\", value = \"-20*t^2\" }";
    let m = model(&bodies, joints, "[ground]\nmarkers = { side = [1, 0, 0] }", 2.0, 0.4);
    follows(&m, "gear", 0.02, 0.05, |t| 10.0 * t * t);
}

/// Time-stepping follows a rotor over many turns in each step.
#[test]
fn time_stepping_counts_turns() {
    let far = "[body.p]\ntype = \"point\"\nmass = 1\nposition = [3, 0, 0]\n\
               [contact.rope]\ntype = \"rope\"\nbetween = [\"ground\", \"p\"]\nlength = 1e3";
    let m = model(&wheel("w", true, "rate = [0, 0, 1e3]"), AXLE, far, 0.5, 0.1);
    for scheme in SchemeType::ALL {
        let out = run(&m, |o| {
            o.scheme = scheme;
            o.step = Some(0.01);
        });
        for (t, a) in out.results.t.iter().zip(out.results.get("a").unwrap()) {
            assert!((a - 1e3 * t).abs() < 1e-6, "{scheme:?} at {t}: {a}");
        }
    }
}

/// A body without a joint has no counter: its angle is continued from step to step, so time-stepping must not turn it
/// further than tells the way. The orientation inside such a step is right as well.
#[test]
fn time_stepping_follows_the_angle_of_a_free_body() {
    let (rate, step) = (2e3, 5e-3);
    let text = format!(
        "schema = 1\ngravity = [0, 0, -9.81]\n[body.b]\ntype = \"rigid\"\nmass = 1\n\
         inertia = [1e-3, 1e-3, 1e-3]\nposition = [0, 0, 0.1]\nrate = [0, 0, {rate}]\n\
         [shape]\nb = {{ type = \"sphere\", body = \"b\", radius = 0.1 }}\n\
         f = {{ type = \"half-space\", body = \"ground\" }}\n[contact.c]\nbetween = [\"b\", \"f\"]\n\
         [sensor]\na = {{ type = \"angle\", of = \"b\" }}\no = {{ type = \"orientation\", of = \"b\" }}\n\
         [analysis]\nend = 0.3\nsample = {}\n",
        1.5 * step
    );
    let m = assembled(&parsed(&text), &[]);
    for method in ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"] {
        let out = run(&m, |o| {
            o.scheme = SchemeType::TimeStepping;
            o.method = method.to_owned();
            o.step = Some(step);
        });
        let column = |name: &str| out.results.get(name).unwrap().to_vec();
        for ((t, a), w) in out.results.t.iter().zip(column("a")).zip(column("o.w")) {
            assert!((a - rate * t).abs() < 1e-6, "{method} at {t}: {a}");
            assert!((w - (0.5 * rate * t).cos().abs()).abs() < 1e-6, "{method} at {t}: {w}");
        }
    }
}

/// The start value of the angle for a body and two markers turned by these angles.
fn start(spatial: bool, [body, a, b]: [f64; 3], more: &str) -> f64 {
    let place = |x: f64| {
        if spatial {
            format!("{{ position = [0, 0, 0], orientation = {{ axis = [0, 0, 1], angle = {x} }} }}")
        } else {
            format!("{{ position = [0, 0], angle = {x} }}")
        }
    };
    let own = if spatial {
        format!("orientation = {{ axis = [0, 0, 1], angle = {body} }}")
    } else {
        format!("angle = {body}")
    };
    let bodies = wheel("w", spatial, &format!("{own}\nmarkers = {{ m = {} }}", place(b)))
        + &format!("[ground]\nmarkers = {{ g = {} }}\n", place(a));
    let axle = "axle = { type = \"revolute\", between = [\"ground.g\", \"w.m\"] }";
    let m = model(&bodies, &format!("{axle}\n{more}"), "", 0.01, 0.01);
    run(&m, |_| {}).results.get("a").unwrap()[0]
}

#[test]
fn angles_start_at_their_principal_value_however_they_add_up() {
    let mut x = 0.123_f64;
    let mut next = || {
        x = (x * 997.0 + 0.7919).fract();
        30.0 * (x - 0.5)
    };
    for _ in 0..20 {
        let angles = [next(), next(), next()];
        let sum = angles[0] - angles[1] + angles[2];
        let want = sum - TAU * (sum / TAU).round();
        for spatial in [false, true] {
            let a = start(spatial, angles, "");
            assert!((a - want).abs() < 1e-10, "{angles:?} {spatial}: {a} instead of {want}");
        }
    }
    // half a turn is positive, whatever rounding says
    for angles in [[PI, 0.0, 0.0], [-PI, 0.0, 0.0], [2.0, 1.0 - PI, -1.0], [0.0, PI, 0.0]] {
        for spatial in [false, true] {
            let a = start(spatial, angles, "");
            assert!((a - PI).abs() < 1e-8, "{angles:?} {spatial}: {a}");
        }
    }
}

#[test]
fn a_motion_says_on_which_turn_the_angle_starts() {
    for (angle, value) in [(4.0, 4.0), (4.0, 4.0 - TAU), (4.0, 4.0 + 5.0 * TAU), (-1.0, TAU - 1.0)]
    {
        for spatial in [false, true] {
            let drive = format!(
                "drive = {{ type = \"motion\", joint = \"axle\", value = \"{value} + t\" }}"
            );
            let a = start(spatial, [angle, 0.0, 0.0], &drive);
            assert!((a - value).abs() < 1e-9, "{value} {spatial}: {a}");
        }
    }
}

#[test]
fn stops_say_on_which_turn_the_angle_starts() {
    for spatial in [false, true] {
        let stops = "[contact.stops]\ntype = \"limit\"\njoint = \"axle\"\nlower = 3\nupper = 5";
        let a = start(spatial, [4.0, 0.0, 0.0], stops);
        assert!((a - 4.0).abs() < 1e-9, "{spatial}: {a}");
    }
}
