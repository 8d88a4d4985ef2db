//! Sparse elimination of `[[S, −Gᵀ], [G, 0]]` in an order that is fixed at construction.
//!
//! Each row of `G` comes after all of its coordinates. As long as the parts of `S` that are met on the way are regular
//! and the rows are independent, no pivoting is needed: a pivot of a row is then what its own `G S⁻¹ Gᵀ` leaves after
//! the rows before it. Without pivoting the pattern of the factors is known, every call does the same operations, and
//! chains and trees fill little more than a recursive formulation would: a tenth of the entries that an order must reserve
//! which is to be good for any pivots. What it cannot do is judged by its pivots, and left to [`crate::sparse_lu`].
//!
//! Columns of almost the same pattern are eliminated together, as full matrices ([`crate::assembly_tree`]), and what is left
//! of such a front is added to its parent. The same code runs with the vectors that the processor has; products are not
//! fused with sums, so that results do not depend on it.

use crate::assembly_tree::AssemblyTree;
use crate::coupled_kkt;
use crate::error::{KktError, check_room};
use crate::front_kernels::{self, Chunk, scatter};
use crate::saddle::Saddle;
use crate::sparse_ldl;
use crate::vecops::CHUNK;
use delassus_math::remember;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Smallest pivot that is trusted, as a part of what it was or would be made of. Elimination loses as many digits as
/// have gone from there: 1e-3 leaves thirteen, which Krylov spaces need as well. A weaker row may be a dependent one,
/// which only pivoting can tell.
const TRUSTED: f64 = 1e-3;

/// Factors `L U` with unit diagonal in `L`.
#[derive(Debug, Clone)]
pub(crate) struct SparseLdu {
    n: usize,
    nv: usize,
    /// `order[new] = old`.
    order: Vec<u32>,
    fronts: Vec<Placed>,
    /// Unknowns below each front.
    below: Vec<u32>,
    /// Where these stand in the front of the parent: among its pivots, then among the unknowns below it.
    relative: Vec<u32>,
    children: Vec<u32>,
    /// For every value of the saddle matrix its place in `values`.
    slot: Vec<u32>,
    /// Unknowns that the matrix couples, the later one first, with the places of the entries below and above the
    /// diagonal; and the places of the diagonal.
    pairs: Vec<[u32; 4]>,
    diagonal: Vec<u32>,
    /// Fronts, one after the other, by rows.
    values: Vec<Chunk>,
    inv: Vec<f64>,
    /// Size of each unknown in the new order. Coordinates: the largest of S_ii, of |S_ij S_ji| / |S_jj|, which is no
    /// larger where S is positive definite, and of the entries of its multipliers: a soft coordinate beside a stiff one
    /// would carry the round-off of its row away from it. Rows: |G| |diag S|⁻¹ |G|ᵀ.
    scale: Vec<f64>,
    /// One over the size.
    unit: Vec<f64>,
    x: Vec<f64>,
    /// The part of a right-hand side for one front.
    part: Vec<Chunk>,
}

remember!(SparseLdu { values, inv } apart from {
    n, nv, order, fronts, below, relative, children, slot, pairs, diagonal, scale, unit, x, part,
});

/// A front with its places in the lists of all fronts. Widths are whole chunks.
#[derive(Debug, Clone)]
struct Placed {
    first: usize,
    pivots: usize,
    /// Chunks of a row, and of its part in the columns of the pivots.
    width: usize,
    own_width: usize,
    /// Start in `values`.
    start: usize,
    below: Range<usize>,
    children: Range<usize>,
    /// How many of the unknowns below are pivots of the parent, and the first column of these and of the others where they
    /// follow each other there.
    into_pivots: usize,
    runs: [Option<usize>; 2],
}

impl Placed {
    fn range(&self) -> Range<usize> {
        self.start..self.start + (self.pivots + self.below.len()) * self.width
    }

    /// Column of an unknown of the front, of its pivots or of those below.
    fn column(&self, unknown: u32, below: &[u32]) -> usize {
        match (unknown as usize) < self.first + self.pivots {
            true => unknown as usize - self.first,
            false => self.own_width * CHUNK + below.partition_point(|b| *b < unknown),
        }
    }

    /// Row of what has this column.
    fn row(&self, column: usize) -> usize {
        match column < self.pivots {
            true => column,
            false => column - self.own_width * CHUNK + self.pivots,
        }
    }
}

impl SparseLdu {
    /// `None` where the factors would have more than `most` entries in each half, the diagonal included.
    pub(crate) fn new(saddle: &Saddle, most: usize) -> Result<Option<SparseLdu>, KktError> {
        let order = SparseLdu::minimum_degree(saddle)?;
        let (tree, entries) = SparseLdu::analyse(saddle, &order)?;
        if entries > most {
            return Ok(None);
        }
        SparseLdu::with_tree(saddle, tree).map(Some)
    }

    /// The order of least fill in which rows come after their coordinates.
    pub(crate) fn minimum_degree(saddle: &Saddle) -> Result<Vec<u32>, KktError> {
        let (n, nv) = (saddle.n, saddle.nv);
        let both = |&(i, j): &(u32, u32)| if i >= j { (i, j) } else { (j, i) };
        let mut lower: Vec<(u32, u32)> = saddle.entries.iter().map(both).collect();
        lower.extend((0..n as u32).map(|i| (i, i)));
        lower.sort_unstable();
        lower.dedup();
        let mut waits: Vec<Vec<usize>> = vec![Vec::new(); n - nv];
        for &(i, j) in &lower {
            if i as usize >= nv && (j as usize) < nv {
                waits[i as usize - nv].push(j as usize);
            }
        }
        coupled_kkt::order(nv, &lower, &waits)
    }

    /// Fronts for an order of elimination, `order[new] = old`, and the number of entries in each half of the factors.
    pub(crate) fn analyse(
        saddle: &Saddle,
        order: &[u32],
    ) -> Result<(AssemblyTree, usize), KktError> {
        let n = saddle.n;
        let place = places(order);
        let mut columns: Vec<(u32, u32)> = saddle
            .entries
            .iter()
            .copied()
            .chain((0..n as u32).map(|i| (i, i)))
            .map(|(i, j)| (place[i as usize], place[j as usize]))
            .map(|(i, j)| (i.min(j), i.max(j)))
            .collect();
        columns.sort_unstable();
        columns.dedup();
        let a_ptr = starts(n, columns.iter().map(|c| c.0));
        let a_row: Vec<u32> = columns.iter().map(|c| c.1).collect();
        let (l_ptr, l_row) = sparse_ldl::fill_in(n, &a_ptr, &a_row)?;
        Ok((AssemblyTree::new(order, &l_ptr, &l_row), l_row.len() + n))
    }

    /// Allocates everything for these fronts.
    pub(crate) fn with_tree(saddle: &Saddle, tree: AssemblyTree) -> Result<SparseLdu, KktError> {
        let n = saddle.n;
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); tree.fronts.len()];
        for (k, f) in tree.fronts.iter().enumerate() {
            if let Some(parent) = f.parent {
                children[parent].push(k as u32);
            }
        }
        let mut fronts: Vec<Placed> = Vec::with_capacity(tree.fronts.len());
        let (mut below, mut listed) = (Vec::new(), Vec::new());
        let (mut start, mut widest) = (0, 0);
        let mut front_of = vec![0usize; n];
        for (k, f) in tree.fronts.iter().enumerate() {
            let (pivots, m) = (f.pivots, f.below.len());
            let own_width = pivots.div_ceil(CHUNK);
            let width = own_width + m.div_ceil(CHUNK);
            let (at, child) = (below.len(), listed.len());
            below.extend_from_slice(&f.below);
            listed.extend_from_slice(&children[k]);
            front_of[f.first..f.first + pivots].fill(k);
            let (below, children) = (at..below.len(), child..listed.len());
            let (into_pivots, runs) = (0, [None; 2]);
            let first = f.first;
            fronts.push(Placed {
                first,
                pivots,
                width,
                own_width,
                start,
                below,
                children,
                into_pivots,
                runs,
            });
            start += (pivots + m) * width;
            widest = widest.max(width);
        }
        check_room(n, start as f64, size_of::<Chunk>() as f64)?;
        if start * CHUNK > u32::MAX as usize {
            let bytes = start as f64 * size_of::<Chunk>() as f64;
            return Err(KktError::NoRoom { unknowns: n, bytes });
        }
        let mut relative = vec![0; below.len()];
        for (k, f) in tree.fronts.iter().enumerate() {
            let Some(parent) = f.parent else { continue };
            let p = &fronts[parent];
            let list = &below[p.below.clone()];
            let end = p.first + p.pivots;
            let columns: Vec<u32> = f.below.iter().map(|i| p.column(*i, list) as u32).collect();
            let into = f.below.partition_point(|i| (*i as usize) < end);
            let f = &mut fronts[k];
            f.into_pivots = into;
            f.runs = [run(&columns[..into]), run(&columns[into..])];
            relative[f.below.clone()].copy_from_slice(&columns);
        }
        let place = places(&tree.order);
        let slot_of = |i: u32, j: u32| {
            let (i, j) = (place[i as usize], place[j as usize]);
            let f = &fronts[front_of[i.min(j) as usize]];
            let list = &below[f.below.clone()];
            let row = f.row(f.column(i, list));
            ((f.start + row * f.width) * CHUNK + f.column(j, list)) as u32
        };
        let slot: Vec<u32> = saddle.entries.iter().map(|&(i, j)| slot_of(i, j)).collect();
        let diagonal: Vec<u32> = tree.order.iter().map(|&i| slot_of(i, i)).collect();
        let mut pairs: Vec<[u32; 2]> = saddle
            .entries
            .iter()
            .map(|&(i, j)| [place[i as usize], place[j as usize]])
            .filter(|[i, j]| i != j)
            .map(|[i, j]| [i.max(j), i.min(j)])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let (order, of) = (&tree.order, |i: u32| i as usize);
        let pairs = pairs
            .into_iter()
            .map(|[i, j]| (i, j, order[of(i)], order[of(j)]))
            .map(|(i, j, a, b)| [i, j, slot_of(a, b), slot_of(b, a)])
            .collect();
        Ok(SparseLdu {
            n,
            nv: saddle.nv,
            order: tree.order,
            fronts,
            below,
            relative,
            children: listed,
            slot,
            pairs,
            diagonal,
            values: vec![[0.0; CHUNK]; start],
            inv: vec![0.0; n],
            scale: vec![0.0; n],
            unit: vec![0.0; n],
            x: vec![0.0; n],
            part: vec![[0.0; CHUNK]; widest],
        })
    }

    /// Loads values (S, then G of the rows, then that of the columns, which counts negative) and factors. Returns the
    /// smallest pivot as a part of its size, at most 1, and its unknown; `None` where some pivot is not to be trusted.
    pub(crate) fn factor(&mut self, s: &[f64], rows: &[f64], cols: &[f64]) -> Option<(f64, usize)> {
        self.load(s, rows, cols);
        self.measure();
        self.unit.iter_mut().zip(&self.scale).for_each(|(u, s)| *u = 1.0 / s);
        self.eliminate(|pivot, size| {
            // a NaN is not trusted either
            (pivot.abs() >= TRUSTED * size && pivot.is_finite()).then_some(pivot)
        })
    }

    /// Sizes of the unknowns for [`SparseLdu::factor_always`], in their own order.
    pub(crate) fn set_sizes(&mut self, sizes: &[f64]) {
        for (to, &old) in self.scale.iter_mut().zip(&self.order) {
            *to = sizes[old as usize];
        }
        self.unit.iter_mut().zip(&self.scale).for_each(|(u, s)| *u = 1.0 / s);
    }

    /// The same with sizes that were set, and with the same operations for all values: a pivot below the part `floor` of
    /// its size is replaced by that.
    pub(crate) fn factor_always(
        &mut self,
        s: &[f64],
        rows: &[f64],
        cols: &[f64],
        floor: f64,
    ) -> (f64, usize) {
        self.load(s, rows, cols);
        let found = self.eliminate(|pivot, size| {
            let least = floor * size;
            Some(if pivot.abs() < least { least.copysign(pivot) } else { pivot })
        });
        found.unwrap_or((0.0, 0))
    }

    /// Eliminates what was loaded; `judge` gets each pivot and its size, and returns the one to use, or none where the factors
    /// are not wanted.
    fn eliminate(&mut self, judge: impl FnMut(f64, f64) -> Option<f64>) -> Option<(f64, usize)> {
        pulp::Arch::new().dispatch(Elimination { ldu: self, judge })
    }

    #[inline(always)]
    fn eliminate_fronts<S: Simd>(
        &mut self,
        simd: S,
        mut judge: impl FnMut(f64, f64) -> Option<f64>,
    ) -> Option<(f64, usize)> {
        let mut weakest = (1.0, 0);
        for f in &self.fronts {
            let (before, rows) = self.values.split_at_mut(f.start);
            let rows = &mut rows[..f.range().len()];
            for &c in &self.children[f.children.clone()] {
                let c = &self.fronts[c as usize];
                let columns = &self.relative[c.below.clone()];
                take_from(rows, f, &before[c.range()], c, columns);
            }
            let inv = &mut self.inv[f.first..f.first + f.pivots];
            front_kernels::eliminate(simd, rows, f.width, inv, |i, pivot| {
                let size = self.scale[f.first + i];
                // the next row waits for the inverse of this pivot: no other division on the way
                let part = pivot.abs() * self.unit[f.first + i];
                if part < weakest.0 {
                    weakest = (part, self.order[f.first + i] as usize);
                }
                judge(pivot, size)
            })?;
        }
        Some(weakest)
    }

    /// When each unknown is eliminated.
    pub(crate) fn places(&self) -> Vec<usize> {
        places(&self.order).into_iter().map(|p| p as usize).collect()
    }

    /// Number of entries of the factors, with the diagonal.
    pub(crate) fn entries(&self) -> usize {
        self.fronts.iter().map(|f| f.pivots * (f.pivots + 2 * f.below.len())).sum()
    }

    /// Multiplications of one factorisation by unknown, in their own order.
    pub(crate) fn multiplications(&self) -> Vec<u64> {
        let mut out = vec![0; self.n];
        for f in &self.fronts {
            for k in 0..f.pivots {
                let left = (f.pivots - k - 1 + f.below.len()) as u64;
                out[self.order[f.first + k] as usize] = left * (left + 1);
            }
        }
        out
    }

    fn load(&mut self, s: &[f64], rows: &[f64], cols: &[f64]) {
        self.values.fill([0.0; CHUNK]);
        let (to_s, rest) = self.slot.split_at(s.len());
        let (to_rows, to_cols) = rest.split_at(rows.len());
        let values = self.values.as_flattened_mut();
        to_s.iter().zip(s).for_each(|(at, v)| values[*at as usize] = *v);
        to_rows.iter().zip(rows).for_each(|(at, v)| values[*at as usize] = *v);
        to_cols.iter().zip(cols).for_each(|(at, v)| values[*at as usize] = -v);
    }

    /// Sizes of all unknowns.
    fn measure(&mut self) {
        let is_row = |j: usize| self.order[j] as usize >= self.nv;
        let values = self.values.as_flattened();
        let diagonal = |j: usize| values[self.diagonal[j] as usize].abs();
        for j in 0..self.n {
            self.scale[j] = if is_row(j) { 0.0 } else { diagonal(j) };
        }
        for &[i, j, l, u] in &self.pairs {
            let (i, j) = (i as usize, j as usize);
            let (l, u) = (values[l as usize], values[u as usize]);
            let product = (l * u).abs();
            if product == 0.0 {
                continue;
            }
            match (is_row(j), is_row(i)) {
                (false, false) => {
                    self.scale[i] = self.scale[i].max(product / diagonal(j));
                    self.scale[j] = self.scale[j].max(product / diagonal(i));
                }
                (false, true) => {
                    self.scale[i] += product / diagonal(j);
                    self.scale[j] = self.scale[j].max(u.abs());
                }
                (true, _) => {
                    self.scale[j] += product / diagonal(i);
                    self.scale[i] = self.scale[i].max(l.abs());
                }
            }
        }
    }

    /// Solves for the right-hand side in `top` and `bottom`.
    pub(crate) fn solve(&mut self, top: &[f64], bottom: &[f64], x: &mut [f64], y: &mut [f64]) {
        for (z, &old) in self.x.iter_mut().zip(&self.order) {
            let old = old as usize;
            *z = if old < self.nv { top[old] } else { bottom[old - self.nv] };
        }
        pulp::Arch::new().dispatch(Solution(self));
        for (z, &old) in self.x.iter().zip(&self.order) {
            let old = old as usize;
            match old < self.nv {
                true => x[old] = *z,
                false => y[old - self.nv] = *z,
            }
        }
    }

    #[inline(always)]
    fn solve_ordered(&mut self) {
        let z = &mut self.x[..];
        for f in &self.fronts {
            let part = &mut self.part[..f.own_width];
            let (own, pad) = part.as_flattened_mut().split_at_mut(f.pivots);
            own.copy_from_slice(&z[f.first..f.first + f.pivots]);
            pad.fill(0.0);
            let below = &self.below[f.below.clone()];
            let rows = &self.values[f.range()];
            let pass = |i: usize, x: f64| z[below[i] as usize] -= x;
            front_kernels::forward(rows, f.width, f.pivots, part, pass);
            z[f.first..f.first + f.pivots].copy_from_slice(&part.as_flattened()[..f.pivots]);
        }
        for f in self.fronts.iter().rev() {
            let part = &mut self.part[..f.width];
            let (own, far) = part.as_flattened_mut().split_at_mut(f.own_width * CHUNK);
            let (own, pad) = own.split_at_mut(f.pivots);
            own.copy_from_slice(&z[f.first..f.first + f.pivots]);
            pad.fill(0.0);
            let below = &self.below[f.below.clone()];
            let (far, pad) = far.split_at_mut(below.len());
            far.iter_mut().zip(below).for_each(|(far, i)| *far = z[*i as usize]);
            pad.fill(0.0);
            let inv = &self.inv[f.first..f.first + f.pivots];
            front_kernels::backward(&self.values[f.range()], f.width, inv, part);
            z[f.first..f.first + f.pivots].copy_from_slice(&part.as_flattened()[..f.pivots]);
        }
    }
}

/// An elimination with the vectors that the processor has.
struct Elimination<'a, J> {
    ldu: &'a mut SparseLdu,
    judge: J,
}

impl<J: FnMut(f64, f64) -> Option<f64>> WithSimd for Elimination<'_, J> {
    type Output = Option<(f64, usize)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        self.ldu.eliminate_fronts(simd, self.judge)
    }
}

/// A solution of what is in `x` with the vectors that the processor has.
struct Solution<'a>(&'a mut SparseLdu);

impl WithSimd for Solution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.solve_ordered();
    }
}

/// Adds what a child left to the rows of its parent; `columns` are those of its unknowns below there.
#[inline(always)]
fn take_from(rows: &mut [Chunk], f: &Placed, child: &[Chunk], c: &Placed, columns: &[u32]) {
    let (left, right) = columns.split_at(c.into_pivots);
    let rows = rows.as_flattened_mut();
    let width = f.width * CHUNK;
    let child = &child[c.pivots * c.width..];
    for (source, column) in child.chunks_exact(c.width).zip(columns) {
        let at = f.row(*column as usize) * width;
        let target = &mut rows[at..at + width];
        let source = &source[c.own_width..].as_flattened()[..columns.len()];
        let (to_left, to_right) = source.split_at(left.len());
        scatter(target, left, c.runs[0], to_left);
        scatter(target, right, c.runs[1], to_right);
    }
}

/// The first of places that follow each other.
fn run(places: &[u32]) -> Option<usize> {
    let first = *places.first()? as usize;
    let follow = places.iter().enumerate().all(|(k, p)| *p as usize == first + k);
    follow.then_some(first)
}

/// `places[old] = new`.
fn places(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0u32; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old as usize] = new as u32;
    }
    place
}

/// Where each column starts, from the columns of the entries in order.
fn starts(n: usize, columns: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut ptr = vec![0u32; n + 1];
    for c in columns {
        ptr[c as usize + 1] += 1;
    }
    for j in 0..n {
        ptr[j + 1] += ptr[j];
    }
    ptr
}
