//! Explicit methods on models whose fastest vibration nobody sees, and on others whose fast motion is what is to be computed.

use crate::support;

use support::{assembled, parsed, try_run};

const EXPLICIT: [&str; 5] = ["mdop5", "dopri5", "rkf45", "hem5", "phem56"];

/// Two links joined by a stiff bushing: 2.7 rad/s and, without damping, 2.5e4 rad/s.
fn links(end: f64) -> String {
    format!(
        "schema = 1\ngravity = [0, -9.81, 0]\n[body.a]\ntype = 'planar'\nmass = 1\ninertia = 0.1\nposition = [0.5, 0]\n\
         markers = {{ l = [-0.5, 0], r = [0.5, 0] }}\n[body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.1\n\
         position = [1.5, 0]\nmarkers.l = [-0.5, 0]\n[joint.r]\ntype = 'revolute'\nbetween = ['ground', 'a.l']\n\
         [force.s]\ntype = 'bushing'\nbetween = ['a.r', 'b.l']\nstiffness = [1e8, 1e8, 0, 0, 0, 1e6]\n\
         [analysis]\nend = {end}\n"
    )
}

/// Whether stability limited the steps, and the error that ended the run with its code, in words.
fn run(text: &str, method: &str, max_steps: Option<u64>) -> (bool, String) {
    let m = assembled(&parsed(text), &[]);
    let out = try_run(&m, |o| {
        o.method = method.to_owned();
        o.max_steps = max_steps;
    });
    let words = out.error.map(|e| format!("{}: {e} {}", e.kind.code(), e.help));
    (out.summary.stiff_since.is_some(), words.unwrap_or_default())
}

/// A run that would not come to its end stops and names what vibrates; one that does goes on, with a note.
#[test]
fn a_vibration_that_nobody_sees_is_named() {
    for method in EXPLICIT {
        let (stiff, words) = run(&links(0.2), method, None);
        assert!(stiff && words.is_empty(), "{method}: {words}");
        let (stiff, words) = run(&links(200.0), method, None);
        assert!(stiff && words.starts_with("E_STIFF"), "{method}: {words}");
        for part in ["2.5e4 rad/s", "4.0e3 Hz", "\"b\"", "radau5", "--max-steps"] {
            assert!(words.contains(part), "{method}: {part}: {words}");
        }
        // whoever gives a number of steps gets them
        let (_, words) = run(&links(200.0), method, Some(9000));
        assert!(words.starts_with("E_WORK_LIMIT"), "{method}: {words}");
    }
    let (stiff, words) = run(&links(2.0), "radau5", None);
    assert!(!stiff && words.is_empty(), "{words}");
}

/// Fast motion that is there to be seen: a vibration, a top, a ball that bounces off a stiff spring, a damped spring.
#[test]
fn fast_motion_that_is_seen_is_not_stiff() {
    let oscillator = "schema = 1\n[body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.1\nposition = [1.01, 0]\n[joint.r]\n\
        type = 'prismatic'\nbetween = ['ground', 'b']\naxis = [1, 0]\n[force.s]\ntype = 'spring'\nlength = 1\n\
        between = ['ground', 'b']\nstiffness = 1e8\n[analysis]\nend = 0.05\n";
    let top = "schema = 1\ngravity = [0, 0, -9.81]\n[body.t]\ntype = 'rigid'\nmass = 1\ninertia = [0.02, 0.02, 0.01]\n\
        com = [0, 0, 0.1]\nrate = [0, 0, 2000]\norientation = { axis = [1, 0, 0], angle = 0.3 }\n[joint.p]\n\
        type = 'spherical'\nbetween = ['ground', 't']\n[analysis]\nend = 0.2\n";
    let bounce = "schema = 1\ngravity = [0, -9.81]\n[body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.1\nposition = [0, 0.2]\n\
        [joint.r]\ntype = 'prismatic'\nbetween = ['ground', 'b']\naxis = [0, 1]\n[sensor.y]\ntype = 'position'\nof = 'b'\n\
        component = 'y'\n[force.s]\ntype = 'force'\nat = 'b'\nforce = [0, '1e8*max(0, -y)']\n[analysis]\nend = 20\n";
    for (name, text) in [("oscillator", oscillator), ("top", top), ("bounce", bounce)] {
        for method in EXPLICIT {
            let (stiff, words) = run(text, method, None);
            assert!(!stiff && words.is_empty(), "{name} {method}: {words}");
        }
    }
}
