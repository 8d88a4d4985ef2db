//! The steady motion next to a state whose velocities are those of one already.
//!
//! A beam on a hub that turns, a governor, a rotor: everything keeps its place in axes that turn with ω_f, but the state that a
//! model starts from is seldom stretched and bent as the centrifugal forces want it. Sought is the configuration where
//!
//! ```text
//! M B v − f(q, v, z, t) − Gᵀλ = 0      g(q, t) = 0
//! ```
//!
//! with velocities that belong to the configuration: v moves on with ω_f × (what the points moved), rotations keep what they
//! turn against the axes. By the equations next to a motion (`linearise.rs`) with δ̇ = 0 and ẇ = 0, Newton's method is
//!
//! ```text
//! (K + (C + M B) N) δ − Gᵀδλ = M (a − B v)      G δ = 0
//! ```
//!
//! with the accelerations a and multipliers of the state at hand, followed by a correction onto the rows. An answer counts if
//! the rows allow the accelerations B v too and the equations stay the same a little later (`steady.rs`). The accelerations
//! themselves are not looked at: those of a stiff system are what rounding of its positions makes them.

use super::linearise::{LinearError, linearise};
use super::matrices::Sparse;
use super::steady::{LATER, MovingAxes, rates_of_axes, rotated, stays};
use crate::accel::Accel;
use crate::problem::{Problem, at};
use crate::state::{Derived, State};
use delassus_linalg::{Backend, TangentKkt};
use delassus_math::{Quat, Vec3, largest};

/// Steps of Newton's method at most.
const MOST_STEPS: usize = 60;
/// Largest step, in sizes of the coordinates.
const REACH: f64 = 0.3;
/// Step at which it has converged, and steps after that which gain the last digits.
const CONVERGED: f64 = 1e-9;
const POLISH: usize = 2;
/// Step that may be rounding where it falls no more: of stiff chains that is more than [`CONVERGED`].
const ROUNDING: f64 = 1e-5;
/// Corrections onto the rows after a step: two are quadratic enough for the last digits.
const CORRECTIONS: usize = 2;

/// Accelerations that rows leave over, relative to those of the motion, that are rounding.
const ALLOWED: f64 = 1e-8;

/// The steady motion with velocities like those of `start`, and the axes in which it is one; `None` where none is found, or
/// nothing moves. Auxiliary states stay as they are.
pub fn steady_motion<P: Problem>(
    p: &P,
    start: &State,
) -> Result<Option<(State, MovingAxes)>, LinearError> {
    let mut search = Search::new(p)?;
    let derived = search.derived(start)?;
    for omega in rates_of_axes(p, start, &derived.a) {
        // what fails in some axes may do in others
        let Ok(Some(found)) = search.find(start, omega) else { continue };
        if let Ok(Some(axes)) = search.is_steady(&found, omega) {
            return Ok(Some((found, axes)));
        }
    }
    Ok(None)
}

struct Search<'p, P: Problem> {
    p: &'p P,
    ws: P::Ws,
    acc: Accel,
    scale: Vec<f64>,
}

impl<'p, P: Problem> Search<'p, P> {
    fn new(p: &'p P) -> Result<Search<'p, P>, LinearError> {
        Ok(Search { p, ws: p.workspace(), acc: Accel::min_norm(p)?, scale: p.scales().q })
    }

    fn derived(&mut self, s: &State) -> Result<Derived, LinearError> {
        let d = self.p.dims();
        let mut out = Derived::zeros(d.nv, d.n_vel, d.nz);
        let Derived { a, lambda, zdot } = &mut out;
        self.acc.eval(self.p, &mut self.ws, s.t, &s.q, &s.v, &s.z, a, lambda, zdot)?;
        Ok(out)
    }

    /// Newton's method in axes that turn with this rate.
    fn find(&mut self, start: &State, omega: Vec3) -> Result<Option<State>, LinearError> {
        let mut s = start.clone();
        let (mut polish, mut previous) = (0, f64::INFINITY);
        for _ in 0..MOST_STEPS {
            let Some(axes) = MovingAxes::turning(self.p, &s, omega)? else { return Ok(None) };
            let mut delta = self.step(&s, axes)?;
            let size = largest(delta.iter().zip(&self.scale).map(|(d, s)| d.abs() / s));
            if !size.is_finite() {
                return Ok(None);
            }
            if size > REACH {
                delta.iter_mut().for_each(|d| *d *= REACH / size);
            }
            self.carry(&mut s, &delta, omega);
            for _ in 0..CORRECTIONS {
                let back = self.correction(&s)?;
                self.carry(&mut s, &back, omega);
            }
            if size <= CONVERGED || size <= ROUNDING && size >= 0.5 * previous {
                polish += 1;
                if polish == POLISH {
                    return Ok(Some(s));
                }
            }
            previous = size;
        }
        Ok(None)
    }

    /// The axes if the motion is steady in those that turn with this rate.
    fn is_steady(&mut self, s: &State, omega: Vec3) -> Result<Option<MovingAxes>, LinearError> {
        let rate = largest(s.v.iter().zip(&self.scale).map(|(v, s)| v.abs() / s));
        let Some(axes) = MovingAxes::turning(self.p, s, omega)? else { return Ok(None) };
        if !(rate > 0.0) {
            return Ok(None);
        }
        let structure = self.p.structure();
        let e = at(self.p, &mut self.ws, s.t, &s.q, &s.z).velocity(&s.v, &s.z);
        let mut jac = vec![0.0; structure.jac.nnz()];
        e.jacobian(&mut jac);
        let mut left = vec![0.0; self.p.dims().n_vel];
        e.bias(&mut left);
        structure.jac.mul_add(&jac, 1.0, &axes.b.mul(&s.v), &mut left);
        let rows = self.p.scales().row;
        let left = largest(left.iter().zip(&rows).map(|(x, s)| x.abs() / s));
        if left > ALLOWED * rate * rate {
            return Ok(None);
        }
        let mut derived = self.derived(s)?;
        derived.a = axes.b.mul(&s.v);
        Ok(stays(self.p, s, &derived, omega, LATER / rate)?.then_some(axes))
    }

    /// δ of one step.
    fn step(&mut self, s: &State, axes: MovingAxes) -> Result<Vec<f64>, LinearError> {
        let derived = self.derived(s)?;
        let steady = axes.b.mul(&s.v);
        let l = linearise(self.p, s, &steady, &derived.lambda, axes)?;
        let n = l.nv();
        let mut speed: Vec<_> = l.damping.entries().collect();
        speed.extend(l.mass.times(&l.axes.b)?.entries());
        let speed = Sparse::from_entries(n, n, &speed)?;
        let mut k: Vec<_> = l.stiffness.entries().collect();
        k.extend(speed.times(&l.axes.n)?.entries());
        k.extend((0..n).map(|i| (i, i, 0.0)));
        let k = Sparse::from_entries(n, n, &k)?;
        let mut kkt = TangentKkt::new(k.pattern, l.rows.pattern.clone(), Backend::Sparse)?;
        kkt.factor(&k.values, &l.rows.values, &l.rows.values)?;
        let left: Vec<f64> = derived.a.iter().zip(&steady).map(|(a, b)| a - b).collect();
        let rows = l.rows.pattern.nrows;
        let (mut delta, mut lambda) = (vec![0.0; n], vec![0.0; rows]);
        kkt.solve(&l.mass.mul(&left), &vec![0.0; rows], &mut delta, &mut lambda)?;
        Ok(delta)
    }

    /// Smallest way back onto the position rows.
    fn correction(&mut self, s: &State) -> Result<Vec<f64>, LinearError> {
        let d = self.p.dims();
        self.p.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        self.acc.factor_realized(self.p, &self.ws)?;
        let mut g = vec![0.0; d.n_vel];
        self.p.residual_pos(&self.ws, &mut g[..d.n_pos]);
        g.iter_mut().for_each(|g| *g = -*g);
        let mut xi = vec![0.0; d.nv];
        self.acc.correct(&g, &mut xi)?;
        Ok(xi)
    }

    /// Moves the configuration by δ, and the velocities with it.
    fn carry(&self, s: &mut State, delta: &[f64], omega: Vec3) {
        let p = self.p;
        let from = s.q.clone();
        p.manifold().retract(&from, delta, &mut s.q);
        for vector in p.ground_vectors() {
            let moved = Vec3::from(vector.map(|k| k.map_or(0.0, |k| delta[k])));
            for (k, more) in vector.iter().zip(omega.cross(&moved).iter()) {
                if let Some(k) = k {
                    s.v[*k] += more;
                }
            }
        }
        for (iq, iv) in p.manifold().rotations() {
            let own = |q: &[f64]| rotated(&Quat::from_slice(&q[iq..]).conj(), &omega);
            let more = own(&s.q) - own(&from);
            for i in 0..3 {
                s.v[iv + i] += more[i];
            }
        }
    }
}
