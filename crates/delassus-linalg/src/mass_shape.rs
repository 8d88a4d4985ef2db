//! Shape of a mass matrix: dense blocks on the diagonal and, where bodies share nodes, between them.

use crate::error::KktError;
use crate::pattern::Csr;

/// A block of the matrix that is not on the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coupling {
    /// Block whose rows it has.
    pub row: usize,
    /// Block whose columns it has.
    pub col: usize,
    /// Its first value.
    pub value: usize,
}

/// Blocks of a symmetric matrix. Values are stored separately: for each block of rows in turn, its dense diagonal
/// block, then its blocks against those it is coupled with, in ascending order; each column by column. Both halves are
/// stored, so that a part of the coordinates that is coupled only within itself has its values in one piece, and each
/// value has one place in the matrix.
///
/// Without couplings it is block-diagonal, for which solvers have a cheaper path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MassShape {
    sizes: Vec<usize>,
    dof_offset: Vec<usize>,
    value_offset: Vec<usize>,
    /// In the order of their values.
    couplings: Vec<Coupling>,
}

impl MassShape {
    /// Only diagonal blocks of the given sizes.
    pub fn new(sizes: Vec<usize>) -> MassShape {
        MassShape::laid_out(sizes, &[])
    }

    /// Diagonal blocks of the given sizes, some of them coupled. A pair may be named in either order
    /// and more than once.
    pub fn coupled(
        sizes: Vec<usize>,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<MassShape, KktError> {
        let mut both = Vec::new();
        for (k, l) in pairs {
            if k >= sizes.len() || l >= sizes.len() {
                return Err(KktError::Pattern("a mass coupling names no block"));
            }
            if k != l {
                both.extend([(k, l), (l, k)]);
            }
        }
        both.sort_unstable();
        both.dedup();
        Ok(MassShape::laid_out(sizes, &both))
    }

    /// `pairs` are sorted and hold both halves.
    fn laid_out(sizes: Vec<usize>, pairs: &[(usize, usize)]) -> MassShape {
        let mut dof_offset = vec![0];
        let mut value_offset = vec![0];
        let mut couplings = Vec::with_capacity(pairs.len());
        let mut rest = pairs;
        let (mut dof, mut value) = (0, 0);
        for (k, s) in sizes.iter().enumerate() {
            dof += s;
            value += s * s;
            let own = rest.partition_point(|p| p.0 == k);
            for &(row, col) in &rest[..own] {
                couplings.push(Coupling { row, col, value });
                value += s * sizes[col];
            }
            rest = &rest[own..];
            dof_offset.push(dof);
            value_offset.push(value);
        }
        MassShape { sizes, dof_offset, value_offset, couplings }
    }

    /// This shape, followed by more blocks on the diagonal.
    pub fn followed_by(&self, sizes: impl IntoIterator<Item = usize>) -> MassShape {
        let pairs: Vec<(usize, usize)> = self.couplings.iter().map(|c| (c.row, c.col)).collect();
        let sizes = self.sizes.iter().copied().chain(sizes).collect();
        MassShape::laid_out(sizes, &pairs)
    }

    /// Sizes of the diagonal blocks.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Number of diagonal blocks.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Dimension of the whole matrix.
    pub fn dim(&self) -> usize {
        self.dof_offset[self.sizes.len()]
    }

    /// Length of the value array.
    pub fn value_len(&self) -> usize {
        self.value_offset[self.sizes.len()]
    }

    /// First coordinate of block `k`.
    pub fn dof(&self, k: usize) -> usize {
        self.dof_offset[k]
    }

    /// First value of diagonal block `k`; for the number of blocks, the end of all values.
    pub fn value(&self, k: usize) -> usize {
        self.value_offset[k]
    }

    /// Blocks off the diagonal, both halves, in the order of their values.
    pub fn couplings(&self) -> &[Coupling] {
        &self.couplings
    }

    /// Whether no blocks are coupled.
    pub fn is_block_diagonal(&self) -> bool {
        self.couplings.is_empty()
    }

    /// Row and column of every value, in the order of the values.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut rest = &self.couplings[..];
        (0..self.count()).flat_map(move |k| {
            let own = rest.partition_point(|c| c.row == k);
            let (here, later) = rest.split_at(own);
            rest = later;
            std::iter::once(k).chain(here.iter().map(|c| c.col)).flat_map(move |l| {
                let (rows, first) = (self.sizes[k], (self.dof_offset[k], self.dof_offset[l]));
                (0..rows * self.sizes[l]).map(move |e| (first.0 + e % rows, first.1 + e / rows))
            })
        })
    }

    /// Sparsity pattern of the matrix.
    pub fn pattern(&self) -> Result<Csr, KktError> {
        Csr::from_pairs(self.dim(), self.dim(), self.entries())
    }

    /// Slot of every value in a pattern, to which it is added. Values off the diagonal that are always zero need none:
    /// theirs is that of the diagonal, where they change nothing.
    pub fn slots(&self, pattern: &Csr) -> Result<Vec<usize>, KktError> {
        let slot = |(i, j)| {
            let at = pattern.slot(i, j).or_else(|| pattern.slot(i, i));
            at.ok_or(KktError::Pattern("the diagonal of M has no slot"))
        };
        self.entries().map(slot).collect()
    }

    /// Diagonal of the matrix.
    pub fn diagonal<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.sizes
            .iter()
            .zip(&self.value_offset)
            .flat_map(move |(&n, &at)| (0..n).map(move |i| values[at + i * n + i]))
    }

    /// Values of a matrix with this diagonal and zeros elsewhere.
    pub fn with_diagonal(&self, diagonal: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.value_len()];
        for (k, &n) in self.sizes.iter().enumerate() {
            for i in 0..n {
                values[self.value_offset[k] + i * n + i] = diagonal[self.dof_offset[k] + i];
            }
        }
        values
    }

    /// y += M x.
    pub fn mul_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.each_product(values, x, |y, product| *y += product, y);
    }

    /// y −= M x.
    pub fn mul_sub(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.each_product(values, x, |y, product| *y -= product, y);
    }

    #[inline]
    fn each_product(&self, values: &[f64], x: &[f64], take: impl Fn(&mut f64, f64), y: &mut [f64]) {
        for k in 0..self.count() {
            let (n, i0, v0) = (self.sizes[k], self.dof_offset[k], self.value_offset[k]);
            for j in 0..n {
                let xj = x[i0 + j];
                for i in 0..n {
                    take(&mut y[i0 + i], values[v0 + j * n + i] * xj);
                }
            }
        }
        for c in &self.couplings {
            let (n, i0) = (self.sizes[c.row], self.dof_offset[c.row]);
            let x = &x[self.dof_offset[c.col]..self.dof_offset[c.col + 1]];
            for (column, xj) in values[c.value..].chunks_exact(n.max(1)).zip(x) {
                for (y, m) in y[i0..i0 + n].iter_mut().zip(column) {
                    take(y, m * xj);
                }
            }
        }
    }

    /// For each block, the first block of its connected component: one body.
    pub fn first_of_body(&self) -> Vec<usize> {
        let mut first: Vec<usize> = (0..self.count()).collect();
        let root = |first: &[usize], mut k: usize| {
            while first[k] != k {
                k = first[k];
            }
            k
        };
        for c in self.couplings.iter().filter(|c| c.col < c.row) {
            let (a, b) = (root(&first, c.row), root(&first, c.col));
            first[a.max(b)] = a.min(b);
            // short paths for later look-ups
            first[c.row] = a.min(b);
        }
        for k in 0..first.len() {
            // roots come before what they represent
            first[k] = first[first[k]];
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_body_stand_together() {
        // blocks 0 and 1 are coupled, and 2 and 3
        let shape = MassShape::coupled(vec![2, 1, 1, 2], [(1, 0), (2, 3), (3, 2)]).unwrap();
        assert_eq!(shape.value_len(), 4 + 2 + 1 + 2 + 1 + 2 + 4 + 2);
        assert_eq!([0, 1, 2, 3].map(|k| shape.value(k)), [0, 6, 9, 12]);
        assert_eq!(shape.couplings()[1], Coupling { row: 1, col: 0, value: 7 });
        assert_eq!(shape.first_of_body(), [0, 0, 2, 2]);
        assert!(!shape.is_block_diagonal());
        assert!(MassShape::coupled(vec![1], [(0, 1)]).is_err());
        let more = shape.followed_by([3]);
        assert_eq!((more.value(4), more.dof(4), more.dim()), (18, 6, 9));
        assert_eq!(more.couplings(), shape.couplings());
    }

    #[test]
    fn products_and_entries_agree() {
        let shape = MassShape::coupled(vec![2, 0, 1, 3], [(3, 0), (0, 2)]).unwrap();
        let values: Vec<f64> = (0..shape.value_len()).map(|k| 1.0 + k as f64).collect();
        let x = [1.0, -2.0, 0.5, 3.0, 0.25, -1.0];
        let (mut y, mut z) = ([0.0; 6], [0.0; 6]);
        shape.mul_add(&values, &x, &mut y);
        for ((i, j), m) in shape.entries().zip(&values) {
            z[i] += m * x[j];
        }
        assert_eq!(shape.entries().count(), values.len());
        assert!(y.iter().zip(&z).all(|(y, z)| (y - z).abs() < 1e-12), "{y:?} {z:?}");
        let pattern = shape.pattern().unwrap();
        let mut p = [0.0; 6];
        let mut on_pattern = vec![0.0; pattern.nnz()];
        for (slot, m) in shape.slots(&pattern).unwrap().into_iter().zip(&values) {
            on_pattern[slot] = *m;
        }
        pattern.mul_add(&on_pattern, 1.0, &x, &mut p);
        assert!(y.iter().zip(&p).all(|(y, p)| (y - p).abs() < 1e-12));
        let diagonal: Vec<f64> = shape.diagonal(&values).collect();
        assert_eq!(diagonal[..3], [values[0], values[3], values[shape.value(2)]]);
    }
}
