//! A halved step: the combined effect of its parts.

use super::report::PointImpulse;
use delassus_dae::{Derived, Dims, State};

/// Sums over the parts of the last step; empty if it was made at once.
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

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_dae::{ContactPoint, PointId, PointLaw};

    fn point(slot: u32, impulse: f64, before: f64, after: f64, hit: bool) -> PointImpulse {
        PointImpulse {
            id: PointId { pair: 0, slot },
            law: PointLaw::OneWay,
            at: ContactPoint::default(),
            impulse: [impulse, 0.0, 0.0],
            before: [before, 0.0, 0.0],
            after: [after, 0.0, 0.0],
            hit,
            work: 0.5 * impulse * (before + after),
            effort: 0.0,
            softened: 1.0,
            held: false,
        }
    }

    /// A hit in the first half, a load in the second, and another point that comes later.
    #[test]
    fn parts_add_up_to_the_step() {
        let d = Dims { nq: 1, nv: 1, n_pos: 1, n_vel: 1, nz: 1 };
        let state = |v: f64, z: f64| State { t: 0.0, q: vec![0.0], v: vec![v], z: vec![z] };
        let mut parts = Parts::new(d);
        assert!(parts.impulses().is_none() && parts.derived().is_none());
        let mut derived = Derived::zeros(1, 1, 1);
        derived.lambda[0] = 3.0;
        parts.add(0.25, &[point(1, 2.0, -1.0, 0.5, true)], &derived);
        derived.lambda[0] = 5.0;
        parts.add(
            0.25,
            &[point(0, 1.0, 0.0, 0.0, false), point(1, 0.5, 0.5, 0.0, false)],
            &derived,
        );
        parts.finish(0.5, &state(1.0, 0.0), &state(2.0, 3.0));
        let all = parts.impulses().unwrap();
        assert_eq!(all.iter().map(|i| i.id.slot).collect::<Vec<_>>(), [0, 1]);
        let own = &all[1];
        assert_eq!((own.impulse[0], own.before[0], own.after[0]), (2.5, -1.0, 0.0));
        assert!(own.hit && own.work == -0.5 + 0.125);
        let mean = parts.derived().unwrap();
        assert_eq!((mean.a[0], mean.lambda[0], mean.zdot[0]), (2.0, 4.0, 6.0));
        parts.clear();
        assert!(parts.impulses().is_none());
    }
}
