//! The benchmark models of section G assemble, and their points are where they should be.

use delassus_dae::{ContactPoint, Problem, Unilateral};
use delassus_model::{Assembled, System, assemble, compile_with};
use std::path::Path;

/// A model of `models`, with some parameters changed.
fn load(file: &str, set: &[(&str, &str)]) -> Assembled {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let spec = toml::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
    let set: Vec<_> = set.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    let model = compile_with(&spec, &set).unwrap_or_else(|e| panic!("{file}: {e:#?}"));
    let system = System::new(model).unwrap_or_else(|e| panic!("{file}: {e:#?}"));
    assemble(system).unwrap_or_else(|e| panic!("{file}: {e:#?}"))
}

/// Names and gaps of all points that face each other at the start.
fn points(m: &Assembled, margin: f64) -> Vec<(String, f64)> {
    let mut ws = m.system.workspace();
    let s = &m.state;
    m.system.realize_position(s.t, &s.q, &s.z, &mut ws);
    m.system.realize_velocity(&s.v, &s.z, &mut ws);
    let (mut near, mut p) = (Vec::new(), ContactPoint::default());
    m.system.near(&ws, margin, &mut near);
    let mut out = Vec::new();
    for id in near {
        if m.system.position(&ws, id, false, None, &mut p) {
            m.system.rates(&ws, id, &mut p);
            assert!(p.rate.iter().chain(&p.bias).all(|x| x.is_finite()));
            out.push((m.system.point_name(id), p.gap));
        }
    }
    out
}

fn gaps(file: &str, set: &[(&str, &str)], wanted: &[(&str, f64)]) {
    let found = points(&load(&format!("benchmarks/{file}.toml"), set), f64::INFINITY);
    assert_eq!(found.len(), wanted.len(), "{file}: {found:?}");
    for ((name, gap), (n, g)) in found.iter().zip(wanted) {
        assert!(name == n && (gap - g).abs() < 1e-14, "{file}: {found:?}");
    }
}

#[test]
fn gaps_at_the_start() {
    gaps("G1_bouncing_ball", &[], &[("bounce", 1.0)]);
    gaps("G1b_bouncing_ball_e05", &[], &[("bounce", 2.0)]);
    gaps("G2_plate", &[], &[("bounce", 0.3)]);
    gaps("G3_sphere", &[], &[("slide", 0.0)]);
    gaps("G4_cradle_moreau", &[], &[("L1", 0.0), ("L2", 0.0), ("L3", 0.0), ("L4", 0.0)]);
    gaps(
        "G4_cradle_moreau",
        &[("moving", "2"), ("e", "0.5")],
        &[("L1", 0.0), ("L2", 0.0), ("L3", 0.0), ("L4", 0.0)],
    );
    gaps("G5_painleve_rod", &[], &[("slide", 0.0), ("fall", 1f64.sin())]);
    let alpha = 0.1f64.atan2(0.5);
    gaps("G6_rocking_block", &[], &[("left", 0.0), ("right", 0.2 * (alpha / 2.0).sin())]);
    gaps(
        "G7_woodpecker",
        &[],
        &[
            ("N1", 0.0024 + 0.02 * 0.2788),
            ("N2", 0.0006 - 0.0058 * 0.1036),
            ("N3", 0.0006 + 0.0058 * 0.1036),
        ],
    );
    gaps("G8_impact_oscillator", &[], &[("stop", 2.5)]);
    gaps("G8b_near_grazing", &[], &[("stop", 2.777 + 25.0 / 9.0)]);
    gaps("G9_stick_slip", &[], &[("rub", 0.0)]);
    gaps("G10_incline", &[], &[("rub", 0.0)]);
    gaps("G10b_cross_slope", &[], &[("rub", 0.0)]);
    let wall = [("mass1", 0.6f64.sin() + 0.4), ("mass2", 0.6f64.sin() + 0.9f64.sin() + 0.4)];
    gaps("G12_two_link_wall", &[], &wall);
    let corners =
        ["upper:upper-top1", "upper:upper-top2", "lower:lower-bottom1", "lower:lower-bottom2"];
    gaps("G11_clearance_slider_crank", &[], &corners.map(|n| (n, 0.001)));
}

/// Two points in each interface of the plane, four in space, all touching.
#[test]
fn stacks_touch() {
    for (file, each) in [("G13_stack", 2), ("G13_stack_3d", 4)] {
        let m = load(&format!("benchmarks/{file}.toml"), &[]);
        let found = points(&m, 1e-6);
        assert_eq!(found.len(), 5 * each, "{file}: {found:?}");
        assert!(found.iter().all(|(_, gap)| gap.abs() < 1e-12), "{file}: {found:?}");
    }
}
