//! Spheres of slightly different size on a jittered close packing in an open box.
#![allow(dead_code)]

use delassus_cone::{InverseMass, Law, Rows, SparseProblem};

pub struct Heap {
    pub start: Vec<usize>,
    pub columns: Vec<usize>,
    pub values: Vec<f64>,
    pub sizes: Vec<usize>,
    pub minv: Vec<f64>,
    pub b: Vec<f64>,
    pub laws: Vec<Law>,
}

fn noise(state: &mut u64) -> f64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    2.0 * ((*state >> 11) as f64 / (1u64 << 53) as f64) - 1.0
}

impl Heap {
    /// `layers` × `layers` × `layers` cells of a face-centred lattice of unit spheres.
    pub fn new(layers: usize, mu: f64, seed: u64) -> Heap {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let cell = 2.0 * std::f64::consts::SQRT_2;
        let mut centres = Vec::new();
        for k in 0..layers {
            for j in 0..layers {
                for i in 0..layers {
                    for (x, y, z) in
                        [(0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)]
                    {
                        let at = [i as f64 + x, j as f64 + y, k as f64 + z];
                        centres.push(at.map(|c| c * cell + 0.08 * noise(&mut state)));
                    }
                }
            }
        }
        let mut heap = Heap {
            start: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            sizes: vec![6; centres.len()],
            minv: Vec::new(),
            b: Vec::new(),
            laws: Vec::new(),
        };
        let velocities: Vec<[f64; 6]> = centres
            .iter()
            .map(|_| {
                let mut v = [0.0; 6];
                v.iter_mut().for_each(|v| *v = 0.1 * noise(&mut state));
                v[2] -= 1.0;
                v
            })
            .collect();
        for _ in &centres {
            // Mass between 0.5 and 1.5, sphere of radius 1.
            let m = 1.0 + 0.5 * noise(&mut state);
            let mut block = [0.0; 36];
            for d in 0..6 {
                block[d * 7] = if d < 3 { 1.0 / m } else { 2.5 / m };
            }
            heap.minv.extend(block);
        }
        let extent = layers as f64 * cell;
        for (a, p) in centres.iter().enumerate() {
            for (c, q) in centres.iter().enumerate().skip(a + 1) {
                let d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
                let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
                if length < 2.05 {
                    heap.contact(a, Some(c), d.map(|x| x / length), mu, &velocities);
                }
            }
            if p[2] < 0.2 {
                heap.contact(a, None, [0.0, 0.0, -1.0], mu, &velocities);
            }
            for axis in 0..2 {
                let mut normal = [0.0; 3];
                if p[axis] < 0.2 {
                    normal[axis] = -1.0;
                    heap.contact(a, None, normal, mu, &velocities);
                } else if p[axis] > extent - 0.5 * cell - 0.2 {
                    normal[axis] = 1.0;
                    heap.contact(a, None, normal, mu, &velocities);
                }
            }
        }
        heap
    }

    /// Contact of sphere `a` along the outer normal with sphere `c` or a wall.
    fn contact(&mut self, a: usize, c: Option<usize>, n: [f64; 3], mu: f64, v: &[[f64; 6]]) {
        let pick = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let cross = |x: [f64; 3], y: [f64; 3]| {
            [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        };
        let s = cross(n, pick);
        let length = (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]).sqrt();
        let s = s.map(|x| x / length);
        let t = cross(n, s);
        for axis in [n, s, t] {
            let mut rate = 0.0;
            // Rate = axis · (velocity of c − velocity of a) at the point, which is n from a and −n from c.
            for (body, sign, arm) in [(Some(a), -1.0, n), (c, 1.0, n.map(|x| -x))] {
                let Some(body) = body else { continue };
                let turn = cross(arm, axis);
                let row = [axis[0], axis[1], axis[2], turn[0], turn[1], turn[2]];
                for (d, value) in row.iter().enumerate() {
                    if *value != 0.0 {
                        self.columns.push(6 * body + d);
                        self.values.push(sign * value);
                        rate += sign * value * v[body][d];
                    }
                }
            }
            self.start.push(self.columns.len());
            self.b.push(rate);
        }
        self.laws.push(Law::Coulomb { mu, tangential: 2 });
    }

    pub fn view(&self) -> SparseProblem<'_> {
        SparseProblem {
            h: Rows { start: &self.start, columns: &self.columns, values: &self.values },
            minv: InverseMass::Blocks { sizes: &self.sizes, values: &self.minv },
            b: &self.b,
            laws: &self.laws,
        }
    }
}
