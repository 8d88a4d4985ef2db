//! Whole runs with contact for kinds of bodies that exist only for tests: everything that a new kind may add must work
//! with every scheme without any code above the kind knowing about it.

use crate::support;

use delassus::math::{max_abs, max_difference};
use delassus::model::spec::SchemeType;
use delassus::model::toys::{roping, telescoping};
use delassus::model::{Assembled, Model, System, assemble, compile_with};
use delassus::sim::contact::EventKind;
use delassus::sim::{RunOptions, RunOutcome};
use support::{parsed, run};

fn toy(text: &str, set: &[(String, String)], make: impl FnOnce(&mut Model)) -> Assembled {
    let mut model = compile_with(&parsed(text), set).unwrap();
    make(&mut model);
    assemble(System::new(model).unwrap()).unwrap()
}

fn last(out: &RunOutcome, name: &str) -> f64 {
    *out.results.get(name).unwrap_or_else(|| panic!("{name}")).last().unwrap()
}

fn scheme(scheme: SchemeType) -> impl Fn(&mut RunOptions) {
    move |o| {
        o.scheme = scheme;
        if scheme == SchemeType::TimeStepping {
            o.method = "moreau-jean".to_owned();
            o.step = Some(1e-4);
        }
    }
}

const SCHEMES: [SchemeType; 3] =
    [SchemeType::EventDriven, SchemeType::Hybrid, SchemeType::TimeStepping];

/// A telescope on three feet, the front one on the rod that slides in it.
const TELESCOPE: &str = "schema = 1\ngravity = [0, 0, -9.81]\n[parameters]\ne = 0\n\
    [body.t]\ntype = 'rigid'\nmass = 2\ninertia = [0.05, 0.08, 0.1]\n\
    position = [0, 0, 0.15]\nvelocity = [1.2, 0, 0]\n\
    markers.left = [-0.2, 0.15, -0.1]\nmarkers.right = [-0.2, -0.15, -0.1]\n\
    markers.front = [0.6, 0, -0.1]\n\
    [shape.left]\ntype = 'sphere'\nbody = 't.left'\nradius = 0.02\n\
    [shape.right]\ntype = 'sphere'\nbody = 't.right'\nradius = 0.02\n\
    [shape.front]\ntype = 'sphere'\nbody = 't.front'\nradius = 0.02\n\
    [shape.floor]\ntype = 'half-space'\nbody = 'ground'\n\
    [contact.feet]\nbetween = [['left', 'right', 'front'], 'floor']\nfriction = 0.4\nrestitution = 'e'\n\
    [sensor.back]\ntype = 'position'\nof = 't.left'\n\
    [sensor.tip]\ntype = 'position'\nof = 't.front'\n\
    [sensor.speed]\ntype = 'velocity'\nof = 't.front'\ncomponent = 'norm'\n\
    [sensor.rate]\ntype = 'velocity'\nof = 't.left'\ncomponent = 'norm'\n\
    [sensor.balance]\ntype = 'energy'\ncomponent = 'balance'\n\
    [analysis]\nend = 2\nsample = 0.01\n";

/// It falls, slides while its rod moves by friction, and rests on all three feet.
#[test]
fn a_telescope_falls_slides_and_rests() {
    check_telescope("0", &SCHEMES);
}

/// It bounces before that, which without end is for time-stepping.
#[test]
fn a_telescope_bounces_slides_and_rests() {
    check_telescope("0.2", &SCHEMES[1..]);
}

fn check_telescope(restitution: &str, schemes: &[SchemeType]) {
    let m = toy(TELESCOPE, &[("e".to_owned(), restitution.to_owned())], telescoping);
    let mut ends: Vec<(SchemeType, Vec<f64>)> = Vec::new();
    for &s in schemes {
        let out = run(&m, scheme(s));
        let impacts = out.events.iter().filter(|e| e.kind == EventKind::Impact).count();
        let end = ["back.x", "back.y", "back.z", "tip.x", "tip.y", "tip.z"].map(|n| last(&out, n));
        println!("{s:?}: {impacts} impacts, {end:.6?}");
        assert!(impacts >= 3, "{s:?}");
        for name in ["speed", "rate"] {
            assert!(last(&out, name).abs() < 1e-6, "{s:?}: {name} {}", last(&out, name));
        }
        assert!((end[2] - 0.02).abs() < 1e-6 && (end[5] - 0.02).abs() < 1e-6, "{s:?}: {end:?}");
        // it slid from -0.2 m, and the rod is not where it was in the hull
        assert!(end[0] > -0.15 && (end[3] - end[0] - 0.8).abs() > 1e-3, "{s:?}: {end:?}");
        if s == SchemeType::EventDriven {
            let balance = max_abs(out.results.get("balance").unwrap());
            assert!(balance < 1e-5, "{balance}");
        }
        ends.push((s, end.to_vec()));
    }
    for (s, end) in &ends[1..] {
        let off = max_difference(end, &ends[0].1);
        assert!(off < 2e-3, "{s:?}: {off}");
    }
}

/// A rope of five nodes that falls on a slope: coupled mass under contact with friction.
const ROPE: &str = "schema = 1\ngravity = [0, -9.81]\n\
    [ground.markers]\nslope = { angle = 0.1 }\n\
    [body.r]\ntype = 'planar'\nmass = 1\ninertia = 1\nposition = [0, 0.3]\n\
    markers.a = [0, 0]\nmarkers.b = [0.25, 0]\nmarkers.c = [0.5, 0]\n\
    markers.d = [0.75, 0]\nmarkers.e = [1, 0]\n\
    [shape.a]\ntype = 'circle'\nbody = 'r.a'\nradius = 0.02\n\
    [shape.b]\ntype = 'circle'\nbody = 'r.b'\nradius = 0.02\n\
    [shape.c]\ntype = 'circle'\nbody = 'r.c'\nradius = 0.02\n\
    [shape.d]\ntype = 'circle'\nbody = 'r.d'\nradius = 0.02\n\
    [shape.e]\ntype = 'circle'\nbody = 'r.e'\nradius = 0.02\n\
    [shape.slope]\ntype = 'half-plane'\nbody = 'ground.slope'\n\
    [contact.lie]\nbetween = [['a', 'b', 'c', 'd', 'e'], 'slope']\nfriction = 0.5\nrestitution = 0\n\
    [sensor.a]\ntype = 'position'\nof = 'r.a'\nframe = 'ground.slope'\n\
    [sensor.c]\ntype = 'position'\nof = 'r.c'\nframe = 'ground.slope'\n\
    [sensor.e]\ntype = 'position'\nof = 'r.e'\nframe = 'ground.slope'\n\
    [sensor.va]\ntype = 'velocity'\nof = 'r.a'\ncomponent = 'norm'\n\
    [sensor.ve]\ntype = 'velocity'\nof = 'r.e'\ncomponent = 'norm'\n\
    [sensor.balance]\ntype = 'energy'\ncomponent = 'balance'\n\
    [analysis]\nend = 2\nsample = 0.01\n";

#[test]
fn a_rope_falls_on_a_slope_and_rests() {
    let m = toy(ROPE, &[], |model| roping(model, 5));
    assert!(!delassus::dae::Problem::structure(&*m.system).mass.couplings().is_empty());
    let mut ends = Vec::new();
    for s in SCHEMES {
        let out = run(&m, scheme(s));
        let end = ["a.x", "a.y", "c.x", "c.y", "e.x", "e.y"].map(|n| last(&out, n));
        println!("{s:?}: {end:.6?}");
        for name in ["va", "ve"] {
            assert!(last(&out, name).abs() < 1e-6, "{s:?}: {name} {}", last(&out, name));
        }
        for y in [end[1], end[3], end[5]] {
            assert!((y - 0.02).abs() < 1e-6, "{s:?}: {end:?}");
        }
        if s == SchemeType::EventDriven {
            assert!(max_abs(out.results.get("balance").unwrap()) < 1e-5);
        }
        ends.push((s, end));
    }
    for (s, end) in &ends[1..] {
        let off = max_difference(end, &ends[0].1);
        assert!(off < 2e-3, "{s:?}: {off}");
    }
}
