//! What can go wrong, with the row or coordinate concerned.

use crate::room::has_room;

/// Failure of a KKT construction, factorisation or solve.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum KktError {
    /// A slice or pattern does not have the size the system was built for.
    #[error("{what}: expected length {expected}, got {got}")]
    Dimension {
        /// Which argument.
        what: &'static str,
        /// Length the system was built for.
        expected: usize,
        /// Length received.
        got: usize,
    },
    /// A pattern is malformed (unsorted, out of range, diagonal missing).
    #[error("malformed sparsity pattern: {0}")]
    Pattern(&'static str),
    /// A mass block is not positive definite, even with its floor.
    #[error("mass block {block} is not positive definite at coordinate {dof} (pivot {pivot:e})")]
    MassNotPositive {
        /// Index of the block.
        block: usize,
        /// Global index of the coordinate where elimination broke down.
        dof: usize,
        /// The offending pivot.
        pivot: f64,
    },
    /// The two halves of a coupled mass matrix differ.
    #[error("the mass between coordinates {row} and {col} is not that between {col} and {row}")]
    MassNotSymmetric {
        /// One coordinate.
        row: usize,
        /// The other one.
        col: usize,
    },
    /// Elimination met a pivot too small to divide by. `row` counts the
    /// constraint rows for `MassKkt`, and the unknowns (coordinates first,
    /// then constraint rows) for `TangentKkt`.
    #[error("singular system at row {row} (pivot {pivot:e})")]
    Singular {
        /// Offending row.
        row: usize,
        /// The offending pivot.
        pivot: f64,
    },
    /// NaN or infinity in the constraint row `row` (coefficients, right-hand
    /// side or multiplier).
    #[error("non-finite value in constraint row {row}")]
    NonFinite {
        /// Offending constraint row.
        row: usize,
    },
    /// NaN or infinity at the coordinate `dof` (mass, force or result).
    #[error("non-finite value at coordinate {dof}")]
    NonFiniteDof {
        /// Offending coordinate.
        dof: usize,
    },
    /// A massless coordinate is not determined by the constraints: nothing balances the force on it.
    #[error(
        "coordinate {dof} has neither mass nor constraint to balance its force (residual {residual:e})"
    )]
    Undetermined {
        /// Coordinate with the largest unbalanced force.
        dof: usize,
        /// Relative residual that refinement could not reduce.
        residual: f64,
    },
    /// There is no memory for what depends on each other.
    #[error(
        "a system of {unknowns} unknowns, as they hang together, needs {:.0} MiB of memory or more, which are not there",
        bytes / f64::from(1 << 20)
    )]
    NoRoom {
        /// Unknowns, coordinates and rows.
        unknowns: usize,
        /// Memory that was asked for last.
        bytes: f64,
    },
    /// `solve` was called before a successful `factor`, or `factor` before
    /// `set_mass`.
    #[error("{0} must succeed first")]
    NotReady(&'static str),
}

/// Whether there is memory for so many entries of so many bytes each, of a system of so many unknowns.
pub(crate) fn check_room(unknowns: usize, entries: f64, each: f64) -> Result<(), KktError> {
    let bytes = entries * each;
    if has_room(bytes) { Ok(()) } else { Err(KktError::NoRoom { unknowns, bytes }) }
}

/// Length check shared by every entry point.
pub(crate) fn check_len(what: &'static str, got: usize, expected: usize) -> Result<(), KktError> {
    if got == expected { Ok(()) } else { Err(KktError::Dimension { what, expected, got }) }
}
