//! `lin-euler` on model files: everything that a model may contain, the real-time problems F1 and F2, and how a run
//! with too large a step ends.

use crate::support;

use delassus::dae::Options;
use delassus::math::{max_abs, max_difference};
use delassus::sim::{RunOptions, RunOutcome};
use support::{assembled, load, parsed, reference, try_run};

fn run(file: &str, change: impl FnOnce(&mut RunOptions)) -> RunOutcome {
    try_run(&load(file, &[]), change)
}

fn lin_euler(o: &mut RunOptions, step: f64, words: &[(&str, &str)]) {
    o.method = "lin-euler".to_owned();
    o.step = Some(step);
    o.options = words.iter().fold(Options::default(), |o, (name, word)| o.with_word(name, word));
}

/// Redundant, massless, rolling, in space, with controllers, bushings and laws of sensors: the
/// error against the explicit method of order 5 halves with the step.
#[test]
fn every_kind_of_model_converges_with_order_one() {
    for (file, sensor, end, step) in [
        ("four_bar_tripled.toml", "crank_angle", 0.4, 2.5e-4),
        ("motor_pid.toml", "arm_angle", 2.0, 1e-3),
        ("rolling_disc.toml", "centre.x", 1.0, 1e-3),
        ("gyroscope.toml", "centre.x", 0.2, 2.5e-4),
        ("vehicle_bushing.toml", "body_z", 1.0, 1e-3),
        ("benchmarks/C1_car_axis.toml", "yr", 1.0, 2.5e-4),
        ("benchmarks/B4_bricard.toml", "xP3", 1.0, 1e-3),
    ] {
        let column = |out: RunOutcome| {
            assert!(out.error.is_none(), "{file}: {:?}", out.error);
            assert_eq!(out.summary.rejected, 0, "{file}");
            let names = out.results.channels.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
            out.results.get(sensor).unwrap_or_else(|| panic!("{file}: {names:?}")).to_vec()
        };
        let exact = run(file, |o| {
            (o.t_end, o.rtol, o.method) = (end, Some(1e-9), "mdop5".to_owned());
        });
        let exact = exact.results.get(sensor).map(<[f64]>::to_vec).unwrap_or_default();
        let error = |h: f64| {
            let got = column(run(file, |o| {
                o.t_end = end;
                lin_euler(o, h, &[]);
            }));
            max_difference(&got, &exact)
        };
        let e = [step, step / 2.0, step / 4.0].map(error);
        println!("{file} {sensor}: {:.2e} {:.2e} {:.2e}", e[0], e[1], e[2]);
        assert!((1.6..2.5).contains(&(e[1] / e[2])), "{file}: {e:?}");
    }
}

#[test]
fn fast_mechanisms_stay_bounded_at_one_millisecond() {
    for file in [
        "four_bar.toml",
        "chain.toml",
        "gyroscope.toml",
        "slider_crank.toml",
        "benchmarks/A1_slider_crank_case1.toml",
        "benchmarks/B5_flyball_governor.toml",
        "benchmarks/I3_spatial_slider_crank.toml",
    ] {
        let out = run(file, |o| lin_euler(o, 1e-3, &[]));
        println!("{file}: drift {:.1e}", out.summary.max_position_drift);
        assert!(out.error.is_none(), "{file}: {:?}", out.error);
        assert!(out.summary.max_position_drift < 1e-3, "{file}");
    }
}

#[test]
fn circular_track_against_the_exact_solution() {
    let reference = reference("F1_circular_track");
    let columns = ["x1", "x2", "speed", "integral", "lambda"];
    let worst = |out: &RunOutcome, name: &str| {
        assert!(out.error.is_none(), "{:?}", out.error);
        let (got, want) = (out.results.get(name).unwrap(), reference.column(name).unwrap());
        max_difference(got, want)
    };
    let file = "benchmarks/F1_circular_track.toml";
    let explicit = run(file, |_| {});
    let coarse = run(file, |o| lin_euler(o, 2e-3, &[]));
    let fine = run(file, |o| lin_euler(o, 1e-3, &[]));
    for name in columns {
        let (e, c, f) = (worst(&explicit, name), worst(&coarse, name), worst(&fine, name));
        println!("F1 {name}: mdop5 {e:.1e}, lin-euler {c:.1e} {f:.1e}");
        assert!(e < 1e-7 && f < 0.05 && (1.8..2.2).contains(&(c / f)), "{name}: {e} {c} {f}");
    }
}

/// Largest |g1|, |g2| of the car axis over all steps, for each step size of the reference.
#[test]
fn car_axis_drifts_as_in_the_reference() {
    let reference = reference("F2_car_axis_drift");
    let (kind, steps, want) = (
        reference.column("kind").unwrap(),
        reference.column("h").unwrap(),
        reference.column("max_position_residual").unwrap(),
    );
    for (k, (word, lowest)) in
        [("none", 0.75), ("baumgarte", 1.75), ("projection", 2.4)].into_iter().enumerate()
    {
        let mut drifts: Vec<f64> = Vec::new();
        for i in (0..kind.len()).filter(|i| kind[*i] == k as f64) {
            let out = run("benchmarks/F2_car_axis_drift.toml", |o| {
                lin_euler(o, steps[i], &[("stabilization", word)]);
                o.sample = steps[i];
            });
            assert!(out.error.is_none(), "{:?}", out.error);
            let largest = max_abs(["g1", "g2"].iter().flat_map(|n| out.results.get(n).unwrap()));
            println!("F2 {word} {}: {largest:.3e}, reference {:.3e}", steps[i], want[i]);
            // In the reference the road is no body; here it has three rows of its own, and the
            // longest step, projected, leaves three times as much.
            let longest = word == "projection" && steps[i] > 3e-3;
            let within = if longest { 0.8..4.0 } else { 0.8..1.2 };
            assert!(within.contains(&(largest / want[i])), "{word} {}: {largest:.2e}", steps[i]);
            drifts.push(largest);
        }
        for pair in drifts.windows(2) {
            let slope = (pair[0] / pair[1]).log2();
            assert!(slope > lowest, "{word}: {drifts:?}");
        }
    }
}

const STIFF: &str = r#"
schema = 1
title = "mass on a stiff spring"
[body.mass]
type = "planar-point"
mass = 1
position = [1.001, 0]
velocity = [0, 0]
[force.spring]
type = "spring"
between = ["ground", "mass"]
stiffness = 1e8
length = 1
[sensor.x]
type = "position"
of = "mass"
component = "x"
[analysis]
end = 10
sample = 0.1
"#;

/// h² k/m is 100, the border of `j3` is 4: ten times as large in every step. The run must end,
/// soon and with a reason, and not creep on with halved steps.
#[test]
fn a_step_beyond_the_border_ends_with_a_reason() {
    let model = assembled(&parsed(STIFF), &[]);
    let go = |jacobian: &str| try_run(&model, |o| lin_euler(o, 1e-3, &[("jacobian", jacobian)]));
    for jacobian in ["j1", "j3"] {
        let out = go(jacobian);
        let e = out.error.unwrap();
        println!("{e}\n{}", e.help);
        assert_eq!(e.kind.code(), "E_ENERGY_GAINED");
        assert!(out.summary.steps < 10);
        assert!(e.blame[0].contains("spring") && e.help.contains("shorter step"));
    }
    for jacobian in ["exact", "j2"] {
        let out = go(jacobian);
        assert!(out.error.is_none() && out.summary.steps == 10_000);
        assert!((out.results.get("x").unwrap().last().unwrap() - 1.0).abs() < 1e-6);
    }
}
