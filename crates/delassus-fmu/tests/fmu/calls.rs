//! Calls that are wrong are refused with a text, and change nothing (R45).

use crate::support::{DISCARD, ERROR, Fmu, OK, Three, Use};
use delassus_fmu::abi::{fmi2, fmi3};
use std::ptr::{null, null_mut};
use std::thread;

/// The refusal that was told, which has one of the documented codes.
fn told(i: &Three, part: &str) {
    let log = i.log.take();
    let [(_, text)] = &log[..] else { panic!("{log:?}") };
    assert!(text.starts_with("E_"), "{text}");
    assert!(text.contains(part), "{text}");
}

#[test]
fn rel_r45_order_of_calls() {
    let fmu = Fmu::of_file("pendulum.toml");
    let out = fmu.outputs()[0].0;
    let i = fmu.co_simulation();
    assert_eq!(i.step(0.0, 0.1).0, ERROR);
    told(&i, "between steps");
    assert_eq!(i.leave(), ERROR);
    told(&i, "during the initialisation");
    assert_eq!(i.try_get(out), ERROR);
    told(&i, "from the initialisation on");
    assert_eq!(fmi3::fmi3Terminate(i.i), ERROR);
    told(&i, "fmi3Terminate");
    i.begin();
    assert_eq!(i.enter(0.0), ERROR);
    told(&i, "before the initialisation");
    assert_eq!(fmi3::fmi3SetTime(i.i, 1.0), ERROR);
    told(&i, "belongs to model exchange");
    assert_eq!(fmi3::fmi3EnterStepMode(i.i), ERROR);
    told(&i, "event mode");
    assert_eq!(i.step(0.0, 0.1).0, OK);
    assert_eq!(fmi3::fmi3Terminate(i.i), OK);
    let before = i.get(&[out]);
    assert_eq!(i.step(0.1, 0.1).0, ERROR);
    told(&i, "after terminate");
    assert_eq!(i.get(&[out]), before);
    // and again from the start
    assert_eq!(fmi3::fmi3Reset(i.i), OK);
    i.begin();
    assert_eq!(i.step(0.0, 0.1).0, OK);
    assert_eq!(i.get(&[out]), before);
    assert!(i.log.take().is_empty());
}

#[test]
fn rel_r45_values() {
    let fmu = Fmu::of_file("arm_by_torque.toml");
    let [torque, length, angle, derived] = ["torque", "L", "angle", "J"].map(|n| fmu.vr(n));
    let i = fmu.co_simulation();
    assert_eq!(i.set(length, f64::NAN), ERROR);
    told(&i, "not finite");
    assert_eq!(i.set(derived, 1.0), ERROR);
    told(&i, "cannot be set");
    assert_eq!(i.set(9999, 1.0), ERROR);
    told(&i, "no variable 9999");
    i.begin();
    let start = i.get(&[angle, torque]);
    for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
        assert_eq!(i.set(torque, bad), ERROR);
        told(&i, "not finite");
    }
    assert_eq!(i.set(torque, 50.5), ERROR);
    told(&i, "between -50 and 50");
    assert_eq!(i.set(length, 0.6), ERROR);
    told(&i, "until the end of the initialisation");
    assert_eq!(i.set(angle, 0.6), ERROR);
    told(&i, "cannot be set");
    for (from, h) in [
        (0.0, 0.0),
        (0.0, -0.1),
        (0.0, f64::NAN),
        (0.0, f64::INFINITY),
        (0.5, 0.1),
        (f64::NAN, 0.1),
        (0.0, 1e300),
    ] {
        assert_eq!(i.step(from, h), (ERROR, false, 0.0), "{from} {h}");
        told(&i, "fmi3DoStep");
    }
    assert_eq!(i.get(&[angle, torque]), start);
    // the values of one call are set all or none
    let (vr, values) = ([torque, torque], [3.0, f64::NAN]);
    assert_eq!(fmi3::fmi3SetFloat64(i.i, vr.as_ptr(), 2, values.as_ptr(), 2), ERROR);
    told(&i, "not finite");
    assert_eq!(i.get(&[torque]), [0.0]);
    assert_eq!(fmi3::fmi3SetFloat64(i.i, vr.as_ptr(), 2, values.as_ptr(), 1), ERROR);
    told(&i, "1 values for 2 variables");
    assert_eq!(fmi3::fmi3SetFloat64(i.i, null(), 2, values.as_ptr(), 2), ERROR);
    told(&i, "null");
    assert_eq!(fmi3::fmi3SetFloat64(i.i, null(), 0, null(), 0), OK);
    assert_eq!(i.set(torque, 3.0), OK);
    assert_eq!(i.step(0.0, 0.1).0, OK);
    assert!(i.get(&[angle])[0] > start[0]);
}

#[test]
fn rel_r45_what_is_not_offered() {
    let fmu = Fmu::of_file("pendulum.toml");
    let i = fmu.co_simulation();
    i.begin();
    let (vr, mut out) = ([1_u32], [0_u8; 64]);
    let p = out.as_mut_ptr().cast();
    assert_eq!(fmi3::fmi3GetInt32(i.i, vr.as_ptr(), 1, p, 1), ERROR);
    told(&i, "fmi3GetInt32");
    assert_eq!(fmi3::fmi3GetInt32(i.i, null(), 0, null_mut(), 0), OK);
    assert_eq!(fmi3::fmi3GetClock(i.i, vr.as_ptr(), 1, p), ERROR);
    told(&i, "fmi3GetClock");
    let seed = [1.0];
    let mut d = [0.0];
    let (s, o) = (seed.as_ptr(), d.as_mut_ptr());
    let status =
        fmi3::fmi3GetDirectionalDerivative(i.i, vr.as_ptr(), 1, vr.as_ptr(), 1, s, 1, o, 1);
    assert_eq!(status, ERROR);
    told(&i, "fmi3GetDirectionalDerivative");
    assert_eq!(fmi3::fmi3EnterConfigurationMode(i.i), ERROR);
    told(&i, "fmi3EnterConfigurationMode");
    assert_eq!(fmi3::fmi3FreeFMUState(i.i, null_mut()), ERROR);
    told(&i, "null");
    assert_eq!(fmi3::fmi3SetFMUState(i.i, null_mut()), ERROR);
    told(&i, "null");
    // an instance that does not exist
    assert_eq!(fmi3::fmi3Terminate(null_mut()), ERROR);
    fmi3::fmi3FreeInstance(null_mut());
    let two = fmu.two(1);
    two.begin();
    let mut reached = f64::NAN;
    assert_eq!(fmi2::fmi2DoStep(two.i, 0.0, 0.1, 1), OK);
    assert_eq!(fmi2::fmi2GetRealStatus(two.i, 2, &raw mut reached), OK);
    assert_eq!(reached, 0.1);
    assert_eq!(fmi2::fmi2GetRealStatus(two.i, 7, &raw mut reached), DISCARD);
    assert_eq!(fmi2::fmi2CancelStep(two.i), ERROR);
}

#[test]
fn rel_r45_instances_that_cannot_be_created() {
    let fmu = Fmu::of_file("bouncing_ball.toml");
    let resources = fmu.opened.resources().to_str().unwrap().to_owned();
    let token = fmu.opened.manifest.token.clone();
    let solver = fmu.three(Use::ModelExchange);
    assert!(solver.i.is_null());
    told(&solver, "does not offer model exchange");
    let what = Use::CoSimulation { early: false };
    for (token, resources, part) in [
        ("{other}", resources.as_str(), "token"),
        (&token, "/nowhere", "cannot read"),
        (&token, "", "missing"),
    ] {
        let i = Three::new(what, token, resources);
        assert!(i.i.is_null());
        told(&i, part);
    }
    for uri in ["http://host/resources", "file://host/resources", "resources", ""] {
        let two = crate::support::Two::new(1, &token, uri);
        assert!(two.i.is_null());
        assert!(two.log.take()[0].1.contains("E_FMU_VALUE"), "{uri}");
    }
    assert!(crate::support::Two::new(5, &token, "file:///").i.is_null());
}

/// A step that cannot be made is undone: the instance is where it was, and can go on another way.
#[test]
fn rel_r45_a_failed_step_is_undone() {
    // a force that is no number beyond x = 2, unless the input keeps the mass away from there
    let text = "schema = 1\n\
        [input.brake]\nunit = 'N'\n\
        [body.m]\ntype = 'planar-point'\nmass = 1\nvelocity = [1, 0]\n\
        [force.f]\ntype = 'force'\nat = 'm'\nforce = ['0.1*sqrt(2 - x) - brake', 0]\n\
        [sensor.x]\ntype = 'position'\nof = 'm'\ncomponent = 'x'\n\
        [analysis]\nend = 1\nsample = 0.1\n";
    let fmu = Fmu::of_text(text);
    let [x, brake] = ["x", "brake"].map(|n| fmu.vr(n));
    let (i, twin) = (fmu.co_simulation(), fmu.co_simulation());
    i.begin();
    twin.begin();
    assert_eq!(i.step(0.0, 1.0).0, OK);
    assert_eq!(twin.step(0.0, 1.0).0, OK);
    let before = i.get(&[x]);
    let (status, early, last) = i.step(1.0, 10.0);
    assert_eq!((status, early, last), (DISCARD, false, 1.0), "{:?}", i.log.take());
    told(&i, "E_");
    assert_eq!(i.get(&[x]), before);
    for i in [&i, &twin] {
        assert_eq!(i.set(brake, 10.0), OK);
        assert_eq!(i.step(1.0, 0.5).0, OK, "{:?}", i.log.take());
    }
    assert_eq!(i.get(&[x])[0].to_bits(), twin.get(&[x])[0].to_bits());
}

#[test]
fn parameters_change_the_model() {
    let fmu = Fmu::of_file("arm_by_torque.toml");
    let [length, derived, angle, torque] = ["L", "J", "angle", "torque"].map(|n| fmu.vr(n));
    let i = fmu.co_simulation();
    assert_eq!(i.get(&[length]), [0.5]);
    assert_eq!(i.set(length, 0.7), OK);
    assert_eq!(i.set(torque, 5.0), OK);
    i.begin();
    assert_eq!(i.get(&[length, derived]), [0.7, 2.0 * 0.7 * 0.7 / 12.0]);
    assert_eq!(i.step(0.0, 0.5).0, OK);
    // what `delassus run --set L="700 mm" --input torque=5` computes at the same times
    let mut spec = crate::support::loaded("arm_by_torque.toml").spec;
    spec.input.0[0].1.default = Some(5.0.into());
    let set = [("L".to_owned(), "700 mm".to_owned())];
    let model = delassus::model::compile_with(&spec, &set).unwrap();
    let model = delassus::model::System::new(model).and_then(delassus::model::assemble).unwrap();
    let mut options = delassus::sim::RunOptions::from_model(model.system.model());
    options.on_request = true;
    let mut sim = delassus::sim::Simulation::new(&model, &options).unwrap();
    sim.sample_exactly(0.5).unwrap();
    let expected = sim.results().get("angle").unwrap()[0];
    assert_eq!(i.get(&[angle])[0].to_bits(), expected.to_bits());
    // a length that cannot be
    let bad = fmu.co_simulation();
    assert_eq!(bad.set(fmu.vr("m0"), -2.0), OK);
    assert_eq!(bad.enter(0.0), ERROR);
    told(&bad, "body.arm.mass");
    assert_eq!(bad.set(fmu.vr("m0"), 3.0), OK);
    bad.begin();
}

#[test]
fn another_start_time() {
    let fmu = Fmu::of_file("motor_pid.toml");
    let i = fmu.co_simulation();
    assert_eq!(i.enter(f64::NAN), ERROR);
    told(&i, "no usable time");
    assert_eq!(i.enter(5.0), OK);
    assert_eq!(i.leave(), OK);
    assert_eq!(i.get(&[0]), [5.0]);
    assert_eq!(i.step(5.0, 0.1).0, OK);
    assert_eq!(i.get(&[0]), [5.1]);
}

#[test]
fn rel_r45_hundred_instances_and_two_threads() {
    let fmu = Fmu::of_file("pendulum.toml");
    let vr: Vec<u32> = fmu.outputs().iter().map(|(vr, _)| *vr).collect();
    let all: Vec<Three> = (0..100).map(|_| fmu.co_simulation()).collect();
    for i in &all {
        i.begin();
    }
    let run = |i: &Three, n: usize| {
        for k in 0..n {
            assert_eq!(i.step(k as f64 * 0.01, 0.01).0, OK);
        }
        i.get(&vr).iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let ends: Vec<_> = all.iter().map(|i| run(i, 3)).collect();
    assert!(ends.iter().all(|e| *e == ends[0]));
    let (one, two) = (fmu.co_simulation(), fmu.co_simulation());
    one.begin();
    two.begin();
    let run = &run;
    let (a, b) = thread::scope(|s| {
        let a = s.spawn(move || run(&one, 200));
        let b = s.spawn(move || run(&two, 200));
        (a.join().unwrap(), b.join().unwrap())
    });
    assert_eq!(a, b);
}

/// A run knows its states between samples only; a number that is none would be worse than none.
#[test]
fn states_are_refused_in_co_simulation() {
    let fmu = Fmu::of_file("pendulum.toml");
    let i = fmu.co_simulation();
    i.begin();
    for vr in fmu.states() {
        assert_eq!(i.try_get(vr), ERROR);
    }
    let said = format!("{:?}", i.log.take());
    assert!(said.contains("E_FMU_KIND") && said.contains("model exchange only"), "{said}");
    assert_eq!(i.step(0.0, 0.01).0, OK);
}
