//! The bands of `certify` against solutions that were computed elsewhere: they cover the true error at 95 of 100
//! samples at least, and no certificate is given where the motion is not known.

use crate::support;

use delassus::model::Assembled;
use delassus::sim::RunOptions;
use delassus::sim::certify::{Cause, Certified, Family, Plan, Unwatched, certify};
use support::{assembled, load, parsed, reference};

fn certified(m: &Assembled, change: impl FnOnce(&mut Plan)) -> Certified {
    let mut plan = Plan::new(RunOptions::from_model(m.system.model()));
    change(&mut plan);
    let made = certify(m, &plan, &Unwatched).unwrap();
    assert!(made.certificate.runs.len() <= plan.max_runs, "{:?}", made.certificate.runs);
    made
}

/// Part of the samples of a reference that are within band + `known`, up to where the certificate
/// vouches for them.
fn coverage(id: &str, made: &Certified, known: f64) -> (usize, usize) {
    let table = reference(id);
    let results = &made.outcome.results;
    let (mut inside, mut all) = (0, 0);
    let mut k = 0;
    for (row, t) in table.column("t").unwrap().iter().enumerate() {
        while k < results.t.len() && results.t[k] < t - 1e-9 {
            k += 1;
        }
        if k == results.t.len() || (results.t[k] - t).abs() > 1e-9 {
            continue;
        }
        for name in table.names.iter().filter(|n| *n != "t") {
            let Some(got) = results.get(name) else { continue };
            let Some(band) = results.get(&format!("{name}.band")) else { continue };
            let want = table.column(name).unwrap()[row];
            all += 1;
            // where there is no band, nothing is claimed
            let within = (got[k] - want).abs() <= band[k] + known * want.abs().max(1.0);
            inside += usize::from(within || band[k].is_nan());
        }
    }
    (inside, all)
}

/// Time series of sections A to I that take seconds, with what its reference is known to
/// (`reference/README.md`).
const SERIES: [(&str, &str, f64); 26] = [
    ("A1_slider_crank_case1", "A1_slider_crank_case1", 2e-11),
    ("A2_slider_crank_case2", "A2_slider_crank_case2", 4e-11),
    ("A2_variant_chirp", "A2_variant_chirp", 4e-11),
    ("A3_slider_crank_case3", "A3_slider_crank_case3", 1e-10),
    ("A3_slider_crank_case3_long10s", "A3_slider_crank_case3_long10s", 3.5e-9),
    ("A3_variant_chirp", "A3_variant_chirp", 1e-10),
    ("B1_simple_pendulum", "B1_simple_pendulum", 1e-13),
    ("B2_n_four_bar_N2", "B2_n_four_bar_N2", 2e-12),
    ("B3_andrews_50ms", "B3_andrews_50ms", 5e-12),
    ("B4_bricard", "B4_bricard", 1e-13),
    ("B5_flyball_governor", "B5_flyball_governor", 2e-9),
    ("C1_car_axis", "C1_car_axis", 5e-12),
    ("D1_four_bar", "D1_four_bar", 3e-11),
    ("D2_slider_crank", "D2_slider_crank", 1e-12),
    ("F1_circular_track", "F1_circular_track", 1e-12),
    ("G1_bouncing_ball", "G1_bouncing_ball", 1e-12),
    ("G1b_bouncing_ball_e05", "G1b_bouncing_ball_e05", 1e-12),
    ("G3_sphere", "G3_sphere", 1e-12),
    ("G9_stick_slip", "G9_stick_slip", 1e-12),
    ("G10b_cross_slope", "G10b_cross_slope", 1e-12),
    ("G12_two_link_wall", "G12_two_link_wall", 1e-12),
    ("I1_heavy_top", "I1_heavy_top", 2e-12),
    ("I2_free_rigid_body", "I2_free_rigid_body", 3e-11),
    ("I3_spatial_slider_crank", "I3_spatial_slider_crank", 2e-11),
    ("I4_spherical_pendulum", "I4_spherical_pendulum", 1e-13),
    ("I5_gyroscope", "I5_gyroscope", 1e-12),
];

#[test]
fn bands_cover_the_true_error() {
    let (mut inside, mut all) = (0, 0);
    for (model, id, known) in SERIES {
        let m = load(&format!("benchmarks/{model}.toml"), &[]);
        let made = certified(&m, |_| ());
        let c = &made.certificate;
        let (i, n) = coverage(id, &made, known);
        println!(
            "{model}: {i} of {n} samples covered, {} runs, certified {} until {} ({:?})",
            c.runs.len(),
            c.certified,
            c.until,
            c.reason
        );
        assert!(n > 0, "{model}: nothing to compare");
        assert!(i as f64 >= 0.95 * n as f64, "{model}: {i} of {n} samples");
        (inside, all) = (inside + i, all + n);
    }
    println!("{inside} of {all} samples");
}

/// Times of impacts are within their uncertainty.
#[test]
fn event_times_are_within_their_uncertainty() {
    for (model, id, name) in [
        ("G1_bouncing_ball", "G1_bouncing_ball_events", "t"),
        ("G2_plate", "G2_plate_events", "t"),
        ("G8_impact_oscillator", "G8_impact_oscillator_events", "t"),
        ("G12_two_link_wall", "G12_two_link_wall_events", "t"),
    ] {
        let m = load(&format!("benchmarks/{model}.toml"), &[]);
        let made = certified(&m, |_| ());
        let table = reference(id);
        let want = table.column(name).unwrap();
        let impacts = made.certificate.events.iter().filter(|e| e.kind == "impact");
        // one entry per time: several points may hit at once
        let mut seen: Vec<(f64, Option<f64>)> = Vec::new();
        for e in impacts {
            if seen.last().is_none_or(|s| e.t - s.0 > 1e-9) {
                seen.push((e.t, e.uncertainty));
            }
        }
        let n = seen.len().min(want.len());
        assert!(n > 0, "{model}: no impacts before {}", made.certificate.until);
        let covered = seen
            .iter()
            .zip(want)
            .filter(|((t, u), w)| (t - **w).abs() <= u.unwrap_or(f64::INFINITY) + 1e-12)
            .count();
        assert!(covered as f64 >= 0.95 * n as f64, "{model}: {covered} of {n}: {seen:?}");
    }
}

/// Time-stepping knows the time of an impact to a step. Two runs that are late by the same time agree with each other and
/// not with the others, which is no other motion: so it was with the rocking block, which turns about the wrong corner
/// for a part of a step of this length and of half of it, and with the foot of a walker.
#[test]
fn impacts_that_time_stepping_finds_late_are_no_contradiction() {
    let block = load("benchmarks/G6_rocking_block.toml", &[]);
    let c = certified(&block, |p| p.options.step = Some(7.20922216e-4)).certificate;
    assert_ne!(c.reason.as_ref().map(|r| r.cause), Some(Cause::Scheme), "{:?}", c.reason);
    let c = certified(&load("library/impacts/compass_walker.toml", &[]), |_| ()).certificate;
    assert!(c.certified && c.until >= 10.9, "{:?}", c.reason);
    assert!(c.runs.iter().any(|r| r.family == Family::TimeStepping), "{:?}", c.runs);
}

/// Impacts in a rack of balls follow each other within microseconds. Time-stepping with longer steps takes some of them
/// for one, which is another motion: the certificate names the first of them, and shorter steps confirm more.
#[test]
fn impacts_within_a_step_of_time_stepping_are_named() {
    let m = load("library/impacts/billiard_break.toml", &[]);
    let c = certified(&m, |p| (p.max_runs, p.options.t_end) = (5, 0.4)).certificate;
    assert!(!c.certified && (0.16..0.18).contains(&c.until), "{}", c.until);
    let reason = c.reason.as_ref().unwrap();
    assert_eq!(reason.cause, Cause::Scheme);
    let told = "impacts at \"balls:cue-ball1\" and at \"balls:ball1-ball2\"";
    assert!(reason.text.contains(told), "{}", reason.text);
    let c = certified(&m, |p| p.options.t_end = 0.4).certificate;
    assert!(c.until > 0.35, "{} {:?}", c.until, c.reason);
}

/// With contacts, too, runs that do not agree are made again with tighter tolerances.
#[test]
fn models_with_contacts_have_a_second_round() {
    let c = certified(&load("library/impacts/breaker_toggle.toml", &[]), |_| ()).certificate;
    assert!(c.certified, "{:?}", c.reason);
    let kept = c.runs.iter().find(|r| r.kept).unwrap();
    assert_eq!(kept.rtol, Some(1e-10));
    assert_eq!(c.runs.iter().filter(|r| r.family == Family::TimeStepping).count(), 2);
}

/// A double pendulum thrown over the top: chaotic, and reported as such.
#[test]
fn a_chaotic_motion_is_not_certified_to_its_end() {
    let text = r#"
schema = 1
gravity = [0, -9.81]
[body]
a = { type = "planar", mass = 1, inertia = 0.02, com = [0.5, 0], angle = 2.8, markers = { tip = [1, 0] } }
b = { type = "planar", mass = 1, inertia = 0.02, com = [0.5, 0], position = ["cos(2.8)", "sin(2.8)"], angle = 2.5 }
[joint]
p = { type = "revolute", between = ["ground", "a"] }
q = { type = "revolute", between = ["a.tip", "b"] }
[sensor]
angle = { type = "joint", joint = "q" }
[analysis]
end = 40
sample = 0.05
"#;
    let made = certified(&assembled(&parsed(text), &[]), |_| ());
    let c = &made.certificate;
    assert!(!c.certified && c.until > 1.0 && c.until < 39.0, "{}", c.until);
    let reason = c.reason.as_ref().unwrap();
    assert_eq!(reason.cause, Cause::Chaos, "{}", reason.text);
    // short enough, it is
    let made = certified(&assembled(&parsed(text), &[]), |p| p.options.t_end = 1.0);
    assert!(made.certificate.certified, "{:?}", made.certificate.reason);
}

/// Three runs are enough for an easy model, and its band is as tight as asked for.
#[test]
fn an_easy_model_takes_three_runs() {
    let m = load("slider_crank.toml", &[]);
    let made = certified(&m, |p| p.accuracy = 1e-4);
    let c = &made.certificate;
    assert!(c.certified, "{:?}", c.reason);
    assert_eq!(c.runs.len(), 3);
    assert!(c.columns.iter().all(|k| k.worst <= c.accuracy * k.scale), "{:?}", c.columns);
    assert_eq!(c.runs.iter().filter(|r| r.kept).count(), 1);
}
