//! Wavefront OBJ: the lines `v` and `f`; polygons are cut into fans. Everything else is ignored.

use super::{Fault, number};
use delassus_model::spec::Triangles;

pub(super) fn parse(text: &str) -> Result<Triangles, Fault> {
    let mut points: Vec<[f64; 3]> = Vec::new();
    let mut out = Triangles::default();
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut p = [0.0; 3];
                for x in &mut p {
                    *x = number(words.next(), k + 1)?;
                }
                points.push(p);
            }
            Some("f") => {
                let corners: Vec<[f64; 3]> =
                    words.map(|w| corner(w, &points, k + 1)).collect::<Result<_, _>>()?;
                if corners.len() < 3 {
                    let what = format!("line {}: a face of {} corners", k + 1, corners.len());
                    return Err((what, "a face has at least 3 corners"));
                }
                for i in 1..corners.len() - 1 {
                    out.corners.push([corners[0], corners[i], corners[i + 1]]);
                }
            }
            _ => {}
        }
    }
    Ok(out)
}

/// `7`, `7/1`, `7//2` or `-1`: from 1, or backwards from the last point.
fn corner(word: &str, points: &[[f64; 3]], line: usize) -> Result<[f64; 3], Fault> {
    let index = word.split('/').next().and_then(|w| w.parse::<i64>().ok()).unwrap_or(0);
    let at = if index < 0 { points.len() as i64 + index } else { index - 1 };
    let point = usize::try_from(at).ok().and_then(|i| points.get(i));
    point.copied().ok_or_else(|| {
        let word: String = word.chars().take(20).collect();
        let what = format!("line {line}: there is no point `{word}` ({} so far)", points.len());
        (what, "export the file again")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn faces() {
        let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2/2 3//1 -1\n";
        let mesh = parse(text).unwrap();
        assert_eq!(mesh.corners.len(), 2);
        assert_eq!(mesh.corners[1], [[0.0; 3], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
        assert!(parse("v 0 0 0\nf 1 2 9").unwrap_err().0.contains("no point `2`"));
    }
}
