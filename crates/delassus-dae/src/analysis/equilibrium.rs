//! What a search for an equilibrium is asked and what it answers.

use super::static_rows::{ClosedPoint, PressedPoint};
use crate::state::State;
use delassus_linalg::KktError;
use thiserror::Error;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaticOptions {
    /// Steps at most.
    pub max_iterations: usize,
}

impl Default for StaticOptions {
    fn default() -> StaticOptions {
        StaticOptions { max_iterations: 1000 }
    }
}

/// Why there is no equilibrium.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StaticsError {
    /// Nothing balances the forces in this direction (tangent coordinates, the largest in sizes of the coordinates is 1).
    #[error("nothing balances the forces")]
    Unbalanced {
        /// The direction.
        direction: Vec<f64>,
        /// Where the search was when it was given up.
        state: Box<State>,
    },
    /// An auxiliary state goes on at this rate wherever the system is.
    #[error("auxiliary state {state} cannot rest (rate {rate:e})")]
    Restless {
        /// Which.
        state: usize,
        /// Its rate.
        rate: f64,
    },
    /// The search did not end.
    #[error(
        "no equilibrium after {iterations} steps; the last one was {step:.1e} of the sizes of the coordinates"
    )]
    NotFound {
        /// Steps made.
        iterations: usize,
        /// Size of the last one.
        step: f64,
        /// Its direction.
        direction: Vec<f64>,
        /// Where the search was.
        state: Box<State>,
    },
    /// Forces are not finite at the start.
    #[error("the forces are not finite at the start")]
    NonFinite,
    /// Matrices could not be solved with.
    #[error("{0}")]
    Kkt(#[from] KktError),
}

/// A rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibrium {
    /// Time, configuration, auxiliary states; no velocities.
    pub state: State,
    /// Multipliers of all rows, of least norm where they are not unique.
    pub lambda: Vec<f64>,
    /// Closed points.
    pub closed: Vec<ClosedPoint>,
    /// Points of compliant contact that are inside.
    pub pressed: Vec<PressedPoint>,
    /// Steps.
    pub iterations: usize,
    /// Size of the last one, in sizes of the coordinates.
    pub last_step: f64,
    /// Largest residual of a row, in its size.
    pub violation: f64,
    /// The start was an equilibrium already.
    pub at_start: bool,
}
