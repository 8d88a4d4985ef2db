//! Bodies that deform by few modes: benchmarks C3 and H9, beams on two supports against closed forms, the rigid limit,
//! invariance, energy, contact, and that every method works on them.

use crate::support;

use delassus::sim::analysis::{ModalOptions, modes, statics};
use delassus::sim::{RunOptions, RunOutcome};
use std::f64::consts::PI;
use std::fmt::Write;
use support::{assembled, errors, load, parsed, run};

fn last(out: &RunOutcome, name: &str) -> f64 {
    let values = out.results.get(name).unwrap_or_else(|| panic!("no sensor {name}"));
    values.last().copied().unwrap()
}

/// C3: six digits of the largest value of each amplitude, and the published end.
#[test]
fn c3_flexible_slider_crank() {
    let out = run(&load("benchmarks/C3_flexible_slider_crank.toml", &[]), |_| {});
    for (name, size) in [("q1", 1.65e-3), ("q2", 4.77e-5), ("q3", 1.03e-5), ("q4", 1.69e-5)] {
        let (worst, _) = errors("C3_flexible_slider_crank", &out, Some(&[name]));
        assert!(worst < 2e-6 * size, "{name} {worst}");
    }
    let (worst, _) = errors("C3_flexible_slider_crank", &out, Some(&["phi1", "phi2", "x3"]));
    assert!(worst < 1e-10, "{worst}");
    for (name, published) in [
        ("phi2", -0.331_173_498_825_626),
        ("x3", 0.169_737_332_842_786),
        ("q1", 1.893_192_899_613_509e-4),
        ("q2", 2.375_751_249_879_174e-5),
        ("q3", -5.323_896_770_569_702e-6),
        ("q4", -8.363_313_279_112_129e-6),
    ] {
        let found = last(&out, name);
        // its start is given to nine digits
        assert!((found / published - 1.0).abs() < 3e-6, "{name} {found}");
    }
}

/// H9: the crank is free, and energy stays.
#[test]
fn h9_free_flexible_slider_crank() {
    let out = run(&load("benchmarks/H9_flexible_slider_crank_free.toml", &[]), |_| {});
    for (name, size) in [("q1", 2.02e-3), ("q2", 4.14e-5), ("q3", 2.1e-5), ("q4", 3.17e-5)] {
        let (worst, _) = errors("H9_flexible_slider_crank_free", &out, Some(&[name]));
        assert!(worst < 2e-6 * size, "{name} {worst}");
    }
    let (worst, _) = errors("H9_flexible_slider_crank_free", &out, Some(&["phi1", "phi2", "x3"]));
    assert!(worst < 1e-9, "{worst}");
}

/// Methods of all families on the stiff mechanism, at their own tolerances: a thousandth of the largest deflection.
#[test]
fn every_family_of_methods_follows_c3() {
    let m = load("benchmarks/C3_flexible_slider_crank.toml", &[]);
    for (method, rtol) in
        [("dop853", 1e-8), ("hem5", 1e-6), ("radau5", 1e-7), ("gen-alpha", 1e-6), ("bdf", 1e-8)]
    {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(rtol);
            o.t_end = 0.02;
        });
        let table = support::reference("C3_flexible_slider_crank");
        let k = table.column("t").unwrap().iter().position(|t| (t - 0.02).abs() < 1e-9).unwrap();
        let off = last(&out, "q1") - table.column("q1").unwrap()[k];
        assert!(off.abs() < 1.65e-6, "{method} {off}");
    }
}

/// A beam of 2 kg and 3 m on pins at both ends, with n modes sin kπx/l.
fn supported(n: usize) -> String {
    let (m, l, ei) = (2.0, 3.0, 50.0);
    let mut lists = [const { String::new() }; 5];
    for k in 1..=n {
        let x = k as f64 * PI;
        let (odd, sign) = (f64::from(u8::from(k % 2 == 1)), if k % 2 == 1 { 1.0 } else { -1.0 });
        let [mass, stiffness, moment, momentum, middle] = &mut lists;
        write!(mass, "{}, ", m / 2.0).unwrap();
        write!(stiffness, "{}, ", ei * (x / l).powi(4) * l / 2.0).unwrap();
        write!(moment, "[0, {}], ", 2.0 * m / x * odd).unwrap();
        write!(momentum, "{}, ", m * l / x * sign).unwrap();
        write!(middle, "[0, {}], ", (x / 2.0).sin()).unwrap();
    }
    let [mass, stiffness, moment, momentum, middle] = lists;
    format!(
        "schema = 1\ngravity = [0, -9.81]\n\
         [body.b]\ntype = 'planar-modal'\nmass = {m}\ncom = [1.5, 0]\ninertia = '{m}*3^2/12'\n\
         [body.b.modes]\nmass = [{mass}]\nstiffness = [{stiffness}]\nmoment = [{moment}]\n\
         momentum = [{momentum}]\n\
         [body.b.nodes]\nleft.at = [0, 0]\nmiddle = {{ at = [1.5, 0], displacement = [{middle}] }}\n\
         right.at = [3, 0]\n\
         [joint.pin]\ntype = 'revolute'\nbetween = ['ground', 'b.left']\n\
         [ground.markers]\nright = [3, 0]\n\
         [joint.roller]\ntype = 'point-on-line'\nbetween = ['ground.right', 'b.right']\naxis = [1, 0]\n\
         [sensor.q]\ntype = 'amplitude'\nof = 'b'\n[sensor.y]\ntype = 'position'\nof = 'b.middle'\n\
         [analysis]\nend = 1\nsample = 0.1\n"
    )
}

/// Under its weight the middle sinks by 5 m g l³/(384 EI); what modes are missing falls with the fifth power.
#[test]
fn sag_and_frequencies_of_a_supported_beam() {
    let exact = -5.0 * 2.0 * 9.81 * 27.0 / (384.0 * 50.0);
    let miss = |n: usize| {
        let r = statics(&assembled(&parsed(&supported(n)), &[])).unwrap();
        let middle = r.positions.iter().find(|p| p.name == "b.middle").unwrap();
        (middle.position[1] / exact - 1.0).abs()
    };
    let found = [1, 3, 7, 15].map(miss);
    for (two, ratio) in found.windows(2).zip([5.0_f64 / 3.0, 9.0 / 5.0, 17.0 / 9.0]) {
        // ratio: of the first modes that are missing
        assert!(two[1] < two[0] / (0.95 * ratio.powi(5)), "{found:?}");
    }
    assert!(found[0] < 5e-3 && found[3] < 1e-6, "{found:?}");
    let r = modes(&assembled(&parsed(&supported(4)), &[]), ModalOptions::default()).unwrap();
    for (k, mode) in r.modes.iter().enumerate() {
        let omega = ((k + 1) as f64 * PI / 3.0).powi(2) * (50.0f64 / (2.0 / 3.0)).sqrt();
        assert!((mode.imag / omega - 1.0).abs() < 1e-9, "{} {omega}", mode.imag);
        assert!(mode.shape.iter().any(|s| s.name == "b.middle"));
    }
    assert_eq!(r.modes.len(), 4);
}

/// A body in space with three modes and all integrals, on a ball joint at a node.
const MODES: &str = "\
    stiffness = [[SCALE, 'SCALE/8', 0], ['SCALE/8', 'SCALE*1.5', 0], [0, 0, 'SCALE*2']]\n\
    mass = [[0.5, 0.06, 0], [0.06, 0.4, 0.02], [0, 0.02, 0.6]]\n\
    moment = [[0.11, 0.2, -0.05], [-0.14, 0.07, 0.09], [0.05, 0.1, 0.2]]\n\
    inertia = [[0.06, -0.05, 0.04, 0.02, 0.03, -0.01], [-0.04, 0.03, 0.02, 0.01, -0.02, 0.03], [0, 0, 0.1, 0, 0, 0]]\n\
    momentum = [[0.09, 0.05, -0.04], [-0.08, 0.03, 0.06], [0.02, 0, 0.07]]\n\
    momentum_pairs = [[[0, 0, 0], [0.07, -0.02, 0.01], [0, 0, 0]], [[-0.07, 0.02, -0.01], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [0.05, 0, 0]]]\n";
const NODES: &str = "\
    [body.b.nodes.pin]\nat = [-0.4, 0, 0.1]\ndisplacement = [[0.1, 0, 0], [0, 0.2, 0], [0, 0, -0.1]]\n\
    rotation = [[0, 0.2, 0], [0, 0, 0.3], [0.1, 0, 0]]\n\
    [body.b.nodes.tip]\nat = [0.5, 0.1, 0]\ndisplacement = [[0, 0.5, 0], [0, 0, 0.7], [0.3, 0, 0]]\n\
    rotation = [[0, 0, 0.4], [0.2, -0.5, 0], [0, 0.3, 0]]\n";

/// Turned and moved as a whole by `place`, gravity included.
fn spinning(
    scale: f64,
    more: &str,
    modes: bool,
    [joint, place]: [&str; 2],
    gravity: &str,
) -> String {
    let (kind, modes, nodes) = match modes {
        true => {
            let modes = MODES.replace("SCALE", &format!("{scale}"));
            ("modal", format!("[body.b.modes]\n{modes}{more}"), NODES.to_owned())
        }
        false => (
            "rigid",
            String::new(),
            "markers = { pin = [-0.4, 0, 0.1], tip = [0.5, 0.1, 0] }\n".to_owned(),
        ),
    };
    let (own, tables) =
        if kind == "rigid" { (nodes, String::new()) } else { (String::new(), nodes) };
    format!(
        "schema = 1\ngravity = {gravity}\n[ground.markers]\nm = {{ {joint} }}\n\
         [body.b]\ntype = '{kind}'\nmass = 1.5\ninertia = [0.3, 0.5, 0.6, 0.02, 0.03, 0.01]\n\
         com = [0.05, 0.1, 0]\nrate = [1, 3, 2]\n{}\n{own}{modes}{tables}\
         [joint.j]\ntype = 'spherical'\nbetween = ['ground.m', 'b.pin']\n\
         [sensor.tip]\ntype = 'position'\nof = 'b.tip'\nframe = 'ground.m'\n\
         [sensor.balance]\ntype = 'energy'\ncomponent = 'balance'\n\
         [sensor.kinetic]\ntype = 'energy'\ncomponent = 'kinetic'\n\
         [analysis]\nend = 0.5\nsample = 0.05\n[method]\nname = 'dop853'\nrtol = 1e-11\n",
        place.replace(", orientation", "\norientation")
    )
}

/// Where the ball joint is, and the body frame.
const HERE: [&str; 2] = ["position = [0, 0, 0]", "position = [0.4, 0, -0.1]"];
const DOWN: &str = "[0, -9.81, 0]";

/// Without modes a modal body is a rigid one; with very stiff ones almost.
#[test]
fn the_rigid_limit() {
    let tip = |text: &str| {
        let out = run(&assembled(&parsed(text), &[]), |_| {});
        ["tip.x", "tip.y", "tip.z"].map(|c| last(&out, c))
    };
    let rigid = tip(&spinning(0.0, "", false, HERE, DOWN));
    let none = "[body.b.modes]\nmass = []\nstiffness = []\n\
                [body.b.nodes]\npin.at = [-0.4, 0, 0.1]\ntip.at = [0.5, 0.1, 0]\n[joint.j]";
    let text = spinning(0.0, "", false, HERE, DOWN)
        .replace("'rigid'", "'modal'")
        .replace("markers = { pin = [-0.4, 0, 0.1], tip = [0.5, 0.1, 0] }\n", "")
        .replace("[joint.j]", none);
    let off = |x: [f64; 3]| (0..3).map(|k| (x[k] - rigid[k]).powi(2)).sum::<f64>().sqrt();
    assert!(off(tip(&text)) < 1e-10, "{}", off(tip(&text)));
    let stiff = |scale: f64| {
        let text = spinning(scale, "damping = [1e4, 1e4, 1e4]\n", true, HERE, DOWN);
        off(tip(&text.replace("dop853", "radau5").replace("1e-11", "1e-9")))
    };
    let (soft, hard) = (stiff(1e6), stiff(1e9));
    assert!(soft < 1e-3 && hard < 1e-6 && hard < 0.01 * soft, "{soft} {hard}");
}

/// Everything elsewhere and turned, gravity too.
#[test]
fn a_rigid_motion_of_everything_changes_nothing() {
    let here = run(&assembled(&parsed(&spinning(300.0, "", true, HERE, DOWN)), &[]), |_| {});
    // turned about z by a quarter
    let turn = "orientation = { axis = [0, 0, 1], angle = '90 deg' }";
    let [joint, place] =
        ["[3, -2, 5]", "[3, -1.6, 4.9]"].map(|p| format!("position = {p}, {turn}"));
    let text = spinning(300.0, "", true, [&joint, &place], "[9.81, 0, 0]");
    let there = run(&assembled(&parsed(&text), &[]), |_| {});
    for name in ["tip.x", "tip.y", "tip.z"] {
        let (a, b) = (here.results.get(name).unwrap(), there.results.get(name).unwrap());
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() < 1e-9, "{name} {x} {y}");
        }
    }
}

/// Ten seconds of a flexible pendulum, with and without damping.
#[test]
fn energy_of_a_flexible_pendulum() {
    for damping in ["", "damping = [0.2, 0.1, 0.3]\n"] {
        let text = spinning(300.0, damping, true, HERE, DOWN);
        let out = run(&assembled(&parsed(&text.replace("end = 0.5", "end = 10")), &[]), |_| {});
        let most = |name: &str| {
            let all = out.results.get(name).unwrap().iter();
            all.fold(0.0f64, |m, x| if m >= x.abs() { m } else { x.abs() })
        };
        let (off, size) = (most("balance"), most("kinetic"));
        assert!(off < 1e-6 * size, "{damping} {off} of {size}");
    }
}

/// H3 by modes of the clamped beam: 1 % of the largest deflection with the shortening of bending. Without it the theory
/// is linear, the rotation softens the beam instead of stiffening it, and deflections grow without bound.
#[test]
fn h3_by_modes_with_and_without_stiffening() {
    let text =
        std::fs::read_to_string(support::model_path("benchmarks/H3_spinup_beam.toml")).unwrap();
    let by = |modes: &str| {
        let own = format!("type = \"planar-modal\"\nmodes = {{ held = [\"start\"], {modes} }}");
        assembled(&parsed(&text.replace("type = \"planar-beam\"", &own)), &[])
    };
    let radau = |o: &mut RunOptions| o.method = "radau5".to_owned();
    for count in ["count = 3", "count = 8"] {
        let (worst, _) = errors("H3_spinup_beam", &run(&by(count), radau), None);
        assert!(worst < 0.0057, "{count} {worst}");
    }
    let linear = run(&by("count = 3, shortening = false"), |o| {
        radau(o);
        o.t_end = 10.0;
    });
    let lowest =
        linear.results.get("u_transverse").unwrap().iter().fold(0.0, |x: f64, y| x.min(*y));
    assert!(lowest < -10.0, "{lowest}");
}

/// A free beam that is pushed at one end, by modes that are held at the other end and by free ones: its inertia is right
/// at any deflection. To the second order of the amplitudes it has directions without mass, `E_SINGULAR`.
#[test]
fn a_free_beam_by_modes_of_a_held_one() {
    let end_of = |kind: &str| {
        let text = format!(
            "schema = 1\n[body.b]\n{kind}\nlength = 1\nelements = 16\nEA = 1e4\nEI = 1\nmass_per_length = 0.5\n\
             damping = 1e-3\n[force.push]\ntype = 'force'\nat = 'b.end'\n\
             force = [0, 'if(t < 0.2, sin(pi*t/0.2)^2, 0)']\n[sensor.end]\ntype = 'position'\nof = 'b.end'\n\
             [analysis]\nend = 1\nsample = 0.1\n[method]\nname = 'radau5'\n"
        );
        let out = run(&assembled(&parsed(&text), &[]), |_| {});
        [last(&out, "end.x"), last(&out, "end.y")]
    };
    let exact = end_of("type = 'planar-beam'");
    for (modes, within) in [("count = 8, held = ['start']", 1e-3), ("count = 8", 3e-4)] {
        let found = end_of(&format!("type = 'planar-modal'\nmodes = {{ {modes} }}"));
        let off = (found[0] - exact[0]).hypot(found[1] - exact[1]);
        assert!(off < within, "{modes} {off}");
    }
}

/// A force in the middle that reads the amplitude and its rate is a spring and a damper on the first mode, in statics, modes
/// and runs of explicit and implicit methods.
#[test]
fn a_force_that_reads_amplitudes() {
    let (m, k, spring, damper) = (1.0, 50.0 * (PI / 3.0_f64).powi(4) * 1.5, 30.0, 0.4);
    let text = supported(1)
        + "[sensor.u]\ntype = 'amplitude-rate'\nof = 'b'\nmode = 1\n\
           [force.control]\ntype = 'force'\nat = 'b.middle'\nforce = [0, '-30*q.1 - 0.4*u']\n";
    let rest = -4.0 / PI * 9.81 / (k + spring);
    let r = statics(&assembled(&parsed(&text), &[])).unwrap();
    let middle = r.positions.iter().find(|p| p.name == "b.middle").unwrap();
    assert!((middle.position[1] / rest - 1.0).abs() < 1e-10, "{:?} {rest}", middle.position);
    let decay = damper / (2.0 * m);
    let omega = ((k + spring) / m - decay * decay).sqrt();
    let r = modes(&assembled(&parsed(&text), &[]), ModalOptions::default()).unwrap();
    let (real, imag) = (r.modes[0].real, r.modes[0].imag);
    assert!((real + decay).abs() < 1e-9 && (imag / omega - 1.0).abs() < 1e-10, "{real} {imag}");
    // from the straight beam
    let t = 1.0_f64;
    let swing = (omega * t).cos() + decay / omega * (omega * t).sin();
    let exact = rest * (1.0 - (-decay * t).exp() * swing);
    for (method, rtol, within) in
        [("mdop5", 1e-9, 1e-8), ("radau5", 1e-9, 1e-8), ("gen-alpha-ggl", 1e-7, 1e-4)]
    {
        let out = run(&assembled(&parsed(&text), &[]), |o| {
            o.method = method.to_owned();
            o.rtol = Some(rtol);
        });
        let off = (last(&out, "q.1") - exact).abs() / rest.abs();
        assert!(off < within, "{method} {off}");
    }
}

/// The supported beam, free, falls on the ground with its middle: both schemes stop it there.
#[test]
fn contact_at_a_node() {
    for scheme in ["time-stepping", "hybrid"] {
        let beam = supported(3);
        let (bodies, rest) = beam.split_once("[joint.pin]").unwrap();
        let sensors = rest.split_once("[sensor.q]").unwrap().1;
        let text = format!(
            "{}[shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
             [shape.p]\ntype = 'point'\nbody = 'b.middle'\n[contact.c]\nbetween = ['floor', 'p']\n\
             restitution = 0.5\n[sensor.q]{sensors}[method]\nscheme = '{scheme}'\n",
            bodies.replace("mass = 2\n", "mass = 2\nposition = [0, 0.5]\n"),
        );
        let out = run(&assembled(&parsed(&text), &[]), |_| {});
        let lowest = out.results.get("y.y").unwrap().iter().fold(1.0f64, |m, y| m.min(*y));
        assert!(lowest > -1e-2 && lowest < 0.2, "{scheme} {lowest}");
        let bent = out.results.get("q.1").unwrap().iter().fold(0.0f64, |m, q| m.max(q.abs()));
        assert!(bent > 1e-3, "{scheme} {bent}");
    }
}

/// Four masses m and six springs k along the edges of a regular tetrahedron, as matrices in files: ω² is k/m twice, 2k/m
/// three times and 4k/m, and its rigid motions have none.
#[test]
fn matrices_of_a_finite_element_program() {
    let mut spec = support::spec("spring_tetrahedron.toml");
    // free, so that the modes of the mechanism are those of the body
    spec.joint.0.clear();
    spec.gravity.clear();
    let m = assembled(&spec, &[]);
    let found = modes(&m, ModalOptions { undamped: true, ..Default::default() }).unwrap();
    let omega: Vec<f64> = found.modes.iter().map(|m| m.imag).filter(|w| *w > 1e-3).collect();
    let expected = [1.0, 1.0, 2.0, 2.0, 2.0, 4.0].map(|x: f64| 1e3 * x.sqrt());
    assert_eq!(omega.len(), 6, "{omega:?}");
    for (a, b) in omega.iter().zip(expected) {
        assert!((a - b).abs() < 1e-9 * b, "{omega:?}");
    }
    let body = &m.system.model().bodies[0];
    assert!((body.mass - 4.0).abs() < 1e-14 && body.com.norm() < 1e-16);
    // all masses are as far from the centre, so that every axis is principal: 4 m r² · 2/3
    let inertia = 8.0 / 3.0 * 3.0 * 0.035355339059327376_f64.powi(2);
    assert!((body.inertia[(1, 1)] - inertia).abs() < 1e-15, "{}", body.inertia);

    // hung at a corner it keeps its energy, and swings as its rigid twin but for what it stretches
    let hung = load("spring_tetrahedron.toml", &[]);
    let out = run(&hung, |_| {});
    assert!(out.summary.energy_error < 1e-5 * out.summary.energy.moved, "{:?}", out.summary.energy);
}
