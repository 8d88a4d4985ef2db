//! Mechanisms with profiles and many impacts: every method that locates events finds the same
//! ones. Touches of corners, edges that slide off each other and several points at once are
//! ordinary here.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::RunOutcome;
use delassus::sim::contact::EventKind;
use support::{assembled, difference, load, parsed, run, try_run};

/// Methods of order five, then the generalized-α family.
const METHODS: [&str; 6] =
    ["mdop5", "hem5", "phem56", "gen-alpha", "gen-alpha-index2", "gen-alpha-ggl"];

/// What happened, without the tail of an accumulation: that ends where the tolerance says.
fn hard(out: &RunOutcome, least: f64) -> Vec<(EventKind, String)> {
    let impacts = out.events.iter().filter(|e| e.kind == EventKind::Impact);
    impacts.filter(|e| e.speed_before < -least).map(|e| (e.kind, e.contact.clone())).collect()
}

/// Runs a model with the methods; all have the same impacts above a speed, and the same motion
/// to the limits for order five and for generalized-α.
fn agree(file: &str, methods: &[&str], sensors: &[&str], t_end: f64, least: f64, limits: [f64; 2]) {
    let m = load(file, &[]);
    let first = run(&m, |o| o.t_end = t_end);
    assert!(hard(&first, least).len() > 5, "{file}");
    for method in &methods[1..] {
        let out = run(&m, |o| {
            o.method = (*method).to_owned();
            o.t_end = t_end;
        });
        assert_eq!(hard(&first, least), hard(&out, least), "{file} {method}");
        let (off, sensor) = difference(sensors, &first, &out);
        let limit = limits[usize::from(method.starts_with("gen"))];
        println!("{file} {method}: {off:.1e} in {sensor}");
        assert!(off < limit, "{file} {method}: {off:e} in {sensor}");
        assert!(out.summary.energy_error.abs() < 1e-6, "{file} {method}");
    }
}

#[test]
fn escapement() {
    agree("escapement.toml", &METHODS, &["anchor", "wheel"], 1.0, 1e-3, [1e-7, 1e-3]);
}

#[test]
fn ratchet() {
    // one impact is at 0.5 s to round-off: the end is not there
    agree("ratchet.toml", &METHODS, &["wheel"], 0.6, 1e-2, [1e-7, 1e-3]);
}

#[test]
fn geneva() {
    agree("geneva.toml", &METHODS, &["wheel"], 1.0, 1e-2, [1e-7, 1e-3]);
}

/// Balls that touch without load stay a group, whatever the errors of the method.
#[test]
fn cradle_of_touching_balls() {
    agree("newtons_cradle_touching.toml", &METHODS, &["x1", "x3", "x5"], 4.0, 1e-3, [1e-7, 1e-3]);
}

/// A tooth that slides off the end of a pallet leaves it, without a storm of changes at the corner.
#[test]
fn a_tooth_slides_off_a_pallet() {
    let m = load("escapement.toml", &[]);
    let out = run(&m, |o| o.t_end = 0.19);
    let off: Vec<_> = out.events.iter().filter(|e| e.t > 0.18).map(|e| e.kind).collect();
    assert_eq!(off, [EventKind::Release]);
}

/// Ten boxes on each other stay where they are for 10 s.
#[test]
fn a_stack_of_ten_boxes_rests() {
    let m = load("stack_of_boxes.toml", &[]);
    let out = run(&m, |o| o.t_end = 10.0);
    for name in ["top.x", "top.y", "drift"] {
        let x = out.results.get(name).unwrap();
        let moved = delassus::math::largest(x.iter().map(|v| (v - x[0]).abs()));
        assert!(moved < 1e-6, "{name}: {moved:e}");
    }
}

/// A bounce that leaves a gap of round-off, of either sign, is not found to close again at once: a disc
/// off its body's centre, which rotates on every bounce, from many starts.
#[test]
fn a_bounce_is_one_event() {
    let spec = parsed(
        "schema = 1\ngravity = [0, -9.81]\n[parameters]\na = 0.6\n\
         [body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.02\nposition = [0, 0.3]\nangle = 'a'\n\
         [shape.b]\nbody = 'b'\ntype = 'circle'\nradius = 0.05\nat = [-0.2, -0.1]\n\
         [shape.f]\ntype = 'half-plane'\nbody = 'ground'\n\
         [contact.c]\nbetween = ['b', 'f']\nrestitution = 0.5\n[analysis]\nend = 0.5\nsample = 0.1\n",
    );
    for k in 0..20 {
        let m = assembled(&spec, &[("a", &format!("{}", 0.1 * f64::from(k)))]);
        let out = try_run(&m, |o| o.scheme = SchemeType::EventDriven);
        let storm = out.error.as_ref().filter(|e| e.kind.code() != "E_ZENO");
        assert!(storm.is_none(), "{k}: {storm:?}");
        assert!(out.events.iter().filter(|e| e.kind == EventKind::Impact).count() > 5, "{k}");
    }
}
