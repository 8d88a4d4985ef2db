//! The properties of every kind of body, checked by differences at random states. That joints, forces and contact work
//! on it is checked by their contracts.

use crate::Body;
use crate::joint::contract::{Lab, MODES, PLANAR_MODES, Pose, ROPES, Rng, TELESCOPES, close};
use delassus_dae::{Problem, State};
use delassus_math::{Quat, Vec3};
use nalgebra::{DMatrix, DVector};

/// One test per kind: `body_contract!("rigid")`.
macro_rules! body_contract {
    ($($name:literal),+) => {
        #[test]
        fn keeps_the_contract_of_bodies() {
            for name in [$($name),+] {
                crate::system::body::contract::body(name);
            }
        }
    };
}
pub(super) use body_contract;

/// A body of the kind, with gravity and a force at each of two points of it (of a point only one).
fn lab(name: &str) -> Lab {
    if let Some(kind) = name.strip_suffix(OF_A_BEAM) {
        return Lab::new(&beam(kind));
    }
    let (label, first) = match name {
        "telescope" => ("rigid", TELESCOPES.to_owned()),
        "rope" => ("planar", format!("{ROPES}4\n")),
        _ => (name, String::new()),
    };
    let on_node = "node = 'p', position = [0.2, -0.1";
    let data = match label {
        "planar" => "inertia = 0.7\ncom = [0.1, 0.2]\nangle = 0.4\nmarkers.p = [0.6, -0.3]\n",
        "rigid" => {
            "inertia = [0.7, 0.9, 1.1, 0.05, -0.1, 0.08]\ncom = [0.1, 0.2, -0.3]\n\
             orientation = { axis = [0, 1, 1], angle = 0.5 }\nmarkers.p = [0.6, -0.3, 0.2]\n"
        }
        "planar-modal" => &format!(
            "inertia = 0.7\ncom = [0.1, 0.2]\nangle = 0.4\nmarkers.q = {{ {on_node}], angle = 0.3 }}\n{}",
            PLANAR_MODES.replace("NAME", "b")
        ),
        "modal" => &format!(
            "inertia = [0.7, 0.9, 1.1, 0.05, -0.1, 0.08]\ncom = [0.1, 0.2, -0.3]\n\
             orientation = {{ axis = [0, 1, 1], angle = 0.5 }}\nmarkers.q = {{ {on_node}, 0.3], \
             orientation = {{ axis = [1, 2, 0], angle = 0.7 }} }}\n{}",
            MODES.replace("NAME", "b")
        ),
        _ => "",
    };
    let marker = match label {
        _ if data.is_empty() => "b",
        "modal" | "planar-modal" => "b.q",
        _ => "b.p",
    };
    let position = if label.starts_with("planar") { "[0.3, -0.2]" } else { "[0.3, -0.2, 0.5]" };
    Lab::new(&format!(
        "{first}schema = 1\ngravity = [1, 2]\n[body.b]\ntype = '{label}'\nmass = 1.5\n\
         position = {position}\n{data}[force.f]\ntype = 'force'\nat = '{marker}'\n\
         frame = '{marker}'\nforce = ['3 + t', -2]\n\
         [force.g]\ntype = 'force'\nat = 'b'\nforce = [1, 't']\n"
    ))
}

/// Ends the name of a modal body whose mass is followed at points.
const OF_A_BEAM: &str = " of a beam";

/// A crooked beam that bends far, by modes of which its frame follows one end.
fn beam(kind: &str) -> String {
    let (points, place, own) = match kind.starts_with("planar") {
        true => (
            "[[0, 0], [0.6, 0.3], [1.3, 0.1]]",
            "position = [0.3, -0.2]\nangle = 0.4",
            "EI = 7\ninertia_per_length = 0.02\nmarkers.q = { at = 0.9, position = [0.2, -0.1], angle = 0.3 }",
        ),
        false => (
            "[[0, 0, 0], [0.6, 0.3, -0.2], [1.3, 0.1, 0.1]]",
            "position = [0.3, -0.2, 0.5]\norientation = { axis = [0, 1, 1], angle = 0.5 }",
            "EI = [7, 9]\nGJ = 5\ninertia_per_length = [0.02, 0.03]\n\
             markers.q = { at = 0.9, position = [0.2, -0.1, 0.3], orientation = { axis = [1, 2, 0], angle = 0.7 } }",
        ),
    };
    format!(
        "schema = 1\ngravity = [1, 2]\n[body.b]\ntype = '{kind}'\n{place}\npoints = {points}\nelements = 4\n\
         EA = 400\nmass_per_length = 1.5\ndamping = 0.01\nmodes = {{ count = 4, held = ['start'] }}\n{own}\n\
         [force.f]\ntype = 'force'\nat = 'b.q'\nframe = 'b.q'\nforce = ['3 + t', -2]\n\
         [force.g]\ntype = 'force'\nat = 'b'\nforce = [1, 't']\n"
    )
}

pub(super) fn body(name: &str) {
    let mut lab = lab(name);
    let b = lab.model().bodies[0].clone();
    let kind = name.strip_suffix(OF_A_BEAM).unwrap_or(name);
    assert_eq!(b.kind.name(), kind);
    assert!(["telescope", "rope"].contains(&kind) || kind.parse() == Ok(b.kind));
    names(&b);
    starts_where_it_is_given(&lab, &b);
    for seed in 0..4 {
        let mut rng = Rng(seed + 3);
        let s = lab.state(&mut rng, Pose::Free, None);
        let what = format!("{name} {seed}");
        frames(&mut lab, &s, &what);
        energies(&mut lab, &s, &what);
        assert!(lab.check_tangent(&s, &mut rng, &what), "{what}: tangent");
        placed(&lab, &s, &what);
    }
}

/// As many names as coordinates and velocities; rotations come after translations.
fn names(b: &Body) {
    assert_eq!((b.coordinate_names().len(), b.velocity_names().len()), (b.nq(), b.nv()));
    let turning = b.kind.rotation();
    assert_eq!(turning.start, if b.kind.is_planar() { 2 } else { 3 });
    assert!(turning.end <= b.nv() && turning.is_empty() != b.kind.turns());
    assert_eq!(b.kind.pose_form().is_planar(), b.kind.is_planar());
    assert_eq!(b.velocity_names()[..2], ["x", "y"]);
}

fn starts_where_it_is_given(lab: &Lab, b: &Body) {
    let pose = b.pose(&lab.sys.given_configuration());
    assert!((pose.p - b.position).norm() < 1e-14, "{} {}", pose.p, b.position);
    assert!((pose.r.matrix() - b.start_rotation()).norm() < 1e-14);
}

/// A pose that was written can be read, from coordinates and from files.
fn placed(lab: &Lab, s: &State, what: &str) {
    let b = &lab.model().bodies[0];
    let place = lab.place(&s.q, 0);
    let mut q = s.q.clone();
    lab.sys.put(&mut q, 0, &place);
    let (x, y) = (b.pose(&s.q), b.pose(&q));
    assert!((x.p - y.p).norm() + (x.r.matrix() - y.r.matrix()).norm() < 1e-14, "{what}");
    let mut numbers = Vec::new();
    b.kind.pose_form().pack(&x, &mut numbers);
    assert_eq!(numbers.len(), b.kind.pose_form().width());
    let read = b.kind.pose_form().unpack(&numbers);
    assert!((x.p - read.p).norm() + (x.r.matrix() - read.r.matrix()).norm() < 1e-14, "{what}");
    assert_eq!(x.angle, read.angle);
}

/// J, twists and biases of all frames are derivatives of their poses.
fn frames(lab: &mut Lab, s: &State, what: &str) {
    lab.realize(s);
    for k in 0..lab.sys.frames.len() {
        let Some(j) = lab.sys.jac(&lab.ws.kin, k) else { continue };
        let n = j.len();
        let columns: Vec<DVector<f64>> = (0..n)
            .map(|i| {
                let [lin, ang] = j.column(i);
                DVector::from_iterator(6, lin.iter().chain(ang.iter()).copied())
            })
            .collect();
        let jac = DMatrix::from_columns(&columns);
        // over all velocities, of which it may follow some
        let mut full = DMatrix::zeros(6, s.v.len());
        full.columns_mut(j.span().start, n).copy_from(&jac);
        // the same by rows
        let mut rows = DMatrix::zeros(6, n);
        for i in 0..6 {
            let (mut lin, mut ang) = (Vec3::zeros(), Vec3::zeros());
            if i < 3 {
                lin[i] = 1.0
            } else {
                ang[i - 3] = 1.0
            }
            let mut row = vec![0.0; n];
            j.transpose_mul(&lin, &ang, &mut row);
            rows.row_mut(i).copy_from_slice(&row);
            if i < 3 {
                let mut axis = vec![0.0; n];
                j.transpose_mul_axis(i, 1.0, &mut axis);
                close(&DVector::from(axis), &DVector::from(row), 1e-14, what);
            }
        }
        close(&rows, &jac, 1e-13, &format!("{what}: rows and columns of J"));
        let from = lab.ws.kin.frames[k].axes;
        let pose = |lab: &mut Lab, s: &State| {
            lab.realize(s);
            let f = &lab.ws.kin.frames[k];
            let turn = Quat::from_matrix(&(f.axes * from.transpose())).log();
            DVector::from_iterator(6, f.p.iter().chain(turn.iter()).copied())
        };
        let twist = |lab: &mut Lab, s: &State| {
            lab.realize(s);
            let f = &lab.ws.kin.frames[k];
            DVector::from_iterator(6, f.v.iter().chain(f.w.iter()).copied())
        };
        close(&full, &lab.gradient(s, false, pose), 1e-8, &format!("{what}: J"));
        let v = DVector::from(s.v.clone());
        close(&twist(lab, s), &(&full * &v), 1e-13, &format!("{what}: twist"));
        let zero = DVector::zeros(s.v.len());
        let rate = lab.slope(s, (&v, &zero, 0.0), twist);
        lab.realize(s);
        let f = &lab.ws.kin.frames[k];
        let bias = DVector::from_iterator(6, f.bias.iter().chain(f.bias_w.iter()).copied());
        close(&bias, &rate, 1e-8, &format!("{what}: bias"));
    }
}

/// The kinetic energy is that of M, and along the free motion energy comes only from forces.
fn energies(lab: &mut Lab, s: &State, what: &str) {
    let (m, v) = (lab.mass(s), DVector::from(s.v.clone()));
    close(&m, &m.transpose(), 1e-14, &format!("{what}: M"));
    let tangent = &lab.sys.structure.tangent;
    for (i, j) in (0..v.len()).flat_map(|i| (0..v.len()).map(move |j| (i, j))) {
        let told = tangent.slot(i, j).is_some() || m[(i, j)] == 0.0;
        assert!(told, "{what}: M couples {i} and {j}, which have no entry in the pattern");
    }
    assert!(m.clone().cholesky().is_some(), "{what}: {m}");
    let energy = |lab: &mut Lab, s: &State| {
        lab.realize(s);
        let e = lab.sys.energies(&lab.ws).unwrap_or_default();
        DVector::from(vec![e.kinetic, e.kinetic + e.potential])
    };
    let kinetic = 0.5 * v.dot(&(&m * &v));
    assert!(
        (energy(lab, s)[0] - kinetic).abs() < 1e-13 * (1.0 + kinetic),
        "{what}: kinetic energy"
    );
    let f = lab.force(s);
    let a = m.lu().solve(&f).unwrap();
    let power = lab.sys.power(&lab.ws, &[]).unwrap_or_default();
    let work = power.work - power.dissipated;
    let rate = lab.slope(s, (&v, &a, 1.0), energy)[1];
    // what forces and inertia exchange cancels in it
    let exchanged = v.abs().dot(&f.abs());
    assert!((rate - work).abs() < 1e-8 * (1.0 + exchanged), "{what}: {rate} {work}");
}
