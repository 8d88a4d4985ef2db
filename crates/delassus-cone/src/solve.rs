//! The entry to the dense solvers, and `Auto`.
//!
//! Every solver starts from the best point so far and offers what it finds; only the natural residual decides. `Auto`
//! tries, until the residual is met:
//!
//! | laws | order |
//! |---|---|
//! | fit an LCP of at most 60 unknowns | Lemke, (enumeration), Newton, interior point, Gauss–Seidel, ADMM |
//! | fit a larger LCP | Newton, Lemke, interior point, Gauss–Seidel, ADMM |
//! | friction in two directions | Newton, interior point, Newton, Gauss–Seidel, ADMM |
//!
//! Lemke's ray, checked by enumeration where the problem is tiny, ends in
//! [`Status::NoSolution`] only if none of the others finds a solution.

use crate::lcp::Lcp;
use crate::outcome::{Outcome, Verdict};
use crate::problem::{DenseProblem, Law, Report, Settings, Solver, Status, check_dense};
use crate::residual::scaled_residual;
use crate::workspace::Workspace;
use crate::{enumerate, gauss_seidel};

/// LCPs up to this size go to Lemke first: its cost is below that of a Newton step or two.
const LEMKE_FIRST: usize = 60;
/// Larger LCPs do not go to Lemke.
const LEMKE_LARGEST: usize = 900;
/// A ray is checked by enumeration up to this number of LCP unknowns.
const PROOF_LARGEST: usize = 10;
/// Residual of a ray's point that may still be rounding.
const RAY: f64 = 1e-6;
/// Number of Newton steps in `Auto`; it needs few or does not converge.
const AUTO_NEWTON: usize = 30;
/// Steps of the interior point method in `Auto`.
const AUTO_INTERIOR: usize = 150;

/// Solves the problem from the start in `r`; the answer, or the best point found, is returned in `r`.
///
/// A start that already meets the tolerance is returned unchanged, with 0 iterations. A non-finite start is replaced by
/// zero. Problems larger than [`Workspace::most_rows`] end in [`Status::TooLarge`] unless the start is a solution.
pub fn solve(p: &DenseProblem<'_>, r: &mut [f64], s: &Settings, ws: &mut Workspace) -> Report {
    if let Some(fault) = check_dense(p, r.len()) {
        return Report::refused(fault, s.solver);
    }
    if s.tolerance.is_nan() {
        return Report::refused(Status::BadInput, s.solver);
    }
    ws.scaled.load(p);
    if !ws.scaled.is_finite() {
        r.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = 0.0);
        return Report { residual: f64::INFINITY, ..Report::refused(Status::NotFinite, s.solver) };
    }
    if !r.iter().all(|x| x.is_finite()) {
        r.fill(0.0);
    }
    let residual = scaled_residual(p, r, ws);
    if residual <= s.tolerance {
        return Report { status: Status::Solved, residual, iterations: 0, solver: s.solver };
    }
    if ws.most_rows.is_some_and(|most| r.len() > most) {
        return Report { status: Status::TooLarge, residual, iterations: 0, solver: s.solver };
    }
    ws.scaled.scale_impulses(r, &mut ws.hat);
    let start = ws.scaled.residual(&ws.hat, &mut ws.u);
    let best = &mut ws.best;
    best.r.clear();
    best.r.extend_from_slice(&ws.hat);
    (best.residual, best.solver, best.current) = (start, s.solver, s.solver);
    let outcome = if ws.scaled.size == 0.0 {
        // Nothing drives: no reaction is a solution.
        best.r.fill(0.0);
        Outcome::stopped(0)
    } else if s.solver == Solver::Auto {
        auto(s, ws)
    } else {
        single(s.solver, s, s.max_iterations, ws)
    };
    if outcome.verdict == Verdict::Unsupported {
        return Report { residual, ..Report::refused(Status::Unsupported, s.solver) };
    }
    ws.scaled.push(&ws.best.r, r);
    if r.iter().any(|x| !x.is_finite()) {
        // diverging sweeps may overflow in the units of the caller
        r.fill(0.0);
    }
    let residual = scaled_residual(p, r, ws);
    let status = if residual <= s.tolerance {
        Status::Solved
    } else if ws.scaled.impossible || outcome.verdict == Verdict::NoSolution {
        Status::NoSolution
    } else if residual.is_finite() {
        Status::IterationLimit
    } else {
        Status::NotFinite
    };
    Report { status, residual, iterations: outcome.iterations, solver: ws.best.solver }
}

/// Runs one solver from the best point.
fn single(which: Solver, s: &Settings, limit: usize, ws: &mut Workspace) -> Outcome {
    ws.best.current = which;
    let (problem, best) = (&ws.scaled, &mut ws.best);
    // A little stricter, so that scaling back cannot lift the residual above the tolerance.
    let tolerance = 0.999 * s.tolerance;
    match which {
        Solver::Lemke => lemke(limit, ws),
        Solver::Enumeration => enumerate::run(problem, best, &mut ws.lcp, tolerance, &mut ws.u),
        Solver::SemismoothNewton => ws.newton.run(problem, best, tolerance, limit),
        Solver::Admm => ws.admm.run(problem, best, tolerance, limit),
        Solver::InteriorPoint => ws.interior.run(problem, best, tolerance, limit),
        Solver::GaussSeidel | Solver::Accelerated | Solver::Auto => {
            gauss_seidel::run(problem, best, tolerance, limit, &mut ws.hat, &mut ws.u)
        }
    }
}

fn lemke(limit: usize, ws: &mut Workspace) -> Outcome {
    if !ws.lcp.load(&ws.scaled) {
        return Outcome { iterations: 0, verdict: Verdict::Unsupported };
    }
    let (end, iterations) = ws.lemke.run(&ws.lcp, limit);
    ws.lcp.reactions(&ws.lemke.z, &mut ws.hat);
    let residual = ws.scaled.residual(&ws.hat, &mut ws.u);
    ws.best.offer(&ws.hat, residual);
    // A ray that starts at a solution within rounding proves nothing.
    let verdict = if residual > RAY { end.verdict() } else { Verdict::Open };
    Outcome { iterations, verdict }
}

/// The order of `Auto`.
fn plan(laws: &[Law]) -> [Solver; 5] {
    use Solver::{Admm, GaussSeidel, InteriorPoint, Lemke, SemismoothNewton};
    match Lcp::size(laws) {
        Some(n) if n <= LEMKE_FIRST => [Lemke, SemismoothNewton, InteriorPoint, GaussSeidel, Admm],
        Some(n) if n <= LEMKE_LARGEST => {
            [SemismoothNewton, Lemke, InteriorPoint, GaussSeidel, Admm]
        }
        _ => [SemismoothNewton, InteriorPoint, SemismoothNewton, GaussSeidel, Admm],
    }
}

fn auto(s: &Settings, ws: &mut Workspace) -> Outcome {
    let order = plan(&ws.scaled.laws);
    let small = Lcp::size(&ws.scaled.laws).is_some_and(|n| n <= PROOF_LARGEST);
    let mut total = 0;
    let mut verdict = Verdict::Open;
    for which in order {
        let limit = match which {
            Solver::SemismoothNewton => s.max_iterations.min(AUTO_NEWTON),
            Solver::InteriorPoint => s.max_iterations.min(AUTO_INTERIOR),
            _ => s.max_iterations,
        };
        let mut outcome = single(which, s, limit, ws);
        total += outcome.iterations;
        if outcome.verdict == Verdict::NoSolution && small && ws.best.residual > s.tolerance {
            outcome = single(Solver::Enumeration, s, limit, ws);
            total += outcome.iterations;
            if outcome.verdict == Verdict::NoSolution {
                ws.best.solver = Solver::Enumeration;
                return Outcome { iterations: total, verdict: Verdict::NoSolution };
            }
        }
        if ws.best.residual <= 0.999 * s.tolerance {
            return Outcome::stopped(total);
        }
        if outcome.verdict == Verdict::NoSolution {
            verdict = Verdict::NoSolution;
        }
    }
    Outcome { iterations: total, verdict }
}
