//! Kinds and phases of an instance.

use delassus::math::remember_cases;

/// How an instance is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It steps by itself.
    CoSimulation,
    /// A solver of the host steps it.
    ModelExchange,
}

impl Kind {
    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::CoSimulation => "co-simulation",
            Kind::ModelExchange => "model exchange",
        }
    }
}

/// What an instance is doing; the states of the standard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// Created.
    #[default]
    Instantiated,
    /// Being initialised.
    Initialization,
    /// Between steps, co-simulation.
    Step,
    /// At an event, model exchange.
    Event,
    /// Between events, model exchange.
    Continuous,
    /// Ended.
    Terminated,
}
remember_cases!(Phase { Instantiated, Initialization, Step, Event, Continuous, Terminated });

impl Phase {
    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Instantiated => "before the initialisation",
            Phase::Initialization => "during the initialisation",
            Phase::Step => "between steps",
            Phase::Event => "in event mode",
            Phase::Continuous => "in continuous-time mode",
            Phase::Terminated => "after terminate",
        }
    }
}
