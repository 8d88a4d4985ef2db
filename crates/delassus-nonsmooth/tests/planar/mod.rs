//! Rigid bodies in the plane whose corners touch lines of the ground or of other bodies.

use delassus_dae::*;

/// A corner of body `a` against a line of body `b` (ground: `None`).
pub struct Corner {
    pub a: usize,
    pub corner: [f64; 2],
    pub b: Option<usize>,
    /// Point of the line and its outward normal, in the frame of `b`.
    pub foot: [f64; 2],
    pub normal: [f64; 2],
    pub law: PointLaw,
}

/// Bodies (x, y, θ) with mass and inertia, constant forces (fx, fy, torque).
pub struct Planar {
    pub bodies: Vec<(f64, f64)>,
    pub forces: Vec<[f64; 3]>,
    pub corners: Vec<Corner>,
    pub manifold: Manifold,
    structure: Structure,
}

pub struct Ws {
    q: Vec<f64>,
    v: Vec<f64>,
}

fn rotate(a: f64, x: [f64; 2]) -> [f64; 2] {
    let (s, c) = a.sin_cos();
    [c * x[0] - s * x[1], s * x[0] + c * x[1]]
}

fn left(x: [f64; 2]) -> [f64; 2] {
    [-x[1], x[0]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

impl Planar {
    pub fn new(bodies: Vec<(f64, f64)>) -> Planar {
        let n = bodies.len();
        Planar {
            forces: bodies.iter().map(|b| [0.0, -9.81 * b.0, 0.0]).collect(),
            bodies,
            corners: Vec::new(),
            manifold: Manifold::vector(3 * n),
            structure: Structure { constant_mass: true, ..Structure::dense(3 * n, 0) },
        }
    }

    /// Gap and rows [normal, tangential] × (a: x y θ, b: x y θ).
    fn geometry(&self, k: usize, q: &[f64]) -> (f64, [[f64; 6]; 2]) {
        let c = &self.corners[k];
        let arm = rotate(q[3 * c.a + 2], c.corner);
        let at = [q[3 * c.a] + arm[0], q[3 * c.a + 1] + arm[1]];
        let (origin, angle) = match c.b {
            Some(b) => ([q[3 * b], q[3 * b + 1]], q[3 * b + 2]),
            None => ([0.0; 2], 0.0),
        };
        let n = rotate(angle, c.normal);
        let t = [n[1], -n[0]];
        let from = [at[0] - origin[0], at[1] - origin[1]];
        let gap = dot(n, from) - dot(c.normal, c.foot);
        let row = |d: [f64; 2]| [d[0], d[1], dot(d, left(arm)), -d[0], -d[1], -dot(d, left(from))];
        (gap, [row(n), row(t)])
    }

    fn rate(&self, k: usize, q: &[f64], v: &[f64]) -> [f64; 2] {
        let c = &self.corners[k];
        let (_, rows) = self.geometry(k, q);
        let mut u = [0.0; 2];
        for (u, r) in u.iter_mut().zip(&rows) {
            for i in 0..3 {
                *u += r[i] * v[3 * c.a + i];
                if let Some(b) = c.b {
                    *u += r[3 + i] * v[3 * b + i];
                }
            }
        }
        u
    }
}

impl Problem for Planar {
    type Ws = Ws;
    fn dims(&self) -> Dims {
        let n = 3 * self.bodies.len();
        Dims { nq: n, nv: n, ..Dims::default() }
    }
    fn manifold(&self) -> &Manifold {
        &self.manifold
    }
    fn structure(&self) -> &Structure {
        &self.structure
    }
    fn workspace(&self) -> Ws {
        let n = 3 * self.bodies.len();
        Ws { q: vec![0.0; n], v: vec![0.0; n] }
    }
    fn realize_position(&self, _t: f64, q: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.q.copy_from_slice(q);
    }
    fn realize_velocity(&self, v: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.v.copy_from_slice(v);
    }
    fn mass(&self, _ws: &Ws, out: &mut [f64]) {
        let n = 3 * self.bodies.len();
        out.fill(0.0);
        for (k, (m, j)) in self.bodies.iter().enumerate() {
            for (i, x) in [m, m, j].into_iter().enumerate() {
                out[(3 * k + i) * (n + 1)] = *x;
            }
        }
    }
    fn residual_pos(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn jacobian(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn residual_vel(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn bias(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn force(&self, _ws: &Ws, out: &mut [f64]) {
        for (k, f) in self.forces.iter().enumerate() {
            out[3 * k..3 * k + 3].copy_from_slice(f);
        }
    }
    fn tangent(&self, _: &Ws, _: &[f64], _: &[f64], _: f64, _: f64, _: &mut [f64]) -> Quality {
        Quality::Exact
    }
}

impl Unilateral for Planar {
    fn near(&self, _ws: &Ws, _margin: f64, out: &mut Vec<PointId>) {
        out.clear();
        out.extend((0..self.corners.len()).map(|k| PointId { pair: k as u64, slot: 0 }));
    }
    fn law(&self, point: PointId) -> PointLaw {
        self.corners[point.pair as usize].law
    }
    fn point_name(&self, point: PointId) -> String {
        format!("corner {}", point.pair)
    }
    fn columns(&self, point: PointId, out: &mut Vec<usize>) {
        let c = &self.corners[point.pair as usize];
        out.clear();
        out.extend(3 * c.a..3 * c.a + 3);
        out.extend(c.b.map(|b| 3 * b..3 * b + 3).into_iter().flatten());
        out.sort_unstable();
    }
    fn position(
        &self,
        ws: &Ws,
        p: PointId,
        _: bool,
        _: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        let k = p.pair as usize;
        let c = &self.corners[k];
        let (gap, rows) = self.geometry(k, &ws.q);
        out.gap = gap;
        self.columns(p, &mut out.cols);
        let b_first = c.b.is_some_and(|b| b < c.a);
        for (to, row) in out.rows.iter_mut().zip(&rows) {
            to.clear();
            let (a, b) = row.split_at(3);
            if b_first {
                to.extend_from_slice(b);
            }
            to.extend_from_slice(a);
            if c.b.is_some() && !b_first {
                to.extend_from_slice(b);
            }
        }
        true
    }
    fn rates(&self, ws: &Ws, p: PointId, out: &mut ContactPoint) {
        let k = p.pair as usize;
        let u = self.rate(k, &ws.q, &ws.v);
        // derivative of the rows along the motion
        let eps = 1e-5;
        let moved =
            |s: f64| -> Vec<f64> { ws.q.iter().zip(&ws.v).map(|(q, v)| q + s * eps * v).collect() };
        let (hi, lo) = (self.rate(k, &moved(1.0), &ws.v), self.rate(k, &moved(-1.0), &ws.v));
        for i in 0..2 {
            out.rate[i] = u[i];
            out.bias[i] = (hi[i] - lo[i]) / (2.0 * eps);
        }
    }
}
