//! Damaged files: an error or a model, never a panic, never long.

use delassus_io::model_file::*;
use std::time::{Duration, Instant};

const SAMPLE: &str = include_str!("../sample.toml");

/// A small generator, so that failures repeat.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Reads bytes as `load` does; places of all problems must be usable by a renderer.
fn feed(bytes: &[u8], name: &str) -> bool {
    let start = Instant::now();
    let text = String::from_utf8_lossy(bytes);
    let ok = match parse_str(&text, name, &Limits::default()) {
        Ok(m) => {
            let _ = to_toml(&m.spec);
            true
        }
        Err(LoadError::Invalid(problems)) => {
            assert!(!problems.is_empty() && problems.len() <= 50);
            for p in &problems {
                let source = &p.location.source;
                assert!(source.text().get(p.location.span.clone()).is_some());
                assert!(p.location.line >= 1 && p.location.column >= 1);
                assert!(!p.to_string().chars().any(char::is_control));
            }
            false
        }
        Err(e) => panic!("{e}"),
    };
    assert!(start.elapsed() < Duration::from_secs(2));
    ok
}

fn sample_json() -> String {
    let m = parse_str(SAMPLE, "m.toml", &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    serde_json::to_string_pretty(&m.spec).unwrap()
}

#[test]
fn rel_r30_every_prefix() {
    let json = sample_json();
    for (text, name) in [(SAMPLE, "m.toml"), (json.as_str(), "m.json")] {
        for end in 0..text.len() {
            feed(&text.as_bytes()[..end], name);
        }
        assert!(feed(text.as_bytes(), name));
    }
}

#[test]
fn rel_r30_single_byte_changes() {
    let json = sample_json();
    let mut rng = Rng(1);
    for (text, name) in [(SAMPLE, "m.toml"), (json.as_str(), "m.json")] {
        for _ in 0..2000 {
            let mut bytes = text.as_bytes().to_vec();
            let at = rng.next() as usize % bytes.len();
            bytes[at] ^= (rng.next() % 255 + 1) as u8;
            feed(&bytes, name);
        }
    }
}

#[test]
fn rel_r30_signs_thrown_together() {
    let signs = b"[]{}=.,\"'#\n a1\\-";
    let mut rng = Rng(2);
    for round in 0..500 {
        let len = rng.next() as usize % if round % 50 == 0 { 20_000 } else { 200 };
        let bytes: Vec<u8> = (0..len).map(|_| signs[rng.next() as usize % signs.len()]).collect();
        feed(&bytes, "m.toml");
        feed(&bytes, "m.json");
    }
}

/// Keys that make careless tables quadratic.
#[test]
fn rel_r30_many_late_headers() {
    let mut text = String::from("schema = 1\n");
    for i in 0..30_000 {
        text.push_str(&format!("[body.b{i}.markers]\n[body.b{i}]\ntype='point'\nmass=1\n"));
    }
    assert!(feed(text.as_bytes(), "m.toml"));
    let mut text = String::from("schema = 1\n");
    for i in 0..2_000 {
        text.push_str(&format!("[body.b{}]\n", i / 2));
    }
    feed(text.as_bytes(), "m.toml");
}
