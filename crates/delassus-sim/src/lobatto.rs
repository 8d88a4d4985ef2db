//! Energy exchanged within a step: the power at the four points of Lobatto's rule, integrated over the step (of order
//! 6). Where samples lie inside it, also at the three points of Kronrod's extension, integrated up to any part of it:
//! the error there is of order 8 in the step.

/// Points inside the unit step; its ends are the others.
pub(crate) const INSIDE: [f64; 2] = [0.276_393_202_250_021, 0.723_606_797_749_979];
/// More points, which Kronrod adds.
pub(crate) const MORE: [f64; 3] = [0.091_751_709_536_136_98, 0.5, 0.908_248_290_463_863];

/// ∫₀¹ by Lobatto's rule of the values at 0, [`INSIDE`] and 1.
pub(crate) fn whole(values: [f64; 4]) -> f64 {
    (values[0] + values[3]) / 12.0 + (values[1] + values[2]) * 5.0 / 12.0
}

/// ∫₀ˢ of the polynomial with these values at 0, [`INSIDE`], 1 and [`MORE`].
pub(crate) fn part(s: f64, values: [f64; 7]) -> f64 {
    // from the middle, where powers cancel least
    let nodes = [0.0, INSIDE[0], INSIDE[1], 1.0, MORE[0], MORE[1], MORE[2]].map(|x| x - 0.5);
    let mut sum = 0.0;
    for (i, (x, value)) in nodes.iter().zip(values).enumerate() {
        // the product of x − a over all other nodes a, by powers
        let mut c = [0.0; 7];
        c[0] = 1.0;
        let mut scale = 1.0;
        for (_, a) in nodes.iter().enumerate().filter(|(j, _)| *j != i) {
            for k in (1..7).rev() {
                c[k] = c[k - 1] - a * c[k];
            }
            c[0] *= -a;
            scale *= x - a;
        }
        let up_to = |y: f64| (0..7).rev().fold(0.0, |sum, k| y * (sum + c[k] / (k + 1) as f64));
        sum += value * (up_to(s - 0.5) - up_to(-0.5)) / scale;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_exact() {
        let f = |x: f64| 1.0 + 2.0 * x - 3.0 * x * x + 5.0 * x.powi(3) - 7.0 * x.powi(6);
        let area = |x: f64| x + x * x - x.powi(3) + 1.25 * x.powi(4) - x.powi(7);
        let [a, b] = INSIDE;
        let [c, d, e] = MORE;
        let values = [0.0, a, b, 1.0, c, d, e].map(f);
        for s in [0.0, 0.1, 0.3, 0.5, 0.9, 1.0 - 1e-12, 1.0] {
            assert!((part(s, values) - area(s)).abs() < 1e-14, "{s}");
        }
        let cubic = |x: f64| 1.0 + 2.0 * x - 3.0 * x * x + 5.0 * x.powi(3);
        assert!((whole([0.0, a, b, 1.0].map(cubic)) - 2.25).abs() < 1e-15);
    }
}
