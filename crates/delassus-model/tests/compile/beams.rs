//! Beams, sections and materials: what they become, and what is refused.

use crate::compile_support;

use compile_support::{faults, model, refused};
use delassus_model::spec::ModelSpec;
use delassus_model::{ForceKind, Model, System, compile_bounded};

const TABLES: &str = r#"
[section.bar]
type = "rectangle"
height = "20 mm"
width = "10 mm"
[material.steel]
young = "200 GPa"
poisson = 0.25
density = 8000
"#;

const BEAM: &str = r#"
[body.arm]
type = "beam"
length = 2
elements = 4
section = "bar"
material = "steel"
"#;

fn made(beam: &str) -> Model {
    model(&format!("{TABLES}{beam}"))
}

/// [`BEAM`] with one text in the place of another.
fn changed(from: &str, to: &str) -> String {
    let text = format!("{TABLES}{BEAM}");
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn nodes_are_bodies_and_elements_are_forces() {
    let m = made(&format!(
        "{BEAM}markers.eye = {{ at = 0.5, position = [0, 0.1, 0] }}\n\
         [force.f]\ntype = 'force'\nat = 'arm.eye'\nforce = [0, 0, 1]\n\
         [force.g]\ntype = 'force'\nat = 'arm[4]'\nforce = [0, 0, 1]\n"
    ));
    let names: Vec<&str> = m.bodies.iter().map(|b| &*b.name).collect();
    assert_eq!(names, ["arm[0]", "arm[1]", "arm[2]", "arm[3]", "arm[4]"]);
    assert!(m.bodies.iter().all(|b| b.kind.name() == "rigid"));
    let mass: f64 = m.bodies.iter().map(|b| b.mass).sum();
    assert!((mass - 8000.0 * 2e-4 * 2.0).abs() < 1e-12);
    // about the middle: that of a rod, and of its sections
    let about: f64 =
        m.bodies.iter().map(|b| b.mass * (b.position.x - 1.0).powi(2) + b.inertia[(2, 2)]).sum();
    let section = 8000.0 * 2.0 * (0.01 * 0.02f64.powi(3) / 12.0);
    assert!((about - (mass * 4.0 / 12.0 + section)).abs() < 1e-12, "{about}");
    assert_eq!(m.beams[0].elements, 2..6);
    let ForceKind::Force { at, .. } = &m.forces[0].kind else { panic!("{:?}", m.forces[0]) };
    assert_eq!((at.body.map(|b| b.0), at.p.y), (Some(1), 0.1));
    let ForceKind::Beam(e) = &m.forces[2].kind else { panic!("{:?}", m.forces[2]) };
    let wanted = [4e7, 0.0, 0.0, 0.0, 200e9 * 0.02 * 1e-6 / 12.0, 200e9 * 0.01 * 8e-6 / 12.0];
    for k in [0, 4, 5] {
        assert!((e.stiffness[k] / wanted[k] - 1.0).abs() < 1e-12, "{k} {}", e.stiffness[k]);
    }
    // Cowper: 10 (1 + ν)/(12 + 11 ν)
    assert!((e.stiffness[1] / (12.5 / 14.75 * 80e9 * 2e-4) - 1.0).abs() < 1e-12);
}

#[test]
fn shear_may_be_left_out_and_stiffnesses_given() {
    let m = made(&format!("{BEAM}shear = false\n"));
    let ForceKind::Beam(e) = &m.forces[0].kind else { panic!() };
    assert_eq!(e.stiffness[1], f64::INFINITY);
    // 12 EI/L³ of a beam with both ends held straight
    let k = e.effective_stiffness()[1];
    assert!((k / (12.0 * e.stiffness[5] / 0.5f64.powi(3)) - 1.0).abs() < 1e-14);
    let m = model(
        "[body.arm]\ntype = 'planar-beam'\nlength = 2\nelements = 4\nEA = 1e5\nEI = 3\n\
         mass_per_length = 2\nangle = '90 deg'\nrate = 3",
    );
    // as a homogeneous section has it
    let inertia: f64 = m.bodies.iter().map(|b| b.inertia[(2, 2)]).sum();
    assert!((inertia - 2.0 * 2.0 * 3.0 / 1e5).abs() < 1e-15);
    // it starts as if it were rigid
    let v = m.bodies[4].velocity.unwrap_or_default();
    assert!((v.x + 6.0).abs() < 1e-14 && v.y.abs() < 1e-14);
    assert_eq!(m.bodies[4].rate.map(|w| w.z), Some(3.0));
}

#[test]
fn bad_beams_are_refused() {
    let lone = |from: &str, to: &str, code: &str, path: &str, value: &str| {
        refused(&changed(from, to), code, path, value, "");
    };
    lone("length = 2", "length = 0", "E_RANGE", "body.arm.length", "more than 0");
    lone("length = 2", "", "E_MISSING_FIELD", "body.arm.length", "a beam needs");
    lone("elements = 4", "elements = 0", "E_RANGE", "body.arm.elements", "at least 1");
    lone("elements = 4", "elements = 2.5", "E_RANGE", "body.arm.elements", "whole");
    lone("elements = 4", "", "E_MISSING_FIELD", "body.arm.elements", "needs");
    lone("elements = 4", "elements = 1e9", "E_LIMIT", "body.arm.elements", "limit");
    lone("elements = 4", "elements = 1e300", "E_RANGE", "body.arm.elements", "whole");
    lone("section = \"bar\"", "section = \"bra\"", "E_UNKNOWN_NAME", "body.arm.section", "`bra`");
    lone("material = \"steel\"", "", "E_MISSING_FIELD", "body.arm.material", "needs");
    lone("length = 2", "length = 2\nmass = 3", "E_FIELD_UNUSED", "body.arm.mass", "no meaning");
    lone("length = 2", "length = 2\nEA = 3", "E_FIELD_UNUSED", "body.arm.EA", "no meaning");
    lone("length = 2", "length = 2\nangle = 3", "E_FIELD_UNUSED", "body.arm.angle", "no meaning");
    lone("length = 2", "length = 2\ndamping = -1", "E_RANGE", "body.arm.damping", "negative");
    lone("length = 2", "length = 2\ncurvature = 1", "E_SHAPE", "body.arm.curvature", "one number");
    let marker = |text: &str| format!("length = 2\nmarkers = {{ eye = {text} }}");
    lone(
        "length = 2",
        &marker("{ at = 2.1 }"),
        "E_RANGE",
        "body.arm.markers.eye.at",
        "2.1 m along",
    );
    lone("length = 2", &marker("[0, 0, 0]"), "E_MISSING_FIELD", "body.arm.markers.eye.at", "needs");
    let twice = "length = 2\nmarkers = { end = { at = 1 } }";
    lone("length = 2", twice, "E_DUPLICATE", "body.arm.markers.end", "every beam");
    let points = |text: &str| format!("points = {text}");
    lone("length = 2", &points("[[0, 0, 0]]"), "E_SHAPE", "body.arm.points", "2 points");
    let still = points("[[0, 0, 0], [1, 0, 0], [1, 0, 0]]");
    lone("length = 2", &still, "E_RANGE", "body.arm.points[2]", "one before");
    let close = points("[[0, 0, 0], [1, 0, 0], [1, 1e-9, 0], [1, 1, 0]]");
    lone("length = 2", &close, "E_RANGE", "body.arm.points[2]", "one before");
    let back = points("[[0, 0, 0], [1, 0, 0], [0, 0, 0]]");
    lone("length = 2", &back, "E_RANGE", "body.arm.points[1]", "straight back");
}

/// A logarithm tells turns up to half of one: an unloaded element that turns further would be taken for another.
#[test]
fn elements_of_a_coiled_beam_must_be_short() {
    let text = |curvature: f64, elements: usize| {
        let own = format!("length = 2\ncurvature = [0, 0, {curvature}]");
        changed("length = 2", &own).replace("elements = 4", &format!("elements = {elements}"))
    };
    for curvature in [6.0, -100.0] {
        let path = "body.arm.elements";
        refused(&text(curvature, 4), "E_BEAM_TURN", path, "along one of them", "or more");
    }
    refused(&text(100.0, 4), "E_BEAM_TURN", "body.arm.elements", "50.000 rad", "400 elements");
    model(&text(100.0, 400));
}

/// Numbers that overflow or vanish in masses and stiffnesses.
#[test]
fn sizes_beyond_numbers_are_refused() {
    for length in ["1e300", "1e-300"] {
        let to = format!("length = {length}");
        refused(&changed("length = 2", &to), "E_RANGE", "body.arm", "out of range", "units");
    }
}

/// A marker beside a node is carried by it, as an element of a tiny length would have strains of rounding.
#[test]
fn a_marker_beside_a_node() {
    let eye = |at: &str| {
        let more = format!(
            "markers.eye = {{ at = '{at}' }}\n[force.f]\ntype = 'force'\nat = 'arm.eye'\nforce = [0, 0, 1]\n"
        );
        let m = made(&format!("{BEAM}{more}"));
        let ForceKind::Force { at, .. } = &m.forces[0].kind else { panic!("{:?}", m.forces[0]) };
        (m.bodies.len(), at.body.map(|b| b.0), at.p.x)
    };
    let (count, node, x) = eye("0.5 m + 1e-8 m");
    assert_eq!((count, node), (5, Some(1)));
    assert!((x - 1e-8).abs() < 1e-15, "{x}");
    assert_eq!(eye("0.5001 m"), (6, Some(2), 0.0));
}

/// An element between frames needs ends that turn.
#[test]
fn elements_between_bodies() {
    let text = |kind: &str, more: &str| {
        format!(
            "{TABLES}[body.b]\ntype = '{kind}'\nmass = 1\nposition = [0.5, 0, 0]\n{more}\
             [force.e]\ntype = 'beam'\nbetween = ['ground', 'b']\nlength = 0.5\nsection = 'bar'\n\
             material = 'steel'\n"
        )
    };
    let good = text("rigid", "inertia = [1, 1, 1]\n");
    model(&good);
    refused(&text("point", ""), "E_RANGE", "force.e.between[1]", "on a point", "spherical");
    let changed = |from: &str, to: &str| good.replace(from, to);
    let path = "force.e.length";
    refused(&changed("length = 0.5", "length = 0"), "E_RANGE", path, "more than 0", "");
    refused(&changed("'ground', 'b'", "'b', 'b'"), "E_SAME_BODY", "force.e.between", "two", "");
}

#[test]
fn a_frame_on_a_beam_must_exist() {
    let text = |frame: &str| {
        format!("{TABLES}{BEAM}[joint.j]\ntype = 'fixed'\nbetween = ['ground', '{frame}']\n")
    };
    let path = "joint.j.between[1]";
    refused(&text("arm.tip"), "E_UNKNOWN_NAME", path, "`tip`", "start");
    refused(&text("arm[5]"), "E_UNKNOWN_NAME", path, "`arm[5]`", "arm[");
    refused(&text("amr.end"), "E_UNKNOWN_NAME", path, "`amr`", "arm");
    // what hangs on a faulty beam is not to blame
    let faulty = text("arm.end").replace("length = 2", "length = -2");
    refused(&faulty, "E_RANGE", "body.arm.length", "-2", "");
    let taken = format!("{TABLES}[body.\"arm[2]\"]\ntype = 'point'\nmass = 1\n{BEAM}");
    refused(&taken, "E_DUPLICATE", "body.arm", "`arm[2]`", "rename");
}

#[test]
fn bad_sections_and_materials_are_refused() {
    let lone = |from: &str, to: &str, code: &str, path: &str, value: &str| {
        refused(&changed(from, to), code, path, value, "");
    };
    lone("young = \"200 GPa\"", "young = -1", "E_RANGE", "material.steel.young", "-1 Pa");
    lone("young = \"200 GPa\"", "", "E_MISSING_FIELD", "material.steel.young", "needs");
    for nu in ["0.51", "-1", "-1.5"] {
        let to = format!("poisson = {nu}");
        lone("poisson = 0.25", &to, "E_RANGE", "material.steel.poisson", "above -1");
    }
    lone("poisson = 0.25", "", "E_MISSING_FIELD", "material.steel.poisson", "needs");
    lone("poisson = 0.25", "shear = \"60 GPa\"", "E_RANGE", "material.steel.shear", "ratio");
    lone("density = 8000", "density = 0", "E_RANGE", "material.steel.density", "more than 0");
    lone("density = 8000", "", "E_MISSING_FIELD", "body.arm.material", "no density");
    lone("height = \"20 mm\"", "height = 0", "E_RANGE", "section.bar.height", "more than 0");
    lone("height = \"20 mm\"", "", "E_MISSING_FIELD", "section.bar.height", "needs");
    let radius = "height = \"20 mm\"\nradius = 1";
    lone("height = \"20 mm\"", radius, "E_FIELD_UNUSED", "section.bar.radius", "no meaning");

    let general = |rest: &str| {
        let own = "type = \"rectangle\"\nheight = \"20 mm\"\nwidth = \"10 mm\"";
        changed(own, &format!("type = \"general\"\narea = 1e-4\n{rest}"))
    };
    let stiff = general("inertia = [1e-9, 2e-9]");
    refused(&stiff, "E_RANGE", "body.arm.section", "no torsion constant", "planar-beam");
    let zero = general("inertia = [1e-9, 2e-9]\ntorsion = 0");
    refused(&zero, "E_RANGE", "section.bar.torsion", "more than 0", "");
    refused(&general("torsion = 1e-9"), "E_MISSING_FIELD", "section.bar.inertia", "needs", "");
    let negative = general("inertia = [1e-9, -2e-9]\ntorsion = 1e-9");
    refused(&negative, "E_RANGE", "section.bar.inertia[1]", "more than 0", "");
    model(&stiff.replace("type = \"beam\"", "type = \"planar-beam\""));

    let tube = "type = \"tube\"\nradius = 1\nthickness = 2";
    let own = "type = \"rectangle\"\nheight = \"20 mm\"\nwidth = \"10 mm\"";
    refused(&changed(own, tube), "E_RANGE", "section.bar.thickness", "outer radius", "circle");
    let i = "type = \"i-beam\"\nheight = 1\nwidth = 1\nweb = 0.1\nflange = 0.5";
    refused(&changed(own, i), "E_RANGE", "section.bar.flange", "no I", "rectangle");
}

#[test]
fn direct_stiffnesses_are_checked() {
    let good = "[body.arm]\ntype = 'beam'\nlength = 2\nelements = 4\nEA = 1e5\nEI = [3, 4]\n\
                GJ = 1\nmass_per_length = 2\n";
    model(good);
    let lone = |from: &str, to: &str, code: &str, path: &str, value: &str| {
        refused(&good.replace(from, to), code, path, value, "");
    };
    lone("EA = 1e5", "EA = -1e5", "E_RANGE", "body.arm.EA", "more than 0");
    lone("EI = [3, 4]", "EI = [3, 0]", "E_RANGE", "body.arm.EI[1]", "more than 0");
    lone("EI = [3, 4]", "EI = 3", "E_SHAPE", "body.arm.EI", "one number");
    lone("GJ = 1\n", "GJ = 0\n", "E_RANGE", "body.arm.GJ", "more than 0");
    lone("GJ = 1\n", "", "E_MISSING_FIELD", "body.arm.GJ", "needs");
    lone("mass_per_length = 2\n", "", "E_MISSING_FIELD", "body.arm.mass_per_length", "needs");
    lone("GJ = 1\n", "GJ = 1\nshear = false\n", "E_FIELD_UNUSED", "body.arm.shear", "no meaning");
    let planar = good.replace("'beam'", "'planar-beam'").replace("[3, 4]", "3");
    refused(&planar, "E_FIELD_UNUSED", "body.arm.GJ", "no meaning", "");
}

/// Fields of beams mean nothing for other bodies, and the mass of these must be given.
#[test]
fn other_bodies_are_not_beams() {
    let body = "[body.b]\ntype = 'rigid'\nmass = 1\ninertia = [1, 1, 1]\n";
    let text = format!("{body}elements = 3");
    refused(&text, "E_FIELD_UNUSED", "body.b.elements", "no meaning", "");
    let text = format!("{body}markers = {{ tip = {{ at = 3 }} }}");
    refused(&text, "E_FIELD_UNUSED", "body.b.markers.tip.at", "no meaning", "");
    let text = body.replace("mass = 1\n", "");
    refused(&text, "E_MISSING_FIELD", "body.b.mass", "needs `mass`", "kg");
}

#[test]
fn sensors_of_sections() {
    let text = |sensor: &str| format!("{TABLES}{BEAM}[sensor.s]\n{sensor}\n");
    let m = model(&text("type = 'section'\nof = 'arm'\nat = 1.2"));
    let names: Vec<&str> = m.sensors.iter().map(|s| &*s.name).collect();
    assert_eq!(names, ["s.fx", "s.fy", "s.fz", "s.tx", "s.ty", "s.tz"]);
    assert_eq!(m.sensors[5].unit, "N*m");
    let m = model(&text("type = 'strain'\nof = 'arm'\nat = 2\ncomponent = 'kz'"));
    assert_eq!((&*m.sensors[0].name, &*m.sensors[0].unit), ("s", "1/m"));
    System::new(m).unwrap_or_else(|e| panic!("{e:?}"));
    let planar =
        text("type = 'section'\nof = 'arm'\nat = 0").replace("\"beam\"", "\"planar-beam\"");
    assert_eq!(model(&planar).sensors.len(), 3);
    let path = "sensor.s.at";
    refused(&text("type = 'section'\nof = 'arm'\nat = 2.1"), "E_RANGE", path, "2 m long", "");
    refused(&text("type = 'section'\nof = 'arm'\nat = -1"), "E_RANGE", path, "negative", "");
    refused(&text("type = 'section'\nof = 'arm'"), "E_MISSING_FIELD", path, "needs", "");
    let unknown = text("type = 'section'\nof = 'amr'\nat = 0");
    refused(&unknown, "E_UNKNOWN_NAME", "sensor.s.of", "`amr`", "arm");
    // a section knows its force only after the forces
    let loops = text(
        "type = 'section'\nof = 'arm'\nat = 0\ncomponent = 'fx'\n[force.f]\n\
                      type = 'force'\nat = 'arm.end'\nforce = ['s', 0, 0]",
    );
    refused(&loops, "E_ALGEBRAIC_LOOP", "force.f.force[0]", "`s`", "");
}

#[test]
fn elements_count_towards_the_limit() {
    let spec: ModelSpec = compile_support::spec(&format!("{TABLES}{BEAM}"));
    assert!(compile_bounded(&spec, &[], 30).is_ok());
    let faults = compile_bounded(&spec, &[], 9).err().unwrap_or_default();
    assert_eq!(faults.iter().map(|f| f.code).collect::<Vec<_>>(), ["E_LIMIT"]);
    // nothing is made before it is known to fit
    let many = changed("elements = 4", "elements = 1e12");
    assert_eq!(faults_of(&many), ["E_LIMIT"]);
}

fn faults_of(text: &str) -> Vec<&'static str> {
    faults(text).iter().map(|f| f.code).collect()
}
