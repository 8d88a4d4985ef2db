//! Directional derivatives: exact, so that central differences agree to what they lose by rounding.

use crate::support::{Fmu, OK, Three, Use};
use delassus::math::largest;
use delassus_fmu::abi::fmi3;
use delassus_fmu::variables::Role;

/// An instance in model exchange, in continuous-time mode.
struct Solved<'a> {
    fmu: &'a Fmu,
    i: Three,
    rates: Vec<u32>,
    states: Vec<u32>,
    inputs: Vec<u32>,
}

impl<'a> Solved<'a> {
    fn new(fmu: &'a Fmu) -> Solved<'a> {
        let i = fmu.three(Use::ModelExchange);
        i.begin();
        let pick = |is: fn(Role) -> bool| fmu.variables.pick(is).map(|(k, _)| k as u32).collect();
        let made = Solved {
            rates: pick(|r| matches!(r, Role::Rate(_) | Role::Output(_))),
            states: pick(|r| matches!(r, Role::State(_))),
            inputs: pick(|r| matches!(r, Role::Input(..))),
            fmu,
            i,
        };
        made.update();
        made
    }

    /// Makes the states consistent.
    fn update(&self) {
        let (mut more, mut end, mut nominals, mut values) = (true, true, true, true);
        let (mut defined, mut next) = (true, 0.0);
        let status = fmi3::fmi3UpdateDiscreteStates(
            self.i.i,
            &raw mut more,
            &raw mut end,
            &raw mut nominals,
            &raw mut values,
            &raw mut defined,
            &raw mut next,
        );
        assert_eq!(status, OK, "{:?}", self.i.log.take());
        assert_eq!(fmi3::fmi3EnterContinuousTimeMode(self.i.i), OK);
    }

    fn set(&self, t: f64, x: &[f64]) {
        assert_eq!(fmi3::fmi3SetTime(self.i.i, t), OK);
        assert_eq!(fmi3::fmi3SetContinuousStates(self.i.i, x.as_ptr(), x.len()), OK);
    }

    fn states(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.fmu.variables.states];
        assert_eq!(fmi3::fmi3GetContinuousStates(self.i.i, x.as_mut_ptr(), x.len()), OK);
        x
    }

    fn rates(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.fmu.variables.states];
        let status = fmi3::fmi3GetContinuousStateDerivatives(self.i.i, x.as_mut_ptr(), x.len());
        assert_eq!(status, OK, "{:?}", self.i.log.take());
        x
    }

    /// Steps of a simple solver, and then to the nearest consistent state.
    fn drive(&self, until: f64, steps: usize) -> f64 {
        let h = until / steps as f64;
        let mut t = 0.0;
        for _ in 0..steps {
            let x = self.states();
            let half: Vec<f64> = x.iter().zip(self.rates()).map(|(x, r)| x + 0.5 * h * r).collect();
            self.set(t + 0.5 * h, &half);
            let next: Vec<f64> = x.iter().zip(self.rates()).map(|(x, r)| x + h * r).collect();
            t += h;
            self.set(t, &next);
        }
        assert_eq!(fmi3::fmi3EnterEventMode(self.i.i), OK);
        self.update();
        t
    }

    fn along(&self, known: u32) -> Vec<f64> {
        let mut out = vec![f64::NAN; self.rates.len()];
        let one = 1.0;
        let status = fmi3::fmi3GetDirectionalDerivative(
            self.i.i,
            self.rates.as_ptr(),
            self.rates.len(),
            &raw const known,
            1,
            &raw const one,
            1,
            out.as_mut_ptr(),
            out.len(),
        );
        assert_eq!(status, OK, "{:?}", self.i.log.take());
        out
    }

    /// Largest difference between derivatives and central differences, beside the largest derivative of its kind.
    fn worst(&self, t: f64) -> (f64, String) {
        let x = self.states();
        let mut worst = (0.0, String::new());
        let knowns = self.states.iter().chain(&self.inputs);
        // all at one state, before anything is moved
        let exact: Vec<Vec<f64>> = knowns.clone().map(|k| self.along(*k)).collect();
        let mut found = Vec::new();
        for (n, known) in knowns.clone().enumerate() {
            let h = 1e-6;
            let side = |h: f64| {
                if n < x.len() {
                    let mut moved = x.clone();
                    moved[n] += h;
                    self.set(t, &moved);
                } else {
                    let at = self.i.get(&[*known])[0];
                    assert_eq!(self.i.set(*known, at + h), OK);
                    let out = self.i.get(&self.rates);
                    assert_eq!(self.i.set(*known, at), OK);
                    return out;
                }
                let out = self.i.get(&self.rates);
                self.set(t, &x);
                out
            };
            let (plus, minus) = (side(h), side(-h));
            found.push(
                plus.iter().zip(&minus).map(|(p, m)| (p - m) / (2.0 * h)).collect::<Vec<_>>(),
            );
        }
        let here = self.i.get(&self.rates);
        for k in 0..self.rates.len() {
            // differences lose digits of the value itself
            let size = largest(exact.iter().map(|e| e[k].abs())).max(here[k].abs()).max(1e-3);
            for (n, known) in knowns.clone().enumerate() {
                let off = (exact[n][k] - found[n][k]).abs() / size;
                if !(off <= worst.0) {
                    let name = |vr: u32| &self.fmu.variables.list[vr as usize].name;
                    let text = format!(
                        "{} by {}: {} {}",
                        name(self.rates[k]),
                        name(*known),
                        exact[n][k],
                        found[n][k]
                    );
                    worst = (off, text);
                }
            }
        }
        worst
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    for (file, until) in [
        ("pendulum.toml", 0.7),
        ("slider_crank.toml", 0.013),
        ("motor_pid.toml", 0.4),
        ("arm_by_torque.toml", 0.3),
        ("benchmarks/J2_vehicle.toml", 0.4),
        ("benchmarks/I3_spatial_slider_crank.toml", 0.3),
        ("library/smooth/joint_coupling.toml", 0.1),
        ("library/smooth/joint_rack.toml", 0.1),
        ("library/smooth/joint_planar.toml", 0.1),
        ("library/smooth/joint_motion.toml", 0.1),
        ("library/smooth/chaplygin_sleigh.toml", 0.1),
        ("library/smooth/gantry_crane.toml", 0.1),
        ("library/smooth/cardan_shaft.toml", 0.02),
        ("library/smooth/servo_elastic_joint.toml", 0.02),
    ] {
        let fmu = Fmu::of_file(file);
        let s = Solved::new(&fmu);
        let t = s.drive(until, 400);
        let (off, where_) = s.worst(t);
        assert!(off < 1e-6, "{file}: {off:e} at {where_}");
    }
}

/// Everything that has a derivative of its own: joints with curved scalars, rolling, forces that read sensors and inputs, springs,
/// a controller with an integral and a moving target, and sensors in turning axes.
#[test]
fn all_kinds_of_parts_have_theirs() {
    let text = r#"schema = 1
gravity = [0, 0, -9.81]
input.push = { unit = "N", default = 2 }
input.goal = { unit = "rad", default = 0.4 }

[body.arm]
type = "rigid"
mass = 2
inertia = [0.1, 0.2, 0.15]
com = [0.3, 0.05, 0]
markers = { tip = [0.6, 0, 0.1] }
[joint.cardan]
type = "universal"
between = ["ground", "arm"]
axis = [0, 0, 1]
axis2 = [0, 1, 0]

[body.rod]
type = "rigid"
mass = 0.7
inertia = [0.05, 0.06, 0.04]
position = [0.6, 0, 0.1]
com = [0.2, 0.1, 0]
rate = [0.3, -0.5, 1.0]
markers = { end = [0.5, 0, 0] }
[joint.ball]
type = "spherical"
between = ["arm.tip", "rod"]

[body.bead]
type = "point"
mass = 0.5
position = [1.2, 0.3, -0.6]
velocity = [0.2, 0.4, -0.1]
[joint.string]
type = "distance"
between = ["rod.end", "bead"]

[body.wheel]
type = "rigid"
mass = 1.5
inertia = [0.03, 0.05, 0.03]
position = [3, 0, 0.4]
velocity = [0.8, 0, 0]
rate = [0, 2.0, 0.3]
[joint.rolls]
type = "rolling"
between = ["ground", "wheel"]
axis = [0, 0, 1]
axis2 = [0, 1, 0]
radius = 0.4

[body.slider]
type = "rigid"
mass = 1
inertia = [0.02, 0.02, 0.02]
[joint.screw]
type = "cylindrical"
between = ["ground", "slider"]
axis = [0.2, 0, 1]
initial_rate = 3

[force.spring]
type = "spring"
between = ["arm.tip", "bead"]
force = "30*(length - 0.6) + 4*length^3 + 2*rate + push*length"
[force.push]
type = "force"
at = "rod.end"
frame = "arm"
force = ["push*speed.y", "-3*tip.x*tip.z", "0.5*push^2"]
[force.motor]
type = "actuator"
joint = "screw"
coordinate = "angle"
target = "goal + 0.2*tip.z"
kp = 5
ki = 3
kd = 0.4
[force.damper]
type = "spring"
between = ["wheel", "slider"]
stiffness = 12
damping = 1.5

[sensor.tip]
type = "position"
of = "arm.tip"
[sensor.speed]
type = "velocity"
of = "rod.end"
frame = "arm"
[sensor.size]
type = "velocity"
of = "rod.end"
component = "norm"
[sensor.felt]
type = "acceleration"
of = "rod.end"
frame = "rod"
[sensor.turning]
type = "rate"
of = "rod"
frame = "body"
[sensor.attitude]
type = "orientation"
of = "wheel"
[sensor.cardan]
type = "reaction"
joint = "cardan"
frame = "arm"
[sensor.string]
type = "reaction"
joint = "string"
component = "fnorm"
[sensor.rolls]
type = "reaction"
joint = "rolls"
[sensor.screw]
type = "joint"
joint = "screw"
coordinate = "angle"
[sensor.screwing]
type = "joint-rate"
joint = "screw"
coordinate = "angle"
[sensor.apart]
type = "distance"
between = ["bead", "wheel"]
[sensor.total]
type = "energy"
[sensor.mixed]
type = "expression"
value = "tip.x*speed.y + sin(apart)*push"
[analysis]
end = 1
sample = 0.01
"#;
    let fmu = Fmu::of_text(text);
    let s = Solved::new(&fmu);
    let t = s.drive(0.3, 1000);
    let (off, where_) = s.worst(t);
    assert!(off < 1e-6, "{off:e} at {where_}");
}

/// A car on tyres with steering, drive and brakes as inputs, and a tyre that a force reads.
#[test]
fn tyres_have_theirs() {
    let text = r#"schema = 1
gravity = [0, 0, -9.81]
input.brake = { unit = "N*m", default = 300 }
input.steer = { unit = "rad", default = 0.05 }

[body.fork]
type = "rigid"
mass = 300
inertia = [20, 30, 30]
position = [0, 0, 0.6]
velocity = [15, 0, 0]
rate = [0, 0, 0.05]
markers = { hub = [0, 0, -0.3] }
[body.wheel]
type = "rigid"
mass = 20
inertia = [0.6, 1.1, 0.6]
position = [0, 0, 0.3]
velocity = [15, 0, 0]
[joint.hub]
type = "revolute"
between = ["fork.hub", "wheel"]
axis = [0, 1, 0]
initial_rate = 48
[tyre.t]
type = "magic-formula"
radius = 0.31
load = 3000
stiffness = 2e5
damping = 300
longitudinal = { B = 12, C = 1.6, D = 1.05, E = 0.2, D_load = -0.06 }
lateral = { B = 9, C = 1.4, D = 1.0, E = -0.6, D_load = -0.08, stiffest_load = 2.2 }
relaxation = [0.15, 0.35]
slip_damping = 0.02
trail = 0.035
camber = 0.8
rolling_resistance = 0.012
[road.r]
height = "0.02*sin(x) + 0.01*y"
[force.tyre]
type = "tyre"
at = "wheel"
tyre = "t"
road = "r"
[force.brake]
type = "torsion"
joint = "hub"
torque = "brake*(0.5 - 0.5*tanh((-tyre.slip - 0.05)/0.02))*tanh(rate/0.6)"
[force.lift]
type = "force"
at = "fork"
force = ["steer*tyre.fy", "-20*v.y", "-4000*tyre.depth"]
[force.hold]
type = "torque"
at = "fork"
torque = ["-9e3*turn.x", "-9e3*turn.y - tyre.mz", "-900*turn.z"]
[sensor.turn]
type = "rate"
of = "fork"
[sensor.v]
type = "velocity"
of = "fork"
[sensor.tyre]
type = "tyre"
tyre = "tyre"
[analysis]
end = 1
sample = 0.01
"#;
    let fmu = Fmu::of_text(text);
    let s = Solved::new(&fmu);
    let t = s.drive(0.05, 500);
    let (off, where_) = s.worst(t);
    assert!(off < 1e-6, "{off:e} at {where_}");
}

/// Off the joints, by as much as a solver leaves, derivatives are off in proportion.
#[test]
fn a_state_beside_the_joints_has_almost_the_same() {
    let fmu = Fmu::of_file("slider_crank.toml");
    let s = Solved::new(&fmu);
    let t = s.drive(0.013, 400);
    let mut off_by = Vec::new();
    for size in [1e-4, 1e-6] {
        let mut x = s.states();
        let at = x.clone();
        for (k, x) in x.iter_mut().enumerate() {
            *x += size * (0.3 + k as f64).sin();
        }
        s.set(t, &x);
        off_by.push(s.worst(t).0);
        s.set(t, &at);
    }
    assert!(off_by[0] < 1e-2 && off_by[1] < 1e-4, "{off_by:?}");
}

/// What has no exact derivative is told by name, in the description and in the call.
#[test]
fn what_has_none_says_so() {
    for (file, why) in [
        ("four_bar_tripled.toml", "reaction that redundant joints share"),
        ("vehicle_bushing.toml", "is a bushing"),
    ] {
        let made = crate::support::export(file);
        let found = made.without_derivatives.clone().unwrap_or_default();
        assert!(found.contains(why), "{file}: {found}");
        let fmu = Fmu::of(made);
        let i = fmu.three(Use::ModelExchange);
        i.begin();
        let (known, unknown) = (fmu.states()[0], fmu.outputs()[0].0);
        let (seed, mut out) = (1.0, 7.0);
        let status = fmi3::fmi3GetDirectionalDerivative(
            i.i,
            &raw const unknown,
            1,
            &raw const known,
            1,
            &raw const seed,
            1,
            &raw mut out,
            1,
        );
        assert_eq!((status, out), (crate::support::ERROR, 7.0));
        let said = i.log.take();
        assert!(format!("{said:?}").contains(why), "{said:?}");
    }
    let text = |m: &str| {
        let b = crate::support::export(m);
        let archive = delassus_fmu::archive::Archive::open(&b.bytes, Default::default()).unwrap();
        String::from_utf8(archive.read("modelDescription.xml").unwrap()).unwrap()
    };
    assert!(text("slider_crank.toml").contains("providesDirectionalDerivatives=\"true\""));
    assert!(!text("vehicle_bushing.toml").contains("providesDirectionalDerivative"));
}
