//! Bodies that slide off edges, and bodies on plates that turn: corners that pass an edge simultaneously leave it
//! simultaneously, feet that share a load keep it in steps of any length, and a plate that moves from the start takes
//! effect from the start.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use delassus::sim::{RunOptions, RunOutcome};
use support::{assembled, parsed};

const EVENTS: [SchemeType; 2] = [SchemeType::Hybrid, SchemeType::EventDriven];

fn run(text: &str, change: impl FnOnce(&mut RunOptions)) -> RunOutcome {
    support::run(&assembled(&parsed(text), &[]), change)
}

fn stepping(h: f64) -> impl Fn(&mut RunOptions) {
    move |o| {
        o.method = "moreau-jean".to_owned();
        o.scheme = SchemeType::TimeStepping;
        o.step = Some(h);
    }
}

fn last(out: &RunOutcome, name: &str) -> f64 {
    *out.results.get(name).unwrap().last().unwrap()
}

/// A box of this size that slides at v along x, with its middle at 0, off an edge at x = 0.5.
struct OffAnEdge {
    size: [f64; 3],
    v: f64,
    friction: f64,
}

impl OffAnEdge {
    fn text(&self, body: &str, floor: &str, shape: &str) -> String {
        format!(
            "schema = 1\n{body}\nshape.A = {{ {floor}, body = 'ground' }}\nshape.b = {{ {shape}, body = 'b' }}\n\
             contact.c = {{ between = ['b', 'A'], friction = {} }}\n\
             sensor.p = {{ type = 'position', of = 'b' }}\nsensor.w = {{ type = 'rate', of = 'b' }}\n\
             analysis = {{ end = 1, sample = 0.01 }}\n",
            self.friction
        )
    }

    fn spatial(&self) -> String {
        let (size, v) = (self.size, self.v);
        self.text(
            &format!(
                "gravity = [0, -9.81, 0]\nbody.b = {{ type = 'rigid', mass = 1, inertia = [0.02, 0.02, 0.02], \
                 position = [0, {}, 0], velocity = [{v}, 0, 0] }}",
                0.5 * size[1]
            ),
            "type = 'box', size = [2.5, 1, 2], at = [-0.75, -0.5, 0]",
            &format!("type = 'box', size = {size:?}"),
        )
    }

    fn planar(&self) -> String {
        let ([a, b], v) = ([0.5 * self.size[0], 0.5 * self.size[1]], self.v);
        self.text(
            &format!(
                "gravity = [0, -9.81]\nbody.b = {{ type = 'planar', mass = 1, inertia = 0.02, position = [0, {b}], \
                 velocity = [{v}, 0] }}"
            ),
            "type = 'profile', points = [[-2, -1], [0.5, -1], [0.5, 0], [-2, 0]]",
            &format!("type = 'profile', points = [[-{a}, -{b}], [{a}, -{b}], [{a}, {b}], [-{a}, {b}]]"),
        )
    }
}

/// Two corners pass the edge at the same moment, first those in front, then those behind: the box does not turn to
/// a side, and moves as its planar twin.
#[test]
fn a_box_slides_off_an_edge_without_turning_to_a_side() {
    for (size, v, friction) in [
        ([0.4, 0.1, 0.2], 1.5, 0.0),
        ([0.4, 0.1, 0.06], 1.5, 0.0),
        ([0.2, 0.2, 0.4], 3.0, 0.0),
        ([0.6, 0.05, 0.3], 0.8, 0.05),
        ([0.3, 0.2, 0.2], 2.0, 0.3),
    ] {
        let case = OffAnEdge { size, v, friction };
        let twin = run(&case.planar(), |_| ());
        for scheme in EVENTS {
            let out = run(&case.spatial(), |o| o.scheme = scheme);
            for (name, twin) in
                ["p.x", "p.y", "w.z"].iter().zip(["p.x", "p.y", "w"].map(|n| last(&twin, n)))
            {
                let x = last(&out, name);
                assert!(
                    (x - twin).abs() < 1e-6,
                    "{size:?} {v} {scheme:?}: {name} = {x}, not {twin}"
                );
            }
            for name in ["p.z", "w.x", "w.y"] {
                let x = last(&out, name);
                assert!(x.abs() < 1e-9, "{size:?} {v} {scheme:?}: {name} = {x}");
            }
        }
    }
}

/// A plate turns from the start, with a box at rest on it, far from the axis and small compared with that distance.
#[test]
fn a_plate_that_turns_from_the_start_takes_the_box_along() {
    for (rate, method) in [0.5, 2.0]
        .into_iter()
        .flat_map(|r| ["moreau-jean", "nonsmooth-gen-alpha", "schatzman-paoli"].map(|m| (r, m)))
    {
        let text = format!(
            "schema = 1\ngravity = [0, -9.81]\nbody.pl = {{ type = 'planar', mass = 5, inertia = 1 }}\n\
             body.b = {{ type = 'planar', mass = 1, inertia = 0.01, position = [0.8, 0.02] }}\n\
             joint.p = {{ type = 'revolute', between = ['ground', 'pl'] }}\n\
             joint.mo = {{ type = 'motion', joint = 'p', value = '{rate}*t' }}\n\
             shape.pl = {{ type = 'half-plane', body = 'pl' }}\n\
             shape.b = {{ type = 'profile', body = 'b', points = [[-0.1, -0.02], [0.1, -0.02], [0.1, 0.02], [-0.1, 0.02]] }}\n\
             contact.c = {{ between = ['b', 'pl'], friction = 0.2 }}\n\
             sensor.r = {{ type = 'position', of = 'b', frame = 'pl' }}\nanalysis = {{ end = 0.2, sample = 0.005 }}\n"
        );
        for h in [1e-3, 2e-4] {
            let out = run(&text, |o| {
                stepping(h)(o);
                o.method = method.to_owned();
            });
            let heights = out.results.get("r.y").unwrap();
            let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
            // what three positions let in is one step of the approach
            let let_in = if method == "schatzman-paoli" { h * rate } else { 1e-8 };
            assert!(low > 0.02 - let_in, "{rate} {method} {h}: down to {low}");
        }
    }
}

/// A table on four feet on a plate that tilts about an oblique axis; μ is that of each foot.
fn table(mu: [f64; 4]) -> String {
    let feet = [[-0.3, -0.2], [0.3, -0.2], [0.3, 0.2], [-0.3, 0.2]];
    let mut text = "schema = 1\ngravity = [0, 0, -9.81]\n\
         body.pl = { type = 'rigid', mass = 1, inertia = [1, 1, 1] }\n\
         body.b = { type = 'rigid', mass = 1, inertia = [0.02, 0.02, 0.02], position = [0, 0, 0.2] }\n\
         joint.r = { type = 'revolute', between = ['ground', 'pl'], axis = [0.8775825618903728, 0.479425538604203, 0] }\n\
         joint.mr = { type = 'motion', joint = 'r', value = '0.5*step(t,0.2,0,1.0,1)' }\n\
         shape.f = { type = 'half-space', body = 'pl' }\n\
         sensor.p = { type = 'position', of = 'b' }\nsensor.w = { type = 'rate', of = 'b' }\n\
         analysis = { end = 1.3, sample = 0.02 }\n"
        .to_owned();
    for (k, ([x, y], mu)) in feet.into_iter().zip(mu).enumerate() {
        text += &format!(
            "shape.s{k} = {{ type = 'point', body = 'b', at = [{x}, {y}, -0.2] }}\n\
             contact.c{k} = {{ between = ['s{k}', 'f'], friction = {mu} }}\n"
        );
    }
    text
}

/// The feet begin to slip one after the other and turn the table. The steps of a hand-over are so short that rates are
/// round-off compared with the velocities; and all schemes agree, time-stepping to the first order of its step.
#[test]
fn a_table_slides_down_a_plate_that_tilts() {
    for mu in [[0.2, 0.1, 0.1, 0.3], [0.25, 0.1, 0.15, 0.3], [0.1, 0.3, 0.2, 0.1]] {
        let text = table(mu);
        let hybrid = run(&text, |_| ());
        assert!(last(&hybrid, "p.z") < 0.0, "{mu:?}: {}", last(&hybrid, "p.z"));
        for h in [1e-3, 2e-4] {
            let out = run(&text, stepping(h));
            for (name, allowed) in [("p.x", 0.1), ("p.y", 0.1), ("p.z", 0.1), ("w.z", 0.5)] {
                let [x, y] = [&hybrid, &out].map(|o| last(o, name));
                assert!((x - y).abs() < allowed * h, "{mu:?} {h}: {name} = {y} instead of {x}");
            }
        }
    }
}

/// A sled on three feet with different friction, on a plate that swings: in the plane feet share loads too.
#[test]
fn feet_on_a_swinging_plate_keep_their_loads() {
    let text = "schema = 1\ngravity = [0, -9.81]\n\
         body.ca = { type = 'planar', mass = 1, inertia = 1 }\nbody.pl = { type = 'planar', mass = 1, inertia = 1 }\n\
         body.b = { type = 'planar', mass = 5, inertia = 0.02, position = [0, 0.05], velocity = [0.10995574287564278, 0], rate = 0.3141592653589793 }\n\
         joint.j = { type = 'prismatic', between = ['ground', 'ca'], axis = [1, 0] }\n\
         joint.mo = { type = 'motion', joint = 'j', value = '0.02*sin(6.283185307179586*t)' }\n\
         joint.r = { type = 'revolute', between = ['ca', 'pl'] }\n\
         joint.mr = { type = 'motion', joint = 'r', value = '0.1*sin(3.141592653589793*t)' }\n\
         shape.f = { type = 'half-plane', body = 'pl' }\n\
         shape.s0 = { type = 'point', body = 'b', at = [-0.311590024767816, -0.05] }\n\
         shape.s1 = { type = 'point', body = 'b', at = [-0.06419556347540245, -0.05] }\n\
         shape.s2 = { type = 'point', body = 'b', at = [0.22811387579226686, -0.05] }\n\
         contact.c0 = { between = ['s0', 'f'], friction = 0.05 }\ncontact.c1 = { between = ['s1', 'f'], friction = 0.2 }\n\
         contact.c2 = { between = ['s2', 'f'], friction = 0.05 }\n\
         sensor.p = { type = 'position', of = 'b' }\nanalysis = { end = 2, sample = 0.02 }\n";
    let hybrid = last(&run(text, |_| ()), "p.x");
    assert!((hybrid - 0.0070974873).abs() < 1e-8, "{hybrid}");
    for h in [1e-3, 5e-4, 2e-4] {
        let x = last(&run(text, stepping(h)), "p.x");
        assert!((x - hybrid).abs() < 1e-3 * h, "{h}: {x} instead of {hybrid}");
    }
}

/// A plate that swings obliquely throws a box that slides on it: in the plane and in space it leaves where the acceleration of the
/// plate falls below that of gravity, all corners at once.
#[test]
fn a_box_is_thrown_when_its_load_vanishes() {
    let model = |space: bool, tilt: f64, way: f64, omega: f64| {
        let (c, s) = (tilt.cos(), tilt.sin());
        let (kind, inertia, position, plate, axis, skin, floor, gravity) = match space {
            true => (
                "rigid",
                "[0.0064, 0.0064, 0.0064]",
                "[0, 0.07, 0]",
                "[1, 1, 1]",
                format!("[{c}, {s}, 0]"),
                "'box', size = [0.16, 0.14, 0.16]".to_owned(),
                "'half-space', normal = [0, 1, 0]",
                "[0, -9.81, 0]",
            ),
            false => (
                "planar",
                "0.0064",
                "[0, 0.07]",
                "1",
                format!("[{c}, {s}]"),
                "'profile', points = [[-0.08, -0.07], [0.08, -0.07], [0.08, 0.07], [-0.08, 0.07]]"
                    .to_owned(),
                "'half-plane'",
                "[0, -9.81]",
            ),
        };
        format!(
            "schema = 1\ngravity = {gravity}\n\
             body.block = {{ type = '{kind}', mass = 1.7, inertia = {inertia}, position = {position} }}\n\
             body.plate = {{ type = '{kind}', mass = 1, inertia = {plate} }}\n\
             joint.guide = {{ type = 'prismatic', between = ['ground', 'plate'], axis = {axis} }}\n\
             joint.drive = {{ type = 'motion', joint = 'guide', value = '{way}*(1 - cos({omega}*t))' }}\n\
             shape.skin = {{ type = {skin}, body = 'block' }}\n\
             shape.floor = {{ type = {floor}, body = 'plate' }}\n\
             contact.touch = {{ between = ['skin', 'floor'], friction = 0.8 }}\n\
             sensor.vy = {{ type = 'velocity', of = 'block', component = 'y' }}\n\
             sensor.vx = {{ type = 'velocity', of = 'block', component = 'x' }}\n\
             analysis = {{ end = 'acos(-9.81/({way}*{omega}^2*{s}))/{omega} + 0.01', sample = 1e-3 }}\n"
        )
    };
    for (tilt, way, omega) in [(1.0f64, 0.035, 48.0f64), (0.7, 0.05, 30.0), (1.3, 0.02, 80.0)] {
        let lift = way * omega * omega * tilt.sin();
        let leaves = (-9.81 / lift).acos() / omega;
        let mut ends = Vec::new();
        for space in [false, true] {
            for scheme in EVENTS {
                let out = run(&model(space, tilt, way, omega), |o| o.scheme = scheme);
                let released = out.events.iter().filter(|e| e.kind == EventKind::Release);
                let times: Vec<f64> = released.map(|e| e.t).collect();
                assert_eq!(times.len(), if space { 4 } else { 2 }, "{tilt} {space} {times:?}");
                for t in times {
                    assert!((t - leaves).abs() < 1e-8, "{tilt} {space}: {t} not {leaves}");
                }
                ends.push(["vx", "vy"].map(|n| *out.results.get(n).unwrap().last().unwrap()));
            }
        }
        for end in &ends {
            assert!((end[0] - ends[0][0]).abs() < 1e-6, "{tilt}: {ends:?}");
            assert!((end[1] - ends[0][1]).abs() < 1e-6, "{tilt}: {ends:?}");
        }
    }
}

/// Methods that hold velocities alone let closed contacts drift. What is about to close is looked at again once those are brought back:
/// corners that land together do so, and a corner passes the edge that it slides off.
#[test]
fn drift_of_closed_contacts_makes_no_impacts() {
    let lands = "schema = 1\ngravity = [0, 0, -9.81]\n\
        body.b = { type = 'rigid', mass = 1, inertia = [0.00104, 0.00354, 0.00417], position = [0, 0, 0.2], velocity = [0.2, 0, 0], \
        orientation = { axis = [0, 1, 0], angle = 0.3 } }\n\
        shape.b = { type = 'box', body = 'b', size = [0.2, 0.1, 0.05] }\n\
        shape.floor = { type = 'half-space', body = 'ground' }\n\
        contact.c = { between = ['b', 'floor'], friction = 0.3 }\n\
        sensor.x = { type = 'position', of = 'b', component = 'x' }\n\
        sensor.y = { type = 'position', of = 'b', component = 'y' }\nanalysis = { end = 1, sample = 0.05 }\n";
    let tips = "schema = 1\ngravity = [0, -9.81]\n\
        body.b = { type = 'planar', mass = 1, inertia = 0.00417, position = [-0.3, 0.05], velocity = [1.2, 0] }\n\
        shape.b = { type = 'profile', body = 'b', points = [[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]] }\n\
        shape.table = { type = 'profile', body = 'ground', points = [[-2, -0.5], [0, -0.5], [0, 0], [-2, 0]] }\n\
        contact.c = { between = ['b', 'table'], friction = 0.1 }\n\
        sensor.x = { type = 'position', of = 'b', component = 'x' }\n\
        sensor.y = { type = 'position', of = 'b', component = 'y' }\nanalysis = { end = 0.8, sample = 0.05 }\n";
    for text in [lands, tips] {
        let want = run(text, |_| {});
        for rtol in [1e-5, 1e-6, 1e-7] {
            let out = run(text, |o| {
                o.method = "gen-alpha-index2".to_owned();
                o.rtol = Some(rtol);
            });
            for name in ["x", "y"] {
                let (a, b) = (last(&out, name), last(&want, name));
                assert!((a - b).abs() < 20.0 * rtol, "{rtol} {name}: {a} {b}");
            }
        }
    }
}

/// A box that slides off an edge obliquely. Where its last corner reaches the edge the rows of its points become dependent: the
/// force of the corner falls below zero and comes back through a pole within one long step, and was taken for one that holds. The
/// corner that should have been let go held the box for 26 ms: ω was 1 % off, with a verdict of good.
#[test]
fn a_force_that_falls_and_rises_again_within_a_step_is_seen() {
    for angle in [1.0_f64, 1.2, -1.0] {
        let (c, s) = ((0.5 * angle).cos(), (0.5 * angle).sin());
        let text = format!(
            "schema = 1\ngravity = [0, -9.81, 0]\n\
             body.b = {{ type = 'rigid', mass = 1, inertia = [0.02, 0.02, 0.02], position = [0, 0.05, 0], \
             orientation = [{c}, 0, {s}, 0], velocity = [1.5, 0, 0] }}\n\
             shape.A = {{ type = 'box', body = 'ground', size = [2.5, 1, 2], at = [-0.75, -0.5, 0] }}\n\
             shape.b = {{ type = 'box', body = 'b', size = [0.4, 0.1, 0.2] }}\n\
             contact.c = {{ between = ['b', 'A'], friction = 0.1 }}\n\
             sensor.w = {{ type = 'rate', of = 'b' }}\nanalysis = {{ end = 0.6, sample = 0.01 }}\n"
        );
        let wanted = last(&run(&text, stepping(2e-4)), "w.z");
        for method in ["mdop5", "radau5"] {
            let w = last(&run(&text, |o| o.method = method.to_owned()), "w.z");
            assert!((w - wanted).abs() < 1e-3, "{angle} {method}: {w} {wanted}");
        }
    }
}
