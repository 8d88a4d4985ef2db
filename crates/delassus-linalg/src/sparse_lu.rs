//! Sparse LU with partial pivoting (left-looking, Gilbert–Peierls) in a
//! column order chosen once by COLAMD.
//!
//! This is our own code because faer's numeric LU grows its factors on the heap and gives no pivot to judge. The pivot
//! order is determined each time rather than inherited from the previous call, so that a result depends only on its
//! input. Factors live in vectors reserved at construction: `U` to the fill bound of the QR factor, which holds for any
//! pivot order, `L` to twice that. `L` has no such bound; should a pivot order ever exceed the reserve, the vector
//! grows (correct, but one allocation).

use crate::error::{KktError, check_room};
use crate::saddle::{PIVOT_LOST, PIVOT_WEAK, Saddle, power_of_two_inverse};
use crate::{ordering, sparse_ldl};
use delassus_math::remember;

const UNSET: u32 = u32::MAX;

/// Factors of `P K Q` with equilibrated `K`.
#[derive(Debug, Clone)]
pub(crate) struct SparseLu {
    n: usize,
    nv: usize,
    /// `order[position] = column`.
    order: Vec<u32>,
    a_ptr: Vec<u32>,
    a_row: Vec<u32>,
    a: Vec<f64>,
    /// Slot in `a` of every value of the saddle matrix.
    slot: Vec<u32>,
    /// Slot in `a` of the multiplier diagonal.
    diagonal: Vec<u32>,
    row_scale: Vec<f64>,
    col_scale: Vec<f64>,
    l_ptr: Vec<u32>,
    l: Vec<(u32, f64)>,
    u_ptr: Vec<u32>,
    u: Vec<(u32, f64)>,
    inv: Vec<f64>,
    /// Pivot position of each row.
    position: Vec<u32>,
    mark: Vec<u32>,
    reach: Vec<u32>,
    stack: Vec<(u32, u32)>,
    work: Vec<f64>,
}
remember!(SparseLu { a, row_scale, col_scale, l_ptr, l, u_ptr, u, inv, position } apart from { n, nv, order, a_ptr, a_row, slot, diagonal, mark, reach, stack, work });

impl SparseLu {
    pub(crate) fn new(saddle: &Saddle) -> Result<SparseLu, KktError> {
        let n = saddle.n;
        let mut columns: Vec<(u32, u32)> = saddle.entries.iter().map(|&(i, j)| (j, i)).collect();
        columns.extend((saddle.nv..n).map(|i| (i as u32, i as u32)));
        columns.sort_unstable();
        columns.dedup();
        let mut a_ptr = vec![0u32; n + 1];
        for &(j, _) in &columns {
            a_ptr[j as usize + 1] += 1;
        }
        for j in 0..n {
            a_ptr[j + 1] += a_ptr[j];
        }
        let a_row: Vec<u32> = columns.iter().map(|&(_, i)| i).collect();
        let slot_of = |i: u32, j: u32| {
            let (lo, hi) = (a_ptr[j as usize] as usize, a_ptr[j as usize + 1] as usize);
            (lo + a_row[lo..hi].partition_point(|&r| r < i)) as u32
        };
        let slot = saddle.entries.iter().map(|&(i, j)| slot_of(i, j)).collect();
        let diagonal = (saddle.nv as u32..n as u32).map(|i| slot_of(i, i)).collect();
        let order = ordering::column_order(n, &a_ptr, &a_row);
        let bound = sparse_ldl::product_fill(n, &a_ptr, &a_row, &order)?;
        check_room(n, 3.0 * bound as f64, size_of::<(u32, f64)>() as f64)?;
        Ok(SparseLu {
            n,
            nv: saddle.nv,
            order,
            a: vec![0.0; a_row.len()],
            a_ptr,
            a_row,
            slot,
            diagonal,
            row_scale: vec![0.0; n],
            col_scale: vec![0.0; n],
            l_ptr: vec![0; n + 1],
            l: Vec::with_capacity(2 * bound + n),
            u_ptr: vec![0; n + 1],
            u: Vec::with_capacity(bound + n),
            inv: vec![0.0; n],
            position: vec![UNSET; n],
            mark: vec![UNSET; n],
            reach: Vec::with_capacity(n),
            stack: Vec::with_capacity(n),
            work: vec![0.0; n],
        })
    }

    /// Bound of the entries of `U`, which holds for any pivot order.
    pub(crate) fn bound(&self) -> usize {
        self.u.capacity() - self.n
    }

    /// Load values (S, then G of the rows, then −G of the columns).
    pub(crate) fn load(&mut self, s: &[f64], rows: &[f64], cols: &[f64]) {
        self.a.fill(0.0);
        let (to_s, rest) = self.slot.split_at(s.len());
        let (to_rows, to_cols) = rest.split_at(rows.len());
        for (&at, &v) in to_s.iter().zip(s) {
            self.a[at as usize] = v;
        }
        for (&at, &v) in to_rows.iter().zip(rows) {
            self.a[at as usize] = v;
        }
        for (&at, &v) in to_cols.iter().zip(cols) {
            self.a[at as usize] = -v;
        }
        self.equilibrate();
    }

    fn equilibrate(&mut self) {
        self.row_scale.fill(0.0);
        for (&i, v) in self.a_row.iter().zip(&self.a) {
            let r = &mut self.row_scale[i as usize];
            *r = r.max(v.abs());
        }
        for r in &mut self.row_scale {
            *r = power_of_two_inverse(*r);
        }
        for j in 0..self.n {
            let range = self.a_ptr[j] as usize..self.a_ptr[j + 1] as usize;
            let mut largest = 0.0f64;
            for (&i, v) in self.a_row[range.clone()].iter().zip(&mut self.a[range.clone()]) {
                *v *= self.row_scale[i as usize];
                largest = largest.max(v.abs());
            }
            let scale = power_of_two_inverse(largest);
            self.col_scale[j] = scale;
            for v in &mut self.a[range] {
                *v *= scale;
            }
        }
    }

    /// Add to the (equilibrated) multiplier diagonal.
    pub(crate) fn shift_diagonal(&mut self, from: usize, shift: f64) {
        for &at in &self.diagonal[from - self.nv..] {
            self.a[at as usize] += shift;
        }
    }

    /// As for the dense LU; the reported column is an original index.
    pub(crate) fn factor(&mut self, plain: bool) -> Result<Option<(f64, usize)>, KktError> {
        self.l.clear();
        self.u.clear();
        self.position.fill(UNSET);
        self.mark.fill(UNSET);
        self.work.fill(0.0);
        let mut weakest = (1.0, 0);
        for k in 0..self.n {
            let column = self.order[k] as usize;
            self.find_reach(k, column);
            let range = self.a_ptr[column] as usize..self.a_ptr[column + 1] as usize;
            for (&i, &v) in self.a_row[range.clone()].iter().zip(&self.a[range]) {
                self.work[i as usize] = v;
            }
            // `reach` is in reverse topological order.
            let (mut best, mut at) = (0.0, UNSET);
            for &i in self.reach.iter().rev() {
                let p = self.position[i as usize];
                let v = self.work[i as usize];
                if p == UNSET {
                    continue;
                }
                if v != 0.0 {
                    self.u.push((p, v));
                    let below =
                        self.l_ptr[p as usize] as usize..self.l_ptr[p as usize + 1] as usize;
                    for &(r, l) in &self.l[below] {
                        self.work[r as usize] -= l * v;
                    }
                }
                self.work[i as usize] = 0.0;
            }
            for &i in &self.reach {
                let v = self.work[i as usize].abs();
                if self.position[i as usize] == UNSET && v > best {
                    (best, at) = (v, i);
                }
            }
            if best < weakest.0 {
                weakest = (best, column);
            }
            if plain && best < PIVOT_WEAK {
                return Ok(None);
            }
            if best < PIVOT_LOST {
                return Err(KktError::Singular { row: column, pivot: best });
            }
            let inv = 1.0 / self.work[at as usize];
            self.inv[k] = inv;
            self.position[at as usize] = k as u32;
            self.work[at as usize] = 0.0;
            for &i in &self.reach {
                if self.position[i as usize] == UNSET {
                    let v = self.work[i as usize];
                    self.work[i as usize] = 0.0;
                    // Cancelled entries would only breed more fill.
                    if v != 0.0 {
                        self.l.push((i, v * inv));
                    }
                }
            }
            self.l_ptr[k + 1] = self.l.len() as u32;
            self.u_ptr[k + 1] = self.u.len() as u32;
        }
        for (i, _) in &mut self.l {
            *i = self.position[*i as usize];
        }
        Ok(Some(weakest))
    }

    /// Rows that fill column `k`, by depth-first search through `L`.
    fn find_reach(&mut self, k: usize, column: usize) {
        self.reach.clear();
        let stamp = k as u32;
        for at in self.a_ptr[column]..self.a_ptr[column + 1] {
            let root = self.a_row[at as usize];
            if self.mark[root as usize] == stamp {
                continue;
            }
            self.mark[root as usize] = stamp;
            self.stack.push((root, self.first_child(root)));
            while let Some(&mut (node, ref mut next)) = self.stack.last_mut() {
                let p = self.position[node as usize];
                let end = if p == UNSET { 0 } else { self.l_ptr[p as usize + 1] };
                if *next >= end {
                    self.reach.push(node);
                    self.stack.pop();
                    continue;
                }
                let child = self.l[*next as usize].0;
                *next += 1;
                if self.mark[child as usize] != stamp {
                    self.mark[child as usize] = stamp;
                    let first = self.first_child(child);
                    self.stack.push((child, first));
                }
            }
        }
    }

    fn first_child(&self, row: u32) -> u32 {
        match self.position[row as usize] {
            UNSET => 0,
            p => self.l_ptr[p as usize],
        }
    }

    /// Solve for the unscaled right-hand side in `top` and `bottom`.
    pub(crate) fn solve(&mut self, top: &[f64], bottom: &[f64], x: &mut [f64], y: &mut [f64]) {
        let z = &mut self.work[..];
        let rhs = top.iter().chain(bottom);
        for ((v, s), &p) in rhs.zip(&self.row_scale).zip(&self.position) {
            z[p as usize] = v * s;
        }
        for k in 0..self.n {
            let zk = z[k];
            if zk != 0.0 {
                for &(i, l) in &self.l[self.l_ptr[k] as usize..self.l_ptr[k + 1] as usize] {
                    z[i as usize] -= l * zk;
                }
            }
        }
        for k in (0..self.n).rev() {
            let zk = z[k] * self.inv[k];
            z[k] = zk;
            for &(i, u) in &self.u[self.u_ptr[k] as usize..self.u_ptr[k + 1] as usize] {
                z[i as usize] -= u * zk;
            }
        }
        for (k, &column) in self.order.iter().enumerate() {
            let j = column as usize;
            let v = z[k] * self.col_scale[j];
            if j < self.nv {
                x[j] = v;
            } else {
                y[j - self.nv] = v;
            }
        }
    }
}
