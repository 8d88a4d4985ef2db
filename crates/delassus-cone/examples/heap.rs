//! A heap of spheres in a box: residual against sweeps and time.
//!
//! `cargo run --profile ci -p delassus-cone --example heap -- LAYERS [MU] [SWEEPS] [TOLERANCE]`
#![allow(missing_docs, clippy::print_stdout)]

use delassus_cone::{Settings, Solver, SparseWorkspace, solve_sparse};
use std::time::Instant;

#[path = "../tests/common/heap.rs"]
mod heap;

fn main() {
    let arg = |k: usize, default: f64| {
        std::env::args().nth(k).and_then(|s| s.parse().ok()).unwrap_or(default)
    };
    let (layers, mu) = (arg(1, 3.0) as usize, arg(2, 0.5));
    let (sweeps, tolerance) = (arg(3, 3200.0) as usize, arg(4, 1e-8));
    let h = heap::Heap::new(layers, mu, 1);
    println!("{} spheres, {} contacts", h.sizes.len(), h.laws.len());
    for solver in [Solver::GaussSeidel, Solver::Accelerated, Solver::InteriorPoint] {
        let mut limit = if solver == Solver::InteriorPoint { sweeps } else { 50 };
        while limit <= sweeps {
            let mut r = vec![0.0; h.b.len()];
            let s = Settings { tolerance, max_iterations: limit, solver };
            let clock = Instant::now();
            let report = solve_sparse(&h.view(), &mut r, &s, &mut SparseWorkspace::new());
            println!(
                "{solver:?} {:6} iterations  residual {:.2e}  {:.2} s  {:?}",
                report.iterations,
                report.residual,
                clock.elapsed().as_secs_f64(),
                report.status
            );
            if report.iterations < limit {
                break;
            }
            limit *= 2;
        }
    }
}
