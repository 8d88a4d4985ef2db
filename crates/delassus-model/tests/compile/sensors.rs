//! Sensors: consistent with each other under differentiation, unwrapped, and with the signs and
//! frames that their documentation states.

use delassus_dae::{Problem, State};
use delassus_math::{Quat, Vec3};
use delassus_model::{Assembled, Measured, Outputs, System, Workspace, assemble, compile};
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::Arc;

fn system(text: &str) -> System {
    let text = format!("schema = 1\n{text}");
    let spec = toml::from_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let model = compile(&spec).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    System::new(model).unwrap_or_else(|e| panic!("{e:#?}\n{text}"))
}

fn assembled(text: &str) -> Assembled {
    assemble(system(text)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"))
}

/// Sensors with the memory that counts turns.
struct Meter {
    sys: Arc<System>,
    ws: Workspace,
    memory: Measured,
}

impl Meter {
    fn new(sys: impl Into<Arc<System>>) -> Meter {
        let sys = sys.into();
        Meter { ws: sys.workspace(), sys, memory: Measured::default() }
    }

    fn read(&mut self, s: &State, a: &[f64], lambda: &[f64]) -> BTreeMap<String, f64> {
        self.sys.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        self.sys.realize_velocity(&s.v, &s.z, &mut self.ws);
        let out =
            Outputs { a, lambda, dissipated: 0.0, work: 0.0, energy_at_start: 0.0, stored: 0.0 };
        self.sys.measure(&mut self.ws, &out, &mut self.memory);
        let names = self.sys.model().sensors.iter().map(|s| s.name.clone());
        names.zip(self.memory.values.iter().copied()).collect()
    }
}

/// Sensors at the assembled start.
fn at_start(text: &str) -> BTreeMap<String, f64> {
    let x = assembled(text);
    Meter::new(x.system).read(&x.state, &x.derived.a, &x.derived.lambda)
}

fn check(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() < 1e-8 * (1.0 + expected.abs()),
        "{what}: {found}, expected {expected}"
    );
}

fn vector(m: &BTreeMap<String, f64>, name: &str) -> Vec3 {
    let at = |c: &str| m.get(&format!("{name}.{c}")).copied().unwrap_or(0.0);
    Vec3::new(at("x"), at("y"), at("z"))
}

fn check_vector(found: &Vec3, expected: &Vec3, what: &str) {
    for k in 0..3 {
        check(found[k], expected[k], what);
    }
}

const RIGID: &str = "
[body.a]
type = 'rigid'
mass = 1
inertia = [1, 2, 2.5]
com = [0.1, 0.2, -0.1]
position = [0.3, 0.1, 0.2]
orientation = { axis = [0, 1, 1], angle = 0.5 }
markers.m = { position = [0.6, -0.3, 0.2], orientation = { axis = [1, -1, 2], angle = 0.7 } }
[body.b]
type = 'rigid'
mass = 1
inertia = [1, 2, 2.5]
com = [-0.2, 0.1, 0.15]
position = [1.1, 0.9, -0.4]
orientation = { axis = [1, 0, 2], angle = -0.6 }
markers.n = { position = [-0.4, 0.5, -0.3], orientation = { axis = [2, 1, 1], angle = -1.1 } }
";
const PLANAR: &str = "
[body.a]
type = 'planar'
mass = 1
inertia = 1
com = [0.1, 0.2]
position = [0.3, 0.1]
angle = 0.5
markers.m = { position = [0.6, -0.3], angle = 0.7 }
[body.b]
type = 'planar'
mass = 1
inertia = 1
com = [-0.2, 0.1]
position = [1.1, 0.9]
angle = -0.3
markers.n = { position = [-0.4, 0.5], angle = -1.1 }
";
const SENSORS: &str = "
[sensor]
p = { type = 'position', of = 'b.n' }
v = { type = 'velocity', of = 'b.n' }
acc = { type = 'acceleration', of = 'b.n' }
o = { type = 'position', of = 'a.m' }
ov = { type = 'velocity', of = 'a.m' }
pf = { type = 'position', of = 'b.n', frame = 'a.m' }
vf = { type = 'velocity', of = 'b.n', frame = 'a.m' }
accf = { type = 'acceleration', of = 'b.n', frame = 'a.m' }
vnorm = { type = 'velocity', of = 'b.n', component = 'norm' }
angle = { type = 'angle', of = 'b.n' }
d = { type = 'distance', between = ['a.m', 'b.n'] }
e1 = { type = 'expression', value = '2*e2' }
e2 = { type = 'expression', value = '2*e3' }
e3 = { type = 'expression', value = '2*e4' }
e4 = { type = 'expression', value = '2*e5' }
e5 = { type = 'expression', value = '2*e6' }
e6 = { type = 'expression', value = 'd + 1' }
";
#[test]
fn positions_velocities_and_accelerations_are_derivatives() {
    for (bodies, planar) in [(PLANAR, true), (RIGID, false)] {
        let rates: String = ["x", "y", "z"]
            .iter()
            .map(|c| format!("w{c} = {{ type = 'rate', of = 'a.m', frame = 'a.m', component = '{c}' }}\nwb{c} = {{ type = 'rate', of = 'b.n', component = '{c}' }}\n"))
            .collect();
        let mut meter = Meter::new(system(&format!("{bodies}{SENSORS}{rates}")));
        let d = meter.sys.dims();
        let v: Vec<f64> = (0..d.nv).map(|k| (1.3 * k as f64 + 0.4).sin()).collect();
        let a: Vec<f64> = (0..d.nv).map(|k| (2.1 * k as f64 + 0.9).cos()).collect();
        let q0 = meter.sys.given_configuration();
        let mut at = |h: f64| {
            let xi: Vec<f64> = v.iter().zip(&a).map(|(v, a)| h * v + 0.5 * h * h * a).collect();
            let mut q = vec![0.0; d.nq];
            meter.sys.manifold().retract(&q0, &xi, &mut q);
            let v = v.iter().zip(&a).map(|(v, a)| v + h * a).collect();
            meter.read(&State { t: h, q, v, z: Vec::new() }, &a, &[])
        };
        const H: f64 = 1e-3;
        let points = [at(-2.0 * H), at(-H), at(H), at(2.0 * H)];
        let now = at(0.0);
        let slope = |f: &dyn Fn(&BTreeMap<String, f64>) -> Vec3| {
            let [a, b, c, d] = points.each_ref().map(f);
            ((c - b) * 8.0 - (d - a)) / (12.0 * H)
        };
        let of = |name: &str| slope(&|m| vector(m, name));
        let one = |name: &str| slope(&|m| Vec3::x() * m[name]).x;
        check_vector(&vector(&now, "v"), &of("p"), "velocity");
        check_vector(&vector(&now, "acc"), &of("v"), "acceleration");
        check(now["vnorm"], vector(&now, "v").norm(), "norm");
        // in a moving frame: of the difference as seen from ground, in the frame's axes
        let w = Vec3::new(now["wx"], now["wy"], now["wz"]);
        let seen = of("pf") + w.cross(&vector(&now, "pf"));
        check_vector(&vector(&now, "vf"), &seen, "velocity in a frame");
        let relative = vector(&now, "v") - vector(&now, "ov");
        check(vector(&now, "vf").norm(), relative.norm(), "relative velocity");
        check(vector(&now, "accf").norm(), vector(&now, "acc").norm(), "acceleration in a frame");
        // the axes of the frame: the same vector twice
        let (here, there) = (vector(&now, "pf"), vector(&now, "p") - vector(&now, "o"));
        check(vector(&now, "vf").dot(&here), relative.dot(&there), "axes of a frame");
        check(vector(&now, "accf").dot(&here), vector(&now, "acc").dot(&there), "axes of a frame");
        check(now["d"], there.norm(), "distance");
        check(one("d"), relative.dot(&there) / there.norm(), "rate of a distance");
        check(points[0]["e1"], 32.0 * (points[0]["d"] + 1.0), "expressions of later sensors");
        if planar {
            check(one("angle"), now["wbz"], "rate of an angle");
        }
    }
}

#[test]
fn orientation_is_that_of_the_marker_with_positive_scalar_part() {
    let text = "[sensor.e]\ntype = 'orientation'\nof = 'b.n'\n";
    let mut meter = Meter::new(system(&format!("{RIGID}{text}")));
    let body = Quat::from_axis_angle(&Vec3::new(1.0, 0.0, 2.0).normalize(), -0.6);
    let marker = Quat::from_axis_angle(&Vec3::new(2.0, 1.0, 1.0).normalize(), -1.1);
    let d = meter.sys.dims();
    let q0 = meter.sys.given_configuration();
    for turn in [0.0, 2.0, 4.0, 6.0] {
        let mut q = q0.clone();
        let about = Quat::from_axis_angle(&Vec3::y(), turn);
        q[10..14].copy_from_slice(&about.mul(&body).0);
        let m = meter.read(
            &State { t: 0.0, q, v: vec![0.0; d.nv], z: Vec::new() },
            &vec![0.0; d.nv],
            &[],
        );
        let found = Quat([m["e.w"], m["e.x"], m["e.y"], m["e.z"]]);
        assert!(found.0[0] >= 0.0);
        let expected = about.mul(&body).mul(&marker).matrix();
        assert!((found.matrix() - expected).norm() < 1e-12);
    }
}

/// Angles count turns whether the body is planar or not, and so do torsion springs.
#[test]
fn angles_are_unwrapped_over_several_turns() {
    for (kind, inertia) in [("planar", "1"), ("rigid", "[1, 1, 1]")] {
        for (axis, sign) in [(1, 1.0), (-1, -1.0)] {
            let sys = system(&format!(
                "[body.w]\ntype = '{kind}'\nmass = 1\ninertia = {inertia}\n\
                 markers.n = {{ angle = 0.3 }}\n\
                 [joint.pin]\ntype = 'revolute'\nbetween = ['ground', 'w.n']\naxis = [0, 0, {axis}]\n\
                 [force.spring]\ntype = 'torsion'\njoint = 'pin'\nstiffness = 2\n\
                 [sensor]\nabs = {{ type = 'angle', of = 'w.n' }}\n\
                 rel = {{ type = 'joint', joint = 'pin' }}\n\
                 rate = {{ type = 'joint-rate', joint = 'pin' }}\n\
                 energy = {{ type = 'energy', component = 'potential' }}\n"
            ));
            let d = sys.dims();
            let mut meter = Meter::new(sys);
            for step in 0..=60 {
                let angle = 0.4 * f64::from(step);
                let mut q = meter.sys.given_configuration();
                let mut v = vec![0.0; d.nv];
                if kind == "planar" {
                    q[2] = angle;
                    v[2] = 0.7;
                } else {
                    q[3..7].copy_from_slice(&Quat::from_axis_angle(&Vec3::z(), angle).0);
                    v[5] = 0.7;
                }
                // the counter need not be precise, only near
                let z = vec![sign * (angle + 0.3) + 0.4; d.nz];
                let m = meter.read(&State { t: 0.0, q, v, z }, &vec![0.0; d.nv], &[]);
                let what = format!("{kind} {axis} at {angle}");
                check(m["abs"], angle + 0.3, &what);
                check(m["rel"], sign * (angle + 0.3), &what);
                check(m["rate"], sign * 0.7, &what);
                check(m["energy"], (angle + 0.3) * (angle + 0.3), &what);
            }
        }
    }
}

/// A hanging mass: the joint pulls its second body up, in ground axes or in those asked for.
#[test]
fn reaction_is_the_force_on_the_second_body() {
    let weight = 2.0 * 9.81;
    let planar = |joint: &str, between: &str| {
        format!(
            "gravity = [0, -9.81]\n[ground.markers]\nturned = {{ angle = '90 deg' }}\n\
             [body.m]\ntype = 'planar'\nmass = 2\ninertia = 1\nposition = [0, -0.5]\nmarkers.top = [0, 0.5]\n\
             [joint.j]\ntype = '{joint}'\nbetween = {between}\n\
             [sensor]\nf = {{ type = 'reaction', joint = 'j' }}\n\
             g = {{ type = 'reaction', joint = 'j', frame = 'ground.turned' }}\n\
             n = {{ type = 'reaction', joint = 'j', component = 'fnorm' }}\n"
        )
    };
    for joint in ["revolute", "fixed", "spherical"] {
        for (between, sign) in [("['ground', 'm.top']", 1.0), ("['m.top', 'ground']", -1.0)] {
            let m = at_start(&planar(joint, between));
            for (name, expected) in [
                ("f.fx", 0.0),
                ("f.fy", sign * weight),
                ("f.tz", 0.0),
                // x of the turned axes is up
                ("g.fx", sign * weight),
                ("g.fy", 0.0),
                ("n", weight),
            ] {
                check(m[name], expected, &format!("{joint} {between} {name}"));
            }
        }
    }
    // a distance joint pulls along its line
    let m = at_start(&planar("distance", "['ground', 'm']"));
    check(m["f.fy"], weight, "distance");
}

/// A cantilever: the torque is about the origin of the second frame.
#[test]
fn reaction_torque_is_about_the_second_origin() {
    let weight = 2.0 * 9.81;
    for (kind, inertia, zero) in [("planar", "1", ""), ("rigid", "[1, 1, 1]", ", 0")] {
        let text = |between: &str| {
            format!(
                "gravity = [0, -9.81{zero}]\n[ground.markers]\nfar = [-0.4, 0]\n\
                 [body.m]\ntype = '{kind}'\nmass = 2\ninertia = {inertia}\nposition = [0.5, 0{zero}]\n\
                 markers.root = [-0.5, 0{zero}]\n\
                 [joint.j]\ntype = 'fixed'\nbetween = {between}\n\
                 [sensor.r]\ntype = 'reaction'\njoint = 'j'\n"
            )
        };
        let m = at_start(&text("['ground', 'm.root']"));
        check(m["r.fy"], weight, kind);
        check(m["r.tz"], 0.5 * weight, kind);
        let m = at_start(&text("['m.root', 'ground']"));
        check(m["r.fy"], -weight, kind);
        check(m["r.tz"], -0.5 * weight, kind);
    }
    // A slider is pushed sideways at its own origin.
    let m = at_start(
        "gravity = [0, -9.81]\n[body.m]\ntype = 'planar'\nmass = 2\ninertia = 1\nposition = [0.7, 0]\n\
         [joint.j]\ntype = 'prismatic'\nbetween = ['ground', 'm']\n\
         [sensor]\nr = { type = 'reaction', joint = 'j' }\nx = { type = 'joint', joint = 'j' }\n",
    );
    check(m["r.fy"], weight, "slider");
    check(m["r.tz"], 0.0, "slider");
    check(m["x"], 0.7, "slider");
}

/// Coordinates are of the second frame seen from the first, positive about and along the axis.
#[test]
fn joint_coordinates_have_the_sign_of_the_axis() {
    for (between, sign) in [("['ground', 'm']", 1.0), ("['m', 'ground']", -1.0)] {
        for axis in [1.0, -1.0] {
            let s = sign * axis;
            let m = at_start(&format!(
                "[body.m]\ntype = 'planar'\nmass = 1\ninertia = 1\nangle = 0.3\nrate = 0.5\n\
                 [joint.j]\ntype = 'revolute'\nbetween = {between}\naxis = [0, 0, {axis}]\n\
                 [sensor]\nx = {{ type = 'joint', joint = 'j' }}\nv = {{ type = 'joint-rate', joint = 'j' }}\n"
            ));
            check(m["x"], 0.3 * s, "planar angle");
            check(m["v"], 0.5 * s, "planar rate");
            let m = at_start(&format!(
                "[body.m]\ntype = 'rigid'\nmass = 1\ninertia = [1, 1, 1]\nposition = [0.4, 0, 0]\n\
                 orientation = {{ axis = [1, 0, 0], angle = 0.3 }}\nvelocity = [0.6, 0, 0]\nrate = [0.5, 0, 0]\n\
                 [joint.j]\ntype = 'cylindrical'\nbetween = {between}\naxis = [{axis}, 0, 0]\n\
                 [sensor]\nx = {{ type = 'joint', joint = 'j' }}\nv = {{ type = 'joint-rate', joint = 'j' }}\n\
                 p = {{ type = 'joint', joint = 'j', coordinate = 'position' }}\n\
                 pv = {{ type = 'joint-rate', joint = 'j', coordinate = 'position' }}\n"
            ));
            for (name, size) in [("x", 0.3), ("v", 0.5), ("p", 0.4), ("pv", 0.6)] {
                check(m[name], size * s, name);
            }
        }
    }
}

/// Given rates, screws, gears, racks and motions agree on signs.
#[test]
fn couplings_have_the_stated_signs() {
    let wheels = "[body.u]\ntype = 'planar'\nmass = 1\ninertia = 1\n\
                  [body.w]\ntype = 'planar'\nmass = 1\ninertia = 1\nposition = [1, 0]\n\
                  [ground.markers]\nm = [1, 0]\n\
                  [joint.u]\ntype = 'revolute'\nbetween = ['ground', 'u']\n";
    let rates = "[sensor]\nu = { type = 'joint-rate', joint = 'u' }\nw = { type = 'joint-rate', joint = 'w' }\n";
    let m = at_start(&format!(
        "{wheels}initial_rate = 0.9\n[joint.w]\ntype = 'revolute'\nbetween = ['ground.m', 'w']\n\
         [joint.g]\ntype = 'gear'\njoints = ['u', 'w']\nratio = -3\n{rates}"
    ));
    check(m["u"], 0.9, "gear");
    check(m["w"], -0.3, "gear");
    let m = at_start(&format!(
        "{wheels}initial_rate = 0.9\n[joint.w]\ntype = 'prismatic'\nbetween = ['ground.m', 'w']\n\
         [joint.g]\ntype = 'rack'\njoints = ['u', 'w']\npitch = 0.5\n{rates}"
    ));
    check(m["w"], 0.5 * 0.9 / TAU, "rack");
    let m = at_start(&format!(
        "[analysis]\nmax_assembly_correction = 1\n{wheels}\
         [joint.w]\ntype = 'prismatic'\nbetween = ['ground.m', 'w']\n\
         [joint.g]\ntype = 'motion'\njoint = 'u'\nvalue = '0.2 + 3*t'\n\
         [joint.h]\ntype = 'motion'\njoint = 'w'\nvalue = '0.1 - 2*t'\n{rates}\
         x = {{ type = 'joint', joint = 'u' }}\ny = {{ type = 'joint', joint = 'w' }}\n"
    ));
    for (name, expected) in [("x", 0.2), ("u", 3.0), ("y", 0.1), ("w", -2.0)] {
        check(m[name], expected, name);
    }
    let m = at_start(
        "[body.u]\ntype = 'rigid'\nmass = 1\ninertia = [1, 1, 1]\n\
         [joint.u]\ntype = 'screw'\nbetween = ['ground', 'u']\npitch = 0.5\ninitial_rate = 0.9\n\
         [sensor]\nu = { type = 'joint-rate', joint = 'u' }\n\
         p = { type = 'joint-rate', joint = 'u', coordinate = 'position' }\n\
         v = { type = 'velocity', of = 'u', component = 'z' }\n",
    );
    check(m["u"], 0.9, "screw");
    check(m["p"], 0.5 * 0.9 / TAU, "screw");
    check(m["v"], m["p"], "screw");
}

/// A wheel on the ground rolls forward when it turns clockwise.
#[test]
fn a_rolling_wheel_advances_by_its_radius() {
    for shape in ["disc", "sphere"] {
        let m = at_start(&format!(
            "[body.w]\ntype = 'planar'\nmass = 1\ninertia = 1\nposition = [0, 0.4]\nrate = -2\n\
             [joint.j]\ntype = 'rolling'\nbetween = ['ground', 'w']\nradius = 0.4\nshape = '{shape}'\n\
             [sensor]\nv = {{ type = 'velocity', of = 'w' }}\n"
        ));
        check_vector(&vector(&m, "v"), &Vec3::new(0.8, 0.0, 0.0), shape);
        let axis = if shape == "disc" { "axis2 = [0, 1, 0]\n" } else { "" };
        let m = at_start(&format!(
            "[body.w]\ntype = 'rigid'\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 0.4]\nrate = [0, 2, 0.7]\n\
             [joint.j]\ntype = 'rolling'\nbetween = ['ground', 'w']\nradius = 0.4\nshape = '{shape}'\n{axis}\
             [sensor]\nv = {{ type = 'velocity', of = 'w' }}\n"
        ));
        check_vector(&vector(&m, "v"), &Vec3::new(0.8, 0.0, 0.0), shape);
    }
}

/// A force that reads a ladder of formulas: 2⁸⁰ ways lead down, and each rung is read once.
#[test]
fn many_ways_to_a_sensor_are_one() {
    const RUNGS: usize = 80;
    let mut text = format!(
        "{PLANAR}\n[force.f]\ntype = 'force'\nat = 'a.m'\nforce = ['1 N * e0', 0]\n[sensor]\n"
    );
    for k in 0..RUNGS {
        let (one, two) = (k + 1, k + 2);
        text += &format!("e{k} = {{ type = 'expression', value = '(e{one} + e{two})/2' }}\n");
    }
    for k in RUNGS..RUNGS + 2 {
        text += &format!("e{k} = {{ type = 'angle', of = 'a.m' }}\n");
    }
    let mut meter = Meter::new(system(&text));
    let (d, q) = (meter.sys.dims(), meter.sys.given_configuration());
    let s = State { t: 0.0, q, v: vec![0.0; d.nv], z: vec![0.0; d.nz] };
    let m = meter.read(&s, &vec![0.0; d.nv], &[]);
    check(m["e0"], 1.2, "mean of equals");
}
