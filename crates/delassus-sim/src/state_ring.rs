//! The last accepted states of a run, to examine what went wrong.

use crate::error::SetupError;
use delassus_dae::State;
use delassus_math::remember;

/// Keeps the last states in memory that is allocated once, before the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateRing {
    /// Rows of t, h, q, v, z, one per state; the oldest is overwritten.
    data: Vec<f64>,
    width: usize,
    capacity: usize,
    pushed: usize,
}
remember!(StateRing { data, pushed } apart from { width, capacity });

impl StateRing {
    /// Room for `capacity` states like `start`, which is the first of them; none with 0. `limit`
    /// bounds its memory, bytes.
    pub fn new(capacity: usize, start: &State, limit: u64) -> Result<StateRing, SetupError> {
        if capacity == 0 {
            return Ok(StateRing::default());
        }
        let width = 2 + start.q.len() + start.v.len() + start.z.len();
        let bytes = (capacity as u64).saturating_mul(8 * width as u64);
        let too_large = || SetupError::TooLarge {
            samples: capacity as f64,
            columns: width,
            bytes: bytes as f64,
            limit: limit as f64,
        };
        let mut data = Vec::new();
        if bytes > limit || data.try_reserve_exact(capacity.saturating_mul(width)).is_err() {
            return Err(too_large());
        }
        data.resize(capacity * width, 0.0);
        let mut ring = StateRing { data, width, capacity, pushed: 0 };
        ring.push(start, 0.0);
        Ok(ring)
    }

    /// Records a state to which a step of size `h` led. Does not allocate.
    pub fn push(&mut self, s: &State, h: f64) {
        if self.capacity == 0 {
            return;
        }
        let slot = self.pushed % self.capacity;
        let row = &mut self.data[slot * self.width..(slot + 1) * self.width];
        row[0] = s.t;
        row[1] = h;
        let (q, rest) = row[2..].split_at_mut(s.q.len());
        let (v, z) = rest.split_at_mut(s.v.len());
        q.copy_from_slice(&s.q);
        v.copy_from_slice(&s.v);
        z.copy_from_slice(&s.z);
        self.pushed += 1;
    }

    /// The states, oldest first: t, the step that led there (0 for the start), q, v, z.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        let kept = self.pushed.min(self.capacity);
        let slots = (self.pushed - kept..self.pushed).map(|n| n % self.capacity);
        slots.map(|slot| &self.data[slot * self.width..(slot + 1) * self.width])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn state(t: f64) -> State {
        State { t, q: vec![t + 0.1, t + 0.2], v: vec![t + 0.3], z: vec![t + 0.4] }
    }

    #[test]
    fn the_last_ones_in_order() {
        let mut ring = StateRing::new(3, &state(0.0), u64::MAX).unwrap();
        assert_eq!(ring.rows().collect::<Vec<_>>(), [[0.0, 0.0, 0.1, 0.2, 0.3, 0.4]]);
        let before = ring.data.as_ptr();
        for k in 1..=7 {
            ring.push(&state(f64::from(k)), 1.0);
        }
        let times: Vec<f64> = ring.rows().map(|r| r[0]).collect();
        assert_eq!(times, [5.0, 6.0, 7.0]);
        assert_eq!(ring.rows().last().unwrap(), [7.0, 1.0, 7.1, 7.2, 7.3, 7.4]);
        assert_eq!(ring.data.as_ptr(), before);
    }

    #[test]
    fn none_and_too_many() {
        let mut none = StateRing::new(0, &state(0.0), 0).unwrap();
        none.push(&state(1.0), 1.0);
        assert_eq!(none.rows().count(), 0);
        let e = StateRing::new(10, &state(0.0), 479).unwrap_err();
        assert_eq!(e.code(), "E_LIMIT");
        assert!(StateRing::new(10, &state(0.0), 480).is_ok());
        assert!(StateRing::new(usize::MAX, &state(0.0), u64::MAX).is_err());
    }
}
