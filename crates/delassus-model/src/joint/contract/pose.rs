//! Poses of bodies: random states, and rigid motions of the whole.

use super::{Lab, Rng};
use crate::{AxisPair, Body, Pose as Place};
use delassus_dae::{Problem, State};
use delassus_math::{Mat3, Quat, Vec3, frame_from_z};
use nalgebra::DVector;

/// How far an initial configuration satisfies the constraint of the frames for which it is made.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pose {
    Free,
    /// Axes parallel.
    Aligned,
    /// Axes parallel and origins together.
    Pinned,
}

impl Lab {
    /// A random state; `pair` is what must be aligned or pinned.
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
        // states that do not count turns are integrals, which may have any value
        for x in z.iter_mut().filter(|x| **x == 0.0) {
            *x = rng.next();
        }
        State { t, q, v: rng.vector(d.nv).as_slice().to_vec(), z }
    }

    /// Moves one of two bodies until the frames match.
    fn fit(&self, q: &mut [f64], p: &AxisPair, pose: Pose, twist: f64) {
        let (fixed, moving, za, zb) = match p.b.body {
            Some(_) => (&p.a, &p.b, p.axis_a, p.axis_b),
            None => (&p.b, &p.a, p.axis_b, p.axis_a),
        };
        let target = self.sys.loose(q, fixed);
        let Some(body) = moving.body else { return };
        let mut place = self.place(q, body.0);
        if self.model().bodies[body.0].kind.rotation().len() == 3 {
            let turn = Quat::from_axis_angle(&Vec3::z(), twist).matrix();
            let here = target.axes * fixed.r * frame_from_z(&za) * turn;
            // how its frame is turned relative to the body, which may deform
            let turned = self.rotation(q, body.0).transpose() * self.sys.loose(q, moving).axes;
            let there = turned * moving.r * frame_from_z(&zb);
            place.r = Quat::from_matrix(&(here * there.transpose()));
            self.sys.put(q, body.0, &place);
        }
        if pose == Pose::Pinned {
            place.p += target.p - self.sys.loose(q, moving).p;
            self.sys.put(q, body.0, &place);
        }
    }

    /// First coordinate or velocity of a body.
    fn first(&self, body: usize, n: fn(&Body) -> usize) -> usize {
        self.model().bodies[..body].iter().map(n).sum()
    }

    /// Place of the mass centre of a body.
    pub fn place(&self, q: &[f64], body: usize) -> Place {
        let b = &self.model().bodies[body];
        let place = b.pose(&q[self.first(body, Body::nq)..]);
        Place { p: place.p + self.rotation(q, body) * b.com, ..place }
    }

    /// Body components to ground components.
    pub fn rotation(&self, q: &[f64], body: usize) -> Mat3 {
        self.place_of_frame(q, body).axes
    }

    fn place_of_frame(&self, q: &[f64], body: usize) -> crate::system::body::FrameKin {
        let (p, r) = (self.model().bodies[body].com, Mat3::identity());
        let frame =
            crate::Frame { body: Some(crate::BodyId(body)), node: None, p, r, name: String::new() };
        self.sys.loose(q, &frame)
    }

    /// The state after a rigid motion of the whole: about z and in the plane for planar bodies.
    pub fn carried(&self, s: &State, turn: &Vec3, shift: &Vec3) -> State {
        let mut out = s.clone();
        let rot = Quat::exp(turn);
        let m = rot.matrix();
        for (i, b) in self.model().bodies.iter().enumerate() {
            let place = self.place(&s.q, i);
            let p = m * place.p + shift;
            let place = Place { p, r: rot.mul(&place.r), angle: place.angle + turn.z };
            self.sys.put(&mut out.q, i, &place);
            let (iv, n) = (self.first(i, Body::nv), b.kind.rotation().start);
            let mut v = Vec3::zeros();
            v.as_mut_slice()[..n].copy_from_slice(&s.v[iv..iv + n]);
            out.v[iv..iv + n].copy_from_slice(&(m * v).as_slice()[..n]);
        }
        out
    }

    /// Velocities of all bodies that move together as one.
    pub fn carry(&self, s: &mut State, turn: &Vec3, shift: &Vec3) {
        s.v.fill(0.0);
        for (i, b) in self.model().bodies.iter().enumerate() {
            let v = shift + turn.cross(&self.place(&s.q, i).p);
            let w = self.rotation(&s.q, i).transpose() * turn;
            let (own, turning) = (&mut s.v[self.first(i, Body::nv)..], b.kind.rotation());
            own[..turning.start].copy_from_slice(&v.as_slice()[..turning.start]);
            let w = if turning.len() == 1 { &w.as_slice()[2..] } else { w.as_slice() };
            own[turning.clone()].copy_from_slice(&w[..turning.len()]);
        }
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
            let (f, turning) = (&f.as_slice()[self.first(i, Body::nv)..], b.kind.rotation());
            let (mut lin, mut torque) = (Vec3::zeros(), Vec3::zeros());
            lin.as_mut_slice()[..turning.start].copy_from_slice(&f[..turning.start]);
            let last = 3 - turning.len();
            torque.as_mut_slice()[last..].copy_from_slice(&f[turning]);
            force += lin;
            moment += self.place(&s.q, i).p.cross(&lin) + self.rotation(&s.q, i) * torque;
        }
        DVector::from_iterator(6, force.iter().chain(moment.iter()).copied())
    }
}
