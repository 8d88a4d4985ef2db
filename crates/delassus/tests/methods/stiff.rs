//! Stiff models: implicit methods take the steps the motion needs, explicit ones say so.

use delassus::math::{max_abs, max_difference};
use delassus::model::{Assembled, System, assemble, compile_with};
use delassus::sim::{RunOptions, RunOutcome, Silent};
use std::path::Path;

fn load(file: &str, set: &[(&str, &str)]) -> Assembled {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file);
    let spec = delassus::io::model_file::load(&path, &Default::default()).unwrap().spec;
    let set: Vec<(String, String)> =
        set.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assemble(System::new(compile_with(&spec, &set).unwrap()).unwrap()).unwrap()
}

fn run(m: &Assembled, method: &str, rtol: f64, end: f64) -> RunOutcome {
    let mut o = RunOptions::from_model(m.system.model());
    o.method = method.to_owned();
    o.rtol = Some(rtol);
    o.step = None;
    o.t_end = end;
    o.options = Default::default();
    let out = delassus::sim::run(m, &o, &mut Silent).unwrap();
    println!(
        "STIFF | {} | {method} | {} steps, {} rejected, stiff since {:?}",
        m.system.model().title,
        out.summary.steps,
        out.summary.rejected,
        out.summary.stiff_since
    );
    out
}

/// Implicit methods take at least ten times larger steps than explicit ones of the same
/// tolerance, with the same answer; the explicit ones notice that the model is stiff.
fn gain(m: &Assembled, rtol: f64, end: f64, column: &str, agree: f64, implicit: &[&str]) {
    let reference = run(m, "mdop5", 1e-9, end);
    assert!(reference.error.is_none(), "{:?}", reference.error);
    let want = reference.results.get(column).unwrap();
    let size = max_abs(want);
    let steps: Vec<u64> = ["mdop5", "dopri5"]
        .iter()
        .map(|method| {
            let out = run(m, method, rtol, end);
            assert!(out.error.is_none(), "{:?}", out.error);
            assert!(out.summary.stiff_since.is_some(), "{method} does not notice");
            out.summary.steps
        })
        .collect();
    let explicit = *steps.iter().min().unwrap();
    for method in implicit {
        let out = run(m, method, rtol, end);
        assert!(out.error.is_none(), "{method}: {:?}", out.error);
        assert_eq!(out.summary.stiff_since, None);
        let got = out.results.get(column).unwrap();
        let worst = max_difference(got, want);
        println!("STIFF | {method} | off by {:.1e} of {size:.1e}", worst);
        assert!(worst <= agree * size, "{method}: {worst:e} of {size:e}");
        assert!(
            10 * out.summary.steps <= explicit,
            "{method}: {} steps, explicit {explicit}",
            out.summary.steps
        );
    }
}

/// A bushing of steel instead of rubber: 100 times stiffer, and damped like steel in rubber.
#[test]
fn stiff_bushing() {
    let m = load("vehicle_bushing.toml", &[("rubber", "1e10")]);
    gain(&m, 1e-4, 1.0, "wheel_z", 1e-2, &["bdf", "radau5", "gen-alpha"]);
}

/// The flyball governor with its stiff coupler springs.
#[test]
fn flyball_governor() {
    let m = load("benchmarks/B5_flyball_governor.toml", &[]);
    gain(&m, 1e-4, 10.0, "s", 1e-2, &["bdf", "radau5", "gen-alpha"]);
}

/// A PID controller with the gains of a machine tool: the integral acts within 10 ms, so forces
/// follow positions through it within a step, and the matrix of the iteration has to know.
#[test]
fn a_fast_integral_does_not_limit_the_step() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/motor_pid.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.replace("kp = 40", "kp = 1e6").replace("ki = 60", "ki = 1e8");
    let text = text.replace("kd = 6\n", "kd = 1e3\n");
    let spec = delassus::io::model_file::parse_str(&text, "m.toml", &Default::default());
    let system = System::new(compile_with(&spec.unwrap().spec, &[]).unwrap()).unwrap();
    let m = assemble(system).unwrap();
    for method in ["radau5", "bdf", "gen-alpha", "gen-alpha-ggl"] {
        let mut o = RunOptions::from_model(m.system.model());
        (o.method, o.step) = (method.to_owned(), Some(0.05));
        let out = delassus::sim::run(&m, &o, &mut Silent).unwrap();
        let s = &out.summary;
        println!(
            "STIFF | PID | {method} | {} steps, {} rejected, {} factorizations, {} newton",
            s.steps, s.rejected, s.factorizations, s.newton_iterations
        );
        assert!(out.error.is_none(), "{method}: {:?}", out.error);
        assert_eq!((s.steps, s.rejected), (120, 0), "{method}");
        let angle = out.results.get("arm_angle").unwrap().last().unwrap();
        assert!((angle - std::f64::consts::FRAC_PI_3).abs() < 1e-6, "{method}: {angle}");
    }
}

/// What closes the loop at the end of a step does not strain the rod behind the pin: in the mass metric alone the energy
/// is off by 0.1 J and the torque by 0.19 N m.
#[test]
fn pins_of_elastic_rods_are_closed_without_strain() {
    let m = load("library/flexible/four_bar_elastic_coupler.toml", &[]);
    let [got, want] = [1e-6, 1e-9].map(|rtol| run(&m, "radau5", rtol, 1.5));
    let torque = |o: &RunOutcome| o.results.get("torque").unwrap().to_vec();
    let off = max_difference(&torque(&got), &torque(&want));
    let energy = got.summary.energy.error;
    println!("STIFF | torque off by {off:.1e} N m, energy by {energy:.1e} J");
    assert!(off < 0.1, "{off}");
    assert!(energy < 0.05, "{energy}");
}
