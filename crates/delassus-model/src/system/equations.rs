//! The equations: positions, velocities, constraint rows, forces.

use super::body::Kin;
use super::scalar::{Pair, PairScalar, ScalarKind, continued};
use super::{RowOffset, System, Term, Workspace};
use crate::model::var;
use delassus_dae::{
    Dims, Energies, Manifold, Power, Problem, Quality, Scales, State, StateSlopes, Stretch,
    Structure, TimeLaws, TimeLook, Unseen,
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

    fn wide_scales(&self) -> Vec<f64> {
        self.bodies.iter().flat_map(|b| b.scales(self.length)).collect()
    }

    fn groups(&self) -> Vec<usize> {
        self.groups.of_state.clone()
    }

    fn workspace(&self) -> Workspace {
        let d = self.dims;
        let mut ws = Workspace {
            t: 0.0,
            z: vec![0.0; d.nz],
            kin: Kin::new(&self.bodies, &self.frames),
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
            touches: vec![Default::default(); self.tyres.len()],
            over: self.time.scratch(self.probes.len()),
            way: self.way_scratch(),
            near: Default::default(),
            tangent: self.tangent_scratch(),
        };
        ws.rates[var::T] = 1.0;
        self.init_coincidences(&mut ws);
        ws
    }

    fn realize_position(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Workspace) {
        ws.t = t;
        ws.z.copy_from_slice(z);
        ws.kin.place(&self.bodies, &self.frames, q);
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
                let pair = self.pair(ws, &term.scalar);
                g += term.c * term.scalar.kind.value(&pair, &ws.z);
                let h = term.scalar.kind.gradient(&pair);
                ws.gradients[k] = h;
                let (s, c) = (&term.scalar, term.c);
                if !s.kind.is_length() {
                    self.scatter_turn(ws, (s.a, term.slot_a), &(h.a_ang * c));
                    self.scatter_turn(ws, (s.b, term.slot_b), &(h.b_ang * c));
                    continue;
                }
                self.scatter(ws, (s.a, term.slot_a), &(h.a_lin * c), &(h.a_ang * c));
                self.scatter(ws, (s.b, term.slot_b), &(h.b_lin * c), &(h.b_ang * c));
            }
            ws.g[i] = g;
        }
        if let Some(first) = self.structure.jac.row_ptr.get(self.dims.n_pos) {
            ws.jac[*first..].fill(0.0);
        }
        self.roll_position(ws);
    }

    fn realize_velocity(&self, v: &[f64], z: &[f64], ws: &mut Workspace) {
        ws.z.copy_from_slice(z);
        ws.kin.travel(&self.bodies, &self.frames, v);
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
                    let (a, b) = (&ws.kin.frames[term.scalar.a], &ws.kin.frames[term.scalar.b]);
                    rate += term.c * (b.v[axis] - a.v[axis]);
                    gamma += term.c * (b.bias[axis] - a.bias[axis]);
                    continue;
                }
                let p = self.pair(ws, &term.scalar);
                let h = &ws.gradients[k];
                rate += term.c * p.rate(h);
                gamma += term.c * p.add_bias(term.scalar.kind.bias(&p), h);
            }
            ws.g_dot[i] = rate;
            ws.gamma[i] = gamma;
        }
        self.roll_velocity(ws);
        self.evaluate_forces(ws);
    }

    fn realize_places(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Workspace) {
        ws.t = t;
        ws.z.copy_from_slice(z);
        ws.kin.place(&self.bodies, &self.frames, q);
        self.coincidence_positions(ws);
        for &i in &self.other_rows {
            let row = &self.rows[i];
            let mut g = match &row.offset {
                RowOffset::Const(x) => -x,
                RowOffset::Motion(e, _) => {
                    ws.vars[var::T] = t;
                    -e.eval(&ws.vars)
                }
            };
            for term in &self.terms[row.terms.clone()] {
                g += match term.scalar.kind {
                    ScalarKind::World(axis) => {
                        let (a, b) = (&ws.kin.frames[term.scalar.a], &ws.kin.frames[term.scalar.b]);
                        term.c * (b.p[axis] - a.p[axis])
                    }
                    _ => term.c * term.scalar.kind.value(&self.pair(ws, &term.scalar), &ws.z),
                };
            }
            ws.g[i] = g;
        }
    }

    fn realize_rates(&self, v: &[f64], z: &[f64], ws: &mut Workspace) {
        ws.z.copy_from_slice(z);
        ws.kin.travel(&self.bodies, &self.frames, v);
        self.coincidence_velocities(ws);
        for &i in &self.other_rows {
            let row = &self.rows[i];
            let mut rate = match &row.offset {
                RowOffset::Const(_) => 0.0,
                RowOffset::Motion(_, k) => -ws.motion[*k].1,
            };
            for k in row.terms.clone() {
                let term = &self.terms[k];
                rate += match term.scalar.kind {
                    ScalarKind::World(axis) => {
                        let (a, b) = (&ws.kin.frames[term.scalar.a], &ws.kin.frames[term.scalar.b]);
                        term.c * (b.v[axis] - a.v[axis])
                    }
                    _ => term.c * self.pair(ws, &term.scalar).rate(&ws.gradients[k]),
                };
            }
            ws.g_dot[i] = rate;
        }
        self.roll_velocity(ws);
    }

    fn mass(&self, ws: &Workspace, out: &mut [f64]) {
        out.fill(0.0);
        let mut at = 0;
        for (i, b) in self.bodies.iter().enumerate() {
            let size = b.mass_len();
            ws.kin.here(&self.bodies, i).mass(&mut out[at..at + size]);
            at += size;
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
        a: &[f64],
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality {
        self.add_tangent(ws, a, lambda, ck, cc, values)
    }

    fn feeds_back(&self) -> bool {
        self.integrates
    }

    fn feedback(&self, ws: &Workspace, by: &[[f64; 2]], values: &mut [f64]) {
        self.add_feedback(ws, by, values);
    }

    fn relaxation(&self, ws: &Workspace, out: &mut [f64]) {
        out.fill(0.0);
        self.tyre_relaxation(ws, out);
    }

    fn state_slopes(&self, ws: &Workspace, out: &mut StateSlopes) {
        self.add_state_slopes(ws, out);
    }

    fn ground_vectors(&self) -> Vec<[Option<usize>; 3]> {
        let of = |b: &super::BodyLayout| {
            let moves = b.kind.rotation().start;
            [0, 1, 2].map(|k| (k < moves).then_some(b.iv + k))
        };
        self.bodies.iter().map(of).collect()
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

    fn restore_known_states(&self, s: &mut State) {
        for (k, c) in self.counters.iter().enumerate() {
            s.z[k] = continued(self.by_orientation(c, &s.q), s.z[k]);
        }
    }

    fn held(&self) -> usize {
        self.inputs().start
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

    fn unseen_in_time(&self, ws: &mut Workspace, look: TimeLook<'_>) -> Unseen {
        self.unseen(ws, look)
    }

    fn restless(&self, ws: &mut Workspace, a: f64, b: f64) -> Option<String> {
        self.most_restless(ws, a, b)
    }

    fn state_laws(&self) -> bool {
        self.way.watches()
    }

    fn take_down(&self, ws: &mut Workspace, v: &[f64], a: &[f64], end: bool) {
        self.take_down_sensors(ws, v, a, end);
    }

    fn span_way(&self, ws: &mut Workspace, t: f64, h: f64) {
        self.span_sensors(ws, t, h);
    }

    fn keep_end(&self, ws: &mut Workspace) {
        ws.way.keep_end();
    }

    fn unseen_on_way(&self, ws: &mut Workspace, part: Stretch, paces: &[f64]) -> (f64, bool) {
        self.unseen_between(ws, part, paces)
    }

    fn off_way(&self, ws: &Workspace, part: f64) -> f64 {
        self.off_tracks(ws, part)
    }

    fn restless_on_way(&self, ws: &mut Workspace) -> Option<String> {
        self.most_restless_on_way(ws)
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
        let body = &self.model.bodies[body];
        let label = body.velocity_names()[k].replace('_', " ");
        format!("body \"{}\" ({label})", body.name)
    }
}

impl System {
    /// Realises a state for samples, as long as no sensor needs reactions or accelerations: bodies, frames, forces and
    /// the residuals of rows, but not the Jacobian nor anything that belongs to accelerations.
    pub fn realize_motion(&self, s: &State, ws: &mut Workspace) {
        ws.t = s.t;
        ws.z.copy_from_slice(&s.z);
        ws.kin.place(&self.bodies, &self.frames, &s.q);
        ws.kin.travel(&self.bodies, &self.frames, &s.v);
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
                    let (a, b) = (&ws.kin.frames[term.scalar.a], &ws.kin.frames[term.scalar.b]);
                    g += term.c * (b.p[axis] - a.p[axis]);
                    rate += term.c * (b.v[axis] - a.v[axis]);
                    continue;
                }
                let p = self.pair(ws, &term.scalar);
                let h = term.scalar.kind.gradient(&p);
                g += term.c * term.scalar.kind.value(&p, &ws.z);
                rate += term.c * p.rate(&h);
            }
            ws.g[i] = g;
            ws.g_dot[i] = rate;
        }
        self.roll_velocity(ws);
        self.evaluate_forces(ws);
    }

    /// Value of a counter's angle on any turn, from the orientations alone.
    fn by_orientation(&self, c: &PairScalar, q: &[f64]) -> f64 {
        let [fa, fb] = &[c.a, c.b].map(|f| self.frames[f].at(&self.bodies, q));
        c.kind.value(&Pair { fa, fb }, &[])
    }

    /// Value of a coincidence row e_k · d, with its gradient written directly to the Jacobian.
    #[inline]
    pub(super) fn world_row(&self, ws: &mut Workspace, term: &Term, axis: usize) -> f64 {
        let ends = [(term.scalar.a, term.slot_a, -term.c), (term.scalar.b, term.slot_b, term.c)];
        for (frame, slot, c) in ends {
            if let Some(j) = self.jac(&ws.kin, frame) {
                j.transpose_mul_axis(axis, c, &mut ws.jac[slot..slot + j.len()]);
            }
        }
        let frames = &ws.kin.frames;
        term.c * (frames[term.scalar.b].p[axis] - frames[term.scalar.a].p[axis])
    }

    /// Adds Jᵀ (lin, ang) of a frame to the entries of a row from a slot on.
    #[inline]
    pub(super) fn scatter(
        &self,
        ws: &mut Workspace,
        (frame, slot): (usize, usize),
        lin: &Vec3,
        ang: &Vec3,
    ) {
        if let Some(j) = self.jac(&ws.kin, frame) {
            j.transpose_mul(lin, ang, &mut ws.jac[slot..slot + j.len()]);
        }
    }

    /// The same for a scalar that turns alone can change.
    #[inline]
    fn scatter_turn(&self, ws: &mut Workspace, (frame, slot): (usize, usize), ang: &Vec3) {
        if let Some(j) = self.jac(&ws.kin, frame) {
            j.transpose_mul_turn(ang, &mut ws.jac[slot..slot + j.len()]);
        }
    }

    /// f += wrench at a frame.
    #[inline]
    pub(super) fn add_wrench(&self, ws: &mut Workspace, frame: usize, lin: &Vec3, ang: &Vec3) {
        if let Some(j) = self.jac(&ws.kin, frame) {
            j.transpose_mul(lin, ang, &mut ws.f[j.span()]);
        }
    }
}
