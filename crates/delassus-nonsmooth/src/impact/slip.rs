//! Sliding at one point that is hit: in which direction, and with which friction.
//!
//! With s the speed and d the direction of sliding, per normal impulse
//!
//! ```text
//! (s d)' = W_TN − μ W_TT d
//! ```
//!
//! A direction in which that is parallel to d is a *ray*: along it d does not turn. From rest, where friction
//! cannot hold a point, it leaves along the only ray on which s grows.

/// Turning, relative to the largest possible, that counts as zero: rounding.
const TURNS: f64 = 1e-13;
/// Fraction of the larger principal value of W_TT below which the smaller one counts as zero: joints hold that
/// direction.
const HELD: f64 = 1e-12;
/// Bisections that exhaust the digits.
const BISECTIONS: usize = 60;

/// W of a point, and its coefficient of friction.
pub(super) struct Slip<'a> {
    pub w: &'a [[f64; 3]; 3],
    pub mu: f64,
}

/// How sliding continues.
pub(super) enum Way {
    /// Friction per normal impulse stays as it is until sliding stops or the phase ends.
    Straight([f64; 2]),
    Turns,
}

impl Slip<'_> {
    /// How sliding at this velocity continues; zero is rest.
    pub fn way(&self, x: f64, y: f64) -> Way {
        if self.mu == 0.0 {
            return Way::Straight([0.0; 2]);
        }
        let speed = x.hypot(y);
        if speed == 0.0 {
            return Way::Straight(self.at_rest());
        }
        let d = [x / speed, y / speed];
        let [_, turning] = self.rates(d);
        let w = self.w;
        let most = w[1][0].hypot(w[2][0]) + self.mu * (w[1][1] + w[2][2]);
        if turning.abs() <= TURNS * most {
            return Way::Straight(d.map(|d| -self.mu * d));
        }
        Way::Turns
    }

    /// Along d: change of s per normal impulse, and s times that of the angle.
    pub fn rates(&self, d: [f64; 2]) -> [f64; 2] {
        let a =
            [1, 2].map(|i| self.w[i][0] - self.mu * (self.w[i][1] * d[0] + self.w[i][2] * d[1]));
        [a[0] * d[0] + a[1] * d[1], a[1] * d[0] - a[0] * d[1]]
    }

    /// Friction per normal impulse at a point at rest: the smallest that keeps it there, or the one against which it
    /// slides along its ray.
    fn at_rest(&self) -> [f64; 2] {
        let w = self.w;
        // W_TT in its principal axes
        let (sin, cos) = (0.5 * (2.0 * w[1][2]).atan2(w[1][1] - w[2][2])).sin_cos();
        let axes = [[cos, sin], [-sin, cos]];
        let along = |v: [f64; 2], x: f64, y: f64| v[0] * x + v[1] * y;
        let drive = axes.map(|v| along(v, w[1][0], w[2][0]));
        let own = axes.map(|v| along(v, along(v, w[1][1], w[1][2]), along(v, w[2][1], w[2][2])));
        let back = |c: [f64; 2]| [0, 1].map(|k| -(c[0] * axes[0][k] + c[1] * axes[1][k]));
        // W_TT x = −W_TN, where joints leave it free to move
        let floor = HELD * own[0].max(own[1]);
        let holds = [0, 1].map(|k| if own[k] > floor { drive[k] / own[k] } else { 0.0 });
        if holds[0].hypot(holds[1]) <= self.mu {
            return back(holds);
        }
        // (μ W_TT + g) d = W_TN has one g > 0 with |d| = 1
        let direction = |g: f64| [0, 1].map(|k| drive[k] / (self.mu * own[k].max(0.0) + g));
        let (mut low, mut high) = (0.0, drive[0].hypot(drive[1]));
        for _ in 0..BISECTIONS {
            let g = 0.5 * (low + high);
            let d = direction(g);
            if d[0].hypot(d[1]) > 1.0 { low = g } else { high = g }
        }
        let d = direction(high);
        let size = d[0].hypot(d[1]) / self.mu;
        back(d.map(|d| d / size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Friction at rest holds, or it acts along a ray on which the point gets faster.
    #[test]
    fn what_leaves_rest_does_not_turn() {
        let w = [[1.0, 0.5, 0.2], [0.5, 1.4, 0.3], [0.2, 0.3, 0.6]];
        let weak = Slip { w: &w, mu: 0.2 };
        let f = weak.at_rest();
        assert!((f[0].hypot(f[1]) - 0.2).abs() < 1e-15);
        let [faster, turning] = weak.rates([-f[0] / 0.2, -f[1] / 0.2]);
        assert!(faster > 0.1 && turning.abs() < 1e-15, "{faster} {turning}");
        let strong = Slip { w: &w, mu: 0.5 };
        let f = strong.at_rest();
        for i in 1..3 {
            assert!((w[i][0] + w[i][1] * f[0] + w[i][2] * f[1]).abs() < 1e-15);
        }
    }

    /// A direction that joints hold takes no friction, the other one does.
    #[test]
    fn a_held_direction() {
        let w = [[1.0, 0.3, 0.0], [0.3, 1.0, 0.0], [0.0; 3]];
        assert_eq!(Slip { w: &w, mu: 0.5 }.at_rest(), [-0.3, 0.0]);
        assert_eq!(Slip { w: &w, mu: 0.2 }.at_rest(), [-0.2, 0.0]);
    }
}
