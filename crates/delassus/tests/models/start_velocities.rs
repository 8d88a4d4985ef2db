//! Start velocities that the joints allow only in part: the result depends on the mechanism, not on the axes of the
//! ground, the order of the joints or how often they are written.

use crate::support;

use support::{assembled, parsed};

/// A double pendulum turned by `phi`, with a velocity of the second rod that its joints do not
/// allow and a rate of the first joint that they do.
fn pendulum(rate: &str, body: &str, repeated: usize, turned: bool) -> String {
    let mut joints = vec![
        format!("p = {{ type = \"revolute\", between = [\"ground.o\", \"first\"]{rate} }}"),
        "q = { type = \"revolute\", between = [\"first.tip\", \"second\"] }".to_owned(),
    ];
    for k in 1..repeated {
        joints
            .push(format!("p{k} = {{ type = \"revolute\", between = [\"ground.o\", \"first\"] }}"));
        joints.push(format!(
            "q{k} = {{ type = \"revolute\", between = [\"first.tip\", \"second\"] }}"
        ));
    }
    if turned {
        joints.reverse();
    }
    format!(
        r#"schema = 1
gravity = [0, 0]
[parameters]
phi = "0 deg"
[ground.markers]
o = [0, 0]
[body.first]
type = "planar"
mass = 1
inertia = 0.3
com = [0.4, 0]
angle = "phi"
markers = {{ tip = [1, 0] }}
[body.second]
type = "planar"
mass = 2
inertia = 0.2
com = [0.5, 0.1]
position = ["1*cos(phi)", "1*sin(phi)"]
angle = "phi + 40 deg"
{body}
[joint]
{}
[sensor.p]
type = "joint-rate"
joint = "p"
[sensor.q]
type = "joint-rate"
joint = "q"
[analysis]
end = 1
"#,
        joints.join("\n")
    )
}

/// Rates of both rods at the start.
fn rates(text: &str, phi: &str) -> (Vec<f64>, Vec<String>) {
    let m = assembled(&parsed(text), &[("phi", phi)]);
    let notes = m.report.notes.iter().filter(|n| n.code == "N_VELOCITY_PROJECTED");
    let notes = notes.map(|n| format!("{}: {}", n.path, n.message)).collect();
    let v = m.state.v;
    (vec![v[2], v[5]], notes)
}

#[test]
fn impossible_velocities_do_not_depend_on_how_the_model_is_written() {
    let body = "velocity = [\"3*cos(phi)\", \"3*sin(phi)\"]\nrate = 3";
    let (want, notes) = rates(&pendulum("", body, 1, false), "0 deg");
    assert!(!notes.is_empty());
    for phi in ["0 deg", "30 deg", "45 deg", "135 deg"] {
        for repeated in 1..4 {
            for turned in [false, true] {
                let (got, _) = rates(&pendulum("", body, repeated, turned), phi);
                let off = (got[0] - want[0]).abs().max((got[1] - want[1]).abs());
                assert!(off < 1e-9, "{phi} {repeated} {turned}: {got:?} {want:?}");
            }
        }
    }
}

/// The change of the body whose velocities were given has the least kinetic energy that the
/// joints leave: checked against a search over both rates.
#[test]
fn the_change_has_the_least_kinetic_energy() {
    let body = "velocity = [3, 0]\nrate = 3";
    let (got, _) = rates(&pendulum("", body, 1, false), "0 deg");
    let energy = |w1: f64, w2: f64| {
        // the tip of the first rod is the origin of the second
        let (dx, dy, dw) = (0.0 - 3.0, w1 - 0.0, w2 - 3.0);
        let (s, c) = 40f64.to_radians().sin_cos();
        let r = (0.5 * c - 0.1 * s, 0.5 * s + 0.1 * c);
        let (vx, vy) = (dx - dw * r.1, dy + dw * r.0);
        2.0 * (vx * vx + vy * vy) + 0.2 * dw * dw
    };
    let best = energy(got[0], got[1]);
    for k in 0..100 {
        let a = f64::from(k) * 0.0628;
        let near = energy(got[0] + 1e-3 * a.cos(), got[1] + 1e-3 * a.sin());
        assert!(near > best * (1.0 - 5e-3), "{near} {best}");
    }
}

#[test]
fn a_rate_of_a_joint_is_kept_where_the_joints_allow_it() {
    let body = "velocity = [3, 1]\nrate = -2";
    for repeated in 1..3 {
        let text = pendulum(", initial_rate = \"1.5 rad/s\"", body, repeated, false);
        let (got, notes) = rates(&text, "70 deg");
        assert!((got[0] - 1.5).abs() < 1e-9, "{got:?}");
        assert!(notes.iter().all(|n| n.starts_with("body.second")), "{notes:?}");
    }
}

#[test]
fn velocities_that_fit_are_kept() {
    let (got, notes) = rates(&pendulum(", initial_rate = 2", "rate = 5", 2, true), "20 deg");
    assert!((got[0] - 2.0).abs() < 1e-12 && (got[1] - 5.0).abs() < 1e-12, "{got:?}");
    assert!(notes.is_empty(), "{notes:?}");
}

/// A velocity and a rate that do not fit are weighed by the body that has them: neither a body that has
/// nothing to do with it nor the length of the model has a say.
#[test]
fn other_bodies_have_no_say() {
    let start = |more: &str| {
        let text = format!(
            r#"schema = 1
gravity = [0, 0]
[body.bob]
type = "planar"
mass = 0.05
inertia = 1e-6
position = [0, -0.1]
velocity = [1, 0]
rate = 0
markers = {{ top = [0, 0.1] }}
[joint.pin]
type = "revolute"
between = ["ground", "bob.top"]
{more}
[sensor.w]
type = "joint-rate"
joint = "pin"
[analysis]
end = 0.01
"#
        );
        let model = assembled(&parsed(&text), &[]);
        support::run(&model, |_| {}).results.get("w").unwrap()[0]
    };
    // least ½m(ωl − v)² + ½Iω²
    let right = 0.05 * 0.1 * 1.0 / (0.05 * 0.1 * 0.1 + 1e-6);
    let frame = "[body.frame]\ntype = \"planar\"\nmass = 2000\ninertia = 500\nposition = [5, 0]\n";
    let tower = "[ground.markers]\nfar = [1000, 0]\n";
    for more in ["", frame, tower] {
        let w = start(more);
        assert!((w.abs() / right - 1.0).abs() < 1e-8, "{w} {right}: {more}");
    }
}

/// Rates so small that they have no digits left are rest: they contradict nothing.
#[test]
fn rates_without_digits_are_rest() {
    let text = "schema = 1\nground.markers = { m = [0.5, 0, 0] }\n[body.door]\ntype = \"rigid\"\nmass = 2.6\n\
                inertia = [0.26, 0.39, 0.52]\ncom = [0, 0, 0.57]\nvelocity = [5e-324, 0, 0]\n\
                rate = [0, -1e-323, -1e-323]\nmarkers = { m = [0.5, 0, 1e-14] }\n[joint]\n\
                a = { type = \"revolute\", between = [\"ground\", \"door\"], axis = [1, 0, 0] }\n\
                b = { type = \"revolute\", between = [\"ground.m\", \"door.m\"], axis = [1, 0, 0] }\n\
                drive = { type = \"motion\", joint = \"a\", value = \"step(t, 0.6, 0, 0.7, -1.4)\" }\n\
                [sensor.q]\ntype = \"joint\"\njoint = \"a\"\n[analysis]\nstart = 0.06\nend = 0.8\n";
    let out = support::run(&assembled(&parsed(text), &[]), |_| {});
    let q = *out.results.get("q").unwrap().last().unwrap();
    assert!((q + 1.4).abs() < 1e-9, "{q}");
}
