//! The response of the two-sided system to forces along the rows of points.
//!
//! With A⁻¹ the response of the system with its joints, the rows H of the chosen points have the
//! Delassus matrix W = H A⁻¹ Hᵀ, so that u̇ = W r + u̇_free for forces r and u⁺ = W P + u⁻ for
//! impulses P. W is dense and small: it has the rows of the present points, not those of the model.

use crate::burden::Burden;
use crate::cholesky::{Cholesky, ROUND_OFF, first_entry};
use crate::groups::Groups;
use crate::held::Held;
use crate::neighbours::Neighbours;
use delassus_dae::{Accel, KktError, Room, StepFailure};
use delassus_dae::{ContactPoint, PointId, PointLaw, Unilateral};
use delassus_linalg::rank_tol;

/// Approximate number of matrices of the size of W in memory at a time: W itself, that of the largest group, and copies
/// made by solvers.
pub(crate) const COPIES: f64 = 8.0;

/// A point that takes part.
#[derive(Debug, Clone)]
pub struct Member {
    /// Which.
    pub id: PointId,
    /// Its law.
    pub law: PointLaw,
    /// Its kinematics at the state of the response.
    pub at: ContactPoint,
    /// Its first row in W.
    pub row: usize,
    /// The equivalent of a metre in the unit of its gap.
    pub per_metre: f64,
}

/// W and A⁻¹Hᵀ of a set of points at one position.
pub struct Response {
    acc: Accel,
    /// The groups without points.
    pub groups: Groups,
    /// The points, in ascending order of ids.
    pub members: Vec<Member>,
    /// W, row by row.
    pub w: Vec<f64>,
    /// Number of rows.
    pub n: usize,
    /// A⁻¹Hᵀ, one vector of nv entries per row.
    columns: Vec<f64>,
    f: Vec<f64>,
    lambda: Vec<f64>,
    nv: usize,
    /// Further forces given to [`Response::free_under`].
    load: Vec<f64>,
    burden: Burden,
    held: Held,
    neighbours: Neighbours,
    /// Memory that a set of points may need; more is refused even if it is available.
    pub most_bytes: f64,
    room: Room,
}

impl Response {
    /// Sizes everything for a problem.
    pub fn new<P: Unilateral>(p: &P) -> Result<Response, KktError> {
        let d = p.dims();
        let groups = Groups::new(p);
        Ok(Response {
            acc: Accel::new(p)?,
            neighbours: Neighbours::new(&groups),
            groups,
            members: Vec::new(),
            w: Vec::new(),
            n: 0,
            columns: Vec::new(),
            f: vec![0.0; d.nv],
            lambda: vec![0.0; d.n_vel],
            nv: d.nv,
            load: Vec::new(),
            burden: Burden::new(p),
            held: Held::new(p),
            most_bytes: f64::INFINITY,
            room: Room::default(),
        })
    }

    /// Takes over the points and computes W at the position realised in `ws`, where the points were evaluated.
    pub fn set<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        points: impl IntoIterator<Item = (PointId, ContactPoint)>,
    ) -> Result<(), StepFailure> {
        self.members.clear();
        let mut n = 0;
        for (id, at) in points {
            let law = p.law_at(id, &at.rate);
            self.members.push(Member { id, law, at, row: n, per_metre: p.gap_per_metre(id) });
            n += law.rows();
        }
        let entries = n as f64 * (self.nv as f64 + COPIES * n as f64);
        let bytes = entries * size_of::<f64>() as f64;
        if bytes > self.most_bytes || !self.room.grows_to(bytes) {
            let example = self.members.first().map(|m| m.id);
            return Err(StepFailure::NoRoom { points: self.members.len(), bytes, example });
        }
        self.n = n;
        self.acc.factor_realized(p, ws)?;
        self.columns.resize(n * self.nv, 0.0);
        self.w.resize(n * n, 0.0);
        self.held.begin(self.acc.terms().0);
        for m in &self.members {
            for k in 0..m.law.rows() {
                self.f.fill(0.0);
                m.at.add_row(k, 1.0, &mut self.f);
                let at = (m.row + k) * self.nv;
                let column = &mut self.columns[at..at + self.nv];
                self.acc.respond(&self.f, column, &mut self.lambda)?;
                let (cols, row, w) = (&m.at.cols, &m.at.rows[k], m.at.row_dot(k, column));
                if self.held.is_suspect(cols, row, w)
                    && (!(w > 0.0) || self.held.holds(cols, row, column))
                {
                    column.fill(0.0);
                }
            }
        }
        self.fill_matrix();
        Ok(())
    }

    /// W from the columns. Rows that are connected with none of the bodies of a column are not moved by it.
    fn fill_matrix(&mut self) {
        let Response { members, w, n, columns, nv, neighbours, .. } = self;
        let n = *n;
        neighbours.clear();
        for m in &*members {
            (m.row..m.row + m.law.rows()).for_each(|row| neighbours.add(row, &m.at.cols));
        }
        w.fill(0.0);
        for m in &*members {
            let near = neighbours.of(&m.at.cols);
            for k in 0..m.law.rows() {
                for j in near {
                    let column = &columns[j * *nv..(j + 1) * *nv];
                    w[(m.row + k) * n + j] = m.at.row_dot(k, column);
                }
            }
        }
        // symmetric up to round-off: make it exactly so; held rows are kept
        for m in &*members {
            let near = neighbours.of(&m.at.cols);
            for i in m.row..m.row + m.law.rows() {
                for j in near.iter().copied().filter(|j| *j < i) {
                    let both = w[i * (n + 1)] > 0.0 && w[j * (n + 1)] > 0.0;
                    let mean = if both { 0.5 * (w[i * n + j] + w[j * n + i]) } else { 0.0 };
                    w[i * n + j] = mean;
                    w[j * n + i] = mean;
                }
            }
        }
    }

    /// Whether forces along a row move it: joints do not hold it.
    pub fn moves(&self, row: usize) -> bool {
        self.w[row * (self.n + 1)] > 0.0
    }

    /// Group of each member, and the number of groups; members whose law is not in `joins` connect nothing.
    pub fn groups_joined_by(&self, joins: impl Fn(&PointLaw) -> bool) -> (Vec<usize>, usize) {
        let mut of_group = Vec::new();
        let points = self.members.iter().map(|m| (&m.at.cols[..], joins(&m.law)));
        let n = self.groups.clone().number(points, &mut of_group);
        (of_group, n)
    }

    /// u = (rates of the members), for which they must have been evaluated.
    pub fn rates(&self, u: &mut Vec<f64>) {
        u.clear();
        for m in &self.members {
            u.extend_from_slice(&m.at.rate[..m.law.rows()]);
        }
    }

    /// u̇ at accelerations `a`.
    pub fn accelerations(&self, a: &[f64], out: &mut Vec<f64>) {
        out.clear();
        for m in &self.members {
            for k in 0..m.law.rows() {
                out.push(m.at.row_dot(k, a) + m.at.bias[k]);
            }
        }
    }

    /// Sizes of the terms that add up to u̇ with forces r at the points, at the state given to [`Response::free`].
    pub fn terms<P: Unilateral>(&mut self, p: &P, r: &[f64], out: &mut Vec<f64>) {
        let (mass, jac, f) = self.acc.terms();
        self.burden.begin(mass);
        self.burden.add_forces(f);
        if !self.load.is_empty() {
            self.burden.add_forces(&self.load);
        }
        self.burden.add_rows(&p.structure().jac, jac, &self.lambda);
        for m in &self.members {
            for k in 0..m.law.rows() {
                self.burden.add_row(&m.at.cols, &m.at.rows[k], r[m.row + k]);
            }
        }
        out.clear();
        for m in &self.members {
            out.extend((0..m.law.rows()).map(|k| self.burden.along(&m.at, k)));
        }
    }

    /// x += A⁻¹Hᵀ r: the jump of v by impulses r, or the change of a by forces r.
    pub fn apply(&self, r: &[f64], x: &mut [f64]) {
        for (j, r) in r.iter().enumerate() {
            if *r != 0.0 {
                let column = &self.columns[j * self.nv..(j + 1) * self.nv];
                for (x, c) in x.iter_mut().zip(column) {
                    *x += r * c;
                }
            }
        }
    }

    /// u += W r.
    pub fn add_product(&self, r: &[f64], u: &mut [f64]) {
        for (i, u) in u.iter_mut().enumerate() {
            *u +=
                self.w[i * self.n..(i + 1) * self.n].iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
        }
    }

    /// ½ (u⁺ + u⁻)·P: the kinetic energy that impulses add; negative when it is lost.
    pub fn energy_of_impulse(&self, before: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        impulse.iter().zip(before.iter().zip(after)).map(|(p, (b, a))| 0.5 * p * (b + a)).sum()
    }

    /// Accelerations without forces at points, at the state realised in `ws`.
    pub fn free<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &delassus_dae::State,
        a: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), StepFailure> {
        self.load.clear();
        let e = delassus_dae::at(p, ws, s.t, &s.q, &s.z).velocity(&s.v, &s.z);
        self.acc.eval_at(&e, a, &mut self.lambda, zdot)
    }

    /// The same with further generalised forces.
    pub fn free_under<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &delassus_dae::State,
        load: &[f64],
        a: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), StepFailure> {
        // first: solving with other forces overwrites those from which terms are computed
        let mut change = vec![0.0; self.nv];
        self.acc.respond(load, &mut change, &mut self.lambda)?;
        self.free(p, ws, s, a, zdot)?;
        self.load.extend_from_slice(load);
        for (a, c) in a.iter_mut().zip(&change) {
            *a += c;
        }
        Ok(())
    }

    /// Which of the rows depend on those before them, by elimination on W. The order of preference is the order of
    /// `rows`.
    pub fn dependence(&self, rows: &[usize]) -> Dependence {
        dependence(&self.w, self.n, rows)
    }
}

/// What elimination reveals about rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence {
    /// It is independent of the rows before it.
    pub keep: Vec<bool>,
    /// The force along it is not unique: it depends on others, or one that does involves it.
    pub shared: Vec<bool>,
}

impl Dependence {
    /// Some row depends on others.
    pub fn is_redundant(&self) -> bool {
        self.keep.iter().any(|k| !k)
    }
}

/// Fraction by which a row has to contribute to another one to count as involved, relative to that row.
const INVOLVED: f64 = 1e-6;

/// Which of the rows are independent of those before them in a symmetric matrix ≥ 0, and which
/// are involved where others depend on them.
fn dependence(w: &[f64], n: usize, rows: &[usize]) -> Dependence {
    let m = rows.len();
    // Cholesky without pivoting: a row whose remainder vanishes depends on those before it
    let mut l = Cholesky::default();
    let mut keep = vec![false; m];
    let mut shared = vec![false; m];
    let own = |i: usize| w[rows[i] * n + rows[i]];
    let mut row = Vec::with_capacity(m);
    for i in 0..m {
        row.clear();
        row.extend((0..i).map(|j| w[rows[i] * n + rows[j]]));
        let rest = own(i) - l.reduce(&mut row);
        if rest > rank_tol::PRODUCT * own(i) && own(i) > 0.0 {
            keep[i] = true;
            l.push(&row, rest.sqrt());
            continue;
        }
        // row i = Σ c_j (row j): c by the transposed factor
        shared[i] = true;
        let entries = first_entry(&row)..i;
        let least = ROUND_OFF * own(i).max(0.0).sqrt();
        for j in l.solve_transposed_local(&mut row, entries, least) {
            shared[j] |= (row[j] * row[j] * own(j)).sqrt() > INVOLVED * own(i).sqrt();
        }
        l.leave_out();
    }
    Dependence { keep, shared }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_rows_are_found() {
        // rows of H: e1, e2, e1 + e2, e3 with W = H Hᵀ
        let h = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut w = [0.0; 16];
        for i in 0..4 {
            for j in 0..4 {
                w[i * 4 + j] = (0..3).map(|k| h[i][k] * h[j][k]).sum();
            }
        }
        let d = dependence(&w, 4, &[0, 1, 2, 3]);
        assert_eq!(d.keep, [true, true, false, true]);
        assert_eq!(d.shared, [true, true, true, false]);
        assert_eq!(dependence(&w, 4, &[2, 1, 0]).keep, [true, true, false]);
        // e1 twice, and what has nothing to do with it
        let d = dependence(&w, 4, &[3, 0, 1, 0]);
        assert_eq!(d.keep, [true, true, true, false]);
        assert_eq!(d.shared, [false, true, false, true]);
        assert!(d.is_redundant() && !dependence(&w, 4, &[0, 1, 3]).is_redundant());
    }
}
