//! The dense solvers against the definitions, the enumeration and each other.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
mod common;

use common::{Owned, PLANAR, Rng, SPATIAL, close, random, violation};
use delassus_cone::{Law, Solver, Status};
use proptest::prelude::*;

#[test]
fn auto_solves_random_planar_problems() {
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let blocks = 1 + rng.below(8);
        let deficit = rng.below(4);
        let p = random(&mut rng, &PLANAR, blocks, deficit);
        let (r, report) = p.auto();
        assert_eq!(report.status, Status::Solved, "seed {seed} {report:?}");
        assert!(violation(&p.laws, &r, &p.rate(&r)) < 1e-8, "seed {seed} {report:?}");
    }
}

#[test]
fn auto_solves_random_spatial_problems() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let blocks = 1 + rng.below(8);
        let deficit = rng.below(4);
        let p = random(&mut rng, &SPATIAL, blocks, deficit);
        let (r, report) = p.auto();
        assert_eq!(report.status, Status::Solved, "seed {seed} {report:?}");
        assert!(violation(&p.laws, &r, &p.rate(&r)) < 1e-8, "seed {seed} {report:?}");
    }
}

#[test]
fn survey() {
    for (name, kinds) in [("planar", &PLANAR), ("spatial", &SPATIAL)] {
        for solver in [
            Solver::Auto,
            Solver::Lemke,
            Solver::SemismoothNewton,
            Solver::GaussSeidel,
            Solver::Admm,
            Solver::InteriorPoint,
        ] {
            let (mut solved, mut worst, mut iters) = (0, 0.0f64, 0);
            for seed in 0..200 {
                let mut rng = Rng::new(seed);
                let blocks = 1 + rng.below(10);
                let deficit = rng.below(4);
                let p = random(&mut rng, kinds, blocks, deficit);
                let (_, report) = p.solve(solver, 1e-9, 2000);
                solved += usize::from(report.status == Status::Solved);
                worst = worst.max(report.residual);
                iters += report.iterations;
            }
            println!(
                "{name} {solver:?}: {solved}/200 worst {worst:.1e} iterations {}",
                iters / 200
            );
        }
    }
}
