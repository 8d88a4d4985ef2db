//! No heap allocation in the step loop once a method is warm.
#![allow(unsafe_code, missing_docs, clippy::unwrap_used)]

mod problems;

use delassus_dae::integrator::{METHODS, make};
use delassus_dae::{Problem, Settings};
use problems::*;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    COUNT.with(|c| c.set(c.get() + 1));
}

// SAFETY: hands everything on to the system allocator; counting touches no heap.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, l: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { Heap.alloc(l) }
    }
    unsafe fn dealloc(&self, p: *mut u8, l: Layout) {
        // SAFETY: as the caller promises.
        unsafe { Heap.dealloc(p, l) }
    }
    unsafe fn realloc(&self, p: *mut u8, l: Layout, n: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { Heap.realloc(p, l, n) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Two steps to warm up, then 50 steps of changing size with a rejected attempt each.
fn allocations<S: System>(system: S, method: &str, h: f64) -> u64 {
    let mut s = system.start();
    let p = Dense::new(system);
    let mut ws = p.workspace();
    let mut m = make(method, &p, &Settings::default()).unwrap().unwrap();
    let mut to = s.clone();
    m.restart(&p, &mut ws, &s).unwrap();
    let mut before = 0;
    for k in 0..52 {
        if k == 2 {
            before = COUNT.with(Cell::get);
        }
        m.attempt(&p, &mut ws, &s, 1.5 * h, &mut to).unwrap();
        let size = if k % 5 == 0 { 0.8 * h } else { h };
        m.attempt(&p, &mut ws, &s, size, &mut to).unwrap();
        m.commit();
        std::mem::swap(&mut s, &mut to);
    }
    COUNT.with(Cell::get) - before
}

#[test]
fn steps_do_not_allocate() {
    // the counter works
    let before = COUNT.with(Cell::get);
    drop(std::hint::black_box(vec![1.0_f64; 100]));
    assert!(COUNT.with(Cell::get) > before);
    for m in METHODS {
        assert_eq!(allocations(HeavyTop, m.name, 5e-4), 0, "{} on the top", m.name);
        assert_eq!(allocations(four_bar(), m.name, 1e-3), 0, "{} on the four-bar", m.name);
        assert_eq!(allocations(andrews(), m.name, 1e-5), 0, "{} on Andrews", m.name);
        assert_eq!(allocations(CarAxis, m.name, 1e-3), 0, "{} on the car axis", m.name);
    }
}
