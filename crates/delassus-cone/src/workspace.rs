//! Memory that is kept from one solve to the next.

use crate::admm::Admm;
use crate::interior_dense::DenseInterior;
use crate::lcp::Lcp;
use crate::lemke::Lemke;
use crate::newton::Newton;
use crate::outcome::Best;
use crate::scaling::Scaled;

/// Buffers of all dense solvers. They grow when needed; a second problem of the same size and laws
/// allocates nothing (except in [`Solver::Enumeration`](crate::Solver::Enumeration)).
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// If given, problems with more rows than this are not searched for a solution: a step of the dense solvers costs
    /// the cube of the rows. A start that is a solution is reported as one at any size.
    pub most_rows: Option<usize>,
    pub(crate) scaled: Scaled,
    pub(crate) best: Best,
    /// A scaled point.
    pub(crate) hat: Vec<f64>,
    /// Rates at a scaled point.
    pub(crate) u: Vec<f64>,
    pub(crate) lcp: Lcp,
    pub(crate) lemke: Lemke,
    pub(crate) newton: Newton,
    pub(crate) admm: Admm,
    pub(crate) interior: DenseInterior,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Workspace {
        Workspace::default()
    }
}
