//! Matrices in the Matrix Market exchange format: real, coordinate or array, general or symmetric.
//!
//! R. F. Boisvert, R. Pozo, K. Remington (1996), *The Matrix Market exchange formats: initial design*, NIST.

use crate::FlexError;
use crate::layout::LARGEST;

/// Entries of a matrix as they stand in a file, counted from 0; of a symmetric one each pair once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entries {
    pub rows: usize,
    pub cols: usize,
    pub symmetric: bool,
    /// Row, column, value.
    pub list: Vec<(usize, usize, f64)>,
}

/// Reads a text, called `file` in messages.
pub(crate) fn parse(file: &str, text: &str) -> Result<Entries, FlexError> {
    let mut reader = Reader { file, lines: text.lines().enumerate(), at: 0 };
    let header = reader.lines.next().map_or("", |(_, line)| line).to_ascii_lowercase();
    let words: Vec<&str> = header.split_whitespace().collect();
    let [start, object, format, field, symmetry] = words[..] else {
        return reader
            .fault("the file does not begin with `%%MatrixMarket matrix … real …`".into());
    };
    if start != "%%matrixmarket" || object != "matrix" {
        return reader.fault(format!("`{start} {object}` is not `%%MatrixMarket matrix`"));
    }
    if !matches!(field, "real" | "double" | "integer") {
        return reader.fault(format!("entries are `{field}`, but must be `real`"));
    }
    let symmetric = match symmetry {
        "symmetric" => true,
        "general" => false,
        other => {
            let text = format!("the matrix is `{other}`, but must be `symmetric` or `general`");
            return reader.fault(text);
        }
    };
    match format {
        "coordinate" => coordinate(&mut reader, symmetric, text.len()),
        "array" => array(&mut reader, symmetric, text.len()),
        other => reader.fault(format!("the format `{other}` is neither `coordinate` nor `array`")),
    }
}

struct Reader<'t, L: Iterator<Item = (usize, &'t str)>> {
    file: &'t str,
    lines: L,
    /// Line read last, counted from 0.
    at: usize,
}

impl<'t, L: Iterator<Item = (usize, &'t str)>> Reader<'t, L> {
    fn fault<T>(&self, reason: String) -> Result<T, FlexError> {
        Err(FlexError::File { file: self.file.to_owned(), line: self.at + 1, reason })
    }

    /// The next line that says something.
    fn line(&mut self) -> Option<&'t str> {
        for (at, line) in self.lines.by_ref() {
            self.at = at;
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('%') {
                return Some(line);
            }
        }
        None
    }

    /// Whole numbers of a line.
    fn counts<const N: usize>(&mut self, what: &str) -> Result<[usize; N], FlexError> {
        let Some(line) = self.line() else {
            return self.fault(format!("the file ends before {what}"));
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Vec<usize> = words.iter().filter_map(|w| w.parse().ok()).collect();
        match <[usize; N]>::try_from(numbers) {
            Ok(numbers) if words.len() == N => Ok(numbers),
            _ => self.fault(format!("`{}` is not {what}", short(line))),
        }
    }

    fn value(&self, word: &str) -> Result<f64, FlexError> {
        // 1.5D+03 is how Fortran writes doubles
        let number = word.parse().or_else(|_| word.replace(['D', 'd'], "E").parse::<f64>());
        match number {
            Ok(x) if x.abs() <= LARGEST => Ok(x),
            Ok(x) if x.is_finite() => {
                self.fault(format!("`{}` is beyond {LARGEST:e}", short(word)))
            }
            Ok(_) => self.fault(format!("`{}` is not a finite number", short(word))),
            Err(_) => self.fault(format!("`{}` is not a number", short(word))),
        }
    }

    fn end(&mut self) -> Result<(), FlexError> {
        match self.line() {
            None => Ok(()),
            Some(line) => self.fault(format!("`{}` stands after the last entry", short(line))),
        }
    }
}

/// The beginning of a word or line, for messages.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}

fn coordinate<'t, L: Iterator<Item = (usize, &'t str)>>(
    reader: &mut Reader<'t, L>,
    symmetric: bool,
    bytes: usize,
) -> Result<Entries, FlexError> {
    let [rows, cols, count] = reader.counts("the line with rows, columns and number of entries")?;
    // an entry takes six bytes or more
    let mut list = Vec::with_capacity(count.min(bytes / 6));
    for k in 0..count {
        let Some(line) = reader.line() else {
            return reader.fault(format!("the file ends after {k} of {count} entries"));
        };
        let mut words = line.split_whitespace();
        let (Some(i), Some(j), Some(x), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return reader.fault(format!("`{}` is not row, column and value", short(line)));
        };
        let (Ok(i), Ok(j)) = (i.parse::<usize>(), j.parse::<usize>()) else {
            return reader.fault(format!("`{}` is not row, column and value", short(line)));
        };
        if i == 0 || j == 0 || i > rows || j > cols {
            let text = format!("entry ({i}, {j}) is outside of {rows} rows and {cols} columns");
            return reader.fault(text);
        }
        list.push((i - 1, j - 1, reader.value(x)?));
    }
    reader.end()?;
    Ok(Entries { rows, cols, symmetric, list })
}

fn array<'t, L: Iterator<Item = (usize, &'t str)>>(
    reader: &mut Reader<'t, L>,
    symmetric: bool,
    bytes: usize,
) -> Result<Entries, FlexError> {
    let [rows, cols] = reader.counts("the line with rows and columns")?;
    let mut list = Vec::new();
    // an entry takes two bytes or more
    if rows.checked_mul(cols).is_none_or(|n| n / 2 > bytes) {
        return reader.fault(format!("the file is too short for {rows} × {cols} entries"));
    }
    for j in 0..cols {
        for i in if symmetric { j } else { 0 }..rows {
            let Some(line) = reader.line() else {
                return reader.fault(format!("the file ends before entry ({}, {})", i + 1, j + 1));
            };
            let x = reader.value(line)?;
            if x != 0.0 {
                list.push((i, j, x));
            }
        }
    }
    reader.end()?;
    Ok(Entries { rows, cols, symmetric, list })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats() {
        let sparse = "%%MatrixMarket matrix coordinate real symmetric\n% text\n\n2 2 3\n1 1 2\n2 1 -1.5D0\n2 2 3e0\n";
        let list = vec![(0, 0, 2.0), (1, 0, -1.5), (1, 1, 3.0)];
        let expected = Entries { rows: 2, cols: 2, symmetric: true, list };
        assert_eq!(parse("k.mtx", sparse).unwrap(), expected);
        let dense = "%%MatrixMarket MATRIX array real symmetric\n2 2\n2\n-1.5\n3\n";
        assert_eq!(parse("k.mtx", dense).unwrap(), expected);
        let general = "%%MatrixMarket matrix array integer general\n2 2\n2\n0\n1\n3\n";
        let list = vec![(0, 0, 2.0), (0, 1, 1.0), (1, 1, 3.0)];
        let expected = Entries { rows: 2, cols: 2, symmetric: false, list };
        assert_eq!(parse("k.mtx", general).unwrap(), expected);
    }

    /// Every fault has its line and its reason.
    #[test]
    fn faults() {
        let sparse = "%%MatrixMarket matrix coordinate real symmetric\n";
        let cases = [
            ("", "k.mtx:1: the file does not begin"),
            ("2 2 1\n", "does not begin with `%%MatrixMarket"),
            ("%%MatrixMarket vector array real general\n", "not `%%MatrixMarket matrix`"),
            ("%%MatrixMarket matrix array complex general\n", "entries are `complex`"),
            ("%%MatrixMarket matrix coordinate pattern general\n", "entries are `pattern`"),
            ("%%MatrixMarket matrix array real skew-symmetric\n", "`skew-symmetric`"),
            ("%%MatrixMarket matrix elemental real general\n", "`elemental` is neither"),
            (sparse, "ends before the line with rows"),
            (&format!("{sparse}2 2\n"), "k.mtx:2: `2 2` is not the line with rows"),
            (&format!("{sparse}2 2 2\n1 1 1\n"), "k.mtx:3: the file ends after 1 of 2 entries"),
            (&format!("{sparse}2 2 1\n1 1\n"), "`1 1` is not row, column and value"),
            (&format!("{sparse}2 2 1\n3 1 1\n"), "entry (3, 1) is outside of 2 rows"),
            (&format!("{sparse}2 2 1\n0 1 1\n"), "entry (0, 1) is outside"),
            (&format!("{sparse}2 2 1\n1 1 one\n"), "`one` is not a number"),
            (&format!("{sparse}2 2 1\n1 1 1e308\n"), "`1e308` is beyond 1e60"),
            (&format!("{sparse}2 2 1\n1 1 nan\n"), "`nan` is not a finite number"),
            (&format!("{sparse}2 2 1\n1 1 1\n2 2 1\n"), "k.mtx:4: `2 2 1` stands after"),
            (&format!("{sparse}9 9 99999999999999\n"), "ends after 0 of 99999999999999"),
            (
                "%%MatrixMarket matrix array real general\n99999999999 99999999999\n",
                "too short for 99999999999 × 99999999999",
            ),
            ("%%MatrixMarket matrix array real general\n1 2\n3\n", "ends before entry (1, 2)"),
        ];
        for (text, reason) in cases {
            let error = parse("k.mtx", text).unwrap_err().to_string();
            assert!(error.contains(reason), "{reason}: {error}");
        }
    }
}
