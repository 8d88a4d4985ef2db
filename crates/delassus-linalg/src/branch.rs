//! Branches: bodies that hang on one other body, and what hangs on them.
//!
//! The rows of the joint that holds such a body are regular by that body alone, whatever the other one
//! does: relative motion follows from the motion of either. Eliminated right after the body they hold,
//! they leave a small term on the other one, so that the cost of a tree is linear however many branches
//! meet in one body, as in recursive formulations.

use crate::mass_shape::MassShape;
use crate::pattern::Csr;

/// Coordinates that each row has to wait for in an elimination: those of the branch it holds, or all
/// of its own where it is part of a loop.
pub(crate) fn rows_to_wait_for(shape: &MassShape, jac: &Csr) -> Vec<Vec<usize>> {
    let bodies = Bodies::new(shape);
    let touched: Vec<Vec<usize>> = (0..jac.nrows).map(|i| bodies.of(jac.row(i))).collect();
    let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); bodies.size.len()];
    for (i, touched) in touched.iter().enumerate() {
        touched.iter().for_each(|b| rows_of[*b].push(i));
    }
    let mut left: Vec<usize> = rows_of.iter().map(Vec::len).collect();
    let mut held: Vec<Option<usize>> = vec![None; jac.nrows];
    let mut next: Vec<usize> = (0..left.len()).filter(|b| left[*b] <= bodies.size[*b]).collect();
    while let Some(b) = next.pop() {
        let own: Vec<usize> = rows_of[b].iter().copied().filter(|i| held[*i].is_none()).collect();
        let one_joint = own.windows(2).all(|w| touched[w[0]] == touched[w[1]]);
        if own.is_empty() || own.len() > bodies.size[b] || !one_joint {
            continue;
        }
        for i in own {
            held[i] = Some(b);
            for &c in &touched[i] {
                left[c] -= 1;
                if left[c] <= bodies.size[c] {
                    next.push(c);
                }
            }
        }
    }
    let waits = |(i, held): (usize, Option<usize>)| {
        let own = jac.row(i).iter().copied();
        own.filter(|j| held.is_none_or(|b| bodies.of_dof[*j] == b)).collect()
    };
    held.into_iter().enumerate().map(waits).collect()
}

/// Blocks that hang together by their masses.
struct Bodies {
    of_dof: Vec<usize>,
    /// Number of coordinates, by the first block.
    size: Vec<usize>,
}

impl Bodies {
    fn new(shape: &MassShape) -> Bodies {
        let first = shape.first_of_body();
        let mut size = vec![0; first.len()];
        let mut of_dof = Vec::with_capacity(shape.dim());
        for (body, n) in first.iter().zip(shape.sizes()) {
            size[*body] += n;
            of_dof.extend(std::iter::repeat_n(*body, *n));
        }
        Bodies { of_dof, size }
    }

    /// Bodies of some coordinates, each once.
    fn of(&self, dofs: &[usize]) -> Vec<usize> {
        let mut bodies: Vec<usize> = dofs.iter().map(|j| self.of_dof[*j]).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }
}
