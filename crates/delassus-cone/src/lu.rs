//! Dense LU with row exchanges.

/// Factors in place; `perm` holds the row exchanges. False if a column has no pivot.
pub(crate) fn lu(n: usize, a: &mut [f64], perm: &mut Vec<usize>) -> bool {
    perm.clear();
    perm.extend(0..n);
    for k in 0..n {
        let (mut row, mut top) = (k, 0.0f64);
        for i in k..n {
            let size = a[i * n + k].abs();
            if size > top {
                (row, top) = (i, size);
            }
        }
        if !(top > 0.0 && top.is_finite()) {
            return false;
        }
        if row != k {
            let (low, high) = a.split_at_mut(row * n);
            low[k * n..(k + 1) * n].swap_with_slice(&mut high[..n]);
            perm.swap(k, row);
        }
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let pivot_row = &upper[k * n..];
        let inverse = 1.0 / pivot_row[k];
        for target in lower.chunks_exact_mut(n) {
            let f = target[k] * inverse;
            target[k] = f;
            if f != 0.0 {
                target[k + 1..].iter_mut().zip(&pivot_row[k + 1..]).for_each(|(t, p)| *t -= f * p);
            }
        }
    }
    true
}

/// Solves with a factor of [`lu`], in place.
pub(crate) fn lu_solve(n: usize, a: &[f64], perm: &[usize], scratch: &mut Vec<f64>, x: &mut [f64]) {
    scratch.clear();
    scratch.extend(perm.iter().map(|&i| x[i]));
    for i in 0..n {
        let dot: f64 = a[i * n..i * n + i].iter().zip(&*scratch).map(|(a, b)| a * b).sum();
        scratch[i] -= dot;
    }
    for i in (0..n).rev() {
        let dot: f64 =
            a[i * n + i + 1..(i + 1) * n].iter().zip(&scratch[i + 1..]).map(|(a, b)| a * b).sum();
        scratch[i] = (scratch[i] - dot) / a[i * n + i];
    }
    x.copy_from_slice(scratch);
}
