//! Sensors, and which of them forces read.

use super::Builder;
use crate::joint::{Context, ScalarDraft};
use crate::model::var;
use crate::system::force::Law;
use crate::system::probe::{AxesOf, Probe, planar_angle};
use crate::system::scalar::ScalarKind;
use crate::{Frame, Measure};
use delassus_math::{Mat3, Vec3};

impl Builder {
    pub(super) fn make_probes(&mut self) {
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
    pub(super) fn find_force_inputs(&mut self) {
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
}
