//! How points whose rows depend on each other share a load.
//!
//! The corners of a box on a floor bear its weight in many ways. Without friction all of them move the
//! box alike; where the points slide in different directions, or with different coefficients, the motion
//! depends on how they share. What bodies do is decided by how they yield. Here all points yield alike, in
//! metres per newton, by next to nothing: the bodies sink in by a small motion y, and each force is as
//! large as its point sinks in,
//!
//! ```text
//! B x = b        B = H_I A⁻¹ C     C = H_Nᵀ − μ H_Tᵀ d (sliding), H_Tᵀ (sticking)
//! x_j = max(0, p_j),   p = S² G y,   G = H A⁻¹ H_Iᵀ      normal forces; others are not bounded
//! ```
//!
//! with the independent rows I. This is the limit of a softness that vanishes (`even.rs`). Without sliding it
//! is the smallest x ≥ 0 in the scale S that holds the points: S = 1, in newtons, so normal forces
//! vary linearly over a face as far as they press. It follows from the state alone, neither from the order of
//! points nor from what happened before or elsewhere, and it is continuous: where a point
//! loses its load, or gets one again, forces have a kink.
//!
//! Friction at rest is shared in proportion to its limits: with the normal forces that were found, the
//! tangential ones are shared again with S² = μ r_N, so that they all reach their limits together.

use crate::basic::BasicSolver;
use crate::cholesky::Cholesky;
use delassus_math::largest;

/// Least part of the largest force that scales friction at rest.
const LEAST: f64 = 1e-3;

/// Part of the largest force that cannot be told from none.
const NONE: f64 = 1e-13;

/// What a force is bounded by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// It cannot pull.
    Normal,
    /// Friction at rest: by a coefficient and the normal force at this place.
    Friction(f64, usize),
    /// Dry friction at rest: by a constant, in the unit of the force.
    Bound(f64),
}

/// The force problem of a mode with dependent rows; buffers are sized once.
pub(crate) struct Shares {
    /// Equations.
    m: usize,
    kinds: Vec<Kind>,
    /// What a metre is in the unit of each row.
    per_metre: Vec<f64>,
    /// S² of each force, of the pass at hand.
    scale: Vec<f64>,
    /// B, by forces: what each does along the equations.
    pub acts: Vec<f64>,
    /// G, by forces.
    pub yields: Vec<f64>,
    /// Right-hand sides.
    pub b: Vec<f64>,
    /// All forces, N.
    pub x: Vec<f64>,
    /// As far as each point sinks in, in newtons.
    p: Vec<f64>,
    /// Forces that take part.
    on: Vec<bool>,
    /// Some force is friction at rest.
    sticks: bool,
    system: BasicSolver,
    /// The same where B is symmetric: nothing slides.
    symmetric: Cholesky,
}

impl Shares {
    /// For `m` equations and forces of these kinds, each with what a metre is in the unit of its row.
    pub fn new(m: usize, forces: impl Iterator<Item = (Kind, f64)>) -> Shares {
        let (kinds, per_metre): (Vec<Kind>, Vec<f64>) = forces.unzip();
        let n = kinds.len();
        Shares {
            m,
            sticks: kinds.iter().any(|k| *k != Kind::Normal),
            kinds,
            per_metre,
            scale: vec![0.0; n],
            acts: vec![0.0; n * m],
            yields: vec![0.0; n * m],
            b: vec![0.0; m],
            x: vec![0.0; n],
            p: vec![0.0; n],
            on: vec![true; n],
            system: BasicSolver::new(m),
            symmetric: Cholesky::default(),
        }
    }

    /// Finds the forces. Where no forces that press hold the points, some pull: those that would be left
    /// with their last load.
    pub fn solve(&mut self) {
        self.on.fill(true);
        for (scale, per_metre) in self.scale.iter_mut().zip(&self.per_metre) {
            *scale = per_metre.powi(-2);
        }
        self.attempt(&Pass::All);
        self.x.copy_from_slice(&self.p);
        // each change is for good in all but odd cases; what is left then breaks the laws, and is seen
        for _ in 0..3 * self.x.len() {
            let Some(k) = self.wrong() else { break };
            self.on[k] = !self.on[k];
            if self.attempt(&Pass::All) < self.m {
                // the others alone cannot hold the points
                self.on[k] = !self.on[k];
                self.attempt(&Pass::All);
                break;
            }
            for ((x, p), on) in self.x.iter_mut().zip(&self.p).zip(&self.on) {
                *x = if *on { *p } else { 0.0 };
            }
        }
        if self.sticks {
            self.share_friction();
        }
    }

    /// How far the point of normal force k sinks in, in the largest force: below zero where it has no load.
    pub fn depth(&self, k: usize) -> f64 {
        self.p[k] * self.per_metre[k] / self.largest()
    }

    /// The normal force that pulls most; where none does, the point without force that sinks in most.
    fn wrong(&self) -> Option<usize> {
        let slack = NONE * self.largest();
        let first_most = |on: bool, sign: f64| {
            let normal = |k: &usize| self.kinds[*k] == Kind::Normal && self.on[*k] == on;
            let size = |k: usize| sign * self.p[k] * self.per_metre[k];
            let wrong = (0..self.p.len()).filter(normal).map(|k| (k, size(k)));
            let most = wrong.reduce(|a, b| if b.1 > a.1 { b } else { a });
            most.filter(|(_, size)| *size > slack).map(|(k, _)| k)
        };
        first_most(true, -1.0).or_else(|| first_most(false, 1.0))
    }

    /// The largest force, N.
    fn largest(&self) -> f64 {
        largest(self.x.iter().zip(&self.per_metre).map(|(x, per_metre)| (x * per_metre).abs()))
    }

    /// Shares friction at rest in proportion to its limits.
    fn share_friction(&mut self) {
        let most = self.largest();
        for (k, kind) in self.kinds.iter().enumerate() {
            let limit = self.per_metre[k]
                * match *kind {
                    Kind::Normal => continue,
                    Kind::Friction(mu, normal) => mu * self.x[normal],
                    Kind::Bound(bound) => bound,
                };
            let part = if most > 0.0 { (limit / most).max(LEAST) } else { 1.0 };
            self.scale[k] = part * self.per_metre[k].powi(-2);
        }
        self.attempt(&Pass::Friction);
        for ((x, p), kind) in self.x.iter_mut().zip(&self.p).zip(&self.kinds) {
            if *kind != Kind::Normal {
                *x = *p;
            }
        }
    }

    /// p for the forces that take part; the rank of the system.
    fn attempt(&mut self, pass: &Pass) -> usize {
        let Shares { m, kinds, scale, acts, yields, b, x, p, on, system, symmetric, .. } = self;
        let m = *m;
        system.w.fill(0.0);
        system.x.copy_from_slice(b);
        let forces = || acts.chunks_exact(m).zip(yields.chunks_exact(m)).enumerate();
        for (k, (act, yielded)) in forces() {
            match pass {
                Pass::All if !on[k] => continue,
                Pass::Friction if kinds[k] == Kind::Normal => {
                    for (b, act) in system.x.iter_mut().zip(act) {
                        *b -= act * x[k];
                    }
                    continue;
                }
                _ => {}
            }
            for (w, act) in system.w.chunks_exact_mut(m).zip(act) {
                let c = act * scale[k];
                // points act on their neighbours alone
                if c == 0.0 {
                    continue;
                }
                for (w, y) in w.iter_mut().zip(yielded) {
                    *w += c * y;
                }
            }
        }
        let is_symmetric = acts == yields;
        let rank = match is_symmetric {
            true => symmetric.solve_basic(&mut system.w, &mut system.x),
            false => system.solve(),
        };
        let asked = |k: usize| !(matches!(pass, Pass::Friction) && kinds[k] == Kind::Normal);
        let sunk =
            |yielded: &[f64], y: &[f64]| -> f64 { yielded.iter().zip(y).map(|(g, y)| g * y).sum() };
        for (k, (_, yielded)) in forces().filter(|f| asked(f.0)) {
            p[k] = scale[k] * sunk(yielded, &system.x);
        }
        if is_symmetric {
            // B squares what a row of bodies multiplies: what is left is taken away once
            system.x.copy_from_slice(b);
            for (k, (act, _)) in forces() {
                let force = if !asked(k) {
                    x[k]
                } else if matches!(pass, Pass::Friction) || on[k] {
                    p[k]
                } else {
                    continue;
                };
                for (b, act) in system.x.iter_mut().zip(act) {
                    *b -= act * force;
                }
            }
            symmetric.solve(&mut system.x);
            for (k, (_, yielded)) in forces().filter(|f| asked(f.0)) {
                p[k] += scale[k] * sunk(yielded, &system.x);
            }
        }
        rank
    }
}

/// What is solved for.
enum Pass {
    /// All forces that take part.
    All,
    /// Friction at rest, with the normal forces that are there.
    Friction,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plank of unit mass and inertia on feet at these places, each with a coefficient at height −h, that slides
    /// along x, under a downward load and a torque.
    fn plank(feet: &[(f64, f64)], h: f64, load: f64, torque: f64) -> Vec<f64> {
        // the first two feet hold it
        let mut s = Shares::new(2, feet.iter().map(|_| (Kind::Normal, 1.0)));
        for (k, (x, mu)) in feet.iter().enumerate() {
            for (i, (held, _)) in feet.iter().take(2).enumerate() {
                s.yields[k * 2 + i] = 1.0 + held * x;
                s.acts[k * 2 + i] = 1.0 + held * (x - mu * h);
            }
        }
        for (i, (held, _)) in feet.iter().take(2).enumerate() {
            s.b[i] = load - held * torque;
        }
        s.solve();
        s.x
    }

    fn assert_near(x: &[f64], want: &[f64]) {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(x.len() == want.len() && x.iter().zip(want).all(near), "{x:?} {want:?}");
    }

    #[test]
    fn forces_vary_linearly_as_far_as_they_press() {
        let feet = [(-1.0, 0.0), (1.0, 0.0), (0.0, 0.0)];
        assert_near(&plank(&feet, 0.0, 3.0, 0.0), &[1.0, 1.0, 1.0]);
        assert_near(&plank(&feet, 0.0, 3.0, 1.0), &[1.5, 0.5, 1.0]);
        // the second one is without load, and two are left
        assert_near(&plank(&feet, 0.0, 3.0, 2.5), &[2.5, 0.0, 0.5]);
        // beyond the last foot nothing holds it: what is left pulls
        let x = plank(&feet, 0.0, 3.0, 3.5);
        assert!(x[1] == 0.0 && x[2] < 0.0, "{x:?}");
    }

    #[test]
    fn the_order_of_points_does_not_count() {
        let feet = [(-1.0, 0.1), (1.0, 0.7), (0.2, 0.4), (0.9, 0.0)];
        let turned: Vec<(f64, f64)> = feet.iter().rev().copied().collect();
        for torque in [-2.0, 0.0, 1.3, 2.9] {
            let x = plank(&feet, 0.5, 3.0, torque);
            let mut other = plank(&turned, 0.5, 3.0, torque);
            other.reverse();
            assert_near(&x, &other);
            assert!(x.iter().all(|x| *x >= 0.0) && (x.iter().sum::<f64>() - 3.0).abs() < 1e-12);
            let moment: f64 = x.iter().zip(&feet).map(|(r, (x, mu))| r * (x - 0.5 * mu)).sum();
            assert!((moment + torque).abs() < 1e-12, "{moment}");
        }
    }

    /// Two points with loads 3 and 1 stick and hold 2 along their common tangent, with limits 1.2 and 0.8.
    #[test]
    fn friction_at_rest_goes_with_its_limits() {
        let kinds = [
            (Kind::Normal, 1.0),
            (Kind::Normal, 1.0),
            (Kind::Friction(0.4, 0), 1.0),
            (Kind::Friction(0.8, 1), 1.0),
        ];
        let mut s = Shares::new(3, kinds.into_iter());
        let rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
        for (k, row) in rows.iter().enumerate() {
            s.acts[k * 3..k * 3 + 3].copy_from_slice(row);
            s.yields[k * 3..k * 3 + 3].copy_from_slice(row);
        }
        s.b.copy_from_slice(&[3.0, 1.0, 2.0]);
        s.solve();
        assert_near(&s.x, &[3.0, 1.0, 1.2, 0.8]);
    }
}
