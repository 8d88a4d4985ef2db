//! The heavy top on ℝ³ × SO(3).

use super::{Point, System, Terms};
use delassus_dae::{Block, State};
use delassus_math::{Quat, Vec3, so3};

/// Heavy top on ℝ³ × SO(3) (Brüls & Cardona 2010): m = 15, J = diag(0.234375, 0.46875,
/// 0.234375) about the mass centre at X = (0, 1, 0) in the body, tip fixed at the origin,
/// gravity (0, 0, −9.81), R(0) = 1, Ω(0) = (0, 150, −4.61538). Rows: x − R X = 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeavyTop;

impl HeavyTop {
    const MASS: f64 = 15.0;
    const INERTIA: [f64; 3] = [0.234375, 0.46875, 0.234375];
    const ARM: Vec3 = Vec3::new(0.0, 1.0, 0.0);
}

impl System for HeavyTop {
    fn blocks(&self) -> Vec<Block> {
        vec![Block::Vector(3), Block::So3]
    }
    fn rows(&self) -> usize {
        3
    }
    fn terms(&self, _t: f64, q: &[f64], v: &[f64], x: &mut Terms) {
        let r = Quat::from_slice(&q[3..]).matrix();
        let w = Vec3::new(v[3], v[4], v[5]);
        let momentum = w.component_mul(&Vec3::from(HeavyTop::INERTIA));
        let torque = -w.cross(&momentum);
        let arm = r * HeavyTop::ARM;
        let lever = r * so3::hat(&HeavyTop::ARM);
        let rate = lever * w;
        let bias = -(r * w.cross(&w.cross(&HeavyTop::ARM)));
        x.force[2] = -9.81 * HeavyTop::MASS;
        for i in 0..3 {
            x.mass[7 * i] = HeavyTop::MASS;
            x.mass[7 * (i + 3)] = HeavyTop::INERTIA[i];
            x.force[3 + i] = torque[i];
            x.g[i] = q[i] - arm[i];
            x.jac[7 * i] = 1.0;
            for j in 0..3 {
                x.jac[6 * i + 3 + j] = lever[(i, j)];
            }
            x.rate[i] = v[i] + rate[i];
            x.gamma[i] = bias[i];
        }
    }
    fn tangent(&self, at: &Point, _a: &[f64], l: &[f64], ck: f64, cc: f64, k: &mut [f64]) {
        let r = Quat::from_slice(&at.q[3..]).matrix();
        let w = Vec3::new(at.v[3], at.v[4], at.v[5]);
        let j = Vec3::from(HeavyTop::INERTIA);
        let pull = r.transpose() * Vec3::new(l[0], l[1], l[2]);
        let stiff = so3::hat(&HeavyTop::ARM) * so3::hat(&pull);
        let mut gyro = -so3::hat(&w.component_mul(&j));
        let hat = so3::hat(&w);
        for i in 0..3 {
            for n in 0..3 {
                gyro[(i, n)] += hat[(i, n)] * j[n];
                k[(3 + i) * 6 + 3 + n] += ck * stiff[(i, n)] + cc * gyro[(i, n)];
            }
        }
    }
    fn start(&self) -> State {
        // ẋ = Ω × X = (4.61538, 0, 0)
        State {
            t: 0.0,
            q: vec![0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            v: vec![4.61538, 0.0, 0.0, 0.0, 150.0, -4.61538],
            z: vec![],
        }
    }
}
