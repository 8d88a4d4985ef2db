//! Gauss–Seidel over the places, with the same operations for any number of points that act.

use super::place::{Place, Rule};
use delassus_dae::{ContactPoint, Dims};
use delassus_math::max_abs;

/// Rows, responses and impulses of all places. Arrays have fixed widths: what is not used is zero.
#[derive(Debug)]
pub(super) struct Sweeps {
    places: usize,
    rows: usize,
    width: usize,
    nv: usize,
    n_vel: usize,
    /// Columns and entries of H.
    cols: Vec<usize>,
    h: Vec<f64>,
    /// S⁻¹ Hᵀ with joints, and the impulses of joints that belong to it.
    y: Vec<f64>,
    y_rows: Vec<f64>,
    w: Vec<f64>,
    free: Vec<f64>,
    p: Vec<f64>,
    /// Displacements along the normals.
    d: Vec<f64>,
}

impl Sweeps {
    pub fn new(places: usize, rows: usize, width: usize, d: Dims) -> Sweeps {
        let n = places * rows;
        Sweeps {
            places,
            rows,
            width,
            nv: d.nv,
            n_vel: d.n_vel,
            cols: vec![0; places * width],
            h: vec![0.0; n * width],
            y: vec![0.0; n * d.nv],
            y_rows: vec![0.0; n * d.n_vel],
            w: vec![0.0; n * n],
            free: vec![0.0; n],
            p: vec![0.0; n],
            d: vec![0.0; places],
        }
    }

    /// Takes the rows of a point, or none.
    pub fn load(&mut self, k: usize, at: Option<&ContactPoint>) {
        let cols = &mut self.cols[k * self.width..(k + 1) * self.width];
        let h = &mut self.h[k * self.rows * self.width..(k + 1) * self.rows * self.width];
        cols.fill(0);
        h.fill(0.0);
        let Some(at) = at else { return };
        for (to, from) in cols.iter_mut().zip(&at.cols) {
            *to = *from;
        }
        for (to, from) in h.chunks_exact_mut(self.width).zip(&at.rows) {
            // rows that this point does not use may hold anything
            for (to, from) in to.iter_mut().zip(from).take(at.cols.len()) {
                *to = *from;
            }
        }
    }

    fn row(&self, k: usize, r: usize) -> (&[usize], &[f64]) {
        let at = (k * self.rows + r) * self.width;
        (&self.cols[k * self.width..(k + 1) * self.width], &self.h[at..at + self.width])
    }

    /// Adds the generalised impulse of a row to zeros.
    pub fn impulse(&self, k: usize, r: usize, out: &mut [f64]) {
        let (cols, h) = self.row(k, r);
        for (col, h) in cols.iter().zip(h) {
            out[*col] += h;
        }
    }

    /// Makes them zeros again.
    pub fn clear(&self, k: usize, out: &mut [f64]) {
        for col in &self.cols[k * self.width..(k + 1) * self.width] {
            out[*col] = 0.0;
        }
    }

    /// Where the response to a row belongs.
    pub fn response(&mut self, k: usize, r: usize) -> (&mut [f64], &mut [f64]) {
        let i = k * self.rows + r;
        (
            &mut self.y[i * self.nv..(i + 1) * self.nv],
            &mut self.y_rows[i * self.n_vel..(i + 1) * self.n_vel],
        )
    }

    fn dot(&self, k: usize, r: usize, x: &[f64]) -> f64 {
        let (cols, h) = self.row(k, r);
        cols.iter().zip(h).map(|(c, h)| h * x[*c]).sum()
    }

    /// W = H Y.
    pub fn couple(&mut self) {
        let n = self.places * self.rows;
        for k in 0..self.places {
            for r in 0..self.rows {
                for j in 0..n {
                    let w = self.dot(k, r, &self.y[j * self.nv..(j + 1) * self.nv]);
                    self.w[(k * self.rows + r) * n + j] = w;
                }
            }
        }
    }

    /// Rates at the end of the step without impulses.
    pub fn free(&mut self, k: usize, at: &ContactPoint, dv: &[f64], h: f64) -> [f64; 3] {
        let mut out = [0.0; 3];
        for r in 0..self.rows.min(3) {
            out[r] = at.rate[r] + self.dot(k, r, dv) + h * at.bias[r];
            self.free[k * self.rows + r] = out[r];
        }
        out
    }

    /// Response of each row of a place to itself.
    pub fn own(&self, k: usize) -> [f64; 3] {
        let n = self.places * self.rows;
        let mut out = [0.0; 3];
        for r in 0..self.rows.min(3) {
            let i = k * self.rows + r;
            out[r] = self.w[i * n + i];
        }
        out
    }

    /// The impulse to begin with.
    pub fn start(&mut self, k: usize, p: [f64; 3]) {
        for r in 0..self.rows {
            self.p[k * self.rows + r] = p[r];
        }
    }

    /// Impulse of a place.
    pub fn of(&self, k: usize) -> [f64; 3] {
        let mut out = [0.0; 3];
        let from = &self.p[k * self.rows..(k + 1) * self.rows];
        out[..from.len()].copy_from_slice(from);
        out
    }

    /// Rate of a row with the present impulses.
    fn rate(&self, i: usize) -> f64 {
        let n = self.p.len();
        let w = &self.w[i * n..(i + 1) * n];
        // sums side by side: the compiler must not reorder a single one
        let mut lanes = [0.0; 4];
        let (ws, ps) = (w.as_chunks::<4>(), self.p.as_chunks::<4>());
        for (w, p) in ws.0.iter().zip(ps.0) {
            for i in 0..4 {
                lanes[i] += w[i] * p[i];
            }
        }
        let rest: f64 = ws.1.iter().zip(ps.1).map(|(w, p)| w * p).sum();
        self.free[i] + (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + rest
    }

    /// Sweeps; returns the change of the impulses in the last one, as a part of the largest.
    pub fn run(&mut self, places: &[Place], sweeps: u32) -> f64 {
        let mut change = 0.0;
        for _ in 0..sweeps {
            change = 0.0;
            for (k, place) in places.iter().enumerate() {
                change = delassus_math::largest([change, self.visit(k, place)]);
            }
        }
        let most = max_abs(&self.p);
        if most > 0.0 { change / most } else { 0.0 }
    }

    /// One place; returns how much its impulses change.
    fn visit(&mut self, k: usize, place: &Place) -> f64 {
        let (first, n) = (k * self.rows, self.p.len());
        let own = self.w[first * n + first];
        let u = self.rate(first);
        let before = self.p[first];
        let p = match place.rule {
            Rule::None => 0.0,
            Rule::Rigid { bound, .. } if own > 0.0 => (before - (u - bound) / own).max(0.0),
            Rule::Soft { push, slope, .. } => {
                // p = push − slope (u + own (p − before))
                ((push - slope * (u - own * before)) / (1.0 + slope * own)).max(0.0)
            }
            Rule::Dry { limit } if own > 0.0 => (before - u / own).clamp(-limit, limit),
            Rule::Rigid { .. } | Rule::Dry { .. } => 0.0,
        };
        self.p[first] = p;
        let mut change = (p - before).abs();
        if self.rows == 1 {
            return change;
        }
        let mut u = [0.0; 2];
        for r in 1..self.rows {
            u[r - 1] = self.rate(first + r);
        }
        let used = place.tangential;
        let (mut own, mut old, mut new) = (0.0f64, [0.0; 2], [0.0; 2]);
        for r in 0..used.min(self.rows - 1) {
            let i = first + 1 + r;
            own = own.max(
                self.w[i * n + first + 1..i * n + first + 1 + used].iter().map(|w| w.abs()).sum(),
            );
            old[r] = self.p[i];
        }
        if own > 0.0 {
            let (share, limit) = match place.rule {
                Rule::Rigid { mu, .. } => (1.0 / own, mu * p),
                Rule::Soft { drag, mu, .. } => (p * drag / (1.0 + p * drag * own), mu * p),
                Rule::None | Rule::Dry { .. } => (0.0, 0.0),
            };
            for r in 0..2 {
                // rigid: p − u/W; compliant: −c u with the effect of the impulse on the slip
                let rest = u[r] - own * old[r];
                new[r] = -share * rest;
            }
            let size = new[0].hypot(new[1]);
            if size > limit {
                new = new.map(|x| x * limit / size);
            }
        }
        for r in 0..used.min(self.rows - 1) {
            self.p[first + 1 + r] = new[r];
            change = change.max((new[r] - old[r]).abs());
        }
        change
    }

    /// Displacements along the normals that take rigid points out of each other at the end of the step. Gaps take the
    /// places of the rates.
    pub fn push_out(&mut self, places: &[Place], sweeps: u32, h: f64) {
        self.d.fill(0.0);
        let n = self.p.len();
        for (k, place) in places.iter().enumerate() {
            let i = k * self.rows;
            self.free[i] = match place.gap {
                Some(gap) if !place.hit => gap + h * self.rate(i),
                _ => f64::INFINITY,
            };
        }
        for _ in 0..sweeps {
            for k in 0..self.places {
                let i = k * self.rows;
                let own = self.w[i * n + i];
                let mut gap = self.free[i];
                for j in 0..self.places {
                    gap += self.w[i * n + j * self.rows] * self.d[j];
                }
                let step = if own > 0.0 { gap / own } else { 0.0 };
                self.d[k] = (self.d[k] - step).max(0.0);
            }
        }
    }

    /// The effect of all impulses, and of the displacements.
    pub fn collect(&self, by: &mut [f64], rows: &mut [f64], shift: &mut [f64]) {
        for (i, p) in self.p.iter().enumerate() {
            for (to, y) in by.iter_mut().zip(&self.y[i * self.nv..(i + 1) * self.nv]) {
                *to += p * y;
            }
            for (to, y) in rows.iter_mut().zip(&self.y_rows[i * self.n_vel..(i + 1) * self.n_vel]) {
                *to += p * y;
            }
        }
        for (k, d) in self.d.iter().enumerate() {
            let i = k * self.rows;
            for (to, y) in shift.iter_mut().zip(&self.y[i * self.nv..(i + 1) * self.nv]) {
                *to += d * y;
            }
        }
    }
}
