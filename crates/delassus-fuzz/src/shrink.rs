//! Reduces a model as long as the answer to it has the same fault.

use crate::case::{Bench, Finding};
use std::io;

/// Number of commands spent on one finding.
const EFFORT: usize = 150;

/// Removes lines, many at a time and then fewer.
pub fn shrink(bench: &Bench, finding: Finding) -> io::Result<Finding> {
    let Some(text) = finding.model.clone() else { return Ok(finding) };
    let mut lines: Vec<&str> = text.lines().collect();
    let (mut best, mut spent) = (finding, 0);
    let mut many = lines.len().div_ceil(2);
    while many > 0 {
        let mut at = 0;
        while at < lines.len() {
            if spent == EFFORT {
                return Ok(best);
            }
            spent += 1;
            let end = (at + many).min(lines.len());
            let fewer: Vec<&str> = [&lines[..at], &lines[end..]].concat();
            let (_, found) = bench.model(&fewer.join("\n"), &best.arguments)?;
            match found {
                Some(found) if found.kind == best.kind => {
                    best = Finding { what: best.what, ..found };
                    lines = fewer;
                }
                _ => at = end,
            }
        }
        many /= 2;
    }
    Ok(best)
}
