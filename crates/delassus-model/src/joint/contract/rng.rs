//! Random numbers that are the same in every run.

use delassus_math::Vec3;
use nalgebra::DVector;

/// Random numbers that are the same in every run.
pub(crate) struct Rng(pub u64);

impl Rng {
    /// Uniform in −1 … 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize) -> DVector<f64> {
        DVector::from_fn(n, |_, _| self.next())
    }

    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}
