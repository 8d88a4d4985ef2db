//! Settings of a run, and their consistency.

use crate::error::SetupError;
use crate::pace::MAX_STEPS;
use crate::sample_times::resolution;
use delassus_dae::integrator::{Abilities, METHODS, MethodId, MethodInfo, catalogue};
use delassus_dae::{Options, Problem};
use delassus_math::Plain;
use delassus_model::spec::SchemeType;
use delassus_model::{Choice, ChoiceError, ContactTolerances, Model, System, nearest_method};

/// Settings of a run; `None` = the method's default.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// Method by name. If the scheme is time-stepping and this is a method for smooth motion, it is not used, and
    /// `moreau-jean` is.
    pub method: String,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Fixed step, s.
    pub step: Option<f64>,
    /// Largest adaptive step, s.
    pub max_step: Option<f64>,
    /// Largest number of steps.
    pub max_steps: Option<u64>,
    /// Options that only some methods have.
    pub options: Options,
    /// How contacts are treated, for models that have them; a time-stepping method requires its own scheme.
    pub scheme: SchemeType,
    /// Tolerances of contact.
    pub contact: ContactTolerances,
    /// End time, s.
    pub t_end: f64,
    /// Sample interval, s.
    pub sample: f64,
    /// Number of the last accepted states that are kept to examine what went wrong.
    pub keep_states: usize,
    /// Keep the poses of all bodies at the samples, for pictures of the motion.
    pub keep_motion: bool,
    /// Samples are passed on during the run ([`crate::Simulation::hand_to`]), so that there need not be memory for all
    /// of them.
    pub hand_on: bool,
    /// Samples are taken only where [`crate::Simulation::sample`] asks for them, and the run has no end: `t_end` and
    /// `sample` are not used.
    pub on_request: bool,
    /// Limits on its resources.
    pub limits: RunLimits,
}

/// Limits on the resources of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunLimits {
    /// Largest size of the results, bytes.
    pub result_bytes: u64,
    /// Largest number of columns; 4 KiB each are needed to write them.
    pub columns: usize,
    /// Largest number of events; they take about 256 bytes each.
    pub events: usize,
    /// Largest CPU time, s.
    pub cpu_s: f64,
}

impl Default for RunLimits {
    /// 4 GiB of results, part of which is in memory at a time; 400 MB for columns, 256 MB for events; unlimited time.
    fn default() -> Self {
        RunLimits {
            result_bytes: 4 << 30,
            columns: 100_000,
            events: 1_000_000,
            cpu_s: f64::INFINITY,
        }
    }
}

impl RunOptions {
    /// The settings of the model file. Its options for methods other than the chosen one are left out.
    pub fn from_model(m: &Model) -> RunOptions {
        RunOptions::for_method(m, &m.method.name)
    }

    /// The same with another method, which takes those options of the file that it has. A time-stepping method implies
    /// its scheme; any other method replaces time-stepping by hybrid.
    pub fn for_method(m: &Model, name: &str) -> RunOptions {
        let mut options = m.method.options.clone();
        let method = MethodId::named(name);
        if let Some(info) = method.map(MethodId::info) {
            options.retain(|name| info.option(name).is_some());
        }
        let scheme = m.method.scheme.with_method(method);
        RunOptions {
            method: name.to_owned(),
            rtol: m.method.rtol,
            atol: m.method.atol,
            step: m.method.step,
            max_step: m.method.max_step,
            max_steps: m.method.max_steps,
            options,
            scheme,
            contact: m.contact_tolerances,
            t_end: m.analysis.end,
            sample: m.analysis.sample,
            keep_states: 0,
            keep_motion: false,
            hand_on: false,
            on_request: false,
            limits: RunLimits::default(),
        }
    }

    /// Checks the settings against each other and against the start time.
    pub fn check(&self, t_start: f64) -> Result<(), SetupError> {
        let bad = |code, what, message: String| Err(SetupError::Setting { code, what, message });
        let choice = self.choice()?;
        if !self.on_request {
            self.check_span(t_start)?;
        }
        for (what, value) in [("step", self.step), ("max_step", self.max_step)] {
            if let Some(h) = value
                && !(h > 0.0 && h.is_finite())
            {
                return bad(
                    "E_TIME_SPEC",
                    what,
                    format!("{what} ({} s) must be positive", Plain(h)),
                );
            }
        }
        self.check_resolution(t_start)?;
        if let Some(r) = self.rtol
            && !((1e-14..1.0).contains(&r))
        {
            return bad(
                "E_TOLERANCE",
                "rtol",
                format!("rtol ({}) must be at least 1e-14 and below 1", Plain(r)),
            );
        }
        if let Some(a) = self.atol
            && !(a > 0.0 && a.is_finite())
        {
            return bad("E_TOLERANCE", "atol", format!("atol ({a}) must be positive"));
        }
        // options of a method that time-stepping does not use are not used either
        let named = choice.unused.map_or(choice.method, MethodId::Smooth);
        self.options.check(&named.info())?;
        Ok(())
    }

    /// Checks end and sample interval.
    fn check_span(&self, t_start: f64) -> Result<(), SetupError> {
        let bad = |code, what, message: String| Err(SetupError::Setting { code, what, message });
        let span = self.t_end - t_start;
        if !(span > 0.0 && span.is_finite()) {
            return bad(
                "E_TIME_SPEC",
                "end",
                format!("the end ({} s) must be after the start ({t_start} s)", self.t_end),
            );
        }
        if !(self.sample > 0.0 && self.sample.is_finite()) {
            return bad(
                "E_TIME_SPEC",
                "sample",
                format!("the sample interval ({} s) must be positive", self.sample),
            );
        }
        if let Some(h) = self.step
            && h > span
        {
            return bad(
                "E_TIME_SPEC",
                "step",
                format!("the step ({} s) is longer than the run ({} s)", Plain(h), Plain(span)),
            );
        }
        Ok(())
    }

    /// Times must differ by more than the resolution of numbers, and there must be no more steps than are allowed.
    fn check_resolution(&self, t_start: f64) -> Result<(), SetupError> {
        let bad = |code, what, message: String| Err(SetupError::Setting { code, what, message });
        let open = self.on_request;
        let span = if open { 0.0 } else { self.t_end - t_start };
        let far = t_start.abs().max(if open { 0.0 } else { self.t_end.abs() });
        let times = [
            ("end", "the span of the run", Some(span).filter(|_| !open)),
            ("sample", "the sample interval", Some(self.sample).filter(|_| !open)),
            ("step", "the step", self.step),
            ("max_step", "the longest step", self.max_step),
        ];
        for (what, name, value) in times {
            if let Some(x) = value
                && x < resolution(far)
            {
                return bad(
                    "E_TIME_SPEC",
                    what,
                    format!(
                        "{name} ({x:e} s) is too short: times up to {far:e} s are told apart to {:.1e} s",
                        resolution(far)
                    ),
                );
            }
        }
        let most = self.max_steps.unwrap_or(MAX_STEPS);
        match self.step {
            Some(h) if !open && span / h > most as f64 => bad(
                "E_LIMIT",
                "step",
                format!("{:.1e} steps of {h:e} s are more than max_steps ({most})", span / h),
            ),
            _ => Ok(()),
        }
    }

    /// What runs.
    pub(crate) fn choice(&self) -> Result<Choice, SetupError> {
        Choice::of(Some(&self.method), Some(self.scheme)).map_err(|e| match e {
            ChoiceError::Unknown => SetupError::UnknownMethod {
                name: self.method.clone(),
                suggestion: nearest_method(&self.method).map(str::to_owned),
                known: catalogue().map(|m| m.name).collect(),
            },
            ChoiceError::Scheme(_, scheme) => SetupError::Setting {
                code: "E_METHOD_SCHEME",
                what: "scheme",
                message: format!(
                    "{} is a method of time-stepping, but the scheme is \"{}\"",
                    self.method,
                    scheme.name()
                ),
            },
        })
    }
}

/// What the equations require of a method. Singular positions are not known before the run.
fn needs(p: &System) -> Abilities {
    let (d, s) = (p.dims(), p.structure());
    Abilities {
        redundant: s.independent_rows.is_some(),
        delicate: s.rank.holds_by_a_thread(),
        singular: false,
        rolling: d.n_vel > d.n_pos,
        auxiliary: d.nz > 0,
        massless: s.mass_floor.iter().any(|m| *m > 0.0),
        events: p.has_contacts(),
    }
}

/// Methods that can run these equations.
pub fn able_methods(p: &System) -> Vec<MethodInfo> {
    let needs = needs(p);
    METHODS.iter().filter(|m| m.can.missing(&needs).is_empty()).copied().collect()
}

/// Rejects a method that cannot do what the equations need, and names those that can.
pub(crate) fn check_abilities(p: &System, method: &MethodInfo) -> Result<(), SetupError> {
    let missing = method.can.missing(&needs(p));
    if missing.is_empty() {
        return Ok(());
    }
    Err(SetupError::MethodCannot {
        method: method.name,
        missing,
        able: able_methods(p).iter().map(|m| m.name).collect(),
    })
}
