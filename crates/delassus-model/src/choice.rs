//! Which method runs under which scheme: one table for the compiler, for runs and for the command.
//!
//! | method named     | no scheme         | hybrid, event-driven | time-stepping               |
//! |------------------|-------------------|----------------------|-----------------------------|
//! | none             | default, hybrid   | default              | moreau-jean                 |
//! | of smooth motion | it, hybrid        | it                   | moreau-jean, it is not used |
//! | of time-stepping | it, time-stepping | refused              | it                          |
//!
//! Options belong to the method that runs, which is not always the named one.

use crate::spec::SchemeType;
use delassus_dae::integrator::{MethodId, MethodInfo, SmoothId, SteppingId, catalogue};
use delassus_expr::suggest;

/// The default method.
pub const DEFAULT_SMOOTH: SmoothId = SmoothId::Mdop5;

/// Its name.
pub const DEFAULT_METHOD: &str = DEFAULT_SMOOTH.info().name;

/// What runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The method.
    pub method: MethodId,
    /// How contacts are treated.
    pub scheme: SchemeType,
    /// The named method, if time-stepping does not use it.
    pub unused: Option<SmoothId>,
}

/// A method and a scheme that cannot be combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceError {
    /// There is no method of this name.
    Unknown,
    /// A method of time-stepping under another scheme.
    Scheme(SteppingId, SchemeType),
}

impl Choice {
    /// By the table above.
    pub fn of(name: Option<&str>, scheme: Option<SchemeType>) -> Result<Choice, ChoiceError> {
        let named = match name {
            Some(name) => Some(MethodId::named(name).ok_or(ChoiceError::Unknown)?),
            None => None,
        };
        let choice = |method, scheme| Choice { method, scheme, unused: None };
        let stepping = |m| choice(MethodId::Stepping(m), SchemeType::TimeStepping);
        match (named, scheme) {
            (None, Some(SchemeType::TimeStepping)) => Ok(stepping(SteppingId::MoreauJean)),
            (Some(MethodId::Smooth(m)), Some(SchemeType::TimeStepping)) => {
                Ok(Choice { unused: Some(m), ..stepping(SteppingId::MoreauJean) })
            }
            (Some(MethodId::Stepping(m)), None | Some(SchemeType::TimeStepping)) => Ok(stepping(m)),
            (Some(MethodId::Stepping(m)), Some(scheme)) => Err(ChoiceError::Scheme(m, scheme)),
            (Some(MethodId::Smooth(m)), scheme) => {
                Ok(choice(MethodId::Smooth(m), scheme.unwrap_or_default()))
            }
            (None, scheme) => {
                Ok(choice(MethodId::Smooth(DEFAULT_SMOOTH), scheme.unwrap_or_default()))
            }
        }
    }

    /// The description of the method that runs.
    pub fn info(&self) -> MethodInfo {
        self.method.info()
    }
}

impl ChoiceError {
    /// The method that was meant, if there is one.
    pub fn method(&self) -> Option<MethodId> {
        match self {
            ChoiceError::Unknown => None,
            ChoiceError::Scheme(m, _) => Some(MethodId::Stepping(*m)),
        }
    }
}

impl SchemeType {
    /// The scheme for a method that replaces the one for which this scheme was written: a time-stepping method brings
    /// its own, and a method for smooth motion replaces it by hybrid.
    pub fn with_method(self, method: Option<MethodId>) -> SchemeType {
        match (method, self) {
            (Some(MethodId::Stepping(_)), _) => SchemeType::TimeStepping,
            (_, SchemeType::TimeStepping) => SchemeType::Hybrid,
            (_, other) => other,
        }
    }
}

/// The method that may have been meant by a name that no method has.
pub fn nearest_method(name: &str) -> Option<&'static str> {
    suggest(name, catalogue().map(|m| m.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use SchemeType::{EventDriven, Hybrid, TimeStepping};

    #[test]
    fn the_table() {
        let smooth = |m, scheme| Ok(Choice { method: MethodId::Smooth(m), scheme, unused: None });
        let steps =
            |m, unused| Ok(Choice { method: MethodId::Stepping(m), scheme: TimeStepping, unused });
        let (default, moreau) = (DEFAULT_SMOOTH, SteppingId::MoreauJean);
        assert_eq!(Choice::of(None, None), smooth(default, Hybrid));
        assert_eq!(Choice::of(None, Some(EventDriven)), smooth(default, EventDriven));
        assert_eq!(Choice::of(None, Some(TimeStepping)), steps(moreau, None));
        for m in SmoothId::ALL {
            for name in m.info().aliases.iter().chain([&m.info().name]) {
                assert_eq!(Choice::of(Some(name), None), smooth(m, Hybrid));
                assert_eq!(Choice::of(Some(name), Some(EventDriven)), smooth(m, EventDriven));
                assert_eq!(Choice::of(Some(name), Some(TimeStepping)), steps(moreau, Some(m)));
            }
        }
        for m in SteppingId::ALL {
            let name = m.info().name;
            assert_eq!(Choice::of(Some(name), None), steps(m, None));
            assert_eq!(Choice::of(Some(name), Some(TimeStepping)), steps(m, None));
            for scheme in [Hybrid, EventDriven] {
                let refused = Err(ChoiceError::Scheme(m, scheme));
                assert_eq!(Choice::of(Some(name), Some(scheme)), refused);
            }
        }
        for scheme in [None, Some(Hybrid), Some(EventDriven), Some(TimeStepping)] {
            assert_eq!(Choice::of(Some("mdop6"), scheme), Err(ChoiceError::Unknown));
        }
    }
}
