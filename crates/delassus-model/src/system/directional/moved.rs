//! A frame in motion, with what a variation of the state does to it.

use super::super::real::{Dual, Real, V};
use super::super::{System, Workspace};
use super::Along;
use delassus_math::{Mat3, Vec3};

/// A number with its change along the variation.
pub(super) type D = Dual<1>;

/// A number that changes by `dx`.
pub(super) fn number(x: f64, dx: f64) -> D {
    D { x, d: [dx] }
}

/// A vector that changes by `dx`.
pub(super) fn vector(x: &Vec3, dx: &Vec3) -> V<D> {
    V([number(x.x, dx.x), number(x.y, dx.y), number(x.z, dx.z)])
}

/// Length; that of a vector of length zero has no direction in which it changes.
pub(super) fn length(v: &V<D>) -> D {
    // far below the smallest length that has a direction, so that it changes no digit of others
    const NO_LENGTH: f64 = 1e-60;
    (v.dot(v) + NO_LENGTH).sqrt()
}

/// Motion of a frame, ground components.
pub(super) struct Moved {
    axes: Mat3,
    /// The rotation by which the variation turns it, rad.
    pub turned: Vec3,
    pub p: V<D>,
    pub v: V<D>,
    pub w: V<D>,
    /// Acceleration of the origin, and angular acceleration.
    pub acc: V<D>,
    pub spin_up: V<D>,
}

impl Moved {
    /// A direction that is fixed to the frame.
    pub fn direction(&self, local: &Vec3) -> V<D> {
        let u = self.axes * local;
        vector(&u, &self.turned.cross(&u))
    }

    /// How the variation moves its origin.
    pub fn shift(&self) -> Vec3 {
        self.p.changes()
    }
}

impl V<D> {
    /// How the variation changes it.
    pub(super) fn changes(&self) -> Vec3 {
        Vec3::new(self.0[0].d[0], self.0[1].d[0], self.0[2].d[0])
    }
}

impl System {
    /// A frame at the realised state; of a body in one piece, or of the ground.
    pub(super) fn moved(&self, ws: &Workspace, frame: usize, along: &Along<'_>) -> Moved {
        let zero = Vec3::zeros();
        let f = &ws.kin.frames[frame];
        let (mut shift, mut turned, mut dv, mut dw) = (zero, zero, zero, zero);
        let (mut acc, mut spin_up) = (f.bias, f.bias_w);
        let (mut dacc, mut dspin_up) = (zero, zero);
        if let Some(j) = self.jac(&ws.kin, frame) {
            for (k, i) in j.span().enumerate() {
                let ([lin, ang], [drift, drift_w]) = (j.column(k), j.drift(k));
                shift += lin * along.xi[i];
                turned += ang * along.xi[i];
                dv += lin * along.v[i] + drift * along.xi[i];
                dw += ang * along.v[i] + drift_w * along.xi[i];
                acc += lin * along.a_here[i];
                spin_up += ang * along.a_here[i];
                dacc += lin * along.a[i];
                dspin_up += ang * along.a[i];
            }
        }
        // a = a_c + α × r + ω × (ω × r), where α turns with the body as r does
        let (r, w) = (&f.arm, &f.w);
        let dr = turned.cross(r);
        let turning = turned.cross(&spin_up);
        dspin_up += turning;
        dacc += turning.cross(r) + spin_up.cross(&dr);
        dacc += dw.cross(&w.cross(r)) + w.cross(&(dw.cross(r) + w.cross(&dr)));
        Moved {
            axes: f.axes,
            turned,
            p: vector(&f.p, &shift),
            v: vector(&f.v, &dv),
            w: vector(w, &dw),
            acc: vector(&acc, &dacc),
            spin_up: vector(&spin_up, &dspin_up),
        }
    }
}

/// A vector and its first two time derivatives.
pub(super) type Course = [V<D>; 3];

/// A direction fixed to a frame.
pub(super) fn fixed(frame: &Moved, local: &Vec3) -> Course {
    let n = frame.direction(local);
    let rate = frame.w.cross(&n);
    let second = frame.spin_up.cross(&n).plus(&frame.w.cross(&rate));
    [n, rate, second]
}

/// From the origin of one frame to that of the other.
pub(super) fn between(a: &Moved, b: &Moved) -> Course {
    [b.p.minus(&a.p), b.v.minus(&a.v), b.acc.minus(&a.acc)]
}

/// A product of two vectors with its first two time derivatives.
pub(super) fn product(x: &Course, y: &Course) -> [D; 3] {
    let value = x[0].dot(&y[0]);
    let rate = x[1].dot(&y[0]) + x[0].dot(&y[1]);
    let second = x[2].dot(&y[0]) + x[1].dot(&y[1]) * 2.0 + x[0].dot(&y[2]);
    [value, rate, second]
}
