//! The car axis of the test set for IVP solvers.

use super::{Point, System, Terms};
use delassus_dae::{Block, State};

/// Car axis (test set for IVP solvers): left mass at (xl, yl), right mass at (xr, yr), M = 10,
/// ε = 0.01, springs of free length L₀ = 0.5 to the origin and to the road point
/// (√(L² − yb²), yb), yb = r sin ωt, r = 0.1, ω = 10, L = 1, gravity 1. Published scaling:
/// mass ε²M/2, springs of unit stiffness.
#[derive(Debug, Clone, Copy, Default)]
pub struct CarAxis;

impl CarAxis {
    const MASS: f64 = 1e-4 * 10.0 / 2.0;
    const FREE: f64 = 0.5;
    /// Published values at t = 3 s.
    pub const END_Q: [f64; 4] =
        [0.4934557842754028e-1, 0.4969894602301712, 1.041742524885422, 0.3739110272653613];
    /// Published values at t = 3 s.
    pub const END_V: [f64; 4] =
        [-0.7705836840409724e-1, 0.7446866587237786e-2, 0.1755681575372322e-1, 0.7703410437792520];
    /// Published values at t = 3 s.
    pub const END_LAMBDA: [f64; 2] = [-0.4736886590848933e-2, -0.1104680331257344e-2];

    /// Road point with its first and second derivative.
    fn road(t: f64) -> [[f64; 2]; 3] {
        let (r, w) = (0.1, 10.0);
        let (s, c) = f64::sin_cos(w * t);
        let (y, yd, ydd) = (r * s, r * w * c, -r * w * w * s);
        let x = (1.0 - y * y).sqrt();
        let xd = -y * yd / x;
        [[x, y], [xd, yd], [-(yd * yd + y * ydd + xd * xd) / x, ydd]]
    }
}

impl System for CarAxis {
    fn blocks(&self) -> Vec<Block> {
        vec![Block::Vector(4)]
    }
    fn rows(&self) -> usize {
        2
    }
    fn terms(&self, t: f64, q: &[f64], v: &[f64], x: &mut Terms) {
        let [b, bd, bdd] = CarAxis::road(t);
        for (k, foot) in [[0.0, 0.0], b].iter().enumerate() {
            let d = [q[2 * k] - foot[0], q[2 * k + 1] - foot[1]];
            let f = CarAxis::FREE / d[0].hypot(d[1]) - 1.0;
            x.force[2 * k] = f * d[0];
            x.force[2 * k + 1] = f * d[1] - CarAxis::MASS;
        }
        for i in 0..4 {
            x.mass[5 * i] = CarAxis::MASS;
        }
        let (dx, dy, ux, uy) = (q[0] - q[2], q[1] - q[3], v[0] - v[2], v[1] - v[3]);
        x.g[0] = q[0] * b[0] + q[1] * b[1];
        x.g[1] = dx * dx + dy * dy - 1.0;
        x.jac[..2].copy_from_slice(&b);
        x.jac[4..].copy_from_slice(&[2.0 * dx, 2.0 * dy, -2.0 * dx, -2.0 * dy]);
        x.rate[0] = v[0] * b[0] + v[1] * b[1] + q[0] * bd[0] + q[1] * bd[1];
        x.rate[1] = 2.0 * (dx * ux + dy * uy);
        x.gamma[0] = 2.0 * (v[0] * bd[0] + v[1] * bd[1]) + q[0] * bdd[0] + q[1] * bdd[1];
        x.gamma[1] = 2.0 * (ux * ux + uy * uy);
    }
    fn tangent(&self, at: &Point, _a: &[f64], l: &[f64], ck: f64, _cc: f64, k: &mut [f64]) {
        let [b, ..] = CarAxis::road(at.t);
        for (n, foot) in [[0.0, 0.0], b].iter().enumerate() {
            let d = [at.q[2 * n] - foot[0], at.q[2 * n + 1] - foot[1]];
            let len = d[0].hypot(d[1]);
            for i in 0..2 {
                for j in 0..2 {
                    k[(2 * n + i) * 4 + 2 * n + j] +=
                        ck * CarAxis::FREE * d[i] * d[j] / len.powi(3);
                }
                k[(2 * n + i) * 5] += ck * (1.0 - CarAxis::FREE / len);
            }
        }
        for i in 0..4 {
            k[5 * i] -= ck * 2.0 * l[1];
            k[4 * i + (i + 2) % 4] += ck * 2.0 * l[1];
        }
    }
    fn start(&self) -> State {
        State { t: 0.0, q: vec![0.0, 0.5, 1.0, 0.5], v: vec![-0.5, 0.0, -0.5, 0.0], z: vec![] }
    }
}
