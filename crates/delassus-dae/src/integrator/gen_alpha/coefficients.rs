//! Numbers of the family: α_m, α_f, β, γ and what follows from them.

/// Parameters of a member of the family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Coefficients {
    pub alpha_m: f64,
    pub alpha_f: f64,
    pub beta: f64,
    pub gamma: f64,
    /// The algorithmic acceleration approximates v̇ at t + δh, δ = α_m − α_f.
    pub delta: f64,
    /// Local position error is C_q h³ v̈.
    pub c_q: f64,
    /// Local velocity error is C_v h² v̈ + O(h³); zero for members of order 2.
    pub c_v: f64,
}

impl Coefficients {
    fn new(alpha_m: f64, alpha_f: f64, beta: f64, gamma: f64) -> Coefficients {
        let delta = alpha_m - alpha_f;
        let c_q = 1.0 / 6.0 - beta - 0.5 * delta;
        // the rounding error of γ = ½ − δ is not an error of the method
        let c_v = 0.5 - gamma - delta;
        let c_v = if c_v.abs() < 1e-12 { 0.0 } else { c_v };
        Coefficients { alpha_m, alpha_f, beta, gamma, delta, c_q, c_v }
    }

    /// Chung & Hulbert: the least damping of low frequencies for a spectral radius ρ at infinity.
    pub fn spectral(rho: f64) -> Coefficients {
        let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
        let alpha_f = rho / (rho + 1.0);
        let gamma = 0.5 + alpha_f - alpha_m;
        Coefficients::new(alpha_m, alpha_f, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma)
    }

    /// Hilber, Hughes & Taylor: α_m = 0, α_f = −α with −⅓ ≤ α ≤ 0; ρ at infinity is
    /// (1 + α)/(1 − α).
    pub fn hht(alpha: f64) -> Coefficients {
        Coefficients::new(0.0, -alpha, 0.25 * (1.0 - alpha) * (1.0 - alpha), 0.5 - alpha)
    }

    /// Newmark: a = v̇. Order 2 for γ = ½ only.
    pub fn newmark(beta: f64, gamma: f64) -> Coefficients {
        Coefficients::new(0.0, 0.0, beta, gamma)
    }

    /// ∂v̇₁/∂a₁.
    pub fn c_m(&self) -> f64 {
        (1.0 - self.alpha_m) / (1.0 - self.alpha_f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_of_the_spectral_family() {
        for rho in [0.0, 0.3, 0.6, 0.9, 1.0] {
            let c = Coefficients::spectral(rho);
            let s = (1.0 + rho) * (1.0 + rho);
            assert!((c.beta - 1.0 / s).abs() < 1e-15);
            assert!((c.delta - (rho - 1.0) / (rho + 1.0)).abs() < 1e-15);
            assert!((c.c_q + (1.0 - rho + rho * rho) / (3.0 * s)).abs() < 1e-15);
            assert_eq!(c.c_v, 0.0);
        }
    }

    #[test]
    fn members_meet_at_the_trapezoidal_rule() {
        let n = Coefficients::newmark(0.25, 0.5);
        assert_eq!(Coefficients::hht(0.0), Coefficients { alpha_f: n.alpha_f, ..n });
        assert!((n.c_q + 1.0 / 12.0).abs() < 1e-16 && n.c_v == 0.0);
        // order 1: γ ≠ ½
        assert!((Coefficients::newmark(0.36, 0.7).c_v + 0.2).abs() < 1e-15);
        let h = Coefficients::hht(-0.2);
        assert!((h.gamma - 0.7).abs() < 1e-15 && (h.beta - 0.36).abs() < 1e-15);
        assert_eq!(h.c_v, 0.0);
    }
}
