//! Parameters, numbers, units and mass properties.

use crate::compile_support;

use compile_support::{faults, model, refused, spec};
use delassus_model::{compile, compile_with};

fn planar(fields: &str) -> String {
    format!("[body.crank]\ntype = \"planar\"\ninertia = 1\n{fields}")
}

fn rigid(fields: &str) -> String {
    format!("[body.top]\ntype = \"rigid\"\nmass = 1\n{fields}")
}

#[test]
fn rel_r01_nonfinite() {
    for (text, value) in [
        ("mass = nan", "NaN"),
        ("mass = inf", "inf"),
        ("mass = -inf", "-inf"),
        ("mass = \"1/0\"", "1/0"),
        ("mass = \"1e999\"", "1e999"),
        ("mass = \"inf\"", "inf"),
    ] {
        refused(&planar(text), "E_NONFINITE", "body.crank.mass", value, "");
    }
    refused(
        &planar("mass = 1\nposition = [nan, 0]"),
        "E_NONFINITE",
        "body.crank.position[0]",
        "NaN",
        "finite",
    );
}

#[test]
fn expression_with_its_place() {
    let fault =
        refused(&planar("mass = \"2 + * 3\""), "E_EXPRESSION", "body.crank.mass", "2 + * 3", "");
    assert_eq!(fault.within, Some(4..5));
    let comma = planar("mass = \"1,5\"");
    refused(&comma, "E_EXPRESSION", "body.crank.mass", "1,5", "point");
    let time = planar("mass = \"2*t\"");
    refused(&time, "E_EXPRESSION", "body.crank.mass", "`t`", "parameters");
}

#[test]
fn dimensions() {
    let fault = refused(
        &planar("mass = \"3 mm\""),
        "E_DIMENSION",
        "body.crank.mass",
        "`3 mm` is in m, but kg is expected",
        "kg",
    );
    assert_eq!(fault.within, Some(0..4));
    let text = format!("[parameters]\nL = \"2 m\"\n{}", planar("mass = \"L\""));
    refused(&text, "E_DIMENSION", "body.crank.mass", "m", "kg");
}

#[test]
fn units_become_si() {
    let text = "mass = \"500 g\"\nposition = [\"12 mm\", 0]\nangle = \"90 deg\"\nrate = \"60 rpm\"";
    let body = &model(&planar(text)).bodies[0];
    assert_eq!((body.mass, body.position.x), (0.5, 0.012));
    assert_eq!(body.angle, std::f64::consts::FRAC_PI_2);
    assert!((body.rate.unwrap().z - std::f64::consts::TAU).abs() < 1e-15);
}

#[test]
fn parameters_in_any_order() {
    let text = "[parameters]\na = \"2*b\"\nb = \"c + 1\"\nc = 3\n";
    let found = model(text).parameters;
    let wanted = [("a", 8.0), ("b", 4.0), ("c", 3.0)];
    assert_eq!(found, wanted.map(|(n, v)| (n.to_owned(), v)));
}

#[test]
fn parameter_cycle() {
    let text = "[parameters]\na = \"b\"\nb = \"c\"\nc = \"2*a\"\nd = \"a + 1\"\n";
    refused(text, "E_CYCLE", "parameters.a", "a → b → c → a", "number");
    refused("[parameters]\na = \"a\"", "E_CYCLE", "parameters.a", "a → a", "");
}

/// A unit that is also the name of a parameter: never silently the wrong one, and no reference.
#[test]
fn units_that_are_also_names() {
    let text = |m: &str, k: &str| format!("[parameters]\nm = \"{m}\"\nk = \"{k}\"\nN = 12\n");
    for (k, unit, other) in [
        ("10 m/s^2*m", "10 [m/s^2*m]", "10 m/s^2 * m"),
        ("3 kg*N", "3 [kg*N]", "3 kg * N"),
        ("360 deg/N", "360 [deg/N]", "360 deg / N"),
    ] {
        let fault = refused(&text("2 kg", k), "E_AMBIGUOUS_UNIT", "parameters.k", "both", unit);
        assert!(fault.help.unwrap().contains(other));
    }
    // its own name is no cycle
    let own = text("7850 s/m^3 * 2", "1");
    refused(&own, "E_AMBIGUOUS_UNIT", "parameters.m", "`m`", "[s/m^3]");
    assert_eq!(model(&text("7850 kg/m^3", "100 N/m")).parameters[0].1, 7850.0);
    let value = |m: &str, k: &str| model(&text(m, k)).parameters[1].1;
    assert_eq!(value("2 kg", "100 [N/m]"), 100.0);
    assert_eq!(value("2 kg", "100 N / m"), 50.0);
    assert_eq!(value("2 kg", "3 m"), 3.0);
    assert_eq!(model(&text("7850 [kg/m^3]", "1")).parameters[0].1, 7850.0);
    // also where the parameter is itself at fault, and for an index
    let faults = faults("[parameters]\nm = \"2 *\"\nk = \"100 J/m\"\n");
    let codes: Vec<&str> = faults.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["E_EXPRESSION", "E_AMBIGUOUS_UNIT"]);
    let text =
        "[body.\"b{m}\"]\nrepeat = \"m = 1..2\"\ntype = \"planar-point\"\nmass = \"3 kg*m\"\n";
    refused(text, "E_AMBIGUOUS_UNIT", "body.b{m}.mass", "`m`", "3 kg * m");
}

#[test]
fn names_with_an_index_in_formulas() {
    let text = "[parameters]\nL1 = 2\nL2 = 5\n[body.\"b{i}\"]\nrepeat = \"i = 1..2\"\n\
                type = \"planar-point\"\nmass = \"2*L{i}\"\n";
    let masses: Vec<f64> = model(text).bodies.iter().map(|b| b.mass).collect();
    assert_eq!(masses, [4.0, 10.0]);
    let text = text.replace("2*L{i}", "2*L{i+1}");
    refused(&text, "E_UNKNOWN_NAME", "body.b{i}.mass", "L3", "L");
}

#[test]
fn a_long_chain_of_parameters() {
    let mut text = String::from("[parameters]\n");
    for k in 0..5000 {
        text += &format!("p{k} = \"p{} + 1\"\n", k + 1);
    }
    text += "p5000 = 0\n";
    assert_eq!(model(&text).parameters[0].1, 5000.0);
}

#[test]
fn faulty_parameter_is_reported_once() {
    let text = format!(
        "[parameters]\nL = \"2 *\"\nM = \"L/2\"\n{}",
        planar("mass = \"M\"\nposition = [\"L\", \"-L\"]")
    );
    refused(&text, "E_EXPRESSION", "parameters.L", "2 *", "");
}

#[test]
fn parameter_names() {
    let t = "[parameters]\nt = 1";
    refused(t, "E_NAME", "parameters.t", "time", "letters");
    let dash = "[parameters]\n\"a-b\" = 1";
    refused(dash, "E_NAME", "parameters.a-b", "a-b", "letters");
}

#[test]
fn overrides() {
    let spec = spec("[parameters]\nL1 = 1\nL2 = \"2*L1\"\n");
    let set = |name: &str, value: &str| compile_with(&spec, &[(name.to_owned(), value.to_owned())]);
    assert_eq!(set("L1", "30 mm").unwrap().parameters[1].1, 0.06);
    let unknown = &set("L3", "1").unwrap_err()[0];
    assert_eq!((unknown.code, &*unknown.path), ("E_UNKNOWN_NAME", "parameters.L3"));
    assert_eq!(unknown.help.as_deref(), Some("did you mean `L1`?"));
    let bad = &set("L1", "1 +").unwrap_err()[0];
    assert_eq!((bad.code, &*bad.path, &bad.within), ("E_EXPRESSION", "parameters.L1", &None));
}

#[test]
fn rel_r03_mass_sign() {
    refused(&planar("mass = -2"), "E_MASS_SIGN", "body.crank.mass", "-2 kg", "zero or more");
    let text = "[body.a]\ntype = \"planar\"\nmass = 1\ninertia = -1";
    refused(text, "E_MASS_SIGN", "body.a.inertia", "-1 kg*m^2", "");
    let text = rigid("inertia = [1, -0.5, 1]");
    refused(&text, "E_MASS_SIGN", "body.top.inertia[1]", "-0.5", "");
    // negative only as a principal moment
    let text = rigid("inertia = [1, 1, 1, 3, 0, 0]");
    refused(&text, "E_MASS_SIGN", "body.top.inertia", "-2", "signs");
}

#[test]
fn rel_r04_inertia_impossible() {
    let text = rigid("inertia = [1, 2, 4]");
    refused(&text, "E_INERTIA_IMPOSSIBLE", "body.top.inertia", "[1, 2, 4]", "sum");
    for exponent in 1..=12 {
        let excess = 10f64.powi(-exponent);
        let text = rigid(&format!("inertia = [0, 1, {}]", 1.0 + excess));
        let accepted = compile(&spec(&text)).is_ok();
        // slop: 1e-9 of a trace of 2
        assert_eq!(accepted, exponent >= 9, "excess {excess:e}");
    }
    let text = rigid("inertia = [[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]]");
    refused(&text, "E_INERTIA_IMPOSSIBLE", "body.top.inertia", "not symmetric", "same");
}

#[test]
fn inertia_shapes() {
    let six = model(&rigid("inertia = [3, 4, 5, 0.1, 0.2, 0.3]"));
    let full = model(&rigid("inertia = [[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]"));
    assert_eq!(six.bodies[0].inertia, full.bodies[0].inertia);
    assert_eq!(model(&planar("mass = 1")).bodies[0].inertia[(2, 2)], 1.0);
    let text = rigid("inertia = [1, 2]");
    refused(&text, "E_SHAPE", "body.top.inertia", "2 entries", "3 principal");
    refused(&rigid("inertia = 1"), "E_SHAPE", "body.top.inertia", "one number", "3×3");
    refused(&rigid(""), "E_MISSING_FIELD", "body.top.inertia", "`inertia`", "principal");
    let text = "[body.a]\ntype = \"planar\"\nmass = 1";
    refused(text, "E_MISSING_FIELD", "body.a.inertia", "planar", "kg*m^2");
    let text = "[body.a]\ntype = \"point\"\nmass = 1\ninertia = 1";
    refused(text, "E_FIELD_UNUSED", "body.a.inertia", "point", "mass, position");
}

#[test]
fn rel_r05_rotation() {
    let with_norm =
        |norm: f64| rigid(&format!("inertia = [1, 1, 1]\norientation = [{norm}, 0, 0, 0]"));
    refused(
        &with_norm(1.1),
        "E_ROTATION",
        "body.top.orientation",
        "norm 1.1",
        "scalar part comes first",
    );
    let near = model(&with_norm(1.0 + 5e-7));
    assert_eq!(near.notes[0].code, "N_NORMALIZED");
    assert_eq!(near.notes[0].path, "body.top.orientation");
    assert_eq!(near.bodies[0].rotation.0[0], 1.0);
    assert!(model(&with_norm(1.0 + 1e-14)).notes.is_empty());
    let text = rigid("inertia = [1, 1, 1]\norientation = [1, 0, 0]");
    refused(&text, "E_SHAPE", "body.top.orientation", "3 entries", "w, x, y, z");
}

#[test]
fn rotation_tables() {
    let rotated = |table: &str| {
        let text = rigid(&format!("inertia = [1, 1, 1]\norientation = {table}"));
        model(&text).bodies[0].rotation.matrix()
    };
    let quarter = rotated("{ axis = [0, 0, 1], angle = \"90 deg\" }");
    for same in [
        "{ x = [0, 1, 0], y = [-1, 0, 0] }",
        "{ x = [0, 1, 0], z = [0, 0, 1] }",
        "{ y = [-1, 0, 0], z = [0, 0, 1] }",
        "{ x = [0, 2, 0] }",
        "{ y = [-1, 0] }",
    ] {
        assert!((rotated(same) - quarter).amax() < 1e-15, "{same}");
    }
    // the first is exact, the second gives way
    let skew = rotated("{ x = [1, 0, 0], y = [1, 1, 0] }");
    assert!((skew - delassus_math::Mat3::identity()).amax() < 1e-15);
    let parallel = rigid("inertia = [1, 1, 1]\norientation = { x = [1, 0, 0], y = [-1, 0, 0] }");
    let fault = refused(
        &parallel,
        "E_DEGENERATE_DIRECTION",
        "body.top.orientation.y",
        "parallel",
        "not parallel",
    );
    assert_eq!(fault.related.as_deref(), Some("body.top.orientation.x"));
    let empty = rigid("inertia = [1, 1, 1]\norientation = {}");
    refused(&empty, "E_MISSING_FIELD", "body.top.orientation.axis", "", "angle");
}

#[test]
fn vector_shapes() {
    let flat = model(&planar("mass = 1\nposition = [1, 2, 0]"));
    assert_eq!(flat.bodies[0].position.y, 2.0);
    let text = planar("mass = 1\nposition = [1, 2, 3]");
    refused(&text, "E_SHAPE", "body.crank.position[2]", "z is 3", "leave out z");
    let text = planar("mass = 1\nposition = [1]");
    refused(&text, "E_SHAPE", "body.crank.position", "1 entry", "2 or 3");
    let text = rigid("inertia = [1, 1, 1]\nposition = [1, 2]");
    refused(&text, "E_SHAPE", "body.top.position", "2 entries", "3 components");
    refused("gravity = [1]", "E_SHAPE", "gravity", "1 entry", "2 or 3");
    assert_eq!(model("gravity = [0, -9.81]").gravity.y, -9.81);
}

#[test]
fn unused_body_fields() {
    let text = planar("mass = 1\norientation = [1, 0, 0, 0]");
    refused(&text, "E_FIELD_UNUSED", "body.crank.orientation", "planar", "angle");
    let text = "[body.p]\ntype = \"planar-point\"\nmass = 1\nmarkers.tip = [1, 0]";
    refused(text, "E_RANGE", "body.p.markers.tip", "[1, 0, 0]", "origin");
}

#[test]
fn rel_r11_empty_model_and_massless_body() {
    let empty = model("");
    assert!(empty.bodies.is_empty() && empty.sensors.is_empty());
    let massless = model("[body.a]\ntype = \"point\"\nmass = 0");
    assert_eq!(massless.bodies[0].kind.name(), "point");
}

#[test]
fn rel_r07_names() {
    let text = "[body.\"a b\"]\ntype = \"point\"\nmass = 1";
    refused(text, "E_NAME", "body.a b", "white space", "letters");
    let text = "[body.\"a.b\"]\ntype = \"point\"\nmass = 1";
    refused(text, "E_NAME", "body.a.b", "`.`", "letters");
    let text = "[body.\"\"]\ntype = \"point\"\nmass = 1";
    refused(text, "E_NAME", "body.", "empty", "letters");
    let text = "[body.ground]\ntype = \"point\"\nmass = 1";
    refused(text, "E_NAME", "body.ground", "does not move", "another name");
}

#[test]
fn rel_r07_duplicate() {
    let mut spec = spec("");
    for _ in 0..2 {
        let body = delassus_model::spec::BodySpec {
            kind: delassus_model::spec::BodyType::Point,
            mass: Some(1.0.into()),
            ..Default::default()
        };
        spec.body.push("bob", body);
    }
    let fault = &compile(&spec).unwrap_err()[0];
    assert_eq!((fault.code, &*fault.path), ("E_DUPLICATE", "body.bob"));
    assert_eq!(fault.related.as_deref(), Some("body.bob"));
    assert!(fault.help.is_some());
}

#[test]
fn schema_version() {
    refused("schema = 2", "E_SCHEMA_VERSION", "schema", "version 2", "convert");
    refused("schema = 0", "E_SCHEMA_VERSION", "schema", "not given", "schema = 1");
}

#[test]
fn rel_g5_seven_faults_in_file_order() {
    let text = r#"
        gravity = [0, "9.81 m"]
        [parameters]
        L = "2 **"
        [body.a]
        type = "planar"
        mass = -1
        inertia = 1
        [body.b]
        type = "planar"
        mass = 1
        [joint.pin]
        type = "revolute"
        between = ["grond", "a"]
        [sensor.s]
        type = "position"
        of = "a"
        component = "q"
        [analysis]
        end = -1
    "#;
    let faults = faults(text);
    let found: Vec<(&str, &str)> = faults.iter().map(|f| (f.code, &*f.path)).collect();
    assert_eq!(
        found,
        [
            ("E_EXPRESSION", "parameters.L"),
            ("E_DIMENSION", "gravity[1]"),
            ("E_MASS_SIGN", "body.a.mass"),
            ("E_MISSING_FIELD", "body.b.inertia"),
            ("E_UNKNOWN_NAME", "joint.pin.between[0]"),
            ("E_UNKNOWN_NAME", "sensor.s.component"),
            ("E_TIME_SPEC", "analysis.end"),
        ]
    );
}

#[test]
fn fifty_faults_are_enough() {
    let mut text = String::new();
    for k in 0..80 {
        text += &format!("[body.b{k}]\ntype = \"point\"\nmass = -1\n");
    }
    assert_eq!(faults(&text).len(), 50);
}

#[test]
fn rel_r09_time_and_tolerances() {
    for (text, path, value) in [
        ("[analysis]\nstart = 2\nend = 2", "analysis.end", "2 s"),
        ("[analysis]\nsample = 0", "analysis.sample", "0 s"),
        ("[method]\nstep = -0.1", "method.step", "-0.1 s"),
        ("[method]\nstep = 2", "method.step", "only 1 s"),
        ("[method]\nmax_step = 0", "method.max_step", "0 s"),
    ] {
        refused(text, "E_TIME_SPEC", path, value, "give");
    }
    for (text, path, value) in [
        ("[method]\nrtol = 0", "method.rtol", "is 0,"),
        ("[method]\nrtol = 1e-15", "method.rtol", "at least 1e-14"),
        ("[method]\natol = -1", "method.atol", "is -1,"),
    ] {
        refused(text, "E_TOLERANCE", path, value, "1e-6");
    }
    for (text, path, value) in [
        ("[method]\nrho_inf = 1.5", "method.rho_inf", "1.5"),
        ("[method]\nmax_steps = 0", "method.max_steps", "0"),
    ] {
        refused(text, "E_RANGE", path, value, "");
    }
}

#[test]
fn settings_defaults() {
    let model = model("[analysis]\nstart = 1\nend = \"3 s\"");
    assert_eq!(model.analysis.sample, 0.02);
    assert_eq!(model.analysis.max_assembly_correction, 0.01);
    assert_eq!((&*model.method.name, model.method.rtol), ("mdop5", None));
}

#[test]
fn options_of_methods() {
    let m = model("[method]\nname = \"gen-alpha\"\nrho_inf = \"1/4\"");
    let given: Vec<_> = m.method.options.iter().map(|(n, v)| (n, v.to_string())).collect();
    assert_eq!(given, [("rho_inf", "0.25".to_owned())]);
    assert!(m.notes.is_empty());
    // kept for when the model is run with another method
    let m = model("[method]\nrho_inf = 0.5");
    assert_eq!(m.method.options.iter().count(), 1);
    let notes: Vec<_> = m.notes.iter().map(|n| (n.code, &*n.path)).collect();
    assert_eq!(notes, [("N_METHOD_OPTION", "method.rho_inf")]);
    let gen_alpha = "[method]\nname = \"gen-alpha\"\n";
    refused(&format!("{gen_alpha}rho_inf = -1"), "E_RANGE", "method.rho_inf", "from 0 to 1", "");
    // a file reader refuses this key before; a program that builds the model gets here
    refused("[method]\nrho = 1", "E_UNKNOWN_KEY", "method.rho", "`rho`", "rho_inf");
    let bdf = "[method]\nname = \"bdf\"\n";
    refused(&format!("{bdf}max_order = 2.5"), "E_RANGE", "method.max_order", "whole number", "");
    // units are those of the method that is chosen
    let dopri = "[method]\nname = \"dopri5\"\n";
    let m = model(&format!("{dopri}baumgarte_alpha = \"0.03/(1 ms)\""));
    let given: Vec<_> = m.method.options.iter().map(|(_, v)| v.to_string()).collect();
    assert_eq!(given, ["30"]);
    let wrong = format!("{dopri}baumgarte_alpha = \"3 s\"");
    refused(&wrong, "E_DIMENSION", "method.baumgarte_alpha", "", "");
    refused(&format!("{gen_alpha}rho_inf = \"1 s\""), "E_DIMENSION", "method.rho_inf", "", "");
    // the options of a method that does not exist are judged by those of all others
    refused(
        "[method]\nname = \"?\"\nrho_inf = 0.5",
        "E_UNKNOWN_METHOD",
        "method.name",
        "?",
        "mdop5",
    );
    let both = faults("[method]\nname = \"?\"\nrho_inf = 3");
    let both: Vec<_> = both.iter().map(|f| (f.code, f.path.as_str())).collect();
    assert_eq!(both, [("E_RANGE", "method.rho_inf"), ("E_UNKNOWN_METHOD", "method.name")]);
}
