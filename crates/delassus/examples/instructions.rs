//! Work for an instruction counter: `instructions CASE REPETITIONS`; see `benches/README.md`.

mod support;

use delassus::prelude::*;
use delassus::sim::run;
use support::{Evaluator, Outcome, a1, gen_alpha, integrate, load, n_four_bar};

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let case =
        args.next().ok_or("which case? a1_mdop5, a1_gen_alpha, n_four_bar_100 or bricard")?;
    let repetitions: usize = args.next().as_deref().unwrap_or("1").parse()?;
    match case.as_str() {
        // a whole run with the settings of the model file
        "a1_mdop5" => runs(&a1()?, repetitions),
        "bricard" => runs(&load("benchmarks/B4_bricard.toml")?, repetitions),
        // 1000 fixed steps without recorder
        "a1_gen_alpha" => {
            let model = a1()?;
            let options = gen_alpha(&model, 1e-3, 1.0);
            (0..repetitions).try_for_each(|_| integrate(&model, &options).map(drop))
        }
        // 100 evaluations of accelerations and multipliers
        "n_four_bar_100" => {
            let model = n_four_bar(100)?;
            let mut evaluator = Evaluator::new(&model)?;
            (0..100 * repetitions).try_for_each(|_| evaluator.eval())
        }
        other => Err(format!("there is no case \"{other}\"").into()),
    }
}

fn runs(model: &Assembled, repetitions: usize) -> Outcome<()> {
    let options = RunOptions::from_model(model.system.model());
    for _ in 0..repetitions {
        if let Some(error) = run(model, &options, &mut Silent)?.error {
            return Err(error.into());
        }
    }
    Ok(())
}
