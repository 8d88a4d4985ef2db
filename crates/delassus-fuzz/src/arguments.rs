//! The command line.

use crate::MIX;
use delassus_fuzz::case::Target;
use std::path::PathBuf;

pub const USAGE: &str = "\
usage: cargo xtask fuzz [options]

  --seconds N     stop after so many seconds (60 when neither this nor --cases is given)
  --cases N       stop after so many cases
  --seed S        seed of all cases (1)
  --first I       number of the first case (0)
  --target NAME   check, run, analysis, results or fmu only; may be given several times
  --out DIR       where models that are not answered are written
  --jobs N        commands at once (the number of cores)
  --no-shrink     write findings as they are
  --program FILE  the command (target/ci/delassus)
  --models DIR    models to start from (models)";

#[derive(Debug, Clone)]
pub struct Arguments {
    pub help: bool,
    pub shrink: bool,
    pub seconds: Option<u64>,
    pub cases: Option<u64>,
    pub seed: u64,
    pub first: u64,
    pub targets: Vec<Target>,
    pub out: Option<PathBuf>,
    pub jobs: usize,
    pub program: PathBuf,
    pub models: PathBuf,
}

pub fn read(arguments: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut a = Arguments {
        help: false,
        shrink: true,
        seconds: None,
        cases: None,
        seed: 1,
        first: 0,
        targets: Vec::new(),
        out: None,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        program: PathBuf::from("target/ci/delassus"),
        models: PathBuf::from("models"),
    };
    let mut rest = arguments;
    while let Some(word) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--help" | "-h" => a.help = true,
            "--no-shrink" => a.shrink = false,
            "--seconds" => a.seconds = Some(number(&value()?)?),
            "--cases" => a.cases = Some(number(&value()?)?),
            "--seed" => a.seed = number(&value()?)?,
            "--first" => a.first = number(&value()?)?,
            "--out" => a.out = Some(value()?.into()),
            "--jobs" => a.jobs = number(&value()?)?.max(1) as usize,
            "--program" => a.program = value()?.into(),
            "--models" => a.models = value()?.into(),
            "--target" => {
                let name = value()?;
                let target = Target::named(&name);
                a.targets.push(target.ok_or_else(|| format!("there is no target {name}"))?);
            }
            _ => return Err(format!("unknown option {word}")),
        }
    }
    if a.targets.is_empty() {
        a.targets = MIX.to_vec();
    }
    if a.seconds.is_none() && a.cases.is_none() {
        a.seconds = Some(60);
    }
    Ok(a)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is not a whole number"))
}
