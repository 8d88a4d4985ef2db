//! `contacts.bin`: where bodies touched at the rows of `motion.bin`, and where events happened.
//!
//! All numbers are little-endian:
//!
//! ```text
//! "DELASCON"  8 bytes
//! version     u32, 1
//! stride      u32   rows of motion.bin per row of this file
//! points      u64
//! events      u64
//! block       u32   records per block
//! checksum    u32, CRC-32 of everything above
//! blocks      records, points first, then events; then CRC-32 of the block, u32
//! record      row u32 (of an event: its number in events.csv), contact u32,
//!             place x y z, normal x y z, force (of an event: impulse): f64
//! ```
//!
//! Contacts that are open leave no record. Equal runs give equal files.

use super::WriteError;
use super::motion_file::{crc32, fixed, seal};
use std::io::Write;

const MAGIC: &[u8; 8] = b"DELASCON";
const VERSION: u32 = 1;
/// Records per block: damage costs no more than these.
const BLOCK: usize = 256;
/// Bytes before the checksum of the header, and of a record.
const HEAD: usize = 36;
const RECORD: usize = 64;

/// A place where bodies touched.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ContactRow {
    /// Row of the motion, or number of the event.
    pub row: u32,
    /// Number of the contact in the model.
    pub contact: u32,
    /// Position in ground components, m.
    pub at: [f64; 3],
    /// Direction of the force; zero for stops of angles.
    pub normal: [f64; 3],
    /// Normal force, N; of an event its impulse, N·s.
    pub force: f64,
}

/// Contact points of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactPoints {
    /// Rows of the motion per row of the contact points: rows in between show those of the row before.
    pub stride: u32,
    /// Points, by ascending row.
    pub points: Vec<ContactRow>,
    /// Places of events, by ascending number.
    pub events: Vec<ContactRow>,
}

/// Writes contact points.
pub fn write_contacts(mut w: impl Write, c: &ContactPoints) -> Result<(), WriteError> {
    let all = || c.points.iter().chain(&c.events);
    let finite =
        |r: &ContactRow| r.at.iter().chain(&r.normal).chain([&r.force]).all(|x| x.is_finite());
    if let Some(row) = all().position(|r| !finite(r)) {
        return Err(WriteError::NonFinite { column: "contacts".to_owned(), row });
    }
    let mut bytes = Vec::with_capacity(RECORD * BLOCK + 4);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&c.stride.to_le_bytes());
    bytes.extend_from_slice(&(c.points.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(c.events.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(BLOCK as u32).to_le_bytes());
    seal(&mut bytes);
    w.write_all(&bytes)?;
    bytes.clear();
    for r in all() {
        bytes.extend_from_slice(&r.row.to_le_bytes());
        bytes.extend_from_slice(&r.contact.to_le_bytes());
        for x in r.at.iter().chain(&r.normal).chain([&r.force]) {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
        if bytes.len() == RECORD * BLOCK {
            seal(&mut bytes);
            w.write_all(&bytes)?;
            bytes.clear();
        }
    }
    if !bytes.is_empty() {
        seal(&mut bytes);
        w.write_all(&bytes)?;
    }
    w.flush()?;
    Ok(())
}

/// Reads the intact part of a file of contact points, and says what is wrong with the rest; `Err` says why nothing is
/// usable.
pub fn read_contacts(bytes: &[u8]) -> Result<(ContactPoints, Option<String>), String> {
    if bytes.len() < HEAD + 4 || &bytes[..8] != MAGIC {
        return Err("this is no file of contact points, or it is cut off at the start".to_owned());
    }
    let word = |at: usize| u32::from_le_bytes(fixed(&bytes[at..]));
    let long = |at: usize| u64::from_le_bytes(fixed(&bytes[at..]));
    if word(8) != VERSION {
        return Err(format!(
            "the file of contact points is of version {}; this program reads version {VERSION}",
            word(8)
        ));
    }
    if crc32(&bytes[..HEAD]) != word(HEAD) {
        return Err("the head of the file of contact points is damaged (wrong checksum)".to_owned());
    }
    let (stride, points, events, block) = (word(12), long(16), long(24), word(32) as usize);
    let (Some(total), true) = (points.checked_add(events), block > 0) else {
        return Err("the head of the file of contact points makes no sense".to_owned());
    };
    let mut out = ContactPoints { stride, ..ContactPoints::default() };
    let mut rest = &bytes[HEAD + 4..];
    let mut done = 0u64;
    while done < total {
        let n = (total - done).min(block as u64) as usize;
        let size = n.saturating_mul(RECORD);
        let fault = if rest.len() < size.saturating_add(4) {
            Some("the file is cut off")
        } else if crc32(&rest[..size]) != u32::from_le_bytes(fixed(&rest[size..])) {
            Some("a block is damaged (wrong checksum)")
        } else {
            None
        };
        if let Some(what) = fault {
            return Ok((
                out,
                Some(format!("{what}: {done} of {total} contact points can be shown")),
            ));
        }
        for record in rest[..size].chunks_exact(RECORD) {
            let number = |k: usize| f64::from_le_bytes(fixed(&record[8 + 8 * k..]));
            let row = ContactRow {
                row: u32::from_le_bytes(fixed(record)),
                contact: u32::from_le_bytes(fixed(&record[4..])),
                at: [0, 1, 2].map(number),
                normal: [3, 4, 5].map(number),
                force: number(6),
            };
            if done < points {
                out.points.push(row)
            } else {
                out.events.push(row)
            }
            done += 1;
        }
        rest = &rest[size + 4..];
    }
    Ok((out, None))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn sample(points: u32, events: u32) -> ContactPoints {
        let row = |k: u32| ContactRow {
            row: k / 3,
            contact: k % 3,
            at: [f64::from(k), 0.5, -1.0],
            normal: [0.0, 1.0, 0.0],
            force: 2.0 * f64::from(k),
        };
        ContactPoints {
            stride: 2,
            points: (0..points).map(row).collect(),
            events: (0..events).map(row).collect(),
        }
    }

    fn bytes(c: &ContactPoints) -> Vec<u8> {
        let mut out = Vec::new();
        write_contacts(&mut out, c).unwrap();
        out
    }

    #[test]
    fn what_was_written_is_read() {
        for (points, events) in [(0, 0), (1, 0), (0, 3), (255, 1), (256, 0), (700, 20)] {
            let c = sample(points, events);
            assert_eq!(read_contacts(&bytes(&c)).unwrap(), (c, None));
        }
    }

    #[test]
    fn whatever_is_cut_off_or_changed_the_rest_is_good() {
        let c = sample(700, 20);
        let all = bytes(&c);
        for end in (0..all.len()).step_by(37) {
            let Ok((read, problem)) = read_contacts(&all[..end]) else {
                assert!(end < HEAD + 4);
                continue;
            };
            assert!(problem.unwrap().contains("cut off"));
            assert_eq!(read.points, c.points[..read.points.len()]);
        }
        for at in (0..all.len()).step_by(53) {
            let mut bad = all.clone();
            bad[at] ^= 16;
            if let Ok((_, problem)) = read_contacts(&bad) {
                assert!(problem.is_some(), "{at}");
            }
        }
    }

    #[test]
    fn another_version_is_named_and_only_finite_numbers_are_written() {
        let mut other = bytes(&sample(1, 0));
        other[8] = 3;
        assert!(read_contacts(&other).unwrap_err().contains("version 3"));
        let mut c = sample(4, 0);
        c.points[2].force = f64::NAN;
        assert!(matches!(
            write_contacts(Vec::new(), &c),
            Err(WriteError::NonFinite { row: 2, .. })
        ));
    }
}
