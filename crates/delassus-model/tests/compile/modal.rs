//! Modal bodies in model files: every fault has its place.

use super::compile_support::{model, refused};
use delassus_model::{BodyKind, System};

const ROD: &str = "[body.rod]\ntype = 'planar-modal'\nmass = 2\ninertia = 1.5\ncom = [1, 0]\n\
    [body.rod.modes]\nmass = [[1, 0.1], [0.1, 2]]\nstiffness = [30, 40]\nmoment = [[0, 0.5], [0.3, 0]]\n\
    momentum = [0.2, 0]\ninertia_pairs = [[0.1, 0.2], [0.2, 0.3]]\namplitudes = ['1 mm', 0]\n\
    [body.rod.nodes.tip]\nat = ['2 m', 0]\ndisplacement = [[0, 1], [1, 0]]\nrotation = [0.5, 0]\n";

fn bad(from: &str, to: &str, code: &str, path: &str, text: &str) {
    assert!(ROD.contains(from), "{from}");
    refused(&ROD.replace(from, to), code, &format!("body.rod.{path}"), text, "");
}

#[test]
fn integrals_are_moved_to_the_mass_centre() {
    let m = model(ROD);
    let b = &m.bodies[0];
    assert_eq!(b.kind, BodyKind::PlanarModal);
    assert_eq!((b.nq(), b.nv()), (5, 5));
    let f = b.flexible.as_ref().unwrap();
    assert_eq!(f.amplitudes, [1e-3, 0.0]);
    assert_eq!((f.modal.com.norm(), f.modal.inertia[(2, 2)]), (0.0, 1.5));
    // h − c × s
    assert!((f.modal.h1[0].z - (0.2 - 0.5)).abs() < 1e-15);
    assert_eq!(f.modal.nodes[0].at.x, 1.0);
    System::new(m).unwrap_or_else(|e| panic!("{e:?}"));
}

#[test]
fn sizes_and_forms() {
    bad(
        "moment = [[0, 0.5], [0.3, 0]]",
        "moment = [[0, 0.5]]",
        "E_SHAPE",
        "modes.moment",
        "1 entry",
    );
    bad("[0.3, 0]]", "[0.3, 0, 1]]", "E_SHAPE", "modes.moment[1]", "3 entries");
    bad("momentum = [0.2, 0]", "momentum = [0.2, [0]]", "E_SHAPE", "modes.momentum[1]", "a list");
    bad(
        "[[0.1, 0.2], [0.2, 0.3]]",
        "[[0.1, 0.2], 3]",
        "E_SHAPE",
        "modes.inertia_pairs[1]",
        "one number",
    );
    bad(
        "stiffness = [30, 40]",
        "stiffness = [30, 40, 50]",
        "E_SHAPE",
        "modes.stiffness",
        "3 entries",
    );
    bad("stiffness = [30, 40]\n", "", "E_MISSING_FIELD", "modes.stiffness", "needs");
    bad("mass = [[1, 0.1], [0.1, 2]]\n", "", "E_MISSING_FIELD", "modes.mass", "needs");
    bad("'1 mm'", "'1 s'", "E_DIMENSION", "modes.amplitudes[0]", "");
    bad("rotation = [0.5, 0]", "rotation = [0.5]", "E_SHAPE", "nodes.tip.rotation", "1 entry");
    bad("mass = 2\n", "mass = 0\n", "E_RANGE", "mass", "must have some");
}

#[test]
fn numbers_that_no_body_has() {
    bad("[0.1, 2]]", "[0.2, 2]]", "E_MODES", "modes", "not symmetric");
    bad("[30, 40]", "[30, -40]", "E_MODES", "modes", "negative eigenvalue");
    bad("[30, 40]", "[30, 40]\ndamping = [1, -1]", "E_MODES", "modes.damping", "energy");
    bad("moment = [[0, 0.5]", "moment = [[0, 5]", "E_MODES", "modes", "whole body");
    bad("[0.2, 0.3]]", "[0.3, 0.3]]", "E_MODES", "modes", "not symmetric");
}

#[test]
fn nodes_and_markers() {
    let text = format!("{ROD}[body.rod.markers.m]\nnode = 'tip'\nposition = [0.1, 0]\n");
    assert_eq!(model(&text).bodies.len(), 1);
    let path = "body.rod.markers.m.node";
    refused(&text.replace("'tip'", "'top'"), "E_UNKNOWN_NAME", path, "`top`", "tip");
    refused(&text.replace("node = 'tip'\n", ""), "E_MISSING_FIELD", path, "needs `node`", "node");
    let joint = "[joint.j]\ntype = 'revolute'\nbetween = ['ground', 'rod.end']\n";
    let text = format!("{ROD}{joint}");
    refused(&text, "E_UNKNOWN_NAME", "joint.j.between[1]", "`end`", "tip");
    // other bodies have none
    let rigid = "[body.b]\ntype = 'planar'\nmass = 1\ninertia = 1\n";
    let text = format!("{rigid}[body.b.nodes.p]\nat = [0, 0]\n");
    refused(&text, "E_FIELD_UNUSED", "body.b.nodes", "no meaning", "");
    let text = format!("{rigid}[body.b.markers.p]\nnode = 'p'\n");
    refused(&text, "E_FIELD_UNUSED", "body.b.markers.p.node", "no meaning", "");
}

#[test]
fn sensors_of_amplitudes() {
    let text = |sensor: &str| format!("{ROD}[sensor.q]\n{sensor}\n");
    let m = model(&text("type = 'amplitude-rate'\nof = 'rod'"));
    let columns: Vec<_> = m.sensors.iter().map(|s| (&*s.name, &*s.unit)).collect();
    assert_eq!(columns, [("q.1", "m/s"), ("q.2", "m/s")]);
    assert_eq!(model(&text("type = 'amplitude'\nof = 'rod'\nmode = 2")).sensors[0].name, "q");
    let path = "sensor.q.mode";
    refused(&text("type = 'amplitude'\nof = 'rod'\nmode = 3"), "E_RANGE", path, "modes 1 to 2", "");
    refused(&text("type = 'amplitude'\nof = 'rod'\nmode = 1.5"), "E_RANGE", path, "1.5", "");
    refused(&text("type = 'amplitude'\nof = 'ground'"), "E_RANGE", "sensor.q.of", "no modes", "");
}

const BEAM: &str = "[body.arm]\ntype = 'modal'\nlength = 2\nelements = 4\nEA = 1e6\nEI = [20, 30]\nGJ = 10\n\
    mass_per_length = 3\nmarkers = { eye = { at = 0.7, position = [0, 0.1, 0] } }\n\
    [body.arm.modes]\nheld = ['start']\n";

/// A beam by few of its modes: mass, nodes, frequencies, and what is wrong with such an entry.
#[test]
fn modes_of_a_beam() {
    let text = format!("{BEAM}count = 3\n");
    let m = model(&text);
    let b = &m.bodies[0];
    assert_eq!((b.kind, b.nv(), b.nodes()), (BodyKind::Modal, 9, 6));
    assert!((b.mass - 6.0).abs() < 1e-12 && (b.com.x - 1.0).abs() < 1e-12);
    let modal = &b.flexible.as_ref().unwrap().modal;
    let omega = |k: usize| (modal.stiffness[(k, k)] / modal.mass_matrix[(k, k)]).sqrt();
    // the lowest bends about y: 1.8751^2 sqrt(EI / (rho A L^4)), of which mass of the section takes little
    let wanted = 1.875_104_f64.powi(2) * (20.0f64 / (3.0 * 16.0)).sqrt();
    assert!((omega(0) / wanted - 1.0).abs() < 1e-3, "{} {wanted}", omega(0));
    System::new(m).unwrap_or_else(|e| panic!("{e:?}"));
    let below = format!("{BEAM}below = '{} Hz'\n", 1.1 * wanted / std::f64::consts::TAU);
    assert_eq!(model(&below).bodies[0].nv(), 7);
    // between two places of it: six shapes of the end and two vibrations
    let both = text.replace("['start']", "['start', 'end']").replace("count = 3", "count = 2");
    assert_eq!(model(&both).bodies[0].nv(), 14);
    let planar = text
        .replace("'modal'", "'planar-modal'")
        .replace("[20, 30]", "20")
        .replace("GJ = 10\n", "");
    let planar = planar.replace("[0, 0.1, 0]", "[0, 0.1]");
    assert_eq!(model(&planar).bodies[0].nv(), 6);
    let path = "body.arm.modes";
    refused(
        &text.replace("= 3\n", "= 100\n").replace("mass_per_length = 100", "mass_per_length = 3"),
        "E_MODES",
        path,
        "100",
        "fewer",
    );
    refused(
        &text.replace("'start'", "'strat'"),
        "E_UNKNOWN_NAME",
        "body.arm.modes.held[0]",
        "`strat`",
        "start",
    );
    refused(
        &format!("{text}damping = [1, 2, 3]\n"),
        "E_FIELD_UNUSED",
        "body.arm.modes.damping",
        "no meaning",
        "",
    );
    refused(
        &text.replace("length = 2\n", "length = 2\nmass = 3\n"),
        "E_FIELD_UNUSED",
        "body.arm.mass",
        "no meaning",
        "",
    );
    refused(
        &text.replace("count = 3", "count = 1.5"),
        "E_RANGE",
        "body.arm.modes.count",
        "1.5",
        "",
    );
}
