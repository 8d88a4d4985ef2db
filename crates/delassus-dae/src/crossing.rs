//! Detects steps across a singular position of the constraints, and whether the motion itself goes across.
//!
//! At a singular position two branches of g = 0 cross. Let s be the distance along the branch of the motion and x the
//! distance off it: the row that becomes weak is g = s x. A linkage whose lengths are slightly off has g = s x − c
//! instead. Its branches do not cross; they turn away from each other within √c, and the motion goes round that bend
//! however short it is. A step that is long compared with the bend goes straight on and arrives on a curve that no
//! motion leads to, on which all constraints hold and energy is kept: nothing else in a run notices it.
//!
//! **Across.** Let G u = y at the start of a step with the weakest combination y of rows, and G u′ = y at its end. If
//! the weak row passed through zero in between, u′ points against u. Along a motion that goes round a bend, the rows
//! turn with it and keep their sense.
//!
//! **How far off.** Let F be the weak combination of g where all others are zero, as a function of the place along the
//! step and of x. Its saddle is the singular position, and −c its value there. Newton's method with differences finds
//! the saddle; since F is level there, the error of c is the square of the error of the place.

use crate::accel::Accel;
use crate::dense::Hermite;
use crate::problem::Problem;
use crate::state::{Derived, State};
use delassus_linalg::KktError;

/// Inverse iterations for the weakest combination of rows.
const INVERSE: usize = 3;
/// Iterations that bring the other rows to zero with the matrix of the start, each gaining about the fraction of a
/// radian by which the step turns; and the residual allowed for them, relative to their scales.
const CHORDS: usize = 30;
const HELD: f64 = 1e-13;
/// Iterations for the saddle.
const SADDLE: usize = 8;
/// Spacing of differences, in sizes of the model or radians, and its upper limit in lengths of the step: its cube is
/// small compared with the slopes needed, and so is round-off over its square.
const APART: f64 = 1e-4;
const APART_STEP: f64 = 0.1;
/// Distance from the saddle, in this spacing, within which its value is known from slope and curvature.
const CLOSE: f64 = 0.01;
/// Residuals below this are meaningless, in units of rounding.
const ROUNDINGS: f64 = 100.0;

/// A step that goes across.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Across {
    /// Where in the step, from 0 to 1.
    pub part: f64,
    /// Smallest relative pivot at its start.
    pub pivot: f64,
    /// By how much the constraints miss the singular position, relative to their scales; zero if that is round-off.
    pub level: f64,
}

/// Examines steps; owns its buffers.
pub struct Crossing {
    acc: Accel,
    end_pivot: f64,
    path: Hermite,
    inside: State,
    /// Per row: one over its scale; zero for rows that others imply or that have no position level.
    weight: Vec<f64>,
    n_pos: usize,
    size: Vec<f64>,
    /// Indices of positions in q, and the scale of each.
    places: Vec<(usize, f64)>,
    /// The weakest combination, of rows over their scales, and the motion it causes at both ends.
    y: Vec<f64>,
    u: [Vec<f64>; 2],
    b: Vec<f64>,
    lambda: Vec<f64>,
    none: Vec<f64>,
    dx: Vec<f64>,
    /// Correction that brought the rows to zero in the middle of the stencil; its neighbours start with the same.
    fix: Vec<f64>,
    q: Vec<f64>,
}

impl Crossing {
    /// Sizes everything for a problem.
    pub fn new<P: Problem>(p: &P) -> Result<Crossing, KktError> {
        let (d, scales) = (p.dims(), p.scales());
        let mut weight: Vec<f64> = scales.row.iter().map(|s| 1.0 / s).collect();
        weight[d.n_pos..].fill(0.0);
        if let Some(rows) = &p.structure().independent_rows {
            let chosen = |i: &usize| rows.binary_search(i).is_ok();
            (0..d.n_vel).filter(|i| !chosen(i)).for_each(|i| weight[i] = 0.0);
        }
        let places = p.manifold().places();
        let places = places.iter().zip(&scales.q).filter_map(|(at, s)| at.map(|at| (at, *s)));
        let (rows, cols) = (|| vec![0.0; d.n_vel], || vec![0.0; d.nv]);
        Ok(Crossing {
            acc: Accel::new(p)?,
            end_pivot: 1.0,
            path: Hermite::new(d.nq, d.nv, d.nz),
            inside: State { t: 0.0, q: vec![0.0; d.nq], v: cols(), z: vec![0.0; d.nz] },
            weight,
            n_pos: d.n_pos,
            places: places.collect(),
            size: scales.q,
            y: rows(),
            u: [cols(), cols()],
            b: rows(),
            lambda: rows(),
            none: cols(),
            dx: cols(),
            fix: cols(),
            q: vec![0.0; d.nq],
        })
    }

    /// Smallest relative pivot at the end of the step examined last.
    pub fn pivot(&self) -> f64 {
        self.end_pivot
    }

    /// Whether the step from one state to another goes across a singular position, or, for a `jump`, whether there is
    /// one at all. Also `None` if the matrices do not tell. Leaves the workspace realised anywhere.
    pub fn look<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        (from, d0): (&State, &Derived),
        (to, d1): (&State, &Derived),
        jump: bool,
    ) -> Option<Across> {
        self.end_pivot = 1.0;
        let before = self.weakest(p, ws, from)?;
        let after = self.factor(p, ws, to)?;
        self.end_pivot = after;
        self.solve(1)?;
        let [u0, u1] = &self.u;
        let sense: f64 = (0..u0.len()).map(|i| u0[i] * u1[i] / self.size[i].powi(2)).sum();
        if !(sense < 0.0 || jump) {
            return None;
        }
        self.factor(p, ws, from)?;
        let m = p.manifold();
        self.path.fit(m, from, d0, to, d1);
        m.local(&from.q, &to.q, &mut self.dx);
        let way = self.sizes(&self.dx);
        let unit = 1.0 / self.sizes(&self.u[0]);
        self.u[0].iter_mut().for_each(|u| *u *= unit);
        let part = before.sqrt() / (before.sqrt() + after.sqrt());
        let (part, level) = self.saddle(p, ws, (from.t, to.t), way, [part, before.sqrt()])?;
        let far = self.places.iter().map(|(at, s)| from.q[*at].abs() / s);
        let far = far.fold(1.0, f64::max);
        let level = if level.abs() <= ROUNDINGS * f64::EPSILON * far { 0.0 } else { level.abs() };
        Some(Across { part, pivot: before, level })
    }

    /// The weakest combination of rows at a state, in `y`; the motion it causes, in the first `u`; the pivot.
    fn weakest<P: Problem>(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Option<f64> {
        let pivot = self.factor(p, ws, s)?;
        // generic, and the same in every run
        for (i, (y, w)) in self.y.iter_mut().zip(&self.weight).enumerate() {
            *y = if *w > 0.0 { 1.0 + 0.37 * ((i * 7 + 3) % 5) as f64 } else { 0.0 };
        }
        for _ in 0..INVERSE {
            self.solve(0)?;
            let norm: f64 =
                self.lambda.iter().zip(&self.weight).map(|(l, w)| scaled(*l, *w).powi(2)).sum();
            let norm = norm.sqrt();
            if !(norm > 0.0 && norm.is_finite()) {
                return None;
            }
            for i in 0..self.y.len() {
                self.y[i] = scaled(self.lambda[i], self.weight[i]) / norm;
            }
        }
        self.solve(0)?;
        Some(pivot)
    }

    fn factor<P: Problem>(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Option<f64> {
        self.acc.weakest_pivot = 1.0;
        self.acc.factor_at(p, ws, s.t, &s.q, &s.z).ok()?;
        Some(self.acc.weakest_pivot)
    }

    /// G u = y, with multipliers.
    fn solve(&mut self, end: usize) -> Option<()> {
        for i in 0..self.b.len() {
            self.b[i] = scaled(self.y[i], self.weight[i]);
        }
        self.acc.solve(&self.none, &self.b, &mut self.u[end], &mut self.lambda).ok()
    }

    /// Largest component relative to the sizes of the model.
    fn sizes(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.size).fold(0.0, |m: f64, (x, s)| m.max(x.abs() / s))
    }

    /// The weak combination of g where all others are zero, at this part of the step and this far off it. The point in the
    /// `middle` of a stencil comes first; its neighbours start from the correction that it needed.
    fn value<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        t: (f64, f64),
        [part, out]: [f64; 2],
        middle: bool,
    ) -> Option<f64> {
        let m = p.manifold();
        let h = t.1 - t.0;
        // beyond the ends straight on: the polynomial is meaningless there
        let within = part.clamp(0.0, 1.0);
        self.path.at(m, t.0 + within * h, &mut self.inside);
        let s = &mut self.inside;
        let beyond = (part - within) * h;
        s.t += beyond;
        for (i, dx) in self.dx.iter_mut().enumerate() {
            *dx = out * self.u[0][i] + beyond * s.v[i] + self.fix[i];
        }
        let mut last = f64::INFINITY;
        for _ in 0..CHORDS {
            m.retract(&s.q, &self.dx, &mut self.q);
            s.q.copy_from_slice(&self.q);
            p.realize_position(s.t, &s.q, &s.z, ws);
            p.residual_pos(ws, &mut self.b[..self.n_pos]);
            let weak: f64 = (0..self.n_pos).map(|i| self.y[i] * self.b[i] * self.weight[i]).sum();
            let mut worst = 0.0_f64;
            for i in 0..self.b.len() {
                let left = if i < self.n_pos {
                    self.b[i] * self.weight[i] - weak * self.y[i]
                } else {
                    0.0
                };
                worst = worst.max(left.abs());
                self.b[i] = -scaled(left, self.weight[i]);
            }
            // converged, or at round-off, where it cannot improve
            if worst <= HELD && !(worst < 0.5 * last) {
                return Some(weak);
            }
            last = worst;
            self.acc.correct(&self.b, &mut self.dx).ok()?;
            if middle {
                self.fix.iter_mut().zip(&self.dx).for_each(|(fix, dx)| *fix += dx);
            }
        }
        None
    }

    /// Finds the saddle, starting from about this part of a step of the given length, in sizes; the distance off the
    /// step is measured in the same units. Returns where it is, in steps, and its value.
    fn saddle<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        t: (f64, f64),
        way: f64,
        [part, far]: [f64; 2],
    ) -> Option<(f64, f64)> {
        let apart = APART.min(APART_STEP * way);
        // places are counted in sizes, along the step and off it
        self.fix.fill(0.0);
        let mut f = |x: [f64; 2], middle| self.value(p, ws, t, [x[0] / way, x[1]], middle);
        let mut x = [part * way, 0.0];
        for _ in 0..SADDLE {
            let mut at =
                |i: f64, j: f64| f([x[0] + i * apart, x[1] + j * apart], i == 0.0 && j == 0.0);
            let (here, e, w, n, s) =
                (at(0.0, 0.0)?, at(1.0, 0.0)?, at(-1.0, 0.0)?, at(0.0, 1.0)?, at(0.0, -1.0)?);
            let slope = [0.5 * (e - w), 0.5 * (n - s)];
            // accurate to first order in `apart`, which is enough for Newton's method
            let b = at(1.0, 1.0)? - e - n + here;
            let [a, c] = [e - 2.0 * here + w, n - 2.0 * here + s];
            let det = a * c - b * b;
            if !(det < 0.0) {
                return None;
            }
            let step = [
                (-c * slope[0] + b * slope[1]) / det * apart,
                (b * slope[0] - a * slope[1]) / det * apart,
            ];
            let change = 0.5 * (slope[0] * step[0] + slope[1] * step[1]) / apart;
            let length = step[0].abs().max(step[1].abs());
            let cut = (0.5 * way.max(far) / length).min(1.0);
            x = [x[0] + cut * step[0], x[1] + cut * step[1]];
            if cut == 1.0 && length <= CLOSE * apart {
                return Some((x[0] / way, here + change));
            }
        }
        None
    }
}

/// A number divided by a weight; zero if the weight is zero.
fn scaled(x: f64, weight: f64) -> f64 {
    if weight > 0.0 { x / weight } else { 0.0 }
}
