//! Tyres and roads: what is read, and what is refused with its place.

use crate::compile_support;

use compile_support::{BODIES, faults, model, refused, spec};
use delassus_model::spec::RoadPoints;
use delassus_model::{ForceKind, Height, SlipLaw, Vertical, Wheel, compile};
use std::sync::Arc;

const TYRE: &str =
    "type = 'linear'\nradius = '300 mm'\nload = '3 kN'\nstiffness = '200 kN/m'\nlateral = '50 kN'";
const ON: &str = "at = 'r'\ntyre = 't'";

fn text(tyre: &str, force: &str, more: &str) -> String {
    format!("{BODIES}\n[tyre.t]\n{tyre}\n[force.f]\ntype = 'tyre'\n{force}\n{more}\n")
}

#[test]
fn defaults_and_units() {
    let m = model(&text(TYRE, ON, ""));
    let ForceKind::Tyre(tyre) = &m.forces[0].kind else { panic!("{:?}", m.forces[0]) };
    let data = &tyre.data;
    assert_eq!((data.radius, data.load, data.relaxation), (0.3, 3000.0, [0.3, 0.3]));
    assert_eq!(data.slip, [SlipLaw::Linear { slope: 5e4 }; 2]);
    assert!(matches!(data.vertical, Vertical::Polynomial([k, 0.0]) if k == 2e5));
    assert_eq!((tyre.wheel, tyre.axle.y, tyre.road.at(3.0, 4.0)), (Wheel::Spins, 1.0, [0.0; 6]));
    let kind = |force: &str| match &model(&text(TYRE, force, "")).forces[0].kind {
        ForceKind::Tyre(t) => t.wheel,
        other => panic!("{other:?}"),
    };
    assert_eq!(kind("at = 'a'\ntyre = 't'"), Wheel::Planar);
    assert_eq!(kind("at = 'r'\ntyre = 't'\nfree = true"), Wheel::Free);
}

#[test]
fn tyres_that_are_refused() {
    let bad = |tyre: &str, code: &str, path: &str, part: &str| {
        refused(&text(tyre, ON, ""), code, path, part, "");
    };
    let with = |from: &str, to: &str| TYRE.replace(from, to);
    bad(&with("'300 mm'", "0"), "E_RANGE", "tyre.t.radius", "radius");
    bad(&with("'300 mm'", "'-1 m'"), "E_RANGE", "tyre.t.radius", "more than 0");
    bad(&with("'300 mm'", "'1 kg'"), "E_DIMENSION", "tyre.t.radius", "kg");
    bad(&with("load = '3 kN'", ""), "E_MISSING_FIELD", "tyre.t.load", "load");
    bad(&with("stiffness = '200 kN/m'", ""), "E_MISSING_FIELD", "tyre.t.stiffness", "stiffness");
    bad(&with("'50 kN'", "-5"), "E_RANGE", "tyre.t.lateral", "more than 0");
    bad(&with("'50 kN'", "{ B = 3 }"), "E_SHAPE", "tyre.t.lateral", "table");
    bad(&format!("{TYRE}\nfriction = 1"), "E_FIELD_UNUSED", "tyre.t.friction", "friction");
    bad(&format!("{TYRE}\nrelaxation = [1, 2, 3]"), "E_SHAPE", "tyre.t.relaxation", "3 entries");
    bad(&format!("{TYRE}\nrelaxation = -1"), "E_RANGE", "tyre.t.relaxation", "negative");
    let force = with("stiffness = '200 kN/m'", "force = '1e5*depth + 7'");
    bad(&force, "E_RANGE", "tyre.t.force", "jump");
    let force = with("stiffness = '200 kN/m'", "force = '1e5*depth*t'");
    bad(&force, "E_RANGE", "tyre.t.force", "time");
    let magic = |lateral: &str| {
        with("type = 'linear'", "type = 'magic-formula'").replace("'50 kN'", lateral)
    };
    let e = magic("{ B = 10, C = 1.5, D = 1, E = 1.5 }");
    bad(&e, "E_RANGE", "tyre.t.lateral.E", "at most 1");
    bad(&magic("{ B = 10, C = 1.5 }"), "E_MISSING_FIELD", "tyre.t.lateral.D", "D");
    let steep = magic("{ B = 10, C = 1.5, D = 1, D_load = -1 }");
    bad(&steep, "E_RANGE", "tyre.t.lateral.D_load", "between");
    let rill = with("type = 'linear'", "type = 'tmeasy'").replace(
        "'50 kN'",
        "{ slope = 9e4, peak_slip = 0.4, peak = 3e3, slide_slip = 0.3, slide = 2e3 }",
    );
    bad(&rill, "E_RANGE", "tyre.t.lateral.slide_slip", "sliding begins");
}

#[test]
fn wheels_that_are_refused() {
    let bad = |force: &str, code: &str, path: &str, part: &str| {
        let point = "[body.bead]\ntype = 'point'\nmass = 1";
        refused(&text(TYRE, force, point), code, path, part, "");
    };
    bad("at = 'bead'\ntyre = 't'", "E_RANGE", "force.f.at", "no axle");
    bad("at = 'ground'\ntyre = 't'", "E_RANGE", "force.f.at", "ground");
    bad("at = 'r'", "E_MISSING_FIELD", "force.f.tyre", "tyre");
    bad("at = 'r'\ntyre = 'T'", "E_UNKNOWN_NAME", "force.f.tyre", "`T`");
    bad("at = 'r'\ntyre = 't'\nroad = 'x'", "E_UNKNOWN_NAME", "force.f.road", "`x`");
    bad("at = 'r'\ntyre = 't'\naxis = [0, 0, 0]", "E_DEGENERATE_DIRECTION", "force.f.axis", "");
    bad("at = 'a'\ntyre = 't'\naxis = [0, 0, 1]", "E_RANGE", "force.f.axis", "x-y plane");
    let sensor = "[sensor.s]\ntype = 'tyre'\ntyre = 'g'";
    refused(&text(TYRE, ON, sensor), "E_UNKNOWN_NAME", "sensor.s.tyre", "`g`", "");
}

/// What a tyre does depends on the state alone, so that forces may follow it.
#[test]
fn forces_may_read_tyres() {
    let brake = "[sensor.s]\ntype = 'tyre'\ntyre = 'f'\ncomponent = 'fz'\n[force.h]\ntype = 'force'\nat = 'r'\nforce = [0, 's']";
    assert!(compile(&spec(&text(TYRE, ON, brake))).is_ok());
}

#[test]
fn roads_that_are_refused() {
    let bad = |road: &str, code: &str, path: &str, part: &str| {
        let road = format!("[road.r]\n{road}");
        refused(&text(TYRE, ON, &road), code, path, part, "");
    };
    bad("height = '0.1*t'", "E_RANGE", "road.r.height", "time");
    bad("height = '0.1*z'", "E_UNKNOWN_NAME", "road.r.height", "`z`");
    bad("height = '3 kg'", "E_DIMENSION", "road.r.height", "kg");
    bad("friction = 0", "E_RANGE", "road.r.friction", "more than 0");
    bad("file = 'r.csv'", "E_TABLE", "road.r.file", "not loaded");
    bad("columns = ['a']", "E_RANGE", "road.r.columns", "file");
}

/// Points of a grid in any order; holes and repetitions are named.
#[test]
fn grids_must_be_complete() {
    let with = |points: &[[f64; 3]]| {
        let mut s = spec(&text(TYRE, &format!("{ON}\nroad = 'r'"), "[road.r]\nfile = 'r.csv'"));
        let column = |k: usize| points.iter().map(|p| p[k]).collect();
        let points = RoadPoints { x: column(0), y: column(1), z: column(2) };
        s.road.0[0].1.points = Some(Arc::new(points));
        s
    };
    let full = [[2.0, 0.0, 0.2], [0.0, 0.0, 0.0], [0.0, 3.0, 0.3], [2.0, 3.0, 0.5]];
    let m = compile(&with(&full)).unwrap();
    let ForceKind::Tyre(tyre) = &m.forces[0].kind else { panic!() };
    assert!(matches!(tyre.road.height, Height::Grid(_)));
    assert!((tyre.road.at(1.0, 1.5)[0] - 0.25).abs() < 1e-15);
    let refused = |points: &[[f64; 3]], part: &str| {
        let faults = compile(&with(points)).unwrap_err();
        assert_eq!((faults.len(), faults[0].code), (1, "E_ROAD"), "{faults:?}");
        assert_eq!(faults[0].path, "road.r.file");
        assert!(faults[0].message.contains(part), "{}", faults[0]);
    };
    refused(&full[..3], "hole(s), the first at x = 2, y = 3");
    refused(&full[1..3], "1 line(s) along x");
    let mut twice = full.to_vec();
    twice.push([2.0, 0.0, 1.0]);
    refused(&twice, "another height at x = 2, y = 0");
    let mut bad = full;
    bad[1][2] = f64::NAN;
    refused(&bad, "point 2");
    let diagonal: Vec<[f64; 3]> = (0..9).map(|k| [f64::from(k), f64::from(k), 0.0]).collect();
    refused(&diagonal, "do not form a grid");
    assert!(!faults(&text(TYRE, ON, "[road.r]\nheight = '0'\nfile = 'x'")).is_empty());
}
