//! Parts that are held by friction alone, where points and joints share loads in many ways: what sticks does not slide,
//! and what slides could not be held.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use delassus::sim::{RunOutcome, Status};
use support::{assembled, load, parsed, run, try_run};

const SCHEMES: [SchemeType; 2] = [SchemeType::EventDriven, SchemeType::Hybrid];

/// A jaw on a hand that is pressed on a part which stands on a table; the hand is lifted by 0.1 m later.
/// Everything is turned by `phi`.
struct Jaw {
    phi: f64,
    mass: f64,
    guides: usize,
    table_first: bool,
    servo: bool,
}

impl Jaw {
    const PLAIN: Jaw = Jaw { phi: 0.0, mass: 1.0, guides: 1, table_first: false, servo: false };

    fn text(&self) -> String {
        let (s, c) = self.phi.sin_cos();
        let r = |x: f64, y: f64| format!("[{:?}, {:?}]", c * x - s * y, s * x + c * y);
        let mut text = format!("schema = 1\ngravity = {}\n", r(0.0, -9.81));
        let mut add = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        add(format!("ground.markers = {{ left = {}, right = {} }}", r(-0.1, 0.0), r(0.05, 0.0)));
        for (name, mass, x, y) in
            [("hand", 1.0, -0.1, 0.5), ("jaw", 1.0, 0.0, 0.5), ("part", self.mass, 0.05, 0.0)]
        {
            let at = r(x, y);
            add(format!(
                "body.{name} = {{ type = 'planar', mass = {mass}, inertia = 1, position = {at} }}"
            ));
        }
        let up = r(0.0, 1.0);
        let rail = |a: &str, b: &str, axis: &str| {
            format!("{{ type = 'prismatic', between = ['{a}', '{b}'], axis = {axis} }}")
        };
        add(format!("joint.lift = {}", rail("ground.left", "hand", &up)));
        let value = "0.5 m + 0.1 m*step(t, 0.5, 0, 1.5, 1)";
        add(match self.servo {
            true => format!(
                "force.move = {{ type = 'actuator', joint = 'lift', target = '{value}', kp = 1e5, kd = 1e3 }}"
            ),
            false => {
                format!("joint.move = {{ type = 'motion', joint = 'lift', value = '{value}' }}")
            }
        });
        add(format!("joint.press = {}", rail("hand", "jaw", &r(1.0, 0.0))));
        for k in 0..self.guides {
            add(format!("joint.guide{k} = {}", rail("ground.right", "part", &up)));
        }
        let press = r(100.0, 0.0);
        add(format!("force.press = {{ type = 'force', at = 'jaw', force = {press} }}"));
        add("shape.jaw = { type = 'point', body = 'jaw' }".to_owned());
        let (at, normal) = (r(-0.05, 0.0), r(-1.0, 0.0));
        add(format!(
            "shape.part = {{ type = 'half-plane', body = 'part', at = {at}, normal = {normal} }}"
        ));
        add("shape.foot = { type = 'point', body = 'part' }".to_owned());
        add(format!("shape.table = {{ type = 'half-plane', body = 'ground', normal = {up} }}"));
        let mut contacts = [
            "contact.grip = { between = ['jaw', 'part'], friction = 0.3 }",
            "contact.rest = { between = ['foot', 'table'] }",
        ];
        if self.table_first {
            contacts.reverse();
        }
        for c in contacts {
            add(c.to_owned());
        }
        add("sensor.part = { type = 'position', of = 'part' }".to_owned());
        add("analysis = { end = 2 }".to_owned());
        text
    }

    /// Height of the part at the end, and the run.
    fn lifted(&self, scheme: SchemeType) -> (f64, RunOutcome) {
        let m = assembled(&parsed(&self.text()), &[]);
        let out = run(&m, |o| o.scheme = scheme);
        let last = |name: &str| *out.results.get(name).unwrap().last().unwrap();
        let (s, c) = self.phi.sin_cos();
        (c * last("part.y") - s * last("part.x"), out)
    }
}

#[test]
fn a_part_on_a_table_is_lifted_by_friction() {
    let cases = [
        Jaw::PLAIN,
        Jaw { phi: 0.7, ..Jaw::PLAIN },
        Jaw { guides: 3, phi: 1.1, ..Jaw::PLAIN },
        Jaw { table_first: true, ..Jaw::PLAIN },
        // close to what 100 N can hold: 2.88 kg times (g + 0.6 m/s²) is 29.98 N of 30
        Jaw { mass: 2.88, phi: 2.0, ..Jaw::PLAIN },
    ];
    for jaw in cases {
        for scheme in SCHEMES {
            let (height, out) = jaw.lifted(scheme);
            assert!((height - 0.1).abs() < 1e-7, "{scheme:?} {}: {height}", jaw.phi);
            let kinds: Vec<EventKind> = out.events.iter().map(|e| e.kind).collect();
            assert_eq!(kinds, [EventKind::Close, EventKind::Close, EventKind::Release]);
            // the table lets go when the hand starts, and friction bears the weight from then on
            assert!((out.events[2].t - 0.5).abs() < 1e-6, "{}", out.events[2].t);
            let friction = *out.results.get("grip.tangential").unwrap().last().unwrap();
            assert!((friction - 9.81 * jaw.mass).abs() < 1e-6, "{friction}");
        }
    }
}

#[test]
fn a_servo_lifts_as_a_motion_does() {
    for scheme in SCHEMES {
        let (height, _) = Jaw { servo: true, phi: 0.4, ..Jaw::PLAIN }.lifted(scheme);
        // the weight of three bodies stretches a stiffness of 1e5 N/m
        assert!((height - 0.1 + 29.43e-5).abs() < 1e-5, "{scheme:?}: {height}");
    }
}

#[test]
fn what_is_too_heavy_stays_and_is_told_to_slide() {
    for scheme in SCHEMES {
        let (height, out) = Jaw { mass: 4.0, phi: 0.3, ..Jaw::PLAIN }.lifted(scheme);
        assert!(height.abs() < 1e-9, "{scheme:?}: {height}");
        let slip = out.events.iter().find(|e| e.kind == EventKind::Slip).unwrap();
        assert!(slip.contact == "grip" && (slip.t - 0.5).abs() < 1e-6, "{slip:?}");
    }
}

/// The corners of two jaws share the load in many ways; none of them may be taken as a hinge.
#[test]
fn box_jaws_hold_a_box_level() {
    for scheme in SCHEMES {
        let m = load("gripper.toml", &[("gap", "0")]);
        let out = run(&m, |o| o.scheme = scheme);
        let last = |name: &str| *out.results.get(name).unwrap().last().unwrap();
        assert_eq!(out.summary.status, Status::Done);
        for (name, want) in [("box.x", 0.0), ("box.y", 0.0), ("box.z", 0.23)] {
            assert!((last(name) - want).abs() < 1e-8, "{scheme:?} {name}: {}", last(name));
        }
        assert!(out.events.iter().all(|e| e.kind != EventKind::Slip), "{:?}", out.events);
    }
}

#[test]
fn the_gripper_closes_and_lifts() {
    let out = run(&load("gripper.toml", &[]), |_| {});
    let last = |name: &str| *out.results.get(name).unwrap().last().unwrap();
    for (name, want) in [("box.x", 0.0), ("box.y", 0.0), ("box.z", 0.23)] {
        assert!((last(name) - want).abs() < 1e-6, "{name}: {}", last(name));
    }
    // with little friction the box stays where it is
    let out = try_run(&load("gripper.toml", &[("mu", "0.1")]), |_| {});
    let z = *out.results.get("box.z").unwrap().last().unwrap();
    assert!(out.error.is_none() && (z - 0.13).abs() < 1e-6, "{z} {:?}", out.error);
}

/// Three round fingers around a cylinder.
#[test]
fn three_fingers_hold_a_cylinder() {
    let mut text = String::from(
        "schema = 1\ngravity = [0, 0, -9.81]\n\
         body.hand = { type = 'rigid', mass = 1, inertia = [0.01, 0.01, 0.01], position = [0, 0, 0.3], markers = { rail = [0, 0, -0.17] } }\n\
         body.part = { type = 'rigid', mass = 0.5, inertia = [5e-4, 5e-4, 5e-4], position = [0, 0, 0.13] }\n\
         joint.lift = { type = 'prismatic', between = ['ground', 'hand'], axis = [0, 0, 1] }\n\
         joint.move = { type = 'motion', joint = 'lift', value = '0.3 m + 0.1 m*step(t, 0.3, 0, 1, 1)' }\n\
         shape.part = { type = 'cylinder', body = 'part', radius = 0.03, length = 0.06 }\n\
         shape.floor = { type = 'half-space', body = 'ground', at = [0, 0, 0.1] }\n\
         contact.grip = { between = ['part', ['f0', 'f1', 'f2']], friction = 0.5 }\n\
         contact.rest = { between = ['part', 'floor'], friction = 0.4 }\n\
         sensor.part = { type = 'position', of = 'part' }\nanalysis = { end = 1.5 }\n",
    );
    for k in 0..3 {
        let (s, c) = (f64::from(k) * std::f64::consts::TAU / 3.0).sin_cos();
        text += &format!(
            "body.f{k} = {{ type = 'rigid', mass = 0.2, inertia = [1e-4, 1e-4, 1e-4], position = [{:?}, {:?}, 0.13] }}\n\
             joint.j{k} = {{ type = 'prismatic', between = ['hand.rail', 'f{k}'], axis = [{c:?}, {s:?}, 0] }}\n\
             force.p{k} = {{ type = 'force', at = 'f{k}', force = [{:?}, {:?}, 0] }}\n\
             shape.f{k} = {{ type = 'sphere', body = 'f{k}', radius = 0.01 }}\n",
            0.04 * c,
            0.04 * s,
            -20.0 * c,
            -20.0 * s
        );
    }
    let out = run(&assembled(&parsed(&text), &[]), |o| o.scheme = SchemeType::EventDriven);
    let last = |name: &str| *out.results.get(name).unwrap().last().unwrap();
    for (name, want) in [("part.x", 0.0), ("part.y", 0.0), ("part.z", 0.23)] {
        assert!((last(name) - want).abs() < 1e-8, "{name}: {}", last(name));
    }
}

/// Corners of jaws share their load evenly in time-stepping too: the part hangs straight between them.
#[test]
fn time_stepping_holds_a_box_between_flat_jaws() {
    let m = load("gripper.toml", &[]);
    for step in [5e-3, 2e-3] {
        let out = run(&m, |o| {
            o.scheme = SchemeType::TimeStepping;
            o.step = Some(step);
        });
        let last = |name: &str| *out.results.get(name).unwrap().last().unwrap();
        let place = ["box.x", "box.y", "box.z"].map(last);
        println!("{step}: {place:?}");
        assert!(place[0].abs() < 1e-9 && place[1].abs() < 1e-9, "{step}: {place:?}");
        assert!((place[2] - 0.23).abs() < 1e-4, "{step}: {place:?}");
    }
}

/// Flat jaws that hold a box off its centre, with too little friction to lift it: it slides and turns between them. Where
/// it is then does not depend on the scheme.
#[test]
fn a_box_slips_and_turns_between_jaws_that_hold_it_off_centre() {
    let mut text = String::from(
        "schema = 1\ngravity = [0, 0, -9.81]\n\
         ground.markers = { h = [0, 0, 0.5] }\n\
         body.hand = { type = 'rigid', mass = 2, inertia = [0.01, 0.01, 0.01], position = [0, 0, 0.5], markers = { rail = [0, 0, -0.4] } }\n\
         joint.column = { type = 'prismatic', between = ['ground.h', 'hand'], axis = [0, 0, 1] }\n\
         joint.lift = { type = 'motion', joint = 'column', value = 'if(t < 0.1, 0, 0.5*(t - 0.1)^2)' }\n\
         body.p = { type = 'rigid', mass = 0.5, inertia = [8e-4, 8e-4, 8e-4], position = [0, 0.01, 0.1] }\n\
         shape.p = { type = 'box', body = 'p', size = [0.1, 0.1, 0.1] }\n\
         shape.floor = { type = 'half-space', body = 'ground', at = [0, 0, 0.05], normal = [0, 0, 1] }\n\
         contact.rest = { between = ['p', 'floor'], friction = 0.3 }\n\
         contact.grip = { between = ['p', ['l', 'r']], friction = 0.13 }\n\
         sensor.p = { type = 'position', of = 'p' }\nanalysis = { end = 0.4, sample = 0.01 }\n",
    );
    for (name, side) in [("l", -1.0), ("r", 1.0)] {
        text += &format!(
            "body.{name} = {{ type = 'rigid', mass = 0.2, inertia = [5e-5, 3e-5, 3e-5], position = [{:?}, 0, 0.1] }}\n\
             joint.{name} = {{ type = 'prismatic', between = ['hand.rail', '{name}'], axis = [1, 0, 0] }}\n\
             force.{name} = {{ type = 'force', at = '{name}', force = [{:?}, 0, 0] }}\n\
             shape.{name} = {{ type = 'box', body = '{name}', size = [0.02, 0.04, 0.04] }}\n",
            0.061 * side,
            -20.0 * side
        );
    }
    let m = assembled(&parsed(&text), &[]);
    let place = |out: &RunOutcome| {
        ["p.x", "p.y", "p.z"].map(|name| *out.results.get(name).unwrap().last().unwrap())
    };
    let steps = run(&m, |o| {
        o.scheme = SchemeType::TimeStepping;
        o.step = Some(2e-4);
    });
    for scheme in SCHEMES {
        let out = run(&m, |o| o.scheme = scheme);
        let (a, b) = (place(&out), place(&steps));
        println!("{scheme:?}: {a:?}, by steps {b:?}");
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4), "{scheme:?}: {a:?} {b:?}");
        assert!(a[1] < 0.0085, "it turns: {a:?}");
    }
}

/// A ball that rests on a plate with friction, and nothing that would make it slide: it leaves where the plate slows
/// down faster than it falls.
#[test]
fn a_ball_leaves_a_plate_that_slows_down() {
    let text = "schema = 1\ngravity = [0, -9.81]\n\
         body.plate = { type = 'planar', mass = 1, inertia = 0.1 }\n\
         body.ball = { type = 'planar', mass = 1.4, inertia = 0.003, position = [0.1, 0.07] }\n\
         joint.guide = { type = 'prismatic', between = ['ground', 'plate'], axis = [0, 1] }\n\
         joint.drive = { type = 'motion', joint = 'guide', value = 'step(t, 0.37, 0, 0.42, 0.15)' }\n\
         shape.top = { type = 'half-plane', body = 'plate' }\n\
         shape.skin = { type = 'circle', radius = 0.07, body = 'ball' }\n\
         contact.hit = { between = ['skin', 'top'], restitution = 0.8, friction = 0.3 }\n\
         sensor.y = { type = 'position', of = 'ball', component = 'y' }\n\
         analysis = { end = 0.6, sample = 0.025 }\n";
    let out = run(&assembled(&parsed(text), &[]), |o| o.scheme = SchemeType::EventDriven);
    let kinds: Vec<EventKind> = out.events.iter().map(|e| e.kind).collect();
    assert!(kinds.contains(&EventKind::Release), "{kinds:?}");
    assert!(*out.results.get("y").unwrap().last().unwrap() > 0.25);
}
