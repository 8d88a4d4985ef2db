//! Tests with beams and blocks as matrices.

use super::*;
use crate::beam::{Beam, BeamNode, Section, assemble};
use crate::reduce::component_modes;
use crate::{Boundary, Damping, Keep, Motion};
use delassus_math::{Vec3, Vec6};
use std::fmt::Write;

/// In Matrix Market's coordinate format, the lower half.
fn market(a: &Symmetric) -> String {
    let lower = |j: usize| a.column(j).filter(move |(i, x)| *i >= j && *x != 0.0);
    let n = a.size();
    let count: usize = (0..n).map(|j| lower(j).count()).sum();
    let mut out = format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {count}\n");
    for j in 0..n {
        for (i, x) in lower(j) {
            writeln!(out, "{} {} {x:e}", i + 1, j + 1).unwrap();
        }
    }
    out
}

fn table(layout: &Layout) -> String {
    let mut out = String::from("name, x, y, z, dofs\n");
    for (k, name) in layout.names.iter().enumerate() {
        let p = layout.places[k];
        writeln!(out, "{name}, {}, {}, {}, {}", p.x, p.y, p.z, layout.of(k).len()).unwrap();
    }
    out
}

fn read(mass: &Symmetric, stiffness: &Symmetric, layout: &Layout) -> FiniteElements {
    FiniteElements::parse(&market(mass), &market(stiffness), &table(layout)).unwrap()
}

fn choice(boundary: Boundary, modes: usize) -> Choice {
    Choice {
        boundary,
        keep: Keep::Lowest(modes),
        motion: Motion::Spatial,
        shortening: false,
        damping: Damping::Ratios(vec![0.0]),
    }
}

fn at(name: &str) -> Boundary {
    Boundary::Clamped { at: name.into() }
}

fn beam(per_leg: usize) -> Beam {
    let node = |name: &str, at: [f64; 3]| BeamNode { name: name.into(), at: Vec3::from(at) };
    let points = [
        node("root", [0.1, -0.2, 0.3]),
        node("knee", [1.0, 0.1, 0.2]),
        node("tip", [1.6, 0.9, 0.7]),
    ];
    let section = Section {
        stiffness: Vec6::new(900.0, 210.0, 260.0, 1.3, 3.0, 2.0),
        mass: 1.5,
        inertia: [0.012, 0.02],
    };
    Beam::through(&points, per_leg, section, Vec3::new(0.1, 1.0, -0.3))
}

fn beam_as_matrices(b: &Beam) -> (Symmetric, Symmetric, Layout) {
    let (k, m) = assemble(&b.parts().unwrap());
    (m, k, Layout::new(b.nodes.iter().map(|n| (n.name.clone(), n.at, 6))))
}

fn frequencies(m: &Modal) -> Vec<f64> {
    (0..m.modes()).map(|i| (m.stiffness[(i, i)] / m.mass_matrix[(i, i)]).sqrt()).collect()
}

/// A block of cubic elements with eight nodes each, of 1 m, E = 1, ν = 0.3, ρ = 1; without names but `a` and `b` at two
/// opposite corners.
fn block(size: [usize; 3]) -> (Symmetric, Symmetric, Layout) {
    let [nx, ny, nz] = size;
    let number = |i: usize, j: usize, k: usize| (i * (ny + 1) + j) * (nz + 1) + k;
    let last = number(nx, ny, nz);
    let place = |n: usize| {
        let (k, j, i) = (n % (nz + 1), n / (nz + 1) % (ny + 1), n / (nz + 1) / (ny + 1));
        Vec3::new(i as f64, j as f64, k as f64)
    };
    let name = |n: usize| match n {
        0 => "a".to_owned(),
        n if n == last => "b".to_owned(),
        _ => String::new(),
    };
    let layout = Layout::new((0..=last).map(|n| (name(n), place(n), 3)));
    let (lambda, mu) = (0.3 / (1.3 * 0.4), 1.0 / 2.6);
    let corner = |c: usize| [c >> 2 & 1, c >> 1 & 1, c & 1];
    let (mut ke, mut me) = (vec![0.0; 24 * 24], vec![0.0; 64]);
    let point = 0.5 / 3f64.sqrt();
    for g in 0..8 {
        let at = corner(g).map(|s| 0.5 + if s == 1 { point } else { -point });
        let side = |s: usize, x: f64| if s == 1 { (x, 1.0) } else { (1.0 - x, -1.0) };
        let shape = |c: usize| {
            let [(x, dx), (y, dy), (z, dz)] = [0, 1, 2].map(|a| side(corner(c)[a], at[a]));
            (x * y * z, [dx * y * z, x * dy * z, x * y * dz])
        };
        for c in 0..8 {
            for d in 0..8 {
                let ((n, p), (m, q)) = (shape(c), shape(d));
                me[8 * c + d] += n * m / 8.0;
                let dot: f64 = (0..3).map(|a| p[a] * q[a]).sum();
                for a in 0..3 {
                    for b in 0..3 {
                        let same = if a == b { mu * dot } else { 0.0 };
                        ke[24 * (3 * c + a) + 3 * d + b] +=
                            (lambda * p[a] * q[b] + mu * p[b] * q[a] + same) / 8.0;
                    }
                }
            }
        }
    }
    let mut sums = std::collections::BTreeMap::new();
    for (i, j, k) in
        (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| (i, j, k))))
    {
        let node = |c: usize| {
            let [a, b, d] = corner(c);
            number(i + a, j + b, k + d)
        };
        for c in 0..24 {
            for d in 0..24 {
                let sum = sums
                    .entry((3 * node(c / 3) + c % 3, 3 * node(d / 3) + d % 3))
                    .or_insert([0.0; 2]);
                sum[0] += ke[24 * c + d];
                if c % 3 == d % 3 {
                    sum[1] += me[8 * (c / 3) + d / 3];
                }
            }
        }
    }
    let one = |w: usize| {
        let list = sums.iter().filter(|(_, x)| x[w] != 0.0).map(|((i, j), x)| (*i, *j, x[w]));
        Symmetric::new(layout.unknowns(), list.collect())
    };
    (one(1), one(0), layout)
}

/// A beam that is read as matrices has the modes of the beam; changes of inertia come close to its own with the number
/// of elements.
#[test]
fn a_beam_as_matrices() {
    let differences = |per_leg: usize| {
        let mut b = beam(per_leg);
        // moments of inertia of a round section
        b.elements.iter_mut().for_each(|e| e.section.inertia = [0.015; 2]);
        let (m, k, layout) = beam_as_matrices(&b);
        let choice = choice(at("root"), 5);
        let (own, read) =
            (crate::reduce(&b, &choice).unwrap(), reduce(&read(&m, &k, &layout), &choice).unwrap());
        read.check().unwrap();
        for (a, b) in frequencies(&own).iter().zip(&frequencies(&read)) {
            assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
        }
        let close = |a: &Vec3, b: &Vec3| (a - b).norm() < 1e-8;
        assert!((own.mass - read.mass).abs() < 1e-12 && close(&own.com, &read.com));
        assert!((own.inertia - read.inertia).norm() < 1e-9 * own.inertia.norm());
        for i in 0..5 {
            assert!(close(&own.s1[i], &read.s1[i]) && close(&own.h1[i], &read.h1[i]));
            assert!(close(&own.nodes[1].displacement[i], &read.nodes[1].displacement[i]));
            assert!(close(&own.nodes[1].rotation[i], &read.nodes[1].rotation[i]));
        }
        let of = |a: &[Mat3], b: &[Mat3]| {
            let size = largest(a.iter().map(Mat3::amax));
            largest(a.iter().zip(b).map(|(a, b)| (a - b).amax())) / size
        };
        let turns = largest(own.h2.iter().zip(&read.h2).map(|(a, b)| (a - b).amax()));
        let size = largest(own.h2.iter().map(Vec3::amax));
        [of(&own.j1, &read.j1), of(&own.j2, &read.j2), turns / size]
    };
    let (coarse, fine) = (differences(4), differences(8));
    for (coarse, fine) in coarse.iter().zip(&fine) {
        assert!(*fine < 0.03 && coarse / fine > 2.0, "{coarse:e} {fine:e}");
    }
}

/// A block has the integrals of a block, and changes of them as the nodes move, exactly as its elements do.
#[test]
fn a_block() {
    let (m, k, layout) = block([4, 2, 1]);
    let model = read(&m, &k, &layout);
    let mut body = reduce(&model, &choice(Boundary::Free, 6)).unwrap();
    body.check().unwrap();
    assert!((body.mass - 8.0).abs() < 1e-12);
    assert!((body.com - Vec3::new(2.0, 1.0, 0.5)).norm() < 1e-12);
    // Σ edges²/3 about a corner
    let box_inertia = |d: Vec3| {
        let q = d.component_mul(&d) * (8.0 / 3.0);
        let p = d * d.transpose() * (8.0 / 4.0);
        Mat3::from_fn(|i, j| if i == j { q.sum() - q[i] } else { -p[(i, j)] })
    };
    assert!((body.inertia - box_inertia(Vec3::new(4.0, 2.0, 1.0))).norm() < 1e-10);
    for i in 0..6 {
        assert!(body.s1[i].norm() < 1e-10 && body.h1[i].norm() < 1e-10);
    }
    // J(q) of the block with its nodes moved
    let (modes, _) =
        component_modes(&Elastic { k: &k, m: &m, layout: &layout }, &choice(Boundary::Free, 6))
            .unwrap();
    let q: Vec<f64> = (0..6).map(|i| 0.3 * (1.7 * i as f64).sin()).collect();
    let mut moved = layout.clone();
    for (node, place) in moved.places.iter_mut().enumerate() {
        let by = |j: usize| layout.displacement(&modes.shapes, node, j) * q[j];
        *place += (0..6).map(by).sum::<Vec3>();
    }
    let rigid = moved.rigid_motions(Vec3::zeros());
    let whole = rigid.transpose() * m.times(&rigid);
    let exact = Mat3::from_fn(|i, j| whole[(3 + i, 3 + j)]);
    for i in 0..6 {
        body.inertia += body.j1[i] * q[i];
        for j in 0..6 {
            body.inertia += body.j2[6 * i + j] * (0.5 * q[i] * q[j]);
        }
    }
    assert!((body.inertia - exact).norm() < 1e-10 * exact.norm());
}

/// A corner of a block turns with its neighbours: in a rigid motion by the rotation itself.
#[test]
fn rotations_of_nodes_without_rotations() {
    let (_, k, layout) = block([2, 1, 1]);
    let rigid = layout.rigid_motions(Vec3::new(0.3, 0.2, 0.1));
    let nodes = inertia::nodes(&k, &layout, &rigid).unwrap();
    assert_eq!(nodes.len(), 2);
    for node in &nodes {
        for a in 0..3 {
            assert!(node.rotation[a].norm() < 1e-13);
            assert!((node.rotation[3 + a] - Vec3::ith(a, 1.0)).norm() < 1e-13);
        }
    }
    // in line: nothing tells
    let line = Layout::new((0..3).map(|i| ("abc"[i..=i].to_owned(), Vec3::x() * i as f64, 3)));
    let chain: Vec<_> = (0..9).flat_map(|i| (0..9).map(move |j| (i, j, 1.0))).collect();
    let chain = Symmetric::new(9, chain);
    let error = inertia::nodes(&chain, &line, &line.rigid_motions(Vec3::zeros())).unwrap_err();
    assert!(error.to_string().contains("2 neighbours in the stiffness matrix stand in line"));
}

/// Large models find the modes of full matrices, those that come in pairs too.
#[test]
fn large_models_have_the_same_modes() {
    let (m, k, layout) = block([11, 3, 3]);
    assert!(layout.unknowns() > 500);
    let count = 12;
    let choice = choice(Boundary::Free, count);
    let model = read(&m, &k, &layout);
    let body = reduce(&model, &choice).unwrap();
    body.check().unwrap();
    // the same by full matrices, with rigid motions by a shift
    let all: Vec<usize> = (0..layout.unknowns()).collect();
    let mass = m.block(&all, &all);
    let shifted = k.block(&all, &all) + &mass * faer::Scale(1e-3);
    let full = crate::reduce::vibrations(&shifted, &mass).unwrap();
    let full = full.frequencies.iter().map(|w| (w * w - 1e-3).max(0.0).sqrt());
    let full: Vec<f64> = full.filter(|w| *w > 1e-4).take(count).collect();
    let found = frequencies(&body);
    for (a, b) in found.iter().zip(&full) {
        assert!((a / b - 1.0).abs() < 1e-7, "{found:?} {full:?}");
    }
    // a square section bends the same both ways
    assert!((found[0] / found[1] - 1.0).abs() < 1e-9);
    // a limit finds those below it
    let limit = 0.5 * (found[6] + found[7]);
    let with = |keep| reduce(&model, &Choice { keep, ..choice.clone() });
    assert_eq!(with(Keep::Below(limit)).unwrap().modes(), 7);
    assert_eq!(with(Keep::Lowest(0)).unwrap().modes(), 0);
    let third = frequencies(&with(Keep::Numbers(vec![3])).unwrap());
    assert!(third.len() == 1 && (third[0] / found[2] - 1.0).abs() < 1e-9);
    let text = with(Keep::Lowest(571)).unwrap_err().to_string();
    assert!(text.starts_with("571 modes are asked for, but 570 are there"), "{text}");
    let text = with(Keep::Below(1e-6)).unwrap_err().to_string();
    assert!(text.starts_with("no mode is below 0.000001 rad/s"), "{text}");
}

/// A beam of many elements, clamped and by interface shapes, by both ways.
#[test]
fn long_beams() {
    let (m, k, layout) = beam_as_matrices(&beam(40));
    assert!(layout.unknowns() > 450);
    let elastic = Elastic { k: &k, m: &m, layout: &layout };
    let modes = |boundary, n| component_modes(&elastic, &choice(boundary, n)).unwrap().0;
    let found = modes(at("root"), 8).frequencies;
    let free: Vec<usize> = (6..layout.unknowns()).collect();
    let full = crate::reduce::vibrations(&k.block(&free, &free), &m.block(&free, &free)).unwrap();
    for (a, b) in found.iter().zip(&full.frequencies) {
        assert!((a / b - 1.0).abs() < 1e-7, "{a} {b}");
    }
    let ends = Boundary::Interface { nodes: vec!["root".into(), "tip".into()] };
    let interface = modes(ends, 20).frequencies;
    for (a, b) in interface.iter().zip(&full.frequencies).take(5) {
        assert!(*a > b * (1.0 - 1e-7) && *a < b * (1.0 + 2e-4), "{a} {b}");
    }
}

/// What cannot be a body is named.
#[test]
fn faults_are_named() {
    let b = beam(2);
    let (m, k, layout) = beam_as_matrices(&b);
    let (mass, stiffness, nodes) = (market(&m), market(&k), table(&layout));
    let refused = |mass: &str, stiffness: &str, nodes: &str, text: &str| {
        let error = FiniteElements::parse(mass, stiffness, nodes).unwrap_err().to_string();
        assert!(error.contains(text), "{text}: {error}");
    };
    let edited = |a: &Symmetric, change: &dyn Fn(usize, usize, f64) -> f64| {
        let n = a.size();
        let list = (0..n).flat_map(|j| a.column(j).map(move |(i, x)| (i, j, x)));
        market(&Symmetric::new(n, list.map(|(i, j, x)| (i, j, change(i, j, x))).collect()))
    };
    refused(&mass, &stiffness, "name,x,y,z\n", "nodes.csv has no nodes");
    let fewer: Vec<&str> = nodes.lines().take(5).collect();
    refused(
        &mass,
        &stiffness,
        &fewer.join("\n"),
        "mass.mtx has 30 rows and 30 columns, but the 4 nodes of nodes.csv have 24",
    );
    refused(
        &mass,
        "%%MatrixMarket matrix coordinate real symmetric\n1 1 0\n",
        &nodes,
        "stiffness.mtx has 1 rows",
    );
    refused(
        &mass.replace("symmetric", "general"),
        &stiffness,
        &nodes,
        "mass.mtx is not symmetric: entry (2, 1)",
    );
    refused(
        &mass.replacen("\n3 1 ", "\n1 1 ", 1),
        &stiffness,
        &nodes,
        "entry (1, 1) stands there twice",
    );
    refused(
        &edited(&m, &|_, _, x| -x),
        &stiffness,
        &nodes,
        "mass.mtx: entry (1, 1) on the diagonal is -",
    );
    refused(
        &edited(&m, &|i, j, x| if i % 6 == 0 || j % 6 == 0 { 0.0 } else { x }),
        &stiffness,
        &nodes,
        "mass is 0 kg",
    );
    refused(
        &edited(&m, &|i, j, x| if i % 6 < 3 && i % 6 == j % 6 && i % 6 == 1 { 2.0 * x } else { x }),
        &stiffness,
        &nodes,
        "kg along y",
    );
    // rotations in degrees
    let degrees = |i: usize, j: usize, x: f64| {
        let unit = |i: usize| if i % 6 > 2 { 0.0175 } else { 1.0 };
        x * unit(i) * unit(j)
    };
    refused(
        &edited(&m, &degrees),
        &edited(&k, &degrees),
        &nodes,
        "a rotation about x of the whole body",
    );
    refused(&mass, &edited(&k, &degrees), &nodes, "a rotation about");
    // a support of stiffness 10 in the second node
    let support = |i: usize, j: usize, x: f64| if i == 7 && j == 7 { x + 10.0 } else { x };
    refused(
        &mass,
        &edited(&k, &support),
        &nodes,
        "a displacement along y of the whole body makes a force of 1.000e1, most in node 2 (row 8)",
    );
    // places in millimetres
    let mut wrong = layout.clone();
    wrong.places.iter_mut().for_each(|p| *p *= 1000.0);
    refused(
        &mass,
        &stiffness,
        &table(&wrong),
        "a rotation about x of the whole body makes a force", // a rotation of the nodes as that of a rigid body",
    );
    let mut wrong = layout.clone();
    wrong.names[1] = "tip".into();
    refused(&mass, &stiffness, &table(&wrong), "two nodes are called `tip`");

    let model = read(&m, &k, &layout);
    let text = |choice: &Choice| reduce(&model, choice).unwrap_err().to_string();
    assert!(
        text(&choice(at("end"), 1))
            .contains("no node called `end`; nodes are `root`, `knee`, `tip`")
    );
    assert!(
        text(&Choice { shortening: true, ..choice(at("tip"), 1) })
            .contains("turn the shortening off")
    );
    // two beams that do not touch, as one body
    let twice = |a: &Symmetric| {
        let n = a.size();
        let list =
            (0..2 * n).flat_map(|j| a.column(j % n).map(move |(i, x)| (j / n * n + i, j, x)));
        Symmetric::new(2 * n, list.collect())
    };
    let (m, k) = (twice(&m), twice(&k));
    let nodes = layout.names.iter().zip(&layout.places);
    let one: Vec<_> = nodes.map(|(name, at)| (name.clone(), *at, 6)).collect();
    let two = one.iter().map(|(_, at, n)| (String::new(), at + Vec3::y() * 3.0, *n));
    let layout = Layout::new(one.iter().cloned().chain(two));
    let model = read(&m, &k, &layout);
    for boundary in [at("root"), Boundary::Free] {
        let error = reduce(&model, &choice(boundary, 3)).unwrap_err().to_string();
        assert!(error.contains("fastened to each other"), "{error}");
    }
    let (m, k, layout) = block([1, 1, 1]);
    let error = reduce(&read(&m, &k, &layout), &choice(at("a"), 1)).unwrap_err().to_string();
    assert!(error.contains("node `a` has no rotations"), "{error}");
}

/// Damaged files are refused or read, and what is read ends in a body or an error.
#[test]
fn damaged_files() {
    let (m, k, layout) = beam_as_matrices(&beam(1));
    let texts = [market(&m), market(&k), table(&layout)];
    let mut state = 1usize;
    let mut next = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    const NEW: [&str; 12] = ["0", "-", "e", "9", ".", " ", "\n", ",", "nan", "1e59", "%", "é"];
    let mut bodies = 0;
    for _ in 0..400 {
        let mut damaged = texts.clone();
        let text = &mut damaged[next(3)];
        if next(3) == 0 {
            let mut lines: Vec<&str> = text.lines().collect();
            let (from, to) = (next(lines.len()), next(lines.len()));
            match next(3) {
                0 => drop(lines.remove(from)),
                1 => lines[to] = lines[from],
                _ => lines.swap(from, to),
            }
            *text = lines.join("\n");
        } else {
            let at = next(text.len());
            text.replace_range(at..=at, NEW[next(NEW.len())]);
        }
        let [mass, stiffness, nodes] = &damaged;
        let Ok(model) = FiniteElements::parse(mass, stiffness, nodes) else { continue };
        for boundary in [at("root"), Boundary::Free] {
            if let Ok(body) = reduce(&model, &choice(boundary, 4)) {
                bodies += usize::from(body.check().is_ok());
            }
        }
    }
    // names and last digits do no harm
    assert!(bodies > 20, "{bodies}");
}
