//! Checks that hold for every value of a model, and for models of any size.

use crate::compile_support;

use compile_support::{faults, model, spec};
use delassus_model::compile;
use toml::Value;

/// Every kind of body, and as many kinds of element as have numbers.
const RICH: &str = r#"
schema = 1
gravity = [0, -9.81, 0]
[parameters]
L = 0.5
W = "2*L"
[ground.markers]
wall = [1, 2, 3]
post = { position = [0, 1], angle = 0.3 }
[body.a]
type = "planar"
mass = 1
inertia = 0.2
com = [0.1, 0]
position = [1, 2]
angle = 0.1
velocity = [1, 0]
rate = 2
markers.tip = [0.5, 0]
[body.r]
type = "rigid"
mass = 2
inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
position = [0, 0, 1]
orientation = { axis = [0, 0, 1], angle = 0.2 }
rate = [0, 0, 1]
markers.eye = { position = [0, 0, 1], orientation = [1, 0, 0, 0] }
[body.s]
type = "rigid"
mass = 2
inertia = [1, 1, 1, 0, 0, 0]
[body.p]
type = "point"
mass = 1
position = [0, 1, 0]
[joint.pin]
type = "revolute"
between = ["ground", "a"]
axis = [0, 0, 1]
axis2 = [0, 0, 1]
initial_rate = 3
[joint.rod]
type = "distance"
between = ["r.eye", "p"]
length = 2
[joint.worm]
type = "screw"
between = ["ground.wall", "r"]
pitch = 0.01
[joint.link]
type = "coupling"
terms = [{ joint = "pin", coefficient = 1 }, { joint = "worm", coefficient = -2 }]
offset = 0.1
[joint.gear]
type = "gear"
joints = ["pin", "worm"]
ratio = 2
[joint.ball]
type = "rolling"
shape = "sphere"
between = ["ground", "s"]
radius = 0.1
[joint.drive]
type = "motion"
joint = "pin"
value = 1
[force.push]
type = "force"
at = "a.tip"
force = [1, 2]
[force.twist]
type = "torque"
at = "r"
torque = [1, 0, 0]
[force.spring]
type = "spring"
between = ["a", "r"]
stiffness = 10
damping = 1
length = 0.5
[force.coil]
type = "torsion"
joint = "pin"
stiffness = 10
damping = 1
angle = 0.5
[force.rubber]
type = "bushing"
between = ["r", "s"]
stiffness = [1, 1, 1, 1, 1, 1]
damping = [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]
[force.journal]
type = "bearing"
between = ["r", "s"]
axis = [0, 1, 0]
stiffness = [[1, 2], [-3, 4]]
damping = [1, 2]
[force.motor]
type = "actuator"
joint = "pin"
target = 1
kp = 1
ki = 2
kd = 3
[sensor.sum]
type = "expression"
value = 1
[analysis]
start = 0
end = 2
sample = 0.1
max_assembly_correction = 0.5
[method]
rtol = 1e-6
atol = 1e-8
step = 0.01
max_step = 0.1
rho_inf = 0.8
"#;

/// Paths of all numbers below a value, as faults write them.
fn numbers(value: &Value, path: &str, out: &mut Vec<String>) {
    match value {
        Value::Integer(_) | Value::Float(_) => out.push(path.to_owned()),
        Value::Array(list) => {
            for (k, item) in list.iter().enumerate() {
                numbers(item, &format!("{path}[{k}]"), out);
            }
        }
        Value::Table(table) => {
            for (key, item) in table {
                let dot = if path.is_empty() { "" } else { "." };
                numbers(item, &format!("{path}{dot}{key}"), out);
            }
        }
        _ => {}
    }
}

fn at<'v>(mut value: &'v mut Value, path: &str) -> &'v mut Value {
    for step in path.replace('[', ".").replace(']', "").split('.') {
        value = match value {
            Value::Array(list) => &mut list[step.parse::<usize>().unwrap()],
            other => &mut other[step],
        };
    }
    value
}

#[test]
fn rel_r01_every_number_of_a_model() {
    let whole: Value = toml::from_str(RICH).unwrap();
    assert_eq!(model(RICH).bodies.len(), 4);
    let mut paths = Vec::new();
    numbers(&whole, "", &mut paths);
    paths.retain(|p| p != "schema");
    assert!(paths.len() > 140, "{}", paths.len());
    let bad = [
        Value::Float(f64::NAN),
        Value::Float(f64::INFINITY),
        Value::Float(f64::NEG_INFINITY),
        Value::String("1e999".into()),
        Value::String("sqrt(-1)".into()),
    ];
    for path in &paths {
        for value in &bad {
            let mut changed = whole.clone();
            *at(&mut changed, path) = value.clone();
            let faults = faults(&toml::to_string(&changed).unwrap());
            let found: Vec<_> = faults.iter().map(|f| (f.code, &*f.path)).collect();
            assert_eq!(found, [("E_NONFINITE", &**path)], "{value}");
        }
    }
}

#[test]
fn rel_g3_every_fault_says_what_to_do() {
    let whole: Value = toml::from_str(RICH).unwrap();
    let mut paths = Vec::new();
    numbers(&whole, "", &mut paths);
    for path in &paths {
        for value in ["-1", "0", "\"nosuch\"", "\"1 kg/s^5\"", "[]", "\"1 +\""] {
            let mut changed = whole.clone();
            let parsed: Value = toml::from_str(&format!("v = {value}")).unwrap();
            *at(&mut changed, path) = parsed["v"].clone();
            let text = toml::to_string(&changed).unwrap();
            let Ok(spec) = toml::from_str(&text) else {
                continue;
            };
            for fault in compile(&spec).err().unwrap_or_default() {
                assert!(fault.help.is_some_and(|h| !h.is_empty()), "{path} = {value}");
                assert!(!fault.path.is_empty() && !fault.message.is_empty());
            }
        }
    }
}

/// Puts random text in place of a number or reference. Whatever can still be read must not
/// cause a panic.
#[test]
fn broken_texts_do_not_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let whole = RICH.replace("length = 2\n", "length = 2\nrepeat = \"i = 1..2\"\n");
    let whole: Value = toml::from_str(&whole).unwrap();
    let mut paths = vec![
        "joint.rod.repeat".to_owned(),
        "joint.pin.between[1]".to_owned(),
        "force.push.at".to_owned(),
        "sensor.sum.value".to_owned(),
    ];
    numbers(&whole, "", &mut paths);
    let words = [
        "i", "1", "..", "=", ",", "L", "W", "t", "sum", "(", ")", "{", "}", "-", "/", "^", "mm",
        " ", ".", "a", "ground", "\u{e9}", "1e308", "sqrt",
    ];
    let mut compiled = 0;
    for _ in 0..2000 {
        let mut changed = whole.clone();
        let path = &paths[random(paths.len())];
        let text: String = (0..1 + random(8)).map(|_| words[random(words.len())]).collect();
        *at(&mut changed, path) = Value::String(text);
        if let Ok(spec) = changed.try_into() {
            let _ = compile(&spec);
            compiled += 1;
        }
    }
    assert!(compiled > 1900, "{compiled}");
}

fn long_chain(mass: &str) -> String {
    format!(
        "[parameters]\nN = 60_000\n\
         [body.\"link{{i}}\"]\ntype = \"planar\"\nmass = {mass}\ninertia = 1\n\
         position = [\"i\", 0]\nrepeat = \"i = 1..N\"\nmarkers.tip = [1, 0]\n\
         [joint.\"pin{{i}}\"]\ntype = \"revolute\"\nbetween = [\"link{{i-1}}.tip\", \"link{{i}}\"]\n\
         axis = [0, 0, 2]\nrepeat = \"i = 2..N\""
    )
}

#[test]
fn large_models() {
    let chain = model(&long_chain("1"));
    assert_eq!((chain.bodies.len(), chain.joints.len()), (60_000, 59_999));
    // one note for all copies of a joint
    assert_eq!(chain.notes.len(), 1);
}

#[test]
fn large_models_with_faults() {
    let faults = faults(&long_chain("\"mas\""));
    assert_eq!(faults.len(), 1, "{faults:#?}");
    let wrong = long_chain("1").replace("{i-1}.tip", "{i-1}.top");
    let found = compile(&spec(&wrong)).err().unwrap_or_default();
    assert_eq!((found.len(), found[0].code), (1, "E_UNKNOWN_NAME"));
}
