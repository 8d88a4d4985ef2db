//! The instants at which steps are due.
//!
//! Owns the arithmetic from a rate to deadlines. Deadlines are counted from one origin and never from each other, so
//! that rounding does not add up: after 1e10 periods they are right to 2 ns.

/// Slowest and fastest rate, 1/s: one step in 1000 s, one in a microsecond.
pub const RATES: [f64; 2] = [1e-3, 1e6];

/// Fractional bits of a period.
const FRACTION: u32 = 32;

/// Equidistant instants on a clock that counts nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    start: u64,
    /// Period in units of 2⁻³² ns.
    period: u128,
}

impl Grid {
    /// Instants of a rate in 1/s; `None` outside [`RATES`].
    pub fn new(rate: f64) -> Option<Grid> {
        let known = (RATES[0]..=RATES[1]).contains(&rate);
        // whole nanoseconds and the rest on their own: one number would not have the digits
        let whole = (1e9 / rate).floor();
        let rest = (-whole).mul_add(rate, 1e9) / rate * 2f64.powi(FRACTION as i32);
        let period = ((whole as u128) << FRACTION) + rest.round() as u128;
        known.then_some(Grid { start: 0, period })
    }

    /// The same with its first instant at a time, ns.
    pub fn from(self, start: u64) -> Grid {
        Grid { start, ..self }
    }

    /// Instant number `slot`, ns.
    pub fn due(&self, slot: u64) -> u64 {
        self.start.saturating_add(((u128::from(slot) * self.period) >> FRACTION) as u64)
    }

    /// Number of the last instant that is not after a time.
    pub fn slot_at(&self, t: u64) -> u64 {
        let since = u128::from(t.saturating_sub(self.start));
        let mut slot = ((since << FRACTION) / self.period) as u64;
        // instants are rounded down to whole nanoseconds
        while self.due(slot + 1) <= t {
            slot += 1;
        }
        slot
    }

    /// Moves all instants, ns.
    pub fn shift(&mut self, by: u64) {
        self.start = self.start.saturating_add(by);
    }

    /// Period, s.
    pub fn period(&self) -> f64 {
        self.period as f64 / 2f64.powi(FRACTION as i32) * 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_do_not_drift() {
        let grid = Grid::new(3.0).unwrap().from(17);
        let exact = 17 + 10_u64.pow(10) / 3 * 10_u64.pow(9) + 333_333_333;
        assert!(grid.due(10_u64.pow(10)).abs_diff(exact) <= 2);
        assert_eq!(Grid::new(1000.0).unwrap().due(86_400_000), 86_400_000_000_000);
    }

    #[test]
    fn a_time_belongs_to_the_instant_before_it() {
        for rate in [1e-3, 3.0, 1000.0, 4711.0, 1e6] {
            let grid = Grid::new(rate).unwrap().from(1_000);
            for slot in [0, 1, 2, 3, 1_000_003] {
                assert_eq!(grid.slot_at(grid.due(slot)), slot, "{rate}");
                assert_eq!(grid.slot_at(grid.due(slot + 1) - 1), slot, "{rate}");
            }
        }
    }

    #[test]
    fn rates_without_a_period_are_refused() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-4, 2e6] {
            assert_eq!(Grid::new(rate), None, "{rate}");
        }
    }
}
