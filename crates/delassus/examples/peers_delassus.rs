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

/// Problem A1 with fixed steps, alone and with everything a run records.
///
/// The second step is the one that makes the error at the end as small as Exudyn's with 1 ms; its time is per simulated
/// millisecond, so that it can be compared with the others.
fn slider_crank() -> Outcome<()> {
    let model = a1()?;
    let reference = a1_reference()?;
    for (step, title) in [(1e-3, "A1 gen-alpha"), (0.25e-3, "A1 gen-alpha, 4 steps of 0.25 ms")] {
        let options = gen_alpha(&model, step, 10.0);
        let bare = best(30, || integrate(&model, &options))?;
        let recorded = best(30, || Ok(run(&model, &options, &mut Silent)?))?;
        let outcome = run(&model, &options, &mut Silent)?;
        let angle = outcome.results.get("theta1").ok_or("no sensor theta1")?;
        let last = |x: &[f64]| x.last().copied().unwrap_or(f64::NAN);
        let summary = &outcome.summary;
        println!(
            r#"{{"case":"{title}","us_per_step":{:.4},"newton_per_step":{:.3},"rejected":{},"angle_error":{:.2e},"energy_error":{:.2e}}}"#,
            1e6 * bare / 1e4,
            summary.newton_iterations as f64 / summary.steps as f64,
            summary.rejected,
            (last(angle) - last(&reference.angle)).abs(),
            summary.energy_error
        );
        println!(r#"{{"case":"{title} recorded","us_per_step":{:.4}}}"#, 1e6 * recorded / 1e4);
    }
    Ok(())
}

/// One evaluation of accelerations and multipliers for growing mechanisms.
fn four_bars() -> Outcome<()> {
    let mut points = Vec::new();
    for n in SIZES {
        let model = n_four_bar(n)?;
        let mut evaluator = Evaluator::new(&model)?;
        // small ones in batches, so that the clock costs nothing
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
