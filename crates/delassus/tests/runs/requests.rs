//! Samples that are requested one by one are those of a run, bit for bit, also after a pause.

use crate::support;

use delassus::model::Assembled;
use delassus::model::spec::SchemeType;
use delassus::sim::{RunOptions, Simulation};
use support::load;

fn same(values: &Simulation, run: &delassus::sim::Results, row: usize, what: &str) {
    let one = values.results();
    assert_eq!(one.t.len(), 1, "{what}");
    assert_eq!(one.t[0].to_bits(), run.t[row].to_bits(), "{what}");
    // impulses of time-stepping are not remembered
    let by_steps = values.options().scheme == SchemeType::TimeStepping;
    let all = run.channels.iter().enumerate();
    for (k, channel) in all.filter(|(_, c)| c.sensor || c.name.contains("energy") || !by_steps) {
        let (found, expected) = (one.data[k][0], run.data[k][row]);
        assert_eq!(found.to_bits(), expected.to_bits(), "{what}, row {row}, {}", channel.name);
    }
}

fn check(model: &Assembled, change: &dyn Fn(&mut RunOptions), what: &str) {
    let mut options = RunOptions::from_model(model.system.model());
    change(&mut options);
    let run = delassus::simulate_with(model, &options).unwrap().results;
    options.on_request = true;
    let mut sim = Simulation::new(model, &options).unwrap();
    same(&sim, &run, 0, what);
    let mut paused = 0;
    for row in 1..run.t.len() {
        sim.sample(run.t[row]).unwrap();
        same(&sim, &run, row, what);
        if row % 7 == 3 && sim.can_pause() {
            let saved = sim.save();
            sim = Simulation::restored(model, &options, &saved).unwrap();
            paused += 1;
            // the last step is still there to look into
            sim.sample_back_at(run.t[row]).unwrap();
            same(&sim, &run, row, what);
        }
    }
    assert!(paused > 0, "{what}");
}

#[test]
fn samples_on_request_are_those_of_a_run() {
    for (file, t_end, sample) in [
        ("pendulum.toml", 0.6, 0.003),
        ("slider_crank.toml", 0.1, 0.0007),
        ("motor_pid.toml", 0.3, 0.002),
        ("vehicle_bushing.toml", 0.3, 0.003),
        ("bouncing_ball.toml", 2.0, 0.01),
        ("box_on_incline.toml", 0.5, 0.005),
    ] {
        let m = load(file, &[]);
        check(&m, &|o| (o.t_end, o.sample) = (t_end, sample), file);
    }
    let m = load("box_on_incline.toml", &[]);
    let stepped = |o: &mut RunOptions| {
        o.scheme = SchemeType::TimeStepping;
        o.method = "moreau-jean".to_owned();
        (o.t_end, o.sample) = (0.3, 0.0011);
    };
    check(&m, &stepped, "time-stepping");
}

#[test]
fn a_run_on_request_has_no_end() {
    let m = load("pendulum.toml", &[]);
    let mut options = RunOptions { on_request: true, ..RunOptions::from_model(m.system.model()) };
    // nonsense that is not used
    (options.t_end, options.sample) = (-1.0, 0.0);
    let mut sim = Simulation::new(&m, &options).unwrap();
    sim.sample(1000.0).unwrap();
    assert_eq!(sim.results().t, [1000.0]);
    assert!(sim.summary().verdict.items.len() < 100);
}
