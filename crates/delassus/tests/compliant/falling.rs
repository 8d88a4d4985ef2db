//! Friction that falls with the speed in rigid contacts and in joints: the second half of benchmark E7, and rigid
//! contacts together with compliant ones.

use crate::friction::{METHODS, last};
use crate::support;

use delassus::model::compile;
use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use support::{assembled, errors, load, parsed, reference, run};

#[test]
fn e7_stribeck_slips_and_sticks_on_time() {
    let m = load("benchmarks/E7_stribeck.toml", &[]);
    let table = reference("E7_stribeck_events");
    let (times, slips) = (table.column("t").unwrap(), table.column("slip_starts").unwrap());
    for method in METHODS {
        let rtol = if method == "bdf" { 1e-11 } else { 1e-9 };
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(rtol);
        });
        let of = |kind: EventKind| out.events.iter().filter(move |e| e.kind == kind);
        for (kind, slip) in [(EventKind::Slip, 1.0), (EventKind::Stick, 0.0)] {
            let wanted = times.iter().zip(slips).filter(|(_, s)| **s == slip);
            // the start is stuck
            let found: Vec<f64> = of(kind).map(|e| e.t).filter(|t| *t > 0.0).collect();
            assert_eq!(found.len(), wanted.clone().count(), "{method}: {kind:?} {found:?}");
            for (t, (want, _)) in found.iter().zip(wanted) {
                assert!((t - want).abs() <= 1e-6, "{method}: {kind:?} at {t} instead of {want}");
            }
        }
        let (x, _) = errors("E7_stribeck", &out, Some(&["x"]));
        assert!(x <= 1e-6, "{method}: {x}");
    }
}

/// The same friction in a joint between mass and belt, where it is a force, does the same; in a turning one about an axis too.
#[test]
fn dry_friction_in_joints_falls_with_the_speed() {
    let sliding = r#"
schema = 1
[body.belt]
type = "planar"
mass = 1
inertia = 1
[body.mass]
type = "planar"
mass = 1
inertia = 1
velocity = [0.1, 0]
[joint.guide]
type = "prismatic"
between = ["ground", "belt"]
[joint.drive]
type = "motion"
joint = "guide"
value = "0.1*t"
[joint.on]
type = "prismatic"
between = ["belt", "mass"]
[force.spring]
type = "torsion"
between = ["ground", "mass"]
axis = [1, 0]
coordinate = "position"
stiffness = 100
[contact.rub]
type = "dry-friction"
joint = "on"
bound = "0.3*9.81 N"
static_bound = "0.4*9.81 N"
friction_law = "stribeck"
stribeck_speed = "50 mm/s"
stribeck_exponent = 1
[sensor.x]
type = "position"
of = "mass"
component = "x"
[analysis]
end = 3.295
sample = 0.005
"#;
    let turning = r#"
schema = 1
[body.belt]
type = "planar"
mass = 1
inertia = 1
[body.mass]
type = "planar"
mass = 1
inertia = 1
rate = 0.1
[joint.guide]
type = "revolute"
between = ["ground", "belt"]
[joint.drive]
type = "motion"
joint = "guide"
value = "0.1*t"
[joint.on]
type = "revolute"
between = ["belt", "mass"]
[force.spring]
type = "torsion"
between = ["ground", "mass"]
stiffness = 100
[contact.rub]
type = "dry-friction"
joint = "on"
bound = "0.3*9.81 N*m"
static_bound = "0.4*9.81 N*m"
friction_law = "stribeck"
stribeck_speed = "0.05 rad/s"
stribeck_exponent = 1
[sensor.x]
type = "angle"
of = "mass"
[analysis]
end = 3.295
sample = 0.005
"#;
    for text in [sliding, turning] {
        let m = assembled(&parsed(text), &[]);
        for method in ["mdop5", "radau5"] {
            let out = run(&m, |o| {
                o.method = method.to_owned();
                o.rtol = Some(1e-9);
            });
            let (x, _) = errors("E7_stribeck", &out, Some(&["x"]));
            assert!(x <= 1e-6, "{method}: {x}\n{text}");
        }
    }
    let other = sliding.replace("\"stribeck\"", "\"lugre\"");
    let faults = compile(&parsed(&other)).unwrap_err();
    assert!(faults.iter().any(|f| f.code == "E_FRICTION_LAW"), "{faults:?}");
    let slow = sliding.replace("stribeck_speed = \"50 mm/s\"", "stribeck_speed = \"1 rad/s\"");
    let faults = compile(&parsed(&slow)).unwrap_err();
    assert!(faults.iter().any(|f| f.code == "E_DIMENSION"), "{faults:?}");
}

/// Time-stepping takes the coefficient of the speed that each step starts with.
#[test]
fn e7_stribeck_by_time_stepping() {
    let m = load("benchmarks/E7_stribeck.toml", &[]);
    let off = |h: f64| {
        let out = run(&m, |o| {
            o.scheme = SchemeType::TimeStepping;
            o.step = Some(h);
            o.t_end = 1.0;
        });
        let table = reference("E7_stribeck");
        let (found, wanted) = (out.results.get("x").unwrap(), table.column("x").unwrap());
        found.iter().zip(wanted).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
    };
    let (coarse, fine) = (off(1e-3), off(2.5e-4));
    assert!(fine < 0.4 * coarse && fine < 1e-4, "{coarse} {fine}");
}

/// An arm hits a cart that stands on a rigid floor whose friction falls with the speed: both kinds of contact at once, by
/// methods that agree. One of low order takes steps so short that rigid contacts alone would be left to time-stepping, which
/// does not know compliant ones.
#[test]
fn rigid_and_compliant_friction_side_by_side() {
    let text = r#"
schema = 1
gravity = [0, -9.81]
[body.arm]
type = "planar"
mass = 1
inertia = 0.05
com = [0.5, 0]
angle = -0.3
[joint.j]
type = "revolute"
between = ["ground", "arm"]
[shape.tip]
type = "circle"
body = "arm"
radius = 0.05
at = [1, 0]
[body.cart]
type = "planar"
mass = 2
inertia = 0.1
position = [0.9, -0.75]
[shape.cart]
type = "profile"
body = "cart"
points = [[-0.5, -0.05], [0.5, -0.05], [0.5, 0.05], [-0.5, 0.05]]
[shape.floor]
type = "half-plane"
body = "ground"
at = [0, -0.8]
[contact.soft]
between = ["tip", "cart"]
law = "exact"
restitution = 0.4
stiffness = 1e6
friction = 0.3
friction_law = "threlfall"
creep_speed = 0.001
[contact.rigid]
between = ["cart", "floor"]
friction = 0.05
static_friction = 0.1
friction_law = "stribeck"
stribeck_speed = 0.1
[sensor.a]
type = "joint"
joint = "j"
[sensor.p]
type = "position"
of = "cart"
component = "x"
[analysis]
end = 0.5
sample = 0.05
"#;
    let m = assembled(&parsed(text), &[]);
    let ends = ["radau5", "mdop5", "gen-alpha-ggl"].map(|method| {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(1e-8);
        });
        assert!(out.summary.energy_error < 1e-4, "{method}: {}", out.summary.energy_error);
        [last(&out, "a"), last(&out, "p")]
    });
    for end in ends {
        for (x, y) in end.into_iter().zip(ends[0]) {
            assert!((x - y).abs() < 1e-6, "{ends:?}");
        }
    }
}
