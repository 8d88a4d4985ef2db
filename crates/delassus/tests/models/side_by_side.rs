//! Unconnected parts do not affect each other: a mechanism is as accurate next to others, fast, large, far away or at
//! rest, as it is alone.

use crate::support;

use delassus::math::{largest, max_abs, max_difference};
use delassus::model::Assembled;
use delassus::sim::{RunOutcome, able_methods};
use support::{assembled, parsed, run, try_run};

/// A mass on a line under a spring, with the period 2 π s.
const OSCILLATOR: &str = r#"
body.m = { type = "planar-point", mass = 1, position = [1, 0], velocity = [0, 0] }
joint.g = { type = "point-on-line", between = ["ground", "m"] }
force.s = { type = "torsion", between = ["ground", "m"], axis = [1, 0], coordinate = "position", stiffness = 1 }
sensor.x = { type = "position", of = "m", component = "x" }
sensor.v = { type = "velocity", of = "m", component = "x" }
analysis.end = 2
"#;
/// The same, once in a thousand seconds.
const SLOW: &str = r#"
body.m = { type = "planar-point", mass = 1, position = [1, 0], velocity = [0, 0] }
joint.g = { type = "point-on-line", between = ["ground", "m"] }
force.s = { type = "torsion", between = ["ground", "m"], axis = [1, 0], coordinate = "position", stiffness = 1e-4 }
sensor.x = { type = "position", of = "m", component = "x" }
sensor.v = { type = "velocity", of = "m", component = "x" }
analysis.end = 200
"#;
/// A pendulum of half a millimetre.
const SMALL: &str = r#"
gravity = [0, -9.81]
body.p = { type = "planar", mass = 1e-3, inertia = 1e-10, position = [0.0005, 0], markers = { top = [-0.0005, 0] } }
joint.p = { type = "revolute", between = ["ground", "p.top"] }
sensor.x = { type = "position", of = "p", component = "x" }
sensor.v = { type = "velocity", of = "p", component = "x" }
analysis.end = 0.02
"#;
/// A pulse of time that a step could pass.
const PULSE: &str = r#"
body.m = { type = "planar-point", mass = 1 }
joint.g = { type = "point-on-line", between = ["ground", "m"] }
force.s = { type = "torsion", between = ["ground", "m"], axis = [1, 0], coordinate = "position", stiffness = 1 }
force.f = { type = "force", at = "m", force = ["step(t, 1, 0, 1.0005, 2000) - step(t, 1.0005, 0, 1.001, 2000)", 0] }
sensor.x = { type = "position", of = "m", component = "x" }
sensor.v = { type = "velocity", of = "m", component = "x" }
analysis.end = 2
"#;
/// A window of position that a step could pass.
const WINDOW: &str = r#"
body.m = { type = "planar-point", mass = 1, velocity = [0.1, 0] }
joint.g = { type = "point-on-line", between = ["ground", "m"] }
force.f = { type = "force", at = "m", force = ["if(x > 0.3 && x < 0.3 + 1e-5, 500, 0)", 0] }
sensor.x = { type = "position", of = "m", component = "x" }
sensor.v = { type = "velocity", of = "m", component = "x" }
analysis.end = 4
"#;
/// A controller with an integral.
const CONTROLLED: &str = r#"
body.m = { type = "planar-point", mass = 1 }
joint.g = { type = "point-on-line", between = ["ground", "m"] }
sensor.x = { type = "position", of = "m", component = "x" }
sensor.v = { type = "velocity", of = "m", component = "x" }
analysis.end = 2
[force.a]
type = "actuator"
between = ["ground", "m"]
axis = [1, 0]
coordinate = "position"
target = "step(t, 1, 0, 1.2, 0.3)"
kp = 10
ki = 4
kd = 3
"#;
/// A motion whose rate jumps.
const DRIVEN: &str = r#"
body.p = { type = "planar", mass = 1, inertia = 0.01, position = [0.5, 0], markers = { top = [-0.5, 0], tip = [0.5, 0] } }
body.r = { type = "planar", mass = 1, inertia = 0.01, position = [1.5, 0], markers = { top = [-0.5, 0] } }
joint.p = { type = "revolute", between = ["ground", "p.top"] }
joint.r = { type = "revolute", between = ["p.tip", "r.top"] }
joint.m = { type = "motion", joint = "p", value = "0.3*sin(2*t) + max(0, t - 1)" }
sensor.x = { type = "position", of = "r", component = "x" }
sensor.v = { type = "velocity", of = "r", component = "x" }
analysis.end = 1.5
"#;

/// The neighbours: none of them is connected with the rest.
fn neighbours() -> [(&'static str, String); 5] {
    let rotor =
        r#"body.zr = { type = "planar", mass = 1, inertia = 1, position = [5, 5], rate = 1000 }"#;
    let far = r#"body.zf = { type = "planar", mass = 1, inertia = 1, position = [5e5, 5e5], velocity = [10, 0], rate = 0.1 }"#;
    let large = r#"ground.markers.zl = [300, 0]
body.zl = { type = "planar", mass = 1, inertia = 1, position = [300, -200], markers = { top = [0, 200] } }
joint.zl = { type = "revolute", between = ["ground.zl", "zl.top"] }"#;
    let idle = |i: usize| {
        format!(
            "body.zi{i} = {{ type = 'planar', mass = 1, inertia = 0.1, position = [{i}, 3], markers = {{ top = [0, 0.5] }} }}\n\
             ground.markers.zi{i} = [{i}, 3.5]\n\
             joint.zi{i} = {{ type = 'revolute', between = ['ground.zi{i}', 'zi{i}.top'] }}\n"
        )
    };
    let fast = r#"ground.markers.zv = [7, 3]
body.zv = { type = "planar-point", mass = 1, position = [7.01, 3] }
joint.zv = { type = "point-on-line", between = ["ground.zv", "zv"] }
force.zv = { type = "torsion", between = ["ground.zv", "zv"], axis = [1, 0], coordinate = "position", stiffness = 1e4 }"#;
    [
        ("a rotor", rotor.to_owned()),
        ("what is far away", far.to_owned()),
        ("what is large", large.to_owned()),
        ("what rests", (0..20).map(idle).collect()),
        ("what is fast", fast.to_owned()),
    ]
}

fn model(own: &str, more: &str) -> Assembled {
    // tables come last
    let (own, table) = own.split_once("[force.a]").map_or((own, ""), |(a, b)| (a, b));
    let table = if table.is_empty() { String::new() } else { format!("[force.a]{table}") };
    assembled(&parsed(&format!("schema = 1\n{own}\n{more}\n{table}")), &[])
}

/// Largest error of x and v, in what they reach.
fn error(out: &RunOutcome, right: &RunOutcome) -> f64 {
    let of = |name: &str| {
        let (a, b) = (out.results.get(name).unwrap(), right.results.get(name).unwrap());
        max_difference(a, b) / max_abs(b)
    };
    largest([of("x"), of("v")])
}

fn beside_as_alone(own: &str) {
    let alone = model(own, "");
    let right = run(&alone, |o| {
        o.method = "dop853".to_owned();
        o.rtol = Some(1e-12);
    });
    for method in able_methods(&alone.system).iter().filter(|m| m.adaptive) {
        let by = |m: &Assembled| {
            let out = try_run(m, |o| {
                o.method = method.name.to_owned();
                o.max_steps = Some(500_000);
            });
            assert!(out.error.is_none(), "{}: {:?}", method.name, out.error);
            error(&out, &right)
        };
        let allowed = 3.0 * by(&alone) + 100.0 * method.default_rtol;
        // a vibration of 100 rad/s for minutes is another matter
        let skipped = |name: &str| own == SLOW && name == "what is fast";
        for (name, more) in neighbours().into_iter().filter(|n| !skipped(n.0)) {
            let beside = by(&model(own, &more));
            assert!(
                beside <= allowed,
                "{} beside {name}: {beside:.1e}, {allowed:.1e} allowed",
                method.name
            );
        }
    }
}

#[test]
fn an_oscillator_beside_others() {
    beside_as_alone(OSCILLATOR);
}

#[test]
fn a_slow_oscillator_beside_others() {
    beside_as_alone(SLOW);
}

#[test]
fn a_small_pendulum_beside_others() {
    beside_as_alone(SMALL);
}

#[test]
fn functions_of_time_beside_others() {
    beside_as_alone(PULSE);
}

#[test]
fn laws_of_the_state_beside_others() {
    beside_as_alone(WINDOW);
}

#[test]
fn controllers_beside_others() {
    beside_as_alone(CONTROLLED);
}

#[test]
fn motions_beside_others() {
    beside_as_alone(DRIVEN);
}

/// One swinging pendulum on a chain of bodies at rest, which weak springs join to one group: most of a mean
/// would be the bodies at rest.
#[test]
fn one_of_many_that_are_joined() {
    let joined = |n: usize| {
        let mut text = SMALL.replace("0.0005", "0.5").replace("1e-3", "1").replace("1e-10", "0.01");
        text = text.replace("0.02\n", "1\n");
        for i in 0..n {
            let before = if i == 0 { "p".to_owned() } else { format!("c{}", i - 1) };
            text.push_str(&format!(
                "body.c{i} = {{ type = 'planar', mass = 1, inertia = 0.1, position = [{x}, -0.5], markers = {{ top = [0, 0.5] }} }}\n\
                 ground.markers.c{i} = [{x}, 0]\n\
                 joint.c{i} = {{ type = 'revolute', between = ['ground.c{i}', 'c{i}.top'] }}\n\
                 force.c{i} = {{ type = 'spring', between = ['{before}', 'c{i}'], stiffness = 1e-9 }}\n",
                x = i + 2
            ));
        }
        model(&text, "")
    };
    let (one, many) = (joined(0), joined(60));
    let right = run(&one, |o| {
        o.method = "dop853".to_owned();
        o.rtol = Some(1e-12);
    });
    for method in ["mdop5", "hem5", "dop853", "gen-alpha", "gen-alpha-ggl", "radau5", "bdf"] {
        let by = |m: &Assembled| error(&run(m, |o| o.method = method.to_owned()), &right);
        let (alone, among) = (by(&one), by(&many));
        assert!(among <= 8.0 * alone + 1e-6, "{method}: {among:.1e} among many, {alone:.1e} alone");
    }
}
