//! Functions given by points: values, units, what is refused.

use crate::compile_support;

use compile_support::{BODIES, faults, model, refused};
use delassus_model::compile;
use delassus_model::spec::{ModelBuilder, Points, SensorSpec, SensorType, TableSpec};
use std::sync::Arc;

fn of(table: &str, mass: &str) -> String {
    format!(
        "[parameters]\nL = \"2 m\"\n[table.f]\n{table}\n[body.b]\ntype = 'point'\nmass = {mass}\n"
    )
}

/// The table's value at `x`, as a constant of the model.
fn value(table: &str, x: &str) -> f64 {
    model(&of(table, &format!("\"f({x})\""))).bodies[0].mass
}

#[test]
fn values_and_units() {
    let lists = "x = [0, 1, 'L', 4]\ny = [1, 3, '2', 8]";
    assert_eq!(value(lists, "1.5"), 2.5);
    assert_eq!(value(&format!("{lists}\noutside = 'clamp'"), "9"), 8.0);
    assert_eq!(value(&format!("{lists}\noutside = 'extend'"), "5"), 11.0);
    // bare numbers in the units of the table, texts in their own; calls in SI
    let units = "x = [0, 500, '1 m']\ny = [1000, 3000, '4 kg']\nunits = ['mm', 'g']";
    assert_eq!(value(units, "0.25"), 2.0);
    assert_eq!(value(units, "75 cm"), 3.5);
    let wave = "x = [0, 1, 2]\ny = [1, 3, 1]\noutside = 'periodic'";
    assert_eq!(value(wave, "7.5"), 2.0);
    for (join, at) in [("linear", 2.0), ("monotone", 2.5), ("spline", 2.375)] {
        let bump = format!("x = [0, 1, 2]\ny = [1, 3, 1]\njoin = '{join}'");
        assert!((value(&bump, "0.5") - at).abs() < 1e-15, "{join}: {}", value(&bump, "0.5"));
    }
}

#[test]
fn refuses_with_the_place() {
    let bad = |table: &str, code: &str, path: &str, part: &str| {
        refused(&of(table, "'f(1)'"), code, path, part, "");
    };
    bad("x = [0, 1]", "E_MISSING_FIELD", "table.f.y", "`y`");
    bad("x = [0, 1, 1]\ny = [0, 1, 2]", "E_TABLE", "table.f.x", "point 3");
    bad("x = [0, 1]\ny = [0, 1, 2]", "E_TABLE", "table.f.y", "2 arguments, but 3 values");
    bad("x = [0]\ny = [1]", "E_TABLE", "table.f.x", "two points");
    bad("x = [0, 1]\ny = [0, nan]", "E_NONFINITE", "table.f.y[1]", "NaN");
    bad("x = [0, 1]\ny = [0, 1]\noutside = 'periodic'", "E_TABLE", "table.f.y", "ends with 1");
    bad("x = [0, 1]\ny = [0, 1]\nunits = ['m']", "E_RANGE", "table.f.units", "1 units");
    bad("x = [0, 1]\ny = [0, 1]\nunits = ['m', 'yd']", "E_UNKNOWN_NAME", "table.f.units[1]", "yd");
    bad("x = [0, '1 kg']\ny = [0, 1]\nunits = ['m', 'm']", "E_DIMENSION", "table.f.x[1]", "kg");
    bad("x = [0, 1]\ny = [0, 1]\ncolumns = ['a', 'b']", "E_RANGE", "table.f.columns", "file");
    bad("x = [0, 1]\nfile = 'f.csv'", "E_RANGE", "table.f", "lists");
    bad("file = 'f.csv'", "E_TABLE", "table.f.file", "not loaded");
    // wrong use
    let ramp = "x = [0, 1]\ny = [0, 1]\nunits = ['m', 'm']";
    refused(&of(ramp, "'f(1 s)'"), "E_DIMENSION", "body.b.mass", "argument of `f`", "");
    refused(&of(ramp, "'f(0.5)'"), "E_DIMENSION", "body.b.mass", "kg", "");
    refused(&of(ramp, "'f'"), "E_UNKNOWN_NAME", "body.b.mass", "`f`", "");
}

#[test]
fn names_mean_one_thing() {
    let named = |name: &str| {
        format!("[parameters]\nL = 1\n[table.{name}]\nx = [0, 1]\ny = [0, 1]\n{BODIES}")
    };
    refused(&named("sin"), "E_DUPLICATE", "table.sin", "function of the language", "");
    refused(&named("L"), "E_DUPLICATE", "table.L", "a parameter", "");
    refused(&named("t"), "E_NAME", "table.t", "time", "");
    refused(&named("'2x'"), "E_NAME", "table.2x", "2x", "");
    // parameters come first
    let text = "[parameters]\nm = 'f(1)'\n[table.f]\nx = [0, 1]\ny = [0, 1]\n";
    let found = faults(text);
    assert_eq!((found[0].code, found[0].path.as_str()), ("E_UNKNOWN_NAME", "parameters.m"));
}

#[test]
fn points_of_a_program() {
    let points = Points { x: vec![0.0, 2.0], y: vec![0.0, 5.0] };
    let table = TableSpec { points: Some(Arc::new(points)), ..Default::default() };
    let spec = ModelBuilder::new("m")
        .table("f", table)
        .sensor(
            "s",
            SensorSpec {
                kind: SensorType::Expression,
                value: Some("f(t)".into()),
                ..Default::default()
            },
        )
        .build();
    compile(&spec).unwrap();
}
