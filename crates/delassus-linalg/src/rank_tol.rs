//! The one rule for rank: when rows count as dependent, wherever this has to be decided.
//!
//! The question arises in two forms, and they have two answers for a reason of arithmetic. On the rows themselves,
//! scaled to unit length, a combination of them that is shorter than [`ROWS`] counts as zero: this is the rule. Where
//! only a product `G A Gᵀ` is available (the Delassus matrix of contact points, the Schur complement of a step) lengths
//! appear squared and rounding hides everything below √ε ≈ 1e-8, so nothing below [`PRODUCT`] can be distinguished
//! there. Between the two the product cannot be trusted, and [`crate::RankedKkt`] works on the rows.

/// Length of a combination of unit rows (of unit coefficients) up to which the rows count as dependent. Also the
/// contradiction between rows, in units of the model's size, up to which they count as stating the same: a direction
/// held by less than this is redundant, a contradiction larger than this is another mechanism.
///
/// It is well above the rounding of assembled coefficients (1e-15) and well below any intended
/// misalignment (a tilt of 1e-7 rad locks).
pub const ROWS: f64 = 1e-9;

/// Pivot of a product `G A Gᵀ`, relative to its own diagonal entry, up to which a row counts as
/// dependent there: lengths of 1e-5. Its square root times a decade is [`DELICATE`].
pub const PRODUCT: f64 = 1e-10;

/// Relative pivot of a product below which a chosen set of rows has become dependent, and another choice or all rows
/// should be used: two decades before [`PRODUCT`], so that the change is made while both are still good.
pub const WEAK: f64 = 100.0 * PRODUCT;

/// Length of a combination of kept rows below which products cannot be trusted with them.
pub const DELICATE: f64 = 1e-4;

/// Rounding error of an exact dependency among so many rows.
pub fn rounding(rows: usize) -> f64 {
    10.0 * f64::EPSILON * rows.max(1) as f64
}

/// Number of decades between the shortest kept combination and the longest dropped one below which the rank is in
/// doubt.
pub const GAP_DECADES: f64 = 3.0;
