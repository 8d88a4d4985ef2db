//! The contract of compliant contact as a force of a mode: its tangents against differences, its potential against its
//! force, action and reaction, for shapes whose point of contact moves.

use crate::support;

use delassus::dae::{ContactPoint, Onset, Problem, State, Unilateral};
use delassus::model::System;
use delassus_nonsmooth::{Mode, Pressed};
use std::sync::Arc;
use support::{assembled, parsed};

const BODIES: &str = r#"
schema = 1
[body.a]
type = "rigid"
mass = 1.3
inertia = [0.7, 0.9, 1.1, 0.05, -0.1, 0.08]
com = [0.02, 0.01, -0.03]
orientation = { axis = [0, 1, 1], angle = 0.5 }
[body.b]
type = "rigid"
mass = 0.8
inertia = [0.3, 0.2, 0.25]
com = [-0.01, 0.02, 0.03]
position = [0.05, 0.1, 0.35]
orientation = { axis = [1, 0.2, 0], angle = 0.3 }
"#;
const LAW: &str =
    "between = ['x', 'y']\nlaw = 'LAW'\nstiffness = 1e4\nrestitution = 0.6\nallow_overlap = true\n";

/// A deterministic number from -1 to 1.
fn noise(k: usize) -> f64 {
    (1e4 * (k as f64 + 0.37).sin()).fract()
}

fn spatial(x: &str, y: &str, on: &str) -> String {
    format!(
        "{BODIES}\n[shape.x]\nbody = 'a'\n{x}\n[shape.y]\nbody = '{on}'\n{y}\n[contact.c]\n{LAW}"
    )
}

const PLANAR: &str = r#"
schema = 1
[body.a]
type = "planar"
mass = 1
inertia = 0.3
com = [0.02, 0.05]
angle = 0.2
[body.b]
type = "planar"
mass = 1
inertia = 0.3
position = [0.1, 0.36]
angle = -0.3
"#;

fn planar(x: &str, y: &str) -> String {
    format!("{PLANAR}\n[shape.x]\nbody = 'a'\n{x}\n[shape.y]\nbody = 'b'\n{y}\n[contact.c]\n{LAW}")
}

/// The system with all points pressed that are inside, at its start or, where nothing is, moved a little: play of joints
/// does not start inside.
fn pressed(text: &str) -> (Mode<System>, State) {
    let m = assembled(&parsed(text), &[]);
    let sys: Arc<System> = m.system.clone();
    for shift in [0.0, 0.02, -0.02] {
        let mut s = m.state.clone();
        for (k, v) in s.v.iter_mut().enumerate() {
            *v = 0.3 * noise(k);
        }
        let xi: Vec<f64> = (0..s.v.len()).map(|k| shift * noise(k)).collect();
        sys.manifold().retract(&m.state.q, &xi, &mut s.q);
        let points = inside(&sys, &s);
        if !points.is_empty() {
            let independent = sys.structure().independent_rows.clone();
            let mode = Mode::new(sys, Vec::new(), independent, 1.0).unwrap();
            return (mode.with_pressed(points).unwrap(), s);
        }
    }
    panic!("nothing is inside\n{text}");
}

fn inside(sys: &System, s: &State) -> Vec<Pressed> {
    let mut ws = sys.workspace();
    sys.realize_position(s.t, &s.q, &s.z, &mut ws);
    sys.realize_velocity(&s.v, &s.z, &mut ws);
    let (mut ids, mut at) = (Vec::new(), ContactPoint::default());
    sys.near(&ws, f64::INFINITY, &mut ids);
    let onset = Onset { speed: 0.4, stiffness: 1e4, mass: 1.0 };
    let mut points = Vec::new();
    for id in ids {
        if sys.position(&ws, id, false, None, &mut at) && at.gap < 0.0 {
            points.push(Pressed { id, features: at.features, onset, slack: false });
        }
    }
    points
}

/// Forces at a state that is moved along ξ, with other velocities.
fn force(mode: &Mode<System>, s: &State, xi: &[f64], v: &[f64]) -> Vec<f64> {
    let mut ws = mode.workspace();
    let mut q = s.q.clone();
    mode.manifold().retract(&s.q, xi, &mut q);
    mode.realize_position(s.t, &q, &s.z, &mut ws);
    mode.realize_velocity(v, &s.z, &mut ws);
    let mut f = vec![0.0; v.len()];
    mode.force(&ws, &mut f);
    f
}

fn energy(mode: &Mode<System>, s: &State, xi: &[f64]) -> f64 {
    let mut ws = mode.workspace();
    let mut q = s.q.clone();
    mode.manifold().retract(&s.q, xi, &mut q);
    mode.realize_position(s.t, &q, &s.z, &mut ws);
    mode.realize_velocity(&vec![0.0; s.v.len()], &s.z, &mut ws);
    mode.energies(&ws).unwrap().potential
}

/// Friction laws with their numbers, and none.
const FRICTION: [&str; 6] = [
    "",
    "friction = 0.3\nfriction_law = 'threlfall'\ncreep_speed = 0.7",
    "friction = 0.3\nfriction_law = 'ambrosio'\ncreep_speed = 2",
    "friction = 0.3\nstatic_friction = 0.4\nfriction_law = 'bengisu-akay'\ncreep_speed = 0.01\nfall_rate = 2",
    "friction = 0.3\nstatic_friction = 0.4\nfriction_law = 'stribeck'\ncreep_speed = 0.4\nstribeck_speed = 0.5\nviscous_friction = 0.2",
    "friction = 0.3\nstatic_friction = 0.4\nfriction_law = 'lugre'\nstribeck_speed = 0.5\nbristle_stiffness = 100\nbristle_damping = 0.5\nviscous_friction = 0.1",
];

fn contract(text: &str) {
    let laws = ["exact", "lankarani-nikravesh", "kelvin-voigt"];
    let without = laws.map(|law| (law, FRICTION[0]));
    for (law, friction) in without.into_iter().chain(FRICTION[1..].iter().map(|f| (laws[0], *f))) {
        let text = format!("{}{friction}\n", text.replace("LAW", law));
        let (mode, mut s) = pressed(&text);
        for (k, z) in s.z.iter_mut().enumerate() {
            *z = 1e-5 * noise(k + 7);
        }
        let s = s;
        check_bristles(&mode, &s);
        let nv = s.v.len();
        let mut ws = mode.workspace();
        mode.realize_position(s.t, &s.q, &s.z, &mut ws);
        mode.realize_velocity(&s.v, &s.z, &mut ws);
        let (zero, multipliers) = (vec![0.0; nv], vec![0.0; mode.dims().n_vel]);
        let pattern = &mode.structure().tangent;
        let tangent = |ck: f64, cc: f64| {
            let mut values = vec![0.0; pattern.nnz()];
            let quality = mode.tangent(&ws, &zero, &multipliers, ck, cc, &mut values);
            assert_eq!(quality, delassus::dae::Quality::Exact, "{text}");
            values
        };
        let (k, c) = (tangent(1.0, 0.0), tangent(0.0, 1.0));
        let h = 1e-6;
        let size = k.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        for j in 0..nv {
            let along = |x: f64| (0..nv).map(|i| if i == j { x } else { 0.0 }).collect::<Vec<_>>();
            let slope = |a: Vec<f64>, b: Vec<f64>, h: f64| -> Vec<f64> {
                a.iter().zip(&b).map(|(a, b)| -(a - b) / (2.0 * h)).collect()
            };
            let by_position =
                slope(force(&mode, &s, &along(h), &s.v), force(&mode, &s, &along(-h), &s.v), h);
            let moved = |x: f64| s.v.iter().zip(along(x)).map(|(v, d)| v + d).collect::<Vec<_>>();
            let by_velocity =
                slope(force(&mode, &s, &zero, &moved(h)), force(&mode, &s, &zero, &moved(-h)), h);
            for i in 0..nv {
                let at = |values: &[f64]| pattern.slot(i, j).map_or(0.0, |slot| values[slot]);
                let off = (at(&k) - by_position[i]).abs();
                assert!(off <= 1e-6 * size, "K({i}, {j}): {} {}\n{text}", at(&k), by_position[i]);
                let off = (at(&c) - by_velocity[i]).abs();
                assert!(off <= 1e-6 * size, "C({i}, {j}): {} {}\n{text}", at(&c), by_velocity[i]);
            }
            if !s.z.is_empty() {
                continue;
            }
            // at rest the force is that of the potential
            let still = force(&mode, &s, &zero, &zero)[j];
            let fall = -(energy(&mode, &s, &along(h)) - energy(&mode, &s, &along(-h))) / (2.0 * h);
            assert!((still - fall).abs() <= 1e-6 * size, "force {j}: {still} {fall}\n{text}");
        }
        // what is lost is lost
        let power = mode.power(&ws, &multipliers).unwrap();
        assert!((power.dissipated >= 0.0 || !s.z.is_empty()) && power.work == 0.0, "{power:?}");
    }
}

/// What bristles do: how forces follow them, how they follow velocities, and how fast they forget.
fn check_bristles(mode: &Mode<System>, s: &State) {
    let (nv, nz) = (s.v.len(), s.z.len());
    if nz == 0 {
        return;
    }
    let rates = |xi: &[f64], v: &[f64], z: &[f64]| {
        let mut ws = mode.workspace();
        let mut q = s.q.clone();
        mode.manifold().retract(&s.q, xi, &mut q);
        mode.realize_position(s.t, &q, z, &mut ws);
        mode.realize_velocity(v, z, &mut ws);
        let (mut f, mut rate) = (vec![0.0; nv], vec![0.0; nz]);
        mode.force(&ws, &mut f);
        mode.z_dot(&ws, &mut rate);
        (f, rate)
    };
    let zero = vec![0.0; nv];
    let moved = |x: &[f64], j: usize, h: f64| -> Vec<f64> {
        x.iter().enumerate().map(|(i, x)| if i == j { x + h } else { *x }).collect()
    };
    let mut ws = mode.workspace();
    mode.realize_position(s.t, &s.q, &s.z, &mut ws);
    mode.realize_velocity(&s.v, &s.z, &mut ws);
    let mut relaxation = vec![0.0; nz];
    mode.relaxation(&ws, &mut relaxation);
    assert!(mode.feeds_back());
    let h = 1e-6;
    let mut by_z = vec![vec![0.0; nz]; nv];
    for k in 0..nz {
        let (a, b) =
            (rates(&zero, &s.v, &moved(&s.z, k, h)), rates(&zero, &s.v, &moved(&s.z, k, -h)));
        (0..nv).for_each(|i| by_z[i][k] = (a.0[i] - b.0[i]) / (2.0 * h));
        let forgets = -(a.1[k] - b.1[k]) / (2.0 * h);
        assert!((forgets - relaxation[k]).abs() <= 1e-6 * (1.0 + forgets.abs()), "{forgets}");
    }
    let pattern = &mode.structure().tangent;
    for (ck, cc) in [(1.0, 0.0), (0.0, 1.0)] {
        let mut values = vec![0.0; pattern.nnz()];
        mode.feedback(&ws, &vec![[ck, cc]; nz], &mut values);
        let size = values.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        for j in 0..nv {
            let at = |h: f64| match cc == 0.0 {
                true => rates(&moved(&zero, j, h), &s.v, &s.z).1,
                false => rates(&zero, &moved(&s.v, j, h), &s.z).1,
            };
            let (a, b) = (at(h), at(-h));
            for i in 0..nv {
                let want: f64 = (0..nz).map(|k| -by_z[i][k] * (a[k] - b[k]) / (2.0 * h)).sum();
                let found = pattern.slot(i, j).map_or(0.0, |slot| values[slot]);
                // how tangents turn about the normal is left out: it is in proportion to the bristles
                let off = (found - want).abs() / size;
                assert!(off < 1e-4, "feedback {ck} {cc} ({i}, {j}): {found} {want}");
            }
        }
    }
}

#[test]
fn spheres_and_planes() {
    let sphere = "type = 'sphere'\nradius = 0.2";
    contract(&spatial(sphere, "type = 'sphere'\nradius = 0.2\nat = [0.02, 0, 0.01]", "b"));
    contract(&spatial(
        sphere,
        "type = 'half-space'\nat = [0, 0, -0.19]\nnormal = [0.1, 0, 1]",
        "ground",
    ));
    contract(&spatial(
        sphere,
        "type = 'half-space'\nat = [0, 0, -0.19]\nnormal = [0.1, 0, -1]",
        "b",
    ));
}

#[test]
fn corners_edges_and_rims() {
    let plane = "type = 'half-space'\nat = [0, 0, -0.1]\nnormal = [0, 0.1, 1]";
    contract(&spatial("type = 'box'\nsize = [0.3, 0.3, 0.25]", plane, "ground"));
    contract(&spatial("type = 'cylinder'\nradius = 0.15\nlength = 0.2", plane, "ground"));
    contract(&spatial("type = 'capsule'\nradius = 0.1\nlength = 0.2", plane, "ground"));
    contract(&spatial(
        "type = 'sphere'\nradius = 0.2",
        "type = 'box'\nsize = [0.4, 0.4, 0.4]",
        "b",
    ));
}

#[test]
fn circles_and_profiles() {
    let circle = "type = 'circle'\nradius = 0.2";
    contract(&planar(circle, "type = 'circle'\nradius = 0.2"));
    let profile = "type = 'profile'\npoints = [[-0.3, -0.2], [0.4, -0.2], [0.3, 0.3], [-0.3, 0.2]]";
    contract(&planar(circle, profile));
    contract(&planar(profile, circle));
}

/// Journals, balls, shafts and blocks in their bearings, which are hollow.
#[test]
fn play_of_joints() {
    let joint = |bodies: &str, kind: &str, play: &str| {
        format!(
            "{bodies}\n[joint.c]\ntype = '{kind}'\nbetween = ['a', 'b']\n{play}\n\
             law = 'LAW'\nstiffness = 1e4\nrestitution = 0.6\n"
        )
    };
    // each a millimetre or two before it touches
    contract(&joint(PLANAR, "revolute", "clearance = 0.375\nradius = 0.5"));
    contract(&joint(BODIES, "spherical", "clearance = 0.369\nradius = 0.5"));
    let shaft = BODIES
        .replace("orientation = { axis = [0, 1, 1], angle = 0.5 }", "")
        .replace("position = [0.05, 0.1, 0.35]", "position = [0.05, 0.1, 0]");
    contract(&joint(&shaft, "revolute", "clearance = 0.125\nradius = 0.3\nlength = 0.1"));
    // the block is askew and out of the middle of its channel
    let block = "clearance = 0.116\nlength = 0.3\nwidth = 0.2\nheight = 0.1\naxis2 = [1, 0.1, 0]";
    contract(&joint(&shaft, "prismatic", block));
}
