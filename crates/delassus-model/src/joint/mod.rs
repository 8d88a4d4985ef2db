//! Joints, one file each: how a joint becomes rows of scalars.
//!
//! A joint states the rows of a *spatial* pair. Assembly drops the rows that have no effect on a pair of planar bodies,
//! so a revolute joint has two rows between planar bodies and five in space, from the same file. To add a joint: write
//! a file, add it to [`lower`], and give it its contract test.

mod coupling;
mod cylindrical;
mod distance;
mod fixed;
mod loose;
mod motion;
mod pair;
mod parallel_axes;
mod planar;
mod point_on_line;
mod point_on_plane;
mod prismatic;
mod revolute;
mod rolling;
mod screw;
mod spherical;
mod universal;

#[cfg(test)]
pub(crate) mod contract;

use crate::system::scalar::{Angle, ScalarKind, turns};
use crate::{AxisPair, Coordinate, CoordinateKind, Frame, JointKind, PlayForm};
use delassus_expr::Expr;
use delassus_math::{Mat3, Vec3, frame_from_z};

/// Right-hand side of a row.
#[derive(Debug, Clone)]
pub(crate) enum Offset {
    /// A number.
    Const(f64),
    /// The value at the given initial position.
    AtStart,
    /// A function of time.
    Motion(Expr),
}

/// Σ coefficient · scalar = offset.
#[derive(Debug, Clone)]
pub(crate) struct RowDraft {
    /// Direction, for messages: "translation x".
    pub label: String,
    pub terms: Vec<(f64, ScalarDraft)>,
    pub offset: Offset,
}

/// A scalar between two frames that have no index yet.
#[derive(Debug, Clone)]
pub(crate) struct ScalarDraft {
    pub kind: ScalarKind,
    pub a: Frame,
    pub b: Frame,
}

/// No-slip rows of a rolling joint.
#[derive(Debug, Clone)]
pub(crate) struct RollingDraft {
    pub pair: AxisPair,
    pub radius: f64,
    pub disc: bool,
}

/// What a joint turns into.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lowered {
    pub rows: Vec<RowDraft>,
    pub rolling: Option<RollingDraft>,
}

/// What lowering may ask about the model.
pub(crate) trait Context {
    /// Initial orientation of the body that carries the frame (body to ground components).
    fn start_rotation(&self, f: &Frame) -> Mat3;
    /// Whether the frame's body moves only in the plane (ground counts).
    fn is_planar(&self, f: &Frame) -> bool;
    /// Value of a pair's angle at the start, on its initial turn.
    fn start_angle(&self, pair: &AxisPair, angle: &Angle) -> f64;
    /// Angle of a planar body at the start as given, with its turns; 0 for the ground.
    fn body_angle(&self, f: &Frame) -> f64;
}

/// Rows of a joint.
pub(crate) fn lower(kind: &JointKind, ctx: &dyn Context) -> Lowered {
    let rows = match kind {
        JointKind::Revolute(p) => revolute::rows(p),
        JointKind::Prismatic(p) => prismatic::rows(p, ctx),
        JointKind::Cylindrical(p) => cylindrical::rows(p),
        JointKind::Spherical(p) => spherical::rows(p),
        JointKind::Universal(p) => universal::rows(p),
        JointKind::Planar(p) => planar::rows(p),
        JointKind::Fixed(p) => fixed::rows(p),
        JointKind::Screw(p, pitch) => screw::rows(p, *pitch, ctx),
        JointKind::Distance(p, length) => distance::rows(p, *length),
        JointKind::PointOnLine(p) => point_on_line::rows(p),
        JointKind::PointOnPlane(p) => point_on_plane::rows(p),
        JointKind::ParallelAxes(p) => parallel_axes::rows(p),
        JointKind::Coupling(terms, offset) => coupling::rows(terms, *offset, ctx),
        JointKind::Motion(c, value) => motion::rows(c, value, ctx),
        JointKind::Rolling { pair, radius, disc } => return rolling::lower(pair, *radius, *disc),
        JointKind::Loose(play) => loose::rows(play),
    };
    Lowered { rows, rolling: None }
}

/// The joint's own coordinate, for `initial_rate`.
pub(crate) fn own_coordinate(kind: &JointKind) -> Option<Coordinate> {
    let of = |kind, pair: &AxisPair| Some(Coordinate { kind, pair: pair.clone() });
    match kind {
        JointKind::Revolute(p)
        | JointKind::Cylindrical(p)
        | JointKind::Screw(p, _)
        | JointKind::Planar(p) => of(CoordinateKind::Angle, p),
        JointKind::Prismatic(p) => of(CoordinateKind::Position, p),
        JointKind::Loose(play) => match play.form {
            PlayForm::Journal { .. } | PlayForm::Shaft { .. } => {
                of(CoordinateKind::Angle, &play.pair)
            }
            PlayForm::Block { .. } | PlayForm::Channel { .. } => {
                of(CoordinateKind::Position, &play.pair)
            }
            PlayForm::Ball { .. } => None,
        },
        _ => None,
    }
}

/// Directions of a pair in body components: axis and two perpendiculars on the first body,
/// axis on the second.
pub(crate) struct Axes {
    pub z_a: Vec3,
    pub x_a: Vec3,
    pub y_a: Vec3,
    pub z_b: Vec3,
}

pub(crate) fn axes(p: &AxisPair) -> Axes {
    let f = p.a.r * frame_from_z(&p.axis_a);
    Axes {
        x_a: f.column(0).into(),
        y_a: f.column(1).into(),
        z_a: f.column(2).into(),
        z_b: p.b.r * p.axis_b,
    }
}

/// One row with one scalar and a constant right-hand side.
pub(crate) fn row(label: &str, p: &AxisPair, kind: ScalarKind, offset: f64) -> RowDraft {
    RowDraft {
        label: label.to_owned(),
        terms: vec![(1.0, ScalarDraft { kind, a: p.a.clone(), b: p.b.clone() })],
        offset: Offset::Const(offset),
    }
}

/// Origins coincide: three rows along the ground axes.
pub(crate) fn coincide(p: &AxisPair) -> Vec<RowDraft> {
    ["translation x", "translation y", "translation z"]
        .iter()
        .enumerate()
        .map(|(k, label)| row(label, p, ScalarKind::World(k), 0.0))
        .collect()
}

/// The axes are parallel: two rows.
pub(crate) fn parallel(p: &AxisPair) -> Vec<RowDraft> {
    let x = axes(p);
    vec![
        row("rotation 1", p, ScalarKind::Dot(x.x_a, x.z_b), 0.0),
        row("rotation 2", p, ScalarKind::Dot(x.y_a, x.z_b), 0.0),
    ]
}

/// The second origin is on the axis of the first frame: two rows.
pub(crate) fn on_axis(p: &AxisPair) -> Vec<RowDraft> {
    let x = axes(p);
    vec![
        row("translation 1", p, ScalarKind::Along(x.x_a), 0.0),
        row("translation 2", p, ScalarKind::Along(x.y_a), 0.0),
    ]
}

/// The scalar that a coordinate measures.
pub(crate) fn coordinate_scalar(c: &Coordinate, ctx: &dyn Context) -> ScalarDraft {
    let p = &c.pair;
    let x = axes(p);
    let kind = match c.kind {
        CoordinateKind::Position => ScalarKind::Along(x.z_a),
        CoordinateKind::Angle => {
            let x_b: Vec3 = (p.b.r * frame_from_z(&p.axis_b)).column(0).into();
            let mut angle = Angle {
                axis: x.z_a,
                x_a: x.x_a,
                y_a: x.y_a,
                x_b,
                planar: None,
                turns: None,
                start: 0.0,
            };
            angle.start = ctx.start_angle(p, &angle);
            // Between planar bodies the angle is the difference of two coordinates, which count turns by themselves.
            angle.planar = (ctx.is_planar(&p.a) && ctx.is_planar(&p.b)).then(|| {
                let sign = x.z_a.z.signum();
                let zero = x.y_a.dot(&x_b).atan2(x.x_a.dot(&x_b));
                let given = sign * (ctx.body_angle(&p.b) - ctx.body_angle(&p.a)) + zero;
                (sign, zero + turns(angle.start - given))
            });
            ScalarKind::Angle(Box::new(angle))
        }
    };
    ScalarDraft { kind, a: p.a.clone(), b: p.b.clone() }
}
