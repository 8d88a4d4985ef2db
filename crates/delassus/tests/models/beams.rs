//! What beams must keep: order, rigid limit, invariance, energy, and that every method and element works on them.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::model::{System, assemble, compile_with};
use delassus::sim::{RunOptions, RunOutcome};
use support::{assembled, difference, motions, parsed, run, try_run};

fn last(out: &RunOutcome, name: &str) -> f64 {
    let values = out.results.get(name).unwrap_or_else(|| panic!("no sensor {name}"));
    values.last().copied().unwrap()
}

const SECTION: &str = "[section.s]\ntype = 'rectangle'\nheight = 0.02\nwidth = 0.03\n\
                       [material.m]\nyoung = 2e9\npoisson = 0.3\ndensity = 1500\n";

/// A curved beam in space on a ball joint, thrown.
fn whip(elements: usize, more: &str) -> String {
    format!(
        "schema = 1\ngravity = [0, 0, -9.81]\n{SECTION}\
         [body.w]\ntype = 'beam'\nlength = 1.5\ncurvature = [0.3, 0.2, 1]\nelements = {elements}\n\
         section = 's'\nmaterial = 'm'\nrate = [1, 3, 2]\n\
         [joint.j]\ntype = 'spherical'\nbetween = ['ground', 'w.start']\n\
         [sensor.tip]\ntype = 'position'\nof = 'w.end'\n\
         [analysis]\nend = 0.2\nsample = 0.02\n{more}"
    )
}

/// The error falls at least with the square of the length of an element.
#[test]
fn order_in_the_number_of_elements() {
    let tip = |n: usize| {
        let m = assembled(&parsed(&whip(n, "[method]\nname = 'radau5'\nrtol = 1e-8")), &[]);
        let out = run(&m, |_| {});
        ["tip.x", "tip.y", "tip.z"].map(|c| last(&out, c))
    };
    let exact = tip(48);
    let errors = [3, 6, 12].map(|n| {
        let found = tip(n);
        (0..3).map(|k| (found[k] - exact[k]).powi(2)).sum::<f64>().sqrt()
    });
    for two in errors.windows(2) {
        let order = (two[0] / two[1]).log2();
        assert!(order > 1.9, "{errors:?}");
    }
    assert!(errors[2] < 1e-3, "{errors:?}");
}

/// A stiff beam moves like a rod with the same mass and moment of inertia, by as much as it still bends.
#[test]
fn the_rigid_limit() {
    let sensors = "[sensor.x]\ntype = 'position'\nof = 'b.end'\n\
                   [analysis]\nend = 1\nsample = 0.1\n[method]\nname = 'radau5'\nrtol = 1e-11\n";
    let head = "schema = 1\ngravity = [0, -9.81]\n\
                [joint.j]\ntype = 'revolute'\nbetween = ['ground', 'b.start']\n";
    // with the moment of inertia of the sections, ρA EI/EA
    let rod = format!(
        "{head}[body.b]\ntype = 'planar'\nmass = 2\ninertia = '2/12 + 2*1e-4'\ncom = [0.5, 0]\n\
         markers = {{ start = [0, 0], end = [1, 0] }}\n{sensors}"
    );
    let rigid = run(&assembled(&parsed(&rod), &[]), |_| {});
    let bent = |stiffness: f64| {
        let beam = format!(
            "{head}[body.b]\ntype = 'planar-beam'\nlength = 1\nelements = 4\nEA = {stiffness}\n\
             EI = '1e-4*{stiffness}'\nmass_per_length = 2\ndamping = 1e-4\n{sensors}"
        );
        let out = run(&assembled(&parsed(&beam), &[]), |_| {});
        let (x, y) = (last(&out, "x.x"), last(&out, "x.y"));
        (x - last(&rigid, "x.x")).hypot(y - last(&rigid, "x.y"))
    };
    let [soft, stiff] = [1e8, 1e10].map(bent);
    assert!(soft < 1e-3 && stiff < 2e-6, "{soft} {stiff}");
    assert!(stiff < 0.02 * soft, "{soft} {stiff}");
    let hardest = bent(1e14);
    assert!(hardest < 1e-9, "{hardest}");
}

/// The same beam elsewhere, turned: all that it does is turned along.
#[test]
fn a_rigid_motion_of_everything_changes_nothing() {
    let free = |place: &str| {
        let text = format!(
            "schema = 1\n{SECTION}[ground.markers]\nm = {{ {place} }}\n\
             [body.w]\ntype = 'beam'\nlength = 1.5\ncurvature = [0.3, 0.2, 1]\nelements = 6\n\
             section = 's'\nmaterial = 'm'\n{}\nrate = [1, 3, 2]\n\
             [joint.j]\ntype = 'spherical'\nbetween = ['ground.m', 'w.start']\n\
             [sensor.tip]\ntype = 'position'\nof = 'w.end'\nframe = 'ground.m'\n\
             [sensor.mid]\ntype = 'section'\nof = 'w'\nat = 0.8\n\
             [analysis]\nend = 0.1\nsample = 0.01\n[method]\nname = 'gen-alpha'\nstep = 1e-3\n",
            place.replace(", orientation", "\norientation")
        );
        run(&assembled(&parsed(&text), &[]), |_| {})
    };
    let here = free("position = [0, 0, 0]");
    let there = free("position = [3, -2, 5], orientation = { axis = [1, 2, -2], angle = 2 }");
    for name in ["tip.x", "tip.y", "tip.z"] {
        let (a, b) = (here.results.get(name).unwrap(), there.results.get(name).unwrap());
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() < 1e-10, "{name} {x} {y}");
        }
    }
    for name in ["mid.fx", "mid.fy", "mid.fz", "mid.tx", "mid.ty", "mid.tz"] {
        let (a, b) = (last(&here, name), last(&there, name));
        assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{name} {a} {b}");
    }
}

/// Ten seconds of a soft pendulum keep their energy.
#[test]
fn energy_of_a_flexible_pendulum() {
    let text = "schema = 1\ngravity = [0, -9.81]\n\
                [body.b]\ntype = 'planar-beam'\nlength = 1\nelements = 8\nEA = 2e3\nEI = 1\n\
                mass_per_length = 1\ninertia_per_length = 1e-2\n\
                [joint.j]\ntype = 'revolute'\nbetween = ['ground', 'b.start']\n\
                [sensor.k]\ntype = 'energy'\ncomponent = 'kinetic'\n\
                [sensor.b]\ntype = 'energy'\ncomponent = 'balance'\n\
                [analysis]\nend = 10\nsample = 0.05\n[method]\nname = 'mdop5'\nrtol = 1e-9\n";
    let out = run(&assembled(&parsed(text), &[]), |_| {});
    let most = |name: &str| {
        out.results
            .get(name)
            .unwrap()
            .iter()
            .fold(0.0f64, |m, x| if m >= x.abs() { m } else { x.abs() })
    };
    assert!(most("b") < 1e-6 * most("k"), "{} of {}", most("b"), most("k"));
}

/// A beam in the plane and its twin in space.
#[test]
fn planar_and_spatial_beams_agree() {
    let text = |kind: &str, gravity: &str, curvature: &str| {
        format!(
            "schema = 1\ngravity = {gravity}\n{SECTION}\
             [body.b]\ntype = '{kind}'\nlength = 1\nelements = 5\ncurvature = {curvature}\n\
             section = 's'\nmaterial = 'm'\ndamping = 1e-3\n\
             [joint.j]\ntype = 'revolute'\nbetween = ['ground', 'b.start']\n\
             [sensor.tip]\ntype = 'position'\nof = 'b.end'\n\
             [sensor.mid]\ntype = 'section'\nof = 'b'\nat = 0.5\n\
             [analysis]\nend = 0.3\nsample = 0.05\n[method]\nname = 'gen-alpha'\nstep = 1e-3\n"
        )
    };
    let plane = text("planar-beam", "[1, -9.81]", "0.7");
    let space = text("beam", "[1, -9.81, 0]", "[0, 0, 0.7]");
    let [plane, space] = [plane, space].map(|t| run(&assembled(&parsed(&t), &[]), |_| {}));
    for name in ["tip.x", "tip.y", "mid.fx", "mid.fy", "mid.tz"] {
        let (a, b) = (plane.results.get(name).unwrap(), space.results.get(name).unwrap());
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() < 1e-6 * (1.0 + x.abs()), "{name} {x} {y}");
        }
    }
}

/// Every method that can, on a beam that is not too stiff for explicit ones.
#[test]
fn all_methods_agree_on_a_beam() {
    let tip = |method: &str| {
        let out = run(&assembled(&parsed(&whip(4, "")), &[]), |o| {
            o.method = method.to_owned();
            o.rtol = Some(1e-7);
        });
        ["tip.x", "tip.y", "tip.z"].map(|c| last(&out, c))
    };
    let exact = tip("mdop5");
    for method in ["radau5", "bdf", "gen-alpha", "gen-alpha-index2", "gen-alpha-ggl", "hem5"] {
        let found = tip(method);
        for k in 0..3 {
            assert!((found[k] - exact[k]).abs() < 1e-3, "{method} {found:?} {exact:?}");
        }
    }
}

/// A single element holds a body as PL³/3EI + PL/GA says, and its section knows the load.
#[test]
fn one_element_is_a_cantilever() {
    let text = "schema = 1\n\
        [body.tip]\ntype = 'planar'\nmass = 1\ninertia = 0.01\nposition = [0.5, 0]\n\
        [force.beam]\ntype = 'beam'\nbetween = ['ground', 'tip']\nlength = 0.5\nEA = 1e6\nGA = 1e4\n\
        EI = 200\ndamping = 0.1\n\
        [force.load]\ntype = 'force'\nat = 'tip'\nforce = [0, 'step(t, 0, 0, 1, 0.01)']\n\
        [sensor.tip]\ntype = 'position'\nof = 'tip'\ncomponent = 'y'\n\
        [sensor.slope]\ntype = 'angle'\nof = 'tip'\n\
        [analysis]\nend = 5\n[method]\nname = 'radau5'\nrtol = 1e-9\n";
    let out = run(&assembled(&parsed(text), &[]), |_| {});
    let (p, l, ei, ga) = (0.01, 0.5f64, 200.0, 1e4);
    let tip = p * l.powi(3) / (3.0 * ei) + p * l / ga;
    assert!((last(&out, "tip") / tip - 1.0).abs() < 1e-6, "{} {tip}", last(&out, "tip"));
    let slope = p * l * l / (2.0 * ei);
    assert!((last(&out, "slope") / slope - 1.0).abs() < 1e-6, "{}", last(&out, "slope"));
}

/// Sections of a cantilever at rest: force, moment and curvature from statics, with a node put at a marker.
#[test]
fn sections_know_force_moment_and_strain() {
    let text = format!(
        "schema = 1\n{SECTION}\
         [body.b]\ntype = 'beam'\nlength = 1\nelements = 4\nsection = 's'\nmaterial = 'm'\n\
         damping = 0.05\nmarkers = {{ third = {{ at = '1/3' }} }}\n\
         [joint.j]\ntype = 'fixed'\nbetween = ['ground', 'b.start']\n\
         [force.a]\ntype = 'force'\nat = 'b.end'\nforce = ['0.5*step(t,0,0,1,1)', 'step(t,0,0,1,1)', 0]\n\
         [force.b]\ntype = 'torque'\nat = 'b.end'\ntorque = ['1.5*step(t,0,0,1,1)', 0, 0]\n\
         [force.c]\ntype = 'force'\nat = 'b.third'\nforce = [0, 0, '2*step(t,0,0,1,1)']\n\
         [sensor.root]\ntype = 'section'\nof = 'b'\nat = 0\n\
         [sensor.far]\ntype = 'section'\nof = 'b'\nat = 0.6\n\
         [sensor.strain]\ntype = 'strain'\nof = 'b'\nat = 0.1\n\
         [analysis]\nend = 5\n[method]\nname = 'radau5'\nrtol = 1e-9\n"
    );
    let out = run(&assembled(&parsed(&text), &[]), |_| {});
    let near = |name: &str, want: f64| {
        let got = last(&out, name);
        assert!((got - want).abs() < 0.04, "{name} {got} {want}");
    };
    let root = [0.5, 1.0, 2.0, 1.5, -2.0 / 3.0, 1.0];
    for (c, want) in ["fx", "fy", "fz", "tx", "ty", "tz"].into_iter().zip(root) {
        near(&format!("root.{c}"), want);
    }
    for (c, want) in [("fy", 1.0), ("fz", 0.0), ("ty", 0.0), ("tz", 0.4)] {
        near(&format!("far.{c}"), want);
    }
    let (e, iz) = (2e9, 0.03 * 0.02f64.powi(3) / 12.0);
    let curvature = 0.9 / (e * iz);
    assert!((last(&out, "strain.kz") / curvature - 1.0).abs() < 0.01);
    assert!((last(&out, "strain.ex") / (0.5 / (e * 6e-4)) - 1.0).abs() < 0.03);
}

/// An element that is bent by almost half a turn is told by name, not turned over.
#[test]
fn an_element_that_is_rolled_up_is_told() {
    let text = "schema = 1\n\
        [body.b]\ntype = 'planar-beam'\nlength = 1\nelements = 2\nEA = 1e4\nEI = 1\n\
        mass_per_length = 1\ndamping = 0.1\n\
        [joint.j]\ntype = 'fixed'\nbetween = ['ground', 'b.start']\n\
        [force.m]\ntype = 'torque'\nat = 'b.end'\ntorque = '3*t'\n\
        [analysis]\nend = 5\n[method]\nname = 'bdf'\n";
    for method in ["bdf", "radau5", "gen-alpha"] {
        let out = try_run(&assembled(&parsed(text), &[]), |o| o.method = method.to_owned());
        let e = out.error.unwrap_or_else(|| panic!("{method}: no error"));
        assert_eq!(e.kind.code(), "E_BEAM_TURN", "{method}: {e}");
        assert!(e.detail.contains("b["), "{e}");
        assert!((1.2..1.8).contains(&e.t), "{method}: {e}");
    }
}

/// A beam on a hub that turns starts turning with it; one that joints bend at the start is told.
#[test]
fn starts() {
    let spin = "schema = 1\n\
        [body.hub]\ntype = 'planar'\nmass = 1\ninertia = 1\n\
        [body.b]\ntype = 'planar-beam'\nlength = 1\nelements = 6\nEA = 1e5\nEI = 10\n\
        mass_per_length = 1\n\
        [joint.axle]\ntype = 'revolute'\nbetween = ['ground', 'hub']\ninitial_rate = 2\n\
        [joint.clamp]\ntype = 'fixed'\nbetween = ['hub', 'b.start']\n\
        [sensor.v]\ntype = 'velocity'\nof = 'b.end'\n\
        [analysis]\nend = 0.01\nsample = 0.01\n[method]\nname = 'radau5'\n";
    let m = assembled(&parsed(spin), &[]);
    assert!(m.report.notes.is_empty(), "{:?}", m.report.notes);
    let out = run(&m, |_| {});
    assert!((out.results.get("v.y").unwrap()[0] - 2.0).abs() < 1e-9);

    // both ends are led apart, which no rigid motion does
    let torn = "schema = 1\n\
        [body.b]\ntype = 'planar-beam'\nlength = 1\nelements = 3\nEA = 1e5\nEI = 10\n\
        mass_per_length = 1\n\
        [joint.a]\ntype = 'fixed'\nbetween = ['ground', 'b.start']\n\
        [body.s]\ntype = 'planar'\nmass = 1\ninertia = 1\nposition = [1, 0]\n\
        [joint.p]\ntype = 'prismatic'\nbetween = ['ground', 's']\naxis = [1, 0]\ninitial_rate = 0.1\n\
        [joint.b]\ntype = 'fixed'\nbetween = ['s', 'b.end']\n[analysis]\nend = 0.01\n";
    let m = assembled(&parsed(torn), &[]);
    assert!(m.report.notes.iter().any(|n| n.code == "N_BEAM_START"), "{:?}", m.report.notes);

    let askew = torn
        .replace("initial_rate = 0.1", "")
        .replace("[1, 0]\n[joint.p]", "[1, 0.005]\n[joint.p]");
    let askew = askew.replace("'ground', 's'", "'ground.wall', 's'")
        + "[ground.markers]\nwall = [0, 0.005]\n";
    let m = assembled(&parsed(&askew), &[]);
    let notes = &m.report.notes;
    assert!(notes.iter().any(|n| n.code == "N_BEAM_STRAINED" && n.path == "body.b"), "{notes:?}");
}

/// An element between bodies that are not where its length says.
#[test]
fn an_element_that_starts_far_from_unloaded_is_told() {
    let text = |x: f64, angle: f64| {
        format!(
            "schema = 1\n[body.b]\ntype = 'planar'\nmass = 1\ninertia = 1\nposition = [{x}, 0]\nangle = {angle}\n\
             [force.e]\ntype = 'beam'\nbetween = ['ground', 'b']\nlength = 1\nEA = 100\nEI = 1\n\
             [analysis]\nend = 0.01\n"
        )
    };
    let notes = |text: &str| {
        let report = assembled(&parsed(text), &[]).report;
        report.notes.iter().map(|n| (n.code, n.path.clone())).collect::<Vec<_>>()
    };
    assert_eq!(notes(&text(1.05, 0.0)), []);
    assert_eq!(notes(&text(-1.0, 0.0)), [("N_BEAM_STRAINED", "force.e".to_owned())]);
    let system = System::new(compile_with(&parsed(&text(0.1, 3.0)), &[]).unwrap()).unwrap();
    let faults = assemble(system).err().unwrap();
    assert_eq!((faults[0].code, &*faults[0].path), ("E_BEAM_TURN", "force.e"));
}

/// A frame of two legs at a right angle: the load at its end bends both.
#[test]
fn a_corner_is_stiff() {
    let text = "schema = 1\n\
        [body.b]\ntype = 'planar-beam'\npoints = [[0, 0], [1, 0], [1, -0.5]]\nelements = 12\n\
        EA = 1e7\nEI = 100\nmass_per_length = 1\ndamping = 0.1\n\
        [joint.j]\ntype = 'fixed'\nbetween = ['ground', 'b.start']\n\
        [force.f]\ntype = 'force'\nat = 'b.end'\nforce = ['step(t, 0, 0, 1, 0.02)', 0]\n\
        [sensor.tip]\ntype = 'position'\nof = 'b.end'\n\
        [analysis]\nend = 6\n[method]\nname = 'radau5'\nrtol = 1e-9\n";
    let out = run(&assembled(&parsed(text), &[]), |_| {});
    // F L₂³/3EI of the second leg and F L₂² L₁/EI by the turn of the corner
    let want = 0.02 * (0.5f64.powi(3) / 3.0 + 0.25) / 100.0;
    let got = last(&out, "tip.x") - 1.0;
    assert!((got / want - 1.0).abs() < 1e-3, "{got} {want}");
}

/// A ball on the end of a beam falls on a floor and the beam comes to rest on it.
#[test]
fn contact_on_a_beam() {
    let text = "schema = 1\ngravity = [0, -9.81]\n\
        [body.b]\ntype = 'planar-beam'\nlength = 1\nelements = 6\nEA = 1e4\nEI = 5\n\
        mass_per_length = 1\ndamping = 0.02\nposition = [0, 0.3]\n\
        [joint.j]\ntype = 'revolute'\nbetween = ['ground.hinge', 'b.start']\n\
        [ground.markers]\nhinge = [0, 0.3]\n\
        [shape.tip]\ntype = 'circle'\nbody = 'b.end'\nradius = 0.05\n\
        [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n\
        [contact.c]\nbetween = ['tip', 'floor']\nrestitution = 0\nfriction = 0\n\
        [sensor.tip]\ntype = 'position'\nof = 'b.end'\ncomponent = 'y'\n\
        [analysis]\nend = 2\nsample = 0.01\n[method]\nname = 'gen-alpha'\nrtol = 1e-5\n";
    let out = run(&assembled(&parsed(text), &[]), |_| {});
    let tip = out.results.get("tip").unwrap();
    assert!(tip.iter().all(|y| *y > 0.05 - 1e-6));
    assert!((last(&out, "tip") - 0.05).abs() < 1e-6, "{}", last(&out, "tip"));
}

/// A cantilever falls on a cylinder, and a carriage draws it over that by five elements: events, time-stepping and a compliant
/// law agree, and no element loses it.
#[test]
fn a_beam_slides_over_a_cylinder() {
    let text = |rule: &str| {
        format!(
            "schema = 1\ngravity = [0, -9.81]\n[ground.markers]\naxis = [0.4, -0.25]\n\
             [body.beam]\ntype = 'planar-beam'\nlength = 1\nelements = 16\nEA = 1e5\nEI = 1\n\
             mass_per_length = 1\ndamping = 0.01\n\
             [body.cart]\ntype = 'planar'\nmass = 1\ninertia = 1\n\
             [joint.rail]\ntype = 'prismatic'\nbetween = ['ground', 'cart']\naxis = [1, 0]\n\
             [joint.clamp]\ntype = 'fixed'\nbetween = ['cart', 'beam.start']\n\
             [joint.drive]\ntype = 'motion'\njoint = 'rail'\nvalue = 'step(t, 0.2, 0, 0.9, 0.3)'\n\
             [shape.cylinder]\ntype = 'circle'\nbody = 'ground.axis'\nradius = 0.2\n\
             [shape.'under{{i}}']\ntype = 'segment'\nbody = 'beam[{{i}}]'\n\
             from = ['if(i < 16, 1/32, 0)', 0]\nto = ['-1/32', 0]\nrepeat = 'i = 1..16'\n\
             [contact.lie]\nbetween = ['under*', 'cylinder']\n{rule}\n\
             [sensor.tip]\ntype = 'position'\nof = 'beam.end'\n\
             [sensor.middle]\ntype = 'position'\nof = 'beam[8]'\n[analysis]\nend = 1\nsample = 0.1\n"
        )
    };
    let rigid = assembled(&parsed(&text("restitution = 0\nfriction = 0")), &[]);
    let soft = "law = 'exact'\nstiffness = '1e5 N/m'\nexponent = 1\nrestitution = 0.1";
    let soft = assembled(&parsed(&text(soft)), &[]);
    let bdf = |o: &mut RunOptions| o.method = "bdf".to_owned();
    let events = run(&rigid, bdf);
    let stepping = run(&rigid, |o| {
        o.scheme = SchemeType::TimeStepping;
        o.method = "moreau-jean".to_owned();
        o.step = Some(5e-4);
    });
    let names = motions(&rigid);
    for (other, within) in [(&stepping, 1e-3), (&run(&soft, bdf), 3e-3)] {
        let (off, at) = difference(&names, &events, other);
        assert!(off < within, "{} {at}: {off}", other.summary.method);
    }
    // it still lies on the cylinder, bent by its weight on either side
    assert!(last(&events, "tip.y") < -0.6 && last(&events, "middle.y") > -0.3);
}
