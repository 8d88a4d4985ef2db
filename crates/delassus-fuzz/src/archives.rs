//! FMUs that someone has made by hand, and not to our advantage.
//!
//! An archive is written entry by entry, so that names, sizes and headers may say what they like; checksums of changed files are
//! right, so that what is behind them is reached.

use crate::mutate::{ROUGH, mutant};
use crate::seeds::Seeds;
use delassus_adversary::random::Random;
use delassus_fmu::archive::{Archive, Limits};

/// Part of a path that no command may write to.
pub const ESCAPED: &str = "delassus-escaped";

/// A file in an archive.
#[derive(Debug, Clone)]
struct Entry {
    name: String,
    data: Vec<u8>,
    /// Compression as stated.
    method: u16,
    /// Size as stated, if not the true one.
    size: Option<u32>,
    /// Kind of file and permissions.
    mode: u32,
    flags: u16,
}

fn entry(name: &str, data: Vec<u8>) -> Entry {
    Entry { name: name.to_owned(), data, method: 0, size: None, mode: 0o100_644, flags: 0 }
}

/// Files of a good FMU.
#[derive(Debug, Clone)]
pub struct Fmu(Vec<Entry>);

impl Fmu {
    /// From the bytes of a good one; `None` if they are not.
    pub fn read(bytes: &[u8]) -> Option<Fmu> {
        let archive = Archive::open(bytes, Limits::default()).ok()?;
        let files = archive.files().map(|f| Some(entry(f, archive.read(f).ok()?)));
        files.collect::<Option<Vec<_>>>().map(Fmu)
    }

    fn find(&mut self, end: &str) -> Option<&mut Entry> {
        self.0.iter_mut().find(|e| e.name.ends_with(end))
    }

    /// After one to three changes.
    pub fn changed(&self, seeds: &Seeds, random: &mut Random) -> Vec<u8> {
        let mut fmu = self.clone();
        for _ in 0..random.whole(1, 3) {
            fmu.change(seeds, random);
        }
        let mut bytes = fmu.write();
        if random.chance(0.3) {
            damage(&mut bytes, random);
        }
        bytes
    }

    fn change(&mut self, seeds: &Seeds, random: &mut Random) {
        let k = random.whole(0, self.0.len().saturating_sub(1));
        match random.whole(0, 11) {
            0 => {
                let name = name(random);
                self.0.push(entry(&name, b"escaped".to_vec()));
            }
            1 => {
                if let Some(e) = self.0.get_mut(k) {
                    e.name = name(random);
                }
            }
            2 => {
                if let Some(e) = self.0.get(k).cloned() {
                    let upper = random.chance(0.5);
                    let name = if upper { e.name.to_uppercase() } else { e.name.clone() };
                    self.0.push(Entry { name, ..e });
                }
            }
            // sizes that are not there, in both kinds of compression
            3 => {
                if let Some(e) = self.0.get_mut(k) {
                    e.size = Some(random.pick(&[0, 1, 1 << 20, 1 << 30, u32::MAX - 1, u32::MAX]));
                    e.method = random.pick(&[0, 8, 8, 9, 14, 99]);
                }
            }
            4 => {
                if let Some(e) = self.0.get_mut(k) {
                    e.mode = random.pick(&[0o120_777, 0o060_000, 0o010_000, 0o040_755, 0]);
                    e.flags = random.pick(&[0, 1, 8, 0x800, 0xffff]);
                }
            }
            5 => {
                if !self.0.is_empty() {
                    self.0.remove(k);
                }
            }
            6 => self.describe(random),
            7 | 8 => {
                if let Some(e) = self.find("delassus.toml") {
                    e.data = manifest(&e.data, random);
                }
            }
            9 | 10 => {
                let text = mutant(seeds, &ROUGH, random).text;
                if let Some(e) = self.0.iter_mut().find(|e| e.name.starts_with("resources/model/"))
                {
                    e.data = text.into_bytes();
                }
            }
            _ => {
                if let Some(e) = self.0.get_mut(k) {
                    damage(&mut e.data, random);
                }
            }
        }
    }

    /// The description: other versions, none, much of it.
    fn describe(&mut self, random: &mut Random) {
        let Some(e) = self.find("modelDescription.xml") else { return };
        let text = String::from_utf8_lossy(&e.data).into_owned();
        let text = match random.whole(0, 5) {
            0 => text.replace("fmiVersion=\"3.0\"", "fmiVersion=\"4.0-beta\""),
            1 => text
                .replace("fmiVersion=\"3.0\"", &format!("fmiVersion=\"{}\"", "9".repeat(1 << 20))),
            2 => text.replace("fmiVersion", "version"),
            3 => format!("<?xml version=\"1.0\"?>{}", "<a>".repeat(1 << 22)),
            4 => format!("<!DOCTYPE x [<!ENTITY a \"{}\">]>{text}", "&a;".repeat(1 << 16)),
            _ => String::new(),
        };
        e.data = text.into_bytes();
    }

    fn write(&self) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        let two = |x: usize| (x as u16).to_le_bytes();
        let four = |x: usize| (x as u32).to_le_bytes();
        for e in &self.0 {
            let at = out.len();
            let size = e.size.map_or(e.data.len(), |s| s as usize);
            let mut head = Vec::new();
            head.extend(two(20));
            for x in [e.flags, e.method, 0, 0x21] {
                head.extend(two(x.into()));
            }
            for x in [crc(&e.data) as usize, e.data.len(), size] {
                head.extend(four(x));
            }
            head.extend(two(e.name.len()));
            head.extend(two(0));
            out.extend(b"PK\x03\x04");
            out.extend(&head);
            out.extend(e.name.as_bytes());
            out.extend(&e.data);
            directory.extend(b"PK\x01\x02\x14\x03");
            directory.extend(&head);
            directory.extend([0_u8; 6]);
            directory.extend(four((e.mode as usize) << 16));
            directory.extend(four(at));
            directory.extend(e.name.as_bytes());
        }
        let (at, size, n) = (out.len(), directory.len(), self.0.len());
        out.extend(directory);
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend([two(n), two(n)].concat());
        out.extend([four(size), four(at)].concat());
        out.extend([0, 0]);
        out
    }
}

/// Names that lead out of the archive, or to places with a meaning.
fn name(random: &mut Random) -> String {
    let up = "../".repeat(random.whole(1, 12));
    let long = "x".repeat(random.whole(0, 65_000));
    random.pick(&[
        format!("{up}{ESCAPED}"),
        format!("resources/model/{up}{ESCAPED}"),
        format!("/tmp/{ESCAPED}"),
        format!("/{ESCAPED}"),
        format!("resources\\..\\..\\{ESCAPED}"),
        format!("C:/{ESCAPED}"),
        format!("resources/model/./{ESCAPED}"),
        format!("resources/model//{ESCAPED}"),
        format!("resources/model/{ESCAPED}\u{202e}lmot"),
        "resources/model/a\nb".to_owned(),
        "resources/model".to_owned(),
        "resources/delassus.toml/x".to_owned(),
        "modelDescription.xml/".to_owned(),
        long,
    ])
}

/// The file that says what was exported, with lines renamed, doubled, removed, or leading elsewhere.
fn manifest(data: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(data).into_owned();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let k = random.whole(0, lines.len().saturating_sub(1));
    match random.whole(0, 6) {
        0 => {
            let path = random.pick(&["../../etc/passwd", "/etc/passwd", "", "a/../b.toml", "x"]);
            for line in &mut lines {
                if line.starts_with("model = ") {
                    *line = format!("model = \"{path}\"");
                }
            }
        }
        1 => lines.insert(0, "unknown = 1".to_owned()),
        2 if !lines.is_empty() => drop(lines.remove(k)),
        3 if !lines.is_empty() => {
            let line = lines[k].clone();
            lines.push(line);
        }
        4 => {
            let version = random.pick(&["0", "2", "-1", "1e9", "\"1\"", "99999999999999999999"]);
            for line in &mut lines {
                if line.starts_with("format = ") {
                    *line = format!("format = {version}");
                }
            }
        }
        5 => lines.push("[".repeat(random.whole(1, 100_000))),
        _ => {
            let value = random.pick(&["nan", "-1", "1e999", "\"1 m\"", "[]", "\"\\u0000\""]);
            if let Some((key, _)) = lines.get(k).and_then(|l| l.split_once('=')) {
                lines[k] = format!("{key}= {value}");
            }
        }
    }
    lines.join("\n").into_bytes()
}

/// Bits, ends and pieces of bytes.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.whole(0, bytes.len());
    match random.whole(0, 4) {
        0 => bytes.truncate(at),
        1 => {
            for _ in 0..random.whole(1, 8) {
                let k = random.whole(0, bytes.len().saturating_sub(1));
                if let Some(b) = bytes.get_mut(k) {
                    *b ^= 1 << random.whole(0, 7);
                }
            }
        }
        2 => bytes.extend_from_slice(b"PK\x05\x06 and more"),
        3 => drop(bytes.splice(0..0, *b"#!/bin/sh\n")),
        _ => {
            let end = (at + random.whole(0, 64)).min(bytes.len());
            bytes.drain(at..end);
        }
    }
}

/// The checksum of ZIP.
fn crc(data: &[u8]) -> u32 {
    let mut c = u32::MAX;
    for b in data {
        c ^= u32::from(*b);
        for _ in 0..8 {
            c = (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg());
        }
    }
    !c
}
