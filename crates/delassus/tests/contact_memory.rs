//! Many contacts: the memory of a run grows in proportion to the number of contacts.
#![allow(missing_docs, unsafe_code, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod support;

use delassus::sim::contact::EventKind;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use support::{assembled, parsed, run};

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Measuring;

fn take(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(held, Relaxed);
}

// SAFETY: passes every call on to the system allocator; only counts on the way.
unsafe impl GlobalAlloc for Measuring {
    unsafe fn alloc(&self, l: Layout) -> *mut u8 {
        take(l.size());
        unsafe { Heap.alloc(l) }
    }
    unsafe fn dealloc(&self, p: *mut u8, l: Layout) {
        HELD.fetch_sub(l.size(), Relaxed);
        unsafe { Heap.dealloc(p, l) }
    }
}

#[global_allocator]
static MEASURING: Measuring = Measuring;

/// A cube of N³ spheres, pushed into a corner: 3 N³ contacts, all of them loaded.
const CUBE: &str = "
schema = 1
gravity = [-5, -5, -5]
[parameters]
N = 4
[body.'b{i}_{j}_{k}']
repeat = 'i = 1..N, j = 1..N, k = 1..N'
type = 'rigid'
mass = 1
inertia = [0.4, 0.4, 0.4]
position = ['1.9999999*i - 0.9999999', '1.9999999*j - 0.9999999', '1.9999999*k - 0.9999999']
[shape.'b{i}_{j}_{k}']
repeat = 'i = 1..N, j = 1..N, k = 1..N'
type = 'sphere'
body = 'b{i}_{j}_{k}'
radius = 1
[shape.floor]
type = 'half-space'
body = 'ground'
[shape.left]
type = 'half-space'
body = 'ground'
normal = [1, 0, 0]
[shape.front]
type = 'half-space'
body = 'ground'
normal = [0, 1, 0]
[contact.all]
among = ['b*', 'floor', 'left', 'front']
friction = 0.3
allow_overlap = true
[sensor.top]
type = 'position'
of = 'b1_1_1'
[analysis]
end = 4e-3
sample = 1e-3
[method]
scheme = 'time-stepping'
step = 1e-3
";

/// Most bytes on the heap during a run, beyond those before it, and the contacts that were closed.
fn heap(n: usize) -> (usize, usize) {
    let m = assembled(&parsed(CUBE), &[("N", &n.to_string())]);
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let out = run(&m, |_| {});
    let most = MOST.load(Relaxed) - before;
    let closed = out.events.iter().filter(|e| e.kind == EventKind::Close).count();
    assert_eq!(closed, 3 * n.pow(3));
    (most, closed)
}

#[test]
fn memory_is_linear_in_the_contacts() {
    let [a, b] = [6, 12].map(heap);
    let per = |x: (usize, usize)| x.0 as f64 / x.1 as f64;
    println!("{} contacts: {:.0} bytes each; {}: {:.0}", a.1, per(a), b.1, per(b));
    assert!(b.1 > 5_000 && per(b) < 1.3 * per(a), "{} {}", per(a), per(b));
}
