//! Play of prismatic joints in space: a block of rectangular section in a channel, against its twin in the plane,
//! closed forms, bodies with explicit shapes, and itself in other frames.

use crate::support;

use delassus::math::max_difference;
use delassus::sim::RunOutcome;
use delassus::sim::contact::EventKind;
use std::f64::consts::FRAC_PI_2;
use support::{assembled, parsed, run};

fn ran(text: &str) -> RunOutcome {
    run(&assembled(&parsed(text), &[]), |_| {})
}

/// A block that is pushed off-centre along a guide that is tilted in the x-y plane, in the plane or in space.
fn guided(space: bool, axis: f64, law: &str) -> String {
    let (c, s) = (axis.cos(), axis.sin());
    let z = if space { ", 0" } else { "" };
    let body = match space {
        false => format!("type = 'planar'\nmass = 2\ninertia = 0.01\nangle = {axis}\nrate = -8\n"),
        true => format!(
            "type = 'rigid'\nmass = 2\ninertia = [0.02, 0.03, 0.01]\norientation = {{ axis = [0, 0, 1], angle = {axis} }}\n\
             rate = [0, 0, -8]\n"
        ),
    };
    let height = if space { "height = '30 mm'\n" } else { "" };
    format!(
        "schema = 1\ngravity = [{:e}, {:e}{z}]\n[body.b]\n{body}com = [0.02, 0.01{z}]\n\
         [joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'b']\naxis = [{c:e}, {s:e}{z}]\naxis2 = [1, 0{z}]\n\
         clearance = '0.5 mm'\nlength = '100 mm'\nwidth = '50 mm'\n{height}{law}\
         [sensor.p]\ntype = 'position'\nof = 'b'\n[sensor.s]\ntype = 'joint'\njoint = 'guide'\n\
         [analysis]\nend = 0.03\nsample = 0.0005\n[method]\nrtol = 1e-9\n",
        3.0 * c + 9.81 * s,
        3.0 * s - 9.81 * c
    )
}

/// What is alike at both ends of its height moves as in the plane: each of two corners carries half.
#[test]
fn a_block_in_a_channel_moves_as_in_the_plane() {
    let compliant =
        |k: f64| format!("law = 'lankarani-nikravesh'\nstiffness = {k:e}\nrestitution = 0.5\n");
    let rigid = |mu: f64| format!("restitution = 0.4\nfriction = {mu}\n");
    let cases =
        [(compliant(1e8), compliant(0.5e8)), (rigid(0.0), rigid(0.0)), (rigid(0.2), rigid(0.2))];
    for (flat, corners) in cases {
        for axis in [0.0, 1.2, -2.5] {
            let flat = ran(&guided(false, axis, &flat));
            let channel = ran(&guided(true, axis, &corners));
            assert!(flat.events.len() > 4, "{corners}: {:?}", flat.events.len());
            for name in ["p.x", "p.y", "s"] {
                let (x, y) = (flat.results.get(name).unwrap(), channel.results.get(name).unwrap());
                assert!(
                    max_difference(x, y) < 1e-7,
                    "{corners}{axis}: {name} {}",
                    max_difference(x, y)
                );
            }
            // upper and lower are the same walls
            for side in ["guide.upper", "guide.lower"] {
                let first = |out: &RunOutcome| {
                    out.events.iter().find(|e| e.contact.starts_with(side)).map(|e| e.t)
                };
                let (a, b) = (first(&flat).unwrap(), first(&channel).unwrap());
                assert!((a - b).abs() < 1e-8, "{corners}{axis}: {side} {a} {b}");
            }
            assert!(!channel.events.iter().any(|e| e.contact.contains("guide.right")));
        }
    }
}

/// It falls freely by the clearance to whichever wall is below, and comes to rest there.
#[test]
fn a_block_falls_to_each_wall() {
    let walls = [
        ("[0, 9.81, 0]", "upper", "p.y", 1.0),
        ("[0, -9.81, 0]", "lower", "p.y", -1.0),
        ("[0, 0, 9.81]", "right", "p.z", 1.0),
        ("[0, 0, -9.81]", "left", "p.z", -1.0),
    ];
    for (gravity, wall, column, sign) in walls {
        for (law, kind) in [
            ("restitution = 0.3\n", EventKind::Impact),
            ("law = 'exact'\nstiffness = 1e9\nrestitution = 0.3\n", EventKind::Touch),
        ] {
            let text = format!(
                "schema = 1\ngravity = {gravity}\n[body.b]\ntype = 'rigid'\nmass = 2\ninertia = [0.02, 0.03, 0.01]\n\
                 [joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'b']\nclearance = '0.5 mm'\nlength = '100 mm'\n\
                 width = '50 mm'\nheight = '30 mm'\n{law}[sensor.p]\ntype = 'position'\nof = 'b'\n[analysis]\nend = 0.1\n\
                 [method]\nrtol = 1e-8\n"
            );
            let out = ran(&text);
            let first = &out.events[0];
            assert_eq!(first.kind, kind, "{first:?}");
            assert!(first.contact.starts_with(&format!("guide.{wall}")), "{wall}: {first:?}");
            assert!((first.t - (2.0 * 0.5e-3 / 9.81f64).sqrt()).abs() < 1e-9, "{first:?}");
            // four corners carry the weight
            let sunk =
                if kind == EventKind::Touch { (2.0 * 9.81 / 4e9f64).powf(2.0 / 3.0) } else { 0.0 };
            let end = sign * out.results.get(column).unwrap().last().unwrap();
            assert!((end - 0.5e-3 - sunk).abs() < 2e-7, "{wall}: {end}");
        }
    }
}

/// Turned about all axes, with frames of its own on both bodies, it does the same; the second body may start turned about the
/// axis, as with the ideal joint.
#[test]
fn turned_channels_do_the_same() {
    let text = |ground: &str, body: &str, gravity: &str, rate: &str, position: &str| {
        format!(
            "schema = 1\ngravity = {gravity}\n[ground.markers.g]\n{ground}\n\
             [body.b]\ntype = 'rigid'\nmass = 2\ninertia = [0.02, 0.02, 0.02]\n{body}rate = {rate}\nposition = {position}\n\
             [joint.guide]\ntype = 'prismatic'\nbetween = ['ground.g', 'b']\naxis = [1, 0, 0]\naxis2 = [1, 0, 0]\n\
             clearance = '0.5 mm'\nlength = '100 mm'\nwidth = '50 mm'\nheight = '30 mm'\nrestitution = 0.4\n\
             [sensor.s]\ntype = 'joint'\njoint = 'guide'\n[sensor.y]\ntype = 'position'\nof = 'b'\nframe = 'ground.g'\n\
             [analysis]\nend = 0.04\nsample = 0.001\n[method]\nrtol = 1e-9\n"
        )
    };
    let straight = ran(&text("position = [0, 0, 0]", "", "[3, -7, 4]", "[2, 1, -1]", "[0, 0, 0]"));
    assert!(straight.events.len() > 6, "{}", straight.events.len());
    for wall in ["upper", "lower", "left", "right"] {
        let met = straight.events.iter().any(|e| e.contact.starts_with(&format!("guide.{wall}")));
        assert!(met, "{wall}");
    }
    let same = |other: &RunOutcome, what: &str| {
        for name in ["s", "y.x", "y.y", "y.z"] {
            let (x, y) = (straight.results.get(name).unwrap(), other.results.get(name).unwrap());
            assert!(max_difference(x, y) < 1e-8, "{what}: {name} {}", max_difference(x, y));
        }
    };
    // all turned by a third of a turn about (1, 1, 1): x to y, y to z, z to x
    let third = "orientation = { axis = [1, 1, 1], angle = '120 deg' }\n";
    let moved = format!("position = [0.1, 0.2, 0.3]\n{third}");
    same(&ran(&text(&moved, third, "[4, 3, -7]", "[2, 1, -1]", "[0.1, 0.2, 0.3]")), "a third");
    // the body alone is turned about the axis: what it calls y is z; rates are in its components
    let quarter = format!("orientation = {{ axis = [1, 0, 0], angle = {FRAC_PI_2} }}\n");
    same(
        &ran(&text("position = [0, 0, 0]", &quarter, "[3, -7, 4]", "[2, -1, -1]", "[0, 0, 0]")),
        "the body",
    );
}

/// The joint is the contact of a box with four half-spaces.
#[test]
fn a_channel_is_four_half_spaces() {
    let model = |joint: &str| {
        format!(
            "schema = 1\ngravity = [1, -7, 4]\n[body.b]\ntype = 'rigid'\nmass = 2\ninertia = [0.02, 0.03, 0.01]\n\
             rate = [2, 1, -1]\n{joint}[sensor.p]\ntype = 'position'\nof = 'b'\n[sensor.n]\ntype = 'orientation'\nof = 'b'\n\
             [analysis]\nend = 0.03\nsample = 0.001\n[method]\nrtol = 1e-9\n"
        )
    };
    let law = "law = 'flores'\nstiffness = 1e8\nrestitution = 0.6\n";
    let joint = model(&format!(
        "[joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'b']\nclearance = '0.5 mm'\nlength = '100 mm'\n\
         width = '50 mm'\nheight = '30 mm'\n{law}"
    ));
    let mut shapes =
        String::from("[shape.box]\ntype = 'box'\nbody = 'b'\nsize = [0.1, 0.05, 0.03]\n");
    for (name, y, z) in [
        ("upper", 0.0255, 0.0),
        ("lower", -0.0255, 0.0),
        ("right", 0.0, 0.0155),
        ("left", 0.0, -0.0155),
    ] {
        shapes += &format!(
            "[shape.{name}]\ntype = 'half-space'\nbody = 'ground'\nat = [0, {y}, {z}]\nnormal = [0, {}, {}]\n\
             [contact.{name}]\nbetween = ['box', '{name}']\n{law}",
            -f64::signum(y) * f64::from(y != 0.0),
            -f64::signum(z) * f64::from(z != 0.0)
        );
    }
    let (joint, twin) = (ran(&joint), ran(&model(&shapes)));
    assert!(joint.events.len() > 10 && joint.events.len() == twin.events.len());
    for name in ["p.x", "p.y", "p.z", "n.x", "n.y", "n.z"] {
        let (x, y) = (joint.results.get(name).unwrap(), twin.results.get(name).unwrap());
        assert!(max_difference(x, y) < 1e-9, "{name} {}", max_difference(x, y));
    }
}
