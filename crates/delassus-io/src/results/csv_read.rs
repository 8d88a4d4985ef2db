//! Reads CSV files back, for comparisons.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Longest line; a longer one is no result file.
const MAX_LINE: u64 = 4 << 20;
/// Most numbers in a file (8 bytes each in memory).
const MAX_VALUES: usize = 1 << 28;

/// Columns read from a CSV file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CsvTable {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Values of each column, all of the same length.
    pub columns: Vec<Vec<f64>>,
}

impl CsvTable {
    /// Values of the column of that name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let i = self.names.iter().position(|n| n == name)?;
        self.columns.get(i).map(Vec::as_slice)
    }
}

/// Why a CSV file was not read.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// The system refused.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// The content is no table of numbers.
    #[error("line {line}: {message}")]
    Invalid {
        /// Line from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

/// Reads a file that [`super::write_csv`] or another program wrote.
pub fn read_csv(path: &Path) -> Result<CsvTable, CsvError> {
    read_csv_from(BufReader::new(File::open(path)?))
}

/// Reads CSV: a line of names, then lines of finite numbers.
pub fn read_csv_from(reader: impl BufRead) -> Result<CsvTable, CsvError> {
    let mut table = CsvTable::default();
    read_into(reader, &mut table, None)?;
    if table.names.is_empty() {
        return Err(CsvError::Invalid { line: 1, message: "no names of columns".to_owned() });
    }
    Ok(table)
}

/// Reads what is good of a file: the lines before the first that is no line of numbers. Numbers
/// that are not finite stay, as NaN, and so do empty fields, which are values that are not known. Also
/// says what is wrong with it.
pub fn salvage_csv(reader: impl BufRead) -> (CsvTable, Vec<String>) {
    let mut table = CsvTable::default();
    let mut problems = Vec::new();
    let mut bad = Vec::new();
    if let Err(e) = read_into(reader, &mut table, Some(&mut bad)) {
        let rows = table.columns.iter().map(Vec::len).min().unwrap_or(0);
        for column in &mut table.columns {
            column.truncate(rows);
        }
        problems.push(format!("{e}; {rows} lines before it are shown"));
    }
    if table.names.is_empty() && problems.is_empty() {
        problems.push("no names of columns".to_owned());
    }
    for (name, bad) in table.names.iter().zip(bad) {
        if bad > 0 {
            problems.push(format!("column `{}` has {bad} values that are not finite", short(name)));
        }
    }
    (table, problems)
}

/// With `bad`, numbers that are not finite are counted there, column by column.
fn read_into(
    mut reader: impl BufRead,
    table: &mut CsvTable,
    mut bad: Option<&mut Vec<usize>>,
) -> Result<(), CsvError> {
    let any = bad.is_some();
    let mut bytes = Vec::new();
    let mut total = 0usize;
    let mut line = 0usize;
    loop {
        line += 1;
        let fail = |message: String| CsvError::Invalid { line, message };
        bytes.clear();
        let n = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)?;
        if n == 0 {
            break;
        }
        if n as u64 == MAX_LINE && bytes.last() != Some(&b'\n') {
            return Err(fail(format!("longer than {MAX_LINE} bytes")));
        }
        // a number that lost its last digits still looks like a number
        if any && bytes.last() != Some(&b'\n') {
            return Err(fail("the last line is cut off".to_owned()));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| fail("not UTF-8".into()))?;
        let text = text.trim_end_matches(['\n', '\r']);
        if line == 1 {
            table.names = fields(text).map_err(fail)?;
            table.columns = vec![Vec::new(); table.names.len()];
            if let Some(bad) = &mut bad {
                bad.resize(table.names.len(), 0);
            }
            continue;
        }
        let mut fields = text.split(',');
        for (k, (name, column)) in table.names.iter().zip(&mut table.columns).enumerate() {
            let Some(field) = fields.next() else {
                return Err(fail(format!("no value for column `{name}`")));
            };
            if any && field.is_empty() && table.names.len() > 1 {
                column.push(f64::NAN);
                continue;
            }
            match field.trim().parse::<f64>() {
                Ok(x) if x.is_finite() => column.push(x),
                Ok(_) if any => {
                    column.push(f64::NAN);
                    if let Some(n) = bad.as_mut().and_then(|b| b.get_mut(k)) {
                        *n += 1;
                    }
                }
                _ => return Err(fail(format!("`{}` is not a finite number", short(field)))),
            }
        }
        if fields.next().is_some() {
            return Err(fail(format!("more than {} values", table.names.len())));
        }
        total += table.names.len();
        if total > MAX_VALUES {
            return Err(fail(format!("more than {MAX_VALUES} values in the file")));
        }
    }
    Ok(())
}

fn short(field: &str) -> String {
    field.chars().take(40).flat_map(char::escape_debug).collect()
}

/// Values of a line; quotes as `write_csv` sets them, except names over several lines.
pub(super) fn fields(line: &str) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let mut rest = line.strip_prefix('\u{FEFF}').unwrap_or(line);
    loop {
        let mut name = String::new();
        if let Some(mut quoted) = rest.strip_prefix('"') {
            loop {
                let Some((part, tail)) = quoted.split_once('"') else {
                    return Err("a quoted name is not closed".to_owned());
                };
                name.push_str(part);
                match tail.strip_prefix('"') {
                    Some(more) => {
                        name.push('"');
                        quoted = more;
                    }
                    None => {
                        rest = tail;
                        break;
                    }
                }
            }
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            name.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        out.push(name);
        match rest.strip_prefix(',') {
            Some(tail) => rest = tail,
            None if rest.is_empty() => return Ok(out),
            None => return Err("text after a quoted name".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_good_is_kept() {
        let (table, problems) = salvage_csv(&b"t,x\n0,1\n1,NaN\n2,inf\n3,"[..]);
        assert_eq!(table.names, ["t", "x"]);
        assert_eq!(table.columns[0], [0.0, 1.0, 2.0]);
        assert!(table.columns[1][0] == 1.0 && table.columns[1][2].is_nan());
        assert!(problems[0].contains("line 5") && problems[0].contains("3 lines"), "{problems:?}");
        assert!(problems[1].contains("2 values"), "{problems:?}");
        let (table, problems) = salvage_csv(&b"t,x\n0,1\n1,2"[..]);
        assert_eq!((table.columns[0].len(), problems.len()), (1, 1));
        assert_eq!(salvage_csv(&b""[..]).1.len(), 1);
        assert_eq!(salvage_csv(&b"t\n0\n"[..]).1.len(), 0);
    }
}
