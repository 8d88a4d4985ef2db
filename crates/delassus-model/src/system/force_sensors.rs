//! Forces that read sensors: balances, tangents, counted turns.

use super::force_contract::{KINDS, check_power};
use crate::joint::contract::{Lab, Pose, Rng, close, scene};
use delassus_dae::{Problem, State};
use delassus_math::{Quat, Vec3};
use nalgebra::DVector;

#[test]
fn forces_that_read_sensors_keep_the_balance() {
    for kind in KINDS {
        let mut lab = Lab::new(&format!(
            "{}\n[sensor.d]\ntype = 'distance'\nbetween = ['a.m', 'b.n']\n\
             [sensor.e]\ntype = 'expression'\nvalue = '2*d'\n\
             [sensor.w]\ntype = 'velocity'\nof = 'b.n'\ncomponent = 'x'\n\
             [force.f]\ntype = 'force'\nat = 'b.n'\nforce = ['3*e - w', 'd^2']\n",
            scene(kind)
        ));
        let mut rng = Rng(4);
        let s = lab.state(&mut rng, Pose::Free, None);
        assert!(lab.check_tangent(&s, &mut rng, "reading sensors"));
        check_power(&mut lab, &s, "reading sensors");
        let mut bare = Lab::new(&scene(kind));
        let own = lab.force(&s) - bare.force(&s);
        lab.realize(&s);
        let (d, w) = (lab.sys.probe_value(&lab.ws, 0), lab.sys.probe_value(&lab.ws, 2));
        let total = bare.resultant(&s, &own);
        close(
            &total.rows(0, 2).into_owned(),
            &DVector::from(vec![6.0 * d - w, d * d]),
            1e-12,
            "components",
        );
    }
}

#[test]
fn slip_of_a_rolling_disc_is_that_of_its_lowest_point() {
    for (kind, axis2) in [("planar", "[0, 0, 1]"), ("rigid", "[2, 1, 0.5]")] {
        let axis = if kind == "planar" { "[0.6, 0.8, 0]" } else { "[1, -2, 3]" };
        for disc in [true, false] {
            let shape = if disc { format!("axis2 = {axis2}") } else { "shape = 'sphere'".into() };
            let mut lab = Lab::new(&format!(
                "{}\n[joint.j]\ntype = 'rolling'\nbetween = ['a.m', 'b.n']\nradius = 0.4\n\
                 axis = {axis}\n{shape}\n",
                scene(kind)
            ));
            let crate::JointKind::Rolling { pair: p, .. } = lab.model().joints[0].kind.clone()
            else {
                panic!()
            };
            let s = lab.state(&mut Rng(2), Pose::Free, None);
            let rows = lab.velocity_rows(&s);
            let n = lab.ws.kin.body(0).r_wb * p.a.r * p.axis_a;
            let spin = lab.ws.kin.body(1).r_wb * p.b.r * p.axis_b;
            let down = if disc { (spin * n.dot(&spin) - n).normalize() } else { -n };
            let b = lab.ws.kin.body(1);
            let contact = b.x + b.r_wb * (p.b.p - lab.model().bodies[1].com) + down * 0.4;
            let at = |i: usize| {
                let b = lab.ws.kin.body(i);
                b.v + b.w.cross(&(contact - b.x))
            };
            let slip = at(1) - at(0);
            let slip = slip - n * n.dot(&slip);
            let found = rows.rows(1, rows.len() - 1).norm();
            assert!((found - slip.norm()).abs() < 1e-12, "{kind} {disc}: {found} {slip}");
            // the position row is the height of that point above the plane
            let plane = lab.ws.kin.body(0).x
                + lab.ws.kin.body(0).r_wb * (p.a.p - lab.model().bodies[0].com);
            let height = n.dot(&(contact - plane));
            assert!((lab.position_rows(&s)[0] - height).abs() < 1e-12);
        }
    }
}

#[test]
fn a_joint_sensor_that_a_force_reads_counts_turns() {
    let mut lab = Lab::new(&format!(
        "{}\n[joint.j]\ntype = 'revolute'\nbetween = ['ground', 'b']\n\
         [sensor.phi]\ntype = 'joint'\njoint = 'j'\n\
         [force.f]\ntype = 'torque'\nat = 'b'\ntorque = [0, 0, '-2*phi']\n\
         [force.g]\ntype = 'torsion'\njoint = 'j'\nstiffness = 2\n",
        scene("rigid")
    ));
    let mut s = lab.state(&mut Rng(1), Pose::Free, None);
    s.v.fill(0.0);
    for angle in [3.0, 3.3, 7.0] {
        s.q[10..14].copy_from_slice(&Quat::from_axis_angle(&Vec3::z(), angle).0);
        s.z.fill(angle);
        let torque = lab.force(&s)[11];
        assert!((torque + 4.0 * angle).abs() < 1e-9, "{torque} at {angle} rad");
    }
}

/// Sensors of every kind that a force may read; the ends are on three bodies.
const SENSORS: &str = "
[body.c]
type = 'KIND'
mass = 0.9
inertia = INERTIA
[sensor.px]
type = 'position'
of = 'c'
component = 'x'
[sensor.py]
type = 'position'
of = 'c'
frame = 'a.m'
component = 'y'
[sensor.pn]
type = 'position'
of = 'b.n'
frame = 'c'
component = 'norm'
[sensor.vx]
type = 'velocity'
of = 'c'
frame = 'a.m'
component = 'x'
[sensor.vn]
type = 'velocity'
of = 'b.n'
component = 'norm'
[sensor.w]
type = 'rate'
of = 'a.m'
frame = 'c'
component = 'z'
[sensor.wb]
type = 'rate'
of = 'b'
frame = 'body'
component = 'norm'
[sensor.phi]
type = 'angle'
of = 'b.n'
[sensor.quat]
type = 'orientation'
of = 'a.m'
[sensor.d]
type = 'distance'
between = ['a.m', 'c']
[joint.j]
type = 'prismatic'
between = ['a.m', 'c']
axis = [3, 4]
[sensor.s]
type = 'joint'
joint = 'j'
coordinate = 'position'
[sensor.sr]
type = 'joint-rate'
joint = 'j'
coordinate = 'position'
[sensor.e]
type = 'expression'
value = 'sin(px)*d + t*quat.w'
[sensor.ee]
type = 'expression'
value = 'e^2 + phi + 0.2*e*py'
";

/// The same of bodies that deform.
const AMPLITUDES: &str = "
[sensor.q]
type = 'amplitude'
of = 'a'
[sensor.q2]
type = 'amplitude'
of = 'b'
mode = 2
[sensor.u]
type = 'amplitude-rate'
of = 'b'
mode = 1
[sensor.qe]
type = 'expression'
value = 'q.1*q2 + t*q.2^2'
";

fn with_sensors(kind: &str, force: &str) -> Lab {
    let (label, inertia) =
        if kind == "planar" { ("planar", "0.4") } else { ("rigid", "[0.4, 0.5, 0.6]") };
    let sensors = SENSORS.replace("KIND", label).replace("INERTIA", inertia);
    let modes = if kind.ends_with("modal") { AMPLITUDES } else { "" };
    Lab::new(&format!("{}{sensors}{modes}{force}", scene(kind)))
}

/// What a force may read of this kind of bodies, among these and, of those that deform, the others.
fn laws_for<'l>(kind: &str, all: &'l [&'l str], of_modes: &'l [&'l str]) -> Vec<&'l str> {
    let more = if kind.ends_with("modal") { of_modes } else { &[] };
    [all, more].concat()
}

#[test]
fn what_a_force_reads_is_in_the_tangent() {
    let laws = [
        "px*py",
        "pn^2",
        "vx + 0.3*vn^2",
        "w*wb",
        "sin(phi)",
        "quat.w*quat.z",
        "d*s",
        "sr*d + vx*px",
        "e",
        "ee*d + t*e",
    ];
    let forces = [
        "type = 'force'\nat = 'b.n'\nframe = 'a.m'\nforce = ['LAW', 't*(LAW)', 0]",
        "type = 'torque'\nat = 'b.n'\ntorque = [0, 0, 'LAW']",
        "type = 'spring'\nbetween = ['a.m', 'b.n']\nforce = '(LAW)*length + rate*(LAW)'",
        "type = 'actuator'\nbetween = ['a.m', 'b.n']\ncoordinate = 'position'\naxis = [3, 4]\n\
         target = 'LAW'\nkp = 3\nki = 2",
        "type = 'actuator'\nbetween = ['a.m', 'b.n']\ncoordinate = 'position'\naxis = [3, 4]\n\
         target = 'LAW'\ncontrol = 'rate'\nkp = 3\nki = 2",
        "type = 'actuator'\nbetween = ['a.m', 'b.n']\ncoordinate = 'position'\naxis = [3, 4]\n\
         target = 'LAW'\nkp = 3\nki = 2\nkd = 0.7",
    ];
    for kind in KINDS {
        for law in laws_for(kind, &laws, &["q.1*q.2 + q2^2*px", "u*q.1 + u^2", "qe*d + t*qe"]) {
            for force in forces {
                if force.contains("kd") && ["v", "w*", "sr", "u*"].iter().any(|x| law.contains(x)) {
                    continue;
                }
                let what = format!("{kind} {force} {law}");
                let text = format!("[force.f]\n{}\n", force.replace("LAW", law));
                let mut lab = with_sensors(kind, &text);
                for seed in 0..2 {
                    let mut rng = Rng(seed + 31);
                    let s = lab.state(&mut rng, Pose::Free, None);
                    assert!(lab.check_tangent(&s, &mut rng, &what), "{what}");
                }
            }
        }
    }
}

#[test]
fn the_derivative_term_follows_a_target_that_reads_sensors() {
    for kind in KINDS {
        let laws = ["px*py + t", "sin(phi)", "quat.w*quat.z", "d*s", "ee*d + t*e"];
        for law in laws_for(kind, &laws, &["q.1*q2", "qe*d + t*qe"]) {
            let force = |target: &str, gain: &str| {
                format!(
                    "[force.f]\ntype = 'actuator'\nbetween = ['a.m', 'b.n']\n\
                     coordinate = 'position'\naxis = [3, 4]\ntarget = '{target}'\n{gain} = 1\n"
                )
            };
            // the error that kp sees along the motion, and its rate that kd sees
            let mut p = with_sensors(kind, &force(law, "kp"));
            let mut d = with_sensors(kind, &force(law, "kd"));
            let s = p.state(&mut Rng(6), Pose::Free, None);
            let push = |lab: &mut Lab, s: &State| {
                lab.realize(s);
                DVector::from(vec![-lab.ws.forces[0].pull])
            };
            let v = DVector::from(s.v.clone());
            let zero = DVector::zeros(v.len());
            let rate = p.slope(&s, (&v, &zero, 1.0), push);
            close(&push(&mut d, &s), &rate, 1e-8, &format!("{kind} {law}"));
        }
    }
}

#[test]
fn an_angle_sensor_that_a_force_reads_counts_turns() {
    let mut lab = Lab::new(&format!(
        "{}\n[sensor.phi]\ntype = 'angle'\nof = 'b'\n\
         [force.f]\ntype = 'torque'\nat = 'b'\ntorque = [0, 0, '-2*phi']\n",
        scene("rigid")
    ));
    let mut s = lab.state(&mut Rng(1), Pose::Free, None);
    s.v.fill(0.0);
    // the direction x is what counts: a turn about it before does not matter
    let tilt = Quat::from_axis_angle(&Vec3::x(), 0.7);
    for angle in [3.0, 3.3, 7.0, -9.0] {
        let turn = Quat::from_axis_angle(&Vec3::z(), angle);
        s.q[10..14].copy_from_slice(&turn.mul(&tilt).0);
        s.z.fill(angle + 0.4);
        // body components of (0, 0, τ)
        let f = lab.force(&s);
        let torque = Vec3::new(f[9], f[10], f[11]);
        let torque = (turn.mul(&tilt).matrix() * torque).z;
        assert!((torque + 2.0 * angle).abs() < 1e-9, "{torque} at {angle} rad");
    }
    // the counter follows the angle exactly, however the body lies and turns
    let s = lab.state(&mut Rng(9), Pose::Free, None);
    let angle = |lab: &mut Lab, s: &State| {
        lab.realize(s);
        DVector::from(vec![lab.sys.probe_value(&lab.ws, 0)])
    };
    let v = DVector::from(s.v.clone());
    let zero = DVector::zeros(v.len());
    let rate = lab.slope(&s, (&v, &zero, 0.0), angle);
    lab.realize(&s);
    let mut z_dot = vec![0.0];
    lab.sys.z_dot(&lab.ws, &mut z_dot);
    close(&DVector::from(z_dot), &rate, 1e-9, "rate of the counter");
}
