//! Where bodies are: random states, and rigid motions of everything.

use super::{Lab, Rng};
use crate::{AxisPair, BodyKind};
use delassus_dae::{Problem, State};
use delassus_math::{Mat3, Quat, Vec3, frame_from_z};
use nalgebra::DVector;

/// How far a starting configuration keeps the constraint of the frames it is made for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pose {
    Free,
    /// Axes parallel.
    Aligned,
    /// Axes parallel and origins together.
    Pinned,
}

impl Lab {
    /// A random state; `pair` says what must be aligned or pinned.
    pub fn state(&self, rng: &mut Rng, pose: Pose, pair: Option<&AxisPair>) -> State {
        let d = self.sys.dims();
        let mut q = vec![0.0; d.nq];
        let xi = rng.vector(d.nv) * 2.0;
        self.sys.manifold().retract(&self.sys.given_configuration(), xi.as_slice(), &mut q);
        if let (true, Some(p)) = (pose != Pose::Free, pair) {
            self.fit(&mut q, p, pose, rng.next());
        }
        let t = rng.next();
        let mut z = self.sys.initial_z(t, &q);
        // what counts no turns is an integral, which may have any value
        for x in z.iter_mut().filter(|x| **x == 0.0) {
            *x = rng.next();
        }
        State { t, q, v: rng.vector(d.nv).as_slice().to_vec(), z }
    }

    /// Moves one of two bodies until the frames fit.
    fn fit(&self, q: &mut [f64], p: &AxisPair, pose: Pose, twist: f64) {
        let (fixed, moving, za, zb) = match p.b.body {
            Some(_) => (&p.a, &p.b, p.axis_a, p.axis_b),
            None => (&p.b, &p.a, p.axis_b, p.axis_a),
        };
        let at = |f: &crate::Frame| match f.body {
            Some(b) => (self.place(q, b.0), self.model().bodies[b.0].com),
            None => ((Vec3::zeros(), Mat3::identity()), Vec3::zeros()),
        };
        let ((x, r), com) = at(fixed);
        let target = x + r * (fixed.p - com);
        let ((_, mut r_m), com_m) = at(moving);
        let Some(body) = moving.body else { return };
        let k = self.first(body.0, BodyKind::nq);
        if self.model().bodies[body.0].kind == BodyKind::Rigid {
            let turn = Quat::from_axis_angle(&Vec3::z(), twist).matrix();
            let here = r * fixed.r * frame_from_z(&za) * turn;
            r_m = here * (moving.r * frame_from_z(&zb)).transpose();
            q[k + 3..k + 7].copy_from_slice(&Quat::from_matrix(&r_m).0);
        }
        if pose == Pose::Pinned {
            let x = target - r_m * (moving.p - com_m);
            let n = if self.model().bodies[body.0].kind.is_planar() { 2 } else { 3 };
            q[k..k + n].copy_from_slice(&x.as_slice()[..n]);
        }
    }

    /// First coordinate or velocity of a body.
    fn first(&self, body: usize, n: fn(BodyKind) -> usize) -> usize {
        self.model().bodies[..body].iter().map(|b| n(b.kind)).sum()
    }

    /// Mass centre and rotation of a body.
    pub fn place(&self, q: &[f64], body: usize) -> (Vec3, Mat3) {
        let q = &q[self.first(body, BodyKind::nq)..];
        match self.model().bodies[body].kind {
            BodyKind::Planar => {
                (Vec3::new(q[0], q[1], 0.0), Quat::from_axis_angle(&Vec3::z(), q[2]).matrix())
            }
            BodyKind::Rigid => (Vec3::new(q[0], q[1], q[2]), Quat::from_slice(&q[3..7]).matrix()),
            BodyKind::Point => (Vec3::new(q[0], q[1], q[2]), Mat3::identity()),
            BodyKind::PlanarPoint => (Vec3::new(q[0], q[1], 0.0), Mat3::identity()),
        }
    }

    /// The state after a rigid motion of everything: about z and in the plane for planar bodies.
    pub fn carried(&self, s: &State, turn: &Vec3, shift: &Vec3) -> State {
        let mut out = s.clone();
        let rot = Quat::exp(turn);
        let m = rot.matrix();
        for (i, b) in self.model().bodies.iter().enumerate() {
            let (iq, iv) = (self.first(i, BodyKind::nq), self.first(i, BodyKind::nv));
            let (x, _) = self.place(&s.q, i);
            let x = m * x + shift;
            let n = if b.kind.is_planar() { 2 } else { 3 };
            let mut v = Vec3::zeros();
            v.as_mut_slice()[..n].copy_from_slice(&s.v[iv..iv + n]);
            out.q[iq..iq + n].copy_from_slice(&x.as_slice()[..n]);
            out.v[iv..iv + n].copy_from_slice(&(m * v).as_slice()[..n]);
            if b.kind == BodyKind::Planar {
                out.q[iq + 2] += turn.z;
            } else {
                out.q[iq + 3..iq + 7]
                    .copy_from_slice(&rot.mul(&Quat::from_slice(&s.q[iq + 3..])).0);
            }
        }
        out
    }

    /// A rigid motion that the bodies can follow.
    pub fn rigid_motion(&self, rng: &mut Rng) -> (Vec3, Vec3) {
        let (turn, shift) = (rng.vec3(), rng.vec3());
        if self.model().bodies.iter().any(|b| b.kind.is_planar()) {
            (Vec3::z() * turn.z, Vec3::new(shift.x, shift.y, 0.0))
        } else {
            (turn, shift)
        }
    }

    /// Total force and total moment about the origin of a generalised force.
    pub fn resultant(&self, s: &State, f: &DVector<f64>) -> DVector<f64> {
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for (i, b) in self.model().bodies.iter().enumerate() {
            let f = &f.as_slice()[self.first(i, BodyKind::nv)..];
            let (x, r) = self.place(&s.q, i);
            let (lin, torque) = match b.kind {
                BodyKind::Planar => (Vec3::new(f[0], f[1], 0.0), Vec3::z() * f[2]),
                _ => (Vec3::new(f[0], f[1], f[2]), r * Vec3::new(f[3], f[4], f[5])),
            };
            force += lin;
            moment += x.cross(&lin) + torque;
        }
        DVector::from_iterator(6, force.iter().chain(moment.iter()).copied())
    }
}
