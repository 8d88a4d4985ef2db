//! Fixed steps far beyond the fastest vibration: methods that are stable for any step gain no energy,
//! and the others stop by name with a bound that is right.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod support;

use delassus::model::Assembled;
use support::{assembled, parsed, run, try_run};

/// A mass of 1 kg on a spring of k N/m that is stretched by `x` m: along a line, where the far side
/// of the point that holds the spring is another place of rest, or about an axle, where there is none.
fn oscillator(along_a_line: bool, k: f64, x: f64) -> Assembled {
    let text = if along_a_line {
        format!(
            "schema = 1\ntitle = \"spring\"\n[body.m]\ntype = \"point\"\nmass = 1\n\
             position = [{}, 0, 0]\n[joint]\n\
             guide = {{ type = \"point-on-line\", between = [\"ground\", \"m\"], axis = [1, 0, 0] }}\n[force]\n\
             k = {{ type = \"spring\", between = [\"ground\", \"m\"], stiffness = {k}, length = 1 }}\n\
             [analysis]\nend = 1\n",
            1.0 + x
        )
    } else {
        format!(
            "schema = 1\ntitle = \"torsion\"\n[body.m]\ntype = \"planar\"\nmass = 1\ninertia = 1\n\
             angle = {x}\n[joint]\naxle = {{ type = \"revolute\", between = [\"ground\", \"m\"] }}\n[force]\n\
             k = {{ type = \"torsion\", joint = \"axle\", stiffness = {k} }}\n[analysis]\nend = 1\n"
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

#[test]
fn methods_that_are_stable_for_any_step_gain_no_energy() {
    for line in [true, false] {
        for (k, x, step) in
            [(1e12, 1e-3, 1e-3), (1e8, 1e-3, 1e-2), (1e10, 1e-2, 1e-3), (1e6, 0.05, 1e-2)]
        {
            let m = oscillator(line, k, x);
            let start = 0.5 * k * x * x;
            // where the vibration is as wide as the spring allows, `radau5` and those after it may
            // still find the far side
            let some = if x < 0.05 { STABLE.len() } else { 6 };
            for method in &STABLE[..some] {
                let out = run(&m, |o| {
                    o.method = (*method).to_owned();
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

/// The bound that is told for an explicit method is that of the vibration.
#[test]
fn the_bound_of_stability_is_that_of_the_vibration() {
    for line in [true, false] {
        for omega in [1e4_f64, 1e6] {
            let m = oscillator(line, omega * omega, 1e-3);
            let e = try_run(&m, |o| {
                o.method = "rk4".to_owned();
                o.step = Some(1e-3);
            })
            .error
            .unwrap();
            assert_eq!(e.kind.code(), "E_STEP_UNSTABLE", "{e}");
            let told = e.detail.split("up to about ").nth(1).unwrap();
            let told: f64 = told.split(' ').next().unwrap().parse().unwrap();
            let ratio = told * omega / 2.8;
            assert!((0.4..2.5).contains(&ratio), "rk4 at {omega}: {told}");
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
        let out = try_run(&m, |o| {
            o.method = method.to_owned();
            o.step = Some(1e-3);
        });
        let balance = out.results.get("energy.balance").unwrap().last().copied().unwrap();
        assert!(out.error.is_some() || balance.abs() < all, "{method}: {balance} J");
    }
}
