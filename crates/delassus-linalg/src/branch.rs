//! Branches: bodies that hang on others by few rows, and what hangs on them.
//!
//! Bodies are removed from a mechanism from outside, each with the rows that hold it and that no body removed before
//! had. Nothing remains of a tree; of other mechanisms the loops remain. The time is linear in their size, however many
//! branches meet in one body.

use crate::mass_shape::MassShape;
use crate::pattern::Csr;

/// Coordinates that belong together: those of one body.
pub(crate) struct Bodies {
    of_dof: Vec<usize>,
    /// First coordinate and number of coordinates.
    span: Vec<(usize, usize)>,
}

impl Bodies {
    /// Blocks that are connected by their masses, under the number of the first.
    pub fn new(shape: &MassShape) -> Bodies {
        Bodies::of_blocks(shape.sizes(), &shape.first_of_body())
    }

    /// A body for each block of coordinates.
    pub fn of_sizes(sizes: &[usize]) -> Bodies {
        Bodies::of_blocks(sizes, &(0..sizes.len()).collect::<Vec<_>>())
    }

    fn of_blocks(sizes: &[usize], first: &[usize]) -> Bodies {
        let mut span = vec![(0, 0); sizes.len()];
        let mut of_dof = Vec::new();
        for (k, (&body, &n)) in first.iter().zip(sizes).enumerate() {
            if body == k {
                span[k].0 = of_dof.len();
            }
            span[body].1 += n;
            of_dof.extend(std::iter::repeat_n(body, n));
        }
        Bodies { of_dof, span }
    }

    pub fn of(&self, dof: usize) -> usize {
        self.of_dof[dof]
    }

    /// First coordinate and number of coordinates of a body.
    pub fn span(&self, body: usize) -> (usize, usize) {
        self.span[body]
    }

    /// Bodies of some coordinates, each once.
    fn of_all(&self, dofs: &[usize]) -> Vec<usize> {
        let mut bodies: Vec<usize> = dofs.iter().map(|j| self.of_dof[*j]).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// Removes bodies with no more rows than coordinates, as long as `may_go` agrees for a body and its remaining rows;
    /// returns, for each row, the body with which it was removed.
    pub fn take_off(
        &self,
        jac: &Csr,
        mut may_go: impl FnMut(usize, &[usize]) -> bool,
    ) -> Vec<Option<usize>> {
        let touched: Vec<Vec<usize>> = (0..jac.nrows).map(|i| self.of_all(jac.row(i))).collect();
        let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); self.span.len()];
        for (i, touched) in touched.iter().enumerate() {
            touched.iter().for_each(|b| rows_of[*b].push(i));
        }
        let mut left: Vec<usize> = rows_of.iter().map(Vec::len).collect();
        let mut went: Vec<Option<usize>> = vec![None; jac.nrows];
        let mut next: Vec<usize> =
            (0..left.len()).filter(|b| left[*b] <= self.span[*b].1).collect();
        while let Some(b) = next.pop() {
            let own: Vec<usize> =
                rows_of[b].iter().copied().filter(|i| went[*i].is_none()).collect();
            if own.is_empty() || own.len() > self.span[b].1 || !may_go(b, &own) {
                continue;
            }
            for i in own {
                went[i] = Some(b);
                for &c in &touched[i] {
                    left[c] -= 1;
                    if left[c] <= self.span[c].1 {
                        next.push(c);
                    }
                }
            }
        }
        went
    }
}

/// Coordinates for which each row has to wait in an elimination: those of the branch it holds, or all of its own if it
/// is part of a loop.
///
/// The rows of the one joint that holds a branch are regular through that body alone, whatever the other one does:
/// relative motion follows from the motion of either. Eliminated right after the body they hold, they leave a small
/// term on the other one, as in recursive formulations.
pub(crate) fn rows_to_wait_for(shape: &MassShape, jac: &Csr) -> Vec<Vec<usize>> {
    let bodies = Bodies::new(shape);
    let held = bodies.take_off(jac, |_, rows| {
        rows.windows(2).all(|w| bodies.of_all(jac.row(w[0])) == bodies.of_all(jac.row(w[1])))
    });
    let waits = |(i, held): (usize, Option<usize>)| {
        let own = jac.row(i).iter().copied();
        own.filter(|j| held.is_none_or(|b| bodies.of(*j) == b)).collect()
    };
    held.into_iter().enumerate().map(waits).collect()
}
