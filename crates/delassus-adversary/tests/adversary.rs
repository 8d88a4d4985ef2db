//! The adversary itself: its models load, its transformations preserve the motion, its twins agree.

use delassus::io::model_file::{self, Limits};
use delassus::model::{self, System};
use delassus_adversary::families::{FAMILIES, LATER, make};
use delassus_adversary::judge::{Judged, judge};
use delassus_adversary::mechanism::{ForceKind, Mechanism, Place, Turn, View, toml};

fn loads(text: &str) -> bool {
    let Ok(loaded) = model_file::parse_str(text, "model.toml", &Limits::default()) else {
        return false;
    };
    model::compile(&loaded.spec).and_then(System::new).and_then(model::assemble).is_ok()
}

#[test]
fn every_family_makes_models_that_load() {
    for family in FAMILIES.iter().chain(LATER) {
        let good =
            (0..10).filter(|seed| loads(&toml(&make(family, *seed), &View::plain()))).count();
        assert!(good >= 8, "{}: only {good} of 10 models load", family.name);
    }
}

#[test]
fn the_same_seed_is_the_same_model() {
    for family in FAMILIES.iter().chain(LATER) {
        let text = |seed| toml(&make(family, seed), &View::plain());
        assert_eq!(text(5), text(5));
        assert_ne!(text(5), text(6));
    }
}

/// A double pendulum with turned frames, a spring and a force.
fn pendulum() -> Mechanism {
    let mut m = Mechanism::new(false, 1.0);
    m.gravity = [0.0, -9.81, 0.0];
    let rod = |m: &mut Mechanism, name: &str, at, angle| {
        m.body(name, 1.0, [0.01, 0.1, 0.1], [0.25, 0.0, 0.0], at, Turn::Angle(angle))
    };
    rod(&mut m, "upper", [0.0; 3], 0.3);
    let tip = m.pose(&Place::on("upper", [0.5, 0.0, 0.0])).0;
    rod(&mut m, "lower", tip, -0.4);
    m.pair("a", "revolute", [Place::ground([0.0; 3]), Place::on("upper", [0.0; 3])], None);
    m.pair(
        "b",
        "revolute",
        [Place::on("upper", [0.5, 0.0, 0.0]), Place::on("lower", [0.0; 3])],
        None,
    );
    let between = [Place::ground([0.3, 0.5, 0.0]), Place::on("lower", [0.25, 0.1, 0.0])];
    m.force("spring", ForceKind::Spring { between, stiffness: 30.0, damping: 0.5, length: 0.4 });
    m
}

#[test]
fn relations_hold_for_a_pendulum() {
    for relation in
        ["careful", "renamed", "moved", "scaled", "split", "lagrange", "restart", "energy"]
    {
        let Judged::Tried(found) = judge(&pendulum(), Some(relation)) else {
            panic!("the pendulum is refused")
        };
        let texts: Vec<&String> = found.iter().map(|v| &v.text).collect();
        assert!(found.is_empty(), "{relation}: {texts:?}");
    }
}

#[test]
fn removing_a_body_leaves_nothing_dangling() {
    for family in FAMILIES {
        for seed in 0..5 {
            let m = make(family, seed);
            for body in &m.bodies {
                let less = m.without_body(&body.name);
                let text = toml(&less, &View::plain());
                assert!(!text.contains(&format!("\"{}\"", body.name)), "{}: {text}", family.name);
            }
        }
    }
}
