//! Sparse LU in blocks of six, with a minimum degree ordering, of
//!
//! ```text
//! [ I + Jᵀ B J   −Eᵀ ]
//! [     E          θ ]
//! ```
//!
//! `B` has one small block per contact, so the pattern is that of the graph in which two bodies are neighbours if a
//! contact touches both. Equalities `E` have an unknown each: inside `B` their 1/θ, which is almost infinite, would
//! swamp everything else. They are eliminated after all bodies, when their pivots are no longer small. The pattern is
//! symmetric, the values need not be. Pivots are exchanged only inside the diagonal blocks; the caller refines and
//! checks.

use super::scaled::ScaledSparse;
use crate::problem::Law;

/// Columns per block.
pub(crate) const SIZE: usize = 6;
type Block = [f64; SIZE * SIZE];

/// Pattern, values and scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu {
    chunks: usize,
    /// Chunks of columns; those of equalities follow.
    bodies: usize,
    /// Rows of the equalities, in the order of their unknowns.
    pub equalities: Vec<usize>,
    /// For each law, its chunk and position if it is an equality.
    equality_of: Vec<Option<(usize, usize)>>,
    /// Chunk of every column and then of every equality, and its position inside.
    chunk_of: Vec<usize>,
    place_of: Vec<usize>,
    /// Chunks that each law involves.
    touch_start: Vec<usize>,
    touch: Vec<usize>,
    /// Elimination order and its inverse.
    order: Vec<usize>,
    position: Vec<usize>,
    adjacency: Vec<Vec<usize>>,
    /// Per eliminated chunk: positions of the later chunks it meets, ascending.
    start: Vec<usize>,
    pattern: Vec<usize>,
    diagonal: Vec<Block>,
    lower: Vec<Block>,
    upper: Vec<Block>,
    slot: Vec<usize>,
    y: Vec<f64>,
    merged: Vec<usize>,
    degree_lists: Vec<Vec<usize>>,
}

impl BlockLu {
    /// Approximate number of multiplications of one factorisation.
    pub fn work(&self) -> f64 {
        let cube = (SIZE * SIZE * SIZE) as f64;
        self.start.windows(2).map(|w| ((w[1] - w[0]) as f64).powi(2) * cube).sum()
    }

    /// Finds pattern and order. `chunk_start` holds the first column of every chunk and the end.
    pub fn analyse(&mut self, s: &ScaledSparse, chunk_start: &[usize]) {
        self.bodies = chunk_start.len().saturating_sub(1);
        self.chunk_of.clear();
        self.place_of.clear();
        for (k, w) in chunk_start.windows(2).enumerate() {
            self.chunk_of.extend((w[0]..w[1]).map(|_| k));
            self.place_of.extend(0..w[1] - w[0]);
        }
        self.find_touched(s);
        self.number_equalities(s);
        self.adjacency.iter_mut().for_each(Vec::clear);
        self.adjacency.resize(self.chunks, Vec::new());
        for k in 0..s.laws.len() {
            let touched = &self.touch[self.touch_start[k]..self.touch_start[k + 1]];
            if let Some((chunk, _)) = self.equality_of[k] {
                self.adjacency[chunk].extend_from_slice(touched);
                touched.iter().for_each(|a| self.adjacency[*a].push(chunk));
                continue;
            }
            for a in touched {
                self.adjacency[*a].extend(touched.iter().filter(|b| *b != a));
            }
        }
        for list in &mut self.adjacency {
            list.sort_unstable();
            list.dedup();
        }
        self.eliminate();
    }

    /// Chunks of columns that each law involves.
    fn find_touched(&mut self, s: &ScaledSparse) {
        self.touch.clear();
        self.touch_start.clear();
        self.touch_start.push(0);
        for k in 0..s.laws.len() {
            let begin = self.touch.len();
            for e in s.h.start[s.start[k]]..s.h.start[s.start[k + 1]] {
                let chunk = self.chunk_of[s.h.columns[e]];
                if !self.touch[begin..].contains(&chunk) {
                    self.touch.push(chunk);
                }
            }
            self.touch_start.push(self.touch.len());
        }
    }

    /// Gives equalities their unknowns; neighbours that involve the same chunks (a joint) share one.
    fn number_equalities(&mut self, s: &ScaledSparse) {
        self.equalities.clear();
        self.equality_of.clear();
        self.chunks = self.bodies;
        let touched = |k: usize| &self.touch[self.touch_start[k]..self.touch_start[k + 1]];
        let mut place = SIZE;
        for (k, law) in s.laws.iter().enumerate() {
            if *law != Law::Equality || s.bare[k] {
                self.equality_of.push(None);
                continue;
            }
            let follows = k > 0 && self.equality_of[k - 1].is_some();
            if follows && place + 1 < SIZE && touched(k - 1) == touched(k) {
                place += 1;
            } else {
                place = 0;
                self.chunks += 1;
            }
            self.equality_of.push(Some((self.chunks - 1, place)));
            self.equalities.push(s.start[k]);
            self.chunk_of.push(self.chunks - 1);
            self.place_of.push(place);
        }
    }

    /// Whether a law is an equality with an unknown of its own.
    pub fn is_equality(&self, law: usize) -> bool {
        self.equality_of[law].is_some()
    }

    /// Minimum degree on the explicit elimination graph; ties go to the lowest index.
    fn eliminate(&mut self) {
        let n = self.chunks;
        self.order.clear();
        self.position.clear();
        self.position.resize(n, usize::MAX);
        self.start.clear();
        self.start.push(0);
        self.pattern.clear();
        self.degree_lists.iter_mut().for_each(Vec::clear);
        self.degree_lists.resize(n + 1, Vec::new());
        for stage in [0..self.bodies, self.bodies..n] {
            for k in stage.clone().rev() {
                self.degree_lists[self.adjacency[k].len()].push(k);
            }
            let mut least = 0;
            while self.order.len() < stage.end {
                // Lists contain stale entries; an entry counts if the degree is still right.
                let Some(k) = self.degree_lists[least].pop() else {
                    least += 1;
                    continue;
                };
                if self.position[k] != usize::MAX || self.adjacency[k].len() != least {
                    continue;
                }
                self.position[k] = self.order.len();
                self.order.push(k);
                let front = std::mem::take(&mut self.adjacency[k]);
                for &v in &front {
                    merge(&self.adjacency[v], &front, k, v, &mut self.merged);
                    std::mem::swap(&mut self.adjacency[v], &mut self.merged);
                    if stage.contains(&v) {
                        let degree = self.adjacency[v].len();
                        self.degree_lists[degree].push(v);
                        least = least.min(degree);
                    }
                }
                self.pattern.extend_from_slice(&front);
                self.start.push(self.pattern.len());
                self.adjacency[k] = front;
            }
        }
        for k in 0..n {
            let range = self.start[k]..self.start[k + 1];
            for entry in &mut self.pattern[range.clone()] {
                *entry = self.position[*entry];
            }
            self.pattern[range].sort_unstable();
        }
        self.slot.clear();
        self.slot.resize(n, 0);
    }

    /// Assembles and factors; `blocks` are the B of the laws. False if a diagonal block is singular.
    pub fn factor(&mut self, s: &ScaledSparse, blocks: &[[[f64; 3]; 3]]) -> bool {
        let zero = [0.0; SIZE * SIZE];
        self.diagonal.clear();
        self.diagonal.resize(self.chunks, identity());
        for values in [&mut self.lower, &mut self.upper] {
            values.clear();
            values.resize(self.pattern.len(), zero);
        }
        for k in 0..s.laws.len() {
            self.assemble(s, k, &blocks[k]);
        }
        for j in 0..self.chunks {
            if !invert(&mut self.diagonal[j]) {
                return false;
            }
            let range = self.start[j]..self.start[j + 1];
            for e in range.clone() {
                self.lower[e] = multiply(&self.lower[e], &self.diagonal[j]);
            }
            for a in range.clone() {
                let k = self.pattern[a];
                let (l, u) = (self.lower[a], self.upper[a]);
                subtract(&mut self.diagonal[k], &l, &u);
                for t in self.start[k]..self.start[k + 1] {
                    self.slot[self.pattern[t]] = t;
                }
                for b in a + 1..range.end {
                    let t = self.slot[self.pattern[b]];
                    // Row b, column k; and row k, column b.
                    let (lb, ub) = (self.lower[b], self.upper[b]);
                    subtract(&mut self.lower[t], &lb, &u);
                    subtract(&mut self.upper[t], &l, &ub);
                }
            }
        }
        true
    }

    /// Adds J_kᵀ B_k J_k, or the rows of an equality.
    fn assemble(&mut self, s: &ScaledSparse, k: usize, b: &[[f64; 3]; 3]) {
        let (first, m) = (s.start[k], s.start[k + 1] - s.start[k]);
        let touched = self.touch_start[k]..self.touch_start[k + 1];
        if let Some((chunk, place)) = self.equality_of[k] {
            let row = self.position[chunk];
            self.diagonal[row][place * (SIZE + 1)] = 1.0 / b[0][0];
            for p in touched {
                let part = self.gather(s, first, 1, self.touch[p])[0];
                let column = self.position[self.touch[p]];
                let Some(t) = find(&self.pattern, &self.start, column, row) else { continue };
                for (c, value) in part.iter().enumerate() {
                    self.lower[t][place * SIZE + c] = *value;
                    self.upper[t][c * SIZE + place] = -value;
                }
            }
            return;
        }
        for p in touched.clone() {
            let left = self.gather(s, first, m, self.touch[p]);
            // Left factor: J_pᵀ B.
            let mut weighted = [[0.0; 3]; SIZE];
            for c in 0..SIZE {
                for j in 0..m {
                    weighted[c][j] = (0..m).map(|i| left[i][c] * b[i][j]).sum();
                }
            }
            for q in touched.clone() {
                let right = self.gather(s, first, m, self.touch[q]);
                let (row, column) = (self.position[self.touch[p]], self.position[self.touch[q]]);
                let target = match row.cmp(&column) {
                    std::cmp::Ordering::Equal => &mut self.diagonal[row],
                    std::cmp::Ordering::Greater => {
                        let Some(t) = find(&self.pattern, &self.start, column, row) else {
                            continue;
                        };
                        &mut self.lower[t]
                    }
                    std::cmp::Ordering::Less => {
                        let Some(t) = find(&self.pattern, &self.start, row, column) else {
                            continue;
                        };
                        &mut self.upper[t]
                    }
                };
                for c in 0..SIZE {
                    for d in 0..SIZE {
                        target[c * SIZE + d] +=
                            (0..m).map(|j| weighted[c][j] * right[j][d]).sum::<f64>();
                    }
                }
            }
        }
    }

    /// The part of the rows that lies in a chunk.
    fn gather(&self, s: &ScaledSparse, first: usize, m: usize, chunk: usize) -> [[f64; SIZE]; 3] {
        let mut part = [[0.0; SIZE]; 3];
        for i in 0..m {
            for e in s.h.start[first + i]..s.h.start[first + i + 1] {
                let c = s.h.columns[e];
                if self.chunk_of[c] == chunk {
                    part[i][self.place_of[c]] += s.h.values[e];
                }
            }
        }
        part
    }

    /// Solves in place; `x` is by columns, then by equalities.
    pub fn solve(&mut self, x: &mut [f64]) {
        let n = self.chunks;
        self.y.clear();
        self.y.resize(n * SIZE, 0.0);
        for (c, &value) in x.iter().enumerate() {
            self.y[self.position[self.chunk_of[c]] * SIZE + self.place_of[c]] = value;
        }
        for j in 0..n {
            let mut head = [0.0; SIZE];
            head.copy_from_slice(&self.y[j * SIZE..(j + 1) * SIZE]);
            for e in self.start[j]..self.start[j + 1] {
                let i = self.pattern[e];
                apply(&self.lower[e], &head, &mut self.y[i * SIZE..(i + 1) * SIZE]);
            }
        }
        for j in (0..n).rev() {
            let mut head = [0.0; SIZE];
            head.copy_from_slice(&self.y[j * SIZE..(j + 1) * SIZE]);
            for e in self.start[j]..self.start[j + 1] {
                let i = self.pattern[e];
                let mut part = [0.0; SIZE];
                part.copy_from_slice(&self.y[i * SIZE..(i + 1) * SIZE]);
                apply(&self.upper[e], &part, &mut head);
            }
            let inverse = &self.diagonal[j];
            for r in 0..SIZE {
                self.y[j * SIZE + r] = (0..SIZE).map(|c| inverse[r * SIZE + c] * head[c]).sum();
            }
        }
        for (c, value) in x.iter_mut().enumerate() {
            *value = self.y[self.position[self.chunk_of[c]] * SIZE + self.place_of[c]];
        }
    }
}

/// `out` = (a ∪ b) without `gone` and `own`; both sorted.
fn merge(a: &[usize], b: &[usize], gone: usize, own: usize, out: &mut Vec<usize>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&x), None) => x,
            (None, Some(&y)) => y,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        if next != gone && next != own {
            out.push(next);
        }
    }
}

fn find(pattern: &[usize], start: &[usize], column: usize, row: usize) -> Option<usize> {
    let range = start[column]..start[column + 1];
    pattern[range.clone()].binary_search(&row).ok().map(|k| range.start + k)
}

fn identity() -> Block {
    let mut b = [0.0; SIZE * SIZE];
    (0..SIZE).for_each(|i| b[i * (SIZE + 1)] = 1.0);
    b
}

fn multiply(a: &Block, b: &Block) -> Block {
    let mut c = [0.0; SIZE * SIZE];
    for i in 0..SIZE {
        for k in 0..SIZE {
            let f = a[i * SIZE + k];
            for j in 0..SIZE {
                c[i * SIZE + j] += f * b[k * SIZE + j];
            }
        }
    }
    c
}

/// c −= a b.
fn subtract(c: &mut Block, a: &Block, b: &Block) {
    for i in 0..SIZE {
        for k in 0..SIZE {
            let f = a[i * SIZE + k];
            for j in 0..SIZE {
                c[i * SIZE + j] -= f * b[k * SIZE + j];
            }
        }
    }
}

/// y −= a x.
fn apply(a: &Block, x: &[f64; SIZE], y: &mut [f64]) {
    for (r, y) in y.iter_mut().enumerate() {
        *y -= (0..SIZE).map(|c| a[r * SIZE + c] * x[c]).sum::<f64>();
    }
}

/// Gauss–Jordan with row exchanges; false if singular.
fn invert(a: &mut Block) -> bool {
    let mut inv = identity();
    for k in 0..SIZE {
        let mut row = k;
        for i in k + 1..SIZE {
            if a[i * SIZE + k].abs() > a[row * SIZE + k].abs() {
                row = i;
            }
        }
        let pivot = a[row * SIZE + k];
        if !(pivot.abs() > 0.0 && pivot.is_finite()) {
            return false;
        }
        for j in 0..SIZE {
            a.swap(k * SIZE + j, row * SIZE + j);
            inv.swap(k * SIZE + j, row * SIZE + j);
        }
        for j in 0..SIZE {
            a[k * SIZE + j] /= pivot;
            inv[k * SIZE + j] /= pivot;
        }
        for i in 0..SIZE {
            let f = a[i * SIZE + k];
            if i != k && f != 0.0 {
                for j in 0..SIZE {
                    a[i * SIZE + j] -= f * a[k * SIZE + j];
                    inv[i * SIZE + j] -= f * inv[k * SIZE + j];
                }
            }
        }
    }
    *a = inv;
    true
}
