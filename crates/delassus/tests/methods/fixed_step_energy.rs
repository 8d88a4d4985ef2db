//! Fixed steps far beyond the fastest vibration: methods that are stable for any step gain no energy, and the others
//! stop with a named failure and a correct bound.

use crate::support;

use delassus::math::largest;
use delassus::model::Assembled;
use support::{assembled, parsed, run, try_run};

/// A mass of 1 kg on a spring of k N/m that is stretched by `x` m: along a line, where the far side of the point that
/// holds the spring is another equilibrium, or about an axle, where there is none.
fn oscillator(along_a_line: bool, k: f64, x: f64) -> Assembled {
    damped_oscillator(along_a_line, k, 0.0, x)
}

/// The same with damping of c N s/m.
fn damped_oscillator(along_a_line: bool, k: f64, c: f64, x: f64) -> Assembled {
    let text = if along_a_line {
        format!(
            "schema = 1\ntitle = \"spring\"\n[body.m]\ntype = \"point\"\nmass = 1\n\
             position = [{}, 0, 0]\n[joint]\n\
             guide = {{ type = \"point-on-line\", between = [\"ground\", \"m\"], axis = [1, 0, 0] }}\n[force]\n\
             k = {{ type = \"spring\", between = [\"ground\", \"m\"], stiffness = {k}, damping = {c}, length = 1 }}\n\
             [analysis]\nend = 1\n",
            1.0 + x
        )
    } else {
        format!(
            "schema = 1\ntitle = \"torsion\"\n[body.m]\ntype = \"planar\"\nmass = 1\ninertia = 1\n\
             angle = {x}\n[joint]\naxle = {{ type = \"revolute\", between = [\"ground\", \"m\"] }}\n[force]\n\
             k = {{ type = \"torsion\", joint = \"axle\", stiffness = {k}, damping = {c} }}\n[analysis]\nend = 1\n"
        )
    };
    assembled(&parsed(&text), &[])
}

const STABLE: [&str; 9] = [
    "gen-alpha",
    "gen-alpha-index2",
    "gen-alpha-ggl",
    "hht",
    "newmark",
    "ali3p",
    "radau5",
    "bdf",
    "lin-euler",
];

const EXPLICIT: [&str; 9] =
    ["mdop5", "dopri5", "rkf45", "rk4", "dop853", "hem5", "phem56", "mal", "mns"];

#[test]
fn methods_that_are_stable_for_any_step_gain_no_energy() {
    for line in [true, false] {
        for (k, x, step) in
            [(1e12, 1e-3, 1e-3), (1e8, 1e-3, 1e-2), (1e10, 1e-2, 1e-3), (1e6, 0.05, 1e-2)]
        {
            let m = oscillator(line, k, x);
            let start = 0.5 * k * x * x;
            for method in STABLE {
                // backward differences of order 5 are not stable for every vibration
                if method == "bdf" && x == 0.05 {
                    continue;
                }
                let out = run(&m, |o| {
                    o.method = method.to_owned();
                    o.step = Some(step);
                });
                let part = |name: &str| out.results.get(name).unwrap().to_vec();
                for (t, v) in part("energy.kinetic").iter().zip(part("energy.potential")) {
                    let e = t + v;
                    assert!(
                        e <= 1.01 * start,
                        "{method} k={k} x={x} line={line}: {e} from {start}"
                    );
                }
            }
        }
    }
}

/// A spring that nothing guides, in the plane and in space, stretched so far that predictions of long
/// steps pass the point that holds it: no method comes out beyond it unnoticed, and `radau5` not at all.
#[test]
fn no_implicit_method_gains_energy_unnoticed() {
    for (body, end) in [("planar-point", "0]"), ("point", "0, 0]")] {
        for (k, x, step) in [
            (1e4, 0.05, 1e-1),
            (1e6, 0.05, 1e-2),
            (1e8, 0.05, 1e-3),
            (1e12, 0.05, 1e-4),
            (1e4, 1e-3, 1e-2),
            (1e6, 0.3, 1e-2),
        ] {
            let text = format!(
                "schema = 1\nbody.m = {{ type = \"{body}\", mass = 1, position = [{}, {end} }}\n\
                 force.k = {{ type = \"spring\", between = [\"ground\", \"m\"], stiffness = {k}, length = 1 }}\n\
                 analysis = {{ end = {}, sample = {step} }}\n",
                1.0 + x,
                100.0 * step
            );
            let m = assembled(&parsed(&text), &[]);
            let start = 0.5 * k * x * x;
            for method in STABLE {
                let out = try_run(&m, |o| {
                    o.method = method.to_owned();
                    o.step = Some(step);
                });
                let label = format!("{method} {body} k={k} x={x}");
                if let Some(e) = &out.error {
                    let known = ["E_ENERGY_GAINED", "E_STEP_MIN", "E_DIVERGED"];
                    assert!(known.contains(&e.kind.code()), "{label}: {e}");
                    assert!(!["radau5", "lin-euler"].contains(&method), "{label}: {e}");
                    continue;
                }
                let part = |name: &str| out.results.get(name).unwrap().to_vec();
                for (t, v) in part("energy.kinetic").iter().zip(part("energy.potential")) {
                    let told = method != "radau5" && out.summary.energy.off_since.is_some();
                    assert!(told || t + v <= 1.01 * start, "{label}: {} from {start}", t + v);
                }
            }
        }
    }
}

/// The step that `E_STEP_UNSTABLE` reports is the limit: with half of it the vibration does not grow by more than half
/// a percent per step (methods of order 5 let undamped ones grow as soon as they lose digits), with twice as much it
/// explodes, for every explicit method, undamped and damped.
#[test]
fn the_bound_of_stability_is_that_of_the_vibration() {
    for method in EXPLICIT {
        for (line, omega, zeta) in
            [(true, 1e4, 0.0), (true, 1e6, 0.3), (false, 1e6, 0.0), (false, 1e4, 0.3)]
        {
            let m = damped_oscillator(line, omega * omega, 2.0 * zeta * omega, 1e-3);
            let start = 0.5 * omega * omega * 1e-6;
            let label = format!("{method} line={line} omega={omega} zeta={zeta}");
            let run = |step: f64, end: f64| {
                try_run(&m, |o| {
                    o.method = method.to_owned();
                    o.step = Some(step);
                    o.t_end = end;
                    o.sample = step;
                })
            };
            let e = run(1e-3, 1.0).error.unwrap();
            assert_eq!(e.kind.code(), "E_STEP_UNSTABLE", "{label}: {e}");
            let told = e.detail.split("up to about ").nth(1).unwrap();
            let told: f64 = told.split(' ').next().unwrap().parse().unwrap();
            println!("{label}: {:.2}", told * omega);
            let most = |step: f64| {
                let out = run(step, 50.0 * step);
                let part = |name: &str| out.results.get(name).unwrap().to_vec();
                let (t, v) = (part("energy.kinetic"), part("energy.potential"));
                let most = largest(t.iter().zip(v).map(|(t, v)| t + v));
                if out.error.is_some() { f64::INFINITY } else { most / start }
            };
            let (half, twice) = (most(0.5 * told), most(2.0 * told));
            assert!(half < 2.0, "{label}: {told} s is too long, {half}");
            assert!(twice > 1e3, "{label}: {told} s is too short, {twice}");
        }
    }
}

/// A chain of light links with a heavy end, at steps that resolve nothing of the light ones: no run
/// ends well with an energy that came from nowhere.
#[test]
fn a_chain_of_unequal_masses_does_not_end_well_with_energy_from_nowhere() {
    let n = 10;
    let mut text = "schema = 1\ntitle = \"chain\"\ngravity = [0, -9.81]\n".to_owned();
    for i in 0..n {
        let mass = if i + 1 < n { 1.0 } else { 1e6 };
        text += &format!(
            "[body.b{i}]\ntype = \"planar\"\nmass = {mass}\ninertia = {}\ncom = [0.5, 0]\n\
             position = [{i}, 0]\nmarkers = {{ tip = [1, 0] }}\n",
            mass / 12.0
        );
    }
    text += "[joint]\n";
    for i in 0..n {
        let on = if i == 0 { "ground".to_owned() } else { format!("b{}.tip", i - 1) };
        text += &format!("j{i} = {{ type = \"revolute\", between = [\"{on}\", \"b{i}\"] }}\n");
    }
    text += "[analysis]\nend = 1\n";
    let m = assembled(&parsed(&text), &[]);
    // what the heavy body can gain by falling as far as the chain is long
    let all = 1e6 * 9.81 * 10.0;
    for method in ["gen-alpha", "gen-alpha-ggl", "ali3p", "newmark", "mdop5", "rk4", "hem5"] {
        for step in [1e-3, 0.1] {
            let out = try_run(&m, |o| {
                o.method = method.to_owned();
                o.step = Some(step);
            });
            let balance = out.results.get("energy.balance").unwrap().last().copied().unwrap();
            assert!(out.error.is_some() || balance.abs() < all, "{method} {step}: {balance} J");
        }
    }
}

/// Nothing at the ends of the steps is wrong, but the motion is that of the method: `newmark` and `ali3p` keep its
/// energy for ever.
#[test]
fn vibrations_that_steps_cannot_follow_are_told() {
    for line in [true, false] {
        let m = oscillator(line, 1e12, 1e-3);
        for (method, lasting) in [("newmark", true), ("ali3p", true), ("gen-alpha", false)] {
            let out = run(&m, |o| {
                o.method = method.to_owned();
                o.step = Some(1e-3);
            });
            let item = out.summary.verdict.items.iter().find(|i| i.code == Some("N_STEP_TOO_LONG"));
            let seen = out.summary.reversed_steps;
            assert_eq!(
                (item.is_some(), seen > 500),
                (lasting || seen > 0, lasting),
                "{method}: {seen}"
            );
            if lasting {
                assert_eq!(out.summary.verdict.tone, delassus::sim::Tone::Bad, "{method}");
            }
        }
        // with twenty steps in a period everything is seen
        let m = oscillator(line, 1e4, 1e-3);
        let out = run(&m, |o| {
            o.method = "newmark".to_owned();
            o.step = Some(3e-3);
        });
        assert_eq!(out.summary.reversed_steps, 0);
    }
}
