//! The next mode: which closed points stay closed, and which of them stick or slide.
//!
//! At a state whose closed points neither approach nor leave (u_N = 0), accelerations decide:
//!
//! ```text
//! u̇ = W r + u̇_free        0 ≤ u̇_N ⊥ r_N ≥ 0
//! u_T ≠ 0: r_T = −μ r_N u_T/|u_T|        u_T = 0: Coulomb's law between r_T and u̇_T
//! ```
//!
//! The sliding points make the problem non-symmetric; where friction is strong it may have no solution or several
//! (Painlevé). The first case is reported as [`SelectError::NoSolution`] if it is certain, and as
//! [`SelectError::NotFound`] if the solvers merely found none.

use crate::even;
use crate::groups::sort_by_group;
use crate::mode::{Active, Mode, SlipState};
use crate::pressed::{Pressed, add_load};
use crate::response::{Member, Response};
use delassus_cone as cone;
use delassus_dae::{ContactPoint, KktError, PointId, PointLaw, State, StepFailure, Unilateral};
use delassus_math::largest;
use std::sync::Arc;
use thiserror::Error;

/// A closed point for which the next mode is sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closed {
    /// Which.
    pub id: PointId,
    /// Features that touch.
    pub features: [u32; 2],
    /// What is known about its sliding.
    pub assume: Assume,
    /// Sliding speed below which it does not slide, in the unit of its rate.
    pub slow: f64,
}

/// What is known about the sliding of a point besides its speed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Assume {
    /// Nothing: the speed decides.
    #[default]
    Judge,
    /// It is at rest, whatever small speed remains.
    Rest,
    /// It slides, or starts to, in this direction: the forces of stick just reached their limit, where the equations
    /// alone cannot distinguish stick from slip.
    Slides([f64; 2]),
}

/// Why there is no next mode.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SelectError {
    /// No forces satisfy the laws of these points.
    #[error("no contact forces fulfil the laws at {} points", points.len())]
    NoSolution {
        /// Points that take part.
        points: Vec<PointId>,
    },
    /// The solver did not find forces to its tolerance; whether any exist is not known.
    #[error(
        "contact forces at {} points were not found: {status:?}, residual {residual:.1e}",
        points.len()
    )]
    NotFound {
        /// Points that take part.
        points: Vec<PointId>,
        /// How the solver ended.
        status: cone::Status,
        /// Its residual.
        residual: f64,
    },
    /// The system itself could not be evaluated.
    #[error(transparent)]
    Step(#[from] StepFailure),
}

impl From<KktError> for SelectError {
    fn from(e: KktError) -> Self {
        SelectError::Step(e.into())
    }
}

/// Result of [`Selector::select`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection {
    /// Points that are closed from now on.
    pub active: Vec<Active>,
    /// Forces at the given points, row by row, in ascending order of ids.
    pub forces: Vec<f64>,
}

/// Finds modes; owns its buffers.
pub struct Selector {
    /// Response at the last state examined.
    pub response: Response,
    /// Points of compliant contact that press at the states examined.
    pub pressed: Vec<Pressed>,
    /// Memory of the solvers, and the size of problem up to which they search for a solution.
    pub cone: cone::Workspace,
    a: Vec<f64>,
    load: Vec<f64>,
    zdot: Vec<f64>,
    u: Vec<f64>,
    pub(crate) u_dot: Vec<f64>,
    /// Acceleration along each row that counted as zero in the last selection.
    pub still: Vec<f64>,
    /// Residue of the solver in the acceleration along each row.
    noise: Vec<f64>,
}

/// Residual at which the solution of a contact problem is accepted, relative.
const RESIDUAL: f64 = 1e-11;

/// The role of a member in the acceleration problem.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Smooth,
    /// May stick.
    Rest,
    Slides([f64; 2]),
}

impl Selector {
    /// Sizes everything.
    pub fn new<P: Unilateral>(p: &P) -> Result<Selector, KktError> {
        let d = p.dims();
        Ok(Selector {
            response: Response::new(p)?,
            pressed: Vec::new(),
            cone: cone::Workspace::default(),
            a: vec![0.0; d.nv],
            load: vec![0.0; d.nv],
            zdot: vec![0.0; d.nz],
            u: Vec::new(),
            u_dot: Vec::new(),
            still: Vec::new(),
            noise: Vec::new(),
        })
    }

    /// The mode that follows `s`. Accelerations below the fraction `still` of the terms that add up to them count as
    /// zero: points that touch without load must not open by round-off.
    pub fn select<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        closed: &[Closed],
        still: f64,
    ) -> Result<Selection, SelectError> {
        if closed.is_empty() {
            return Ok(Selection::default());
        }
        p.realize_position(s.t, &s.q, &s.z, ws);
        p.realize_velocity(&s.v, &s.z, ws);
        let points = evaluate(p, ws, closed.iter().map(|c| (c.id, c.features)));
        self.response.set(p, ws, points)?;
        if self.pressed.is_empty() {
            self.response.free(p, ws, s, &mut self.a, &mut self.zdot)?;
        } else {
            self.load.fill(0.0);
            add_load(p, ws, &s.z, &self.pressed, &mut self.load);
            self.response.free_under(p, ws, s, &self.load, &mut self.a, &mut self.zdot)?;
        }
        self.response.rates(&mut self.u);
        self.response.accelerations(&self.a, &mut self.u_dot);
        self.still_what_is_held(p, still);
        let mut parts: Vec<Part> =
            self.response.members.iter().zip(closed).map(|(m, c)| self.part(m, c)).collect();
        let mut forces = self.solve(&parts)?;
        // static friction is stronger than sliding friction: what starts to slide is solved again
        let mut again = false;
        let mut active = Vec::new();
        for pass in 0..2 {
            let mut u_dot = self.u_dot.clone();
            self.response.add_product(&forces, &mut u_dot);
            self.response.terms(p, &forces, &mut self.still);
            for (x, noise) in self.still.iter_mut().zip(&self.noise) {
                *x = still * *x + noise;
            }
            active.clear();
            for (k, m) in self.response.members.iter().enumerate() {
                let Some(motion) = decide(m, parts[k], &u_dot, &self.still) else {
                    continue;
                };
                if let (SlipState::Slip(d), Part::Rest) = (motion, parts[k])
                    && static_differs(&m.law)
                {
                    parts[k] = Part::Slides(d);
                    again = true;
                }
                active.push(Active { id: m.id, features: m.at.features, motion });
            }
            if !again || pass == 1 {
                break;
            }
            forces = self.solve(&parts)?;
            again = false;
        }
        for (a, c) in
            active.iter_mut().filter_map(|a| closed.iter().find(|c| c.id == a.id).map(|c| (a, c)))
        {
            a.features = c.features;
        }
        Ok(Selection { active, forces })
    }

    /// Rows that joints hold and no force at a point moves: their accelerations are round-off and count as zero.
    fn still_what_is_held<P: Unilateral>(&mut self, p: &P, still: f64) {
        let r = &mut self.response;
        if (0..r.n).all(|i| r.moves(i)) {
            return;
        }
        r.terms(p, &vec![0.0; r.n], &mut self.still);
        for (i, (u_dot, terms)) in self.u_dot.iter_mut().zip(&self.still).enumerate() {
            if !r.moves(i) && u_dot.abs() <= still * terms {
                *u_dot = 0.0;
            }
        }
    }

    fn part(&self, m: &Member, c: &Closed) -> Part {
        if !m.law.is_rough() {
            return Part::Smooth;
        }
        let u = match m.law {
            PointLaw::DryFriction { .. } => [self.u[m.row], 0.0],
            PointLaw::Contact { tangential: 2, .. } => [self.u[m.row + 1], self.u[m.row + 2]],
            _ => [self.u[m.row + 1], 0.0],
        };
        let speed = u[0].hypot(u[1]);
        match c.assume {
            Assume::Rest => Part::Rest,
            Assume::Slides(d) if speed <= c.slow => Part::Slides(d),
            _ if speed > c.slow => Part::Slides([u[0] / speed, u[1] / speed]),
            _ => Part::Rest,
        }
    }

    /// Forces at all rows, group by group: the size of one group must not blur another.
    fn solve(&mut self, parts: &[Part]) -> Result<Vec<f64>, SelectError> {
        let (of_group, groups) = self.response.groups_joined_by(|_| true);
        let (mut first, mut members) = (Vec::new(), Vec::new());
        sort_by_group(groups, &of_group, &mut first, &mut members);
        let mut forces = vec![0.0; self.response.n];
        self.noise.clear();
        self.noise.resize(self.response.n, 0.0);
        for range in first.windows(2) {
            self.solve_group(&members[range[0]..range[1]], parts, &mut forces)?;
        }
        Ok(forces)
    }

    /// Forces at the rows of these members, on which no others act.
    fn solve_group(
        &mut self,
        members: &[usize],
        parts: &[Part],
        forces: &mut [f64],
    ) -> Result<(), SelectError> {
        let r = &self.response;
        // each unknown is a combination of rows; each has one row as its equation
        let mut unknowns: Vec<([(usize, f64); 3], usize)> = Vec::new();
        let mut laws = Vec::new();
        let mut known: Vec<(usize, f64)> = Vec::new();
        for k in members {
            let m = &r.members[*k];
            let i = m.row;
            let one = |row| ([(row, 1.0), (row, 0.0), (row, 0.0)], row);
            match (m.law, parts[*k]) {
                (PointLaw::Contact { mu, tangential, .. }, Part::Slides(d)) => {
                    let t = |k: usize| {
                        if k < tangential { (i + 1 + k, -mu * d[k]) } else { (i, 0.0) }
                    };
                    unknowns.push(([(i, 1.0), t(0), t(1)], i));
                    laws.push(cone::Law::Unilateral);
                }
                (PointLaw::Contact { mu, mu_static, tangential, .. }, Part::Rest) => {
                    unknowns.extend((i..=i + tangential).map(one));
                    laws.push(cone::Law::Coulomb { mu: mu.max(mu_static), tangential });
                }
                // a force that is among the applied ones
                (PointLaw::Compliant, _) => {}
                (PointLaw::Contact { .. }, Part::Smooth) | (PointLaw::OneWay, _) => {
                    unknowns.push(one(i));
                    laws.push(cone::Law::Unilateral);
                }
                (PointLaw::DryFriction { bound, .. }, Part::Slides(d)) => {
                    known.push((i, -bound * d[0]))
                }
                (PointLaw::DryFriction { bound, bound_static }, _) => {
                    let limit = bound.max(bound_static);
                    unknowns.push(one(i));
                    laws.push(cone::Law::Interval { lo: -limit, hi: limit });
                }
            }
        }
        let n = unknowns.len();
        let w_at = |i: usize, j: usize| r.w[i * r.n + j];
        let driven = |row: usize| {
            self.u_dot[row] + known.iter().map(|(j, x)| w_at(row, *j) * x).sum::<f64>()
        };
        let b: Vec<f64> = unknowns.iter().map(|(_, row)| driven(*row)).collect();
        let mut w = vec![0.0; n * n];
        for (i, (_, row)) in unknowns.iter().enumerate() {
            for (j, (parts, _)) in unknowns.iter().enumerate() {
                w[i * n + j] = parts.iter().map(|(k, c)| c * w_at(*row, *k)).sum();
            }
        }
        let mut x = vec![0.0; n];
        if n > 0 {
            let rows: Vec<usize> = unknowns.iter().map(|(_, row)| *row).collect();
            let redundant = r.dependence(&rows).is_redundant();
            let problem = cone::DenseProblem { w: &w, b: &b, laws: &laws };
            let auto = cone::Settings { tolerance: RESIDUAL, ..Default::default() };
            let mut units = vec![1.0; r.n];
            for m in &r.members {
                units[m.row..m.row + m.law.rows()].fill(m.per_metre);
            }
            let units: Vec<f64> = rows.iter().map(|row| units[*row]).collect();
            let (ws, mut scratch) = (&mut self.cone, even::Scratch::default());
            let report = even::solve(&problem, &units, redundant, &auto, &mut x, ws, &mut scratch);
            // dependent rows and sliding friction leave a little more than round-off
            let rough = redundant && report.residual <= ROUGH;
            if report.status != cone::Status::Solved && !rough {
                let points = members.iter().map(|k| r.members[*k].id).collect();
                let cone::Report { status, residual, .. } = report;
                return Err(match status {
                    cone::Status::NoSolution => SelectError::NoSolution { points },
                    _ => SelectError::NotFound { points, status, residual },
                });
            }
            // residuals are relative to the largest |b|/√W of the problem
            let root = |row: usize| w_at(row, row).max(0.0).sqrt();
            let part = |(b, row): (&f64, &usize)| {
                let root = root(*row);
                if root > 0.0 { b.abs() / root } else { 0.0 }
            };
            let left =
                NOISE * RESIDUAL.max(report.residual) * largest(b.iter().zip(&rows).map(part));
            for m in members.iter().map(|k| &r.members[*k]) {
                for row in m.row..m.row + m.law.rows() {
                    self.noise[row] = left * root(row);
                }
            }
        }
        for ((parts, _), x) in unknowns.iter().zip(&x) {
            for (row, c) in parts {
                forces[*row] += c * x;
            }
        }
        for (row, x) in known {
            forces[row] += x;
        }
        Ok(())
    }

    /// The mode of a selection that was just made, with the rows that methods may rely on.
    pub fn mode<P: Unilateral>(
        &self,
        base: &Arc<P>,
        active: &[Active],
        speed: f64,
    ) -> Result<Mode<P>, KktError> {
        self.rigid_mode(base, active, speed)?.with_pressed(self.pressed.clone())
    }

    fn rigid_mode<P: Unilateral>(
        &self,
        base: &Arc<P>,
        active: &[Active],
        speed: f64,
    ) -> Result<Mode<P>, KktError> {
        let mode = Mode::new(base.clone(), active.to_vec(), None, speed)?;
        if active.is_empty() {
            let own = base.structure().independent_rows.clone();
            return Mode::new(base.clone(), Vec::new(), own, speed);
        }
        // rows of points in W, normals before sticking directions, with their rows in G
        let mut rows: Vec<(usize, usize)> = Vec::new();
        for pass in 0..2 {
            for (k, a) in active.iter().enumerate() {
                let Some(m) = self.response.members.iter().find(|m| m.id == a.id) else { continue };
                if pass == 0 {
                    rows.extend(mode.normal_row(k).map(|g| (m.row, g)));
                } else {
                    let first = if matches!(m.law, PointLaw::DryFriction { .. }) { 0 } else { 1 };
                    for (i, g) in mode.tangent_rows(k).iter().enumerate() {
                        rows.extend(g.map(|g| (m.row + first + i, g)));
                    }
                }
            }
        }
        let found = self.response.dependence(&rows.iter().map(|r| r.0).collect::<Vec<_>>());
        let b = base.dims();
        let own = base.structure().independent_rows.clone();
        if own.is_none() && !found.is_redundant() {
            return Ok(mode);
        }
        let n_normal = delassus_dae::Problem::dims(&mode).n_pos - b.n_pos;
        let own = own.unwrap_or_else(|| (0..b.n_vel).collect());
        let mut independent: Vec<usize> =
            own.iter().map(|i| if *i < b.n_pos { *i } else { i + n_normal }).collect();
        let of = |which: &[bool]| -> Vec<usize> {
            rows.iter().zip(which).filter(|(_, k)| **k).map(|(r, _)| r.1).collect()
        };
        independent.extend(of(&found.keep));
        independent.sort_unstable();
        let mut mode = Mode::new(base.clone(), active.to_vec(), Some(independent), speed)?;
        mode.mark_shared(&of(&found.shared));
        Ok(mode)
    }
}

/// Kinematics of points at the realised state.
pub fn evaluate<P: Unilateral>(
    p: &P,
    ws: &P::Ws,
    points: impl IntoIterator<Item = (PointId, [u32; 2])>,
) -> Vec<(PointId, ContactPoint)> {
    points
        .into_iter()
        .map(|(id, features)| {
            let mut at = ContactPoint::default();
            p.position(ws, id, true, Some(features), &mut at);
            p.rates(ws, id, &mut at);
            (id, at)
        })
        .collect()
}

fn static_differs(law: &PointLaw) -> bool {
    match law {
        PointLaw::Contact { mu, mu_static, .. } => mu_static > mu,
        PointLaw::DryFriction { bound, bound_static } => bound_static > bound,
        PointLaw::Compliant | PointLaw::OneWay => false,
    }
}

/// Residual that is accepted if rows depend on each other and solvers find no better one: still a fraction of the
/// forces that no tolerance of a run resolves.
const ROUGH: f64 = 1e-9;

/// Acceleration that a solution may leave, in multiples of its residual.
const NOISE: f64 = 10.0;

/// How a point continues, given the accelerations of the solution and those that count as zero; `None` if it opens.
/// Forces of redundant points are not unique, and a solver may well put some of them at their limits (zero, or μ times
/// the normal force); only accelerations decide.
fn decide(m: &Member, part: Part, u_dot: &[f64], still: &[f64]) -> Option<SlipState> {
    let i = m.row;
    let slides = |first: usize, n: usize| {
        let a = [u_dot[first], if n > 1 { u_dot[first + 1] } else { 0.0 }];
        let size = a[0].hypot(a[1]);
        (size > largest(still[first..first + n].iter().copied()))
            .then(|| SlipState::Slip([a[0] / size, a[1] / size]))
    };
    match m.law {
        PointLaw::DryFriction { .. } => Some(match part {
            Part::Slides(d) => SlipState::Slip(d),
            _ => slides(i, 1).unwrap_or(SlipState::Stick),
        }),
        PointLaw::Compliant => None,
        PointLaw::OneWay => (u_dot[i] <= still[i]).then_some(SlipState::Closed),
        PointLaw::Contact { tangential, .. } => {
            if u_dot[i] > still[i] {
                return None;
            }
            Some(match part {
                Part::Smooth => SlipState::Closed,
                Part::Slides(d) => SlipState::Slip(d),
                Part::Rest => slides(i + 1, tangential).unwrap_or(SlipState::Stick),
            })
        }
    }
}
