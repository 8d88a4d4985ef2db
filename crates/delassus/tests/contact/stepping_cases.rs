//! Time-stepping in cases that users met: seams of floors, ends of runs, the log, forces at rest, and shapes that are
//! hit from behind.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use delassus::sim::{RunOptions, RunOutcome};

const METHODS: [&str; 3] = ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"];

fn stepping(method: &str, h: f64) -> impl Fn(&mut RunOptions) {
    move |o| {
        o.method = method.to_owned();
        o.scheme = SchemeType::TimeStepping;
        o.step = Some(h);
    }
}

fn run(text: &str, change: impl FnOnce(&mut RunOptions)) -> RunOutcome {
    support::run(&support::assembled(&support::parsed(text), &[]), change)
}

fn last(out: &RunOutcome, name: &str) -> f64 {
    *out.results.get(name).unwrap().last().unwrap()
}

fn impacts(out: &RunOutcome) -> usize {
    out.events.iter().filter(|e| e.kind == EventKind::Impact).count()
}

/// A box of 0.4 by 0.2 that slides on the level 0, on two floors that meet at 0, with more.
fn plane_box(floors: &str, shapes: &str, friction: f64, more: &str) -> String {
    format!(
        "schema = 1\ngravity = [0, -9.81]\n[body.b]\ntype = \"planar\"\nmass = 1\ninertia = 0.02\n\
         position = [-1, 0.1]\nvelocity = [3, 0]\nrate = 0\n[shape.b]\ntype = \"profile\"\n\
         points = [[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]]\nbody = \"b\"\n{floors}\
         [contact.c]\nbetween = [\"b\", [{shapes}]]\nfriction = {friction}\nrestitution = 0.5\n\
         [sensor.p]\ntype = \"position\"\nof = \"b\"\n[sensor.v]\ntype = \"velocity\"\nof = \"b\"\n\
         [analysis]\nend = 0.8\nsample = 0.01\n{more}"
    )
}

const PROFILES: &str = "[shape.f1]\ntype = \"profile\"\nbody = \"ground\"\n\
    points = [[-3, -1], [0, -1], [0, 0], [-3, 0]]\n\
    [shape.f2]\ntype = \"profile\"\nbody = \"ground\"\n\
    points = [[0, -1], [3, -1], [3, 0], [0, 0]]\n";
const SEGMENTS: &str = "[shape.f1]\ntype = \"segment\"\nbody = \"ground\"\nfrom = [-3, 0]\nto = [0, 0]\n\
    [shape.f2]\ntype = \"segment\"\nbody = \"ground\"\nfrom = [0, 0]\nto = [3, 0]\n";

/// A seam of two floors of one level is not felt, in steps of any length.
#[test]
fn seams_are_not_felt() {
    for (floors, friction) in [(PROFILES, 0.0), (SEGMENTS, 0.0), (PROFILES, 0.3)] {
        let text = plane_box(floors, "\"f1\", \"f2\"", friction, "");
        let speed = 3.0 - friction * 9.81 * 0.8;
        for method in METHODS {
            for h in [1e-3, 7e-4, 3e-3] {
                let out = run(&text, stepping(method, h));
                let (v, y) = (last(&out, "v.x"), last(&out, "p.y"));
                // of positions at three times the velocity belongs to the middle of a step, and at the end,
                // which lies inside one, it is known to what friction does within it
                let two = if method == "schatzman-paoli" { 9.81 * h * friction } else { 0.0 };
                assert!((v - speed).abs() < 1e-6 + two, "{method} {h} {friction}: {v}");
                assert!((y - 0.1).abs() < 1e-5, "{method} {h} {friction}: {y}");
                assert_eq!(impacts(&out), 0, "{method} {h}: {:?}", out.events);
            }
        }
    }
}

#[test]
fn seams_are_not_felt_in_space() {
    let text = "schema = 1\ngravity = [0, 0, -9.81]\n[body.b]\ntype = \"rigid\"\nmass = 1\n\
        inertia = [0.02, 0.03, 0.04]\nposition = [-1, 0.05, 0.1]\nvelocity = [3, 0, 0]\n\
        rate = [0, 0, 0]\n[shape.b]\ntype = \"box\"\nsize = [0.4, 0.3, 0.2]\nbody = \"b\"\n\
        [shape.f]\ntype = \"box\"\nsize = [3, 2, 1]\nat = [-1.5, 0, -0.5]\nbody = \"ground\"\n\
        [shape.f2]\ntype = \"box\"\nsize = [3, 2, 1]\nat = [1.5, 0, -0.5]\nbody = \"ground\"\n\
        [contact.c]\nbetween = [\"b\", [\"f\", \"f2\"]]\nfriction = 0\nrestitution = 0.5\n\
        [sensor.p]\ntype = \"position\"\nof = \"b\"\n[sensor.v]\ntype = \"velocity\"\nof = \"b\"\n\
        [analysis]\nend = 0.8\nsample = 0.01\n";
    for h in [1e-3, 7e-4] {
        let out = run(text, stepping("moreau-jean", h));
        assert!((last(&out, "v.x") - 3.0).abs() < 1e-6, "{}", last(&out, "v.x"));
        assert!((last(&out, "p.z") - 0.1).abs() < 1e-5, "{}", last(&out, "p.z"));
    }
}

/// A wall that stands on the floor is hit: one that begins at the level of the floor, and a box.
#[test]
fn a_wall_on_the_floor_is_hit() {
    let floor = "[shape.f1]\ntype = \"segment\"\nbody = \"ground\"\nfrom = [-3, 0]\nto = [3, 0]\n";
    let side =
        "[shape.f2]\ntype = \"segment\"\nbody = \"ground\"\nfrom = [0.3, 0]\nto = [0.3, 1]\n";
    let block = "[shape.f2]\ntype = \"profile\"\nbody = \"ground\"\n\
        points = [[0.3, 0], [1, 0], [1, 0.5], [0.3, 0.5]]\n";
    for wall in [side, block] {
        let text = plane_box(&format!("{floor}{wall}"), "\"f1\", \"f2\"", 0.0, "");
        for method in METHODS {
            for h in [1e-3, 7e-4] {
                let out = run(&text, stepping(method, h));
                let v = last(&out, "v.x");
                assert!((v + 1.5).abs() < 1e-6, "{method} {h}: {v}");
                let far = out.results.get("p.x").unwrap().iter().fold(f64::MIN, |m, x| m.max(*x));
                assert!(far < 0.1 + 3e-3, "{method} {h}: {far}");
            }
        }
    }
}

/// Boxes of one size on one floor: the corners of one are at the corners of the other.
#[test]
fn a_box_hits_another_one_of_its_size() {
    let other = "[body.c]\ntype = \"planar\"\nmass = 1\ninertia = 0.02\nposition = [0.2, 0.1]\n\
        [shape.f2]\ntype = \"profile\"\nbody = \"c\"\n\
        points = [[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]]\n\
        [shape.f1]\ntype = \"half-plane\"\nbody = \"ground\"\n\
        [contact.d]\nbetween = [\"f2\", \"f1\"]\n\
        [sensor.w]\ntype = \"velocity\"\nof = \"c\"\n";
    let text = plane_box(other, "\"f1\", \"f2\"", 0.0, "");
    for method in METHODS {
        for h in [1e-3, 7e-4] {
            let out = run(&text, stepping(method, h));
            let (v, w) = (last(&out, "v.x"), last(&out, "w.x"));
            assert!((v - 0.75).abs() < 1e-5 && (w - 2.25).abs() < 1e-5, "{method} {h}: {v} {w}");
        }
    }
}

/// A box that falls flat on another one of its size lands on it.
#[test]
fn an_aligned_box_lands() {
    let text = "schema = 1\ngravity = [0, -9.81]\n[body.b]\ntype = \"planar\"\nmass = 1\n\
        inertia = 0.02\nposition = [0, 0.5]\n[shape.b]\ntype = \"profile\"\nbody = \"b\"\n\
        points = [[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]]\n[shape.f]\n\
        type = \"profile\"\nbody = \"ground\"\npoints = [[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]]\n\
        [contact.c]\nbetween = [\"b\", \"f\"]\nfriction = 0.3\n[sensor.p]\ntype = \"position\"\nof = \"b\"\n\
        [analysis]\nend = 1\n";
    for method in METHODS {
        let out = run(text, stepping(method, 1e-3));
        let (x, y) = (last(&out, "p.x"), last(&out, "p.y"));
        assert!(x.abs() < 1e-6 && (y - 0.2).abs() < 1e-5, "{method}: {x} {y}");
    }
}

const ROPES: &str = "schema = 1\ngravity = [0, 0, -9.81]\n[body.a]\ntype = \"point\"\nmass = 1\n\
    position = [0.5, 0, 0]\nvelocity = [0, 0.5, 0]\n[body.b]\ntype = \"point\"\nmass = 2\n\
    position = [0.5, 0.3, -0.2]\nvelocity = [0, 0, 0]\n[contact.r1]\ntype = \"rope\"\n\
    between = [\"ground\", \"a\"]\nlength = 1\nrestitution = 0\n[contact.r2]\ntype = \"rope\"\n\
    between = [\"a\", \"b\"]\nlength = 0.6\nrestitution = 0.2\n[sensor.va]\ntype = \"velocity\"\n\
    of = \"a\"\n[analysis]\nend = 1.5\nsample = 0.01\n";

/// The end is met by a full step where it is a multiple of the step, and a shorter last step does
/// no harm.
#[test]
fn the_last_step_is_like_the_others() {
    let speed = |out: &RunOutcome, k: usize| {
        let at = |c: &str| {
            let x = out.results.get(c).unwrap();
            x[x.len() - k]
        };
        at("va.x").hypot(at("va.y")).hypot(at("va.z"))
    };
    for method in METHODS {
        let out = run(ROPES, stepping(method, 1e-4));
        assert_eq!(out.summary.steps, 15000, "{method}");
        let (before, end) = (speed(&out, 2), speed(&out, 1));
        assert!((end - before).abs() < 0.5, "{method}: {before} {end}");
        // ends within a step, and just behind one
        for part in [0.3, 0.9, 1e-4, 1e-7] {
            let out = run(ROPES, |o| {
                stepping(method, 1e-4)(o);
                o.t_end = 1.5 + part * 1e-4;
            });
            assert_eq!(out.summary.steps, 15001, "{method}");
            let late = speed(&out, 1);
            assert!((end - late).abs() < 0.02, "{method} {part}: {end} {late}");
        }
    }
}

const BALL: &str = "schema = 1\ngravity = [0, -9.81]\n[body.b]\ntype = \"planar\"\nmass = 1\n\
    inertia = 0.1\nposition = [0, 1.1]\n[shape.b]\ntype = \"circle\"\nbody = \"b\"\nradius = 0.1\n\
    [shape.f]\ntype = \"half-plane\"\nbody = \"ground\"\n[contact.c]\nbetween = [\"b\", \"f\"]\n\
    restitution = 1\n[sensor.y]\ntype = \"position\"\nof = \"b\"\ncomponent = \"y\"\n\
    [analysis]\nend = 20\nsample = 0.01\n";

/// Impacts of positions at three times take two steps and are one line of the log.
#[test]
fn an_impact_is_one_line() {
    for method in METHODS {
        // 22.15 bounces in 20 s; where in the last step an end falls is not at stake here
        let out = run(BALL, stepping(method, 1e-3));
        assert_eq!(impacts(&out), 22, "{method}");
        let lost: f64 = out.events.iter().map(|e| e.energy_lost).sum();
        assert!(lost.abs() < 1.0, "{method}: {lost} J");
        for e in &out.events {
            let (u, v) = (e.speed_before, e.speed_after);
            assert!((u + v).abs() < 0.02, "{method}: {u} {v}");
            assert!((e.impulse - 2.0 * v).abs() < 0.05, "{method}: {} {v}", e.impulse);
        }
    }
}

/// Dry friction in a joint is no impact.
#[test]
fn dry_friction_does_not_hit() {
    let text = "schema = 1\ngravity = [0, -9.81]\n[body.a]\ntype = \"planar\"\nmass = 1\n\
        inertia = 0.083333\ncom = [0.5, 0]\nangle = \"-30 deg\"\nrate = 0\n[joint.a]\n\
        type = \"revolute\"\nbetween = [\"ground\", \"a\"]\n[contact.fr]\ntype = \"dry-friction\"\n\
        joint = \"a\"\nbound = 0.2\n[analysis]\nend = 3\n[sensor.a]\ntype = \"joint\"\njoint = \"a\"\n";
    for method in METHODS {
        assert_eq!(impacts(&run(text, stepping(method, 1e-3))), 0, "{method}");
    }
}

/// A follower that a spring presses on a cam, without gravity: no impact but the first contact.
#[test]
fn a_cam_that_stays_closed_does_not_hit() {
    let text = "schema = 1\n[body.cam]\ntype = \"planar\"\nmass = 1\ninertia = 0.01\n[joint.r]\n\
        type = \"revolute\"\nbetween = [\"ground\", \"cam\"]\n[joint.m]\ntype = \"motion\"\njoint = \"r\"\n\
        value = \"10*t\"\n[shape.cam]\ntype = \"circle\"\nradius = 0.05\nat = [0.02, 0]\nbody = \"cam\"\n\
        [body.f]\ntype = \"planar\"\nmass = 0.5\ninertia = 0.01\nposition = [0, 0.05]\n\
        velocity = [0, 0.2]\n[joint.p]\ntype = \"prismatic\"\nbetween = [\"ground\", \"f\"]\n\
        axis = [0, 1]\n[shape.f]\ntype = \"segment\"\nbody = \"f\"\nfrom = [0.1, 0]\nto = [-0.1, 0]\n\
        [ground.markers]\ntop = [0, 0.3]\n[force.s]\ntype = \"spring\"\nbetween = [\"ground.top\", \"f\"]\n\
        stiffness = 1000\nlength = 0.3\n[contact.c]\nbetween = [\"cam\", \"f\"]\nfriction = 0.15\n\
        [sensor.y]\ntype = \"position\"\nof = \"f\"\ncomponent = \"y\"\n[analysis]\nend = 2\n";
    for method in METHODS {
        let out = run(text, stepping(method, 1e-3));
        assert!(impacts(&out) <= 2, "{method}: {} {:?}", impacts(&out), out.events.first());
    }
}

/// The gap in the results is that of the sample.
#[test]
fn gaps_are_true() {
    for method in METHODS {
        let out = run(BALL, |o| {
            stepping(method, 1e-3)(o);
            o.t_end = 2.0;
        });
        let (y, gap) = (out.results.get("y").unwrap(), out.results.get("c.gap").unwrap());
        for (y, g) in y.iter().zip(gap) {
            assert!((g - (y - 0.1)).abs() < 1e-9, "{method}: {g} at {y}");
        }
    }
}

/// A body that a controller with damping presses on a wall: 200·0.2 N.
#[test]
fn a_force_at_rest_does_not_know_the_step() {
    let text = "schema = 1\n[body.s]\ntype = \"planar\"\nmass = 1\ninertia = 0.01\n[joint.p]\n\
        type = \"prismatic\"\nbetween = [\"ground\", \"s\"]\n[force.pid]\ntype = \"actuator\"\njoint = \"p\"\n\
        target = \"0.5 m\"\nkp = 200\nkd = 30\n[shape.s]\ntype = \"profile\"\nbody = \"s\"\n\
        points = [[-0.1, -0.05], [0, -0.05], [0, 0.05], [-0.1, 0.05]]\n[shape.w]\ntype = \"segment\"\n\
        body = \"ground\"\nfrom = [0.3, -1]\nto = [0.3, 1]\n[contact.c]\nbetween = [\"s\", \"w\"]\n\
        restitution = 0.4\n[sensor.x]\ntype = \"joint\"\njoint = \"p\"\n[analysis]\nend = 3\nsample = 0.01\n";
    for method in ["moreau-jean", "schatzman-paoli"] {
        for h in [1e-4, 1e-3, 2e-3] {
            let out = run(text, stepping(method, h));
            let n = last(&out, "c.normal");
            assert!((n - 40.0).abs() < 1e-6, "{method} {h}: {n}");
        }
    }
}

/// A one-sided segment that is met from behind is passed; then it is a wall from the front.
#[test]
fn what_comes_from_behind_is_not_pushed() {
    let text = "schema = 1\ngravity = [0, -4]\n[body.b]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\n\
        position = [0, -1.5]\nvelocity = [0, 4]\n[shape.A]\ntype = \"circle\"\nradius = 0.05\n\
        body = \"b\"\n[shape.B]\ntype = \"segment\"\nfrom = [-2, 0]\nto = [2, 0]\nbody = \"ground\"\n\
        [contact.c]\nbetween = [\"A\", \"B\"]\nrestitution = 1\nallow_overlap = true\n[sensor.y]\n\
        type = \"position\"\nof = \"b\"\ncomponent = \"y\"\n[analysis]\nend = 1.8\nsample = 0.02\n";
    for method in METHODS {
        let out = run(text, stepping(method, 1e-3));
        let y = out.results.get("y").unwrap();
        // up as if nothing were there
        for (t, y) in out.results.t.iter().zip(y).filter(|(t, _)| **t <= 1.4) {
            let free = -1.5 + 4.0 * t - 2.0 * t * t;
            assert!((y - free).abs() < 1e-5, "{method}: {y} instead of {free} at {t}");
        }
        // down to the front, and up again
        assert!(y.iter().skip(51).all(|y| *y > 0.045), "{method}: {y:?}");
        assert_eq!(impacts(&out), 1, "{method}: {:?}", out.events);
    }
}

/// An oscillator with a stop at its rest and e = 1 keeps its energy over 318 impacts.
#[test]
fn an_oscillator_with_a_stop_keeps_its_energy() {
    let text = "schema = 1\n[body.b]\ntype = \"planar-point\"\nmass = 2\nposition = [0.3, 0]\n\
        velocity = [0, 0]\n[joint.j]\ntype = \"point-on-line\"\nbetween = [\"ground\", \"b\"]\n\
        [ground.markers]\nh = [-1, 0]\n[force.s]\ntype = \"spring\"\nbetween = [\"ground.h\", \"b\"]\n\
        stiffness = 200\nlength = 1\n[shape.b]\ntype = \"point\"\nbody = \"b\"\n[shape.w]\n\
        type = \"half-plane\"\nnormal = [1, 0]\nbody = \"ground\"\n[contact.c]\n\
        between = [\"b\", \"w\"]\nrestitution = 1\n[sensor.x]\ntype = \"position\"\nof = \"b\"\n\
        component = \"x\"\n[analysis]\nend = 100\nsample = 0.1\n";
    for method in ["moreau-jean", "nonsmooth-gen-alpha"] {
        let out = run(text, stepping(method, 1e-3));
        // times are of first order
        assert!((315..320).contains(&impacts(&out)), "{method}: {}", impacts(&out));
        let gain = last(&out, "energy.kinetic") + last(&out, "energy.potential") - 9.0;
        assert!(gain.abs() < 0.02, "{method}: {gain} J");
    }
}

/// A block that rocks from one corner to the other, and a rod that tips while it slides: points that open
/// or close within a step carry an impulse that is the residual of the contact problem, and hold nothing.
#[test]
fn points_that_open_are_not_told_to_stick() {
    let rocking = "schema = 1\ngravity = [0, -9.81]\n[body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.0041666666666666675\n\
         position = [0, 0.10794012432387723]\nangle = 0.2\n[shape.b]\ntype = 'profile'\nbody = 'b'\n\
         points = [[-0.05, -0.1], [0.05, -0.1], [0.05, 0.1], [-0.05, 0.1]]\n[shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
         [contact.c]\nbetween = ['b', 'floor']\nrestitution = 0.3\nfriction = 0.8\n[analysis]\nend = 1\nsample = 0.01\n";
    let tipping = "schema = 1\ngravity = [0, 0, -9.81]\n[body.c]\ntype = 'rigid'\nmass = 1\n\
         inertia = [0.003433333333333334, 0.003433333333333334, 0.0002]\nposition = [0, 0, 0.1]\nvelocity = [2, 0, 0]\n\
         [shape.c]\ntype = 'cylinder'\nbody = 'c'\nradius = 0.02\nlength = 0.2\n[shape.floor]\ntype = 'half-space'\nbody = 'ground'\n\
         [contact.k]\nbetween = ['c', 'floor']\nfriction = 0.6\n[analysis]\nend = 0.3\nsample = 0.01\n";
    for text in [rocking, tipping] {
        for h in [1e-3, 2e-4] {
            let out = run(text, stepping("moreau-jean", h));
            let worst = out.summary.contact.unwrap().stick_speed;
            assert!(worst.value < 1e-6, "{h}: {worst:?}");
        }
    }
}

/// A ball bounces in steps of any length, also in those shorter than its passage through the smallest gap that can be
/// resolved.
#[test]
fn a_bounce_is_not_lost_in_short_steps() {
    for (law, e) in [("newton", 1.0), ("poisson", 1.0), ("newton", 0.5)] {
        let text = format!(
            "schema = 1\ngravity = [0, -9.81]\n\
             body.b = {{ type = 'planar', mass = 1, inertia = 0.004, position = [0, 0.10000000001], velocity = [-0.7, -0.007] }}\n\
             shape.b = {{ type = 'circle', body = 'b', radius = 0.1 }}\n\
             shape.floor = {{ type = 'half-plane', body = 'ground' }}\n\
             contact.c = {{ between = ['b', 'floor'], restitution = {e}, restitution_law = '{law}', friction = 0.6 }}\n\
             sensor.v = {{ type = 'velocity', of = 'b', component = 'y' }}\nanalysis = {{ end = 1e-7, sample = 1e-8 }}\n"
        );
        for h in [1e-10, 5e-10, 1e-9, 2e-9, 1e-8] {
            let out = run(&text, stepping("moreau-jean", h));
            assert_eq!(impacts(&out), 1, "{law} {e} {h}: {:?}", out.events);
            let v = last(&out, "v");
            assert!((v - 0.007 * e).abs() < 2e-6, "{law} {e} {h}: {v}");
        }
    }
}

/// What comes to rest under a load between both frictions stays at rest, wherever in a step that happens: a shaft, a block on a
/// slope in the plane, and a ball-footed one in space.
#[test]
fn static_friction_holds_what_comes_to_rest() {
    let shaft = "[body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.36\n\
         [joint.j]\ntype = 'revolute'\nbetween = ['ground', 'b']\ninitial_rate = 4.435\n\
         [force.f]\ntype = 'torque'\nat = 'b'\ntorque = -1.47\n\
         [contact.c]\ntype = 'dry-friction'\njoint = 'j'\nbound = 1.1\nstatic_bound = 1.65\n\
         [sensor.v]\ntype = 'joint-rate'\njoint = 'j'\n";
    let plane = "gravity = [-3, -9]\n[body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.01\nvelocity = [1.3, 0]\n\
         rate = 0\n[shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
         [shape.b]\ntype = 'profile'\nbody = 'b'\npoints = [[-0.1, 0], [0.1, 0], [0.1, 0.02], [-0.1, 0.02]]\n\
         [contact.c]\nbetween = ['floor', 'b']\nfriction = 0.25\nstatic_friction = 0.4\n\
         [sensor.v]\ntype = 'velocity'\nof = 'b'\ncomponent = 'x'\n";
    let space = "gravity = [-3, 0, -9]\n[body.b]\ntype = 'point'\nmass = 1\nvelocity = [1.3, 0, 0]\n\
         [shape.floor]\ntype = 'half-space'\nbody = 'ground'\nnormal = [0, 0, 1]\n\
         [shape.b]\ntype = 'point'\nbody = 'b'\n\
         [contact.c]\nbetween = ['floor', 'b']\nfriction = 0.25\nstatic_friction = 0.4\n\
         [sensor.v]\ntype = 'velocity'\nof = 'b'\ncomponent = 'x'\n";
    for model in [shaft, plane, space] {
        let text = format!("schema = 1\n{model}[analysis]\nend = 1.5\nsample = 0.1\n");
        for method in METHODS {
            for h in [1e-3, 3.3e-4, 7.1e-4, 2e-3] {
                let end = last(&run(&text, stepping(method, h)), "v");
                assert!(end.abs() < 1e-9, "{method}, {h} s: {end}\n{model}");
            }
        }
    }
}

/// Newton's law with friction would gain energy when this rod strikes: its restitution is reduced by as little as
/// necessary, by time-stepping to the same value as at an event.
#[test]
fn a_reduced_restitution_is_the_same_in_all_schemes() {
    let text = "schema = 1\n[body.rod]\ntype = \"planar\"\nmass = 1.3\ninertia = 0.105\n\
                position = [0, 0.62]\nangle = 1.12\nvelocity = [1.5, -2.7]\nmarkers = { end = [-0.5, 0] }\n\
                [shape]\nfloor = { type = \"half-plane\", body = \"ground\" }\n\
                end = { type = \"point\", body = \"rod.end\" }\n\
                [contact.strike]\nbetween = [\"end\", \"floor\"]\nrestitution = 0.9\nfriction = 0.3\n\
                [analysis]\nend = 0.12\n";
    let speed = |out: &RunOutcome| {
        let at = out.events.iter().find(|e| e.kind == EventKind::Impact).unwrap();
        at.speed_after
    };
    let by_event = speed(&run(text, |o| o.scheme = SchemeType::EventDriven));
    assert!((0.9 * 2.7 - by_event) > 0.01 * by_event, "nothing was reduced: {by_event}");
    let by_steps = speed(&run(text, stepping("moreau-jean", 1e-4)));
    assert!((by_event - by_steps).abs() < 1e-4 * by_event, "{by_event} {by_steps}");
}
