//! Checkpoints of a run: written while it is in progress, read by `delassus resume`.

use crate::args::{InputArg, RunArgs};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::number::number;
use crate::prepare::Prepared;
use crate::stage::{Mark, Shared};
use delassus::expr::Dim;
use delassus::io::results::{Checkpoint, CheckpointError, read_checkpoint, write_checkpoint};
use delassus::sim::contact::Event;
use delassus::sim::{Observer, Recorder, Simulation};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file in the results folder.
pub const CHECKPOINT_BIN: &str = "checkpoint.bin";

/// Shortest time between two checkpoints, in multiples of the time that one takes: they must not hold up the run.
const SHARE: u32 = 10;

/// Description of the run that a checkpoint belongs to.
#[derive(Debug, Serialize, Deserialize)]
pub struct About {
    /// Version of the program: another one may store other data.
    pub version: String,
    /// Identifies the content of the model.
    pub model_sha256: String,
    /// The command.
    pub run: RunArgs,
    /// The working directory of the command, to which its paths are relative.
    directory: PathBuf,
    /// Time reached, s.
    pub t: f64,
    /// The files with the samples up to that time.
    pub samples: Vec<Mark>,
}

impl About {
    /// The command as it must be given here. In the same directory, paths stay as they were, so that the results name
    /// the model as they would have without the interruption.
    pub fn run_here(&self) -> RunArgs {
        let mut run = self.run.clone();
        if std::env::current_dir().is_ok_and(|here| here == self.directory) {
            return run;
        }
        let at = |path: &mut PathBuf| *path = self.directory.join(&path);
        at(&mut run.model.model);
        run.model.options.allow_dir.iter_mut().for_each(at);
        let inputs = run.model.options.input.iter_mut().filter_map(|given| match given {
            InputArg::File(path) => Some(path),
            InputArg::Value(..) => None,
        });
        for path in inputs.chain(&mut run.model.options.input_hold) {
            *path = self.directory.join(&*path).to_string_lossy().into_owned();
        }
        let files = [&mut run.csv, &mut run.parquet, &mut run.events, &mut run.dump_states];
        files.into_iter().flatten().for_each(at);
        run
    }
}

/// The interval between checkpoints that the arguments request, in wall-clock time.
pub fn interval(a: &RunArgs) -> Result<Option<Duration>, Failure> {
    let Some(text) = &a.checkpoint else { return Ok(None) };
    let wrong = |fault| Failure::input(vec![fault]);
    let seconds = number("--checkpoint", text, Dim::TIME).map_err(|f| wrong(*f))?;
    let usage = |message: &str, help: &str| {
        wrong(Fault::new("E_USAGE", "--checkpoint", message).help(help))
    };
    let Ok(every) = Duration::try_from_secs_f64(seconds) else {
        return Err(usage("the interval must not be negative", "give a time such as \"10 s\""));
    };
    let own = a.csv.is_some() || a.parquet.is_some() || a.json;
    if own && a.out.is_none() {
        return Err(usage("a checkpoint stands in the results folder", "add --out DIR"));
    }
    Ok(Some(every))
}

/// Removes the checkpoint from a folder, if there is one: the run has ended.
pub fn remove(folder: &Path) {
    let _ = std::fs::remove_file(folder.join(CHECKPOINT_BIN));
}

/// Reads the checkpoint of a folder.
pub fn read(folder: &Path) -> Result<(About, Vec<u8>), Failure> {
    let path = folder.join(CHECKPOINT_BIN);
    let refused = |message: String, help: &str| {
        let message = format!("{}: {message}", path.display());
        Failure::file(Fault::new("E_CHECKPOINT", "", message).help(help))
    };
    let Checkpoint { about, memory } = read_checkpoint(&path).map_err(|e| match e {
        CheckpointError::Io(e) if e.kind() == std::io::ErrorKind::NotFound => refused(
            "there is no checkpoint here".to_owned(),
            "a run writes them with --checkpoint \"10 s\", and takes the last one away when it is done",
        ),
        CheckpointError::OtherFormat { .. } => {
            refused(e.to_string(), "use the version of delassus that wrote it, or run the model again")
        }
        e => refused(e.to_string(), "run the model again"),
    })?;
    let about: About = serde_json::from_str(&about).map_err(|e| {
        refused(format!("what it is about cannot be read: {e}"), "run the model again")
    })?;
    if about.version != env!("CARGO_PKG_VERSION") {
        let message = format!(
            "it was written by version {}, and this is version {}",
            about.version,
            env!("CARGO_PKG_VERSION")
        );
        return Err(refused(message, "use the version that wrote it, or run the model again"));
    }
    Ok((about, memory))
}

/// Writes checkpoints in addition to what another observer does.
pub struct Saver<'a> {
    inner: &'a mut dyn Observer,
    every: Duration,
    /// The next one is not due before this.
    due: Instant,
    path: PathBuf,
    about: About,
    stage: Shared,
    /// Why the last one could not be written; the run continues.
    pub fault: Option<Fault>,
}

impl<'a> Saver<'a> {
    /// Writes into a folder.
    pub fn new(
        inner: &'a mut dyn Observer,
        every: Duration,
        folder: &Path,
        a: &RunArgs,
        prepared: &Prepared,
        stage: Shared,
    ) -> Result<Saver<'a>, Failure> {
        let refused = |path: &Path, e: &std::io::Error| Failure {
            exit: Exit::File,
            faults: vec![crate::output::refused(path, e)],
        };
        let here = Path::new(".");
        let directory = std::env::current_dir().map_err(|e| refused(here, &e))?;
        Ok(Saver {
            inner,
            every,
            due: Instant::now() + every,
            path: folder.join(CHECKPOINT_BIN),
            about: About {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                model_sha256: prepared.hash.clone(),
                run: a.clone(),
                directory,
                t: prepared.model.state.t,
                samples: Vec::new(),
            },
            stage,
            fault: None,
        })
    }

    fn write(&mut self, sim: &mut Simulation) -> Result<(), String> {
        self.about.t = sim.state().t;
        // the samples are in their files, whose state the checkpoint records
        sim.hand_on();
        if !sim.can_pause() {
            return Ok(());
        }
        self.about.samples = self.stage.lock().marks().map_err(|e| e.to_string())?;
        let about = serde_json::to_string(&self.about).map_err(|e| e.to_string())?;
        write_checkpoint(&self.path, &about, &sim.save()).map_err(|e| e.to_string())
    }
}

impl Observer for Saver<'_> {
    fn stepped(&mut self, t: f64, steps: u64) {
        self.inner.stepped(t, steps);
    }

    fn recorded(&mut self, r: &Recorder) {
        self.inner.recorded(r);
    }

    fn happened(&mut self, events: &[Event]) {
        self.inner.happened(events);
    }

    fn stop(&self) -> bool {
        self.inner.stop()
    }

    fn pause(&mut self, sim: &mut Simulation) {
        let begun = Instant::now();
        if begun < self.due && !self.stop() {
            return;
        }
        self.fault = self.write(sim).err().map(|e| {
            let message = format!("no checkpoint at t = {} s: {e}", sim.state().t);
            Fault::new("N_CHECKPOINT", "--checkpoint", message)
                .help("check the space on the disk; the run goes on without")
        });
        let took = begun.elapsed();
        self.due = Instant::now() + self.every.max(SHARE * took);
    }
}
