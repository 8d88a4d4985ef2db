//! Coefficients of backward differences on a grid of any spacing.
//!
//! Nodes are counted backwards from the new point: τ₀ = 0, τ_j = t_{n+1} − t_{n+1−j} > 0.

/// Largest order.
pub(super) const MAX_ORDER: usize = 5;
/// Number of nodes: the new point and those that order 5 and its predictor look back to.
pub(super) const NODES: usize = MAX_ORDER + 2;

/// Times of the nodes before the new point.
pub(super) type Nodes = [f64; NODES];

/// Weights of nodes 1..=k+1 in the value at the new point of the polynomial through them.
pub(super) fn predictor(tau: &Nodes, k: usize) -> Nodes {
    let mut w = [0.0; NODES];
    for j in 1..=k + 1 {
        w[j] = product(tau, j, k + 1);
    }
    w
}

/// Weights of nodes 0..=k in the derivative at the new point of the polynomial through them.
pub(super) fn derivative(tau: &Nodes, k: usize) -> Nodes {
    let mut w = [0.0; NODES];
    for j in 1..=k {
        w[0] += 1.0 / tau[j];
        w[j] = -product(tau, j, k) / tau[j];
    }
    w
}

/// The local error of order k is this times (new value − predicted value).
///
/// Both differ by multiples of one divided difference y[t_{n+1}, …, t_{n−k}]: the error of the prediction is Π_{i≤k+1}
/// τ_i times it, that of the derivative Π_{i≤k} τ_i, which the leading weight turns into an error of the value.
pub(super) fn error_constant(tau: &Nodes, k: usize) -> f64 {
    let leading: f64 = tau[1..=k].iter().map(|t| 1.0 / t).sum();
    1.0 / (leading * tau[k + 1])
}

/// Π τ_i / (τ_i − τ_j) over i = 1..=last, i ≠ j.
fn product(tau: &Nodes, j: usize, last: usize) -> f64 {
    let mut p = 1.0;
    for i in (1..=last).filter(|i| *i != j) {
        p *= tau[i] / (tau[i] - tau[j]);
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNEVEN: Nodes = [0.0, 0.1, 0.25, 0.3, 0.5, 0.62, 0.7];
    const EVEN: Nodes = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

    #[test]
    fn textbook_coefficients_on_an_even_grid() {
        for (k, want) in [
            (1, &[1.0, -1.0][..]),
            (2, &[1.5, -2.0, 0.5]),
            (3, &[11.0 / 6.0, -3.0, 1.5, -1.0 / 3.0]),
            (5, &[137.0 / 60.0, -5.0, 5.0, -10.0 / 3.0, 1.25, -0.2]),
        ] {
            let w = derivative(&EVEN, k);
            for (a, b) in w.iter().zip(want) {
                assert!((a - b).abs() < 1e-14, "{k}: {w:?}");
            }
        }
        // backward Euler: ½ of the difference to the linear extrapolation
        assert_eq!(error_constant(&EVEN, 1), 0.5);
    }

    #[test]
    fn polynomials_are_exact_on_an_uneven_grid() {
        for k in 1..=MAX_ORDER {
            let y = |t: f64, n: i32| (1.0 - t).powi(n);
            for n in 0..=k as i32 {
                let sum = |w: &Nodes| -> f64 { (0..NODES).map(|j| w[j] * y(UNEVEN[j], n)).sum() };
                assert!((sum(&predictor(&UNEVEN, k)) - 1.0).abs() < 1e-10, "{k} {n}");
                let slope = sum(&derivative(&UNEVEN, k));
                assert!((slope - f64::from(n)).abs() < 1e-10, "{k} {n} {slope}");
            }
        }
    }

    /// The error constant on y = t^{k+1}: one step from exact values.
    #[test]
    fn error_constant_is_that_of_one_step() {
        for k in 1..=MAX_ORDER {
            let n = k as i32 + 1;
            let y = |t: f64| (1.0 - t).powi(n);
            let d = derivative(&UNEVEN, k);
            let known: f64 = (1..=k).map(|j| d[j] * y(UNEVEN[j])).sum();
            let new = (f64::from(n) - known) / d[0];
            let w = predictor(&UNEVEN, k);
            let old: f64 = (1..NODES).map(|j| w[j] * y(UNEVEN[j])).sum();
            let c = error_constant(&UNEVEN, k);
            let error = new - y(0.0);
            assert!((error.abs() - c * (y(0.0) - old).abs()).abs() < 1e-10, "{k}");
        }
    }
}
