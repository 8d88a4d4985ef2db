//! The vehicles of `models/vehicles`: methods of different families agree on every manoeuvre, also in real time; ride
//! height and frequencies.

use crate::support;

use delassus::model::ElementLoad;
use delassus::sim::analysis::{ModalOptions, modes, statics};
use support::{load, run};

/// Models with the time until which they are compared, s, and a column that moves, with its size.
const MODELS: [(&str, f64, &str, f64); 10] = [
    ("car_lane_change", 1.2, "yaw", 0.03),
    ("car_step_steer", 1.2, "yaw", 0.05),
    ("car_bump", 0.9, "at.z", 0.5),
    ("car_braking", 1.0, "pitch", 5e-3),
    ("car_abs", 0.8, "at.x", 15.0),
    ("car_acceleration", 1.2, "at.x", 0.1),
    ("car_trailer_pin", 1.0, "articulation", 2e-3),
    ("car_trailer_spring", 1.0, "articulation", 2e-3),
    ("truck_lane_change", 1.5, "at.y", 0.05),
    ("truck_braking", 1.2, "at.x", 20.0),
];

/// Positions and wheel loads of two runs: the largest differences, m or rad, and N.
fn apart(a: &delassus::sim::RunOutcome, b: &delassus::sim::RunOutcome) -> (f64, f64) {
    let of = |names: &[&str]| {
        let columns = names.iter().filter_map(|n| Some((a.results.get(n)?, b.results.get(n)?)));
        let each = columns.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs()));
        delassus::math::largest(each)
    };
    let motion = ["at.x", "at.y", "at.z", "yaw", "roll", "pitch", "trailer.y", "articulation"];
    (of(&motion), of(&["tyre0.fz", "tyre1.fz", "tyre2.fz", "tyre3.fz", "tyre0.fx", "tyre0.fy"]))
}

#[test]
fn methods_agree_on_every_manoeuvre() {
    for (name, end, column, size) in MODELS {
        let m = load(&format!("vehicles/{name}.toml"), &[]);
        let by = |method: &str, step: Option<f64>| {
            run(&m, |o| {
                (o.method, o.step, o.t_end) = (method.to_owned(), step, end);
            })
        };
        let explicit = by("mdop5", None);
        let moved = explicit.results.get(column).unwrap();
        let reach = moved.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        assert!(reach > size, "{name}: {column} only {reach}");
        assert!(explicit.summary.energy_error < 1e-4 * explicit.summary.energy.moved, "{name}");
        let implicit = by("bdf", None);
        let (d, f) = apart(&explicit, &implicit);
        println!("{name}: bdf {d:.1e} m {f:.1e} N");
        assert!(d < 2e-4 && f < 1.0, "{name} bdf: {d:.1e} m, {f:.1e} N");
        let real_time = by("lin-euler", Some(1e-3));
        let (d, f) = apart(&explicit, &real_time);
        println!("{name}: lin-euler {d:.1e} m {f:.1e} N");
        assert!(d < 2e-2 && f < 300.0, "{name} lin-euler: {d:.1e} m, {f:.1e} N");
    }
}

/// Brakes that read the slip of their tyres: the road gives all that it has, where locked wheels slide with less, and the front
/// wheels still steer.
#[test]
fn antilock_brakes_stop_sooner_and_steer() {
    let by = |abs: &str| {
        let m = load("vehicles/car_abs.toml", &[("abs", abs)]);
        let mass: f64 = m.system.model().bodies.iter().map(|b| b.mass).sum();
        let out = run(&m, |o| {
            (o.method, o.step) = ("lin-euler".to_owned(), Some(1e-3));
            o.t_end = 2.0;
        });
        (mass, out)
    };
    let ((mass, held), (_, locked)) = (by("1"), by("0"));
    let at =
        |out: &delassus::sim::RunOutcome, name: &str, k: usize| out.results.get(name).unwrap()[k];
    let along = |out: &delassus::sim::RunOutcome, k: usize| -> f64 {
        (0..4).map(|i| at(out, &format!("tyre{i}.fx"), k)).sum()
    };
    // locked: all wheels slide with a slip of one, and the car loses what they push back
    for (k, i) in [(90, 0), (90, 2), (180, 1), (180, 3)] {
        let slip = at(&locked, &format!("tyre{i}.slip"), k);
        assert!(slip < -0.95, "{slip}");
    }
    let loss = |out: &_, from: usize, to: usize| {
        (at(out, "v.x", from) - at(out, "v.x", to)) / (0.01 * (to - from) as f64)
    };
    let (slides, pushes) = (loss(&locked, 70, 95), -along(&locked, 82) / mass);
    assert!((slides / pushes - 1.0).abs() < 0.02, "{slides} {pushes}");
    // held: slips stay where the force is largest, friction times D at the nominal load
    let most = 0.35 * 1.05 * 9.81;
    let stops = loss(&held, 70, 95);
    assert!((0.95..1.05).contains(&(stops / most)), "{stops} {most}");
    assert!(stops > 1.4 * slides, "{stops} {slides}");
    let slip = at(&held, "tyre0.slip", 90);
    assert!((-0.08..-0.03).contains(&slip), "{slip}");
    // the wheel is turned after one second
    let (turns, straight) = (at(&held, "at.y", 200), at(&locked, "at.y", 200));
    assert!(turns > 0.3 && straight.abs() < 0.02, "{turns} {straight}");
}

/// At rest: the wheels carry the weight, and the body moves up and down, rolls and pitches at 1 to 2 Hz, the wheels at 10
/// to 15 Hz.
#[test]
fn cars_rest_on_their_wheels_and_vibrate_as_cars_do() {
    for name in ["car_acceleration", "car_step_steer"] {
        let m = load(&format!("vehicles/{name}.toml"), &[("speed", "0")]);
        let rest = statics(&m).unwrap();
        let load_of = |tyre: &str| match rest.forces.iter().find(|f| f.0 == tyre).unwrap().1 {
            ElementLoad::Wrench(force, _) => force.z,
            other => panic!("{other:?}"),
        };
        let loads: Vec<f64> = (0..4).map(|i| load_of(&format!("tyre{i}"))).collect();
        let weight: f64 = m.system.model().bodies.iter().map(|b| b.mass * 9.81).sum();
        assert!((loads.iter().sum::<f64>() - weight).abs() < 1e-6 * weight, "{loads:?} {weight}");
        assert!(loads[0] > loads[2] && (loads[0] - loads[1]).abs() < 1e-3, "{loads:?}");
        let z = rest.positions.iter().find(|b| b.name == "chassis").unwrap().position[2];
        assert!((0.5..0.6).contains(&z), "{z}");
        let found = modes(&m, ModalOptions::default()).unwrap();
        let hz: Vec<f64> =
            found.modes.iter().map(|m| m.imag.abs() / std::f64::consts::TAU).collect();
        let between = |a: f64, b: f64| hz.iter().filter(|f| (a..b).contains(*f)).count();
        assert_eq!((between(1.0, 2.0), between(9.0, 13.5)), (3, 4), "{name}: {hz:?}");
        assert!(found.modes.iter().all(|m| m.real < 1e-6), "{name}");
    }
}
