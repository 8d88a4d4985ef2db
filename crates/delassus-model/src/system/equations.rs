//! The equations: positions, velocities, constraint rows, forces.

use super::kin::{BodyKin, FrameKin, pull};
use super::scalar::{Pair, PairScalar, ScalarKind, continued};
use super::{RowOffset, System, Term, Workspace};
use crate::BodyKind;
use crate::model::var;
use delassus_dae::{
    Dims, Energies, Manifold, Power, Problem, Quality, Scales, State, Structure, TimeLaws, Unseen,
};
use delassus_math::Vec3;

impl Problem for System {
    type Ws = Workspace;

    fn dims(&self) -> Dims {
        self.dims
    }

    fn manifold(&self) -> &Manifold {
        &self.manifold
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn scales(&self) -> Scales {
        self.scales.clone()
    }

    fn workspace(&self) -> Workspace {
        let d = self.dims;
        let mut ws = Workspace {
            t: 0.0,
            z: vec![0.0; d.nz],
            // one more for the ground, which never moves
            bodies: vec![Default::default(); self.bodies.len() + 1],
            theta: vec![0.0; self.bodies.len() + 1],
            frames: vec![Default::default(); self.frames.len()],
            gradients: self.terms.iter().map(|t| t.scalar.kind.constant_gradient()).collect(),
            motion: vec![(0.0, 0.0, 0.0); self.n_motions],
            g: vec![0.0; d.n_pos],
            jac: vec![0.0; self.structure.jac.nnz()],
            g_dot: vec![0.0; d.n_vel],
            gamma: vec![0.0; d.n_vel],
            f: vec![0.0; d.nv],
            z_dot: vec![0.0; d.nz],
            vars: vec![0.0; var::SENSOR + self.probes.len()],
            rates: vec![0.0; var::SENSOR + self.probes.len()],
            forces: vec![Default::default(); self.scalar_forces.len()],
            readings: vec![Default::default(); self.n_readings],
            over: self.time.scratch(self.probes.len()),
            near: Default::default(),
        };
        ws.rates[var::T] = 1.0;
        for (frame, kin) in self.frames.iter().zip(&mut ws.frames) {
            if frame.body.is_none() {
                kin.p = frame.r_b;
                kin.r = frame.r_b;
            }
        }
        self.init_coincidences(&mut ws);
        ws
    }

    fn realize_position(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Workspace) {
        self.place(t, q, z, ws);
        self.coincidence_positions(ws);
        for &i in &self.other_rows {
            let row = &self.rows[i];
            if let RowOffset::Motion(e, k) = &row.offset {
                // right-hand sides that move, with their two time derivatives
                ws.vars[var::T] = t;
                ws.motion[*k] = e.eval_d2(&ws.vars, var::T);
            }
            let at = &self.structure.jac.row_ptr;
            ws.jac[at[i]..at[i + 1]].fill(0.0);
            let mut g = match &row.offset {
                RowOffset::Const(x) => -x,
                RowOffset::Motion(_, k) => -ws.motion[*k].0,
            };
            for k in row.terms.clone() {
                let term = &self.terms[k];
                if let ScalarKind::World(axis) = term.scalar.kind {
                    g += self.world_row(ws, term, axis);
                    continue;
                }
                let pair = self.term_pair(ws, term);
                g += term.c * term.scalar.kind.value(&pair, &ws.z);
                let h = term.scalar.kind.gradient(&pair);
                ws.gradients[k] = h;
                self.scatter_row(ws, term, k);
            }
            ws.g[i] = g;
        }
        if let Some(first) = self.structure.jac.row_ptr.get(self.dims.n_pos) {
            ws.jac[*first..].fill(0.0);
        }
        self.roll_position(ws);
    }

    fn realize_velocity(&self, v: &[f64], z: &[f64], ws: &mut Workspace) {
        self.set_moving(v, z, ws);
        self.coincidence_velocities(ws);
        for &i in &self.other_rows {
            let row = &self.rows[i];
            let (mut rate, mut gamma) = match &row.offset {
                RowOffset::Const(_) => (0.0, 0.0),
                RowOffset::Motion(_, k) => (-ws.motion[*k].1, -ws.motion[*k].2),
            };
            for k in row.terms.clone() {
                let term = &self.terms[k];
                if let ScalarKind::World(axis) = term.scalar.kind {
                    let (a, b) = (&ws.frames[term.scalar.a], &ws.frames[term.scalar.b]);
                    rate += term.c * (b.v[axis] - a.v[axis]);
                    gamma += term.c * (b.bias[axis] - a.bias[axis]);
                    continue;
                }
                let p = self.term_pair(ws, term);
                let h = &ws.gradients[k];
                rate += term.c * h.dot(&p.fa.v, &p.ba.w, &p.fb.v, &p.bb.w);
                gamma += term.c
                    * (term.scalar.kind.bias(&p)
                        + h.a_lin.dot(&p.fa.bias)
                        + h.b_lin.dot(&p.fb.bias));
            }
            ws.g_dot[i] = rate;
            ws.gamma[i] = gamma;
        }
        self.roll_velocity(ws);
        self.evaluate_forces(ws);
    }

    fn mass(&self, _ws: &Workspace, out: &mut [f64]) {
        out.fill(0.0);
        let mut at = 0;
        for b in &self.bodies {
            // one block per body, column by column
            let n = b.kind.nv();
            let block = &mut out[at..at + n * n];
            for k in 0..n.min(3) {
                block[k * n + k] = b.mass;
            }
            match b.kind {
                BodyKind::Planar => block[8] = b.inertia[(2, 2)],
                BodyKind::Rigid => {
                    for i in 0..3 {
                        for j in 0..3 {
                            block[(3 + j) * 6 + 3 + i] = b.inertia[(i, j)];
                        }
                    }
                }
                BodyKind::Point | BodyKind::PlanarPoint => {}
            }
            at += n * n;
        }
    }

    fn residual_pos(&self, ws: &Workspace, out: &mut [f64]) {
        out.copy_from_slice(&ws.g);
    }

    fn jacobian(&self, ws: &Workspace, out: &mut [f64]) {
        out.copy_from_slice(&ws.jac);
    }

    fn residual_vel(&self, ws: &Workspace, out: &mut [f64]) {
        out.copy_from_slice(&ws.g_dot);
    }

    fn bias(&self, ws: &Workspace, out: &mut [f64]) {
        out.copy_from_slice(&ws.gamma);
    }

    fn force(&self, ws: &Workspace, out: &mut [f64]) {
        out.copy_from_slice(&ws.f);
    }

    fn z_dot(&self, ws: &Workspace, out: &mut [f64]) {
        out.copy_from_slice(&ws.z_dot);
    }

    fn tangent(
        &self,
        ws: &Workspace,
        _a: &[f64],
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality {
        self.add_tangent(ws, lambda, ck, cc, values)
    }

    fn feeds_back(&self) -> bool {
        self.integrates
    }

    fn feedback(&self, ws: &Workspace, ck: f64, cc: f64, values: &mut [f64]) {
        self.add_feedback(ws, ck, cc, values);
    }

    fn spin(&self, v: &[f64]) -> (f64, usize) {
        let mut most = self.manifold.fastest(v);
        for &i in &self.turning {
            if v[i].abs() > most.0 {
                most = (v[i].abs(), i);
            }
        }
        most
    }

    fn settle(&self, s: &mut State) {
        for (k, c) in self.counters.iter().enumerate() {
            s.z[k] = continued(self.by_orientation(c, &s.q), s.z[k]);
        }
    }

    fn energies(&self, ws: &Workspace) -> Option<Energies> {
        Some(self.energy(ws))
    }

    fn power(&self, ws: &Workspace, lambda: &[f64]) -> Option<Power> {
        self.exchanges_power().then(|| self.exchanged_power(ws, lambda))
    }

    fn time_laws(&self) -> TimeLaws {
        self.time.kind()
    }

    fn smooth_in_time(&self, ws: &mut Workspace, a: f64, b: f64) -> bool {
        self.is_smooth(ws, a, b)
    }

    fn unseen_in_time(&self, ws: &mut Workspace, a: f64, b: f64, degree: u32) -> Unseen {
        self.unseen(ws, a, b, degree, Self::set_time)
    }

    fn unseen_in_time_at_most(&self, ws: &mut Workspace, a: f64, b: f64, degree: u32) -> Unseen {
        self.unseen(ws, a, b, degree, Self::set_time_roughly)
    }

    fn restless(&self, ws: &mut Workspace, a: f64, b: f64) -> Option<String> {
        self.most_restless(ws, a, b)
    }

    fn row_name(&self, row: usize) -> String {
        match self.origins.get(row) {
            Some(o) => format!("joint \"{}\" ({})", self.model.joints[o.joint.0].name, o.label),
            None => format!("row {row}"),
        }
    }

    fn dof_name(&self, dof: usize) -> String {
        let Some((body, k)) = self.dof_owner(dof) else {
            return format!("coordinate {dof}");
        };
        let label = match (self.bodies[body].kind, k) {
            (BodyKind::Planar, 2) => "angle",
            (_, 0) => "x",
            (_, 1) => "y",
            (_, 2) => "z",
            (_, 3) => "rotation x",
            (_, 4) => "rotation y",
            _ => "rotation z",
        };
        format!("body \"{}\" ({label})", self.model.bodies[body].name)
    }
}

impl System {
    /// Realises a state for what samples show as long as no sensor asks for reactions or
    /// accelerations: bodies, frames, forces and the residuals of rows, but not the Jacobian nor what
    /// belongs to accelerations.
    pub fn realize_motion(&self, s: &State, ws: &mut Workspace) {
        self.place(s.t, &s.q, &s.z, ws);
        self.set_moving(&s.v, &s.z, ws);
        self.coincidence_positions(ws);
        self.coincidence_velocities(ws);
        for &i in &self.other_rows {
            let row = &self.rows[i];
            let (mut g, mut rate) = match &row.offset {
                RowOffset::Const(x) => (-x, 0.0),
                RowOffset::Motion(e, k) => {
                    ws.vars[var::T] = s.t;
                    let motion = e.eval_d2(&ws.vars, var::T);
                    ws.motion[*k] = motion;
                    (-motion.0, -motion.1)
                }
            };
            for term in &self.terms[row.terms.clone()] {
                if let ScalarKind::World(axis) = term.scalar.kind {
                    let (a, b) = (&ws.frames[term.scalar.a], &ws.frames[term.scalar.b]);
                    g += term.c * (b.p[axis] - a.p[axis]);
                    rate += term.c * (b.v[axis] - a.v[axis]);
                    continue;
                }
                let p = self.term_pair(ws, term);
                let h = term.scalar.kind.gradient(&p);
                g += term.c * term.scalar.kind.value(&p, &ws.z);
                rate += term.c * h.dot(&p.fa.v, &p.ba.w, &p.fb.v, &p.bb.w);
            }
            ws.g[i] = g;
            ws.g_dot[i] = rate;
        }
        self.roll_velocity(ws);
        self.evaluate_forces(ws);
    }

    /// Value of a counter's angle on any turn, from the orientations alone.
    fn by_orientation(&self, c: &PairScalar, q: &[f64]) -> f64 {
        let mut bodies = [BodyKin::default(), BodyKin::default()];
        for (f, kin) in [c.a, c.b].into_iter().zip(&mut bodies) {
            if let Some(b) = self.frames[f].body {
                kin.set_position(&self.bodies[b], q);
            }
        }
        let frame = FrameKin::default();
        let [ba, bb] = &bodies;
        c.kind.value(&Pair { fa: &frame, ba, fb: &frame, bb, theta: (0.0, 0.0) }, &[])
    }

    #[inline]
    fn place_bodies(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Workspace) {
        ws.t = t;
        ws.z.copy_from_slice(z);
        for (i, b) in self.bodies.iter().enumerate() {
            ws.bodies[i].set_position(b, q);
            if b.kind == BodyKind::Planar {
                ws.theta[i] = q[b.iq + 2];
            }
        }
    }

    /// Bodies, then the origins of their frames.
    #[inline]
    fn place(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Workspace) {
        self.place_bodies(t, q, z, ws);
        for (frame, kin) in self.frames.iter().zip(&mut ws.frames) {
            if let Some(b) = frame.body {
                kin.set_position(frame, &ws.bodies[b]);
            }
        }
    }

    /// Velocities of bodies and frames.
    #[inline]
    fn set_moving(&self, v: &[f64], z: &[f64], ws: &mut Workspace) {
        ws.z.copy_from_slice(z);
        for (i, b) in self.bodies.iter().enumerate() {
            ws.bodies[i].set_velocity(b, v);
        }
        for (frame, kin) in self.frames.iter().zip(&mut ws.frames) {
            if let Some(b) = frame.body {
                kin.set_velocity(frame, &ws.bodies[b]);
            }
        }
    }

    #[inline]
    fn term_pair<'a>(&self, ws: &'a Workspace, term: &Term) -> Pair<'a> {
        let [ba, bb] = term.body;
        Pair {
            fa: &ws.frames[term.scalar.a],
            ba: &ws.bodies[ba],
            fb: &ws.frames[term.scalar.b],
            bb: &ws.bodies[bb],
            theta: (ws.theta[ba], ws.theta[bb]),
        }
    }

    /// Value of a coincidence row e_k · d, its gradient written straight to the Jacobian.
    #[inline]
    pub(super) fn world_row(&self, ws: &mut Workspace, term: &Term, axis: usize) -> f64 {
        let (a, b) = (&ws.frames[term.scalar.a], &ws.frames[term.scalar.b]);
        let value = b.p[axis] - a.p[axis];
        let ends =
            [(term.body[0], term.slot_a, a.r, -term.c), (term.body[1], term.slot_b, b.r, term.c)];
        for (body, slot, r, c) in ends {
            let Some(layout) = self.bodies.get(body) else { continue };
            match layout.kind {
                // a planar body cannot feel the z row it shares with a spatial one
                BodyKind::Planar | BodyKind::PlanarPoint if axis == 2 => {}
                BodyKind::Planar => {
                    let out = &mut ws.jac[slot..slot + 3];
                    out[axis] += c;
                    // (ẑ × r)_k
                    out[2] += c * if axis == 0 { -r.y } else { r.x };
                }
                BodyKind::Point | BodyKind::PlanarPoint => ws.jac[slot + axis] += c,
                BodyKind::Rigid => {
                    let mut lin = Vec3::zeros();
                    lin[axis] = c;
                    let out = &mut ws.jac[slot..slot + 6];
                    pull(layout.kind, &ws.bodies[body].r_wb, &r, &lin, &Vec3::zeros(), out);
                }
            }
        }
        term.c * value
    }

    /// Adds the gradient of a term to the Jacobian.
    #[inline]
    fn scatter_row(&self, ws: &mut Workspace, term: &Term, k: usize) {
        let h = ws.gradients[k];
        for (frame, slot, lin, ang) in [
            (term.scalar.a, term.slot_a, &h.a_lin, &h.a_ang),
            (term.scalar.b, term.slot_b, &h.b_lin, &h.b_ang),
        ] {
            if let Some(b) = self.frames[frame].body {
                let kind = self.bodies[b].kind;
                let out = &mut ws.jac[slot..slot + kind.nv()];
                let (r_wb, r) = (&ws.bodies[b].r_wb, &ws.frames[frame].r);
                pull(kind, r_wb, r, &(lin * term.c), &(ang * term.c), out);
            }
        }
    }

    /// f += wrench at a frame.
    #[inline]
    pub(super) fn add_wrench(&self, ws: &mut Workspace, frame: usize, lin: &Vec3, ang: &Vec3) {
        if let Some(b) = self.frames[frame].body {
            let layout = &self.bodies[b];
            let out = &mut ws.f[layout.iv..layout.iv + layout.kind.nv()];
            pull(layout.kind, &ws.bodies[b].r_wb, &ws.frames[frame].r, lin, ang, out);
        }
    }
}
