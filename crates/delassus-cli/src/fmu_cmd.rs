//! `delassus export --fmu`, and reading such files back for `delassus check`.
//!
//! Owns where the runtime library is found and how faults are told; `delassus-fmu` owns the files.

use crate::args::{ExportArgs, InputArg, ModelArgs, ModelOptions};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::Writer;
use crate::output::{check_ending, check_target, real, refused};
use crate::prepare::prepare;
use crate::settings::Settings;
use crate::{console, input_files, limits, reading, report};
use delassus::io::model_file::escape;
use delassus_fmu::variables::Role;
use delassus_fmu::{Bundle, Exported, FmuError, Opened, Version};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};

/// Names the runtime library where it is not beside this program.
const RUNTIME_VARIABLE: &str = "DELASSUS_FMU_RUNTIME";
/// Largest FMU that is read back, bytes.
const LARGEST: u64 = 512 << 20;

/// Packs a model as an FMU.
pub fn export(a: &ExportArgs, model: &Path, output: &Path) -> Result<Exit, Failure> {
    let settings = Settings::read(&a.how).map_err(Failure::input)?;
    if let Some((option, name)) = input_files::named(&a.options).next() {
        let message = format!("{name}: inputs of an FMU come from the program that runs it");
        let fault = Fault::new("E_USAGE", option, message)
            .help("leave the option out; --input NAME=VALUE sets the value at the start");
        return Err(Failure::input(vec![fault]));
    }
    check_ending("--output", output, &["fmu"])?;
    let args = ModelArgs { model: model.to_owned(), options: a.options.clone() };
    // all faults of the model, with their places
    let prepared = prepare(&args, settings)?;
    report::warnings(&prepared.notes);
    let sources = real(prepared.places.all_files().map(PathBuf::from));
    check_target("--output", output, &sources)?;
    let runtime = runtime(a.runtime.as_deref())?;
    let bounds = limits::read(&a.options.limit).map_err(Failure::input)?;
    let mut loaded = reading::load(&args, &bounds).map_err(|(failure, _)| failure)?;
    Settings::read(&a.how).map_err(Failure::input)?.apply(&mut loaded.spec);
    let (method, analysis) = (loaded.spec.method.clone(), loaded.spec.analysis.clone());
    let stem = output.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let version = if a.fmi == "2" { Version::Two } else { Version::Three };
    let what = Exported {
        version,
        model_exchange: a.kind.as_ref().map(|kind| kind == "both"),
        lenient: a.options.lenient,
        set: &a.options.set,
        input: &values(&a.options),
        method,
        analysis,
        runtime: &runtime,
        name: &stem,
    };
    let made = delassus_fmu::export(loaded, &what).map_err(|e| failure(&e))?;
    Writer::one(output, &made.bytes)?;
    console::print(&text(output, version, a.kind.as_deref(), &made))
}

fn values(options: &ModelOptions) -> Vec<(String, String)> {
    let value = |given: &InputArg| match given {
        InputArg::Value(name, value) => Some((name.clone(), value.clone())),
        InputArg::File(_) => None,
    };
    options.input.iter().filter_map(value).collect()
}

fn text(output: &Path, version: Version, kind: Option<&str>, made: &Bundle) -> String {
    let count = |is: fn(Role) -> bool| made.variables.pick(is).count();
    let number = match version {
        Version::Two => "2.0",
        Version::Three => "3.0",
    };
    let offered = match (&made.without_model_exchange, kind) {
        (None, None | Some("both")) => "co-simulation and model exchange".to_owned(),
        (Some(why), _) => format!("co-simulation; no model exchange, because {why}"),
        _ => "co-simulation".to_owned(),
    };
    let mut text =
        format!("wrote {}: FMI {number}, {offered}\n", escape(&output.display().to_string()),);
    text.push_str(&format!(
        "  {} parameters, {} inputs, {} outputs",
        count(|r| matches!(r, Role::Parameter(..))),
        count(|r| matches!(r, Role::Input(..))),
        count(|r| matches!(r, Role::Output(_))),
    ));
    let variables = &made.variables;
    if variables.states > 0 {
        text.push_str(&format!(", {} continuous states", variables.states));
    }
    if variables.indicators > 0 {
        text.push_str(&format!(", {} event indicators", variables.indicators));
    }
    text.push('\n');
    if variables.states > 0 {
        text.push_str(&match &made.without_derivatives {
            None => "  directional derivatives in model exchange\n".to_owned(),
            Some(why) => format!("  no directional derivatives, because {why}\n"),
        });
    }
    text
}

/// Options of `--fmu` have no meaning for results.
pub fn only_for_fmu(a: &ExportArgs) -> Result<(), Failure> {
    let (o, h) = (&a.options, &a.how);
    let given = [
        ("--set", !o.set.is_empty()),
        ("--input", !o.input.is_empty() || !o.input_hold.is_empty()),
        ("--lenient", o.lenient),
        ("--allow-dir", !o.allow_dir.is_empty()),
        ("--limit", !o.limit.is_empty()),
        ("--method", h.method.is_some()),
        ("--rtol", h.rtol.is_some()),
        ("--atol", h.atol.is_some()),
        ("--step", h.step.is_some()),
        ("--end", h.end.is_some()),
        ("--sample", h.sample.is_some()),
        ("--max-steps", h.max_steps.is_some()),
        ("--max-time", h.max_time.is_some()),
        ("--method-option", !h.method_option.is_empty() || h.rho_inf.is_some()),
        ("--scheme", h.scheme.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            let fault = Fault::new("E_USAGE", option, "the option belongs to --fmu MODEL")
                .help("leave it out: a results folder is exported as it is");
            Err(Failure::input(vec![fault]))
        }
    }
}

/// The library for the FMU: as requested, or the one that was built with this program.
fn runtime(given: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let name = format!("{DLL_PREFIX}delassus_fmu_runtime{DLL_SUFFIX}");
    let read = |path: &Path| {
        fs::read(path).map_err(|e| {
            let message = format!("cannot read {}: {e}", path.display());
            Failure::file(Fault::new("E_FMU_RUNTIME", "--runtime", message).help(build_it()))
        })
    };
    if let Some(path) = given {
        return read(path);
    }
    if let Some(path) = std::env::var_os(RUNTIME_VARIABLE) {
        return read(Path::new(&path));
    }
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    let folders = beside.iter().flat_map(|dir| [dir.join("deps"), dir.clone()]);
    // of a build and of a copy, the newer one
    let found = folders.map(|dir| dir.join(&name)).filter(|path| path.is_file());
    let newest = found.max_by_key(|path| fs::metadata(path).and_then(|m| m.modified()).ok());
    match newest {
        Some(path) => read(&path),
        None => {
            let message = format!("there is no {name} beside this program");
            Err(Failure::file(Fault::new("E_FMU_RUNTIME", "--runtime", message).help(build_it())))
        }
    }
}

fn build_it() -> String {
    format!(
        "`cargo build --release -p delassus-fmu-runtime` in the sources makes it as \
         target/release/{DLL_PREFIX}delassus_fmu_runtime{DLL_SUFFIX}: copy it beside this program, or name it with --runtime FILE \
         or {RUNTIME_VARIABLE}"
    )
}

/// The model of an FMU while it is in use.
pub struct Packed {
    /// The model as unpacked, with the settings of the export before those of the command line.
    pub model: ModelArgs,
    opened: Opened,
}

impl Packed {
    /// The settings of the export.
    pub fn settings(&self) -> Settings {
        let manifest = &self.opened.manifest;
        Settings::of_sections(manifest.method.clone(), manifest.analysis.clone())
    }
}

/// Unpacks the model if the file is an FMU.
pub fn unpack(args: &ModelArgs) -> Result<Option<Packed>, Failure> {
    let path = &args.model;
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("fmu")) {
        return Ok(None);
    }
    let bytes = delassus::io::results::read_regular(path, LARGEST).map_err(|e| {
        let message = format!("cannot read {}: {e}", path.display());
        Failure::file(Fault::new("E_FILE", "", message).help("check the path of the FMU"))
    })?;
    let mut random = [0; 8];
    let temporary = std::env::temp_dir();
    getrandom::fill(&mut random)
        .map_err(|e| Failure::file(refused(&temporary, &std::io::Error::other(e.to_string()))))?;
    let folder = temporary.join(format!("delassus-fmu-{}", crate::prepare::hex(&random)));
    let opened = delassus_fmu::open(&bytes, &folder).map_err(|e| failure(&e))?;
    let manifest = &opened.manifest;
    let mut model = ModelArgs { model: opened.model(), options: args.options.clone() };
    model.options.lenient |= manifest.lenient;
    model.options.set.splice(0..0, manifest.set.iter().cloned());
    let inputs = manifest.input.iter().map(|(n, v)| InputArg::Value(n.clone(), v.clone()));
    model.options.input.splice(0..0, inputs);
    Ok(Some(Packed { model, opened }))
}

fn failure(e: &FmuError) -> Failure {
    let fault = Fault::new(e.code, "", &e.message).help(&e.help);
    match e.code {
        "E_FILE" => Failure::file(fault),
        _ => Failure::input(vec![fault]),
    }
}
