//! The calls of model exchange, in which a solver of the host does the steps.

use super::exchange::Exchange;
use super::slopes::Direction;
use super::{Core, Instance, Kind, LATEST, Phase, Reply, failed, refuse};
use crate::variables::Role;

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

    /// Copies the event indicators.
    pub fn indicators(&mut self, call: &str, out: &mut [f64]) -> Reply<()> {
        let there = self.variables.indicators;
        if out.len() != there {
            return refuse(format!(
                "E_FMU_VALUE: {call}: {} values were asked for, but there are {there} event indicators",
                out.len()
            ));
        }
        self.solve(call, &LIVE)?.indicators(out).map_err(|e| failed(call, &e))
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

    /// How unknowns (rates and outputs) change when knowns (states and inputs) change by `seed`.
    pub fn directional(
        &mut self,
        call: &str,
        [unknowns, knowns]: [&[u32]; 2],
        seed: &[f64],
        out: &mut [f64],
    ) -> Reply<()> {
        let mut direction = Direction {
            states: vec![0.0; self.variables.states],
            inputs: vec![0.0; self.inputs.len()],
        };
        for (vr, dx) in knowns.iter().zip(seed) {
            match self.role(*vr)? {
                _ if !dx.is_finite() => {
                    return refuse(format!(
                        "E_FMU_VALUE: {call}: a value of the seed is not finite"
                    ));
                }
                Role::State(k) => direction.states[k] += dx,
                Role::Input(k, ..) => direction.inputs[k] += dx,
                _ => return self.no_slope(call, *vr, "by", "states and inputs"),
            }
        }
        for vr in unknowns {
            if !matches!(self.role(*vr)?, Role::Rate(_) | Role::Output(_)) {
                return self.no_slope(call, *vr, "of", "rates of states and outputs");
            }
        }
        let roles = unknowns.iter().map(|vr| self.role(*vr)).collect::<Reply<Vec<_>>>()?;
        let solve = self.solve(call, &LIVE[..3])?;
        if let Some(why) = solve.without_slopes() {
            return refuse(format!(
                "E_FMU_KIND: {call}: this FMU has no derivatives, because {why}"
            ));
        }
        let changes = solve.changes(&direction).map_err(|e| failed(call, &e))?;
        for (role, out) in roles.into_iter().zip(out) {
            let x = changes.of(role).filter(|x| x.is_finite());
            *out = x.map_or_else(|| Err(failed(call, "a derivative is not finite")), Ok)?;
        }
        Ok(())
    }

    fn no_slope(&self, call: &str, vr: u32, word: &str, there_are: &str) -> Reply<()> {
        let name = self.variables.list.get(vr as usize).map_or("", |v| v.name.as_str());
        refuse(format!(
            "E_FMU_VALUE: {call}: there is no derivative {word} {name}; there are derivatives {word} {there_are}"
        ))
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
