//! The findings, and the exit codes of all cases by kind.

use crate::arguments::Arguments;
use delassus_fuzz::case::{Finding, Target};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Number of cases of one kind that are reduced and written; the others are counted.
const WRITTEN: u64 = 3;

pub struct Report {
    seed: u64,
    out: Option<PathBuf>,
    cases: BTreeMap<&'static str, u64>,
    codes: BTreeMap<(&'static str, Option<i32>), u64>,
    kinds: BTreeMap<String, u64>,
}

impl Report {
    pub fn new(a: &Arguments) -> Report {
        Report {
            seed: a.seed,
            out: a.out.clone(),
            cases: BTreeMap::new(),
            codes: BTreeMap::new(),
            kinds: BTreeMap::new(),
        }
    }

    pub fn answered(&mut self, target: Target, codes: &[Option<i32>]) {
        *self.cases.entry(target.name()).or_default() += 1;
        for &code in codes {
            *self.codes.entry((target.name(), code)).or_default() += 1;
        }
    }

    /// Whether few similar ones have been found before.
    pub fn is_new(&self, finding: &Finding) -> bool {
        self.kinds.get(&finding.kind).is_none_or(|&n| n < WRITTEN)
    }

    /// Counts a finding; a new one is printed and written.
    pub fn found(
        &mut self,
        target: Target,
        index: u64,
        finding: Finding,
        new: bool,
    ) -> Result<(), String> {
        *self.kinds.entry(finding.kind.clone()).or_default() += 1;
        if !new {
            return Ok(());
        }
        println!("{}:{index} {} | {}", self.seed, finding.kind, finding.what);
        let Some(out) = &self.out else { return Ok(()) };
        let failed = |e: std::io::Error| format!("{}: {e}", out.display());
        fs::create_dir_all(out).map_err(failed)?;
        let name = format!("{}_{}_{index}", target.name(), self.seed);
        let told: String = finding.error.lines().take(12).map(|l| format!("# {l}\n")).collect();
        let head = format!("# {}\n# {}\n{told}", finding.kind, finding.what);
        let text = format!("{head}{}\n", finding.model.unwrap_or_default());
        fs::write(out.join(format!("{name}.toml")), text).map_err(failed)
    }

    pub fn clean(&self) -> bool {
        self.kinds.is_empty()
    }

    pub fn text(&self, took: Duration) -> String {
        let mut text = format!("seed {}, {:.0} s\n", self.seed, took.as_secs_f64());
        for (target, n) in &self.cases {
            let codes = self.codes.iter().filter(|((t, _), _)| t == target);
            let codes = codes.map(|((_, code), n)| match code {
                Some(code) => format!("{n} with code {code}"),
                None => format!("{n} by a signal"),
            });
            let codes: Vec<String> = codes.collect();
            text.push_str(&format!("{n} cases of {target}: {}\n", codes.join(", ")));
        }
        match self.clean() {
            true => text.push_str("everything was answered"),
            false => text.push_str("not answered:"),
        }
        for (kind, n) in &self.kinds {
            text.push_str(&format!("\n{n:>7}  {kind}"));
        }
        text
    }
}
