//! The command line.

use std::path::PathBuf;

pub const USAGE: &str = "\
usage: cargo xtask adversary [options]

  --seconds N      stop after so many seconds (60 when neither this nor --models is given)
  --models N       stop after so many models
  --seed S         seed of all models (1)
  --first I        number of the first model (0)
  --family NAME    only this family; may be given several times
  --relation NAME  only this relation
  --out DIR        where models that violate a relation are written
  --jobs N         processes at once (the number of cores)
  --no-shrink      write findings as they are
  --accept         write what is found into the list of known findings
  --show           print the model of --first instead of running it
  --list           families and relations";

#[derive(Debug, Clone)]
pub struct Arguments {
    pub help: bool,
    pub list: bool,
    pub show: bool,
    pub worker: bool,
    pub shrink: bool,
    pub accept: bool,
    pub seconds: Option<u64>,
    pub models: Option<u64>,
    pub seed: u64,
    pub first: u64,
    pub families: Vec<String>,
    pub relation: Option<String>,
    pub out: Option<PathBuf>,
    pub jobs: usize,
}

pub fn read(arguments: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut a = Arguments {
        help: false,
        list: false,
        show: false,
        worker: false,
        shrink: true,
        accept: false,
        seconds: None,
        models: None,
        seed: 1,
        first: 0,
        families: Vec::new(),
        relation: None,
        out: None,
        jobs: cores,
    };
    let mut rest = arguments;
    while let Some(word) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--help" | "-h" => a.help = true,
            "--list" => a.list = true,
            "--show" => a.show = true,
            "--worker" => a.worker = true,
            "--accept" => a.accept = true,
            "--no-shrink" => a.shrink = false,
            "--seconds" => a.seconds = Some(number(&value()?)?),
            "--models" => a.models = Some(number(&value()?)?),
            "--seed" => a.seed = number(&value()?)?,
            "--first" => a.first = number(&value()?)?,
            "--family" => a.families.push(value()?),
            "--relation" => a.relation = Some(value()?),
            "--out" => a.out = Some(value()?.into()),
            "--jobs" => a.jobs = number(&value()?)?.max(1) as usize,
            _ => return Err(format!("unknown option {word}")),
        }
    }
    Ok(a)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is not a whole number"))
}
