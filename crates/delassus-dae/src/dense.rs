//! Continuous output between two steps: quintic Hermite interpolation on (q, v, a).
//!
//! Works in the coordinates ξ of the step, q(t) = q₀ ∘ exp(ξ(t)), so rotations stay rotations.
//! Order 5 in q and v for a method that delivers order-5 end values; any one-step method can
//! use it, which is why it lives outside the methods.

use crate::manifold::Manifold;
use crate::state::{Derived, State};

/// Interpolant of one step; buffers are sized once and refilled.
#[derive(Debug, Clone, Default)]
pub struct Hermite {
    t0: f64,
    h: f64,
    q0: Vec<f64>,
    /// Power coefficients c₁…c₅ of ξ(s), s = (t − t₀)/h, five per velocity.
    c: Vec<[f64; 5]>,
    /// z₀, ż₀, z₁, ż₁ per auxiliary state.
    z: Vec<[f64; 4]>,
    xi: Vec<f64>,
    xi_dot: Vec<f64>,
    tmp: Vec<f64>,
}

impl Hermite {
    /// Buffers for a problem of these sizes.
    pub fn new(nq: usize, nv: usize, nz: usize) -> Hermite {
        Hermite {
            t0: 0.0,
            h: 0.0,
            q0: vec![0.0; nq],
            c: vec![[0.0; 5]; nv],
            z: vec![[0.0; 4]; nz],
            xi: vec![0.0; nv],
            xi_dot: vec![0.0; nv],
            tmp: vec![0.0; nv],
        }
    }

    /// Fits the step from (s0, d0) to (s1, d1).
    pub fn fit(&mut self, m: &Manifold, s0: &State, d0: &Derived, s1: &State, d1: &Derived) {
        let h = s1.t - s0.t;
        self.t0 = s0.t;
        self.h = h;
        self.q0.copy_from_slice(&s0.q);
        m.local(&s0.q, &s1.q, &mut self.xi);
        m.tangent_inv(&self.xi, &s1.v, &mut self.xi_dot);
        // ξ̈ = T⁻¹ a + d/dt(T⁻¹) v; the second term by a directional difference along ξ̇, which
        // is exact to far below the interpolation error.
        m.tangent_inv(&self.xi, &d1.a, &mut self.tmp);
        for (i, c) in self.c.iter_mut().enumerate() {
            c[4] = self.tmp[i];
        }
        if !m.is_vector() {
            let eps = 1e-4 * h;
            for sign in [1.0, -1.0] {
                for i in 0..self.xi.len() {
                    self.xi[i] += sign * eps * self.xi_dot[i];
                }
                m.tangent_inv(&self.xi, &s1.v, &mut self.tmp);
                for (i, c) in self.c.iter_mut().enumerate() {
                    c[4] += sign * self.tmp[i] / (2.0 * eps);
                }
                for i in 0..self.xi.len() {
                    self.xi[i] -= sign * eps * self.xi_dot[i];
                }
            }
        }
        for (i, c) in self.c.iter_mut().enumerate() {
            let c1 = h * s0.v[i];
            let c2 = 0.5 * h * h * d0.a[i];
            let a = self.xi[i] - c1 - c2;
            let b = h * self.xi_dot[i] - c1 - 2.0 * c2;
            let e = h * h * c[4] - 2.0 * c2;
            *c = [
                c1,
                c2,
                10.0 * a - 4.0 * b + 0.5 * e,
                -15.0 * a + 7.0 * b - e,
                6.0 * a - 3.0 * b + 0.5 * e,
            ];
        }
        for (i, z) in self.z.iter_mut().enumerate() {
            *z = [s0.z[i], h * d0.zdot[i], s1.z[i], h * d1.zdot[i]];
        }
    }

    /// Ignores the accelerations at the end of the fitted step, for steps where they are those of the last instant
    /// only: a polynomial of degree four through the rest.
    pub fn leave_end_open(&mut self) {
        for c in &mut self.c {
            let a = c[2] + c[3] + c[4];
            let b = 3.0 * c[2] + 4.0 * c[3] + 5.0 * c[4];
            (c[2], c[3], c[4]) = (4.0 * a - b, b - 3.0 * a, 0.0);
        }
    }

    /// Upper bound of how much faster something moves inside the fitted step than at both its ends, in sizes per
    /// second.
    pub fn surge(&self, scale: &[f64]) -> f64 {
        let mut most: f64 = 0.0;
        for (c, scale) in self.c.iter().zip(scale) {
            let d = [c[0], 2.0 * c[1], 3.0 * c[2], 4.0 * c[3], 5.0 * c[4]];
            // a polynomial lies within its Bernstein coefficients
            let between = [
                d[0] + 0.25 * d[1],
                d[0] + 0.5 * d[1] + d[2] / 6.0,
                d[0] + 0.75 * d[1] + 0.5 * d[2] + 0.25 * d[3],
            ];
            let end = d.iter().sum::<f64>();
            let at_ends = d[0].abs().max(end.abs());
            for b in between {
                most = most.max((b.abs() - at_ends) / scale);
            }
        }
        most / self.h
    }

    /// State at time t of the fitted step.
    pub fn at(&mut self, m: &Manifold, t: f64, out: &mut State) {
        let s = (t - self.t0) / self.h;
        for (i, c) in self.c.iter().enumerate() {
            self.xi[i] = s * (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4]))));
            self.xi_dot[i] = (c[0]
                + s * (2.0 * c[1] + s * (3.0 * c[2] + s * (4.0 * c[3] + s * 5.0 * c[4]))))
                / self.h;
        }
        out.t = t;
        m.retract(&self.q0, &self.xi, &mut out.q);
        m.tangent(&self.xi, &self.xi_dot, &mut out.v);
        for (z, o) in self.z.iter().zip(&mut out.z) {
            let [z0, d0, z1, d1] = *z;
            let r = 1.0 - s;
            // written with the difference, so that a constant is not rounded
            *o = z0 + s * s * (3.0 - 2.0 * s) * (z1 - z0) + s * r * r * d0 - s * s * r * d1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Block;

    #[test]
    fn what_moves_inside_a_step_alone_is_seen() {
        let m = Manifold::new(&[Block::Vector(2)]);
        let state =
            |t: f64, q: [f64; 2], v: [f64; 2]| State { t, q: q.to_vec(), v: v.to_vec(), z: vec![] };
        let derived = |a: [f64; 2]| Derived { a: a.to_vec(), ..Default::default() };
        let mut dense = Hermite::new(2, 2, 0);
        // a fall is fastest at its end
        let (s0, s1) = (state(0.0, [0.0; 2], [1.0, 0.0]), state(2.0, [6.0, 0.0], [5.0, 0.0]));
        dense.fit(&m, &s0, &derived([2.0, 0.0]), &s1, &derived([2.0, 0.0]));
        assert!(dense.surge(&[1.0, 1.0]) < 1e-14);
        // a ramp from rest to rest, 3 s² − 2 s³ over 2 s: 0.75/s in its middle
        let (s0, s1) = (state(0.0, [0.0; 2], [0.0; 2]), state(2.0, [0.0, 1.0], [0.0; 2]));
        dense.fit(&m, &s0, &derived([0.0, 1.5]), &s1, &derived([0.0, -1.5]));
        let surge = dense.surge(&[1.0, 0.5]);
        assert!((1.5..2.1).contains(&surge), "{surge}");
    }

    /// A quartic whose acceleration jumps at the very end.
    #[test]
    fn an_end_that_is_left_open_changes_nothing_before() {
        let m = Manifold::new(&[Block::Vector(1)]);
        let state =
            |t: f64| State { t, q: vec![t.powi(4) - t], v: vec![4.0 * t.powi(3) - 1.0], z: vec![] };
        let derived = |a: f64| Derived { a: vec![a], ..Default::default() };
        let mut dense = Hermite::new(1, 1, 0);
        dense.fit(&m, &state(0.5), &derived(3.0), &state(1.5), &derived(-100.0));
        dense.leave_end_open();
        let mut out = state(0.5);
        for t in [0.5, 0.7, 1.1, 1.5] {
            dense.at(&m, t, &mut out);
            let want = state(t);
            assert!((out.q[0] - want.q[0]).abs() < 1e-14 && (out.v[0] - want.v[0]).abs() < 1e-13);
        }
    }

    /// Spin about a fixed axis with quadratic angle: the interpolant is exact.
    #[test]
    fn reproduces_a_quintic_and_a_spin() {
        let m = Manifold::new(&[Block::Vector(1), Block::So3]);
        let q0 = [0.0, 1.0, 0.0, 0.0, 0.0];
        let make = |t: f64| {
            let (x, v, a) = (t.powi(5) + t, 5.0 * t.powi(4) + 1.0, 20.0 * t.powi(3));
            let (th, w, al) = (0.3 * t + 0.4 * t * t, 0.3 + 0.8 * t, 0.8);
            let mut q = [0.0; 5];
            m.retract(&q0, &[x, 0.6 * th, 0.0, 0.8 * th], &mut q);
            (
                State { t, q: q.to_vec(), v: vec![v, 0.6 * w, 0.0, 0.8 * w], z: vec![] },
                Derived { a: vec![a, 0.6 * al, 0.0, 0.8 * al], ..Default::default() },
            )
        };
        let ((s0, d0), (s1, d1)) = (make(0.5), make(1.5));
        let mut hermite = Hermite::new(5, 4, 0);
        hermite.fit(&m, &s0, &d0, &s1, &d1);
        let mut out = s0.clone();
        for t in [0.5, 0.7, 1.1, 1.5] {
            hermite.at(&m, t, &mut out);
            let (want, _) = make(t);
            for k in 0..5 {
                assert!((out.q[k] - want.q[k]).abs() < 1e-8, "{t} {k}");
            }
            for k in 0..4 {
                assert!((out.v[k] - want.v[k]).abs() < 1e-7, "{t} {k}");
            }
        }
    }
}
