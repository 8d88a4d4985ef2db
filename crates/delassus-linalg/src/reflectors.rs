//! Householder reflections of a dense matrix, column by column, in place.

/// A reflection I − 2 u uᵀ per column; u is stored on and below the diagonal.
#[derive(Debug, Clone)]
pub(crate) struct Reflectors {
    rows: usize,
    /// Column by column; above the diagonal the triangular factor.
    pub a: Vec<f64>,
    /// The diagonal of the triangular factor.
    pub diagonal: Vec<f64>,
    /// Reflections made.
    pub count: usize,
}

impl Reflectors {
    pub fn new(rows: usize, columns: usize) -> Reflectors {
        Reflectors {
            rows,
            a: vec![0.0; rows * columns],
            diagonal: vec![0.0; rows.min(columns)],
            count: 0,
        }
    }

    /// Column `j`.
    pub fn column(&mut self, j: usize) -> &mut [f64] {
        &mut self.a[j * self.rows..(j + 1) * self.rows]
    }

    /// Length of the remainder of column `j` from row `from` on.
    pub fn rest(&self, j: usize, from: usize) -> f64 {
        let column = &self.a[j * self.rows + from..(j + 1) * self.rows];
        column.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    pub fn swap(&mut self, i: usize, j: usize) {
        if i != j {
            let (lo, hi) = (i.min(j), i.max(j));
            let (a, b) = self.a.split_at_mut(hi * self.rows);
            a[lo * self.rows..(lo + 1) * self.rows].swap_with_slice(&mut b[..self.rows]);
        }
    }

    /// Makes the reflection that clears column `j = count` and applies it to the columns up to
    /// `columns`.
    pub fn eliminate(&mut self, columns: usize) {
        let (j, n) = (self.count, self.rows);
        let norm = self.rest(j, j);
        let (done, later) = self.a.split_at_mut((j + 1) * n);
        let u = &mut done[j * n + j..];
        let head = u[0];
        let r = if head > 0.0 { -norm } else { norm };
        u[0] = head - r;
        let length = u.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            for x in u.iter_mut() {
                *x /= length;
            }
        }
        for column in later[..(columns - j - 1) * n].chunks_exact_mut(n) {
            reflect(u, &mut column[j..]);
        }
        self.diagonal[j] = r;
        self.count += 1;
    }

    fn vector(&self, j: usize) -> &[f64] {
        &self.a[j * self.rows + j..(j + 1) * self.rows]
    }

    /// x ← Qᵀ x.
    pub fn transposed(&self, x: &mut [f64]) {
        for j in 0..self.count {
            reflect(self.vector(j), &mut x[j..]);
        }
    }

    /// x ← Q x.
    pub fn apply(&self, x: &mut [f64]) {
        for j in (0..self.count).rev() {
            reflect(self.vector(j), &mut x[j..]);
        }
    }

    /// Entry of the triangular factor, i < j.
    pub fn upper(&self, i: usize, j: usize) -> f64 {
        self.a[j * self.rows + i]
    }

    /// x ← R⁻¹ x for the square of the factor on these rows and columns.
    pub fn solve(&self, range: std::ops::Range<usize>, x: &mut [f64]) {
        for j in range.clone().rev() {
            x[j] /= self.diagonal[j];
            let xj = x[j];
            let above = &self.a[j * self.rows + range.start..j * self.rows + j];
            for (x, r) in x[range.start..j].iter_mut().zip(above) {
                *x -= r * xj;
            }
        }
    }

    /// x ← R⁻ᵀ x for the leading square of the factor.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        for j in 0..self.count {
            let known: f64 = x[..j].iter().zip(&self.a[j * self.rows..]).map(|(x, r)| x * r).sum();
            x[j] = (x[j] - known) / self.diagonal[j];
        }
    }
}

/// x ← (I − 2 u uᵀ) x for a unit u.
fn reflect(u: &[f64], x: &mut [f64]) {
    let s: f64 = u.iter().zip(&*x).map(|(u, x)| u * x).sum();
    for (x, u) in x.iter_mut().zip(u) {
        *x -= 2.0 * s * u;
    }
}
