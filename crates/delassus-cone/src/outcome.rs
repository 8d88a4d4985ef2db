//! What a solver returns to its caller, and the best point so far.

use crate::problem::Solver;

/// The best scaled point found so far by any solver.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    pub r: Vec<f64>,
    pub residual: f64,
    /// The solver that found it.
    pub solver: Solver,
    /// The solver that is running.
    pub current: Solver,
}

impl Default for Best {
    fn default() -> Best {
        Best { r: Vec::new(), residual: f64::INFINITY, solver: Solver::Auto, current: Solver::Auto }
    }
}

impl Best {
    /// Takes a point if it is better.
    pub fn offer(&mut self, r: &[f64], residual: f64) {
        if residual < self.residual {
            self.r.clear();
            self.r.extend_from_slice(r);
            self.residual = residual;
            self.solver = self.current;
        }
    }
}

/// How one solver ended; its point is in [`Best`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub iterations: usize,
    pub verdict: Verdict,
}

/// What a solver knows besides its best point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing: the residual decides.
    Open,
    /// Lemke's ray, contradictory equalities, or an enumeration without result.
    NoSolution,
    /// The solver does not support a law.
    Unsupported,
}

impl Outcome {
    /// An end without a verdict.
    pub fn stopped(iterations: usize) -> Outcome {
        Outcome { iterations, verdict: Verdict::Open }
    }
}
