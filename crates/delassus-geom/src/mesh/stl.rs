//! STL, binary and ASCII.
//!
//! The format repeats each corner in every triangle; corners with equal bits are joined. The normals in
//! the file are not used: they follow from the corners. A binary file may begin with "solid" as well, so
//! the length decides: 84 + 50 n bytes with the n of the header is binary.

use super::{MAX_TRIANGLES, MeshError, TriMesh};
use delassus_math::Vec3;
use std::collections::BTreeMap;

/// Reads a closed surface from the bytes of an STL file.
pub fn parse_stl(bytes: &[u8]) -> Result<TriMesh, MeshError> {
    let text = looks_like_text(bytes);
    match declared(bytes) {
        Some(n) if !text || bytes.len() == 84 + 50 * n => binary(bytes, n),
        None if !text => Err(MeshError::Truncated { bytes: bytes.len() }),
        _ => ascii(bytes),
    }
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    bytes[start..].starts_with(b"solid")
        && bytes.iter().take(512).all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace())
}

fn declared(bytes: &[u8]) -> Option<usize> {
    let n: [u8; 4] = bytes.get(80..84)?.try_into().ok()?;
    Some(u32::from_le_bytes(n) as usize)
}

fn binary(bytes: &[u8], n: usize) -> Result<TriMesh, MeshError> {
    let expected = 84 + 50 * n;
    if bytes.len() != expected {
        return Err(MeshError::LyingCount { declared: n, expected, bytes: bytes.len() });
    }
    if n > MAX_TRIANGLES {
        return Err(MeshError::TooMany { found: n, limit: MAX_TRIANGLES });
    }
    let mut soup = Soup::default();
    for record in bytes[84..].chunks_exact(50) {
        let corner = |k: usize| {
            let number = |j: usize| {
                let at = 12 + 12 * k + 4 * j;
                let b = [record[at], record[at + 1], record[at + 2], record[at + 3]];
                f64::from(f32::from_le_bytes(b))
            };
            Vec3::new(number(0), number(1), number(2))
        };
        soup.triangle([corner(0), corner(1), corner(2)])?;
    }
    TriMesh::new(soup.points, soup.triangles)
}

fn ascii(bytes: &[u8]) -> Result<TriMesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut soup = Soup::default();
    let mut corners = Vec::with_capacity(3);
    for (k, line) in text.lines().enumerate() {
        let line_no = k + 1;
        let mut words = line.split_whitespace();
        match words.next() {
            Some("vertex") => corners.push(point(words, line_no)?),
            Some("endfacet") => {
                let three: [Vec3; 3] =
                    std::mem::take(&mut corners).try_into().map_err(|c: Vec<Vec3>| {
                        let what = format!("a facet has {} vertices instead of 3", c.len());
                        MeshError::Syntax { line: line_no, what }
                    })?;
                soup.triangle(three)?;
                if soup.triangles.len() > MAX_TRIANGLES {
                    let found = soup.triangles.len();
                    return Err(MeshError::TooMany { found, limit: MAX_TRIANGLES });
                }
            }
            Some("solid" | "facet" | "outer" | "endloop" | "endsolid") | None => {}
            Some(word) => {
                let what = format!("`{}` is no word of an STL file", shorten(word));
                return Err(MeshError::Syntax { line: line_no, what });
            }
        }
    }
    TriMesh::new(soup.points, soup.triangles)
}

pub(super) fn shorten(word: &str) -> String {
    word.chars().take(20).collect()
}

/// Three numbers.
pub(super) fn point<'a>(
    mut words: impl Iterator<Item = &'a str>,
    line: usize,
) -> Result<Vec3, MeshError> {
    let mut x = Vec3::zeros();
    for k in 0..3 {
        let word = words.next().unwrap_or("");
        x[k] = word.parse().map_err(|_| {
            let what = format!("coordinate {} is `{}`, not a number", k + 1, shorten(word));
            MeshError::Syntax { line, what }
        })?;
    }
    Ok(x)
}

/// Triangles with their own corners, which are joined where equal.
#[derive(Default)]
struct Soup {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    known: BTreeMap<[u64; 3], u32>,
}

impl Soup {
    fn triangle(&mut self, corners: [Vec3; 3]) -> Result<(), MeshError> {
        let mut t = [0; 3];
        for (slot, x) in t.iter_mut().zip(corners) {
            if x.iter().any(|v| !v.is_finite()) {
                return Err(MeshError::NotFinite { vertex: 3 * self.triangles.len() });
            }
            // Adding zero turns −0 into 0.
            let key = [x.x, x.y, x.z].map(|v| (v + 0.0).to_bits());
            let next = self.points.len() as u32;
            *slot = *self.known.entry(key).or_insert(next);
            if *slot == next {
                self.points.push(x);
            }
        }
        self.triangles.push(t);
        Ok(())
    }
}
