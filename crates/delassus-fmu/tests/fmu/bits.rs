//! Co-simulation gives the bits of a run (R41), in both versions of the standard.

use crate::support::{Fmu, OK, Use, loaded, model_path};
use delassus::sim::{Results, RunOptions, Simulation};
use delassus_fmu::abi::fmi2;

/// What `delassus run` computes, for at most so many samples.
fn run(file: &str, samples: usize) -> Results {
    let model = delassus::load(model_path(file)).unwrap();
    let mut options = RunOptions::from_model(model.system.model());
    let start = model.state.t;
    let end = start + samples as f64 * options.sample;
    if end < options.t_end {
        options.t_end = end;
    }
    delassus::simulate_with(&model, &options).unwrap().results
}

/// Pendulum, slider-crank, controller, impacts that accumulate, car: and a controller over tables of time.
const MODELS: [(&str, usize); 5] = [
    ("pendulum.toml", 60),
    ("slider_crank.toml", 60),
    ("motor_pid.toml", 150),
    ("bouncing_ball.toml", 500),
    ("benchmarks/J2_vehicle.toml", 80),
];

fn same(fmu: &Fmu, values: &[f64], run: &Results, row: usize, what: &str) {
    for ((_, column), x) in fmu.outputs().iter().zip(values) {
        let (expected, name) = (run.data[*column][row], &run.channels[*column].name);
        assert_eq!(x.to_bits(), expected.to_bits(), "{what}: {name} at row {row}: {x} {expected}");
    }
}

#[test]
fn rel_r41_steps_give_the_bits_of_a_run() {
    for (file, samples) in MODELS {
        let run = run(file, samples);
        let fmu = Fmu::of_file(file);
        let vr: Vec<u32> = fmu.outputs().iter().map(|(vr, _)| *vr).collect();
        let sensors = run.channels.iter().filter(|c| c.sensor).count();
        assert!(vr.len() >= sensors, "{file}");
        let (three, two) = (fmu.co_simulation(), fmu.two(1));
        three.begin();
        two.begin();
        same(&fmu, &three.get(&vr), &run, 0, file);
        let h = run.t[1] - run.t[0];
        let mut t = 0.0;
        for row in 1..run.t.len() {
            // as hosts count: multiples of the step, with their rounding
            let next = row as f64 * h;
            assert_eq!(three.step(t, next - t).0, OK, "{:?}", three.log.take());
            assert_eq!(fmi2::fmi2DoStep(two.i, t, next - t, 1), OK, "{:?}", two.log.take());
            t = next;
            same(&fmu, &three.get(&vr), &run, row, file);
            same(&fmu, &two.get(&vr), &run, row, file);
        }
    }
}

/// Steps beyond the end of the model's own run, and of any length, do not change the motion.
#[test]
fn steps_know_no_end() {
    let fmu = Fmu::of_file("pendulum.toml");
    let vr: Vec<u32> = fmu.outputs().iter().map(|(vr, _)| *vr).collect();
    let (one, many) = (fmu.co_simulation(), fmu.co_simulation());
    one.begin();
    many.begin();
    assert_eq!(one.step(0.0, 100.0).0, OK);
    let mut t = 0.0;
    while t < 100.0 {
        let h = 0.37_f64.min(100.0 - t);
        assert_eq!(many.step(t, h).0, OK);
        t = many.get(&[0])[0];
    }
    let (a, b) = (one.get(&vr), many.get(&vr));
    assert_eq!(
        a.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
        b.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    );
}

/// A controller in the host, in every step: the same bits as the same loop around a run in Rust.
#[test]
fn closed_loop_through_inputs() {
    let fmu = Fmu::of_file("arm_by_torque.toml");
    let [angle, speed, torque] = ["angle", "speed", "torque"].map(|n| fmu.vr(n));
    let model = delassus::assemble(&loaded("arm_by_torque.toml").spec).unwrap();
    let mut options = RunOptions::from_model(model.system.model());
    options.on_request = true;
    let mut sim = Simulation::new(&model, &options).unwrap();
    let instance = fmu.co_simulation();
    instance.begin();
    let mut integral = 0.0;
    let pid = |angle: f64, speed: f64, integral: &mut f64| {
        let error = 60_f64.to_radians() - angle;
        *integral += error * 0.01;
        (40.0 * error + 60.0 * *integral - 6.0 * speed).clamp(-50.0, 50.0)
    };
    for k in 0..300 {
        let seen = instance.get(&[angle, speed]);
        let u = pid(seen[0], seen[1], &mut integral);
        assert_eq!(instance.set(torque, u), OK);
        sim.set_input("torque", u).unwrap();
        let (t, next) = (k as f64 / 100.0, (k + 1) as f64 / 100.0);
        assert_eq!(instance.step(t, 0.01).0, OK, "{:?}", instance.log.take());
        sim.sample_exactly(next).unwrap();
        let (here, there) = (instance.get(&[angle])[0], sim.results().get("angle").unwrap()[0]);
        assert_eq!(here.to_bits(), there.to_bits(), "step {k}");
    }
    assert!(
        (instance.get(&[angle])[0] - 60_f64.to_radians()).abs() < 0.05,
        "{:?}",
        instance.get(&[angle])
    );
}

/// With early return, steps end at impacts, and the motion is the same.
#[test]
fn early_return_at_events() {
    let fmu = Fmu::of_file("bouncing_ball.toml");
    let [height, speed] = ["height", "speed"].map(|n| fmu.vr(n));
    let (early, late) = (
        fmu.three(Use::CoSimulation { early: true }),
        fmu.three(Use::CoSimulation { early: false }),
    );
    early.begin();
    late.begin();
    let mut events = Vec::new();
    let mut t = 0.0;
    for k in 0..100 {
        let (from, next) = (k as f64 * 0.02, (k + 1) as f64 * 0.02);
        while t < next - 1e-12 {
            let (status, ended, reached) = early.step(t, next - t);
            assert_eq!(status, OK, "{:?}", early.log.take());
            assert!(reached > t && reached <= next + 1e-12);
            if ended {
                events.push(reached);
                let [h, v] = early.get(&[height, speed])[..] else { panic!() };
                assert!((h - 0.1).abs() < 1e-9 && v > 0.0, "{h} {v}: after the impact");
            }
            t = reached;
        }
        assert_eq!(late.step(from, next - from), (OK, false, late.get(&[0])[0]));
        let (a, b) = (early.get(&[height, speed]), late.get(&[height, speed]));
        assert_eq!([a[0].to_bits(), a[1].to_bits()], [b[0].to_bits(), b[1].to_bits()], "at {next}");
    }
    // from 1 m: sqrt(2/g), then twice the time up, with 0.8 of the speed each
    let first = (2.0_f64 / 9.81).sqrt();
    assert!((events[0] - first).abs() < 1e-9, "{events:?}");
    assert!((events[1] - first * (1.0 + 2.0 * 0.8)).abs() < 1e-9, "{events:?}");
    assert!(events.len() >= 2);
}

/// An input that is set where a step was ended by an impact acts from there.
#[test]
fn inputs_at_an_early_return() {
    let text = "schema = 1\ngravity = [0, -10]\n\
        [input.lift]\nunit = 'N'\n\
        [body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.1\nposition = [0, 1.1]\n\
        [force.f]\ntype = 'force'\nat = 'b'\nforce = [0, 'lift']\n\
        [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
        [shape.ball]\ntype = 'circle'\nbody = 'b'\nradius = 0.1\n\
        [contact.c]\nbetween = ['ball', 'floor']\nrestitution = 1\n\
        [sensor.y]\ntype = 'position'\nof = 'b'\ncomponent = 'y'\n\
        [analysis]\nend = 1\nsample = 0.1\n";
    let fmu = Fmu::of_text(text);
    let instance = fmu.three(Use::CoSimulation { early: true });
    instance.begin();
    let (status, early, t) = instance.step(0.0, 1.0);
    let fall = 0.2_f64.sqrt();
    assert!(status == OK && early && (t - fall).abs() < 1e-9, "{status} {early} {t}");
    // weightless from the impact on: it rises with constant speed
    assert_eq!(instance.set(fmu.vr("lift"), 10.0), OK);
    let (status, early, end) = instance.step(t, 1.0 - t);
    assert!(status == OK && !early, "{:?}", instance.log.take());
    let expected = 0.1 + 10.0 * fall * (end - t);
    let y = instance.get(&[fmu.vr("y")])[0];
    assert!((y - expected).abs() < 1e-8, "{y} {expected}");
}
