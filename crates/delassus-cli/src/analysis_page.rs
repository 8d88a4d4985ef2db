//! Pages that `statics`, `modes` and `rotor` write with `--report`.

use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::Writer;
use crate::output::{check_ending, check_target, real};
use crate::page;
use crate::prepare::Prepared;
use delassus::dae::State;
use delassus::io::results::MotionFile;
use delassus::model::{System, node_pose, pose_of};
use delassus_report::Report;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Rejects a page that cannot be written or that the model was read from, before the work.
pub fn check(p: &Prepared, model: &Path, page: Option<&Path>) -> Result<(), Failure> {
    let Some(file) = page else { return Ok(()) };
    check_ending("--report", file, &["html", "htm"])?;
    let sources = p.places.all_files().map(PathBuf::from).chain([model.to_owned()]);
    check_target("--report", file, &real(sources))
}

/// Writes a page.
pub fn write(file: &Path, html: &str) -> Result<(), Failure> {
    Writer::one(file, html.as_bytes())
}

/// What a page shows of a model at one state.
pub fn at(p: &Prepared, model: &Path, state: Option<&State>, notes: &[Fault]) -> Report {
    let description = page::describe(p, model);
    let summary = json!({
        "status": "done",
        "version": env!("CARGO_PKG_VERSION"),
        "model": p.model.system.model().title,
        "model_file": description.model.file,
        "model_sha256": p.hash,
        "code": Exit::Done.code(),
        "notes": notes,
    });
    Report {
        description: Some(description),
        summary,
        motion: state.map(|s| still(&p.model.system, s)).unwrap_or_default(),
        ..Report::default()
    }
}

/// The bodies at a state as a motion with one row.
fn still(sys: &System, s: &State) -> MotionFile {
    let model = sys.model();
    let mut first = Vec::with_capacity(model.bodies.len());
    let mut at = 0;
    for b in &model.bodies {
        first.push(at);
        at += b.nq();
    }
    let mut out = MotionFile { stride: 1, t: vec![s.t], ..MotionFile::default() };
    for c in model.carriers() {
        let from = first[c.number];
        let q = s.q.get(from..from + c.body.nq()).unwrap_or_default();
        let pose = match c.body.flexible.as_ref().zip(c.node) {
            Some((f, k)) => node_pose(c.body.kind, f, q, k),
            None => pose_of(c.body.kind, &c.body.com, q),
        };
        let form = c.body.kind.pose_form();
        form.pack(&pose, &mut out.coordinates);
        out.forms.push(form);
    }
    out
}
