//! Complementarity and friction cones.
//!
//! Given `W`, `b` and blocks of rows with a law each, find reactions `r` and rates
//!
//! ```text
//! u = W r + b
//! ```
//!
//! so that every block obeys its [`Law`]: equality, unilateral contact, a reaction between bounds, or Coulomb friction
//! in one or two tangential directions (the exact cone, no facets). The crate knows no mechanics; `W` is whatever
//! relates reactions to rates. It may be singular: contacts that can share a load in many ways are ordinary. Then `u`
//! is unique although `r` is not.
//!
//! Every solver is judged by one residual, [`natural_residual`], which is a pure number. A report says
//! [`Status::Solved`] only if it is at most the tolerance.
//!
//! ```
//! use delassus_cone::{DenseProblem, Law, Settings, Status, Workspace, solve};
//!
//! // A unit mass on a rough floor, pushed down with 10 and sideways with 3; μ = 0.2: it slips.
//! let w = [1.0, 0.0, 0.0, 1.0];
//! let b = [-10.0, 3.0];
//! let laws = [Law::Coulomb { mu: 0.2, tangential: 1 }];
//! let mut r = [0.0; 2];
//! let mut ws = Workspace::new();
//! let problem = DenseProblem { w: &w, b: &b, laws: &laws };
//! let report = solve(&problem, &mut r, &Settings::default(), &mut ws);
//! assert_eq!(report.status, Status::Solved);
//! assert!((r[0] - 10.0).abs() < 1e-9 && (r[1] + 2.0).abs() < 1e-9);
//! ```
//!
//! Start reading at `problem.rs`, then `scaling.rs`, `law.rs` and `solve.rs`; each solver has a file.

mod admm;
mod enumerate;
mod gauss_seidel;
mod interior;
mod interior_dense;
mod interior_pair;
mod law;
mod lcp;
mod lemke;
mod local;
mod lu;
mod newton;
mod outcome;
mod problem;
mod qr;
mod residual;
mod scaling;
mod solve;
mod sparse;
mod workspace;

pub use enumerate::enumerate_lcp;
pub use problem::{DenseProblem, Law, Report, Settings, Solver, Status};
pub use residual::natural_residual;
pub use solve::solve;
pub use sparse::{
    InverseMass, Rows, SparseProblem, SparseWorkspace, interior_work, natural_residual_sparse,
    solve_sparse,
};
pub use workspace::Workspace;
