//! Order and size of the next step.

use super::weights::error_constant;
use super::{ADD_UP, Bdf};
use crate::control::ErrorScale;
use crate::integrator::radau5;

/// Safety on the step that an error estimate allows.
const SAFETY: f64 = 1.0 / 1.2;
/// Largest growth of the step, and the change below which it is kept.
const GROW: f64 = 2.0;
const KEEP_BELOW: f64 = 1.25;

impl Bdf {
    /// Size of the error of the prediction of order k, about hᵏ⁺¹y⁽ᵏ⁺¹⁾.
    fn term(&mut self, k: usize, scale: &ErrorScale) -> f64 {
        self.local_error(k);
        let size = scale.rms(&self.err_xi, &self.err_v, &self.err_z);
        size / (ADD_UP * error_constant(&self.tau, k))
    }

    /// Factor of the step that order k would allow next.
    fn factor(&mut self, k: usize, scale: &ErrorScale) -> f64 {
        let err = ADD_UP * error_constant(&self.tau, k) * self.term(k, scale);
        SAFETY / err.max(1e-10).powf(1.0 / (k + 1) as f64)
    }

    /// Order for the next step, from how the terms hᵏ⁺¹y⁽ᵏ⁺¹⁾ decrease with k (Shampine & Gordon).
    ///
    /// Terms that do not decrease belong to a motion that the step does not resolve; for these the high orders are
    /// inaccurate, and unstable if it is an oscillation. The low orders damp it.
    fn best_order(&mut self, scale: &ErrorScale) -> usize {
        let k = self.k;
        let here = self.term(k, scale);
        let below = if k > 1 { self.term(k - 1, scale) } else { f64::INFINITY };
        let lower = match k {
            1 => false,
            2 => below <= 0.5 * here,
            _ => below.max(self.term(k - 2, scale)) <= here,
        };
        if lower {
            return k - 1;
        }
        if self.held < k || k == self.max_order || self.reach < k + 2 {
            return k;
        }
        let above = self.term(k + 1, scale);
        if k == 1 {
            return if above < 0.5 * here { 2 } else { 1 };
        }
        if below <= here.min(above) {
            k - 1
        } else if above >= here {
            k
        } else {
            k + 1
        }
    }

    /// Chooses the order of the next step, and returns the factor by which the step may change.
    pub(super) fn choose(&mut self, scale: &ErrorScale) -> f64 {
        let len = if self.new_history { 0 } else { self.len };
        if self.by_starter {
            if len + 1 < self.max_order || len == 0 {
                // the history should be evenly spaced; the controller may shorten the step
                let err = scale.rms(&self.err_xi, &self.err_v, &self.err_z).max(1e-10);
                let order = f64::from(radau5::INFO.error_order);
                return (0.9 / err.powf(1.0 / order)).min(1.0);
            }
            // complete: the order that this history can judge and that allows the largest step
            let most = (self.reach - 1).min(self.max_order);
            let (mut best, mut order) = (0.0, 1);
            for k in 1..=most {
                let f = self.factor(k, scale);
                if f > best {
                    (best, order) = (f, k);
                }
            }
            self.next_order = Some(order);
            self.held = 0;
            return best.min(GROW);
        }
        let k = self.k;
        let order = self.best_order(scale);
        let factor = self.factor(order, scale);
        self.next_order = Some(order);
        if order != k {
            self.held = 0;
        }
        if self.held >= k && factor >= KEEP_BELOW {
            self.held = 0;
            return factor.min(GROW);
        }
        if factor < 0.9 { factor } else { 1.0 }
    }
}
