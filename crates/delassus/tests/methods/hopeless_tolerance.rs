//! A tolerance at the limit of what round-off allows: every method finishes, or says what stops it, within a bounded
//! number of attempts.

use crate::support;

use delassus::dae::integrator::METHODS;
use support::{benchmark, load, run, try_run};

/// Steps that are allowed; methods of low order want more.
const STEPS: u64 = 3000;

#[test]
fn every_method_ends_and_tells_why() {
    for (file, end) in [("slider_crank.toml", 0.5), ("benchmarks/I4_spherical_pendulum.toml", 0.2)]
    {
        let model = load(file, &[]);
        for m in METHODS {
            let out = try_run(&model, |o| {
                (o.method, o.rtol, o.t_end) = (m.name.to_owned(), Some(1e-14), end);
                o.options = Default::default();
                o.max_steps = Some(STEPS);
            });
            let (s, what) = (&out.summary, format!("{file} {}", m.name));
            assert!(s.steps <= STEPS && s.rejected < 500, "{what}: {} {}", s.steps, s.rejected);
            assert!(out.results.data.iter().flatten().all(|x| x.is_finite()), "{what}");
            let Some(e) = out.error else {
                assert!((out.results.t.last().unwrap() - end).abs() < 1e-12, "{what}");
                continue;
            };
            println!("{what}: {e}; {}", e.help);
            assert!(["E_STEP_MIN", "E_WORK_LIMIT"].contains(&e.kind.code()), "{what}: {e}");
            assert!(e.help.contains("loosen the tolerance"), "{what}: {}", e.help);
            assert!(e.t > 0.0 && e.t < end && e.h > 0.0, "{what}: {e}");
            if m.order[0] <= 2 && e.kind.code() == "E_WORK_LIMIT" {
                assert!(e.help.contains("higher order"), "{what}: {}", e.help);
            }
        }
    }
}

/// The change point of a slider-crank with equal bars: the step shrinks over several accepted steps
/// on the way into a singular position, and is long enough again to leave it.
#[test]
fn a_tight_tolerance_does_not_end_at_a_singular_position() {
    let case = benchmark("A3");
    for (method, rtol) in [("hem5", 3e-10), ("hem5", 1e-10), ("hem5", 1e-12), ("mdop5", 1e-12)] {
        let out = run(&case.load(), |o| (o.method, o.rtol) = (method.to_owned(), Some(rtol)));
        case.check(method, &out);
        let s = &out.summary;
        // by a jump over it, or by an error test that knows what round-off does there
        assert!(s.rejected < s.steps / 20, "{method} {rtol:e}");
    }
}
