//! Late steps: every one is counted, once, and none is made up for by a burst.

use crate::toy::{PERIOD, Time, Toy, gate, plan, run};
use delassus_rt::packet::Cycle;
use delassus_rt::{
    Alone, Ending, GRACE, Gate, Link, OnOverrun, OnTimeout, Plan, ROW_HEAD, ring, status,
};
use std::cell::Cell;

/// Steps that take too long, and by how much: a bit, exactly to the next deadlines, many periods, two in a row, the
/// first and the last one.
fn delays(steps: u64) -> Vec<(u64, u64)> {
    let mut list: Vec<(u64, u64)> = (0..12).map(|k| (2_000 + 7_919 * k, 1 + 333_333 * k)).collect();
    list.extend([
        (1, 50_000),
        (500, PERIOD),
        (501, 3 * PERIOD),
        (502, 30 * PERIOD + 1),
        (steps, 9),
    ]);
    list.sort_unstable();
    list
}

#[test]
fn rel_r46_seventeen_delays_in_1e5_steps_are_seventeen_late_steps() {
    let steps = 100_000;
    let delays = delays(steps);
    assert_eq!(delays.len(), 17);
    for policy in [OnOverrun::Skip, OnOverrun::Log] {
        let time = Time::default();
        let delays_of = delays.clone();
        let mut toy = Toy::new(&time, move |n| {
            let late = delays_of.iter().find(|d| d.0 == n).map(|d| PERIOD + d.1);
            // steps that end exactly at the next deadline are in time
            Some(late.unwrap_or(if n % 7 == 0 { PERIOD } else { 200_000 }))
        });
        let (out, tally) = run(
            &mut toy,
            &mut Alone,
            &mut gate(OnTimeout::Stop),
            &plan(steps, policy),
            None,
            || false,
        );
        assert_eq!((out.ending, tally.steps(), tally.missed()), (Ending::Done, steps, 17));
        let f = tally.figures(out.clock);
        let found: Vec<u64> = f.overruns.iter().map(|o| o.step).collect();
        assert_eq!(found, delays.iter().map(|d| d.0).collect::<Vec<_>>(), "{policy:?}");
        assert_eq!(f.spans.iter().map(|s| s.missed).sum::<u64>(), 17);
        // never a burst: steps begin a whole period apart
        let gaps = toy.began.windows(2).map(|w| w[1] - w[0]);
        assert!(gaps.min().unwrap() >= PERIOD, "{policy:?}");
        // the clock and the model agree but for what the model lost
        assert_eq!(out.flagged[0], 16, "the last one is told by no later cycle");
        let last = toy.began.last().unwrap() - toy.began[0];
        let lag = (f.lag_s * 1e9).round() as u64;
        let own = match policy {
            // what the last step loses comes after it began
            OnOverrun::Log => 9,
            _ => PERIOD,
        };
        assert_eq!(last, (steps - 1) * PERIOD + lag - own);
        if policy == OnOverrun::Skip {
            assert_eq!(lag, f.skipped * PERIOD);
            assert!(toy.began.iter().all(|b| b % PERIOD == toy.began[0] % PERIOD), "in phase");
        } else {
            assert_eq!(f.skipped, 0);
            assert_eq!(lag, delays.iter().map(|d| d.1).sum::<u64>());
        }
    }
}

#[test]
fn rel_r46_after_the_grace_the_first_late_step_ends_the_run() {
    let time = Time::default();
    let mut toy = Toy::new(&time, |n| {
        Some(if [3, 4, GRACE, GRACE + 50, GRACE + 60].contains(&n) { 5 * PERIOD / 2 } else { 10 })
    });
    let mut link = Log::default();
    let plan = plan(100_000, OnOverrun::default());
    let (out, tally) = run(&mut toy, &mut link, &mut gate(OnTimeout::Stop), &plan, None, || false);
    let Ending::Overrun(o) = out.ending else { panic!("{:?}", out.ending) };
    assert_eq!((o.step, o.late_us, o.skipped), (GRACE + 50, 1500.0, 2));
    assert_eq!((tally.steps(), tally.missed(), toy.n), (GRACE + 50, 4, GRACE + 50));
    // the last message says so
    assert_eq!(link.last, (GRACE + 51, status::ENDED | status::LATE));
}

#[test]
fn a_sleep_that_ends_too_late_makes_the_step_late() {
    let time = Time::default();
    let oversleep = time.oversleep.clone();
    let mut toy = Toy::new(&time, |n| {
        oversleep.set(if n % 10 == 0 { 3 * PERIOD } else { 40_000 });
        Some(100_000)
    });
    let plan = plan(1000, OnOverrun::Skip);
    let (out, tally) = run(&mut toy, &mut Alone, &mut gate(OnTimeout::Stop), &plan, None, || false);
    let f = tally.figures(out.clock);
    // the delay after the last step has no step
    assert_eq!((f.steps, f.missed), (1000, 99));
    assert!((f.p50_us - 100.0).abs() < 2.0 && f.worst_us == 100.0, "{}", f.p50_us);
    assert_eq!(f.worst_jitter_us, 3000.0);
    assert!(f.histogram.iter().map(|b| b.count).sum::<u64>() == 1000);
}

#[test]
fn without_deadlines_nothing_is_late() {
    let time = Time::default();
    let mut toy = Toy::new(&time, |_| Some(3 * PERIOD));
    let plan = Plan { throttled: false, ..plan(5000, OnOverrun::Stop) };
    let (out, tally) = run(&mut toy, &mut Alone, &mut gate(OnTimeout::Stop), &plan, None, || false);
    assert_eq!((out.ending, tally.steps(), tally.missed()), (Ending::Done, 5000, 0));
    assert_eq!(tally.figures(out.clock).worst_jitter_us, 0.0);
}

#[test]
fn whoever_asks_for_the_end_gets_it_after_the_step() {
    let (time, stop) = (Time::default(), Cell::new(false));
    let mut toy = Toy::new(&time, |n| {
        stop.set(n == 1234);
        Some(10)
    });
    let mut link = Log::default();
    let plan = Plan { steps: None, ..plan(1, OnOverrun::Stop) };
    let (out, tally) =
        run(&mut toy, &mut link, &mut gate(OnTimeout::Stop), &plan, None, || stop.get());
    assert_eq!((out.ending, tally.steps()), (Ending::Interrupted, 1234));
    assert_eq!(link.last, (1235, status::ENDED));
}

#[test]
fn a_model_that_cannot_go_on_ends_the_run_and_nan_is_seen() {
    let time = Time::default();
    let mut toy = Toy::new(&time, |n| (n < 30).then_some(10));
    toy.drift = f64::NAN;
    let mut link = Log::default();
    let plan = plan(100, OnOverrun::Stop);
    let (out, tally) = run(&mut toy, &mut link, &mut gate(OnTimeout::Stop), &plan, None, || false);
    assert_eq!((out.ending, tally.steps()), (Ending::Model, 29));
    assert_eq!((link.last, out.flagged[16]), ((30, status::ENDED | status::FAILED), 1));
    assert!(out.drift.is_nan());
}

#[test]
fn rows_without_room_are_counted_and_the_loop_goes_on() {
    let time = Time::default();
    let mut toy = Toy::new(&time, |n| Some(if n == 15 { 2 * PERIOD } else { 10 }));
    let (mut to, mut from) = ring(4, ROW_HEAD + 2);
    let plan = Plan { every: 5, ..plan(50, OnOverrun::Skip) };
    let mut gate = gate(OnTimeout::Stop);
    let (out, tally) = run(&mut toy, &mut Alone, &mut gate, &plan, Some(&mut to), || false);
    // the start, then every fifth step
    assert_eq!((tally.steps(), out.rows_lost), (50, 7));
    let mut row = [0.0; ROW_HEAD + 2];
    for n in [0.0, 5.0, 10.0, 15.0] {
        assert!(from.receive(&mut row));
        assert_eq!((row[0], row[ROW_HEAD + 1], row[4]), (n * 1e-3, n, 1e-12));
        assert_eq!(row[1], if n == 15.0 { f64::from(status::LATE) } else { 0.0 });
        let length = if n == 15.0 { 2e-3 } else { 1e-8 };
        assert!(n == 0.0 || (row[3] - length).abs() < 1e-15);
    }
    assert!(!from.receive(&mut row));
}

/// Remembers the last message.
#[derive(Default)]
struct Log {
    last: (u64, u32),
}

impl Link for Log {
    fn receive(&mut self, _: &mut Gate) -> bool {
        true
    }

    fn send(&mut self, c: &Cycle<'_>) {
        self.last = (c.sequence, c.status);
    }

    fn is_open(&self) -> bool {
        false
    }
}
