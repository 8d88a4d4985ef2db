//! Section E of the benchmark problems: compliant contact on model files, against solutions in closed form or of
//! independent programs, by explicit, half-explicit and implicit methods.

use crate::support;

use delassus::math::largest;
use delassus::model::{Assembled, assemble, compile};
use delassus::sim::contact::{Event, EventKind};
use delassus::sim::{RunOptions, RunOutcome};
use std::collections::BTreeMap;
use support::{assembled, load, parsed, reference, run, spec, try_run};

/// Methods, with the tolerance that gives 1e-6 of a contact: backward differences judge velocities by what they do to
/// positions in one step, and need a tighter one.
const METHODS: [(&str, f64); 5] =
    [("mdop5", 1e-9), ("hem5", 1e-9), ("gen-alpha-ggl", 1e-9), ("bdf", 1e-11), ("radau5", 1e-9)];

pub(crate) fn with(method: &str, rtol: f64) -> impl Fn(&mut RunOptions) + '_ {
    move |o| {
        o.method = method.to_owned();
        o.rtol = Some(rtol);
    }
}

/// Touch and part of each contact, of those that touched once and parted.
pub(crate) fn pairs(out: &RunOutcome) -> BTreeMap<&str, (&Event, &Event)> {
    let mut touched: BTreeMap<&str, &Event> = BTreeMap::new();
    let mut pairs = BTreeMap::new();
    for e in &out.events {
        match e.kind {
            EventKind::Touch => {
                assert!(touched.insert(&e.contact, e).is_none(), "{} touches twice", e.contact);
            }
            EventKind::Part => {
                pairs.insert(e.contact.as_str(), (touched[e.contact.as_str()], e));
            }
            _ => panic!("{e:?}"),
        }
    }
    pairs
}

pub(crate) fn near(found: f64, wanted: f64, limit: f64, what: &str) {
    assert!((found / wanted - 1.0).abs() <= limit, "{what}: {found} instead of {wanted}");
}

fn row(table: &str, wanted: &[(&str, f64)]) -> impl Fn(&str) -> f64 + use<> {
    let table = reference(table);
    let fits = |i: &usize| wanted.iter().all(|(c, x)| table.column(c).unwrap()[*i] == *x);
    let i = (0..table.column(wanted[0].0).unwrap().len()).find(fits).unwrap();
    move |name| table.column(name).unwrap()[i]
}

#[test]
fn e1_falls_touches_and_comes_back() {
    for ce in [1.0, 0.9] {
        let m = load("benchmarks/E1_falling_ball.toml", &[("ce", &ce.to_string())]);
        let want = row("E1_falling_ball_events", &[("ce", ce)]);
        for (method, rtol) in METHODS {
            let out = run(&m, with(method, rtol));
            let (touch, part) = pairs(&out)["bounce"];
            near(touch.t, want("t_impact"), 1e-10, method);
            near(-touch.speed_before, want("impact_speed"), 1e-10, method);
            assert!(touch.depth.abs() < 1e-14, "{method} begins {} inside", touch.depth);
            near(part.t - touch.t, want("contact_duration"), 1e-6, method);
            near(part.depth, want("max_penetration"), 1e-6, method);
            near(part.speed_after, want("rebound_speed"), 1e-6, method);
            // nothing rubs
            let vx = out.results.get("v.x").unwrap();
            assert!(vx.iter().all(|v| (v - 1.0).abs() < 1e-9), "{method}");
            // the height to which it goes from here
            let (t, y) = (&out.results.t, out.results.get("p.y").unwrap());
            let vy = out.results.get("v.y").unwrap();
            let heights: Vec<f64> = (0..t.len())
                .filter(|k| t[*k] > part.t)
                .map(|k| y[k] - 0.1 + vy[k] * vy[k] / (2.0 * 9.81))
                .collect();
            assert!(heights.len() > 40, "{method}");
            for height in heights {
                near(height, want("rebound_height"), 1e-6, method);
            }
            let tally = out.summary.contact.as_ref().unwrap().compliant.clone();
            assert_eq!((tally.contacts, tally.deepest.contact.as_str()), (1, "bounce"));
            near(tally.deepest.value, want("max_penetration"), 1e-6, method);
            assert!(out.summary.energy_error < 1e-5, "{method}: {}", out.summary.energy_error);
        }
    }
}

/// What the law takes is what the log says, and what the ball lost.
#[test]
fn losses_are_told() {
    let m = load("benchmarks/E1_falling_ball.toml", &[("ce", "0.5")]);
    let out = run(&m, |o| o.rtol = Some(1e-10));
    let (touch, part) = pairs(&out)["bounce"];
    let kinetic = |v: f64| 0.5 * v * v;
    near(part.energy_lost, kinetic(touch.speed_before) - kinetic(part.speed_after), 1e-6, "lost");
    // gravity has a part in the impulse
    let jump = part.speed_after - touch.speed_before + 9.81 * (part.t - touch.t);
    near(part.impulse, jump, 1e-7, "impulse");
}

#[test]
fn e2_keeps_its_energy_at_any_longest_step() {
    let m = load("benchmarks/E2_pendulum_wall.toml", &[]);
    let want = row("E2_pendulum_wall_events", &[("t_contact", 0.5382186667201299)]);
    let energy = 9.81 * 0.5;
    for (method, rtol) in METHODS {
        // a stiffer wall than in E1, and velocities that are judged by positions
        let rtol = if method == "bdf" { 1e-12 } else { rtol };
        for max_step in [1e-2, 1e-3, 1e-4] {
            let out = run(&m, |o| {
                with(method, rtol)(o);
                o.max_step = Some(max_step);
            });
            let what = format!("{method}, steps of {max_step} s");
            let (touch, part) = pairs(&out)["hit"];
            near(touch.t, want("t_contact"), 1e-8, &what);
            near(-touch.speed_before, want("approach_speed"), 1e-8, &what);
            near(part.t - touch.t, want("contact_duration"), 1e-6, &what);
            near(part.depth, want("max_penetration"), 1e-6, &what);
            near(part.speed_after, want("rebound_speed"), 1e-6, &what);
            let total = out.results.get("energy").unwrap();
            let drift = largest(total.iter().map(|e| (e - total[0]).abs()));
            assert!(drift < 1e-6 * energy, "{what}: the energy changes by {drift}");
        }
    }
}

/// The whole table of every law.
fn e5(method: &str, rtol: f64, cases: &[(usize, f64)]) {
    let table = reference_rows();
    for &(tenths, v) in cases {
        let ce = tenths as f64 / 10.0;
        let set = [("ce", ce.to_string()), ("v", v.to_string())];
        let set: Vec<(&str, &str)> = set.iter().map(|(a, b)| (*a, b.as_str())).collect();
        let m = load("benchmarks/E5_compliant_laws.toml", &set);
        let out = run(&m, with(method, rtol));
        let found = pairs(&out);
        assert_eq!(found.len(), 11, "{method}: {ce} {v}");
        for (law, (touch, part)) in found {
            let want = &table[&(law.to_owned(), tenths, v as u32)];
            let what = format!("{method}: {law} ce {ce} v {v}");
            let back = part.speed_after / -touch.speed_before;
            near(back, want[0], 1e-6, &format!("{what}, restitution"));
            near(part.t - touch.t, want[1], 1e-6, &format!("{what}, duration"));
            near(part.depth, want[2], 1e-6, &format!("{what}, depth"));
            let lost = 0.5 * v * v * (1.0 - back * back);
            assert!((part.energy_lost - lost).abs() < 1e-6 * v * v, "{what}: lost");
        }
    }
}

/// Restitution, duration and depth by law, tenths of ce, and speed.
pub(crate) fn reference_rows() -> BTreeMap<(String, usize, u32), [f64; 3]> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/E5_compliant_laws.csv");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let f: Vec<&str> = line.split(',').collect();
            let x = |k: usize| f[k].parse::<f64>().unwrap();
            let key = (f[0].to_owned(), (10.0 * x(1)).round() as usize, x(2) as u32);
            (key, [x(4), x(5), x(6)])
        })
        .collect()
}

fn all() -> Vec<(usize, f64)> {
    (1..=10).flat_map(|k| [(k, 1.0), (k, 5.0)]).collect()
}

#[test]
fn e5_every_law_by_mdop5() {
    e5("mdop5", 1e-10, &all());
}

#[test]
fn e5_every_law_by_hem5() {
    e5("hem5", 1e-9, &all());
}

#[test]
fn e5_every_law_by_radau5() {
    e5("radau5", 1e-9, &all());
}

#[test]
fn e5_every_law_by_bdf() {
    e5("bdf", 1e-10, &all());
}

/// Of second order: two of the twenty columns.
#[test]
fn e5_every_law_by_gen_alpha() {
    e5("gen-alpha-ggl", 1e-9, &[(5, 1.0), (9, 5.0)]);
}

pub(crate) fn e1_with(fields: &str, set: &[(&str, &str)]) -> Assembled {
    let mut spec = spec("benchmarks/E1_falling_ball.toml");
    let more = format!("schema = 1\n[contact.bounce]\nbetween = [\"a\", \"b\"]\n{fields}");
    let more = parsed(&more).contact.0[0].1.clone();
    let contact = &mut spec.contact.0[0].1;
    (contact.start, contact.max_start_depth) = (more.start, more.max_start_depth);
    contact.min_start_step = more.min_start_step;
    assembled(&spec, set)
}

/// The procedures of the paper: interpolation is as good as the dense output, halving as deep as allowed.
#[test]
fn other_ways_to_start() {
    let want = row("E1_falling_ball_events", &[("ce", 1.0)]);
    let m = e1_with("start = \"interpolate\"", &[]);
    let out = run(&m, |o| o.rtol = Some(1e-10));
    let (touch, part) = pairs(&out)["bounce"];
    assert!(touch.depth.abs() < 1e-7, "{}", touch.depth);
    near(part.depth, want("max_penetration"), 1e-5, "interpolated");
    for most in [1e-4, 1e-6, 1e-8] {
        let m = e1_with(&format!("start = \"shrink\"\nmax_start_depth = {most}"), &[]);
        let out = run(&m, |o| o.rtol = Some(1e-10));
        let (touch, part) = pairs(&out)["bounce"];
        assert!((0.0..=most).contains(&touch.depth), "{most}: {}", touch.depth);
        near(part.depth, want("max_penetration"), 2.0 * (most / 1e-6).max(1e-3) * 1e-3, "shrunk");
    }
}

/// Without control of the start, steps of 20 ms begin far inside, and energy comes from nowhere.
#[test]
fn without_control_energy_is_gained() {
    let m = e1_with("start = \"shrink\"\nmax_start_depth = 1", &[]);
    let out = try_run(&m, |o| {
        o.rtol = Some(1e-9);
        o.max_step = Some(0.02);
    });
    let start = &out.summary.contact.as_ref().unwrap().compliant.deepest_start;
    assert!(start.value > 1e-3, "{}", start.value);
    assert!(out.summary.energy_error > 1.0, "{}", out.summary.energy_error);
    // it leaves faster than it came, and rises above the height that it fell from
    let part = out.events.iter().find(|e| e.kind == EventKind::Part).unwrap();
    assert!(part.speed_after > 1.05 * 4.42944691807, "{}", part.speed_after);
}

/// A resting ball sinks in as far as its weight takes it, and what moves on a table slides on.
#[test]
fn a_ball_comes_to_rest_where_its_weight_is_carried() {
    let text = r#"
schema = 1
gravity = [0, -9.81]
[body.ball]
type = "planar"
mass = 1
inertia = 0.1
position = [0, 0.2]
[shape.ball]
type = "circle"
body = "ball"
radius = 0.1
[shape.floor]
type = "half-plane"
body = "ground"
[contact.floor]
between = ["ball", "floor"]
law = "LAW"
stiffness = 1e6
restitution = 0.3
[sensor.p]
type = "position"
of = "ball"
[analysis]
end = 2
sample = 0.1
"#;
    for (law, depth) in [("exact", (9.81f64 / 1e6).powf(1.0 / 1.5)), ("kelvin-voigt", 9.81 / 1e6)] {
        let m = assembled(&parsed(&text.replace("LAW", law)), &[]);
        for method in ["mdop5", "radau5"] {
            let out = run(&m, |o| o.method = method.to_owned());
            let y = out.results.get("p.y").unwrap().last().unwrap();
            assert!((y - 0.1 + depth).abs() < 0.02 * depth, "{law} {method}: {}", 0.1 - y);
            let moved = 9.81 * 0.1;
            assert!(out.summary.energy_error < 1e-4 * moved, "{law} {method}");
        }
    }
}

/// Four corners of a box land simultaneously, with a rigid contact next to it, and a ball rolls over an edge.
#[test]
fn points_that_wander_and_rigid_contacts_beside_them() {
    let text = r#"
schema = 1
gravity = [0, -9.81]
[body.table]
type = "planar"
mass = 5
inertia = 0.1
position = [0, 0.05]
[body.ball]
type = "planar"
mass = 1
inertia = 0.01
position = [0.2, 0.21]
velocity = [0.4, 0]
[shape.table]
type = "profile"
body = "table"
points = [[-0.3, -0.05], [0.3, -0.05], [0.3, 0.05], [-0.3, 0.05]]
[shape.ball]
type = "circle"
body = "ball"
radius = 0.1
[shape.floor]
type = "half-plane"
body = "ground"
[contact.stand]
between = ["table", "floor"]
friction = 0.3
[contact.hit]
between = ["ball", "table"]
law = "exact"
stiffness = 1e6
restitution = 0.2
[sensor.p]
type = "position"
of = "ball"
[analysis]
end = 0.45
sample = 0.05
"#;
    let m = assembled(&parsed(text), &[]);
    let mut ends: Vec<f64> = Vec::new();
    for method in ["mdop5", "radau5"] {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(1e-9);
        });
        let count = |kind: EventKind| out.events.iter().filter(|e| e.kind == kind).count();
        assert!(count(EventKind::NormalChange) >= 1, "{method}: {:?}", out.events);
        assert!(count(EventKind::Touch) >= 1 && count(EventKind::Close) >= 2);
        assert!(out.summary.energy_error < 1e-5, "{method}: {}", out.summary.energy_error);
        ends.push(*out.results.get("p.y").unwrap().last().unwrap());
    }
    assert!((ends[0] - ends[1]).abs() < 1e-6, "{ends:?}");
}

#[test]
fn corners_that_land_at_once() {
    let text = r#"
schema = 1
gravity = [0, 0, -9.81]
[body.box]
type = "rigid"
mass = 2
inertia = [0.01, 0.012, 0.015]
position = [0, 0, 0.15]
[shape.box]
type = "box"
body = "box"
size = [0.2, 0.3, 0.1]
[shape.floor]
type = "half-space"
body = "ground"
[contact.drop]
between = ["box", "floor"]
law = "hertz"
stiffness = 1e7
[sensor.p]
type = "position"
of = "box"
[analysis]
end = 0.25
sample = 0.01
[method]
rtol = 1e-9
"#;
    let m = assembled(&parsed(text), &[]);
    let out = run(&m, |_| ());
    let touches: Vec<f64> =
        out.events.iter().filter(|e| e.kind == EventKind::Touch).map(|e| e.t).collect();
    assert_eq!(touches.len(), 4);
    assert!(touches.iter().all(|t| (t - (0.2f64 / 9.81).sqrt()).abs() < 1e-10), "{touches:?}");
    // four springs of K: deepest (5/2 · m v²/(2 · 4 K))^(2/5), apart from its weight
    let part = out.events.iter().find(|e| e.kind == EventKind::Part).unwrap();
    let free = (2.5 * 2.0 * 2.0 * 9.81 * 0.1 / (2.0 * 4e7f64)).powf(0.4);
    near(part.depth, free, 0.02, "deepest");
    near(part.speed_after, (2.0f64 * 9.81 * 0.1).sqrt(), 1e-6, "rebound");
    assert!(out.summary.energy_error < 1e-5, "{}", out.summary.energy_error);
}

/// Two spheres of two materials that meet along the line of their centres (across it the normal would turn while they
/// touch): the stiffness of Hertz, and no momentum from nowhere.
#[test]
fn spheres_of_two_materials() {
    let text = r#"
schema = 1
[material.steel]
young = "207 GPa"
poisson = 0.3
[material.brass]
young = "100 GPa"
poisson = 0.34
[body.a]
type = "rigid"
mass = 1
inertia = [0.01, 0.01, 0.01]
velocity = [1, 0.1, 0.04]
[body.b]
type = "rigid"
mass = 2
inertia = [0.01, 0.01, 0.01]
position = [0.5, 0.05, 0.02]
[shape.a]
type = "sphere"
body = "a"
radius = 0.1
[shape.b]
type = "sphere"
body = "b"
radius = 0.15
[contact.hit]
between = ["a", "b"]
law = "exact"
material = ["steel", "brass"]
restitution = 0.7
[sensor.u]
type = "velocity"
of = "a"
[sensor.w]
type = "velocity"
of = "b"
[analysis]
end = 0.5
sample = 0.01
[method]
rtol = 1e-11
"#;
    let m = assembled(&parsed(text), &[]);
    for method in ["mdop5", "radau5"] {
        let out = run(&m, |o| o.method = method.to_owned());
        let (touch, part) = pairs(&out)["hit"];
        near(part.speed_after / -touch.speed_before, 0.7, 1e-6, method);
        let sigma = |e: f64, nu: f64| (1.0 - nu * nu) / e;
        let k =
            4.0 / 3.0 / (sigma(207e9, 0.3) + sigma(100e9, 0.34)) * (0.1f64 * 0.15 / 0.25).sqrt();
        let (a, mass, v) = (0.842_683_467_607_652, 2.0 / 3.0, -touch.speed_before);
        let a = solve_factor(a);
        let deepest = 2.5 * mass * v * v / k * (1.0 / a - (1.0 + a).ln() / (a * a));
        near(part.depth, deepest.powf(0.4), 1e-5, method);
        let last = |name: &str| *out.results.get(name).unwrap().last().unwrap();
        for (c, before) in [("x", 1.0), ("y", 0.1), ("z", 0.04)] {
            let p = last(&format!("u.{c}")) + 2.0 * last(&format!("w.{c}"));
            assert!((p - before).abs() < 1e-9, "{method}: momentum along {c}");
        }
    }
}

/// The factor a of restitution 0.7, by Newton's method from a guess.
fn solve_factor(guess: f64) -> f64 {
    let e = 0.7;
    let f = |a: f64| a * (1.0 + e) - ((1.0 + a) / (1.0 - a * e)).ln();
    let mut a = guess;
    for _ in 0..50 {
        a -= f(a) / ((f(a + 1e-6) - f(a - 1e-6)) / 2e-6);
    }
    a
}

/// What a law cannot have is refused by name, at its place.
#[test]
fn bad_input_is_refused_by_name() {
    let base = |contact: &str, more: &str, shape: &str| {
        format!(
            "schema = 1\n{more}\n[body.ball]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\nposition = [0, 1]\n\
             [shape.ball]\nbody = \"ball\"\n{shape}\n[shape.ground]\ntype = \"half-plane\"\nbody = \"ground\"\n\
             [contact.c]\nbetween = [\"ball\", \"ground\"]\n{contact}\n"
        )
    };
    let steel = "[material.steel]\nyoung = \"207 GPa\"\npoisson = 0.3";
    let circle = "type = \"circle\"\nradius = 0.1";
    let point = "type = \"point\"";
    let k = "stiffness = 1e8\n";
    let cases: [(String, &str, &str, &str, &str); 23] = [
        (
            format!("{k}law = \"hertz\"\nmin_start_step = 1"),
            "",
            circle,
            "E_FIELD_UNUSED",
            "min_start_step",
        ),
        (
            format!("{k}law = \"gonthier\"\nrestitution = 0"),
            "",
            circle,
            "E_RESTITUTION",
            "restitution",
        ),
        (
            format!("{k}law = \"kelvin-voigt\"\nrestitution = 0"),
            "",
            circle,
            "E_RESTITUTION",
            "restitution",
        ),
        (
            format!("{k}law = \"flores\"\nrestitution = 1.5"),
            "",
            circle,
            "E_RESTITUTION",
            "restitution",
        ),
        (format!("{k}law = \"flores\""), "", circle, "E_MISSING_FIELD", "restitution"),
        (
            format!("{k}law = \"hertz\"\nrestitution = 0.5"),
            "",
            circle,
            "E_FIELD_UNUSED",
            "restitution",
        ),
        ("law = \"hertz\"".into(), "", circle, "E_MISSING_FIELD", "stiffness"),
        ("law = \"hertz\"\nstiffness = 0".into(), "", circle, "E_RANGE", "stiffness"),
        ("law = \"hertz\"\nstiffness = -1".into(), "", circle, "E_RANGE", "stiffness"),
        ("law = \"hertz\"\nstiffness = \"1e8 N/m\"".into(), "", circle, "E_DIMENSION", "stiffness"),
        (format!("{k}law = \"hertz\"\nexponent = 0.9"), "", circle, "E_RANGE", "exponent"),
        (format!("{k}law = \"hertz\"\nleast_speed = 0"), "", circle, "E_RANGE", "least_speed"),
        (
            format!("{k}law = \"hertz\"\nfriction = 0.1"),
            "",
            circle,
            "E_MISSING_FIELD",
            "friction_law",
        ),
        (format!("{k}law = \"hertz\"\nend = \"gap\""), "", circle, "E_FIELD_UNUSED", "end"),
        (
            format!("{k}law = \"hertz\"\nmax_start_depth = 1"),
            "",
            circle,
            "E_FIELD_UNUSED",
            "max_start_depth",
        ),
        (
            format!("{k}law = \"hertz\"\nstart = \"shrink\""),
            "",
            circle,
            "E_MISSING_FIELD",
            "max_start_depth",
        ),
        (
            format!("{k}law = \"hertz\"\nstart = \"shrink\"\nmax_start_depth = 0"),
            "",
            circle,
            "E_RANGE",
            "max_start_depth",
        ),
        (k.to_owned(), "", circle, "E_FIELD_UNUSED", "stiffness"),
        (
            "law = \"hertz\"\nmaterial = \"stel\"".into(),
            steel,
            circle,
            "E_UNKNOWN_NAME",
            "material",
        ),
        (
            format!("{k}law = \"hertz\"\nmaterial = \"steel\""),
            steel,
            circle,
            "E_FIELD_UNUSED",
            "material",
        ),
        (
            "law = \"hertz\"\nexponent = 2\nmaterial = \"steel\"".into(),
            steel,
            circle,
            "E_RANGE",
            "material",
        ),
        (
            "law = \"hertz\"\nmaterial = \"steel\"".into(),
            "[material.steel]\npoisson = 0.3",
            circle,
            "E_MISSING_FIELD",
            "young",
        ),
        ("law = \"hertz\"\nmaterial = \"steel\"".into(), steel, point, "E_MATERIAL", "material"),
    ];
    for (contact, more, shape, code, field) in cases {
        let text = base(&contact, more, shape);
        let faults = match compile(&parsed(&text)) {
            Err(faults) => faults,
            Ok(model) => delassus::model::System::new(model).map(|_| ()).unwrap_err(),
        };
        assert!(
            faults.iter().any(|f| f.code == code && f.path.ends_with(field)),
            "{contact}: {faults:?}"
        );
        assert!(faults.iter().all(|f| !f.message.is_empty()), "{contact}");
    }
    let other = "schema = 1\n[body.a]\ntype = \"planar\"\nmass = 1\ninertia = 1\n[joint.j]\ntype = \"revolute\"\n\
                 between = [\"ground\", \"a\"]\n[contact.c]\ntype = \"limit\"\njoint = \"j\"\nupper = 1\nlaw = \"hertz\"\n";
    let faults = compile(&parsed(other)).unwrap_err();
    assert!(
        faults.iter().any(|f| f.code == "E_FIELD_UNUSED" && f.path.ends_with("law")),
        "{faults:?}"
    );
}

/// What assembles once assembles again.
#[test]
fn a_model_is_assembled_twice() {
    let m = load("benchmarks/E1_falling_ball.toml", &[]);
    let again = assemble(delassus::model::System::new(m.system.model().clone()).unwrap());
    assert!(again.is_ok());
}
