//! Settings of the command line, laid over those of the model file.

use crate::args::RunArgs;
use crate::fault::Fault;
use crate::number::{count, number};
use delassus::expr::Dim;
use delassus::model::spec::{ModelSpec, Scalar};

/// Settings given on the command line.
#[derive(Debug, Default)]
pub struct Settings {
    method: Option<String>,
    rtol: Option<f64>,
    atol: Option<f64>,
    step: Option<f64>,
    end: Option<f64>,
    sample: Option<f64>,
    max_steps: Option<u64>,
    rho_inf: Option<f64>,
}

impl Settings {
    /// Reads the options; reports all that cannot be read.
    pub fn read(a: &RunArgs) -> Result<Settings, Vec<Fault>> {
        let mut faults = Vec::new();
        let mut read = |option: &str, text: &Option<String>, dim| {
            text.as_ref().and_then(|t| keep(number(option, t, dim), &mut faults))
        };
        let mut settings = Settings {
            method: a.method.clone(),
            rtol: read("--rtol", &a.rtol, Dim::NONE),
            atol: read("--atol", &a.atol, Dim::Any),
            step: read("--step", &a.step, Dim::TIME),
            end: read("--end", &a.end, Dim::TIME),
            sample: read("--sample", &a.sample, Dim::TIME),
            max_steps: None,
            rho_inf: read("--rho-inf", &a.rho_inf, Dim::NONE),
        };
        if let Some(text) = &a.max_steps {
            settings.max_steps = keep(count("--max-steps", text), &mut faults);
        }
        if faults.is_empty() { Ok(settings) } else { Err(faults) }
    }

    /// Writes the settings into the model, as if they had been in the file.
    pub fn apply(&self, spec: &mut ModelSpec) {
        let set = |field: &mut Option<Scalar>, value: Option<f64>| {
            if let Some(x) = value {
                *field = Some(Scalar::Number(x));
            }
        };
        set(&mut spec.analysis.end, self.end);
        set(&mut spec.analysis.sample, self.sample);
        set(&mut spec.method.rtol, self.rtol);
        set(&mut spec.method.atol, self.atol);
        set(&mut spec.method.step, self.step);
        set(&mut spec.method.rho_inf, self.rho_inf);
        if self.max_steps.is_some() {
            spec.method.max_steps = self.max_steps;
        }
        if self.method.is_some() {
            spec.method.name = self.method.clone();
        }
    }

    /// The option that a model path came from, if it did not come from the file.
    pub fn option_of(&self, path: &str) -> Option<&'static str> {
        let (option, given) = match path {
            "analysis.end" => ("--end", self.end.is_some()),
            "analysis.sample" => ("--sample", self.sample.is_some()),
            "method.name" => ("--method", self.method.is_some()),
            "method.rtol" => ("--rtol", self.rtol.is_some()),
            "method.atol" => ("--atol", self.atol.is_some()),
            "method.step" => ("--step", self.step.is_some()),
            "method.max_steps" => ("--max-steps", self.max_steps.is_some()),
            "method.rho_inf" => ("--rho-inf", self.rho_inf.is_some()),
            _ => return None,
        };
        given.then_some(option)
    }
}

fn keep<T>(result: Result<T, Box<Fault>>, faults: &mut Vec<Fault>) -> Option<T> {
    result.map_err(|f| faults.push(*f)).ok()
}
