//! A CSV file that grows with a run: after every call it holds whole rows.

use super::column::{Column, check};
use super::csv_write::{push_head, push_rows};
use super::regular::open_regular;
use super::{WriteError, size_limit};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file to which rows are appended.
#[derive(Debug)]
pub struct GrowingCsv {
    path: PathBuf,
    file: File,
    bytes: u64,
    sha: Sha256,
    text: String,
    undo: (u64, Sha256),
}

impl GrowingCsv {
    /// A new file with the names of the columns.
    pub fn create(path: &Path, columns: &[Column<'_>]) -> Result<GrowingCsv, WriteError> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let mut out = GrowingCsv::new(path, file);
        push_head(&mut out.text, columns);
        out.append()?;
        Ok(out)
    }

    /// Continues a file after its first bytes, which must be unchanged; anything after them is cut off. All rows are
    /// handed out again, a few at a time, as columns.
    pub fn reopen(
        path: &Path,
        columns: &[Column<'_>],
        (bytes, sha256): (u64, &str),
    ) -> Result<(GrowingCsv, CsvRows), WriteError> {
        let other = || -> WriteError {
            io::Error::new(io::ErrorKind::InvalidData, "it is not the file of before").into()
        };
        open_regular(path)?;
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let mut sha = Sha256::new();
        if io::copy(&mut (&mut file).take(bytes), &mut sha)? != bytes || hex(&sha) != sha256 {
            return Err(other());
        }
        file.set_len(bytes)?;
        let mut out = GrowingCsv::new(path, file);
        (out.bytes, out.sha) = (bytes, sha);
        let mut head = String::new();
        push_head(&mut head, columns);
        let mut reader = BufReader::new(File::open(path)?);
        let mut found = vec![0; head.len()];
        reader.read_exact(&mut found)?;
        if found != head.as_bytes() {
            return Err(other());
        }
        Ok((out, CsvRows { reader, columns: columns.len(), line: Vec::new() }))
    }

    fn new(path: &Path, file: File) -> GrowingCsv {
        let sha = Sha256::new();
        let undo = (0, sha.clone());
        GrowingCsv { path: path.to_owned(), file, bytes: 0, sha, text: String::new(), undo }
    }

    /// Appends rows: all of them or none.
    pub fn push(&mut self, columns: &[Column<'_>]) -> Result<(), WriteError> {
        let rows = check(columns)?;
        self.text.clear();
        push_rows(&mut self.text, columns, 0..rows);
        self.append()
    }

    fn append(&mut self) -> Result<(), WriteError> {
        self.undo = (self.bytes, self.sha.clone());
        let end = self.bytes + self.text.len() as u64;
        let written = size_limit::check(end)
            .and_then(|()| self.file.seek(SeekFrom::Start(self.bytes)))
            .and_then(|_| self.file.write_all(self.text.as_bytes()));
        if let Err(source) = written {
            let _ = self.file.set_len(self.bytes);
            let (path, bytes_written) = (Some(self.path.clone()), self.bytes);
            return Err(WriteError::Io { path, bytes_written, source });
        }
        self.bytes = end;
        self.sha.update(self.text.as_bytes());
        Ok(())
    }

    /// Removes the rows that were appended last.
    pub fn undo(&mut self) {
        (self.bytes, self.sha) = self.undo.clone();
        let _ = self.file.set_len(self.bytes);
    }

    /// Makes the whole file durable.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Checksum of its content.
    pub fn sha256(&self) -> String {
        hex(&self.sha)
    }
}

fn hex(sha: &Sha256) -> String {
    sha.clone().finalize().iter().map(|b| format!("{b:02x}")).collect()
}

/// The rows of a file that is continued.
#[derive(Debug)]
pub struct CsvRows {
    reader: BufReader<File>,
    columns: usize,
    line: Vec<u8>,
}

impl CsvRows {
    /// Appends the next rows to columns, at most `most`; returns how many there were.
    pub fn next(&mut self, most: usize, columns: &mut [Vec<f64>]) -> io::Result<usize> {
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "a line is no row of numbers");
        for row in 0..most {
            self.line.clear();
            if self.reader.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(row);
            }
            let text = std::str::from_utf8(&self.line).map_err(|_| wrong())?;
            let fields = text.strip_suffix('\n').ok_or_else(wrong)?.split(',');
            let mut n = 0;
            for (field, column) in fields.zip(&mut *columns) {
                let known = !field.is_empty();
                column.push(if known { field.parse().map_err(|_| wrong())? } else { f64::NAN });
                n += 1;
            }
            if n != self.columns || n != columns.len() {
                return Err(wrong());
            }
        }
        Ok(most)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::write_csv;
    use super::*;

    fn columns<'a>(t: &'a [f64], x: &'a [f64]) -> [Column<'a>; 2] {
        let column =
            |name, values, may_lack| Column { name, unit: "", frame: "", values, may_lack };
        [column("t", t, false), column("a,b", x, true)]
    }

    #[test]
    fn grows_to_the_file_that_is_written_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let t: Vec<f64> = (0..100).map(|k| f64::from(k) * 0.1).collect();
        let mut x: Vec<f64> = t.iter().map(|t| -t.sin() * 1e-7).collect();
        x[7] = f64::NAN;
        let mut whole = Vec::new();
        write_csv(&mut whole, &columns(&t, &x)).unwrap();
        let mut csv = GrowingCsv::create(&path, &columns(&[], &[])).unwrap();
        csv.push(&columns(&t[..30], &x[..30])).unwrap();
        csv.push(&columns(&t[..30], &x[..30])).unwrap();
        csv.undo();
        let here = (csv.bytes(), csv.sha256());
        csv.push(&columns(&[9.0], &[9.0])).unwrap();
        drop(csv);
        // continues where it was
        let empty = columns(&[], &[]);
        let (mut csv, mut rows) = GrowingCsv::reopen(&path, &empty, (here.0, &here.1)).unwrap();
        let mut read = vec![Vec::new(), Vec::new()];
        assert_eq!(rows.next(20, &mut read).unwrap(), 20);
        assert_eq!(rows.next(20, &mut read).unwrap(), 10);
        assert!(read[0] == t[..30] && read[1][7].is_nan() && read[1][29] == x[29]);
        csv.push(&columns(&t[30..], &x[30..])).unwrap();
        assert!(std::fs::read(&path).unwrap() == whole);
        let sum: String = Sha256::digest(&whole).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!((csv.bytes(), csv.sha256()), (whole.len() as u64, sum));
        // different content is rejected
        let mut other = whole.clone();
        other[40] ^= 1;
        std::fs::write(&path, &other).unwrap();
        assert!(GrowingCsv::reopen(&path, &empty, (here.0, &here.1)).is_err());
    }
}
