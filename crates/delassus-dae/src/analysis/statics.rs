//! Where a system rests: f(q, 0, z, t) + Gᵀλ = 0 on g(q, t) = 0, with one-sided constraints.
//!
//! Each iteration solves
//!
//! ```text
//! (K + μW) ξ − Gᵀλ = f,   G ξ = −g,   rows of closed points likewise
//! ```
//!
//! which is Newton's method for μ = 0 and the way downhill for large μ: an implicit step of a body that creeps through honey.
//! A step counts if the forces do work along it; how well that work is foretold decides on μ. So the search ends at
//! a minimum of the energy where there is one, and at a saddle only if it starts there. Time stands still: prescribed motions
//! are held where they are at the time of the start. Integrals of controllers are unknowns, with ż = 0.

use super::equilibrium::{Equilibrium, StaticOptions, StaticsError};
use super::matrices::Sparse;
use super::static_rows::{
    ActiveSet, Candidate, ClosedPoint, PressedPoint, add_curvature, add_pressed, base_rows,
    candidates,
};
use crate::problem::StateSlopes;
use crate::state::State;
use crate::unilateral::{PointId, Unilateral};
use delassus_linalg::{Backend, TangentKkt, rank};

/// Step, in sizes of the coordinates, at which Newton's method has converged.
const CONVERGED: f64 = 1e-10;
/// Steps after that which are to gain the last digits.
const POLISH: usize = 4;
/// Residual of rows, in their sizes, that is as good as none.
const CLOSED: f64 = 1e-9;
/// First step at most, in sizes of the coordinates.
const FIRST: f64 = 0.1;
/// Part of the largest stiffness below which μ is not taken: what rounding does in directions without stiffness stays small.
const FLOOR: f64 = 1e-9;
/// The least such part, and the factor by which it is approached where μ and not K decides on the steps near the end: soft as a
/// beam of a thousand stiff elements is, its stiffness is well above rounding.
const LOWEST_FLOOR: f64 = 1e-14;
const LOWER: f64 = 0.1;
/// Part of the work of μ that a direction with stiffness takes from K at least; rounding takes less.
const NOT_ROUNDING: f64 = 1e-5;
/// Part of the largest stiffness below which the work of a step is nothing, however soft its direction.
const NO_WORK: f64 = 1e-18;
/// Sizes of the coordinates that a search may go, there and back, before there is no equilibrium: what is driven turns for ever.
const FAR: f64 = 300.0;
/// The same where steps are kept short, by contacts or counted turns.
const FAR_SHORT: f64 = 50.0;
/// Linear systems that a search may solve, and how many unknowns they may have together: searches that do not end do so in time.
const MOST_SOLVES: usize = 4000;
const MOST_UNKNOWNS: usize = 2_000_000;
/// Changes of the active set within a step.
const MOST_CHANGES: usize = 60;

/// Everything at one configuration.
struct Point {
    q: Vec<f64>,
    z: Vec<f64>,
    /// With the forces of compliant contact.
    f: Vec<f64>,
    g: Vec<f64>,
    near: Vec<Candidate>,
    /// Largest residual of rows and of what is closed.
    violation: f64,
}

struct Step {
    xi: Vec<f64>,
    zeta: Vec<f64>,
    /// Of the rows of joints that are solved with, then of the active points.
    lambda: Vec<f64>,
    /// ξᵀ K ξ and ξᵀ W ξ μ.
    curvature: f64,
    creep: f64,
    /// λᵀ G ξ: work of bringing rows back.
    restoring: f64,
    set: ActiveSet,
}

struct Search<'a, P: Unilateral> {
    p: &'a P,
    ws: P::Ws,
    t: f64,
    scale: Vec<f64>,
    row_scale: Vec<f64>,
    rows: Vec<usize>,
    /// Auxiliary states that are unknowns.
    live: Vec<usize>,
    kkt: Option<(Sparse, Sparse, TangentKkt)>,
    /// Closed before: what the next step begins with.
    closed: Vec<(PointId, [u32; 2])>,
    margin: f64,
    /// There are one-sided constraints.
    one_sided: bool,
    /// Forces of the points that were closed in the last step.
    loads: Vec<ClosedPoint>,
    solves: usize,
    unknowns: usize,
    /// Unit of forces over displacements in the linear systems.
    unit: f64,
}

/// Searches for an equilibrium from a configuration that holds the rows.
pub fn equilibrium<P: Unilateral>(
    p: &P,
    start: &State,
    options: StaticOptions,
) -> Result<Equilibrium, StaticsError> {
    let scales = p.scales();
    let mut search = Search {
        p,
        ws: p.workspace(),
        t: start.t,
        scale: scales.q,
        row_scale: scales.row,
        rows: base_rows(p),
        live: Vec::new(),
        kkt: None,
        closed: Vec::new(),
        margin: 0.5 * p.length(),
        one_sided: false,
        loads: Vec::new(),
        solves: 0,
        unknowns: 0,
        unit: 1.0,
    };
    let mut any = Vec::new();
    p.realize_position(start.t, &start.q, &start.z, &mut search.ws);
    let crowded = p.near_at_most(&search.ws, f64::INFINITY, 1, &mut any).is_err();
    search.one_sided = crowded || !any.is_empty();
    search.find(start, options)
}

impl<P: Unilateral> Search<'_, P> {
    fn find(&mut self, start: &State, options: StaticOptions) -> Result<Equilibrium, StaticsError> {
        let d = self.p.dims();
        let mut here = self.evaluate(start.q.clone(), start.z.clone());
        if !here.f.iter().all(|x| x.is_finite()) {
            return Err(StaticsError::NonFinite);
        }
        self.find_live(&here)?;
        // multipliers of the way downhill: K needs some
        let mut lambda = self.step(&here, &vec![0.0; d.n_vel], None)?.lambda;
        let mut mu = f64::NAN;
        let mut reach = if self.one_sided { 0.3 } else { 1.0 };
        let mut travelled = 0.0;
        let (mut polish, mut last, mut previous) = (0, f64::INFINITY, f64::INFINITY);
        let mut first_step = None;
        let mut iterations = 0;
        let mut uphill = false;
        let mut part_of_largest = FLOOR;
        while iterations < options.max_iterations
            && self.solves < MOST_SOLVES
            && self.unknowns < MOST_UNKNOWNS
        {
            iterations += 1;
            let base = self.base_multipliers(&lambda);
            let k_max = self.energy_size(&here, &base);
            if mu.is_nan() {
                mu = (self.work_size(&here.f) / FIRST).max(FLOOR * k_max);
            }
            let floor = part_of_largest * k_max;
            // Newton's method alone, as a measure of how far it is
            if first_step.is_none() {
                let newton = self.step(&here, &base, Some(floor));
                first_step = newton.ok().map(|s| self.size(&s.xi));
            }
            let step = self.step(&here, &base, Some(mu.max(floor)));
            let step = step.ok().filter(|s| self.size(&s.xi).is_finite());
            let Some(step) = step else {
                uphill = true;
                mu = (10.0 * mu).max(1e-12 * k_max);
                if !(mu < 1e12 * k_max) {
                    break;
                }
                continue;
            };
            let size = self.size(&step.xi);
            if mu <= 1.001 * floor
                && step.curvature > NOT_ROUNDING * step.creep
                && step.creep > LOWER * step.curvature
            {
                part_of_largest = (LOWER * part_of_largest).max(LOWEST_FLOOR);
            }
            let settling = here.violation > CLOSED || !self.live.is_empty();
            if !settling && size > 1e-7 && !(step.curvature + step.creep > 0.0) {
                // K turns the step round: more honey
                mu = (4.0 * mu).max(1e-9 * k_max);
                uphill = true;
                if !(mu < 1e12 * k_max) {
                    break;
                }
                continue;
            }
            let idle = step.curvature + step.creep <= NO_WORK * k_max;
            let done = mu <= 1.001 * floor && (size <= CONVERGED || idle);
            last = size;
            let mut part = if size > reach { reach / size } else { 1.0 };
            let mut accepted = None;
            for _ in 0..14 {
                let there = self.advance(&here, &step, part);
                if there.f.iter().all(|x| x.is_finite()) && there.violation.is_finite() {
                    let (work, foretold, whole) = self.work(&here, &there, &step, part);
                    let closer = there.violation <= (0.9 * here.violation).max(1e-6);
                    // where the way to a contact does most of the work, what is left beside it is rounding
                    let hidden = foretold.abs() <= 1e-6 * whole.abs();
                    let downhill = foretold > 0.0 && (work > 0.0 || hidden && whole > 0.0);
                    if size * part <= 1e-7 || downhill || settling && closer {
                        let ratio = if hidden { 1.0 } else { work / foretold };
                        let good = size * part <= 1e-7 || settling || (ratio - 1.0).abs() < 0.5;
                        accepted = Some((there, good, ratio));
                        break;
                    }
                }
                part *= 0.4;
            }
            let Some((there, good, ratio)) = accepted else {
                mu = (8.0 * mu).max(1e-9 * k_max);
                reach = (0.25 * reach).max(1e-6);
                if !(mu < 1e12 * k_max) {
                    break;
                }
                continue;
            };
            self.closed = step.set.ids(&here.near);
            self.loads = step.set.forces(&here.near, &step.lambda[self.rows.len()..]);
            lambda = step.lambda;
            here = there;
            if good {
                let factor = match (ratio - 1.0).abs() < 0.1 || size <= 1e-7 {
                    _ if uphill => 1.0,
                    true => 0.03,
                    false => 0.25,
                };
                mu = (factor * mu).max(floor);
                if part < 1.0 || size > 0.5 * reach {
                    let most: f64 = match self.one_sided || d.nz > 0 {
                        true => 0.3,
                        false => 1e3,
                    };
                    reach = (2.0 * reach).min(most);
                }
            } else {
                mu = (2.0 * mu).max(1e-9 * k_max);
                reach = (0.5 * reach).max(1e-6);
            }
            uphill = false;
            if done && here.violation <= CLOSED {
                polish += 1;
                if polish > POLISH || size == 0.0 || size <= CONVERGED && size >= 0.5 * previous {
                    return self.finish(here, iterations, size, first_step);
                }
            }
            previous = size;
            travelled += part * size;
            let far = if self.one_sided || d.nz > 0 { FAR_SHORT } else { FAR };
            if travelled > far {
                let direction = self.unit(&step.xi);
                let state = Box::new(self.state(&here));
                return Err(StaticsError::Unbalanced { direction, state });
            }
        }
        let base = self.base_multipliers(&lambda);
        let k = self.energy_size(&here, &base);
        let step = self.step(&here, &base, Some(mu.max(k)));
        let state = Box::new(self.state(&here));
        let direction = step.map_or_else(|_| vec![0.0; d.nv], |s| self.unit(&s.xi));
        Err(StaticsError::NotFound { iterations, step: last, direction, state })
    }

    /// Everything at a configuration.
    fn evaluate(&mut self, q: Vec<f64>, z: Vec<f64>) -> Point {
        let (p, d) = (self.p, self.p.dims());
        let zero = vec![0.0; d.nv];
        p.realize_position(self.t, &q, &z, &mut self.ws);
        p.realize_velocity(&zero, &z, &mut self.ws);
        let (mut f, mut g) = (vec![0.0; d.nv], vec![0.0; d.n_pos]);
        p.force(&self.ws, &mut f);
        p.residual_pos(&self.ws, &mut g);
        let near = candidates(p, &self.ws, self.margin, &self.closed);
        add_pressed(p, &self.ws, &near, &mut f, None);
        let of_rows = self.rows.iter().filter(|i| **i < d.n_pos);
        let mut violation =
            delassus_math::largest(of_rows.map(|i| (g[*i] / self.row_scale[*i]).abs()));
        let length = p.length();
        for c in near.iter().filter(|c| c.press.is_none() && c.law.has_gap()) {
            let size = length * p.gap_per_metre(c.id);
            violation = violation.max(-c.at.gap / size);
        }
        Point { q, z, f, g, near, violation }
    }

    /// Finds which auxiliary states are unknowns.
    fn find_live(&mut self, here: &Point) -> Result<(), StaticsError> {
        let (p, d) = (self.p, self.p.dims());
        let mut slopes = StateSlopes::default();
        self.realize(here);
        p.state_slopes(&self.ws, &mut slopes);
        let mut rates = vec![0.0; d.nz];
        p.z_dot(&self.ws, &mut rates);
        for k in 0..d.nz {
            if !slopes.force_by_z.iter().any(|e| e.1 == k && e.2 != 0.0) {
                continue;
            }
            let depends =
                |list: &[(usize, usize, f64)]| list.iter().any(|e| e.0 == k && e.2 != 0.0);
            if depends(&slopes.rate_by_q) || depends(&slopes.rate_by_z) {
                self.live.push(k);
            } else if rates[k] != 0.0 {
                return Err(StaticsError::Restless { state: k, rate: rates[k] });
            }
        }
        Ok(())
    }

    fn realize(&mut self, here: &Point) {
        let zero = vec![0.0; self.p.dims().nv];
        self.p.realize_position(self.t, &here.q, &here.z, &mut self.ws);
        self.p.realize_velocity(&zero, &here.z, &mut self.ws);
    }

    /// Entries of K at a point.
    fn stiffness(&mut self, here: &Point, base: &[f64]) -> Vec<(usize, usize, f64)> {
        let p = self.p;
        self.realize(here);
        let structure = p.structure();
        let zero = vec![0.0; p.dims().nv];
        let mut values = vec![0.0; structure.tangent.nnz()];
        p.tangent(&self.ws, &zero, base, 1.0, 0.0, &mut values);
        let k = Sparse { pattern: structure.tangent.clone(), values };
        let mut entries: Vec<_> = k.entries().collect();
        let mut unused = vec![0.0; zero.len()];
        add_pressed(p, &self.ws, &here.near, &mut unused, Some(&mut entries));
        add_curvature(p, &self.ws, &here.near, &self.loads, &mut entries);
        entries
    }

    /// Largest stiffness, or work of a force, in sizes of the coordinates.
    fn energy_size(&mut self, here: &Point, base: &[f64]) -> f64 {
        let k = self.stiffness(here, base);
        let s = &self.scale;
        let own = k.iter().filter(|e| e.0 == e.1).map(|e| e.2.abs() * s[e.0] * s[e.0]);
        let size = delassus_math::largest(own).max(self.work_size(&here.f));
        // where nothing acts at all, anything will do
        if size > 1e-100 { size } else { 1.0 }
    }

    /// A step with K + μW, or with W alone; the active set is that of the step.
    fn step(&mut self, here: &Point, base: &[f64], mu: Option<f64>) -> Result<Step, StaticsError> {
        let (p, d) = (self.p, self.p.dims());
        let (n, nz) = (d.nv, if mu.is_some() { self.live.len() } else { 0 });
        let k = if mu.is_some() { self.stiffness(here, base) } else { Vec::new() };
        let mut s = k.clone();
        let weight = mu.unwrap_or(1.0);
        s.extend((0..n).map(|i| (i, i, weight / (self.scale[i] * self.scale[i]))));
        let mut rhs = here.f.clone();
        rhs.resize(n + nz, 0.0);
        self.realize(here);
        if nz > 0 {
            let mut slopes = StateSlopes::default();
            p.state_slopes(&self.ws, &mut slopes);
            let mut rates = vec![0.0; d.nz];
            p.z_dot(&self.ws, &mut rates);
            let number = |z: usize| self.live.iter().position(|k| *k == z);
            for (i, z, x) in slopes.force_by_z {
                s.extend(number(z).map(|z| (i, n + z, -x)));
            }
            for (z, j, x) in slopes.rate_by_q {
                s.extend(number(z).map(|z| (n + z, j, -x)));
            }
            for (y, z, x) in slopes.rate_by_z {
                s.extend(number(y).zip(number(z)).map(|(y, z)| (n + y, n + z, -x)));
            }
            for (k, z) in self.live.iter().enumerate() {
                rhs[n + k] = rates[*z];
                s.push((n + k, n + k, 0.0));
            }
        }
        let structure = p.structure();
        let mut jac = vec![0.0; structure.jac.nnz()];
        p.jacobian(&self.ws, &mut jac);
        let mut set = ActiveSet::new(&here.near, &self.closed);
        let s = Sparse::from_entries(n + nz, n + nz, &s)?;
        // largest stiffness beside which S stands, of which μW may be a small part
        let sizes =
            self.scale.iter().fold([f64::INFINITY, 0.0_f64], |[a, b], s| [a.min(*s), b.max(*s)]);
        let energy = if mu.is_some() { self.energy_size(here, base) } else { 1.0 };
        self.unit = if n > 0 { energy / (sizes[0] * sizes[1]) } else { 1.0 };
        self.realize(here);
        let small = 1e-12 * p.length();
        let (mut x, mut lambda) = (Vec::new(), Vec::new());
        let mut restoring = 0.0;
        let mut solved = set.clone();
        for _ in 0..MOST_CHANGES {
            let active = set.rows(&here.near);
            let m = self.rows.len() + active.len();
            let (mut rows, mut cols) = (Vec::new(), Vec::new());
            let mut b = vec![0.0; m];
            for (r, i) in self.rows.iter().enumerate() {
                for slot in structure.jac.row_ptr[*i]..structure.jac.row_ptr[*i + 1] {
                    rows.push((r, structure.jac.col[slot], jac[slot]));
                    cols.push((r, structure.jac.col[slot], jac[slot]));
                }
                b[r] = if *i < d.n_pos { -here.g[*i] } else { 0.0 };
            }
            for (r, a) in active.iter().enumerate() {
                let (r, at) = (self.rows.len() + r, &here.near[a.point].at);
                for (e, c) in at.cols.iter().enumerate() {
                    rows.push((r, *c, at.rows[a.row][e]));
                    cols.push((r, *c, a.column[e]));
                }
                b[r] = -a.gap;
            }
            let g = Sparse::from_entries(m, n + nz, &rows)?;
            let cols = Sparse::from_entries(m, n + nz, &cols)?;
            x = vec![0.0; n + nz];
            lambda = vec![0.0; m];
            self.solve(&s, &g, &cols, &rhs, &b, &mut x, &mut lambda)?;
            restoring = lambda.iter().zip(&b).map(|(l, b)| l * b).sum();
            solved.clone_from(&set);
            if here.near.is_empty()
                || !set.update(&here.near, &x[..n], &lambda[self.rows.len()..], small)
            {
                break;
            }
        }
        let zeta = x.split_off(n);
        let mut curvature = 0.0;
        for (i, j, e) in &k {
            curvature += x[*i] * e * x[*j];
        }
        let creep = x.iter().zip(&self.scale).map(|(x, s)| weight * (x / s) * (x / s)).sum();
        Ok(Step { xi: x, zeta, lambda, curvature, creep, restoring, set: solved })
    }

    /// [[S, −Cᵀ], [G, 0]] (x, λ) = (r, b), refined until dependent rows hold.
    #[allow(clippy::too_many_arguments)]
    fn solve(
        &mut self,
        s: &Sparse,
        g: &Sparse,
        cols: &Sparse,
        r: &[f64],
        b: &[f64],
        x: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), StaticsError> {
        let same = |(a, c, _): &(Sparse, Sparse, TangentKkt)| {
            a.pattern == s.pattern && c.pattern == g.pattern
        };
        if !self.kkt.as_ref().is_some_and(same) {
            let kkt = TangentKkt::new(s.pattern.clone(), g.pattern.clone(), Backend::Auto)?;
            self.kkt = Some((s.clone(), g.clone(), kkt));
        }
        self.solves += 1;
        self.unknowns += x.len() + lambda.len();
        let Some((_, _, kkt)) = &mut self.kkt else { return Ok(()) };
        // so that it stands beside G
        let unit = self.unit;
        let s = Sparse {
            pattern: s.pattern.clone(),
            values: s.values.iter().map(|x| x / unit).collect(),
        };
        let r: Vec<f64> = r.iter().map(|x| x / unit).collect();
        let info = kkt.factor(&s.values, &g.values, &cols.values)?;
        kkt.solve(&r, b, x, lambda)?;
        if info.regularized {
            for _ in 0..3 {
                let mut left = r.clone();
                s.mul_add(-1.0, x, &mut left);
                cols.pattern.mul_t_add(&cols.values, 1.0, lambda, &mut left);
                let mut off = b.to_vec();
                g.mul_add(-1.0, x, &mut off);
                let (mut dx, mut dl) = (vec![0.0; x.len()], vec![0.0; lambda.len()]);
                kkt.solve(&left, &off, &mut dx, &mut dl)?;
                x.iter_mut().zip(&dx).for_each(|(x, d)| *x += d);
                lambda.iter_mut().zip(&dl).for_each(|(x, d)| *x += d);
            }
        }
        lambda.iter_mut().for_each(|l| *l *= unit);
        Ok(())
    }

    /// The point after a part of a step, brought back onto the rows.
    fn advance(&mut self, here: &Point, step: &Step, part: f64) -> Point {
        let (p, d) = (self.p, self.p.dims());
        let xi: Vec<f64> = step.xi.iter().map(|x| part * x).collect();
        let mut to = State { t: self.t, q: here.q.clone(), v: vec![0.0; d.nv], z: here.z.clone() };
        p.manifold().retract(&here.q, &xi, &mut to.q);
        for (k, z) in self.live.iter().enumerate() {
            to.z[*z] += part * step.zeta[k];
        }
        p.restore_known_states(&mut to);
        let kept = std::mem::replace(&mut self.closed, step.set.ids(&here.near));
        let mut there = self.evaluate(to.q, to.z);
        for _ in 0..4 {
            if !(there.violation > 1e-13) || !there.violation.is_finite() {
                break;
            }
            let before = there.violation;
            // the smallest way back: forces play no part in it
            let f = std::mem::replace(&mut there.f, vec![0.0; d.nv]);
            let back = self.step(&there, &vec![0.0; d.n_vel], None);
            there.f = f;
            let Ok(back) = back else { break };
            let mut q = there.q.clone();
            p.manifold().retract(&there.q, &back.xi, &mut q);
            let closer = self.evaluate(q, there.z.clone());
            if !(closer.violation < 0.7 * before) {
                break;
            }
            there = closer;
        }
        self.closed = kept;
        there
    }

    /// Work of the forces along a part of a step apart from what rows take that are brought back, what was foretold of it, and
    /// all of the work.
    fn work(&self, here: &Point, there: &Point, step: &Step, part: f64) -> (f64, f64, f64) {
        let mut xi = vec![0.0; step.xi.len()];
        self.p.manifold().local(&here.q, &there.q, &mut xi);
        let mean = here.f.iter().zip(&there.f).zip(&xi).map(|((a, b), x)| 0.5 * (a + b) * x);
        let mean: f64 = mean.sum();
        let first = step.curvature + step.creep;
        let foretold = part * first - 0.5 * part * part * step.curvature;
        (mean + part * step.restoring, foretold, mean)
    }

    fn size(&self, xi: &[f64]) -> f64 {
        delassus_math::largest(xi.iter().zip(&self.scale).map(|(x, s)| (x / s).abs()))
    }

    /// Largest work of a force along the size of a coordinate.
    fn work_size(&self, f: &[f64]) -> f64 {
        delassus_math::largest(f.iter().zip(&self.scale).map(|(f, s)| (f * s).abs()))
    }

    fn unit(&self, xi: &[f64]) -> Vec<f64> {
        let size = self.size(xi);
        xi.iter().map(|x| if size > 0.0 { x / size } else { 0.0 }).collect()
    }

    fn state(&self, here: &Point) -> State {
        let v = vec![0.0; self.p.dims().nv];
        State { t: self.t, q: here.q.clone(), v, z: here.z.clone() }
    }

    /// Multipliers of all rows of the problem from those of a step.
    fn base_multipliers(&self, lambda: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.p.dims().n_vel];
        for (i, l) in self.rows.iter().zip(lambda) {
            out[*i] = *l;
        }
        out
    }

    fn finish(
        &mut self,
        here: Point,
        iterations: usize,
        last_step: f64,
        first_step: Option<f64>,
    ) -> Result<Equilibrium, StaticsError> {
        let (p, d) = (self.p, self.p.dims());
        let base = vec![0.0; d.n_vel];
        // forces of the closed points, then the smallest multipliers that hold the rest
        let step = self.step(&here, &base, None)?;
        let closed = step.set.forces(&here.near, &step.lambda[self.rows.len()..]);
        self.realize(&here);
        let mut rest: Vec<f64> = here.f.iter().map(|f| -f).collect();
        for (point, (k, _)) in closed.iter().zip(&step.set.closed) {
            for (row, force) in point.force.iter().enumerate() {
                if *force != 0.0 {
                    here.near[*k].at.add_row(row, -force, &mut rest);
                }
            }
        }
        let structure = p.structure();
        let mut jac = vec![0.0; structure.jac.nnz()];
        p.jacobian(&self.ws, &mut jac);
        let lambda = if d.n_vel > 0 {
            rank::min_norm_solve(&structure.jac, &jac, &rest)?
        } else {
            Vec::new()
        };
        let pressed = here.near.iter().filter_map(|c| {
            let (force, _, onset) = c.press.filter(|p| p.0 > 0.0)?;
            Some(PressedPoint { id: c.id, features: c.at.features, onset, force })
        });
        Ok(Equilibrium {
            lambda,
            closed,
            pressed: pressed.collect(),
            iterations,
            last_step,
            violation: here.violation,
            at_start: first_step.is_some_and(|s| s <= 1e-9),
            state: self.state(&here),
        })
    }
}
