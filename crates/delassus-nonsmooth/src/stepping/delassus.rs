//! u = W r + b with W = H A⁻¹ Hᵀ for rows H of points, group by group, dense or factored.
//!
//! Groups of few rows: W is formed. Without joints A⁻¹ is block-diagonal, and only the blocks of a row are needed. With
//! joints a column is a solution of the step's linear system; since groups do not affect each other, one solution
//! serves the first rows of all groups, the next one the second rows, and so on. Groups of many rows, where forces are
//! explicit: W is never formed, see `mechanisms.rs`. Memory for W is requested first.

use super::mechanisms::{Mechanisms, PointRows};
use crate::even;
use crate::held::Held;
use crate::response::COPIES;
use delassus_cone as cone;
use delassus_dae::{ContactPoint, Factored, Problem, Room, StepFailure};
use delassus_linalg::MassShape;
use std::ops::Range;

/// Number of rows from which on the factored form is used where possible.
const FACTORED_FROM: usize = 100;

/// Rounding of a rate, relative to the sum of the sizes of its parts.
const ROUNDED: f64 = 4.0 * f64::EPSILON;

/// x = A⁻¹ f, with multipliers of all joints.
pub(super) type Respond<'a> =
    dyn FnMut(&[f64], &mut [f64], &mut [f64]) -> Result<(), StepFailure> + 'a;

/// M with the rows of joints, if A consists of these.
pub(super) struct System<'a> {
    pub shape: &'a MassShape,
    pub factored: Factored<'a>,
}

/// W of a group.
#[derive(Clone, Copy)]
struct Formed {
    /// Where it begins.
    at: usize,
    /// Rows depend on each other: the points can share loads in many ways, and the even one is chosen.
    redundant: bool,
}

/// Rows of H by groups, and the solvers.
#[derive(Default)]
pub(super) struct Delassus {
    start: Vec<usize>,
    cols: Vec<usize>,
    vals: Vec<f64>,
    /// The equivalent of a metre in the unit of each row.
    per_metre: Vec<f64>,
    /// First row of each group, and the end.
    first: Vec<usize>,
    formed: Vec<Option<Formed>>,
    w: Vec<f64>,
    f: Vec<f64>,
    x: Vec<f64>,
    lambda: Vec<f64>,
    dense: cone::Workspace,
    even: even::Scratch,
    mechanisms: Mechanisms,
    /// `mechanisms` holds the present system.
    loaded: bool,
    /// The motion caused by one row, and whether it moves a block at all; zero between two rows.
    moved: Vec<f64>,
    moves: Vec<bool>,
    /// Finds what joints hold.
    held: Option<Held>,
    /// The masses of `held` are the present ones.
    weighed: bool,
    /// Blocks of each row, and where those of a row begin.
    row_blocks: Vec<usize>,
    row_first: Vec<usize>,
    /// Points that the rows belong to.
    points: usize,
    room: Room,
}

/// Memory for W of groups with so many rows each, and for what solvers make of the largest, bytes.
fn bytes_of(groups: impl Iterator<Item = usize>) -> f64 {
    let entries = |n: usize| (n as f64).powi(2);
    let (all, largest) = groups.map(entries).fold((0.0, 0.0f64), |(s, m), n| (s + n, m.max(n)));
    (all + (COPIES - 1.0) * largest) * size_of::<f64>() as f64
}

impl Delassus {
    /// For the rows of points of a problem.
    pub fn new<P: Problem>(p: &P) -> Delassus {
        Delassus { held: Some(Held::new(p)), ..Delassus::default() }
    }

    pub fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.cols.clear();
        self.vals.clear();
        self.per_metre.clear();
        self.first.clear();
        self.first.push(0);
        self.points = 0;
    }

    /// A row of a point, the first one first.
    pub fn push(&mut self, at: &ContactPoint, row: usize, per_metre: f64) {
        self.push_row(&at.cols, &at.rows[row][..at.cols.len()], per_metre);
        self.points -= usize::from(row > 0);
    }

    /// The only row of a point.
    pub fn push_row(&mut self, cols: &[usize], vals: &[f64], per_metre: f64) {
        self.points += 1;
        self.per_metre.push(per_metre);
        self.cols.extend_from_slice(cols);
        self.vals.extend_from_slice(vals);
        self.start.push(self.cols.len());
    }

    /// Ends a group: further rows belong to the next one.
    pub fn end_group(&mut self) {
        self.first.push(self.start.len() - 1);
    }

    pub fn groups(&self) -> usize {
        self.first.len() - 1
    }

    pub fn rows(&self, group: usize) -> Range<usize> {
        self.first[group]..self.first[group + 1]
    }

    /// The factored form is used.
    pub fn is_large(&self, group: usize) -> bool {
        self.loaded && self.rows(group).len() >= FACTORED_FROM
    }

    /// Takes over the system with nv coordinates and `joints` multipliers, once all rows are present; `None` if A has
    /// more than M and joints.
    pub fn load(&mut self, (nv, joints): (usize, usize), system: Option<System<'_>>) {
        self.f.resize(nv, 0.0);
        self.x.resize(nv, 0.0);
        self.lambda.resize(joints, 0.0);
        self.weighed = false;
        if let (Some(held), Some(s)) = (&mut self.held, system.as_ref().filter(|_| joints > 0)) {
            held.begin(s.factored.mass);
            self.weighed = true;
        }
        let any_large = self.first.windows(2).any(|w| w[1] - w[0] >= FACTORED_FROM);
        let wanted = system.filter(|_| any_large || joints == 0);
        self.loaded = wanted.is_some_and(|s| self.mechanisms.load(s.shape, &s.factored));
    }

    /// Forms W of all groups that are not too large.
    pub fn form(&mut self, respond: &mut Respond<'_>) -> Result<(), StepFailure> {
        self.formed.clear();
        self.formed.resize(self.groups(), None);
        self.w.clear();
        let sizes = (0..self.groups()).filter(|g| !self.is_large(*g)).map(|g| self.rows(g).len());
        let bytes = bytes_of(sizes);
        if !self.room.grows_to(bytes) {
            return Err(StepFailure::NoRoom { points: self.points, bytes, example: None });
        }
        for group in 0..self.formed.len() {
            if !self.is_large(group) {
                self.make_room(group);
            }
        }
        if self.loaded && self.lambda.is_empty() {
            self.form_by_blocks();
        } else {
            self.form_by_solutions(0..self.formed.len(), respond)?;
        }
        for group in 0..self.formed.len() {
            if let Some(formed) = self.formed[group] {
                self.still_what_is_held(group, formed, respond)?;
                self.judge(group, formed);
            }
        }
        Ok(())
    }

    /// Rows that joints hold are moved only by round-off, which is set to zero.
    fn still_what_is_held(
        &mut self,
        group: usize,
        formed: Formed,
        respond: &mut Respond<'_>,
    ) -> Result<(), StepFailure> {
        let rows = self.rows(group);
        let n = rows.len();
        let Some(held) = self.held.as_mut().filter(|_| self.weighed) else { return Ok(()) };
        for (i, row) in rows.enumerate() {
            let own = self.start[row]..self.start[row + 1];
            let (cols, vals) = (&self.cols[own.clone()], &self.vals[own]);
            let w = self.w[formed.at + i * (n + 1)];
            if !held.is_suspect(cols, vals, w) {
                continue;
            }
            if w > 0.0 {
                self.f.fill(0.0);
                for (c, h) in cols.iter().zip(vals) {
                    self.f[*c] += h;
                }
                respond(&self.f, &mut self.x, &mut self.lambda)?;
                if !held.holds(cols, vals, &self.x) {
                    continue;
                }
            }
            let w = &mut self.w[formed.at..formed.at + n * n];
            w[i * n..(i + 1) * n].fill(0.0);
            w.iter_mut().skip(i).step_by(n).for_each(|w| *w = 0.0);
        }
        Ok(())
    }

    fn make_room(&mut self, group: usize) -> Formed {
        let formed = Formed { at: self.w.len(), redundant: false };
        self.w.resize(formed.at + self.rows(group).len().pow(2), 0.0);
        self.formed[group] = Some(formed);
        formed
    }

    /// Determines whether rows depend on each other.
    fn judge(&mut self, group: usize, formed: Formed) -> Formed {
        let n = self.rows(group).len();
        let w = &self.w[formed.at..formed.at + n * n];
        let judged = Formed { redundant: even::is_redundant(w, n, &mut self.even), ..formed };
        self.formed[group] = Some(judged);
        judged
    }

    /// Residual caused by the rounding of the rates H v in b: where rows depend on each other, b contradicts itself by
    /// that, and no forces remove it. It matters in steps so short that b is almost nothing compared with the
    /// velocities.
    pub fn rounding(&self, group: usize, v: &[f64], b: &[f64]) -> Option<f64> {
        let Some(Formed { at, redundant: true }) = self.formed[group] else { return None };
        let rows = self.rows(group);
        let n = rows.len();
        let (mut noise, mut driven) = (0.0f64, 0.0f64);
        for (k, i) in rows.enumerate() {
            let root = self.w[at + k * n + k].max(0.0).sqrt();
            if root > 0.0 {
                let own = self.start[i]..self.start[i + 1];
                let parts = self.cols[own.clone()].iter().zip(&self.vals[own]);
                noise = noise.max(parts.map(|(c, h)| (h * v[*c]).abs()).sum::<f64>() / root);
                driven = driven.max(b[k].abs() / root);
            }
        }
        (driven > 0.0).then(|| ROUNDED * noise / driven)
    }

    /// The rows of a group depend on each other.
    pub fn is_redundant(&self, group: usize) -> bool {
        self.formed[group].is_some_and(|f| f.redundant)
    }

    /// Effect of a unit of a row along it, if W is formed.
    pub fn mobility(&self, group: usize, row: usize) -> Option<f64> {
        let n = self.rows(group).len();
        self.formed[group].map(|f| self.w[f.at + row * (n + 1)])
    }

    /// x += Hᵀ r for the rows of a group.
    pub fn add_transposed(&self, group: usize, r: &[f64], x: &mut [f64]) {
        for (i, r) in self.rows(group).zip(r) {
            if *r != 0.0 {
                for k in self.start[i]..self.start[i + 1] {
                    x[self.cols[k]] += self.vals[k] * r;
                }
            }
        }
    }

    /// H_i · x.
    fn dot(&self, i: usize, x: &[f64]) -> f64 {
        let range = self.start[i]..self.start[i + 1];
        self.cols[range.clone()].iter().zip(&self.vals[range]).map(|(c, v)| v * x[*c]).sum()
    }

    /// Finds r of a group from the start in it. In factored form it aims at the tolerance `fine` if the group has
    /// joints, and accepts that of the settings.
    #[allow(clippy::too_many_arguments)]
    pub fn solve(
        &mut self,
        group: usize,
        respond: &mut Respond<'_>,
        b: &[f64],
        laws: &[cone::Law],
        r: &mut [f64],
        settings: &cone::Settings,
        fine: f64,
    ) -> Result<cone::Report, StepFailure> {
        let formed = match self.formed[group] {
            Some(formed) => formed,
            None => {
                let rows = self.rows(group);
                let h = PointRows {
                    start: &self.start[rows.start..=rows.end],
                    cols: &self.cols,
                    vals: &self.vals,
                };
                let m = &mut self.mechanisms;
                let report = m.solve(h, respond, b, laws, r, settings, fine)?;
                let open = report.status != cone::Status::Solved && m.had_joints();
                if !open || settings.solver != cone::Solver::Auto {
                    return Ok(report);
                }
                // if the interior point method does not reach it, others may, provided there is memory for W
                let formed = (0..self.groups()).filter(|g| self.formed[*g].is_some());
                let sizes = formed.chain([group]).map(|g| self.rows(g).len());
                let bytes = bytes_of(sizes);
                if !self.room.grows_to(bytes) {
                    return Ok(report);
                }
                let formed = self.make_room(group);
                self.form_by_solutions(group..group + 1, respond)?;
                self.still_what_is_held(group, formed, respond)?;
                self.judge(group, formed)
            }
        };
        let w = &self.w[formed.at..formed.at + b.len() * b.len()];
        let p = cone::DenseProblem { w, b, laws };
        if laws.len() == 1 {
            // a single point: one sweep is exact
            let sweep = cone::Settings {
                solver: cone::Solver::GaussSeidel,
                max_iterations: 2,
                tolerance: fine,
            };
            let report = cone::solve(&p, r, &sweep, &mut self.dense);
            if report.status == cone::Status::Solved {
                return Ok(report);
            }
        }
        let auto = cone::Settings { solver: cone::Solver::Auto, tolerance: fine, ..*settings };
        // without friction all ways to share a load move the bodies alike
        let rough = laws.iter().any(|l| matches!(l, cone::Law::Coulomb { mu, .. } if *mu > 0.0));
        let shared = rough && formed.redundant;
        let per_metre = &self.per_metre[self.rows(group)];
        let answer = even::solve(&p, per_metre, shared, &auto, r, &mut self.dense, &mut self.even);
        Ok(match answer.residual <= settings.tolerance {
            true => cone::Report { status: cone::Status::Solved, ..answer },
            false => answer,
        })
    }

    /// du = W r of a group.
    pub fn product(
        &mut self,
        group: usize,
        respond: &mut Respond<'_>,
        r: &[f64],
        du: &mut Vec<f64>,
    ) -> Result<(), StepFailure> {
        let rows = self.rows(group);
        let n = rows.len();
        du.clear();
        if let Some(formed) = self.formed[group] {
            let w = &self.w[formed.at..formed.at + n * n];
            let row = |i: usize| w[i * n..(i + 1) * n].iter().zip(r).map(|(w, r)| w * r).sum();
            du.extend((0..n).map(|i| -> f64 { row(i) }));
            return Ok(());
        }
        let mut f = std::mem::take(&mut self.f);
        f.fill(0.0);
        self.add_transposed(group, r, &mut f);
        let done = respond(&f, &mut self.x, &mut self.lambda);
        self.f = f;
        done?;
        du.extend(rows.map(|i| self.dot(i, &self.x)));
        Ok(())
    }

    /// W by the inverse of the blocks that a row involves: the cost does not grow with the system, and rows without a
    /// common block cost almost nothing.
    fn form_by_blocks(&mut self) {
        self.list_row_blocks();
        let Some(blocks) = self.mechanisms.shape() else { return };
        self.moved.resize(blocks.dim(), 0.0);
        self.moves.resize(blocks.count(), false);
        for group in 0..self.formed.len() {
            let Some(formed) = self.formed[group] else { continue };
            let rows = self.rows(group);
            let n = rows.len();
            for j in rows.clone() {
                let range = self.start[j]..self.start[j + 1];
                let own = self.row_first[j]..self.row_first[j + 1];
                for (c, v) in self.cols[range.clone()].iter().zip(&self.vals[range]) {
                    let k = self.mechanisms.block_of()[*c];
                    let (first, size, value) = (blocks.dof(k), blocks.sizes()[k], blocks.value(k));
                    let inverse = &self.mechanisms.inverse()[value..value + size * size];
                    for i in 0..size {
                        self.moved[first + i] += inverse[i * size + c - first] * v;
                    }
                }
                self.row_blocks[own.clone()].iter().for_each(|k| self.moves[*k] = true);
                for i in rows.clone() {
                    let of_row = &self.row_blocks[self.row_first[i]..self.row_first[i + 1]];
                    let common = of_row.iter().any(|k| self.moves[*k]);
                    let at = formed.at + (i - rows.start) * n + j - rows.start;
                    self.w[at] = if common { self.dot(i, &self.moved) } else { 0.0 };
                }
                for k in &self.row_blocks[own] {
                    self.moves[*k] = false;
                    self.moved[blocks.dof(*k)..][..blocks.sizes()[*k]].fill(0.0);
                }
            }
        }
    }

    fn list_row_blocks(&mut self) {
        let block_of = self.mechanisms.block_of();
        self.row_blocks.clear();
        self.row_first.clear();
        self.row_first.push(0);
        for row in self.start.windows(2) {
            let mut last = usize::MAX;
            // coordinates of a block are adjacent
            for c in &self.cols[row[0]..row[1]] {
                if block_of[*c] != last {
                    last = block_of[*c];
                    self.row_blocks.push(last);
                }
            }
            self.row_first.push(self.row_blocks.len());
        }
    }

    /// W of those of the groups that have room for it, by one solution for the j-th rows of all.
    fn form_by_solutions(
        &mut self,
        groups: Range<usize>,
        respond: &mut Respond<'_>,
    ) -> Result<(), StepFailure> {
        let has_room = |g: &usize| self.formed[*g].is_some();
        let most = groups.clone().filter(has_room).map(|g| self.rows(g).len()).max();
        for j in 0..most.unwrap_or(0) {
            self.f.fill(0.0);
            for group in groups.clone() {
                let rows = self.rows(group);
                if self.formed[group].is_some() && j < rows.len() {
                    let i = rows.start + j;
                    for k in self.start[i]..self.start[i + 1] {
                        self.f[self.cols[k]] += self.vals[k];
                    }
                }
            }
            respond(&self.f, &mut self.x, &mut self.lambda)?;
            for group in groups.clone() {
                let rows = self.rows(group);
                let n = rows.len();
                if let Some(formed) = self.formed[group].filter(|_| j < n) {
                    for (i, row) in rows.enumerate() {
                        self.w[formed.at + i * n + j] = self.dot(row, &self.x);
                    }
                }
            }
        }
        Ok(())
    }
}
