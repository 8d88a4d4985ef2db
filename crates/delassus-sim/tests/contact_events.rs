//! The event-driven method on systems written by hand, against solutions in closed form.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

#[path = "../../delassus-nonsmooth/tests/linear/mod.rs"]
mod linear;

use delassus_dae::*;
use delassus_sim::contact::{Event, EventDriven, EventKind, Halt, MakeError};
use delassus_sim::{DriverOptions, StepView};
use linear::{Linear, contact};
use std::sync::Arc;

const G: f64 = 9.81;
const ALL: [&str; 6] =
    ["mdop5", "hem5", "phem56", "gen-alpha", "gen-alpha-index2", "gen-alpha-ggl"];

/// Runs to a time or to a halt; the state there.
fn run(
    p: Linear,
    method: &'static str,
    q: &[f64],
    v: &[f64],
    t_end: f64,
) -> (State, Vec<Event>, Option<Halt>) {
    let tol = Tolerances { rtol: 1e-8, atol: 0.0 };
    let opts = DriverOptions { tol, step: None, max_step: f64::INFINITY, max_steps: 1_000_000 };
    let settings = Settings { tol, ..Settings::default() };
    let make = move |m: &delassus_nonsmooth::Mode<Linear>| {
        delassus_dae::integrator::make(method, m, &settings).unwrap().map_err(Into::into)
    };
    let start = State { t: 0.0, q: q.to_vec(), v: v.to_vec(), z: vec![] };
    let mut run = match EventDriven::new(Arc::new(p), Box::new(make), &start, opts) {
        Ok(r) => r,
        Err(h) => return (start, vec![], Some(h)),
    };
    if let Err(h) = run.resume(&start) {
        return (start, vec![], Some(h));
    }
    while run.state().t < t_end || (run.state().t == t_end && run.is_pending()) {
        if let Err(h) = run.advance() {
            return (run.state().clone(), run.log.clone(), Some(h));
        }
    }
    let StepView { from, d0, to, d1 } = run.view();
    let mut dense = Hermite::new(q.len(), v.len(), 0);
    let mut s = to.clone();
    dense.fit(run.mode().manifold(), from, d0, to, d1);
    dense.at(run.mode().manifold(), t_end, &mut s);
    (s, run.log.clone(), None)
}

fn ball(e: f64) -> Linear {
    let mut p = Linear::masses(&[1.0]).point(contact(e, 0.0, 0), &[&[1.0]], 0.0);
    p.f = vec![-G];
    p
}

#[test]
fn bouncing_ball() {
    for method in ALL {
        let (_, log, halt) = run(ball(0.8), method, &[1.0], &[0.0], 4.5);
        let impacts: Vec<&Event> = log.iter().filter(|e| e.kind == EventKind::Impact).collect();
        println!("{method}: {} impacts, {halt:?}", impacts.len());
        let mut t = (2.0 / G).sqrt();
        let mut u = (2.0 * G).sqrt();
        for (k, i) in impacts.iter().enumerate().take(40) {
            assert!((i.t - t).abs() < 1e-10 * t, "{method} impact {k}: {} {t}", i.t - t);
            u *= 0.8;
            t += 2.0 * u / G;
        }
        assert!(impacts.len() > 40);
        assert!(matches!(halt, Some(Halt::Accumulation { .. })));
    }
}

#[test]
fn rests_after_a_plastic_impact() {
    for method in ALL {
        let (s, log, halt) = run(ball(0.0), method, &[1.0], &[0.0], 2.0);
        assert_eq!(halt, None);
        assert!(s.q[0].abs() < 1e-14 && s.v[0].abs() < 1e-14, "{s:?}");
        let kinds: Vec<EventKind> = log.iter().map(|e| e.kind).collect();
        assert_eq!(kinds, [EventKind::Impact, EventKind::Close]);
    }
}

/// G10: a box on an incline of 20°, coordinates along and across the slope.
fn incline(mu: f64) -> Linear {
    let a = 20f64.to_radians();
    let rows: [&[f64]; 2] = [&[0.0, 1.0], &[1.0, 0.0]];
    let mut p = Linear::masses(&[1.0, 1.0]).point(contact(0.0, mu, 1), &rows, 0.0);
    p.f = vec![-G * a.sin(), -G * a.cos()];
    p
}

#[test]
fn incline_sticks_and_slides() {
    for method in ALL {
        let a = 20f64.to_radians();
        let slide = |mu: f64, sign: f64| -G * (a.sin() + sign * mu * a.cos());
        // below the limit it stays
        let (s, _, halt) = run(incline(0.5), method, &[0.0, 0.0], &[0.0, 0.0], 2.0);
        assert_eq!(halt, None, "{method}");
        assert!(s.q[0].abs() < 1e-9, "{method}: {s:?}");
        // above it slides
        let (s, _, halt) = run(incline(0.3), method, &[0.0, 0.0], &[0.0, 0.0], 2.0);
        assert_eq!(halt, None, "{method}");
        let want = 0.5 * slide(0.3, -1.0) * 4.0;
        assert!((s.q[0] - want).abs() < 1e-8, "{method}: {} {want}", s.q[0]);
        // thrown up it stops and stays
        let (s, log, halt) = run(incline(0.5), method, &[0.0, 0.0], &[2.0, 0.0], 2.0);
        assert_eq!(halt, None, "{method}");
        let want = -2.0 / slide(0.5, 1.0);
        let stop = log.iter().find(|e| e.kind == EventKind::Stick).unwrap();
        assert!((stop.t - want).abs() < 1e-8, "{method}: {} {want}", stop.t);
        assert!((s.q[0] - want).abs() < 1e-8, "{method}: {} {want}", s.q[0]);
        // thrown up with little friction it comes back
        let (s, log, halt) = run(incline(0.3), method, &[0.0, 0.0], &[2.0, 0.0], 2.0);
        assert_eq!(halt, None, "{method}");
        let t = -2.0 / slide(0.3, 1.0);
        let want = t + 0.5 * slide(0.3, -1.0) * (2.0 - t).powi(2);
        assert!(log.iter().any(|e| e.kind == EventKind::Reverse));
        assert!((s.q[0] - want).abs() < 1e-8, "{method}: {} {want}", s.q[0]);
    }
}

#[test]
fn a_method_that_does_not_exist_is_told_by_its_name() {
    let tol = Tolerances { rtol: 1e-8, atol: 0.0 };
    let opts = DriverOptions { tol, step: None, max_step: f64::INFINITY, max_steps: 10 };
    let make = |_: &delassus_nonsmooth::Mode<Linear>| Err(MakeError::Unknown("mdop6"));
    let start = State { t: 0.0, q: vec![1.0], v: vec![0.0], z: vec![] };
    let made = EventDriven::new(Arc::new(ball(0.5)), Box::new(make), &start, opts);
    let Err(Halt::Error(e)) = made else { panic!("it was made") };
    assert!(e.detail.contains("mdop6"), "{e:?}");
}

/// A jaw rises from t = 0.5 on, from rest: position, rate, acceleration.
fn jaw(t: f64) -> [[f64; 3]; 2] {
    let s = (t - 0.5).max(0.0);
    [[0.0; 3], [-s.powi(3), -3.0 * s * s, -6.0 * s]]
}

/// A part of some mass stands on a table, q0, and `jaws` of them are pressed on its side with 100 N,
/// q1; their friction is redundant while nothing moves.
fn gripped(mass: f64, jaws: usize) -> Linear {
    let mut p = Linear::masses(&[mass, 1.0]).point(contact(0.0, 0.0, 0), &[&[1.0, 0.0]], 0.0);
    for _ in 0..jaws {
        p = p.point(contact(0.0, 0.3, 1), &[&[0.0, 1.0], &[1.0, 0.0]], 0.0).moving(jaw);
    }
    p.f = vec![-G * mass, -100.0];
    p
}

#[test]
fn rows_that_were_redundant_are_watched() {
    for method in ALL {
        for jaws in [1, 2, 3] {
            let (s, log, halt) = run(gripped(1.0, jaws), method, &[0.0, 0.0], &[0.0, 0.0], 1.5);
            assert_eq!(halt, None, "{method}");
            assert!((s.q[0] - 1.0).abs() < 1e-6, "{method} {jaws}: {s:?}");
            let release = log.iter().find(|e| e.kind == EventKind::Release).unwrap();
            assert!((release.t - 0.5).abs() < 1e-3, "{method} {jaws}: {}", release.t);
            assert!(log.iter().all(|e| e.kind != EventKind::Slip), "{method} {jaws}: {log:?}");
        }
    }
}

/// 0.3 · 100 N hold a part of 2 kg up to an acceleration of 15 − G, which is at 6 (t − 1/2).
#[test]
fn shared_friction_holds_as_much_as_all_of_it_can() {
    let slips = 0.5 + (15.0 - G) / 6.0;
    for jaws in [1, 2, 3] {
        let (_, log, halt) = run(gripped(2.0, jaws), "mdop5", &[0.0; 2], &[0.0; 2], 1.5);
        assert_eq!(halt, None);
        let slip: Vec<f64> =
            log.iter().filter(|e| e.kind == EventKind::Slip).map(|e| e.t).collect();
        assert_eq!(slip.len(), jaws, "{log:?}");
        // alone, the force decides; together, accelerations above 1e-8 of the largest do, 1e-6 of 100
        let limit = if jaws == 1 { 1e-8 } else { 2e-7 };
        assert!(slip.iter().all(|t| (t - slips).abs() < limit), "{jaws}: {slip:?} {slips}");
    }
    // what is too heavy from the start is never lifted
    let (s, log, halt) = run(gripped(4.0, 2), "mdop5", &[0.0; 2], &[0.0; 2], 1.5);
    assert_eq!(halt, None);
    assert!(s.q[0].abs() < 1e-12 && log.iter().all(|e| e.kind != EventKind::Release), "{log:?}");
}

/// Two points under one mass whose support falls away: each opens once.
#[test]
fn points_that_part_at_once_open_once() {
    fn falls(t: f64) -> [[f64; 3]; 2] {
        // y = −20 t³/6: faster than gravity from t = G/20 on
        [[20.0 * t.powi(3) / 6.0, 10.0 * t * t, 20.0 * t], [0.0; 3]]
    }
    let arms: [&[f64]; 2] = [&[1.0, 1.0], &[1.0, -1.0]];
    let mut p = Linear::masses(&[1.0, 1.0]);
    for arm in arms {
        p = p.point(contact(0.0, 0.0, 0), &[arm], 0.0).moving(falls);
    }
    p.f = vec![-G, 0.0];
    let (s, log, halt) = run(p, "mdop5", &[0.0; 2], &[0.0; 2], 1.0);
    assert_eq!(halt, None);
    let kinds: Vec<EventKind> = log.iter().map(|e| e.kind).collect();
    use EventKind::{Close, Release};
    assert_eq!(kinds, [Close, Close, Release, Release]);
    for e in &log[2..] {
        assert!((e.t - G / 20.0).abs() < 1e-7, "{}", e.t);
    }
    assert!(s.q[1].abs() < 1e-9, "{s:?}");
}
