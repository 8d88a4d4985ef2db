//! Axes in which a motion is steady: those of the ground, or axes that turn at a constant rate.
//!
//! Next to a motion the equations have constant coefficients only if they are written in the right axes. A rotor whose bearings
//! stand still is steady in the axes of the ground, a governor in axes that turn with its shaft, a free body that spins about a
//! principal axis in its own. Axes that turn with ω_f take vectors v to S v with
//!
//! ```text
//! ground vectors  S = exp(−ω_f τ)        rotations (body components)  S = exp((Ω − Rᵀω_f) τ)
//! ```
//!
//! and a motion is steady in them where S v is constant and all matrices, turned by S, are the same a little later. Both are
//! looked at, not assumed. N and B of `linearise.rs` are Ṡᵀ, and for rotations the bracket with Ω beside it.

use super::matrices::Sparse;
use crate::accel::Accel;
use crate::failure::StepFailure;
use crate::problem::{Problem, StateSlopes, at, mass_mul_add};
use crate::state::{Derived, State};
use delassus_linalg::KktError;
use delassus_math::{Quat, Vec3, so3};

/// Part of the largest rate, squared, up to which accelerations count as steady: what a state from a run is off by.
const STEADY: f64 = 1e-5;
/// Part of a size by which positions, and so the ends of springs, are off by rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Part of the largest response by which matrices may differ a little later.
const SAME: f64 = 1e-5;
/// How far a motion goes until it is looked at again, in radians or sizes of the coordinates.
pub(super) const LATER: f64 = 0.7;
/// Rates of axes that are tried.
const MOST_AXES: usize = 8;

/// What axes that turn add to the equations: δ̇ = w − N δ, and ẇ + B w in place of ẇ.
#[derive(Debug, Clone)]
pub struct MovingAxes {
    /// N.
    pub n: Sparse,
    /// B.
    pub b: Sparse,
    /// Their rate ω_f, ground components, rad/s.
    pub rate: [f64; 3],
}

/// Whether a motion is steady.
#[derive(Debug, Clone)]
pub enum Steadiness {
    /// Nothing moves, and nothing is about to.
    Rest(MovingAxes),
    /// Steady in these axes.
    Steady(MovingAxes),
    /// It changes: velocity that changes fastest, and by how much in its unit per second. The axes are those of the ground.
    Changing(MovingAxes, usize, f64),
}

impl Steadiness {
    /// The axes.
    pub fn axes(&self) -> &MovingAxes {
        match self {
            Steadiness::Rest(x) | Steadiness::Steady(x) | Steadiness::Changing(x, ..) => x,
        }
    }
}

impl MovingAxes {
    /// Axes of the ground where nothing moves.
    pub fn at_rest(nv: usize) -> MovingAxes {
        MovingAxes { n: Sparse::zero(nv, nv), b: Sparse::zero(nv, nv), rate: [0.0; 3] }
    }

    /// Axes that turn with ω_f at a state; `None` where vectors in the plane cannot follow.
    pub(super) fn turning<P: Problem>(
        p: &P,
        s: &State,
        rate: Vec3,
    ) -> Result<Option<MovingAxes>, KktError> {
        let nv = p.dims().nv;
        let (mut n, mut b) = (Vec::new(), Vec::new());
        let hat = so3::hat(&rate);
        for vector in p.ground_vectors() {
            for (i, a) in vector.iter().enumerate() {
                for (j, c) in vector.iter().enumerate() {
                    let x = hat[(i, j)];
                    match (a, c) {
                        _ if x == 0.0 => {}
                        (Some(a), Some(c)) => {
                            n.push((*a, *c, x));
                            b.push((*a, *c, x));
                        }
                        (None, None) => {}
                        _ => return Ok(None),
                    }
                }
            }
        }
        for (iq, iv) in p.manifold().rotations() {
            let own = rotated(&Quat::from_slice(&s.q[iq..]).conj(), &rate);
            let spin = Vec3::new(s.v[iv], s.v[iv + 1], s.v[iv + 2]);
            let (hn, hb) = (so3::hat(&own), so3::hat(&(own - spin)));
            for i in 0..3 {
                for j in 0..3 {
                    n.push((iv + i, iv + j, hn[(i, j)]));
                    b.push((iv + i, iv + j, hb[(i, j)]));
                }
            }
        }
        let [n, b] = [n, b].map(|mut list: Vec<(usize, usize, f64)>| {
            list.retain(|e| e.2 != 0.0);
            Sparse::from_entries(nv, nv, &list)
        });
        Ok(Some(MovingAxes { n: n?, b: b?, rate: [rate.x, rate.y, rate.z] }))
    }
}

/// Where a steady motion is after the time τ, and vectors there in the axes of the start.
struct Ahead<'a, P: Problem> {
    p: &'a P,
    s: &'a State,
    rate: Vec3,
    tau: f64,
}

impl<P: Problem> Ahead<'_, P> {
    fn state(&self, zdot: &[f64]) -> State {
        let (p, s, tau) = (self.p, self.s, self.tau);
        let mut xi: Vec<f64> = s.v.iter().map(|v| v * tau).collect();
        for vector in p.ground_vectors() {
            let v = Vec3::from(vector.map(|k| k.map_or(0.0, |k| s.v[k])));
            let moved = travel(&(self.rate * tau), &v) * tau;
            for (k, x) in vector.iter().zip(moved.iter()) {
                if let Some(k) = k {
                    xi[*k] = *x;
                }
            }
        }
        let mut to = s.clone();
        p.manifold().retract(&s.q, &xi, &mut to.q);
        for (iq, iv) in p.manifold().rotations() {
            let from = Quat::from_slice(&s.q[iq..]);
            let spin = rotated(&from, &Vec3::new(s.v[iv], s.v[iv + 1], s.v[iv + 2]));
            let own = Quat::exp(&((spin - self.rate) * tau)).mul(&from);
            let turned = Quat::exp(&(self.rate * tau)).mul(&own).normalized();
            to.q[iq..iq + 4].copy_from_slice(&turned.0);
        }
        to.t += tau;
        for (z, zd) in to.z.iter_mut().zip(zdot) {
            *z += zd * tau;
        }
        self.turn(&s.v, &mut to.v, false);
        to
    }

    /// out = S x, or Sᵀ x.
    fn turn(&self, x: &[f64], out: &mut [f64], forth: bool) {
        out.copy_from_slice(x);
        let sign = if forth { 1.0 } else { -1.0 };
        let by = |at: [Option<usize>; 3], phi: Vec3, out: &mut [f64]| {
            let v = Vec3::from(at.map(|k| k.map_or(0.0, |k| x[k])));
            let turned = rotated(&Quat::exp(&(phi * sign)), &v);
            for (k, y) in at.iter().zip(turned.iter()) {
                if let Some(k) = k {
                    out[*k] = *y;
                }
            }
        };
        for vector in self.p.ground_vectors() {
            by(vector, -self.rate * self.tau, out);
        }
        for (iq, iv) in self.p.manifold().rotations() {
            let own = rotated(&Quat::from_slice(&self.s.q[iq..]).conj(), &self.rate);
            let spin = Vec3::new(self.s.v[iv], self.s.v[iv + 1], self.s.v[iv + 2]);
            by([Some(iv), Some(iv + 1), Some(iv + 2)], (spin - own) * self.tau, out);
        }
    }
}

pub(super) fn rotated(q: &Quat, v: &Vec3) -> Vec3 {
    q.matrix() * v
}

/// Mean of exp(φ x) v for x from 0 to 1.
fn travel(phi: &Vec3, v: &Vec3) -> Vec3 {
    let angle = phi.norm();
    let (a, b) = if angle < 1e-4 {
        (0.5 - angle * angle / 24.0, 1.0 / 6.0 - angle * angle / 120.0)
    } else {
        let square = angle * angle;
        ((1.0 - angle.cos()) / square, (angle - angle.sin()) / (square * angle))
    };
    let once = phi.cross(v);
    v + once * a + phi.cross(&once) * b
}

/// Whether a motion is steady, and in which axes. `derived` are its accelerations and multipliers.
pub fn steadiness<P: Problem>(
    p: &P,
    s: &State,
    derived: &Derived,
) -> Result<Steadiness, StepFailure> {
    let d = p.dims();
    let scale = p.scales().q;
    let relative =
        |x: &[f64]| delassus_math::largest(x.iter().zip(&scale).map(|(x, s)| x.abs() / s));
    let rate = relative(&s.v);
    let fastest = |x: &[f64]| {
        let size = |i: &usize| x[*i].abs() / scale[*i];
        (0..d.nv).max_by(|i, j| size(i).total_cmp(&size(j))).unwrap_or(0)
    };
    if !(rate > 0.0) {
        let axes = MovingAxes::at_rest(d.nv);
        let typical = relative(&separate_accelerations(p, s, derived));
        let most = (STEADY * typical).max(ROUNDING * stiffest(p, s, derived));
        return Ok(if relative(&derived.a) <= most {
            Steadiness::Rest(axes)
        } else {
            let i = fastest(&derived.a);
            Steadiness::Changing(axes, i, derived.a[i])
        });
    }
    let mut ground = None;
    for omega in rates_of_axes(p, s, &derived.a) {
        let Some(axes) = MovingAxes::turning(p, s, omega)? else { continue };
        if ground.is_none() {
            ground = Some(axes.clone());
        }
        let steady = axes.b.mul(&s.v);
        let off: Vec<f64> = derived.a.iter().zip(&steady).map(|(a, b)| a - b).collect();
        if relative(&off) <= STEADY * rate * rate && stays(p, s, derived, omega, LATER / rate)? {
            return Ok(Steadiness::Steady(axes));
        }
    }
    let axes = ground.unwrap_or_else(|| MovingAxes::at_rest(d.nv));
    let steady = axes.b.mul(&s.v);
    let off: Vec<f64> = derived.a.iter().zip(&steady).map(|(a, b)| a - b).collect();
    let i = fastest(&off);
    Ok(Steadiness::Changing(axes, i, off[i]))
}

/// Largest stiffness over mass of a coordinate alone, 1/s².
fn stiffest<P: Problem>(p: &P, s: &State, derived: &Derived) -> f64 {
    let structure = p.structure();
    let mut ws = p.workspace();
    let e = at(p, &mut ws, s.t, &s.q, &s.z).velocity(&s.v, &s.z);
    let mut k = vec![0.0; structure.tangent.nnz()];
    e.tangent(&derived.a, &derived.lambda, 1.0, 0.0, &mut k);
    let mut mass = vec![0.0; structure.mass.value_len()];
    e.mass(&mut mass);
    let each = structure.mass.diagonal(&mass).enumerate().map(|(i, m)| {
        let own = structure.tangent.slot(i, i).map_or(0.0, |slot| k[slot].abs());
        if m > 0.0 { own / m } else { 0.0 }
    });
    delassus_math::largest(each)
}

/// Accelerations that forces and reactions would give each coordinate alone: what balances at rest.
fn separate_accelerations<P: Problem>(p: &P, s: &State, derived: &Derived) -> Vec<f64> {
    let structure = p.structure();
    let mut ws = p.workspace();
    let e = at(p, &mut ws, s.t, &s.q, &s.z).velocity(&s.v, &s.z);
    let mut f = vec![0.0; p.dims().nv];
    e.force(&mut f);
    let mut mass = vec![0.0; structure.mass.value_len()];
    e.mass(&mut mass);
    let mut jac = vec![0.0; structure.jac.nnz()];
    e.jacobian(&mut jac);
    let mut reaction = vec![0.0; f.len()];
    structure.jac.mul_t_add(&jac, 1.0, &derived.lambda, &mut reaction);
    let each = structure.mass.diagonal(&mass).zip(f.iter().zip(&reaction));
    each.map(|(m, (f, r))| if m > 0.0 { f.abs().max(r.abs()) / m } else { 0.0 }).collect()
}

/// Rates of axes to try: none, then those of bodies and of points that go in circles, the most frequent first.
pub(super) fn rates_of_axes<P: Problem>(p: &P, s: &State, a: &[f64]) -> Vec<Vec3> {
    let mut found: Vec<(Vec3, usize)> = Vec::new();
    let mut add = |w: Vec3| {
        let near = |(other, _): &&mut (Vec3, usize)| (*other - w).norm() <= 1e-7 * w.norm();
        match found.iter_mut().find(near) {
            Some((_, count)) => *count += 1,
            None if w.norm() > 0.0 => found.push((w, 1)),
            None => {}
        }
    };
    let mut is_vector = vec![false; p.dims().nv];
    for k in p.ground_vectors().iter().flatten().flatten() {
        is_vector[*k] = true;
    }
    for (iq, iv) in p.manifold().rotations() {
        is_vector[iv..iv + 3].fill(true);
        let spin = Vec3::new(s.v[iv], s.v[iv + 1], s.v[iv + 2]);
        add(rotated(&Quat::from_slice(&s.q[iq..]), &spin));
    }
    // a circle: the acceleration is across the velocity
    for vector in p.ground_vectors() {
        let of = |x: &[f64]| Vec3::from(vector.map(|k| k.map_or(0.0, |k| x[k])));
        let (v, a) = (of(&s.v), of(a));
        if v.norm_squared() > 0.0 && v.dot(&a).abs() <= 1e-6 * v.norm() * a.norm() {
            add(v.cross(&a) / v.norm_squared());
        }
    }
    // in the plane, an angle about z
    if p.ground_vectors().iter().any(|v| v[2].is_none()) {
        for (v, _) in s.v.iter().zip(&is_vector).filter(|(_, taken)| !**taken) {
            add(Vec3::new(0.0, 0.0, *v));
        }
    }
    found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    found.truncate(MOST_AXES);
    std::iter::once(Vec3::zeros()).chain(found.into_iter().map(|(w, _)| w)).collect()
}

/// Whether the equations next to the motion are the same a little later, in axes that turn with this rate. What is compared
/// is what the system makes of forces that belong to some variations: rows may turn in themselves.
pub(super) fn stays<P: Problem>(
    p: &P,
    s: &State,
    derived: &Derived,
    rate: Vec3,
    tau: f64,
) -> Result<bool, StepFailure> {
    let d = p.dims();
    let here = Ahead { p, s, rate, tau: 0.0 };
    let there = Ahead { p, s, rate, tau };
    // integrals of controllers must rest
    let mut ws = p.workspace();
    p.realize_position(s.t, &s.q, &s.z, &mut ws);
    p.realize_velocity(&s.v, &s.z, &mut ws);
    let mut slopes = StateSlopes::default();
    p.state_slopes(&ws, &mut slopes);
    let live = |k: usize| slopes.force_by_z.iter().any(|e| e.1 == k && e.2 != 0.0);
    let size = p.scales().z;
    if (0..d.nz).any(|k| live(k) && derived.zdot[k].abs() * tau > SAME * size[k].max(s.z[k].abs()))
    {
        return Ok(false);
    }
    let scale = p.scales().q;
    let probe: Vec<f64> = (0..d.nv).map(|i| scale[i] * (1.0 + 0.37 * i as f64).sin()).collect();
    let a = response(&here, s, derived, &probe)?;
    let later = there.state(&derived.zdot);
    let mut acc = Accel::min_norm(p)?;
    let mut then = derived.clone();
    let Derived { a: acceleration, lambda, zdot } = &mut then;
    acc.eval(p, &mut ws, later.t, &later.q, &later.v, &later.z, acceleration, lambda, zdot)?;
    let b = response(&there, &later, &then, &probe)?;
    Ok(a.iter().zip(&b).all(|(a, b)| {
        let scaled =
            |x: &[f64]| x.iter().zip(&scale).map(|(x, s)| (x / s).abs()).collect::<Vec<_>>();
        let most = delassus_math::largest(scaled(a).into_iter().chain(scaled(b)));
        let off: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        delassus_math::largest(scaled(&off)) <= SAME * most || most == 0.0
    }))
}

/// A variation as the rows allow it, and the accelerations that K and C of it make, in the axes of the start.
fn response<P: Problem>(
    at_time: &Ahead<'_, P>,
    s: &State,
    derived: &Derived,
    probe: &[f64],
) -> Result<[Vec<f64>; 3], StepFailure> {
    let p = at_time.p;
    let (d, structure) = (p.dims(), p.structure());
    let mut ws = p.workspace();
    let mut acc = Accel::new(p)?;
    let e = at(p, &mut ws, s.t, &s.q, &s.z).velocity(&s.v, &s.z);
    let mut mass = vec![0.0; structure.mass.value_len()];
    e.mass(&mut mass);
    let tangents = [(1.0, 0.0), (0.0, 1.0)].map(|(ck, cc)| {
        let mut values = vec![0.0; structure.tangent.nnz()];
        e.tangent(&derived.a, &derived.lambda, ck, cc, &mut values);
        values
    });
    acc.factor_at(p, &mut ws, s.t, &s.q, &s.z)?;
    let (mut x, mut lambda) = (vec![0.0; d.nv], vec![0.0; d.n_vel]);
    at_time.turn(probe, &mut x, false);
    let mut force = vec![0.0; d.nv];
    mass_mul_add(&structure.mass, &mass, &x, &mut force);
    let mut allowed = vec![0.0; d.nv];
    acc.respond(&force, &mut allowed, &mut lambda)?;
    let mut out = [vec![0.0; d.nv], vec![0.0; d.nv], vec![0.0; d.nv]];
    at_time.turn(&allowed, &mut out[0], true);
    for (values, out) in tangents.iter().zip(&mut out[1..]) {
        force.fill(0.0);
        structure.tangent.mul_add(values, -1.0, &allowed, &mut force);
        acc.respond(&force, &mut x, &mut lambda)?;
        at_time.turn(&x, out, true);
    }
    Ok(out)
}
