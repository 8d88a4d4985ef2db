//! Loops that move although the count of their degrees of freedom says otherwise: some rows follow from others
//! everywhere, and which of them are used is a choice. Rows chosen at the start become dependent along the way although
//! the mechanism itself is regular (its screws keep their rank), and then others must take over.

use crate::support;

use delassus::model::Assembled;
use delassus::sim::{RunOutcome, Simulation};
use support::{load, motions, run};

/// Name of the file, parameters that differ from it, end of the run in s.
type Loop = (&'static str, &'static [(&'static str, &'static str)], f64);

/// Loops whose rows of the start fail on the way.
const LOOPS: [Loop; 3] = [
    ("bricard_line_symmetric", &[("U1x", "0.2"), ("U3z", "1")], 4.0),
    ("bricard_trihedral", &[("rate0", "4 rad/s"), ("tilt5", "75 deg")], 3.0),
    ("bennett_linkage", &[("p", "400 mm")], 4.0),
];

fn end(m: &Assembled, out: &RunOutcome) -> Vec<f64> {
    let columns = motions(m).into_iter().filter_map(|name| out.results.get(name));
    columns.filter_map(|x| x.last().copied()).collect()
}

#[test]
fn every_method_passes_where_chosen_rows_fail() {
    for (name, set, t_end) in LOOPS {
        let m = load(&format!("library/smooth/{name}.toml"), set);
        let go = |method: &str, rtol: f64| {
            let out = run(&m, |o| {
                o.method = method.to_owned();
                o.rtol = Some(rtol);
                o.t_end = t_end;
            });
            let s = &out.summary;
            assert_eq!(s.singular_hops, 0, "{name} {method}");
            assert!(s.energy_error < 1e3 * rtol, "{name} {method}: {}", s.energy_error);
            end(&m, &out)
        };
        let wanted = go("mdop5", 1e-10);
        for (method, rtol, tolerance) in [
            ("mdop5", 1e-8, 1e-5),
            ("hem5", 1e-8, 1e-6),
            ("phem56", 1e-9, 1e-5),
            ("radau5", 1e-8, 1e-6),
            ("gen-alpha-ggl", 1e-6, 1e-3),
        ] {
            let found = go(method, rtol);
            assert!(found.len() == wanted.len() && found.len() > 3);
            for (x, y) in found.iter().zip(&wanted) {
                assert!((x - y).abs() < tolerance * (1.0 + y.abs()), "{name} {method}: {x} {y}");
            }
        }
    }
}

/// The rows that are solved with belong to what a run remembers.
#[test]
fn a_run_that_changed_its_rows_goes_on_with_the_same_bits() {
    let (name, set, _) = LOOPS[0];
    let m = load(&format!("library/smooth/{name}.toml"), set);
    let mut opts = delassus::sim::RunOptions::from_model(m.system.model());
    opts.method = "hem5".to_owned();
    let mut one = Simulation::new(&m, &opts).unwrap();
    one.advance_to(3.9).unwrap();
    let saved = one.save();
    let mut other = Simulation::restored(&m, &opts, &saved).unwrap();
    for sim in [&mut one, &mut other] {
        sim.advance_to(4.5).unwrap();
    }
    assert_eq!(one.state(), other.state());
}
