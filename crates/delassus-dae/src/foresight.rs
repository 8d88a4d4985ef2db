//! What can be known about the speed of a motion before it begins.
//!
//! A model at rest has neither velocities nor accelerations to measure errors against. Two things are known
//! nevertheless: what the applied forces would do to its bodies if nothing held them, and when its time-dependent
//! elements will have moved it by its own size.

use crate::problem::{Problem, Scales, at};
use crate::state::State;

/// Times from the start at which time-dependent elements are evaluated: powers of four between these exponents, s. The
/// range is merely wide enough for anything that is simulated; the result does not depend on it.
const EXPONENTS: std::ops::RangeInclusive<i32> = -15..=15;
/// Bisections, in the exponent, of the interval in which the time was found.
const HALVINGS: usize = 30;

/// Examines a problem from one state.
pub struct Foresight<'a, P: Problem> {
    p: &'a P,
    s: &'a State,
    scales: Scales,
    /// Diagonal of M.
    inertia: Vec<f64>,
    /// f and g at the state.
    force: Vec<f64>,
    residual: Vec<f64>,
    mass: Vec<f64>,
    now: [Vec<f64>; 2],
    /// Groups of the velocities, and of the rows of g.
    group: Vec<usize>,
    row_group: Vec<usize>,
    /// How far each group is moved, in its own sizes.
    moved: Vec<f64>,
}

impl<'a, P: Problem> Foresight<'a, P> {
    /// At a state.
    pub fn new(p: &'a P, ws: &mut P::Ws, s: &'a State) -> Foresight<'a, P> {
        let (d, blocks) = (p.dims(), &p.structure().mass);
        let group = p.groups();
        let first = |row: usize| p.structure().jac.row(row).first().map_or(0, |col| group[*col]);
        let mut f = Foresight {
            p,
            s,
            scales: p.scales(),
            inertia: vec![0.0; d.nv],
            force: vec![0.0; d.nv],
            residual: vec![0.0; d.n_pos],
            mass: vec![0.0; blocks.value_len()],
            now: [vec![0.0; d.nv], vec![0.0; d.n_pos]],
            row_group: (0..d.n_pos).map(first).collect(),
            moved: vec![0.0; group.iter().max().map_or(1, |last| last + 1)],
            group,
        };
        f.evaluate_now(ws, s.t);
        let [force, residual] = &f.now;
        f.force.copy_from_slice(force);
        f.residual.copy_from_slice(residual);
        at(p, ws, s.t, &s.q, &s.z).velocity(&s.v, &s.z).mass(&mut f.mass);
        for k in 0..blocks.count() {
            let (n, i0, v0) = (blocks.sizes()[k], blocks.dof(k), blocks.value(k));
            for i in 0..n {
                f.inertia[i0 + i] = f.mass[v0 + i * n + i];
            }
        }
        f
    }

    /// Accelerations that the applied forces would cause if nothing held the bodies; zero for coordinates without
    /// inertia.
    pub fn free(&self) -> Vec<f64> {
        let free = self.force.iter().zip(&self.inertia);
        free.map(|(f, m)| if *m > 0.0 { f.abs() / m } else { 0.0 }).collect()
    }

    /// For each group, one over the time until its time-dependent elements will have moved it, from where it is, by its
    /// own size, 1/s; zero if that takes longer than one over `least`, or never happens.
    pub fn rates(&mut self, ws: &mut P::Ws, least: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.moved.len()];
        let mut left: Vec<usize> = (0..rates.len()).collect();
        let mut before = 0.0;
        for k in EXPONENTS {
            let later = 4f64.powi(k);
            left.retain(|g| later * least[*g] < 1.0);
            if left.is_empty() {
                break;
            }
            if self.s.t + later == self.s.t {
                continue;
            }
            self.look(ws, later);
            left.retain(|g| self.moved[*g].is_finite());
            let (moved, rest): (Vec<_>, Vec<_>) = left.iter().partition(|g| self.moved[**g] >= 1.0);
            match before {
                0.0 => moved.iter().for_each(|g: &usize| rates[*g] = 1.0 / later),
                _ => self.refine(ws, moved, (before, later), HALVINGS, &mut rates),
            }
            left = rest;
            before = later;
        }
        rates
    }

    /// The times at which groups have moved by their size, between one time before and one after. Groups that move
    /// alike are treated together.
    fn refine(
        &mut self,
        ws: &mut P::Ws,
        groups: Vec<usize>,
        (low, high): (f64, f64),
        halvings: usize,
        rates: &mut [f64],
    ) {
        if groups.is_empty() {
            return;
        }
        if halvings == 0 {
            groups.iter().for_each(|g| rates[*g] = 1.0 / high);
            return;
        }
        let middle = (low * high).sqrt();
        self.look(ws, middle);
        let (moved, rest): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|g| self.moved[*g] >= 1.0);
        self.refine(ws, moved, (low, middle), halvings - 1, rates);
        self.refine(ws, rest, (middle, high), halvings - 1, rates);
    }

    /// How far, in its own sizes, each group is moved within a time by what has changed at its end.
    fn look(&mut self, ws: &mut P::Ws, later: f64) {
        self.evaluate_now(ws, self.s.t + later);
        let [force, residual] = &self.now;
        self.moved.fill(0.0);
        for (i, f) in force.iter().enumerate() {
            let change = (f - self.force[i]).abs();
            if self.inertia[i] > 0.0 && change > 0.0 {
                // the same measure as for accelerations in the error norm
                let rate = (0.1 * change / (self.inertia[i] * self.scales.q[i])).sqrt();
                let moved = &mut self.moved[self.group[i]];
                *moved = largest(*moved, rate * later);
            }
        }
        for (i, g) in residual.iter().enumerate() {
            let moved = &mut self.moved[self.row_group[i]];
            *moved = largest(*moved, (g - self.residual[i]).abs() / self.scales.row[i]);
        }
    }

    fn evaluate_now(&mut self, ws: &mut P::Ws, t: f64) {
        let here = at(self.p, ws, t, &self.s.q, &self.s.z).velocity(&self.s.v, &self.s.z);
        let [force, residual] = &mut self.now;
        here.force(force);
        here.residual_pos(residual);
    }
}

/// The larger one; NaN if one of them is.
fn largest(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}
