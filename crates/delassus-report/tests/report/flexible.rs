//! What pages know of bodies that deform: their undeformed shape, what holds them and what hangs on them.

use delassus_io::model_file::{Limits, parse_str};
use delassus_io::results::MotionFile;
use delassus_model::{System, compile};
use delassus_report::*;

fn scene(text: &str) -> Scene {
    let loaded = parse_str(text, "m.toml", &Limits::default()).unwrap();
    scene_from(&System::new(compile(&loaded.spec).unwrap()).unwrap())
}

const STEEL: &str = "schema = 1\n[section.bar]\ntype = 'rectangle'\nheight = 0.02\nwidth = 0.02\n\
                     [material.steel]\nyoung = 210e9\npoisson = 0.3\ndensity = 7850\n";

fn beam(name: &str, more: &str) -> String {
    format!(
        "[body.{name}]\ntype = 'beam'\nelements = 4\nsection = 'bar'\nmaterial = 'steel'\n{more}\n"
    )
}

fn rigid(name: &str, mass: f64) -> String {
    format!("[body.{name}]\ntype = 'rigid'\nmass = {mass}\ninertia = [1, 1, 1]\n")
}

fn joint(kind: &str, a: &str, b: &str) -> String {
    let name = format!("{a}_{b}").replace('.', "_");
    format!("[joint.{name}]\ntype = '{kind}'\nbetween = ['{a}', '{b}']\n")
}

/// Names of the bodies that hang on a node.
fn hanging(s: &Scene, f: &SceneFlexible) -> Vec<(usize, Vec<String>)> {
    let names = |b: &Vec<usize>| b.iter().map(|k| s.bodies[*k].name.clone()).collect();
    f.hanging.iter().map(|h| (h.node, names(&h.bodies))).collect()
}

#[test]
fn an_arm_stays_in_its_clamp_and_carries_its_load() {
    let text = format!(
        "{STEEL}{}{}{}{}{}",
        beam("arm", "length = 2\nexaggerate = 30"),
        rigid("load", 1.0),
        joint("fixed", "ground", "arm.start"),
        joint("spherical", "arm.end", "load"),
        "[analysis]\nend = 1\n"
    );
    let s = scene(&text);
    let f = &s.flexible[0];
    assert_eq!((f.name.as_str(), f.nodes.as_slice()), ("arm", &[1, 2, 3, 4, 5][..]));
    assert_eq!((f.held.as_slice(), f.clamped.as_slice()), (&[0][..], &[0][..]));
    assert_eq!(hanging(&s, f), [(4, vec!["load".to_owned()])]);
    assert_eq!((f.exaggerate, f.line), (Some(30.0), false));
    for (k, r) in f.rest.iter().enumerate() {
        let want = [0.5 * k as f64, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        assert!(r.iter().zip(want).all(|(x, w)| (x - w).abs() < 1e-14), "{k} {r:?}");
    }
    assert_eq!((s.section_width, s.sections.len()), (12, 1));
    assert_eq!(s.sections[0].stations, [0.0, 0.5, 1.0, 1.5, 2.0]);
}

#[test]
fn the_shape_of_a_curved_beam_is_that_of_the_file() {
    // a quarter of a circle of radius 2
    let arc = beam("arc", "length = 3.141592653589793\ncurvature = [0, 0, 0.5]");
    let s = scene(&format!("{STEEL}{arc}[analysis]\nend = 1\n"));
    let f = &s.flexible[0];
    for (k, r) in f.rest.iter().enumerate() {
        let angle = std::f64::consts::FRAC_PI_2 * k as f64 / 4.0;
        let want = [2.0 * angle.sin(), 2.0 * (1.0 - angle.cos()), 0.0, (angle / 2.0).cos()];
        assert!(r.iter().zip(want).all(|(x, w)| (x - w).abs() < 1e-12), "{k} {r:?}");
        assert!((r[6] - (angle / 2.0).sin()).abs() < 1e-12);
    }
    // nothing holds it
    assert!(f.held.is_empty() && f.hanging.is_empty());
}

#[test]
fn springs_hold_what_no_joint_does_and_the_heaviest_part_what_flies() {
    // a shaft on two bearings with a disc, and a panel of a satellite with a tip
    let bearing = |end: &str| {
        format!(
            "[force.{end}]\ntype = 'bearing'\nbetween = ['ground', 'shaft.{end}']\naxis = [1, 0, 0]\n\
             stiffness = [1e6, 1e6]\n"
        )
    };
    let text = format!(
        "{STEEL}{}{}{}{}{}{}{}{}{}{}[analysis]\nend = 1\n",
        beam("shaft", "length = 1\nmarkers.mid = { at = 0.5 }"),
        rigid("disc", 50.0),
        joint("fixed", "shaft.mid", "disc"),
        bearing("start"),
        bearing("end"),
        beam("panel", "length = 1"),
        rigid("hub", 20.0),
        rigid("tip", 0.1),
        joint("fixed", "hub", "panel.start"),
        joint("fixed", "panel.end", "tip"),
    );
    let s = scene(&text);
    let (shaft, panel) = (&s.flexible[0], &s.flexible[1]);
    assert_eq!((shaft.held.as_slice(), shaft.clamped.len()), (&[0, 4][..], 0));
    assert_eq!(hanging(&s, shaft), [(2, vec!["disc".to_owned()])]);
    assert_eq!((panel.held.as_slice(), panel.clamped.as_slice()), (&[0][..], &[0][..]));
    assert_eq!(hanging(&s, panel), [(4, vec!["tip".to_owned()])]);
}

#[test]
fn a_rod_between_pins_hangs_nowhere_and_links_hang_in_turn() {
    let text = format!(
        "{STEEL}{}{}{}{}{}{}{}{}[analysis]\nend = 1\n",
        rigid("crank", 1.0),
        beam("rod", "length = 1"),
        joint("spherical", "ground", "crank"),
        joint("spherical", "crank", "rod.start"),
        joint("spherical", "rod.end", "ground"),
        beam("upper", "length = 1"),
        beam("lower", "length = 1"),
        joint("fixed", "ground", "upper.start") + &joint("fixed", "upper.end", "lower.start"),
    );
    let s = scene(&text);
    let [rod, upper, lower] = &s.flexible[..] else { panic!("{}", s.flexible.len()) };
    assert_eq!((rod.held.as_slice(), rod.clamped.len(), rod.hanging.len()), (&[0, 4][..], 0, 0));
    let names: Vec<String> = (0..5).map(|k| format!("lower[{k}]")).collect();
    assert_eq!(hanging(&s, upper), [(4, names)]);
    assert_eq!((lower.held.as_slice(), lower.hanging.len()), (&[0][..], 0));
}

#[test]
fn a_modal_body_is_its_frame_and_its_nodes() {
    let rod =
        beam("rod", "length = 1\nmodes = { count = 2, held = ['start'] }\nposition = [0, 3, 0]");
    let text = format!("{STEEL}{}[analysis]\nend = 1\n", rod.replace("'beam'", "'modal'"));
    let s = scene(&text);
    let f = &s.flexible[0];
    assert_eq!((f.nodes.as_slice(), f.line), (&[1, 2, 3, 4, 5, 6][..], true));
    // the frame is at the origin of the body, whose nodes are along x from there
    let x: Vec<f64> = f.rest.iter().map(|r| r[0] - f.rest[0][0]).collect();
    assert!(x.iter().zip([0.0, 0.0, 0.25, 0.5, 0.75, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!(s.sections.is_empty() && s.section_width == 0);
    // bodies in older folders know nothing of this, and are read all the same
    let text = serde_json::to_string(&s).unwrap().replace("flexible", "unknown");
    let old: Scene = serde_json::from_str(&text).unwrap();
    assert!(old.flexible.is_empty() && old.bodies == s.bodies);
}

/// Differences of positions are enlarged up to a million times: single precision would show.
#[test]
fn positions_have_more_digits_where_bodies_deform() {
    let motion = |n: usize| MotionFile {
        forms: vec![delassus_model::PoseForm::Spatial; n],
        stride: 1,
        t: vec![0.0],
        coordinates: [1.0 + 1e-9, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].repeat(n),
    };
    for (text, kind) in [(beam("arm", "length = 1"), "f64"), (rigid("arm", 1.0), "f32")] {
        let text = format!("{STEEL}{text}[analysis]\nend = 1\n");
        let loaded = parse_str(&text, "m.toml", &Limits::default()).unwrap();
        let sys = System::new(compile(&loaded.spec).unwrap()).unwrap();
        let d = Description::new(&sys, ModelInfo::default(), std::iter::empty());
        let bodies = d.scene.bodies.len() - 1;
        let r = Report { description: Some(d), motion: motion(bodies), ..Report::default() };
        let payload = r.payload();
        assert_eq!(payload["motion"]["poses"]["dtype"], kind);
        assert_eq!(payload["motion"]["poses"]["shape"][1], bodies + 1);
    }
}
