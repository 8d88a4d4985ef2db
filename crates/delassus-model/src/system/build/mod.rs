//! From a checked model to equations: layout, rows, sparsity.

mod angles;
pub(crate) mod contacts;
mod forces;
mod groups;
mod rows;
mod sensors;
mod structure;

pub(crate) use groups::Groups;

use super::body::{BodyLayout, FrameLayout, Kin};
use super::probe::AxesOf;
use super::scalar::{Angle, PairScalar, ScalarKind};
use super::tangent::BlockSlots;
use super::{System, Workspace};
use crate::joint::{self, Context, RowDraft, ScalarDraft};
use crate::{AxisPair, BodyId, Coordinate, Diagnostic, Frame, JointId, Model};
use delassus_dae::{Dims, Manifold, Problem, Scales, Structure};
use delassus_math::Mat3;
use std::collections::HashMap;

impl System {
    /// Assembles the equations of a model.
    pub fn new(model: Model) -> Result<System, Vec<Diagnostic>> {
        Builder::new(model).finish()
    }

    /// Initial configuration as given (mass-centre coordinates), before assembly analysis.
    pub fn given_configuration(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.dims.nq];
        for (b, l) in self.model.bodies.iter().zip(&self.bodies) {
            b.start(&mut q[l.iq..l.iq + l.nq]);
        }
        q
    }

    /// Indices of the inputs among the auxiliary states.
    pub fn inputs(&self) -> std::ops::Range<usize> {
        self.dims.nz - self.model.inputs.len()..self.dims.nz
    }

    /// Auxiliary states at a configuration: turn counters on the initial turn of their angles, integrals and deflections zero, inputs
    /// as the model gives them.
    pub fn initial_z(&self, t: f64, q: &[f64]) -> Vec<f64> {
        let mut z = vec![0.0; self.dims.nz];
        let mut ws = self.workspace();
        self.realize_position(t, q, &z, &mut ws);
        for (k, c) in self.counters.iter().enumerate() {
            z[k] = c.kind.value(&self.pair(&ws, c), &z);
        }
        for (z, input) in z[self.inputs()].iter_mut().zip(&self.model.inputs) {
            *z = input.default;
        }
        z
    }
}

/// Body, node and origin of a frame.
type FrameKey = (Option<usize>, Option<usize>, [u64; 3]);

struct Builder {
    sys: System,
    faults: Vec<Diagnostic>,
    frame_index: HashMap<FrameKey, usize>,
    /// Rows found so far with the joint to which they belong.
    drafts: Vec<(JointId, RowDraft)>,
    /// Angles that start on a turn of their own.
    pinned: Vec<angles::Pinned>,
}

impl Context for Builder {
    fn start_rotation(&self, f: &Frame) -> Mat3 {
        f.body.map_or_else(Mat3::identity, |b| self.sys.model.bodies[b.0].start_rotation_of(f.node))
    }

    fn is_planar(&self, f: &Frame) -> bool {
        f.body.is_none_or(|b| self.sys.model.bodies[b.0].kind.is_planar())
    }

    fn start_angle(&self, pair: &AxisPair, angle: &Angle) -> f64 {
        self.start_value(pair, angle)
    }

    fn body_angle(&self, f: &Frame) -> f64 {
        let of = |b: BodyId| {
            let body = &self.sys.model.bodies[b.0];
            let own = || body.angle + body.start_turn_of(f.node).z;
            self.sys.bodies[b.0].angle_rate().map(|_| own())
        };
        f.body.and_then(of).unwrap_or(0.0)
    }
}

impl Builder {
    fn new(model: Model) -> Builder {
        let mut bodies = Vec::with_capacity(model.bodies.len());
        let mut blocks = Vec::new();
        let (mut iq, mut iv) = (0, 0);
        for b in &model.bodies {
            let layout = BodyLayout::new(b, iq, iv);
            (iq, iv) = (iq + layout.nq, iv + layout.nv);
            bodies.push(layout);
            blocks.extend(b.blocks());
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
            beam_elements: Vec::new(),
            tyres: Vec::new(),
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
            way: Default::default(),
            dims: Dims { nq: iq, nv: iv, nz: 0, n_pos: 0, n_vel: 0 },
            manifold: Manifold::new(&blocks),
            structure: Structure::dense(0, 0),
            scales: Scales { q: Vec::new(), row: Vec::new(), z: Vec::new() },
            length: 1.0,
            groups: Default::default(),
            blocks: BlockSlots::default(),
            bent: Vec::new(),
            loaded: Vec::new(),
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
        self.make_deflections();
        self.make_bristles();
        self.make_inputs();
        self.find_turning();
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        self.find_length();
        self.make_groups();
        self.make_scales();
        self.make_structure();
        self.sys.time = self.sys.find_time_laws();
        self.sys.way = self.sys.find_state_laws();
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        Ok(self.sys)
    }

    /// Index of a frame; equal origins on one body share it.
    fn frame(&mut self, f: &Frame) -> usize {
        self.add_frame(FrameLayout::new(f, &self.sys.bodies))
    }

    /// Index of a frame that carries everything fixed at this one, including its axes; a body that turns as one may
    /// have the same for all.
    fn carrier(&mut self, f: &Frame) -> usize {
        self.add_frame(FrameLayout::new(f, &self.sys.bodies).anchored())
    }

    /// Axes that turn with a frame.
    fn axes(&mut self, f: &Frame) -> AxesOf {
        AxesOf { frame: self.carrier(f), r: f.r }
    }

    fn add_frame(&mut self, frame: FrameLayout) -> usize {
        let r = &frame.r_b;
        let key = (frame.body(), frame.node_number(), [r.x, r.y, r.z].map(f64::to_bits));
        if let Some(&i) = self.frame_index.get(&key) {
            return i;
        }
        let i = self.sys.frames.len();
        self.sys.frames.push(frame);
        self.frame_index.insert(key, i);
        i
    }

    /// Scalar with frame indices; an angle that must count turns gets its state, and one that need not shares it if
    /// there is one: two counts of one angle could differ.
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
            kin: Kin::new(&self.sys.bodies, &self.sys.frames),
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
            touches: Vec::new(),
            over: Default::default(),
            way: Default::default(),
            near: Default::default(),
            tangent: Default::default(),
        };
        ws.kin.place(&self.sys.bodies, &self.sys.frames, q);
        ws
    }
}
