//! Rank.
