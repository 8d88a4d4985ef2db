//! Shapes that cannot exist, pairs that are not supported, distances and outlines.

use delassus_geom::{Pair, Profile, ProfileBuilder, Shape, ShapeError, ShapeKind};
use delassus_math::Vec3;
use std::f64::consts::PI;

#[test]
fn sizes_must_be_positive() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Shape::circle(bad), Err(ShapeError::NotPositive { .. })));
        assert!(matches!(Shape::ring(bad), Err(ShapeError::NotPositive { .. })));
        assert!(matches!(Shape::sphere(bad), Err(ShapeError::NotPositive { .. })));
        assert!(matches!(Shape::cylinder(1.0, bad), Err(ShapeError::NotPositive { .. })));
        assert!(matches!(
            Shape::cuboid(Vec3::new(1.0, bad, 1.0)),
            Err(ShapeError::NotPositive { .. })
        ));
        let c = Shape::capsule(Vec3::zeros(), Vec3::x(), bad);
        assert!(matches!(c, Err(ShapeError::NotPositive { .. })));
        let a = Shape::arc([0.0, 0.0], 1.0, 0.0, bad, false);
        assert!(matches!(a, Err(ShapeError::NotPositive { .. })));
    }
    let e = Shape::circle(-1.0).unwrap_err().to_string();
    assert_eq!(e, "radius of a circle is -1: it must be positive and finite");
    assert!(matches!(Shape::segment([1.0, 1.0], [1.0, 1.0]), Err(ShapeError::NoDirection { .. })));
    assert!(matches!(
        Shape::segment([f64::NAN, 1.0], [1.0, 1.0]),
        Err(ShapeError::NotFinite { .. })
    ));
    let h = Shape::half_plane([0.0, 0.0], [0.0, 0.0]);
    assert!(matches!(h, Err(ShapeError::NoDirection { .. })));
    let c = Shape::capsule(Vec3::x(), Vec3::x(), 1.0);
    assert!(matches!(c, Err(ShapeError::NoDirection { .. })));
    assert!(Shape::arc([0.0, 0.0], 1.0, 0.0, 7.0, false).is_err());
}

#[test]
fn contours_are_checked() {
    let clockwise = Profile::polygon(&[[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]);
    assert_eq!(clockwise, Err(ShapeError::Clockwise { area: -1.0 }));
    let bow = Profile::polygon(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 3.0]]);
    let Err(ShapeError::SelfIntersection { first: 0, second: 2, at }) = bow else {
        panic!("{bow:?}")
    };
    assert!((at[0] - 1.2).abs() < 1e-12 && (at[1] - 1.2).abs() < 1e-12);
    let few = Profile::polygon(&[[0.0, 0.0], [1.0, 0.0]]);
    assert_eq!(few, Err(ShapeError::TooFewPoints { found: 2, needed: 3 }));
    let twice = Profile::polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(twice, Err(ShapeError::ZeroLength { element: 1 }));
    let nan = Profile::polygon(&[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]);
    assert!(matches!(nan, Err(ShapeError::NotFinite { index: 1, .. })));
    let line = Profile::polygon(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]);
    assert!(line.is_err());
    let spike =
        Profile::polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [2.0, 3.0], [2.0, 1.0], [0.0, 1.0]]);
    assert!(matches!(spike, Err(ShapeError::SelfIntersection { .. })), "{spike:?}");
    // A corner that touches the opposite edge.
    let pinched = Profile::polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.0], [0.0, 2.0]]);
    assert!(matches!(pinched, Err(ShapeError::SelfIntersection { .. })), "{pinched:?}");
    // An arc that cuts through the opposite side.
    let cut = Profile::with_bulges(&[
        [0.0, 0.0, -1.0],
        [2.0, 0.0, 0.0],
        [2.0, 0.5, 0.0],
        [0.0, 0.5, 0.0],
    ]);
    assert!(matches!(cut, Err(ShapeError::SelfIntersection { .. })), "{cut:?}");
}

#[test]
fn fillets_are_checked() {
    let square = |r: f64| {
        ProfileBuilder::new()
            .point(0.0, 0.0)
            .fillet(r)
            .point(1.0, 0.0)
            .fillet(r)
            .point(1.0, 1.0)
            .point(0.0, 1.0)
    };
    assert!(matches!(square(0.6).build(), Err(ShapeError::FilletTooLarge { .. })));
    assert!(matches!(square(-0.1).build(), Err(ShapeError::NotPositive { .. })));
    // Two fillets that use up the whole edge between them are fine.
    let p = square(0.5).build().unwrap();
    assert!((p.area() - (1.0 - 2.0 * 0.25 * (1.0 - PI / 4.0))).abs() < 1e-12);
    let beside = ProfileBuilder::new()
        .point(0.0, 0.0)
        .bulge(0.5)
        .fillet(0.1)
        .point(1.0, 0.0)
        .point(0.5, 1.0);
    assert_eq!(beside.build(), Err(ShapeError::FilletBesideArc { point: 0 }));
    // A circle of two half circles.
    let disc = Profile::with_bulges(&[[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]).unwrap();
    assert!((disc.area() - PI).abs() < 1e-12);
}

#[test]
fn hulls_are_checked() {
    let flat: Vec<Vec3> = (0..6).map(|k| Vec3::new(f64::from(k), f64::from(k * k), 0.0)).collect();
    assert_eq!(Shape::convex_hull(&flat), Err(ShapeError::FlatHull { points: 6 }));
    let few = Shape::convex_hull(&flat[..3]);
    assert_eq!(few, Err(ShapeError::TooFewPoints { found: 3, needed: 4 }));
    let mut nan = flat.clone();
    nan[2].z = f64::NAN;
    assert!(matches!(Shape::convex_hull(&nan), Err(ShapeError::NotFinite { index: 2, .. })));
    assert_eq!(Shape::convex_hull(&[Vec3::x(); 5]), Err(ShapeError::FlatHull { points: 5 }));
    // A cube with points inside, on faces and on edges is a cube.
    let mut points = Vec::new();
    for i in 0..27 {
        points.push(
            Vec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) - Vec3::repeat(1.0),
        );
    }
    let plane = Shape::half_space(Vec3::zeros(), Vec3::z()).unwrap();
    assert_eq!(Pair::new(&plane, &Shape::convex_hull(&points).unwrap()).unwrap().slots(), 8);
}

#[test]
fn unsupported_pairs_are_named() {
    let circle = Shape::circle(1.0).unwrap();
    let sphere = Shape::sphere(1.0).unwrap();
    let cylinder = Shape::cylinder(1.0, 1.0).unwrap();
    let ground = Shape::half_plane([0.0, 0.0], [0.0, 1.0]).unwrap();
    let space = Shape::half_space(Vec3::zeros(), Vec3::z()).unwrap();
    let ring = Shape::ring(1.0).unwrap();
    for (a, b) in [
        (&circle, &sphere),
        (&cylinder, &cylinder),
        (&ground, &ground),
        (&space, &space),
        (&ring, &ground),
        (&ring, &ring),
        (&circle, &space),
    ] {
        for (a, b) in [(a, b), (b, a)] {
            let e = Pair::new(a, b).map(|_| ()).unwrap_err();
            assert_eq!((e.a, e.b), (a.kind(), b.kind()));
            let text = e.to_string();
            assert!(text.starts_with(&format!("no contact between {} and {}", e.a, e.b)), "{text}");
        }
    }
    assert_eq!(cylinder.kind(), ShapeKind::Cylinder);
    // A point is at home in both worlds.
    assert!(
        Pair::new(&Shape::point(), &sphere).is_ok() && Pair::new(&Shape::point(), &circle).is_ok()
    );
}

#[test]
fn signed_distances_and_curvature() {
    let square = Shape::profile(&Profile::rectangle(2.0, 2.0).unwrap());
    for (x, d) in
        [([2.0, 0.0], 1.0), ([0.0, 0.0], -1.0), ([2.0, 2.0], 2f64.sqrt()), ([0.9, 0.3], -0.1)]
    {
        assert!((square.signed_distance(x).unwrap() - d).abs() < 1e-15, "{x:?}");
    }
    let hole = Shape::profile(&Profile::rectangle(2.0, 2.0).unwrap().into_hole());
    assert!((hole.signed_distance([0.3, 0.0]).unwrap() - 0.7).abs() < 1e-15);
    assert!((hole.signed_distance([2.0, 0.0]).unwrap() + 1.0).abs() < 1e-15);
    assert!((hole.signed_distance([2.0, 2.0]).unwrap() + 2f64.sqrt()).abs() < 1e-15);
    let bowl = Shape::arc([0.0, 2.0], 2.0, PI, PI, true).unwrap();
    let (n, k) = bowl.surface_at([0.0, 0.5]).unwrap();
    assert!((n[1] - 1.0).abs() < 1e-12 && (k + 0.5).abs() < 1e-12);
    let circle = Shape::circle(2.0).unwrap();
    let (n, k) = circle.surface_at([3.0, 0.0]).unwrap();
    assert!((n[0] - 1.0).abs() < 1e-15 && (k - 0.5).abs() < 1e-15);
    assert!(Shape::sphere(1.0).unwrap().signed_distance([0.0, 0.0]).is_none());
}

#[test]
fn outlines_close_and_lie_on_the_shape() {
    let p = [[-1.0, -0.5, 0.0], [1.0, -0.5, 1.0], [1.0, 0.5, 0.0], [-1.0, 0.5, 1.0]];
    for shape in [
        Shape::circle(0.5).unwrap(),
        Shape::ring(0.5).unwrap(),
        Shape::profile(&Profile::with_bulges(&p).unwrap()),
    ] {
        let o = shape.outline();
        assert_eq!(o.first(), o.last());
        assert!(o.iter().all(|x| shape.signed_distance(*x).unwrap().abs() < 1e-14));
    }
    assert_eq!(Shape::segment([0.0, 0.0], [1.0, 0.0]).unwrap().outline().len(), 2);
    assert_eq!(Shape::half_plane([0.0, 0.0], [0.0, 1.0]).unwrap().outline().len(), 2);
    assert_eq!(Shape::point().outline(), [[0.0, 0.0]]);
    assert!(Shape::sphere(1.0).unwrap().outline().is_empty());
}

/// A contour that is walked clockwise is the wall of a hole: normals and distances change their sign.
#[test]
fn clockwise_is_a_hole() {
    let corners = |b: ProfileBuilder| {
        b.point(0.0, 0.0).fillet(0.1).point(0.0, 2.0).point(1.0, 2.0).bulge(-0.3).point(1.0, 0.0)
    };
    let hole = corners(ProfileBuilder::new()).build_directed().unwrap();
    assert!(hole.is_hole());
    let same = ProfileBuilder::new()
        .point(1.0, 0.0)
        .bulge(0.3)
        .point(1.0, 2.0)
        .point(0.0, 2.0)
        .point(0.0, 0.0)
        .fillet(0.1);
    let solid = same.clone().build().unwrap();
    assert!((hole.area() - solid.area()).abs() < 1e-12);
    assert_eq!(same.build_directed().unwrap(), solid);
    assert!(!solid.is_hole());
    let (wall, body) = (Shape::profile(&hole), Shape::profile(&solid));
    for x in [[0.5, 1.0], [0.2, 1.7], [1.2, 1.0], [0.05, 0.3]] {
        let (a, b) = (wall.signed_distance(x).unwrap(), body.signed_distance(x).unwrap());
        assert!(a > 0.0 && (a + b).abs() < 1e-14, "{x:?}: {a} {b}");
        let ((n, k), (m, l)) = (wall.surface_at(x).unwrap(), body.surface_at(x).unwrap());
        assert!((n[0] + m[0]).abs() + (n[1] + m[1]).abs() < 1e-12, "{x:?}: {n:?} {m:?}");
        assert!((k + l).abs() < 1e-12, "{x:?}: {k} {l}");
    }
    // faults are those of the contour, not of its direction
    let crossing =
        ProfileBuilder::new().point(0.0, 0.0).point(1.0, 1.0).point(1.0, 0.0).point(0.0, 1.0);
    assert!(crossing.build_directed().is_err());
}
