//! `--limit NAME=VALUE`: other bounds on the resources that a model may request.

use crate::fault::Fault;
use crate::number::count;
use delassus::expr::suggest;
use delassus::io::model_file::Limits;
use delassus::model::{ContactLimits, MAX_ELEMENTS};
use delassus::sim::RunLimits;

/// All bounds that can be changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// Bounds of the file reader.
    pub reader: Limits,
    /// Elements after repetition.
    pub elements: u64,
    /// Bounds on contacts.
    pub contacts: ContactLimits,
    /// Bounds of a run.
    pub run: RunLimits,
}

struct Limit {
    name: &'static str,
    /// Largest value.
    max: u64,
    set: fn(&mut Bounds, u64),
}

/// The reader recurses into the nesting of a file and the chain of its includes. Up to this depth it needs less than
/// half a megabyte of stack.
const DEEPEST: u64 = 500;
/// Places in files have 32 bits.
const LARGEST_FILE: u64 = u32::MAX as u64;
/// Element indices partly have 32 bits; nobody has the memory for more either.
const MOST: u64 = u32::MAX as u64;
/// Larger whole numbers cannot be given.
const ANY: u64 = 1 << 53;

/// The help of `--limit` lists them too.
const LIMITS: [Limit; 13] = [
    Limit { name: "file-bytes", max: LARGEST_FILE, set: |b, n| b.reader.max_file_bytes = n },
    Limit { name: "total-bytes", max: ANY, set: |b, n| b.reader.max_total_bytes = n },
    Limit { name: "depth", max: DEEPEST, set: |b, n| b.reader.max_depth = size(n) },
    Limit { name: "tokens", max: MOST, set: |b, n| b.reader.max_tokens = size(n) },
    Limit { name: "entries", max: MOST, set: |b, n| b.reader.max_entries = size(n) },
    Limit { name: "include-depth", max: DEEPEST, set: |b, n| b.reader.max_include_depth = size(n) },
    Limit { name: "includes", max: MOST, set: |b, n| b.reader.max_includes = size(n) },
    Limit { name: "elements", max: MOST, set: |b, n| b.elements = n },
    Limit { name: "contact-pairs", max: MOST, set: |b, n| b.contacts.pairs = size(n) },
    Limit { name: "contact-points", max: MOST, set: |b, n| b.contacts.points = size(n) },
    Limit { name: "result-bytes", max: ANY, set: |b, n| b.run.result_bytes = n },
    Limit { name: "columns", max: MOST, set: |b, n| b.run.columns = size(n) },
    Limit { name: "events", max: MOST, set: |b, n| b.run.events = size(n) },
];

fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The default bounds with those of the command line applied; the later of two wins. Reports all that cannot be read.
pub fn read(given: &[(String, String)]) -> Result<Bounds, Vec<Fault>> {
    let mut bounds = Bounds {
        reader: Limits::default(),
        elements: MAX_ELEMENTS,
        contacts: ContactLimits::default(),
        run: RunLimits::default(),
    };
    let mut faults = Vec::new();
    for (name, text) in given {
        if let Err(fault) = set(&mut bounds, name, text) {
            faults.push(*fault);
        }
    }
    if faults.is_empty() { Ok(bounds) } else { Err(faults) }
}

fn set(bounds: &mut Bounds, name: &str, text: &str) -> Result<(), Box<Fault>> {
    let argument = format!("--limit {name}={text}");
    let names = || LIMITS.iter().map(|l| l.name);
    let Some(limit) = LIMITS.iter().find(|l| l.name == name) else {
        let help = match suggest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("limits: {}", names().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("there is no limit `{name}`");
        return Err(Box::new(Fault::new("E_UNKNOWN_NAME", argument, message).help(help)));
    };
    let value = count(&argument, text)?;
    if value > limit.max {
        let message = format!("the value is {value}, but {name} can be at most {}", limit.max);
        let fault = Fault::new("E_RANGE", argument, message).help("give a smaller limit");
        return Err(Box::new(fault));
    }
    (limit.set)(bounds, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn each_limit_is_set_and_is_in_the_help() {
        let plain = read(&[]).unwrap();
        for limit in &LIMITS {
            let changed = read(&[(limit.name.to_owned(), "7".to_owned())]).unwrap();
            assert_ne!(changed, plain, "{}", limit.name);
            for command in ["run", "check", "compare"] {
                let mut cli = Cli::command();
                let help = cli.find_subcommand_mut(command).unwrap().render_help().to_string();
                assert!(help.contains(limit.name), "{command}: {}\n{help}", limit.name);
            }
        }
    }

    #[test]
    fn bad_values() {
        let code = |name: &str, value: &str| {
            let faults = read(&[(name.to_owned(), value.to_owned())]).unwrap_err();
            faults[0].code.clone()
        };
        assert_eq!(code("depht", "200"), "E_UNKNOWN_NAME");
        assert_eq!(code("depth", "501"), "E_RANGE");
        assert_eq!(code("depth", "0"), "E_RANGE");
        assert_eq!(code("depth", "1.5"), "E_RANGE");
        assert_eq!(code("file-bytes", "2^32"), "E_RANGE");
        assert_eq!(code("tokens", "1 kg"), "E_DIMENSION");
        assert_eq!(code("tokens", "many"), "E_UNKNOWN_NAME");
    }
}
