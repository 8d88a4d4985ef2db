//! Sparse elimination of `[[S, −Gᵀ], [G, 0]]` in an order that is fixed at construction.
//!
//! Each row of `G` comes after all of its coordinates. As long as the parts of `S` that are met on the way are regular
//! and the rows are independent, no pivoting is needed: a pivot of a row is then what its own `G S⁻¹ Gᵀ` leaves after
//! the rows before it. Without pivoting the pattern of the factors is known, every call does the same operations, and
//! chains and trees fill no more than a recursive formulation would: a tenth of the entries that an order must reserve
//! which is to be good for any pivots. What it cannot do is judged by its pivots, and left to [`crate::sparse_lu`].

use crate::coupled_kkt;
use crate::error::{KktError, check_room};
use crate::saddle::Saddle;
use crate::sparse_ldl;
use delassus_math::remember;

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
    /// Pattern of the lower half in the new order by columns, diagonal first; it is that of the upper half by rows.
    a_ptr: Vec<u32>,
    a_row: Vec<u32>,
    /// Entries below the diagonal, each with its mirror image above it.
    a: Vec<[f64; 2]>,
    /// For every value of the saddle matrix its place in `a`, twice, plus one if it stands above the diagonal.
    slot: Vec<u32>,
    l_ptr: Vec<u32>,
    l_row: Vec<u32>,
    /// Entries of `L` below the diagonal, each with that of `U` at the mirrored place.
    lu: Vec<[f64; 2]>,
    /// For every row `j`: the columns `k < j` with an entry there, and its place.
    r_ptr: Vec<u32>,
    r: Vec<(u32, u32)>,
    inv: Vec<f64>,
    /// Size of each unknown in the new order. Coordinates: the largest of S_ii, of |S_ij S_ji| / |S_jj|, which is no
    /// larger where S is positive definite, and of the entries of its multipliers: a soft coordinate beside a stiff one
    /// would carry the round-off of its row away from it. Rows: |G| |diag S|⁻¹ |G|ᵀ.
    scale: Vec<f64>,
    work: Vec<[f64; 2]>,
    x: Vec<f64>,
}

remember!(SparseLdu { lu, inv } apart from {
    n, nv, order, a_ptr, a_row, a, slot, l_ptr, l_row, r_ptr, r, scale, work, x,
});

impl SparseLdu {
    /// `None` where the factors would have more than `most` entries in each half, the diagonal included.
    pub(crate) fn new(saddle: &Saddle, most: usize) -> Result<Option<SparseLdu>, KktError> {
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
        let order = coupled_kkt::order(nv, &lower, &waits)?;
        SparseLdu::with_order(saddle, order, most)
    }

    /// The same in a given order, `order[new] = old`.
    pub(crate) fn with_order(
        saddle: &Saddle,
        order: Vec<u32>,
        most: usize,
    ) -> Result<Option<SparseLdu>, KktError> {
        let (n, nv) = (saddle.n, saddle.nv);
        let mut place = vec![0u32; n];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
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
        if l_row.len() + n > most {
            return Ok(None);
        }
        check_room(
            n,
            l_row.len() as f64,
            (size_of::<[f64; 2]>() + size_of::<(u32, u32)>()) as f64,
        )?;
        let slot_of = |&(i, j): &(u32, u32)| {
            let (i, j) = (place[i as usize], place[j as usize]);
            let (row, column) = (i.max(j), i.min(j) as usize);
            let (lo, hi) = (a_ptr[column] as usize, a_ptr[column + 1] as usize);
            let at = lo + a_row[lo..hi].partition_point(|&r| r < row);
            2 * at as u32 + u32::from(i < j)
        };
        let slot = saddle.entries.iter().map(slot_of).collect();
        let (r_ptr, r) = sparse_ldl::by_rows(n, &l_ptr, &l_row);
        Ok(Some(SparseLdu {
            n,
            nv,
            order,
            a: vec![[0.0; 2]; a_row.len()],
            a_ptr,
            a_row,
            slot,
            lu: vec![[0.0; 2]; l_row.len()],
            l_ptr,
            l_row,
            r_ptr,
            r,
            inv: vec![0.0; n],
            scale: vec![0.0; n],
            work: vec![[0.0; 2]; n],
            x: vec![0.0; n],
        }))
    }

    /// Loads values (S, then G of the rows, then that of the columns, which counts negative) and factors. Returns the
    /// smallest pivot as a part of its size, at most 1, and its unknown; `None` where some pivot is not to be trusted.
    pub(crate) fn factor(&mut self, s: &[f64], rows: &[f64], cols: &[f64]) -> Option<(f64, usize)> {
        self.load(s, rows, cols);
        self.measure();
        self.eliminate(|part, _, pivot| {
            // a NaN is not trusted either
            (part >= TRUSTED && part.is_finite()).then_some(pivot)
        })
    }

    /// Sizes of the unknowns for [`SparseLdu::factor_always`], in their own order.
    pub(crate) fn set_sizes(&mut self, sizes: &[f64]) {
        for (to, &old) in self.scale.iter_mut().zip(&self.order) {
            *to = sizes[old as usize];
        }
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
        let found = self.eliminate(|part, size, pivot| {
            Some(if part < floor { (floor * size).copysign(pivot) } else { pivot })
        });
        found.unwrap_or((0.0, 0))
    }

    /// Eliminates what was loaded; `judge` gets each pivot as a part of its size, that size, and the pivot, and returns
    /// the one to use, or none where the factors are not wanted.
    fn eliminate(
        &mut self,
        mut judge: impl FnMut(f64, f64, f64) -> Option<f64>,
    ) -> Option<(f64, usize)> {
        let mut weakest = (1.0, 0);
        let work = &mut self.work[..];
        for j in 0..self.n {
            let a = self.a_ptr[j] as usize..self.a_ptr[j + 1] as usize;
            for (&i, &v) in self.a_row[a.clone()].iter().zip(&self.a[a]) {
                work[i as usize] = v;
            }
            for &(k, at) in &self.r[self.r_ptr[j] as usize..self.r_ptr[j + 1] as usize] {
                let tail = at as usize..self.l_ptr[k as usize + 1] as usize;
                let [l, u] = self.lu[at as usize];
                for (&i, v) in self.l_row[tail.clone()].iter().zip(&self.lu[tail]) {
                    let w = &mut work[i as usize];
                    w[0] -= v[0] * u;
                    w[1] -= v[1] * l;
                }
            }
            let pivot = std::mem::take(&mut work[j])[0];
            let part = pivot.abs() / self.scale[j];
            let column = self.l_ptr[j] as usize..self.l_ptr[j + 1] as usize;
            let Some(pivot) = judge(part, self.scale[j], pivot) else {
                // the work column must be left clean for the next call
                for &i in &self.l_row[column] {
                    work[i as usize] = [0.0; 2];
                }
                return None;
            };
            if part < weakest.0 {
                weakest = (part, self.order[j] as usize);
            }
            let inv = 1.0 / pivot;
            self.inv[j] = inv;
            for (&i, to) in self.l_row[column.clone()].iter().zip(&mut self.lu[column]) {
                let [l, u] = std::mem::take(&mut work[i as usize]);
                *to = [l * inv, u];
            }
        }
        Some(weakest)
    }

    /// When each unknown is eliminated.
    pub(crate) fn places(&self) -> Vec<usize> {
        let mut out = vec![0; self.n];
        for (new, &old) in self.order.iter().enumerate() {
            out[old as usize] = new;
        }
        out
    }

    /// Number of entries of the factors, with the diagonal.
    pub(crate) fn entries(&self) -> usize {
        2 * self.l_row.len() + self.n
    }

    /// Multiplications of one factorisation by unknown, in their own order.
    pub(crate) fn multiplications(&self) -> Vec<u64> {
        let tail = |&(k, at): &(u32, u32)| u64::from(self.l_ptr[k as usize + 1] - at);
        let mut out = vec![0; self.n];
        for (j, &old) in self.order.iter().enumerate() {
            let before = &self.r[self.r_ptr[j] as usize..self.r_ptr[j + 1] as usize];
            let own = u64::from(self.l_ptr[j + 1] - self.l_ptr[j]);
            out[old as usize] = 2 * before.iter().map(tail).sum::<u64>() + own;
        }
        out
    }

    fn load(&mut self, s: &[f64], rows: &[f64], cols: &[f64]) {
        // the same places are written each time: those that are not stay zero
        let (to_s, rest) = self.slot.split_at(s.len());
        let (to_rows, to_cols) = rest.split_at(rows.len());
        let mut put = |slot: u32, v: f64| self.a[(slot / 2) as usize][(slot % 2) as usize] = v;
        to_s.iter().zip(s).for_each(|(at, v)| put(*at, *v));
        to_rows.iter().zip(rows).for_each(|(at, v)| put(*at, *v));
        to_cols.iter().zip(cols).for_each(|(at, v)| put(*at, -v));
    }

    /// Sizes of all unknowns.
    fn measure(&mut self) {
        let is_row = |j: usize| self.order[j] as usize >= self.nv;
        let diagonal = |j: usize| self.a[self.a_ptr[j] as usize][0].abs();
        for j in 0..self.n {
            self.scale[j] = if is_row(j) { 0.0 } else { diagonal(j) };
        }
        for j in 0..self.n {
            let below = self.a_ptr[j] as usize + 1..self.a_ptr[j + 1] as usize;
            for (&i, [l, u]) in self.a_row[below.clone()].iter().zip(&self.a[below]) {
                let (i, product) = (i as usize, (l * u).abs());
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
    }

    /// Solves for the right-hand side in `top` and `bottom`.
    pub(crate) fn solve(&mut self, top: &[f64], bottom: &[f64], x: &mut [f64], y: &mut [f64]) {
        let z = &mut self.x[..];
        for (z, &old) in z.iter_mut().zip(&self.order) {
            let old = old as usize;
            *z = if old < self.nv { top[old] } else { bottom[old - self.nv] };
        }
        for j in 0..self.n {
            let zj = z[j];
            let column = self.l_ptr[j] as usize..self.l_ptr[j + 1] as usize;
            for (&i, v) in self.l_row[column.clone()].iter().zip(&self.lu[column]) {
                z[i as usize] -= v[0] * zj;
            }
        }
        for j in (0..self.n).rev() {
            let column = self.l_ptr[j] as usize..self.l_ptr[j + 1] as usize;
            let mut sum = z[j];
            for (&i, v) in self.l_row[column.clone()].iter().zip(&self.lu[column]) {
                sum -= v[1] * z[i as usize];
            }
            z[j] = sum * self.inv[j];
        }
        for (z, &old) in z.iter().zip(&self.order) {
            let old = old as usize;
            match old < self.nv {
                true => x[old] = *z,
                false => y[old - self.nv] = *z,
            }
        }
    }
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
