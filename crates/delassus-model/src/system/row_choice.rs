//! Which rows are solved with, among those that depend on each other.
//!
//! Assembly chooses them at the start, in the order of the joints. During the motion of an overconstrained loop
//! (Bennett, Bricard) the chosen ones may become dependent where the mechanism itself is regular; others are
//! independent there.

use super::System;
use delassus_dae::{Problem, State};
use delassus_linalg::strongest_rows;

impl System {
    /// Whether another choice of rows is possible: some follow exactly from others, and there are few enough to examine
    /// all.
    pub fn has_choice(&self) -> bool {
        let s = &self.structure;
        s.independent_rows.is_some() && !s.rank.almost && self.dims.nv <= MOST
    }

    /// Rows that are solved with; empty if all are.
    pub fn chosen_rows(&self) -> &[usize] {
        self.structure.independent_rows.as_deref().unwrap_or_default()
    }

    /// The same equations, solved with other rows, if these are better conditioned at a state by this factor.
    pub fn with_stronger_rows(&self, s: &State, factor: f64) -> Option<System> {
        let rows = self.structure.independent_rows.as_ref()?;
        let mut ws = self.workspace();
        self.realize_position(s.t, &s.q, &s.z, &mut ws);
        let all: Vec<usize> = (0..self.dims.n_vel).collect();
        let choose = |among: &[usize]| {
            let (pattern, scale) = (&self.structure.jac, &self.scales.q);
            strongest_rows(pattern, &ws.jac, scale, among, rows.len()).ok()
        };
        let ((_, now), (best, then)) = (choose(rows)?, choose(&all)?);
        (then > factor * now).then(|| self.with_rows(best, then))
    }

    /// The same equations, solved with these of the dependent rows, which are this well conditioned.
    pub fn with_rows(&self, rows: Vec<usize>, grip: f64) -> System {
        let mut other = self.clone();
        let is_left = |row: &usize| rows.binary_search(row).is_err();
        other.structure.rank.dependent = (0..self.dims.n_vel).filter(is_left).collect();
        other.structure.rank.grip = grip;
        other.structure.independent_rows = Some(rows);
        other
    }
}

/// Number of velocities up to which full matrices of all rows are examined.
const MOST: usize = 400;
