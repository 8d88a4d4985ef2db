//! Friction of the sliding points of a [`Mode`], as a force that depends on the state.
//!
//! The normal forces r_N of all closed points, and the sticking ones, follow from the condition
//! that no closed point accelerates along its rows:
//!
//! ```text
//! H_i A⁻¹ (Σ_j c_j x_j) = −(H_i a_free + bias_i)      c = H_Nᵀ, H_Tᵀ; sliding: H_Nᵀ − μ H_Tᵀ d
//! ```
//!
//! There is one equation for each *independent* row of a closed point, the same ones that methods solve with, for as
//! long as the mode lasts. Where rows depend on others there are more forces than equations, and the points share their
//! loads ([`Shares`]).
//!
//! In space the direction d = u_T/|u_T| turns with the velocity. At very low speed it turns fast: friction is a damper
//! μ r_N/|u_T| across the direction of sliding, whose rate 1/|u_T| makes the equations stiff.
//! [`Mode::tangent`](delassus_dae::Problem::tangent) includes it, for implicit methods.

use crate::basic::BasicSolver;
use crate::groups::Groups;
use crate::mode::{Mode, ModeWorkspace, SlipState};
use crate::neighbours::Neighbours;
use crate::shares::{Kind, Sharer, Shares};
use delassus_dae::{Accel, ContactPoint, PointLaw, StepFailure, Unilateral};
use delassus_math::remember;
use std::cell::RefCell;

/// Sliding speeds below this fraction of the scale of speeds take their direction from the start of the step: at the
/// first moment of sliding the speed is zero and has none.
pub(crate) const SLOW: f64 = 1e-9;

/// A force along a row of a closed point: the normal force, or one of sticking.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Force {
    /// Index of the active point.
    pub point: usize,
    /// Row of its kinematics along which it acts and which must not accelerate.
    pub row: usize,
    /// Row of G.
    pub constraint: usize,
    /// Its row depends on others: methods do not solve with it.
    pub dependent: bool,
    /// It is not unique: its row depends on others, or others depend on it.
    pub shared: bool,
}
remember!(Force { point, row, constraint, dependent, shared });

/// Forces of a mode with these rows for each point: normal, tangents (rows of G).
pub(crate) fn forces<'a>(
    rows: impl Iterator<Item = (&'a PointLaw, Option<usize>, [Option<usize>; 2])>,
    independent: Option<&[usize]>,
) -> Vec<Force> {
    let depends = |row: usize| independent.is_some_and(|r| r.binary_search(&row).is_err());
    let mut out = Vec::new();
    for (point, (law, normal, tangent)) in rows.enumerate() {
        let force = |row: usize, g: usize| {
            let dependent = depends(g);
            Force { point, row, constraint: g, dependent, shared: dependent }
        };
        out.extend(normal.map(|g| force(0, g)));
        for (i, g) in tangent.iter().enumerate() {
            out.extend(g.map(|g| force(tangential_row(law, i), g)));
        }
    }
    out
}

/// Row of the tangential kinematics of a law (dry friction has its rate in row 0).
pub(crate) fn tangential_row(law: &PointLaw, i: usize) -> usize {
    match law {
        PointLaw::DryFriction { .. } => 0,
        _ => 1 + i,
    }
}

/// Scratch of the force problem.
pub(crate) struct Sliding {
    /// Of the system without points; `None` if forces are not needed.
    pub acc: Option<Accel>,
    /// Accelerations without the forces that are solved for; including them after [`Mode::accelerate`].
    pub a: Vec<f64>,
    f: Vec<f64>,
    lambda: Vec<f64>,
    bias: Vec<f64>,
    /// A⁻¹ (force direction), one vector per equation; of the rows themselves if loads are shared.
    columns: Vec<f64>,
    neighbours: Neighbours,
    system: BasicSolver,
    /// If rows depend on others.
    shares: Option<Shares>,
    /// All forces of the mode, N.
    pub forces: Vec<f64>,
    /// Unit direction of each active point that slides.
    direction: Vec<[f64; 2]>,
    /// Tangent of the system without points.
    pub tangent: RefCell<Vec<f64>>,
    /// Multipliers of the system without points.
    pub multipliers: RefCell<Vec<f64>>,
}

impl Sliding {
    pub fn new<P: Unilateral>(mode: &Mode<P>) -> Sliding {
        let base = mode.base();
        let d = base.dims();
        let solves = mode.slides_with_friction() || mode.is_redundant();
        let n = if solves { mode.forces.iter().filter(|f| !f.dependent).count() } else { 0 };
        let nnz = mode.tangent_slots.as_ref().map_or(0, Vec::len);
        Sliding {
            acc: if solves { Accel::new(&**base).ok() } else { None },
            a: vec![0.0; d.nv],
            f: vec![0.0; d.nv],
            lambda: vec![0.0; d.n_vel],
            bias: vec![0.0; d.n_vel],
            columns: vec![0.0; n * d.nv],
            neighbours: Neighbours::new(&Groups::new(&**base)),
            system: BasicSolver::new(n),
            shares: mode.is_redundant().then(|| mode.shares()),
            forces: vec![0.0; mode.forces.len()],
            direction: vec![[0.0; 2]; mode.active().len()],
            tangent: RefCell::new(vec![0.0; nnz]),
            multipliers: RefCell::new(vec![0.0; d.n_vel]),
        }
    }
}

impl<P: Unilateral> Mode<P> {
    /// Some rows of closed points depend on others, so that forces are shared.
    pub fn is_redundant(&self) -> bool {
        self.forces.iter().any(|f| f.dependent)
    }

    /// How its points share loads.
    fn shares(&self) -> Shares {
        let mut normal = 0;
        let kind = |(k, f): (usize, &Force)| {
            let kind = match self.law(f.point) {
                PointLaw::DryFriction { bound, bound_static } => {
                    Kind::Bound(bound.max(bound_static))
                }
                PointLaw::Contact { mu, mu_static, .. } if f.row > 0 => {
                    Kind::Friction(mu.max(mu_static), normal)
                }
                PointLaw::Contact { .. } | PointLaw::Compliant | PointLaw::OneWay => {
                    // each point has its normal force first
                    normal = k;
                    Kind::Normal
                }
            };
            let id = self.active()[f.point].id;
            let per_metre = self.base().gap_per_metre(id);
            Sharer { kind, per_metre, pair: id.pair, independent: !f.dependent }
        };
        Shares::new(self.forces.iter().enumerate().map(kind))
    }

    /// Marks the forces along these rows of G as not unique.
    pub(crate) fn mark_shared(&mut self, rows: &[usize]) {
        for f in self.forces.iter_mut().filter(|f| rows.contains(&f.constraint)) {
            f.shared = true;
        }
    }

    /// Whether the forces of active point k are not unique: others can take over some of them.
    pub fn is_shared(&self, k: usize) -> bool {
        self.forces.iter().any(|f| f.point == k && f.shared)
    }

    /// A point slides in space: friction turns with its velocity.
    pub fn turns(&self) -> bool {
        (0..self.active().len()).any(|k| self.slides_in_space(k))
    }

    /// Active point k slides in space.
    pub fn slides_in_space(&self, k: usize) -> bool {
        matches!(self.active()[k].motion, SlipState::Slip(_))
            && matches!(self.law(k), PointLaw::Contact { tangential: 2, .. })
    }

    /// A point slides whose friction depends on its normal force.
    pub(crate) fn slides_with_friction(&self) -> bool {
        let slides = |m: &SlipState| matches!(m, SlipState::Slip(_));
        let mut all = self.active().iter().enumerate();
        all.any(|(k, a)| slides(&a.motion) && matches!(self.law(k), PointLaw::Contact { .. }))
    }

    /// Unit direction of sliding. In the plane it is fixed, so that the force stays smooth where the speed passes zero;
    /// in space it turns with the velocity.
    pub(crate) fn direction(&self, k: usize, point: &ContactPoint, d0: [f64; 2]) -> [f64; 2] {
        match self.law(k) {
            PointLaw::Contact { tangential: 2, .. } => {
                let d = self.turned(point, d0);
                let n = d[0].hypot(d[1]);
                if n > 0.0 { [d[0] / n, d[1] / n] } else { d0 }
            }
            _ => d0,
        }
    }

    /// Velocity of sliding in space whose direction friction takes. Past the point where sliding stops the force
    /// continues smoothly, without reversing.
    fn turned(&self, point: &ContactPoint, d0: [f64; 2]) -> [f64; 2] {
        let slow = SLOW * self.speed;
        let along = point.rate[1] * d0[0] + point.rate[2] * d0[1];
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        [sign * point.rate[1] + slow * d0[0], sign * point.rate[2] + slow * d0[1]]
    }

    /// Forces of sliding points at the realised velocities, into `ws.friction`.
    pub(crate) fn apply_sliding_friction(&self, ws: &mut ModeWorkspace<P>) {
        ws.friction.fill(0.0);
        ws.lost = 0.0;
        // friction with a known bound first: a plain force
        for (k, a) in self.active().iter().enumerate() {
            let SlipState::Slip(d0) = a.motion else { continue };
            ws.sliding.direction[k] = self.direction(k, &ws.points[k], d0);
            if let PointLaw::DryFriction { .. } = self.law(k) {
                let bound = self.sliding_at(k, &ws.points[k]).0;
                ws.points[k].add_row(0, -bound * d0[0], &mut ws.friction);
                ws.lost += bound * d0[0] * ws.points[k].rate[0];
            }
        }
        if !self.slides_with_friction() {
            return;
        }
        if self.solve_forces(ws).is_err() {
            ws.friction.fill(f64::NAN);
            return;
        }
        for (f, normal) in self.forces.iter().zip(&ws.sliding.forces) {
            let (point, d) = (&ws.points[f.point], ws.sliding.direction[f.point]);
            let Some((mu, tangential)) = self.slider(f, point) else { continue };
            for i in 0..tangential {
                let size = mu * normal * d[i];
                point.add_row(1 + i, -size, &mut ws.friction);
                ws.lost += size * point.rate[1 + i];
            }
        }
    }

    /// μ and the number of tangents if this is the normal force of a sliding contact.
    fn slider(&self, f: &Force, point: &ContactPoint) -> Option<(f64, usize)> {
        match (self.law(f.point), self.active()[f.point].motion, f.row) {
            (PointLaw::Contact { tangential, .. }, SlipState::Slip(_), 0) => {
                Some((self.sliding_at(f.point, point).0, tangential))
            }
            _ => None,
        }
    }

    /// Coefficient of sliding friction of active point k at its speed, and its slope, s/m; the bound of dry friction.
    pub(crate) fn sliding_at(&self, k: usize, point: &ContactPoint) -> (f64, f64) {
        let (size, speed) = match self.law(k) {
            PointLaw::Contact { mu, tangential: 2, .. } => (mu, point.rate[1].hypot(point.rate[2])),
            PointLaw::Contact { mu, .. } => (mu, point.rate[1].abs()),
            PointLaw::DryFriction { bound, .. } => (bound, point.rate[0].abs()),
            PointLaw::Compliant | PointLaw::OneWay => return (0.0, 0.0),
        };
        let falls = if self.falls(k) {
            self.base().sliding_friction(self.active()[k].id, speed)
        } else {
            None
        };
        falls.unwrap_or((size, 0.0))
    }

    /// out += size · (row of a force, with the friction it causes)ᵀ.
    fn push(&self, f: &Force, size: f64, point: &ContactPoint, d: [f64; 2], out: &mut [f64]) {
        point.add_row(f.row, size, out);
        if let Some((mu, tangential)) = self.slider(f, point) {
            for i in 0..tangential {
                point.add_row(1 + i, -size * mu * d[i], out);
            }
        }
    }

    /// Solves for the forces of the mode, into `ws.sliding.forces`.
    pub(crate) fn solve_forces(&self, ws: &mut ModeWorkspace<P>) -> Result<(), StepFailure> {
        let ModeWorkspace { base, points, friction, sliding, pressing, .. } = ws;
        let Sliding {
            acc,
            a,
            f,
            lambda,
            bias,
            columns,
            neighbours,
            system,
            shares,
            forces,
            direction,
            ..
        } = sliding;
        let Some(acc) = acc else { return Ok(()) };
        let (nv, n) = (a.len(), system.x.len());
        acc.factor_realized(&**self.base(), base)?;
        self.base().force(base, f);
        for (f, x) in f.iter_mut().zip(&*friction) {
            *f += x;
        }
        for (f, x) in f.iter_mut().zip(&pressing.load) {
            *f += x;
        }
        self.base().bias(base, bias);
        for x in bias.iter_mut() {
            *x = -*x;
        }
        acc.solve(f, bias, a, lambda)?;
        let held = || self.forces.iter().filter(|f| !f.dependent);
        for (u, column) in held().zip(columns.chunks_exact_mut(nv)) {
            f.fill(0.0);
            match shares {
                Some(_) => points[u.point].add_row(u.row, 1.0, f),
                None => self.push(u, 1.0, &points[u.point], direction[u.point], f),
            }
            acc.respond(f, column, lambda)?;
        }
        let missing = |u: &Force| {
            let point = &points[u.point];
            -point.row_dot(u.row, a) - point.bias[u.row]
        };
        if let Some(shares) = shares {
            if n == 0 {
                // what nothing can move needs no forces
                forces.fill(0.0);
                return Ok(());
            }
            for (x, u) in shares.b.iter_mut().zip(held()) {
                *x = missing(u);
            }
            neighbours.clear();
            held().enumerate().for_each(|(i, u)| neighbours.add(i, &points[u.point].cols));
            shares.acts.clear();
            shares.yields.clear();
            for force in &self.forces {
                let (point, d) = (&points[force.point], direction[force.point]);
                let near = neighbours.of(&point.cols);
                let along =
                    |row: usize, i: usize| point.row_dot(row, &columns[i * nv..(i + 1) * nv]);
                shares.yields.push(near.iter().map(|i| (*i, along(force.row, *i))));
                let (mu, tangential) = self.slider(force, point).unwrap_or_default();
                shares.acts.push(near.iter().map(|i| {
                    let friction = (0..tangential).map(|t| mu * d[t] * along(1 + t, *i));
                    (*i, friction.fold(along(force.row, *i), |act, part| act - part))
                }));
            }
            shares.solve();
            forces.copy_from_slice(&shares.x);
            return Ok(());
        }
        for (i, u) in held().enumerate() {
            let point = &points[u.point];
            for (w, column) in system.w[i * n..(i + 1) * n].iter_mut().zip(columns.chunks_exact(nv))
            {
                *w = point.row_dot(u.row, column);
            }
            system.x[i] = missing(u);
        }
        system.solve_scaled();
        forces.copy_from_slice(&system.x);
        Ok(())
    }

    /// Adds the effect of the forces of the mode to the accelerations in `ws.sliding.a`.
    pub(crate) fn accelerate(&self, ws: &mut ModeWorkspace<P>) -> Result<(), StepFailure> {
        let ModeWorkspace { points, sliding, .. } = ws;
        let Sliding { acc, a, f, lambda, columns, forces, direction, .. } = sliding;
        let (Some(acc), Some(change)) = (acc, columns.get_mut(..a.len())) else { return Ok(()) };
        f.fill(0.0);
        for (force, size) in self.forces.iter().zip(&*forces) {
            self.push(force, *size, &points[force.point], direction[force.point], f);
        }
        acc.respond(f, change, lambda)?;
        for (a, c) in a.iter_mut().zip(change) {
            *a += *c;
        }
        Ok(())
    }

    /// Replaces multipliers that were found with independent rows only by the forces of closed points at the realised
    /// state.
    pub fn share_forces(&self, ws: &mut ModeWorkspace<P>, lambda: &mut [f64]) {
        if !self.is_redundant() || (!self.slides_with_friction() && self.solve_forces(ws).is_err())
        {
            return;
        }
        for (f, x) in self.forces.iter().zip(&ws.sliding.forces) {
            lambda[f.constraint] = *x;
        }
    }

    /// Sliding friction depends on how points share their loads.
    pub fn friction_follows_shares(&self) -> bool {
        self.slides_with_friction() && self.is_redundant()
    }

    /// How far active point k sinks in where points share their loads, relative to the largest force: below zero if it
    /// has none. Forces have a kink where it passes zero.
    pub fn depth(&self, ws: &ModeWorkspace<P>, k: usize) -> Option<f64> {
        let own = self.forces.iter().position(|f| f.point == k && f.row == 0)?;
        Some(ws.sliding.shares.as_ref()?.depth(own))
    }

    /// Points that slide in space, with their friction μ r_N, N, and their speed |u_T|, m/s, at the realised state.
    /// Friction is a damper of their quotient across the direction of sliding.
    pub fn sliders<'a>(
        &'a self,
        ws: &'a ModeWorkspace<P>,
    ) -> impl Iterator<Item = (usize, f64, f64)> + 'a {
        self.forces.iter().zip(&ws.sliding.forces).filter_map(|(f, normal)| {
            let (mu, 2) = self.slider(f, &ws.points[f.point])? else { return None };
            let SlipState::Slip(d0) = self.active()[f.point].motion else { return None };
            let w = self.turned(&ws.points[f.point], d0);
            let speed = w[0].hypot(w[1]);
            (speed > 0.0).then_some((f.point, mu * normal, speed))
        })
    }

    /// values += cc ∂(−friction)/∂v at the realised state, on the pattern of the mode: only the contribution of the
    /// direction of sliding in space.
    pub(crate) fn friction_tangent(&self, ws: &ModeWorkspace<P>, cc: f64, values: &mut [f64]) {
        for (k, friction, speed) in self.sliders(ws) {
            let damping = friction / speed;
            let (point, d) = (&ws.points[k], ws.sliding.direction[k]);
            let row = |i: usize| d[0] * point.rows[2][i] - d[1] * point.rows[1][i];
            for (i, &ci) in point.cols.iter().enumerate() {
                for (j, &cj) in point.cols.iter().enumerate() {
                    if let Some(slot) = self.tangent_pattern().slot(ci, cj) {
                        values[slot] += cc * damping * row(i) * row(j);
                    }
                }
            }
        }
        self.fall_tangent(ws, cc, values);
    }

    /// The contribution of friction that falls with the speed: a damper μ' r_N along the direction of sliding, mostly
    /// negative.
    fn fall_tangent(&self, ws: &ModeWorkspace<P>, cc: f64, values: &mut [f64]) {
        for (f, normal) in self.forces.iter().zip(&ws.sliding.forces) {
            let (point, d) = (&ws.points[f.point], ws.sliding.direction[f.point]);
            let slider = self.slider(f, point).filter(|_| self.falls(f.point));
            let Some((_, tangential)) = slider else { continue };
            let row = |i: usize| (0..tangential).map(|t| d[t] * point.rows[1 + t][i]).sum::<f64>();
            self.damp(f.point, point, cc * normal, row, values);
        }
        // dry friction has no normal force among those of the mode
        for (k, a) in self.active().iter().enumerate().filter(|(k, _)| self.falls(*k)) {
            let dry = matches!(self.law(k), PointLaw::DryFriction { .. });
            if dry && matches!(a.motion, SlipState::Slip(_)) {
                let point = &ws.points[k];
                self.damp(k, point, cc, |i| point.rows[0][i], values);
            }
        }
    }

    /// values += c μ' (row ⊗ row) for active point k.
    fn damp(
        &self,
        k: usize,
        point: &ContactPoint,
        c: f64,
        row: impl Fn(usize) -> f64,
        values: &mut [f64],
    ) {
        let damping = c * self.sliding_at(k, point).1;
        for (i, &ci) in point.cols.iter().enumerate() {
            for (j, &cj) in point.cols.iter().enumerate() {
                if let Some(slot) = self.tangent_pattern().slot(ci, cj) {
                    values[slot] += damping * row(i) * row(j);
                }
            }
        }
    }
}
