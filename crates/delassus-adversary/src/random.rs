//! Random numbers that are the same on every machine: splitmix64.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The stream of a seed, a name and a number; streams that differ in any of them are independent.
    pub fn of(seed: u64, name: &str, index: u64) -> Random {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let mut mixed = Random::new(hash ^ seed.rotate_left(32));
        let state = mixed.word() ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Random { state }
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.word() % (high - low + 1) as u64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// −1 or 1.
    pub fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// One of the items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.whole(0, items.len() - 1)].clone()
    }

    /// A number as people write it: mostly a round one between `low` and `high`, now and then one with many digits.
    pub fn round(&mut self, low: f64, high: f64) -> f64 {
        let x = self.between(low, high);
        if self.chance(0.3) {
            return x;
        }
        let unit = 10f64.powf((high - low).log10().floor() - 1.0);
        let rounded = (x / unit).round() * unit;
        // through its text, so that 0.3 is 0.3 and not 0.30000000000000004
        let digits = (-unit.log10().floor()).max(0.0) as usize;
        format!("{rounded:.digits$}").parse().unwrap_or(x)
    }

    /// A unit vector in space.
    pub fn direction(&mut self) -> [f64; 3] {
        if self.chance(0.5) {
            let mut axis = [0.0; 3];
            axis[self.whole(0, 2)] = 1.0;
            return axis;
        }
        loop {
            let v = [self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0)];
            let n = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
            if n > 0.2 && n < 1.0 {
                return v.map(|x| x / n);
            }
        }
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.whole(0, i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let draw = |mut r: Random| (0..4).map(|_| r.word()).collect::<Vec<_>>();
        assert_eq!(draw(Random::of(1, "a", 0)), draw(Random::of(1, "a", 0)));
        assert_ne!(draw(Random::of(1, "a", 0)), draw(Random::of(1, "a", 1)));
        assert_ne!(draw(Random::of(1, "a", 0)), draw(Random::of(2, "a", 0)));
        assert_ne!(draw(Random::of(1, "a", 0)), draw(Random::of(1, "b", 0)));
    }

    #[test]
    fn round_numbers_have_few_digits() {
        let mut r = Random::new(3);
        let short = (0..100).filter(|_| r.round(0.1, 1.0).to_string().len() <= 4).count();
        assert!(short > 50);
    }
}
