//! `delassus resume`: continues from a checkpoint.

use crate::args::ResumeArgs;
use crate::checkpoint::{self, About};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::prepare::{Prepared, setup_failure};
use crate::run_cmd::{integrate, run_watched};
use delassus::sim::{RestoreError, Simulation};

/// Continues the run of a results folder, into the same files.
pub fn resume(a: &ResumeArgs) -> Result<Exit, Failure> {
    let (about, memory) = checkpoint::read(&a.folder)?;
    let mut run = about.run_here();
    if let Some(model) = &a.model {
        run.model.model.clone_from(model);
    }
    run.out = Some(a.folder.clone());
    run.checkpoint = a.checkpoint.clone().or(run.checkpoint.take());
    (run.quiet, run.json) = (a.quiet, a.json);
    if !a.quiet && !a.json {
        crate::console::warn(&format!("going on from t = {} s\n", about.t));
    }
    run_watched(&run, true, |prepared, target| {
        let mut sim = restored(&about, &memory, prepared)?;
        target.connect(&mut sim, Some(&about.samples))?;
        integrate(sim, &run, prepared, target)
    })
}

fn restored(about: &About, memory: &[u8], prepared: &Prepared) -> Result<Simulation, Failure> {
    let refused = |message: &str, help: &str| {
        Failure::input(vec![Fault::new("E_CHECKPOINT", "", message).help(help)])
    };
    if about.model_sha256 != prepared.hash {
        return Err(refused(
            "the model has changed since the checkpoint was written",
            "put the model file back as it was, name it with --model, or run the model again",
        ));
    }
    Simulation::restored(&prepared.model, &prepared.options, memory).map_err(|e| match e {
        RestoreError::Setup(e) => setup_failure(&e, &prepared.places),
        e @ RestoreError::Memory(_) => refused(&e.to_string(), "run the model again"),
    })
}
