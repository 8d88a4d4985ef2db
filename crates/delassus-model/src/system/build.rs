//! From a checked model to equations: layout, rows, sparsity.

use super::force::{Applied, Bushing, Law, ScalarForce};
use super::kin::{BodyKin, BodyLayout, FrameLayout, pull};
use super::probe::{AxesOf, Probe, planar_angle};
use super::rolling::RollRow;
use super::scalar::{PairScalar, ScalarKind};
use super::tangent::BlockSlots;
use super::{Row, RowOffset, RowOrigin, System, Term, Workspace};
use crate::joint::{self, Context, Offset, RowDraft, ScalarDraft};
use crate::model::var;
use crate::{BodyId, BodyKind, Coordinate, Diagnostic, ForceKind, Frame, JointId, Measure, Model};
use delassus_dae::{Block, Dims, Manifold, Problem, Scales, Structure};
use delassus_linalg::{BlockDiag, Csr};
use delassus_math::{Mat3, Quat, Vec3};
use std::collections::HashMap;

/// Fictitious inertia of massless coordinates, relative to the lightest real one: small enough
/// that refinement against the true equations gains five digits a pass, large enough not to
/// swamp W.
const MASS_FLOOR: f64 = 1e-5;

/// A scalar row that no configuration can feel is dropped below this gradient.
const NO_GRADIENT: f64 = 1e-12;

impl System {
    /// Assembles the equations of a model.
    pub fn new(model: Model) -> Result<System, Vec<Diagnostic>> {
        Builder::new(model).finish()
    }

    /// Starting configuration as given (mass-centre coordinates), before assembly analysis.
    pub fn given_configuration(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.dims.nq];
        for (b, l) in self.model.bodies.iter().zip(&self.bodies) {
            let r = rotation(b.kind, b.angle, &b.rotation);
            let x = b.position + r * b.com;
            let out = &mut q[l.iq..l.iq + l.kind.nq()];
            out[0] = x.x;
            out[1] = x.y;
            match l.kind {
                BodyKind::Planar => out[2] = b.angle,
                BodyKind::Rigid => {
                    out[2] = x.z;
                    out[3..7].copy_from_slice(&b.rotation.0);
                }
                BodyKind::Point => out[2] = x.z,
                BodyKind::PlanarPoint => {}
            }
        }
        q
    }

    /// Auxiliary states at a configuration: turn counters at the wrapped angle, integrals zero.
    pub fn initial_z(&self, t: f64, q: &[f64]) -> Vec<f64> {
        let mut z = vec![0.0; self.dims.nz];
        let mut ws = self.workspace();
        self.realize_position(t, q, &z, &mut ws);
        for (k, c) in self.counters.iter().enumerate() {
            z[k] = c.kind.value(&self.pair(&ws, c), &z);
        }
        z
    }
}

fn rotation(kind: BodyKind, angle: f64, q: &Quat) -> Mat3 {
    match kind {
        BodyKind::Planar => Quat::from_axis_angle(&Vec3::z(), angle).matrix(),
        BodyKind::Rigid => q.matrix(),
        BodyKind::Point | BodyKind::PlanarPoint => Mat3::identity(),
    }
}

struct Builder {
    sys: System,
    faults: Vec<Diagnostic>,
    frame_index: HashMap<(Option<BodyId>, [u64; 3]), usize>,
    /// Rows found so far with the joint they belong to.
    drafts: Vec<(JointId, RowDraft)>,
}

impl Context for Builder {
    fn start_rotation(&self, f: &Frame) -> Mat3 {
        match f.body {
            Some(b) => {
                let b = &self.sys.model.bodies[b.0];
                rotation(b.kind, b.angle, &b.rotation)
            }
            None => Mat3::identity(),
        }
    }

    fn is_planar(&self, f: &Frame) -> bool {
        f.body.is_none_or(|b| self.sys.model.bodies[b.0].kind.is_planar())
    }
}

impl Builder {
    fn new(model: Model) -> Builder {
        let mut bodies = Vec::with_capacity(model.bodies.len());
        let mut blocks = Vec::new();
        let (mut iq, mut iv) = (0, 0);
        for b in &model.bodies {
            bodies.push(BodyLayout {
                kind: b.kind,
                iq,
                iv,
                mass: b.mass,
                inertia: b.inertia,
                com: b.com,
            });
            iq += b.kind.nq();
            iv += b.kind.nv();
            match b.kind {
                BodyKind::Rigid => blocks.extend([Block::Vector(3), Block::So3]),
                k => blocks.push(Block::Vector(k.nv())),
            }
        }
        let sys = System {
            bodies,
            frames: Vec::new(),
            terms: Vec::new(),
            rows: Vec::new(),
            rolls: Vec::new(),
            origins: Vec::new(),
            scalar_forces: Vec::new(),
            applied: Vec::new(),
            bushings: Vec::new(),
            counters: Vec::new(),
            probes: Vec::new(),
            force_inputs: Vec::new(),
            n_motions: 0,
            dims: Dims { nq: iq, nv: iv, nz: 0, n_pos: 0, n_vel: 0 },
            manifold: Manifold::new(&blocks),
            structure: Structure::dense(0, 0),
            scales: Scales { q: Vec::new(), row: Vec::new() },
            length: 1.0,
            blocks: BlockSlots::default(),
            model,
        };
        Builder { sys, faults: Vec::new(), frame_index: HashMap::new(), drafts: Vec::new() }
    }

    fn finish(mut self) -> Result<System, Vec<Diagnostic>> {
        self.lower_joints();
        self.make_rows();
        self.make_rolling();
        self.make_forces();
        self.find_force_inputs();
        self.make_probes();
        self.make_integrals();
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        self.make_scales();
        self.make_structure();
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        Ok(self.sys)
    }

    /// Index of a frame's origin; equal origins on one body share it.
    fn frame(&mut self, f: &Frame) -> usize {
        let com = f.body.map_or(Vec3::zeros(), |b| self.sys.bodies[b.0].com);
        let r_b = f.p - com;
        let key = (f.body, [r_b.x, r_b.y, r_b.z].map(f64::to_bits));
        if let Some(&i) = self.frame_index.get(&key) {
            return i;
        }
        let i = self.sys.frames.len();
        self.sys.frames.push(FrameLayout { body: f.body.map(|b| b.0), r_b });
        self.frame_index.insert(key, i);
        i
    }

    /// Scalar with frame indices; an angle that must count turns gets its state.
    fn scalar(&mut self, d: &ScalarDraft, count_turns: bool) -> PairScalar {
        let (a, b) = (self.frame(&d.a), self.frame(&d.b));
        let mut s = PairScalar { kind: d.kind.clone(), a, b };
        if let ScalarKind::Angle(angle) = &mut s.kind
            && count_turns
            && angle.planar.is_none()
        {
            let found = self.sys.counters.iter().position(|c| {
                c.a == a
                    && c.b == b
                    && matches!(&c.kind, ScalarKind::Angle(x) if x.axis == angle.axis && x.x_b == angle.x_b)
            });
            let k = found.unwrap_or_else(|| {
                self.sys.counters.push(PairScalar { kind: ScalarKind::Angle(angle.clone()), a, b });
                self.sys.dims.nz += 1;
                self.sys.counters.len() - 1
            });
            angle.turns = Some(k);
        }
        s
    }

    fn coordinate(&mut self, c: &Coordinate, count_turns: bool) -> PairScalar {
        let draft = joint::coordinate_scalar(c, self);
        self.scalar(&draft, count_turns)
    }

    fn lower_joints(&mut self) {
        for i in 0..self.sys.model.joints.len() {
            let lowered = joint::lower(&self.sys.model.joints[i].kind, self);
            for row in lowered.rows {
                self.drafts.push((JointId(i), row));
            }
        }
    }

    /// Workspace that can evaluate scalars at a configuration, before there is a structure.
    fn kinematics(&self, q: &[f64]) -> Workspace {
        let mut ws = Workspace {
            t: self.sys.model.analysis.start,
            z: vec![0.0; self.sys.dims.nz],
            bodies: vec![BodyKin::default(); self.sys.bodies.len() + 1],
            theta: vec![0.0; self.sys.bodies.len() + 1],
            frames: vec![Default::default(); self.sys.frames.len()],
            gradients: Vec::new(),
            motion: Vec::new(),
            g: Vec::new(),
            jac: Vec::new(),
            g_dot: Vec::new(),
            gamma: Vec::new(),
            f: Vec::new(),
            z_dot: Vec::new(),
            vars: Vec::new(),
            forces: Vec::new(),
        };
        for (i, b) in self.sys.bodies.iter().enumerate() {
            ws.bodies[i].set_position(b, q);
            if b.kind == BodyKind::Planar {
                ws.theta[i] = q[b.iq + 2];
            }
        }
        for (frame, kin) in self.sys.frames.iter().zip(&mut ws.frames) {
            let body = frame.body.unwrap_or(self.sys.bodies.len());
            kin.r = ws.bodies[body].r_wb * frame.r_b;
            kin.p = ws.bodies[body].x + kin.r;
        }
        ws
    }

    /// Rows in file order, without those that the bodies cannot feel.
    fn make_rows(&mut self) {
        let drafts = std::mem::take(&mut self.drafts);
        let mut made = Vec::with_capacity(drafts.len());
        for (id, d) in drafts {
            let terms: Vec<(f64, PairScalar)> =
                d.terms.iter().map(|(c, s)| (*c, self.scalar(s, true))).collect();
            made.push((id, d, terms));
        }
        let q0 = self.sys.given_configuration();
        let start = self.kinematics(&q0);
        // generic configurations, by a fixed sequence: assembly must not depend on chance
        let generic: Vec<Workspace> =
            (1..=3).map(|k| self.kinematics(&self.generic(&q0, k))).collect();
        for (id, d, terms) in made {
            let value = terms
                .iter()
                .map(|(c, s)| {
                    let mut z = vec![0.0; self.sys.dims.nz];
                    // the turn counters start at the wrapped angle
                    for (k, x) in self.sys.counters.iter().enumerate() {
                        let mut free = x.clone();
                        if let ScalarKind::Angle(a) = &mut free.kind {
                            a.turns = None;
                        }
                        z[k] = free.kind.value(&self.sys.pair(&start, x), &z);
                    }
                    c * s.kind.value(&self.sys.pair(&start, s), &z)
                })
                .sum::<f64>();
            let felt = terms.iter().any(|(_, s)| generic.iter().any(|ws| self.feels(ws, s)));
            let name = self.sys.model.joints[id.0].name.clone();
            if !felt {
                let want = match &d.offset {
                    Offset::Const(x) => *x,
                    Offset::AtStart => value,
                    Offset::Motion(e) => e.eval(&[start.t, 0.0, 0.0]),
                };
                if (value - want).abs() > 1e-9 * (1.0 + value.abs()) {
                    self.faults.push(
                        Diagnostic::error(
                            "E_CONFLICT",
                            format!("joint.{name}"),
                            format!(
                                "{} is {value:.6e} but must be {want:.6e}, and no motion of the two bodies can change it",
                                d.label
                            ),
                        )
                        .help("planar bodies cannot leave the x-y plane: check marker positions and axes"),
                    );
                }
                continue;
            }
            let offset = match d.offset {
                Offset::Const(x) => RowOffset::Const(x),
                Offset::AtStart => {
                    if matches!(terms[0].1.kind, ScalarKind::Length) && value <= 0.0 {
                        self.faults.push(
                            Diagnostic::error(
                                "E_DEGENERATE_DIRECTION",
                                format!("joint.{name}"),
                                "the two points coincide, so the distance joint has no direction",
                            )
                            .help("give `length`, or move the points apart at the start"),
                        );
                    }
                    RowOffset::Const(value)
                }
                Offset::Motion(e) => {
                    self.sys.n_motions += 1;
                    RowOffset::Motion(e, self.sys.n_motions - 1)
                }
            };
            let first = self.sys.terms.len();
            let n = self.sys.bodies.len();
            let frames = &self.sys.frames;
            self.sys.terms.extend(terms.into_iter().map(|(c, scalar)| Term {
                body: [scalar.a, scalar.b].map(|f| frames[f].body.unwrap_or(n)),
                scalar,
                c,
                slot_a: 0,
                slot_b: 0,
            }));
            self.sys.rows.push(Row { terms: first..self.sys.terms.len(), offset });
            self.sys.origins.push(RowOrigin { joint: id, label: d.label });
        }
        self.sys.dims.n_pos = self.sys.rows.len();
        self.sys.dims.n_vel = self.sys.rows.len();
    }

    /// A configuration away from the given one, the k-th of a fixed sequence.
    fn generic(&self, q0: &[f64], k: usize) -> Vec<f64> {
        let mut x = 0.37 * k as f64;
        let mut next = || {
            x = (x * 3.9 * (1.0 - x)).abs().fract().clamp(0.01, 0.99);
            x - 0.5
        };
        let xi: Vec<f64> = (0..self.sys.dims.nv).map(|_| next()).collect();
        let mut q = vec![0.0; self.sys.dims.nq];
        self.sys.manifold.retract(q0, &xi, &mut q);
        q
    }

    /// The scalar's gradient reaches at least one velocity of its bodies.
    fn feels(&self, ws: &Workspace, s: &PairScalar) -> bool {
        let h = s.kind.gradient(&self.sys.pair(ws, s));
        [(s.a, &h.a_lin, &h.a_ang), (s.b, &h.b_lin, &h.b_ang)].into_iter().any(|(f, lin, ang)| {
            self.sys.frames[f].body.is_some_and(|b| {
                let mut out = [0.0; 6];
                let kind = self.sys.bodies[b].kind;
                pull(kind, &ws.bodies[b].r_wb, &ws.frames[f].r, lin, ang, &mut out);
                out.iter().any(|x| x.abs() > NO_GRADIENT)
            })
        })
    }

    fn make_rolling(&mut self) {
        for i in 0..self.sys.model.joints.len() {
            let lowered = joint::lower(&self.sys.model.joints[i].kind, self);
            let Some(r) = lowered.rolling else { continue };
            let x = joint::axes(&r.pair);
            let (a, b) = (self.frame(&r.pair.a), self.frame(&r.pair.b));
            let q0 = self.sys.given_configuration();
            let ws = self.kinematics(&self.generic(&q0, 1));
            for (tangent, label) in [(x.x_a, "no slip 1"), (x.y_a, "no slip 2")] {
                let row = RollRow {
                    a,
                    b,
                    normal: x.z_a,
                    tangent,
                    radius: r.radius,
                    axis: r.disc.then_some(x.z_b),
                    row: self.sys.dims.n_vel,
                    slot_a: 0,
                    slot_b: 0,
                };
                let h = row.gradient(&self.sys.pair(&ws, &row.scalar()));
                let planar = self.is_planar(&r.pair.a) && self.is_planar(&r.pair.b);
                if planar && h.b_lin.xy().norm() < NO_GRADIENT {
                    continue;
                }
                self.sys.rolls.push(row);
                self.sys.origins.push(RowOrigin { joint: JointId(i), label: label.to_owned() });
                self.sys.dims.n_vel += 1;
            }
        }
    }

    fn make_forces(&mut self) {
        let q0 = self.sys.given_configuration();
        for i in 0..self.sys.model.forces.len() {
            let force = self.sys.model.forces[i].clone();
            let name = force.name;
            match force.kind {
                ForceKind::Force { at, frame, components } => {
                    self.applied(name, &at, &frame, components, false);
                }
                ForceKind::Torque { at, frame, components } => {
                    self.applied(name, &at, &frame, components, true);
                }
                ForceKind::Spring { a, b, law } => {
                    let draft = ScalarDraft { kind: ScalarKind::Length, a, b };
                    let scalar = self.scalar(&draft, false);
                    let ws = self.kinematics(&q0);
                    let start = scalar.kind.value(&self.sys.pair(&ws, &scalar), &[]);
                    let law = Law::linear(&law, start);
                    self.sys.scalar_forces.push(ScalarForce { name, scalar, law });
                }
                ForceKind::Torsion { coordinate, law } => {
                    let scalar = self.coordinate(&coordinate, true);
                    let law = Law::linear(&law, 0.0);
                    self.sys.scalar_forces.push(ScalarForce { name, scalar, law });
                }
                ForceKind::Bushing { a, b, k, c } => {
                    let (fa, fb) = (self.frame(&a), self.frame(&b));
                    self.sys.bushings.push(Bushing {
                        name,
                        a: fa,
                        b: fb,
                        r_a: a.r,
                        r_b: b.r,
                        k: *k,
                        c: *c,
                    });
                }
                ForceKind::Actuator { coordinate, target, control, kp, ki, kd } => {
                    let scalar = self.coordinate(&coordinate, true);
                    let law = Law::Actuator { target, control, kp, ki, kd, z: None };
                    self.sys.scalar_forces.push(ScalarForce { name, scalar, law });
                }
            }
        }
    }

    /// Integrals of controllers, after all turn counters.
    fn make_integrals(&mut self) {
        for f in &mut self.sys.scalar_forces {
            if let Law::Actuator { ki, z, .. } = &mut f.law
                && *ki != 0.0
            {
                *z = Some(self.sys.dims.nz);
                self.sys.dims.nz += 1;
            }
        }
    }

    fn applied(
        &mut self,
        name: String,
        at: &Frame,
        frame: &Frame,
        components: [delassus_expr::Expr; 3],
        torque: bool,
    ) {
        let at = self.frame(at);
        self.sys.applied.push(Applied {
            name,
            at,
            axes: frame.body.map(|b| b.0),
            r: frame.r,
            components,
            torque,
        });
    }

    fn make_probes(&mut self) {
        let ground =
            Frame { body: None, p: Vec3::zeros(), r: Mat3::identity(), name: String::new() };
        for i in 0..self.sys.model.sensors.len() {
            let m = self.sys.model.sensors[i].measure.clone();
            let axes = |f: &Frame| AxesOf { body: f.body.map(|b| b.0), r: f.r };
            let probe = match m {
                Measure::Position(of, rel, component) => Probe::Position {
                    of: self.frame(&of),
                    rel: self.frame(&rel),
                    axes: axes(&rel),
                    component,
                },
                Measure::Velocity(of, rel, component) => Probe::Velocity {
                    of: self.frame(&of),
                    rel: self.frame(&rel),
                    axes: axes(&rel),
                    component,
                },
                Measure::Acceleration(of, rel, component) => {
                    Probe::Acceleration { of: self.frame(&of), axes: axes(&rel), component }
                }
                Measure::Angle(f) => {
                    let planar = self.is_planar(&f).then(|| planar_angle(&f.r));
                    Probe::Angle { axes: axes(&f), planar_zero: planar }
                }
                Measure::Rate(of, f, component) => {
                    Probe::Rate { body: of.body.map(|b| b.0), axes: axes(&f), component }
                }
                Measure::Orientation(f, component) => {
                    Probe::Orientation { axes: axes(&f), component }
                }
                Measure::Coordinate(c) => {
                    // a force must see the turns; a mere output column is unwrapped as it is recorded
                    let count_turns = self.sys.force_inputs.contains(&i);
                    Probe::Scalar(self.coordinate(&c, count_turns))
                }
                Measure::CoordinateRate(c) => Probe::ScalarRate(self.coordinate(&c, false)),
                Measure::Distance(a, b) => {
                    let d = ScalarDraft { kind: ScalarKind::Length, a, b };
                    Probe::Scalar(self.scalar(&d, false))
                }
                Measure::Reaction(joint, f, component) => {
                    Probe::Reaction { joint, axes: axes(f.as_ref().unwrap_or(&ground)), component }
                }
                Measure::Energy(kind) => Probe::Energy(kind),
                Measure::Expression(e) => Probe::Expression(e),
            };
            self.sys.probes.push(probe);
        }
    }

    /// Sensors that forces read, and what those read, innermost first.
    fn find_force_inputs(&mut self) {
        let mut order = Vec::new();
        let mut stack: Vec<usize> = Vec::new();
        let read = |e: &delassus_expr::Expr, out: &mut Vec<usize>| {
            out.extend(
                e.variables().iter().filter(|v| **v >= var::SENSOR).map(|v| v - var::SENSOR),
            );
        };
        for f in &self.sys.scalar_forces {
            match &f.law {
                Law::Expression(e) | Law::Actuator { target: e, .. } => read(e, &mut stack),
                Law::Linear { .. } => {}
            }
        }
        for a in &self.sys.applied {
            a.components.iter().for_each(|e| read(e, &mut stack));
        }
        while let Some(k) = stack.pop() {
            order.retain(|x| *x != k);
            order.push(k);
            if let Measure::Expression(e) = &self.sys.model.sensors[k].measure {
                read(e, &mut stack);
            }
        }
        order.reverse();
        self.sys.force_inputs = order;
    }

    /// Typical length and the weights that follow from it.
    fn make_scales(&mut self) {
        let sys = &mut self.sys;
        let mut length: f64 = 0.0;
        for f in &sys.frames {
            if f.body.is_some() {
                length = length.max(f.r_b.norm());
            }
        }
        for row in &sys.rows {
            if let RowOffset::Const(x) = row.offset
                && sys.terms[row.terms.start].scalar.kind.is_length()
            {
                length = length.max(x.abs());
            }
        }
        if length == 0.0 {
            // points without extent: the size of the scene
            for b in &sys.model.bodies {
                length = length.max(b.position.norm());
            }
        }
        if length == 0.0 {
            length = 1.0;
        }
        sys.length = length;
        for b in &sys.bodies {
            match b.kind {
                BodyKind::Planar => sys.scales.q.extend([length, length, 1.0]),
                BodyKind::Rigid => sys.scales.q.extend([length, length, length, 1.0, 1.0, 1.0]),
                k => sys.scales.q.extend(std::iter::repeat_n(length, k.nv())),
            }
        }
        for row in &sys.rows {
            let is_length = sys.terms[row.terms.start].scalar.kind.is_length();
            sys.scales.row.push(if is_length { length } else { 1.0 });
        }
        sys.scales.row.extend(std::iter::repeat_n(length, sys.rolls.len()));
    }

    fn make_structure(&mut self) {
        let sys = &mut self.sys;
        let (nv, n_vel) = (sys.dims.nv, sys.dims.n_vel);
        let span = |b: &BodyLayout| b.iv..b.iv + b.kind.nv();
        // which bodies a row touches
        let mut jac = Vec::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let body_of = |f: usize| sys.frames[f].body;
        for (i, row) in sys.rows.iter().enumerate() {
            let mut group = Vec::new();
            for t in &sys.terms[row.terms.clone()] {
                group.extend([body_of(t.scalar.a), body_of(t.scalar.b)].into_iter().flatten());
            }
            for b in &group {
                jac.extend(span(&sys.bodies[*b]).map(|c| (i, c)));
            }
            groups.push(group);
        }
        for r in &sys.rolls {
            let group: Vec<usize> = [body_of(r.a), body_of(r.b)].into_iter().flatten().collect();
            for b in &group {
                jac.extend(span(&sys.bodies[*b]).map(|c| (r.row, c)));
            }
            groups.push(group);
        }
        for f in &sys.scalar_forces {
            groups.push([body_of(f.scalar.a), body_of(f.scalar.b)].into_iter().flatten().collect());
        }
        for b in &sys.bushings {
            groups.push([body_of(b.a), body_of(b.b)].into_iter().flatten().collect());
        }
        for a in &sys.applied {
            groups.push([body_of(a.at), a.axes].into_iter().flatten().collect());
        }
        groups.extend((0..sys.bodies.len()).map(|b| vec![b]));
        let mut tangent = Vec::new();
        for group in &groups {
            for a in group {
                for b in group {
                    for i in span(&sys.bodies[*a]) {
                        tangent.extend(span(&sys.bodies[*b]).map(|j| (i, j)));
                    }
                }
            }
        }
        let (jac, tangent) =
            match (Csr::from_pairs(n_vel, nv, jac), Csr::from_pairs(nv, nv, tangent)) {
                (Ok(j), Ok(t)) => (j, t),
                (Err(e), _) | (_, Err(e)) => {
                    self.faults.push(Diagnostic::error("E_INTERNAL", "", e.to_string()));
                    return;
                }
            };
        let slot = |row: usize, f: usize| match body_of(f) {
            Some(b) => jac.slot(row, sys.bodies[b].iv).unwrap_or(0),
            None => 0,
        };
        let slots: Vec<(usize, usize)> = sys
            .rows
            .iter()
            .enumerate()
            .flat_map(|(i, row)| row.terms.clone().map(move |k| (i, k)))
            .map(|(i, k)| (slot(i, sys.terms[k].scalar.a), slot(i, sys.terms[k].scalar.b)))
            .collect();
        let roll_slots: Vec<(usize, usize)> =
            sys.rolls.iter().map(|r| (slot(r.row, r.a), slot(r.row, r.b))).collect();
        for (t, (a, b)) in sys.terms.iter_mut().zip(slots) {
            (t.slot_a, t.slot_b) = (a, b);
        }
        for (r, (a, b)) in sys.rolls.iter_mut().zip(roll_slots) {
            (r.slot_a, r.slot_b) = (a, b);
        }
        let layout: Vec<(usize, usize)> = sys.bodies.iter().map(|b| (b.iv, b.kind.nv())).collect();
        sys.blocks = BlockSlots::new(&tangent, &layout);
        sys.structure = Structure {
            mass: BlockDiag::new(sys.bodies.iter().map(|b| b.kind.nv()).collect()),
            jac,
            tangent,
            constant_mass: true,
            mass_floor: mass_floor(&sys.bodies, sys.length),
            independent_rows: None,
        };
    }
}

/// Fictitious inertia for coordinates without any.
fn mass_floor(bodies: &[BodyLayout], length: f64) -> Vec<f64> {
    let lightest = bodies.iter().map(|b| b.mass).filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
    let m = MASS_FLOOR * if lightest.is_finite() { lightest } else { 1.0 };
    let mut out = Vec::new();
    for b in bodies {
        let lin = if b.mass > 0.0 { 0.0 } else { m };
        let ang = |i: f64| if i > 0.0 { 0.0 } else { m * length * length };
        match b.kind {
            BodyKind::Planar => out.extend([lin, lin, ang(b.inertia[(2, 2)])]),
            BodyKind::Rigid => {
                out.extend([lin; 3]);
                // a thin rod has no inertia about its own axis: its block is singular
                let eig = b.inertia.symmetric_eigenvalues();
                let thin = eig.min() <= 1e-12 * eig.max().max(f64::MIN_POSITIVE);
                out.extend([if thin { ang(0.0) } else { 0.0 }; 3]);
            }
            k => out.extend(std::iter::repeat_n(lin, k.nv())),
        }
    }
    out
}
