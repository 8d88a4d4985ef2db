//! The process that runs models: it reads their numbers and answers in lines of tab-separated words.
//!
//! It is a separate process, so that a run that hangs inside one step or exhausts the memory ends the worker and not
//! the search.

use crate::arguments::Arguments;
use crate::master::Line;
use delassus_adversary::families::{self, FAMILIES, Family, LATER};
use delassus_adversary::judge::{Judged, judge_aloud, plain};
use delassus_adversary::mechanism::Mechanism;
use delassus_adversary::random::Random;
use delassus_adversary::shrink::shrink;
use delassus_adversary::verdict::Violation;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};

/// The largest number of findings of one family, relation and kind that are reduced and written.
const WRITTEN: u32 = 3;

/// The family and mechanism of a model number.
pub fn model(a: &Arguments, index: u64) -> Result<(&'static Family, Mechanism), String> {
    let chosen: Vec<&Family> = match a.families.is_empty() {
        true => FAMILIES.iter().collect(),
        false => {
            let named = |f: &&Family| a.families.iter().any(|n| n == f.name);
            FAMILIES.iter().chain(LATER).filter(named).collect()
        }
    };
    if chosen.is_empty() {
        return Err(format!("no family is called {}", a.families.join(" or ")));
    }
    let family = chosen[(index % chosen.len() as u64) as usize];
    let seed = Random::of(a.seed, "model", index).word();
    Ok((family, families::make(family, seed)))
}

pub fn work(a: &Arguments) -> Result<bool, String> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut written: BTreeMap<(String, String, String), u32> = BTreeMap::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| e.to_string())?;
        let index: u64 = line.trim().parse().map_err(|_| format!("not a number: {line}"))?;
        let (family, m) = model(a, index)?;
        match judge_aloud(&m, a.relation.as_deref(), &mut |r| say(&Line::Begun(r.to_owned()))) {
            Judged::Refused(codes) => say(&Line::Refused(codes)),
            Judged::Tried(all) => {
                for v in all {
                    say(&Line::Found {
                        relation: v.relation.clone(),
                        kind: v.kind.clone(),
                        text: v.text.clone(),
                    });
                    let key = (family.name.to_owned(), v.relation.clone(), v.kind.clone());
                    let count = written.entry(key).or_insert(0);
                    *count += 1;
                    if a.out.is_some() && *count <= WRITTEN {
                        say(&Line::Begun("shrink".to_owned()));
                        write(a, index, family.name, &m, &v)?;
                    }
                }
            }
        }
        say(&Line::Ended);
    }
    Ok(true)
}

fn say(line: &Line) {
    println!("{}", line.text());
    let _ = std::io::stdout().flush();
}

fn write(
    a: &Arguments,
    index: u64,
    family: &str,
    m: &Mechanism,
    v: &Violation,
) -> Result<(), String> {
    let Some(folder) = &a.out else { return Ok(()) };
    let (small, now) = if a.shrink { shrink(m, v) } else { (m.clone(), v.clone()) };
    let name = format!("{}-{index:05}-{family}-{}", a.seed, v.relation.replace(' ', "-"));
    let twin = now.twin.as_ref().map(|_| format!("{name}.twin.toml"));
    let mut head = format!(
        "# {}: {}\n# {}\n# found in model {}:{index} of the family {family}: {}\n# see it:\n#   delassus run {name}.toml\n",
        now.relation, now.kind, now.text, a.seed, v.text
    );
    if let Some(twin) = &twin {
        head.push_str(&format!("#   delassus run {twin}\n"));
    }
    let families: String = a.families.iter().map(|f| format!(" --family {f}")).collect();
    head.push_str(&format!(
        "#   cargo xtask adversary --seed {} --first {index} --models 1{families} --relation \"{}\"\n",
        a.seed, v.relation
    ));
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    std::fs::write(folder.join(format!("{name}.toml")), format!("{head}{}", plain(&small)))
        .map_err(failed)?;
    if let (Some(file), Some(text)) = (twin, &now.twin) {
        std::fs::write(folder.join(file), format!("# must agree with {name}.toml\n{text}"))
            .map_err(failed)?;
    }
    Ok(())
}
