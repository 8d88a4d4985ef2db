//! Gauss–Seidel over the places, with the same operations for any number of points that act.

use super::place::{Place, Rule};
use delassus_dae::{ContactPoint, Dims};
use delassus_math::max_abs;

/// What a visit does with the impulses of a place, the same operations for every rule: the normal one becomes
/// `given + kept p − by_rate u` within its bounds, the tangential ones −c (u − across p) with c = `share`, or p drag / (1 + p drag
/// across) where there is drag, at most mu p together.
#[derive(Debug, Clone, Copy, Default)]
struct Law {
    given: f64,
    kept: f64,
    by_rate: f64,
    least: f64,
    most: f64,
    /// Largest response to tangential impulses.
    across: f64,
    share: f64,
    drag: f64,
    mu: f64,
    /// Tangential rows in use.
    tangential: usize,
}

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
    /// Its part between normals.
    normal: Vec<f64>,
    free: Vec<f64>,
    p: Vec<f64>,
    laws: Vec<Law>,
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
            normal: vec![0.0; places * places],
            free: vec![0.0; n],
            p: vec![0.0; n],
            laws: vec![Law::default(); places],
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
        self.free[i] + dot(&self.w[i * n..(i + 1) * n], &self.p)
    }

    /// Sweeps; returns the change of the impulses in the last one, as a part of the largest.
    pub fn run(&mut self, places: &[Place], sweeps: u32) -> f64 {
        for (k, place) in places.iter().enumerate() {
            self.laws[k] = self.law(k, place);
        }
        let mut change = 0.0;
        for _ in 0..sweeps {
            change = 0.0;
            for k in 0..self.places {
                change = delassus_math::largest([change, self.visit(k)]);
            }
        }
        let most = max_abs(&self.p);
        if most > 0.0 { change / most } else { 0.0 }
    }

    /// The rule of a place with the response to its own impulses.
    fn law(&self, k: usize, place: &Place) -> Law {
        let (first, n) = (k * self.rows, self.p.len());
        let own = self.w[first * n + first];
        let mut across: f64 = 0.0;
        for r in 0..self.rows - 1 {
            let i = (first + 1 + r) * n + first + 1;
            let used = place.tangential.min(self.rows - 1);
            let sum: f64 = self.w[i..i + used].iter().map(|w| w.abs()).sum();
            across = across.max(if r < used { sum } else { 0.0 });
        }
        let rubs = across > 0.0;
        let none = Law { across, tangential: place.tangential, ..Law::default() };
        match place.rule {
            Rule::Rigid { bound, mu } if own > 0.0 => Law {
                given: bound / own,
                kept: 1.0,
                by_rate: 1.0 / own,
                most: f64::INFINITY,
                share: if rubs { 1.0 / across } else { 0.0 },
                mu: if rubs { mu } else { 0.0 },
                ..none
            },
            Rule::Soft { push, slope, drag, mu } => {
                // p = push − slope (u + own (p − before))
                let yields = 1.0 / (1.0 + slope * own);
                Law {
                    given: push * yields,
                    kept: slope * own * yields,
                    by_rate: slope * yields,
                    most: f64::INFINITY,
                    drag: if rubs { drag } else { 0.0 },
                    mu: if rubs { mu } else { 0.0 },
                    ..none
                }
            }
            Rule::Dry { limit } if own > 0.0 => {
                Law { kept: 1.0, by_rate: 1.0 / own, least: -limit, most: limit, ..none }
            }
            Rule::Rigid { .. } | Rule::Dry { .. } | Rule::None => none,
        }
    }

    /// One place; returns how much its impulses change.
    fn visit(&mut self, k: usize) -> f64 {
        let (first, law) = (k * self.rows, self.laws[k]);
        let u = self.rate(first);
        let before = self.p[first];
        let p = (law.given + law.kept * before - law.by_rate * u).max(law.least).min(law.most);
        self.p[first] = p;
        let mut change = (p - before).abs();
        if self.rows == 1 {
            return change;
        }
        // rigid: p − u/W; compliant: −c u with the effect of the impulse on the slip
        let (mut old, mut new) = ([0.0; 2], [0.0; 2]);
        // divisions and roots only where something comes of them: each place waits for the one before
        let share = match law.drag > 0.0 {
            true => p * law.drag / (1.0 + p * law.drag * law.across),
            false => law.share,
        };
        for r in 0..(self.rows - 1).min(2) {
            let u = self.rate(first + 1 + r);
            old[r] = self.p[first + 1 + r];
            let next = -share * (u - law.across * old[r]);
            // rows that a place does not use may hold anything
            new[r] = if r < law.tangential { next } else { 0.0 };
        }
        let (square, limit) = (new[0] * new[0] + new[1] * new[1], law.mu * p);
        let part = if square > limit * limit { limit / square.sqrt() } else { 1.0 };
        for r in 0..(self.rows - 1).min(2) {
            self.p[first + 1 + r] = part * new[r];
            change = change.max((part * new[r] - old[r]).abs());
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
        // the part between normals side by side
        for (k, to) in self.normal.chunks_exact_mut(self.d.len()).enumerate() {
            let from = &self.w[k * self.rows * n..][..n];
            for (to, w) in to.iter_mut().zip(from.iter().step_by(self.rows)) {
                *to = *w;
            }
        }
        for _ in 0..sweeps {
            for k in 0..self.places {
                let w = &self.normal[k * self.d.len()..][..self.d.len()];
                let (own, gap) = (w[k], self.free[k * self.rows] + dot(w, &self.d));
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

/// Σ x y, in sums side by side: the compiler must not reorder a single one.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let (xs, ys) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    for (x, y) in xs.0.iter().zip(ys.0) {
        for i in 0..4 {
            lanes[i] += x[i] * y[i];
        }
    }
    let rest: f64 = xs.1.iter().zip(ys.1).map(|(x, y)| x * y).sum();
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + rest
}
