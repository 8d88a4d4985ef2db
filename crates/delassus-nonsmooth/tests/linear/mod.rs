//! Systems with constant mass and linear gaps, written by hand.
#![allow(dead_code)]

use delassus_dae::*;

/// Offsets of the gap and of the tangential motion by time: value, rate, acceleration.
pub type Moves = fn(f64) -> [[f64; 3]; 2];

pub struct LinearPoint {
    pub law: PointLaw,
    pub rows: Vec<Vec<f64>>,
    pub offset: f64,
    /// Offset of the gap and of the tangential motion by time: value, rate, acceleration.
    pub moves: Option<Moves>,
}

/// M v̇ = f − K q, gaps H q + offset.
pub struct Linear {
    pub mass: Vec<Vec<f64>>,
    pub f: Vec<f64>,
    pub k: Vec<Vec<f64>>,
    pub points: Vec<LinearPoint>,
    pub manifold: Manifold,
    pub structure: Structure,
    pub sequential: bool,
}

#[derive(Default)]
pub struct Ws {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Linear {
    /// Unit masses on a line without forces.
    pub fn masses(m: &[f64]) -> Linear {
        let n = m.len();
        let mut mass = vec![vec![0.0; n]; n];
        for i in 0..n {
            mass[i][i] = m[i];
        }
        Linear {
            mass,
            f: vec![0.0; n],
            k: vec![vec![0.0; n]; n],
            points: Vec::new(),
            manifold: Manifold::vector(n),
            structure: Structure { constant_mass: true, ..Structure::dense(n, 0) },
            sequential: false,
        }
    }

    pub fn point(mut self, law: PointLaw, rows: &[&[f64]], offset: f64) -> Linear {
        self.points.push(LinearPoint {
            law,
            rows: rows.iter().map(|r| r.to_vec()).collect(),
            offset,
            moves: None,
        });
        self
    }

    /// The last point moves by itself: offset of its gap and of its tangential motion.
    pub fn moving(mut self, moves: Moves) -> Linear {
        if let Some(p) = self.points.last_mut() {
            p.moves = Some(moves);
        }
        self
    }
}

pub fn contact(e: f64, mu: f64, tangential: usize) -> PointLaw {
    PointLaw::Contact {
        mu,
        mu_static: mu,
        restitution: Restitution { e, law: RestitutionLaw::Newton },
        tangential,
    }
}

pub fn id(k: usize) -> PointId {
    PointId { pair: k as u64, slot: 0 }
}

impl Problem for Linear {
    type Ws = Ws;
    fn dims(&self) -> Dims {
        let n = self.f.len();
        Dims { nq: n, nv: n, nz: 0, n_pos: 0, n_vel: 0 }
    }
    fn manifold(&self) -> &Manifold {
        &self.manifold
    }
    fn structure(&self) -> &Structure {
        &self.structure
    }
    fn workspace(&self) -> Ws {
        Ws { t: 0.0, q: vec![0.0; self.f.len()], v: vec![0.0; self.f.len()] }
    }
    fn realize_position(&self, t: f64, q: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.t = t;
        ws.q.copy_from_slice(q);
    }
    fn realize_velocity(&self, v: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.v.copy_from_slice(v);
    }
    fn mass(&self, _ws: &Ws, out: &mut [f64]) {
        for (m, (i, j)) in out.iter_mut().zip(self.structure.mass.entries()) {
            *m = self.mass[i][j];
        }
    }
    fn residual_pos(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn jacobian(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn residual_vel(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn bias(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn force(&self, ws: &Ws, out: &mut [f64]) {
        for i in 0..self.f.len() {
            out[i] = self.f[i] - dot(&self.k[i], &ws.q);
        }
    }
    fn tangent(
        &self,
        _: &Ws,
        _: &[f64],
        _: &[f64],
        ck: f64,
        _: f64,
        values: &mut [f64],
    ) -> Quality {
        let n = self.f.len();
        for i in 0..n {
            for j in 0..n {
                values[i * n + j] += ck * self.k[i][j];
            }
        }
        Quality::Exact
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Unilateral for Linear {
    fn near(&self, _ws: &Ws, _margin: f64, out: &mut Vec<PointId>) {
        out.clear();
        out.extend((0..self.points.len()).map(id));
    }
    fn law(&self, point: PointId) -> PointLaw {
        self.points[point.pair as usize].law
    }
    fn point_name(&self, point: PointId) -> String {
        format!("point {}", point.pair)
    }
    fn columns(&self, _point: PointId, out: &mut Vec<usize>) {
        out.clear();
        out.extend(0..self.f.len());
    }
    fn position(
        &self,
        ws: &Ws,
        p: PointId,
        _: bool,
        _: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        let point = &self.points[p.pair as usize];
        self.columns(p, &mut out.cols);
        for (to, row) in out.rows.iter_mut().zip(&point.rows) {
            to.clear();
            to.extend_from_slice(row);
        }
        out.gap = dot(&point.rows[0], &ws.q) + point.offset;
        out.gap += point.moves.map_or(0.0, |m| m(ws.t)[0][0]);
        true
    }
    fn rates(&self, ws: &Ws, p: PointId, out: &mut ContactPoint) {
        for (k, row) in self.points[p.pair as usize].rows.iter().enumerate() {
            out.rate[k] = dot(row, &ws.v);
            out.bias[k] = 0.0;
            if let Some(m) = self.points[p.pair as usize].moves {
                let [_, rate, acceleration] = m(ws.t)[k.min(1)];
                out.rate[k] += rate;
                out.bias[k] += acceleration;
            }
        }
    }
    fn sequential_impacts(&self) -> bool {
        self.sequential
    }
}
