//! Positions onto the joints and out of each other, in the mass metric.
//!
//! ```text
//! min ½ Δqᵀ M Δq    with    g + G Δq = 0 ,   g_N + H_N Δq ≥ 0 ,   = 0 where points bear a load together
//! ```
//!
//! once per Newton step. Feet that share a load are also brought back from above: a foot that a step leaves higher than
//! the others would lose its load to them, and with it the friction that turns the body. Velocities are not touched:
//! removing a penetration does not throw the bodies apart.

use super::delassus::Delassus;
use super::operator::Operator;
use super::points::CLOSED;
use crate::groups::{Groups, sort_by_group};
use delassus_cone as cone;
use delassus_dae::{ContactPoint, Dims, PointId, StepFailure, Unilateral};

/// Number of Newton steps. Two bring what a step leaves to round-off.
const MAX_ITERATIONS: usize = 8;
/// Scaled residual of joints that counts as zero.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;
/// Residual of joints that is accepted where Newton stalls.
const JOINT_LIMIT: f64 = 1e-8;
/// Accuracy of one linear problem, relative to the depths in it: Newton's steps repeat it.
const LINEAR: f64 = 1e-3;
/// The same where low accuracy suffices.
const LOOSE: f64 = 0.1;
/// Gaps up to this many times the largest depth take part: others may be pushed into them.
const AROUND: f64 = 4.0;
/// Sweeps of one linear problem in factored form.
const SWEEPS: usize = 60;

pub(super) struct Correction {
    g: Vec<f64>,
    dx: Vec<f64>,
    x: Vec<f64>,
    f: Vec<f64>,
    lambda: Vec<f64>,
    q: Vec<f64>,
    b: Vec<f64>,
    r: Vec<f64>,
    laws: Vec<cone::Law>,
    gaps: Vec<f64>,
    /// Points that are also brought back from above; after a run, those of them that touch.
    pub held: Vec<bool>,
    scratch: ContactPoint,
    row_scale: Vec<f64>,
    rows: NormalRows,
    delassus: Delassus,
    dims: Dims,
    length: f64,
}

/// Points that may have a negative gap, ascending, with the features that faced each other last, and those that bear a
/// load together with others.
pub(super) type Near<'a> = (&'a [PointId], &'a [Option<[u32; 2]>], &'a [Option<[u32; 2]>]);

/// The result.
pub(super) struct Corrected {
    pub iterations: usize,
    /// Largest remaining penetration.
    pub depth: f64,
}

impl Correction {
    pub fn new<P: Unilateral>(p: &P) -> Correction {
        let d = p.dims();
        Correction {
            g: vec![0.0; d.n_vel],
            dx: vec![0.0; d.nv],
            x: vec![0.0; d.nv],
            f: vec![0.0; d.nv],
            lambda: vec![0.0; d.n_vel],
            q: vec![0.0; d.nq],
            b: Vec::new(),
            r: Vec::new(),
            laws: Vec::new(),
            gaps: Vec::new(),
            held: Vec::new(),
            scratch: ContactPoint::default(),
            row_scale: p.scales().row,
            rows: NormalRows::default(),
            delassus: Delassus::new(p),
            dims: d,
            length: p.length(),
        }
    }

    fn drift<P: Unilateral>(&mut self, p: &P, ws: &P::Ws) -> (f64, usize) {
        let n = self.dims.n_pos;
        p.residual_pos(ws, &mut self.g[..n]);
        self.g[n..].fill(0.0);
        let mut worst = (0.0, 0);
        for i in 0..n {
            let x = self.g[i].abs() / self.row_scale[i];
            if !(x <= worst.0) {
                worst = (x, i);
            }
        }
        worst
    }

    /// Largest penetration, angles at the length of the system, and largest gap of held points; evaluates all gaps.
    fn depth<P: Unilateral>(&mut self, p: &P, ws: &P::Ws, near: Near<'_>) -> (f64, f64) {
        self.gaps.clear();
        let (mut depth, mut open) = (0.0f64, 0.0f64);
        for ((&id, &before), &held) in near.0.iter().zip(near.1).zip(&self.held) {
            let gap = p.gap(ws, id, before, &mut self.scratch).unwrap_or(f64::INFINITY)
                / p.gap_per_metre(id);
            depth = depth.max(-gap);
            if held {
                open = open.max(gap);
            }
            self.gaps.push(gap);
        }
        (depth, open)
    }

    /// Releases points that have left the features that held them in the step: they slid off their end.
    fn let_go<P: Unilateral>(&mut self, p: &P, ws: &P::Ws, near: Near<'_>) {
        for ((&id, &features), held) in near.0.iter().zip(near.2).zip(&mut self.held) {
            if *held {
                let faces = p.position(ws, id, false, features, &mut self.scratch);
                *held = faces && Some(self.scratch.features) == features;
            }
        }
    }

    /// Moves q. On return the workspace is realised there, and the joints of `op` are factored there if there are any.
    /// Without `push`, gaps are only measured.
    #[allow(clippy::too_many_arguments)]
    pub fn run<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        op: &mut Operator,
        groups: &mut Groups,
        near: Near<'_>,
        push: bool,
        tolerance: f64,
        t: f64,
        q: &mut [f64],
        z: &[f64],
    ) -> Result<Corrected, StepFailure> {
        let mut before = f64::INFINITY;
        let limit = tolerance.max(CLOSED) * self.length;
        self.held.clear();
        self.held.extend(near.2.iter().map(Option::is_some));
        for iterations in 0.. {
            p.realize_position(t, q, z, ws);
            let (drift, row) = self.drift(p, ws);
            let (mut depth, mut open) = self.depth(p, ws, near);
            if iterations == 0 && push && open > limit {
                self.let_go(p, ws, near);
                (depth, open) = self.depth(p, ws, near);
            }
            let off = depth.max(open);
            let pushes = push && off > limit;
            let bad = drift.max(if pushes { off / self.length } else { 0.0 });
            let done = drift <= ROUND_OFF && !pushes;
            if done || iterations == MAX_ITERATIONS || !(bad < 0.5 * before) {
                if !done && !(drift <= JOINT_LIMIT) {
                    return Err(StepFailure::Projection { row, residual: self.g[row] });
                }
                if self.dims.n_vel > 0 {
                    op.acc.factor_realized(p, ws)?;
                }
                let ends = self.held.iter_mut().zip(&self.gaps);
                ends.for_each(|(held, gap)| *held &= *gap <= limit);
                return Ok(Corrected { iterations, depth });
            }
            before = bad;
            op.acc.factor_realized(p, ws)?;
            self.dx.fill(0.0);
            if drift > 0.0 {
                for g in &mut self.g {
                    *g = -*g;
                }
                op.acc.correct(&self.g, &mut self.dx)?;
            }
            if push {
                self.collect(p, ws, near, AROUND * off.max(limit), drift > 0.0);
                // joints move as well: the effect of that on the gaps is not known yet
                let wanted = if drift > 0.0 { 0.0 } else { 0.5 / AROUND * limit / off };
                self.push_apart(op, groups, wanted.clamp(LINEAR, LOOSE))?;
            }
            p.manifold().retract(q, &self.dx, &mut self.q);
            q.copy_from_slice(&self.q);
        }
        Ok(Corrected { iterations: 0, depth: 0.0 })
    }

    /// Rows of all points with a gap below `reach`, after the effect of `dx` on it if something `moves`.
    fn collect<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        near: Near<'_>,
        reach: f64,
        moves: bool,
    ) {
        self.rows.clear();
        let at = &mut self.scratch;
        for (k, (&id, &before)) in near.0.iter().zip(near.1).enumerate() {
            let own = self.gaps[k];
            if (own < reach || (moves && own < f64::INFINITY)) && p.normal(ws, id, before, at) {
                let gap = at.gap + at.row_dot(0, &self.dx);
                if gap < reach * p.gap_per_metre(id) {
                    let row = &at.rows[0][..at.cols.len()];
                    self.rows.push(&at.cols, row, gap, self.held[k]);
                }
            }
        }
    }

    /// Adds to `dx` what opens the gaps again; the tolerance is relative to the largest present gap.
    fn push_apart(
        &mut self,
        op: &mut Operator,
        groups: &mut Groups,
        tolerance: f64,
    ) -> Result<(), StepFailure> {
        self.delassus.clear();
        self.b.clear();
        self.laws.clear();
        for group in 0..self.rows.divide(groups) {
            let own = self.rows.group(group);
            if own.iter().any(|i| self.rows.gaps[*i] < 0.0 || self.rows.held[*i]) {
                for i in own {
                    let (cols, vals) = self.rows.row(*i);
                    // without friction it does not matter how loads are shared
                    self.delassus.push_row(cols, vals, 1.0);
                    self.b.push(self.rows.gaps[*i]);
                    let held = self.rows.held[*i];
                    self.laws.push(if held { cone::Law::Equality } else { cone::Law::Unilateral });
                }
                self.delassus.end_group();
            }
        }
        if self.b.is_empty() {
            return Ok(());
        }
        // positions are corrected in the metric of the mass, whatever the forces of the step
        self.delassus.load((self.dims.nv, self.dims.n_vel), op.system());
        let mut respond = |f: &[f64], x: &mut [f64], l: &mut [f64]| op.acc.respond(f, x, l);
        self.delassus.form(&mut respond)?;
        self.r.clear();
        self.r.resize(self.b.len(), 0.0);
        // what few sweeps leave is taken up by the next Newton step
        let settings =
            cone::Settings { tolerance, max_iterations: SWEEPS, solver: cone::Solver::Accelerated };
        self.f.fill(0.0);
        for group in 0..self.delassus.groups() {
            let rows = self.delassus.rows(group);
            let (b, laws) = (&self.b[rows.clone()], &self.laws[rows.clone()]);
            let r = &mut self.r[rows];
            self.delassus.solve(group, &mut respond, b, laws, r, &settings, tolerance)?;
            self.delassus.add_transposed(group, r, &mut self.f);
        }
        respond(&self.f, &mut self.x, &mut self.lambda)?;
        for (d, x) in self.dx.iter_mut().zip(&self.x) {
            *d += x;
        }
        Ok(())
    }
}

/// Normal rows of points, in groups.
#[derive(Default)]
struct NormalRows {
    start: Vec<usize>,
    cols: Vec<usize>,
    vals: Vec<f64>,
    gaps: Vec<f64>,
    held: Vec<bool>,
    number: Vec<usize>,
    by_group: Vec<usize>,
    /// Where each group begins in `by_group`, and the end.
    first: Vec<usize>,
}

impl NormalRows {
    fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.cols.clear();
        self.vals.clear();
        self.gaps.clear();
        self.held.clear();
    }

    fn push(&mut self, cols: &[usize], vals: &[f64], gap: f64, held: bool) {
        self.cols.extend_from_slice(cols);
        self.vals.extend_from_slice(vals);
        self.start.push(self.cols.len());
        self.gaps.push(gap);
        self.held.push(held);
    }

    fn row(&self, i: usize) -> (&[usize], &[f64]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.cols[range.clone()], &self.vals[range])
    }

    /// Sorts the rows by groups; returns their number.
    fn divide(&mut self, groups: &mut Groups) -> usize {
        let cols = &self.cols;
        let each = self.start.windows(2).map(|w| (&cols[w[0]..w[1]], true));
        let n = groups.number(each, &mut self.number);
        sort_by_group(n, &self.number, &mut self.first, &mut self.by_group);
        n
    }

    fn group(&self, group: usize) -> &[usize] {
        &self.by_group[self.first[group]..self.first[group + 1]]
    }
}
