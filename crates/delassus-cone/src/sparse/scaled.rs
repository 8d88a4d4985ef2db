//! The factored problem in pure numbers, as in `scaling.rs` of the dense form.
//!
//! ```text
//! Ĥ = D^(−1/2) H ,   Ŷ = Ĥ M⁻¹ ,   x = Ŷᵀ r̂ ,   û = Ĥ x + b̂ ,   Ŵ_kk = Ĥ_k Ŷ_kᵀ
//! ```
//!
//! `x` is the effect of the reactions on the velocities. If `M⁻¹ = L Lᵀ` is known by blocks, both `Ĥ` and `Ŷ` are
//! replaced by `J = Ĥ L`, so that `Ŵ = J Jᵀ`. Memory and the cost of a product are linear in the entries of `H`.

use super::block_lu::SIZE;
use super::packed::{MassRoot, PAD, Packed, Source};
use super::problem::{InverseMass, SparseProblem};
use crate::law::{bare_reaction, defect};
use crate::problem::Law;
use crate::scaling::{BARE_FLOOR, NOISE_CAP, NOISE_FACTOR, NOTHING, forced, offsets, scaled_law};

/// A sparse matrix by rows that owns its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnedRows {
    pub start: Vec<usize>,
    pub columns: Vec<usize>,
    pub values: Vec<f64>,
}

impl OwnedRows {
    fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.columns.clear();
        self.values.clear();
    }

    /// Row · x.
    pub fn dot(&self, i: usize, x: &[f64]) -> f64 {
        let range = self.start[i]..self.start[i + 1];
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(&c, v)| v * x[c]).sum()
    }

    /// x += factor · row.
    pub fn add(&self, i: usize, factor: f64, x: &mut [f64]) {
        let range = self.start[i]..self.start[i + 1];
        for (&c, v) in self.columns[range.clone()].iter().zip(&self.values[range]) {
            x[c] += factor * v;
        }
    }
}

/// A scaled factored problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScaledSparse {
    pub n: usize,
    pub dim: usize,
    pub h: OwnedRows,
    pub y: OwnedRows,
    pub b: Vec<f64>,
    pub laws: Vec<Law>,
    pub start: Vec<usize>,
    pub root: Vec<f64>,
    pub size: f64,
    pub bare: Vec<bool>,
    pub bare_r: Vec<f64>,
    pub bare_floor: f64,
    pub impossible: bool,
    /// Ŵ_kk of every block.
    pub diagonal: Vec<[[f64; 3]; 3]>,
    /// First columns of the pieces of `J` of at most six columns, and the end; empty if `Ŵ = J Jᵀ` is not available.
    pub chunks: Vec<usize>,
    /// The blocks for fast sweeps; empty if they do not fit.
    pub packed: Packed,
    /// `h` and `y` are filled.
    has_rows: bool,
    mass_root: MassRoot,
    /// Sizes and values of the blocks of which it is the root.
    root_of: (Vec<usize>, Vec<f64>),
    full: Vec<f64>,
    image: Vec<f64>,
}

impl ScaledSparse {
    /// Scales a checked problem. The rows `h` and `y` are omitted if the blocks can be packed.
    pub fn load(&mut self, p: &SparseProblem<'_>) {
        self.n = p.b.len();
        self.dim = p.minv.dim();
        offsets(p.laws, &mut self.start);
        self.has_rows = false;
        if self.find_root(p) && self.pack(p) {
            return;
        }
        self.packed.clear();
        self.apply_mass(p);
        self.root.clear();
        for i in 0..self.n {
            let own = self.product(i, i).abs();
            self.root.push(own);
        }
        self.scale(p);
        self.scale_rows();
        self.diagonal.clear();
        for k in 0..self.laws.len() {
            let mut a = [[0.0; 3]; 3];
            let first = self.start[k];
            for i in first..self.start[k + 1] {
                for j in first..self.start[k + 1] {
                    a[j - first][i - first] = self.product(j, i);
                }
            }
            self.diagonal.push(a);
        }
    }

    /// The rows `h` of a problem that is already loaded.
    pub fn load_rows(&mut self, p: &SparseProblem<'_>) {
        if !self.has_rows {
            self.apply_mass(p);
            self.scale_rows();
        }
    }

    /// All blocks for sweeps; false if one does not fit.
    fn pack(&mut self, p: &SparseProblem<'_>) -> bool {
        self.packed.clear();
        self.root.clear();
        let all_single = p.laws.iter().all(|l| l.rows() == 1);
        let columns = |i: usize| &p.h.columns[p.h.start[i]..p.h.start[i + 1]];
        for w in self.start.windows(2) {
            let (first, rows) = (w[0], w[1] - w[0]);
            let of = |i: usize| if i < rows { first + i } else { first };
            if columns(of(1)) != columns(first) || columns(of(2)) != columns(first) {
                return false;
            }
            let values = |i: usize| &p.h.values[p.h.start[of(i)]..p.h.start[of(i) + 1]];
            let source = Source {
                first,
                columns: columns(first),
                values: [values(0), values(1), values(2)],
                rows,
            };
            let Some(own) = self.packed.push(&source, &self.mass_root, all_single) else {
                return false;
            };
            self.root.extend_from_slice(&own[..rows]);
        }
        self.scale(p);
        for (k, &law) in self.laws.iter().enumerate() {
            let (first, end) = (self.start[k], self.start[k + 1]);
            let b = &self.b[first..end];
            self.packed.scale(k, law, self.bare[k], self.root[first], b);
        }
        true
    }

    /// Row i of `h` times row j of `y`.
    fn product(&mut self, i: usize, j: usize) -> f64 {
        let (a, b) = (self.h.start[i]..self.h.start[i + 1], self.y.start[j]..self.y.start[j + 1]);
        if self.h.columns[a.clone()] == self.y.columns[b.clone()] {
            return self.h.values[a].iter().zip(&self.y.values[b]).map(|(x, y)| x * y).sum();
        }
        self.y.add(j, 1.0, &mut self.full);
        let sum = self.h.dot(i, &self.full);
        self.y.clear_from(j, &mut self.full);
        sum
    }

    /// L with M⁻¹ = L Lᵀ, and the pieces of `J` by columns; false if there is none.
    fn find_root(&mut self, p: &SparseProblem<'_>) -> bool {
        // the mass is often the same as last time
        let (sizes, values): (&[usize], &[f64]) = match p.minv {
            InverseMass::Blocks { sizes, values } => (sizes, values),
            _ => (&[], &[]),
        };
        if !sizes.is_empty() && self.root_of.0 == sizes && self.root_of.1 == values {
            return !self.chunks.is_empty();
        }
        self.root_of.0.clear();
        self.root_of.0.extend_from_slice(sizes);
        self.root_of.1.clear();
        self.root_of.1.extend_from_slice(values);
        self.chunks.clear();
        let MassRoot { block, values: roots, diagonal } = &mut self.mass_root;
        block.clear();
        roots.clear();
        let Ok(dim) = u32::try_from(self.dim) else { return false };
        let fine = match p.minv {
            InverseMass::Diagonal(d) if d.iter().all(|&d| d >= 0.0) => {
                roots.extend(d.iter().map(|d| d.sqrt()));
                *diagonal = true;
                block.extend((0..dim).map(|c| [c, c, 1]));
                self.chunks.extend((0..self.dim).step_by(SIZE).chain([self.dim]));
                true
            }
            InverseMass::Blocks { sizes, values } if u32::try_from(values.len()).is_ok() => {
                roots.extend_from_slice(values);
                let (mut first, mut at) = (0, 0);
                let mut fine = true;
                *diagonal = true;
                self.chunks.push(0);
                for &size in sizes {
                    let own = &mut roots[at..at + size * size];
                    fine &= root(size, own);
                    *diagonal &=
                        own.iter().enumerate().all(|(i, v)| *v == 0.0 || i % (size + 1) == 0);
                    block.extend((0..size).map(|_| [first as u32, at as u32, size as u32]));
                    let pieces = (0..size).skip(SIZE).step_by(SIZE).chain([size]);
                    self.chunks.extend(pieces.map(|end| first + end));
                    first += size;
                    at += size * size;
                }
                fine
            }
            _ => false,
        };
        if !fine {
            self.chunks.clear();
        }
        fine
    }

    /// `h` and `y` with H M⁻¹ Hᵀ = h yᵀ, not scaled.
    fn apply_mass(&mut self, p: &SparseProblem<'_>) {
        self.has_rows = true;
        self.h.clear();
        self.h.start.clear();
        self.h.start.extend_from_slice(p.h.start);
        self.h.columns.extend_from_slice(p.h.columns);
        self.h.values.extend_from_slice(p.h.values);
        self.full.clear();
        self.full.resize(self.dim, 0.0);
        self.y.clear();
        if !self.chunks.is_empty() {
            self.apply_blocks(None);
            self.h.copy(&self.y);
            return;
        }
        match p.minv {
            InverseMass::Diagonal(d) => {
                self.y.copy(&self.h);
                self.y.values.iter_mut().zip(&self.y.columns).for_each(|(v, &c)| *v *= d[c]);
            }
            InverseMass::Blocks { values, .. } => self.apply_blocks(Some(values)),
            InverseMass::Apply { apply, .. } => {
                self.image.clear();
                self.image.resize(self.dim, 0.0);
                for i in 0..self.n {
                    self.h.add(i, 1.0, &mut self.full);
                    apply(&self.full, &mut self.image);
                    self.h.clear_from(i, &mut self.full);
                    for (c, &v) in self.image.iter().enumerate() {
                        if v != 0.0 {
                            self.y.columns.push(c);
                            self.y.values.push(v);
                        }
                    }
                    self.y.start.push(self.y.columns.len());
                }
            }
        }
    }

    /// y = H times blocks: those given, or the roots.
    fn apply_blocks(&mut self, given: Option<&[f64]>) {
        let values = given.unwrap_or(&self.mass_root.values);
        for i in 0..self.n {
            let begin = self.y.columns.len();
            let mut last = (usize::MAX, 0);
            for e in self.h.start[i]..self.h.start[i + 1] {
                let c = self.h.columns[e];
                let [first, at, size] = self.mass_root.block[c].map(|x| x as usize);
                // The entries of this block are already present if another column of it came before.
                if first != last.0 {
                    let known = self.y.columns[begin..].iter().position(|&x| x == first);
                    last = (first, known.map_or(self.y.columns.len(), |k| begin + k));
                    if known.is_none() {
                        self.y.columns.extend(first..first + size);
                        self.y.values.resize(self.y.columns.len(), 0.0);
                    }
                }
                let slot = last.1;
                for k in 0..size {
                    self.y.values[slot + k] +=
                        self.h.values[e] * values[at + (c - first) * size + k];
                }
            }
            self.y.start.push(self.y.columns.len());
        }
    }

    /// Scales of all rows, from the diagonal of W in `root`; b and laws with them.
    fn scale(&mut self, p: &SparseProblem<'_>) {
        let n = self.n;
        let largest = p.b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        self.bare_floor = BARE_FLOOR * largest;
        self.bare.clear();
        self.bare_r.clear();
        self.bare_r.resize(n, 0.0);
        (self.impossible, self.size) = (false, 0.0);
        for (k, &law) in p.laws.iter().enumerate() {
            let rows = self.start[k]..self.start[k + 1];
            let d = self.root[rows.clone()].iter().fold(0.0f64, |m, &x| m.max(x));
            self.bare.push(d == 0.0);
            if d == 0.0 {
                let r = &mut self.bare_r[rows.clone()];
                self.impossible |= !bare_reaction(law, &p.b[rows.clone()], self.bare_floor, r);
                self.root[rows].fill(1.0);
                continue;
            }
            let root = d.sqrt();
            for i in rows {
                self.root[i] = root;
                self.size = self.size.max(p.b[i].abs() / root);
            }
            self.size = self.size.max(root * forced(law));
        }
        if self.size < NOTHING {
            self.size = 0.0;
        }
        let size = self.unit();
        self.b.clear();
        self.b.extend((0..n).map(|i| p.b[i] / self.root[i] / size));
        self.laws.clear();
        for (k, &law) in p.laws.iter().enumerate() {
            self.laws.push(scaled_law(law, self.root[self.start[k]] / size));
        }
        for k in 0..self.laws.len() {
            if self.bare[k] {
                self.b[self.start[k]..self.start[k + 1]].fill(0.0);
            }
        }
    }

    fn scale_rows(&mut self) {
        for m in [&mut self.h, &mut self.y] {
            for i in 0..self.n {
                m.values[m.start[i]..m.start[i + 1]].iter_mut().for_each(|v| *v /= self.root[i]);
            }
        }
    }

    fn unit(&self) -> f64 {
        if self.size > 0.0 { self.size } else { 1.0 }
    }

    /// Whether everything is finite after scaling.
    pub fn is_finite(&self) -> bool {
        let finite = |v: &[f64]| v.iter().all(|x| x.is_finite());
        let rows = !self.has_rows || (finite(&self.h.values) && finite(&self.y.values));
        // a non-finite row has a non-finite root
        self.size.is_finite() && rows && finite(&self.root) && finite(&self.b)
    }

    /// r̂ of r.
    pub fn scale_impulses(&self, r: &[f64], out: &mut Vec<f64>) {
        let size = self.unit();
        out.clear();
        out.extend(r.iter().zip(&self.root).map(|(r, root)| r * root / size));
    }

    /// r of r̂.
    pub fn push(&self, hat: &[f64], r: &mut [f64]) {
        for k in 0..self.laws.len() {
            for i in self.start[k]..self.start[k + 1] {
                r[i] =
                    if self.bare[k] { self.bare_r[i] } else { hat[i] / self.root[i] * self.size };
            }
        }
    }

    /// x = Ŷᵀ r, with [`PAD`] zeros behind.
    pub fn velocity(&self, r: &[f64], x: &mut Vec<f64>) {
        x.clear();
        x.resize(self.dim + PAD, 0.0);
        if !self.packed.is_empty() {
            self.packed.add_velocity(r, x);
            return;
        }
        for (i, &value) in r.iter().enumerate() {
            if value != 0.0 {
                self.y.add(i, value, x);
            }
        }
    }

    /// Defect of a block in the natural map; `x` must belong to `r`.
    fn defect(&self, k: usize, r: &[f64], x: &[f64]) -> f64 {
        if self.bare[k] {
            return 0.0;
        }
        if !self.packed.is_empty() {
            return self.packed.defect(k, r, x);
        }
        let rows = self.start[k]..self.start[k + 1];
        let mut u = [0.0; 3];
        for (u, i) in u.iter_mut().zip(rows.clone()) {
            *u = self.b[i] + self.h.dot(i, x);
        }
        defect(self.laws[k], &r[rows.clone()], &u[..rows.len()])
    }

    /// Whether no block has a defect above the tolerance. The one that had last time is checked first, so that a
    /// negative answer costs almost nothing. `x` must belong to `r`.
    pub fn is_met(&self, tolerance: f64, r: &[f64], x: &[f64], suspect: &mut usize) -> bool {
        none_above(self.laws.len(), tolerance, suspect, |k| self.defect(k, r, x))
    }

    /// Natural residual of a scaled point, with x as by-product.
    pub fn residual(&self, r: &[f64], x: &mut Vec<f64>) -> f64 {
        self.velocity(r, x);
        let mut worst = 0.0f64;
        for k in 0..self.laws.len() {
            let e = self.defect(k, r, x);
            if !(e <= worst) {
                worst = e;
            }
        }
        if !worst.is_finite() {
            return f64::INFINITY;
        }
        // The diagonal of Ŵ is at most one: a lower bound of Σ|Ŵ_ij r_j|.
        let noise = r.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        (worst - (NOISE_FACTOR * noise).min(NOISE_CAP)).max(0.0)
    }
}

/// Lower Cholesky root of a semidefinite block in place (zero columns where it has no pivot); false if
/// it is not semidefinite.
fn root(n: usize, a: &mut [f64]) -> bool {
    let top = (0..n).fold(0.0f64, |m, i| m.max(a[i * n + i].abs()));
    for j in 0..n {
        let pivot = a[j * n + j] - (0..j).map(|k| a[j * n + k] * a[j * n + k]).sum::<f64>();
        let empty = pivot <= 1e-14 * top;
        if !(pivot >= -1e-12 * top) {
            return false;
        }
        let diagonal = if empty { 0.0 } else { pivot.sqrt() };
        a[j * n + j] = diagonal;
        for i in j + 1..n {
            let rest = a[i * n + j] - (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum::<f64>();
            if empty && !(rest.abs() <= 1e-6 * top) {
                return false;
            }
            a[i * n + j] = if empty { 0.0 } else { rest / diagonal };
            a[j * n + i] = 0.0;
        }
    }
    true
}

impl OwnedRows {
    fn copy(&mut self, other: &OwnedRows) {
        self.start.clear();
        self.start.extend_from_slice(&other.start);
        self.columns.clear();
        self.columns.extend_from_slice(&other.columns);
        self.values.clear();
        self.values.extend_from_slice(&other.values);
    }

    /// Zeroes x where the row has entries.
    fn clear_from(&self, i: usize, x: &mut [f64]) {
        for &c in &self.columns[self.start[i]..self.start[i + 1]] {
            x[c] = 0.0;
        }
    }
}

/// Whether no block has a defect above the tolerance, with the suspect of last time checked first.
pub(super) fn none_above(
    blocks: usize,
    tolerance: f64,
    suspect: &mut usize,
    defect: impl Fn(usize) -> f64,
) -> bool {
    let from = if *suspect < blocks { *suspect } else { 0 };
    let found = (from..blocks).chain(0..from).find(|k| !(defect(*k) <= tolerance));
    *suspect = found.unwrap_or(from);
    found.is_none()
}
