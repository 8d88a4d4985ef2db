//! Rows of a matrix most of whose entries are zero.

/// The nonzero entries, row by row, with their columns in ascending order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SparseRows {
    /// Where each row ends.
    end: Vec<usize>,
    entries: Vec<(usize, f64)>,
}

impl SparseRows {
    /// Removes all rows, but keeps the memory for them.
    pub fn clear(&mut self) {
        self.end.clear();
        self.entries.clear();
    }

    /// Appends a row; zeros are left out.
    pub fn push(&mut self, row: impl Iterator<Item = (usize, f64)>) {
        self.entries.extend(row.filter(|(_, x)| *x != 0.0));
        self.end.push(self.entries.len());
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[(usize, f64)] {
        let begin = if i > 0 { self.end[i - 1] } else { 0 };
        &self.entries[begin..self.end[i]]
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &[(usize, f64)]> {
        (0..self.end.len()).map(|i| self.row(i))
    }
}
