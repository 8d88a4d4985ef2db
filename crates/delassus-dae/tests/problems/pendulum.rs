//! A pendulum in Cartesian coordinates.

use super::{Point, System, Terms};
use delassus_dae::{Block, State};

/// Planar pendulum in Cartesian coordinates: 1 kg on a massless rod of 1 m.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pendulum;

impl System for Pendulum {
    fn blocks(&self) -> Vec<Block> {
        vec![Block::Vector(2)]
    }
    fn rows(&self) -> usize {
        1
    }
    fn terms(&self, _t: f64, q: &[f64], v: &[f64], x: &mut Terms) {
        x.mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        x.force[1] = -9.81;
        x.g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
        x.jac.copy_from_slice(q);
        x.rate[0] = q[0] * v[0] + q[1] * v[1];
        x.gamma[0] = v[0] * v[0] + v[1] * v[1];
    }
    fn tangent(&self, _: &Point, _a: &[f64], l: &[f64], ck: f64, _cc: f64, k: &mut [f64]) {
        k[0] -= ck * l[0];
        k[3] -= ck * l[0];
    }
    fn start(&self) -> State {
        State { t: 0.0, q: vec![1.0, 0.0], v: vec![0.0, -1.0], z: vec![] }
    }
}
