//! Reads the model file as the command line requests.

use crate::args::ModelArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::limits::Bounds;
use crate::report;
use delassus::io::model_file::{self, LoadError, LoadOptions, LoadedModel, Rest};
use delassus::model::Severity;

/// Reads a model and what it includes; a failure comes with whatever could be read in spite of it.
pub fn load(args: &ModelArgs, bounds: &Bounds) -> Result<LoadedModel, (Failure, Rest)> {
    let options = LoadOptions {
        limits: bounds.reader.clone(),
        lenient: args.options.lenient,
        allowed_dirs: args.options.allow_dir.clone(),
    };
    model_file::load_in_part(&args.model, &options).map_err(|(e, rest)| (failure(args, e), rest))
}

/// Notes on the keys that were ignored, and on how many more there were.
pub fn ignored(loaded: &LoadedModel) -> Vec<Fault> {
    let mut notes: Vec<Fault> = loaded.notes.iter().map(Fault::from).collect();
    let more = loaded.ignored_keys.saturating_sub(notes.len());
    if more > 0 {
        let message = format!("{more} more unknown keys are ignored");
        let note = Fault::new("N_UNKNOWN_KEY", "", message)
            .help("leave --lenient out to have them refused");
        notes.push(note);
    }
    notes
}

fn failure(args: &ModelArgs, e: LoadError) -> Failure {
    match e {
        LoadError::Invalid(problems) => {
            let (errors, notes): (Vec<_>, Vec<_>) =
                problems.iter().partition(|p| p.severity == Severity::Error);
            // An ignored key may be the one that is missing now.
            report::warnings(&notes.into_iter().map(Fault::from).collect::<Vec<_>>());
            Failure::input(errors.into_iter().map(Fault::from).collect())
        }
        LoadError::Io { path, source } => {
            let message = format!("cannot read {}: {source}", path.display());
            // The model itself takes precedence, even if it is also given as a folder to be allowed.
            let fault = if path != args.model && args.options.allow_dir.contains(&path) {
                Fault::new("E_FILE", "--allow-dir", message).help("give a folder that exists")
            } else {
                Fault::new("E_FILE", "", message)
                    .help("check the path of the model; `delassus new` writes a first one")
            };
            Failure { exit: Exit::File, faults: vec![fault] }
        }
    }
}
