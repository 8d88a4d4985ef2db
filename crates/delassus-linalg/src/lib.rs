//! KKT systems of constrained dynamics: dense, sparse, rank-deficient
