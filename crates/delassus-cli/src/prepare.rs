//! From a path to an assembled model, with every fault located.

use crate::args::{InputArg, ModelArgs};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::input_files::{self, InputFile};
use crate::limits::{self, Bounds};
use crate::settings::Settings;
use crate::{reading, report};
use delassus::dae::KktError;
use delassus::dae::integrator::{MethodId, OptionError, STEPPING, catalogue};
use delassus::expr::suggest;
use delassus::io::model_file::{self, LoadedModel, SourceMap};
use delassus::model::spec::ModelSpec;
use delassus::model::{
    Assembled, Choice, ChoiceError, Diagnostic, System, assemble, compile_bounded,
};
use delassus::sim::{NO_ROOM, RunOptions, SetupError, SimErrorKind};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of problems shown.
const MOST: usize = 50;

/// A model that is ready to run.
pub struct Prepared {
    /// The model with a consistent start.
    pub model: Assembled,
    /// The options of the run.
    pub options: RunOptions,
    /// Notes for the user.
    pub notes: Vec<Fault>,
    /// Unknown keys that were ignored.
    pub ignored_keys: usize,
    /// SHA-256 of the model files and of the values set from outside.
    pub hash: String,
    /// Finds places in the files.
    pub places: Places,
}

/// Where a value of the model was given: in a file or on the command line.
pub struct Places {
    sources: SourceMap,
    settings: Settings,
    set: Vec<(String, String)>,
    input: Vec<(String, String)>,
    input_files: Vec<InputFile>,
    known: Vec<String>,
}

impl Places {
    /// Files the model was read from.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.sources.files().iter().map(|f| f.name())
    }

    /// Files that must not be written over: those of the model and of its inputs.
    pub fn all_files(&self) -> impl Iterator<Item = &str> {
        self.files().chain(self.input_files.iter().map(InputFile::name))
    }

    /// Checksums of other files that the model is made of, such as meshes.
    pub fn attached(&self) -> &[[u8; 32]] {
        self.sources.attached()
    }

    /// The text of the model, then that of the files it includes.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (k, file) in self.sources.files().iter().enumerate() {
            if k > 0 {
                out.push_str(&format!("\n# ---- {} ----\n", file.name()));
            }
            out.push_str(file.text());
        }
        out
    }

    /// Notes where a run goes beyond the times of files with inputs.
    pub fn beyond(&self, t_start: f64, t_end: f64) -> Vec<Fault> {
        input_files::beyond(&self.input_files, t_start, t_end)
    }

    /// A fault at a model path.
    pub fn fault(&self, code: &str, path: &str, message: &str) -> Fault {
        match self.settings.option_of(path) {
            Some(option) => Fault::new(code, option, message),
            None => Fault::new(code, path, message).at(self.sources.locate(path).as_ref()),
        }
    }

    fn diagnostics(&self, list: Vec<Diagnostic>) -> Vec<Fault> {
        let mut placed: Vec<((usize, usize), Fault)> = Vec::new();
        for d in list {
            if let Some(fault) = self.outside_fault(&d) {
                placed.push(((0, 0), fault));
                continue;
            }
            for p in model_file::locate_all(vec![d], &self.sources) {
                let file = self.files().position(|f| f == p.location.file()).unwrap_or(0);
                let mut fault = Fault::from(&p);
                if p.path.is_empty() {
                    // For the model as a whole its first line is irrelevant.
                    (fault.line, fault.column, fault.window) = (None, None, None);
                }
                placed.push(((file + 1, p.location.span.start), fault));
            }
        }
        placed.sort_by_key(|(at, _)| *at);
        placed.truncate(MOST);
        placed.into_iter().map(|(_, f)| f).collect()
    }

    /// Faults of values that came from the command line.
    fn outside_fault(&self, d: &Diagnostic) -> Option<Fault> {
        let path = match self.settings.option_of(&d.path) {
            Some(option) => option.to_owned(),
            None if d.path.starts_with("input.") => {
                let name = d.path.strip_suffix(".default")?.strip_prefix("input.")?;
                let (_, value) = self.input.iter().rev().find(|(n, _)| n == name)?;
                format!("--input {name}={value}")
            }
            None => {
                let name = d.path.strip_prefix("parameters.")?;
                let (_, value) = self.set.iter().rev().find(|(n, _)| n == name)?;
                let own = d.message.starts_with("in the value set from outside");
                if !own && self.known.iter().any(|k| k == name) {
                    return None;
                }
                format!("--set {name}={value}")
            }
        };
        let mut fault = Fault::new(d.code, path, &d.message);
        if let Some(help) = &d.help {
            fault = fault.help(help);
        }
        Some(fault)
    }
}

/// Loads, compiles and assembles a model.
pub fn prepare(args: &ModelArgs, settings: Settings) -> Result<Prepared, Failure> {
    let bounds = limits::read(&args.options.limit).map_err(Failure::input)?;
    let loaded = match reading::load(args, &bounds) {
        Ok(loaded) => loaded,
        Err((failure, None)) => return Err(failure),
        Err((failure, Some(rest))) => {
            return Err(look_further(args, settings, *rest, &bounds, failure));
        }
    };
    let (ignored, ignored_keys) = (reading::ignored(&loaded), loaded.ignored_keys);
    // An ignored key may be the reason why the rest is impossible.
    let mut prepared =
        ready(args, settings, loaded, &bounds).inspect_err(|_| report::warnings(&ignored))?;
    prepared.ignored_keys = ignored_keys;
    prepared.notes.splice(0..0, ignored);
    Ok(prepared)
}

fn ready(
    args: &ModelArgs,
    settings: Settings,
    loaded: LoadedModel,
    bounds: &Bounds,
) -> Result<Prepared, Failure> {
    let mut spec = loaded.spec;
    let known = spec.parameters.iter().map(|(n, _)| n.to_owned()).collect();
    settings.apply(&mut spec);
    let places = Places {
        sources: loaded.sources,
        settings,
        set: args.options.set.clone(),
        input: values(&args.options.input),
        input_files: input_files::read(&args.options, bounds.reader.max_file_bytes)?,
        known,
    };
    let choice = Choice::of(spec.method.name.as_deref(), spec.method.scheme);
    set_inputs(&mut spec, &places.input)?;
    input_files::apply(&mut spec, &places.input_files, &args.options.input)?;
    let mut faults: Vec<Diagnostic> = idle_method(&choice, &places.settings).into_iter().collect();
    faults.extend(foreign_options(&choice, &places.settings));
    let compiled = match compile_bounded(&spec, &args.options.set, bounds.elements) {
        Ok(model) if faults.is_empty() => model,
        other => {
            let mut found = other.err().unwrap_or_default();
            found.extend(faults);
            return Err(Failure::input(places.diagnostics(found)));
        }
    };
    let mut options = RunOptions::from_model(&compiled);
    options.limits = bounds.run;
    if let Some(most) = places.settings.max_time() {
        options.limits.cpu_s = most;
    }
    if let Err(e) = options.check(compiled.analysis.start) {
        return Err(setup_failure(&e, &places));
    }
    let mut notes = compiled.notes.clone();
    let refused = |faults| Failure::input(places.diagnostics(faults));
    let mut system = System::new(compiled).map_err(refused)?;
    system.limit_contacts(bounds.contacts);
    let model = assemble(system).map_err(refused)?;
    notes.extend(model.report.notes.iter().cloned());
    let mut notes = places.diagnostics(notes);
    notes.extend(places.beyond(model.state.t, options.t_end));
    let hash = hash(&places);
    Ok(Prepared { model, options, notes, ignored_keys: 0, hash, places })
}

/// Adds the faults of the rest of a model to those found while reading it, unless they are consequences of them.
fn look_further(
    args: &ModelArgs,
    settings: Settings,
    rest: LoadedModel,
    bounds: &Bounds,
    mut failure: Failure,
) -> Failure {
    let mut spec = rest.spec;
    settings.apply(&mut spec);
    let Err(mut found) = compile_bounded(&spec, &args.options.set, bounds.elements) else {
        return failure;
    };
    // the entry to which a path belongs: `body.crank`
    let entry = |path: &str| path.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
    let has = |f: &Fault, codes: &[&str]| codes.contains(&f.code.as_str());
    let cut: Vec<String> = failure
        .faults
        .iter()
        .filter(|f| !has(f, &["E_UNKNOWN_KEY"]))
        .map(|f| entry(&f.path))
        .collect();
    let misread: Vec<String> = failure.faults.iter().map(|f| entry(&f.path)).collect();
    found.retain(|d| {
        let at = entry(&d.path);
        // an unknown key may be the missing one misspelled, and an entry that was left out may be the one referred to
        let follows = match d.code {
            "E_MISSING_FIELD" => misread.contains(&at),
            "E_UNKNOWN_NAME" => !cut.is_empty(),
            _ => false,
        };
        !follows && !cut.contains(&at)
    });
    let known = spec.parameters.iter().map(|(n, _)| n.to_owned()).collect();
    let (set, input) = (args.options.set.clone(), values(&args.options.input));
    let input_files = Vec::new();
    let places = Places { sources: rest.sources, settings, set, input, input_files, known };
    failure.faults.extend(places.diagnostics(found));
    let files: Vec<String> = places.files().map(str::to_owned).collect();
    failure.faults.sort_by_key(|f| {
        let file = files.iter().position(|name| Some(name) == f.file.as_ref());
        (file, f.line, f.column)
    });
    failure.faults.truncate(MOST);
    failure
}

/// Inputs with one value.
fn values(given: &[InputArg]) -> Vec<(String, String)> {
    let value = |given: &InputArg| match given {
        InputArg::Value(name, value) => Some((name.clone(), value.clone())),
        InputArg::File(_) => None,
    };
    given.iter().filter_map(value).collect()
}

/// Replaces the default values of inputs by those of the command line.
fn set_inputs(spec: &mut ModelSpec, given: &[(String, String)]) -> Result<(), Failure> {
    let mut faults = Vec::new();
    for (name, value) in given {
        if let Some((_, input)) = spec.input.0.iter_mut().find(|(n, _)| n == name) {
            input.default = Some(value.as_str().into());
            continue;
        }
        let known: Vec<&str> = spec.input.iter().map(|(n, _)| n).collect();
        let help = match suggest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "the model has no inputs; see --set".to_owned(),
            None => format!("use one of: {}", known.join(", ")),
        };
        let message = format!("there is no input `{name}`");
        let path = format!("--input {name}={value}");
        faults.push(Fault::new("E_UNKNOWN_NAME", path, message).help(help));
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure::input(faults)) }
}

/// A method on the command line that time-stepping would not use. In a file it is for the other schemes, and a note
/// says so; here it is a mistake.
fn idle_method(choice: &Result<Choice, ChoiceError>, settings: &Settings) -> Option<Diagnostic> {
    let name = settings.method()?;
    choice.as_ref().ok()?.unused?;
    let message = format!("{name} cannot do time-stepping, which is the scheme of this run");
    let able: Vec<&str> = STEPPING.iter().map(|m| m.name).collect();
    let help = format!(
        "methods of time-stepping: {}; with --scheme hybrid, {name} runs from event to event",
        able.join(", ")
    );
    Some(Diagnostic::error("E_METHOD_SCHEME", "method.name", message).help(help))
}

/// Options on the command line that the method does not have. In a file they may be intended for another method; here
/// they are a mistake.
fn foreign_options(choice: &Result<Choice, ChoiceError>, settings: &Settings) -> Vec<Diagnostic> {
    let runs = match choice {
        Ok(choice) => Some(choice.method),
        Err(e) => e.method(),
    };
    let Some(method) = runs.map(MethodId::info) else { return Vec::new() };
    let foreign = settings.options().iter().filter(|g| method.option(&g.name).is_none());
    let fault = |name: &str| {
        let has: Vec<&str> = method.options.iter().map(|o| o.name).collect();
        let has = if has.is_empty() {
            "it has none".to_owned()
        } else {
            format!("it has: {}", has.join(", "))
        };
        let owners = catalogue().filter(|m| m.option(name).is_some()).map(|m| m.name);
        let message = format!("{} has no option `{name}`; {has}", method.name);
        Diagnostic::error("E_METHOD_OPTION", format!("method.{name}"), message)
            .help(format!("methods that have it: {}", owners.collect::<Vec<_>>().join(", ")))
    };
    foreign.map(|g| fault(&g.name)).collect()
}

/// The failure of a run that was rejected before it started.
pub fn setup_failure(e: &SetupError, places: &Places) -> Failure {
    let message = e.to_string();
    let fault = match e {
        SetupError::UnknownMethod { known, .. } => places
            .fault("E_UNKNOWN_METHOD", "method.name", &message)
            .help(format!("use one of: {}", known.join(", "))),
        SetupError::MethodCannot { able, .. } => places
            .fault("E_METHOD_CANNOT", "method.name", &message)
            .help(format!("methods that can: {}", able.join(", "))),
        SetupError::Option(o) => {
            let name = match o {
                OptionError::Unknown { name, .. } => name.as_str(),
                OptionError::Value { name, .. } => name,
            };
            places
                .fault("E_METHOD_OPTION", &format!("method.{name}"), &message)
                .help("`delassus methods NAME` lists the options of a method")
        }
        SetupError::NoRoom { .. } => Fault::new("E_LIMIT", "", message)
            .help("make the model smaller, or allow more memory (ulimit -v)"),
        SetupError::TooManyColumns { .. } => places
            .fault("E_LIMIT", "sensor", &message)
            .help("measure less, or raise the limit with --limit columns=N"),
        SetupError::Contacts(e) if e.kind == SimErrorKind::TooMuch => {
            let message = format!("at the start {}", e.detail);
            Fault::new(e.kind.code(), e.blame.join(", "), message).help(&e.help)
        }
        SetupError::Contacts(e) => {
            let fault = Fault::new("E_START", "", message).help(e.help.clone());
            return Failure { exit: Exit::Numerical, faults: vec![fault] };
        }
        SetupError::Setting { code: "E_START", .. } => {
            let fault = Fault::new("E_START", "", message)
                .help("check masses and forces at the start; another method may also help");
            return Failure { exit: Exit::Numerical, faults: vec![fault] };
        }
        SetupError::Setting { code, what, .. } => {
            let section = match *what {
                "end" | "start" | "sample" => "analysis",
                _ => "method",
            };
            let help = match *code {
                "E_TIME_SPEC" => "give times in seconds or with a unit, such as \"10 ms\"",
                "E_LIMIT" => "take longer steps, or raise --max-steps",
                "E_TOLERANCE" => "give a tolerance such as 1e-6",
                _ => "change the setting, or leave it out",
            };
            places.fault(code, &format!("{section}.{what}"), &message).help(help)
        }
        SetupError::TooLarge { .. } => places.fault("E_LIMIT", "analysis.sample", &message).help(
            "sample less often, run a shorter span, or raise the limit with \
                 --limit result-bytes=N",
        ),
        SetupError::Kkt(KktError::NoRoom { .. }) => {
            Fault::new("E_LIMIT", "", message).help(NO_ROOM)
        }
        SetupError::Kkt(_) => {
            let fault = Fault::new("E_START", "", message)
                .help("`delassus check` shows joints, degrees of freedom and redundancy");
            return Failure { exit: Exit::Numerical, faults: vec![fault] };
        }
    };
    Failure::input(vec![fault])
}

/// Identifies the model: for one file and no values set, it is what `sha256sum` prints. Meshes, files of tables
/// and of inputs count too. The order in which values are set does not matter; if one is set twice, the last one counts.
fn hash(places: &Places) -> String {
    let mut sha = Sha256::new();
    for file in places.sources.files() {
        sha.update(file.text());
    }
    for digest in places.sources.attached() {
        sha.update(format!("\nattached {}", hex(digest)));
    }
    for (option, given) in [("--set", &places.set), ("--input", &places.input)] {
        for (name, value) in given.iter().map(|(n, v)| (n, v)).collect::<BTreeMap<_, _>>() {
            sha.update(format!("\n{option} {name}={value}"));
        }
    }
    let files: BTreeSet<String> = places.input_files.iter().map(InputFile::identity).collect();
    for file in files {
        sha.update(format!("\n{file}"));
    }
    hex(&sha.finalize())
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
