//! Beams against independent solutions of statics and modes: a rotating cantilever, one bent over a cylinder; and contacts of
//! their surface.

use crate::support;

use delassus::sim::analysis::{About, At, ModalOptions, NamedMode, StaticsReport, modes, statics};
use support::{assembled, load, parsed, reference, spec};

/// Frequencies of H5 at a hub ratio and a speed, [flap, lag], four each.
fn h5(elements: &str, alpha: f64, eta: f64) -> [Vec<f64>; 2] {
    let (alpha, eta) = (alpha.to_string(), eta.to_string());
    let set = [("n", elements), ("alpha", &*alpha), ("eta", &*eta)];
    let m = load("benchmarks/H5_rotating_cantilever.toml", &set);
    let options = ModalOptions { at: At::Steady, count: Some(8), ..Default::default() };
    let r = modes(&m, options).unwrap_or_else(|e| panic!("{set:?}: {e}"));
    if eta != "0" {
        assert!(matches!(r.about, About::Steady(w) if w[2] > 0.0), "{set:?} {:?}", r.notes);
    }
    // out of the plane of rotation, by the last node
    let flaps = |m: &NamedMode| {
        let last = m.shape.last().unwrap();
        let size = |k: usize| last.real[0][k].hypot(last.imag[0][k]);
        size(2) > size(0).hypot(size(1))
    };
    let (flap, lag): (Vec<&NamedMode>, Vec<&NamedMode>) = r.modes.iter().partition(|m| flaps(m));
    if eta == "0" {
        // twice the same, in any two directions
        let each = |from: usize| r.modes.iter().skip(from).step_by(2).map(|m| m.imag).collect();
        return [each(0), each(1)];
    }
    [flap, lag].map(|list| list.iter().map(|m| m.imag).collect())
}

/// H5: the whole table to 1e-4. Ten elements are right to 1 % in the first three modes.
#[test]
fn h5_rotating_cantilever() {
    let table = reference("H5_rotating_cantilever");
    let column = |name: &str| table.column(name).unwrap();
    let mut worst = [0.0f64; 2];
    for k in (0..column("mode").len()).step_by(4) {
        let (alpha, eta) = (column("hub_ratio")[k], column("speed")[k]);
        for (which, elements) in ["32", "10"].into_iter().enumerate() {
            if which == 1 && eta % 6.0 != 0.0 {
                continue;
            }
            let found = h5(elements, alpha, eta);
            for (name, found) in ["flap", "lag"].into_iter().zip(&found) {
                assert!(found.len() >= 4, "{alpha} {eta} {name} {found:?}");
                for mode in 0..if which == 0 { 4 } else { 3 } {
                    let off = found[mode] / column(name)[k + mode] - 1.0;
                    worst[which] = if off.abs() > worst[which] { off.abs() } else { worst[which] };
                }
            }
        }
    }
    assert!(worst[0] < 1e-4 && worst[1] < 1e-2, "{worst:?}");
}

/// A steady motion is found from a start that is none: beside the stretched beam the equations of the ground change.
#[test]
fn a_stretched_beam_is_found() {
    let m = load("benchmarks/H5_rotating_cantilever.toml", &[("eta", "12"), ("alpha", "1")]);
    let start = modes(&m, ModalOptions { at: At::Start, count: Some(4), ..Default::default() });
    assert!(matches!(start.unwrap().about, About::Instant));
    let options = ModalOptions { at: At::Steady, count: Some(4), ..Default::default() };
    let r = modes(&m, options).unwrap();
    assert!(matches!(r.about, About::Steady(_)));
    // ρAΩ²L³/(3EA) + ρAΩ²RL²/(2EA)
    let stretch = 144.0 * (1.0 / 3.0 + 0.5) / 1e7;
    let end = r.state.q[r.state.q.len() - 7];
    assert!(((end - 2.0) / stretch - 1.0).abs() < 1e-2, "{} {stretch}", end - 2.0);
    // what starts askew has none
    let tumbling = "schema = 1\n[body.b]\ntype = 'rigid'\nmass = 1\ninertia = [1, 2, 3]\nrate = [1, 1, 1]\n\
                    [joint.j]\ntype = 'spherical'\nbetween = ['ground', 'b']\n[analysis]\nend = 1\n";
    let e = modes(&assembled(&parsed(tumbling), &[]), options).err().unwrap();
    assert_eq!(e.code, "E_NO_STEADY_MOTION", "{e}");
    // at rest it is the equilibrium
    let hangs = "schema = 1\ngravity = [0, -9.81]\n[body.b]\ntype = 'planar'\nmass = 1\ninertia = 1\ncom = [0.5, 0]\n\
                 [joint.j]\ntype = 'revolute'\nbetween = ['ground', 'b']\n[analysis]\nend = 1\n";
    let r = modes(&assembled(&parsed(hangs), &[]), options).unwrap();
    assert_eq!(r.about, About::Equilibrium);
}

/// The part of a name after its last `x`, as a number.
fn number_after(name: &str, x: &str) -> usize {
    name.rsplit(x).next().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{name}"))
}

fn total(r: &StaticsReport) -> f64 {
    r.contacts.iter().map(|c| c.normal).sum()
}

/// H10: tip 1e-3 of the length, total reaction 1 %, angles of the first and last contact by the turn of the axis along an element.
#[test]
fn h10_beam_on_cylinder() {
    let table = reference("H10_beam_on_cylinder");
    let column = |name: &str| table.column(name).unwrap();
    for k in 0..column("P").len() {
        let p = column("P")[k];
        let of = |name: &str| column(name)[k];
        let m = load("benchmarks/H10_beam_on_cylinder.toml", &[("P", &p.to_string())]);
        let r = statics(&m).unwrap_or_else(|e| panic!("{p}: {e}"));
        let node = |k: usize| &r.positions[k];
        let tip = node(80);
        let off = (tip.position[0] - of("x_tip")).hypot(tip.position[1] - of("y_tip"));
        assert!(off < 1e-3, "{p}: tip off by {off}");
        assert!((tip.angle.unwrap() - of("angle_tip")).abs() < 1e-3, "{p} {:?}", tip.angle);
        let lying = of("pressure") * 0.5 * (of("angle_first") - of("angle_last"));
        let wanted = of("reaction_first") + of("reaction_last") + lying;
        assert!((total(&r) / wanted - 1.0).abs() < 0.01, "{p}: {} {wanted}", total(&r));
        // in the order of the file
        let touching: Vec<usize> =
            r.contacts.iter().map(|c| number_after(&c.name, "under")).collect();
        let (first, last) = (*touching.iter().min().unwrap(), *touching.iter().max().unwrap());
        let turn = 1.0 / (80.0 * 0.5);
        for (node_at, angle) in [(first, "angle_first"), (last, "angle_last")] {
            let found = node(node_at).angle.unwrap();
            assert!((found - of(angle)).abs() < turn, "{p} {angle}: {found} {}", of(angle));
        }
        // what lies between the ends of the contact is pressed evenly
        if of("phase") == 2.0 && touching.len() > 12 {
            let middle = (first + last) / 2;
            let inner = |c: &&delassus::sim::analysis::ContactRest| {
                number_after(&c.name, "under").abs_diff(middle) <= 1
            };
            let pressed: Vec<f64> = r.contacts.iter().filter(inner).map(|c| c.normal).collect();
            let mean = pressed.iter().sum::<f64>() / pressed.len() as f64;
            assert!((80.0 * mean / of("pressure") - 1.0).abs() < 0.02, "{p} {mean}");
        }
    }
}

/// The surface of a beam in space as capsules, against a capsule, a sphere and a plane, rigid and compliant.
#[test]
fn surface_of_a_beam_against_obstacles() {
    let text = |obstacle: &str, depth: f64, law: &str| {
        format!(
            "schema = 1\n[ground.markers]\nc = [0.35, 0, {}]\n\
             [body.b]\ntype = 'beam'\nlength = 1\nelements = 20\nEA = 1e5\nEI = [1, 1]\nGJ = 1\nmass_per_length = 1\n\
             [joint.c]\ntype = 'fixed'\nbetween = ['ground', 'b.start']\n\
             [shape.obstacle]\nbody = 'ground.c'\n{obstacle}\n\
             [shape.\"skin{{i}}\"]\ntype = 'capsule'\nbody = 'b[{{i}}]'\nradius = 0.01\nfrom = ['-1/40', 0, 0]\n\
             to = ['if(i < 20, 1/40, 0)', 0, 0]\nrepeat = 'i = 1..20'\n\
             [contact.c]\nbetween = ['skin*', 'obstacle']\nrestitution = 0.5\n{law}\n\
             [force.l]\ntype = 'force'\nat = 'b.end'\nforce = [0, 0, -6]\n[analysis]\nend = 1\n",
            -0.01 - depth
        )
    };
    let solve = |obstacle: &str, depth: f64, law: &str| {
        let m = assembled(&parsed(&text(obstacle, depth, law)), &[]);
        let r = statics(&m).unwrap_or_else(|e| panic!("{obstacle} {law}: {e}"));
        (r.positions[20].position[2], total(&r), r.contacts.len())
    };
    let compliant = "law = 'kelvin-voigt'\nstiffness = 1e6";
    let round = "type = 'capsule'\nradius = 0.5\nfrom = [0, -1, 0]\nto = [0, 1, 0]";
    let mut ends = Vec::new();
    for (obstacle, depth) in
        [(round, 0.5), ("type = 'sphere'\nradius = 0.5", 0.5), ("type = 'half-space'", 0.1)]
    {
        let (z, force, count) = solve(obstacle, depth, "friction = 0");
        let (soft, soft_force, _) = solve(obstacle, depth, compliant);
        assert!(count > 0 && force > 5.0, "{obstacle}: {force}");
        // pressed in by N/K
        assert!((z - soft).abs() < 1e-4, "{obstacle}: {z} {soft}");
        assert!((force / soft_force - 1.0).abs() < 1e-2, "{obstacle}: {force} {soft_force}");
        ends.push(z);
    }
    // the beam meets a cylinder and a sphere of one radius alike, and rests on the plane with its end
    assert!((ends[0] - ends[1]).abs() < 1e-9, "{ends:?}");
    assert!(ends[2] > -0.1 - 1e-9 && ends[0] < -0.2, "{ends:?}");
}

/// H8: the stabilised generalised-α steps over the vibration of sections and of the axis that holds explicit methods up.
#[test]
fn h8_steps_of_methods() {
    let m = support::assembled(&spec("benchmarks/H8_eccentric_beam.toml"), &[]);
    let mean = |method: &str, end: f64| {
        let out = support::run(&m, |o| {
            o.method = method.to_owned();
            o.step = None;
            o.rtol = Some(1e-4);
            o.t_end = end;
            o.sample = end;
        });
        end / out.summary.steps as f64
    };
    let implicit = mean("gen-alpha-ggl", 1.0);
    for method in ["hem5", "mdop5"] {
        let explicit = mean(method, 0.02);
        assert!(implicit > 10.0 * explicit, "{method} {explicit} {implicit}");
    }
}

/// A beam of many elements is as easy to bring to rest as one of few: μ of the search must not outweigh its bending.
#[test]
fn many_elements_come_to_rest() {
    let rest = |n: usize| {
        let text = format!(
            "schema = 1\ngravity = [0, 0, -9.81]\n[body.b]\ntype = 'beam'\nlength = 1\nelements = {n}\nEA = 1e5\n\
             EI = [1, 1]\nGJ = 1\nmass_per_length = 0.1\n[joint.c]\ntype = 'fixed'\nbetween = ['ground', 'b.start']\n\
             [force.l]\ntype = 'force'\nat = 'b.end'\nforce = [0, 0.5, -1]\n[analysis]\nend = 1\n"
        );
        let r = statics(&assembled(&parsed(&text), &[])).unwrap_or_else(|e| panic!("{n}: {e}"));
        println!("{n}: {} steps, {:?}", r.iterations, r.positions[n].position);
        (r.positions[n].position, r.iterations)
    };
    let (few, _) = rest(60);
    let (many, steps) = rest(480);
    for k in 0..3 {
        assert!((few[k] - many[k]).abs() < 2e-4, "{few:?} {many:?}");
    }
    assert!(steps < 150, "{steps}");
}

/// Whoever asks for a number of modes of a turning beam gets them, with full and with sparse matrices.
#[test]
fn as_many_modes_as_were_asked_for() {
    for (n, eta, count) in [("20", "12", 12), ("66", "1", 8)] {
        let set = [("n", n), ("eta", eta)];
        let m = load("benchmarks/H5_rotating_cantilever.toml", &set);
        let find = |sparse| {
            let options =
                ModalOptions { at: At::Steady, count: Some(count), sparse, ..Default::default() };
            modes(&m, options).unwrap()
        };
        let r = find(None);
        assert_eq!(r.modes.len(), count, "{set:?} {:?}", r.notes);
        if n == "20" {
            for (a, b) in r.modes.iter().zip(&find(Some(true)).modes) {
                assert!((a.imag / b.imag - 1.0).abs() < 1e-8, "{} {}", a.imag, b.imag);
            }
        }
    }
}

/// A beam that bends alike in two planes has each frequency twice, however fine it is.
#[test]
fn fine_beams_have_the_same_frequencies_in_both_planes() {
    for n in ["20", "60", "70"] {
        let m = load("benchmarks/H5_rotating_cantilever.toml", &[("n", n), ("eta", "0")]);
        for undamped in [true, false] {
            let options = ModalOptions { count: Some(8), undamped, ..Default::default() };
            let r = modes(&m, options).unwrap();
            assert_eq!(r.modes.len(), 8);
            for two in r.modes.chunks(2) {
                assert!((two[1].imag / two[0].imag - 1.0).abs() < 1e-8, "{n} {}", two[0].imag);
            }
            assert!((r.modes[0].imag / 3.516_012 - 1.0).abs() < 1e-5, "{n} {}", r.modes[0].imag);
        }
    }
}
