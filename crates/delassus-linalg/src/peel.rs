//! Rows that are independent of all others at a glance.
//!
//! Rows that alone touch a body, and are independent by what they do to that body, are no part of any
//! dependency. Without them other bodies are touched by fewer rows, and so on: of a tree nothing is
//! left but the loops that hang in it, in a time that is linear in its size, however many branches
//! meet in one body.

use crate::pattern::Csr;
use crate::row_qr::RowQr;

/// Rows must be at least this far from each other on the body that they touch alone.
const MARGIN: f64 = 1e-2;

/// Rows apart from the loops.
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
    let mut first = vec![0];
    first.extend(blocks.iter().scan(0, |at, n| {
        *at += n;
        Some(*at)
    }));
    let block_of: Vec<usize> =
        blocks.iter().enumerate().flat_map(|(b, n)| std::iter::repeat_n(b, *n)).collect();
    let touched = |i: usize| {
        let mut blocks: Vec<usize> = jac.row(i).iter().map(|j| block_of[*j]).collect();
        blocks.dedup();
        blocks
    };
    let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for i in 0..jac.nrows {
        touched(i).into_iter().for_each(|b| rows_of[b].push(i));
    }
    let mut count: Vec<usize> = rows_of.iter().map(Vec::len).collect();
    let mut peeled = vec![false; jac.nrows];
    let (mut smallest, mut weakest) = (1.0, None);
    let mut next: Vec<usize> = (0..blocks.len()).filter(|b| count[*b] <= blocks[*b]).collect();
    while let Some(b) = next.pop() {
        let own: Vec<usize> = rows_of[b].iter().copied().filter(|i| !peeled[*i]).collect();
        if own.is_empty() || own.len() > blocks[b] {
            continue;
        }
        let mut part = Csr { nrows: 0, ncols: blocks[b], row_ptr: vec![0], col: Vec::new() };
        let mut entries = Vec::new();
        for &i in &own {
            for (at, &j) in (jac.row_ptr[i]..).zip(jac.row(i)).filter(|(_, j)| block_of[**j] == b) {
                part.col.push(j - first[b]);
                entries.push(values[at]);
            }
            part.nrows += 1;
            part.row_ptr.push(entries.len());
        }
        let distances = RowQr::new(&part, &entries, 0.0).shortest;
        if !distances.iter().all(|d| *d > MARGIN) {
            continue;
        }
        for (&i, d) in own.iter().zip(distances) {
            peeled[i] = true;
            if d < smallest {
                (smallest, weakest) = (d, Some(i));
            }
            for c in touched(i) {
                count[c] -= 1;
                if count[c] <= blocks[c] {
                    next.push(c);
                }
            }
        }
    }
    Peeled { rest: (0..jac.nrows).filter(|i| !peeled[*i]).collect(), smallest, weakest }
}
