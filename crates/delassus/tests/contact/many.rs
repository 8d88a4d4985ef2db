//! Many bodies: those that are apart do not see each other, and those that stand on each other carry what is above.

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
