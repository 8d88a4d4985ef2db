//! Contacts that joints already hold: a slide on its rail that also touches the floor, a drive that ends at a stop. No
//! force at such a contact moves anything, and round-off must not decide otherwise, whichever way the model is turned.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::{RunOptions, RunOutcome};
use support::{assembled, parsed, run, try_run};

const SCHEMES: [SchemeType; 3] =
    [SchemeType::EventDriven, SchemeType::Hybrid, SchemeType::TimeStepping];
const TURNS: [f64; 7] = [0.0, 0.1, 0.33, 0.7, 0.9, 1.5, 2.3];

fn set(o: &mut RunOptions, scheme: SchemeType) {
    o.scheme = scheme;
    if scheme == SchemeType::TimeStepping {
        o.method = "moreau-jean".to_owned();
        o.step = Some(1e-3);
    }
}

fn simulate(text: &str, scheme: SchemeType) -> RunOutcome {
    run(&assembled(&parsed(text), &[]), |o| set(o, scheme))
}

fn last(out: &RunOutcome, name: &str) -> f64 {
    *out.results.get(name).unwrap().last().unwrap()
}

/// A box on a rail between a floor and a ceiling that it just touches, all turned by an angle.
#[test]
fn a_slide_touches_what_it_slides_along() {
    for turn in TURNS {
        let (sin, cos) = turn.sin_cos();
        let at = |x: f64, y: f64| format!("[{}, {}]", cos * x - sin * y, sin * x + cos * y);
        let text = format!(
            "schema = 1\ngravity = {gravity}\n\
             ground.markers.rail = {{ position = {middle}, angle = {turn} }}\n\
             ground.markers.floor = {{ position = [0, 0], angle = {turn} }}\n\
             ground.markers.ceiling = {{ position = {top}, angle = {turned} }}\n\
             body.b = {{ type = 'planar', mass = 1, inertia = 0.01, position = {middle}, angle = {turn} }}\n\
             joint.p = {{ type = 'prismatic', between = ['ground.rail', 'b'] }}\n\
             shape.floor = {{ type = 'half-plane', body = 'ground.floor' }}\n\
             shape.ceiling = {{ type = 'half-plane', body = 'ground.ceiling' }}\n\
             shape.b = {{ type = 'profile', body = 'b', points = [[-0.15, -0.05], [0.15, -0.05], [0.15, 0.05], [-0.15, 0.05]] }}\n\
             contact.below = {{ between = ['b', 'floor'], friction = 0.3 }}\n\
             contact.above = {{ between = ['b', 'ceiling'] }}\n\
             sensor.x = {{ type = 'joint', joint = 'p' }}\n\
             analysis = {{ end = 1, sample = 0.1 }}\n",
            gravity = at(3.6, -9.0),
            middle = at(0.0, 0.05),
            top = at(0.0, 0.1),
            turned = turn + std::f64::consts::PI,
        );
        for scheme in SCHEMES {
            let out = simulate(&text, scheme);
            let x = last(&out, "x");
            assert!((x - 1.8).abs() < 1e-9, "{scheme:?}, turned by {turn}: {x}");
            // the omission of its friction is reported, for the contact that has some
            let told = &out.summary.contact.as_ref().unwrap().held_by_joints;
            assert_eq!(told.contacts, ["below"], "{scheme:?}, turned by {turn}");
        }
    }
}

/// A machine of 100 t stands on light feet that are fixed to it: what a force does to it is 1e-12 of what it would do to a foot
/// alone, and no joint holds it.
#[test]
fn a_heavy_machine_stands_on_light_feet() {
    let foot = |name: &str, x: f64| {
        format!(
            "body.{name} = {{ type = 'planar', mass = 1e-3, inertia = 1e-9, position = [{x}, 0.3] }}\n\
             joint.{name} = {{ type = 'fixed', between = ['machine.{name}', '{name}'] }}\n\
             shape.{name} = {{ type = 'point', body = '{name}', at = [0.02, -0.1] }}\n\
             contact.{name} = {{ between = ['{name}', 'floor'], friction = 0.4 }}\n"
        )
    };
    let text = format!(
        "schema = 1\ngravity = [0, -9.81]\n\
         body.machine = {{ type = 'planar', mass = 1e5, inertia = 1e4, position = [0, 0.6], markers = {{ l = [-0.3, -0.3], r = [0.3, -0.3] }} }}\n\
         shape.floor = {{ type = 'half-plane', body = 'ground' }}\n{}{}\
         sensor.y = {{ type = 'position', of = 'machine', component = 'y' }}\n\
         analysis = {{ end = 0.6, sample = 0.1 }}\n",
        foot("l", -0.3),
        foot("r", 0.3)
    );
    for scheme in SCHEMES {
        let out = simulate(&text, scheme);
        let y = last(&out, "y");
        assert!((y - 0.4).abs() < 1e-9, "{scheme:?}: {y}");
        assert_eq!(out.summary.contact.as_ref().unwrap().held_by_joints.count, 0, "{scheme:?}");
    }
}

fn driven(turn: f64, motion: &str) -> String {
    format!(
        "schema = 1\ngravity = [0.9, -9.8]\n\
         ground.markers.rail = {{ position = [0, 0], angle = {turn} }}\n\
         body.b = {{ type = 'planar', mass = 1, inertia = 1, position = [0, 0], angle = {turn} }}\n\
         joint.p = {{ type = 'prismatic', between = ['ground.rail', 'b'] }}\n\
         joint.m = {{ type = 'motion', joint = 'p', value = '{motion}' }}\n\
         contact.stop = {{ type = 'limit', joint = 'p', lower = 0, upper = 0.5 }}\n\
         sensor.x = {{ type = 'joint', joint = 'p' }}\n\
         analysis = {{ end = 1.2, sample = 0.1 }}\n"
    )
}

#[test]
fn a_drive_goes_from_stop_to_stop() {
    for turn in TURNS {
        let text = driven(turn, "step(t, 0.2, 0, 0.8, 0.5)");
        for scheme in [SchemeType::Hybrid, SchemeType::TimeStepping] {
            let x = last(&simulate(&text, scheme), "x");
            assert!((x - 0.5).abs() < 1e-9, "{scheme:?}, turned by {turn}: {x}");
        }
    }
}

/// What nothing can stop ends the run by name.
#[test]
fn a_drive_does_not_go_through_a_stop() {
    let m = assembled(&parsed(&driven(0.1, "0.7*t")), &[]);
    for scheme in SCHEMES {
        let out = try_run(&m, |o| set(o, scheme));
        let failed = out.error.unwrap();
        assert_eq!(failed.kind.code(), "E_PAINLEVE", "{scheme:?}");
        assert!((failed.t - 0.5 / 0.7).abs() < 2e-3, "{scheme:?}: {failed}");
    }
}
