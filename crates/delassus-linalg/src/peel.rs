//! Rows that are obviously independent of all others.
//!
//! Rows that alone involve a body, and are independent through their effect on that body, take part in no dependency.
//! Without them other bodies are involved in fewer rows, and so on.

use crate::branch::Bodies;
use crate::pattern::Csr;
use crate::row_qr::RowQr;

/// Rows must be at least this far from each other on the body that only they involve.
const MARGIN: f64 = 1e-2;

/// Rows separated from the loops.
pub(crate) struct Peeled {
    /// Rows that may depend on each other, ascending.
    pub rest: Vec<usize>,
    /// Smallest distance of another row from the span of the rows found with it (1 for none).
    pub smallest: f64,
    /// The row that has it.
    pub weakest: Option<usize>,
}

/// Rows of unit length, with the columns of a body together in blocks of the given sizes.
pub(crate) fn peel(jac: &Csr, values: &[f64], blocks: &[usize]) -> Peeled {
    let bodies = Bodies::of_sizes(blocks);
    let (mut smallest, mut weakest) = (1.0, None);
    let went = bodies.take_off(jac, |b, rows| {
        let (first, n) = bodies.span(b);
        if rows.len() > n {
            return false;
        }
        let mut part = Csr { nrows: rows.len(), ncols: n, row_ptr: vec![0], col: Vec::new() };
        let mut entries = Vec::new();
        for &i in rows {
            for (at, &j) in (jac.row_ptr[i]..).zip(jac.row(i)).filter(|(_, j)| bodies.of(**j) == b)
            {
                part.col.push(j - first);
                entries.push(values[at]);
            }
            part.row_ptr.push(entries.len());
        }
        let Ok(RowQr { shortest: distances, .. }) = RowQr::new(&part, &entries, 0.0) else {
            return false;
        };
        let clear = distances.iter().all(|d| *d > MARGIN);
        if clear {
            for (&i, d) in rows.iter().zip(distances) {
                if d < smallest {
                    (smallest, weakest) = (d, Some(i));
                }
            }
        }
        clear
    });
    Peeled { rest: (0..jac.nrows).filter(|i| went[*i].is_none()).collect(), smallest, weakest }
}
