//! Model exchange: rates, outputs and events for the solver of a host.

use crate::support::{Fmu, OK, Three, Use, export_as, model_path};
use delassus::io::model_file;
use delassus::sim::RunOptions;
use delassus_fmu::Version;
use delassus_fmu::abi::fmi3;

/// A host with a solver of its own: the classical Runge-Kutta method of order four.
struct Host<'a> {
    i: &'a Three,
    n: usize,
    t: f64,
    next: Option<f64>,
}

impl<'a> Host<'a> {
    fn new(i: &'a Three, n: usize) -> Host<'a> {
        i.begin();
        let mut host = Host { i, n, t: 0.0, next: None };
        host.event();
        host
    }

    /// Treats an event.
    fn event(&mut self) {
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
        assert!(!more && !end);
        self.next = defined.then_some(next);
        assert_eq!(fmi3::fmi3EnterContinuousTimeMode(self.i.i), OK);
    }

    fn rates(&self, t: f64, x: &[f64]) -> Vec<f64> {
        let mut out = vec![f64::NAN; self.n];
        assert_eq!(fmi3::fmi3SetTime(self.i.i, t), OK);
        assert_eq!(fmi3::fmi3SetContinuousStates(self.i.i, x.as_ptr(), self.n), OK);
        let status = fmi3::fmi3GetContinuousStateDerivatives(self.i.i, out.as_mut_ptr(), self.n);
        assert_eq!(status, OK, "{:?}", self.i.log.take());
        out
    }

    fn step(&mut self, to: f64) {
        let (t, h) = (self.t, to - self.t);
        let mut x = vec![0.0; self.n];
        assert_eq!(fmi3::fmi3GetContinuousStates(self.i.i, x.as_mut_ptr(), self.n), OK);
        let along = |c: f64, k: &[f64]| -> Vec<f64> {
            x.iter().zip(k).map(|(x, k)| x + c * h * k).collect()
        };
        let a = self.rates(t, &x);
        let b = self.rates(t + 0.5 * h, &along(0.5, &a));
        let c = self.rates(t + 0.5 * h, &along(0.5, &b));
        let d = self.rates(to, &along(1.0, &c));
        let y: Vec<f64> =
            (0..self.n).map(|k| x[k] + h / 6.0 * (a[k] + 2.0 * (b[k] + c[k]) + d[k])).collect();
        self.rates(to, &y);
        let (mut event, mut end) = (true, true);
        let status =
            fmi3::fmi3CompletedIntegratorStep(self.i.i, true, &raw mut event, &raw mut end);
        assert_eq!(status, OK);
        assert!(!event && !end);
        self.t = to;
    }

    /// Steps to a time, and to the events on the way.
    fn run(&mut self, to: f64, h: f64) {
        while self.t < to {
            let mut goal = (self.t + h).min(to);
            let event = self.next.filter(|e| *e <= goal);
            goal = event.unwrap_or(goal);
            if goal > self.t {
                self.step(goal);
            }
            if event.is_some() {
                assert_eq!(fmi3::fmi3EnterEventMode(self.i.i), OK);
                self.event();
            }
        }
    }
}

/// Outputs of a run by tight tolerance at the requested times.
fn reference(file: &str, times: &[f64]) -> Vec<Vec<f64>> {
    let model = delassus::load(model_path(file)).unwrap();
    let mut options = RunOptions::from_model(model.system.model());
    (options.on_request, options.rtol) = (true, Some(1e-11));
    let mut sim = delassus::sim::Simulation::new(&model, &options).unwrap();
    let at = |t: &f64| {
        sim.sample(*t).unwrap();
        sim.results().data.iter().map(|c| c[0]).collect()
    };
    times.iter().map(at).collect()
}

#[test]
fn the_solver_of_a_host_finds_the_same_motion() {
    for (file, h, end, limit) in [
        ("pendulum.toml", 2e-3, 1.0, 1e-9),
        ("slider_crank.toml", 1e-4, 0.1, 1e-6),
        ("motor_pid.toml", 2e-3, 1.5, 1e-7),
        ("four_bar_tripled.toml", 4e-4, 0.3, 1e-6),
        ("benchmarks/J2_vehicle.toml", 2e-3, 1.0, 1e-6),
        ("benchmarks/I3_spatial_slider_crank.toml", 1e-3, 0.5, 1e-6),
    ] {
        let fmu = Fmu::of_file(file);
        let i = fmu.three(Use::ModelExchange);
        let n = fmu.variables.states;
        let mut host = Host::new(&i, n);
        let times = [0.5 * end, end];
        let expected = reference(file, &times);
        for (t, columns) in times.iter().zip(&expected) {
            host.run(*t, h);
            for (vr, column) in fmu.outputs() {
                let (x, y) = (i.get(&[vr])[0], columns[column]);
                let size = 1.0_f64.max(y.abs());
                assert!(
                    (x - y).abs() <= limit * size,
                    "{file}, {}: {x} {y} at {t}",
                    fmu.variables.list[vr as usize].name
                );
            }
        }
    }
}

/// Errors of a poor solver off the constraints do not add up: outputs obey the constraints, and states stay close.
#[test]
fn states_off_the_constraints_return() {
    let fmu = Fmu::of_file("slider_crank.toml");
    let i = fmu.three(Use::ModelExchange);
    let n = fmu.variables.states;
    let mut host = Host::new(&i, n);
    host.run(0.002, 1e-4);
    // pushed off by a millimetre in every coordinate
    let mut x = vec![0.0; n];
    assert_eq!(fmi3::fmi3GetContinuousStates(i.i, x.as_mut_ptr(), n), OK);
    let off = |x: &[f64]| -> f64 {
        let again = fmu.three(Use::ModelExchange);
        let mut host = Host::new(&again, n);
        host.rates(0.0, x);
        assert_eq!(fmi3::fmi3EnterEventMode(again.i), OK);
        host.event();
        let mut nearest = vec![0.0; n];
        assert_eq!(fmi3::fmi3GetContinuousStates(again.i, nearest.as_mut_ptr(), n), OK);
        delassus::math::max_difference(x, &nearest)
    };
    for x in &mut x {
        *x += 1e-3;
    }
    let before = off(&x);
    assert!(before > 1e-5, "{before}");
    host.rates(host.t, &x);
    host.run(0.4, 1e-4);
    assert_eq!(fmi3::fmi3GetContinuousStates(i.i, x.as_mut_ptr(), n), OK);
    let after = off(&x);
    assert!(after < 0.05 * before, "{before} {after}");
}

/// A force that switches in time is announced, and the step after it sees the other branch.
#[test]
fn events_in_time_are_announced() {
    let text = "schema = 1\n\
        [body.m]\ntype = 'planar-point'\nmass = 1\n\
        [force.f]\ntype = 'force'\nat = 'm'\nforce = ['if(t < 0.25, 1, -3)', 0]\n\
        [sensor.x]\ntype = 'position'\nof = 'm'\ncomponent = 'x'\n\
        [analysis]\nend = 1\nsample = 0.1\n";
    let fmu = Fmu::of_text(text);
    let i = fmu.three(Use::ModelExchange);
    let mut host = Host::new(&i, fmu.variables.states);
    let announced = host.next.unwrap();
    assert!((announced - 0.25).abs() < 1e-12, "{announced}");
    host.run(0.5, 0.1);
    let x = i.get(&[fmu.vr("x")])[0];
    // parabolas, which the method follows exactly
    let exact = 0.5 * 0.0625 + 0.25 * 0.25 - 1.5 * 0.0625;
    assert!((x - exact).abs() < 1e-13, "{x} {exact}");
}

#[test]
fn inputs_and_states_of_the_solver_are_saved() {
    let fmu = Fmu::of_file("arm_by_torque.toml");
    let i = fmu.three(Use::ModelExchange);
    let n = fmu.variables.states;
    let mut host = Host::new(&i, n);
    assert_eq!(i.set(fmu.vr("torque"), 2.0), OK);
    host.run(0.1, 0.01);
    let state = i.save();
    let bytes = i.bytes(state);
    host.run(0.2, 0.01);
    let angle = i.get(&[fmu.vr("angle")])[0];
    assert!(angle > 1e-3);
    let other = fmu.three(Use::ModelExchange);
    let read = other.read(&bytes).unwrap();
    assert_eq!(other.restore(read), OK, "{:?}", other.log.take());
    let mut again = Host { i: &other, n, t: host.t - 0.1, next: None };
    again.t = other.get(&[0])[0];
    again.run(0.2, 0.01);
    assert_eq!(other.get(&[fmu.vr("angle")])[0].to_bits(), angle.to_bits());
    other.free_state(read);
    i.free_state(state);
}

#[test]
fn contacts_need_co_simulation() {
    let loaded =
        || model_file::load(&model_path("bouncing_ball.toml"), &Default::default()).unwrap();
    let made = export_as(loaded(), Version::Three, &[]).unwrap();
    assert!(made.without_model_exchange.unwrap().contains("bounce"));
    assert_eq!(made.variables.states, 0);
}

/// A spring that stiffens, a stop by `clamp` and a table: each of them has an indicator that is zero where it switches, and the
/// host that stops there meets the exact motion.
#[test]
fn switches_of_the_state_are_events() {
    let text = "schema = 1\n\
        table.k = { x = [-1, 0.5, 2], y = [-4, 2, 20], outside = 'extend' }\n\
        [body.m]\ntype = 'planar-point'\nmass = 1\nposition = [0.9, 0]\n\
        [joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'm']\naxis = [1, 0]\n\
        [force.f]\ntype = 'force'\nat = 'm'\nforce = ['-if(x > 0.2, 40*(x - 0.2), 0) - clamp(9*x, -3, 3) - k(x)', 0]\n\
        [sensor.x]\ntype = 'position'\nof = 'm'\ncomponent = 'x'\n\
        [analysis]\nend = 3\nsample = 0.01\n";
    let fmu = Fmu::of_text(text);
    let i = fmu.three(Use::ModelExchange);
    let mut n = 0;
    assert_eq!(fmi3::fmi3GetNumberOfEventIndicators(i.i, &raw mut n), OK);
    // the condition, both ends of the clamp, and the table
    assert_eq!((n, fmu.variables.indicators), (4, 4));
    let mut host = Host::new(&i, fmu.variables.states);
    let x = fmu.vr("x");
    let look = || {
        let mut z = [f64::NAN; 4];
        assert_eq!(fmi3::fmi3GetEventIndicators(i.i, z.as_mut_ptr(), 4), OK);
        (z, i.get(&[x])[0])
    };
    let (mut met, mut before) = (Vec::new(), look());
    while host.t < 3.0 {
        host.run(host.t + 1e-3, 1e-3);
        let now = look();
        for k in 0..4 {
            if (before.0[k] > 0.0) != (now.0[k] > 0.0) {
                // the place by a line between both
                let part = before.0[k] / (before.0[k] - now.0[k]);
                met.push((k, before.1 + part * (now.1 - before.1)));
            }
        }
        before = now;
    }
    for (k, place) in [(0, 0.2), (1, -1.0 / 3.0), (2, 1.0 / 3.0), (3, 0.5)] {
        let found: Vec<f64> = met.iter().filter(|m| m.0 == k).map(|m| m.1).collect();
        assert!(found.len() >= 2, "{k}: {met:?}");
        // the table has a point at -1 too
        let there = |x: &f64| (x - place).abs() < 1e-4 || (k == 3 && (x + 1.0).abs() < 1e-4);
        assert!(found.iter().all(there), "{k}: {found:?}");
    }
    let bad = fmi3::fmi3GetEventIndicators(i.i, [0.0; 3].as_mut_ptr(), 3);
    assert_eq!(bad, crate::support::ERROR);
}
