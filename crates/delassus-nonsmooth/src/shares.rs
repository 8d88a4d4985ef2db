//! How points whose rows depend on each other share a load.
//!
//! The corners of a box on a floor can bear its weight in many ways. Without friction all of them move the box alike;
//! where the points slide in different directions, or with different coefficients, the motion depends on how they
//! share. What bodies do is decided by their compliance. Here all points yield alike, in metres per newton, by next to
//! nothing: the bodies sink in by a small motion y, and each force is proportional to how far its point sinks in,
//!
//! ```text
//! B x = b        B = H_I A⁻¹ C     C = H_Nᵀ − μ H_Tᵀ d (sliding), H_Tᵀ (sticking)
//! x_j = max(0, p_j),   p = S² G y,   G = H A⁻¹ H_Iᵀ      normal forces
//! x_j = p_j min(1, limit/|p|)                           friction at rest: limit μ x_N, or a constant
//! ```
//!
//! with the independent rows I. Both sides are taken in their basis, W⁻¹ B and G W⁻¹ with W = H_I A⁻¹ H_Iᵀ, where they
//! contain only directions: the product of the two has masses squared, and a light body below a heavy one would be lost
//! in its round-off. This is the limit of a vanishing compliance (`even.rs`). Without sliding it is the smallest x ≥ 0
//! in the scale S that holds the points: S = 1, in newtons, so normal forces vary linearly over a face as far as they
//! press. It follows from the state alone, neither from the order of points nor from what happened before or elsewhere,
//! and it is continuous: where a point loses its load, or gains one again, forces have a kink.
//!
//! Static friction is shared in proportion to its limits: with the normal forces found, the tangential ones are shared
//! again with S² = μ r_N, so that they all reach their limits together. If some would then exceed their limits, the
//! first result is kept.

mod basis;
mod kind;

pub(crate) use kind::{Kind, Sharer};

use crate::basic::BasicSolver;
use crate::cholesky::Cholesky;
use crate::sparse_rows::SparseRows;
use delassus_math::largest;
use kind::{at_limit, begins, beside};

/// Smallest fraction of the largest force that scales static friction.
const LEAST: f64 = 1e-3;

/// Fraction of the largest force that is indistinguishable from zero.
const NONE: f64 = 1e-13;
/// Fraction of the largest force by which friction may exceed its limit, and by which its direction may be off there.
const BEYOND: f64 = 1e-12;

/// Allowed round-off of a force, in multiples of the change by one refinement: that shows its size, but is not a bound.
const UNREFINED: f64 = 10.0;

/// Fraction of the terms along an equation that is round-off of its solution.
const HELD: f64 = 1e-9;
/// Number of changes per force before the result is left as it is: a few for each normal force, and some more for the
/// directions of friction at its limit.
const ROUNDS: usize = 6;

/// The force problem of a mode with dependent rows; buffers are sized once.
pub(crate) struct Shares {
    /// Number of equations.
    m: usize,
    /// The equation of each force that has one.
    equation: Vec<Option<usize>>,
    kinds: Vec<Kind>,
    /// The equivalent of a metre in the unit of each row.
    per_metre: Vec<f64>,
    /// The pair of shapes between which each acts.
    pairs: Vec<u64>,
    /// S² of each force, for the present pass.
    scale: Vec<f64>,
    /// B, by forces: the effect of each along the equations.
    pub acts: SparseRows,
    /// G, by forces.
    pub yields: SparseRows,
    /// Both in the basis of the independent rows.
    turned: [SparseRows; 2],
    /// Right-hand sides.
    pub b: Vec<f64>,
    /// All forces, N.
    pub x: Vec<f64>,
    /// How far each point sinks in, in newtons.
    p: Vec<f64>,
    /// Round-off of these, which grows with the number of bodies in a pile.
    noise: f64,
    /// Forces that take part.
    on: Vec<bool>,
    /// Friction at its limit: its fraction of that along each row, zero if it is below.
    limited: Vec<f64>,
    /// Friction at its limit, relative to what it would be without one.
    yielding: Vec<f64>,
    /// Forces before friction is shared again.
    first: Vec<f64>,
    /// Some force is friction at rest.
    sticks: bool,
    system: BasicSolver,
    /// The same where B is symmetric: nothing slides.
    symmetric: Cholesky,
    /// W.
    basis: Cholesky,
    /// The same of the rows of one pair.
    own_basis: Cholesky,
    own_row: Vec<f64>,
    /// For each equation: its remainder, and its size.
    left: Vec<f64>,
    size: Vec<f64>,
}

impl Shares {
    /// For these forces. Those along independent rows have an equation, in their order.
    pub fn new(forces: impl Iterator<Item = Sharer>) -> Shares {
        let (mut kinds, mut per_metre, mut equation) = (Vec::new(), Vec::new(), Vec::new());
        let (mut pairs, mut m) = (Vec::new(), 0);
        for force in forces {
            kinds.push(force.kind);
            per_metre.push(force.per_metre);
            pairs.push(force.pair);
            equation.push(force.independent.then_some(m));
            m += usize::from(force.independent);
        }
        let n = kinds.len();
        Shares {
            m,
            equation,
            sticks: kinds.iter().any(|k| *k != Kind::Normal),
            kinds,
            per_metre,
            pairs,
            scale: vec![0.0; n],
            acts: SparseRows::default(),
            yields: SparseRows::default(),
            turned: [SparseRows::default(), SparseRows::default()],
            b: vec![0.0; m],
            x: vec![0.0; n],
            p: vec![0.0; n],
            noise: 0.0,
            on: vec![true; n],
            limited: vec![0.0; n],
            yielding: vec![0.0; n],
            first: vec![0.0; n],
            system: BasicSolver::new(m),
            symmetric: Cholesky::default(),
            basis: Cholesky::default(),
            own_basis: Cholesky::default(),
            own_row: Vec::new(),
            left: vec![0.0; m],
            size: vec![0.0; m],
        }
    }

    /// Finds the forces. If no forces that press hold the points, some pull: those that would be left with their last
    /// load.
    pub fn solve(&mut self) {
        self.turn_to_basis();
        self.on.fill(true);
        self.limited.fill(0.0);
        for (scale, per_metre) in self.scale.iter_mut().zip(&self.per_metre) {
            *scale = per_metre.powi(-2);
        }
        self.attempt(&Pass::All);
        self.take();
        // each change is final in all but odd cases; then the remaining error breaks the laws, and is noticed
        for _ in 0..ROUNDS * self.x.len() {
            let Some(change) = self.wrong() else { break };
            self.turn();
            let before = self.change(change);
            let whole = self.attempt(&Pass::All) == self.m;
            self.take();
            // friction at its limits need not be able to hold in all directions; the other directions may need no
            // holding
            if !(whole || matches!(change, Change::Limit(..)) && self.holds()) {
                // the others alone cannot hold the points
                self.change(before);
                self.attempt(&Pass::All);
                self.take();
                break;
            }
        }
        if self.sticks {
            self.share_friction();
        }
    }

    /// Forces of the last attempt: none that pull, and friction up to its limit. Where the limit is reached, friction
    /// acts in the direction found last; to a sideways pull it yields as far as that turns it.
    fn take(&mut self) {
        for (k, kind) in self.kinds.iter().enumerate() {
            if *kind == Kind::Normal {
                let p = self.p[k];
                let is_noise = (p * self.per_metre[k]).abs() <= self.noise;
                self.x[k] = match self.on[k] {
                    true if is_noise => p.max(0.0),
                    true => p,
                    false => 0.0,
                };
            }
        }
        for k in 0..self.kinds.len() {
            if self.kinds[k] == Kind::Normal {
                continue;
            }
            self.x[k] = if self.is_limited(k) {
                let along = self.limited[k];
                let pulled: f64 = beside(&self.kinds, k).map(|i| self.limited[i] * self.p[i]).sum();
                along * self.limit(k) + self.yielding[k] * (self.p[k] - along * pulled)
            } else {
                self.p[k]
            };
        }
    }

    /// Friction at its limit turns to the direction in which it is pulled.
    fn turn(&mut self) {
        for k in 0..self.kinds.len() {
            if begins(&self.kinds, k) && self.is_limited(k) {
                let (size, parts) = self.asked_of(k);
                if size > self.limit(k) {
                    self.change(Change::Limit(k, parts));
                }
            }
        }
    }

    /// Size and direction of the load on the friction that begins at row k.
    fn asked_of(&self, k: usize) -> (f64, [f64; 2]) {
        let rows = beside(&self.kinds, k);
        let pull = [self.p[rows.start], if rows.len() > 1 { self.p[rows.start + 1] } else { 0.0 }];
        let size = pull[0].hypot(pull[1]);
        (size, if size > 0.0 { pull.map(|p| p / size) } else { [0.0; 2] })
    }

    /// The friction that row k belongs to is at its limit.
    fn is_limited(&self, k: usize) -> bool {
        at_limit(&self.kinds, &self.limited, k)
    }

    /// Whether the forces satisfy the equations, up to their round-off and that of the largest force.
    fn holds(&mut self) -> bool {
        let largest = self.largest();
        let Shares { left, size, b, acts, x, equation, per_metre, .. } = self;
        for ((left, size), b) in left.iter_mut().zip(&mut *size).zip(&*b) {
            (*left, *size) = (-b, b.abs());
        }
        for (row, x) in acts.rows().zip(&*x) {
            for (i, act) in row {
                left[*i] += act * x;
                size[*i] += (act * x).abs();
            }
        }
        let equations = equation.iter().zip(&*per_metre).filter_map(|(i, p)| Some(((*i)?, p)));
        let fulfils = |(i, per_metre): (usize, &f64)| {
            left[i].abs() <= HELD * size[i] + NONE * largest / per_metre
        };
        equations.into_iter().all(fulfils)
    }

    /// Limit of the friction along row k, from the normal forces found.
    fn limit(&self, k: usize) -> f64 {
        match self.kinds[k] {
            Kind::Normal => f64::INFINITY,
            Kind::Friction(mu, normal) => mu * self.x[normal].max(0.0),
            Kind::Bound(bound) => bound,
        }
    }

    /// Makes a change; returns the one that reverts it.
    fn change(&mut self, change: Change) -> Change {
        match change {
            Change::Load(k) => {
                self.on[k] = !self.on[k];
                change
            }
            Change::Limit(k, parts) => {
                let mut before = [0.0; 2];
                let (size, limit) = (self.asked_of(k).0, self.limit(k));
                for (i, row) in beside(&self.kinds, k).enumerate().take(2) {
                    before[i] = std::mem::replace(&mut self.limited[row], parts[i]);
                    self.yielding[row] = if size > limit { limit / size } else { 1.0 };
                }
                Change::Limit(k, before)
            }
        }
    }

    /// How far the point of normal force k sinks in, relative to the largest force: below zero if it has no load.
    pub fn depth(&self, k: usize) -> f64 {
        self.p[k] * self.per_metre[k] / self.largest()
    }

    /// The worst violation: the normal force that pulls most; if none does, the point without force that sinks in most;
    /// if there is none, the friction that is farthest beyond its limit, or stays at it without being pulled that far.
    fn wrong(&self) -> Option<Change> {
        let slack = NONE * self.largest() + self.noise;
        let first_most = |on: bool, sign: f64| {
            let normal = |k: &usize| self.kinds[*k] == Kind::Normal && self.on[*k] == on;
            let size = |k: usize| sign * self.p[k] * self.per_metre[k];
            let wrong = (0..self.p.len()).filter(normal).map(|k| (k, size(k)));
            let most = wrong.reduce(|a, b| if b.1 > a.1 { b } else { a });
            most.filter(|(_, size)| *size > slack).map(|(k, _)| Change::Load(k))
        };
        first_most(true, -1.0).or_else(|| first_most(false, 1.0)).or_else(|| self.beyond_limit())
    }

    fn beyond_limit(&self) -> Option<Change> {
        if !self.sticks {
            return None;
        }
        let slack = BEYOND * self.largest() + self.noise;
        let (mut most, mut found) = (slack, None);
        for k in (0..self.kinds.len()).filter(|k| begins(&self.kinds, *k)) {
            let ((size, direction), limit) = (self.asked_of(k), self.limit(k));
            let parts = if size > limit { direction } else { [0.0; 2] };
            let off = match (size > limit, self.is_limited(k)) {
                (false, false) => 0.0,
                (true, true) => {
                    let now = beside(&self.kinds, k).map(|row| self.limited[row]);
                    limit * largest(now.zip(parts).map(|(now, part)| (now - part).abs()))
                }
                _ => (size - limit).abs(),
            };
            if off * self.per_metre[k] > most {
                (most, found) = (off * self.per_metre[k], Some(Change::Limit(k, parts)));
            }
        }
        found
    }

    /// The largest force, N.
    fn largest(&self) -> f64 {
        largest(self.x.iter().zip(&self.per_metre).map(|(x, per_metre)| (x * per_metre).abs()))
    }

    /// Shares static friction in proportion to its limits.
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
        self.first.copy_from_slice(&self.x);
        self.limited.fill(0.0);
        self.attempt(&Pass::Friction);
        for ((x, p), kind) in self.x.iter_mut().zip(&self.p).zip(&self.kinds) {
            if *kind != Kind::Normal {
                *x = *p;
            }
        }
        if self.beyond_limit().is_some() {
            self.x.copy_from_slice(&self.first);
        }
    }

    /// p for the forces that take part; the rank of the system.
    fn attempt(&mut self, pass: &Pass) -> usize {
        let Shares {
            m,
            kinds,
            per_metre,
            scale: scales,
            acts,
            yields,
            b,
            x,
            p,
            noise,
            on,
            limited,
            yielding,
            system,
            symmetric,
            ..
        } = self;
        let m = *m;
        system.w.fill(0.0);
        system.x.copy_from_slice(b);
        let forces = || acts.rows().zip(yields.rows()).enumerate();
        let take = |b: &mut [f64], act: &[(usize, f64)], force: f64| {
            act.iter().for_each(|(i, act)| b[*i] -= act * force);
        };
        for (k, (act, yielded)) in forces() {
            let whole = scales[k];
            match (pass, kinds[k]) {
                (Pass::All, _) if !on[k] => {}
                (Pass::Friction, Kind::Normal) => {
                    take(&mut system.x, act, x[k]);
                }
                (Pass::All, Kind::Bound(bound)) if limited[k] != 0.0 => {
                    take(&mut system.x, act, limited[k] * bound);
                }
                (Pass::All, Kind::Friction(mu, normal)) if at_limit(kinds, limited, k) => {
                    // along its direction as large as its normal force allows
                    if on[normal] {
                        let part = limited[k] * mu * scales[normal];
                        add(&mut system.w, m, act, part, yields.row(normal));
                    }
                    add(&mut system.w, m, act, yielding[k] * whole, yielded);
                    for i in beside(kinds, k) {
                        let part = -yielding[k] * limited[k] * limited[i] * scales[i];
                        add(&mut system.w, m, act, part, yields.row(i));
                    }
                }
                _ => add(&mut system.w, m, act, whole, yielded),
            }
        }
        let is_symmetric = acts == yields && limited.iter().all(|part| *part == 0.0);
        let rank = match is_symmetric {
            true => symmetric.solve_basic(&mut system.w, &mut system.x),
            false => system.solve(),
        };
        let asked = |k: usize| !(matches!(pass, Pass::Friction) && kinds[k] == Kind::Normal);
        let sunk = |yielded: &[(usize, f64)], y: &[f64]| -> f64 {
            yielded.iter().map(|(i, g)| g * y[*i]).sum()
        };
        for (k, (_, yielded)) in forces().filter(|f| asked(f.0)) {
            p[k] = scales[k] * sunk(yielded, &system.x);
        }
        *noise = 0.0;
        if is_symmetric {
            // B squares what a row of bodies multiplies: the remainder is corrected once
            system.x.copy_from_slice(b);
            for (k, (act, _)) in forces() {
                let force = if !asked(k) {
                    x[k]
                } else if matches!(pass, Pass::Friction) || on[k] {
                    p[k]
                } else {
                    continue;
                };
                take(&mut system.x, act, force);
            }
            symmetric.solve(&mut system.x);
            for (k, (_, yielded)) in forces().filter(|f| asked(f.0)) {
                let more = scales[k] * sunk(yielded, &system.x);
                p[k] += more;
                // with given normal forces there is more to correct than round-off
                if matches!(pass, Pass::All) {
                    *noise = noise.max(UNREFINED * (more * per_metre[k]).abs());
                }
            }
        }
        rank
    }
}

/// w += c · a bᵀ, for a w with n columns.
fn add(w: &mut [f64], n: usize, a: &[(usize, f64)], c: f64, b: &[(usize, f64)]) {
    for (i, a) in a {
        let (w, c) = (&mut w[i * n..(i + 1) * n], c * a);
        b.iter().for_each(|(j, b)| w[*j] += c * b);
    }
}

/// A change between two attempts.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// A normal force is added or removed.
    Load(usize),
    /// The friction of a point, from this row on, is this fraction of its limit along each row; zero if it is below.
    Limit(usize, [f64; 2]),
}

/// The unknowns.
enum Pass {
    /// All forces that take part.
    All,
    /// Static friction, with the present normal forces.
    Friction,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plank of unit mass and inertia on feet at these places, each with a coefficient at height −h, that slides
    /// along x, under a downward load and a torque.
    fn plank(feet: &[(f64, f64)], h: f64, load: f64, torque: f64) -> Vec<f64> {
        // the first two feet hold it
        let mut s = Shares::new((0..feet.len()).map(|k| sharer(Kind::Normal, k < 2)));
        for (x, mu) in feet {
            let along = |x: f64| [0, 1].map(|i| (i, 1.0 + feet[i].0 * x));
            s.yields.push(along(*x).into_iter());
            s.acts.push(along(x - mu * h).into_iter());
        }
        for (i, (held, _)) in feet.iter().take(2).enumerate() {
            s.b[i] = load - held * torque;
        }
        s.solve();
        s.x
    }

    fn sharer(kind: Kind, independent: bool) -> Sharer {
        Sharer { kind, per_metre: 1.0, pair: 0, independent }
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

    /// A plank that slides on two feet is held up by a third point, which sticks to it and has a small load of its own: it bears
    /// what friction lets it, and the feet the rest.
    #[test]
    fn friction_at_rest_bears_what_its_limit_lets_it() {
        let bears = |mu: f64| {
            let kinds = [
                (Kind::Normal, true),
                (Kind::Normal, true),
                (Kind::Normal, true),
                (Kind::Friction(mu, 2), false),
            ];
            let mut s =
                Shares::new(kinds.into_iter().map(|(kind, independent)| sharer(kind, independent)));
            let rows = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
            for row in rows {
                s.acts.push(row.into_iter().enumerate());
                s.yields.push(row.into_iter().enumerate());
            }
            s.b.copy_from_slice(&[6.0, 6.0, 1.0]);
            s.solve();
            s.x
        };
        // as far as it is pulled: the smallest forces
        assert_near(&bears(5.0), &[2.0, 2.0, 1.0, 2.0]);
        for mu in [0.0, 0.2, 1.5] {
            assert_near(&bears(mu), &[3.0 - mu / 2.0, 3.0 - mu / 2.0, 1.0, mu]);
        }
    }

    /// Two points with loads 3 and 1 stick and hold 2 along their common tangent, with limits 1.2 and 0.8.
    #[test]
    fn friction_at_rest_goes_with_its_limits() {
        let kinds = [
            (Kind::Normal, true),
            (Kind::Normal, true),
            (Kind::Friction(0.4, 0), true),
            (Kind::Friction(0.8, 1), false),
        ];
        let mut s =
            Shares::new(kinds.into_iter().map(|(kind, independent)| sharer(kind, independent)));
        let rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
        for row in rows {
            s.acts.push(row.into_iter().enumerate());
            s.yields.push(row.into_iter().enumerate());
        }
        s.b.copy_from_slice(&[3.0, 1.0, 2.0]);
        s.solve();
        assert_near(&s.x, &[3.0, 1.0, 1.2, 0.8]);
    }
}
