//! Constraints that are almost redundant, or almost not: rank is decided once, whatever the
//! position, the rotation of the model, the order and the number of its joints.

use crate::support;

use delassus::math::max_abs;
use delassus::sim::{SimErrorKind, Tone};
use support::{assembled, parsed, run, try_run};

/// Three bars and a coupler, one bar too long by `eps`; joints in the given order.
fn parallelogram(order: [usize; 6], repeated: usize) -> String {
    let joints = [
        ("A0", "ground.g0", "bar0"),
        ("B0", "bar0.tip", "coupler.c0"),
        ("A1", "ground.g1", "bar1"),
        ("B1", "bar1.tip", "coupler.c1"),
        ("A2", "ground.g2", "bar2"),
        ("B2", "bar2.tip", "coupler.c2"),
    ];
    let mut text = String::from(
        r#"schema = 1
gravity = ["9.81*sin(phi)", "-9.81*cos(phi)"]
[parameters]
phi = "0 deg"
eps = 0
A = "60 deg + phi"
[ground.markers]
"g{k}" = { position = ["k*cos(phi)", "k*sin(phi)"], repeat = "k = 0..2" }
[body."bar{k}"]
repeat = "k = 0..2"
type = "planar"
mass = 1
inertia = "1/12"
com = ["(1+if(k==2, eps, 0))/2", 0]
position = ["k*cos(phi)", "k*sin(phi)"]
angle = "A"
markers = { tip = ["1+if(k==2, eps, 0)", 0] }
[body.coupler]
type = "planar"
mass = 2
inertia = 0.7
com = [1, 0]
position = ["1*cos(A)", "1*sin(A)"]
angle = "phi"
markers = { c0 = [0, 0], c1 = [1, 0], c2 = [2, 0] }
[joint]
"#,
    );
    for i in order {
        let (name, a, b) = joints[i];
        text.push_str(&format!(
            "{name} = {{ type = \"revolute\", between = [\"{a}\", \"{b}\"] }}\n"
        ));
    }
    for k in 1..repeated {
        for (name, a, b) in joints {
            text.push_str(&format!(
                "{name}{k}x = {{ type = \"revolute\", between = [\"{a}\", \"{b}\"] }}\n"
            ));
        }
    }
    text.push_str("[sensor.w]\ntype = \"joint-rate\"\njoint = \"A0\"\n[analysis]\nend = 10\n");
    text
}

/// Rate of the first bar at 10 s, for bars that fit.
const RATE: f64 = -1.09445;

fn last_rate(text: &str, set: &[(&str, &str)], method: &str) -> f64 {
    let m = assembled(&parsed(text), set);
    assert_eq!(m.report.mobility, 1, "{set:?}");
    let out = run(&m, |o| o.method = method.to_owned());
    assert!(out.summary.energy_error < 1e-3, "{set:?} {method}: {}", out.summary.energy_error);
    *out.results.get("w").unwrap().last().unwrap()
}

#[test]
fn a_bar_that_is_too_long_by_less_than_the_tolerance_changes_nothing() {
    let orders = [[0, 1, 2, 3, 4, 5], [5, 4, 1, 0, 3, 2], [1, 4, 0, 5, 3, 2]];
    for (k, eps) in ["1e-14", "1e-13", "1e-12", "3e-11", "9e-10"].iter().enumerate() {
        for (i, phi) in ["0 deg", "30 deg", "90 deg"].iter().enumerate() {
            let text = parallelogram(orders[(i + k) % 3], 1);
            let rate = last_rate(&text, &[("eps", eps), ("phi", phi)], "mdop5");
            assert!((rate - RATE).abs() < 1e-4, "{eps} {phi}: {rate}");
        }
    }
}

#[test]
fn half_explicit_methods_bear_it_too() {
    for method in ["phem56", "hem5"] {
        let rate = last_rate(&parallelogram([2, 3, 0, 1, 5, 4], 1), &[("eps", "4e-10")], method);
        assert!((rate - RATE).abs() < 1e-4, "{method}: {rate}");
    }
}

/// A method of high order goes to the dead points in long steps, and projections may take speed away there that its
/// estimate has not seen: then the verdict is bad.
#[test]
fn speed_that_is_lost_at_dead_points_is_told() {
    for eps in ["1e-12", "1e-10", "9e-10"] {
        for phi in ["0 deg", "30 deg"] {
            let m = assembled(
                &parsed(&parallelogram([0, 1, 2, 3, 4, 5], 1)),
                &[("eps", eps), ("phi", phi)],
            );
            let out = try_run(&m, |o| o.method = "dop853".to_owned());
            let rate = *out.results.get("w").unwrap().last().unwrap();
            let told = out.error.is_some() || out.summary.verdict.tone == Tone::Bad;
            println!("{eps} {phi}: {rate} {told}");
            assert!(told || (rate - RATE).abs() < 2e-3, "{eps} {phi}: {rate}");
        }
    }
}

#[test]
fn joints_may_be_repeated() {
    for eps in ["0", "1e-12", "2e-10"] {
        let rate = last_rate(&parallelogram([0, 1, 2, 3, 4, 5], 3), &[("eps", eps)], "mdop5");
        assert!((rate - RATE).abs() < 1e-4, "{eps}: {rate}");
    }
}

#[test]
fn the_contradiction_is_told_and_left_in_the_joint_that_does_not_fit() {
    let m = assembled(&parsed(&parallelogram([5, 4, 3, 2, 1, 0], 1)), &[("eps", "1e-10")]);
    let note = m.report.notes.iter().find(|n| n.code == "N_ALMOST_REDUNDANT").unwrap();
    assert!(note.message.contains("\"B2\"") && note.message.contains("1e-9"), "{}", note.message);
    assert!(m.report.residual > 1e-12 && m.report.residual < 1e-9);
    let exact = assembled(&parsed(&parallelogram([5, 4, 3, 2, 1, 0], 1)), &[]);
    assert!(exact.report.notes.iter().all(|n| n.code != "N_ALMOST_REDUNDANT"));
    let [kept, dropped] = exact.report.rank_gap;
    assert!(kept > 1e-3 && dropped < 1e-13, "{kept} {dropped}");
}

/// A method that solves a chosen set of rows either follows the mechanism or stops by name.
#[test]
fn other_methods_are_right_or_stop_by_name() {
    for method in ["radau5", "gen-alpha-ggl", "bdf", "mal"] {
        let m = assembled(&parsed(&parallelogram([0, 1, 2, 3, 4, 5], 1)), &[("eps", "1e-10")]);
        let out = try_run(&m, |o| o.method = method.to_owned());
        match &out.error {
            None => {
                let rate = *out.results.get("w").unwrap().last().unwrap();
                assert!((rate - RATE).abs() < 2e-2, "{method}: {rate}");
            }
            Some(e) => {
                let named = e.blame.iter().any(|b| b.contains("joint") || b.contains("body"));
                assert!(named && !e.help.is_empty(), "{method}: {e:?}");
                if method == "mal" {
                    assert_eq!(e.kind, SimErrorKind::Dependent, "{e:?}");
                    assert!(e.blame[0].contains("B2"), "{e:?}");
                }
            }
        }
    }
}

/// Two hinges on one line and a third that is tilted a little: nothing can turn.
fn lock(tilt: &str, first: usize) -> String {
    let mut hinges = [
        "h1 = { type = \"revolute\", between = [\"ground.p1\", \"arm.m1\"], axis = [1, 0, 0] }"
            .to_owned(),
        "h2 = { type = \"revolute\", between = [\"ground.p2\", \"arm.m2\"], axis = [-1, 0, 0] }"
            .to_owned(),
        format!(
            "h3 = {{ type = \"revolute\", between = [\"ground.p3\", \"arm.m3\"], axis = [\"cos({tilt})\", \"sin({tilt})\", 0] }}"
        ),
    ];
    hinges.rotate_left(first);
    format!(
        r#"schema = 1
gravity = [0, 0, -9.81]
ground.markers = {{ p1 = [0, 0, 0], p2 = [2, 0, 0], p3 = [4, 0, 0] }}
[body.arm]
type = "rigid"
mass = 1
inertia = [0.1, 0.2, 0.25]
com = [0.3, 1, 0.1]
markers = {{ m1 = [0, 0, 0], m2 = [2, 0, 0], m3 = [4, 0, 0] }}
[joint]
{}
[sensor.a]
type = "joint"
joint = "h1"
[analysis]
end = 10
"#,
        hinges.join("\n")
    )
}

#[test]
fn hinges_that_lock_each_other_stay_locked() {
    for (i, tilt) in ["1e-8", "1e-7", "1e-6", "1e-5", "1e-3"].iter().enumerate() {
        for method in ["mdop5", "phem56"] {
            let m = assembled(&parsed(&lock(tilt, i % 3)), &[]);
            assert_eq!(m.report.mobility, 0, "{tilt}");
            let noted = m.report.notes.iter().any(|n| n.code == "N_RANK_GAP");
            assert_eq!(noted, *tilt != "1e-3", "{tilt}");
            let out = run(&m, |o| o.method = method.to_owned());
            let a = out.results.get("a").unwrap();
            assert!(a.iter().all(|a| a.abs() < 1e-6), "{tilt} {method}: {a:?}");
        }
    }
}

#[test]
fn methods_that_would_let_go_are_refused() {
    let m = assembled(&parsed(&lock("1e-7", 0)), &[]);
    for method in ["mal", "ali3p", "lin-euler", "radau5"] {
        let mut o = delassus::sim::RunOptions::from_model(m.system.model());
        o.method = method.to_owned();
        let refused = delassus::sim::run(&m, &o, &mut delassus::sim::Silent);
        assert_eq!(refused.err().map(|e| e.code()), Some("E_METHOD_CANNOT"), "{method}");
    }
}

#[test]
fn hinges_on_one_line_turn() {
    for tilt in ["0", "1e-10"] {
        let m = assembled(&parsed(&lock(tilt, 0)), &[]);
        assert_eq!(m.report.mobility, 1);
        let out = run(&m, |_| {});
        assert!(out.summary.energy_error < 1e-4, "{}", out.summary.energy_error);
        let a = out.results.get("a").unwrap();
        assert!(max_abs(a) > 1.0);
    }
}

/// A four-bar that would be a parallelogram if the ground were not too long by `off`, m, driven through its flat position.
fn nearly_a_parallelogram(off: f64) -> String {
    format!(
        r#"schema = 1
gravity = [0, -9.81]
[parameters]
A = 1.0
[ground.markers]
g0 = [0, 0]
g1 = [{}, 0]
[body.c]
type = "planar"
mass = 2
inertia = 0.3
position = ["0.5*cos(A)", "0.5*sin(A)"]
markers = {{ p0 = [0, 0], p1 = [0.4, 0] }}
[body."b{{k}}"]
repeat = "k = 0..1"
type = "planar"
mass = 0.5
inertia = 0.01
com = [0.25, 0]
position = ["0.4*k", 0]
angle = "A"
markers = {{ e = [0.5, 0] }}
[joint]
g0 = {{ type = "revolute", between = ["ground.g0", "b0"] }}
e0 = {{ type = "revolute", between = ["b0.e", "c.p0"] }}
g1 = {{ type = "revolute", between = ["ground.g1", "b1"] }}
e1 = {{ type = "revolute", between = ["b1.e", "c.p1"] }}
[force.t]
type = "torque"
at = "b0"
torque = "2*sin(3*t)"
[sensor.q]
type = "joint"
joint = "g0"
[analysis]
end = 3
"#,
        0.4 + off
    )
}

/// Angle at 3 s of a parallelogram that remains one through its flat position, and of one whose branches diverge there,
/// as explicit and implicit methods compute it with tolerances of 1e-9.
const STRAIGHT_ON: f64 = -1.129646;
const ROUND_THE_BEND: f64 = 2.3294;

/// Branches that do not cross because of a length that is 1e-9 m off turn away from each other within 1e-5 s. Steps of `radau5`
/// and `bdf` went straight on, onto a curve that no motion leads to, with perfect energies.
#[test]
fn a_motion_goes_round_the_bend_of_branches_that_almost_cross() {
    for off in [1e-9, 1e-7] {
        let m = assembled(&parsed(&nearly_a_parallelogram(off)), &[]);
        for (method, tolerance) in [("radau5", 2e-3), ("mdop5", 2e-3), ("gen-alpha-ggl", 5e-3)] {
            let out = run(&m, |o| o.method = method.to_owned());
            let q = *out.results.get("q").unwrap().last().unwrap();
            assert!((q - ROUND_THE_BEND).abs() < tolerance, "{off} {method}: {q}");
            assert_eq!(out.summary.branch_changes, 0, "{off} {method}");
        }
    }
}

/// A ball that bounces next to it: impacts, one of them a hundredth of a second before a bend, change nothing.
#[test]
fn events_do_not_hide_a_bend() {
    let ball = "[body.ball]\ntype = 'planar'\nmass = 1\ninertia = 0.01\nposition = [5, 0.5]\n\
        [shape.ball]\ntype = 'circle'\nbody = 'ball'\nradius = 0.1\n\
        [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\nat = [0, -1]\n\
        [contact.floor]\nbetween = ['ball', 'floor']\nrestitution = 0.7\n";
    let m = assembled(&parsed(&format!("{}{ball}", nearly_a_parallelogram(1e-9))), &[]);
    for method in ["radau5", "mdop5"] {
        let out = run(&m, |o| o.method = method.to_owned());
        let q = *out.results.get("q").unwrap().last().unwrap();
        assert!((q - ROUND_THE_BEND).abs() < 2e-3, "{method}: {q}");
    }
}

/// A bend that is narrower than numbers resolve, and one for which fixed steps are too long: reported, with the length
/// that is off.
#[test]
fn a_change_of_branches_that_cannot_be_followed_is_told() {
    for (off, step) in [(1e-12, None), (1e-9, Some(5e-3))] {
        let m = assembled(&parsed(&nearly_a_parallelogram(off)), &[]);
        for method in ["mdop5", "phem56", "radau5", "bdf", "ali3p"] {
            let out = try_run(&m, |o| {
                o.method = method.to_owned();
                o.step = step;
            });
            let s = &out.summary;
            assert!(s.branch_changes >= 1, "{off} {method}");
            assert_eq!(s.verdict.tone, Tone::Bad, "{off} {method}");
            // the flat positions are missed by half of what the ground is too long
            let miss = s.branch_miss.unwrap();
            assert!((miss / (0.5 * off) - 1.0).abs() < 0.02, "{off} {method}: {miss}");
            assert!((s.first_branch_change.unwrap() - 0.4).abs() < 0.02, "{off} {method}");
        }
    }
}

/// Branches that do cross are passed straight on, without a word.
#[test]
fn branches_that_cross_are_passed() {
    for off in [0.0, 1e-14] {
        let m = assembled(&parsed(&nearly_a_parallelogram(off)), &[]);
        for (method, step) in
            [("mdop5", None), ("radau5", None), ("bdf", None), ("radau5", Some(5e-3))]
        {
            let out = run(&m, |o| {
                o.method = method.to_owned();
                o.step = step;
            });
            let q = *out.results.get("q").unwrap().last().unwrap();
            assert!((q - STRAIGHT_ON).abs() < 1e-4, "{off} {method}: {q}");
            assert_eq!(out.summary.branch_changes, 0, "{off} {method}");
            assert_eq!(out.summary.verdict.tone, Tone::Good, "{off} {method}");
        }
    }
}

/// A slider-crank whose rod is longer than its crank by `off`, m: if they were equal, the slider could stay at the bearing while both turn.
fn nearly_equal_slider_crank(off: f64) -> String {
    format!(
        r#"schema = 1
gravity = [0, -9.81]
[parameters]
r = 0.3
L = {}
A = "45 deg"
[body]
crank = {{ type = "planar", mass = 1, inertia = 0.02, com = ["r/2", 0], angle = "A", rate = -4, markers = {{ p = ["r", 0] }} }}
rod = {{ type = "planar", mass = 1, inertia = 0.02, com = ["L/2", 0], position = ["r*cos(A)", "r*sin(A)"], angle = "-A", markers = {{ e = ["L", 0] }} }}
slider = {{ type = "planar", mass = 0.5, inertia = 0.01, position = ["2*r*cos(A)", 0] }}
[joint]
a = {{ type = "revolute", between = ["ground", "crank"] }}
b = {{ type = "revolute", between = ["crank.p", "rod"] }}
c = {{ type = "revolute", between = ["rod.e", "slider"] }}
d = {{ type = "prismatic", between = ["ground", "slider"] }}
[force.t]
type = "torque"
at = "crank"
torque = -2
[sensor.q]
type = "joint"
joint = "a"
[analysis]
end = 2
"#,
        0.3 + off
    )
}

/// Two bends in each of six turns. With 1e-10 m `radau5` was 12 rad off and its verdict good; with 1e-8 m 6 rad.
#[test]
fn many_bends_are_followed() {
    for (off, wanted) in [(1e-10, -39.2115), (1e-8, -39.21284)] {
        let m = assembled(&parsed(&nearly_equal_slider_crank(off)), &[]);
        for method in ["radau5", "hem5"] {
            let out = run(&m, |o| o.method = method.to_owned());
            let q = *out.results.get("q").unwrap().last().unwrap();
            assert!((q - wanted).abs() < 3e-3, "{off} {method}: {q}");
            assert_eq!(out.summary.branch_changes, 0, "{off} {method}");
        }
    }
}

/// Three and four parallel bars in space of which one foot is off by 1e-10 or 3e-10 m swing through their flat positions as in the
/// plane. In space joints are redundant exactly too, across the plane: only the one that contradicts the others gives way.
#[test]
fn bars_in_space_swing_through_their_flat_position() {
    let model = |bars: usize, off: (usize, f64), space: bool| {
        let zero = if space { ", 0" } else { "" };
        let at = |x: f64, y: f64| format!("[{x:?}, {y:?}{zero}]");
        let body = |name: &str,
                    mass: f64,
                    inertia: f64,
                    place: String,
                    angle: f64,
                    rest: String| {
            let (kind, turned, inertia) = match space {
                true => (
                    "rigid",
                    format!("orientation = {{ axis = [0, 0, 1], angle = {angle} }}"),
                    format!("[{inertia}, {inertia}, {inertia}]"),
                ),
                false => ("planar", format!("angle = {angle}"), format!("{inertia}")),
            };
            format!(
                "[body.{name}]\ntype = '{kind}'\nmass = {mass}\ninertia = {inertia}\nposition = {place}\n{turned}\n{rest}\n"
            )
        };
        let (mut ground, mut points) = (String::new(), String::new());
        let (mut bodies, mut joints) = (String::new(), String::new());
        for k in 0..bars {
            let x = 0.4 * k as f64;
            let foot = if k == off.0 { x + off.1 } else { x };
            ground += &format!("g{k} = {}\n", at(foot, 0.0));
            points += &format!("p{k} = {}, ", at(x, 0.0));
            let rest = format!("com = {}\nmarkers = {{ e = {} }}", at(0.25, 0.0), at(0.5, 0.0));
            bodies += &body(&format!("b{k}"), 0.5, 0.01, at(x, 0.0), 1.0, rest);
            joints += &format!(
                "[joint.g{k}]\ntype = 'revolute'\nbetween = ['ground.g{k}', 'b{k}']\n\
                 [joint.e{k}]\ntype = 'revolute'\nbetween = ['b{k}.e', 'c.p{k}']\n"
            );
        }
        let place = at(0.5 * 1f64.cos(), 0.5 * 1f64.sin());
        let points = format!("markers = {{ {} }}", points.trim_end_matches(", "));
        let coupler = body("c", 2.0, 0.3, place, 0.0, points);
        let torque = if space { "[0, 0, '2*sin(3*t)']" } else { "'2*sin(3*t)'" };
        format!(
            "schema = 1\ngravity = {}\n[ground.markers]\n{ground}{coupler}{bodies}{joints}\
             [force.t]\ntype = 'torque'\nat = 'b0'\ntorque = {torque}\n\
             [sensor.q]\ntype = 'joint'\njoint = 'g0'\n[analysis]\nend = 3\n",
            at(0.0, -9.81)
        )
    };
    for (bars, off) in [(3, 1e-10), (4, 3e-10)] {
        let last = |which, space, method: &str| {
            let m = assembled(&parsed(&model(bars, (which, off), space)), &[]);
            let out = run(&m, |o| o.method = method.to_owned());
            assert_eq!(out.summary.verdict.tone, Tone::Good, "{bars} {which} {space} {method}");
            *out.results.get("q").unwrap().last().unwrap()
        };
        let right = last(0, false, "mdop5");
        for which in 0..bars {
            for method in ["mdop5", "hem5", "phem56"] {
                let q = last(which, true, method);
                assert!((q - right).abs() < 1e-5, "{bars} {which} {method}: {q} {right}");
            }
        }
    }
}
