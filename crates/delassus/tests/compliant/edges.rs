//! Edges that take over from pressed corners in the event-driven method and the hybrid, against time-stepping.

use crate::support;

use delassus::math::{largest, max_difference};
use delassus::model::spec::SchemeType;
use delassus::sim::{RunOptions, RunOutcome, Tone};
use std::f64::consts::FRAC_PI_2;
use support::{assembled, parsed, run};

const LINE: &str = "type = 'segment'\nfrom = [-2, 0]\nto = [0, 0]";
const BODY: &str = "type = 'profile'\npoints = [[-2, -0.2], [0, -0.2], [0, 0], [-2, 0]]";
const RUBS: &str = "friction = 0.2\nfriction_law = 'threlfall'\ncreep_speed = '10 mm/s'\n";

fn events(scheme: SchemeType) -> impl Fn(&mut RunOptions) {
    move |o| {
        o.scheme = scheme;
        o.rtol = Some(1e-9);
    }
}

fn steps(step: f64) -> impl Fn(&mut RunOptions) {
    move |o| {
        o.scheme = SchemeType::TimeStepping;
        o.method = "moreau-jean".to_owned();
        o.step = Some(step);
    }
}

/// A block of 1 kg slides off a table, in the plane; `place` are its position, angle and velocity.
fn planar(table: &str, between: &str, place: &str, law: &str, gravity: &str, model: f64) -> String {
    format!(
        "schema = 1\ngravity = {gravity}\n\
         [body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.003\n{place}\n\
         [shape.b]\ntype = 'profile'\nbody = 'b'\npoints = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]\n\
         [shape.table]\nbody = 'ground'\n{table}\n\
         [contact.c]\nbetween = {between}\nstiffness = {model}\nallow_overlap = true\n{law}\
         [sensor.p]\ntype = 'position'\nof = 'b'\n[sensor.a]\ntype = 'angle'\nof = 'b'\n\
         [sensor.energy]\ntype = 'energy'\ncomponent = 'balance'\n\
         [analysis]\nend = 0.4\nsample = 0.01\n"
    )
}

fn of(text: &str, set: impl Fn(&mut RunOptions)) -> RunOutcome {
    run(&assembled(&parsed(text), &[]), set)
}

/// Largest difference of columns of two runs.
fn off(a: &RunOutcome, b: &RunOutcome, columns: &[[&str; 2]]) -> f64 {
    largest(
        columns
            .iter()
            .map(|[x, y]| max_difference(a.results.get(x).unwrap(), b.results.get(y).unwrap())),
    )
}

/// The energy balance closes, there are few events, and no note asks for attention.
fn sound(out: &RunOutcome, most: usize, what: &str) {
    let energy = out.results.get("energy").unwrap();
    let error = largest(energy.iter().map(|e| (e - energy[0]).abs()));
    assert!(error < 1e-6, "{what}: {error} J");
    let n = out.summary.events;
    assert!(n as usize <= most, "{what}: {n} events");
}

const ALL: [[&str; 2]; 3] = [["p.x", "p.x"], ["p.y", "p.y"], ["a", "a"]];

/// A block slides off a table and tips over its edge: a one-sided line and a body are the same, and the same as in
/// time-stepping; the block may lean, one way or the other.
#[test]
fn an_edge_takes_over_in_the_plane() {
    let law = format!("law = 'hunt-crossley'\nrestitution = 0.5\n{RUBS}");
    let flat = "position = [-0.3, 0.1001]\nvelocity = [1.5, 0]";
    let leans = [
        "position = [-0.3, 0.1035]\nangle = 0.03\nvelocity = [1.5, 0]",
        "position = [-0.3, 0.1035]\nangle = -0.03\nvelocity = [1.5, 0]",
    ];
    for (place, most) in [(flat, 6), (leans[0], 12), (leans[1], 12)] {
        let model = |table| planar(table, "['b', 'table']", place, &law, "[0, -9.81]", 1e6);
        let reference = of(&model(LINE), steps(2e-5));
        for scheme in [SchemeType::EventDriven, SchemeType::Hybrid] {
            for table in [LINE, BODY] {
                let out = of(&model(table), events(scheme));
                sound(&out, most, place);
                let off = off(&out, &reference, &ALL);
                assert!(off < 1e-6, "{scheme:?} {table} {place}: {off}");
            }
        }
    }
}

/// The same turned by a right angle, and with the shapes in the other order.
#[test]
fn an_edge_takes_over_wherever_down_is() {
    let law = format!("law = 'hunt-crossley'\nrestitution = 0.5\n{RUBS}");
    let flat = "position = [-0.3, 0.1001]\nvelocity = [1.5, 0]";
    let turned = format!("position = [-0.1001, -0.3]\nangle = {FRAC_PI_2}\nvelocity = [0, 1.5]");
    let up = [
        "type = 'segment'\nfrom = [0, -2]\nto = [0, 0]",
        "type = 'profile'\npoints = [[0.2, -2], [0.2, 0], [0, 0], [0, -2]]",
    ];
    for (table, up) in [LINE, BODY].into_iter().zip(up) {
        let a = planar(table, "['b', 'table']", flat, &law, "[0, -9.81]", 1e6);
        let b = planar(up, "['table', 'b']", &turned, &law, "[9.81, 0]", 1e6);
        let [a, b] = [a, b].map(|text| of(&text, events(SchemeType::EventDriven)));
        let y: Vec<f64> = b.results.get("p.x").unwrap().iter().map(|x| -x).collect();
        assert!(max_difference(a.results.get("p.y").unwrap(), &y) < 1e-7, "{table}");
        assert!(off(&a, &b, &[["p.x", "p.y"]]) < 1e-7, "{table}");
        sound(&b, 6, table);
    }
}

/// What the corner's bristles were bent by, those of the edge are.
#[test]
fn bristles_are_handed_over() {
    let law = "law = 'hunt-crossley'\nrestitution = 0.5\nfriction = 0.2\nfriction_law = 'lugre'\n\
               bristle_stiffness = 1e4\nbristle_damping = 1\n";
    let flat = "position = [-0.3, 0.1001]\nvelocity = [1.5, 0]";
    for table in [LINE, BODY] {
        let text = planar(table, "['b', 'table']", flat, law, "[0, -9.81]", 1e6);
        let out = of(&text, events(SchemeType::EventDriven));
        let off = off(&out, &of(&text, steps(2e-5)), &ALL);
        // 4e-5 where they begin straight
        assert!(off < 1e-6, "{table}: {off}");
    }
}

/// Contacts that may begin inside do so at a one-sided line too, however deep a step ends behind it.
#[test]
fn a_line_is_met_by_shorter_steps() {
    let flat = "position = [-0.3, 0.1001]\nvelocity = [1.5, 0]";
    for (depth, limit) in [(1e-7, 1e-5), (1e-4, 1e-3)] {
        let law = format!(
            "law = 'hunt-crossley'\nrestitution = 0.5\nstart = 'shrink'\nmax_start_depth = {depth}\n{RUBS}"
        );
        let text = planar(LINE, "['b', 'table']", flat, &law, "[0, -9.81]", 1e6);
        let out = of(&text, events(SchemeType::EventDriven));
        let off = off(&out, &of(&text, steps(2e-5)), &ALL);
        assert!(off < limit, "{depth}: {off}");
    }
}

/// What comes from behind a one-sided line passes it.
#[test]
fn what_comes_from_behind_passes() {
    let place = "position = [-0.5, -0.2]\nvelocity = [0, 5]";
    let law = "law = 'hunt-crossley'\nrestitution = 0.5\n";
    let text = planar(LINE, "['b', 'table']", place, law, "[0, -9.81]", 1e6);
    let mut text = text.replace("end = 0.4", "end = 0.3");
    let out = of(&text, events(SchemeType::EventDriven));
    assert_eq!(out.summary.events, 0);
    // from in front it is held
    text = text.replace("[-0.5, -0.2]", "[-0.5, 0.2]").replace("[0, 5]", "[0, 0]");
    let out = of(&text, events(SchemeType::EventDriven));
    assert!(out.results.get("p.y").unwrap().last().unwrap() > &0.099);
}

/// Boxes and hulls in space: a block that slides straight off moves as the planar one on edges twice as stiff does; where it is turned
/// about the vertical one corner hands over to two crossings of edges.
#[test]
fn edges_take_over_in_space() {
    let law = format!("law = 'hunt-crossley'\nrestitution = 0.5\n{RUBS}");
    let flat = "position = [-0.3, 0.1001]\nvelocity = [1.5, 0]";
    let text = planar(BODY, "['b', 'table']", flat, &law, "[0, -9.81]", 2e6);
    let plane = of(&text, events(SchemeType::EventDriven));
    let boxes = [
        "type = 'box'\nsize = [0.2, 0.2, 0.2]",
        "type = 'box'\nsize = [2, 1, 0.2]\nat = [-1, 0, -0.1]",
    ];
    let hull = |x: [f64; 2], y: [f64; 2], z: [f64; 2]| {
        let corner = |k: usize| format!("[{}, {}, {}]", x[k & 1], y[k >> 1 & 1], z[k >> 2]);
        let corners: Vec<String> = (0..8).map(corner).collect();
        format!("type = 'hull'\npoints = [{}]", corners.join(", "))
    };
    let hulls =
        [hull([-0.1, 0.1], [-0.1, 0.1], [-0.1, 0.1]), hull([-2.0, 0.0], [-0.5, 0.5], [-0.2, 0.0])];
    let model = |[block, table]: [&str; 2], yaw: f64| {
        let (s, c) = (0.5 * yaw).sin_cos();
        format!(
            "schema = 1\ngravity = [0, 0, -9.81]\n\
             [body.b]\ntype = 'rigid'\nmass = 1\ninertia = [0.003, 0.003, 0.003]\nposition = [-0.3, 0, 0.1001]\n\
             orientation = [{c}, 0, 0, {s}]\nvelocity = [1.5, 0, 0]\n\
             [shape.b]\nbody = 'b'\n{block}\n[shape.table]\nbody = 'ground'\n{table}\n\
             [contact.c]\nbetween = ['b', 'table']\nstiffness = 1e6\nallow_overlap = true\n{law}\
             [sensor.p]\ntype = 'position'\nof = 'b'\n[sensor.energy]\ntype = 'energy'\ncomponent = 'balance'\n\
             [analysis]\nend = 0.4\nsample = 0.01\n"
        )
    };
    for shapes in [boxes, [&hulls[0], &hulls[1]]] {
        let straight = of(&model(shapes, 0.0), events(SchemeType::EventDriven));
        sound(&straight, 12, shapes[0]);
        let off_plane = off(&straight, &plane, &[["p.x", "p.x"], ["p.z", "p.y"]]);
        assert!(off_plane < 1e-7, "{}: {off_plane}", shapes[0]);
        let turned = of(&model(shapes, 0.3), events(SchemeType::EventDriven));
        sound(&turned, 20, shapes[0]);
        let reference = of(&model(shapes, 0.3), steps(5e-5));
        let off = off(&turned, &reference, &[["p.x", "p.x"], ["p.y", "p.y"], ["p.z", "p.z"]]);
        assert!(off < 1e-5, "{}: {off}", shapes[0]);
    }
}

/// In time-stepping too a pressed point keeps its features until they end, although near an edge another side is nearer than
/// the point is deep: the edge itself leaves the block at its rear corner, which a line and a body showed otherwise.
#[test]
fn features_last_until_they_end() {
    let law = "law = 'hunt-crossley'\nrestitution = 0.5\n";
    let place = "position = [-0.15, 0.1001]\nvelocity = [1.2, 0]";
    let model = |table| planar(table, "['b', 'table']", place, law, "[0, -9.81]", 1e6);
    let [line, body] = [LINE, BODY].map(|table| of(&model(table), steps(2e-5)));
    let between = off(&line, &body, &ALL);
    assert!(between < 1e-6, "{between}");
    for out in [&line, &body] {
        sound(out, 8, place);
        let events = of(&model(LINE), events(SchemeType::EventDriven));
        let off = off(out, &events, &ALL);
        assert!(off < 1e-4, "{off}");
    }
}

/// A soft block whose corner leans and is pressed in by centimetres loses the end of the table: it is told, whatever the scheme and
/// whatever the table is; where an edge takes over, and where a block leaves the table without a load, it is not.
#[test]
fn an_end_that_is_lost_is_told() {
    let law = format!("law = 'hunt-crossley'\nrestitution = 0.5\n{RUBS}");
    let lost = |out: &RunOutcome| out.notes.iter().any(|n| n.code == "N_CONTACT_LOST");
    let tumbles =
        "position = [-0.1982, 0.1517]\nangle = 0.2811\nvelocity = [0.8587, 0]\nrate = -0.3366";
    // the end of a body acts again a millisecond later, that of a line does not
    let late = "position = [-0.0596, 0.1609]\nangle = -0.5692\nvelocity = [0.2356, -0.6915]\nrate = 1.8968";
    let flat = "position = [-0.3, 0.1001]\nvelocity = [1.5, 0]";
    let all: [&dyn Fn(&mut RunOptions); 3] =
        [&events(SchemeType::EventDriven), &events(SchemeType::Hybrid), &steps(5e-5)];
    for table in [LINE, BODY] {
        let model = |place, stiffness| {
            planar(table, "['b', 'table']", place, &law, "[0, -9.81]", stiffness)
        };
        for set in all {
            let out = of(&model(tumbles, 22673.0), set);
            assert!(lost(&out) && out.summary.verdict.tone == Tone::Bad, "{table}");
            let tally = &out.summary.contact.as_ref().unwrap().compliant;
            assert!((tally.abandoned_depth.value - 0.016).abs() < 1e-3, "{table}");
            assert!(!lost(&of(&model(flat, 1e6), set)), "{table}");
        }
        let out = of(&model(late, 13796.0), events(SchemeType::EventDriven));
        assert!(lost(&out), "{table}");
    }
}
