//! Block Gauss–Seidel on the factored form: each block reads its rates from `x` and writes its change back.
//!
//! ```text
//! q_k = Ĥ_k x + b̂_k − Ŵ_kk r_k ,   r_k ← local solve ,   x ← x + Ŷ_kᵀ Δr_k
//! ```
//!
//! A sweep is linear in the number of contacts.

use super::scaled::ScaledSparse;
use crate::local;

/// One block.
fn visit(s: &ScaledSparse, k: usize, r: &mut [f64], x: &mut [f64]) {
    if s.bare[k] {
        return;
    }
    let (first, m) = (s.start[k], s.start[k + 1] - s.start[k]);
    let a = &s.diagonal[k];
    let (mut q, mut new) = ([0.0; 3], [0.0; 3]);
    for i in 0..m {
        q[i] = s.b[first + i] + s.h.dot(first + i, x);
        for j in 0..m {
            q[i] -= a[i][j] * r[first + j];
        }
        new[i] = r[first + i];
    }
    local::solve(s.laws[k], a, &q[..m], &mut new[..m]);
    for i in 0..m {
        let step = new[i] - r[first + i];
        if step != 0.0 {
            s.y.add(first + i, step, x);
            r[first + i] = new[i];
        }
    }
}

/// One sweep, forwards or backwards. `x` must belong to `r`.
pub(crate) fn sweep(s: &ScaledSparse, backwards: bool, r: &mut [f64], x: &mut [f64]) {
    if !s.packed.is_empty() {
        return s.packed.sweep(backwards, r, x);
    }
    let blocks = s.laws.len();
    for k in 0..blocks {
        visit(s, if backwards { blocks - 1 - k } else { k }, r, x);
    }
}
