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
        ("four_bar_tripled.toml", 0.1),
    ] {
        let fmu = Fmu::of_file(file);
        let s = Solved::new(&fmu);
        let t = s.drive(until, 400);
        let (off, where_) = s.worst(t);
        println!("{file}: {off:.1e} at {where_}");
        assert!(off < 1e-6, "{file}: {off:e} at {where_}");
    }
}
