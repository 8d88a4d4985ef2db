//! Functions of time, as formulas of a model file.

use super::view::{Dim, View};
use delassus::math::largest;

/// A function of time, zero or constant at the start.
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// y.
    Constant(f64),
    /// c tⁿ.
    Power(f64, i32),
    /// From 0 to y between two times, flat outside: `step`.
    Ramp { t0: f64, t1: f64, y: f64 },
    /// y between two pairs of ramps, 0 outside.
    Pulse { times: [f64; 4], y: f64 },
    /// a (1 − cos ω t).
    Sway { a: f64, omega: f64 },
}

impl Law {
    /// The value at a time after the start.
    pub fn at(&self, t: f64) -> f64 {
        match *self {
            Law::Constant(y) => y,
            Law::Power(c, n) => c * t.powi(n),
            Law::Ramp { t0, t1, y } => y * ramp((t - t0) / (t1 - t0)),
            Law::Pulse { times: [a, b, c, d], y } => {
                y * (ramp((t - a) / (b - a)) - ramp((t - c) / (d - c)))
            }
            Law::Sway { a, omega } => a * (1.0 - (omega * t).cos()),
        }
    }

    /// Its derivative at a time after the start.
    pub fn rate(&self, t: f64) -> f64 {
        match *self {
            Law::Constant(_) => 0.0,
            Law::Power(c, n) => c * f64::from(n) * t.powi(n - 1),
            Law::Ramp { t0, t1, y } => y * slope((t - t0) / (t1 - t0)) / (t1 - t0),
            Law::Pulse { times: [a, b, c, d], y } => {
                y * (slope((t - a) / (b - a)) / (b - a) - slope((t - c) / (d - c)) / (d - c))
            }
            Law::Sway { a, omega } => a * omega * (omega * t).sin(),
        }
    }

    /// The same law scaled by a factor; constants are not scaled, so that everything begins where it did.
    pub fn times(&self, factor: f64) -> Law {
        match *self {
            Law::Constant(y) => Law::Constant(y),
            Law::Power(c, n) => Law::Power(factor * c, n),
            Law::Ramp { t0, t1, y } => Law::Ramp { t0, t1, y: factor * y },
            Law::Pulse { times, y } => Law::Pulse { times, y: factor * y },
            Law::Sway { a, omega } => Law::Sway { a: factor * a, omega },
        }
    }

    /// The value at the start.
    pub fn start(&self) -> f64 {
        self.at(0.0)
    }

    /// Largest absolute value up to a time, roughly.
    pub fn size(&self, end: f64) -> f64 {
        largest((0..=50).map(|k| self.at(end * f64::from(k) / 50.0).abs()))
    }

    /// The formula as written in a view, with an offset.
    pub fn formula(&self, view: &View, dim: Dim, offset: f64) -> String {
        let y = |v: f64| view.number(v, dim);
        let time = |t: f64| view.number(view.shift + t, Dim::TIME);
        let clock = match view.shift {
            0.0 => "t".to_owned(),
            s => format!("(t - {})", view.number(s, Dim::TIME)),
        };
        let body = match *self {
            Law::Constant(v) => y(v),
            Law::Power(c, n) => {
                format!("{}*{clock}^{n}", view.number(c, dim.times(Dim::TIME.power(-n))))
            }
            Law::Ramp { t0, t1, y: v } => {
                format!("step(t, {}, 0, {}, {})", time(t0), time(t1), y(v))
            }
            Law::Pulse { times: [a, b, c, d], y: v } => format!(
                "step(t, {}, 0, {}, {2}) - step(t, {3}, 0, {4}, {2})",
                time(a),
                time(b),
                y(v),
                time(c),
                time(d)
            ),
            Law::Sway { a, omega } => {
                let rate = view.number(omega, Dim::TIME.power(-1));
                format!("{}*(1 - cos({rate}*{clock}))", y(a))
            }
        };
        if offset == 0.0 { body } else { format!("{} + {body}", y(offset)) }
    }
}

/// The cubic of `step`.
fn ramp(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// Its derivative.
fn slope(x: f64) -> f64 {
    if (0.0..1.0).contains(&x) { 6.0 * x * (1.0 - x) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_derivatives() {
        let laws = [
            Law::Constant(2.0),
            Law::Power(3.0, 3),
            Law::Ramp { t0: 0.2, t1: 0.6, y: 2.0 },
            Law::Pulse { times: [0.1, 0.2, 0.5, 0.8], y: -1.0 },
            Law::Sway { a: 0.5, omega: 4.0 },
        ];
        for law in laws {
            for t in [0.05, 0.15, 0.4, 0.7, 0.9] {
                let difference = (law.at(t + 1e-6) - law.at(t - 1e-6)) / 2e-6;
                assert!((law.rate(t) - difference).abs() < 1e-7, "{law:?} at {t}");
            }
        }
    }
}
