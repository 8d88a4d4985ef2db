#![allow(missing_docs, clippy::print_stdout)]
use delassus_cone::*;
use std::time::Instant;
#[path = "../tests/common/heap.rs"]
mod heap;
fn main() {
    let arg = |k: usize, default: f64| {
        std::env::args().nth(k).and_then(|s| s.parse().ok()).unwrap_or(default)
    };
    let h = heap::Heap::new(arg(1, 2.0) as usize, arg(2, 0.5), 1);
    let n = h.b.len();
    let dim = 6 * h.sizes.len();
    let mut hd = vec![0.0; n * dim];
    for i in 0..n {
        for e in h.start[i]..h.start[i + 1] {
            hd[i * dim + h.columns[e]] = h.values[e];
        }
    }
    let mut w = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            w[i * n + j] = (0..dim)
                .map(|d| hd[i * dim + d] * h.minv[(d / 6) * 36 + (d % 6) * 7] * hd[j * dim + d])
                .sum();
        }
    }
    println!("n {n} dim {dim}");
    for (solver, it) in [
        (Solver::InteriorPoint, 10),
        (Solver::InteriorPoint, 20),
        (Solver::InteriorPoint, 40),
        (Solver::InteriorPoint, 80),
        (Solver::Admm, 200),
        (Solver::Admm, 1000),
        (Solver::Admm, 5000),
    ] {
        let mut r = vec![0.0; n];
        let c = Instant::now();
        let rep = solve(
            &DenseProblem { w: &w, b: &h.b, laws: &h.laws },
            &mut r,
            &Settings { tolerance: 1e-8, max_iterations: it, solver },
            &mut Workspace::new(),
        );
        println!("{solver:?} {rep:?} {:.2}", c.elapsed().as_secs_f64());
    }
}
