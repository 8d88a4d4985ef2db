//! K and C: derivatives of r = M a − f − Gᵀλ with respect to ξ and v.
//!
//! Elements give second derivatives in frame space; this file does the chain rule once, with
//! three parts for each frame: the change of the wrench (Hessian between the columns of J),
//! the change of J under a fixed wrench ([`geometric`]), and the change of the twist under
//! fixed v ([`drift`]) for forces that depend on rates. Forces that read sensors depend on further
//! bodies (`sensitivity.rs`), which makes K and C unsymmetric.

use super::force::{Applied, Bushing, Law};
use super::kin::{BodyKin, Columns, FrameKin, drift, geometric, jacobian, pull};
use super::scalar::{Gradient, Hessian, Pair};
use super::sensitivity::{Spread, along, rate_by_pose};
use super::{System, Workspace};
use crate::{BodyKind, Control};
use delassus_dae::Quality;
use delassus_linalg::Csr;
use delassus_math::{Mat3, Vec3, so3};

/// Slots of the tangent pattern by body pair: for body i, a short list of (j, first slot of
/// each row of block (i, j)).
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockSlots(Vec<Vec<(usize, [usize; 6])>>);

impl BlockSlots {
    /// Finds the slots of all blocks whose corner is in the pattern.
    pub fn new(pattern: &Csr, iv: &[(usize, usize)]) -> BlockSlots {
        let mut owner = vec![0; pattern.ncols];
        for (k, &(at, n)) in iv.iter().enumerate() {
            owner[at..at + n].fill(k);
        }
        let mut out = vec![Vec::new(); iv.len()];
        for (i, &(at, n)) in iv.iter().enumerate() {
            let mut last = usize::MAX;
            for &col in pattern.row(at) {
                let j = owner[col];
                if j == last {
                    continue;
                }
                last = j;
                let mut base = [usize::MAX; 6];
                for (r, b) in base.iter_mut().enumerate().take(n) {
                    *b = pattern.slot(at + r, iv[j].0).unwrap_or(usize::MAX);
                }
                out[i].push((j, base));
            }
        }
        BlockSlots(out)
    }

    #[inline]
    fn get(&self, i: usize, j: usize) -> Option<&[usize; 6]> {
        self.0[i].iter().find(|(k, _)| *k == j).map(|(_, b)| b)
    }
}

/// Bodies and Jacobians of the two frames of an element.
struct PairJac {
    body: [Option<usize>; 2],
    j: [Columns; 2],
}

impl System {
    fn pair_jac(&self, ws: &Workspace, a: usize, b: usize) -> PairJac {
        let one = |f: usize| match self.frames[f].body {
            Some(i) => jacobian(self.bodies[i].kind, &ws.bodies[i].r_wb, &ws.frames[f].r),
            None => [[Vec3::zeros(); 2]; 6],
        };
        PairJac { body: [self.frames[a].body, self.frames[b].body], j: [one(a), one(b)] }
    }

    fn n(&self, body: usize) -> usize {
        self.bodies[body].kind.nv()
    }

    /// values += c JᵀTJ.
    fn add_hessian(&self, values: &mut [f64], p: &PairJac, t: &Hessian, c: f64) {
        for y in 0..2 {
            let Some(by) = p.body[y] else { continue };
            for jy in 0..self.n(by) {
                let [lin, ang] = p.j[y][jy];
                for x in 0..2 {
                    let Some(bx) = p.body[x] else { continue };
                    let wl = t[2 * x][2 * y] * lin + t[2 * x][2 * y + 1] * ang;
                    let wa = t[2 * x + 1][2 * y] * lin + t[2 * x + 1][2 * y + 1] * ang;
                    let Some(base) = self.blocks.get(bx, by) else { continue };
                    for ix in 0..self.n(bx) {
                        let [l, a] = p.j[x][ix];
                        values[base[ix] + jy] += c * (l.dot(&wl) + a.dot(&wa));
                    }
                }
            }
        }
    }

    /// values += c row ⊗ col.
    fn add_outer(&self, values: &mut [f64], row: &Spread, col: &Spread, c: f64) {
        if c == 0.0 {
            return;
        }
        for x in 0..2 {
            let Some(bx) = row.body[x] else { continue };
            for y in 0..2 {
                let Some(by) = col.body[y] else { continue };
                let Some(base) = self.blocks.get(bx, by) else { continue };
                for ix in 0..self.n(bx) {
                    for jy in 0..self.n(by) {
                        values[base[ix] + jy] += c * row.x[x][ix] * col.x[y][jy];
                    }
                }
            }
        }
    }

    /// values += c ∂(Jᵀ wrench)/∂ξ at fixed wrench of one frame.
    fn add_geometric(
        &self,
        values: &mut [f64],
        ws: &Workspace,
        frame: usize,
        lin: &Vec3,
        ang: &Vec3,
        c: f64,
    ) {
        let Some(b) = self.frames[frame].body else { return };
        let Some(base) = self.blocks.get(b, b) else { return };
        let (kind, r_wb, r) = (self.bodies[b].kind, &ws.bodies[b].r_wb, &ws.frames[frame].r);
        geometric(kind, r_wb, r, lin, ang, c, |i, j, x| values[base[i] + j] += x);
    }

    pub(super) fn add_tangent(
        &self,
        ws: &Workspace,
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality {
        self.add_gyroscopic(ws, cc, values);
        if ck != 0.0 {
            for (i, row) in self.rows.iter().enumerate() {
                for k in row.terms.clone() {
                    let term = &self.terms[k];
                    // r contains −Gᵀλ
                    let c = -ck * term.c * lambda[i];
                    let (a, b) = (term.scalar.a, term.scalar.b);
                    let pair = self.pair(ws, &term.scalar);
                    self.add_force_derivative(values, ws, (a, b), &ws.gradients[k], c, |t| {
                        term.scalar.kind.add_hessian(&pair, 1.0, t)
                    });
                }
            }
            for roll in &self.rolls {
                let pair = self.pair(ws, &roll.scalar());
                let h = roll.gradient(&pair);
                let c = -ck * lambda[roll.row];
                self.add_force_derivative(values, ws, (roll.a, roll.b), &h, c, |t| {
                    roll.add_hessian(&pair, t)
                });
            }
        }
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            let (a, b) = (force.scalar.a, force.scalar.b);
            let p = self.pair_jac(ws, a, b);
            let pair = self.pair(ws, &force.scalar);
            // r contains +P H
            let hj = Spread { body: p.body, x: along(&x.h, &p.j) };
            if ck != 0.0 {
                self.add_force_derivative(values, ws, (a, b), &x.h, ck * x.pull, |t| {
                    force.scalar.kind.add_hessian(&pair, 1.0, t)
                });
                self.add_outer(values, &hj, &hj, ck * x.k);
                if x.c != 0.0 {
                    let rate = self.rate_gradient(ws, &pair, (a, b), x, &force.scalar.kind, &p);
                    self.add_outer(values, &hj, &rate, ck * x.c);
                }
            }
            self.add_outer(values, &hj, &hj, cc * x.c);
            for (leaf, at) in force.reads.iter().zip(force.readings.clone()) {
                let reading = ws.readings[at];
                let s = self.leaf_slopes(ws, *leaf);
                self.add_outer(values, &hj, &s.xi, ck * reading.value);
                self.add_outer(values, &hj, &s.v, cc * reading.value);
                if reading.rate != 0.0 {
                    let s = self.leaf_rate_slopes(ws, *leaf);
                    self.add_outer(values, &hj, &s.xi, ck * reading.rate);
                    self.add_outer(values, &hj, &s.v, cc * reading.rate);
                }
            }
        }
        for a in &self.applied {
            self.add_applied(ws, a, ck, values);
            self.add_applied_reading(ws, a, ck, cc, values);
        }
        for b in &self.bushings {
            self.add_bushing(ws, b, ck, cc, values);
        }
        Quality::Exact
    }

    /// values −= ∂f/∂z (ck ∂ż/∂ξ + cc ∂ż/∂v): integrals of controllers. (Counters of turns do not
    /// change a force.)
    pub(super) fn add_feedback(&self, ws: &Workspace, ck: f64, cc: f64, values: &mut [f64]) {
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            let Law::Actuator { target, control, ki, z: Some(_), .. } = &force.law else {
                continue;
            };
            let (a, b) = (force.scalar.a, force.scalar.b);
            let p = self.pair_jac(ws, a, b);
            let hj = Spread { body: p.body, x: along(&x.h, &p.j) };
            // f = … + ki z H and ż = target − s or target − ṡ
            match control {
                Control::Position => self.add_outer(values, &hj, &hj, ki * ck),
                Control::Rate => {
                    let pair = self.pair(ws, &force.scalar);
                    let rate = self.rate_gradient(ws, &pair, (a, b), x, &force.scalar.kind, &p);
                    self.add_outer(values, &hj, &rate, ki * ck);
                    self.add_outer(values, &hj, &hj, ki * cc);
                }
            }
            for leaf in &force.reads {
                let w = self.weight(target, &ws.vars, *leaf);
                let s = self.leaf_slopes(ws, *leaf);
                self.add_outer(values, &hj, &s.xi, -ki * ck * w);
                self.add_outer(values, &hj, &s.v, -ki * cc * w);
            }
        }
    }

    /// values += c ∂(JᵀH)/∂ξ for a pair of frames.
    fn add_force_derivative(
        &self,
        values: &mut [f64],
        ws: &Workspace,
        (a, b): (usize, usize),
        h: &Gradient,
        c: f64,
        hessian: impl FnOnce(&mut Hessian),
    ) {
        if c == 0.0 {
            return;
        }
        let mut t = [[Mat3::zeros(); 4]; 4];
        hessian(&mut t);
        let p = self.pair_jac(ws, a, b);
        self.add_hessian(values, &p, &t, c);
        self.add_geometric(values, ws, a, &h.a_lin, &h.a_ang, c);
        self.add_geometric(values, ws, b, &h.b_lin, &h.b_ang, c);
    }

    /// ∂ṡ/∂ξ at fixed v.
    fn rate_gradient(
        &self,
        ws: &Workspace,
        pair: &Pair<'_>,
        (a, b): (usize, usize),
        x: &super::force::Acting,
        kind: &super::scalar::ScalarKind,
        p: &PairJac,
    ) -> Spread {
        let mut out = along(&rate_by_pose(kind, pair), &p.j);
        let n = [a, b].map(|f| match self.frames[f].body {
            Some(i) => drift(self.bodies[i].kind, &ws.bodies[i], &ws.frames[f].r),
            None => [[Vec3::zeros(); 2]; 6],
        });
        let extra = along(&x.h, &n);
        for s in 0..2 {
            for k in 0..6 {
                out[s][k] += extra[s][k];
            }
        }
        Spread { body: p.body, x: out }
    }

    fn add_gyroscopic(&self, ws: &Workspace, cc: f64, values: &mut [f64]) {
        if cc == 0.0 {
            return;
        }
        for (i, b) in self.bodies.iter().enumerate() {
            if b.kind != BodyKind::Rigid {
                continue;
            }
            let o = ws.bodies[i].r_wb.tr_mul(&ws.bodies[i].w);
            let x = (so3::hat(&o) * b.inertia - so3::hat(&(b.inertia * o))) * cc;
            let Some(base) = self.blocks.get(i, i) else { continue };
            for r in 0..3 {
                for c in 0..3 {
                    values[base[3 + r] + 3 + c] += x[(r, c)];
                }
            }
        }
    }

    fn add_applied(&self, ws: &Workspace, a: &Applied, ck: f64, values: &mut [f64]) {
        if ck == 0.0 {
            return;
        }
        let w = self.applied_vector(ws, a);
        let (lin, ang) = if a.torque { (Vec3::zeros(), w) } else { (w, Vec3::zeros()) };
        self.add_geometric(values, ws, a.at, &lin, &ang, -ck);
        // components that turn with a body: δw = δφ × w
        let (Some(bx), Some(by)) = (self.frames[a.at].body, a.axes) else { return };
        let Some(base) = self.blocks.get(bx, by) else { return };
        let jx = jacobian(self.bodies[bx].kind, &ws.bodies[bx].r_wb, &ws.frames[a.at].r);
        let jy = jacobian(self.bodies[by].kind, &ws.bodies[by].r_wb, &Vec3::zeros());
        for c in 0..self.n(by) {
            let dw = jy[c][1].cross(&w);
            for r in 0..self.n(bx) {
                let part = if a.torque { jx[r][1] } else { jx[r][0] };
                values[base[r] + c] -= ck * part.dot(&dw);
            }
        }
    }

    /// What the components of an applied force owe to sensors.
    fn add_applied_reading(
        &self,
        ws: &Workspace,
        a: &Applied,
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) {
        let Some(b) = self.frames[a.at].body else { return };
        for leaf in &a.reads {
            let mut local = Vec3::zeros();
            for (x, e) in local.iter_mut().zip(&a.components) {
                *x = self.weight(e, &ws.vars, *leaf);
            }
            let w = self.in_ground(ws, a, &local);
            let (lin, ang) = if a.torque { (Vec3::zeros(), w) } else { (w, Vec3::zeros()) };
            let mut row = Spread { body: [Some(b), None], ..Default::default() };
            let (r_wb, r) = (&ws.bodies[b].r_wb, &ws.frames[a.at].r);
            pull(self.bodies[b].kind, r_wb, r, &lin, &ang, &mut row.x[0]);
            let s = self.leaf_slopes(ws, *leaf);
            // r contains −f
            self.add_outer(values, &row, &s.xi, -ck);
            self.add_outer(values, &row, &s.v, -cc);
        }
    }

    /// Bushings by central differences of their generalised force: the rotation vector makes
    /// closed forms long, and a bushing is cheap to evaluate.
    fn add_bushing(&self, ws: &Workspace, b: &Bushing, ck: f64, cc: f64, values: &mut [f64]) {
        let owner = [self.frames[b.a].body, self.frames[b.b].body];
        let ground = self.bodies.len();
        let base = owner.map(|o| ws.bodies[o.unwrap_or(ground)]);
        let frames = [ws.frames[b.a], ws.frames[b.b]];
        for (coef, at_velocity) in [(ck, false), (cc, true)] {
            if coef == 0.0 {
                continue;
            }
            for y in 0..2 {
                let Some(by) = owner[y] else { continue };
                let columns = jacobian(self.bodies[by].kind, &base[y].r_wb, &Vec3::zeros());
                for (c, j) in columns.iter().enumerate().take(self.n(by)) {
                    // the force is linear in velocities, so any step does there
                    let h = match (at_velocity, j[1].norm() > 0.0) {
                        (true, _) => 1.0,
                        (false, true) => 1e-6,
                        (false, false) => 1e-6 * self.length,
                    };
                    let mut diff = [[0.0; 6]; 2];
                    for sign in [1.0, -1.0] {
                        let mut moved = base;
                        let m = &mut moved[y];
                        if at_velocity {
                            m.v += j[0] * (sign * h);
                            m.w += j[1] * (sign * h);
                        } else {
                            m.x += j[0] * (sign * h);
                            // body angular velocity is what is held fixed
                            let turn = so3::exp(&(j[1] * (sign * h)));
                            m.r_wb = turn * m.r_wb;
                            m.w = turn * m.w;
                        }
                        let f = self.bushing_force(b, &owner, &moved, frames);
                        for s in 0..2 {
                            for k in 0..6 {
                                diff[s][k] += sign * f[s][k] / (2.0 * h);
                            }
                        }
                    }
                    for (x, bx) in owner.iter().enumerate() {
                        let Some(bx) = *bx else { continue };
                        let Some(slots) = self.blocks.get(bx, by) else { continue };
                        for r in 0..self.n(bx) {
                            values[slots[r] + c] -= coef * diff[x][r];
                        }
                    }
                }
            }
        }
    }

    /// Generalised forces of a bushing on its two bodies for displaced bodies.
    fn bushing_force(
        &self,
        b: &Bushing,
        owner: &[Option<usize>; 2],
        bodies: &[BodyKin; 2],
        mut frames: [FrameKin; 2],
    ) -> [[f64; 6]; 2] {
        for (s, f) in [b.a, b.b].into_iter().enumerate() {
            if owner[s].is_some() {
                let kin = &mut frames[s];
                kin.r = bodies[s].r_wb * self.frames[f].r_b;
                kin.p = bodies[s].x + kin.r;
                kin.v = bodies[s].v + bodies[s].w.cross(&kin.r);
            }
        }
        let s = b.evaluate([&bodies[0], &bodies[1]], [&frames[0], &frames[1]]);
        let mut out = [[0.0; 6]; 2];
        for (k, (lin, ang)) in [(-s.force, s.moment_a), (s.force, s.torque)].iter().enumerate() {
            if let Some(i) = owner[k] {
                pull(self.bodies[i].kind, &bodies[k].r_wb, &frames[k].r, lin, ang, &mut out[k]);
            }
        }
        out
    }
}
