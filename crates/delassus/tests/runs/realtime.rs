//! Steps in real time: what they compute is what the method computes; contacts, inputs and refusals do what is documented.

use crate::support;

use delassus::dae::Options;
use delassus::dae::integrator::OptionValue;
use delassus::math::max_difference;
use delassus::model::Assembled;
use delassus::sim::realtime::{RealTimeOptions, StepStatus, Stepper, forecast};
use delassus::sim::{RunOptions, Simulation};
use support::{assembled, load, parsed};

fn at_1_khz(m: &Assembled) -> RealTimeOptions {
    RealTimeOptions::of(&m.system, 1e-3)
}

fn stepper(m: &Assembled) -> Stepper {
    Stepper::prepare(m, &at_1_khz(m)).unwrap_or_else(|e| panic!("{}: {e}", m.system.model().title))
}

/// Steps with the inputs of the start; everything that was flagged.
fn steps(s: &mut Stepper, n: u64) -> StepStatus {
    let inputs: Vec<f64> = s.inputs().iter().map(|i| i.default).collect();
    let mut all = StepStatus::GOOD;
    for _ in 0..n {
        all |= s.step(&inputs);
    }
    all
}

fn value(s: &Stepper, name: &str) -> f64 {
    let k = s.outputs().iter().position(|o| o.name == name).unwrap();
    s.values()[k]
}

/// Planar and spatial, massless, redundant, with controllers, sensors in forces, bushings: the elimination of fixed cost
/// gives the numbers of the one that pivots.
#[test]
fn steps_are_those_of_the_method() {
    for file in [
        "four_bar.toml",
        "slider_crank.toml",
        "motor_pid.toml",
        "gear_train.toml",
        "vehicle_bushing.toml",
        "benchmarks/J1_vehicle_trailer.toml",
        "benchmarks/J2_vehicle.toml",
        "benchmarks/I3_spatial_slider_crank.toml",
        "benchmarks/B4_bricard.toml",
    ] {
        let m = load(file, &[]);
        let mut s = stepper(&m);
        let status = steps(&mut s, 300);
        let options = RunOptions {
            method: "lin-euler".to_owned(),
            step: Some(1e-3),
            options: Options::default(),
            ..RunOptions::from_model(m.system.model())
        };
        let mut sim = Simulation::new(&m, &options).unwrap();
        sim.advance_to(m.state.t + 0.2999).unwrap();
        let (a, b) = (s.state(), sim.state());
        assert!((a.t - b.t).abs() < 1e-9, "{file}: {} {}", a.t, b.t);
        let size = 1.0 + delassus::math::max_abs(&b.v);
        let q = max_difference(&a.q, &b.q);
        let v = max_difference(&a.v, &b.v) / size;
        println!("{file}: {q:.1e} {v:.1e} {status}");
        assert!(q < 1e-7 && v < 1e-6, "{file}: {q:.1e} {v:.1e}");
        assert!(!status.stopped(), "{file}: {status}");
    }
}

/// Through singular positions nothing stops, and nothing is iterated.
#[test]
fn singular_positions_are_passed() {
    let m = load("benchmarks/A1_slider_crank_case1.toml", &[]);
    let mut s = stepper(&m);
    let status = steps(&mut s, 3000);
    assert!(!status.stopped(), "{:?}", s.failure());
    assert!(s.most_position_drift() < 1e-4, "{:e}", s.most_position_drift());
}

/// The defect of the hitch stays where it is for as long as it runs (a million steps are in the benchmark).
#[test]
fn j1_keeps_its_hitch_closed() {
    let m = load("benchmarks/J1_vehicle_trailer.toml", &[]);
    let mut s = stepper(&m);
    assert_eq!(steps(&mut s, 4000), StepStatus::GOOD);
    let early = s.most_position_drift();
    assert_eq!(steps(&mut s, 16_000), StepStatus::GOOD);
    println!("J1: {early:.1e} {:.1e}", s.most_position_drift());
    assert!(s.most_position_drift() < 1e-9 && early > 0.0);
}

/// A car with rods, struts and tyres on a bump; more Newton steps onto the constraints keep more of them (a million steps are in
/// the benchmark).
#[test]
fn a_car_keeps_its_rods() {
    let m = load("vehicles/car_bump.toml", &[]);
    let drift = |projections: f64| {
        let mut options = at_1_khz(&m);
        options.options.set("projections", OptionValue::Number(projections));
        let mut s = Stepper::prepare(&m, &options).unwrap();
        assert_eq!(steps(&mut s, 900), StepStatus::GOOD);
        s.most_position_drift()
    };
    let found = [1.0, 3.0].map(drift);
    println!("car on a bump: {found:?}");
    assert!(found[0] > 1e-8 && found[1] < 2e-9, "{found:?}");
}

/// A chain of links on springs between a wall and a wall: its vibrations are known.
fn row_of_masses(n: usize) -> Assembled {
    let text = format!(
        "schema = 1\n[parameters]\nN = {n}\n\
        [body.'m{{i}}']\nrepeat = 'i = 1..N'\ntype = 'planar'\nmass = 2\ninertia = 1\nposition = ['i', 0]\n\
        [joint.'guide{{i}}']\nrepeat = 'i = 1..N'\ntype = 'prismatic'\nbetween = ['ground', 'm{{i}}']\naxis = [1, 0]\n\
        [force.'k{{i}}']\nrepeat = 'i = 2..N'\ntype = 'spring'\nbetween = ['m{{i-1}}', 'm{{i}}']\nstiffness = 1800\ndamping = 0.6\nlength = 1\n\
        [force.first]\ntype = 'spring'\nbetween = ['ground', 'm1']\nstiffness = 1800\ndamping = 0.6\nlength = 1\n\
        [method]\nname = 'lin-euler'\njacobian = 'j3'\n"
    );
    assembled(&parsed(&text), &[])
}

/// The fastest mode of a model that is too large for full matrices: ω = 2 sqrt(k/m) sin(π (2N − 1)/(4N + 2)), and the same as
/// full matrices find where both can be asked.
#[test]
fn large_models_are_judged_by_their_fastest_mode() {
    for n in [120usize, 250] {
        let m = row_of_masses(n);
        let step = 1e-3;
        let f = forecast(&m, &RealTimeOptions::of(&m.system, step)).unwrap();
        let mode = f.stability.mode.as_ref();
        let mode = mode.unwrap_or_else(|| panic!("{n}: {:?}", f.stability));
        let last = std::f64::consts::PI * (2 * n - 1) as f64 / (4 * n + 2) as f64;
        let omega = 2.0 * (1800.0_f64 / 2.0).sqrt() * last.sin();
        let found = mode.frequency_hz * std::f64::consts::TAU;
        println!("{n}: {found} {omega} {:?}", f.stability.largest_step);
        assert!((found / omega - 1.0).abs() < 1e-3, "{n}: {found} {omega}");
        // damping of k c/k: b = ω² c/k
        let b = omega * omega * 0.6 / 1800.0;
        let limit = (4.0 / (b + (b * b + 4.0 * omega * omega).sqrt())).min(2.0 / b);
        let most = f.stability.largest_step.unwrap();
        assert!((most / limit - 1.0).abs() < 2e-3, "{n}: {most} {limit}");
        let refused = Stepper::prepare(&m, &RealTimeOptions::of(&m.system, 1.02 * limit));
        assert_eq!(refused.err().unwrap().code(), "E_STEP_UNSTABLE");
        assert!(Stepper::prepare(&m, &RealTimeOptions::of(&m.system, 0.98 * limit)).is_ok());
    }
}

#[test]
fn saved_steps_continue_with_the_same_bits() {
    for (file, n) in [("motor_pid.toml", 300), ("stack_of_boxes.toml", 20)] {
        let m = load(file, &[]);
        let mut s = stepper(&m);
        steps(&mut s, n);
        let saved = s.save();
        steps(&mut s, n);
        let (state, values) = (s.state().clone(), s.values().to_vec());
        s.restore(&saved).unwrap();
        steps(&mut s, n);
        assert_eq!((&state, &values[..]), (s.state(), s.values()), "{file}");
        let mut other = stepper(&m);
        other.restore(&saved).unwrap();
        steps(&mut other, n);
        assert_eq!((&state, &values[..]), (other.state(), other.values()), "{file}");
    }
}

const PUSHED: &str = "schema = 1\n\
    [input.push]\nunit = 'N'\ndefault = '1 N'\nmin = -40\nmax = '40 N'\n\
    [body.m]\ntype = 'planar-point'\nmass = 2\n\
    [force.f]\ntype = 'force'\nat = 'm'\nforce = ['push', 0]\n\
    [sensor.v]\ntype = 'velocity'\nof = 'm'\ncomponent = 'x'\n";

#[test]
fn bad_inputs_are_held_then_stop_the_run() {
    let m = assembled(&parsed(PUSHED), &[]);
    let mut s = stepper(&m);
    let per_step = 1e-3 / 2.0;
    assert_eq!(s.step(&[10.0]), StepStatus::GOOD);
    assert_eq!(s.step(&[f64::NAN]), StepStatus::INPUT_HELD);
    assert_eq!(s.step(&[]), StepStatus::INPUT_HELD);
    assert!((value(&s, "v") - 30.0 * per_step).abs() < 1e-15);
    assert_eq!(s.step(&[1e3]), StepStatus::INPUT_LIMITED);
    assert!((value(&s, "v") - 70.0 * per_step).abs() < 1e-15);
    let hold = at_1_khz(&m).hold;
    for _ in 0..hold {
        assert_eq!(s.step(&[f64::INFINITY]), StepStatus::INPUT_HELD);
    }
    let (t, v) = (s.time(), value(&s, "v"));
    let lost = s.step(&[f64::NAN]);
    assert!(lost.stopped() && lost.contains(StepStatus::INPUT_LOST), "{lost}");
    assert!(s.step(&[1.0]).stopped());
    assert_eq!((s.time(), value(&s, "v")), (t, v), "the last good state is kept");
}

/// A force that is no number stops the run with the last good state.
#[test]
fn a_step_without_a_result_keeps_the_last_good_state() {
    let text = PUSHED.replace("'push', 0", "'push + 0*sqrt(0.0105 - t)', 0");
    let m = assembled(&parsed(&text), &[]);
    let mut s = stepper(&m);
    let status = steps(&mut s, 20);
    assert!(status.contains(StepStatus::STOPPED), "{status}");
    assert!(s.state().v.iter().all(|v| v.is_finite()));
    assert!((s.time() - 0.011).abs() < 1e-12, "{}", s.time());
    assert!(s.failure().is_some());
}

fn ball(height: f64, e: f64) -> Assembled {
    let text = format!(
        "schema = 1\ngravity = [0, -10]\n\
        [body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.004\nposition = [0, {}]\n\
        [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
        [shape.ball]\ntype = 'circle'\nbody = 'b'\nradius = 0.1\n\
        [contact.c]\nbetween = ['ball', 'floor']\nrestitution = {e}\n\
        [sensor.y]\ntype = 'position'\nof = 'b'\ncomponent = 'y'\n",
        height + 0.1
    );
    assembled(&parsed(&text), &[])
}

/// Falls 0.2 m in 0.2 s with 2 m/s, rebounds with e and rises e² 0.2 m; to first order in the step.
#[test]
fn a_ball_rebounds() {
    for e in [0.0, 0.5, 0.8] {
        let mut s = stepper(&ball(0.2, e));
        let mut top: f64 = 0.0;
        for k in 0..2000 {
            assert_eq!(steps(&mut s, 1), StepStatus::GOOD);
            assert!(value(&s, "y") > 0.1 - 5e-5, "e = {e}: {}", value(&s, "y"));
            let after_first = (200.0..200.0 + 400.0 * e).contains(&f64::from(k));
            top = top.max(if after_first { value(&s, "y") - 0.1 } else { 0.0 });
        }
        assert!((top - 0.2 * e * e).abs() < 8e-3, "e = {e}: {top}");
        let rest = value(&s, "y") - 0.1;
        assert!(e > 0.6 || rest.abs() < 1e-4, "e = {e}: {rest:e}");
    }
}

/// A box on a slope of 30 degrees: it sticks with μ = 0.7 and slides with g (sin − μ cos) with μ = 0.3.
#[test]
fn a_box_sticks_and_slides() {
    let slope = |mu: f64| {
        let text = format!(
            "schema = 1\ngravity = [0, -10]\n\
            [body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.01\nposition = ['0.1*sin(-30 deg)*-1*-1', '0.1*cos(30 deg)']\nangle = '-30 deg'\n\
            [ground.markers]\nslope = {{ position = [0, 0], angle = '-30 deg' }}\n\
            [shape.floor]\ntype = 'half-plane'\nbody = 'ground.slope'\n\
            [shape.box]\ntype = 'profile'\nbody = 'b'\npoints = [[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]]\n\
            [contact.c]\nbetween = ['box', 'floor']\nfriction = {mu}\n\
            [sensor.v]\ntype = 'velocity'\nof = 'b'\ncomponent = 'norm'\n",
        );
        let text = text.replace("'0.1*sin(-30 deg)*-1*-1'", "'0.1*sin(30 deg)'");
        assembled(&parsed(&text), &[])
    };
    let mut s = stepper(&slope(0.7));
    assert!(!steps(&mut s, 1000).stopped());
    assert!(value(&s, "v") < 1e-6, "{:e}", value(&s, "v"));
    let mut s = stepper(&slope(0.3));
    assert!(!steps(&mut s, 1000).stopped());
    let expected = 10.0 * (0.5 - 0.3 * 0.75f64.sqrt());
    assert!((value(&s, "v") / expected - 1.0).abs() < 1e-2, "{} {expected}", value(&s, "v"));
}

/// Ten boxes in a stack touch at forty points: with room for all they stand; with half of it the same ones are left out every
/// time, and it is told.
#[test]
fn more_points_than_there_is_room_for_are_told() {
    let m = load("stack_of_boxes.toml", &[("N", "3")]);
    let run = |contacts: usize, sweeps: u32| {
        let options = RealTimeOptions { contacts, sweeps, ..at_1_khz(&m) };
        let mut s = Stepper::prepare(&m, &options).unwrap();
        let status = steps(&mut s, 100);
        (status, s.state().clone(), s.counters())
    };
    let (status, _, _) = run(24, 60);
    assert!(!status.contains(StepStatus::DEGRADED), "{status}");
    let (status, a, counted) = run(2, 60);
    assert!(status.contains(StepStatus::DEGRADED), "{status}");
    assert_eq!(counted.flagged[0], counted.steps, "in every step");
    assert_eq!(run(2, 60).1, a, "the choice is always the same");
    let (status, ..) = run(24, 1);
    assert!(status.contains(StepStatus::CONTACT_RESIDUAL), "{status}");
}

/// Compliant contact: a body at rest on a soft floor sinks in by its weight over the stiffness.
#[test]
fn a_soft_floor_carries() {
    let text = "schema = 1\ngravity = [0, -10]\n\
        [body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.004\nposition = [0, 0.1]\n\
        [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
        [shape.ball]\ntype = 'circle'\nbody = 'b'\nradius = 0.1\n\
        [contact.c]\nbetween = ['ball', 'floor']\nlaw = 'kelvin-voigt'\nstiffness = '1e5 N/m'\ndamping = '300 N*s/m'\n\
        [sensor.y]\ntype = 'position'\nof = 'b'\ncomponent = 'y'\n";
    let mut s = stepper(&assembled(&parsed(text), &[]));
    assert_eq!(steps(&mut s, 1000), StepStatus::GOOD);
    let depth = 0.1 - value(&s, "y");
    assert!((depth - 1e-4).abs() < 1e-8, "{depth:e}");
}

const OSCILLATOR: &str = "schema = 1\n\
    [body.m]\ntype = 'planar-point'\nmass = 1\nposition = [1, 0]\n\
    [joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'm']\naxis = [1, 0]\n\
    [sensor.x]\ntype = 'position'\nof = 'm'\ncomponent = 'x'\n\
    [force.f]\ntype = 'force'\nat = 'm'\nforce = ['-4e4*x', 0]\n\
    [method]\nname = 'lin-euler'\njacobian = 'j3'\n";

/// 200 rad/s without K: stable up to 2/200 s. What is refused is unstable, what is accepted is not.
#[test]
fn an_unstable_step_is_refused_with_its_mode() {
    let m = assembled(&parsed(OSCILLATOR), &[]);
    let prepare = |step: f64| Stepper::prepare(&m, &RealTimeOptions::of(&m.system, step));
    let refused = prepare(0.0101).err().unwrap();
    assert_eq!(refused.code(), "E_STEP_UNSTABLE");
    let text = refused.to_string();
    println!("{text}");
    for part in ["31.8 Hz", "\"m\"", "largest stable step is 0.0", "j3"] {
        assert!(text.contains(part), "{text}");
    }
    let mut s = prepare(0.0099).unwrap();
    assert!(!steps(&mut s, 2000).stopped());
    assert!(value(&s, "x").abs() < 20.0);
    // the whole matrix takes any step
    let mut options = RealTimeOptions::of(&m.system, 0.1);
    options.options.set("jacobian", OptionValue::Word("exact".to_owned()));
    assert!(Stepper::prepare(&m, &options).is_ok());
}

#[test]
fn a_forecast_tells_what_a_step_needs() {
    let m = load("benchmarks/J2_vehicle.toml", &[]);
    let f = forecast(&m, &at_1_khz(&m)).unwrap();
    assert!(f.operations > 1000 && f.bytes > 1000, "{f:?}");
    assert!(f.parts.iter().map(|(_, n)| n).sum::<u64>() == f.operations);
    let mode = f.stability.mode.as_ref().unwrap();
    assert!((mode.frequency_hz - 11.98).abs() < 0.5, "{mode:?}");
    assert!(f.dearest.iter().any(|d| d.element.contains("chassis")), "{:?}", f.dearest);
    let trial = f.trial.unwrap();
    assert!(trial.steps > 0 && trial.worst_us >= trial.median_us, "{trial:?}");
}

#[test]
fn what_has_no_fixed_cost_is_refused_by_name() {
    let m = load("four_bar.toml", &[]);
    for step in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
        let e = Stepper::prepare(&m, &RealTimeOptions::of(&m.system, step)).err().unwrap();
        assert_eq!(e.code(), "E_TIME_SPEC", "{step}");
    }
    let m = load("stack_of_boxes.toml", &[]);
    let none = RealTimeOptions { contacts: 0, ..at_1_khz(&m) };
    assert_eq!(Stepper::prepare(&m, &none).err().unwrap().code(), "E_TIME_SPEC");
}
