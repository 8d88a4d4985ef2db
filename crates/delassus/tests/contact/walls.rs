//! Segments and arcs are walls with one side: nothing is hit from behind them.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use support::{assembled, parsed, run};

const SCHEMES: [SchemeType; 3] =
    [SchemeType::EventDriven, SchemeType::Hybrid, SchemeType::TimeStepping];

/// A body with a shape and a wall on the ground.
fn model(gravity: f64, start: &str, shape: &str, wall: &str, end: f64) -> String {
    format!(
        "schema = 1\ngravity = [0, {gravity}]\n[body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.1\n{start}\n\
         [shape.part]\nbody = 'b'\n{shape}\n[shape.wall]\nbody = 'ground'\n{wall}\n\
         [contact.c]\nbetween = ['part', 'wall']\nrestitution = 0.5\n\
         [sensor.y]\ntype = 'position'\nof = 'b'\ncomponent = 'y'\n[analysis]\nend = {end}\nsample = 0.01\n"
    )
}

const PARTS: [(&str, f64); 3] = [
    ("type = 'circle'\nradius = 0.05", 0.05),
    ("type = 'point'", 0.0),
    (
        "type = 'profile'\npoints = [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]]",
        0.05,
    ),
];

const WALLS: [(&str, f64); 3] = [
    ("type = 'segment'\nfrom = [-2, 0]\nto = [2, 0]", 0.0),
    ("type = 'arc'\nradius = 1\nfrom_angle = '30 deg'\nto_angle = '150 deg'", 1.0),
    ("type = 'arc'\nradius = 1\nfrom_angle = '210 deg'\nto_angle = '330 deg'\nhollow = true", -1.0),
];

/// Thrown up from below it goes through as if nothing were there.
#[test]
fn from_behind_it_is_passed() {
    for (part, _) in PARTS {
        for (wall, y) in WALLS {
            let start = format!("position = [0.01, {}]\nvelocity = [0, 2]", y - 0.7);
            let m = assembled(&parsed(&model(0.0, &start, part, wall, 0.7)), &[]);
            for scheme in SCHEMES {
                let out = run(&m, |o| o.scheme = scheme);
                let at = *out.results.get("y").unwrap().last().unwrap();
                assert!((at - (y + 0.7)).abs() < 1e-9, "{scheme:?} {part} {wall}: {at}");
                assert!(out.events.is_empty(), "{scheme:?} {part} {wall}: {:?}", out.events);
            }
        }
    }
}

/// Once it has been in front, the wall holds it: it falls back, bounces and comes to rest on top.
#[test]
fn what_has_passed_lands_on_it() {
    const G: f64 = 9.81;
    for (part, r) in PARTS {
        let (wall, _) = WALLS[0];
        let start = "position = [0, -0.3]\nvelocity = [0, 4]";
        // up and down again to y = r: −0.3 + 4t − g t²/2 = r
        let lands = (4.0 + (16.0 - 2.0 * G * (0.3 + r)).sqrt()) / G;
        for scheme in SCHEMES {
            // events alone end where bounces accumulate
            let end = if scheme == SchemeType::EventDriven { 0.9 } else { 3.0 };
            let m = assembled(&parsed(&model(-G, start, part, wall, end)), &[]);
            let out = run(&m, |o| o.scheme = scheme);
            let first = out.events.iter().find(|e| e.kind == EventKind::Impact).unwrap();
            let limit = if scheme == SchemeType::TimeStepping { 5e-3 } else { 1e-9 };
            assert!((first.t - lands).abs() < limit, "{scheme:?} {part}: {} {lands}", first.t);
            if scheme == SchemeType::EventDriven {
                continue;
            }
            let at = *out.results.get("y").unwrap().last().unwrap();
            assert!((at - r).abs() < 1e-6, "{scheme:?} {part}: {at}");
        }
    }
}

/// Round the end of the wall and under it: the gap jumps there, and that is no impact.
#[test]
fn round_its_end_it_is_behind() {
    for (part, r) in PARTS {
        for depth in [0.003, 0.03, 0.3] {
            let start = format!("position = [1.5, {}]\nvelocity = [-1, 0]", -r - depth);
            let wall = "type = 'segment'\nfrom = [-1, 0]\nto = [1, 0]";
            let m = assembled(&parsed(&model(0.0, &start, part, wall, 1.5)), &[]);
            for scheme in SCHEMES {
                let out = run(&m, |o| o.scheme = scheme);
                assert!(out.events.is_empty(), "{scheme:?} {part} {depth}: {:?}", out.events);
                let at = *out.results.get("y").unwrap().last().unwrap();
                assert!((at + r + depth).abs() < 1e-9, "{scheme:?} {part} {depth}: {at}");
            }
        }
    }
}
