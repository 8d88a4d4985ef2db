//! Friction of the sliding points of a [`Mode`], as a force that depends on the state.
//!
//! The normal forces r_N of all closed points, and the sticking ones, follow from the condition
//! that no closed point accelerates along its rows:
//!
//! ```text
//! H_i A⁻¹ (Σ_j c_j x_j) = −(H_i a_free + bias_i)      c = H_Nᵀ, H_Tᵀ; sliding: H_Nᵀ − μ H_Tᵀ d
//! ```
//!
//! There is one unknown for each *independent* row of a closed point, the same ones that methods
//! solve with, for as long as the mode lasts. Forces at the others are zero. A choice that is made
//! anew at every state would let friction jump where points share a load (the corners of a box),
//! and all points together would make a singular system several times as large.

use crate::basic::BasicSolver;
use crate::mode::{Mode, ModeWorkspace, Motion};
use delassus_dae::{Accel, Law, Point, StepFailure, Unilateral};

/// Sliding speeds below this part of the scale of speeds take their direction from the start of
/// the mode: at the first moment of sliding the speed is zero and has none.
const SLOW: f64 = 1e-9;

/// An unknown force.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unknown {
    /// Place of the active point.
    point: usize,
    /// Row of its kinematics along which it acts and which must not accelerate.
    row: usize,
}

/// Unknowns of a mode with these rows for each point: normal, tangents (rows of G).
pub(crate) fn unknowns<'a>(
    rows: impl Iterator<Item = (&'a Law, Option<usize>, [Option<usize>; 2])>,
    independent: Option<&[usize]>,
) -> Vec<Unknown> {
    let chosen = |row: &usize| independent.is_none_or(|r| r.binary_search(row).is_ok());
    let mut out = Vec::new();
    for (point, (law, normal, tangent)) in rows.enumerate() {
        if normal.as_ref().is_some_and(chosen) {
            out.push(Unknown { point, row: 0 });
        }
        for (i, row) in tangent.iter().enumerate() {
            if row.as_ref().is_some_and(chosen) {
                out.push(Unknown { point, row: tangential_row(law, i) });
            }
        }
    }
    out
}

/// Row of the tangential kinematics of a law (dry friction has its rate in row 0).
pub(crate) fn tangential_row(law: &Law, i: usize) -> usize {
    match law {
        Law::DryFriction { .. } => 0,
        _ => 1 + i,
    }
}

/// Scratch of the force problem.
pub(crate) struct Sliding {
    /// Of the system without points; none where normal forces are not asked for.
    acc: Option<Accel>,
    a: Vec<f64>,
    f: Vec<f64>,
    lambda: Vec<f64>,
    bias: Vec<f64>,
    /// A⁻¹ (force direction), one vector per unknown.
    columns: Vec<f64>,
    system: BasicSolver,
    /// Unit direction of each active point that slides.
    direction: Vec<[f64; 2]>,
}

impl Sliding {
    pub fn new<P: Unilateral>(mode: &Mode<P>) -> Sliding {
        let (base, n) = (mode.base(), mode.unknowns.len());
        let d = base.dims();
        let solves = mode.rubs();
        let n = if solves { n } else { 0 };
        Sliding {
            acc: if solves { Accel::new(&**base).ok() } else { None },
            a: vec![0.0; d.nv],
            f: vec![0.0; d.nv],
            lambda: vec![0.0; d.n_vel],
            bias: vec![0.0; d.n_vel],
            columns: vec![0.0; n * d.nv],
            system: BasicSolver::new(n),
            direction: vec![[0.0; 2]; mode.active().len()],
        }
    }
}

impl<P: Unilateral> Mode<P> {
    /// A point slides whose friction depends on its normal force.
    pub(crate) fn rubs(&self) -> bool {
        let slides = |m: &Motion| matches!(m, Motion::Slip(_));
        let mut all = self.active().iter().enumerate();
        all.any(|(k, a)| slides(&a.motion) && matches!(self.law(k), Law::Contact { .. }))
    }

    /// Unit direction of sliding. In the plane it is fixed, so that the force stays smooth where
    /// the speed passes zero; in space it turns with the velocity.
    pub(crate) fn direction(&self, k: usize, point: &Point, d0: [f64; 2]) -> [f64; 2] {
        match self.law(k) {
            Law::Contact { tangential: 2, .. } => {
                let slow = SLOW * self.speed;
                // past the point where sliding stops the force goes on smoothly, not turned round
                let along = point.rate[1] * d0[0] + point.rate[2] * d0[1];
                let sign = if along < 0.0 { -1.0 } else { 1.0 };
                let d = [sign * point.rate[1] + slow * d0[0], sign * point.rate[2] + slow * d0[1]];
                let n = d[0].hypot(d[1]);
                if n > 0.0 { [d[0] / n, d[1] / n] } else { d0 }
            }
            _ => d0,
        }
    }

    /// Forces of sliding points at the realised velocities, into `ws.friction`.
    pub(crate) fn rub(&self, ws: &mut ModeWorkspace<P>) {
        ws.friction.fill(0.0);
        ws.lost = 0.0;
        // friction with a known bound first: a plain force
        for (k, a) in self.active().iter().enumerate() {
            let Motion::Slip(d0) = a.motion else { continue };
            ws.sliding.direction[k] = self.direction(k, &ws.points[k], d0);
            if let Law::DryFriction { bound, .. } = self.law(k) {
                ws.points[k].add_row(0, -bound * d0[0], &mut ws.friction);
                ws.lost += bound * d0[0] * ws.points[k].rate[0];
            }
        }
        if ws.sliding.acc.is_none() {
            return;
        }
        if self.normal_forces(ws).is_err() {
            ws.friction.fill(f64::NAN);
            return;
        }
        for (u, normal) in self.unknowns.iter().zip(&ws.sliding.system.x) {
            let (k, point) = (u.point, &ws.points[u.point]);
            let Some((mu, tangential)) = self.slides(u) else { continue };
            let d = ws.sliding.direction[k];
            for i in 0..tangential {
                let size = mu * normal * d[i];
                point.add_row(1 + i, -size, &mut ws.friction);
                ws.lost += size * point.rate[1 + i];
            }
        }
    }

    /// μ and the number of tangents where the unknown is the normal force of a sliding contact.
    fn slides(&self, u: &Unknown) -> Option<(f64, usize)> {
        match (self.law(u.point), self.active()[u.point].motion, u.row) {
            (Law::Contact { mu, tangential, .. }, Motion::Slip(_), 0) => Some((mu, tangential)),
            _ => None,
        }
    }

    /// Solves for the unknowns, into `ws.sliding.system.x`.
    fn normal_forces(&self, ws: &mut ModeWorkspace<P>) -> Result<(), StepFailure> {
        let ModeWorkspace { base, points, friction, sliding, .. } = ws;
        let Sliding { acc, a, f, lambda, bias, columns, system, direction } = sliding;
        let Some(acc) = acc else { return Ok(()) };
        let (nv, n) = (a.len(), self.unknowns.len());
        acc.factor_realized(&**self.base(), base)?;
        self.base().force(base, f);
        for (f, x) in f.iter_mut().zip(&*friction) {
            *f += x;
        }
        self.base().bias(base, bias);
        for x in bias.iter_mut() {
            *x = -*x;
        }
        acc.solve(f, bias, a, lambda)?;
        for (u, column) in self.unknowns.iter().zip(columns.chunks_exact_mut(nv)) {
            f.fill(0.0);
            let point = &points[u.point];
            point.add_row(u.row, 1.0, f);
            if let Some((mu, tangential)) = self.slides(u) {
                for i in 0..tangential {
                    point.add_row(1 + i, -mu * direction[u.point][i], f);
                }
            }
            acc.respond(f, column, lambda)?;
        }
        for (i, u) in self.unknowns.iter().enumerate() {
            let point = &points[u.point];
            for (w, column) in system.w[i * n..(i + 1) * n].iter_mut().zip(columns.chunks_exact(nv))
            {
                *w = point.row_dot(u.row, column);
            }
            system.x[i] = -point.row_dot(u.row, a) - point.bias[u.row];
        }
        system.solve();
        Ok(())
    }
}
