//! Error norms and step-size control, outside the methods.

use crate::manifold::Manifold;
use crate::problem::{Problem, Scales};
use crate::state::{Derived, State};
use delassus_math::largest;
use delassus_math::remember;
use std::ops::Range;

/// The requested accuracy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Relative to the model's size and speed.
    pub rtol: f64,
    /// Absolute, SI; added to the relative part.
    pub atol: f64,
}

/// Local error of an attempt in tangent coordinates; an empty part is not judged.
#[derive(Debug, Clone, Copy)]
pub struct ErrorView<'a> {
    /// Positions.
    pub xi: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Auxiliary states.
    pub z: &'a [f64],
    /// A second estimate, of lower order.
    pub second: Option<SecondError<'a>>,
}

/// A second, coarser estimate. The two are combined to e₁² / √(e₁² + (w e₂)²), which behaves
/// like a higher power of h than e₁ and stays sound where e₁ vanishes by chance.
#[derive(Debug, Clone, Copy)]
pub struct SecondError<'a> {
    /// Positions.
    pub xi: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Auxiliary states.
    pub z: &'a [f64],
    /// w.
    pub weight: f64,
}

/// Weights of the error norm.
///
/// Positions are measured against the model's size (or one radian), velocities against that size times the fastest rate
/// seen so far or reached in the step that is judged, auxiliary states against a size of their own. So a model scaled
/// to other units takes the same steps, and moving the origin does not loosen the tolerance. Anything indistinguishable
/// from round-off is not an error (`ROUND_OFF`), so that a system at rest or in equilibrium is not judged against its
/// own noise.
///
/// Unconnected groups have rates of their own, and the error is that of the worst group: what happens in one says
/// nothing about the accuracy that another needs. Within a group the error is a mean, but no body may err much more
/// than all together.
#[derive(Debug, Clone)]
pub struct ErrorScale {
    tol: Tolerances,
    scale: Vec<f64>,
    /// Index in q of the coordinate of each velocity; `None` for rotations.
    place: Vec<Option<usize>>,
    /// Group of each velocity.
    group: Vec<usize>,
    groups: Vec<Group>,
    /// Sizes of the coordinates if all groups had the same size, and for each velocity the larger of both rates seen so
    /// far in these sizes, 1/s.
    wide: Vec<f64>,
    own: Vec<f64>,
    /// The largest of them, or the foreseen rate, 1/s.
    fastest: f64,
    z: Vec<f64>,
    /// Size of the quantities that positions are computed from: their scale and their distance from the origin.
    size: Vec<f64>,
    /// Length of the step that is judged, s.
    h: f64,
    /// Relative error of velocities that the law of a force leaves open at present.
    open: f64,
    /// Fastest rate of what moves or is pulled in each group, 1/s, never zero.
    paces: Vec<f64>,
}
remember!(ErrorScale {
    groups, own, fastest, z, size, h, open, paces,
} apart from { tol, scale, wide, place, group });

/// Coordinates that are unconnected to all others, and their rates.
#[derive(Debug, Clone, Default)]
struct Group {
    /// Its velocities, block of M by block, and its auxiliary states.
    v: Vec<usize>,
    blocks: Vec<Range<usize>>,
    z: Vec<usize>,
    /// Fastest rate seen, 1/s, and the same including the end of the step that is judged.
    rate: f64,
    step_rate: f64,
    /// Rate at which applied forces could move the bodies if nothing held them, 1/s.
    pull: f64,
}
remember!(Group { rate, step_rate, pull } apart from { v, z, blocks });

/// Errors below this many units of round-off are ignored. A position carries the round-off of its own size; a velocity
/// carries what that amounts to within the step, and what the round-off of the applied forces does to it.
const ROUND_OFF: f64 = 16.0 * f64::EPSILON;

/// Rate of a model that moves by its own size in thirty years, 1/s: practically at rest.
const FROZEN: f64 = 1e-9;

/// Number of bodies that may be averaged as if they were alike: the error of one of them is at most √ of this number
/// times the error of all together. In a larger group most bodies may be at rest, and the mean would say nothing about
/// the one that moves.
const ALIKE: usize = 9;

/// Fraction of an acceleration that counts in a rate √(c a/L).
const GENTLE: f64 = 0.1;

impl ErrorScale {
    /// Weights for a problem.
    pub fn of<P: Problem>(p: &P, tol: Tolerances) -> ErrorScale {
        let mass = &p.structure().mass;
        let blocks = (0..mass.count()).map(|k| mass.dof(k)..mass.dof(k) + mass.sizes()[k]);
        let scale = ErrorScale::grouped(tol, &p.scales(), p.manifold(), &p.groups(), blocks);
        ErrorScale { wide: p.wide_scales(), ..scale }
    }

    /// Weights for scales on a manifold that is treated as one body.
    pub fn new(tol: Tolerances, scales: &Scales, manifold: &Manifold) -> ErrorScale {
        let (nv, nz) = (scales.q.len(), scales.z.len());
        ErrorScale::grouped(tol, scales, manifold, &vec![0; nv + nz], std::iter::once(0..nv))
    }

    fn grouped(
        tol: Tolerances,
        scales: &Scales,
        manifold: &Manifold,
        of: &[usize],
        blocks: impl Iterator<Item = Range<usize>>,
    ) -> ErrorScale {
        let (group, of_z) = of.split_at(scales.q.len());
        let count = of.iter().max().map_or(1, |last| last + 1);
        let mut groups = vec![Group::default(); count];
        group.iter().enumerate().for_each(|(i, g)| groups[*g].v.push(i));
        blocks.filter(|b| !b.is_empty()).for_each(|b| groups[group[b.start]].blocks.push(b));
        // held states have no error, and would make the mean smaller
        let with_error = of_z.iter().enumerate().filter(|(k, _)| scales.z[*k].is_finite());
        with_error.for_each(|(k, g)| groups[*g].z.push(k));
        ErrorScale {
            tol,
            scale: scales.q.clone(),
            place: manifold.places(),
            group: group.to_vec(),
            groups,
            wide: scales.q.clone(),
            own: vec![0.0; scales.q.len()],
            fastest: 0.0,
            z: scales.z.clone(),
            size: scales.q.clone(),
            h: f64::INFINITY,
            open: 0.0,
            paces: vec![1.0; count],
        }
    }

    /// Sets the rates that the motion will have, 1/s, one for each group.
    pub fn foresee(&mut self, rates: &[f64]) {
        for (group, rate) in self.groups.iter_mut().zip(rates) {
            group.rate = group.rate.max(*rate);
            group.step_rate = group.rate;
            self.fastest = self.fastest.max(*rate);
        }
        self.set_paces();
    }

    /// Records what applied forces would do to the bodies if nothing held them, per velocity.
    pub fn feel(&mut self, free: &[f64]) {
        for (i, a) in free.iter().enumerate() {
            let (own, group) = (&mut self.own[i], &mut self.groups[self.group[i]]);
            *own = own.max((GENTLE * a.abs() / self.wide[i]).sqrt());
            self.fastest = self.fastest.max(*own);
            let rate = (GENTLE * a.abs() / self.scale[i]).sqrt();
            group.pull = group.pull.max(rate).max(group.rate);
        }
        self.set_paces();
    }

    /// Records a state that was reached.
    pub fn observe(&mut self, s: &State, d: &Derived) {
        // the rate of the motion, and √(a/L), the rate that a system at rest is about to reach
        for (i, own) in self.own.iter_mut().enumerate() {
            let (v, a) = (s.v[i].abs(), GENTLE * d.a[i].abs());
            // most states are slower than those before: that much is known without a root
            let faster = |than: f64, size: f64| !(v <= than * size && a <= than * than * size);
            let rate = |size: f64| (v / size).max((a / size).sqrt());
            let (scale, wide) = (self.scale[i], self.wide[i]);
            if faster(*own, wide) {
                *own = own.max(rate(wide));
                self.fastest = self.fastest.max(*own);
            }
            let group = &mut self.groups[self.group[i]];
            if faster(group.rate, scale) {
                group.rate = group.rate.max(rate(scale));
            }
        }
        self.h = f64::INFINITY;
        for group in &mut self.groups {
            group.step_rate = group.rate;
        }
        for (z, x) in self.z.iter_mut().zip(&s.z) {
            *z = z.max(x.abs());
        }
        for ((size, scale), place) in self.size.iter_mut().zip(&self.scale).zip(&self.place) {
            *size = scale + place.map_or(0.0, |k| s.q[k].abs());
        }
        self.set_paces();
    }

    fn set_paces(&mut self) {
        for (pace, g) in self.paces.iter_mut().zip(&self.groups) {
            *pace = never_zero(g.rate.max(g.pull));
        }
    }

    /// From now on errors of velocities below this fraction of the characteristic speed count as none: a law that is
    /// rounded off there leaves them open.
    pub fn leave_open(&mut self, part: f64) {
        self.open = part;
    }

    /// From now on judges a step of length h, s, that ends here.
    pub fn judge(&mut self, h: f64, s: &State) {
        self.h = h;
        for group in &mut self.groups {
            let end = largest(group.v.iter().map(|i| s.v[*i].abs() / self.scale[*i]));
            // a rate that is not finite belongs to a step that will be rejected
            group.step_rate = if end.is_finite() { group.rate.max(end) } else { group.rate };
        }
    }

    /// Fastest rate seen so far and in the step that is judged, 1/s.
    pub fn rate(&self) -> f64 {
        self.groups.iter().fold(0.0, |most, g| g.step_rate.max(most))
    }

    /// The same for each group.
    pub fn rates(&self) -> impl Iterator<Item = f64> {
        self.groups.iter().map(|g| g.step_rate)
    }

    /// Fastest rate of what moves or is pulled, 1/s, never zero: a model in which nothing moves and nothing acts has no
    /// time scale of its own, and one second is as good as any. Anything slower than `FROZEN` is the round-off of a
    /// start, or the first moment of a ramp.
    pub fn pace(&self) -> f64 {
        never_zero(self.groups.iter().fold(0.0, |most, g| g.rate.max(g.pull).max(most)))
    }

    /// The same for each group.
    pub fn paces(&self) -> &[f64] {
        &self.paces
    }

    /// The same, measured in sizes of the whole ([`Problem::wide_scales`]), 1/s.
    pub fn wide_pace(&self) -> f64 {
        never_zero(self.fastest)
    }

    /// The pace of these velocities alone, at a state with velocities v.
    pub fn pace_of(&self, cols: &[usize], v: &[f64]) -> f64 {
        let rates = cols.iter().map(|i| self.own[*i].max(v[*i].abs() / self.wide[*i]));
        never_zero(largest(rates))
    }

    /// Round-off of the positions along a row with these coordinates and values.
    pub fn round_off_along(&self, cols: &[usize], row: &[f64]) -> f64 {
        let place = |i: usize| self.size[i] - self.scale[i];
        4.0 * f64::EPSILON * cols.iter().zip(row).map(|(i, x)| x.abs() * place(*i)).sum::<f64>()
    }

    /// Root mean square of the weighted error, for the group where it is largest; ≤ 1 is good enough.
    pub fn norm(&self, e: &ErrorView<'_>) -> f64 {
        self.worst_group(|g| self.norm_of(g, e))
    }

    /// The same per characteristic time of each group; a step counts as at least the fraction `least` of it.
    pub fn norm_per_unit(&self, e: &ErrorView<'_>, least: f64) -> f64 {
        self.worst_group(|g| self.norm_of(g, e) / (self.h * g.step_rate).max(least))
    }

    /// Root mean square of a vector with the weights of the error norm, for the group where it is largest.
    pub fn rms(&self, xi: &[f64], v: &[f64], z: &[f64]) -> f64 {
        self.worst_group(|g| self.size_in(g, xi, v, z))
    }

    fn worst_group(&self, of: impl Fn(&Group) -> f64) -> f64 {
        largest(self.groups.iter().map(of))
    }

    fn norm_of(&self, g: &Group, e: &ErrorView<'_>) -> f64 {
        let first = self.size_in(g, e.xi, e.v, e.z);
        match &e.second {
            Some(s) if first > 0.0 => {
                first * first / first.hypot(s.weight * self.size_in(g, s.xi, s.v, s.z))
            }
            _ => first,
        }
    }

    /// Error of a position that counts as 1.
    fn position_weight(&self, i: usize) -> f64 {
        let Tolerances { rtol, atol } = self.tol;
        atol + (rtol * self.scale[i]).max(ROUND_OFF * self.size[i])
    }

    /// Error of a velocity that counts as 1.
    fn velocity_weight(&self, i: usize) -> f64 {
        let Tolerances { rtol, atol } = self.tol;
        let (h, g) = (self.h, &self.groups[self.group[i]]);
        let pulled = if h.is_finite() { h * sq(g.pull) * self.scale[i] } else { 0.0 };
        // in tiny steps the round-off of positions would excuse any velocity
        let pace = self.paces[self.group[i]];
        let placed = (ROUND_OFF * self.size[i] / h).min(rtol * self.scale[i] * pace);
        let noise = placed + ROUND_OFF * pulled;
        let part = rtol.max(self.open);
        atol + (part * self.scale[i] * g.step_rate).max(noise) + f64::MIN_POSITIVE.sqrt()
    }

    /// Root mean square within a group, or the larger value that a single one of many bodies gives.
    fn size_in(&self, g: &Group, xi: &[f64], v: &[f64], z: &[f64]) -> f64 {
        let e = [xi, v, z];
        let mean = |(sum, n): (f64, usize)| if n == 0 { 0.0 } else { sum / n as f64 };
        if g.blocks.len() <= ALIKE {
            return mean(self.squares(g.v.iter().copied(), &g.z, e)).sqrt();
        }
        let (mut sum, mut n) = self.squares(0..0, &g.z, e);
        let mut worst = 0.0;
        for block in &g.blocks {
            let own = self.squares(block.clone(), &[], e);
            (sum, n) = (sum + own.0, n + own.1);
            worst = largest([worst, mean(own)]);
        }
        mean((sum, n)).max(worst / ALIKE as f64).sqrt()
    }

    /// Sum of squares over the components of these velocities and auxiliary states, and their number.
    fn squares(
        &self,
        cols: impl ExactSizeIterator<Item = usize> + Clone,
        states: &[usize],
        [xi, v, z]: [&[f64]; 3],
    ) -> (f64, usize) {
        let Tolerances { rtol, atol } = self.tol;
        let tiny = f64::MIN_POSITIVE.sqrt();
        let (mut sum, mut n) = (0.0, 0);
        if !xi.is_empty() {
            n += cols.len();
            sum = cols.clone().fold(sum, |sum, i| sum + sq(xi[i] / self.position_weight(i)));
        }
        if !v.is_empty() {
            n += cols.len();
            sum = cols.fold(sum, |sum, i| sum + sq(v[i] / self.velocity_weight(i)));
        }
        if !z.is_empty() {
            n += states.len();
            let weight = |k: usize| atol + rtol.max(ROUND_OFF) * self.z[k] + tiny;
            sum = states.iter().fold(sum, |sum, k| sum + sq(z[*k] / weight(*k)));
        }
        (sum, n)
    }

    /// Fastest velocity, in sizes of the model (or radians) per second, and its index; NaN counts.
    pub fn fastest(&self, v: &[f64]) -> (f64, usize) {
        let mut most = (0.0_f64, 0);
        for (i, (v, s)) in v.iter().zip(&self.scale).enumerate() {
            if !most.0.is_nan() && !(v.abs() / s <= most.0) {
                most = (v.abs() / s, i);
            }
        }
        most
    }

    /// Largest error of a position, in sizes of the model (or radians).
    pub fn largest_position(&self, e: &ErrorView<'_>) -> f64 {
        let sizes = e.xi.iter().zip(&self.scale).map(|(x, s)| x.abs() / s);
        delassus_math::largest(sizes)
    }

    /// The (at most three) coordinates with the largest weighted error, worst first.
    /// Does not allocate when `out` has room for three.
    pub fn worst(&self, e: &ErrorView<'_>, out: &mut Vec<usize>) {
        let weight = |i: usize| {
            let xi = e.xi.get(i).map_or(0.0, |x| (x / self.position_weight(i)).abs());
            let v = e.v.get(i).map_or(0.0, |x| (x / self.velocity_weight(i)).abs());
            xi.max(v)
        };
        out.clear();
        for i in 0..self.scale.len() {
            let w = weight(i);
            let at = out.iter().position(|k| w > weight(*k)).unwrap_or(out.len());
            if at < 3 {
                out.truncate(2);
                out.insert(at.min(out.len()), i);
            }
        }
    }

    /// A cautious first step for a method of this order, s.
    pub fn first_step(&self, order: u32) -> f64 {
        let tol = (self.tol.rtol + self.tol.atol).max(1e-14);
        0.5 * tol.powf(1.0 / f64::from(order)) / self.pace()
    }
}

fn never_zero(rate: f64) -> f64 {
    if rate > FROZEN { rate } else { 1.0 }
}

fn sq(x: f64) -> f64 {
    x * x
}

/// PI step-size control (Gustafsson; constants of DOPRI5 for order 5).
#[derive(Debug, Clone)]
pub struct StepControl {
    exponent: f64,
    beta: f64,
    grow: f64,
    err_old: f64,
    rejected: bool,
}
remember!(StepControl { exponent, beta, grow, err_old, rejected });

/// Safety factor on the predicted step. The usual 0.9 rejects every fifth attempt on mechanisms that speed up and slow
/// down (A1: 60 of 300 attempts, against 6 of 264 with 0.8 at equal error), and a rejected attempt costs as much as a
/// step.
const SAFETY: f64 = 0.8;

impl StepControl {
    /// Control for an error measure that behaves like h to the power `order`.
    pub fn new(order: u32) -> StepControl {
        let mut control =
            StepControl { exponent: 0.0, beta: 0.0, grow: 0.0, err_old: 1e-4, rejected: false };
        control.set_order(order);
        control
    }

    /// From now on the error measure behaves like h to the power `order`.
    pub fn set_order(&mut self, order: u32) {
        self.beta = 0.2 / f64::from(order);
        self.exponent = 1.0 / f64::from(order) - 0.75 * self.beta;
        self.grow = if order >= 4 { 5.0 } else { 2.0 };
    }

    /// Factor for the next step after an accepted one with this error.
    pub fn accepted(&mut self, err: f64) -> f64 {
        let e = err.max(1e-10);
        let fac = SAFETY * self.err_old.powf(self.beta) / e.powf(self.exponent);
        let max = if self.rejected { 1.0 } else { self.grow };
        self.err_old = e.max(1e-4);
        self.rejected = false;
        fac.clamp(0.2, max)
    }

    /// Factor after a rejected attempt with this error.
    pub fn rejected(&mut self, err: f64) -> f64 {
        self.rejected = true;
        (SAFETY / err.powf(self.exponent)).clamp(0.1, 0.9)
    }

    /// Factor after an attempt that failed without an error estimate.
    pub fn failed(&mut self) -> f64 {
        self.rejected = true;
        0.25
    }
}
