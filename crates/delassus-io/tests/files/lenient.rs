//! Unknown keys that a lenient reader ignores.

use delassus_io::model_file::*;
use delassus_model::Severity;
use std::fs;
use tempfile::tempdir;

fn lenient(name: &str, text: &str) -> Result<LoadedModel, LoadError> {
    let dir = tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, text).unwrap();
    load_with(&path, &LoadOptions { lenient: true, ..LoadOptions::default() })
}

const TOML: &str = r#"schema = 1
colour = "red"
[bodies.x]
mass = 1
[body.a]
type = "rigid"
mass = 1
densitty = { deep = [1, { deeper = 2 }] }
[body.a.markers]
p = { position = [0, 0, 1], note = "here" }
[method]
rho_inv = 0.5
"#;

#[test]
fn unknown_keys_are_left_out_wherever_they_stand() {
    let m = lenient("m.toml", TOML).unwrap_or_else(|e| panic!("{e}"));
    let found: Vec<(&str, usize)> =
        m.notes.iter().map(|n| (n.path.as_str(), n.location.line)).collect();
    let expected = [
        ("colour", 2),
        ("bodies", 3),
        ("body.a.densitty", 8),
        ("body.a.markers.p.note", 10),
        ("method.rho_inv", 12),
    ];
    assert_eq!(found, expected);
    assert_eq!(m.ignored_keys, 5);
    for note in &m.notes {
        assert_eq!((note.code, note.severity), ("N_UNKNOWN_KEY", Severity::Note));
    }
    assert_eq!(m.notes[1].help.as_deref(), Some("did you mean `body`?"));
    assert_eq!(m.notes[4].help.as_deref(), Some("did you mean `rho_inf`?"));
    // what is left is the model without those lines
    let clean = "schema = 1\n[body.a]\ntype = 'rigid'\nmass = 1\n[body.a.markers]\np = { position = [0, 0, 1] }\n";
    let clean = parse_str(clean, "m.toml", &Limits::default()).unwrap();
    assert_eq!(m.spec, clean.spec);
    assert_eq!((clean.notes.len(), clean.ignored_keys), (0, 0));
}

#[test]
fn help_for_an_unknown_key_lists_the_keys_of_its_type() {
    let text = "schema = 1\n[joint.a]\ntype = 'motion'\njoint = 'b'\nof = 't'\n\
                [joint.b]\ntype = 'revolute'\nlenght = 1\n[joint.c]\ntype = 'nothing'\nof = 't'\n";
    let m = lenient("m.toml", text).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(m.contains("nothing"), "{m}");
    let m = lenient("m.toml", &text.replace("nothing", "gear")).unwrap_or_else(|e| panic!("{e}"));
    let help: Vec<&str> = m.notes.iter().filter_map(|n| n.help.as_deref()).collect();
    assert!(help[0].starts_with("keys of a motion: ") && help[0].contains("`value`"), "{help:?}");
    assert!(!help[0].contains("`pitch`") && help[0].contains("`repeat`"), "{help:?}");
    // a key of another type is nearer than any of its own
    assert_eq!(help[1], "did you mean `length`?");
    assert!(help[2].starts_with("keys of a gear") && help[2].contains("`ratio`"), "{help:?}");
}

#[test]
fn the_same_in_json() {
    let text = r#"{"schema": 1, "colour": {"a": 1}, "body": {"a": {"type": "point", "mass": 1, "mas": 2}}}"#;
    let m = lenient("m.json", text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(m.ignored_keys, 2);
    assert_eq!(m.notes[1].path, "body.a.mas");
    assert_eq!(m.spec.body.iter().count(), 1);
}

#[test]
fn other_faults_stay_and_come_with_the_notes() {
    let text =
        "schema = 1\n[body.a]\ntype = 'point'\nmas = 1\n[body.b]\ntype = 'piont'\nmass = [1]\n";
    let Err(LoadError::Invalid(p)) = lenient("m.toml", text) else { panic!() };
    let codes: Vec<&str> = p.iter().map(|p| p.code).collect();
    assert_eq!(codes, ["E_MISSING_FIELD", "E_UNKNOWN_VALUE", "E_TYPE", "N_UNKNOWN_KEY"]);
    assert_eq!(p[3].path, "body.a.mas");
}

#[test]
fn all_are_counted_and_the_first_are_named() {
    let mut text = String::from("schema = 1\n");
    (0..3000).for_each(|i| text.push_str(&format!("x{i} = {i}\n")));
    let m = lenient("m.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((m.ignored_keys, m.notes.len()), (3000, 50));
    assert_eq!(m.notes[49].path, "x49");
}

#[test]
fn strict_is_the_default() {
    assert!(!LoadOptions::default().lenient);
    let Err(LoadError::Invalid(p)) = parse_str(TOML, "m.toml", &Limits::default()) else {
        panic!()
    };
    assert!(p.iter().all(|p| p.code == "E_UNKNOWN_KEY"), "{p:?}");
    assert_eq!(p.len(), 5);
}
