//! A second solve of the same size must not touch the heap.
#![allow(unsafe_code)]
#![allow(missing_docs, clippy::unwrap_used)]
mod common;
#[path = "common/heap.rs"]
mod heap;

use common::{PLANAR, Rng, SPATIAL, random};
use delassus_cone::{Settings, Solver, SparseWorkspace, Workspace, solve, solve_sparse};

#[path = "../../delassus-linalg/tests/common/counting.rs"]
mod counting;
use counting::heap_calls;

#[test]
fn the_second_solve_allocates_nothing() {
    for kinds in [&PLANAR, &SPATIAL] {
        let p = random(&mut Rng::new(5), kinds, 8, 2);
        for solver in [
            Solver::Auto,
            Solver::Lemke,
            Solver::SemismoothNewton,
            Solver::GaussSeidel,
            Solver::Admm,
            Solver::InteriorPoint,
        ] {
            let s = Settings { solver, ..Settings::default() };
            let mut ws = Workspace::new();
            let mut r = vec![0.0; p.n()];
            let first = solve(&p.view(), &mut r, &s, &mut ws);
            r.fill(0.0);
            let mut second = first;
            let calls = heap_calls(|| second = solve(&p.view(), &mut r, &s, &mut ws));
            assert_eq!(calls, 0, "{solver:?}");
            assert_eq!(first.residual.to_bits(), second.residual.to_bits());
        }
    }
}

#[test]
fn the_second_solve_in_factored_form_allocates_nothing() {
    let h = heap::Heap::new(3, 0.3, 1);
    for solver in [Solver::Accelerated, Solver::GaussSeidel] {
        let s = Settings { solver, tolerance: 1e-3, max_iterations: 300 };
        let mut ws = SparseWorkspace::new();
        let mut r = vec![0.0; h.b.len()];
        let first = solve_sparse(&h.view(), &mut r, &s, &mut ws);
        r.fill(0.0);
        let mut second = first;
        let calls = heap_calls(|| second = solve_sparse(&h.view(), &mut r, &s, &mut ws));
        assert_eq!(calls, 0, "{solver:?}");
        assert_eq!(first.residual.to_bits(), second.residual.to_bits());
    }
}
