//! Fill-reducing elimination orders.

use crate::error::{KktError, check_room};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::{amd, colamd};

/// Memory while an order is looked for, per entry of one triangle, bytes: the entries of both as pairs and as rows, and
/// what the algorithm makes of them.
const ORDERED: f64 = 80.0;

/// Approximate minimum degree order, `order[new] = old`, of a symmetric
/// pattern given by its entries `(i, j)` (either triangle or both).
pub(crate) fn minimum_degree(n: usize, entries: &[(u32, u32)]) -> Result<Vec<u32>, KktError> {
    check_room(n, entries.len() as f64, ORDERED)?;
    let mut full: Vec<(usize, usize)> = entries
        .iter()
        .filter(|(i, j)| i != j)
        .flat_map(|&(i, j)| [(j as usize, i as usize), (i as usize, j as usize)])
        .collect();
    full.sort_unstable();
    full.dedup();
    let mut col_ptr = vec![0usize; n + 1];
    for &(c, _) in &full {
        col_ptr[c + 1] += 1;
    }
    for j in 0..n {
        col_ptr[j + 1] += col_ptr[j];
    }
    let rows: Vec<usize> = full.iter().map(|&(_, r)| r).collect();
    let nnz = rows.len();
    let pattern = SymbolicSparseColMat::<usize>::new_checked(n, n, col_ptr, None, rows);
    let mut perm = vec![0usize; n];
    let mut inverse = vec![0usize; n];
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, nnz));
    let ordered = amd::order(
        &mut perm,
        &mut inverse,
        pattern.as_ref(),
        amd::Control::default(),
        MemStack::new(&mut memory),
    );
    Ok(match ordered {
        Ok(_) => perm.into_iter().map(|i| i as u32).collect(),
        // Ordering only saves work; the natural one is always valid.
        Err(_) => (0..n as u32).collect(),
    })
}

/// Column order, `order[new] = old`, that limits the fill of an LU
/// factorisation for any choice of pivot rows.
pub(crate) fn column_order(n: usize, col_ptr: &[u32], row: &[u32]) -> Vec<u32> {
    let col_ptr: Vec<usize> = col_ptr.iter().map(|&p| p as usize).collect();
    let row: Vec<usize> = row.iter().map(|&i| i as usize).collect();
    let nnz = row.len();
    let pattern = SymbolicSparseColMat::<usize>::new_checked(n, n, col_ptr, None, row);
    let mut perm = vec![0usize; n];
    let mut inverse = vec![0usize; n];
    let mut memory = MemBuffer::new(colamd::order_scratch::<usize>(n, n, nnz));
    let ordered = colamd::order(
        &mut perm,
        &mut inverse,
        pattern.as_ref(),
        colamd::Control::default(),
        MemStack::new(&mut memory),
    );
    match ordered {
        Ok(()) => perm.into_iter().map(|i| i as u32).collect(),
        // Ordering only saves work; the natural one is always valid.
        Err(_) => (0..n as u32).collect(),
    }
}
