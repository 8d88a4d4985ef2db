//! Radau IIA with three stages: coefficients and what follows from them.

/// Stages.
pub(super) const N: usize = 3;
pub(super) const SQRT6: f64 = 2.449_489_742_783_178;
/// Nodes.
pub(super) const C: [f64; N] = [(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0];
/// Stage weights.
pub(super) const A: [[f64; N]; N] = [
    [(88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0, (3.0 * SQRT6 - 2.0) / 225.0],
    [(296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0, (-2.0 - 3.0 * SQRT6) / 225.0],
    [(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0],
];
/// Real eigenvalue of A.
pub(super) const GAMMA: f64 = 0.274_888_829_595_677_34;
/// Weights of the increments of the stages in the error, beside h ẏ₀; times γ₀.
pub(super) const E: [f64; N] =
    [-(13.0 + 7.0 * SQRT6) / 3.0, (-13.0 + 7.0 * SQRT6) / 3.0, -1.0 / 3.0];

/// Weights of the nodes 0, c₁, c₂, c₃ in the polynomial through them at s.
pub(super) fn lagrange(s: f64) -> [f64; N + 1] {
    let nodes = [0.0, C[0], C[1], C[2]];
    std::array::from_fn(|j| {
        let others = (0..=N).filter(|i| *i != j);
        others.map(|i| (s - nodes[i]) / (nodes[j] - nodes[i])).product()
    })
}

/// Derivatives at the nodes of the polynomials of degree 2 that are 1 at one node.
pub(super) fn slopes() -> [[f64; N]; N] {
    let w = |j: usize| -> f64 { (0..N).filter(|k| *k != j).map(|k| 1.0 / (C[j] - C[k])).product() };
    let off = |i: usize, j: usize| w(j) / w(i) / (C[i] - C[j]);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            if i == j { (0..N).filter(|k| *k != i).map(|k| -off(i, k)).sum() } else { off(i, j) }
        })
    })
}

pub(super) fn inverse(a: &[[f64; N]; N]) -> [[f64; N]; N] {
    let minor = |i: usize, j: usize| {
        let (i1, i2, j1, j2) = ((i + 1) % N, (i + 2) % N, (j + 1) % N, (j + 2) % N);
        a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1]
    };
    let det: f64 = (0..N).map(|j| a[0][j] * minor(0, j)).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| minor(j, i) / det))
}

/// Matrix product.
pub(super) fn product(x: &[[f64; N]; N], y: &[[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..N).map(|k| x[i][k] * y[k][j]).sum()))
}

/// (1 + h A D)⁻¹ for a quantity that relaxes at the rates D in the stages.
pub(super) fn forgetting(h: f64, rates: [f64; N]) -> [[f64; N]; N] {
    let one = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    if rates == [0.0; N] {
        return std::array::from_fn(|i| std::array::from_fn(|j| one(i, j)));
    }
    inverse(&std::array::from_fn(|i| std::array::from_fn(|j| one(i, j) + h * A[i][j] * rates[j])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conditions B(5), C(3) and the real eigenvalue.
    #[test]
    fn tableau() {
        for i in 0..N {
            for k in 1..=3 {
                let sum: f64 = (0..N).map(|j| A[i][j] * C[j].powi(k - 1)).sum();
                assert!((sum - C[i].powi(k) / f64::from(k)).abs() < 1e-15, "C({k}) {i}");
            }
        }
        for k in 1..=5 {
            let sum: f64 = (0..N).map(|j| A[2][j] * C[j].powi(k - 1)).sum();
            assert!((sum - 1.0 / f64::from(k)).abs() < 1e-15, "B({k})");
        }
        let x = inverse(&A);
        for i in 0..N {
            for j in 0..N {
                let sum: f64 = (0..N).map(|k| A[i][k] * x[k][j]).sum();
                assert!((sum - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
        // d/dc of 1, c, c²
        for (i, row) in slopes().iter().enumerate() {
            for k in 0..=2 {
                let sum: f64 = (0..N).map(|j| row[j] * C[j].powi(k)).sum();
                let want = if k == 0 { 0.0 } else { f64::from(k) * C[i].powi(k - 1) };
                assert!((sum - want).abs() < 1e-13, "slope {k} {i}");
            }
        }
        // det(A − γ₀ I) = 0
        let mut b = A;
        for (i, row) in b.iter_mut().enumerate() {
            row[i] -= GAMMA;
        }
        let det = b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1])
            - b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0])
            + b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
        assert!(det.abs() < 1e-16, "{det}");
        // the error of a constant rate is zero
        let sum: f64 = (0..N).map(|i| E[i] * C[i]).sum();
        assert!((sum + 1.0).abs() < 1e-14);
    }
}
