//! KKT systems of constrained dynamics: dense, sparse, rank-deficient.
//!
//! Two linear systems are solved here, many thousand times per second and
//! without touching the heap after construction:
//!
//! ```text
//! M a − Gᵀ λ = f ,   G a = b      MassKkt     (M block-diagonal, symmetric ≥ 0)
//!                                 CondensedKkt (the same, and blocks of M may be coupled)
//! S x − Gᵀ y = r ,   G x = b      TangentKkt  (S sparse, nonsymmetric)
//!                                 FixedKkt    (the same operations for all values)
//! ```
//!
//! The multipliers act along `+Gᵀ`. `G` may be rank-deficient in both. The
//! [`rank`] module answers the slower question of *which* rows are dependent.

mod assembly_tree;
mod block_order;
mod branch;
mod condense;
mod coupled_kkt;
mod dense_ldl;
mod dense_lu;
mod error;
mod fixed_kkt;
mod front_kernels;
mod inverse_blocks;
mod mass_kkt;
mod mass_shape;
mod massless_group;
mod null_basis;
mod null_echelon;
mod options;
mod ordering;
mod panels;
mod pattern;
mod peel;
pub mod rank;
pub mod rank_tol;
mod ranked_kkt;
mod refinement;
mod reflectors;
mod room;
mod row_qr;
mod saddle;
mod small_kkt;
mod sparse_ldl;
mod sparse_ldu;
mod sparse_lu;
mod strongest_rows;
mod tangent_kkt;
mod vecops;

pub use condense::CondensedKkt;
pub use error::KktError;
pub use fixed_kkt::FixedKkt;
pub use mass_kkt::MassKkt;
pub use mass_shape::{Coupling, MassShape};
pub use options::{Backend, Counts, FactorInfo, KktOptions, SolveInfo};
pub use panels::schur_entries;
pub use pattern::Csr;
pub use ranked_kkt::{RankedKkt, RankedRows, grip};
pub use room::{Room, has_room};
pub use strongest_rows::strongest_rows;
pub use tangent_kkt::TangentKkt;
