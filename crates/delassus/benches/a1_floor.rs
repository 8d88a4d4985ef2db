//! How far Delassus is from a program written by hand for one problem.
//!
//! Problem A1 is a slider-crank of two equal uniform bars (1 m, 1 kg) with a massless slider. On
//! its branch the rod has the angle −θ, where θ is the angle of the crank. Centres of mass are
//! at ½(cos θ, sin θ) and (3/2 cos θ, ½ sin θ), hence
//!
//! T = ½ M(θ) θ'², M = 2/3 + 2 sin²θ, V = g sin θ, M θ'' + ½ M' θ'² + g cos θ = 0.
//!
//! The program by hand integrates this equation with DOPRI5 as in the book of Hairer, Nørsett
//! and Wanner (PI controller, continuous output) and samples every 10 ms. Delassus runs the
//! model file, with three bodies, seven constraints and all it records. Both use the loosest
//! tolerance that keeps eps_T below 2e-4, as does every tighter one tried.

#![allow(clippy::print_stdout)]
#![allow(missing_docs)] // criterion

#[path = "../examples/support/mod.rs"]
mod support;

use criterion::Criterion;
use delassus::prelude::*;
use std::hint::black_box;
use support::{A1Motion, Outcome, a1, a1_reference, eps_t, integrate, seconds};

const GOAL: f64 = 2e-4;
const END: f64 = 10.0;
const SAMPLE: f64 = 0.01;

/// θ and θ'.
type Y = [f64; 2];

fn slope(y: Y) -> Y {
    let (s, c) = y[0].sin_cos();
    let mass = 2.0 / 3.0 + 2.0 * s * s;
    [y[1], -(2.0 * s * c * y[1] * y[1] + 9.81 * c) / mass]
}

const A: [[f64; 6]; 6] = [
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const E: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];
/// Continuous output.
const D: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

struct Hand {
    motion: A1Motion,
    steps: u64,
    rejected: u64,
}

fn norm(x: Y, scale: Y) -> f64 {
    (0.5 * ((x[0] / scale[0]).powi(2) + (x[1] / scale[1]).powi(2))).sqrt()
}

/// Starting step of Hairer, Nørsett and Wanner.
fn first_step(y: Y, k: Y, tol: f64) -> f64 {
    let scale = y.map(|y| tol * (1.0 + y.abs()));
    let (d0, d1) = (norm(y, scale), norm(k, scale));
    let h0 = 0.01 * d0 / d1;
    let k1 = slope([y[0] + h0 * k[0], y[1] + h0 * k[1]]);
    let d2 = norm([k1[0] - k[0], k1[1] - k[1]], scale) / h0;
    (0.01 / d1.max(d2)).powf(0.2).min(100.0 * h0)
}

/// The program by hand.
fn by_hand(tol: f64) -> Hand {
    let samples = (END / SAMPLE).round() as usize + 1;
    let mut y = [std::f64::consts::FRAC_PI_4, 8f64.sqrt()];
    let mut k = [[0.0; 2]; 7];
    k[0] = slope(y);
    let mut motion =
        A1Motion { angle: Vec::with_capacity(samples), slider: Vec::with_capacity(samples) };
    motion.angle.push(y[0]);
    motion.slider.push(2.0 * y[0].cos());
    let (mut t, mut h, mut last_error) = (0.0, first_step(y, k[0], tol), 1e-4f64);
    let (mut steps, mut rejected, mut after_rejection) = (0, 0, false);
    while motion.angle.len() < samples {
        h = h.min(END - t);
        let mut end = y;
        for (i, row) in A.iter().enumerate() {
            end = y;
            for (a, k) in row.iter().zip(&k[..=i]) {
                end[0] += h * a * k[0];
                end[1] += h * a * k[1];
            }
            k[i + 1] = slope(end);
        }
        let sum = |c: &[f64; 7]| {
            let mut s = [0.0; 2];
            for (c, k) in c.iter().zip(&k) {
                s[0] += h * c * k[0];
                s[1] += h * c * k[1];
            }
            s
        };
        let scale = [0, 1].map(|i| tol * (1.0 + f64::max(y[i].abs(), end[i].abs())));
        let error = norm(sum(&E), scale);
        if error > 1.0 {
            rejected += 1;
            after_rejection = true;
            h *= (0.9 * error.powf(-0.17)).max(0.2);
            continue;
        }
        steps += 1;
        // θ over the step, as in CONTD5
        let difference = end[0] - y[0];
        let bump = h * k[0][0] - difference;
        let r4 = difference - h * k[6][0] - bump;
        let r5 = sum(&D)[0];
        loop {
            let time = motion.angle.len() as f64 * SAMPLE;
            if time > t + h + 1e-12 || motion.angle.len() == samples {
                break;
            }
            let s = (time - t) / h;
            let u = 1.0 - s;
            let angle = y[0] + s * (difference + u * (bump + s * (r4 + u * r5)));
            motion.angle.push(angle);
            motion.slider.push(2.0 * angle.cos());
        }
        t += h;
        y = end;
        k[0] = k[6];
        let error = error.max(1e-4);
        let factor = (0.9 * error.powf(-0.17) * last_error.powf(0.04)).clamp(0.2, 10.0);
        last_error = error;
        h *= if after_rejection { factor.min(1.0) } else { factor };
        after_rejection = false;
    }
    Hand { motion, steps, rejected }
}

/// Delassus through its public interface.
fn by_model(model: &Assembled, options: &RunOptions) -> Outcome<RunOutcome> {
    Ok(delassus::simulate_with(model, options)?)
}

fn options(model: &Assembled, rtol: f64) -> RunOptions {
    let set = RunOptions::from_model(model.system.model());
    RunOptions { method: "mdop5".to_owned(), rtol: Some(rtol), ..set }
}

fn model_error(outcome: &RunOutcome, reference: &A1Motion) -> f64 {
    match (outcome.results.get("theta1"), outcome.results.get("xQ")) {
        (Some(angle), Some(slider)) => eps_t(angle, slider, reference),
        _ => f64::INFINITY,
    }
}

/// The loosest tolerance that meets the goal together with all tighter ones that are tried:
/// twelve per decade, from 1e-2 to 1e-9.
fn loosest(mut error: impl FnMut(f64) -> f64) -> f64 {
    (0..=84)
        .map(|i| 10f64.powf(-9.0 + f64::from(i) / 12.0))
        .take_while(|tol| error(*tol) <= GOAL)
        .last()
        .unwrap_or(1e-9)
}

struct Case {
    model: Assembled,
    reference: A1Motion,
    hand_tol: f64,
    options: RunOptions,
}

fn case() -> Outcome<Case> {
    let (model, reference) = (a1()?, a1_reference()?);
    let hand_error = |tol| {
        let m = by_hand(tol).motion;
        eps_t(&m.angle, &m.slider, &reference)
    };
    let strict = hand_error(1e-12);
    if strict > 1e-8 {
        return Err(format!("the equation by hand is wrong: eps_T = {strict:.1e}").into());
    }
    let hand_tol = loosest(hand_error);
    let rtol = loosest(|tol| {
        by_model(&model, &options(&model, tol))
            .map_or(f64::INFINITY, |outcome| model_error(&outcome, &reference))
    });
    let options = options(&model, rtol);
    Ok(Case { model, reference, hand_tol, options })
}

/// Both in turn, the smallest time of each.
fn report(case: &Case) -> Outcome<()> {
    let Case { model, reference, hand_tol, options } = case;
    let [mut hand, mut whole, mut bare] = [f64::INFINITY; 3];
    for _ in 0..300 {
        hand = hand.min(seconds(|| Ok(by_hand(black_box(*hand_tol))))?);
        whole = whole.min(seconds(|| by_model(model, options))?);
        bare = bare.min(seconds(|| integrate(model, options))?);
    }
    let h = by_hand(*hand_tol);
    let outcome = by_model(model, options)?;
    let s = &outcome.summary;
    let hand_error = eps_t(&h.motion.angle, &h.motion.slider, reference);
    println!("A1, eps_T at most {GOAL:.0e}, CPU time, smallest of 300 runs in turn");
    println!(
        "by hand:                  {:8.1} us, tolerance {hand_tol:.2e}, eps_T {hand_error:.2e}, {} steps + {} rejected",
        1e6 * hand,
        h.steps,
        h.rejected
    );
    println!(
        "Delassus:                 {:8.1} us, tolerance {:.2e}, eps_T {:.2e}, {} steps + {} rejected, {} evaluations, {} factorizations, {} hops",
        1e6 * whole,
        options.rtol.unwrap_or(f64::NAN),
        model_error(&outcome, reference),
        s.steps,
        s.rejected,
        s.evaluations,
        s.factorizations,
        s.singular_hops
    );
    println!("Delassus without results: {:8.1} us", 1e6 * bare);
    println!(
        "ratio: {:.1} (without results {:.1}); per step {:.1}\n",
        whole / hand,
        bare / hand,
        (whole / s.steps as f64) / (hand / h.steps as f64)
    );
    Ok(())
}

fn main() -> Outcome<()> {
    let case = case()?;
    // `cargo test --benches` only checks that it runs
    if !std::env::args().any(|a| a == "--test") {
        report(&case)?;
    }
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("A1");
    group.bench_function("by hand", |b| b.iter(|| by_hand(black_box(case.hand_tol))));
    group.bench_function("Delassus", |b| {
        b.iter(|| by_model(&case.model, black_box(&case.options)).is_ok());
    });
    group.finish();
    criterion.final_summary();
    Ok(())
}
