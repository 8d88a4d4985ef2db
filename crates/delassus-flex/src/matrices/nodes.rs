//! Nodes of a finite element model, as a table.

use super::market::short;
use crate::FlexError;
use delassus_math::Vec3;

/// A node of a finite element model.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixNode {
    /// Name; empty where nothing is fastened.
    pub name: String,
    /// Place, m.
    pub at: Vec3,
    /// Degrees of freedom: 3 displacements, or 6 with rotations after them.
    pub dofs: usize,
}

/// Reads lines `name, x, y, z` or `name, x, y, z, dofs` in the order of rows in the matrices. A first line that begins
/// with `name` is the header, lines that begin with `#` are remarks.
pub(crate) fn parse(file: &str, text: &str) -> Result<Vec<MatrixNode>, FlexError> {
    let mut out: Vec<MatrixNode> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let fault =
            |reason: String| Err(FlexError::File { file: file.to_owned(), line: at + 1, reason });
        // as spreadsheets write it
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split(',').map(|c| c.trim().trim_matches('"')).collect();
        if out.is_empty() && cells[0].eq_ignore_ascii_case("name") {
            continue;
        }
        if cells.len() != 4 && cells.len() != 5 {
            let text = format!("`{}` is not `name, x, y, z` or `name, x, y, z, dofs`", short(line));
            return fault(text);
        }
        let mut place = [0.0; 3];
        for (x, cell) in place.iter_mut().zip(&cells[1..4]) {
            match cell.parse::<f64>() {
                Ok(number) if number.is_finite() => *x = number,
                _ => return fault(format!("`{}` is not a number in metres", short(cell))),
            }
        }
        let dofs = match cells.get(4).copied() {
            None | Some("") | Some("3") => 3,
            Some("6") => 6,
            Some(other) => {
                let text = format!(
                    "`{}` degrees of freedom: a node has 3 (displacements) or 6 (with rotations)",
                    short(other)
                );
                return fault(text);
            }
        };
        out.push(MatrixNode { name: cells[0].to_owned(), at: Vec3::from(place), dofs });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table() {
        let text = "\u{feff}name, x, y, z, dofs\n# remark\n\"a b\", 1, 2e-3, -3\n\n, 0, 0, 0, 6\n";
        let node = |name: &str, at: Vec3, dofs| MatrixNode { name: name.into(), at, dofs };
        let expected = vec![node("a b", Vec3::new(1.0, 2e-3, -3.0), 3), node("", Vec3::zeros(), 6)];
        assert_eq!(parse("nodes.csv", text).unwrap(), expected);
        for (text, reason) in [
            ("a,1,2\n", "nodes.csv:1: `a,1,2` is not `name"),
            ("name,x,y,z\na,1,2,three\n", "nodes.csv:2: `three` is not a number"),
            ("a,1,2,inf\n", "`inf` is not a number"),
            ("a,1,2,3,2\n", "`2` degrees of freedom"),
        ] {
            let error = parse("nodes.csv", text).unwrap_err().to_string();
            assert!(error.contains(reason), "{reason}: {error}");
        }
    }
}
