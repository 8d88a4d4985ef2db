//! Rotors: benchmarks H2 and H7, closed forms of a disc in a bearing with cross terms, stiffness that explicit methods cannot follow.

use crate::support;

use delassus::math::largest;
use delassus::model::Assembled;
use delassus::sim::analysis::{Rotor, Whirl, critical_speeds};
use std::f64::consts::TAU;
use support::{assembled, errors, load, parsed, reference, run, try_run};

const H7: &str = "benchmarks/H7_rotor.toml";

fn at(speed: f64) -> Rotor {
    let made = Rotor::new(&load(H7, &[("speed", &format!("{speed:e}"))])).unwrap();
    assert!(made.notes.is_empty(), "{:?}", made.notes);
    made
}

fn rpm(x: f64) -> f64 {
    x * TAU / 60.0
}

#[test]
fn h7_whirl_frequencies_and_damping() {
    let table = reference("H7_rotor_whirl");
    let column = |name: &str| table.column(name).unwrap();
    for (block, turns) in [0.0, 10_000.0, 25_000.0].into_iter().enumerate() {
        let rotor = at(rpm(turns));
        let axis = rotor.axis().unwrap_or(delassus::math::Vec3::y());
        let found = rotor.whirl(&axis, false).unwrap();
        let lateral: Vec<_> = found.iter().filter(|m| m.whirl != Whirl::Axial).collect();
        for k in 0..10 {
            let row = 10 * block + k;
            assert_eq!(column("rpm")[row], turns);
            let (hz, ratio) = (column("timoshenko_hz")[row], column("damping_ratio")[row]);
            let m = lateral[k];
            assert!((m.imag / TAU / hz - 1.0).abs() < 1e-3, "{turns} rpm: {} {hz}", m.imag / TAU);
            assert!((m.damping_ratio / ratio - 1.0).abs() < 1e-2, "{} {ratio}", m.damping_ratio);
        }
        if turns == 25_000.0 {
            let pattern: Vec<Whirl> = lateral[..4].iter().map(|m| m.whirl).collect();
            assert_eq!(pattern, [Whirl::Backward, Whirl::Forward, Whirl::Backward, Whirl::Forward]);
        }
    }
}

#[test]
fn h7_critical_speeds() {
    let table = reference("H7_rotor_critical");
    let right = &table.column("timoshenko_rpm").unwrap()[..5];
    let axis = delassus::math::Vec3::y();
    // two pairs of neighbours and one alone
    let ladder: Vec<f64> =
        [3500.0, 3700.0, 4000.0, 9900.0, 10500.0, 11500.0, 16500.0, 17000.0].map(rpm).to_vec();
    let found = critical_speeds(&ladder, |s| at(s).whirl(&axis, true)).unwrap();
    assert_eq!(found.len(), 5, "{found:?}");
    for (a, b) in found.iter().zip(right) {
        assert!((a.speed / rpm(*b) - 1.0).abs() < 1e-3, "{} {b}", a.speed * 60.0 / TAU);
    }
    let pattern: Vec<Whirl> = found.iter().map(|c| c.whirl).collect();
    assert_eq!(pattern[..2], [Whirl::Backward, Whirl::Forward]);
}

#[test]
fn h7_unbalance() {
    let table = reference("H7_rotor_unbalance");
    let column = |name: &str| table.column(name).unwrap();
    // more than 2 % away from critical speeds
    for turns in [1000.0, 3000.0, 7000.0, 14_000.0, 21_000.0, 29_000.0] {
        let row = column("rpm").iter().position(|x| *x == turns).unwrap();
        let rotor = at(rpm(turns));
        let model = load(H7, &[]);
        let bodies = &model.system.model().bodies;
        let disc = bodies.iter().position(|b| b.name == "disc2").unwrap();
        let axis = rotor.axis().unwrap();
        let orbit = &rotor.unbalance(&axis, rpm(turns), &[(disc, 2e-4)]).unwrap()[disc];
        let close = |a: f64, name: &str| {
            let b = column(name)[row];
            assert!((a / b - 1.0).abs() < 1e-2, "{turns} rpm {name}: {a} {b}");
        };
        close(orbit.amplitude[0], "amp_x");
        close(orbit.amplitude[2], "amp_z");
        close(orbit.semi_axes[0], "semi_major");
        // which may be next to zero
        let off = (orbit.semi_axes[1].abs() - column("semi_minor")[row]).abs();
        assert!(off < 1e-2 * orbit.semi_axes[0], "{turns} rpm: {:?}", orbit.semi_axes);
        assert_eq!(orbit.body, "disc2");
    }
}

#[test]
fn h2_run_up() {
    let out = run(&load("benchmarks/H2_jeffcott_runup.toml", &[]), |_| {});
    let (worst, _) = errors("H2_jeffcott_runup", &out, None);
    assert!(worst < 1e-4 * 1.459384675e-3, "{worst}");
    let amplitude = out.results.get("amplitude").unwrap();
    let peak = largest(amplitude.iter().copied());
    assert!((peak / 1.459384675e-3 - 1.0).abs() < 1e-4, "{peak}");
    // what drives the rotor goes into vibration, heat and spin
    assert!(out.summary.energy_error.abs() < 1e-3, "{}", out.summary.energy_error);
}

/// A disc in a bearing with cross terms, in the plane: M s² + C s + K with full matrices.
#[test]
fn cross_terms_of_a_bearing_make_whirl_unstable() {
    let model = |cross: f64, damping: f64| -> Assembled {
        let text = format!(
            "schema = 1\n[body.disc]\ntype = 'planar'\nmass = 2\ninertia = 0.1\nrate = 50\n[force.oil]\ntype = 'bearing'\n\
             between = ['ground', 'disc']\nstiffness = [[800, {cross}], [{}, 800]]\ndamping = {damping}\n[analysis]\nend = 1\n",
            -cross
        );
        assembled(&parsed(&text), &[])
    };
    // with z = x + iy: 2 s² + c s + 800 − i cross = 0
    for (cross, damping) in [(60.0, 1.0), (60.0, 10.0), (-60.0, 1.0)] {
        let rotor = Rotor::new(&model(cross, damping)).unwrap();
        let found = rotor.whirl(&delassus::math::Vec3::z(), false).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        for m in &found {
            // s = r + iω; one of ±ω is the root of the equation for z
            let sign = if m.whirl == Whirl::Forward { 1.0 } else { -1.0 };
            let (r, w) = (m.real, sign * m.imag);
            let re = 2.0 * (r * r - w * w) + damping * r + 800.0;
            let im = 4.0 * r * w + damping * w - cross;
            assert!(re.abs() < 1e-8 && im.abs() < 1e-8, "{m:?} {re} {im}");
            let grows =
                cross.abs() > damping * 20.0 && (m.whirl == Whirl::Forward) == (cross > 0.0);
            assert_eq!(m.real > 0.0, grows, "{m:?}");
        }
    }
}

/// The rotor of H2 in space: its shaft is a beam whose own vibrations go beyond 1e5 Hz, and its bearings have the stiffness.
const STIFF: &str = "schema = 1\n\
    [body.shaft]\ntype = 'beam'\nlength = 0.2\nelements = 4\nEA = 1e8\nEI = [1e6, 1e6]\nGJ = 1e6\n\
    mass_per_length = 0.01\ninertia_per_length = [1e-5, 1e-5]\nposition = [-0.1, 0, 0]\nmarkers.middle = { at = 0.1 }\n\
    [body.disc]\ntype = 'rigid'\nmass = 10\ninertia = [0.2, 0.1, 0.1]\ncom = [0, 1e-4, 0]\n\
    [joint.shrunk]\ntype = 'fixed'\nbetween = ['shaft.middle', 'disc']\n\
    [ground.markers]\nleft = [-0.1, 0, 0]\nright = [0.1, 0, 0]\n\
    [force.left]\ntype = 'bearing'\nbetween = ['ground.left', 'shaft.start']\naxis = [1, 0, 0]\nstiffness = 5e5\ndamping = 100\n\
    [force.right]\ntype = 'bearing'\nbetween = ['ground.right', 'shaft.end']\naxis = [1, 0, 0]\nstiffness = 5e5\ndamping = 100\n\
    [joint.thrust]\ntype = 'point-on-plane'\nbetween = ['ground', 'disc']\naxis = [1, 0, 0]\n\
    [joint.drive]\ntype = 'motion'\nbetween = ['ground', 'disc']\naxis = [1, 0, 0]\ncoordinate = 'angle'\nvalue = '50*t^2'\n\
    [sensor.amplitude]\ntype = 'distance'\nbetween = ['ground', 'disc']\n[analysis]\nend = 3.6\nsample = 0.004\n";

#[test]
fn a_run_up_with_frequencies_of_a_hundred_kilohertz() {
    let m = assembled(
        &parsed(&format!("{STIFF}[method]\nname = 'gen-alpha-ggl'\nstep = '0.4 ms'\n")),
        &[],
    );
    let rotor = Rotor::new(&m).unwrap();
    let highest = rotor.whirl(&delassus::math::Vec3::x(), true).unwrap().last().unwrap().imag / TAU;
    let out = run(&m, |_| {});
    let amplitude = out.results.get("amplitude").unwrap();
    let k = (0..amplitude.len()).max_by(|a, b| amplitude[*a].total_cmp(&amplitude[*b])).unwrap();
    assert!(highest > 1e5, "{highest}");
    // H2: 1.459384675e-3 m at 3.295 s; a step of 0.4 ms delays a vibration of 316 rad/s by a thousandth
    assert!((amplitude[k] / 1.459384675e-3 - 1.0).abs() < 0.03, "{}", amplitude[k]);
    assert!((out.results.t[k] - 3.295).abs() < 0.03, "{}", out.results.t[k]);
}

#[test]
fn an_explicit_method_at_its_limit_of_steps_names_stiffness() {
    let m = assembled(&parsed(STIFF), &[]);
    let out = try_run(&m, |o| {
        o.method = "dop853".to_owned();
        o.max_steps = Some(2000);
    });
    assert!(out.summary.stiff_since.is_some_and(|t| t < 1e-4), "{:?}", out.summary.stiff_since);
    let e = out.error.unwrap();
    assert!(e.help.contains("stiff for an explicit method") && e.help.contains("radau5"), "{e:?}");
}
