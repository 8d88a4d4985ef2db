//! Where models rest: benchmark K1, a chain against the catenary, two positions of one linkage, contacts, and models that
//! do not rest at all.

use crate::support;

use delassus::model::{Assembled, ElementLoad};
use delassus::sim::analysis::{Stability, StaticsReport, statics};
use support::{assembled, load, parsed};

fn model(text: &str) -> Assembled {
    assembled(&parsed(&format!("schema = 1\n{text}\n[analysis]\nend = 1\n")), &[])
}

fn place(r: &StaticsReport, body: &str) -> [f64; 3] {
    r.positions.iter().find(|b| b.name == body).unwrap().position
}

fn angle(r: &StaticsReport, body: &str) -> f64 {
    r.positions.iter().find(|b| b.name == body).unwrap().angle.unwrap()
}

fn pull(r: &StaticsReport, element: &str) -> f64 {
    match r.forces.iter().find(|f| f.0 == element).unwrap().1 {
        ElementLoad::Scalar { value, .. } => value,
        other => panic!("{other:?}"),
    }
}

fn close(a: f64, b: f64, part: f64) {
    assert!((a - b).abs() <= part * b.abs().max(1e-3), "{a} {b}");
}

fn has(r: &StaticsReport, code: &str) -> bool {
    r.notes.iter().any(|n| n.code == code)
}

#[test]
fn k1_equilibria() {
    let r = statics(&load("benchmarks/K1b_four_bar.toml", &[])).unwrap();
    close(angle(&r, "crank"), 1.0, 1e-10);
    close(angle(&r, "coupler"), 0.496608936142, 1e-10);
    close(angle(&r, "rocker"), 1.296076286118, 1e-10);
    assert_eq!(r.stability, Stability::Stable);

    let r = statics(&load("benchmarks/K1c_car_axis.toml", &[])).unwrap();
    for (body, at) in [("left", [0.0, 0.4995]), ("right", [1.0, 0.4995])] {
        close(place(&r, body)[0], at[0], 1e-10);
        close(place(&r, body)[1], at[1], 1e-10);
    }
    assert!(has(&r, "N_MOTION_HELD"));

    let r = statics(&load("benchmarks/K1d_plate.toml", &[])).unwrap();
    let at = place(&r, "plate");
    close(at[0], -0.0246940623048, 1e-8);
    close(at[1], -0.0373876501730, 1e-8);
    close(at[2], 0.2253594189935, 1e-8);
    let q = r.positions[0].quaternion;
    let (roll, pitch, yaw) = (-0.1089849690894_f64, -0.0054957706498_f64, -0.1150173905087_f64);
    let (sr, cr) = (0.5 * roll).sin_cos();
    let (sp, cp) = (0.5 * pitch).sin_cos();
    let (sy, cy) = (0.5 * yaw).sin_cos();
    let expected = [
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    ];
    for (a, b) in q.iter().zip(expected) {
        assert!((a - b).abs() < 1e-10, "{q:?} {expected:?}");
    }
    close(pull(&r, "spring_a"), 72.788015712, 1e-8);
    close(pull(&r, "spring_b"), 57.923412397, 1e-8);
    close(pull(&r, "spring_c"), 68.349090268, 1e-8);
}

/// Links of equal length between two walls, points at the joints: the slope of a link grows by m g/H from one to the next.
#[test]
fn a_hanging_chain_is_a_catenary() {
    let n = 40_usize;
    let (span, link, weight) = (3.0, 0.1, 9.81 * 0.2);
    let mut text = "gravity = [0, -9.81]\n[ground.markers]\nend = [3.0, 0]\n".to_owned();
    for i in 1..n {
        // rough positions: a triangle
        let x = span * i as f64 / n as f64;
        let y = -1.2 * (1.0 - (2.0 * x / span - 1.0).abs());
        text += &format!("[body.p{i}]\ntype = 'planar-point'\nmass = 0.2\nposition = [{x}, {y}]\n");
    }
    for i in 1..=n {
        let from = if i == 1 { "ground".to_owned() } else { format!("p{}", i - 1) };
        let to = if i == n { "ground.end".to_owned() } else { format!("p{i}") };
        text += &format!(
            "[joint.l{i}]\ntype = 'distance'\nbetween = ['{from}', '{to}']\nlength = {link}\n"
        );
    }
    let m = assembled(
        &parsed(&format!("schema = 1\n{text}[analysis]\nend = 1\nmax_assembly_correction = 10\n")),
        &[],
    );
    let r = statics(&m).unwrap();
    assert_eq!(r.stability, Stability::Stable);
    // horizontal force by bisection of the span
    let slope = |h: f64, i: usize| (i as f64 - 0.5 * (n as f64 + 1.0)) * weight / h;
    let reach = |h: f64| (1..=n).map(|i| link / (1.0 + slope(h, i).powi(2)).sqrt()).sum::<f64>();
    let (mut low, mut high) = (1e-3, 1e4);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if reach(middle) < span { low = middle } else { high = middle }
    }
    let (mut x, mut y) = (0.0, 0.0);
    for i in 1..n {
        let c = link / (1.0 + slope(low, i).powi(2)).sqrt();
        x += c;
        y += c * slope(low, i);
        let at = place(&r, &format!("p{i}"));
        assert!((at[0] - x).abs() < 1e-9 && (at[1] - y).abs() < 1e-9, "{i}: {at:?} {x} {y}");
    }
    // the continuous chain of the same length, to the size of a link squared
    let length = link * n as f64;
    let a = {
        let (mut low, mut high) = (0.1_f64, 10.0_f64);
        for _ in 0..200 {
            let a: f64 = 0.5 * (low + high);
            if 2.0 * a * (0.5 * span / a).sinh() > length { low = a } else { high = a }
        }
        low
    };
    let sag = a * ((0.5 * span / a).cosh() - 1.0);
    let lowest = (1..n).map(|i| place(&r, &format!("p{i}"))[1]).fold(0.0, f64::min);
    assert!((lowest + sag).abs() < 2e-3, "{lowest} {sag}");
}

/// A spring that is relaxed at two angles of the crank and pressed between them.
fn snap(crank0: f64) -> Assembled {
    let spec = parsed(
        r#"schema = 1
[parameters]
crank0 = 1
x1 = "cos(crank0)"
y1 = "sin(crank0)"
diagonal = "sqrt((2 - x1)^2 + y1^2)"
coupler0 = "atan2(-y1, 2 - x1) + acos((diagonal^2 + 2.2^2 - 1.6^2)/(2*diagonal*2.2))"
[ground.markers]
D = [2, 0]
S = [0, 1.5]
[body.crank]
type = "planar"
mass = 1
inertia = 0.1
angle = "crank0"
markers = { tip = [1, 0] }
[body.coupler]
type = "planar"
mass = 1
inertia = 0.1
position = ["x1", "y1"]
angle = "coupler0"
markers = { tip = [2.2, 0] }
[body.rocker]
type = "planar"
mass = 1
inertia = 0.1
position = [2, 0]
angle = "atan2(y1 + 2.2*sin(coupler0), x1 + 2.2*cos(coupler0) - 2)"
markers = { tip = [1.6, 0] }
[joint.A]
type = "revolute"
between = ["ground", "crank"]
[joint.B]
type = "revolute"
between = ["crank.tip", "coupler"]
[joint.C]
type = "revolute"
between = ["coupler.tip", "rocker.tip"]
[joint.D]
type = "revolute"
between = ["ground.D", "rocker"]
[force.snap]
type = "spring"
between = ["ground.S", "crank.tip"]
stiffness = 100
length = 1
[analysis]
end = 1
"#,
    );
    assembled(&spec, &[("crank0", &crank0.to_string())])
}

#[test]
fn a_linkage_that_snaps_has_two_stable_positions() {
    let one = 0.75_f64.asin();
    for (start, end) in [
        (0.4, one),
        (1.5, one),
        (1.65, std::f64::consts::PI - one),
        (2.7, std::f64::consts::PI - one),
    ] {
        let r = statics(&snap(start)).unwrap();
        assert!((angle(&r, "crank") - end).abs() < 1e-9, "{start}: {}", angle(&r, "crank"));
        assert_eq!(r.stability, Stability::Stable);
        assert!(pull(&r, "snap").abs() < 1e-7);
    }
    let r = statics(&snap(std::f64::consts::FRAC_PI_2)).unwrap();
    assert_eq!(r.stability, Stability::Unstable);
    assert!(has(&r, "N_UNSTABLE"));
}

const FLOOR: &str = "[shape.floor]\ntype = 'half-plane'\nbody = 'ground'\nnormal = [0, 1]\n";

#[test]
fn contacts_carry_what_rests_on_them() {
    // a ball above the floor falls onto it; it may roll, and that is told
    let ball = |contact: &str| {
        model(&format!(
            "gravity = [0, -10]\n[body.ball]\ntype = 'planar'\nmass = 2\ninertia = 0.1\nposition = [0, 0.8]\n\
             [shape.ball]\ntype = 'circle'\nbody = 'ball'\nradius = 0.1\n{FLOOR}\
             [contact.ground]\nbetween = ['ball', 'floor']\n{contact}\n"
        ))
    };
    let r = statics(&ball("restitution = 0")).unwrap();
    assert!((place(&r, "ball")[1] - 0.1).abs() < 1e-9, "{:?}", place(&r, "ball"));
    close(r.contacts[0].normal, 20.0, 1e-9);
    assert_eq!(r.stability, Stability::Neutral);
    assert!(has(&r, "N_NEUTRAL"));
}

#[test]
fn friction_holds_a_box_on_a_slope_or_not() {
    let on = |friction: f64| {
        model(&format!(
            "gravity = [0, -9.81]\n[body.box]\ntype = 'planar'\nmass = 1\ninertia = 0.01\nposition = [-0.014396, 0.047987]\nangle = 0.2914567944778671\n\
             [shape.box]\ntype = 'profile'\nbody = 'box'\npoints = [[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]]\n\
             [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\nnormal = [-0.3, 1]\n\
             [contact.slope]\nbetween = ['box', 'floor']\nfriction = {friction}\n"
        ))
    };
    let r = statics(&on(0.6)).unwrap();
    let c = &r.contacts[0];
    // weight along and across the slope
    let slope = 0.3_f64.atan();
    close(c.normal, 9.81 * slope.cos(), 1e-8);
    assert!(c.friction >= 9.81 * slope.sin() - 1e-8, "{c:?}");
    assert!(!c.slides && c.points == 2, "{c:?}");
    let e = statics(&on(0.0)).unwrap_err();
    assert_eq!(e.code, "E_NO_EQUILIBRIUM");
    assert!(e.message.contains("\"box\""), "{}", e.message);
}

#[test]
fn a_stop_holds_a_pendulum() {
    let r = statics(&model(
        "gravity = [0, -9.81]\n[body.arm]\ntype = 'planar'\nmass = 1\ninertia = 0.1\ncom = [0.5, 0]\nangle = 0.3\n\
         [joint.hinge]\ntype = 'revolute'\nbetween = ['ground', 'arm']\n\
         [contact.stop]\ntype = 'limit'\njoint = 'hinge'\nlower = -0.5\n",
    ))
    .unwrap();
    assert!((angle(&r, "arm") + 0.5).abs() < 1e-9);
    close(r.contacts[0].normal, 9.81 * 0.5 * 0.5_f64.cos(), 1e-8);
    assert_eq!(r.stability, Stability::Stable);
}

#[test]
fn no_equilibrium_is_told_by_name_and_direction() {
    let falling =
        "gravity = [0, 0, -9.81]\n[body.stone]\ntype = 'rigid'\nmass = 1\ninertia = [1, 1, 1]\n";
    let e = statics(&model(falling)).unwrap_err();
    assert_eq!((e.code, e.input), ("E_NO_EQUILIBRIUM", false));
    assert!(e.message.contains("\"stone\" along (0, 0, -1)"), "{}", e.message);
    let driven = "[body.wheel]\ntype = 'planar'\nmass = 1\ninertia = 1\n[joint.axle]\ntype = 'revolute'\n\
                  between = ['ground', 'wheel']\n[force.motor]\ntype = 'torque'\nat = 'wheel'\ntorque = '2 Nm'\n";
    let e = statics(&model(driven)).unwrap_err();
    assert_eq!(e.code, "E_NO_EQUILIBRIUM");
    assert!(e.message.contains("\"wheel\" about (0, 0, 1)"), "{}", e.message);
    // nothing acts: everything is an equilibrium
    let r = statics(&model(&falling.replace("-9.81", "0"))).unwrap();
    assert_eq!(r.stability, Stability::Neutral);
    assert!(r.notes.iter().any(|n| n.code == "N_NEUTRAL" && n.message.contains("\"stone\"")));
}

#[test]
fn controllers_with_integrals_rest_at_their_targets() {
    let r = statics(&model(
        "gravity = [0, -9.81]\n[body.arm]\ntype = 'planar'\nmass = 1\ninertia = 0.1\ncom = [0.5, 0]\n\
         [joint.hinge]\ntype = 'revolute'\nbetween = ['ground', 'arm']\n\
         [force.servo]\ntype = 'actuator'\njoint = 'hinge'\ntarget = 0.7\nkp = 3\nki = 5\nkd = 1\n",
    ))
    .unwrap();
    close(angle(&r, "arm"), 0.7, 1e-9);
    close(pull(&r, "servo").abs(), 9.81 * 0.5 * 0.7_f64.cos(), 1e-8);
}

#[test]
fn redundant_reactions_are_flagged() {
    let r = statics(&load("library/smooth/swing_table_redundant.toml", &[])).unwrap();
    assert!(r.reactions.iter().any(|x| !x.unique) && r.stability == Stability::Stable);
}
