//! Many bodies: those that are apart do not affect each other, and those in a stack carry what is above them.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use support::{assembled, parsed, run};

const G: f64 = 9.81;

/// Forces along a stack multiply errors from cube to cube: none may be seen as a motion.
#[test]
fn a_stack_of_cubes_stands_in_one_step() {
    for n in [10, 30, 45] {
        let text = format!(
            "schema = 1\ngravity = [0, 0, -{G}]\nanalysis = {{ end = 1e-3, sample = 1e-3 }}\n\
             body.'b{{i}}' = {{ repeat = 'i = 1..{n}', type = 'rigid', mass = 1, inertia = ['1/6', '1/6', '1/6'], position = [0, 0, 'i - 0.5'] }}\n\
             shape.'b{{i}}' = {{ repeat = 'i = 1..{n}', type = 'box', body = 'b{{i}}', size = [1, 1, 1] }}\n\
             shape.floor = {{ type = 'half-space', body = 'ground' }}\ncontact.c = {{ among = ['b*', 'floor'], friction = 0.5 }}\n"
        );
        let out = run(&assembled(&parsed(&text), &[]), |o| o.scheme = SchemeType::Hybrid);
        assert!(out.summary.steps <= 2, "{n}: {}", out.summary.steps);
        assert_eq!(out.events.len(), 4 * n);
        assert!(out.events.iter().all(|e| e.kind == EventKind::Close));
        // each face carries all that is above it
        let carried = *out.results.get("c.normal").unwrap().last().unwrap();
        let weights = G * (n * (n + 1) / 2) as f64;
        assert!((carried - weights).abs() < 1e-9 * weights, "{n}: {carried}, not {weights}");
    }
}

/// Of more pairs than are watched one by one, those that meet are found: a sphere is thrown at its neighbour, and
/// the others fall.
#[test]
fn spheres_that_are_apart_meet_in_time() {
    let (n, r, height, v) = (130, 0.05, 0.2, 12.0);
    let text = format!(
        "schema = 1\ngravity = [0, 0, -{G}]\nanalysis = {{ end = 0.15, sample = 0.15 }}\n\
         body.'b{{i}}' = {{ repeat = 'i = 1..{n}', type = 'rigid', mass = 1, inertia = [1e-3, 1e-3, 1e-3], position = ['i', 0, {}] }}\n\
         body.thrown = {{ type = 'rigid', mass = 1, inertia = [1e-3, 1e-3, 1e-3], position = [0, 0, {}], velocity = [{v}, 0, 0] }}\n\
         shape.'b{{i}}' = {{ repeat = 'i = 1..{n}', type = 'sphere', body = 'b{{i}}', radius = {r} }}\n\
         shape.thrown = {{ type = 'sphere', body = 'thrown', radius = {r} }}\n\
         shape.floor = {{ type = 'half-space', body = 'ground' }}\n\
         contact.c = {{ among = ['b*', 'thrown', 'floor'], restitution = 0.5 }}\n",
        r + height,
        r + height,
    );
    let out = run(&assembled(&parsed(&text), &[]), |o| o.scheme = SchemeType::EventDriven);
    assert_eq!(out.events.len(), 1);
    let hit = &out.events[0];
    assert!((hit.t - (1.0 - 2.0 * r) / v).abs() < 1e-9, "{}", hit.t);
    assert!(hit.contact.contains("thrown"), "{}", hit.contact);
}

/// Twenty boxes side by side and on each other on a slope: more rows than the hybrid searches for forces among, so that
/// time-stepping holds them. With enough friction nothing moves; with little they slide as one. Whoever takes over goes on
/// from where the other one ended.
#[test]
fn a_block_of_boxes_on_a_slope_rests_or_slides_as_one() {
    let tilt = 10f64.to_radians();
    for (mu, end) in [(0.5, 0.03), (0.1, 0.01)] {
        let each = "repeat = 'i = 1..5, j = 1..2, k = 1..2'";
        let text = format!(
            "schema = 1\ngravity = ['{G}*sin(10 deg)', 0, '-{G}*cos(10 deg)']\nanalysis = {{ end = {end}, sample = {end} }}\n\
             body.'b{{i}}{{j}}{{k}}' = {{ {each}, type = 'rigid', mass = 1, inertia = ['1/600', '1/600', '1/600'], position = ['i/10', 'j/10', 'k/10 - 0.05'] }}\n\
             shape.'b{{i}}{{j}}{{k}}' = {{ {each}, type = 'box', body = 'b{{i}}{{j}}{{k}}', size = [0.1, 0.1, 0.1] }}\n\
             shape.floor = {{ type = 'half-space', body = 'ground' }}\ncontact.c = {{ among = ['b*', 'floor'], friction = {mu} }}\n\
             sensor.first = {{ type = 'velocity', of = 'b111', component = 'x' }}\nsensor.last = {{ type = 'velocity', of = 'b522', component = 'x' }}\n"
        );
        let out = run(&assembled(&parsed(&text), &[]), |o| o.scheme = SchemeType::Hybrid);
        let pull = G * (tilt.sin() - mu * tilt.cos());
        let right = pull.max(0.0) * end;
        for name in ["first", "last"] {
            let v = *out.results.get(name).unwrap().last().unwrap();
            assert!((v - right).abs() < 1e-4 * right.max(1e-6), "{mu}: {name} {v}, not {right}");
        }
        assert!(out.events.windows(2).all(|e| e[0].t <= e[1].t), "{mu}: back in time");
        assert!(out.events.iter().any(|e| e.kind == EventKind::HandOver));
        assert!(out.summary.energy_error < 1e-6, "{mu}: {}", out.summary.energy_error);
    }
}
