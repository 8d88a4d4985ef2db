//! Gaps of spatial pairs: against an independent library, along motions, on stacks and meshes.

use crate::common;

use common::{check_gradient, ell_mesh, grid_box, smallest};
use delassus_geom::{Contact, Pair, Pose, Shape, TriMesh};
use delassus_math::{Vec3, so3};
use parry3d_f64::math::{Pose as PPose, Vector};
use parry3d_f64::query::distance;
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, Shape as PShape};
use proptest::prelude::*;

fn v(x: &Vec3) -> Vector {
    Vector::new(x.x, x.y, x.z)
}

fn hull_points() -> Vec<Vec3> {
    // A dozen points that are all corners.
    (0..12)
        .map(|k| {
            let (t, z) = (2.4 * f64::from(k), 1.0 - f64::from(k) / 5.5);
            let r = (1.0 - z * z).max(0.0).sqrt();
            Vec3::new(r * t.cos(), 0.8 * r * t.sin(), 0.7 * z)
        })
        .collect()
}

/// Our shape and the same one of the other library.
fn zoo() -> Vec<(&'static str, Shape, Box<dyn PShape>)> {
    let half = Vec3::new(0.5, 0.7, 0.4);
    let points = hull_points();
    let cloud: Vec<Vector> = points.iter().map(v).collect();
    let (p, q) = (Vec3::new(-0.6, 0.1, 0.0), Vec3::new(0.5, 0.2, 0.3));
    vec![
        ("sphere", Shape::sphere(0.6).unwrap(), Box::new(Ball::new(0.6))),
        ("box", Shape::cuboid(half).unwrap(), Box::new(Cuboid::new(v(&half)))),
        (
            "hull",
            Shape::convex_hull(&points).unwrap(),
            Box::new(ConvexPolyhedron::from_convex_hull(&cloud).unwrap()),
        ),
        ("capsule", Shape::capsule(p, q, 0.2).unwrap(), Box::new(Capsule::new(v(&p), v(&q), 0.2))),
    ]
}

fn pose(p: [f64; 3], w: [f64; 3]) -> Pose {
    Pose::new(p.into(), so3::exp(&w.into()))
}

fn theirs(p: [f64; 3], w: [f64; 3]) -> PPose {
    PPose::new(Vector::new(p[0], p[1], p[2]), Vector::new(w[0], w[1], w[2]))
}

fn near(pair: &Pair, pa: &Pose, pb: &Pose, margin: f64) -> Vec<Contact> {
    let mut out = Vec::new();
    pair.near(pa, pb, margin, &mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn smallest_gap_is_the_distance(
        p in prop::array::uniform3(-2.5..2.5f64),
        w in prop::array::uniform3(-3.0..3.0f64),
        u in prop::array::uniform3(-3.0..3.0f64),
    ) {
        let here = pose([0.1, -0.2, 0.3], u);
        for (na, a, pa) in &zoo() {
            for (nb, b, pb) in &zoo() {
                let d = distance(
                    &theirs([0.1, -0.2, 0.3], u), pa.as_ref(), &theirs(p, w), pb.as_ref(),
                ).unwrap().distance;
                let pair = Pair::new(a, b).unwrap();
                let there = pose(p, w);
                if d < 1e-3 {
                    continue;
                }
                let best = smallest(&pair, &here, &there).unwrap();
                // Theirs is iterative and ends a little too far away; ours are points of both bodies.
                let off = best.gap - d;
                prop_assert!(off < 1e-6 && off > -1e-4, "{na} {nb}: {} {d} {best:?}", best.gap);
                // The list of near contacts has it too, and nothing nearer.
                let list = near(&pair, &here, &there, d + 1e-3);
                let least = list.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
                prop_assert!((least - best.gap).abs() < 1e-12, "{na} {nb}: {least} {}", best.gap);
                prop_assert!(list.windows(2).all(|c| c[0].slot < c[1].slot));
                prop_assert!(near(&pair, &here, &there, best.gap - 1e-9).is_empty());
                prop_assert!(pair.gap_bound(&here, &there) <= d + 1e-9);
                for slot in 0..pair.slots() as u32 {
                    let Some(c) = pair.slot(slot, &here, &there, None) else { continue };
                    let bound = pair.slot_bound(slot, &here, &there);
                    prop_assert!(bound <= c.gap, "{na} {nb} {slot}: {bound} {}", c.gap);
                }
                // Pushed together along the normal until they overlap a little: the same features,
                // and the gap goes straight through zero.
                for depth in [1e-9, 1e-4] {
                    let shift = best.normal * (best.gap + depth);
                    let closer = Pose::new(there.p - shift, there.r);
                    let c = near(&pair, &here, &closer, 1e-3)
                        .into_iter()
                        .find(|c| c.same_features(&best));
                    if generic(&best) && pair.feature_margin(&best, &here, &there) > 1e-2 {
                        prop_assert!(c.is_some(), "{na} {nb}: lost at {depth}: {best:?}");
                        let gap = c.map_or(0.0, |c| c.gap);
                        prop_assert!((gap + depth).abs() < 1e-9, "{na} {nb}: {gap} {c:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn gradient_is_the_normal(
        p in prop::array::uniform3(-1.5..1.5f64),
        w in prop::array::uniform3(-3.0..3.0f64),
    ) {
        let mut shapes: Vec<Shape> = zoo().into_iter().map(|z| z.1).collect();
        shapes.push(Shape::half_space(Vec3::new(0.0, 0.0, -1.0), Vec3::new(0.1, 0.2, 1.0)).unwrap());
        shapes.push(Shape::cylinder(0.5, 0.4).unwrap());
        shapes.push(Shape::point());
        shapes.push(Shape::mesh(&ell_mesh()));
        for a in &shapes {
            for b in &shapes {
                if let Ok(pair) = Pair::new(a, b) {
                    check_gradient(&pair, &pose([0.0; 3], [0.2, -0.1, 0.4]), &pose(p, w), false);
                }
            }
        }
    }

    #[test]
    fn cylinder_and_sphere(p in prop::array::uniform3(-2.0..2.0f64)) {
        let pair = Pair::new(&Shape::cylinder(0.5, 0.8).unwrap(), &Shape::sphere(0.3).unwrap()).unwrap();
        // Their axis is y.
        let d = distance(
            &PPose::IDENTITY, &Cylinder::new(0.5, 0.8),
            &theirs([p[0], p[2], -p[1]], [0.0; 3]), &Ball::new(0.3),
        ).unwrap().distance;
        let c = pair.slot(0, &Pose::identity(), &pose(p, [0.0; 3]), None).unwrap();
        prop_assert!((c.gap.max(0.0) - d).abs() < 1e-6, "{} {d}", c.gap);
    }
}

/// Corner on face or edge on edge: what touches unless aimed at. Two corners, or a corner and an edge,
/// have no side on which they are inside each other.
fn generic(c: &Contact) -> bool {
    use delassus_geom::Feature::{Ball, Line, Plane};
    match c.features {
        [Plane { .. }, _] | [_, Plane { .. }] => true,
        [Line { radius: 0.0, .. }, Line { radius: 0.0, .. }] => true,
        [Ball { radius: 0.0, .. }, Ball { radius: 0.0, .. }] => false,
        [Line { radius: 0.0, .. }, Ball { radius: 0.0, .. }] => false,
        [Ball { radius: 0.0, .. }, Line { radius: 0.0, .. }] => false,
        _ => true,
    }
}

#[test]
fn equal_cubes_stacked_exactly_have_four_corners() {
    let cube = Shape::cuboid(Vec3::repeat(0.5)).unwrap();
    let pair = Pair::new(&cube, &cube).unwrap();
    for (dx, dy, dz) in [
        (0.0, 0.0, 0.0),
        (1e-17, -1e-16, 1e-15),
        (1e-12, 1e-13, -1e-9),
        (-1e-12, 1e-12, -1e-6),
        (0.0, 0.0, -1e-6),
        (3e-8, -2e-8, -1e-10),
    ] {
        let out = near(&pair, &Pose::identity(), &Pose::at(dx, dy, 1.0 + dz), 1e-4);
        assert_eq!(out.len(), 4, "{dx} {dy} {dz}: {out:#?}");
        for c in &out {
            assert!((c.normal.z - 1.0).abs() < 1e-9, "{dx} {dy} {dz}: {:?}", c.normal);
            assert!((c.gap - dz).abs() < 1e-12);
        }
    }
}

#[test]
fn shifted_and_turned_cubes_have_the_whole_polygon() {
    let cube = Shape::cuboid(Vec3::repeat(0.5)).unwrap();
    let pair = Pair::new(&cube, &cube).unwrap();
    let shifted = near(&pair, &Pose::identity(), &Pose::at(0.3, 0.2, 1.0), 1e-6);
    assert_eq!(shifted.len(), 4, "{shifted:#?}");
    let shifted = near(&pair, &Pose::identity(), &Pose::at(0.3, 0.0, 1.0), 1e-6);
    assert_eq!(shifted.len(), 4, "{shifted:#?}");
    // Turned by 45°: an octagon of crossing edges.
    let turned = pose([0.0, 0.0, 1.0], [0.0, 0.0, std::f64::consts::FRAC_PI_4]);
    let octagon = near(&pair, &Pose::identity(), &turned, 1e-6);
    assert_eq!(octagon.len(), 8, "{octagon:#?}");
    assert!(octagon.iter().chain(&shifted).all(|c| (c.normal.z - 1.0).abs() < 1e-12));
    // Slightly tilted: still all eight, half of them apart.
    let tilted = pose([0.0, 0.0, 1.0], [1e-3, 0.0, 0.0]);
    let tilted = Pose::new(tilted.p, tilted.r * turned.r);
    assert_eq!(near(&pair, &Pose::identity(), &tilted, 1e-2).len(), 8);
}

#[test]
fn box_on_plane_has_eight_slots_that_stay() {
    let pair = Pair::new(
        &Shape::half_space(Vec3::zeros(), Vec3::z()).unwrap(),
        &Shape::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap(),
    )
    .unwrap();
    assert_eq!(pair.slots(), 8);
    let mut last: Vec<[u32; 2]> = Vec::new();
    for k in 0..100 {
        let t = 0.1 * f64::from(k);
        let there = pose([t, 0.0, 3.0 - 0.01 * t], [0.3 * t, 0.1 * t, -0.2 * t]);
        let ids: Vec<_> = (0..8)
            .map(|s| pair.slot(s, &Pose::identity(), &there, None).unwrap().feature_ids)
            .collect();
        assert!(last.is_empty() || last == ids);
        last = ids;
    }
}

#[test]
fn sphere_rolls_over_the_edges_of_a_box_in_one_slot() {
    let cube = Shape::cuboid(Vec3::repeat(0.5)).unwrap();
    let pair = Pair::new(&Shape::sphere(0.2).unwrap(), &cube).unwrap();
    assert_eq!(pair.slots(), 1);
    let (from, to) = (Vec3::new(0.1, 0.8, -0.9), Vec3::new(0.9, 0.7, 0.9));
    let n = 20_000;
    let rate = (to - from) / f64::from(n);
    let mut last: Option<Contact> = None;
    let mut changes = 0;
    for k in 0..n {
        let p = Pose::new(from + rate * f64::from(k), so3::exp(&Vec3::zeros()));
        let c = pair.slot(0, &p, &Pose::identity(), last.map(|c| c.feature_ids)).unwrap();
        assert!(pair.feature_margin(&c, &p, &Pose::identity()) > -1e-8);
        if let Some(l) = last {
            assert!((c.normal - l.normal).norm() < 2e-3, "the normal jumps at {k}");
            let mean = (c.normal + l.normal) / 2.0;
            assert!((c.gap - l.gap + mean.dot(&rate)).abs() < 2e-8, "the gap has a corner at {k}");
            changes += u32::from(c.feature_ids != l.feature_ids);
        }
        last = Some(c);
    }
    assert!(changes >= 3, "{changes}");
}

#[test]
fn parallel_capsules_touch_with_two_ends() {
    let rod = Shape::capsule(Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), 0.1).unwrap();
    let pair = Pair::new(&rod, &rod).unwrap();
    let out = near(&pair, &Pose::identity(), &Pose::at(0.3, 0.0, 0.2), 1e-6);
    assert_eq!(out.len(), 2, "{out:#?}");
    let apart = (out[0].points[0].x - out[1].points[0].x).abs();
    assert!((apart - 1.7).abs() < 1e-12);
}

#[test]
fn capsule_bridges_a_box() {
    let rod = Shape::capsule(Vec3::new(-2.0, 0.0, 0.0), Vec3::new(2.0, 0.1, 0.0), 0.1).unwrap();
    let cube = Shape::cuboid(Vec3::repeat(0.5)).unwrap();
    let pair = Pair::new(&rod, &cube).unwrap();
    let out = near(&pair, &Pose::at(0.0, 0.0, 0.6), &Pose::identity(), 1e-6);
    assert_eq!(out.len(), 2, "{out:#?}");
    assert!(out.iter().all(|c| (c.normal.z + 1.0).abs() < 1e-12 && c.gap.abs() < 1e-12));
}

#[test]
fn cylinder_stands_and_lies_on_a_plane() {
    let ground = Shape::half_space(Vec3::zeros(), Vec3::z()).unwrap();
    let pair = Pair::new(&ground, &Shape::cylinder(0.5, 0.3).unwrap()).unwrap();
    let up = near(&pair, &Pose::identity(), &Pose::at(0.0, 0.0, 0.5), 1e-6);
    assert_eq!(up.len(), 4);
    let lying = pose([0.0, 0.0, 0.3], [std::f64::consts::FRAC_PI_2, 0.0, 0.0]);
    let out = near(&pair, &Pose::identity(), &lying, 1e-6);
    assert_eq!(out.len(), 2, "{out:#?}");
    // Tilted: the lowest point of the rim, by formula.
    let a = 0.4f64;
    let tilted = pose([0.0, 0.0, 1.0], [a, 0.0, 0.0]);
    let c = smallest(&pair, &Pose::identity(), &tilted).unwrap();
    assert!((c.gap - (1.0 - 0.5 * a.cos() - 0.3 * a.sin())).abs() < 1e-12);
}

#[test]
fn internal_edges_of_a_mesh_make_no_normals() {
    // A plate of many triangles is one plane with six faces.
    let plate = Shape::mesh(&grid_box(8));
    let cube = Shape::cuboid(Vec3::repeat(0.1)).unwrap();
    let sphere = Shape::sphere(0.1).unwrap();
    for (shape, count) in [(&cube, 4), (&sphere, 1)] {
        let pair = Pair::new(&plate, shape).unwrap();
        for k in 0..200 {
            let x = -0.8 + 0.008 * f64::from(k);
            let there = Pose::at(x, 0.37 * x, 0.6 - 1e-7);
            let out = near(&pair, &Pose::identity(), &there, 1e-3);
            assert_eq!(out.len(), count, "{x}: {out:#?}");
            assert!(out.iter().all(|c| c.normal.z > 1.0 - 1e-12 && (c.gap + 1e-7).abs() < 1e-12));
        }
    }
}

#[test]
fn sphere_in_the_corner_of_a_mesh_touches_both_walls() {
    let pair = Pair::new(&Shape::mesh(&ell_mesh()), &Shape::sphere(0.25).unwrap()).unwrap();
    let out = near(&pair, &Pose::identity(), &Pose::at(1.25, 1.25, 0.5), 1e-6);
    assert_eq!(out.len(), 2, "{out:#?}");
    let sum = out[0].normal + out[1].normal;
    assert!((sum - Vec3::new(1.0, 1.0, 0.0)).norm() < 1e-12);
    // Outside, the distance is that of the plain surface, wherever the sphere is.
    let mut checked = 0;
    for k in 0..400 {
        let k = f64::from(k);
        let x = Vec3::new(
            1.5 + 2.5 * (0.37 * k).sin(),
            1.5 + 2.5 * (0.71 * k).cos(),
            0.5 + 1.2 * (1.3 * k).sin(),
        );
        let exact = common::surface_distance(&ell_mesh(), &x);
        let inside = x.z > 0.0
            && x.z < 1.0
            && x.x > 0.0
            && x.y > 0.0
            && (x.x < 1.0 && x.y < 3.0 || x.x < 3.0 && x.y < 1.0);
        if inside {
            continue;
        }
        checked += 1;
        let c =
            smallest(&pair, &Pose::identity(), &Pose::new(x, so3::exp(&Vec3::zeros()))).unwrap();
        assert!((c.gap + 0.25 - exact).abs() < 1e-9, "{x:?}: {} {exact}", c.gap + 0.25);
    }
    assert!(checked > 200);
}

#[test]
fn box_rests_in_the_corner_of_a_mesh() {
    let pair =
        Pair::new(&Shape::mesh(&ell_mesh()), &Shape::cuboid(Vec3::repeat(0.25)).unwrap()).unwrap();
    let out = near(&pair, &Pose::identity(), &Pose::at(1.25, 1.25, 0.5), 1e-6);
    let on = |n: Vec3| out.iter().filter(|c| (c.normal - n).norm() < 1e-12).count();
    assert_eq!(on(Vec3::y()), 4, "{out:#?}");
    assert_eq!(on(Vec3::x()), 4, "{out:#?}");
    assert_eq!(out.len(), 8);
}

#[test]
fn a_mesh_of_a_cube_is_a_cube() {
    let mesh: TriMesh = grid_box(3);
    let (a, b) = (Shape::mesh(&mesh), Shape::cuboid(Vec3::new(1.0, 1.0, 0.5)).unwrap());
    let ball = Shape::sphere(0.2).unwrap();
    let (pa, pb) = (Pair::new(&a, &ball).unwrap(), Pair::new(&b, &ball).unwrap());
    assert_eq!(pa.slots(), 1);
    for k in 0..200 {
        let k = f64::from(k);
        let x = Pose::at(1.8 * (0.3 * k).sin(), 1.7 * (0.5 * k).cos(), 1.1 * (0.9 * k).sin());
        let g = |p: &Pair| p.slot(0, &Pose::identity(), &x, None).unwrap().gap;
        assert!((g(&pa) - g(&pb)).abs() < 1e-12);
    }
}

/// Pyramid over a star of four points; its tip has concave edges between the convex ones.
fn star() -> TriMesh {
    let mut points = vec![Vec3::new(0.0, 0.0, -1.0), Vec3::zeros()];
    for k in 0..8 {
        let a = f64::from(k) * std::f64::consts::FRAC_PI_4;
        let r = if k % 2 == 0 { 1.0 } else { 0.3 };
        points.push(Vec3::new(r * a.cos(), r * a.sin(), 0.0));
    }
    let mut triangles = Vec::new();
    for k in 0..8 {
        let (i, j) = (2 + k, 2 + (k + 1) % 8);
        triangles.extend([[0, j, i], [1, i, j]]);
    }
    TriMesh::new(points, triangles).unwrap()
}

#[test]
fn the_tip_of_a_star_stands_on_a_plane() {
    let ground = Shape::half_space(Vec3::zeros(), Vec3::z()).unwrap();
    let pair = Pair::new(&ground, &Shape::mesh(&star())).unwrap();
    let out = near(&pair, &Pose::identity(), &Pose::at(0.0, 0.0, 1.0), 1e-6);
    assert_eq!(out.len(), 1, "{out:#?}");
    // And on a box, with one contact whatever side it comes from.
    let cube = Shape::cuboid(Vec3::repeat(0.5)).unwrap();
    let pair = Pair::new(&cube, &Shape::mesh(&star())).unwrap();
    let out = near(&pair, &Pose::identity(), &Pose::at(0.1, 0.2, 1.5 - 1e-9), 1e-6);
    assert_eq!(out.len(), 1, "{out:#?}");
    assert!((out[0].normal.z - 1.0).abs() < 1e-12);
}

#[test]
fn an_edge_between_patches_is_listed_once() {
    let pair = Pair::new(&Shape::mesh(&ell_mesh()), &Shape::sphere(0.2).unwrap()).unwrap();
    for k in 0..800 {
        // All around the prism at half height, and over its upper rim.
        let t = f64::from(k) * std::f64::consts::TAU / 800.0;
        for z in [0.5, 1.1] {
            let x = Pose::at(1.5 + 4.0 * t.cos(), 1.5 + 4.0 * t.sin(), z);
            let out = near(&pair, &Pose::identity(), &x, 10.0);
            for (i, a) in out.iter().enumerate() {
                for b in &out[..i] {
                    assert!((a.points[0] - b.points[0]).norm() > 1e-6, "{t}: {a:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn what_was_active_stays_on_exact_stacks() {
    let cube = Shape::cuboid(Vec3::repeat(0.5)).unwrap();
    let pair = Pair::new(&cube, &cube).unwrap();
    let start = near(&pair, &Pose::identity(), &Pose::at(0.0, 0.0, 1.0), 1e-6);
    let mut held = start.clone();
    for k in 0..1000 {
        // Noise of the size of round-off, in all directions.
        let k = f64::from(k);
        let noise = |a: f64| 1e-12 * (a * k).sin();
        let there =
            pose([noise(1.0), noise(2.3), 1.0 + noise(3.1)], [noise(0.7), noise(1.9), noise(0.3)]);
        for c in &mut held {
            let next = pair.slot(c.slot, &Pose::identity(), &there, Some(c.feature_ids)).unwrap();
            assert!(next.same_features(c), "{k}: {c:?} {next:?}");
            assert!((next.normal.z - 1.0).abs() < 1e-11 && next.gap.abs() < 1e-11);
            *c = next;
        }
        // Without memory: the same normals, too.
        let fresh = near(&pair, &Pose::identity(), &there, 1e-6);
        assert_eq!(fresh.len(), 4, "{k}");
        assert!(fresh.iter().all(|c| (c.normal.z - 1.0).abs() < 1e-11));
    }
}
