//! What is wrong with a flexible body, with the place and the number.

/// Why a flexible body cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FlexError {
    /// A list or matrix has another size than the number of modes or nodes asks for.
    #[error("{what} has {got} entries, but {expected} are needed")]
    Size {
        /// Which list or matrix.
        what: String,
        /// Entries that belong there.
        expected: usize,
        /// Entries that are there.
        got: usize,
    },
    /// NaN or infinity.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// Which quantity.
        what: String,
    },
    /// A matrix differs from its transpose.
    #[error(
        "{what} is not symmetric: entry ({row}, {col}) is {one}, but ({col}, {row}) is {other} (counted from 1)"
    )]
    NotSymmetric {
        /// Which matrix.
        what: String,
        /// Row, counted from 1.
        row: usize,
        /// Column, counted from 1.
        col: usize,
        /// Entry of row and column.
        one: f64,
        /// Entry of column and row.
        other: f64,
    },
    /// A matrix that must be positive definite is not.
    #[error(
        "{what} is not positive definite: its smallest eigenvalue is {least:.3e}, scaled to a diagonal of ones ({hint})"
    )]
    NotPositive {
        /// Which matrix.
        what: String,
        /// Smallest eigenvalue of the matrix scaled to a diagonal of ones; the entry itself where one on the diagonal is
        /// not positive.
        least: f64,
        /// What it comes from, most likely.
        hint: &'static str,
    },
    /// A stiffness that pushes the body out of its shape.
    #[error(
        "the stiffness matrix has the negative eigenvalue {least:.3e}, beside the largest one of {most:.3e}: the body would leave its shape by itself"
    )]
    Unstable {
        /// Smallest eigenvalue.
        least: f64,
        /// Largest eigenvalue.
        most: f64,
    },
    /// The mass is not positive.
    #[error("the mass is {0} kg, but must be more than 0")]
    Mass(f64),
    /// Two nodes have one name.
    #[error("two nodes are called `{0}`")]
    SameName(String),
    /// No node has this name.
    #[error("there is no node called `{name}`; nodes are {known}")]
    NoNode {
        /// The name.
        name: String,
        /// Names that there are.
        known: String,
    },
    /// A beam that is none.
    #[error("{0}")]
    Beam(String),
    /// More modes were asked for than the nodes have.
    #[error(
        "{asked} modes are asked for, but {there} are there: {freedoms} displacements and rotations of nodes that are free{massless}"
    )]
    TooManyModes {
        /// Modes asked for.
        asked: usize,
        /// Modes there are.
        there: usize,
        /// Free displacements and rotations.
        freedoms: usize,
        /// How many of them have no mass, in words.
        massless: String,
    },
    /// Nothing vibrates below the limit.
    #[error("no mode is below {limit} rad/s: the lowest one is at {lowest:.6} rad/s")]
    NoModes {
        /// The limit, rad/s.
        limit: f64,
        /// Lowest angular frequency, rad/s.
        lowest: f64,
    },
    /// A mode is asked for that has no mass.
    #[error(
        "the shape that a unit displacement of node `{0}` makes has no mass: give the section moments of inertia"
    )]
    MasslessShape(String),
    /// What is fixed does not hold the body.
    #[error("the body moves without being deformed where it should be held: {0}")]
    Loose(String),
    /// A file that cannot be read.
    #[error("{file}:{line}: {reason}")]
    File {
        /// Its name.
        file: String,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// Matrices that do not belong to a body.
    #[error("{0}")]
    Matrices(String),
    /// An option that is out of its range.
    #[error("{0}")]
    Option(String),
    /// Eigenvalues could not be computed.
    #[error("the eigenvalues of {unknowns} unknowns could not be computed")]
    Eigenvalues {
        /// How many unknowns.
        unknowns: usize,
    },
}
