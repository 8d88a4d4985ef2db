//! Joints, forces, sensors and repetition.

use crate::compile_support;

use compile_support::{BODIES, JOINTS, faults, model, model_with, refused, refused_entry};
use delassus_model::{
    BodyId, Component, CoordinateKind, EnergyKind, ForceKind, JointKind, Measure, SpringLaw, var,
};

#[test]
fn frames() {
    let model = model_with(
        "[ground.markers]\nwall = { position = [0, 2], angle = \"90 deg\" }\n\
         [joint.j]\ntype = \"spherical\"\nbetween = [\"ground.wall\", \"a.tip\"]",
    );
    let JointKind::Spherical(pair) = &model.joints[3].kind else {
        panic!("{:?}", model.joints[3]);
    };
    assert_eq!((pair.a.body, pair.a.p.y), (None, 2.0));
    assert!((pair.a.r[(1, 0)] - 1.0).abs() < 1e-15);
    assert_eq!((pair.b.body, pair.b.p.x), (Some(BodyId(0)), 1.0));
    assert_eq!(pair.b.name, "a.tip");
}

#[test]
fn rel_r07_unknown_names() {
    let text = "[joint.j]\ntype = \"fixed\"\nbetween = [\"grund\", \"a\"]";
    refused_entry(text, "E_UNKNOWN_NAME", "joint.j.between[0]", "`grund`", "`ground`");
    let text = "[joint.j]\ntype = \"fixed\"\nbetween = [\"ground\", \"a.tpi\"]";
    refused_entry(text, "E_UNKNOWN_NAME", "joint.j.between[1]", "`tpi`", "`tip`");
    let text = "[force.f]\ntype = \"torsion\"\njoint = \"pni\"\nstiffness = 1";
    refused_entry(text, "E_UNKNOWN_NAME", "force.f.joint", "`pni`", "`pin`");
}

#[test]
fn rel_r07_same_body() {
    let text = "[joint.j]\ntype = \"fixed\"\nbetween = [\"a\", \"a.tip\"]";
    refused_entry(text, "E_SAME_BODY", "joint.j.between", "the body `a`", "ground");
    let text = "[joint.j]\ntype = \"fixed\"\nbetween = [\"ground\", \"ground\"]";
    refused_entry(text, "E_SAME_BODY", "joint.j.between", "on the ground", "another body");
}

#[test]
fn rel_r06_directions() {
    let joint = |axis: &str| {
        format!("[joint.j]\ntype = \"revolute\"\nbetween = [\"a\", \"r\"]\naxis = {axis}")
    };
    refused_entry(
        &joint("[0, 0, 0]"),
        "E_DEGENERATE_DIRECTION",
        "joint.j.axis",
        "[0, 0, 0] has length 0",
        "[0, 0, 1]",
    );
    // what is computed, from points perhaps, may have any length
    for axis in ["[0, 0, \"7 - 2\"]", "[\"0.3 - 0.3\", 0, 5]"] {
        let model = model_with(&joint(axis));
        assert!(model.notes.is_empty(), "{axis}: {:?}", model.notes);
        let JointKind::Revolute(pair) = &model.joints[3].kind else {
            panic!("{:?}", model.joints[3]);
        };
        assert_eq!((pair.axis_a.z, pair.axis_b.z), (1.0, 1.0));
    }
    for axis in ["[0, 0, 5]", "[0, 0, 1e200]", "[0, 0, 1e-11]"] {
        let model = model_with(&joint(axis));
        assert_eq!(model.notes.len(), 1, "{axis}");
        assert_eq!((model.notes[0].code, &*model.notes[0].path), ("N_NORMALIZED", "joint.j.axis"));
        let JointKind::Revolute(pair) = &model.joints[3].kind else {
            panic!("{:?}", model.joints[3]);
        };
        assert_eq!((pair.axis_a.z, pair.axis_b.z), (1.0, 1.0));
    }
    assert!(model_with(&joint("[0, 0.6, 0.8]")).notes.is_empty());
    let text = "[joint.g]\ntype = \"gear\"\njoints = [\"pin\", \"pin2\"]\nratio = 0\n\
                [joint.pin2]\ntype = \"revolute\"\nbetween = [\"ground\", \"b\"]";
    refused_entry(text, "E_DEGENERATE_DIRECTION", "joint.g.ratio", "is 0", "other than 0");
    let text = "[joint.s]\ntype = \"screw\"\nbetween = [\"a\", \"r\"]\npitch = 0";
    refused_entry(text, "E_DEGENERATE_DIRECTION", "joint.s.pitch", "is 0", "other than 0");
}

#[test]
fn axis_defaults() {
    let axis_of = |kind: &str, between: &str| {
        let more = if kind == "rolling" { "radius = 1" } else { "" };
        let text = format!("[joint.j]\ntype = \"{kind}\"\nbetween = {between}\n{more}");
        match model_with(&text).joints.remove(3).kind {
            JointKind::Revolute(p) | JointKind::Prismatic(p) | JointKind::PointOnPlane(p) => p,
            JointKind::Rolling { pair, .. } => pair,
            other => panic!("{other:?}"),
        }
    };
    let plane = r#"["ground", "a"]"#;
    let space = r#"["ground", "r"]"#;
    assert_eq!(axis_of("revolute", plane).axis_a.z, 1.0);
    assert_eq!(axis_of("prismatic", space).axis_a.x, 1.0);
    assert_eq!(axis_of("point-on-plane", plane).axis_a.y, 1.0);
    assert_eq!(axis_of("point-on-plane", space).axis_a.z, 1.0);
    assert_eq!(axis_of("rolling", plane).axis_a.y, 1.0);
    assert_eq!(axis_of("rolling", plane).axis_b.z, 1.0);
}

#[test]
fn joint_fields() {
    let text = "[joint.j]\ntype = \"revolute\"\nbetween = [\"a\", \"r\"]\npitch = 1";
    refused_entry(text, "E_FIELD_UNUSED", "joint.j.pitch", "revolute", "between, axis");
    let text = "[joint.j]\ntype = \"revolute\"\nbetween = [\"a\", \"r\"]\nlength = 1";
    refused_entry(text, "E_FIELD_UNUSED", "joint.j.length", "without `clearance`", "0.5 mm");
    let text = "[joint.j]\ntype = \"revolute\"";
    refused_entry(text, "E_MISSING_FIELD", "joint.j.between", "`between`", "two frames");
    let text = "[joint.j]\ntype = \"revolute\"\nbetween = [\"a\"]";
    refused_entry(text, "E_SHAPE", "joint.j.between", "1 entry", "2 frames");
    let text = "[joint.j]\ntype = \"screw\"\nbetween = [\"a\", \"r\"]";
    refused_entry(text, "E_MISSING_FIELD", "joint.j.pitch", "`pitch`", "revolution");
    let text = "[joint.j]\ntype = \"distance\"\nbetween = [\"a\", \"r\"]\nlength = 0";
    refused_entry(text, "E_RANGE", "joint.j.length", "0 m", "positive");
    let text = "[joint.j]\ntype = \"rolling\"\nbetween = [\"ground\", \"r\"]\nradius = -1";
    refused_entry(text, "E_RANGE", "joint.j.radius", "-1 m", "positive");
    let text = "[joint.j]\ntype = \"revolute\"\nbetween = [\"a\", \"r\"]\ninitial_rate = \"2 m\"";
    refused_entry(text, "E_DIMENSION", "joint.j.initial_rate", "2 m", "1/s");
}

#[test]
fn gears_and_racks() {
    let model = model_with(
        "[joint.g]\ntype = \"gear\"\njoints = [\"pin\", \"late\"]\nratio = -2\n\
         [joint.k]\ntype = \"rack\"\njoints = [\"pin\", \"slide\"]\npitch = \"10 mm\"\n\
         [joint.late]\ntype = \"revolute\"\nbetween = [\"ground\", \"b\"]",
    );
    let JointKind::Coupling(gear, None) = &model.joints[3].kind else {
        panic!("{:?}", model.joints[3]);
    };
    assert_eq!((gear[0].1, gear[1].1), (1.0, 2.0));
    assert_eq!(gear[1].0.pair.b.name, "b");
    let JointKind::Coupling(rack, None) = &model.joints[4].kind else {
        panic!("{:?}", model.joints[4]);
    };
    assert_eq!((rack[0].1, rack[1].1), (0.01 / std::f64::consts::TAU, -1.0));
    assert_eq!(rack[1].0.kind, CoordinateKind::Position);
}

#[test]
fn coordinates() {
    let text = "[sensor.s]\ntype = \"joint\"\njoint = \"ball\"";
    refused_entry(text, "E_NO_COORDINATE", "sensor.s.joint", "spherical", "revolute");
    let text = "[sensor.s]\ntype = \"joint\"\njoint = \"pin\"\ncoordinate = \"position\"";
    refused_entry(text, "E_NO_COORDINATE", "sensor.s.joint", "no position", "prismatic");
    let text = "[sensor.s]\ntype = \"joint\"\njoint = \"pin\"\ncoordinate = \"angel\"";
    refused_entry(text, "E_UNKNOWN_NAME", "sensor.s.coordinate", "angel", "`angle`");
    let text = "[joint.g]\ntype = \"gear\"\njoints = [\"pin\", \"slide\"]\nratio = 1";
    refused_entry(text, "E_NO_COORDINATE", "joint.g.joints[1]", "no angle", "revolute");
    let text = "[joint.g]\ntype = \"gear\"\njoints = [\"pin\", \"pin\"]\nratio = 1";
    refused_entry(text, "E_DUPLICATE", "joint.g.joints[1]", "itself", "different");
}

#[test]
fn motions() {
    let model = model_with(
        "[parameters]\nomega = \"60 rpm\"\n\
         [joint.m]\ntype = \"motion\"\njoint = \"pin\"\nvalue = \"omega*t\"",
    );
    let JointKind::Motion(c, value) = &model.joints[3].kind else {
        panic!("{:?}", model.joints[3]);
    };
    assert_eq!(c.kind, CoordinateKind::Angle);
    assert!((value.eval(&[1.0]) - std::f64::consts::TAU).abs() < 1e-15);

    let motion = |fields: &str| format!("[joint.m]\ntype = \"motion\"\n{fields}");
    let text = motion("joint = \"pin\"");
    refused_entry(&text, "E_MISSING_FIELD", "joint.m.value", "`value`", "`t`");
    let text = motion("value = 1");
    refused_entry(&text, "E_MISSING_FIELD", "joint.m.joint", "`joint`", "between");
    let text = motion("between = [\"a\", \"r\"]\naxis = [1, 0]\nvalue = \"t\"");
    refused_entry(&text, "E_MISSING_FIELD", "joint.m.coordinate", "axis", "angle");
    let text = motion("joint = \"pin\"\nvalue = \"1/t\"");
    refused_entry(&text, "E_NONFINITE", "joint.m.value", "at t = 0", "zero");
    let text = motion("joint = \"pin\"\nvalue = \"2 mm\"");
    refused_entry(&text, "E_DIMENSION", "joint.m.value", "2 mm", "angle");
    let text = motion("joint = \"pin\"\nvalue = \"s\"\n[sensor.s]\ntype = \"energy\"");
    refused_entry(&text, "E_UNKNOWN_NAME", "joint.m.value", "`s`", "");
}

#[test]
fn forces_use_time_and_sensors() {
    let model = model_with(
        "[force.f]\ntype = \"force\"\nat = \"a.tip\"\nforce = [\"-3*v.x\", \"sin(t)\"]\n\
         [sensor.e]\ntype = \"energy\"\n[sensor.v]\ntype = \"velocity\"\nof = \"a.tip\"",
    );
    let ForceKind::Force { components, frame, .. } = &model.forces[0].kind else {
        panic!("{:?}", model.forces[0]);
    };
    assert_eq!(components[0].variables(), [var::SENSOR + 1]);
    assert_eq!(components[1].variables(), [var::T]);
    assert_eq!(components[2].as_constant(), Some(0.0));
    assert_eq!(frame.name, "ground");
}

#[test]
fn algebraic_loops() {
    let text = "[force.f]\ntype = \"force\"\nat = \"a\"\nforce = [\"e2\", 0]\n\
                [sensor.e2]\ntype = \"expression\"\nvalue = \"2*acc.x\"\n\
                [sensor.acc]\ntype = \"acceleration\"\nof = \"a\"";
    refused_entry(text, "E_ALGEBRAIC_LOOP", "force.f.force[0]", "`e2`", "velocity");
    // the derivative of a target that reads a velocity is an acceleration
    let text = "[sensor.v]\ntype = \"velocity\"\nof = \"a\"\ncomponent = \"x\"\n\
                [sensor.e]\ntype = \"expression\"\nvalue = \"2*v\"\n\
                [force.f]\ntype = \"actuator\"\nbetween = [\"ground\", \"a\"]\n\
                coordinate = \"angle\"\ntarget = \"e\"\nkp = 1\nkd = 1";
    refused_entry(text, "E_ALGEBRAIC_LOOP", "force.f.kd", "`e`", "leave `kd` out");
}

#[test]
fn sensor_cycles() {
    let text = "[sensor.p]\ntype = \"expression\"\nvalue = \"q + 1\"\n\
                [sensor.q]\ntype = \"expression\"\nvalue = \"p*2\"\n\
                [force.f]\ntype = \"force\"\nat = \"a\"\nforce = [\"p\", 0]";
    refused_entry(text, "E_CYCLE", "sensor.p.value", "p → q → p", "formula");
}

/// Formulas of repeated sensors and forces refer to repeated sensors.
#[test]
fn repeated_sensors_in_formulas() {
    let text = "[sensor.\"p{i}\"]\nrepeat = \"i = 1..3\"\ntype = \"position\"\nof = \"a\"\n\
                [sensor.\"d{i}\"]\nrepeat = \"i = 2..3\"\ntype = \"expression\"\n\
                value = \"p{i}.x - p{i-1}.y + i\"\n\
                [sensor.\"s{i}\"]\nrepeat = \"i = 2..3\"\ntype = \"expression\"\nvalue = \"2*d{i}\"\n\
                [force.\"f{i}\"]\nrepeat = \"i = 2..3\"\ntype = \"force\"\nat = \"a\"\n\
                force = [\"s{i}\", 0]\n";
    let m = model_with(text);
    let column = |name: &str| m.sensors.iter().position(|s| s.name == name).unwrap();
    for i in 2..=3 {
        let Measure::Expression(d) = &m.sensors[column(&format!("d{i}"))].measure else { panic!() };
        let used = [format!("p{i}.x"), format!("p{}.y", i - 1)];
        let mut wanted = used.map(|n| var::SENSOR + column(&n));
        wanted.sort_unstable();
        assert_eq!(d.variables(), wanted);
    }
    let unknown = text.replace("p{i-1}.y", "p{i-2}.y");
    let fault = refused_entry(&unknown, "E_UNKNOWN_NAME", "sensor.d{i}.value", "p0.y", "p1.y");
    assert_eq!(fault.within, None);
    let bad = text.replace("p{i-1}.y", "p{i-0.5}.y");
    refused_entry(&bad, "E_EXPRESSION", "sensor.d{i}.value", "1.5", "");
}

#[test]
fn springs() {
    let spring =
        |f: &str| format!("[force.s]\ntype = \"spring\"\nbetween = [\"ground\", \"a\"]\n{f}");
    let law = |f: &str| match model_with(&spring(f)).forces.remove(0).kind {
        ForceKind::Spring { law, .. } => law,
        other => panic!("{other:?}"),
    };
    let SpringLaw::Linear { k, c, free } = law("stiffness = \"2 N/mm\"\nlength = 0") else {
        panic!();
    };
    assert_eq!((k, c, free), (2000.0, 0.0, Some(0.0)));
    let SpringLaw::Expression(e) = law("force = \"100*(length - 0.2) + 3*rate\"") else {
        panic!();
    };
    assert_eq!(e.variables(), [var::COORDINATE, var::RATE]);

    let text = spring("stiffness = -1");
    refused_entry(&text, "E_RANGE", "force.s.stiffness", "-1", "allow_negative = true");
    law("damping = -1\nallow_negative = true");
    let text = spring("stiffness = 1\nlength = -1");
    refused_entry(&text, "E_RANGE", "force.s.length", "-1 m", "zero or more");
    let text = spring("stiffness = 1\nforce = \"length\"");
    refused_entry(&text, "E_FIELD_UNUSED", "force.s.stiffness", "`force` expression", "force");
    refused_entry(&spring(""), "E_MISSING_FIELD", "force.s.stiffness", "", "damping");
    let text = format!("{}\n[parameters]\nlength = 1", spring("force = \"length\""));
    let fault = refused_entry(&text, "E_DUPLICATE", "force.s.force", "`length`", "rename");
    assert_eq!(fault.related.as_deref(), Some("parameters.length"));
}

#[test]
fn torsion_and_actuator() {
    let model = model_with(
        "[force.t]\ntype = \"torsion\"\njoint = \"pin\"\nstiffness = \"5 N*m\"\n\
         [force.u]\ntype = \"torsion\"\nbetween = [\"a\", \"r\"]\naxis = [1, 0, 0]\ntorque = \"2*angle\"\n\
         [force.m]\ntype = \"actuator\"\njoint = \"slide\"\ntarget = \"10 mm\"\nkp = \"5 N/m\"\nki = 1",
    );
    let ForceKind::Torsion { law: SpringLaw::Linear { k, free, .. }, .. } = &model.forces[0].kind
    else {
        panic!("{:?}", model.forces[0]);
    };
    assert_eq!((*k, *free), (5.0, Some(0.0)));
    let ForceKind::Actuator { kp, ki, kd, target, .. } = &model.forces[2].kind else {
        panic!("{:?}", model.forces[2]);
    };
    assert_eq!((*kp, *ki, *kd, target.as_constant()), (5.0, 1.0, 0.0, Some(0.01)));

    let text = "[force.m]\ntype = \"actuator\"\njoint = \"pin\"\ntarget = 1";
    refused_entry(text, "E_MISSING_FIELD", "force.m.kp", "`kp`", "gains");
    let text =
        "[force.m]\ntype = \"actuator\"\njoint = \"pin\"\ntarget = 1\nkp = 1\ncontrol = \"rat\"";
    refused_entry(text, "E_UNKNOWN_NAME", "force.m.control", "rat", "`rate`");
}

#[test]
fn force_shapes() {
    let text = "[force.f]\ntype = \"force\"\nat = \"a\"\nforce = 1";
    refused_entry(text, "E_SHAPE", "force.f.force", "one number", "2 or 3");
    let text = "[force.f]\ntype = \"torque\"\nat = \"r\"\ntorque = 1";
    refused_entry(text, "E_SHAPE", "force.f.torque", "one number", "3 components");
    let text = "[force.f]\ntype = \"force\"\nat = \"ground\"\nforce = [1, 0]";
    refused_entry(text, "E_RANGE", "force.f.at", "ground", "body");
    let bushing = "[force.f]\ntype = \"bushing\"\nbetween = [\"ground\", \"r\"]\n";
    let text = format!("{bushing}stiffness = [1, 2]");
    refused_entry(&text, "E_SHAPE", "force.f.stiffness", "2 entries", "6×6");
    let text = format!("{bushing}stiffness = [1, 1, 1, 1, 1, -1]");
    refused_entry(&text, "E_RANGE", "force.f.stiffness[5]", "-1", "allow_negative");
    let model = model_with(&format!("{bushing}stiffness = [1, 2, 3, \"4 N*m\", 5, 6]"));
    let ForceKind::Bushing { k, c, .. } = &model.forces[0].kind else {
        panic!("{:?}", model.forces[0]);
    };
    assert_eq!((k[(3, 3)], c.amax()), (4.0, 0.0));
}

#[test]
fn bearings_act_across_an_axis_of_their_frame() {
    let bearing = "[force.f]\ntype = \"bearing\"\nbetween = [\"ground\", \"r\"]\n";
    let model = model_with(&format!(
        "{bearing}axis = [0, 2, 0]\nstiffness = [[1, 2], [-3, 4]]\ndamping = 5"
    ));
    let ForceKind::Bushing { k, c, .. } = &model.forces[0].kind else {
        panic!("{:?}", model.forces[0]);
    };
    // across y: z, then x
    assert_eq!([k[(2, 2)], k[(2, 0)], k[(0, 2)], k[(0, 0)]], [1.0, 2.0, -3.0, 4.0]);
    assert_eq!((c[(0, 0)], c[(2, 2)], c[(1, 1)], c[(0, 2)]), (5.0, 5.0, 0.0, 0.0));
    let refused = |text: &str, code, path, found, help| {
        refused_entry(&format!("{bearing}{text}"), code, path, found, help);
    };
    refused("axis = [1, 1, 0]\nstiffness = 1", "E_RANGE", "force.f.axis", "x, y or z", "marker");
    refused("stiffness = [1, 2, 3]", "E_SHAPE", "force.f.stiffness", "3 entries", "2×2");
    refused(
        "stiffness = [[1, 0], [0, -4]]",
        "E_RANGE",
        "force.f.stiffness[1][1]",
        "-4",
        "allow_negative",
    );
    refused("", "E_MISSING_FIELD", "force.f.stiffness", "bearing", "2×2");
}

fn columns(text: &str) -> Vec<(String, String, String)> {
    let model = model_with(text);
    let sensors = model.sensors.into_iter();
    sensors.map(|s| (s.name, s.unit, s.frame)).collect()
}

fn names(text: &str) -> Vec<String> {
    columns(text).into_iter().map(|(name, ..)| name).collect()
}

#[test]
fn sensor_columns() {
    assert_eq!(names("[sensor.p]\ntype = \"position\"\nof = \"a\""), ["p.x", "p.y"]);
    assert_eq!(
        names("[sensor.p]\ntype = \"position\"\nof = \"a\"\nframe = \"r\""),
        ["p.x", "p.y", "p.z"]
    );
    assert_eq!(names("[sensor.w]\ntype = \"rate\"\nof = \"a\""), ["w"]);
    assert_eq!(
        names("[sensor.w]\ntype = \"rate\"\nof = \"r\"\nframe = \"body\""),
        ["w.x", "w.y", "w.z"]
    );
    assert_eq!(
        names("[sensor.q]\ntype = \"orientation\"\nof = \"r\""),
        ["q.w", "q.x", "q.y", "q.z"]
    );
    assert_eq!(names("[sensor.f]\ntype = \"reaction\"\njoint = \"pin\""), ["f.fx", "f.fy", "f.tz"]);
    assert_eq!(names("[sensor.f]\ntype = \"reaction\"\njoint = \"ball\"").len(), 6);
    let text =
        "[sensor.v]\ntype = \"velocity\"\nof = \"a\"\ncomponent = \"norm\"\nframe = \"b.tip\"";
    let found = columns(text);
    assert_eq!(found, [("v".into(), "m/s".into(), "b.tip".into())]);
    let text = "[sensor.s]\ntype = \"joint-rate\"\njoint = \"slide\"";
    assert_eq!(columns(text)[0].1, "m/s");
}

#[test]
fn sensor_measures() {
    let model = model_with(
        "[sensor.e]\ntype = \"energy\"\n[sensor.w]\ntype = \"rate\"\nof = \"a\"\n\
         [sensor.k]\ntype = \"expression\"\nvalue = \"e + w^2\"\nunit = \"J\"",
    );
    let [e, w, k] = model.sensors.as_slice() else {
        panic!("{:?}", model.sensors);
    };
    assert!(matches!(e.measure, Measure::Energy(EnergyKind::Total)));
    assert!(matches!(w.measure, Measure::Rate(_, _, Component::Z)));
    let Measure::Expression(formula) = &k.measure else {
        panic!("{k:?}");
    };
    assert_eq!(formula.variables(), [var::SENSOR, var::SENSOR + 1]);
    assert_eq!(k.unit, "J");
}

#[test]
fn sensor_faults() {
    let text = "[sensor.s]\ntype = \"position\"\nof = \"a\"\nvalue = 1";
    refused_entry(text, "E_FIELD_UNUSED", "sensor.s.value", "position", "component");
    let text = "[sensor.s]\ntype = \"position\"";
    refused_entry(text, "E_MISSING_FIELD", "sensor.s.of", "`of`", "marker");
    let text = "[sensor.s]\ntype = \"energy\"\ncomponent = \"kinetik\"";
    refused_entry(text, "E_UNKNOWN_NAME", "sensor.s.component", "kinetik", "`kinetic`");
    let text = "[sensor.s]\ntype = \"expression\"\nvalue = \"p\"\n\
                [sensor.p]\ntype = \"position\"\nof = \"a\"";
    refused_entry(text, "E_UNKNOWN_NAME", "sensor.s.value", "`p`", "`p.x`");
    let text = "[parameters]\nL = 1\n[sensor.L]\ntype = \"energy\"";
    let fault = refused(text, "E_DUPLICATE", "sensor.L", "parameter", "rename");
    assert_eq!(fault.related.as_deref(), Some("parameters.L"));
    // what uses a faulty sensor is not to blame
    let text = "[sensor.s]\ntype = \"expression\"\nvalue = \"p.x + r\"\n\
                [sensor.r]\ntype = \"expression\"\nvalue = \"1 +\"\n\
                [sensor.p]\ntype = \"position\"\nof = \"aa\"";
    let text = format!("{BODIES}{JOINTS}{text}");
    let faults = faults(&text);
    let found: Vec<&str> = faults.iter().map(|f| &*f.path).collect();
    assert_eq!(found, ["sensor.r.value", "sensor.p.of"]);
}

const CHAIN: &str = r#"
[parameters]
N = 4
[body."link{i}"]
type = "planar"
mass = "0.1*i"
inertia = 1
position = ["i - 1/2", 0]
repeat = "i = 1..N"
[body."link{i}".markers]
tip = ["1/2", 0]
[joint."pin{i}"]
type = "revolute"
between = ["link{i-1}.tip", "link{i}"]
repeat = "i = 2..N"
[sensor.end]
type = "position"
of = "link{N}.tip"
"#;

#[test]
fn repetition() {
    let chain = model(CHAIN);
    let names: Vec<&str> = chain.bodies.iter().map(|b| &*b.name).collect();
    assert_eq!(names, ["link1", "link2", "link3", "link4"]);
    assert_eq!((chain.bodies[2].mass, chain.bodies[2].position.x), (0.1 * 3.0, 2.5));
    assert_eq!(chain.joints.len(), 3);
    let JointKind::Revolute(pair) = &chain.joints[1].kind else {
        panic!("{:?}", chain.joints[1]);
    };
    assert_eq!((pair.a.body, pair.b.body), (Some(BodyId(1)), Some(BodyId(2))));
    let Measure::Position(of, ..) = &chain.sensors[0].measure else {
        panic!("{:?}", chain.sensors[0]);
    };
    assert_eq!(of.body, Some(BodyId(3)));
}

fn repeated(repeat: &str) -> String {
    format!(
        "[parameters]\nN = 3\nx = 0.5\n[body.\"p{{i}}\"]\ntype = \"point\"\nmass = 1\nrepeat = \"{repeat}\""
    )
}

#[test]
fn repetition_ranges() {
    assert_eq!(model(&repeated("i = 1..0")).bodies.len(), 0);
    assert_eq!(model(&repeated("i = -1..max(N, 1)")).bodies.len(), 5);
    let grid = repeated("i = 1..N, j = 1..2").replace("p{i}", "p{i}_{j}");
    let grid = model(&grid);
    assert_eq!((grid.bodies.len(), &*grid.bodies[1].name), (6, "p1_2"));
    let marker = "[ground.markers.\"m{i}\"]\nposition = [\"i\", 0]\nrepeat = \"i = 1..3\"\n\
                  [body.a]\ntype = \"point\"\nmass = 1\n\
                  [joint.j]\ntype = \"spherical\"\nbetween = [\"ground.m3\", \"a\"]";
    let JointKind::Spherical(pair) = &model(marker).joints[0].kind else {
        panic!();
    };
    assert_eq!(pair.a.p.x, 3.0);
}

#[test]
fn repetition_faults() {
    let path = "body.p{i}.repeat";
    refused(&repeated("1..N"), "E_EXPRESSION", path, "not a range", "i = 1..N");
    let fault = refused(&repeated("i = 1..M"), "E_UNKNOWN_NAME", path, "`M`", "define a parameter");
    assert_eq!(fault.within, Some(7..8));
    refused(&repeated("i = 1..x"), "E_RANGE", path, "0.5", "round");
    refused(&repeated("i = 1..\\\"2 m\\\"").replace("\\\"", ""), "E_DIMENSION", path, "2 m", "");
    let fault = refused(&repeated("N = 1..3"), "E_DUPLICATE", path, "`N`", "rename");
    assert_eq!(fault.related.as_deref(), Some("parameters.N"));
    let same = repeated("i = 1..3").replace("p{i}", "p");
    refused(&same, "E_DUPLICATE", "body.p", "`p`", "p{i}");
}

#[test]
fn repetition_limits() {
    let path = "body.p{i}.repeat";
    for bound in ["200001", "1e15", "9007199254740992"] {
        let text = repeated(&format!("i = 1..{bound}"));
        refused(&text, "E_LIMIT", path, "the limit is 200000", "bounds");
    }
    let text = repeated("i = 1..1e15, j = 1..1e15, k = 1..1e15");
    refused(&text, "E_LIMIT", path, "200000", "bounds");
    refused(&repeated("i = 1..1e300"), "E_RANGE", path, "2^53", "");
    assert_eq!(model(&repeated("i = 1..1000")).bodies.len(), 1000);
}

#[test]
fn faults_in_copies() {
    // pin1 refers to link0, which does not exist; the path is that of the file
    let text = CHAIN.replace("i = 2..N", "i = 1..N");
    refused(&text, "E_UNKNOWN_NAME", "joint.pin{i}.between[0]", "(for i = 1)", "`link1`");
    // the same fault in every copy is one fault
    let text = CHAIN.replace("0.1*i", "-i");
    refused(&text, "E_MASS_SIGN", "body.link{i}.mass", "-1 kg", "zero or more");
    let fault = &faults(&text)[0];
    assert!(fault.message.ends_with("(for i = 1), and for other copies"), "{fault}");
    // names that could not be made are not missing
    let text = CHAIN.replace("repeat = \"i = 1..N\"", "repeat = \"i = 1..K\"");
    refused(&text, "E_UNKNOWN_NAME", "body.link{i}.repeat", "`K`", "define a parameter");
}
