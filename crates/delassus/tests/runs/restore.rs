//! A run that was saved and restored continues with the same bits as one that was not: for every method, in every
//! scheme, through impacts and hand-overs, wherever it was interrupted.

use crate::support;

use delassus::model::Assembled;
use delassus::model::spec::SchemeType;
use delassus::sim::{RestoreError, RunOptions, Simulation, able_methods};
use support::load;

fn options(m: &Assembled, change: &dyn Fn(&mut RunOptions), t_end: f64) -> RunOptions {
    let mut o = RunOptions::from_model(m.system.model());
    o.t_end = t_end;
    o.sample = t_end / 40.0;
    o.keep_motion = true;
    o.keep_states = 3;
    change(&mut o);
    o
}

/// Steps to the end; what is remembered there, without the clock.
fn end(mut sim: Simulation, what: &str) -> Vec<u8> {
    let t_end = sim.options().t_end;
    match sim.advance_to(t_end) {
        Ok(()) => {}
        // the event-driven scheme alone does not pass accumulations
        Err(e) if e.kind.code() == "E_ZENO" => {}
        Err(e) => panic!("{what}: {e:?}"),
    }
    // how long it took stands behind the name of the run
    let mut bytes = sim.save();
    let name = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    bytes.drain(8 + name..8 + name + 16);
    bytes
}

/// Saves a run at about as many of its steps as given, continues from each, and compares everything at the end:
/// results, events, counts and the memory of every part.
fn check(m: &Assembled, o: &RunOptions, moments: u64, what: &str) {
    let mut sim = Simulation::new(m, o).unwrap();
    let mut steps = 0;
    while !sim.reached(o.t_end) && sim.step().is_ok() {
        steps += 1;
    }
    let mut sim = Simulation::new(m, o).unwrap();
    let mut saved = Vec::new();
    let (mut made, mut seed) = (0, 1_u64);
    while !sim.reached(o.t_end) && sim.step().is_ok() {
        made += 1;
        // a random choice that is the same in every run of the test
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if (seed >> 33) % steps < moments && sim.can_pause() {
            saved.push((made, sim.state().t, sim.save()));
        }
    }
    let expected = end(sim, what);
    assert!(!saved.is_empty() || steps < 4 * moments, "{what}: never saved in {steps} steps");
    for (step, t, bytes) in saved {
        let what = format!("{what}, left after step {step} at {t} s");
        let again = Simulation::restored(m, o, &bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(again.state().t.to_bits(), t.to_bits(), "{what}");
        let found = end(again, &what);
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert!(
            found.len() == expected.len() && differs.is_none(),
            "{what}: {} bytes instead of {}, different from byte {differs:?} on",
            found.len(),
            expected.len()
        );
    }
}

#[test]
fn smooth_motion_with_every_method() {
    for (file, t_end) in [("pendulum.toml", 0.6), ("motor_pid.toml", 0.4), ("gyroscope.toml", 0.1)]
    {
        let m = load(file, &[]);
        for method in able_methods(&m.system) {
            let o = options(&m, &|o| o.method = method.name.to_owned(), t_end);
            check(&m, &o, 4, &format!("{file} {}", method.name));
        }
    }
}

#[test]
fn redundant_and_driven_models() {
    for (file, t_end) in [
        ("four_bar_tripled.toml", 0.3),
        ("vehicle_bushing.toml", 0.5),
        ("gripper.toml", 0.5),
        ("flexible_arm.toml", 0.05),
    ] {
        let m = load(file, &[]);
        check(&m, &options(&m, &|_| {}, t_end), 6, file);
    }
}

#[test]
fn fixed_steps() {
    let m = load("four_bar.toml", &[]);
    for method in able_methods(&m.system) {
        let change = |o: &mut RunOptions| {
            o.method = method.name.to_owned();
            o.step = Some(0.0007);
        };
        check(&m, &options(&m, &change, 0.2), 4, &format!("four_bar {}", method.name));
    }
}

#[test]
fn contact_in_every_scheme() {
    for (file, t_end) in [
        ("bouncing_ball.toml", 2.0),
        ("box_on_incline.toml", 0.7),
        ("geneva.toml", 0.4),
        ("newtons_cradle.toml", 0.7),
        ("escapement.toml", 0.5),
        ("ratchet.toml", 0.5),
    ] {
        let m = load(file, &[]);
        for scheme in [SchemeType::Hybrid, SchemeType::EventDriven, SchemeType::TimeStepping] {
            let o = options(&m, &|o| o.scheme = scheme, t_end);
            check(&m, &o, 6, &format!("{file} {}", scheme.name()));
        }
    }
}

#[test]
fn contact_with_every_method() {
    let m = load("box_on_incline.toml", &[]);
    for method in able_methods(&m.system) {
        let o = options(&m, &|o| o.method = method.name.to_owned(), 0.5);
        check(&m, &o, 4, &format!("incline {}", method.name));
    }
    let m = load("newtons_cradle.toml", &[]);
    for name in ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"] {
        let change = |o: &mut RunOptions| {
            o.method = name.to_owned();
            o.scheme = SchemeType::TimeStepping;
        };
        check(&m, &options(&m, &change, 0.5), 4, &format!("cradle {name}"));
    }
}

/// Approach speeds that were latched, and what contacts did so far, go with a run that is left while they last.
#[test]
fn compliant_contact() {
    let m = load("benchmarks/E5_compliant_laws.toml", &[]);
    for name in ["mdop5", "hem5", "radau5", "bdf"] {
        let o = options(&m, &|o| o.method = name.to_owned(), 5e-3);
        check(&m, &o, 8, &format!("laws {name}"));
    }
    let m = load("benchmarks/E6_clearance_slider_crank.toml", &[]);
    for name in ["mdop5", "radau5"] {
        let o = options(&m, &|o| o.method = name.to_owned(), 2e-3);
        check(&m, &o, 8, &format!("play {name}"));
    }
    let stepping = ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"];
    for (file, end, step) in [
        ("E5_compliant_laws", 5e-3, 5e-5),
        ("E6_clearance_slider_crank", 2e-3, 5e-6),
        ("E7_lugre", 0.5, 2e-3),
    ] {
        let m = load(&format!("benchmarks/{file}.toml"), &[]);
        for name in stepping {
            let change = |o: &mut RunOptions| {
                o.method = name.to_owned();
                o.scheme = SchemeType::TimeStepping;
                o.step = Some(step);
            };
            check(&m, &options(&m, &change, end), 8, &format!("{file} {name}"));
        }
    }
}

/// Bounces that accumulate next to a lasting compliant contact, handed over and back.
#[test]
fn compliant_contact_that_is_handed_over() {
    let text = "schema = 1\ngravity = [0, -9.81]\n\
        [body.ball]\ntype = 'planar'\nmass = 0.5\ninertia = 0.002\nposition = [0, 0.4]\n\
        [shape.ball]\ntype = 'circle'\nbody = 'ball'\nradius = 0.1\n\
        [body.plate]\ntype = 'planar'\nmass = 2\ninertia = 0.1\nposition = [0, 0.0501]\n\
        [shape.foot]\ntype = 'circle'\nbody = 'plate'\nradius = 0.05\n\
        [shape.top]\ntype = 'segment'\nbody = 'plate'\nfrom = [-0.5, 0.05]\nto = [0.5, 0.05]\n\
        [joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'plate']\naxis = [0, 1]\n\
        [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
        [contact.hard]\nbetween = ['ball', 'top']\nrestitution = 0.6\n\
        [contact.yields]\nbetween = ['foot', 'floor']\nlaw = 'hunt-crossley'\nstiffness = 1e6\nrestitution = 0.5\n\
        [analysis]\nend = 0.6\nsample = 0.01\n";
    let m = support::assembled(&support::parsed(text), &[]);
    let o = options(&m, &|_| {}, 0.6);
    // most of its steps are those of the hand-over
    let mut sim = Simulation::new(&m, &o).unwrap();
    sim.advance_to(0.6).unwrap();
    let kinds: Vec<_> = sim.events().iter().map(|e| e.kind.name()).collect();
    assert!(kinds.contains(&"hand-over") && kinds.contains(&"hand-back"), "{kinds:?}");
    check(&m, &o, 30, "plate");
}

/// What belongs to another run, or was damaged, is refused and nothing panics.
#[test]
fn what_does_not_fit_is_refused() {
    let m = load("pendulum.toml", &[]);
    let o = options(&m, &|_| {}, 0.5);
    let mut sim = Simulation::new(&m, &o).unwrap();
    sim.advance_to(0.2).unwrap();
    let bytes = sim.save();
    for n in (0..bytes.len()).step_by(7) {
        let refused = Simulation::restored(&m, &o, &bytes[..n]);
        assert!(matches!(refused, Err(RestoreError::Memory(_))), "{n} of {} bytes", bytes.len());
    }
    let other = load("four_bar.toml", &[]);
    assert!(Simulation::restored(&other, &options(&other, &|_| {}, 0.5), &bytes).is_err());
}

/// The state inside a step is the one that samples show.
#[test]
fn a_state_between_two_steps() {
    let m = load("pendulum.toml", &[]);
    let o = options(&m, &|_| {}, 0.5);
    let mut sim = Simulation::new(&m, &o).unwrap();
    sim.advance_to(0.2).unwrap();
    assert!(sim.state().t >= 0.2);
    let s = sim.state_at(0.2);
    let k = sim.results().t.iter().position(|t| *t == 0.2).unwrap();
    let x = sim.results().get("bob.x").unwrap()[k];
    assert_eq!(s.t, 0.2);
    assert_eq!(s.q[0].to_bits(), x.to_bits());
}
