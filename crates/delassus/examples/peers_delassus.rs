//! Our side of the peer comparison; see `benches/peers/README.md`. Prints JSON lines.

#![allow(clippy::print_stdout)]

mod support;

use delassus::sim::{Silent, run};
use support::{Evaluator, Outcome, a1, a1_reference, best, gen_alpha, integrate, n_four_bar};

const SIZES: [usize; 6] = [20, 100, 200, 500, 1000, 2000];

fn main() -> Outcome<()> {
    slider_crank()?;
    four_bars()
}

/// Problem A1 with fixed steps of 1 ms, alone and with everything a run records.
fn slider_crank() -> Outcome<()> {
    let model = a1()?;
    let options = gen_alpha(&model, 10.0);
    let steps = integrate(&model, &options)?.steps as f64;
    let bare = best(30, || integrate(&model, &options))?;
    let recorded = best(30, || Ok(run(&model, &options, &mut Silent)?))?;
    let outcome = run(&model, &options, &mut Silent)?;
    let reference = a1_reference()?;
    let last = |x: &[f64]| x.last().copied().unwrap_or(f64::NAN);
    let angle = outcome.results.get("theta1").ok_or("no sensor theta1")?;
    let error = (last(angle) - last(&reference.angle)).abs();
    let bare = 1e6 * bare / steps;
    let recorded = 1e6 * recorded / steps;
    println!(
        r#"{{"case":"A1 gen-alpha","us_per_step":{bare:.4},"newton_per_step":{:.3},"angle_error":{error:.2e}}}"#,
        outcome.summary.newton_iterations as f64 / steps
    );
    println!(r#"{{"case":"A1 gen-alpha recorded","us_per_step":{recorded:.4}}}"#);
    Ok(())
}

/// One evaluation of accelerations and multipliers for growing mechanisms.
fn four_bars() -> Outcome<()> {
    let mut points = Vec::new();
    for n in SIZES {
        let model = n_four_bar(n)?;
        let mut evaluator = Evaluator::new(&model)?;
        // a timing of ten evaluations or so is long enough for the clock
        let batch = (1000 / n).max(1);
        let time = best(100, || (0..batch).try_for_each(|_| evaluator.eval()))? / batch as f64;
        println!(r#"{{"case":"n_four_bar","n":{n},"eval_ms":{:.5}}}"#, 1e3 * time);
        points.push(((n as f64).ln(), time.ln()));
    }
    println!(r#"{{"case":"n_four_bar scaling","exponent":{:.3}}}"#, slope(&points));
    Ok(())
}

/// Least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
    let (xy, xx) = points
        .iter()
        .fold((0.0, 0.0), |s, p| (s.0 + (p.0 - x) * (p.1 - y), s.1 + (p.0 - x).powi(2)));
    xy / xx
}
