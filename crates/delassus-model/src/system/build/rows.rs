//! Constraint rows of joints: those that have an effect on the bodies, and rolling.

use super::Builder;
use crate::joint::{self, Context, Offset};
use crate::system::rolling::RollRow;
use crate::system::scalar::{PairScalar, ScalarKind};
use crate::system::{Row, RowOffset, RowOrigin, Term, Workspace};
use crate::{Diagnostic, JointId};

/// A scalar row whose gradient is below this in every configuration is dropped.
const NO_GRADIENT: f64 = 1e-12;

impl Builder {
    /// A distance along an axis of the ground is the simplest kind of row; guides and planes are often aligned like
    /// that.
    fn along_ground_axis(&self, c: f64, mut s: PairScalar) -> (f64, PairScalar) {
        if let ScalarKind::Along(a) = s.kind
            && self.sys.frames[s.a].body().is_none()
        {
            for k in 0..3 {
                if a[k].abs() == 1.0 && a.norm_squared() == 1.0 {
                    s.kind = ScalarKind::World(k);
                    return (c * a[k], s);
                }
            }
        }
        (c, s)
    }

    /// Rows in file order, without those that have no effect on the bodies.
    pub(super) fn make_rows(&mut self) {
        let drafts = std::mem::take(&mut self.drafts);
        let mut made = Vec::with_capacity(drafts.len());
        for (id, d) in drafts {
            let terms: Vec<(f64, PairScalar)> = d
                .terms
                .iter()
                .map(|(c, s)| {
                    let scalar = self.scalar(s, true);
                    self.along_ground_axis(*c, scalar)
                })
                .collect();
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
                    // the turn counters start on the turn of their angles
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
            let term = |(c, scalar)| Term { scalar, c, slot_a: 0, slot_b: 0 };
            self.sys.terms.extend(terms.into_iter().map(term));
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

    /// Whether the scalar's gradient reaches at least one velocity of its bodies.
    fn feels(&self, ws: &Workspace, s: &PairScalar) -> bool {
        let h = s.kind.gradient(&self.sys.pair(ws, s));
        [(s.a, &h.a_lin, &h.a_ang), (s.b, &h.b_lin, &h.b_ang)].into_iter().any(|(f, lin, ang)| {
            self.sys.jac(&ws.kin, f).is_some_and(|j| {
                let mut out = vec![0.0; j.len()];
                j.transpose_mul(lin, ang, &mut out);
                out.iter().any(|x| x.abs() > NO_GRADIENT)
            })
        })
    }

    pub(super) fn make_rolling(&mut self) {
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
                let h = row.gradient(&self.sys.frame_pair(&ws.kin, a, b));
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
}
