//! Reads CSV files back, for comparisons.

use super::regular::open_regular;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Longest line; a file with a longer one is not a result file.
const MAX_LINE: u64 = 4 << 20;
/// The largest number of values in a file (8 bytes each in memory).
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
    /// Values of the column with that name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let i = self.names.iter().position(|n| n == name)?;
        self.columns.get(i).map(Vec::as_slice)
    }
}

/// Why a CSV file was not read.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// The system could not read it.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// The content is not a table of numbers.
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
    read_csv_from(BufReader::new(open_regular(path)?))
}

/// Reads CSV: lines of remarks that begin with `#`, a line of names, then lines of finite numbers.
pub fn read_csv_from(reader: impl BufRead) -> Result<CsvTable, CsvError> {
    let mut table = CsvTable::default();
    read_into(reader, &mut table, &mut Rows::new(Thinning::Every(1)), None)?;
    if table.names.is_empty() {
        return Err(CsvError::Invalid { line: 1, message: "no names of columns".to_owned() });
    }
    Ok(table)
}

/// The usable part of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Salvaged {
    /// The lines before the first one that is not a line of numbers, or those of them that were to be kept.
    pub table: CsvTable,
    /// The number of good lines.
    pub rows: usize,
    /// What is wrong with the file.
    pub problems: Vec<String>,
}

/// How many of the lines of a long file are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinning {
    /// One out of so many, and the last one.
    Every(usize),
    /// Two out of so many: the smallest and the largest value of each column among them, in the order in which they
    /// occur, so that no peak is lost.
    Peaks(usize),
}

impl Thinning {
    /// The same kind of thinning with other groups of lines.
    pub fn of(self, lines: usize) -> Thinning {
        match self {
            Thinning::Every(_) => Thinning::Every(lines.max(1)),
            Thinning::Peaks(_) => Thinning::Peaks(lines.max(1)),
        }
    }
}

/// Reads the usable part of a file: the lines before the first one that is not a line of numbers. Numbers that are not
/// finite are kept as NaN, and so are empty fields, which are unknown values. Also says what is wrong with the file.
pub fn salvage_csv(reader: impl BufRead) -> (CsvTable, Vec<String>) {
    let all = salvage_thinned(reader, Thinning::Every(1));
    (all.table, all.problems)
}

/// The same for a file that may not fit into memory. The numbers in skipped lines are not checked.
pub fn salvage_thinned(reader: impl BufRead, thinning: Thinning) -> Salvaged {
    let mut out = Salvaged::default();
    let mut bad = Vec::new();
    let mut rows = Rows::new(thinning);
    let read = read_into(reader, &mut out.table, &mut rows, Some(&mut bad));
    rows.close(&mut out.table);
    out.rows = rows.seen;
    if let Err(e) = read {
        out.problems.push(format!("{e}; {} lines before it are shown", out.rows));
    }
    if out.table.names.is_empty() && out.problems.is_empty() {
        out.problems.push("no names of columns".to_owned());
    }
    for (name, bad) in out.table.names.iter().zip(bad) {
        if bad > 0 {
            let name = short(name);
            out.problems.push(format!("column `{name}` has {bad} values that are not finite"));
        }
    }
    out
}

/// Lines on their way into a table.
struct Rows {
    thinning: Thinning,
    seen: usize,
    /// Number of lines in the current group, and for each column the positions and values of its smallest and largest.
    group: usize,
    peaks: Vec<[(usize, f64); 2]>,
    /// The last line that was skipped.
    last: Vec<u8>,
}

impl Rows {
    fn new(thinning: Thinning) -> Rows {
        Rows { thinning, seen: 0, group: 0, peaks: Vec::new(), last: Vec::new() }
    }

    /// Whether the next line is skipped, whatever it contains.
    fn skips(&mut self, line: &[u8]) -> bool {
        match self.thinning {
            Thinning::Every(n) if !self.seen.is_multiple_of(n) => {
                self.last.clear();
                self.last.extend_from_slice(line);
                self.seen += 1;
                true
            }
            _ => false,
        }
    }

    fn push(&mut self, row: &[f64], table: &mut CsvTable) {
        self.seen += 1;
        self.last.clear();
        let Thinning::Peaks(n @ 3..) = self.thinning else {
            table.columns.iter_mut().zip(row).for_each(|(c, x)| c.push(*x));
            return;
        };
        if self.group == 0 {
            self.peaks.clear();
            self.peaks.extend(row.iter().map(|x| [(0, *x); 2]));
        }
        // known values replace unknown ones
        for ([least, most], x) in self.peaks.iter_mut().zip(row) {
            if *x < least.1 || least.1.is_nan() {
                *least = (self.group, *x);
            }
            if *x > most.1 || most.1.is_nan() {
                *most = (self.group, *x);
            }
        }
        self.group += 1;
        if self.group == n {
            self.close(table);
        }
    }

    /// Adds the pending lines to the table.
    fn close(&mut self, table: &mut CsvTable) {
        if let Ok(text) = std::str::from_utf8(&self.last)
            && !text.is_empty()
        {
            let fields = text.trim_end().split(',').map(|x| x.parse().unwrap_or(f64::NAN));
            let fields = fields.chain(std::iter::repeat(f64::NAN));
            table.columns.iter_mut().zip(fields).for_each(|(c, x)| c.push(x));
        }
        self.last.clear();
        if self.group > 0 {
            for (column, [least, most]) in table.columns.iter_mut().zip(&self.peaks) {
                let (a, b) = if least.0 <= most.0 { (least, most) } else { (most, least) };
                column.extend([a.1, b.1]);
            }
        }
        self.group = 0;
    }
}

/// If `bad` is given, numbers that are not finite are counted there, column by column.
fn read_into(
    mut reader: impl BufRead,
    table: &mut CsvTable,
    rows: &mut Rows,
    mut bad: Option<&mut Vec<usize>>,
) -> Result<(), CsvError> {
    let any = bad.is_some();
    let (mut bytes, mut row) = (Vec::new(), Vec::new());
    let (mut line, mut named) = (0usize, false);
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
        if !named && !any && bytes.first() == Some(&b'#') {
            continue;
        }
        if named && rows.skips(&bytes) {
            continue;
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| fail("not UTF-8".into()))?;
        let text = text.trim_end_matches(['\n', '\r']);
        if !named {
            named = true;
            table.names = fields(text).map_err(fail)?;
            table.columns = vec![Vec::new(); table.names.len()];
            if let Some(bad) = &mut bad {
                bad.resize(table.names.len(), 0);
            }
            continue;
        }
        row.clear();
        let mut fields = text.split(',');
        for (k, name) in table.names.iter().enumerate() {
            let Some(field) = fields.next() else {
                return Err(fail(format!("no value for column `{name}`")));
            };
            if any && field.is_empty() && table.names.len() > 1 {
                row.push(f64::NAN);
                continue;
            }
            match field.trim().parse::<f64>() {
                Ok(x) if x.is_finite() => row.push(x),
                Ok(_) if any => {
                    row.push(f64::NAN);
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
        rows.push(&row, table);
        if table.columns.first().map_or(0, Vec::len) * table.names.len() > MAX_VALUES {
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
    fn remarks_stand_before_the_names() {
        let table = read_csv_from(&b"# a, b\n#\nt,#x\n0,1\n"[..]).unwrap();
        assert_eq!(
            (table.names, table.columns),
            (vec!["t".into(), "#x".into()], vec![vec![0.0], vec![1.0]])
        );
        assert!(read_csv_from(&b"t,x\n# late\n0,1\n"[..]).is_err());
        assert!(read_csv_from(&b"# only\n"[..]).is_err());
    }

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

    #[test]
    fn long_files_are_thinned() {
        let mut text = "t,x\n".to_owned();
        for k in 0..10 {
            text.push_str(&format!("{k},{}\n", if k == 5 { -7 } else { k % 3 }));
        }
        let every = salvage_thinned(text.as_bytes(), Thinning::Every(4));
        assert_eq!((every.rows, every.problems.len()), (10, 0));
        assert_eq!(every.table.columns, [[0.0, 4.0, 8.0, 9.0], [0.0, 1.0, 2.0, 0.0]]);
        let peaks = salvage_thinned(text.as_bytes(), Thinning::Peaks(4));
        assert_eq!(peaks.rows, 10);
        assert_eq!(peaks.table.columns[0], [0.0, 3.0, 4.0, 7.0, 8.0, 9.0]);
        assert_eq!(peaks.table.columns[1], [0.0, 2.0, 1.0, -7.0, 2.0, 0.0]);
        // a truncated file is noticed all the same
        let cut = salvage_thinned(&text.as_bytes()[..text.len() - 1], Thinning::Every(4));
        assert!(cut.rows == 9 && cut.problems[0].contains("cut off"), "{cut:?}");
        assert_eq!(cut.table.columns[0], [0.0, 4.0, 8.0]);
    }
}
