//! Columns that do not fit into memory: rows go in, parts of columns come out.
//!
//! The file consists of blocks of rows, each stored column by column, so that reading a part of a column takes a few
//! reads. The format is private to the run that writes it.

use super::size_limit;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

/// Approximate number of values in a block.
const VALUES: usize = 1 << 20;

/// Rows of some columns in a file.
#[derive(Debug)]
pub struct Spill {
    file: File,
    /// Rows of a block.
    block: usize,
    /// Blocks in the file.
    blocks: usize,
    /// The rows after the last whole block.
    tail: Vec<Vec<f64>>,
    bytes: Vec<u8>,
}

impl Spill {
    /// A new file for the given number of columns.
    pub fn create(path: &Path, columns: usize) -> io::Result<Spill> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let block = (VALUES / columns.max(1)).clamp(16, 4096);
        let tail = vec![Vec::with_capacity(block); columns];
        Ok(Spill { file, block, blocks: 0, tail, bytes: Vec::new() })
    }

    /// Number of rows so far.
    pub fn rows(&self) -> usize {
        self.block * self.blocks + self.tail.first().map_or(0, Vec::len)
    }

    /// Size of the file, bytes.
    pub fn bytes(&self) -> u64 {
        8 * (self.block * self.blocks * self.tail.len()) as u64
    }

    /// Appends rows, all or none; every column has the same number of them.
    pub fn push<'c>(&mut self, columns: impl Iterator<Item = &'c [f64]>) -> io::Result<()> {
        let before = self.tail.first().map_or(0, Vec::len);
        let written = self.blocks;
        for (tail, column) in self.tail.iter_mut().zip(columns) {
            tail.extend_from_slice(column);
        }
        let mut done = 0;
        while self.tail.first().map_or(0, Vec::len) - done >= self.block {
            if let Err(e) = self.write_block(done) {
                self.blocks = written;
                self.tail.iter_mut().for_each(|c| c.truncate(before));
                let _ = self.file.set_len(self.bytes());
                return Err(e);
            }
            done += self.block;
        }
        self.tail.iter_mut().for_each(|c| drop(c.drain(..done)));
        Ok(())
    }

    fn write_block(&mut self, from: usize) -> io::Result<()> {
        self.bytes.clear();
        for column in &self.tail {
            let rows = column.get(from..from + self.block).unwrap_or_default();
            self.bytes.extend(rows.iter().flat_map(|x| x.to_le_bytes()));
        }
        let at = self.bytes();
        size_limit::check(at + self.bytes.len() as u64)?;
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(&self.bytes)?;
        self.blocks += 1;
        Ok(())
    }

    /// Appends some rows of a column to a list.
    pub fn read(
        &mut self,
        column: usize,
        rows: Range<usize>,
        out: &mut Vec<f64>,
    ) -> io::Result<()> {
        let mut row = rows.start;
        let filed = self.block * self.blocks;
        while row < rows.end.min(filed) {
            let (block, from) = (row / self.block, row % self.block);
            let n = (self.block - from).min(rows.end - row);
            let at = (block * self.tail.len() + column) * self.block + from;
            self.bytes.resize(8 * n, 0);
            self.file.seek(SeekFrom::Start(8 * at as u64))?;
            self.file.read_exact(&mut self.bytes)?;
            let number = |b: &[u8]| f64::from_le_bytes(super::motion_file::fixed(b));
            out.extend(self.bytes.chunks_exact(8).map(number));
            row += n;
        }
        let tail = self.tail.get(column).map_or(&[][..], Vec::as_slice);
        let left = row.saturating_sub(filed)..rows.end.saturating_sub(filed);
        out.extend_from_slice(tail.get(left).unwrap_or_default());
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_columns_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::create(&folder.path().join("s"), 3).unwrap();
        let n = 10_000;
        let columns: Vec<Vec<f64>> =
            (0..3).map(|c| (0..n).map(|k| (k * 3 + c) as f64).collect()).collect();
        let mut at = 0;
        for part in [1, 7, 4096, 100, 5000, 796] {
            spill.push(columns.iter().map(|c| &c[at..at + part])).unwrap();
            at += part;
        }
        assert_eq!((at, spill.rows()), (n, n));
        for (column, rows) in [(0, 0..n), (1, 4000..4200), (2, 9000..n), (1, 5..5), (0, 8191..8193)]
        {
            let mut out = Vec::new();
            spill.read(column, rows.clone(), &mut out).unwrap();
            assert_eq!(out, columns[column][rows]);
        }
    }
}
