//! Point masses in the plane on links, rolling rows, an auxiliary state, walls.

use delassus_dae::*;
use std::sync::OnceLock;

/// M diag, constant forces, links of fixed length between points 2i (`None`: the origin), rows that
/// hold for velocities only, linear gaps.
pub struct Jointed {
    pub mass: Vec<f64>,
    pub f: Vec<f64>,
    pub links: Vec<(Option<usize>, usize, f64)>,
    pub rolling: Vec<Vec<f64>>,
    pub gaps: Vec<(PointLaw, Vec<f64>, f64)>,
    pub independent: Option<Vec<usize>>,
    pub manifold: Manifold,
    /// Made of the fields above when it is first asked for.
    pub structure: OnceLock<Structure>,
}

pub struct Ws {
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Jointed {
    fn difference(&self, link: &(Option<usize>, usize, f64), x: &[f64]) -> [f64; 2] {
        let (a, b, _) = *link;
        let o = a.map_or([0.0; 2], |a| [x[2 * a], x[2 * a + 1]]);
        [x[2 * b] - o[0], x[2 * b + 1] - o[1]]
    }
}

impl Problem for Jointed {
    type Ws = Ws;
    fn dims(&self) -> Dims {
        let n = self.mass.len();
        let n_pos = self.links.len();
        Dims { nq: n, nv: n, nz: 1, n_pos, n_vel: n_pos + self.rolling.len() }
    }
    fn manifold(&self) -> &Manifold {
        &self.manifold
    }
    fn structure(&self) -> &Structure {
        self.structure.get_or_init(|| Structure {
            constant_mass: true,
            independent_rows: self.independent.clone(),
            rank: Default::default(),
            mass_floor: self.mass.iter().map(|m| if *m == 0.0 { 1e-6 } else { 0.0 }).collect(),
            ..Structure::dense(self.mass.len(), self.links.len() + self.rolling.len())
        })
    }
    fn workspace(&self) -> Ws {
        let n = self.mass.len();
        Ws { q: vec![0.0; n], v: vec![0.0; n] }
    }
    fn realize_position(&self, _t: f64, q: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.q.copy_from_slice(q);
    }
    fn realize_velocity(&self, v: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.v.copy_from_slice(v);
    }
    fn mass(&self, _ws: &Ws, out: &mut [f64]) {
        let n = self.mass.len();
        out.fill(0.0);
        for (i, m) in self.mass.iter().enumerate() {
            out[i * (n + 1)] = *m;
        }
    }
    fn residual_pos(&self, ws: &Ws, out: &mut [f64]) {
        for (g, l) in out.iter_mut().zip(&self.links) {
            let d = self.difference(l, &ws.q);
            *g = (d[0] * d[0] + d[1] * d[1] - l.2 * l.2) / (2.0 * l.2);
        }
    }
    fn jacobian(&self, ws: &Ws, out: &mut [f64]) {
        let n = self.mass.len();
        out.fill(0.0);
        for (k, l) in self.links.iter().enumerate() {
            let d = self.difference(l, &ws.q);
            for i in 0..2 {
                out[k * n + 2 * l.1 + i] = d[i] / l.2;
                if let Some(a) = l.0 {
                    out[k * n + 2 * a + i] = -d[i] / l.2;
                }
            }
        }
        for (k, row) in self.rolling.iter().enumerate() {
            let at = (self.links.len() + k) * n;
            out[at..at + n].copy_from_slice(row);
        }
    }
    fn residual_vel(&self, ws: &Ws, out: &mut [f64]) {
        let n = self.links.len();
        for (k, l) in self.links.iter().enumerate() {
            let (d, u) = (self.difference(l, &ws.q), self.difference(l, &ws.v));
            out[k] = (d[0] * u[0] + d[1] * u[1]) / l.2;
        }
        for (k, row) in self.rolling.iter().enumerate() {
            out[n + k] = row.iter().zip(&ws.v).map(|(r, v)| r * v).sum();
        }
    }
    fn bias(&self, ws: &Ws, out: &mut [f64]) {
        out.fill(0.0);
        for (k, l) in self.links.iter().enumerate() {
            let u = self.difference(l, &ws.v);
            out[k] = (u[0] * u[0] + u[1] * u[1]) / l.2;
        }
    }
    fn force(&self, _ws: &Ws, out: &mut [f64]) {
        out.copy_from_slice(&self.f);
    }
    /// z is the integral of the first coordinate.
    fn z_dot(&self, ws: &Ws, out: &mut [f64]) {
        out[0] = ws.q[0];
    }
    fn tangent(&self, _: &Ws, _: &[f64], _: &[f64], _: f64, _: f64, _: &mut [f64]) -> Quality {
        Quality::Approximate
    }
}

impl Unilateral for Jointed {
    fn near(&self, _ws: &Ws, _margin: f64, out: &mut Vec<PointId>) {
        out.clear();
        out.extend((0..self.gaps.len()).map(|k| PointId { pair: k as u64, slot: 0 }));
    }
    fn law(&self, point: PointId) -> PointLaw {
        self.gaps[point.pair as usize].0
    }
    fn point_name(&self, point: PointId) -> String {
        format!("wall {}", point.pair)
    }
    fn columns(&self, _point: PointId, out: &mut Vec<usize>) {
        out.clear();
        out.extend(0..self.mass.len());
    }
    fn position(
        &self,
        ws: &Ws,
        p: PointId,
        _: bool,
        _: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        let (_, row, offset) = &self.gaps[p.pair as usize];
        self.columns(p, &mut out.cols);
        out.rows[0].clear();
        out.rows[0].extend_from_slice(row);
        out.gap = row.iter().zip(&ws.q).map(|(r, q)| r * q).sum::<f64>() + offset;
        true
    }
    fn rates(&self, ws: &Ws, p: PointId, out: &mut ContactPoint) {
        let row = &self.gaps[p.pair as usize].1;
        out.rate[0] = row.iter().zip(&ws.v).map(|(r, v)| r * v).sum();
        out.bias[0] = 0.0;
    }
}
