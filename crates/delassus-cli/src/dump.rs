//! `--dump-states FILE`: the last accepted states of a run that failed.

use delassus::model::System;
use delassus::sim::{StateRing, state_columns};

/// The largest number of states in the file.
pub const STATES: usize = 100;

/// States, by column.
#[derive(Debug)]
pub struct Dump {
    names: Vec<String>,
    values: Vec<Vec<f64>>,
}

impl Dump {
    /// The states kept from a run. States are finite when they are accepted; if one ever were not, the file would end
    /// before it.
    pub fn new(sys: &System, states: &StateRing) -> Dump {
        let names = state_columns(sys);
        let mut values = vec![Vec::with_capacity(STATES); names.len()];
        for row in states.rows().take_while(|row| row.iter().all(|x| x.is_finite())) {
            for (column, x) in values.iter_mut().zip(row) {
                column.push(*x);
            }
        }
        Dump { names, values }
    }

    /// Names and values.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.names.iter().map(String::as_str).zip(self.values.iter().map(Vec::as_slice))
    }
}
