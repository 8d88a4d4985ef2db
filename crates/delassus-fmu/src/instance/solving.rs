//! The calls of model exchange, in which a solver of the host does the steps.

use super::exchange::Exchange;
use super::{Core, Instance, Kind, LATEST, Phase, Reply, failed, refuse};

/// Phases in which states have values.
const LIVE: [Phase; 4] =
    [Phase::Initialization, Phase::Event, Phase::Continuous, Phase::Terminated];

impl Instance {
    fn solve(&mut self, call: &str, phases: &[Phase]) -> Reply<&mut Exchange> {
        self.only(call, Kind::ModelExchange)?;
        self.allow(call, phases)?;
        match self.ready()? {
            Core::Solve(solve) => Ok(solve),
            Core::Run(_) => refuse("this is no model exchange"),
        }
    }

    /// Leaves or enters the mode in which the solver of the host runs.
    pub fn enter_event_mode(&mut self, call: &str) -> Reply<()> {
        self.solve(call, &[Phase::Continuous, Phase::Event])?;
        self.phase = Phase::Event;
        Ok(())
    }

    /// The same.
    pub fn enter_continuous_mode(&mut self, call: &str) -> Reply<()> {
        self.solve(call, &[Phase::Event])?;
        self.phase = Phase::Continuous;
        Ok(())
    }

    /// Treats an event: whether states have changed, and when the next event in time is.
    pub fn update(&mut self, call: &str) -> Reply<(bool, Option<f64>)> {
        self.solve(call, &[Phase::Event])?.update().map_err(|e| failed(call, &e))
    }

    /// Sets the time.
    pub fn set_time(&mut self, call: &str, t: f64) -> Reply<()> {
        let solve = self.solve(call, &[Phase::Continuous, Phase::Event])?;
        if !(t.abs() <= LATEST) {
            return refuse(format!("E_FMU_VALUE: {call}: {t} is no usable time"));
        }
        solve.set_time(t);
        self.time = t;
        Ok(())
    }

    /// Sets all states.
    pub fn set_states(&mut self, call: &str, x: &[f64]) -> Reply<()> {
        self.count(call, x.len())?;
        let solve = self.solve(call, &[Phase::Continuous, Phase::Event])?;
        if let Some(bad) = x.iter().position(|x| !x.is_finite()) {
            return refuse(format!(
                "E_FMU_VALUE: {call}: state {bad} is not finite; the states before stay"
            ));
        }
        for (k, x) in x.iter().enumerate() {
            solve.set_state(k, *x);
        }
        Ok(())
    }

    /// Copies all states.
    pub fn states(&mut self, call: &str, out: &mut [f64]) -> Reply<()> {
        self.count(call, out.len())?;
        self.solve(call, &LIVE)?.states(out);
        Ok(())
    }

    /// Copies their rates.
    pub fn rates(&mut self, call: &str, out: &mut [f64]) -> Reply<()> {
        self.count(call, out.len())?;
        self.solve(call, &LIVE)?.rates(out).map_err(|e| failed(call, &e))
    }

    /// Copies their typical sizes.
    pub fn nominals(&mut self, call: &str, out: &mut [f64]) -> Reply<()> {
        self.count(call, out.len())?;
        self.solve(call, &LIVE)?.nominals(out);
        Ok(())
    }

    /// The solver of the host has completed a step.
    pub fn completed(&mut self, call: &str) -> Reply<()> {
        self.solve(call, &[Phase::Continuous])?.completed().map_err(|e| failed(call, &e))?;
        self.reached = self.time;
        Ok(())
    }

    fn count(&self, call: &str, found: usize) -> Reply<()> {
        let states = self.variables.states;
        if found == states {
            return Ok(());
        }
        refuse(format!(
            "E_FMU_VALUE: {call}: {found} values were given or asked for, but there are {states} states"
        ))
    }
}
