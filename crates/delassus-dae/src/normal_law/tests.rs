//! Laws against differences, against each other and against what is known in closed form.

use super::*;

fn laws(e: f64) -> Vec<Box<dyn NormalLaw>> {
    let (exponent, restitution) = (1.5, e);
    vec![
        Box::new(Hertz { exponent }),
        Box::new(Hertz { exponent: 1.0 }),
        Box::new(Hertz { exponent: 2.3 }),
        Box::new(HuntCrossley { exponent, restitution }),
        Box::new(HerbertMcWhannell { exponent, restitution }),
        Box::new(LeeWang { exponent, restitution }),
        Box::new(LankaraniNikravesh { exponent, restitution }),
        Box::new(Gonthier { exponent, restitution }),
        Box::new(Flores { exponent, restitution }),
        Box::new(ZhiyingQishao { exponent, restitution }),
        Box::new(HuGuo { exponent, restitution }),
        Box::new(Exact::new(exponent, restitution)),
        Box::new(KelvinVoigt { damping: Damping::Restitution(e), end: EndRule::Force }),
        Box::new(KelvinVoigt { damping: Damping::Given(30.0), end: EndRule::Gap }),
    ]
}

const AT: Onset = Onset { speed: 0.7, stiffness: 3e6, mass: 1.3 };

#[test]
fn derivatives_agree_with_differences() {
    for e in [0.2, 0.6, 0.95, 1.0] {
        for law in laws(e) {
            for (depth, rate) in [(1e-3, 0.4), (2e-4, -0.3), (5e-4, 0.0), (-1e-4, -0.5)] {
                let p = law.press(&AT, depth, rate);
                let slope = |up: Press, down: Press, h: f64| (up.force - down.force) / (2.0 * h);
                let h = 1e-5 * f64::abs(depth);
                let k = slope(law.press(&AT, depth + h, rate), law.press(&AT, depth - h, rate), h);
                let c = slope(
                    law.press(&AT, depth, rate + 0.1),
                    law.press(&AT, depth, rate - 0.1),
                    0.1,
                );
                assert!(
                    (k - p.by_depth).abs() <= 1e-7 * p.by_depth.abs().max(1.0),
                    "{}",
                    law.name()
                );
                assert!((c - p.by_rate).abs() <= 1e-9 * p.by_rate.abs().max(1.0), "{}", law.name());
                let force = (law.energy(&AT, depth + h) - law.energy(&AT, depth - h)) / (2.0 * h);
                assert!(
                    (force - p.elastic).abs() <= 1e-6 * p.elastic.abs().max(1e-3),
                    "{}",
                    law.name()
                );
                assert!(
                    (p.force - p.elastic) * rate >= -1e-9 || depth < 0.0,
                    "{} gains",
                    law.name()
                );
            }
        }
    }
}

#[test]
fn the_push_changes_sign_with_the_force() {
    for law in laws(0.3) {
        for rate in [-10.0, -1.0, -0.1, 0.0, 1.0] {
            let (force, push) = (law.press(&AT, 1e-4, rate).force, law.push(&AT, 1e-4, rate));
            let pulls = matches!(law.name(), "kelvin-voigt") && law.push(&AT, 0.0, -1.0) > 0.0;
            assert!(pulls || (force > 0.0) == (push > 0.0), "{} at {rate}", law.name());
        }
    }
}

#[test]
fn the_exact_law_comes_back_with_what_is_asked_for() {
    for e in [0.01, 0.1, 0.5, 0.9, 0.99, 0.999_999, 1.0] {
        let a = Exact::new(1.5, e).factor();
        assert!((rebound(a) - e).abs() < 1e-10, "{e}: {}", rebound(a));
    }
    // by quadrature with 45 digits, for e = 0.5 and 0.1
    assert!((Exact::new(1.5, 0.5).factor() - 1.432_750_533_271_38).abs() < 1e-12);
    assert!((Exact::new(1.5, 0.1).factor() - 9.998_159_397_495_67).abs() < 1e-11);
}

#[test]
fn what_comes_back_is_what_the_documents_say() {
    let all = |e: f64| laws(e).iter().map(|l| l.name()).zip(factors(e)).collect::<Vec<_>>();
    let told = [
        ("hunt-crossley", [0.909, 0.663, 0.516]),
        ("herbert-mcwhannell", [0.901, 0.594, 0.491]),
        ("lee-wang", [0.952, 0.799, 0.687]),
        ("lankarani-nikravesh", [0.913, 0.725, 0.665]),
        ("gonthier", [0.876, 0.488, 0.101]),
        ("flores", [0.894, 0.470, 0.069]),
        ("zhiying-qishao", [0.896, 0.483, 0.217]),
        ("hu-guo", [0.900, 0.488, 0.074]),
    ];
    for (name, back) in told {
        for (e, back) in [0.9, 0.5, 0.1].into_iter().zip(back) {
            let a = all(e).into_iter().find(|x| x.0 == name).unwrap().1;
            assert!((rebound(a) - back).abs() < 6e-4, "{name} {e}: {}", rebound(a));
        }
    }
}

/// Factors a, of the slope of the push over the rate.
fn factors(e: f64) -> Vec<f64> {
    laws(e).iter().map(|l| (l.push(&AT, 0.0, AT.speed) - l.push(&AT, 0.0, 0.0)).abs()).collect()
}
