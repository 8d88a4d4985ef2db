//! Which rows a force along another one can move: those of a body connected with one of its own.
//!
//! In a heap of bodies without joints these are few, however large the heap.

use crate::groups::Groups;

/// Finds them; buffers are sized once.
#[derive(Debug)]
pub(crate) struct Neighbours {
    /// The part of the system without points to which each velocity coordinate belongs.
    part_of: Vec<usize>,
    /// Rows of each part, in ascending order.
    rows: Vec<Vec<usize>>,
    found: Vec<usize>,
}

impl Neighbours {
    pub fn new(groups: &Groups) -> Neighbours {
        let part_of = groups.parts();
        let parts = part_of.iter().max().map_or(0, |last| last + 1);
        Neighbours { part_of, rows: vec![Vec::new(); parts], found: Vec::new() }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.rows.iter_mut().for_each(Vec::clear);
    }

    /// Adds a row that moves these coordinates; rows come in ascending order.
    pub fn add(&mut self, row: usize, cols: &[usize]) {
        for c in cols {
            let own = &mut self.rows[self.part_of[*c]];
            if own.last() != Some(&row) {
                own.push(row);
            }
        }
    }

    /// Rows that a force along these coordinates can move, in ascending order.
    pub fn of(&mut self, cols: &[usize]) -> &[usize] {
        self.found.clear();
        let mut last = usize::MAX;
        let mut several = false;
        for c in cols {
            // coordinates of a part are mostly adjacent
            let part = self.part_of[*c];
            if part != last {
                several = last != usize::MAX;
                last = part;
                self.found.extend_from_slice(&self.rows[part]);
            }
        }
        if several {
            self.found.sort_unstable();
            self.found.dedup();
        }
        &self.found
    }
}
