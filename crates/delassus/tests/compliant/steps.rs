//! Steps at compliant contacts: their history, fixed ones that are too long, and starts that are found by halving.

use crate::impacts::{e1_with, pairs, with};
use crate::support;

use support::{load, run};

/// The step drops by orders of magnitude where the wall is touched and comes back behind it: the paper's Figure 6, and the plot of
/// step sizes in the report.
#[test]
fn e2_steps_drop_at_the_contact_and_recover() {
    let m = load("benchmarks/E2_pendulum_wall.toml", &[]);
    for method in ["mdop5", "radau5"] {
        let out = run(&m, with(method, 1e-9));
        let (touch, part) = pairs(&out)["hit"];
        let between = |from: f64, to: f64| {
            let rows = out.steps.rows().iter().filter(move |r| from < r.t && r.t <= to);
            let sizes: Vec<f64> = rows.map(|r| r.h).collect();
            assert!(sizes.len() > 2, "{method}: {from} {to}");
            let most = sizes.iter().fold(0.0_f64, |m, h| m.max(*h));
            (sizes.iter().fold(f64::INFINITY, |m, h| m.min(*h)), most)
        };
        let before = between(0.1, touch.t - 1e-9).1;
        let inside = between(touch.t + 1e-12, part.t).1;
        let after = between(part.t + 1e-9, 1.1).1;
        assert!(inside < 1e-2 * before, "{method}: {inside} {before}");
        assert!(after > 0.5 * before, "{method}: {after} {before}");
    }
}

/// A contact that only a few fixed steps resolve is reported; with short steps it is not.
#[test]
fn fixed_steps_in_a_contact_are_counted() {
    let m = load("benchmarks/E1_falling_ball.toml", &[]);
    for (step, few) in [(3e-4, 1), (1e-5, 0)] {
        let out = run(&m, |o| {
            o.method = "dopri5".to_owned();
            o.step = Some(step);
        });
        let tally = &out.summary.contact.as_ref().unwrap().compliant;
        assert_eq!((tally.few_steps.count, tally.contacts), (few, 1), "{step}");
        let told = out.notes.iter().any(|n| n.code == "N_FEW_STEPS");
        assert_eq!(told, few > 0, "{step}: {:?}", out.notes);
    }
}

/// A depth for which no step is short enough is met as well as possible, and reported.
#[test]
fn a_start_that_cannot_be_shallow_is_counted() {
    for (least, deep) in [("1e-3", 1), ("1e-9", 0)] {
        let fields =
            format!("start = \"shrink\"\nmax_start_depth = 1e-7\nmin_start_step = {least}");
        let out = run(&e1_with(&fields, &[]), |o| o.rtol = Some(1e-10));
        let tally = &out.summary.contact.as_ref().unwrap().compliant;
        assert_eq!(tally.began_deep.count, deep, "{least}");
        assert_eq!(tally.deepest_start.value > 1e-7, deep > 0, "{}", tally.deepest_start.value);
        let told = out.notes.iter().any(|n| n.code == "N_START_DEPTH");
        assert_eq!(told, deep > 0, "{:?}", out.notes);
    }
}
