//! Play in space: balls in sockets, and journals of finite length that may tilt, against closed forms and twins in the
//! plane.

use crate::support;

use delassus::math::max_difference;
use delassus::sim::RunOutcome;
use delassus::sim::contact::EventKind;
use support::{assembled, parsed, run};

fn ran(text: &str) -> RunOutcome {
    run(&assembled(&parsed(text), &[]), |_| {})
}

/// A pendulum about z, in the plane or in space.
pub(crate) fn pendulum(space: bool, joint: &str) -> String {
    let body = match space {
        false => "type = 'planar'\nmass = 2\ninertia = 0.01\ncom = [0.3, 0]\n",
        true => "type = 'rigid'\nmass = 2\ninertia = [0.02, 0.03, 0.01]\ncom = [0.3, 0, 0]\n",
    };
    let gravity = if space { "[0, -9.81, 0]" } else { "[0, -9.81]" };
    format!(
        "schema = 1\ngravity = {gravity}\n[body.b]\n{body}\
         [joint.pin]\ntype = 'revolute'\nbetween = ['ground', 'b']\nclearance = '0.5 mm'\nradius = '10 mm'\n{joint}\
         [sensor.e]\ntype = 'eccentricity'\njoint = 'pin'\n[sensor.p]\ntype = 'joint'\njoint = 'pin'\n\
         [analysis]\nend = 0.1\nsample = 0.001\n[method]\nrtol = 1e-9\n"
    )
}

/// What is alike at both ends of its journal moves as in the plane: each end carries half.
#[test]
fn a_shaft_that_is_not_askew_moves_as_in_the_plane() {
    let half =
        |k: f64| format!("law = 'lankarani-nikravesh'\nstiffness = {k:e}\nrestitution = 0.5\n");
    let rigid = |mu: f64| format!("restitution = 0.4\nfriction = {mu}\n");
    let cases = [
        (half(1e9), half(0.5e9), 1e-8),
        (rigid(0.0), rigid(0.0), 1e-8),
        (rigid(0.2), rigid(0.2), 1e-7),
    ];
    for (flat, ends, limit) in cases {
        let flat = ran(&pendulum(false, &flat));
        let shaft = ran(&pendulum(true, &format!("length = '40 mm'\n{ends}")));
        for name in ["e.x", "e.y", "e.size", "p"] {
            let off =
                max_difference(flat.results.get(name).unwrap(), shaft.results.get(name).unwrap());
            assert!(off < limit, "{ends}: {name} {off}");
        }
    }
}

/// A rotor whose weight is off its bearing tilts: one end of the journal rests at the bottom, the other is pressed up.
#[test]
fn a_shaft_leans_as_far_as_both_ends_allow() {
    for (word, depth) in [
        ("restitution = 0\n", 1e-9),
        ("law = 'lankarani-nikravesh'\nmaterial = 'steel'\nrestitution = 0.1\n", 2e-6),
    ] {
        // the axis is x, and the weight is 0.1 m in front of the middle
        let text = format!(
            "schema = 1\ngravity = [0, 0, -9.81]\n[material.steel]\nyoung = '207 GPa'\npoisson = 0.3\n\
             [body.b]\ntype = 'rigid'\nmass = 1\ninertia = [0.001, 0.01, 0.01]\ncom = [0.1, 0, 0]\n\
             [joint.pin]\ntype = 'revolute'\nbetween = ['ground', 'b']\naxis = [1, 0, 0]\n\
             clearance = '0.5 mm'\nradius = '10 mm'\nlength = '40 mm'\n{word}\
             [sensor.n]\ntype = 'orientation'\nof = 'b'\n[sensor.e]\ntype = 'eccentricity'\njoint = 'pin'\n\
             [analysis]\nend = 0.5\n[method]\nname = 'radau5'\n"
        );
        let out = ran(&text);
        // about y: the front goes down by the clearance, the rear up
        let tilt = 2.0 * out.results.get("n.y").unwrap().last().unwrap().asin();
        let wanted = (0.5e-3f64 / 0.02).asin();
        assert!((tilt - wanted).abs() < 1e-4, "{word}: {tilt} instead of {wanted}");
        let middle = *out.results.get("e.size").unwrap().last().unwrap();
        assert!(middle < depth + 1e-6, "{word}: {middle}");
        assert!(out.events.iter().any(|e| e.contact.contains("front")));
        assert!(out.events.iter().any(|e| e.contact.contains("rear")));
    }
}

/// A ball in a socket falls freely to its bottom, whichever way that is, and bounces there.
#[test]
fn a_ball_falls_to_the_bottom_of_its_socket() {
    for gravity in [[0.0, 0.0, -9.81], [5.0, -3.0, 2.0]] {
        let g = gravity.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
        for (word, kind) in [
            ("restitution = 0.5\n", EventKind::Impact),
            ("law = 'exact'\nstiffness = 1e9\nrestitution = 0.5\n", EventKind::Touch),
        ] {
            let text = format!(
                "schema = 1\ngravity = {gravity:?}\n[body.b]\ntype = 'rigid'\nmass = 2\ninertia = [0.01, 0.02, 0.03]\n\
                 orientation = {{ axis = [1, 2, 0], angle = 0.4 }}\n\
                 [joint.ball]\ntype = 'spherical'\nbetween = ['ground', 'b']\nclearance = '0.5 mm'\nradius = '10 mm'\n{word}\
                 [sensor.p]\ntype = 'position'\nof = 'b'\n[analysis]\nend = 0.02\nsample = 0.001\n[method]\nrtol = 1e-9\n"
            );
            let out = ran(&text);
            let first = &out.events[0];
            assert_eq!((first.kind, first.contact.as_str()), (kind, "ball"));
            assert!((first.t - (2.0 * 0.5e-3 / g).sqrt()).abs() < 1e-9, "{first:?}");
            let speed = (2.0 * g * 0.5e-3).sqrt();
            assert!((first.speed_before / speed + 1.0).abs() < 1e-8, "{first:?}");
            // while a compliant impact lasts the weight does work
            if kind == EventKind::Impact {
                assert!((first.speed_after / (0.5 * speed) - 1.0).abs() < 1e-8, "{first:?}");
            }
        }
    }
}
