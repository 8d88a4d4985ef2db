//! A kind of body for tests with many velocities, each of which has few neighbours: a rope of nodes in the x-y plane.
//! Its elements are linear, so its motion is known, and their mass is consistent, so neighbours are coupled; a frame
//! follows only the node nearest to it.
//!
//! Node k rests at k d x̂ from the first one, which represents the body, and is at q_k + k d x̂:
//!
//! ```text
//! T = Σ m/6 (v_k² + v_k·v_k₊₁ + v_k₊₁²)      V = Σ ½ (q_k₊₁ − q_k)·C (q_k₊₁ − q_k),   C = diag(c_x, c_y)
//! ```

use super::{BodyKin, FrameJac, FrameKin, FrameLayout, Here, Kind, Pose, PoseForm, Twist, Varying};
use crate::{Body, BodyKind, Model};
use delassus_dae::Block;
use delassus_linalg::MassShape;
use delassus_math::{Mat3, Quat, Vec3};
use std::ops::Range;

/// Distance of two nodes, m.
const DISTANCE: f64 = 0.25;
/// Stiffness of an element along and across, N/m.
const STIFFNESS: [f64; 2] = [60.0, 25.0];

pub(crate) struct Rope;

/// Turns the planar bodies of a model into ropes with so many nodes.
pub fn roping(model: &mut Model, nodes: usize) {
    for b in model.bodies.iter_mut().filter(|b| b.kind == BodyKind::Planar) {
        b.kind = BodyKind::Rope(nodes.max(2));
    }
}

fn nodes(kind: BodyKind) -> usize {
    match kind {
        BodyKind::Rope(n) => n,
        _ => 1,
    }
}

/// The node nearest to a place at rest.
fn node(x: f64, n: usize) -> usize {
    ((x / DISTANCE).round().max(0.0) as usize).min(n - 1)
}

fn rest(node: usize) -> Vec3 {
    Vec3::x() * (DISTANCE * node as f64)
}

/// Node of a frame.
fn node_of(frame: &FrameLayout) -> usize {
    frame.offset() / 2
}

impl Rope {
    fn element_mass(h: &Here<'_>) -> f64 {
        h.body.mass / (nodes(h.body.kind) - 1) as f64
    }

    fn mass_entry(h: &Here<'_>, i: usize, j: usize) -> f64 {
        let (m, n) = (Rope::element_mass(h), nodes(h.body.kind));
        let elements = if i / 2 == 0 || i / 2 == n - 1 { 1.0 } else { 2.0 };
        match (i % 2 == j % 2, (i / 2).abs_diff(j / 2)) {
            (true, 0) => elements * m / 3.0,
            (true, 1) => m / 6.0,
            _ => 0.0,
        }
    }
}

impl Kind for Rope {
    const NAME: &'static str = "rope";
    const LABEL: &'static str = "a rope";
    const FIELDS: &'static [&'static str] = &[];
    const PLANAR: bool = true;
    const ROTATION: Range<usize> = 2..2;
    const POSE: PoseForm = PoseForm::PlanarPoint;
    const ONE_PIECE: bool = false;

    fn names(b: &Body) -> (Vec<String>, Vec<String>) {
        let number = |k: usize| if k == 0 { String::new() } else { k.to_string() };
        let of = |k: usize| ["x", "y"].map(|c| format!("{c}{}", number(k)));
        let all: Vec<String> = (0..nodes(b.kind)).flat_map(of).collect();
        (all.clone(), all)
    }

    fn blocks(b: &Body) -> Vec<Block> {
        vec![Block::Vector(2 * nodes(b.kind))]
    }

    fn put(pose: &Pose, q: &mut [f64]) {
        // all of it moves along
        let by = [pose.p.x - q[0], pose.p.y - q[1]];
        for (k, q) in q.iter_mut().enumerate() {
            *q += by[k % 2];
        }
    }

    fn turn(_: &[f64]) -> (Quat, f64) {
        (Quat::IDENTITY, 0.0)
    }

    fn place(q: &[f64], at: &mut BodyKin) {
        (at.x.x, at.x.y) = (q[0], q[1]);
    }

    fn travel(v: &[f64], at: &mut BodyKin) {
        (at.v.x, at.v.y) = (v[0], v[1]);
    }

    fn coupling(b: &Body) -> Option<MassShape> {
        let n = nodes(b.kind);
        MassShape::coupled(vec![2; n], (1..n).map(|k| (k - 1, k))).ok()
    }

    fn follows(frame: &FrameLayout, nv: usize) -> Range<usize> {
        let first = 2 * node(frame.r_b.x, nv / 2);
        first..first + 2
    }

    fn anchor(p: &Vec3) -> Vec3 {
        rest(node(p.x, usize::MAX))
    }

    fn place_frame(frame: &FrameLayout, _: &BodyKin, q: &[f64], f: &mut FrameKin) {
        let k = node_of(frame);
        let q = &frame.own_q(q)[2 * k..];
        f.p = Vec3::new(q[0], q[1], 0.0) + frame.r_b;
    }

    fn move_frame(frame: &FrameLayout, _: &BodyKin, _: &[f64], v: &[f64], f: &mut FrameKin) {
        let v = &frame.own_v(v)[2 * node_of(frame)..];
        f.v = Vec3::new(v[0], v[1], 0.0);
    }

    fn transpose_mul(_: &FrameJac<'_>, lin: &Vec3, _: &Vec3, out: &mut [f64]) {
        out[0] += lin.x;
        out[1] += lin.y;
    }

    fn varying(_: usize) -> Varying {
        Varying::None
    }

    fn column(_: &FrameJac<'_>, k: usize) -> Twist {
        [Vec3::ith(k, 1.0), Vec3::zeros()]
    }

    fn drift(_: &FrameJac<'_>, _: usize) -> Twist {
        [Vec3::zeros(); 2]
    }

    fn geometric(_: &FrameJac<'_>, _: &Vec3, _: &Vec3, _: impl FnMut(usize, usize, f64)) {}

    fn mass(h: &Here<'_>, block: &mut [f64]) {
        let entries = h.body.coupling.iter().flat_map(MassShape::entries);
        for (m, (i, j)) in block.iter_mut().zip(entries) {
            *m = Rope::mass_entry(h, i, j);
        }
    }

    fn force(h: &Here<'_>, gravity: &Vec3, f: &mut [f64]) {
        let (q, m) = (h.q(), Rope::element_mass(h));
        for i in 0..f.len() - 2 {
            let pull = STIFFNESS[i % 2] * (q[i + 2] - q[i]);
            let weight = 0.5 * m * gravity[i % 2];
            f[i] += weight + pull;
            f[i + 2] += weight - pull;
        }
    }

    fn tangent(
        h: &Here<'_>,
        _: &Vec3,
        _: &[f64],
        ck: f64,
        _: f64,
        mut add: impl FnMut(usize, usize, f64),
    ) {
        for i in 0..2 * (nodes(h.body.kind) - 1) {
            let c = ck * STIFFNESS[i % 2];
            add(i, i, c);
            add(i + 2, i + 2, c);
            add(i, i + 2, -c);
            add(i + 2, i, -c);
        }
    }

    fn kinetic(h: &Here<'_>) -> f64 {
        let (v, m) = (h.v(), Rope::element_mass(h));
        let of = |i: usize| v[i] * v[i] + v[i] * v[i + 2] + v[i + 2] * v[i + 2];
        (0..2 * (nodes(h.body.kind) - 1)).map(|i| m / 6.0 * of(i)).sum()
    }

    fn potential(h: &Here<'_>, gravity: &Vec3) -> f64 {
        let (q, m) = (h.q(), Rope::element_mass(h));
        let of = |i: usize| {
            let weight = 0.5 * m * gravity[i % 2] * (q[i] + q[i + 2]);
            0.5 * STIFFNESS[i % 2] * (q[i + 2] - q[i]).powi(2) - weight
        };
        let n = nodes(h.body.kind);
        let along = h.body.mass * gravity.x * 0.5 * DISTANCE * (n - 1) as f64;
        (0..2 * (n - 1)).map(of).sum::<f64>() - along
    }

    fn lacks_inertia(_: &Mat3) -> bool {
        false
    }

    fn idle_rotations(_: &Mat3) -> Vec<(String, Vec<(usize, f64)>)> {
        Vec::new()
    }

    fn least_inertia(_: &Mat3) -> Option<f64> {
        None
    }
}

#[cfg(test)]
super::contract::body_contract!("rope");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::contract::Lab;
    use crate::{Assembled, System, assemble};
    use delassus_dae::{Problem, Settings, State, integrator};

    /// Held by its first node.
    fn rope(n: usize, rest: &str) -> Assembled {
        let end = DISTANCE * (n - 1) as f64;
        let middle = DISTANCE * (n / 2) as f64;
        let lab = Lab::new(&format!(
            "# ropes {n}\nschema = 1\ngravity = [0, 0]\n\
             [body.b]\ntype = 'planar'\nmass = 2\ninertia = 1\n\
             markers.middle = [{middle}, 0]\nmarkers.end = [{end}, 0]\n\
             [joint.held]\ntype = 'revolute'\nbetween = ['ground', 'b']\n{rest}"
        ));
        assemble(lab.sys).unwrap_or_else(|e| panic!("{e:?}"))
    }

    /// Standing wave along x of a rope whose other end is free: shape and rate of a mode.
    fn mode(n: usize, number: f64) -> (Vec<f64>, f64) {
        let elements = (n - 1) as f64;
        let wave = (number - 0.5) * std::f64::consts::PI / elements;
        let m = 2.0 / elements;
        let square = 6.0 * STIFFNESS[0] / m * (1.0 - wave.cos()) / (2.0 + wave.cos());
        ((0..n).map(|k| (wave * k as f64).sin()).collect(), square.sqrt())
    }

    fn run(sys: &System, start: &State, method: &str, h: f64, steps: usize) -> State {
        let made = integrator::make(method, sys, &Settings::default());
        let mut method = made.and_then(Result::ok).unwrap_or_else(|| panic!("{method}"));
        let mut ws = sys.workspace();
        let (mut from, mut to) = (start.clone(), start.clone());
        method.restart(sys, &mut ws, &from).unwrap_or_else(|e| panic!("{e:?}"));
        for _ in 0..steps {
            let step = method.attempt(sys, &mut ws, &from, h, &mut to);
            step.unwrap_or_else(|e| panic!("{e:?}"));
            method.commit();
            from.clone_from(&to);
        }
        from
    }

    #[test]
    fn waves_are_those_of_its_modes() {
        let n = 21;
        let start = rope(n, "");
        let (shape, rate) = mode(n, 3.0);
        let mut s = start.state.clone();
        for (k, x) in shape.iter().enumerate() {
            s.q[2 * k] += 0.01 * x;
        }
        for (method, tol) in [
            ("mdop5", 1e-9),
            ("hem5", 1e-9),
            ("radau5", 1e-7),
            ("gen-alpha", 1e-5),
            ("al", 1e-5),
            ("bdf", 1e-5),
        ] {
            let end = run(&start.system, &s, method, 5e-4, 400);
            for (k, x) in shape.iter().enumerate() {
                let wanted = 0.01 * x * (rate * 0.2).cos();
                let found = end.q[2 * k];
                assert!((found - wanted).abs() < tol, "{method}, node {k}: {found} {wanted}");
            }
        }
    }

    /// What is stored grows with the number of nodes, not with its square.
    #[test]
    fn a_long_rope_is_sparse() {
        let more = "[force.spring]\ntype = 'spring'\nbetween = ['ground', 'b.middle']\nstiffness = 3\n\
             [force.push]\ntype = 'force'\nat = 'b.end'\nforce = [0, '-2 * far']\n\
             [sensor.far]\ntype = 'velocity'\nof = 'b.end'\ncomponent = 'y'\n";
        let sizes = [100, 200].map(|n| {
            let start = rope(n, more);
            let s = start.system.structure();
            assert_eq!(s.jac.nnz(), 4, "two rows of two columns");
            (s.mass.value_len(), s.tangent.nnz())
        });
        assert!(sizes[1].0 <= 2 * sizes[0].0 + 12, "{sizes:?}");
        assert!(sizes[1].1 <= 2 * sizes[0].1 + 12, "{sizes:?}");
    }
}
