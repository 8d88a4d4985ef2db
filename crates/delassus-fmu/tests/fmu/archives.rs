//! Hostile archives are refused by name, and nothing is written (R35).

use crate::support::export;
use delassus_fmu::FmuError;
use delassus_fmu::archive::{Archive, Limits};
use std::fs;

/// A file of an archive in the making.
struct File {
    name: Vec<u8>,
    data: Vec<u8>,
    method: u16,
    flags: u16,
    /// Attributes of Unix.
    mode: u32,
    /// Size as stated, if it is not the true one.
    size: Option<u32>,
}

fn file(name: &str, data: &[u8]) -> File {
    File {
        name: name.as_bytes().to_vec(),
        data: data.to_vec(),
        method: 0,
        flags: 0,
        mode: 0o100_644,
        size: None,
    }
}

fn crc(data: &[u8]) -> u32 {
    let mut c = flate2::Crc::new();
    c.update(data);
    c.sum()
}

/// Writes the archive byte by byte, right or wrong.
fn archive(files: &[File]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for f in files {
        let at = out.len() as u32;
        let plain = match f.method {
            8 => inflate(&f.data),
            _ => f.data.clone(),
        };
        let size = f.size.unwrap_or(plain.len() as u32);
        let mut head = Vec::new();
        head.extend(20_u16.to_le_bytes());
        for x in [f.flags, f.method, 0, 0x21] {
            head.extend(x.to_le_bytes());
        }
        for x in [crc(&plain), f.data.len() as u32, size] {
            head.extend(x.to_le_bytes());
        }
        for x in [f.name.len() as u16, 0] {
            head.extend(x.to_le_bytes());
        }
        out.extend(b"PK\x03\x04");
        out.extend(&head);
        out.extend(&f.name);
        out.extend(&f.data);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&head);
        directory.extend([0_u8; 6]);
        directory.extend((f.mode << 16).to_le_bytes());
        directory.extend(at.to_le_bytes());
        directory.extend(&f.name);
    }
    let (at, size, n) = (out.len() as u32, directory.len() as u32, files.len() as u16);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    for x in [n, n] {
        out.extend(x.to_le_bytes());
    }
    for x in [size, at] {
        out.extend(x.to_le_bytes());
    }
    out.extend([0, 0]);
    out
}

fn inflate(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = std::io::Read::read_to_end(&mut flate2::read::DeflateDecoder::new(data), &mut out);
    out
}

fn deflate(data: &[u8]) -> Vec<u8> {
    let mut e = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut e, data).unwrap();
    e.finish().unwrap()
}

/// Opens it, in a folder of which nothing may change.
fn refused(bytes: &[u8]) -> FmuError {
    let parent = tempfile::tempdir().unwrap();
    let e = delassus_fmu::open(bytes, &parent.path().join("new")).unwrap_err();
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0, "{e}");
    e
}

#[test]
fn rel_r35_crafted_archives() {
    let good = || vec![file("modelDescription.xml", b"x"), file("resources/a", b"abc")];
    let all = Archive::open(&archive(&good()), Limits::default()).map(|a| a.files().count());
    assert_eq!(all, Ok(2));
    let blanks = deflate(&vec![0; 1 << 20]);
    let with = |f: File| {
        let mut files = good();
        files.push(f);
        archive(&files)
    };
    let name = |n: &str| with(file(n, b"x"));
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("not a plain path", name("../../etc/passwd")),
        ("not a plain path", name("resources/../../x")),
        ("not a plain path", name("/etc/passwd")),
        ("not a plain path", name("resources\\x")),
        ("not a plain path", name("c:/x")),
        ("not a plain path", name("")),
        ("occurs twice", name("resources/a")),
        ("occurs twice", name("resources/A")),
        ("inside the file", name("resources/a/b")),
        ("symbolic link", with(File { mode: 0o120_777, ..file("resources/link", b"/etc") })),
        ("symbolic link", with(File { mode: 0o020_666, ..file("resources/device", b"") })),
        ("encrypted", with(File { flags: 1, ..file("resources/b", b"x") })),
        ("compression 12", with(File { method: 12, ..file("resources/b", b"x") })),
        ("sizes disagree", with(File { size: Some(77), ..file("resources/b", b"x") })),
        ("not a text", with(File { name: vec![b'a', 0xFF], ..file("", b"x") })),
        (
            "times as many",
            with(File { method: 8, data: blanks.clone(), ..file("resources/b", b"") }),
        ),
    ];
    for (part, bytes) in &cases {
        let e = refused(bytes);
        assert_eq!(e.code, "E_ARCHIVE", "{part}");
        assert!(e.message.contains(part), "{part}: {e}");
    }
    // more than stated comes out: found while it is unpacked
    let lying = with(File {
        method: 8,
        size: Some(100),
        data: deflate(&[7; 5000]),
        ..file("resources/b", b"")
    });
    let opened = Archive::open(&lying, Limits::default()).unwrap();
    assert!(opened.read("resources/b").unwrap_err().message.contains("another size"));
    let mut damaged = archive(&good());
    let at = damaged.windows(3).position(|w| w == b"abc").unwrap();
    damaged[at] = b'x';
    let opened = Archive::open(&damaged, Limits::default()).unwrap();
    assert!(opened.read("resources/a").unwrap_err().message.contains("checksum"));
    // bounds of the whole
    let many: Vec<File> = (0..10_001).map(|k| file(&format!("f{k}"), b"")).collect();
    assert!(refused(&archive(&many)).message.contains("10001 entries"));
    let total = Limits { total: 3, ..Limits::default() };
    assert!(Archive::open(&archive(&good()), total).unwrap_err().message.contains("3 bytes"));
    let mut comment = archive(&good());
    let n = comment.len();
    comment[n - 2] = 4;
    comment.extend(b"abcd");
    assert_eq!(refused(&comment).code, "E_ARCHIVE");
}

/// Two entries whose data are the same bytes: the trick behind the densest bombs.
#[test]
fn rel_r35_overlapping_entries() {
    let mut bytes = archive(&[file("a1", b"0123456789"), file("a2", b"0123456789")]);
    // the first claims the bytes of the second as well, in both of its headers
    let n = 10 + 30 + 2 + 10_u32;
    let sizes: Vec<usize> = (0..bytes.len() - 4)
        .filter(|k| {
            bytes[*k..*k + 4] == 10_u32.to_le_bytes()
                && bytes[*k + 4..*k + 8] == 10_u32.to_le_bytes()
        })
        .collect();
    for k in [sizes[0], sizes[2]] {
        bytes[k..k + 4].copy_from_slice(&n.to_le_bytes());
        bytes[k + 4..k + 8].copy_from_slice(&n.to_le_bytes());
    }
    assert!(refused(&bytes).message.contains("overlaps"));
}

#[test]
fn rel_r30_every_prefix_and_every_flipped_byte() {
    let bytes = export("pendulum.toml").bytes;
    for k in 0..bytes.len() {
        if k % 7 == 0 {
            refused(&bytes[..k]);
        }
        let mut bad = bytes.clone();
        bad[k] ^= 1 << (k % 8);
        let parent = tempfile::tempdir().unwrap();
        // some bytes mean nothing, such as times; all else is told
        let _ = delassus_fmu::open(&bad, &parent.path().join("new"));
    }
}

#[test]
fn fmus_of_others_and_of_other_versions() {
    let described = |version: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"{version}\" modelName=\"m\">"
        )
    };
    let foreign = archive(&[file("modelDescription.xml", described("3.0").as_bytes())]);
    assert!(refused(&foreign).message.contains("another program"));
    assert!(refused(&archive(&[file("x", b"y")])).message.contains("no FMU"));
    assert_eq!(refused(b"schema = 1").code, "E_ARCHIVE");
    let bytes = export("pendulum.toml").bytes;
    let own = Archive::open(&bytes, Limits::default()).unwrap();
    let manifest = String::from_utf8(own.read("resources/delassus.toml").unwrap()).unwrap();
    let with = |version: &str, manifest: &str| {
        archive(&[
            file("modelDescription.xml", described(version).as_bytes()),
            file("resources/delassus.toml", manifest.as_bytes()),
            file("resources/model/pendulum.toml", b"schema = 1"),
        ])
    };
    for version in ["1.0", "4.0", "3", ""] {
        let e = refused(&with(version, &manifest));
        assert_eq!(e.code, "E_FMU_VERSION", "{e}");
    }
    let later = manifest.replace("format = 1", "format = 2");
    assert_eq!(refused(&with("3.0", &later)).code, "E_FMU_VERSION");
    let out = manifest.replace("pendulum.toml", "../pendulum.toml");
    assert_eq!(refused(&with("3.0", &out)).code, "E_FMU");
    assert_eq!(refused(&with("3.0", "nonsense")).code, "E_FMU");
    let other = manifest.replace("pendulum.toml", "car.toml");
    let e = refused(&with("3.0", &other));
    assert!(e.code == "E_FMU" && e.message.contains("resources/model/car.toml"), "{e}");
}
