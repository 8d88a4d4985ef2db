//! The problem and its solution: laws, the dense problem, settings, the report.

/// The law that relates reactions `r` and rates `u` of one block of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// One row: `u = 0`.
    Equality,
    /// One row: `0 ≤ u ⟂ r ≥ 0`.
    Unilateral,
    /// One row: `r ∈ [lo, hi]`, `u = 0` inside, `u ≥ 0` at `lo`, `u ≤ 0` at `hi`. Dry friction
    /// with a known bound is `lo = −hi`. The bounds may be infinite.
    Interval {
        /// Smallest reaction.
        lo: f64,
        /// Largest reaction, at least `lo`.
        hi: f64,
    },
    /// `1 + tangential` rows, the normal one first: `0 ≤ u_N ⟂ r_N ≥ 0`, `|r_T| ≤ μ r_N`, and where
    /// it slips `r_T = −μ r_N u_T/|u_T|`. The tangential rows share one unit and are orthogonal.
    Coulomb {
        /// Friction coefficient, at least zero.
        mu: f64,
        /// Number of tangential rows: 1 or 2.
        tangential: usize,
    },
}

impl Law {
    /// Number of rows of the block.
    pub fn rows(&self) -> usize {
        match *self {
            Law::Coulomb { tangential, .. } => 1 + tangential,
            _ => 1,
        }
    }

    /// Whether the numbers of the law make sense.
    pub fn is_valid(&self) -> bool {
        match *self {
            Law::Interval { lo, hi } => lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY,
            Law::Coulomb { mu, tangential } => {
                mu >= 0.0 && mu.is_finite() && (1..=2).contains(&tangential)
            }
            _ => true,
        }
    }
}

/// Find `r` with `u = W r + b` and every block's law satisfied.
#[derive(Clone, Copy, Debug)]
pub struct DenseProblem<'a> {
    /// `W`, `n × n`, row by row. Symmetric positive semidefinite for plain contact.
    pub w: &'a [f64],
    /// `b`, length `n`: the rates without reactions.
    pub b: &'a [f64],
    /// The blocks, in the order of the rows. Their rows add up to `n`.
    pub laws: &'a [Law],
}

/// The solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Chosen by size and laws; falls back from one to the next.
    Auto,
    /// Lexicographic Lemke: finite and exact. No friction in two tangential directions.
    Lemke,
    /// All complementary bases in turn; for tiny problems and proofs that nothing exists.
    Enumeration,
    /// Block Gauss–Seidel with exact local solves.
    GaussSeidel,
    /// Semi-smooth Newton on the function of Alart and Curnier.
    SemismoothNewton,
    /// Alternating direction method of multipliers with adaptive penalty.
    Admm,
    /// Interior point method with Nesterov–Todd scaling.
    InteriorPoint,
    /// Gauss–Seidel with Anderson acceleration (sparse form).
    Accelerated,
}

/// Settings of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Largest [`natural_residual`](crate::natural_residual) of a solution, a pure number.
    pub tolerance: f64,
    /// Limit of the iterations of each solver: pivots, sweeps, Newton steps.
    pub max_iterations: usize,
    /// Which solver.
    pub solver: Solver,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { tolerance: 1e-10, max_iterations: 2000, solver: Solver::Auto }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The residual is at most the tolerance.
    Solved,
    /// The iterations ran out or stalled; `r` is the best point found.
    IterationLimit,
    /// It has more rows than are searched ([`Workspace::most_rows`](crate::Workspace::most_rows)); `r` is unchanged.
    TooLarge,
    /// Lemke ended on a ray, rows contradict each other, or a row that no reaction can move breaks its law; nothing
    /// else found a solution either. For semidefinite `W` without friction this proves that there is none; otherwise it
    /// is a proof if the report names [`Solver::Enumeration`]. `r` is the best point found.
    NoSolution,
    /// The data or an intermediate result is not finite; `r` is finite nevertheless.
    NotFinite,
    /// Sizes do not match or a law has impossible numbers; `r` is unchanged.
    BadInput,
    /// The chosen solver does not support one of the laws; `r` is unchanged.
    Unsupported,
}

/// The report of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// [`natural_residual`](crate::natural_residual) of the `r` returned; NaN for bad input.
    pub residual: f64,
    /// Iterations of all solvers that were tried.
    pub iterations: usize,
    /// The solver that found the `r` returned.
    pub solver: Solver,
}

impl Report {
    /// A report without a result.
    pub(crate) fn refused(status: Status, solver: Solver) -> Report {
        Report { status, residual: f64::NAN, iterations: 0, solver }
    }
}

/// Fault of the laws against a number of rows, if any.
pub(crate) fn check_laws(laws: &[Law], n: usize) -> Option<Status> {
    let mut rows = 0usize;
    for law in laws {
        if matches!(law, Law::Coulomb { mu, .. } if mu.is_nan())
            || matches!(law, Law::Interval { lo, hi } if lo.is_nan() || hi.is_nan())
        {
            return Some(Status::NotFinite);
        }
        if !law.is_valid() {
            return Some(Status::BadInput);
        }
        rows += law.rows();
    }
    (rows != n).then_some(Status::BadInput)
}

/// Fault of a dense problem with a start of length `len`, if any.
pub(crate) fn check_dense(p: &DenseProblem<'_>, len: usize) -> Option<Status> {
    let n = p.b.len();
    if n.checked_mul(n) != Some(p.w.len()) || len != n {
        return Some(Status::BadInput);
    }
    if let Some(fault) = check_laws(p.laws, n) {
        return Some(fault);
    }
    let finite = p.w.iter().chain(p.b).all(|x| x.is_finite());
    (!finite).then_some(Status::NotFinite)
}
