//! A step that was halved: what its parts did together.

use super::report::PointImpulse;
use delassus_dae::{Derived, Dims, State};

/// Sums over the parts of the last step; empty where it was made at once.
pub(super) struct Parts {
    n: usize,
    impulses: Vec<PointImpulse>,
    mean: Derived,
}

impl Parts {
    pub fn new(d: Dims) -> Parts {
        Parts { n: 0, impulses: Vec::new(), mean: Derived::zeros(d.nv, d.n_vel, d.nz) }
    }

    pub fn clear(&mut self) {
        self.n = 0;
        self.impulses.clear();
        self.mean.lambda.fill(0.0);
    }

    /// Adds a part of length h.
    pub fn add(&mut self, h: f64, points: &[PointImpulse], d: &Derived) {
        self.n += 1;
        for c in points {
            match self.impulses.binary_search_by_key(&c.id, |i| i.id) {
                Ok(k) => self.impulses[k].join(c),
                Err(k) => self.impulses.insert(k, c.clone()),
            }
        }
        for (sum, l) in self.mean.lambda.iter_mut().zip(&d.lambda) {
            *sum += h * l;
        }
    }

    /// Makes means over the whole step of length h.
    pub fn finish(&mut self, h: f64, from: &State, to: &State) {
        if self.n == 0 {
            return;
        }
        let rate = |x: &mut [f64], a: &[f64], b: &[f64]| {
            x.iter_mut().zip(a.iter().zip(b)).for_each(|(x, (a, b))| *x = (b - a) / h);
        };
        rate(&mut self.mean.a, &from.v, &to.v);
        rate(&mut self.mean.zdot, &from.z, &to.z);
        self.mean.lambda.iter_mut().for_each(|l| *l /= h);
    }

    pub fn impulses(&self) -> Option<&[PointImpulse]> {
        (self.n > 0).then_some(&self.impulses[..])
    }

    pub fn derived(&self) -> Option<&Derived> {
        (self.n > 0).then_some(&self.mean)
    }
}
