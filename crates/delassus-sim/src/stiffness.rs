//! Detects an explicit method whose step is limited by stability instead of accuracy.

use delassus_dae::integrator::AT_BORDER;
use delassus_math::remember;

/// Number of signs in a row that confirm the suspicion, and of contrary signs that clear it (the counts of Hairer's
/// DOPRI5).
const SUSPICIOUS: u32 = 15;
const HEALTHY: u32 = 6;

/// Counts the signs over accepted steps.
#[derive(Debug, Clone, Copy, Default)]
pub struct StiffnessMonitor {
    stiff: u32,
    healthy: u32,
    since: Option<f64>,
    in_a_row: u32,
}
remember!(StiffnessMonitor { stiff, healthy, since, in_a_row });

impl StiffnessMonitor {
    /// Records an accepted step that ended at t; `ratio` is the method's distance to the border of its stability region
    /// (1: at the border).
    pub fn observe(&mut self, t: f64, ratio: Option<f64>) {
        let Some(ratio) = ratio else { return };
        self.in_a_row = if ratio >= 1.0 { self.in_a_row + 1 } else { 0 };
        if ratio >= AT_BORDER {
            self.healthy = 0;
            self.stiff += 1;
            if self.stiff >= SUSPICIOUS && self.since.is_none() {
                self.since = Some(t);
            }
        } else {
            self.healthy += 1;
            if self.healthy >= HEALTHY {
                self.stiff = 0;
            }
        }
    }

    /// At least the last `steps` steps were beyond the border of stability.
    pub fn beyond(&self, steps: u32) -> bool {
        self.in_a_row >= steps
    }

    /// Time at which the system was first found stiff.
    pub fn since(&self) -> Option<f64> {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_signs_are_not_enough_and_health_clears_them() {
        let mut m = StiffnessMonitor::default();
        for k in 0..100 {
            m.observe(f64::from(k), Some(if k % 7 == 0 { 1.2 } else { 0.3 }));
        }
        assert_eq!(m.since(), None);
        for k in 100..120 {
            m.observe(f64::from(k), Some(1.2));
        }
        assert!(m.since().is_some_and(|t| t > 110.0));
        assert!(m.beyond(20));
        assert!(!m.beyond(21));
        m.observe(120.0, Some(0.9));
        assert!(!m.beyond(1));
    }
}
