//! Tests of the integrals against the deformed body: sections turned by exp(θ), masses summed up one by one.

use crate::beam::{Beam, BeamNode, Element, Section};
use crate::{Boundary, Choice, Damping, Keep, Modal, Motion, reduce};
use delassus_math::{Mat3, Vec3, Vec6, so3};

/// Points along an element: Simpson's rule.
const STATIONS: usize = 40;

fn section() -> Section {
    Section {
        stiffness: Vec6::new(900.0, 210.0, 260.0, 1.3, 3.0, 2.0),
        mass: 1.5,
        inertia: [0.012, 0.02],
    }
}

fn crooked() -> Beam {
    let node = |name: &str, at: [f64; 3]| BeamNode { name: name.into(), at: Vec3::from(at) };
    let points = [
        node("root", [0.1, -0.2, 0.3]),
        node("knee", [1.0, 0.1, 0.2]),
        node("tip", [1.6, 0.9, 0.7]),
    ];
    Beam::through(&points, 2, section(), Vec3::new(0.1, 1.0, -0.3))
}

/// Masses at places.
type Cloud = Vec<(f64, Vec3)>;

/// The coordinates of the nodes for amplitudes q of modes with named nodes.
fn coordinates(m: &Modal, q: &[f64]) -> Vec<f64> {
    let sum = |list: &[Vec3]| list.iter().zip(q).map(|(x, q)| x * *q).sum::<Vec3>();
    let of = |n: &crate::Node| {
        let (d, r) = (sum(&n.displacement), sum(&n.rotation));
        [d.x, d.y, d.z, r.x, r.y, r.z]
    };
    m.nodes.iter().flat_map(of).collect()
}

/// The body as points of mass, deformed: the axis from its derivative exp(θ)(τ + ε), with one node where it was.
fn cloud(parts: &[Element], x: &[f64], held: usize) -> (Cloud, Vec<Vec3>) {
    let mut out = Vec::new();
    let mut place = parts[0].place(0.0);
    let mut at_nodes = vec![place];
    for (e, part) in parts.iter().enumerate() {
        let local = nalgebra::SVector::<f64, 12>::from_row_slice(&x[6 * e..6 * e + 12]);
        let tau: Vec3 = part.axes.column(0).into();
        let field = |xi: f64| {
            let at = part.at(xi);
            let theta = at.rotation * local;
            let strain = at.slope * local - theta.cross(&tau);
            (theta, so3::exp(&theta) * (tau + strain))
        };
        let step = 1.0 / STATIONS as f64;
        for k in 0..=STATIONS {
            let xi = k as f64 * step;
            if k > 0 {
                let ends = field(xi - step).1 + 4.0 * field(xi - 0.5 * step).1 + field(xi).1;
                place += ends * (step * part.length / 6.0);
            }
            let simpson = if k == 0 || k == STATIONS { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
            let w = simpson / 3.0 * step * part.length;
            let turn: Mat3 = so3::exp(&field(xi).0) * part.axes;
            let [iy, iz] = part.section.inertia;
            let mass = part.section.mass;
            // four masses with the second moments of the section
            for s in [(iz, Vec3::y()), (iy, Vec3::z())] {
                let arm = (2.0 * s.0 / mass).sqrt();
                for side in [-1.0, 1.0] {
                    out.push((0.25 * mass * w, place + turn * s.1 * (side * arm)));
                }
            }
        }
        at_nodes.push(place);
    }
    let was = parts.get(held).map_or(parts[parts.len() - 1].place(1.0), |part| part.place(0.0));
    let back = was - at_nodes[held];
    out.iter_mut().for_each(|(_, p)| *p += back);
    at_nodes.iter_mut().for_each(|p| *p += back);
    (out, at_nodes)
}

fn first(c: &Cloud) -> Vec3 {
    c.iter().map(|(m, p)| p * *m).sum()
}

fn inertia(c: &Cloud) -> Mat3 {
    let one = |(m, p): &(f64, Vec3)| (Mat3::identity() * p.norm_squared() - p * p.transpose()) * *m;
    c.iter().map(one).sum()
}

/// S, J, and H q̇ for a modal body.
fn modal_state(m: &Modal, q: &[f64], rate: &[f64]) -> (Vec3, Mat3, Vec3) {
    let n = m.modes();
    let (mut s, mut j, mut h) = (m.com * m.mass, m.inertia, Vec3::zeros());
    for a in 0..n {
        s += m.s1[a] * q[a];
        j += m.j1[a] * q[a];
        h += m.h1[a] * rate[a];
        for b in 0..n {
            s += m.s2[a * n + b] * (0.5 * q[a] * q[b]);
            j += m.j2[a * n + b] * (0.5 * q[a] * q[b]);
            h += m.h2[a * n + b] * (q[a] * rate[b]);
        }
    }
    (s, j, h)
}

/// Bodies held at a node. Every node is named, so that the shapes are known.
fn bodies() -> Vec<(Modal, Vec<Element>, usize)> {
    let mut beam = crooked();
    for (k, node) in beam.nodes.iter_mut().enumerate() {
        node.name = k.to_string();
    }
    let mut straight = beam.clone();
    for (k, node) in straight.nodes.iter_mut().enumerate() {
        node.at = Vec3::x() * (0.4 * k as f64);
    }
    let body = |b: &Beam, held: usize| {
        let choice = Choice {
            boundary: Boundary::Clamped { at: held.to_string() },
            keep: Keep::Lowest(8),
            motion: Motion::Spatial,
            shortening: true,
            damping: Damping::Ratios(vec![0.0]),
        };
        (reduce(b, &choice).unwrap(), b.parts().unwrap(), held)
    };
    vec![body(&beam, 0), body(&beam, 2), body(&beam, 4), body(&straight, 0)]
}

fn random(seed: usize, n: usize) -> Vec<f64> {
    (0..n).map(|k| ((seed * 31 + k * 17) as f64 * 0.7548).sin()).collect()
}

fn scaled(q: &[f64], by: f64) -> Vec<f64> {
    q.iter().map(|x| x * by).collect()
}

/// S, J and places of nodes agree with those of the deformed body up to the third order: half the amplitude, an eighth
/// of the difference. The differences of the second order alone are small beside the second order.
#[test]
fn moments_of_the_deformed_body() {
    for (m, parts, held) in bodies() {
        for seed in 0..3 {
            let q = random(seed, m.modes());
            let differences = |size: f64| {
                let q = scaled(&q, size);
                let (c, places) = cloud(&parts, &coordinates(&m, &q), held);
                let (s, j, _) = modal_state(&m, &q, &q);
                let node = m.nodes.iter().zip(&places).map(|(node, place)| {
                    let n = m.modes();
                    let mut at = node.at;
                    for a in 0..n {
                        at += node.displacement[a] * q[a];
                        for b in 0..n {
                            at += node.shortening[a * n + b] * (0.5 * q[a] * q[b]);
                        }
                    }
                    (at - place).norm()
                });
                [(s - first(&c)).norm(), (j - inertia(&c)).norm(), delassus_math::largest(node)]
            };
            let (coarse, fine) = (differences(0.02), differences(0.01));
            for (k, (coarse, fine)) in coarse.iter().zip(&fine).enumerate() {
                assert!(*fine < 3e-4 && coarse / fine > 7.0, "{k}: {coarse:e} {fine:e}");
            }
        }
    }
}

/// Momentum and angular momentum of the deformation and its kinetic energy, from differences of places.
#[test]
fn momentum_of_the_deformation() {
    for (m, parts, held) in bodies() {
        let (q, rate) = (random(5, m.modes()), random(9, m.modes()));
        let differences = |size: f64| {
            let at = |t: f64| {
                let q: Vec<f64> = q.iter().zip(&rate).map(|(q, r)| size * q + t * r).collect();
                cloud(&parts, &coordinates(&m, &q), held).0
            };
            let dt = 1e-5;
            let (before, now, after) = (at(-dt), at(0.0), at(dt));
            let mut h = Vec3::zeros();
            let mut energy = 0.0;
            for ((a, p), b) in before.iter().zip(&now).zip(&after) {
                let v = (b.1 - a.1) / (2.0 * dt);
                h += p.1.cross(&v) * p.0;
                energy += 0.5 * p.0 * v.norm_squared();
            }
            let (_, _, modal) = modal_state(&m, &scaled(&q, size), &rate);
            let r = nalgebra::DVector::from_row_slice(&rate);
            let kinetic = 0.5 * r.dot(&(&m.mass_matrix * &r));
            ((modal - h).norm(), (kinetic / energy - 1.0).abs(), h.norm())
        };
        let (coarse, fine) = (differences(0.02), differences(0.01));
        // H to the first order of q: a quarter
        assert!(fine.0 < 0.02 * fine.2 && coarse.0 / fine.0 > 3.7, "{coarse:?} {fine:?}");
        // M is that of the undeformed body
        assert!(differences(1e-6).1 < 1e-5, "{:?}", differences(1e-6));
    }
}
