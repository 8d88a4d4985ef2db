//! Energy exchanged within a step: the power at the four points of Lobatto's rule, integrated up to
//! any part of the step.
//!
//! The cubic through the four values is integrated exactly; at the end of the step that is Lobatto's
//! rule, of order 6, and in between the error is of order 5 in the step.

/// Points inside the unit step; its ends are the others.
pub(crate) const INSIDE: [f64; 2] = [0.276_393_202_250_021, 0.723_606_797_749_979];

/// ∫₀ˢ of the cubic with these values at 0, [`INSIDE`] and 1.
pub(crate) fn integral(s: f64, values: [f64; 4]) -> f64 {
    if s >= 1.0 {
        return (values[0] + values[3]) / 12.0 + (values[1] + values[2]) * 5.0 / 12.0;
    }
    let nodes = [0.0, INSIDE[0], INSIDE[1], 1.0];
    let mut sum = 0.0;
    for (i, value) in values.iter().enumerate() {
        // the three other nodes a, b, c: (x − a)(x − b)(x − c), integrated, over its value at node i
        let [a, b, c] = match i {
            0 => [nodes[1], nodes[2], nodes[3]],
            1 => [nodes[0], nodes[2], nodes[3]],
            2 => [nodes[0], nodes[1], nodes[3]],
            _ => [nodes[0], nodes[1], nodes[2]],
        };
        let x = nodes[i];
        let scale = (x - a) * (x - b) * (x - c);
        let area = s
            * (s * (s * (0.25 * s - (a + b + c) / 3.0) + 0.5 * (a * b + b * c + c * a))
                - a * b * c);
        sum += value * area / scale;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubics_are_exact() {
        let f = |x: f64| 1.0 + 2.0 * x - 3.0 * x * x + 5.0 * x.powi(3);
        let area = |x: f64| x + x * x - x.powi(3) + 1.25 * x.powi(4);
        let values = [f(0.0), f(INSIDE[0]), f(INSIDE[1]), f(1.0)];
        for s in [0.0, 0.1, 0.3, 0.5, 0.9, 1.0 - 1e-12, 1.0] {
            assert!((integral(s, values) - area(s)).abs() < 1e-14, "{s}");
        }
    }
}
