//! Whatever acts in a window of the state is noticed, however narrow: zones, bumps, dead bands, windows in speed, with
//! every adaptive method and with events; and a law that holds the motion at its jump is reported by name.

use crate::support;

use delassus::model::Assembled;
use delassus::model::spec::SchemeType;
use delassus::sim::certify::{Plan, Unwatched, certify};
use delassus::sim::{RunOutcome, SimErrorKind, able_methods};
use support::{assembled, parsed, run, try_run};

/// A point of 1 kg that moves along x with a speed, under a force that reads `pos.x` and `v`.
fn point(speed: f64, force: &str, end: f64) -> Assembled {
    let text = format!(
        r#"schema = 1
[body.p]
type = "planar-point"
mass = 1
velocity = [{speed}, 0]
[force.f]
type = "force"
at = "p"
force = ["{force}", 0]
[sensor]
pos = {{ type = "position", of = "p" }}
v = {{ type = "velocity", of = "p", component = "x" }}
[analysis]
end = {end}
"#
    );
    assembled(&parsed(&text), &[])
}

/// A wheel of 0.3 kg m² with a rate, under a torque that reads `a` and `w`.
fn wheel(rate: f64, torque: &str, end: f64) -> Assembled {
    let text = format!(
        r#"schema = 1
[body.r]
type = "planar"
mass = 1
inertia = 0.3
rate = {rate}
[joint.h]
type = "revolute"
between = ["ground", "r"]
[force.f]
type = "torque"
at = "r"
torque = "{torque}"
[sensor]
a = {{ type = "joint", joint = "h" }}
w = {{ type = "joint-rate", joint = "h" }}
[analysis]
end = {end}
"#
    );
    assembled(&parsed(&text), &[])
}

fn last(out: &RunOutcome, name: &str) -> f64 {
    *out.results.get(name).unwrap().last().unwrap()
}

/// Every adaptive method ends with this value of a sensor, to some tolerances of its own.
fn all_methods(m: &Assembled, name: &str, want: f64, what: &str) {
    all_methods_to(m, name, want, what, 0.0);
}

/// The same, apart from a part of it that cannot be known.
fn all_methods_to(m: &Assembled, name: &str, want: f64, what: &str, unknown: f64) {
    for method in able_methods(&m.system).iter().filter(|m| m.adaptive) {
        let out = try_run(m, |o| {
            o.method = method.name.to_owned();
            o.max_steps = Some(200_000);
        });
        assert!(out.error.is_none(), "{what} {}: {:?}", method.name, out.error);
        let off = (last(&out, name) - want).abs() / want.abs();
        let limit = 500.0 * method.default_rtol + unknown;
        assert!(off < limit, "{what} {}: off by {off:.1e}, {limit:.1e} allowed", method.name);
    }
}

#[test]
fn a_zone_is_met_by_every_method() {
    // a millimetre, passed at 100 m/s within 10 µs: −1000 J
    let m = point(100.0, "if(pos.x > 5 && pos.x < 5.001, -1e6, 0)", 1.0);
    all_methods(&m, "v", 8000_f64.sqrt(), "millimetre");
    // a bump that is smooth: √π J times ten
    let m = point(10.0, "1e4*exp(-((pos.x - 1)/1e-3)^2)", 1.0);
    let work = 10.0 * std::f64::consts::PI.sqrt();
    all_methods(&m, "v", (100.0 + 2.0 * work).sqrt(), "gaussian");
    // a flat top with steep sides: −20 J
    let m =
        point(10.0, "-1e4*(step(pos.x, 1, 0, 1.001, 1) - step(pos.x, 1.002, 0, 1.003, 1))", 1.0);
    all_methods(&m, "v", 60_f64.sqrt(), "steps");
}

#[test]
fn windows_of_speed_and_of_two_things_at_once_are_met() {
    // four times the acceleration between 5 m/s and 5.01 m/s saves 7.5 ms
    let m = point(0.0, "1 + if(v > 5 && v < 5.01, 3, 0)", 10.0);
    all_methods(&m, "v", 10.0075, "speed");
    let m = point(10.0, "if(pos.x > 5 && pos.x < 6, 1, 0)*if(v > 5 && v < 20, -10, 0)", 2.0);
    all_methods(&m, "v", 80_f64.sqrt(), "product");
}

#[test]
fn a_bump_of_an_angle_is_met() {
    let m = wheel(1.0, "exp(-((a - 10.274)/0.5)^2)", 20.0);
    let work = 0.5 * std::f64::consts::PI.sqrt();
    all_methods(&m, "w", (1.0 + 2.0 * work / 0.3).sqrt(), "bump");
}

/// Windows that are met are certified; those who ask get the right answer.
/// A distance falls and rises again within a step of free flight: no polynomial through its ends shows that.
#[test]
fn bumpers_that_read_a_distance_are_not_flown_through() {
    let text = r#"schema = 1
body.a = { type = "planar-point", mass = 1, position = [-5, 0], velocity = [1, 0] }
body.b = { type = "planar-point", mass = 1, position = [5, 0], velocity = [-1, 0] }
force.bumper = { type = "spring", between = ["a", "b"], force = "-1e2*max(0.5 - length, 0)" }
sensor.v = { type = "velocity", of = "a", component = "x" }
analysis = { end = 20 }
"#;
    let m = assembled(&parsed(text), &[]);
    for method in able_methods(&m.system).iter().filter(|m| m.adaptive) {
        let out = run(&m, |o| o.method = method.name.to_owned());
        // tolerances are parts of the whole way, of which the bumper is a hundredth
        let (v, limit) = (last(&out, "v"), 1e4 * method.default_rtol);
        assert!((v + 1.0).abs() < limit.min(0.1), "{}: {v}", method.name);
    }
}

/// A marker on a body that turns evenly, by which no step is limited.
#[test]
fn windows_of_a_marker_that_turns_are_met() {
    let text = r#"schema = 1
ground.markers.rail = [0, 3]
body.rotor = { type = "planar", mass = 1, inertia = 1, rate = 1, markers = { tip = [1, 0] } }
body.mass = { type = "planar-point", mass = 1, position = [0, 3] }
joint.bearing = { type = "revolute", between = ["ground", "rotor"] }
joint.rail = { type = "point-on-line", between = ["ground.rail", "mass"] }
sensor.tip = { type = "position", of = "rotor.tip", component = "x" }
sensor.v = { type = "velocity", of = "mass", component = "x" }
force.push = { type = "force", at = "mass", force = ["if(tip < -0.999, 1, 0)", 0] }
analysis = { end = 20 }
"#;
    let out = run(&assembled(&parsed(text), &[]), |_| {});
    // three passes, at π, 3π and 5π
    let want = 6.0 * 0.999_f64.acos();
    assert!((last(&out, "v") - want).abs() < 1e-5 * want, "{} {want}", last(&out, "v"));
}

/// A law that jumps where the motion turns, once in each half swing, does not hold it there.
#[test]
fn weak_friction_by_sign_is_no_chatter() {
    let m = point(1.0, "-pos.x - 1e-4*sign(v)", 150.0);
    let out = run(&m, |_| {});
    // each half swing costs twice the offset: amplitude 1 − 2e-4 per half swing
    let swings = (150.0 / std::f64::consts::PI).floor();
    let x = last(&out, "pos.x").hypot(last(&out, "v"));
    assert!((x - (1.0 - 2e-4 * swings)).abs() < 3e-4, "{x}");
}

#[test]
fn what_is_certified_is_right() {
    let m = point(2.0, "if(pos.x > 5 && pos.x < 6, -1.5*v, 0)", 10.0);
    let mut plan = Plan::new(delassus::sim::RunOptions::from_model(m.system.model()));
    plan.jobs = 1;
    let made = certify(&m, &plan, &Unwatched).unwrap();
    assert!(made.certificate.certified, "{:?}", made.certificate.reason);
    assert!((last(&made.outcome, "v") - 0.5).abs() < 1e-6);
}

/// A law by pieces costs no order: the speed in the dead band is the same after every stroke.
#[test]
fn dead_bands_keep_the_energy() {
    let m = wheel(1.3, "if(abs(a) < 1, 0, -50*(a - sign(a)))", 20.0);
    all_methods(&m, "w", -1.3, "dead band");
    // springs of their own coordinate too
    let text = r#"schema = 1
[body.p]
type = "planar-point"
mass = 1
position = [1, 0]
velocity = [50, 0]
[joint.line]
type = "point-on-line"
between = ["ground", "p"]
axis = [1, 0]
[force.f]
type = "spring"
between = ["ground", "p"]
force = "if(length > 3 && length < 3.01, 1e4, 0)"
[sensor]
v = { type = "velocity", of = "p", component = "x" }
[analysis]
end = 1
"#;
    all_methods(&assembled(&parsed(text), &[]), "v", 2300_f64.sqrt(), "spring");
}

/// Events do not hide windows from each other.
#[test]
fn zones_between_bounces_are_met() {
    let text = r#"schema = 1
gravity = [0, -10]
[body.p]
type = "planar-point"
mass = 1
position = [0, 5]
[shape]
floor = { type = "half-plane", body = "ground" }
ball = { type = "point", body = "p" }
[contact.c]
between = ["floor", "ball"]
restitution = 1
[force.f]
type = "force"
at = "p"
force = [0, "if(pos.y > 1 && pos.y < 1.01, -100*sign(v), 0)"]
[sensor]
pos = { type = "position", of = "p" }
v = { type = "velocity", of = "p", component = "y" }
[analysis]
end = 1.9
"#;
    let m = assembled(&parsed(text), &[]);
    // twice through a zone that takes 1 J
    for scheme in [SchemeType::EventDriven, SchemeType::Hybrid] {
        let out = run(&m, |o| o.scheme = scheme);
        let energy = |row: usize| {
            ["energy.kinetic", "energy.potential"]
                .map(|n| out.results.get(n).unwrap()[row])
                .iter()
                .sum::<f64>()
        };
        let lost = energy(0) - energy(out.results.t.len() - 1);
        assert!((lost - 2.0).abs() < 1e-5, "{scheme:?}: {lost}");
    }
}

#[test]
fn friction_by_sign_is_told_by_name() {
    for torque in ["-0.5*sign(w)", "0.3 - 0.5*sign(w)", "if(w > 0, -0.5, 0.4)"] {
        let m = wheel(2.0, torque, 30.0);
        // the iterations of these fail at the jump, so that no step of theirs meets it
        let stuck = |m: &&delassus::dae::MethodInfo| ["ali3pvs", "newmark"].contains(&m.name);
        let able = able_methods(&m.system);
        for method in able.iter().filter(|m| m.adaptive && !stuck(m)) {
            let out = try_run(&m, |o| {
                o.method = method.name.to_owned();
                o.max_steps = Some(20_000);
            });
            let e = out.error.unwrap_or_else(|| panic!("{torque} {} went on", method.name));
            assert_eq!(e.kind, SimErrorKind::Chatter, "{torque} {}: {e}", method.name);
            assert!(e.detail.contains("\"f\"") && e.help.contains("dry-friction"), "{e}");
        }
    }
    // a jump that is passed, again and again, is not one of these
    let out = run(&point(1.0, "-sign(pos.x)", 20.0), |_| {});
    assert!((last(&out, "v").abs() - 1.0).abs() < 1e-4);
    let out = run(&point(1.0, "-1e4*pos.x - 0.3*v*abs(v)", 5.0), |_| {});
    assert!(out.summary.steps < 20_000);
}

#[test]
fn steps_of_given_length_tell_the_windows_that_they_missed() {
    let m = point(10.0, "if(pos.x > 1.002 && pos.x < 1.008, -1e3, 0)", 1.0);
    for method in ["rk4", "gen-alpha", "lin-euler"] {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.step = Some(1e-3);
        });
        let seen = out.summary.stepped_over.unwrap();
        assert!(seen.name.contains("\"f\"") && (seen.t - 0.101).abs() < 1e-9, "{seen:?}");
    }
    for force in ["-100*pos.x - v*abs(v)", "-100*max(pos.x - 0.1, 0)", "-20*tanh(v/5)"] {
        let out = run(&point(10.0, force, 1.0), |o| {
            o.method = "rk4".to_owned();
            o.step = Some(1e-3);
        });
        assert_eq!(out.summary.stepped_over, None, "{force}");
    }
}

/// What acts through the integral of a controller alone stays when the window is over.
#[test]
fn windows_of_targets_are_met_through_the_integral() {
    let controlled = |target: &str, gains: &str| {
        let text = format!(
            r#"schema = 1
[body.m]
type = "planar-point"
mass = 1
velocity = [0.1, 0]
[joint.g]
type = "point-on-line"
between = ["ground", "m"]
[force.a]
type = "actuator"
between = ["ground", "m"]
axis = [1, 0]
coordinate = "position"
target = "{target}"
{gains}
[sensor]
x = {{ type = "position", of = "m", component = "x" }}
v = {{ type = "velocity", of = "m", component = "x" }}
[analysis]
end = 20
"#
        );
        assembled(&parsed(&text), &[])
    };
    // at 0.1 m/s the window takes 1 µs: the integral is 0.01 m s from 10 s on, and accelerates by ki times that. The
    // shortest steps there are 1e-11 s.
    let m = controlled("x + if(x > 1 && x < 1 + 1e-7, 1e4, 0)", "ki = 1");
    all_methods_to(&m, "v", 0.2, "window of position", 1e-5);
    let m = controlled("x + if(t > 10 && t < 10 + 1e-6, 1e4, 0)", "ki = 1");
    all_methods_to(&m, "v", 0.2, "window of time", 1e-7);
    let m = controlled("x + if(x > 1 && x < 1 + 1e-5, 100, 0)", "ki = 0.1");
    // on the way through the window, for 0.1 ms, half of the force acts
    all_methods_to(&m, "v", 0.11 - 5e-8, "a weaker one", 1e-7);
}
