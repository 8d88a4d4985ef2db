//! `delassus new`.

use crate::args::NewArgs;
use crate::console;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::output::refused;
use clap::ValueEnum;
use delassus::io::model_file::escape;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// Starter models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A point on a rod: the smallest model.
    Pendulum,
    /// Crank, rod and piston with a motor.
    SliderCrank,
    /// A closed loop of three bars, with a motor and a damper.
    FourBar,
    /// N links, made by repetition.
    Chain,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Pendulum => "pendulum",
            Kind::SliderCrank => "slider-crank",
            Kind::FourBar => "four-bar",
            Kind::Chain => "chain",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Kind::Pendulum => include_str!("starters/pendulum.toml"),
            Kind::SliderCrank => include_str!("starters/slider-crank.toml"),
            Kind::FourBar => include_str!("starters/four-bar.toml"),
            Kind::Chain => include_str!("starters/chain.toml"),
        }
    }
}

/// Writes a starter model; never overwrites an existing file.
pub fn new(a: &NewArgs) -> Result<Exit, Failure> {
    let path = match &a.file {
        Some(file) => file.clone(),
        None => PathBuf::from(format!("{}.toml", a.kind.name())),
    };
    let shown = escape(&path.display().to_string());
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            let fault = Fault::new("E_OUTPUT_EXISTS", "", format!("{shown} exists already"))
                .help("give another name: delassus new FILE");
            return Err(Failure::file(fault));
        }
        Err(e) => return Err(Failure::file(refused(&path, &e))),
    };
    if let Err(e) = file.write_all(a.kind.text().as_bytes()).and_then(|()| file.sync_all()) {
        // A half-written starter would help nobody.
        let _ = fs::remove_file(&path);
        return Err(Failure::file(refused(&path, &e)));
    }
    console::print(&format!("wrote {shown}\nrun it with: delassus run {shown}\n"))
}
