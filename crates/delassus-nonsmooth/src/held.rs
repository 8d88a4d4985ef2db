//! Rows of points that joints hold already: no force along them moves anything.
//!
//! The response a = A⁻¹Hᵀ to a force along such a row is round-off, of either sign. That it is small does not tell: what a
//! force does to a light part of a heavy machine is small beside what it would do to the part alone. But
//!
//! ```text
//! M a = Hᵀ + Gᵀλ
//! ```
//!
//! is what is left of the force once the joints have answered, whatever the masses: all of it where it gets through to some
//! body, and a combination of rows that is nothing, by the rule for rows ([`rank_tol::ROWS`]), where the joints hold it.

use crate::burden::inverse_diagonal;
use delassus_dae::Problem;
use delassus_linalg::{MassShape, rank_tol};

/// Tells such rows at one position; buffers are sized once.
#[derive(Debug)]
pub(crate) struct Held {
    shape: MassShape,
    /// Sizes of coordinates.
    scale: Vec<f64>,
    mass: Vec<f64>,
    mobility: Vec<f64>,
    left: Vec<f64>,
}

impl Held {
    pub fn new<P: Problem>(p: &P) -> Held {
        let shape = p.structure().mass.clone();
        let n = shape.dim();
        Held {
            scale: p.scales().q,
            mass: vec![0.0; shape.value_len()],
            mobility: vec![0.0; n],
            left: vec![0.0; n],
            shape,
        }
    }

    /// The masses at hand.
    pub fn begin(&mut self, mass: &[f64]) {
        self.mass.copy_from_slice(mass);
        inverse_diagonal(&self.shape, mass, &mut self.mobility);
    }

    /// Whether a row that a unit of force moves by `w` may be one: its bodies would move much farther without joints.
    pub fn is_suspect(&self, cols: &[usize], row: &[f64], w: f64) -> bool {
        let alone: f64 = cols.iter().zip(row).map(|(c, h)| h * h * self.mobility[*c]).sum();
        !(w > rank_tol::PRODUCT * alone)
    }

    /// Whether it is one, by its response a.
    pub fn holds(&mut self, cols: &[usize], row: &[f64], a: &[f64]) -> bool {
        self.left.fill(0.0);
        self.shape.mul_add(&self.mass, a, &mut self.left);
        let left: f64 = self.left.iter().zip(&self.scale).map(|(x, s)| (x * s).powi(2)).sum();
        let whole: f64 = cols.iter().zip(row).map(|(c, h)| (h * self.scale[*c]).powi(2)).sum();
        left <= rank_tol::ROWS.powi(2) * whole
    }
}
