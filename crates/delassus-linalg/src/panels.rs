//! The constraint matrix rearranged by mass block, and the product
//! `W = G M̃⁻¹ Gᵀ`.
//!
//! All rows that touch one mass block form a dense row-major panel. Within a
//! panel every pair of rows couples, so `W` is a sum of small dense products
//! whose only indirection is the destination slot, listed once at
//! construction.

use crate::inverse_blocks::InverseBlocks;
use crate::mass_shape::MassShape;
use crate::pattern::Csr;

#[derive(Debug, Clone)]
struct Panel {
    width: usize,
    block: usize,
    dof: usize,
    /// Range in `rows`.
    rows: (usize, usize),
    /// First value in `g` and `p`.
    value: usize,
    /// First destination in `dst`.
    dst: usize,
}

/// `G` and `M̃⁻¹ Gᵀ` in panel layout.
#[derive(Debug, Clone)]
pub(crate) struct Panels {
    panels: Vec<Panel>,
    rows: Vec<u32>,
    g: Vec<f64>,
    p: Vec<f64>,
    /// CSR slot → position in `g`.
    scatter: Vec<u32>,
    dst: Vec<u32>,
}

/// Number of rows up to which `W` is cheap however full it is.
const FEW: usize = 256;
/// Entries of `W` per entry of `M` and `G` beyond which elimination of the whole matrix is cheaper.
const FULL: usize = 50;

/// Whether so many rows meet in one block that `W` is nearly full.
pub(crate) fn couples_too_many(shape: &MassShape, jac: &Csr) -> bool {
    jac.nrows > FEW && row_pairs(shape, jac) > FULL * (shape.value_len() + jac.nnz())
}

/// Largest number of entries of the Schur complement `W = G M⁻¹ Gᵀ` that a solver would form, which determines its
/// memory. Zero if the whole matrix is factored instead.
pub fn schur_entries(shape: &MassShape, jac: &Csr) -> usize {
    match !shape.is_block_diagonal() || couples_too_many(shape, jac) {
        true => 0,
        false => row_pairs(shape, jac),
    }
}

pub(crate) fn row_pairs(shape: &MassShape, jac: &Csr) -> usize {
    rows_of_blocks(shape, jac).iter().map(|r| r.len() * (r.len() + 1) / 2).sum()
}

/// Row pairs `(i, j)`, `i ≥ j`, that share a mass block: the pattern of the
/// lower triangle of `W`, sorted by column, without duplicates.
pub(crate) fn coupling(shape: &MassShape, jac: &Csr) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for rows in rows_of_blocks(shape, jac) {
        for (b, &j) in rows.iter().enumerate() {
            for &i in &rows[b..] {
                pairs.push((j, i));
            }
        }
    }
    // A row without entries still needs its (zero) diagonal.
    pairs.extend((0..jac.nrows as u32).map(|i| (i, i)));
    pairs.sort_unstable();
    pairs.dedup();
    pairs.into_iter().map(|(j, i)| (i, j)).collect()
}

fn rows_of_blocks(shape: &MassShape, jac: &Csr) -> Vec<Vec<u32>> {
    let block_of = block_of_dof(shape);
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); shape.count()];
    for i in 0..jac.nrows {
        for &j in jac.row(i) {
            let list = &mut rows[block_of[j]];
            if list.last() != Some(&(i as u32)) {
                list.push(i as u32);
            }
        }
    }
    rows
}

fn block_of_dof(shape: &MassShape) -> Vec<usize> {
    shape.sizes().iter().enumerate().flat_map(|(k, &n)| std::iter::repeat_n(k, n)).collect()
}

impl Panels {
    /// `slot(i, j)` is where the factorisation keeps `W[i, j]`, `i ≥ j`.
    pub(crate) fn new(
        shape: &MassShape,
        jac: &Csr,
        mut slot: impl FnMut(usize, usize) -> u32,
    ) -> Panels {
        let by_block = rows_of_blocks(shape, jac);
        let block_of = block_of_dof(shape);
        let mut panels = Vec::new();
        let mut panel_of_block = vec![usize::MAX; shape.count()];
        let (mut rows, mut dst) = (Vec::new(), Vec::new());
        let mut value = 0;
        for (k, list) in by_block.iter().enumerate() {
            if list.is_empty() {
                continue;
            }
            panel_of_block[k] = panels.len();
            let width = shape.sizes()[k];
            let first = rows.len();
            let dst_start = dst.len();
            rows.extend_from_slice(list);
            for (b, &j) in list.iter().enumerate() {
                for &i in &list[b..] {
                    dst.push(slot(i as usize, j as usize));
                }
            }
            panels.push(Panel {
                width,
                block: k,
                dof: shape.dof(k),
                rows: (first, rows.len()),
                value,
                dst: dst_start,
            });
            value += list.len() * width;
        }
        let mut scatter = Vec::with_capacity(jac.nnz());
        for i in 0..jac.nrows {
            for &j in jac.row(i) {
                let panel: &Panel = &panels[panel_of_block[block_of[j]]];
                let list = &rows[panel.rows.0..panel.rows.1];
                let local = list.partition_point(|&r| (r as usize) < i);
                scatter.push((panel.value + local * panel.width + j - panel.dof) as u32);
            }
        }
        Panels { panels, rows, g: vec![0.0; value], p: vec![0.0; value], scatter, dst }
    }

    /// Take new values of `G`, form `M̃⁻¹ Gᵀ` and add `G M̃⁻¹ Gᵀ` to `w`
    /// (zeroed by the caller).
    pub(crate) fn assemble(&mut self, jac_values: &[f64], inv: &InverseBlocks, w: &mut [f64]) {
        for (&at, &v) in self.scatter.iter().zip(jac_values) {
            self.g[at as usize] = v;
        }
        for panel in &self.panels {
            let n = panel.width;
            let count = panel.rows.1 - panel.rows.0;
            let range = panel.value..panel.value + count * n;
            let (g, p) = (&self.g[range.clone()], &mut self.p[range]);
            let dst = &self.dst[panel.dst..panel.dst + count * (count + 1) / 2];
            let at = inv.shape.value(panel.block);
            let inverse = &inv.inverse[at..at + n * n];
            let diagonal = inv.diagonal[panel.block];
            match n {
                1 => fixed::<1>(g, p, inverse, diagonal, dst, w),
                2 => fixed::<2>(g, p, inverse, diagonal, dst, w),
                3 => fixed::<3>(g, p, inverse, diagonal, dst, w),
                6 => fixed::<6>(g, p, inverse, diagonal, dst, w),
                _ => general(n, g, p, inverse, dst, w),
            }
        }
    }

    /// `y −= G x`.
    pub(crate) fn sub_mul(&self, x: &[f64], y: &mut [f64]) {
        for panel in &self.panels {
            let n = panel.width;
            let rows = &self.rows[panel.rows.0..panel.rows.1];
            let g = &self.g[panel.value..panel.value + rows.len() * n];
            let x = &x[panel.dof..panel.dof + n];
            match n {
                1 => gather::<1>(g, x, rows, y),
                2 => gather::<2>(g, x, rows, y),
                3 => gather::<3>(g, x, rows, y),
                6 => gather::<6>(g, x, rows, y),
                _ => {
                    for (row, &r) in g.chunks_exact(n).zip(rows) {
                        let dot: f64 = row.iter().zip(x).map(|(a, b)| a * b).sum();
                        y[r as usize] -= dot;
                    }
                }
            }
        }
    }

    /// `y += |G| |x|`.
    pub(crate) fn add_sizes(&self, x: &[f64], y: &mut [f64]) {
        for panel in &self.panels {
            let n = panel.width;
            let rows = &self.rows[panel.rows.0..panel.rows.1];
            let g = &self.g[panel.value..panel.value + rows.len() * n];
            let x = &x[panel.dof..panel.dof + n];
            for (row, &r) in g.chunks_exact(n).zip(rows) {
                y[r as usize] += row.iter().zip(x).map(|(a, b)| (a * b).abs()).sum::<f64>();
            }
        }
    }

    /// `x += M̃⁻¹ Gᵀ y`.
    pub(crate) fn add_inverse_transposed(&self, y: &[f64], x: &mut [f64]) {
        self.spread_all(&self.p, y, x);
    }

    /// `x += Gᵀ y`.
    pub(crate) fn add_transposed(&self, y: &[f64], x: &mut [f64]) {
        self.spread_all(&self.g, y, x);
    }

    fn spread_all(&self, values: &[f64], y: &[f64], x: &mut [f64]) {
        for panel in &self.panels {
            let n = panel.width;
            let rows = &self.rows[panel.rows.0..panel.rows.1];
            let v = &values[panel.value..panel.value + rows.len() * n];
            let x = &mut x[panel.dof..panel.dof + n];
            match n {
                1 => spread::<1>(v, y, rows, x),
                2 => spread::<2>(v, y, rows, x),
                3 => spread::<3>(v, y, rows, x),
                6 => spread::<6>(v, y, rows, x),
                _ => {
                    for (row, &r) in v.chunks_exact(n).zip(rows) {
                        let scale = y[r as usize];
                        for (xi, a) in x.iter_mut().zip(row) {
                            *xi += a * scale;
                        }
                    }
                }
            }
        }
    }
}

fn gather<const N: usize>(g: &[f64], x: &[f64], rows: &[u32], y: &mut [f64]) {
    let mut local = [0.0; N];
    local.copy_from_slice(x);
    for (row, &r) in g.as_chunks::<N>().0.iter().zip(rows) {
        let mut dot = 0.0;
        for c in 0..N {
            dot += row[c] * local[c];
        }
        y[r as usize] -= dot;
    }
}

fn spread<const N: usize>(v: &[f64], y: &[f64], rows: &[u32], x: &mut [f64]) {
    let mut local = [0.0; N];
    local.copy_from_slice(x);
    for (row, &r) in v.as_chunks::<N>().0.iter().zip(rows) {
        let scale = y[r as usize];
        for c in 0..N {
            local[c] += row[c] * scale;
        }
    }
    x.copy_from_slice(&local);
}

fn fixed<const N: usize>(
    g: &[f64],
    p: &mut [f64],
    inverse: &[f64],
    diagonal: bool,
    dst: &[u32],
    w: &mut [f64],
) {
    let g = g.as_chunks::<N>().0;
    let p = p.as_chunks_mut::<N>().0;
    if diagonal {
        let mut d = [0.0; N];
        for (c, d) in d.iter_mut().enumerate() {
            *d = inverse[c * N + c];
        }
        for (p, g) in p.iter_mut().zip(g) {
            for c in 0..N {
                p[c] = d[c] * g[c];
            }
        }
    } else {
        let columns = inverse.as_chunks::<N>().0;
        for (p, g) in p.iter_mut().zip(g) {
            let mut sum = [0.0; N];
            for (column, &gc) in columns.iter().zip(g) {
                for i in 0..N {
                    sum[i] += column[i] * gc;
                }
            }
            *p = sum;
        }
    }
    let mut rest = dst;
    for (b, p) in p.iter().enumerate() {
        let others = &g[b..];
        let (now, later) = rest.split_at(others.len());
        rest = later;
        for (g, &slot) in others.iter().zip(now) {
            let mut dot = 0.0;
            for c in 0..N {
                dot += p[c] * g[c];
            }
            w[slot as usize] += dot;
        }
    }
}

fn general(n: usize, g: &[f64], p: &mut [f64], inverse: &[f64], dst: &[u32], w: &mut [f64]) {
    for (p, g) in p.chunks_exact_mut(n).zip(g.chunks_exact(n)) {
        for (pi, row) in p.iter_mut().zip(inverse.chunks_exact(n)) {
            *pi = row.iter().zip(g).map(|(a, b)| a * b).sum();
        }
    }
    let mut rest = dst;
    for (b, p) in p.chunks_exact(n).enumerate() {
        let others = &g[b * n..];
        let (now, later) = rest.split_at(others.len() / n);
        rest = later;
        for (g, &slot) in others.chunks_exact(n).zip(now) {
            let dot: f64 = p.iter().zip(g).map(|(a, b)| a * b).sum();
            w[slot as usize] += dot;
        }
    }
}
