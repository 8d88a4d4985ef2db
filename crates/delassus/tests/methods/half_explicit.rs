//! `hem5` and `phem56` on models: the benchmark problems, redundant constraints, singular
//! positions, rolling, controllers and massless bodies.

use crate::support;

use delassus::model::Assembled;
use delassus::sim::{RunOptions, RunOutcome};
use support::{benchmark, difference, load, motions};

const METHODS: [&str; 2] = ["hem5", "phem56"];

fn run(m: &Assembled, method: &str, change: impl FnOnce(&mut RunOptions)) -> RunOutcome {
    support::run(m, |o| {
        o.method = method.to_owned();
        change(o);
    })
}

fn run_case(id: &str, method: &str) {
    let case = benchmark(id);
    let out = run(&case.load(), method, |o| {
        if method == "hem5" {
            // its estimate is of lower order than that of a pair: the same error is reached
            // with a hundred times the tolerance
            o.rtol = o.rtol.map(|r| (100.0 * r).min(1e-6));
        }
    });
    case.check(method, &out);
    let s = &out.summary;
    assert!(s.max_velocity_drift <= 1e-12, "{id} {method}: {:.3e}", s.max_velocity_drift);
    assert!(s.max_position_drift < 1e-8, "{id} {method}: drift {:.3e}", s.max_position_drift);
}

every_benchmark!(hem5 "hem5", phem56 "phem56");

/// Every joint three times: the same rows on both sides of every stage system, the same motion.
#[test]
fn tripled_four_bar_moves_like_the_single_one() {
    let single = load("four_bar.toml", &[]);
    let tripled = load("four_bar_tripled.toml", &[]);
    assert_eq!(tripled.report.redundancy.len(), 2 * single.report.rows);
    for method in METHODS {
        let of = |m: &Assembled| {
            run(m, method, |o| {
                o.rtol = Some(if method == "hem5" { 1e-9 } else { 1e-11 });
                o.t_end = 10.0;
                // what is redundant is projected at every step: do the same with the other
                o.options = o.options.clone().with_word("project", "always");
            })
        };
        let (a, b) = (of(&single), of(&tripled));
        assert!(b.summary.max_position_drift < 1e-12 && b.summary.max_velocity_drift < 1e-12);
        let (d, name) = difference(&motions(&single), &a, &b);
        println!("{method}: {d:.1e} in {name}");
        assert!(d < 1e-9, "{method} {name}: {d:e}");
    }
}

/// Bricard's mechanism: a row too many that no choice of joints shows.
#[test]
fn bricard_keeps_its_energy_and_all_its_constraints() {
    let m = load("benchmarks/B4_bricard.toml", &[]);
    for method in METHODS {
        let out = run(&m, method, |o| o.rtol = Some(1e-8));
        let v = out.results.get("energy.potential").unwrap();
        let swing =
            v.iter().copied().fold(f64::MIN, f64::max) - v.iter().copied().fold(f64::MAX, f64::min);
        assert!(out.summary.energy_error <= 1e-6 * swing, "{:e}", out.summary.energy_error);
        // all rows, also the one that is not solved for
        assert!(out.summary.max_velocity_drift < 1e-12);
    }
}

/// Through the flat position again and again, with many directions free at once.
#[test]
fn n_four_bar_passes_its_singular_positions() {
    for (n, end) in [("1", 20.0), ("2", 20.0), ("20", 10.0), ("40", 10.0)] {
        let m = load("n_four_bar.toml", &[("N", n)]);
        for method in METHODS {
            let out = run(&m, method, |o| {
                o.rtol = Some(if method == "hem5" { 1e-6 } else { 1e-8 });
                o.t_end = end;
            });
            let k = out.results.get("energy.kinetic").unwrap();
            let scale = delassus::math::max_abs(k);
            let e = out.summary.energy_error;
            assert!(e < 1e-6 * scale, "{method}, N = {n}: {e:e}");
            assert!(out.summary.max_velocity_drift < 1e-12);
        }
    }
}

/// Equal steps of many lengths, so that stages fall on all distances from the flat position. No
/// error control helps here: each run has to stay on its branch.
#[test]
fn n_four_bar_passes_with_any_fixed_step() {
    let m = load("n_four_bar.toml", &[("N", "2")]);
    for method in METHODS {
        let mut worst = 0.0_f64;
        for k in 0..40 {
            let out = run(&m, method, |o| {
                o.step = Some(4e-3 * (1.0 + 0.01 * f64::from(k)));
                o.t_end = 5.0;
            });
            let kinetic = out.results.get("energy.kinetic").unwrap();
            let scale = delassus::math::max_abs(kinetic);
            worst = delassus::math::largest([worst, out.summary.energy_error / scale]);
        }
        println!("{method}: {worst:.1e}");
        assert!(worst < 1e-6, "{method}: {worst:.1e}");
    }
}

/// Rolling (rows without a position level), a controller (states z), a massless slider and
/// bushings with thin rods: the same motion as the explicit method on index 1.
#[test]
fn rolling_controllers_and_massless_bodies() {
    for (file, end, limit) in [
        ("rolling_disc.toml", 5.0, 1e-7),
        ("motor_pid.toml", 2.0, 1e-6),
        ("slider_crank.toml", 1.0, 1e-6),
        ("benchmarks/A1_slider_crank_case1.toml", 2.0, 1e-6),
        ("gear_train.toml", 1.0, 1e-6),
        ("vehicle_bushing.toml", 0.2, 1e-6),
    ] {
        let m = load(file, &[]);
        let of = |method: &str| {
            run(&m, method, |o| {
                o.rtol = Some(if method == "hem5" { 1e-8 } else { 1e-10 });
                o.t_end = o.t_end.min(end);
            })
        };
        let want = of("mdop5");
        for method in METHODS {
            let (d, name) = difference(&motions(&m), &want, &of(method));
            println!("{file} {method}: {d:.1e} in {name}");
            assert!(d < limit, "{file} {method} {name}: {d:e}");
        }
    }
}
