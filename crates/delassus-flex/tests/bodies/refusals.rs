//! What cannot be reduced says why.

use crate::common::*;
use delassus_flex::*;
use delassus_math::Vec3;

fn refused(beam: &Beam, choice: &Choice, text: &str) {
    let error = reduce(beam, choice).unwrap_err().to_string();
    assert!(error.contains(text), "{text}: {error}");
}

/// Counts of modes that are not there, and of those without mass.
#[test]
fn too_many_modes() {
    refused(
        &straight(1.0, 2, thick()),
        &clamped(13),
        "13 modes are asked for, but 12 are there: 12 displacements",
    );
    // without moments of inertia the twist has no mass
    refused(
        &straight(1.0, 2, slender()),
        &clamped(11),
        "10 are there: 12 displacements and rotations of nodes that are free, 2 of them without mass",
    );
    let free = Choice { boundary: Boundary::Free, ..clamped(13) };
    refused(&straight(1.0, 2, thick()), &free, "13 modes are asked for, but 12 are there");
    let limit = |keep| Choice { keep, ..clamped(0) };
    refused(&straight(1.0, 2, thick()), &limit(Keep::Below(0.1)), "no mode is below 0.1 rad/s");
    refused(&straight(1.0, 2, thick()), &limit(Keep::Numbers(vec![1, 1])), "each once");
    refused(&straight(1.0, 2, thick()), &limit(Keep::Numbers(vec![0])), "counted from 1");
    let none = reduce(&straight(1.0, 2, thick()), &clamped(0)).unwrap();
    assert_eq!(none.modes(), 0);
    none.check().unwrap();
}

#[test]
fn limits_and_numbers_choose() {
    let beam = straight(1.0, 4, thick());
    let all = frequencies(&reduce(&beam, &clamped(24)).unwrap());
    let keep = |keep| frequencies(&reduce(&beam, &Choice { keep, ..clamped(0) }).unwrap());
    assert_eq!(keep(Keep::Below(0.5 * (all[4] + all[5]))), all[..5]);
    assert_eq!(keep(Keep::Numbers(vec![4, 2])), [all[1], all[3]]);
}

#[test]
fn nodes_and_interfaces() {
    let beam = straight(1.0, 2, thick());
    let at = |boundary| Choice { boundary, ..clamped(1) };
    refused(
        &beam,
        &at(Boundary::Clamped { at: "end".into() }),
        "no node called `end`; nodes are `root`, `tip`",
    );
    refused(&beam, &at(Boundary::Interface { nodes: Vec::new() }), "one node or more");
    let twice = Boundary::Interface { nodes: vec!["tip".into(), "tip".into()] };
    refused(&beam, &at(twice), "`tip` is named twice");
    let ends = Boundary::Interface { nodes: vec!["root".into(), "tip".into()] };
    refused(&straight(1.0, 2, slender()), &at(ends), "node `tip` makes has no mass");
}

#[test]
fn beams_that_are_none() {
    let choice = clamped(1);
    let with = |change: &dyn Fn(&mut Beam)| {
        let mut beam = straight(1.0, 2, thick());
        change(&mut beam);
        beam
    };
    refused(&with(&|b| b.nodes.truncate(1)), &choice, "2 nodes or more, not 1");
    refused(&with(&|b| b.elements.truncate(1)), &choice, "elements of a beam has 1 entries, but 2");
    refused(
        &with(&|b| b.nodes[1].at = b.nodes[2].at),
        &choice,
        "element 2 of the beam has no length",
    );
    refused(&with(&|b| b.nodes[1].at.x = f64::NAN), &choice, "place of node 2 is not a finite");
    refused(&with(&|b| b.nodes[1].name = "tip".into()), &choice, "two nodes are called `tip`");
    refused(&with(&|b| b.elements[0].y = Vec3::x()), &choice, "y direction along its axis");
    refused(&with(&|b| b.elements[0].section.stiffness[3] = 0.0), &choice, "stiffness GJ of 0");
    refused(&with(&|b| b.elements[0].section.stiffness[0] = f64::INFINITY), &choice, "EA of inf");
    refused(
        &with(&|b| b.elements[1].section.mass = -1.0),
        &choice,
        "element 2 of the beam has -1 kg",
    );
    refused(&with(&|b| b.elements[1].section.inertia[0] = -1.0), &choice, "none may be negative");
    let planar = Choice { motion: Motion::Planar, ..choice };
    refused(&crooked(2, thick()), &planar, "does not stay in the x-y plane");
}
