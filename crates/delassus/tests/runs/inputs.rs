//! Inputs: a value set between two steps acts from there on, in every method and scheme.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::model::{Assembled, compile};
use delassus::sim::{InputError, RunOptions, Simulation, able_methods};
use support::{assembled, parsed};

const PUSHED: &str = "schema = 1\n\
    [body.m]\ntype = 'planar-point'\nmass = 2\n\
    [force.f]\ntype = 'force'\nat = 'm'\nforce = ['FORCE', 0]\n\
    [sensor.x]\ntype = 'position'\nof = 'm'\ncomponent = 'x'\n\
    [sensor.v]\ntype = 'velocity'\nof = 'm'\ncomponent = 'x'\n\
    [sensor.twice]\ntype = 'expression'\nvalue = '2*FORCE'\n\
    [analysis]\nend = 1\nsample = 0.05\n";
const PUSH: &str = "[input.push]\nunit = 'N'\ndefault = '1 N'\nmin = -40\nmax = '40 N'\n";

/// A box on a floor, pushed and lifted, with friction μ = 0.5.
const BOX: &str = "schema = 1\ngravity = [0, -10]\n\
    [body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.1\nposition = [0, 0.1]\n\
    [force.f]\ntype = 'force'\nat = 'b'\nforce = ['PUSH', 'LIFT']\n\
    [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
    [shape.box]\ntype = 'profile'\nbody = 'b'\npoints = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]\n\
    [contact.c]\nbetween = ['box', 'floor']\nrestitution = 0\nfriction = 0.5\n\
    [sensor.b]\ntype = 'position'\nof = 'b'\n\
    [sensor.v]\ntype = 'velocity'\nof = 'b'\n\
    [analysis]\nend = 0.6\nsample = 0.02\n";

/// Values for 0.1 s each.
const PUSHES: [f64; 10] = [1.0, -3.0, 0.0, 7.5, -2.0, -2.0, 4.0, 0.5, -6.0, 2.0];

fn text(base: &str, force: &str) -> Assembled {
    let text = base.replace("FORCE", force);
    let inputs = if force == "push" { PUSH } else { "" };
    assembled(&parsed(&format!("{text}{inputs}")), &[])
}

fn options(m: &Assembled, change: &dyn Fn(&mut RunOptions)) -> RunOptions {
    let mut o = RunOptions::from_model(m.system.model());
    change(&mut o);
    o
}

fn time(k: usize) -> f64 {
    (k + 1) as f64 / 10.0
}

/// Sets the pushes, one after the other.
fn push(sim: &mut Simulation, from: usize, what: &str) {
    for (k, value) in PUSHES.iter().enumerate().skip(from) {
        sim.set_input("push", *value).unwrap();
        let made = sim.advance_exactly_to(time(k));
        made.unwrap_or_else(|e| panic!("{what}: {e:?}"));
        assert!((sim.state().t - time(k)).abs() < 1e-15, "{what}");
    }
}

/// Place and speed at a time, by parabolas.
fn exact(t: f64) -> [f64; 2] {
    let (mut x, mut v) = (0.0, 0.0);
    for (k, force) in PUSHES.iter().enumerate() {
        let h = (t - k as f64 / 10.0).clamp(0.0, 0.1);
        let a = force / 2.0;
        x += v * h + 0.5 * a * h * h;
        v += a * h;
    }
    [x, v]
}

/// One method is of first order; all others are exact on parabolas.
fn check(m: &Assembled, o: &RunOptions, what: &str) {
    let mut sim = Simulation::new(m, o).unwrap();
    push(&mut sim, 0, what);
    let out = sim.finish();
    let tol = match (o.method.as_str(), out.summary.step) {
        ("lin-euler", Some(step)) => 5.0 * step,
        _ => 1e-8,
    };
    let column = |name: &str| out.results.get(name).unwrap();
    for (i, t) in out.results.t.iter().enumerate() {
        let [x, v] = exact(*t);
        let off = (column("x")[i] - x).abs().max((column("v")[i] - v).abs());
        assert!(off <= tol, "{what}: off by {off:e} at {t} s");
        // a sample at the instant of a change shows what was before
        let k = ((t * 10.0 - 1e-9).floor() as usize).min(9);
        assert_eq!(column("push")[i], PUSHES[k], "{what} at {t} s");
        assert_eq!(column("twice")[i], 2.0 * PUSHES[k], "{what} at {t} s");
    }
    let error = out.summary.energy.error;
    assert!(error.abs() <= 10.0 * tol, "{what}: energy {error:e}");
}

#[test]
fn a_pushed_mass_moves_on_parabolas_with_every_method() {
    let m = text(PUSHED, "push");
    for method in able_methods(&m.system) {
        let o = options(&m, &|o| o.method = method.name.to_owned());
        check(&m, &o, method.name);
    }
}

#[test]
fn fixed_steps_end_where_inputs_are_set() {
    let m = text(PUSHED, "push");
    for method in able_methods(&m.system) {
        for step in [0.003, 0.02, 0.25] {
            let change = |o: &mut RunOptions| {
                o.method = method.name.to_owned();
                o.step = Some(step);
            };
            check(&m, &options(&m, &change), &format!("{} {step}", method.name));
        }
    }
    for name in ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"] {
        for step in [0.003, 0.02, 0.25] {
            let change = |o: &mut RunOptions| {
                o.method = name.to_owned();
                o.scheme = SchemeType::TimeStepping;
                o.step = Some(step);
            };
            check(&m, &options(&m, &change), &format!("{name} {step}"));
        }
    }
}

#[test]
fn an_input_is_as_good_as_a_formula() {
    let mut formula = "0".to_owned();
    for (k, value) in PUSHES.iter().enumerate().rev() {
        formula = format!("if(t < {}, {value}, {formula})", time(k));
    }
    let (m, by_formula) = (text(PUSHED, "push"), text(PUSHED, &formula));
    let mut sim = Simulation::new(&m, &options(&m, &|_| {})).unwrap();
    push(&mut sim, 0, "input");
    let own = sim.finish();
    let other = support::run(&by_formula, |_| {});
    let (off, name) = support::difference(&["x", "v"], &own, &other);
    assert!(off < 1e-12, "{name} differs by {off:e}");
}

/// Sets push and lift of the box every 0.1 s and compares with the same by formulas of time.
#[test]
fn contacts_slip_and_open_at_once() {
    let pushes = [0.0, 4.0, 8.0, 0.0, 0.0, 0.0];
    let lifts = [0.0, 0.0, 0.0, -5.0, 12.0, 0.0];
    let formula = |values: &[f64]| {
        let all = values.iter().enumerate().rev();
        all.fold("0".to_owned(), |f, (k, v)| format!("if(t < {}, {v}, {f})", time(k)))
    };
    let by_input = format!(
        "{}[input.push]\nunit = 'N'\n[input.lift]\nunit = 'N'\n",
        BOX.replace("PUSH", "push").replace("LIFT", "lift")
    );
    let by_time = BOX.replace("PUSH", &formula(&pushes)).replace("LIFT", &formula(&lifts));
    let (m, by_time) = (assembled(&parsed(&by_input), &[]), assembled(&parsed(&by_time), &[]));
    let schemes = [
        (SchemeType::EventDriven, "mdop5", 1e-7),
        (SchemeType::EventDriven, "radau5", 1e-7),
        (SchemeType::Hybrid, "mdop5", 1e-7),
        (SchemeType::TimeStepping, "moreau-jean", 2e-3),
        (SchemeType::TimeStepping, "schatzman-paoli", 5e-3),
        (SchemeType::TimeStepping, "nonsmooth-gen-alpha", 2e-3),
    ];
    let reference = support::run(&by_time, |o| o.scheme = SchemeType::EventDriven);
    for (scheme, method, tol) in schemes {
        let what = format!("{} {method}", scheme.name());
        let change = |o: &mut RunOptions| {
            (o.scheme, o.method) = (scheme, method.to_owned());
            o.step = (scheme == SchemeType::TimeStepping).then_some(3e-4);
        };
        let mut sim = Simulation::new(&m, &options(&m, &change)).unwrap();
        for (k, (push, lift)) in pushes.iter().zip(lifts).enumerate() {
            sim.set_input("push", *push).unwrap();
            sim.set_input_at(1, lift).unwrap();
            let made = sim.advance_exactly_to(time(k));
            made.unwrap_or_else(|e| panic!("{what}: {e:?}"));
        }
        let out = sim.finish();
        let (off, name) = support::difference(&["b.x", "b.y", "v.x", "v.y"], &out, &reference);
        assert!(off < tol, "{what}: {name} differs by {off:e}");
        assert!(out.summary.energy.error.abs() < 0.05, "{what}: {:e}", out.summary.energy.error);
    }
}

/// All that a run remembers at its end, without the clock.
fn bytes(mut sim: Simulation) -> Vec<u8> {
    let mut bytes = sim.save();
    let name = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    bytes.drain(8 + name..8 + name + 16);
    bytes
}

#[test]
fn what_is_saved_goes_on_with_the_same_bits() {
    let m = text(PUSHED, "push");
    let schemes = [SchemeType::EventDriven, SchemeType::TimeStepping];
    let smooth = able_methods(&m.system).into_iter().map(|m| (schemes[0], m.name));
    let stepping = ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"];
    for (scheme, name) in smooth.chain(stepping.map(|name| (schemes[1], name))) {
        let o = options(&m, &|o| (o.scheme, o.method) = (scheme, name.to_owned()));
        let mut sim = Simulation::new(&m, &o).unwrap();
        for (k, value) in PUSHES.iter().enumerate().take(4) {
            sim.set_input("push", *value).unwrap();
            sim.advance_exactly_to(time(k)).unwrap();
        }
        // it is set, and no step was made since
        sim.set_input("push", PUSHES[4]).unwrap();
        let saved = sim.save();
        let mut again = Simulation::restored(&m, &o, &saved).unwrap();
        assert_eq!(again.inputs().collect::<Vec<_>>(), [("push", PUSHES[4])], "{name}");
        push(&mut sim, 4, name);
        // the restored one continues with the value that was set
        again.advance_exactly_to(time(4)).unwrap();
        push(&mut again, 5, name);
        assert_eq!(bytes(sim), bytes(again), "{name}");
    }
}

#[test]
fn what_cannot_be_set_is_refused_and_the_run_goes_on() {
    let m = text(PUSHED, "push");
    let o = options(&m, &|_| {});
    let mut sim = Simulation::new(&m, &o).unwrap();
    sim.advance_exactly_to(0.1).unwrap();
    assert!(matches!(sim.set_input("pull", 1.0), Err(InputError::Unknown { .. })));
    assert!(matches!(sim.set_input_at(1, 1.0), Err(InputError::NoSuchPlace { .. })));
    for value in [f64::NAN, f64::INFINITY, -40.1, 41.0] {
        let e = sim.set_input("push", value).unwrap_err();
        assert!(e.to_string().contains("from -40 to 40"), "{e}");
    }
    assert_eq!(sim.inputs().collect::<Vec<_>>(), [("push", 1.0)]);
    sim.set_input("push", -40.0).unwrap();
    sim.advance_to(0.2).unwrap();
    assert_eq!(sim.state().z, [-40.0]);
}

/// Nothing is done where the same value is set again, and inputs do not change the steps.
#[test]
fn an_input_that_stays_costs_nothing() {
    let (m, constant) = (text(PUSHED, "push"), text(PUSHED, "1"));
    let mut sim = Simulation::new(&m, &options(&m, &|_| {})).unwrap();
    while !sim.reached(1.0) {
        sim.set_input("push", 1.0).unwrap();
        sim.step().unwrap();
    }
    let (own, other) = (sim.finish(), support::run(&constant, |_| {}));
    assert_eq!(own.summary.steps, other.summary.steps);
    assert_eq!(own.summary.evaluations, other.summary.evaluations);
    assert_eq!(own.results.get("x"), other.results.get("x"));
}

/// Faults of a model with these lines more.
fn faults(lines: &str) -> Vec<(String, String)> {
    let text = format!("{}{PUSH}{lines}", PUSHED.replace("FORCE", "push"));
    let faults = compile(&parsed(&text)).err().unwrap_or_default();
    faults.into_iter().map(|d| (d.code.to_owned(), d.path)).collect()
}

#[test]
fn inputs_that_mean_nothing_or_two_things_are_refused() {
    let joint = "[joint.p]\ntype = 'prismatic'\nbetween = ['ground', 'm']\naxis = [1, 0]\n";
    let cases = [
        (
            format!("{joint}[joint.q]\ntype = 'motion'\njoint = 'p'\nvalue = 'push*t'\n"),
            "E_INPUT",
            "joint.q.value",
        ),
        ("[parameters]\nk = '2*push'\n".to_owned(), "E_INPUT", "parameters.k"),
        ("[parameters]\npush = 1\n".to_owned(), "E_DUPLICATE", "input.push"),
        ("[sensor.push]\ntype = 'position'\nof = 'm'\n".to_owned(), "E_DUPLICATE", "sensor.push"),
        (
            "[body.'n{push}']\ntype = 'planar-point'\nmass = 1\nrepeat = 'push = 1..2'\n"
                .to_owned(),
            "E_DUPLICATE",
            "body.n{push}.repeat",
        ),
        ("[input.t]\n".to_owned(), "E_NAME", "input.t"),
        ("[input.'a b']\n".to_owned(), "E_NAME", "input.a b"),
        ("[input.u]\nunit = 'mm'\n".to_owned(), "E_RANGE", "input.u.unit"),
        ("[input.u]\nunit = 'N'\ndefault = '1 m'\n".to_owned(), "E_DIMENSION", "input.u.default"),
        ("[input.u]\nmin = 1\n".to_owned(), "E_RANGE", "input.u.default"),
        ("[input.u]\nmin = 1\nmax = -1\n".to_owned(), "E_RANGE", "input.u.min"),
        (
            format!(
                "{joint}[input.rate]\n[force.s]\ntype = 'torsion'\njoint = 'p'\ntorque = 'rate'\n"
            ),
            "E_DUPLICATE",
            "force.s",
        ),
    ];
    for (lines, code, path) in cases {
        let found = faults(&lines);
        let hit = found.iter().any(|(c, p)| c == code && p.starts_with(path));
        assert!(hit && found.len() == 1, "{lines}: {found:?}");
    }
}

/// A controller whose target reads an input and a sensor of time: its derivative part sees the rate of
/// the sensor, and the jump of the input only moves the target.
#[test]
fn targets_read_inputs_and_sensors_of_time() {
    let text = |target: &str| {
        format!(
            "schema = 1\n[body.m]\ntype = 'planar-point'\nmass = 1\n\
             [joint.p]\ntype = 'prismatic'\nbetween = ['ground', 'm']\naxis = [1, 0]\n\
             [sensor.ramp]\ntype = 'expression'\nvalue = '3*t*u'\n\
             [sensor.x]\ntype = 'position'\nof = 'm'\ncomponent = 'x'\n[input.u]\ndefault = 1\n\
             [force.a]\ntype = 'actuator'\njoint = 'p'\ntarget = '{target}'\nkp = 20\nkd = 5\n\
             [analysis]\nend = 1\nsample = 0.1\n"
        )
    };
    let runs = ["3*t*u", "ramp"].map(|target| {
        let m = assembled(&parsed(&text(target)), &[]);
        let mut sim = Simulation::new(&m, &options(&m, &|_| {})).unwrap();
        sim.advance_exactly_to(0.35).unwrap();
        sim.set_input("u", -0.5).unwrap();
        sim.advance_to(1.0).unwrap();
        sim.finish()
    });
    let (off, _) = support::difference(&["x"], &runs[0], &runs[1]);
    assert!(off < 1e-9, "{off:e}");
}

/// Turn counters and integrals of controllers stand before the inputs among the auxiliary states.
#[test]
fn a_controlled_joint_in_space_follows_an_input_with_every_method() {
    let text = |target: &str, load: &str| {
        format!(
            "schema = 1\ngravity = [0, 0, -9.81]\n\
             [body.arm]\ntype = 'rigid'\nmass = 2\ninertia = [0.02, 0.1, 0.1]\ncom = [0.3, 0, 0]\n\
             [joint.shaft]\ntype = 'revolute'\nbetween = ['ground', 'arm']\naxis = [0, 0, 1]\n\
             [force.motor]\ntype = 'actuator'\njoint = 'shaft'\ntarget = '{target}'\n\
             kp = 30\nki = 40\nkd = 3\n\
             [force.load]\ntype = 'torque'\nat = 'arm'\ntorque = [0, 0, '{load}']\n\
             [sensor.angle]\ntype = 'joint'\njoint = 'shaft'\n\
             [analysis]\nend = 0.4\nsample = 0.02\n"
        )
    };
    let inputs = "[input.goal]\nunit = 'rad'\n[input.load]\nunit = 'N*m'\ndefault = 0.5\n";
    let m = assembled(&parsed(&format!("{}{inputs}", text("goal", "load"))), &[]);
    let by_time =
        text("if(t < 0.1, 0, if(t < 0.25, 0.7, -0.4))", "if(t < 0.1, 0.5, if(t < 0.25, -2, 1))");
    let reference = support::run(&assembled(&parsed(&by_time), &[]), |o| o.rtol = Some(1e-10));
    for method in able_methods(&m.system) {
        let o = options(&m, &|o| o.method = method.name.to_owned());
        let mut sim = Simulation::new(&m, &o).unwrap();
        for (t, goal, load) in [(0.1, 0.0, 0.5), (0.25, 0.7, -2.0), (0.4, -0.4, 1.0)] {
            sim.set_input("goal", goal).unwrap();
            sim.set_input("load", load).unwrap();
            let made = sim.advance_exactly_to(t);
            made.unwrap_or_else(|e| panic!("{}: {e:?}", method.name));
        }
        let out = sim.finish();
        let (off, name) = support::difference(&["angle"], &out, &reference);
        let tol = match out.summary.step {
            Some(step) if method.name == "lin-euler" => 10.0 * step,
            Some(step) => 100.0 * step * step,
            None => 1e-5,
        };
        println!("{} {off:e} of {tol:e}", method.name);
        assert!(off < tol, "{}: {name} differs by {off:e}", method.name);
    }
}
