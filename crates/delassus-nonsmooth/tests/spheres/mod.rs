//! Equal spheres in an open box: the scene of the tests and of the example `spheres`.
#![allow(dead_code)]

use delassus_dae::*;
use delassus_linalg::{Csr, MassShape};
use delassus_math::{Quat, Vec3};
use std::cell::RefCell;

/// Spheres of one radius and mass; the box is open at the top, its floor at z = 0.
pub struct Spheres {
    pub n: usize,
    pub radius: f64,
    pub mass: f64,
    /// Half-widths of the box; infinite: no walls.
    pub half: f64,
    pub law: PointLaw,
    pub gravity: f64,
    pub manifold: Manifold,
    structure: Structure,
}

/// Cells of the broad phase.
#[derive(Default)]
struct Grid {
    cell: Vec<(u64, u32)>,
    start: Vec<u32>,
}

pub struct Ws {
    q: Vec<f64>,
    v: Vec<f64>,
    rot: Vec<[Vec3; 3]>,
    grid: RefCell<Grid>,
}

pub const WALLS: u64 = 5;

impl Spheres {
    pub fn new(n: usize, radius: f64, half: f64, mu: f64, e: f64) -> Spheres {
        let mut blocks = Vec::new();
        for _ in 0..n {
            blocks.push(Block::Vector(3));
            blocks.push(Block::So3);
        }
        Spheres {
            n,
            radius,
            mass: 1.0,
            half,
            law: PointLaw::Contact {
                mu,
                mu_static: mu,
                restitution: Restitution { e, law: RestitutionLaw::Newton },
                tangential: 2,
            },
            gravity: 9.81,
            manifold: Manifold::new(&blocks),
            structure: pattern(n),
        }
    }

    /// Layers on a grid, a little out of line so that nothing balances.
    pub fn start(&self) -> State {
        let per_side = ((2.0 * self.half / (2.05 * self.radius)) as usize).max(1);
        let pitch = 2.0 * self.half / per_side as f64;
        let mut q = Vec::new();
        for k in 0..self.n {
            let (i, j, l) = (k % per_side, (k / per_side) % per_side, k / (per_side * per_side));
            let shift = |s: usize| 0.02 * self.radius * ((((k * s) % 101) as f64) / 50.0 - 1.0);
            q.extend([
                -self.half + (i as f64 + 0.5) * pitch + 0.5 * shift(37),
                -self.half + (j as f64 + 0.5) * pitch + 0.5 * shift(53),
                self.radius * (1.1 + 2.1 * l as f64),
                1.0,
                0.0,
                0.0,
                0.0,
            ]);
        }
        State { t: 0.0, q, v: vec![0.0; 6 * self.n], z: vec![] }
    }

    pub fn at(&self, q: &[f64], i: usize) -> Vec3 {
        Vec3::new(q[7 * i], q[7 * i + 1], q[7 * i + 2])
    }

    fn wall(&self, k: u64) -> (Vec3, f64) {
        match k {
            0 => (Vec3::new(0.0, 0.0, 1.0), 0.0),
            1 => (Vec3::new(1.0, 0.0, 0.0), -self.half),
            2 => (Vec3::new(-1.0, 0.0, 0.0), -self.half),
            3 => (Vec3::new(0.0, 1.0, 0.0), -self.half),
            _ => (Vec3::new(0.0, -1.0, 0.0), -self.half),
        }
    }

    fn decode(&self, p: PointId) -> Result<(usize, usize), (usize, u64)> {
        let nn = (self.n * self.n) as u64;
        if p.pair < nn {
            Ok(((p.pair / self.n as u64) as usize, (p.pair % self.n as u64) as usize))
        } else {
            Err((((p.pair - nn) / WALLS) as usize, (p.pair - nn) % WALLS))
        }
    }

    pub fn energy(&self, s: &State) -> f64 {
        let inertia = 0.4 * self.mass * self.radius * self.radius;
        (0..self.n)
            .map(|i| {
                let v = &s.v[6 * i..6 * i + 6];
                let lin: f64 = v[..3].iter().map(|x| x * x).sum();
                let ang: f64 = v[3..].iter().map(|x| x * x).sum();
                0.5 * (self.mass * lin + inertia * ang) + self.mass * self.gravity * s.q[7 * i + 2]
            })
            .sum()
    }
}

fn columns_of(r: &[Vec3; 3], x: &Vec3) -> [f64; 3] {
    [r[0].dot(x), r[1].dot(x), r[2].dot(x)]
}

fn frame(n: &Vec3) -> [Vec3; 2] {
    let a = if n.x.abs() < 0.6 { Vec3::new(1.0, 0.0, 0.0) } else { Vec3::new(0.0, 1.0, 0.0) };
    let t = n.cross(&a);
    let t = t * (1.0 / t.norm());
    [t, n.cross(&t)]
}

/// Blocks of three, no rows.
fn pattern(n: usize) -> Structure {
    let nv = 6 * n;
    let blocks = (0..2 * n).flat_map(|b| (0..9).map(move |e| (3 * b + e / 3, 3 * b + e % 3)));
    Structure {
        mass: MassShape::new(vec![3; 2 * n]),
        jac: Csr::dense(0, nv),
        tangent: Csr::from_pairs(nv, nv, blocks).unwrap_or_else(|_| Csr::dense(nv, nv)),
        constant_mass: true,
        mass_floor: vec![0.0; nv],
        independent_rows: None,
        rank: Default::default(),
    }
}

impl Problem for Spheres {
    type Ws = Ws;
    fn dims(&self) -> Dims {
        Dims { nq: 7 * self.n, nv: 6 * self.n, ..Dims::default() }
    }
    fn manifold(&self) -> &Manifold {
        &self.manifold
    }
    fn structure(&self) -> &Structure {
        &self.structure
    }
    fn scales(&self) -> Scales {
        let mut q = Vec::new();
        for _ in 0..self.n {
            q.extend([self.length(), self.length(), self.length(), 1.0, 1.0, 1.0]);
        }
        Scales { q, row: vec![], z: vec![] }
    }
    fn workspace(&self) -> Ws {
        let zero = Vec3::new(0.0, 0.0, 0.0);
        Ws {
            q: vec![0.0; 7 * self.n],
            v: vec![0.0; 6 * self.n],
            rot: vec![[zero; 3]; self.n],
            grid: RefCell::default(),
        }
    }
    fn realize_position(&self, _t: f64, q: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.q.copy_from_slice(q);
        for i in 0..self.n {
            let r = Quat::from_slice(&q[7 * i + 3..]).matrix();
            ws.rot[i] = [0, 1, 2].map(|c| Vec3::new(r[(0, c)], r[(1, c)], r[(2, c)]));
        }
    }
    fn realize_velocity(&self, v: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.v.copy_from_slice(v);
    }
    fn mass(&self, _ws: &Ws, out: &mut [f64]) {
        out.fill(0.0);
        let inertia = 0.4 * self.mass * self.radius * self.radius;
        for b in 0..2 * self.n {
            for i in 0..3 {
                out[9 * b + 4 * i] = if b % 2 == 0 { self.mass } else { inertia };
            }
        }
    }
    fn residual_pos(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn jacobian(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn residual_vel(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn bias(&self, _ws: &Ws, _out: &mut [f64]) {}
    fn force(&self, _ws: &Ws, out: &mut [f64]) {
        out.fill(0.0);
        for i in 0..self.n {
            out[6 * i + 2] = -self.mass * self.gravity;
        }
    }
    fn tangent(&self, _: &Ws, _: &[f64], _: &[f64], _: f64, _: f64, _: &mut [f64]) -> Quality {
        Quality::Exact
    }
}

impl Unilateral for Spheres {
    fn near(&self, ws: &Ws, margin: f64, out: &mut Vec<PointId>) {
        out.clear();
        let reach = 2.0 * self.radius + margin;
        let nn = (self.n * self.n) as u64;
        if !reach.is_finite() {
            for i in 0..self.n {
                out.extend(
                    (i + 1..self.n).map(|j| PointId { pair: (i * self.n + j) as u64, slot: 0 }),
                );
            }
            out.extend((0..WALLS * self.n as u64).map(|k| PointId { pair: nn + k, slot: 0 }));
            return;
        }
        // cells of the size of the reach; a sphere looks at itself and 26 neighbours
        let mut grid = ws.grid.borrow_mut();
        let grid = &mut *grid;
        grid.cell.clear();
        let index = |x: f64| ((x / reach).floor() as i64 + (1 << 20)) as u64;
        let key = |c: [u64; 3]| (c[0] << 42) | (c[1] << 21) | c[2];
        for i in 0..self.n {
            let x = self.at(&ws.q, i);
            grid.cell.push((key([index(x.x), index(x.y), index(x.z)]), i as u32));
        }
        grid.cell.sort_unstable();
        for i in 0..self.n {
            let x = self.at(&ws.q, i);
            let c = [index(x.x), index(x.y), index(x.z)];
            for dx in 0..3u64 {
                for dy in 0..3u64 {
                    // the three cells along z follow each other
                    let lo = key([c[0] + dx - 1, c[1] + dy - 1, c[2] - 1]);
                    let hi = key([c[0] + dx - 1, c[1] + dy - 1, c[2] + 1]);
                    let first = grid.cell.partition_point(|e| e.0 < lo);
                    for e in grid.cell[first..].iter().take_while(|e| e.0 <= hi) {
                        let j = e.1 as usize;
                        if j > i && (self.at(&ws.q, j) - x).norm() < reach {
                            out.push(PointId { pair: (i * self.n + j) as u64, slot: 0 });
                        }
                    }
                }
            }
            for k in 0..WALLS {
                let (n, offset) = self.wall(k);
                if n.dot(&x) - offset - self.radius < margin {
                    out.push(PointId { pair: nn + WALLS * i as u64 + k, slot: 0 });
                }
            }
        }
        out.sort_unstable();
    }
    fn law(&self, _point: PointId) -> PointLaw {
        self.law
    }
    fn point_name(&self, point: PointId) -> String {
        format!("{:?}", self.decode(point))
    }
    fn columns(&self, point: PointId, out: &mut Vec<usize>) {
        out.clear();
        match self.decode(point) {
            Ok((i, j)) => {
                out.extend(6 * i..6 * i + 6);
                out.extend(6 * j..6 * j + 6);
            }
            Err((i, _)) => out.extend(6 * i..6 * i + 6),
        }
    }
    fn position(
        &self,
        ws: &Ws,
        p: PointId,
        _: bool,
        _: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        self.columns(p, &mut out.cols);
        let (n, pair) = match self.decode(p) {
            Ok((i, j)) => {
                let d = self.at(&ws.q, i) - self.at(&ws.q, j);
                let size = d.norm();
                out.gap = size - 2.0 * self.radius;
                (d * (1.0 / size), Ok((i, j)))
            }
            Err((i, k)) => {
                let (n, offset) = self.wall(k);
                out.gap = n.dot(&self.at(&ws.q, i)) - offset - self.radius;
                (n, Err(i))
            }
        };
        out.normal = [n.x, n.y, n.z];
        let t = frame(&n);
        for (k, d) in [n, t[0], t[1]].iter().enumerate() {
            let row = &mut out.rows[k];
            row.clear();
            // the contact point of the first is at −r n, that of the second at +r n
            let turn = (n * (-self.radius)).cross(d);
            match pair {
                Ok((i, j)) => {
                    row.extend([d.x, d.y, d.z]);
                    row.extend(columns_of(&ws.rot[i], &turn));
                    row.extend([-d.x, -d.y, -d.z]);
                    row.extend(columns_of(&ws.rot[j], &turn));
                }
                Err(i) => {
                    row.extend([d.x, d.y, d.z]);
                    row.extend(columns_of(&ws.rot[i], &turn));
                }
            }
        }
        true
    }
    fn rates(&self, ws: &Ws, p: PointId, out: &mut ContactPoint) {
        for k in 0..3 {
            out.rate[k] = out.row_dot(k, &ws.v);
            out.bias[k] = 0.0;
        }
        if let Ok((i, j)) = self.decode(p) {
            let v = |i: usize| Vec3::new(ws.v[6 * i], ws.v[6 * i + 1], ws.v[6 * i + 2]);
            let u = v(i) - v(j);
            let n = Vec3::new(out.normal[0], out.normal[1], out.normal[2]);
            let across = u - n * n.dot(&u);
            // the turning of the tangents is left out: second order in the step
            out.bias[0] = across.dot(&across) / (out.gap + 2.0 * self.radius);
        }
    }
    fn length(&self) -> f64 {
        2.0 * self.radius
    }
}
