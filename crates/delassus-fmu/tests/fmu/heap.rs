//! Calls of the heap in steps of co-simulation.
#![allow(unsafe_code, reason = "counts what the allocator is asked for")]

use crate::support::{Fmu, OK};
use delassus_fmu::variables::Role;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<Option<u64>> = const { Cell::new(None) };
}

struct Counting;

fn count() {
    let _ = COUNT.try_with(|c| c.set(c.get().map(|n| n + 1)));
}

// SAFETY: passes every call on to the system allocator; only counts on the way.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, l: Layout) -> *mut u8 {
        count();
        unsafe { Heap.alloc(l) }
    }
    unsafe fn dealloc(&self, p: *mut u8, l: Layout) {
        count();
        unsafe { Heap.dealloc(p, l) }
    }
    unsafe fn realloc(&self, p: *mut u8, l: Layout, n: usize) -> *mut u8 {
        count();
        unsafe { Heap.realloc(p, l, n) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Between the steps at which the state is saved, a step and the reading of outputs ask the heap for nothing.
#[test]
fn steps_of_smooth_models_call_no_heap() {
    for (file, h) in [
        ("pendulum.toml", 1e-3),
        ("motor_pid.toml", 1e-3),
        ("slider_crank.toml", 1e-4),
        ("arm_by_torque.toml", 1e-3),
        ("benchmarks/J2_vehicle.toml", 1e-3),
    ] {
        let fmu = Fmu::of_file(file);
        let i = fmu.co_simulation();
        i.begin();
        let out: Vec<u32> = fmu.outputs().iter().map(|o| o.0).collect();
        let inputs = fmu.variables.pick(|r| matches!(r, Role::Input(..)));
        let inputs: Vec<u32> = inputs.map(|(k, _)| k as u32).collect();
        let mut x = vec![0.0; out.len()];
        let mut per_step = Vec::new();
        for k in 0..500 {
            COUNT.set(Some(0));
            for vr in &inputs {
                assert_eq!(i.set(*vr, 0.25), OK);
            }
            let (status, ..) = i.step(f64::from(k) * h, h);
            let got = delassus_fmu::abi::fmi3::fmi3GetFloat64(
                i.i,
                out.as_ptr(),
                out.len(),
                x.as_mut_ptr(),
                out.len(),
            );
            per_step.push(COUNT.take().unwrap());
            assert_eq!((status, got), (OK, OK));
        }
        per_step.drain(..200);
        let with: Vec<u64> = per_step.iter().copied().filter(|n| *n > 0).collect();
        println!("{file}: {} of 300 steps, {:?}", with.len(), &with[..with.len().min(8)]);
        // the state is saved every hundredth step
        assert!(with.len() <= 3, "{file}: {} of 300 steps", with.len());
    }
}
