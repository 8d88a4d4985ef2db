//! Options given to, and facts reported by, the KKT solvers.

use crate::error::{KktError, check_len};
use crate::pattern::Csr;

/// Which factorisation to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    /// Estimate both costs from the pattern and take the cheaper one.
    #[default]
    Auto,
    /// Dense factorisation.
    Dense,
    /// Sparse factorisation with a fill-reducing order.
    Sparse,
}

/// Construction options of [`crate::MassKkt`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KktOptions {
    /// Dense, sparse, or chosen by estimated cost.
    pub backend: Backend,
    /// Fictitious inertia per coordinate: `0.0` for none, `> 0` marks a
    /// massless coordinate. Empty means none anywhere. The floor never shows
    /// in the result: `solve` refines against the true mass.
    pub mass_floor: Vec<f64>,
    /// Known at assembly to have dependent rows: skip the plain attempt.
    pub redundant: bool,
}

impl KktOptions {
    /// Checks that they match a system of `nv` coordinates with these rows.
    pub(crate) fn check(&self, nv: usize, jac: &Csr) -> Result<(), KktError> {
        check_len("columns of the constraint matrix", jac.ncols, nv)?;
        if !self.mass_floor.is_empty() {
            check_len("mass_floor", self.mass_floor.len(), nv)?;
        }
        match self.mass_floor.iter().position(|v| !v.is_finite() || *v < 0.0) {
            Some(dof) => Err(KktError::NonFiniteDof { dof }),
            None => Ok(()),
        }
    }
}

/// Facts about one factorisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FactorInfo {
    /// Smallest pivot divided by its diagonal entry before elimination
    /// (1 = orthogonal rows, 0 = dependent rows). 1 if there are no rows.
    pub min_relative_pivot: f64,
    /// Row with that pivot. 0 if there are no rows.
    pub weakest_row: usize,
    /// Whether the matrix was regularised to be factorisable.
    pub regularized: bool,
    /// Directions of the multiplier found to be free and projected out
    /// (`MassKkt` only; 0 when more than the projection can hold).
    pub free_directions: usize,
}

/// Facts about one solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveInfo {
    /// Refinement sweeps done (0 on the fast path).
    pub refinements: u32,
    /// Final relative residual of the true system in mass-scaled units;
    /// `None` on the fast path, where it is not evaluated.
    pub residual: Option<f64>,
}

/// Work counters since construction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Calls of `factor` that succeeded.
    pub factorizations: u64,
    /// Of those, how many needed regularisation.
    pub regularized: u64,
    /// Refinement sweeps over all solves.
    pub refinements: u64,
    /// Calls of `solve` that succeeded.
    pub solves: u64,
}
