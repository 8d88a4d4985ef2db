//! Planar mechanisms in angles.

use super::{Point, System, Terms, consistent};
use delassus_dae::{Block, State};

/// A planar vector fixed in something that turns with the angle n·q.
#[derive(Debug, Clone, Copy)]
pub struct Arm<const N: usize> {
    pub turn: [f64; N],
    pub x: f64,
    pub y: f64,
}

/// Arm (x, y) that turns with the sum of the listed angles.
pub fn arm<const N: usize>(angles: &[usize], x: f64, y: f64) -> Arm<N> {
    Arm { turn: sum_of(angles), x, y }
}

fn sum_of<const N: usize>(angles: &[usize]) -> [f64; N] {
    let mut turn = [0.0; N];
    for k in angles {
        turn[*k] = 1.0;
    }
    turn
}

fn dot<const N: usize>(n: &[f64; N], q: &[f64]) -> f64 {
    n.iter().zip(q).map(|(n, q)| n * q).sum()
}

/// A point of a linkage: p(q) = p₀ + Σ R(n·q) arm.
#[derive(Debug, Clone)]
pub struct Joint<const N: usize> {
    pub base: [f64; 2],
    pub arms: Vec<Arm<N>>,
}

/// Point from a fixed part and arms.
pub fn joint<const N: usize>(base: [f64; 2], arms: &[Arm<N>]) -> Joint<N> {
    Joint { base, arms: arms.to_vec() }
}

/// A [`Joint`] at (q, v): position, Jacobian and p̈ − J a.
struct JointAt<const N: usize> {
    p: [f64; 2],
    jac: [[f64; N]; 2],
    bias: [f64; 2],
}

impl<const N: usize> Joint<N> {
    fn at(&self, q: &[f64], v: &[f64]) -> JointAt<N> {
        let mut o = JointAt { p: self.base, jac: [[0.0; N]; 2], bias: [0.0; 2] };
        for arm in &self.arms {
            let (e, d) = arm.turned(q);
            let s = dot(&arm.turn, v);
            for i in 0..2 {
                o.p[i] += e[i];
                o.bias[i] -= e[i] * s * s;
                for j in 0..N {
                    o.jac[i][j] += d[i] * arm.turn[j];
                }
            }
        }
        o
    }

    /// k += c ∂(Jᵀ w)/∂q for constant w.
    fn geometric(&self, q: &[f64], w: [f64; 2], c: f64, k: &mut [f64]) {
        for arm in &self.arms {
            let (e, _) = arm.turned(q);
            let s = -c * (w[0] * e[0] + w[1] * e[1]);
            for i in 0..N {
                for j in 0..N {
                    k[i * N + j] += s * arm.turn[i] * arm.turn[j];
                }
            }
        }
    }
}

impl<const N: usize> Arm<N> {
    /// The arm in the plane, and its derivative by the angle.
    fn turned(&self, q: &[f64]) -> ([f64; 2], [f64; 2]) {
        let (s, c) = dot(&self.turn, q).sin_cos();
        let e = [c * self.x - s * self.y, s * self.x + c * self.y];
        (e, [-e[1], e[0]])
    }
}

/// A rigid body of a linkage.
#[derive(Debug, Clone)]
pub struct Body<const N: usize> {
    pub mass: f64,
    pub inertia: f64,
    pub turn: [f64; N],
    pub centre: Joint<N>,
}

/// Body that turns with the sum of the listed angles.
pub fn body<const N: usize>(
    mass: f64,
    inertia: f64,
    angles: &[usize],
    centre: Joint<N>,
) -> Body<N> {
    Body { mass, inertia, turn: sum_of(angles), centre }
}

/// Planar mechanism in N angles: M and f by body Jacobians, loops closed by n·p(q) = 0.
#[derive(Debug, Clone)]
pub struct Linkage<const N: usize> {
    pub bodies: Vec<Body<N>>,
    /// Closing point and direction of each row.
    pub rows: Vec<(Joint<N>, [f64; 2])>,
    pub gravity: f64,
    /// Constant generalised forces.
    pub drive: [f64; N],
    /// Moving end, fixed end, stiffness, free length.
    pub spring: Option<(Joint<N>, [f64; 2], f64, f64)>,
    pub q: [f64; N],
    pub v: [f64; N],
}

impl<const N: usize> System for Linkage<N> {
    fn blocks(&self) -> Vec<Block> {
        vec![Block::Vector(N)]
    }
    fn rows(&self) -> usize {
        self.rows.len()
    }
    fn terms(&self, _t: f64, q: &[f64], v: &[f64], x: &mut Terms) {
        x.force.copy_from_slice(&self.drive);
        for b in &self.bodies {
            let c = b.centre.at(q, v);
            let pull = [-b.mass * c.bias[0], -b.mass * (c.bias[1] + self.gravity)];
            for i in 0..N {
                x.force[i] += c.jac[0][i] * pull[0] + c.jac[1][i] * pull[1];
                for j in 0..N {
                    let jj = c.jac[0][i] * c.jac[0][j] + c.jac[1][i] * c.jac[1][j];
                    x.mass[i * N + j] += b.mass * jj + b.inertia * b.turn[i] * b.turn[j];
                }
            }
        }
        if let Some((end, fixed, stiffness, free)) = &self.spring {
            let c = end.at(q, v);
            let (pull, _) = spring(c.p, *fixed, *stiffness, *free);
            for i in 0..N {
                x.force[i] -= c.jac[0][i] * pull[0] + c.jac[1][i] * pull[1];
            }
        }
        for (k, (end, n)) in self.rows.iter().enumerate() {
            let c = end.at(q, v);
            x.g[k] = n[0] * c.p[0] + n[1] * c.p[1];
            x.gamma[k] = n[0] * c.bias[0] + n[1] * c.bias[1];
            for i in 0..N {
                let g = n[0] * c.jac[0][i] + n[1] * c.jac[1][i];
                x.jac[k * N + i] = g;
                x.rate[k] += g * v[i];
            }
        }
    }
    fn tangent(&self, at: &Point, a: &[f64], lambda: &[f64], ck: f64, cc: f64, k: &mut [f64]) {
        let (q, v) = (&at.q[..], &at.v[..]);
        for b in &self.bodies {
            let c = b.centre.at(q, v);
            let mut w = [0.0, self.gravity];
            for i in 0..2 {
                w[i] = b.mass * (w[i] + c.bias[i] + dot(&c.jac[i], a));
            }
            b.centre.geometric(q, w, ck, k);
            // Jᵀ ∂(J a + bias)
            for arm in &b.centre.arms {
                let (e, d) = arm.turned(q);
                let (sa, sv) = (dot(&arm.turn, a), dot(&arm.turn, v));
                for i in 0..N {
                    for m in 0..2 {
                        let u = -ck * (e[m] * sa + d[m] * sv * sv) - cc * 2.0 * e[m] * sv;
                        for j in 0..N {
                            k[i * N + j] += b.mass * c.jac[m][i] * u * arm.turn[j];
                        }
                    }
                }
            }
        }
        if let Some((end, fixed, stiffness, free)) = &self.spring {
            let c = end.at(q, v);
            let (pull, s) = spring(c.p, *fixed, *stiffness, *free);
            end.geometric(q, pull, ck, k);
            for i in 0..N {
                for j in 0..N {
                    for (m, n) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        k[i * N + j] += ck * c.jac[m][i] * s[m][n] * c.jac[n][j];
                    }
                }
            }
        }
        for ((end, n), l) in self.rows.iter().zip(lambda) {
            end.geometric(q, *n, -ck * l, k);
        }
    }
    fn start(&self) -> State {
        consistent(self.clone(), &self.q, &self.v)
    }
}

/// Pull of a spring towards `fixed` (to be subtracted) and its derivative by the moving end.
fn spring(p: [f64; 2], fixed: [f64; 2], stiffness: f64, free: f64) -> ([f64; 2], [[f64; 2]; 2]) {
    let d = [p[0] - fixed[0], p[1] - fixed[1]];
    let len = d[0].hypot(d[1]);
    let f = stiffness * (1.0 - free / len);
    let s = |i: usize, j: usize| {
        stiffness * free * d[i] * d[j] / len.powi(3) + if i == j { f } else { 0.0 }
    };
    ([f * d[0], f * d[1]], [[s(0, 0), s(0, 1)], [s(1, 0), s(1, 1)]])
}
