//! An instance of an FMU: what may be called when, and what a call does.
//!
//! No pointers and no C here; [`crate::abi`] has them. A call that is refused changes nothing, and the instance stays
//! usable: a host may correct the call and go on.

mod cosim;
mod exchange;
mod phase;
mod saved;
mod slopes;
mod solving;

pub use phase::{Kind, Phase};
pub use saved::Saved;
pub use slopes::without_slopes;

use crate::error::FmuError;
use crate::package::{Choice, Package};
use crate::variables::{Role, Variables};
use cosim::CoSim;
use delassus::model::Assembled;
use delassus::sim::{RunOptions, decimal};
use exchange::Exchange;

/// Why a model cannot be offered for model exchange; `None` if it can.
pub fn obstacle(model: &Assembled) -> Option<String> {
    let m = model.system.model();
    let contact = m.contacts.first()?;
    Some(format!(
        "it has {} with contact, stops, play or dry friction (first: {}), whose impacts need the event handling of a \
         run; use co-simulation",
        if m.contacts.len() == 1 { "one element" } else { "elements" },
        contact.name
    ))
}

/// How a call ended that did not do what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The step could not be made; everything is as before it.
    Discard,
    /// The call was refused; everything is as before it.
    Error,
}

/// A refused call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// How bad it is.
    pub status: Status,
    /// What was found, the rule, and what to do.
    pub text: String,
}

/// The reply to a call.
pub type Reply<T> = Result<T, Refusal>;

/// Refuses a call.
pub fn refuse<T>(text: impl Into<String>) -> Reply<T> {
    Err(Refusal { status: Status::Error, text: text.into() })
}

impl From<FmuError> for Refusal {
    fn from(e: FmuError) -> Self {
        Refusal { status: Status::Error, text: format!("{e} ({})", e.help) }
    }
}

/// Where a step ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stepped {
    /// Time reached, s.
    pub time: f64,
    /// An event ended it before the requested time.
    pub early: bool,
}

/// The running model.
enum Core {
    Run(Box<CoSim>),
    Solve(Box<Exchange>),
}

/// An instance.
pub struct Instance {
    package: Package,
    kind: Kind,
    /// Steps may end at events.
    early: bool,
    variables: Variables,
    phase: Phase,
    /// Values for the next start.
    choice: Choice,
    /// Values of the inputs, in the order of the model.
    inputs: Vec<f64>,
    /// Present time, s.
    time: f64,
    /// `None` until it is needed, and after values for the start have changed.
    core: Option<Core>,
    /// Time that the last step reached, s.
    reached: f64,
}

/// Longest time that a host may ask for, s; beyond it numbers no longer tell steps apart.
const LATEST: f64 = 1e15;
/// How far, in steps, the time of a call may lie from the time of the instance: hosts may add up their steps.
const SLACK: f64 = 1e-6;

impl Instance {
    /// Of a model; `early` permits steps to end at events.
    pub fn new(package: Package, kind: Kind, early: bool) -> Reply<Instance> {
        let offered = match kind {
            Kind::CoSimulation => package.manifest.co_simulation,
            Kind::ModelExchange => package.manifest.model_exchange,
        };
        if !offered {
            return refuse(format!("E_FMU_KIND: this FMU does not offer {}", kind.name()));
        }
        let (model, options) = package.start(&Choice::default())?;
        let variables = Variables::of(&package, &model, &options)
            .map_err(|e| Refusal { status: Status::Error, text: format!("{}: {e}", e.code()) })?;
        let inputs = model.system.model().inputs.iter().map(|i| i.default).collect();
        let time = model.state.t;
        Ok(Instance {
            package,
            kind,
            early,
            variables,
            phase: Phase::Instantiated,
            choice: Choice::default(),
            inputs,
            time,
            core: None,
            reached: time,
        })
    }

    /// Its variables.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Identifies the model and its settings.
    pub fn token(&self) -> &str {
        &self.package.manifest.token
    }

    /// Present time, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Time up to which steps were made, s.
    pub fn last_time(&self) -> f64 {
        self.reached
    }

    fn allow(&self, call: &str, phases: &[Phase]) -> Reply<()> {
        if phases.contains(&self.phase) {
            return Ok(());
        }
        let names: Vec<&str> = phases.iter().map(|p| p.name()).collect();
        refuse(format!(
            "E_FMU_ORDER: {call} was called {}; it may be called {}",
            self.phase.name(),
            names.join(" or ")
        ))
    }

    fn only(&self, call: &str, kind: Kind) -> Reply<()> {
        if self.kind == kind {
            return Ok(());
        }
        refuse(format!(
            "E_FMU_ORDER: {call} belongs to {}, but this is {}",
            kind.name(),
            self.kind.name()
        ))
    }

    /// Start time and tolerance of the experiment. Steps know no end.
    pub fn set_up(
        &mut self,
        call: &str,
        start: f64,
        stop: Option<f64>,
        tolerance: Option<f64>,
    ) -> Reply<()> {
        self.allow(call, &[Phase::Instantiated])?;
        if !(start.abs() <= LATEST) {
            return refuse(format!(
                "E_FMU_VALUE: {call}: the start time {start} is no usable time"
            ));
        }
        if let Some(stop) = stop
            && !(stop > start)
        {
            return refuse(format!(
                "E_FMU_VALUE: {call}: the stop time {stop} is not after the start time {start}"
            ));
        }
        if let Some(rtol) = tolerance
            && !((1e-14..1.0).contains(&rtol))
        {
            return refuse(format!(
                "E_FMU_VALUE: {call}: the tolerance {rtol} is not between 1e-14 and 1"
            ));
        }
        (self.choice.start, self.choice.tolerance) = (Some(start), tolerance);
        self.time = start;
        Ok(())
    }

    /// Enters the initialisation.
    pub fn enter_initialization(&mut self, call: &str) -> Reply<()> {
        self.allow(call, &[Phase::Instantiated])?;
        self.ready()?;
        self.phase = Phase::Initialization;
        Ok(())
    }

    /// Leaves it.
    pub fn exit_initialization(&mut self, call: &str) -> Reply<()> {
        self.allow(call, &[Phase::Initialization])?;
        self.ready()?;
        self.phase = match self.kind {
            Kind::CoSimulation => Phase::Step,
            Kind::ModelExchange => Phase::Event,
        };
        Ok(())
    }

    /// Ends the run; values can still be read.
    pub fn terminate(&mut self, call: &str) -> Reply<()> {
        self.allow(call, &[Phase::Step, Phase::Event, Phase::Continuous])?;
        self.phase = Phase::Terminated;
        Ok(())
    }

    /// As after it was created.
    pub fn reset(&mut self) -> Reply<()> {
        let fresh = Instance::new(self.package.clone(), self.kind, self.early)?;
        *self = fresh;
        Ok(())
    }

    /// The running model; made where values for the start have changed.
    fn ready(&mut self) -> Reply<&mut Core> {
        if self.core.is_none() {
            let (model, options) = self.package.start(&self.choice)?;
            if !self.choice.parameters.is_empty() {
                self.same_parts(&model, &options)?;
            }
            self.time = model.state.t;
            self.reached = self.time;
            let core = match self.kind {
                Kind::CoSimulation => {
                    CoSim::new(model, options, self.early).map(|c| Core::Run(Box::new(c)))
                }
                Kind::ModelExchange => Exchange::new(model).map(|e| Core::Solve(Box::new(e))),
            };
            self.core = Some(core.map_err(|e| not_started(&e))?);
        }
        match &mut self.core {
            Some(core) => Ok(core),
            None => refuse("the model is not there"),
        }
    }

    /// Parameters may change numbers, not which variables there are.
    fn same_parts(&self, model: &Assembled, options: &RunOptions) -> Reply<()> {
        let found = Variables::of(&self.package, model, options).map_err(|e| not_started(&e))?;
        let names = |v: &Variables| v.list.iter().map(|v| v.name.clone()).collect::<Vec<_>>();
        if names(&found) == names(&self.variables) {
            return Ok(());
        }
        refuse(
            "E_FMU_MODEL: a parameter changes which parts the model has, and with them its variables; export it with \
             this value (--set)",
        )
    }

    fn role(&self, vr: u32) -> Reply<Role> {
        let known = self.variables.list.get(vr as usize).map(|v| v.role);
        let last = self.variables.list.len() - 1;
        known.map_or_else(
            || refuse(format!("E_FMU_VALUE: there is no variable {vr}; the last one is {last}")),
            Ok,
        )
    }

    /// Values of variables.
    pub fn get(&mut self, call: &str, numbers: &[u32], out: &mut [f64]) -> Reply<()> {
        // all or none
        for vr in numbers {
            self.role(*vr)?;
        }
        for (vr, x) in numbers.iter().zip(out) {
            *x = self.value(call, self.role(*vr)?)?;
        }
        Ok(())
    }

    fn value(&mut self, call: &str, role: Role) -> Reply<f64> {
        match role {
            Role::Time => Ok(self.time),
            Role::Parameter(k, default) => {
                Ok(self.choice.parameters.get(&k).copied().unwrap_or(default))
            }
            Role::Input(k, default, _) => Ok(self.inputs.get(k).copied().unwrap_or(default)),
            Role::Derived(_)
            | Role::Output(_)
            | Role::State(_)
            | Role::Rate(_)
            | Role::Indicator(_) => {
                if self.phase == Phase::Instantiated {
                    return refuse(format!(
                        "E_FMU_ORDER: {call}: outputs and states have values from the initialisation on"
                    ));
                }
                let solved = matches!(role, Role::State(_) | Role::Rate(_) | Role::Indicator(_));
                match self.ready()? {
                    Core::Run(_) if solved => refuse(format!(
                        "E_FMU_KIND: {call}: states, their rates and switches have values in model exchange only"
                    )),
                    Core::Run(run) => Ok(run.value(role)),
                    Core::Solve(solve) => solve.value(role).map_err(|e| failed(call, &e)),
                }
            }
        }
    }

    /// Sets parameters and inputs: all or none.
    pub fn set(&mut self, call: &str, numbers: &[u32], values: &[f64]) -> Reply<()> {
        if self.phase == Phase::Terminated {
            self.allow(
                call,
                &[Phase::Instantiated, Phase::Initialization, Phase::Step, Phase::Event],
            )?;
        }
        for (vr, x) in numbers.iter().zip(values) {
            self.may_set(call, *vr, *x)?;
        }
        for (vr, x) in numbers.iter().zip(values) {
            match self.role(*vr)? {
                Role::Parameter(k, _) => {
                    self.choice.parameters.insert(k, *x);
                    self.core = None;
                }
                Role::Input(k, ..) => {
                    if let Some(input) = self.inputs.get_mut(k) {
                        *input = *x;
                    }
                    if matches!(self.phase, Phase::Instantiated | Phase::Initialization) {
                        self.choice.inputs.insert(k, *x);
                        self.core = None;
                    } else if let Some(Core::Solve(solve)) = &mut self.core {
                        solve.set_input(k, *x);
                    }
                }
                Role::State(k) => {
                    if let Some(Core::Solve(solve)) = &mut self.core {
                        solve.set_state(k, *x);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn may_set(&self, call: &str, vr: u32, x: f64) -> Reply<()> {
        let role = self.role(vr)?;
        let name = self.variables.list.get(vr as usize).map_or("", |v| v.name.as_str());
        if !x.is_finite() {
            return refuse(format!(
                "E_FMU_VALUE: {call}: {x} for {name} is not finite; the value before it stays"
            ));
        }
        match role {
            Role::Parameter(..) => {
                if !matches!(self.phase, Phase::Instantiated | Phase::Initialization) {
                    return refuse(format!(
                        "E_FMU_ORDER: {call}: the parameter {name} can be set until the end of the initialisation"
                    ));
                }
                Ok(())
            }
            Role::Input(_, _, [min, max]) if !(min <= x && x <= max) => refuse(format!(
                "E_FMU_VALUE: {call}: {x} for {name} is not between {min} and {max}; the value before it stays"
            )),
            Role::Input(..) => Ok(()),
            Role::State(_) if matches!(self.phase, Phase::Continuous | Phase::Event) => Ok(()),
            _ => refuse(format!(
                "E_FMU_ORDER: {call}: {name} is neither an input nor a parameter and cannot be set"
            )),
        }
    }

    /// Moves on from a time by a step.
    pub fn do_step(&mut self, call: &str, from: f64, step: f64) -> Reply<Stepped> {
        self.only(call, Kind::CoSimulation)?;
        self.allow(call, &[Phase::Step])?;
        if !(step > 0.0 && step <= LATEST) {
            return refuse(format!(
                "E_FMU_VALUE: {call}: the step {step} s is not positive and finite"
            ));
        }
        if !((from - self.time).abs() <= SLACK * step) {
            return refuse(format!(
                "E_FMU_VALUE: {call}: the step begins at {from} s, but the instance is at {} s",
                self.time
            ));
        }
        let target = decimal(from + step);
        if !(target > self.time && target.abs() <= LATEST) {
            return refuse(format!(
                "E_FMU_VALUE: {call}: the step {step} s is too short to be told apart at {from} s"
            ));
        }
        self.ready()?;
        let Some(Core::Run(run)) = &mut self.core else {
            return refuse("this is no co-simulation");
        };
        let stepped = run.step(target, &self.inputs);
        let stepped = stepped.map_err(|text| Refusal { status: Status::Discard, text })?;
        self.time = stepped.time;
        self.reached = stepped.time;
        Ok(stepped)
    }

    /// Everything that the rest depends on.
    pub fn save(&mut self) -> Saved {
        let memory = match &mut self.core {
            None => Vec::new(),
            Some(Core::Run(run)) => run.save(),
            Some(Core::Solve(solve)) => solve.save(),
        };
        Saved {
            token: self.package.manifest.token.clone(),
            exchange: self.kind == Kind::ModelExchange,
            phase: self.phase,
            parameters: self.choice.parameters.clone(),
            start_inputs: self.choice.inputs.clone(),
            start: self.choice.start,
            tolerance: self.choice.tolerance,
            inputs: self.inputs.clone(),
            time: self.time,
            reached: self.reached,
            live: self.core.is_some(),
            memory,
        }
    }

    /// Continues from what was saved. What follows has the same bits as it had after it was saved.
    pub fn restore(&mut self, saved: &Saved) -> Reply<()> {
        let unfit = |why: &str| format!("E_FMU_STATE: the saved state does not fit: {why}");
        if saved.token != self.package.manifest.token {
            return refuse(unfit("it is of another model, or of another export of it"));
        }
        if saved.exchange != (self.kind == Kind::ModelExchange)
            || saved.inputs.len() != self.inputs.len()
        {
            return refuse(unfit("it is of another kind of simulation"));
        }
        let choice = Choice {
            parameters: saved.parameters.clone(),
            inputs: saved.start_inputs.clone(),
            start: saved.start,
            tolerance: saved.tolerance,
        };
        let mut other = Instance {
            package: self.package.clone(),
            variables: self.variables.clone(),
            choice,
            inputs: saved.inputs.clone(),
            core: None,
            ..*self
        };
        if saved.live {
            let done = match other.ready()? {
                Core::Run(run) => run.restore(&saved.memory),
                Core::Solve(solve) => solve.restore(&saved.memory),
            };
            done.or_else(|why| refuse(unfit(&why)))?;
        }
        (other.phase, other.time, other.reached) = (saved.phase, saved.time, saved.reached);
        *self = other;
        Ok(())
    }
}

fn not_started(e: &dyn std::fmt::Display) -> Refusal {
    Refusal { status: Status::Error, text: format!("E_START: the model cannot start: {e}") }
}

/// An evaluation that is impossible at these values: the solver may try others.
fn failed(call: &str, why: &str) -> Refusal {
    Refusal { status: Status::Discard, text: format!("E_FMU_STEP: {call}: {why}") }
}
