//! No heap allocation in an accepted step with any method, including recording, positions of bodies and the storing of
//! states.
#![allow(unsafe_code, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod support;

use delassus::dae::integrator::{MethodInfo, make};
use delassus::dae::{Settings, Tolerances};
use delassus::model::Assembled;
use delassus::model::System;
use delassus::sim::contact::EventDriven;
use delassus::sim::realtime::{RealTimeOptions, Stepper};
use delassus::sim::{Driver, DriverOptions, Recorder, StateRing, able_methods};
use delassus_nonsmooth::Mode;
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

/// Heap calls of 100 steps after three to warm up.
fn heap_calls(m: &Assembled, method: &MethodInfo) -> u64 {
    let tol = Tolerances { rtol: 1e-6, atol: 0.0 };
    let settings = Settings { tol, ..Default::default() };
    let integrator = make(method.name, &*m.system, &settings).unwrap().unwrap();
    let t_end = m.state.t + 10.0;
    let opts = DriverOptions {
        tol,
        step: if method.adaptive { None } else { Some(1e-3) },
        // so that all steps are recorded
        max_step: 0.05,
        max_steps: u64::MAX,
    };
    let mut recorder = Recorder::new(&m.system, &m.state, &m.derived, 1e-3, t_end).unwrap();
    recorder.track_motion(&m.system);
    let mut driver = Driver::new(&*m.system, integrator, m.state.clone(), opts).unwrap();
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
    counted(|| {
        for _ in 0..100 {
            step();
        }
    })
}

#[test]
fn steps_and_samples_do_not_touch_the_heap() {
    // planar, spatial, redundant, massless, with controller states, expressions, bushings; dense
    // and sparse linear algebra
    let mut touched = Vec::new();
    for (file, singular) in [
        ("benchmarks/A1_slider_crank_case1.toml", true),
        ("benchmarks/B4_bricard.toml", false),
        ("benchmarks/B2_n_four_bar_N40.toml", true),
        ("benchmarks/C1_car_axis.toml", false),
        ("benchmarks/I3_spatial_slider_crank.toml", false),
        ("slider_crank.toml", false),
        ("motor_pid.toml", false),
        ("gear_train.toml", false),
        ("vehicle_bushing.toml", false),
        ("rolling_disc.toml", false),
        ("flexible_arm.toml", false),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file);
        let m = delassus::load(path).unwrap();
        // explicit methods with a fixed step are not stable on beams
        let stiff = !m.system.model().beams.is_empty();
        let able = able_methods(&m.system);
        let able = able.iter().filter(|m| m.can.singular || !singular);
        for method in able.filter(|m| !stiff || m.stiff || m.adaptive) {
            let n = heap_calls(&m, method);
            if n > 0 {
                touched.push(format!("{file} with {}: {n} heap calls", method.name));
            }
        }
    }
    assert!(touched.is_empty(), "{touched:#?}");
}

/// Boxes, a capsule, a ball and a hull that fall on each other and on a floor, and come to rest there.
const TUMBLING: &str = "schema = 1\ngravity = [0, 0, -9.81]\n\
    [body.a]\ntype = 'rigid'\nmass = 1\ninertia = [0.01, 0.01, 0.01]\nposition = [0, 0, 0.2]\n\
    [body.b]\ntype = 'rigid'\nmass = 1\ninertia = [0.01, 0.01, 0.01]\nposition = [0.05, 0.02, 0.45]\nrate = [1, 2, 0]\n\
    [body.c]\ntype = 'rigid'\nmass = 1\ninertia = [0.01, 0.01, 0.01]\nposition = [0.02, 0, 0.72]\n\
    [body.d]\ntype = 'rigid'\nmass = 1\ninertia = [0.01, 0.01, 0.01]\nposition = [0, 0.04, 1]\n\
    [shape.floor]\ntype = 'box'\nbody = 'ground'\nsize = [2, 2, 0.2]\nat = [0, 0, -0.1]\n\
    [shape.a]\ntype = 'box'\nbody = 'a'\nsize = [0.2, 0.2, 0.2]\n\
    [shape.b]\ntype = 'capsule'\nbody = 'b'\nradius = 0.05\nlength = 0.2\n\
    [shape.c]\ntype = 'sphere'\nbody = 'c'\nradius = 0.06\n\
    [shape.d]\ntype = 'box'\nbody = 'd'\nsize = [0.1, 0.2, 0.1]\n\
    [contact.all]\namong = ['a', 'b', 'c', 'd', 'floor']\nfriction = 0.3\n";

/// Steps in real time: contacts that close, slide, rebound and open, soft and rigid, more of them than there is room for,
/// inputs, good and bad ones, expressions, and controllers; shapes in the plane and in space.
#[test]
fn steps_in_real_time_do_not_touch_the_heap() {
    let mut touched = Vec::new();
    for (file, contacts, steps) in [
        ("slider_crank.toml", 0, 100),
        ("motor_pid.toml", 0, 100),
        ("vehicle_bushing.toml", 0, 100),
        ("benchmarks/A1_slider_crank_case1.toml", 0, 1000),
        ("benchmarks/B4_bricard.toml", 0, 100),
        ("benchmarks/J1_vehicle_trailer.toml", 0, 1000),
        ("benchmarks/J2_vehicle.toml", 0, 1000),
        ("stack_of_boxes.toml", 40, 20),
        ("stack_of_boxes.toml", 3, 20),
        ("box_on_incline.toml", 8, 300),
        ("bouncing_ball.toml", 4, 1000),
        ("benchmarks/E1_falling_ball.toml", 4, 300),
        ("vehicles/car_bump.toml", 0, 100),
        ("gripper.toml", 16, 300),
        ("benchmarks/G13_stack_3d.toml", 40, 20),
        ("tumbling", 24, 1000),
    ] {
        let m = match file {
            "tumbling" => support::assembled(&support::parsed(TUMBLING), &[]),
            _ => support::load(file, &[]),
        };
        let mut options = RealTimeOptions::of(&m.system, 1e-3);
        options.contacts = contacts.max(1);
        let mut stepper = Stepper::prepare(&m, &options).unwrap_or_else(|e| panic!("{file}: {e}"));
        let mut inputs: Vec<f64> = stepper.inputs().iter().map(|i| i.default).collect();
        let mut out = vec![0.0; stepper.outputs().len()];
        let n = counted(|| {
            for k in 0..steps {
                if k == steps / 2 {
                    inputs.iter_mut().for_each(|x| *x = f64::NAN);
                }
                stepper.step(&inputs);
                stepper.read(&mut out);
            }
        });
        if n > 0 {
            touched.push(format!("{file} with {contacts} points: {n} heap calls"));
        }
    }
    assert!(touched.is_empty(), "{touched:#?}");
}

/// Steps with closed and open contacts, sticking, sliding in the plane and in space, with forces that
/// several points share, by an explicit method and by the one for stiff modes.
#[test]
fn steps_between_events_do_not_touch_the_heap() {
    let mut touched = Vec::new();
    for (file, force) in [
        ("benchmarks/G10_incline.toml", None),
        ("benchmarks/G13_stack.toml", Some("4.91")),
        ("benchmarks/G13_stack_3d.toml", Some("0")),
        ("benchmarks/G13_stack_3d.toml", Some("4.91")),
        ("geneva.toml", None),
    ] {
        let set: Vec<(&str, &str)> = force.iter().map(|f| ("F", *f)).collect();
        let m = support::load(file, &set);
        let tol = Tolerances { rtol: 1e-8, atol: 0.0 };
        let settings = Settings { tol, ..Default::default() };
        let opts = DriverOptions { tol, step: None, max_step: 1e-3, max_steps: u64::MAX };
        let makes = |name: &'static str| {
            let settings = settings.clone();
            Box::new(move |mode: &Mode<System>| {
                make(name, mode, &settings).unwrap().map_err(Into::into)
            })
        };
        let sys = m.system.clone();
        let run = EventDriven::new(sys, makes("mdop5"), &m.state, opts);
        let mut run = run.unwrap_or_else(|h| panic!("{file}: {h:?}")).with_stiff(makes("radau5"));
        run.resume(&m.state).unwrap_or_else(|h| panic!("{file}: {h:?}"));
        let (mut calm, mut calls, mut counted_steps) = (0, 0, 0);
        while counted_steps < 30 {
            let events = run.log.len();
            let mut made = Ok(());
            let n = counted(|| made = run.advance());
            made.unwrap_or_else(|h| panic!("{file}: {h:?}"));
            calm = if run.log.len() == events { calm + 1 } else { 0 };
            // the step before an event makes its trigger, those after it grow into their buffers
            if calm > 5 {
                (calls, counted_steps) = (calls + n, counted_steps + 1);
            }
        }
        if calls > 0 {
            touched.push(format!("{file} {force:?}: {calls} heap calls"));
        }
    }
    assert!(touched.is_empty(), "{touched:#?}");
}
