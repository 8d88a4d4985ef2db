//! Unconnected bodies do not affect each other: side by side each moves as if it were alone, whatever hits what, by
//! whatever law, at the same instant.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::RunOutcome;
use delassus::sim::contact::EventKind;
use support::{assembled, parsed, run};

/// A rod that strikes the floor obliquely, of a kind that friction makes the laws differ for; not at the time of
/// a sample, which would show the speed before or after by rounding.
fn rod(name: &str, x: f64, law: &str, e: f64, mu: f64, angle: f64) -> String {
    format!(
        r#"
[body.{name}]
type = "planar"
mass = 1
inertia = "0.5^2/3"
position = [{x}, "0.5*sin({angle} deg) + 0.21"]
angle = "{angle} deg"
velocity = [2, -2]
[shape.{name}]
type = "point"
body = "{name}"
at = [-0.5, 0]
[contact.{name}]
between = ["{name}", "floor"]
restitution = {e}
restitution_law = "{law}"
friction = {mu}
[sensor]
{name}_x = {{ type = "position", of = "{name}", component = "x" }}
{name}_y = {{ type = "position", of = "{name}", component = "y" }}
{name}_a = {{ type = "angle", of = "{name}" }}
{name}_v = {{ type = "velocity", of = "{name}", component = "y" }}
"#
    )
}

fn model(parts: &[String]) -> String {
    let head = "schema = 1\ntitle = \"side by side\"\n[analysis]\nend = 0.3\nsample = 0.01\n\
                [shape.floor]\ntype = \"half-plane\"\nbody = \"ground\"\n";
    // sensors of all parts in one section
    let (mut text, mut sensors) = (head.to_owned(), "[sensor]\n".to_owned());
    for part in parts {
        let (rest, own) = part.split_once("[sensor]\n").unwrap();
        text += rest;
        sensors += own;
    }
    text + &sensors
}

fn simulate(parts: &[String], scheme: SchemeType) -> RunOutcome {
    run(&assembled(&parsed(&model(parts)), &[]), |o| {
        o.scheme = scheme;
        if scheme == SchemeType::TimeStepping {
            o.method = "moreau-jean".to_owned();
            o.step = Some(1e-3);
        }
    })
}

/// Largest difference of what `alone` measures.
fn off(alone: &RunOutcome, together: &RunOutcome) -> f64 {
    let mut worst = 0.0;
    for c in alone.results.channels.iter().filter(|c| c.sensor) {
        let (x, y) = (alone.results.get(&c.name).unwrap(), together.results.get(&c.name).unwrap());
        assert_eq!(x.len(), y.len());
        for (x, y) in x.iter().zip(y) {
            let d = (x - y).abs();
            if !(d <= worst) {
                worst = d;
            }
        }
    }
    worst
}

/// Every law next to every other; one rod (Newton's with strong friction) is of the kind whose restitution is reduced
/// because it would gain energy.
#[test]
fn each_has_its_own_law() {
    let rods = [
        rod("n", 0.0, "newton", 0.6, 0.3, 40.0),
        rod("p", 3.0, "poisson", 0.6, 0.3, 40.0),
        rod("w", 6.0, "energetic", 0.6, 0.3, 40.0),
        rod("k", 9.0, "newton", 0.9, 0.8, 60.0),
        rod("s", 12.0, "newton", 1.0, 0.0, 90.0),
    ];
    for scheme in [SchemeType::Hybrid, SchemeType::EventDriven, SchemeType::TimeStepping] {
        let together = simulate(&rods, scheme);
        for rod in &rods {
            let alone = simulate(std::slice::from_ref(rod), scheme);
            let off = off(&alone, &together);
            assert!(off < 1e-9, "{scheme:?}: {off:e}\n{rod}");
            if scheme == SchemeType::TimeStepping {
                assert!(off == 0.0, "fixed steps: to the bit, {off:e}\n{rod}");
            }
        }
    }
}

/// A body on which nothing but gravity and a smooth floor acts leaves as fast as it came (e = 1), while others next to
/// it would gain energy by their law.
#[test]
fn the_audit_of_one_takes_nothing_from_another() {
    let ball = rod("ball", -10.0, "newton", 1.0, 0.0, 90.0);
    for (law, mu) in [("newton", 0.8), ("newton", 1.2), ("poisson", 0.8), ("energetic", 0.8)] {
        for angle in [35.0, 60.0, 120.0] {
            let parts = [ball.clone(), rod("r", 0.0, law, 0.9, mu, angle)];
            let (one, both) = (
                simulate(&parts[..1], SchemeType::EventDriven),
                simulate(&parts, SchemeType::EventDriven),
            );
            let off = off(&one, &both);
            assert!(off < 1e-9, "{law} {mu} {angle}: {off:e}");
        }
    }
}

const ARM: &str = r#"
schema = 1
title = "An arm falls on the stop of its hinge"
gravity = [0, -9.81]
[parameters]
L = 1
[body.arm]
type = "planar"
mass = 1
inertia = "L^2/12"
position = ["L/2", 0]
markers = { hip = ["-L/2", 0] }
[joint.hip]
type = "revolute"
between = ["ground", "arm.hip"]
[contact.stop]
type = "limit"
joint = "hip"
lower = "-40 deg"
restitution = 0.5
[sensor]
angle = { type = "joint", joint = "hip" }
[analysis]
end = "3*sqrt(L)"
sample = "0.01*sqrt(L)"
"#;

/// The stop of a hinge holds whatever the length of the arm: angles have no length. Time is in parts
/// of the period, so that all arms do the same.
#[test]
fn angle_stops_hold_at_any_length() {
    let stop = -40.0f64.to_radians();
    let spec = parsed(ARM);
    for length in ["1e-3", "0.01", "0.065", "1", "10", "100"] {
        let m = assembled(&spec, &[("L", length)]);
        let size: f64 = length.parse().unwrap();
        let exact = run(&m, |_| {});
        for method in ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"] {
            let out = run(&m, |o| {
                o.scheme = SchemeType::TimeStepping;
                o.method = method.to_owned();
                o.step = Some(1e-3 * size.sqrt());
            });
            let (got, want) =
                (out.results.get("angle").unwrap(), exact.results.get("angle").unwrap());
            assert_eq!(got.len(), want.len());
            for (k, (x, y)) in got.iter().zip(want).enumerate() {
                let d = (x - y).abs();
                assert!(d < 2e-2 && *x > stop - 5e-3, "{length} {method} sample {k}: {x} {y}");
            }
        }
        let last = exact.results.get("angle").unwrap().last().copied().unwrap();
        assert!((last - stop).abs() < 1e-9, "{length}: {last} {stop}");
    }
}

/// Dry friction stops a wheel after ω²/2α, and it stays there, in every scheme.
#[test]
fn dry_friction_stops_a_wheel() {
    let text = r#"
schema = 1
title = "Wheel and brake"
[body.w]
type = "planar"
mass = 1
inertia = 0.01
rate = 10
[joint.axle]
type = "revolute"
between = ["ground", "w"]
[contact.brake]
type = "dry-friction"
joint = "axle"
bound = 0.5
[sensor]
a = { type = "joint", joint = "axle" }
[analysis]
end = 1
sample = 0.01
"#;
    let m = assembled(&parsed(text), &[]);
    for scheme in [SchemeType::Hybrid, SchemeType::EventDriven, SchemeType::TimeStepping] {
        for method in ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"] {
            let by_steps = scheme == SchemeType::TimeStepping;
            let out = run(&m, |o| {
                o.scheme = scheme;
                if by_steps {
                    o.method = method.to_owned();
                }
            });
            let a = out.results.get("a").unwrap().last().copied().unwrap();
            let tolerance = if by_steps { 1e-2 } else { 1e-9 };
            assert!((a - 1.0).abs() < tolerance, "{scheme:?} {method}: {a}");
            if !by_steps {
                break;
            }
        }
    }
}

/// A block on a belt breaks loose when friction reaches its bound, also if something much faster moves next to it.
#[test]
fn sliding_begins_at_the_bound_beside_what_is_fast() {
    let belt = r#"schema = 1
ground.markers = { wall = [-1, 0], axle = [5, 0] }
[body]
belt = { type = "planar", mass = 1, inertia = 1 }
block = { type = "planar", mass = 2.3, inertia = 1 }
arm
[joint]
rail = { type = "prismatic", between = ["ground", "belt"], axis = [1, 0] }
rub = { type = "prismatic", between = ["belt", "block"], axis = [1, 0] }
drive = { type = "motion", joint = "rail", value = "0.22*(1 - cos(4.1*t))" }
hinge
[force]
spring = { type = "spring", between = ["ground.wall", "block"], stiffness = 280, damping = 1, length = 1 }
[contact]
friction = { type = "dry-friction", joint = "rub", bound = 6.87, static_bound = 11 }
[analysis]
end = 0.2
"#;
    let slips = |text: &str| {
        let out = run(&assembled(&parsed(text), &[]), |_| {});
        out.events.iter().find(|e| e.kind == EventKind::Slip).unwrap().t
    };
    let alone = slips(&belt.replace("arm\n", "").replace("hinge\n", ""));
    let arm = "arm = { type = \"planar\", mass = 1, inertia = 0.07, com = [0.4, 0], position = [5, 0] }\n";
    let hinge = "hinge = { type = \"revolute\", between = [\"ground.axle\", \"arm\"] }\n\
                 turn = { type = \"motion\", joint = \"hinge\", value = \"step(t, 0.06, 0, 0.07, 23)\" }\n";
    let beside = slips(&belt.replace("arm\n", arm).replace("hinge\n", hinge));
    // F(t) = m a + k x + c v of the block that the belt carries
    let force = |t: f64| {
        let (s, c) = (4.1 * t).sin_cos();
        0.22 * (2.3 * 4.1 * 4.1 * c + 280.0 * (1.0 - c) + 4.1 * s)
    };
    for t in [alone, beside] {
        assert!((force(t) - 11.0).abs() < 1e-4, "{t}: {}", force(t));
    }
}

/// Two grippers far apart whose parts begin to slide at the same moment: neither stops the other.
#[test]
fn sliding_that_begins_at_once_far_apart() {
    let mut text = String::from("schema = 1\ngravity = [0, -9.81, 0]\nanalysis = { end = 0.15 }\n");
    for (k, x) in [0.0, 486.136_101_550_229_2].into_iter().enumerate() {
        let (hand, part, wall) = (x - 0.2, x + 0.05, x + 0.1);
        text += &format!(
            r#"ground.markers.hand{k} = [{hand}, 0, 0]
ground.markers.wall{k} = {{ position = [{wall}, 0, 0], orientation = {{ axis = [0, 0, 1], angle = "90 deg" }} }}
body.hand{k} = {{ type = "rigid", mass = 1.7, inertia = [0.017, 0.017, 0.017], position = [{hand}, 0.5, 0] }}
body.jaw{k} = {{ type = "rigid", mass = 0.46, inertia = [0.0046, 0.0046, 0.0046], position = [{x}, 0.5, 0], markers = {{ tip = [-0.02, 0, 0] }} }}
body.part{k} = {{ type = "rigid", mass = 0.4664, inertia = [0.0047, 0.0047, 0.0047], position = [{part}, 0.5, 0], markers = {{ face = {{ position = [-0.05, 0, 0], orientation = {{ axis = [0, 0, 1], angle = "90 deg" }} }}, nose = [0.05, 0, 0] }} }}
joint.lift{k} = {{ type = "prismatic", between = ["ground.hand{k}", "hand{k}"], axis = [0, 1, 0] }}
joint.press{k} = {{ type = "prismatic", between = ["hand{k}", "jaw{k}"], axis = [1, 0, 0] }}
joint.move{k} = {{ type = "motion", joint = "lift{k}", value = "0.5" }}
force.squeeze{k} = {{ type = "force", at = "jaw{k}", force = ["47", 0, 0] }}
shape.tip{k} = {{ type = "sphere", radius = 0.02, body = "jaw{k}.tip" }}
shape.face{k} = {{ type = "half-space", normal = [0, 1, 0], body = "part{k}.face" }}
shape.nose{k} = {{ type = "point", body = "part{k}.nose" }}
shape.wall{k} = {{ type = "half-space", normal = [0, 1, 0], body = "ground.wall{k}" }}
contact.slide{k} = {{ between = ["nose{k}", "wall{k}"] }}
contact.grip{k} = {{ between = ["tip{k}", "face{k}"], friction = 0.3 }}
"#
        );
    }
    let out = run(&assembled(&parsed(&text), &[]), |_| {});
    let slips = out.events.iter().filter(|e| e.kind == EventKind::Slip).count();
    assert!(slips == 2, "{} events", out.events.len());
}

/// A disc that slides along a wall without a load has no moment at which it leaves it: where that is looked for, it is found
/// later and later. The bounces of a ball elsewhere are not passed over meanwhile.
#[test]
fn what_has_no_load_hides_no_bounce() {
    let bouncing = r#"
schema = 1
body.plate = { type = "planar", mass = 1.4, inertia = 0.1 }
body.ball = { type = "planar", mass = 1.8, inertia = 0.0017, position = [0.1, 0.0983] }
joint.guide = { type = "prismatic", between = ["ground", "plate"], axis = [0, 1] }
joint.drive = { type = "motion", joint = "guide", value = "0.29375*t^3" }
shape.top = { type = "half-plane", body = "plate" }
shape.skin = { type = "circle", radius = 0.0483, body = "ball" }
contact.hit = { between = ["skin", "top"], restitution = 0.3, friction = 0.3 }
analysis = { end = 0.765, sample = 0.05 }
"#;
    let sliding = r#"
ground.markers = { m0 = { position = [11.75, 0], angle = -0.1616 } }
body.disc = { type = "planar", mass = 0.7, inertia = 0.0047, position = [11.8844, 0.8246], velocity = [-1.6, -0.7], rate = -4.83 }
shape.wall = { type = "half-plane", body = "ground.m0" }
shape.rim = { type = "circle", radius = 0.13, body = "disc" }
contact.slides = { between = ["rim", "wall"], restitution_law = "energetic", friction = 0.6 }
"#;
    let bounces = |text: &str| -> Vec<f64> {
        let outcome = run(&assembled(&parsed(text), &[]), |_| {});
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        let hits = outcome.events.iter().filter(|e| e.kind == EventKind::Impact);
        hits.filter(|e| e.contact == "hit").map(|e| e.t).collect()
    };
    let alone = bounces(bouncing);
    let beside = bounces(&(bouncing.to_owned() + sliding));
    assert!(alone.len() >= 5 && alone.len() == beside.len(), "{alone:?} {beside:?}");
    for (a, b) in alone.iter().zip(&beside) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}
