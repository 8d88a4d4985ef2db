//! Counts, and the list of findings.

use crate::arguments::Arguments;
use crate::master::Line;
use delassus_adversary::families::{FAMILIES, LATER};
use delassus_adversary::known::{self, Known};
use std::collections::BTreeMap;
use std::time::Duration;

struct Finding {
    index: u64,
    family: &'static str,
    relation: String,
    kind: String,
}

/// What was found so far.
pub struct Report {
    arguments: Arguments,
    models: u64,
    refused: BTreeMap<(&'static str, String), u64>,
    by_family: BTreeMap<&'static str, (u64, u64)>,
    findings: Vec<Finding>,
    last: u64,
}

impl Report {
    pub fn new(a: &Arguments) -> Report {
        Report {
            arguments: a.clone(),
            models: 0,
            refused: BTreeMap::new(),
            by_family: BTreeMap::new(),
            findings: Vec::new(),
            last: a.first,
        }
    }

    pub fn add(&mut self, index: u64, family: &'static str, lines: Vec<Line>) {
        self.models += 1;
        self.last = self.last.max(index);
        let counts = self.by_family.entry(family).or_insert((0, 0));
        counts.0 += 1;
        let mut violated = false;
        for line in lines {
            match line {
                Line::Found { relation, kind, text } => {
                    violated = true;
                    let seed = self.arguments.seed;
                    println!("{seed}:{index} {family} | {relation} | {kind} | {text}");
                    self.findings.push(Finding { index, family, relation, kind });
                }
                Line::Refused(codes) => *self.refused.entry((family, codes)).or_insert(0) += 1,
                Line::Begun(_) | Line::Ended => {}
            }
        }
        counts.1 += u64::from(violated);
    }

    /// Prints everything; true if there are only known findings.
    pub fn print(&self, took: Duration) -> Result<bool, String> {
        println!(
            "\n{} models in {:.0} s, seed {}",
            self.models,
            took.as_secs_f64(),
            self.arguments.seed
        );
        println!("\n{:12} {:>7} {:>9} {:>8}", "family", "models", "violated", "refused");
        for family in FAMILIES.iter().chain(LATER) {
            let Some((models, violated)) = self.by_family.get(family.name) else { continue };
            let refused: u64 =
                self.refused.iter().filter(|((f, _), _)| *f == family.name).map(|(_, n)| n).sum();
            println!("{:12} {models:7} {violated:9} {refused:8}", family.name);
        }
        for ((family, codes), n) in &self.refused {
            println!("refused: {n} × {family}: {codes}");
        }
        let mut counts: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
        for f in &self.findings {
            *counts.entry((&f.relation, f.family, &f.kind)).or_insert(0) += 1;
        }
        if !counts.is_empty() {
            println!("\n{:26} {:12} {:24} {:>6}", "relation", "family", "kind", "count");
        }
        for ((relation, family, kind), n) in &counts {
            println!("{relation:26} {family:12} {kind:24} {n:6}");
        }
        self.weigh()
    }

    /// Known findings must be found, and no others.
    fn weigh(&self) -> Result<bool, String> {
        let a = &self.arguments;
        let mut expected: Vec<Known> = known::list()?;
        expected.retain(|k| {
            k.seed == a.seed
                && (a.first..=self.last).contains(&k.index)
                && a.families.is_empty()
                && a.relation.as_ref().is_none_or(|r| k.relation.starts_with(r.as_str()))
        });
        let is = |k: &Known, f: &Finding| {
            k.index == f.index && k.relation == f.relation && a.families.is_empty()
        };
        let new: Vec<&Finding> =
            self.findings.iter().filter(|f| !expected.iter().any(|k| is(k, f))).collect();
        let gone: Vec<&Known> =
            expected.iter().filter(|k| !self.findings.iter().any(|f| is(k, f))).collect();
        for k in expected.iter().filter(|k| !gone.contains(k)) {
            println!("known: {k}");
        }
        for k in &gone {
            println!("mended, take it from known.txt: {k}");
        }
        for f in &new {
            println!("new: {}:{} {} | {} | {}", a.seed, f.index, f.family, f.relation, f.kind);
        }
        println!(
            "\n{} findings, {} of them known",
            self.findings.len(),
            expected.len() - gone.len()
        );
        if a.accept {
            let mut all = known::list()?;
            all.retain(|k| !gone.contains(&k));
            all.extend(new.iter().map(|f| Known {
                seed: a.seed,
                index: f.index,
                family: f.family.to_owned(),
                relation: f.relation.clone(),
                reason: format!("{}; not looked at yet", f.kind),
            }));
            all.sort_by(|x, y| (x.seed, x.index, &x.relation).cmp(&(y.seed, y.index, &y.relation)));
            known::write(&all)?;
        }
        Ok(new.is_empty() && gone.is_empty())
    }
}
