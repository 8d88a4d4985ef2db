//! Beams against independent solutions: statics, spin-up, free fall. Limits are those of the problems; where models differ
//! (the reference is inextensible), what stretch and shear make is far below them.

use crate::support;

use delassus::io::results::CsvTable;
use std::path::Path;
use support::{errors, load, parsed, reference, run, spec};

/// The last value of a sensor.
fn last(out: &delassus::sim::RunOutcome, name: &str) -> f64 {
    let values = out.results.get(name).unwrap_or_else(|| panic!("no sensor {name}"));
    values.last().copied().unwrap()
}

/// The row of a table whose first columns have these values.
fn row(table: &CsvTable, keys: &[(&str, f64)]) -> usize {
    let n = table.column(keys[0].0).unwrap().len();
    let found = (0..n).find(|k| keys.iter().all(|(c, x)| table.column(c).unwrap()[*k] == *x));
    found.unwrap_or_else(|| panic!("{keys:?}"))
}

/// H1: elastica by elliptic integrals; 1e-4 of the length.
#[test]
fn h1_princeton_beam() {
    let out = run(&load("benchmarks/H1_princeton_planar.toml", &[]), |_| {});
    let table = reference("H1_princeton_planar");
    for (k, p) in [4.448, 8.896, 13.345].into_iter().enumerate() {
        for (direction, name) in [(0.0, "flap"), (1.0, "lag")] {
            let at = row(&table, &[("P", p), ("direction(0=flap,1=lag)", direction)]);
            let of = |column: &str| table.column(column).unwrap()[at];
            let found = |what: &str| last(&out, &format!("{name}_{what}{}", k + 1));
            let tip = |c: &str| last(&out, &format!("{name}_tip{}.{c}", k + 1));
            let what = format!("{name} {p}");
            assert!((tip("y") - of("tip_transverse")).abs() < 1e-4 * 0.508, "{what} {}", tip("y"));
            assert!((0.508 - tip("x") - of("tip_shortening")).abs() < 1e-4 * 0.508, "{what}");
            assert!((found("slope") - of("tip_slope")).abs() < 1e-4, "{what} {}", found("slope"));
            // shear and stretch make a thousandth of the deflection at most
            assert!((tip("y") / of("tip_transverse") - 1.0).abs() < 1e-3, "{what}");
        }
    }
}

/// H3: 1 % of the largest deflection; the stretch that the rotation makes is ρAΩ²L³/(3EA).
#[test]
fn h3_spin_up() {
    let out = run(&load("benchmarks/H3_spinup_beam.toml", &[]), |_| {});
    let (worst, _) = errors("H3_spinup_beam", &out, None);
    assert!(worst < 0.01 * 0.5737, "{worst}");
    let stretch: f64 = 1.2 * 36.0 * 1e3 / (3.0 * 2.8e7);
    assert!((last(&out, "u_axial") / stretch - 1.0).abs() < 2e-3, "{}", last(&out, "u_axial"));
}

/// H4: the reference itself is known to 1e-4 m.
#[test]
fn h4_flexible_pendulum() {
    let out = run(&load("benchmarks/H4_flexible_pendulum.toml", &[]), |_| {});
    let (worst, _) = errors("H4_flexible_pendulum", &out, None);
    assert!(worst < 1e-4, "{worst}");
}

/// H6: three loads for the model with shear and stretch, and the two others by a change of the file.
#[test]
fn h6_bend() {
    // its first column is of words
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/H6_bend45.csv");
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|l| l.split(',').skip(1).map(|x| x.parse().unwrap()).collect())
        .collect();
    let arc = 25.0 * std::f64::consts::PI;
    for (first, change) in [(0, "none"), (3, "kirchhoff"), (6, "polar")] {
        let mut spec = spec("benchmarks/H6_bend45.toml");
        match change {
            "kirchhoff" => spec.body.0[0].1.shear = Some(false),
            "polar" => {
                let general = "schema = 1\n[section.square]\ntype = 'general'\narea = 1\n\
                               inertia = ['1/12', '1/12']\ntorsion = '1/6'";
                spec.section = parsed(general).section;
            }
            _ => {}
        }
        let out = run(&support::assembled(&spec, &[]), |_| {});
        for row in &rows[first..first + 3] {
            let load = row[0];
            for (c, want) in ["x", "y", "z"].into_iter().zip(&row[1..]) {
                let got = last(&out, &format!("tip{}.{c}", (load / 150.0).round()));
                // without shear the reference has no stretch either
                let limit = if change == "kirchhoff" { 3e-4 } else { 1e-4 };
                assert!((got - want).abs() < limit * arc, "{change} {load} {c}: {got} {want}");
            }
        }
    }
}

/// H8: 1 % with the ten elements of the file, 1e-4 m with twenty and smaller steps.
#[test]
fn h8_eccentric_beam() {
    let out = run(&load("benchmarks/H8_eccentric_beam.toml", &[]), |_| {});
    let (worst, _) = errors("H8_eccentric_beam", &out, None);
    assert!(worst < 0.01 * 1.3384, "{worst}");
    // far better than asked for: what the exact stiffness and moments of inertia of elements are for
    assert!(worst < 1e-3, "{worst}");
    let mut finer = spec("benchmarks/H8_eccentric_beam.toml");
    finer.body.0[1].1.elements = Some(20.into());
    let out = run(&support::assembled(&finer, &[]), |o| o.step = Some(2e-3));
    let (worst, _) = errors("H8_eccentric_beam", &out, None);
    assert!(worst < 1e-4, "{worst}");
}

/// H11: exact.
#[test]
fn h11_rolled_up() {
    let out = run(&load("benchmarks/H11_large_bending.toml", &[]), |_| {});
    let pi = std::f64::consts::PI;
    for (i, [x, y, turn]) in [(1, [0.0, 2.0 / pi, pi]), (2, [0.0, 0.0, 2.0 * pi])] {
        for (name, want) in [("tip.x", x), ("tip.y", y), ("turn", turn)] {
            let name = name.replace("tip", &format!("tip{i}")).replace("turn", &format!("turn{i}"));
            assert!((last(&out, &name) - want).abs() < 1e-6, "{name} {}", last(&out, &name));
        }
    }
}
