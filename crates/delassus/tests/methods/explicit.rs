//! The explicit family on whole models: the slider-crank cases to their strict limits, and one
//! model of each kind that needs something special of a method.

use crate::support;

use delassus::dae::Options;
use delassus::sim::{RunOptions, RunOutcome};
use support::{errors, load};

fn run(file: &str, change: impl FnOnce(&mut RunOptions)) -> RunOutcome {
    support::run(&load(file, &[]), change)
}

fn with_method(o: &mut RunOptions, method: &str, stabilization: Option<&str>, rtol: f64) {
    o.method = method.to_owned();
    o.rtol = Some(rtol);
    o.step = None;
    o.options = match stabilization {
        Some(word) => Options::default().with_word("stabilization", word),
        None => Options::default(),
    };
}

/// eps_T of the crank angle and the slider position: √(½ Σ_j (1/m) Σ_i Δ²).
fn slider_crank_error(id: &str, method: &str, stabilization: Option<&str>, rtol: f64) -> f64 {
    let file = format!("benchmarks/{id}.toml");
    let out = run(&file, |o| with_method(o, method, stabilization, rtol));
    let (_, eps) = errors(id, &out, Some(&["theta1", "xQ"]));
    println!("{id} {method} {stabilization:?}: eps_T = {eps:.1e}, {} steps", out.summary.steps);
    eps
}

const CASES: [(&str, f64); 3] = [
    ("A1_slider_crank_case1", 2e-4),
    ("A2_slider_crank_case2", 5e-3),
    ("A3_slider_crank_case3", 1e-2),
];

#[test]
fn slider_cranks_are_solved_to_the_strict_limits() {
    for (id, limit) in CASES {
        for (method, rtol) in [("dopri5", 1e-8), ("rkf45", 1e-8), ("rk4", 1e-8), ("dop853", 1e-10)]
        {
            let eps = slider_crank_error(id, method, None, rtol);
            assert!(eps <= limit, "{id} {method}: {eps:.2e}");
        }
    }
}

/// Off the constraints the branches of a singular position do not meet: a drifting solution
/// turns into the wrong one there, at any tolerance. Away from such positions it is as good as
/// any. This is why projection is the default.
#[test]
fn without_projection_singular_positions_are_not_passed() {
    assert!(slider_crank_error(CASES[1].0, "dopri5", Some("none"), 1e-8) < CASES[1].1);
    assert!(slider_crank_error(CASES[1].0, "dopri5", Some("baumgarte"), 1e-8) < CASES[1].1);
    for rtol in [1e-8, 1e-10] {
        assert!(slider_crank_error(CASES[0].0, "dopri5", Some("none"), rtol) > 1.0);
    }
}

/// Redundant constraints, rolling, states of a controller, spatial bodies.
#[test]
fn all_kinds_of_models_are_run() {
    for (file, end, columns) in [
        ("four_bar_tripled.toml", 1.0, &["crank_angle", "rocker_angle"][..]),
        ("rolling_disc.toml", 1.0, &["centre.x", "centre.y"]),
        ("motor_pid.toml", 1.0, &["arm_angle", "speed"]),
        ("benchmarks/B4_bricard.toml", 1.0, &["xP3", "yP3", "zP3"]),
    ] {
        let at_end = |method: &str, word: Option<&str>, rtol: f64| -> Vec<f64> {
            let out = run(file, |o| {
                with_method(o, method, word, rtol);
                o.t_end = end;
            });
            let last =
                |c: &&str| *out.results.get(c).unwrap_or_else(|| panic!("{c}")).last().unwrap();
            columns.iter().map(last).collect()
        };
        let exact = at_end("mdop5", None, 1e-12);
        for (method, word) in [
            ("dopri5", None),
            ("dopri5", Some("none")),
            ("dopri5", Some("baumgarte")),
            ("rkf45", None),
            ("rkf45", Some("none")),
            ("rk4", None),
            ("rk4", Some("baumgarte")),
            ("dop853", None),
            ("dop853", Some("none")),
            ("dop853", Some("baumgarte")),
        ] {
            let got = at_end(method, word, 1e-9);
            let gap = delassus::math::max_difference(&got, &exact);
            println!("{file} {method} {word:?}: {gap:.1e}");
            assert!(gap < 1e-5, "{file} {method} {word:?}: {got:?} {exact:?}");
        }
    }
}

/// A step that the user gives is taken as it is, also by a method that has only fixed steps.
#[test]
fn a_given_step_is_kept() {
    let out = run("pendulum.toml", |o| {
        with_method(o, "rk4", None, 1e-8);
        o.t_end = 1.0;
        o.step = Some(0.05);
    });
    assert_eq!(out.summary.steps, 20);
    assert_eq!(out.summary.step, Some(0.05));
}
