//! The command line.

use crate::exit::Exit;
use crate::fault::Fault;
use crate::new_cmd::Kind;
use crate::rt::RtArgs;
use crate::{console, report};
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Multibody dynamics with error bars and named failures.
#[derive(Debug, Parser)]
#[command(name = "delassus", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 2 bad input or usage, 3 numerical failure (results up \
to there are kept), 4 the accuracy asked for is not certified, 5 file or system error, 6 a deadline of real time was missed, 70 internal error, 130 interrupted (results kept)."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a model and write its results.
    Run(Box<RunArgs>),
    /// Continue a run that was stopped, from its last checkpoint.
    Resume(ResumeArgs),
    /// Run a model with several methods and measure the cost and accuracy of each.
    Compare(Box<CompareArgs>),
    /// Run every mechanism of a folder with every method: which one solves what, and at what cost.
    Bench(Box<BenchArgs>),
    /// Let independent families of methods confirm each other: every column with an error band.
    Certify(Box<CertifyArgs>),
    /// Find the equilibrium that a model comes to rest at: positions, reactions, forces, stability.
    Statics(StaticsArgs),
    /// Find the frequencies, damping and shapes of small motions.
    Modes(ModesArgs),
    /// Find whirl frequencies over the speed, critical speeds, or the answer to unbalance of a rotor.
    Rotor(RotorArgs),
    /// Step a model on the clock, with inputs and outputs for other programs.
    Rt(Box<RtArgs>),
    /// Inspect a model without running it: bodies, joints, degrees of freedom, redundancy.
    Check(CheckArgs),
    /// Write a commented starter model.
    New(NewArgs),
    /// Print the JSON schema of model files.
    Schema,
    /// List the fields that each type of joint, force, section, shape, contact and sensor accepts.
    Fields(FieldsArgs),
    /// List the integration methods, or describe one in full.
    Methods(MethodsArgs),
    /// Show a run in the browser: from a results folder, or of a model that is run for this purpose.
    View(Box<ViewArgs>),
    /// Rebuild report.html of a results folder.
    Report(ReportArgs),
    /// Draw columns of a results folder over time.
    Plot(PlotArgs),
    /// Write the motion of a results folder for other programs.
    Export(Box<ExportArgs>),
}

/// The model and its parameters.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub struct ModelArgs {
    /// Model file (TOML, or JSON when its name ends in .json).
    pub model: PathBuf,
    /// How to read it.
    #[command(flatten)]
    #[serde(flatten)]
    pub options: ModelOptions,
}

/// How to read a model.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub struct ModelOptions {
    /// Set a parameter of the model to another value; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment, allow_hyphen_values = true)]
    pub set: Vec<(String, String)>,
    /// Set an input of the model for the whole run, or inputs over time from a CSV file with a column `t` and columns
    /// named like inputs, with straight lines between its lines; may be given several times.
    #[arg(long, value_name = "NAME=VALUE|FILE", value_parser = input, allow_hyphen_values = true)]
    #[serde(default)]
    pub input: Vec<InputArg>,
    /// The same file, with each value held until the next line; may be given several times.
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub input_hold: Vec<String>,
    /// Ignore unknown keys of the model file with a warning for each, instead of an error.
    #[arg(long)]
    pub lenient: bool,
    /// Allow includes from this folder, in addition to that of the model; may be given several times.
    #[arg(long, value_name = "DIR")]
    pub allow_dir: Vec<PathBuf>,
    /// Change a limit on the resources that the model may request; may be given several times. Names: file-bytes,
    /// total-bytes, depth, tokens, entries, include-depth, includes, elements, contact-pairs, contact-points,
    /// result-bytes, columns, events.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment, allow_hyphen_values = true)]
    pub limit: Vec<(String, String)>,
}

/// What `--input` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InputArg {
    /// One input: name and value.
    Value(String, String),
    /// Path of a file with inputs over time.
    File(String),
}

/// `delassus run`. Numbers may be expressions with units: "10 ms", "2*pi", 1e-3.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub struct RunArgs {
    /// Model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to run it.
    #[command(flatten)]
    #[serde(flatten)]
    pub how: MethodArgs,
    /// Folder for report.html, results.csv, results.parquet, summary.json and the rest
    /// [default: out/MODEL, unless --csv, --parquet or --json is given].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write time and sensors to this CSV file.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write all columns to this Parquet file.
    #[arg(long, value_name = "FILE")]
    pub parquet: Option<PathBuf>,
    /// Write what happened at contacts to this CSV file.
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// When the run fails, write the last 100 accepted states to this CSV file.
    #[arg(long, value_name = "FILE")]
    pub dump_states: Option<PathBuf>,
    /// Write a checkpoint into the results folder at this interval of wall-clock time, such as "10 s".
    /// `delassus resume DIR` continues from the last one with bitwise identical results.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub checkpoint: Option<String>,
    /// Exit with code 4 if the verdict on the results is not good.
    #[arg(long)]
    pub strict: bool,
    /// Do not write report.html.
    #[arg(long)]
    pub no_report: bool,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
    /// Use an output folder that contains other files.
    #[arg(long)]
    pub force: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// How a model is run. Numbers may be expressions with units.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub struct MethodArgs {
    /// Integration method; see `delassus methods`.
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Relative tolerance.
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub rtol: Option<String>,
    /// Absolute tolerance, SI.
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub atol: Option<String>,
    /// Fixed step, s; without it, steps adapt to the tolerance.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// End time, s.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub end: Option<String>,
    /// Interval of the results, s.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub sample: Option<String>,
    /// Largest number of steps.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_steps: Option<String>,
    /// Largest CPU time of a run, s; results up to that point are kept [default: any; 60 for certify].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    #[serde(default)]
    pub max_time: Option<String>,
    /// An option of the method, as `delassus methods NAME` lists them; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment, allow_hyphen_values = true)]
    pub method_option: Vec<(String, String)>,
    /// Short for --method-option rho_inf=NUMBER.
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub rho_inf: Option<String>,
    /// How contacts are treated: hybrid, event-driven or time-stepping [default: that of the model,
    /// or hybrid].
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,
}

/// `delassus resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Results folder with the checkpoint of a run that did not end.
    pub folder: PathBuf,
    /// Where the model file is now, if it has been moved.
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Another interval between checkpoints, in wall-clock time.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub checkpoint: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `delassus compare`. Lists are separated by commas; numbers may be expressions with units.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Methods: `all`, or names separated by commas.
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub methods: String,
    /// Relative tolerances [default: 1e-4,1e-6,1e-8, unless --steps is given]. Fixed-step methods derive their steps
    /// from them, unless --steps is given.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub tolerances: Option<String>,
    /// Fixed steps, s: for methods that cannot adapt theirs, and for all methods without --tolerances.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub steps: Option<String>,
    /// CSV file with a column t and columns named like sensors, against which errors are measured [default: tight runs
    /// of two different methods].
    #[arg(long, value_name = "FILE")]
    pub reference: Option<PathBuf>,
    /// Which error is used.
    #[arg(long, value_enum, default_value_t = ErrorKindArg::Relative)]
    pub measure: ErrorKindArg,
    /// Errors to reach; for each, the cheapest run of every method is listed [default for the conclusion:
    /// 1e-3,1e-5,1e-7].
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub thresholds: Option<String>,
    /// Number of concurrent runs; 1 gives the most reliable times [default: all cores].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub jobs: Option<String>,
    /// Largest number of steps of a run.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_steps: Option<String>,
    /// Largest CPU time of a run, s [default: 60].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_time: Option<String>,
    /// End time, s.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub end: Option<String>,
    /// Interval of the samples that are compared, s [default: that of the reference file, or of the model].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub sample: Option<String>,
    /// Folder for compare.csv, compare.json and the plots [default: out/MODEL-compare, unless
    /// --json is given].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
    /// Use an output folder that contains other files.
    #[arg(long)]
    pub force: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `delassus bench`. Lists are separated by commas; numbers may be expressions with units.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Folder with model files, or a set of the library: smooth, impacts, flexible.
    pub set: PathBuf,
    /// Methods: `all`, or names separated by commas; `default` is the method of each model file.
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub methods: String,
    /// Relative tolerances [default: 1e-4,1e-6,1e-8]. Fixed-step methods derive their steps from them.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub rtols: Option<String>,
    /// Mechanisms by the names of their files [default: all]; `*` matches any text and `?` any character.
    #[arg(long, value_name = "LIST")]
    pub filter: Option<String>,
    /// Number of concurrent runs; 1 gives the most reliable times [default: all cores].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub jobs: Option<String>,
    /// Largest CPU time of a run, s [default: 60].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_time: Option<String>,
    /// Folder for the results [default: out/bench-SET]. A benchmark that was stopped goes on in it.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Make the references of the set instead, in its folder `reference`: those that are missing or old; all with
    /// --force.
    #[arg(long)]
    pub make_references: bool,
    /// A run with an error of more than so many tolerances is off, and does not count as solved [default: 100].
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub off: Option<String>,
    /// Exit with code 4 if a run failed or is far from its reference, or a stored reference is missing or old.
    #[arg(long)]
    pub strict: bool,
    /// Codes of failures that --strict accepts, such as E_STIFF.
    #[arg(long, value_name = "CODES")]
    pub accept: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
    /// Use an output folder that contains other files.
    #[arg(long)]
    pub force: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `delassus certify`. Options of a run have the same meaning as for `run`; --step is that of the time-stepping run
/// that confirms contacts.
#[derive(Debug, Args)]
pub struct CertifyArgs {
    /// The run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Accuracy to confirm, relative to the size of each column [default: 1e-6].
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub accuracy: Option<String>,
    /// Largest number of runs, at least 2 [default: 10].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_runs: Option<String>,
    /// Number of concurrent runs [default: all cores].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub jobs: Option<String>,
}

/// Which error is used for thresholds, marks and plots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ErrorKindArg {
    /// Root mean square, each column relative to its largest magnitude.
    Relative,
    /// Largest deviation, relative in the same way.
    Max,
    /// Root mean square in SI units.
    Absolute,
}

/// `delassus check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Tell what steps in real time need: operations, memory, time, and whether they are stable.
    #[arg(long)]
    pub rt: bool,
    /// With --rt: steps per second, such as "1 kHz" [default: those of the model's fixed step, or 1 kHz].
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, requires = "rt")]
    pub rate: Option<String>,
    /// With --rt: points of contact that act at a time [default: 16].
    #[arg(long, value_name = "N", requires = "rt")]
    pub contacts: Option<String>,
    /// With --rt: sweeps over them in a step [default: 20].
    #[arg(long, value_name = "N", requires = "rt")]
    pub sweeps: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// `delassus statics`.
#[derive(Debug, Args)]
pub struct StaticsArgs {
    /// Model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Largest CPU time, s [default: any].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_time: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
    /// Write the JSON object to this file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page that shows it in the browser to this file (.html).
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// `delassus modes`.
#[derive(Debug, Args)]
pub struct ModesArgs {
    /// Model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Next to what: `static` (the equilibrium), `start`, `steady` (the steady motion with the velocities of the start), or a time of the run.
    #[arg(long, value_name = "STATE", default_value = "static", allow_hyphen_values = true)]
    pub at: String,
    /// So many lowest modes [default: all of models of up to 400 velocities, 20 of larger ones].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub count: Option<String>,
    /// Leave out damping and integrals of controllers; gyroscopic terms stay.
    #[arg(long)]
    pub undamped: bool,
    /// Largest CPU time, s [default: any].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_time: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
    /// Write the JSON object to this file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page that shows it in the browser to this file (.html).
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// `delassus rotor`.
#[derive(Debug, Args)]
pub struct RotorArgs {
    /// Model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// What to find: frequencies over the speed, speeds that meet one of them, or motions by unbalance.
    pub what: RotorQuestion,
    /// Speeds: FIRST:LAST:COUNT, or one, in rad/s or with a unit ("0:25000 rpm:26").
    #[arg(long, value_name = "SPEEDS", allow_hyphen_values = true)]
    pub speeds: String,
    /// Parameter of the model that is the speed of the rotor in rad/s.
    #[arg(long, value_name = "NAME", default_value = "speed")]
    pub parameter: String,
    /// Unbalance at the origin of a body, mass times eccentricity (kg m); may be given several times.
    #[arg(long, value_name = "BODY=VALUE", value_parser = assignment)]
    pub unbalance: Vec<(String, String)>,
    /// Bodies whose motion is told [default: those with unbalance]; may be given several times.
    #[arg(long, value_name = "BODY")]
    pub of: Vec<String>,
    /// Leave out damping of the frequencies; critical speeds are always without.
    #[arg(long)]
    pub undamped: bool,
    /// Draw it to this file (.svg or .png).
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Largest CPU time, s [default: any].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_time: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
    /// Write the JSON object to this file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page that shows it in the browser to this file (.html).
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// What `delassus rotor` finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RotorQuestion {
    /// Whirl frequencies at each speed, forward and backward.
    Campbell,
    /// Speeds at which an undamped whirl frequency is the speed.
    Critical,
    /// Amplitudes and phases by unbalance at each speed.
    Unbalance,
    /// All three; unbalance if some is given.
    All,
}

/// `delassus view`. The options that run a model do not apply to a results folder.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// Results folder, model file, or page (.html).
    #[arg(value_name = "RESULT|MODEL|PAGE")]
    pub target: PathBuf,
    /// Show a model while it runs.
    #[arg(long)]
    pub live: bool,
    /// Print the address of the page instead of opening it.
    #[arg(long)]
    pub no_open: bool,
    /// How to read a model.
    #[command(flatten)]
    pub options: ModelOptions,
    /// How to run it.
    #[command(flatten)]
    pub how: MethodArgs,
    /// Folder for the results of the model [default: a new one for temporary files].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Use an output folder that contains other files.
    #[arg(long)]
    pub force: bool,
}

/// `delassus report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Results folder.
    pub result: PathBuf,
    /// File to write [default: report.html in the folder].
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `delassus plot`.
#[derive(Debug, Args)]
pub struct PlotArgs {
    /// Results folder.
    pub result: PathBuf,
    /// Columns to draw; `*` matches any text and `?` any character. Without any, the names are listed.
    #[arg(value_name = "CHANNEL")]
    pub channels: Vec<String>,
    /// File to write, .svg or .png [default: plot.svg in the folder].
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Logarithmic vertical axis.
    #[arg(long)]
    pub log: bool,
    /// Draw over this column instead of time; y of a point over x shows its path.
    #[arg(long, value_name = "CHANNEL")]
    pub over: Option<String>,
    /// Draw samples from this time on, s.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Draw samples up to this time, s.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
}

/// `delassus export`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub struct ExportArgs {
    /// Results folder, for --gltf and --frames.
    #[arg(required_unless_present = "fmu", conflicts_with = "fmu")]
    pub result: Option<PathBuf>,
    /// Write the motion as glTF 2.0 (binary), for 3D programs.
    #[arg(long, value_name = "FILE", group = "what", conflicts_with = "fmu")]
    pub gltf: Option<PathBuf>,
    /// Write pictures of the motion into this folder; needs Node.js and Chromium.
    #[arg(long, value_name = "DIR", group = "what", conflicts_with = "fmu")]
    pub frames: Option<PathBuf>,
    /// Pictures per second of the motion.
    #[arg(long, value_name = "NUMBER", default_value = "25", requires = "frames")]
    pub fps: String,
    /// Pack this model as a functional mock-up unit (FMU), for other simulation programs on machines like this one.
    #[arg(long, value_name = "MODEL", group = "what", requires = "output")]
    pub fmu: Option<PathBuf>,
    /// The FMU to write.
    #[arg(short, long, value_name = "FILE", requires = "fmu")]
    pub output: Option<PathBuf>,
    /// Version of the standard FMI.
    #[arg(long, value_name = "VERSION", default_value = "3", value_parser = ["2", "3"], requires = "fmu")]
    pub fmi: String,
    /// What the FMU offers [default: both, where the model allows model exchange].
    #[arg(long, value_name = "KIND", value_parser = ["both", "co-simulation"], requires = "fmu")]
    pub kind: Option<String>,
    /// The library that runs the model inside the FMU [default: the one built with this program].
    #[arg(long, value_name = "FILE", requires = "fmu")]
    pub runtime: Option<PathBuf>,
    /// How to read the model.
    #[command(flatten, next_help_heading = "Options of --fmu")]
    pub options: ModelOptions,
    /// How it is run.
    #[command(flatten, next_help_heading = "Options of --fmu")]
    pub how: MethodArgs,
}

/// `delassus methods`.
#[derive(Debug, Args)]
pub struct MethodsArgs {
    /// Method to describe in full, with its options.
    pub name: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

/// `delassus fields`.
#[derive(Debug, Args)]
pub struct FieldsArgs {
    /// Section of the model file, such as joint [default: all].
    pub section: Option<String>,
    /// Type of entry, such as revolute [default: all].
    #[arg(value_name = "TYPE")]
    pub kind: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

/// `delassus new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// File to write [default: KIND.toml].
    pub file: Option<PathBuf>,
    /// Which mechanism.
    #[arg(long, value_enum, default_value_t = Kind::Pendulum)]
    pub kind: Kind,
}

fn input(text: &str) -> Result<InputArg, String> {
    if text.contains('=') {
        return assignment(text).map(|(name, value)| InputArg::Value(name, value));
    }
    match text.trim() {
        "" => Err("write NAME=VALUE, or the name of a CSV file".to_owned()),
        path => Ok(InputArg::File(path.to_owned())),
    }
}

pub fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write NAME=VALUE, as in L=\"20 mm\"".to_owned()),
    }
}

/// Reads the command line.
pub fn parse(line: &[OsString]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(line)
}

/// Prints help, version or a usage error.
pub fn explain(error: &clap::Error, json: bool) -> Exit {
    let help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let text = error.render();
    if help {
        let text = if std::io::stdout().is_terminal() {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        return console::print(&text).unwrap_or(Exit::File);
    }
    let text = console::safe(&text.to_string());
    if json {
        let message = text.trim().trim_start_matches("error: ").to_owned();
        let fault = Fault::new("E_USAGE", "", message).help("see `delassus --help`");
        report::failure(Exit::Input, &[fault], true);
    } else {
        console::warn(&format!("E_USAGE\n\n{text}"));
    }
    Exit::Input
}
