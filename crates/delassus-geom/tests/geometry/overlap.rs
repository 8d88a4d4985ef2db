//! Overlap of bodies: detection and depth against independent oracles.

use crate::common;

use delassus_geom::{Pose, Profile, Shape, TriMesh, overlap_depth};
use delassus_math::{Mat3, Vec3, so3};
use parry3d_f64::math::{Pose as Iso, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{Capsule, ConvexPolyhedron};

const TOL: f64 = 1e-7;

/// A linear congruential generator: the same poses each time.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn span(&mut self, r: f64) -> f64 {
        r * (2.0 * self.next() - 1.0)
    }

    fn vector(&mut self, r: f64) -> Vec3 {
        Vec3::new(self.span(r), self.span(r), self.span(r))
    }

    fn pose(&mut self, r: f64) -> Pose {
        Pose::new(self.vector(r), so3::exp(&self.vector(3.0)))
    }

    fn planar(&mut self, r: f64) -> Pose {
        Pose::planar(self.span(r), self.span(r), self.span(3.1))
    }
}

fn iso(p: &Pose) -> Iso {
    let r = nalgebra::Rotation3::from_matrix_unchecked(p.r).scaled_axis();
    Iso::new(Vector::new(p.p.x, p.p.y, p.p.z), Vector::new(r.x, r.y, r.z))
}

fn l_profile() -> Profile {
    Profile::polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.3], [0.3, 0.3], [0.3, 1.0], [0.0, 1.0]])
        .unwrap()
}

/// An L of two bars, 0.4 deep.
fn l_mesh() -> TriMesh {
    let xy = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.3], [0.3, 0.3], [0.3, 1.0], [0.0, 1.0]];
    let points: Vec<Vec3> =
        [-0.2, 0.2].iter().flat_map(|z| xy.iter().map(|p| Vec3::new(p[0], p[1], *z))).collect();
    let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for t in caps {
        triangles.push([t[0], t[2], t[1]]);
        triangles.push(t.map(|k| k + 6));
    }
    for k in 0..6 {
        let n = (k + 1) % 6;
        triangles.push([k, n, n + 6]);
        triangles.push([k, n + 6, k + 6]);
    }
    TriMesh::new(points, triangles).unwrap()
}

/// The two bars of the L, as boxes with their centres.
fn l_bars() -> [(Vec3, Shape); 2] {
    let bar = |x0: f64, x1: f64, y0: f64, y1: f64| {
        let c = Vec3::new(x0 + x1, y0 + y1, 0.0) / 2.0;
        (c, Shape::cuboid(Vec3::new((x1 - x0) / 2.0, (y1 - y0) / 2.0, 0.2)).unwrap())
    };
    [bar(0.0, 1.0, 0.0, 0.3), bar(0.0, 0.3, 0.0, 1.0)]
}

fn shifted(p: &Pose, by: &Vec3) -> Pose {
    Pose::new(p.p + by, p.r)
}

#[test]
fn boxes_agree_with_all_axes_tried() {
    let mut rng = Rng(1);
    let (mut hit, mut missed) = (0, 0);
    for _ in 0..4000 {
        let (ha, hb) =
            (rng.vector(0.5).abs().add_scalar(0.02), rng.vector(0.5).abs().add_scalar(0.02));
        let (pa, pb) = (rng.pose(0.5), rng.pose(0.5));
        let (a, b) = (Shape::cuboid(ha).unwrap(), Shape::cuboid(hb).unwrap());
        let depth = overlap_depth(&a, &pa, &b, &pb, TOL);
        let corners = |h: &Vec3, p: &Pose| -> Vec<Vec3> {
            let sign = |k: usize| if k == 0 { -1.0 } else { 1.0 };
            (0..8)
                .map(|k| {
                    p.point(&Vec3::new(h.x * sign(k & 1), h.y * sign(k & 2), h.z * sign(k & 4)))
                })
                .collect()
        };
        let (ca, cb) = (corners(&ha, &pa), corners(&hb, &pb));
        let mut axes: Vec<Vec3> =
            (0..3).flat_map(|k| [pa.r.column(k).into(), pb.r.column(k).into()]).collect();
        for k in 0..9 {
            axes.push(axes[k / 3 * 2].cross(&axes[k % 3 * 2 + 1]).normalize());
        }
        let brute = axes
            .iter()
            .flat_map(|u| [*u, -u])
            .map(|u| support(&ca, &u) + support(&cb, &-u))
            .fold(f64::INFINITY, f64::min)
            .max(0.0);
        match depth {
            Some(d) => {
                assert!((d - brute).abs() < 1e-6, "{d} {brute} {ha} {hb}");
                hit += 1;
            }
            None => {
                assert!(brute < 1e-6, "{brute} {ha} {hb}");
                missed += 1;
            }
        }
    }
    assert!(hit > 500 && missed > 500, "{hit} {missed}");
}

#[test]
fn hulls_and_capsules_agree_with_another_library() {
    let mut rng = Rng(2);
    let (mut hit, mut rods) = (0, 0);
    for _ in 0..1500 {
        let cloud = |rng: &mut Rng| (0..14).map(|_| rng.vector(0.5)).collect::<Vec<_>>();
        let (xa, xb) = (cloud(&mut rng), cloud(&mut rng));
        let (a, b) = (Shape::convex_hull(&xa).unwrap(), Shape::convex_hull(&xb).unwrap());
        let hull = |x: &[Vec3]| {
            let points: Vec<Vector> = x.iter().map(|x| Vector::new(x.x, x.y, x.z)).collect();
            ConvexPolyhedron::from_convex_hull(&points).unwrap()
        };
        let (pa, pb) = (rng.pose(0.5), rng.pose(0.5));
        let (ia, ib) = (iso(&pa), iso(&pb));
        let depth = overlap_depth(&a, &pa, &b, &pb, TOL).unwrap_or(0.0);
        let other = query::contact(&ia, &hull(&xa), &ib, &hull(&xb), 0.0).unwrap();
        let other = other.map_or(0.0, |c| -c.dist);
        assert!((depth - other).abs() < 1e-6, "{depth} {other}");
        hit += usize::from(depth > 0.0);

        let (from, to, r) = (rng.vector(0.6), rng.vector(0.6), 0.02 + 0.2 * rng.next());
        let rod = Shape::capsule(from, to, r).unwrap();
        let v = |x: Vec3| Vector::new(x.x, x.y, x.z);
        let other =
            query::contact(&ia, &hull(&xa), &ib, &Capsule::new(v(from), v(to), r), 0.0).unwrap();
        let other = other.map_or(0.0, |c| -c.dist);
        for depth in
            [overlap_depth(&a, &pa, &rod, &pb, TOL), overlap_depth(&rod, &pb, &a, &pa, TOL)]
        {
            let depth = depth.unwrap_or(0.0);
            assert!((depth - other).abs() < 1e-5, "{depth} {other}");
            rods += usize::from(depth > 0.0);
        }
    }
    assert!(hit > 300 && rods > 300, "{hit} {rods}");
}

/// Largest of u·x over a shape, from its outline.
fn support(outline: &[Vec3], u: &Vec3) -> f64 {
    outline.iter().map(|x| u.dot(x)).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn convex_profiles_agree_with_all_directions_tried() {
    let mut rng = Rng(3);
    let round = Profile::with_bulges(&[
        [-0.4, -0.2, 0.0],
        [0.4, -0.2, 1.0],
        [0.4, 0.2, 0.0],
        [-0.4, 0.2, 0.4],
    ]);
    let shapes = [
        Shape::profile(&Profile::rectangle(0.7, 0.2).unwrap()),
        Shape::profile(&Profile::polygon(&[[0.0, 0.0], [0.6, 0.1], [0.1, 0.5]]).unwrap()),
        Shape::circle(0.25).unwrap(),
        Shape::profile(&round.unwrap()),
        Shape::point(),
    ];
    let (mut hit, mut missed) = (0, 0);
    for k in 0..1500 {
        let (a, b) = (&shapes[k % 5], &shapes[k / 5 % 5]);
        let (pa, pb) = (rng.planar(0.35), rng.planar(0.35));
        let (oa, ob) = (common::polyline(a, &pa, 1), common::polyline(b, &pb, 1));
        let least = (0..1440)
            .map(|k| {
                let (s, c) = (f64::from(k) * std::f64::consts::PI / 720.0).sin_cos();
                let u = Vec3::new(c, s, 0.0);
                support(&oa, &u) + support(&ob, &-u)
            })
            .fold(f64::INFINITY, f64::min);
        let depth = overlap_depth(a, &pa, b, &pb, TOL);
        // outlines every 5° are inside the arcs by up to 0.1 % of the radius; directions every 0.25°
        match depth {
            Some(d) => assert!((d - least).abs() < 3e-3, "{d} {least} {k}"),
            None => assert!(least < 1e-3, "{least} {k}"),
        }
        hit += usize::from(depth.is_some());
        missed += usize::from(depth.is_none());
    }
    assert!(hit > 300 && missed > 300, "{hit} {missed}");
}

/// Crossing parity, on its own.
fn inside(polygon: &[Vec3], x: f64, y: f64) -> bool {
    let mut odd = false;
    for w in polygon.windows(2) {
        let (a, b) = (w[0], w[1]);
        if (a.y > y) != (b.y > y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x) {
            odd = !odd;
        }
    }
    odd
}

fn common_points(a: &[Vec3], b: &[Vec3]) -> usize {
    let n = 150;
    let at = |k: usize| -1.6 + 3.2 * (k as f64 + 0.37) / n as f64;
    (0..n * n)
        .filter(|k| inside(a, at(k / n), at(k % n)) && inside(b, at(k / n), at(k % n)))
        .count()
}

#[test]
fn hollow_profiles_agree_with_samples_and_no_shorter_move_parts_them() {
    let mut rng = Rng(4);
    let l = Shape::profile(&l_profile());
    let bar = Shape::profile(&Profile::rectangle(1.4, 0.15).unwrap());
    let (mut hit, mut missed) = (0, 0);
    for k in 0..400 {
        let b = if k % 2 == 0 { &l } else { &bar };
        let (pa, pb) = (rng.planar(0.6), rng.planar(0.6));
        let outline = |s: &Shape, p: &Pose| common::polyline(s, p, 1);
        let (oa, ob) = (outline(&l, &pa), outline(b, &pb));
        let common = common_points(&oa, &ob);
        let depth = overlap_depth(&l, &pa, b, &pb, TOL);
        if common > 0 {
            let d = depth.unwrap_or_else(|| panic!("{common} common points, not seen {k}"));
            for k in 0..12 {
                let (s, c) = (f64::from(k) * std::f64::consts::TAU / 12.0).sin_cos();
                let moved = shifted(&pb, &(Vec3::new(c, s, 0.0) * (0.9 * d)));
                let seen = overlap_depth(&l, &pa, b, &moved, TOL).is_some();
                assert!(seen || common_points(&oa, &outline(b, &moved)) > 0, "{d} is too deep");
            }
            hit += 1;
        } else if depth.is_none() {
            missed += 1;
        }
        // Nothing is seen where nothing is: a shallow one may hide between the samples.
        assert!(common > 0 || depth.unwrap_or(0.0) < 0.05, "{depth:?}");
    }
    assert!(hit > 100 && missed > 50, "{hit} {missed}");
}

#[test]
fn hollow_meshes_agree_with_their_parts() {
    let mut rng = Rng(5);
    let l = Shape::mesh(&l_mesh());
    let bars = l_bars();
    let cube = Shape::cuboid(Vec3::new(0.1, 0.2, 0.15)).unwrap();
    let rod = Shape::capsule(Vec3::new(-0.3, 0.0, 0.0), Vec3::new(0.3, 0.0, 0.0), 0.05).unwrap();
    let ball = Shape::sphere(0.15).unwrap();
    let (mut hit, mut missed) = (0, 0);
    for k in 0..600 {
        let b = [&cube, &rod, &ball][k % 3];
        let (pa, pb) = (rng.pose(0.4), rng.pose(0.6));
        let parts = |pb: &Pose| {
            let part = |(c, s): &(Vec3, Shape)| {
                overlap_depth(s, &Pose::new(pa.point(c), pa.r), b, pb, TOL).unwrap_or(0.0)
            };
            delassus_math::largest(bars.iter().map(part))
        };
        let depth = overlap_depth(&l, &pa, b, &pb, TOL).unwrap_or(0.0);
        let deepest = parts(&pb);
        // To part it from the whole takes at least what it takes to part it from each.
        assert!((deepest > 1e-6) == (depth > 1e-6), "{k}: {depth} {deepest}");
        for _ in 0..20 {
            let u = rng.vector(1.0).normalize();
            assert!(parts(&shifted(&pb, &(u * (0.99 * depth)))) > 0.0 || depth == 0.0, "{depth}");
        }
        hit += usize::from(depth > 0.0);
        missed += usize::from(depth == 0.0);
    }
    assert!(hit > 100 && missed > 100, "{hit} {missed}");
}

#[test]
fn what_only_touches_does_not_overlap() {
    let flat = Pose::planar(0.0, 0.0, 0.0);
    let square = Shape::profile(&Profile::rectangle(0.1, 0.1).unwrap());
    let l = Shape::profile(&l_profile());
    for turn in [0.0, 0.3, 1.0, 2.2] {
        let at = |x: f64, y: f64| {
            let p = Pose::planar(0.0, 0.0, turn);
            Pose::planar(p.point(&Vec3::new(x, y, 0.0)).x, p.point(&Vec3::new(x, y, 0.0)).y, turn)
        };
        for (x, y) in [(0.0, 0.1), (0.05, 0.1), (0.1, 0.1), (-0.1, 0.03)] {
            assert_eq!(overlap_depth(&square, &at(0.0, 0.0), &square, &at(x, y), 1e-9), None);
        }
        // in the corner of the L, on its side, in line with it
        for (x, y) in [(0.35, 0.35), (0.5, -0.05), (1.05, 0.15), (0.15, 1.05), (1.05, 1.05)] {
            assert_eq!(overlap_depth(&l, &at(0.0, 0.0), &square, &at(x, y), 1e-9), None, "{x} {y}");
        }
        // two of them in each other
        let turned = Pose::new(
            at(1.3, 1.3).p,
            at(0.0, 0.0).r * Pose::planar(0.0, 0.0, std::f64::consts::PI).r,
        );
        assert_eq!(overlap_depth(&l, &at(0.0, 0.0), &l, &turned, 1e-9), None);
    }
    let hole = Shape::profile(&l_profile().into_hole());
    assert_eq!(overlap_depth(&hole, &flat, &l, &flat, 1e-9), None);
    let (mesh, cube) = (Shape::mesh(&l_mesh()), Shape::cuboid(Vec3::repeat(0.1)).unwrap());
    let at = Pose::at(0.0, 0.0, 0.0);
    for (x, y, z) in
        [(0.4, 0.4, 0.0), (0.4, 0.4, 0.1), (0.5, -0.1, 0.1), (0.15, 0.15, 0.3), (1.1, 0.4, 0.3)]
    {
        assert_eq!(overlap_depth(&mesh, &at, &cube, &Pose::at(x, y, z), 1e-9), None, "{x} {y} {z}");
        assert_eq!(overlap_depth(&cube, &Pose::at(x, y, z), &mesh, &at, 1e-9), None, "{x} {y} {z}");
    }
    let turned =
        Pose::new(Vec3::new(1.3, 1.3, 0.0), Mat3::from_diagonal(&Vec3::new(-1.0, -1.0, 1.0)));
    assert_eq!(overlap_depth(&mesh, &at, &mesh, &turned, 1e-9), None);
    assert_eq!(overlap_depth(&mesh, &at, &mesh, &Pose::at(0.0, 0.0, 0.4), 1e-9), None);
}

#[test]
fn aligned_and_hidden_overlaps_are_seen() {
    let flat = Pose::planar(0.0, 0.0, 0.0);
    let depth =
        |a: &Shape, b: &Shape, pb: &Pose| overlap_depth(a, &Pose::at(0.0, 0.0, 0.0), b, pb, 1e-9);
    let near = |found: Option<f64>, lo: f64, hi: f64| {
        assert!(found.is_some_and(|d| d >= lo - 1e-12 && d <= hi + 1e-12), "{found:?} {lo} {hi}");
    };
    let square = Shape::profile(&Profile::rectangle(0.1, 0.1).unwrap());
    near(depth(&square, &square, &Pose::planar(0.0, 0.091, 0.0)), 0.009, 0.009);
    near(depth(&square, &square, &flat), 0.1, 0.1);
    let (wide, tall) =
        (Profile::rectangle(0.6, 0.2).unwrap(), Profile::rectangle(0.2, 0.6).unwrap());
    near(
        depth(&Shape::profile(&tall), &Shape::profile(&wide), &Pose::planar(0.05, 0.02, 0.0)),
        0.35,
        0.35,
    );
    let l = Shape::profile(&l_profile());
    near(depth(&l, &l, &flat), 0.3, 0.6);
    near(depth(&l, &square, &Pose::planar(0.15, 0.7, 0.4)), 0.2, 0.25);
    near(depth(&l, &Shape::point(), &Pose::planar(0.1, 0.7, 0.0)), 0.1, 0.1);
    // a hole, and a body that goes through its wall
    let hole = Shape::profile(&l_profile().into_hole());
    near(depth(&hole, &square, &Pose::planar(0.5, 0.3, 0.0)), 0.049, 0.05);
    near(depth(&hole, &square, &Pose::planar(0.8, 0.8, 0.0)), 0.4, 1.0);

    let at = Pose::at(0.0, 0.0, 0.0);
    let cube = Shape::cuboid(Vec3::repeat(0.05)).unwrap();
    near(depth(&cube, &cube, &Pose::at(0.02, 0.01, 0.07)), 0.03, 0.03);
    near(depth(&cube, &cube, &at), 0.1, 0.1);
    let (x, y) = (Vec3::new(2.0, 0.05, 0.05), Vec3::new(0.05, 2.0, 0.05));
    let (x, y) = (Shape::cuboid(x).unwrap(), Shape::cuboid(y).unwrap());
    near(depth(&y, &x, &Pose::at(0.3, 0.2, 0.05)), 0.05, 0.05);
    let mesh = Shape::mesh(&l_mesh());
    near(depth(&mesh, &mesh, &at), 0.3, 0.45);
    // one through the other along its depth: no corner or edge is inside
    near(depth(&mesh, &mesh, &Pose::at(0.0, 0.0, 0.2)), 0.1, 0.2);
    let inside = Pose::at(0.15, 0.6, 0.0);
    near(depth(&mesh, &cube, &inside), 0.15, 0.2 + 1e-9);
    near(depth(&mesh, &Shape::sphere(0.05).unwrap(), &inside), 0.2, 0.2);
    near(depth(&mesh, &Shape::point(), &inside), 0.15, 0.15);
    let rod = Shape::capsule(Vec3::new(-0.9, 0.0, 0.0), Vec3::new(0.9, 0.0, 0.0), 0.02).unwrap();
    near(depth(&mesh, &rod, &inside), 0.169, 0.171);
}

#[test]
fn walls_overlap_with_what_they_stick_in() {
    let wall = Shape::segment([-1.0, 0.0], [1.0, 0.0]).unwrap();
    let at = |y: f64| Pose::planar(0.1, y, 0.0);
    let flat = Pose::planar(0.0, 0.0, 0.0);
    let square = Shape::profile(&Profile::rectangle(0.2, 0.2).unwrap());
    for (shape, r) in [(&square, 0.1), (&Shape::circle(0.1).unwrap(), 0.1)] {
        let depth = |y: f64| overlap_depth(&wall, &flat, shape, &at(y), 1e-9);
        assert_eq!(depth(r), None);
        assert!(depth(0.06).is_some_and(|d| (d - 0.04).abs() < 1e-3), "{:?}", depth(0.06));
        // behind it, touching or not
        assert_eq!(depth(-r), None);
        assert_eq!(depth(-0.5), None);
    }
}
