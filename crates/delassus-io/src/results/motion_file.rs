//! `motion.bin`: where the bodies were at the samples.
//!
//! This is a format of its own and not Parquet: a model of 500 bodies would have 1500 columns with more description
//! than data, and a truncated Parquet file has lost its directory, which is at the end. Here every block of rows has a
//! checksum, and everything before the damage can be shown.
//!
//! All numbers are little-endian:
//!
//! ```text
//! "DELASMOT"  8 bytes
//! version     u32, 1
//! bodies      u32
//! rows        u64; of a run that did not end the largest number of all
//! stride      u32   samples of the run per row
//! block       u32   rows per block
//! forms       u8 per body: 0 planar (x y angle), 1 rigid (x y z qw qx qy qz),
//!                          2 point (x y z), 3 planar point (x y)
//! checksum    u32, CRC-32 of everything above
//! blocks      rows of t and the coordinates of all bodies, f64, then CRC-32 of the block, u32
//! ```
//!
//! Coordinates are those of the body frame, not of the mass centre. Equal runs give equal files.

use super::{WriteError, size_limit};
use delassus_model::PoseForm;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

const MAGIC: &[u8; 8] = b"DELASMOT";
const VERSION: u32 = 1;
/// Rows per block: damage costs no more than these.
const BLOCK: usize = 64;
/// Number of rows of a run in progress: as many as there are.
const OPEN: u64 = u64::MAX;
/// Bytes before the forms of the bodies.
const HEAD: usize = 32;

/// Rows of positions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MotionFile {
    /// How the positions of the bodies are stored; the ground is not among them.
    pub forms: Vec<PoseForm>,
    /// Samples of the run per row.
    pub stride: u32,
    /// Times, s.
    pub t: Vec<f64>,
    /// Coordinates of all bodies, row by row.
    pub coordinates: Vec<f64>,
}

impl MotionFile {
    /// Numbers per row, without the time.
    pub fn width(&self) -> usize {
        self.forms.iter().map(|f| f.width()).sum()
    }

    /// The coordinates of a row.
    pub fn row(&self, row: usize) -> Option<&[f64]> {
        let width = self.width();
        self.coordinates.get(row.checked_mul(width)?..row.checked_add(1)?.checked_mul(width)?)
    }
}

/// The content of a motion file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadMotion {
    /// The intact part.
    pub motion: MotionFile,
    /// What is wrong with the rest, if anything.
    pub problem: Option<String>,
}

/// Writes a motion.
pub fn write_motion(mut w: impl Write, m: &MotionFile) -> Result<(), WriteError> {
    let width = m.width();
    let rows = m.t.len();
    if m.coordinates.len() != rows * width {
        return Err(WriteError::Length {
            column: "motion".to_owned(),
            expected: rows * width,
            found: m.coordinates.len(),
        });
    }
    if let Some(bad) = m.coordinates.iter().position(|x| !x.is_finite()) {
        return Err(WriteError::NonFinite { column: "motion".to_owned(), row: bad / width.max(1) });
    }
    let mut bytes = Vec::new();
    push_head(&mut bytes, m, rows as u64);
    w.write_all(&bytes)?;
    for start in (0..rows).step_by(BLOCK) {
        bytes.clear();
        push_block(&mut bytes, m, start..rows.min(start + BLOCK));
        w.write_all(&bytes)?;
    }
    w.flush()?;
    Ok(())
}

fn push_head(bytes: &mut Vec<u8>, m: &MotionFile, rows: u64) {
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(m.forms.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&rows.to_le_bytes());
    bytes.extend_from_slice(&m.stride.to_le_bytes());
    bytes.extend_from_slice(&(BLOCK as u32).to_le_bytes());
    bytes.extend(m.forms.iter().map(|f| f.code()));
    seal(bytes);
}

fn push_block(bytes: &mut Vec<u8>, m: &MotionFile, rows: Range<usize>) {
    for row in rows {
        bytes.extend_from_slice(&m.t[row].to_le_bytes());
        for x in m.row(row).unwrap_or_default() {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
    }
    seal(bytes);
}

/// The motion file of a run in progress: its header does not know how many rows there will be.
#[derive(Debug)]
pub struct GrowingMotion {
    file: File,
    at: u64,
    bytes: Vec<u8>,
}

impl GrowingMotion {
    /// Number of rows appended at a time.
    pub const ROWS: usize = BLOCK;

    /// A new file for the bodies of a motion, whose rows are ignored.
    pub fn create(path: &Path, m: &MotionFile) -> io::Result<GrowingMotion> {
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
        let mut out = GrowingMotion { file, at: 0, bytes: Vec::new() };
        push_head(&mut out.bytes, m, OPEN);
        out.append()?;
        Ok(out)
    }

    /// Appends the rows of a motion, of which there must be [`GrowingMotion::ROWS`].
    pub fn push(&mut self, m: &MotionFile) -> io::Result<()> {
        self.bytes.clear();
        push_block(&mut self.bytes, m, 0..m.t.len().min(BLOCK));
        self.append()
    }

    fn append(&mut self) -> io::Result<()> {
        let end = self.at + self.bytes.len() as u64;
        size_limit::check(end)?;
        self.file.write_all(&self.bytes)?;
        self.at = end;
        Ok(())
    }
}

/// Appends the checksum.
pub(super) fn seal(bytes: &mut Vec<u8>) {
    let sum = crc32(bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// Reads the intact part of a motion file; `Err` says why nothing is usable.
pub fn read_motion(bytes: &[u8]) -> Result<ReadMotion, String> {
    if bytes.len() < HEAD || &bytes[..8] != MAGIC {
        return Err("this is no motion file of delassus, or it is cut off at the start".to_owned());
    }
    let word = |at: usize| u32::from_le_bytes(fixed(&bytes[at..]));
    if word(8) != VERSION {
        return Err(format!(
            "the motion file is of version {}; this program reads version {VERSION}",
            word(8)
        ));
    }
    let rows = u64::from_le_bytes(fixed(&bytes[16..]));
    let (bodies, stride, block) = (word(12) as usize, word(24), word(28) as usize);
    let body = HEAD + bodies;
    let Some(codes) = bytes.get(HEAD..body).filter(|_| bytes.len() >= body + 4) else {
        return Err("the motion file is cut off in its head".to_owned());
    };
    if crc32(&bytes[..body]) != word(body) {
        return Err("the head of the motion file is damaged (wrong checksum)".to_owned());
    }
    let forms: Option<Vec<PoseForm>> = codes.iter().map(|c| PoseForm::from_code(*c)).collect();
    let (Some(forms), true) = (forms, block > 0) else {
        return Err("the head of the motion file makes no sense".to_owned());
    };
    let mut motion = MotionFile { forms, stride, t: Vec::new(), coordinates: Vec::new() };
    let wide = 8 * (motion.width() + 1);
    let mut rest = &bytes[body + 4..];
    let mut problem = None;
    while (motion.t.len() as u64) < rows {
        let n = (rows - motion.t.len() as u64).min(block as u64) as usize;
        let size = n.saturating_mul(wide);
        if rest.len() < size.saturating_add(4) {
            problem = Some("the file is cut off");
            break;
        }
        let (data, tail) = rest.split_at(size);
        if crc32(data) != u32::from_le_bytes(fixed(tail)) {
            problem = Some("a block is damaged (wrong checksum)");
            break;
        }
        for row in data.chunks_exact(wide) {
            let mut numbers = row.chunks_exact(8).map(|x| f64::from_le_bytes(fixed(x)));
            motion.t.extend(numbers.next());
            motion.coordinates.extend(numbers);
        }
        rest = &tail[4..];
    }
    let problem = problem.filter(|_| rows != OPEN || !rest.is_empty()).map(|what| {
        let rows = if rows == OPEN { "all".to_owned() } else { rows.to_string() };
        let until = motion.t.last().map_or("nothing".to_owned(), |t| format!("t = {t} s"));
        format!("{what}: {} of {rows} rows can be shown, up to {until}", motion.t.len())
    });
    Ok(ReadMotion { motion, problem })
}

/// The first bytes as an array; zeros if there are none.
pub(super) fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    for (o, b) in out.iter_mut().zip(bytes) {
        *o = *b;
    }
    out
}

/// Four tables of CRC-32 (polynomial 0xEDB88320), so that four bytes are processed at a time.
const TABLES: [[u32; 256]; 4] = {
    let mut t = [[0u32; 256]; 4];
    let mut i = 0;
    while i < 256 {
        let mut c = i as u32;
        let mut k = 0;
        while k < 8 {
            c = if c & 1 == 1 { 0xEDB8_8320 ^ (c >> 1) } else { c >> 1 };
            k += 1;
        }
        t[0][i] = c;
        i += 1;
    }
    i = 0;
    while i < 256 {
        let mut k = 1;
        while k < 4 {
            let before = t[k - 1][i];
            t[k][i] = t[0][(before & 0xFF) as usize] ^ (before >> 8);
            k += 1;
        }
        i += 1;
    }
    t
};

/// CRC-32 as in zip and PNG files.
pub fn crc32(bytes: &[u8]) -> u32 {
    let at = |k: usize, c: u32| TABLES[k][(c & 0xFF) as usize];
    let mut sum = !0u32;
    let mut words = bytes.chunks_exact(4);
    for word in &mut words {
        let c = sum ^ u32::from_le_bytes(fixed(word));
        sum = at(3, c) ^ at(2, c >> 8) ^ at(1, c >> 16) ^ at(0, c >> 24);
    }
    for byte in words.remainder() {
        sum = at(0, sum ^ u32::from(*byte)) ^ (sum >> 8);
    }
    !sum
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn sample(rows: usize) -> MotionFile {
        let forms = [0, 1, 2, 3].map(|c| PoseForm::from_code(c).unwrap()).to_vec();
        let t: Vec<f64> = (0..rows).map(|k| k as f64 * 0.1).collect();
        let coordinates = (0..rows * 15).map(|k| (k as f64).sin()).collect();
        MotionFile { forms, stride: 2, t, coordinates }
    }

    fn bytes(m: &MotionFile) -> Vec<u8> {
        let mut out = Vec::new();
        write_motion(&mut out, m).unwrap();
        out
    }

    #[test]
    fn the_known_checksum() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn what_was_written_is_read() {
        for rows in [0, 1, 64, 65, 200] {
            let m = sample(rows);
            assert_eq!(read_motion(&bytes(&m)).unwrap(), ReadMotion { motion: m, problem: None });
        }
    }

    #[test]
    fn whatever_is_cut_off_the_rest_is_good() {
        let m = sample(200);
        let all = bytes(&m);
        for end in 0..all.len() {
            let Ok(read) = read_motion(&all[..end]) else {
                assert!(end < HEAD + 4 + 4, "{end}");
                continue;
            };
            assert!(read.problem.as_ref().unwrap().contains("cut off"));
            let n = read.motion.t.len();
            assert_eq!(n % 64, 0);
            assert_eq!(read.motion.t, m.t[..n]);
            assert_eq!(read.motion.coordinates, m.coordinates[..n * 15]);
        }
    }

    #[test]
    fn a_file_that_grows_is_read_as_far_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        let m = sample(128);
        let part = |rows: Range<usize>| MotionFile {
            t: m.t[rows.clone()].to_vec(),
            coordinates: m.coordinates[15 * rows.start..15 * rows.end].to_vec(),
            ..m.clone()
        };
        let mut file = GrowingMotion::create(&path, &m).unwrap();
        for n in 0..2 {
            let read = read_motion(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(read, ReadMotion { motion: part(0..64 * n), problem: None });
            file.push(&part(64 * n..64 * (n + 1))).unwrap();
        }
        let mut bytes = std::fs::read(&path).unwrap();
        assert_eq!(read_motion(&bytes).unwrap().motion, m);
        bytes.pop();
        let read = read_motion(&bytes).unwrap();
        assert!(read.motion == part(0..64) && read.problem.unwrap().contains("64 of all rows"));
    }

    #[test]
    fn a_flipped_bit_is_found() {
        let m = sample(70);
        let all = bytes(&m);
        for at in (0..all.len()).step_by(97).chain(0..HEAD + 8) {
            let mut bad = all.clone();
            bad[at] ^= 4;
            if let Ok(read) = read_motion(&bad) {
                assert!(read.problem.is_some(), "{at}");
                assert!(read.motion.t.len() <= 64);
            }
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut other = bytes(&sample(1));
        other[8] = 9;
        let e = read_motion(&other).unwrap_err();
        assert!(e.contains("version 9") && e.contains("version 1"), "{e}");
        assert!(read_motion(b"t,x\n0,1\n").unwrap_err().contains("no motion file"));
    }

    #[test]
    fn numbers_that_are_not_finite_are_not_written() {
        let mut m = sample(3);
        m.coordinates[16] = f64::NAN;
        let e = write_motion(Vec::new(), &m).unwrap_err();
        assert!(matches!(e, WriteError::NonFinite { row: 1, .. }), "{e}");
    }
}
