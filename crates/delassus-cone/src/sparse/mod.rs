//! The factored form for many contacts: `W = H M⁻¹ Hᵀ` is never formed.

mod anderson;
mod block_lu;
mod cell;
mod interior;
mod light;
mod packed;
mod problem;
mod real;
mod scaled;
mod sweep;

pub use problem::{InverseMass, Rows, SparseProblem};

use crate::law::bare_defect;
use crate::outcome::Best;
use crate::problem::{Report, Settings, Solver, Status};
use anderson::{Anderson, DEEP, FORWARD, LIGHT, Plan};
use interior::SparseInterior;
use light::{FINEST, Light};
use problem::check;
use scaled::ScaledSparse;

/// Number of sweeps before the interior point method: enough if a warm start is good.
const FIRST_SWEEPS: usize = 100;
/// Number of sweeps with a short memory; if more are needed they get a long one.
const LIGHT_SWEEPS: usize = 120;
/// Number of plain sweeps if that did not suffice. They cost half as much as the others, and solve what acceleration
/// keeps from converging.
const PLAIN_SWEEPS: usize = 1400;
/// Steps of the interior point method; it needs a few dozen.
const INTERIOR_STEPS: usize = 120;
/// Number of multiplications of a factorisation beyond which `Auto` stays with sweeps: some ten seconds.
const LARGEST_FACTOR: f64 = 2e10;

/// Buffers of the sparse solvers; they grow when needed.
#[derive(Clone, Debug, Default)]
pub struct SparseWorkspace {
    scaled: ScaledSparse,
    best: Best,
    light: Light,
    anderson: Anderson,
    interior: SparseInterior,
    hat: Vec<f64>,
    x: Vec<f64>,
}

impl SparseWorkspace {
    /// An empty workspace.
    pub fn new() -> SparseWorkspace {
        SparseWorkspace::default()
    }

    fn residual(&mut self, p: &SparseProblem<'_>, r: &[f64]) -> f64 {
        let s = &self.scaled;
        if !s.is_finite() || !r.iter().all(|x| x.is_finite()) {
            return f64::INFINITY;
        }
        for k in 0..s.laws.len() {
            let rows = s.start[k]..s.start[k + 1];
            if s.bare[k] && bare_defect(p.laws[k], &p.b[rows.clone()], s.bare_floor, &r[rows]) {
                return 1.0;
            }
        }
        s.scale_impulses(r, &mut self.hat);
        let top = self.hat.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if s.size == 0.0 && top == 0.0 {
            return 0.0;
        }
        let residual = s.residual(&self.hat, &mut self.x);
        if s.size == 0.0 { residual / top } else { residual }
    }
}

/// [`natural_residual`](crate::natural_residual) of the factored form.
pub fn natural_residual_sparse(p: &SparseProblem<'_>, r: &[f64], ws: &mut SparseWorkspace) -> f64 {
    if check(p, r.len()).is_some() {
        return f64::NAN;
    }
    ws.scaled.load(p);
    ws.residual(p, r)
}

/// Multiplications of one step of the interior point method, about; infinite where it cannot be used.
pub fn interior_work(p: &SparseProblem<'_>, ws: &mut SparseWorkspace) -> f64 {
    if check(p, p.b.len()).is_some() {
        return f64::INFINITY;
    }
    ws.scaled.load(p);
    if !ws.scaled.is_finite() || ws.scaled.chunks.is_empty() {
        return f64::INFINITY;
    }
    ws.scaled.load_rows(p);
    ws.interior.analyse(&ws.scaled)
}

/// Solves the factored problem from the start in `r`, as [`solve`](crate::solve) does the dense one.
///
/// `max_iterations` counts sweeps. [`Solver::Auto`] and [`Solver::Accelerated`] accelerate them,
/// [`Solver::GaussSeidel`] does not; other solvers need the dense form.
pub fn solve_sparse(
    p: &SparseProblem<'_>,
    r: &mut [f64],
    s: &Settings,
    ws: &mut SparseWorkspace,
) -> Report {
    if let Some(fault) = check(p, r.len()) {
        return Report::refused(fault, s.solver);
    }
    if s.tolerance.is_nan() {
        return Report::refused(Status::BadInput, s.solver);
    }
    if !matches!(
        s.solver,
        Solver::Auto | Solver::Accelerated | Solver::GaussSeidel | Solver::InteriorPoint
    ) {
        return Report::refused(Status::Unsupported, s.solver);
    }
    ws.scaled.load(p);
    if !r.iter().all(|x| x.is_finite()) {
        r.fill(0.0);
    }
    if !ws.scaled.is_finite() {
        return Report { residual: f64::INFINITY, ..Report::refused(Status::NotFinite, s.solver) };
    }
    let residual = ws.residual(p, r);
    if residual <= s.tolerance {
        return Report { status: Status::Solved, residual, iterations: 0, solver: s.solver };
    }
    ws.scaled.scale_impulses(r, &mut ws.hat);
    let residual = match ws.scaled.bare.contains(&true) {
        true => ws.scaled.residual(&ws.hat, &mut ws.x),
        false => residual,
    };
    let best = &mut ws.best;
    best.r.clear();
    best.r.extend_from_slice(&ws.hat);
    (best.residual, best.solver, best.current) = (residual, s.solver, s.solver);
    let iterations = if ws.scaled.size == 0.0 {
        best.r.fill(0.0);
        0
    } else {
        run(p, s, ws)
    };
    ws.scaled.push(&ws.best.r, r);
    let residual = ws.residual(p, r);
    let status = if residual <= s.tolerance {
        Status::Solved
    } else if ws.scaled.impossible {
        Status::NoSolution
    } else if residual.is_finite() {
        Status::IterationLimit
    } else {
        Status::NotFinite
    };
    Report { status, residual, iterations, solver: ws.best.solver }
}

/// Runs the chosen solver, or `Auto`: sweeps, the interior point method, then sweeps to the limit.
fn run(problem: &SparseProblem<'_>, s: &Settings, ws: &mut SparseWorkspace) -> usize {
    let (p, best) = (&mut ws.scaled, &mut ws.best);
    // A little stricter, so that scaling back cannot lift the residual above the tolerance.
    let tolerance = 0.999 * s.tolerance;
    let mut total = 0;
    let mut sweeps = s.max_iterations;
    match s.solver {
        Solver::Auto => sweeps = sweeps.min(FIRST_SWEEPS),
        Solver::InteriorPoint => sweeps = 0,
        _ => {}
    }
    if s.solver == Solver::GaussSeidel {
        best.current = Solver::GaussSeidel;
        total += ws.anderson.run(p, best, tolerance, sweeps, Plan::PLAIN).iterations;
    } else {
        best.current = Solver::Accelerated;
        let mut light = LIGHT_SWEEPS;
        if tolerance >= FINEST && !p.packed.is_empty() && sweeps > 0 {
            total += ws.light.run(p, best, tolerance, light.min(sweeps)).iterations;
            light -= total;
        }
        for (most, plan) in [(light, LIGHT), (PLAIN_SWEEPS, FORWARD), (usize::MAX, DEEP)] {
            let count = most.min(sweeps.saturating_sub(total));
            if best.residual > tolerance && count > 0 {
                total += ws.anderson.run(p, best, tolerance, count, plan).iterations;
            }
        }
    }
    let inner = matches!(s.solver, Solver::Auto | Solver::InteriorPoint) && !p.chunks.is_empty();
    if inner && best.residual > tolerance {
        best.current = Solver::InteriorPoint;
        p.load_rows(problem);
        let work = ws.interior.analyse(p);
        if s.solver == Solver::InteriorPoint || work < LARGEST_FACTOR {
            let steps = s.max_iterations.min(INTERIOR_STEPS);
            total += ws.interior.run(p, best, tolerance, steps).iterations;
        }
    }
    if s.solver == Solver::Auto && best.residual > tolerance {
        best.current = Solver::Accelerated;
        let rest = s.max_iterations.saturating_sub(sweeps);
        total += ws.anderson.run(p, best, tolerance, rest, DEEP).iterations;
    }
    total
}
