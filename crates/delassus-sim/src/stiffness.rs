//! Detects an explicit method whose step is limited by stability instead of accuracy.

use delassus_dae::integrator::AT_BORDER;
use delassus_math::remember;

/// Number of signs in a row that confirm the suspicion, and of contrary signs that clear it (the counts of Hairer's
/// DOPRI5).
const SUSPICIOUS: u32 = 15;
const HEALTHY: u32 = 6;

/// Steps before the first look at the fastest vibration, which is repeated whenever their number has doubled; after a look that
/// shows it at the border, steps until the next one, and looks that confirm it: an impact or a stop is over by then.
const FIRST_LOOK: u64 = 1024;
const LOOK_AGAIN: u64 = 8;
const LOOKS: u32 = 6;
/// Part of the border for vibrations from which they may limit the steps, and rejected attempts per step that show that they do: at
/// the border errors grow until one is rejected, again and again, while motion that is followed at such steps is smooth.
const LIMITED: f64 = 0.5;
const REJECTED: f64 = 1.0 / 300.0;

/// The fastest small motion next to a state.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fastest {
    /// Its rate, 1/s.
    pub rate: f64,
    /// The velocity that takes part most.
    pub dof: usize,
}
remember!(Fastest { rate, dof });

/// Counts the signs over accepted steps.
#[derive(Debug, Clone, Copy, Default)]
pub struct StiffnessMonitor {
    stiff: u32,
    healthy: u32,
    since: Option<f64>,
    in_a_row: u32,
    /// Steps so far, and at the next look.
    steps: u64,
    next: u64,
    /// Steps and rejected attempts when the number of steps had doubled last.
    since_steps: u64,
    since_rejected: u64,
    /// Looks in a row that found the fastest motion at the border, the time of the first, and what it was.
    looks: u32,
    first: f64,
    limited: Option<Fastest>,
}
remember!(StiffnessMonitor {
    stiff,
    healthy,
    since,
    in_a_row,
    steps,
    next,
    since_steps,
    since_rejected,
    looks,
    first,
    limited
});

/// What a look at the fastest vibration is compared with.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// End and length of the last step, s.
    pub t: f64,
    pub h: f64,
    /// h ω of vibrations at the border.
    pub swing: f64,
    /// Attempts whose error was too large, so far.
    pub rejected: u64,
}

impl StiffnessMonitor {
    /// At a start before which so many attempts were rejected.
    pub fn new(rejected: u64) -> StiffnessMonitor {
        StiffnessMonitor { since_rejected: rejected, ..StiffnessMonitor::default() }
    }

    /// Records an accepted step that ended at t; `ratio` is the method's distance to the border of its stability region
    /// (1: at the border).
    pub fn observe(&mut self, t: f64, ratio: Option<f64>) {
        self.steps += 1;
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

    /// Whether it is time to look for the fastest vibration.
    pub fn wants_look(&self) -> bool {
        self.steps >= self.next.max(FIRST_LOOK)
    }

    /// Records what such a look found.
    pub fn looked(&mut self, look: Look, found: Option<Fastest>) {
        let Look { t, h, swing, rejected } = look;
        let steps = (self.steps - self.since_steps) as f64;
        let grows = (rejected - self.since_rejected) as f64 >= REJECTED * steps;
        let held = |f: &Fastest| grows && h * f.rate >= LIMITED * swing;
        let at_border = found.filter(|f| held(f) || self.stiff >= SUSPICIOUS);
        self.looks = if at_border.is_some() { self.looks + 1 } else { 0 };
        if self.looks == 1 {
            self.first = t;
        }
        self.limited = at_border.filter(|_| self.looks >= LOOKS);
        if self.limited.is_some() {
            self.since = self.since.or(Some(self.first));
        }
        if at_border.is_some() && self.limited.is_none() {
            self.next = self.steps + LOOK_AGAIN;
        } else {
            self.next = 2 * self.steps;
            (self.since_steps, self.since_rejected) = (self.steps, rejected);
        }
    }

    /// The fastest motion, if it limits the steps at present.
    pub fn limited_by(&self) -> Option<Fastest> {
        self.limited
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

    #[test]
    fn a_fast_vibration_counts_if_it_stays_at_the_border() {
        let mut m = StiffnessMonitor::default();
        let fast = Fastest { rate: 1e4, dof: 3 };
        let mut looks = Vec::new();
        for k in 0..20_000_u64 {
            m.observe(k as f64, None);
            if m.wants_look() {
                looks.push(k);
                // a stop for a while, a vibration that is followed, and one that is not
                let h = if (1000..1050).contains(&k) || k > 6000 { 0.8e-4 } else { 0.2e-4 };
                m.looked(Look { t: k as f64, h, swing: 1.0, rejected: k / 100 }, Some(fast));
            }
            assert_eq!(m.since().is_some(), m.limited_by().is_some());
        }
        assert!(looks.len() < 30, "{looks:?}");
        assert_eq!(m.limited_by(), Some(fast));
        assert!(m.since().is_some_and(|t| t > 6000.0), "{:?}", m.since());
        m.looked(Look { t: 2e4, h: 1e-6, swing: 1.0, rejected: 200 }, Some(fast));
        assert_eq!(m.limited_by(), None);
        assert!(m.since().is_some());
        // steps that are as long, but never too long
        let mut smooth = StiffnessMonitor::new(7);
        for k in 0..5000_u64 {
            smooth.observe(k as f64, None);
            if smooth.wants_look() {
                let look = Look { t: k as f64, h: 0.8e-4, swing: 1.0, rejected: 9 };
                smooth.looked(look, Some(fast));
            }
        }
        assert_eq!(smooth.since(), None);
    }
}
