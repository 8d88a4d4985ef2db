//! No heap call in the loop, with messages good and bad, late steps and rows.

use crate::toy::{PERIOD, Time, Toy, gate, layout, plan, run};
use delassus_rt::{OnOverrun, OnTimeout, ROW_HEAD, Udp, packet, ring};
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use std::net::UdpSocket;

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

#[test]
fn l3_the_loop_calls_no_heap() {
    let l = layout();
    let mut udp = Udp::open("127.0.0.1:0".parse().unwrap(), &l, 1000.0).unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.connect(udp.address().unwrap()).unwrap();
    let mut good = Vec::new();
    packet::write_inputs(&mut good, 1, l.id(), &[1.0, 2.0]);
    let mut question = Vec::new();
    packet::write_question(&mut question);
    let time = Time::default();
    let (steps, calls) = (3000, Cell::new(None));
    let mut toy = Toy::new(&time, |n| {
        if n == 5 {
            COUNT.set(Some(0));
        }
        if n == steps {
            calls.set(COUNT.take());
        }
        good[8..16].copy_from_slice(&n.to_le_bytes());
        let messages: [&[u8]; 9] = [
            &good,
            &good[..20],
            br#"{"seq":1,"inputs":{"force":0.1}}"#,
            br#"{"inputs":{"force":99.0,"gain":0.30000000000000004}}"#,
            br#"{"inputs":{"tork":1}}"#,
            br#"{"inputs":{"force":NaN}}"#,
            br#"{"inputs":{"force":0.1234567890123456789012345678901234567890e-5"#,
            &question,
            br#"{"names":true}"#,
        ];
        client.send(messages[(n % 9) as usize]).unwrap();
        Some(if n % 10 == 0 { 3 * PERIOD } else { 10 })
    });
    let (mut to, _from) = ring(100, ROW_HEAD + 2);
    let plan = plan(steps, OnOverrun::Skip);
    let mut gate = gate(OnTimeout::Zero);
    let (_, tally) = run(&mut toy, &mut udp, &mut gate, &plan, Some(&mut to), || false);
    assert_eq!(calls.get(), Some(0));
    // all of it has happened
    let c = gate.counts();
    assert_eq!((tally.steps(), tally.missed()), (steps, steps / 10));
    let kinds = [c.accepted, c.malformed, c.stale, c.unknown, c.not_finite, c.clamped];
    assert!(kinds.iter().all(|n| *n > 100), "{c:?}");
    assert!(udp.sent().outputs > 1000, "{:?}", udp.sent());
}
