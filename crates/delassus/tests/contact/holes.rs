//! Profiles whose material is outside: parts that move in a hole.

use crate::support;

use delassus::math::max_difference;
use delassus::model::compile;
use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use support::{assembled, parsed, run};

/// A disc in a hole with these keys of the profile.
fn disc(start: &str, profile: &str, contact: &str) -> String {
    format!(
        "schema = 1\ngravity = [0, -9.81]\n[body.disc]\ntype = 'planar'\nmass = 1\ninertia = 0.005\n\
         {start}\n[shape.disc]\ntype = 'circle'\nbody = 'disc'\nradius = 0.1\n\
         [shape.hole]\ntype = 'profile'\nbody = 'ground'\n{profile}\n\
         [contact.c]\nbetween = ['disc', 'hole']\n{contact}\n\
         [sensor.x]\ntype = 'position'\nof = 'disc'\ncomponent = 'x'\n\
         [sensor.y]\ntype = 'position'\nof = 'disc'\ncomponent = 'y'\n[analysis]\nend = 3\nsample = 0.01\n"
    )
}

/// Two half circles, clockwise: arcs turn right.
const RING: &str = "points = [{ at = [1, 0], arc = -1 }, { at = [-1, 0], arc = -1 }]";

/// A smooth disc in a round hole is a pendulum.
#[test]
fn a_disc_in_a_ring_swings_like_a_pendulum() {
    let start = "position = ['0.9*sin(0.5)', '-0.9*cos(0.5)']";
    let pendulum = "schema = 1\ngravity = [0, -9.81]\n[body.p]\ntype = 'planar-point'\nmass = 1\n\
                    position = ['0.9*sin(0.5)', '-0.9*cos(0.5)']\n[joint.rod]\ntype = 'distance'\n\
                    between = ['ground', 'p']\nlength = 0.9\n[sensor.x]\ntype = 'position'\nof = 'p'\n\
                    component = 'x'\n[analysis]\nend = 3\nsample = 0.01\n";
    let exact = run(&assembled(&parsed(pendulum), &[]), |o| o.rtol = Some(1e-11));
    let exact = exact.results.get("x").unwrap();
    // the other way round with `hollow`: the same contour
    let other = "points = [{ at = [1, 0], arc = 1 }, { at = [-1, 0], arc = 1 }]\nhollow = true";
    for (profile, noted) in [(RING, true), (other, false)] {
        let spec = parsed(&disc(start, profile, ""));
        let notes = compile(&spec).unwrap().notes;
        assert_eq!(notes.iter().any(|n| n.code == "N_HOLE"), noted, "{notes:?}");
        let m = assembled(&spec, &[]);
        let out = run(&m, |o| o.rtol = Some(1e-10));
        let x = out.results.get("x").unwrap();
        let worst = max_difference(exact, x);
        assert!(worst < 1e-7, "{worst}");
        let out = run(&m, |o| {
            o.scheme = SchemeType::TimeStepping;
            o.step = Some(1e-3);
        });
        let x = out.results.get("x").unwrap();
        let worst = max_difference(exact, x);
        assert!(worst < 1e-3, "{worst}");
    }
}

/// A disc thrown about in a box with rounded corners stays in it and comes to rest on its floor.
#[test]
fn a_disc_in_a_box_stays_inside() {
    let start = "position = [0.2, 0.1]\nvelocity = [3, 2]";
    let profile = "hollow = true\npoints = [[-0.5, -0.5], { at = [0.5, -0.5], fillet = 0.2 }, [0.5, 0.5], \
                   { at = [-0.5, 0.5], fillet = 0.2 }]";
    let m = assembled(&parsed(&disc(start, profile, "restitution = 0.5\nfriction = 0.2")), &[]);
    for scheme in [SchemeType::Hybrid, SchemeType::TimeStepping] {
        let out = run(&m, |o| o.scheme = scheme);
        let (x, y) = (out.results.get("x").unwrap(), out.results.get("y").unwrap());
        for v in x.iter().chain(y) {
            assert!(v.abs() <= 0.4 + 1e-6, "{scheme:?}: {v}");
        }
        assert!((y.last().unwrap() + 0.4).abs() < 1e-6, "{scheme:?}: {:?}", y.last());
        let impacts = out.events.iter().filter(|e| e.kind == EventKind::Impact).count();
        assert!(impacts > 5, "{scheme:?}: {impacts}");
    }
}
