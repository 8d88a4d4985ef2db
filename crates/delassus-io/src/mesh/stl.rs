//! STL, binary and text.

use super::{Fault, number, text};
use delassus_model::spec::Triangles;

const HEAD: usize = 84;
const TRIANGLE: usize = 50;

pub(super) fn parse(bytes: &[u8]) -> Result<Triangles, Fault> {
    let count = bytes.get(80..HEAD).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    // Binary files may begin with `solid` too: one whose length fits its count is binary.
    let fits = |n: u32| bytes.len() as u64 == HEAD as u64 + u64::from(n) * TRIANGLE as u64;
    if bytes.trim_ascii_start().starts_with(b"solid") && !count.is_some_and(fits) {
        return lines(text(bytes)?);
    }
    match count {
        Some(n) if fits(n) => Ok(binary(&bytes[HEAD..])),
        Some(n) => {
            let wanted = HEAD as u64 + u64::from(n) * TRIANGLE as u64;
            let what = format!(
                "the header says {n} triangles, which is {wanted} bytes, but the file has {}",
                bytes.len()
            );
            Err((what, "the file is cut off or damaged: export it again"))
        }
        None => {
            let what = format!("the file has {} bytes, too few for a binary STL", bytes.len());
            Err((what, "the file is cut off or damaged: export it again"))
        }
    }
}

/// A whole number of records of 50 bytes: normal (not used), three corners, two bytes.
fn binary(records: &[u8]) -> Triangles {
    let float = |b: &[u8]| {
        let mut word = [0; 4];
        word.copy_from_slice(b);
        f64::from(f32::from_le_bytes(word))
    };
    let corner = |b: &[u8]| [float(&b[..4]), float(&b[4..8]), float(&b[8..12])];
    let triangle = |r: &[u8]| [corner(&r[12..24]), corner(&r[24..36]), corner(&r[36..48])];
    Triangles { corners: records.chunks_exact(TRIANGLE).map(triangle).collect() }
}

/// `vertex x y z`, three of them per `facet … endfacet`.
fn lines(text: &str) -> Result<Triangles, Fault> {
    let mut out = Triangles::default();
    let mut corners: Vec<[f64; 3]> = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("vertex") => {
                let mut p = [0.0; 3];
                for x in &mut p {
                    *x = number(words.next(), k + 1)?;
                }
                corners.push(p);
            }
            Some("endfacet") => {
                let [a, b, c] = corners.as_slice() else {
                    let what = format!("line {}: a facet of {} corners", k + 1, corners.len());
                    return Err((what, "a facet of an STL file has 3 corners"));
                };
                out.corners.push([*a, *b, *c]);
                corners.clear();
            }
            _ => {}
        }
    }
    Ok(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn file(count: u32, triangles: usize) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes[..5].copy_from_slice(b"solid");
        bytes.extend(count.to_le_bytes());
        bytes.resize(HEAD + triangles * TRIANGLE, 0);
        bytes
    }

    #[test]
    fn a_lying_count_is_refused() {
        assert_eq!(parse(&file(2, 2)).unwrap().corners.len(), 2);
        let mut lying = file(1_000_000_000, 2);
        lying[..5].copy_from_slice(b"\0\0\0\0\0");
        assert!(parse(&lying).unwrap_err().0.contains("1000000000 triangles"));
        assert!(parse(b"short").unwrap_err().0.contains("too few"));
    }

    #[test]
    fn text() {
        let good = "solid a\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1e0 0 0\n\
                    vertex 0 1 0\n  endloop\n endfacet\nendsolid a\n";
        assert_eq!(parse(good.as_bytes()).unwrap().corners[0][1], [1.0, 0.0, 0.0]);
        let bad = good.replace("1e0", "one");
        assert!(parse(bad.as_bytes()).unwrap_err().0.contains("line 5: found `one`"));
    }
}
