//! Academic systems written directly as a [`Problem`], without bodies, joints or files.
//!
//! [`System`] is all a small system has to say: one function with every term and one with the
//! tangents. [`Dense`] turns it into a [`Problem`] with dense patterns. Planar mechanisms in
//! angles are shorter still: see [`Linkage`].
//!
//! Sign convention: M a = f + Gᵀ λ.
#![allow(dead_code, clippy::excessive_precision, clippy::needless_range_loop)]

use delassus_dae::projection::Projector;
use delassus_dae::{
    Accel, Block, Derived, Dims, Integrator, Manifold, Problem, Quality, Scales, State,
    StepFailure, Structure,
};
use delassus_math::{Quat, Vec3, so3};

/// Every term of the equations at (t, q, v); all zero before [`System::terms`] fills them.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// M, nv × nv.
    pub mass: Vec<f64>,
    /// f.
    pub force: Vec<f64>,
    /// g.
    pub g: Vec<f64>,
    /// G, row by row.
    pub jac: Vec<f64>,
    /// G v + g_t.
    pub rate: Vec<f64>,
    /// γ.
    pub gamma: Vec<f64>,
}

impl Terms {
    fn clear(&mut self) {
        let Terms { mass, force, g, jac, rate, gamma } = self;
        for x in [mass, force, g, jac, rate, gamma] {
            x.fill(0.0);
        }
    }
}

/// A small system with holonomic constraints.
pub trait System: Send + Sync + 'static {
    /// The factors of the configuration manifold.
    fn blocks(&self) -> Vec<Block>;
    /// Number of constraint rows.
    fn rows(&self) -> usize;
    /// All terms at (t, q, v).
    fn terms(&self, t: f64, q: &[f64], v: &[f64], x: &mut Terms);
    /// k += ck K + cc C, nv × nv row by row.
    fn tangent(&self, at: &Point, a: &[f64], lambda: &[f64], ck: f64, cc: f64, k: &mut [f64]);
    /// Where the standard run starts, consistent.
    fn start(&self) -> State;
}

/// Where a system is evaluated.
#[derive(Debug, Clone, Default)]
pub struct Point {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
}

/// A [`System`] as a [`Problem`] with dense patterns.
pub struct Dense<S> {
    /// The system.
    pub system: S,
    /// Typical size of all coordinates.
    pub scale: f64,
    manifold: Manifold,
}

impl<S: System> Dense<S> {
    /// Wraps a system.
    pub fn new(system: S) -> Dense<S> {
        let manifold = Manifold::new(&system.blocks());
        Dense { system, scale: 1.0, manifold }
    }
}

impl<S: System> Problem for Dense<S> {
    type Ws = (Point, Terms);
    fn dims(&self) -> Dims {
        let n = self.system.rows();
        Dims { nq: self.manifold.nq(), nv: self.manifold.nv(), nz: 0, n_pos: n, n_vel: n }
    }
    fn manifold(&self) -> &Manifold {
        &self.manifold
    }
    fn structure(&self) -> Structure {
        Structure::dense(self.manifold.nv(), self.system.rows())
    }
    fn scales(&self) -> Scales {
        let Dims { nv, n_vel, .. } = self.dims();
        Scales { q: vec![self.scale; nv], row: vec![1.0; n_vel] }
    }
    fn workspace(&self) -> Self::Ws {
        let Dims { nq, nv, n_vel, .. } = self.dims();
        let n = |n| vec![0.0; n];
        let terms = Terms {
            mass: n(nv * nv),
            force: n(nv),
            g: n(n_vel),
            jac: n(n_vel * nv),
            rate: n(n_vel),
            gamma: n(n_vel),
        };
        (Point { t: 0.0, q: n(nq), v: n(nv) }, terms)
    }
    fn realize_position(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Self::Ws) {
        ws.0.t = t;
        ws.0.q.copy_from_slice(q);
        ws.0.v.fill(0.0);
        ws.1.clear();
        self.system.terms(t, q, &ws.0.v, &mut ws.1);
        assert!(z.is_empty());
    }
    fn realize_velocity(&self, v: &[f64], _z: &[f64], ws: &mut Self::Ws) {
        ws.0.v.copy_from_slice(v);
        ws.1.clear();
        self.system.terms(ws.0.t, &ws.0.q, v, &mut ws.1);
    }
    fn mass(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.mass);
    }
    fn residual_pos(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.g);
    }
    fn jacobian(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.jac);
    }
    fn residual_vel(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.rate);
    }
    fn bias(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.gamma);
    }
    fn force(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.force);
    }
    fn tangent(
        &self,
        ws: &Self::Ws,
        a: &[f64],
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality {
        self.system.tangent(&ws.0, a, lambda, ck, cc, values);
        Quality::Exact
    }
}

/// Removes what the rounding of printed start values leaves in the constraints.
pub fn consistent<S: System>(system: S, q: &[f64], v: &[f64]) -> State {
    let p = Dense::new(system);
    let mut ws = p.workspace();
    let mut acc = Accel::new(&p).unwrap();
    let mut proj = Projector::new(&p, 1e-8);
    let mut s = State { t: 0.0, q: q.to_vec(), v: v.to_vec(), z: vec![] };
    proj.position(&p, &mut ws, &mut acc, 0.0, &mut s.q, &[]).unwrap();
    proj.velocity(&p, &mut ws, &mut acc, &mut s.v, &[]).unwrap();
    s
}

/// Takes the given steps from `s`; `seen` gets the number of steps made, the state and what
/// follows from it, starting with (0, start).
pub fn march<P: Problem>(
    p: &P,
    m: &mut dyn Integrator<P>,
    s: &mut State,
    steps: impl IntoIterator<Item = f64>,
    mut seen: impl FnMut(usize, &State, &Derived),
) -> Result<(), StepFailure> {
    let mut ws = p.workspace();
    let mut to = s.clone();
    m.restart(p, &mut ws, s)?;
    seen(0, s, m.start());
    for (k, h) in steps.into_iter().enumerate() {
        m.attempt(p, &mut ws, s, h, &mut to)?;
        m.commit();
        std::mem::swap(s, &mut to);
        seen(k + 1, s, m.start());
    }
    Ok(())
}

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

/// A planar vector fixed in something that turns with the angle n·q.
#[derive(Debug, Clone, Copy)]
pub struct Arm<const N: usize> {
    turn: [f64; N],
    x: f64,
    y: f64,
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
    base: [f64; 2],
    arms: Vec<Arm<N>>,
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
    mass: f64,
    inertia: f64,
    turn: [f64; N],
    centre: Joint<N>,
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
    bodies: Vec<Body<N>>,
    /// Closing point and direction of each row.
    rows: Vec<(Joint<N>, [f64; 2])>,
    gravity: f64,
    /// Constant generalised forces.
    drive: [f64; N],
    /// Moving end, fixed end, stiffness, free length.
    spring: Option<(Joint<N>, [f64; 2], f64, f64)>,
    q: [f64; N],
    v: [f64; N],
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

const X: [f64; 2] = [1.0, 0.0];
const Y: [f64; 2] = [0.0, 1.0];

/// Four-bar (after Haddouni et al. 2017) in three angles: bars of 0.35, 1.2 and 0.9 m, ground
/// pivots 1 m apart, 2 kg per metre, gravity −y, φ₁ = 1 rad, φ₁' = 4 rad/s, upper assembly.
pub fn four_bar() -> Linkage<3> {
    let [l1, l2, l3, d] = [0.35, 1.2, 0.9, 1.0];
    let bar = |l: f64, angle, centre| body(2.0 * l, 2.0 * l * l * l / 12.0, &[angle], centre);
    let close = joint([-d, 0.0], &[arm(&[0], l1, 0.0), arm(&[1], l2, 0.0), arm(&[2], -l3, 0.0)]);
    Linkage {
        bodies: vec![
            bar(l1, 0, joint([0.0; 2], &[arm(&[0], l1 / 2.0, 0.0)])),
            bar(l2, 1, joint([0.0; 2], &[arm(&[0], l1, 0.0), arm(&[1], l2 / 2.0, 0.0)])),
            bar(l3, 2, joint([d, 0.0], &[arm(&[2], l3 / 2.0, 0.0)])),
        ],
        rows: vec![(close.clone(), X), (close, Y)],
        gravity: 9.81,
        drive: [0.0; 3],
        spring: None,
        q: [1.0, 0.49660893614229, 1.2960762861178],
        v: [4.0, -0.47476275396534, 1.0466022550247],
    }
}

/// Slider-crank (after Haddouni et al. 2017) in two angles: uniform rods of 1 m, 1 kg and 2 m,
/// 2 kg, slider of 1 kg on the x axis, gravity −y, α₁ = 0, α₁' = 5 rad/s.
pub fn slider_crank() -> Linkage<2> {
    let pin = joint([0.0; 2], &[arm(&[0], 1.0, 0.0), arm(&[1], 2.0, 0.0)]);
    Linkage {
        bodies: vec![
            body(1.0, 1.0 / 12.0, &[0], joint([0.0; 2], &[arm(&[0], 0.5, 0.0)])),
            body(
                2.0,
                8.0 / 12.0,
                &[1],
                joint([0.0; 2], &[arm(&[0], 1.0, 0.0), arm(&[1], 1.0, 0.0)]),
            ),
            body(1.0, 0.0, &[], pin.clone()),
        ],
        rows: vec![(pin, Y)],
        gravity: 9.81,
        drive: [0.0; 2],
        spring: None,
        q: [0.0, 0.0],
        v: [5.0, -2.5],
    }
}

/// Andrews' squeezing mechanism (Schiehlen 1990; Hairer & Wanner) in (β, θ, γ, φ, δ, Ω, ε):
/// seven bodies, three loops, a spring and a constant torque of 0.033 Nm on β, from rest.
pub fn andrews() -> Linkage<7> {
    let (pa, pb, pc) = ([-0.06934, -0.00227], [-0.03635, 0.03273], [0.014, 0.072]);
    let (d, da, e, ea) = (0.028, 0.0115, 0.02, 0.01421);
    let (rr, ra, ss, sa, sb, sc, sd) = (0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02);
    let (ta, tb, u, ua, ub, zf, zt, fa) =
        (0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421);
    // β, β+θ, γ, φ+δ, δ, Ω+ε, ε
    let [k1, k2, k3, k4, k5, k6, k7]: [&[usize]; 7] =
        [&[0], &[0, 1], &[2], &[3, 4], &[4], &[5, 6], &[6]];
    let closed = |to: [f64; 2], rest: &[Arm<7>]| {
        let arms = [&[arm(k1, rr, 0.0), arm(k2, -d, 0.0)], rest].concat();
        joint([-to[0], -to[1]], &arms)
    };
    let loops = [
        closed(pb, &[arm(k3, 0.0, ss)]),
        closed(pa, &[arm(k4, 0.0, e), arm(k5, -zt, 0.0)]),
        closed(pa, &[arm(k6, -zf, 0.0), arm(k7, 0.0, u)]),
    ];
    Linkage {
        bodies: vec![
            body(0.04325, 2.194e-6, k1, joint([0.0; 2], &[arm(k1, ra, 0.0)])),
            body(0.00365, 4.410e-7, k2, joint([0.0; 2], &[arm(k1, rr, 0.0), arm(k2, -da, 0.0)])),
            body(0.02373, 5.255e-6, k3, joint(pb, &[arm(k3, sb, -sa)])),
            body(0.00706, 5.667e-7, k4, joint(pa, &[arm(k5, zt, 0.0), arm(k4, 0.0, ea - e)])),
            body(0.0705, 1.169e-5, k5, joint(pa, &[arm(k5, ta, tb)])),
            body(0.00706, 5.667e-7, k6, joint(pa, &[arm(k7, 0.0, -u), arm(k6, zf - fa, 0.0)])),
            body(0.05498, 1.912e-5, k7, joint(pa, &[arm(k7, -ub, -ua)])),
        ],
        rows: loops.iter().flat_map(|p| [(p.clone(), X), (p.clone(), Y)]).collect(),
        gravity: 0.0,
        drive: [0.033, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        spring: Some((joint(pb, &[arm(k3, sd, -sc)]), pc, 4530.0, 0.07785)),
        q: [
            -0.0617138900142764,
            0.0,
            0.4552798191630704,
            0.2226683901658859,
            0.4873649795438425,
            -0.2226683901658859,
            1.230547444549821,
        ],
        v: [0.0; 7],
    }
}

/// Published angles of Andrews' mechanism at t = 0.03 s.
pub const ANDREWS_END: [f64; 7] = [
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
];

/// Parallelogram of bars of 1 m and a coupler of 2 m that starts flat, where its constraints lose
/// rank exactly, on the branch on which it stays a parallelogram: a pendulum with
/// θ̈ = −κ cos θ ([`FLAT_KAPPA`]), θ = 0, θ̇ = 3 rad/s at the start. Bars weigh 1 and 3 kg, the
/// coupler 2 kg, so that the loop is loaded at the start.
pub fn flat_parallelogram() -> Linkage<3> {
    let close =
        joint([-2.0, 0.0], &[arm(&[0], 1.0, 0.0), arm(&[1], 2.0, 0.0), arm(&[2], -1.0, 0.0)]);
    Linkage {
        bodies: vec![
            body(1.0, 1.0 / 12.0, &[0], joint([0.0; 2], &[arm(&[0], 0.5, 0.0)])),
            body(
                2.0,
                8.0 / 12.0,
                &[1],
                joint([0.0; 2], &[arm(&[0], 1.0, 0.0), arm(&[1], 1.0, 0.0)]),
            ),
            body(3.0, 3.0 / 12.0, &[2], joint([2.0, 0.0], &[arm(&[2], 0.5, 0.0)])),
        ],
        rows: vec![(close.clone(), X), (close, Y)],
        gravity: 9.81,
        drive: [0.0; 3],
        spring: None,
        q: [0.0; 3],
        v: [3.0, 0.0, 3.0],
    }
}

/// κ of [`flat_parallelogram`], 1/s²: (½ (1 + 3) + 2) g over (1 + 3)/3 + 2.
pub const FLAT_KAPPA: f64 = 4.0 * 9.81 / (4.0 / 3.0 + 2.0);
