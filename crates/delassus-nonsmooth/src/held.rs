//! Rows of points that joints already hold: no force along them moves anything.
//!
//! The response a = A⁻¹Hᵀ to a force along such a row is round-off, of either sign. A small response alone proves
//! nothing: the effect of a force on a light part of a heavy machine is small compared with that on the part alone. But
//!
//! ```text
//! M a = Hᵀ + Gᵀλ
//! ```
//!
//! is the remainder of the force after the reaction of the joints, whatever the masses: all of it if it reaches some
//! body, and a combination of rows that vanishes, by the rule for rows ([`rank_tol::ROWS`]), if the joints hold it.

use crate::burden::inverse_diagonal;
use delassus_dae::Problem;
use delassus_linalg::{MassShape, rank_tol};

/// Detects such rows at one position; buffers are sized once.
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

    /// Takes over the present masses.
    pub fn begin(&mut self, mass: &[f64]) {
        self.mass.copy_from_slice(mass);
        inverse_diagonal(&self.shape, mass, &mut self.mobility);
    }

    /// Whether a row that a unit of force moves by `w` may be held: its bodies would move much farther without joints.
    pub fn is_suspect(&self, cols: &[usize], row: &[f64], w: f64) -> bool {
        let alone: f64 = cols.iter().zip(row).map(|(c, h)| h * h * self.mobility[*c]).sum();
        !(w > rank_tol::PRODUCT * alone)
    }

    /// Whether it is held, judged by its response a.
    pub fn holds(&mut self, cols: &[usize], row: &[f64], a: &[f64]) -> bool {
        self.left.fill(0.0);
        self.shape.mul_add(&self.mass, a, &mut self.left);
        let left: f64 = self.left.iter().zip(&self.scale).map(|(x, s)| (x * s).powi(2)).sum();
        let whole: f64 = cols.iter().zip(row).map(|(c, h)| (h * self.scale[*c]).powi(2)).sum();
        left <= rank_tol::ROWS.powi(2) * whole
    }
}
