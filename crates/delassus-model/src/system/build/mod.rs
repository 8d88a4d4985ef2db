//! From a checked model to equations: layout, rows, sparsity.

mod angles;
pub(crate) mod contacts;
mod forces;
mod rows;
mod sensors;
mod structure;

use super::kin::{BodyKin, BodyLayout, FrameLayout};
use super::scalar::{Angle, PairScalar, ScalarKind};
use super::tangent::BlockSlots;
use super::{System, Workspace};
use crate::joint::{self, Context, RowDraft, ScalarDraft};
use crate::{AxisPair, BodyId, BodyKind, Coordinate, Diagnostic, Frame, JointId, Model};
use delassus_dae::{Block, Dims, Manifold, Problem, Scales, Structure};
use delassus_math::{Mat3, Quat, Vec3};
use std::collections::HashMap;

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

    /// Auxiliary states at a configuration: turn counters on the turn where their angles start,
    /// integrals zero.
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
    /// Angles that start on a turn of their own.
    pinned: Vec<angles::Pinned>,
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

    fn start_angle(&self, pair: &AxisPair, angle: &Angle) -> f64 {
        self.start_value(pair, angle)
    }

    fn body_angle(&self, f: &Frame) -> f64 {
        match f.body.map(|b| &self.sys.model.bodies[b.0]) {
            Some(b) if b.kind == BodyKind::Planar => b.angle,
            _ => 0.0,
        }
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
            coincidences: Vec::new(),
            other_rows: Vec::new(),
            rolls: Vec::new(),
            origins: Vec::new(),
            scalar_forces: Vec::new(),
            applied: Vec::new(),
            bushings: Vec::new(),
            contacts: Default::default(),
            counters: Vec::new(),
            turning: Vec::new(),
            probes: Vec::new(),
            sensor_order: Vec::new(),
            force_inputs: Vec::new(),
            n_readings: 0,
            needs_rates: false,
            integrates: false,
            n_motions: 0,
            time: Default::default(),
            dims: Dims { nq: iq, nv: iv, nz: 0, n_pos: 0, n_vel: 0 },
            manifold: Manifold::new(&blocks),
            structure: Structure::dense(0, 0),
            scales: Scales { q: Vec::new(), row: Vec::new(), z: Vec::new() },
            length: 1.0,
            blocks: BlockSlots::default(),
            model,
        };
        Builder {
            pinned: angles::pinned(&sys.model),
            sys,
            faults: Vec::new(),
            frame_index: HashMap::new(),
            drafts: Vec::new(),
        }
    }

    fn finish(mut self) -> Result<System, Vec<Diagnostic>> {
        self.lower_joints();
        self.make_rows();
        self.make_rolling();
        self.make_forces();
        self.make_contacts();
        self.order_sensors();
        self.find_force_inputs();
        self.make_probes();
        self.make_integrals();
        self.find_turning();
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        self.make_scales();
        self.make_structure();
        self.sys.time = self.sys.find_time_laws();
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
        let body = f.body.map(|b| b.0);
        let planar = body.is_some_and(|b| self.sys.bodies[b].kind == BodyKind::Planar);
        self.sys.frames.push(FrameLayout { body, planar, r_b });
        self.frame_index.insert(key, i);
        i
    }

    /// Scalar with frame indices; an angle that must count turns gets its state, and one that
    /// need not shares it where there is one: two counts of one angle could differ.
    fn scalar(&mut self, d: &ScalarDraft, count_turns: bool) -> PairScalar {
        let (a, b) = (self.frame(&d.a), self.frame(&d.b));
        let mut s = PairScalar { kind: d.kind.clone(), a, b };
        if let ScalarKind::Angle(angle) = &mut s.kind
            && angle.planar.is_none()
        {
            let found = self.sys.counters.iter().position(|c| {
                c.a == a
                    && c.b == b
                    && matches!(&c.kind, ScalarKind::Angle(x) if x.same_directions(angle))
            });
            let counters = &mut self.sys.counters;
            angle.turns = found.or_else(|| {
                count_turns.then(|| {
                    counters.push(PairScalar { kind: ScalarKind::Angle(angle.clone()), a, b });
                    self.sys.dims.nz += 1;
                    counters.len() - 1
                })
            });
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
            rates: Vec::new(),
            forces: Vec::new(),
            readings: Vec::new(),
            over: Default::default(),
            near: Default::default(),
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
}
