//! Which bodies are held together by joints, and the factored contact problem of some of them.
//!
//! A *mechanism* is a set of bodies connected by rows of G; a body without joints is one by itself. The problem of a
//! group of points is posed on the coordinates of the mechanisms that its points touch, and on no others. There
//!
//! ```text
//! u = H M⁻¹ (Hᵀ r + Gᵀ λ) + b ,   0 = G M⁻¹ (Hᵀ r + Gᵀ λ)
//! ```
//!
//! has block-diagonal M, so the rows of joints appear beside those of points as equalities, and memory and the factors
//! of the solver are as sparse as the graph of joints and points.

use super::delassus::Respond;
use crate::groups::sort_by_group;
use delassus_cone as cone;
use delassus_dae::{Factored, StepFailure};
use delassus_linalg::{Csr, MassShape};

/// Multiplications of one interior-point step up to which the forces found by sweeps are refined by that method: a few
/// dozen steps take some hundredths of a second, and a heap at rest does not creep.
const CHEAP: f64 = 2e6;

/// Not part of the present problem.
const NONE: usize = usize::MAX;

/// Lists of numbers, one after the other.
#[derive(Default)]
struct Lists {
    first: Vec<usize>,
    items: Vec<usize>,
}

impl Lists {
    /// Sorts 0.. by the list that each belongs to.
    fn new(n: usize, of: &[usize]) -> Lists {
        let (mut first, mut items) = (Vec::new(), Vec::new());
        sort_by_group(n, of, &mut first, &mut items);
        Lists { first, items }
    }

    fn get(&self, k: usize) -> &[usize] {
        &self.items[self.first[k]..self.first[k + 1]]
    }
}

/// M and G of a system, by mechanisms.
#[derive(Default)]
pub(super) struct Mechanisms {
    shape: Option<MassShape>,
    block_of: Vec<usize>,
    /// Mechanism of each block; blocks and rows of each mechanism.
    of_block: Vec<usize>,
    blocks: Lists,
    rows: Lists,
    /// Rows of G that take part, by their indices among all.
    chosen: Vec<usize>,
    pattern: Option<Csr>,
    jac: Vec<f64>,
    inverse: Vec<f64>,
    /// The mass of which it is the inverse.
    inverse_of: Vec<f64>,
    scratch: Vec<f64>,
    // the problem of a group
    met: Vec<bool>,
    own: Vec<usize>,
    own_rows: Vec<usize>,
    /// First coordinate of each block in it.
    place: Vec<usize>,
    sizes: Vec<usize>,
    minv: Vec<f64>,
    start: Vec<usize>,
    cols: Vec<usize>,
    vals: Vec<f64>,
    b: Vec<f64>,
    laws: Vec<cone::Law>,
    r: Vec<f64>,
    f: Vec<f64>,
    x: Vec<f64>,
    lambda: Vec<f64>,
    solver: cone::SparseWorkspace,
}

/// Rows of points.
#[derive(Clone, Copy)]
pub(super) struct PointRows<'a> {
    /// Where each row begins in the other two, and the end.
    pub start: &'a [usize],
    pub cols: &'a [usize],
    pub vals: &'a [f64],
}

impl Mechanisms {
    /// Takes over a factored system; false if a block of M is singular.
    pub fn load(&mut self, shape: &MassShape, system: &Factored<'_>) -> bool {
        if self.shape.is_none() {
            self.divide(shape, system);
        }
        self.jac.clear();
        self.jac.extend_from_slice(system.jac);
        // the mass is often the same as last time
        if self.inverse_of == system.mass {
            return true;
        }
        self.inverse_of.clear();
        let fine = invert(shape, system.mass, &mut self.inverse, &mut self.scratch);
        self.inverse_of.extend_from_slice(if fine { system.mass } else { &[] });
        fine
    }

    /// Finds the mechanisms.
    fn divide(&mut self, shape: &MassShape, system: &Factored<'_>) {
        let n = shape.count();
        for k in 0..n {
            self.block_of.extend((0..shape.sizes()[k]).map(|_| k));
        }
        let all = system.pattern.nrows;
        self.chosen = system.chosen.map_or_else(|| (0..all).collect(), <[usize]>::to_vec);
        let mut parent: Vec<usize> = (0..n).collect();
        fn root(parent: &mut [usize], mut k: usize) -> usize {
            while parent[k] != k {
                parent[k] = parent[parent[k]];
                k = parent[k];
            }
            k
        }
        for r in &self.chosen {
            let mut cols = system.pattern.row(*r).iter();
            let Some(first) = cols.next() else { continue };
            for c in cols {
                let a = root(&mut parent, self.block_of[*first]);
                let b = root(&mut parent, self.block_of[*c]);
                parent[a.max(b)] = a.min(b);
            }
        }
        // a root comes before all others of its mechanism
        let mut count = 0;
        self.of_block = vec![0; n];
        for k in 0..n {
            let first = root(&mut parent, k);
            self.of_block[k] = if first == k { count } else { self.of_block[first] };
            count += usize::from(first == k);
        }
        // a row without columns holds nothing, and belongs to none
        let of_row = |r: &usize| {
            let first = system.pattern.row(*r).first();
            first.map_or(count, |c| self.of_block[self.block_of[*c]])
        };
        let of_row: Vec<usize> = self.chosen.iter().map(of_row).collect();
        self.rows = Lists::new(count + 1, &of_row);
        self.blocks = Lists::new(count, &self.of_block);
        self.met = vec![false; count];
        self.place = vec![NONE; n];
        self.lambda = vec![0.0; all];
        self.f = vec![0.0; shape.dim()];
        self.x = vec![0.0; shape.dim()];
        self.pattern = Some(system.pattern.clone());
        self.shape = Some(shape.clone());
    }

    /// Poses the problem of points on what they touch.
    fn pose(&mut self, h: PointRows<'_>, b: &[f64], laws: &[cone::Law], r: &[f64]) {
        let (Some(shape), Some(pattern)) = (&self.shape, &self.pattern) else { return };
        self.own.clear();
        self.own_rows.clear();
        let (first, last) = (h.start[0], h.start[h.start.len() - 1]);
        for c in &h.cols[first..last] {
            let k = self.of_block[self.block_of[*c]];
            if !self.met[k] {
                self.met[k] = true;
                self.own.extend_from_slice(self.blocks.get(k));
                self.own_rows.extend_from_slice(self.rows.get(k));
            }
        }
        self.own.sort_unstable();
        self.own_rows.sort_unstable();
        self.sizes.clear();
        self.minv.clear();
        let mut dim = 0;
        for &k in &self.own {
            self.met[self.of_block[k]] = false;
            let n = shape.sizes()[k];
            self.place[k] = dim;
            dim += n;
            self.sizes.push(n);
            self.minv.extend_from_slice(&self.inverse[shape.value(k)..][..n * n]);
        }
        self.start.clear();
        self.start.push(0);
        self.cols.clear();
        self.vals.clear();
        let local = |c: &usize| {
            let k = self.block_of[*c];
            self.place[k] + c - shape.dof(k)
        };
        self.cols.extend(h.cols[first..last].iter().map(local));
        self.vals.extend_from_slice(&h.vals[first..last]);
        self.start.extend(h.start[1..].iter().map(|s| s - first));
        for i in &self.own_rows {
            let r = self.chosen[*i];
            self.cols.extend(pattern.row(r).iter().map(local));
            self.vals.extend_from_slice(&self.jac[pattern.row_ptr[r]..pattern.row_ptr[r + 1]]);
            self.start.push(self.cols.len());
        }
        let joints = self.own_rows.len();
        self.b.clear();
        self.b.extend_from_slice(b);
        self.b.resize(b.len() + joints, 0.0);
        self.laws.clear();
        self.laws.extend_from_slice(laws);
        self.laws.resize(laws.len() + joints, cone::Law::Equality);
        self.r.clear();
        self.r.extend_from_slice(r);
        self.r.resize(r.len() + joints, 0.0);
    }

    /// Finds the reactions r of points from the start in it.
    ///
    /// Without joints by sweeps; only [`cone::Solver::Auto`] continues if they do not reach the
    /// tolerance, or on to the tolerance `fine` where that is cheap. Sweeps carry
    /// an impulse through a mechanism from joint to joint, far too slowly: if there are joints the interior point
    /// method is used, to the tolerance `fine`, and a result within that of the settings is accepted. The residual is
    /// then that of the points, with joints that hold exactly.
    #[allow(clippy::too_many_arguments)]
    pub fn solve(
        &mut self,
        h: PointRows<'_>,
        respond: &mut Respond<'_>,
        b: &[f64],
        laws: &[cone::Law],
        r: &mut [f64],
        settings: &cone::Settings,
        fine: f64,
    ) -> Result<cone::Report, StepFailure> {
        self.pose(h, b, laws, r);
        let p = cone::SparseProblem {
            h: cone::Rows { start: &self.start, columns: &self.cols, values: &self.vals },
            minv: cone::InverseMass::Blocks { sizes: &self.sizes, values: &self.minv },
            b: &self.b,
            laws: &self.laws,
        };
        let inner = cone::Settings { solver: cone::Solver::InteriorPoint, ..*settings };
        if self.own_rows.is_empty() {
            let sweeps = cone::Settings { solver: cone::Solver::Accelerated, ..*settings };
            let mut report = cone::solve_sparse(&p, r, &sweeps, &mut self.solver);
            let open = report.status == cone::Status::IterationLimit;
            if open && settings.solver == cone::Solver::Auto {
                let last = cone::solve_sparse(&p, r, &inner, &mut self.solver);
                report = cone::Report { iterations: report.iterations + last.iterations, ..last };
            }
            if report.residual > fine
                && settings.solver == cone::Solver::Auto
                && cone::interior_work(&p, &mut self.solver) <= CHEAP
            {
                let finer = cone::Settings { tolerance: fine, ..inner };
                self.r.copy_from_slice(r);
                let last = cone::solve_sparse(&p, &mut self.r, &finer, &mut self.solver);
                if last.residual < report.residual {
                    r.copy_from_slice(&self.r);
                    let (residual, iterations) =
                        (last.residual, report.iterations + last.iterations);
                    report = cone::Report { residual, iterations, ..report };
                    if residual <= settings.tolerance {
                        report.status = cone::Status::Solved;
                    }
                }
            }
            return Ok(report);
        }
        let inner = cone::Settings { tolerance: fine, ..inner };
        let report = cone::solve_sparse(&p, &mut self.r, &inner, &mut self.solver);
        r.copy_from_slice(&self.r[..r.len()]);
        // the joints' part again, exactly
        self.f.fill(0.0);
        for (i, r) in r.iter().enumerate() {
            for at in h.start[i]..h.start[i + 1] {
                self.f[h.cols[at]] += h.vals[at] * r;
            }
        }
        respond(&self.f, &mut self.x, &mut self.lambda)?;
        for (to, i) in self.r[r.len()..].iter_mut().zip(&self.own_rows) {
            *to = self.lambda[self.chosen[*i]];
        }
        let residual = cone::natural_residual_sparse(&p, &self.r, &mut self.solver);
        let status = match report.status {
            _ if residual <= settings.tolerance => cone::Status::Solved,
            cone::Status::Solved => cone::Status::IterationLimit,
            other => other,
        };
        Ok(cone::Report { status, residual, ..report })
    }

    /// The last problem had joints.
    pub fn had_joints(&self) -> bool {
        !self.own_rows.is_empty()
    }

    /// Shape of M.
    pub fn shape(&self) -> Option<&MassShape> {
        self.shape.as_ref()
    }

    /// The inverse of M, block by block.
    pub fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    /// Block of each coordinate.
    pub fn block_of(&self) -> &[usize] {
        &self.block_of
    }
}

/// Inverses of symmetric positive blocks, by elimination on the diagonal; false where one is singular.
fn invert(shape: &MassShape, values: &[f64], out: &mut Vec<f64>, a: &mut Vec<f64>) -> bool {
    out.clear();
    out.resize(shape.value_len(), 0.0);
    for k in 0..shape.count() {
        let (n, v0) = (shape.sizes()[k], shape.value(k));
        a.clear();
        a.extend_from_slice(&values[v0..v0 + n * n]);
        let x = &mut out[v0..v0 + n * n];
        for i in 0..n {
            x[i * n + i] = 1.0;
        }
        for p in 0..n {
            let pivot = a[p * n + p];
            if !(pivot > 0.0) {
                return false;
            }
            for j in 0..n {
                a[p * n + j] /= pivot;
                x[p * n + j] /= pivot;
            }
            for i in (0..n).filter(|i| *i != p) {
                let c = a[i * n + p];
                if c != 0.0 {
                    for j in 0..n {
                        a[i * n + j] -= c * a[p * n + j];
                        x[i * n + j] -= c * x[p * n + j];
                    }
                }
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_inverted() {
        let shape = MassShape::new(vec![2, 1, 3]);
        let values = [2.0, 1.0, 1.0, 3.0, 4.0, 5.0, 1.0, 0.5, 1.0, 4.0, -1.0, 0.5, -1.0, 3.0];
        let (mut x, mut scratch) = (Vec::new(), Vec::new());
        assert!(invert(&shape, &values, &mut x, &mut scratch));
        for k in 0..3 {
            let (n, v) = (shape.sizes()[k], shape.value(k));
            for i in 0..n {
                for j in 0..n {
                    let p: f64 = (0..n).map(|l| values[v + i * n + l] * x[v + l * n + j]).sum();
                    assert!((p - f64::from(u8::from(i == j))).abs() < 1e-14);
                }
            }
        }
        assert!(!invert(&shape, &[0.0; 14], &mut x, &mut scratch));
    }

    /// Blocks 0 and 2 have a row in common, block 1 none; row 1 does not take part.
    #[test]
    fn mechanisms_are_what_rows_join() {
        let shape = MassShape::new(vec![1, 2, 1]);
        let pattern = Csr::from_pairs(2, 4, [(0, 0), (0, 3), (1, 1), (1, 3)]).unwrap();
        let system = Factored {
            mass: &[1.0, 1.0, 0.0, 0.0, 1.0, 1.0],
            pattern: &pattern,
            jac: &[1.0; 4],
            chosen: Some(&[0]),
        };
        let mut m = Mechanisms::default();
        assert!(m.load(&shape, &system));
        assert_eq!(m.of_block, [0, 1, 0]);
        assert_eq!((m.blocks.get(0), m.blocks.get(1)), (&[0, 2][..], &[1][..]));
        assert_eq!((m.rows.get(0), m.rows.get(1)), (&[0][..], &[][..]));
        let h = PointRows { start: &[0, 1], cols: &[3], vals: &[2.0] };
        m.pose(h, &[-1.0], &[cone::Law::Unilateral], &[0.0]);
        assert_eq!((&m.sizes[..], &m.cols[..]), (&[1, 1][..], &[1, 0, 1][..]));
        assert_eq!(m.laws, [cone::Law::Unilateral, cone::Law::Equality]);
    }
}
