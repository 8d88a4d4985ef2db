//! A mesh that is not convex against other bodies: distances by an independent library, and a body that
//! is moved towards the mesh by its gap never goes through.

use crate::common;

use common::{check_gradient, ell_mesh, smallest};
use delassus_geom::{Feature, Pair, Pose, Shape};
use delassus_math::{Vec3, so3};
use parry3d_f64::math::{Pose as PPose, Vector};
use parry3d_f64::query::distance;
use parry3d_f64::shape::{Ball, Capsule, Cuboid, Shape as PShape, TriMesh as PMesh};
use proptest::prelude::*;

fn zoo() -> Vec<(&'static str, Shape, Box<dyn PShape>)> {
    let half = Vec3::new(0.3, 0.4, 0.2);
    let (p, q) = (Vec3::new(-0.6, 0.1, 0.0), Vec3::new(0.5, 0.2, 0.3));
    let v = |x: &Vec3| Vector::new(x.x, x.y, x.z);
    vec![
        ("sphere", Shape::sphere(0.3).unwrap(), Box::new(Ball::new(0.3))),
        ("box", Shape::cuboid(half).unwrap(), Box::new(Cuboid::new(v(&half)))),
        ("capsule", Shape::capsule(p, q, 0.2).unwrap(), Box::new(Capsule::new(v(&p), v(&q), 0.2))),
    ]
}

/// Two corners or a corner and an edge: no inside.
fn accidental(f: &[Feature; 2]) -> bool {
    let thin = |f: &Feature| match f {
        Feature::Ball { radius, .. } | Feature::Line { radius, .. } => *radius == 0.0,
        Feature::Plane { .. } => false,
    };
    let ball = |f: &Feature| matches!(f, Feature::Ball { .. });
    thin(&f[0]) && thin(&f[1]) && (ball(&f[0]) || ball(&f[1]))
}

/// Two meshes move towards each other by their gap until they touch: it never goes through zero.
fn approach(from: [f64; 3], w: [f64; 3]) -> Result<(), TestCaseError> {
    let a = Shape::mesh(&ell_mesh());
    let d = Vec3::from(from);
    let d = d.normalize();
    let pair = Pair::new(&a, &a).unwrap();
    let world = Pose::identity();
    let at = |s: f64| Pose::new(Vec3::new(1.0, 1.0, 0.5) + d * s, so3::exp(&w.into()));
    let mut s = 10.0;
    for _ in 0..300 {
        let c = smallest(&pair, &world, &at(s)).unwrap();
        prop_assert!(c.gap > -1e-8, "{} at {s} {c:?}", c.gap);
        if c.gap < 1e-9 || s < -10.0 {
            break;
        }
        s -= c.gap;
    }
    Ok(())
}

/// An edge that ends just in front of a side is not inside.
#[test]
fn an_edge_in_front_of_a_side() {
    let from = [0.0, -0.9664694150352642, 0.3058045560243659];
    approach(from, [2.333916762585939, 0.31783618511325124, 2.3290737619064292]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn distances_and_approach(
        from in prop::array::uniform3(-1.0..1.0f64),
        to in prop::array::uniform3(0.0..1.0f64),
        w in prop::array::uniform3(-3.0..3.0f64),
    ) {
        let mesh = ell_mesh();
        let theirs = PMesh::new(
            mesh.points().iter().map(|x| Vector::new(x.x, x.y, x.z)).collect(),
            mesh.triangles().to_vec(),
        ).unwrap();
        let a = Shape::mesh(&mesh);
        let d = Vec3::from(from);
        prop_assume!(d.norm() > 0.2);
        let d = d.normalize();
        let target = Vec3::new(3.0 * to[0], 3.0 * to[1], to[2]);
        let world = Pose::identity();
        for (name, b, pb) in &zoo() {
            let pair = Pair::new(&a, b).unwrap();
            let at = |s: f64| Pose::new(target + d * s, so3::exp(&w.into()));
            let mut s = 8.0;
            for k in 0..300 {
                let c = smallest(&pair, &world, &at(s)).unwrap();
                prop_assert!(c.gap > -1e-8, "{name}: {} at {s} {c:?}", c.gap);
                if k % 10 == 0 && c.gap > 1e-3 {
                    let x = at(s).p;
                    let there = PPose::new(Vector::new(x.x, x.y, x.z), Vector::new(w[0], w[1], w[2]));
                    let exact = distance(&PPose::IDENTITY, &theirs, &there, pb.as_ref()).unwrap().distance;
                    prop_assert!((c.gap - exact).abs() < 1e-4, "{name}: {} {exact} {c:?}", c.gap);
                    let mut near = Vec::new();
                    pair.near(&world, &at(s), c.gap + 1e-6, &mut near);
                    prop_assert!(near.iter().any(|n| (n.gap - c.gap).abs() < 1e-12), "{name} {c:?} {near:?}");
                }
                // Touching, or past it without touching.
                if c.gap < 1e-9 || s < -8.0 {
                    break;
                }
                s -= c.gap;
            }
            check_gradient(&pair, &world, &at(s + 0.01), false);
            // Pushed in by a micrometre: nothing is deeper than that, and the one that touched is.
            let touch = smallest(&pair, &world, &at(s)).unwrap();
            if touch.gap > 1e-6 || accidental(&touch.features)
                || pair.feature_margin(&touch, &world, &at(s)) < 1e-4 {
                continue;
            }
            let depth = 1e-6;
            let deeper = Pose::new(at(s).p - touch.normal * (touch.gap + depth), at(s).r);
            let mut near = Vec::new();
            pair.near(&world, &deeper, 1e-3, &mut near);
            let least = near.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            prop_assert!((least + depth).abs() < 2e-7, "{name}: {least} {touch:?} {near:?}");
        }
    }

    #[test]
    fn two_meshes_approach(
        from in prop::array::uniform3(-1.0..1.0f64),
        w in prop::array::uniform3(-3.0..3.0f64),
    ) {
        prop_assume!(Vec3::from(from).norm() > 0.2);
        approach(from, w)?;
    }
}
