//! No heap allocation in an accepted step, recording and keeping of states included, with either
//! method.
#![allow(unsafe_code, clippy::unwrap_used, clippy::panic)]

use delassus::dae::integrator::make;
use delassus::dae::{Settings, Tolerances};
use delassus::sim::{Driver, DriverOptions, Recorder, StateRing};
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use std::path::Path;

thread_local! {
    static COUNT: Cell<Option<u64>> = const { Cell::new(None) };
}

struct Counting;

// SAFETY: passes every call on to the system allocator; only counts on the way.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, l: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get().map(|n| n + 1)));
        unsafe { Heap.alloc(l) }
    }
    unsafe fn dealloc(&self, p: *mut u8, l: Layout) {
        let _ = COUNT.try_with(|c| c.set(c.get().map(|n| n + 1)));
        unsafe { Heap.dealloc(p, l) }
    }
    unsafe fn realloc(&self, p: *mut u8, l: Layout, n: usize) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get().map(|n| n + 1)));
        unsafe { Heap.realloc(p, l, n) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn counted(f: impl FnOnce()) -> u64 {
    COUNT.with(|c| c.set(Some(0)));
    f();
    COUNT.with(|c| c.take()).unwrap_or(0)
}

#[test]
fn steps_and_samples_do_not_touch_the_heap() {
    // planar, spatial, redundant, massless, with controller states, expressions, bushings; dense
    // and sparse linear algebra
    for file in [
        "benchmarks/A1_slider_crank_case1.toml",
        "benchmarks/B4_bricard.toml",
        "benchmarks/B2_n_four_bar_N40.toml",
        "benchmarks/C1_car_axis.toml",
        "benchmarks/I3_spatial_slider_crank.toml",
        "slider_crank.toml",
        "motor_pid.toml",
        "gear_train.toml",
        "vehicle_bushing.toml",
        "rolling_disc.toml",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file);
        let m = delassus::load(path).unwrap();
        for method in ["mdop5", "gen-alpha"] {
            let tol = Tolerances { rtol: 1e-6, atol: 0.0 };
            let settings = Settings { tol, ..Default::default() };
            let integrator = make(method, &m.system, &settings).unwrap().unwrap();
            let opts = DriverOptions {
                tol,
                step: None,
                max_step: f64::INFINITY,
                max_steps: u64::MAX,
                t_end: m.state.t + 1.0,
            };
            let mut recorder =
                Recorder::new(&m.system, &m.state, &m.derived, 1e-3, m.state.t + 1.0).unwrap();
            let mut driver = Driver::new(&m.system, integrator, m.state.clone(), opts).unwrap();
            let mut states = StateRing::new(10, &m.state, u64::MAX).unwrap();
            let mut step = || {
                driver.advance(&m.system).unwrap();
                let view = driver.view();
                states.push(view.to, view.to.t - view.from.t);
                recorder.record(&m.system, &view).unwrap();
            };
            for _ in 0..3 {
                step();
            }
            let n = counted(|| {
                for _ in 0..100 {
                    step();
                }
            });
            assert_eq!(n, 0, "{file} with {method}: {n} heap calls in 100 steps");
        }
    }
}
