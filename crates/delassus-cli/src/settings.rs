//! Settings of the command line, which override those of the model file.

use crate::args::MethodArgs;
use crate::fault::Fault;
use crate::number::{count, number};
use delassus::dae::integrator::{MethodId, OptionKind, catalogue};
use delassus::expr::{Dim, suggest};
use delassus::model::spec::{
    AnalysisSpec, MethodSpec, ModelSpec, Scalar, SchemeType, option_dim, option_names,
};

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
    max_time: Option<f64>,
    scheme: Option<SchemeType>,
    options: Vec<Given>,
    /// Sections that take the place of those of the file.
    sections: Option<(MethodSpec, AnalysisSpec)>,
}

/// An option of the method as given.
#[derive(Debug)]
pub struct Given {
    /// The argument it came from.
    pub argument: String,
    /// Its name.
    pub name: String,
    value: Scalar,
}

impl Settings {
    /// Reads the options; reports all that cannot be read.
    pub fn read(a: &MethodArgs) -> Result<Settings, Vec<Fault>> {
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
            max_time: None,
            scheme: None,
            options: Vec::new(),
            sections: None,
        };
        if let Some(name) = &a.scheme {
            settings.scheme = keep(scheme(name), &mut faults);
        }
        if let Some(text) = &a.max_steps {
            settings.max_steps = keep(count("--max-steps", text), &mut faults);
        }
        if let Some(text) = &a.max_time {
            settings.max_time = keep(duration("--max-time", text), &mut faults);
        }
        let short = a.rho_inf.iter().map(|v| ("--rho-inf".to_owned(), "rho_inf", v));
        let long = a.method_option.iter();
        let long = long.map(|(n, v)| (format!("--method-option {n}={v}"), n.as_str(), v));
        for (argument, name, text) in short.chain(long) {
            if let Some(value) = keep(option_value(&argument, name, text), &mut faults) {
                settings.options.push(Given { argument, name: name.to_owned(), value });
            }
        }
        if faults.is_empty() { Ok(settings) } else { Err(faults) }
    }

    /// The few settings of `compare` that belong to the model.
    pub fn span(end: Option<f64>, sample: Option<f64>) -> Settings {
        Settings { end, sample, ..Settings::default() }
    }

    /// Sections that take the place of those of the file, as an FMU has them.
    pub fn of_sections(method: MethodSpec, analysis: AnalysisSpec) -> Settings {
        Settings { sections: Some((method, analysis)), ..Settings::default() }
    }

    /// Options of the method given on the command line.
    pub fn options(&self) -> &[Given] {
        &self.options
    }

    /// CPU time that the run may take, s.
    pub fn max_time(&self) -> Option<f64> {
        self.max_time
    }

    /// The method named on the command line.
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// Writes the settings into the model, as if they had been in the file.
    pub fn apply(&self, spec: &mut ModelSpec) {
        if let Some((method, analysis)) = &self.sections {
            (spec.method, spec.analysis) = (method.clone(), analysis.clone());
        }
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
        for given in &self.options {
            spec.method.options.set(&given.name, given.value.clone());
        }
        if self.max_steps.is_some() {
            spec.method.max_steps = self.max_steps;
        }
        if self.scheme.is_some() {
            spec.method.scheme = self.scheme;
        }
        if let Some(name) = &self.method {
            spec.method.name = Some(name.clone());
            // a time-stepping method implies its scheme, whatever the file has for other methods
            if let (None, Some(MethodId::Stepping(_))) = (self.scheme, MethodId::named(name)) {
                spec.method.scheme = None;
            }
        }
    }

    /// The option from which a model path came, if it did not come from the file.
    pub fn option_of(&self, path: &str) -> Option<&str> {
        if let Some(name) = path.strip_prefix("method.")
            && let Some(given) = self.options.iter().rev().find(|g| g.name == name)
        {
            return Some(&given.argument);
        }
        let (option, given) = match path {
            "analysis.end" => ("--end", self.end.is_some()),
            "analysis.sample" => ("--sample", self.sample.is_some()),
            "method.name" => ("--method", self.method.is_some()),
            "method.rtol" => ("--rtol", self.rtol.is_some()),
            "method.atol" => ("--atol", self.atol.is_some()),
            "method.step" => ("--step", self.step.is_some()),
            "method.scheme" => ("--scheme", self.scheme.is_some()),
            "method.max_steps" => ("--max-steps", self.max_steps.is_some()),
            _ => return None,
        };
        given.then_some(option)
    }
}

/// A time above zero.
/// A time above zero, s.
pub fn duration(option: &str, text: &str) -> Result<f64, Box<Fault>> {
    let value = number(option, text, Dim::TIME)?;
    if value > 0.0 {
        return Ok(value);
    }
    let message = format!("the value is {value} s, but must be above zero");
    Err(Box::new(Fault::new("E_RANGE", option, message).help("give a time such as \"10 s\"")))
}

fn scheme(name: &str) -> Result<SchemeType, Box<Fault>> {
    let found = SchemeType::ALL.iter().find(|s| s.name() == name).copied();
    found.ok_or_else(|| {
        let names: Vec<&str> = SchemeType::ALL.iter().map(|s| s.name()).collect();
        let message = format!("unknown scheme \"{name}\"");
        let help = format!("schemes: {}", names.join(", "));
        Box::new(Fault::new("E_UNKNOWN_VALUE", "--scheme", message).help(help))
    })
}

/// A word if some method has it as a choice for this option, a number otherwise.
fn option_value(argument: &str, name: &str, text: &str) -> Result<Scalar, Box<Fault>> {
    let mut kinds = catalogue().filter_map(|m| m.option(name)).map(|o| o.kind).peekable();
    if kinds.peek().is_none() {
        let known = option_names();
        let help = match suggest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("options of methods: {}", known.join(", ")),
        };
        let message = format!("no method has an option `{name}`");
        return Err(Box::new(Fault::new("E_METHOD_OPTION", argument, message).help(help)));
    }
    let kinds: Vec<OptionKind> = kinds.collect();
    let is_choice =
        |k: &OptionKind| matches!(k, OptionKind::Choice { choices, .. } if choices.contains(&text));
    // The compiler rejects a word that is none of the choices, and lists them.
    if kinds.iter().any(is_choice) || kinds.iter().all(|k| k.range().is_none()) {
        return Ok(Scalar::Text(text.to_owned()));
    }
    number(argument, text, option_dim(&kinds)).map(Scalar::Number)
}

fn keep<T>(result: Result<T, Box<Fault>>, faults: &mut Vec<Fault>) -> Option<T> {
    result.map_err(|f| faults.push(*f)).ok()
}
