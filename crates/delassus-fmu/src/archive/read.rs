//! Reading, of archives that may come from anywhere.
//!
//! The directory at the end of the file is read first, and must be plain: no comment, no ZIP64, no encryption, one disk,
//! entries that follow each other without gaps or overlaps, whose own headers agree with the directory. All sizes are
//! bounded before anything is unpacked, and counted again while it is.

use super::is_plain_path;
use crate::error::FmuError;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::collections::BTreeSet;
use std::io::Read;

/// Bounds on an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries.
    pub entries: usize,
    /// Unpacked bytes of all entries together.
    pub total: u64,
    /// Unpacked bytes per packed byte of one entry.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { entries: 10_000, total: 512 << 20, ratio: 100 }
    }
}

/// Below this size an entry may be packed to any ratio: a file of blanks is no attack, bytes.
const SMALL: u64 = 64 << 10;
/// Length of the record at the end, of an entry of the directory, and of the header of a file, without names.
const END: usize = 22;
const ENTRY: usize = 46;
const HEADER: usize = 30;

#[derive(Debug, Clone)]
struct Entry {
    path: String,
    folder: bool,
    packed: bool,
    crc: u32,
    size: u64,
    /// Where its bytes are.
    data: std::ops::Range<usize>,
}

/// An archive whose directory was checked.
#[derive(Debug, Clone)]
pub struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
}

impl<'a> Archive<'a> {
    /// Checks all entries.
    pub fn open(bytes: &'a [u8], limits: Limits) -> Result<Archive<'a>, FmuError> {
        let file = |rule: &str| fault("the file", rule);
        let end_at = bytes.len().checked_sub(END).ok_or_else(|| file("it is too short"))?;
        let end = &bytes[end_at..];
        if !end.starts_with(b"PK\x05\x06") {
            return Err(file("it is no ZIP archive, or something follows its directory"));
        }
        let (disks, here, count) = (u32_at(end, 4), u16_at(end, 8), u16_at(end, 10));
        let (size, start) = (u32_at(end, 12) as usize, u32_at(end, 16) as usize);
        if disks != 0 || here != count {
            return Err(file("it is spread over several disks"));
        }
        if u16_at(end, 20) != 0 {
            return Err(file("it has a comment"));
        }
        if usize::from(count) > limits.entries {
            return Err(file(&format!("it has {count} entries, more than {}", limits.entries)));
        }
        if start.checked_add(size) != Some(end_at) {
            return Err(file("its directory is not where it says"));
        }
        let mut archive = Archive { bytes, entries: Vec::new() };
        let (mut at, mut total, mut seen) = (start, 0u64, BTreeSet::new());
        for _ in 0..count {
            let (entry, next) = archive.entry(at, end_at, start)?;
            let path = entry.path.as_str();
            // names that differ in case only are one file on some systems
            if !seen.insert(path.to_lowercase()) {
                return Err(fault(path, "the name occurs twice"));
            }
            let packed = entry.data.len() as u64;
            if entry.size > SMALL && entry.size / limits.ratio.max(1) > packed {
                let rule = format!(
                    "{packed} bytes unpack to {}, more than {} times as many",
                    entry.size, limits.ratio
                );
                return Err(fault(path, &rule));
            }
            total = total.saturating_add(entry.size);
            if total > limits.total {
                return Err(file(&format!("it unpacks to more than {} bytes", limits.total)));
            }
            archive.entries.push(entry);
            at = next;
        }
        if at != end_at {
            return Err(file("its directory has another length than it says"));
        }
        archive.no_overlap(start)?;
        archive.no_file_as_folder()?;
        Ok(archive)
    }

    /// The entry of the directory at a place, and the place of the next.
    fn entry(&self, at: usize, end: usize, files_end: usize) -> Result<(Entry, usize), FmuError> {
        let cut = || fault("the file", "its directory is cut off");
        let head = self.bytes[..end].get(at..).and_then(|b| b.get(..ENTRY)).ok_or_else(cut)?;
        if !head.starts_with(b"PK\x01\x02") {
            return Err(fault("the file", "its directory is damaged"));
        }
        let lengths = [28, 30, 32].map(|k| usize::from(u16_at(head, k)));
        let next = at + ENTRY + lengths.iter().sum::<usize>();
        let name_at = at + ENTRY;
        let name = self.bytes[..end].get(name_at..name_at + lengths[0]).ok_or_else(cut)?;
        if next > end {
            return Err(cut());
        }
        let name = std::str::from_utf8(name)
            .map_err(|_| fault("an entry", "its name is not a text in UTF-8"))?;
        let rule = |rule: &str| fault(name, rule);
        let folder = name.ends_with('/');
        if !is_plain_path(name.strip_suffix('/').unwrap_or(name)) {
            return Err(rule("the name is not a plain path below the archive"));
        }
        let (flags, method) = (u16_at(head, 8), u16_at(head, 10));
        if flags & 0x1 != 0 {
            return Err(rule("it is encrypted"));
        }
        // the kind of file in the upper half of the attributes, as Unix has it: 0 means not given
        let kind = (u32_at(head, 38) >> 16) & 0o170_000;
        if ![0, if folder { 0o040_000 } else { 0o100_000 }].contains(&kind) {
            return Err(rule("it is neither a file nor a folder, for example a symbolic link"));
        }
        let packed = match method {
            0 => false,
            8 => true,
            other => {
                return Err(rule(&format!("method of compression {other} is not used in FMUs")));
            }
        };
        let (crc, held, size) = (u32_at(head, 16), u32_at(head, 20), u32_at(head, 24));
        if held == u32::MAX || size == u32::MAX {
            return Err(rule("it is larger than an FMU can be"));
        }
        if (!packed && held != size) || (folder && size != 0) {
            return Err(rule("its sizes disagree"));
        }
        let header_at = u32_at(head, 42) as usize;
        let header = self.bytes[..files_end]
            .get(header_at..)
            .and_then(|b| b.get(..HEADER))
            .filter(|h| h.starts_with(b"PK\x03\x04"))
            .ok_or_else(|| rule("its header is not where the directory says"))?;
        let [name_len, extra_len] = [26, 28].map(|k| usize::from(u16_at(header, k)));
        let data_at = header_at + HEADER + name_len + extra_len;
        let own = self.bytes[..files_end].get(header_at + HEADER..header_at + HEADER + name_len);
        if own != Some(name.as_bytes()) || u16_at(header, 8) != method {
            return Err(rule("its header disagrees with the directory"));
        }
        // with this flag the sizes follow the data instead
        let later = flags & 0x8 != 0;
        let stated = [(14, crc), (18, held), (22, size)];
        if stated
            .iter()
            .any(|(k, x)| u32_at(header, *k) != *x && !(later && u32_at(header, *k) == 0))
        {
            return Err(rule("its sizes disagree with the directory"));
        }
        let data = data_at..data_at + held as usize;
        if data.end > files_end {
            return Err(rule("it is cut off"));
        }
        let path = name.to_owned();
        Ok((Entry { path, folder, packed, crc, size: u64::from(size), data }, next))
    }

    /// No two entries share bytes: otherwise a small file could unpack to any size.
    fn no_overlap(&self, end: usize) -> Result<(), FmuError> {
        let mut order: Vec<&Entry> = self.entries.iter().collect();
        order.sort_by_key(|e| e.data.start);
        for (k, e) in order.iter().enumerate() {
            let next = order.get(k + 1).map_or(end, |n| n.data.start - HEADER - n.path.len());
            if e.data.end > next {
                return Err(fault(&e.path, "it overlaps another entry"));
            }
        }
        Ok(())
    }

    /// No entry lies inside a file.
    fn no_file_as_folder(&self) -> Result<(), FmuError> {
        let files: BTreeSet<&str> =
            self.entries.iter().filter(|e| !e.folder).map(|e| e.path.as_str()).collect();
        for e in &self.entries {
            let path = e.path.trim_end_matches('/');
            let mut folders = path.match_indices('/').map(|(k, _)| &path[..k]);
            if let Some(file) = folders.find(|f| files.contains(f)) {
                return Err(fault(&e.path, &format!("it lies inside the file {file}")));
            }
        }
        Ok(())
    }

    /// Paths of all files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|e| !e.folder).map(|e| e.path.as_str())
    }

    /// The content of a file.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, FmuError> {
        let found = self.entries.iter().find(|e| !e.folder && e.path == path);
        let e = found.ok_or_else(|| fault(path, "it is missing"))?;
        let data = self.bytes.get(e.data.clone()).unwrap_or(&[]);
        let mut out = Vec::new();
        if out.try_reserve_exact(e.size as usize).is_err() {
            return Err(fault(path, "there is no memory for it"));
        }
        if e.packed {
            // one byte more than stated shows that there is more
            let read = DeflateDecoder::new(data).take(e.size + 1).read_to_end(&mut out);
            read.map_err(|_| fault(path, "its data are damaged"))?;
        } else {
            out.extend_from_slice(data);
        }
        if out.len() as u64 != e.size {
            return Err(fault(path, "it unpacks to another size than stated"));
        }
        let mut crc = Crc::new();
        crc.update(&out);
        if crc.sum() != e.crc {
            return Err(fault(path, "its checksum is wrong"));
        }
        Ok(out)
    }
}

fn fault(what: &str, rule: &str) -> FmuError {
    let help = "use the file as it was exported; nothing of it was unpacked to the disk";
    FmuError::new("E_ARCHIVE", format!("{what}: {rule}"), help)
}

/// Little-endian numbers; the callers know that they are there.
fn u16_at(b: &[u8], k: usize) -> u16 {
    b.get(k..k + 2).map_or(0, |x| u16::from_le_bytes([x[0], x[1]]))
}

fn u32_at(b: &[u8], k: usize) -> u32 {
    b.get(k..k + 4).map_or(0, |x| u32::from_le_bytes([x[0], x[1], x[2], x[3]]))
}
