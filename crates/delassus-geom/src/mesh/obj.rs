//! Wavefront OBJ: vertices and faces; everything else is skipped.
//!
//! Faces with more than three corners are fanned from the first one, which is right for convex faces.

use super::stl::{point, shorten};
use super::{MAX_TRIANGLES, MeshError, TriMesh};

/// Reads a closed surface from the bytes of an OBJ file.
pub fn parse_obj(bytes: &[u8]) -> Result<TriMesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut points = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let x = point(words, k + 1)?;
                if x.iter().any(|v: &f64| !v.is_finite()) {
                    return Err(MeshError::NotFinite { vertex: points.len() });
                }
                points.push(x);
            }
            Some("f") => {
                let mut corners = Vec::new();
                for word in words {
                    corners.push(index(word, points.len(), triangles.len(), k + 1)?);
                }
                if corners.len() < 3 {
                    let what = format!("a face has {} corners", corners.len());
                    return Err(MeshError::Syntax { line: k + 1, what });
                }
                for j in 1..corners.len() - 1 {
                    triangles.push([corners[0], corners[j], corners[j + 1]]);
                }
                if triangles.len() > MAX_TRIANGLES {
                    let found = triangles.len();
                    return Err(MeshError::TooMany { found, limit: MAX_TRIANGLES });
                }
            }
            _ => {}
        }
    }
    TriMesh::new(points, triangles)
}

/// `7`, `7/1`, `7//3` or `-1` (from the end), counted from 1.
fn index(word: &str, n: usize, triangle: usize, line: usize) -> Result<u32, MeshError> {
    let number: i64 = word.split('/').next().unwrap_or("").parse().map_err(|_| {
        MeshError::Syntax { line, what: format!("`{}` is no index of a vertex", shorten(word)) }
    })?;
    let at = if number < 0 { number + n as i64 } else { number - 1 };
    if at < 0 || at >= n as i64 {
        return Err(MeshError::IndexOutOfRange { triangle, index: number, vertices: n });
    }
    Ok(at as u32)
}
