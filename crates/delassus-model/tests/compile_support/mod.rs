//! Models as TOML text, and assertions on their faults.

#![allow(dead_code, clippy::panic)]

use delassus_model::spec::ModelSpec;
use delassus_model::{Diagnostic, Model, compile};

/// Two planar bodies and a rigid one, free to be joined.
pub const BODIES: &str = r#"
[body.a]
type = "planar"
mass = 1
inertia = 1
markers.tip = [1, 0]

[body.b]
type = "planar"
mass = 1
inertia = 1
markers.tip = [1, 0]

[body.r]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
"#;

/// A revolute joint `pin` (ground, a), a prismatic `slide` (a, b) and a ball joint (ground, r).
pub const JOINTS: &str = r#"
[joint.pin]
type = "revolute"
between = ["ground", "a"]

[joint.slide]
type = "prismatic"
between = ["a", "b"]

[joint.ball]
type = "spherical"
between = ["ground", "r"]
"#;

pub fn spec(text: &str) -> ModelSpec {
    let text =
        if text.contains("schema") { text.to_owned() } else { format!("schema = 1\n{text}") };
    toml::from_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub fn model(text: &str) -> Model {
    compile(&spec(text)).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

pub fn faults(text: &str) -> Vec<Diagnostic> {
    match compile(&spec(text)) {
        Err(faults) => faults,
        Ok(_) => panic!("accepted:\n{text}"),
    }
}

/// The model has exactly this fault: code, path, a part of the message and of the help.
pub fn refused(text: &str, code: &str, path: &str, value: &str, help: &str) -> Diagnostic {
    let faults = faults(text);
    let [fault] = faults.as_slice() else {
        panic!("not one fault: {faults:#?}");
    };
    let shown = fault.help.clone().unwrap_or_default();
    assert_eq!((fault.code, fault.path.as_str()), (code, path), "{fault}");
    assert!(fault.message.contains(value), "{fault}");
    assert!(shown.contains(help) && !shown.is_empty(), "{fault}");
    fault.clone()
}

/// The same for an entry added to [`BODIES`] and [`JOINTS`].
pub fn refused_entry(text: &str, code: &str, path: &str, value: &str, help: &str) -> Diagnostic {
    let text = format!("{BODIES}{JOINTS}{text}");
    refused(&text, code, path, value, help)
}

/// A model made of [`BODIES`], [`JOINTS`] and more.
pub fn model_with(text: &str) -> Model {
    model(&format!("{BODIES}{JOINTS}{text}"))
}
