//! Sums of stages, for Runge–Kutta methods.

/// out = y + h Σ c_j k_j over the given weights; zero weights are skipped.
pub(super) fn combine(y: Option<&[f64]>, h: f64, c: &[f64], k: &[Vec<f64>], out: &mut [f64]) {
    match y {
        Some(y) => out.copy_from_slice(y),
        None => out.fill(0.0),
    }
    for (c, k) in c.iter().zip(k) {
        let hc = h * c;
        if hc != 0.0 {
            for (o, k) in out.iter_mut().zip(k) {
                *o += hc * k;
            }
        }
    }
}
