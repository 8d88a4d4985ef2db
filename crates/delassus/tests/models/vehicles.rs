//! Benchmarks J1 and J2: a car with a trailer through a lane change, and four wheels on struts over a bump.

use crate::support;

use delassus::dae::Options;
use delassus::sim::RunOutcome;
use delassus::sim::analysis::{ModalOptions, modes};
use support::{errors, load, run};

const J1: &str = "J1_vehicle_trailer";
const J1_PLACES: &[&str] = &["x1", "y1", "psi1", "x2", "y2", "psi2", "articulation1"];
const J1_FORCES: &[&str] = &["hitch_fx1", "hitch_fy1"];

fn lin_euler(step: f64, words: &[(&str, &str)]) -> RunOutcome {
    run(&load(&format!("benchmarks/{J1}.toml"), &[]), |o| {
        o.method = "lin-euler".to_owned();
        o.step = Some(step);
        o.options = words.iter().fold(Options::default(), |o, (k, v)| o.with_word(k, v));
    })
}

#[test]
fn j1_car_and_trailer_follow_the_reference() {
    let m = load(&format!("benchmarks/{J1}.toml"), &[]);
    for method in ["mdop5", "bdf"] {
        let out = run(&m, |o| o.method = method.to_owned());
        let (place, _) = errors(J1, &out, Some(J1_PLACES));
        let (force, _) = errors(J1, &out, Some(J1_FORCES));
        println!("J1 {method}: {place:.1e} m, {force:.1e} N, {} steps", out.summary.steps);
        assert!(place < 1e-4 && force < 0.1, "{method}: {place:.2e} m, {force:.2e} N");
    }
}

/// Along the way, 158 m, the error is larger than across it: the tyres take a little more energy.
#[test]
fn j1_in_real_time_is_right_to_first_order_and_keeps_the_hitch_closed() {
    let [coarse, fine] = [1e-3, 5e-4].map(|h| lin_euler(h, &[]));
    for (names, limit) in [(&["y1", "y2"][..], 1e-2), (&["x1", "x2"], 1.5e-2), (J1_FORCES, 6.0)] {
        let [c, f] = [&coarse, &fine].map(|out| errors(J1, out, Some(names)).0);
        println!("J1 lin-euler {names:?}: {c:.2e} {f:.2e}");
        assert!(c < limit && (1.8..2.2).contains(&(c / f)), "{names:?}: {c:.2e} {f:.2e}");
    }
    assert!(coarse.summary.max_position_drift < 1e-10);
}

#[test]
fn j2_vehicle_crosses_the_bump_as_the_reference() {
    let m = load("benchmarks/J2_vehicle.toml", &[]);
    for method in ["mdop5", "radau5"] {
        let out = run(&m, |o| o.method = method.to_owned());
        let (place, _) = errors("J2_vehicle", &out, None);
        println!("J2 {method}: {place:.1e}, {} steps", out.summary.steps);
        assert!(place < 1e-5, "{method}: {place:.2e}");
    }
}

#[test]
fn j2_frequencies_about_rest() {
    let published =
        [1.15793548, 1.30148370, 1.31535053, 11.25892465, 11.26077927, 11.97454150, 11.97794194];
    let m = load("benchmarks/J2_vehicle.toml", &[("damping", "0")]);
    let found = modes(&m, ModalOptions::default()).unwrap();
    assert_eq!(found.modes.len(), published.len());
    for (mode, hz) in found.modes.iter().zip(published) {
        let f = mode.imag / std::f64::consts::TAU;
        assert!((f - hz).abs() < 1e-6 * hz && mode.real.abs() < 1e-9, "{f} against {hz}");
    }
}
