//! Sensors, and which of them forces read.

use super::Builder;
use crate::graph;
use crate::joint::{Context, ScalarDraft};
use crate::system::force::ForceLaw;
use crate::system::probe::{ModeOf, Probe};
use crate::system::scalar::{Angle, ScalarKind, principal};
use crate::system::sensitivity::read;
use crate::{Component, Control, Frame, Measure, Sensor};
use delassus_expr::Expr;
use delassus_math::{Mat3, Vec3};

impl Builder {
    pub(super) fn make_probes(&mut self) {
        let ground = Frame {
            body: None,
            node: None,
            p: Vec3::zeros(),
            r: Mat3::identity(),
            name: String::new(),
        };
        for i in 0..self.sys.model.sensors.len() {
            let m = self.sys.model.sensors[i].measure.clone();
            // a force must see the turns; a mere output column is unwrapped when it is recorded
            let count_turns = self.sys.force_inputs.contains(&i);
            let probe = match m {
                Measure::Position(of, rel, component) => {
                    let kind = match component {
                        Component::X => ScalarKind::Along(rel.r.column(0).into()),
                        Component::Y => ScalarKind::Along(rel.r.column(1).into()),
                        Component::Z => ScalarKind::Along(rel.r.column(2).into()),
                        Component::Norm => ScalarKind::Length,
                    };
                    Probe::Scalar(self.scalar(&ScalarDraft { kind, a: rel, b: of }, false))
                }
                Measure::Velocity(of, rel, component) => Probe::Velocity {
                    of: self.frame(&of),
                    rel: self.frame(&rel),
                    axes: self.axes(&rel),
                    component,
                },
                Measure::Acceleration(of, rel, component) => {
                    Probe::Acceleration { of: self.frame(&of), axes: self.axes(&rel), component }
                }
                Measure::Angle(f) => {
                    // from the ground's x axis to that of the frame, about the ground's z axis
                    let planar = self.is_planar(&f).then(|| (1.0, f.r[(1, 0)].atan2(f.r[(0, 0)])));
                    let x: Vec3 = self.start_rotation(&f) * f.r.column(0);
                    let kind = ScalarKind::Angle(Box::new(Angle {
                        axis: Vec3::z(),
                        x_a: Vec3::x(),
                        y_a: Vec3::y(),
                        x_b: f.r.column(0).into(),
                        planar,
                        turns: None,
                        start: principal(x.y.atan2(x.x)),
                    }));
                    let draft = ScalarDraft { kind, a: ground.clone(), b: f };
                    Probe::Scalar(self.scalar(&draft, count_turns))
                }
                Measure::Rate(of, f, component) => {
                    Probe::Rate { of: self.carrier(&of), axes: self.axes(&f), component }
                }
                Measure::Orientation(f, component) => {
                    Probe::Orientation { axes: self.axes(&f), component }
                }
                // Time-stepping makes steps of any rotation: only a counter can follow.
                Measure::Coordinate(c) => {
                    let steps = !self.sys.model.contacts.is_empty();
                    Probe::Scalar(self.coordinate(&c, count_turns || steps))
                }
                Measure::CoordinateRate(c) => Probe::ScalarRate(self.coordinate(&c, false)),
                Measure::Distance(a, b) => {
                    let d = ScalarDraft { kind: ScalarKind::Length, a, b };
                    Probe::Scalar(self.scalar(&d, false))
                }
                Measure::Reaction(joint, f, component) => {
                    let axes = self.axes(f.as_ref().unwrap_or(&ground));
                    Probe::Reaction { joint, axes, component }
                }
                Measure::Energy(kind) => Probe::Energy(kind),
                Measure::Section(s) => {
                    let (k, part) = self.sys.model.beams[s.beam].element_at(s.at);
                    let element = self.sys.elements_of(s.beam).start + k;
                    Probe::Section { element, part, strain: s.strain, component: s.component }
                }
                Measure::Tyre(force, what) => Probe::of_tyre(&self.sys.tyres, force, what),
                Measure::Amplitude { body, mode, rate } => {
                    let b = &self.sys.bodies[body.0];
                    let from_end = b.amplitudes().len() - mode;
                    let (q, v) = (b.iq + b.nq - from_end, b.iv + b.nv - from_end);
                    let mode = ModeOf { body: body.0, q, v };
                    if rate { Probe::AmplitudeRate(mode) } else { Probe::Amplitude(mode) }
                }
                Measure::Input(k) => Probe::Input(k),
                Measure::Expression(e) => Probe::Expression(e),
            };
            self.sys.probes.push(probe);
        }
    }

    /// The order in which sensors can be evaluated: an expression may read one that comes after it in the file. Cycles
    /// were rejected when the model was compiled.
    pub(super) fn order_sensors(&mut self) {
        let reads: Vec<Vec<usize>> = self.sys.model.sensors.iter().map(reads).collect();
        self.sys.sensor_order = graph::order(&reads, |_| {});
    }

    /// Sensors that forces read, and what those read; and for each force those that are not expressions.
    pub(super) fn find_force_inputs(&mut self) {
        let sys = &mut self.sys;
        let sensors = &sys.model.sensors;
        let mut read_by_some = vec![false; sensors.len()];
        for f in &mut sys.scalar_forces {
            if let ForceLaw::Expression(e) | ForceLaw::Actuator { target: e, .. } = &f.law {
                f.reads = inputs(sensors, [e], &mut read_by_some);
            }
            // sensors of time alone have rates too
            if let ForceLaw::Actuator { target, control: Control::Position, kd, .. } = &f.law {
                sys.needs_rates |= *kd != 0.0 && read(target).next().is_some();
            }
            let n = f.reads.len();
            f.readings = sys.n_readings..sys.n_readings + n;
            sys.n_readings += n;
        }
        for a in &mut sys.applied {
            a.reads = inputs(sensors, &a.components, &mut read_by_some);
        }
        sys.force_inputs = sys.sensor_order.iter().copied().filter(|k| read_by_some[*k]).collect();
    }
}

/// Sensors that a sensor reads.
fn reads(sensor: &Sensor) -> Vec<usize> {
    match &sensor.measure {
        Measure::Expression(e) => read(e).map(|(_, k)| k).collect(),
        _ => Vec::new(),
    }
}

/// The sensors at the end of what some expressions read, in ascending order; all that are met on the way are marked.
/// Each is entered once: many paths may lead to it.
fn inputs<'e>(
    sensors: &[Sensor],
    expressions: impl IntoIterator<Item = &'e Expr>,
    read_by_some: &mut [bool],
) -> Vec<usize> {
    let mut stack: Vec<usize> = expressions.into_iter().flat_map(read).map(|(_, k)| k).collect();
    let mut met = vec![false; sensors.len()];
    let mut leaves = Vec::new();
    while let Some(k) = stack.pop() {
        if std::mem::replace(&mut met[k], true) {
            continue;
        }
        read_by_some[k] = true;
        match &sensors[k].measure {
            Measure::Expression(_) => stack.extend(reads(&sensors[k])),
            // it does not change with the state
            Measure::Input(_) => {}
            _ => leaves.push(k),
        }
    }
    leaves.sort_unstable();
    leaves
}
