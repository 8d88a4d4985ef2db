//! The inputs of the command under test, and what counts as an answer.

use crate::archives::{ESCAPED, Fmu};
use crate::damage::{damage, files, fresh};
use crate::mutate::{GENTLE, ROUGH, mutant};
use crate::seeds::Seeds;
use crate::trial::{self, KIBIBYTES, Outcome, SECONDS};
use delassus::dae::integrator::METHODS;
use delassus_adversary::random::Random;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Documented exit codes; 70, an internal error, must never occur.
const ANSWERS: [i32; 5] = [0, 2, 3, 4, 5];
/// How long mutated models run, s.
const END: &str = "0.01";
/// Where an analysis writes its answer, among the results.
const ANALYSIS: &str = "analysis.json";
/// CPU time that a run or an analysis may take, less than [`SECONDS`]: what needs longer without being hopeless ends by
/// this, by name.
const LONGEST: &str = "8 s";
const SCHEMES: [&str; 3] = ["hybrid", "event-driven", "time-stepping"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// `check` of a mutated model.
    Check,
    /// A short run of a mutated model.
    Run,
    /// `statics` or `modes` of a mutated model.
    Analysis,
    /// `report`, `plot` and `export` of damaged results.
    Results,
    /// `check` of a hostile FMU.
    Fmu,
}

impl Target {
    pub const ALL: [Target; 5] =
        [Target::Check, Target::Run, Target::Analysis, Target::Results, Target::Fmu];

    pub fn name(self) -> &'static str {
        match self {
            Target::Check => "check",
            Target::Run => "run",
            Target::Analysis => "analysis",
            Target::Results => "results",
            Target::Fmu => "fmu",
        }
    }

    pub fn named(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|t| t.name() == name)
    }
}

/// A missing or faulty answer.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The same for cases with the same cause, as far as can be determined.
    pub kind: String,
    /// The seed model and the command.
    pub what: String,
    /// The model at fault, if there is one.
    pub model: Option<String>,
    pub arguments: Vec<String>,
    pub error: String,
}

/// Where cases are run, one after another.
pub struct Bench<'a> {
    pub program: &'a Path,
    pub seeds: &'a Seeds,
    /// Folder that belongs to this bench alone.
    scratch: PathBuf,
    /// Folders with undamaged results.
    results: Vec<PathBuf>,
    /// Good FMUs.
    fmus: Vec<Fmu>,
}

impl<'a> Bench<'a> {
    pub fn new(program: &'a Path, seeds: &'a Seeds, scratch: PathBuf) -> io::Result<Bench<'a>> {
        let scratch = fresh(scratch)?;
        Ok(Bench { program, seeds, scratch, results: Vec::new(), fmus: Vec::new() })
    }

    /// Runs one case; exit codes go to `codes`.
    pub fn case(
        &mut self,
        target: Target,
        seed: u64,
        index: u64,
        codes: &mut Vec<Option<i32>>,
    ) -> io::Result<Vec<Finding>> {
        let mut random = Random::of(seed, target.name(), index);
        match target {
            Target::Check | Target::Run | Target::Analysis => {
                let rough = target == Target::Check || random.chance(0.2);
                let model = mutant(self.seeds, if rough { &ROUGH } else { &GENTLE }, &mut random);
                let arguments = match target {
                    Target::Check => vec!["check".to_owned(), "m.toml".to_owned()],
                    Target::Analysis => analysis_arguments(&mut random),
                    _ => run_arguments(&mut random),
                };
                let (code, found) = self.model(&model.text, &arguments)?;
                codes.push(code);
                let named =
                    |f: Finding| Finding { what: format!("{}: {}", model.name, f.what), ..f };
                Ok(found.map(named).into_iter().collect())
            }
            Target::Results => self.results(&mut random, codes),
            Target::Fmu => self.fmu(&mut random, codes),
        }
    }

    /// Judges the answer to a model, which is written to `m.toml`.
    pub fn model(
        &self,
        text: &str,
        arguments: &[String],
    ) -> io::Result<(Option<i32>, Option<Finding>)> {
        let out = self.scratch.join("out");
        if out.exists() {
            fs::remove_dir_all(&out)?;
        }
        if arguments.iter().any(|a| a.starts_with("out/")) {
            fs::create_dir(&out)?;
        }
        fs::write(self.scratch.join("m.toml"), text)?;
        let outcome = trial::run(self.program, arguments, &self.scratch)?;
        let kind = fault(&outcome).or_else(|| match outcome.code {
            Some(0) if out.exists() => not_a_number(&out),
            _ => None,
        });
        let finding = kind.map(|kind| Finding {
            kind: format!("{} {kind}", arguments[0]),
            what: arguments.join(" "),
            model: Some(text.to_owned()),
            arguments: arguments.to_vec(),
            error: outcome.error,
        });
        Ok((outcome.code, finding))
    }

    fn results(
        &mut self,
        random: &mut Random,
        codes: &mut Vec<Option<i32>>,
    ) -> io::Result<Vec<Finding>> {
        self.prepare_results()?;
        let (from, other) = (random.pick(&self.results), random.pick(&self.results));
        let folder = self.scratch.join("damaged");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let damaged = damage(&from, &other, &folder, random)?;
        let commands: [&[&str]; 3] = [
            &["report", "damaged", "-o", "again.html"],
            &["plot", "damaged", "*", "-o", "plot.svg"],
            &["export", "damaged", "--gltf", "motion.glb"],
        ];
        let mut found = Vec::new();
        for command in commands {
            let arguments: Vec<String> = command.iter().map(|&a| a.to_owned()).collect();
            let outcome = trial::run(self.program, &arguments, &self.scratch)?;
            codes.push(outcome.code);
            let told = |file: &str| outcome.error.contains(file);
            // where one file is reported, the command may have ended before it reached the others
            let silent = damaged
                .iter()
                .find(|d| d.guarded)
                .filter(|_| outcome.code == Some(0) && !damaged.iter().any(|d| told(&d.file)));
            let kind =
                fault(&outcome).or_else(|| silent.map(|d| format!("says nothing of {}", d.file)));
            let names: Vec<&str> = damaged.iter().map(|d| d.file.as_str()).collect();
            found.extend(kind.map(|kind| Finding {
                kind: format!("{} {kind}", command[0]),
                what: format!("{} damaged: {}", names.join(", "), arguments.join(" ")),
                model: None,
                arguments: arguments.clone(),
                error: outcome.error.clone(),
            }));
        }
        Ok(found)
    }

    fn fmu(
        &mut self,
        random: &mut Random,
        codes: &mut Vec<Option<i32>>,
    ) -> io::Result<Vec<Finding>> {
        self.prepare_fmus()?;
        let bytes = random.pick(&self.fmus).changed(self.seeds, random);
        fs::write(self.scratch.join("hostile.fmu"), bytes)?;
        let before = files(&self.scratch)?;
        let arguments = vec!["check".to_owned(), "hostile.fmu".to_owned()];
        let outcome = trial::run(self.program, &arguments, &self.scratch)?;
        codes.push(outcome.code);
        let up = self.scratch.ancestors().map(|a| a.join(ESCAPED));
        let mut places = up.chain([PathBuf::from(format!("/tmp/{ESCAPED}"))]);
        let written = places.any(|p| p.exists()) || files(&self.scratch)? != before;
        let kind =
            fault(&outcome).or_else(|| written.then(|| "writes where it must not".to_owned()));
        let finding = kind.map(|kind| Finding {
            kind: format!("check of an FMU {kind}"),
            what: arguments.join(" "),
            model: None,
            arguments,
            error: outcome.error,
        });
        Ok(finding.into_iter().collect())
    }

    /// FMUs of the first seeds that have sensors, made once, with a library that is none.
    fn prepare_fmus(&mut self) -> io::Result<()> {
        const WANTED: usize = 6;
        fs::write(self.scratch.join("library"), "library")?;
        for model in &self.seeds.models {
            if self.fmus.len() >= WANTED {
                return Ok(());
            }
            fs::write(self.scratch.join("m.toml"), &model.text)?;
            let arguments = ["export", "--fmu", "m.toml", "-o", "good.fmu", "--runtime", "library"];
            let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
            let outcome = trial::run(self.program, &arguments, &self.scratch)?;
            if outcome.code == Some(0) {
                self.fmus.extend(Fmu::read(&fs::read(self.scratch.join("good.fmu"))?));
            }
        }
        match self.fmus.is_empty() {
            true => Err(io::Error::other("no seed model can be exported")),
            false => Ok(()),
        }
    }

    /// Results of the first seeds that have some, made once.
    fn prepare_results(&mut self) -> io::Result<()> {
        const WANTED: usize = 6;
        for model in &self.seeds.models {
            if self.results.len() >= WANTED {
                return Ok(());
            }
            let name = format!("results{}", self.results.len());
            fs::write(self.scratch.join("m.toml"), &model.text)?;
            let arguments =
                ["run", "m.toml", "--end", END, "--sample", "0.001", "--out", &name, "-q"];
            let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
            let outcome = trial::run(self.program, &arguments, &self.scratch)?;
            let folder = self.scratch.join(name);
            if outcome.code == Some(0) && !files(&folder)?.is_empty() {
                self.results.push(folder);
            }
        }
        match self.results.is_empty() {
            true => Err(io::Error::other("no seed model has results")),
            false => Ok(()),
        }
    }
}

fn run_arguments(random: &mut Random) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["run", "m.toml", "--end", END, "--max-time", LONGEST, "--out", "out", "-q"]
            .map(str::to_owned)
            .into();
    let mut add = |name: &str, value: &str| arguments.extend([name.to_owned(), value.to_owned()]);
    if random.chance(0.3) {
        add("--scheme", random.pick(&SCHEMES));
    }
    if random.chance(0.4) {
        add("--method", METHODS[random.whole(0, METHODS.len() - 1)].name);
    }
    if random.chance(0.1) {
        add("--step", random.pick(&["1e-3", "1e-5", "1"]));
    }
    // the report takes longer than most of these runs
    if random.chance(0.9) {
        arguments.push("--no-report".to_owned());
    }
    arguments
}

fn analysis_arguments(random: &mut Random) -> Vec<String> {
    let commands: [&[&str]; 6] = [
        &["statics"],
        &["statics"],
        &["modes"],
        &["modes", "--undamped"],
        &["modes", "--at", "start"],
        &["modes", "--at", "start", "--count", "3"],
    ];
    let out = format!("out/{ANALYSIS}");
    let tail = ["m.toml", "--max-time", LONGEST, "--json", "--out", &out];
    random.pick(&commands).iter().chain(&tail).map(|&a| a.to_owned()).collect()
}

/// What is wrong with an answer, whatever the command.
fn fault(outcome: &Outcome) -> Option<String> {
    match (outcome.code, outcome.signal) {
        (_, Some(24 | 9)) => Some(format!("does not end within {SECONDS} s")),
        (_, Some(6)) => Some(format!("is aborted within {} MiB", KIBIBYTES >> 10)),
        (_, Some(signal)) => Some(format!("is ended by signal {signal}")),
        (Some(0), _) => None,
        (Some(code), _) if !ANSWERS.contains(&code) => {
            Some(format!("ends with code {code} {}", first_line(&outcome.error)))
        }
        (Some(code), _)
            if !outcome.error.contains("E_") && !outcome.error.contains("usage") && code != 4 =>
        {
            Some(format!("fails with code {code} and no name"))
        }
        _ => None,
    }
}

/// The most informative line of a message: where a panic happened, or the first one.
fn first_line(text: &str) -> String {
    let line = text.lines().find(|l| l.contains("panicked at")).or(text.lines().next());
    line.unwrap_or_default().chars().take(120).collect()
}

/// A results file with a non-finite number.
fn not_a_number(folder: &Path) -> Option<String> {
    let bad = |field: &str| field.parse::<f64>().is_ok_and(|x| !x.is_finite());
    for file in files(folder).ok()? {
        let read = || fs::read_to_string(folder.join(&file)).ok();
        let found = if file.ends_with(".csv") {
            read()?.lines().skip(1).any(|line| line.split(',').any(bad))
        } else if file == ANALYSIS {
            read()?.lines().any(null_for_number)
        } else {
            false
        };
        if found {
            return Some(format!("has a number that is not finite in {file}"));
        }
    }
    None
}

/// Whether a line of JSON holds a null, which is how a non-finite number is written; messages without a place have some
/// by right.
fn null_for_number(line: &str) -> bool {
    let line = line.trim().trim_end_matches(',');
    line.ends_with("null")
        && !["\"file\"", "\"line\"", "\"column\"", "\"help\""].iter().any(|k| line.starts_with(k))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(code: Option<i32>, signal: Option<i32>, error: &str) -> Outcome {
        Outcome { code, signal, error: error.to_owned() }
    }

    #[test]
    fn what_counts_as_an_answer() {
        assert!(fault(&outcome(Some(0), None, "")).is_none());
        assert!(fault(&outcome(Some(2), None, "error[E_NAME]: x")).is_none());
        assert!(fault(&outcome(Some(3), None, "error[E_STEP_MIN]: x")).is_none());
        assert!(fault(&outcome(Some(3), None, "failed")).is_some());
        assert!(fault(&outcome(Some(70), None, "E_INTERNAL")).is_some());
        assert!(fault(&outcome(Some(101), None, "panicked at a.rs:1")).is_some());
        assert!(null_for_number("  null,") && null_for_number("\"real\": null"));
        assert!(!null_for_number("  \"file\": null,"));
        for signal in [6, 9, 11, 24] {
            assert!(fault(&outcome(None, Some(signal), "")).is_some());
        }
    }
}
