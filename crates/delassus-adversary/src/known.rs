//! Findings that are known and not fixed yet.

use std::fmt::Write as _;

/// The list: seed, number of the model, family, relation, and why.
const LIST: &str = include_str!("../known.txt");

/// A known finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub seed: u64,
    pub index: u64,
    pub family: String,
    pub relation: String,
    pub reason: String,
}

/// All known findings.
pub fn list() -> Result<Vec<Known>, String> {
    parse(LIST)
}

/// Replaces the list in the sources.
pub fn write(all: &[Known]) -> Result<(), String> {
    let mut text: String =
        LIST.lines().filter(|l| l.starts_with('#')).flat_map(|l| [l, "\n"]).collect();
    text.extend(all.iter().map(|k| format!("{k}\n")));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/known.txt");
    std::fs::write(path, text).map_err(|e| format!("{path}: {e}"))
}

fn parse(text: &str) -> Result<Vec<Known>, String> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = || {
            format!("known.txt, line {}: not `SEED:INDEX family | relation | reason`", number + 1)
        };
        let mut parts = line.split('|').map(str::trim);
        let (Some(model), Some(relation), Some(reason)) =
            (parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        let (numbers, family) = model.split_once(' ').ok_or_else(wrong)?;
        let (seed, index) = numbers.split_once(':').ok_or_else(wrong)?;
        all.push(Known {
            seed: seed.parse().map_err(|_| wrong())?,
            index: index.parse().map_err(|_| wrong())?,
            family: family.trim().to_owned(),
            relation: relation.to_owned(),
            reason: reason.to_owned(),
        });
    }
    Ok(all)
}

impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        write!(text, "{}:{} {} | {}", self.seed, self.index, self.family, self.relation)?;
        write!(f, "{text} | {}", self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written() {
        let text = "# why\n\n1:17 rods | methods radau5 | impact law\n";
        let read = parse(text).unwrap_or_default();
        assert_eq!(read.len(), 1);
        assert_eq!(parse(&read[0].to_string()), Ok(read));
        assert!(parse("rods 17").is_err());
        assert!(list().is_ok());
    }
}
