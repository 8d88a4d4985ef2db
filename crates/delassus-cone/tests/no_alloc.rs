//! A second solve of the same size must not touch the heap.
#![allow(unsafe_code)]
#![allow(missing_docs, clippy::unwrap_used)]
mod common;

use common::{PLANAR, Rng, SPATIAL, random};
use delassus_cone::{Settings, Solver, Workspace, solve};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn note() {
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: forwards everything to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        note();
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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
            let before = COUNT.with(Cell::get);
            let second = solve(&p.view(), &mut r, &s, &mut ws);
            let calls = COUNT.with(Cell::get) - before;
            assert_eq!(calls, 0, "{solver:?}");
            assert_eq!(first.residual.to_bits(), second.residual.to_bits());
        }
    }
}
