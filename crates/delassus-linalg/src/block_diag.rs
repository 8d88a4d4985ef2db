//! Shape of a block-diagonal symmetric matrix.

/// Block sizes of a block-diagonal matrix. Values are given separately, as
/// the concatenated dense blocks (column-major, though symmetric).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockDiag {
    sizes: Vec<usize>,
    dof_offset: Vec<usize>,
    value_offset: Vec<usize>,
}

impl BlockDiag {
    /// Shape with the given block sizes; zero-sized blocks are allowed.
    pub fn new(sizes: Vec<usize>) -> BlockDiag {
        let mut dof_offset = vec![0];
        let mut value_offset = vec![0];
        let (mut dof, mut value) = (0, 0);
        for s in &sizes {
            dof += s;
            value += s * s;
            dof_offset.push(dof);
            value_offset.push(value);
        }
        BlockDiag { sizes, dof_offset, value_offset }
    }

    /// Sizes of the blocks.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Number of blocks.
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

    /// First value of block `k`.
    pub fn value(&self, k: usize) -> usize {
        self.value_offset[k]
    }
}
